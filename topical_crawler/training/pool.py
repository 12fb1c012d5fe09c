"""A function over many batches in several processes: results in order, and never more read ahead than the processes need."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from topical_crawler.extraction.worker import Worker, WorkerDied, WorkerLate
from topical_crawler.training import TrainingError

_T = TypeVar("_T")
_R = TypeVar("_R")
_AHEAD = 2
"""Batches in hand for each process: one at work, one ready for it."""
_PATIENCE = 900.0
"""Seconds for one batch, which takes about a tenth of one."""


def map_in_order(
    function: Callable[..., _R],
    warm_up: Callable[[], object],
    batches: Iterable[_T],
    arguments: Callable[[_T], tuple[object, ...]],
    processes: int,
) -> Generator[tuple[_T, _R], None, None]:
    """``(batch, function(*arguments(batch)))`` for each batch, in their order.

    Args:
        function: on the top level of a module, as :class:`~topical_crawler.extraction.worker.Worker` wants it; so ``warm_up``.
        batches: drawn lazily, at most ``2·processes`` ahead of the results.
        arguments: what of a batch travels to the process, by pickle.
        processes: at least 1.

    Raises:
        TrainingError: a process was killed at one batch twice, or hangs.
    """
    idle: queue.SimpleQueue[Worker[_R]] = queue.SimpleQueue()
    workers = [Worker(function, warm_up) for _ in range(processes)]
    for worker in workers:
        idle.put(worker)

    def call(batch: _T) -> _R:
        worker = idle.get()
        try:
            try:
                return worker.run(_PATIENCE, *arguments(batch))
            except WorkerDied:
                return worker.run(_PATIENCE, *arguments(batch))  # in a new process: memory may have been short for a moment only
        finally:
            idle.put(worker)

    waiting: deque[tuple[_T, Future[_R]]] = deque()
    threads = ThreadPoolExecutor(processes, thread_name_prefix="segment")
    try:
        for batch in batches:
            waiting.append((batch, threads.submit(call, batch)))
            if len(waiting) >= _AHEAD * processes:
                done, future = waiting.popleft()
                yield done, future.result()
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()
    except (WorkerDied, WorkerLate) as error:
        what = "was killed twice at one batch" if isinstance(error, WorkerDied) else f"takes over {_PATIENCE:.0f} s for one batch"
        raise TrainingError(
            f"a segmentation process {what}. Remedy: start again with fewer --processes, if memory is short; what is done is kept"
        ) from None
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.stop()
        threads.shutdown(wait=True)
        for worker in workers:
            worker.close()
