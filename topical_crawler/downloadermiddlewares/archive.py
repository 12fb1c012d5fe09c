"""Archive of every exchange (``TOPICAL_ARCHIVE``)."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response

from topical_crawler import __version__, config
from topical_crawler.components import CrawlComponent, crawl_of, in_flight, send_back
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.downloadhandlers import NOT_RECORDED
from topical_crawler.recordings.writer import Archive, ArchiveError, Message

logger = logging.getLogger(__name__)

_SECRETS = frozenset((b"authorization", b"proxy-authorization", b"cookie"))


class ArchiveMiddleware(CrawlComponent):
    """Archive of every exchange as sent over the wire (``TOPICAL_ARCHIVE``).

    Next to the downloader (order 1000) requests have all their headers, and answers are not yet decompressed, redirected or
    refused. If the archive cannot be written, the crawl ends, and pages with unarchived answers are requeued.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if config.archive_folder(crawler.settings, "") is None:
            raise NotConfigured
        self._archive: Archive | None = None
        self._failed = False
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
            self._fail(crawl, error)

    def process_request(self, request: Request) -> None:
        """Stop fetching once the archive has failed."""
        if self._failed:
            self._give_back(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Archive an exchange. Block an answer unable to be archived."""
        crawl = crawl_of(self._crawler)
        if crawl is not None and self._archive is not None and not self._failed and NOT_RECORDED not in response.flags:
            # The date is that of the request.
            date = datetime.now(UTC) - timedelta(seconds=float(request.meta.get("download_latency") or 0.0))
            address = str(response.ip_address or "")
            try:
                self._archive.add(request.url, _request(request), _response(response), date, address)
            except ArchiveError as error:
                self._fail(crawl, error)
        if self._failed:
            self._give_back(request)
        return response

    def closed(self, spider: object) -> None:
        try:
            if self._archive is not None:
                self._archive.close()
        except ArchiveError as error:
            logger.error("%s", error)

    def _give_back(self, request: Request) -> None:
        """Requeue a page. A robots.txt passes, because every run fetches it again and its rules apply."""
        if (page := in_flight(self._crawler, request)) is not None:
            send_back(*page, "the archive cannot be written")

    def _fail(self, crawl: Crawl, error: ArchiveError) -> None:
        """Have the scheduler end the crawl."""
        self._failed = True
        crawl.fail(error)


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
    # The downloader has joined the chunks announced by this header.
    headers = ((name, value) for name, value in _pairs(response.headers) if name.lower() != "transfer-encoding")
    protocol = response.protocol if (response.protocol or "").startswith("HTTP/1") else "HTTP/1.1"
    return Message(f"{protocol} {response.status} {phrase}".rstrip(), tuple(headers), response.body)


def _pairs(headers: Headers) -> list[tuple[str, bytes]]:
    return [(name.decode("latin-1"), value) for name, values in headers.items() for value in values]
