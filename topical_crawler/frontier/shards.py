"""A frontier over several Redis servers: each shard keeps the hosts that fall to it, with their links, turns and outcomes.

A host falls to a shard by rendezvous hashing, so its politeness is kept in one place. What a page links to elsewhere is pushed to
its shard before the page is finished: a worker that dies in between fetches the page again, and a link that comes twice is known.
Shards come and go while workers run (:mod:`topical_crawler.frontier.moving`), by maps that are numbered.
"""

from __future__ import annotations

import heapq
import logging
import time
from array import array
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import msgpack
import redis

from topical_crawler.frontier.base import (
    KEPT,
    Entry,
    Frontier,
    FrontierServerError,
    LeaseLost,
    Outcome,
    Pushed,
    State,
    check_delay,
    check_priority,
    host_of,
    not_in_flight,
)
from topical_crawler.frontier.redis import link_batch, split_batch
from topical_crawler.frontier.redis_server import SAID_EVERY, RemappedError, ServerAwayError, like
from topical_crawler.frontier.shard import Shard
from topical_crawler.frontier.shard_map import ShardMap, check_place, map_name, shard_of

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
_P = ParamSpec("_P")
_AWAY: Any = object()  # in the place of an answer
_LOOK_EVERY = 0.25  # seconds between two looks at how far the logs of all shards have come
_FIRST_REST, _LONGEST_REST = 0.5, 10.0  # seconds for which a shard that is away is not asked
_BY_HOST = frozenset(("push_batch", "keep_for", "done", "set_delay", "counted", "write_counted"))
_LOG = "log"
_APART = 500  # pages between two marks, at least
_MOST_PARTS = 65_536  # pieces of logs whose order is in memory
_NOTES = 8_192  # that are remembered for the time when the first shard is away
_PART = 16  # batches of links that are handed over at a time


def _anew(act: Callable[_P, _T]) -> Callable[_P, _T]:
    """Do it anew as long as hosts move meanwhile."""

    @wraps(act)
    def repeated(*arguments: _P.args, **options: _P.kwargs) -> _T:
        while True:
            with suppress(RemappedError):
                return act(*arguments, **options)

    return repeated


@dataclass
class _Shard:
    """One server's part, and what is known of it while it is away."""

    number: int
    frontier: Shard
    away_since: float | None = None  # None: it answers
    why: str = ""  # it does not
    asked_again: float = 0.0
    rest: float = _FIRST_REST
    said: float = 0.0
    late: deque[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(
        default_factory=deque
    )  # what it is to be told when it is back
    counts: dict[State, int] = field(default_factory=lambda: dict.fromkeys(State, 0))  # when it answered last
    begun: int = 0  # pages that are finished or in flight
    merged: int = 0  # pages of its log that have a place among those of the others
    place: tuple[int, int] | None = None  # its number, and of how many, that its server is yet to be asked for
    grown: bool = True  # whether this process has finished a page of it since
    removed: bool = False  # the first shard has its log

    def check(self) -> None:
        """Raises FrontierServerError where the server is another shard."""
        if self.place is not None:
            check_place(self.frontier, *self.place)
            self.place = None


@dataclass(frozen=True)
class _Mark:
    """How far the logs of the shards have been put in order: so many pages, by so many elements of the first shard's list, and so
    many outcomes of each shard."""

    number: int = 0
    elements: int = 0
    merged: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> _Mark:
        return cls(data["number"], data["elements"], {int(n): size for n, size in data["merged"].items()}) if data else cls()


class ShardedFrontier(Frontier):
    """The contract of :class:`~topical_crawler.frontier.base.Frontier` over ``shards``, one in each server. It differs in this:

    * equal priorities of two shards have no order between them;
    * ``max_pages`` bounds what all shards have fetched; workers that take links at the same moment may exceed it by what they
      have in flight;
    * a shard that is away stops its hosts and what is learned, nothing else. What it is to be told waits in this process, links
      for it in another server; pages that were in flight are then finished, unless their lease has run out;
    * a host that is being moved to another shard rests until it is there; links to it wait in the first server until all are.

    The first shard also keeps what belongs to no host: checkpoints, orders, and how the logs of the shards are merged into one,
    which is the same for all workers.

    Args:
        shards: by their numbers, all that ``shard_map`` has, with ``max_pages`` 0 each.
        join: a shard of a later map, by its address, to be opened.
        max_pages: as for :class:`~topical_crawler.frontier.redis.RedisFrontier`.
        patience: seconds for which shards that are away are waited for, where nothing else is left to do.
    """

    shared = fault_tolerant = True
    recovered = 0

    def __init__(
        self,
        shards: Mapping[int, Shard],
        shard_map: ShardMap,
        join: Callable[[str], Shard],
        *,
        max_pages: int = 0,
        patience: float = 60.0,
    ) -> None:
        self.map = shard_map
        self._join = join
        self._logs: dict[int, _Shard] = {}  # also of shards that were removed
        self._shards: list[_Shard] = []
        self._max_pages = max_pages
        self._patience = patience
        self._holders: dict[bytes, _Shard] = {}  # of what is in flight here
        self._places: dict[bytes, int] = {}  # shards of what waiting() gave last
        self._loaded: dict[str, Any] = {}
        self._log_is_read = False
        self._mark = _Mark()  # the last one to which all was read
        self._begun = self._total = 0  # pages in the order of the logs, from where on it is in memory, and in all
        self._read = 0  # elements of the first shard's list of merged logs
        self._starts, self._parts, self._from = array("q"), array("q"), array("q")  # numbers, shards, places in their logs
        self._looked = 0.0
        self._first = _Shard(0, shards[0])
        self._logs[0] = self._first
        self._adopt(shard_map, shards)

    # -- Maps of shards

    @property
    def shards(self) -> dict[int, Shard]:
        """The shards by their numbers."""
        return {shard.number: shard.frontier for shard in self._shards}

    def _adopt(self, shard_map: ShardMap, shards: Mapping[int, Shard]) -> None:
        for number in shard_map.all:
            if number not in self._logs:
                opened = shards[number] if number in shards else self._join(shard_map.places[number])
                self._logs[number] = _Shard(number, opened)
        for number in shard_map.removed:
            gone = self._logs.setdefault(number, _Shard(number, self._first.frontier))
            gone.removed, gone.away_since = True, None
            self._forget_late(gone)
        self.map = shard_map
        self._shards = [self._logs[number] for number in shard_map.all]
        for shard in self._logs.values():
            shard.frontier.be_patient(0.0)
            shard.frontier.map = shard_map.number
        if shard_map.to:  # a paused worker would renew what it has reserved as long as it is paused, and the move wait for it
            self._all(None, "give_back")

    def follow(self, shard: Shard) -> None:
        """Go by the newest map that a shard knows."""
        if (number := shard.newest_map()) > self.map.number:
            self._adopt(ShardMap.read(shard.load(map_name(number))), {})
            logger.info("%s: map %d of its shards holds now: %s", shard.place, number, self.map)
        self._hand_over_all()

    def begin(self, shards: int | None) -> None:
        """Open all shards; those that are away are joined when they answer.

        Args:
            shards: with how many the crawl begins, or began; None where that was changed.

        Raises:
            FrontierServerError: a server cannot be used, or is another shard.
        """
        for shard in self._shards:
            shard.place = None if shards is None else (shard.number, shards)
            self._ask(shard, None, "newest_map")

    # -- Asking shards

    def _ask(self, shard: _Shard, otherwise: Any, method: str, *arguments: Any, **options: Any) -> Any:
        """A shard's answer to a call; ``otherwise`` while it is away."""
        if shard.away_since is not None and time.monotonic() < shard.asked_again:
            return otherwise
        known = self.map
        try:
            shard.frontier.open()
            shard.check()
            while shard.late:
                self._tell(shard)
            if method in _BY_HOST:
                self._still(known)
            while True:
                try:
                    answer = getattr(shard.frontier, method)(*arguments, **options)
                    break
                except RemappedError:
                    self.follow(shard.frontier)
                    if method in _BY_HOST:  # its links, or its host, may have other places now
                        raise
        except ServerAwayError as error:
            self._miss(shard, error)
            return otherwise
        if shard.away_since is not None:
            logger.warning("%s: shard %d is back", shard.frontier.place, shard.number)
            shard.away_since, shard.rest = None, _FIRST_REST
            self._hand_over([shard.number])
        return answer

    def _still(self, known: ShardMap) -> None:
        """Raises RemappedError where hosts may have moved since ``known`` said where they are: other calls hear of newer maps."""
        if self.map is not known:
            raise RemappedError("there is a newer map of shards")

    def _tell(self, shard: _Shard) -> None:
        try:
            method, arguments, options = shard.late[0]
            if method == "done":
                *about, links = arguments
                known, parts = self.map, self._by_shard(links)
                arguments = (*about, parts.pop((shard.number, False), []))
                self._push(parts, None)
                self._still(known)
            getattr(shard.frontier, method)(*arguments, **options)
        except RemappedError:
            self.follow(shard.frontier)
            return
        except LeaseLost as error:
            logger.warning("%s. Its page is fetched again", error)
        except ValueError as error:  # as where it was called
            logger.error("%s", error)
        shard.late.popleft()

    def _miss(self, shard: _Shard, error: ServerAwayError) -> None:
        now = time.monotonic()
        if shard.away_since is None:
            shard.away_since, shard.said = now, -SAID_EVERY
        shard.why = str(error)
        shard.asked_again, shard.rest = now + shard.rest, min(2 * shard.rest, _LONGEST_REST)
        if now >= shard.said + SAID_EVERY:
            logger.warning("%s. The hosts of shard %d of %d rest", error, shard.number, len(self._shards))
            shard.said = now

    def _change(self, shard: _Shard, otherwise: Any, method: str, *arguments: Any, **options: Any) -> Any:
        """The same for what must not be forgotten: it is done when the shard is back."""
        answer = self._ask(shard, _AWAY, method, *arguments, **options)
        if answer is _AWAY:
            shard.late.append((method, arguments, options))
            return otherwise
        return answer

    def _all(self, otherwise: Any, method: str, *arguments: Any) -> list[Any]:
        return [self._ask(shard, otherwise, method, *arguments) for shard in self._shards]

    def _shard(self, name: str) -> _Shard:
        """The shard of a host, or of what is named like one, also while it is on its way to it."""
        return self._logs[self.map.owner(name)[0]]

    def _holder(self, key: bytes) -> _Shard:
        if (shard := self._holders.get(key)) is None:
            raise not_in_flight(key)
        if shard.removed:  # nothing was in flight there any more
            del self._holders[key]
            raise LeaseLost(f"entry {key.hex()} is not in flight here: its server was removed after its lease had run out")
        return shard

    # -- Links

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """See :meth:`Frontier.push`. All or nothing in each shard."""
        return self._push_all(list(entries))

    @_anew
    def _push_all(self, entries: Sequence[Entry]) -> Pushed:
        return self._push(self._by_shard(entries), None)

    def _by_shard(self, entries: Iterable[Entry]) -> dict[tuple[int, bool], list[Entry]]:
        parts: dict[tuple[int, bool], list[Entry]] = {}
        for entry in entries:
            parts.setdefault(self.map.owner(entry.host), []).append(entry)
        return parts

    def _push(self, parts: Mapping[tuple[int, bool], Sequence[Entry]], giver: _Shard | None) -> Pushed:
        """Push links to shards. Those of a shard that is away are kept by the ``giver``, else by any that answers. While hosts
        are moved, the first shard keeps them, and links to these hosts."""
        batches = {place: link_batch(entries) for place, entries in parts.items()}  # all are checked before the first is sent
        known, total = self.map, Pushed()
        for (number, moves), batch in batches.items():
            self._still(known)
            if not moves and (pushed := self._ask(self._logs[number], None, "push_batch", batch)) is not None:
                total.add(pushed)
                continue
            here = [shard for shard in self._shards if shard.away_since is None]
            keeper = self._first if self.map.to else giver or (here[0] if here else self._first)
            self._change(keeper, None, "keep_for", number, batch)
        return total

    def _hand_over(self, numbers: Sequence[int]) -> None:
        """Push what is kept for shards to where it belongs now, but for what belongs to a shard that is away."""
        known = self.map
        if known.to:
            return
        with suppress(RemappedError):  # hosts are moved again; it is done after that
            for keeper in self._shards:
                for number in self._ask(keeper, [], "keeps_for", numbers):
                    self._hand_over_from(keeper, number, known)

    def _hand_over_from(self, keeper: _Shard, number: int, known: ShardMap) -> None:
        """A batch is forgotten after it was pushed, so none is lost, and one that another worker pushes too is known."""
        while batches := self._ask(keeper, [], "kept_for", number, _PART):
            for batch in batches:
                for owner, part in split_batch(batch, lambda host: known.owner(host)[0]).items():
                    self._still(known)
                    if self._ask(self._logs[owner], None, "push_batch", part) is None:
                        return
                self._ask(keeper, None, "forget_for", number, batch)

    def _hand_over_all(self) -> None:
        self._hand_over(list(self._logs))

    def pop(self, now: float, ahead: int = 1) -> Entry | None:
        """See :meth:`Frontier.pop`. What is reserved comes from one shard, the one with the best link."""
        most = ahead
        for _ in self._shards:  # of a shard's best link another worker may have been quicker
            shard = next((s for s in self._shards if s.frontier.reserved and s.away_since is None), None)
            if shard is None:
                most = min(ahead, self._left()) if self._max_pages else ahead
                shard = self._best(now)[1] if most > 0 else None
            if shard is None:
                return None
            entry: Entry | None = self._ask(shard, None, "pop", now, most)
            if entry is not None:
                self._holders[entry.key] = shard
                return entry
        return None

    def _left(self) -> int:
        """How many pages may yet be begun."""
        for shard in self._shards:
            shard.begun = self._ask(shard, shard.begun, "begun")
        return self._max_pages - sum(shard.begun for shard in self._shards) - sum(self.map.removed.values())

    def _best(self, now: float) -> tuple[float | None, _Shard | None]:
        shards = self._shards  # a newer map may replace them while they are asked
        found = [(priority, -n) for n, priority in enumerate(self._all(None, "best", now)) if priority is not None]
        if not found:
            return None, None
        priority, n = max(found)
        return priority, shards[-n]

    def best(self, now: float) -> float | None:
        return self._best(now)[0]

    def wait(self, now: float) -> float | None:
        """See :meth:`Frontier.wait`. A shard that is away has nothing to pop."""
        return min((w for w in self._all(None, "wait", now) if w is not None), default=None)

    def sent(self, key: bytes, now: float) -> None:
        self._change(self._holder(key), None, "sent", key, now)

    def put_back(self, entry: Entry, priority: float) -> None:
        self._finish(entry.key, "put_back", entry, priority)

    def requeue(self, key: bytes, *, url: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        """See :meth:`Frontier.requeue`. An address of the same key is of the same host."""
        self._finish(key, "requeue", key, url=url, meta=meta)

    def done(self, key: bytes, outcome: Outcome, links: Iterable[Entry] = ()) -> Pushed:
        """See :meth:`Frontier.done`. All or nothing in each shard, the page's own last."""
        shard, links, total = self._holder(key), list(links), Pushed()

        @_anew
        def finish() -> None:
            known, parts = self.map, self._by_shard(links)
            own = parts.pop((shard.number, False), [])
            total.add(self._push(parts, shard))
            self._still(known)
            total.add(self._finish(key, "done", key, outcome, own) or Pushed())

        finish()
        shard.grown = True
        return total

    def drop(self, key: bytes, reason: str) -> None:
        self._finish(key, "drop", key, reason)

    def _finish(self, key: bytes, method: str, *arguments: Any, **options: Any) -> Any:
        """Raises RemappedError where links may have other places now; the entry is still in flight then."""
        try:
            answer = self._change(self._holder(key), None, method, *arguments, **options)
        except LeaseLost:
            self._holders.pop(key, None)
            raise
        del self._holders[key]
        return answer

    def waiting(self, limit: int) -> list[Entry]:
        """See :meth:`Frontier.waiting`. Those of a shard that is away are missing."""
        shards, lists = self._shards, self._all([], "best_keys", limit)
        best = heapq.merge(
            *([(score, shard.number, key) for score, key in part] for shard, part in zip(shards, lists, strict=True)),
            key=lambda one: one[0],
        )
        chosen = [(n, key) for (_, n, key), _ in zip(best, range(limit), strict=False)]
        entries: dict[bytes, Entry] = {}
        for shard in self._shards:
            n = shard.number
            keys = [key for number, key in chosen if number == n]
            entries |= {entry.key: entry for entry in self._ask(shard, [], "read", keys)}
        self._places = {key: n for n, key in chosen}
        return [entries[key] for _, key in chosen if key in entries]

    def is_settled(self, key: bytes, off_topic: bool = False) -> bool:
        return any(shard.frontier.is_settled(key, off_topic) for shard in self._shards)

    def find(self, key: bytes) -> tuple[State, Entry] | None:
        """See :meth:`Frontier.find`. Every shard is asked: a key does not tell its host."""
        return next((found for found in self._all(None, "find", key) if found is not None), None)

    def reprice(self, priorities: Mapping[bytes, float]) -> None:
        """See :meth:`Frontier.reprice`. All or nothing in each shard."""
        for key, priority in priorities.items():
            check_priority(priority, key.hex())
        for shard in self._shards:
            n = shard.number
            part = {key: priority for key, priority in priorities.items() if self._places.get(key, n) == n}
            if part:
                self._ask(shard, None, "reprice", part)

    def discard(self, reason: str, *, host: str | None = None, below: float | None = None) -> int:
        shards = self._shards if host is None or self.map.to else [self._shard(host)]
        return sum(self._ask(shard, 0, "discard", reason, host=host, below=below) for shard in shards)

    def revive(self, urls: Mapping[bytes, str]) -> int:
        count = 0
        for shard in self._shards:
            part = {key: url for key, url in urls.items() if self.map.owner(host_of(url, "", "")) == (shard.number, False)}
            count += self._ask(shard, 0, "revive", part) if part else 0
        return count

    def renew(self) -> frozenset[bytes]:
        """See :meth:`Frontier.renew`. Hands over what was kept for a shard by a worker that did not."""
        self._hand_over_all()
        lost: frozenset[bytes] = frozenset().union(*self._all(frozenset(), "renew"))
        for key in lost:
            self._holders.pop(key, None)
        return lost

    @_anew
    def set_delay(self, host: str, seconds: float) -> None:
        check_delay(seconds)
        for shard in self._shards if self.map.owner(host)[1] else [self._shard(host)]:
            self._change(shard, None, "set_delay", host, seconds)

    # -- What the crawl counts of hosts

    @_anew
    def counted(self, hosts: Sequence[str]) -> dict[str, bytes | None]:
        """What was written last of each host, None where nothing was; hosts whose server is away are left out. Of a host on its
        way both servers are asked, the one that it comes from first: it is there before it is gone here."""
        known, found, missed = self.map, dict[str, bytes | None](), set[str]()
        for ids in (known.ids, known.to):
            for number, part in _parts(hosts, lambda host: host, ids).items() if ids else ():
                self._still(known)
                if (answer := self._ask(self._logs[number], None, "counted", part)) is None:
                    missed.update(part)
                else:
                    found |= {host: max(record or b"", found.get(host) or b"") or None for host, record in answer.items()}
        return {host: record for host, record in found.items() if host not in missed}

    @_anew
    def write_counted(self, records: Sequence[tuple[str, bytes]]) -> bool:
        """Write what was counted of hosts, but where there are greater bytes. Returns whether all servers have done so."""
        known = self.map
        for number, part in _parts(records, lambda record: record[0], known.to or known.ids).items():
            self._still(known)
            if self._ask(self._logs[number], None, "write_counted", part) is None:
                return False
        return True

    # -- What was finished

    def outcomes(self, after: int = 0) -> Iterator[tuple[int, Outcome]]:
        """See :meth:`Frontier.outcomes`. The order is that in which the logs of the shards were merged, the same for all workers;
        it goes on when no shard whose turn it is is away."""
        self.merge()
        if after < self._begun and (marks := self._marks()) and marks[0].number < self._begun:
            self._begin(marks[0])
            self.merge()
        starts, parts, places, total = self._starts, self._parts, self._from, self._total
        streams: dict[int, Iterator[Outcome | None]] = {}
        number = max(after, self._begun)
        while number < total:
            part = bisect_right(starts, number) - 1
            n, end = parts[part], starts[part + 1] if part + 1 < len(starts) else total
            at = places[part] + number - starts[part]
            if n not in streams:
                streams[n] = self._log(self._logs[n], at)
            for _ in range(number, end):
                try:
                    outcome = next(streams[n])
                except ServerAwayError as error:
                    self._miss(self._logs[n], error)
                    return
                number += 1
                if outcome is not None:
                    yield number, outcome
        if total == self._total:
            merged = {n: shard.merged for n, shard in self._logs.items()}
            self._mark = _Mark(total, self._read, merged)
            if len(starts) > _MOST_PARTS:
                self._begin(self._mark)

    def _log(self, shard: _Shard, first: int) -> Iterator[Outcome | None]:
        """The outcomes of a shard after ``first``, one for each that has a place; None for a damaged one."""
        number = first
        while True:
            log = self._first.frontier.outcomes_of(shard.number, number) if shard.removed else shard.frontier.outcomes(number)
            for n, outcome in log:
                yield from [None] * (n - number - 1)
                yield outcome
                number = n
            yield None  # the last one is damaged, or this is asked for too much
            number += 1

    def merge(self) -> None:
        """Read which parts of the logs others have merged, and append what nobody has yet."""
        every = time.monotonic() - self._looked > _LOOK_EVERY
        if not self._log_is_read:
            if not (marks := self._marks()):
                return
            self._begin(marks[2])
            self._log_is_read = True
        while True:
            while True:
                size, first, new = self._ask(self._first, (self._read, self._read, []), "merged", self._read)
                if size < self._read:
                    raise FrontierServerError(
                        f"Redis at {self._first.frontier.place} has lost what came last. Remedy: start this worker again"
                    )
                if not new:
                    break
                if first > self._read:  # others have forgotten what this process, away for long, has not read
                    if not (marks := self._marks()):
                        return
                    self._begin(marks[0])
                    if first > self._read:
                        raise FrontierServerError(f"Redis at {self._first.frontier.place} has lost data. Remedy: begin anew")
                    continue
                try:
                    for packed in new:
                        self._note(packed)
                except ServerAwayError as error:
                    self._miss(self._first, error)
                    return
            looked = [shard for shard in self._shards if every or shard.grown]
            if not looked or self._first.away_since is not None:
                return
            sizes = {shard.number: self._ask(shard, 0, "finished") for shard in looked}
            parts = [(shard.number, n) for shard in looked if (n := sizes[shard.number] - shard.merged) > 0]
            packed = bytes(msgpack.packb(parts))
            if parts and not self._ask(self._first, False, "merge", self._read, packed):
                continue  # another worker was quicker, or the first shard has gone away
            for shard in looked:
                shard.grown = shard.away_since is not None
            if parts:
                self._note(packed)
            if every:
                self._looked = time.monotonic()
            return

    def _begin(self, mark: _Mark) -> None:
        """Read the order of the logs from here on."""
        self._mark, self._begun, self._total, self._read = mark, mark.number, mark.number, mark.elements
        self._starts, self._parts, self._from = array("q"), array("q"), array("q")
        for n, shard in self._logs.items():
            shard.merged = mark.merged.get(n, 0)

    def _marks(self) -> list[_Mark]:
        """From where on the logs are kept; from where on they will be kept the next time; somewhat before the last checkpoint,
        where a worker begins to read; and at it, or a little before. Nothing while the first shard is away."""
        try:
            if (marks := self._ask(self._first, _AWAY, "load", _LOG)) is _AWAY:
                return []
            found = [_Mark.read(mark) for mark in marks or [{}] * 4]
            if any(n not in self._logs for mark in found for n in mark.merged):  # a newer map has it
                self.follow(self._first.frontier)
        except ServerAwayError as error:
            self._miss(self._first, error)
            return []
        return found

    def _forget(self, number: int) -> None:
        """Note where the logs stand at a checkpoint of ``number`` pages, and forget what is far behind."""
        mark = self._mark
        if self._log_is_read and mark.number <= number and (marks := self._marks()):
            kept, later, _, last = marks
            if mark.number < last.number + _APART:
                return
            forget = mark.number - later.number >= KEPT
            marks = [*((later, mark) if forget else (kept, later)), last, mark]
            stored = self._ask(self._first, False, "store_checkpoint", _LOG, mark.number, [asdict(each) for each in marks])
            if forget and stored:  # only now nobody begins to read before it
                for n, shard in list(self._logs.items()):  # a newer map may be heard of
                    of, server = (n, self._first) if shard.removed else (None, shard)
                    self._ask(server, None, "forget_outcomes", of, later.merged.get(n, 0))
                self._ask(self._first, None, "forget_merged", later.elements)

    def merged(self, number: int) -> int:
        """How many outcomes of a shard have a place among those of the others, as far as this process knows."""
        return self._logs[number].merged

    def _note(self, packed: bytes) -> None:
        parts = msgpack.unpackb(packed)
        if any(n not in self._logs for n, _ in parts):  # a newer map has it
            self.follow(self._first.frontier)
        self._read += 1
        for n, size in parts:
            shard = self._logs[n]
            if not self._parts or self._parts[-1] != n:
                self._starts.append(self._total)
                self._parts.append(n)
                self._from.append(shard.merged)
            shard.merged += size
            self._total += size

    # -- Facts, and what belongs to no host

    def counts(self) -> dict[State, int]:
        """See :meth:`Frontier.counts`. A shard that is away counts as it was. Raises FrontierServerError where nothing but such
        shards has anything left, for longer than ``patience``."""
        self._count()
        if not self.map.to and not any(shard.counts[State.WAITING] + shard.counts[State.IN_FLIGHT] for shard in self._shards):
            self._hand_over_all()  # links may be kept by a worker that is gone
            self._count()
        away = [shard for shard in self._shards if shard.away_since is not None]
        here = [shard.counts for shard in self._shards if shard.away_since is None]
        if away and not any(counts[State.WAITING] + counts[State.IN_FLIGHT] for counts in here):
            now = time.monotonic()
            if all(now - (shard.away_since or now) > self._patience for shard in away):
                raise FrontierServerError(away[0].why)
        more = bool(away or self.map.to)  # links may wait for these shards, or for hosts that are moved
        return {state: sum(shard.counts[state] for shard in self._shards) + (more and state is State.WAITING) for state in State}

    def _count(self) -> None:
        for shard in self._shards:
            shard.counts = self._ask(shard, shard.counts, "counts")

    def dropped(self) -> dict[str, int]:
        return dict(sum((Counter(part) for part in self._all({}, "dropped")), Counter[str]()))

    def hosts(self) -> int:
        return int(sum(self._all(0, "hosts")))

    def details(self) -> dict[str, Any]:
        """See :meth:`Frontier.details`. The numbers of all shards that answer; "shards" has those of each."""
        shards, parts = self._shards, self._all({}, "details")
        heard: dict[str, float] = {}
        for part in parts:
            for worker, seconds in part.get("last_heard_of", {}).items():
                heard[worker] = min(seconds, heard.get(worker, seconds))
        summed = ("pages", "lease_expiries", "leases_lost", "damaged", "max_waiting")
        shown = ("place", "pages", "lease_expiries")
        return {
            **next((part for part in parts if part), {}),
            "place": f"{len(self._shards)} shards of {self._first.frontier.name}",
            "workers": max((part.get("workers", 0) for part in parts), default=0),
            "last_heard_of": heard,
            **{name: sum(part.get(name, 0) for part in parts) for name in summed},
            "max_pages": self._max_pages,
            "moving": self.map.to is not None,
            "shards": [
                {name: part[name] for name in shown} if part else {"place": shard.frontier.place, "away": shard.why}
                for shard, part in zip(shards, parts, strict=True)
            ],
        }

    def save(self, name: str, data: Any) -> None:
        self._hold(name, data)
        self._change(self._first, None, "save", name, data)

    def load(self, name: str) -> Any:
        """See :meth:`Frontier.load`. While the first shard is away, what was known last."""
        return self._hold(name, self._ask(self._first, self._loaded.get(name), "load", name))

    def _hold(self, name: str, data: Any) -> Any:
        """Remember a note: the :data:`_NOTES` that were asked for last."""
        self._loaded.pop(name, None)
        self._loaded[name] = data
        if len(self._loaded) > _NOTES:
            del self._loaded[next(iter(self._loaded))]
        return data

    def checkpoint(self, name: str, number: int, data: Any) -> bool:
        """See :meth:`Frontier.checkpoint`. While the first shard is away none is stored. The log of finished pages is forgotten
        but for the last :data:`KEPT` ones, or twice as many."""
        if stored := bool(self._ask(self._first, False, "store_checkpoint", name, number, data)):
            self._forget(number)
        return stored

    def agree(self, name: str, data: Any) -> Any:
        """See :meth:`Frontier.agree`. Raises FrontierServerError while the first shard is away."""
        if (agreed := self._ask(self._first, _AWAY, "agree", name, data)) is _AWAY:
            raise FrontierServerError(self._first.why)
        return agreed

    def first(self, name: str, number: int) -> bool:
        """See :meth:`Frontier.first`. While the first shard is away nobody is."""
        return bool(self._ask(self._first, False, "first", name, number))

    def claim(self, name: str, seconds: float) -> bool:
        """As of a :class:`~topical_crawler.frontier.redis.RedisFrontier`; each may do what a shard that is away cannot tell."""
        return bool(self._ask(self._shard(name), True, "claim", name, seconds))

    def remember(self, name: str, text: str, seconds: float) -> None:
        self._ask(self._shard(name), None, "remember", name, text, seconds)

    def recall(self, name: str) -> str | None:
        text: str | None = self._ask(self._shard(name), None, "recall", name)
        return text

    def __len__(self) -> int:
        return self.counts()[State.WAITING]

    def close(self) -> None:
        closed: set[int] = set()
        while left := [shard for shard in self._shards if shard.number not in closed]:  # it may hear of further ones only now
            self._forget_late(left[0])
            self._ask(left[0], None, "close")
            closed.add(left[0].number)

    @staticmethod
    def _forget_late(shard: _Shard) -> None:
        if shard.late:
            logger.warning(
                "Shard %d was not told of %d changes: pages that were in flight there are fetched again",
                shard.number, len(shard.late),
            )  # fmt: skip
        shard.late.clear()


def _parts(items: Sequence[_T], host: Callable[[_T], str], shards: tuple[int, ...]) -> dict[int, list[_T]]:
    parts: dict[int, list[_T]] = {}
    for item in items:
        parts.setdefault(shard_of(host(item), shards), []).append(item)
    return parts


SharedFrontier = Shard | ShardedFrontier


def open_shards(
    clients: Sequence[redis.Redis], name: str, *bounds: Any, max_pages: int = 0, patience: float = 60.0, **options: Any
) -> SharedFrontier:
    """The frontier of a crawl in one server, or in a shard for each of several. Arguments as of
    :class:`~topical_crawler.frontier.redis.RedisFrontier`; ``max_waiting`` is shared out.

    Of a crawl whose shards were changed, ``clients`` need only have the first one: the newest map says where the others
    are, which have its account.

    Raises:
        FrontierServerError: a server cannot be used, is another shard of the crawl, or none of it.
    """
    options |= {"max_pages": max_pages, "patience": patience, "later": True}
    opened = [Shard(client, name, *bounds, **options) for client in clients]
    first = opened[0]
    known = ShardMap.read(first.load(map_name(number))) if (number := first.newest_map()) else None
    if len(clients) == 1 and known is None:
        first.open()
        check_place(first, 0, 1)
        return first
    shard_map = known or ShardMap(0, tuple(range(len(clients))))

    def join(place: str) -> Shard:
        joined = Shard(like(clients[0], place), name, *bounds, **options)
        joined.share(len(shard_map.to or shard_map.ids))
        return joined

    shards: dict[int, Shard] = {}
    for n, shard in enumerate(opened):
        shard.share(len(shard_map.to or shard_map.ids))
        shard.be_patient(0.0 if n else patience)
        if n and shard.place in shard_map.left:  # it may be switched off; the first one is the crawl's, whatever it was before
            own = None
        elif (own := n if known is None else _number(shard, known)) is None:
            raise FrontierServerError(
                f"{shard.place} is no shard of the crawl {name!r}. Remedy: take it out of REDIS_URL, or add it "
                f"(topical-crawler frontier shards --add)"
            )
        if own in shard_map.all:
            shards[own] = shard
        else:
            logger.warning("%s is no shard of the crawl %r any more. Remedy: take it out of REDIS_URL", shard.place, name)
    for number in shard_map.all:
        if number not in shards:
            shards[number] = join(shard_map.places[number])
    shards[0].be_patient(patience)
    shards[0].open()
    with ExitStack() as undo:
        undo.callback(shards[0].close)
        sharded = ShardedFrontier(shards, shard_map, join, max_pages=max_pages, patience=patience)
        undo.pop_all()
        undo.callback(sharded.close)
        sharded.begin(None if known else len(clients))
        undo.pop_all()
    return sharded


def _number(shard: Shard, known: ShardMap) -> int | None:
    """Which shard a server is; while it is away, by its address."""
    try:
        return shard.number()
    except ServerAwayError:
        if (number := next((n for n in known.all if known.places.get(n) == shard.place), None)) is None:
            raise
        return number
