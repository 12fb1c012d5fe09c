"""Child processes for repeated calls of one function, killable during a call.

The pools of ``concurrent.futures`` and ``pebble`` shut down when an idle worker is killed, as by the kernel on low memory.
``multiprocessing`` runs the caller's main module again in every child.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, Generic, TypeVar

_T = TypeVar("_T")
_CHILD = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from topical_crawler.workers import serve
serve(*sys.argv[2:])
"""


class WorkerDied(Exception):
    """The process ended before answering."""


class WorkerLate(Exception):
    """The process exceeded its time-out and was killed."""


_HAS_TIMERS = hasattr(signal, "setitimer")
_SMALLEST_SHARE = 0.1  # least processor share of a child: the wall clock limit is the processor time limit divided by it


class Worker(Generic[_T]):
    """One child process, started by the first call and replaced if it died. Used by one thread at a time, stopped by any.

    The child has its own session, so Ctrl-C does not reach it, and ends with this process.

    Args:
        function: at the top level of a module. Arguments and result are pickled.
        warm_up: of the same module, called once before the first call, outside any time-out.
        computes: True if the function never waits. Its time-out is then processor time, independent of the machine's load. On
            Windows, without such a timer, it is still wall clock time.
    """

    def __init__(self, function: Callable[..., _T], warm_up: Callable[[], object], *, computes: bool = False) -> None:
        self._target = (function.__module__, function.__name__, warm_up.__name__)
        self._computes = computes and _HAS_TIMERS
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopped = False
        self._busy = False
        self._late = False

    def run(self, timeout: float, *args: object) -> _T:
        """Call the function with ``args`` in the child and return its result, waiting ``timeout`` seconds at most.

        Raises:
            WorkerLate: the call took longer.
            WorkerDied: the process was killed or crashed, or the worker was stopped.
            RuntimeError: the process cannot be started.
        """
        processor_time, timeout = (timeout, timeout / _SMALLEST_SHARE) if self._computes else (0.0, timeout)
        process = self._ready()
        stdin, stdout = _pipes(process)
        with self._lock:
            self._busy, self._late = True, False
        timer = None if _HAS_TIMERS else threading.Timer(timeout, self._give_up)
        if timer is not None:
            timer.start()
        try:
            _write(stdin, (timeout, processor_time, args))
            answer: _T = _read(stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            _end(process)
            late = self._late or (_HAS_TIMERS and process.returncode in (-signal.SIGPROF, -signal.SIGALRM))
            raise (WorkerLate if late else WorkerDied) from None
        finally:
            if timer is not None:
                timer.cancel()
            with self._lock:
                self._busy = False
        if self._late:  # answer and time-out coincided: keep the answer, reap the process
            _end(process)
        return answer

    def stop(self) -> None:
        """Kill the process. A running call raises :class:`WorkerDied`, and so does every later one."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Stop and reap the process, once no thread uses the worker any more."""
        self.stop()
        if self._process is not None:
            _end(self._process)

    def _give_up(self) -> None:
        with self._lock:
            if self._busy and self._process is not None:
                self._late = True
                self._process.kill()

    def _ready(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise WorkerDied
            if self._process is not None:
                if self._process.poll() is None:
                    return self._process
                _end(self._process)
            self._process = process = subprocess.Popen(
                [sys.executable, "-c", _CHILD, json.dumps(sys.path), *self._target],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        try:
            _read(_pipes(process)[1])  # sent after the imports, so that they do not count towards a time-out
        except (OSError, EOFError, pickle.UnpicklingError):
            if self._stopped:
                raise WorkerDied from None
            raise RuntimeError(
                f"a worker for {'.'.join(self._target[:2])} did not start (exit code {process.wait()}, its message is above): "
                f"check that {sys.executable} can import {self._target[0]}"
            ) from None
        return process


class WorkerPool(Generic[_T]):
    """Workers for one function, and as many ``threads`` to wait for their answers. Arguments as for :class:`Worker`."""

    def __init__(
        self, function: Callable[..., _T], warm_up: Callable[[], object], number: int, *, computes: bool = False
    ) -> None:
        self._workers = [Worker(function, warm_up, computes=computes) for _ in range(number)]
        self._idle: queue.SimpleQueue[Worker[_T]] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self.threads = ThreadPoolExecutor(number, thread_name_prefix=function.__name__)
        all_run = threading.Barrier(number)
        for _ in range(number):  # start them now: a later one without memory would wait forever
            self.threads.submit(all_run.wait, 60)

    def run(self, timeout: float, *args: object) -> _T:
        """Call :meth:`Worker.run` on an idle worker, waiting for one if all are busy."""
        worker = self._idle.get()
        try:
            return worker.run(timeout, *args)
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """Stop the workers at once. Running calls raise :class:`WorkerDied`. Idempotent."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.stop()
        self.threads.shutdown(wait=True)
        for worker in self._workers:
            worker.close()


def serve(module: str, name: str, warm_up: str) -> None:
    """Serve calls in the child: requests come on standard input, answers go to the original standard output. End with the
    parent.
    """
    for group_signal in (signal.SIGINT, signal.SIGTERM):  # also sent to the crawl, which needs its children to shut down cleanly
        signal.signal(group_signal, signal.SIG_IGN)
    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep any library output out of the answers
    function = getattr(importlib.import_module(module), name)
    getattr(importlib.import_module(module), warm_up)()
    try:
        _write(answers, "ready")
        _answer(function, answers)
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):  # the parent is gone, perhaps during a call
        os._exit(0)  # without flushing to a closed pipe


def _answer(function: Callable[..., object], answers: IO[bytes]) -> None:
    while True:
        timeout, processor_time, args = _read(sys.stdin.buffer)
        if _HAS_TIMERS:  # their signals end this process; a timer thread in the parent might lack memory
            signal.setitimer(signal.ITIMER_PROF, processor_time)
            signal.setitimer(signal.ITIMER_REAL, timeout)
        answer = function(*args)
        if _HAS_TIMERS:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        _write(answers, answer)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None and process.stdout is not None
    return process.stdin, process.stdout


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in _pipes(process):
        with contextlib.suppress(OSError):  # the buffer still holds a half-written call
            pipe.close()


def _write(pipe: IO[bytes], message: object) -> None:
    pickle.dump(message, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _read(pipe: IO[bytes]) -> Any:
    return pickle.load(pipe)  # noqa: S301 - the other end is our own process
