"""Rendering of pages empty without scripts (``TOPICAL_SCRIPTS``), in a Chromium without network access of its own.

The browser gets the fetched page, and the crawl fetches the requests of its scripts like any other. So robots.txt, the host's
delay, private addresses, sizes and the archive are handled in one place, unlike in scrapy-playwright, with a fetching browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK

from topical_crawler import config
from topical_crawler.components import CrawlComponent, in_flight
from topical_crawler.downloadermiddlewares.archive import ArchiveMiddleware
from topical_crawler.downloadermiddlewares.robots import RobotsMiddleware
from topical_crawler.failures import Refused, Unreachable
from topical_crawler.frontier.base import Entry, LeaseLost
from topical_crawler.items import DOCUMENT_SIZE
from topical_crawler.recordings.reader import RENDERED
from topical_crawler.web.dom import decode
from topical_crawler.web.shells import GAIN, is_shell, text_length
from topical_crawler.web.urls import host

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright, Route

logger = logging.getLogger(__name__)

TIMED_OUT, FAILED = "scripts timed out", "scripts failed"  # reasons of rejection
MOST_REQUESTS = 40  # most requests of the scripts of a page
LEARN = 3  # pages of a host in a row without a gain, before rendering is given up for it
AT_ONCE = 2  # pages in the browser
KEPT_BYTES = 32 << 20  # of scripts cached for the next page of a site
_LAUNCH = 60.0  # most seconds for the start of the browser's driver
_GRACE = 20.0  # most seconds for a page to return its content and close after its time is over
_FETCHED = ("script", "xhr", "fetch")
_PASSED_ON = ("accept", "x-requested-with")  # headers of scripts passed on
_ALONE = [  # requests of the browser past the crawl go nowhere: to an invalid proxy, by unresolved names
    "--disable-background-networking", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]  # fmt: skip


@dataclass
class _Host:
    """Experience with the pages of a host."""

    gave: bool = False  # scripts gave a text
    fruitless: int = 0  # pages without a gain since


@dataclass
class _Visit:
    """Page in the browser."""

    request: Request
    html: str
    requests: int = 0
    size: int = 0  # bytes fetched
    shown: bool = False  # the page itself was requested
    over: bool = False  # nothing more is fetched
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class ScriptsMiddleware(CrawlComponent):
    """Renderer of pages empty without scripts. A replay uses the archived rendering, without a browser."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._chromium = config.chromium(crawler.settings)
        if not config.runs_scripts(crawler.settings):
            raise NotConfigured
        self._timeout = config.scripts_timeout(crawler.settings)
        self._grace = min(self._timeout, _GRACE)
        self._most = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        self._hosts: dict[str, _Host] = {}
        self._kept: OrderedDict[str, Response] = OrderedDict()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._launching = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._counts: Counter[str] = Counter()
        crawler.signals.connect(self.closed, signals.spider_closed)

    async def process_response(self, request: Request, response: Response) -> Response:
        entry = request.meta.get("topical")
        if response.status != HTTPStatus.OK or not isinstance(response, HtmlResponse) or not isinstance(entry, Entry):
            return response
        known = self._hosts.get(host(response.url)) or _Host()
        if known.fruitless >= LEARN:
            return response
        html, _ = decode(response.body, (response.headers.get(b"Content-Type") or b"").decode("latin-1"))
        if not self._chromium:  # in a replay the crawl's experience with the host is unknown
            return await self._recorded(response) if is_shell(html, known=True) else response
        if not is_shell(html, known.gave):
            return response
        known = self._hosts.setdefault(host(response.url), known)
        try:
            async with self._room:
                rendered, size = await self._render(request, response, html)
        except Refused as refused:
            self._counts[str(refused)] += 1
            known.fruitless += 1
            response.request = request
            refused.response = response
            raise
        gained = text_length(rendered) - text_length(html) >= GAIN
        self._counts["filled" if gained else "without a text"] += 1
        known.gave, known.fruitless = known.gave or gained, 0 if gained else known.fruitless + 1
        request.meta[DOCUMENT_SIZE] = len(response.body) + size
        if not gained:
            return response
        page = _page(response, rendered.encode("utf-8", "replace"))
        if archive := self._crawler.get_downloader_middleware(ArchiveMiddleware):
            archive.process_response(request.replace(url=response.url + RENDERED), page)
        return page

    async def _recorded(self, response: Response) -> Response:
        """Return the page as rendered and archived, or unchanged if it was not."""
        assert self._crawler.engine is not None
        meta = {"dont_obey_robotstxt": True, "dont_redirect": True, "dont_retry": True}
        with contextlib.suppress(Unreachable):
            found = await self._crawler.engine.download_async(
                Request(response.url + RENDERED, meta=meta, callback=NO_CALLBACK, dont_filter=True)
            )
            if found.headers.get(b"X-Rendered"):
                self._counts["filled"] += 1
                return _page(response, found.body)
        return response

    async def _render(self, request: Request, response: Response, html: str, again: bool = True) -> tuple[str, int]:
        """Return the page after its scripts, and the bytes fetched for them. Raise Refused."""
        from playwright.async_api import Error

        visit = _Visit(request, html)
        browser: Browser | None = None
        try:
            browser = await self._launched()
            try:
                async with asyncio.timeout(self._timeout):
                    context = await browser.new_context(
                        accept_downloads=False,
                        service_workers="block",
                        locale="zh-CN",
                        timezone_id="Asia/Shanghai",
                        user_agent=str(self._crawler.settings.get("USER_AGENT") or ""),
                    )
            except TimeoutError:  # the browser hangs, and would take as long for every page
                await self._end(browser)
                raise
            try:
                return await self._shown(context, response, visit), visit.size
            finally:
                try:
                    await asyncio.wait_for(context.close(), self._grace)
                except (TimeoutError, Error):
                    await self._end(browser)
        except TimeoutError:
            logger.info("%s: its scripts have no end", response.url)
            raise Refused(TIMED_OUT) from None
        except Error as error:
            if again and browser is not None and browser is not self._browser:  # ended by another page
                await self._leave(visit)
                return await self._render(request, response, html, again=False)
            await self._end(browser)
            logger.info("%s: its scripts failed: %s", response.url, str(error).partition("\n")[0])
            raise Refused(FAILED) from None
        finally:
            await self._leave(visit)

    async def _shown(self, context: BrowserContext, response: Response, visit: _Visit) -> str:
        """Return the page's HTML once its scripts are idle, or its time is over."""
        from playwright.async_api import Error

        async def answer(route: Route) -> None:
            try:
                await self._answer(route, response, visit)
            except Error:
                pass  # the page is gone
            except Exception:  # fails for this page alone
                logger.exception("%s, asked for by the scripts of %s", route.request.url, response.url)
                with contextlib.suppress(Error):
                    await route.abort()

        await context.route("**/*", answer)
        page = await asyncio.wait_for(context.new_page(), self._timeout)
        late = False
        try:
            async with asyncio.timeout(self._timeout):
                await page.goto(response.url, wait_until="networkidle", timeout=0)
        except TimeoutError:
            late = True
        try:
            shown = await asyncio.wait_for(page.content(), self._grace)
        except Error:
            if late and not page.is_closed():  # timed out before showing anything
                raise TimeoutError from None
            raise
        if self._most and len(shown) > self._most:
            raise Refused("too large")
        return shown

    async def _answer(self, route: Route, response: Response, visit: _Visit) -> None:
        asked = route.request
        if asked.is_navigation_request() and not visit.shown and asked.frame.parent_frame is None:
            visit.shown = True
            await route.fulfill(body=visit.html, content_type="text/html; charset=utf-8")
        elif asked.resource_type == "stylesheet":
            await route.fulfill(body="", content_type="text/css")  # a script may wait for it
        elif asked.resource_type in _FETCHED and asked.method == "GET" and host(asked.url) == host(response.url):
            answer = await self._fetched(asked.url, asked.resource_type == "script", dict(asked.headers), visit)
            if answer is None:
                await route.abort()
            else:
                kind = (answer.headers.get(b"Content-Type") or b"").decode("latin-1")
                await route.fulfill(status=answer.status, body=answer.body, headers={"Content-Type": kind} if kind else {})
        else:
            await route.abort()

    async def _fetched(self, url: str, is_script: bool, headers: dict[str, str], visit: _Visit) -> Response | None:
        """Fetch a script's request, one after another, each after the host's delay. Return None on failure."""
        engine = self._crawler.engine
        assert engine is not None
        async with visit.turn:
            if is_script and url in self._kept:
                self._kept.move_to_end(url)
                return self._kept[url]
            if visit.over or visit.requests >= MOST_REQUESTS or (self._most and visit.size > self._most):
                return None
            robots = self._crawler.get_downloader_middleware(RobotsMiddleware)
            await asyncio.sleep(robots.delay(host(url)) if robots is not None else 0)
            if visit.over:  # meanwhile
                return None
            visit.requests += 1
            self._counts["requests"] += 1
            meta = {"dont_redirect": True, "dont_retry": True, "handle_httpstatus_all": True, "download_slot": host(url)}
            own = {name: headers[name] for name in _PASSED_ON if name in headers}
            request = Request(
                url, headers={**own, "Referer": visit.request.url}, meta=meta, callback=NO_CALLBACK, dont_filter=True
            )
            try:
                answer = await engine.download_async(request)
            except Exception as error:  # a host may fail in any way; robots.txt may forbid it
                logger.debug("%s, asked for by the scripts of %s: %s", url, visit.request.url, error)
                return None
            visit.size += len(answer.body)
            if answer.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
                visit.over = True  # the host throttles
            if is_script and answer.status == HTTPStatus.OK:
                self._kept[url] = answer
                while sum(len(kept.body) for kept in self._kept.values()) > KEPT_BYTES:
                    self._kept.popitem(last=False)
            return answer

    async def _leave(self, visit: _Visit) -> None:
        """Stop fetching for a page, and start the host's delay after its last request."""
        visit.over = True
        async with visit.turn:  # an in-flight request still takes the host's turn
            if (page := in_flight(self._crawler, visit.request)) is not None:
                with contextlib.suppress(LeaseLost):
                    page[0].frontier.sent(page[1].key, time.monotonic())

    async def _launched(self) -> Browser:
        async with self._launching:
            if self._browser is None or not self._browser.is_connected():
                from playwright.async_api import Error, async_playwright

                if self._playwright is None:
                    self._playwright = await asyncio.wait_for(async_playwright().start(), _LAUNCH)
                root = hasattr(os, "geteuid") and os.geteuid() == 0
                if root:
                    logger.warning("Chromium has no sandbox for root. Run the crawl as another user")
                try:
                    self._browser = await self._playwright.chromium.launch(
                        executable_path=self._chromium,
                        args=_ALONE,
                        chromium_sandbox=not root,
                        proxy={"server": "http://127.0.0.1:9", "bypass": "<-loopback>"},
                    )
                except Error as error:
                    driver, self._playwright = self._playwright, None  # possibly the cause of the failure
                    with contextlib.suppress(Exception):
                        await asyncio.wait_for(driver.stop(), _GRACE)
                    logger.error("%s cannot be started: %s. Name another in TOPICAL_CHROMIUM", self._chromium, str(error)[:1000])
                    raise
            return self._browser

    async def _end(self, browser: Browser | None) -> None:
        """Let go of a browser and its driver, possibly the cause of a failure."""
        if browser is None:
            return
        driver = None
        async with self._launching:
            if browser is self._browser:
                driver, self._playwright, self._browser = self._playwright, None, None
        with contextlib.suppress(Exception):  # it may be gone already, or hang
            await asyncio.wait_for(browser.close(), _GRACE)
        if driver is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(driver.stop(), _GRACE)

    async def closed(self) -> None:
        await self._end(self._browser)
        if self._counts:
            listed = ", ".join(f"{number} {what}" for what, number in sorted(self._counts.items()))
            logger.info("Pages empty without scripts: %s", listed)


def _page(response: Response, body: bytes) -> HtmlResponse:
    page = HtmlResponse(response.url, response.status, response.headers, encoding="utf-8", body=body)
    page.headers[b"Content-Type"], page.headers[b"X-Rendered"] = b"text/html; charset=utf-8", b"1"
    for name in (b"Content-Encoding", b"Content-Length"):
        page.headers.pop(name, None)
    return page
