"""The frontier's contract, and checks shared by all backends.

A frontier holds one :class:`Entry` for every URL a crawl has ever seen. An entry is *waiting*, *in flight* (popped, its page
not finished yet), *done* (fetched and finished, with any outcome) or *dropped* (never fetched, with the reason).
"""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, Protocol, runtime_checkable
from urllib.parse import urlsplit

from topical_crawler.web.page import Candidate, Evidence
from topical_crawler.web.urls import REDIRECTED

UNKNOWN_HOST = "unknown host"  # reason for a host name without an address: nothing was fetched
HOST_AWAY = "host away"  # reason for the links of a host given up, and for pages of an unreachable host
TIMED_OUT, CONNECTION_FAILED = "timed out", "connection failed"
UNREACHED = frozenset((UNKNOWN_HOST, HOST_AWAY, TIMED_OUT, CONNECTION_FAILED))
NO_PAGES = frozenset((REDIRECTED, UNKNOWN_HOST))  # outcomes that do not count as pages
NO_ROOM = "no room"  # reason for waiting entries dropped beyond ``max_waiting``
SEED_PRIORITY = 1e6  # before every link
KEPT = 1_000_000
"""Least number of finished pages kept in the log of a shared frontier, besides all those after the last checkpoint."""
STEP = 500  # waiting entries read or repriced before yielding to other tasks
MAX_EVIDENCE = 8  # parents remembered for a waiting link, the first ones, as needed by the papers' formulas


class State(enum.IntEnum):
    """State of an entry."""

    WAITING = 0
    IN_FLIGHT = 1
    DONE = 2
    DROPPED = 3


@dataclass(slots=True)
class Entry:
    """A URL in the frontier."""

    key: bytes  # 16-byte digest of the canonical URL (`urls.fingerprint`)
    url: str  # URL to fetch
    host: str  # in lower case, with port
    priority: float  # higher is fetched first; any finite float
    depth: int = 0  # links followed from a seed
    evidence: tuple[Evidence, ...] = ()  # places of the link, at most `MAX_EVIDENCE`, one for each parent
    meta: dict[str, Any] = field(default_factory=dict)  # small JSON data, e.g. redirects and retries so far
    dropped: str | None = None  # reason for not fetching the link; None for a waiting link
    rescored: int = 0  # times it was put back with another priority
    _candidate: Candidate | None = field(default=None, init=False, repr=False, compare=False)

    def candidate(self) -> Candidate:
        """Return the entry as seen by a strategy: the same candidate until its URL or its evidence changes."""
        known = self._candidate
        if known is None or known.evidence is not self.evidence or known.url != self.url:
            known = self._candidate = Candidate(self.url, self.evidence)
        return known


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a fetched page."""

    url: str  # URL as fetched
    keep: bool  # True if the strategy judged the page on topic
    relevance: float = 0.0  # the strategy's relevance of the page
    reason: str = ""  # reason for the page's absence from the corpus (off topic, duplicate, an error); "" if it is there
    lesson: Any = None  # JSON data for the strategy to learn from the page's content; None for most strategies
    led_by: tuple[str, ...] = ()  # hosts with pages linking to a text; its own host: requested by a person


@dataclass(slots=True)
class Pushed:
    """The result of a push: numbers of new entries, entries with more evidence, other known ones, and dropped ones by reason."""

    new: int = 0
    raised: int = 0
    known: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def add(self, other: Pushed) -> None:
        """Add the result of another push."""
        self.new, self.raised, self.known = self.new + other.new, self.raised + other.raised, self.known + other.known
        for reason, number in other.dropped.items():
            self.dropped[reason] = self.dropped.get(reason, 0) + number


class Next(NamedTuple):
    """The next entry of a frontier.

    Args:
        best: priority of the best entry among ready hosts, or None.
        wait: seconds until another host is ready by its delay. 0.0 if an entry can be popped now. None if nothing waits, or
            only the in-flight limit holds back the rest, until the next ``done``.
    """

    best: float | None
    wait: float | None


@dataclass(frozen=True, slots=True)
class Status:
    """Status of a frontier.

    Args:
        counts: entries in each state, with all four states present.
        dropped: dropped entries by reason.
        hosts: number of hosts with a waiting entry.
        recovered: entries in flight when an earlier process died, requeued since this frontier was opened.
        details: facts for people, as JSON data: "backend", its "place" without a password, "bytes", for a shared one workers
            and leases.
    """

    counts: dict[State, int]
    dropped: dict[str, int]
    hosts: int
    recovered: int
    details: dict[str, Any]


class FrontierServerError(RuntimeError):
    """A Redis server is unusable. The message names it, without a password, and the fix."""


class LeaseLost(LookupError):
    """The entry no longer belongs to this process: its lease ran out, and it was requeued or taken by another process."""


class Journal(Protocol):
    """A crawl's memory beside its links: the log of its finished pages, checkpoints, and notes by name."""

    def outcomes(self, after: int = 0) -> Iterator[tuple[int, Outcome]]:
        """Yield finished pages in order as (number from 1, outcome), from number ``after`` + 1.

        The first pages of a very long shared journal may have expired.
        """

    def save(self, name: str, data: Any) -> None:
        """Save JSON data under a name, such as a strategy's checkpoint."""

    def load(self, name: str) -> Any:
        """Return the data saved under a name, or None."""

    def checkpoint(self, name: str, number: int, data: Any) -> bool:
        """Save a checkpoint of the first ``number`` finished pages, unless there is one of more pages. Return True if saved.

        A shared journal may then let pages long before it expire.
        """
        self.save(name, data)
        return True

    def agree(self, name: str, data: Any) -> Any:
        """Save data under a name unless there is any, and return the data saved. The first process wins."""
        if self.load(name) is None:
            self.save(name, data)
        return self.load(name)

    def first(self, name: str, number: int) -> bool:
        """Return True for the first call with ``name`` and a number as high, over all processes and runs."""


@runtime_checkable
class Frontier(Protocol):
    """Best-first, polite and crash-safe queue. Times are seconds on one monotonic clock, passed in by the caller. A frontier
    shared by machines keeps the time itself.

    Politeness: a host is ready ``delay`` seconds after its last ``pop`` or ``sent``, and only while fewer than
    ``in_flight_per_host`` of its entries are in flight. A host with a delay has at most one entry on its way, in flight but not
    ``sent``. A second one could arrive right behind the first.

    Order: the highest priority among the ready hosts comes first. Equal priorities keep the order of their first push.

    Room: if more than ``max_waiting`` entries wait (0: no limit) after a ``push`` or a ``done``, those of the lowest priority
    are dropped, among equals the last pushed, with the reason :data:`NO_ROOM`. Their evidence is forgotten. They count as
    dropped, but not in the result of ``push``. Entries put back, requeued or revived may exceed the limit until then.
    """

    shared: bool
    """True if several processes may use it at the same time. Entries in flight are then leased."""

    journal: Journal
    """The crawl's memory beside its links."""

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """Add links.

        * An unknown key becomes a waiting entry, or a dropped one if ``dropped`` is set.
        * A waiting entry found again gains the evidence of new parents, and keeps the higher priority of the two.
        * A dropped entry found again without ``dropped`` set waits again, with the evidence of both.
        * A dropped entry found again with ``dropped`` set gains the evidence and keeps its reason.
        * An entry in flight or done is left alone.
        """

    def pop(self, now: float, ahead: int = 1) -> Entry | None:
        """Return the best waiting entry among ready hosts, now in flight, or None.

        A shared frontier may reserve several entries for the caller's next pops: up to ``ahead``, including this one.
        """

    def next(self, now: float) -> Next:
        """Return the next entry for :meth:`pop`, and its time, without taking it."""

    def sent(self, key: bytes, now: float) -> None:
        """Record the arrival or the failure of an entry in flight. The host's delay counts from the last such call."""

    def put_back(self, entry: Entry, priority: float) -> None:
        """Requeue an entry in flight, unfetched, with ``priority``. Its host is ready again, and ``rescored`` rises by 1."""

    def waiting(self, limit: int) -> list[Entry]:
        """Return the best ``limit`` waiting entries over all hosts, best first, ready or not. They stay."""
        return list(chain.from_iterable(self.read_waiting(limit)))

    def read_waiting(self, limit: int) -> Iterator[list[Entry]]:
        """Yield the entries of :meth:`waiting`, up to :data:`STEP` at once. Later changes may be missing."""

    def is_settled(self, key: bytes, off_topic: bool = False) -> bool:
        """Return True if pushing a link is useless: this process knows its entry to be in flight or done.

        For a link on an ``off_topic`` page, unlikely to raise it, waiting with all parents it may have is enough. The call is
        nearly free, since it is True for most links of a page. False says nothing.
        """

    def find(self, key: bytes) -> tuple[State, Entry] | None:
        """Return the state of an entry and its known data, with the reason of a dropped one, or None for an unknown key."""

    def reprice(self, priorities: Mapping[bytes, float]) -> None:
        """Set priorities of waiting entries, all or nothing, and reset ``rescored`` to 0. Other keys are ignored."""

    def requeue(self, key: bytes, *, url: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        """Requeue an entry in flight for another try in its old place, with a new ``url`` and ``meta`` if given."""

    def done(self, key: bytes, outcome: Outcome, links: Iterable[Entry] = ()) -> Pushed:
        """Finish an entry in flight: record its outcome and push the links of its page, all or nothing."""

    def drop(self, key: bytes, reason: str) -> None:
        """Drop an entry in flight unfetched. Its host is ready again."""

    def discard(self, reason: str, *, host: str | None = None, below: float | None = None) -> int:
        """Drop waiting entries of one ``host``, of a priority less than ``below``, of both, or all. Return their number."""

    def revive(self, urls: Mapping[bytes, str]) -> int:
        """Requeue entries done or dropped, in their old place or at the end of their priority's queue. Return their number.

        ``urls`` has their URLs by key. A page's earlier outcome stays in the log, followed by the second one.
        """

    def renew(self) -> frozenset[bytes]:
        """Extend the leases of this process. Return the keys with a lost lease, for which calls raise :class:`LeaseLost`."""

    def set_delay(self, host: str, seconds: float) -> None:
        """Set the delay of one host from now on (robots.txt Crawl-delay), instead of the default."""

    def status(self) -> Status:
        """Return the numbers of entries by state, and further details."""

    def __len__(self) -> int:
        """Return the number of waiting entries."""

    def close(self) -> None:
        """Make everything durable and close files. Idempotent."""


# -- Checks shared by all backends


def check(entry: Entry) -> Entry:
    """Return ``entry``. Raise ValueError for a key other than a digest, and for a non-finite priority or relevance."""
    if not isinstance(entry.key, bytes) or len(entry.key) != 16:
        raise ValueError(f"the key of {entry.url!r} is {entry.key!r}: it must be the 16 bytes of urls.fingerprint")
    check_priority(entry.priority, entry.url)
    for evidence in entry.evidence:
        if not math.isfinite(evidence.relevance):
            raise ValueError(f"the relevance of {evidence.parent!r} is {evidence.relevance}: it must be a finite number")
    return entry


def check_priority(priority: float, url: str) -> None:
    """Raise ValueError for a priority that is not finite."""
    if not math.isfinite(priority):
        raise ValueError(f"the priority of {url!r} is {priority}: it must be a finite number")


def gained(parents: Collection[str], candidates: Iterable[Evidence]) -> list[Evidence]:
    """Return the evidence to add to an entry with ``parents``: the first of each new parent, up to MAX_EVIDENCE in all."""
    new: dict[str, Evidence] = {}
    for evidence in candidates:
        if len(parents) + len(new) >= MAX_EVIDENCE:
            break
        if evidence.parent not in parents:
            new.setdefault(evidence.parent, evidence)
    return list(new.values())


def host_of(url: str, known_url: str, known_host: str) -> str:
    """Return the host of ``url`` for politeness: the known one if both URLs have the same authority."""
    authority = urlsplit(url).netloc
    return known_host if authority == urlsplit(known_url).netloc else authority.rpartition("@")[2].lower()


def check_delay(seconds: float) -> None:
    """Raise ValueError for a negative or infinite delay."""
    if not 0 <= seconds < math.inf:
        raise ValueError(f"a delay of {seconds} seconds: it must be a number of seconds, 0 or more")


def check_bounds(delay: float, in_flight_per_host: int, max_waiting: int) -> None:
    """Raise ValueError for unusable arguments of a frontier."""
    check_delay(delay)
    if in_flight_per_host < 1:
        raise ValueError(f"in_flight_per_host is {in_flight_per_host}: at least one entry of a host must be allowed in flight")
    if max_waiting < 0:
        raise ValueError(f"max_waiting is {max_waiting}: it must be the most entries that may wait, or 0 for no bound")


def not_in_flight(key: bytes) -> LookupError:
    """Return the error for a key never popped or already finished."""
    name = key.hex()
    return LookupError(f"entry {name} is not in flight: only an entry that was popped can be finished, dropped or put back, once")
