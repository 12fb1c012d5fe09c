"""Starts that send their readers on are followed, and one that leads nowhere is told."""

from __future__ import annotations

from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from crawl_tools import Reply, Site, article, crawl, rows


def script(text: str) -> Reply:
    return Reply(f"<html><head><script>{text}</script></head><body></body></html>")


def location(value: bytes) -> Reply:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: " + value + b"\r\n\r\n")

    return Reply(raw=answer)


def own(name: str, head: str = "", status: int = 200, **headers: str) -> Reply:
    return Reply(article(f"党建 {name}", head=head), status, headers=headers)


ONWARD = [  # what a start answers, and where it leads to
    (Reply('<meta http-equiv="refresh" content="0;url=index.htm">'), "index.htm"),  # another name of the page
    (Reply("<html></html>", headers={"Refresh": "0; URL='b.html'"}), "b.html"),
    (script("window.location.href='b.html'"), "b.html"),
    (script('top.location.replace("/replaced.html")'), "/replaced.html"),
    (script("var to = 'b.html';\nself.location = to;"), "b.html"),
    (location(rb"..\c\b.html"), "/c/b.html"),
    (location(b"/\xb5\xb3.html"), "/%B5%B3.html"),
]
STAYS = [
    own("a redirect to nowhere", status=302),
    own("a redirect to nothing", status=301, Location=""),
    own("a refresh of itself", Refresh="5; url=./#top"),
    own("a slow refresh", Refresh="600; url=/b.html"),
    own("a refresh to no address", "<base href=/c/><meta http-equiv=refresh content='0;url=http://['>"),
    own("a script on a page with a text", "<script>location.href='/b.html'</script>"),
    own("for readers without scripts", "<noscript><meta http-equiv=refresh content='0;url=/b.html'></noscript>"),
]
NOWHERE = [
    (Reply("<html></html>"), "leads nowhere: a page of 13 bytes without a link and without a title (off topic)"),
    (
        Reply("<title>平台</title><script src=/x.js></script><div id=app>"),
        "leads nowhere: a page of 60 bytes without a link, 平台 (off topic); its scripts may fill it",
    ),
    (Reply("gone", 404), "leads nowhere: no page (HTTP 404)"),
    (Reply(b"\x89PNG", content_type="image/png"), "leads nowhere: no page (not a text page)"),
    (location(b"http://[/"), "leads nowhere: no page (HTTP 302)"),
]


def visited(topic: Path, data: Path, starts: Iterable[Reply]) -> tuple[dict[str, str], str]:
    """The reasons of the rows, by path, of a crawl that starts at /0/, /1/ and so on, and its log."""
    with Site({f"/{n}/": start for n, start in enumerate(starts)}) as site:
        seeds = " ".join(site.url + path for path in site.routes)
        site.routes |= {"": lambda path: Reply(article(f"党建 {path}")), "/robots.txt": Reply("", 404)}
        crawled = crawl(topic, data, seeds, DOWNLOAD_DELAY=0)
    assert crawled.code == 0 and "Traceback" not in crawled.log
    return {row.final_url.removeprefix(site.url): row.reason for row in rows(data)}, " ".join(crawled.log.split())


def test_a_start_that_sends_its_readers_on_is_followed(topic: Path, tmp_path: Path) -> None:
    found, _ = visited(topic, tmp_path, (start for start, _ in ONWARD))
    targets = [to if to.startswith("/") else f"/{n}/{to}" for n, (_, to) in enumerate(ONWARD)]
    assert {path for path, reason in found.items() if not reason} == set(targets), "each target is a text"


def test_other_pages_are_taken_as_they_are(topic: Path, tmp_path: Path) -> None:
    assert visited(topic, tmp_path, STAYS)[0] == {f"/{n}/": "" for n in range(len(STAYS))}


def test_a_start_that_leads_nowhere_is_told(topic: Path, tmp_path: Path) -> None:
    _, log = visited(topic, tmp_path, (start for start, _ in NOWHERE))
    assert [said for n, (_, said) in enumerate(NOWHERE) if f"/{n}/ {said}" not in log] == [], log
