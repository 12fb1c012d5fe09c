"""Similarity of words by both resources, or by one alone. (Algorithm 1 itself: tests/papers/test_zhou2019.py.)"""

from pathlib import Path

import numpy as np
import pytest

from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity


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
