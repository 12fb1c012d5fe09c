"""SVSM over the terms of both sides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.strategies.esvsm.vector_space import TermSimilarity, TermSvsm
from topical_crawler.text.statistics import Idf, Vsm

TOPIC = {"内核": 2.0, "进程": 1.0}
HOWNET = {"内核": [1.0, 0.3], "核心": [0.9, 0.2], "天气": [0.1, 0.1]}  # 进程 is not in this HowNet
SIMILARITY = TermSimilarity(["内核", "进程"], {w: i for i, w in enumerate(HOWNET)}, np.array(list(HOWNET.values()), np.float32))
IDF = Idf({"内核": 4.0, "进程": 2.0, "核心": 3.0, "天气": 1.0})
TEXTS = st.lists(st.sampled_from(("内核", "进程", "核心", "天气", "没有的词")), max_size=12)


def test_mean_similarities() -> None:
    assert SIMILARITY.means() == pytest.approx({"内核": 0.65, "核心": 0.55, "天气": 0.1, "进程": 0.5})
    assert SIMILARITY.means([3.0, 1.0]) == pytest.approx({"内核": 0.825, "核心": 0.725, "天气": 0.1, "进程": 0.25})


def test_a_table_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="1 words and 1 terms do not fit a matrix of shape"):
        TermSimilarity(["内核"], {"核心": 0}, np.zeros((2, 1), dtype=np.float32))


def test_the_terms_of_both_sides_by_hand() -> None:
    found = TermSvsm(TOPIC, SIMILARITY.means(), IDF)
    words = ["内核", "核心", "天气", "天气"]
    vector = {"内核": 1 / 4 * 4 * 0.65, "核心": 1 / 4 * 3 * 0.55, "天气": 2 / 4 * 1 * 0.1}
    assert found.semantic_vector(words) == pytest.approx(vector)
    assert found.of(words) == pytest.approx(vector["内核"] * 2 / (math.hypot(*vector.values()) * math.sqrt(5)))
    assert found.of(["核心"]) == 0.0  # no common term
    assert found.parts(words) == pytest.approx({"内核": 2 * vector["内核"]})


@given(TEXTS)
def test_without_hownet_only_the_topics_own_terms_count(words: list[str]) -> None:
    alone = TermSimilarity(["内核", "进程"], {}, np.zeros((0, 2), dtype=np.float32))
    own = [w for w in words if w in TOPIC]
    assert TermSvsm(TOPIC, alone.means(), IDF).of(words) == pytest.approx(Vsm(TOPIC, IDF).of(own))
