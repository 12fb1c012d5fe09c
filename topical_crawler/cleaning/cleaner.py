"""Cleaning of an extracted text: repair, boilerplate, language, personal data, measures, limits."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from topical_crawler.cleaning.boilerplate import MIN_CHARACTERS, NOTHING, Cleaner, Learned
from topical_crawler.cleaning.characters import (
    GARBLED,
    identify,
    is_garbled,
    repair,
    repair_verbatim,
    to_simplified,
    to_traditional,
)
from topical_crawler.cleaning.personal import find, mask
from topical_crawler.cleaning.quality import Limits, is_verse, measure
from topical_crawler.text.passages import VERBATIM, Layout, Passage, judged, mapped, passages, plain, prose
from topical_crawler.text.passages import layout as layout_of

Personal = Literal["off", "flag", "mask"]
Convert = Literal["", "simplified", "traditional"]


@dataclass(frozen=True, slots=True)
class CleaningOptions:
    """Options of :class:`TextCleaner`."""

    min_characters: int = MIN_CHARACTERS  # fewest letters and digits of prose and Chinese characters of the rest
    limits: Limits = field(default_factory=Limits)  # bounds on language and measures
    personal: Personal = "flag"  # count personal data ("flag"), also replace them ("mask"), or ignore them ("off")
    convert: Convert = ""  # script to convert Chinese texts to, "" for none
    site_lines: bool = True  # learn and remove lines recurring on the pages of a site


@dataclass(frozen=True, slots=True)
class CleanedText:
    """Cleaned or rejected text. An early rejection leaves the fields of later steps empty."""

    text: str  # "" for a rejected one
    layout: Layout = ()  # of the text, see `text.passages`
    reason: str = ""  # of the rejection, a short stable English string, "" for a kept text
    language: str = ""  # with the script, see `characters.identify`
    script: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)  # of the prose, see `Measures`
    personal: Mapping[str, int] = field(default_factory=dict)  # number of personal data by kind
    removed: tuple[str, ...] = ()  # the distinct lines removed as boilerplate


class TextCleaner:
    """Text cleaner with ``options``."""

    def __init__(self, options: CleaningOptions | None = None) -> None:
        self.options = options or CleaningOptions()
        self._cleaner = Cleaner(self.options.min_characters)

    def clean(
        self, text: str, anchors: Collection[str] = (), title: str = "", learned: Learned = NOTHING, layout: Layout = ()
    ) -> CleanedText:
        """Clean or reject a text. Idempotent for cleaned texts.

        Steps: reject garbled text, repair characters, remove boilerplate, identify the language, convert the script, find
        personal data, measure, apply the limits.

        Arguments as in :meth:`~topical_crawler.cleaning.boilerplate.Cleaner.clean`. Only prose is judged, and tables if they are
        the longer part, so no article is rejected for its code and formulas. In code, formulas and tables only broken and
        invisible characters are repaired, and personal data searched.

        >>> text = "来源：某某网\\n" + "各支部　开展主题党日活动，热线010-62345678。" * 4 + "\\n责任编辑：王某"
        >>> cleaned = TextCleaner().clean(text)
        >>> cleaned.text[:12], cleaned.reason, cleaned.language, cleaned.script, cleaned.personal
        ('各支部 开展主题党日活动', '', 'zh', 'simplified', {'phone': 4})
        """
        if is_garbled(judged(text, layout)):  # before the repair removes its signs
            return CleanedText("", reason=GARBLED)
        text, layout = _repaired(text, layout)
        cleaned = self._cleaner.clean(text, [repair(anchor) for anchor in anchors], repair(title), learned, layout)
        if cleaned.reason:
            return CleanedText("", reason=cleaned.reason)
        text, layout, options = cleaned.text, cleaned.layout, self.options
        language, script = identify(judged(text, layout))
        if options.convert and language == "zh" and script and script != options.convert:
            text = mapped(text, layout, to_simplified if options.convert == "simplified" else to_traditional)
            script = options.convert
        personal: dict[str, int] = {}
        if options.personal == "mask":
            text, personal = mask(text)
        elif options.personal == "flag":
            personal = find(text)
        measured = measure(judged(text, layout))
        measures = dataclasses.asdict(measured)
        # Prose of less than half of a text may be labels between code: 示例代码, 运行结果.
        words = prose(text, layout)
        characters = len(words) if 2 * len(words) >= len(text) else 0
        if reason := options.limits.refusal(measured, language, characters, is_verse(words.split("\n"))):
            return CleanedText("", (), reason, language, script, measures, removed=cleaned.removed)
        return CleanedText(text, layout, "", language, script, measures, personal, cleaned.removed)


def _repaired(text: str, layout: Layout) -> tuple[str, Layout]:
    if not layout:
        return repair(text), ()
    found: list[Passage] = []
    for passage in passages(text, layout):
        if passage.kind not in VERBATIM:
            lines = repair(passage.text).split("\n")
        else:
            lines = [verbatim] if (verbatim := repair_verbatim(passage.text)).strip() else []
        note = repair(passage.note) if passage.note else ""
        found += [Passage(line, passage.kind, passage.level, note) for line in lines]
    return plain(found), layout_of(found)
