"""Which shard a host falls to, and the numbered maps that say which shards a crawl has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Self

from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.frontier.redis import RedisFrontier


@lru_cache(maxsize=65_536)
def shard_of(host: str, shards: range | tuple[int, ...]) -> int:
    """Which of the ``shards``, by their numbers, a host falls to. All ports and spellings of a host fall to one shard. One more
    shard takes an equal share from each of the others, and gives it back when it goes.

    >>> shard_of("www.wutong.cn", range(9)) == shard_of("WWW.wutong.cn.:8080", range(9))
    True
    >>> shard_of("党建.cn", range(9)) == shard_of("党建.cn".encode("idna").decode(), range(9))
    True
    """
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    name = name.lower().removesuffix(".")
    try:
        name = name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        name = name.encode("utf-8", "replace").decode()
    return max(shards, key=lambda number: blake2b(f"{number} {name}".encode(), digest_size=8).digest())


@dataclass(frozen=True)
class ShardMap:
    """Which shards there are. Each change of it has the next number; every server knows the newest it has heard of, and refuses
    workers with an older one.

    Args:
        number: 0 for the servers with which the crawl began.
        ids: the numbers of the shards, that of the first one 0.
        to: while hosts are being moved, the numbers of the shards that there will be; else None.
        places: addresses of shards, without a password.
        removed: shards that were removed, with the pages that they had finished. The first shard keeps their logs.
    """

    number: int
    ids: tuple[int, ...]
    to: tuple[int, ...] | None = None
    places: Mapping[int, str] = field(default_factory=dict)
    removed: Mapping[int, int] = field(default_factory=dict)

    @property
    def all(self) -> tuple[int, ...]:
        """The shards that are and those that will be."""
        return tuple(sorted({*self.ids, *(self.to or ())}))

    @property
    def left(self) -> frozenset[str]:
        """The addresses of servers that were removed, and did not come back."""
        return frozenset(self.places[n] for n in self.removed) - {self.places.get(n) for n in self.all}

    def owner(self, host: str) -> tuple[int, bool]:
        """The shard of a host, and whether the host is on its way to it."""
        owner = shard_of(host, self.to or self.ids)
        return owner, self.to is not None and owner != shard_of(host, self.ids)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """A map as :meth:`data` gave it."""
        places, removed = ({int(n): value for n, value in data[name].items()} for name in ("places", "removed"))
        return cls(data["number"], tuple(data["ids"]), data["to"] and tuple(data["to"]), places, removed)

    def data(self) -> dict[str, Any]:
        """As JSON data.

        >>> ShardMap.read(ShardMap(1, (0, 1), to=(0, 1, 2)).data())
        ShardMap(number=1, ids=(0, 1), to=(0, 1, 2), places={}, removed={})
        """
        return asdict(self)


def map_name(number: int) -> str:
    """Under which name every server has saved a map."""
    return f"shards {number}"


def check_place(frontier: RedisFrontier, number: int, shards: int) -> None:
    """Note in a server which shard of how many it is. Raises FrontierServerError where it is another one."""
    if (known := frontier.load("shard")) is None:
        known = [0, 1] if frontier.load("claim") else frontier.agree("shard", [number, shards])
    if known != [number, shards]:
        raise FrontierServerError(
            f"Redis at {frontier.place} is shard {known[0] + 1} of {known[1]} of the crawl {frontier.name!r}, not {number + 1} "
            f"of {shards}. Remedy: give all workers the servers with which the crawl began, in the same order"
        )
