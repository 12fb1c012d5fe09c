"""The model of links: weights move to where the values of the links are, and survive."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topical_crawler.strategies.adaptive.link_model import SIZE, LinkModel, sigmoid

WIDTH = 6


def padded(rows: list[list[int]]) -> np.ndarray:
    return np.array([row + [0] * (WIDTH - len(row)) for row in rows], dtype=np.uint32).reshape(len(rows), WIDTH)


def learn(model: LinkModel, rows: list[list[int]], values: list[float], prior: float = -1.0, times: int = 5) -> None:
    for _ in range(times):
        model.refit(padded(rows), np.full(len(rows), prior, dtype=np.float32), np.array(values, dtype=np.float32))


@pytest.fixture
def learned() -> LinkModel:
    """3 is on links that led to the topic, 4 on others, 5 on both."""
    model = LinkModel()
    learn(model, [[3, 5], [4, 5], [3], [4]] * 5, [1.0, 0.0, 1.0, 0.0] * 5, prior=0.0)
    return model


def test_features_of_links_that_led_to_the_topic_weigh_more(learned: LinkModel) -> None:
    assert learned.weight(3) > abs(learned.weight(5)) + 0.1
    assert learned.weight(4) < -abs(learned.weight(5)) - 0.1
    assert learned.weight(6) == 0.0  # never seen


def test_what_the_prior_knew_already_is_not_learned() -> None:
    knew, surprised = LinkModel(), LinkModel()
    learn(knew, [[3]], [1.0], prior=4.0)
    learn(surprised, [[3]], [1.0], prior=-4.0)
    assert surprised.weight(3) > 2 * knew.weight(3) > 0


def test_a_lesson_moves_a_weight_by_steps_that_grow_smaller() -> None:
    model = LinkModel()
    learn(model, [[3]], [1.0], times=1)
    assert model.weight(3) == pytest.approx(0.569, abs=0.005)  # 0.599 with steps of 1


def test_a_change_of_mind_is_learned(learned: LinkModel) -> None:
    before = learned.weight(3)
    learn(learned, [[3], [4]] * 5, [0.0, 1.0] * 5, prior=0.0, times=40)
    assert before > 0 > learned.weight(3) and learned.weight(4) > 0


def test_much_evidence_moves_a_weight_further_than_little() -> None:
    model = LinkModel()
    learn(model, [[3]] * 200 + [[4]], [1.0] * 201, times=20)
    assert model.weight(3) > model.weight(4) > 0


def test_nothing_stands_for_no_feature(learned: LinkModel) -> None:
    assert learned.weight(0) == 0.0
    learn(learned, [[], [0], [1, 2, 3, 4, 5, 6]], [1.0, 1.0, 1.0])  # rows without, and one without room for padding
    assert learned.weight(0) == 0.0
    assert learned.of_table(padded([[], [3]])).tolist() == [0.0, learned.weight(3)]


_ROWS = st.lists(st.lists(st.integers(1, SIZE - 1), max_size=WIDTH, unique=True), max_size=8)


@settings(max_examples=25)
@given(_ROWS, st.randoms(use_true_random=False))
def test_rows_and_tables_give_the_same_evidence(rows: list[list[int]], draw: object) -> None:
    model = LinkModel()
    learn(model, rows, [draw.random() for _ in rows], times=2)  # type: ignore[attr-defined]
    evidence = model.evidence([np.array(row, dtype=np.uint32) for row in rows])
    assert evidence.shape == (len(rows),) and np.isfinite(evidence).all()
    assert evidence == pytest.approx(model.of_table(padded(rows)), abs=1e-5)
    assert evidence == pytest.approx([sum(map(model.weight, row)) for row in rows], abs=1e-5)


def test_without_links_nothing_is_learned(learned: LinkModel) -> None:
    before = learned.state_dict()
    learn(learned, [], [])
    assert learned.state_dict() == before
    assert learned.evidence([]).shape == (0,) and learned.of_table(padded([])).shape == (0,)
    assert learned.evidence([np.array([], dtype=np.uint32)] * 3).tolist() == [0.0, 0.0, 0.0]


def test_the_state_is_exact_and_learning_goes_on_from_it(learned: LinkModel) -> None:
    restored = LinkModel()
    learn(restored, [[7], [8]], [1.0, 0.0])  # what it knew is forgotten
    restored.load_state_dict(json.loads(json.dumps(learned.state_dict())))
    assert [restored.weight(n) for n in range(10)] == [learned.weight(n) for n in range(10)]
    assert restored.state_dict() == learned.state_dict()
    for model in (learned, restored):
        learn(model, [[3, 7], [4, 9]], [0.3, 0.7])
    assert restored.state_dict() == learned.state_dict()
    new = LinkModel().state_dict()
    restored.load_state_dict(new)
    assert restored.state_dict() == new and len(json.dumps(new)) < 100


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_sigmoid_of_anything_is_a_probability(x: float, y: float) -> None:
    low, high = sigmoid(np.array([min(x, y), max(x, y)]))
    assert 0 <= low <= high <= 1
    assert sigmoid(np.array(0.0)) == 0.5
