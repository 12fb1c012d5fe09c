"""Refresh runs (``-a refresh=1d``): choice of the pages to revisit, and a run limited to new content.

A *hub* is a page with links to texts of the corpus. Its future yield is estimated from the texts found there, weighted by
recency. A front page, the first place of new texts, scores far above the second page of its list and above articles with links
to others.
"""

from __future__ import annotations

import heapq
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import exp

from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.options import CrawlError
from topical_crawler.frontier.base import SEED_PRIORITY, Entry, Frontier
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.web.urls import fingerprint

logger = logging.getLogger(__name__)

MEMORY = 7.0
"""Days for a text's contribution to its hub to decay to 1 / e, counted back from the latest text of the corpus."""
LEAST = 0.1
"""Least expected number of new texts on a hub to revisit it."""
MOST_SHARE = 0.05
"""Largest share of the crawl's pages to revisit."""
TEXTS_AMONG = 5
"""One revisit in this many is for a text that may have changed."""
UNDATED = 30
"""Assumed age in days of an undated text when it was fetched."""
FEWEST = 5
"""Least number of revisits, even for the smallest crawl."""
SUNK = 1e6
"""Priority penalty of links from before a refresh: they wait for the next ordinary run."""
NOT_MODIFIED = "not modified"
"""Outcome of a revisit to a page unchanged by its host's account."""

_SUNK, _REFRESHING, _REFRESHED = "sunk", "refreshing", "refreshed"
_CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}


@dataclass(frozen=True, slots=True)
class Visited:
    """A fetched page, or one of its texts.

    Attributes:
        url: its URL.
        fetched: time of the last visit, ISO 8601.
        found_on: for a text, the first page linking to it. "" for a seed, and for a page without a text.
        date: for a text, its publication date, YYYY-MM-DD, or "" if unknown.
        is_seed: True if a person named the URL.
        is_text: True if it is in the corpus.
    """

    url: str
    fetched: str
    found_on: str = ""
    date: str = ""
    is_seed: bool = False
    is_text: bool = False


def due(pages: Iterable[Visited], fetched: int, seconds: float, now: datetime) -> list[str]:
    """Return the pages to revisit, the most promising first: seeds, and hubs with an expected yield.

    One in :data:`TEXTS_AMONG` is a text that may have changed. A text is checked again once its age has doubled since the last
    visit.

    Args:
        pages: all pages visited.
        fetched: number of pages fetched. At most :data:`MOST_SHARE` of them are returned.
        seconds: least time since the last visit.
        now: current time.

    >>> list_, old = (Visited(f"http://a.cn/{name}", "2024-05-03T08:00:00+00:00") for name in ("1", "9"))
    >>> texts = [Visited(f"http://a.cn/t{i}", "", list_.url, f"2024-05-0{i}") for i in (1, 2, 3)]
    >>> texts += [Visited("http://a.cn/t0", "", old.url, "2023-01-01")]
    >>> due([list_, old, *texts], 100, 86400, datetime(2024, 5, 4, 9, tzinfo=UTC))
    ['http://a.cn/1']
    """
    visits: dict[str, str] = {}
    texts: dict[str, int] = {}
    seeds: set[str] = set()
    given: defaultdict[str, list[int]] = defaultdict(list)
    latest, tomorrow = 0, now.toordinal() + 1  # tomorrow's date is possible by time zone; later ones are mistakes
    for page in pages:
        if page.fetched:
            visits[page.url] = page.fetched
            if page.is_text:
                texts[page.url] = _day(page.date)
        if page.is_seed:
            seeds.add(page.url)
        if page.found_on and 0 < (day := _day(page.date)) <= tomorrow:
            given[page.found_on].append(day)
            latest = max(latest, day)
    expected: dict[str, float] = {}
    for url, when in visits.items():
        age = _age(when, now)
        a_day = sum(exp((day - latest) / MEMORY) for day in given.get(url, ())) / MEMORY
        gain = a_day * max(age, seconds, 86_400.0) / 86_400.0
        if age >= seconds and (url in seeds or gain >= LEAST):
            expected[url] = gain + (url in seeds)
    most = max(FEWEST, int(MOST_SHARE * fetched))
    hubs = heapq.nsmallest(most - most // TEXTS_AMONG, expected, key=lambda url: (-expected[url], url))
    changes = _changes(visits, texts, seconds, now)
    for url in hubs:
        changes.pop(url, None)
    return [*hubs, *heapq.nsmallest(most // TEXTS_AMONG, changes, key=lambda url: (-changes[url], url))]


def _changes(visits: Mapping[str, str], texts: Mapping[str, int], seconds: float, now: datetime) -> dict[str, float]:
    """Return texts that may have changed, with the ratio of the time since the last visit to the age at that visit."""
    found = {}
    for url, day in texts.items():
        age = _age(visits[url], now)
        then = max(86_400.0, (now.toordinal() - day) * 86_400.0 - age if day else UNDATED * 86_400.0)  # age at the last visit
        if age >= max(seconds, then):
            found[url] = age / then
    return found


def _day(text: str) -> int:
    try:
        return date.fromisoformat(text[:10]).toordinal()
    except ValueError:
        return 0


def _age(when: str, now: datetime) -> float:
    """Return the seconds since ``when``, infinity for a visit without a time."""
    try:
        then = datetime.fromisoformat(when)
    except ValueError:
        return float("inf")
    return (now - then.replace(tzinfo=then.tzinfo or UTC)).total_seconds()


class Refresh:
    """A run for new content only: pages with a chance of new content go first, and all links waiting before go behind.

    Attributes:
        active: True if this run is a refresh.
        again: keys of the pages to revisit.
    """

    def __init__(self, frontier: Frontier, store: CorpusStore) -> None:
        self._frontier = frontier
        self._store = store
        self.active = False
        self.again: set[bytes] = set()

    def begin(self, seconds: float, fetched: int, listings: Collection[str]) -> None:
        """Queue the pages not visited for ``seconds``. An interrupted refresh resumes with its links in front.

        Args:
            seconds: least time since the last visit.
            fetched: pages of the crawl so far.
            listings: kinds of listings in use. All of these are revisited.

        Raises:
            CrawlError: the crawl has not fetched any page yet.
        """
        if not fetched:
            raise CrawlError(
                f"{self._frontier.status().details['place']} has no pages to refresh. Crawl first, without -a refresh"
            )
        assert isinstance(self._frontier, SqliteFrontier)  # others are rejected with the arguments
        if self._frontier.journal.load(_SUNK) != _REFRESHING:
            self._frontier.shift(-SUNK, -SUNK / 2)
            self._frontier.journal.save(_SUNK, _REFRESHING)
        read = [outcome.url for _, outcome in self._frontier.journal.outcomes() if outcome.reason in listings]
        visits = (Visited(url, at, on, date, not depth, keep) for url, at, depth, keep, date, on in self._store.visits())
        urls = [*dict.fromkeys(read), *due(visits, fetched, seconds, datetime.now(UTC))]
        places = {fingerprint(url): (url, SEED_PRIORITY + number) for number, url in enumerate(reversed(urls), 1)}
        self.again.update(places)
        self._frontier.revive({key: url for key, (url, _) in places.items()})
        self._frontier.reprice({key: priority for key, (_, priority) in places.items()})
        self.active = True
        logger.info("Refreshing: revisiting %d of %d pages", len(places), fetched)

    def lift(self) -> None:
        """Restore the priorities of links pushed back by an earlier refresh."""
        if isinstance(self._frontier, SqliteFrontier) and self._frontier.journal.load(_SUNK):
            self._frontier.shift(SUNK, -SUNK / 2)
            self._frontier.journal.save(_SUNK, "")

    def has_turn(self, now: float) -> bool:
        """Return True if the next entry to pop belongs to the refresh."""
        return (best := self._frontier.next(now).best) is not None and best >= -SUNK / 2

    def goes_on(self, in_flight: int) -> bool:
        """Return True if links of the refresh are waiting. Without any, and with nothing in flight, the refresh is over."""
        best = self._frontier.waiting(1)
        if not (more := bool(best) and best[0].priority > -SUNK / 2) and not in_flight:
            self._frontier.journal.save(_SUNK, _REFRESHED)
        return more

    def conditions(self, entry: Entry) -> dict[str, str]:
        """Return the headers of a conditional request for a revisited page."""
        if entry.key not in self.again:
            return {}
        row = self._store.get(entry.key.hex())
        known = row.why.get("validators", {}) if row is not None else self._frontier.journal.load(_validators(entry.key)) or {}
        return {header: known[name] for name, header in _CONDITIONS.items() if name in known}

    def remember(self, key: bytes, validators: Mapping[str, str]) -> None:
        """Save the validators of a listing, such as its ETag. A listing has no row in the corpus to hold them."""
        if validators:
            self._frontier.journal.save(_validators(key), validators)


def _validators(key: bytes) -> str:
    return f"validators {key.hex()}"
