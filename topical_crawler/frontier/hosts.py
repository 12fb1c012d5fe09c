"""The hosts of a frontier: whose turn it is, and which waiting entry is the worst. For the backends of one process."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from topical_crawler.frontier.base import Frontier, Next, check_bounds, check_delay

Place = tuple[float, int]  # where an entry stands in the order: (−priority, number of its first push). Smaller is fetched first
Turn = tuple[float, bool]  # of a host, taken: from when its delay counts, and whether its entry is still on its way to the host

_SPARE = 64
_T = TypeVar("_T", bound=tuple[Any, ...])


def push_lazily(heap: list[_T], item: _T, live: int, items: Callable[[], Iterable[_T]]) -> None:
    """Push ``item``; where more than half of the heap is stale, rebuild it of its ``live`` ``items``."""
    heapq.heappush(heap, item)
    if len(heap) > 2 * live + _SPARE:
        heap[:] = items()
        heapq.heapify(heap)


@dataclass(slots=True)
class _Host:
    head: Place | None = None
    turns: list[Turn] = field(default_factory=list)  # of what is in flight
    last: float = -math.inf  # when the delay of the last finished entry began
    due: float | None = None  # the time for which the host stands in the heap of times


class Hosts:
    """The hosts of a frontier, in memory.

    A host with a waiting entry is *ready* (in the ready heap, by its best entry), *resting* (in the heap of times, until its
    delay is over) or *full* (in no heap: only a page that arrives or is finished changes that). Both heaps are cleaned lazily, so
    no operation looks at the hosts that are not ready. Where the clock steps back, a host rests longer, never shorter.
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
        """How many hosts have a waiting entry."""
        return self._waiting

    def head(self, name: str) -> Place | None:
        """The place of the host's best waiting entry; None where nothing waits."""
        host = self._hosts.get(name)
        return host.head if host is not None else None

    def offer(self, name: str, place: Place) -> None:
        """An entry of the host waits at ``place``: it becomes the head if it is better."""
        host = self._hosts.get(name)
        if host is None or host.head is None or place < host.head:
            self.set_head(name, place)

    def set_head(self, name: str, head: Place | None) -> None:
        """The host's best waiting entry is now at ``head`` (None: nothing waits)."""
        host = self._hosts.get(name) or self._hosts.setdefault(name, _Host())
        self._waiting += (head is not None) - (host.head is not None)
        host.head = head
        self._enlist(name, host)

    def discard(self, name: str | None, below: float | None) -> None:
        """Entries of a host (None: of all) with a priority less than ``below`` (None: with any) wait no more."""
        for each in self._hosts if name is None else (name,):
            head = self.head(each)
            if head is not None and (below is None or -head[0] < below):
                self.set_head(each, None)

    def set_delay(self, name: str, seconds: float) -> None:
        """The delay of one host from now on, counted from its last pop."""
        check_delay(seconds)
        self._delays[name] = seconds
        if (host := self._hosts.get(name)) is not None:
            self._enlist(name, host)

    def best(self, now: float) -> tuple[str, Place] | None:
        """The ready host with the best entry, and that entry's place."""
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
        """Seconds until a further host is ready; None where no delay is being waited for."""
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
        """The host's best entry goes in flight; the next one is at ``head``. Returns its turn."""
        turn = (now, True)
        self._hosts[name].turns.append(turn)
        self.set_head(name, head)
        return turn

    def restart(self, name: str, turn: Turn, now: float) -> Turn:
        """An entry in flight has arrived by ``now``: the delay counts from here. Returns its turn from now on."""
        host, arrived = self._hosts[name], (now, False)
        host.turns.remove(turn)
        host.turns.append(arrived)
        self._enlist(name, host)
        return arrived

    def finish(self, name: str, turn: Turn, *, give_back: bool = False) -> None:
        """An entry is no longer in flight; its turn is used, or given back as if it had never been taken."""
        host = self._hosts[name]
        host.turns.remove(turn)
        if not give_back:
            host.last = max(host.last, turn[0])
        self._enlist(name, host)

    def _has_room(self, name: str, host: _Host) -> bool:
        """Whether a further entry may go in flight; of a host with a delay none while another is on its way."""
        if len(host.turns) >= self._in_flight_per_host:
            return False
        return not any(on_its_way for _, on_its_way in host.turns) or self._delays.get(name, self._delay) == 0

    def _enlist(self, name: str, host: _Host) -> None:
        """Put the host where it belongs after a change; :meth:`_wake` sees when its rest is over."""
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
        """Hosts whose rest is over become ready."""
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


# -- Which entry to drop where there is no room


class Worst:
    """For every host a bound: no entry of the host waits at a place after it.

    Bounds rise when an entry starts to wait, and are corrected when they come up as the worst of all. So the worst entry is found
    with a look at one or two hosts, however much waits, and nothing is done when entries leave.
    """

    def __init__(self) -> None:
        self._bounds: dict[str, Place] = {}
        self._heap: list[tuple[float, float, str]] = []  # the worst first; items that differ from their bound are skipped

    def offer(self, name: str, place: Place) -> None:
        """An entry of the host waits at ``place``, or somewhere before it."""
        if name not in self._bounds or place > self._bounds[name]:
            self._set(name, place)

    def find(self, last: Callable[[str], Place | None]) -> tuple[str, Place] | None:
        """The host of the worst waiting entry, and the entry's place; None where nothing waits. ``last`` looks up the place of a
        host's worst entry."""
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
                    continue  # what is first in the heap may have changed
            heapq.heappop(self._heap)
        return None

    def _set(self, name: str, place: Place) -> None:
        self._bounds[name] = place
        bounds = self._bounds
        push_lazily(self._heap, (-place[0], -place[1], name), len(bounds), lambda: [(-p[0], -p[1], n) for n, p in bounds.items()])


# -- What frontiers of one process have in common


class LocalFrontier(Frontier):
    """Turns of hosts and counts of drops in memory; nothing is leased. ``delay`` (seconds), ``in_flight_per_host`` and
    ``max_waiting`` (0: no bound) are what the contract calls so."""

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
        """See :meth:`Frontier.set_delay`. Not stored: robots.txt is read again by the next process."""
        self._hosts.set_delay(host, seconds)

    def renew(self) -> frozenset[bytes]:
        return frozenset()
