"""Obedience to robots.txt and its Crawl-delay, shared between the workers of a crawl."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.settings import BaseSettings
from scrapy.utils.misc import build_from_crawler

from topical_crawler import config
from topical_crawler.components import ROBOTS_AWAY, crawl_of, give_back, in_flight, let_rest, send_back
from topical_crawler.corpus.record import HostFacts
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.failures import Refused, is_no_answer, is_outage, retry_after
from topical_crawler.frontier.base import LeaseLost
from topical_crawler.items import now_utc
from topical_crawler.web import listings
from topical_crawler.web.page import Page
from topical_crawler.web.rights import FILES, MOST_FILE, FileRules, Signal, of_page, of_robots, rsl_file
from topical_crawler.web.robots import MOST_BYTES, Answer, addressed, classify, read_answer
from topical_crawler.web.urls import host, origin_of

if TYPE_CHECKING:
    from topical_crawler.frontier.redis_journal import RedisJournal

logger = logging.getLogger(__name__)

_ROBOTS_AGAIN = 600.0  # seconds before an unreachable or shared robots.txt is requested again
_CLAIM = 60  # seconds for one worker alone to request a robots.txt, before another may, should the first have died
_POLL = 0.25
_OURS = "topical_robots"
_REST = "topical_rest"
_USE = "topical_use"  # rules on use in other files of the host
_SIGNALS = "topical_signals"  # rules on use in the host's robots.txt
_SITEMAPS = "topical_sitemaps"  # sitemaps named by the host's robots.txt
_BYTES = "topical_bytes"
_BETWEEN = "\0"  # separates the files of a host shared between workers
_NO_ANSWER = "\1"  # shared in place of a robots.txt while its host rests


@dataclass(frozen=True, slots=True)
class _Rules:
    """Robots.txt of one origin. Times are seconds on the monotonic clock."""

    parser: RobotParser
    signals: tuple[Signal, ...]  # its rules on use
    sitemaps: tuple[str, ...]  # its sitemaps
    files: tuple[str, ...]  # `FILES` as received, empty if not requested
    use: FileRules | None  # rules in them
    crawl_delay: float  # seconds, 0 if absent
    delay: float  # the same, at most TOPICAL_MAX_CRAWL_DELAY
    asked: float  # time of the host's answer, -inf if another worker asked earlier
    until: float  # time of the next look at it


class RobotsMiddleware(RobotsTxtMiddleware):
    """Obedience to robots.txt with its Crawl-delay.

    All requests and workers of a crawl fetch it once for an origin (scheme and host), and again after a failed request to the
    host: a host unable to give even its robots.txt rests.

    The fetch takes the host's turn. A page following a fresh robots.txt returns to the frontier until the host's delay, now the
    Crawl-delay, is over, so it does not occupy an in-flight slot.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._seconds = config.robots_seconds(settings)
        self._longest = 0.0 if config.replay_file(settings) else config.longest_crawl_delay(settings)
        self._rules: dict[str, _Rules] = {}  # by origin, the oldest first
        self._asking: dict[str, asyncio.Task[_Rules | None]] = {}
        self._delays: dict[str, float] = {}  # of hosts with a delay of their own
        self._notes: set[asyncio.Task[None]] = set()
        self._agent = robots_agent(settings)
        self._reads_files = config.reads_rights_files(settings)
        crawler.signals.connect(self._give_back, signals.request_scheduled)
        crawler.signals.connect(self._stop_reading, signals.bytes_received)

    @property
    def _crawl(self) -> Crawl | None:
        return crawl_of(self.crawler)

    async def process_request(self, request: Request) -> Request | None:  # type: ignore[override]
        """Pass a request, refuse it (IgnoreRequest), or send it back to the frontier until its host has rested."""
        if request.meta.get(_OURS):
            if request.meta.get("redirect_times") or request.meta.get("retry_times"):
                await asyncio.sleep(self.delay(host(request.url)))
            return None
        if request.meta.get("dont_obey_robotstxt") or request.url.startswith(("data:", "file:")):
            return None
        rules = await self._rules_for(request)
        if rules is None:
            give_back(self.crawler, request)
            given_up = self._crawl.outages.given_up if self._crawl is not None else {}
            raise Refused(given_up.get(host(request.url), ROBOTS_AWAY))
        rests = self._must_rest(request, rules)
        self.process_request_2(rules.parser, request)
        if not rests:
            request.meta[_SIGNALS], request.meta[_USE] = rules.signals, rules.use
            request.meta[_SITEMAPS] = rules.sitemaps
            return None
        request.meta[_REST] = True
        return request

    def _must_rest(self, request: Request, rules: _Rules) -> bool:
        """Return True if the host answered for its robots.txt less than its delay ago. The delay then starts there."""
        page = in_flight(self.crawler, request)
        if page is None or time.monotonic() >= rules.asked + self.delay(page[1].host):
            return False
        with contextlib.suppress(LeaseLost):
            page[0].frontier.sent(page[1].key, rules.asked)
        return True

    def _give_back(self, request: Request) -> None:
        """Requeue a request bound to rest, in its old place."""
        if request.meta.pop(_REST, False):
            assert self._crawl is not None
            send_back(self._crawl, request.meta["topical"], "waits for its host's turn")

    async def _rules_for(self, request: Request) -> _Rules | None:
        """Return the rules for a request, or None if the host gave no answer and rests."""
        origin = origin_of(request.url)
        rules = self._rules.get(origin)
        if rules is not None and time.monotonic() < rules.until and not self._in_doubt(origin):
            return rules
        task = self._asking.get(origin)
        if task is None:
            task = self._asking[origin] = asyncio.create_task(self._learn(origin, request))
            task.add_done_callback(lambda _: self._asking.pop(origin))
        return await task

    def _in_doubt(self, origin: str) -> bool:
        return self._crawl is not None and self._crawl.outages.in_doubt(host(origin))

    async def _learn(self, origin: str, request: Request) -> _Rules | None:
        """Return the rules shared by another worker, or answered by the host now."""
        crawl = self._crawl
        if crawl is None or not crawl.frontier.shared:
            return await self._ask(origin, request)
        notes = cast("RedisJournal", crawl.frontier.journal)
        asked = -math.inf
        if self._in_doubt(origin):
            return await self._ask(origin, request, notes)
        while (text := notes.recall(_note(origin))) is None:
            if notes.claim(_note(origin), _CLAIM + (len(FILES) * math.ceil(self._longest) if self._reads_files else 0)):
                return await self._ask(origin, request, notes)
            await asyncio.sleep(_POLL)
            asked = time.monotonic()  # by another worker, not later than now
        if text == _NO_ANSWER:
            return None
        text, *files = text.split(_BETWEEN)
        return await self._keep({origin}, await self._addressed(text), asked, _ROBOTS_AGAIN, request, files)

    async def _ask(self, origin: str, request: Request, notes: RedisJournal | None = None) -> _Rules | None:
        """Request a robots.txt from the host.

        By RFC 9309 a missing robots.txt forbids nothing. An unavailable one, because the host fails or is unreachable, forbids
        everything: the host rests and is asked again.
        """
        robots = self._request_for(f"{origin}/robots.txt", request)
        answer, origins = Answer(), {origin}
        self._stats.inc_value("robotstxt/request_count")
        engine = self.crawler.engine
        assert engine is not None
        try:
            response = await engine.download_async(robots)
        except Exception as error:  # a host may fail in any way
            if not isinstance(error, IgnoreRequest):
                self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            known = self._crawl is not None and self._crawl.policy.has_answered(host(origin))
            if is_no_answer(error, known):
                reached = not is_outage(error, known)
                return self._no_answer(origin, f"{robots.url} cannot be had: {error}", notes, reached=reached)
            # A refused address or a name that does not exist: its pages have their own reasons.
        else:
            self._stats.inc_value("robotstxt/response_count")
            self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
            if (read := read_answer(response.status, response.body)) is None:
                why = f"{robots.url} cannot be had: HTTP {response.status}"
                return self._no_answer(origin, why, notes, retry_after(response))
            answer = read
            if urlsplit(response.url).path == "/robots.txt":
                origins.add(origin_of(response.url))  # a redirect to https or www.: the rules of that origin are known, too
            if self._crawl is not None and self._crawl.outages.answered(host(origin)):
                self._delays.pop(host(origin), None)
                self._crawl.frontier.set_delay(host(origin), self._default_delay)
        asked = time.monotonic()
        text = await self._addressed(answer.text)
        rules = await self._keep(origins, text, asked, self._seconds if answer.lasts else _ROBOTS_AGAIN, request)
        note = answer.note or classify(text, lambda path: rules.parser.allowed(origin + path, self._agent))
        for name in {host(name) for name in origins}:
            self._note_down(HostFacts(name, note, rules.crawl_delay, now_utc()))
        if notes is not None:
            shared, seconds = _BETWEEN.join((answer.text, *rules.files)), math.ceil(max(rules.until - asked, _CLAIM))
            for name in origins:
                notes.remember(_note(name), shared, seconds)
        return rules

    def _request_for(self, url: str, request: Request) -> Request:
        """Build the request for a file of the host of ``request``, in its download slot."""
        meta = {"dont_obey_robotstxt": True, _OURS: True, "dont_retry": True, "download_maxsize": 0}
        meta["download_fail_on_dataloss"] = True  # half of it may forbid too little
        if "download_slot" in request.meta:
            meta["download_slot"] = request.meta["download_slot"]
        return Request(url, priority=self.DOWNLOAD_PRIORITY, meta=meta, callback=NO_CALLBACK)

    async def _ask_files(self, parser: RobotParser, text: str, delay: float, request: Request) -> list[str]:
        """Request the :data:`FILES` of a host and the RSL licence named by its robots.txt, each after ``delay`` seconds.

        Missing, unavailable and forbidden files are "". They are optional: no host rests for them.
        """
        engine = self.crawler.engine
        assert engine is not None
        texts = []
        for path in (*FILES, *rsl_file(text, origin_of(request.url))):
            text = ""
            if parser.allowed(url := f"{origin_of(request.url)}{path}", self._agent):
                await asyncio.sleep(delay)
                with contextlib.suppress(Exception):  # a host may fail in any way
                    response = await engine.download_async(self._request_for(url, request))
                    if response.status == HTTPStatus.OK:
                        text = (
                            response.body[: 4 * MOST_FILE].decode("utf-8-sig", errors="ignore").replace(_BETWEEN, "")[:MOST_FILE]
                        )
            texts.append(text)
        return texts

    def _no_answer(
        self, origin: str, why: str, notes: RedisJournal | None, asked: float = 0.0, reached: bool = True
    ) -> _Rules | None:
        name = host(origin)
        self._note_down(HostFacts(name, "unreachable", 0.0, now_utc()))
        if self._crawl is None:
            logger.info("%s; nothing of it is fetched", why)
            return None
        seconds = let_rest(self._crawl, name, why, asked, reached)
        if notes is not None and seconds:
            notes.remember(_note(origin), _NO_ANSWER, seconds)
        return None

    def _stop_reading(self, data: bytes, request: Request, spider: object) -> None:
        """Stop reading a robots.txt beyond the size limit."""
        if request.meta.get(_OURS):
            request.meta[_BYTES] = request.meta.get(_BYTES, 0) + len(data)
            if request.meta[_BYTES] > MOST_BYTES:
                raise StopDownload(fail=False)

    async def _addressed(self, text: str) -> str:
        return await asyncio.to_thread(addressed, text, self._agent)

    async def _keep(
        self, origins: set[str], text: str, asked: float, seconds: float, request: Request, files: Sequence[str] | None = None
    ) -> _Rules:
        """Parse the rules for this crawler, send ``robots_parsed``, and keep them for ``seconds``.

        They are kept at least longer than a waiting page rests. Without ``files``, those of the host are requested, if enabled.
        """
        parser = await asyncio.to_thread(build_from_crawler, self._parserimpl, self.crawler, text.encode())
        await self.crawler.signals.send_catch_log_async(signal=signals.robots_parsed, robotparser=parser, request=request)
        crawl_delay = max(0.0, float(parser.crawl_delay(self._agent) or 0.0))
        delay = min(crawl_delay, self._longest)
        if self._reads_files and files is None:
            files = await self._ask_files(parser, text, max(delay, self._default_delay), request)
            asked = time.monotonic()
        now = time.monotonic()
        until = now + max(seconds, 10 * max(delay, self._default_delay))
        rights = of_robots(text), listings.of_robots(text), tuple(files or ())
        rules = _Rules(parser, *rights, FileRules(files) if files else None, crawl_delay, delay, asked, until)
        for origin in origins:
            self._rules.pop(origin, None)
            self._rules[origin] = rules
            self._slow_down(host(origin))
        while (oldest := next(iter(self._rules))) not in origins and self._rules[oldest].until <= now:
            del self._rules[oldest]
        return rules

    def _note_down(self, facts: HostFacts) -> None:
        """Write facts to the corpus in a thread, best effort: a busy database does not block the crawl."""

        async def note(store: CorpusStore) -> None:
            try:
                await asyncio.to_thread(store.note_host, facts)
            except Exception as error:
                logger.info("A robots.txt could not be noted in the corpus: %s", error)

        if self._crawl is not None:
            task = asyncio.create_task(note(self._crawl.store))
            self._notes.add(task)
            task.add_done_callback(self._notes.discard)

    @property
    def _default_delay(self) -> float:
        return self._crawl.options.delay if self._crawl is not None else 0.0

    def delay(self, name: str) -> float:
        """Return the seconds between two requests to a host."""
        return self._delays.get(name, self._default_delay)

    def _slow_down(self, name: str) -> None:
        """Apply the Crawl-delay, the longer one of http and https. Scrapy reads it but does not obey it."""
        known = (self._rules.get(f"{scheme}://{name}") for scheme in ("http", "https"))
        delay = max([self._default_delay, *(rules.delay for rules in known if rules is not None)])
        if self._crawl is not None and delay != self.delay(name):
            self._delays[name] = delay
            self._crawl.frontier.set_delay(name, delay)


def robots_agent(settings: BaseSettings) -> str:
    """Return the user agent for looking up rules."""
    return str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])


def _note(origin: str) -> str:
    """Return the key for sharing the robots.txt of an origin between workers."""
    return f"robots:{origin}"


def rights_of(page: Page, response: Response | None, agent: str) -> str:
    """Return the reservations of a page, its headers and its host's files, by :func:`topical_crawler.web.rights.of_page`."""
    parts = urlsplit(page.url)
    path = f"{parts.path or '/'}{parts.query and '?'}{parts.query}"
    if response is None:
        return of_page(page.wishes, [], (), path, agent)
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, values in response.headers.items() for value in values]
    use: FileRules | None = response.meta.get(_USE)
    wishes = page.wishes | use.of_url(page.url, agent) if use is not None else page.wishes
    return of_page(wishes, headers, response.meta.get(_SIGNALS, ()), path, agent)


def sitemaps_of(response: Response | None) -> tuple[str, ...]:
    """Return the sitemaps named by the robots.txt of a page's host."""
    return response.meta.get(_SITEMAPS, ()) if response is not None else ()
