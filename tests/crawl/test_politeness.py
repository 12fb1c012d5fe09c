"""What a server sees of a crawl: robots.txt, its Crawl-delay, the delay between two requests, one request at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawl_tools import Crawled, Hit, Reply, Site, article, crawl, rows

DELAY = 0.3
CRAWL_DELAY = 0.8
TOLERANCE = 0.05
"""Seconds by which two requests may come closer on the wire than they left: threads of a busy machine."""
PAGES = [f"/{n}.html" for n in range(4)]


def site(robots: str | None) -> Site:
    """A home page with four on-topic pages and a forbidden one."""
    links = dict.fromkeys(PAGES, "党建") | {"/private/x.html": "党建"}
    routes = {path: Reply(article(path)) for path in (*PAGES, "/private/x.html")}
    return Site({"/": Reply(article("首页", links)), "/robots.txt": Reply(robots or "", 200 if robots else 404), **routes})


@pytest.fixture(scope="module")
def polite(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Site, Crawled, Path]]:
    """One crawl with many requests in flight over two hosts: one without robots.txt, one with rules and a Crawl-delay."""
    data = tmp_path_factory.mktemp("polite") / "data"
    rules = f"User-agent: *\nDisallow: /private/\nCrawl-delay: {CRAWL_DELAY}\n"
    with site(None) as free, site(rules) as strict:
        crawled = crawl(topic, data, f"{free.url}/ {strict.url}/", DOWNLOAD_DELAY=DELAY, CONCURRENT_REQUESTS=16)
        yield free, strict, crawled, data


def gaps(hits: list[Hit]) -> list[float]:
    """Seconds between the beginnings of requests that follow each other."""
    return [later.began - earlier.began for earlier, later in itertools.pairwise(sorted(hits, key=lambda h: h.began))]


def test_everything_allowed_is_fetched(polite: tuple[Site, Site, Crawled, Path]) -> None:
    free, strict, crawled, _ = polite
    assert crawled.code == 0
    assert sorted(h.path for h in free.pages()) == ["/", *PAGES, "/private/x.html"]
    assert sorted(h.path for h in strict.pages()) == ["/", *PAGES]


def test_robots_txt_is_read_once_and_obeyed(polite: tuple[Site, Site, Crawled, Path]) -> None:
    free, strict, _, data = polite
    assert free.asked("/robots.txt") == strict.asked("/robots.txt") == 1
    reasons = {r.url: r.reason for r in rows(data)}
    assert reasons[f"{strict.url}/private/x.html"] == "robots.txt"
    assert reasons[f"{free.url}/private/x.html"] == ""


def test_the_delay_lies_between_two_requests_of_a_host(polite: tuple[Site, Site, Crawled, Path]) -> None:
    free, _, _, _ = polite
    assert min(gaps(free.pages())) >= DELAY - TOLERANCE


def test_a_crawl_delay_is_obeyed(polite: tuple[Site, Site, Crawled, Path]) -> None:
    _, strict, _, _ = polite
    assert min(gaps(strict.pages())) >= CRAWL_DELAY - TOLERANCE


def test_the_crawl_is_no_slower_than_it_must_be(polite: tuple[Site, Site, Crawled, Path]) -> None:
    """Scrapy by itself asks an empty-handed scheduler every five seconds."""
    free, strict, _, _ = polite
    assert max(gaps(free.pages())) < DELAY + 1
    assert max(gaps(strict.pages())) < CRAWL_DELAY + 1


def test_hosts_are_crawled_side_by_side(polite: tuple[Site, Site, Crawled, Path]) -> None:
    free, strict, _, _ = polite
    assert strict.pages()[0].began < free.pages()[-1].began


def test_one_request_of_a_host_at_a_time_and_slow_ones_count(topic: Path, tmp_path: Path) -> None:
    """Without a delay, with slow answers and a slow robots.txt: the requests of a host never overlap, and a Crawl-delay counts
    from the request itself, not from the moment in which it began to wait for robots.txt."""
    slow, rules = site(None), f"User-agent: *\nCrawl-delay: {CRAWL_DELAY}\n"

    def late(reply: Reply, seconds: float) -> Reply:
        slow.closing.wait(seconds)
        return reply

    slow.routes = {path: lambda _, route=route: late(route, 0.1) for path, route in slow.routes.items()}  # type: ignore[misc]
    strict = site(rules)
    strict.routes["/robots.txt"] = lambda _: late(Reply(rules, content_type="text/plain"), 1.0)
    with slow, strict:
        seeds = f"{slow.url}/ {strict.url}/"
        assert crawl(topic, tmp_path / "data", seeds, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=16, pages=9).code == 0
    for earlier, later in itertools.pairwise(slow.pages()):
        assert earlier.ended <= later.began
    assert len(strict.pages()) >= 2
    assert min(gaps(strict.pages())) >= CRAWL_DELAY - TOLERANCE


def test_robots_txt_holds_for_requests_that_wait_for_it_together(topic: Path, tmp_path: Path) -> None:
    """Scrapy 2.19 gives the parsed file to the first of them and lets the others pass."""
    forbidden = {f"/private/{n}.html": Reply(article(f"{n}")) for n in range(6)}
    rules = Reply("User-agent: *\nDisallow: /private/\n", content_type="text/plain")
    with Site({"/robots.txt": rules, "/open.html": Reply(article("公开")), **forbidden}) as strict:
        seeds = " ".join(f"{strict.url}{path}" for path in (*forbidden, "/open.html"))
        crawled = crawl(
            topic, tmp_path / "data", seeds, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=16, CONCURRENT_REQUESTS_PER_DOMAIN=8
        )
    assert crawled.code == 0
    assert [h.path for h in strict.pages()] == ["/open.html"]
    assert [r.reason for r in rows(tmp_path / "data")].count("robots.txt") == len(forbidden)
