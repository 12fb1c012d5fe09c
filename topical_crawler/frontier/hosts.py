"""Politeness and order of a frontier's hosts, and the search for the worst waiting entry. For single-process backends."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from topical_crawler.frontier.base import Frontier, Next, check_bounds, check_delay

Place = tuple[float, int]  # position in the order: (−priority, number of its first push). Smaller is fetched first
Turn = tuple[float, bool]  # a host's used turn: start of its delay, and True while its entry is on its way to the host

_SPARE = 64
_T = TypeVar("_T", bound=tuple[Any, ...])


def push_lazily(heap: list[_T], item: _T, live: int, items: Callable[[], Iterable[_T]]) -> None:
    """Push ``item``. If more than half of the heap is stale, rebuild it from its ``live`` ``items``."""
    heapq.heappush(heap, item)
    if len(heap) > 2 * live + _SPARE:
        heap[:] = items()
        heapq.heapify(heap)


@dataclass(slots=True)
class _Host:
    head: Place | None = None
    turns: list[Turn] = field(default_factory=list)  # of entries in flight
    last: float = -math.inf  # start of the delay of the last finished entry
    due: float | None = None  # its time in the heap of times


class Hosts:
    """The hosts of a frontier, in memory.

    A host with a waiting entry is *ready* (in the ready heap, by its best entry), *resting* (in the heap of times, until its
    delay is over) or *full* (in no heap, until a page arrives or is finished). Both heaps are cleaned lazily, so no operation
    visits hosts that are not ready. If the clock steps back, a host rests longer, never shorter.
    """

    def __init__(self, delay: float, in_flight_per_host: int) -> None:
        self._delay = delay
        self._in_flight_per_host = in_flight_per_host
        self._delays: dict[str, float] = {}
        self._hosts: dict[str, _Host] = {}
        self._ready: list[tuple[float, int, str]] = []
        self._times: list[tuple[float, str]] = []
        self._waiting = 0

    def __len__(self) -> int:
        """Return the number of hosts with a waiting entry."""
        return self._waiting

    def head(self, name: str) -> Place | None:
        """Return the place of the host's best waiting entry, or None."""
        host = self._hosts.get(name)
        return host.head if host is not None else None

    def offer(self, name: str, place: Place) -> None:
        """Add a waiting entry of the host at ``place``. It becomes the head if it is better."""
        host = self._hosts.get(name)
        if host is None or host.head is None or place < host.head:
            self.set_head(name, place)

    def set_head(self, name: str, head: Place | None) -> None:
        """Set the place of the host's best waiting entry (None: nothing waits)."""
        host = self._hosts.get(name) or self._hosts.setdefault(name, _Host())
        self._waiting += (head is not None) - (host.head is not None)
        host.head = head
        self._enlist(name, host)

    def discard(self, name: str | None, below: float | None) -> None:
        """Remove waiting entries of a host (None: of all) with a priority less than ``below`` (None: any)."""
        for each in self._hosts if name is None else (name,):
            head = self.head(each)
            if head is not None and (below is None or -head[0] < below):
                self.set_head(each, None)

    def set_delay(self, name: str, seconds: float) -> None:
        """Set the delay of one host from now on, counted from its last pop."""
        check_delay(seconds)
        self._delays[name] = seconds
        if (host := self._hosts.get(name)) is not None:
            self._enlist(name, host)

    def best(self, now: float) -> tuple[str, Place] | None:
        """Return the ready host with the best entry, and that entry's place."""
        self._wake(now)
        ready = self._ready
        while ready:
            negative, number, name = ready[0]
            host = self._hosts[name]
            if host.head == (negative, number) and host.due is None and self._has_room(name, host):
                return name, host.head
            heapq.heappop(ready)
        return None

    def wait(self, now: float) -> float | None:
        """Return the seconds until another host is ready, or None if no delay is running."""
        while self._times:
            due, name = self._times[0]
            host = self._hosts[name]
            if host.due == due and host.head is not None and self._has_room(name, host):
                return due - now
            heapq.heappop(self._times)
            if host.due == due:
                host.due = None
        return None

    def take(self, name: str, now: float, head: Place | None) -> Turn:
        """Put the host's best entry in flight. The next one is at ``head``. Return its turn."""
        turn = (now, True)
        self._hosts[name].turns.append(turn)
        self.set_head(name, head)
        return turn

    def restart(self, name: str, turn: Turn, now: float) -> Turn:
        """Record the arrival of an entry in flight at ``now``, the new start of the delay. Return its new turn."""
        host, arrived = self._hosts[name], (now, False)
        host.turns.remove(turn)
        host.turns.append(arrived)
        self._enlist(name, host)
        return arrived

    def finish(self, name: str, turn: Turn, *, give_back: bool = False) -> None:
        """Remove an entry from flight. With ``give_back`` its turn counts as never taken."""
        host = self._hosts[name]
        host.turns.remove(turn)
        if not give_back:
            host.last = max(host.last, turn[0])
        self._enlist(name, host)

    def _has_room(self, name: str, host: _Host) -> bool:
        """Return True if another entry may go in flight. A host with a delay allows none while another is on its way."""
        if len(host.turns) >= self._in_flight_per_host:
            return False
        return not any(on_its_way for _, on_its_way in host.turns) or self._delays.get(name, self._delay) == 0

    def _enlist(self, name: str, host: _Host) -> None:
        """Put the host into the right heap after a change. :meth:`_wake` notices the end of its rest."""
        if host.head is None or not self._has_room(name, host):
            return
        due = max([host.last, *(since for since, _ in host.turns)]) + self._delays.get(name, self._delay)
        if due == -math.inf:
            host.due = None
            self._push_ready(name, host.head)
        elif due != host.due:
            host.due = due
            hosts = self._hosts
            push_lazily(self._times, (due, name), len(hosts), lambda: [(h.due, n) for n, h in hosts.items() if h.due is not None])

    def _wake(self, now: float) -> None:
        """Make hosts ready after their rest."""
        times = self._times
        while times and times[0][0] <= now:
            due, name = heapq.heappop(times)
            host = self._hosts[name]
            if host.due != due:
                continue
            host.due = None
            if host.head is not None and self._has_room(name, host):
                self._push_ready(name, host.head)

    def _push_ready(self, name: str, head: Place) -> None:
        push_lazily(self._ready, (*head, name), len(self._hosts), self._ready_hosts)

    def _ready_hosts(self) -> list[tuple[float, int, str]]:
        hosts = self._hosts.items()
        return [(*h.head, n) for n, h in hosts if h.head is not None and h.due is None and self._has_room(n, h)]


# -- Choice of the entry to drop for lack of room


class Worst:
    """An upper bound for each host: no entry of the host waits at a place after it.

    Bounds rise when an entry starts to wait, and are corrected when they come up as the worst of all. Finding the worst entry
    thus takes a look at one or two hosts, however much waits, and entries can leave without an update.
    """

    def __init__(self) -> None:
        self._bounds: dict[str, Place] = {}
        self._heap: list[tuple[float, float, str]] = []  # the worst first; stale items are skipped

    def offer(self, name: str, place: Place) -> None:
        """Add a waiting entry of the host, at ``place`` or before it."""
        if name not in self._bounds or place > self._bounds[name]:
            self._set(name, place)

    def find(self, last: Callable[[str], Place | None]) -> tuple[str, Place] | None:
        """Return the host and the place of the worst waiting entry, or None. ``last`` looks up the place of a host's worst
        entry.
        """
        while self._heap:
            negative, number, name = self._heap[0]
            bound = self._bounds.get(name)
            if bound == (-negative, -number):
                place = last(name)
                if place is None:
                    del self._bounds[name]
                elif place == bound:
                    return name, place
                else:
                    self._set(name, place)
                    continue  # the top of the heap may have changed
            heapq.heappop(self._heap)
        return None

    def _set(self, name: str, place: Place) -> None:
        self._bounds[name] = place
        bounds = self._bounds
        push_lazily(self._heap, (-place[0], -place[1], name), len(bounds), lambda: [(-p[0], -p[1], n) for n, p in bounds.items()])


# -- Shared parts of single-process frontiers


class LocalFrontier(Frontier):
    """Base of single-process frontiers: readiness of hosts and counts of drops in memory, without leases.

    Args:
        delay: seconds between two requests to a host.
        in_flight_per_host: most entries of a host in flight.
        max_waiting: most waiting entries. 0: no limit.
    """

    shared = False

    def __init__(self, delay: float, in_flight_per_host: int, max_waiting: int) -> None:
        check_bounds(delay, in_flight_per_host, max_waiting)
        self._hosts = Hosts(delay, in_flight_per_host)
        self._max_waiting = max_waiting
        self._reasons: Counter[str] = Counter()

    def next(self, now: float) -> Next:
        best = self._hosts.best(now)
        return Next(None, self._hosts.wait(now)) if best is None else Next(-best[1][0], 0.0)

    def set_delay(self, host: str, seconds: float) -> None:
        """See :meth:`Frontier.set_delay`. Not persistent: the next process reads robots.txt again."""
        self._hosts.set_delay(host, seconds)

    def renew(self) -> frozenset[bytes]:
        return frozenset()
