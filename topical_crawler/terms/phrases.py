"""Terms of several words: neighbours that stand together more often than chance would have it.

The measure is normalised pointwise mutual information (Bouma 2009), 0 for independent words, 1 for words that only occur
together; of three and four words the smallest over the places to cut. Branching entropy drops what is only a piece of something
longer, and parts of speech keep what is built like a noun phrase (Justeson & Katz 1995).

>>> documents = [["基层", "组织生活", "制度", "，", "基层", "党建"], ["天气", "很", "好"]] * 5
>>> [found.word for found in find_phrases(documents, min_count=5)]
['基层党建', '基层组织生活制度']
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from topical_crawler.language import language
from topical_crawler.terms.sequences import frequent_sequences
from topical_crawler.text import default_stopwords

MAX_WORDS = 4
MAX_LENGTH = 16
MIN_NPMI = 0.3
MIN_ENTROPY = 1.0
_INSIDE = ("n", "v", "a", "b", "j", "l", "i", "s", "eng", "m", "z")
_LAST = ("n", "vn", "an", "j", "l", "i", "s", "eng")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand together.

    Attributes:
        word: the words joined, at most :data:`MAX_LENGTH` characters.
        count: occurrences.
        npmi: normalised pointwise mutual information, in [-1, 1].
    """

    word: str
    count: int
    npmi: float


def find_phrases(documents: Iterable[Sequence[str]], min_count: int = 5, min_npmi: float = MIN_NPMI) -> list[Phrase]:
    """Phrases of 2 to :data:`MAX_WORDS` words, most frequent first.

    Words that cannot be part of a term (function words, stop words, punctuation, figures) are boundaries.

    Args:
        documents: segmented and normalised.
        min_count: occurrences, 2 or more.
        min_npmi: see :class:`Phrase`.
    """
    numbers: dict[str, int] = {}
    usable: dict[str, int] = {}
    text = array("i")
    for document in documents:
        for word in document:
            number = usable.get(word)
            if number is None:
                number = usable[word] = numbers.setdefault(word, len(numbers) + 1) if _is_usable(word) else 0
            text.append(number)
        text.append(0)
    words = ["", *numbers]
    symbols = np.frombuffer(text, dtype=np.int32) if text else np.zeros(0, np.int32)
    total = max(1, int(np.count_nonzero(symbols)))
    found: dict[str, Phrase] = {}
    for s in frequent_sequences(symbols, min_count, MAX_WORDS, 0.0):
        npmi = s.cohesion / np.maximum(np.log(total / s.counts), 1e-9)
        for i in np.flatnonzero((npmi >= min_npmi) & (s.entropy >= MIN_ENTROPY)).tolist():
            parts = [words[n] for n in symbols[s.places[i] : s.places[i] + s.length].tolist()]
            phrase = Phrase("".join(parts), int(s.counts[i]), float(npmi[i]))
            if _is_noun_phrase(parts) and phrase.count > (found[phrase.word].count if phrase.word in found else 0):
                found[phrase.word] = phrase
    return sorted(found.values(), key=lambda p: (-p.count, p.word))


def _is_usable(word: str) -> bool:
    tag = language().tag(word)
    return word.isalpha() and word not in default_stopwords() and (not tag or tag.startswith(_INSIDE))


def _is_noun_phrase(parts: Sequence[str]) -> bool:
    tag = language().tag(parts[-1])
    return sum(map(len, parts)) <= MAX_LENGTH and max(map(len, parts)) > 1 and (not tag or tag.startswith(_LAST))
