"""Pools of worker processes for extraction, safe from pages that hang or crash it.

Extraction dominates the work on a page and holds the interpreter lock, so neither the event loop nor threads suit it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from topical_crawler.extraction import readers
from topical_crawler.extraction.documents import Document
from topical_crawler.extraction.extract import CRASHED, MAX_HTML, TIMED_OUT, Extracted, extract, warm_up
from topical_crawler.extraction.second import BOTH
from topical_crawler.workers import WorkerDied, WorkerLate, WorkerPool

TIMEOUT = 20.0  # seconds of processor time for one page: a thousand times the usual


class ExtractPool:
    """Pool of worker processes running :func:`extract`, started with the first page.

    A page exceeding ``timeout`` is rejected as :data:`TIMED_OUT` and its worker is replaced. A page killing its worker is
    rejected as :data:`CRASHED`. Other pages are unaffected. Workers ignore Ctrl-C and end with this process. Use a pool in one
    event loop at a time.

    Args:
        workers: number of processes.
        timeout: seconds of processor time for one page.
        max_html: longest source, in characters.
        extractor: see :func:`extract`.

    Raises:
        ValueError: ``workers`` < 1 or ``timeout`` ≤ 0.
    """

    def __init__(self, workers: int, timeout: float = TIMEOUT, max_html: int = MAX_HTML, extractor: str = BOTH) -> None:
        if workers < 1 or timeout <= 0:
            raise ValueError(f"ExtractPool(workers={workers}, timeout={timeout}): give at least one worker and a timeout above 0")
        self.timeout = timeout
        self.max_html = max_html
        self.extractor = extractor
        self._pool = WorkerPool(extract, warm_up, workers, computes=True)

    async def extract(self, html: str, url: str, fetched: str = "", anchors: Sequence[str] = ()) -> Extracted:
        """Extract one page in a worker. Wait while all are busy."""
        return await asyncio.get_running_loop().run_in_executor(self._pool.threads, self._run, html, url, fetched, anchors)

    def close(self) -> None:
        """Stop the workers at once, rejecting pages in progress as crashed. Idempotent."""
        self._pool.close()

    def _run(self, html: str, url: str, fetched: str, anchors: Sequence[str]) -> Extracted:
        try:
            return self._pool.run(self.timeout, html, url, self.max_html, fetched, anchors, self.extractor)
        except WorkerLate:
            return Extracted(reason=TIMED_OUT)
        except WorkerDied:
            return Extracted(reason=CRASHED)


class DocumentPool:
    """Pool of worker processes reading documents, like :class:`ExtractPool` for pages.

    A worker takes at most :data:`~topical_crawler.extraction.readers.MOST_MEMORY` bytes of memory.
    """

    def __init__(self, workers: int = 1, timeout: float = TIMEOUT) -> None:
        self.timeout = timeout
        self._pool = WorkerPool(readers.read_document, readers.warm_up, workers, computes=True)

    async def read(self, body: bytes, kind: str) -> Document:
        """Read one document in a worker. Wait while all are busy."""
        return await asyncio.get_running_loop().run_in_executor(self._pool.threads, self.read_now, body, kind)

    def read_now(self, body: bytes, kind: str) -> Document:
        """Read one document in a worker, blocking the calling thread."""
        try:
            return self._pool.run(self.timeout, body, kind)
        except WorkerLate:
            return Document(reason=TIMED_OUT)
        except WorkerDied:
            return Document(reason=CRASHED)

    def close(self) -> None:
        """Stop the workers at once. Idempotent."""
        self._pool.close()
