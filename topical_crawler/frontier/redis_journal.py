"""The journal of a crawl in Redis: one log of finished pages and shared notes for all its workers."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from topical_crawler.frontier.base import KEPT, Journal, Outcome
from topical_crawler.frontier.redis_part import LOOKED_AT, Part, by_part, part_of, steady
from topical_crawler.frontier.redis_server import RecordError, ServerAway, logger, pack_list, read_outcome
from topical_crawler.web.urls import fingerprint

_OUTCOMES = 1_000  # in one call
_KNOWN = 500_000  # done pages known to a worker, in 50 MB: their links cost Redis nothing
_TIME = ""  # leaves the crawl's clock alone
_COLLECTED = 1_000  # outcomes kept by a part after they are in the log, for a failover of the log's server


class RedisJournal(Journal):
    """A journal shared by the workers of a crawl, on any machines.

    All read one log in one order. In a crawl with several parts, each part has its own log of the pages done there. One worker
    at a time copies new entries from them to the log of the crawl.

    Args:
        own: the crawl's own part.
        parts: all parts: ``own`` alone, or others beside it.
        worker: name of this process.

    Attributes:
        done: keys of done pages, as far as this process has read the log.
    """

    def __init__(self, own: Part, parts: Sequence[Part], worker: str) -> None:
        self._own = own
        self._parts = parts
        self._worker = worker
        self._taken = [-1] * len(parts)  # outcomes of each part in the log; -1: not known here yet
        self._collects = -math.inf  # end of this process's turn to collect
        self.done: set[bytes] = set()

    def outcomes(self, after: int = 0) -> Iterator[tuple[int, Outcome]]:
        """See :meth:`Journal.outcomes`. Damaged and expired ones are counted but left out."""
        if len(self._parts) > 1:
            self._collect()
        number = after
        while (part := self._log(number))[1]:
            number, outcomes = part
            for data in outcomes:
                number += 1
                try:
                    outcome = read_outcome(data)
                except RecordError as error:
                    logger.error("Outcome %d of the crawl at %s: %s", number, self._own.server.name, error)
                    continue
                if len(self.done) < _KNOWN:
                    self.done.add(fingerprint(outcome.url))
                yield number, outcome

    def _collect(self) -> None:
        """Copy new entries from the logs of the parts."""
        if steady() > self._collects and self.claim("log", LOOKED_AT):
            self._collects = steady() + LOOKED_AT
        if steady() > self._collects:
            return
        for number, part in enumerate(self._parts):
            with contextlib.suppress(ServerAway):
                if steady() - part.heard > LOOKED_AT:
                    part.look()
                while (taken := self._taken[number]) != part.head.logged:
                    first, outcomes = part.run("log", _TIME, taken, _OUTCOMES, taken - _COLLECTED) if taken >= 0 else (0, ())
                    known = int(self._own.run("collect", _TIME, number, taken, first, *outcomes))
                    self._taken[number] = known
                    if known == taken:
                        break

    def close(self) -> None:
        """Copy the last entries of this process, and let others collect."""
        if len(self._parts) > 1:
            self._collect()
            if steady() < self._collects:
                self._own.call("delete", "claim:log")

    def _log(self, after: int, most: int = _OUTCOMES, forget: int = 0) -> tuple[int, list[bytes]]:
        """Return the number of outcomes before the first one returned, and those after ``after`` others. Expire the first
        ``forget`` ones.
        """
        first, outcomes = self._own.run("log", _TIME, after, most, forget)
        return int(first), outcomes

    def save(self, name: str, data: Any) -> None:
        self._own.call("hset", "saved", name, json.dumps(data))

    def load(self, name: str) -> Any:
        text = self._own.call("hget", "saved", name)
        return None if text is None else json.loads(text)

    def checkpoint(self, name: str, number: int, data: Any) -> bool:
        """See :meth:`Journal.checkpoint`. The log of finished pages expires except for the last :data:`KEPT` ones."""
        if stored := bool(self._own.run("checkpoint", _TIME, name, number, json.dumps(data))):
            self._log(0, most=0, forget=number - KEPT)
        return stored

    def agree(self, name: str, data: Any) -> Any:
        self._own.call("hsetnx", "saved", name, json.dumps(data))
        return self.load(name)

    def first(self, name: str, number: int) -> bool:
        return bool(self._own.call("zadd", "firsts", {name: number}, gt=True, ch=True))

    # -- Shared by workers beyond the contract

    def claim(self, name: str, seconds: float) -> bool:
        """Return True if this process may do the task ``name``. No other may for ``seconds``."""
        return bool(self._own.call("set", f"claim:{name}", self._worker, nx=True, px=max(1, round(1000 * seconds))))

    def remember(self, name: str, text: str, seconds: float) -> None:
        """Share a text with all workers for ``seconds``, such as the result of a claimed task."""
        part_of(name, self._parts).call("set", f"text:{name}", text.encode("utf-8", "replace"), px=max(1, round(1000 * seconds)))

    def recall(self, name: str) -> str | None:
        """Return the text shared by :meth:`remember`, or None."""
        text = part_of(name, self._parts).call("get", f"text:{name}")
        return None if text is None else text.decode("utf-8", "replace")

    def counted(self, hosts: Sequence[str]) -> dict[str, bytes | None]:
        """Return the last record of each host's counts, or None for a host without one."""
        found: dict[str, bytes | None] = {}
        for part, names in by_part((host, part_of(host, self._parts)) for host in hosts).items():
            counts = part.run("counts", _TIME, "read", pack_list([_field(host) for host in names]))
            found.update(zip(names, counts, strict=True))
        return found

    def write_counted(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Write records of host counts, and keep any record of more pages."""
        pairs = (((_field(host), record), part_of(host, self._parts)) for host, record in records)
        for part, items in by_part(pairs).items():
            part.run("counts", _TIME, "write", pack_list(items))


def _field(host: str) -> bytes:
    return host.encode("utf-8", "replace")  # the web has lone surrogates
