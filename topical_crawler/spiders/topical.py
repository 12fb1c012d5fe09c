"""The spider: it turns responses into pages and failures into reasons. What it crawls is ``spider.crawl``."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import replace
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
from topical_crawler.extraction.extract import MAX_HTML, shortened
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
_BEGINS_HTML = re.compile(  # the signs by which browsers know it (WHATWG, MIME Sniffing, 7.1)
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff|\s|<!--.*?-->|<\?xml.*?\?>)*+"
    rb"<(?:!doctype\s+html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


class TopicalSpider(Spider):
    """``topical-crawler crawl NAME``

    Arguments (``-a``):
        topic: name or path of a topic; required.
        seeds: a file of URLs, or URLs; default: the topic's seeds. ``{keyword}`` stands for topic terms.
        keywords: how many topic terms ``{keyword}`` stands for (10).
        hosts: hosts that may be crawled, with their subdomains; ``seeds``: those of the seeds; default: the topic's, else any.
        pages: pages to fetch, over all runs of this crawl; default: no bound.
        pages_per_host, depth: further bounds.
        strategy: default: the topic's, else ``adaptive``.
        refresh: visit again, of a crawl that has ended, what gives texts and was not visited for so long (``1d``, ``12h``),
            and fetch only what is new there; default: none, the crawl goes on.
        survey: ``yes`` looks at each site of the seeds a little, prints what their sections promise, and stops. The same command
            without it goes on.
        precision: share of the kept texts that should be on topic (``adaptive``), below 1; default: the topic's, else no bound.
        model: a model that confirms kept texts, ``KIND:PATH`` or ``none``; default: the topic's, else none.
    """

    name = "topical"
    ARGUMENTS = frozenset(("topic", "seeds", "keywords", "hosts", "pages", "pages_per_host", "depth"))
    ARGUMENTS |= frozenset(("strategy", "precision", "model", "refresh", "survey"))
    """A subclass with arguments of its own adds them here: a misspelt bound must not pass for none."""

    _wanted: Mapping[str, Any] = MappingProxyType({})  # what is read of a page for the strategy

    def __init__(self, crawl: Crawl, seeds: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.crawl = crawl
        strategy = crawl.strategy
        self._wanted = {
            "around": strategy.wants_around,
            "paths": strategy.wants_paths and self._may_be_pushed,  # most links of a page are settled
            "runs": strategy.wants_text,
            "feeds": bool(crawl.listings.kinds),
            "most_links": crawl.options.max_links,
        }
        self.seeds = list(seeds)
        crawl.policy.name(self.seeds)

    @classmethod
    def open_crawl(cls, settings: BaseSettings, arguments: dict[str, Any]) -> tuple[Crawl, list[str]]:
        """The crawl and its seeds, from settings and ``-a`` arguments.

        Raises:
            CrawlError, ValueError: an argument, a setting, the topic or a file cannot be used; the message names the remedy.
        """
        logs.mask_root()
        unknown = [name for name in arguments if name not in cls.ARGUMENTS and not name.startswith("_")]  # scrapyd gives _job
        if unknown:
            raise ValueError(f"unknown argument {', '.join(unknown)}. Remedy: -a takes {', '.join(sorted(cls.ARGUMENTS))}")
        if not arguments.get("topic"):
            raise ValueError("which topic? Remedy: -a topic=NAME or -a topic=./FOLDER (topical-crawler topic list shows names)")
        logs.follow(settings)
        check_values(settings)
        _check_habits(settings, cls is TopicalSpider)
        topic = config.with_precision(settings, load_topic(arguments["topic"]), arguments)
        seeds = config.seeds(topic, arguments)
        config.chromium(settings)  # is there, where it is needed
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
        """The request for an entry of the frontier."""
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
        """What an answer brought: a page, a listing, or the reason why it is neither."""
        item = self._item(response.meta["topical"], response)
        content_type = response.headers.get(b"Content-Type", b"") or b""
        if response.status == 304:
            item.reason = NOT_MODIFIED
            return item
        if item.is_listing or (self._wanted.get("feeds") and listings.looks_like_one(response.body)):  # pages link to them, too
            item.listing = listings.read(response.body, response.url, content_type.decode("latin-1"))
        if item.is_listing:
            item.reason = item.listing.kind if item.listing is not None else listings.NO_LISTING
            return item
        if "dataloss" in response.flags:
            self.logger.info("%s breaks off before its announced length. What came is read", response.url)
        is_html = _BEGINS_HTML.match(response.body[:4096].replace(b"\0", b""))  # also in UTF-16
        if content_type and not is_html and not any(kind in content_type.lower() for kind in _HTML):
            item.reason = "not a text page"
        else:
            html, encoding = decode(response.body, content_type.decode("latin-1"))
            item.page = Page.from_html(response.url, html, encoding, **self._wanted)
            if len(html) > MAX_HTML:  # a few of 8 MB would take all memory
                item.page = replace(item.page, html=shortened(html))
        return item

    def _may_be_pushed(self, url: str) -> bool:
        return not self.crawl.frontier.is_settled(fingerprint(url))

    def failed(self, failure: Failure) -> Iterator[PageItem]:
        """A request that brought no page: its reason is counted, and the crawl goes on."""
        if isinstance(failure.value, SentBack):  # its entry may be in flight again by now
            return
        request: Request = failure.request  # type: ignore[attr-defined]
        response = getattr(failure.value, "response", None)
        arrived = isinstance(response, Response) and response.request is not None  # not one that was broken off
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
    """Have ``TOPICAL_REPLAY``, where it is set, answer instead of the web."""
    if config.replay_file(settings):
        handler = "topical_crawler.downloadhandlers.ReplayHandler"
        settings.set("DOWNLOAD_HANDLERS", {"http": handler, "https": handler}, priority="spider")
        settings.set("DOWNLOAD_DELAY", 0, priority="cmdline")
        settings.set("RETRY_ENABLED", False, priority="spider")
        check_values(settings)  # before one of them is replaced
        settings.set("CONCURRENT_REQUESTS", 1, priority="cmdline")  # or what is fetched would hang on who answers first


class OwnItems(ItemFilter):
    """Has feeds take the items of a spider of one's own alone: pages are in the corpus."""

    def accepts(self, item: Any) -> bool:
        return not isinstance(item, PageItem) and super().accepts(item)


def _check_habits(settings: BaseSettings, makes_only_pages: bool) -> None:
    """Raises ValueError for ``-o`` and ``-O``, and warns of a ``JOBDIR``: Scrapy's way to do what a crawl does by itself."""
    if makes_only_pages and settings["FEEDS"] and settings.getpriority("FEEDS") == SETTINGS_PRIORITIES["cmdline"]:
        raise ValueError(
            "-o, -O and FEEDS write nothing of a topical crawl: its texts are in a corpus, from which some are taken back. "
            "Remedy: without it, and then topical-crawler corpus export NAME -o FILE"
        )
    if settings["JOBDIR"]:
        logger.warning("JOBDIR is not used. The crawl is in TOPICAL_DATA_DIR, and the same command resumes it")
