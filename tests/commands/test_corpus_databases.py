"""``topical-crawler corpus`` with PostgreSQL: copy, and what reads a corpus, as a user runs them."""

from pathlib import Path

import pytest
from command_tools import RunScrapy
from corpus_tools import kept, rejected
from postgres_tools import GivenServer
from postgres_tools import postgresql as postgresql

from topical_crawler.corpus.store import CorpusStore


@pytest.fixture
def run(call_scrapy: RunScrapy, tmp_path: Path) -> RunScrapy:
    """``run("stats", "dangjian")`` beside the corpus of a topic with three pages, two of them kept."""
    with CorpusStore(tmp_path / "data/dangjian/corpus.sqlite") as store:
        for record in (kept(1), kept(2), rejected(3)):
            store.put(record)
    return lambda *arguments: call_scrapy("corpus", *arguments, cwd=tmp_path)


@pytest.mark.slow
def test_to_postgresql_and_back(run: RunScrapy, postgresql: GivenServer, tmp_path: Path) -> None:
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


def test_what_cannot_be_copied_is_one_line(run: RunScrapy, postgresql: GivenServer, tmp_path: Path) -> None:
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
