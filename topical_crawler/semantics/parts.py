"""Vectors of words that have none, from the words and characters that they are made of."""

from __future__ import annotations

from collections.abc import Container, Iterable

import numpy as np
from numpy.typing import NDArray

from topical_crawler.semantics.vectors import WordVectors
from topical_crawler.text import normalise


def parts(word: str, known: Container[str]) -> list[str]:
    """Cut a word into the fewest known parts; of equally few, with the longest last one, the head of a Chinese compound.

    Letters and digits are not cut from their like. The word itself is no part of it. [] where there is no way.

    >>> parts("基层党组织", {"基层", "党", "组织", "党组", "织"}), parts("abc", {"a", "b", "c"}), parts("党课", {"党"})
    (['基层', '党', '组织'], [], [])
    """
    best: list[list[str] | None] = [[], *([None] * len(word))]
    for end in range(1, len(word) + 1):
        for start in range(end):
            before, part = best[start], word[start:end]
            if before is None or part == word or part not in known or _within_latin(word, start):
                continue
            found = best[end]
            if found is None or len(before) + 1 < len(found):
                best[end] = [*before, part]
    return best[len(word)] or []


def _within_latin(word: str, place: int) -> bool:
    return place > 0 and all(c.isascii() and c.isalnum() for c in word[place - 1 : place + 1])


class ComposingVectors(WordVectors):
    """Vectors that make one for a word that has none: the direction of the sum over its :func:`parts` (Mitchell & Lapata 2010).

    ``in`` also holds for such words; ``words``, ``rows``, ``matrix`` and ``len`` are of those that have their own.

    >>> vectors = ComposingVectors(["支部", "书记"], np.array([[1, 0], [0, 1]], dtype=np.float32))
    >>> round(vectors.similarity("支部书记", "书记"), 4), "支部书记" in vectors
    (0.7071, True)
    """

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.vector(word) is not None

    def vector(self, word: str) -> NDArray[np.float64] | None:
        own = super().vector(word)
        if own is not None:
            return own
        found = parts(normalise(word), self.rows)
        if not found:
            return None
        total = self.matrix[[self.rows[part] for part in found]].sum(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(total))
        return total / length if length > 1e-6 else None

    def made_for(self, words: Iterable[str]) -> WordVectors:
        made = {}
        for word in map(normalise, words):
            if word not in self.rows and word not in made and (vector := self.vector(word)) is not None:
                made[word] = vector
        return WordVectors(list(made), np.array(list(made.values()), dtype=np.float32).reshape(len(made), self.dimensions))
