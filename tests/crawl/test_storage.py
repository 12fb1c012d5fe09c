"""A crawl whose disk is full, whose files are damaged or whose names hold brackets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crawl_tools import DEMO, Reply, Site, article, crawl, rows
from redis_tools import RedisServer

from topical_crawler.frontier.base import State
from topical_crawler.frontier.redis import RedisFrontier

FULL = """
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.spiders.topical import TopicalSpider

put = []


class Full(TopicalSpider):
    name = "full"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        store = self.crawl.store
        real = store.put

        def full(record, lines):
            if len(put) >= 5:
                raise OSError(28, "No space left on device")
            put.append(record)
            return real(record, lines)

        store.put = full
"""


@pytest.mark.slow
def test_a_full_disk_ends_the_crawl_and_loses_nothing(tmp_path: Path) -> None:
    project, data = tmp_path / "project", tmp_path / "data"
    project.mkdir()
    settings = "from topical_crawler.settings import *\nSPIDER_MODULES = ['own_spiders', 'topical_crawler.spiders']\n"
    (project / "project_settings.py").write_text(settings, encoding="utf-8")
    (project / "own_spiders.py").write_text(FULL, encoding="utf-8")
    web = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "pages": 40}
    ended = crawl("partybuilding", data, str(DEMO / "seeds.txt"), project, spider="full", **web)
    assert "storage failed" in ended.log and "Cannot store what was fetched" in ended.log
    assert len(rows(data)) == 5
    whole = crawl("partybuilding", tmp_path / "whole", str(DEMO / "seeds.txt"), **web)
    assert crawl("partybuilding", data, str(DEMO / "seeds.txt"), **web).code == whole.code == 0
    assert {r.url for r in rows(data) if r.keep} == {r.url for r in rows(tmp_path / "whole") if r.keep}


AWAY = """
from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.spiders.topical import TopicalSpider


class Away(TopicalSpider):
    name = "away"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        counted = self.crawl.frontier.journal.counted

        def away(hosts):
            if "b.example" in hosts:
                raise FrontierServerError("Redis does not answer")
            return counted(hosts)

        self.crawl.frontier.journal.counted = away
"""
AWAY_LATER = """
from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.spiders.topical import TopicalSpider


class Away(TopicalSpider):
    name = "away"


class AwayPipeline:
    def process_item(self, item):
        raise FrontierServerError("Redis does not answer")
"""


@pytest.mark.parametrize("code", [AWAY, AWAY_LATER], ids=["links", "text"])
def test_a_page_that_is_judged_while_redis_is_away_for_a_moment_is_fetched_again(code: str, topic: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    settings = "from topical_crawler.settings import *\nSPIDER_MODULES = ['own_spiders', 'topical_crawler.spiders']\n"
    if code is AWAY_LATER:
        settings += "ITEM_PIPELINES = {**ITEM_PIPELINES, 'own_spiders.AwayPipeline': 350}\n"
    (project / "project_settings.py").write_text(settings, encoding="utf-8")
    (project / "own_spiders.py").write_text(code, encoding="utf-8")
    page = Reply(article("首页", {"http://b.example/": "党建"}))
    with Site({"/": page}) as site, RedisServer(tmp_path / "redis") as server:
        shared = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url, "TOPICAL_CORPUS": tmp_path / "corpus.sqlite"}
        ended = crawl(topic, tmp_path / "data", site.url + "/", project, spider="away", DOWNLOAD_DELAY=0, **shared)
        assert ended.code == 1 and "storage failed" in ended.log and site.asked("/") == 1
        counts = RedisFrontier(server.client(), topic.name, attach=True).status().counts
        assert counts[State.DONE] == 0 and counts[State.IN_FLIGHT] + counts[State.WAITING] == 1


def test_damaged_files_are_named_in_one_line(topic: Path, tmp_path: Path) -> None:
    for name in ("crawl.json", "frontier.sqlite", "corpus.sqlite", "aside.sqlite"):
        data = tmp_path / name.replace(".", "-")
        data.mkdir()
        (data / name).write_bytes(b"garbage " * 2000)
        crawled = crawl(topic, data, "http://a.example/")
        assert crawled.code == 2 and str(data / name) in crawled.log and "Traceback" not in crawled.log


def test_brackets_in_names_are_shown_as_they_are(topic: Path, tmp_path: Path) -> None:
    data = tmp_path / "old[back" / "up]"
    with Site({"/": Reply(article("首页"))}) as site:
        crawled = crawl(topic, data, site.url + "/", DOWNLOAD_DELAY=0)
    assert crawled.code == 0 and f"{data}/corpus.sqlite" in crawled.log.replace("\n", "")
    assert json.loads((data / "crawl.json").read_text(encoding="utf-8"))["topic"] == topic.name


def test_a_page_that_reloads_itself_is_read(topic: Path, tmp_path: Path) -> None:
    with Site() as site:
        refresh = '<meta http-equiv="refresh" content="5;url=/">'
        site.routes = {"/": Reply(article("首页", {"/next": "党建"}, head=refresh)), "/next": Reply(article("第二页"))}
        assert crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0).code == 0
        assert site.asked("/") == 1
    assert [r.reason for r in rows(tmp_path / "data")] == ["", ""]
