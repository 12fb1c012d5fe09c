"""Confidence intervals by resampling, and halves of a sample: one to choose on, one to report on."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]


def bootstrap(measure: Callable[[NDArray[np.int64]], float], size: int, seed: int, rounds: int = 1000) -> Interval:
    """The middle 95 % of a figure over samples drawn with replacement (Efron 1979).

    Args:
        measure: the figure of a sample, given as the places of its members; nan where it is not defined (left out).
        size: members of the sample, at least 1.
        seed: of the draws.
        rounds: samples drawn.

    Returns:
        (nan, nan) where the figure is defined for no sample.
    """
    rng = np.random.default_rng(seed)
    values = np.array([measure(rng.integers(0, size, size)) for _ in range(rounds)])
    values = values[~np.isnan(values)]
    if not values.size:
        return math.nan, math.nan
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def halves(size: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places 0…size-1 in two halves drawn at random, each ascending; the first is the smaller where they differ.

    >>> [half.tolist() for half in halves(5, seed=1)]
    [[0, 4], [1, 2, 3]]
    """
    order = np.random.default_rng(seed).permutation(size)
    return np.sort(order[: size // 2]), np.sort(order[size // 2 :])
