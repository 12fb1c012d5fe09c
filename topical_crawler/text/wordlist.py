"""Word lists of a collection of texts: keywords against a reference, and collocates of a word."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from topical_crawler.package_data import jieba_file
from topical_crawler.text.segment import normalise
from topical_crawler.text.statistics import WordStatistics, log_likelihood


class Key(NamedTuple):
    """Word more frequent in a corpus than in its reference."""

    word: str
    occurrences: int  # in the corpus
    texts: int  # number of texts of the corpus with it
    per_million: float  # in the corpus
    reference: float  # per million words of the reference
    keyness: float  # log-likelihood. 10.83 is significant at 0.001
    ratio: float  # binary logarithm of the ratio of the two frequencies. A word missing in the reference counts as 0.5


def keyness(counts: WordStatistics, reference: Counter[str], least: int = 3) -> list[Key]:
    """Return the words with at least ``least`` occurrences and a higher frequency than in ``reference``, by falling
    log-likelihood (Dunning 1993, in the form of Rayson and Garside 2000).

    >>> counts = WordStatistics()
    >>> counts.add(["支部"] * 8 + ["今天"] * 2)
    >>> [key.word for key in keyness(counts, Counter({"支部": 1, "今天": 300, "的": 699}), least=2)]
    ['支部']
    """
    found = []
    total, size = counts.occurrences.total(), max(1, reference.total())
    for word, count in counts.occurrences.items():
        if count < least:
            continue
        other = reference.get(word, 0)
        if count * size > other * total:
            value = log_likelihood(count, total, other, size)
            ratio = math.log2((count / total) / ((other or 0.5) / size))
            per_million = 1e6 * count / total
            found.append(Key(word, count, counts.spread[word], per_million, 1e6 * other / size, value, ratio))
    return sorted(found, key=lambda key: (-key.keyness, key.word))


class Collocate(NamedTuple):
    """Word occurring near another."""

    word: str
    together: int  # occurrences near the other
    occurrences: int  # all occurrences
    log_dice: float  # at most 14, whatever the size of the corpus (Rychlý 2008)
    likelihood: float  # log-likelihood against the rest of the texts


def collocates(
    texts: Iterable[Sequence[str]], node: str, span: int = 5, least: int = 3, words: frozenset[str] | None = None
) -> list[Collocate]:
    """Return the words within ``span`` words of ``node``, by falling logDice.

    Args:
        texts: words of each text, in order.
        node: a word as cut by the segmenter.
        span: words on either side, 1 or more.
        least: least number of occurrences near it.
        words: words to consider. None: all.

    >>> texts = [["支部", "书记", "讲", "党课"], ["支部", "书记", "到场"], ["书记", "发言"]]
    >>> [(c.word, c.together, round(c.log_dice, 1)) for c in collocates(texts, "支部", least=2)]
    [('书记', 2, 13.7)]
    """
    near: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    total = window = 0
    for text in texts:
        counts.update(text)
        total += len(text)
        places = {
            place
            for at, word in enumerate(text)
            if word == node
            for place in range(max(0, at - span), min(len(text), at + span + 1))
            if text[place] != node
        }
        window += len(places)
        near.update(text[place] for place in places)
    found = []
    for word, together in near.items():
        if together >= least and (words is None or word in words):
            dice = 14 + math.log2(2 * together / (counts[node] + counts[word]))
            rest = total - window
            likelihood = log_likelihood(together, window, counts[word] - together, rest) if rest else 0.0
            found.append(Collocate(word, together, counts[word], min(14.0, dice), likelihood))
    return sorted(found, key=lambda c: (-c.log_dice, c.word))


def dictionary_counts() -> Iterator[tuple[str, int]]:
    """Yield the words of jieba's dictionary, normalised, with their counts in general Chinese.

    >>> counts = dict(dictionary_counts())
    >>> counts["支部"] < counts["中国"]
    True
    """
    for line in re.finditer(r"^(\S+) (\d+) ", normalise(jieba_file("dict.txt")), re.MULTILINE):
        yield line[1], int(line[2])


def general_chinese(words: Collection[str]) -> Counter[str]:
    """Return the counts of ``words`` in general Chinese, from jieba's dictionary. All others are counted under "".

    The whole dictionary would take 70 MB.

    >>> counts = general_chinese({"支部", "中国"})
    >>> counts["支部"] < counts["中国"] < counts[""]
    True
    """
    counts = Counter[str]()
    for word, count in dictionary_counts():
        counts[word if word in words else ""] += count
    return counts
