"""One crawl over a server that sends whatever a server may send: every page ends under its own reason, the good ones are kept."""

from __future__ import annotations

import re
import socket
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crawl_tools import Crawled, Reply, Route, Site, article, crawl, rows
from wait_tools import HANGS

from topical_crawler.corpus.record import Record

MB = 1024 * 1024
KEPT = ""


def head(handler: BaseHTTPRequestHandler, *lines: bytes, status: bytes = b"HTTP/1.1 200 OK") -> None:
    handler.wfile.write(b"\r\n".join([status, b"Connection: close", *lines, b"", b""]))


def huge(handler: BaseHTTPRequestHandler, announced: bool = True) -> None:
    """50 MB, as long as somebody takes them."""
    head(handler, b"Content-Type: text/html", *([b"Content-Length: %d" % (50 * MB)] if announced else []))
    for _ in range(50):
        handler.wfile.write(b"x" * MB)


def reset(handler: BaseHTTPRequestHandler) -> None:
    head(handler, b"Content-Type: text/html", b"Content-Length: 10000")
    handler.wfile.write(b"<title>party</title>")
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    head(handler, b"Content-Type: text/html", b"Content-Length: 10000")
    handler.wfile.write(b"<title>party</title>")


def garbage(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"\x00\xff\xfe not http at all\r\n\r\n")


def odd_headers(handler: BaseHTTPRequestHandler) -> None:
    body = article("奇怪的头").encode()
    lines = (b"Content-Type: text/html; charset=\xff\xfe\x80", b"X-Party: \xb5\xb3\xbd\xa8", b"Set-Cookie: \xff=\xfe; path=\x80")
    head(handler, *lines, b"Content-Length: %d" % len(body))
    handler.wfile.write(body)


def to_chinese_address(handler: BaseHTTPRequestHandler) -> None:
    head(handler, "Location: /党建/正文.html".encode(), b"Content-Length: 0", status=b"HTTP/1.1 302 Found")


def gzip_of_zeros(size: int) -> bytes:
    """``size`` zeros (whole MB) in gzip: one compressed MB again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(b"\0" * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    crc = 0
    for _ in range(size // MB):
        crc = zlib.crc32(b"\0" * MB, crc)
    end = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    return b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + block * (size // MB) + end + struct.pack("<II", crc, size & 0xFFFFFFFF)


def redirect(url: str) -> Reply:
    return Reply(status=302, headers={"Location": url})


def chain(path: str) -> Reply:
    return redirect(f"/chain?n={int(re.sub(r'[^0-9]', '', path) or 0) + 1}")


def many_links(path: str) -> Reply:
    links = {f"/nothing/{n}.pdf": f"第{n}条" for n in range(4_000)}
    return Reply(article("四千个链接", links | {"/after-many.html": "党建"}))


@dataclass(frozen=True)
class Case:
    """A hostile page: its route, and the reason that it must end with (``KEPT``: its text is in the corpus)."""

    path: str
    route: Route | None
    reason: str
    status: int | None = None
    text: str = ""


def text_in(encoding: str, declared: str | None, name: str, *, head: str = "") -> Reply:
    kind = "text/html" + (f"; charset={declared}" if declared else "")
    return Reply(article(name, head=head).encode(encoding), content_type=kind)


SLOW_EXTRACTION = "<title>党建：慢</title><h1>党员</h1>" + "<table><tr><td>党员<td>支部<tr><td>1<td>2</table>" * 42_000
"""1.9 million characters of tables that take two seconds of processor time, over three times what a page has here."""
BIG5 = article("春夏秋冬").encode("big5", "ignore")
FRAMES = '<title>党建</title><frameset><frame src="/frame-in-frame"><frame src="/frameset"></frameset>'
CASES = (
    # encodings
    Case("/gbk-as-utf8", text_in("gbk", "utf-8", "甲乙丙丁"), KEPT, text="甲乙丙丁"),
    Case("/gb18030-undeclared", text_in("gb18030", None, "子丑寅卯"), KEPT, text="子丑寅卯"),
    Case("/utf8-as-gb2312", text_in("utf-8", "gb2312", "天地玄黄"), KEPT, text="天地玄黄"),
    Case("/big5-undeclared", Reply(BIG5, content_type="text/html"), KEPT, text="春夏秋冬"),
    Case("/utf16-bom", text_in("utf-16", "utf-8", "东南西北"), KEPT, text="东南西北"),
    Case("/utf16le-no-bom", text_in("utf-16-le", None, "琴棋书画"), KEPT, text="琴棋书画"),
    Case("/unknown-charset", text_in("utf-8", "x-no-such", "梅兰竹菊"), KEPT, text="梅兰竹菊"),
    Case("/meta-lies", text_in("gb18030", None, "笔墨纸砚", head='<meta charset="iso-8859-1">'), KEPT, text="笔墨纸砚"),
    Case("/odd-headers", Reply(raw=odd_headers), KEPT, text="奇怪的头"),
    # markup
    Case("/nul", Reply(article("空字符").replace("党", "\0党\0")), KEPT, text="空字符"),
    Case("/html-closed-early", Reply("</html>" + article("早收尾").replace("<body>", "</html><body>")), KEPT, text="早收尾"),
    Case("/many-links", many_links, KEPT, text="四千个链接"),
    Case("/frameset", Reply(FRAMES), "no text"),
    Case("/frame-in-frame", Reply('<title>党建</title><iframe src="/framed"></iframe><iframe src="/frame-in-frame">'), "no text"),
    Case("/framed", Reply(article("框中页")), KEPT, text="框中页"),
    Case("/empty", Reply(b""), "off topic"),
    Case("/empty-no-type", Reply(b"", content_type=None), "off topic"),
    Case("/picture", Reply(b"\x89PNG\r\n\x1a\n" + b"\0\x01\x02" * 999, content_type="image/png"), "not a text page"),
    Case("/pdf-as-html", Reply(b"%PDF-1.4\n" + bytes(range(256)) * 99), "off topic"),
    Case("/html-as-octets", Reply(article("八位字节"), content_type="application/octet-stream"), KEPT, text="八位字节"),
    Case("/slow-extraction", Reply(SLOW_EXTRACTION), "extraction timed out"),
    Case("/long-source", Reply(article("长源码") + "<!-- " + "长" * 2_000_000 + " -->"), "page too large"),
    # sizes
    Case("/huge", Reply(raw=huge), "too large"),
    Case("/huge-unannounced", Reply(raw=lambda handler: huge(handler, announced=False)), "too large"),
    Case("/bomb", lambda _: Reply(gzip_of_zeros(1024 * MB), headers={"Content-Encoding": "gzip"}), "too large"),
    Case("/gzip-broken", Reply(b"\x1f\x8b\x08broken", headers={"Content-Encoding": "gzip"}), "broken encoding"),
    # redirects
    Case("/chain", chain, "redirected", 302),
    Case("/loop-a", redirect("/loop-b"), "redirected", 302),
    Case("/loop-b", redirect("/loop-a"), "redirected", 302),
    Case("/itself", redirect("/itself?utm_source=x"), "too many redirects"),
    Case("/meta-refresh", Reply('<meta http-equiv="refresh" content="0; url=/refreshed"><title>党建</title>'), "redirected", 200),
    Case("/refreshed", Reply(article("刷新之后")), KEPT, text="刷新之后"),
    Case("/chinese-location", Reply(raw=to_chinese_address), "redirected", 302),
    Case("/nowhere-location", redirect("http://"), "too many redirects"),
    Case("/elsewhere-location", redirect("ftp://127.0.0.1/x"), "HTTP 302"),
    # answers that are none
    Case("/gone", Reply("gone", 410), "HTTP 410", 410),
    Case("/missing", None, "HTTP 404", 404),
    Case("/error", Reply("error", 500), "HTTP 500", 500),
    Case("/busy", Reply("busy", 503), "HTTP 503", 503),
    Case("/reset", Reply(raw=reset), "off topic"),  # tried again, and then read as far as it came
    Case("/hang-up", Reply(raw=hang_up), "off topic"),
    Case("/garbage", Reply(raw=garbage), "not HTTP"),
    # traps
    Case("/session", Reply(article("会话")), KEPT, text="会话"),
)
GOOD = tuple(f"/good/{name}.html" for name in ("first", "second", "third"))


IMPATIENT = """
from topical_crawler.settings import *

DOWNLOADER_MIDDLEWARES = {**DOWNLOADER_MIDDLEWARES, "project_settings.Impatient": 1}


class Impatient:
    def process_request(self, request):
        if request.url.endswith(("/slow", "/silent")):
            request.meta["download_timeout"] = 1
"""
"""Settings by which only answers that never end are not waited for: on a busy machine any other may take long."""


@dataclass(frozen=True)
class Outcome:
    site: Site
    crawled: Crawled
    rows: list[Record]

    def row(self, path: str) -> Record:
        found = [r for r in self.rows if urlsplit(r.url).path == path]
        assert found, f"{path} has no row"
        return found[0]


@pytest.fixture(scope="module")
def outcome(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    with Site() as site:

        def slow(handler: BaseHTTPRequestHandler) -> None:
            head(handler, b"Content-Type: text/html")
            while not site.closing.wait(0.1):
                handler.wfile.write(b" ")

        def silent(handler: BaseHTTPRequestHandler) -> None:
            site.closing.wait()

        site.routes = {case.path: case.route for case in CASES if case.route is not None}
        site.routes |= {"/slow": Reply(raw=slow), "/silent": Reply(raw=silent)}
        site.routes |= {path: Reply(article(path)) for path in GOOD}
        site.routes["/%E5%85%9A%E5%BB%BA/%E6%AD%A3%E6%96%87.html"] = Reply(article("中文地址"))
        links = {case.path: "党建" for case in CASES if case.path not in ("/framed", "/frame-in-frame", "/refreshed", "/loop-b")}
        links |= {f"/session?jsessionid={n:032X}": "党建 会话" for n in range(50)}
        links |= {"/slow": "党建 慢", "/silent": "党建 静", **dict.fromkeys(GOOD, "党支部")}
        links |= dict.fromkeys(["http://no-such-host.invalid/", f"http://{'a' * 64}.invalid/", "http://127.0.0.1:1/"], "党建")
        links |= dict.fromkeys(["/long?" + "x" * 3_000, "http://[::1/", "http://127.0.0.1:port/", "javascript:x"], "党建")
        site.routes["/"] = Reply(article("首页", links))
        folder = tmp_path_factory.mktemp("hostile")
        data = folder / "data"
        (folder / "project_settings.py").write_text(IMPATIENT, encoding="utf-8")
        crawled = crawl(
            topic, data, site.url + "/", folder,
            DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=16, CONCURRENT_REQUESTS_PER_DOMAIN=16, DOWNLOAD_TIMEOUT=HANGS, RETRY_TIMES=1,
            TOPICAL_EXTRACT_TIMEOUT=0.6, TOPICAL_EXTRACTOR="ours",  # half a second is what it takes to import the other
            TOPICAL_ALLOW_PRIVATE="127.0.0.1",
        )  # fmt: skip
        yield Outcome(site, crawled, rows(data))


def test_the_crawl_ends_well(outcome: Outcome) -> None:
    assert outcome.crawled.code == 0
    assert "nothing left to fetch" in outcome.crawled.log and "Traceback" not in outcome.crawled.log
    assert not [(r.url, r.reason) for r in outcome.rows if r.reason.startswith(("failed", "error", "ignored"))]
    assert all(outcome.row(path).keep for path in GOOD)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path)
def test_every_page_has_its_reason(outcome: Outcome, case: Case) -> None:
    row = outcome.row(case.path)
    assert (row.reason, row.keep) == (case.reason, case.reason == KEPT)
    assert case.status in (None, row.status)
    assert case.text in (row.text or "")


def test_answers_that_never_end_are_timed_out_and_hosts_that_do_not_answer_are_named(outcome: Outcome) -> None:
    assert outcome.row("/slow").reason == outcome.row("/silent").reason == "timed out"
    reasons = {urlsplit(r.url).netloc: r.reason for r in outcome.rows}
    assert reasons["no-such-host.invalid"] == reasons["a" * 64 + ".invalid"] == "unknown host"
    assert reasons["127.0.0.1:1"] == "host away"


def test_redirects_without_end_are_given_up(outcome: Outcome) -> None:
    reasons = [r.reason for r in outcome.rows if urlsplit(r.url).path == "/chain"]
    assert reasons == ["redirected"] * 8 + ["too many redirects"]
    assert outcome.row("/%E5%85%9A%E5%BB%BA/%E6%AD%A3%E6%96%87.html").keep


def test_a_page_under_fifty_sessions_is_fetched_once_and_an_unusable_address_never(outcome: Outcome) -> None:
    assert (outcome.site.asked("/session"), outcome.site.asked("/long")) == (1, 0)
    assert "unusable address" in outcome.crawled.log
    assert re.search(r"too many links\s+(on a\s+)?.*2001", outcome.crawled.log), "links beyond the limit are counted"


def test_a_server_error_is_tried_again(outcome: Outcome) -> None:
    assert (outcome.site.asked("/error"), outcome.site.asked("/gone")) == (2, 1)
    assert outcome.site.asked("/busy") == 6 + 2  # six times the host rested first


def test_memory_stays_bounded(outcome: Outcome) -> None:
    assert 50 * MB < outcome.crawled.memory < 500 * MB or not Path("/proc").is_dir()
