"""How long hosts rest that are away or ask for patience, and whether the network itself is away. Plain values, no I/O."""

import time
from collections.abc import Callable
from random import Random

LONGEST = 6 * 3600.0  # seconds of the longest rest
MOST, MOST_UNKNOWN = 12, 3
"""Rests in a row after which a host is given up: a day after it had answered, seven minutes if it never had."""
SEVERAL = 3
"""Hosts in a row that could not be reached, after which the network is taken to be away. Then one request tries every now and
then, at last after as long a time as a first rest."""


class Outages:
    """Rests of hosts: the first lasts ``first`` seconds, every further one twice as long as the last, and up to a tenth more, so
    that hosts that failed together are not asked together. ``seed`` makes them repeatable; ``clock`` tells seconds. ``given_up``
    has the hosts that rested too often, each with the reason of its pages.

    >>> outages = Outages(60, seed=0)
    >>> [round(outages.next("www.dangjian.cn", True) or 0) for _ in range(4)]
    [65, 129, 250, 492]
    >>> outages.answered("www.dangjian.cn"), outages.answered("www.dangjian.cn")
    (True, False)
    """

    def __init__(self, first: float, seed: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.given_up: dict[str, str] = {}
        self._first = first
        self._random = Random(seed)
        self._clock = clock
        self._rests: dict[str, int] = {}  # in a row, by host
        self._until: dict[str, float] = {}  # when the last of them ends
        self._doubted: set[str] = set()
        self._unreached: dict[str, None] = {}  # hosts since any answered
        self._pause = self._again = 0.0
        self._told = False

    def next(self, name: str, known: bool, asked: float = 0.0) -> float | None:
        """Seconds that a host rests now, at least those ``asked``, at most :data:`LONGEST`; None where it has rested often enough
        and is to be given up. ``known``: it has answered in this crawl. While the network is away no rest counts."""
        count = self._rests.get(name, 0)
        if self.away:
            return self._first
        if count >= (MOST if known else MOST_UNKNOWN):
            return None
        self._rests[name] = count + 1
        seconds = min(max(asked, self._first * 2.0**count) * (1 + self._random.random() / 10), LONGEST)
        self._until[name] = self._clock() + seconds
        return seconds

    def give_up(self, name: str, reason: str) -> None:
        """Ask a host for nothing any more; ``reason`` is that of its pages."""
        self.given_up[name] = reason

    def resting(self) -> dict[str, float]:
        """Hosts that rest, and the seconds left.

        >>> outages = Outages(60.0, seed=0, clock=lambda: 0.0)
        >>> rest = outages.next("www.dangjian.cn", True)
        >>> [round(seconds) for seconds in outages.resting().values()]
        [65]
        """
        now = self._clock()
        return {name: until - now for name, until in self._until.items() if until > now}

    def doubt(self, name: str) -> None:
        """A request to the host failed: whether the page or the host is to blame shows when its robots.txt is asked for."""
        self._doubted.add(name)

    def in_doubt(self, name: str) -> bool:
        """Whether the host's robots.txt is to be asked for again before any page."""
        return name in self._doubted

    def answered(self, name: str) -> bool:
        """The host answers. Returns whether it was in doubt or had to rest."""
        self._unreached.clear()
        self._told = False
        self._pause = 0.0
        self._until.pop(name, None)
        rested = self._rests.pop(name, None) is not None or name in self._doubted
        self._doubted.discard(name)
        return rested

    def unreached(self, name: str) -> bool:
        """The host could not be reached. Returns whether it is known by now that the network is away, and was not before: also
        the first try after a pause failed."""
        was_away = self.away
        self._unreached[name] = None
        if self.away:
            self._pause = min(self._first, max(self._first / 6, 2 * self._pause))
            self._again = self._clock() + self._pause
        told, self._told = self._told, self._told or was_away
        return self._told and not told

    @property
    def away(self) -> bool:
        """Whether the network seems to be away: :data:`SEVERAL` hosts in a row could not be reached."""
        return len(self._unreached) >= SEVERAL

    def holds(self) -> bool:
        """Whether nothing is to be asked for now, because the network is away: after each pause one request may try."""
        return self.away and self._clock() < self._again

    @property
    def pause(self) -> float:
        """Seconds until the next try while the network is away."""
        return max(0.0, self._again - self._clock())

    def tries(self) -> None:
        """A request goes out: while the network is away no further one does until it has failed, or long enough."""
        if self.away:
            self._again = self._clock() + self._first
