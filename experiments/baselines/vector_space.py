"""The strategies ``vsm``, ``ssrm`` and ``svsm``: baselines of Sun et al. 2018 with the links of ``esvsm``.

Their topic is the keywords with their weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Self

from topical_crawler.strategies.base import Setup
from topical_crawler.strategies.esvsm.vector_space import (
    SvsmParameters,
    TermSimilarity,
    TextAndAnchor,
    TextAndAnchorParameters,
    svsm,
)
from topical_crawler.text.statistics import Idf, Vsm, keyword_vector, term_vector


class Ssrm:
    """Relevance = Σ_i Σ_j q_i·d_j·Sim(i, j) / Σ_i Σ_j q_i·d_j, from 0 to 1.

    It is the mean similarity of the text's terms to the topic's, term → weight q (> 0), both weighed by TF-IDF: how often a text
    says the topic's own words counts for little among many words that are faintly similar.

    >>> import numpy as np
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
        measure = svsm(topic, TermSimilarity.of_terms(list(topic), setup.resources), idf, parameters.reading)
        return cls(measure, setup.segmenter, parameters)
