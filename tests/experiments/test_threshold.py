"""Figure 2 over small crawls worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.threshold import Cost, Point, best_point, measure
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import Label
from topical_crawler.web.urls import fingerprint


def is_page(record: Record) -> bool:
    return record.reason != "redirected"


def page(number: int, reason: str = "", encoding: str = "utf-8") -> Record:
    text = None if reason else f"第{number}篇"
    return Record(url=f"http://a.cn/{number}", host="a.cn", keep=not reason, text=text, reason=reason, encoding=encoding)


def point(threshold: float, pages: int, texts: int, relevant: int) -> Point:
    precision = relevant / texts if texts else math.nan
    return Point(threshold, pages, texts, relevant, precision, relevant / 100, {})


CRAWL = [page(1), page(2, "redirected", ""), page(3, "HTTP 404", ""), page(4, "off topic"), page(5)]


@pytest.mark.parametrize(
    ("cost", "seconds", "rows"),
    [
        (Cost(), 0.5, 0),
        (Cost(), 1, 2),  # the redirect after the first page is no page
        (Cost(), 3, 4),
        (Cost(), 99, 5),
        (Cost(fetch=0.1), 0.3, 4),  # not 2, as 0.1 + 0.1 + 0.1 > 0.3 would have it
        (Cost(judge=1), 5, 4),  # what did not come is not judged: 2 + 1 + 2
        (Cost(judge=1), 4.9, 3),
    ],
)
def test_what_a_budget_pays_for(cost: Cost, seconds: float, rows: int) -> None:
    assert cost.affordable(CRAWL, seconds, is_page) == CRAWL[:rows]


@given(
    st.lists(st.sampled_from(["", "redirected", "off topic", "HTTP 404"]), max_size=30),
    st.floats(0.01, 10),
    st.floats(0, 10),
    st.floats(0, 100),
    st.floats(0, 100),
)
def test_a_longer_budget_continues_a_shorter_one(reasons: list[str], fetch: float, judge: float, one: float, more: float) -> None:
    crawl = [page(n, reason, "" if "4" in reason else "utf-8") for n, reason in enumerate(reasons)]
    cost = Cost(fetch, judge)
    short, long = cost.affordable(crawl, one, is_page), cost.affordable(crawl, one + more, is_page)
    assert long[: len(short)] == short
    assert sum(map(is_page, short)) <= cost.most_pages(one)


def test_a_crawl_is_measured_by_its_labels() -> None:
    grades = {1: 2, 4: 2, 5: 0, 6: 2}
    found = [Label(f"http://a.cn/{n}", "a.cn" if n < 6 else "b.cn", "article", grade, str(n)) for n, grade in grades.items()]
    labels = {fingerprint(label.url): label for label in found}
    measured = measure(0.4, CRAWL, labels, {"A": ["a.cn"], "both": ["a.cn", "b.cn"]}, is_page)
    assert measured == Point(0.4, 4, 2, 1, 0.5, pytest.approx(1 / 3), {"A": 0.5, "both": 0.5})
    nothing = measure(16.0, CRAWL[1:4], labels, {}, is_page)
    assert (nothing.pages, nothing.texts) == (2, 0)
    assert math.isnan(nothing.precision)


def test_the_best_has_the_volume_at_nearly_the_highest_precision() -> None:
    low, middle, high = point(0.1, 900, 100, 80), point(0.4, 900, 80, 76), point(1.6, 500, 40, 38)
    assert best_point([low, middle, high]) is middle  # 0.95, as the third, with more texts
    assert best_point([low, middle, point(1.6, 10, 4, 4)]) == point(1.6, 10, 4, 4)  # 1.0 is five points above
    assert best_point([point(0.1, 900, 80, 76), point(0.2, 700, 80, 76)]) == point(0.2, 700, 80, 76)  # for fewer pages
    assert best_point([point(0.1, 9, 100, 90), point(0.2, 9, 100, 89)]) == point(0.1, 9, 100, 90)
    assert best_point([point(16, 9, 0, 0)]) is None
    assert best_point([]) is None
