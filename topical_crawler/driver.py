"""Driver of a crawl: it triggers Scrapy's engine, runs second looks, and ends the crawl."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from itertools import chain

from scrapy import Request
from scrapy.core.engine import ExecutionEngine, _Slot
from scrapy.crawler import Crawler

from topical_crawler.components import crawl_of, storing
from topical_crawler.crawl.crawl import SLOW, STORAGE_ERRORS, Crawl
from topical_crawler.crawl.second_look import AsideError
from topical_crawler.outcomes import Outcomes
from topical_crawler.strategies.semantic.url_structure import site

logger = logging.getLogger(__name__)

STOPPED = "stopped"  # reason for the end after an order to stop
STORAGE_FAILED = "storage failed"  # reason for the end after a storage failure, such as a full disk or a lost database
TICK = 1.0  # seconds between two polls of orders and of other workers' pages
SHARED_POLL = 0.25  # seconds between two polls of an idle worker: others push, and their leases run out
MOST_SLOW = 3  # most slow requests, as a multiple of the slots: their bodies take memory
TURN = 0.05  # seconds of cleaning at the end before yielding to the event loop


class Driver:
    """Drives Scrapy's engine for a crawl. On its own, Scrapy polls an empty-handed scheduler only every 5 seconds."""

    def __init__(self, crawler: Crawler, outcomes: Outcomes) -> None:
        self._crawler = crawler
        self._outcomes = outcomes
        self._nudge: asyncio.TimerHandle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._since: dict[Request, float] = {}  # time each request in flight was first seen
        self._slow = 0  # requests beyond the slots, in place of slow ones

    def start(self) -> None:
        """Start obeying orders."""
        crawl = crawl_of(self._crawler)
        assert crawl is not None
        self._crawl: Crawl = crawl
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)

    def may_fetch(self) -> bool:
        """Return True if another request may go out now. Start a second look if one is due.

        Nothing is fetched during a second look, so that the kept pages do not depend on timing.
        """
        crawl = self._crawl
        if self._is_ending() or self._looking is not None:
            return False
        if crawl.advance():
            self._wake_in(0.0)
            return False
        if crawl.is_over:
            return False
        if crawl.second_look.is_due(crawl.log.finished):
            self._look_again()
            return False
        return len(crawl.in_flight) < crawl.options.in_flight + self._slow

    def wait(self) -> None:
        """Have the engine ask again when a host is ready, since nothing can be fetched now."""
        crawl = self._crawl
        if crawl.is_looking:
            self._wake_in(0.0)
            return
        if crawl.rests and self._looks_at_end():
            return
        seconds = crawl.frontier.next(time.monotonic()).wait
        if seconds is not None and crawl.refresh.active:
            seconds = max(seconds, SHARED_POLL)  # a ready link may belong to the next ordinary run
        if seconds is not None and crawl.outages.away:
            seconds = max(seconds, crawl.outages.pause)
        self._wake_in(min(SHARED_POLL, seconds or SHARED_POLL) if crawl.frontier.shared else seconds)

    def goes_on(self) -> bool:
        """Return True if there is, or may come, something to do. Start the second look due at the end, if any."""
        if self._is_ending():
            return False
        if self._crawl.rescores:
            return True
        self._outcomes.finish_lost()
        with storing(self._crawl):
            return self._looking is not None or self._crawl.has_more or self._looks_at_end()
        return False

    async def close(self) -> None:
        """Clean the texts once more, interleaved with the event loop, and close the crawl.

        Meanwhile the display continues, and a second Ctrl-C ends the crawl at once.
        """
        for timer in (self._nudge, self._timer):
            if timer is not None:
                timer.cancel()
        turn = time.monotonic()
        try:
            for _ in self._crawl.cleaning():
                if time.monotonic() - turn > TURN:
                    await asyncio.sleep(0)
                    turn = time.monotonic()
        except STORAGE_ERRORS as error:  # the texts cleaned so far are stored
            logger.error("Not all texts were cleaned, or taken back as off topic: %s", error)
        finally:
            self._crawl.close()

    # -- Orders, and the end

    def _tick(self) -> None:
        assert self._timer is not None
        self._crawl.progress.note_stall(asyncio.get_running_loop().time() - self._timer.when())
        self._make_room()
        try:
            with storing(self._crawl):
                self._crawl.tick()
        except ValueError as error:  # an unusable seed or order
            logger.error("%s", error)
        except Exception:  # the next tick must come, or no order to stop is obeyed
            logger.exception("Cannot read orders and pages of other workers; retrying in a second")
        if not self._is_ending():
            self._wake()  # there may be seeds, or a pause may have ended
            self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)

    def _make_room(self) -> None:
        """Add slots beside slow requests, up to :data:`MOST_SLOW` for each slot, lest slow hosts occupy all of them."""
        if (engine := self._crawler.engine) is None or (places := self._crawl.options.in_flight) == 1:
            return
        now, downloader = time.monotonic(), engine.downloader
        on_the_wire = chain.from_iterable(slot.transferring for slot in downloader.slots.values())  # answers to be read are not
        self._since = {request: self._since.get(request, now) for request in on_the_wire}
        self._crawl.slow = Counter(site(request.url) for request, since in self._since.items() if now - since > SLOW)
        self._slow = min(MOST_SLOW * places, self._crawl.slow.total())
        downloader.total_concurrency = places + self._slow

    def _is_ending(self) -> bool:
        """Return True if the crawl is ending. Start ending one that cannot continue."""
        engine, failed = self._crawler.engine, self._crawl.failed
        if self._closing is None and engine is not None and (failed or self._crawl.control.stopping):
            reason = STORAGE_FAILED if failed else STOPPED
            self._closing = asyncio.get_running_loop().create_task(engine.close_spider_async(reason=reason))
        return self._closing is not None

    def _wake_in(self, seconds: float | None) -> None:
        """Have the engine ask again in ``seconds``, or earlier."""
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
        slot = engine._slot if engine is not None else None  # the engine has no public API for this
        if slot is not None and slot.closing is None:
            slot.nextcall.schedule()

    # -- Second looks

    def _looks_at_end(self) -> bool:
        """Start the second look due at the end. Return True if there is one."""
        if self._crawl.control.stopping or not self._crawl.second_look.is_due_at_end(self._crawl.log.finished):
            return False
        self._look_again()
        return True

    def _look_again(self) -> None:
        engine = self._crawler.engine
        assert engine is not None and engine._slot is not None
        self._crawl.control.learn_marks(self._crawl.log.finished)
        # The engine closes the pipelines when no request is in progress, and does not wait for items without a request.
        stands_for_it = Request("data:,second-look")
        engine._slot.add_request(stands_for_it)
        self._looking = asyncio.get_running_loop().create_task(self._second_look(engine, engine._slot, stands_for_it))

    async def _second_look(self, engine: ExecutionEngine, slot: _Slot, stands_for_it: Request) -> None:
        """Send the pages set aside and now on topic through the item pipelines, one by one."""
        crawl = self._crawl
        finished, kept, pages = crawl.log.finished, crawl.progress.second_looks, 0
        try:
            for item in crawl.second_look.items():
                if slot.closing is None and not self._is_ending():
                    await engine.scraper.start_itemproc_async(item, response=None)
                    if not self._is_ending() and item.stored is None:  # or the look would repeat forever
                        self._outcomes.finish_unreturned(item)
                    pages += 1
                if slot.closing is not None or self._is_ending():
                    return  # the rest is left to the next run
            crawl.second_look.looked(finished)
        except AsideError as error:
            crawl.second_look.do_without(error)
        except STORAGE_ERRORS as error:
            crawl.fail(error)
        except Exception as error:  # no reason to end the crawl, but the same look must not repeat forever
            logger.exception("The second look after %d pages failed", crawl.policy.fetched)
            crawl.second_look.do_without(error)
        finally:
            self._looking = None
            slot.remove_request(stands_for_it)
        if pages:
            logger.info(
                "Second look after %d pages: %d pages rejected as off topic are on topic now, %d of them are kept",
                crawl.policy.fetched, pages, crawl.progress.second_looks - kept,
            )  # fmt: skip
        self._wake()
