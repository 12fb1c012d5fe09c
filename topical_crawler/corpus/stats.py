"""Counts over a corpus."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from topical_crawler.corpus.record import asked, density, pages
from topical_crawler.web.rights import NAMES
from topical_crawler.web.urls import REDIRECTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Numbers of pages fetched and kept, characters of the kept texts, bytes of all fetched bodies. Redirects do not count."""

    fetched: int
    kept: int
    characters: int
    size: int

    @property
    def harvest(self) -> float:
        """Share of the fetched pages kept, 0 to 1."""
        return self.kept / self.fetched if self.fetched else 0.0

    @property
    def density(self) -> float:
        """Characters of kept text per downloaded megabyte."""
        return density(self.characters, self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStats(Counts):
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats(Counts):
    """Counts over a corpus."""

    redirects: int  # addresses leading elsewhere
    rejected: dict[str, int]  # number of rejected pages by reason, the most frequent first
    rights: dict[str, int]  # number of kept pages by reservation (`web.rights.NAMES`)
    hosts: tuple[HostStats, ...]  # most kept pages first
    dated: int  # number of kept pages with a publication date
    first_date: str  # earliest and latest of those, "" without any
    last_date: str
    first_fetched: str  # times of the first and the last fetch
    last_fetched: str


def read_stats(connection: sa.Connection) -> Stats:
    """Count the pages of the corpus behind ``connection``."""
    number = sa.func.count()
    kept = sa.func.sum(sa.case((pages.c.keep, 1), else_=0))
    characters = sa.func.sum(sa.case((pages.c.keep, pages.c.characters), else_=0))
    by_host = sa.select(pages.c.host, number, kept, characters, sa.func.sum(pages.c.size))
    by_host = by_host.where(pages.c.reason != REDIRECTED).group_by(pages.c.host)
    hosts = [
        HostStats(host=host, fetched=fetched, kept=int(k), characters=int(c), size=int(s))
        for host, fetched, k, c, s in connection.execute(by_host)
    ]
    by_reason = sa.select(pages.c.reason, number).where(~pages.c.keep).group_by(pages.c.reason)
    reasons = {str(reason): int(count) for reason, count in connection.execute(by_reason)}
    redirects = reasons.pop(REDIRECTED, 0)
    of_rights = [sa.func.sum(sa.case((asked(name), 1), else_=0)) for name in NAMES]
    rights = connection.execute(sa.select(*of_rights).where(pages.c.keep, asked())).one()
    dates = sa.select(number, sa.func.min(pages.c.date), sa.func.max(pages.c.date)).where(pages.c.keep, pages.c.date != "")
    dated, first_date, last_date = connection.execute(dates).one()
    times = sa.select(sa.func.min(pages.c.fetched), sa.func.max(pages.c.fetched)).where(pages.c.fetched != "")
    first_fetched, last_fetched = connection.execute(times).one()
    return Stats(
        fetched=sum(h.fetched for h in hosts),
        kept=sum(h.kept for h in hosts),
        redirects=redirects,
        # Sorted here: the databases differ in the order of letters.
        rejected=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        rights={name: int(count) for name, count in zip(NAMES, rights, strict=True) if count},
        characters=sum(h.characters for h in hosts),
        size=sum(h.size for h in hosts),
        hosts=tuple(sorted(hosts, key=lambda h: (-h.kept, -h.fetched, h.host))),
        dated=dated,
        first_date=first_date or "",
        last_date=last_date or "",
        first_fetched=first_fetched or "",
        last_fetched=last_fetched or "",
    )
