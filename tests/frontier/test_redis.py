"""What the Redis frontier promises beyond the contract: leases, many workers, a server that fails, bytes that are damaged."""

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgpack
import pytest
import redis
from frontier_tools import entry, key, outcome
from redis_tools import RedisServer, cluster_node
from wait_tools import HANGS, wait_for

from topical_crawler.frontier.base import Entry, FrontierServerError, LeaseLost, Outcome, State
from topical_crawler.frontier.redis import DAMAGED, RedisFrontier, crawls
from topical_crawler.frontier.redis_server import MAX_OUTCOME, RECORD, VERSION, RecordError, pack_links, read_entry

Worker = Callable[..., RedisFrontier]


def pop(frontier: RedisFrontier, now: float = 0.0) -> Entry:
    popped = frontier.pop(now)
    assert popped is not None
    return popped


class TestLeases:
    def test_what_a_dead_worker_had_comes_back_after_its_lease_in_its_old_place(self, worker: Worker) -> None:
        dead, alive = worker("w1", lease=10.0), worker("w2", lease=10.0)
        dead.push([entry("甲", 0.9), entry("乙", 0.5)])
        assert pop(dead, 100.0).url.endswith("甲")
        assert alive.status().counts[State.IN_FLIGHT] == 1
        assert pop(alive, 109.0).url.endswith("乙")
        assert alive.pop(109.5) is None
        assert pop(alive, 111.0) == entry("甲", 0.9)
        assert alive.status().details["lease_expiries"] == 1

    def test_a_lease_is_renewed(self, worker: Worker) -> None:
        slow, other = worker("w1", lease=10.0), worker("w2", lease=10.0)
        slow.push([entry("甲")])
        pop(slow, 0.0)
        for now in (6.0, 12.0, 18.0):
            assert other.pop(now) is None
            slow._now = repr(now)
            assert slow.renew() == frozenset()
        assert other.pop(27.0) is None
        assert other.pop(29.5) is not None

    def test_a_late_result_is_refused_and_changes_nothing(self, worker: Worker) -> None:
        late, other = worker("w1", lease=10.0), worker("w2", lease=10.0)
        late.push([entry("甲")])
        pop(late, 0.0)
        again = pop(other, 12.0)
        with pytest.raises(LeaseLost):
            late.done(again.key, outcome("甲"), [entry("丙")])
        assert late.status().details["leases_lost"] == 1
        assert other.status().counts == {State.WAITING: 0, State.IN_FLIGHT: 1, State.DONE: 0, State.DROPPED: 0}
        other.done(again.key, outcome("甲"), [entry("乙")])
        for call in (late.sent, lambda k, _: late.drop(k, "太深"), lambda k, _: late.requeue(k)):
            with pytest.raises(LookupError):
                call(again.key, 13.0)
        assert [o for _, o in late.journal.outcomes()] == [outcome("甲")]
        assert other.status().counts[State.WAITING] == 1

    def test_renew_names_the_leases_that_are_lost(self, worker: Worker) -> None:
        late, other = worker("w1", lease=10.0), worker("w2", lease=10.0)
        late.push([entry("甲"), entry("乙", host="b.cn")])
        pop(late, 0.0)
        pop(late, 8.0)
        pop(other, 12.0)
        assert late.renew() == {key("甲")}
        assert late.renew() == frozenset()

    def test_an_orderly_end_gives_everything_back_at_once(self, worker: Worker) -> None:
        first, second = worker("w1"), worker("w2")
        first.push([entry("甲"), entry("乙")])
        pop(first), pop(first)
        first.close()
        assert second.status().counts[State.WAITING] == 2
        assert {pop(second).url, pop(second).url} == {"http://a.cn/甲", "http://a.cn/乙"}

    def test_a_finish_that_is_sent_twice_counts_once(self, worker: Worker) -> None:
        """As after a connection that broke between the script and its answer."""
        frontier = worker()
        frontier.push([entry("甲")])
        token = frontier._tokens[pop(frontier).key]
        frontier.done(key("甲"), outcome("甲"), [entry("乙")])
        frontier._tokens[key("甲")] = token
        frontier.done(key("甲"), outcome("甲"), [entry("乙")])
        assert frontier.status().counts == {State.WAITING: 1, State.IN_FLIGHT: 0, State.DONE: 1, State.DROPPED: 0}
        assert len(list(frontier.journal.outcomes())) == 1


class TestManyWorkers:
    def test_a_crawl_delay_holds_for_all(self, worker: Worker) -> None:
        one, other = worker("w1"), worker("w2")
        one.push([entry("甲"), entry("乙")])
        one.set_delay("a.cn", 30.0)
        one.sent(pop(one, 0.0).key, 0.0)
        assert other.pop(29.0) is None and other.next(29.0).wait == 1.0
        assert other.pop(30.0) is not None

    def test_the_settings_of_the_first_hold_while_there_are_others(
        self, worker: Worker, caplog: pytest.LogCaptureFixture
    ) -> None:
        first, second = worker("w1", delay=5.0), worker("w2", delay=0.0)
        assert "delay of 5 s" in caplog.text
        second.push([entry("甲"), entry("乙")])
        second.sent(pop(second, 0.0).key, 0.0)
        assert second.next(1.0).wait == 4.0
        first.close(), second.close()
        third = worker("w3", delay=1.0)
        assert third.status().details["delay"] == 1.0

    def test_a_bound_on_pages_holds_over_all(self, worker: Worker) -> None:
        one, other = worker("w1", max_pages=3), worker("w2", max_pages=3)
        one.push([entry(str(n)) for n in range(9)])
        popped = [pop(one), pop(other), pop(one)]
        assert other.pop(0.0) is None
        other.done(popped[1].key, Outcome(popped[1].url, False, reason="redirected"))
        assert other.pop(0.0) is not None
        assert one.pop(0.0) is None

    def test_real_threads_never_get_the_same_entry(self, server: RedisServer) -> None:
        pages, got, lock = 300, list[str](), threading.Lock()
        RedisFrontier(server.client(), "x").push([entry(str(n), n / pages, host=f"{n % 7}.cn") for n in range(pages)])

        def work(name: str) -> None:
            frontier = RedisFrontier(server.client(), "x", worker=name)
            while len(got) < pages:
                if (popped := frontier.pop(0.0)) is not None:
                    with lock:
                        got.append(popped.url)
                    frontier.done(popped.key, Outcome(popped.url, True))

        threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(HANGS)
        assert len(got) == len(set(got)) == pages

    def test_one_of_many_does_what_is_due(self, worker: Worker) -> None:
        one, other = worker("w1").journal, worker("w2").journal
        assert one.first("x", 16) and not other.first("x", 16) and not other.first("x", 15)
        assert other.first("x", 32)
        assert [one.agree("a", {"n": 1}), other.agree("a", {"n": 2})] == [{"n": 1}] * 2
        assert [one.claim("robots:a", 60), other.claim("robots:a", 60)] == [True, False]
        one.remember("robots:a", "禁止", 60)
        assert other.recall("robots:a") == "禁止" and other.recall("robots:b") is None


class TestClock:
    """The crawl's own clock: a server's that jumps, or was away, neither ends leases nor holds hosts up."""

    def test_reading_and_looking_take_no_time_from_it(self, worker: Worker) -> None:
        frontier = worker(delay=0.3, clock="server")
        frontier.push([entry("甲", 0.9), entry("乙", 0.5)])
        frontier.sent(pop(frontier).key, 0.0)
        begun = time.monotonic()
        while time.monotonic() < begun + 0.6:
            list(frontier.journal.outcomes())
            frontier.status()
            time.sleep(0.02)
        assert frontier.pop(0.0) is not None

    @pytest.mark.parametrize("jump", [3600.0, -3600.0])
    def test_a_jump_of_the_servers_clock(self, server: RedisServer, jump: float) -> None:
        frontier = RedisFrontier(server.client(), "x", delay=0.2, lease=60.0)
        frontier.push([entry("甲"), entry("乙")])
        pop(frontier)
        raw = float(server.client().hget("topical:{x}:meta", "raw") or 0)  # type: ignore[arg-type]
        server.client().hset("topical:{x}:meta", "raw", repr(raw - jump))
        frontier.done(key("甲"), outcome("甲"))
        assert frontier.status().details["lease_expiries"] == 0
        seconds = frontier.next(0.0).wait
        assert seconds is None or seconds <= 0.2  # None: on a busy machine they have passed
        wait_for(lambda: frontier.pop(0.0))

    def test_no_jump_shortens_a_delay(self, server: RedisServer) -> None:
        workers = [RedisFrontier(server.client(), "x", delay=1.0, lease=60.0, worker=f"w{n}") for n in range(3)]
        workers[0].push([entry(str(n)) for n in range(4)])
        client, arrived = server.client(), -math.inf
        for n in range(4):
            while (popped := workers[n % 3].pop(0.0)) is None:
                for other in workers:
                    raw = float(client.hget("topical:{x}:meta", "raw") or 0)  # type: ignore[arg-type]
                    # As if the server's clock had been set forward, again and again.
                    client.hset("topical:{x}:meta", "raw", repr(raw - 5.0))
                    other.next(0.0)
                time.sleep(0.01)
            assert time.monotonic() - arrived >= 1.0
            arrived = time.monotonic()
            workers[n % 3].sent(popped.key, 0.0)
            workers[n % 3].done(popped.key, outcome("甲"))

    def test_a_worker_whose_clock_stood_still_holds_up_nothing(self, server: RedisServer) -> None:
        frontier = RedisFrontier(server.client(), "x", lease=60.0, delay=0.2)
        frontier.push([entry("甲"), entry("乙")])
        pop(frontier)
        frontier.done(key("甲"), outcome("甲"))
        server.client().hincrbyfloat("topical:{x}:meta", "time", 1000.0)  # by others, while this machine did not run
        assert pop(frontier).url.endswith("乙")

    def test_leases_run_out_by_the_servers_clock(self, server: RedisServer) -> None:
        for lease in (600.0, 1.0):
            dead = RedisFrontier(server.client(), f"{lease}", lease=lease)
            dead.push([entry("甲")])
            pop(dead)
            alive = RedisFrontier(server.client(), f"{lease}", lease=lease)
            if lease == 600:
                assert alive.pop(0.0) is None
            else:
                wait_for(lambda: alive.pop(0.0))  # noqa: B023 - called here


class TestDamage:
    def damage(self, server: RedisServer, name: str, change: Callable[[bytes], bytes]) -> None:
        client = server.client()
        record: bytes = client.hget("topical:{党建}:entries", key(name))  # type: ignore[arg-type,assignment]
        client.hset("topical:{党建}:entries", key(name), change(record))  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "change",
        [lambda r: b"", lambda r: b"\x80\x04.", lambda r: bytes([RECORD + 1]) + r[1:], lambda r: r[:30]],
        ids=["empty", "a pickle", "another version", "cut"],
    )
    def test_a_record_that_is_none_is_set_aside_whole_and_the_crawl_goes_on(
        self, server: RedisServer, worker: Worker, change: Callable[[bytes], bytes]
    ) -> None:
        frontier = worker()
        frontier.push([entry("甲", 0.9, "http://p/1"), entry("乙", 0.5)])
        self.damage(server, "甲", change)
        assert pop(frontier).url.endswith("乙")
        assert frontier.pop(0.0) is None
        assert frontier.status().details["damaged"] == 1
        assert server.client().hexists("topical:{党建}:damaged", key("甲"))  # type: ignore[arg-type]
        assert frontier.status().counts[State.WAITING] == 0
        frontier.push([entry("甲", 0.9)])  # found again, it is as new
        assert pop(frontier).url.endswith("甲")

    def test_evidence_that_is_damaged_costs_its_entry_only(
        self, server: RedisServer, worker: Worker, caplog: pytest.LogCaptureFixture
    ) -> None:
        frontier = worker()
        frontier.push([entry("甲", 0.9, "http://p/1"), entry("乙", 0.5)])
        self.damage(server, "甲", lambda r: r.replace(b'["http', b"{'http"))
        assert pop(frontier).url.endswith("乙")
        assert frontier.status().dropped == {DAMAGED: 1}
        assert "damaged" in caplog.text

    def test_a_damaged_outcome_is_counted_and_left_out(self, server: RedisServer, worker: Worker) -> None:
        frontier = worker()
        frontier.push([entry("甲"), entry("乙")])
        for name in "甲乙":
            pop(frontier)
            frontier.done(key(name), outcome(name))
        server.client().lset("topical:{党建}:outcomes", 0, msgpack.packb([RECORD + 1, "u"]))
        assert [n for n, _ in frontier.journal.outcomes()] == [2]

    def test_what_is_too_large_is_refused_before_anything_changes(self, worker: Worker) -> None:
        frontier = worker()
        with pytest.raises(RecordError, match="too large"):
            frontier.push([entry("甲"), Entry(key("乙"), "http://a.cn/" + "x" * 9_000, "a.cn", 0.5)])
        assert len(frontier) == 0
        frontier.push([entry("甲")])
        with pytest.raises(RecordError, match="bytes"):
            frontier.done(pop(frontier).key, Outcome("u", True, lesson="课" * MAX_OUTCOME))
        assert frontier.status().counts[State.IN_FLIGHT] == 1

    def test_evidence_beyond_the_size_of_a_record_is_left_out(self, worker: Worker) -> None:
        frontier = worker()
        frontier.push([entry("甲", 0.5, *[f"http://p/{n}/" + "长" * 3_000 for n in range(8)])])
        assert 0 < len(pop(frontier).evidence) < 8

    def test_nothing_is_unpickled(self) -> None:
        with pytest.raises(RecordError):
            read_entry(key("甲"), b"cos\nsystem\n(S'true'\ntR.")
        assert b"pickle" not in pack_links([entry("甲", 0.5, "http://p/1")])


def delete_crawl(client: redis.Redis, name: str) -> int:
    """Delete a crawl, as a person can at any time. Returns the number of keys."""
    prefix = f"topical:{{{name}}}:".encode()
    return int(client.unlink(*[key for key in client.scan_iter() if key.startswith(prefix)]))


class TestServer:
    def test_another_version_is_refused_in_words(self, server: RedisServer, worker: Worker) -> None:
        worker().close()
        server.client().hset("topical:{党建}:meta", "version", VERSION + 1)
        with pytest.raises(
            FrontierServerError, match=f"'党建'.* version {VERSION + 1}.* version {VERSION}.*Run the same program"
        ):
            worker("w2")
        with pytest.raises(FrontierServerError, match="Run the same program"):
            RedisFrontier(server.client(), "党建", attach=True)

    def test_a_worker_that_slept_while_a_newer_version_took_over_ends(self, server: RedisServer, worker: Worker) -> None:
        frontier = worker()
        frontier.push([entry("甲")])
        server.client().hset("topical:{党建}:meta", "version", VERSION + 1)
        with pytest.raises(FrontierServerError, match=f"is stored in version {VERSION + 1} .* writes version {VERSION}. Restart"):
            frontier.pop(0.0)
        server.client().hset("topical:{党建}:meta", "version", VERSION)
        pop(frontier)

    def test_a_crawl_that_was_purged_is_gone_for_its_workers(self, worker: Worker) -> None:
        frontier = worker()
        frontier.push([entry("甲")])
        assert delete_crawl(frontier._server.client, "党建") > 0
        for ask in (lambda: frontier.pop(0.0), frontier.status):
            with pytest.raises(FrontierServerError, match="no longer in Redis"):
                ask()
        frontier._closed = True

    def test_names_of_crawls(self, server: RedisServer, worker: Worker) -> None:
        worker()
        RedisFrontier(server.client(), "books [1]")
        assert crawls(server.client()) == ["books [1]", "党建"]
        with pytest.raises(FrontierServerError, match=r"no crawl 'x'.*books \[1\], 党建"):
            RedisFrontier(server.client(), "x", attach=True)
        delete_crawl(server.client(), "books [1]")
        assert crawls(server.client()) == ["党建"]

    def test_what_makes_no_sense(self, server: RedisServer, worker: Worker) -> None:
        with pytest.raises(ValueError, match="lease"):
            worker("w", lease=0)
        with pytest.raises(ValueError, match="decode_responses"):
            RedisFrontier(redis.Redis.from_url(server.url, decode_responses=True), "x")

    def test_no_server(self) -> None:
        client = redis.Redis.from_url("redis://:geheim@127.0.0.1:1/0")
        with pytest.raises(FrontierServerError, match=r"127\.0\.0\.1:1/0 does not answer.*Start it") as error:
            RedisFrontier(client, "x", patience=0.1)
        assert "geheim" not in str(error.value)

    def test_tls_at_a_port_without_it(self, server: RedisServer) -> None:
        client = redis.Redis.from_url(server.url.replace("redis://", "rediss://:geheim@"), socket_timeout=30)
        with pytest.raises(FrontierServerError, match=r"speaks no TLS at this port. Set REDIS_URL=redis://") as error:
            RedisFrontier(client, "x")
        assert "geheim" not in str(error.value)

    def test_a_password(self, tmp_path: Path) -> None:
        with RedisServer(tmp_path, requirepass="geheim") as server:
            wrong = redis.Redis(port=server.port, password="falsch")
            with pytest.raises(FrontierServerError, match="another user or password") as error:
                RedisFrontier(wrong, "x")
            assert "falsch" not in str(error.value) and "geheim" not in str(error.value)
            assert RedisFrontier(server.client(), "x").push([entry("甲")]).new == 1

    def test_a_cluster_without_slots_is_waited_for(self, tmp_path: Path) -> None:
        with cluster_node(tmp_path) as node, pytest.raises(FrontierServerError, match=r"no server for a part.*Check CLUSTER"):
            RedisFrontier(node.client(), "x", patience=0.1)

    def test_a_server_that_evicts_is_refused(self, tmp_path: Path) -> None:
        options = {"maxmemory": "50mb", "maxmemory-policy": "allkeys-lru"}
        with RedisServer(tmp_path, **options) as server, pytest.raises(FrontierServerError, match="noeviction"):
            RedisFrontier(server.client(), "x")

    def test_out_of_memory_says_so_and_changes_nothing(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        with RedisServer(tmp_path) as server:
            client = server.client()
            frontier = RedisFrontier(client, "x", patience=0.3, in_flight_per_host=9)
            frontier.push([entry(str(n), 0.5, "http://p/1") for n in range(50)])
            popped = pop(frontier)
            before = frontier.status().counts
            client.config_set("maxmemory", "100kb")
            found = [entry(str(n), 0.5, "http://p/2") for n in range(20, 90)]
            for call in (
                lambda: frontier.push(found),
                lambda: frontier.pop(0.0),
                lambda: frontier.done(popped.key, outcome("x"), found),
            ):
                with pytest.raises(FrontierServerError, match=r"no memory left.*Raise its maxmemory"):
                    call()
            assert frontier.status().counts == before
            assert "Retrying" in caplog.text
            client.config_set("maxmemory", "0")
            assert frontier.done(popped.key, outcome("x"), found).new == 40
            assert frontier.status().counts[State.WAITING] == 89

    def test_a_killed_server_loses_nothing(self, tmp_path: Path) -> None:
        server = RedisServer(tmp_path, appendonly="yes", appendfsync="always").start()
        try:
            frontier = RedisFrontier(server.client(), "x", delay=0.01, in_flight_per_host=9, patience=20.0, lease=60.0)
            frontier.push([entry(str(n), host=f"{n}.cn") for n in range(30)])
            popped = [pop(frontier) for _ in range(3)]
            frontier.done(popped[0].key, outcome("x"), [entry("neu")])
            before = frontier.status().counts, list(frontier.journal.outcomes()), frontier.waiting(99)
            server.kill()
            threading.Timer(0.5, server.start).start()
            frontier.done(popped[1].key, outcome("y"))  # waits for the server
            assert frontier.status().counts == {**before[0], State.IN_FLIGHT: 1, State.DONE: 2}
            assert list(frontier.journal.outcomes())[:1] == before[1]
            assert frontier.waiting(99) == before[2]
            assert frontier.status().details["lease_expiries"] == 0
        finally:
            server.stop()
