"""Figures checked by hand, and that the intervals hold what they promise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_tools import sample

from topical_crawler.judging.report import Cell, agreements, cohen, estimate, krippendorff, report, wilson
from topical_crawler.judging.sample import Header, Item, Sample, Stratum


def judged(strata: dict[str, tuple[int, str]], reason: str = "") -> Sample:
    """A sample by host: per host its pages and its marks, a letter each, "-" for none."""
    words = {"r": "relevant", "n": "irrelevant", "b": "boilerplate", "-": None}
    found = tuple(Stratum(host, pages, len(marks), reason) for host, (pages, marks) in strata.items())
    items = tuple(
        Item(
            key=f"{s.name}{n}", url="http://a.cn/", title="", host=s.name, date="", relevance=n / 10, reason=reason,
            stratum=s.name, weight=s.weight, mark=words[mark],
        )
        for s in found for n, mark in enumerate(strata[s.name][1])
    )  # fmt: skip
    header = Header(corpus="c", program="0", by="host", equal=False, seed=0, edges=(0.2,), strata=found)
    return Sample(header, items)


def test_precision_by_site_and_over_all_by_hand() -> None:
    found = report(judged({"a.cn": (900, "rrrrrrrrn"), "b.cn": (100, "rnbb-")}))
    a, b = found.sites
    assert (a.name, a.pages, a.judged, a.relevant, a.boilerplate) == ("a.cn", pytest.approx(900), 9, 8, 0)
    assert (b.pages, b.judged, b.relevant, b.boilerplate) == (pytest.approx(100), 4, 1, 2)
    assert a.precision.share == pytest.approx(8 / 9)
    assert b.precision.share == 0.25 and b.share_of_boilerplate.share == 0.5
    assert found.whole is not None
    assert found.whole.precision.share == pytest.approx(0.9 * 8 / 9 + 0.1 * 0.25)
    assert found.whole.share_of_boilerplate.share == pytest.approx(0.05)
    assert found.mean_of_sites == pytest.approx((8 / 9 + 0.25) / 2)
    assert (found.drawn, found.judged, found.pages, found.covered) == (14, 13, 1000, pytest.approx(1))


def test_bands_weigh_texts_of_strata_that_were_drawn_differently() -> None:
    found = report(judged({"a.cn": (300, "nnr"), "b.cn": (30, "rrr")}))
    high, low = found.bands
    assert (high.name, low.name) == ("0.2 or more", "less than 0.2")
    assert high.precision.share == 1.0
    assert low.precision.share == pytest.approx((2 * 100 * 0 + 2 * 10 * 1) / 220)


def test_a_stratum_that_nobody_judged_is_not_spoken_of() -> None:
    found = report(judged({"a.cn": (75, "rn"), "b.cn": (25, "--")}))
    assert [site.name for site in found.sites] == ["a.cn"]
    assert found.covered == pytest.approx(0.75)
    empty = report(judged({"a.cn": (75, "--")}))
    assert empty.whole is None and empty.sites == () and empty.covered == 0 and math.isnan(empty.mean_of_sites)


def test_what_was_missed() -> None:
    found = report(judged({"a.cn": (1000, "nnnnnnnnnr")}, reason="off topic"))
    assert found.whole is None and found.sites == ()
    (row,) = found.rejected
    pages, low, high = row.relevant_pages
    assert row.name == "off topic" and pages == pytest.approx(100)
    assert 1 <= low < 100 < high < 500
    assert found.as_dict()["rejected"][0]["relevant_pages"]["missed"] == pytest.approx(100)


@given(st.integers(0, 40), st.integers(1, 40))
def test_one_large_stratum_has_wilsons_interval(right: int, more: int) -> None:
    found = estimate([Cell(right, right + more, 10**12)])
    assert (found.low, found.high) == pytest.approx(wilson(right, right + more), abs=1e-6)


def test_who_judged_all_is_sure() -> None:
    found = estimate([Cell(3, 4, 4), Cell(1, 1, 1)])
    assert found.low == found.share == found.high == 0.8


cells = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 5000)).filter(lambda c: c[0] + c[1] > 0)


@given(st.lists(cells, min_size=1, max_size=8))
def test_an_interval_holds_its_share_and_stays_between_0_and_1(given: list[tuple[int, int, int]]) -> None:
    found = estimate(Cell(right, right + wrong, right + wrong + unseen) for right, wrong, unseen in given)
    assert 0 <= found.low <= found.share + 1e-9 and found.share - 1e-9 <= found.high <= 1


@pytest.mark.parametrize(
    ("sizes", "shares", "drawn"),
    [
        ([5000], [0.9], [100]),
        ([2000, 2000, 500, 500, 300, 100, 50, 20], [0.97, 0.95, 0.9, 0.6, 0.5, 0.7, 0.9, 1], [73, 73, 18, 18, 11, 4, 2, 1]),
        ([100] * 50, [0.7] * 50, [2] * 50),
    ],
)
def test_intervals_hold_the_truth_in_about_95_of_100_samples(sizes: list[int], shares: list[float], drawn: list[int]) -> None:
    rng = np.random.default_rng(0)
    right = [round(share * size) for share, size in zip(shares, sizes, strict=True)]
    truth = sum(right) / sum(sizes)
    held = 0
    for _ in range(500):
        several = [
            Cell(int(rng.hypergeometric(good, size - good, number)), number, size)
            for good, size, number in zip(right, sizes, drawn, strict=True)
        ]
        found = estimate(several)
        held += found.low <= truth <= found.high
    assert 0.9 <= held / 500 <= 0.99


def test_agreement_by_hand() -> None:
    first, second = judged({"a.cn": (9, "rrrnnb-r")}), judged({"a.cn": (9, "rrnnnnr-")})
    (found,) = agreements([first, second])
    assert found.texts == 6 and found.same == pytest.approx(4 / 6)
    chance = (3 * 2 + 2 * 4 + 1 * 0) / 36
    assert found.kappa == pytest.approx((4 / 6 - chance) / (1 - chance))
    chance = (3 * 2 + 3 * 4) / 36
    assert found.kappa_relevant == pytest.approx((5 / 6 - chance) / (1 - chance))
    assert found.disputed == ("a.cn2", "a.cn5")


def test_agreement_that_says_nothing_is_not_defined() -> None:
    assert math.isnan(cohen([])) and math.isnan(cohen([("r", "r")] * 9)) and math.isnan(krippendorff([["r"], []]))
    assert math.isnan(agreements([sample(), sample()])[0].same)


def test_krippendorffs_printed_example() -> None:
    """Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", part C: nominal data, four observers, α = 0.743."""
    rows = ("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")
    texts = [[mark for mark in column if mark != "."] for column in zip(*(row.split() for row in rows), strict=True)]
    assert krippendorff(texts) == pytest.approx(0.743, abs=0.0005)
