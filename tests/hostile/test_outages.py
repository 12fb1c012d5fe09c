"""Hosts that are away or ask for patience rest, and no page is lost by it; a network that is away stops nothing for good."""

from __future__ import annotations

import re
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from crawl_tools import Reply, Route, Site, article, crawl, rows

PAGES = [f"/{n}.html" for n in range(4)]


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def away(site: Site, until: Callable[[], bool]) -> None:
    """``site`` resets every connection until something is true."""

    def unless(route: Route | None) -> Route:
        def answer(path: str) -> Reply | None:
            if not until():
                return Reply(raw=hang_up)
            return route(path) if callable(route) else route

        return answer

    site.routes = {path: unless(route) for path, route in site.routes.items()} | {"": unless(None)}


def pages(name: str) -> dict[str, Route]:
    home = Reply(article(f"首页 {name}", dict.fromkeys(PAGES, "党建")))
    return {"/": home, **{path: Reply(article(f"{name} {path}")) for path in PAGES}}


def reasons(data: Path) -> dict[str, str]:
    return {row.url: row.reason for row in rows(data)}


@pytest.mark.slow
def test_twelve_hosts_that_are_away_lose_no_page(topic: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        good = stack.enter_context(Site())
        good.routes = {"": lambda path: Reply(article(path, {f"/{len(good.hits)}": "党建"} if len(good.hits) < 200 else {}))}
        hosts = [stack.enter_context(Site(pages(str(n)))) for n in range(12)]
        for site in hosts:
            away(site, lambda site=site: len(site.hits) >= 3)  # type: ignore[misc]
        seeds = " ".join(site.url + "/" for site in (good, *hosts))
        crawled = crawl(topic, tmp_path / "data", seeds, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=8, strategy="breadth_first")
        assert crawled.code == 0, crawled.log
    found = reasons(tmp_path / "data")
    for site in hosts:
        assert [found[site.url + path] for path in ("/", *PAGES)] == [""] * 5
        assert len([hit for hit in site.hits if hit.path == "/robots.txt"]) <= 12
    assert "backing off from" in crawled.log


def test_a_network_that_is_away_is_waited_for(topic: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        hosts = [stack.enter_context(Site(pages(str(n)))) for n in range(5)]
        for site in hosts:
            away(site, lambda: sum(len(site.hits) for site in hosts) >= 12)  # more often than a host may rest that never answered
        seeds = " ".join(site.url + "/" for site in hosts)
        crawled = crawl(topic, tmp_path / "data", seeds, DOWNLOAD_DELAY=0, strategy="breadth_first")
        assert crawled.code == 0, crawled.log
    assert crawled.log.count("The network seems to be down") == 1
    assert "given up" not in crawled.log
    assert list(reasons(tmp_path / "data").values()) == [""] * 25


@pytest.mark.parametrize(("status", "as_date"), [(429, False), (503, True)])
def test_a_host_that_asks_for_patience_gets_it(status: int, as_date: bool, topic: Path, tmp_path: Path) -> None:
    def busy(path: str) -> Reply:
        if site.asked("/0.html") >= 2:
            return Reply(article(path))
        value = formatdate(time.time() + 2, usegmt=True) if as_date else "1"
        return Reply("busy", status, headers={"Retry-After": value})

    with Site(pages("busy")) as site:
        site.routes["/0.html"] = busy
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0, RETRY_TIMES=0)
    assert crawled.code == 0, crawled.log
    assert set(reasons(tmp_path / "data").values()) == {""}
    hits = site.pages()
    refused = [n for n, hit in enumerate(hits) if hit.path == "/0.html"][:2]
    assert min(hits[n + 1].began - hits[n].ended for n in refused) >= 0.9  # a date counts whole seconds


STALLS = """
import time
from scrapy import signals
from topical_crawler.settings import *


class Stall:
    @classmethod
    def from_crawler(cls, crawler):
        found = cls()
        crawler.signals.connect(found.response, signals.response_received)
        return found

    def response(self, response):
        if response.url.endswith(("/", "/0.html")):
            time.sleep(2.5)


EXTENSIONS = {**EXTENSIONS, Stall: 0}
"""


@pytest.mark.slow
def test_a_stall_of_the_crawl_itself_is_no_outage_of_others(topic: Path, tmp_path: Path) -> None:
    (tmp_path / "project_settings.py").write_text(STALLS, encoding="utf-8")
    given = {"DOWNLOAD_DELAY": 0, "DOWNLOAD_TIMEOUT": 4, "CONCURRENT_REQUESTS": 8, "strategy": "breadth_first"}
    with ExitStack() as stack:
        hosts = [stack.enter_context(Site(pages(str(n)))) for n in range(5)]
        crawled = crawl(topic, tmp_path / "data", " ".join(site.url + "/" for site in hosts), tmp_path, **given)
    assert crawled.code == 0, crawled.log
    assert set(reasons(tmp_path / "data").values()) == {""}
    assert "seems to be down" not in crawled.log and "away" not in crawled.log
    assert re.search(r"Stall:  the crawl itself was busy for \d+ s", crawled.log)


def trickle(handler: BaseHTTPRequestHandler, at_once: int = 1, until: Callable[[], bool] = lambda: False) -> None:
    """Some bytes every now and then, until nobody listens any more."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    with suppress(OSError):
        while not until():
            handler.wfile.write(b"<" * at_once)
            handler.wfile.flush()
            time.sleep(0.2)


def test_hosts_that_trickle_do_not_hold_up_the_others(topic: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        good = stack.enter_context(Site(pages("good")))
        slow = [stack.enter_context(Site({"/robots.txt": Reply("", 404), "": Reply(raw=trickle)})) for _ in range(4)]
        seeds = " ".join(site.url + "/" for site in (*slow, good))
        crawled = crawl(topic, tmp_path / "data", seeds, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=4, strategy="breadth_first")
        assert crawled.code == 0, crawled.log
        found = reasons(tmp_path / "data")
        assert [found.pop(site.url + "/") for site in slow] == ["timed out"] * 4
        assert list(found.values()) == [""] * 5
        assert all(site.asked("/") == 2 for site in slow)
    assert "comes at less than 100 bytes a second" in crawled.log


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have one loopback address")
@pytest.mark.parametrize("addresses", [["127.0.0.2"] * 40, [f"127.0.1.{n}" for n in range(1, 33)]], ids=["one domain", "many"])
def test_many_slow_hosts_do_not_hold_all_places(addresses: list[str], topic: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        good = stack.enter_context(Site(pages("good")))
        slowly = Reply(raw=lambda handler: trickle(handler, 60, lambda: len(good.pages()) >= 5))  # 300 bytes a second
        slow = [stack.enter_context(Site({"/robots.txt": Reply("", 404), "": slowly}, address=each)) for each in addresses]
        seeds = " ".join(site.url + "/" for site in (*slow, good))
        crawled = crawl(topic, tmp_path / "data", seeds, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=16, strategy="breadth_first")
        assert crawled.code == 0, crawled.log
        asked = min(hit.began for site in slow for hit in site.pages())
        assert good.pages()[4].began - asked < 20  # not after the DOWNLOAD_TIMEOUT of the slow ones, 30 s


def test_a_crawl_ends_when_only_hosts_are_left_that_rest_for_long(topic: Path, tmp_path: Path) -> None:
    with Site(pages("busy")) as site:
        site.routes["/0.html"] = Reply("busy", 503, headers={"Retry-After": "86400"})
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0, strategy="breadth_first")
        assert crawled.code == 0, crawled.log
        assert re.search(
            r"For \d+ s all hosts left have been backing off \(127\.0\.0\.1:\d+\): the crawl ends, with [1-4] links", crawled.log
        )
        assert crawled.log.count("all hosts left have been") == 1
        site.routes["/0.html"] = Reply(article("/0.html"))
        again = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0, strategy="breadth_first")
    assert again.code == 0, again.log
    assert list(reasons(tmp_path / "data").values()) == [""] * 5


def test_a_page_that_alone_hangs_up_is_given_up(topic: Path, tmp_path: Path) -> None:
    with Site(pages("one")) as site:
        site.routes |= {"/0.html": Reply(raw=hang_up), "/1.html": Reply(raw=hang_up), "/2.html": Reply("broken", 503)}
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0, RETRY_TIMES=1)
    assert crawled.code == 0, crawled.log
    found = reasons(tmp_path / "data")
    assert [found[site.url + path] for path in PAGES] == ["connection failed", "connection failed", "HTTP 503", ""]
    assert 3 <= site.asked("/0.html") <= 6  # one in doubt, and two tries; the connection pool asks twice by itself
