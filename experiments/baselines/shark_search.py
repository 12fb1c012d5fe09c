"""The strategy ``shark_search`` (Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim & Ur 1998, The Shark-Search algorithm)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from topical_crawler.strategies.base import KeywordJudge, Parameters, check_number
from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.text.statistics import Idf, Vsm, keyword_vector
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, full_text

_CACHED_TEXTS = 50_000


@dataclass(frozen=True)
class SharkSearchParameters(Parameters):
    """Constants of the method, with the paper's values; the table ``[strategy.shark_search]`` of a topic sets them."""

    decay: float = 0.5  # δ, what is left of relevance from a page to its links, 0 to 1
    anchor: float = 0.8  # β, how much the anchor counts against the text around it, 0 to 1
    inherited: float = 0.8  # γ, how much what a link inherits counts against its anchor and the text around it, 0 to 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("decay", "anchor", "inherited"):
            value = getattr(self, name)
            check_number(name, value)
            if value > 1:
                raise ValueError(f"{name} must be 1 at most, not {value!r}")


class SharkSearch(KeywordJudge):
    """The strategy ``shark_search``: potential = γ·inherited + (1 − γ)·neighbourhood.

    * inherited: δ·sim(page) of the page that holds the link, or δ times what that page had inherited itself, where its own
      similarity is 0. A page found in several places has inherited the most that any of them gave.
    * neighbourhood: β·sim(anchor) + (1 − β)·context, where the context is 1 for an anchor that has anything of the topic, else
      the similarity of the text around the link.

    sim is the cosine of TF-IDF vectors. A link found in several places has the highest of its potentials.

    >>> from topical_crawler import Candidate, Evidence, strategies
    >>> shark = strategies.create("partybuilding", "shark_search", resources=None)
    >>> links = {"党建": "", "更多": "党建 要闻", "首页": "天气"}
    >>> places = [Evidence("http://a.cn/", 0.1, True, anchor, around=around) for anchor, around in links.items()]
    >>> by_anchor, by_context, neither = shark.score([Candidate("http://a.cn/1", (place,)) for place in places])
    >>> by_anchor > by_context > neither == 0.8 * 0.1
    True
    """

    name = "shark_search"
    parameters_type = SharkSearchParameters
    wants_around = True
    wants_text = True

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: SharkSearchParameters | None = None) -> None:
        super().__init__(topic, segmenter, parameters)
        idf = Idf.load()
        vector = keyword_vector(topic.terms, idf)
        self._vsm, self._terms = Vsm(vector, idf), _any_of(vector)
        self._similarity = lru_cache(_CACHED_TEXTS)(self.similarity)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        verdict = super().judge(page)
        relevant = self.similarity(full_text(page)) or max((e.relevance for e in found), default=0.0)
        return replace(verdict, inherited=self.parameters.decay * relevant)

    def similarity(self, text: str) -> float:
        """sim of a text, 0 for nothing in common with the topic to 1."""
        # Most texts around links hold nothing of the topic; to see that takes a tenth of cutting them into words.
        return self._vsm.of(self.segmenter.content(text)) if self._terms.search(normalise(text)) else 0.0

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [max(map(self.potential, c.evidence), default=0.0) for c in candidates]

    def potential(self, place: Evidence) -> float:
        """The score of a link found in one place."""
        gamma: float = self.parameters.inherited
        return gamma * place.relevance + (1 - gamma) * self.neighbourhood(place)

    def neighbourhood(self, place: Evidence) -> float:
        """The neighbourhood score of a link found in one place, 0 to 1."""
        beta: float = self.parameters.anchor
        anchor = self._similarity(place.anchor)
        context = 1.0 if anchor > 0 else self._similarity(place.around)
        return beta * anchor + (1 - beta) * context

    def explain(self, candidate: Candidate) -> dict[str, float]:
        if not candidate.evidence:
            return {}
        best = max(candidate.evidence, key=self.potential)
        return {"inherited": best.relevance, "neighbourhood": self.neighbourhood(best)}


def _any_of(terms: Iterable[str]) -> re.Pattern[str]:
    """Finds any of the terms in a normalised text. Grouped by their first character, so that few are tried at a place."""
    rests: dict[str, list[str]] = {}
    for term in sorted(terms):
        rests.setdefault(term[0], []).append(re.escape(term[1:]))
    return re.compile("|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items()))
