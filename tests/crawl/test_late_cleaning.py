"""The end of a crawl cleans what was stored before the lines of its sites were known, and a crawl goes on as if it had not."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from crawl_tools import Crawled, Reply, Site, article, crawl, essence, rows

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus.clean import LateCleaning, put_back
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

SLOGAN = "跟着某某党建网，学习永远在路上！"
PAGES = 12


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Articles with a slogan above the text, each with a link to the next."""
    with Site() as site:
        for n in range(PAGES):
            page = article(f"党建第{n}讲", {f"/{n + 1}": "党建支部的下一讲"} if n + 1 < PAGES else {})
            site.routes[f"/{n}"] = Reply(page.replace("<article>", f"<article><p>{SLOGAN}</p>"))
        yield site


def run(site: Site, topic: Path, data: Path, pages: int = 1000) -> Crawled:
    done = crawl(topic, data, f"{site.url}/0", pages=pages, DOWNLOAD_DELAY=0, TOPICAL_DISPLAY="lines")
    assert done.code == 0, done.log
    return done


def with_slogan(records: list[Record]) -> int:
    return sum(SLOGAN in (r.text or "") for r in records)


def test_the_first_texts_of_a_site_are_cleaned_at_the_end(site: Site, topic: Path, tmp_path: Path) -> None:
    log = run(site, topic, tmp_path / "data").log
    found = rows(tmp_path / "data")
    assert [r.keep for r in found] == [True] * PAGES
    assert with_slogan(found) == 0
    assert "texts cleaned once more of lines repeated by their sites" in log


@pytest.mark.slow
def test_a_crawl_goes_on_as_if_nothing_had_been_cleaned(site: Site, topic: Path, tmp_path: Path) -> None:
    """A stop after six pages, when the line is known, and another after nine."""
    run(site, topic, tmp_path / "whole")
    for pages in (6, 9, 1000):
        run(site, topic, tmp_path / "parts", pages)
        assert with_slogan(rows(tmp_path / "parts")) == 0
    assert essence(rows(tmp_path / "parts")) == essence(rows(tmp_path / "whole"))
    with (
        closing(sqlite3.connect(tmp_path / "whole/corpus.sqlite")) as whole,
        closing(sqlite3.connect(tmp_path / "parts/corpus.sqlite")) as parts,
    ):
        query = "SELECT host, digest, pages, line FROM lines ORDER BY host, digest"
        assert parts.execute(query).fetchall() == whole.execute(query).fetchall()


def test_cleaning_that_was_broken_off_is_done_by_the_next_run(site: Site, topic: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    run(site, topic, data)
    whole = rows(data)
    with CorpusStore(data / "corpus.sqlite") as store:
        put_back(store)
        before = with_slogan(rows(data))
        next(LateCleaning(store, CleaningOptions()).steps())
    assert 0 < with_slogan(rows(data)) < before
    run(site, topic, data)
    assert essence(rows(data)) == essence(whole)
