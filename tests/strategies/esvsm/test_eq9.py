"""Eq. 9 and the judgement by full text, with a measure that needs no language resource."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler import Candidate, Evidence, Page
from topical_crawler.strategies.esvsm.vector_space import TextAndAnchor, TextAndAnchorParameters
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf, Vsm

SEGMENTER = Segmenter(["内核", "进程"], backend="rjieba")
MEASURE = Vsm({"内核": 3.0, "进程": 4.0}, Idf({"内核": 1.0, "进程": 1.0, "天气": 1.0}))
PARAMETERS = TextAndAnchorParameters(page_threshold=0.5)
ANCHORS = {"内核": 0.6, "进程": 0.8, "天气": 0.0, "": 0.0}


def method(**changes: float) -> TextAndAnchor:
    return TextAndAnchor(MEASURE, SEGMENTER, replace(PARAMETERS, **changes))


def link(*places: tuple[float, str]) -> Candidate:
    return Candidate(
        "http://a.cn/1", tuple(Evidence(f"http://a.cn/{i}/", r, False, anchor) for i, (r, anchor) in enumerate(places))
    )


def test_eq_9_by_hand() -> None:
    """½·mean of the parents + ½·mean of the anchors."""
    given = link((0.9, "内核"), (0.3, "天气"), (0.0, "进程"))
    assert method().priority(given) == pytest.approx(0.5 * (1.2 / 3) + 0.5 * (0.6 + 0.8) / 3)
    assert method().explain(given) == pytest.approx({"parent": 0.4, "anchor": 1.4 / 3})
    assert method(page_weight=0.2, anchor_weight=0.7).priority(given) == pytest.approx(0.2 * 0.4 + 0.7 * 1.4 / 3)


def test_a_link_that_is_found_again_changes_its_priority() -> None:
    assert method().score([link((0.8, "内核"))])[0] == pytest.approx(0.7)
    assert method().score([link((0.8, "内核"), (0.0, "天气"))])[0] == pytest.approx(0.35)
    assert method().score([link()]) == [0.0]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from(list(ANCHORS))), min_size=1, max_size=8))
def test_no_link_is_worth_more_than_its_best_place(places: list[tuple[float, str]]) -> None:
    """So that a link that waits under the best of its single places is never held back."""
    whole = method().priority(link(*places))
    assert whole <= max(method().priority(link(place)) for place in places) + 1e-12
    assert method().priority(link(*places[::-1])) == whole


def test_links_are_dropped_only_where_there_is_a_threshold() -> None:
    given = [link((0.0, "天气")), link((0.4, "天气")), link((0.6, "内核"))]
    assert method().score(given) == pytest.approx([0.0, 0.2, 0.6])
    assert method(link_threshold=0.2).score(given) == [None, None, pytest.approx(0.6)]


def test_a_page_is_judged_by_its_full_text() -> None:
    html = "<title>天气</title><nav>内核 进程</nav><p>内核与进程，进程。<p>进程"
    verdict = method().judge(Page.from_html("http://a.cn/", html))
    relevance = MEASURE.of(["天气", "内核", "进程", "进程", "进程"])
    assert (verdict.relevance, verdict.keep) == (pytest.approx(relevance), True)
    assert dict(verdict.why) == {"进程": 0.8, "内核": 0.2}
    assert method(page_threshold=0.99).judge(Page.from_html("http://a.cn/", html)).keep is False


def test_the_main_text_counts_where_there_is_a_threshold() -> None:
    assert method().confirm("天气") == (0.0, True)
    assert method(text_threshold=0.1).confirm("天气") == (0.0, False)
    assert method(text_threshold=0.1).confirm("进程") == (pytest.approx(0.8), True)


def test_with_another_measure_anchors_are_measured_again() -> None:
    taught = method()
    assert taught.anchor("天气") == 0.0
    taught.use(Vsm({"天气": 1.0}, Idf({"天气": 1.0})))
    assert taught.anchor("天气") == 1.0
