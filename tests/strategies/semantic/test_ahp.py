"""The analytic hierarchy process against values known from elsewhere."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.strategies.semantic.parameters import ahp_weights, consistency_ratio


@pytest.mark.parametrize(
    ("matrix", "weights", "ratio"),
    [
        # For 3 × 3 the eigenvector is the geometric means of the rows, and λ = 1 + c + 1/c with c = (m02/(m01·m12))^(1/3).
        ([[1, "1/3", 5], [3, 1, 7], ["1/5", "1/7", 1]], [0.2790, 0.6491, 0.0719], 0.0559),
        ([[1, 3, 5], ["1/3", 1, 2], ["1/5", "1/2", 1]], [0.6483, 0.2297, 0.1220], 0.0032),
        ([[1, 1, 1], [1, 1, 1], [1, 1, 1]], [1 / 3, 1 / 3, 1 / 3], 0.0),
        ([[1, 4], [0.25, 1]], [0.8, 0.2], 0.0),
        ([[1]], [1.0], 0.0),
    ],
)
def test_known_matrices(matrix: list[list[int | float | str]], weights: list[float], ratio: float) -> None:
    assert ahp_weights(matrix) == pytest.approx(weights, abs=1e-4)
    assert consistency_ratio(matrix) == pytest.approx(ratio, abs=2e-4)


@given(st.floats(1 / 9, 9), st.floats(1 / 9, 9), st.floats(1 / 9, 9))
def test_three_by_three_in_closed_form(a: float, b: float, c: float) -> None:
    matrix = [[1.0, a, b], [1 / a, 1.0, c], [1 / b, 1 / c, 1.0]]
    root = (b / (a * c)) ** (1 / 3)
    ratio = (1 + root + 1 / root - 3) / 2 / 0.58
    assert consistency_ratio(matrix) == pytest.approx(ratio, abs=1e-6)
    if ratio > 0.1 + 1e-6:
        with pytest.raises(ValueError, match="contradict each other"):
            ahp_weights(matrix)
    elif ratio < 0.1 - 1e-6:
        means = [math.prod(row) ** (1 / 3) for row in matrix]
        assert ahp_weights(matrix) == pytest.approx([m / sum(means) for m in means])


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=10))
def test_consistent_comparisons_give_their_weights_back(values: list[float]) -> None:
    matrix = [[a / b for b in values] for a in values]
    assert ahp_weights(matrix) == pytest.approx([v / sum(values) for v in values], rel=1e-6)
    assert consistency_ratio(matrix) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([], "must be square"),
        ([[1, 2, 3], [1, 2], [1]], r"rows of \[3, 2, 1\]"),
        ([[1] * 11] * 11, "1 to 10"),
        ([1, 2, 3], "must be square"),
        ([[1, "x"], [1, 1]], "a number or a fraction"),
        *(([[1, odd], [1, 1]], "a number or a fraction") for odd in ("1/0", None, math.nan, math.inf, "1e400")),
        ([[1, -3], ["-1/3", 1]], "above 0"),
        ([[1, 0], [1, 1]], "above 0"),
        ([[1, 3], [3, 1]], "must be the inverse"),
        ([[2, 1], [1, 1]], "with 1 on the diagonal"),
        ([[1, 9, "1/9"], ["1/9", 1, 9], [9, "1/9", 1]], "contradict each other: consistency ratio 6.1.*about x·y times c"),
    ],
)
def test_what_is_no_comparison_matrix(matrix: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ahp_weights(matrix)
