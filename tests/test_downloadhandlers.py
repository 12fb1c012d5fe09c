"""Crawls over a recording, run by Scrapy itself."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
import warc_tools
from fork_tools import run_forked

ROOT = Path(__file__).parents[1]
HTML = {"Content-Type": "text/html; charset=utf-8"}
SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import AsyncCrawlerProcess

URLS = json.loads(sys.argv[2])
LOG = []

class Tiny(scrapy.Spider):
    name = "tiny"

    async def start(self):
        for url in URLS:
            method, _, address = url.rpartition(" ")
            meta = {"handle_httpstatus_list": [404, 503]}
            yield scrapy.Request(address, method=method or "GET", errback=self.failed, meta=meta)

    def parse(self, response):
        LOG.append([response.request.url, response.status, response.url, type(response).__name__,
                    response.text[:30] if hasattr(response, "text") else len(response.body)])

    def failed(self, failure):
        value = failure.value
        LOG.append([failure.request.url, type(value).__name__, str(value), [c.__name__ for c in type(value).__mro__]])

handler = "topical_crawler.downloadhandlers.ReplayHandler"
process = AsyncCrawlerProcess({
    "DOWNLOAD_HANDLERS": {"http": handler, "https": handler}, "TOPICAL_REPLAY": sys.argv[1], "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_MAXSIZE": 5000, "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False, "RETRY_TIMES": 2, "CONCURRENT_REQUESTS": 1,
})
crawler = process.create_crawler(Tiny)
process.crawl(crawler)
process.start()
print(json.dumps({"log": LOG, "stats": crawler.stats.get_stats()}, default=str))
"""


def crawl(folder: Path, recording: str, urls: list[str]) -> tuple[dict[str, list[Any]], dict[str, Any], str]:
    (folder / "tiny.py").write_text(SPIDER, "utf-8")
    done = run_forked(["tiny.py", recording, json.dumps(urls)], folder, {**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    return {entry[0]: entry[1:] for entry in result["log"]}, result["stats"], done.stderr


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    warc_tools.write_warc(
        folder / "web.warc.gz",
        [
            ("http://a.test/", 200, HTML, "首页".encode()),
            ("http://a.test/old", 301, {"Location": "https://a.test/new?q=%E5%85%9A%E5%BB%BA"}, b""),
            ("https://a.test/new?q=党建", 200, HTML, "新址".encode()),
            ("http://a.test/gone", 404, HTML, b"gone"),
            ("http://a.test/busy", 503, HTML, b"busy"),
            ("http://a.test/big", 200, HTML, b"x" * 5001),
            ("http://a.test/fits", 200, HTML, b"x" * 5000),
            ("http://a.test/gbk", 200, {"Content-Type": "text/html"}, "<meta charset=gb2312>党建".encode("gb18030")),
            ("http://a.test/gzip", 200, HTML | {"Content-Encoding": "gzip"}, gzip.compress("压缩".encode())),
            ("http://a.test/picture.png", 200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            ("http://b.test/robots.txt", 200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n"),
            ("http://b.test/private/x", 200, HTML, b"private"),
            ("http://b.test/open", 200, HTML, b"open"),
        ],
    )
    return folder


def test_a_crawl_over_a_recording(web: Path) -> None:
    paths = ("", "old", "gone", "busy", "big", "fits", "gbk", "gzip", "picture.png", "unknown")
    urls = [f"http://a.test/{path}" for path in paths] + [
        "http://b.test/private/x",
        "http://b.test/open",
        "http://nowhere.test/",
        "POST http://a.test/#p",
    ]
    log, stats, stderr = crawl(web, "web.warc.gz", urls)
    assert log["http://a.test/"] == [200, "http://a.test/", "HtmlResponse", "首页"]
    moved = "https://a.test/new?q=%E5%85%9A%E5%BB%BA"
    assert log[moved] == [200, moved, "HtmlResponse", "新址"]
    assert log["http://a.test/gone"][:2] == [404, "http://a.test/gone"]
    assert log["http://a.test/busy"][0] == 503  # tried again as on the web, with the same answer
    assert stats["retry/count"] == 2
    assert log["http://a.test/fits"][0] == 200
    assert log["http://a.test/big"][0] == "DownloadCancelledError"
    assert "5001 bytes, more than DOWNLOAD_MAXSIZE (5000)" in log["http://a.test/big"][1]
    assert log["http://a.test/gbk"][3] == "<meta charset=gb2312>党建"
    assert log["http://a.test/gzip"][3] == "压缩"
    assert log["http://a.test/picture.png"][2] == "Response"
    for unknown in ("http://a.test/unknown", "http://nowhere.test/", "http://a.test/#p"):
        name, message, bases = log[unknown]
        assert name == "Unreachable" and "not in the recording" in message and "IgnoreRequest" in bases
    assert stats["downloader/exception_type_count/topical_crawler.failures.Unreachable"] == 3
    assert log["http://b.test/private/x"][0] == "IgnoreRequest"
    assert log["http://b.test/open"][0] == 200
    assert stats["robotstxt/response_status_count/404"] == 2
    assert stats["finish_reason"] == "finished"
    assert "Traceback" not in stderr
    assert sorted(p.name for p in web.iterdir()) == ["tiny.py", "web.warc.gz", "web.warc.gz.index"]


@pytest.mark.parametrize(
    ("recording", "message"),
    [
        ("none.warc.gz", "none.warc.gz: no such file"),
        ("", "TOPICAL_REPLAY is empty"),
        ("tiny.py", "offset 0: no WARC record begins here"),
    ],
)
def test_of_a_recording_that_cannot_be_read_every_request_says_so(web: Path, recording: str, message: str) -> None:
    log, stats, _ = crawl(web, recording, [f"http://a.test/{n}" for n in range(3)])
    assert len(log) == 3 and stats["finish_reason"] == "finished"
    assert all("nothing to replay: " in text and message in text for _, text, _ in log.values())
