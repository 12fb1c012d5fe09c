"""What a worker that joins late reads, by how many pages the crawl has finished: over a real Redis, with a made-up log.

    python benchmarks/late_worker.py --pages 10000000

The log is written as workers write it, one host after the other; of its pages some are texts, some of a calendar, some have
sessions in their addresses. One worker reads all of it, counts it for its hosts and makes checkpoints, fewer than a crawl does
until shortly before each time when another one joins, twice for every power of ten. Said is each time: what the new worker is
sent until it may fetch, and for the links of 200 pages after that; how much memory the counts and the log take in Redis,
and the first worker's process; and whether both decide the same.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import redis

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "tools"))  # redis_tools

from redis_tools import RedisServer  # noqa: E402

from topical_crawler.crawl.checkpoints import CHECKPOINT_PAGES  # noqa: E402
from topical_crawler.crawl.link_policy import LinkPolicy  # noqa: E402
from topical_crawler.crawl.options import CrawlOptions  # noqa: E402
from topical_crawler.frontier.base import Outcome  # noqa: E402
from topical_crawler.frontier.redis import RedisFrontier  # noqa: E402
from topical_crawler.frontier.redis_server import pack_outcome  # noqa: E402
from topical_crawler.strategies import OFF_TOPIC  # noqa: E402

CRAWL = "benchmark"
STRIDE = 50_000  # pages between two checkpoints where nobody looks
LINKS, ELSEWHERE, LOOKS = 60, 6, 200
OPTIONS = CrawlOptions(
    topic="party", name=CRAWL, data_dir=Path("data"), cache_dir=None, corpus="", strategy=None, frontier="redis",
    segmenter="jieba", seed=0, hosts=(), max_depth=0, max_pages=0, max_pages_per_host=0, max_links=100, trap_pages=200,
    barren_pages=50, barren_leave=300, barren_end=None, rescore=3, delay=1.0, in_flight=16, in_flight_per_host=1,
)  # fmt: skip


def pages(of_host: int) -> Iterator[Outcome]:
    """The log without end: as many pages of each host on average, most of few and few of many."""
    chance, site = random.Random(0), 0
    while True:
        name, sessions = f"site{site}.cn", site % 10 == 0
        for page in range(min(20 * of_host, int(chance.paretovariate(1.2) * of_host / 6) + 1)):
            path = f"show?id={page // 2}&tok={page}" if sessions else f"{2000 + page % 20}/{page}.html"
            text = chance.random() < 0.2 and not (sessions and page % 2)
            reason = "" if text else "duplicate" if sessions else OFF_TOPIC
            led_by = (f"site{chance.randrange(site + 1)}.cn",) if text else ()
            yield Outcome(f"http://{name}/{path}", text, 0.5, reason, {"w": [page, site % 97]}, led_by)
        site += 1


def sent(client: redis.Redis) -> int:
    """Bytes that the server has sent."""
    return int(client.info("stats")["total_net_output_bytes"])


def links(seed: int, hosts: int) -> list[list[str]]:
    """Of so many pages: links to the page's own host and to others."""
    chance = random.Random(seed)
    found = []
    for _ in range(LOOKS):
        names = [f"site{chance.randrange(hosts)}.cn" for _ in range(ELSEWHERE)]
        own = [f"http://{names[0]}/{2000 + n % 20}/{n}.html" for n in range(LINKS - ELSEWHERE)]
        found.append(own + [f"http://{name}/show?id=1&tok=x" for name in names])
    return found


def join(client: redis.Redis, first: LinkPolicy, finished: int, hosts: int) -> None:
    """Have a worker join, and say what it took."""
    before, begun = sent(client), time.perf_counter()
    with closing(RedisFrontier(client, CRAWL, 1.0, 1, 0)) as frontier:
        policy = LinkPolicy(OPTIONS, store=frontier.journal)
        known = frontier.journal.load("strategy")
        policy.begin(known["after"], known["counts"])
        read = 0
        for number, outcome in frontier.journal.outcomes(known["after"]):
            policy.count(outcome, number)
            read += 1
        joined, bytes_read = time.perf_counter() - begun, sent(client) - before
        before, begun = sent(client), time.perf_counter()
        judged = []
        for page in links(finished, hosts):
            policy.meet(url.split("/")[2] for url in page)
            judged.append([policy.refusal(url, 2) for url in page])
        looked, bytes_looked = time.perf_counter() - begun, sent(client) - before
        same = judged == [[first.refusal(url, 2) for url in page] for page in links(finished, hosts)]
        same = same and (policy.fetched, policy.revision) == (first.fetched, first.revision)
    keys = [f"topical:{{{CRAWL}}}:{name}" for name in ("counts", "outcomes")]
    counts, log = (int(client.memory_usage(key, samples=1_000) or 0) for key in keys)
    counted = int(client.hlen(keys[0]))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{finished:>12,} pages: joined in {joined:.2f} s, {read:,} entries, {bytes_read / 1e6:.2f} MB; links of a page "
        f"{1000 * looked / LOOKS:.2f} ms, {bytes_looked / LOOKS / 1e3:.1f} kB; counts of {counted:,} hosts "
        f"{counts / 1e6:.0f} MB, log {log / 1e6:.0f} MB in Redis; process {memory:.0f} MB; "
        f"{'same' if same else 'OTHER'} decisions",
        flush=True,
    )
    if not same:
        sys.exit(1)


def measure(options: argparse.Namespace, folder: Path) -> None:
    with ExitStack() as stack:
        client = stack.enter_context(RedisServer(folder)).client()
        frontier = stack.enter_context(closing(RedisFrontier(client, CRAWL, 1.0, 1, 0)))
        first, log, finished, hosts = LinkPolicy(OPTIONS, store=frontier.journal), pages(options.host_pages), 0, 1
        stops = sorted({m * 10**n for n in range(4, 12) for m in (1, 3) if m * 10**n < options.pages} | {options.pages})
        while stops:
            # The last stretch is as a crawl writes it; the end is as far from a checkpoint as it can be.
            stop, near = stops[0], stops[0] - 5 * CHECKPOINT_PAGES - 1
            size = min(STRIDE, near - finished) if finished < near else min(CHECKPOINT_PAGES, stop - 1 - finished)
            packed: list[bytes] = []
            for _ in range(size):
                outcome = next(log)
                hosts = max(hosts, int(outcome.url.split("/")[2][4:-3]))
                packed.append(pack_outcome(outcome))
            for at in range(0, len(packed), 1_000):
                client.rpush(f"topical:{{{CRAWL}}}:outcomes", *packed[at : at + 1_000])
            for number, outcome in frontier.journal.outcomes(finished):
                first.count(outcome, number)
                finished = number
            if finished < stop - 1:
                counts = first.checkpoint(finished)
                frontier.journal.checkpoint("strategy", finished, {"after": finished, "counts": counts})
                first.written(finished, counts)
            else:
                stops.pop(0)
                join(client, first, finished, hosts)
            print(f"\r{finished:,} ", end="", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000, help="that the crawl has finished at the end (1,000,000)")
    parser.add_argument("--host-pages", type=int, default=20, help="pages of a host, on average (20)")
    with tempfile.TemporaryDirectory() as folder:
        measure(parser.parse_args(), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
