"""Word weights from a domain corpus (Eq. 2 of Zhou et al. 2019), and which candidate terms earn their place.

>>> domain = DomainStatistics()
>>> for text in (["党建", "工作"], ["党建", "党建", "支部"], ["天气"]):
...     domain.add(text)
>>> round(domain.weight("党建"), 3)  # 3 occurrences in 3 documents, in 2 of them: (3/3)·ln(3/2)
0.405
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass
class DomainStatistics:
    """Counts over a corpus of segmented documents.

    Attributes:
        documents: N, number of documents.
        occurrences: f_i, occurrences of each word in the whole corpus.
        spread: N_i, documents that hold the word.
    """

    documents: int = 0
    occurrences: Counter[str] = field(default_factory=Counter)
    spread: Counter[str] = field(default_factory=Counter)

    def add(self, words: Iterable[str]) -> None:
        """Count one document."""
        found = Counter(words)
        self.documents += 1
        self.occurrences.update(found)
        self.spread.update(found.keys())

    def weight(self, word: str) -> float:
        """Eq. 2: w_i = (f_i/N)·log(N/N_i), natural logarithm; 0 for a word that is not in the corpus or in every document."""
        n = self.spread[word]
        return self.occurrences[word] / self.documents * math.log(self.documents / n) if n else 0.0

    def rate(self, word: str) -> float:
        """Share of the documents that hold the word."""
        return self.spread[word] / self.documents if self.documents else 0.0


def contrast(domain: DomainStatistics, background: DomainStatistics, word: str) -> float:
    """How many times more often documents of the domain hold ``word`` than documents of the background do.

    One document is added to the background's count, so that a word it lacks has a finite value.
    """
    background_rate = (background.spread[word] + 1) / (background.documents + 1)
    return domain.rate(word) / background_rate


def choose_terms(
    candidates: Sequence[str], domain: DomainStatistics, background: DomainStatistics, min_contrast: float
) -> list[str]:
    """The candidates that the corpora do not speak against, heaviest first.

    A candidate stays when the domain holds it at least ``min_contrast`` times more often than the background, or when neither
    holds it at all (it then weighs the mean, Zhou et al. 2019, §5: a term may be newer than the corpus).
    """
    chosen = [
        c
        for c in dict.fromkeys(candidates)
        if not background.documents
        or contrast(domain, background, c) >= min_contrast
        or not (domain.spread[c] or background.spread[c])
    ]
    return sorted(chosen, key=lambda c: (-domain.weight(c), c))
