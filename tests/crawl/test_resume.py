"""A crawl that is stopped, killed and started again collects what one that runs through collects."""

from __future__ import annotations

import functools
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from crawl_tools import DEMO, Crawled, Reply, Site, article, command, crawl, crawled_urls, essence, rows, start
from step_tools import open_crawl

from topical_crawler.corpus.record import Record
from topical_crawler.crawl.options import CrawlError
from topical_crawler.web.urls import fingerprint

SEEDS = str(DEMO / "seeds.txt")
WEB = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "LOG_LEVEL": "DEBUG"}
PAGES = {"breadth_first": 1_000, "semantic": 36}
"""The first crawls until nothing is left, the second until its limit."""
Whole = Callable[[str], list[Record]]


def demo(data: Path, strategy: str, **options: object) -> Crawled:
    """A crawl of the demo web; breadth-first it meets twice as many pages."""
    return crawl("partybuilding", data, SEEDS, strategy=strategy, **{**WEB, "pages": PAGES[strategy], **options})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    @functools.cache
    def found(strategy: str) -> list[Record]:
        data = tmp_path_factory.mktemp(strategy) / "data"
        assert demo(data, strategy).code == 0
        return rows(data)

    return found


def finished(data: Path) -> set[bytes]:
    with closing(sqlite3.connect(data / "frontier.sqlite")) as file:
        return {fingerprint(url) for (url,) in file.execute("SELECT url FROM outcomes")}


def test_stopping_at_a_page_limit_and_going_on_is_one_crawl(whole: Whole, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    assert demo(parts, "semantic", pages=14).code == 0
    assert sum(r.reason != "redirected" for r in rows(parts)) == 14
    assert f"Resuming {parts}: 14 pages fetched" in demo(parts, "semantic").log
    assert essence(rows(parts)) == essence(whole("semantic"))
    assert sum(r.reason != "redirected" for r in rows(parts)) == PAGES["semantic"]


def run_and_kill(data: Path, strategy: str, lines: int) -> list[str]:
    """Run the crawl until the engine has logged so many lines, then kill it: between an answer and its item, between two pages,
    at a redirect. Returns the URLs whose answers had arrived."""
    process = start(command("partybuilding", data, SEEDS, strategy=strategy, pages=PAGES[strategy], **WEB))
    assert process.stderr is not None
    log = []
    for line in process.stderr:
        log.append(line)
        if "[scrapy.core." in line or "Redirecting" in line:
            lines -= 1
            if lines == 0:
                process.kill()
    process.stderr.close()
    assert process.wait() in (-9, 0)
    return crawled_urls("".join(log))


@pytest.mark.parametrize(("strategy", "kills"), [pytest.param("breadth_first", 3, marks=pytest.mark.slow), ("semantic", 2)])
def test_a_crawl_killed_at_random_moments_collects_the_same(strategy: str, kills: int, whole: Whole, tmp_path: Path) -> None:
    data, expected = tmp_path / "killed", whole(strategy)
    moments = random.Random(7)
    done: set[bytes] = set()
    for _ in range(kills):
        arrived = run_and_kill(data, strategy, moments.randint(1, 3 * len(expected) // kills))
        assert not [url for url in arrived if fingerprint(url) in done]
        done = finished(data)
    last = demo(data, strategy)
    assert last.code == 0
    assert not [url for url in crawled_urls(last.log) if fingerprint(url) in done]
    assert essence(rows(data)) == essence(expected)


def test_a_directory_is_one_crawls_at_a_time_and_one_topics(topic: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Site() as site:

        def second(path: str) -> Reply:
            """While the first crawl waits for this page, another starts in its directory."""
            refused.append(crawl(topic, data, site.url + "/"))
            return Reply(article("第二页"))

        refused: list[Crawled] = []
        site.routes = {"/": Reply(article("首页", {"/second": "党建"})), "/second": second}
        assert crawl(topic, data, site.url + "/", DOWNLOAD_DELAY=0, LOG_LEVEL="WARNING").code == 0
    assert refused[0].code == 2 and "Traceback" not in refused[0].log
    assert f"{data}: another crawl is running here" in refused[0].log
    assert [r.keep for r in rows(data)] == [True, True]
    with pytest.raises(CrawlError, match="holds a crawl of the topic 'small', not 'partybuilding'"):
        open_crawl(Path("partybuilding"), data)
    with pytest.raises(CrawlError, match="holds a crawl by the strategy 'semantic', not 'breadth_first'"):
        open_crawl(topic, data, strategy="breadth_first")


def test_what_another_version_has_learned_is_refused_with_a_remedy(tmp_path: Path) -> None:
    began = tmp_path / "began"
    adaptive = {**WEB, "strategy": "adaptive"}
    assert crawl("partybuilding", began, SEEDS, **adaptive, pages=12).code == 0
    lesson = "UPDATE outcomes SET lesson = json_remove(lesson, '$[0][6]') WHERE json_array_length(lesson, '$[0]') > 6"
    for left, changes in {
        "checkpoint": ["UPDATE saved SET data = json_remove(data, '$.state.history') WHERE name = 'strategy'"],
        "log": ["DELETE FROM saved WHERE name = 'strategy'", lesson],  # as a crawl leaves it that was killed early
    }.items():
        data = shutil.copytree(began, tmp_path / left)
        with closing(sqlite3.connect(data / "frontier.sqlite")) as file, file:
            assert all(file.execute(change).rowcount > 0 for change in changes)
        again = crawl("partybuilding", data, SEEDS, **adaptive, pages=20)
        assert again.code == 2 and "Traceback" not in again.log
        assert f"{data}/frontier.sqlite: this version of the program cannot read what the crawl has learned" in again.log
        assert "Continue with the version that began it" in again.log
        assert len([r for r in rows(data) if r.reason != "redirected"]) == 12
