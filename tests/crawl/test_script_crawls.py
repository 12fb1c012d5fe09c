"""A crawl opens pages that are empty without scripts in a Chromium, where it is told to; what they ask for, it fetches itself."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crawl_tools import Reply, Route, Site, article, crawl, rows
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from topical_crawler.cli.corpus import rebuild
from topical_crawler.config import chromium
from topical_crawler.crawl.options import CrawlError
from topical_crawler.downloadermiddlewares.scripts import ScriptsMiddleware
from topical_crawler.settings import check_values

needs_chromium = pytest.mark.skipif(
    not (find_spec("playwright") and shutil.which("chromium")), reason="there is no playwright or no chromium on the PATH"
)
SCRIPT = "application/javascript"
APP = """
const get = path => fetch(path).then(answer => answer.json()).catch(() => ({}));
(async () => {
  new Image().src = "/picture.png"; new WebSocket("ws://" + location.host + "/socket");
  fetch("/api/sent", {method: "POST"}).catch(() => 0);
  await get("http://OTHER/api/third"); await get("/closed/1"); await get("file:///etc/passwd");
  const page = await get("/api" + location.pathname);
  document.querySelector("#app, #text").innerHTML = page.html || "";
})();
"""


def shell(name: str, script: str = "/app.js") -> Reply:
    head = f'<head><title>党建：{name}</title></head><body><div id="app"></div>'
    return Reply(f'<!DOCTYPE html><html>{head}<script src="{script}"></script></body></html>')


def thin(name: str) -> Reply:
    """A page with some text, and without the element of a framework: it is opened where scripts are known to fill pages."""
    text = "党建" + name * 30
    return Reply(f'<html><body><p>{text}</p><div id="text"></div><script src="/app.js"></script></body></html>')


def told(name: str, links: dict[str, str] | None = None) -> Reply:
    body = article(name, links).partition("<body>")[2].removesuffix("</body></html>")
    return Reply(json.dumps({"html": body}), content_type="application/json")


def site(other: str) -> Site:
    return Site(
        {
            "/": Reply(article("首页", {"/a": "党建东山", "/b": "党建西河", "/static.html": "党建北关"})),
            "/robots.txt": Reply("User-agent: *\nDisallow: /closed/", content_type="text/plain"),
            "/a": shell("东山"), "/b": shell("西河"), "/c": shell("中街"), "/d": thin("南桥"),
            "/static.html": Reply(article("北关") + "<script src=/app.js></script>"),
            "/app.js": Reply(APP.replace("OTHER", other), content_type=SCRIPT),
            "/api/a": told("东山", {"/c": "党建中街"}), "/api/b": told("西河"),
            "/api/c": told("中街", {"/d": "党建南桥"}), "/api/d": told("南桥"),
        }
    )  # fmt: skip


def barren() -> Site:
    """A site whose scripts fill nothing, with five such pages."""
    pages: dict[str, Route] = {f"/empty/{n}": shell(name, "/empty.js") for n, name in enumerate("甲乙丙丁戊")}
    index = Reply(article("空页", dict.fromkeys(pages, "党建")))
    return Site({**pages, "/empty": index, "/empty.js": Reply("1", content_type=SCRIPT)})


def texts(data: Path) -> dict[str, tuple[str, str | None]]:
    return {urlsplit(row.url).path: (row.reason, row.text) for row in rows(data)}


Crawled = tuple[Path, Site, Site, str, str]


@pytest.fixture(scope="module")
def crawled(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    data = tmp_path_factory.mktemp("scripts") / "data"
    with Site() as other, site(urlsplit(other.url).netloc) as server, barren() as empty:
        given = {"DOWNLOAD_DELAY": 0.1, "TOPICAL_QUALITY": 0, "TOPICAL_ARCHIVE": 1, "TOPICAL_SCRIPTS": 1}
        done = crawl(topic, data, f"{server.url}/,{empty.url}/empty", **given)
        assert done.code == 0, done.log
        yield data, server, other, done.log, f"{server.url}/,{empty.url}/empty"


@needs_chromium
def test_texts_that_scripts_put_there_and_their_links(crawled: Crawled) -> None:
    data, server, _, log, _ = crawled
    found = texts(data)
    assert {path: reason for path, (reason, _) in found.items() if "empty" not in path} == {
        "/": "", "/static.html": "", "/a": "", "/b": "", "/c": "", "/d": ""
    }  # fmt: skip
    assert all(f"{name}：" in (found[path][1] or "") for path, name in (("/a", "东山"), ("/c", "中街"), ("/d", "南桥")))
    assert "4 filled" in log and "3 without a text" in log  # of five pages of a host that gain nothing, two are not tried
    assert sum(reason == "no text" for reason, _ in found.values()) == 5
    assert server.asked("/app.js") == server.asked("/a") == 1  # no page or script is fetched twice


@needs_chromium
def test_nothing_goes_out_but_by_the_crawl(crawled: Crawled) -> None:
    _, server, other, _, _ = crawled
    assert other.hits == []
    asked = {hit.path for hit in server.hits}
    shells = {f"{folder}/{name}" for folder in ("", "/api") for name in "abcd"}
    assert asked == {"/robots.txt", "/", "/static.html", "/app.js"} | shells
    pages = server.pages()
    assert min(after.began - before.ended for before, after in itertools.pairwise(pages)) >= 0.1


@needs_chromium
def test_a_replay_and_a_rebuild_give_the_same_without_a_browser(crawled: Crawled, topic: Path, tmp_path: Path) -> None:
    data, *_ = crawled
    given = {"TOPICAL_REPLAY": data / "archive", "TOPICAL_SCRIPTS": 1, "TOPICAL_QUALITY": 0, "TOPICAL_CHROMIUM": "/none"}
    assert crawl(topic, tmp_path / "again", crawled[4], **given).code == 0
    assert texts(tmp_path / "again") == texts(data)
    options = Namespace(corpus=str(data), output=str(tmp_path / "new" / "corpus.sqlite"), archive=None, workers=1, missing="drop")
    assert rebuild.run(options, Settings({**get_project_settings(), "TOPICAL_QUALITY": 0})) == 0
    assert texts(tmp_path / "new") == texts(data)


@needs_chromium
def test_a_page_without_end_is_rejected_and_the_crawl_ends(topic: Path, tmp_path: Path) -> None:
    hangs = Reply('<html><body><div id="app"></div><script>while (true) {}</script></body></html>')
    with Site({"/": hangs}) as server:
        for seconds in (0.5, 5, 50):  # where the machine is busy, the page has not begun to hang before the first ones are over
            data = tmp_path / f"{seconds}"
            done = crawl(topic, data, f"{server.url}/", TOPICAL_SCRIPTS=1, TOPICAL_SCRIPTS_TIMEOUT=seconds)
            if (found := texts(data)) != {"/": ("no text", None)}:
                break
    assert found == {"/": ("scripts timed out", None)}
    assert "1 scripts timed out" in done.log


@pytest.mark.skipif(not find_spec("playwright"), reason="there is no playwright")
def test_a_program_that_is_no_browser_is_said(topic: Path, tmp_path: Path) -> None:
    with Site({"/": shell("南坪")}) as server:
        done = crawl(topic, tmp_path / "data", f"{server.url}/", TOPICAL_SCRIPTS=1, TOPICAL_CHROMIUM=shutil.which("false"))
    assert texts(tmp_path / "data") == {"/": ("scripts failed", None)}
    assert "cannot be started" in done.log and "Name another in TOPICAL_CHROMIUM" in done.log


@needs_chromium
def test_a_driver_that_dies_is_started_again() -> None:
    from playwright.async_api import Error

    async def launch_twice() -> None:
        middleware = ScriptsMiddleware(Crawler(Spider, Settings({**get_project_settings(), "TOPICAL_SCRIPTS": 1})))
        browser = await middleware._launched()
        for task in Path("/proc/self/task").iterdir():
            for child in (task / "children").read_text().split():
                if "node" in Path(f"/proc/{child}/comm").read_text():
                    os.kill(int(child), signal.SIGKILL)
        with pytest.raises(Error):
            await browser.new_context()
        await middleware._end(browser)
        await (await middleware._launched()).new_context()
        await middleware.closed()

    asyncio.run(launch_twice())


def test_what_is_missing_is_said() -> None:
    assert chromium(Settings()) == ""
    assert chromium(Settings({"TOPICAL_SCRIPTS": 1, "TOPICAL_REPLAY": "a.warc.gz", "TOPICAL_CHROMIUM": "/none"})) == ""
    with pytest.raises(ValueError, match="TOPICAL_SCRIPTS_TIMEOUT=0: a number above 0 is expected"):
        check_values({"TOPICAL_SCRIPTS_TIMEOUT": 0})
    with pytest.raises(CrawlError, match=r"TOPICAL_CHROMIUM=/none: there is no such program. Install one .*|playwright"):
        chromium(Settings({"TOPICAL_SCRIPTS": 1, "TOPICAL_CHROMIUM": "/none"}))


def test_a_crawl_without_scripts_imports_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "playwright"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(NotConfigured):
        ScriptsMiddleware(Crawler(Spider, get_project_settings()))
    assert "playwright" not in sys.modules
