"""The papers' experiments: what is known as printed, and figures over small crawls worked out by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from experiments.papers import chen as paper_chen
from experiments.papers import experiment as papers
from experiments.papers import sun as paper_sun
from experiments.papers import zhang as paper_zhang
from experiments.papers.experiment import CHEN, MEAN, NARROW, SUN, ZHANG, Crawls, Labels, Least, Measurement, Order, Reproduction
from experiments.papers.report import FILES, write_report
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import Label
from topical_crawler.web.urls import fingerprint

URLS = [f"http://a.cn/{n}" for n in range(40)]
GOOD, BAD = URLS[:10], URLS[10:]
LABELS = {fingerprint(u): Label(u, "a.cn", "article", 2 if u in GOOD else 0, str(n)) for n, u in enumerate(URLS)}


def record(url: str, keep: bool = True, reason: str = "off topic") -> Record:
    return Record(url=url, host="a.cn", keep=keep, text="正文" if keep else None, reason="" if keep else reason, encoding="utf-8")


def crawl(good: int, bad: int = 20) -> list[Record]:
    """``good`` texts on topic, which are kept, then others, which are not."""
    return [record(u) for u in GOOD[:good]] + [record(u, keep=False) for u in BAD[:bad]]


def crawls(experiment: papers.Experiment, good: dict[str, int]) -> Crawls:
    return {(t.name, m.name): crawl(good[m.name]) for t in experiment.topics for m in experiment.methods}


def labels(*experiments: papers.Experiment) -> dict[str, Labels]:
    return {t.name: LABELS for e in experiments for t in e.topics}


def ours(found: Reproduction, item: str, quantity: str, topic: str, pages: int = 0) -> dict[str, float]:
    wanted = (item, quantity, topic, pages)
    return {r.method: r.ours for r in found.rows if (r.item, r.quantity, r.topic, r.pages) == wanted}


def verdicts(found: Reproduction) -> dict[str, bool]:
    return {f.sentence.split(":")[0]: f.holds for f in found.findings}


def sun(good: dict[str, int]) -> Reproduction:
    few = {**good, papers.UNREPLACED: 3}
    ways = {t.name: GOOD for t in SUN.topics}
    return paper_sun.reproduce(crawls(SUN, good), labels(SUN, NARROW), ways, crawls(NARROW, few), 20)


AS_PRINTED = {"breadth_first": 1, "vsm": 3, "ssrm": 2, "svsm": 4, "esvsm": 8}


def test_the_means_of_table_1_are_those_of_its_rows() -> None:
    for method, printed in papers.TABLE_1_MEAN.items():
        for place in (0, 1):
            values = [row[method][place] for row in papers.TABLE_1.values()]
            assert sum(values) / len(values) == pytest.approx(printed[place], abs=0.05)


def test_figure_5_and_6_by_hand() -> None:
    found = sun(AS_PRINTED)
    at_the_end = ours(found, "Figure 5", "harvest rate", MEAN, 20)
    assert at_the_end == {**{m: n / 20 for m, n in AS_PRINTED.items()}, "oracle": 10 / 20}
    at_the_start = ours(found, "Figure 5", "harvest rate", "computing", 2)
    assert at_the_start.pop("breadth_first") == 0.5 and set(at_the_start.values()) == {1.0}
    assert ours(found, "Figure 6", "mean relevance", MEAN, 20)["esvsm"] == 8 / 20
    assert set(ours(found, "beside Figure 6", "precision of what is kept", MEAN, 20).values()) == {1.0}
    assert [r.printed for r in found.rows if r.printed] == ["20-30% above all others", "above 0.85"]


def test_what_sun_says_holds_or_not() -> None:
    said = verdicts(sun(AS_PRINTED))
    assert said["svsm > ssrm in harvest rate at 20 pages"] and said["vsm > breadth_first in harvest rate at 20 pages"]
    assert said["esvsm at least 20% above svsm in harvest rate at 20 pages"]
    assert not said["esvsm above 0.850 in mean relevance at 20 pages"]
    assert not said["vsm > esvsm in harvest rate at 2 pages"]  # equal is not above
    assert said["esvsm > esvsm, word kept in relevant texts at 20 pages"]
    other = verdicts(sun({**AS_PRINTED, "svsm": 8, "esvsm": 2}))
    assert not other["esvsm ≥ svsm in harvest rate at 20 pages"]
    assert not other["esvsm > esvsm, word kept in relevant texts at 20 pages"]


def test_a_crawl_of_books_by_hand() -> None:
    mixed, copy, page = "http://a.cn/mixed", "http://a.cn/copy", "http://a.cn/list"
    known = {
        **LABELS,
        fingerprint(mixed): Label(mixed, "a.cn", "article", 1, "mixed"),
        fingerprint(copy): Label(copy, "a.cn", "copy", 2, "0"),
        fingerprint(page): Label(page, "a.cn", "list", 2, ""),
    }
    visited = [record(page), record(GOOD[0]), record(copy, False, "duplicate"), record(BAD[0]), record(mixed)]
    visited += [record(GOOD[1], False)]
    books = paper_zhang.collect_books([*visited, record("http://a.cn/5", False, "redirected")], known)
    assert (books.pages, books.collected) == (5, 3)
    curve = [(q.collected, q.relevant, q.held) for q in books.curve]
    assert curve == [(0, 0, 0), (1, 1, 1), (1, 1, 1), (2, 1, 1), (2, 1, 1), (2, 1, 1)]
    assert books.after_fetching(3).precision == 0.5 and books.after_fetching(500) == books.curve[-1]
    first, never = books.after_collecting(2), books.after_collecting(3)
    assert first is not None and first.pages == 3 and never is None
    assert paper_zhang.collect_books(visited, known, everything=True).collected == 4


def test_figures_3_to_5_of_zhang_by_hand() -> None:
    good = {"breadth_first": 10, "keyword_vsm": 6, "category_vsm": 7, "odp2evsm": 9}
    found = paper_zhang.reproduce(crawls(ZHANG, good), LABELS)
    topic = ZHANG.topics[0].name
    assert ours(found, "Figure 4", "recall", topic, 50) == {"keyword_vsm": 0.6, "category_vsm": 0.7, "odp2evsm": 0.9}
    assert ours(found, "Section 5.4", "books", topic) == {**good, "breadth_first": 30}
    printed = {r.method: r.printed for r in found.rows if r.quantity == "books"}
    assert printed == {"breadth_first": "899", "keyword_vsm": "625", "category_vsm": "575", "odp2evsm": "501"}
    said = verdicts(found)
    assert said["odp2evsm > category_vsm in F at 50 pages"] and not said["odp2evsm > category_vsm in precision at 50 pages"]
    assert said["breadth_first > keyword_vsm in books"] and not said["category_vsm > odp2evsm in books"]


def test_table_1_by_hand() -> None:
    found = paper_chen.reproduce(crawls(CHEN, {"content": 4, "content_url": 8}), labels(CHEN), 30)
    pages = round(papers.pages_per_target() * 10)
    assert pages == 12
    assert ours(found, "Table 1", "precision", "weather") == {"content": 4 / 12, "content_url": 8 / 12}
    assert ours(found, "Table 1", "recall", MEAN) == pytest.approx({"content": 0.4, "content_url": 0.8})
    assert ours(found, "Table 1, but at 30 pages", "precision", "weather")["content"] == 4 / 24  # it came to its end before
    printed = {(r.topic, r.quantity): r.printed for r in found.rows if r.printed and r.method == "content_url"}
    assert printed["weather", "precision"] == "62.7%" and printed[MEAN, "recall"] == "74.1%"
    assert not [topic for topic, _ in printed if topic == "partybuilding"]
    assert verdicts(found) == {"content_url > content in precision": True, "content_url > content in recall": True}


def rows(first: float, second: float, *topics: tuple[float, float]) -> list[Measurement]:
    values = {MEAN: (first, second), **{f"topic {n}": pair for n, pair in enumerate(topics)}}
    return [Measurement("F", "F", 9, t, m, "", x) for t, pair in values.items() for m, x in zip("ab", pair, strict=True)]


def test_a_verdict_counts_topics() -> None:
    found = Order("F", "F", 9, "a", "b").check(rows(0.4, 0.5, (0.6, 0.5), (0.2, 0.5)), MEAN)
    assert found.sentence == "a > b in F at 9 pages: does not hold, 40.0% against 50.0%; in 1 of 2 topics" and not found.holds
    margin = Order("F", "F", 9, "a", "b", margin=0.2).check(rows(0.6, 0.5, (0.6, 0.5), (0.5, 0.5)), MEAN)
    assert margin.sentence == "a at least 20% above b in F at 9 pages: holds, 60.0% against 50.0% (+20%); in 1 of 2 topics"
    least = Least("F", "F", 9, "a", 0.3).check(rows(0.4, 0.5, (0.3, 0.5)), MEAN)
    assert least.sentence == "a above 30.0% in F at 9 pages: holds, 40.0%; in 0 of 1 topics"


def test_the_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[experiments]'")
    found = [paper_chen.reproduce(crawls(CHEN, {"content": 4, "content_url": 8}), labels(CHEN), 30), sun(AS_PRINTED)]

    for folder in ("1", "2"):
        names = write_report(tmp_path / folder, found, {"web": "<b>&"})
    assert names == [*FILES, "chen-table-1.png", "sun-figure-4.png", "sun-figure-5.png", "sun-figure-6.png"]
    assert sorted(f.name for f in (tmp_path / "1").iterdir()) == sorted(names)
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    html = (tmp_path / "1" / "papers.html").read_text("utf-8")
    assert "&lt;b&gt;&amp;" in html and "<script" not in html and "src=" not in html and "printed 62.7%" in html
    data = json.loads((tmp_path / "1" / "papers.json").read_text("utf-8"))
    with (tmp_path / "1" / "papers.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == sum(len(one["figures"]) for one in data["papers"].values())
    place = {"paper": "chen", "item": "Table 1", "quantity": "recall", "pages": "0", "topic": "weather", "method": "content"}
    assert {**place, "printed": "53.3%", "ours": "0.4"} in lines
