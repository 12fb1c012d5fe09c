"""The page object for web-poet, by web-poet's own fixtures and through scrapy-poet."""

import asyncio
import json
from pathlib import Path

import pytest
from crawl_tools import ROOT, Reply, Site, article, environment, make_topic
from fork_tools import run_forked

pytest.importorskip("scrapy_poet", reason="the extra poet is not installed")
from web_poet import HttpResponse
from web_poet.testing import Fixture

from topical_crawler.webpoet import TopicalTextPage

SPIDER = """
import scrapy

from topical_crawler.webpoet import TopicalTextPage


class PartyPage(TopicalTextPage):
    topic = {topic!r}


class PoetSpider(scrapy.Spider):
    name = "poet"
    custom_settings = {{"ADDONS": {{"scrapy_poet.Addon": 300}}, "FEED_EXPORT_ENCODING": "utf-8"}}

    async def start(self):
        yield scrapy.Request(self.url)

    async def parse(self, response, page: PartyPage):
        yield await page.to_item()
"""


def answer(html: str, url: str = "http://www.example.cn/2023/0412/c1.html", encoding: str = "gb18030") -> HttpResponse:
    return HttpResponse(url, html.encode(encoding), headers={"Content-Type": f"text/html; charset={encoding}"})


def test_its_items_pass_the_fixtures_of_web_poet(tmp_path: Path) -> None:
    page = TopicalTextPage(answer(article("村里的账目") + "<pre>print('党')</pre>"))
    item = asyncio.run(page.to_item())
    fixture = Fixture.save(tmp_path, inputs=[page.response], item=item)
    fixture.assert_full_item_correct(TopicalTextPage)
    fixture.assert_no_extra_fields(TopicalTextPage)
    assert (item["title"], item["day"], item["language"]) == ("村里的账目", "2023-04-12", "zh")
    assert "\n".join(block["text"] for block in item["blocks"]) == item["text"] != ""

    class Silent(TopicalTextPage):
        async def to_item(self) -> dict[str, object]:
            return {**await super().to_item(), "text": ""}

    with pytest.raises(AssertionError):
        fixture.assert_full_item_correct(Silent)


def test_what_has_no_text_says_why_and_a_topic_judges(tmp_path: Path) -> None:
    class PartyPage(TopicalTextPage):
        topic = str(make_topic(tmp_path / "topic"))

    empty = asyncio.run(TopicalTextPage(answer("<title>党课</title>")).to_item())
    assert (empty["text"], empty["blocks"], empty["reason"], empty["relevance"]) == ("", [], "no text", None)
    on, off = (asyncio.run(PartyPage(answer(html)).to_item()) for html in (article("党课"), "<title>天气</title><p>多云</p>"))
    assert on["relevance"] > off["relevance"] == 0


@pytest.mark.slow
def test_scrapy_poet_injects_it(tmp_path: Path) -> None:
    (tmp_path / "poet.py").write_text(SPIDER.format(topic=str(make_topic(tmp_path / "topic"))), encoding="utf-8")
    with Site({"/": Reply(article("水渠"))}) as site:
        line = ["-m", "scrapy", "runspider", "poet.py", "-a", f"url={site.url}/", "-O", "-:jsonlines"]
        done = run_forked(line, tmp_path, {**environment(), "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    item = json.loads(done.stdout)
    assert item["title"] == "水渠" and item["text"] and item["relevance"] > 0
