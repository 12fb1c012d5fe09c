"""Crawls that keep everything they fetch, and the same crawls again from what they kept."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
import zstandard
from crawl_tools import Reply, Site, article, crawl, rows
from step_tools import open_crawl
from warcio.archiveiterator import ArchiveIterator

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.options import CrawlError

POLITE = {"DOWNLOAD_DELAY": 0, "RETRY_TIMES": 1}
FAILING = """
import errno
from topical_crawler.recordings.writer import Archive
from topical_crawler.settings import *

_write = Archive._write

def full(self, members):
    if self.exchanges >= 4:
        raise OSError(errno.ENOSPC, "No space left on device")
    _write(self, members)

Archive._write = full
"""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        names = ("gzip", "deflate", "brotli", "zstd", "gbk", "moved", "gone", "busy", "private/page", "copy", "picture")
        links = {f"{site.url}/{name}": f"党建{name}" for name in names}
        busy, noted = [Reply("wait", 503)], {"X-Note": "党建".encode().decode("latin-1")}
        gbk = article("国标", head='<meta charset="gb2312">')
        site.routes |= {
            "/robots.txt": Reply("User-agent: *\nDisallow: /private/\nCrawl-delay: 0.1\n", content_type="text/plain"),
            "/": Reply(article("首页", links), headers={"Set-Cookie": "visit=secret-session"}),
            "/gzip": Reply(gzip.compress(article("gzip").encode()), headers={"Content-Encoding": "gzip"}),
            "/deflate": Reply(zlib.compress(article("deflate").encode()), headers={"Content-Encoding": "deflate"}),
            "/brotli": Reply(brotli.compress(article("brotli").encode()), headers={"Content-Encoding": "br"}),
            "/zstd": Reply(zstandard.compress(article("zstd").encode()), headers=noted | {"Content-Encoding": "zstd"}),
            "/gbk": Reply(gbk.encode("gb18030"), content_type="text/html", headers={"ETag": '"a"'}),
            "/moved": Reply("", 302, headers={"Location": f"{site.url}/target"}),
            "/target": Reply(article("新的地址")),
            "/busy": lambda path: busy.pop() if busy else Reply(article("等了一会儿")),
            "/copy": Reply(article("新的地址")),
            "/picture": Reply(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", content_type="image/png"),
        }
        yield site


def comparable(records: list[Record]) -> list[Record]:
    return [dataclasses.replace(record, fetched="") for record in records]


def exchanges(folder: Path) -> list[tuple[str, str, str]]:
    """Kind, URL and first line of every record but the first of a file, all digests verified."""
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.raw_stream.read()
                if record.rec_type != "warcinfo":
                    http = record.http_headers
                    found.append((record.rec_type, record.rec_headers["WARC-Target-URI"], f"{http.protocol} {http.statusline}"))
    return found


def test_a_crawl_is_the_same_from_its_archive(topic: Path, site: Site, tmp_path: Path) -> None:
    first = tmp_path / "first"
    headers = json.dumps({"Authorization": "Bearer secret-token", "Cookie": "visit=secret-token"})
    given = {**POLITE, "TOPICAL_ARCHIVE": 1, "TOPICAL_ARCHIVE_MB": 0.002, "DEFAULT_REQUEST_HEADERS": headers}
    crawled = crawl(topic, first, f"{site.url}/", **given)
    assert (crawled.code, "Traceback" in crawled.log) == (0, False), crawled.log
    live = rows(first)
    reasons = {record.url.removeprefix(site.url): record.reason for record in live}
    reasons.pop("/")  # hardly more than links
    assert reasons.pop("/copy") or reasons.pop("/target")  # whichever came second
    refused = {"/moved": "redirected", "/gone": "HTTP 404", "/private/page": "robots.txt", "/picture": "not a text page"}
    assert {path: reason for path, reason in reasons.items() if reason} == refused
    assert {record.encoding for record in live if record.keep} == {"utf-8", "gb18030"}

    archive = first / "archive"
    files = sorted(archive.iterdir())
    assert len(files) > 2 and [path.name for path in files] == [f"small-{n:05}.warc.gz" for n in range(1, len(files) + 1)]
    found = exchanges(archive)
    answers = [(url.removeprefix(site.url), line) for kind, url, line in found if kind == "response"]
    lines = {"/moved": ["302 Found"], "/gone": ["404 Not Found"], "/busy": ["200 OK", "503 Service Unavailable"]}
    assert [path for path, _ in answers] == [hit.path for hit in site.hits]
    assert {(hit.path, f"HTTP/1.1 {line}") for hit in site.hits for line in lines.get(hit.path, ["200 OK"])} == set(answers)
    assert [line for kind, url, line in found if url == f"{site.url}/gbk"] == ["GET /gbk HTTP/1.1", "HTTP/1.1 200 OK"]
    raw = b"".join(gzip.decompress(path.read_bytes()) for path in files)
    assert b"Authorization: ***\r\n" in raw and b"Cookie: ***\r\n" in raw and b"secret-token" not in raw
    assert raw.count(b"secret-session") == 1  # as the server set it
    assert b"X-Note: " + "党建".encode() + b"\r\n" in raw

    asked = len(site.hits)
    again = crawl(topic, tmp_path / "again", f"{site.url}/", TOPICAL_REPLAY=archive, TOPICAL_ARCHIVE=tmp_path / "kept")
    assert again.code == 0 and len(site.hits) == asked, again.log
    assert comparable(rows(tmp_path / "again")) == comparable(live)
    assert set(exchanges(tmp_path / "kept")) == {e for e in found if "503" not in e[2]}
    with CorpusStore(first / "corpus.sqlite", read_only=True) as store, store.reading() as connection:
        facts = connection.exec_driver_sql("SELECT host, robots, crawl_delay FROM hosts").all()
    assert facts == [(site.url.removeprefix("http://"), "restricts", 0.1)]


def test_a_crawl_whose_archive_cannot_be_written_ends_and_goes_on(topic: Path, site: Site, tmp_path: Path) -> None:
    (tmp_path / "project_settings.py").write_text(FAILING, "utf-8")
    data = tmp_path / "data"
    options = {**POLITE, "TOPICAL_ARCHIVE": 1}
    crawled = crawl(topic, data, f"{site.url}/", project=tmp_path, **options)
    assert crawled.code == 1 and "Traceback" not in crawled.log, crawled.log
    assert crawled.log.count("No space left on device") == 1
    assert "the crawl ends and can be resumed" in crawled.log and "Free disk space" in crawled.log
    archived = {url for kind, url, _ in exchanges(data / "archive") if kind == "response"}
    assert len(archived) == 4
    assert {record.url for record in rows(data) if record.status} <= archived
    resumed = crawl(topic, data, f"{site.url}/", **options)
    assert resumed.code == 0 and "Traceback" not in resumed.log, resumed.log
    assert {r.url.removeprefix(site.url) for r in rows(data)} == {*site.routes, "/gone", "/private/page"} - {"/robots.txt"}
    archived = {url for kind, url, _ in exchanges(data / "archive") if kind == "response"}
    assert {record.url for record in rows(data) if record.status} <= archived


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"TOPICAL_ARCHIVE": 1, "TOPICAL_ARCHIVE_MB": "much"}, "TOPICAL_ARCHIVE_MB='much': a number above 0"),
        ({"TOPICAL_ARCHIVE": __file__}, "cannot create this folder (File exists). Name another"),
    ],
)
def test_settings_that_cannot_be_used_are_named(topic: Path, tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises((CrawlError, ValueError), match=re.escape(message)):
        open_crawl(topic, tmp_path / "data", **options)


def test_without_the_setting_nothing_is_archived(topic: Path, site: Site, tmp_path: Path) -> None:
    crawled = crawl(topic, tmp_path / "data", f"{site.url}/gzip", **POLITE)
    assert crawled.code == 0 and "ArchiveMiddleware" not in crawled.log.partition("Enabled downloader middlewares")[2]
    assert not list((tmp_path / "data").glob("**/*warc*"))
