"""The frontier's contract, and what all backends check alike.

A frontier holds one :class:`Entry` for every URL a crawl has ever seen. An entry is *waiting*, *in flight* (given out, its page
not finished yet), *done* (fetched and finished, whatever came of it) or *dropped* (never fetched, with the reason).
"""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable
from urllib.parse import urlsplit

from topical_crawler.web.page import Candidate, Evidence
from topical_crawler.web.urls import REDIRECTED

UNKNOWN_HOST = "unknown host"  # that of one whose host has no address: nothing was fetched
HOST_AWAY = "host away"  # that of the links of a host that is given up, and of a page of a host that was not even reached
TIMED_OUT, CONNECTION_FAILED = "timed out", "connection failed"
UNREACHED = frozenset((UNKNOWN_HOST, HOST_AWAY, TIMED_OUT, CONNECTION_FAILED))
NO_PAGES = frozenset((REDIRECTED, UNKNOWN_HOST))  # outcomes that do not count as pages
NO_ROOM = "no room"  # why waiting entries beyond ``max_waiting`` are dropped
SEED_PRIORITY = 1e6  # before every link
KEPT = 1_000_000
"""Of the log of finished pages a shared frontier keeps so many at least, and all those that follow the last checkpoint."""
MAX_EVIDENCE = 8  # parents remembered for a waiting link, the first ones: the papers' formulas need them


class State(enum.IntEnum):
    """Where an entry stands."""

    WAITING = 0
    IN_FLIGHT = 1
    DONE = 2
    DROPPED = 3


@dataclass(slots=True)
class Entry:
    """A URL in the frontier."""

    key: bytes  # 16-byte digest of the canonical URL (`urls.fingerprint`)
    url: str  # the address to fetch
    host: str  # in lower case, with port
    priority: float  # higher is fetched first; any finite float
    depth: int = 0  # links followed from a seed
    evidence: tuple[Evidence, ...] = ()  # the places where the link was found, at most `MAX_EVIDENCE`, no parent twice
    meta: dict[str, Any] = field(default_factory=dict)  # small JSON data, e.g. redirects and retries so far
    dropped: str | None = None  # why the link is not to be fetched; None for a link that waits
    rescored: int = 0  # how often it was put back with another priority
    _candidate: Candidate | None = field(default=None, init=False, repr=False, compare=False)

    def candidate(self) -> Candidate:
        """The entry as a strategy sees it: the same candidate until its address or its evidence changes."""
        known = self._candidate
        if known is None or known.evidence is not self.evidence or known.url != self.url:
            known = self._candidate = Candidate(self.url, self.evidence)
        return known


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a fetched page."""

    url: str  # the address that was fetched
    keep: bool  # whether the strategy judged the page on topic
    relevance: float = 0.0  # the strategy's relevance of the page
    reason: str = ""  # why the page is not in the corpus (off topic, duplicate, an error); "" for a page that is
    lesson: Any = None  # JSON data that the strategy learns from the page's content; None for most strategies
    led_by: tuple[str, ...] = ()  # hosts whose pages link to a text; its own: a person asked for it


@dataclass(slots=True)
class Pushed:
    """What a push did: entries that are new, that gained evidence, the other known ones, and the dropped ones by reason."""

    new: int = 0
    raised: int = 0
    known: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def add(self, other: Pushed) -> None:
        """Count what another push did, too."""
        self.new, self.raised, self.known = self.new + other.new, self.raised + other.raised, self.known + other.known
        for reason, number in other.dropped.items():
            self.dropped[reason] = self.dropped.get(reason, 0) + number


class Next(NamedTuple):
    """What a frontier gives out next.

    Args:
        best: priority of the best entry among hosts whose turn it is; None where there is none.
        wait: seconds until a further host's turn comes by its delay: 0.0 where one can be popped now; None where nothing waits,
            or all that waits is held back by the in-flight limit alone (then a ``done`` changes it).
    """

    best: float | None
    wait: float | None


@dataclass(frozen=True, slots=True)
class Status:
    """How a frontier stands.

    Args:
        counts: entries in each state, all four states present.
        dropped: dropped entries by reason.
        hosts: that have a waiting entry.
        recovered: entries that were in flight when an earlier process died, and wait again since this frontier was opened.
        details: facts for people, as JSON data: "backend", its "place" without a password, "bytes", of a shared one workers and
            leases.
    """

    counts: dict[State, int]
    dropped: dict[str, int]
    hosts: int
    recovered: int
    details: dict[str, Any]


class FrontierServerError(RuntimeError):
    """A Redis server that cannot be used; the message names it, without a password, and the remedy."""


class LeaseLost(LookupError):
    """The entry is no longer this process's: its lease ran out, and it waits again or another process has it."""


class Journal(Protocol):
    """What a crawl remembers beside its links: the log of its finished pages, checkpoints, and notes by name."""

    def outcomes(self, after: int = 0) -> Iterator[tuple[int, Outcome]]:
        """Finished pages in the order in which they were finished, as (number from 1, outcome), from number ``after`` + 1. A
        shared journal may have forgotten the first ones of very many."""

    def save(self, name: str, data: Any) -> None:
        """Store JSON data under a name, e.g. a strategy's checkpoint."""

    def load(self, name: str) -> Any:
        """What :meth:`save` stored; None if there is none."""

    def checkpoint(self, name: str, number: int, data: Any) -> bool:
        """As :meth:`save`, of what was learned from the first ``number`` finished pages, unless a checkpoint of more pages was
        stored. Returns whether it was. A shared journal may forget then what it told of the pages long before."""
        self.save(name, data)
        return True

    def agree(self, name: str, data: Any) -> Any:
        """As :meth:`save`, but the first one to say something is right. Returns what holds."""
        if self.load(name) is None:
            self.save(name, data)
        return self.load(name)

    def first(self, name: str, number: int) -> bool:
        """Whether this is the first call with ``name`` and a number as high, over all processes and runs."""


@runtime_checkable
class Frontier(Protocol):
    """Best-first, polite, crash-safe. Times are seconds on one monotonic clock, passed in by the caller; a frontier that machines
    share keeps the time itself.

    Politeness: a host's turn comes ``delay`` seconds after its last ``pop`` or ``sent`` and only while fewer than
    ``in_flight_per_host`` of its entries are in flight. Of a host with a delay one entry at most is on its way, that is in flight
    and not ``sent``: of two, the second could arrive right behind the first. Order: among the hosts whose turn it is, the highest
    priority first; equal priorities in the order in which they were first pushed. Room: where more than ``max_waiting`` entries
    wait (0: no bound) after a ``push`` or a ``done``, those of the lowest priority are dropped, among equals the last pushed,
    under the reason :data:`NO_ROOM`; their evidence is forgotten. They count as dropped, not in what ``push`` returns. What is
    put back, requeued or revived may exceed the bound until then.
    """

    shared: bool
    """Whether several processes may use it at the same time. What is in flight is then leased."""

    journal: Journal
    """What the crawl remembers beside its links."""

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """Add links.

        * an unknown key becomes a waiting entry (a dropped one where ``dropped`` is set);
        * a waiting entry found again gains the evidence of parents it does not have yet, and its priority rises to the higher
          of the two (never falls);
        * a dropped entry found again without ``dropped`` set waits again, with the evidence of both;
        * a dropped entry found again with ``dropped`` set gains the evidence; its reason stays;
        * an entry in flight or done is left alone.
        """

    def pop(self, now: float, ahead: int = 1) -> Entry | None:
        """The best waiting entry among hosts whose turn it is, now in flight; None where there is none. A shared frontier may
        reserve as many entries as the caller is about to pop: ``ahead``, this one included."""

    def next(self, now: float) -> Next:
        """What :meth:`pop` would give out, and when, without taking it."""

    def sent(self, key: bytes, now: float) -> None:
        """An entry in flight has arrived at its host or has failed: the host's delay counts from the last such call."""

    def put_back(self, entry: Entry, priority: float) -> None:
        """An entry in flight waits again unfetched with ``priority``: its host's turn is given back, ``rescored`` rises by 1."""

    def waiting(self, limit: int) -> list[Entry]:
        """The best ``limit`` waiting entries over all hosts, best first, whether or not their turn has come; they stay."""

    def is_settled(self, key: bytes, off_topic: bool = False) -> bool:
        """Whether a link need not be pushed: this process knows that its entry is in flight or done. Of a link on a page that is
        ``off_topic``, which would hardly raise it, also whether it waits with as many parents as are remembered. Costs next to
        nothing: most links of a page are such. False says nothing."""

    def find(self, key: bytes) -> tuple[State, Entry] | None:
        """Where an entry stands, and what is still known of it (of a dropped one with the reason); None for an unknown key."""

    def reprice(self, priorities: Mapping[bytes, float]) -> None:
        """Set priorities of waiting entries, all or nothing, and ``rescored`` to 0. Keys that do not wait are left alone."""

    def requeue(self, key: bytes, *, url: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        """An entry in flight waits again for another try (at ``url``, with ``meta``, where given), in its old place."""

    def done(self, key: bytes, outcome: Outcome, links: Iterable[Entry] = ()) -> Pushed:
        """An entry in flight is finished: its outcome is recorded and the links of its page are pushed, all or nothing."""

    def drop(self, key: bytes, reason: str) -> None:
        """An entry in flight is dropped unfetched; its host's turn is given back."""

    def discard(self, reason: str, *, host: str | None = None, below: float | None = None) -> int:
        """Drop waiting entries: of one ``host``, of a priority less than ``below``, of both, or all. Returns how many."""

    def revive(self, urls: Mapping[bytes, str]) -> int:
        """Entries that are done or dropped wait again, in their old place or at the end of their priority's queue; ``urls`` are
        their addresses by key. Returns how many. A page's earlier outcome stays in the log; a second one follows it."""

    def renew(self) -> frozenset[bytes]:
        """Extend the leases of this process. Returns the keys whose lease is lost: for them :class:`LeaseLost` is raised."""

    def set_delay(self, host: str, seconds: float) -> None:
        """The delay of one host from now on (robots.txt Crawl-delay), instead of the default."""

    def status(self) -> Status:
        """How many entries it holds in which state, and where."""

    def __len__(self) -> int:
        """How many entries wait."""

    def close(self) -> None:
        """Make everything durable and let go of files. Calling it twice is harmless."""


# -- What all backends check alike


def check(entry: Entry) -> Entry:
    """``entry`` itself. Raises ValueError for a key that is no digest, and for a priority or relevance that is not finite."""
    if not isinstance(entry.key, bytes) or len(entry.key) != 16:
        raise ValueError(f"the key of {entry.url!r} is {entry.key!r}: it must be the 16 bytes of urls.fingerprint")
    check_priority(entry.priority, entry.url)
    for evidence in entry.evidence:
        if not math.isfinite(evidence.relevance):
            raise ValueError(f"the relevance of {evidence.parent!r} is {evidence.relevance}: it must be a finite number")
    return entry


def check_priority(priority: float, url: str) -> None:
    """Raises ValueError for a priority that is not finite."""
    if not math.isfinite(priority):
        raise ValueError(f"the priority of {url!r} is {priority}: it must be a finite number")


def gained(parents: Collection[str], candidates: Iterable[Evidence]) -> list[Evidence]:
    """The evidence to add to an entry that knows ``parents``: no parent twice, at most MAX_EVIDENCE in all, the first found."""
    new: dict[str, Evidence] = {}
    for evidence in candidates:
        if len(parents) + len(new) >= MAX_EVIDENCE:
            break
        if evidence.parent not in parents:
            new.setdefault(evidence.parent, evidence)
    return list(new.values())


def host_of(url: str, known_url: str, known_host: str) -> str:
    """The host whose politeness holds for ``url``: the known one where both URLs have the same authority."""
    authority = urlsplit(url).netloc
    return known_host if authority == urlsplit(known_url).netloc else authority.rpartition("@")[2].lower()


def check_delay(seconds: float) -> None:
    """Raises ValueError for a delay that is negative or endless."""
    if not 0 <= seconds < math.inf:
        raise ValueError(f"a delay of {seconds} seconds: it must be a number of seconds, 0 or more")


def check_bounds(delay: float, in_flight_per_host: int, max_waiting: int) -> None:
    """Raises ValueError for arguments of a frontier that cannot be used."""
    check_delay(delay)
    if in_flight_per_host < 1:
        raise ValueError(f"in_flight_per_host is {in_flight_per_host}: at least one entry of a host must be allowed in flight")
    if max_waiting < 0:
        raise ValueError(f"max_waiting is {max_waiting}: it must be the most entries that may wait, or 0 for no bound")


def not_in_flight(key: bytes) -> LookupError:
    """The error for a key that was never popped, or is finished already."""
    name = key.hex()
    return LookupError(f"entry {name} is not in flight: only an entry that was popped can be finished, dropped or put back, once")
