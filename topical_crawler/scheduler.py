"""Scrapy's scheduler over the frontier: strict best-first among the hosts whose turn it is, nothing lost."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import Any

from scrapy import Request, signals
from scrapy.core.engine import ExecutionEngine, _Slot
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from topical_crawler.crawl.crawl import STORAGE_ERRORS, Crawl
from topical_crawler.crawl.second_look import AsideError
from topical_crawler.frontier import Entry, LeaseLost
from topical_crawler.items import LEFT, LISTED, STAYS, PageItem, now_utc
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.web.page import Evidence
from topical_crawler.web.urls import fingerprint, host, without_user

logger = logging.getLogger(__name__)

STOPPED = "stopped"  # why a crawl ends that was told to stop
LOST = "lost by a pipeline"  # why a page is rejected whose item no pipeline returned
TURN = 0.05  # seconds for which texts are cleaned at the end before the event loop has its turn
STORAGE_FAILED = "storage failed"  # why a crawl ends that cannot write any more (a full disk, a database that is gone)
TICK = 1.0  # seconds between two looks at orders, and at what other workers have done
SHARED_POLL = 0.25  # seconds after which a worker with nothing to fetch looks again: others push, and their leases run out
_TRIES = ("redirect_times", "redirect_ttl", "retry_times", "topical_doubted", "topical_sent_back")
_KEPT_META = (LISTED, LEFT, STAYS, *_TRIES)  # stored with the entry, so that bounds hold over a restart


class TopicalScheduler(BaseScheduler):
    """Gives out the frontier's entries and tells the frontier what became of them. Other spiders than topical ones get Scrapy's
    own scheduler.

    A request is *in flight* until its item has passed the pipelines, the last of which stores its row: only then is its entry
    done, and are its links visible.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._nudge: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._answered: set[bytes] = set()
        connect = crawler.signals.connect
        connect(self._scraped, signals.item_scraped)
        connect(self._dropped, signals.item_dropped)
        connect(self._failed_item, signals.item_error)
        connect(self._failed_page, signals.spider_error)
        connect(self._sent, signals.headers_received)
        connect(self._left, signals.request_left_downloader)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BaseScheduler:  # type: ignore[override]
        return cls(crawler) if isinstance(crawler.spider, TopicalSpider) else Scheduler.from_crawler(crawler)

    def open(self, spider: Any) -> None:
        self._spider: TopicalSpider = spider
        self._crawl: Crawl = spider.crawl
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)

    def close(self, reason: str) -> Deferred[None]:
        for timer in (self._nudge, self._timer):
            if timer is not None:
                timer.cancel()
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        try:
            await self._clean()
        finally:
            self._crawl.close()

    async def _clean(self) -> None:
        """Do :meth:`Crawl.cleaning` in turns with the event loop: the display goes on, a second Ctrl-C ends the crawl at once."""
        turn = time.monotonic()
        try:
            for _ in self._crawl.cleaning():
                if time.monotonic() - turn > TURN:
                    await asyncio.sleep(0)
                    turn = time.monotonic()
        except STORAGE_ERRORS as error:  # what was cleaned is stored
            logger.error("Texts are not all cleaned, nor taken back where they are off topic: %s", error)

    def has_pending_requests(self) -> bool:
        self._finish_lost()
        if self._crawl.failed:
            self._end(STORAGE_FAILED)
        try:
            return self._closing is None and (self._looking is not None or self._crawl.has_more or self._looks_at_end())
        except STORAGE_ERRORS as error:
            self._give_up(error)
            return False

    def next_request(self) -> Request | None:
        crawl = self._crawl
        if crawl.failed:
            self._end(STORAGE_FAILED)
        if self._closing is not None or self._looking is not None or crawl.is_over:
            return None
        now = time.monotonic()
        try:
            if crawl.second_look.is_due(crawl.finished):
                self._look_again()  # and nothing is fetched meanwhile: what a crawl keeps does not hang on who is faster
                return None
            if len(crawl.in_flight) >= crawl.options.in_flight:
                return None
            entry = crawl.next(now)
            if entry is not None:
                return self._spider.request(entry)
            if crawl.rests and self._looks_at_end():
                return None
            seconds = crawl.frontier.wait(now)
            if seconds is not None and crawl.refreshes:
                seconds = max(seconds, SHARED_POLL)  # what has its turn may wait for the next ordinary run
            if seconds is not None and crawl.outages.away:
                seconds = max(seconds, crawl.outages.pause)
        except STORAGE_ERRORS as error:
            self._give_up(error)
            return None
        self._wake_in(min(SHARED_POLL, seconds or SHARED_POLL) if crawl.frontier.shared else seconds)
        return None

    def _tick(self) -> None:
        try:
            self._crawl.tick()
        except STORAGE_ERRORS as error:
            self._give_up(error)
            return
        except ValueError as error:  # a seed or an order that cannot be used
            logger.error("%s", error)
        except Exception:  # the next tick must come: without it no order to stop is obeyed
            logger.exception("Orders and news of other workers could not be read; the next try is in a second")
        if self._crawl.control.stopping:
            self._end(STOPPED)
            return
        self._wake()  # there may be seeds, or no pause any more
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)

    def enqueue_request(self, request: Request) -> bool:
        """Take a seed, a retry or redirect of an entry in flight, or a request of a user's own spider. False for one that is
        known already or is not to be fetched: Scrapy then counts it as dropped."""
        entry = request.meta.get("topical")
        if not isinstance(entry, Entry):
            entry = self._foreign(request)
        elif entry.key in self._crawl.in_flight:
            meta = {k: request.meta[k] for k in _KEPT_META if k in request.meta}
            if request.meta.get("redirect_times", 0) > entry.meta.get("redirect_times", 0):
                reason = request.meta["redirect_reasons"][-1]
                self._crawl.redirect(entry, without_user(request.url), meta, reason if isinstance(reason, int) else 200)
                return True
            if request.meta.get("retry_times", 0) > entry.meta.get("retry_times", 0):
                self._crawl.retry(entry, request.url, meta)
                return True
            entry = self._foreign(request)  # made with the meta of a page's response
        entry.dropped = self._crawl.policy.refusal(entry.url, entry.depth)
        return self._crawl.push([entry]).new > 0 and entry.dropped is None

    def _foreign(self, request: Request) -> Entry:
        """An entry for a request that a subclass of the spider made itself: scored like a link without anchor text."""
        referer = (request.headers.get(b"Referer") or b"").decode("latin-1")
        evidence = Evidence(referer, 0.0, True, str(request.meta.get("link_text", "")))
        depth = request.meta.get("depth", 0)
        entry = Entry(fingerprint(request.url), request.url, host(request.url), 0.0, depth, (evidence,))
        entry.priority = self._crawl.strategy.score([entry.candidate()])[0] or 0.0
        return entry

    def _looks_at_end(self) -> bool:
        """Begin the second look that is due at the end; whether there is one."""
        if self._crawl.control.stopping or not self._crawl.second_look.is_due_at_end(self._crawl.finished):
            return False
        self._look_again()
        return True

    def _look_again(self) -> None:
        engine = self._crawler.engine
        assert engine is not None and engine._slot is not None
        # The engine closes the pipelines when no request is in progress, and does not wait for an item that came without one.
        stands_for_it = Request("data:,second-look")
        engine._slot.add_request(stands_for_it)
        self._looking = asyncio.get_running_loop().create_task(self._second_look(engine, engine._slot, stands_for_it))

    async def _second_look(self, engine: ExecutionEngine, slot: _Slot, stands_for_it: Request) -> None:
        """Send the pages that were set aside and are on topic by what is known now through the item pipelines, one by one."""
        crawl = self._crawl
        finished, kept, pages = crawl.finished, crawl.progress.second_looks, 0
        try:
            for item in crawl.second_look.items():
                if slot.closing is None and self._closing is None:
                    await engine.scraper.start_itemproc_async(item, response=None)
                    if self._closing is None and crawl.second_look.is_open(item):  # or it would be looked at again and again
                        self._finish_unreturned(item)
                    pages += 1
                if slot.closing is not None or self._closing is not None:
                    return  # the rest is looked at when the crawl goes on
            crawl.second_look.looked(finished)
        except AsideError as error:
            crawl.second_look.do_without(error)
        except STORAGE_ERRORS as error:
            self._give_up(error)
        except Exception as error:  # no reason to end the crawl, and the same look must not begin again and again
            logger.exception("The second look after %d pages was broken off", crawl.policy.fetched)
            crawl.second_look.do_without(error)
        finally:
            self._looking = None
            slot.remove_request(stands_for_it)
        if pages:
            logger.info(
                "Second look after %d pages: %d that were off topic are on topic by what is known now, %d of them are kept",
                crawl.policy.fetched, pages, crawl.progress.second_looks - kept,
            )  # fmt: skip
        self._wake()

    def _finish(self, item: PageItem) -> None:
        """Mark an item's page done. Nothing may be raised: Scrapy would swallow it, and the entry would stay in flight."""
        try:
            self._crawl.finish(item)
        except ValueError as error:  # no Store pipeline, and this page has no text
            logger.exception("%s cannot be stored", item.entry.url)
            item.reject(_error(type(error)))
            self._crawl.finish(item)
        except Exception as error:  # the disk or the database: nothing more can be stored
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self._crawl.fail(error)
        self._end(STORAGE_FAILED)

    def _end(self, reason: str) -> None:
        engine = self._crawler.engine
        if self._closing is None and engine is not None:
            self._closing = asyncio.get_running_loop().create_task(engine.close_spider_async(reason=reason))

    def _finish_lost(self) -> None:
        """Finish what is in flight while the engine works on nothing: a pipeline swallowed it."""
        engine = self._crawler.engine
        slot = engine._slot if engine is not None else None
        if slot is not None and not slot.inprogress and self._closing is None:
            for entry in list(self._crawl.in_flight.values()):
                self._finish_unreturned(PageItem(entry, entry.url, now_utc()))

    def _finish_unreturned(self, item: PageItem) -> None:
        logger.error("%s: no pipeline gave its item back. Remedy: return the item from process_item", item.entry.url)
        item.reject(LOST)
        self._finish(item)

    def _scraped(self, item: Any) -> None:
        if isinstance(item, PageItem):
            if item.stored is None and self._crawl.progress.storage_failures:  # the Store pipeline could not write it
                self._end(STORAGE_FAILED)
            else:
                self._finish(item)

    def _dropped(self, item: Any, exception: BaseException) -> None:
        if isinstance(item, PageItem):
            if not item.reason:
                item.reject(f"dropped: {exception}"[:100])
            self._finish(item)

    def _failed_item(self, item: Any, failure: Failure) -> None:
        if isinstance(failure.value, STORAGE_ERRORS):  # as of a page
            self._give_up(failure.value)
        elif isinstance(item, PageItem):
            item.reject(_error(failure.type))
            self._finish(item)

    def _failed_page(self, failure: Failure, response: Any) -> None:
        """The spider or a middleware raised on a page: the page is given up under the error's name, the crawl goes on. Where what
        is counted of hosts cannot be had, the crawl ends, and the page is fetched again."""
        if isinstance(failure.value, STORAGE_ERRORS):
            self._give_up(failure.value)
            return
        request = getattr(response, "request", None)
        entry = request.meta.get("topical") if request is not None else None
        if isinstance(entry, Entry):
            item = PageItem(entry, entry.url, now_utc(), reason=_error(failure.type))
            if isinstance(response, Response):
                item.status, item.size = response.status, len(response.body)
            self._finish(item)

    def _sent(self, request: Request) -> None:
        """The answer to a request begins, so the request has arrived: the host's delay counts from here."""
        entry = request.meta.get("topical")
        if isinstance(entry, Entry) and entry.key in self._crawl.in_flight:
            self._answered.add(entry.key)
            try:
                with suppress(LeaseLost):  # reported when the page is finished
                    self._crawl.frontier.sent(entry.key, time.monotonic())
            except STORAGE_ERRORS as error:
                self._give_up(error)

    def _left(self, request: Request) -> None:
        """A request is over. One that failed without an answer may have arrived until now."""
        entry = request.meta.get("topical")
        if isinstance(entry, Entry):
            if entry.key not in self._answered:
                self._sent(request)
            self._answered.discard(entry.key)

    def _wake_in(self, seconds: float | None) -> None:
        """Ask for an earlier call: Scrapy asks an empty-handed scheduler again after 5 seconds only."""
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


def _error(kind: type[BaseException] | None) -> str:
    """The reason of a page that is given up because of an error."""
    return f"error: {kind.__name__ if kind else 'unknown'}"
