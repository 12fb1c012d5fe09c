"""SSRM, the semantic similarity retrieval model (Varelas et al. 2005; a baseline of Sun et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from topical_crawler.relevance.term_similarity import TermSimilarity
from topical_crawler.relevance.tfidf import Idf, term_vector


class Ssrm:
    """Relevance = Σ_i Σ_j q_i·d_j·Sim(i, j) / Σ_i Σ_j q_i·d_j, from 0 to 1.

    It is the mean similarity of the text's terms to the topic's, both weighed by TF-IDF: how often a text says the topic's own
    words counts for little among many words that are faintly similar.

    Args:
        topic: term → weight q (> 0).
        similarity: of words to these terms.
        idf: weighs the words of texts.

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
        """The relevance of content words with their repetitions; 0 for none."""
        vector = term_vector(words, self._idf)
        total = fsum(vector.values())
        return min(fsum(self.parts(words).values()) / total, 1.0) if total else 0.0

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        """What each distinct word adds to the upper sum, up to a factor; words that add nothing are left out."""
        vector = term_vector(words, self._idf)
        return {word: weight * self._means[word] for word, weight in vector.items() if word in self._means}
