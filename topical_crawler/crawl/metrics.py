"""Prometheus metrics of a crawl."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import isinf

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from topical_crawler import __version__
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.progress import Durations
from topical_crawler.frontier.base import State

logger = logging.getLogger(__name__)

MAX_LABELS = 50  # values of a label besides ``other``: Prometheus keeps a time series for each
_ALL = " Over all workers of a shared crawl: do not add the workers up."


class CrawlCollector(Collector):
    """Collector of a crawl's metrics at each scrape. ``downloaded`` returns the bytes received so far, None before any."""

    def __init__(self, crawl: Crawl, downloaded: Callable[[], int | None]) -> None:
        self._crawl = crawl
        self._downloaded = downloaded
        self._errors = 0
        self._warned = False

    def collect(self) -> Iterator[Metric]:
        yield from self._own()
        try:
            yield from list(self._frontier())
            self._warned = False
        except Exception as error:  # from any backend; neither the scrape nor the crawl may fail
            self._errors += 1
            if not self._warned:
                logger.warning("Metrics: the frontier cannot be asked, its figures are left out: %s", error)
            self._warned = True
        yield CounterMetricFamily("topical_scrape_errors", "Scrapes in which the frontier could not be asked.", self._errors)

    def _own(self) -> Iterator[Metric]:
        """Yield the metrics of this process since its start."""
        crawl, p = self._crawl, self._crawl.progress
        total = p.total
        about = {
            "topic": crawl.topic.name,
            "strategy": crawl.strategy.name,
            "version": __version__,
            "worker": crawl.options.worker,
            "crawl": crawl.options.name,
        }
        yield InfoMetricFamily("topical_crawl", "What is crawled, and by which worker.", about)
        yield CounterMetricFamily("topical_pages", "Pages fetched by this worker, failures counted, redirects not.", total.pages)
        yield CounterMetricFamily("topical_kept", "Pages that this worker put into the corpus.", total.kept)
        yield CounterMetricFamily(
            "topical_second_looks", "Pages of topical_kept_total that had been rejected when they were fetched.", p.second_looks
        )
        yield CounterMetricFamily("topical_characters", "Characters of the clean texts of the kept pages.", total.characters)
        yield CounterMetricFamily("topical_page_bytes", "Bytes of all pages, unpacked, also of the rejected.", total.size)
        text = "Fetched addresses that are not in the corpus; reason redirected is no page of topical_pages_total."
        yield _by_label("topical_rejected", text, "reason", p.reasons)
        yield _by_label("topical_links", "Links found: new ones, and others by why they are dropped.", "what", p.links)
        if (size := self._downloaded()) is not None:
            yield CounterMetricFamily("topical_bytes", "Bytes downloaded, as they came over the line, with their heads.", size)
        yield CounterMetricFamily("topical_storage_failures", "Times the corpus or frontier failed to store.", p.storage_failures)
        yield GaugeMetricFamily("topical_stall_seconds", "By how much the event loop was late at most.", p.stall)
        yield GaugeMetricFamily(
            "topical_harvest_rate", "Part of this worker's last 100 pages that was kept, 0 to 1.", p.recent.harvest_rate
        )
        barren = GaugeMetricFamily("topical_barren_hosts", "Hosts that give no text, by what is done.", labels=["standing"])
        barren.add_metric(["slowed"], len(crawl.policy.slowed - crawl.policy.left))
        barren.add_metric(["left"], len(crawl.policy.left))
        yield barren
        yield GaugeMetricFamily(
            "topical_best_priority", "Priority of what this worker fetched last, the best then; 1000000: a seed.", p.best
        )
        yield _histogram("topical_download_seconds", "From a page's request to the head of its answer.", p.download)
        yield _histogram("topical_page_seconds", "From a page's answer until it was judged, extracted and stored.", p.page)

    def _frontier(self) -> Iterator[Metric]:
        frontier = self._crawl.frontier
        status = frontier.status()
        counts, details = status.counts, status.details
        yield GaugeMetricFamily("topical_waiting", f"Links that wait.{_ALL}", counts[State.WAITING])
        yield GaugeMetricFamily("topical_in_flight", f"Pages being fetched or stored.{_ALL}", counts[State.IN_FLIGHT])
        yield GaugeMetricFamily("topical_hosts_waiting", f"Hosts with a waiting link.{_ALL}", status.hosts)
        if not frontier.shared:
            return
        if (n := details.get("workers")) is not None:
            yield GaugeMetricFamily("topical_workers", f"Workers that the shared crawl has heard of lately.{_ALL}", n)
        if (n := details.get("lease_expiries")) is not None:
            yield CounterMetricFamily("topical_lease_expiries", f"Leases that ran out: their pages wait again.{_ALL}", n)
        if (n := details.get("leases_lost")) is not None:
            yield CounterMetricFamily("topical_leases_lost", "Leases that ran out while this worker still had the page.", n)


def label(reason: str) -> str:
    """Return a reason as a label, without free text from a person or another program.

    >>> label("dropped: 第 17 页太短"), label("error: KeyError"), label("HTTP 404")
    ('dropped', 'error: KeyError', 'HTTP 404')
    """
    head, colon, _ = reason.partition(": ")
    return head if colon and head in ("dropped", "ignored") else reason


def _by_label(name: str, text: str, key: str, counts: Mapping[str, int]) -> CounterMetricFamily:
    """Return a counter by label. Only the first :data:`MAX_LABELS` labels get a series each.

    The choice is final: a counter merged into ``other`` later would fall.
    """
    family = CounterMetricFamily(name, text, labels=[key])
    by_label: Counter[str] = Counter()
    for reason, n in counts.items():
        value = label(reason)
        by_label[value if value in by_label or len(by_label) < MAX_LABELS else "other"] += n
    for value, n in by_label.items():
        family.add_metric([value], n)
    return family


def _histogram(name: str, text: str, durations: Durations) -> HistogramMetricFamily:
    buckets = [("+Inf" if isinf(bound) else str(bound), float(n)) for bound, n in durations.up_to()]
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=durations.seconds)
