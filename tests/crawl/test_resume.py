"""A crawl that is stopped, killed and started again collects what one that runs through collects."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from crawl_tools import DEMO, Crawled, Reply, Site, article, command, crawl, crawled_urls, essence, rows, start

from topical_crawler.urls import fingerprint

SEEDS = str(DEMO / "seeds.txt")
WEB = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "LOG_LEVEL": "DEBUG"}
KILLS = 6


def demo(data: Path, strategy: str = "breadth_first", **options: object) -> Crawled:
    """A crawl of the demo web; breadth-first it meets twice as many pages."""
    return crawl("partybuilding", data, SEEDS, strategy=strategy, **WEB, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Crawled]:
    """The uninterrupted crawl."""
    data = tmp_path_factory.mktemp("whole") / "data"
    return data, demo(data)


def finished(data: Path) -> set[bytes]:
    """The pages that the frontier's file holds as done."""
    with closing(sqlite3.connect(data / "frontier.sqlite")) as file:
        return {fingerprint(url) for (url,) in file.execute("SELECT url FROM outcomes")}


def test_a_crawl_over_a_recording_is_repeatable(whole: tuple[Path, Crawled], tmp_path: Path) -> None:
    data, crawled = whole
    again = demo(tmp_path / "again")
    assert crawled.code == again.code == 0
    assert crawled_urls(crawled.log) == crawled_urls(again.log)
    assert len(rows(data)) > 150
    assert essence(rows(data)) == essence(rows(tmp_path / "again"))


def test_stopping_at_a_page_limit_and_going_on_is_one_crawl(tmp_path: Path) -> None:
    for strategy, first, second in (("semantic", 15, 30), ("breadth_first", 20, 40)):
        halves, one = tmp_path / f"{strategy}-halves", tmp_path / f"{strategy}-one"
        assert demo(halves, strategy, pages=first).code == 0
        assert sum(r.reason != "redirected" for r in rows(halves)) == first
        assert f"Resuming {halves}: {first} pages fetched" in demo(halves, strategy, pages=second).log
        assert demo(one, strategy, pages=second).code == 0
        assert essence(rows(halves)) == essence(rows(one))
        assert sum(r.reason != "redirected" for r in rows(one)) == second


@pytest.mark.parametrize("strategy", ["breadth_first", "semantic"])
def test_a_crawl_killed_at_random_moments_collects_the_same(strategy: str, tmp_path: Path) -> None:
    """Killed as soon as a line of the log has come: between the answer and its item, between two pages, at a redirect."""
    data, one = tmp_path / "killed", tmp_path / "one"
    assert demo(one, strategy).code == 0
    expected = rows(one)
    moments = random.Random(7)
    seen: dict[str, int] = {}
    stretch = max(2, 2 * len(expected) // KILLS)
    for number in range(KILLS):
        lines = moments.randint(1, stretch)
        process = start(command("partybuilding", data, SEEDS, strategy=strategy, **WEB))
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
        for url in crawled_urls("".join(log)):
            assert url not in seen or fingerprint(url) not in done, f"{url}: fetched again in run {number}, though it was done"
            seen[url] = number
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
    assert refused[0].code == 2
    assert f"{data}: another crawl is running here" in refused[0].log
    assert [r.keep for r in rows(data)] == [True, True]
    other = crawl("partybuilding", data, "http://a.example/")
    assert other.code == 2
    assert "holds a crawl of the topic 'small', not 'partybuilding'" in other.log
    assert "Traceback" not in other.log + refused[0].log
