"""Counts of a running crawl, for display and for metrics."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate

_DOWNLOAD = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0)
"""Up to DOWNLOAD_TIMEOUT; most of the web answers within a second."""
_PAGE = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
"""Up to TOPICAL_EXTRACT_TIMEOUT; a page off topic is judged in milliseconds, an extraction waits for its turn."""


class Durations:
    """How long something took, as counts of a histogram.

    Args:
        bounds: upper bounds of its buckets in seconds, rising; what took longer goes into a last one.
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
        """(bound, how many took no longer), the last bound being infinity.

        >>> durations = Durations((0.5, 1.0))
        >>> for seconds in (0.2, 0.5, 7.0):
        ...     durations.add(seconds)
        >>> durations.up_to()
        [(0.5, 2), (1.0, 2), (inf, 3)]
        """
        return list(zip((*self.bounds, float("inf")), accumulate(self._counts), strict=True))


@dataclass
class Progress:
    """Counts of this run, for display and for metrics."""

    started: float = field(default_factory=time.monotonic)
    pages: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    links: Counter[str] = field(default_factory=Counter)
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=100))
    best: float = 0.0
    latest: str = ""
    per_site: dict[str, list[float]] = field(default_factory=dict)
    storage_failures: int = 0
    download: Durations = field(default_factory=partial(Durations, _DOWNLOAD))
    page: Durations = field(default_factory=partial(Durations, _PAGE))

    def note(self, site: str, keep: bool, seconds: float, handled: float = 0.0) -> None:
        """Count one page of a site: whether it was kept, the seconds from its request to the answer (0: there was none), and
        those from the answer until the page was stored."""
        counts = self.per_site.setdefault(site, [0, 0, 0.0])
        counts[0] += 1
        counts[1] += keep
        counts[2] += seconds
        self.pages += 1
        self.kept += keep
        self.recent.append(keep)
        self.page.add(handled)
        if seconds > 0:
            self.download.add(seconds)

    def sites(self) -> list[tuple[str, int, int]]:
        """(site, pages fetched, pages kept)."""
        return [(site, int(n), int(kept)) for site, (n, kept, _) in self.per_site.items()]

    def latencies(self) -> list[tuple[str, float]]:
        """(site, mean seconds from the request to the answer)."""
        return [(site, seconds / n) for site, (n, _, seconds) in self.per_site.items() if seconds > 0]

    @property
    def harvest_rate(self) -> float:
        """Kept pages among the last 100 fetched, 0 to 1."""
        return sum(self.recent) / len(self.recent) if self.recent else 0.0
