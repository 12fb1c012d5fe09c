"""Strategy ``semantic`` (Zhou et al. 2019): the flow of Figure 1 (§3.1) and the priority of Eq. 5 (§4.5).

A page is judged by its *description information* (title, meta keywords, meta description) with Eq. 3. Links of a relevant page
get the priority of Eq. 5. On an irrelevant page, only links with a topic term in the anchor are followed.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Self

from topical_crawler.strategies.base import NO_TOPIC_WORD, Setup, SiteWords, Strategy, shares
from topical_crawler.strategies.semantic.parameters import SemanticParameters
from topical_crawler.strategies.semantic.priority import Priority
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, description_of

_CACHED_ANCHORS = 50_000


class Semantic(Strategy):
    """Strategy ``semantic``. ``eq5`` computes the parts of Eq. 5.

    >>> from topical_crawler import Page, strategies
    >>> semantic = strategies.create("partybuilding", "semantic", resources=None)
    >>> semantic.judge(Page("http://a.cn/", title="开展主题教育 推进全面从严治党")).keep
    True
    >>> semantic.judge(Page("http://a.cn/", title="主场三比一取胜 球队升至榜首")).keep
    False
    """

    name = "semantic"
    parameters_type = SemanticParameters
    needs = ("hownet", "hownet_tree", "vectors")
    drop_reason = NO_TOPIC_WORD
    parameters: SemanticParameters
    revision = 0  # a longer history may raise struct from 0 to 1, but such links come up soon enough by their other parts

    def __init__(self, topic: Topic, segmenter: Segmenter, eq5: Priority) -> None:
        super().__init__(topic, segmenter, eq5.parameters)
        self.eq5 = eq5
        self._sites = SiteWords()
        self._of_anchor = functools.lru_cache(_CACHED_ANCHORS)(self._read_anchor)

    @classmethod
    def make(cls, setup: Setup) -> Self:
        return cls(setup.topic, setup.segmenter, Priority.make(setup))

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        words = self.segmenter.words(self._description(page))
        relevance = self.eq5.relevance(words)
        keep, why = relevance > self.page_threshold, self._shares(words)
        if self.parameters.site_words:
            return Verdict(relevance, keep, why)
        own = self._sites.own(page)
        inherited = None if own is page else self.eq5.relevance(self.segmenter.words(self._description(own)))
        return Verdict(relevance, keep, why, inherited, self._sites.lesson(page))

    def _description(self, page: Page) -> str:
        if self.parameters.first_lines:
            return description_of(page)
        return "\n".join(filter(None, (page.title, page.keywords, page.description)))

    def learn(self, url: str, verdict: Verdict) -> None:
        if verdict.keep:
            self.eq5.remember(url)
        self._sites.learn(url, verdict.lesson)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [None if best is None else best[0] for best in map(self._best, candidates)]

    def confirm(self, text: str) -> tuple[float, bool]:
        relevance, threshold = self.eq5.relevance(self.segmenter.words(text)), self.parameters.text_threshold
        return relevance, threshold == 0 or relevance > threshold

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return self.parts(candidate.url, best[1]) if (best := self._best(candidate)) else {}

    def priority(self, url: str, evidence: Evidence) -> float:
        """Return Eq. 5: p = α·Rel(description of the page holding the link) + β·Rel(anchor) + λ·struct."""
        return self._priority(evidence, self.eq5.struct(url))

    def _priority(self, evidence: Evidence, structure: int) -> float:
        return self.eq5.of(self.eq5.bound(evidence.relevance), self._of_anchor(evidence.anchor)[0], structure)

    def parts(self, url: str, evidence: Evidence) -> dict[str, float]:
        """Return the unweighted parts of Eq. 5 for a link on one page: ``parent``, ``anchor`` and ``struct``."""
        of_anchor = self._of_anchor(evidence.anchor)[0]
        return {"parent": self.eq5.bound(evidence.relevance), "anchor": of_anchor, "struct": self.eq5.struct(url)}

    def state_dict(self) -> dict[str, Any]:
        return {"history": self.eq5.history(), "sites": self._sites.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.eq5.load(state["history"])
        self._sites.load_state_dict(state["sites"])

    def _best(self, candidate: Candidate) -> tuple[float, Evidence] | None:
        """Return the best priority over all places of the link, scoring each place on its own, and that place."""
        best: tuple[float, Evidence] | None = None
        structure: int | None = None  # computed once, and only if needed
        for evidence in candidate.evidence:
            if evidence.on_topic or 0 < evidence.distance <= self.parameters.tunnel or self._of_anchor(evidence.anchor)[1]:
                structure = self.eq5.struct(candidate.url) if structure is None else structure
                priority = self._priority(evidence, structure)
                # The plain-match path of Figure 1 queues every match. Eq. 5 only sets its priority.
                queued = not evidence.on_topic or priority > self.parameters.link_threshold
                if queued and (best is None or priority > best[0]):
                    best = priority, evidence
        return best

    def _read_anchor(self, anchor: str) -> tuple[float, bool]:
        """Return Rel(anchor) as used in Eq. 5, and True if the anchor contains a topic term."""
        words = self.segmenter.words(anchor)
        return self.eq5.bound(self.eq5.relevance(words)), any(w in self.topic.terms for w in words)

    def _shares(self, words: Sequence[str]) -> dict[str, float]:
        """Return the words behind the relevance with their shares of it, as ``word`` or ``word~nearest term``."""
        parts = [(word, *self.eq5.part(word)) for word in words]
        return shares({(word if word == term else f"{word}~{term}"): part for word, part, term in parts if part > 0})
