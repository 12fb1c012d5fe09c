"""When waiting links are scored again, which of them, and what their scores promise."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest
from option_tools import options

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.crawl.link_policy import FORESIGHT, LEAST_GAIN, LinkPolicy
from topical_crawler.crawl.rescoring import SCORED, expected_texts, last_expected, look_ahead, rescore_waiting, rescoring_due
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.frontier.base import SEED_PRIORITY, STEP, Entry
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.strategies import Strategy
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict
from topical_crawler.web.urls import fingerprint, host


class Told(Strategy):
    name = "told"
    told: float | None = None
    kept_per_score: tuple[float, float] | None = None  # type: ignore[assignment]
    revision = 0  # type: ignore[assignment]

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        raise NotImplementedError

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [self.told for _ in candidates]


_T = TypeVar("_T")


def ended(steps: Generator[None, None, _T]) -> tuple[_T, int]:
    number = 0
    while True:
        try:
            next(steps)
            number += 1
        except StopIteration as end:
            return end.value, number


def told() -> Told:
    return Told(Topic("t", "党建", {"党建": 1.0}), Segmenter(["党建"]))


def waiting(*priorities: float) -> MemoryFrontier:
    frontier = MemoryFrontier()
    where = (Evidence("http://a.cn/", 0.5, True, "党建"),)
    urls = [f"http://a.cn/{number}" for number in range(len(priorities))]
    frontier.push(Entry(fingerprint(u), u, host(u), p, 1, where) for u, p in zip(urls, priorities, strict=True))
    return frontier


def test_links_are_scored_again_at_steps_that_grow_with_the_crawl() -> None:
    due = [n for n in range(100_000) if rescoring_due(n)]
    assert due[0] == 16
    assert all(after - before <= max(16, 0.07 * before) for before, after in pairwise(due))


def test_links_are_scored_again_once_something_was_learned() -> None:
    strategy, frontier, policy = told(), waiting(0.3, 0.2), LinkPolicy(options())
    strategy.told, strategy.revision = 0.9, 1
    found = ended(rescore_waiting(strategy, policy, frontier))[0] or []
    assert [(place, score) for place, score, _ in found] == [(0.9, 0.9)] * 2
    assert [entry.priority for entry in frontier.waiting(9)] == [0.9, 0.9]
    strategy.told = 0.1
    assert ended(rescore_waiting(strategy, policy, frontier)) == (None, 0)
    assert [entry.priority for entry in frontier.waiting(9)] == [0.9, 0.9]


@pytest.mark.parametrize(("now", "place", "promise"), [(None, 0.3, 0.0), (0.9, 0.9, 0.9)])
def test_a_link_that_would_not_be_followed_now_stays_where_it_waits_and_so_do_seeds(
    now: float | None, place: float, promise: float
) -> None:
    strategy, frontier = told(), waiting(0.3)
    frontier.push([seed_entry("http://b.cn/")])
    strategy.told, strategy.revision = now, 1
    found = ended(rescore_waiting(strategy, LinkPolicy(options()), frontier))[0] or []
    assert (place, promise) in [(place, score) for place, score, _ in found]
    assert [entry.priority for entry in frontier.waiting(9)] == [SEED_PRIORITY, place]


def test_links_are_read_scored_and_moved_in_steps(tmp_path: Path) -> None:
    where = (Evidence("http://a.cn/", 0.5, True, "党建"),)
    with closing(SqliteFrontier(tmp_path / "f.sqlite")) as frontier:
        urls = [f"http://{number % 7}.cn/{number}" for number in range(2 * STEP)]
        frontier.push(Entry(fingerprint(u), u, host(u), 0.5, 1, where) for u in urls)
        strategy = told()
        strategy.told, strategy.revision = 0.9, 1
        rescoring = rescore_waiting(strategy, LinkPolicy(options()), frontier)
        assert ended(rescoring)[1] == 2 * len(("read", "moved")) + len(("ranked",)) + 2 * STEP // SCORED
        assert [entry.url for entry in frontier.waiting(9)] == urls[:9]
        assert (frontier.next(0.0).best, {entry.priority for entry in frontier.waiting(9999)}) == (0.9, {0.9})


def test_what_further_pages_promise_is_told_to_all_workers() -> None:
    strategy, frontier, policy = told(), waiting(0.3, 0.2), LinkPolicy(options())
    strategy.told, strategy.revision, strategy.kept_per_score = 0.01, 1, (0.5, 0.8)
    ended(look_ahead(strategy, policy, frontier))
    assert policy.expected == last_expected(frontier) == (FORESIGHT * 0.01 * 0.5, FORESIGHT * 0.01 * 0.8)


def test_most_is_promised_where_the_sites_are_as_good_as_they_may_be() -> None:
    strategy, frontier, policy = told(), waiting(0.3, 0.2), LinkPolicy(options(), learns=True)
    policy.late_refusal(seed_entry("http://a.cn/"), 0)
    strategy.told, strategy.revision, strategy.kept_per_score = 0.01, 1, (1.0, 1.0)
    for known in (ended(rescore_waiting(strategy, policy, frontier))[0], None):
        least, most = expected_texts(strategy, policy, frontier, known) or (0.0, 0.0)
        assert least == FORESIGHT * 0.01 and most == round(FORESIGHT * policy.place(0.01, frontier.waiting(1)[0]), 3) > least


def test_a_site_that_is_unexplored_may_give_enough_to_go_on() -> None:
    strategy, frontier, policy = told(), waiting(0.3), LinkPolicy(options(), learns=True)
    strategy.told, strategy.kept_per_score = 0.0, (0.5, 0.8)
    assert expected_texts(strategy, policy, frontier) == (0.0, 0.0)
    policy.late_refusal(seed_entry("http://a.cn/"), 0)
    assert expected_texts(strategy, policy, frontier) == (0.0, LEAST_GAIN)


def test_nothing_is_promised_where_no_link_waits_or_the_strategy_cannot_tell() -> None:
    strategy = told()
    assert expected_texts(strategy, LinkPolicy(options()), waiting(0.3)) is None
    strategy.kept_per_score = 0.5, 0.8
    assert expected_texts(strategy, LinkPolicy(options()), MemoryFrontier()) is None
    assert last_expected(MemoryFrontier()) is None
