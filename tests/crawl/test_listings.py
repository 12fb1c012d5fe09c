"""A crawl reads the sitemaps and feeds of hosts that gave texts, within all its bounds, once, also when it is resumed."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from crawl_tools import Reply, Site, article, crawl, rows
from option_tools import options
from redis_tools import RedisServer

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.crawl.listings import Listings
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.frontier.base import SEED_PRIORITY, Outcome, State
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.items import LISTED, PageItem
from topical_crawler.web.page import Page
from topical_crawler.web.urls import fingerprint

OPTIONS = {"strategy": "breadth_first", "DOWNLOAD_DELAY": 0, "hosts": "127.0.0.1"}
BOTH = {"TOPICAL_SITEMAPS": 1, "TOPICAL_FEEDS": 1}


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def site() -> Site:
    """Two linked articles; two more that only its sitemap, one that only its feed knows."""
    server = Site()
    index = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in ("/part.xml.gz", "/private/s.xml", "http://10.0.0.1/s.xml"))
    outside = ("/1.jpg", "http://www.a.cn/1.html", "/private/1.html")
    rules = f"User-agent: *\nDisallow: /private/\nSitemap: {server.url}/index.xml\nSitemap: {server.url}/gone.xml\n"
    deep = gzip.compress(urlset("/deep.html", "/deeper.html", *outside).encode())
    server.routes |= {
        "/robots.txt": Reply(rules, content_type="text/plain"),
        "/": Reply(article("首页", {"/a.html": "党建", "/b.html": "党建"})),
        "/index.xml": Reply(f"<sitemapindex>{index}</sitemapindex>", content_type="application/xml"),
        "/part.xml.gz": Reply(deep, content_type="application/gzip"),
        "/feed": Reply(status=302, headers={"Location": "/"}),
        "/rss.xml": Reply(status=301, headers={"Location": "/feed.xml"}),
        "/feed.xml": Reply(
            "<rss version='2.0'><channel><item><title>支部</title><link>/fresh.html</link><category>党建</category></item>"
            "<item><title>首页</title><link>/</link></item></channel></rss>"
        ),
        **{f"/{name}.html": Reply(article(name)) for name in ("a", "b", "deep", "deeper", "fresh")},
    }
    return server


LISTINGS = ("/index.xml", "/gone.xml", "/part.xml.gz", "/feed", "/rss.xml", "/feed.xml", "/atom.xml")


@pytest.fixture(scope="module")
def crawled(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """Crawled in three runs: without listings, until the first of them is fetched, and to the end."""
    data = tmp_path_factory.mktemp("listings") / "data"
    with site() as server:
        assert crawl(topic, data, f"{server.url}/", pages=1, **OPTIONS).code == 0
        assert not any(map(server.asked, LISTINGS))
        for pages in (4, 50):
            assert crawl(topic, data, f"{server.url}/", pages=pages, **OPTIONS, **BOTH).code == 0
        yield server, data


def test_what_only_listings_know_is_found_and_they_are_no_pages(crawled: tuple[Site, Path]) -> None:
    server, data = crawled
    found = {record.url.removeprefix(server.url): record for record in rows(data)}
    assert set(found) == {"/", "/a.html", "/b.html", "/deep.html", "/deeper.html", "/fresh.html", "/private/1.html"}
    assert [path for path, record in found.items() if not record.keep] == ["/private/1.html"]
    fresh = found["/fresh.html"].why
    assert (fresh["listing"], fresh["anchor"], fresh["parent"]) == ("feed", "支部", f"{server.url}/feed.xml")
    assert found["/deep.html"].why["listing"] == "sitemap" and "listing" not in found["/a.html"].why


def test_each_listing_is_asked_for_once_and_what_is_refused_never(crawled: tuple[Site, Path]) -> None:
    server, data = crawled
    assert {path: server.asked(path) for path in LISTINGS} == dict.fromkeys(LISTINGS, 1)
    assert server.asked("/private/s.xml") == server.asked("/private/1.html") == server.asked("/sitemap.xml") == 0
    with contextlib.closing(SqliteFrontier(data / "frontier.sqlite")) as frontier:
        reasons = {outcome.url.removeprefix(server.url): outcome.reason for _, outcome in frontier.journal.outcomes()}
        state, private = frontier.find(fingerprint("http://10.0.0.1/s.xml")) or (None, None)
        dropped = frontier.status().dropped
    assert [reasons[path] for path in ("/index.xml", "/part.xml.gz", "/feed.xml")] == ["sitemap", "sitemap", "feed"]
    assert reasons["/gone.xml"] == reasons["/atom.xml"] == "no sitemap or feed: HTTP 404"
    assert reasons["/private/s.xml"] == "no sitemap or feed: robots.txt"
    assert state is State.DROPPED and private is not None and private.dropped == "other site"
    assert dropped == {"file type": 1, "other site": 2}


def test_why_names_the_feed(crawled: tuple[Site, Path], call_scrapy: Callable[..., CompletedProcess[str]]) -> None:
    server, data = crawled
    said = call_scrapy("corpus", "why", data, f"{server.url}/fresh.html", cwd=data).stdout
    assert f"on the feed {server.url}/feed.xml" in " ".join(said.split())


def test_workers_over_redis_share_what_was_asked(topic: Path, tmp_path: Path, server: RedisServer) -> None:
    shared = {**OPTIONS, **BOTH, "TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url}
    with site() as web:
        for pages in (3, 50):
            assert crawl(topic, tmp_path, f"{web.url}/", **shared, pages=pages).code == 0
        assert {path: web.asked(path) for path in LISTINGS} == dict.fromkeys(LISTINGS, 1)
        assert {"/deeper.html", "/fresh.html"} <= {record.url.removeprefix(web.url) for record in rows(tmp_path)}


def listings(frontier: MemoryFrontier, texts: int = 0, **values: object) -> Listings:
    policy = LinkPolicy(given := options(**values))
    for number in range(texts):
        policy.count(Outcome(f"http://a.cn/{number}", True))
    return Listings(given, policy, frontier)


def a_text(*feeds: str) -> PageItem:
    entry = seed_entry("http://a.cn/dj/1.html")
    return PageItem(entry, entry.url, "", page=Page(entry.url, feeds=feeds), sitemaps=("http://a.cn/map.xml",))


def test_listings_are_looked_for_once_a_host_has_given_texts() -> None:
    assert listings(MemoryFrontier(), 5).for_text(a_text()) == []
    assert listings(MemoryFrontier(), 1, sitemaps=3).for_text(a_text()) == []
    (entry,) = listings(MemoryFrontier(), 2, sitemaps=3, feeds=9).for_text(a_text())
    assert (entry.url, entry.priority, entry.meta) == ("http://a.cn/map.xml", SEED_PRIORITY, {LISTED: "sitemap"})


def test_a_listing_that_was_asked_for_is_not_asked_for_again() -> None:
    frontier = MemoryFrontier()
    found = listings(frontier, 2, feeds=1).for_text(a_text("http://a.cn/new.xml"))
    assert found[0].url == "http://a.cn/new.xml"
    for entry in found:
        frontier.push([entry])
        assert frontier.pop(0.0) is not None
        frontier.done(entry.key, Outcome(entry.url, False, reason="feed"))
    assert listings(frontier, 2, feeds=1).for_text(a_text("http://a.cn/new.xml")) == []
