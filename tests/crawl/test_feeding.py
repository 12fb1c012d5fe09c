"""Seeds that come while a crawl runs."""

from __future__ import annotations

from option_tools import options

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.crawl.feeding import Feeding
from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.frontier.base import SEED_PRIORITY

SEARCHES = ("http://a.cn/?q={keyword}", "http://b.cn/s/{keyword}")


def made(frontier: MemoryFrontier, **values: object) -> Feeding:
    given = options(**values)
    return Feeding(given, LinkPolicy(given), frontier.push)


def test_each_new_word_is_searched_for_once() -> None:
    frontier = MemoryFrontier()
    made(frontier).search(["手机"])  # a crawl without searches asks for nothing
    feeding = made(frontier, searches=SEARCHES)
    for words in (["手机"], ["手机", "党课"], ["党课"]):
        feeding.search(words)
    entries = frontier.waiting(10)
    assert len(entries) == 4 and {entry.priority for entry in entries} == {SEED_PRIORITY}
    assert {entry.host for entry in entries} == {"a.cn", "b.cn"}


def test_what_a_person_names_may_be_outside_the_public_web() -> None:
    feeding = made(MemoryFrontier(), hosts=("10.0.0.1", "a.cn"))
    assert feeding.refusal("http://10.0.0.1/", 0) is None
    assert feeding.refusal("http://b.cn/", 0) == "other site"
    assert not feeding.poll(), "without Redis nothing is fed"
