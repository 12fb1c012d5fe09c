"""Workers on one crawl over several real Redis servers, of which one goes away for a while."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path

from crawl_tools import DEMO, Reply, Site, article, command, crawl, crawled_urls, make_topic, rows, start
from model_tools import Chat, by_party
from redis_tools import RedisServer
from wait_tools import HANGS, wait_for

from topical_crawler.crawl.steering import Marks
from topical_crawler.frontier.shard_map import shard_of
from topical_crawler.frontier.shards import open_shards

SETTINGS = """
import asyncio
from pathlib import Path
from topical_crawler.settings import *
DOWNLOADER_MIDDLEWARES = {**DOWNLOADER_MIDDLEWARES, "project_settings.Held": 1}

class Held:
    asked = 0

    async def process_request(self, request):
        self.asked += 1
        while self.asked > 40 and not Path(__file__).with_name("killed").exists():
            await asyncio.sleep(0.01)
"""
"""A crawl that is not over before the test has done what it does in the middle of it."""


def test_a_server_that_is_away_costs_no_page(tmp_path: Path) -> None:
    (tmp_path / "project_settings.py").write_text(SETTINGS, encoding="utf-8")
    servers = [RedisServer(tmp_path / f"redis{n}", appendonly="yes", appendfsync="always").start() for n in range(3)]
    clients = [server.client() for server in servers]
    web = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "strategy": "breadth_first", "LOG_LEVEL": "DEBUG"}
    shared = {
        "TOPICAL_FRONTIER": "redis", "REDIS_URL": " ".join(server.url for server in servers), "TOPICAL_CRAWL": "三家",
        "TOPICAL_CORPUS": tmp_path / "corpus.sqlite", "CONCURRENT_REQUESTS": 2,
        "TOPICAL_LEASE_SECONDS": 5,  # what was popped while the server died is taken again then
    }  # fmt: skip
    workers = [
        start(command("partybuilding", tmp_path / name, str(DEMO / "seeds.txt"), **web, **shared, TOPICAL_WORKER=name), tmp_path)
        for name in ("甲", "乙")
    ]
    wait_for(lambda: clients[2].llen("topical:{三家}:outcomes") > 9)  # two of the three sites
    servers[2].kill()
    (tmp_path / "killed").touch()
    before = clients[0].llen("topical:{三家}:outcomes")
    wait_for(lambda: clients[0].llen("topical:{三家}:outcomes") > before + 20)  # the third site goes on
    servers[2].start()
    logs = [worker.communicate(timeout=HANGS)[1] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], logs
    assert any("The hosts of shard 2 of 3 rest" in log and "shard 2 is back" in log for log in logs)

    whole = crawl("partybuilding", tmp_path / "whole", str(DEMO / "seeds.txt"), **web)
    fetched = [url for log in logs for url in crawled_urls(log)]
    assert set(fetched) == set(crawled_urls(whole.log))
    frontier = open_shards(clients, "三家", attach=True)
    finished = Counter(outcome.url for _, outcome in frontier.outcomes())
    assert set(finished.values()) == {1} and len(finished) > 200
    assert len(json.loads(json.dumps(frontier.details()))["shards"]) == 3
    for server in servers:
        server.stop()


def test_a_text_that_a_model_marks_while_the_first_server_is_away_is_kept_and_its_mark_too(tmp_path: Path) -> None:
    first, second = (RedisServer(tmp_path / f"redis{n}", appendonly="yes", appendfsync="always").start() for n in range(2))
    assert shard_of("localhost", range(2)) == 1  # the pages themselves are not held up

    away = threading.Event()

    def reply(texts: list[str], number: int) -> str:
        first.kill()
        away.set()
        return by_party(texts)

    pages = {f"/{n}.html": Reply(article(f"第{n}期")) for n in range(6)}
    pages["/"] = Reply(article("首页", dict.fromkeys(pages, "党建")))
    with Site(pages) as web, Chat(reply) as chat:
        topic = make_topic(tmp_path / "party")
        model = {"kind": "openai", "url": chat.url, "model": "small", "budget": 1}
        with (topic / "topic.toml").open("a", encoding="utf-8") as file:
            file.write("\n".join(["[model]", *(f"{name} = {value!r}" for name, value in model.items())]) + "\n")
        shared = {
            "TOPICAL_FRONTIER": "redis", "REDIS_URL": f"{first.url} {second.url}", "TOPICAL_CRAWL": "一评",
            "TOPICAL_CORPUS": tmp_path / "corpus.sqlite", "DOWNLOAD_DELAY": 0,
        }  # fmt: skip
        home = web.url.replace("127.0.0.1", "localhost")
        worker = start(command(topic, tmp_path / "data", f"{home}/", **shared))
        wait_for(lambda: away.is_set() and len(web.pages()) == len(pages))  # it goes on
        first.start()
        log = worker.communicate(timeout=HANGS)[1]
    assert worker.returncode == 0, log
    assert {row.url: row.reason for row in rows(tmp_path)} == dict.fromkeys((home + path for path in pages), "")
    assert len(chat.asked) == 1
    frontier = open_shards([first.client(), second.client()], "一评", attach=True)
    assert len(Marks(frontier).urls) == 1, log
    for server in (first, second):
        server.stop()
