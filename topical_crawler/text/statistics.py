"""Word statistics: general Chinese from jieba's data, TF-IDF vectors, and weights from a domain corpus.

>>> language().tag("支部"), language().tag("三会一课")
('n', '')
>>> language().rate("中国") > language().rate("支部") > language().rate("三会一课") == 0
True
>>> domain = WordStatistics()
>>> for text in (["党建", "工作"], ["党建", "党建", "支部"], ["天气"]):
...     domain.add(text)
>>> round(domain.weight("党建"), 3)  # 3 occurrences in 3 documents, in 2 of them: (3/3)·ln(3/2)
0.405
"""

from __future__ import annotations

import functools
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt

from topical_crawler.package_data import jieba_file
from topical_crawler.text.segment import normalise


@dataclass(frozen=True)
class Language:
    """Dictionary of the language."""

    tags: Mapping[str, str]  # part of speech by normalised word, in jieba's tags (n, nr, v, vn, …), 349,000 words
    rates: Mapping[str, float]  # share of documents of a general corpus with the word, in (0, 1], 270,000 words
    documents: int  # number of documents in that corpus

    def tag(self, word: str) -> str:
        """Return the part of speech, "" for a word missing in the dictionary."""
        return self.tags.get(word, "")

    def rate(self, word: str) -> float:
        """Return the share of documents with the word, 0 if unknown."""
        return self.rates.get(word, 0.0)


@functools.cache
def language() -> Language:
    """Return jieba's data (``dict.txt``, ``analyse/idf.txt``), read once.

    An IDF is ln(documents / documents with the word). The greatest IDF belongs to words of a single document, and so gives the
    number of documents.
    """
    tags: dict[str, str] = {}
    fields = normalise(jieba_file("dict.txt")).split()
    for word, tag in zip(fields[::3], fields[2::3], strict=True):
        tags.setdefault(word, tag)
    words, idfs = _idfs()
    rates = {word: math.exp(-idf) for word, idf in zip(words, idfs, strict=True)}
    return Language(tags, rates, round(math.exp(max(idfs))))


@functools.lru_cache(maxsize=16)
def rarities(wanted: frozenset[str]) -> Mapping[str, float]:
    """Return the rarity of words in general Chinese: their IDF over the greatest one, 1 for an unknown word.

    Needs less memory than :func:`language`, with its full dictionary.

    >>> rarity = rarities(frozenset(["中国", "支部", "三会一课"]))
    >>> rarity["中国"] < rarity["支部"] < rarity["三会一课"] == 1
    True
    """
    words, idfs = _lines()
    greatest = max(map(float, set(idfs)))  # fast start of every crawl: only 3,000 of 270,000 are distinct
    known = {word: float(idf) for word, idf in zip(words, idfs, strict=True) if word in wanted}
    return {word: known[word] / greatest if word in known else 1.0 for word in wanted}


def _idfs() -> tuple[list[str], list[float]]:
    """Return the words and their IDF as numbers."""
    words, idfs = _lines()
    return words, list(map(float, idfs))


def _lines() -> tuple[list[str], list[str]]:
    """Return distinct words, already normalised, and their IDF as text."""
    fields = jieba_file("analyse/idf.txt").split()
    return fields[::2], fields[1::2]


# -- TF-IDF: texts as vectors of terms, and their cosine (VSM)


class Idf:
    """Inverse document frequencies (> 0) of normalised words. Unknown words get the ``median``.

    Raises:
        ValueError: there are no values.
    """

    def __init__(self, values: Mapping[str, float]) -> None:
        if not values:
            raise ValueError("no word has an inverse document frequency. Pass at least one")
        self.median = statistics.median(values.values())
        self._get = dict(values).get

    @classmethod
    @functools.cache
    def load(cls) -> Idf:
        """Return the IDF of general Chinese from jieba: 270,000 words, 0.6 (的) to 14. Reads it once per process.

        >>> idf = Idf.load()
        >>> round(idf.of("机器学习"), 2) == round(idf.median, 2), idf.of("我们") < idf.of("神经网络")
        (True, True)
        """
        return cls(dict(zip(*_idfs(), strict=True)))

    def of(self, word: str) -> float:
        """Return the IDF of a normalised word, the median if unknown."""
        return self._get(word, self.median)


def term_vector(words: Sequence[str], idf: Idf) -> dict[str, float]:
    """Return a text as a vector: term → tf·idf, with tf as the term's share of ``words``. {} for no words.

    >>> term_vector(["内核", "进程", "内核"], Idf({"内核": 3.0, "进程": 6.0}))
    {'内核': 2.0, '进程': 2.0}
    """
    return {word: count / len(words) * idf.of(word) for word, count in Counter(words).items()}


KEYWORDS = 200
"""Number of terms in a topic's vector, as many as in a topic model of 10 sub-topics with 20 words each (Sun et al. 2018). With
ten times as many terms, cosines become so small that one threshold cannot serve both."""


def keyword_vector(terms: Mapping[str, float], idf: Idf, most: int = KEYWORDS) -> dict[str, float]:
    """Return a topic as a vector: its heaviest terms, with their weights in place of frequencies.

    >>> keyword_vector({"系统": 0.1, "内核": 0.5}, Idf({"系统": 1.0, "内核": 3.0}), most=1)
    {'内核': 1.5}
    """
    heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:most]
    return {term: terms[term] * idf.of(term) for term in heaviest}


def norm(values: Sequence[float]) -> float:
    """Return the length of a vector, independent of the order of summation."""
    return sqrt(fsum(v * v for v in values))


class Vsm:
    """Relevance of a text by the vector space model: the cosine of its TF-IDF vector and that of the topic, 0 to 1.

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
        """Return the relevance of content words with their repetitions, 0 for none."""
        vector = term_vector(words, self._idf)
        product = fsum(weight * self._topic[word] for word, weight in vector.items() if word in self._topic)
        return min(product / (norm(list(vector.values())) * self._norm), 1.0) if product else 0.0

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        """Return the contribution of each distinct word to the product of the two vectors, without words contributing nothing."""
        return {w: x * self._topic[w] for w, x in term_vector(words, self._idf).items() if w in self._topic}


# -- Word weights from a domain corpus (Eq. 2 of Zhou et al. 2019), and the choice of terms


@dataclass
class WordStatistics:
    """Counts over a corpus of segmented documents.

    >>> counts = WordStatistics()
    >>> for words in (["支部", "党课", "支部"], ["支部", "会议"]):
    ...     counts.add(words)
    >>> counts.occurrences["支部"], counts.spread["支部"], counts.documents
    (3, 2, 2)
    """

    documents: int = 0  # N, number of documents
    occurrences: Counter[str] = field(default_factory=Counter)  # f_i, occurrences of each word in the whole corpus
    spread: Counter[str] = field(default_factory=Counter)  # N_i, number of documents with the word

    def add(self, words: Iterable[str]) -> None:
        """Count one document."""
        counts = Counter(words)
        self.documents += 1
        self.occurrences.update(counts)
        self.spread.update(counts.keys())

    def weight(self, word: str) -> float:
        """Return Eq. 2: w_i = (f_i/N)·log(N/N_i), natural logarithm. 0 for a word in no document or in every one."""
        n = self.spread[word]
        return self.occurrences[word] / self.documents * math.log(self.documents / n) if n else 0.0

    def rate(self, word: str) -> float:
        """Return the share of documents with the word."""
        return self.spread[word] / self.documents if self.documents else 0.0


def log_likelihood(count: int, total: int, other: int, size: int) -> float:
    """Return the surprise of ``count`` of ``total`` beside ``other`` of ``size``: G² = 2·Σ observed·ln(observed / expected), 0
    or more (Dunning 1993, used by Rayson & Garside 2000 to compare corpora).

    >>> log_likelihood(10, 1000, 10, 1000), round(log_likelihood(20, 1000, 10, 10000), 1)
    (0.0, 59.6)
    """
    share = (count + other) / (total + size)
    parts = ((count, total * share), (other, size * share))
    return 2 * math.fsum(seen * math.log(seen / expected) for seen, expected in parts if seen)


def contrast(domain: WordStatistics, background: WordStatistics, word: str) -> float:
    """Return the ratio of the share of documents with ``word`` in the domain to that in the background.

    Adds one document to the background's count, for a finite value even if the background lacks the word.
    """
    return domain.rate(word) / ((background.spread[word] + 1) / (background.documents + 1))


def choose_terms(candidates: Sequence[str], domain: WordStatistics, background: WordStatistics, min_contrast: float) -> list[str]:
    """Return the candidates at least ``min_contrast`` times as frequent in the domain as in the background, heaviest first.

    Also returns candidates missing in both, weighing the mean (Zhou et al. 2019, §5: a term may be newer than the corpus).
    """
    chosen = [
        c
        for c in dict.fromkeys(candidates)
        if not background.documents
        or contrast(domain, background, c) >= min_contrast
        or not (domain.spread[c] or background.spread[c])
    ]
    return sorted(chosen, key=lambda c: (-domain.weight(c), c))
