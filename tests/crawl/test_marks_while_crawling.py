"""A person marks texts while a crawl runs: its later verdicts change, those of a resumed run and of every worker, too."""

from __future__ import annotations

import os
import random
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from crawl_tools import ROOT, Reply, Site, article, command, make_topic, rows, start
from fork_tools import Forked
from redis_tools import RedisServer
from wait_tools import HANGS, judging_page, stopped, wait_for
from workbench_tools import judge_all

from topical_crawler.corpus.record import Record

TICKS = "from topical_crawler import driver\nfrom topical_crawler.settings import *\n\ndriver.TICK = 0.1\n"
_TEAMS = ["青河队", "云岭队", "铁路局队", "港务队", "师院队"]
_PLAYS = [
    "开场不久，{}的门将就扑出了一记点球。", "{}的前锋梅开二度，客场球迷唱起了队歌。", "中场休息以后，{}换上了两名边锋。",
    "雨越下越大，{}的后卫三次把球解围出底线。", "{}的教练在场边喊哑了嗓子，裁判掏出黄牌。", "补时阶段，{}的替补远射击中横梁。",
    "积分榜上，{}与榜首只差两分。", "赛后发布会上，{}的队长称赞了对手的防线。", "下一轮{}要去港口客场挑战卫冕冠军。",
]  # fmt: skip


def match(n: int) -> str:
    """A report on a football match, in which no term of the topic stands."""
    dice = random.Random(n)
    plays = "".join(f"<p>{play.format(dice.choice(_TEAMS))}</p>" for play in dice.sample(_PLAYS, 7))
    title = f"联赛第{n}轮：{dice.choice(_TEAMS)}迎战{dice.choice(_TEAMS)}"
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><article>{plays}</article>"


def page(path: str) -> Reply | None:
    """A web without end: half of it is about football, half about the topic of the crawl, and no link tells which."""
    if not (found := re.fullmatch(r"/news/(\d+)\.html", path)):
        return None
    n = int(found[1])
    links = {f"/news/{n + 1}.html": "下一篇"}
    if n == 0 or random.Random(n).random() < 0.5:
        return Reply(article(f"第{n}篇", links))
    return Reply(match(n) + "".join(f'<a href="{url}">{anchor}</a>' for url, anchor in links.items()) + "</body></html>")


@pytest.fixture
def web() -> Iterator[Site]:
    with Site({"": page}) as site:
        yield site


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    return make_topic(tmp_path / "party", default_strategy='"adaptive"')


@contextmanager
def running(topic: Path, data: Path, web: Site, **options: object) -> Iterator[list[str]]:
    """A crawl that runs, by its log; it is stopped in good order, unless the test has failed."""
    project = data.with_name(f"{data.name}-project")
    project.mkdir(exist_ok=True)
    (project / "project_settings.py").write_text(TICKS, encoding="utf-8")
    given = {"DOWNLOAD_DELAY": 0.05, "TOPICAL_TRAP_PAGES": 0, **options}
    process = start(command(topic, data, f"{web.url}/news/0.html", **given), project)
    log: list[str] = []
    assert process.stderr is not None
    reader = threading.Thread(target=log.extend, args=(process.stderr,), daemon=True)
    reader.start()
    try:
        yield log
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS) == 0, "".join(log)
    finally:
        process.kill()
        reader.join()


def judge(data: Path, *more: str) -> tuple[list[dict[str, object]], str]:
    """What ``topical-crawler corpus judge`` asks a person who likes football and nothing else; and what it says."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings", "PYTHONUTF8": "1"}
    line = ["-m", "topical_crawler", "corpus", "judge", str(data), "--no-browser", *more]
    with Forked(line, ROOT, environment, output=True) as process:
        address, said = judging_page(process)
        items = judge_all(address, lambda place, item: "relevant" if "联赛" in item["title"] else "irrelevant")
        _, error = stopped(process)
        assert process.returncode == 0, error
    return items, said + error


def football(data: Path) -> list[Record]:
    """The matches in a corpus, in the order of their fetching."""
    return [row for row in rows(data) if "联赛" in row.title]


def until_football_is_kept(data: Path, web: Site, workers: int = 1) -> None:
    """Wait until each worker has kept several of the matches that are fetched from now on."""
    wait_for(lambda: len(web.pages()) > 50)
    before = len(football(data))

    def kept() -> Counter[str]:
        return Counter(row.worker for row in football(data)[before:] if row.keep)

    wait_for(lambda: sum(n > 3 for n in kept().values()) == workers, lambda: football(data)[-5:])


@pytest.mark.slow
def test_a_crawl_that_runs_learns_from_each_mark_and_goes_on_so_when_resumed(topic: Path, web: Site, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(topic, data, web) as log:
        wait_for(lambda: len(web.pages()) > 50)
        assert not any(row.keep for row in football(data)[5:])
        items, said = judge(data)
        assert len(items) == 20
        assert f"{data}: the crawl learns from 20 marked texts" in said
        until_football_is_kept(data, web)
    whole = "".join(log)
    assert "Learned " in whole and "20 texts are marked by now" in whole and "Traceback" not in whole
    with running(topic, data, web) as log:
        until_football_is_kept(data, web)
    assert "20 texts are marked by now" in "".join(log)


@pytest.mark.slow
def test_a_crawl_that_does_not_run_learns_the_marks_when_it_is_resumed(topic: Path, web: Site, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(topic, data, web):
        wait_for(lambda: len(web.pages()) > 50)
    first, said = judge(data)
    assert "the crawl learns from 20 marked texts" in said
    second, said = judge(data)
    assert not {item["url"] for item in first} & {item["url"] for item in second}
    assert [file.name for file in sorted(data.glob("asked-*"))] == ["asked-1.jsonl", "asked-2.jsonl"]
    with running(topic, data, web):
        until_football_is_kept(data, web)


@pytest.mark.slow
def test_all_workers_of_a_crawl_learn_from_each_mark(topic: Path, web: Site, tmp_path: Path) -> None:
    data = tmp_path / "party"
    with RedisServer(tmp_path) as server:
        shared = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url}
        with (
            running(topic, data, web, TOPICAL_WORKER="one", **shared) as one,
            running(topic, data, web, TOPICAL_WORKER="two", **shared) as two,
        ):
            wait_for(lambda: len(web.pages()) > 50)
            _, said = judge(data, *(f"-s{name}={value}" for name, value in shared.items()))
            assert "party: the crawl learns from 20 marked texts" in said
            until_football_is_kept(data, web, workers=2)
    for log in ("".join(one), "".join(two)):
        assert "20 texts are marked by now" in log and "Traceback" not in log
