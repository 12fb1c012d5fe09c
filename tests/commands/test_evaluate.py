"""``topical-crawler evaluate`` as a user runs it, on a corpus of ten pages."""

import json
import subprocess
from pathlib import Path

import pytest
from command_tools import RunScrapy

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

LABELS = """url\tsite\tkind\tgrade\tdoc\tML
http://a.cn/\ta.cn\thome\t0\t\t0
http://a.cn/1\ta.cn\tarticle\t2\t1\t0
http://a.cn/2\ta.cn\tarticle\t2\t2\t0
http://a.cn/3\ta.cn\tarticle\t0\t3\t2
http://b.cn/1\tb.cn\tcopy\t2\t1\t0
http://b.cn/4\tb.cn\tarticle\t2\t4\t0
http://b.cn/5\tb.cn\tarticle\t1\t5\t0
"""
# (address, relevance; None: rejected, reason)
SEMANTIC = [
    ("a.cn/", None, "off topic"), ("a.cn/1", 0.9, ""), ("a.cn/2", 0.5, ""), ("b.cn/old", None, "redirected"),
    ("b.cn/1", 0.9, ""), ("b.cn/4", None, "off topic"), ("a.cn/3", 0.2, ""), ("b.cn/5", 0.4, ""),
]  # fmt: skip
BREADTH_FIRST = [("a.cn/", None, "off topic"), ("a.cn/3", 0.3, ""), ("b.cn/5", 0.3, ""), ("a.cn/2", 0.3, ""), ("a.cn/1", 0.3, "")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    (folder / "labels.tsv").write_text(LABELS, encoding="utf-8")
    (folder / "bad.tsv").write_text("url\tkind\tgrade\nhttp://a.cn/\tarticle\t5\n", encoding="utf-8")
    (folder / "empty").mkdir()
    for name, pages in (("semantic", SEMANTIC), ("breadth_first", BREADTH_FIRST)):
        with CorpusStore(folder / name / "corpus.sqlite") as store:
            for address, relevance, reason in pages:
                host, text = address.split("/")[0], None if relevance is None else f"正文{address[-1]}"
                page = {"url": f"http://{address}", "host": host, "keep": not reason, "text": text, "reason": reason}
                store.put(Record(**page, relevance=relevance or 0.0))  # type: ignore[arg-type]
    return folder


def figures(shown: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert (shown.returncode, shown.stderr) == (0, ""), shown.stderr
    found: dict[str, object] = json.loads(shown.stdout)
    return found


def test_sites(run_scrapy: RunScrapy, folder: Path) -> None:
    """b.cn/1 is a copy of a.cn/1, so b.cn has collected nothing but b.cn/5, which is mixed."""
    shown = run_scrapy("evaluate", "sites", "--labels", "labels.tsv", "semantic", cwd=folder)
    assert (shown.returncode, shown.stderr) == (0, "")
    table = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.stdout.splitlines() if "│" in line]
    assert table[:4] == [
        ["a.cn", "3", "2", "66.67", "100.0", "2"],
        ["b.cn", "0", "0", "0.00", "50.0", "2"],
        ["all texts", "3", "2", "66.67", "75.0", "4"],
        ["mean of sites", "", "", "66.67", "", ""],  # of the sites that have texts
    ]
    assert ["0.50000", "2", "100.0", "75.0"] in table


def test_sites_as_figures(call_scrapy: RunScrapy, folder: Path) -> None:
    found = figures(call_scrapy("evaluate", "sites", "--labels", "labels.tsv", "--json", "semantic/corpus.sqlite", cwd=folder))
    assert found["sites"] == [
        {"site": "a.cn", "texts": 3, "relevant": 2, "precision": pytest.approx(2 / 3), "recall": 1.0},
        {"site": "b.cn", "texts": 0, "relevant": 0, "precision": 0.0, "recall": 0.5},
    ]
    assert found["all"] == {
        "texts": 3, "relevant": 2, "mean_precision": pytest.approx(2 / 3), "precision": pytest.approx(2 / 3), "recall": 0.75
    }  # fmt: skip
    curve = found["curve"]
    assert isinstance(curve, list)
    assert [step["threshold"] for step in curve] == [0.0, 0.2, 0.4, 0.5, 0.9]
    assert [step["precision"] for step in curve] == pytest.approx([2 / 3, 2 / 3, 1, 1, 1])
    assert [step["recall"] for step in curve] == [0.75, 0.75, 0.75, 0.75, 0.5]


def test_another_column_of_grades(call_scrapy: RunScrapy, folder: Path) -> None:
    found = figures(call_scrapy("evaluate", "sites", "--labels", "labels.tsv", "--grade", "ML", "--json", "semantic", cwd=folder))
    assert found["all"] == {"texts": 4, "relevant": 1, "mean_precision": pytest.approx(1 / 6), "precision": 0.25, "recall": 1.0}


def test_harvest_of_two_crawls(run_scrapy: RunScrapy, folder: Path) -> None:
    shown = run_scrapy(
        "evaluate", "harvest", "--labels", "labels.tsv", "ours=semantic", "breadth_first", "--picture", "curve.svg", cwd=folder
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    for part in ("ours", "breadth_first", "42.9%", "recall (of 3)", "100.0%", "┤", "● ours   ○ breadth_first"):
        assert part in shown.stdout, shown.stdout
    assert "<svg" in (folder / "curve.svg").read_text("utf-8")


def test_harvest_as_figures(call_scrapy: RunScrapy, folder: Path) -> None:
    """Texts 1, 2 and 4 are relevant; a redirect is no page. Semantic reaches 0 1 2 2 3 …, breadth-first 0 0 0 1 2."""
    found = figures(
        call_scrapy(
            "evaluate", "harvest", "--labels", "labels.tsv", "--json", "--budget", "5", "semantic", "breadth_first", cwd=folder
        )
    )
    assert found == {
        "semantic": {"pages": 5, "relevant": 3, "harvest_rate": 0.6, "recall": 1.0, "area": pytest.approx(8 / 12)},
        "breadth_first": {
            "pages": 5, "relevant": 2, "harvest_rate": 0.4, "recall": pytest.approx(2 / 3), "area": pytest.approx(3 / 12),
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ("", 2, ("say what to do: sites or harvest",)),
        ("sites --labels nowhere.tsv semantic", 1, ("topical-crawler evaluate sites:", "nowhere.tsv")),
        ("sites --labels bad.tsv semantic", 1, ("bad.tsv, line 2: the grade is '5'", "Set it to")),
        ("harvest --labels labels.tsv --grade NLP semantic", 1, ("no column 'NLP'", "url, site, kind, grade, doc, ML")),
        ("harvest --labels labels.tsv semantic nowhere", 1, ("topical-crawler evaluate harvest:", "nowhere")),
        ("harvest --labels labels.tsv semantic ./semantic", 2, ("are named 'semantic'", "Name them apart")),
        ("harvest --labels labels.tsv semantic --budget -1", 2, ("--budget: '-1' is no whole number of 0 or more",)),
        ("sites --labels labels.tsv empty", 1, ("topical-crawler evaluate sites:", "empty/corpus.sqlite")),
        ("harvest --labels labels.tsv semantic --picture a.png", 2, ("a.png: the picture is an SVG image",)),
    ],
)
def test_mistakes(call_scrapy: RunScrapy, folder: Path, arguments: str, code: int, parts: tuple[str, ...]) -> None:
    failed = call_scrapy("evaluate", *arguments.split(), cwd=folder)
    assert "Traceback" not in failed.stderr, failed.stderr
    assert failed.returncode == code, failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr, failed.stderr
