"""Every backend, open and fresh, for the contract suite."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.frontier.base import Frontier
from topical_crawler.frontier.sqlite import SqliteFrontier

if TYPE_CHECKING:
    from redis_tools import RedisServer

    from topical_crawler.frontier.redis import RedisFrontier

Make = Callable[..., Frontier]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One server for all tests that ask for it; what is in it, a test removes before it begins."""
    from redis_tools import RedisServer

    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def server(redis_server: RedisServer) -> RedisServer:
    redis_server.client().flushall()
    return redis_server


@pytest.fixture
def worker(server: RedisServer) -> Iterator[Callable[..., RedisFrontier]]:
    """Makes workers of the crawl 党建: ``worker("w1", lease=10.0)``, on the caller's clock."""
    from topical_crawler.frontier.redis import RedisFrontier

    made: list[RedisFrontier] = []

    def build(name: str = "w1", **options: Any) -> RedisFrontier:
        given = {"clock": "caller", "in_flight_per_host": 100, **options}
        made.append(RedisFrontier(server.client(), "党建", worker=name, **given))
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()


@pytest.fixture(params=["memory", "sqlite", "redis", "8 parts"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes a frontier: ``make(delay=2.0, in_flight_per_host=1)``; closed at the end of the test."""
    backend, made = _backend(request, tmp_path), []

    def build(**options: Any) -> Frontier:
        made.append(backend(**options))
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()


def _backend(request: pytest.FixtureRequest, directory: Path) -> Make:
    numbers = itertools.count()
    if request.param == "memory":
        return MemoryFrontier
    if request.param == "sqlite":
        return lambda **options: SqliteFrontier(directory / f"{next(numbers)}.sqlite", **options)
    from topical_crawler.frontier.redis import RedisFrontier

    parts = 8 if request.param == "8 parts" else 1
    client = request.getfixturevalue("redis_server").client()
    request.addfinalizer(client.close)
    client.flushall()
    common = {"lease": 1e12, "clock": "caller", "parts": parts}
    return lambda **options: RedisFrontier(client, f"t{next(numbers)}", **common, **options)


@pytest.fixture
def frontier(make: Make) -> Frontier:
    """A frontier without delay that gives out any number of entries of one host."""
    return make(in_flight_per_host=1_000)
