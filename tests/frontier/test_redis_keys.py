"""A crawl over the three masters of a real Redis Cluster: where its keys lie, and what happens when slots move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from frontier_tools import entry, key, outcome
from redis.crc import key_slot
from redis_tools import RedisServer, cluster_node, make_cluster, slots_of
from wait_tools import wait_for

from topical_crawler.frontier import FrontierServerError, State
from topical_crawler.frontier.moving import change_shards
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.frontier.redis_keys import crawls, find_keys
from topical_crawler.frontier.redis_seeds import RedisFeed
from topical_crawler.frontier.redis_server import Server, ServerAwayError, SlotMovedError, place_of
from topical_crawler.frontier.shard_map import shard_of
from topical_crawler.frontier.shards import ShardedFrontier, SharedFrontier, open_shards

ROOT = Path(__file__).resolve().parents[2]
NODES = 3
SHARES = [slots_of(n, NODES) for n in range(NODES)]
SEVERAL = "在几台的爬取"


def ask(server: RedisServer, *command: Any) -> Any:
    with server.client() as client:
        return client.execute_command(*command)


def is_up(server: RedisServer) -> bool:
    return bool(ask(server, "CLUSTER INFO")["cluster_state"] == "ok")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RedisServer]]:
    servers = [cluster_node(tmp_path_factory.mktemp(f"node{n}")).start() for n in range(NODES)]
    make_cluster(servers)
    yield servers
    for server in servers:
        server.stop()


def move_slot(slot: int, source: RedisServer, target: RedisServer, *, halfway: bool = False) -> None:
    """Move a slot with its keys, as redis-cli does; ``halfway``: only say that it will be moved."""
    one, other = (ask(server, "CLUSTER MYID").decode() for server in (source, target))
    ask(target, "CLUSTER SETSLOT", slot, "IMPORTING", one)
    ask(source, "CLUSTER SETSLOT", slot, "MIGRATING", other)
    if halfway:
        return
    if keys := ask(source, "CLUSTER GETKEYSINSLOT", slot, 1_000):
        ask(source, "MIGRATE", "127.0.0.1", target.port, "", 0, 60_000, "KEYS", *keys)
    for server in (target, source):
        ask(server, "CLUSTER SETSLOT", slot, "NODE", other)


def prefix_in(server: RedisServer, name: str) -> str:
    with server.client() as client:
        return find_keys(Server(client, 0.0), name).prefix


def opened(servers: list[RedisServer], name: str = SEVERAL) -> SharedFrontier:
    return open_shards([server.client() for server in servers], name, 0.0, 9, 0, patience=0.0)


def fetch_all(frontier: SharedFrontier) -> list[str]:
    """Fetch what waits; page N links to 2N and 2N + 1 of 60 pages on 20 hosts. Returns the pages in their order."""
    fetched = []
    while (page := frontier.pop(0.0)) is not None:
        fetched.append(name := page.url.rpartition("/")[2])
        frontier.done(page.key, outcome(name), [web_page(n) for n in (2 * int(name), 2 * int(name) + 1) if n <= 60])
    return fetched


def web_page(number: int) -> Any:
    return entry(str(number), 1 / (number + 1), host=f"{number % 20}.cn")


def pop(frontier: SharedFrontier) -> None:
    page = frontier.pop(0.0)
    assert page is not None
    assert page.key == key("甲")


def test_a_node_serves_a_crawl_as_a_plain_server_does(servers: list[RedisServer]) -> None:
    for server in servers:
        frontier = opened([server], "一台")
        frontier.push([entry("甲", 0.9), entry("乙", 0.8, host="b.cn")])
        pop(frontier)
        frontier.requeue(key("甲"))
        pop(frontier)
        frontier.done(key("甲"), outcome("甲"), [entry("丙", 0.1, "http://a.cn/甲")])
        assert frontier.counts() == {State.WAITING: 2, State.IN_FLIGHT: 0, State.DONE: 1, State.DROPPED: 0}
        frontier.close()
    assert len({prefix_in(server, "一台") for server in servers}) == NODES


def test_the_nodes_are_shards_that_keep_their_hosts_and_their_keys(servers: list[RedisServer]) -> None:
    frontier = opened(servers)
    assert isinstance(frontier, ShardedFrontier)
    frontier.push([web_page(1)])
    assert Counter(fetch_all(frontier)) == Counter(map(str, range(1, 61)))
    for number, server in enumerate(servers):
        own = {host for host, _ in frontier.shards[number].known_hosts()}
        assert own == {f"{n}.cn" for n in range(20) if shard_of(f"{n}.cn", range(NODES)) == number}
        keys = ask(server, "KEYS", "*")
        prefix = prefix_in(server, SEVERAL).encode()
        assert len(keys) > 5 and all(found.startswith(prefix) for found in keys)
        assert key_slot(prefix) in SHARES[number]
        assert crawls(server.client()) == [SEVERAL]
    frontier.close()


def test_hosts_move_between_nodes_as_between_plain_servers(servers: list[RedisServer]) -> None:
    clients = [server.client() for server in servers]
    frontier = opened(servers[:2])
    frontier.push([web_page(number) for number in range(1, 61)])
    change_shards(clients[:2], SEVERAL, add=place_of(clients[2]), patience=0.0)
    change_shards(clients[:1], SEVERAL, remove=place_of(clients[1]), patience=0.0)
    assert sorted(map(int, fetch_all(frontier))) == list(range(1, 61))
    left, _, came = (ask(server, "HLEN", prefix_in(server, SEVERAL) + "entries") for server in servers)
    assert left + came == 60
    assert min(left, came) > 0


def test_a_crawl_keeps_its_keys_when_a_tag_that_comes_before_them_gets_to_its_node(servers: list[RedisServer]) -> None:
    slot = key_slot(f"topical:{{{SEVERAL}}}:".encode())
    owner = next(n for n in range(NODES) if slot in SHARES[n])
    other = servers[owner - 1]
    before = prefix_in(other, SEVERAL)
    opened([other]).close()
    move_slot(slot, servers[owner], other)
    try:
        assert prefix_in(other, SEVERAL) == before
    finally:
        move_slot(slot, other, servers[owner])


def test_a_slot_that_moves_away_ends_workers_and_loses_nothing(servers: list[RedisServer]) -> None:
    source, target, _ = servers
    frontier = opened(servers)
    links = [web_page(number) for number in range(1, 61)]
    frontier.push(links[:40])
    slot = key_slot(prefix_in(source, SEVERAL).encode())
    move_slot(slot, source, target, halfway=True)
    with pytest.raises(SlotMovedError, match=rf"{source.port}/0 no longer serves slot {slot} .*127.0.0.1:{target.port}/0 has it"):
        frontier.push(links[40:])
    move_slot(slot, source, target)
    with pytest.raises(SlotMovedError, match=r"Remedy: .*REDIS_URL instead; else move the slot back"):
        frontier.push(links[40:])
    with pytest.raises(SlotMovedError, match=rf"{target.port}/0 has it"):  # and no new crawl begins there
        opened(servers)
    with pytest.raises(FrontierServerError, match=r"more than once: .*Remedy: move them back"):
        opened(servers[1:])
    assert crawls(source.client()) == []
    move_slot(slot, target, source)
    again = opened(servers)
    again.push(links[40:])
    assert sorted(map(int, fetch_all(again))) == list(range(1, 61))


def test_a_node_that_has_got_the_slot_can_take_the_place_of_the_one_that_had_it(servers: list[RedisServer]) -> None:
    first = opened(servers[:1])
    first.push([web_page(1)])
    slot = key_slot(prefix_in(servers[0], SEVERAL).encode())
    move_slot(slot, servers[0], servers[1])
    try:
        second = opened(servers[1:2])
        assert len(fetch_all(second)) == 60
        second.close()
    finally:
        move_slot(slot, servers[1], servers[0])


def test_a_cluster_that_is_down_is_waited_for(servers: list[RedisServer]) -> None:
    frontier = opened(servers[:1])
    slot = key_slot(prefix_in(servers[0], SEVERAL).encode())
    ask(servers[0], "CLUSTER DELSLOTS", slot)
    with pytest.raises(ServerAwayError, match="redis-cli --cluster check"):
        frontier.push([web_page(1)])
    ask(servers[0], "CLUSTER ADDSLOTS", slot)
    wait_for(lambda: is_up(servers[0]))
    assert frontier.push([web_page(1)]).new == 1


def test_start_urls_are_read_where_their_key_lies(servers: list[RedisServer]) -> None:
    name = f"topical:{{{SEVERAL}}}:start_urls"
    owner = next(n for n in range(NODES) if key_slot(name.encode()) in SHARES[n])
    ask(servers[owner], "RPUSH", name, "http://a.cn/")
    feed, taken = RedisFeed(servers[owner - 1].client(), name, 0.0), list[str]()
    assert (feed.poll(taken.extend), feed.poll(taken.extend)) == (0, 1)
    assert taken == ["http://a.cn/"]


def test_the_account_of_the_workers_has_the_rights(servers: list[RedisServer]) -> None:
    rules = (ROOT / "deploy/users.acl").read_text(encoding="utf-8").splitlines()[1].split()
    clients = []
    for server in servers:
        ask(server, "ACL SETUSER", "topical", *(rule for rule in rules[2:] if not rule.startswith("#")), ">geheim")
        clients.append(redis.Redis.from_url(server.url.replace("//", "//topical:geheim@")))
    frontier = open_shards(clients, SEVERAL, 0.0, 9, 0, patience=0.0)
    frontier.push([web_page(1)])
    assert len(fetch_all(frontier)) == 60


def take_over(replica: RedisServer, master: RedisServer, cluster: list[RedisServer]) -> None:
    """Make a replica the master, once all know it for a replica, and wait until all know the new master."""

    def is_seen(server: RedisServer, role: str) -> bool:
        return all(role in ask(one, "CLUSTER NODES").get(f"127.0.0.1:{server.port}", {"flags": ""})["flags"] for one in cluster)

    wait_for(lambda: is_seen(replica, "slave") and ask(replica, "INFO", "replication")["master_link_status"] == "up")
    ask(replica, "CLUSTER FAILOVER", "TAKEOVER")
    wait_for(lambda: is_seen(replica, "master") and is_seen(master, "slave"))


def test_a_replica_is_refused_until_it_takes_the_place_of_its_master(servers: list[RedisServer], tmp_path: Path) -> None:
    first, master, last = servers
    replica = cluster_node(tmp_path).start()
    try:
        ask(first, "CLUSTER MEET", "127.0.0.1", replica.port)
        wait_for(lambda: is_up(replica))
        with pytest.raises(FrontierServerError, match=r"has no slots .* Remedy: give it some"):
            opened([replica])
        worker = opened(servers)
        worker.push([web_page(number) for number in range(1, 41)])
        ask(replica, "CLUSTER REPLICATE", ask(master, "CLUSTER MYID").decode())
        with pytest.raises(FrontierServerError, match=rf"is a replica .* Remedy: .* REDIS_URL, 127.0.0.1:{master.port}/0"):
            RedisFrontier(replica.client(), SEVERAL)
        take_over(replica, master, [*servers, replica])
        with pytest.raises(SlotMovedError, match=rf"127.0.0.1:{replica.port}/0 has it"):
            worker.push([web_page(number) for number in range(41, 61)])
        again = opened([first, replica, last])
        again.push([web_page(number) for number in range(41, 61)])
        assert sorted(map(int, fetch_all(again))) == list(range(1, 61))
        take_over(master, replica, [*servers, replica])  # as the other tests find it
    finally:
        replica.stop()
