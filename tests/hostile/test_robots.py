"""A robots.txt that cannot be had forbids everything for now, and is asked for again (RFC 9309)."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from crawl_tools import Crawled, Reply, Route, Site, article, crawl, rows

CLOSES = "User-agent: *\nDisallow: /closed\n"
TEXT = "text/plain"
START = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
HALF_MEGABYTE = 512 * 1024


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """The connection is reset before any answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def breaks_off(handler: BaseHTTPRequestHandler) -> None:
    """Less than was promised."""
    handler.wfile.write(START + b"Content-Length: 1000\r\n\r\n" + CLOSES.encode())


def long_head(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(START + b"X-Field: 1\r\n" * 10_000 + b"\r\n" + CLOSES.encode())


def no_gzip(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(START + b"Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n" + b"\x1f\x8b no gzip"[:9])


def never_ends(site: Site) -> Reply:
    def silent(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(START)
        site.closing.wait()

    return Reply(raw=silent)


def visit(
    topic: Path, tmp_path: Path, robots: Callable[[Site], Route], **options: object
) -> tuple[Crawled, Site, dict[str, str]]:
    """Crawl a site of a home page and two articles, one of them closed; the reasons of its pages by path."""
    with Site() as site:
        site.routes = {path: Reply(article(f"党建 {path}")) for path in ("/open", "/closed")}
        site.routes |= {"/": Reply(article("首页", {"/open": "党建", "/closed": "党建"})), "/robots.txt": robots(site)}
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0, **options)
    assert crawled.code == 0, crawled.log
    assert "Traceback" not in crawled.log
    return crawled, site, {row.url.removeprefix(site.url): row.reason for row in rows(tmp_path / "data")}


LOST: dict[str, Callable[[Site], Reply]] = {
    "HTTP 500": lambda site: Reply("", 500),
    "HTTP 503": lambda site: Reply("", 503),
    "HTTP 429": lambda site: Reply("", 429),
    "reset": lambda site: Reply(raw=hang_up),
    "broken off": lambda site: Reply(raw=breaks_off),
    "silent": never_ends,
    "redirects without end": lambda site: Reply("", 302, headers={"Location": "/robots.txt?again"}),
    "head without end": lambda site: Reply(raw=long_head),
    "no gzip": lambda site: Reply(raw=no_gzip),
}


@pytest.mark.parametrize("name", LOST)
def test_one_that_cannot_be_had_forbids_until_it_can(name: str, topic: Path, tmp_path: Path) -> None:
    def robots(site: Site) -> Route:
        lost = LOST[name](site)
        times = 1 if "silent" in name else 2

        def answer(path: str) -> Reply:
            if path == "/robots.txt":
                asked.append(sum("robots" not in hit.path for hit in site.hits))
            return lost if len(asked) <= times or path != "/robots.txt" else Reply(CLOSES, content_type=TEXT)

        return answer

    asked: list[int] = []
    crawled, _, reasons = visit(topic, tmp_path, robots, DOWNLOAD_TIMEOUT=3 if name == "silent" else 30)
    assert reasons == {"/": "", "/open": "", "/closed": "robots.txt"}
    assert len(asked) >= 2 and set(asked) == {0}  # nothing was fetched before
    assert "robots.txt cannot be had" in crawled.log and "backing off from" in crawled.log


@pytest.mark.parametrize("name", ["HTTP 500", "redirects without end"])
def test_a_host_that_never_gives_it_is_given_up(name: str, topic: Path, tmp_path: Path) -> None:
    crawled, site, reasons = visit(topic, tmp_path, LOST[name])
    assert reasons == {"/": "robots.txt cannot be had"}
    assert not [hit for hit in site.pages() if "robots.txt" not in hit.path]
    assert "is given up" in crawled.log


@pytest.mark.parametrize("status", [403, 404])
def test_one_that_does_not_exist_forbids_nothing(status: int, topic: Path, tmp_path: Path) -> None:
    _, site, reasons = visit(topic, tmp_path, lambda site: Reply(CLOSES, status))
    assert reasons == {"/": "", "/open": "", "/closed": ""}
    assert site.asked("/robots.txt") == 1


@pytest.mark.parametrize("ends", [True, False])
def test_of_a_long_one_the_first_half_megabyte_counts(ends: bool, topic: Path, tmp_path: Path) -> None:
    comment, sent = b"# and so on\n", []

    def long(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(START + b"\r\n" + CLOSES.encode() + comment * (HALF_MEGABYTE // len(comment)) + b"Disallow: /open\n")
        for _ in range(0 if ends else 1000):
            handler.wfile.write(comment * 10_000)
            sent.append(1)

    _, _, reasons = visit(topic, tmp_path, lambda site: Reply(raw=long))
    assert reasons == {"/": "", "/open": "", "/closed": "robots.txt"}
    assert len(sent) < 1000


@pytest.mark.parametrize("name", ["HTTP 500", "silent"])
def test_whoever_does_not_obey_it_does_not_ask_for_it(name: str, topic: Path, tmp_path: Path) -> None:
    _, site, reasons = visit(topic, tmp_path, LOST[name], ROBOTSTXT_OBEY=False)
    assert reasons == {"/": "", "/open": "", "/closed": ""}
    assert site.asked("/robots.txt") == 0


def test_a_recording_answers_as_the_web_did(topic: Path, tmp_path: Path) -> None:
    _, site, reasons = visit(topic, tmp_path, LOST["HTTP 500"], TOPICAL_ARCHIVE=1)
    again = crawl(
        topic, tmp_path / "again", site.url + "/", TOPICAL_REPLAY=tmp_path / "data" / "archive", TOPICAL_REST_SECONDS=3600
    )
    assert again.code == 0, again.log
    assert {row.url.removeprefix(site.url): row.reason for row in rows(tmp_path / "again")} == reasons


def test_a_ban_for_our_name_with_a_version_is_obeyed(topic: Path, tmp_path: Path) -> None:
    rules = "User-agent: topical_crawler/0.1\nDisallow: /closed\n\nUser-agent: *\nAllow: /\n"
    _, site, reasons = visit(topic, tmp_path, lambda site: Reply(rules, content_type=TEXT))
    assert reasons["/closed"] == "robots.txt" and not site.asked("/closed")
    assert reasons["/open"] == ""
