"""Spiders and pipelines of a user's own, on this project's scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from crawl_tools import Crawled, Reply, Site, article, crawl, environment, rows
from fork_tools import run_forked
from wait_tools import HANGS

SETTINGS = """
from pathlib import Path
from topical_crawler.settings import *
SPIDER_MODULES = ["own_spiders"]
ITEM_PIPELINES = {**ITEM_PIPELINES, "own_spiders.Choosy": 300}
FEEDS = {Path(__file__).with_name("feed.jsonl"): {"format": "jsonlines", "overwrite": True}}
"""
SPIDERS = """
import scrapy
from scrapy.exceptions import DropItem
from topical_crawler.items import PageItem
from topical_crawler.spiders.topical import TopicalSpider


class Choosy:
    def process_item(self, item):
        if not isinstance(item, PageItem):
            return item
        match item.url.rpartition("/")[2]:
            case "drop":
                raise DropItem("not this one")
            case "fail":
                raise RuntimeError("pipeline broken")
            case "swallow":
                return None
            case "empty":
                item.text = ""
        return item


class Own(TopicalSpider):
    name = "own"

    def parse(self, response, **kwargs):
        if response.url.endswith("/raise"):
            raise KeyError("callback broken")
        if response.url.endswith("/nothing"):
            return
        yield from super().parse(response, **kwargs)
        if response.url.endswith("/"):
            yield response.follow("/extra")
            yield response.follow("/extra")
            yield response.follow("/meta", meta=response.meta)
            yield {"not": "a page"}


class Plain(scrapy.Spider):
    name = "plain"

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        yield {"title": response.css("title::text").get()}
        yield from response.follow_all(css="a")
"""
LINKED = ("drop", "fail", "raise", "nothing", "swallow", "empty", "good")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "project_settings.py").write_text(SETTINGS, encoding="utf-8")
    (folder / "own_spiders.py").write_text(SPIDERS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def own(topic: Path, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Crawled, Path]]:
    data = tmp_path_factory.mktemp("own") / "data"
    with Site({f"/{name}": Reply(article(name)) for name in (*LINKED, "extra", "meta")}) as site:
        site.routes["/"] = Reply(article("首页", {f"/{name}": "党建" for name in LINKED}))
        yield site, crawl(topic, data, site.url + "/", project, spider="own", DOWNLOAD_DELAY=0, CLOSESPIDER_TIMEOUT=HANGS), data


def test_every_page_ends_and_is_counted_and_none_holds_the_crawl_up(own: tuple[Site, Crawled, Path]) -> None:
    site, crawled, data = own
    assert {r.url.removeprefix(site.url): r.reason for r in rows(data)} == {
        **dict.fromkeys(("/", "/good", "/extra", "/meta"), ""),
        "/drop": "dropped: not this one",
        "/fail": "error: RuntimeError",
        "/raise": "error: KeyError",
        "/nothing": "no item",
        "/swallow": "lost by a pipeline",
        "/empty": "error: ValueError",
    }
    assert crawled.code == 0 and "nothing left to fetch" in crawled.log
    assert site.asked("/extra") == 1, "a request of one's own is fetched once"


def test_a_feed_has_the_items_of_ones_own_alone(own: tuple[Site, Crawled, Path], project: Path) -> None:
    assert (project / "feed.jsonl").read_text(encoding="utf-8") == '{"not": "a page"}\n'
    assert "Traceback" not in own[1].log.split("feedexport")[-1]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("fetch {url}", "<title>党建：首页</title>"),
        ("shell {url} -c response.css('h1::text').get()", "首页"),
        ("parse --spider plain {url}", "[{'title': '党建：首页'}]"),
        ("crawl plain -a url={url} -O -:jsonlines", '{"title": "党建：首页"}\n{"title": "党建：第二页"}'),
        ("runspider own_spiders.py -a url={url} -O -:jsonlines", '{"title": "党建：首页"}\n{"title": "党建：第二页"}'),
    ],
)
def test_scrapys_own_commands_and_a_plain_spider_work_as_in_any_project(project: Path, line: str, shown: str) -> None:
    with Site({"/second": Reply(article("第二页"))}) as site:
        site.routes["/"] = Reply(article("首页", {"/second": "下一页", "/secret": "内部"}))
        site.routes["/robots.txt"] = Reply("User-agent: *\nDisallow: /secret", content_type="text/plain")
        arguments = line.format(url=site.url + "/").split()
        settings = ("-s", "DOWNLOAD_DELAY=0", "-s", "FEED_EXPORT_ENCODING=utf-8")
        done = run_forked(["-m", "scrapy", *arguments, *settings], project, environment(project))
        assert done.returncode == 0 and shown in done.stdout, done.stderr
        assert site.asked("/") == 1 and site.asked("/secret") == 0
    assert "Traceback" not in done.stderr and not (project / "data").exists()


def test_a_crawl_without_the_store_pipeline_ends_and_names_the_remedy(topic: Path, tmp_path: Path) -> None:
    with Site({"/": Reply(article("首页", {"/a": "党建"}))}) as site:
        crawled = crawl(topic, tmp_path / "data", site.url + "/", ITEM_PIPELINES="{}", CLOSESPIDER_TIMEOUT=HANGS)
    assert "none has stored it. Add topical_crawler.pipelines.StorePipeline to ITEM_PIPELINES" in crawled.log
    assert "storage failed" in crawled.log and "Traceback" not in crawled.log
    assert rows(tmp_path / "data") == []
