"""TextRank against the equation solved by hand and by linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topical_crawler.strategies.odp2evsm.page_keywords import textrank

WORDS = st.lists(st.sampled_from("数据挖掘聚类分析"), max_size=40)


def solved(words: list[str], weights: dict[str, float], damping: float, window: int) -> dict[str, float]:
    """Eq. 2 as a system of linear equations: (1 − d·diag(w)·P)·S = (1 − d)·w."""
    names = list(dict.fromkeys(words))
    edges = np.zeros((len(names), len(names)))
    for i, left in enumerate(words):
        for right in words[i + 1 : i + window]:
            if left != right:
                edges[names.index(left), names.index(right)] += 1
                edges[names.index(right), names.index(left)] += 1
    shares = edges / np.maximum(edges.sum(axis=1, keepdims=True), 1)  # row j: w_ji / Σ_k w_jk
    own = np.array([weights[name] for name in names])
    ranks = np.linalg.solve(np.eye(len(names)) - damping * own[:, None] * shares.T, (1 - damping) * own)
    return dict(zip(names, ranks.tolist(), strict=True))


@given(WORDS, st.integers(2, 7), st.floats(0, 0.95), st.lists(st.floats(0, 1), min_size=8, max_size=8))
@example(list("数据挖掘聚类"), 2, 0.85, [0.0, *[1.0] * 7])  # the rank of one word is settled at once
def test_the_iteration_ends_at_the_solution(words: list[str], window: int, damping: float, given_weights: list[float]) -> None:
    weights = dict(zip("数据挖掘聚类分析", given_weights, strict=False))
    ranks = textrank(words, weights, damping, window, tolerance=1e-10)
    assert set(ranks) == set(words)
    if words:
        expected = solved(words, weights, damping, window)
        assert ranks == pytest.approx(expected, abs=1e-7)
    assert list(ranks.values()) == sorted(ranks.values(), reverse=True) or max(np.diff(list(ranks.values()))) < 1e-8


def test_a_chain_by_hand() -> None:
    # 甲—乙—丙 with all weights 1: S_乙 = 0.15 + 0.85·(S_甲 + S_丙), S_甲 = S_丙 = 0.15 + 0.85·S_乙/2
    middle = (0.15 + 0.85 * 0.3) / (1 - 0.85**2)
    ranks = textrank(["甲", "乙", "丙"], window=2, tolerance=1e-12)
    assert ranks == pytest.approx({"乙": middle, "甲": 0.15 + 0.85 * middle / 2, "丙": 0.15 + 0.85 * middle / 2})
    assert list(ranks) == ["乙", "甲", "丙"]  # equal ones in the order of the text


def test_texts_without_neighbours() -> None:
    assert textrank([]) == {}
    assert textrank(["数据"]) == pytest.approx({"数据": 0.15})
    assert textrank(["数据", "数据"], {"数据": 0.5}) == pytest.approx({"数据": 0.075})
