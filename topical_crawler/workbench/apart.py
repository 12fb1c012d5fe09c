"""Memory-hungry work in a separate process, to free its memory with the process."""

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
    """Caller of functions in another process.

    The process ends after ``kept`` idle seconds, so the next call can reuse loaded data, such as a dictionary. A call during
    another one gets its own process.

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
            Exception: as raised by the function.
            MistakeError: the process was killed from outside.
        """
        worker = self._swap(None) or Worker(_answer, _begin)
        try:
            value, error = worker.run(_DAY, function, args)
        except WorkerDied:
            worker.close()
            raise MistakeError("this process was killed from outside, perhaps for lack of memory", 500) from None
        except BaseException:
            worker.close()
            raise
        if (other := self._swap(worker)) is not None:
            other.close()
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    def _swap(self, worker: Worker[_Answer] | None) -> Worker[_Answer] | None:
        """Return the idle process and leave ``worker`` in its place."""
        with self._lock:
            self._end.cancel()
            if worker is not None:
                self._end = threading.Timer(self._kept, self.close)
                self._end.daemon = True
                self._end.start()
            found, self._idle = self._idle, worker
            return found

    def close(self) -> None:
        """End the idle process."""
        if (worker := self._swap(None)) is not None:
            worker.close()


def _answer(function: Callable[..., Any], args: tuple[Any, ...]) -> _Answer:
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def _begin() -> None:
    """Do nothing: there is nothing to load before the first call."""
