"""Statistics of words: general Chinese as jieba's data have it, TF-IDF vectors, and weights from a domain corpus.

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
    """A dictionary of the language."""

    tags: Mapping[str, str]  # part of speech by normalised word, in jieba's tags (n, nr, v, vn, …); 349,000 words
    rates: Mapping[str, float]  # share of the documents of a general corpus that hold the word, in (0, 1]; 270,000 words
    documents: int  # documents of that corpus

    def tag(self, word: str) -> str:
        """Part of speech; empty for a word that the dictionary lacks."""
        return self.tags.get(word, "")

    def rate(self, word: str) -> float:
        """Share of documents that hold the word; 0 where that is not known."""
        return self.rates.get(word, 0.0)


@functools.cache
def language() -> Language:
    """The data that come with jieba (``dict.txt``, ``analyse/idf.txt``), read once. An IDF is ln(documents / documents with the
    word): the greatest, that of words of one document, gives the number of documents."""
    tags: dict[str, str] = {}
    fields = normalise(jieba_file("dict.txt")).split()
    for word, tag in zip(fields[::3], fields[2::3], strict=True):
        tags.setdefault(word, tag)
    words, idfs = _idfs()
    rates = {word: math.exp(-idf) for word, idf in zip(words, idfs, strict=True)}
    return Language(tags, rates, round(math.exp(max(idfs))))


@functools.lru_cache(maxsize=16)
def rarities(wanted: frozenset[str]) -> Mapping[str, float]:
    """How rare words are in general Chinese: their IDF over the greatest one; 1 for an unknown word. Needs less memory than
    :func:`language`, which knows all words.

    >>> rarity = rarities(frozenset(["中国", "支部", "三会一课"]))
    >>> rarity["中国"] < rarity["支部"] < rarity["三会一课"] == 1
    True
    """
    words, idfs = _lines()
    greatest = max(map(float, set(idfs)))  # every crawl waits for this when it starts: 3,000 of 270,000 are different
    known = {word: float(idf) for word, idf in zip(words, idfs, strict=True) if word in wanted}
    return {word: known[word] / greatest if word in known else 1.0 for word in wanted}


def _idfs() -> tuple[list[str], list[float]]:
    """Words and their IDF as numbers."""
    words, idfs = _lines()
    return words, list(map(float, idfs))


def _lines() -> tuple[list[str], list[str]]:
    """Words, none twice and all normalised as they come, and their IDF."""
    fields = jieba_file("analyse/idf.txt").split()
    return fields[::2], fields[1::2]


# -- TF-IDF: texts as vectors of terms, and their cosine (VSM)


class Idf:
    """Inverse document frequencies (> 0) of normalised words; others count their ``median``. Raises ValueError for none."""

    def __init__(self, values: Mapping[str, float]) -> None:
        if not values:
            raise ValueError("no word has an inverse document frequency; give at least one")
        self.median = statistics.median(values.values())
        self._get = dict(values).get

    @classmethod
    @functools.cache
    def load(cls) -> Idf:
        """Those of general Chinese that come with jieba: 270,000 words, 0.6 (的) to 14; read once in a process.

        >>> idf = Idf.load()
        >>> round(idf.of("机器学习"), 2) == round(idf.median, 2), idf.of("我们") < idf.of("神经网络")
        (True, True)
        """
        return cls(dict(zip(*_idfs(), strict=True)))

    def of(self, word: str) -> float:
        """IDF of a normalised word; the median where the word is not known."""
        return self._get(word, self.median)


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
    """Relevance of a text by the vector space model: the cosine of its TF-IDF vector and that of the ``topic``, of term → weight
    (> 0); 0 to 1.

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
    spread: Counter[str] = field(default_factory=Counter)  # N_i, documents that hold the word

    def add(self, words: Iterable[str]) -> None:
        """Count one document."""
        counts = Counter(words)
        self.documents += 1
        self.occurrences.update(counts)
        self.spread.update(counts.keys())

    def weight(self, word: str) -> float:
        """Eq. 2: w_i = (f_i/N)·log(N/N_i), natural logarithm; 0 for a word that is not in the corpus or in every document."""
        n = self.spread[word]
        return self.occurrences[word] / self.documents * math.log(self.documents / n) if n else 0.0

    def rate(self, word: str) -> float:
        """Share of the documents that hold the word."""
        return self.spread[word] / self.documents if self.documents else 0.0


def log_likelihood(count: int, total: int, other: int, size: int) -> float:
    """How surprising ``count`` of ``total`` is beside ``other`` of ``size``: G² = 2·Σ observed·ln(observed / expected), 0 or more
    (Dunning 1993, as Rayson & Garside 2000 use it to compare corpora).

    >>> log_likelihood(10, 1000, 10, 1000), round(log_likelihood(20, 1000, 10, 10000), 1)
    (0.0, 59.6)
    """
    share = (count + other) / (total + size)
    parts = ((count, total * share), (other, size * share))
    return 2 * math.fsum(seen * math.log(seen / expected) for seen, expected in parts if seen)


def contrast(domain: WordStatistics, background: WordStatistics, word: str) -> float:
    """How many times more often documents of the domain hold ``word`` than documents of the background do.

    One document is added to the background's count, so that a word it lacks has a finite value.
    """
    return domain.rate(word) / ((background.spread[word] + 1) / (background.documents + 1))


def choose_terms(candidates: Sequence[str], domain: WordStatistics, background: WordStatistics, min_contrast: float) -> list[str]:
    """The candidates that the domain holds at least ``min_contrast`` times more often than the background, or that neither holds
    (they then weigh the mean, Zhou et al. 2019, §5: a term may be newer than the corpus), heaviest first."""
    chosen = [
        c
        for c in dict.fromkeys(candidates)
        if not background.documents
        or contrast(domain, background, c) >= min_contrast
        or not (domain.spread[c] or background.spread[c])
    ]
    return sorted(chosen, key=lambda c: (-domain.weight(c), c))
