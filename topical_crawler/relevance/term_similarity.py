"""How similar every word is to each term of a topic by HowNet (SimH of Liu & Li 2002): a table made once for the topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from topical_crawler.semantics.concepts import ConceptIndex
from topical_crawler.semantics.hownet import HowNet
from topical_crawler.semantics.resources import Resources


class TermSimilarity:
    """Sim(word, term), in [0, 1]. A word and itself: 1, also where HowNet lacks it; other pairs that it lacks: 0.

    Args:
        terms: distinct normalised words: the topic's.
        words: the row of each word of HowNet in ``matrix``.
        matrix: similarities, shape ``(len(words), len(terms))``.

    >>> similarity = TermSimilarity(["内核", "进程"], {"核心": 0}, np.array([[0.8, 0.2]], dtype=np.float32))
    >>> similarity.row("核心"), similarity.row("进程"), similarity.row("天气")
    (array([0.8, 0.2], dtype=float32), array([0., 1.], dtype=float32), array([0., 0.], dtype=float32))
    """

    def __init__(self, terms: Sequence[str], words: Mapping[str, int], matrix: NDArray[np.float32]) -> None:
        if matrix.shape != (len(words), len(terms)):
            raise ValueError(f"{len(words)} words and {len(terms)} terms do not fit a matrix of shape {matrix.shape}")
        self.terms = list(terms)
        self._words = words
        self._matrix = matrix
        self._column = {term: i for i, term in enumerate(self.terms)}

    @classmethod
    def of_terms(cls, terms: Sequence[str], resources: Resources) -> TermSimilarity:
        """The table for a topic's terms. It takes two seconds to read HowNet, and two milliseconds for each term.

        Args:
            terms: distinct normalised words.
            resources: where HowNet and its tree are; without HowNet a word is similar to itself alone.
        """
        glossary = resources.path("hownet")
        if glossary is None:
            return cls(terms, {}, np.zeros((0, len(terms)), dtype=np.float32))
        hownet = HowNet(glossary, resources.path("hownet_tree"))
        index = ConceptIndex(hownet)
        matrix = np.zeros((len(index.words), len(terms)), dtype=np.float32)
        for column, term in enumerate(terms):
            if term in hownet.senses:
                matrix[:, column] = index.row(term)
        return cls(terms, {word: row for row, word in enumerate(index.words)}, matrix)

    def row(self, word: str) -> NDArray[np.float32]:
        """Sim of a normalised word with every term, shape ``(len(terms),)``."""
        if word in self._words:
            return np.asarray(self._matrix[self._words[word]])
        row = np.zeros(len(self.terms), dtype=np.float32)
        if word in self._column:
            row[self._column[word]] = 1.0
        return row

    def means(self, weights: Sequence[float] | None = None) -> Mapping[str, float]:
        """The mean similarity of every word to the terms; words that are similar to none are left out.

        Args:
            weights: of the terms, each >= 0, not all of them 0; None: all alike.

        >>> similarity = TermSimilarity(["内核", "进程"], {"核心": 0}, np.array([[0.8, 0.2]], dtype=np.float32))
        >>> {word: round(mean, 3) for word, mean in similarity.means().items()}
        {'核心': 0.5, '内核': 0.5, '进程': 0.5}
        """
        given = np.ones(len(self.terms)) if weights is None else np.asarray(weights, dtype=np.float64)
        shares = given / given.sum()
        held = (self._matrix @ shares.astype(np.float32)).tolist()
        means = {word: float(held[row]) for word, row in self._words.items() if held[row] > 0}
        means |= {term: float(shares[column]) for term, column in self._column.items() if term not in self._words}
        return means
