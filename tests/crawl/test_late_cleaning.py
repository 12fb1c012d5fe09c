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


@pytest.fixture(scope="module")
def whole(site: Site, topic: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    data = tmp_path_factory.mktemp("whole") / "data"
    return data, run(site, topic, data).log


def test_the_first_texts_of_a_site_are_cleaned_at_the_end(whole: tuple[Path, str]) -> None:
    data, log = whole
    assert [r.keep for r in rows(data)] == [True] * PAGES and with_slogan(rows(data)) == 0
    assert "texts cleaned once more of lines repeated by their sites" in log


def test_a_crawl_goes_on_as_if_nothing_had_been_cleaned_though_cleaning_was_broken_off(
    whole: tuple[Path, str], site: Site, topic: Path, tmp_path: Path
) -> None:
    run(site, topic, tmp_path, pages=8)
    assert with_slogan(rows(tmp_path)) == 0
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        put_back(store)
        before = with_slogan(rows(tmp_path))
        next(LateCleaning(store, CleaningOptions()).steps())
    assert 0 < with_slogan(rows(tmp_path)) < before
    run(site, topic, tmp_path)
    assert essence(rows(tmp_path)) == essence(rows(whole[0]))
    lines = []
    for data in (whole[0], tmp_path):
        with closing(sqlite3.connect(data / "corpus.sqlite")) as file:
            lines.append(file.execute("SELECT host, digest, pages, line FROM lines ORDER BY host, digest").fetchall())
    assert lines[0] == lines[1]
