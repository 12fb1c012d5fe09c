"""Work that takes longer than a page may: done once, in the background, and asked for until it is done."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Progress = Callable[[int, int], None]

_KEPT = 64  # results


class Job:
    """A piece of work. ``value`` is its result once ``done`` is set, unless ``error`` has what it raised; ``progress`` says how
    much is done of how much."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: Any = None
        self.error: Exception | None = None
        self.progress = (0, 0)

    def note(self, done: int, total: int) -> None:
        """To be called from the work."""
        self.progress = (done, total)


class Jobs:
    """The work of a workbench, two pieces at a time; the last 64 results are kept.

    >>> jobs = Jobs()
    >>> jobs.result("支部", lambda note: 2 + 3, wait=5).value
    5
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(2, "workbench")
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()

    def result(self, key: Hashable, work: Callable[[Progress], Any], wait: float = 0.0) -> Job:
        """The job of this key, begun if it is new, after at most ``wait`` seconds. One that failed is begun anew next time."""
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
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    @staticmethod
    def _run(job: Job, work: Callable[[Progress], Any]) -> None:
        try:
            job.value = work(job.note)
        except Exception as error:
            job.error = error  # told to whoever asked
        finally:
            job.done.set()
