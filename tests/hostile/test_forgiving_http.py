"""Answers that are wrong in a way that browsers forgive are read; what cannot be read has a reason of its own."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import brotli
import pytest
from crawl_tools import article, crawl, rows
from warc_tools import write_warc

HTML = "Content-Type: text/html; charset=utf-8"
GZIP, CHUNKED = "Content-Encoding: gzip", "Transfer-Encoding: chunked"


@contextlib.contextmanager
def listening(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port of 127.0.0.1 where each connection is answered by hand."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                with peer, contextlib.suppress(OSError):
                    peer.settimeout(10)
                    answer(peer)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def page(name: str) -> bytes:
    return article(f"支部 {name}").encode()


def answer(body: bytes, *lines: str, status: str = "HTTP/1.1 200 OK", length: str | None = None) -> bytes:
    """An answer with these header lines, and its Content-Length unless ``length`` is another, or ""."""
    length = str(len(body)) if length is None else length
    head = [status, *(lines or (HTML,)), *([f"Content-Length: {length}"] if length else []), "Connection: close", "", ""]
    return "\r\n".join(head).encode() + body


def chunks(body: bytes, size: str = "{:x}", last: bytes = b"0\r\n\r\n") -> bytes:
    pieces = (body[i : i + 300] for i in range(0, len(body), 300))
    return b"".join(size.format(len(piece)).encode() + b"\r\n" + piece + b"\r\n" for piece in pieces) + last


READ: dict[str, Callable[[bytes], bytes]] = {
    "length too long": lambda b: answer(b, length=str(len(b) + 500)),
    "length of words": lambda b: answer(b, length="unknown"),
    "length below zero": lambda b: answer(b, length="-1"),
    "lengths that differ": lambda b: answer(b, HTML, "Content-Length: 17"),
    "no last chunk": lambda b: answer(chunks(b, last=b""), HTML, CHUNKED, length=""),
    "last chunk cut": lambda b: answer(chunks(b)[:-30], HTML, CHUNKED, length=""),
    "chunks and a length": lambda b: answer(chunks(b), HTML, "Transfer-Encoding: Chunked", length="9"),
    "sizes with blanks": lambda b: answer(chunks(b, " {:x}  "), HTML, CHUNKED, length=""),
    "identity": lambda b: answer(b, HTML, "Transfer-Encoding: identity"),
    "plain as gzip": lambda b: answer(b, HTML, GZIP),
    "plain as gzip, marked": lambda b: answer(b"\xef\xbb\xbf\r\n" + b, HTML, GZIP),
    "plain as br": lambda b: answer(b, HTML, "Content-Encoding: br"),
    "plain as deflate": lambda b: answer(b, HTML, "Content-Encoding: deflate"),
    "plain as zstd": lambda b: answer(b, HTML, "Content-Encoding: zstd"),
    "deflate without its head": lambda b: answer(zlib.compress(b)[2:-4], HTML, "Content-Encoding: deflate"),
    "blanks behind names": lambda b: answer(gzip.compress(b), "Content-Type : text/html", "Content-Encoding : gzip"),
    "names that are none": lambda b: answer(b, HTML, "X Powered By: PHP", ": 1", "标题: 2", "X(1): 3", "only words"),
    "a blank before the first name": lambda b: answer(b, " X-First: 1", HTML),
    "empty line first": lambda b: b"\r\n" + answer(b),
    "blanks in the status line": lambda b: answer(b, status="HTTP/1.1  200  OK"),
    "octet-stream": lambda b: answer(b, "Content-Type: application/octet-stream"),
    "octet-stream, marked": lambda b: answer(b"\xef\xbb\xbf" + b, "Content-Type: application/octet-stream"),
    "octet-stream, UTF-16": lambda b: answer(b"\xff\xfe" + b.decode().encode("utf-16-le"), "Content-Type: binary/octet-stream"),
    "octet-stream, comments": lambda b: answer(b"<?xml version='1.0'?><!--a--> " + b, "Content-Type: application/x-download"),
}
REFUSED: dict[str, tuple[bytes, str]] = {
    "picture": (answer(b"\x89PNG\r\n\x1a\n" + bytes(99), "Content-Type: application/octet-stream"), "not a text page"),
    "script": (answer(b"<!-- " * 99 + b"var a = '<html>'", "Content-Type: application/octet-stream"), "not a text page"),
    "broken gzip": (answer(gzip.compress(b"x" * 999)[:9] + bytes(99), HTML, GZIP), "broken encoding"),
    "broken br": (answer(brotli.compress(b"x" * 999)[:4] + b"\xff\0" * 99, HTML, "Content-Encoding: br"), "broken encoding"),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"),
    "nothing of what was promised": (answer(b"", length="99"), "connection failed"),
    "no chunk": (answer(b"<p>plain", HTML, CHUNKED, length=""), "connection failed"),
}


def test_what_browsers_forgive_is_read_and_the_rest_has_a_reason(topic: Path, tmp_path: Path) -> None:
    asked: list[str] = []
    names = [*READ, *REFUSED]

    def reply(peer: socket.socket) -> None:
        path = peer.recv(65536).split(b" ")[1].decode()
        asked.append(path)
        if path == "/robots.txt":
            peer.sendall(answer(b"", status="HTTP/1.1 404 Not Found"))
            return
        name = names[int(path[1:])]
        peer.sendall(READ[name](page(name)) if name in READ else REFUSED[name][0])

    seeds = tmp_path / "seeds.txt"
    with listening(reply) as port:
        seeds.write_text("\n".join(f"http://127.0.0.1:{port}/{n}" for n in range(len(names))))
        crawled = crawl(topic, tmp_path / "data", str(seeds), strategy="breadth_first", DOWNLOAD_DELAY=0, RETRY_TIMES=0)
    assert crawled.code == 0 and "Traceback" not in crawled.log, crawled.log
    found = {names[int(row.url.rpartition("/")[2])]: row for row in rows(tmp_path / "data")}
    expected = dict.fromkeys(READ, "") | {name: reason for name, (_, reason) in REFUSED.items()}
    assert {name: found[name].reason for name in names} == expected
    assert {name for name in READ if len(found[name].text or "") < 200} == set()
    assert asked.count("/robots.txt") < 6, "once, and after a broken connection"
    assert "is shorter than announced" in crawled.log


def plain(peer: socket.socket) -> None:
    peer.recv(65536)
    peer.sendall(answer(b"", status="HTTP/1.1 400 Bad Request"))


def alert(peer: socket.socket) -> None:
    peer.recv(65536)
    peer.sendall(b"\x15\x03\x03\x00\x02\x02\x28")  # handshake_failure


@pytest.mark.parametrize("speaks", [plain, alert])
def test_tls_that_fails_is_named(speaks: Callable[[socket.socket], None], topic: Path, tmp_path: Path) -> None:
    with listening(speaks) as port:
        crawled = crawl(topic, tmp_path / "data", f"https://127.0.0.1:{port}/", RETRY_TIMES=0)
    assert [row.reason for row in rows(tmp_path / "data")] == ["TLS failed"]
    assert "SSL routines" in crawled.log and "Traceback" not in crawled.log


def test_records_that_were_unpacked_are_texts(topic: Path, tmp_path: Path) -> None:
    codings = {f"http://a.cn/{n}": coding for n, coding in enumerate(("gzip", "br", "deflate", "zstd", "x-gzip, br"))}
    head = {"Content-Type": "text/html; charset=utf-8"}
    answers = [(url, 200, {**head, "Content-Encoding": coding}, page(coding)) for url, coding in codings.items()]
    web = write_warc(tmp_path / "web.warc.gz", answers)
    crawl(topic, tmp_path / "data", " ".join(codings), TOPICAL_REPLAY=web)
    assert [row.reason for row in rows(tmp_path / "data")] == [""] * len(codings)
