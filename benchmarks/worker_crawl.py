"""The running crawls of benchmarks/workers.py: worker processes, their servers, kills."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from web_server import WebServer
from worker_figures import Crawled, RedisCrawl

from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "tools"))  # redis_tools, postgres_tools

EVERY = 0.05
PATIENCE = 300.0
"""Seconds without a finished page after which a crawl is taken to hang; more than any lease."""
Event = tuple[int, str]
"""At how many finished pages something is done to the crawl: "kill" of a worker, "redis", "postgresql"."""


@dataclass(frozen=True)
class Setup:
    """What the crawls of a run have in common; ``own_delays`` are the Crawl-delays of hosts, in seconds."""

    web: Path
    seeds: Path
    topic: str
    strategy: str
    frontier: str
    corpus: str
    delay: float
    latency: float
    own_delays: dict[str, float]
    in_flight: int
    lease: float
    seed: int
    settings: tuple[str, ...]


class Worker:
    """One process of a crawl."""

    def __init__(self, name: str, command: Sequence[str], environment: dict[str, str], log: Path) -> None:
        self.name, self.log = name, log
        self.cpu = 0.0
        with log.open("w", encoding="utf-8") as out:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)

    def ended(self) -> bool:
        """Whether it has; then its processor time is known, with that of its extraction process."""
        if self._process.returncode is None:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu = usage.ru_utime + usage.ru_stime
        return self._process.returncode is not None

    def check(self) -> None:
        """Raises SystemExit where it ended with an error."""
        if self._process.returncode:
            text = self.log.read_text(encoding="utf-8", errors="replace")
            raise SystemExit(f"worker {self.name} ended with exit code {self._process.returncode}:\n{text[-3000:]}")

    def kill(self) -> None:
        """SIGKILL, and the end of the process."""
        while not self.ended():
            self._process.send_signal(signal.SIGKILL)
            time.sleep(0.001)


class Servers:
    """A Redis and a PostgreSQL server for all crawls of a run, where they are needed; for a ``with`` statement."""

    def __init__(self, setup: Setup, folder: Path) -> None:
        self._stack = contextlib.ExitStack()
        self.redis = self.postgres = None
        if setup.frontier == "redis":
            from redis_tools import RedisServer

            self.redis = RedisServer(folder / "redis", appendonly="yes", appendfsync="everysec")
        if setup.corpus == "postgresql":
            from postgres_tools import PostgresServer

            self.postgres = PostgresServer(folder / "postgresql", fsync="on")

    def __enter__(self) -> Self:
        for server in (self.redis, self.postgres):
            if server is not None:
                self._stack.enter_context(server)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def redis_cpu(self) -> float:
        """Seconds of processor time of the Redis server since it was started."""
        if self.redis is None:
            return 0.0
        with contextlib.closing(self.redis.client()) as client:
            found = client.info("cpu")
        return float(found["used_cpu_sys"] + found["used_cpu_user"])


class Crawl:
    """A crawl by several workers.

    Args:
        name: of the crawl; the servers have seen no other of that name.
        folder: for its logs and, where they are files, its corpora.
    """

    def __init__(self, setup: Setup, servers: Servers, folder: Path, name: str, workers: int) -> None:
        self._setup, self._servers, self._name, self._workers = setup, servers, name, workers
        self._folder, self._cache = folder / name, folder / "cache"
        self._folder.mkdir()
        self._corpus = servers.postgres.new_database() if servers.postgres is not None else ""
        self._frontier = RedisCrawl(servers.redis.client(), name) if servers.redis is not None else None
        self._moments = random.Random(setup.seed)
        self._running: list[Worker] = []
        self._redis_cpu = 0.0

    def run(self, events: Sequence[Event] = ()) -> Crawled:
        """Crawl to the end, doing ``events``, which are in order, on the way."""
        crawled, log = Crawled(self._workers), self._folder / "requests.jsonl"
        setup, cpu = self._setup, self._servers.redis_cpu()
        try:
            with WebServer(setup.web, log, setup.latency, setup.own_delays) as self._web:
                began = time.monotonic()
                for number in range(self._workers):
                    self._start(f"w{number + 1}")
                self._watch(crawled, list(events), began)
                crawled.seconds = time.monotonic() - began
        finally:
            for worker in self._running:
                worker.kill()
        crawled.redis_cpu = self._redis_cpu + self._servers.redis_cpu() - cpu
        crawled.hits = self._web.hits()
        for corpus in [self._corpus] if self._corpus else sorted(self._folder.glob("*/corpus.sqlite")):
            with CorpusStore(corpus, read_only=True) as store:
                crawled.records += store.records(Filters(rejected=True))
        if self._frontier is not None:
            crawled.finished, crawled.fate = self._frontier.finished(), self._frontier.fate
            crawled.expiries = self._frontier.expiries()
        else:
            crawled.finished = [record.url for record in crawled.records]
        return crawled

    def _watch(self, crawled: Crawled, events: list[Event], began: float) -> None:
        done, changed = 0, began
        while self._running:
            time.sleep(EVERY)
            for worker in [worker for worker in self._running if worker.ended()]:
                worker.check()
                crawled.cpu += worker.cpu
                self._running.remove(worker)
            now_done = self._frontier.done() if self._frontier is not None else len(self._web.hits())
            if now_done != done:
                done, changed = now_done, time.monotonic()
            elif time.monotonic() - changed > PATIENCE:
                raise SystemExit(f"{self._name}: no page finished for {PATIENCE:.0f} s; the logs are in {self._folder}")
            while events and done >= events[0][0] and self._running:
                said = getattr(self, f"_{events[0][1]}")(crawled)
                if said is None:
                    break
                crawled.events.append(f"{time.monotonic() - began:.1f} s, {done} pages: {events.pop(0)[1]} {said}")
        if events:
            crawled.events.append(f"the crawl was over before {events}")

    def _kill(self, crawled: Crawled) -> str | None:
        """Kill a worker that has pages in flight; None where none has."""
        assert self._frontier is not None
        busy = [worker for worker in self._running if self._frontier.leases(worker.name)]
        if not busy:
            return None
        victim = self._moments.choice(busy)
        victim.kill()
        leases = self._frontier.leases(victim.name)  # nobody ends them any more, and they run for a while yet
        crawled.leases.append(leases)
        self._running.remove(victim)
        self._start(f"{victim.name.partition('.')[0]}.{len(crawled.leases)}")
        return f"{victim.name}, {len(leases)} in flight"

    def _redis(self, crawled: Crawled) -> str:
        assert self._servers.redis is not None
        self._redis_cpu += self._servers.redis_cpu()
        self._servers.redis.kill()
        self._servers.redis.start()
        return "killed and started again"

    def _postgresql(self, crawled: Crawled) -> str:
        assert self._servers.postgres is not None
        self._servers.postgres.kill()
        self._servers.postgres.start()
        return "killed and started again"

    def _start(self, name: str) -> None:
        """Another worker. A name is given once: what a killed one had in flight is still in its name."""
        setup = self._setup
        settings: dict[str, Any] = {
            "TOPICAL_FRONTIER": setup.frontier,
            "TOPICAL_CRAWL": self._name,
            "TOPICAL_WORKER": name,
            "TOPICAL_LEASE_SECONDS": setup.lease,
            "TOPICAL_DATA_DIR": self._folder / name,
            "TOPICAL_CACHE_DIR": self._cache,
            "TOPICAL_RESOURCES": 0,
            "TOPICAL_DISPLAY": "off",
            "DOWNLOAD_DELAY": setup.delay,
            "CONCURRENT_REQUESTS": setup.in_flight,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "LOG_LEVEL": "INFO",
        }
        settings |= {"REDIS_URL": self._servers.redis.url} if self._servers.redis is not None else {}
        settings |= {"TOPICAL_CORPUS": self._corpus} if self._corpus else {}
        command = [sys.executable, "-m", "scrapy", "crawl", "topical", "-a", f"topic={setup.topic}", "-a", f"seeds={setup.seeds}"]
        command += ["-a", f"strategy={setup.strategy}"]
        command += [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
        command += [part for setting in setup.settings for part in ("-s", setting)]
        environment = {**self._web.environment(name), "PYTHONPATH": str(ROOT)}
        self._running.append(Worker(name, command, environment, self._folder / f"{name}.log"))
