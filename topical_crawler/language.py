"""What jieba's data say about the Chinese language in general: its words, their parts of speech, in how many documents.

>>> language().tag("支部"), language().tag("三会一课")
('n', '')
>>> language().rate("中国") > language().rate("支部") > language().rate("三会一课") == 0
True
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from topical_crawler.lexicon_data import jieba_file
from topical_crawler.text import normalise


@dataclass(frozen=True)
class Language:
    """A dictionary of the language.

    Attributes:
        tags: part of speech by normalised word, in jieba's tags (n, nr, v, vn, …); 349,000 words.
        rates: share of the documents of a general corpus that hold the word, in (0, 1]; 270,000 words.
        documents: documents of that corpus.
    """

    tags: Mapping[str, str]
    rates: Mapping[str, float]
    documents: int

    def tag(self, word: str) -> str:
        """Part of speech; empty for a word that the dictionary lacks."""
        return self.tags.get(word, "")

    def rate(self, word: str) -> float:
        """Share of documents that hold the word; 0 where that is not known."""
        return self.rates.get(word, 0.0)


@functools.cache
def language() -> Language:
    """The data that come with jieba (``dict.txt``, ``analyse/idf.txt``), read once.

    An inverse document frequency is ln(documents / documents with the word): the greatest, that of words of one document,
    tells how many documents there were.
    """
    tags: dict[str, str] = {}
    for line in _lines("dict.txt"):
        word, _, tag = line.split(" ")
        tags.setdefault(normalise(word), tag)
    rates: dict[str, float] = {}
    greatest = 0.0
    for line in _lines("analyse/idf.txt"):
        word, _, idf = line.rpartition(" ")
        rates[normalise(word)] = math.exp(-float(idf))
        greatest = max(greatest, float(idf))
    return Language(tags, rates, round(math.exp(greatest)))


_NORMAL = re.compile("[\u4e00-\u9fff]+").fullmatch
"""Of words that are normalised as they stand: nearly all."""


@functools.lru_cache(maxsize=16)
def rarities(wanted: frozenset[str]) -> Mapping[str, float]:
    """How rare words are in the language in general: ln(documents / documents with the word), a word of a single document being
    1; likewise one that is not known. Keeps less in memory than :func:`language`, which knows all words.

    >>> found = rarities(frozenset(["中国", "支部", "三会一课"]))
    >>> found["中国"] < found["支部"] < found["三会一课"] == 1
    True
    """
    found: dict[str, float] = {}
    given: set[str] = set()
    for line in _lines("analyse/idf.txt"):
        word, _, idf = line.rpartition(" ")
        given.add(idf)
        if word in wanted or (not word.isascii() and not _NORMAL(word) and (word := normalise(word)) in wanted):
            found.setdefault(word, float(idf))
    greatest = max(map(float, given))
    return {word: found[word] / greatest if word in found else 1.0 for word in wanted}


def _lines(name: str) -> list[str]:
    return jieba_file(name).splitlines()
