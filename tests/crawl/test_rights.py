"""A crawl notes what pages, answers and robots.txt ask, exports it, and does not follow links where a page asks not to."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crawl_tools import Reply, Site, article, crawl, environment, rows
from fork_tools import run_forked
from redis_tools import RedisServer

from topical_crawler.corpus.record import Record
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.web.rights import FileRules

ROBOTS = """\
User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: /open/ train-ai=y
User-agent: googlebot
Content-Signal: search=no
"""


def site() -> Site:
    home = dict.fromkeys(("/noai.html", "/open/closed.html", "/moved.html", "/plain.html"), "党建")
    closed = article("二", {"/hidden.html": "党建", "/plain.html": "党建"})
    licensed = article("三", head='<link rel="license" href="http://creativecommons.org/licenses/by/4.0/">')
    return Site(
        {
            "/robots.txt": Reply(ROBOTS, content_type="text/plain"),
            "/": Reply(article("首页", home)),
            "/noai.html": Reply(article("一", head='<meta name="robots" content="noai">'), headers={"tdm-reservation": "1"}),
            "/open/closed.html": Reply(closed, headers={"X-Robots-Tag": "googlebot: noindex, topical_crawler: nofollow"}),
            "/moved.html": Reply(status=302, headers={"Location": "/open/target.html"}),
            "/open/target.html": Reply(licensed),
            "/plain.html": Reply(article("四")),
            "/hidden.html": Reply(article("五")),
        }
    )


def path_of(record: Record) -> str:
    return urlsplit(record.final_url).path


@pytest.fixture(scope="module")
def crawled(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    data = tmp_path_factory.mktemp("rights") / "data"
    with site() as server:
        assert crawl(topic, data, f"{server.url}/", DOWNLOAD_DELAY=0).code == 0
        yield server, data


def test_what_is_asked_is_noted_with_each_page(crawled: tuple[Site, Path]) -> None:
    assert {path_of(record): record.rights for record in rows(crawled[1]) if record.keep} == {
        "/": "ai-train=no",
        "/noai.html": "noai; tdm-reservation; ai-train=no",
        "/open/closed.html": "nofollow",
        "/open/target.html": "",
        "/plain.html": "ai-train=no",
    }


def test_links_of_a_page_that_says_nofollow_are_dropped_there_only(crawled: tuple[Site, Path]) -> None:
    server, data = crawled
    assert (server.asked("/hidden.html"), server.asked("/plain.html"), server.asked("/robots.txt")) == (0, 1, 1)
    with contextlib.closing(SqliteFrontier(data / "frontier.sqlite")) as frontier:
        assert frontier.status().dropped == {"nofollow": 1}


def test_two_more_files_of_a_host_are_asked_for_on_request_each_in_its_turn(topic: Path, tmp_path: Path) -> None:
    closed = {"/notes/1.html": "党建", "/report/1.html": "党建", "/report/open/1.html": "党建"}
    server = Site({path: Reply(article(path)) for path in closed} | {"/": Reply(article("首页", closed))})
    server.routes["/ai.txt"] = Reply("User-Agent: *\nDisallow: *.jpg\nDisallow: /notes/", content_type="text/plain")
    tdmrep = [{"location": "/report/*", "tdm-reservation": 1}, {"location": "/report/open/", "tdm-reservation": 0}, "?", {}]
    server.routes["/.well-known/tdmrep.json"] = Reply(json.dumps(tdmrep), content_type="application/json")
    with server:
        assert crawl(topic, tmp_path, f"{server.url}/", DOWNLOAD_DELAY=0.1, TOPICAL_RIGHTS_FILES=1).code == 0
    asked = sorted(server.hits, key=lambda hit: hit.began)
    assert [hit.path for hit in asked[:4]] == ["/robots.txt", "/ai.txt", "/.well-known/tdmrep.json", "/"]
    assert all(after.began - before.ended > 0.09 for before, after in pairwise(asked)) and len(asked) == 7
    assert {path_of(record): record.rights for record in rows(tmp_path)} == {
        "/": "",
        "/notes/1.html": "ai-train=no",
        "/report/1.html": "tdm-reservation",
        "/report/open/1.html": "",
    }


@pytest.mark.parametrize("text", ["<html>404</html>", "[" * 100_000, '{"location": "/a b"}', "null", '[{"location": 3}]'])
def test_what_is_none_of_these_files_says_nothing(text: str) -> None:
    assert FileRules([text, text]).of_url("http://a.cn/", "topical_crawler") == set()
    assert FileRules([text, '{"location": "/", "tdm-reservation": "1"}']).of_url("http://a.cn/a", "x") == {"tdm-reservation"}


def test_nofollow_is_disregarded_on_request(topic: Path, tmp_path: Path) -> None:
    with site() as server:
        assert crawl(topic, tmp_path, f"{server.url}/", DOWNLOAD_DELAY=0, TOPICAL_OBEY_NOFOLLOW=0).code == 0
        assert server.asked("/hidden.html") == 1


def test_workers_share_what_a_robots_txt_says(topic: Path, tmp_path: Path, server: RedisServer) -> None:
    shared = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url, "TOPICAL_RIGHTS_FILES": 1, "DOWNLOAD_DELAY": 0}
    with site() as web:
        web.routes["/ai.txt"] = Reply("User-agent: *\nDisallow: /plain", content_type="text/plain")
        for pages in (1, 3):  # the second process fetches no robots.txt
            assert crawl(topic, tmp_path, f"{web.url}/plain.html {web.url}/", **shared, pages=pages).code == 0
        assert [web.asked(path) for path in ("/robots.txt", "/ai.txt", "/.well-known/tdmrep.json")] == [1, 1, 1]
        found = [record.rights for record in rows(tmp_path) if not record.final_url.endswith(("closed.html", "target.html"))]
        assert len(found) >= 2 and all("ai-train=no" in rights for rights in found)


def test_an_export_filters_and_counts(crawled: tuple[Site, Path], tmp_path: Path) -> None:
    def export(name: str, *options: str) -> tuple[list[dict[str, object]], dict[str, object]]:
        line = ["-m", "topical_crawler", "corpus", "export", str(crawled[1]), "-o", str(tmp_path / name), *options]
        assert run_forked(line, tmp_path, environment()).returncode == 0
        texts = [json.loads(text) for text in (tmp_path / name).read_text(encoding="utf-8").splitlines()]
        return texts, json.loads((tmp_path / f"{name}.manifest.json").read_text(encoding="utf-8"))

    texts, manifest = export("all.jsonl")
    assert len(texts) == 5 and manifest["rights"] == {"ai-train=no": 3, "noai": 1, "nofollow": 1, "tdm-reservation": 1}
    assert all("rights" not in text["why"] for text in texts)  # type: ignore[operator]
    texts, manifest = export("free.jsonl", "--rights", "unreserved")
    assert sorted(str(text["rights"]) for text in texts) == ["", "nofollow"] and manifest["rights"] == {"nofollow": 1}
    assert manifest["filters"]["rights"][0] == "noindex"  # type: ignore[index]
    (text,), _ = export("licensed.jsonl", "--rights", "licensed")
    assert text["license"] == "http://creativecommons.org/licenses/by/4.0/"
