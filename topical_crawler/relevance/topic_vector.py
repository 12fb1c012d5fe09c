"""Texts against the topic's keywords, by the cosine of TF-IDF vectors: Eq. 1 of Chen & Zhu 2011."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from topical_crawler.relevance.shares import shares
from topical_crawler.relevance.tfidf import Idf, Vsm, keyword_vector
from topical_crawler.text import Segmenter, normalise
from topical_crawler.topic import Topic


class TopicVector:
    """sim(q, p) = Σ_{k∈q∩p} W_kq·W_kp / √(Σ_k W_kp² · Σ_k W_kq²) of a topic q and any text p.

    W_kp is the frequency of the word k in the text, times its IDF; W_kq has the weight of the topic term in place of a frequency.

    Args:
        terms: topic terms with their weights.
        segmenter: must know the terms.
        idf: of words in Chinese at large.

    >>> vector = TopicVector({"党建": 1.0, "支部": 1.0}, Segmenter(["党建", "支部"]), Idf.load())
    >>> vector.similarity("党建 支部") > vector.similarity("支部要闻") > vector.similarity("今日天气") == 0
    True
    """

    def __init__(self, terms: Mapping[str, float], segmenter: Segmenter, idf: Idf) -> None:
        self._segmenter = segmenter
        topic = keyword_vector(terms, idf)
        self._vsm = Vsm(topic, idf)
        self._terms = _any_of(topic)

    @classmethod
    def of(cls, topic: Topic, segmenter: Segmenter) -> TopicVector:
        """The vector of a topic, with the IDF of general Chinese."""
        return cls(topic.terms, segmenter, Idf.load())

    def similarity(self, text: str) -> float:
        """The cosine, from 0 for nothing in common to 1."""
        # Most texts around links hold nothing of the topic; to see that takes a tenth of cutting them into words.
        if not self._terms.search(normalise(text)):
            return 0.0
        return self._vsm.of(self._segmenter.content(text))

    def compare(self, text: str) -> tuple[float, dict[str, float]]:
        """The cosine, with the words that carry it and their shares of it, the most telling first, eight at most."""
        words = self._segmenter.content(text)
        return self._vsm.of(words), shares(self._vsm.parts(words))


def _any_of(terms: Iterable[str]) -> re.Pattern[str]:
    """Finds any of the terms in a normalised text. Grouped by their first character, so that few are tried at a place."""
    rests: dict[str, list[str]] = {}
    for term in sorted(terms):
        rests.setdefault(term[0], []).append(re.escape(term[1:]))
    return re.compile("|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items()))
