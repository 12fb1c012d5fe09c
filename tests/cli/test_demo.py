"""``topical-crawler demo`` as a user runs it, and what it leaves."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from fork_tools import run_forked
from lxml.html import document_fromstring

from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.evaluation.metrics import relevant_texts

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "COLUMNS": "120", "PATH": "/usr/bin:/bin", "HOME": str(cwd)}
    return run_forked(["-m", "topical_crawler", *arguments], cwd, environment)


pytestmark = pytest.mark.slow  # `make demo` is run before the tests


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("elsewhere")
    done = run("demo", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stderr + done.stdout


def test_every_number_agrees(demo: tuple[Path, str]) -> None:
    folder, said = demo
    stats = json.loads(run("corpus", "stats", "data/demo", "--json", cwd=folder).stdout)
    with CorpusStore(folder / "data/demo/corpus.sqlite", read_only=True) as store:
        kept = len(list(store.records(Filters())))
    assert stats["kept"] == kept > 40
    assert stats["fetched"] == kept + sum(stats["rejected"].values())
    assert f"This run: {stats['fetched']} pages and {stats['redirects']} redirects" in said and f", {kept} kept (" in said
    total = relevant_texts(read_labels(ROOT / "demo/labels.tsv"))
    assert f"On-topic texts reached (of {total})" in said
    assert re.search(rf"all +│ {kept} +│", said)
    page = document_fromstring((folder / "data/demo/report.html").read_text("utf-8"))
    words = " ".join(page.text_content().split())
    assert f"{stats['fetched']} pages of a small recorded web" in words and f"{kept} texts were kept" in words
    assert f"holds {total} texts on it" in words
    assert len(page.findall(".//summary")) == kept


def test_the_report_shows_the_curve_and_needs_no_network(demo: tuple[Path, str]) -> None:
    folder, said = demo
    report = folder / "data/demo/report.html"
    assert report.absolute().as_uri() in said
    page = document_fromstring(report.read_text("utf-8"))
    assert page.xpath("//script|//link|//img|//iframe|//*[@src or @href]") == []
    lines = page.xpath("//polyline/@points")
    assert len(lines) == 3  # ours, breadth-first, ideal
    heights = [float(point.split(",")[1]) for point in lines[1].split()]
    assert heights == sorted(heights, reverse=True) and len(heights) > 200


def test_the_next_commands_work(demo: tuple[Path, str]) -> None:
    folder, said = demo
    search, export, *_ = said.split("Next:   ")[-1].splitlines()
    assert "党课" in run(*search.split()[1:], cwd=folder).stdout
    assert run(*export.split()[1:], cwd=folder).returncode == 0
    assert (folder / "corpus.jsonl").read_text("utf-8").count("\n") > 40


def test_only_its_own_folder_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("…", "utf-8")
    refused = run("demo", "--out", "mine", cwd=tmp_path)
    assert refused.returncode == 2 and "Name another" in refused.stderr
    assert (tmp_path / "mine/thesis.txt").is_file()
