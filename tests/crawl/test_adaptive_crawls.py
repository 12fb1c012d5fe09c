"""Crawls of the demo web with the strategy ``adaptive``: a stop changes nothing, missed pages are lessons, reasons are kept."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from crawl_tools import DEMO, essence, make_topic, rows
from step_tools import finish, next_entry, open_crawl

from topical_crawler import middlewares
from topical_crawler.crawl import checkpoints
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.link_policy import FORESIGHT
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.crawl.views import why_ended
from topical_crawler.frontier.base import SEED_PRIORITY, Entry
from topical_crawler.items import PageItem, now_utc
from topical_crawler.middlewares import MANY, judge
from topical_crawler.recordings.reader import Recording
from topical_crawler.strategies import OFF_TOPIC
from topical_crawler.topic.files import MarkedText
from topical_crawler.web.dom import decode, looks_like_list
from topical_crawler.web.page import Page

SEED = "http://www.qinghedj.example/"
PAGES = 50
FOOTBALL = ["主队三比一取胜，球迷欢呼，教练称赞门将。", "客队门将扑出点球，比赛战平。", "射手梅开二度，球队升至榜首。"]
MISSING = 7
"""Of so many pages that are asked for, one does not come."""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recording]:
    with Recording(DEMO / "demo-web.warc.gz", tmp_path_factory.mktemp("index")) as found:
        yield found


@pytest.fixture(scope="module")
def topic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_topic(tmp_path_factory.mktemp("topics") / "adaptive", default_strategy='"adaptive"')


def page_of(recording: Recording, url: str, crawl: Crawl) -> Page | None:
    response = recording.get(url)
    if response is None:
        return None
    html, encoding = decode(response.body)
    return Page.from_html(url, html, encoding, crawl.strategy.wants_around, crawl.strategy.wants_paths)


def fetch(crawl: Crawl, recording: Recording, until: int) -> list[str]:
    """The further pages of a crawl, one at a time, until so many are finished."""
    asked: list[str] = []
    crawl.push([seed_entry(SEED)])
    while crawl.log.finished < until and (entry := crawl.next(0.0)) is not None:
        asked.append(entry.url)
        missing = crawl.log.finished % MISSING == MISSING - 1
        finish(crawl, entry, None if missing else page_of(recording, entry.url, crawl))
    return asked


def fetch_with_marks(crawl: Crawl, recording: Recording, until: int) -> list[str]:
    """The same, while a person marks: three texts after page 12, and one when page 31 is judged and not finished yet."""
    asked = []
    for stop in (12, 30, until):
        if crawl.log.finished >= min(stop, until):
            continue
        asked += fetch(crawl, recording, min(stop, until))
        if crawl.log.finished == 12:
            crawl.control.mark([MarkedText(f"http://m.example/{n}", "", text, "relevant") for n, text in enumerate(FOOTBALL)])
            crawl.tick()
        if crawl.log.finished == 30:
            entry = next_entry(crawl)
            item = PageItem(entry, entry.url, now_utc(), 200, page=page_of(recording, entry.url, crawl))
            list(judge(crawl, item))
            item.text = f"{entry.url} 的正文"
            crawl.control.mark([MarkedText("http://m.example/0", "", FOOTBALL[0], "irrelevant")])
            crawl.tick()
            crawl.store_row(item)
            crawl.finish(item)
            asked.append(entry.url)
    return asked


@dataclass(frozen=True)
class Whole:
    """An uninterrupted crawl: its pages in their order, its directory, and what its strategy knows at the end."""

    asked: list[str]
    data: Path
    state: dict[str, Any]


@pytest.fixture(scope="module")
def whole(topic: Path, recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    data = tmp_path_factory.mktemp("whole") / "data"
    with closing(open_crawl(topic, data)) as crawl:
        asked = fetch_with_marks(crawl, recording, PAGES)
        assert crawl.strategy.name == "adaptive" and crawl.strategy.revision > 2 and len(crawl.control.marks.urls) == 3
        expected = crawl.policy.expected
        assert expected is not None and 0 <= expected[0] < expected[1] and not crawl.policy.spent  # so few pages do not tell
        return Whole(asked, data, crawl.strategy.state_dict())


@pytest.fixture
def copied(whole: Whole, topic: Path, tmp_path: Path) -> Iterator[Crawl]:
    with closing(open_crawl(topic, shutil.copytree(whole.data, tmp_path / "data"))) as crawl:
        yield crawl


@pytest.fixture
def begun(topic: Path, recording: Recording, tmp_path: Path) -> Iterator[Crawl]:
    with closing(open_crawl(topic, tmp_path / "data")) as crawl:
        fetch(crawl, recording, 1)
        yield crawl


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
def test_an_interrupted_crawl_goes_on_in_the_same_order_and_learns_its_marks_between_the_same_pages(
    killed: bool, whole: Whole, topic: Path, recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    expected = None
    for until in (12, 23, 45, PAGES):  # neither learning nor scoring again falls together with the stops
        with closing(open_crawl(topic, tmp_path / "data")) as crawl:
            assert crawl.policy.expected == expected
            asked += fetch_with_marks(crawl, recording, until)
            expected, state = crawl.policy.expected, crawl.strategy.state_dict()
            if killed:  # then there is no checkpoint, only the log
                monkeypatch.setattr(checkpoints, "save_checkpoint", lambda *_: None)
    assert asked == whole.asked and len(asked) == PAGES and state == whole.state
    assert essence(rows(tmp_path / "data")) == essence(rows(whole.data))


def test_links_that_fell_are_put_back_in_turns_and_in_the_same_order(
    whole: Whole, topic: Path, recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_crawl(topic, tmp_path / "data")) as crawl:
        at_once, turns = crawl.next, []

        def in_turns(now: float) -> Entry | None:
            while (entry := at_once(now, 1)) is None and crawl.is_looking:
                turns.append(now)
            return entry

        monkeypatch.setattr(crawl, "next", in_turns)
        assert fetch_with_marks(crawl, recording, PAGES) == whole.asked and turns and not crawl.is_looking


def test_reasons_are_kept_with_the_pages(whole: Whole) -> None:
    found = rows(whole.data)
    assert len(found) == PAGES and any(r.keep for r in found)
    assert "link" not in found[0].why  # the seed
    for record in found[1:]:
        assert 3 <= len(record.why["link"]) <= 8, record.url  # the parts of Eq. 5 and five more
    assert any(reason.startswith("host ") for record in found for reason in record.why.get("link", ()))


def test_a_page_that_did_not_come_is_learned_live_and_from_the_log(begun: Crawl) -> None:
    entry = next_entry(begun)
    assert entry.evidence
    before = begun.strategy.state_dict()
    finish(begun, entry, None)
    assert begun.strategy.state_dict()["memory"]["learned"] == before["memory"]["learned"] + 1
    assert [outcome.lesson is not None for _, outcome in begun.frontier.journal.outcomes()] == [True, True]


def test_a_redirect_teaches_nothing(begun: Crawl) -> None:
    before = begun.strategy.state_dict()
    begun.redirect(next_entry(begun), f"{SEED}elsewhere.html", {}, 301)
    assert begun.strategy.state_dict() == before


def test_a_crawl_ends_when_the_waiting_links_promise_too_little(copied: Crawl) -> None:
    copied.policy.fetched, copied.policy.expected = FORESIGHT, (0.25, 4.5)
    assert not copied.has_more
    assert why_ended(copied, "finished") == "the waiting links promise too little (TOPICAL_BARREN_END=0 goes on)"


def test_a_text_stays_whose_page_is_off_topic_when_it_is_visited_again(copied: Crawl) -> None:
    def off_topic() -> dict[str, float]:
        found: dict[str, float] = {}
        deque(copied.taking_back.find((), found), 0)
        return found

    known, found = copied.store.records(), off_topic()
    kept = next(row for row in known if row.keep and row.key not in found and not looks_like_list(row.url))
    copied.frontier.revive({bytes.fromhex(kept.key): kept.url})
    copied.frontier.reprice({bytes.fromhex(kept.key): 2 * SEED_PRIORITY})
    entry = next_entry(copied)
    assert entry.url == kept.url
    page = Page.from_html(kept.url, f"<title>天气预报</title><p>{'今天多云转晴，气温十度，明天有雨，出门请带伞。' * 20}</p>")
    item = finish(copied, entry, page)
    assert item.reason == OFF_TOPIC and item.verdict
    (now,) = copied.strategy.reconsider([item.verdict.lesson])
    assert now is not None and not now.keep
    assert copied.store.kept_among([kept.key]) and kept.key not in off_topic()


def test_links_of_a_long_page_are_scored_in_steps(topic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_crawl(topic, tmp_path / "data")) as crawl:
        crawl.push([seed_entry(SEED)])
        entry = next_entry(crawl)
        page = Page.from_html(SEED, "".join(f"<a href=/{n % 9}/{n}.html>支部{n}" for n in range(2 * MANY + 1)))
        found = []
        for most in (MANY, len(page.links)):
            monkeypatch.setattr(middlewares, "MANY", most)
            item = PageItem(entry, SEED, now_utc(), page=page)
            steps = len(list(judge(crawl, item)))
            found.append((steps, [(link.url, link.priority, link.dropped) for link in item.links]))
        assert [steps for steps, _ in found] == [2, 0]
        assert found[0][1] == found[1][1] and len(found[0][1]) == 2 * MANY + 1


def test_a_redirect_waits_for_the_end_of_a_rescoring(topic: Path, recording: Recording, tmp_path: Path) -> None:
    with closing(open_crawl(topic, tmp_path / "data")) as crawl:
        fetch(crawl, recording, 15)
        first, second = next_entry(crawl), next_entry(crawl)
        finish(crawl, first, None)
        assert crawl.log.finished == 16 and crawl.rescores
        crawl.redirect(second, f"{SEED}elsewhere.html", {}, 301)
        assert (crawl.log.finished, list(crawl.in_flight)) == (16, [second.key]) and crawl.rescores
        while crawl.advance():
            pass
        assert (crawl.log.finished, list(crawl.in_flight)) == (17, [])
