"""Which stored texts are taken back at the end of a crawl, and that the next run puts them back first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from corpus_tools import kept

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.crawl.taking_back import TakingBack
from topical_crawler.frontier.base import Outcome
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict


class Told(Strategy):
    """Knows of each page how probably it is on topic: the page's lesson."""

    name = "told"
    relevance_is_probability = True

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        raise NotImplementedError

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        raise NotImplementedError

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        return [Verdict(p, p > 0.3) for p in lessons]


class Crawled:
    """A crawl of pages that were kept or rejected when they came, in this order; ``probabilities`` say what is known now."""

    def __init__(self, store: CorpusStore) -> None:
        self.store = store
        self.strategy = Told(Topic("t", "党建", {"党建": 1.0}), Segmenter(["党建"]))
        self.frontier = MemoryFrontier()

    def visit(self, number: int, probability: float, reason: str = "") -> str:
        record = kept(number, f"第{number}讲" * 40)
        if not reason:
            self.store.put(record)
        entry = seed_entry(record.url)
        self.frontier.push([entry])
        self.frontier.revive({entry.key: entry.url})
        assert self.frontier.pop(0.0) is not None
        self.frontier.done(entry.key, Outcome(entry.url, not reason, probability, reason, probability))
        return entry.key.hex()

    def end(self) -> TakingBack:
        return TakingBack(self.strategy, self.frontier, self.store, CleaningOptions())


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[Crawled]:
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        yield Crawled(store)


def off_topic(crawled: Crawled, marked: Sequence[str] = ()) -> dict[str, float]:
    found: dict[str, float] = {}
    deque(crawled.end().find(marked, found), 0)
    return found


def test_a_text_that_is_off_topic_by_what_is_known_now_is_found_unless_a_person_has_marked_it(crawled: Crawled) -> None:
    wrong = crawled.visit(1, 0.1)
    crawled.visit(2, 0.9)
    crawled.visit(3, 0.1, OFF_TOPIC)
    assert off_topic(crawled) == {wrong: 0.1}
    assert off_topic(crawled, [kept(1).url]) == {}


def test_the_last_visit_that_gave_the_text_counts(crawled: Crawled) -> None:
    crawled.visit(1, 0.1)
    crawled.visit(1, 0.9)
    crawled.visit(1, 0.1, OFF_TOPIC)
    assert off_topic(crawled) == {}


def test_where_relevances_are_no_probabilities_all_texts_stay(crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    crawled.visit(1, 0.1)
    monkeypatch.setattr(Told, "relevance_is_probability", False)
    assert off_topic(crawled) == {}


def test_the_next_run_puts_back_what_was_taken(crawled: Crawled) -> None:
    key = crawled.visit(1, 0.1)
    end = crawled.end()
    deque(end.steps(()), 0)
    assert (row := crawled.store.get(key)) and row.reason == OFF_TOPIC
    assert end.done.pages == 1 and end.cleaned is not None
    after = crawled.end()
    after.put_back()
    assert (row := crawled.store.get(key)) and row.keep
    assert [sum(change.rejected.values()) for change in after.changes()] == [-1, 0, 0]
