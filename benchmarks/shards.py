"""A crawl of a generated web over several real Redis servers: what a page costs, and what is lost when servers and workers die.

    python benchmarks/shards.py --nodes 4 --workers 8 --hosts 10000 --pages 10 --kill-nodes 4 --kill-workers 8

Every host has as many pages; each links to all pages of its host and to the first pages of five other hosts, two of which make
sure that every page can be reached. Workers are processes that fetch nothing: all they do is ask the frontier, so that is what
is measured. Everything runs on one machine, with append-only files; ``tests/tools/redis_tools.py`` says how to choose the program
of the servers, and TLS.

Said at the end: pages a second, processor time of the servers and of the workers for a page, memory for an address; pages lost,
finished twice, and fetched twice (those that a dead worker had in flight, or that a dead server had just given out); the shortest
time between the end of a fetch and the beginning of the next one at the same host; and the time until links that were kept for
a dead server had arrived.
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
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import redis

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "tools"))  # redis_tools

from redis_tools import RedisServer, cluster_node, make_cluster  # noqa: E402

from topical_crawler.crawl.link_policy import LinkPolicy  # noqa: E402
from topical_crawler.crawl.options import CrawlOptions  # noqa: E402
from topical_crawler.frontier import Entry, LeaseLost, Outcome, State  # noqa: E402
from topical_crawler.frontier.moving import change_shards  # noqa: E402
from topical_crawler.frontier.redis_keys import find_keys  # noqa: E402
from topical_crawler.frontier.redis_server import FrontierServerError, Server  # noqa: E402
from topical_crawler.frontier.shards import SharedFrontier, open_shards  # noqa: E402
from topical_crawler.web.page import Evidence  # noqa: E402

CRAWL = "benchmark"
AHEAD = 16  # links that a worker reserves: CONCURRENT_REQUESTS
FETCH = struct.Struct(">IIdd")  # host, page, begin and end of a fetch


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


# -- A worker


def work(options: argparse.Namespace) -> None:
    """Fetch until nothing is left; every fetch is a record in a file."""
    clients = [redis.Redis.from_url(url) for url in options.servers.split()]
    frontier = open_shards(clients, CRAWL, options.delay, 1, 0, lease=options.lease, worker=f"{os.getpid()}", patience=120.0)
    log = os.open(options.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    renewed, finished = time.monotonic(), 0
    policy = join(frontier)
    read = policy.begun
    while True:
        if time.monotonic() > renewed + options.lease / 4:
            frontier.renew()
            renewed = time.monotonic()
        if (entry := frontier.pop(0.0, AHEAD)) is None:
            counts = frontier.counts()
            if not counts[State.WAITING] + counts[State.IN_FLIGHT]:
                break
            time.sleep(min(frontier.wait(0.0) or 0.05, 0.05))
            continue
        host, page = int(entry.host[4:-3]), int(entry.url.rpartition("/")[2][:-5])
        begun = time.monotonic()
        os.write(log, FETCH.pack(host, page, begun, time.monotonic()))
        try:
            frontier.sent(entry.key, 0.0)
            outcome = Outcome(entry.url, page % 3 == 0, 0.5, "" if page % 3 == 0 else "off topic", {"w": [page, host % 97]})
            frontier.done(entry.key, outcome, links(host, page, options.hosts, options.pages))
        except LeaseLost:
            continue
        finished += 1
        if finished % 20 == 0:
            before = read
            for number, found in frontier.outcomes(before):
                policy.count(found, number)
                read = number
            if options.checkpoints and before // options.checkpoints < read // options.checkpoints:
                checkpoint(frontier, policy, read)
    frontier.close()


OPTIONS = CrawlOptions(
    topic="party", name=CRAWL, data_dir=Path("data"), cache_dir=None, corpus="", strategy=None, frontier="redis",
    segmenter="jieba", seed=0, hosts=(), max_depth=0, max_pages=0, max_pages_per_host=0, max_links=100, trap_pages=200,
    barren_pages=50, barren_leave=300, barren_end=None, rescore=3, delay=1.0, in_flight=16, in_flight_per_host=1,
)  # fmt: skip


def join(frontier: SharedFrontier) -> LinkPolicy:
    """What a new worker counts, from the last checkpoint on."""
    policy = LinkPolicy(OPTIONS, store=frontier)
    if known := frontier.load("counted"):
        policy.begin(known["after"], known["counts"])
    return policy


def checkpoint(frontier: SharedFrontier, policy: LinkPolicy, number: int) -> None:
    """Keep what was counted, if no other worker does, and let go of what others have kept."""
    if frontier.first("checkpoint", number) and (counts := policy.checkpoint(number)):
        frontier.checkpoint("counted", number, {"after": number, "counts": counts})
    if known := frontier.load("counted"):
        policy.written(known["after"], known["counts"])


# -- The whole


class Run:
    """The servers and workers of a run."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        files = {"appendonly": "yes", "auto-aof-rewrite-percentage": "0"}
        server = cluster_node if options.cluster else RedisServer
        self.nodes = [server(folder / f"node{n}", **files) for n in range(options.nodes)]
        self.spares = [server(folder / f"spare{n}", **files) for n in range((options.moves + 1) // 2)]
        self.moves = 0
        self.workers: list[subprocess.Popen[bytes]] = []
        self.started = 0
        self.lags: list[float] = []

    def start_worker(self) -> None:
        o = self.options
        line = [sys.executable, __file__, "--servers", " ".join(node.url for node in self.nodes), "--log"]
        line += [str(self.folder / f"fetches{self.started}"), "--hosts", str(o.hosts), "--pages", str(o.pages)]
        line += ["--delay", str(o.delay), "--lease", str(o.lease), "--checkpoints", str(o.checkpoints)]
        self.started += 1
        self.workers.append(subprocess.Popen(line, env={**os.environ, "PYTHONPATH": str(ROOT)}))

    def fetches(self) -> list[tuple[int, int, float, float]]:
        data = [file.read_bytes() for file in self.folder.glob("fetches*")]
        return [record for part in data for record in FETCH.iter_unpack(part[: len(part) // FETCH.size * FETCH.size])]

    def fetched(self) -> int:
        return sum(file.stat().st_size for file in self.folder.glob("fetches*")) // FETCH.size

    def kept(self, number: int) -> int:
        """Batches that wait in the other servers for one."""
        try:
            prefixes = [(client, find_keys(Server(client, 0.0), CRAWL).prefix) for client in (n.client() for n in self.nodes)]
            return sum(int(client.llen(f"{prefix}kept:{number}")) for client, prefix in prefixes)
        except (redis.TimeoutError, FrontierServerError):  # on a busy machine it is asked again
            return 1

    def kill_worker(self, chance: random.Random) -> None:
        victim = chance.choice(self.workers)
        victim.kill()
        victim.wait()
        self.workers.remove(victim)
        self.start_worker()

    def kill_node(self, chance: random.Random) -> None:
        """Kill a server, start it again after a second, and wait until it has the links that were kept for it."""
        number = chance.randrange(len(self.nodes))
        self.nodes[number].kill()
        time.sleep(1.0)
        self.nodes[number].start()
        begun = time.monotonic()
        while self.kept(number) and any(worker.poll() is None for worker in self.workers):
            time.sleep(0.01)
        self.lags.append(time.monotonic() - begun)

    def move(self, chance: random.Random) -> None:
        """Add a server, or remove the one that was added last, by a command that is killed and given again until it ends."""
        how, spare = ("--add", "--remove")[self.moves % 2], self.spares[self.moves // 2]
        self.moves += 1
        line = [
            sys.executable,
            __file__,
            "--servers",
            " ".join(node.url for node in self.nodes),
            how,
            f"127.0.0.1:{spare.port}/0",
        ]
        for seconds in (*(chance.uniform(0.5, 3.0) for _ in range(3)), None):
            mover = subprocess.Popen(line, env={**os.environ, "PYTHONPATH": str(ROOT)})
            try:
                if mover.wait(seconds):
                    sys.exit(f"{how} ended with {mover.returncode}")
                return
            except subprocess.TimeoutExpired:
                mover.kill()
                mover.wait()

    def go(self) -> float:
        """Seconds of a whole crawl with its kills."""
        o, chance = self.options, random.Random(self.options.seed)
        total = o.hosts * o.pages
        begun = time.monotonic()
        for _ in range(o.workers):
            self.start_worker()
        kinds = [self.kill_node] * o.kill_nodes + [self.kill_worker] * o.kill_workers + [self.move] * o.moves
        events = sorted((chance.randint(total // 20, total * 4 // 5), n) for n in range(len(kinds)))
        while any(worker.poll() is None for worker in self.workers):
            if events and self.fetched() >= events[0][0]:
                kinds[events.pop(0)[1]](chance)
            print(f"\r{self.fetched():,} of {total:,} pages, {len(events)} kills to come ", end="", file=sys.stderr)
            time.sleep(0.1)
        print(file=sys.stderr)
        return time.monotonic() - begun


def measure(options: argparse.Namespace, folder: Path) -> int:
    total = options.hosts * options.pages
    with ExitStack() as stack:
        run = Run(options, folder)
        for node in (*run.nodes, *run.spares):
            stack.enter_context(node)
        if options.cluster:
            make_cluster([*run.nodes, *run.spares])
        clients = [node.client() for node in run.nodes]
        empty = sum(int(client.info("memory")["used_memory"]) for client in clients)
        seeding = open_shards(clients, CRAWL, options.delay, 1, 0, lease=options.lease)
        seeding.push([link(0, 0, "")])
        seeding.close()
        seconds = run.go()
        bad = [worker.returncode for worker in run.workers if worker.returncode]
        memory = sum(int(client.info("memory")["used_memory"]) for client in clients) - empty
        cpu = [client.info("cpu") for client in clients]  # of the servers that run now
        servers = sum(float(one["used_cpu_user"]) + float(one["used_cpu_sys"]) for one in cpu)
        workers = resource.getrusage(resource.RUSAGE_CHILDREN)
        frontier = open_shards(clients, CRAWL, attach=True)
        joined = time.monotonic()
        finished = Counter(outcome.url for _, outcome in frontier.outcomes())
        joined = time.monotonic() - joined
        late, whole = join(frontier), LinkPolicy(OPTIONS)
        begun = time.monotonic()
        for number, found in frontier.outcomes(late.begun):
            late.count(found, number)
        begun = time.monotonic() - begun
        for _, found in frontier.outcomes():
            whole.count(found)
        names = [f"site{host}.cn" for host in range(options.hosts)]
        late.meet(names)
        otherwise = sum(late.share(n) != whole.share(n) or late.standing(n) != whole.standing(n) for n in names)
    report(run.fetches(), total, options)
    doubled = sum(n > 1 for n in finished.values())
    print(f"pages a second                          {total / seconds:,.0f} ({seconds:.0f} s)")
    if not options.kill_nodes:
        print(f"processor time of servers for a page    {1000 * servers / total:.2f} ms")
    print(f"processor time of workers and servers   {1000 * (workers.ru_utime + workers.ru_stime) / total:.2f} ms a page")
    print(f"memory for an address                   {memory / total:.0f} bytes")
    print(f"reading all that was finished           {joined:.1f} s; what follows page {late.begun:,} {begun:.1f} s")
    print(f"hosts counted otherwise by a late worker {otherwise:,}; pages {whole.fetched - late.fetched:,}")
    if run.lags:
        print(f"until links kept for a server arrived   {max(run.lags):.1f} s at most")
    print(f"pages lost, finished twice              {total - len(finished):,}, {doubled:,}")
    return int(bool(bad or doubled or len(finished) != total))


def report(fetches: Sequence[tuple[int, int, float, float]], total: int, options: argparse.Namespace) -> None:
    """What the fetches show."""
    print(f"pages fetched twice                     {len(fetches) - total:,} of {total:,}")
    by_host: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for host, _, begin, end in fetches:
        by_host[host].append((begin, end))
    gaps = [later[0] - earlier[1] for times in by_host.values() for earlier, later in pairwise(sorted(times))]
    print(f"shortest gap at a host                  {min(gaps):.3f} s, delay {options.delay} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=4, help="Redis servers (4)")
    parser.add_argument("--workers", type=int, default=8, help="processes (8)")
    parser.add_argument("--hosts", type=int, default=1000, help="of the web (1,000)")
    parser.add_argument("--pages", type=int, default=10, help="of each host (10)")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds between two pages of a host (0.05)")
    parser.add_argument("--lease", type=float, default=10.0, help="seconds (10)")
    parser.add_argument("--kill-nodes", type=int, default=0, help="kills of servers, by SIGKILL (0)")
    parser.add_argument("--kill-workers", type=int, default=0, help="kills of workers (0)")
    parser.add_argument("--checkpoints", type=int, default=1000, help="pages between two, 0: none (1,000)")
    parser.add_argument("--moves", type=int, default=0, help="servers that are added and removed in turn (0)")
    parser.add_argument("--cluster", action="store_true", help="the servers are the masters of a Redis Cluster")
    parser.add_argument("--seed", type=int, default=0, help="of the kills")
    parser.add_argument("--servers", help=argparse.SUPPRESS)
    parser.add_argument("--log", help=argparse.SUPPRESS)
    parser.add_argument("--add", default="", help=argparse.SUPPRESS)
    parser.add_argument("--remove", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.add or options.remove:
        clients = [redis.Redis.from_url(url) for url in options.servers.split()]
        change_shards(clients, CRAWL, add=options.add, remove=options.remove, patience=120.0)
        return 0
    if options.servers:
        work(options)
        return 0
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(130))
    with tempfile.TemporaryDirectory() as folder:
        return measure(options, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
