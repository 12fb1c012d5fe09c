"""Pages fetched by the real engine: from a recording, and from a web server on this machine."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crawl_tools
import pytest
from scrapy.settings import Settings

from topical_crawler.cli.topic.fetch_pages import Fetched, fetch_pages, kind_of

LEAD = "各级党组织扎实开展主题教育，第一党支部的党员走进社区，与群众面对面商量办法。"
ARTICLE = (
    f"<!DOCTYPE html><html><head><title>党建：走进社区</title></head><body><article><p>{LEAD}</p>"
    "<p>在一座老小区的活动室里，居民们提出了停车难、照明不足和电梯维修慢等问题，支部书记逐条记下。</p>"
    "<p>随后召开的支部委员会决定，由三名党员分别负责，一个月内把办理结果告诉提出意见的人。</p></article></body></html>"
)


def project(**values: Any) -> Settings:
    """The project's settings, with a retry less and without the second between two requests."""
    settings = Settings()
    settings.setmodule("topical_crawler.settings", priority="project")
    settings.setdict({"DOWNLOAD_DELAY": 0, "RETRY_TIMES": 1, **values}, priority="cmdline")
    return settings


@pytest.fixture(scope="module")
def fetched() -> Iterator[dict[str, Fetched]]:
    """Everything a web server may answer, asked for in one go."""
    reply = crawl_tools.Reply
    routes = {
        "/robots.txt": reply("User-agent: *\nDisallow: /private/\n", content_type="text/plain"),
        "/private/a.html": reply(ARTICLE),
        "/private/b.html": reply(ARTICLE),
        "/good.html": reply(ARTICLE),
        "/moved": reply(status=302, headers={"Location": "/good.html"}),
        "/round": lambda path: reply(status=302, headers={"Location": f"/round?{len(path)}{'x' * len(path)}"}),
        "/gb.html": reply(ARTICLE.encode("gb18030"), content_type="text/html"),
        "/wrong.html": reply(ARTICLE.encode("gb18030"), content_type="text/html; charset=utf-8"),
        "/picture.png": reply(b"\x89PNG\r\n\x1a\n", content_type="image/png"),
        "/data.json": reply(json.dumps({"text": LEAD}), content_type="application/json"),
        "/large.html": reply("<html>" + "x" * 30_000),
        "/short.html": reply("<html><title>党建</title><body><p>图片新闻</p></body></html>"),
        "/broken": reply("busy", status=500),
    }
    paths = ["gone.html", *(path.lstrip("/") for path in routes)]
    with crawl_tools.Site(routes) as site:
        urls = [f"{site.url}/{path}" for path in paths]
        found = fetch_pages([*urls, "http://127.0.0.1:1/"], project(DOWNLOAD_MAXSIZE=20_000))
        assert [f.url for f in found] == [*urls, "http://127.0.0.1:1/"]
        assert site.asked("/private/a.html") == site.asked("/private/b.html") == 0
        assert site.asked("/broken") == 2
        yield dict(zip([*paths, "refused"], found, strict=True))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("gone.html", "HTTP 404"),
        ("private/a.html", "robots.txt"),
        ("private/b.html", "robots.txt"),
        ("round", "too many redirects"),
        ("picture.png", "not a text page"),
        ("data.json", "not a text page"),
        ("large.html", "too large"),
        ("broken", "HTTP 500"),
        ("refused", "robots.txt cannot be had"),
    ],
)
def test_what_brings_no_page_has_a_reason(fetched: dict[str, Fetched], path: str, reason: str) -> None:
    assert (fetched[path].page, fetched[path].text, fetched[path].reason) == (None, "", reason)


@pytest.mark.parametrize(
    ("path", "end", "encoding"),
    [("moved", "good.html", "utf-8"), ("gb.html", "gb.html", "gb18030"), ("wrong.html", "wrong.html", "gb18030")],
)
def test_a_page_comes_with_its_main_text(fetched: dict[str, Fetched], path: str, end: str, encoding: str) -> None:
    found = fetched[path]
    assert found.page is not None and found.reason == ""
    assert found.page.title == "党建：走进社区"
    assert found.page.url.endswith(f"/{end}")
    assert found.page.encoding == encoding
    assert found.text.startswith(LEAD)


def test_a_page_without_a_text_says_why(fetched: dict[str, Fetched]) -> None:
    found = fetched["short.html"]
    assert found.page is not None and found.page.title == "党建"
    assert (found.text, found.reason) == ("", "no text")


def test_a_recorded_web_and_local_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice in one process, in an order of one's own, an address twice; nothing is left behind but the recording's index."""
    folder, recording = tmp_path / "own", tmp_path / "own/demo-web.warc.gz"
    folder.mkdir()
    shutil.copy(crawl_tools.DEMO / "demo-web.warc.gz", recording)
    monkeypatch.chdir(folder)
    (folder / "saved.html").write_bytes(ARTICLE.encode("gb18030"))
    article = "http://www.qinghedj.example/art/2026/5/21/art_1021_30001.html"
    urls = [article, "saved.html", "http://www.qinghedj.example/none", "none.html", article]
    settings = project(TOPICAL_REPLAY=str(recording), TOPICAL_CACHE_DIR="cache", HTTPCACHE_ENABLED=True, JOBDIR="job")
    one, saved, unknown, missing, again = fetch_pages(urls, settings)
    assert one.page is not None and "全市基层党建工作推进会" in one.page.title
    assert one.page.encoding == "gb18030" and one.page.links
    assert "党建" in one.text and "版权所有" not in one.text
    assert again == one
    assert saved.page is not None and saved.page.url == (folder / "saved.html").as_uri()
    assert saved.text.startswith(LEAD)
    assert (unknown.page, unknown.reason) == (None, "unreachable")
    assert missing.page is None and "No such file" in missing.reason
    assert fetch_pages([article], settings) == [one]
    assert sorted(p.name for p in folder.iterdir()) == ["demo-web.warc.gz", "demo-web.warc.gz.index", "saved.html"]


def test_a_crawl_delay_is_obeyed() -> None:
    robots = crawl_tools.Reply("User-agent: *\nCrawl-delay: 0.4\n", content_type="text/plain")
    with crawl_tools.Site({"/robots.txt": robots, "": crawl_tools.Reply(ARTICLE)}) as site:
        fetch_pages([f"{site.url}/{n}" for n in range(3)], project())
        (known,) = (hit.ended for hit in site.hits if hit.path == "/robots.txt")
        began = [hit.began for hit in site.pages()]
    assert len(began) == 3
    # However late the server notices a request, it does not come before its turn.
    assert all(moment - known > 0.4 * turn - 0.05 for turn, moment in enumerate(began)), (known, began)


def test_nothing_to_fetch() -> None:
    assert fetch_pages([], project()) == []


def test_what_a_person_names(tmp_path: Path) -> None:
    html, text = tmp_path / "a.html", tmp_path / "a.dat"
    html.write_bytes(ARTICLE.encode("gb18030"))
    text.write_text(LEAD, encoding="utf-8")
    assert kind_of("https://www.example.cn/a.html") == "URL"
    assert (kind_of(str(html)), kind_of(str(text))) == ("HTML file", "text file")
    for given in (LEAD, "党建/支部", "学习 贯彻.", "x" * 5000, "a\0b", ""):
        assert kind_of(given) == "text"
    for given in ("./none", "folder/none.html", "none.txt", "/no/where", "~/没有"):
        with pytest.raises(FileNotFoundError, match=r"Correct the path"):
            kind_of(given)
