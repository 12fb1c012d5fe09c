"""The crawls of Figure 2: one for every threshold, each a ``scrapy crawl topical`` of its own in a folder that is kept."""

from __future__ import annotations

import hashlib
import json
import re
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from topical_crawler import __version__
from topical_crawler.corpus.export import replacing
from topical_crawler.corpus.schema import CorpusError
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl import REDIRECTED
from topical_crawler.topic import TopicError, load_topic, read_seeds
from topical_crawler.topic_files import read_config

_LOOK_EVERY = 2.0
"""Seconds between two looks at how far the crawls are."""


class CrawlFailed(ValueError):
    """A crawl ended before its time; the message names its log."""


class ThresholdCrawls:
    """Crawls of one recorded web that differ in their threshold only, kept in ``folder``: ``<threshold>/<topic>`` is a copy of
    the topic with that threshold, ``<threshold>/data`` the crawl, ``<threshold>/log`` what it said.

    A crawl with one request in flight goes the same way whatever its number of pages, and goes on where it stopped: so the crawls
    serve every budget up to the pages they have, and are lengthened for a greater one.

    Args:
        folder: made where it does not exist.
        topic: name or path.
        web: a WARC file.
        seeds: a file of URLs; None: the topic's.
        settings: ``NAME=VALUE`` for every crawl.

    Raises:
        TopicError: the topic or the seeds cannot be read.
        ValueError: ``folder`` holds crawls that were made otherwise.
    """

    def __init__(self, folder: Path, topic: str, web: Path, seeds: Path | None, settings: Sequence[str]) -> None:
        self.topic = load_topic(topic)
        self._folder = folder
        self._web = web
        self._seeds = seeds
        self._settings = settings
        self._source = Path(self.topic.source)
        if not self._source.is_dir():
            raise TopicError(f"{self._source} is inside an archive. Remedy: give the path of a topic folder")
        self._claim()

    def data_dir(self, threshold: float) -> Path:
        """Where the crawl with that threshold lies."""
        return self._folder / f"{threshold:g}" / "data"

    def run(self, thresholds: Sequence[float], pages: int, processes: int, console: Console) -> None:
        """Make the crawls that are not there yet, ``processes`` of them at a time, until each has ``pages`` pages or has come to
        its end. Interrupted, it stops them in good order.

        Raises:
            CrawlFailed: one of them ended before its time.
        """
        waiting = deque(t for t in thresholds if not self._has(t, pages))
        if done := len(thresholds) - len(waiting):
            console.print(f"{done} of {len(thresholds)} crawls are there already", highlight=False)
        running: dict[float, tuple[subprocess.Popen[bytes], TaskID]] = {}
        columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console) as display:
            try:
                while waiting or running:
                    while waiting and len(running) < processes and self._table_is_there(running):
                        threshold = waiting.popleft()
                        task = display.add_task(f"threshold {threshold:g}", total=pages)
                        running[threshold] = self._start(threshold, pages), task
                    self._wait(running)
                    for threshold, (process, task) in list(running.items()):
                        display.update(task, completed=self._fetched(threshold))
                        if process.poll() is not None:
                            del running[threshold]
                            self._finish(threshold, pages, process.returncode)
                            display.stop_task(task)
            finally:
                for process, _ in running.values():
                    process.send_signal(signal.SIGINT)
                for process, _ in running.values():
                    process.wait()

    def _start(self, threshold: float, pages: int) -> subprocess.Popen[bytes]:
        place = self._folder / f"{threshold:g}"
        self._copy_topic(place / self.topic.name, threshold)
        arguments = {"topic": f"{place / self.topic.name}/", "strategy": "semantic", "pages": str(pages)}
        if self._seeds is not None:
            arguments["seeds"] = str(self._seeds)
        settings = {
            "TOPICAL_REPLAY": str(self._web),
            "TOPICAL_DATA_DIR": str(place / "data"),
            "TOPICAL_CORPUS": "",
            "TOPICAL_FRONTIER": "sqlite",
            "TOPICAL_DISPLAY": "off",
            "CONCURRENT_REQUESTS": "1",  # more in flight, and the order of pages would depend on the machine
            "LOG_ENABLED": "1",
            "LOG_LEVEL": "INFO",
            "LOG_FILE": "",
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "topical"]
        for flag, values in (
            ("-a", [f"{k}={v}" for k, v in arguments.items()]),
            ("-s", [*self._settings, *(f"{k}={v}" for k, v in settings.items())]),
        ):
            command += [part for value in values for part in (flag, value)]
        with (place / "log").open("ab") as log:
            # A group of its own: Ctrl-C reaches this process only, which then asks each crawl once to stop.
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0)

    def _wait(self, running: Mapping[float, tuple[subprocess.Popen[bytes], TaskID]]) -> None:
        """Until a crawl has ended, or it is time for a look."""
        until = time.monotonic() + _LOOK_EVERY
        while time.monotonic() < until and all(process.poll() is None for process, _ in running.values()):
            time.sleep(0.05)

    def _table_is_there(self, running: Mapping[float, object]) -> bool:
        """Whether a further crawl finds the topic's score table, which the first one makes before it opens its corpus."""
        return not running or any((self.data_dir(t) / "corpus.sqlite").exists() for t in running)

    def _finish(self, threshold: float, pages: int, code: int) -> None:
        log = self._folder / f"{threshold:g}" / "log"
        said = log.read_text(encoding="utf-8", errors="replace")
        if code or re.findall(r"Spider closed \((.*)\)", said)[-1:] != ["finished"]:
            last = said.strip().splitlines()[-1:] or ["it said nothing"]
            raise CrawlFailed(f"the crawl with threshold {threshold:g} ended with code {code}: {last[0]}. Its log is {log}")
        with replacing(log.with_name("finished.json")) as out:
            json.dump({"pages": pages, "fetched": self._fetched(threshold)}, out)

    def _has(self, threshold: float, pages: int) -> bool:
        """Whether the crawl has ``pages`` pages, or had come to its end before."""
        file = self._folder / f"{threshold:g}" / "finished.json"
        if not file.is_file():
            return False
        done = json.loads(file.read_text(encoding="utf-8"))
        return bool(done["pages"] >= pages or done["fetched"] < done["pages"])

    def _fetched(self, threshold: float) -> int:
        try:
            with CorpusStore(self.data_dir(threshold) / "corpus.sqlite", read_only=True) as store:
                stats = store.stats()
        except CorpusError:  # not there yet
            return 0
        return stats.fetched - stats.rejected.get(REDIRECTED, 0)

    def _copy_topic(self, folder: Path, threshold: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for file in self._source.iterdir():
            if file.is_file() and file.name != "topic.toml":
                (folder / file.name).write_bytes(file.read_bytes())
        config = read_config(self._source / "topic.toml")
        strategy = config.get("strategy", {})
        config["strategy"] = {**strategy, "semantic": {**strategy.get("semantic", {}), "link_threshold": threshold}}
        lines = [f"{_toml(key)} = {_toml(value)}\n" for key, value in config.items()]
        (folder / "topic.toml").write_text("".join(lines), encoding="utf-8")

    def _claim(self) -> None:
        """Write down what the crawls here have in common; refuse a folder whose crawls have something else in common."""
        web = self._web.stat()
        wanted = {
            "topic": {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(self._source.iterdir()) if f.is_file()},
            "web": {"name": self._web.name, "bytes": web.st_size, "changed": web.st_mtime_ns},
            "seeds": list(self.topic.seeds) if self._seeds is None else read_seeds(self._seeds),
            "settings": list(self._settings),
            "version": __version__,
        }
        file = self._folder / "experiment.json"
        if not any(self._folder.glob("*/data/corpus.sqlite")):
            self._folder.mkdir(parents=True, exist_ok=True)
            with replacing(file) as out:
                json.dump(wanted, out, ensure_ascii=False, indent=1)
            return
        known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        if changed := [name for name in wanted if known.get(name) != wanted[name]]:
            raise ValueError(
                f"{self._folder} holds crawls that differ in {', '.join(changed)}, which cannot be held against new ones. "
                f"Remedy: choose another --out, or delete {self._folder}"
            )


def _toml(value: Any) -> str:
    """A value of a topic.toml as it may stand in one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_toml(key)} = {_toml(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)  # TOML writes text, numbers and truth values as JSON does
