"""TF-IDF: how telling a word is in Chinese at large, texts as vectors of terms, and the cosine of two of them (VSM)."""

from __future__ import annotations

import functools
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from math import fsum, sqrt

from topical_crawler.text import normalise


class Idf:
    """Inverse document frequencies of words.

    Args:
        values: IDF (> 0) by normalised word.

    Attributes:
        median: of the values: what a word counts that is not among them.

    Raises:
        ValueError: there is no value.
    """

    def __init__(self, values: Mapping[str, float]) -> None:
        if not values:
            raise ValueError("no word has an inverse document frequency; give at least one")
        self.median = statistics.median(values.values())
        self._get = dict(values).get

    @classmethod
    def load(cls) -> Idf:
        """Those of general Chinese that come with jieba: 270,000 words, 0.6 (的) to 14; read once in a process.

        >>> idf = Idf.load()
        >>> round(idf.of("机器学习"), 2) == round(idf.median, 2), idf.of("我们") < idf.of("神经网络")
        (True, True)
        """
        return _general()

    def of(self, word: str) -> float:
        """IDF of a normalised word; the median where the word is not known."""
        return self._get(word, self.median)


@functools.cache
def _general() -> Idf:
    text = normalise(files("jieba").joinpath("analyse/idf.txt").read_text(encoding="utf-8"))
    values: dict[str, float] = {}
    for line in text.splitlines():
        word, _, value = line.rpartition(" ")
        values.setdefault(word, float(value))
    return Idf(values)


def term_vector(words: Sequence[str], idf: Idf) -> dict[str, float]:
    """A text as a vector: term → tf·idf, tf the term's share of ``words``; {} for no words.

    >>> term_vector(["内核", "进程", "内核"], Idf({"内核": 3.0, "进程": 6.0}))
    {'内核': 2.0, '进程': 2.0}
    """
    return {word: count / len(words) * idf.of(word) for word, count in Counter(words).items()}


KEYWORDS = 200
"""Terms of a topic's vector: as many as a topic model of 10 sub-topics with 20 words each has (Sun et al. 2018). A cosine with
ten times as many is so small that a threshold for the one says nothing of the other."""


def keyword_vector(terms: Mapping[str, float], idf: Idf, most: int = KEYWORDS) -> dict[str, float]:
    """A topic as a vector: the heaviest of its terms, their weights in place of their frequencies.

    >>> keyword_vector({"系统": 0.1, "内核": 0.5}, Idf({"系统": 1.0, "内核": 3.0}), most=1)
    {'内核': 1.5}
    """
    heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:most]
    return {term: terms[term] * idf.of(term) for term in heaviest}


def norm(values: Sequence[float]) -> float:
    """Length of a vector. The sum does not depend on the order."""
    return sqrt(fsum(v * v for v in values))


class Vsm:
    """Relevance of a text by the vector space model: the cosine of its TF-IDF vector and the topic's, 0 to 1.

    Args:
        topic: term → weight (> 0).
        idf: weighs the words of texts.

    >>> vsm = Vsm({"内核": 3.0, "进程": 4.0}, Idf({"内核": 1.0, "进程": 1.0, "天气": 1.0}))
    >>> vsm.of(["进程"]), vsm.of(["天气"]), round(vsm.of(["内核", "进程", "天气"]), 3)
    (0.8, 0.0, 0.808)
    """

    def __init__(self, topic: Mapping[str, float], idf: Idf) -> None:
        self._topic = dict(topic)
        self._norm = norm(list(self._topic.values()))
        self._idf = idf

    def of(self, words: Sequence[str]) -> float:
        """The relevance of content words with their repetitions; 0 for none."""
        vector = term_vector(words, self._idf)
        product = fsum(weight * self._topic[word] for word, weight in vector.items() if word in self._topic)
        return min(product / (norm(list(vector.values())) * self._norm), 1.0) if product else 0.0

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        """What each distinct word adds to the product of the two vectors; words that add nothing are left out."""
        return {w: x * self._topic[w] for w, x in term_vector(words, self._idf).items() if w in self._topic}
