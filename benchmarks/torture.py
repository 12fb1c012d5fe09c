"""Crawls under a bad day: python benchmarks/torture.py [--only NAME …] [--scale 1] [--web WEB.warc.gz --seeds FILE]

A recorded web, by default that of the demo, is crawled without a break, then again and again while at random moments (--seed) one
thing is done to the crawl: its process gets SIGKILL, SIGTERM or SIGSTOP, its disk is full (RLIMIT_FSIZE), the clock jumps
(libfaketime), its Redis or PostgreSQL server gets SIGKILL and comes back, or the web is gone for a while. Whoever ended is
started again by the same command. A row of the table is one such thing on one back end, over as many crawls as it takes:

    sqlite  one worker, one request in flight, strategy adaptive: the rows must be those of the undisturbed crawl, in its order
    shared  two workers over Redis (append-only file) and PostgreSQL, strategy semantic, whose verdicts depend on no order
    web     one worker that fetches from a real HTTP server

Rows are lost that only the undisturbed crawl has, and doubled where an address or a kept text is there twice. Fetches are counted
in the log of every process. A page that was in flight when something happened may be fetched again; any other fetched again is
"needless". "Leases left" are pages that a worker kept to itself when it ended by SIGTERM. Exit code 1: rows were lost or doubled,
came in another order, or were fetched needlessly; leases were left; or a process ended otherwise than it should. The logs of
such a crawl stay in --keep.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "tools"))  # fork_tools, redis_tools, postgres_tools

from fork_tools import Forked  # noqa: E402
from postgres_tools import PostgresServer  # noqa: E402
from redis_tools import RedisServer, free_port  # noqa: E402
from worker_figures import RedisCrawl  # noqa: E402

from topical_crawler.corpus.record import Filters, Record  # noqa: E402
from topical_crawler.corpus.store import CorpusStore  # noqa: E402
from topical_crawler.web.urls import fingerprint  # noqa: E402

EVERY = 0.01
HANGS = 300.0  # seconds without a page after which a crawl is taken to hang; more than any lease
LEASE = 10.0
MOST_A_CRAWL = 25  # most disturbances of one crawl
PAGES_BETWEEN = 8  # most pages between two disturbances; a fifth of them come while a process starts
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")

_CRAWLED = re.compile(r"DEBUG: Crawled \(\d+\) <GET (\S+)>")
_REDIRECTED = re.compile(r"DEBUG: Redirecting \([^)]*\) to <GET \S+> from <GET (\S+)>")
_LEASE_LOST = re.compile(r"WARNING: (\S+): its lease ran out")
_TRACEBACK = "Traceback (most recent call last)"


@dataclass
class Found:
    """What came of the crawls of one row of the table."""

    crawls: int = 0
    times: int = 0
    rows: int = 0
    lost: list[str] = field(default_factory=list)
    otherwise: Counter[str] = field(default_factory=Counter)  # rows whose link the crawl dropped, by the reason
    doubled: list[str] = field(default_factory=list)
    differing: Counter[str] = field(default_factory=Counter)  # rows by what differs; only where the order is fixed
    reordered: int = 0  # crawls
    again: int = 0  # fetched again, in flight at a disturbance
    late: int = 0  # fetched again, after a lease that ran out without one: the machine was too slow
    needless: list[str] = field(default_factory=list)
    leases_left: int = 0
    tracebacks: Counter[str] = field(default_factory=Counter)  # by their last line
    wrong_ends: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether something is so that must not be."""
        return bool(
            self.lost or self.doubled or self.differing or self.reordered or self.needless or self.leases_left or self.wrong_ends
        )


class Worker:
    """A process that crawls. Its log is read while it runs: the addresses ``fetched``, of ``leases`` that ran out, tracebacks."""

    def __init__(self, name: str, line: list[str], environment: Mapping[str, str], log: Path, forked: bool) -> None:
        self.name = name
        self.fetched: list[str] = []
        self.leases_lost: list[str] = []
        self.log = log
        self.began = time.monotonic()
        line = ["-m", "scrapy", *line]
        if forked:
            self.process: Any = Forked(line, ROOT, environment)
        else:
            self.process = subprocess.Popen(
                [sys.executable, *line], cwd=ROOT, env=environment, encoding="utf-8", errors="replace",
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with self.log.open("a", encoding="utf-8") as out, self.process.stderr as lines:
            for line in lines:
                out.write(line)
                if (found := _CRAWLED.search(line) or _REDIRECTED.search(line)) and not found[1].endswith("/robots.txt"):
                    self.fetched.append(found[1])
                elif found := _LEASE_LOST.search(line):
                    self.leases_lost.append(found[1])

    def ended(self) -> bool:
        return self.process.poll() is not None

    def wait(self) -> int:
        """The exit code, once the process has ended and its log is read."""
        code: int = self.process.wait(HANGS)
        self._reader.join(HANGS)
        return code


class Bench:
    """What all crawls of a run have in common."""

    def __init__(self, web: Path, seeds: Path, topic: str, folder: Path, chance: random.Random) -> None:
        self.web, self.seeds, self.topic, self.folder, self.chance = web.resolve(), seeds.resolve(), topic, folder, chance
        self._stack = ExitStack()
        self._servers: dict[str, Any] = {}
        self._known: dict[str, list[Record]] = {}
        self._crawls = 0

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def redis(self) -> RedisServer:
        if "redis" not in self._servers:
            server = RedisServer(self.folder / "redis", appendonly="yes", appendfsync="everysec")
            self._servers["redis"] = self._stack.enter_context(server)
        return self._servers["redis"]

    @property
    def postgres(self) -> PostgresServer:
        if "postgres" not in self._servers:
            self._servers["postgres"] = self._stack.enter_context(PostgresServer(self.folder / "postgresql", fsync="on"))
        return self._servers["postgres"]

    def new_name(self, kind: str) -> str:
        self._crawls += 1
        return f"{kind.replace(' ', '-')}-{self._crawls}"

    def undisturbed(self, back_end: str) -> list[Record]:
        """The rows of a crawl that nothing happens to."""
        if back_end not in self._known:
            crawl = Crawl(self, back_end, self.new_name(f"{back_end}-undisturbed"))
            crawl.run(None, 0)
            self._known[back_end] = crawl.rows()
        return self._known[back_end]


class Crawl:
    """One crawl, by as many processes one after the other as it takes."""

    def __init__(self, bench: Bench, back_end: str, name: str) -> None:
        self.bench, self.back_end, self.name = bench, back_end, name
        self.shared = back_end == "shared"
        self.folder = bench.folder / name
        self.folder.mkdir()
        self.workers: list[Worker] = []
        self.ended: list[Worker] = []
        self.allowed: Counter[bytes] = Counter()  # times that a page may be fetched again
        self.leases_left = 0
        self.wrong_ends: list[str] = []
        self.clock = self.folder / "clock"
        self.web: WebProcess | None = None
        self._began = 0
        self._corpus = bench.postgres.new_database() if self.shared else str(self.folder / "data" / "corpus.sqlite")
        self._redis = RedisCrawl(bench.redis.client(), name) if self.shared else None

    # -- Processes

    def start(self, *, forked: bool = True) -> Worker:
        bench, number = self.bench, self._began
        self._began += 1
        worker = f"w{number}"
        settings: dict[str, Any] = {
            "TOPICAL_DATA_DIR": self.folder / "data" if not self.shared else self.folder / worker,
            "TOPICAL_CACHE_DIR": bench.folder / "cache",
            "TOPICAL_RESOURCES": 0,
            "TOPICAL_DISPLAY": "off",
            "CONCURRENT_REQUESTS": 4 if self.shared else 1,
            "LOG_LEVEL": "DEBUG",
        }
        if self.shared:
            settings |= {
                "TOPICAL_FRONTIER": "redis", "TOPICAL_CRAWL": self.name, "TOPICAL_WORKER": worker, "TOPICAL_CORPUS": self._corpus,
                "TOPICAL_LEASE_SECONDS": LEASE, "TOPICAL_PATIENCE": HANGS, "REDIS_URL": bench.redis.url,
            }  # fmt: skip
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings",
        }
        if self.web is not None:
            environment |= {"http_proxy": f"http://{worker}:-@127.0.0.1:{self.web.port}", "no_proxy": ""}
            settings |= {"DOWNLOAD_DELAY": 0, "TOPICAL_REST_SECONDS": 0.5, "DOWNLOAD_TIMEOUT": 10}
        else:
            settings["TOPICAL_REPLAY"] = bench.web
        if self.clock.exists():
            forked = False  # the library must be there when Python starts
            environment |= {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1"}
            environment |= {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
        strategy = "adaptive" if self.back_end == "sqlite" else "semantic"
        line = ["crawl", "topical", "-a", f"topic={bench.topic}", "-a", f"seeds={bench.seeds}", "-a", f"strategy={strategy}"]
        line += [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
        started = Worker(worker, line, environment, self.folder / f"{worker}.log", forked)
        self.workers.append(started)
        return started

    def end(self, worker: Worker, *codes: int) -> None:
        """Wait for the end of a worker, which must have one of these exit codes."""
        code = worker.wait()
        if code not in codes:
            self.wrong_ends.append(f"{self.name}/{worker.log.name}: exit code {code}")
        self.workers.remove(worker)
        self.ended.append(worker)

    def in_flight(self, worker: Worker) -> set[bytes]:
        """Keys of the pages that a worker has, or had when it ended, in flight."""
        if self._redis is not None:
            return set(self._redis.leases(worker.name))
        file = self.folder / "data" / "frontier.sqlite"
        if not file.exists():
            return set()
        with closing(sqlite3.connect(file)) as frontier:
            # A process that was killed as it began may have made the file and not its tables.
            made = frontier.execute("SELECT 1 FROM sqlite_master WHERE name = 'outcomes'").fetchone()
            finished = {fingerprint(url) for (url,) in frontier.execute("SELECT url FROM outcomes")} if made else set()
        return {fingerprint(url) for url in worker.fetched} - finished

    # -- The course of a crawl

    def run(self, disturbance: Disturbance | None, times: int) -> int:
        """Crawl to the end, disturbed at most so often; returns how often it was."""
        done = 0
        with self._around(disturbance):
            for _ in range(2 if self.shared else 1):
                self.start()
            while self._wait(self._moment() if disturbance is not None and done < times else None):
                assert disturbance is not None
                disturbance.act(self, self.bench.chance.choice(self.workers))
                done += 1
        return done

    @contextmanager
    def _around(self, disturbance: Disturbance | None) -> Iterator[None]:
        if disturbance is not None and disturbance.prepare is not None:
            disturbance.prepare(self)
        try:
            if self.back_end == "web":
                self.web = WebProcess(self.bench.web, self.folder)
            yield
        finally:
            for worker in self.workers:
                worker.process.send_signal(signal.SIGCONT)
                worker.process.kill()
            if self.web is not None:
                self.web.kill()

    def _moment(self) -> Callable[[], bool]:
        """Whether the moment of the next disturbance has come: some pages on, or while a process starts."""
        chance, fetched = self.bench.chance, self._fetched()
        if chance.random() < 0.2:
            then = time.monotonic() + chance.uniform(0.0, 1.5)
            return lambda: time.monotonic() >= then
        pages, pause = chance.randint(0, PAGES_BETWEEN), chance.uniform(0.0, 0.05)

        def come() -> bool:
            if self._fetched() < fetched + pages + 1:
                return False
            time.sleep(pause)
            return True

        return come

    def _fetched(self) -> int:
        return sum(len(worker.fetched) for worker in (*self.workers, *self.ended))

    def _wait(self, moment: Callable[[], bool] | None) -> bool:
        """Until the moment comes (True), or all workers have ended (False)."""
        seen, changed = -1, time.monotonic()
        while True:
            for worker in [worker for worker in self.workers if worker.ended()]:
                self.end(worker, 0)
            if not self.workers:
                return False
            if moment is not None and moment():
                return True
            if (fetched := self._fetched()) != seen:
                seen, changed = fetched, time.monotonic()
            elif time.monotonic() - changed > HANGS:
                raise SystemExit(f"{self.name}: no page came for {HANGS:.0f} s; the logs are in {self.folder}")
            time.sleep(EVERY)

    # -- What came of it

    def rows(self) -> list[Record]:
        with CorpusStore(self._corpus, read_only=True) as store:
            return list(store.records(Filters(rejected=True)))

    def note(self, found: Found) -> None:
        """Compare with the undisturbed crawl."""
        before, rows = self.bench.undisturbed(self.back_end), self.rows()
        found.crawls += 1
        found.rows += len(rows)
        keys = Counter(row.key for row in rows)
        texts = Counter(row.content_hash for row in rows if row.keep)
        for url in [row.url for row in before if row.key not in keys]:
            fate = self._redis.fate(url) if self._redis is not None else "missing"
            if fate.startswith("dropped: "):  # which links are worth a visit depends on the order of pages
                found.otherwise[fate] += 1
            else:
                found.lost.append(f"{url} ({fate})")
        found.lost += [f"the text of {r.url}" for r in before if r.keep and r.content_hash not in texts]
        found.doubled += [row.url for row in rows if keys[row.key] > 1 or (row.keep and texts[row.content_hash] > 1)]
        if self.back_end == "sqlite":
            found.differing += differing(before, rows)
            found.reordered += [row.key for row in before] != [row.key for row in rows]
        lost_leases = Counter(fingerprint(url) for worker in self.ended for url in worker.leases_lost)
        # A worker that waits for its corpus may itself be the next one to fetch a page whose lease ran out.
        ran_out = self._redis.expiries() - self.allowed.total() if self._redis is not None else 0
        for key, times in Counter(fingerprint(url) for worker in self.ended for url in worker.fetched).items():
            more = times - 1
            allowed = min(more, self.allowed[key])
            late = min(more - allowed, max(lost_leases[key], ran_out))
            ran_out -= late
            found.again += allowed
            found.late += late
            if more > allowed + late:
                found.needless.append(next(r.url for r in rows if r.key == key.hex()) if key.hex() in keys else key.hex())
        found.leases_left += self.leases_left
        found.wrong_ends += self.wrong_ends
        for worker in self.ended:
            found.tracebacks.update(tracebacks(worker.log.read_text(encoding="utf-8", errors="replace")))


COMPARED = ("url", "text", "reason", "relevance", "priority", "depth", "title", "date", "duplicate_of")


def differing(one: Sequence[Record], other: Sequence[Record]) -> Counter[str]:
    """In how many rows of two corpora a field differs, by its name; and rows that only ``other`` has."""
    left = {row.key: row for row in one}
    found: Counter[str] = Counter()
    for row in other:
        if (before := left.get(row.key)) is None:
            found["more rows"] += 1
            continue
        for name in COMPARED:
            # A page is not dated on a day that has not come: by a clock that was put back, some have not.
            to_come = name == "date" and not row.date and before.date > row.fetched[:10]
            if getattr(row, name) != getattr(before, name) and not to_come:
                found[f"{name} differs"] += 1
    return found


def tracebacks(log: str) -> Counter[str]:
    """The last line of each traceback in a log, by their number."""
    found: Counter[str] = Counter()
    lines = log.splitlines()
    for number, line in enumerate(lines):
        if _TRACEBACK in line:
            last = next((rest for rest in lines[number + 1 :] if not rest.startswith((" ", "\t"))), "(cut off)")
            found[last[:120]] += 1
    return found


class WebProcess:
    """The recorded web behind an HTTP server in a process of its own (web_server.py), which can go away and come back."""

    def __init__(self, web: Path, folder: Path) -> None:
        self.port = free_port()
        self._command = [sys.executable, str(ROOT / "benchmarks" / "web_server.py"), str(web), "--latency", "0.01"]
        self._command += ["--port", str(self.port), "--log", str(folder / "requests.jsonl")]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert self._process.stdout is not None
        self._process.stdout.readline()  # it prints its port when it listens

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


# -- What is done to a crawl


Act = Callable[[Crawl, Worker], None]


@dataclass(frozen=True)
class Disturbance:
    """One thing that is done to a crawl, ``times`` in a whole run."""

    name: str
    back_end: str
    times: int
    act: Act
    prepare: Callable[[Crawl], None] | None = None

    @property
    def title(self) -> str:
        return f"{self.back_end} {self.name}"


def kill(crawl: Crawl, worker: Worker) -> None:
    worker.process.kill()
    crawl.end(worker, -signal.SIGKILL, 0)  # 0: the crawl was just over
    crawl.allowed.update(crawl.in_flight(worker))
    crawl.start()


def terminate(crawl: Crawl, worker: Worker) -> None:
    worker.process.send_signal(signal.SIGTERM)
    crawl.end(worker, 0, -signal.SIGTERM)  # the second where Scrapy has not started yet
    left = crawl.in_flight(worker)
    crawl.leases_left += len(left)
    crawl.allowed.update(left)
    crawl.start()


def stop(crawl: Crawl, worker: Worker) -> None:
    long = crawl.shared and crawl.bench.chance.random() < 0.05
    worker.process.send_signal(signal.SIGSTOP)
    time.sleep(LEASE + 1 if long else crawl.bench.chance.uniform(0.02, 0.5))
    if long:
        crawl.allowed.update(crawl.in_flight(worker))
    worker.process.send_signal(signal.SIGCONT)


def fill_disk(crawl: Crawl, worker: Worker) -> None:
    """No file of the crawl grows any more. It must end by itself, with an error, unless it is over before it writes."""
    sizes = [file.stat().st_size for file in (crawl.folder / "data").glob("*.sqlite*")]
    most = crawl.bench.chance.choice([4096, *sizes])
    with suppress(ProcessLookupError):  # it was just over
        resource.prlimit(worker.process.pid, resource.RLIMIT_FSIZE, (most, most))
    crawl.end(worker, 0, 1, 2)
    crawl.allowed.update(crawl.in_flight(worker))
    crawl.start()


def set_clock(crawl: Crawl) -> None:
    crawl.clock.write_text("+0\n")


def jump(crawl: Crawl, worker: Worker) -> None:
    """The wall clock goes forth or back, by up to a year."""
    seconds = crawl.bench.chance.choice((-1, 1)) * 10 ** crawl.bench.chance.uniform(0, 7.5)
    following = crawl.clock.with_suffix(".new")
    following.write_text(f"{seconds:+.0f}\n")
    following.replace(crawl.clock)


def kill_redis(crawl: Crawl, worker: Worker) -> None:
    _kill_server(crawl, crawl.bench.redis)


def kill_postgres(crawl: Crawl, worker: Worker) -> None:
    _kill_server(crawl, crawl.bench.postgres)


def _kill_server(crawl: Crawl, server: Any) -> None:
    server.kill()
    time.sleep(crawl.bench.chance.uniform(0.0, 1.0))
    server.start()


def lose_network(crawl: Crawl, worker: Worker) -> None:
    """The web is gone for up to 2 seconds. What was on its way may be fetched again."""
    assert crawl.web is not None
    crawl.web.kill()
    time.sleep(crawl.bench.chance.uniform(0.1, 2.0))
    crawl.allowed.update(crawl.in_flight(worker))
    crawl.web.start()


DISTURBANCES = (
    Disturbance("SIGKILL", "sqlite", 200, kill),
    Disturbance("SIGTERM", "sqlite", 50, terminate),
    Disturbance("SIGSTOP", "sqlite", 100, stop),
    Disturbance("disk full", "sqlite", 50, fill_disk),
    Disturbance("clock jumps", "sqlite", 100, jump, set_clock),
    Disturbance("SIGKILL", "shared", 150, kill),
    Disturbance("SIGTERM", "shared", 50, terminate),
    Disturbance("SIGSTOP", "shared", 100, stop),
    Disturbance("Redis killed", "shared", 50, kill_redis),
    Disturbance("PostgreSQL killed", "shared", 100, kill_postgres),
    Disturbance("network lost", "web", 50, lose_network),
)


def torture(bench: Bench, plan: Mapping[Disturbance, int], keep: Path | None) -> Iterator[dict[Disturbance, Found]]:
    """Do each thing so often, over as many crawls as it takes: one of each in turn, after which the results so far are given."""
    results = {disturbance: Found() for disturbance in plan}
    while open_ones := [disturbance for disturbance, times in plan.items() if results[disturbance].times < times]:
        for disturbance in open_ones:
            found, began = results[disturbance], time.monotonic()
            crawl = Crawl(bench, disturbance.back_end, bench.new_name(disturbance.title))
            found.times += crawl.run(disturbance, min(MOST_A_CRAWL, plan[disturbance] - found.times))
            failed = found.failed
            crawl.note(found)
            if found.failed and not failed and keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                crawl.folder.rename(keep / crawl.name)
            found.seconds += time.monotonic() - began
            print(
                f"{disturbance.title}: {found.times} of {plan[disturbance]} in {found.crawls} crawls", file=sys.stderr, flush=True
            )
        yield results


def show(results: Mapping[Disturbance, Found], console: Console) -> None:
    table = Table(box=None, title=f"{sum(f.times for f in results.values()):,} disturbances", title_justify="left")
    table.add_column("back end")
    table.add_column("what")
    titles = ("times", "crawls", "rows", "lost", "doubled", "other order", "in flight again", "needless", "leases left")
    for title in (*titles, "tracebacks", "minutes"):
        table.add_column(title, justify="right")
    for one, found in results.items():
        order = str(found.reordered) if one.back_end == "sqlite" else ""
        numbers = (found.times, found.crawls, found.rows, len(found.lost), len(found.doubled), order, found.again + found.late,
                   len(found.needless), found.leases_left, found.tracebacks.total(), f"{found.seconds / 60:.1f}")  # fmt: skip
        table.add_row(one.back_end, one.name, *(f"{n:,}" if isinstance(n, int) else n for n in numbers))
    console.print(table)
    for one, found in results.items():
        details = {
            "lost": found.lost, "doubled": found.doubled, "needless": found.needless, "wrong ends": found.wrong_ends,
            "decided otherwise": [f"{n} × {what}" for what, n in found.otherwise.items()],
            "differing": [f"{n} × {what}" for what, n in found.differing.items()],
            "tracebacks": [f"{n} × {what}" for what, n in found.tracebacks.most_common()],
            "leases that ran out by themselves": [str(found.late)] if found.late else [],
        }  # fmt: skip
        for what, lines in details.items():
            if lines:
                console.print(f"{one.title}, {what}: {'; '.join(lines[:5])}{' …' if len(lines) > 5 else ''}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="rows whose name holds this (shared SIGTERM)")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the usual number of disturbances (1: 1,000)")
    parser.add_argument("--web", type=Path, default=ROOT / "demo" / "demo-web.warc.gz")
    parser.add_argument("--seeds", type=Path, default=ROOT / "demo" / "seeds.txt")
    parser.add_argument("--topic", default="partybuilding")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--keep", type=Path, help="folder for the logs and corpora of crawls that failed")
    options = parser.parse_args()
    chosen = [d for d in DISTURBANCES if not options.only or any(name in d.title for name in options.only)]
    if not chosen:
        parser.error(f"--only: the names are {', '.join(d.title for d in DISTURBANCES)}")
    if not FAKETIME.exists() and any(d.act is jump for d in chosen):
        print(f"{FAKETIME} is not there: no clock jumps. Remedy: apt-get install libfaketime", file=sys.stderr)
        chosen = [d for d in chosen if d.act is not jump]
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # an end that ends workers and servers too
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    plan = {disturbance: max(1, round(options.scale * disturbance.times)) for disturbance in chosen}
    results: dict[Disturbance, Found] = {}
    with (
        tempfile.TemporaryDirectory(prefix="topical-torture-") as name,
        Bench(options.web, options.seeds, options.topic, Path(name), random.Random(options.seed)) as bench,
    ):
        for results in torture(bench, plan, options.keep):
            show(results, console)
    failed = [d.title for d, found in results.items() if found.failed]
    print(f"failed: {', '.join(failed)}" if failed else "nothing lost, doubled or fetched needlessly; no lease left")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
