"""A crawl in several parts, on one server and in a Redis Cluster."""

import contextlib
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import pytest
from frontier_tools import entry, outcome
from redis_tools import RedisServer, master_of, move_slot, redis_cluster
from wait_tools import HANGS, wait_for

from topical_crawler.frontier.base import Entry, FrontierServerError, LeaseLost, State
from topical_crawler.frontier.redis import RedisFrontier, crawls
from topical_crawler.frontier.redis_part import Part, number_of

Worker = Callable[..., RedisFrontier]
PARTS = 8


@pytest.fixture
def worker(worker: Worker) -> Worker:
    """Makes workers of the crawl 党建 with eight parts: ``worker("w1", lease=10.0)``."""
    return partial(worker, parts=PARTS)


def host_of(part: int) -> str:
    """A host of the part."""
    return next(host for host in (f"h{n}.cn" for n in range(10_000)) if number_of(host, PARTS) == part)


def pop(frontier: RedisFrontier, now: float = 0.0) -> Entry:
    popped = frontier.pop(now)
    assert popped is not None
    return popped


def test_the_number_of_parts_stays(server: RedisServer, worker: Worker) -> None:
    worker().push([entry("甲")])
    assert len(worker("w2", parts=None)) == 1 and worker("w3", parts=None).status().details["parts"] == PARTS
    for parts in (1, 64):
        with pytest.raises(FrontierServerError, match=f"begun with 8 parts, not {parts}.*Leave out TOPICAL_FRONTIER_PARTS"):
            worker("w4", parts=parts)
    assert len(RedisFrontier(server.client(), "党建", attach=True)) == 1
    assert crawls(server.client()) == ["党建"]


def test_a_host_is_in_one_part_and_each_part_under_a_tag_of_its_own(server: RedisServer, worker: Worker) -> None:
    worker().push([entry(f"{n}", 0.5, host=host_of(n % PARTS)) for n in range(3 * PARTS)])
    keys = {name.decode() for name in server.client().scan_iter("*queue:*")}
    assert keys == {f"topical:{{党建#{n}}}:queue:{host_of(n)}" for n in range(PARTS)}
    assert {number_of(host, 64) for host in ("a.cn", "A.cn:8080", "a.cn.", "a.cn:443")} == {number_of("a.cn", 64)}
    assert number_of("[::1]:80", 64) == number_of("[::1]", 64)


def test_a_worker_that_has_nothing_hears_of_what_others_found(worker: Worker) -> None:
    first, second = worker("w1"), worker("w2")
    first.push([entry("甲", 0.3, host=host_of(1))])
    assert pop(second).priority == 0.3
    second.push([entry("乙", 0.9, host=host_of(2)), entry("丙", 0.8, host=host_of(3))])
    assert pop(first).priority == 0.9


def test_of_equals_the_fullest_part_comes_first(worker: Worker) -> None:
    frontier = worker()
    frontier.push([entry(f"{part}-{n}", 0.5, host=host_of(part)) for part, size in ((1, 2), (2, 4), (3, 1)) for n in range(size)])
    assert [number_of(pop(frontier).host, PARTS) for _ in range(7)] == [2, 2, 1, 2, 1, 2, 3]


def test_best_first_by_one_round_trip_a_pop(server: RedisServer, worker: Worker) -> None:
    frontier, chance = worker(clock="server"), random.Random(5)
    frontier.push([entry(f"{n}", chance.random(), host=f"h{n % 60}.cn") for n in range(400)])
    before = server.client().info("commandstats")["cmdstat_evalsha"]["calls"]
    popped = [pop(frontier).priority for _ in range(300)]
    assert popped == sorted(popped, reverse=True)
    assert server.client().info("commandstats")["cmdstat_evalsha"]["calls"] - before <= 300 + 2 * PARTS


def test_links_are_there_before_their_page_is_done(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that dies in between has the page fetched again, and nothing else."""
    dead, alive = worker("w1", lease=10.0), worker("w2", lease=10.0)
    dead.push([entry("甲", 0.9, host=host_of(0))])
    links = [entry("乙", 0.5, "甲", host=host_of(1)), entry("丙", 0.4, "甲", host=host_of(0))]
    page, run = pop(dead), Part.run

    def dying(part: Part, script: str, *arguments: str) -> object:
        if script == "finish":
            raise KeyboardInterrupt
        return run(part, script, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Part, "run", dying)
        with pytest.raises(KeyboardInterrupt):
            dead.done(page.key, outcome("甲"), links)
    assert [e.priority for e in alive.waiting(9)] == [0.5]
    assert pop(alive, 20.0).key == page.key
    assert alive.done(page.key, outcome("甲"), links).new == 1
    assert len(list(alive.journal.outcomes())) == 1


def test_looking_does_not_keep_a_dead_workers_pages(worker: Worker) -> None:
    dead, alive = worker("w1", lease=1.0, clock="server"), worker("w2", lease=1.0, clock="server")
    dead.push([entry("甲", host=host_of(5))])
    pop(dead)

    def is_given_out_again() -> bool:
        alive.status()
        return alive.pop(0.0) is not None

    wait_for(is_given_out_again)
    dead._tokens.clear()


def test_all_read_one_log(worker: Worker) -> None:
    workers = [worker(f"w{n}") for n in range(3)]
    workers[0].push([entry(f"{n}", 1 - n / 100, host=f"h{n}.cn") for n in range(40)])
    for n in range(40):
        workers[n % 3].done(pop(workers[n % 3]).key, outcome(f"{n}"))
        if n % 7 == 0:
            list(workers[n % 2].journal.outcomes())
    wait_for(lambda: len(list(workers[2].journal.outcomes())) == 40)
    logs = [list(each.journal.outcomes()) for each in workers]
    assert logs[0] == logs[1] == logs[2] and [number for number, _ in logs[0]] == list(range(1, 41))
    assert len({found.url for _, found in logs[0]}) == 40
    assert list(worker("w4").journal.outcomes(30)) == logs[0][30:]


def test_a_bound_on_pages_holds_over_all_parts(worker: Worker) -> None:
    workers = [worker(f"w{n}", max_pages=7) for n in range(2)]
    workers[0].push([entry(f"{n}", 0.5, host=f"h{n}.cn") for n in range(40)])
    assert len([page for n in range(20) if (page := workers[n % 2].pop(0.0, 3)) is not None]) == 7


def test_delays_hold_by_host_across_workers_and_parts_and_not_by_server_address(worker: Worker) -> None:
    """Two names of one server are two hosts, in two parts. Two ports of a name are two hosts of one part."""
    workers = [worker(f"w{n}", delay=5.0, in_flight_per_host=1) for n in range(2)]
    names = ("127.0.0.1", "localhost", "localhost:8080")
    assert number_of(names[0], PARTS) != number_of(names[1], PARTS) == number_of(names[2], PARTS)
    workers[0].push([entry(f"{name}-{n}", 0.5, host=name) for name in names for n in range(2)])
    first = [(each, page) for each in (*workers, *workers) if (page := each.pop(10.0)) is not None]
    assert sorted(page.host for _, page in first) == sorted(names)
    for each, page in first:
        each.sent(page.key, 10.0)
        each.done(page.key, outcome(page.url))
    assert [each.pop(14.9) for each in workers] == [None, None]
    assert sorted(pop(workers[n % 2], 15.0).host for n in range(3)) == sorted(names)


# -- In a cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RedisServer]]:
    with redis_cluster(tmp_path_factory.mktemp("cluster"), appendonly="yes") as nodes:
        yield nodes


class Crawl:
    """Workers of one crawl, threads of this process, that fetch a made web of so many hosts with three pages each."""

    DELAY = 0.05

    def __init__(self, nodes: list[RedisServer], name: str, hosts: int, workers: int) -> None:
        self.nodes, self.name, self.hosts = nodes, name, hosts
        self.fetches: list[tuple[str, float, float]] = []  # page, and when its fetch began and ended
        self.failures: list[BaseException] = []
        self.threads = [threading.Thread(target=self._run, args=(f"w{n}",)) for n in range(workers)]

    def frontier(self, worker: str) -> RedisFrontier:
        given = {"delay": self.DELAY, "lease": 20.0, "parts": 16, "patience": HANGS, "worker": worker}
        return RedisFrontier(self.nodes[-1].client(), self.name, **given)  # type: ignore[arg-type]

    def links(self, host: int, page: int) -> list[Entry]:
        others = {(host, n) for n in range(3)} | {(2 * host + 1, 0), (2 * host + 2, 0), ((7 * host + page) % self.hosts, 1)}
        return [self.link(*other) for other in sorted(others) if other[0] < self.hosts]

    def link(self, host: int, page: int) -> Entry:
        return entry(f"{host}-{page}", random.Random(f"{host}-{page}").random(), "http://p.cn/", host=f"h{host}.cn")

    def _run(self, worker: str) -> None:
        try:
            frontier = self.frontier(worker)
            while True:
                if (page := frontier.pop(0.0, 4)) is None:
                    counts = frontier.status().counts
                    if not counts[State.WAITING] + counts[State.IN_FLIGHT]:
                        break
                    time.sleep(0.02)
                    continue
                name, began = page.url.rpartition("/")[2], time.monotonic()
                with contextlib.suppress(LeaseLost):
                    self.fetches.append((name, began, time.monotonic()))
                    frontier.sent(page.key, 0.0)
                    frontier.done(page.key, outcome(name), self.links(*map(int, name.split("-"))))
            frontier.close()
        except BaseException as error:
            self.failures.append(error)
            raise

    def check(self, again: int) -> None:
        """All pages were fetched, at most ``again`` of them twice, and none of a host too early."""
        assert not self.failures
        fetched = Counter(name for name, _, _ in self.fetches)
        assert set(fetched) == {f"{host}-{page}" for host in range(self.hosts) for page in range(3)}
        frontier = self.frontier("late")
        finished = Counter(found.url.rpartition("/")[2] for _, found in frontier.journal.outcomes())
        frontier.close()
        assert set(finished) == set(fetched)
        assert fetched.total() - len(fetched) <= again and finished.total() - len(finished) <= again
        times: dict[str, list[tuple[float, float]]] = {}
        for name, began, ended in sorted(self.fetches, key=lambda fetch: fetch[1]):
            times.setdefault(name.partition("-")[0], []).append((began, ended))
        assert min(later[0] - earlier[1] for of_host in times.values() for earlier, later in pairwise(of_host)) >= self.DELAY


@pytest.mark.slow  # a cluster takes three seconds to start, a failover four
def test_a_crawl_goes_on_while_a_slot_moves_and_a_master_dies(cluster: list[RedisServer]) -> None:
    crawl = Crawl(cluster, "umzug", hosts=100, workers=3)
    seeding = crawl.frontier("seed")
    seeding.push([crawl.link(0, 0)])
    seeding.close()
    slot = seeding._server.client.keyslot("topical:{umzug#3}:meta")
    source = master_of(cluster, slot)
    target = next(node for node in cluster if node is not source and node.client().info("replication")["role"] == "master")
    for thread in crawl.threads:
        thread.start()
    wait_for(lambda: len(crawl.fetches) > 60)
    move_slot(cluster, slot, target, keys=1)
    assert master_of(cluster, slot) is target
    wait_for(lambda: len(crawl.fetches) > 150)
    target.kill()
    for thread in crawl.threads:
        thread.join(HANGS)
    target.start()
    crawl.check(again=3 * 4)


def follower(nodes: list[RedisServer], master: RedisServer) -> RedisServer:
    """The replica of a master."""
    return next(node for node in nodes if node.client().info("replication").get("master_port") == master.port)


@pytest.mark.slow  # a failover
def test_links_that_the_replica_lacks_are_pushed_again(cluster: list[RedisServer]) -> None:
    """The worker that pushed them finds their part at another server."""
    crawl = Crawl(cluster, "nachschub", hosts=1, workers=0)
    frontier = crawl.frontier("w1")
    tags = [f"topical:{{nachschub#{number}}}:" for number in range(16)]
    masters = [master_of(cluster, frontier._server.client.keyslot(tag)) for tag in tags]
    victim = masters[0]
    hosts = {number_of(f"h{n}.cn", 16): f"h{n}.cn" for n in range(200)}
    frontier.push([entry("甲", host=hosts[next(n for n, master in enumerate(masters) if master is not victim)])])
    page, lacking = pop(frontier), [n for n, master in enumerate(masters) if master is victim]
    links = [entry(f"乙{n}", host=hosts[n]) for n in lacking]
    replica = follower(cluster, victim)
    with replica.client() as behind, victim.client() as client:
        wait_for(lambda: behind.info("replication")["master_link_status"] == "up")
        behind.config_set("masterauth", "wrong")  # it finds no way back to its master
        client.execute_command("CLIENT", "KILL", "TYPE", "replica")
        wait_for(lambda: behind.info("replication")["master_link_status"] == "down")
        assert frontier.done(page.key, outcome("甲"), links).new == len(links)
        victim.kill()
        wait_for(lambda: behind.info("replication")["role"] == "master")
        assert not any(behind.hlen(f"{tags[n]}entries") for n in lacking)
        found: set[bytes] = set()

        def all_are_found() -> bool:
            while (link := frontier.pop(0.0)) is not None:
                found.add(link.key)
            return found == {link.key for link in links}

        wait_for(all_are_found)
        behind.config_set("masterauth", replica.config.get("masterauth", ""))
    frontier.close()
    victim.start()
