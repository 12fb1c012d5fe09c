"""A robots.txt that cannot be had forbids everything for now, and is asked for again (RFC 9309)."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from crawl_tools import Crawled, Reply, Route, Site, article, crawl, rows

CLOSES = "User-agent: *\nDisallow: /closed\n"
TEXT = "text/plain"
START = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
HALF_MEGABYTE = 512 * 1024


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def breaks_off(handler: BaseHTTPRequestHandler) -> None:
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


Reasons = dict[str, dict[str, str]]


def visit(
    topic: Path, data: Path, robots: Mapping[str, Callable[[Site], Route]], **options: object
) -> tuple[Crawled, dict[str, Site], Reasons]:
    """Crawl sites of a home page and two articles, one of them closed, each with another robots.txt. Returns also the sites by
    name, and the reasons of their pages by path."""
    with ExitStack() as stack:
        sites = {name: stack.enter_context(Site()) for name in robots}
        for name, site in sites.items():
            site.routes = {path: Reply(article(f"党建 {name} {path}")) for path in ("/open", "/closed")}
            site.routes["/"] = Reply(article(f"首页 {name}", {"/open": "党建", "/closed": "党建"}))
            site.routes["/robots.txt"] = robots[name](site)
        seeds = " ".join(f"{site.url}/" for site in sites.values())
        crawled = crawl(topic, data, seeds, **{"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": 16, **options})
    assert crawled.code == 0 and "Traceback" not in crawled.log, crawled.log
    return crawled, sites, {name: reasons_of(site, data) for name, site in sites.items()}


def reasons_of(site: Site, data: Path) -> dict[str, str]:
    return {row.url.removeprefix(site.url): row.reason for row in rows(data) if row.url.startswith(f"{site.url}/")}


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


def test_one_that_cannot_be_had_forbids_until_it_can(topic: Path, tmp_path: Path) -> None:
    asked: dict[str, list[int]] = {name: [] for name in LOST}
    """How many pages had been asked for whenever the robots.txt was."""

    def robots(name: str, site: Site) -> Route:
        lost, times = LOST[name](site), 1 if name == "silent" else 2

        def answer(path: str) -> Reply:
            if path == "/robots.txt":
                asked[name].append(sum("robots" not in hit.path for hit in site.hits))
            return lost if len(asked[name]) <= times or path != "/robots.txt" else Reply(CLOSES, content_type=TEXT)

        return answer

    crawled, _, reasons = visit(topic, tmp_path, {name: partial(robots, name) for name in LOST}, DOWNLOAD_TIMEOUT=5)
    assert reasons == {key: {"/": "", "/open": "", "/closed": "robots.txt"} for key in LOST}
    assert all(len(times) >= 2 and set(times) == {0} for times in asked.values()), asked  # nothing was fetched before
    assert "robots.txt cannot be had" in crawled.log and "backing off from" in crawled.log


def test_a_host_that_never_gives_it_is_given_up(topic: Path, tmp_path: Path) -> None:
    names = ("HTTP 500", "redirects without end")
    crawled, sites, reasons = visit(topic, tmp_path, {name: LOST[name] for name in names})
    assert reasons == {key: {"/": "robots.txt cannot be had"} for key in names}
    assert not [hit for site in sites.values() for hit in site.pages() if "robots.txt" not in hit.path]
    assert crawled.log.count("is given up") == 2


def test_one_that_does_not_exist_forbids_nothing(topic: Path, tmp_path: Path) -> None:
    robots = {f"HTTP {status}": lambda _, status=status: Reply(CLOSES, status) for status in (403, 404)}
    _, sites, reasons = visit(topic, tmp_path, robots)  # type: ignore[arg-type]
    assert reasons == {key: {"/": "", "/open": "", "/closed": ""} for key in robots}
    assert [site.asked("/robots.txt") for site in sites.values()] == [1, 1]


def test_of_a_long_one_the_first_half_megabyte_counts(topic: Path, tmp_path: Path) -> None:
    comment, sent = b"# and so on\n", []

    def long(handler: BaseHTTPRequestHandler, more: int) -> None:
        handler.wfile.write(START + b"\r\n" + CLOSES.encode() + comment * (HALF_MEGABYTE // len(comment)) + b"Disallow: /open\n")
        for _ in range(more):
            handler.wfile.write(comment * 10_000)
            sent.append(1)

    robots = {name: lambda _, more=more: Reply(raw=partial(long, more=more)) for name, more in (("ends", 0), ("goes on", 1000))}
    _, _, reasons = visit(topic, tmp_path, robots)  # type: ignore[arg-type]
    assert reasons == {key: {"/": "", "/open": "", "/closed": "robots.txt"} for key in robots}
    assert len(sent) < 1000


def test_whoever_does_not_obey_it_does_not_ask_for_it(topic: Path, tmp_path: Path) -> None:
    _, sites, reasons = visit(topic, tmp_path, {"lost": LOST["HTTP 500"]}, ROBOTSTXT_OBEY=False)
    assert reasons == {"lost": {"/": "", "/open": "", "/closed": ""}}
    assert sites["lost"].asked("/robots.txt") == 0


def test_a_recording_answers_as_the_web_did(topic: Path, tmp_path: Path) -> None:
    _, sites, reasons = visit(topic, tmp_path / "data", {"lost": LOST["HTTP 500"]}, TOPICAL_ARCHIVE=1)
    given = {"TOPICAL_REPLAY": tmp_path / "data" / "archive", "TOPICAL_REST_SECONDS": 3600}
    again = crawl(topic, tmp_path / "again", sites["lost"].url + "/", **given)
    assert again.code == 0, again.log
    assert reasons_of(sites["lost"], tmp_path / "again") == reasons["lost"]


def test_a_ban_for_our_name_with_a_version_is_obeyed(topic: Path, tmp_path: Path) -> None:
    rules = "User-agent: topical_crawler/0.1\nDisallow: /closed\n\nUser-agent: *\nAllow: /\n"
    _, sites, reasons = visit(topic, tmp_path, {"named": lambda _: Reply(rules, content_type=TEXT)})
    assert reasons["named"] == {"/": "", "/open": "", "/closed": "robots.txt"} and not sites["named"].asked("/closed")
