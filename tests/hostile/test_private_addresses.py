"""What is none of the public web is not fetched, however a page leads there: by link, redirect, refresh or name server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from crawl_tools import Crawled, Reply, Site, article, crawl, rows

NAMES = '''
from scrapy.resolver import CachingThreadedResolver
from topical_crawler.settings import *
from twisted.internet import defer


class Resolver(CachingThreadedResolver):
    """A name server that gives out an address of this machine."""

    def getHostByName(self, name, timeout=()):
        return defer.succeed("127.0.0.1") if name.endswith(".example.cn") else super().getHostByName(name, timeout)


TWISTED_DNS_RESOLVER = Resolver
'''
SECRET = "党建内部资料"


@pytest.fixture(scope="module")
def inside() -> Iterator[Site]:
    with Site({"": Reply(article(SECRET))}, ports=range(8000, 9000)) as site:
        yield site


def run(topic: Path, folder: Path, inside: Site, **options: object) -> tuple[Crawled, Path]:
    port = inside.url.rpartition(":")[2]
    (folder / "project_settings.py").write_text(NAMES, encoding="utf-8")
    links = [f"http://{name}:{port}/{n}" for n, name in enumerate(("127.0.0.1", "2130706433", "0x7f.1", "127.1", "localhost"))]
    links += [f"http://[::ffff:7f00:1]:{port}/6", f"http://rebinds.example.cn:{port}/7", "http://rebinds.example.cn:22/"]
    with Site() as site:
        site.routes = {
            "/redirect": Reply("", 302, headers={"Location": f"{inside.url}/redirected"}),
            "/renamed": Reply("", 302, headers={"Location": f"http://rebinds.example.cn:{port}/renamed"}),
            "/refresh": Reply(f'<meta http-equiv="refresh" content="0; url={inside.url}/refreshed">'),
            "/good": Reply(article("党建 正文")),
        }
        site.routes["/"] = Reply(article("首页", dict.fromkeys([*links, "/redirect", "/renamed", "/refresh", "/good"], "党建")))
        return crawl(topic, folder / "data", site.url + "/", folder, DOWNLOAD_DELAY=0, RETRY_TIMES=0, **options), folder / "data"


def test_nothing_of_the_house_is_asked_for(topic: Path, tmp_path: Path, inside: Site) -> None:
    crawled, data = run(topic, tmp_path, inside)
    assert crawled.code == 0, crawled.log
    assert inside.hits == []
    reasons = {row.url.rpartition("/")[2]: row.reason for row in rows(data)}
    assert reasons["good"] == ""
    assert reasons["7"] == "private address"  # only its name server said so
    assert not any(SECRET in (row.text or "") for row in rows(data))
    assert "private address" in crawled.log and "unusual port" in crawled.log  # links that were dropped are counted


def test_no_connection_to_a_private_address_begins(topic: Path, tmp_path: Path) -> None:
    (tmp_path / "project_settings.py").write_text(NAMES, encoding="utf-8")
    connected: list[object] = []
    with Site() as site, Site(ports=range(8000, 9000)) as door:
        door._server.process_request = lambda *peer: connected.append(peer)  # type: ignore[method-assign]
        links = [f"{scheme}://rebinds.example.cn:{door.url.rpartition(':')[2]}/" for scheme in ("http", "https")]
        site.routes = {
            "/": Reply(article("首页", dict.fromkeys([*links, "/good"], "党建"))),
            "/good": Reply(article("党建 正文")),
        }
        crawled = crawl(topic, tmp_path / "data", site.url + "/", tmp_path, DOWNLOAD_DELAY=0, RETRY_TIMES=0)
    assert crawled.code == 0 and connected == [], crawled.log
    reasons = {row.url: row.reason for row in rows(tmp_path / "data")}
    assert [reasons[link] for link in links] == ["private address"] * 2 and reasons[f"{site.url}/good"] == ""


def test_a_person_may_name_them(topic: Path, tmp_path: Path, inside: Site) -> None:
    crawled, _ = run(topic, tmp_path, inside, TOPICAL_ALLOW_PRIVATE="all")
    assert crawled.code == 0, crawled.log
    assert {hit.path for hit in inside.hits} >= {"/0", "/redirected", "/refreshed", "/7"}
