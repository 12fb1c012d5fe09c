"""The frontiers that benchmarks/frontier.py compares, each behind the same four calls.

Of other projects the real classes run, put together as their schedulers do it: the duplicate filter is asked about every
request (``request_seen``), a new one is pushed. None of them adds the evidence of a link found again, raises its priority, keeps
what is in flight, or spaces the requests of a host: they do less than a frontier of this project.

A request carries in ``meta`` what an entry does: parent, anchor text, relevance, depth. Where ``bare``, it carries nothing, which
is the least that a URL can take there.
"""

from __future__ import annotations

import heapq
import resource
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.frontier.base import Entry, Frontier, Outcome
from topical_crawler.frontier.sqlite import SqliteFrontier

AHEAD = 16
"""Entries that a worker has room for: CONCURRENT_REQUESTS. The Redis frontier reserves as many in one call."""
LEVELS = 10
"""Priorities in Scrapy's disk queue, which keeps a file open for every host and priority."""


class Rival(Protocol):
    """A frontier that is measured. ``items`` are entries in its own form."""

    finishes: bool
    """Whether it wants to know of the end of a page without links."""

    def prepare(self, entries: list[Entry]) -> list[Any]:
        """Entries as its caller would have them; not measured."""
        ...

    def push(self, items: list[Any]) -> None:
        """The links of a page are found."""
        ...

    def pop(self, now: float) -> Any:
        """The next one to fetch."""
        ...

    def done(self, item: Any, links: list[Any]) -> None:
        """It is fetched, and these are its links."""
        ...

    def url(self, item: Any) -> str:
        """The address of what ``pop`` gave; not measured."""
        ...


class Ours:
    """A frontier of this project: the links of a page are one call."""

    finishes = True

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier

    def pop(self, now: float) -> Any:
        return self._frontier.pop(now, AHEAD)

    def prepare(self, entries: list[Entry]) -> list[Any]:
        return entries

    def push(self, items: list[Any]) -> None:
        self._frontier.push(items)

    def done(self, item: Any, links: list[Any]) -> None:
        self._frontier.done(item.key, Outcome(item.url, True, 0.5), links)

    def url(self, item: Any) -> str:
        return str(item.url)

    def close(self) -> None:
        self._frontier.close()


class Heap:
    """heapq and a set: what no frontier in Python can be quicker than."""

    finishes = False

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Entry]] = []
        self._seen: set[bytes] = set()

    def prepare(self, entries: list[Entry]) -> list[Any]:
        return entries

    def push(self, items: list[Any]) -> None:
        for entry in items:
            if entry.key not in self._seen:
                self._seen.add(entry.key)
                heapq.heappush(self._heap, (-entry.priority, len(self._seen), entry))

    def pop(self, now: float) -> Any:
        return heapq.heappop(self._heap)[2]

    def done(self, item: Any, links: list[Any]) -> None:
        self.push(links)

    def url(self, item: Any) -> str:
        return str(item.url)


class Requests:
    """A queue of Scrapy requests and a duplicate filter, as Scrapy's and scrapy-redis' schedulers use them."""

    finishes = False

    def __init__(self, queue: Any, seen: Callable[[Any], bool], levels: int, bare: bool) -> None:
        self._queue, self._seen, self._levels, self._bare = queue, seen, levels, bare

    def prepare(self, entries: list[Entry]) -> list[Any]:
        from scrapy import Request

        return [Request(e.url, priority=int(e.priority * self._levels), meta=self._meta(e)) for e in entries]

    def _meta(self, entry: Entry) -> dict[str, Any]:
        if self._bare:
            return {}
        (found,) = entry.evidence
        evidence = {"parent": found.parent, "relevance": found.relevance, "on_topic": found.on_topic, "anchor": found.anchor}
        return {"depth": entry.depth, "evidence": [evidence]}

    def push(self, items: list[Any]) -> None:
        for request in items:
            if not self._seen(request):
                self._queue.push(request)

    def pop(self, now: float) -> Any:
        return self._queue.pop()

    def done(self, item: Any, links: list[Any]) -> None:
        self.push(links)

    def url(self, item: Any) -> str:
        return str(item.url)


def _scrapy_disk(folder: Path, bare: bool) -> Rival:
    """Scrapy's default queues with a job directory."""
    from scrapy import Spider
    from scrapy.core.downloader import Downloader
    from scrapy.crawler import Crawler
    from scrapy.dupefilters import RFPDupeFilter
    from scrapy.pqueues import DownloaderAwarePriorityQueue
    from scrapy.squeues import PickleLifoDiskQueue
    from scrapy.utils.reactor import install_reactor

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")  # a crawler asks for one
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    crawler = Crawler(Spider, {"JOBDIR": str(folder), "TELNETCONSOLE_ENABLED": False, "LOG_ENABLED": False})
    crawler.spider = Spider("benchmark")
    crawler._apply_settings()
    crawler.engine = SimpleNamespace(downloader=Downloader(crawler))  # type: ignore[assignment]
    queue = DownloaderAwarePriorityQueue.from_crawler(crawler, PickleLifoDiskQueue, str(folder / "requests.queue"))
    return Requests(queue, RFPDupeFilter.from_crawler(crawler).request_seen, LEVELS, bare)


def _scrapy_redis(client: Any, bare: bool) -> Rival:
    """scrapy-redis with its defaults; the requests are pickled."""
    from scrapy import Spider
    from scrapy_redis.dupefilter import RFPDupeFilter
    from scrapy_redis.queue import PriorityQueue

    queue = PriorityQueue(client, Spider("benchmark"), "%(spider)s:requests")
    return Requests(queue, RFPDupeFilter(client, "benchmark:dupefilter").request_seen, 1_000_000, bare)


def _our_redis(client: Any) -> Rival:
    from topical_crawler.frontier.redis import RedisFrontier

    return Ours(RedisFrontier(client, "benchmark", delay=0.0, in_flight_per_host=1))


class Place:
    """Where a rival keeps its data, and what that costs: a folder, and a Redis server where it needs one.

    Args:
        name: one of :data:`NAMES`.
        aof: whether the Redis server writes every command to its append-only file.
    """

    def __init__(self, name: str, aof: bool) -> None:
        self._exit = ExitStack()
        self.folder = Path(self._exit.enter_context(tempfile.TemporaryDirectory()))
        self._client: Any = None
        if "redis" in name:
            from redis_tools import RedisServer

            config = {"appendonly": "yes" if aof else "no", "auto-aof-rewrite-percentage": "0"}
            server = self._exit.enter_context(RedisServer(self.folder / "redis", **config))
            self._client = self._exit.enter_context(closing(server.client()))
        self.name = name
        self.rival = self._make(name)

    def resume(self) -> bool:
        """Open the frontier again, as a crawl does that goes on. Whether it can: ours keep what they have."""
        if self.name not in ("sqlite", "redis"):
            return False
        assert isinstance(self.rival, Ours)
        self.rival.close()
        self.rival = self._make(self.name)
        return True

    def _make(self, name: str) -> Rival:
        bare = name.endswith("-bare")
        match name.removesuffix("-bare"):
            case "memory":
                return Ours(MemoryFrontier())
            case "sqlite":
                return Ours(SqliteFrontier(self.folder / "frontier.sqlite"))
            case "redis":
                return _our_redis(self._client)
            case "heap":
                return Heap()
            case "scrapy-redis":
                return _scrapy_redis(self._client, bare)
            case "scrapy-disk":
                return _scrapy_disk(self.folder / "job", bare)
        raise ValueError(f"{name}: no such frontier")

    def disk(self) -> int:
        """Bytes of its files on disk; what a Redis server writes is not counted, its memory is."""
        if self._client is not None:
            return 0
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())

    def server_memory(self) -> int:
        """Bytes of a Redis server's data (``used_memory``)."""
        return int(self._client.info("memory")["used_memory"]) if self._client is not None else 0

    def server_cpu(self) -> float:
        """Seconds of processor time of a Redis server, AOF included."""
        if self._client is None:
            return 0.0
        found = self._client.info("cpu")
        return float(found["used_cpu_sys"] + found["used_cpu_user"])

    def close(self) -> None:
        if isinstance(self.rival, Ours):
            self.rival.close()
        self._exit.close()


NAMES = ("memory", "sqlite", "redis", "scrapy-redis", "scrapy-redis-bare", "scrapy-disk", "scrapy-disk-bare", "heap")
