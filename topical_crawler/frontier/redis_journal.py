"""The journal of a crawl in Redis: all its workers read one log of finished pages, and know what the others noted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from topical_crawler.frontier.base import KEPT, Journal, Outcome
from topical_crawler.frontier.redis_server import RecordError, Server, logger, pack_list, read_outcome
from topical_crawler.web.urls import fingerprint

_OUTCOMES = 1_000  # in one call
_KNOWN = 500_000  # pages that a worker knows to be done, in 50 MB: their links cost Redis nothing
_TIME = ""  # a script that is told none leaves the crawl's clock alone


class RedisJournal(Journal):
    """A journal that the workers of a crawl share, on whatever machines.

    Args:
        server: what the keys of the crawl are asked of.
        worker: name of this process.

    Attributes:
        done: keys of pages that are done, as far as this process has read the log.
    """

    def __init__(self, server: Server, worker: str) -> None:
        self._server = server
        self._worker = worker
        self.done: set[bytes] = set()

    def outcomes(self, after: int = 0) -> Iterator[tuple[int, Outcome]]:
        """See :meth:`Journal.outcomes`. A damaged one counts, and is left out, as are those that were forgotten."""
        number = after
        while (part := self._log(number))[1]:
            number, outcomes = part
            for data in outcomes:
                number += 1
                try:
                    outcome = read_outcome(data)
                except RecordError as error:
                    logger.error("Outcome %d of the crawl at %s: %s", number, self._server.name, error)
                    continue
                if len(self.done) < _KNOWN:
                    self.done.add(fingerprint(outcome.url))
                yield number, outcome

    def _log(self, after: int, most: int = _OUTCOMES, forget: int = 0) -> tuple[int, list[bytes]]:
        """How many outcomes come before the first that is given, and those that follow ``after`` others; the first ``forget``
        ones are forgotten."""
        first, outcomes = self._server.run("log", _TIME, after, most, forget)
        return int(first), outcomes

    def save(self, name: str, data: Any) -> None:
        self._server.call("hset", "saved", name, json.dumps(data))

    def load(self, name: str) -> Any:
        text = self._server.call("hget", "saved", name)
        return None if text is None else json.loads(text)

    def checkpoint(self, name: str, number: int, data: Any) -> bool:
        """See :meth:`Journal.checkpoint`. The log of finished pages is forgotten but for the last :data:`KEPT` ones."""
        if stored := bool(self._server.run("checkpoint", _TIME, name, number, json.dumps(data))):
            self._log(0, most=0, forget=number - KEPT)
        return stored

    def agree(self, name: str, data: Any) -> Any:
        self._server.call("hsetnx", "saved", name, json.dumps(data))
        return self.load(name)

    def first(self, name: str, number: int) -> bool:
        return bool(self._server.call("zadd", "firsts", {name: number}, gt=True, ch=True))

    # -- What workers share beyond the contract

    def claim(self, name: str, seconds: float) -> bool:
        """Whether this process may do what ``name`` stands for; no other may for ``seconds``."""
        return bool(self._server.call("set", f"claim:{name}", self._worker, nx=True, px=max(1, round(1000 * seconds))))

    def remember(self, name: str, text: str, seconds: float) -> None:
        """Keep a text for all workers for ``seconds``; whoever waits for the claim of its name may stop waiting."""
        self._server.call("set", f"text:{name}", text.encode("utf-8", "replace"), px=max(1, round(1000 * seconds)))

    def recall(self, name: str) -> str | None:
        """What :meth:`remember` keeps; None where there is nothing."""
        text = self._server.call("get", f"text:{name}")
        return None if text is None else text.decode("utf-8", "replace")

    def counted(self, hosts: Sequence[str]) -> dict[str, bytes | None]:
        """What was written last of what the crawl counts of each host; None where nothing was."""
        counts = self._server.run("counts", _TIME, "read", pack_list([_field(host) for host in hosts]))
        return dict(zip(hosts, counts, strict=True))

    def write_counted(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Write what was counted of hosts, but where that of more pages is known."""
        self._server.run("counts", _TIME, "write", pack_list([(_field(host), record) for host, record in records]))


def _field(host: str) -> bytes:
    return host.encode("utf-8", "replace")  # the web sends lone surrogates
