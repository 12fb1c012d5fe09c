"""Starts that send their readers on are followed, and one that leads nowhere is told."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from crawl_tools import Reply, Site, article, crawl, rows

TARGET = article("党建 目的地")
OWN = article("党建 原地")


def script(text: str) -> Reply:
    return Reply(f"<html><head><script>{text}</script></head><body></body></html>")


def location(value: bytes) -> Reply:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: " + value + b"\r\n\r\n")

    return Reply(raw=answer)


ONWARD = {  # what the start /a/ answers, and the path that it leads to
    "another name of the page": (Reply('<meta http-equiv="refresh" content="0;url=index.htm">'), "/a/index.htm"),
    "a header": (Reply("<html></html>", headers={"Refresh": "0; URL='b.html'"}), "/a/b.html"),
    "a script": (script("window.location.href='b.html'"), "/a/b.html"),
    "a script that replaces": (script('top.location.replace("/b.html")'), "/b.html"),
    "a script by its variable": (script("var to = 'b.html';\nself.location = to;"), "/a/b.html"),
    "backslashes": (location(rb"..\c\b.html"), "/c/b.html"),
    "bytes of GBK": (location(b"/\xb5\xb3.html"), "/%B5%B3.html"),
}
STAYS = {
    "a redirect to nowhere": Reply(OWN, 302),
    "a redirect to nothing": Reply(OWN, 301, headers={"Location": ""}),
    "a refresh of itself": Reply(OWN, headers={"Refresh": "5; url=/a/#top"}),
    "a slow refresh": Reply(OWN, headers={"Refresh": "600; url=/b.html"}),
    "a refresh to no address": Reply(
        OWN.replace("<head>", "<head><base href=/c/><meta http-equiv=refresh content='0;url=http://['>")
    ),
    "a script on a page with a text": Reply(OWN.replace("<head>", "<head><script>location.href='/b.html'</script>")),
    "a refresh for readers without scripts": Reply(
        OWN.replace("<head>", "<head><noscript><meta http-equiv=refresh content='0;url=/b.html'></noscript>")
    ),
}


def visited(topic: Path, data: Path, start: Reply, target: str = "/b.html") -> tuple[list[tuple[str, str]], str]:
    """Path and reason of each row of a crawl that starts at /a/, and its log."""
    with Site({"/a/": start, target: Reply(TARGET)}) as site:
        crawled = crawl(topic, data, f"{site.url}/a/", DOWNLOAD_DELAY=0)
        assert crawled.code == 0 and "Traceback" not in crawled.log
        return [(row.final_url.removeprefix(site.url), row.reason) for row in rows(data)], crawled.log


@pytest.mark.parametrize("name", ONWARD)
def test_a_start_that_sends_its_readers_on_is_followed(name: str, topic: Path, tmp_path: Path) -> None:
    start, target = ONWARD[name]
    found, _ = visited(topic, tmp_path, start, target)
    assert found[-1] == (target, ""), "the target is a text"


@pytest.mark.parametrize("name", STAYS)
def test_other_pages_are_taken_as_they_are(name: str, topic: Path, tmp_path: Path) -> None:
    assert visited(topic, tmp_path, STAYS[name])[0] == [("/a/", "")]


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (Reply("<html></html>"), "/a/ leads nowhere: a page of 13 bytes without a link and without a title (off topic)"),
        (
            Reply("<title>平台</title><script src=/x.js></script><div id=app>"),
            "without a link, 平台 (off topic); its scripts may fill it",
        ),
        (Reply("gone", 404), "/a/ leads nowhere: no page (HTTP 404)"),
        (Reply(b"\x89PNG", content_type="image/png"), "/a/ leads nowhere: no page (not a text page)"),
        (location(b"javascript:history.back()"), "/a/ leads nowhere: no page (HTTP 302)"),
        (location(b"http://[/"), "/a/ leads nowhere: no page (HTTP 302)"),
    ],
)
def test_a_start_that_leads_nowhere_is_told(start: Reply, said: str, topic: Path, tmp_path: Path) -> None:
    log = visited(topic, tmp_path, start)[1]
    assert said in " ".join(log.split())
