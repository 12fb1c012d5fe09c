"""``python -m experiments papers`` as a user runs it: the bookshop of the demo, crawled for real, and what is asked for
wrongly."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.papers.crawls import Web, narrow_topics, open_crawls
from experiments.papers.experiment import CHEN, NARROW, NARROW_WORD, SUN, UNREPLACED, ZHANG
from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore

pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[experiments]'")

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]

DEMO = Path(__file__).resolve().parents[2] / "demo"
SMALL = ("papers", "zhang", "--budget", "25", "-s", "TOPICAL_RESOURCES=0", "--out", "out")
SITES = ("--sites", DEMO / "demo-web.warc.gz", "--sites-labels", DEMO / "labels.tsv", "--sites-seeds", DEMO / "seeds.txt")
PORTAL = Web(DEMO / "demo-web.warc.gz", DEMO / "labels.tsv", DEMO / "seeds.txt")


def files(out: Path) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in out.iterdir() if f.is_file()}


def test_a_bookshop_crawled_by_every_method(run_experiment: RunScrapy, call_experiment: RunScrapy, tmp_path: Path) -> None:
    shown = run_experiment(*SMALL, "--bookshop", DEMO, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    for part in ("Zhang et al.", "printed", "899", "odp2evsm > category_vsm in F", "→ out/papers.json, papers.csv, papers.html"):
        assert part in shown.stdout, shown.stdout
    assert "zhang: data-mining-books, odp2evsm: 25 pages" in shown.stderr

    out = tmp_path / "out"
    before = files(out)
    assert sorted(before) == ["papers.csv", "papers.html", "papers.json", *(f"zhang-figure-{n}.png" for n in (3, 4, 5))]
    figures = json.loads(before["papers.json"])["papers"]["zhang"]
    assert len(figures["claims"]) == 9
    methods = [m.name for m in ZHANG.methods]
    assert [row["method"] for row in figures["figures"] if row["quantity"] == "books"] == methods
    for method in methods:
        with CorpusStore(out / f"papers-crawls/zhang/data-mining-books.{method}/data/corpus.sqlite", read_only=True) as store:
            first = next(iter(store.records(Filters(rejected=True)))).url
        assert first.startswith("http://search.banshuzhai.example/Search?keyword=%E6%95%B0%E6%8D%AE%E6%8C%96%E6%8E%98")

    again = call_experiment(*SMALL, "--json", cwd=tmp_path)  # the bookshop of the checkout is there without being named
    assert again.returncode == 0, again.stderr
    assert "4 of 4 crawls are there already" in again.stderr
    assert again.stdout.encode() == before["papers.json"]
    assert files(out) == before


def test_which_crawls_an_experiment_is_made_of(tmp_path: Path) -> None:
    found = {p.name: p for p in open_crawls(CHEN, PORTAL, tmp_path / "chen", ("LOG_LEVEL=INFO",)).planned()}
    assert len(found) == 10
    arguments = found["weather.content_url"].arguments
    assert arguments["strategy"] == "content_url" and arguments["topic"].endswith("lexicon/topics/weather/")
    assert arguments["seeds"] == str(DEMO / "seeds.txt")
    assert found["weather.content_url"].called == "chen: weather, content_url"
    claimed = json.loads((tmp_path / "chen" / "experiment.json").read_text("utf-8"))
    assert "topic partybuilding" in claimed and claimed["settings"] == ["LOG_LEVEL=INFO"]


def test_the_topic_of_one_word(tmp_path: Path) -> None:
    topics = narrow_topics(NARROW, NARROW_WORD, tmp_path / "topics")
    kept, replaced = topics["narrow-topic", UNREPLACED], topics["narrow-topic", "esvsm"]
    assert kept.name != replaced.name and kept.terms == replaced.terms == {NARROW_WORD: 1.0}
    assert kept.parameters == {"esvsm": {"max_replacements": 0}} and not replaced.parameters
    place = tmp_path / "crawls"
    names = [p.name for p in open_crawls(NARROW, PORTAL, place, (), topics).planned()]
    assert names[-2:] == ["narrow-topic.esvsm", "narrow-topic.esvsm-word-kept"]
    names += [p.name for p in open_crawls(SUN, PORTAL, place, ()).planned()]  # beside the others, without being mixed up
    assert len(set(names)) == 6 + 25


@pytest.mark.parametrize(
    ("options", "code", "parts"),
    [
        (("moon",), 2, ("there is no experiment 'moon'; there are zhang, chen, sun",)),
        (("sun",), 2, ("sun needs a recorded web", "--sites WARC --sites-labels TSV --sites-seeds FILE")),
        (("chen", "--portal", "a.warc.gz"), 2, ("--portal, its labels and its seeds belong together", "--portal-labels TSV")),
        (("--budget", "0"), 2, ("'0' is no whole number of 1 or more",)),
        (("--processes", "0"), 2, ("'0' is no whole number of 1 or more",)),
        (("zhang", "--bookshop", "nowhere"), 1, ("nowhere/bookshop-labels.tsv",)),
        (("sun", *SITES), 1, ("no column 'HW'",)),
    ],
)
def test_mistakes(
    call_experiment: RunScrapy, tmp_path: Path, options: tuple[str | Path, ...], code: int, parts: tuple[str, ...]
) -> None:
    failed = call_experiment("papers", "--out", "out", *options, cwd=tmp_path)
    assert "Traceback" not in failed.stderr, failed.stderr
    assert failed.returncode == code, failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr, failed.stderr
    assert not (tmp_path / "out").exists()
