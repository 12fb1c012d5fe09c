"""Common part of the four methods of Sun et al. 2018 (Eq. 9), and SVSM (section 1.2, Eq. 2-7).

Pages are judged by full text, links by parent pages and anchors (section 1.5). The methods differ only in the measure.

Multiply a document's TF-IDF weights by the mean similarity of each of its terms to the topic's terms (Eq. 5, 6), and the
topic's own by 1 (Eq. 4). Relevance is the cosine of the two vectors (Eq. 7). The paper leaves the dimensions open. Here both
vectors have the terms of both as dimensions, with 0 for a missing term (step 2: "build both from the same terms"). Similarity
raises words close to the topic, and lowers distant ones. Of three readings this one scored best by far
(experiments/notes/papers.md).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from topical_crawler.resources.hownet import ConceptIndex, HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.base import BELOW_THRESHOLD, Strategy, check_fields, shares
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf, norm, term_vector
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, full_text

_CACHED_ANCHORS = 50_000


class Measure(Protocol):
    """Measure of relevance to one topic."""

    def of(self, words: Sequence[str]) -> float:
        """Return the relevance of a text's content words with their repetitions, 0 to 1. 0 for none."""
        ...

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        """Return the contribution of each distinct word (> 0), in any unit, without words contributing nothing."""
        ...


@dataclass(frozen=True)
class TextAndAnchorParameters:
    """Constants of Eq. 9 and of page judgement."""

    page_threshold: float = 0.05  # a page is relevant if Sim(full text, topic) exceeds this. Not printed
    page_weight: float = 0.5  # λ1 of Eq. 9, for the pages holding a link
    anchor_weight: float = 0.5  # λ2 of Eq. 9, for the anchors of the link
    link_threshold: float = 0.0  # queue a link if Eq. 9 exceeds this. 0, as in the paper: queue every link
    # Share of the title, beside the full text, in the relevance inherited by links. Printed: 0. The paper's future work.
    title_weight: float = 0.0
    text_threshold: float = 0.0  # a kept page stays if Sim(main text, topic) exceeds this. 0: all stay. Not in the paper

    def __post_init__(self) -> None:
        check_fields(self, shares=("title_weight",))
        if self.page_weight + self.anchor_weight == 0:
            raise ValueError("page_weight and anchor_weight are both 0, so all links would be worth the same")


class TextAndAnchor(Strategy):
    """Judge of pages and scorer of links by one measure, without learning.

    Eq. 9: priority(l) = λ1·(1/N)·Σ_p Sim(full text of p, t) + λ2·(1/N)·Σ_p Sim(anchor of l on p, t) over the N pages p known to
    hold the link. The paper writes one anchor. For several, this takes their mean, as for the pages.
    """

    parameters_type = TextAndAnchorParameters
    wants_text = True
    drop_reason = BELOW_THRESHOLD
    parameters: TextAndAnchorParameters

    def __init__(self, measure: Measure, segmenter: Segmenter, parameters: TextAndAnchorParameters) -> None:
        self.parameters = parameters
        self._segmenter = segmenter
        self.use(measure)

    def use(self, measure: Measure) -> None:
        """Switch to another measure."""
        self._measure = measure
        self.anchor = functools.lru_cache(_CACHED_ANCHORS)(self.relevance)

    def relevance(self, text: str) -> float:
        """Return Sim(text, topic), 0 to 1."""
        return self._measure.of(self._segmenter.content(text))

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        words = self._segmenter.content(full_text(page))
        relevance, share = self._measure.of(words), self.parameters.title_weight
        inherited = (1 - share) * relevance + share * self.relevance(page.title) if share else None
        return Verdict(relevance, relevance > self.page_threshold, shares(self._measure.parts(words)), inherited)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        threshold = self.parameters.link_threshold
        return [p if threshold == 0 or p > threshold else None for p in map(self.priority, candidates)]

    def priority(self, candidate: Candidate) -> float:
        """Return Eq. 9, 0 for a link without places."""
        parts = self.explain(candidate)
        return self.parameters.page_weight * parts["parent"] + self.parameters.anchor_weight * parts["anchor"]

    def confirm(self, text: str) -> tuple[float, bool]:
        relevance, threshold = self.relevance(text), self.parameters.text_threshold
        return relevance, threshold == 0 or relevance > threshold

    def explain(self, candidate: Candidate) -> dict[str, float]:
        """Return the two means of Eq. 9, unweighted."""
        places, n = candidate.evidence, len(candidate.evidence) or 1
        anchors = fsum(self.anchor(e.anchor) for e in places)
        return {"parent": fsum(e.relevance for e in places) / n, "anchor": anchors / n}


class TermSimilarity:
    """Sim(word, term), in [0, 1].

    A word and itself: 1, even if unknown to HowNet. Other pairs unknown to HowNet: 0.

    Args:
        terms: the topic's terms, distinct and normalised.
        words: row of each HowNet word in ``matrix``.
        matrix: similarities, ``(len(words), len(terms))``.

    Raises:
        ValueError: the shape of ``matrix`` does not fit.

    >>> similarity = TermSimilarity(["内核", "进程"], {"核心": 0}, np.array([[0.8, 0.2]], dtype=np.float32))
    >>> {word: round(mean, 3) for word, mean in similarity.means().items()}
    {'核心': 0.5, '内核': 0.5, '进程': 0.5}
    """

    def __init__(self, terms: Sequence[str], words: Mapping[str, int], matrix: NDArray[np.float32]) -> None:
        if matrix.shape != (len(words), len(terms)):
            raise ValueError(f"{len(words)} words and {len(terms)} terms do not fit a matrix of shape {matrix.shape}")
        self.terms = list(terms)
        self._words = words
        self._matrix = matrix
        self._column = {term: i for i, term in enumerate(self.terms)}

    @classmethod
    def of_terms(cls, terms: Sequence[str], resources: Resources) -> Self:
        """Build the table for a topic's terms, distinct normalised words. Without HowNet a word is similar only to itself."""
        hownet = HowNet.installed(resources)
        if hownet is None:
            return cls(terms, {}, np.zeros((0, len(terms)), dtype=np.float32))
        index = ConceptIndex(hownet)
        matrix = np.zeros((len(index.words), len(terms)), dtype=np.float32)
        for column, term in enumerate(terms):
            if term in hownet.senses:
                matrix[:, column] = index.row(term)
        return cls(terms, {word: row for row, word in enumerate(index.words)}, matrix)

    def means(self, weights: Sequence[float] | None = None) -> Mapping[str, float]:
        """Return the weighted mean similarity of every word to the terms, leaving out words similar to none.

        Args:
            weights: weights of the terms, each >= 0, not all 0. None: equal weights.
        """
        own = np.ones(len(self.terms)) if weights is None else np.asarray(weights, dtype=np.float64)
        parts = own / own.sum()
        held = (self._matrix @ parts.astype(np.float32)).tolist()
        means = {word: float(held[row]) for word, row in self._words.items() if held[row] > 0}
        means |= {term: float(parts[column]) for term, column in self._column.items() if term not in self._words}
        return means


class TermSvsm:
    """SVSM over the terms of both sides. Relevance is from 0 to 1.

    Args:
        topic: term → weight (> 0).
        means: word → mean similarity to the topic's terms, 0 for missing words.
        idf: weighs the words of texts.

    >>> idf = Idf({"内核": 1.0, "核心": 1.0, "天气": 1.0})
    >>> measure = TermSvsm({"内核": 2.0}, {"内核": 0.8, "核心": 0.6, "天气": 0.1}, idf)
    >>> round(measure.of(["内核", "核心"]), 3), round(measure.of(["内核", "天气"]), 3), measure.of(["核心"])
    (0.8, 0.992, 0.0)
    """

    def __init__(self, topic: Mapping[str, float], means: Mapping[str, float], idf: Idf) -> None:
        self._topic = dict(topic)
        self._norm = norm(list(self._topic.values()))
        self._means = means
        self._idf = idf

    def semantic_vector(self, words: Sequence[str]) -> dict[str, float]:
        """Return Eq. 6: term → tf·idf·mean similarity, leaving out terms unlike anything in the topic."""
        vector = term_vector(words, self._idf)
        return {word: weight * self._means[word] for word, weight in vector.items() if word in self._means}

    def of(self, words: Sequence[str]) -> float:
        vector = self.semantic_vector(words)
        product = fsum(weight * self._topic[word] for word, weight in vector.items() if word in self._topic)
        return min(product / (norm(list(vector.values())) * self._norm), 1.0) if product else 0.0

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        return {w: x * self._topic[w] for w, x in self.semantic_vector(words).items() if w in self._topic}
