"""Work that reads much into memory: done in a process of its own, which takes the memory with it when it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from topical_crawler.services import MistakeError
from topical_crawler.workers import Worker, WorkerDied

_T = TypeVar("_T")
_Answer = tuple[Any, Exception | None]
_DAY = 86_400.0  # seconds
_KEPT = 300.0  # seconds


class Apart:
    """Call functions in another process. It ends after ``kept`` seconds without a call: what it has read, such as a dictionary,
    serves the next call. A call that comes while the process is busy gets one of its own.

    >>> apart = Apart()
    >>> apart(str.replace, "党课", "课", "员")
    '党员'
    >>> apart.close()
    """

    def __init__(self, kept: float = _KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._idle: Worker[_Answer] | None = None
        self._end = threading.Timer(0, self.close)

    def __call__(self, function: Callable[..., _T], *args: object) -> _T:
        """Call a function at the top level of a module.

        Raises:
            Exception: what the function raises.
            MistakeError: the process was ended from outside.
        """
        worker = self._swap(None) or Worker(_answer, _begin)
        try:
            value, error = worker.run(_DAY, function, args)
        except WorkerDied:
            worker.close()
            raise MistakeError("the process that did this was ended from outside, perhaps for want of memory", 500) from None
        except BaseException:
            worker.close()
            raise
        if (other := self._swap(worker)) is not None:
            other.close()
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    def _swap(self, worker: Worker[_Answer] | None) -> Worker[_Answer] | None:
        """Return the process that waits, in whose place ``worker`` waits from now."""
        with self._lock:
            self._end.cancel()
            if worker is not None:
                self._end = threading.Timer(self._kept, self.close)
                self._end.daemon = True
                self._end.start()
            found, self._idle = self._idle, worker
            return found

    def close(self) -> None:
        """End the process that waits."""
        if (worker := self._swap(None)) is not None:
            worker.close()


def _answer(function: Callable[..., Any], args: tuple[Any, ...]) -> _Answer:
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def _begin() -> None:
    """Nothing has to be read before the first call."""
