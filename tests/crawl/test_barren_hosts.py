"""Hosts that give nothing cost few downloads, and nothing is lost where texts are: over all frontiers, workers and restarts."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from crawl_tools import article
from redis_tools import RedisServer
from rich.console import Console
from step_tools import finish, open_crawl

from topical_crawler.crawl import checkpoints
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.crawl.views import figures, line_view, live_view, summary, why_ended
from topical_crawler.frontier import redis_journal
from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.frontier.redis_journal import RedisJournal
from topical_crawler.web.page import Page

PAGES, LEAVE = 4, 10
START = "http://www.dangjian.test/"
VIDEOS = [f"http://tv.test/{name}.html" for name in "abcdefghijklmnopqrstuvwxyz"]
LISTS = [f"http://hub.test/{name}/" for name in "abcdefghijklmnopqrst"]
TEXTS = [f"http://zhibu.test/{name}.html" for name in ("支部", "学习", "宣誓", "选举", "志愿", "会议")]
SECOND = [f"http://news.test/{n}.html" for n in range(len(LISTS))]


def off_topic(title: str, links: Mapping[str, str]) -> str:
    anchors = "".join(f'<p><a href="{url}">{anchor}</a></p>' for url, anchor in links.items())
    return f"<html><head><title>{title}</title></head><body>{anchors}</body></html>"


def web(with_hub: bool = True) -> dict[str, str]:
    """A site that names a host of 26 videos before one of texts, and a hub of 20 lists, each of which leads to a text
    on a third host."""
    found = {url: off_topic("视频点播", {VIDEOS[(n + 1) % 26]: "党建视频"}) for n, url in enumerate(VIDEOS)}
    links = dict.fromkeys([*VIDEOS, *TEXTS], "党建")
    found |= {url: article(url) for url in TEXTS}
    if with_hub:
        links |= dict.fromkeys(LISTS, "党建")
        found |= {url: off_topic("目录", {SECOND[n]: "党建"}) for n, url in enumerate(LISTS)}
        found |= {url: article(url) for url in SECOND}
    return found | {START: article("首页", links)}


Opener = Callable[..., Crawl]


@pytest.fixture
def opener(topic: Path, tmp_path: Path) -> Opener:
    def opened(pages: int = PAGES, leave: int = LEAVE, limit: int = 1_000, **settings: object) -> Crawl:
        data = settings.pop("TOPICAL_DATA_DIR", tmp_path / "data")
        bounds = {"TOPICAL_BARREN_PAGES": pages, "TOPICAL_BARREN_LEAVE": leave, "pages": limit}
        made = open_crawl(topic, data, **bounds, **settings)
        made.feeding.take([START])
        return made

    return opened


@pytest.fixture(params=["sqlite", "redis"])
def backend(request: pytest.FixtureRequest, server: RedisServer) -> dict[str, object]:
    server.client().flushall()
    return {"TOPICAL_FRONTIER": request.param, "REDIS_URL": server.url}


@pytest.fixture
def shared(server: RedisServer, tmp_path: Path) -> Mapping[str, object]:
    """Settings of workers that share a crawl and a corpus."""
    server.client().flushall()
    return {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url, "TOPICAL_CORPUS": tmp_path / "corpus.sqlite"}


@pytest.fixture
def short_log(shared: Mapping[str, object], monkeypatch: pytest.MonkeyPatch) -> Mapping[str, object]:
    """The same, of workers that make a checkpoint every 8 pages, and keep the last 10 pages of their log."""
    monkeypatch.setattr(checkpoints, "CHECKPOINT_PAGES", 8)
    for module in (redis_journal, checkpoints):
        monkeypatch.setattr(module, "KEPT", 10)
    return shared


def step(made: Crawl, pages: Mapping[str, str]) -> str | None:
    """Fetch the next page and finish it; its address."""
    entry = None if made.is_over else made.next(0.0)
    if entry is None:
        return None
    html = pages[entry.url]
    finish(made, entry, Page.from_html(entry.url, html), len(html.encode()))
    made.tick()
    return entry.url


def steps(made: Crawl, number: int) -> list[str | None]:
    return [step(made, web()) for _ in range(number)]


def walked(made: Crawl, pages: Mapping[str, str]) -> list[str]:
    return list(iter(lambda: step(made, pages), None))


def test_a_barren_crawl_ends_and_goes_on_when_it_is_told_to(opener: Opener) -> None:
    with closing(opener(0, 0, TOPICAL_BARREN_END=20)) as made:
        order = walked(made, web())
        assert len(order) == 21 and set(order[1:]) < set(VIDEOS) and not made.has_more
        assert why_ended(made, "finished") == "20 pages in a row gave no text (TOPICAL_BARREN_END=0 goes on)"
    with closing(opener(0, 0, TOPICAL_BARREN_END=20)) as made:
        assert not made.has_more and walked(made, web()) == []
    with closing(opener(0, 0, TOPICAL_BARREN_END=0)) as made:
        assert set(order + walked(made, web())) == set(web())


def test_a_barren_host_gives_way_and_is_left_and_a_hub_of_texts_is_not(opener: Opener, backend: dict[str, object]) -> None:
    with closing(opener(**backend)) as made:
        order = walked(made, web())
        dropped = made.frontier.status().dropped
        best = made.progress.best
        assert made.policy.standing("hub.test") == "" and made.policy.standing("tv.test") == "left"
    texts = {START, *TEXTS, *SECOND}
    assert texts < set(order)
    videos = [n for n, url in enumerate(order) if url in VIDEOS]
    assert len(videos) == LEAVE and dropped["barren host"] == len(VIDEOS) - LEAVE
    assert videos[:PAGES] == [1, 2, 3, 4]
    assert min(videos[PAGES:]) > max(n for n, url in enumerate(order) if url in texts)
    assert -1 <= best < 0 and set(LISTS) < set(order) and len(LISTS) > LEAVE


def test_links_that_keep_their_score_give_way_too(opener: Opener, tmp_path: Path) -> None:
    orders = []
    for rescore in (3, 0):
        with closing(opener(TOPICAL_RESCORE=rescore, TOPICAL_DATA_DIR=tmp_path / str(rescore))) as made:
            orders.append(walked(made, web()))
    assert orders[0] == orders[1]


def test_a_slowed_host_that_is_never_left_is_fetched_to_its_end(opener: Opener) -> None:
    with closing(opener(leave=0)) as made:
        order = walked(made, web())
    assert set(order) == set(web())
    assert set(order[-len(VIDEOS) + PAGES :]) == set(VIDEOS) - set(order[1 : PAGES + 1])


def test_a_text_brings_the_links_of_its_host_back_to_their_places(opener: Opener) -> None:
    pages, news = web(with_hub=False), "http://tv.test/news.html"
    others = [f"http://other.test/{n}/" for n in range(60)]
    pages |= {news: article("新闻"), **{url: off_topic("其他", {}) for url in others}}
    pages[START] = article("首页", dict.fromkeys([*VIDEOS, *others], "党建"))
    with closing(opener(leave=0)) as made:
        order = [step(made, pages) for _ in range(10)]
        assert sum(url in VIDEOS for url in order) == PAGES and made.policy.standing("tv.test") == "slowed"
        made.feeding.take([news])
        order += walked(made, pages)
    assert order[10] == news
    assert order[11] in others  # the waiting links are scored again every 16 pages at first
    assert max(order.index(url) for url in VIDEOS if url in order[:60]) == 16 + len(VIDEOS) - PAGES - 1
    assert set(VIDEOS) < set(order[:60])


def test_a_crawl_that_was_stopped_decides_as_one_that_ran_through(opener: Opener, tmp_path: Path) -> None:
    with closing(opener(TOPICAL_DATA_DIR=tmp_path / "whole")) as made:
        whole = walked(made, web())
    parts: list[str] = []
    for limit in (3, 6, 7, 8, 12, 30, 1_000):
        with closing(opener(limit=limit)) as made:
            parts += walked(made, web())
    assert parts == whole


def test_what_one_worker_finds_out_holds_for_the_others(opener: Opener, shared: Mapping[str, object]) -> None:
    with closing(opener(**shared, TOPICAL_WORKER="one")) as one, closing(opener(**shared, TOPICAL_WORKER="two")) as two:
        order: list[str] = []
        for n in range(200):
            url = step((one, two)[n % 2], web())
            if url is not None:
                order.append(url)
        assert one.policy.left == two.policy.left == {"tv.test"}
    assert len(order) == len(set(order)) and {START, *TEXTS, *SECOND} < set(order)
    assert sum(url in VIDEOS for url in order) <= LEAVE + 2


def test_a_worker_that_comes_late_reads_what_follows_the_checkpoint_and_decides_as_the_first(
    opener: Opener, shared: Mapping[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "CHECKPOINT_PAGES", 16)
    with closing(opener(**shared, TOPICAL_WORKER="one")) as one:
        order = steps(one, 44)
        read: list[int] = []
        outcomes = RedisJournal.outcomes
        monkeypatch.setattr(RedisJournal, "outcomes", lambda f, after=0: (read.append(n[0]) or n for n in outcomes(f, after)))
        with closing(opener(**shared, TOPICAL_WORKER="two")) as two:
            assert (two.log.finished, two.policy.fetched, two.policy.begun) == (44, 44, 32)
            assert read[:12] == list(range(33, 45))  # then it looks whether the corpus has the last ones
            judged = [
                [(made.policy.refusal(url, 2), made.policy.place(0.5, seed_entry(url))) for url in web()] for made in (one, two)
            ]
            assert judged[0] == judged[1] and min(place for _, place in judged[0]) < 0
            assert one.policy.revision == two.policy.revision > 0
            assert not {START, *TEXTS, *SECOND} - {*order, *walked(two, web())}


def test_a_worker_that_slept_through_the_log_ends(opener: Opener, short_log: Mapping[str, object]) -> None:
    with closing(opener(**short_log, TOPICAL_WORKER="one")) as one, closing(opener(**short_log, TOPICAL_WORKER="two")) as two:
        steps(one, 8)
        two.tick()
        steps(one, 33)
        assert two.log.finished == 8 and one.log.finished == 41
        with pytest.raises(FrontierServerError, match=r"away for more than 10 pages.* Start the worker again"):
            two.tick()
        assert two.log.finished == 8


def test_a_worker_misses_nothing_of_a_log_whose_writer_was_killed(
    opener: Opener, short_log: Mapping[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = RedisJournal.checkpoint

    def killed(journal: RedisJournal, name: str, number: int, data: object) -> bool:
        checkpoint(journal, name, number, data)
        if number >= 24:
            raise KeyboardInterrupt
        return True

    with closing(opener(**short_log, TOPICAL_WORKER="one")) as one, closing(opener(**short_log, TOPICAL_WORKER="two")) as two:
        steps(one, 8)
        two.tick()
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(RedisJournal, "checkpoint", killed)
            steps(one, 33)
        assert (one.log.finished, two.log.finished) == (24, 8)  # of the log the first 14 pages are forgotten
        with pytest.raises(FrontierServerError, match=r"away for more than 10 pages"):
            two.tick()


def test_what_a_person_sees(opener: Opener) -> None:
    with closing(opener()) as made:
        walked(made, web())
        for view in (live_view(made), summary(made, "finished")):
            console = Console(width=80, record=True, file=io.StringIO())
            console.print(view)
            shown = console.export_text()
            assert re.search(r"site +fetched +kept +harvest +MB +chars/MB", shown)
            assert re.search(rf"tv\.test +{LEAVE} +0 +0% +0\.0 +0 +left", shown)
            assert f"{made.progress.total.density:,.0f}" in shown
        assert "Barren: 0 hosts slowed, 1 left" in shown and re.search(rf"barren host +{len(VIDEOS) - LEAVE}\b", shown)
        data = figures(made, "finished")
        line = line_view(made)
    assert (data["hosts_slowed"], data["hosts_left"]) == (0, 1)
    rest = sum(len(html.encode()) for url, html in web().items() if url not in VIDEOS)
    assert data["bytes"] == rest + data["sites"]["tv.test"]["bytes"]
    assert data["characters_per_megabyte"] == round(data["characters"] * 1e6 / data["bytes"]) > 0
    assert data["sites"]["tv.test"]["characters"] == 0 < data["sites"]["tv.test"]["bytes"]
    assert f"{made.progress.total.density:,.0f} characters/MB" in line
