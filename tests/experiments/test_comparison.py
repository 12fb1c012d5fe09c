"""Figures of one crawl, over a small crawl worked out by hand and in agreement with the older measures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.comparison import STEPS, Quality, RunKey, SiteFigures, measure, measure_path, steps
from experiments.comparison_report import FIGURES
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import Label
from topical_crawler.evaluation.metrics import group_score, harvest_curve, site_scores
from topical_crawler.web.urls import fingerprint

KEY = RunKey("semantic", "党建", "home", seed=1, cap=50)


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
        label("b.cn/1", "copy", 2, "1"),
        label("b.cn/5", "article", 2, "5"),
        label("b.cn/list", "list", 2),
        label("c.cn/6", "article", 2, "6"),
    )
}


def record(url: str, reason: str = "", encoding: str = "utf-8") -> Record:
    text = None if reason else "正文"
    return Record(url=f"http://{url}", host=url.split("/")[0], keep=not reason, reason=reason, text=text, encoding=encoding)


CRAWL = [
    record("a.cn/"),  # a home page that was kept by mistake
    record("a.cn/1"),
    record("www.b.cn/1", "redirected", ""),
    record("b.cn/1", "duplicate"),
    record("a.cn/4"),
    record("d.cn/", "unreachable", ""),
    record("a.cn/3", "off topic"),
    record("b.cn/5", "off topic"),
]


def test_a_small_crawl_by_hand() -> None:
    run = measure(KEY, CRAWL, LABELS, budget=10)
    assert run.curve == (0, 1, 1, 1, 1, 1, 2)
    assert (run.pages, run.relevant, run.total, run.harvest_rate) == (7, 2, 4, 2 / 7)
    assert run.area == pytest.approx((0 + 1 + 1 + 1 + 1 + 1 + 2 + 2 + 2 + 2) / (1 + 2 + 3 + 4 * 7))
    assert run.mean_relevance == (1 + 1 + 0.5 + 0 + 1) / 5  # two copies of one text are two pages
    assert run.fetched[-1] == Quality(7, collected=3, relevant=2, held=2, available=4)
    assert run.kept[-1] == Quality(7, collected=2, relevant=1, held=1, available=4)
    assert (run.hosts, run.relevant_hosts) == (2, 2)  # d.cn never answered
    assert run.sites == (SiteFigures("a.cn", 4, 1, 2), SiteFigures("b.cn", 2, 2, 2), SiteFigures("c.cn", 0, 0, 1))


def test_recall_at_any_number_of_pages() -> None:
    run = measure(KEY, CRAWL, LABELS, budget=10)
    assert [run.recall_at(k) for k in (0, 1, 2, 7, 10, 4000)] == [0, 0, 0.25, 0.5, 0.5, 0.5]
    short = measure(KEY, CRAWL, LABELS, budget=2)  # the budget ends a crawl
    assert short.curve == (0, 1) and short.fetched[-1].pages == 2


def test_every_figure_has_a_name_for_people() -> None:
    assert set(measure(KEY, [], LABELS, budget=4000).scalars()) == set(FIGURES)
    names = measure(KEY, [], LABELS, budget=1000).scalars().keys()  # checkpoints within the budget only
    assert "recall_500" in names and "recall_1000" not in names and "recall" in names


def test_no_page_and_no_relevant_text() -> None:
    for run in (measure(KEY, [], LABELS, 5), measure(KEY, CRAWL, {}, 5)):
        assert run.scalars()["area"] == run.scalars()["kept_f"] == run.recall_at(5) == 0
    assert measure(KEY, [], LABELS, 5).fetched == (Quality(0, 0, 0, 0, 4),)
    with pytest.raises(ValueError, match="at least 1"):
        measure(KEY, [], LABELS, 0)


def test_a_path_keeps_what_is_relevant() -> None:
    run = measure_path(KEY, ["http://a.cn/", "http://b.cn/1", "http://a.cn/1", "http://a.cn/3"], LABELS, 9)
    assert run.curve == (0, 1, 1, 1)
    assert run.kept[-1] == Quality(4, 1, 1, 1, 4) and run.fetched[-1].collected == 2


@given(pages=st.integers(0, 5000), budget=st.integers(1, 5000))
def test_samples_are_few_and_hold_the_end(pages: int, budget: int) -> None:
    found = steps(min(pages, budget), budget)
    assert len(found) <= STEPS + 1 and found[-1] == min(pages, budget)
    assert found == sorted(set(found))


@given(st.lists(st.sampled_from([*(found.url for found in LABELS.values()), "http://d.cn/"]), unique=True), st.data())
def test_agreement_with_the_other_measures(urls: list[str], data: st.DataObject) -> None:
    records = [record(url[7:], data.draw(st.sampled_from(["", "off topic", "duplicate"]))) for url in urls]
    run = measure(KEY, records, LABELS, 20)
    assert list(run.curve) == harvest_curve(urls, LABELS)
    assert [q.held for q in run.fetched] == ([*run.curve] or [0])
    scores = site_scores(records, LABELS)
    whole = group_score("all", scores)[1]
    # Table 8 counts a text once for every site that has it
    assert run.kept[-1].collected <= whole.collected <= run.kept[-1].collected + 1
    assert {s.site: s.pages for s in run.sites}.items() >= {("c.cn", sum("c.cn" in url for url in urls))}
    shares = {k: v for k, v in run.scalars().items() if k not in ("pages", "relevant", "kept", "hosts", "relevant_hosts")}
    assert all(0 <= v <= 1 for v in shares.values())
    assert run.relevant_hosts <= run.hosts and run.relevant <= run.total
