"""How near a page's words are to a topic: two measures for pages of books (Zhang et al., sections 3.2, 3.3 and 5.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from topical_crawler.relevance.extension import TopicExtension
from topical_crawler.relevance.order_relation import NodeWeights
from topical_crawler.relevance.shares import shares
from topical_crawler.relevance.textrank import textrank
from topical_crawler.relevance.tfidf import Idf, Vsm, keyword_vector
from topical_crawler.text import Segmenter


@dataclass(frozen=True, slots=True)
class Measured:
    """What a measure says of a page.

    Attributes:
        relevance: 0 or more.
        shares: the words that carry it, heaviest first, with their share of it.
        keywords: the page's keywords, heaviest first, with their weights; () where the measure does not look for any.
    """

    relevance: float
    shares: Mapping[str, float] = field(default_factory=dict)
    keywords: Sequence[tuple[str, float]] = ()


class Measure(Protocol):
    """A measure of texts against a topic."""

    def of_page(self, title: str, text: str) -> Measured:
        """The relevance of a page."""
        ...

    def of_anchor(self, anchor: str) -> float:
        """The relevance of a short text."""
        ...


class ExtensionMeasure:
    """A page's TextRank keywords, by their extension degree with the topic's keywords.

    The degree is given as a part of that of the topic's keywords to themselves: as a mean over pairs it falls with every keyword
    that a topic has more, and no threshold could outlast an expansion.

    Args:
        topic: the topic's keywords.
        segmenter: must know them.
        node_weights: w(v) of Eq. 2.
        n: keywords of a page, at most.

    >>> from topical_crawler.relevance.extension import WordExtension
    >>> topic = TopicExtension(WordExtension(), {"数据挖掘": 1.0, "聚类": 0.5}, "best")
    >>> measure = ExtensionMeasure(topic, Segmenter(["数据挖掘", "聚类"]), NodeWeights(lambda word: "n"), n=3)
    >>> measured = measure.of_page("数据挖掘导论", "聚类算法的讲解")
    >>> measured.shares, [word for word, _ in measured.keywords]
    ({'数据挖掘': 0.7619, '聚类': 0.2381}, ['数据挖掘', '导论', '聚类'])
    """

    def __init__(self, topic: TopicExtension, segmenter: Segmenter, node_weights: NodeWeights, n: int) -> None:
        self._topic = topic
        self._segmenter = segmenter
        self._node_weights = node_weights
        self._n = n

    def of_page(self, title: str, text: str) -> Measured:
        """The relevance of K, the ``n`` words that Eq. 2 puts highest; the first one weighs 1."""
        head = self._segmenter.content(title)
        words = [*head, *self._segmenter.content(text)]
        ranks = list(textrank(words, self._node_weights.of(words, set(head))).items())[: self._n]
        keywords = [(word, rank / ranks[0][1]) for word, rank in ranks if rank > 0]
        return Measured(self._relevance(dict(keywords)), self._shares(keywords), keywords)

    def of_anchor(self, anchor: str) -> float:
        """The relevance of its words, each as heavy as it is frequent."""
        return self._relevance(Counter(self._segmenter.content(anchor)))

    def _relevance(self, vector: Mapping[str, float]) -> float:
        return self._topic.between(vector) / self._topic.own

    def _shares(self, keywords: Sequence[tuple[str, float]]) -> dict[str, float]:
        """Each as ``word``, or ``word~nearest keyword``."""
        parts: dict[str, float] = {}
        for word, k in keywords:
            if (part := k * self._topic.degree(word)) > 0:
                nearest = self._topic.nearest(word)
                parts[word if word == nearest else f"{word}~{nearest}"] = part
        return shares(parts)


class CosineMeasure:
    """All content words of a page, by the cosine of TF-IDF weights: the vector space model of the paper's baselines.

    Args:
        keywords: of the topic, with their weights > 0.
        segmenter: must know them.
        idf: of words in Chinese at large.

    >>> measure = CosineMeasure({"数据挖掘": 1.0}, Segmenter(["数据挖掘"]), Idf({"数据挖掘": 8.0}))
    >>> measure.of_anchor("数据挖掘"), measure.of_page("数据挖掘", "聚类与分类").shares
    (1.0, {'数据挖掘': 1.0})
    """

    def __init__(self, keywords: Mapping[str, float], segmenter: Segmenter, idf: Idf) -> None:
        self._vsm = Vsm(keyword_vector(keywords, idf), idf)
        self._segmenter = segmenter

    def of_page(self, title: str, text: str) -> Measured:
        """The cosine, 0 to 1."""
        words = [*self._segmenter.content(title), *self._segmenter.content(text)]
        return Measured(self._vsm.of(words), shares(self._vsm.parts(words)))

    def of_anchor(self, anchor: str) -> float:
        """The cosine, 0 to 1."""
        return self._vsm.of(self._segmenter.content(anchor))
