"""Scrapy commands, and scripts that run them, in processes that are forked from one which has imported Scrapy and the project.

A crawl of a few pages takes two seconds of processor time when Python starts anew, most of it for imports, and the tests make
more than a hundred. A forked process is otherwise like one that was started: it has its own files, signals and environment. The
first process that extracts its texts is forked, too, before it has threads; the next ones are started.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any
from unittest import mock

from scrapy.utils.misc import walk_modules_iter
from wait_tools import HANGS

from topical_crawler import Page, strategies, workers
from topical_crawler.cleaning.boilerplate import default_patterns
from topical_crawler.strategies.relevancy.url_structure import site

PRELOADED = [
    "scrapy.cmdline",
    "scrapy.crawler",
    "scrapy.shell",
    "scrapy.commands.parse",
    "scrapy.core.downloader.handlers.file",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.downloadermiddlewares.cookies",
    "scrapy.downloadermiddlewares.httpcache",
    "scrapy.downloadermiddlewares.httpcompression",
    "scrapy.extensions.memusage",
    "topical_crawler.cli.actions",
    "topical_crawler.extensions",
    "topical_crawler.middlewares",
    "topical_crawler.pipelines",
    "topical_crawler.scheduler",
    "topical_crawler.strategies.adaptive.strategy",
    "topical_crawler.strategies.semantic.strategy",
    "topical_crawler.web.shells",
    "topical_crawler.commands.crawl",
    "fork_tools",
]
"""Nothing here reads a variable of the environment, and none installs a reactor."""


class Forked:
    """A process of its own that runs a command line of Scrapy, or one that begins with the path of a script. It has what of
    ``subprocess.Popen`` the tests use."""

    def __init__(self, line: list[str], cwd: Path, environment: Mapping[str, str]) -> None:
        read, write = os.pipe()
        try:
            self._process: ForkServerProcess = _context().Process(
                target=_run, args=(line, cwd, dict(environment), _Passed(write)), daemon=True
            )
            self._process.start()
        finally:
            os.close(write)
        self.stderr = os.fdopen(read, encoding="utf-8")
        self.pid = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("scrapy", timeout or 0.0)
        return self.returncode

    def communicate(self, timeout: float = HANGS) -> tuple[None, str]:
        """What it has written by its end; after ``timeout`` seconds it is killed."""
        hangs = threading.Timer(timeout, self.kill)
        hangs.start()
        try:
            with self.stderr:
                log = self.stderr.read()
            self.wait(timeout)
        finally:
            hangs.cancel()
        return None, log


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


def _run(line: list[str], cwd: Path, environment: dict[str, str], log: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for source, target in ((log, 2), (nothing, 0), (nothing, 1)):
        os.dup2(source, target)
    os.closerange(3, 1024)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1, encoding="utf-8")  # noqa: SIM115
    sys.__stderr__ = sys.stderr
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = environment.get("PYTHONPATH", "").split(os.pathsep)
    script = line[0].endswith(".py")
    sys.argv = line if script else ["scrapy", *line]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from scrapy.cmdline import execute

    workers.subprocess = _Extractor()  # type: ignore[assignment]
    try:
        if script:
            runpy.run_path(line[0], run_name="__main__")
        else:
            execute()
    finally:
        atexit._run_exitfuncs()


class _Extractor:
    """The process that extracts texts, with what of the module ``subprocess`` and of its ``Popen`` a worker uses. Any other
    process, and each after the first, is started as always."""

    PIPE = subprocess.PIPE

    def __init__(self) -> None:
        self.returncode: int | None = None
        self._taken = False
        (calls, to), (back, answers) = os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                os.setsid()
                os.dup2(calls, 0)
                os.dup2(answers, 1)
                os.closerange(3, 1024)
                workers.serve(*_EXTRACTS)
            finally:
                os._exit(1)
        os.close(calls)
        os.close(answers)
        self.stdin, self.stdout = os.fdopen(to, "wb"), os.fdopen(back, "rb")

    def Popen(self, line: list[str], **options: Any) -> Any:
        if self._taken or tuple(line[-3:]) != _EXTRACTS:
            return subprocess.Popen(line, **options)
        self._taken = True
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


_EXTRACTS = ("topical_crawler.extraction", "extract", "warm_up")


def read_dictionaries() -> None:
    """What crawls read first, and keep."""
    from crawl_tools import make_topic

    for package in ("scrapy.commands", "topical_crawler.commands"):
        list(walk_modules_iter(package))
    default_patterns()
    site("http://www.example.cn/")

    with tempfile.TemporaryDirectory() as folder:
        for topic in ("partybuilding", str(make_topic(Path(folder) / "topic"))):
            strategies.create(topic, "adaptive", resources=None).judge(Page("http://a.cn/", title="党建"))


if "pytest" not in sys.modules:  # in the process that is forked
    read_dictionaries()
    gc.collect()
    gc.freeze()
