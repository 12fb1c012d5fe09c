"""The strategies vsm, ssrm and svsm, made for a topic, the measure of ssrm, and SVSM in its three readings."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.baselines.vector_space import PositionSvsm, ProjectedSvsm, Reading, Similarities, Ssrm, svsm
from topical_crawler import Page, TopicError, load_topic, strategies
from topical_crawler.strategies.esvsm.vector_space import TermSvsm
from topical_crawler.text.statistics import Idf

WriteTopic = Callable[..., Path]  # see conftest.py
TERMS = "内核\t2\n进程\n虚拟内存\n"
NAMES = ("vsm", "ssrm", "svsm")


@pytest.mark.parametrize("name", NAMES)
def test_a_page_on_topic_leads(write_topic: WriteTopic, name: str) -> None:
    strategy = strategies.create(str(write_topic({"terms.tsv": TERMS})), name, resources=None)
    on, mixed, off = (
        strategy.judge(Page.from_html("http://a.cn/", f"<p>{text}"))
        for text in ("内核的进程与虚拟内存", "内核决定天气吗", "今日天气晴朗")
    )
    assert (on.keep, off.keep) == (True, False)
    assert on.relevance > mixed.relevance > off.relevance == 0
    assert on.why and not off.why


@pytest.mark.parametrize(("reading", "kind"), [("terms", TermSvsm), ("projected", ProjectedSvsm), ("positions", PositionSvsm)])
def test_the_topic_chooses_the_reading(write_topic: WriteTopic, reading: str, kind: type[object]) -> None:
    toml = f'title = "操作系统"\n[strategy.svsm]\nreading = "{reading}"\n'
    strategy = strategies.create(str(write_topic({"topic.toml": toml, "terms.tsv": TERMS})), "svsm", resources=None)
    assert type(strategy._measure) is kind  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("vsm", "page_threshold = -1", "line 3: page_threshold must be a number of 0 or more, not -1"),
        ("vsm", 'reading = "terms"', r"line 3: \[strategy.vsm\] has no parameter 'reading'"),
        ("svsm", 'reading = "printed"', "line 3: reading must be one of terms, projected, positions, not 'printed'"),
        ("ssrm", "page_weight = 0\nanchor_weight = 0", "line 3: page_weight and anchor_weight are both 0"),
    ],
)
def test_parameters_that_cannot_be_name_file_and_line(write_topic: WriteTopic, name: str, line: str, message: str) -> None:
    folder = write_topic({"topic.toml": f'title = "操作系统"\n[strategy.{name}]\n{line}\n', "terms.tsv": TERMS})
    with pytest.raises(TopicError, match=f"topic.toml, {message}"):
        strategies.create(load_topic(folder), name, resources=None)


TOPIC = {"内核": 2.0, "进程": 1.0}
HOWNET = {"内核": [1.0, 0.3], "核心": [0.9, 0.2], "天气": [0.1, 0.1]}  # 进程 is not in this HowNet
SIMILARITY = Similarities(["内核", "进程"], {w: i for i, w in enumerate(HOWNET)}, np.array(list(HOWNET.values()), np.float32))
IDF = Idf({"内核": 4.0, "进程": 2.0, "核心": 3.0, "天气": 1.0})
TEXTS = st.lists(st.sampled_from(("内核", "进程", "核心", "天气", "没有的词")), max_size=12)


def test_ssrm_by_hand() -> None:
    """Σ_i Σ_j q_i·d_j·Sim(i, j) / Σ_i Σ_j q_i·d_j."""
    ssrm = Ssrm(TOPIC, SIMILARITY, IDF)
    document = {"核心": 2 / 3 * 3, "进程": 1 / 3 * 2}
    upper = sum(q * d * float(SIMILARITY.row(w)[i]) for w, d in document.items() for i, q in enumerate(TOPIC.values()))
    assert ssrm.of(["核心", "进程", "核心"]) == pytest.approx(upper / (sum(document.values()) * 3))
    assert ssrm.of(["没有的词"]) == ssrm.of([]) == 0.0


@given(TEXTS)
def test_ssrm_is_a_mean(words: list[str]) -> None:
    ssrm = Ssrm(TOPIC, SIMILARITY, IDF)
    single = [ssrm.of([w]) for w in words]
    assert min(single, default=0) - 1e-9 <= ssrm.of(words) <= max(single, default=0) + 1e-9


READINGS: tuple[Reading, ...] = ("terms", "projected", "positions")


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
