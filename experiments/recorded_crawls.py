"""The crawls of an experiment: ``scrapy crawl topical`` in processes of their own, on one recorded web.

Their folders are kept, so an interrupted experiment resumes. ``experiment.json`` beside them says what they were made from;
crawls made from anything else are refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from topical_crawler import __version__
from topical_crawler.corpus.record import CorpusError
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.files import replacing
from topical_crawler.recordings.reader import recorded_files
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic

# -- One process


class CrawlProcess:
    """``scrapy crawl topical`` as a child of this process, started when this is made.

    Args:
        arguments: ``NAME=VALUE`` each, of the spider.
        settings: ``NAME=VALUE`` each; of one given twice, the last counts.
        log: file that its output is appended to.

    Attributes:
        log: as given.
        cpu_seconds: of the process and of the children it waited for (extraction workers); 0 until it has ended.
        peak_mb: peak memory of the largest of them, in MiB; 0 until it has ended.
    """

    def __init__(self, arguments: Sequence[str], settings: Sequence[str], log: Path) -> None:
        self.log = log
        self.cpu_seconds = 0.0
        self.peak_mb = 0.0
        command = [sys.executable, "-m", "scrapy", "crawl", "topical"]
        for flag, values in (("-a", arguments), ("-s", settings)):
            command += [part for value in values for part in (flag, value)]
        with log.open("ab") as out:
            self._before = out.tell()
            # A group of its own: Ctrl-C reaches this process only, which then asks each crawl once to stop.
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, process_group=0)

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._reap(os.WNOHANG)

    def interrupt(self) -> None:
        """Ask it to stop gracefully."""
        if self.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def wait(self) -> None:
        """Until it has ended."""
        self._reap(0)

    def output(self) -> str:
        """What it has added to the log."""
        with self.log.open("rb") as file:
            file.seek(self._before)
            return file.read().decode("utf-8", "replace")

    def _reap(self, options: int) -> int | None:
        if self._process.returncode is None:
            # Not through Popen, which does not ask what the process took. On Linux and macOS this holds its children's part, too.
            ended, status, usage = os.wait4(self._process.pid, options)
            if ended:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_seconds = usage.ru_utime + usage.ru_stime
                self.peak_mb = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        return self._process.returncode


# -- What crawls were made from


def claim(folder: Path, web: Path | Sequence[Path], settings: Sequence[str], made_of: Mapping[str, Any]) -> None:
    """Write ``folder/experiment.json``; ``folder`` is made where it does not exist.

    Args:
        folder: holds the crawls, ``<name>/data`` each.
        web: the WARC files that answer.
        settings: of every crawl.
        made_of: JSON data by name: what else crawls are made of. A name that is new is added to those known.

    Raises:
        ValueError: there are crawls already for which one of these was something else.
    """
    files = [(path.name, path.stat()) for path in recorded_files(web)]
    wanted = {
        **made_of,
        "web": [{"name": name, "bytes": status.st_size, "changed": status.st_mtime_ns} for name, status in files],
        "settings": list(settings),
        "version": __version__,
    }
    file = folder / "experiment.json"
    known: dict[str, Any] = {}
    if any(folder.glob("*/data/corpus.sqlite")):
        known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else dict.fromkeys(wanted)
    if changed := [name for name in wanted if name in known and known[name] != wanted[name]]:
        raise ValueError(
            f"{folder} holds crawls that differ in {', '.join(changed)}, which cannot be held against new ones. "
            f"Remedy: choose another --out, or delete {folder}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(file) as out:
        json.dump({**known, **wanted}, out, ensure_ascii=False, indent=1)


def topic_digest(topic: Topic) -> dict[str, str]:
    """What a topic's folder holds: the SHA-256 of every file by its name.

    Raises:
        TopicError: the topic lies inside an archive.
    """
    folder = Path(topic.source)
    if not folder.is_dir():
        raise TopicError(f"{folder} is inside an archive. Remedy: give the path of a topic folder")
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(folder.iterdir()) if f.is_file()}


# -- All crawls of an experiment


_LOOK_EVERY = 2.0
"""Seconds between two updates of the display."""


class CrawlFailed(ValueError):
    """A crawl ended early; the message names its log."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A crawl to make.

    Attributes:
        name: of its folder.
        arguments: of the spider (``-a``): topic, strategy, seeds; the number of pages is added.
        settings: of this crawl alone (``-s``).
        title: shown to people; "": its name.
    """

    name: str
    arguments: Mapping[str, str]
    settings: Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    @property
    def called(self) -> str:
        """Title, else name."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU time and memory of a crawl, summed over its parts where it was interrupted or lengthened.

    Attributes:
        pages: fetched while this was measured.
        cpu_seconds: of the crawl and of the processes that it started (extraction), their starts included.
        peak_mb: peak memory of the largest of these processes, in MiB.
    """

    pages: int = 0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0


@dataclass(frozen=True, slots=True)
class _Running:
    """A crawl under way: its process, which went on from ``before`` pages, and its bar in the display."""

    crawl: Planned
    process: CrawlProcess
    before: int
    task: TaskID


class RecordedCrawls:
    """Crawls of one recorded web, kept in ``folder``: ``<name>/data`` is a crawl, ``<name>/log`` what it said.

    A crawl with one request in flight goes the same way whatever its number of pages, and goes on where it stopped: so the crawls
    serve every budget up to the pages they have, and are lengthened for a greater one.

    Args:
        folder: made where it does not exist.
        web: the WARC files that answer.
        settings: ``NAME=VALUE`` for every crawl.
        made_of: JSON data by name: what else these crawls are made of (topics, start URLs).

    Raises:
        ValueError: ``folder`` holds crawls that were made otherwise.
    """

    def __init__(self, folder: Path, web: Path | Sequence[Path], settings: Sequence[str], made_of: Mapping[str, Any]) -> None:
        self._folder = folder
        self._web = recorded_files(web)
        self._settings = settings
        claim(folder, web, settings, made_of)

    def place(self, name: str) -> Path:
        """The folder of a crawl."""
        return self._folder / name

    def data_dir(self, name: str) -> Path:
        """The data folder of a crawl."""
        return self.place(name) / "data"

    def usage(self, name: str) -> Usage:
        """CPU time and memory of a crawl so far."""
        file = self.place(name) / "usage.json"
        return Usage(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else Usage()

    def run(self, planned: Sequence[Planned], pages: int, processes: int, console: Console) -> None:
        """Make the crawls that are not there yet, ``processes`` of them at a time, until each has ``pages`` pages or nothing left
        to fetch. Interrupted, it stops them gracefully.

        Raises:
            CrawlFailed: one of them ended early.
        """
        waiting = deque(p for p in planned if not self._has(p.name, pages))
        if done := len(planned) - len(waiting):
            console.print(f"{done} of {len(planned)} crawls are there already", highlight=False)
        running: list[_Running] = []
        with _display(console) as display:
            ended, overall = 0, display.add_task("all crawls", total=pages * len(waiting), visible=len(waiting) > 1)
            try:
                while waiting or running:
                    while waiting and len(running) < processes and self._tables_are_there(running):
                        crawl = waiting.popleft()
                        task = display.add_task(escape(crawl.called), total=pages)
                        running.append(_Running(crawl, self._start(crawl, pages), self._fetched(crawl.name), task))
                    _wait(running)
                    under_way = 0
                    for one in list(running):
                        has_ended, fetched = one.process.poll() is not None, self._fetched(one.crawl.name)
                        display.update(one.task, completed=fetched)
                        if not has_ended:
                            under_way += fetched
                            continue
                        running.remove(one)
                        self._note_usage(one)
                        self._finish(one, pages)
                        ended += 1
                        display.remove_task(one.task)
                        console.print(self._line(one.crawl), highlight=False, markup=False, soft_wrap=True)
                    display.update(overall, completed=ended * pages + under_way)
            finally:
                for one in running:
                    one.process.interrupt()
                for one in running:
                    one.process.wait()
                    self._note_usage(one)

    def _start(self, crawl: Planned, pages: int) -> CrawlProcess:
        place = self.place(crawl.name)
        place.mkdir(parents=True, exist_ok=True)
        always = {
            "TOPICAL_REPLAY": ",".join(map(str, self._web)),
            "TOPICAL_DATA_DIR": str(place / "data"),
            "TOPICAL_CORPUS": "",
            "TOPICAL_FRONTIER": "sqlite",
            "TOPICAL_DISPLAY": "off",
            "LOG_ENABLED": "1",
            "LOG_LEVEL": "INFO",
            "LOG_FILE": "",
        }
        settings = [*self._settings, *_pairs(crawl.settings), *_pairs(always)]
        return CrawlProcess(_pairs({**crawl.arguments, "pages": str(pages)}), settings, place / "log")

    def _tables_are_there(self, running: Sequence[_Running]) -> bool:
        """Whether a further crawl finds the tables made that it may share with those running: they make them before they open
        their corpora."""
        return all((self.data_dir(one.crawl.name) / "corpus.sqlite").exists() for one in running)

    def _finish(self, one: _Running, pages: int) -> None:
        code, output = one.process.poll(), one.process.output()
        if code or re.findall(r"Spider closed \((.*)\)", output)[-1:] != ["finished"]:
            last = output.strip().splitlines()[-1:] or ["it said nothing"]
            raise CrawlFailed(f"the crawl {one.crawl.called} ended with code {code}: {last[0]}. Its log is {one.process.log}")
        _write(self.place(one.crawl.name) / "finished.json", {"pages": pages, "fetched": self._fetched(one.crawl.name)})

    def _has(self, name: str, pages: int) -> bool:
        """Whether the crawl has ``pages`` pages, or had come to its end before."""
        file = self.place(name) / "finished.json"
        if not file.is_file():
            return False
        done = json.loads(file.read_text(encoding="utf-8"))
        return bool(done["pages"] >= pages or done["fetched"] < done["pages"])

    def _fetched(self, name: str) -> int:
        try:
            with CorpusStore(self.data_dir(name) / "corpus.sqlite", read_only=True) as store:
                stats = store.stats()
        except CorpusError:  # not there yet
            return 0
        return stats.fetched

    def _note_usage(self, one: _Running) -> None:
        """Add what a process took that has ended; one that fetched nothing (it failed at once) is left out."""
        name, process = one.crawl.name, one.process
        if (pages := self._fetched(name) - one.before) > 0:
            so_far = self.usage(name)
            cpu, peak = so_far.cpu_seconds + process.cpu_seconds, max(so_far.peak_mb, process.peak_mb)
            _write(self.place(name) / "usage.json", asdict(Usage(so_far.pages + pages, round(cpu, 3), round(peak, 1))))

    def _line(self, crawl: Planned) -> str:
        usage = self.usage(crawl.name)
        pages = self._fetched(crawl.name)
        return f"{crawl.called}: {pages} pages, {usage.cpu_seconds:.1f} CPU seconds, {usage.peak_mb:.0f} MB"


def _display(console: Console) -> Progress:
    bars = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*bars, TimeElapsedColumn(), TimeRemainingColumn(), console=console)


def _wait(running: Sequence[_Running]) -> None:
    """Wait until a crawl has ended or the display is due."""
    until = time.monotonic() + _LOOK_EVERY
    while time.monotonic() < until and all(one.process.poll() is None for one in running):
        time.sleep(0.05)


def _pairs(values: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in values.items()]


def _write(file: Path, data: Mapping[str, Any]) -> None:
    with replacing(file) as out:
        json.dump(data, out, ensure_ascii=False, indent=1)
