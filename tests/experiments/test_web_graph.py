"""Recorded webs as graphs: what answers, what a page leads to, what a crawl refuses."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from warc_tools import write_warc

from experiments.web_graph import WebGraph
from topical_crawler.recordings.reader import Recording

HTML = {"Content-Type": "text/html; charset=utf-8"}
Answer = tuple[str, int, Mapping[str, str], bytes]


def page(url: str, *links: str, head: str = "") -> Answer:
    body = f"<title>党建</title>{head}" + "".join(f'<a href="{link}">支部</a>' for link in links)
    return f"http://{url}", 200, HTML, body.encode()


def moved(url: str, target: str) -> Answer:
    return f"http://{url}", 301, {"Location": target}, b""


def graph(folder: Path, *answers: Answer) -> WebGraph:
    with Recording(write_warc(folder / "web.warc.gz", answers), folder) as recording:
        return WebGraph.read(recording)


def leads(found: WebGraph) -> dict[str, list[str]]:
    return {url[7:]: [found.urls[n][7:] for n in found.links[i]] for i, url in enumerate(found.urls)}


def test_links_between_pages(tmp_path: Path) -> None:
    found = graph(
        tmp_path,
        page("a.cn/", "/1", "/1#end", "/none", "http://b.cn/?x=%e5%85%9a", "/", "javascript:go()"),
        page("a.cn/1", "/", "2.pdf", "1"),
        page("b.cn/?x=党", "http://a.cn/1"),
        page("a.cn/2.pdf"),
        ("http://a.cn/none", 404, HTML, b'<a href="/1">'),
    )
    assert leads(found) == {"a.cn/": ["a.cn/1", "b.cn/?x=党"], "a.cn/1": ["a.cn/"], "b.cn/?x=党": ["a.cn/1"]}
    assert [found.page(f"http://{u}") for u in ("a.cn", "A.cn:80/#x", "b.cn/?x=%E5%85%9A", "a.cn/none", "a.cn/2.pdf")] == [
        0, 0, 2, None, None
    ]  # fmt: skip


def test_redirects_are_followed(tmp_path: Path) -> None:
    found = graph(
        tmp_path,
        page("a.cn/", "http://www.a.cn/1", "/loop", "/out", "/refresh", "/reload"),
        moved("www.a.cn/1", "https://a.cn/x"),
        ("https://a.cn/x", 302, {"Location": "//a.cn/1/"}, b""),
        ("https://a.cn/1/", 200, HTML, b""),
        moved("a.cn/loop", "/loop2"),
        moved("a.cn/loop2", "/loop"),
        moved("a.cn/out", "http://else.cn/"),
        page("a.cn/refresh", "/never", head='<meta http-equiv="refresh" content="0; url=/new">'),
        page("a.cn/reload", head='<meta http-equiv="refresh" content="0; url=/reload">'),
        page("a.cn/new"),
        page("a.cn/never"),
    )
    start = found.page("http://a.cn/")
    assert start is not None
    assert [found.urls[n] for n in found.links[start]] == ["https://a.cn/1/", "http://a.cn/new", "http://a.cn/reload"]
    assert found.page("http://www.a.cn/1") == found.urls.index("https://a.cn/1/")
    assert "http://a.cn/refresh" not in found.urls


def test_one_page_for_one_canonical_form_and_none_that_robots_forbid(tmp_path: Path) -> None:
    found = graph(tmp_path, page("a.cn/", "/1"), page("a.cn/index.html", "/2"), page("a.cn/1", "/index.html"), page("a.cn/2"))
    assert leads(found) == {"a.cn/": ["a.cn/1"], "a.cn/1": ["a.cn/"], "a.cn/2": []}
    robots = ("http://a.cn/robots.txt", 200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/*.html")
    found = graph(tmp_path, robots, page("a.cn/", "/private/1.html", "/2"), page("a.cn/private/1.html"), page("a.cn/2"))
    assert leads(found)["a.cn/"] == ["a.cn/2"] and found.page("http://a.cn/private/1.html") is None


def test_bodies_of_any_kind(tmp_path: Path) -> None:
    body = '<a href="/2">支部</a>'.encode("gb18030")
    found = graph(
        tmp_path,
        ("http://a.cn/gzip", 200, {**HTML, "Content-Encoding": "gzip"}, gzip.compress(body)),
        ("http://a.cn/broken", 200, {**HTML, "Content-Encoding": "gzip"}, b"\x1f\x8bnothing"),
        ("http://a.cn/json", 200, {"Content-Type": "application/json"}, body),
        ("http://a.cn/mislabelled", 200, {"Content-Type": "application/octet-stream"}, b"<!doctype html>" + body),
        page("a.cn/2"),
    )
    assert [len(links) for links in found.links] == [1, 0, 0, 1, 0]


def test_the_second_time_it_comes_from_the_cache_unless_that_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = write_warc(tmp_path / "web.warc.gz", [page("a.cn/", "/1"), page("a.cn/1", "/")])
    first = WebGraph.open(web, tmp_path / "cache")
    with monkeypatch.context() as patch:
        patch.setattr(WebGraph, "read", None)
        assert WebGraph.open(web, tmp_path / "cache") == first
    (cached,) = tmp_path.glob("cache/*.graph.json")
    for damage in ("", "[1]", "{", json.dumps({"stamp": "0"})):
        cached.write_text(damage)
        assert WebGraph.open(web, tmp_path / "cache") == first
    write_warc(web, [page("a.cn/", "/1"), page("a.cn/1"), page("b.cn/")])
    assert len(WebGraph.open(web, tmp_path / "cache").urls) == 3


def test_several_recordings_are_one_web(tmp_path: Path) -> None:
    first = write_warc(tmp_path / "first.warc.gz", [page("a.cn/", "/1", "http://b.cn/"), page("a.cn/1")])
    second = write_warc(tmp_path / "second.warc.gz", [page("b.cn/", "http://a.cn/1"), page("a.cn/")])
    for _ in range(2):
        graph = WebGraph.open([first, second], tmp_path)
        assert list(graph.urls) == ["http://a.cn/", "http://a.cn/1", "http://b.cn/"]
        assert list(graph.links) == [[1, 2], [], [1]]
    assert len(WebGraph.open([second, first], tmp_path).links[1]) == 0, "the first record of an address counts"
