"""Clean an extracted text: repair it, remove boilerplate, look for personal data, measure and judge it."""

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
    """How texts are cleaned."""

    min_characters: int = MIN_CHARACTERS  # fewest letters and digits of prose and Chinese characters of the rest
    limits: Limits = field(default_factory=Limits)  # bounds on language and measures
    personal: Personal = "flag"  # personal data are counted ("flag"), also replaced ("mask"), or ignored ("off")
    convert: Convert = ""  # the script that Chinese texts are converted to; "": none
    site_lines: bool = True  # learn and remove the lines that a site repeats on its pages


@dataclass(frozen=True, slots=True)
class CleanedText:
    """A cleaned or rejected text; an early rejection leaves the fields of later steps empty."""

    text: str  # "" for a rejected one
    layout: Layout = ()  # of the text, see `text.passages`
    reason: str = ""  # why it was rejected, a short stable English string; "" for a kept one
    language: str = ""  # with the script, see `characters.identify`
    script: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)  # of the prose, see `Measures`
    personal: Mapping[str, int] = field(default_factory=dict)  # number of personal data by kind
    removed: tuple[str, ...] = ()  # the distinct lines removed as boilerplate


class TextCleaner:
    """Cleans texts by ``options``."""

    def __init__(self, options: CleaningOptions | None = None) -> None:
        self.options = options or CleaningOptions()
        self._cleaner = Cleaner(self.options.min_characters)

    def clean(
        self, text: str, anchors: Collection[str] = (), title: str = "", learned: Learned = NOTHING, layout: Layout = ()
    ) -> CleanedText:
        """Reject a garbled text; repair characters; remove boilerplate; identify the language and convert the script; look for
        personal data; measure the text and apply the limits. Cleaning a cleaned text changes nothing.

        The arguments are those of :meth:`~topical_crawler.cleaning.boilerplate.Cleaner.clean`. Only prose is judged, and
        tables where they are the longer part: an article is not refused for its code and formulas. In these and in tables only
        characters that are broken or cannot be seen are repaired, and personal data looked for.

        >>> text = "来源：某某网\\n" + "各支部　开展主题党日活动，热线010-62345678。" * 4 + "\\n责任编辑：王某"
        >>> cleaned = TextCleaner().clean(text)
        >>> cleaned.text[:12], cleaned.reason, cleaned.language, cleaned.script, cleaned.personal
        ('各支部 开展主题党日活动', '', 'zh', 'simplified', {'phone': 4})
        """
        if is_garbled(judged(text, layout)):  # before the repair, which removes the signs of it
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
        # Prose that is less than half of a text may be labels between code: 示例代码, 运行结果.
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
