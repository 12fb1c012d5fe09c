"""Answers whose head has no end, or too many fields: refused under one reason, within bounded memory."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path

from crawl_tools import Reply, Site, article, crawl, rows

from topical_crawler.downloadhandlers import LONGEST_HEAD, MOST_FIELDS
from topical_crawler.failures import HEAD_TOO_LARGE

MB = 1024 * 1024
START = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
MOST_SENT = 300 * MB  # a crawler that takes all of it is caught by its memory


class Endless:
    """Sends the same bytes after the start of a head until nobody takes them any more; says how many it got rid of."""

    def __init__(self, again: bytes, start: bytes = START) -> None:
        self.start, self.again, self.sent = start, again * max(1, MB // len(again)), 0

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(self.start)
        while self.sent < MOST_SENT:
            handler.wfile.write(self.again)
            self.sent += len(self.again)


def test_a_head_without_end_is_refused(topic: Path, tmp_path: Path) -> None:
    heads = {
        "/fields": Endless(b"X-Field: 1\r\n"),
        "/line": Endless(b"x" * 1000, START + b"X-Long: "),
        "/continuations": Endless(b"\tmore\r\n", START + b"X-Long: 1\r\n"),
        "/status": Endless(b"OK ", b"HTTP/1.1 200 "),
        "/interim": Endless(b"HTTP/1.1 100 Continue\r\n\r\n", b""),
    }
    with Site({path: Reply(raw=endless) for path, endless in heads.items()}) as site:
        site.routes |= {"/": Reply(article("首页", dict.fromkeys([*heads, "/good"], "党建"))), "/good": Reply(article("党建"))}
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0)
    assert crawled.code == 0, crawled.log
    reasons = {row.url.removeprefix(site.url): row.reason for row in rows(tmp_path / "data")}
    assert reasons == dict.fromkeys(heads, HEAD_TOO_LARGE) | {"/": "", "/good": ""}
    assert [site.asked(path) for path in heads] == [1] * len(heads)  # it will be no shorter at a second try
    assert all(endless.sent < MOST_SENT for endless in heads.values())


def test_a_large_head_within_the_bounds_is_read(topic: Path, tmp_path: Path) -> None:
    headers = {f"X-Field-{n}": "值".encode().decode("latin-1") * 80 for n in range(MOST_FIELDS - 20)}
    assert 0.5 * LONGEST_HEAD < sum(len(name) + len(value) for name, value in headers.items()) < LONGEST_HEAD
    with Site({"/": Reply(article("党建 首页"), headers=headers)}) as site:
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0)
    assert crawled.code == 0, crawled.log
    assert [row.status for row in rows(tmp_path / "data")] == [200]
