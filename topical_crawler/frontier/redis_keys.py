"""What the keys of a crawl begin with: a hash tag with its name, in a Redis Cluster one whose slot is at the very node."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import redis
from redis.crc import key_slot

from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.frontier.redis_server import Server, SlotMovedError, like, moved, place_of

_BEFORE, _AFTER = "topical:{", "}:"  # the braces keep the keys of a crawl in one slot
_TAGS = 1_000  # hash tags of a crawl: each of 64 equal nodes has the slot of one, but for one crawl in 100,000


class Keys(NamedTuple):
    """Where a server keeps a crawl.

    Args:
        prefix: what all its keys begin with.
        node: id of the server in its Redis Cluster; empty for a plain server.
    """

    prefix: str
    node: str


def find_keys(server: Server, name: str) -> Keys:
    """The keys of a crawl in a server. In a node of a Redis Cluster that has it they are those that it has; else the first ones
    whose slot is at this node. Raises FrontierServerError where the server cannot be asked, is a replica, or its slots have moved
    in such a way that the crawl is elsewhere."""
    if not server.info().get("cluster_enabled"):  # so it is, too, where the account may not ask; a cluster's answer is MOVED then
        return Keys(f"{_BEFORE}{name}{_AFTER}", "")
    return server.ask(lambda: _find(server.client, name))


def crawls(client: redis.Redis) -> list[str]:
    """The names of the crawls in a server, in alphabetical order."""
    keys = client.scan_iter(match=f"{_BEFORE}*{_AFTER}meta", count=1_000)
    return sorted({key.decode().removeprefix(_BEFORE).removesuffix(f"{_AFTER}meta").partition("{")[0] for key in keys})


def _find(client: redis.Redis, name: str) -> Keys:
    nodes: Mapping[str, Mapping[str, Any]] = client.cluster("nodes")
    own = next(node for node in nodes.values() if "myself" in node["flags"])
    places = {node["node_id"]: _place(address, node, client) for address, node in nodes.items()}
    at = f"Redis at {place_of(client)}"
    if "master" not in own["flags"]:
        master = places.get(own["master_id"], "which it does not know")
        raise FrontierServerError(f"{at} is a replica in a Redis Cluster. Remedy: name its master in REDIS_URL, {master}")
    # No name has a brace, so no other crawl has such a tag.
    prefixes = [f"{_BEFORE}{name}{tag}{_AFTER}" for tag in ("", *(f"{{{number}" for number in range(1, _TAGS)))]
    slots = {prefix: key_slot(prefix.encode()) for prefix in prefixes}
    here = _of(own, slots)
    if not here:
        raise FrontierServerError(
            f"{at} has no slots in its Redis Cluster, or too few. Remedy: give it some (redis-cli --cluster rebalance)"
        )
    answers = _ask(client, here, "meta", "version")
    found = [prefix for prefix, answer in zip(here, answers, strict=True) if isinstance(answer, bytes)]
    if len(found) > 1:
        which = " and ".join(str(slots[prefix]) for prefix in found)
        raise FrontierServerError(
            f"{at} has the crawl {name!r} more than once: slots of other nodes were moved to it, of {which} all but one. Remedy: "
            f"move them back (redis-cli --cluster reshard); to give a node's hosts to others use topical-crawler frontier shards"
        )
    if found:
        return Keys(found[0], own["node_id"])
    _refuse_errors(answers)  # a slot that is on its way may have had it
    # It begins here, unless it began and its slot was moved away.
    for node in nodes.values():
        if node is not own and (there := _of(node, slots)):
            other = Server(like(client, places[node["node_id"]]), 0.0)
            for prefix, home in zip(there, other.ask(partial(_homes, other.client, there)), strict=True):
                if home is not None and home.decode() == own["node_id"]:
                    raise SlotMovedError(moved(at, slots[prefix], other.name), other.name)
    return Keys(here[0], own["node_id"])


def _of(node: Mapping[str, Any], slots: Mapping[str, int]) -> list[str]:
    """Those of the prefixes whose slots a node has."""
    ranges = [range(int(part[0]), int(part[-1]) + 1) for part in node["slots"]]
    return [prefix for prefix, slot in slots.items() if any(slot in part for part in ranges)]


def _ask(client: redis.Redis, prefixes: list[str], key: str, field: str) -> list[Any]:
    with client.pipeline(transaction=False) as pipe:
        for prefix in prefixes:
            pipe.hget(prefix + key, field)
        return pipe.execute(raise_on_error=False)


def _homes(client: redis.Redis, prefixes: list[str]) -> list[Any]:
    """The ids of the nodes in which crawls are or were."""
    homes = _ask(client, prefixes, "saved", "node")
    _refuse_errors(homes)
    return homes


def _refuse_errors(answers: list[Any]) -> None:
    for error in answers:
        if isinstance(error, Exception):
            raise error


def _place(address: str, node: Mapping[str, Any], client: redis.Redis) -> str:
    host, _, port = address.rpartition(":")
    return f"{node['hostname'] or host}:{port}/{place_of(client).rpartition('/')[2]}"
