"""Topical crawls over a recording."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from crawl_tools import DEMO, HTML, article, command, crawl, essence, rows, start
from redis_tools import RedisServer
from scrapy.settings import Settings
from warc_tools import write_warc

from topical_crawler import config


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["sqlite", "redis"])
def test_a_replay_repeats_whatever_may_be_in_flight(frontier: str, tmp_path: Path) -> None:
    """Side by side the crawls hold each other up, each at moments of its own."""
    with RedisServer(tmp_path / "redis") as server:
        web = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "TOPICAL_FRONTIER": frontier, "REDIS_URL": server.url, "pages": 80}
        folders = {number: tmp_path / str(number) for number in (1, 4, 16)}
        running = []
        for number, data in folders.items():
            given = {**web, "CONCURRENT_REQUESTS": number, "TOPICAL_CRAWL": number}
            running.append(start(command("partybuilding", data, str(DEMO / "seeds.txt"), **given)))
        for crawled in running:
            assert crawled.communicate()[1] and crawled.returncode == 0
    one, *others = [essence(rows(data)) for data in folders.values()]
    assert len(one) >= 80 and sum(bool(row[2]) for row in one) > 20
    assert all(other == one for other in others), "the same addresses in the same order, and equal rows"


def recorded(file: Path, pages: Mapping[str, str]) -> Path:
    return write_warc(file, [(url, 200, {"Content-Type": HTML}, page.encode()) for url, page in pages.items()])


def test_what_is_not_recorded_is_unreachable(topic: Path, tmp_path: Path) -> None:
    links = {"http://a.example/next": "党建", "http://a.example/unknown": "党建", "http://elsewhere.example/": "党建"}
    pages = {"http://a.example/": article("首页", links), "http://a.example/next": article("下页")}
    crawled = crawl(topic, tmp_path / "data", "http://a.example/", TOPICAL_REPLAY=recorded(tmp_path / "web.warc.gz", pages))
    assert crawled.code == 0 and "Traceback" not in crawled.log
    assert {r.url: r.reason for r in rows(tmp_path / "data")} == {
        "http://a.example/": "",
        "http://a.example/next": "",
        "http://a.example/unknown": "unreachable",
        "http://elsewhere.example/": "unreachable",
    }


def test_several_recordings_are_one_web(topic: Path, tmp_path: Path) -> None:
    links = {"a": {"http://b.example/": "党建"}, "b": {"http://a.example/": "党建"}}
    webs = [recorded(tmp_path / f"{name}.warc.gz", {f"http://{name}.example/": article(name, links[name])}) for name in links]
    crawled = crawl(topic, tmp_path / "data", "http://a.example/", TOPICAL_REPLAY=",".join(map(str, webs)))
    assert crawled.code == 0
    assert {r.url: r.status for r in rows(tmp_path / "data")} == {"http://a.example/": 200, "http://b.example/": 200}
    assert config.replay_file(Settings({"TOPICAL_REPLAY": webs})) == f"{webs[0]},{webs[1]}", "or a list in settings.py"
    crawled = crawl(topic, tmp_path / "other", "http://a.example/", TOPICAL_REPLAY=f"{webs[0]},{tmp_path}/none.warc.gz")
    assert crawled.code != 0 and f"{tmp_path}/none.warc.gz: no such file" in crawled.log


@pytest.mark.parametrize(
    ("name", "message"), [("none.warc.gz", "no such file"), ("garbage.warc.gz", "no WARC record begins here")]
)
def test_a_recording_that_cannot_be_read_is_refused(topic: Path, tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "garbage.warc.gz").write_bytes(b"garbage" * 99)
    crawled = crawl(topic, tmp_path / "data", "http://a.example/", TOPICAL_REPLAY=tmp_path / name)
    assert name in crawled.log and message in crawled.log
    assert crawled.code != 0 and "Traceback" not in crawled.log
