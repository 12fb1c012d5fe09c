"""Table 8 and harvest curves over small crawls worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import Label
from topical_crawler.evaluation.metrics import (
    SiteScore,
    area_under_recall,
    group_score,
    harvest_curve,
    relevant_texts,
    site_scores,
)
from topical_crawler.web.urls import fingerprint


def label(url: str, kind: str, grade: int, doc: str = "") -> Label:
    return Label(f"http://{url}", url.split("/")[0], kind, grade, doc)


LABELS = {
    fingerprint(found.url): found
    for found in (
        label("a.cn/", "home", 0),
        label("a.cn/1", "article", 2, "1"),
        label("a.cn/2", "article", 2, "2"),
        label("a.cn/3", "article", 0, "3"),
        label("a.cn/4", "article", 1, "4"),
        label("a.cn/1b", "copy", 2, "1"),
        label("b.cn/1", "copy", 2, "1"),
        label("b.cn/5", "article", 2, "5"),
        label("b.cn/6", "video", 2),
        label("c.cn/", "list", 0),
    )
}


def kept(url: str, relevance: float = 1.0) -> Record:
    return Record(url=f"http://{url}", host=url.split("/")[0], keep=True, text="正文", relevance=relevance)


def rejected(url: str, reason: str, relevance: float = 1.0) -> Record:
    return Record(url=f"http://{url}", host=url.split("/")[0], keep=False, reason=reason, relevance=relevance)


def scores(*records: Record, threshold: float = 0.0) -> dict[str, tuple[int, int, int, int]]:
    return {s.site: (s.collected, s.relevant, s.held, s.available) for s in site_scores(records, LABELS, threshold)}


def test_nothing_collected() -> None:
    assert scores() == {"a.cn": (0, 0, 0, 2), "b.cn": (0, 0, 0, 2), "c.cn": (0, 0, 0, 0)}


def test_a_small_crawl_by_hand() -> None:
    found = scores(
        kept("a.cn/1"),  # relevant
        kept("a.cn/3"),  # not
        kept("a.cn/4"),  # mixed: left out
        kept("a.cn/"),  # a page without a text, collected all the same
        rejected("a.cn/2", "off topic"),
        kept("b.cn/6"),  # relevant, but no text of a corpus
        rejected("b.cn/1", "duplicate"),  # of a.cn/1: found, not collected
        kept("http.cn/unlabelled"),
    )
    assert found == {"a.cn": (3, 1, 1, 2), "b.cn": (1, 0, 1, 2), "c.cn": (0, 0, 0, 0)}


def test_copies_of_one_text_count_once_per_site() -> None:
    found = scores(kept("a.cn/1"), kept("a.cn/1b"), kept("b.cn/1"))
    assert found == {"a.cn": (1, 1, 1, 2), "b.cn": (1, 1, 1, 2), "c.cn": (0, 0, 0, 0)}


def test_a_text_found_on_another_site_is_found() -> None:
    assert scores(kept("b.cn/1"))["a.cn"] == (0, 0, 1, 2)


def test_a_duplicate_alone_counts_as_held() -> None:
    """Its twin may stand under an address without a label."""
    assert scores(rejected("b.cn/1", "duplicate"))["b.cn"] == (0, 0, 1, 2)
    assert scores(rejected("b.cn/1", "too short"))["b.cn"] == (0, 0, 0, 2)


def test_a_higher_threshold_takes_fewer() -> None:
    records = [kept("a.cn/1", 0.9), kept("a.cn/3", 0.2), kept("b.cn/5", 0.5), rejected("b.cn/1", "duplicate", 0.1)]
    assert scores(*records, threshold=0.2)["a.cn"] == (2, 1, 1, 2)
    assert scores(*records, threshold=0.5)["a.cn"] == (1, 1, 1, 2)
    assert scores(*records, threshold=1.0) == scores()


def test_precision_and_recall() -> None:
    score = SiteScore("a.cn", collected=4, relevant=3, held=2, available=5)
    assert (score.precision, score.recall) == (0.75, 0.4)
    assert (SiteScore("a.cn", 0, 0, 0, 0).precision, SiteScore("a.cn", 0, 0, 0, 0).recall) == (0.0, 0.0)


def test_a_group_has_the_mean_of_its_sites_and_their_sums() -> None:
    mean, together = group_score("all", [SiteScore("a", 10, 9, 9, 10), SiteScore("b", 2, 1, 1, 4), SiteScore("c", 0, 0, 0, 3)])
    assert mean == pytest.approx((0.9 + 0.5) / 2)  # a site that gave nothing has no precision
    assert together == SiteScore("all", 12, 10, 10, 17)
    assert together.precision == pytest.approx(10 / 12)
    assert group_score("none", []) == (0.0, SiteScore("none", 0, 0, 0, 0))


def test_harvest_counts_texts_when_they_are_first_reached() -> None:
    pages = [f"http://{page}" for page in ("a.cn/", "a.cn/1", "b.cn/1", "a.cn/3", "b.cn/6", "x.cn/", "B.cn:80/5#x")]
    assert harvest_curve(pages, LABELS) == [0, 1, 1, 1, 1, 1, 2]
    assert harvest_curve([], LABELS) == []
    assert relevant_texts(LABELS) == 3  # 1, 2 and 5
    assert relevant_texts({}) == 0


@pytest.mark.parametrize(
    ("curve", "total", "budget", "area"),
    [
        ([1, 2, 2, 2], 2, 4, 1.0),
        ([1, 2], 2, 4, 1.0),  # ended early with all of them
        ([0, 0, 1, 2], 2, 4, 3 / 7),
        ([0, 1], 2, 4, (0 + 1 + 1 + 1) / 7),
        ([1, 2, 3, 4, 5], 5, 2, 1.0),  # pages beyond the budget do not count
        ([], 2, 4, 0.0),
        ([0, 0], 0, 2, 0.0),
        ([1], 1, 0, 0.0),
    ],
)
def test_area_under_recall(curve: list[int], total: int, budget: int, area: float) -> None:
    assert area_under_recall(curve, total, budget) == pytest.approx(area)


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 80))
def test_the_area_is_a_share_and_earlier_is_better(hits: list[bool], budget: int) -> None:
    total = sum(hits) or 1

    def area(found: list[bool]) -> float:
        return area_under_recall([sum(found[: k + 1]) for k in range(len(found))], total, budget)

    assert 0 <= area(hits) <= 1
    assert area(sorted(hits)) <= area(hits) <= area(sorted(hits, reverse=True))
