from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.strategies.odp2evsm.page_keywords import FEATURES, NodeWeights, order_weights


@given(st.lists(st.floats(1, 3), max_size=8))
def test_weights_have_the_ratios_that_were_given(ratios: list[float]) -> None:
    weights = order_weights(ratios)
    assert len(weights) == len(ratios) + 1
    assert sum(weights) == pytest.approx(1)
    assert [a / b for a, b in pairwise(weights)] == pytest.approx(ratios)


def test_the_method_by_its_own_formula() -> None:
    # w_n = 1 / (1 + Σ_k Π_{i≥k} r_i), r = 1.2, 1.4, 1.6
    last = 1 / (1 + 1.2 * 1.4 * 1.6 + 1.4 * 1.6 + 1.6)
    assert order_weights([1.2, 1.4, 1.6]) == pytest.approx((1.2 * 1.4 * 1.6 * last, 1.4 * 1.6 * last, 1.6 * last, last))
    assert order_weights([]) == (1.0,)


def test_features_of_words() -> None:
    words = ["数据", "挖掘", "数据", "轻松"]
    features = NodeWeights({"数据": "n", "挖掘": "v", "轻松": "ad"}.get).features(words, {"挖掘"})
    assert features["数据"] == {"title": 0.0, "frequency": 1.0, "part_of_speech": 1.0, "position": 1.0, "length": 0.5}
    assert features["挖掘"] == {"title": 1.0, "frequency": 0.5, "part_of_speech": 0.6, "position": 0.75, "length": 0.5}
    assert features["轻松"]["part_of_speech"] == 0.4
    assert NodeWeights(lambda word: "").features(["feature"], ())["feature"]["part_of_speech"] == 1.0  # a new word
    assert NodeWeights(lambda word: "r").features(["我们"], ())["我们"]["part_of_speech"] == 0.2


@given(
    st.lists(st.sampled_from(["数据", "挖掘", "支持向量机", "linux"]), max_size=20), st.sets(st.sampled_from(["数据", "挖掘"]))
)
def test_weights_of_nodes_are_shares(words: list[str], title: set[str]) -> None:
    weights = NodeWeights(lambda word: "n").of(words, title)
    assert set(weights) == set(words)
    assert all(0 < weight <= 1 + 1e-12 for weight in weights.values())


def test_weights_of_the_features() -> None:
    assert sum(NodeWeights(lambda word: "n").weights.values()) == pytest.approx(1)
    assert list(NodeWeights(lambda word: "n").weights) == list(FEATURES)
