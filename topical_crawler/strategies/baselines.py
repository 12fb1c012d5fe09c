"""Baselines: what a crawl is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from topical_crawler.page import Candidate, Page, Verdict, description_of
from topical_crawler.text import Segmenter
from topical_crawler.topic import Topic


class BreadthFirst:
    """Every link in the order in which it was found; a page is kept when its description holds a topic term.

    >>> from topical_crawler import Candidate, Page, strategies
    >>> breadth_first = strategies.create("partybuilding", "breadth_first", resources=None)
    >>> breadth_first.judge(Page("http://a.cn/", title="新党员入党宣誓仪式")).keep
    True
    >>> breadth_first.score([Candidate("http://a.cn/1", ()), Candidate("http://a.cn/2", ())])
    [0.0, 0.0]
    """

    name = "breadth_first"

    def __init__(self, topic: Topic, segmenter: Segmenter) -> None:
        self._terms = topic.terms
        self._segmenter = segmenter

    def judge(self, page: Page) -> Verdict:
        words = self._segmenter.words(description_of(page))
        found = [w for w in words if w in self._terms]
        relevance = len(found) / len(words) if words else 0.0
        return Verdict(relevance, bool(found), {w: round(1 / len(found), 4) for w in found})

    def learn(self, url: str, relevance: float, keep: bool) -> None:
        """Nothing is learned."""

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [0.0] * len(candidates)

    def confirm(self, text: str) -> tuple[float, bool]:
        return 1.0, True

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """There is no state."""
