"""Pages that were rejected before the strategy knew the topic are judged again, and not fetched again."""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1]))  # redis_tools

from crawl_tools import DEMO, Crawled, command, crawl, crawled_urls, essence, make_topic, rows, start
from redis_tools import RedisServer

from topical_crawler.corpus.record import Record

SEEDS = str(DEMO / "seeds.txt")
WEB = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "LOG_LEVEL": "DEBUG"}
SETTINGS = """
from topical_crawler import second_look
from topical_crawler.settings import *
ITEM_PIPELINES = {**ITEM_PIPELINES, "own_pipeline.Own": 900}
second_look.FIRST = 32
"""
PIPELINE = """
from scrapy.exceptions import DropItem


class Own:
    def process_item(self, item):
        if item.first is not None and not item.reason:
            item.text += " 再看一遍"
        return item
"""
NEXT_LOOK = "[topical_crawler.scheduler] INFO: Second look"


@pytest.fixture(scope="module")
def topic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_topic(tmp_path_factory.mktemp("topics") / "few", default_strategy='"adaptive"')


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Looks are taken early, also while the crawl goes on, and a pipeline of one's own stands behind ours."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "project_settings.py").write_text(SETTINGS, encoding="utf-8")
    (folder / "own_pipeline.py").write_text(PIPELINE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def whole(topic: Path, project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Crawled]:
    data = tmp_path_factory.mktemp("whole") / "data"
    return data, crawl(topic, data, SEEDS, project, **WEB)


def looked_at(data: Path) -> list[Record]:
    return [row for row in rows(data) if "first_relevance" in row.why]


def test_texts_on_topic_that_came_too_early_are_kept_at_the_end(topic: Path, tmp_path: Path) -> None:
    with (DEMO / "labels.tsv").open(encoding="utf-8") as file:
        grades = {row["url"]: row["grade"] for row in csv.DictReader(file, delimiter="\t")}
    ended = crawl(topic, tmp_path / "with", SEEDS, **WEB)
    without = crawl(topic, tmp_path / "without", SEEDS, **WEB, TOPICAL_SECOND_LOOK_MB=0)
    assert ended.code == without.code == 0
    first, both = ({row.url for row in rows(tmp_path / name) if row.keep} for name in ("without", "with"))
    found = looked_at(tmp_path / "with")
    assert first < both and both - first == {row.url for row in found if row.keep}
    assert len(both - first) >= 5 and {grades[url] for url in both - first} == {"2"}
    for row in found:
        assert row.why["first_relevance"] <= 0.2 < row.relevance and row.status == 200 and row.why["terms"]
    assert [row.url for row in rows(tmp_path / "with")] == [row.url for row in rows(tmp_path / "without")]
    asked = crawled_urls(ended.log)
    assert len(asked) == len(set(asked)) and asked == crawled_urls(without.log)
    assert ended.log.count(NEXT_LOOK) == 1 and NEXT_LOOK not in without.log
    assert f"kept at a second look -{len(both - first)}" in " ".join(ended.log.split())
    assert not (tmp_path / "without" / "aside.sqlite").exists()


def test_looks_are_taken_in_between_too_and_pipelines_of_ones_own_have_the_texts(whole: tuple[Path, Crawled]) -> None:
    data, ended = whole
    assert ended.code == 0 and ended.log.count(NEXT_LOOK) == 2
    between, last = ended.log.split(NEXT_LOOK)[1:]
    assert crawled_urls(between) and not crawled_urls(last)
    texts = [row for row in looked_at(data) if row.keep]
    assert len(texts) >= 5 and all(row.text is not None and row.text.endswith(" 再看一遍") for row in texts)
    assert not [row for row in rows(data) if row.keep and row not in texts and "再看一遍" in (row.text or "")]


def test_a_crawl_killed_at_random_moments_looks_at_the_same(
    whole: tuple[Path, Crawled], topic: Path, project: Path, tmp_path: Path
) -> None:
    data, draw = tmp_path / "data", random.Random(3)
    lines = whole[1].log.splitlines()
    moments = sorted(draw.randrange(len(lines)) for _ in range(2))
    in_a_look = next(i for i, line in enumerate(lines) if NEXT_LOOK in line) - 3
    for moment in (moments[0], in_a_look - moments[0], moments[1]):
        process = start(command(topic, data, SEEDS, **WEB), project)
        assert process.stderr is not None
        for _ in zip(range(max(1, moment)), process.stderr, strict=False):
            pass
        process.kill()
        process.stderr.close()
        process.wait()
    assert crawl(topic, data, SEEDS, project, **WEB).code == 0
    assert essence(rows(data)) == essence(rows(whole[0]))


def test_a_crawl_that_goes_on_looks_at_what_an_earlier_run_set_aside(topic: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert crawl(topic, data, SEEDS, pages=30, **WEB).code == 0
    early = {row.url for row in rows(data) if not row.keep and row.reason == "off topic"}
    assert crawl(topic, data, SEEDS, **WEB).code == 0
    assert early & {row.url for row in looked_at(data) if row.keep}


def test_a_crawl_in_memory_leaves_nothing_aside(topic: Path, tmp_path: Path) -> None:
    assert crawl(topic, tmp_path / "data", SEEDS, **WEB, TOPICAL_FRONTIER="memory").log.count(NEXT_LOOK) == 1
    assert not (tmp_path / "data" / "aside.sqlite").exists()  # the next one begins anew


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as running:
        yield running


def test_a_worker_looks_at_what_it_has_set_aside_itself(server: RedisServer, topic: Path, tmp_path: Path) -> None:
    shared = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url, "TOPICAL_CRAWL": "zweiter-blick"}
    ended = crawl(topic, tmp_path / "data", SEEDS, **WEB, **shared)
    assert ended.code == 0 and ended.log.count(NEXT_LOOK) == 1
    assert sum(row.keep for row in looked_at(tmp_path / "data")) >= 5
    assert not (tmp_path / "data" / "aside.sqlite").exists()
