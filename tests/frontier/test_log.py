"""The log of finished pages in a real Redis: it stays short, and whoever reads it late reads the same."""

from collections.abc import Callable, Iterator

import pytest
from frontier_tools import entry, outcome
from redis_tools import RedisServer

from topical_crawler.frontier import redis_journal
from topical_crawler.frontier.redis import RedisFrontier

PAGES, KEPT, EVERY = 120, 20, 10
Open = Callable[[], RedisFrontier]


@pytest.fixture
def opened(redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens the crawl of further workers, of which little is kept."""
    monkeypatch.setattr(redis_journal, "KEPT", KEPT)
    redis_server.client().flushall()
    made: list[RedisFrontier] = []

    def build() -> RedisFrontier:
        made.append(RedisFrontier(redis_server.client(), "党建", 0.0, 99, 0))
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()


def names(frontier: RedisFrontier, after: int = 0) -> list[tuple[int, str]]:
    return [(number, found.url.rpartition("/")[2]) for number, found in frontier.journal.outcomes(after)]


def crawl(workers: list[RedisFrontier], pages: int) -> list[tuple[int, str]]:
    """Finish so many pages in turn, with a checkpoint every now and then. Returns the log as the first worker read it."""
    workers[0].push(entry(f"{n}", 1 - n / 1e3, host=f"{n}.cn") for n in range(pages))
    log: list[tuple[int, str]] = []
    for n in range(pages):
        worker = workers[n % len(workers)]
        page = worker.pop(0.0)
        assert page is not None
        worker.done(page.key, outcome(page.url.rpartition("/")[2]))
        log += names(workers[0], len(log))
        if len(log) % EVERY == 0:
            assert workers[0].journal.checkpoint("stand", len(log), {"seen": len(log)})
    return log


def kept(server: RedisServer) -> int:
    return int(server.client().llen("topical:{党建}:outcomes"))


def test_what_is_long_past_is_forgotten_and_the_rest_has_its_numbers(opened: Open, redis_server: RedisServer) -> None:
    workers = [opened(), opened()]
    log = crawl(workers, PAGES)
    assert [number for number, _ in log] == list(range(1, PAGES + 1)) and len({name for _, name in log}) == PAGES
    assert KEPT <= kept(redis_server) <= KEPT + EVERY
    late = opened()
    assert names(late, PAGES - 5) == log[-5:]
    held = names(late)
    assert KEPT <= len(held) <= KEPT + EVERY and held == log[-len(held) :]
    for worker in workers:  # the second one has never read it
        assert names(worker) == held and names(worker, PAGES - 7) == log[-7:]
    assert late.journal.load("stand") == {"seen": PAGES}


def test_a_late_checkpoint_of_a_slow_worker_changes_nothing(opened: Open) -> None:
    frontier = opened()
    crawl([frontier], 2 * EVERY)
    assert not frontier.journal.checkpoint("stand", EVERY, {"seen": EVERY})
    assert frontier.journal.load("stand") == {"seen": 2 * EVERY}
