"""Counts of a running crawl, for display and metrics."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate

from topical_crawler.corpus.dedup import PART
from topical_crawler.corpus.record import Record, Yield
from topical_crawler.frontier.base import UNREACHED, Pushed
from topical_crawler.items import PageItem
from topical_crawler.web.urls import REDIRECTED

_DOWNLOAD = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0)  # up to DOWNLOAD_TIMEOUT
_PAGE = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)  # up to TOPICAL_EXTRACT_TIMEOUT
STALL = 2.0
"""Seconds of lag in the event loop before missing answers are blamed on the crawler itself."""


class Durations:
    """A histogram of durations.

    Args:
        bounds: upper bounds of the buckets in seconds, ascending. A last bucket takes longer durations.
    """

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.seconds = 0.0
        self._counts = [0] * (len(bounds) + 1)

    def add(self, seconds: float) -> None:
        """Count one duration."""
        self._counts[bisect_left(self.bounds, seconds)] += 1
        self.seconds += seconds

    def up_to(self) -> list[tuple[float, int]]:
        """Return pairs of a bound and the number of durations up to it. The last bound is infinity.

        >>> durations = Durations((0.5, 1.0))
        >>> for seconds in (0.2, 0.5, 7.0):
        ...     durations.add(seconds)
        >>> durations.up_to()
        [(0.5, 2), (1.0, 2), (inf, 3)]
        """
        return list(zip((*self.bounds, float("inf")), accumulate(self._counts), strict=True))


@dataclass
class Progress:
    """Counts of this run, for display and metrics.

    Attributes:
        total: over all pages.
        sites: by host.
        reasons: first rejections by reason, and redirects followed.
        listings: sitemaps and feeds fetched, by outcome. They do not count as pages.
        second_looks: pages kept at a second look, included in the kept.
        stall: longest lag of the event loop in seconds (:meth:`note_stall`).
    """

    started: float = field(default_factory=time.monotonic)
    total: Yield = field(default_factory=Yield)
    sites: dict[str, Yield] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    links: Counter[str] = field(default_factory=Counter)
    listings: Counter[str] = field(default_factory=Counter)
    best: float = 0.0
    latest: str = ""
    storage_failures: int = 0
    second_looks: int = 0
    stall: float = 0.0
    _stalled: float = -math.inf
    download: Durations = field(default_factory=partial(Durations, _DOWNLOAD))
    page: Durations = field(default_factory=partial(Durations, _PAGE))
    _changed: Counter[str] = field(default_factory=Counter)  # changes of reasons by second looks and cleaning
    _recent: deque[Yield] = field(default_factory=lambda: deque(maxlen=100))

    def note_page(self, item: PageItem) -> None:
        """Count a finished page. A redirect counts only by its reason."""
        if item.is_listing:
            self.listings[item.reason] += 1
            return
        if item.reason:
            self.reasons[item.reason] += 1
        else:
            self.latest = item.title
        if item.reason != REDIRECTED:
            kept = not item.reason
            page = Yield(1, int(kept), item.size, len(item.text) if kept or item.reason == PART else 0, item.seconds)
            self.note(item.entry.host, page, time.monotonic() - item.arrived)

    def note(self, site: str, page: Yield, handled: float = 0.0) -> None:
        """Count one page of a site.

        Args:
            site: its host.
            page: its counts, with 0 seconds if no answer came.
            handled: seconds from the answer until the page was stored.
        """
        self.sites.setdefault(site, Yield()).add(page)
        self.total.add(page)
        self._recent.append(page)
        self.page.add(handled)
        if page.seconds > 0:
            self.download.add(page.seconds)

    def note_stall(self, seconds: float) -> None:
        """Record a lag of the event loop in seconds."""
        self.stall = max(self.stall, seconds)
        if seconds > STALL:
            self._stalled = time.monotonic()

    def has_stalled(self, within: float) -> bool:
        """Return True if this process was busy for longer than :data:`STALL` within the last ``within`` seconds.

        A missing answer then says nothing about its host.
        """
        return time.monotonic() - self._stalled < within

    def note_second_look(self, first: str, page: Record) -> None:
        """Count a second look at a page first rejected for the reason ``first``, in this run or an earlier one, as it is stored
        now.
        """
        self._changed[first] -= 1
        if page.reason:
            self._changed[page.reason] += 1
        if page.keep:
            gain = Yield(kept=1, characters=page.characters)
            self.sites.setdefault(page.host, Yield()).add(gain)
            self.total.add(gain)
            self.second_looks += 1

    @property
    def rejected(self) -> dict[str, int]:
        """Pages of this run rejected so far, by reason, most frequent first.

        With the kept pages they add up to all pages, unless a second look kept pages of an earlier run.
        """
        now = Counter(self.reasons)
        now.update(self._changed)
        del now[REDIRECTED]
        return {reason: n for reason, n in now.most_common() if n > 0}

    def note_changes(self, gains: Mapping[str, Yield], rejected: Mapping[str, int]) -> None:
        """Count later changes to stored texts: gains by site, and additional rejected pages by reason. Both may be negative."""
        for site, gain in gains.items():
            self.sites.setdefault(site, Yield()).add(gain)
            self.total.add(gain)
            if self.sites[site] == Yield():
                del self.sites[site]
        self._changed.update(rejected)

    def note_links(self, pushed: Pushed) -> Pushed:
        """Count the outcome of pushed links."""
        self.links["new"] += pushed.new
        self.links.update(pushed.dropped)
        return pushed

    def note_dropped(self, reason: str, links: int) -> None:
        """Count dropped links."""
        self.links[reason] += links

    @property
    def no_host_answered(self) -> bool:
        """True if pages were requested and all their hosts were unreachable."""
        return self.total.pages > 0 and UNREACHED.issuperset(self.reasons) and not self.total.kept

    @property
    def recent(self) -> Yield:
        """Totals of the last 100 pages."""
        total = Yield()
        for page in self._recent:
            total.add(page)
        return total

    @property
    def seconds(self) -> float:
        """Duration of this run, above 0."""
        return max(1e-9, time.monotonic() - self.started)

    @property
    def rate(self) -> float:
        """Pages per second."""
        return self.total.pages / self.seconds
