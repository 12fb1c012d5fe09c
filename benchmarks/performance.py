"""The table of docs/performance.md: python benchmarks/performance.py --data FOLDER [--pages N] [--only NAME …]

Each recorded web is crawled by plain Scrapy with trafilatura on every page and by this project, one after the other
(`benchmarks/crawl.py` says how), then once more by this project with a clock at four places. Times are CPU seconds of the process
and its children, so that other work on the machine matters little; memory is that of the largest process.

    page            CPU of a whole crawl by its pages
    growth          main process: a page among the last fifth, by a page among the second fifth (the first has the start in it)
    link            all that is done for one: found on the page, made canonical, looked up, judged by the policy, scored, stored;
                    by least squares over the pages of all webs, from how many links of each kind they have
    scored again    part of the main process's CPU that goes into scoring waiting links again
    memory          most resident memory
    first page      seconds from the start of the process to the first response, by the clock

`--data` is a folder of recordings (web/dev-web, web2/dev2-web: .warc.gz and .seeds.txt), by default that beside the project;
where there is none the demo web is crawled, of which start-up is the greater part.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import crawl
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
TOPIC = "operating-systems"
COMMANDS = (("corpus", "list"), ("corpus", "stats"), ("corpus", "fetched"), ("corpus", "search", "内核"))
REDIS_ENTRIES, REDIS_LINKS = 100_000, 60


# -- in the process that crawls


class Clock:
    """CPU seconds of the main thread in some functions: of each page of a crawl, and in all.

    Attributes:
        pages: of each page, seconds, and its links that were known to be fetched, that waited, and that were new.
        again: seconds in which waiting links were scored again.
    """

    def __init__(self) -> None:
        self.pages: list[tuple[float, int, int, int]] = []
        self.again = 0.0
        self._finding: dict[str, float] = {}  # by address of the page
        self._scoring: dict[int, tuple[float, int]] = {}  # by the identity of its links, which live until they are stored

    def start(self) -> None:
        """Put the clock into the functions."""
        from topical_crawler import middlewares
        from topical_crawler.crawl import rescoring
        from topical_crawler.frontier.sqlite import SqliteFrontier
        from topical_crawler.web import page

        find, score, done, again = page._links, middlewares._score, SqliteFrontier.done, rescoring.rescore_waiting

        def timed_find(tree: Any, html: str, url: str, *rest: Any) -> Any:
            found, self._finding[url] = _timed(find, tree, html, url, *rest)
            return found

        def timed_score(crawl: Any, page: Any, *rest: Any) -> Any:
            entries, seconds = _timed(score, crawl, page, *rest)
            self._scoring[id(entries)] = seconds + self._finding.pop(page.url, 0.0), len(page.links)
            return entries

        def timed_done(frontier: Any, key: bytes, outcome: Any, links: Any = ()) -> Any:
            pushed, seconds = _timed(done, frontier, key, outcome, links)
            if (scored := self._scoring.pop(id(links), None)) is not None:
                new, waited = pushed.new + sum(pushed.dropped.values()), pushed.raised + pushed.known
                self.pages.append((seconds + scored[0], scored[1] - new - waited, waited, new))
            return pushed

        def timed_again(*arguments: Any) -> Iterator[None]:
            steps = again(*arguments)
            while True:
                begun = time.thread_time()
                try:
                    step = next(steps)
                except StopIteration as end:
                    return end.value
                finally:
                    self.again += time.thread_time() - begun
                yield step

        page._links, middlewares._score = timed_find, timed_score
        SqliteFrontier.done, rescoring.rescore_waiting = timed_done, timed_again  # type: ignore[method-assign]

    def figures(self) -> dict[str, Any]:
        """What was measured."""
        return {"pages_of_links": self.pages, "again": 100 * self.again / time.process_time()}


def of_links(pages: Iterable[Sequence[float]]) -> dict[str, float]:
    """Microseconds of a link of each kind, from the pages of several crawls (:attr:`Clock.pages`): by least squares, without the
    slowest hundredth of the pages, on which memory was collected or something was loaded."""
    table = np.array(list(pages))
    table = table[table[:, 0] <= np.quantile(table[:, 0], 0.99)]
    _, *kinds = np.linalg.lstsq(np.column_stack([np.ones(len(table)), table[:, 1:]]), table[:, 0], rcond=None)[0] * 1e6
    return dict(zip(("fetched", "waiting", "new"), kinds, strict=True))


def _timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    start = time.thread_time()
    found = call(*arguments)
    return found, time.thread_time() - start


def crawl_here(options: Namespace) -> None:
    """Crawl in this process, with the clock; its figures are left in ``options.directory``."""
    clock = Clock()
    clock.start()
    try:
        crawl.crawl_here(options)
    finally:
        Path(options.directory, "links.json").write_text(json.dumps(clock.figures()), encoding="utf-8")


# -- in the process that measures


def webs(data: Path | None) -> Iterator[tuple[str, Path, Path | str]]:
    """Name, recording, and seeds (a file, or an address) of each web."""
    if data is None:
        yield "demo", ROOT / "demo/demo-web.warc.gz", ROOT / "demo/seeds.txt"
        return
    yield "web", data / "web/dev-web.warc.gz", data / "web/dev-web.seeds.txt"
    yield "web2", data / "web2/dev2-web.warc.gz", data / "web2/dev2-web.seeds.txt"
    yield "menus", data / "web2/dev2-web.warc.gz", "http://jasonkayzk.github.io/"  # whose pages have 376 links each


def measure(warc: Path, seeds: Path, topic: str, pages: int) -> dict[str, Any]:
    """The figures of one web."""
    options = Namespace(warc=warc, seeds=seeds, topic=topic, in_flight=16)
    plain, _ = crawl.measure("plain", options, pages)
    ours, report = crawl.measure("topical", options, pages)
    fifths = [len(report["cpu_of_pages"]) * n // 5 for n in range(5)]
    spent = report["cpu_of_pages"] + [report["cpu_of_pages"][-1]]
    second, last = spent[fifths[2]] - spent[fifths[1]], spent[-1] - spent[fifths[4]]
    found = {
        "pages_plain": plain.pages, "pages": ours.pages, "texts": ours.texts,
        "plain": plain.cpu_ms, "ours": ours.cpu_ms, "ratio": plain.cpu_ms / ours.cpu_ms,
        "growth": last / second, "memory": ours.memory, "first": ours.start_up, "first_plain": plain.start_up,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="topical-performance-") as folder:
        call = [sys.executable, __file__, "--child", folder, "--warc", warc, "--seeds", seeds, "--pages", pages, "--topic", topic]
        subprocess.run([*map(str, call)], check=True, stdout=subprocess.DEVNULL)
        found |= json.loads(Path(folder, "links.json").read_text(encoding="utf-8"))
        counts = np.array(found["pages_of_links"])[:, 1:].mean(axis=0).tolist()
        found |= dict(zip(("links_fetched", "links_waiting", "links_new"), counts, strict=True))
        found["command"] = max(_cpu(folder, command) for command in COMMANDS)
    return found


def _cpu(folder: str, command: tuple[str, ...]) -> float:
    """CPU seconds of a command on the corpus in ``folder``."""
    call = [sys.executable, "-m", "topical_crawler", *command[:2], folder, *command[2:]]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(call, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def redis() -> dict[str, float]:
    """Redis's milliseconds for a page with 60 links (pop and end, 10 of them new), how many times as many operations as
    scrapy-redis per CPU second, bytes of a link."""
    call = [sys.executable, ROOT / "benchmarks/frontier.py", "--json", "--entries", REDIS_ENTRIES]
    call += ["--backend", "redis", "scrapy-redis"]
    ours, rival = json.loads(subprocess.run([*map(str, call)], check=True, stdout=subprocess.PIPE).stdout)["results"]
    return {
        "ms": ours["news"]["server_us"] * (REDIS_LINKS + 1) / 1000,
        "ms_rival": rival["news"]["server_us"] * (REDIS_LINKS + 1) / 1000,
        "times": ours["news"]["kops_cpu"] / rival["news"]["kops_cpu"],
        "bytes": ours["bytes"]["redis"],
        "share": ours["bytes"]["redis"] / rival["bytes"]["redis"],
    }


class Row(NamedTuple):
    """A row of the table: its name, its figures as a format string, and the figure that is to be at least or at most so much."""

    name: str
    told: str
    figure: str = ""
    least: float = -math.inf
    most: float = math.inf

    def line(self, columns: Iterable[dict[str, Any]]) -> str:
        """As Markdown; a figure in bold misses its aim."""
        cells = []
        for found in columns:
            met = not self.figure or self.least <= found[self.figure] <= self.most
            cells.append(self.told.format(**found) if met else f"**{self.told.format(**found)}**")
        aim = "" if not self.figure else f"≤ {self.most:g}" if self.most < math.inf else f"≥ {self.least:g}"
        return f"| {self.name} | {aim} | {' | '.join(cells)} |"


ROWS = (
    Row("pages: plain Scrapy, ours (texts)", "{pages_plain:.0f}, {pages:.0f} ({texts:.0f})"),
    Row("CPU of a page, plain Scrapy, ms", "{plain:.1f}"),
    Row("CPU of a page, ours, ms", "{ours:.1f}"),
    Row("plain Scrapy's by ours", "{ratio:.2f}", "ratio", least=2.5),
    Row("growth", "{growth:.2f}", "growth", most=1.2),
    Row("links of a page: fetched, waiting, new", "{links_fetched:.0f}, {links_waiting:.0f}, {links_new:.1f}"),
    Row("scored again, % of CPU", "{again:.1f}", "again", most=5),
    Row("memory, MB", "{memory:.0f}", "memory", most=300),
    Row("first page, s (plain Scrapy)", "{first:.1f} ({first_plain:.1f})", "first", most=1.5),
    Row("slowest of four corpus commands, s", "{command:.2f}", "command", most=0.6),
)
LINK_ROWS = (
    Row("a new link, µs", "{new:.1f}", "new", most=10),
    Row("a link that waits, µs", "{waiting:.1f}", "waiting", most=2),
    Row("a link that was fetched, µs", "{fetched:.1f}", "fetched", most=2),
)
REDIS_ROWS = (
    Row(f"Redis's ms for a page with {REDIS_LINKS} links (scrapy-redis)", "{ms:.2f} ({ms_rival:.2f})", "ms", most=1),
    Row("operations per CPU second, by those of scrapy-redis", "{times:.1f}", "times", least=5),
    Row("bytes of a link, by those of scrapy-redis", "{share:.2f} ({bytes:.0f})", "share", most=1),
)


def table(found: dict[str, dict[str, Any]], rows: Iterable[Row]) -> str:
    """Figures of several webs as a table in Markdown."""
    head = [f"| | aim | {' | '.join(found)} |", f"|---|---|{'---:|' * len(found)}"]
    return "\n".join([*head, *(row.line(found.values()) for row in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = crawl.SHARED / "data"
    parser.add_argument("--data", type=Path, default=data if data.is_dir() else None, help="folder of recordings")
    parser.add_argument("--only", nargs="+", default=["web", "web2", "menus", "demo", "redis"], help="some of the webs, redis")
    parser.add_argument("--pages", type=int, default=10_000, help="pages of each crawl (10000)")
    parser.add_argument("--topic", default="", help=f"topic of the crawls ({TOPIC}; demo: partybuilding)")
    for hidden in ("child", "warc", "seeds"):
        parser.add_argument(f"--{hidden}", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        options.child, options.directory, options.sample, options.in_flight = "topical", options.child, False, 16
        crawl_here(options)
        return
    topic = options.topic or ("partybuilding" if options.data is None else TOPIC)
    found = {}
    with tempfile.TemporaryDirectory(prefix="topical-performance-") as folder:
        for name, warc, seeds in webs(options.data):
            if name not in options.only:
                continue
            if not warc.is_file():
                parser.error(f"there is no file {warc}. Remedy: --data is a folder with web/ and web2/, or --only names others")
            file = Path(folder, f"{name}.txt") if isinstance(seeds, str) else seeds
            if isinstance(seeds, str):
                file.write_text(seeds + "\n", encoding="utf-8")
            found[name] = measure(warc, file, topic, options.pages)
            print(f"{name}: done", file=sys.stderr, flush=True)
    print(f"{date.today()}, {options.pages} pages, {os.cpu_count()} processors, topic {topic}; in bold: misses its aim\n")
    print(table(found, ROWS))
    print("\n" + table({"all pages": of_links(row for one in found.values() for row in one["pages_of_links"])}, LINK_ROWS))
    if "redis" in options.only:
        print("\n" + table({"Redis": redis()}, REDIS_ROWS))


if __name__ == "__main__":
    main()
