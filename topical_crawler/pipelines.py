"""From a judged page to a row of the corpus: extract the main text, clean it, store it."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from topical_crawler.corpus.make import Maker
from topical_crawler.extraction.pool import ExtractPool
from topical_crawler.items import PageItem
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.strategies import OFF_TOPIC

OFF_TOPIC_TEXT = "off-topic text"
"""Why a page is rejected whose description is on topic and whose main text is not."""


class ExtractPipeline:
    """Main text, title and date of kept pages, in processes of their own: the event loop never waits for an extraction."""

    def __init__(self, workers: int, timeout: float) -> None:
        self._pool = ExtractPool(workers=workers, timeout=timeout)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        return cls(settings.getint("TOPICAL_EXTRACT_WORKERS"), settings.getfloat("TOPICAL_EXTRACT_TIMEOUT"))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and item.keep and item.page is not None:
            item.extracted = await self._pool.extract(item.page.html, item.url, item.fetched)
            item.text, item.reason, item.parts = item.extracted.text, item.extracted.reason, item.extracted.parts
        return item

    def close_spider(self) -> None:
        self._pool.close()


class CleanPipeline:
    """The paper's post-processing and more: boilerplate is taken out, what is no text is rejected with its reason."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._maker: Maker | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        spider = self._crawler.spider
        if not isinstance(item, PageItem) or item.extracted is None or item.page is None or not isinstance(spider, TopicalSpider):
            return item
        if self._maker is None:
            self._maker = Maker(spider.crawl.store, spider.crawl.options.cleaning)
        anchors = [link.anchor for link in item.page.links]
        made = self._maker.make(item.entry.host, item.extracted, anchors=anchors, title=item.page.title)
        item.found = made.fields
        item.text, item.title = made.fields.pop("text", ""), made.fields.pop("title")
        item.reason, item.lines = made.reason, made.lines
        if item.as_part and spider.crawl.article_of(item.entry) != item.extracted.series:
            item.reason = OFF_TOPIC
        if not item.reason and not item.as_part:
            _, belongs = spider.crawl.strategy.confirm(item.text)
            item.reason = "" if belongs else OFF_TOPIC_TEXT
        return item
