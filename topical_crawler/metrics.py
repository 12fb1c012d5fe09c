"""A crawl in figures for Prometheus, served by the crawling process itself; off unless ``TOPICAL_METRICS_PORT`` is set.

A scrape is answered in the event loop, between two steps of the crawl: no thread touches it, and nothing is counted twice.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from math import isinf
from typing import Any, Self

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.statscollectors import StatsCollector
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import listen_tcp
from twisted.internet.error import CannotListenError
from twisted.internet.tcp import Port
from twisted.web.http import Request
from twisted.web.resource import Resource
from twisted.web.server import Site

from topical_crawler import __version__
from topical_crawler.crawl import Crawl
from topical_crawler.frontier import State
from topical_crawler.progress import Durations
from topical_crawler.spiders.topical import TopicalSpider

logger = logging.getLogger(__name__)

MAX_LABELS = 50
"""Values that a label may take besides ``other``: each one is a time series that Prometheus keeps."""
OTHER = "other"
_REMEDY = "Remedy: -s TOPICAL_METRICS_PORT=9650-9659 (the first that is free), auto (any), or 0 (no metrics)"
_ALL = " Over all workers of a shared crawl: do not add the workers up."


class CrawlMetrics:
    """Serves ``http://TOPICAL_METRICS_HOST:TOPICAL_METRICS_PORT/metrics`` while a crawl runs.

    A crawl does not end because of its metrics: where they cannot be served, an error is logged and the crawl goes on.
    """

    def __init__(self, crawler: Crawler) -> None:
        try:
            self._ports = ports(crawler.settings.get("TOPICAL_METRICS_PORT"))
        except ValueError as error:
            logger.error("%s. The crawl goes on without metrics. %s", error, _REMEDY)
            raise NotConfigured from None
        if not self._ports:
            raise NotConfigured
        self._crawler = crawler
        self._host = crawler.settings["TOPICAL_METRICS_HOST"]
        self._listening: Port | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def opened(self, spider: object) -> None:
        if not isinstance(spider, TopicalSpider):
            return
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(CrawlCollector(spider.crawl, self._crawler.stats))
        root: Any = Resource()  # type: ignore[no-untyped-call]
        root.putChild(b"metrics", Scraped(registry))
        site: Any = Site(root)  # type: ignore[no-untyped-call]
        site.noisy = False
        try:
            self._listening = listen_tcp(self._ports, self._host, site)
        except (CannotListenError, OSError) as error:
            logger.error("Metrics cannot be served: %s. The crawl goes on without them. %s", error, _REMEDY)
            return
        at = self._listening.getHost()  # type: ignore[no-untyped-call]
        shown = f"[{at.host}]" if ":" in at.host else at.host
        logger.info("Metrics: http://%s:%d/metrics", shown, at.port)

    async def closed(self, spider: object, reason: str) -> None:
        if self._listening is not None:
            await maybe_deferred_to_future(self._listening.stopListening())  # type: ignore[no-untyped-call]


def ports(value: Any) -> list[int]:
    """The first and the last port that ``TOPICAL_METRICS_PORT`` allows; one where it names one, 0 standing for any; none where
    nothing is to be served.

    Raises:
        ValueError: it is no port and no range.

    >>> ports("0"), ports("auto"), ports(9650), ports("9650-9659")
    ([], [0], [9650], [9650, 9659])
    """
    text = str(value or 0).strip()
    if text == "0":
        return []
    if text == "auto":
        return [0]
    found = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", text, re.ASCII)
    numbers = [int(part) for part in found.groups() if part] if found else []
    if not numbers or not 0 < numbers[0] <= numbers[-1] < 1 << 16:
        raise ValueError(f"TOPICAL_METRICS_PORT={value!r} is no port (1 to 65535) and no range of ports")
    return numbers


class Scraped(Resource):
    """What Prometheus fetches, in the format that it asks for."""

    def __init__(self, registry: CollectorRegistry) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._registry = registry

    def render_GET(self, request: Request) -> bytes:
        encode, content_type = choose_encoder(request.getHeader("accept") or "")
        request.setHeader("content-type", content_type)  # type: ignore[no-untyped-call]
        return encode(self._registry)


class CrawlCollector(Collector):
    """Reads a crawl when it is scraped.

    Args:
        stats: Scrapy's, which count bytes.
    """

    def __init__(self, crawl: Crawl, stats: StatsCollector) -> None:
        self._crawl = crawl
        self._stats = stats
        self._errors = 0
        self._said = False

    def collect(self) -> Iterator[Metric]:
        yield from self._own()
        try:
            asked = list(self._frontier())
            self._said = False
        except Exception as error:  # whatever the backend's: a scrape must not fail, nor the crawl
            asked = []
            self._errors += 1
            if not self._said:
                logger.warning("Metrics: the frontier cannot be asked, its figures are left out: %s", error)
            self._said = True
        yield from asked
        yield CounterMetricFamily("topical_scrape_errors", "Scrapes in which the frontier could not be asked.", self._errors)

    def _own(self) -> Iterator[Metric]:
        """What this process itself has done since it was started."""
        crawl, p = self._crawl, self._crawl.progress
        about = {
            "topic": crawl.topic.name,
            "strategy": crawl.strategy.name,
            "version": __version__,
            "worker": crawl.options.worker,
            "crawl": crawl.options.name,
        }
        yield InfoMetricFamily("topical_crawl", "What is crawled, and by which worker.", about)
        yield CounterMetricFamily("topical_pages", "Pages fetched by this worker, failures counted, redirects not.", p.pages)
        yield CounterMetricFamily("topical_kept", "Pages that this worker put into the corpus.", p.kept)
        yield CounterMetricFamily(
            "topical_second_looks", "Pages of topical_kept_total that had been rejected when they were fetched.", p.second_looks
        )
        yield CounterMetricFamily("topical_characters", "Characters of the clean texts of the kept pages.", p.total.characters)
        yield CounterMetricFamily("topical_page_bytes", "Bytes of all pages, unpacked, also of the rejected.", p.total.size)
        rejected = CounterMetricFamily(
            "topical_rejected",
            "Fetched addresses that are not in the corpus; reason redirected is no page of topical_pages_total.",
            labels=["reason"],
        )
        yield _filled(rejected, p.reasons)
        links = CounterMetricFamily(
            "topical_links", "Links found: new ones, and others by why they are dropped.", labels=["what"]
        )
        yield _filled(links, p.links)
        if (size := self._stats.get_value("downloader/response_bytes")) is not None:
            yield CounterMetricFamily("topical_bytes", "Bytes downloaded, as they came over the line, with their heads.", size)
        yield CounterMetricFamily("topical_storage_failures", "Times the corpus or frontier failed to store.", p.storage_failures)
        yield GaugeMetricFamily(
            "topical_harvest_rate", "Part of this worker's last 100 pages that was kept, 0 to 1.", p.recent.harvest_rate
        )
        barren = GaugeMetricFamily("topical_barren_hosts", "Hosts that give no text, by what is done.", labels=["standing"])
        barren.add_metric(["slowed"], len(crawl.rules.slowed - crawl.rules.left))
        barren.add_metric(["left"], len(crawl.rules.left))
        yield barren
        yield GaugeMetricFamily(
            "topical_best_priority", "Priority of what this worker fetched last, the best then; 1000000: a seed.", p.best
        )
        yield _histogram("topical_download_seconds", "From a page's request to the head of its answer.", p.download)
        yield _histogram("topical_page_seconds", "From a page's answer until it was judged, extracted and stored.", p.page)

    def _frontier(self) -> Iterator[Metric]:
        frontier = self._crawl.frontier
        counts = frontier.counts()
        yield GaugeMetricFamily("topical_waiting", f"Links that wait.{_ALL}", counts[State.WAITING])
        yield GaugeMetricFamily("topical_in_flight", f"Pages being fetched or stored.{_ALL}", counts[State.IN_FLIGHT])
        yield GaugeMetricFamily("topical_hosts_waiting", f"Hosts with a waiting link.{_ALL}", frontier.hosts())
        if not frontier.shared:
            return
        details = frontier.details()
        if (n := details.get("workers")) is not None:
            yield GaugeMetricFamily("topical_workers", f"Workers that the shared crawl has heard of lately.{_ALL}", n)
        if (n := details.get("lease_expiries")) is not None:
            yield CounterMetricFamily("topical_lease_expiries", f"Leases that ran out: their pages wait again.{_ALL}", n)
        if (n := details.get("leases_lost")) is not None:
            yield CounterMetricFamily("topical_leases_lost", "Leases that ran out while this worker still had the page.", n)


def label(reason: str) -> str:
    """A reason as a label: without the words of a person or of another program, which have no end.

    >>> label("dropped: 第 17 页太短"), label("error: KeyError"), label("HTTP 404")
    ('dropped', 'error: KeyError', 'HTTP 404')
    """
    head, colon, _ = reason.partition(": ")
    return head if colon and head in ("dropped", "ignored") else reason


def _filled(family: CounterMetricFamily, counts: Mapping[str, int]) -> CounterMetricFamily:
    """``family`` with one value for each label. The first :data:`MAX_LABELS` that came up keep a series of their own: one that
    moved to the others later would be a counter that falls."""
    found: Counter[str] = Counter()
    for reason, n in counts.items():
        name = label(reason)
        found[name if name in found or len(found) < MAX_LABELS else OTHER] += n
    for name, n in found.items():
        family.add_metric([name], n)
    return family


def _histogram(name: str, text: str, durations: Durations) -> HistogramMetricFamily:
    buckets = [("+Inf" if isinf(bound) else str(bound), float(n)) for bound, n in durations.up_to()]
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=durations.seconds)
