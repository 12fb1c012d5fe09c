"""Outcomes of pages given out by the scheduler: each entry in flight ends as one item, or is requeued."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from topical_crawler.components import crawl_of, in_flight, storing
from topical_crawler.crawl.crawl import STORAGE_ERRORS, Crawl
from topical_crawler.frontier.base import Entry, LeaseLost
from topical_crawler.items import PageItem, now_utc

logger = logging.getLogger(__name__)

LOST = "lost by a pipeline"  # reason of pages with an item swallowed by a pipeline


class Outcomes:
    """Reports pages to the frontier by Scrapy's signals: request sent, item stored, dropped or failed.

    On a storage error the crawl fails, and its scheduler ends it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._answered: set[bytes] = set()
        connect = crawler.signals.connect
        connect(self._scraped, signals.item_scraped)
        connect(self._dropped, signals.item_dropped)
        connect(self._failed_item, signals.item_error)
        connect(self._failed_page, signals.spider_error)
        connect(self._sent, signals.headers_received)
        connect(self._left, signals.request_left_downloader)

    @property
    def _crawl(self) -> Crawl:
        crawl = crawl_of(self._crawler)
        assert crawl is not None
        return crawl

    def finish_lost(self) -> None:
        """Finish entries still in flight while the engine is idle: a pipeline has swallowed their items."""
        slot = self._crawler.engine._slot if self._crawler.engine is not None else None
        if slot is not None and not slot.inprogress and slot.closing is None:
            for entry in list(self._crawl.in_flight.values()):
                self.finish_unreturned(PageItem(entry, entry.url, now_utc()))

    def finish_unreturned(self, item: PageItem) -> None:
        """Reject the page of an item not returned by any pipeline."""
        logger.error("%s: no pipeline gave its item back. Return the item from process_item", item.entry.url)
        item.reject(LOST)
        self._finish_rejected(item)

    def _finish(self, item: PageItem) -> None:
        """Mark an item's page done. Never raise: Scrapy would swallow the error, and the entry would stay in flight."""
        try:
            self._crawl.finish(item)
        except Exception as error:  # from the disk or the database, or for lack of a storing pipeline
            self._crawl.fail(error)

    def _finish_rejected(self, item: PageItem) -> None:
        """Store the row of an item that did not pass all pipelines, with the reason, and mark its page done."""
        try:
            if item.stored is None:
                self._crawl.store_row(item)
        except Exception as error:
            self._crawl.fail(error)
        else:
            self._finish(item)

    def _scraped(self, item: Any) -> None:
        # Pages not written by the Store pipeline are fetched again when the crawl continues.
        if isinstance(item, PageItem) and (item.stored is not None or not self._crawl.failed):
            self._finish(item)

    def _dropped(self, item: Any, exception: BaseException) -> None:
        if isinstance(item, PageItem):
            if not item.reason:
                item.reject(f"dropped: {exception}"[:100])
            self._finish_rejected(item)

    def _failed_item(self, item: Any, failure: Failure) -> None:
        if isinstance(failure.value, STORAGE_ERRORS):  # as in _failed_page
            self._crawl.fail(failure.value)
        elif isinstance(item, PageItem):
            item.reject(_error(failure.type))
            self._finish_rejected(item)

    def _failed_page(self, failure: Failure, response: Any) -> None:
        """Give up a page after an error of the spider or a middleware, under the error's name. The crawl continues.

        After a storage error the crawl ends instead, and the page is fetched again later.
        """
        if isinstance(failure.value, STORAGE_ERRORS):
            self._crawl.fail(failure.value)
            return
        request = getattr(response, "request", None)
        entry = request.meta.get("topical") if request is not None else None
        if isinstance(entry, Entry):
            item = PageItem(entry, entry.url, now_utc(), reason=_error(failure.type))
            if isinstance(response, Response):
                item.status, item.size = response.status, len(response.body)
            self._finish_rejected(item)

    def _sent(self, request: Request) -> None:
        """Record the arrival of a request at its first response header. The host's delay counts from here."""
        if (page := in_flight(self._crawler, request)) is not None:
            crawl, entry = page
            self._answered.add(entry.key)
            with storing(crawl), suppress(LeaseLost):  # reported when the page is finished
                crawl.frontier.sent(entry.key, time.monotonic())

    def _left(self, request: Request) -> None:
        """Record the end of a request. One that failed without a response may have arrived at any time until now."""
        entry = request.meta.get("topical")
        if isinstance(entry, Entry):
            if entry.key not in self._answered:
                self._sent(request)
            self._answered.discard(entry.key)


def _error(kind: type[BaseException] | None) -> str:
    """Return the reason for a page given up after an error."""
    return f"error: {kind.__name__ if kind else 'unknown'}"
