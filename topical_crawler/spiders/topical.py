"""Scrapy spider turning responses into pages and failures into reasons. The crawl itself is ``spider.crawl``."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import ItemFilter
from scrapy.http import Response
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from twisted.python.failure import Failure

from topical_crawler import config, logs
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.refresh import NOT_MODIFIED
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.extraction.extract import shortened
from topical_crawler.failures import SentBack, failure_reason
from topical_crawler.frontier.base import Entry
from topical_crawler.items import DOCUMENT_SIZE, READ, PageItem, now_utc
from topical_crawler.settings import check_values
from topical_crawler.topic.topic import load_topic
from topical_crawler.web import listings
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page
from topical_crawler.web.urls import fingerprint

logger = logging.getLogger(__name__)

_VALIDATORS, _LONGEST_VALIDATOR = ("ETag", "Last-Modified"), 200
_HTML = (b"html", b"xml", b"text/plain")
_BEGINS_HTML = re.compile(  # as recognised by browsers (WHATWG, MIME Sniffing, 7.1)
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff|\s|<!--.*?-->|<\?xml.*?\?>)*+"
    rb"<(?:!doctype\s+html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


class TopicalSpider(Spider):
    """Spider of ``topical-crawler crawl NAME``.

    Arguments (``-a``):
        topic: name or path of a topic, required.
        seeds: a file of URLs, or URLs. Default: the topic's seeds. ``{keyword}`` is replaced by topic terms.
        keywords: number of topic terms substituted for ``{keyword}`` (10).
        hosts: hosts to crawl, with their subdomains. ``seeds``: those of the seeds. Default: the topic's, else any.
        pages: number of pages to fetch, over all runs of this crawl. Default: unlimited.
        pages_per_host, depth: further limits.
        strategy: name of the strategy. Default: the topic's, else ``adaptive``.
        refresh: revisit the hubs of a finished crawl not visited for this long (``1d``, ``12h``), and fetch only new pages
            found there. Default: continue the crawl.
        survey: ``yes`` samples each site of the seeds, prints the expected yield of its sections, and stops. Repeat the
            command without it to go on.
        precision: share of kept texts meant to be on topic (``adaptive``), below 1. Default: the topic's, else unlimited.
        model: model confirming kept texts, ``KIND:PATH`` or ``none``. Default: the topic's, else none.
    """

    name = "topical"
    ARGUMENTS = frozenset(("topic", "seeds", "keywords", "hosts", "pages", "pages_per_host", "depth"))
    ARGUMENTS |= frozenset(("strategy", "precision", "model", "refresh", "survey"))
    """Known arguments, extended by subclasses. Unknown ones are refused, lest a misspelt limit be ignored."""

    _wanted: Mapping[str, Any] = MappingProxyType({})  # arguments of Page.from_html

    def __init__(self, crawl: Crawl, seeds: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.crawl = crawl
        strategy = crawl.strategy
        self._wanted = {
            "around": strategy.wants_around,
            "paths": strategy.wants_paths and self._may_be_pushed,  # skips settled links, the majority
            "runs": strategy.wants_text,
            "feeds": bool(crawl.listings.kinds),
            "most_links": crawl.options.max_links,
        }
        self.seeds = list(seeds)
        crawl.policy.name(self.seeds)

    @classmethod
    def open_crawl(cls, settings: BaseSettings, arguments: dict[str, Any]) -> tuple[Crawl, list[str]]:
        """Open the crawl and its seeds, from settings and ``-a`` arguments.

        Raises:
            CrawlError, ValueError: an argument, a setting, the topic or a file cannot be used. The message says how to fix it.
        """
        logs.mask_root()
        unknown = [name for name in arguments if name not in cls.ARGUMENTS and not name.startswith("_")]  # scrapyd passes _job
        if unknown:
            raise ValueError(f"unknown argument {', '.join(unknown)}. Choose from {', '.join(sorted(cls.ARGUMENTS))}")
        if not arguments.get("topic"):
            raise ValueError("no topic. Add -a topic=NAME or -a topic=./FOLDER (topical-crawler topic list shows the names)")
        logs.follow(settings)
        check_values(settings)
        _check_habits(settings, cls is TopicalSpider)
        topic = config.with_precision(settings, load_topic(arguments["topic"]), arguments)
        seeds = config.seeds(topic, arguments)
        config.chromium(settings)  # fails early if needed but missing
        options = config.crawl_options(settings, topic, arguments, seeds)
        logs.identify(crawl=options.name, topic=topic.name, worker=options.worker, job=str(arguments.get("_job") or ""))
        return Crawl.open(options, topic, config.resources(settings)), seeds

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        opened = kwargs.pop("opened", None) or cls.open_crawl(crawler.settings, kwargs)
        return super().from_crawler(crawler, *args, **{**kwargs, "crawl": opened[0], "seeds": opened[1]})

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        feeds = {uri: {"item_filter": OwnItems, **feed} for uri, feed in settings.getdict("FEEDS").items()}
        settings.set("FEEDS", feeds, priority=settings.getpriority("FEEDS") or 0)
        set_replay(settings)

    async def start(self) -> AsyncIterator[Request]:
        for url in self.seeds:
            yield Request(url, meta={"topical": seed_entry(url)}, dont_filter=True)

    def request(self, entry: Entry) -> Request:
        """Build the request for an entry of the frontier."""
        conditions = self.crawl.refresh.conditions(entry)
        unchanged = {"handle_httpstatus_list": [304]} if conditions else {}
        return Request(
            entry.url,
            callback=self.parse,
            errback=self.failed,
            headers=conditions,
            meta={**entry.meta, "topical": entry, "download_slot": entry.host, **unchanged},
            dont_filter=True,
        )

    def parse(self, response: Response, **kwargs: Any) -> Iterator[PageItem]:
        yield response.meta.pop(READ, None) or self.read(response)

    def read(self, response: Response) -> PageItem:
        """Convert a response to a page, a listing, or the reason for being neither."""
        item = self._item(response.meta["topical"], response)
        content_type = response.headers.get(b"Content-Type", b"") or b""
        if response.status == 304:
            item.reason = NOT_MODIFIED
            return item
        if item.is_listing or (self._wanted.get("feeds") and listings.looks_like_one(response.body)):  # some are linked by pages
            item.listing = listings.read(response.body, response.url, content_type.decode("latin-1"))
        if item.is_listing:
            item.reason = item.listing.kind if item.listing is not None else listings.NO_LISTING
            return item
        if "dataloss" in response.flags:
            self.logger.info("%s is shorter than announced. Reading the part received", response.url)
        is_html = _BEGINS_HTML.match(response.body[:4096].replace(b"\0", b""))  # including UTF-16
        if content_type and not is_html and not any(kind in content_type.lower() for kind in _HTML):
            item.reason = "not a text page"
        else:
            html, encoding = decode(response.body, content_type.decode("latin-1"))
            html = shortened(html)  # the part whose text is extracted: a few of 8 MB would take all memory
            item.page = Page.from_html(response.url, html, encoding, **self._wanted)
        return item

    def _may_be_pushed(self, url: str) -> bool:
        return not self.crawl.frontier.is_settled(fingerprint(url))

    def failed(self, failure: Failure) -> Iterator[PageItem]:
        """Yield the failure reason of a request, so it is counted and the crawl continues."""
        if isinstance(failure.value, SentBack):  # its entry may already be in flight again
            return
        request: Request = failure.request  # type: ignore[attr-defined]
        response = getattr(failure.value, "response", None)
        arrived = isinstance(response, Response) and response.request is not None  # excludes interrupted ones
        item = self._item(request.meta["topical"], response if arrived else None)
        item.reason = failure_reason(failure.value)
        yield item

    def _item(self, entry: Entry, response: Response | None) -> PageItem:
        if response is None:
            return PageItem(entry, entry.url, now_utc())
        seconds = float(response.meta.get("download_latency", 0.0))
        size = int(response.meta.get(DOCUMENT_SIZE, len(response.body)))
        item = PageItem(entry, response.url, now_utc(), response.status, size, seconds)
        for name in _VALIDATORS:
            if value := (response.headers.get(name) or b"").decode("latin-1")[:_LONGEST_VALIDATOR]:
                item.validators[name] = value
        return item


def set_replay(settings: BaseSettings) -> None:
    """Replace the web by the recording in ``TOPICAL_REPLAY``, if set."""
    if config.replay_file(settings):
        handler = "topical_crawler.downloadhandlers.ReplayHandler"
        settings.set("DOWNLOAD_HANDLERS", {"http": handler, "https": handler}, priority="spider")
        settings.set("DOWNLOAD_DELAY", 0, priority="cmdline")
        settings.set("RETRY_ENABLED", False, priority="spider")
        check_values(settings)  # before replacing one of them
        settings.set("CONCURRENT_REQUESTS", 1, priority="cmdline")  # else the order of responses would change the crawl


class OwnItems(ItemFilter):
    """Feed filter accepting only items of a user's own spider, since pages go to the corpus."""

    def accepts(self, item: Any) -> bool:
        return not isinstance(item, PageItem) and super().accepts(item)


def _check_habits(settings: BaseSettings, makes_only_pages: bool) -> None:
    """Raise ValueError for ``-o`` and ``-O``, and warn of a ``JOBDIR``: Scrapy's own means for things a crawl does by itself."""
    if makes_only_pages and settings["FEEDS"] and settings.getpriority("FEEDS") == SETTINGS_PRIORITIES["cmdline"]:
        raise ValueError(
            "-o, -O and FEEDS do not work with a topical crawl, since its corpus may withdraw texts later. "
            "Crawl without them, then run topical-crawler corpus export NAME -o FILE"
        )
    if settings["JOBDIR"]:
        logger.warning("JOBDIR is ignored. The crawl is in TOPICAL_DATA_DIR, and the same command resumes it")
