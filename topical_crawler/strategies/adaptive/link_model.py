"""The value of links: logistic regression over hashed features, learned while the crawl goes on.

p(link) = 1 / (1 + e^-(prior + Σ w_i)): ``prior`` is what the topic alone says of the link, the w_i are the weights of its
features, all 0 at first. At each refit they are improved by some steps of AdaGrad (Duchi, Hazan & Singer 2011) over all
remembered links, with their values as judged by then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.adaptive.link_features import SIZE, Numbers
from topical_crawler.strategies.base import packed, unpacked

Floats = NDArray[np.float32]

STEP, PASSES = 0.2, 10
"""Of AdaGrad: step size, and steps at a refit."""
DECAY = 1.0
"""Weight of Σ w² / 2, which holds weights of rare features near 0."""
EPSILON = 1e-8
"""So that nothing is divided by 0."""


def sigmoid(x: NDArray[Any]) -> Floats:
    """1 / (1 + e^-x), between 1e-13 and 1 - 1e-13 before rounding."""
    return (1 / (1 + np.exp(-np.minimum(30, np.maximum(-30, x.astype(np.float64)))))).astype(np.float32)


class LinkModel:
    """See the module.

    >>> model = LinkModel()
    >>> links = np.array([[3, 8], [4, 0]], dtype=np.uint32)
    >>> for _ in range(5):
    ...     model.refit(links, prior=np.full(2, -2, dtype=np.float32), values=np.array([1, 0], dtype=np.float32))
    >>> bool(model.of_table(links)[0] > 1), model.weight(5)
    (True, 0.0)
    """

    def __init__(self) -> None:
        self._weights: Floats = np.zeros(SIZE, dtype=np.float32)

    def evidence(self, links: Sequence[Sequence[Numbers]]) -> Floats:
        """Σ w_i of several links, given the parts of their features."""
        if not links:
            return np.zeros(0, dtype=np.float32)
        lengths = [sum(map(len, parts)) for parts in links]
        flat = np.concatenate([part for parts in links for part in parts])
        sums = np.bincount(np.repeat(np.arange(len(links)), lengths), self._weights[flat], len(links))
        return sums.astype(np.float32)

    def of_table(self, table: Numbers) -> Floats:
        """Σ w_i of the rows of an array of features; 0 stands for none."""
        sums: Floats = self._weights[table].sum(axis=1)
        return sums

    def weight(self, feature: int) -> float:
        """w of a feature."""
        return float(self._weights[feature])

    def refit(self, table: Numbers, prior: Floats, values: Floats) -> None:
        """Improve the weights on remembered links.

        Args:
            table: their features, one row each, filled up with 0.
            prior, values: of the rows.
        """
        if not len(table):
            return
        features, inverse = np.unique(table, return_inverse=True)
        inverse, flat = inverse.reshape(table.shape), inverse.ravel()
        weights, squares = self._weights[features].astype(np.float64), np.full(len(features), EPSILON)
        for _ in range(PASSES):
            errors = sigmoid(prior + weights[inverse].sum(axis=1)) - values
            slope = np.bincount(flat, np.repeat(errors, table.shape[1]), len(features)) + DECAY * weights
            if features[0] == 0:
                slope[0] = 0.0
            squares += slope * slope
            weights -= STEP * slope / np.sqrt(squares)
        self._weights[features] = weights.astype(np.float32)

    def state_dict(self) -> dict[str, Any]:
        """The weights that are not 0, as JSON data."""
        some = np.flatnonzero(self._weights)
        return {"features": packed(some, "<u4"), "weights": packed(self._weights[some], "<f4")}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        self._weights = np.zeros(SIZE, dtype=np.float32)
        some = unpacked(state["features"], "<u4")
        self._weights[some] = unpacked(state["weights"], "<f4")
