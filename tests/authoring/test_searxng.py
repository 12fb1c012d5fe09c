"""Searches by a server that answers as SearXNG documents it."""

import json
import urllib.parse

import pytest
from crawl_tools import Reply, Site

from topical_crawler.authoring import searxng
from topical_crawler.authoring.seeds import Nearness, rank
from topical_crawler.topic.files import TopicError

NEAR = Nearness({"党建": 1.0, "支部": 1.0})
RESULTS = [
    {"url": "http://dj.cn/a", "title": "党建网", "content": "支部生活", "engine": "bing", "engines": ["bing"], "score": 2.0},
    {"url": "http://tq.cn/", "title": "天气", "content": "", "engine": "bing", "engines": ["bing"], "score": 1.0},
    {"url": "https://zb.cn/", "title": "支部", "content": None, "engine": "bing", "engines": ["bing"], "score": 0.5},
]


def test_what_it_finds_by_nearness() -> None:
    body = json.dumps({"query": "党建", "number_of_results": 0, "results": RESULTS, "answers": [], "suggestions": []}).encode()
    with Site({"": Reply(body)}) as server:
        seeds = rank([searxng.from_searches(NEAR, f"{server.url}/", ["基层党建", "党建 支部"])])
    assert [(seed.url, seed.why) for seed in seeds] == [
        ("http://dj.cn/a", "search: 基层党建; search: 党建 支部"), ("https://zb.cn/", "search: 基层党建; search: 党建 支部")
    ]  # fmt: skip
    queries = [urllib.parse.parse_qs(urllib.parse.urlsplit(hit.path).query) for hit in server.hits]
    assert queries == [{"q": [words], "format": ["json"], "language": ["zh"]} for words in ("基层党建", "党建 支部")]
    assert server.hits[0].path.startswith("/search?")


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (403, b"", r"HTTP 403. Let it answer in JSON: formats: \[html, json\]"),
        (429, b"", "HTTP 429. Turn its limiter off"),
        (404, b"", "HTTP 404. Check that this is the address"),
        (302, b"", "HTTP 302"),
        (200, b"<html>", "does not answer like SearXNG"),
        (200, b'{"results": {}}', "does not answer like SearXNG"),
        (200, b" " * (searxng.MOST_BYTES + 1), "more than 4 MB"),
    ],
)
def test_other_answers_are_said(status: int, body: bytes, said: str) -> None:
    headers = {"Location": "http://other.example/"} if status == 302 else {}
    with Site({"": Reply(body, status, headers=headers)}) as server:
        with pytest.raises(TopicError, match=said):
            searxng.from_searches(NEAR, server.url, ["党建"])
        assert len(server.hits) == 1


def test_no_server() -> None:
    with Site() as server:
        pass
    with pytest.raises(TopicError, match=r"is unreachable \(\[Errno"):
        searxng.from_searches(NEAR, server.url, ["党建"])
    with pytest.raises(TopicError, match="is not an address"):
        searxng.from_searches(NEAR, "127.0.0.1:8888", ["党建"])
