"""Work that reads much into memory: done in a process of its own, which takes the memory with it when it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from topical_crawler.services import MistakeError
from topical_crawler.workers import Worker, WorkerDied

_T = TypeVar("_T")
_DAY = 86_400.0  # seconds


def apart(function: Callable[..., _T], *args: object) -> _T:
    """Call a function at the top level of a module in another process.

    Raises:
        Exception: what the function raises.
        MistakeError: the process was ended from outside.
    """
    worker = Worker(_answer, _begin)
    try:
        value, error = worker.run(_DAY, function, args)
    except WorkerDied:
        raise MistakeError("the process that did this was ended from outside, perhaps for want of memory", 500) from None
    finally:
        worker.close()
    if error is not None:
        raise error
    return value  # type: ignore[no-any-return]


def _answer(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def _begin() -> None:
    """Nothing has to be read before the first call."""
