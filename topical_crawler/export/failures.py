"""What went wrong with an export."""

from __future__ import annotations

from topical_crawler.corpus.failures import CorpusError


class ExportError(CorpusError):
    """A corpus cannot be written out as asked; the message says why and what to do."""
