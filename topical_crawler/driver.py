"""Keeps a crawl going: has Scrapy's engine ask for the next request, looks at pages again, ends the crawl."""

from __future__ import annotations

import asyncio
import logging
import time

from scrapy import Request
from scrapy.core.engine import ExecutionEngine, _Slot
from scrapy.crawler import Crawler

from topical_crawler.components import crawl_of, storing
from topical_crawler.crawl.crawl import STORAGE_ERRORS, Crawl
from topical_crawler.crawl.second_look import AsideError
from topical_crawler.outcomes import Outcomes

logger = logging.getLogger(__name__)

STOPPED = "stopped"  # why a crawl ends that was told to stop
STORAGE_FAILED = "storage failed"  # why a crawl ends that cannot write any more (a full disk, a database that is gone)
TICK = 1.0  # seconds between two looks at orders, and at what other workers have done
SHARED_POLL = 0.25  # seconds after which a worker with nothing to fetch looks again: others push, and their leases run out
SLOW = 5.0  # seconds after which a request in flight leaves its place to another
TURN = 0.05  # seconds for which texts are cleaned at the end before the event loop has its turn


class Driver:
    """Drives Scrapy's engine for a crawl. Scrapy asks an empty-handed scheduler again after 5 seconds only."""

    def __init__(self, crawler: Crawler, outcomes: Outcomes) -> None:
        self._crawler = crawler
        self._outcomes = outcomes
        self._nudge: asyncio.TimerHandle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._since: dict[Request, float] = {}  # when each request in flight was first seen
        self._slow = 0  # of them, as many as leave their places to others

    def start(self) -> None:
        """Begin to obey orders."""
        crawl = crawl_of(self._crawler)
        assert crawl is not None
        self._crawl: Crawl = crawl
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)

    def may_fetch(self) -> bool:
        """Whether a further request may go out now. Begins the second look that is due: nothing is fetched meanwhile, so that
        what a crawl keeps does not hang on who is faster."""
        crawl = self._crawl
        if self._is_ending() or self._looking is not None or crawl.is_over:
            return False
        if crawl.second_look.is_due(crawl.log.finished):
            self._look_again()
            return False
        return len(crawl.in_flight) < crawl.options.in_flight + self._slow

    def wait(self) -> None:
        """Have the engine ask again when a host's turn comes, since nothing can be fetched now."""
        crawl = self._crawl
        if crawl.is_looking:
            self._wake_in(0.0)
            return
        if crawl.rests and self._looks_at_end():
            return
        seconds = crawl.frontier.next(time.monotonic()).wait
        if seconds is not None and crawl.refresh.active:
            seconds = max(seconds, SHARED_POLL)  # what has its turn may wait for the next ordinary run
        if seconds is not None and crawl.outages.away:
            seconds = max(seconds, crawl.outages.pause)
        self._wake_in(min(SHARED_POLL, seconds or SHARED_POLL) if crawl.frontier.shared else seconds)

    def goes_on(self) -> bool:
        """Whether there is, or may come, something to do. Begins the second look that is due at the end."""
        if self._is_ending():
            return False
        self._outcomes.finish_lost()
        with storing(self._crawl):
            return self._looking is not None or self._crawl.has_more or self._looks_at_end()
        return False

    async def close(self) -> None:
        """Clean the texts once more, in turns with the event loop, and close the crawl. Meanwhile the display goes on, and a
        second Ctrl-C ends the crawl at once."""
        for timer in (self._nudge, self._timer):
            if timer is not None:
                timer.cancel()
        turn = time.monotonic()
        try:
            for _ in self._crawl.cleaning():
                if time.monotonic() - turn > TURN:
                    await asyncio.sleep(0)
                    turn = time.monotonic()
        except STORAGE_ERRORS as error:  # what was cleaned is stored
            logger.error("Texts are not all cleaned, nor taken back where they are off topic: %s", error)
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
        except ValueError as error:  # a seed or an order that cannot be used
            logger.error("%s", error)
        except Exception:  # the next tick must come: without it no order to stop is obeyed
            logger.exception("Orders and news of other workers could not be read; the next try is in a second")
        if not self._is_ending():
            self._wake()  # there may be seeds, or no pause any more
            self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)

    def _make_room(self) -> None:
        """Let others go out beside requests that take long, at most as many again: slow hosts would hold all places."""
        if (engine := self._crawler.engine) is None or (places := self._crawl.options.in_flight) == 1:
            return
        now, downloader = time.monotonic(), engine.downloader
        self._since = {request: self._since.get(request, now) for request in downloader.active}
        self._slow = min(places, sum(now - since > SLOW for since in self._since.values()))
        downloader.total_concurrency = places + self._slow

    def _is_ending(self) -> bool:
        """Whether the crawl ends; begins to end one that cannot go on."""
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
        slot = engine._slot if engine is not None else None  # the engine has no public way to be asked
        if slot is not None and slot.closing is None:
            slot.nextcall.schedule()

    # -- Second looks

    def _looks_at_end(self) -> bool:
        """Begin the second look that is due at the end; whether there is one."""
        if self._crawl.control.stopping or not self._crawl.second_look.is_due_at_end(self._crawl.log.finished):
            return False
        self._look_again()
        return True

    def _look_again(self) -> None:
        engine = self._crawler.engine
        assert engine is not None and engine._slot is not None
        self._crawl.control.learn_marks(self._crawl.log.finished)
        # The engine closes the pipelines when no request is in progress, and does not wait for an item that came without one.
        stands_for_it = Request("data:,second-look")
        engine._slot.add_request(stands_for_it)
        self._looking = asyncio.get_running_loop().create_task(self._second_look(engine, engine._slot, stands_for_it))

    async def _second_look(self, engine: ExecutionEngine, slot: _Slot, stands_for_it: Request) -> None:
        """Send the pages that were set aside and are on topic by what is known now through the item pipelines, one by one."""
        crawl = self._crawl
        finished, kept, pages = crawl.log.finished, crawl.progress.second_looks, 0
        try:
            for item in crawl.second_look.items():
                if slot.closing is None and not self._is_ending():
                    await engine.scraper.start_itemproc_async(item, response=None)
                    if not self._is_ending() and item.stored is None:  # or it would be looked at again and again
                        self._outcomes.finish_unreturned(item)
                    pages += 1
                if slot.closing is not None or self._is_ending():
                    return  # the rest is looked at when the crawl goes on
            crawl.second_look.looked(finished)
        except AsideError as error:
            crawl.second_look.do_without(error)
        except STORAGE_ERRORS as error:
            crawl.fail(error)
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
