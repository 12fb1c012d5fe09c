"""A frontier that lives and dies with its process: for experiments, benchmarks and tests."""

from __future__ import annotations

import heapq
import json
import operator
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from topical_crawler.frontier.base import (
    MAX_EVIDENCE,
    NO_ROOM,
    Entry,
    Journal,
    Outcome,
    Pushed,
    State,
    Status,
    check,
    check_priority,
    gained,
    host_of,
    not_in_flight,
)
from topical_crawler.frontier.hosts import LocalFrontier, Turn, push_lazily
from topical_crawler.web.page import Evidence

# What waits is one flat tuple: (place, url, host, depth, rescored, meta or None, then parent, relevance, on_topic, anchor … of
# each piece of evidence). One object instead of five, and of plain values only, so the garbage collector forgets it.
_Row = tuple[Any, ...]
_Place = tuple[float, int, bytes]  # (−priority, number of the first push, key)
_HEAD = 6
_WIDTH = 7


class MemoryJournal(Journal):
    """The journal of a frontier in memory."""

    def __init__(self) -> None:
        self._outcomes: list[Outcome] = []
        self._saved: dict[str, str] = {}
        self._firsts: dict[str, int] = {}

    def add(self, outcome: Outcome) -> None:
        """Append a finished page to the log."""
        self._outcomes.append(outcome)

    def outcomes(self, after: int = 0) -> Iterator[tuple[int, Outcome]]:
        while after < len(self._outcomes):
            after += 1
            yield after, self._outcomes[after - 1]

    def save(self, name: str, data: Any) -> None:
        """See :meth:`Journal.save`. Stored as JSON text, as in the other backends."""
        self._saved[name] = json.dumps(data, ensure_ascii=False)

    def load(self, name: str) -> Any:
        return json.loads(self._saved[name]) if name in self._saved else None

    def first(self, name: str, number: int) -> bool:
        if is_first := number > self._firsts.get(name, -1):
            self._firsts[name] = number
        return is_first


class MemoryFrontier(LocalFrontier):
    """The contract of :class:`~topical_crawler.frontier.base.Frontier`, in memory; see :class:`LocalFrontier`."""

    def __init__(self, delay: float = 0.0, in_flight_per_host: int = 1, max_waiting: int = 0) -> None:
        super().__init__(delay, in_flight_per_host, max_waiting)
        self._waiting: dict[bytes, _Row] = {}
        self._in_flight: dict[bytes, tuple[_Row, Turn]] = {}
        self._done: dict[bytes, _Row] = {}  # without evidence
        self._dropped: dict[bytes, tuple[_Row, str]] = {}
        self._queues: dict[str, list[_Place]] = {}
        self._live: Counter[str] = Counter()
        self._worst: list[tuple[float, int, bytes]] = []  # of what waits, the worst first; empty where there is no bound
        self._read: dict[bytes, tuple[_Row, Entry]] = {}  # what `waiting` gave out last
        self._number = 0
        self.journal = MemoryJournal()

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """See :meth:`Frontier.push`. Nothing is pushed when one entry is unsound (ValueError)."""
        result = Pushed()
        for entry in [check(entry) for entry in entries]:
            self._push(entry, result)
        self._make_room()
        return result

    def _push(self, entry: Entry, result: Pushed) -> None:
        key = entry.key
        if (row := self._waiting.get(key)) is not None:
            place, new = row[0], gained(row[_HEAD::_WIDTH], entry.evidence)
            if -entry.priority < place[0]:
                place = (-entry.priority, place[1], key)
            if new or place is not row[0]:
                self._wait((place, *row[1:], *_flat(new)), moved=place is not row[0])
            result.raised += bool(new)
            result.known += not new
        elif (dropped := self._dropped.get(key)) is not None:
            row, reason = dropped
            new = gained(row[_HEAD::_WIDTH], entry.evidence)
            evidence = (*row[_HEAD:], *_flat(new))
            if entry.dropped is None:
                del self._dropped[key]
                self._reasons[reason] -= 1
                self._wait(_row(entry, row[0][1], evidence))
            else:
                self._dropped[key] = ((*row[:_HEAD], *evidence), reason)
            changed = bool(new) or entry.dropped is None
            result.raised += changed
            result.known += not changed
        elif key in self._done or key in self._in_flight:
            result.known += 1
        else:
            self._number += 1
            row = _row(entry, self._number, _flat(gained((), entry.evidence)))
            if entry.dropped is None:
                self._wait(row)
                result.new += 1
            else:
                self._drop(row, entry.dropped)
                result.dropped[entry.dropped] = result.dropped.get(entry.dropped, 0) + 1

    def pop(self, now: float, ahead: int = 1) -> Entry | None:
        best = self._hosts.best(now)
        if best is None:
            return None
        host, _ = best
        key = heapq.heappop(self._queues[host])[2]  # the head of a queue is always live, see _next
        row = self._waiting.pop(key)
        self._live[host] -= 1
        self._in_flight[key] = (row, self._hosts.take(host, now, self._next(host)))
        return _entry(row)

    def sent(self, key: bytes, now: float) -> None:
        row, turn = self._take(key)
        self._in_flight[key] = (row, self._hosts.restart(row[2], turn, now))

    def put_back(self, entry: Entry, priority: float) -> None:
        check_priority(priority, entry.url)
        row, turn = self._take(entry.key)
        self._hosts.finish(row[2], turn, give_back=True)
        place, url, host, depth, rescored, *rest = row
        self._wait(((-priority, place[1], entry.key), url, host, depth, rescored + 1, *rest))

    def read_waiting(self, limit: int) -> Iterator[list[Entry]]:
        """See :meth:`Frontier.read_waiting`. An entry that is given out again is the same object, unless more is known of it."""
        read: dict[bytes, tuple[_Row, Entry]] = {}
        for row in heapq.nsmallest(limit, self._waiting.values(), key=operator.itemgetter(0)):
            (negative, _, key), url, _, _, rescored, meta = row[:_HEAD]
            before, entry = self._read.get(key) or (row, _entry(row))
            if before[1] != url or before[5] is not meta or before[_HEAD:] != row[_HEAD:]:
                entry = _entry(row)
            entry.priority, entry.rescored = -negative, rescored
            read[key] = row, entry
        self._read = read
        yield [entry for _, entry in read.values()]

    def is_settled(self, key: bytes, off_topic: bool = False) -> bool:
        if (row := self._waiting.get(key)) is not None:
            return off_topic and len(row) >= _HEAD + _WIDTH * MAX_EVIDENCE
        return key in self._done or key in self._in_flight

    def find(self, key: bytes) -> tuple[State, Entry] | None:
        if (row := self._waiting.get(key)) is not None:
            return State.WAITING, _entry(row)
        if (flight := self._in_flight.get(key)) is not None:
            return State.IN_FLIGHT, _entry(flight[0])
        if (row := self._done.get(key)) is not None:
            return State.DONE, _entry(row)
        if (dropped := self._dropped.get(key)) is not None:
            return State.DROPPED, replace(_entry(dropped[0]), dropped=dropped[1])
        return None

    def reprice(self, priorities: Mapping[bytes, float]) -> None:
        moved = {key: row for key in priorities if (row := self._waiting.get(key)) is not None}
        for key, row in moved.items():
            check_priority(priorities[key], row[1])
        hosts = set()
        for key, (place, url, host, depth, _, *rest) in moved.items():
            self._wait(((-priorities[key], place[1], key), url, host, depth, 0, *rest))
            hosts.add(host)
        for host in hosts:  # the best of a host may have fallen
            self._hosts.set_head(host, self._next(host))

    def requeue(self, key: bytes, *, url: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        row, turn = self._take(key)
        self._hosts.finish(row[2], turn)
        place, old_url, host, depth, rescored, old_meta, *evidence = row
        if url is not None:
            host = host_of(url, old_url, host)
        self._wait((place, url or old_url, host, depth, rescored, old_meta if meta is None else dict(meta), *evidence))

    def done(self, key: bytes, outcome: Outcome, links: Iterable[Entry] = ()) -> Pushed:
        entries = [check(entry) for entry in links]
        row, turn = self._take(key)
        self._hosts.finish(row[2], turn)
        self._done[key] = row[:_HEAD]
        self.journal.add(outcome)
        return self.push(entries)

    def drop(self, key: bytes, reason: str) -> None:
        row, turn = self._take(key)
        self._hosts.finish(row[2], turn, give_back=True)
        self._drop(row, reason)

    def discard(self, reason: str, *, host: str | None = None, below: float | None = None) -> int:
        rows = [
            row for row in self._waiting.values() if (host is None or row[2] == host) and (below is None or -row[0][0] < below)
        ]
        for row in rows:
            del self._waiting[row[0][2]]
            self._live[row[2]] -= 1
            self._drop(row, reason)
        for name in {row[2] for row in rows}:
            self._hosts.set_head(name, self._next(name))
        return len(rows)

    def revive(self, urls: Mapping[bytes, str]) -> int:
        """See :meth:`Frontier.revive`. In their old places; the evidence of pages that were done is not known any more."""
        revived = 0
        for key, url in urls.items():
            if (dropped := self._dropped.pop(key, None)) is not None:
                row, reason = dropped
                self._reasons[reason] -= 1
            elif key in self._done:
                row = self._done.pop(key)
            else:
                continue
            (negative, number, _), old_url, host, depth, _, *rest = row
            self._wait(((negative, number, key), url, host_of(url, old_url, host), depth, 0, *rest))
            revived += 1
        return revived

    def status(self) -> Status:
        counts = {
            State.WAITING: len(self._waiting),
            State.IN_FLIGHT: len(self._in_flight),
            State.DONE: len(self._done),
            State.DROPPED: len(self._dropped),
        }
        details = {"backend": "memory", "place": "the memory of this process"}
        return Status(counts, dict(+self._reasons), len(self._hosts), 0, details)

    def __len__(self) -> int:
        return len(self._waiting)

    def close(self) -> None:
        """Nothing to make durable."""

    def _wait(self, row: _Row, *, moved: bool = True) -> None:
        """``row`` waits; ``moved``: its place is not yet in the host's queue."""
        place, host = row[0], row[2]
        known = place[2] in self._waiting
        self._waiting[place[2]] = row
        if not moved:
            return
        self._live[host] += not known
        queue = self._queues.setdefault(host, [])
        push_lazily(queue, place, self._live[host], lambda: [p for p in queue if self._is_live(p)])
        self._hosts.offer(host, place[:2])
        if self._max_waiting:
            places = (row[0] for row in self._waiting.values())
            worst = (-place[0], -place[1], place[2])
            push_lazily(self._worst, worst, len(self._waiting), lambda: [(-p, -number, key) for p, number, key in places])

    def _make_room(self) -> None:
        """Drop what waits beyond ``max_waiting``, without its evidence."""
        while self._max_waiting and len(self._waiting) > self._max_waiting:
            priority, number, key = heapq.heappop(self._worst)
            row = self._waiting.get(key)
            if row is None or row[0] != (-priority, -number, key):
                continue  # it has left, or has another place by now
            host = row[2]
            del self._waiting[key]
            self._live[host] -= 1
            if self._queues[host][0] is row[0]:  # the worst of a host is also its best: nothing else of it waits
                self._hosts.set_head(host, self._next(host))
            self._drop(row[:_HEAD], NO_ROOM)

    def _next(self, host: str) -> tuple[float, int] | None:
        """The place of the best waiting entry of ``host``; places that entries have left are removed on the way."""
        queue = self._queues[host]
        while queue:
            if self._is_live(queue[0]):
                return queue[0][:2]
            heapq.heappop(queue)
        del self._queues[host]
        del self._live[host]
        return None

    def _is_live(self, place: _Place) -> bool:
        row = self._waiting.get(place[2])
        return row is not None and row[0] is place

    def _take(self, key: bytes) -> tuple[_Row, Turn]:
        try:
            return self._in_flight.pop(key)
        except KeyError:
            raise not_in_flight(key) from None

    def _drop(self, row: _Row, reason: str) -> None:
        self._dropped[row[0][2]] = (row, reason)
        self._reasons[reason] += 1


def _flat(evidence: Iterable[Evidence]) -> _Row:
    # Paths are those of a few templates: each is kept once.
    rows = [(e.parent, e.relevance, e.on_topic, e.anchor, e.distance, e.around, sys.intern(e.path)) for e in evidence]
    return tuple(chain.from_iterable(rows))


def _row(entry: Entry, number: int, evidence: _Row) -> _Row:
    place, meta = (-entry.priority, number, entry.key), dict(entry.meta) if entry.meta else None
    return place, entry.url, sys.intern(entry.host), entry.depth, entry.rescored, meta, *evidence


def _entry(row: _Row) -> Entry:
    (negative, _, key), url, host, depth, rescored, meta = row[:_HEAD]
    evidence = tuple(Evidence(*row[i : i + _WIDTH]) for i in range(_HEAD, len(row), _WIDTH))
    return Entry(key, url, host, -negative, depth, evidence, dict(meta or {}), None, rescored)
