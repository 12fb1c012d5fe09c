"""Each backend against a model that is too simple to be wrong: long random histories (hypothesis)."""

from __future__ import annotations

import itertools
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from frontier_tools import entry, key, outcome
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.frontier.base import MAX_EVIDENCE, NO_ROOM, Entry, Frontier, State
from topical_crawler.frontier.sqlite import SqliteFrontier

if TYPE_CHECKING:
    from redis_tools import RedisServer

NAMES = st.sampled_from([f"{n}" for n in range(12)])
PRIORITIES = st.sampled_from([0.1, 0.2, 0.3, 0.5])
PARENTS = st.lists(st.sampled_from([f"p{n}" for n in range(10)]), max_size=3)
LINKS = st.lists(st.tuples(NAMES, PRIORITIES, PARENTS, st.sampled_from([None, None, "太低", "站外"])), max_size=6)


@dataclass
class Known:
    number: int
    state: State
    priority: float
    host: str
    parents: list[str]
    reason: str | None
    rescored: int = 0


@dataclass
class Model:
    """The contract, with a scan for every question."""

    delay: float
    limit: int
    max_waiting: int
    known: dict[bytes, Known] = field(default_factory=dict)
    flights: dict[bytes, float] = field(default_factory=dict)
    arrived: set[bytes] = field(default_factory=set)
    last: dict[str, float] = field(default_factory=dict)
    done: int = 0

    def push(self, links: list[Entry]) -> tuple[int, int, int, dict[str, int]]:
        new = raised = same = 0
        dropped: dict[str, int] = {}
        for link in links:
            parents = [e.parent for e in link.evidence]
            old = self.known.get(link.key)
            if old is None:
                state = State.WAITING if link.dropped is None else State.DROPPED
                unique = list(dict.fromkeys(parents))[:MAX_EVIDENCE]
                self.known[link.key] = Known(len(self.known), state, link.priority, link.host, unique, link.dropped)
                if link.dropped is None:
                    new += 1
                else:
                    dropped[link.dropped] = dropped.get(link.dropped, 0) + 1
                continue
            before = list(old.parents)
            if old.state in (State.WAITING, State.DROPPED):
                old.parents = list(dict.fromkeys(old.parents + parents))[:MAX_EVIDENCE]
            changed = old.parents != before
            if old.state == State.WAITING:
                old.priority = max(old.priority, link.priority)
            elif old.state == State.DROPPED and link.dropped is None:
                old.state, old.priority, old.reason, old.rescored, changed = State.WAITING, link.priority, None, 0, True
            raised += changed
            same += not changed
        while self.max_waiting and len(waiting := self.waiting()) > self.max_waiting:
            worst = self.known[waiting[-1]]
            worst.state, worst.reason, worst.parents = State.DROPPED, NO_ROOM, []
        return new, raised, same, dropped

    def waiting(self) -> list[bytes]:
        """What waits, best first."""
        waiting = {k: e for k, e in self.known.items() if e.state == State.WAITING}
        return sorted(waiting, key=lambda k: (-waiting[k].priority, waiting[k].number))

    def due(self, host: str) -> float:
        flights = [t for k, t in self.flights.items() if self.known[k].host == host]
        return max([self.last.get(host, -1e9), *flights]) + self.delay

    def room(self, host: str) -> bool:
        flights = {k for k in self.flights if self.known[k].host == host}
        return len(flights) < self.limit and (not self.delay or flights <= self.arrived)

    def best(self, now: float) -> bytes | None:
        ready = [
            (-e.priority, e.number, k)
            for k, e in self.known.items()
            if e.state == State.WAITING and self.room(e.host) and self.due(e.host) <= now
        ]
        return min(ready)[2] if ready else None

    def wait(self, now: float) -> float | None:
        if self.best(now) is not None:
            return 0.0
        dues = [self.due(e.host) - now for e in self.known.values() if e.state == State.WAITING and self.room(e.host)]
        return min(dues) if dues else None

    def finish(self, k: bytes) -> None:
        host = self.known[k].host
        self.last[host] = max(self.last.get(host, -1e9), self.flights.pop(k))


class Comparison(RuleBasedStateMachine):
    """Does the same to the backend and to the model."""

    frontier: Frontier

    def open(self, **options: Any) -> Frontier:
        return MemoryFrontier(**options)

    @initialize(delay=st.sampled_from([0.0, 2.0]), limit=st.integers(1, 3), max_waiting=st.sampled_from([0, 0, 2, 5]))
    def begin(self, delay: float, limit: int, max_waiting: int) -> None:
        self.now = 0.0
        self.model = Model(delay, limit, max_waiting)
        self.frontier = self.open(delay=delay, in_flight_per_host=limit, max_waiting=max_waiting)

    @staticmethod
    def entries(links: list[tuple[str, float, list[str], str | None]]) -> list[Entry]:
        return [entry(n, p, *parents, host=f"{int(n) % 3}.cn", dropped=d) for n, p, parents, d in links]

    def a_flight(self, choice: int) -> bytes:
        return sorted(self.model.flights)[choice % len(self.model.flights)]

    @rule(links=LINKS)
    def push(self, links: Any) -> None:
        result = self.frontier.push(self.entries(links))
        assert (result.new, result.raised, result.known, result.dropped) == self.model.push(self.entries(links))

    @rule()
    def pop(self) -> None:
        expected = self.model.best(self.now)
        popped = self.frontier.pop(self.now)
        assert (popped.key if popped else None) == expected
        if popped is not None and expected is not None:
            known = self.model.known[expected]
            assert (popped.priority, popped.rescored) == (known.priority, known.rescored)
            assert [e.parent for e in popped.evidence] == known.parents
            known.state = State.IN_FLIGHT
            self.model.flights[expected] = self.now
            self.model.arrived.discard(expected)

    @precondition(lambda self: self.model.flights)
    @rule(choice=st.integers(0, 9))
    def sent(self, choice: int) -> None:
        k = self.a_flight(choice)
        self.frontier.sent(k, self.now)
        self.model.flights[k] = self.now
        self.model.arrived.add(k)

    @rule(seconds=st.sampled_from([0.5, 1.0, 3.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: self.model.flights)
    @rule(choice=st.integers(0, 9), links=LINKS)
    def done(self, choice: int, links: Any) -> None:
        k = self.a_flight(choice)
        self.model.finish(k)
        self.model.known[k].state = State.DONE
        self.model.done += 1
        result = self.frontier.done(k, outcome("甲"), self.entries(links))
        assert (result.new, result.raised, result.known, result.dropped) == self.model.push(self.entries(links))

    @precondition(lambda self: self.model.flights)
    @rule(choice=st.integers(0, 9), priority=PRIORITIES)
    def put_back(self, choice: int, priority: float) -> None:
        k = self.a_flight(choice)
        known = self.model.known[k]
        self.frontier.put_back(Entry(k, "u", known.host, known.priority), priority)
        del self.model.flights[k]
        known.state, known.priority = State.WAITING, priority
        known.rescored += 1

    @precondition(lambda self: self.model.flights)
    @rule(choice=st.integers(0, 9))
    def requeue(self, choice: int) -> None:
        k = self.a_flight(choice)
        self.frontier.requeue(k)
        self.model.finish(k)
        self.model.known[k].state = State.WAITING

    @precondition(lambda self: self.model.flights)
    @rule(choice=st.integers(0, 9))
    def drop(self, choice: int) -> None:
        k = self.a_flight(choice)
        self.frontier.drop(k, "太深")
        del self.model.flights[k]
        self.model.known[k].state, self.model.known[k].reason = State.DROPPED, "太深"

    @rule(priorities=st.dictionaries(NAMES, PRIORITIES, max_size=5), limit=st.integers(0, 5))
    def reprice(self, priorities: dict[str, float], limit: int) -> None:
        waiting = self.model.waiting()
        assert [e.key for e in self.frontier.waiting(limit)] == waiting[:limit]
        self.frontier.reprice({key(n): p for n, p in priorities.items()})
        for n, p in priorities.items():
            if key(n) in waiting:
                self.model.known[key(n)].priority, self.model.known[key(n)].rescored = p, 0

    @rule(host=st.sampled_from([None, "0.cn", "1.cn", "2.cn"]), below=st.sampled_from([None, 0.1, 0.3, 9.0]))
    def discard(self, host: str | None, below: float | None) -> None:
        gone = [
            e
            for e in self.model.known.values()
            if e.state == State.WAITING and host in (None, e.host) and (below is None or e.priority < below)
        ]
        assert self.frontier.discard("不要", host=host, below=below) == len(gone)
        for e in gone:
            e.state, e.reason = State.DROPPED, "不要"

    @rule(names=st.lists(NAMES, max_size=5, unique=True))
    def revive(self, names: list[str]) -> None:
        finished = {k: e for n in names if (e := self.model.known.get(k := key(n))) and e.state in (State.DONE, State.DROPPED)}
        assert self.frontier.revive({e.key: e.url for e in self.entries([(n, 0.0, [], None) for n in names])}) == len(finished)
        found = {e.key: [evidence.parent for evidence in e.evidence] for e in self.frontier.waiting(len(self.model.known))}
        for k, e in finished.items():
            assert found[k] == e.parents or (found[k] == [] and e.state == State.DONE)  # which a backend may have forgotten
            e.state, e.reason, e.rescored, e.parents = State.WAITING, None, 0, found[k]

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "model"):
            return
        model = self.model
        states = [e.state for e in model.known.values()]
        assert self.frontier.status().counts == {state: states.count(state) for state in State}
        assert len(self.frontier) == states.count(State.WAITING)
        assert self.frontier.status().hosts == len({e.host for e in model.known.values() if e.state == State.WAITING})
        reasons = [e.reason for e in model.known.values() if e.state == State.DROPPED]
        assert self.frontier.status().dropped == {r: reasons.count(r) for r in reasons if r is not None}
        best = model.best(self.now)
        assert self.frontier.next(self.now).best == (None if best is None else model.known[best].priority)
        assert self.frontier.next(self.now).wait == model.wait(self.now)
        assert sum(1 for _ in self.frontier.journal.outcomes()) == model.done

    def teardown(self) -> None:
        if hasattr(self, "frontier"):
            self.frontier.close()


class SqliteComparison(Comparison):
    """The same with a file, which is closed and opened again now and then."""

    def open(self, **options: Any) -> Frontier:
        self.options = options
        if not hasattr(self, "directory"):
            self.directory = tempfile.TemporaryDirectory()
        return SqliteFrontier(Path(self.directory.name, "frontier.sqlite"), **options)

    @rule()
    def reopen(self) -> None:
        self.frontier.close()
        self.frontier = self.open(**self.options)
        assert self.frontier.status().recovered == len(self.model.flights)
        for k in self.model.flights:
            self.model.known[k].state = State.WAITING
        self.model.flights.clear()
        self.model.last.clear()

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "directory"):
            self.directory.cleanup()


class RedisComparison(Comparison):
    """The same in a server that all histories share, each under a name of its own."""

    server: RedisServer
    numbers = itertools.count()

    def open(self, **options: Any) -> Frontier:
        from topical_crawler.frontier.redis import RedisFrontier

        self.client = self.server.client()
        return RedisFrontier(self.client, f"model{next(self.numbers)}", lease=1e12, clock="caller", **options)

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "client"):
            self.client.close()


HISTORY: Any = {"stateful_step_count": 40, "deadline": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}

TestMemory = Comparison.TestCase
TestMemory.settings = settings(**HISTORY)
TestSqlite = SqliteComparison.TestCase
TestSqlite.settings = settings(**HISTORY)
TestRedis = pytest.mark.usefixtures("server_of_the_model")(RedisComparison.TestCase)
TestRedis.settings = settings(**HISTORY, max_examples=settings().max_examples // 2)  # every step asks a server


@pytest.fixture
def server_of_the_model(redis_server: RedisServer) -> None:
    RedisComparison.server = redis_server
