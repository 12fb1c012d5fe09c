"""What became of the pages that the scheduler gave out: each entry in flight ends as one item, or waits again."""

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

LOST = "lost by a pipeline"  # why a page is rejected whose item no pipeline returned


class Outcomes:
    """Tells the frontier what Scrapy's signals say of a page: that its request was sent, and that its item was stored, dropped
    or failed. Where that cannot be written the crawl fails, and its scheduler ends it."""

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
        """Finish what is in flight while the engine works on nothing: a pipeline swallowed it."""
        slot = self._crawler.engine._slot if self._crawler.engine is not None else None
        if slot is not None and not slot.inprogress and slot.closing is None:
            for entry in list(self._crawl.in_flight.values()):
                self.finish_unreturned(PageItem(entry, entry.url, now_utc()))

    def finish_unreturned(self, item: PageItem) -> None:
        """Reject the page of an item that no pipeline returned."""
        logger.error("%s: no pipeline gave its item back. Remedy: return the item from process_item", item.entry.url)
        item.reject(LOST)
        self._finish_rejected(item)

    def _finish(self, item: PageItem) -> None:
        """Mark an item's page done. Nothing may be raised: Scrapy would swallow it, and the entry would stay in flight."""
        try:
            self._crawl.finish(item)
        except Exception as error:  # the disk or the database, or no pipeline stores anything
            self._crawl.fail(error)

    def _finish_rejected(self, item: PageItem) -> None:
        """The same of an item that did not come through all pipelines: its row says why."""
        try:
            if item.stored is None:
                self._crawl.store_row(item)
        except Exception as error:
            self._crawl.fail(error)
        else:
            self._finish(item)

    def _scraped(self, item: Any) -> None:
        # What the Store pipeline could not write is fetched again when the crawl goes on.
        if isinstance(item, PageItem) and (item.stored is not None or not self._crawl.failed):
            self._finish(item)

    def _dropped(self, item: Any, exception: BaseException) -> None:
        if isinstance(item, PageItem):
            if not item.reason:
                item.reject(f"dropped: {exception}"[:100])
            self._finish_rejected(item)

    def _failed_item(self, item: Any, failure: Failure) -> None:
        if isinstance(failure.value, STORAGE_ERRORS):  # as of a page
            self._crawl.fail(failure.value)
        elif isinstance(item, PageItem):
            item.reject(_error(failure.type))
            self._finish_rejected(item)

    def _failed_page(self, failure: Failure, response: Any) -> None:
        """The spider or a middleware raised on a page: the page is given up under the error's name, the crawl goes on. Where what
        is counted of hosts cannot be had, the crawl ends, and the page is fetched again."""
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
        """The answer to a request begins, so the request has arrived: the host's delay counts from here."""
        if (page := in_flight(self._crawler, request)) is not None:
            crawl, entry = page
            self._answered.add(entry.key)
            with storing(crawl), suppress(LeaseLost):  # reported when the page is finished
                crawl.frontier.sent(entry.key, time.monotonic())

    def _left(self, request: Request) -> None:
        """A request is over. One that failed without an answer may have arrived until now."""
        entry = request.meta.get("topical")
        if isinstance(entry, Entry):
            if entry.key not in self._answered:
                self._sent(request)
            self._answered.discard(entry.key)


def _error(kind: type[BaseException] | None) -> str:
    """The reason of a page that is given up because of an error."""
    return f"error: {kind.__name__ if kind else 'unknown'}"
