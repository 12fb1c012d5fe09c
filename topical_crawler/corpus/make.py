"""Records made of extracted pages: by a crawl page by page, and again when a corpus is rebuilt from an archive."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from topical_crawler.cleaning import CleaningOptions, TextCleaner
from topical_crawler.cleaning.site_lines import NOTHING
from topical_crawler.corpus.record import PageLines
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.extraction import Extracted

_TAKEN_OVER = ("date", "author", "source", "section", "canonical", "license", "kind", "method", "series", "part")


@dataclass(frozen=True, slots=True)
class Made:
    """What becomes of an extracted page.

    Attributes:
        fields: of its :class:`~topical_crawler.corpus.record.Record`: title, text and all that was found out about them.
        reason: why it has no text; "" where it has one.
        lines: its text as it was extracted, to be learned from (:meth:`CorpusStore.put`); None where nothing was extracted.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    lines: PageLines | None = None


class Maker:
    """Cleans extracted pages for a corpus.

    Args:
        store: the corpus; it knows the lines that repeat over a host. None: nothing is known of any host.
        options: of the cleaning.
    """

    def __init__(self, store: CorpusStore | None, options: CleaningOptions) -> None:
        self._lines_of = store if options.site_lines else None
        self._cleaner = TextCleaner(options)
        # The last page of an article may be one sentence.
        self._cleaner_of_parts = TextCleaner(dataclasses.replace(options, min_characters=1))

    def make(self, host: str, extracted: Extracted, *, anchors: Collection[str] = (), title: str = "") -> Made:
        """Clean a page's text and measure it.

        Args:
            host: the page's.
            extracted: what was found on it.
            anchors: anchor texts of its links.
            title: its ``<title>``, for a page whose headline was not found.
        """
        fields: dict[str, Any] = {name: getattr(extracted, name) for name in _TAKEN_OVER}
        fields["title"] = extracted.title or title
        if extracted.reason:
            return Made(fields, extracted.reason)
        learned = self._lines_of.learned(host, extracted.text) if self._lines_of else NOTHING
        cleaner = self._cleaner_of_parts if extracted.part > 1 else self._cleaner
        cleaned = cleaner.clean(extracted.text, anchors, fields["title"], learned)
        values = {name: getattr(cleaned, name) for name in ("text", "language", "script", "measures", "personal")}
        lines = PageLines(extracted.text, cleaned.removed) if self._lines_of else None
        return Made(fields | values, cleaned.reason, lines)
