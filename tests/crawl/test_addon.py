"""The add-on in a fresh Scrapy project, as ``scrapy startproject`` makes it, run as a user runs it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from crawl_tools import DEMO, Reply, Site, article, environment, rows
from fork_tools import run_forked

SPIDERS = '''
import dataclasses

import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class QuotesSpider(scrapy.Spider):
    name = "quotes"

    async def start(self):
        yield scrapy.Request(self.url + "/page/1")

    def parse(self, response):
        for quote in response.css("div.quote"):
            yield {"text": quote.css("span.text::text").get(), "author": quote.css("small.author::text").get()}
        yield from response.follow_all(css=".quote a", callback=self.parse_author, cb_kwargs={"page": response.url[-1]})
        yield from response.follow_all(css="li.next a")

    def parse_author(self, response, page):
        yield {"name": response.css("h3::text").get(), "page": page}


class RulesSpider(CrawlSpider):
    name = "rules"
    rules = [Rule(LinkExtractor(allow=r"/text"), callback="parse_text"), Rule(LinkExtractor(), follow=True)]

    async def start(self):
        yield scrapy.Request(self.url + "/page/1")

    def parse_text(self, response):
        page = response.meta["topical_page"]
        yield {"path": response.url[-5:], "keep": page.keep, "near": page.verdict.relevance > 0.01, "text": page.text[:2]}


@dataclasses.dataclass
class Price:
    path: str
    euros: int


class OwnItemsSpider(scrapy.Spider):
    """Its requests are what no frontier takes: no page, the same address twice, a callback without a name."""

    name = "own"

    async def start(self):
        yield scrapy.Request("data:,hello")

    def parse(self, response):
        yield scrapy.Request(self.url + "/text1", self.parse_price, dont_filter=True)
        yield scrapy.Request(self.url + "/text1", self.parse_price, dont_filter=True)
        yield scrapy.Request(self.url + "/text2", lambda response: self.parse_price(response))
        yield scrapy.Request(self.url + "/text3", self.parse_price, errback=self.lost, headers={"X-Own": "yes"})
        yield scrapy.Request(self.url + "/gone", self.parse_price, errback=self.lost)
        yield scrapy.Request(self.url + "/moved", self.parse_price, meta=response.meta)
        yield scrapy.Request(self.url + "/broken", self.parse_broken)

    def parse_price(self, response):
        yield Price(response.url.removeprefix(self.url) + response.request.headers.get("X-Own", b"").decode(), 5)

    def parse_broken(self, response):
        raise KeyError("callback broken")

    def lost(self, failure):
        yield Price(failure.value.response.url.removeprefix(self.url), 0)
'''
PIPELINE = """
from itemadapter import ItemAdapter


class QuotesPipeline:
    def process_item(self, item):
        adapter = ItemAdapter(item)
        if "euros" in adapter:
            adapter["euros"] += 1
        assert set(adapter) & {"text", "name", "euros"}, f"no item of the project: {item}"
        return item
"""
OFF = "<html><title>天气</title><body><h3>{0}</h3><p>今天多云，气温十度，明天有雨。</p></body></html>"


def _page(number: int) -> Reply:
    following = f'<ul><li class="next"><a href="/page/{number + 1}">下一页</a></li></ul>' if number < 3 else ""
    quote = (
        f'<div class="quote"><span class="text">话{number}</span><small class="author">人{number}</small>'
        f'<a href="/author/{number}">关于</a></div><a href="/off{number}">天气</a>{following}<a href="/text{number}">党员</a>'
    )
    return Reply(article(f"第{number}页").replace("</article>", f"</article>{quote}"))


@pytest.fixture
def site() -> Iterator[Site]:
    routes = {"/broken": Reply(article("坏"))}
    for number in (1, 2, 3):
        routes[f"/page/{number}"] = _page(number)
        routes[f"/author/{number}"] = routes[f"/off{number}"] = Reply(OFF.format(f"人{number}"))
        routes[f"/text{number}"] = Reply(article(f"文{number}"))
    routes["/moved"] = Reply("", 302, headers={"Location": "/off1"})
    with Site(routes) as site:
        yield site


@pytest.fixture(scope="module")
def fresh(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with three spiders and a pipeline, and the add-on in two lines of its settings."""
    folder = tmp_path_factory.mktemp("fresh")
    done = run_forked(["-m", "scrapy", "startproject", "quotes", "."], folder, environment())
    assert done.returncode == 0, done.stderr
    (folder / "quotes/spiders/all.py").write_text(SPIDERS, encoding="utf-8")
    (folder / "quotes/pipelines.py").write_text(PIPELINE, encoding="utf-8")
    with (folder / "quotes/settings.py").open("a", encoding="utf-8") as settings:
        settings.write('DOWNLOAD_DELAY = 0\nITEM_PIPELINES = {"quotes.pipelines.QuotesPipeline": 300}\n')
        settings.write(f'ADDONS = {{"topical_crawler.TopicalAddon": 300}}\nTOPICAL_TOPIC = "{topic}"\n')
    return folder


def run(fresh: Path, line: str, data: Path, **settings: object) -> CompletedProcess[str]:
    given = {"TOPICAL_DATA_DIR": data, "TOPICAL_CACHE_DIR": data / "cache", "TOPICAL_RESOURCES": 0, **settings}
    options = [part for name, value in given.items() for part in ("-s", f"{name}={value}")]
    return run_forked(["-m", "scrapy", *line.split(), *options], fresh, environment())


def items(done: CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def reasons(site: Site, data: Path) -> dict[str, str]:
    return {row.url.removeprefix(site.url): row.reason for row in rows(data)}


@pytest.mark.slow
def test_quotes_gives_the_items_that_it_gives_without(fresh: Path, site: Site, tmp_path: Path) -> None:
    line = f"crawl quotes -a url={site.url} -O -:jsonlines"
    plain = items(run(fresh, line, tmp_path / "none", TOPICAL_TOPIC=""))
    assert len(plain) == 6 and not (tmp_path / "none").exists()
    topical = items(run(fresh, line, tmp_path / "data"))
    assert sorted(map(str, topical)) == sorted(map(str, plain))
    known = {f"/{name}/{n}": reason for name, reason in (("page", "list page"), ("author", "off topic")) for n in (1, 2, 3)}
    assert reasons(site, tmp_path / "data") == known


def test_a_crawl_spider_follows_its_rules_in_the_order_of_promise_and_sees_the_texts(
    fresh: Path, site: Site, tmp_path: Path
) -> None:
    line = f"crawl rules -a url={site.url} -O -:jsonlines"
    first = run(fresh, line, tmp_path, CLOSESPIDER_PAGECOUNT=2, CONCURRENT_REQUESTS=1)
    assert "closespider_pagecount" in first.stderr
    again = run(fresh, line, tmp_path, CONCURRENT_REQUESTS=1)
    read = items(first) + items(again)
    assert read == [{"path": f"text{n}", "keep": True, "near": True, "text": f"文{n}"} for n in (1, 2, 3)]
    paths = [hit.path for hit in site.pages()]
    assert len(paths) == len(set(paths)) == 12, "a page is fetched once over both runs"
    assert all(paths.index(f"/text{n}") < paths.index(f"/off{n}") for n in (1, 2, 3))
    assert [row.title for row in rows(tmp_path) if row.keep] == ["文1", "文2", "文3"]


def test_a_spider_with_items_forms_and_errbacks_of_its_own(fresh: Path, site: Site, tmp_path: Path) -> None:
    done = run(fresh, f"crawl own -a url={site.url} -O -:jsonlines", tmp_path)
    found = sorted((item["path"], item["euros"]) for item in map(json.loads, done.stdout.splitlines()))
    assert found == [("/gone", 1), ("/off1", 6), ("/text1", 6), ("/text1", 6), ("/text2", 6), ("/text3yes", 6)]
    assert done.stderr.count("requests that cannot be stored are fetched before all others") == 1
    assert done.stderr.count("Traceback") == 1 and "KeyError: 'callback broken'" in done.stderr
    expected = {"/text1": "", "/text2": "", "/text3": "", "/broken": "", "/gone": "HTTP 404", "/moved": "redirected"}
    assert reasons(site, tmp_path) == {**expected, "/off1": "off topic"}
    listed = run_forked(["-m", "topical_crawler", "corpus", "list", str(tmp_path)], fresh, environment())
    assert listed.returncode == 0 and "文3" in listed.stdout, "our commands work in such a project"


def test_parts_are_left_out_as_in_scrapy(fresh: Path, site: Site, tmp_path: Path) -> None:
    line = f"crawl rules -a url={site.url} -O -:jsonlines"
    own_order = {"SCHEDULER": "scrapy.core.scheduler.Scheduler", "CONCURRENT_REQUESTS": 1}
    assert len(items(run(fresh, line, tmp_path / "order", **own_order))) == 3
    paths = [hit.path for hit in site.pages()]
    assert all(paths.index(f"/text{n}") > paths.index(f"/off{n}") for n in (1, 2, 3))
    assert sorted(row.title for row in rows(tmp_path / "order") if row.keep) == ["文1", "文2", "文3"]

    no_texts = {"DOWNLOADER_MIDDLEWARES": '{"topical_crawler.addon.TextMiddleware": null}', "TOPICAL_DISPLAY": "off"}
    done = run(fresh, line, tmp_path / "texts", **no_texts)
    assert [item["keep"] for item in items(done)] == [True] * 3 and "This run" not in done.stderr
    assert {row.reason for row in rows(tmp_path / "texts")} == {"no text taken", "off topic"}


def test_what_cannot_be_opened_is_said_in_a_line(fresh: Path, site: Site, tmp_path: Path) -> None:
    line = f"crawl quotes -a url={site.url}"
    for settings, said in (
        ({"TOPICAL_TOPIC": "nosuch"}, "TopicalAddon: no topic 'nosuch'"),
        ({"TOPICAL_SEED": "often"}, "TopicalAddon: TOPICAL_SEED='often': a whole number of 0 or more is expected"),
    ):
        done = run(fresh, line, tmp_path, **settings)
        assert said in done.stderr and "Traceback" not in done.stderr and done.returncode == 2
    assert site.hits == []
    run(fresh, line, tmp_path, CLOSESPIDER_PAGECOUNT=1)
    done = run(fresh, line.replace("quotes", "rules"), tmp_path)
    assert "holds requests of the spider 'quotes'. Use a folder for each spider" in done.stderr and done.returncode == 2


def test_a_replay_does_not_go_out(fresh: Path, tmp_path: Path) -> None:
    replay = DEMO / "demo-web.warc.gz"
    run(fresh, "crawl quotes -a url=http://www.qinghedj.example", tmp_path, TOPICAL_REPLAY=replay, TOPICAL_SITEMAPS=1)
    assert [row.reason for row in rows(tmp_path)] == ["unreachable"]  # it is not in the recording


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("fetch {url}/text1", "党建：文1"),
        ("shell {url}/text1 -c response.css('h1::text').get()", "文1"),
        ("parse --spider quotes {url}/page/3", "'author': '人3'"),
        ("check quotes", "Ran 0 contracts"),
        ("list", "quotes"),
        ("bench", ""),
    ],
)
def test_scrapys_own_commands_do_as_without(fresh: Path, site: Site, tmp_path: Path, line: str, shown: str) -> None:
    line = line.replace("parse", f"parse -a url={site.url}").format(url=site.url)
    for _ in range(2):
        done = run(fresh, line, tmp_path / "data")
        assert done.returncode == 0 and shown in done.stdout + done.stderr, done.stderr
        assert "Traceback" not in done.stderr and not re.search("topical_crawler.addon.(?!TopicalAddon)", done.stderr)
    assert not (tmp_path / "data").exists()
