"""The kept texts of a corpus that this product has collected."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

from topical_crawler.corpus.schema import CorpusError
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.sources.base import Document, Source, SourceError, flaw

FILE = "corpus.sqlite"
"""Name of a corpus in the data folder of a crawl."""
_NOT_FIELDS = ("text", "title", "url", "keep", "key", "reason", "duplicate_of", "content_hash")


class Collected(Source):
    """A ``corpus.sqlite``, or the data folder that holds it, in the order in which the pages were stored. A crawl may be writing
    to it. ``fields`` are those of :class:`topical_crawler.corpus.record.Record` that a kept page has: host, date, relevance, …

    Skipped: ``empty``, ``undecodable``; where the source is tolerant also ``damaged``.
    """

    kind: ClassVar[str] = "corpus"

    def _documents(self) -> Iterator[Document]:
        file = self.path / FILE if self.path.is_dir() else self.path
        try:
            store = CorpusStore(file, read_only=True)
        except CorpusError as error:
            raise SourceError(f"{error}. Remedy: name the data folder of a crawl, or its {FILE}") from None
        with store:
            try:
                kept = store.stats().kept
                for number, record in enumerate(store.records(), 1):
                    self.done = min(1.0, number / max(1, kept))
                    text = record.text or ""
                    if reason := flaw(text):
                        self.skipped[reason] += 1
                        continue
                    values = {f.name: getattr(record, f.name) for f in dataclasses.fields(record) if f.name not in _NOT_FIELDS}
                    yield Document(text, record.title, record.url, values)
            except CorpusError as error:
                self._damage("damaged", str(error))
