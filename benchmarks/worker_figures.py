"""Figures of a crawl for benchmarks/workers.py: from the web server's log, the frontier in Redis, the corpus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import msgpack
from web_server import Hit

from topical_crawler.corpus.record import Record
from topical_crawler.frontier.base import State
from topical_crawler.frontier.redis_server import HEADER, read_outcome
from topical_crawler.strategies import OFF_TOPIC
from topical_crawler.web.urls import fingerprint

ROBOTS = "/robots.txt"
UNKNOWN = "unknown"
GAPS = (0.5, 0.9, 1.0, 1.02, 1.1, 1.25, 1.5, 2.0, 5.0)
"""Upper ends of the histogram's columns, in delays of the host."""


@dataclass
class Crawled:
    """A crawl that ended.

    Attributes:
        workers: how many crawled at a time.
        seconds: from the start of the first worker to the end of the last.
        cpu: seconds of processor time of the workers that ended by themselves, with their extraction processes.
        redis_cpu: of the Redis server.
        hits: what the web server saw.
        records: rows of the corpora, rejected ones too.
        finished: URLs that the frontier holds as fetched and finished, in their order.
        fate: what the frontier says of a URL that was not finished.
        leases: for each kill, the keys that were in flight at the worker that was killed.
        expiries: leases that ran out.
        events: what was done to the crawl, with the time since its start.
    """

    workers: int
    seconds: float = 0.0
    cpu: float = 0.0
    redis_cpu: float = 0.0
    hits: list[Hit] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    fate: Callable[[str], str] = lambda url: UNKNOWN
    leases: list[frozenset[bytes]] = field(default_factory=list)
    expiries: int = 0
    events: list[str] = field(default_factory=list)

    def pages(self) -> list[Hit]:
        """Requests, those for robots.txt apart."""
        return [hit for hit in self.hits if hit.path != ROBOTS]

    def texts(self) -> dict[str, str]:
        """Digest of a kept text → URL."""
        return {record.content_hash: record.url for record in self.records if record.keep}

    def speed(self) -> dict[str, float]:
        """Pages, seconds and the like; the rate counts from the first request to the last."""
        pages = self.pages()
        crawling = pages[-1].answered - pages[0].arrived
        return {
            "pages": len(pages),
            "seconds": round(self.seconds, 1),
            "crawling_seconds": round(crawling, 1),
            "pages_per_second": round(len(pages) / crawling, 1),
            "cpu_ms_per_page": round(1e3 * self.cpu / len(pages), 2),
            "redis_cpu_ms_per_page": round(1e3 * self.redis_cpu / len(pages), 2),
            "kept": sum(record.keep for record in self.records),
            "robots_txt": len(self.hits) - len(pages),
            "hosts": len({hit.host for hit in self.hits}),
        }


def politeness(hits: Iterable[Hit], delay: float, own: Mapping[str, float], limit: int) -> dict[str, Any]:
    """Gaps between two requests for pages of one host as they arrived, in delays of the host; and how many were open at once.

    A request for robots.txt comes before a host's delay is known and is counted apart; it counts among those that are open.
    """
    by_host: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_host[hit.host].append(hit)
    counts, shortest, robots, short = [0] * (len(GAPS) + 1), float("inf"), float("inf"), []
    most: Counter[str] = Counter()
    for host, asked in by_host.items():
        wanted = max(delay, own.get(host, 0.0))
        for one, two in pairwise(asked):
            if one.path == ROBOTS or two.path == ROBOTS:
                robots = min(robots, two.arrived - one.arrived)
        pages = [hit for hit in asked if hit.path != ROBOTS]
        for one, two in pairwise(pages):
            gap = (two.arrived - one.arrived) / wanted if wanted else float("inf")
            shortest = min(shortest, gap)
            counts[sum(gap >= end for end in GAPS)] += 1
            if gap < 1:
                short.append(
                    {"host": host, "ms": round(1e3 * gap * wanted, 2), "delay_ms": 1e3 * wanted, "by": [one.name, two.name]}
                )
        steps = sorted([(hit.arrived, 1) for hit in asked] + [(hit.answered, -1) for hit in asked])
        now = 0
        for _, step in steps:
            now += step
            most[host] = max(most[host], now)
    return {
        "gaps": dict(zip([*(f"<{end:g}" for end in GAPS), f">={GAPS[-1]:g}"], counts, strict=True)),
        "shortest_gap_in_delays": round(shortest, 4),
        "too_short": sorted(short, key=lambda one: float(one["ms"])),
        "shortest_gap_to_robots_txt_ms": None if robots == float("inf") else round(1e3 * robots, 1),
        "most_in_flight_per_host": max(most.values(), default=0),
        "hosts_over_the_limit": {host: n for host, n in most.items() if n > limit},
    }


def fetched_again(crawled: Crawled) -> dict[str, Any]:
    """Pages that were asked for more than once, by their canonical address: those that were in an open lease of a worker when it
    was killed, as often as that happened, and all others. An answer of 500 or more may be asked for again, and counts as none."""
    times = Counter(fingerprint(hit.url) for hit in crawled.pages() if hit.status < 500)
    open_at_kills = Counter(key for keys in crawled.leases for key in keys)
    again = {key: n - 1 for key, n in times.items() if n > 1}
    unneeded = {key for key, n in again.items() if n > open_at_kills[key]}
    return {
        "leases_open_at_kills": sum(open_at_kills.values()),
        "in_open_leases": sum(min(n, open_at_kills[key]) for key, n in again.items()),
        "others": sum(again[key] - open_at_kills[key] for key in unneeded),
        "other_requests": [
            [hit.url, hit.name, round(hit.arrived - crawled.hits[0].arrived, 2), hit.status]
            for hit in crawled.pages()
            if fingerprint(hit.url) in unneeded
        ][:40],
    }


def duplicates(records: Iterable[Record]) -> dict[str, list[str]]:
    """Rows of the same canonical address, and kept rows of the same text."""
    found = list(records)
    rows = Counter(record.key for record in found)
    texts = Counter(record.content_hash for record in found if record.keep)
    return {
        "url": [record.url for record in found if rows[record.key] > 1],
        "text": [record.url for record in found if record.keep and texts[record.content_hash] > 1],
    }


def compare(first: Crawled, other: Crawled) -> dict[str, Any]:
    """Texts that only ``first`` has, and those that only ``other`` has, with the reason by URL; ``unexplained``: URLs of those
    that the other crawl did not find off topic."""
    one, two = first.texts(), other.texts()
    missing = {one[digest]: _why(other, one[digest]) for digest in one.keys() - two.keys()}
    more = {two[digest]: _why(first, two[digest]) for digest in two.keys() - one.keys()}
    return {
        "equal": one.keys() == two.keys(),
        "texts": [len(one), len(two)],
        "missing": missing,
        "more": more,
        "unexplained": [url for url, why in (*missing.items(), *more.items()) if why != f"rejected: {OFF_TOPIC}"],
        "pages_missing": _count(_why(other, url) for url in _only(first, other)),
        "pages_more": _count(_why(first, url) for url in _only(other, first)),
    }


def lost(first: Crawled, other: Crawled, body: Callable[[str], bytes]) -> dict[str, Any]:
    """Of the pages that ``first`` has finished, those that ``other`` has not. One is lost that the frontier of ``other`` knows as
    neither finished nor dropped, or does not know though a page that was fetched speaks of it; the others were decided otherwise,
    as it may be where pages came in another order. ``body`` gives the recorded page of a URL."""
    fates = {url: other.fate(url) for url in _only(first, other)}
    for url in [url for url, fate in fates.items() if fate == UNKNOWN]:
        name = url.rsplit("/", 1)[-1].encode()
        parent = next((page.url for page in other.pages() if page.status == 200 and name in body(page.url)), None)
        fates[url] = (
            "never met: no page that was fetched links to it" if parent is None else f"unknown, though {parent} was fetched"
        )
    gone = {url: fate for url, fate in fates.items() if not fate.startswith(("dropped: ", "never met: "))}
    return {
        "of": len(set(first.finished)),
        "lost": gone,
        "decided_otherwise": _count(fate for url, fate in fates.items() if url not in gone),
        "finished_twice": len(other.finished) - len({fingerprint(url) for url in other.finished}),
    }


def _only(one: Crawled, two: Crawled) -> list[str]:
    known = {fingerprint(url) for url in two.finished}
    return [url for url in one.finished if fingerprint(url) not in known]


def _why(crawled: Crawled, url: str) -> str:
    key = fingerprint(url).hex()
    for record in crawled.records:
        if record.key == key:
            return f"rejected: {record.reason}" if record.reason else "kept with another text"
    return crawled.fate(url)


def _count(reasons: Iterable[str]) -> dict[str, int]:
    return dict(Counter(reasons).most_common())


class RedisCrawl:
    """The frontier of a crawl in Redis, read without taking part in it."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._prefix = f"topical:{{{name}}}:"

    def done(self) -> int:
        """How many pages are finished."""
        return int(self._client.llen(self._prefix + "outcomes"))

    def finished(self) -> list[str]:
        """The URLs of the finished pages, in their order."""
        return [read_outcome(packed).url for packed in self._client.lrange(self._prefix + "outcomes", 0, -1)]

    def leases(self, worker: str) -> frozenset[bytes]:
        """Keys of what is in flight at a worker."""
        flights = self._client.hgetall(self._prefix + "flights").items()
        return frozenset(key for key, packed in flights if msgpack.unpackb(packed, raw=True)[4] == worker.encode())

    def fate(self, url: str) -> str:
        """State of a URL, with the reason where it was dropped."""
        key = fingerprint(url)
        record = self._client.hget(self._prefix + "entries", key)
        if record is None:
            return UNKNOWN
        if self._client.hexists(self._prefix + "flights", key):
            return "in flight"
        _, state, *_, host, address, meta, reason = HEADER.unpack_from(record)
        at = HEADER.size + host + address + meta
        found = record[at : at + reason].decode("utf-8", "replace")
        return f"dropped: {found}" if state == State.DROPPED else State(state).name.lower()

    def expiries(self) -> int:
        """How many leases ran out."""
        return int(self._client.hget(self._prefix + "meta", "expired") or 0)
