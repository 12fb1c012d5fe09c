"""Scrapy's side of the archive: with ``TOPICAL_ARCHIVE`` set, every exchange is written as it went over the wire."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Headers, Response

from topical_crawler.config import archive_folder, archive_megabytes
from topical_crawler.corpus.archive import Archive, ArchiveError, Message
from topical_crawler.crawl import Crawl
from topical_crawler.frontier import Entry
from topical_crawler.replay import NOT_RECORDED
from topical_crawler.version import __version__

logger = logging.getLogger(__name__)

ARCHIVE_FAILED = "archive failed"
"""Why a crawl ends whose archive cannot be written."""
_SECRETS = frozenset((b"authorization", b"proxy-authorization", b"cookie"))
_MASK = b"***"


class ArchiveMiddleware:
    """Writes what passes between the other middlewares and the downloader.

    It stands next to the downloader (order 1000): there requests have all their headers, and answers are not yet decompressed,
    redirected or refused. Where the archive cannot be written the crawl ends, because an archive with holes is worth little to
    who relies on it: the page whose answer is not in the archive waits again, so that the crawl can be resumed without a loss.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if archive_folder(settings, "") is None:
            raise NotConfigured
        self._crawler = crawler
        self._archive: Archive | None = None
        self._unopened: ArchiveError | None = None
        self._ending: asyncio.Task[None] | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    @property
    def _crawl(self) -> Crawl | None:
        """None in an engine that only fetches (:mod:`topical_crawler.page_fetch`)."""
        return getattr(self._crawler.spider, "crawl", None)

    def opened(self, spider: object) -> None:
        crawl, settings = self._crawl, self._crawler.settings
        if crawl is None:
            return
        folder = archive_folder(settings, crawl.topic.name)
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
            self._archive = Archive(folder, crawl.options.name, about, worker, archive_megabytes(settings))
        except ArchiveError as error:
            self._unopened = error  # told with the first request: the engine cannot end before it has begun

    def process_request(self, request: Request) -> None:
        """No page is fetched any more once the archive has failed."""
        if self._unopened is not None and self._ending is None:
            self._give_up(self._unopened)
        if self._ending is not None:
            self._give_back(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Archive an exchange; the answer passes only if that was possible."""
        if self._archive is not None and self._ending is None and NOT_RECORDED not in response.flags:
            # Of the answer's body the time is not noted; the date is that of the request.
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
        if self._archive is not None:
            try:
                self._archive.close()
            except ArchiveError as error:
                logger.error("%s", error)

    def _give_back(self, request: Request) -> None:
        """A page waits in the frontier again. A robots.txt, which every run asks for anew, passes: its host's rules hold."""
        crawl, entry = self._crawl, request.meta.get("topical")
        if crawl is not None and isinstance(entry, Entry) and entry.key in crawl.in_flight:
            crawl.retry(entry, entry.url, entry.meta)
            raise IgnoreRequest("the archive cannot be written")

    def _give_up(self, error: ArchiveError) -> None:
        logger.critical("The crawl ends and can be resumed, because what it fetched could not be archived: %s", error)
        crawl, engine = self._crawl, self._crawler.engine
        assert crawl is not None and engine is not None
        crawl.failed = str(error)
        self._ending = asyncio.get_running_loop().create_task(engine.close_spider_async(reason=ARCHIVE_FAILED))


def _request(request: Request) -> Message:
    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = [] if b"Host" in request.headers else [("Host", parts.netloc.rpartition("@")[2].encode("latin-1", "replace"))]
    for name, value in _pairs(request.headers):
        headers.append((name, _MASK if name.lower().encode("latin-1") in _SECRETS else value))
    return Message(f"{request.method} {target} HTTP/1.1", tuple(headers), request.body)


def _response(response: Response) -> Message:
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:  # not one that a standard names
        phrase = ""
    # The downloader has joined the chunks: with the header, readers would look for them.
    headers = ((name, value) for name, value in _pairs(response.headers) if name.lower() != "transfer-encoding")
    protocol = response.protocol if (response.protocol or "").startswith("HTTP/1") else "HTTP/1.1"
    return Message(f"{protocol} {response.status} {phrase}".rstrip(), tuple(headers), response.body)


def _pairs(headers: Headers) -> list[tuple[str, bytes]]:
    return [(name.decode("latin-1"), value) for name, values in headers.items() for value in values]
