"""Memory of a crawl with many waiting links: python benchmarks/memory.py [--waiting N] [--pages N] [--warc FILE --seeds FILE]

A data directory gets a frontier with so many waiting links on 200 hosts (URLs of 60 characters, anchors of 15, one parent). Then
`scrapy crawl topical` goes on with it over a recorded web (which one: see benchmarks/crawl.py), whose pages come before those
links, and resident memory is read from outside every tenth of a second. The greatest value counts. One MB is 10⁶ bytes.

    without resources       words are like themselves only
    the topic's first       HowNet and word vectors, their table made in this crawl
    with resources          the table found in the cache: every crawl but a topic's first

Without fetched resources the last two are left out. The parts of the recording that were read count as memory of
the crawl: a crawl of the real web has no such file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from hashlib import blake2b
from pathlib import Path

import psutil
from crawl import recorded_web
from rich.console import Console
from rich.table import Table

from topical_crawler.frontier.base import Entry
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.resources.registry import Resources
from topical_crawler.web.page import Evidence

ROOT = Path(__file__).resolve().parents[1]
HOSTS, BATCH = 200, 1000
TARGET = 300
EVERY = 0.1


def waiting_link(number: int) -> Entry:
    """A link as crawls find them. It waits behind every link of the recorded web: its priority is below 0."""
    host = f"www.site{number % HOSTS}.cn"
    url = f"http://{host}/djyw/2019{number % 12:02d}/t20190521_{number:08d}.shtml"
    evidence = (Evidence(f"http://{host}/djyw/index_{number // 60}.shtml", 0.5, True, f"党支部主题教育第{number}次学习会召开"),)
    return Entry(blake2b(url.encode(), digest_size=16).digest(), url, host, -1.0 - number / 1e6, 3, evidence)


def fill(directory: Path, waiting: int) -> None:
    """Make the frontier of a crawl that has found ``waiting`` links."""
    frontier = SqliteFrontier(directory / "frontier.sqlite")
    for start in range(0, waiting, BATCH):
        frontier.push(waiting_link(n) for n in range(start, min(start + BATCH, waiting)))
    frontier.close()


def megabytes(process: psutil.Process) -> float:
    """Resident memory of a process; 0 for one that has just ended."""
    try:
        return float(process.memory_info().rss) / 1e6
    except psutil.NoSuchProcess:
        return 0.0


def crawl(directory: Path, web: tuple[Path, Path], pages: int, *settings: str) -> dict[str, float]:
    """Go on with the crawl in ``directory`` and return the greatest memory seen: of the crawl's process, of its workers."""
    call = [sys.executable, "-m", "scrapy", "crawl", "topical", "-a", "topic=partybuilding", "-a", f"seeds={web[1]}"]
    call += ["-a", f"pages={pages}"]
    options = (f"TOPICAL_REPLAY={web[0]}", f"TOPICAL_DATA_DIR={directory}", "TOPICAL_DISPLAY=off", "LOG_LEVEL=ERROR")
    for setting in (*options, *settings):
        call += ["-s", setting]
    running = subprocess.Popen(call, cwd=ROOT)
    process = psutil.Process(running.pid)
    found = {"crawl": 0.0, "workers": 0.0}
    while running.poll() is None:
        try:
            children = process.children(recursive=True)
        except psutil.NoSuchProcess:
            break
        found["crawl"] = max(found["crawl"], megabytes(process))
        found["workers"] = max(found["workers"], sum(map(megabytes, children)))
        time.sleep(EVERY)
    if running.wait():
        raise SystemExit(f"the crawl failed (exit code {running.returncode}); its message is above")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--waiting", type=int, default=100_000, help="links that wait (100000)")
    parser.add_argument("--pages", type=int, default=1500, help="pages to fetch (1500)")
    parser.add_argument("--warc", type=Path, help="recorded web")
    parser.add_argument("--seeds", type=Path, help="file of start URLs in it")
    parser.add_argument("--json", action="store_true", help="figures as JSON on standard output; the table on standard error")
    options = parser.parse_args()
    if (options.warc is None) != (options.seeds is None):
        parser.error("--warc and --seeds go together")
    console = Console(stderr=options.json, width=None if sys.stdout.isatty() else 110, highlight=False)
    warc, seeds, name = recorded_web(console) if options.warc is None else (options.warc, options.seeds, str(options.warc))
    web = warc.resolve(), seeds.resolve()
    resources = Resources.from_settings({})
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="topical-memory-") as folder:
        cache = f"TOPICAL_CACHE_DIR={folder}/cache"
        cases: dict[str, tuple[str, ...]] = {"without resources": ("TOPICAL_RESOURCES=0", cache)}
        if resources.path("hownet") and resources.path("vectors"):
            cases |= {"the topic's first": (cache,), "with resources": (cache,)}
        else:
            console.print("HowNet or the word vectors are not here (topical-crawler resources fetch): measured without them only")
        for case, settings in cases.items():
            directory = Path(folder, str(len(results)))
            directory.mkdir()
            fill(directory, options.waiting)
            results[case] = crawl(directory, web, options.pages, *settings)
    table = Table(
        title=f"{name}: {options.waiting:,} links wait, {options.pages} pages fetched; MB", title_justify="left", box=None
    )
    for heading in ("", "crawl", "extraction worker", f"crawl under {TARGET} MB"):
        table.add_column(heading, justify="right" if heading else "left")
    for case, found in results.items():
        met = "[green]met" if found["crawl"] < TARGET else "[red]missed"
        table.add_row(case, f"{found['crawl']:.0f}", f"{found['workers']:.0f}", met)
    console.print(table)
    if options.json:
        print(json.dumps({"waiting": options.waiting, "pages": options.pages, "megabytes": results}, indent=1))


if __name__ == "__main__":
    main()
