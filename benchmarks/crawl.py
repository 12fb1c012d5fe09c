"""Cost of a crawl beside a plain Scrapy one: python benchmarks/crawl.py [--pages N] [--rounds N] [--warc FILE --seeds FILE]

Two crawls of one recorded web, through the same download handler, with the same number of pages, in turn (A B A B …), each run in
a process of its own:

    plain    breadth-first the way Scrapy documents it: default scheduler and duplicate filter with FIFO queues in memory,
             LinkExtractor, trafilatura with its defaults on every page in the event loop, items to a JSONL file
    topical  `scrapy crawl topical`: pages judged, links scored, frontier and corpus on disk, kept pages extracted; a replay has
             one request in flight

Pages per second are of the whole process, start-up included; CPU time is user and system time of the process and all its
children; start-up is from the start of the process to its first response. A first, short run of each is not counted: it fills
the caches. Then the topical crawl runs once more under a sampling profiler, which looks every 2 ms of CPU time at what the main
thread does.

Without --warc the web is the portal web made from ../shared/data (19,000 records; kept in the cache directory), where that data
lies beside the project, else the small demo web, of which start-up is the greater part.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Self

import platformdirs
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
WARM_UP_PAGES = 30
SAMPLE_SECONDS = 0.002
START_UP_TARGET = 3.0
FULL = 0.95
"""Part of the page budget that both crawls must have used for their speeds to be comparable."""

Place = tuple[str, str]
STEPS = {
    "judge": "judge",
    "learn": "judge",
    "score": "score links",
    "explain": "score links",
    "confirm": "judge main text",
}
PARTS: dict[Place, str] = {
    **{(f"{method}/strategy.py", step): part for method in ("adaptive", "semantic") for step, part in STEPS.items()},
    ("web/page.py", "from_html"): "page: parse HTML, read links",
    ("web/dom.py", "decode"): "page: decode bytes",
    ("topical_crawler/middlewares.py", "_score"): "links: identity, refusals",
    ("crawl/link_policy.py", "*"): "links: identity, refusals",
    ("cleaning/cleaner.py", "clean"): "clean text",
    ("corpus/store.py", "put"): "store",
    ("frontier/sqlite.py", "*"): "frontier",
    ("frontier/hosts.py", "*"): "frontier",
    ("recordings/reader.py", "*"): "replay (the recorded web)",
    ("topical_crawler/downloadhandlers.py", "*"): "replay (the recorded web)",
    ("extraction/pool.py", "*"): "hand pages to extraction",
}
"""Folder and file of the package and function ("*": any) to the part of the crawl that its time is counted for; the innermost
one counts."""
OTHER_OURS, ENGINE = "rest of this project", "Scrapy, Twisted, asyncio"


@dataclass(frozen=True)
class Run:
    """One crawl in a process of its own. Seconds, megabytes (10⁶ bytes)."""

    pages: int
    texts: int
    wall: float
    cpu: float
    start_up: float
    crawling: float
    memory: float

    @property
    def pages_per_second(self) -> float:
        """Over the whole life of the process."""
        return self.pages / self.wall

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds per page, with all child processes."""
        return self.cpu / self.pages * 1000


# -- in the process that crawls


class Meter:
    """A Scrapy extension that writes down when the first response came, how many there were, and what the sampler saw."""

    def __init__(self, crawler: Any) -> None:
        from scrapy import signals

        self._crawler = crawler
        self._first = self._pages = 0.0
        self._seen: Counter[str] = Counter()
        self._known: dict[Any, str | None] = {}
        self._sampling = crawler.settings.getbool("BENCHMARK_SAMPLE")
        self._cpu = self._wall = 0.0
        self._cpu_of_pages: list[float] = []
        crawler.signals.connect(self.response, signals.response_received)
        crawler.signals.connect(self.closed, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        return cls(crawler)

    def response(self, request: Any) -> None:
        if not self._first:
            self._first = time.time()
            if self._sampling:
                self._cpu, self._wall = time.process_time(), time.monotonic()
                signal.signal(signal.SIGPROF, self._sample)
                signal.setitimer(signal.ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS)
        if not request.url.endswith("/robots.txt"):
            self._pages += 1
            self._cpu_of_pages.append(time.process_time())

    def closed(self) -> None:
        if self._sampling:
            signal.setitimer(signal.ITIMER_PROF, 0)
        report = {
            "first": self._first,
            "last": time.time(),
            "pages": self._pages,
            "parts": self._seen,
            "cpu_of_pages": self._cpu_of_pages,  # of this process, when each page came
            "cpu": time.process_time() - self._cpu,
            "wall": time.monotonic() - self._wall,
        }
        Path(self._crawler.settings["BENCHMARK_REPORT"]).write_text(json.dumps(report), encoding="utf-8")

    def _sample(self, _: int, frame: FrameType | None) -> None:
        part, ours = ENGINE, False
        while frame is not None:
            code = frame.f_code
            if code not in self._known:
                self._known[code] = part_of(code.co_filename, code.co_name)
            found = self._known[code]
            if found == OTHER_OURS:
                ours = True
            elif found is not None:
                part = found
                break
            frame = frame.f_back
        self._seen[OTHER_OURS if part == ENGINE and ours else part] += 1


def part_of(file: str, function: str) -> str | None:
    """The part of the crawl that a function belongs to; None for code that is not this project's.

    >>> part_of("/x/topical_crawler/web/page.py", "from_html"), part_of("/x/scrapy/crawler.py", "crawl")
    ('page: parse HTML, read links', None)
    """
    path = Path(file)
    if "topical_crawler" not in path.parts[-4:] or path.parent.name == "commands":
        return None  # the command is below everything that runs
    place = f"{path.parent.name}/{path.name}"
    return PARTS.get((place, function)) or PARTS.get((place, "*"), OTHER_OURS)


def crawl_here(options: argparse.Namespace) -> None:
    """Run one crawl in this process; the meter leaves its report in ``options.directory``."""
    directory: Path = options.directory
    common: dict[str, Any] = {
        "TOPICAL_REPLAY": str(options.warc),
        "CONCURRENT_REQUESTS": options.in_flight,
        "LOG_LEVEL": "WARNING",
        "BENCHMARK_REPORT": str(directory / "report.json"),
        "BENCHMARK_SAMPLE": options.sample,
    }
    if options.child == "plain":
        _plain(options, common)
        return
    from scrapy.cmdline import execute
    from scrapy.utils.project import get_project_settings

    os.chdir(ROOT)
    settings = get_project_settings()
    settings.setdict({**common, "TOPICAL_DATA_DIR": str(directory), "TOPICAL_DISPLAY": "off"}, priority="cmdline")
    settings.set_in_component_priority_dict("EXTENSIONS", Meter, 0)
    arguments = [f"topic={options.topic}", f"seeds={options.seeds}", f"pages={options.pages}"]
    execute(["scrapy", "crawl", "topical", *(word for a in arguments for word in ("-a", a))], settings)


def _plain(options: argparse.Namespace, common: dict[str, Any]) -> None:
    """Scrapy and trafilatura as their documentations show them."""
    import trafilatura
    from scrapy import Request, Spider
    from scrapy.crawler import CrawlerProcess
    from scrapy.http import Response, TextResponse
    from scrapy.linkextractors import LinkExtractor

    class PlainSpider(Spider):
        name = "plain"
        start_urls = Path(options.seeds).read_text(encoding="utf-8").split()
        links = LinkExtractor()

        def parse(self, response: Response, **_: Any) -> Iterator[Any]:
            if not isinstance(response, TextResponse):
                return
            text = trafilatura.extract(response.text, url=response.url)
            yield {"url": response.url, "title": response.css("title::text").get(), "text": text}
            for link in self.links.extract_links(response):
                yield Request(link.url)

    handler = "topical_crawler.downloadhandlers.ReplayHandler"
    settings = common | {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.in_flight,
        "ROBOTSTXT_OBEY": True,
        "CLOSESPIDER_PAGECOUNT": options.pages,
        # docs.scrapy.org, "Does Scrapy crawl in breadth-first or depth-first order?"
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "FEEDS": {str(options.directory / "items.jsonl"): {"format": "jsonlines"}},
        "TELNETCONSOLE_ENABLED": False,
        "EXTENSIONS": {Meter: 0},
    }
    process = CrawlerProcess(settings)
    process.crawl(PlainSpider)
    process.start()


# -- in the process that measures


def measure(kind: str, options: argparse.Namespace, pages: int, sample: bool = False) -> tuple[Run, dict[str, Any]]:
    """Crawl in a fresh process and wait for it. Returns the figures and the meter's report."""
    compileall.compile_dir(ROOT / "topical_crawler", quiet=1)  # as where it is installed, whatever PYTHONDONTWRITEBYTECODE says
    with tempfile.TemporaryDirectory(prefix="topical-benchmark-") as folder:
        call = [
            sys.executable,
            __file__,
            "--child",
            kind,
            "--directory",
            folder,
            "--warc",
            options.warc,
            "--seeds",
            options.seeds,
        ]
        call += ["--pages", str(pages), "--in-flight", str(options.in_flight), "--topic", options.topic]
        started = time.time()
        process = subprocess.Popen([*map(str, call), *(["--sample"] if sample else [])])
        _, status, usage = os.wait4(process.pid, 0)  # its processor time, with that of its children, comes with its end
        wall = time.time() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        file = Path(folder, "report.json")
        if process.returncode or not file.is_file():
            raise SystemExit(f"the {kind} crawl failed (exit code {process.returncode}); its message is above")
        report = json.loads(file.read_text(encoding="utf-8"))
        if not report["pages"]:
            raise SystemExit(f"the {kind} crawl got no page: are the seeds in {options.seeds} recorded in {options.warc}?")
        texts = _texts(kind, Path(folder))
    memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    cpu = usage.ru_utime + usage.ru_stime
    start_up, crawling = report["first"] - started, report["last"] - report["first"]
    return Run(int(report["pages"]), texts, wall, cpu, start_up, crawling, memory), report


def _texts(kind: str, directory: Path) -> int:
    """Pages whose text is in the result."""
    if kind == "plain":
        with (directory / "items.jsonl").open(encoding="utf-8") as items:
            return sum(bool(json.loads(line)["text"]) for line in items)
    from topical_crawler.corpus.store import CorpusStore

    with CorpusStore(directory / "corpus.sqlite", read_only=True) as store:
        return sum(1 for _ in store.fetched(kept=True))


def recorded_web(console: Console) -> tuple[Path, Path, str]:
    """The web to crawl where none is named: WARC file, seeds, and what to call it."""
    news, maker = SHARED / "data" / "news" / "news-dev.jsonl.gz", SHARED / "bin" / "make_portal.py"
    if not (news.is_file() and maker.is_file()):
        demo = ROOT / "demo"
        return demo / "demo-web.warc.gz", demo / "seeds.txt", "demo web (small: start-up is the greater part of both crawls)"
    folder = platformdirs.user_cache_path("topical_crawler", ensure_exists=True) / "benchmark"
    warc, labels, seeds = folder / "portal.warc.gz", folder / "portal.tsv", folder / "seeds.txt"
    if not seeds.is_file():
        console.print(f"Making the portal web in {folder} (once; a minute)")
        folder.mkdir(exist_ok=True)
        subprocess.run([sys.executable, maker, news, warc, labels], check=True, stdout=subprocess.DEVNULL)
        rows = (line.split("\t") for line in labels.read_text(encoding="utf-8").splitlines()[1:])
        seeds.write_text("".join(f"{row[0]}\n" for row in rows if row[3] == "home"), encoding="utf-8")
    return warc, seeds, "portal web"


def medians(runs: Sequence[Run]) -> dict[str, float]:
    """The median of every figure."""
    figures = [asdict(r) | {"pages_per_second": r.pages_per_second, "cpu_ms_per_page": r.cpu_ms} for r in runs]
    return {name: statistics.median(f[name] for f in figures) for name in figures[0]}


def shares(report: dict[str, Any]) -> dict[str, float]:
    """Part of the crawl → its share of the main process's CPU time, greatest first."""
    total = sum(report["parts"].values()) or 1
    return {name: n / total for name, n in sorted(report["parts"].items(), key=lambda p: -p[1])}


def show(console: Console, result: dict[str, Any]) -> None:
    """The tables."""
    plain, topical = result["median"]["plain"], result["median"]["topical"]
    table = Table(title=f"{result['web']}; {result['in_flight']} plain requests in flight", title_justify="left", box=None)
    table.add_column("median of " + str(len(result["runs"]["plain"])))
    for heading in ("plain Scrapy", "topical", "ratio"):
        table.add_column(heading, justify="right")
    rows = [
        ("pages per second", "pages_per_second", "{:.1f}"),
        ("CPU ms per page, all processes", "cpu_ms_per_page", "{:.2f}"),
        ("start-up to first response, s", "start_up", "{:.2f}"),
        ("seconds in all", "wall", "{:.1f}"),
        ("largest process, MB", "memory", "{:.0f}"),
        ("pages", "pages", "{:.0f}"),
        ("pages with a text", "texts", "{:.0f}"),
    ]
    for title, name, form in rows:
        table.add_row(
            title, form.format(plain[name]), form.format(topical[name]), f"{topical[name] / max(plain[name], 1e-9):.2f}"
        )
    console.print(table)
    met = {f"start-up under {START_UP_TARGET:.0f} s ({topical['start_up']:.2f} s)": topical["start_up"] < START_UP_TARGET}
    faster, leaner = result["ratio"]["pages_per_second"], result["ratio"]["cpu_ms_per_page"]
    if min(plain["pages"], topical["pages"]) >= FULL * result["budget"]:
        met |= {
            f"pages per second: topical ≥ plain ({faster:.2f} times)": faster >= 1,
            f"CPU per page: topical ≤ plain ({leaner:.2f} times)": leaner <= 1,
        }
    else:
        console.print(f"  [dim]The web ended before {result['budget']} pages, unequally: no verdict on speed[/]")
    for target, reached in met.items():
        console.print(f"  [{'green]met   ' if reached else 'red]missed'}[/] {target}")
    profile = result["profile"]
    where = Table(title="\nWhere the topical crawl's main process spends its CPU time", title_justify="left", box=None)
    for heading in ("part", "share", "ms per page"):
        where.add_column(heading, justify="left" if heading == "part" else "right")
    for name, share in profile["shares"].items():
        where.add_row(name, f"{share:.1%}", f"{share * profile['cpu_ms_per_page']:.2f}")
    where.add_row("[dim]all of it, after start-up", "", f"[dim]{profile['cpu_ms_per_page']:.2f}")
    console.print(where)
    console.print(
        f"[dim]Extraction and start-up: {topical['cpu_ms_per_page'] - profile['cpu_ms_per_page']:.2f} ms per page beside this. "
        f"{profile['idle']:.0%} of the time the main\nprocess did not compute: it waited for extraction, or for a processor."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warc", type=Path, help="recorded web")
    parser.add_argument("--seeds", type=Path, help="file of start URLs in it")
    parser.add_argument("--topic", default="partybuilding")
    parser.add_argument("--pages", type=int, default=1500, help="pages of each crawl (1500)")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each crawl (2)")
    parser.add_argument("--in-flight", type=int, default=16, help="CONCURRENT_REQUESTS of the plain crawl (16)")
    parser.add_argument("--json", action="store_true", help="figures as JSON on standard output; tables on standard error")
    for hidden in ("--child", "--directory"):
        parser.add_argument(hidden, type=Path if hidden == "--directory" else str, help=argparse.SUPPRESS)
    parser.add_argument("--sample", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        crawl_here(options)
        return
    if (options.warc is None) != (options.seeds is None):
        parser.error("--warc and --seeds go together")
    for name in ("pages", "rounds", "in_flight"):
        if getattr(options, name) < 1:
            parser.error(f"--{name.replace('_', '-')} must be 1 or more")
    console = Console(stderr=options.json, width=None if sys.stdout.isatty() else 110, highlight=False)
    web = str(options.warc)
    if options.warc is None:
        options.warc, options.seeds, web = recorded_web(console)
    for file in (options.warc, options.seeds):
        if not file.is_file():
            parser.error(f"there is no file {file}")
    options.warc, options.seeds = options.warc.resolve(), options.seeds.resolve()
    runs: dict[str, list[Run]] = {"plain": [], "topical": []}
    for kind in runs:
        measure(kind, options, WARM_UP_PAGES)
    for number in range(options.rounds):
        for kind, found in runs.items():
            found.append(measure(kind, options, options.pages)[0])
            console.print(
                f"[dim]round {number + 1}  {kind:8}{found[-1].pages:>6} pages  {found[-1].wall:5.1f} s  "
                f"{found[-1].pages_per_second:6.1f} pages/s  {found[-1].cpu_ms:6.2f} ms CPU per page"
            )
    profiled, report = measure("topical", options, options.pages, sample=True)
    median = {kind: medians(found) for kind, found in runs.items()}
    result = {
        "web": web,
        "in_flight": options.in_flight,
        "budget": options.pages,
        "runs": {kind: [asdict(r) for r in found] for kind, found in runs.items()},
        "median": median,
        "ratio": {n: median["topical"][n] / median["plain"][n] for n in ("pages_per_second", "cpu_ms_per_page", "start_up")},
        "profile": {
            "shares": shares(report),
            "cpu_ms_per_page": report["cpu"] / profiled.pages * 1000,
            "idle": max(0.0, 1 - report["cpu"] / report["wall"]),
        },
    }
    show(console, result)
    if options.json:
        print(json.dumps(result, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
