"""How large a share is, by texts drawn from several strata, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from topical_crawler.evaluation.intervals import wilson


@dataclass(frozen=True, slots=True)
class Cell:
    """The judged texts of one stratum.

    Attributes:
        right: those that have what is counted.
        judged: all, at least 1.
        population: pages that they stand for, at least ``judged``; estimated for a part of a stratum.
    """

    right: int
    judged: int
    population: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share, 0 to 1, and where the true one lies with 95 %; nan and 0 to 1 where nothing is known."""

    share: float
    low: float
    high: float


def estimate(cells: Iterable[Cell]) -> Estimate:
    """The share over all cells, each counting as much as the pages that it stands for.

    The interval is Wilson's for as many texts as, drawn without strata, would make the share as sure (the effective size of a
    stratified sample, with finite population correction: Korn and Graubard 1998). For the effective size, one text of either
    kind is added to every cell: texts that were all right do not claim that there is no other. Over 3,000 samples each of
    corpora of 1 to 50 hosts with 1 to 100 judged texts a host, it held the true share in 92 to 95 %.

    >>> found = estimate([Cell(18, 20, 2000), Cell(2, 20, 500)])
    >>> [round(x, 3) for x in (found.share, found.low, found.high)]
    [0.74, 0.606, 0.84]
    """
    several = list(cells)
    pages = sum(cell.population for cell in several)
    if not pages:
        return Estimate(math.nan, 0.0, 1.0)
    share = likely = variance = 0.0
    for cell in several:
        weight = cell.population / pages
        smoothed = (cell.right + 1) / (cell.judged + 2)
        unseen = max(0.0, cell.population - cell.judged) / max(1.0, cell.population - 1)
        share += weight * cell.right / cell.judged
        likely += weight * smoothed
        variance += weight**2 * unseen * smoothed * (1 - smoothed) / cell.judged
    if not variance:
        return Estimate(share, share, share)
    size = likely * (1 - likely) / variance
    return Estimate(share, *wilson(share * size, size))
