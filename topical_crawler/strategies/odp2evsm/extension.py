"""Extension degree of words and of vectors of words (Zhang et al., section 3.3, Eq. 3-5).

>>> words = WordExtension()
>>> words.exp("数据挖掘", "数据挖掘"), words.exp("数据挖掘", "聚类")
(1.0, 0.0)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.text.segment import normalise

LAMBDA = 0.5  # λ of Eq. 5, as printed
RELATED: Mapping[str, float] = {"#": 1.0, "=": 0.85, "@": 0.0}
"""Eq. 4: rel of two words sharing a Cilin code, by the sign of the code."""
FAINT = 0.3  # least exp of a counted pair: a cosine of 0.6, or synonyms. Ours
_CACHED_WORDS = 50_000


class WordExtension:
    """exp(a, b) = λ·sem(a, b) + (1 − λ)·rel(a, b) of two words (Eq. 5).

    Args:
        vectors: source of sem, the cosine of Eq. 3. None: sem is 0.
        cilin: source of rel, Eq. 4. None: rel is 0.
        lam: λ, 0 to 1.

    Raises:
        ValueError: λ is out of its range.
    """

    def __init__(self, vectors: WordVectors | None = None, cilin: Cilin | None = None, lam: float = LAMBDA) -> None:
        if not 0 <= lam <= 1:
            raise ValueError(f"lam must be from 0 to 1, not {lam!r}")
        self.vectors = vectors
        self.cilin = cilin
        self.lam = lam

    def sem(self, a: str, b: str) -> float:
        """Return Eq. 3: the cosine of two words' vectors, in [-1, 1], 0 for a word without one."""
        return self.vectors.similarity(a, b) if self.vectors else 0.0

    def rel(self, a: str, b: str) -> float:
        """Return Eq. 4 (:data:`RELATED`), the maximum over all common codes, 0 without one."""
        if self.cilin is None:
            return 0.0
        common = set(self.cilin.codes(a)) & set(self.cilin.codes(b))
        return max((RELATED[self.cilin.groups[code].relation] for code in common), default=0.0)

    def exp(self, a: str, b: str) -> float:
        """Return Eq. 5, in [-λ, 1]. A word and itself: 1, even if unknown to all resources."""
        if normalise(a) == normalise(b):
            return 1.0
        return self.lam * self.sem(a, b) + (1 - self.lam) * self.rel(a, b)


class TopicExtension:
    """Extension degree between a topic's keywords Q and other vectors.

    ``own`` is the degree of Q to itself, the score of a page with exactly the topic's vocabulary.

    Args:
        words: exp of two words.
        keywords: Q with its weights, 0 < q_i <= 1, not empty.

    >>> topic = TopicExtension(WordExtension(), {"数据挖掘": 1.0, "聚类": 0.5, "分类": 0.5})
    >>> topic.degree("聚类"), topic.between({"数据挖掘": 1.0, "小说": 1.0}), topic.own
    (0.5, 0.5, 0.75)
    """

    def __init__(self, words: WordExtension, keywords: Mapping[str, float]) -> None:
        self.keywords = dict(keywords)
        self._words = words
        self._names = list(self.keywords)
        self._places = {word: i for i, word in enumerate(self._names)}
        self._weights = np.array(list(self.keywords.values()), dtype=np.float64)
        self._codes: dict[str, list[int]] = {}
        for word, place in self._places.items():
            for code in words.cilin.codes(word) if words.cilin else ():
                self._codes.setdefault(code, []).append(place)
        own = {p: v for w, p in self._places.items() if words.vectors and (v := words.vectors.vector(w)) is not None}
        self._matrix = np.array(list(own.values()))
        self._rows = np.array(list(own), dtype=np.int64)
        self._known = lru_cache(_CACHED_WORDS)(self._compare)
        self.own = self.between(self.keywords)

    def row(self, word: str) -> NDArray[np.float64]:
        """Return exp of a normalised word with each keyword, shape ``(len(keywords),)``."""
        row = np.zeros(len(self._names))
        vector = self._words.vectors.vector(word) if self._words.vectors and len(self._rows) else None
        if vector is not None:
            row[self._rows] = self._words.lam * (self._matrix @ vector)
        if self._words.cilin:
            related: dict[int, float] = {}
            for code in self._words.cilin.codes(word):
                value = RELATED[self._words.cilin.groups[code].relation]
                for place in self._codes.get(code, ()):
                    related[place] = max(value, related.get(place, 0.0))
            for place, value in related.items():
                row[place] += (1 - self._words.lam) * value
        if word in self._places:
            row[self._places[word]] = 1.0
        return row

    def degree(self, word: str) -> float:
        """Return the contribution of a normalised word to :meth:`between`: the greatest q_i·exp(i, word)."""
        return self._known(word)[0]

    def nearest(self, word: str) -> str:
        """Return the keyword behind :meth:`degree`."""
        return self._known(word)[1]

    def between(self, vector: Mapping[str, float]) -> float:
        """Return the extension degree of Q and another vector: normalised words of a page with weights k_j >= 0. 0 for an empty
        one.

        The paper applies Eq. 3-5 to two vectors without further detail. Here each word of the page counts with its nearest
        keyword, and pairs below :data:`FAINT` count as 0: Σ_j k_j·max_i q_i·exp(i, j) / Σ_j k_j. So a hundred faint
        similarities cannot outweigh one right word.
        """
        total = sum(vector.values())
        return sum(k * self.degree(word) for word, k in vector.items()) / total if total > 0 else 0.0

    def _compare(self, word: str) -> tuple[float, str]:
        row = self.row(word)
        row[row < FAINT] = 0.0
        parts = self._weights * row
        nearest = int(parts.argmax())
        return float(parts[nearest]), self._names[nearest]
