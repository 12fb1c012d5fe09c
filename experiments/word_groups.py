"""Groups of synonyms and of other words, and how well Algorithm 1 tells them apart (Table 5).

The paper's 420 groups are not published. Ours are drawn from Cilin by a seed, with word frequencies from jieba's dictionary:

* Words that count: of two or more characters (the crawler compares no others), in an ``=`` group of Cilin, and at least
  ``min_frequency`` times in the dictionary's corpus.
* Synonyms: the ``=`` groups with two such words, in a random order; of each two words, none drawn before.
* Not synonyms, one pair for each of those: its first word again, and in place of the second a word like it in frequency (one of
  the ten nearest that are left, at random), of another top-level class ("far"), or ("near") of the same middle class and no small
  class in common. So both halves have the same words to the left and the same frequencies to the right.
"""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from experiments.sampling import Interval
from experiments.word_pairs import Bools, Floats, Similarities, spearman
from topical_crawler.judging.report import wilson
from topical_crawler.package_data import jieba_file
from topical_crawler.resources.cilin import Cilin
from topical_crawler.strategies.semantic.similarity import SimilarityParameters
from topical_crawler.text.segment import normalise

Negatives = Literal["far", "near"]

PRINTED = {
    (0.1, 0.1): 0.79, (0.2, 0.1): 0.72, (0.3, 0.1): 0.61,
    (0.1, 0.2): 0.75, (0.2, 0.2): 0.72, (0.3, 0.2): 0.61,
    (0.1, 0.3): 0.70, (0.2, 0.3): 0.68, (0.3, 0.3): 0.61,
}  # fmt: skip
"""Table 5: accuracy by (Th1, Th2)."""

_NEAREST = 10


@dataclass(frozen=True, slots=True)
class WordGroup:
    """Two words, and whether they are synonyms."""

    first: str
    second: str
    synonyms: bool


def jieba_frequencies() -> dict[str, int]:
    """The words of jieba's dictionary, normalised, with their count. A count of 2 or 3 stands for none (six of ten words)."""
    text = jieba_file("dict.txt")
    found: dict[str, int] = {}
    for line in text.splitlines():
        word, count, _ = line.split(" ")
        found[normalise(word)] = max(int(count), found.get(normalise(word), 0))
    return found


def draw_groups(
    cilin: Cilin,
    frequencies: Mapping[str, int],
    count: int = 420,
    seed: int = 1,
    negatives: Negatives = "far",
    min_frequency: int = 10,
) -> list[WordGroup]:
    """Draw ``count`` groups, synonyms and others in turn (see above). The n-th couple shares its first word.

    Raises:
        ValueError: ``count`` is odd or below 2, or there are not so many groups.
    """
    if count < 2 or count % 2:
        raise ValueError(f"{count} word groups cannot be halves of synonyms and others. Remedy: an even number from 2")
    rng = random.Random(seed)
    members = {code: words for code, words in _members(cilin, frequencies, min_frequency) if len(words) > 1}
    pools: dict[str, set[tuple[int, str]]] = {}
    for code, words in members.items():
        pools.setdefault(code[:2] if negatives == "near" else "", set()).update((frequencies[w], w) for w in words)
    everything = sorted(set().union(*pools.values()))
    order = sorted(members)
    rng.shuffle(order)
    used: set[str] = set()
    groups: list[WordGroup] = []
    for code in order:
        left = [w for w in members[code] if w not in used]
        if len(left) < 2:
            continue
        first, second = rng.sample(left, 2)
        pool = everything
        if negatives == "near":
            pool = sorted(set().union(*(pools.get(c[:2], ()) for c in cilin.codes(first))))
        near = _nearest(pool, (frequencies[second], second), used | {second}, _unlike(cilin, first, negatives))
        if not near:
            continue
        other = rng.choice(near)
        used |= {first, second, other}
        groups += [WordGroup(first, second, True), WordGroup(first, other, False)]
        if len(groups) == count:
            return groups
    raise ValueError(
        f"Cilin has {len(groups)} such word groups, and {count} are wanted. Remedy: fewer groups, or a lower minimum frequency "
        f"({min_frequency})"
    )


def _members(cilin: Cilin, frequencies: Mapping[str, int], min_frequency: int) -> Iterator[tuple[str, list[str]]]:
    for code, group in cilin.groups.items():
        if group.relation == "=":
            yield code, [w for w in group.words if len(w) > 1 and frequencies.get(w, 0) >= max(1, min_frequency)]


def _unlike(cilin: Cilin, word: str, negatives: Negatives) -> Callable[[str], bool]:
    codes = cilin.codes(word)
    top, middle, small = ({code[:n] for code in codes} for n in (1, 2, 4))

    def far(other: str) -> bool:
        return all(code[:1] not in top for code in cilin.codes(other))

    def near(other: str) -> bool:
        others = cilin.codes(other)
        return any(code[:2] in middle for code in others) and all(code[:4] not in small for code in others)

    return far if negatives == "far" else near


def _nearest(
    pool: Sequence[tuple[int, str]], place: tuple[int, str], taken: Collection[str], allowed: Callable[[str], bool]
) -> list[str]:
    """The words of ``pool`` nearest to ``place`` in its order (frequency, word) that are allowed and not taken, ten at most."""
    right = bisect.bisect_left(pool, place)
    outwards = itertools.chain.from_iterable(
        itertools.zip_longest((w for _, w in pool[right:]), (w for _, w in reversed(pool[:right])))
    )
    return list(itertools.islice((w for w in outwards if w is not None and w not in taken and allowed(w)), _NEAREST))


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A cell of Table 5: share of groups judged rightly with its 95 % interval, and the shares of synonyms and of others."""

    parameters: SimilarityParameters
    accuracy: float
    interval: Interval
    synonyms: float
    others: float


def accuracy(similarities: Similarities, synonyms: Bools, parameters: SimilarityParameters, decision: float = 0.0) -> Accuracy:
    """Judge every group and count.

    Args:
        similarities: of the groups.
        synonyms: whether they are synonyms.
        parameters: of Algorithm 1.
        decision: judged synonyms is what has Sim ≥ this; 0: what has Sim > 0, what the thresholds have left.
    """
    sim = similarities.sim(parameters)
    right = ((sim >= decision) if decision else (sim > 0)) == synonyms
    return Accuracy(
        parameters, float(right.mean()), wilson(int(right.sum()), len(right)), _share(right[synonyms]), _share(right[~synonyms])
    )


def _share(right: Bools) -> float:
    return float(right.mean()) if right.size else float("nan")


Grid = dict[tuple[float, float], Accuracy]
"""Cells of Table 5 by (Th1, Th2)."""


def accuracy_grid(
    similarities: Similarities,
    synonyms: Bools,
    thresholds: Sequence[float],
    parameters: SimilarityParameters,
    decision: float = 0.0,
) -> Grid:
    """Table 5: :func:`accuracy` for every (Th1, Th2) of ``thresholds``; α and β from ``parameters``."""
    return {
        (th1, th2): accuracy(similarities, synonyms, replace(parameters, th1=th1, th2=th2), decision)
        for th2 in thresholds
        for th1 in thresholds
    }


def distance(grid: Grid) -> float:
    """Mean difference, without sign, between the cells of ``grid`` and the printed ones; nan where none is printed."""
    ours, printed = _both(grid)
    return float(np.abs(ours - printed).mean()) if ours.size else float("nan")


def order(grid: Grid) -> float:
    """Spearman's ρ between the cells of ``grid`` and the printed ones: 1 where they have the same order."""
    return spearman(*_both(grid))


def _both(grid: Grid) -> tuple[Floats, Floats]:
    cells = [cell for cell in PRINTED if cell in grid]
    return np.array([grid[cell].accuracy for cell in cells]), np.array([PRINTED[cell] for cell in cells])
