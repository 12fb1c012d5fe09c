"""The relevance middleware: the strategy judges every page once and gives its links their priorities."""

from __future__ import annotations

from typing import Any

from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from topical_crawler.items import PageItem
from topical_crawler.spiders.topical import TopicalSpider


class RelevanceMiddleware(BaseSpiderMiddleware):
    """Stamps items with the strategy's verdict and with their links as entries for the frontier."""

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        spider = self.crawler.spider
        if isinstance(item, PageItem) and item.page is not None and isinstance(spider, TopicalSpider):
            spider.crawl.judge(item)
        return item
