"""Crawls that keep everything they fetch, and the same crawls again from what they kept."""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
import subprocess
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import brotli
import pytest
import zstandard
from crawl_tools import Reply, Site, crawl, rows
from warcio.archiveiterator import ArchiveIterator

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

POLITE = {"DOWNLOAD_DELAY": 0, "RETRY_TIMES": 1}
CHECK = """
import sys
sys.modules["brotli"] = None  # of some versions of it warcio breaks at every body that is packed so
from warcio.cli import main
main(["check", *sys.argv[1:]])
"""
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


WHO = ("市委组织部", "街道党工委", "社区党支部", "机关党委", "村党组织", "青年党员", "退休老党员")
HOW = ("围绕主题教育", "结合党建工作", "按照年度计划", "在上月的会议之后", "利用周末的时间", "面对新的情况", "为了方便居民")
DID = (
    "走访了困难家庭",
    "修订了议事规则",
    "举办了读书活动",
    "整理了历史档案",
    "开设了法律讲座",
    "检查了消防设施",
    "组织了义务劳动",
)
THEN = ("居民们当场提出了意见", "有关记录已经上墙公示", "下一步还要回访", "参加的人比去年多", "费用由集体承担", "经验在全区推广")


def page(name: str, links: Mapping[str, str] | None = None, head: str = "") -> str:
    """A page on topic with a text that no other one has."""
    chance = random.Random(name)
    lines = [f"{chance.choice(HOW)}，{chance.choice(WHO)}{chance.choice(DID)}，{chance.choice(THEN)}。" for _ in range(7)]
    text = "".join(f"<p>{line}</p>" for line in lines)
    anchors = "".join(f'<p><a href="{url}">{anchor}</a></p>' for url, anchor in (links or {}).items())
    title = f"{head}<title>党建：{name}</title>"
    return f"<html><head>{title}</head><body><h1>{name}</h1><article>{text}</article>{anchors}</body></html>"


@pytest.fixture
def site() -> Iterator[Site]:
    """A front page whose links lead to answers of every kind."""
    with Site() as site:
        names = ("gzip", "deflate", "brotli", "zstd", "gbk", "moved", "gone", "busy", "private/page", "copy", "picture")
        links = {f"{site.url}/{name}": f"党建{name}" for name in names}
        busy = [Reply("wait", 503)]
        site.routes |= {
            "/robots.txt": Reply("User-agent: *\nDisallow: /private/\nCrawl-delay: 0.1\n", content_type="text/plain"),
            "/": Reply(page("首页", links), headers={"Set-Cookie": "visit=secret-session"}),
            "/gzip": Reply(gzip.compress(page("gzip").encode()), headers={"Content-Encoding": "gzip"}),
            "/deflate": Reply(zlib.compress(page("deflate").encode()), headers={"Content-Encoding": "deflate"}),
            "/brotli": Reply(brotli.compress(page("brotli").encode()), headers={"Content-Encoding": "br"}),
            "/zstd": Reply(
                zstandard.compress(page("zstd").encode()),
                headers={"Content-Encoding": "zstd", "X-Note": "党建".encode().decode("latin-1")},
            ),
            "/gbk": Reply(
                page("国标", head='<meta charset="gb2312">').encode("gb18030"),
                content_type="text/html",
                headers={"ETag": '"a"'},
            ),
            "/moved": Reply("", 302, headers={"Location": f"{site.url}/target"}),
            "/target": Reply(page("新的地址")),
            "/busy": lambda path: busy.pop() if busy else Reply(page("等了一会儿")),
            "/copy": Reply(page("新的地址")),
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
    crawled = crawl(
        topic, first, f"{site.url}/", **POLITE, TOPICAL_ARCHIVE=1, TOPICAL_ARCHIVE_MB=0.002,
        DEFAULT_REQUEST_HEADERS=headers,
    )  # fmt: skip
    assert (crawled.code, "Traceback" in crawled.log) == (0, False), crawled.log
    live = rows(first)
    reasons = {record.url.removeprefix(site.url): record.reason for record in live}
    reasons.pop("/")  # hardly more than links
    assert reasons.pop("/copy") or reasons.pop("/target")  # whichever came second
    assert {path: reason for path, reason in reasons.items() if reason} == {
        "/moved": "redirected", "/gone": "HTTP 404", "/private/page": "robots.txt", "/picture": "not a text page"
    }  # fmt: skip
    assert {record.encoding for record in live if record.keep} == {"utf-8", "gb18030"}

    archive = first / "archive"
    files = sorted(archive.iterdir())
    assert len(files) > 2 and [path.name for path in files] == [f"small-{n:05}.warc.gz" for n in range(1, len(files) + 1)]
    check = subprocess.run([sys.executable, "-c", CHECK, *map(str, files)], capture_output=True, check=False)
    assert check.returncode == 0, check.stdout
    found = exchanges(archive)
    answers = [(url.removeprefix(site.url), line) for kind, url, line in found if kind == "response"]
    lines = {"/moved": ["302 Found"], "/gone": ["404 Not Found"], "/busy": ["200 OK", "503 Service Unavailable"]}
    assert [path for path, _ in answers] == [hit.path for hit in site.hits]
    assert {(path, f"HTTP/1.1 {line}") for hit in site.hits for path in [hit.path] for line in lines.get(path, ["200 OK"])} == {
        *answers
    }
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
    assert {r.url.removeprefix(site.url) for r in rows(data)} == {path for path in site.routes if path != "/robots.txt"} | {
        "/gone", "/private/page"
    }  # fmt: skip
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
    crawled = crawl(topic, tmp_path / "data", "http://a.example/", **options)
    assert crawled.code == 2 and message in crawled.log and "Traceback" not in crawled.log


def test_without_the_setting_nothing_is_archived(topic: Path, site: Site, tmp_path: Path) -> None:
    crawled = crawl(topic, tmp_path / "data", f"{site.url}/gzip", **POLITE)
    assert crawled.code == 0 and "ArchiveMiddleware" not in crawled.log.partition("Enabled downloader middlewares")[2]
    assert not list((tmp_path / "data").glob("**/*warc*"))
