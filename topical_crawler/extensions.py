"""Extensions: the display of a crawl with its summary, and its Prometheus metrics."""

from __future__ import annotations

import asyncio
import io
import logging
import re
import sys
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from rich.console import Console
from rich.live import Live
from rich.logging import RichHandler
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import listen_tcp
from twisted.internet.error import CannotListenError
from twisted.internet.tcp import Port
from twisted.web.http import Request
from twisted.web.resource import Resource
from twisted.web.server import Site

from topical_crawler import config
from topical_crawler.components import CrawlComponent, crawl_of
from topical_crawler.crawl.metrics import CrawlCollector
from topical_crawler.crawl.views import figures, line_view, live_view, summary, why_ended
from topical_crawler.logs import log_format, mask

logger = logging.getLogger(__name__)

_REFRESH = 0.5
_REMEDY = "Set -s TOPICAL_METRICS_PORT=9650-9659 (the first free one), auto (any), or 0 (no metrics)"


def wants_live(settings: BaseSettings) -> bool:
    """Return True to show a crawl live: on request, or by default in a terminal without a log file, but never beside a JSON
    log.
    """
    mode, file = config.display_mode(settings), settings.get("LOG_FILE")
    if log_format(settings) == "json" and not file:
        return False
    return mode == "live" or (mode == "auto" and sys.stderr.isatty() and not file)


class CrawlDisplay(CrawlComponent):
    """Display of a crawl by ``TOPICAL_DISPLAY``: ``live``, ``lines``, ``off``, or ``auto`` (live in a terminal)."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if config.display_mode(crawler.settings) == "off":
            raise NotConfigured
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._json = log_format(crawler.settings) == "json"
        self._to_file = bool(crawler.settings.get("LOG_FILE"))
        self._wants_live = wants_live(crawler.settings)
        self._interval = _REFRESH if self._wants_live else config.display_interval(crawler.settings)
        self._timer: asyncio.TimerHandle | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    def opened(self, spider: object) -> None:
        if (crawl := crawl_of(self._crawler)) is None:
            return
        self._crawl = crawl
        if self._wants_live:
            _log_above(self._console)
            self._live = Live(live_view(self._crawl), console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._tick()

    def _tick(self) -> None:
        if self._live is not None:
            self._live.update(live_view(self._crawl), refresh=True)
        elif self._crawl.progress.total.pages:
            logger.info("%s", line_view(self._crawl))
        self._timer = asyncio.get_running_loop().call_later(self._interval, self._tick)

    def closed(self, spider: object, reason: str) -> None:
        if crawl_of(self._crawler) is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        if self._live is not None:
            self._live.stop()
        if self._json:
            logger.info("The crawl has ended: %s", why_ended(self._crawl, reason), extra={"data": figures(self._crawl, reason)})
        if self._wants_live or not self._json:
            console = self._console if self._wants_live else Console(stderr=True, width=120)
            console.print(report := summary(self._crawl, reason))
            if self._to_file:  # under scrapyd, its job's log
                Console(width=120, file=(plain := io.StringIO())).print(report)
                logger.info("%s", plain.getvalue())


def _log_above(console: Console) -> None:
    """Print warnings and errors above the live display, and no other log lines."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
            root.removeHandler(handler)
            above = RichHandler(console=console, show_path=False, level=logging.WARNING)
            mask(above)
            root.addHandler(above)


class CrawlMetrics(CrawlComponent):
    """Metrics server at ``http://TOPICAL_METRICS_HOST:TOPICAL_METRICS_PORT/metrics`` during a crawl, off unless the port is
    set.

    Scrapes are answered in the event loop between two steps of the crawl. If the metrics cannot be served, an error is logged
    and the crawl continues.
    """

    def __init__(self, crawler: Crawler) -> None:
        try:
            port, self._host = config.metrics_address(crawler.settings)
            self._ports = ports(port)
        except ValueError as error:
            logger.error("%s. The crawl continues without metrics. %s", error, _REMEDY)
            raise NotConfigured from None
        if not self._ports:
            raise NotConfigured
        super().__init__(crawler)
        self._listening: Port | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    def opened(self, spider: object) -> None:
        if (crawl := crawl_of(self._crawler)) is None:
            return
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(CrawlCollector(crawl, partial(self._crawler.stats.get_value, "downloader/response_bytes")))
        root: Any = Resource()  # type: ignore[no-untyped-call]
        root.putChild(b"metrics", Scraped(registry))
        site: Any = Site(root)  # type: ignore[no-untyped-call]
        site.noisy = False
        try:
            self._listening = listen_tcp(self._ports, self._host, site)
        except (CannotListenError, OSError) as error:
            logger.error("Metrics cannot be served: %s. The crawl continues without them. %s", error, _REMEDY)
            return
        at = self._listening.getHost()  # type: ignore[no-untyped-call]
        shown = f"[{at.host}]" if ":" in at.host else at.host
        logger.info("Metrics: http://%s:%d/metrics", shown, at.port)

    async def closed(self, spider: object, reason: str) -> None:
        if self._listening is not None:
            await maybe_deferred_to_future(self._listening.stopListening())  # type: ignore[no-untyped-call]


def ports(value: Any) -> list[int]:
    """Return the first and last port allowed by ``TOPICAL_METRICS_PORT``: one port (0: any), a range, or [] for off.

    Raises:
        ValueError: invalid value.

    >>> ports("0"), ports("auto"), ports(9650), ports("9650-9659")
    ([], [0], [9650], [9650, 9659])
    """
    text = str(value or 0).strip()
    if text == "0":
        return []
    if text == "auto":
        return [0]
    match = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", text, re.ASCII)
    numbers = [int(part) for part in match.groups() if part] if match else []
    if not numbers or not 0 < numbers[0] <= numbers[-1] < 1 << 16:
        raise ValueError(f"TOPICAL_METRICS_PORT={value!r} is neither a port (1 to 65535) nor a range of ports")
    return numbers


class Scraped(Resource):
    """Page with the metrics, in the format requested by Prometheus."""

    def __init__(self, registry: CollectorRegistry) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._registry = registry

    def render_GET(self, request: Request) -> bytes:
        encode, content_type = choose_encoder(request.getHeader("accept") or "")
        request.setHeader("content-type", content_type)  # type: ignore[no-untyped-call]
        return encode(self._registry)
