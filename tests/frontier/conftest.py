"""Every backend, open and fresh, for the contract suite."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from topical_crawler.frontier import Frontier, MemoryFrontier, SqliteFrontier

sys.path.append(str(Path(__file__).parent))  # frontier_tools, which pytest's importlib mode does not find by itself

Make = Callable[..., Frontier]


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes a frontier: ``make(delay=2.0, in_flight_per_host=1)``; closed at the end of the test."""
    made: list[Frontier] = []

    def build(**options: float) -> Frontier:
        frontier: Frontier
        if request.param == "memory":
            frontier = MemoryFrontier(**options)  # type: ignore[arg-type]
        else:
            frontier = SqliteFrontier(tmp_path / f"{len(made)}.sqlite", **options)  # type: ignore[arg-type]
        made.append(frontier)
        return frontier

    yield build
    for frontier in made:
        frontier.close()


@pytest.fixture
def frontier(make: Make) -> Frontier:
    """A frontier without delay that gives out any number of entries of one host."""
    return make(in_flight_per_host=1_000)
