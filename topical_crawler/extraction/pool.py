"""Extraction in worker processes, which a page cannot hang or bring down.

Extraction takes longer than all other work on a page and holds the interpreter lock: neither event loop nor threads suit it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from topical_crawler.extraction import readers
from topical_crawler.extraction.documents import Document
from topical_crawler.extraction.extract import CRASHED, MAX_HTML, TIMED_OUT, Extracted, extract, warm_up
from topical_crawler.extraction.second import BOTH
from topical_crawler.workers import WorkerDied, WorkerLate, WorkerPool

TIMEOUT = 20.0  # seconds of processor time that one page may take: a thousand times the usual


class ExtractPool:
    """Runs :func:`extract` in worker processes, started when the first page comes.

    A page that exceeds ``timeout`` is rejected as :data:`TIMED_OUT` and its worker is replaced; one whose worker dies is rejected
    as :data:`CRASHED`; no other page is affected. Ctrl-C does not reach workers, and they end when this process is gone. For one
    event loop at a time. Raises ValueError for fewer than one worker, or a timeout that is not above 0.

    Args:
        workers: number of processes.
        timeout: seconds of processor time for one page.
        max_html: longest source, in characters.
        extractor: see :func:`extract`.
    """

    def __init__(self, workers: int, timeout: float = TIMEOUT, max_html: int = MAX_HTML, extractor: str = BOTH) -> None:
        if workers < 1 or timeout <= 0:
            raise ValueError(f"ExtractPool(workers={workers}, timeout={timeout}): give at least one worker and a timeout above 0")
        self.timeout = timeout
        self.max_html = max_html
        self.extractor = extractor
        self._pool = WorkerPool(extract, warm_up, workers, computes=True)

    async def extract(self, html: str, url: str, fetched: str = "", anchors: Sequence[str] = ()) -> Extracted:
        """Extract one page in a worker; waits while all are busy."""
        return await asyncio.get_running_loop().run_in_executor(self._pool.threads, self._run, html, url, fetched, anchors)

    def close(self) -> None:
        """Stop the workers at once; a page in work comes back as crashed. Calling it twice is harmless."""
        self._pool.close()

    def _run(self, html: str, url: str, fetched: str, anchors: Sequence[str]) -> Extracted:
        try:
            return self._pool.run(self.timeout, html, url, self.max_html, fetched, anchors, self.extractor)
        except WorkerLate:
            return Extracted(reason=TIMED_OUT)
        except WorkerDied:
            return Extracted(reason=CRASHED)


class DocumentPool:
    """Reads documents in worker processes as :class:`ExtractPool` does pages. A worker takes at most
    :data:`~topical_crawler.extraction.readers.MOST_MEMORY` of memory."""

    def __init__(self, workers: int = 1, timeout: float = TIMEOUT) -> None:
        self.timeout = timeout
        self._pool = WorkerPool(readers.read_document, readers.warm_up, workers, computes=True)

    async def read(self, body: bytes, kind: str) -> Document:
        """Read one document in a worker; waits while all are busy."""
        return await asyncio.get_running_loop().run_in_executor(self._pool.threads, self.read_now, body, kind)

    def read_now(self, body: bytes, kind: str) -> Document:
        """The same outside of an event loop."""
        try:
            return self._pool.run(self.timeout, body, kind)
        except WorkerLate:
            return Document(reason=TIMED_OUT)
        except WorkerDied:
            return Document(reason=CRASHED)

    def close(self) -> None:
        """Stop the workers at once. Calling it twice is harmless."""
        self._pool.close()
