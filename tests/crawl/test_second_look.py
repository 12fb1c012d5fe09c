"""Pages that were rejected before the strategy knew the topic are judged again, and not fetched again."""

from __future__ import annotations

import csv
import signal
from collections import Counter
from pathlib import Path

import pytest
from crawl_tools import DEMO, Crawled, Reply, Site, command, crawl, crawled_urls, essence, make_topic, rows, start
from redis_tools import RedisServer
from wait_tools import HANGS, ended_where_it_hangs

from topical_crawler.corpus.record import Record
from topical_crawler.strategies import OFF_TOPIC

SEEDS = str(DEMO / "seeds.txt")
# By words alone: texts then come too early.
WEB = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "LOG_LEVEL": "DEBUG", "TOPICAL_ENCODER": "none"}
PART = {**WEB, "pages": 120}
"""Of the demo web's 219 pages so many that there is much to learn from, and a look in between."""
SETTINGS = """
import os

from topical_crawler.crawl import crawl, second_look
from topical_crawler.settings import *
ITEM_PIPELINES = {**ITEM_PIPELINES, "own_pipeline.Own": 900}
second_look.FIRST = int(os.environ.get("FIRST_LOOK", 32))
crawl.REST_SECONDS = 3.0
"""
PIPELINE = """
import asyncio
import logging
import os


class Own:
    def __init__(self, crawler):
        self.crawler = crawler
        self.looks = 0
        self.does = os.environ.get("OWN_PIPELINE", "")

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def process_item(self, item):
        if item.first is None or item.reason:
            return item
        self.looks += 1
        if self.does == "waits for a signal":
            logging.getLogger("own").info("Looking")
            while self.crawler.crawling:
                await asyncio.sleep(0.01)
        if self.does == "fills the disk" and self.looks == 2:
            self.crawler.spider.crawl.store.put = self.full
        if self.does == "fails" and self.looks < 3:
            return None if self.looks == 1 else {}["a bug"]
        item.text += " 再看一遍"
        return item

    def full(self, record, lines):
        raise OSError(28, "No space left on device")
"""
NEXT_LOOK = "[topical_crawler.driver] INFO: Second look"


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
    return data, crawl(topic, data, SEEDS, project, **PART)


def looked_at(data: Path) -> list[Record]:
    return [row for row in rows(data) if "first_relevance" in row.why and row.reason != OFF_TOPIC]


@pytest.mark.slow
def test_texts_on_topic_that_came_too_early_are_kept_at_the_end(topic: Path, tmp_path: Path) -> None:
    with (DEMO / "labels.tsv").open(encoding="utf-8") as file:
        grades = {row["url"]: row["grade"] for row in csv.DictReader(file, delimiter="\t")}
    ended = crawl(topic, tmp_path / "with", SEEDS, **{**WEB, "pages": 150})
    without = crawl(topic, tmp_path / "without", SEEDS, **{**WEB, "pages": 150}, TOPICAL_SECOND_LOOK_MB=0)
    assert ended.code == without.code == 0
    first, both = ({row.url for row in rows(tmp_path / name) if row.keep} for name in ("without", "with"))
    found = looked_at(tmp_path / "with")
    assert first < both and both - first == {row.url for row in found if row.keep}
    late = [grades[url] for url in both - first]
    assert late.count("2") >= max(5, 4 * (len(late) - late.count("2")))
    assert all(row.why["first_relevance"] <= 0.3 < row.relevance and row.status == 200 and row.why["terms"] for row in found)
    all_rows, asked = rows(tmp_path / "with"), crawled_urls(ended.log)
    assert [row.url for row in all_rows] == [row.url for row in rows(tmp_path / "without")]
    assert len(asked) == len(set(asked)) and asked == crawled_urls(without.log)
    assert ended.log.count(NEXT_LOOK) == 1 and NEXT_LOOK not in without.log
    said, rejected = " ".join(ended.log.split()), Counter(row.reason for row in all_rows if not row.keep)
    assert f"{len(both)} kept (" in said and f", {len(both - first)} of them at a second look" in said
    assert all(f" {reason} {n} " in f"{said} " for reason, n in rejected.items() if reason != "redirected")
    assert f"{len(all_rows) - rejected['redirected']} pages and {rejected['redirected']} redirects" in said
    assert not (tmp_path / "without" / "aside.sqlite").exists()


@pytest.mark.slow
def test_looks_are_taken_in_between_too_and_pipelines_of_ones_own_have_the_texts(whole: tuple[Path, Crawled]) -> None:
    data, ended = whole
    assert ended.code == 0
    _, *between, last = ended.log.split(NEXT_LOOK)
    assert between and all(map(crawled_urls, between)) and not crawled_urls(last)
    texts = [row for row in looked_at(data) if row.keep]
    assert len(texts) >= 5 and all(row.text is not None and row.text.endswith(" 再看一遍") for row in texts)
    assert not [row for row in rows(data) if row.keep and row not in texts and "再看一遍" in (row.text or "")]


@pytest.mark.slow
def test_a_crawl_that_ends_in_a_look_ends_and_goes_on_with_it(
    whole: tuple[Path, Crawled], topic: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, then a kill, then Ctrl-C, each in the same look."""
    data, stored = tmp_path / "data", []
    for does, sent, code in (
        ("fills the disk", None, 1),
        ("waits for a signal", signal.SIGKILL, -9),
        ("waits for a signal", signal.SIGINT, 0),
    ):
        monkeypatch.setenv("OWN_PIPELINE", does)
        process = start(command(topic, data, SEEDS, **PART), project)
        assert process.stderr is not None
        if sent is not None:
            assert any("[own] INFO: Looking" in line for line in process.stderr)
            process.send_signal(sent)
        log = process.communicate(timeout=HANGS)[1]
        assert process.returncode == code, log
        stored.append(len(looked_at(data)))
    assert stored[0] and stored == [stored[0], stored[0], stored[0] + 1]  # what was in the pipelines at Ctrl-C is
    monkeypatch.setenv("OWN_PIPELINE", "")
    assert crawl(topic, data, SEEDS, project, **PART).code == 0
    assert essence(rows(data)) == essence(rows(whole[0]))


@pytest.mark.slow
def test_a_pipeline_that_fails_in_a_look_costs_the_page(
    topic: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_PIPELINE", "fails")
    assert crawl(topic, tmp_path / "data", SEEDS, project, **PART).code == 0
    found = Counter(row.reason for row in looked_at(tmp_path / "data"))
    assert found["lost by a pipeline"] == found["error: KeyError"] == 1 and found[""] > 0


def test_a_lower_threshold_is_a_reason_to_look_again_a_higher_one_to_take_back_and_articles_are_joined(
    topic: Path, tmp_path: Path
) -> None:
    strict = make_topic(tmp_path / "strict", default_strategy='"adaptive"')
    about = "".join(f"<p>第{n}党支部的党员们开展主题教育，走进社区，把水渠修到了山脚下。</p>" for n in range(1, 7))
    rest = "<p>天快黑的时候，拖拉机一辆接一辆开下山去，谁家的狗叫了几声，村口的灯就亮了，老人们都来帮忙，一直忙到天黑。</p>"

    def page(text: str, links: str) -> Reply:
        return Reply(f"<title>一个村庄</title><h1>一个村庄</h1><article>{text}</article><div class=page>{links}</div>")

    routes = {
        "/": Reply("<title>首页</title><a href=/story.html>一个村庄</a>"),
        "/story.html": page(about, '1 <a href="/story_2.html">2</a> <a href="/story_2.html">下一页</a>'),
        "/story_2.html": page(rest, '<a href="/story.html">1</a> 2'),
    }
    with Site(routes) as site:
        file, data = strict / "topic.toml", tmp_path / "data"
        lines = file.read_text(encoding="utf-8")

        def run(threshold: float) -> str:
            file.write_text(f"{lines}[strategy.adaptive]\npage_threshold = {threshold}\n", encoding="utf-8")
            return crawl(strict, data, site.url + "/", DOWNLOAD_DELAY=0).log

        log = run(1)
        assert not [row for row in rows(data) if row.keep] and len(rows(data)) == 3, log
        log = run(0.1)
        assert site.asked("/story.html") == site.asked("/story_2.html") == 1
        found = {row.url.removeprefix(site.url): row for row in rows(data)}
        assert found["/story.html"].keep and found["/story_2.html"].reason == "part", log
        kept = found["/story.html"]
        assert kept.text and "第1党支部" in kept.text and "一直忙到天黑。" in kept.text
        log = run(1)
        (taken,) = (row for row in rows(data) if row.key == kept.key)
        assert not taken.keep and taken.reason == OFF_TOPIC and not taken.text, log
        assert taken.why["first_relevance"] == kept.why["first_relevance"]
        assert " 1 text taken back: off topic" in " ".join(log.split())
        run(0.1)
        assert kept in rows(data)


@pytest.mark.slow
def test_a_worker_looks_at_what_it_has_set_aside_itself_also_while_it_waits_for_seeds(
    topic: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRST_LOOK", "1024")  # while the crawl goes on there is none
    with RedisServer(tmp_path / "redis") as server:
        shared = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url, "TOPICAL_CRAWL": "wartet", "TOPICAL_IDLE_SECONDS": -1}
        process = start(command(topic, tmp_path / "data", SEEDS, **{**WEB, **shared, "LOG_LEVEL": "INFO"}), project)
        assert process.stderr is not None
        kept = 0
        with ended_where_it_hangs(process):
            while not kept:  # two to four, since the order of the pages is not always the same
                kept += int(next(line for line in process.stderr if NEXT_LOOK in line).split()[-5])
            process.send_signal(signal.SIGTERM)
            process.communicate()
    assert process.returncode == 0
    assert sum(row.keep for row in looked_at(tmp_path / "data")) >= kept
    assert not (tmp_path / "data" / "aside.sqlite").exists()
