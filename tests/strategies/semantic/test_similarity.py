"""Algorithm 1 of Zhou et al. 2019, step by step."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity, algorithm1

P = SimilarityParameters(alpha=0.9, beta=0.6, th1=0.1, th2=0.2)


@pytest.mark.parametrize(
    ("sim_h", "sim_d", "expected"),
    [
        (1.0, -0.01, 0.0),  # step 1: opposed vectors end it, whatever HowNet says
        (0.5, 0.09, 0.3),  # step 2: β·0.5 + (1-β)·0
        (0.19, 0.5, 0.45),  # step 3 makes SimH 0, step 4 takes α·SimD
        (0.0, 0.5, 0.45),
        (0.5, 0.5, 0.5),
        (0.2, 0.1, 0.16),  # both exactly at their thresholds: not below them
        (0.0, 0.11, 0.0),  # step 5: 0.099 is below Th1
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 1.0),
    ],
)
def test_each_step(sim_h: float, sim_d: float, expected: float) -> None:
    assert algorithm1(sim_h, sim_d, P) == pytest.approx(expected)


unit = st.floats(0, 1)


@given(unit, st.floats(-1, 1), unit, unit, unit, unit)
def test_the_result_is_nothing_or_between_threshold_and_one(h: float, d: float, a: float, b: float, t1: float, t2: float) -> None:
    found = algorithm1(h, d, SimilarityParameters(a, b, t1, t2))
    assert found == 0.0 or max(t1, 0.0) <= found <= 1.0


@pytest.mark.parametrize(
    ("name", "value"), [("alpha", 1.1), ("beta", -0.1), ("th1", "0.1"), ("th2", True), ("alpha", float("nan"))]
)
def test_parameters_are_checked(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a number from 0 to 1"):
        SimilarityParameters(**{name: value})  # type: ignore[arg-type]


@pytest.fixture
def similarity(tmp_path: Path) -> WordSimilarity:
    (tmp_path / "g.txt").write_text("男人 N human|人,male|男\n女人 N human|人,female|女\n", encoding="utf-8")
    vectors = WordVectors(["女人", "男人", "网红", "反面"], np.array([[1, 0], [0.6, 0.8], [0.8, 0.6], [-1, 0]], dtype=np.float32))
    return WordSimilarity(HowNet(tmp_path / "g.txt"), vectors, SimilarityParameters(alpha=0.5, beta=0.75, th1=0.1, th2=0.1))


def test_pairs_at_the_edges(similarity: WordSimilarity) -> None:
    assert similarity.sim("男人", "女人") == pytest.approx(0.75 * 0.5 + 0.25 * 0.6)
    assert similarity.sim("男人", "网红") == pytest.approx(0.5 * 0.96, rel=1e-6)  # not in HowNet: SimH is 0
    assert similarity.sim("女人", "反面") == 0.0
    assert similarity.sim("男人", "查无此词") == 0.0
    assert similarity.sim("查无此词", "查无此词") == 1.0
    assert similarity.sim("ＡＢＣ", "abc") == 1.0
    assert similarity.sim("反面", "反面") == 1.0
    assert similarity.sim_h("男人", "网红") == 0.0 and similarity.sim_d("女人", "反面") == -1.0


def test_one_resource_alone(similarity: WordSimilarity) -> None:
    assert WordSimilarity(similarity.hownet, None, similarity.parameters).sim("男人", "女人") == pytest.approx(0.375)
    assert WordSimilarity(None, similarity.vectors, similarity.parameters).sim("男人", "女人") == pytest.approx(0.3)


def test_no_resource() -> None:
    nothing = WordSimilarity.from_resources(Resources.none())
    assert nothing.hownet is None and nothing.vectors is None and nothing.sim("男人", "女人") == 0.0
