"""Scrapy's scheduler over the frontier: strict best-first among the hosts whose turn it is, nothing lost."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any, Self

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from twisted.python.failure import Failure

from topical_crawler.crawl import Crawl, now_iso
from topical_crawler.frontier import Entry
from topical_crawler.items import PageItem
from topical_crawler.page import Evidence
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.urls import fingerprint, host

logger = logging.getLogger(__name__)

_KEPT_META = ("redirect_times", "redirect_ttl", "retry_times")
"""What the redirect and retry middlewares count; it travels with the entry, so that a bound holds over a restart."""


class TopicalScheduler(BaseScheduler):
    """Gives out the frontier's entries and tells it what became of them.

    A request is *in flight* until its item has passed the pipelines: only then is its entry done and are its links visible.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._nudge: asyncio.TimerHandle | None = None
        logging.getLogger("scrapy.downloadermiddlewares.robotstxt").addFilter(_in_one_line)
        connect = crawler.signals.connect
        connect(self._scraped, signals.item_scraped)
        connect(self._dropped, signals.item_dropped)
        connect(self._failed_item, signals.item_error)
        connect(self._failed_page, signals.spider_error)
        connect(self._robots, signals.robots_parsed)
        connect(self._sent, signals.request_reached_downloader)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def open(self, spider: Any) -> None:
        if not isinstance(spider, TopicalSpider):
            raise TypeError(
                f"{type(self).__name__} schedules spiders that are made from TopicalSpider, not {type(spider).__name__}. "
                f"Remedy: subclass topical_crawler.spiders.topical.TopicalSpider, or set SCHEDULER to Scrapy's own in "
                f"custom_settings"
            )
        self._spider = spider
        self._crawl: Crawl = spider.crawl

    def close(self, reason: str) -> None:
        if self._nudge is not None:
            self._nudge.cancel()
        self._crawl.close()

    def has_pending_requests(self) -> bool:
        return len(self._crawl.frontier) > 0 and not self._crawl.limit_reached

    def next_request(self) -> Request | None:
        crawl = self._crawl
        if crawl.limit_reached or len(crawl.in_flight) >= crawl.options.in_flight:
            return None
        now = time.monotonic()
        entry = crawl.next(now)
        if entry is None:
            self._wake_in(crawl.frontier.wait(now))
            return None
        return self._spider.request(entry)

    def enqueue_request(self, request: Request) -> bool:
        """Take a request: a seed, a retry or a redirect of an entry in flight, or a request of a spider of one's own.

        Returns False for one that is known already or is not to be fetched; Scrapy then counts it as dropped.
        """
        entry = request.meta.get("topical")
        if not isinstance(entry, Entry):
            entry = self._foreign(request)
        if entry.key not in self._crawl.in_flight:
            if not entry.key:
                return False
            entry.dropped = self._crawl.rules.refusal(entry.url, entry.depth)
            return self._crawl.push([entry]).new > 0 and entry.dropped is None
        meta = {k: request.meta[k] for k in _KEPT_META if k in request.meta}
        if request.meta.get("redirect_times", 0) > entry.meta.get("redirect_times", 0):
            reason = request.meta["redirect_reasons"][-1]
            self._crawl.redirect(entry, request.url, meta, reason if isinstance(reason, int) else 200)
        else:
            self._crawl.retry(entry, request.url, meta)
        return True

    def _foreign(self, request: Request) -> Entry:
        """An entry for a request that a subclass of the spider made itself: scored like a link without anchor text."""
        entry = Entry(fingerprint(request.url), request.url, host(request.url), 0.0, request.meta.get("depth", 0))
        found = Evidence(
            (request.headers.get(b"Referer") or b"").decode("latin-1"), 0.0, True, str(request.meta.get("link_text", ""))
        )
        entry.evidence = (found,)
        entry.priority = self._crawl.strategy.score([entry.candidate()])[0] or 0.0
        return entry

    # -- what became of an entry

    def _scraped(self, item: Any) -> None:
        if isinstance(item, PageItem):
            self._crawl.finish(item)

    def _dropped(self, item: Any, exception: BaseException) -> None:
        if isinstance(item, PageItem):
            item.reason = item.reason or f"dropped: {exception}"[:100]
            self._crawl.finish(item)

    def _failed_item(self, item: Any, failure: Failure) -> None:
        if isinstance(item, PageItem):
            item.reason = f"error: {failure.type.__name__ if failure.type else 'unknown'}"
            self._crawl.finish(item)

    def _failed_page(self, failure: Failure, response: Any) -> None:
        """The spider or a middleware raised on a page: the page is given up under the error's name, the crawl goes on."""
        request = getattr(response, "request", None)
        entry = request.meta.get("topical") if request is not None else None
        if isinstance(entry, Entry):
            item = PageItem(entry, entry.url, now_iso(), reason=f"error: {failure.type.__name__ if failure.type else 'unknown'}")
            if isinstance(response, Response):
                item.status, item.size = response.status, len(response.body)
            self._crawl.finish(item)

    def _sent(self, request: Request) -> None:
        """A request has passed the downloader middlewares; before that it may have waited for robots.txt."""
        entry = request.meta.get("topical")
        if isinstance(entry, Entry) and entry.key in self._crawl.in_flight:
            self._crawl.frontier.sent(entry.key, time.monotonic())

    def _robots(self, robotparser: RobotParser, request: Request) -> None:
        """Crawl-delay, which Scrapy reads but does not obey."""
        if self._crawler.settings.get("TOPICAL_REPLAY"):
            return
        settings = self._crawler.settings
        delay = robotparser.crawl_delay(settings.get("ROBOTSTXT_USER_AGENT") or settings["USER_AGENT"])
        if delay is not None and delay > self._crawl.options.delay:
            bounded = min(float(delay), settings.getfloat("TOPICAL_MAX_CRAWL_DELAY"))
            self._crawl.frontier.set_delay(host(request.url), bounded)

    def _wake_in(self, seconds: float | None) -> None:
        """Scrapy asks an empty-handed scheduler again every 5 seconds only: ask for an earlier call."""
        if seconds is None:
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + max(seconds, 0.001)
        if self._nudge is not None and not self._nudge.cancelled():
            if loop.time() < self._nudge.when() <= when:
                return
            self._nudge.cancel()
        self._nudge = loop.call_at(when, self._wake)

    def _wake(self) -> None:
        engine = self._crawler.engine
        slot = engine._slot if engine is not None else None  # the engine has no public way to be asked
        if slot is not None and slot.closing is None:
            slot.nextcall.schedule()


def _in_one_line(record: logging.LogRecord) -> bool:
    """Scrapy logs a robots.txt that cannot be had with its whole traceback, for every dead host: the first line says it all."""
    record.exc_info = None
    return True
