"""Compare a crawl that is killed again and again with one that runs through.

    python benchmarks/kill.py RECORDING.warc.gz SEEDS [--kills 20] [--in-flight 1] [--topic partybuilding] [-s NAME=VALUE …]

First the recording is crawled without a break, then again with SIGKILL at random moments (``--seed``), resumed each time by the
same command. Printed are the differences of the two corpora (URLs, texts, reasons) and the URLs that were fetched more than once,
with whether each was in flight at a kill. Fetches are counted in Scrapy's log, not in the corpus; what was in flight, the
frontier's file tells after each kill. Exit code 0: nothing was lost and nothing was fetched twice without need.

With more than one request in flight the order of fetches depends on timing, and with it which links are met on which page: then
the uninterrupted crawl runs twice, and how these two differ is printed beside it. "Fetched twice" must hold all the same.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.web.urls import fingerprint

_CRAWLED = re.compile(r"DEBUG: Crawled \(\d+\) <GET (\S+)>")
_REDIRECTED = re.compile(r"DEBUG: Redirecting \([^)]*\) to <GET \S+> from <GET (\S+)>")


@dataclass
class Run:
    """One process: how long it crawled, the URLs whose answers arrived, and those that were finished when it ended."""

    seconds: float
    killed: bool
    fetched: list[str]
    finished: set[bytes]


class Crawl:
    """A crawl in a folder of its own, run as a user runs it."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder = folder
        self.runs: list[Run] = []
        settings = {
            "TOPICAL_REPLAY": options.recording,
            "TOPICAL_DATA_DIR": folder / "data",
            "TOPICAL_CACHE_DIR": folder.parent / "cache",
            "TOPICAL_RESOURCES": 0,
            "TOPICAL_DISPLAY": "off",
            "CONCURRENT_REQUESTS": options.in_flight,
            "LOG_LEVEL": "DEBUG",
        }
        arguments = {"topic": options.topic, "seeds": options.seeds}
        self._command = [sys.executable, "-m", "scrapy", "crawl", "topical"]
        self._command += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
        self._command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        self._command += [part for setting in options.set for part in ("-s", setting)]

    def run(self, kill_after: float | None = None) -> Run:
        """Run to the end, or kill ``kill_after`` seconds after the first answer has arrived."""
        process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
        assert process.stderr is not None
        fetched: list[str] = []
        began, timer = time.monotonic(), None
        last = ""
        for line in process.stderr:
            last = line
            if (found := _CRAWLED.search(line) or _REDIRECTED.search(line)) is None or found[1].endswith("/robots.txt"):
                continue
            if not fetched:
                began = time.monotonic()
                if kill_after is not None:
                    timer = threading.Timer(kill_after, process.kill)
                    timer.start()
            fetched.append(found[1])
        code = process.wait()
        if timer is not None:
            timer.cancel()
        if code not in (0, -9):
            sys.exit(f"the crawl ended with exit code {code}: {last}")
        run = Run(time.monotonic() - began, code == -9, fetched, self._finished())
        self.runs.append(run)
        return run

    def _finished(self) -> set[bytes]:
        """The pages that the frontier's file holds as done."""
        with closing(sqlite3.connect(self.folder / "data" / "frontier.sqlite")) as file:
            return {fingerprint(url) for (url,) in file.execute("SELECT url FROM outcomes")}

    def records(self) -> list[Record]:
        with CorpusStore(self.folder / "data" / "corpus.sqlite", read_only=True) as store:
            return list(store.records(Filters(rejected=True)))

    def fetched_again(self) -> tuple[int, list[str]]:
        """How often an answer was fetched again that was in flight at a kill, and the URLs fetched again that were not."""
        wanted, unneeded = 0, []
        seen: dict[str, int] = {}
        for number, run in enumerate(self.runs):
            for url, times in Counter(run.fetched).items():
                unneeded += [url] * (times - 1)
                if url in seen:
                    if fingerprint(url) in self.runs[number - 1].finished:
                        unneeded.append(url)
                    else:
                        wanted += 1
                seen[url] = number
        return wanted, unneeded


def differences(one: list[Record], other: list[Record]) -> dict[str, list[str]]:
    """What two corpora do not have in common, by kind; empty lists where they are equal."""
    left, right = {r.key: r for r in one}, {r.key: r for r in other}
    pairs = [(r, right[key]) for key, r in left.items() if key in right]
    same_pages = len(pairs) == len(left) == len(right)
    return {
        "pages of the first only": [r.url for key, r in left.items() if key not in right],
        "pages of the second only": [r.url for key, r in right.items() if key not in left],
        "rows twice": [key for rows in (one, other) for key, n in Counter(r.key for r in rows).items() if n > 1],
        "other spelling of the URL": [a.url for a, b in pairs if a.url != b.url],
        "other text": [a.url for a, b in pairs if a.text != b.text],
        "other reason": [a.url for a, b in pairs if a.reason != b.reason],
        "other relevance": [a.url for a, b in pairs if a.relevance != b.relevance],
        "other priority": [a.url for a, b in pairs if a.priority != b.priority],
        "other depth": [a.url for a, b in pairs if a.depth != b.depth],
        "other order of fetches": [a.url for a, b in zip(one, other, strict=False) if same_pages and a.key != b.key],
    }


def show(title: str, one: list[Record], other: list[Record]) -> bool:
    """Print how two corpora differ; returns whether they are equal."""
    found = {kind: urls for kind, urls in differences(one, other).items() if urls}
    print(f"{title}: {len(one)} and {len(other)} rows, {sum(r.keep for r in one)} and {sum(r.keep for r in other)} kept: "
          f"{'equal' if not found else 'different'}")  # fmt: skip
    for kind, urls in found.items():
        print(f"    {kind}: {len(urls)}, e.g. {', '.join(urls[:3])}")
    return not found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", type=Path)
    parser.add_argument("seeds", type=Path)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--in-flight", type=int, default=1)
    parser.add_argument("--topic", default="partybuilding")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-s", "--set", action="append", default=[], metavar="NAME=VALUE", help="a further Scrapy setting")
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as directory:
        whole = Crawl(Path(directory, "whole"), options)
        length = whole.run().seconds
        print(f"uninterrupted: {len(whole.runs[0].fetched)} answers in {length:.1f} s", flush=True)
        killed = Crawl(Path(directory, "killed"), options)
        # Every stretch is random with the mean that spreads the kills still to come over the rest of the crawl.
        while (kills := sum(run.killed for run in killed.runs)) < options.kills:
            left = length - sum(run.seconds for run in killed.runs)
            run = killed.run(moments.uniform(0, 1.8) * max(left, 0.5) / (options.kills - kills + 1))
            if not run.killed:
                print(f"the crawl was over before kill {kills + 1}")
                break
        else:
            killed.run()
        print(f"killed {kills} times: after {', '.join(f'{run.seconds:.2f}' for run in killed.runs if run.killed)} s", flush=True)
        equal = show("uninterrupted and killed", whole.records(), killed.records())
        if options.in_flight > 1:
            again = Crawl(Path(directory, "again"), options)
            again.run()
            show("for comparison, two uninterrupted ones", whole.records(), again.records())
        wanted, unneeded = killed.fetched_again()
        could = kills * options.in_flight
        print(f"fetched again: {wanted} that were in flight at a kill (of {could} that could be), {len(unneeded)} others")
        for url in unneeded[:10]:
            print(f"    {url}")
    return 0 if not unneeded and (equal or options.in_flight > 1) else 1


if __name__ == "__main__":
    sys.exit(main())
