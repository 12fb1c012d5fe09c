"""Add-on for other Scrapy projects: best-first fetching and page judgement for spiders of any kind.

A spider's requests wait in the frontier. Its pages are judged and their texts stored before the callbacks run. Everything else
is up to the project: settings, middlewares, pipelines, items and feeds.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import sys
import warnings
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.request import request_from_dict
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from topical_crawler import config, logs, settings
from topical_crawler.components import CrawlComponent, crawl_of, storing
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.extensions import CrawlDisplay, CrawlMetrics
from topical_crawler.files import explained
from topical_crawler.frontier.base import Entry
from topical_crawler.items import REQUEST, PageItem, now_utc
from topical_crawler.middlewares import RelevanceMiddleware
from topical_crawler.pipelines import CleanPipeline, ExtractPipeline, ModelPipeline, StorePipeline
from topical_crawler.scheduler import TopicalScheduler
from topical_crawler.spiders.topical import TopicalSpider, set_replay
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.urls import fingerprint

logger = logging.getLogger(__name__)

PAGE = "topical_page"
"""Meta key of a response: its page as a :class:`~topical_crawler.items.PageItem`, judged, extracted and stored. Missing for an
unsuccessful answer, such as HTTP 404."""
NO_TEXT = "no text taken"  # reason of pages on topic in a project that leaves `TextMiddleware` out
_NOT_STORED = (
    "requests that cannot be stored are fetched before all others, and forgotten when the crawl stops. Use methods of the "
    "spider as callbacks, and JSON data in meta and cb_kwargs"
)
_LINK = "topical_link"  # in the meta of a request: its link's entry
_ALONE = "topical_alone"  # in the meta of an entry outside the frontier

# A project's spider decides for itself: no page, host or crawl is given up for lack of text.
_DEFAULTS = {
    **settings.own_settings(),
    "REDIS_URL": settings.REDIS_URL,
    **dict.fromkeys(("TOPICAL_TRAP_PAGES", "TOPICAL_BARREN_PAGES", "TOPICAL_BARREN_LEAVE", "TOPICAL_BARREN_END"), 0),
    "TOPICAL_SECOND_LOOK_MB": 0,
    "TOPICAL_DISPLAY": "lines",
}


class TopicalAddon(CrawlComponent):
    """The add-on. Enable it by ``ADDONS = {"topical_crawler.TopicalAddon": 300}``, and set ``TOPICAL_TOPIC`` for the project, a
    spider or one run.

    Without a topic, and in ``scrapy shell``, ``fetch``, ``parse``, ``check`` and ``bench``, it changes nothing. Parts are left
    out as in Scrapy: a ``SCHEDULER`` of the project keeps its order, and None for a class in a component setting disables it.
    If the crawl cannot be opened, the reason is logged and the process exits with code 2.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Open the crawl, and add the components not named by the project."""
        spider = self._crawler.spidercls
        settings.setdict({**_DEFAULTS, "TOPICAL_DATA_DIR": f"data/{spider.name}", "TOPICAL_CRAWL": spider.name}, priority="addon")
        tried = not self._crawler.crawling or "scrapy.commands." in f"{spider.__module__} {spider.start.__module__}"
        if tried or not config.spider_topic(settings) or issubclass(spider, TopicalSpider):
            return
        logs.mask_root()
        try:
            set_replay(settings)
            crawl = _open(settings, spider.name)
        except (CrawlError, ValueError, OSError, ImportError) as error:
            message = explained(error) if isinstance(error, OSError) else str(error)
            logger.error("TopicalAddon: %s", logs.masked(message))
            sys.exit(2)
        self._crawler.topical_crawl = crawl  # type: ignore[attr-defined]
        if (settings.getpriority("SCHEDULER") or 0) <= SETTINGS_PRIORITIES["addon"]:
            settings.set("SCHEDULER", ProjectScheduler, priority="addon")
        for name, *kinds in (
            ("DOWNLOADER_MIDDLEWARES", TextMiddleware, JudgeMiddleware),  # the last that see an answer
            ("SPIDER_MIDDLEWARES", PageMiddleware),  # the last that sees requests
            ("EXTENSIONS", CrawlDisplay, CrawlMetrics),
        ):
            for place, kind in enumerate(kinds, start=1):
                settings.setdefault_in_component_priority_dict(name, kind, place)
        self._crawler.signals.connect(self._closed, signals.spider_closed)

    def _closed(self) -> None:
        """Close the crawl, unless its scheduler does."""
        crawl, scheduler = crawl_of(self._crawler), load_object(self._crawler.settings["SCHEDULER"])
        if crawl is not None and not issubclass(scheduler, ProjectScheduler):
            with storing(crawl):
                list(crawl.cleaning())
            crawl.close()


def _open(given: BaseSettings, spider: str) -> Crawl:
    """Open the crawl of a spider.

    Raises:
        CrawlError: the folder belongs to another spider, or the crawl cannot be opened.
    """
    settings.check_values(given)
    topic = load_topic(config.spider_topic(given))
    bounds: dict[str, Any] = {"hosts": (), "allow_private": ("all",), "sitemaps": 0, "feeds": 0}
    options = dataclasses.replace(config.crawl_options(given, topic, {}), **bounds)
    crawl = Crawl.open(options, topic, config.resources(given))
    if (other := crawl.frontier.journal.agree("spider", spider)) != spider:
        crawl.close()
        raise CrawlError(
            f"{crawl.place} holds requests of the spider {other!r}. Use a folder for each spider (-s TOPICAL_DATA_DIR=DIR)"
        )
    return crawl


class ProjectScheduler(TopicalScheduler):
    """Scheduler with a project's page requests in the frontier.

    Other requests (forms, ``dont_filter``, data beyond JSON) wait in Scrapy's own scheduler, and go first.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BaseScheduler:  # type: ignore[override]
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._aside = Scheduler.from_crawler(crawler)

    def open(self, spider: Any) -> None:
        super().open(spider)
        self._aside.open(spider)
        self._reader = TopicalSpider(self._crawl, [])

    def next_request(self) -> Request | None:
        return self._aside.next_request() or super().next_request()

    def has_pending_requests(self) -> bool:
        return self._aside.has_pending_requests() or super().has_pending_requests()

    def close(self, reason: str) -> Deferred[None]:
        self._aside.close(reason)
        return super().close(reason)

    def enqueue_request(self, request: Request) -> bool:
        entry = request.meta.get("topical")
        if isinstance(entry, Entry) and entry.key in self._crawl.in_flight and self._replaces(request, entry):
            return True
        is_start = bool(request.meta.get("is_start_request"))
        is_page = request.method == "GET" and not request.body and request.url.startswith(("http://", "https://"))
        if not is_page or (request.dont_filter and not is_start) or (packed := self._packed(request)) is None:
            return self._aside.enqueue_request(request)
        entry = seed_entry(request.url) if is_start else request.meta.get(_LINK) or self._foreign(request)
        entry.meta, entry.dropped, entry.depth = {REQUEST: packed}, None, 0  # a spider's requests are within bounds
        return self._crawl.push([entry]).new > 0

    def _packed(self, request: Request) -> dict[str, Any] | None:
        """Return the data of a request besides its URL for JSON, or None if JSON cannot hold it."""
        meta = {name: value for name, value in request.meta.items() if not name.startswith("topical")}
        plain = Request(request.url).to_dict()
        try:
            data = request.to_dict(spider=self._spider) | {"meta": meta, "headers": dict(request.headers.to_unicode_dict())}
            packed: dict[str, Any] = {name: value for name, value in data.items() if name not in plain or value != plain[name]}
            if json.loads(json.dumps(packed)) == packed:
                return packed
        except (TypeError, ValueError):
            pass
        warnings.warn(_NOT_STORED, stacklevel=2)  # shown once
        return None

    def _request(self, entry: Entry) -> Request:
        own = request_from_dict({**entry.meta.get(REQUEST, {}), "url": entry.url}, spider=self._spider)

        def failed(failure: Failure) -> Any:
            for item in self._reader.failed(failure):
                _finish(self._crawl, item)
            return own.errback(failure) if own.errback is not None else failure

        return own.replace(dont_filter=True, errback=failed, meta={**own.meta, **entry.meta, "topical": entry})


class JudgeMiddleware(CrawlComponent):
    """Judges the pages of a project's spider before its callbacks run."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._judge = RelevanceMiddleware(crawler)
        self._reader: TopicalSpider | None = None

    async def process_response(self, request: Request, response: Response) -> Response:
        """Put the judged page of a successful response into the meta of its request, under :data:`PAGE`."""
        crawl = crawl_of(self._crawler)
        is_page = request.callback is not NO_CALLBACK and request.method == "GET" and request.url.startswith("http")
        if crawl is None or not is_page or not 200 <= response.status < 300:
            return response
        if request.meta.get("topical") is None:
            entry = request.meta["topical"] = request.meta.get(_LINK) or seed_entry(request.url)
            entry.meta = {_ALONE: True}
        response.request = request
        with storing(crawl):
            self._reader = self._reader or TopicalSpider(crawl, [])
            (item,) = self._reader.parse(response)
            request.meta[PAGE] = await self._judge.judged(item, response)
        return response


class TextMiddleware(CrawlComponent):
    """Extracts, cleans and stores the texts of pages on topic, by the steps of a topical crawl.

    The steps are not item pipelines of the project, and never see its items.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._extract = build_from_crawler(ExtractPipeline, crawler)
        later: tuple[type[Any], ...] = (CleanPipeline, ModelPipeline, StorePipeline)
        self._steps = [self._extract, *(build_from_crawler(step, crawler) for step in later)]
        crawler.signals.connect(self._extract.close_spider, signals.spider_closed)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Process the text of a judged page."""
        if isinstance(item := request.meta.get(PAGE), PageItem):
            for step in self._steps:
                await step.process_item(item)
        return response


class PageMiddleware(CrawlComponent):
    """Attaches the page's link to each request of a callback, and finishes the page after the callback.

    Scrapy handles errors of a callback as usual. The text of the page stays stored.
    """

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        item = response.meta.get(PAGE)
        links = {link.key: link for link in item.links} if isinstance(item, PageItem) else {}
        async for output in result:
            if isinstance(output, Request):
                for name in ("topical", PAGE, REQUEST, "is_start_request"):
                    output.meta.pop(name, None)  # left over if made with the meta of its page
                output.meta[_LINK] = links.get(fingerprint(output.url))
            yield output
        self._end(response)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        self._end(response)

    def _end(self, response: Response) -> None:
        crawl, entry = crawl_of(self._crawler), response.meta.get("topical")
        if crawl is not None and isinstance(entry, Entry):
            reason = f"HTTP {response.status}"
            missing = PageItem(entry, response.url, now_utc(), response.status, len(response.body), reason=reason)
            _finish(crawl, response.meta.get(PAGE) or missing)


def _finish(crawl: Crawl, item: PageItem) -> None:
    """Store a page not stored yet, and mark it done. Its links are dropped here: the spider's requests wait already."""
    item.links = []
    if item.keep and not item.text:
        item.reason = NO_TEXT
    with storing(crawl):
        if not item.entry.meta.get(_ALONE):
            if item.stored is None:
                crawl.store_row(item)
            if item.entry.key in crawl.in_flight:
                crawl.finish(item)
        elif item.stored is None:
            item.stored = crawl.store.put(item.record(), item.prose)
            item.reason = item.stored.reason
            crawl.progress.note_page(item)
