"""Attachments read as pages (``TOPICAL_DOCUMENTS``)."""

from __future__ import annotations

from http import HTTPStatus

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response

from topical_crawler import config
from topical_crawler.components import CrawlComponent
from topical_crawler.extraction.documents import OLD_WORD, as_html, format_of
from topical_crawler.extraction.pool import DocumentPool
from topical_crawler.failures import Refused
from topical_crawler.frontier.base import Entry
from topical_crawler.items import DOCUMENT_SIZE


class DocumentMiddleware(CrawlComponent):
    """Converter of attachments in the formats of ``TOPICAL_DOCUMENTS`` to pages, in a worker process.

    Unreadable ones are rejected with a reason. Earlier middlewares treat the answer like any other, so the archive has the
    original file.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._formats = config.document_formats(crawler.settings)
        if not self._formats:
            raise NotConfigured
        self._pool = DocumentPool(*config.extraction_limits(crawler.settings))
        crawler.signals.connect(self.closed, signals.spider_closed)

    async def process_response(self, request: Request, response: Response) -> Response:
        if response.status != HTTPStatus.OK or not isinstance(request.meta.get("topical"), Entry):
            return response
        kind = format_of(response.body)
        if kind not in (*self._formats, OLD_WORD):
            return response
        request.meta[DOCUMENT_SIZE] = len(response.body)
        document = await self._pool.read(response.body, kind)
        if document.reason:
            refused = Refused(document.reason)
            response.request = request
            refused.response = response
            raise refused
        page = HtmlResponse(response.url, response.status, response.headers, encoding="utf-8", body=as_html(document, kind))
        page.headers[b"Content-Type"] = b"text/html; charset=utf-8"
        return page

    def closed(self) -> None:
        self._pool.close()
