"""Survey of a crawl's sites before its page budget is spent: the yield of each section, and the promise of its waiting links."""

from __future__ import annotations

from typing import NamedTuple

from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.host_counts import folder
from topical_crawler.crawl.rescoring import MOST_RESCORED, scored
from topical_crawler.frontier.base import Frontier
from topical_crawler.strategies import Strategy
from topical_crawler.web.urls import REDIRECTED


class Section(NamedTuple):
    """A section of a site.

    Attributes:
        site: its host.
        folder: the first folder of its URLs, "/" for pages beside the home page.
        fetched, kept: numbers of pages.
        waiting: links to it, among the best 20,000.
        promise: sum of their scores. It orders sections, and estimates no number of texts: on recorded webs the estimate held
            the true number in a quarter of the sections.
    """

    site: str
    folder: str
    fetched: int
    kept: int
    waiting: int
    promise: float


def survey(store: CorpusStore, frontier: Frontier, strategy: Strategy) -> list[Section]:
    """Return the sections of all sites seen, the most promising first. Raise CorpusError if the corpus cannot be read."""
    found: dict[tuple[str, str], list[float]] = {}
    for record in store.records(Filters(rejected=True)):
        if record.reason != REDIRECTED:
            row = found.setdefault((record.host, folder(record.url)), [0, 0, 0, 0.0])
            row[0], row[1] = row[0] + 1, row[1] + record.keep
    for entry, score in zip(*scored(strategy, frontier, MOST_RESCORED), strict=True):
        row = found.setdefault((entry.host, folder(entry.url)), [0, 0, 0, 0.0])
        row[2], row[3] = row[2] + 1, row[3] + (score or 0.0)
    high = (strategy.kept_per_score or (0.0, 0.0))[1]
    sections = [
        Section(*place, int(fetched), int(kept), int(waiting), round(high * scores, 1))
        for place, (fetched, kept, waiting, scores) in found.items()
    ]
    return sorted(sections, key=lambda s: (-s.kept - s.promise, s.site, s.folder))
