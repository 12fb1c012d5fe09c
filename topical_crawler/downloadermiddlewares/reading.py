"""Reading of long answers without blocking the event loop."""

from __future__ import annotations

import asyncio
import ctypes
import sys
from http import HTTPStatus
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from topical_crawler.components import CrawlComponent
from topical_crawler.items import READ, PageItem
from topical_crawler.spiders.topical import TopicalSpider

_C: Any = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
LONG = 128 * 1024  # bytes of an answer long enough to block the event loop
VERY_LONG = 1024 * 1024  # bytes of one whose memory is given back at once


class ReadingMiddleware(CrawlComponent):
    """Threaded reading of answers longer than :data:`LONG` bytes by the spider.

    They are read one after the other, because each takes memory. The spider's ``parse`` then yields the result.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._turn = asyncio.Lock()
        # By default glibc allocates long texts on the heap after the first is freed, and cannot return the gaps.
        if hasattr(_C, "mallopt"):
            _C.mallopt(_MMAP_THRESHOLD, LONG)

    async def process_response(self, request: Request, response: Response) -> Response:
        is_long = response.status == HTTPStatus.OK and len(response.body) > LONG and "topical" in request.meta
        if is_long and isinstance(spider := self._crawler.spider, TopicalSpider):
            response.request = request
            async with self._turn:
                request.meta[READ] = await asyncio.to_thread(self._read, spider, response)
            if type(spider) is TopicalSpider:  # which reads it once
                response._set_body(b"")
        return response

    def _read(self, spider: TopicalSpider, response: Response) -> PageItem:
        item = spider.read(response)
        if len(response.body) > VERY_LONG and hasattr(_C, "malloc_trim"):
            _C.malloc_trim(0)
        return item
