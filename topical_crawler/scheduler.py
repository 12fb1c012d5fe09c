"""Scheduler with the priority queue of a crawl: the best link among the hosts ready for a request comes next.

The strategy's score is the priority of a link. For ``semantic`` this is Eq. 5 of Zhou et al. 2019. The queue itself is the
frontier (:mod:`topical_crawler.frontier`). A request is *in flight* from :meth:`TopicalScheduler.next_request` until its item
has passed the last pipeline, where its row is stored. Only then is its entry done and are its links visible
(:mod:`topical_crawler.outcomes`). :mod:`topical_crawler.driver` asks for the next request in time.
"""

from __future__ import annotations

import time
from typing import Any

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from topical_crawler.components import crawl_of, storing
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.driver import Driver
from topical_crawler.frontier.base import Entry
from topical_crawler.items import LEFT, LISTED, REQUEST, STAYS
from topical_crawler.outcomes import Outcomes
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.web.page import Evidence
from topical_crawler.web.urls import fingerprint, host, without_user

MOST_AT_ONCE = 32  # entries scored again before yielding to other tasks
_TRIES = ("redirect_times", "redirect_ttl", "retry_times", "topical_doubted", "topical_sent_back")
_KEPT_META = (LISTED, LEFT, STAYS, REQUEST, *_TRIES)  # stored with the entry, so that limits survive a restart


class TopicalScheduler(BaseScheduler):
    """Scheduler of topical spiders: enqueues links, and returns the best one. Other spiders get Scrapy's own scheduler."""

    def next_request(self) -> Request | None:
        """Return the request of the highest priority among the hosts ready for one, or None if there is nothing to fetch now."""
        with storing(self._crawl):
            if not self._driver.may_fetch():
                return None
            entry = self._crawl.next(time.monotonic(), MOST_AT_ONCE)
            if entry is not None:
                return self._request(entry)
            self._driver.wait()
        return None

    def enqueue_request(self, request: Request) -> bool:
        """Enqueue a seed, a retry or redirect of an entry in flight, or a request of a user's own spider.

        Return False for a known or refused request: Scrapy counts it as dropped. The links of a page come with its outcome.
        """
        entry = request.meta.get("topical")
        if isinstance(entry, Entry) and entry.key in self._crawl.in_flight:
            if self._replaces(request, entry):
                return True
            entry = self._foreign(request)  # built with the meta of a page's response
        elif not isinstance(entry, Entry):
            entry = self._foreign(request)
        entry.dropped = self._crawl.policy.refusal(entry.url, entry.depth)
        return self._crawl.push([entry]).new > 0 and entry.dropped is None

    def has_pending_requests(self) -> bool:
        """Return True while the crawl continues."""
        return self._driver.goes_on()

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._driver = Driver(crawler, Outcomes(crawler))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BaseScheduler:  # type: ignore[override]
        return cls(crawler) if isinstance(crawler.spider, TopicalSpider) else Scheduler.from_crawler(crawler)

    def open(self, spider: Any) -> None:
        crawl = crawl_of(self._crawler)
        assert crawl is not None
        self._spider = spider
        self._crawl: Crawl = crawl
        self._driver.start()

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self._driver.close())

    def _request(self, entry: Entry) -> Request:
        spider: TopicalSpider = self._spider
        return spider.request(entry)

    def _replaces(self, request: Request, entry: Entry) -> bool:
        """Let a redirect or retry take the place of an entry in flight. Return True if ``request`` is one."""
        meta = {k: request.meta[k] for k in _KEPT_META if k in request.meta}
        if request.meta.get("redirect_times", 0) > entry.meta.get("redirect_times", 0):
            reason = request.meta["redirect_reasons"][-1]
            self._crawl.redirect(entry, without_user(request.url), meta, reason if isinstance(reason, int) else 200)
            return True
        if request.meta.get("retry_times", 0) > entry.meta.get("retry_times", 0):
            self._crawl.retry(entry, request.url, meta)
            return True
        return False

    def _foreign(self, request: Request) -> Entry:
        """Return an entry for a request made by a subclass of the spider, scored like a link without anchor text."""
        referer = (request.headers.get(b"Referer") or b"").decode("latin-1")
        evidence = Evidence(referer, 0.0, True, str(request.meta.get("link_text", "")))
        depth = request.meta.get("depth", 0)
        entry = Entry(fingerprint(request.url), request.url, host(request.url), 0.0, depth, (evidence,))
        entry.priority = self._crawl.strategy.score([entry.candidate()])[0] or 0.0
        return entry
