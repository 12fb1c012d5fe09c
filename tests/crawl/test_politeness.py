"""What a server sees of a crawl by one process: robots.txt and its Crawl-delay, the delay of a host, the limit in flight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from crawl_tools import Crawled, Reply, Route, Site, article, crawl, rows
from politeness_tools import CLOSE, TEXT, both_schemes, gaps, most_in_flight, taken_up_late

DELAY = 0.3
CRAWL_DELAY = 0.8
PAGES = [f"/{n}.html" for n in range(4)]


def site(robots: str | None) -> Site:
    """A home page with four on-topic pages and a forbidden one."""
    links = dict.fromkeys(PAGES, "党建") | {"/private/x.html": "党建"}
    routes: dict[str, Route] = {path: Reply(article(path), headers=CLOSE) for path in (*PAGES, "/private/x.html")}
    rules = Reply(robots or "", 200 if robots else 404, TEXT, CLOSE)
    return taken_up_late(Site({"/": Reply(article("首页", links), headers=CLOSE), "/robots.txt": rules, **routes}))


@pytest.fixture(scope="module")
def polite(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Site, Crawled, Path]]:
    """One crawl with many requests in flight over two hosts: one without robots.txt, one with rules and a Crawl-delay."""
    data = tmp_path_factory.mktemp("polite") / "data"
    rules = f"User-agent: *\nDisallow: /private/\nCrawl-delay: {CRAWL_DELAY}\n"
    with site(None) as free, site(rules) as strict:
        crawled = crawl(topic, data, f"{free.url}/ {strict.url}/", DOWNLOAD_DELAY=DELAY, CONCURRENT_REQUESTS=16)
        yield free, strict, crawled, data


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


def test_the_delay_lies_between_any_two_requests_of_a_host(polite: tuple[Site, Site, Crawled, Path]) -> None:
    free, _, _, _ = polite
    assert free.hits[0].path == "/robots.txt"
    assert min(gaps(free.hits)) >= DELAY


def test_a_crawl_delay_is_obeyed(polite: tuple[Site, Site, Crawled, Path]) -> None:
    _, strict, _, _ = polite
    assert strict.hits[0].path == "/robots.txt"
    assert min(gaps(strict.hits)) >= CRAWL_DELAY


def test_the_crawl_is_no_slower_than_it_must_be(polite: tuple[Site, Site, Crawled, Path]) -> None:
    """Scrapy by itself asks an empty-handed scheduler every five seconds."""
    free, strict, _, _ = polite
    assert max(gaps(free.hits) + gaps(strict.hits)) < 4


def test_hosts_are_crawled_side_by_side(polite: tuple[Site, Site, Crawled, Path]) -> None:
    free, strict, _, _ = polite
    assert strict.pages()[0].began < free.pages()[-1].began


def test_one_request_of_a_host_at_a_time_without_a_delay(topic: Path, tmp_path: Path) -> None:
    slow = site(None)

    def late(reply: Reply) -> Reply:
        slow.closing.wait(0.1)
        return reply

    slow.routes = {path: lambda _, route=route: late(route) for path, route in slow.routes.items()}  # type: ignore[misc]
    with slow:
        assert crawl(topic, tmp_path / "data", f"{slow.url}/", DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=16).code == 0
    assert len(slow.hits) == 7
    assert most_in_flight(slow.hits) == 1


def test_what_brings_no_answer_counts_too(topic: Path, tmp_path: Path) -> None:
    """A robots.txt that fails, is asked for again and has moved; pages that hang up, and are asked for again."""

    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        broken.closing.wait(0.2)

    def robots(path: str) -> Reply:
        return Reply("busy", 503) if broken.asked(path) == 0 else Reply(status=302, headers={"Location": "/rules.txt", **CLOSE})

    seeds = ["/a.html", "/b.html", "/private/x.html"]
    broken = taken_up_late(Site({path: Reply(raw=hang_up) for path in seeds}))
    broken.routes |= {"/robots.txt": robots, "/rules.txt": Reply("User-agent: *\nDisallow: /private/\n", 200, TEXT, CLOSE)}
    with broken:
        addresses = " ".join(f"{broken.url}{path}" for path in seeds)
        assert crawl(topic, tmp_path / "data", addresses, DOWNLOAD_DELAY=DELAY, RETRY_TIMES=1).code == 0
    assert [h.path for h in broken.hits[:3]] == ["/robots.txt", "/robots.txt", "/rules.txt"]
    assert sorted(h.path for h in broken.hits[3:]) == ["/a.html", "/a.html", "/b.html", "/b.html"]
    assert min(gaps(broken.hits)) >= DELAY
    assert {r.reason for r in rows(tmp_path / "data")} == {"connection failed", "robots.txt"}


def test_http_and_https_of_a_host_have_rules_of_their_own_and_one_delay(topic: Path, tmp_path: Path) -> None:
    open_pages = {f"/{word}/{n}.html": Reply(article(f"{word}{n}"), headers=CLOSE) for word in "ab" for n in range(2)}
    asked: list[str] = []

    def robots(_: str) -> Reply:
        asked.append("")
        return Reply(f"User-agent: *\nDisallow: /{'ab'[len(asked) - 1]}/\n", 200, TEXT, CLOSE)

    with both_schemes(Site({"/robots.txt": robots, **open_pages}), tmp_path) as double:
        plain, secure = double.url, double.url.replace("http:", "https:")
        seeds = [f"{base}{path}" for base, path in zip((plain, plain, secure, secure), open_pages, strict=True)]
        seeds.insert(2, f"{plain}/b/0.html")
        assert crawl(topic, tmp_path / "data", " ".join(seeds), DOWNLOAD_DELAY=DELAY).code == 0
    reasons = {r.url: r.reason for r in rows(tmp_path / "data")}
    assert double.asked("/robots.txt") == 2
    assert {url for url, reason in reasons.items() if reason == "robots.txt"} == {*seeds[:2], *seeds[3:]}
    assert min(gaps(double.hits)) >= DELAY


@pytest.mark.parametrize(("limit", "delay"), [(2, DELAY), (8, 0)])
def test_several_in_flight_keep_the_delay(topic: Path, tmp_path: Path, limit: int, delay: float) -> None:
    """Where the host may have several requests at a time, and all of them wait for a robots.txt that then asks for a delay."""
    pages: Mapping[str, Reply] = {f"/{n}.html": Reply(article(f"{n}"), headers=CLOSE) for n in range(6)}
    rules = Reply("User-agent: *\nCrawl-delay: 0.4\n", content_type=TEXT, headers=CLOSE)
    with taken_up_late(Site({"/robots.txt": rules, **pages}), 0.6) as busy:  # longer than the delay
        crawled = crawl(
            topic, tmp_path / "data", " ".join(f"{busy.url}{path}" for path in pages),
            DOWNLOAD_DELAY=delay, CONCURRENT_REQUESTS=16, CONCURRENT_REQUESTS_PER_DOMAIN=limit,
        )  # fmt: skip
    assert crawled.code == 0
    assert sorted(h.path for h in busy.pages()) == sorted(pages)
    assert busy.asked("/robots.txt") == 1
    assert min(gaps(busy.hits)) >= 0.4


def test_robots_txt_holds_for_requests_that_wait_for_it_together(topic: Path, tmp_path: Path) -> None:
    """Scrapy 2.19 gives the parsed file to the first of them and lets the others pass."""
    forbidden = {f"/private/{n}.html": Reply(article(f"{n}")) for n in range(6)}
    rules = Reply("User-agent: *\nDisallow: /private/\n", content_type=TEXT)
    with Site({"/robots.txt": rules, "/open.html": Reply(article("公开")), **forbidden}) as strict:
        seeds = " ".join(f"{strict.url}{path}" for path in (*forbidden, "/open.html"))
        crawled = crawl(
            topic, tmp_path / "data", seeds, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=16, CONCURRENT_REQUESTS_PER_DOMAIN=8
        )
    assert crawled.code == 0
    assert [h.path for h in strict.pages()] == ["/open.html"]
    assert [r.reason for r in rows(tmp_path / "data")].count("robots.txt") == len(forbidden)


def test_an_old_robots_txt_is_read_again(topic: Path, tmp_path: Path) -> None:
    """It forbids what it allowed before; every page that is still allowed is fetched once."""
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
