"""Means over random seeds, orders of strategies, and whether they agree."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.comparison import ORACLE, RunFigures, RunKey, Setting, measure_path
from experiments.ranking import Comparison, estimate, kendall_tau, mean_kept, mean_recall
from topical_crawler.evaluation.labels import Label
from topical_crawler.web.urls import fingerprint

URLS = [f"http://a.cn/{i}" for i in range(8)]
LABELS = {fingerprint(url): Label(url, "a.cn", "article", 2 if i < 4 else 0, str(i)) for i, url in enumerate(URLS)}


def run(strategy: str, order: str, seed: int = 0, cap: int = 0, budget: int = 8, keep: float = 1.0) -> RunFigures:
    return measure_path(RunKey(strategy, "党建", "home", seed, cap, keep), [URLS[int(i)] for i in order], LABELS, budget)


def comparison(*runs: RunFigures) -> Comparison:
    return Comparison("试验", runs, {r.key.setting: run(ORACLE, "0123", cap=r.key.cap, keep=r.key.keep_links) for r in runs})


BEST, MIDDLE, WORST = "01234567", "45012367", "45670123"


@given(st.lists(st.floats(0, 1), min_size=3, max_size=8))
def test_intervals_are_students(values: list[float]) -> None:
    from scipy import stats

    found = estimate(values)
    error = stats.sem(values)
    low, high = stats.t.interval(0.95, len(values) - 1, found.mean, error) if error else (found.mean, found.mean)
    assert found.is_interval and found.mean == pytest.approx(sum(values) / len(values))
    assert (found.low, found.high) == (pytest.approx(max(0, low), abs=1e-9), pytest.approx(high, abs=1e-9))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9))
def test_kendalls_tau_is_scipys(pairs: list[tuple[int, int]]) -> None:
    from scipy import stats

    first, second = zip(*pairs, strict=True)
    assert kendall_tau(first, second) == pytest.approx(stats.kendalltau(first, second).statistic, nan_ok=True)


def test_strategies_are_ranked_by_their_means() -> None:
    found = comparison(run("b", WORST), run("a", WORST, 0), run("a", BEST, 1), run("c", BEST))
    setting = Setting("党建", "home")
    assert found.strategies == ["b", "a", "c"]
    assert [name for name, _ in found.ranking(setting)] == ["c", "a", "b"]
    assert found.ranking(setting)[1][1].seeds == 2
    assert found.ranking(setting, "mean_relevance") == [(n, estimate([0.5] * s)) for n, s in (("b", 1), ("a", 2), ("c", 1))]
    few = estimate([0.2, 0.4])  # few seeds give extremes
    assert (few.is_interval, few.low, few.high, estimate([0.5]).low) == (False, 0.2, 0.4, 0.5)


def test_orders_that_change_with_the_bound() -> None:
    found = comparison(
        run("a", BEST), run("b", MIDDLE), run("c", WORST),
        run("a", BEST, cap=5), run("b", WORST, cap=5), run("c", MIDDLE, cap=5),
    )  # fmt: skip
    assert [s.cap for s in found.settings] == [0, 5]
    (agreement,) = found.agreements()
    assert (agreement.caps, agreement.swapped) == ((0, 5), (("b", "c"),))
    assert agreement.tau == pytest.approx(1 / 3)
    alone = comparison(*(run("a", BEST, cap=cap) for cap in (5, 0, 7)))
    assert [s.cap for s in alone.settings] == [0, 7, 5]  # the tighter bound comes later
    assert all(math.isnan(a.tau) for a in alone.agreements())


def test_crawls_of_other_links_are_ranked_apart() -> None:
    found = comparison(
        run("a", BEST), run("b", WORST),
        run("a", WORST, keep=0.5), run("b", BEST, keep=0.5), run("a", WORST, cap=5, keep=0.5), run("b", BEST, cap=5, keep=0.5),
        run("a", BEST, keep=0.1),
    )  # fmt: skip
    assert [(s.keep_links, s.cap) for s in found.settings] == [(1, 0), (0.5, 0), (0.5, 5), (0.1, 0)]
    assert [found.ranking(s)[0][0] for s in found.settings] == ["a", "b", "b", "a"]
    (agreement,) = found.agreements()
    assert (agreement.keep_links, agreement.caps, agreement.tau) == (0.5, (0, 5), 1)


def test_mean_curves() -> None:
    runs = [run("a", "0145", 0), run("a", "45", 1)]
    assert mean_recall(runs) == [(0, 0.0), (1, 0.125), (2, 0.25), (3, 0.25), (4, 0.25)]
    assert mean_kept(runs) == []  # the second keeps nothing
    assert mean_kept(runs[:1]) == [(0.25, 1.0), (0.5, 1.0), (0.5, 1.0), (0.5, 1.0)]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([], "nothing to compare"),
        ([run("a", BEST), run("b", BEST, budget=5)], r"\[5, 8\]"),
        ([run("a", BEST), run("a", WORST)], "twice"),
    ],
)
def test_what_cannot_be_compared(runs: list[RunFigures], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        comparison(*runs)
    with pytest.raises(ValueError, match="oracle for Setting"):
        Comparison("试验", [run("a", BEST)], {})
