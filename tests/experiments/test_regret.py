"""Figures of a crawl host by host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.comparison import ORACLE, RunKey, measure_path
from experiments.regret import ELSEWHERE, HostFigures, by_host, mean_figures
from topical_crawler.evaluation.labels import Label
from topical_crawler.web.urls import fingerprint


def labels_of(*found: Label) -> dict[bytes, Label]:
    return {fingerprint(label.url): label for label in found}


LABELS = labels_of(
    Label("http://a.cn/", "a.cn", "home", 0, ""),
    Label("http://a.cn/1", "a.cn", "article", 2, "1"),
    Label("http://a.cn/2", "a.cn", "article", 2, "2"),
    Label("http://b.cn/1", "b.cn", "copy", 2, "1"),
    Label("http://b.cn/3", "b.cn", "article", 1, "3"),
    Label("http://c.cn/4", "c.cn", "article", 0, "4"),
)


def test_a_text_counts_at_the_host_where_it_was_fetched_first() -> None:
    way = ["http://c.cn/4", "http://b.cn/1", "http://a.cn/1", "http://a.cn/none", "http://dead.cn/", "http://a.cn/2"]
    found = by_host(way, LABELS, 5)
    assert found == {
        "a.cn": HostFigures(there=2, reached=0, pages=2, area=0),
        "b.cn": HostFigures(there=1, reached=1, pages=1, area=4 / 9),
        ELSEWHERE: HostFigures(there=0, reached=0, pages=2, area=0),
    }
    assert by_host([], LABELS, 5)["a.cn"] == HostFigures(2, 0, 0, 0)
    assert by_host(way, {}, 5) == {ELSEWHERE: HostFigures(0, 0, 5, 0)}


@given(st.lists(st.sampled_from([label.url for label in LABELS.values()]), unique=True), st.integers(1, 8))
def test_areas_of_hosts_sum_up_to_that_of_the_crawl(way: list[str], budget: int) -> None:
    whole = measure_path(RunKey(ORACLE, "t", "s"), way, LABELS, budget)
    found = by_host(way, LABELS, budget)
    assert sum(host.area for host in found.values()) == pytest.approx(whole.area)
    assert sum(host.pages for host in found.values()) == whole.pages
    assert sum(host.reached for host in found.values()) == whole.relevant


def test_means_of_several_crawls() -> None:
    crawls = [{"a.cn": HostFigures(3, 1, 10, 0.1)}, {"a.cn": HostFigures(3, 2, 5, 0.4)}]
    assert mean_figures(crawls) == {"a.cn": HostFigures(3, 1.5, 7.5, 0.25)}
