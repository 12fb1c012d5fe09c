"""Strategy ``odp2evsm`` (Zhang et al., sections 4 and 5).

A book's page is judged by title and introduction, any other page by its description and text. See
:mod:`topical_crawler.strategies.odp2evsm.books` for the rules of following links.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Self

from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.vectors import ComposingVectors, WordVectors
from topical_crawler.strategies.base import Setup, Strategy, check_fields
from topical_crawler.strategies.odp2evsm.books import BookLinks, entrance, read
from topical_crawler.strategies.odp2evsm.extension import LAMBDA, TopicExtension, WordExtension
from topical_crawler.strategies.odp2evsm.page_keywords import ExtensionMeasure, Measure, NodeWeights
from topical_crawler.strategies.odp2evsm.topic_keywords import Expansion, initial_keywords, open_tree
from topical_crawler.text.segment import Backend, Segmenter
from topical_crawler.text.statistics import language
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict

_CACHED_ANCHORS = 50_000


@dataclass(frozen=True)
class CategoryParameters:
    """Parameters of the initial keywords, shared by two tables of a topic."""

    category: str = ""  # code or name of the topic's category. "": the category of the topic's title
    tree: str = ""  # path of a category tree in JSON. "": the Chinese Library Classification
    own_terms: bool = True  # add the topic's own terms to those of its category. The paper: False
    keyword_threshold: float = 0.1  # least weight of an initial keyword, 0 to 1
    max_keywords: int = 100  # χ, maximum number of keywords of the topic, including the initial ones

    def __post_init__(self) -> None:
        check_fields(self, ("keyword_threshold", "lam"), {"max_keywords": 1, "page_keywords": 1, "batch": 1})


@dataclass(frozen=True)
class Odp2evsmParameters(CategoryParameters):
    """Constants of the method, read from the table ``[strategy.odp2evsm]`` of a topic. The paper prints only λ."""

    lam: float = LAMBDA  # λ of Eq. 5, 0 to 1
    page_keywords: int = 30  # n, keywords of a page
    page_threshold: float = 0.08  # u, as a share of the topic's degree to itself
    learned_keywords: int = 5  # m, keywords per relevant page added to the buffer. 0: no expansion
    batch: int = 10  # number of relevant pages before the buffer joins the topic's keywords


class BookCrawl(Strategy):
    """Reading of pages and choice of links in ``odp2evsm``, for any measure."""

    def __init__(self, measure: Measure, parameters: Any) -> None:
        self.parameters = parameters
        self._links = BookLinks()
        self._use(measure)

    def _use(self, measure: Measure) -> None:
        self._measure = measure
        self._of_anchor = functools.lru_cache(_CACHED_ANCHORS)(measure.of_anchor)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        reading = read(page)
        measured = self._measure.of_page(reading.title, reading.text)
        relevance, threshold = measured.relevance, self.page_threshold
        keep = relevance > threshold and reading.kind != "list"
        link_relevance = self._links.link_relevance(page.url, reading.kind, relevance, threshold, seed=not found)
        lesson: dict[str, Any] = {} if found else {"entrance": entrance(page.url)}
        if keep and (words := self._lesson(measured.keywords)):
            lesson["words"] = words
        row = {"title": reading.title, "text": reading.text, "source": reading.publisher} if reading.kind == "book" else {}
        return Verdict(relevance, keep, measured.shares, link_relevance, lesson or None, row)

    def learn(self, url: str, verdict: Verdict) -> None:
        if verdict.lesson and "entrance" in verdict.lesson:
            self._links.learn(verdict.lesson["entrance"])

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [None if best is None else best[0] for best in map(self._best, candidates)]

    def explain(self, candidate: Candidate) -> dict[str, float]:
        best = self._best(candidate)
        return {} if best is None else {"parent": best[1].relevance, "anchor": self._of_anchor(best[1].anchor)}

    def state_dict(self) -> dict[str, Any]:
        return {"entrances": self._links.entrances()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._links = BookLinks(state["entrances"])

    def _lesson(self, keywords: Sequence[tuple[str, float]]) -> list[list[Any]]:
        """Return the keywords to learn from a relevant page, with their weights."""
        return []

    def _best(self, candidate: Candidate) -> tuple[float, Evidence] | None:
        """Return the best priority over all places of the link, and that place."""
        priorities = ((self._links.priority(candidate.url, e, self._of_anchor(e.anchor)), e) for e in candidate.evidence)
        return max(((priority, e) for priority, e in priorities if priority is not None), key=itemgetter(0), default=None)


class Odp2evsm(BookCrawl):
    """Strategy ``odp2evsm``.

    Args:
        words: exp of two words.
        keywords: the initial Q, 0 < q_i <= 1.
        segmenter: must know the keywords.
        node_weights: w(v) of Eq. 2.
        parameters: None: the defaults.

    >>> from topical_crawler import strategies
    >>> odp2evsm = strategies.create("machine-learning", "odp2evsm", resources=None)
    >>> odp2evsm.judge(Page("http://a.cn/1", title="支持向量机与决策树")).keep
    True
    """

    name = "odp2evsm"
    parameters_type = Odp2evsmParameters
    needs = ("clc", "vectors", "cilin")
    parameters: Odp2evsmParameters

    def __init__(
        self,
        words: WordExtension,
        keywords: Mapping[str, float],
        segmenter: Segmenter,
        node_weights: NodeWeights,
        parameters: Odp2evsmParameters | None = None,
    ) -> None:
        self.parameters = parameters = parameters or Odp2evsmParameters()
        self.expansion = Expansion(keywords, parameters.batch, parameters.max_keywords)
        self._words = words
        self._segmenter = segmenter
        self._node_weights = node_weights
        super().__init__(self._measured(), parameters)

    @classmethod
    def make(cls, setup: Setup) -> Self:
        parameters = setup.parameters(Odp2evsmParameters)
        keywords = category_keywords(setup, parameters)
        vectors, cilin = setup.resources.path("vectors"), setup.resources.path("cilin")
        opened = WordVectors.open(vectors, setup.cache_dir) if vectors else None
        if opened is not None:  # compose keywords and new words from known ones
            opened = ComposingVectors(opened.words, opened.matrix)
        words = WordExtension(opened, Cilin(cilin) if cilin else None, parameters.lam)
        return cls(words, keywords, whole_keywords(setup, keywords), NodeWeights(language().tag), parameters)

    @property
    def revision(self) -> int:  # type: ignore[override]
        """Number of keywords learned."""
        return len(self.expansion.added)

    def learn(self, url: str, verdict: Verdict) -> None:
        super().learn(url, verdict)
        if verdict.lesson and "words" in verdict.lesson and self.expansion.learn(url, verdict.lesson["words"]):
            self._use(self._measured())

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "expansion": self.expansion.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.expansion.load_state_dict(state["expansion"])
        self._use(self._measured())

    def _lesson(self, keywords: Sequence[tuple[str, float]]) -> list[list[Any]]:
        return [[word, round(weight, 4)] for word, weight in keywords[: self.parameters.learned_keywords]]

    def _measured(self) -> ExtensionMeasure:
        topic = TopicExtension(self._words, self.expansion.keywords)
        return ExtensionMeasure(topic, self._segmenter, self._node_weights, self.parameters.page_keywords)


def category_keywords(setup: Setup, p: CategoryParameters) -> dict[str, float]:
    """Return the initial keywords of the topic's category, with their weights."""
    tree = open_tree(setup.topic, setup.resources, p.tree)
    return initial_keywords(setup.topic, tree, p.category, p.keyword_threshold, p.max_keywords, own_terms=p.own_terms)


def whole_keywords(setup: Setup, keywords: Mapping[str, float]) -> Segmenter:
    """Return a segmenter that never splits the keywords."""
    if all(word in setup.topic.terms for word in keywords):
        return setup.segmenter
    backend: Backend = "rjieba" if setup.segmenter.backend == "rjieba" else "jieba"
    return Segmenter([*setup.topic.terms, *keywords], backend=backend, cache_dir=setup.cache_dir)
