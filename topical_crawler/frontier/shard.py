"""A Redis server as one of several shards: what :mod:`topical_crawler.frontier.shards` asks of it beyond the contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgpack

from topical_crawler.frontier.base import LeaseLost, Outcome, Pushed
from topical_crawler.frontier.redis import RedisFrontier, packed, pushed
from topical_crawler.frontier.redis_server import HEADER

_MOVED, _PAGE = 500, 1_000  # entries that are moved, and fields of a hash that are read, at a time


class Shard(RedisFrontier):
    """A :class:`~topical_crawler.frontier.redis.RedisFrontier` that is a shard."""

    def be_patient(self, seconds: float) -> None:
        """From now on ask a server that is away for so long."""
        self._server.patience = seconds

    def share(self, shards: int) -> None:
        """Before :meth:`open`: be one of so many shards, with its part of what may wait, and no bound of pages."""
        delay, in_flight_per_host, lease, max_waiting, _ = self._settings
        self._settings = (delay, in_flight_per_host, lease, -(-max_waiting // shards), 0)

    def keep_time(self) -> None:
        """From now on move the crawl's clock on, as a worker does: leases of workers that are gone run out."""
        self._run("pop", "wait", self.worker)
        self._measures = True

    @property
    def reserved(self) -> int:
        """How many entries :meth:`pop` has to give without asking the server."""
        return len(self._taken)

    def give_back(self) -> None:
        """Let go of what is reserved."""
        while self._taken:
            _, key, token = self._taken[0]
            if self._tokens.get(key) == token:
                with suppress(LeaseLost):
                    self.requeue(key)
            self._taken.popleft()

    def begun(self) -> int:
        """How many pages are finished or in flight, over all workers."""
        return self.pages() + int(self._call("hlen", "flights"))

    def pages(self) -> int:
        """How many pages are finished, over all workers."""
        return int(self._call("hget", "meta", "pages") or 0)

    def newest_map(self) -> int:
        """The highest number of a map of shards that the server has heard of."""
        return int(self._call("hget", "meta", "map") or 0)

    def number(self) -> int | None:
        """Which shard of the crawl the server is, or was; None where it has none of it."""
        known = self.load("shard")
        return None if known is None else int(known[0])

    def names_hosts(self) -> bool:
        """Whether all entries tell their host: an earlier version left it out of those that were done."""
        return bool(self._call("hget", "meta", "bare") == b"host")

    # -- Links for others

    def push_batch(self, batch: bytes) -> Pushed:
        """Push what :func:`~topical_crawler.frontier.redis.link_batch` gave."""
        return pushed(self._run("push", batch))

    def keep_for(self, shard: int, batch: bytes) -> None:
        """Keep a batch for another shard."""
        self._run("keep", shard, batch)

    def keeps_for(self, shards: Sequence[int]) -> list[int]:
        """For which of the ``shards`` it keeps anything, in one call where it is for none."""
        keys = {number: f"{self._keys.prefix}kept:{number}" for number in shards}
        if not self._server.ask(lambda: self._server.client.exists(*keys.values())):
            return []
        return [number for number in shards if self.kept_for(number, 1)]

    def kept_for(self, shard: int, limit: int) -> list[bytes]:
        """The first batches that are kept for another shard."""
        return list(self._call("lrange", f"kept:{shard}", 0, limit - 1))

    def forget_for(self, shard: int, batch: bytes) -> None:
        """Keep a batch no longer: whoever its links belong to has them."""
        self._call("lrem", f"kept:{shard}", 1, batch)

    # -- The log

    def finished(self, of: int | None = None) -> int:
        """How many outcomes there are; ``of`` a shard that was removed, of which this server keeps them."""
        return self._log(_name(of), 0, most=0)[0]

    def outcomes_of(self, shard: int | None, after: int) -> Iterator[tuple[int, Outcome]]:
        """As :meth:`outcomes`, of a shard that was removed."""
        return self._outcomes(_name(shard), after)

    def raw_outcomes(self, after: int) -> tuple[int, list[bytes]]:
        """The next outcomes, as they stand in the log, and how many come before the first of them."""
        return self._log("outcomes", after)[1:]

    def keep_outcomes(self, shard: int, after: int, outcomes: Sequence[bytes]) -> None:
        """Append outcomes of a shard that is being removed, unless there are more than ``after`` ones."""
        self._run("append", _name(shard), after, *outcomes)

    def forget_outcomes(self, of: int | None, first: int) -> int:
        """Forget the first outcomes, also of a shard that was removed. Returns how many there ever were."""
        return self._log(_name(of), 0, most=0, forget=first)[0]

    def forget_merged(self, first: int) -> None:
        """Forget the first elements of the list that says in which order the outcomes of all shards come."""
        self._log("merged", 0, most=0, forget=first)

    def merged(self, after: int) -> tuple[int, int, list[bytes]]:
        """How many elements that list ever had, how many come before the next ones, and these."""
        return self._log("merged", after)

    def merge(self, after: int, part: bytes) -> bool:
        """Append an element to that list, unless it has others than ``after`` ones."""
        return bool(self._run("append", "merged", after, part))

    # -- What the crawl counts of hosts (lua/counts.lua)

    def counted(self, hosts: Sequence[str]) -> dict[str, bytes | None]:
        """What was written last of each host; None where nothing was."""
        return dict(zip(hosts, self._run("counts", "read", packed([_field(host) for host in hosts])), strict=True))

    def write_counted(self, records: Sequence[tuple[str, bytes]]) -> bool:
        """Write what was counted of hosts, but where there are greater bytes."""
        self._run("counts", "write", packed([(_field(host), record) for host, record in records]))
        return True

    def forget_counted(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Of hosts that have moved: another shard has these bytes."""
        self._run("counts", "forget", packed([(_field(host), record) for host, record in records]))

    def all_counted(self) -> Iterator[tuple[str, bytes]]:
        """What was written of all hosts; some may come twice."""
        for host, record in self._scan("counts"):
            yield host.decode(), record

    # -- Hosts that move (lua/move.lua)

    def known_hosts(self) -> Iterator[tuple[str, float]]:
        """Hosts of which anything is or was to be fetched, with their own delay or -1; some may come twice."""
        for host, record in self._scan("hosts"):
            yield host.decode(), float(msgpack.unpackb(record, raw=True)[0])

    def flying_hosts(self) -> set[str]:
        """Hosts of which something is in flight."""
        return {msgpack.unpackb(flight, raw=True)[2].decode() for flight in self._call("hvals", "flights")}

    def records(self) -> Iterator[tuple[str, bytes, bytes]]:
        """(host, key, record) of all entries, whatever became of them; some may come twice. What is too damaged to tell its host
        is left out."""
        for key, record in self._scan("entries"):
            if len(record) >= HEADER.size:
                size = HEADER.unpack_from(record)[7]
                yield record[HEADER.size : HEADER.size + size].decode(errors="replace"), key, record

    def _scan(self, name: str) -> Iterator[tuple[bytes, bytes]]:
        cursor = -1
        while cursor != 0:
            cursor, part = self._call("hscan", name, max(cursor, 0), count=_PAGE)
            yield from part.items()

    def move(self, what: str, items: Sequence[Any]) -> int:
        """Take a step of a move; see ``lua/move.lua``. Returns how many hosts or entries it changed."""
        parts = (items[first : first + _MOVED] for first in range(0, len(items), _MOVED))
        return sum(int(self._run("move", what, packed(list(part)))) for part in parts)


def _field(host: str) -> bytes:
    return host.encode("utf-8", "replace")  # the web sends lone surrogates


def _name(shard: int | None) -> str:
    return "outcomes" if shard is None else f"outcomes:{shard}"
