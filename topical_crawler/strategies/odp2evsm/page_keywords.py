"""Keywords of a page by TextRank over weighted words (Zhang et al., section 3.2), and their relevance to a topic.

The nodes of the graph are words. An edge weighs the number of times two words share a window. A word ranks high if it weighs
much itself and stands beside high-ranking words (Eq. 2). Its weight combines its features by the order-relation method G1 (Guo
Yajun), from their order of importance and the ratio between each and the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from topical_crawler.strategies.base import shares
from topical_crawler.strategies.odp2evsm.extension import TopicExtension
from topical_crawler.text.segment import Segmenter

FEATURES: Mapping[str, float] = {"title": 1.0, "frequency": 1.2, "part_of_speech": 1.4, "position": 1.2, "length": 1.2}
"""Features, most important first, each with r_k: its predecessor's importance relative to it (1 for the first).

Neither order nor ratios are printed. The method's ratios range from 1.0 (equally important) to 1.8 (far more).
"""

LONG = 4  # characters of a long word: most Chinese technical terms have three or four
_BY_TAG = (("n", 1.0), ("eng", 1.0), ("j", 0.8), ("l", 0.8), ("i", 0.6), ("v", 0.6), ("a", 0.4))
_UNKNOWN_TAG = 1.0  # words missing in the dictionary are names or terms
_OTHER_TAG = 0.2


def order_weights(ratios: Sequence[float]) -> tuple[float, ...]:
    """Return the weights of n features from the n − 1 ratios r_2 … r_n, each 1 or more, r_k = w_{k−1} / w_k. They fall and sum
    to 1.

    w_n = 1 / (1 + Σ_{k=2}^{n} Π_{i=k}^{n} r_i),  w_{k−1} = r_k·w_k

    >>> [round(weight, 4) for weight in order_weights([1.2, 1.4])]
    [0.4118, 0.3431, 0.2451]
    """
    raw = [1.0]
    for ratio in reversed(ratios):
        raw.append(raw[-1] * ratio)
    total = sum(raw)
    return tuple(weight / total for weight in reversed(raw))


class NodeWeights:
    """Node weights w(v) of Eq. 2 for the words of a text.

    ``weights`` are the weights of :data:`FEATURES`, by G1. ``tag`` returns a word's part of speech in jieba's tags, "" for a
    word missing in the dictionary.

    >>> node_weights = NodeWeights({"数据": "n", "分析": "vn", "方法": "n"}.get)
    >>> {word: round(weight, 2) for word, weight in node_weights.of(["数据", "分析", "方法", "数据"], {"数据"}).items()}
    {'数据': 0.94, '分析': 0.41, '方法': 0.44}
    """

    def __init__(self, tag: Callable[[str], str | None]) -> None:
        self.weights = dict(zip(FEATURES, order_weights(list(FEATURES.values())[1:]), strict=True))
        self._tag = tag

    def of(self, words: Sequence[str], title: Collection[str]) -> dict[str, float]:
        """Return the weight of each distinct word, in [0, 1]: the weighted sum of its features.

        ``words`` are those of the whole text, in order, with repetitions.
        """
        return {
            word: sum(self.weights[name] * value for name, value in features.items())
            for word, features in self.features(words, title).items()
        }

    def features(self, words: Sequence[str], title: Collection[str]) -> dict[str, dict[str, float]]:
        """Return the features of each distinct word, each in [0, 1].

        ``title``: 1 in the title, else 0. ``frequency``: relative to the most frequent word. ``part_of_speech``: names and
        nouns 1, fixed phrases 0.8, idioms and verbs 0.6, adjectives 0.4, others 0.2. ``position``: 1 for the first word of the
        text, falling linearly to 0 at its end. ``length``: share of :data:`LONG` characters, at most 1.
        """
        counts = Counter(words)
        first = {word: place for place, word in reversed(list(enumerate(words)))}
        most = max(counts.values(), default=1)
        return {
            word: {
                "title": float(word in title),
                "frequency": count / most,
                "part_of_speech": self._of_tag(word),
                "position": 1 - first[word] / len(words),
                "length": min(1.0, len(word) / LONG),
            }
            for word, count in counts.items()
        }

    def _of_tag(self, word: str) -> float:
        if not (tag := self._tag(word)):
            return _UNKNOWN_TAG
        return next((value for prefix, value in _BY_TAG if tag.startswith(prefix)), _OTHER_TAG)


DAMPING = 0.85  # d of Eq. 2
WINDOW = 5  # words in a window, including the word itself. Not printed. 5 is usual for Chinese
TOLERANCE = 1e-6  # stop the iteration once no rank changes by more than this. Not printed


def textrank(
    words: Sequence[str],
    weights: Mapping[str, float] | None = None,
    damping: float = DAMPING,
    window: int = WINDOW,
    tolerance: float = TOLERANCE,
) -> dict[str, float]:
    """Return S of Eq. 2 for each distinct word, heaviest first, equal ones in text order.

    S(v_i) = (1 − d)·w(v_i) + d·w(v_i)·Σ_{v_j ∈ In(v_i)} w_ji / Σ_{v_k ∈ In(v_j)} w_jk · S(v_j)

    With node weights of at most 1 the step is a contraction by d, so the iteration always converges to the unique solution.
    Edges have no direction: a word's neighbours are its In.

    Args:
        words: the words of a text in order, with repetitions.
        weights: w(v) of every word, in [0, 1]. None: all 1, plain TextRank.
        damping: d, from 0 to below 1.
        window, tolerance: 2 or more, and above 0.

    Raises:
        KeyError: a word has no weight.

    >>> ranks = textrank(["数据", "挖掘", "算法", "数据", "聚类", "算法", "数据", "分类"], window=2)
    >>> [(word, round(rank, 3)) for word, rank in ranks.items()][:3]
    [('数据', 1.729), ('算法', 1.361), ('挖掘', 0.733)]
    """
    places: dict[str, int] = {}
    text = np.array([places.setdefault(word, len(places)) for word in words], dtype=np.int64)
    if not places:
        return {}
    own = np.ones(len(places)) if weights is None else np.array([weights[word] for word in places], dtype=np.float64)
    steps = range(1, min(window, len(text)))
    left = np.concatenate([text[:0], *(text[:-step] for step in steps)])
    right = np.concatenate([text[:0], *(text[step:] for step in steps)])
    apart = left != right
    sources, targets = (np.concatenate(ends) for ends in ((left[apart], right[apart]), (right[apart], left[apart])))
    degrees = np.bincount(sources, minlength=len(places))
    shares = 1.0 / degrees[sources]  # one edge per co-occurrence, with a sum of w_ji / Σ w_jk
    ranks, change = own, np.inf
    while change > tolerance:
        before = ranks
        ranks = own * (1 - damping + damping * np.bincount(targets, shares * before[sources], len(places)))
        change = np.abs(ranks - before).max()
    names = list(places)
    return {names[i]: float(ranks[i]) for i in np.argsort(-np.round(ranks, 9), kind="stable").tolist()}


@dataclass(frozen=True, slots=True)
class Measured:
    """Measurement of a page."""

    relevance: float  # 0 or more
    shares: Mapping[str, float] = field(default_factory=dict)  # the words behind it with their shares of it, heaviest first
    keywords: Sequence[tuple[str, float]] = ()  # of the page with weights, heaviest first


class Measure(Protocol):
    """Measure of texts against a topic."""

    def of_page(self, title: str, text: str) -> Measured:
        """Return the relevance of a page."""
        ...

    def of_anchor(self, anchor: str) -> float:
        """Return the relevance of a short text."""
        ...


class ExtensionMeasure:
    """Relevance of a page's TextRank keywords: their extension degree with the topic's keywords.

    The degree is divided by the topic's degree to itself, since degrees fall with every light keyword added to a topic.
    Otherwise no threshold could outlast an expansion. ``n``: maximum number of keywords of a page.

    >>> from topical_crawler.strategies.odp2evsm.extension import WordExtension
    >>> topic = TopicExtension(WordExtension(), {"数据挖掘": 1.0, "聚类": 0.5})
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
        """Return the relevance of K, the ``n`` words ranked highest by Eq. 2, scaled to 1 for the first."""
        head = self._segmenter.content(title)
        words = [*head, *self._segmenter.content(text)]
        ranks = list(textrank(words, self._node_weights.of(words, set(head))).items())[: self._n]
        keywords = [(word, rank / ranks[0][1]) for word, rank in ranks if rank > 0]
        return Measured(self._relevance(dict(keywords)), self._shares(keywords), keywords)

    def of_anchor(self, anchor: str) -> float:
        """Return the relevance of the anchor's words, weighted by frequency."""
        return self._relevance(Counter(self._segmenter.content(anchor)))

    def _relevance(self, vector: Mapping[str, float]) -> float:
        return self._topic.between(vector) / self._topic.own

    def _shares(self, keywords: Sequence[tuple[str, float]]) -> dict[str, float]:
        """Return the share of each keyword, as ``word`` or ``word~nearest keyword``."""
        parts = ((word, self._topic.nearest(word), k * self._topic.degree(word)) for word, k in keywords)
        return shares({(word if word == nearest else f"{word}~{nearest}"): part for word, nearest, part in parts if part > 0})
