"""Back-off of hosts that are down or ask for patience, and detection of network outages. Plain values, no I/O."""

import time
from collections.abc import Callable
from random import Random

LONGEST = 6 * 3600.0  # seconds of the longest back-off
MOST, MOST_UNKNOWN = 12, 3
"""Back-offs in a row before a host is given up: a day if it had answered, seven minutes if not."""
SEVERAL = 3
"""Unreachable hosts in a row before the network counts as down. Then single requests probe it, at intervals growing to the
length of a first back-off."""


class Outages:
    """Exponential back-off of hosts, with up to 10 % jitter to spread hosts that failed together.

    Args:
        first: seconds of the first back-off. Each further one is twice as long.
        seed: seed of the jitter.
        clock: returns the time in seconds.

    Attributes:
        given_up: hosts given up after too many back-offs, with the reason for their pages.

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
        self._rests: dict[str, int] = {}  # back-offs in a row, by host
        self._until: dict[str, float] = {}  # end of the current back-off
        self._doubted: set[str] = set()
        self._unreached: dict[str, None] = {}  # hosts unreachable since the last answer of any
        self._pause = self._again = 0.0
        self._reported = False

    def next(self, name: str, known: bool, asked: float = 0.0) -> float | None:
        """Start a back-off and return its length in seconds, or return None if the host is to be given up.

        While the network is down, back-offs do not count.

        Args:
            name: the host.
            known: True if it has answered in this crawl.
            asked: least seconds, as requested by the host. The result is at most :data:`LONGEST`.
        """
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
        """Send no more requests to a host. ``reason`` is recorded for its pages."""
        self.given_up[name] = reason

    def resting(self) -> dict[str, float]:
        """Return the hosts in back-off with their remaining seconds.

        >>> outages = Outages(60.0, seed=0, clock=lambda: 0.0)
        >>> rest = outages.next("www.dangjian.cn", True)
        >>> [round(seconds) for seconds in outages.resting().values()]
        [65]
        """
        now = self._clock()
        return {name: until - now for name, until in self._until.items() if until > now}

    def doubt(self, name: str) -> None:
        """Mark a host as doubtful after a failed request. Its robots.txt will show if the host or only the page is at fault."""
        self._doubted.add(name)

    def in_doubt(self, name: str) -> bool:
        """Return True if the host's robots.txt must be fetched again before any page."""
        return name in self._doubted

    def answered(self, name: str) -> bool:
        """Record an answer and end the host's back-off. Return True if the host was in doubt or backing off."""
        self._unreached.clear()
        self._reported = False
        self._pause = 0.0
        self._until.pop(name, None)
        rested = self._rests.pop(name, None) is not None or name in self._doubted
        self._doubted.discard(name)
        return rested

    def unreached(self, name: str) -> bool:
        """Record an unreachable host. Return True when a network outage becomes apparent: after the first failed probe."""
        was_away = self.away
        self._unreached[name] = None
        if self.away:
            self._pause = min(self._first, max(self._first / 6, 2 * self._pause))
            self._again = self._clock() + self._pause
        reported, self._reported = self._reported, self._reported or was_away
        return self._reported and not reported

    @property
    def away(self) -> bool:
        """True if the network seems down: :data:`SEVERAL` hosts in a row were unreachable."""
        return len(self._unreached) >= SEVERAL

    def holds(self) -> bool:
        """Return True if no request may go out now during a network outage. One probe is allowed after each pause."""
        return self.away and self._clock() < self._again

    @property
    def pause(self) -> float:
        """Seconds until the next probe during a network outage."""
        return max(0.0, self._again - self._clock())

    def tries(self) -> None:
        """Record an outgoing request. During a network outage it blocks others until it fails, or for the length of a first
        back-off.
        """
        if self.away:
            self._again = self._clock() + self._first
