"""What a server sees of a crawl by one process: robots.txt and its Crawl-delay, the delay of a host, the limit in flight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crawl_tools import Crawled, Reply, Route, Site, article, crawl, rows
from politeness_tools import CLOSE, TEXT, both_schemes, gaps, taken_up_late
from wait_tools import wait_for

from topical_crawler.corpus.record import Record

DELAY = 0.3
CRAWL_DELAY = 0.7
SETTINGS = """
from scrapy.core.engine import ExecutionEngine
from topical_crawler import driver
from topical_crawler.settings import *

ExecutionEngine._SLOT_HEARTBEAT_INTERVAL = 1e6
driver.TICK = 1e6
"""
"""Nobody asks the scheduler again and again: a crawl goes on only where it says itself when a host's turn comes."""
HUNG_UP = "connection failed"
PAGES = [f"/{n}.html" for n in range(4)]


def site(robots: str | None) -> Site:
    """A home page with four on-topic pages and a forbidden one."""
    links = dict.fromkeys(PAGES, "党建") | {"/private/x.html": "党建"}
    routes: dict[str, Route] = {path: Reply(article(path), headers=CLOSE) for path in (*PAGES, "/private/x.html")}
    rules = Reply(robots or "", 200 if robots else 404, TEXT, CLOSE)
    return taken_up_late(Site({"/": Reply(article("首页", links), headers=CLOSE), "/robots.txt": rules, **routes}))


def broken() -> Site:
    """A robots.txt that fails, then has moved; pages that hang up without a word."""

    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        site.closing.wait(0.2)

    def robots(path: str) -> Reply:
        return Reply("busy", 503) if site.asked(path) == 0 else Reply(status=302, headers={"Location": "/rules.txt", **CLOSE})

    site = taken_up_late(Site({path: Reply(raw=hang_up) for path in ("/a.html", "/b.html")}))
    site.routes |= {"/robots.txt": robots, "/rules.txt": Reply("User-agent: *\nDisallow: /private/\n", 200, TEXT, CLOSE)}
    return site


def double(folder: Path) -> Site:
    """http and https; the robots.txt that is asked for first, by http, forbids /a.html, the other one /d.html."""
    forbidden = iter(("/a.html", "/d.html"))

    def robots(_: str) -> Reply:
        return Reply(f"User-agent: *\nDisallow: {next(forbidden)}\n", 200, TEXT, CLOSE)

    pages = {f"/{name}.html": Reply(article(name), headers=CLOSE) for name in "abcd"}
    return both_schemes(Site({"/robots.txt": robots, **pages}), folder)


@dataclass(frozen=True)
class Polite:
    """A crawl with many requests in flight, one of a host at a time: over a host without robots.txt, one with rules and a
    Crawl-delay, one that fails, and one with http and https."""

    free: Site
    strict: Site
    broken: Site
    double: Site
    crawled: Crawled
    rows: list[Record]

    def reasons(self, site: Site) -> dict[str, str]:
        return {urlsplit(r.url).path: r.reason for r in self.rows if urlsplit(r.url).netloc == urlsplit(site.url).netloc}


@pytest.fixture(scope="module")
def polite(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Polite]:
    folder = tmp_path_factory.mktemp("polite")
    rules = f"User-agent: *\nDisallow: /private/\nCrawl-delay: {CRAWL_DELAY}\n"
    with site(None) as free, site(rules) as strict, broken() as failing, double(folder) as both:
        secure = both.url.replace("http:", "https:")
        seeds = [f"{free.url}/", f"{strict.url}/"]
        seeds += [f"{failing.url}{path}" for path in ("/a.html", "/b.html", "/private/x.html")]
        seeds += [f"{both.url}/a.html", f"{both.url}/b.html", f"{secure}/c.html", f"{secure}/d.html"]
        free.routes["/0.html"] = lambda path: wait_for(strict.pages) and Reply(article(path), headers=CLOSE)
        (folder / "project_settings.py").write_text(SETTINGS, encoding="utf-8")
        given = {"DOWNLOAD_DELAY": DELAY, "CONCURRENT_REQUESTS": 16, "RETRY_TIMES": 1}
        crawled = crawl(topic, folder / "data", " ".join(seeds), folder, **given)
        yield Polite(free, strict, failing, both, crawled, rows(folder / "data"))


def test_everything_allowed_is_fetched_and_robots_txt_is_read_once(polite: Polite) -> None:
    """Scrapy by itself asks an empty-handed scheduler every five seconds; here it does not, and the crawl has ended."""
    assert polite.crawled.code == 0 and "nothing left to fetch" in polite.crawled.log
    assert sorted(h.path for h in polite.free.pages()) == ["/", *PAGES, "/private/x.html"]
    assert sorted(h.path for h in polite.strict.pages()) == ["/", *PAGES]
    assert polite.free.asked("/robots.txt") == polite.strict.asked("/robots.txt") == 1
    assert polite.reasons(polite.strict)["/private/x.html"] == "robots.txt"
    assert polite.reasons(polite.free)["/private/x.html"] == ""


def test_the_delay_or_a_crawl_delay_lies_between_any_two_requests_of_a_host(polite: Polite) -> None:
    for site, delay in ((polite.free, DELAY), (polite.strict, CRAWL_DELAY)):
        assert site.hits[0].path == "/robots.txt" and min(gaps(site.hits)) >= delay


def test_hosts_are_crawled_side_by_side(polite: Polite) -> None:
    """A page of one host is answered only after one of the other."""
    assert polite.strict.pages()[0].began < polite.free.pages()[-1].began


def test_what_brings_no_answer_counts_too(polite: Polite) -> None:
    """A robots.txt that fails, is asked for again and has moved; pages that hang up, whereupon it is asked for again."""
    hits = polite.broken.hits
    assert [h.path for h in hits[:3]] == ["/robots.txt", "/robots.txt", "/rules.txt"]
    asked = Counter(h.path for h in hits[3:])
    assert asked["/a.html"] == asked["/b.html"] == 3  # in doubt, and two tries
    assert asked["/robots.txt"] == asked["/rules.txt"] >= 4
    assert min(gaps(hits)) >= DELAY
    assert polite.reasons(polite.broken) == {"/a.html": HUNG_UP, "/b.html": HUNG_UP, "/private/x.html": "robots.txt"}


def test_http_and_https_of_a_host_have_rules_of_their_own_and_one_delay(polite: Polite) -> None:
    assert polite.double.asked("/robots.txt") == 2
    assert polite.reasons(polite.double) == {"/a.html": "robots.txt", "/b.html": "", "/c.html": "", "/d.html": "robots.txt"}
    assert min(gaps(polite.double.hits)) >= DELAY


def test_requests_that_wait_for_robots_txt_together_obey_it(topic: Path, tmp_path: Path) -> None:
    """Scrapy 2.19 gives the parsed file to the first of them and lets the others pass; here also its Crawl-delay lies between
    them, where the host had none before."""
    forbidden = {f"/private/{n}.html": Reply(article(f"{n}"), headers=CLOSE) for n in range(4)}
    allowed = {f"/{n}.html": Reply(article(f"{n}"), headers=CLOSE) for n in range(4)}
    rules = Reply("User-agent: *\nDisallow: /private/\nCrawl-delay: 0.4\n", 200, TEXT, CLOSE)
    with taken_up_late(Site({"/robots.txt": rules, **allowed, **forbidden}), 0.6) as strict:  # longer than the delay
        seeds = " ".join(f"{strict.url}{path}" for path in (*forbidden, *allowed))
        given = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 8}
        assert crawl(topic, tmp_path / "data", seeds, **given).code == 0
    assert sorted(h.path for h in strict.hits) == [*allowed, "/robots.txt"]
    assert min(gaps(strict.hits)) >= 0.4
    assert [r.reason for r in rows(tmp_path / "data")].count("robots.txt") == len(forbidden)


def test_an_old_robots_txt_is_read_again(topic: Path, tmp_path: Path) -> None:
    names = [f"/{n:02}.html" for n in range(12)]
    rules = [Reply("User-agent: *\nAllow: /\n", 200, TEXT), Reply("User-agent: *\nDisallow: /11.html\n", 200, TEXT)]

    def robots(_: str) -> Reply:
        return rules.pop(0) if len(rules) > 1 else rules[0]

    with Site({"/robots.txt": robots, **{name: Reply(article(name)) for name in names}}) as aging:
        seeds = " ".join(f"{aging.url}{name}" for name in names)
        crawled = crawl(topic, tmp_path / "data", seeds, DOWNLOAD_DELAY=0.1, TOPICAL_ROBOTS_SECONDS=1)  # the least is 10 delays
    assert crawled.code == 0
    assert aging.asked("/robots.txt") >= 2
    assert sorted(h.path for h in aging.pages()) == names[:-1]
    assert min(gaps(aging.hits)) >= 0.1
