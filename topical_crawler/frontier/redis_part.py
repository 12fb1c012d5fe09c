"""The parts of a crawl in Redis: each host permanently belongs to one of them, and every script touches one."""

from __future__ import annotations

import math
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit
from zlib import crc32

from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.frontier.redis_server import Server, ServerAway
from topical_crawler.web.urls import canonical

_T = TypeVar("_T")
BEFORE, AFTER = "topical:{", "}:"  # around a crawl's name in the prefix of its keys
MEASURED = "m"  # time argument of a script: the time measured by this process since its last one
LOOKED_AT = 1.0  # seconds before a worker refreshes its knowledge of a part
_REST = 0.5  # seconds before a part with an unreachable server is retried
_KEPT_PUSHES = 60.0  # seconds: longer than the lag of a replica that may take over


def steady() -> float:
    """Return the seconds on a clock without adjustments. On Linux it also runs while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@lru_cache(maxsize=65_536)
def number_of(host: str, parts: int) -> int:
    """Return the number of a host's part, from 0, the same for all spellings of host and port.

    >>> {number_of(host, 64) for host in ("党建.cn", "党建.cn:8080", "XN--N5QZ54A.cn.")}
    {6}
    """
    name = urlsplit(canonical(f"http://{host}/")).hostname or host
    return crc32(name.encode("utf-8", "replace")) % parts


def part_of(host: str, parts: Sequence[Part]) -> Part:
    """Return the part of a host."""
    return parts[number_of(host, len(parts)) if len(parts) > 1 else 0]


def by_part(items: Iterable[tuple[_T, Part]]) -> dict[Part, list[_T]]:
    """Group items by their parts."""
    parts: dict[Part, list[_T]] = defaultdict(list)
    for item, part in items:
        parts[part].append(item)
    return parts


class Head(NamedTuple):
    """Head of a part, as reported by its scripts (``with_head`` in ``lua/common.lua``)."""

    best: float = -math.inf  # priority of the best entry among ready hosts
    wait: float = math.inf  # seconds until another host is ready
    next: float = -math.inf  # priority of that host's best entry
    worst: float = math.inf  # of all waiting entries; only with a limit
    waiting: int = 0
    in_flight: int = 0
    done: int = 0
    hosts: int = 0
    pages: int = 0
    logged: int = 0


class Part:
    """A part of a crawl.

    Args:
        server: its server, or the cluster.
        prefix: prefix of its keys.
        worker: name of this process.
        patience: seconds to retry an unreachable server in every call. 0: raise :class:`ServerAway` at once, until the server
            has been unreachable for its own patience.

    Attributes:
        head: its last head.
        heard: time of the last request for entries, in seconds of :func:`steady`, -inf before any.
        at: time of ``head`` on the crawl's effective clock, as far as known to this process.
        reasons: numbers of its dropped entries by reason, as of the last :meth:`look`.
        expired: leases expired until then.
        damaged: unreadable entries until then.
    """

    def __init__(self, server: Server, prefix: str, worker: str = "", patience: float | None = None) -> None:
        self.server = server
        self.prefix = prefix
        self.head, self.heard, self.at = Head(), -math.inf, 0.0
        self.reasons: dict[str, int] = {}
        self.expired = self.damaged = 0
        self._worker = worker
        self._patience = server.patience if patience is None else patience
        self._answered = 0.0
        self._away: float | None = None  # start of its server's outage
        self._again = -math.inf  # time of the next retry
        self._pushes: deque[tuple[float, bytes]] = deque()
        self._node = ""

    @property
    def rests(self) -> bool:
        """True if its server was unreachable a moment ago."""
        return steady() < self._again

    def best(self, now: float) -> float:
        """Return the priority of its best ready entry, as far as known ``now`` on the caller's clock, or -inf."""
        if self.rests:
            return -math.inf
        return max(self.head.best, self.head.next) if now - self.at >= self.head.wait else self.head.best

    def call(self, command: str, key: str, *arguments: Any, **options: Any) -> Any:
        """Return the answer to a command on one of its keys. Raise FrontierServerError like :meth:`Server.ask`."""
        return self.server.ask(lambda: getattr(self.server.client, command)(self.prefix + key, *arguments, **options))

    def open(self, *arguments: Any) -> Any:
        """Create or join it (``lua/open.lua``), with retries while the server is unreachable."""
        return self._ask("open", arguments, "", self.server.patience)

    def run(self, script: str, now: str, *arguments: Any) -> Any:
        """Run a script of ``lua/`` on it.

        ``now`` is the crawl's time, :data:`MEASURED`, or "" to stop its clock.

        Raises:
            FrontierServerError: the server is unusable, has lost the crawl, or has it in another version.
            ServerAway: the part rests.
        """
        time = f"m{steady() - self._answered!r}:{self._worker}" if now == MEASURED else now
        return self._ask(script, (time, *arguments), now)

    def push(self, now: str, batch: bytes) -> Any:
        """Push links from pages of other parts, or from outside. They are pushed again if a replica without them takes over."""
        answer = self.run("push", now, batch)
        if self.server.is_cluster:
            self._pushes.append((steady(), batch))
            while self._pushes[0][0] < steady() - _KEPT_PUSHES:
                self._pushes.popleft()
        return answer

    def look(self) -> None:
        """Refresh its status without changing anything."""
        flat, self.expired, self.damaged = self._ask("look", (), "")
        self.reasons = {flat[i].decode(): int(flat[i + 1]) for i in range(0, len(flat), 2) if int(flat[i + 1]) > 0}

    def _ask(self, script: str, arguments: tuple[Any, ...], now: str, patience: float | None = None) -> Any:
        """Run a script, and store the head it reports."""
        patience = self._patience if patience is None else patience
        began = steady()
        if began < self._again:
            raise ServerAway(f"Redis at {self.server.name} is unreachable")
        try:
            answer, *head = self.server.run(script, self.prefix, arguments, patience)
        except ServerAway as error:
            if self._away is None:
                self._away = began
            if patience or began - self._away > self.server.patience:
                raise FrontierServerError(str(error)) from None
            self._again = steady() + _REST
            raise
        self._away, answered = None, steady()
        # No other call moves the crawl's clock.
        self._answered = answered if now == MEASURED or script == "open" else self._answered
        if head:
            self.head = Head._make(none if n is None else type(none)(n) for none, n in zip(Head(), head, strict=True))
            if script == "pop":  # the only one to requeue entries with expired leases
                self.heard = answered
            self.at = answered if now in ("", MEASURED) else float(now)
        if self.server.is_cluster and (node := self.server.node(self.prefix)) != self._node:
            known, self._node = self._node, node
            for _, batch in self._pushes if known else ():
                self.server.run("push", self.prefix, ("", batch), patience)
        return answer
