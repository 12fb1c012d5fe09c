"""Middlewares: the archive of all exchanges, robots.txt with its Crawl-delay, and the judgement of pages and links."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotConfigured,
    StopDownload,
)
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.settings import BaseSettings
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.misc import build_from_crawler

from topical_crawler import __version__, config
from topical_crawler.corpus.record import HostFacts, Robots
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.link_policy import evidence_of
from topical_crawler.downloadhandlers import HEAD_TOO_LARGE, NOT_RECORDED, NameServerAway, Refused, SentBack
from topical_crawler.extraction.documents import OLD_WORD, as_html, format_of
from topical_crawler.extraction.pool import DocumentPool
from topical_crawler.frontier import HOST_AWAY, Entry, LeaseLost
from topical_crawler.items import LEFT, PageItem, now_utc
from topical_crawler.recordings.writer import Archive, ArchiveError, Message
from topical_crawler.spiders.topical import DOCUMENT_SIZE, TOO_MANY_REDIRECTS, CrawlComponent, crawl_of, failure_reason
from topical_crawler.strategies import BELOW_THRESHOLD, OFF_TOPIC
from topical_crawler.web import listings
from topical_crawler.web.listings import SITEMAP, Listing, said
from topical_crawler.web.page import Page, Verdict
from topical_crawler.web.rights import FILES, MOST_FILE, NOFOLLOW, FileRules, Signal, of_page, of_robots
from topical_crawler.web.urls import fingerprint, host, origin_of

if TYPE_CHECKING:
    from topical_crawler.frontier.redis import RedisFrontier

logger = logging.getLogger(__name__)

ARCHIVE_FAILED = "archive failed"  # why a crawl ends whose archive cannot be written
TOO_MANY = "too many links on a page"  # counted of links that are not read
_SECRETS = frozenset((b"authorization", b"proxy-authorization", b"cookie"))


class ArchiveMiddleware(CrawlComponent):
    """Archives every exchange as it went over the wire (``TOPICAL_ARCHIVE``).

    Next to the downloader (order 1000) requests have all their headers, and answers are not yet decompressed, redirected or
    refused. If the archive cannot be written the crawl ends; the page whose answer is not archived waits again.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if config.archive_folder(crawler.settings, "") is None:
            raise NotConfigured
        self._archive: Archive | None = None
        self._unopened: ArchiveError | None = None
        self._ending: asyncio.Task[None] | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    def opened(self, spider: object) -> None:
        crawl, settings = crawl_of(self._crawler), self._crawler.settings
        if crawl is None:
            return
        folder = config.archive_folder(settings, crawl.topic.name)
        assert folder is not None
        about = {
            "software": f"topical_crawler/{__version__}",
            "isPartOf": crawl.options.name,
            "description": f"crawl of the topic {crawl.topic.name} ({crawl.topic.title})",
            "robots": "classic" if settings.getbool("ROBOTSTXT_OBEY") else "ignore",
            "http-header-user-agent": settings.get("USER_AGENT") or "",
        }
        worker = crawl.options.worker if crawl.frontier.shared else ""
        try:
            self._archive = Archive(folder, crawl.options.name, about, worker, config.archive_megabytes(settings))
        except ArchiveError as error:
            self._unopened = error  # reported with the first request: the engine cannot end before it has begun

    def process_request(self, request: Request) -> None:
        """Fetch nothing more once the archive has failed."""
        if self._unopened is not None and self._ending is None:
            self._give_up(self._unopened)
        if self._ending is not None:
            self._give_back(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Archive an exchange; an answer that cannot be archived does not pass."""
        if self._archive is not None and self._ending is None and NOT_RECORDED not in response.flags:
            # The date is that of the request.
            date = datetime.now(UTC) - timedelta(seconds=float(request.meta.get("download_latency") or 0.0))
            address = str(response.ip_address or "")
            try:
                self._archive.add(request.url, _request(request), _response(response), date, address)
            except ArchiveError as error:
                self._give_up(error)
        if self._ending is not None:
            self._give_back(request)
        return response

    def closed(self, spider: object) -> None:
        try:
            if self._archive is not None:
                self._archive.close()
        except ArchiveError as error:
            logger.error("%s", error)

    def _give_back(self, request: Request) -> None:
        """Have a page wait in the frontier again. A robots.txt, which every run fetches anew, passes: its rules apply."""
        crawl, entry = crawl_of(self._crawler), request.meta.get("topical")
        if crawl is not None and isinstance(entry, Entry) and entry.key in crawl.in_flight:
            crawl.retry(entry, entry.url, entry.meta)
            raise SentBack("the archive cannot be written")

    def _give_up(self, error: ArchiveError) -> None:
        logger.critical("The crawl ends and can be resumed, because what it fetched could not be archived: %s", error)
        crawl, engine = crawl_of(self._crawler), self._crawler.engine
        assert crawl is not None and engine is not None
        crawl.failed = str(error)
        self._ending = asyncio.get_running_loop().create_task(engine.close_spider_async(reason=ARCHIVE_FAILED))


def _request(request: Request) -> Message:
    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = [] if b"Host" in request.headers else [("Host", parts.netloc.rpartition("@")[2].encode("latin-1", "replace"))]
    for name, value in _pairs(request.headers):
        headers.append((name, b"***" if name.lower().encode("latin-1") in _SECRETS else value))
    return Message(f"{request.method} {target} HTTP/1.1", tuple(headers), request.body)


def _response(response: Response) -> Message:
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:  # a status without a standard phrase
        phrase = ""
    # The downloader has joined the chunks that this header would announce.
    headers = ((name, value) for name, value in _pairs(response.headers) if name.lower() != "transfer-encoding")
    protocol = response.protocol if (response.protocol or "").startswith("HTTP/1") else "HTTP/1.1"
    return Message(f"{protocol} {response.status} {phrase}".rstrip(), tuple(headers), response.body)


def _pairs(headers: Headers) -> list[tuple[str, bytes]]:
    return [(name.decode("latin-1"), value) for name, values in headers.items() for value in values]


# -- robots.txt

_ROBOTS_AGAIN = 600.0  # seconds after which an unreachable or a shared robots.txt is asked for again
_ROBOTS_BYTES = 512 * 1024  # size up to which a robots.txt is read; RFC 9309 demands at least 500 KiB
_CLAIM = 60  # seconds in which only one worker may ask a host for its robots.txt; then another one may, should it have died
_POLL = 0.25
_OURS = "topical_robots"
_DISALLOW = re.compile(r"[ \t]*disallow[ \t]*:([^#]*)", re.IGNORECASE)
_REST = "topical_rest"
_USE = "topical_use"  # what other files of the host say about use
_SIGNALS = "topical_signals"  # what the host's robots.txt says about use
_SITEMAPS = "topical_sitemaps"  # that the host's robots.txt names
_BYTES = "topical_bytes"
_BETWEEN = "\0"  # stands between the files of a host that workers share
_NO_ANSWER = "\1"  # noted in place of a robots.txt while its host rests
ROBOTS_AWAY = "robots.txt cannot be had"  # the reason of a page whose host is given up


@dataclass(frozen=True, slots=True)
class _Rules:
    """The robots.txt of one origin. Times are seconds on the monotonic clock."""

    parser: RobotParser
    signals: tuple[Signal, ...]  # what it says about use
    sitemaps: tuple[str, ...]  # that it names
    files: tuple[str, ...]  # of `FILES`, as they came; empty where they are not asked for
    use: FileRules | None  # what they say
    crawl_delay: float  # seconds; 0 where it names none
    delay: float  # the same, at most TOPICAL_MAX_CRAWL_DELAY
    asked: float  # when the host answered; -inf where another worker asked earlier
    until: float  # when to look at it again


class RobotsMiddleware(RobotsTxtMiddleware):
    """Obeys robots.txt with its Crawl-delay. All requests and workers of a crawl fetch it once for an origin (scheme and host),
    and again after a request to the host has failed: a host that does not even give its robots.txt rests.

    The fetch takes the host's turn: a page whose robots.txt has only just been fetched goes back to the frontier until the host's
    delay, now the Crawl-delay, is over. Meanwhile it takes no place among the requests in flight.
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
        self._agent = _robots_agent(settings)
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
            give_back(self._crawl, request)
            raise Refused(self._crawl.given_up.get(host(request.url), ROBOTS_AWAY) if self._crawl is not None else ROBOTS_AWAY)
        rests = self._must_rest(request, rules)
        self.process_request_2(rules.parser, request)
        if not rests:
            request.meta[_SIGNALS], request.meta[_USE] = rules.signals, rules.use
            request.meta[_SITEMAPS] = rules.sitemaps
            return None
        request.meta[_REST] = True
        return request

    def _must_rest(self, request: Request, rules: _Rules) -> bool:
        """Whether the host was asked for its robots.txt less than its delay ago; the delay then starts there."""
        crawl, entry = self._crawl, request.meta.get("topical")
        if crawl is None or not isinstance(entry, Entry) or entry.key not in crawl.in_flight:
            return False
        if time.monotonic() >= rules.asked + self.delay(entry.host):
            return False
        with contextlib.suppress(LeaseLost):
            crawl.frontier.sent(entry.key, rules.asked)
        return True

    def _give_back(self, request: Request) -> None:
        """Have a request that must rest wait in the frontier again, in its old place."""
        if request.meta.pop(_REST, False):
            entry, crawl = request.meta["topical"], self._crawl
            assert crawl is not None
            crawl.retry(entry, entry.url, entry.meta)
            raise SentBack("waits for its host's turn")

    async def _rules_for(self, request: Request) -> _Rules | None:
        """None where the host could not be asked, and rests."""
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
        """The rules as another worker shares them, or as the host answers now."""
        crawl = self._crawl
        if crawl is None or not crawl.frontier.shared:
            return await self._ask(origin, request)
        notes = cast("RedisFrontier", crawl.frontier)
        asked = -math.inf
        if self._in_doubt(origin):
            return await self._ask(origin, request, notes)
        while (text := notes.recall(_note(origin))) is None:
            if notes.claim(_note(origin), _CLAIM + (len(FILES) * math.ceil(self._longest) if self._reads_files else 0)):
                return await self._ask(origin, request, notes)
            await asyncio.sleep(_POLL)
            asked = time.monotonic()  # by another worker, and not later than now
        if text == _NO_ANSWER:
            return None
        text, *files = text.split(_BETWEEN)
        return await self._keep({origin}, text, asked, _ROBOTS_AGAIN, request, files)

    async def _ask(self, origin: str, request: Request, notes: RedisFrontier | None = None) -> _Rules | None:
        """Ask the host. After RFC 9309 a robots.txt that does not exist forbids nothing; one that cannot be had, because the host
        fails or cannot be reached, forbids everything: the host rests and is asked again."""
        robots = self._request_for(f"{origin}/robots.txt", request)
        text, seconds, origins = "", _ROBOTS_AGAIN, {origin}
        facts: Robots | None = "unreachable"
        self._stats.inc_value("robotstxt/request_count")
        engine = self.crawler.engine
        assert engine is not None
        try:
            response = await engine.download_async(robots)
        except Exception as error:  # a host may fail in any way
            if not isinstance(error, IgnoreRequest):
                self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            known = self._crawl is not None and self._crawl.policy.has_answered(host(origin))
            if _is_no_answer(error, known):
                reached = not is_outage(error, known)
                return self._no_answer(origin, f"{robots.url} cannot be had: {error}", notes, reached=reached)
            # An address that is refused, a name that does not exist: its pages have their own reasons.
        else:
            self._stats.inc_value("robotstxt/response_count")
            self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
            if response.status >= 500 or response.status == HTTPStatus.TOO_MANY_REQUESTS:
                return self._no_answer(
                    origin, f"{robots.url} cannot be had: HTTP {response.status}", notes, retry_after(response)
                )
            if 200 <= response.status < 300:
                body, facts = response.body, None
                if len(body) > _ROBOTS_BYTES:  # as many whole lines as fit
                    body = body[:_ROBOTS_BYTES].rpartition(b"\n")[0]
                text = body.decode("utf-8-sig", errors="ignore").replace(_BETWEEN, "")
            elif 400 <= response.status < 500:
                facts = "none"
            if 200 <= response.status < 300 or response.status in (404, 410):
                seconds = self._seconds
            if urlsplit(response.url).path == "/robots.txt":
                origins.add(origin_of(response.url))  # a redirect to https or www.: that origin's rules are known too
            if self._crawl is not None and self._crawl.outages.answered(host(origin)):
                self._delays.pop(host(origin), None)
                self._crawl.frontier.set_delay(host(origin), self._default_delay)
        asked = time.monotonic()
        rules = await self._keep(origins, text, asked, seconds, request)
        facts = facts or classify_robots(text, lambda path: rules.parser.allowed(origin + path, self._agent))
        for name in {host(name) for name in origins}:
            self._note_down(HostFacts(name, facts, rules.crawl_delay, now_utc()))
        if notes is not None:
            for name in origins:
                notes.remember(_note(name), _BETWEEN.join((text, *rules.files)), math.ceil(max(rules.until - asked, _CLAIM)))
        return rules

    def _request_for(self, url: str, request: Request) -> Request:
        """The request for a file of the host of ``request``, in its place."""
        meta = {"dont_obey_robotstxt": True, _OURS: True, "dont_retry": True, "download_maxsize": 0}
        if "download_slot" in request.meta:
            meta["download_slot"] = request.meta["download_slot"]
        return Request(url, priority=self.DOWNLOAD_PRIORITY, meta=meta, callback=NO_CALLBACK)

    async def _ask_files(self, parser: RobotParser, delay: float, request: Request) -> list[str]:
        """The :data:`FILES` of a host, each a ``delay`` after what was asked for before; "" for one that the host has not, does
        not give, or closes by its robots.txt. They may be missing: no host rests for them."""
        engine = self.crawler.engine
        assert engine is not None
        texts = []
        for path in FILES:
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
        self, origin: str, why: str, notes: RedisFrontier | None, asked: float = 0.0, reached: bool = True
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
        """Read no more of a robots.txt than counts."""
        if request.meta.get(_OURS):
            request.meta[_BYTES] = request.meta.get(_BYTES, 0) + len(data)
            if request.meta[_BYTES] > _ROBOTS_BYTES:
                raise StopDownload(fail=False)

    async def _keep(
        self, origins: set[str], text: str, asked: float, seconds: float, request: Request, files: Sequence[str] | None = None
    ) -> _Rules:
        """Parse a robots.txt, send ``robots_parsed``, and keep it for ``seconds``, longer than a waiting page has to rest.
        Without ``files``, those of the host are asked for, where that is wanted."""
        parser = build_from_crawler(self._parserimpl, self.crawler, text.encode())
        await self.crawler.signals.send_catch_log_async(signal=signals.robots_parsed, robotparser=parser, request=request)
        crawl_delay = max(0.0, float(parser.crawl_delay(self._agent) or 0.0))
        delay = min(crawl_delay, self._longest)
        if self._reads_files and files is None:
            files = await self._ask_files(parser, max(delay, self._default_delay), request)
            asked = time.monotonic()
        now = time.monotonic()
        until = now + max(seconds, 10 * max(delay, self._default_delay))
        said = of_robots(text, self._agent), listings.of_robots(text), tuple(files or ())
        rules = _Rules(parser, *said, FileRules(files) if files else None, crawl_delay, delay, asked, until)
        for origin in origins:
            self._rules.pop(origin, None)
            self._rules[origin] = rules
            self._slow_down(host(origin))
        while (oldest := next(iter(self._rules))) not in origins and self._rules[oldest].until <= now:
            del self._rules[oldest]
        return rules

    def _note_down(self, facts: HostFacts) -> None:
        """Write to the corpus in a thread: a database that is busy does not hold up the crawl."""
        crawl = self._crawl
        if crawl is not None:
            task = asyncio.create_task(asyncio.to_thread(crawl.store.note_host, facts))
            self._notes.add(task)
            task.add_done_callback(self._noted)

    def _noted(self, task: asyncio.Task[None]) -> None:
        self._notes.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:  # the crawl does without
            logger.info("A robots.txt could not be noted in the corpus: %s", error)

    @property
    def _default_delay(self) -> float:
        return self._crawl.options.delay if self._crawl is not None else 0.0

    def delay(self, name: str) -> float:
        """Seconds between two requests of a host."""
        return self._delays.get(name, self._default_delay)

    def _slow_down(self, name: str) -> None:
        """Apply the Crawl-delay, the longer one where http and https differ. Scrapy reads it but does not obey it."""
        known = (self._rules.get(f"{scheme}://{name}") for scheme in ("http", "https"))
        delay = max([self._default_delay, *(rules.delay for rules in known if rules is not None)])
        if self._crawl is not None and delay != self.delay(name):
            self._delays[name] = delay
            self._crawl.frontier.set_delay(name, delay)


# -- Hosts that rest

_DOUBTED, _SENT_BACK = "topical_doubted", "topical_sent_back"  # also in scheduler._KEPT_META
_MOST_SENT_BACK = 6  # refusals of one page that do not count as tries of it: an hour of rests, each twice as long
_BUSY = frozenset((HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE))


class RestMiddleware(CrawlComponent):
    """Sends a page back to the frontier, without losing a try, whose host asks for patience (429 or 503, with or without
    Retry-After) or may be away: then the host's robots.txt is asked for before any further page, and the host rests unless it
    gives it. A page that fails again though its host answers loses tries like any other. Stands within Scrapy's own retries.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if config.replay_file(crawler.settings) or not config.rest_seconds(crawler.settings):
            raise NotConfigured

    def process_response(self, request: Request, response: Response) -> Response:
        crawl, entry = crawl_of(self._crawler), request.meta.get("topical")
        if crawl is None or not isinstance(entry, Entry) or entry.key not in crawl.in_flight:
            return response
        if response.status not in _BUSY:
            crawl.outages.answered(entry.host)
            return response
        times = entry.meta.get(_SENT_BACK, 0)
        if times >= _MOST_SENT_BACK:
            return response
        crawl.outages.doubt(entry.host)  # whose answer ends the rest
        if let_rest(crawl, entry.host, f"{request.url} answers HTTP {response.status}", retry_after(response)) is None:
            return response
        give_back(crawl, request, **{_SENT_BACK: times + 1})
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        crawl, entry = crawl_of(self._crawler), request.meta.get("topical")
        if crawl is None or not isinstance(entry, Entry) or entry.key not in crawl.in_flight:
            return
        if not is_outage(exception, crawl.policy.has_answered(entry.host)):
            return
        crawl.outages.doubt(entry.host)
        if not entry.meta.get(_DOUBTED):
            give_back(crawl, request, **{_DOUBTED: True})


def _is_no_answer(error: Exception, known: bool) -> bool:
    """Whether an error leaves open what a robots.txt forbids: an outage, redirects without end, an answer that cannot be read."""
    if isinstance(error, IgnoreRequest):
        return str(error) == HEAD_TOO_LARGE or failure_reason(error) == TOO_MANY_REDIRECTS
    return not isinstance(error, CannotResolveHostError) or is_outage(error, known)


def is_outage(error: Exception, known: bool) -> bool:
    """Whether an error of a request may be an outage of its host or of the network. A name that does not exist is none, unless
    the host is ``known``: it has answered in this crawl."""
    if isinstance(error, CannotResolveHostError):
        return known or isinstance(error, NameServerAway)
    return isinstance(error, DownloadTimeoutError | DownloadConnectionRefusedError | DownloadFailedError | OSError)


def retry_after(response: Response) -> float:
    """Seconds that an answer asks to wait, by number or date (RFC 9110, 10.2.3); 0 where it asks for none.

    >>> retry_after(Response("http://a.cn/", 429, {"Retry-After": "120"}))
    120.0
    """
    value = (response.headers.get(b"Retry-After") or b"").decode("latin-1").strip()
    if value.isdecimal() and value.isascii():
        return float(value[:9])
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def give_back(crawl: Crawl | None, request: Request, **meta: Any) -> None:
    """Have the page of a request wait in the frontier again, in its place, with what it is to remember. Raises SentBack then;
    where the request is none of a page in flight, or its host was given up, nothing happens."""
    entry = request.meta.get("topical")
    if crawl is not None and isinstance(entry, Entry) and entry.key in crawl.in_flight and entry.host not in crawl.given_up:
        with contextlib.suppress(LeaseLost):
            crawl.frontier.sent(entry.key, time.monotonic())  # the host's rest begins now
        crawl.retry(entry, request.url, {**entry.meta, **meta})
        raise SentBack("waits until its host has rested")


def let_rest(crawl: Crawl, name: str, why: str, asked: float = 0.0, reached: bool = True) -> float | None:
    """Have a host rest, for every worker of the crawl; returns for how many seconds. None where it has rested so often that it is
    given up: its waiting links are dropped."""
    if not reached and crawl.outages.unreached(name):
        logger.warning("The network seems to be away (%s). The crawl waits until a host answers, and loses nothing", why)
    seconds = crawl.outages.next(name, crawl.policy.has_answered(name), asked)
    if seconds is None:
        crawl.given_up[name] = ROBOTS_AWAY if reached else HOST_AWAY
        links = crawl.frontier.discard(HOST_AWAY, host=name)
        crawl.progress.links[HOST_AWAY] += links
        logger.warning("%s; it has rested too often and is given up, with %d links", why, links)
        return None
    crawl.frontier.set_delay(name, max(seconds, crawl.options.delay))
    if not crawl.outages.away:
        logger.info("%s; %s rests for %.3g s", why, name, seconds)
    return seconds


def classify_robots(text: str, allows: Callable[[str], bool]) -> Robots:
    """Whether the robots.txt ``text`` restricts a crawler: its parser ``allows`` not all paths that a Disallow names.

    >>> classify_robots("User-agent: *\\nDisallow: /内部/", lambda path: path != "/内部/")
    'restricts'
    >>> classify_robots("User-agent: *\\nDisallow:", lambda path: False)
    'allows all'
    """
    paths = (match[1].strip() for line in text.splitlines() if (match := _DISALLOW.match(line)))
    return "restricts" if any(path and not allows("/" + path.lstrip("/").rstrip("$")) for path in paths) else "allows all"


def _robots_agent(settings: BaseSettings) -> str:
    """The name under which rules are looked up."""
    return str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])


def _note(origin: str) -> str:
    """The name under which workers share the robots.txt of an origin."""
    return f"robots:{origin}"


# -- the strategy judges pages and scores links


class RelevanceMiddleware(BaseSpiderMiddleware):
    """Judges the page of every item and turns its links into entries for the frontier (Figure 1 of Zhou et al. 2019)."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._agent = _robots_agent(crawler.settings)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        crawl = crawl_of(self.crawler)
        if crawl is not None and isinstance(item, PageItem) and item.page is not None:
            item.rights = self._rights(item.page, response)
            item.sitemaps = response.meta.get(_SITEMAPS, ()) if response is not None else ()
            judge(crawl, item)
        elif crawl is not None and isinstance(item, PageItem) and item.listing is not None:
            read_listing(crawl, item, item.listing)
        return item

    def _rights(self, page: Page, response: Response | None) -> str:
        parts = urlsplit(page.url)
        headers = [(name, value.decode("latin-1")) for name, value in _pairs(response.headers)] if response is not None else []
        signals = response.meta.get(_SIGNALS, ()) if response is not None else ()
        path = f"{parts.path or '/'}{parts.query and '?'}{parts.query}"
        use: FileRules | None = response.meta.get(_USE) if response is not None else None
        wishes = page.wishes | use.of_url(page.url, self._agent) if use is not None else page.wishes
        return of_page(wishes, headers, signals, path, self._agent)

    async def process_spider_output_async(
        self, response: Response | None, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        """Finish a page of which a user's own spider makes no item: else its entry would stay in flight and hold up its host."""
        has_item = False
        async for output in super().process_spider_output_async(response, result):
            has_item = has_item or isinstance(output, PageItem)
            yield output
        entry = response.meta.get("topical") if response is not None else None
        if not has_item and response is not None and isinstance(entry, Entry):
            yield PageItem(entry, response.url, now_utc(), response.status, len(response.body), reason="no item")


def judge(crawl: Crawl, item: PageItem) -> None:
    """Judge an item's page, have the strategy learn from it, and score its links."""
    assert item.page is not None
    strategy, page, entry = crawl.strategy, item.page, item.entry
    item.verdict = verdict = strategy.judge(page, entry.evidence)
    if not verdict.keep and item.article:
        item.verdict = verdict = dataclasses.replace(verdict, keep=True)
        item.as_part = True
    if not verdict.keep:
        item.reason = OFF_TOPIC
    crawl.catch_up()  # links are scored by what all workers have learned
    if entry.evidence:
        item.reasons = dict(strategy.explain(entry.candidate()))
    strategy.learn(entry.url, verdict)
    closed = NOFOLLOW if crawl.options.obey_nofollow and NOFOLLOW in item.rights else None
    item.links = _score(crawl, page, entry, verdict, closed, crawl.options.max_links)


def read_listing(crawl: Crawl, item: PageItem, listing: Listing) -> None:
    """Score the links of a sitemap or feed like those of a page off topic, of which nothing is known but what share of its host's
    pages gave a text. The best ones are kept, as many as a page may have; the sitemaps of an index are fetched like it."""
    crawl.catch_up()
    most, verdict = crawl.options.max_links, Verdict(crawl.policy.share(item.entry.host), keep=False)
    page = Page(item.url, links=listing.links)
    links = _score(crawl, page, item.entry, verdict, None, len(page.links))
    links.sort(key=lambda link: (link.dropped is not None, -link.priority))
    is_nested = any(said(e.path) and e.distance for e in item.entry.evidence)  # an index in an index is against the protocol
    item.links = links[:most] + crawl.listing_entries(SITEMAP, () if is_nested else listing.nested, item.entry)
    crawl.progress.links[TOO_MANY] += len(links[most:]) + listing.left_out + is_nested * len(listing.nested)


def _score(crawl: Crawl, page: Page, parent: Entry, verdict: Verdict, closed: str | None, most: int) -> list[Entry]:
    """The first ``most`` links of a page as entries, each with its priority or the reason why it is dropped, of all if they are
    ``closed``."""
    strategy, policy = crawl.strategy, crawl.policy
    depth = parent.depth + 1
    distance = 0 if verdict.keep else 1 + min((e.distance for e in parent.evidence), default=0)
    entries: list[Entry] = []
    keyed = [(fingerprint(link.url), link) for link in page.links[:most]]
    is_settled = crawl.frontier.is_settled  # as most links of a page are
    new = [(key, link) for key, link in keyed if key != parent.key and not is_settled(key, off_topic=not verdict.keep)]
    if not closed:
        policy.meet(host(link.url) for _, link in new)
    for key, link in new:
        meta: dict[str, Any] = {}
        if (url := crawl.moves.of(link.url, ask=not crawl.frontier.shared)) != link.url:
            key, meta = fingerprint(url), {LEFT: link.url}
            if key == parent.key or is_settled(key, off_topic=not verdict.keep):
                continue
        evidence = (evidence_of(link, parent.url, verdict, distance),)
        entries.append(Entry(key, url, host(url), 0.0, depth, evidence, meta, closed or policy.refusal(url, depth)))
    allowed = [entry for entry in entries if entry.dropped is None]
    for entry, score in zip(allowed, strategy.score([entry.candidate() for entry in allowed]), strict=True):
        if score is None:
            entry.dropped = BELOW_THRESHOLD if verdict.keep else strategy.drop_reason
        else:
            entry.priority = policy.place(score, entry.host)
    if (left := len(page.links) - most) > 0:
        crawl.progress.links[TOO_MANY] += left
    return entries


class DocumentMiddleware(CrawlComponent):
    """Makes pages of the attachments that ``TOPICAL_DOCUMENTS`` names, in a worker process; one that cannot be read is rejected
    with a reason. Everything before has treated the answer like any other: the archive has the file as it came."""

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


class QuickMetaRefreshMiddleware(MetaRefreshMiddleware):
    """Scrapy's, but only pages whose first bytes mention a refresh are decoded, and a page that reloads itself is taken as is."""

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        if b"refresh" not in response.body[:4096].lower():
            return response
        result = super().process_response(request, response)
        if isinstance(result, Request) and fingerprint(result.url) == fingerprint(request.url):
            return response  # as home pages of portals do
        return result
