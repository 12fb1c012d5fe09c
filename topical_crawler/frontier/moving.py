"""Giving a crawl another server, or taking one from it, while its workers run.

A map with the next number says which shards there will be. Once every server knows it, none takes anything from a worker that
does not, so no link is put where it will not be looked for: links to hosts on the move wait in the first server. Such a host is
given out no more where it was; when nothing of it is in flight there, its delay goes to its new shard and then its entries, each
there before it is gone here. So a move that is broken off, wherever, loses nothing, fetches nothing twice, and is taken up by the
same command. A last map says that all are where they belong.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import Any

import redis

from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.frontier.redis_server import like
from topical_crawler.frontier.shard import Shard
from topical_crawler.frontier.shard_map import ShardMap, map_name, shard_of
from topical_crawler.frontier.shards import ShardedFrontier, open_shards

_BATCH = 500  # entries that are moved at a time
_LOOK_EVERY = 0.05  # seconds between two looks whether hosts have still something in flight

_REPLACE_FIRST = (
    "have Redis copy it to an empty server, which takes its place: send that one REPLICAOF HOST PORT; stop all workers "
    "(topical-crawler frontier stop); when INFO replication says master_link_status:up, and the same offset in both, send it "
    "REPLICAOF NO ONE, and name it first in REDIS_URL. To have one server less, remove another one before, empty it, and let it "
    "be that one (docs/workers.md)"
)

Report = Callable[[int, int], None]


def show_map(clients: Sequence[redis.Redis], name: str, patience: float = 60.0) -> ShardMap:
    """Which shards a crawl has. Raises FrontierServerError as :func:`~topical_crawler.frontier.shards.open_shards`."""
    with closing(open_shards(clients, name, patience=patience, attach=True)) as frontier:
        return _map(frontier)[0]


def change_shards(
    clients: Sequence[redis.Redis],
    name: str,
    *,
    add: str = "",
    remove: str = "",
    report: Report = lambda hosts, entries: None,
    patience: float = 60.0,
) -> ShardMap:
    """Add the server at an address (HOST:PORT/DATABASE), or remove it, and move hosts accordingly; or go on with a change that
    was broken off. Every server must answer. Returns the new map.

    Args:
        clients: of the crawl's servers, the first one at least.
        report: called now and then with the numbers of hosts and entries that were moved.
        patience: seconds for which a server that does not answer is asked again.

    Raises:
        FrontierServerError: a server cannot be used, the change makes no sense, or another one is under way.
    """
    with closing(open_shards(clients, name, patience=patience, attach=True)) as frontier:
        known, shards = _map(frontier)
        for shard in shards.values():
            shard.be_patient(patience)
            shard.open()
            shard.keep_time()
        if known.to is None and not _is_done(known, add, remove):
            if not all(shard.names_hosts() for shard in shards.values()):
                what = "was begun by a version that did not note the hosts of finished pages"
                raise _refusal(shards[0], what, "begin anew to change its servers")
            wanted = _grown(known, shards, clients[0], add) if add else _shrunk(known, shards, remove)
            known = _publish(shards, wanted)
        if known.to is not None:
            _refuse_another(known, known.to, add, remove)
            known = _carry_out(known, known.to, shards, frontier, clients[0], report, patience)
        _tell_all(shards, known)
    with closing(open_shards(clients, name, patience=patience, attach=True)) as frontier:
        if isinstance(frontier, ShardedFrontier):
            frontier.follow(frontier.shards[0])  # links that waited go where they belong
    return known


def _is_done(known: ShardMap, add: str, remove: str) -> bool:
    number = _at(known, add or remove)
    return number in (known.ids if add else known.removed)


def _carry_out(
    known: ShardMap,
    to: tuple[int, ...],
    shards: dict[int, Shard],
    frontier: Shard | ShardedFrontier,
    client: redis.Redis,
    report: Report,
    patience: float,
) -> ShardMap:
    for number in known.all:
        if number not in shards:
            shards[number] = Shard(like(client, known.places[number]), shards[0].name, patience=patience, attach=True)
            shards[number].keep_time()
    _tell_all(shards, known)  # from here on nobody puts a link where it will not stay
    moved = [0, 0]
    for number in known.ids:
        _move_hosts(number, to, shards, report, moved)
    removed = dict(known.removed)
    for number in set(known.ids) - set(to):
        _retire(number, shards, frontier, patience)
        removed[number] = shards[number].pages()
    return _publish(shards, ShardMap(known.number + 1, to, None, known.places, removed))


def _tell_all(shards: Mapping[int, Shard], known: ShardMap) -> None:
    for shard in shards.values():
        shard.map = known.number
        shard.wait(0.0)


def _map(frontier: Shard | ShardedFrontier) -> tuple[ShardMap, dict[int, Shard]]:
    if isinstance(frontier, ShardedFrontier):
        shards = frontier.shards
        places = {n: shard.place for n, shard in shards.items()} | dict(frontier.map.places) | {0: shards[0].place}
        return replace(frontier.map, places=places), shards  # the first one may have got another server (docs/workers.md)
    return ShardMap(0, (0,), places={0: frontier.place}), {0: frontier}


def _grown(known: ShardMap, shards: dict[int, Shard], client: redis.Redis, place: str) -> ShardMap:
    """The map with one more shard, whose server has the crawl then."""
    first = shards[0]
    number = max({*known.all, *known.removed}) + 1
    held = first.details()
    bounds = (held["delay"], held["in_flight_per_host"], held["max_waiting"])
    options = {"lease": held["lease_seconds"], "worker": "shards", "patience": 5.0, "later": True}
    shard = Shard(like(client, place), first.name, *bounds, **options)
    if shard.number() not in (None, number):
        raise _refusal(first, f"was kept at {place} before", "delete what that server has of it, or name another one")
    with closing(shard):
        shard.open()
        shard.agree("shard", [number, len(known.ids) + 1])
        shards[number] = Shard(like(client, place), first.name, attach=True)
    shards[number].keep_time()
    return ShardMap(known.number + 1, known.ids, (*known.ids, number), {**known.places, number: place}, known.removed)


def _shrunk(known: ShardMap, shards: dict[int, Shard], place: str) -> ShardMap:
    first = shards[0]
    number = _at(known, place)
    if number not in known.ids:
        raise _refusal(first, f"has no shard {place!r}", f"name one of {', '.join(known.places[n] for n in known.ids)}")
    if number == 0:
        # What belongs to no host (orders, checkpoints, the order of the logs) changes at any moment, and workers find the crawl
        # by this server: all of them have to stop while it moves. Redis itself copies it best.
        what = f"keeps in {place}, the first of its servers, what belongs to no host"
        raise _refusal(first, what, _REPLACE_FIRST)
    return ShardMap(known.number + 1, known.ids, tuple(n for n in known.ids if n != number), known.places, known.removed)


def _at(known: ShardMap, place: str) -> int | None:
    """The shard at an address; a server that was removed may be one again."""
    numbers = (n for n in known.places if known.places[n] == place)
    return max(numbers, key=lambda n: (n in known.all, n), default=None)


def _refusal(first: Shard, what: str, remedy: str) -> FrontierServerError:
    return FrontierServerError(f"the crawl {first.name!r} in Redis at {first.place} {what}. Remedy: {remedy}")


def _refuse_another(known: ShardMap, to: Sequence[int], add: str, remove: str) -> None:
    changed = next(iter(set(known.ids) ^ set(to)))
    how, place = "add" if changed in to else "remove", known.places[changed]
    if (add or remove) and (add, remove) != ((place, "") if how == "add" else ("", place)):
        raise FrontierServerError(f"another change is under way. Remedy: finish it first: frontier shards --{how} {place}")


def _publish(shards: dict[int, Shard], wanted: ShardMap) -> ShardMap:
    """Save a map in every server; the first one decides where two commands want different ones. Returns the one that holds."""
    agreed = ShardMap.read(shards[0].agree(map_name(wanted.number), wanted.data()))
    for shard in shards.values():
        shard.save(map_name(agreed.number), agreed.data())
    return agreed


def _move_hosts(source: int, to: tuple[int, ...], shards: Mapping[int, Shard], report: Report, moved: list[int]) -> None:
    """Move all hosts of a shard that fall to others."""
    shard = shards[source]
    while True:
        hosts = sorted({host for host, _ in shard.known_hosts() if shard_of(host, to) != source})
        moved[0] += shard.move("leave", hosts)
        while any(shard_of(host, to) != source for host in shard.flying_hosts()):
            report(*moved)
            shard.wait(0.0)  # leases of workers that have died run out
            time.sleep(_LOOK_EVERY)
        arriving: dict[int, list[tuple[str, float]]] = defaultdict(list)
        for host, delay in dict(shard.known_hosts()).items():
            if (target := shard_of(host, to)) != source:
                arriving[target].append((host, delay))
        for target, arrivals in arriving.items():
            shards[target].move("arrive", arrivals)
        found = 0
        records = (record for record in shard.records() if shard_of(record[0], to) != source)
        for batch in _batches(records, _BATCH):
            found += len(batch)
            parts: dict[int, list[tuple[bytes, bytes]]] = defaultdict(list)
            for host, key, record in batch:
                parts[shard_of(host, to)].append((key, record))
            for target, entries in parts.items():
                shards[target].move("take", entries)
                moved[1] += shard.move("give", entries)
            report(*moved)
        counted = (record for record in shard.all_counted() if shard_of(record[0], to) != source)
        for batch in _batches(counted, _BATCH):
            for target in {shard_of(host, to) for host, _ in batch}:
                shards[target].write_counted([record for record in batch if shard_of(record[0], to) == target])
            shard.forget_counted(batch)
        shard.move("forget", hosts)
        if not found:
            return


def _batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _retire(number: int, shards: dict[int, Shard], frontier: Shard | ShardedFrontier, patience: float) -> None:
    """Have the first shard keep the log of a shard that no longer has a host, and what that one keeps for others."""
    shard, first = shards[number], shards[0]
    assert isinstance(frontier, ShardedFrontier)  # the only shard is the first, and stays
    frontier.follow(shard)  # it makes the shards impatient, as a worker needs them
    for one in shards.values():
        one.be_patient(patience)
    frontier.merge()
    if frontier.merged(number) != shard.finished():
        raise FrontierServerError(f"the log in Redis at {first.place} could not be brought up to date. Remedy: run it again")
    while (part := shard.raw_outcomes(known := first.finished(number)))[1]:
        if part[0] > known:  # the command was broken off, and workers have forgotten more since
            first.forget_outcomes(number, known)
        first.keep_outcomes(number, *part)
    for owner in {*shards, *frontier.map.removed}:
        while batches := shard.kept_for(owner, 1):
            first.keep_for(owner, batches[0])
            shard.forget_for(owner, batches[0])
