"""New words of a corpus, found without a dictionary: strings whose characters stick together and whose surroundings vary.

Cohesion is pointwise mutual information, the smallest over all ways to cut the string in two (Church & Hanks 1990); how freely it
is surrounded is its branching entropy, the smaller of left and right (Jin & Tanaka-Ishii 2006). Both are needed: 色社会主
coheres, but always stands between the same characters; 了一个 varies on both sides, but falls apart.

>>> texts = ["支部开展三会一课。", "落实三会一课制度", "三会一课要常态化，", "坚持三会一课"] * 5
>>> [found.word for found in discover(texts, min_count=10, min_cohesion=1.0)]
['三会一课']
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topical_crawler.terms.sequences import frequent_sequences

MAX_LENGTH = 8
MIN_COHESION = 3.0
MIN_ENTROPY = 1.0


@dataclass(frozen=True, slots=True)
class NewWord:
    """A string of Chinese characters that behaves like a word.

    Attributes:
        word: 2 to :data:`MAX_LENGTH` characters.
        count: occurrences.
        cohesion: in nats; at most ln(characters of the corpus / count).
        entropy: in nats; at most ln(count).
    """

    word: str
    count: int
    cohesion: float
    entropy: float


def discover(
    texts: Iterable[str],
    min_count: int = 5,
    max_length: int = MAX_LENGTH,
    min_cohesion: float = MIN_COHESION,
    min_entropy: float = MIN_ENTROPY,
) -> list[NewWord]:
    """Strings of 2 to ``max_length`` characters that are words by their statistics, most frequent first.

    They hold nothing but Chinese characters: punctuation, digits, Latin letters and the ends of texts are boundaries.
    Whether a word is worth anything is not asked: 我们要 is found, too.

    Args:
        texts: normalised.
        min_count: occurrences, 2 or more.
        max_length: characters, 2 or more.
        min_cohesion: see :class:`NewWord`; 3.0: twenty times as often as by chance. A few hundred characters do not reach it.
        min_entropy: see :class:`NewWord`; 1.0 is that of not quite three equally frequent neighbours.
    """
    codes = np.frombuffer("\n".join(texts).encode("utf-32-le"), dtype=np.int32)
    codes = np.where(_is_han(codes), codes, 0)
    found: list[NewWord] = []
    for s in frequent_sequences(codes, min_count, max_length, min_cohesion):
        for i in np.flatnonzero(s.entropy >= min_entropy).tolist():
            word = codes[s.places[i] : s.places[i] + s.length].tobytes().decode("utf-32-le")
            found.append(NewWord(word, int(s.counts[i]), float(s.cohesion[i]), float(s.entropy[i])))
    return sorted(found, key=lambda w: (-w.count, w.word))


def _is_han(codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether characters are Chinese: the unified ideographs with their extensions."""
    return np.asarray(
        (codes >= 0x4E00) & (codes <= 0x9FFF) | (codes >= 0x3400) & (codes <= 0x4DBF) | (codes >= 0x20000) & (codes <= 0x323AF)
    )
