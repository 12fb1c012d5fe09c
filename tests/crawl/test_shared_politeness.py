"""What servers see of one crawl by three workers over Redis: politeness holds over all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from crawl_tools import Reply, Site, article, command, start
from politeness_tools import CLOSE, TEXT, gaps, most_in_flight, taken_up_late
from redis_tools import RedisServer
from wait_tools import HANGS, wait_for

WORKERS = 3
DELAY = 0.3
CRAWL_DELAY = 0.5
PAGES = [f"/{n}.html" for n in range(5)]
SEEDS = 3
"""Pages of a host that are seeds, so that several workers wait for its robots.txt."""
TOLERANCE = 0.001
"""Seconds by which the clock of the Redis server, which may be slewed, can differ from that of the sites over one delay."""


@dataclass(frozen=True)
class Shared:
    """A crawl that has ended. ``slow`` sends its bodies long after their heads, ``strict`` has a robots.txt with a Crawl-delay,
    ``free`` has none."""

    free: Site
    strict: Site
    slow: Site
    ended: list[tuple[int, str]]


@pytest.fixture(scope="module")
def shared(server: RedisServer, topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Nothing is answered before all workers are there."""
    folder, client = tmp_path_factory.mktemp("shared"), server.client()

    def robots(reply: Reply) -> Reply:
        wait_for(lambda: client.zcard("topical:{polite}:workers") == WORKERS)
        return reply

    def site(rules: Reply) -> Site:
        links = dict.fromkeys(PAGES, "党建") | {"/private/x.html": "党建"}
        pages = {path: Reply(article(path, links), headers=CLOSE) for path in (*PAGES, "/private/x.html")}
        return taken_up_late(Site({**pages, "/robots.txt": lambda _: robots(rules)}), 0.4)  # longer than the delay

    def slowly(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n")
        slow.closing.wait(1.5 * DELAY)
        handler.wfile.write(article(handler.path).encode())

    rules = f"User-agent: *\nDisallow: /private/\nCrawl-delay: {CRAWL_DELAY}\n"
    with ExitStack() as stack:
        missing = Reply("none", 404, headers=CLOSE)
        free, strict, slow = site(missing), site(Reply(rules, content_type=TEXT, headers=CLOSE)), site(missing)
        slow.routes |= {path: Reply(raw=slowly) for path in PAGES}
        for each in (free, strict, slow):
            stack.enter_context(each)
        seeds = " ".join(f"{each.url}{path}" for path in PAGES[:SEEDS] for each in (free, strict))
        seeds += "".join(f" {slow.url}{path}" for path in PAGES)
        line = command(
            topic, folder / "data", seeds,
            DOWNLOAD_DELAY=DELAY, CONCURRENT_REQUESTS=8, CONCURRENT_REQUESTS_PER_DOMAIN=1,
            TOPICAL_FRONTIER="redis", REDIS_URL=server.url, TOPICAL_CRAWL="polite",
        )  # fmt: skip
        workers = [start(line) for _ in range(WORKERS)]
        logs = [worker.communicate(timeout=HANGS)[1] for worker in workers]
        yield Shared(free, strict, slow, [(w.returncode, log) for w, log in zip(workers, logs, strict=True)])


def test_every_page_is_fetched_once_and_no_forbidden_one_by_several_workers(shared: Shared) -> None:
    assert [code for code, _ in shared.ended] == [0] * WORKERS, shared.ended
    everything = {**dict.fromkeys(PAGES, 1), "/robots.txt": 1}
    assert Counter(h.path for h in shared.strict.hits) == Counter(h.path for h in shared.slow.hits) == everything
    assert Counter(h.path for h in shared.free.hits) == everything | {"/private/x.html": 1}
    fetched = [int(log.partition("This run: ")[2].partition(" ")[0]) for _, log in shared.ended]
    assert sum(fetched) == 3 * len(PAGES) + 2  # a forbidden page is counted, though never asked for
    assert sum(n > 0 for n in fetched) > 1


def test_the_delay_of_a_host_and_a_crawl_delay_that_one_worker_has_read_hold_for_all(shared: Shared) -> None:
    for site, delay in ((shared.free, DELAY), (shared.slow, DELAY), (shared.strict, CRAWL_DELAY)):
        assert site.hits and min(gaps(site.hits)) >= delay - TOLERANCE


def test_never_more_in_flight_than_may_be(shared: Shared) -> None:
    assert [most_in_flight(site.hits) for site in (shared.free, shared.strict, shared.slow)] == [1, 1, 1]
