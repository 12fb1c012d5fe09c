"""A frontier over three real servers: who has which host, what goes from one to another, and what happens while one is away."""

from __future__ import annotations

import json
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from frontier_tools import entry, key, outcome
from hypothesis import given
from hypothesis import strategies as st
from redis_tools import RedisServer
from wait_tools import wait_for

from topical_crawler.frontier import Entry, FrontierServerError, LeaseLost, State
from topical_crawler.frontier.moving import change_shards
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.frontier.shard_map import shard_of
from topical_crawler.frontier.shards import ShardedFrontier, open_shards

SHARDS = 3
Worker = Callable[..., ShardedFrontier]


def host_on(shard: int, number: int = 0) -> str:
    """A host that falls to a shard; another one for each number."""
    return [host for host in (f"{n}.cn" for n in range(200)) if shard_of(host, range(SHARDS)) == shard][number]


def link(name: str, priority: float, shard: int, *parents: str) -> Entry:
    return entry(name, priority, *parents, host=host_on(shard))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RedisServer]]:
    servers = [RedisServer(tmp_path_factory.mktemp(f"shard{n}"), appendonly="yes", appendfsync="always") for n in range(SHARDS)]
    for server in servers:
        server.start()
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture
def worker(servers: list[RedisServer]) -> Iterator[Worker]:
    made: list[ShardedFrontier] = []

    def build(name: str = "甲", **options: object) -> ShardedFrontier:
        clients = [server.client() for server in servers]
        made.append(open_shards(clients, "党建", 0.0, 9, 0, worker=name, lease=1e6, clock="caller", **options))  # type: ignore
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()


def pop(frontier: ShardedFrontier, expected: str) -> Entry:
    popped = frontier.pop(0.0)
    assert popped is not None and popped.url.endswith(expected), popped
    return popped


def finish(frontier: ShardedFrontier, name: str, *links: Entry) -> None:
    frontier.done(pop(frontier, name).key, outcome(name), links)


def names(frontier: ShardedFrontier) -> list[str]:
    return [found.url.rpartition("/")[2] for _, found in frontier.outcomes()]


# -- Who has which host


def test_hosts_are_shared_out_evenly() -> None:
    shares = Counter(shard_of(f"site{n}.cn", range(8)) for n in range(8_000))
    assert sorted(shares) == list(range(8))
    assert all(880 < share < 1_120 for share in shares.values())


@given(st.text(min_size=1, max_size=20), st.integers(1, 9))
def test_a_further_shard_takes_hosts_and_the_others_keep_theirs(host: str, shards: int) -> None:
    before, after = shard_of(host, range(shards)), shard_of(host, range(shards + 1))
    assert after in (before, shards)


def test_a_server_has_the_links_of_its_hosts_alone(worker: Worker, servers: list[RedisServer]) -> None:
    worker().push([link(f"{n}", 0.5, n) for n in range(SHARDS)])
    for n, server in enumerate(servers):
        alone = RedisFrontier(server.client(), "党建", attach=True)
        assert [found.host for found in alone.waiting(9)] == [host_on(n)]


def test_servers_in_another_order_are_refused(worker: Worker, servers: list[RedisServer]) -> None:
    worker()
    clients = [server.client() for server in servers]
    with pytest.raises(FrontierServerError, match=r"is shard 3 of 3 of the crawl '党建', not 1 of 3. Remedy: give all workers"):
        open_shards(clients[::-1], "党建", attach=True)
    with pytest.raises(FrontierServerError, match="is shard 2 of 3 of the crawl '党建', not 1 of 1"):
        open_shards(clients[1:2], "党建", attach=True)
    assert len(open_shards(clients, "党建", attach=True)) == 0


def test_a_worker_asks_each_server_once_what_it_is(worker: Worker, servers: list[RedisServer]) -> None:
    for server in servers:
        server.client().config_resetstat()
    worker()
    assert [server.client().info("commandstats")["cmdstat_info"]["calls"] for server in servers] == [1] * SHARDS


# -- A crawl that an earlier version of the program has begun

VERSION_1 = Path(__file__).with_name("crawl_of_version_1.json")
"""What DUMP gives of the keys of a crawl in two servers: 60 pages on 20 hosts, page N links to 2N and 2N + 1. A worker of
version 1 fetched 19 pages and died with two in flight."""


@pytest.fixture
def begun(servers: list[RedisServer]) -> list[RedisServer]:
    for server, keys in zip(servers, json.loads(VERSION_1.read_text(encoding="utf-8")), strict=False):
        for name, dump in keys.items():
            server.client().restore(name, 0, b64decode(dump))
    return servers[:2]


def open_again(servers: list[RedisServer], **options: object) -> ShardedFrontier:
    frontier = open_shards([server.client() for server in servers], "党建", 0.0, 9, 0, clock="caller", **options)  # type: ignore
    assert isinstance(frontier, ShardedFrontier)
    return frontier


def test_a_crawl_of_version_1_goes_on(begun: list[RedisServer]) -> None:
    with pytest.raises(FrontierServerError, match="to go on with this one, end them all and start a worker of this program"):
        open_shards([server.client() for server in begun], "党建", attach=True)
    frontier = open_again(begun)
    now = count(1_000_000)  # what the dead worker had comes again, and a host that has a delay of its own has its turns
    while (page := frontier.pop(float(next(now)))) is not None:
        number = int(page.url.rpartition("/")[2])
        links = [entry(str(n), host=f"{n % 20}.cn") for n in (2 * number, 2 * number + 1) if n <= 60]
        frontier.done(page.key, outcome(str(number)), links)
    assert Counter(map(int, names(frontier))) == Counter(range(1, 61))
    assert frontier.counts() == {State.WAITING: 0, State.IN_FLIGHT: 0, State.DONE: 60, State.DROPPED: 1}
    assert change_shards([server.client() for server in begun], "党建", remove=frontier.shards[1].place).ids == (0,)
    for server in begun:
        assert server.client().hget("topical:{党建}:meta", "clock") is None  # without it all calls of version 1 fail
    frontier.close()


def test_workers_of_version_1_are_ended_first(begun: list[RedisServer]) -> None:
    for name, value in (("raw", begun[1].client().time()[0]), ("lease", 1e6)):  # one was heard of just now
        begun[1].client().hset("topical:{党建}:meta", name, value)
    with pytest.raises(FrontierServerError) as error:
        open_again(begun)
    assert str(error.value).startswith(
        f"the crawl '党建' in Redis at 127.0.0.1:{begun[1].port}/0 is stored in "
        "version 1, this program writes version 2. Remedy: "
    )
    assert begun[1].client().hget("topical:{党建}:meta", "version") == b"1"


# -- What goes from one to another


def test_links_go_to_their_shards_with_their_evidence_and_come_twice_as_once(worker: Worker) -> None:
    frontier = worker()
    frontier.push([link("甲", 0.9, 0), link("乙", 0.8, 0)])
    finish(frontier, "甲", link("丙", 0.5, 1, "http://a.cn/甲"), link("丁", 0.4, 2, "http://a.cn/甲"), link("戊", 0.3, 0))
    assert frontier.counts() == {State.WAITING: 4, State.IN_FLIGHT: 0, State.DONE: 1, State.DROPPED: 0}
    pushed = frontier.done(pop(frontier, "乙").key, outcome("乙"), [link("丙", 0.6, 1, "http://a.cn/甲", "http://a.cn/乙")])
    assert (pushed.new, pushed.raised) == (0, 1)
    assert [e.parent for e in pop(frontier, "丙").evidence] == ["http://a.cn/甲", "http://a.cn/乙"]
    pop(frontier, "丁")  # the best of all shards comes first
    pop(frontier, "戊")


def test_a_worker_that_dies_before_it_finishes_a_page_has_handed_its_links_over(worker: Worker) -> None:
    first, second = worker("甲"), worker("乙")
    first.push([link("甲", 0.9, 0)])
    page, links = pop(first, "甲"), [link("丙", 0.5, 1)]
    first._push(first._by_shard(links), None)  # what done() does first; then the worker dies
    again = second.pop(2e6)  # its lease has run out
    assert again is not None and again.key == page.key
    with pytest.raises(LeaseLost):
        first.done(page.key, outcome("甲"), links)
    assert second.done(page.key, outcome("甲"), links).known == 1
    pop(second, "丙")


def test_no_more_pages_than_allowed_over_all_shards(worker: Worker) -> None:
    frontier = worker(max_pages=4)
    frontier.push([link(f"{n}", 0.5 + n / 100, n % SHARDS) for n in range(12)])
    taken = [frontier.pop(0.0, ahead=16) for _ in range(6)]
    assert [e is not None for e in taken] == [True] * 4 + [False] * 2
    assert taken[0] is not None
    frontier.drop(taken[0].key, "站外")
    assert frontier.pop(0.0) is not None


# -- What was finished


def test_workers_read_one_order_of_what_all_have_finished(worker: Worker) -> None:
    first, second = worker("甲"), worker("乙")
    first.push([link(f"{n:02}", 1 - n / 100, n % SHARDS) for n in range(12)])
    for n in range(12):
        finish((first, second)[n % 2], f"{n:02}")
        if n % 5 == 0:
            names(first)
    later = worker("丙")
    order = names(second)
    assert sorted(order) == [f"{n:02}" for n in range(12)]
    assert order == names(first) == names(later)
    numbers = [number for number, _ in later.outcomes(7)]
    assert numbers == [8, 9, 10, 11, 12]
    assert [found.url.rpartition("/")[2] for _, found in first.outcomes(7)] == order[7:]


def test_a_damaged_outcome_has_its_number_and_nothing_else(worker: Worker, servers: list[RedisServer]) -> None:
    frontier = worker()
    frontier.push([link("甲", 0.9, 1), link("乙", 0.8, 1), link("丙", 0.7, 1)])
    for name in "甲乙丙":
        finish(frontier, name)
    servers[1].client().lset("topical:{党建}:outcomes", 1, b"\x00")
    servers[1].client().lset("topical:{党建}:outcomes", 2, b"\x00")
    frontier.push([link("丁", 0.6, 2)])
    finish(frontier, "丁")
    assert [(number, found.url.rpartition("/")[2]) for number, found in worker("乙").outcomes()] == [(1, "甲"), (4, "丁")]


# -- While a shard is away


def test_a_shard_that_is_away_stops_its_hosts_alone_and_nothing_is_lost(worker: Worker, servers: list[RedisServer]) -> None:
    frontier = worker()
    frontier.push([link("甲", 0.9, 0), link("乙", 0.8, 1), link("丙", 0.7, 2), link("丁", 0.6, 1)])
    frontier.done(pop(frontier, "甲").key, outcome("甲"))
    away = pop(frontier, "乙")
    servers[1].kill()
    page = pop(frontier, "丙")
    frontier.done(page.key, outcome("丙"), [link("戊", 0.5, 1, "http://a.cn/丙"), link("己", 0.4, 0)])
    frontier.done(away.key, outcome("乙"), [link("庚", 0.3, 1), link("辛", 0.2, 2)])
    assert (frontier.pop(0.0) or away).url.endswith("己")
    assert [e.url[-1] for e in frontier.waiting(9)] == ["辛"]
    assert names(frontier)[:1] == ["甲"]
    servers[1].start()
    wait_for(lambda: frontier.best(0.0) == 0.6)
    pop(frontier, "丁")
    assert [e.parent for e in pop(frontier, "戊").evidence] == ["http://a.cn/丙"]
    pop(frontier, "庚")
    assert sorted(names(frontier)) == sorted("甲乙丙")
    assert frontier.counts()[State.DONE] == 3


def test_links_for_a_shard_that_is_away_outlive_the_worker_that_found_them(worker: Worker, servers: list[RedisServer]) -> None:
    frontier = worker("甲")
    frontier.push([link("甲", 0.9, 0)])
    servers[2].kill()
    frontier.done(pop(frontier, "甲").key, outcome("甲"), [link("丙", 0.5, 2)])
    servers[2].start()
    other = worker("乙")
    assert other.pop(0.0) is None
    assert other.renew() == frozenset()
    pop(other, "丙")
    assert servers[0].client().exists("topical:{党建}:kept:2") == 0


def test_a_link_goes_where_its_host_has_moved_while_a_shard_was_away(servers: list[RedisServer]) -> None:
    moving = next(
        host for host in (f"{n}.cn" for n in range(200)) if shard_of(host, range(2)) == 1 and shard_of(host, range(3)) == 2
    )
    clients = [server.client() for server in servers]
    frontier = open_shards(clients[:2], "党建", 0.0, 9, 0, lease=1e6)
    assert isinstance(frontier, ShardedFrontier)
    frontier.push([link("甲", 0.9, 1)])
    page = pop(frontier, "甲")
    servers[1].kill()
    frontier.done(page.key, outcome("甲"))  # what the server is to be told when it is back
    servers[1].start()
    change_shards(clients[:2], "党建", add=f"127.0.0.1:{servers[2].port}/0")
    wait_for(lambda: time.monotonic() > frontier._shards[1].asked_again)
    frontier.push([entry("乙", host=moving)])  # by telling that it hears of the move
    assert [found.host for found in RedisFrontier(clients[2], "党建", attach=True).waiting(9)] == [moving]
    frontier.close()


def test_the_first_shard_may_be_away_for_a_while(worker: Worker, servers: list[RedisServer]) -> None:
    frontier = worker()
    frontier.save("stand", 1)
    frontier.push([link("甲", 0.9, 1), link("乙", 0.8, 2)])
    assert frontier.load("stand") == 1
    servers[0].kill()
    finish(frontier, "甲")
    frontier.save("stand", 2)
    assert (frontier.load("stand"), frontier.first("checkpoint", 5), names(frontier)) == (2, False, [])
    with pytest.raises(FrontierServerError, match="does not answer"):
        frontier.agree("marks 1", [])
    servers[0].start()
    wait_for(lambda: names(frontier) == ["甲"])
    assert (worker("乙").load("stand"), frontier.first("checkpoint", 5)) == (2, True)


@pytest.mark.parametrize("is_new", [False, True])
def test_a_worker_that_starts_while_a_server_is_away_joins_it_when_it_is_back(
    is_new: bool, worker: Worker, servers: list[RedisServer]
) -> None:
    if not is_new:
        worker("甲").push([link("甲", 0.9, 1), link("乙", 0.8, 2)])
    servers[1].kill()
    late = worker("丙", patience=1e6)
    if is_new:
        late.push([link("甲", 0.9, 1), link("乙", 0.8, 2)])
    finish(late, "乙")
    assert late.pop(0.0) is None and late.details()["shards"][1]["away"]
    servers[1].start()
    wait_for(lambda: late.best(0.0) == 0.9)
    finish(late, "甲")
    assert "丙" in RedisFrontier(servers[1].client(), "党建", attach=True).details()["last_heard_of"]


def test_a_worker_finds_out_late_that_a_server_that_was_away_is_another_one(worker: Worker, servers: list[RedisServer]) -> None:
    worker().push([link("甲", 0.9, 1)])
    servers[2].kill()
    clients = [servers[0].client(), servers[2].client(), servers[1].client()]
    with pytest.raises(FrontierServerError, match="is shard 2 of 3 of the crawl"):
        open_shards(clients, "党建", 0.0, 9, 0)
    servers[1].kill()
    late = open_shards(clients, "党建", 0.0, 9, 0, patience=1e6)
    servers[1].start()
    with pytest.raises(FrontierServerError, match="is shard 2 of 3 of the crawl"):
        wait_for(lambda: late.best(0.0) is not None)
    servers[2].start()


def test_a_worker_with_nothing_else_to_do_waits_for_shards_as_long_as_it_is_patient(
    worker: Worker, servers: list[RedisServer]
) -> None:
    patient, impatient = worker("甲", patience=1e6), worker("乙", patience=0.0)
    patient.push([link("甲", 0.9, 1)])
    servers[1].kill()
    for frontier in (patient, impatient):
        assert frontier.pop(0.0) is None
    assert patient.counts()[State.WAITING] > 0
    wait_for(lambda: impatient._shards[1].away_since is not None)
    with pytest.raises(FrontierServerError, match=f"127.0.0.1:{servers[1].port}/0 does not answer"):
        impatient.counts()
    assert patient.details()["shards"][1]["away"]
    servers[1].start()
    wait_for(lambda: patient.best(0.0) == 0.9)
    assert key("甲") == pop(patient, "甲").key
