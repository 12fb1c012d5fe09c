"""``topical-crawler corpus`` with PostgreSQL: copy, and what reads a corpus, as a user runs them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_tools import exit_code
from postgres_tools import GivenServer
from postgres_tools import postgresql as postgresql

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """``run("stats", "dangjian")`` beside the corpus of a topic with three pages, two of them kept."""
    with CorpusStore(tmp_path / "data/dangjian/corpus.sqlite") as store:
        for n in range(1, 3):
            store.put(Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text=f"主题教育第{n}讲", title=f"标题{n}"))
        store.put(Record(url="http://a.cn/3", host="a.cn", keep=False, reason="off topic"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, exit_code("corpus", *arguments), *capfd.readouterr())

    return run


@pytest.mark.slow
def test_to_postgresql_and_back(run: Run, postgresql: GivenServer, tmp_path: Path) -> None:
    url = postgresql.new_database()
    there = run("copy", "dangjian", url)
    assert (there.returncode, there.stderr.strip()) == (0, "")
    assert "3 pages copied from data/dangjian/corpus.sqlite to postgresql+psycopg://" in there.stdout
    assert "2 of them kept\nverified: both have the same rows (digest " in there.stdout
    back = run("copy", url, "data/second")
    assert back.returncode == 0 and back.stdout.split("digest")[1] == there.stdout.split("digest")[1]
    for action in (("stats", "--json"), ("export", "--rejected"), ("fetched",)):
        first, second, third = (run(*action, name) for name in ("dangjian", url, "second"))
        assert first.stdout == second.stdout == third.stdout != ""
        assert first.returncode == second.returncode == 0
    assert url.split("@")[1] in run("stats", url).stdout
    again = run("copy", "dangjian", url)
    assert again.returncode == 1 and "has 3 pages already. Name " in again.stderr
    added = run("copy", "dangjian", url, "--into-existing")
    assert "3 pages of data/dangjian/corpus.sqlite are in postgresql" in added.stdout
    assert "0 of them new there, 2 kept, 0 duplicates" in added.stdout
    said = there.stdout + again.stderr + added.stdout + run("stats", url).stdout
    assert "heim" not in said and "***" in said


def test_without_a_name_it_is_the_one_in_the_settings(run: Run, postgresql: GivenServer, tmp_path: Path) -> None:
    url = postgresql.new_database()
    (tmp_path / "data/other").mkdir()
    run("copy", "dangjian", url)
    for action in ("stats", "export", "fetched"):
        named = run(action, "-s", f"TOPICAL_CORPUS={url}")
        assert (named.returncode, named.stderr) == (0, "") and named.stdout == run(action, url).stdout != ""


def test_what_cannot_be_copied_is_one_line(run: Run, postgresql: GivenServer, tmp_path: Path) -> None:
    url = postgresql.new_database()
    (tmp_path / "note.txt").write_text("主题教育" * 500, "utf-8")
    for arguments, message in (
        (("dangjian", url + "_none"), "Create it (createdb"),
        (("nothing", url), "there is no corpus 'nothing'"),
        ((url, "data/third"), "no corpus"),
        (("dangjian", "note.txt"), "file is not a database"),
    ):
        failed = run("copy", *arguments)
        assert failed.returncode == 1 and message in failed.stderr, failed.stderr
        assert failed.stderr.startswith("topical-crawler corpus copy: ") and failed.stderr.count("\n") == 1
        assert "heim" not in failed.stderr
    assert run("copy", "dangjian").returncode == 2
