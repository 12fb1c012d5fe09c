"""Shark-Search (Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim & Ur 1998, The Shark-Search algorithm).

A link is worth what its page hands on, and what its anchor and the text around it say. No link is dropped. A page is kept when
its description holds a topic term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from topical_crawler.page import Candidate, Evidence, Page, Verdict, full_text
from topical_crawler.relevance.keywords import JudgedByKeywords, Keywords
from topical_crawler.relevance.text_and_anchor import check_number
from topical_crawler.relevance.topic_vector import TopicVector
from topical_crawler.strategies.base import Fixed, Setup

_CACHED_TEXTS = 50_000


@dataclass(frozen=True)
class SharkSearchParameters:
    """Constants of the method, with the paper's values; the table ``[strategy.shark_search]`` of a topic sets them.

    Attributes:
        decay: δ, what is left of relevance from a page to its links, 0 to 1.
        anchor: β, how much the anchor counts against the text around it, 0 to 1.
        inherited: γ, how much what a link inherits counts against its anchor and the text around it, 0 to 1.
    """

    decay: float = 0.5
    anchor: float = 0.8
    inherited: float = 0.8

    def __post_init__(self) -> None:
        for name in ("decay", "anchor", "inherited"):
            value = getattr(self, name)
            check_number(name, value)
            if value > 1:
                raise ValueError(f"{name} must be 1 at most, not {value!r}")


class SharkSearch(JudgedByKeywords, Fixed):
    """The strategy ``shark_search``: potential = γ·inherited + (1 − γ)·neighbourhood.

    * inherited: δ·sim(page) of the page that holds the link, or δ times what that page had inherited itself, where its own
      similarity is 0. A page found in several places has inherited the most that any of them handed on.
    * neighbourhood: β·sim(anchor) + (1 − β)·context, where the context is 1 for an anchor that has anything of the topic, else
      the similarity of the text around the link.

    sim is the cosine of TF-IDF vectors. A link found in several places has the highest of its potentials.

    Args:
        keywords: judge the pages.
        topic: measures a text against the topic.
        parameters: constants of the method.

    >>> from topical_crawler import Candidate, Evidence, strategies
    >>> shark = strategies.create("partybuilding", "shark_search", resources=None)
    >>> said = {"党建": "", "更多": "党建 要闻", "首页": "天气"}
    >>> places = [Evidence("http://a.cn/", 0.1, True, anchor, around=around) for anchor, around in said.items()]
    >>> one, other, none = shark.score([Candidate("http://a.cn/1", (place,)) for place in places])
    >>> one > other > none == 0.8 * 0.1
    True
    """

    name = "shark_search"
    wants_around = True

    def __init__(self, keywords: Keywords, topic: TopicVector, parameters: SharkSearchParameters | None = None) -> None:
        self.parameters = parameters or SharkSearchParameters()
        self._keywords = keywords
        self._topic = topic
        self._similarity = lru_cache(_CACHED_TEXTS)(topic.similarity)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        verdict = self._keywords.verdict(page)
        relevant = self._topic.similarity(full_text(page)) or max((e.relevance for e in found), default=0.0)
        return Verdict(verdict.relevance, verdict.keep, verdict.why, inherited=self.parameters.decay * relevant)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [max(map(self.potential, c.evidence), default=0.0) for c in candidates]

    def potential(self, place: Evidence) -> float:
        """The potential score of a link found in one place."""
        gamma = self.parameters.inherited
        return gamma * place.relevance + (1 - gamma) * self.neighbourhood(place)

    def neighbourhood(self, place: Evidence) -> float:
        """The neighbourhood score of a link found in one place, 0 to 1."""
        beta = self.parameters.anchor
        anchor = self._similarity(place.anchor)
        context = 1.0 if anchor > 0 else self._similarity(place.around)
        return beta * anchor + (1 - beta) * context

    def explain(self, candidate: Candidate) -> dict[str, float]:
        if not candidate.evidence:
            return {}
        best = max(candidate.evidence, key=self.potential)
        return {"inherited": best.relevance, "neighbourhood": self.neighbourhood(best)}


def make(setup: Setup) -> SharkSearch:
    """The strategy for a topic.

    Raises:
        TopicError: a parameter cannot be used.
    """
    keywords = Keywords(setup.topic.terms, setup.segmenter)
    topic = TopicVector.of(setup.topic, setup.segmenter)
    return SharkSearch(keywords, topic, setup.parameters(SharkSearchParameters))
