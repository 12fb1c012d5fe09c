"""Background jobs for work too slow for a page: run once, and polled until done."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Progress = Callable[[int, int], None]

_KEPT = 64  # results


class Job:
    """A background job. Once ``done`` is set, ``value`` is its result, or ``error`` its exception. ``progress`` is a pair:
    done, total.
    """

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: Any = None
        self.error: Exception | None = None
        self.progress = (0, 0)

    def note(self, done: int, total: int) -> None:
        """Set the progress. Called by the work."""
        self.progress = (done, total)


class Jobs:
    """The jobs of a workbench, two at a time. The last 64 results are kept.

    >>> jobs = Jobs()
    >>> jobs.result("支部", lambda note: 2 + 3, wait=5).value
    5
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(2, "workbench")
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()

    def result(self, key: Hashable, work: Callable[[Progress], Any], wait: float = 0.0) -> Job:
        """Return the job of a key, started if new, after waiting at most ``wait`` seconds. A failed job is restarted by the
        next call.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = Job()
                self._pool.submit(self._run, job, work)
                for old in [k for k, j in self._jobs.items() if j.done.is_set()][: max(0, len(self._jobs) - _KEPT)]:
                    del self._jobs[old]
            self._jobs.move_to_end(key)
        job.done.wait(wait)
        if job.done.is_set() and job.error is not None:
            with self._lock:
                self._jobs.pop(key, None)
        return job

    def close(self) -> None:
        """Start no more jobs."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    @staticmethod
    def _run(job: Job, work: Callable[[Progress], Any]) -> None:
        try:
            job.value = work(job.note)
        except Exception as error:
            job.error = error  # raised for the caller
        finally:
            job.done.set()
