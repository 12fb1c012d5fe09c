"""A frontier in Redis for any number of workers: popped entries are leased, politeness holds over all of them.

Every step is one Lua script (``lua/``), which Redis runs as a whole.
"""

from __future__ import annotations

import contextlib
import heapq
import json
import math
import secrets
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from topical_crawler.frontier.redis_server import (
    VERSION,
    RecordError,
    Server,
    logger,
    pack_links,
    pack_list,
    pack_outcome,
    read_entry,
    refuse_plain_port,
)


def _steady() -> float:
    """Seconds on a clock that nobody sets; on Linux it runs on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


_BEFORE, _AFTER = "topical:{", "}:"  # around a crawl's name, what all its keys begin with
DAMAGED = "damaged entry"  # why an entry is dropped whose record cannot be read
_WAITING = bytes([State.WAITING])
_DISCARDED, _READ = 1_000, 500  # entries in one call


class RedisFrontier(Frontier):
    """The contract of :class:`~topical_crawler.frontier.base.Frontier`, in Redis 6.2 or newer (or Valkey).

    A popped entry is leased: unless it is renewed or finished in time, it waits again, and what its worker then brings is refused
    (:class:`LeaseLost`). So a worker that dies loses nothing. The delay, the limit in flight and the bounds of the first worker
    hold for all, until the last one has gone. Raises FrontierServerError where the server cannot be used, the crawl in it is of
    another version, or there is none to attach to.

    Args:
        client: a connection that gives bytes.
        name: of the crawl; frontiers of one name are the same one.
        delay, in_flight_per_host, max_waiting: as in :class:`~topical_crawler.frontier.hosts.LocalFrontier`, over all workers.
        max_pages: pages after which :meth:`pop` gives nothing (finished, but for :data:`NO_PAGES`, or in flight); 0: no bound.
        lease: seconds.
        worker: name of this process, unlike any other's; made up where none is given.
        clock: whose times count: the ``server``'s, or those that the ``caller`` passes in, as a simulation does.
        patience: seconds for which a server that is away, or full, is asked again.
        attach: look at a crawl and change what waits, without being a worker; no other argument but ``patience`` counts then.
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
    ) -> None:
        check_bounds(delay, in_flight_per_host, max_waiting)
        if not 1 <= lease < math.inf:
            raise ValueError(f"a lease of {lease} seconds: it must be a number of seconds, 1 or more")
        if not name or any(c in "{}\r\n" for c in name):
            raise ValueError(f"a crawl named {name!r}: a name without braces and line ends is needed (-s TOPICAL_CRAWL=NAME)")
        self.name = name
        self.worker = worker or f"worker-{secrets.token_hex(6)}"
        refuse_plain_port(client)
        self._server = Server(client, patience, f"{_BEFORE}{name}{_AFTER}")
        self.journal = RedisJournal(self._server, self.worker)
        self._now = "" if clock == "server" else "0"
        self._answered = 0.0  # when the last answer was here
        self._measures = clock == "server" and not attach
        self._tokens: dict[bytes, int] = {}
        self._taken: deque[tuple[Entry, int]] = deque()  # reserved, and not given out yet
        self._lost = 0
        self._closed = attach
        self._server.check()
        if attach:
            self._check_version(self._server.call("hget", "meta", "version"))
        else:
            self._join(delay, in_flight_per_host, lease, max_waiting, max_pages)

    def _join(self, *settings: float) -> None:
        opened = self._server.run("open", self.worker, *map(repr, settings), self._now)
        self._answered = _steady()
        self._check_version(opened[0])
        held = tuple(float(value) for value in opened[2:])
        if held != settings:
            logger.warning(
                "The crawl %r has other workers: their delay of %g s, %g in flight per host, lease of %g s and bounds of %g "
                "waiting and %g pages hold here too", self.name, *held,
            )  # fmt: skip

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

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """See :meth:`Frontier.push`. All or nothing."""
        return _pushed(self._run("push", _link_batch(entries)))

    def pop(self, now: float, ahead: int = 1) -> Entry | None:
        """See :meth:`Frontier.pop`. An entry whose record cannot be read is dropped and logged; the next one follows."""
        while True:
            while self._taken:
                entry, token = self._taken.popleft()
                if self._tokens.get(entry.key) == token:  # else its lease ran out meanwhile
                    return entry
            if not self._take(now, ahead):
                return None

    def _take(self, now: float, ahead: int) -> bool:
        popped = self._run("pop", "pop", self.worker, max(1, ahead), now=now) or ()
        for record, key, token in zip(popped[::3], popped[1::3], popped[2::3], strict=True):
            self._tokens[key] = token
            try:
                self._taken.append((read_entry(key, record), token))
            except RecordError as error:
                logger.error("%s. It is dropped", error)
                self.drop(key, DAMAGED)
        return bool(popped)

    def next(self, now: float) -> Next:
        """See :meth:`Frontier.next`. Another worker may bring something to pop at any time."""
        if self._taken:
            return Next(self._taken[0][0].priority, 0.0)
        best, wait = self._run("pop", "next", self.worker, now=now)
        return Next(None if best is None else float(best), None if wait is None else float(wait))

    def sent(self, key: bytes, now: float) -> None:
        self._finish("sent", key, now=now, keep=True)

    def put_back(self, entry: Entry, priority: float) -> None:
        check_priority(priority, entry.url)
        self._finish("put_back", entry.key, repr(float(priority)))

    def requeue(self, key: bytes, *, url: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        host, new = "", ""
        if url is not None:
            record = self._server.call("hget", "entries", key)
            if record is None:
                raise LeaseLost(f"entry {key.hex()} is not in the frontier")
            old = read_entry(key, record)
            host, new = host_of(url, old.url, old.host), url
        self._finish("requeue", key, host, new, "" if meta is None else json.dumps(meta, ensure_ascii=False))

    def done(self, key: bytes, outcome: Outcome, links: Iterable[Entry] = ()) -> Pushed:
        """See :meth:`Frontier.done`. What Redis has answered survives what its append-only file survives."""
        counts = int(outcome.reason not in NO_PAGES)
        return _pushed(self._finish("done", key, pack_outcome(outcome), counts, _link_batch(links)))

    def drop(self, key: bytes, reason: str) -> None:
        self._finish("drop", key, reason)

    def waiting(self, limit: int) -> list[Entry]:
        """See :meth:`Frontier.waiting`. Read in many small steps: what changes meanwhile may be missing."""
        heads = sorted((score, host) for host, score in self._heads())
        last = heads[:limit][-1:]  # of hosts with equals, the numbers decide: all of them are read
        best = heapq.merge(*(self._queue(host) for score, host in heads if last and score <= last[0][0]))
        keys = [member[6:] for (_, member), _ in zip(best, range(limit), strict=False)]
        entries = []
        for first in range(0, len(keys), _READ):
            part = keys[first : first + _READ]
            for key, record in zip(part, self._server.call("hmget", "entries", part), strict=True):
                if record is not None and record[1:2] == _WAITING:
                    try:
                        entries.append(read_entry(key, record))
                    except RecordError as error:
                        logger.error("%s", error)
        return entries

    def is_settled(self, key: bytes, off_topic: bool = False) -> bool:
        """See :meth:`Frontier.is_settled`. Of pages that were done, those in the part of the log that was read here; one that
        another worker has wait again meanwhile gains no evidence from this one."""
        return key in self.journal.done

    def find(self, key: bytes) -> tuple[State, Entry] | None:
        """See :meth:`Frontier.find`. Of a page that was done, and of a link dropped for want of room, no address is known."""
        if (record := self._server.call("hget", "entries", key)) is None:
            return None
        state = State.IN_FLIGHT if self._server.call("hexists", "flights", key) else State(record[1])
        return state, read_entry(key, record)

    def _heads(self) -> Iterator[tuple[bytes, float]]:
        """The hosts that have a waiting entry, with the score of their best one."""
        cursor, hosts = -1, {}
        while cursor != 0:
            cursor, hosts = self._server.call("hscan", "hosts", max(cursor, 0), count=1_000)
            for host, record in hosts.items():
                if (score := msgpack.unpackb(record, raw=True)[4]) is not False:
                    yield host, score

    def _queue(self, host: bytes) -> Iterator[tuple[float, bytes]]:
        """(score, member) of what waits of a host, best first."""
        first, size = 0, 16
        while part := self._server.call("zrange", f"queue:{host.decode()}", first, first + size - 1, withscores=True):
            yield from ((score, member) for member, score in part)
            first, size = first + size, min(4 * size, 4_096)

    def reprice(self, priorities: Mapping[bytes, float]) -> None:
        """See :meth:`Frontier.reprice`. In steps, between which others have their turn; all is checked before the first."""
        for key, priority in priorities.items():
            check_priority(priority, key.hex())
        self._change("reprice", [(key, float(priority)) for key, priority in priorities.items()])

    def discard(self, reason: str, *, host: str | None = None, below: float | None = None) -> int:
        """See :meth:`Frontier.discard`. In steps of a thousand."""
        hosts = [host.encode()] if host is not None else [name for name, _ in self._heads()]
        count = 0
        for name in hosts:
            while changed := self._run("change", "discard", reason, name, _DISCARDED, "" if below is None else repr(below)):
                count += changed
        return count

    def revive(self, urls: Mapping[bytes, str]) -> int:
        """See :meth:`Frontier.revive`. A page that was done is known by its priority and depth only."""
        self.journal.done.difference_update(urls)
        return self._change("revive", [(key, host_of(url, "", ""), url) for key, url in urls.items()])

    def renew(self) -> frozenset[bytes]:
        """See :meth:`Frontier.renew`. To be called a few times in the time of a lease."""
        lost = frozenset(self._run("change", "renew", self.worker, pack_list(list(self._tokens.items()))))
        for key in lost:
            self._lose(key)
        return lost

    def set_delay(self, host: str, seconds: float) -> None:
        """See :meth:`Frontier.set_delay`. Holds for all workers."""
        check_delay(seconds)
        self._run("change", "delay", host, repr(float(seconds)))

    def status(self) -> Status:
        """See :meth:`Frontier.status`. Over all workers."""
        meta = {name.decode(): value.decode() for name, value in self._server.call("hgetall", "meta").items()}
        if not meta:
            raise FrontierServerError(self._server.gone())
        dropped = {reason.decode(): int(n) for reason, n in self._server.call("hgetall", "reasons").items() if int(n) > 0}
        counts = {
            State.WAITING: int(meta.get("waiting", 0)),
            State.IN_FLIGHT: int(self._server.call("hlen", "flights")),
            State.DONE: int(meta.get("done", 0)),
            State.DROPPED: sum(dropped.values()),
        }
        return Status(counts, dropped, int(meta.get("hosts", 0)), 0, self._details(meta))

    def _details(self, meta: Mapping[str, str]) -> dict[str, Any]:
        clock, lease = float(meta["time"]), float(meta["lease"])
        workers = self._server.call("zrange", "workers", 0, -1, withscores=True)
        return {
            "backend": "redis",
            "place": f"{self._server.name} {self.name}",
            "workers": sum(clock - seen <= max(lease, 10.0) for _, seen in workers),
            "last_heard_of": {name.decode(): round(clock - seen, 1) for name, seen in workers},
            "pages": int(meta.get("pages", 0)),
            "lease_seconds": lease,
            "lease_expiries": int(meta.get("expired", 0)),
            "leases_lost": self._lost,
            "damaged": int(meta.get("damaged", 0)),
            "delay": float(meta["delay"]),
            "in_flight_per_host": int(meta["limit"]),
            "max_waiting": int(meta["max_waiting"]),
            "max_pages": int(meta["max_pages"]),
        }

    def __len__(self) -> int:
        return int(self._server.call("hget", "meta", "waiting") or 0)

    def close(self) -> None:
        """See :meth:`Frontier.close`. What is in flight is given back at once; the server's connection stays its owner's."""
        if not self._closed:
            for key in list(self._tokens):
                with contextlib.suppress(LeaseLost):  # another worker has it already
                    self.requeue(key)
            self._server.call("zrem", "workers", self.worker)
            self._closed = True

    def _run(self, script: str, *arguments: Any, now: float | None = None) -> Any:
        if self._now and now is not None:
            self._now = repr(float(now))
        time = f"m{_steady() - self._answered!r}:{self.worker}" if self._measures else self._now
        answer = self._server.run(script, time, *arguments)
        self._answered = _steady()
        return answer

    def _change(self, what: str, items: list[Any]) -> int:
        """Change entries in steps. Returns how many changed."""
        steps = (items[first : first + _READ] for first in range(0, len(items), _READ))
        return sum(self._run("change", what, pack_list(step)) for step in steps)

    def _finish(self, what: str, key: bytes, *arguments: Any, now: float | None = None, keep: bool = False) -> Any:
        answer = self._run("finish", what, self.worker, key, self._tokens.get(key, ""), *arguments, now=now)
        if answer is None:
            self._lose(key)
            why = "it was never popped, is finished already, or its lease ran out"
            raise LeaseLost(f"entry {key.hex()} is not in flight here: {why}")
        if not keep:
            self._tokens.pop(key, None)
        return answer

    def _lose(self, key: bytes) -> None:
        self._lost += self._tokens.pop(key, None) is not None


def crawls(client: redis.Redis) -> list[str]:
    """The names of the crawls in a server, in alphabetical order."""
    keys = client.scan_iter(match=f"{_BEFORE}*{_AFTER}meta", count=1_000)
    return sorted(key.decode().removeprefix(_BEFORE).removesuffix(f"{_AFTER}meta") for key in keys)


def _link_batch(entries: Iterable[Entry]) -> bytes:
    """Entries as one push takes them. Raises ValueError for one that no frontier takes, RecordError for one that is too large."""
    return pack_links([check(entry) for entry in entries])


def _pushed(answer: Sequence[Any]) -> Pushed:
    """What the scripts answer to a push."""
    new, raised, known, dropped = answer
    return Pushed(new, raised, known, {dropped[i].decode(): dropped[i + 1] for i in range(0, len(dropped), 2)})
