"""Operations per second and memory of the frontiers: python benchmarks/frontier.py [--entries 1000000] [--backend sqlite].

First the frontier is filled with pages of 60 links. Then pages are popped and finished, each with 60 links, in one of the mixes:

    news     10 new links; of the known ones 30 are the navigation of the site, 15 other links of the site found lately, 5 links
             from anywhere: the mix of a news site, where a pop brings ten new links
    new      60 new links
    scatter  10 new links, 50 known ones from anywhere, each found for a second time: the worst case for a file

A pop, and every link, counts as one operation. Time is that of the processor. Each line comes from a process of its own; memory
is what the filled frontier takes.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import subprocess
import sys
import tempfile
import time
from hashlib import blake2b
from pathlib import Path

from topical_crawler.frontier import Entry, Frontier, MemoryFrontier, Outcome, SqliteFrontier
from topical_crawler.page import Evidence

LINKS, PAGES, HOSTS = 60, 3_000, 200
MIXES = {"news": (10, 30, 15, 5), "new": (60, 0, 0, 0), "scatter": (10, 0, 0, 50)}


class Web:
    """Links as a crawl makes them: 60 characters of URL, 15 of anchor text, one parent. Links 60·n to 60·n+59 share a site."""

    def __init__(self, entries: int) -> None:
        self.total = entries
        self.rng = random.Random(7)

    def entry(self, number: int, parent: str) -> Entry:
        host = f"www.site{number // LINKS % HOSTS}.cn"
        url = f"http://{host}/djyw/2019{number % 12:02d}/t20190521_{number:08d}.shtml"
        evidence = (Evidence(parent, 0.5, True, f"党支部主题教育第{number}次学习会召开"),)
        return Entry(blake2b(url.encode(), digest_size=16).digest(), url, host, self.rng.random(), 3, evidence)

    def links(self, page: Entry, new: int, navigation: int, lately: int, anywhere: int) -> list[Entry]:
        """The links of a page."""
        site = int(page.host.removeprefix("www.site").removesuffix(".cn"))
        first, around = site * LINKS, int(page.url[-14:-6]) // LINKS * LINKS
        numbers = list(range(self.total, self.total + new))
        numbers += range(first, first + navigation)
        numbers += (around + self.rng.randrange(LINKS) for _ in range(lately))
        numbers += (self.rng.randrange(self.total) for _ in range(anywhere))
        self.total += new
        return [self.entry(number, page.url) for number in numbers]


def resident() -> float:
    """Resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run(frontier: Frontier, name: str, mix: str, entries: int) -> None:
    """Measure one frontier and print a line."""
    web = Web(entries)
    before, filling, crawling = resident(), 0.0, 0.0
    for start in range(0, entries, LINKS):
        links = [
            web.entry(n, f"http://www.site{start // LINKS % HOSTS}.cn/list_{start}.shtml") for n in range(start, start + LINKS)
        ]
        began = time.process_time()
        frontier.push(links)
        filling += time.process_time() - began
    del links
    gc.collect()
    taken = resident() - before
    for number in range(PAGES):
        began = time.process_time()
        page = frontier.pop(float(number))
        crawling += time.process_time() - began
        assert page is not None
        links = web.links(page, *MIXES[mix])
        began = time.process_time()
        frontier.done(page.key, Outcome(page.url, True, 0.5), links)
        crawling += time.process_time() - began
    print(
        f"{name:7}{entries:>10,} entries  fill {entries / filling:>9,.0f} pushes/s  {mix:8}"
        f"{PAGES * (LINKS + 1) / crawling:>9,.0f} operations/s ({crawling / PAGES * 1e6:>6,.0f} µs per page)"
        f"  {taken / 1e6:>5,.0f} MB = {taken / entries:>4,.0f} B per entry, process {resident() / 1e6:,.0f} MB",
        flush=True,
    )


def main() -> None:
    """Every combination in a process of its own; one combination here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--backend", choices=("memory", "sqlite"), nargs="+", default=["memory", "sqlite"])
    parser.add_argument("--mix", choices=tuple(MIXES), nargs="+", default=["news"])
    args = parser.parse_args()
    runs = [(e, b, m) for e in args.entries for b in args.backend for m in args.mix]
    if len(runs) > 1:
        for entries, backend, mix in runs:
            call = [sys.executable, __file__, "--entries", str(entries), "--backend", backend, "--mix", mix]
            subprocess.run(call, check=True)
        return
    entries, backend, mix = runs[0]
    if backend == "memory":
        run(MemoryFrontier(), backend, mix, entries)
        return
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "frontier.sqlite")
        frontier = SqliteFrontier(path)
        run(frontier, backend, mix, entries)
        frontier.close()
        began = time.process_time()
        SqliteFrontier(path).close()
        print(f"{'':27}file {path.stat().st_size / 1e6:,.0f} MB, opened again in {time.process_time() - began:.2f} s", flush=True)


if __name__ == "__main__":
    main()
