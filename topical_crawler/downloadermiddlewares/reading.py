"""Reading of long answers without blocking the event loop."""

from __future__ import annotations

import asyncio
import ctypes
import sys
from http import HTTPStatus

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from topical_crawler.components import CrawlComponent
from topical_crawler.items import READ
from topical_crawler.spiders.topical import TopicalSpider

_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
LONG = 128 * 1024  # bytes of an answer long enough to block the event loop


class ReadingMiddleware(CrawlComponent):
    """Threaded reading of answers longer than :data:`LONG` bytes by the spider.

    They are read one after the other, because each takes memory. The spider's ``parse`` then yields the result.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._turn = asyncio.Lock()
        # By default glibc allocates long texts on the heap after the first is freed, and cannot return the gaps.
        if sys.platform.startswith("linux") and hasattr(library := ctypes.CDLL(None), "mallopt"):
            library.mallopt(_MMAP_THRESHOLD, LONG)

    async def process_response(self, request: Request, response: Response) -> Response:
        is_long = response.status == HTTPStatus.OK and len(response.body) > LONG and "topical" in request.meta
        if is_long and isinstance(spider := self._crawler.spider, TopicalSpider):
            response.request = request
            async with self._turn:
                request.meta[READ] = await asyncio.to_thread(spider.read, response)
        return response
