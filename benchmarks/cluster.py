"""A crawl of a made web over a real Redis Cluster of six nodes, or one server: what a page costs, and what is lost in failures.

    python benchmarks/cluster.py --workers 8 --hosts 3000 --pages 7 --kill-workers 4 --moves 2 --failovers 2
    python benchmarks/cluster.py --one --workers 8 --hosts 3000 --pages 7
    python benchmarks/cluster.py --fill 1000000

Every host has as many pages; each links to all pages of its host and to the first pages of five other hosts, two of which make
sure that every page can be reached. Workers are processes that fetch nothing: all they do is ask the frontier, so that is what
is measured. Everything runs on one machine, with append-only files; ``tests/tools/redis_tools.py`` says how to choose the program
of the servers, and TLS.

Said at the end: pages a second, processor time of the servers and of the workers for a page, memory for an address; pages lost,
finished twice, and fetched twice, by why: a worker fetched them in the ten seconds before it was killed, and had not written them
yet; their part's master died within ten seconds of the first fetch, so that its replica did not know that they were given out, or
done; or another reason. And the shortest time between the end of a fetch and the beginning of the next one at the same host.
``--fill`` only pushes links, and measures memory and pops.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import redis
from side_by_side import forked

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "tools"))  # redis_tools

from redis_tools import RedisServer, master_of, move_slot, redis_cluster  # noqa: E402
from wait_tools import wait_for  # noqa: E402

from topical_crawler.frontier.base import Entry, LeaseLost, Outcome, State  # noqa: E402
from topical_crawler.frontier.redis import PARTS_OF_A_CLUSTER, RedisFrontier  # noqa: E402
from topical_crawler.frontier.redis_part import number_of  # noqa: E402
from topical_crawler.web.page import Evidence  # noqa: E402

CRAWL = "benchmark"
AHEAD = 16  # links that a worker reserves: CONCURRENT_REQUESTS
FETCH = struct.Struct(">IIdd")  # host, page, begin and end of a fetch
NEAR = 10.0  # seconds before a failure, or after it, that it may have to do with
BATCH = 2_000  # links in a push of --fill
MOVED = 5  # parts, and their slots, in one move


def digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def link(host: int, page: int, parent: str) -> Entry:
    url = f"http://site{host}.cn/党建/{page}.html"
    priority = int.from_bytes(digest(url)[:4], "big") / 2**32
    evidence = (Evidence(parent, 0.5, True, f"党建工作动态第{page}期"),) if parent else ()
    return Entry(digest(url), url, f"site{host}.cn", priority, evidence=evidence)


def links(host: int, page: int, hosts: int, pages: int) -> Iterator[Entry]:
    """Those of a page."""
    url = f"http://site{host}.cn/党建/{page}.html"
    yield from (link(host, other, url) for other in range(pages) if other != page)
    chance = random.Random(host * pages + page)
    others = {2 * host + 1, 2 * host + 2, *(chance.randrange(hosts) for _ in range(3))}
    yield from (link(other, 0, url) for other in sorted(others) if other < hosts)


def work(options: argparse.Namespace) -> None:
    """Fetch until nothing is left. Write a record of each fetch to a file."""
    client = redis.Redis.from_url(options.server)
    frontier = RedisFrontier(
        client, CRAWL, options.delay, 1, 0, lease=options.lease, worker=f"{os.getpid()}", patience=120.0, parts=options.parts
    )
    log = os.open(options.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    renewed, read = time.monotonic(), 0
    while True:
        if time.monotonic() > renewed + 1.0:
            frontier.renew()
            renewed = time.monotonic()
            read = max((number for number, _ in frontier.journal.outcomes(read)), default=read)
        if (entry := frontier.pop(0.0, AHEAD)) is None:
            counts = frontier.status().counts
            if not counts[State.WAITING] + counts[State.IN_FLIGHT]:
                break
            time.sleep(min(frontier.next(0.0).wait or 0.05, 0.05))
            continue
        host, page = int(entry.host[4:-3]), int(entry.url.rpartition("/")[2][:-5])
        begun = time.monotonic()
        os.write(log, FETCH.pack(host, page, begun, time.monotonic()))
        with suppress(LeaseLost):
            frontier.sent(entry.key, 0.0)
            outcome = Outcome(entry.url, page % 3 == 0, 0.5, "" if page % 3 == 0 else "off topic", {"w": [page, host % 97]})
            frontier.done(entry.key, outcome, links(host, page, options.hosts, options.pages))
    frontier.close()


class Run:
    """The servers and workers of a run."""

    def __init__(self, options: argparse.Namespace, folder: Path, nodes: Sequence[RedisServer]) -> None:
        self.options = options
        self.folder = folder
        self.nodes = nodes
        self.workers: list[subprocess.Popen[bytes]] = []
        self.started = 0
        self.killed: list[Path] = []  # the files of killed workers
        self.lost: list[tuple[float, set[int]]] = []  # when a master was killed, and its parts

    def start_worker(self) -> None:
        o = self.options
        line = [sys.executable, __file__, "--server", self.nodes[-1].url, "--log", str(self.folder / f"fetches{self.started}")]
        line += ["--hosts", str(o.hosts), "--pages", str(o.pages), "--delay", str(o.delay), "--lease", str(o.lease)]
        line += ["--parts", str(o.parts)]
        self.started += 1
        self.workers.append(subprocess.Popen(line, env={**os.environ, "PYTHONPATH": str(ROOT)}))

    def fetches(self, file: Path) -> list[tuple[int, int, float, float]]:
        data = file.read_bytes()
        return list(FETCH.iter_unpack(data[: len(data) // FETCH.size * FETCH.size]))

    def again(self, fetches: Iterable[tuple[int, int, float, float]]) -> Counter[str]:
        """Count repeated fetches by their reason."""
        of_killed = [self.fetches(file) for file in self.killed]
        unwritten = {fetch for of_one in of_killed for fetch in of_one if fetch[2] > of_one[-1][2] - NEAR}
        times: dict[tuple[int, int], list[tuple[int, int, float, float]]] = defaultdict(list)
        for fetch in sorted(fetches, key=lambda fetch: fetch[2]):
            times[fetch[:2]].append(fetch)
        why: Counter[str] = Counter()
        for (host, _), of_page in times.items():
            part = number_of(f"site{host}.cn", self.options.parts)
            for fetch in of_page[:-1]:
                dead = any(part in parts and abs(fetch[2] - when) < NEAR for when, parts in self.lost)
                why["killed worker" if fetch in unwritten else "dead master" if dead else "other"] += 1
        return why

    def fetched(self) -> int:
        return sum(file.stat().st_size for file in self.folder.glob("fetches*")) // FETCH.size

    def kill_worker(self, chance: random.Random) -> None:
        victim = chance.choice(self.workers)
        victim.kill()
        victim.wait()
        self.killed.append(Path(victim.args[victim.args.index("--log") + 1]))
        self.workers.remove(victim)
        self.start_worker()

    def slot(self, part: int) -> int:
        """The slot of a part."""
        with self.nodes[0].client() as client:
            return int(client.execute_command("CLUSTER KEYSLOT", f"topical:{{{CRAWL}#{part}}}:meta"))

    def move(self, chance: random.Random) -> None:
        """Move a few parts to other masters, a key at a time."""
        slots = [self.slot(part) for part in chance.sample(range(self.options.parts), MOVED)]
        masters = {master_of(self.nodes, slot).port for slot in (self.slot(part) for part in range(self.options.parts))}
        for slot in slots:
            port = chance.choice(sorted(masters - {master_of(self.nodes, slot).port}))
            move_slot(self.nodes, slot, next(node for node in self.nodes if node.port == port), keys=1)

    def fail_over(self, chance: random.Random) -> None:
        """Kill the master of a part, wait until its replica has taken over, and start it again, as a replica."""
        slot = self.slot(chance.randrange(self.options.parts))
        victim = master_of(self.nodes, slot)
        parts = {part for part in range(self.options.parts) if master_of(self.nodes, self.slot(part)) is victim}
        victim.kill()
        self.lost.append((time.monotonic(), parts))
        others = [node for node in self.nodes if node is not victim]

        def is_over() -> bool:
            with suppress(RuntimeError, StopIteration):
                return master_of(others, slot) is not victim
            return False

        wait_for(is_over)
        victim.start()
        with victim.client() as client:
            wait_for(lambda: client.info("replication").get("master_link_status") == "up")

    def go(self) -> float:
        """Seconds of a whole crawl with its failures."""
        o, chance = self.options, random.Random(self.options.seed)
        total = o.hosts * o.pages
        begun = time.monotonic()
        for _ in range(o.workers):
            self.start_worker()
        kinds = [self.fail_over] * o.failovers + [self.kill_worker] * o.kill_workers + [self.move] * o.moves
        events = sorted((chance.randint(total // 20, total * 4 // 5), n) for n in range(len(kinds)))
        while any(worker.poll() is None for worker in self.workers):
            if events and self.fetched() >= events[0][0]:
                kinds[events.pop(0)[1]](chance)
            print(f"\r{self.fetched():,} of {total:,} pages, {len(events)} failures to come ", end="", file=sys.stderr)
            time.sleep(0.1)
        print(file=sys.stderr)
        return time.monotonic() - begun


def start(options: argparse.Namespace, folder: Path, stack: ExitStack) -> list[RedisServer]:
    files = {"appendonly": "yes", "auto-aof-rewrite-percentage": "0"}
    if options.one:
        return [stack.enter_context(RedisServer(folder / "node", **files))]
    return stack.enter_context(redis_cluster(folder, **files))


def memory(nodes: Sequence[RedisServer]) -> int:
    """Bytes of the masters."""
    clients = [node.client() for node in nodes]
    masters = [client for client in clients if client.info("replication")["role"] == "master"]
    return sum(int(client.info("memory")["used_memory"]) for client in masters)


def measure(options: argparse.Namespace, folder: Path, stack: ExitStack) -> int:
    nodes = start(options, folder, stack)
    total, empty = options.hosts * options.pages, memory(nodes)
    seeding = RedisFrontier(nodes[-1].client(), CRAWL, options.delay, 1, 0, lease=options.lease, parts=options.parts)
    seeding.push([link(0, 0, "")])
    seeding.close()
    run = Run(options, folder, nodes)
    seconds = run.go()
    bad = [worker.returncode for worker in run.workers if worker.returncode]
    taken = memory(nodes) - empty
    cpu = [node.client().info("cpu") for node in nodes]  # of those that run now
    servers = sum(float(one["used_cpu_user"]) + float(one["used_cpu_sys"]) for one in cpu)
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    late = RedisFrontier(nodes[-1].client(), CRAWL, options.delay, 1, 0, lease=options.lease, parts=options.parts)
    finished = Counter(outcome.url for _, outcome in late.journal.outcomes())
    status = late.status()
    done, expired = status.counts[State.DONE], status.details["lease_expiries"]
    late.close()
    fetches = [fetch for file in folder.glob("fetches*") for fetch in run.fetches(file)]
    by_host: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for host, _, begin, end in fetches:
        by_host[host].append((begin, end))
    gaps = [later[0] - earlier[1] for times in by_host.values() for earlier, later in pairwise(sorted(times))]
    doubled, why = sum(n > 1 for n in finished.values()), run.again(fetches)
    print(f"pages a second                          {total / seconds:,.0f} ({seconds:.0f} s)")
    if not options.failovers:
        print(f"processor time of servers for a page    {1000 * servers / total:.2f} ms")
    print(f"processor time of workers               {1000 * (workers.ru_utime + workers.ru_stime) / total:.2f} ms a page")
    print(f"memory for an address                   {taken / total:.0f} bytes")
    print(f"shortest gap at a host                  {min(gaps):.3f} s, delay {options.delay} s")
    print(f"pages fetched twice                     {why.total():,} ({', '.join(f'{n} {name}' for name, n in why.items())})")
    print(f"leases that ran out                     {expired:,}")
    print(
        f"pages lost                              {total - len({fetch[:2] for fetch in fetches}):,}; done {done:,} of {total:,}"
    )
    print(f"in the log: missing, twice              {total - len(finished):,}, {doubled:,}")
    return int(bool(bad or done != total))


def fill(options: argparse.Namespace, folder: Path, stack: ExitStack) -> int:
    nodes = start(options, folder, stack)
    empty = memory(nodes)

    def push(worker: int) -> None:
        frontier = RedisFrontier(nodes[-1].client(), CRAWL, 0.0, 1, 0, parts=options.parts)
        for first in range(worker * BATCH, options.fill, options.workers * BATCH):
            numbers = range(first, min(first + BATCH, options.fill))
            frontier.push([link(n // 10, n % 10, "http://site1.cn/党建/1.html") for n in numbers])

    seconds = forked(partial(push, worker) for worker in range(options.workers))
    frontier = RedisFrontier(nodes[-1].client(), CRAWL, 0.0, 1, 0, parts=options.parts)
    print(f"links that wait                         {len(frontier):,}")
    print(f"pushes a second                         {options.fill / seconds:,.0f}")
    sizes = [memory([node]) / 1e9 for node in nodes]
    print(f"memory for a waiting link               {(memory(nodes) - empty) / options.fill:.0f} bytes")
    print(f"memory of the masters                   {', '.join(f'{size:.2f}' for size in sizes if size)} GB")
    for ahead in (1, AHEAD):
        begun, before = time.monotonic(), len(frontier._tokens)
        while len(frontier._tokens) < before + 1_000:
            frontier.pop(0.0, ahead)
        print(f"pop of a link, {ahead:2} at a time            {time.monotonic() - begun:.2f} ms")
    return int(len(frontier) != options.fill - len(frontier._tokens))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", action="store_true", help="one server, not a cluster of three masters and three replicas")
    parser.add_argument("--parts", type=int, default=0, help=f"of the crawl (1 on one server, {PARTS_OF_A_CLUSTER} in a cluster)")
    parser.add_argument("--workers", type=int, default=8, help="processes (8)")
    parser.add_argument("--hosts", type=int, default=1000, help="of the web (1,000)")
    parser.add_argument("--pages", type=int, default=10, help="of each host (10)")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds between two pages of a host (0.05)")
    parser.add_argument("--lease", type=float, default=10.0, help="seconds (10)")
    parser.add_argument("--kill-workers", type=int, default=0, help="kills of workers, by SIGKILL (0)")
    parser.add_argument("--failovers", type=int, default=0, help="kills of masters, by SIGKILL (0)")
    parser.add_argument("--moves", type=int, default=0, help=f"times that {MOVED} parts are moved to other masters (0)")
    parser.add_argument("--fill", type=int, default=0, help="only push so many links, and pop some (0)")
    parser.add_argument("--seed", type=int, default=0, help="of the failures")
    parser.add_argument("--server", help=argparse.SUPPRESS)
    parser.add_argument("--log", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.parts = options.parts or (1 if options.one else PARTS_OF_A_CLUSTER)
    if options.server:
        work(options)
        return 0
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(130))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        return (fill if options.fill else measure)(options, Path(folder), stack)


if __name__ == "__main__":
    sys.exit(main())
