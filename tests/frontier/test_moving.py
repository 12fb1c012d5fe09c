"""Servers that are added and removed while workers run: real servers, and a mover that is broken off anywhere."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import redis
from frontier_tools import entry, key
from redis_tools import RedisServer
from wait_tools import HANGS, wait_for

from topical_crawler.frontier import Entry, FrontierServerError, LeaseLost, Outcome, State
from topical_crawler.frontier.moving import change_shards, show_map
from topical_crawler.frontier.redis_server import Server
from topical_crawler.frontier.shard_map import shard_of
from topical_crawler.frontier.shards import open_shards

CRAWL, DELAY, LEASE = "党建", 0.05, 1.0
HOSTS, PAGES = 14, 6


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RedisServer]]:
    servers = [RedisServer(tmp_path_factory.mktemp(f"shard{n}")).start() for n in range(3)]
    yield servers
    for server in servers:
        server.stop()


def place(server: RedisServer) -> str:
    return f"127.0.0.1:{server.port}/0"


def clients(servers: list[RedisServer]) -> list[redis.Redis]:
    return [server.client() for server in servers]


class Killed(BaseException):
    """The process ends here."""


def killed_at(call: int, after: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that calls this ends at one of its next calls of a server, before or after the server has done it."""
    ask, mover, calls = Server.ask, threading.get_ident(), 0

    def killing(server: Server, what: Callable[[], Any]) -> Any:
        nonlocal calls
        calls += threading.get_ident() == mover
        if calls == call and threading.get_ident() == mover:
            if after:
                ask(server, what)
            raise Killed
        return ask(server, what)

    monkeypatch.setattr(Server, "ask", killing)


class Worker(threading.Thread):
    """Fetches a generated web until nothing is left: every page links to all pages of its host and to two other hosts. With
    ``lives`` it dies with what it has in flight, once it has fetched so many pages."""

    def __init__(self, servers: list[RedisServer], name: str, lives: int = 1_000_000) -> None:
        super().__init__(daemon=True)
        self.frontier = open_shards(clients(servers), CRAWL, DELAY, 1, 0, lease=LEASE, worker=name)
        self.fetched: list[tuple[str, str, float]] = []
        self.lost: list[str] = []  # what it had fetched, and could not finish
        self.lives = lives
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.crawl()
        except BaseException as error:
            self.error = error

    def crawl(self) -> None:
        renewed = time.monotonic()
        while True:
            if time.monotonic() > renewed + LEASE / 4:
                self.frontier.renew()
                renewed = time.monotonic()
            if (found := self.frontier.pop(0.0, 4)) is None:
                counts = self.frontier.counts()
                if not counts[State.WAITING] + counts[State.IN_FLIGHT]:
                    return
                time.sleep(0.01)
                continue
            self.fetched.append((found.host, found.url, time.monotonic()))
            try:
                self.frontier.sent(found.key, 0.0)
                if len(self.fetched) >= self.lives:
                    raise LeaseLost
                self.frontier.done(found.key, Outcome(found.url, True, 0.5), links(found.url))
            except LeaseLost:  # where it is slow, others have it by now
                self.lost.append(found.url)
            if len(self.fetched) >= self.lives:
                return


def link(host: int, page: int, *parents: str) -> Entry:
    name = f"{host}.cn/{page}"
    return entry(name, 0.5 + page / 100, *parents, host=f"{host}.cn") if parents else entry(name, host=f"{host}.cn")


def links(url: str) -> list[Entry]:
    host, page = int(url.split("/")[2].removesuffix(".cn")), int(url.rpartition("/")[2])
    own = [link(host, other, url) for other in range(PAGES) if other != page]
    return own + [link(other, 0, url) for other in (2 * host + 1, 2 * host + 2) if other < HOSTS]


def until_done(change: Callable[[], Any], seed: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Kill a change again and again, later each time, until it comes to its end. Returns how often it was killed."""
    chance, call = random.Random(seed), 0
    for kills in range(1_000):
        call += chance.randint(1, 12)
        try:
            with monkeypatch.context() as patch:
                killed_at(call, chance.random() < 0.5, patch)
                change()
            return kills
        except Killed:
            pass
    raise AssertionError("it never ends")


@pytest.mark.parametrize("seed", range(2))
def test_servers_come_and_go_under_workers_and_nothing_is_lost_or_fetched_twice(
    seed: int, servers: list[RedisServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = servers[:2]
    chance = random.Random(seed)
    workers = [Worker(begun, "甲"), Worker(begun, "乙")]
    workers += [Worker(begun, f"丙{n}", lives=chance.randint(1, 20)) for n in range(3)]
    workers[0].frontier.push([link(0, 0)])
    for worker in workers:
        worker.start()
    kills = until_done(lambda: change_shards(clients(begun), CRAWL, add=place(servers[2])), seed, monkeypatch)
    kills += until_done(lambda: change_shards(clients(begun), CRAWL, remove=place(servers[1])), seed, monkeypatch)
    for worker in workers:
        worker.join(HANGS)
    assert [worker.error for worker in workers] == [None] * 5
    assert kills > 3
    fetched = [visit for worker in workers for visit in worker.fetched]
    lost = Counter(url for worker in workers for url in worker.lost)  # in open leases
    pages = Counter(link(host, page).url for host in range(HOSTS) for page in range(PAGES))
    assert Counter(url for _, url, _ in fetched) == pages + lost
    for (host, _, before), (same, _, after) in pairwise(sorted(fetched, key=lambda visit: (visit[0], visit[2]))):
        assert host != same or after - before >= DELAY
    with closing(open_shards(clients(servers[:1]), CRAWL, attach=True)) as joined:  # it is told of the third one
        order = [found.url for _, found in joined.outcomes()]
        assert order == [found.url for _, found in workers[0].frontier.outcomes()]
        assert Counter(order) == pages
        assert joined.counts() == {State.WAITING: 0, State.IN_FLIGHT: 0, State.DONE: HOSTS * PAGES, State.DROPPED: 0}
    assert show_map(clients(begun[:1]), CRAWL).ids == (0, 2)
    for worker in workers[:2]:
        worker.frontier.close()


def test_a_worker_of_a_single_server_has_to_start_again(servers: list[RedisServer]) -> None:
    with closing(open_shards(clients(servers[:1]), CRAWL)) as alone:
        alone.push([link(host, 0) for host in range(9)])
        change_shards(clients(servers[:1]), CRAWL, add=place(servers[1]))
        with pytest.raises(FrontierServerError, match=r"has been given other servers\. Remedy: start this worker again"):
            alone.pop(0.0)
    with closing(open_shards(clients(servers[:1]), CRAWL)) as again:
        assert sorted(found.host for found in again.waiting(20)) == sorted(f"{host}.cn" for host in range(9))


def test_a_move_does_not_wait_for_what_a_paused_worker_has_reserved(servers: list[RedisServer]) -> None:
    moving = next(host for host in range(99) if shard_of(f"{host}.cn", range(3)) == 2)
    with closing(open_shards(clients(servers[:2]), CRAWL, 0.0, 9, 0, lease=1e6)) as frontier:
        frontier.push([link(moving, page) for page in range(4)])
        page = frontier.pop(0.0, 4)
        assert page is not None
        frontier.done(page.key, Outcome(page.url, True, 0.5))
        mover = threading.Thread(
            target=change_shards, daemon=True, args=(clients(servers[:2]), CRAWL), kwargs={"add": place(servers[2])}
        )
        mover.start()

        def is_over() -> bool:
            frontier.renew()
            return not mover.is_alive()

        wait_for(is_over)
        assert [found.host for found in frontier.waiting(9)] == [f"{moving}.cn"] * 3


def test_a_worker_that_has_not_heard_of_a_change_sets_delays_where_the_hosts_are_now(servers: list[RedisServer]) -> None:
    moving = next(host for host in range(99) if shard_of(f"{host}.cn", range(3)) == 2)
    with closing(open_shards(clients(servers[:2]), CRAWL, 0.0, 9, 0, lease=1e6)) as frontier:
        frontier.push([link(moving, 0)])
        change_shards(clients(servers[:2]), CRAWL, add=place(servers[2]))
        frontier.set_delay(f"{moving}.cn", 1e5)
        assert frontier.pop(0.0) is None
        assert (frontier.wait(0.0) or 0) > 1e4


def test_a_worker_that_has_not_heard_of_a_change_gives_all_back_when_it_ends(servers: list[RedisServer]) -> None:
    staying = next(host for host in range(99) if shard_of(f"{host}.cn", range(3)) == 0)
    frontier = open_shards(clients(servers[:2]), CRAWL, 0.0, 9, 0, lease=1e6)
    frontier.push([link(staying, 0)])
    assert frontier.pop(0.0) is not None
    change_shards(clients(servers[:2]), CRAWL, add=place(servers[2]))
    frontier.close()
    with closing(open_shards(clients(servers[:2]), CRAWL, attach=True)) as joined:
        assert joined.counts()[State.IN_FLIGHT] == 0
        assert joined.details()["workers"] == 0


def test_an_added_server_that_dies_at_once_stops_its_own_hosts_alone(
    servers: list[RedisServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = {host for host in range(20) if shard_of(f"{host}.cn", range(3)) == 2}
    staying = sorted({*range(20)} - hosts)
    with closing(open_shards(clients(servers[:2]), CRAWL, 0.0, 9, 0, patience=0.0)) as frontier:
        frontier.push([link(host, page) for host in range(20) for page in (0, 1)])
        with RedisServer(tmp_path, appendonly="yes", appendfsync="always") as guest:
            broken_off = 40
            while show_map(clients(servers[:2]), CRAWL).to is None:
                broken_off += 1
                with monkeypatch.context() as patch, pytest.raises(Killed):
                    killed_at(broken_off, False, patch)
                    change_shards(clients(servers[:2]), CRAWL, add=place(guest))
            guest.kill()  # no worker has heard of it
            fetched = []
            while (page := frontier.pop(0.0)) is not None:
                fetched.append(int(page.host[:-3]))
                found = [link(host, 7, page.url) for host in (min(hosts), staying[0])]
                frontier.done(page.key, Outcome(page.url, True, 0.5), found)
            assert frontier.map.to == (0, 1, 2) and set(staying) <= set(fetched)
            guest.start()
            change_shards(clients(servers[:2]), CRAWL, add=place(guest))
            wait_for(lambda: frontier.best(0.0) is not None)
            while (page := frontier.pop(0.0)) is not None:
                fetched.append(int(page.host[:-3]))
                frontier.done(page.key, Outcome(page.url, True, 0.5))
            assert Counter(fetched) == Counter({host: 2 + (host in (min(hosts), staying[0])) for host in range(20)})


def test_a_server_that_was_removed_may_be_switched_off(servers: list[RedisServer], tmp_path: Path) -> None:
    with closing(open_shards(clients(servers[:2]), CRAWL)) as frontier:
        frontier.push([link(host, 0) for host in range(9)])
    with RedisServer(tmp_path) as guest:
        change_shards(clients(servers[:2]), CRAWL, add=place(guest))
        change_shards(clients(servers[:2]), CRAWL, remove=place(guest))
    with closing(open_shards([*clients(servers[:2]), guest.client()], CRAWL, patience=0.0)) as frontier:
        assert len(frontier.waiting(20)) == 9


def replicated(source: redis.Redis, copy: redis.Redis) -> bool:
    of, known = copy.info("replication"), source.info("replication")
    return of["master_link_status"] == "up" and of["slave_repl_offset"] == known["master_repl_offset"]


def test_the_first_server_gives_its_place_to_one_that_was_removed(servers: list[RedisServer]) -> None:
    first, second, _ = clients(servers)
    pages = [link(host, page) for host in range(20) for page in range(2)]
    fetched = []

    def fetch(begun: list[redis.Redis], most: int) -> list[str]:
        with closing(open_shards(begun, CRAWL, 0.0, 9, 0)) as frontier:
            frontier.push(pages)
            while len(fetched) < most and (page := frontier.pop(0.0)) is not None:
                fetched.append(page.url)
                frontier.done(page.key, Outcome(page.url, True, 0.5))
            return [found.url for _, found in frontier.outcomes()]

    fetch([first, second], 10)
    change_shards([first, second], CRAWL, add=place(servers[2]))
    change_shards([first], CRAWL, remove=place(servers[1]))
    with pytest.raises(FrontierServerError, match=r"the first of its servers, .* Remedy: .* REPLICAOF HOST PORT"):
        change_shards([first], CRAWL, remove=place(servers[0]))
    before = fetch([first], 20)
    second.flushall()
    try:
        second.replicaof("127.0.0.1", servers[0].port)
        wait_for(lambda: replicated(first, second))
    finally:
        second.replicaof("NO", "ONE")
    first.flushall()
    assert fetch([second], 40)[:20] == before
    assert sorted(fetched) == sorted(page.url for page in pages)
    assert show_map([second], CRAWL).places[0] == place(servers[1])
    with pytest.raises(FrontierServerError, match="REPLICAOF"):
        change_shards([second], CRAWL, remove=place(servers[1]))
    assert change_shards([second], CRAWL, remove=place(servers[2])).ids == (0,)
    assert len(fetch([second], 40)) == 40


def test_a_page_of_a_server_that_was_removed_is_lost_to_its_worker(servers: list[RedisServer], tmp_path: Path) -> None:
    moving = next(host for host in range(99) if shard_of(f"{host}.cn", range(2)) == 1)
    with RedisServer(tmp_path) as guest:
        frontier = open_shards(clients([servers[0], guest]), CRAWL, 0.0, 9, 0, lease=LEASE)
        frontier.push([link(moving, 0)])
        page = frontier.pop(0.0)
        assert page is not None
        change_shards(clients([servers[0], guest]), CRAWL, remove=place(guest))  # its lease runs out
        assert frontier.best(0.0) is not None
    with pytest.raises(LeaseLost, match="its server was removed"):
        frontier.done(page.key, Outcome(page.url, True, 0.5))
    frontier.close()


def test_a_change_is_finished_before_another_one(servers: list[RedisServer], monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_shards(clients(servers[:2]), CRAWL)) as frontier:
        frontier.push([link(host, page) for host in range(20) for page in range(5)])
        broken_off = 0
        while show_map(clients(servers[:2]), CRAWL).to is None:
            broken_off += 10
            with monkeypatch.context() as patch, pytest.raises(Killed):
                killed_at(broken_off, False, patch)
                change_shards(clients(servers[:2]), CRAWL, add=place(servers[2]))
        with pytest.raises(FrontierServerError, match=f"finish it first: frontier shards --add {place(servers[2])}"):
            change_shards(clients(servers[:2]), CRAWL, remove=place(servers[1]))
        moving = next(host for host in range(20, 99) if shard_of(f"{host}.cn", range(3)) == 2)
        frontier.push([link(moving, 0)])
        assert frontier.counts()[State.WAITING] > 100  # it is kept, and the crawl is not over
        assert f"{moving}.cn" not in [found.host for found in frontier.waiting(200)]
        assert change_shards(clients(servers[:2]), CRAWL, add=place(servers[2])).ids == (0, 1, 2)
        assert frontier.best(0.0) is not None  # it hears of the last map
        assert len(frontier.waiting(200)) == 101
        assert frontier.counts()[State.WAITING] == 101


def test_damaged_entries_do_not_stop_a_move(servers: list[RedisServer]) -> None:
    hosts = [f"{host}.cn" for host in range(30) if shard_of(f"{host}.cn", range(2)) == 1][:3]
    with closing(open_shards(clients(servers[:1]), CRAWL)) as frontier:
        frontier.push([entry(host, host=host) for host in hosts])
        client, entries = servers[0].client(), f"topical:{{{CRAWL}}}:entries"
        client.hset(entries, key(hosts[0]), b"\x01")
        record = client.hget(entries, key(hosts[1]))
        assert record is not None
        client.hset(entries, key(hosts[1]), b"\x09" + record[1:])
        change_shards(clients(servers[:1]), CRAWL, add=place(servers[1]))
    with closing(open_shards(clients(servers[:1]), CRAWL, attach=True)) as frontier:
        assert [found.host for found in frontier.waiting(9)] == [hosts[2]]
        assert frontier.details()["damaged"] == 2
        assert frontier.counts()[State.WAITING] == 1  # else the crawl would wait for the others for ever
