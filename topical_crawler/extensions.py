"""Extensions: the display of a crawl with its summary, and its metrics for Prometheus."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from math import isinf
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector
from rich.columns import Columns
from rich.console import Console, Group
from rich.live import Live
from rich.logging import RichHandler
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.reactor import listen_tcp
from twisted.internet.error import CannotListenError
from twisted.internet.tcp import Port
from twisted.web.http import Request
from twisted.web.resource import Resource
from twisted.web.server import Site

from topical_crawler import __version__, config
from topical_crawler.components import CrawlComponent
from topical_crawler.corpus.record import Yield
from topical_crawler.crawl.crawl import STORAGE_ERRORS, Crawl
from topical_crawler.crawl.estimate import Estimate
from topical_crawler.crawl.link_policy import FORESIGHT
from topical_crawler.crawl.progress import Durations, Progress
from topical_crawler.frontier import REDIRECTED, State
from topical_crawler.logs import log_format, mask
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.text import counted

logger = logging.getLogger(__name__)

_REFRESH = 0.5
_SITES, _LIVE_SITES = 15, 8


def wants_live(settings: BaseSettings) -> bool:
    """Whether to show a crawl live: on request, or by default in a terminal without a log file; never beside a JSON log."""
    mode, file = config.display_mode(settings), settings.get("LOG_FILE")
    if log_format(settings) == "json" and not file:
        return False
    return mode == "live" or (mode == "auto" and sys.stderr.isatty() and not file)


class CrawlDisplay(CrawlComponent):
    """Shows a crawl as ``TOPICAL_DISPLAY`` says: ``live``, ``lines``, ``off``, or ``auto`` (live in a terminal)."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if config.display_mode(crawler.settings) == "off":
            raise NotConfigured
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._json = log_format(crawler.settings) == "json"
        self._wants_live = wants_live(crawler.settings)
        self._interval = _REFRESH if self._wants_live else config.display_interval(crawler.settings)
        self._timer: asyncio.TimerHandle | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    def opened(self, spider: object) -> None:
        if not isinstance(spider, TopicalSpider):
            return
        self._crawl = spider.crawl
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
        if not isinstance(spider, TopicalSpider):
            return
        if self._timer is not None:
            self._timer.cancel()
        if self._live is not None:
            self._live.stop()
        if self._json:
            logger.info("The crawl has ended: %s", why_ended(self._crawl, reason), extra={"data": figures(self._crawl, reason)})
        if self._wants_live or not self._json:
            console = self._console if self._wants_live else Console(stderr=True, width=120)
            console.print(summary(self._crawl, reason))


def _log_above(console: Console) -> None:
    """Print warnings and errors above the live display, and no other log lines."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
            root.removeHandler(handler)
            above = RichHandler(console=console, show_path=False, level=logging.WARNING)
            mask(above)
            root.addHandler(above)


def line_view(crawl: Crawl) -> str:
    """The state of a crawl in one line."""
    p, recent = crawl.progress, crawl.progress.recent
    links, hosts = waiting(crawl) or ("?", "?")
    return (
        f"{counted(crawl.policy.fetched, 'page')}, {p.total.kept} kept in this run, "
        f"harvest rate of the last {recent.pages} {recent.harvest_rate:.0%}, "
        f"{p.total.megabytes:.1f} MB, {p.total.density:,.0f} characters/MB ({recent.density:,.0f} of the last {recent.pages}), "
        f"{links} waiting on {hosts} hosts, {len(crawl.in_flight)} in flight, {p.rate:.1f} pages/s, best waiting {p.best:.3g}"
        + (f", {counted(marked, 'text')} marked" if (marked := len(crawl.control.marks.urls)) else "")
    )


def live_view(crawl: Crawl) -> Group:
    """The state of a crawl as a small panel, with the sites from which most was downloaded."""
    p, recent = crawl.progress, crawl.progress.recent
    links, hosts = waiting(crawl) or ("?", "?")
    grid = Table.grid(padding=(0, 3))
    title = escape(crawl.topic.title)
    limit = f" of {crawl.options.max_pages}" if crawl.options.max_pages else ""
    grid.add_row(f"[bold]{title}[/]", f"pages [bold]{crawl.policy.fetched}[/]{limit}", f"kept [bold green]{p.total.kept}[/]",
                 f"harvest rate [bold]{recent.harvest_rate:.0%}[/] of the last {recent.pages}")  # fmt: skip
    marked = f"{counted(n, 'text')} marked" if (n := len(crawl.control.marks.urls)) else ""
    grid.add_row(marked, f"waiting [bold]{links}[/]", f"hosts [bold]{hosts}[/]",
                 f"[bold]{p.rate:.1f}[/] pages/s, {len(crawl.in_flight)} in flight, best {p.best:.3g}")  # fmt: skip
    grid.add_row("", f"MB [bold]{p.total.megabytes:.1f}[/]", "chars/MB",
                 f"[bold]{p.total.density:,.0f}[/], {recent.density:,.0f} of the last {recent.pages}")  # fmt: skip
    rejected = "  ".join(f"{reason} {n}" for reason, n in [*p.rejected.items()][:5])
    heaviest = sorted(p.sites, key=lambda site: (-p.sites[site].size, site))[:_LIVE_SITES]
    return Group(grid, _sites(crawl, heaviest),
                 Text(f"rejected: {rejected}", style="dim", overflow="ellipsis", no_wrap=True),
                 Text(f"latest:   {p.latest}", style="dim", overflow="ellipsis", no_wrap=True))  # fmt: skip


def _sites(crawl: Crawl, names: Iterable[str]) -> Table:
    """What some sites brought, and whether a barren one is slowed or left."""
    table = _table("site", "fetched", "kept", "harvest", "MB", "chars/MB", "")
    table.columns[0].max_width = 30  # so that the table fits into 80 columns
    for name in names:
        site, standing = crawl.progress.sites[name], crawl.policy.standing(name)
        counts = (str(site.pages), str(site.kept), f"{site.harvest_rate:.0%}", f"{site.megabytes:.1f}", f"{site.density:,.0f}")
        table.add_row(escape(name), *counts, f"[yellow]{standing}[/]")
    return table


def _by_yield(progress: Progress) -> list[str]:
    """Sites by texts kept, most first."""
    return sorted(progress.sites, key=lambda site: (-progress.sites[site].kept, -progress.sites[site].pages, site))


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column(first, no_wrap=True, overflow="ellipsis", max_width=44)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def waiting(crawl: Crawl) -> tuple[int, int] | None:
    """How many links wait, on how many hosts; None where the frontier cannot be asked any more."""
    with suppress(*STORAGE_ERRORS):
        return None if crawl.failed else (len(crawl.frontier), crawl.frontier.status().hosts)
    return None


def why_ended(crawl: Crawl, reason: str) -> str:
    """Why a crawl ended, in words; ``reason`` is Scrapy's."""
    if crawl.policy.limit_reached(len(crawl.in_flight)):
        return "page limit reached"
    if crawl.policy.barren:
        return f"{crawl.policy.end} pages in a row gave no text (TOPICAL_BARREN_END=0 goes on)"
    if crawl.policy.spent:
        return f"the next {FORESIGHT} pages promise {crawl.policy.expected:.1f} texts (TOPICAL_BARREN_END=0 goes on)"
    return {"finished": "nothing left to fetch", "shutdown": "stopped"}.get(reason, reason)


def in_words(estimate: Estimate) -> str:
    """What a corpus holds, in words."""
    return (
        f"{estimate.precision:.0%} of the kept texts on topic; about {estimate.recall:.0%} of what these sites hold is kept "
        f"({estimate.least:.0%} to 100%)"
    )


def figures(crawl: Crawl, reason: str) -> dict[str, Any]:
    """The summary of a crawl as JSON data."""
    p = crawl.progress
    return {
        "reason": reason,
        **_figures(p.total),
        "kept_at_second_look": p.second_looks,
        "marked": len(crawl.control.marks.urls),
        "taken_back_at_end": crawl.taking_back.done.pages,
        "cleaned_at_end": crawl.taking_back.cleaned.done.changed if crawl.taking_back.cleaned else 0,
        "seconds": round(p.seconds, 1),
        "rejected": p.rejected,
        "links": dict(p.links.most_common()),
        "listings": dict(p.listings.most_common()),
        "hosts": len(p.sites),
        "hosts_slowed": len(crawl.policy.slowed - crawl.policy.left),
        "hosts_left": len(crawl.policy.left),
        "sites": {name: _figures(p.sites[name]) for name in _by_yield(p)[:_SITES]},
        "expected": crawl.estimate and dataclasses.asdict(crawl.estimate),
        "waiting": (waiting(crawl) or (None,))[0],
        "corpus": crawl.store.name,
    }


def _figures(total: Yield) -> dict[str, Any]:
    volume = {"bytes": total.size, "characters": total.characters, "characters_per_megabyte": round(total.density)}
    return {"pages": total.pages, "kept": total.kept, **volume}


def summary(crawl: Crawl, reason: str) -> Group:
    """The summary of a crawl: kept and rejected pages, sites, slowest hosts, where the corpus is, what to do next."""
    p = crawl.progress
    head = Text.from_markup(
        f"\n[bold]{escape(crawl.topic.title)}[/]: {escape(why_ended(crawl, reason))}. This run: {counted(p.total.pages, 'page')}"
        + (f" and {counted(p.reasons[REDIRECTED], 'redirect')}" if p.reasons[REDIRECTED] else "")
        + (f", {p.listings.total()} sitemaps and feeds" if p.listings else "")
        + f" in {p.seconds:.0f} s, [bold green]{p.total.kept} kept[/]"
        + (f" ({p.total.harvest_rate:.0%})" if p.total.pages else "")
        + (f", {p.second_looks} of them at a second look" if p.second_looks else "")
        + f"; {p.total.megabytes:.1f} MB, {p.total.density:,.0f} characters/MB"
    )
    names = _by_yield(p)
    sites = _sites(crawl, names[:_SITES])
    if len(names) > _SITES:
        sites.add_row(f"… and {len(names) - _SITES} more", style="dim")
    sites.add_row("")
    links = {name: n for name, n in p.links.most_common() if name != "new" and n}
    slowest = sorted(((site.seconds / site.pages, name) for name, site in p.sites.items() if site.pages), reverse=True)[:5]
    slow = {name: f"{mean:.2f}" for mean, name in slowest if mean >= 0.01}  # a replay answers at once
    right = Table.grid()
    blocks: tuple[tuple[str, str, Mapping[str, object]], ...] = (
        ("rejected because", "pages", p.rejected),
        ("links not followed", "found", links),
        ("slowest hosts", "s a page", slow),
    )
    for *header, rows in blocks:
        table = _table(*header)
        for name, value in rows.items():
            table.add_row(escape(name), str(value))
        if rows:
            right.add_row(table)
            right.add_row("")
    side = Columns([sites, right], padding=(0, 3))  # one below the other where the terminal is narrow
    wait, barren, left = waiting(crawl), crawl.policy.slowed, crawl.policy.left
    clean = crawl.taking_back.cleaned.done.changed if crawl.taking_back.cleaned else 0
    back = crawl.taking_back.done.pages
    place = shlex.quote(crawl.store.name if crawl.options.corpus else str(crawl.options.data_dir))
    last = Text(
        f"\nCorpus: {crawl.store.name}; {'links' if wait is None else counted(wait[0], 'link')} still waiting"
        + (" (the same command goes on)" if wait != (0, 0) else "")
        + (f"\nExpect: {in_words(crawl.estimate)}" if crawl.estimate else "")
        + (f"\nBarren: {counted(len(barren - left), 'host')} slowed, {len(left)} left" if barren else "")
        + (f"\nBack:   {counted(back, 'text')} taken back: off topic, by what the crawl has learned since" if back else "")
        + (f"\nClean:  {counted(clean, 'text')} cleaned once more of lines that their sites repeat" if clean else "")
        + f"\nNext:   topical-crawler corpus stats {place}\n        topical-crawler corpus export {place} -o corpus.jsonl\n"
    )
    return Group(head, side, last)


# -- metrics

MAX_LABELS = 50  # values of a label besides ``other``: Prometheus keeps a time series for each
_REMEDY = "Remedy: -s TOPICAL_METRICS_PORT=9650-9659 (the first that is free), auto (any), or 0 (no metrics)"
_ALL = " Over all workers of a shared crawl: do not add the workers up."


class CrawlMetrics(CrawlComponent):
    """Serves ``http://TOPICAL_METRICS_HOST:TOPICAL_METRICS_PORT/metrics`` while a crawl runs; off unless the port is set.

    A scrape is answered in the event loop between two steps of the crawl. Where metrics cannot be served, an error is logged and
    the crawl goes on.
    """

    def __init__(self, crawler: Crawler) -> None:
        try:
            port, self._host = config.metrics_address(crawler.settings)
            self._ports = ports(port)
        except ValueError as error:
            logger.error("%s. The crawl goes on without metrics. %s", error, _REMEDY)
            raise NotConfigured from None
        if not self._ports:
            raise NotConfigured
        super().__init__(crawler)
        self._listening: Port | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

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
    """The first and the last port that ``TOPICAL_METRICS_PORT`` allows: one port (0: any), a range, or none where it is off.
    Raises ValueError for anything else.

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
        raise ValueError(f"TOPICAL_METRICS_PORT={value!r} is no port (1 to 65535) and no range of ports")
    return numbers


class Scraped(Resource):
    """The page that Prometheus fetches, in the format that it asks for."""

    def __init__(self, registry: CollectorRegistry) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._registry = registry

    def render_GET(self, request: Request) -> bytes:
        encode, content_type = choose_encoder(request.getHeader("accept") or "")
        request.setHeader("content-type", content_type)  # type: ignore[no-untyped-call]
        return encode(self._registry)


class CrawlCollector(Collector):
    """Reads a crawl when it is scraped; ``stats`` are Scrapy's, which count bytes."""

    def __init__(self, crawl: Crawl, stats: StatsCollector) -> None:
        self._crawl = crawl
        self._stats = stats
        self._errors = 0
        self._warned = False

    def collect(self) -> Iterator[Metric]:
        yield from self._own()
        try:
            yield from list(self._frontier())
            self._warned = False
        except Exception as error:  # of any backend: neither the scrape nor the crawl may fail
            self._errors += 1
            if not self._warned:
                logger.warning("Metrics: the frontier cannot be asked, its figures are left out: %s", error)
            self._warned = True
        yield CounterMetricFamily("topical_scrape_errors", "Scrapes in which the frontier could not be asked.", self._errors)

    def _own(self) -> Iterator[Metric]:
        """What this process has done since it started."""
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
        if (size := self._stats.get_value("downloader/response_bytes")) is not None:
            yield CounterMetricFamily("topical_bytes", "Bytes downloaded, as they came over the line, with their heads.", size)
        yield CounterMetricFamily("topical_storage_failures", "Times the corpus or frontier failed to store.", p.storage_failures)
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
    """A reason as a label, without the free text of a person or another program.

    >>> label("dropped: 第 17 页太短"), label("error: KeyError"), label("HTTP 404")
    ('dropped', 'error: KeyError', 'HTTP 404')
    """
    head, colon, _ = reason.partition(": ")
    return head if colon and head in ("dropped", "ignored") else reason


def _by_label(name: str, text: str, key: str, counts: Mapping[str, int]) -> CounterMetricFamily:
    """A counter for each label. The first :data:`MAX_LABELS` labels keep series of their own: a counter whose label joined the
    others later would fall."""
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
