"""Which texts of a corpus are asked about."""

from pathlib import Path
from typing import Any

import pytest

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.judging.report import report
from topical_crawler.judging.sample import Sample, SampleError, read_sample, together, write_sample
from topical_crawler.judging.teach import Judged, draw_to_teach, parting

KEPT, OFF = range(50, 100), range(50)


def row(n: int, **more: Any) -> Record:
    """Page n has a relevance of n %; what has 50 or more is kept."""
    page: dict[str, Any] = {"url": f"http://a.cn/{n}", "host": "a.cn", "title": f"第{n}讲", "relevance": n / 100, **more}
    if n in KEPT:
        return Record(**page, keep=True, text=f"主题教育第{n}讲，讲的是第{n * 7}件事和第{n * 11}个人的故事。")
    return Record(**{"keep": False, "reason": "off topic", **page})


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        for n in [*OFF, *KEPT]:
            store.put(row(n))
        store.put(row(49, url="http://a.cn/x.mp4", key="ff", title="", reason="not a text page"))
        yield store


def numbers(sample: Sample, half: str) -> list[int]:
    return sorted(round(100 * item.relevance) for item in sample.items if item.stratum == half)


def test_half_is_the_best_and_half_the_most_uncertain(store: CorpusStore) -> None:
    sample = draw_to_teach(store, 20, topic="党建", terms=["主题教育"])
    assert numbers(sample, "best") == [*range(90, 100)]
    assert numbers(sample, "uncertain") == [*range(45, 55)]
    assert [bool(item.text) for item in sample.items] == [item.relevance >= 0.5 for item in sample.items]
    assert {item.reason for item in sample.items} == {"", "off topic"}
    halves = [[item.key for item in sample.items if item.stratum == half] for half in ("uncertain", "best")]
    assert [item.key for item in sample.items] == [*sorted(halves[0]), *sorted(halves[1])]  # no order of relevance
    assert sample.teaches and sample.header.topic == "党建" and sample.header.terms == ("主题教育",)
    assert draw_to_teach(store, 20, topic="党建", terms=["主题教育"]) == sample


def test_nothing_is_asked_about_twice(store: CorpusStore, tmp_path: Path) -> None:
    first = draw_to_teach(store, 20)
    known = {item.url for item in first.items}
    second = draw_to_teach(store, 20, known=known)
    assert numbers(second, "best") == [*range(80, 90)] and numbers(second, "uncertain") == [*range(40, 45), *range(55, 60)]
    everything = {f"http://a.cn/{n}" for n in range(100)}
    with pytest.raises(SampleError, match="has no page left to ask about"):
        draw_to_teach(store, 20, known=everything)
    assert [item.url for item in draw_to_teach(store, 20, known=everything - {"http://a.cn/7"}).items] == ["http://a.cn/7"]
    both = together([first, second])
    assert len(both.items) == 40
    write_sample(first, tmp_path / "asked-1.jsonl")
    assert read_sample(tmp_path / "asked-1.jsonl") == first


def test_of_pages_that_were_set_aside_the_text_is_shown(store: CorpusStore) -> None:
    key = {row(n).key: n for n in OFF}
    asked_for: list[int] = []

    def aside(wanted: bytes) -> str | None:
        asked_for.append(key[wanted.hex()])
        if asked_for[-1] > 45:
            return None if asked_for[-1] % 2 else "<html><body><p>首页</p></body></html>"  # dropped since, or no article
        paragraphs = "".join(
            f"<p>第{n}段：社区的邻居们说起今年的收成，一直谈到天黑也不肯散去，谁都有话要讲。</p>" for n in range(9)
        )
        return f"<html><head><title>收成</title></head><body><h1>收成</h1><article>{paragraphs}</article></body></html>"

    sample = draw_to_teach(store, 20, aside=aside)
    assert asked_for[:5] == [49, 48, 47, 46, 45]
    assert numbers(sample, "uncertain") == [*range(43, 46), *range(50, 57)]
    assert all("一直谈到天黑" in item.text for item in sample.items if item.reason)


def test_pages_off_topic_are_as_uncertain_as_the_crawl_last_found_them(store: CorpusStore) -> None:
    before = draw_to_teach(store, 20)
    again = OFF[0]
    assert again not in numbers(before, "uncertain")
    now = {bytes.fromhex(row(again).key): 0.5, bytes.fromhex(row(50).key): 0.0}  # of a kept page the corpus has the last word
    after = draw_to_teach(store, 20, now=now)
    assert set(numbers(after, "uncertain")) - set(numbers(before, "uncertain")) == {again}
    assert numbers(after, "best") == numbers(before, "best")


def test_the_threshold_is_where_fewest_pages_are_on_the_wrong_side() -> None:
    def pages(kept: list[float], off: list[float]) -> list[Judged]:
        return [Judged(str(x), x, True) for x in kept] + [Judged(str(x), x, False) for x in off]

    assert parting(pages([0.3, 0.6, 0.8, 0.9], [0.1, 0.2, 0.5])) == pytest.approx(0.25)  # .3 to .5 keep one of each
    assert parting(pages([0.2, 0.6, 0.8], [0.1, 0.3, 0.4])) == pytest.approx(0.5)
    assert parting(pages([2.0, 3.0], [])) == 2.0 and parting(pages([], [2.0, 3.0])) == 3.0


def test_no_share_is_estimated(store: CorpusStore) -> None:
    sample = draw_to_teach(store, 4)
    marks = dict(zip((item.key for item in sample.items), ("relevant", "irrelevant", "relevant"), strict=False))
    found = report(sample.marked(marks))
    assert (found.drawn, found.judged, found.marks) == (4, 3, {"relevant": 2, "irrelevant": 1})
    assert found.teaches and found.whole is None and not (found.sites or found.bands or found.rejected)
