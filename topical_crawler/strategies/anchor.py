"""Strategy ``anchor``: best-first on anchor texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from topical_crawler.strategies.base import KeywordJudge
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate

_CACHED_ANCHORS = 50_000


class Anchor(KeywordJudge):
    """Strategy ``anchor``: best-first on anchor texts.

    The priority of a link is the share of topic terms among the words of its anchor. Of several places, the best one counts.

    >>> from topical_crawler import Candidate, Evidence, strategies
    >>> anchor = strategies.create("partybuilding", "anchor", resources=None)
    >>> texts = ("基层党建", "今日天气")
    >>> anchor.score([Candidate("http://a.cn/1", (Evidence("http://a.cn/", 0.0, False, text),)) for text in texts])
    [1.0, 0.0]
    """

    name = "anchor"

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: Any = None) -> None:
        super().__init__(topic, segmenter, parameters)
        self._share = lru_cache(_CACHED_ANCHORS)(self._share_of_terms)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [self.explain(c)["anchor"] for c in candidates]

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {"anchor": max((self._share(e.anchor) for e in candidate.evidence), default=0.0)}

    def _share_of_terms(self, anchor: str) -> float:
        words = self.segmenter.words(anchor)
        return sum(w in self.topic.terms for w in words) / len(words) if words else 0.0
