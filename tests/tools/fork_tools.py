"""Commands, and scripts that run them, in processes that are forked from one which has imported Scrapy and the project.

A crawl of a few pages takes two seconds of processor time when Python starts anew, most of it for imports, and the tests make
some hundred. A forked process is otherwise like one that was started: it has its own files, signals and environment. So are the
commands that it starts itself, and its first workers, before it has threads; the next ones are started.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import inspect
import json
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import weakref
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, Self
from unittest import mock

from rich.live import _RefreshThread
from scrapy.utils.misc import walk_modules_iter
from wait_tools import HANGS

from topical_crawler import Page, plugins, settings, strategies, workers
from topical_crawler.cleaning.boilerplate import default_patterns
from topical_crawler.cleaning.characters import usual_han
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.extraction.extract import warm_up
from topical_crawler.meaning import encoder
from topical_crawler.strategies.semantic.url_structure import site


def _of(package: str, *names: str) -> list[str]:
    return [f"{package}.{name}" for name in names]


PRELOADED = [
    "rich._emoji_codes",
    *_of("scrapy", "cmdline", "crawler", "logformatter", "shell", "commands.parse"),
    *_of("scrapy.core.downloader.handlers", "datauri", "file", "ftp", "http11", "s3"),
    *_of("scrapy.downloadermiddlewares", "cookies", "httpcache", "httpcompression", "defaultheaders", "downloadtimeout"),
    *_of("scrapy.downloadermiddlewares", "httpauth", "httpproxy", "offsite", "retry", "stats", "useragent"),
    *_of("scrapy.extensions", "closespider", "corestats", "logcount", "memdebug", "memusage", "spiderstate", "throttle"),
    *_of("scrapy.spidermiddlewares", "depth", "metacopy", "start", "urllength"),
    *_of("topical_crawler", "cli.actions", "extensions", "middlewares", "pipelines", "scheduler", "web.shells", "commands.crawl"),
    *_of("topical_crawler.downloadermiddlewares", "archive", "documents", "redirects", "rests", "robots", "scripts"),
    *_of("topical_crawler.strategies", "adaptive.strategy", "semantic.strategy"),
    "experiments.recorded_crawls",
    "fork_tools",
]
"""Nothing here but the settings reads a variable of the environment, and none installs a reactor."""


class _Served:
    """A process that the fork server has made, with what of ``subprocess.Popen`` is used."""

    _process: ForkServerProcess
    pid: int

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):  # as subprocess.Popen: it may have ended meanwhile
            if self.returncode is None:
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("scrapy", timeout or 0.0)
        return self.returncode


class Forked(_Served):
    """A process of its own that runs what stands behind ``python`` on a command line: ``-m`` and a module, or the path of a
    script. It has what of ``subprocess.Popen`` the tests use; ``stdout`` only where its ``output`` is asked for."""

    def __init__(self, line: Sequence[str | Path], cwd: Path, environment: Mapping[str, str], *, output: bool = False) -> None:
        read, write = os.pipe()
        read_output, write_output = os.pipe() if output else (None, os.open(os.devnull, os.O_WRONLY))
        try:
            self._process = _context().Process(
                target=_run,
                args=(list(map(str, line)), cwd, dict(environment), _Passed(write_output), _Passed(write)),
                daemon=True,
            )
            self._process.start()
        finally:
            os.close(write)
            os.close(write_output)
        self.stderr = os.fdopen(read, encoding="utf-8")
        self.stdout = None if read_output is None else os.fdopen(read_output, encoding="utf-8")
        self.pid = self._process.pid or 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait(HANGS)

    def communicate(self, timeout: float = HANGS) -> tuple[str, str]:
        """What it has written by its end; after ``timeout`` seconds it is killed."""
        hangs = threading.Timer(timeout, self.kill)
        hangs.start()
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.append(self.stdout.read() if self.stdout else ""))
        reader.start()
        try:
            with self.stderr:
                log = self.stderr.read()
            reader.join()
            self.wait(timeout)
        finally:
            hangs.cancel()
        return said[0], log


def run_forked(
    line: Sequence[str | Path], cwd: Path, environment: Mapping[str, str], timeout: float = HANGS
) -> subprocess.CompletedProcess[str]:
    """``subprocess.run`` with ``capture_output``, of a process that is forked."""
    process = Forked(line, cwd, environment, output=True)
    output, log = process.communicate(timeout)
    return subprocess.CompletedProcess(line, process.wait(), output, log)


class _Passed:
    """A file descriptor that travels with the process that is started; nobody holds it should that fail."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (DupFd(self._descriptor),)


def _received(passed: Any) -> int:
    return int(passed.detach())


@functools.cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    found = os.pathsep.join(filter(None, sys.path))  # else it would not find what is of the tests, and not say so
    with mock.patch.dict(os.environ, {"PYTHONPATH": found}):
        forkserver.ensure_running()
    return context


def _run(line: list[str], cwd: Path, environment: dict[str, str], out: int, log: int, given: int | None = None) -> None:
    for target, source in enumerate((os.open(os.devnull, os.O_RDONLY) if given is None else given, out, log)):
        os.dup2(source, target)
    if given is None:  # else objects that are still there would close what has got the numbers of their files
        os.closerange(3, 1024)
    write = functools.partial(open, mode="w", encoding="utf-8", closefd=False)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = write(1, errors="surrogateescape")
    sys.stderr = sys.__stderr__ = write(2, buffering=1, errors="backslashreplace")
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    importlib.reload(settings)  # which has read variables of the environment
    plugins.found.cache_clear()  # which have been looked for in other folders
    sys.path[:0] = environment.get("PYTHONPATH", "").split(os.pathsep)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    workers.subprocess = _Workers()  # type: ignore[assignment]
    subprocess.Popen = _Popen  # type: ignore[misc]
    try:
        if line[0] == "-m":
            sys.argv = line[1:]
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(line[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = line
            sys.path.insert(0, str(Path(line[0]).resolve().parent))
            runpy.run_path(line[0], run_name="__main__")
    finally:
        atexit._run_exitfuncs()


class _Popen(subprocess.Popen[Any]):
    """Forks what is started as ``python -m``, as long as there is no reactor, which two processes cannot share, and no thread
    but that of a bar that shows progress."""

    def _execute_child(self, *values: Any) -> None:
        given = dict(zip(_GIVEN, values, strict=True))
        line = list(map(str, given["args"]))
        others = {type(thread) for thread in threading.enumerate()} - {type(threading.main_thread()), _RefreshThread}
        if line[:2] != [sys.executable, "-m"] or others or "twisted.internet.reactor" in sys.modules:
            super()._execute_child(*values)  # type: ignore[misc]
            return
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if not self.pid:
            if given["start_new_session"]:
                os.setsid()
            if given["process_group"] >= 0:
                os.setpgid(0, given["process_group"])
            weakref.finalize._registry.clear()  # folders that are not its own to remove
            stdin, *files = (given[name] if given[name] >= 0 else own for own, name in enumerate(_FILES))
            place, environment = Path(given["cwd"] or "."), dict(given["env"] or os.environ)
            arguments = (line[1:], place, environment, *files, stdin)
            os._exit(multiprocessing.get_context("fork").Process(target=_run, args=arguments)._bootstrap())
        self._child_created = True
        self._close_pipe_fds(*(given[name] for name in _PIPES))


_GIVEN = list(inspect.signature(subprocess.Popen._execute_child).parameters)[1:]  # type: ignore[attr-defined]
_FILES = ("p2cread", "c2pwrite", "errwrite")
_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


class _Workers:
    """What ``topical_crawler.workers`` uses of the module ``subprocess``. Its first processes are forked here, before there are
    threads, and wait to be told what they serve; the next ones are started as always."""

    PIPE = subprocess.PIPE

    def __init__(self, number: int = 2) -> None:
        self._idle = [_Worker() for _ in range(number)]

    def Popen(self, line: list[str], **options: Any) -> Any:
        if not self._idle:
            return subprocess.Popen(line, **options)
        return self._idle.pop().begun(line[3:])


class _Worker:
    """A process that waits; with what of ``subprocess.Popen`` is used."""

    def __init__(self) -> None:
        self.returncode: int | None = None
        (calls, self._to), (self._back, answers) = os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                os.setsid()
                os.dup2(calls, 0)
                os.dup2(answers, 1)
                for end in (calls, self._to, self._back, answers):
                    os.close(end)
                if given := sys.stdin.buffer.readline():
                    variables, (path, *target) = json.loads(given)
                    os.environ.update(variables)
                    sys.path[:] = json.loads(path)
                    workers.subprocess = subprocess
                    workers.serve(*target)
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(calls)
        os.close(answers)

    def begun(self, given: list[str]) -> Self:
        self.stdin, self.stdout = os.fdopen(self._to, "wb"), os.fdopen(self._back, "rb")
        self.stdin.write(json.dumps([dict(os.environ), given]).encode() + b"\n")
        self.stdin.flush()
        return self

    def poll(self) -> int | None:
        return self._look(os.WNOHANG)

    def wait(self) -> int | None:
        return self._look(0)

    def kill(self) -> None:  # by any thread; only the one that uses the process asks for its end
        with contextlib.suppress(ProcessLookupError):
            if self.returncode is None:
                os.kill(self.pid, signal.SIGKILL)

    def _look(self, options: int) -> int | None:
        if self.returncode is None and (found := os.waitpid(self.pid, options))[0]:
            self.returncode = os.waitstatus_to_exitcode(found[1])
        return self.returncode


class ServedWorker(_Served):
    """For ``topical_crawler.workers`` in the process of the tests, instead of the module ``subprocess``."""

    PIPE = subprocess.PIPE

    def __init__(self, line: list[str]) -> None:
        (calls, to), (back, answers) = os.pipe(), os.pipe()
        given = (line[3:], Path.cwd(), dict(os.environ), _Passed(calls), _Passed(answers))
        try:
            self._process = _context().Process(target=_serve, args=given, daemon=True)
            self._process.start()
        finally:
            os.close(calls)
            os.close(answers)
        self.stdin, self.stdout = os.fdopen(to, "wb"), os.fdopen(back, "rb")
        self.pid = self._process.pid or 0

    @classmethod
    def Popen(cls, line: list[str], **_: Any) -> Self:
        return cls(line)


def _serve(given: list[str], cwd: Path, environment: dict[str, str], calls: int, answers: int) -> None:
    os.setsid()
    os.dup2(calls, 0)
    os.dup2(answers, 1)
    os.closerange(3, 1024)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    importlib.reload(settings)
    sys.path[:] = json.loads(given[0])
    workers.serve(*given[1:])


def read_dictionaries() -> None:
    """What crawls read first, and keep."""
    from crawl_tools import make_topic

    for package in ("scrapy.commands", "topical_crawler.commands", "topical_crawler.cli"):
        list(walk_modules_iter(package))
    warm_up()
    default_patterns()
    site("http://www.example.cn/")
    usual_han()

    with tempfile.TemporaryDirectory() as folder:
        CorpusStore(Path(folder) / "corpus.sqlite").close()
        for topic in ("partybuilding", str(make_topic(Path(folder) / "topic"))):
            strategies.create(topic, "adaptive", resources=None).judge(Page("http://a.cn/", title="党建"))
    # Each crawl of a test has a cache of its own. To make the encoder's tables there anew takes a second.
    bundled = encoder.open_encoder(encoder.BUNDLED)
    encoder._bundled = lambda _: bundled  # type: ignore[assignment]


if "pytest" not in sys.modules:  # in the process that is forked
    read_dictionaries()
    gc.collect()
    gc.freeze()
