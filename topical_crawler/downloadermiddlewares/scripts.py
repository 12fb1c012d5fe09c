"""Runs the scripts of pages that are empty without (``TOPICAL_SCRIPTS``), in a Chromium that reaches nothing by itself.

The browser is given the page as it was fetched, and what its scripts ask for is fetched by the crawl like anything else: so
robots.txt, the host's delay, private addresses, sizes and the archive are seen to in one place. scrapy-playwright has the browser
fetch, past all of them.
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

TIMED_OUT, FAILED = "scripts timed out", "scripts failed"  # why a page is rejected
MOST_REQUESTS = 40  # that the scripts of a page may send
LEARN = 3  # pages of a host in a row that gain nothing, after which no further one is tried
AT_ONCE = 2  # pages in the browser
KEPT_BYTES = 32 << 20  # of scripts, which the next page of a site asks for again
_LAUNCH = 60.0  # most seconds in which the program that drives the browser must start
_GRACE = 20.0  # most seconds in which a page whose time is over must give what it shows, and close
_FETCHED = ("script", "xhr", "fetch")
_PASSED_ON = ("accept", "x-requested-with")  # of the headers that a script sets
_ALONE = [  # what the browser sends past the crawl goes nowhere: to a proxy that is none, by names that are not resolved
    "--disable-background-networking", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]  # fmt: skip


@dataclass
class _Host:
    """What is known of the pages of a host."""

    gave: bool = False  # whether scripts gave a text
    fruitless: int = 0  # pages since that gained nothing


@dataclass
class _Visit:
    """A page in the browser."""

    request: Request
    html: str
    requests: int = 0
    size: int = 0  # bytes fetched
    shown: bool = False  # whether the page itself was asked for
    over: bool = False  # whether nothing more is fetched
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class ScriptsMiddleware(CrawlComponent):
    """Makes of a page that is empty without scripts the page that a reader sees. In a replay the page is taken as it was archived
    then, and no browser runs."""

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
        if not self._chromium:  # what the crawl knew of the host when it opened a page, or not, is not known any more
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
        """The page as it was rendered when it was archived; as it came where it was not."""
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
        """The page after its scripts, and the bytes fetched for them. Raises Refused."""
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
            if again and browser is not None and browser is not self._browser:  # it ended because of another page
                await self._leave(visit)
                return await self._render(request, response, html, again=False)
            await self._end(browser)
            logger.info("%s: its scripts failed: %s", response.url, str(error).partition("\n")[0])
            raise Refused(FAILED) from None
        finally:
            await self._leave(visit)

    async def _shown(self, context: BrowserContext, response: Response, visit: _Visit) -> str:
        """What the page shows when its scripts ask for nothing more, or when its time is over."""
        from playwright.async_api import Error

        async def answer(route: Route) -> None:
            try:
                await self._answer(route, response, visit)
            except Error:
                pass  # the page is gone
            except Exception:  # it fails for the page alone
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
            if late and not page.is_closed():  # its time was over before it had begun to show anything
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
        """What a script asks for, one after another, each after the host's delay; None for what is not to be had."""
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
                visit.over = True  # the host asks for patience
            if is_script and answer.status == HTTPStatus.OK:
                self._kept[url] = answer
                while sum(len(kept.body) for kept in self._kept.values()) > KEPT_BYTES:
                    self._kept.popitem(last=False)
            return answer

    async def _leave(self, visit: _Visit) -> None:
        """Fetch nothing more for a page, and have the host's delay begin after its last request."""
        visit.over = True
        async with visit.turn:  # what is under way still takes the host's turn
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
                    logger.warning("Chromium has no sandbox for root. Remedy: run the crawl as another user")
                try:
                    self._browser = await self._playwright.chromium.launch(
                        executable_path=self._chromium,
                        args=_ALONE,
                        chromium_sandbox=not root,
                        proxy={"server": "http://127.0.0.1:9", "bypass": "<-loopback>"},
                    )
                except Error as error:
                    driver, self._playwright = self._playwright, None  # it may be what has failed
                    with contextlib.suppress(Exception):
                        await asyncio.wait_for(driver.stop(), _GRACE)
                    logger.error(
                        "%s cannot be started: %s. Remedy: TOPICAL_CHROMIUM names another", self._chromium, str(error)[:1000]
                    )
                    raise
            return self._browser

    async def _end(self, browser: Browser | None) -> None:
        """Let go of a browser, and of the program that drives it, which may be what has failed."""
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
            logger.info("Pages that are empty without scripts: %s", listed)


def _page(response: Response, body: bytes) -> HtmlResponse:
    page = HtmlResponse(response.url, response.status, response.headers, encoding="utf-8", body=body)
    page.headers[b"Content-Type"], page.headers[b"X-Rendered"] = b"text/html; charset=utf-8", b"1"
    for name in (b"Content-Encoding", b"Content-Length"):
        page.headers.pop(name, None)
    return page
