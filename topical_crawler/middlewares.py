"""The relevance middleware, in which the strategy judges every page that comes and gives its links their priorities; a meta
refresh that costs nothing on pages without one; and, from its own module, robots.txt."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from topical_crawler.crawl import now_iso
from topical_crawler.frontier import Entry
from topical_crawler.items import PageItem
from topical_crawler.robots import RobotsMiddleware
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.urls import fingerprint

__all__ = ["QuickMetaRefreshMiddleware", "RelevanceMiddleware", "RobotsMiddleware"]


class RelevanceMiddleware(BaseSpiderMiddleware):
    """Stamps items with the strategy's verdict and with their links as entries for the frontier."""

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        spider = self.crawler.spider
        if isinstance(item, PageItem) and item.page is not None and isinstance(spider, TopicalSpider):
            spider.crawl.judge(item)
        return item

    async def process_spider_output_async(
        self, response: Response | None, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        """As Scrapy's; a page of which a subclass of the spider makes no item ends under a reason of its own, else its entry
        would stay in flight and hold up its host."""
        made = False
        async for found in super().process_spider_output_async(response, result):
            made = made or isinstance(found, PageItem)
            yield found
        entry = response.meta.get("topical") if response is not None else None
        if not made and response is not None and isinstance(entry, Entry):
            yield PageItem(entry, response.url, now_iso(), response.status, len(response.body), reason="no item")


class QuickMetaRefreshMiddleware(MetaRefreshMiddleware):
    """Scrapy's, which decodes every page to look for a refresh in its head, only where the head's bytes speak of one; and a page
    that is to load itself again is taken as it is."""

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        if b"refresh" not in response.body[:4096].lower():
            return response
        found = super().process_response(request, response)
        if isinstance(found, Request) and fingerprint(found.url) == fingerprint(request.url):
            return response  # a page that reloads itself, as home pages of portals do
        return found
