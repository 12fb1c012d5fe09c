"""Whether people who judge the same texts give the same marks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

from topical_crawler.judging.sample import RELEVANT, Item, Sample


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two people's marks of the texts that both have judged.

    Attributes:
        first, second: numbers of the two, from 0.
        texts: judged by both.
        same: share of them with the same mark; nan for no texts.
        kappa: Cohen's κ of the marks: 1 for the same everywhere, 0 for as much agreement as chance would bring; nan where
            chance alone explains all, because both gave one mark only.
        kappa_relevant: the same of relevant or not, irrelevant and boilerplate taken together.
        disputed: keys of the texts with different marks, in the order of the sample.
    """

    first: int
    second: int
    texts: int
    same: float
    kappa: float
    kappa_relevant: float
    disputed: tuple[str, ...]


def agreements(samples: Sequence[Sample]) -> list[Agreement]:
    """Of every two of the samples, which are copies of one (see :func:`~topical_crawler.judging.sample.merged`)."""
    return [_pair(i, j, samples[i], samples[j]) for i, j in combinations(range(len(samples)), 2)]


def cohen(pairs: Sequence[tuple[Hashable, Hashable]]) -> float:
    """κ of two people's marks (Cohen 1960); nan where it is not defined.

    >>> pairs = [("党建", "党建")] * 20 + [("党建", "其他")] * 5 + [("其他", "党建")] * 10 + [("其他", "其他")] * 15
    >>> round(cohen(pairs), 3)
    0.4
    """
    if not pairs:
        return math.nan
    size = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    same = sum(a == b for a, b in pairs) / size
    chance = sum(first[mark] * second[mark] for mark in first) / size**2
    return (same - chance) / (1 - chance) if chance < 1 else math.nan


def krippendorff(texts: Sequence[Sequence[Hashable]]) -> float:
    """α of any number of people's marks (Krippendorff 2004, nominal): 1 - observed / expected disagreement; nan where it is not
    defined.

    Args:
        texts: for each the marks that it was given, in any order; those with fewer than two do not count.

    >>> round(krippendorff([["党建", "党建"], ["党建", "其他"], ["其他", "其他"], ["其他"]]), 3)
    0.444
    """
    several = [Counter(marks) for marks in texts if len(marks) > 1]
    totals = sum(several, Counter())
    size = totals.total()
    expected = size**2 - sum(count**2 for count in totals.values())
    if not expected:
        return math.nan
    observed = sum((c.total() ** 2 - sum(n**2 for n in c.values())) / (c.total() - 1) for c in several)
    return 1 - (size - 1) * observed / expected


def marks_by_text(samples: Sequence[Sample]) -> list[list[str]]:
    """The marks of every text of copies of one sample, for :func:`krippendorff`."""
    found: dict[str, list[str]] = {item.key: [] for item in samples[0].items}
    for sample in samples:
        for item in sample.items:
            if item.mark is not None:
                found[item.key].append(item.mark)
    return list(found.values())


def _pair(i: int, j: int, first: Sample, second: Sample) -> Agreement:
    others = {item.key: item for item in second.items}
    pairs: list[tuple[Item, Item]] = [
        (item, others[item.key]) for item in first.items if item.mark is not None and others[item.key].mark is not None
    ]
    disputed = tuple(a.key for a, b in pairs if a.mark != b.mark)
    return Agreement(
        first=i,
        second=j,
        texts=len(pairs),
        same=1 - len(disputed) / len(pairs) if pairs else math.nan,
        kappa=cohen([(a.mark, b.mark) for a, b in pairs]),
        kappa_relevant=cohen([(a.mark == RELEVANT, b.mark == RELEVANT) for a, b in pairs]),
        disputed=disputed,
    )
