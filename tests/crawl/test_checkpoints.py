"""Checkpoints: when one is due, and that a resumed crawl comes to the same with one and without."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from option_tools import options

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.crawl.checkpoints import PageLog, checkpoint_due
from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import Control, seed_entry
from topical_crawler.frontier.base import Frontier, Outcome
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.strategies import Strategy, create
from topical_crawler.web.page import Page


def test_a_checkpoint_is_due_at_every_thousandth_page_however_many_are_read_at_once() -> None:
    assert [n for n in range(3500) if checkpoint_due(n, n + 1)] == [999, 1999, 2999]
    assert checkpoint_due(990, 2010) and not checkpoint_due(1000, 1999)


def strategy() -> Strategy:
    return create("partybuilding", "adaptive", resources=None, segmenter="rjieba")


def log_of(made: Strategy, frontier: Frontier) -> tuple[PageLog, LinkPolicy]:
    policy = LinkPolicy(options(), made.learns_links)
    return PageLog(made, frontier, policy, Control(frontier, made)), policy


def finish(made: Strategy, frontier: Frontier, number: int) -> Outcome:
    entry = seed_entry(f"http://a.cn/{number}.html")
    verdict = made.judge(Page.from_html(entry.url, f"<title>支部上党课</title><p>{'党建工作座谈会' * number}。</p>"))
    made.learn(entry.url, verdict)
    outcome = Outcome(entry.url, verdict.keep, verdict.relevance, "", verdict.lesson)
    frontier.push([entry])
    assert frontier.pop(0.0) is not None
    frontier.done(entry.key, outcome)
    return outcome


@pytest.mark.parametrize("saved_after", [0, 2, 4])
def test_a_resumed_crawl_knows_what_the_first_run_knew(tmp_path: Path, saved_after: int) -> None:
    first, again = strategy(), strategy()
    with closing(SqliteFrontier(tmp_path / "frontier.sqlite")) as frontier:
        log, policy = log_of(first, frontier)
        log.resume()
        for number in range(1, 5):
            log.add(finish(first, frontier, number))
            if number == saved_after:
                log.save()
    with closing(SqliteFrontier(tmp_path / "frontier.sqlite")) as frontier:
        resumed, counted = log_of(again, frontier)
        resumed.resume()
    assert resumed.finished == log.finished == 4
    assert again.state_dict() == first.state_dict()
    assert (counted.fetched, counted.texts("a.cn")) == (policy.fetched, policy.texts("a.cn")) == (4, 4)


def test_pages_are_read_once() -> None:
    made, frontier = strategy(), MemoryFrontier()
    log, policy = log_of(made, frontier)
    for number in (1, 2):
        finish(made, frontier, number)
        log.read()
        log.read()
        assert log.finished == policy.fetched == number


def test_a_checkpoint_that_cannot_be_read_names_the_remedy() -> None:
    made, frontier = strategy(), MemoryFrontier()
    log, _ = log_of(made, frontier)
    frontier.journal.save("strategy", {"name": "adaptive", "after": 1, "state": {"memory": "?"}, "counts": None})
    with pytest.raises(CrawlError, match="cannot read what the crawl has learned"):
        log.resume()
