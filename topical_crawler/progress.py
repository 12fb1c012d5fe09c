"""Counts of a running crawl, for display."""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass, field


@dataclass
class Progress:
    """Counts of this run, for display."""

    started: float = field(default_factory=time.monotonic)
    pages: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    links: Counter[str] = field(default_factory=Counter)
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=100))
    best: float = 0.0
    latest: str = ""
    per_site: dict[str, list[float]] = field(default_factory=dict)

    def note(self, site: str, keep: bool, seconds: float) -> None:
        """Count one page of a site: whether it was kept, and how long its fetch took."""
        counts = self.per_site.setdefault(site, [0, 0, 0.0])
        counts[0] += 1
        counts[1] += keep
        counts[2] += seconds
        self.pages += 1
        self.kept += keep
        self.recent.append(keep)

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
