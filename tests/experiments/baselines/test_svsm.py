"""SVSM in its three readings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.baselines.vector_space import PositionSvsm, ProjectedSvsm, Reading, Similarities, SvsmParameters, svsm
from topical_crawler.strategies.esvsm.vector_space import TermSvsm
from topical_crawler.text.statistics import Idf

TOPIC = {"内核": 2.0, "进程": 1.0}
HOWNET = {"内核": [1.0, 0.3], "核心": [0.9, 0.2], "天气": [0.1, 0.1]}  # 进程 is not in this HowNet
SIMILARITY = Similarities(["内核", "进程"], {w: i for i, w in enumerate(HOWNET)}, np.array(list(HOWNET.values()), np.float32))
IDF = Idf({"内核": 4.0, "进程": 2.0, "核心": 3.0, "天气": 1.0})
READINGS: tuple[Reading, ...] = ("terms", "projected", "positions")
TEXTS = st.lists(st.sampled_from(("内核", "进程", "核心", "天气", "没有的词")), max_size=12)


def measure(reading: Reading) -> TermSvsm | PositionSvsm | ProjectedSvsm:
    return svsm(TOPIC, SIMILARITY, IDF, reading)  # type: ignore[return-value]


def test_words_that_hownet_lacks_are_like_themselves_only() -> None:
    assert SIMILARITY.row("进程").tolist() == [0.0, 1.0]
    assert SIMILARITY.row("没有的词").tolist() == [0.0, 0.0]
    assert SIMILARITY.row("核心").tolist() == pytest.approx([0.9, 0.2])


def test_projection_on_the_topics_terms_by_hand() -> None:
    found = measure("projected")
    projected = [0.5 * 3 * 0.9 + 0.5 * 2 * 0, 0.5 * 3 * 0.2 + 0.5 * 2 * 1]
    expected = (projected[0] * 2 + projected[1]) / (math.hypot(*projected) * math.sqrt(5))
    assert found.of(["核心", "进程"]) == pytest.approx(expected)
    assert found.of(["核心"]) > 0.9  # no common term, and yet they are compared (section 1.2.2)
    assert found.of(["没有的词"]) == 0.0


def test_positions_by_hand() -> None:
    """Heaviest against heaviest: tf·idf 核心 1.5, 进程 1.0; semantic 1.5·0.55, 1.0·0.5."""
    numbers = 1.5 * 0.55, 1.0 * 0.5
    expected = (numbers[0] * 2 + numbers[1] * 1) / (math.hypot(*numbers) * math.sqrt(5))
    assert measure("positions").of(["进程", "核心"]) == pytest.approx(expected)


def test_positions_compare_unlike_terms() -> None:
    """Why it is not the default: 天气 alone is as relevant as the topic's heaviest term alone."""
    found = measure("positions")
    assert found.of(["天气"]) == pytest.approx(found.of(["内核"])) == pytest.approx(2 / math.sqrt(5))


@pytest.mark.parametrize("reading", READINGS)
@given(words=TEXTS)
def test_relevance_is_in_its_range_and_does_not_know_the_order(reading: Reading, words: list[str]) -> None:
    found = measure(reading)
    relevance = found.of(words)
    assert 0 <= relevance <= 1
    assert found.of(words[::-1]) == relevance
    assert found.of(words * 2) == pytest.approx(relevance)
    assert all(part > 0 for part in found.parts(words).values())
    assert found.parts(words) if relevance else True


def test_a_reading_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="reading must be one of terms, projected, positions, not 'printed'"):
        SvsmParameters(reading="printed")  # type: ignore[arg-type]
