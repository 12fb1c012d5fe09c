"""From a judged page to a row of the corpus: extract the main text, clean it, store it."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from topical_crawler.corpus.clean import Cleaner
from topical_crawler.corpus.extract import ExtractPool
from topical_crawler.items import PageItem
from topical_crawler.spiders.topical import TopicalSpider

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
            extracted = await self._pool.extract(item.page.html, item.url)
            item.text, item.title = extracted.text, extracted.title or item.page.title
            item.date, item.author = extracted.date, extracted.author
            item.reason = extracted.reason
        return item

    def close_spider(self) -> None:
        self._pool.close()


class CleanPipeline:
    """The paper's post-processing: boilerplate-only, copyright-only and near-empty texts are rejected with their reason."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._cleaner = Cleaner(min_characters=crawler.settings.getint("TOPICAL_MIN_CHARACTERS"))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and item.keep and item.page is not None:
            cleaned = self._cleaner.clean(item.text, [link.anchor for link in item.page.links], item.title)
            item.text, item.reason = cleaned.text, cleaned.reason
            spider = self._crawler.spider
            if not item.reason and isinstance(spider, TopicalSpider):
                _, belongs = spider.crawl.strategy.confirm(item.text)
                item.reason = "" if belongs else OFF_TOPIC_TEXT
        return item
