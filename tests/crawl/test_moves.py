"""A site that redirects everything to another address is asked for a few pages only, and then for those at the new address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from crawl_tools import Reply, Site, article, crawl, rows
from redis_tools import RedisServer

from topical_crawler.crawl.moves import MOVED, MOVED_AFTER, Moves
from topical_crawler.frontier.sqlite import SqliteFrontier

PAGES, FOUND_FIRST = 16, 8
OPTIONS = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": 1, "TOPICAL_ALLOW_PRIVATE": "127.0.0.1"}
OLD, NEW = "http://www.dangjian.cn", "https://dangjian.cn"


def moved(times: int = MOVED_AFTER) -> Moves:
    """What is known once ``NEW`` has given a page, and ``OLD`` has redirected so many times to it."""
    notes: dict[str, Any] = {}
    found = Moves(notes.get, notes.__setitem__)
    found.note(f"{NEW}/")
    for n in range(times):
        found.note(f"{OLD}/{n}.html", f"{NEW}/{n}.html")
    return found


def test_an_address_is_looked_for_where_its_site_has_moved() -> None:
    found = moved()
    assert found.of(f"{OLD}/党建.html?id=3&a=%CE%C4#top") == f"{NEW}/党建.html?id=3&a=%CE%C4#top"
    assert found.of(OLD) == NEW and found.of(f"{OLD}?id=3") == f"{NEW}?id=3"
    others = [f"{NEW}/1.html", "https://www.dangjian.cn/1.html", "http://www.dangjian.cn:8080/1.html", "党建"]
    assert [found.of(url) for url in others] == others


def test_a_site_that_gave_a_page_has_not_moved() -> None:
    before = moved(0)
    before.note(f"{OLD}/")
    for n in range(MOVED_AFTER):
        before.note(f"{OLD}/{n}", f"{NEW}/{n}")
    after = moved()
    after.note(f"{OLD}/")  # a person asked for it
    assert before.of(f"{OLD}/") == after.of(f"{OLD}/") == f"{OLD}/"


def test_a_redirect_to_another_path_says_nothing() -> None:
    found = moved(0)
    for n in range(2 * MOVED_AFTER):
        found.note(f"{OLD}/{n}", f"{NEW}/login?from={n}")
        found.note(f"{OLD}/{n}", f"{OLD}/{n}/")
    assert found.of(f"{OLD}/1") == f"{OLD}/1"


def test_the_same_path_may_be_written_otherwise() -> None:
    found = moved(0)
    for n in range(MOVED_AFTER):
        found.note(f"{OLD}/支部{n}/?b=1&a=2", f"{NEW}/%e6%94%af%e9%83%a8{n}/?a=2&b=1")
    assert found.of(f"{OLD}/9") == f"{NEW}/9"


def test_enough_redirects_have_to_lead_to_one_place() -> None:
    found = moved(MOVED_AFTER - 1)
    assert found.of(f"{OLD}/") == f"{OLD}/"
    found.note(f"{OLD}/1", "https://m.dangjian.cn/1")
    found.note(f"{OLD}/2", f"{NEW}/2")
    assert found.of(f"{OLD}/3") == f"{OLD}/3"


def test_nothing_moves_to_where_no_page_came_from() -> None:
    notes: dict[str, Any] = {}
    found = Moves(notes.get, notes.__setitem__)
    for n in range(2 * MOVED_AFTER):  # until there is a cookie, say
        found.note(f"{OLD}/{n}", f"{NEW}/{n}")
        found.note(f"{NEW}/{n}", f"{OLD}/{n}")
    assert found.of(f"{OLD}/1") == f"{OLD}/1" and found.of(f"{NEW}/1") == f"{NEW}/1"


@pytest.mark.parametrize("for_good", [True, False])
def test_a_site_that_is_led_back_to_has_not_moved(for_good: bool) -> None:
    found = moved()
    found.note(f"{NEW}/bbs/1", f"{OLD}/bbs/1", for_good)
    assert found.of(f"{OLD}/bbs/1") == f"{OLD}/bbs/1"


def test_workers_count_together_and_a_page_is_not_forgotten() -> None:
    notes: dict[str, Any] = {}
    one, two = (Moves(notes.get, notes.__setitem__) for _ in range(2))
    two.note(f"{NEW}/")
    assert one.of(f"{OLD}/1", ask=True) == f"{OLD}/1"
    for n, worker in enumerate((one, two, one)):
        worker.note(f"{OLD}/{n}", f"{NEW}/{n}")
    for worker in (one, two):
        worker.ask_again()
        assert worker.of(f"{OLD}/1") == f"{OLD}/1", "nobody has asked"
        assert worker.of(f"{OLD}/1", ask=True) == worker.of(f"{OLD}/1") == f"{NEW}/1"
    two.note(f"{OLD}/9")
    one.note(f"{OLD}/3", f"{NEW}/3")
    one.ask_again()
    assert one.of(f"{OLD}/1", ask=True) == two.of(f"{OLD}/1", ask=True) == f"{OLD}/1"


def test_little_is_remembered_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topical_crawler.crawl.moves._MOST_NOTES", 3)
    found = moved()
    for n in range(9):
        found.note(f"http://{n}.cn/")
        assert len(found._known) <= 3
    assert found.of(f"{OLD}/1", ask=True) == f"{NEW}/1"


@contextmanager
def sites() -> Iterator[tuple[Site, Site]]:
    """A site that has moved, and where to: there half of the links are found before it is known, all to the old addresses."""
    with Site() as old, Site() as new:

        def page(path: str) -> Reply:
            number = int(path.strip("/") or 0)
            links = {f"{old.url}/{n}": f"党建第{n}篇" for n in range(1, PAGES) if n <= FOUND_FIRST or number == FOUND_FIRST}
            return Reply(article(f"第{number}篇", links))

        old.routes = {"": lambda path: Reply("", 301, headers={"Location": new.url + path}), "/robots.txt": Reply("", 404)}
        new.routes = {"": page, "/robots.txt": Reply("", 404)}
        yield old, new


@pytest.mark.parametrize("frontier", ["sqlite", "redis"])
def test_a_crawl_asks_a_moved_site_for_a_few_pages_only_and_the_next_worker_knows(
    frontier: str, topic: Path, tmp_path: Path, server: RedisServer
) -> None:
    with sites() as (old, new):
        given = {**OPTIONS, "TOPICAL_FRONTIER": frontier, "REDIS_URL": server.url}
        first = crawl(topic, tmp_path / "data", new.url + "/", **given, TOPICAL_WORKER="one", pages=MOVED_AFTER + 2)
        assert len(old.pages()) == MOVED_AFTER
        later = crawl(topic, tmp_path / "data", new.url + "/", **given, TOPICAL_WORKER="two")
        kept = [row.url for row in rows(tmp_path / "data") if row.keep]
        assert sorted(kept) == sorted(new.url + path for path in ("/", *(f"/{n}" for n in range(1, PAGES))))
        assert len(old.pages()) == MOVED_AFTER and len(new.pages()) == PAGES
    assert (first.code, later.code) == (0, 0), first.log + later.log
    if frontier == "sqlite":
        with closing(SqliteFrontier(tmp_path / "data" / "frontier.sqlite")) as waited:
            assert waited.status().dropped == {MOVED: FOUND_FIRST - MOVED_AFTER}  # the others never waited at an old address


@pytest.mark.parametrize(("leads_back", "asked"), [(False, FOUND_FIRST), (True, PAGES - 1)])
def test_a_page_that_is_not_at_the_new_address_is_asked_for_at_the_old_one(
    leads_back: bool, asked: int, topic: Path, tmp_path: Path
) -> None:
    """It is there, so the site has not moved: what still waits is asked for where it stands, and where the new site
    led back what is found on that page, too."""
    with sites() as (old, new):
        path = f"/{FOUND_FIRST}"
        old.routes[path] = new.routes[""]
        new.routes[path] = Reply("", 302, headers={"Location": old.url + path}) if leads_back else Reply("", 404)
        crawled = crawl(topic, tmp_path / "data", new.url + "/", **OPTIONS)
    assert crawled.code == 0, crawled.log
    kept = {row.url for row in rows(tmp_path / "data") if row.keep}
    assert kept == {new.url + "/", old.url + path} | {f"{new.url}/{n}" for n in range(1, PAGES) if n != FOUND_FIRST}
    assert old.asked(path) == new.asked(path) == 1
    assert len(old.pages()) == asked


def test_a_redirect_for_a_time_is_no_move(topic: Path, tmp_path: Path) -> None:
    with sites() as (old, new):
        old.routes[""] = lambda path: Reply("", 302, headers={"Location": new.url + path})
        crawled = crawl(topic, tmp_path / "data", new.url + "/", **OPTIONS)
    assert crawled.code == 0, crawled.log
    assert len(old.pages()) == PAGES - 1
