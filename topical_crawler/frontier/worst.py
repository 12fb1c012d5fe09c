"""Which waiting entry is the worst, for a frontier that may hold only so many."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from topical_crawler.frontier.hosts import Place

_SPARE = 64


class Worst:
    """For every host a bound: no entry of the host waits at a place after it.

    Bounds only rise when an entry starts to wait; they are brought down to the truth when they come up as the worst of all. So
    the worst entry is found with a look at the worst entries of one or two hosts, however much waits, and nothing is done when
    entries leave.
    """

    def __init__(self) -> None:
        self._bounds: dict[str, Place] = {}
        self._heap: list[tuple[float, float, str]] = []  # the worst first; items that differ from their bound are skipped

    def offer(self, name: str, place: Place) -> None:
        """An entry of the host waits at ``place``, or somewhere before it."""
        bound = self._bounds.get(name)
        if bound is None or place > bound:
            self._set(name, place)

    def find(self, last: Callable[[str], Place | None]) -> tuple[str, Place] | None:
        """The host of the worst waiting entry, and the entry's place; None where nothing waits.

        Args:
            last: the place of the worst waiting entry of a host, looked up; None where none of the host waits.
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
                    continue  # what is first in the heap may have changed
            heapq.heappop(self._heap)
        return None

    def _set(self, name: str, place: Place) -> None:
        self._bounds[name] = place
        heapq.heappush(self._heap, (-place[0], -place[1], name))
        if len(self._heap) > 2 * len(self._bounds) + _SPARE:
            self._heap = [(-p[0], -p[1], n) for n, p in self._bounds.items()]
            heapq.heapify(self._heap)
