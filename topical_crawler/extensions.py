"""What a person sees of a crawl: a live display in a terminal, plain lines elsewhere, and a summary at the end."""

from __future__ import annotations

import asyncio
import logging
import shlex
import sys
from collections.abc import Iterable
from typing import Any, Self

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

from topical_crawler.crawl import Crawl
from topical_crawler.logs import log_format
from topical_crawler.progress import Progress
from topical_crawler.site_yield import Yield
from topical_crawler.spiders.topical import TopicalSpider

logger = logging.getLogger(__name__)

_REFRESH = 0.5
_SITES = 15
_LIVE_SITES = 8


def wants_live(settings: BaseSettings) -> bool:
    """Whether a crawl is shown live: asked for, or left to us and standard error is a terminal that no log file replaces; never
    where standard error is a log in JSON."""
    mode, file = settings.get("TOPICAL_DISPLAY"), settings.get("LOG_FILE")
    if log_format(settings) == "json" and not file:
        return False
    return mode == "live" or (mode == "auto" and sys.stderr.isatty() and not file)


class CrawlDisplay:
    """Shows a crawl as ``TOPICAL_DISPLAY`` says: ``live``, ``lines``, ``off``, or ``auto`` (live in a terminal)."""

    def __init__(self, crawler: Crawler) -> None:
        mode = crawler.settings.get("TOPICAL_DISPLAY")
        if mode not in ("auto", "live", "lines", "off"):
            raise ValueError(f"TOPICAL_DISPLAY={mode!r}: choose auto, live, lines or off")
        if mode == "off":
            raise NotConfigured
        self._crawler = crawler
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._json = log_format(crawler.settings) == "json"
        self._wants_live = wants_live(crawler.settings)
        self._interval = _REFRESH if self._wants_live else crawler.settings.getfloat("TOPICAL_DISPLAY_INTERVAL")
        self._timer: asyncio.TimerHandle | None = None
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

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
        elif self._crawl.progress.pages:
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
    """Log lines of a live display go above it, and only those that a person must see."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
            root.removeHandler(handler)
            above = RichHandler(console=console, show_path=False, level=logging.WARNING)
            root.addHandler(above)


def line_view(crawl: Crawl) -> str:
    """The state of a crawl in one line."""
    p, recent = crawl.progress, crawl.progress.recent
    links, hosts = crawl.still_waiting or ("?", "?")
    return (
        f"{crawl.fetched} pages, {p.kept} kept in this run, harvest rate of the last {recent.pages} {recent.harvest_rate:.0%}, "
        f"{p.total.megabytes:.1f} MB, {p.total.density:,.0f} characters/MB ({recent.density:,.0f} of the last {recent.pages}), "
        f"{links} waiting on {hosts} hosts, {len(crawl.in_flight)} in flight, "
        f"{p.pages / p.seconds:.1f} pages/s, best waiting {p.best:.3g}"
    )


def live_view(crawl: Crawl) -> Group:
    """The state of a crawl as a small panel, with the sites that most was downloaded from."""
    p, recent = crawl.progress, crawl.progress.recent
    links, hosts = crawl.still_waiting or ("?", "?")
    grid = Table.grid(padding=(0, 3))
    title = escape(crawl.topic.title)
    limit = f" of {crawl.options.max_pages}" if crawl.options.max_pages else ""
    grid.add_row(f"[bold]{title}[/]", f"pages [bold]{crawl.fetched}[/]{limit}", f"kept [bold green]{p.kept}[/]",
                 f"harvest rate [bold]{recent.harvest_rate:.0%}[/] of the last {recent.pages}")  # fmt: skip
    grid.add_row("", f"waiting [bold]{links}[/]", f"hosts [bold]{hosts}[/]",
                 f"[bold]{p.pages / p.seconds:.1f}[/] pages/s, {len(crawl.in_flight)} in flight, best {p.best:.3g}")  # fmt: skip
    grid.add_row("", f"MB [bold]{p.total.megabytes:.1f}[/]", "chars/MB",
                 f"[bold]{p.total.density:,.0f}[/], {recent.density:,.0f} of the last {recent.pages}")  # fmt: skip
    rejected = "  ".join(f"{reason} {n}" for reason, n in p.reasons.most_common(5))
    heaviest = sorted(p.sites, key=lambda site: (-p.sites[site].size, site))[:_LIVE_SITES]
    return Group(grid, _sites(crawl, heaviest),
                 Text(f"rejected: {rejected}", style="dim", overflow="ellipsis", no_wrap=True),
                 Text(f"latest:   {p.latest}", style="dim", overflow="ellipsis", no_wrap=True))  # fmt: skip


def _sites(crawl: Crawl, names: Iterable[str]) -> Table:
    """What some sites brought; of a barren one also what becomes of its links."""
    table = _table("site", "fetched", "kept", "harvest", "MB", "chars/MB", "")
    table.columns[0].max_width = 30  # that all stands in 80 columns
    for name in names:
        site, standing = crawl.progress.sites[name], crawl.rules.standing(name)
        counts = (str(site.pages), str(site.kept), f"{site.harvest_rate:.0%}", f"{site.megabytes:.1f}", f"{site.density:,.0f}")
        table.add_row(escape(name), *counts, f"[yellow]{standing}[/]")
    return table


def _by_yield(progress: Progress) -> list[str]:
    """The sites, those that brought most texts first."""
    return sorted(progress.sites, key=lambda site: (-progress.sites[site].kept, -progress.sites[site].pages, site))


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column(first, no_wrap=True, overflow="ellipsis", max_width=44)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def why_ended(crawl: Crawl, reason: str) -> str:
    """Why a crawl has ended, in words; ``reason`` is Scrapy's."""
    if crawl.limit_reached:
        return "page limit reached"
    if crawl.rules.barren:
        return f"{crawl.rules.end} pages in a row gave no text (TOPICAL_BARREN_END=0 goes on)"
    return {"finished": "nothing left to fetch", "shutdown": "stopped"}.get(reason, reason)


def figures(crawl: Crawl, reason: str) -> dict[str, Any]:
    """The summary of a crawl as JSON data."""
    p = crawl.progress
    return {
        "reason": reason,
        "pages": p.pages,
        "kept": p.kept,
        "kept_at_second_look": p.second_looks,
        "seconds": round(p.seconds, 1),
        **_yield(p.total),
        "rejected": dict(p.reasons.most_common()),
        "links": dict(p.links.most_common()),
        "hosts": len(p.sites),
        "hosts_slowed": len(crawl.rules.slowed - crawl.rules.left),
        "hosts_left": len(crawl.rules.left),
        "sites": {
            name: {"pages": p.sites[name].pages, "kept": p.sites[name].kept, **_yield(p.sites[name])}
            for name in _by_yield(p)[:_SITES]
        },
        "waiting": crawl.still_waiting[0] if crawl.still_waiting else None,
        "corpus": crawl.store.name,
    }


def _yield(found: Yield) -> dict[str, Any]:
    return {"bytes": found.size, "characters": found.characters, "characters_per_megabyte": round(found.density)}


def summary(crawl: Crawl, reason: str) -> Group:
    """What a crawl brought: kept, rejected by reason, per site, slowest hosts, where the corpus is, what to do next."""
    p = crawl.progress
    head = Text.from_markup(
        f"\n[bold]{escape(crawl.topic.title)}[/]: {escape(why_ended(crawl, reason))}. "
        f"This run: {p.pages} pages in {p.seconds:.0f} s, [bold green]{p.kept} kept[/]"
        + (f" ({p.total.harvest_rate:.0%})" if p.pages else "")
        + f"; {p.total.megabytes:.1f} MB, {p.total.density:,.0f} characters/MB"
    )
    names = _by_yield(p)
    sites = _sites(crawl, names[:_SITES])
    if len(names) > _SITES:
        sites.add_row(f"… and {len(names) - _SITES} more", style="dim")
    sites.add_row("")
    reasons = _table("rejected because", "pages")
    for name, n in p.reasons.most_common():
        reasons.add_row(escape(name), str(n))
    if p.second_looks:
        reasons.add_row("kept at a second look", f"-{p.second_looks}")
    links = _table("links not followed", "found")
    for name, n in p.links.most_common():
        if name != "new" and n:
            links.add_row(escape(name), str(n))
    slow = _table("slowest hosts", "s a page")
    for mean, name in sorted(((site.seconds / site.pages, name) for name, site in p.sites.items()), reverse=True)[:5]:
        if mean >= 0.01:  # a replay answers at once
            slow.add_row(escape(name), f"{mean:.2f}")
    right = Table.grid()
    for table in (reasons, links, slow):
        if table.row_count:
            right.add_row(table)
            right.add_row("")
    side = Columns([sites, right], padding=(0, 3))  # one below the other where the terminal is narrow
    waiting, barren, left = crawl.still_waiting, crawl.rules.slowed, crawl.rules.left
    place = shlex.quote(crawl.store.name if crawl.options.corpus else str(crawl.options.data_dir))
    last = Text(
        f"\nCorpus: {crawl.store.name}; {'links' if waiting is None else f'{waiting[0]} links'} still wait"
        + (" (the same command goes on)" if waiting != (0, 0) else "")
        + (f"\nBarren: {len(barren - left)} hosts slowed, {len(left)} left" if barren else "")
        + f"\nNext:   scrapy corpus stats {place}\n        scrapy corpus export {place} --format jsonl -o corpus.jsonl\n"
    )
    return Group(head, side, last)
