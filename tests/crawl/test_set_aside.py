"""Pages on disk that wait for a second look: bounded, found again, and told when they are damaged."""

from __future__ import annotations

import random
from contextlib import closing
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.second_look import FIRST, AsideError, SecondLook, SetAside, look_is_due
from topical_crawler.frontier.base import Entry
from topical_crawler.items import PageItem
from topical_crawler.strategies import OFF_TOPIC, Strategy, create
from topical_crawler.topic.files import MarkedText
from topical_crawler.web.page import Page


def noise(characters: int, seed: int = 0) -> str:
    """A source that cannot be compressed to much less than half."""
    draw = random.Random(seed)
    return "".join(chr(draw.randrange(0x4E00, 0x9FA5)) for _ in range(characters))


def test_what_is_put_is_there_until_it_is_dropped() -> None:
    with closing(SetAside(None, megabytes=1)) as aside:
        for number, (key, html) in enumerate(((b"a", "一"), (b"b", "二"), (b"c", "\ud800"), (b"a", "四"))):
            aside.put(key, html, [number, "课"], 0.1)
        for key in (b"b", b"never put"):
            aside.drop(key)
        assert len(aside) == 2 and list(aside.lessons()) == [(b"c", [2, "课"]), (b"a", [3, "课"])]
        assert [aside.html(key) for key in (b"a", b"b", b"c")] == ["四", None, "\ud800"]


def test_the_least_relevant_pages_are_let_go_where_there_is_no_room() -> None:
    with closing(SetAside(None, megabytes=0.1)) as aside:
        for n in range(100):
            aside.put(bytes([n]), noise(1000, n), [n], (n * 37 % 100) / 100)  # some 2.7 kB each
        left = [lesson[0] * 37 % 100 for _, lesson in aside.lessons()]
        assert 25 < len(left) < 45 and min(left) >= 100 - len(left) - 5
        aside.set_relevances({bytes([n]): 1 - (n * 37 % 100) / 100 for n in range(100)})
        before = set(left)
        for n in range(100, 110):
            aside.put(bytes([n]), noise(1000, n), [n], 1.0)
        now = {lesson[0] * 37 % 100 for _, lesson in aside.lessons() if lesson[0] < 100}
        assert now < before and max(now) < max(before)
        aside.put(b"huge", noise(100_000), [0], 1.0)  # nothing is let go for what would not fit
        assert b"huge" not in dict(aside.lessons()) and len(aside) > 25


def test_a_file_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "data" / "aside.sqlite"
    with closing(SetAside(path, 1)) as aside:
        assert not path.parent.exists() and len(aside) == aside.looked == 0
        aside.put(b"k", "\ud800 <p>支部", {"lesson": "课"}, 0.1)
        aside.looked = 12
    with closing(SetAside(path, 1)) as aside:
        assert (len(aside), aside.looked, aside.html(b"k")) == (1, 12, "\ud800 <p>支部")
        assert aside.html(b"other") is None
    assert len(SetAside(path, 0)) == 0  # nobody asks for second looks any more


def test_a_damaged_file_and_a_folder_that_cannot_be_made_are_named(tmp_path: Path) -> None:
    path = tmp_path / "aside.sqlite"
    path.write_bytes(b"garbage " * 2000)
    with pytest.raises(AsideError, match=r"aside\.sqlite: pages cannot be set aside .* If it is damaged, delete it"):
        SetAside(path, 1)
    with pytest.raises(AsideError, match="pages cannot be set aside"):
        SetAside(path / "below" / "aside.sqlite", 1).put(b"k", "", [], 0.0)


@given(st.lists(st.integers(1, 3 * FIRST), max_size=20))
def test_a_look_is_due_whenever_the_pages_have_doubled(steps: list[int]) -> None:
    looked, powers = 0, [2**n for n in range(10, 20)]
    for finished in accumulate(steps):
        due = look_is_due(finished, looked)
        assert due is any(looked < power <= finished for power in powers)
        looked = finished if due else looked


def off_topic(strategy: Strategy) -> PageItem:
    page = Page.from_html("http://a.cn/1.html", "<title>主场三比一取胜</title><p>球队升至榜首。")
    entry = Entry(b"k" * 16, page.url, "a.cn", 0.0, 0)
    return PageItem(entry, page.url, "", page=page, verdict=strategy.judge(page), reason=OFF_TOPIC)


@pytest.mark.slow
def test_before_the_first_look_pages_are_judged_again_and_not_kept(tmp_path: Path) -> None:
    strategy = create("partybuilding", "adaptive", resources=None)
    item = off_topic(strategy)
    page = item.page
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        look = SecondLook(SetAside(tmp_path / "aside.sqlite", 1), strategy, store)
        look.set_aside(item)
        first = look.relevances()
        strategy.mark([MarkedText(page.url, page.title, "", "relevant")])
        assert first[item.entry.key] < 0.5
        for finished, relevances in ((127, first), (128, {item.entry.key: 1.0})):
            look.judge_again(finished)
            assert look.relevances() == relevances
        strategy.mark([MarkedText(page.url, page.title, "", "irrelevant")])
        for finished, relevance in ((255, 1.0), (300, 0.0)):
            look.judge_again(finished)
            assert look.relevances() == {item.entry.key: relevance}
        strategy.mark([MarkedText(page.url, page.title, "", "relevant")])
        look.judge_again(FIRST)  # that is for the first look to do
        assert look.relevances() == {item.entry.key: 0.0} and look.is_due(FIRST)
        look.close()


def test_a_crawl_goes_on_where_nothing_can_be_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    strategy = create("partybuilding", "adaptive", resources=None)
    item = off_topic(strategy)
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        look = SecondLook(SetAside(tmp_path / "file" / "aside.sqlite", 1), strategy, store)
        for _ in range(2):
            look.set_aside(item)
        look.judge_again(200)
        assert not look.is_due(5000) and not look.is_due_at_end(5000)
        assert caplog.text.count("The crawl continues without second looks") == 1
        good = SecondLook(SetAside(tmp_path / "aside.sqlite", 1), strategy, store)
        good.set_aside(item)
        assert good.is_due(5000) and good.is_due_at_end(1)
        assert list(good.items()) == []
        good.looked(5000)
        assert not good.is_due(5001) and not good.is_due_at_end(5000) and good.is_due_at_end(5001)
        good.close()
