"""Operations per second and bytes per URL of the frontiers, and of others: python benchmarks/frontier.py [--entries 1000000]

First a frontier is filled with pages of 60 links (push). Ours are closed, opened again, and give out one entry, as when a crawl
goes on (resume, in seconds). Then entries are given out one by one (pop), each finished without links (done; the others need no
such call: what is in flight is forgotten there); then as many pages are popped and finished with 60 links each, in one of the
mixes:

    news     10 new links; of the known ones 30 are the navigation of the site, 15 other links of the site found lately, 5 links
             from anywhere: the mix of a news site, where a pop brings ten new links
    new      60 new links
    scatter  10 new links, 50 known ones from anywhere, each found for a second time: the worst case for a file

A pop, and every link, counts as one operation. Measured are

    sqlite, redis           the frontiers of this project
    memory                  the one of its experiments, without a file or a server
    scrapy-redis            its PriorityQueue and RFPDupeFilter, with its default serializer (pickle)
    scrapy-disk             Scrapy's defaults with a job directory: PickleLifoDiskQueue in a DownloaderAwarePriorityQueue, and
                            RFPDupeFilter; priorities cut to 10 levels, for it keeps a file open for each host and priority
    heap                    heapq and a set

-bare: the requests carry a URL and a priority alone; else parent, anchor text and relevance as ours do. Each line comes from a
process of its own, with a Redis server of its own. Processor time, in brackets, has the Redis server's in it. Bytes per URL are
those that the filled frontier added to the process, to its files, and to the Redis server's memory.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self, TypeVar

from frontier_rivals import NAMES, Place
from rich.console import Console
from rich.table import Table

from topical_crawler.frontier.base import Entry
from topical_crawler.web.page import Evidence

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "tools"))  # redis_tools

LINKS, PAGES, HOSTS, BATCH = 60, 2_000, 200, 100
LEAST = 20_000
MIXES = {"news": (10, 30, 15, 5), "new": (60, 0, 0, 0), "scatter": (10, 0, 0, 50)}
T = TypeVar("T")


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

    def links(self, url: str, new: int, navigation: int, lately: int, anywhere: int) -> list[Entry]:
        """The links of the page at ``url``."""
        page = int(url[-14:-6])
        site, around = page // LINKS % HOSTS, page // LINKS * LINKS
        numbers = list(range(self.total, self.total + new))
        numbers += range(site * LINKS, site * LINKS + navigation)
        numbers += (around + self.rng.randrange(LINKS) for _ in range(lately))
        numbers += (self.rng.randrange(self.total) for _ in range(anywhere))
        self.total += new
        return [self.entry(number, url) for number in numbers]


class Clock:
    """Time that passes in the calls that are measured, and processor time: of this process in them, and of the server in ``with``
    blocks, in which it works for nobody else."""

    def __init__(self, server_cpu: Callable[[], float]) -> None:
        self._server_cpu = server_cpu
        self.wall = self.cpu = self.server = 0.0

    def __enter__(self) -> Self:
        self.server -= self._server_cpu()
        return self

    def __exit__(self, *_: object) -> None:
        self.server += self._server_cpu()

    def __call__(self, call: Callable[..., T], *arguments: Any) -> T:
        cpu, wall = time.process_time(), time.perf_counter()
        found = call(*arguments)
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        return found

    def rates(self, operations: int) -> dict[str, float]:
        """Thousand operations per second passed and per second of processor time; µs of the server's in each."""
        return {
            "kops": round(operations / self.wall / 1e3, 2),
            "kops_cpu": round(operations / (self.cpu + self.server) / 1e3, 2),
            "server_us": round(self.server / operations * 1e6, 1),
        }


def memory(what: str) -> int:
    """``VmRSS``, resident memory of this process in bytes, or ``VmHWM``, the most that it ever had."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(what))


def run(name: str, mix: str, entries: int, aof: bool) -> dict[str, Any]:
    """Measure one frontier, here."""
    with closing(Place(name, aof)) as place:
        return _measure(place, name, mix, entries)


def _measure(place: Place, name: str, mix: str, entries: int) -> dict[str, Any]:
    rival, web = place.rival, Web(entries)
    links = rival.prepare([web.entry(n, "http://www.site0.cn/") for n in range(LINKS)])
    rival.push(links)  # what is imported at first use is imported here
    gc.collect()
    before, server_before, disk_before = memory("VmRSS"), place.server_memory(), place.disk()
    push, pop, done, mixed = (Clock(place.server_cpu) for _ in range(4))
    with push:
        for start in range(LINKS, entries, LINKS):
            parent = f"http://www.site{start // LINKS % HOSTS}.cn/list_{start}.shtml"
            links = rival.prepare([web.entry(n, parent) for n in range(start, min(start + LINKS, entries))])
            push(rival.push, links)
    del links
    gc.collect()
    taken = {
        "process": memory("VmRSS") - before,
        "disk": place.disk() - disk_before,
        "redis": place.server_memory() - server_before,
    }
    began = time.perf_counter()
    resumed = place.resume()
    rival = place.rival
    first_page = rival.pop(0.0)
    resume = time.perf_counter() - began
    rival.done(first_page, [])
    for first in range(0, PAGES, BATCH):
        with pop:
            pages = [pop(rival.pop, float(number)) for number in range(first, first + BATCH)]
        with done:
            for page in pages:
                done(rival.done, page, [])
    with mixed:
        for number in range(PAGES, 2 * PAGES):
            page = mixed(rival.pop, float(number))
            links = rival.prepare(web.links(rival.url(page), *MIXES[mix]))
            mixed(rival.done, page, links)
    return {
        "frontier": name,
        "entries": entries,
        "push": push.rates(entries - LINKS),
        **({"resume": round(resume, 2)} if resumed else {}),
        "pop": pop.rates(PAGES),
        **({"done": done.rates(PAGES)} if rival.finishes else {}),
        mix: mixed.rates(PAGES * (LINKS + 1)),
        "bytes": {where: round(number / entries) for where, number in taken.items()},
        "growth_mb": round((memory("VmHWM") - before) / 1e6, 1),
    }


def show(results: list[dict[str, Any]], mixes: list[str]) -> None:
    """The figures in one table."""
    table = Table(title="thousand operations per second (per second of CPU), bytes per URL", title_justify="left", box=None)
    table.add_column("frontier")
    for head in ("entries", "push", "resume s", "pop", "done", *mixes, "process", "disk", "Redis", "growth MB"):
        table.add_column(head, justify="right", no_wrap=True)
    for one in results:
        rates = [f"{one[k]['kops']:.1f} ({one[k]['kops_cpu']:.1f})" if k in one else "–" for k in ("push", "pop", "done", *mixes)]
        rates.insert(1, f"{one['resume']:.1f}" if "resume" in one else "–")
        taken = (f"{one['bytes'][k]:,}" for k in ("process", "disk", "redis"))
        table.add_row(one["frontier"], f"{one['entries']:,}", *rates, *taken, f"{one['growth_mb']:.0f}")
    Console(width=max(130, Console().width), highlight=False).print(table)


def main() -> int:
    """Every combination in a process of its own; ``--one`` combination here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--backend", choices=NAMES, nargs="+", default=list(NAMES))
    parser.add_argument("--mix", choices=tuple(MIXES), nargs="+", default=["news"])
    parser.add_argument("--aof", action="store_true", help="the Redis servers write append-only files (fsync every second)")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if min(options.entries) < LEAST:
        parser.error(f"--entries: at least {LEAST}, for {PAGES} pages are taken from {HOSTS} hosts")
    if options.one:
        warnings.simplefilter("ignore")  # of deprecations in other projects
        logging.disable(logging.WARNING)  # of a Redis server that keeps nothing over a restart
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # an end that ends the Redis server too
        print(json.dumps(run(options.backend[0], options.mix[0], options.entries[0], options.aof)))
        return 0
    results = []
    for entries in options.entries:
        for name in options.backend:
            for mix in options.mix:
                call = [sys.executable, __file__, "--one", "--entries", str(entries), "--backend", name, "--mix", mix]
                call += ["--aof"] if options.aof else []
                found = subprocess.run(call, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
                results.append(json.loads(found))
                print(f"{name}, {entries:,} entries, {mix}: done", file=sys.stderr, flush=True)
    load = [round(x, 2) for x in os.getloadavg()]
    if options.json:
        print(json.dumps({"load": load, "aof": options.aof, "results": results}, indent=1))
    else:
        show(results, options.mix)
        print(f"load of the machine at the end: {load[0]}, {load[1]} over five minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
