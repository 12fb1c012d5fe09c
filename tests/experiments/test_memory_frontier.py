"""The memory frontier holds what waits, not what has left."""

from __future__ import annotations

import random

from frontier_tools import entry

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.frontier.base import NO_ROOM


def test_queues_do_not_grow_with_what_was_dropped_for_want_of_room() -> None:
    frontier, rng = MemoryFrontier(max_waiting=100), random.Random(2)
    for start in range(0, 5_000, 50):
        frontier.push([entry(str(n), rng.random(), host=f"{n % 3}.cn") for n in range(start, start + 50)])
    assert frontier.status().dropped == {NO_ROOM: 4_900}
    assert sum(map(len, frontier._queues.values())) + len(frontier._worst) < 600


def test_queues_do_not_grow_with_what_is_discarded_and_revived() -> None:
    frontier = MemoryFrontier(max_waiting=10)
    links = [entry(str(n), n / 10) for n in range(8)]
    frontier.push(links)
    for _ in range(100):
        assert frontier.discard("不要", below=0.5) == 5
        assert frontier.revive({link.key: link.url for link in links}) == 5
    assert len(frontier._queues["a.cn"]) + len(frontier._worst) < 100
