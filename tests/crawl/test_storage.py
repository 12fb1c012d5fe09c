"""A crawl whose Redis goes while a page is judged, whose disk is full, whose files are damaged, gone or named with brackets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crawl_tools import DEMO, ROOT, Reply, Site, article, command, crawl, environment, rows
from fork_tools import run_forked
from redis_tools import RedisServer

from topical_crawler.frontier.base import State
from topical_crawler.frontier.redis import RedisFrontier

AWAY = """
from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.settings import *
from topical_crawler.frontier.redis_journal import RedisJournal

counted = RedisJournal.counted


def away(journal, hosts):
    if "b.example" in hosts:
        raise FrontierServerError("Redis does not answer")
    return counted(journal, hosts)


class Away:
    def process_item(self, item):
        raise FrontierServerError("Redis does not answer")


"""
WHILE = {"links": "RedisJournal.counted = away", "text": "ITEM_PIPELINES = {**ITEM_PIPELINES, Away: 350}"}


@pytest.mark.parametrize("part", WHILE)
def test_a_page_that_is_judged_while_redis_is_away_for_a_moment_is_fetched_again(
    part: str, topic: Path, tmp_path: Path, server: RedisServer
) -> None:
    (tmp_path / "project_settings.py").write_text(AWAY + WHILE[part], encoding="utf-8")
    with Site({"/": Reply(article("首页", {"http://b.example/": "党建"}))}) as site:
        shared = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url, "TOPICAL_CRAWL": tmp_path.name}
        ended = crawl(topic, tmp_path / "data", site.url + "/", tmp_path, DOWNLOAD_DELAY=0, **shared)
        assert ended.code == 1 and "storage failed" in ended.log and site.asked("/") == 1
        counts = RedisFrontier(server.client(), tmp_path.name, attach=True).status().counts
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


def test_a_crawl_does_not_go_on_beside_an_empty_corpus(topic: Path, tmp_path: Path) -> None:
    links = {f"/{n}.html": "党建" for n in range(4)}
    with Site({"/": Reply(article("首页", links)), "": lambda path: Reply(article(path))}) as site:
        data = tmp_path / "data"
        assert crawl(topic, data, site.url + "/", pages=2, DOWNLOAD_DELAY=0).code == 0
        for file in data.glob("corpus.sqlite*"):
            file.rename(tmp_path / file.name)
        asked = len(site.hits)
        refused = crawl(topic, data, site.url + "/", pages=4, DOWNLOAD_DELAY=0)
        assert refused.code == 2
        assert "lacks the last pages of this crawl" in refused.log and "Put it back" in refused.log
        assert len(site.hits) == asked
        for file in tmp_path.glob("corpus.sqlite*"):
            file.rename(data / file.name)
        assert crawl(topic, data, site.url + "/", pages=4, DOWNLOAD_DELAY=0).code == 0
        assert len(site.pages()) == 4


LIMITED = """
import resource
import runpy

resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
"""
"""No file may grow beyond this size: what SQLite sees is an error in the middle of a write, as on a disk without room."""


@pytest.mark.slow
def test_a_full_disk_is_said_once_and_nothing_is_lost(tmp_path: Path) -> None:
    data, script, seeds = tmp_path / "data", tmp_path / "limited.py", str(DEMO / "seeds.txt")
    web = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "pages": 60}
    (data / "cache").mkdir(parents=True)
    script.write_text(LIMITED.format(200 * 1024), encoding="utf-8")
    _, _, _, *crawls = command("partybuilding", data, seeds, **web)
    ended = run_forked([script, *crawls], ROOT, environment())
    assert ended.returncode in (1, 2), ended.stderr
    assert "Traceback" not in ended.stderr and "Scheduler close failure" not in ended.stderr
    assert ended.stderr.count("that the disk has room") == 1
    for folder in (data, tmp_path / "whole"):
        assert crawl("partybuilding", folder, seeds, **web).code == 0
    assert [r.url for r in rows(data) if r.keep] == [r.url for r in rows(tmp_path / "whole") if r.keep]
