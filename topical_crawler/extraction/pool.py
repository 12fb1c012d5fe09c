"""Extraction in worker processes that a page cannot hang or bring down.

The extractors take longer than all the rest of a page together and hold the interpreter lock, so they run neither in the event
loop nor in a thread of its process.
"""

from __future__ import annotations

import asyncio
import os

from topical_crawler.extraction import CRASHED, MAX_HTML, TIMED_OUT, TOO_LARGE, Extracted, extract, warm_up
from topical_crawler.workers import WorkerDied, WorkerLate, WorkerPool

TIMEOUT = 20.0
"""Seconds of processor time that one page may take: a thousand times the usual."""


class ExtractPool:
    """Runs :func:`extract` in worker processes, started when the first page comes.

    A page that takes longer than ``timeout`` is rejected with the reason :data:`TIMED_OUT` and its worker is replaced; a page
    whose worker dies is rejected with :data:`CRASHED`. No other page is affected. Workers are sessions of their own, so Ctrl-C
    does not reach them, and they end by themselves when this process is gone. For one event loop at a time; :meth:`close` it at
    the end.

    Args:
        workers: number of processes; None: one less than the machine's processors, at least one.
        timeout: seconds of processor time for one page.
        max_html: most characters of source.

    Raises:
        ValueError: fewer than one worker, or a timeout that is not above 0.
    """

    def __init__(self, workers: int | None = None, timeout: float = TIMEOUT, max_html: int = MAX_HTML) -> None:
        if workers is None:
            workers = max(1, (os.cpu_count() or 2) - 1)
        if workers < 1 or timeout <= 0:
            raise ValueError(f"ExtractPool(workers={workers}, timeout={timeout}): give at least one worker and a timeout above 0")
        self.timeout = timeout
        self.max_html = max_html
        self._pool = WorkerPool(extract, warm_up, workers, computes=True)

    async def extract(self, html: str, url: str, fetched: str = "") -> Extracted:
        """Extract one page in a worker; waits while all are busy."""
        if len(html) > self.max_html:
            return Extracted(reason=TOO_LARGE)
        return await asyncio.get_running_loop().run_in_executor(self._pool.threads, self._run, html, url, fetched)

    def close(self) -> None:
        """Stop the workers at once; a page still in work comes back as crashed. Calling it twice is harmless."""
        self._pool.close()

    def _run(self, html: str, url: str, fetched: str) -> Extracted:
        try:
            return self._pool.run(self.timeout, html, url, self.max_html, fetched)
        except WorkerLate:
            return Extracted(reason=TIMED_OUT)
        except WorkerDied:
            return Extracted(reason=CRASHED)
