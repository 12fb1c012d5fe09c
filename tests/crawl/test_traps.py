"""Webs without an end, and pages that are made to hold a crawler up: the rest of the web is still collected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crawl_tools import Crawled, Reply, Site, article, crawl, rows

TRAP_PAGES = 10
PAGE_LIMIT = 200
GOOD = tuple(f"/good/{name}.html" for name in ("first", "second", "third"))


def month(path: str, title: str) -> Reply:
    number = int(re.sub(r"\D", "", path.partition("?")[2]))
    address = path.partition("?")[0]
    links = "".join(f'<a href="{address}?month={number + step}">党建日历 下{step}月</a>' for step in (1, 2, 12))
    return Reply(f"<html><head><title>{title} 第 {number} 月</title></head><body><table>{links}</table></body></html>")


def maze(path: str) -> Reply:
    return Reply(f'<html><head><title>党建 {path}</title></head><body><a href="news/list.html">党建要闻</a></body></html>')


@pytest.fixture(scope="module")
def trapped(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Crawled, Path]]:
    links = {"/calendar?month=0": "党建日历", "/off-topic-calendar?month=0": "党建日历", "/news/list.html": "党建迷宫"}
    routes = {
        "/": Reply(article("首页", links | dict.fromkeys(GOOD, "党支部"))),
        "/calendar": lambda path: month(path, "党建"),
        "/off-topic-calendar": lambda path: month(path, "日历"),
        **{path: Reply(article(path)) for path in GOOD},
        "/robots.txt": Reply("", 404),
        "": lambda path: maze(path) if path.endswith("/news/list.html") else None,
    }
    data = tmp_path_factory.mktemp("traps") / "data"
    with Site(routes) as site:
        crawled = crawl(topic, data, site.url + "/", pages=PAGE_LIMIT, DOWNLOAD_DELAY=0, TOPICAL_TRAP_PAGES=TRAP_PAGES)
        yield site, crawled, data


def test_the_crawl_ends_by_itself(trapped: tuple[Site, Crawled, Path]) -> None:
    _, crawled, data = trapped
    assert crawled.code == 0 and "nothing left to fetch" in crawled.log and re.search(r"\btrap +\d", crawled.log)
    assert {urlsplit(r.url).path for r in rows(data) if r.keep} >= set(GOOD)


def test_calendars_off_and_on_topic_and_a_maze_of_relative_links_end_soon(trapped: tuple[Site, Crawled, Path]) -> None:
    site, _, _ = trapped
    assert 0 < site.asked("/off-topic-calendar") <= TRAP_PAGES
    assert 0 < site.asked("/calendar") <= 5 * TRAP_PAGES
    assert 0 < sum(hit.path.endswith("/news/list.html") for hit in site.hits) <= 3


SLOW_TO_PARSE = {
    "/nesting": "<div>" * 100_000,
    "/crossed-links": "".join(f"<a href=/{n}.pdf><table><tr><td>党建" for n in range(15_000)),
    "/attributes": "<a " + " ".join(f"x{n}=1" for n in range(100_000)) + ">",
}
"""Sources of 500 to 900 kB on which an HTML parser, or the text of nested links, takes 20 seconds and more each."""


def test_a_page_that_is_slow_to_parse_does_not_hold_up_the_others(topic: Path, tmp_path: Path) -> None:
    with Site() as hostile, Site({path: Reply(article(path)) for path in GOOD}) as site:
        hostile.routes = {path: Reply("<title>党建</title>" + body) for path, body in SLOW_TO_PARSE.items()}
        links = {hostile.url + path: "党建 党员" for path in SLOW_TO_PARSE} | dict.fromkeys(GOOD, "党支部")
        site.routes["/"] = Reply(article("首页", links))
        given = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": 16, "TOPICAL_ALLOW_PRIVATE": "127.0.0.1"}
        crawled = crawl(topic, tmp_path / "data", site.url + "/", **given, TOPICAL_EXTRACT_TIMEOUT=1)
    found = {r.url: r.reason for r in rows(tmp_path / "data")}
    assert crawled.code == 0
    assert not any(found[site.url + path] for path in ("/", *GOOD))
    assert all(found[hostile.url + path] for path in SLOW_TO_PARSE)
