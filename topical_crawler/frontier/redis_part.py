"""The parts of a crawl in Redis: a host belongs to one of them for ever, and every script touches one."""

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
BEFORE, AFTER = "topical:{", "}:"  # around a crawl's name, what all its keys begin with
MEASURED = "m"  # the time of a script: how long this process has measured since the last one
LOOKED_AT = 1.0  # seconds after which a worker asks a part again what it knows of it
_REST = 0.5  # seconds until a part whose server is away is asked again
_KEPT_PUSHES = 60.0  # seconds: longer than a replica is behind that may take over


def steady() -> float:
    """Seconds on a clock that nobody sets; on Linux it runs on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@lru_cache(maxsize=65_536)
def number_of(host: str, parts: int) -> int:
    """The number of a host's part, from 0. However an address writes its host and port, it is the same.

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
    """What a script tells of its part (``with_head`` in ``lua/common.lua``)."""

    best: float = -math.inf  # priority of the best entry among hosts whose turn it is
    wait: float = math.inf  # seconds until a further host's turn
    next: float = -math.inf  # priority of that one's best entry
    worst: float = math.inf  # of all that waits; only with a bound
    waiting: int = 0
    in_flight: int = 0
    done: int = 0
    hosts: int = 0
    pages: int = 0
    logged: int = 0


class Part:
    """A part of a crawl.

    Args:
        server: which has it, or the cluster.
        prefix: what its keys begin with.
        worker: name of this process.
        patience: seconds for which a server that is away is waited for in every call; 0: :class:`ServerAway` is raised at once,
            until it was away for the server's own patience.

    Attributes:
        head: what was heard of it last.
        heard: when it was asked for entries, in seconds of :func:`steady`; -inf where it never was.
        at: when ``head`` was heard, on the clock that counts for the crawl, as far as this process knows it.
        reasons: why how many of its entries were dropped, when :meth:`look` asked.
        expired: leases that ran out until then.
        damaged: entries that could not be read until then.
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
        self._away: float | None = None  # since when its server is away
        self._again = -math.inf  # when it is asked again
        self._pushes: deque[tuple[float, bytes]] = deque()
        self._node = ""

    @property
    def rests(self) -> bool:
        """Whether its server was away a moment ago."""
        return steady() < self._again

    def best(self, now: float) -> float:
        """Priority of its best entry whose turn it is, as far as is known ``now`` on the caller's clock; -inf where there is
        none."""
        if self.rests:
            return -math.inf
        return max(self.head.best, self.head.next) if now - self.at >= self.head.wait else self.head.best

    def call(self, command: str, key: str, *arguments: Any, **options: Any) -> Any:
        """The answer to a command on one of its keys. Raises FrontierServerError as :meth:`Server.ask`."""
        return self.server.ask(lambda: getattr(self.server.client, command)(self.prefix + key, *arguments, **options))

    def open(self, *arguments: Any) -> Any:
        """Make or join it (``lua/open.lua``). A server that is away is waited for."""
        return self._ask("open", arguments, "", self.server.patience)

    def run(self, script: str, now: str, *arguments: Any) -> Any:
        """Run a script of ``lua/`` on it. ``now`` is the crawl's time, :data:`MEASURED`, or "" to let its clock stand. Raises
        FrontierServerError where the server cannot be used, or has lost the crawl or has it in another version, and ServerAway
        where the part rests."""
        time = f"m{steady() - self._answered!r}:{self._worker}" if now == MEASURED else now
        return self._ask(script, (time, *arguments), now)

    def push(self, now: str, batch: bytes) -> Any:
        """Push links that come from pages of other parts, or from nowhere. Should a replica take over that lacks them, it is
        given them again."""
        answer = self.run("push", now, batch)
        if self.server.is_cluster:
            self._pushes.append((steady(), batch))
            while self._pushes[0][0] < steady() - _KEPT_PUSHES:
                self._pushes.popleft()
        return answer

    def look(self) -> None:
        """See how it stands, and change nothing."""
        flat, self.expired, self.damaged = self._ask("look", (), "")
        self.reasons = {flat[i].decode(): int(flat[i + 1]) for i in range(0, len(flat), 2) if int(flat[i + 1]) > 0}

    def _ask(self, script: str, arguments: tuple[Any, ...], now: str, patience: float | None = None) -> Any:
        """Run a script, and remember what it tells."""
        patience = self._patience if patience is None else patience
        began = steady()
        if began < self._again:
            raise ServerAway(f"Redis at {self.server.name} is away")
        try:
            answer, *told = self.server.run(script, self.prefix, arguments, patience)
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
        if told:
            self.head = Head._make(none if n is None else type(none)(n) for none, n in zip(Head(), told, strict=True))
            if script == "pop":  # no other one gives back the leases that ran out
                self.heard = answered
            self.at = answered if now in ("", MEASURED) else float(now)
        if self.server.is_cluster and (node := self.server.node(self.prefix)) != self._node:
            known, self._node = self._node, node
            for _, batch in self._pushes if known else ():
                self.server.run("push", self.prefix, ("", batch), patience)
        return answer
