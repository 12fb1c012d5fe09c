"""A frontier in Redis for any number of workers: popped entries are leased, politeness holds over all of them.

Every step is one Lua script (``lua/``), which Redis runs as a whole. A crawl has one part or many (:mod:`redis_part`), and each
script touches one of them. So the links of a page are pushed to the parts of their hosts first, and then the page is marked done
in its own: a worker that dies in between fetches that page again, and nothing else.
"""

from __future__ import annotations

import contextlib
import heapq
import json
import math
import secrets
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgpack
import redis

from topical_crawler.frontier.base import (
    NO_PAGES,
    Entry,
    Frontier,
    FrontierServerError,
    LeaseLost,
    Next,
    Outcome,
    Pushed,
    State,
    Status,
    check,
    check_bounds,
    check_delay,
    check_priority,
    host_of,
)
from topical_crawler.frontier.redis_journal import RedisJournal
from topical_crawler.frontier.redis_part import AFTER, BEFORE, LOOKED_AT, MEASURED, Part, by_part, part_of, steady
from topical_crawler.frontier.redis_server import (
    VERSION,
    RecordError,
    Server,
    ServerAway,
    logger,
    pack_links,
    pack_list,
    pack_outcome,
    read_entry,
    refuse_plain_port,
)

DAMAGED = "damaged entry"  # why an entry is dropped whose record cannot be read
PARTS_OF_A_CLUSTER = 64
MOST_PARTS = 4_096
_WAITING = bytes([State.WAITING])
_DISCARDED, _READ = 1_000, 500  # entries in one call
_Call = tuple[Part, str, tuple[Any, ...]]  # a script, and what it is given after the time
_NEAR = 100  # pages before the bound on pages, from which on all parts are asked before every pop


@dataclass
class _Task:
    """Calls that follow each other; one whose part rests is made later."""

    calls: deque[_Call]
    pushed: Pushed = field(default_factory=Pushed)
    lost: bytes | None = None  # key of an entry whose lease is lost


class RedisFrontier(Frontier):
    """The contract of :class:`~topical_crawler.frontier.base.Frontier`, in Redis 6.2 or newer (or Valkey), or a cluster of it.

    A popped entry is leased: unless it is renewed or finished in time, it waits again, and what its worker then brings is refused
    (:class:`LeaseLost`). So a worker that dies loses nothing. The delay, the limit in flight and the bounds of the first worker
    hold for all, until the last one has gone. Raises FrontierServerError where the server cannot be used, the crawl in it is of
    another version or has other parts, or there is none to attach to.

    With several parts it is nearly best-first: a worker knows the best entry of each part as it was when it, or the part, changed
    something, at most :data:`~topical_crawler.frontier.redis_part.LOOKED_AT` seconds ago; of equals the one of the fullest part
    comes first. The bounds may be exceeded by what other workers brought or took since. While a part's server is away its entries
    rest, and what is to be written there waits in memory, for ``patience`` seconds at most.

    Args:
        client: a connection that gives bytes, to a server or to any node of a Redis Cluster.
        name: of the crawl; frontiers of one name are the same one.
        delay, in_flight_per_host, max_waiting: as in :class:`~topical_crawler.frontier.hosts.LocalFrontier`, over all workers.
        max_pages: pages after which :meth:`pop` gives nothing (finished, but for :data:`NO_PAGES`, or in flight); 0: no bound.
        lease: seconds.
        worker: name of this process, unlike any other's; made up where none is given.
        clock: whose times count: the ``server``'s, or those that the ``caller`` passes in, as a simulation does.
        patience: seconds for which a server that is away, or full, is asked again.
        attach: look at a crawl and change what waits, without being a worker; no other argument but ``patience`` counts then.
        parts: of the crawl, from 1 to :data:`MOST_PARTS`, which stay as they are; None: as it has, or 1 for a new one on a server
            and :data:`PARTS_OF_A_CLUSTER` in a cluster.
    """

    shared = True

    def __init__(
        self,
        client: redis.Redis,
        name: str,
        delay: float = 0.0,
        in_flight_per_host: int = 1,
        max_waiting: int = 0,
        *,
        max_pages: int = 0,
        lease: float = 120.0,
        worker: str = "",
        clock: Literal["server", "caller"] = "server",
        patience: float = 60.0,
        attach: bool = False,
        parts: int | None = None,
    ) -> None:
        check_bounds(delay, in_flight_per_host, max_waiting)
        if parts is not None and not 1 <= parts <= MOST_PARTS:
            raise ValueError(f"a crawl in {parts} parts: it must be a number from 1 to {MOST_PARTS}")
        if not 1 <= lease < math.inf:
            raise ValueError(f"a lease of {lease} seconds: it must be a number of seconds, 1 or more")
        if not name or any(c in "{}\r\n" for c in name):
            raise ValueError(f"a crawl named {name!r}: a name without braces and line ends is needed (-s TOPICAL_CRAWL=NAME)")
        self.name = name
        self.worker = worker or f"worker-{secrets.token_hex(6)}"
        refuse_plain_port(client)
        self._server = Server(client, patience)
        self._now = "0" if clock == "caller" else "" if attach else MEASURED
        self._tokens: dict[bytes, tuple[Part, int]] = {}
        self._taken: deque[tuple[Entry, int]] = deque()  # reserved, and not given out yet
        self._tasks: deque[_Task] = deque()  # that wait for a part
        self._met: dict[bytes, Part] = {}  # of the entries that :meth:`waiting` gave last
        self._lost = 0
        self._closed = attach
        self._server.check()
        self._own = Part(self._server, f"{BEFORE}{name}{AFTER}", self.worker)
        self._max_waiting, self._max_pages = max_waiting, max_pages
        if attach:
            version, given, most = self._own.call("hmget", "meta", "version", "parts", "max_waiting")
            self._check_version(version)
            self._max_waiting = int(float(most))
            self._parts = self._of(int(given))
        else:
            self._join(parts, delay, in_flight_per_host, lease, max_waiting, max_pages)
        self.journal = RedisJournal(self._own, self._parts, self.worker)

    def _of(self, number: int) -> list[Part]:
        """The parts: that of the crawl itself, where it is the only one, or others beside it."""
        if number == 1:
            return [self._own]
        patience = 0.0 if self._server.patience else None
        prefixes = (f"{BEFORE}{self.name}#{n}{AFTER}" for n in range(number))
        return [Part(self._server, prefix, self.worker, patience) for prefix in prefixes]

    def _join(self, parts: int | None, *settings: float) -> None:
        number = parts or (PARTS_OF_A_CLUSTER if self._server.is_cluster else 1)
        time = "" if self._now == MEASURED else self._now
        version, *rest = self._own.open(self.worker, *map(repr, settings), time, number)
        self._check_version(version)
        known, *rest = rest
        if parts is not None and int(known) != parts:
            raise FrontierServerError(
                f"the crawl {self.name!r} was begun with {int(known)} parts, not {parts}, and keeps them. Remedy: leave "
                "TOPICAL_FRONTIER_PARTS away, or name another crawl (-s TOPICAL_CRAWL=NAME)"
            )
        held = tuple(float(value) for value in rest)
        if held != settings:
            logger.warning(
                "The crawl %r has other workers: their delay of %g s, %g in flight per host, lease of %g s and bounds of %g "
                "waiting and %g pages hold here too", self.name, *held,
            )  # fmt: skip
        self._max_waiting, self._max_pages = int(held[3]), int(held[4])
        self._parts = self._of(int(known))
        for part in self._parts if len(self._parts) > 1 else ():
            part.open("", *map(repr, held), time)

    def _check_version(self, version: bytes | None) -> None:
        place = f"Redis at {self._server.name}"
        if version is None:
            names = ", ".join(crawls(self._server.client)) or "none"
            raise FrontierServerError(f"there is no crawl {self.name!r} in {place}. Remedy: name one of those there: {names}")
        if int(version) != VERSION:
            raise FrontierServerError(
                f"the crawl {self.name!r} in {place} is stored in version {int(version)}, this program writes version {VERSION}. "
                f"Remedy: run the same program on all workers, or name another crawl (-s TOPICAL_CRAWL=NAME)"
            )

    def _part(self, host: str) -> Part:
        return part_of(host, self._parts)

    def _batches(self, entries: Iterable[Entry]) -> dict[Part, bytes]:
        """Entries as one push to each part takes them. Raises ValueError for one that no frontier takes, RecordError for one that
        is too large."""
        links = by_part((entry, self._part(check(entry).host)) for entry in entries)
        return {part: pack_links(some) for part, some in links.items()}

    # -- Calls that wait for a part

    def _do(self, calls: Iterable[_Call]) -> Pushed:
        """Make calls that follow each other. Raises LeaseLost where one is to finish what is no longer in flight here."""
        task = _Task(deque(calls))
        self._tasks.append(task)
        try:
            self._go_on()
        except BaseException:
            if task in self._tasks:
                self._tasks.remove(task)
            raise
        if task.lost is not None:
            raise _lost(task.lost)
        return task.pushed

    def _go_on(self) -> None:
        """Make the calls that wait, as far as no part rests. Of one part they are made in their order."""
        resting: set[Part] = set()
        for task in list(self._tasks):
            while task.calls and task.calls[0][0] not in resting:
                part, script, arguments = task.calls[0]
                try:
                    answer = part.push(self._now, *arguments) if script == "push" else part.run(script, self._now, *arguments)
                except ServerAway:
                    if len(self._parts) == 1:
                        raise
                    resting.add(part)
                    break
                task.calls.popleft()
                if script == "finish":
                    self._note_finish(task, answer, *arguments[:3:2])
                if script != "change" and answer:
                    task.pushed.add(_pushed(answer))
            if not task.calls:
                self._tasks.remove(task)

    def _note_finish(self, task: _Task, answer: Any, what: str, key: bytes) -> None:
        if answer is None:
            self._lose(key)
            task.lost = key
        elif what != "sent":
            self._tokens.pop(key, None)

    def _make_room(self) -> None:
        """Drop what waits beyond the bound, in the parts that have the worst. A single part does so itself."""
        while self._max_waiting and len(self._parts) > 1:
            over = sum(part.head.waiting for part in self._parts) - self._max_waiting
            first, second = heapq.nsmallest(2, self._parts, key=lambda part: part.head.worst)
            before = first.head
            if over <= 0 or first.rests:
                return
            with contextlib.suppress(ServerAway):
                first.run("change", self._now, "evict", over, repr(second.head.worst))
            if first.head == before:
                return

    def _finish(self, what: str, key: bytes, *arguments: Any, first: Iterable[_Call] = ()) -> Pushed:
        """Change an entry in flight, after what is to be done ``first``."""
        if key not in self._tokens:
            raise _lost(key)
        part, token = self._tokens[key]
        return self._do([*first, (part, "finish", (what, self.worker, key, token, *arguments))])

    # -- The contract

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """See :meth:`Frontier.push`. All or nothing of each part; what a part gets later, because it rests, is not in the
        counts."""
        batches = self._batches(entries) or {self._parts[0]: pack_links([])}
        pushed = self._do((part, "push", (batch,)) for part, batch in batches.items())
        self._make_room()
        return pushed

    def pop(self, now: float, ahead: int = 1) -> Entry | None:
        """See :meth:`Frontier.pop`. An entry whose record cannot be read is dropped and logged; the next one follows."""
        while True:
            while self._taken:
                entry, token = self._taken.popleft()
                if self._tokens.get(entry.key, (None, 0))[1] == token:  # else its lease ran out meanwhile
                    return entry
            if not self._take(now, max(1, ahead)):
                return None

    def _take(self, now: float, ahead: int) -> bool:
        """Reserve entries of the best part. One that turns out to have less than the next one gives none, and is known from then
        on."""
        at = self._time(now)
        if self._tasks:
            self._go_on()
        for _ in range(2 * len(self._parts)):
            part, most, least = self._choose(at, ahead)
            if part is None:
                return False
            try:
                popped = part.run("pop", self._now, "pop", self.worker, most, least) or ()
            except ServerAway:
                if len(self._parts) == 1:
                    raise
                continue
            for record, key, token in zip(popped[::3], popped[1::3], popped[2::3], strict=True):
                self._tokens[key] = part, token
                try:
                    self._taken.append((read_entry(key, record), token))
                except RecordError as error:
                    logger.error("%s. It is dropped", error)
                    self.drop(key, DAMAGED)
            if popped or len(self._parts) == 1:
                return bool(popped)
        return False

    def _choose(self, at: float, ahead: int) -> tuple[Part | None, int, str]:
        """The part that has the best entry, how many to take of it, and the priority of the best one elsewhere."""
        if len(self._parts) == 1:
            return self._own, ahead, ""
        left = ahead
        if self._max_pages:
            for every in (False, True):
                self._look(every)
                left = self._max_pages - sum(part.head.pages + part.head.in_flight for part in self._parts)
                if left > _NEAR:
                    break
        self._look()
        best = self._best(at)
        if best[0].best(at) == -math.inf and self._now != MEASURED:  # others may have pushed at the same moment
            self._look(every=True)
            best = self._best(at)
        if left <= 0 or best[0].best(at) == -math.inf:
            return None, 0, ""
        return best[0], min(ahead, left), repr(best[1].best(at))

    def _best(self, at: float) -> list[Part]:
        """The two parts that have the best entries, of equals the fullest."""
        return heapq.nsmallest(2, self._parts, key=lambda part: (-part.best(at), -part.head.waiting))

    def _look(self, every: bool = False) -> None:
        """Ask the parts that were not heard of lately, or ``every`` one, how they stand."""
        for part in self._parts:
            if not part.rests and (every or steady() - part.heard > LOOKED_AT):
                with self._resting():
                    part.run("pop", self._now, "next", self.worker)

    def _resting(self) -> contextlib.AbstractContextManager[None]:
        """Of several parts those whose server is away rest."""
        return contextlib.suppress(ServerAway) if len(self._parts) > 1 else contextlib.nullcontext()

    def next(self, now: float) -> Next:
        """See :meth:`Frontier.next`. Another worker may bring something to pop at any time."""
        if self._taken:
            return Next(self._taken[0][0].priority, 0.0)
        at = self._time(now)
        self._look(every=len(self._parts) == 1)
        best = max(part.best(at) for part in self._parts)
        if best > -math.inf:
            return Next(best, 0.0)
        wait = min(part.head.wait - (at - part.at) for part in self._parts)
        return Next(None, max(wait, 0.0) if wait < math.inf else None)

    def _time(self, now: float) -> float:
        """The time on the clock that counts; the caller's is told to the scripts from now on."""
        if self._now in ("", MEASURED):
            return steady()
        self._now = repr(float(now))
        return now

    def sent(self, key: bytes, now: float) -> None:
        self._time(now)
        self._finish("sent", key)

    def put_back(self, entry: Entry, priority: float) -> None:
        check_priority(priority, entry.url)
        self._finish("put_back", entry.key, repr(float(priority)))

    def requeue(self, key: bytes, *, url: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        """See :meth:`Frontier.requeue`. At a host of another part it waits there, and counts as done in its own."""
        host, new = "", ""
        if url is not None and key in self._tokens:
            part = self._tokens[key][0]
            if (record := part.call("hget", "entries", key)) is None:
                raise _lost(key)
            old = read_entry(key, record)
            host, new = host_of(url, old.url, old.host), url
            if (other := self._part(host)) is not part:
                moved = replace(old, url=url, host=host, meta=dict(old.meta if meta is None else meta))
                self._finish("leave", key, first=[(other, "push", (pack_links([moved]),))])
                return
        self._finish("requeue", key, host, new, "" if meta is None else json.dumps(meta, ensure_ascii=False))

    def done(self, key: bytes, outcome: Outcome, links: Iterable[Entry] = ()) -> Pushed:
        """See :meth:`Frontier.done`. What Redis has answered survives what its append-only file survives."""
        counts = int(outcome.reason not in NO_PAGES)
        batches, packed = self._batches(links), pack_outcome(outcome)
        own = batches.pop(self._tokens[key][0], None) if key in self._tokens else None
        others = [(part, "push", (batch,)) for part, batch in batches.items()]
        pushed = self._finish("done", key, packed, counts, own or pack_links([]), first=others)
        self._make_room()
        return pushed

    def drop(self, key: bytes, reason: str) -> None:
        self._finish("drop", key, reason)

    def waiting(self, limit: int) -> list[Entry]:
        """See :meth:`Frontier.waiting`. Read in many small steps: what changes meanwhile may be missing."""
        heads = sorted((score, host, n) for n, part in enumerate(self._parts) for host, score in self._heads(part))
        last = heads[:limit][-1:]  # of hosts with equals, the numbers decide: all of them are read
        best = heapq.merge(*(self._queue(host, n) for score, host, n in heads if last and score <= last[0][0]))
        keys = [(member[6:], self._parts[n]) for (_, member, n), _ in zip(best, range(limit), strict=False)]
        self._met = dict(keys)
        records = self._records(keys)
        entries = []
        for key, _ in keys:
            if (record := records.get(key)) is not None and record[1:2] == _WAITING:
                try:
                    entries.append(read_entry(key, record))
                except RecordError as error:
                    logger.error("%s", error)
        return entries

    def _records(self, keys: Iterable[tuple[bytes, Part]]) -> dict[bytes, bytes | None]:
        """The records of entries."""
        records: dict[bytes, bytes | None] = {}
        for part, some in by_part(keys).items():
            for first in range(0, len(some), _READ):
                chunk = some[first : first + _READ]
                records.update(zip(chunk, part.call("hmget", "entries", chunk), strict=True))
        return records

    def is_settled(self, key: bytes, off_topic: bool = False) -> bool:
        """See :meth:`Frontier.is_settled`. Of pages that were done, those in the part of the log that was read here; one that
        another worker has wait again meanwhile gains no evidence from this one."""
        return key in self.journal.done

    def find(self, key: bytes) -> tuple[State, Entry] | None:
        """See :meth:`Frontier.find`. Of a page that was done, and of a link dropped for want of room, no address is known."""
        found = None
        for part in self._parts:
            if (record := part.call("hget", "entries", key)) is not None:
                state = State.IN_FLIGHT if part.call("hexists", "flights", key) else State(record[1])
                if found is None or found[0] == State.DONE:  # one that has left its part is done there
                    found = state, read_entry(key, record)
        return found

    def _heads(self, part: Part) -> Iterator[tuple[bytes, float]]:
        """The hosts of a part that have a waiting entry, with the score of their best one."""
        cursor, hosts = -1, {}
        while cursor != 0:
            cursor, hosts = part.call("hscan", "hosts", max(cursor, 0), count=1_000)
            for host, record in hosts.items():
                if (score := msgpack.unpackb(record, raw=True)[4]) is not False:
                    yield host, score

    def _queue(self, host: bytes, number: int) -> Iterator[tuple[float, bytes, int]]:
        """(score, member, number of the part) of what waits of a host, best first."""
        first, size, key = 0, 16, f"queue:{host.decode()}"
        while part := self._parts[number].call("zrange", key, first, first + size - 1, withscores=True):
            yield from ((score, member, number) for member, score in part)
            first, size = first + size, min(4 * size, 4_096)

    def reprice(self, priorities: Mapping[bytes, float]) -> None:
        """See :meth:`Frontier.reprice`. In steps, between which others have their turn; all is checked before the first."""
        for key, priority in priorities.items():
            check_priority(priority, key.hex())
        where = {key: [self._met[key]] if key in self._met else self._parts for key in priorities}
        self._change("reprice", (((key, float(p)), part) for key, p in priorities.items() for part in where[key]))

    def discard(self, reason: str, *, host: str | None = None, below: float | None = None) -> int:
        """See :meth:`Frontier.discard`. In steps of a thousand."""
        if host is not None:
            names = [(host.encode(), self._part(host))]
        else:
            names = [(name, part) for part in self._parts for name, _ in self._heads(part)]
        count = 0
        for name, part in names:
            bound = "" if below is None else repr(below)
            while changed := part.run("change", self._now, "discard", reason, name, _DISCARDED, bound):
                count += changed
        return count

    def revive(self, urls: Mapping[bytes, str]) -> int:
        """See :meth:`Frontier.revive`. A page that was done is known by its priority and depth only."""
        self.journal.done.difference_update(urls)
        hosts = ((key, host_of(url, "", ""), url) for key, url in urls.items())
        return self._change("revive", ((item, self._part(item[1])) for item in hosts))

    def renew(self) -> frozenset[bytes]:
        """See :meth:`Frontier.renew`. To be called a few times in the time of a lease."""
        self._go_on()
        held = by_part(((key, token), part) for key, (part, token) in self._tokens.items())
        lost: list[bytes] = []
        for part in {self._own: None, **held}:
            worker = self.worker if part is self._own else ""
            with self._resting():
                lost += part.run("change", self._now, "renew", worker, pack_list(held.get(part, [])))
        for key in lost:
            self._lose(key)
        return frozenset(lost)

    def set_delay(self, host: str, seconds: float) -> None:
        """See :meth:`Frontier.set_delay`. Holds for all workers."""
        check_delay(seconds)
        self._do([(self._part(host), "change", ("delay", host, repr(float(seconds))))])

    def status(self) -> Status:
        """See :meth:`Frontier.status`. Over all workers."""
        meta = {name.decode(): value.decode() for name, value in self._own.call("hgetall", "meta").items()}
        if not meta:
            raise FrontierServerError(self._server.gone())
        for part in self._parts:
            with self._resting():
                part.look()
        heads = [part.head for part in self._parts]
        dropped: Counter[str] = Counter()
        for part in self._parts:
            dropped.update(part.reasons)
        counts = {
            State.WAITING: sum(head.waiting for head in heads),
            State.IN_FLIGHT: sum(head.in_flight for head in heads),
            State.DONE: sum(head.done for head in heads),
            State.DROPPED: dropped.total(),
        }
        return Status(counts, dict(dropped), sum(head.hosts for head in heads), 0, self._details(meta))

    def _details(self, meta: Mapping[str, str]) -> dict[str, Any]:
        clock, lease = float(meta["time"]), float(meta["lease"])
        workers = self._own.call("zrange", "workers", 0, -1, withscores=True)
        return {
            "backend": "redis",
            "place": f"{self._server.name} {self.name}",
            "parts": len(self._parts),
            "workers": sum(clock - seen <= max(lease, 10.0) for _, seen in workers),
            "last_heard_of": {name.decode(): round(clock - seen, 1) for name, seen in workers},
            "pages": sum(part.head.pages for part in self._parts),
            "lease_seconds": lease,
            "lease_expiries": sum(part.expired for part in self._parts),
            "leases_lost": self._lost,
            "damaged": sum(part.damaged for part in self._parts),
            "delay": float(meta["delay"]),
            "in_flight_per_host": int(meta["limit"]),
            "max_waiting": int(meta["max_waiting"]),
            "max_pages": int(meta["max_pages"]),
        }

    def __len__(self) -> int:
        for part in self._parts:
            if len(self._parts) == 1 or steady() - part.heard > LOOKED_AT:
                with self._resting():
                    part.look()
        return sum(part.head.waiting for part in self._parts)

    def close(self) -> None:
        """See :meth:`Frontier.close`. What is in flight is given back at once; the server's connection stays its owner's."""
        while self._tasks:
            time.sleep(0.1)
            self._go_on()
        if not self._closed:
            for key in list(self._tokens):
                with contextlib.suppress(LeaseLost):  # another worker has it already
                    self.requeue(key)
            self.journal.close()
            self._own.call("zrem", "workers", self.worker)
            self._closed = True

    def _change(self, what: str, items: Iterable[tuple[tuple[Any, ...], Part]]) -> int:
        """Change entries in steps. Returns how many changed."""
        count = 0
        for part, some in by_part(items).items():
            for first in range(0, len(some), _READ):
                count += part.run("change", self._now, what, pack_list(some[first : first + _READ]))
        return count

    def _lose(self, key: bytes) -> None:
        self._lost += self._tokens.pop(key, None) is not None


def crawls(client: Any) -> list[str]:
    """The names of the crawls in a server or a cluster, in alphabetical order."""
    keys = client.scan_iter(match=f"{BEFORE}*{AFTER}meta", count=1_000)
    names = {key.decode().removeprefix(BEFORE).removesuffix(f"{AFTER}meta") for key in keys}
    return sorted(name for name in names if name.rpartition("#")[0] not in names)  # else it is a part


def _lost(key: bytes) -> LeaseLost:
    why = "it was never popped, is finished already, or its lease ran out"
    return LeaseLost(f"entry {key.hex()} is not in flight here: {why}")


def _pushed(answer: Sequence[Any]) -> Pushed:
    """What the scripts answer to a push."""
    new, raised, known, dropped = answer
    return Pushed(new, raised, known, {dropped[i].decode(): dropped[i + 1] for i in range(0, len(dropped), 2)})
