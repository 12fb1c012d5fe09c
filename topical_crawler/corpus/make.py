"""Fields of a record, made from an extracted page."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topical_crawler.cleaning.boilerplate import NOTHING
from topical_crawler.cleaning.characters import visible
from topical_crawler.cleaning.cleaner import CleaningOptions, TextCleaner
from topical_crawler.text.passages import prose
from topical_crawler.web.urls import fingerprint

if TYPE_CHECKING:  # readers of a corpus need no extraction
    from topical_crawler.corpus.store import CorpusStore
    from topical_crawler.extraction.extract import Extracted

_ANNOUNCED = ("title", "date", "source", "section")
_TAKEN_OVER = ("date", "author", "source", "section", "canonical", "license", "kind", "method", "series", "part")


def announcement(store: CorpusStore, pages: Iterable[str]) -> dict[str, str]:
    """Return title, date, source and section from the first of these pages with a row in the corpus, without empty values.

    They complete the details of a document linked by that page.
    """
    for url in pages:
        row = store.get(fingerprint(url).hex())
        if row is not None:
            return {name: value for name in _ANNOUNCED if (value := getattr(row, name))}
    return {}


@dataclass(frozen=True, slots=True)
class Made:
    """Cleaned page."""

    fields: dict[str, Any] = field(default_factory=dict)  # of its `Record`: title, text, details and measures
    reason: str = ""  # for having no text
    prose: str | None = None  # its prose as extracted, for `put` to learn from, None if none was extracted


class Maker:
    """Cleaner of extracted pages by ``options``, with the repeated lines of hosts from ``store`` (None: without)."""

    def __init__(self, store: CorpusStore | None, options: CleaningOptions) -> None:
        self._lines_of = store if options.site_lines else None
        self._options = options
        self._cleaner = TextCleaner(options)
        # The last part of an article may be one sentence.
        self._cleaner_of_parts = TextCleaner(dataclasses.replace(options, min_characters=1))

    def make(
        self,
        host: str,
        extracted: Extracted,
        *,
        anchors: Collection[str] = (),
        title: str = "",
        announced: Mapping[str, str] | None = None,
    ) -> Made:
        """Clean and measure the text of a page.

        Args:
            host: host of the page.
            extracted: the extracted page.
            anchors: texts of the page's links.
            title: content of its ``<title>``, replacing a missing headline.
            announced: details for missing ones of a document, see :func:`announcement`.
        """
        fields: dict[str, Any] = {name: getattr(extracted, name) for name in _TAKEN_OVER}
        fields["title"] = extracted.title or title
        fields |= {name: value for name, value in (announced or {}).items() if not fields[name]}
        fields |= {name: visible(value) for name, value in fields.items() if isinstance(value, str)}
        if extracted.reason:
            return Made(fields, extracted.reason)
        words = prose(extracted.text, extracted.layout)
        learned = self._lines_of.learned(host, words) if self._lines_of else NOTHING
        cleaner = self._cleaner_of_parts if extracted.part > 1 else self._cleaner
        cleaned = cleaner.clean(extracted.text, anchors, fields["title"], learned, extracted.layout)
        values = {name: getattr(cleaned, name) for name in ("text", "layout", "language", "script", "measures", "personal")}
        return Made(fields | values, cleaned.reason, words if self._lines_of else None)
