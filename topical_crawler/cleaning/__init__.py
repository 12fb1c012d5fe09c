"""From an extracted text to one that may be stored: repaired, without boilerplate, measured, and judged.

:class:`TextCleaner` does it all, for a crawl and for whoever cleans a corpus again; the modules below it know nothing of each
other but characters and site lines.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from topical_crawler.cleaning.boilerplate import MIN_CHARACTERS, Cleaner
from topical_crawler.cleaning.characters import GARBLED, identify, is_garbled, repair, to_simplified, to_traditional
from topical_crawler.cleaning.personal import find, mask
from topical_crawler.cleaning.quality import Limits, measure
from topical_crawler.cleaning.site_lines import NOTHING, Learned

Personal = Literal["off", "flag", "mask"]
Convert = Literal["", "simplified", "traditional"]


@dataclass(frozen=True, slots=True)
class CleaningOptions:
    """What a person may choose.

    Attributes:
        min_characters: fewest letters and digits of a text.
        limits: what is refused for its language or its measures.
        personal: personal data are counted ("flag"), replaced as well ("mask"), or not looked for ("off").
        convert: the script that Chinese texts are brought into; "": as they are.
        site_lines: whether lines that a site repeats on its pages are learned and taken out.
    """

    min_characters: int = MIN_CHARACTERS
    limits: Limits = field(default_factory=Limits)
    personal: Personal = "flag"
    convert: Convert = ""
    site_lines: bool = True


@dataclass(frozen=True, slots=True)
class CleanedText:
    """A text as it may be stored.

    Attributes:
        text: the text; "" where ``reason`` says why there is none.
        reason: why the text was rejected, a short stable English string; "" for a kept one.
        language, script: see :func:`~topical_crawler.cleaning.characters.identify`; "" where the text was rejected before.
        measures: by the names of :class:`~topical_crawler.cleaning.quality.Measures`, also of a text that they refused; empty
            where it was rejected before.
        personal: how many personal data of each kind were found.
        removed: the different lines that were taken out as boilerplate; empty for a rejected text.
    """

    text: str
    reason: str = ""
    language: str = ""
    script: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)
    personal: Mapping[str, int] = field(default_factory=dict)
    removed: tuple[str, ...] = ()


class TextCleaner:
    """Cleans texts by ``options``; one for many texts."""

    def __init__(self, options: CleaningOptions | None = None) -> None:
        self.options = options or CleaningOptions()
        self._cleaner = Cleaner(self.options.min_characters)

    def clean(self, text: str, anchors: Collection[str] = (), title: str = "", learned: Learned = NOTHING) -> CleanedText:
        """Reject ``text`` if it is garbled; repair its characters; take boilerplate from its head and tail, or reject it as
        nothing else; tell its language and convert its script; look for personal data; measure it and hold it against the
        limits. Cleaning what was cleaned changes nothing.

        Args:
            text: as extracted, one paragraph a line.
            anchors: anchor texts of the page's links.
            title: of the page.
            learned: what is known of the lines of the page's host.

        >>> text = "来源：某某网\\n" + "各支部　开展主题党日活动，热线010-62345678。" * 4 + "\\n责任编辑：王某"
        >>> found = TextCleaner().clean(text)
        >>> found.text[:12], found.reason, found.language, found.script, found.personal
        ('各支部 开展主题党日活动', '', 'zh', 'simplified', {'phone': 4})
        """
        # Before the repair, which takes away what tells.
        if is_garbled(text):
            return CleanedText("", GARBLED)
        left = self._cleaner.clean(repair(text), [repair(anchor) for anchor in anchors], repair(title), learned)
        if left.reason:
            return CleanedText("", left.reason)
        return dataclasses.replace(self._judged(left.text), removed=left.removed)

    def _judged(self, text: str) -> CleanedText:
        options = self.options
        language, script = identify(text)
        if options.convert and language == "zh" and script and script != options.convert:
            text = to_simplified(text) if options.convert == "simplified" else to_traditional(text)
            script = options.convert
        personal: dict[str, int] = {}
        if options.personal == "mask":
            text, personal = mask(text)
        elif options.personal == "flag":
            personal = find(text)
        measured = measure(text)  # of what is stored
        measures = dataclasses.asdict(measured)
        if reason := options.limits.refusal(measured, language, len(text)):
            return CleanedText("", reason, language, script, measures)
        return CleanedText(text, "", language, script, measures, personal)
