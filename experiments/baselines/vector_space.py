"""The strategies ``vsm``, ``ssrm`` and ``svsm``: baselines of Sun et al. 2018 with the links of ``esvsm``.

Their topic is the keywords with their weights. What a dimension of SVSM is, the paper leaves open.
``svsm`` reads it in three ways:

``terms``
    The default, as ``esvsm`` has it: the terms of both sides.
``projected``
    The topic's terms are the dimensions, and each term of the document stands in all of them, as far as it is similar. Texts
    without a common term are compared, too, as section 1.2.2 wants it.
``positions``
    As Eq. 2, 3, 6 and 8 are printed: each side sorted by weight, the shorter one filled up with 0, the first number compared with
    the first. Unlike terms share a dimension, so that what is compared is how steeply the weights fall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.base import Setup
from topical_crawler.strategies.esvsm.vector_space import (
    Measure,
    TermSimilarity,
    TermSvsm,
    TextAndAnchor,
    TextAndAnchorParameters,
)
from topical_crawler.text.statistics import Idf, Vsm, keyword_vector, norm, term_vector


class Similarities(TermSimilarity):
    """Also gives the similarities one by one.

    >>> similarity = Similarities(["内核", "进程"], {"核心": 0}, np.array([[0.8, 0.2]], dtype=np.float32))
    >>> similarity.row("核心"), similarity.row("进程"), similarity.row("天气")
    (array([0.8, 0.2], dtype=float32), array([0., 1.], dtype=float32), array([0., 0.], dtype=float32))
    """

    def row(self, word: str) -> NDArray[np.float32]:
        """Sim of a normalised word with every term, shape ``(len(terms),)``."""
        if word in self._words:
            return np.asarray(self._matrix[self._words[word]])
        row = np.zeros(len(self.terms), dtype=np.float32)
        if word in self._column:
            row[self._column[word]] = 1.0
        return row


Reading = Literal["terms", "projected", "positions"]


@dataclass(frozen=True)
class SvsmParameters(TextAndAnchorParameters):
    """Constants of ``svsm``."""

    reading: Reading = "terms"  # what the dimensions of Eq. 7 are: `terms`, `projected` or `positions`

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reading not in get_args(Reading):
            raise ValueError(f"reading must be one of {', '.join(get_args(Reading))}, not {self.reading!r}")


def svsm(topic: Mapping[str, float], similarity: Similarities, idf: Idf, reading: Reading = "terms") -> Measure:
    """The measure for a topic, term → weight (> 0), in one of its readings. ``idf`` weighs the words of texts."""
    if reading == "projected":
        return ProjectedSvsm(topic, similarity, idf)
    return (PositionSvsm if reading == "positions" else TermSvsm)(topic, similarity.means(), idf)


class PositionSvsm(TermSvsm):
    """SVSM over positions, as printed. Relevance is from 0 to 1.

    >>> idf = Idf({"章节": 3.0, "部分": 1.0})
    >>> round(PositionSvsm({"平台": 0.4, "课程": 0.3}, {"章节": 0.5, "部分": 0.5}, idf).of(["部分", "章节"]), 3)
    0.949
    """

    def of(self, words: Sequence[str]) -> float:
        vector = term_vector(words, self._idf)
        ordered = [x * self._means.get(w, 0.0) for w, x in sorted(vector.items(), key=lambda item: (-item[1], item[0]))]
        product = fsum(a * b for a, b in zip(ordered, sorted(self._topic.values(), reverse=True), strict=False))
        return min(product / (norm(ordered) * self._norm), 1.0) if product else 0.0

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        """The weights of Eq. 6: in this reading a word has no part of its own in the product."""
        return self.semantic_vector(words)


class ProjectedSvsm:
    """SVSM over the topic's terms, on each of which every term of a text is projected. Relevance is from 0 to 1.

    >>> similarity = Similarities(["内核", "进程"], {"核心": 0}, np.array([[0.8, 0.2]], dtype=np.float32))
    >>> measure = ProjectedSvsm({"内核": 1.0, "进程": 1.0}, similarity, Idf({"核心": 2.0}))
    >>> round(measure.of(["核心"]), 3), measure.of(["天气"])
    (0.857, 0.0)
    """

    def __init__(self, topic: Mapping[str, float], similarity: Similarities, idf: Idf) -> None:
        self._similarity = similarity
        self._weights = np.array([topic[term] for term in similarity.terms])
        self._norm = norm(self._weights.tolist())
        self._idf = idf

    def of(self, words: Sequence[str]) -> float:
        vector = sorted(term_vector(words, self._idf).items())
        if not vector:
            return 0.0
        projected = np.array([x for _, x in vector]) @ np.stack([self._similarity.row(w) for w, _ in vector])
        length = float(np.linalg.norm(projected))
        return min(float(projected @ self._weights) / (length * self._norm), 1.0) if length else 0.0

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        vector = term_vector(words, self._idf)
        parts = {word: x * float(self._similarity.row(word) @ self._weights) for word, x in vector.items()}
        return {word: part for word, part in parts.items() if part > 0}


class Ssrm:
    """Relevance = Σ_i Σ_j q_i·d_j·Sim(i, j) / Σ_i Σ_j q_i·d_j, from 0 to 1.

    It is the mean similarity of the text's terms to the topic's, term → weight q (> 0), both weighed by TF-IDF: how often a text
    says the topic's own words counts for little among many words that are faintly similar.

    >>> similarity = TermSimilarity(["内核", "进程"], {"核心": 0}, np.array([[0.8, 0.2]], dtype=np.float32))
    >>> ssrm = Ssrm({"内核": 3.0, "进程": 1.0}, similarity, Idf({"核心": 1.0}))
    >>> round(ssrm.of(["核心"]), 3), round(ssrm.of(["核心", "天气"]), 3), ssrm.of([])
    (0.65, 0.325, 0.0)
    """

    def __init__(self, topic: Mapping[str, float], similarity: TermSimilarity, idf: Idf) -> None:
        self._means = similarity.means([topic[term] for term in similarity.terms])
        self._idf = idf

    def of(self, words: Sequence[str]) -> float:
        vector = term_vector(words, self._idf)
        total = fsum(vector.values())
        return min(fsum(self.parts(words).values()) / total, 1.0) if total else 0.0

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        vector = term_vector(words, self._idf)
        return {word: weight * self._means[word] for word, weight in vector.items() if word in self._means}


# No paper prints a threshold. A cosine is the smaller the more terms a topic has; SVSM's is between the best for few and for
# many, on the side of keeping. SSRM has no good one: with HowNet, nearly every text is as similar to a topic as any other.
@dataclass(frozen=True)
class VsmParameters(TextAndAnchorParameters):
    """Constants of ``vsm``."""

    page_threshold: float = 0.01


@dataclass(frozen=True)
class SsrmParameters(TextAndAnchorParameters):
    """Constants of ``ssrm``."""

    page_threshold: float = 0.001


class VsmStrategy(TextAndAnchor):
    """The strategy ``vsm``, the vector space model: the cosine of TF-IDF vectors.

    >>> from topical_crawler import Page, strategies
    >>> vsm = strategies.create("partybuilding", "vsm", resources=None)
    >>> [vsm.judge(Page("http://a.cn/", title=title)).keep for title in ("学习贯彻党章 严肃党内政治生活", "球队升至榜首")]
    [True, False]
    """

    name = "vsm"
    parameters_type = VsmParameters

    @classmethod
    def make(cls, setup: Setup) -> Self:
        idf = Idf.load()
        measure = Vsm(keyword_vector(setup.topic.terms, idf), idf)
        return cls(measure, setup.segmenter, setup.parameters(VsmParameters))


class SsrmStrategy(TextAndAnchor):
    """The strategy ``ssrm``, the semantic similarity retrieval model: the mean similarity of the words of both sides."""

    name = "ssrm"
    parameters_type = SsrmParameters
    needs = ("hownet", "hownet_tree")

    @classmethod
    def make(cls, setup: Setup) -> Self:
        idf = Idf.load()
        topic = keyword_vector(setup.topic.terms, idf)
        measure = Ssrm(topic, TermSimilarity.of_terms(list(topic), setup.resources), idf)
        return cls(measure, setup.segmenter, setup.parameters(SsrmParameters))


class SvsmStrategy(TextAndAnchor):
    """The strategy ``svsm``, the semantic vector space model without a topic model and without replacement of the topic word."""

    name = "svsm"
    parameters_type = SvsmParameters
    needs = ("hownet", "hownet_tree")

    @classmethod
    def make(cls, setup: Setup) -> Self:
        idf = Idf.load()
        parameters = setup.parameters(SvsmParameters)
        topic = keyword_vector(setup.topic.terms, idf)
        measure = svsm(topic, Similarities.of_terms(list(topic), setup.resources), idf, parameters.reading)
        return cls(measure, setup.segmenter, parameters)
