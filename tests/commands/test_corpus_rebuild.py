"""``topical-crawler corpus rebuild`` over the archive of a crawl of the demo's web."""

import asyncio
import dataclasses
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from command_tools import RunScrapy
from corpus_tools import everything
from scrapy.utils.project import get_project_settings

from topical_crawler.cli.corpus.rebuild import ArchivedPages, Rebuilt, is_remade, rebuild
from topical_crawler.config import cleaning_options
from topical_crawler.corpus.make import Maker
from topical_crawler.corpus.record import CorpusError, HostFacts
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.extraction.pool import ExtractPool
from topical_crawler.recordings.reader import Recording


@pytest.fixture
def crawled(demo_crawl: Path) -> Path:
    return demo_crawl / "data/partybuilding"


def known_hosts(place: Path) -> dict[str, HostFacts]:
    with CorpusStore(place, read_only=True) as store:
        return store.host_facts()


@pytest.mark.slow
def test_a_corpus_that_was_just_made_is_the_same_again(run_scrapy: RunScrapy, crawled: Path, tmp_path: Path) -> None:
    before = everything(crawled / "corpus.sqlite")
    assert sum(row.keep for row in before) > 15 and len({row.reason for row in before}) > 3
    done = run_scrapy("corpus", "rebuild", crawled, "-o", tmp_path / "new.sqlite", "--workers", "2", cwd=tmp_path)
    assert (done.returncode, done.stderr.strip()) == (0, "")
    after = everything(tmp_path / "new.sqlite")
    assert after == before
    kept = sum(row.keep for row in before)
    assert f"{len(before)} pages of" in done.stdout and "not in the archive" not in done.stdout
    assert f"texts:      {kept} before, {kept} now (0 new, 0 changed, 0 rejected)" in done.stdout
    assert known_hosts(tmp_path / "new.sqlite") == known_hosts(crawled / "corpus.sqlite") != {}


def test_what_would_be_made_otherwise_today_is_counted(run_scrapy: RunScrapy, crawled: Path, tmp_path: Path) -> None:
    before = everything(crawled / "corpus.sqlite")
    short = [row for row in before if row.keep and row.characters < 350]
    assert short
    done = run_scrapy("corpus", "rebuild", crawled, "-o", "new.sqlite", "-s", "TOPICAL_MIN_CHARACTERS=350", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    after = {row.url: row for row in everything(tmp_path / "new.sqlite")}
    assert {after[row.url].reason for row in short} == {"near-empty"}
    for row in before:
        now = after[row.url]
        assert (row.relevance, row.priority, row.depth, row.why, row.fetched, row.order) == (
            *(now.relevance, now.priority, now.depth, now.why, now.fetched, now.order),
        )
        if not is_remade(row):
            assert now == row
    assert "rejected now: near-empty: " in done.stdout
    same = run_scrapy("corpus", "rebuild", crawled, "-o", crawled / "corpus.sqlite", cwd=tmp_path)
    assert same.returncode == 1 and "is the corpus to rebuild" in same.stderr


def rebuilt(source: Path, archive: Path, target: Path, *, stop_after: int = 0, keep_missing: bool = True) -> Rebuilt:
    settings = get_project_settings()

    def progress(doing: str, done: int, total: int) -> None:
        if done == stop_after:
            raise KeyboardInterrupt

    with (
        Recording(archive, target.parent) as recording,
        CorpusStore(source, read_only=True) as old,
        CorpusStore(target) as new,
        closing(ExtractPool(1)) as pool,
    ):
        maker, pages = Maker(new, cleaning_options(settings)), ArchivedPages(recording, settings)
        return asyncio.run(rebuild(old, new, pages, maker, pool, ahead=3, keep_missing=keep_missing, progress=progress))


@pytest.mark.slow
def test_what_was_broken_off_goes_on(crawled: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        rebuilt(crawled / "corpus.sqlite", crawled / "archive", tmp_path / "new.sqlite", stop_after=23)
    assert len(everything(tmp_path / "new.sqlite")) == 23
    found = rebuilt(crawled / "corpus.sqlite", crawled / "archive", tmp_path / "new.sqlite")
    assert everything(tmp_path / "new.sqlite") == everything(crawled / "corpus.sqlite")
    assert (found.changed, found.new, found.missing, found.left_out) == (0, 0, 0, 0)


@pytest.mark.slow
def test_pages_that_the_archive_lacks_are_kept_or_left_out(crawled: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    files = sorted((crawled / "archive").glob("*.warc.gz"))
    assert len(files) > 2
    for path in files[:-1]:
        shutil.copy(path, archive)
    before = everything(crawled / "corpus.sqlite")
    with Recording(archive) as recording:
        lacking = {row.url for row in before if is_remade(row) and row.url not in recording}
    assert lacking
    kept = rebuilt(crawled / "corpus.sqlite", archive, tmp_path / "kept.sqlite")
    assert (kept.missing, kept.left_out, kept.changed) == (len(lacking), 0, 0)
    assert [row.text for row in everything(tmp_path / "kept.sqlite")] == [row.text for row in before]
    left = rebuilt(crawled / "corpus.sqlite", archive, tmp_path / "left.sqlite", keep_missing=False)
    assert (left.missing, left.left_out) == (len(lacking), len(lacking))
    assert {row.url for row in before} - {row.url for row in everything(tmp_path / "left.sqlite")} == lacking


def test_a_new_corpus_with_other_pages_is_refused(crawled: Path, tmp_path: Path) -> None:
    with CorpusStore(tmp_path / "other.sqlite") as store:
        store.put(dataclasses.replace(everything(crawled / "corpus.sqlite")[0], url="http://b.cn/", key="00"))
    with pytest.raises(CorpusError, match=r"lacks 1 page of .*Name a new file"):
        rebuilt(crawled / "corpus.sqlite", crawled / "archive", tmp_path / "other.sqlite")
