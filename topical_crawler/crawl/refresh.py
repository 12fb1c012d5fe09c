"""Which pages of a crawl are visited again for what is new (``-a refresh=1d``), and a run that only does that.

A *hub* is a page that links to texts of the corpus. What it will give is learned from what it has given: the texts that were
found there, the latest counting most. A front page, where new texts are found first, stands far above the second page of its list
and above articles that link to others.
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
"""Days in which what a text says of its hub fades to 1 / e, from the latest text of the corpus back."""
LEAST = 0.1
"""New texts that a hub must be expected to give to be visited."""
MOST_SHARE = 0.05
"""Most pages that a refresh visits again, as a share of all pages of the crawl."""
TEXTS_AMONG = 5
"""Of so many visits one is for a text that may have changed."""
UNDATED = 30
"""Days that a text without a date is taken to be old when it is fetched."""
FEWEST = 5
"""So many are visited again of the smallest crawl."""
SUNK = 1e6
"""What links that waited before a refresh fall behind by: they wait for the next ordinary run."""
NOT_MODIFIED = "not modified"
"""What came of a visit to a page that its host says has not changed."""

_SUNK, _REFRESHING, _REFRESHED = "sunk", "refreshing", "refreshed"
_CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}


@dataclass(frozen=True, slots=True)
class Visited:
    """A fetched page, or a text of it.

    Attributes:
        url: its address.
        fetched: when it was visited last, ISO 8601.
        found_on: of a text, the page that linked to it first; "" of a seed, and of a page without a text.
        date: of a text, when it was published, YYYY-MM-DD; "" where that is not known.
        is_seed: whether a person named the address.
        is_text: whether it is in the corpus.
    """

    url: str
    fetched: str
    found_on: str = ""
    date: str = ""
    is_seed: bool = False
    is_text: bool = False


def due(pages: Iterable[Visited], fetched: int, seconds: float, now: datetime) -> list[str]:
    """The pages to visit again, the one that promises most first: seeds, and hubs that are expected to have something new. None
    was visited in the last ``seconds``; at most :data:`MOST_SHARE` of the ``fetched`` pages. One in :data:`TEXTS_AMONG` is a text
    that may have changed: each is looked at again when it is twice as old as the last time.

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
    latest, tomorrow = 0, now.toordinal() + 1  # it may be tomorrow there; a date beyond is a mistake
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
    """Texts that may have changed, with the share by which each has aged since it was looked at."""
    found = {}
    for url, day in texts.items():
        age = _age(visits[url], now)
        then = max(86_400.0, (now.toordinal() - day) * 86_400.0 - age if day else UNDATED * 86_400.0)  # how old it was
        if age >= max(seconds, then):
            found[url] = age / then
    return found


def _day(text: str) -> int:
    try:
        return date.fromisoformat(text[:10]).toordinal()
    except ValueError:
        return 0


def _age(when: str, now: datetime) -> float:
    """Seconds since then; of a visit without a time more than any."""
    try:
        then = datetime.fromisoformat(when)
    except ValueError:
        return float("inf")
    return (now - then.replace(tzinfo=then.tzinfo or UTC)).total_seconds()


class Refresh:
    """A run that only fetches what is new: pages that may have it wait before all else, and all that waited already behind.

    Attributes:
        active: whether this run is one.
        again: keys of the pages that it visits again.
    """

    def __init__(self, frontier: Frontier, store: CorpusStore) -> None:
        self._frontier = frontier
        self._store = store
        self.active = False
        self.again: set[bytes] = set()

    def begin(self, seconds: float, fetched: int, listings: Collection[str]) -> None:
        """Have pages wait that were not visited for so many ``seconds``. A refresh that was broken off goes on: its links wait in
        front.

        Args:
            seconds: since the last visit.
            fetched: pages of the crawl so far.
            listings: kinds of listings that are read; all of these are visited again.

        Raises:
            CrawlError: the crawl has fetched nothing yet.
        """
        if not fetched:
            raise CrawlError(
                f"{self._frontier.status().details['place']} has no pages to refresh. Remedy: crawl first, without -a refresh"
            )
        assert isinstance(self._frontier, SqliteFrontier)  # others are refused with the arguments
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
        logger.info("Refreshing: %d of %d pages are visited again", len(places), fetched)

    def lift(self) -> None:
        """Have the links that a refresh before this run put behind wait where they waited."""
        if isinstance(self._frontier, SqliteFrontier) and self._frontier.journal.load(_SUNK):
            self._frontier.shift(SUNK, -SUNK / 2)
            self._frontier.journal.save(_SUNK, "")

    def has_turn(self, now: float) -> bool:
        """Whether what is given out next belongs to the refresh."""
        return (best := self._frontier.next(now).best) is not None and best >= -SUNK / 2

    def goes_on(self, in_flight: int) -> bool:
        """Whether anything waits that a refresh fetches; once nothing does, and nothing is in flight, it is over."""
        best = self._frontier.waiting(1)
        if not (more := bool(best) and best[0].priority > -SUNK / 2) and not in_flight:
            self._frontier.journal.save(_SUNK, _REFRESHED)
        return more

    def conditions(self, entry: Entry) -> dict[str, str]:
        """Headers that ask for a page that is visited again only if it has changed."""
        if entry.key not in self.again:
            return {}
        row = self._store.get(entry.key.hex())
        known = row.why.get("validators", {}) if row is not None else self._frontier.journal.load(_validators(entry.key)) or {}
        return {header: known[name] for name, header in _CONDITIONS.items() if name in known}

    def remember(self, key: bytes, validators: Mapping[str, str]) -> None:
        """Note by what the host of a listing, which has no row in the corpus, tells whether it has changed."""
        if validators:
            self._frontier.journal.save(_validators(key), validators)


def _validators(key: bytes) -> str:
    return f"validators {key.hex()}"
