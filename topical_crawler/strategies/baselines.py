"""Baselines: what a crawl is held against."""

from __future__ import annotations

from collections.abc import Sequence

from topical_crawler.page import Candidate, Evidence, Page, Verdict
from topical_crawler.relevance.keywords import JudgedByKeywords, Keywords
from topical_crawler.strategies.base import Fixed, NoParameters, Setup


class BreadthFirst(JudgedByKeywords, Fixed):
    """Every link in the order in which it was found; a page is kept when its description holds a topic term.

    >>> from topical_crawler import Candidate, Page, strategies
    >>> breadth_first = strategies.create("partybuilding", "breadth_first", resources=None)
    >>> breadth_first.judge(Page("http://a.cn/", title="新党员入党宣誓仪式")).keep
    True
    >>> breadth_first.score([Candidate("http://a.cn/1", ()), Candidate("http://a.cn/2", ())])
    [0.0, 0.0]
    """

    name = "breadth_first"

    def __init__(self, keywords: Keywords) -> None:
        self._keywords = keywords

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        return self._keywords.verdict(page)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [0.0] * len(candidates)


def make_breadth_first(setup: Setup) -> BreadthFirst:
    """The strategy for a topic; it has no parameters."""
    setup.parameters(NoParameters)
    return BreadthFirst(Keywords(setup.topic.terms, setup.segmenter))
