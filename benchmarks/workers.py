"""Crawls by several workers over Redis: python benchmarks/workers.py --web WEB.warc.gz --seeds FILE [--kills 20]

The recorded web is served by a real HTTP server (web_server.py) that takes ``--latency`` for every answer; each worker is a
`scrapy crawl topical` of its own, with politeness on: ``--delay`` between two requests of a host, one of them at a time, and
robots.txt obeyed. For every number of workers a crawl runs to its end; printed are its speed, whether the texts of its corpora
together are those of the first crawl, which pages were fetched twice, and how close the requests of a host came to each other at
the server.

Texts are equal only where the verdict on a page does not depend on the pages before it, as with the default strategy here,
`semantic`. `adaptive` judges by what it has learned so far, and with several requests in flight no two crawls learn in the same
order, not even by one worker: texts that one crawl kept and the other found off topic are then counted, but are no failure.

With ``--kills N`` a further crawl by the greatest number of workers follows, in which a random one of the workers that have
pages in flight gets SIGKILL N times, at random numbers of finished pages, and another takes its place; Redis and PostgreSQL are
killed and started again once each. What was in flight at each kill is read from Redis after it.

Exit code 1: texts differ, a URL was lost, a page was fetched twice without need, a row or a text is in the corpus twice, or a
host was asked too early or by too many at once. A gap may be too short by ``--tolerance``: between what a worker sends and what
the server sees lie two processes that wait for the processor.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import worker_figures as figures
from worker_crawl import Crawl, Event, Servers, Setup
from worker_figures import Crawled

from topical_crawler.recordings.reader import Recording
from topical_crawler.strategies import load

SHOWN = 12


def events(kills: int, pages: int, servers: Servers, seed: int) -> list[Event]:
    """When what is done to a crawl of about so many pages."""
    chance = random.Random(seed)
    found = [(chance.randint(pages // 50 + 1, pages * 9 // 10), "kill") for _ in range(kills)]
    found += [(pages // 3, "redis")] if servers.redis is not None else []
    found += [(pages * 2 // 3, "postgresql")] if servers.postgres is not None else []
    return sorted(found)


def report(crawled: Crawled, first: Crawled, setup: Setup, body: Callable[[str], bytes]) -> dict[str, Any]:
    """All figures of a crawl; ``first`` is the one that it is compared with, ``body`` gives the recorded page of a URL."""
    found: dict[str, Any] = {
        "workers": crawled.workers,
        **crawled.speed(),
        "fetched_again": figures.fetched_again(crawled),
        "duplicates": figures.duplicates(crawled.records),
        "judges_by_what_it_learned": load(setup.strategy).learns_links,
        "politeness": figures.politeness(crawled.hits, setup.delay, setup.own_delays, 1),
        "load": round(os.getloadavg()[0], 1),
    }
    if crawled is not first:
        found |= {"corpus": figures.compare(first, crawled), "frontier": figures.lost(first, crawled, body)}
    if crawled.leases:
        found |= {"kills": len(crawled.leases), "lease_expiries": crawled.expiries, "events": crawled.events}
    return found


def failures(found: dict[str, Any], setup: Setup, tolerance: float) -> list[str]:
    """What does not hold that must."""
    polite, again, twice = found["politeness"], found["fetched_again"], found["duplicates"]
    short = [gap for gap in polite["too_short"] if gap["ms"] < gap["delay_ms"] * (1 - tolerance)]
    corpus = found.get("corpus", {"equal": True, "unexplained": []})
    same = not corpus["unexplained"] if found["judges_by_what_it_learned"] else corpus["equal"]
    shared = setup.corpus == "postgresql" or found["workers"] == 1
    wrong = {
        f"{len(short)} requests too early for their host": bool(short),
        f"up to {polite['most_in_flight_per_host']} requests of a host at once": bool(polite["hosts_over_the_limit"]),
        f"{again['others']} pages fetched again without need": again["others"] > 0,
        f"{len(twice['url'])} rows of URLs that are in the corpora twice": bool(twice["url"]),
        f"{len(twice['text'])} rows of texts that are in the corpus twice": shared and bool(twice["text"]),
        "other texts than in the first crawl": not same,
        f"{len(found.get('frontier', {}).get('lost', ()))} URLs lost": bool(found.get("frontier", {}).get("lost")),
    }
    return [what for what, is_so in wrong.items() if is_so]


def show(found: dict[str, Any], wrong: list[str]) -> None:
    """The figures in words."""
    title = f"{found['workers']} workers" + (f", {found['kills']} kills" if "kills" in found else "")
    print(f"\n== {title} (load {found['load']})")
    print(
        f"{found['pages']} pages of {found['hosts']} hosts in {found['crawling_seconds']} s: "
        f"{found['pages_per_second']} a second; {found['seconds']} s in all; CPU per page {found['cpu_ms_per_page']} ms, "
        f"of Redis {found['redis_cpu_ms_per_page']} ms; {found['kept']} kept; robots.txt asked for {found['robots_txt']} times"
    )
    for event in found.get("events", ()):
        print(f"   {event}")
    polite, again = found["politeness"], found["fetched_again"]
    print("gaps between pages of a host, in delays:  " + "  ".join(f"{name} {n}" for name, n in polite["gaps"].items()))
    print(
        f"   shortest {polite['shortest_gap_in_delays']} delays; "
        f"beside a robots.txt {polite['shortest_gap_to_robots_txt_ms']} ms; "
        f"most requests of a host at once: {polite['most_in_flight_per_host']}"
    )
    _list("too early", [f"{gap['host']} {gap['ms']} ms {gap['by']}" for gap in polite["too_short"]])
    print(
        f"fetched again: {again['in_open_leases']} in open leases of killed workers ({again['leases_open_at_kills']} were open), "
        f"{again['others']} others"
    )
    _list("others", [f"{url} by {name} at {at} s: {status}" for url, name, at, status in again["other_requests"]])
    for kind, urls in found["duplicates"].items():
        _list(f"twice in the corpora by {kind}", urls)
    if "corpus" in found:
        corpus, frontier = found["corpus"], found["frontier"]
        others = len(corpus["missing"]) + len(corpus["more"]) - len(corpus["unexplained"])
        verdict = "equal" if corpus["equal"] else f"DIFFERENT, {others} of them judged otherwise in the other crawl"
        print(f"texts: {corpus['texts'][0]} in the first crawl, {corpus['texts'][1]} here: {verdict}")
        _list("missing", [f"{url}: {why}" for url, why in corpus["missing"].items()])
        _list("more", [f"{url}: {why}" for url, why in corpus["more"].items()])
        print(f"   pages fetched only by the first: {corpus['pages_missing']}; only here: {corpus['pages_more']}")
        print(
            f"   of {frontier['of']} finished pages lost: {len(frontier['lost'])}; finished twice: {frontier['finished_twice']}"
        )
        _list("lost", [f"{url}: {fate}" for url, fate in frontier["lost"].items()])
    for what in wrong:
        print(f"   MUST NOT BE: {what}")


def _list(title: str, lines: list[str]) -> None:
    if lines:
        print(f"   {title}: {len(lines)}")
        for line in lines[:SHOWN]:
            print(f"      {line}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, required=True, help="the recorded web, a WARC file")
    parser.add_argument("--seeds", type=Path, required=True, help="file of start URLs in it")
    parser.add_argument("--topic", default="partybuilding")
    parser.add_argument("--strategy", default="semantic", help="(semantic: finds the same texts in whatever order pages come)")
    parser.add_argument(
        "--workers", default="1,2,4", help="numbers of workers (1,2,4); the first crawl is what others are held to"
    )
    parser.add_argument("--kills", type=int, default=0, help="kill workers so often in one more crawl")
    parser.add_argument("--frontier", choices=("redis", "sqlite"), default="redis", help="sqlite: one worker only")
    parser.add_argument("--corpus", choices=("sqlite", "postgresql"), default="postgresql", help="sqlite: one for each worker")
    parser.add_argument("--delay", type=float, default=0.05, help="DOWNLOAD_DELAY, seconds (0.05)")
    parser.add_argument("--latency", type=float, default=0.05, help="seconds from a request to its answer (0.05)")
    parser.add_argument("--crawl-delay", action="append", default=[], metavar="HOST=SECONDS", help="in the robots.txt of a host")
    parser.add_argument("--in-flight", type=int, default=16, help="CONCURRENT_REQUESTS of a worker (16)")
    parser.add_argument("--lease", type=float, default=20.0, help="TOPICAL_LEASE_SECONDS (20)")
    parser.add_argument("--tolerance", type=float, default=0.0, help="part of the delay by which a gap may be shorter (0)")
    parser.add_argument("--seed", type=int, default=0, help="of the kills")
    parser.add_argument("--keep", type=Path, help="an empty folder for logs and corpora; else they are deleted at the end")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("-s", "--set", action="append", default=[], metavar="NAME=VALUE", help="a further Scrapy setting")
    options = parser.parse_args()
    numbers = [int(number) for number in options.workers.split(",")]
    if options.frontier == "sqlite" and (numbers != [1] or options.kills):
        parser.error("--frontier sqlite is for one worker that nobody kills: --workers 1 --kills 0")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))  # an end that ends workers and servers too
    setup = Setup(
        web=options.web.resolve(),
        seeds=options.seeds.resolve(),
        topic=options.topic,
        strategy=options.strategy,
        frontier=options.frontier,
        corpus=options.corpus,
        delay=options.delay,
        latency=options.latency,
        own_delays={host: float(seconds) for host, _, seconds in (given.partition("=") for given in options.crawl_delay)},
        in_flight=options.in_flight,
        lease=options.lease,
        seed=options.seed,
        settings=tuple(options.set),
    )
    with tempfile.TemporaryDirectory(prefix="topical-workers-") as name:
        folder = options.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        with Servers(setup, folder) as servers:
            return run(setup, servers, folder, numbers, options)


def run(setup: Setup, servers: Servers, folder: Path, numbers: list[int], options: argparse.Namespace) -> int:
    """The crawls one after the other; exit code."""
    plan: list[tuple[str, int]] = [(f"crawl-{place + 1}-workers-{n}", n) for place, n in enumerate(numbers)]
    plan += [("killed", max(numbers))] if options.kills else []
    results, failed, first = [], 0, None
    for name, workers in plan:
        happens = (
            events(options.kills, len(first.finished), servers, options.seed) if name == "killed" and first is not None else []
        )
        crawled = Crawl(setup, servers, folder, name, workers).run(happens)
        first = first or crawled
        with Recording(setup.web) as recording:
            found = report(crawled, first, setup, lambda url: answer.body if (answer := recording.get(url)) else b"")
        wrong = failures(found, setup, options.tolerance)
        failed += len(wrong)
        show(found, wrong)
        sys.stdout.flush()
        results.append({**found, "must_not_be": wrong})
        if options.json:
            options.json.write_text(
                json.dumps({"setup": vars(setup), "crawls": results}, indent=1, default=str, ensure_ascii=False)
            )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
