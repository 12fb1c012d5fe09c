"""The log of finished pages over several real Redis databases: it stays short, and whoever reads it late reads the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from frontier_tools import entry, outcome
from redis_tools import RedisServer

from topical_crawler.frontier import FrontierServerError
from topical_crawler.frontier import redis as redis_module
from topical_crawler.frontier import shards as shards_module
from topical_crawler.frontier.moving import change_shards
from topical_crawler.frontier.shard import Shard
from topical_crawler.frontier.shard_map import shard_of
from topical_crawler.frontier.shards import SharedFrontier, open_shards

PAGES, KEPT, EVERY = 120, 20, 10
Open = Callable[[], SharedFrontier]


@pytest.fixture(params=[1, 3])
def opened(request: pytest.FixtureRequest, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens the crawl of further workers on so many servers, of which little is kept."""
    for module in (redis_module, shards_module):
        monkeypatch.setattr(module, "KEPT", KEPT)
    monkeypatch.setattr(shards_module, "_MOST_PARTS", 5)
    monkeypatch.setattr(shards_module, "_APART", EVERY)
    monkeypatch.setattr(shards_module, "_LOOK_EVERY", -1.0)  # a worker knows at once what others have finished
    redis_server.client().flushall()
    made: list[SharedFrontier] = []

    def build() -> SharedFrontier:
        made.append(open_shards([redis_server.client(number) for number in range(request.param)], "党建", 0.0, 99, 0))
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()


def names(frontier: SharedFrontier, after: int = 0) -> list[tuple[int, str]]:
    return [(number, found.url.rpartition("/")[2]) for number, found in frontier.outcomes(after)]


def crawl(
    workers: list[SharedFrontier], pages: int, first: int = 0, numbers: Sequence[int] | None = None
) -> list[tuple[int, str]]:
    """Finish so many pages in turn, with a checkpoint every now and then. Returns the log as the first worker read it."""
    workers[0].push(entry(f"{n}", 1 - n / 1e3, host=f"{n}.cn") for n in numbers or range(first, first + pages))
    log: list[tuple[int, str]] = []
    for n in range(first, first + pages):
        worker = workers[n % len(workers)]
        page = worker.pop(0.0)
        assert page is not None
        worker.done(page.key, outcome(page.url.rpartition("/")[2]))
        log += names(workers[0], len(log) + first)
        if len(log) % EVERY == 0:
            assert workers[0].checkpoint("stand", len(log) + first, {"seen": len(log) + first})
    return log


def kept(server: RedisServer, what: str) -> int:
    return sum(int(server.client(number).llen(f"topical:{{党建}}:{what}")) for number in range(3))


def test_what_is_long_past_is_forgotten_and_the_rest_has_its_numbers(opened: Open, redis_server: RedisServer) -> None:
    workers = [opened(), opened()]
    log = crawl(workers, PAGES)
    assert [number for number, _ in log] == list(range(1, PAGES + 1)) and len({name for _, name in log}) == PAGES
    assert KEPT <= kept(redis_server, "outcomes") <= 2 * KEPT + EVERY
    assert kept(redis_server, "merged") <= 2 * KEPT + EVERY
    late = opened()
    assert names(late, PAGES - 5) == log[-5:]
    held = names(late)
    assert KEPT <= len(held) <= 2 * KEPT + EVERY and held == log[-len(held) :]
    for worker in workers:  # the second one has never read it
        assert names(worker) == held and names(worker, PAGES - 7) == log[-7:]
    assert late.load("stand") == {"seen": PAGES}


def test_a_worker_that_joins_late_asks_for_little(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    log = crawl([opened()], PAGES + 3)
    given: list[bytes] = []
    ask = Shard._log

    def counting(shard: Shard, *arguments: object, **options: object) -> tuple[int, int, list[bytes]]:
        answer = ask(shard, *arguments, **options)  # type: ignore[arg-type]
        given.extend(answer[2])
        return answer

    late = opened()
    monkeypatch.setattr(Shard, "_log", counting)
    assert names(late, PAGES) == log[-3:]
    assert len(given) <= 3 + EVERY + 3
    assert names(late, PAGES - 5) == log[-8:] and len(given) < PAGES / 2


def test_a_late_checkpoint_of_a_slow_worker_changes_nothing(opened: Open) -> None:
    frontier = opened()
    crawl([frontier], 2 * EVERY)
    assert not frontier.checkpoint("stand", EVERY, {"seen": EVERY})
    assert frontier.load("stand") == {"seen": 2 * EVERY}


@pytest.mark.parametrize("opened", [3], indirect=True)
def test_what_is_left_of_a_log_outlives_its_server(opened: Open, redis_server: RedisServer) -> None:
    frontier = opened()
    log = crawl([frontier], PAGES)
    change_shards([redis_server.client(number) for number in range(3)], "党建", remove=f"127.0.0.1:{redis_server.port}/1")
    assert frontier.best(0.0) is None  # it hears of it
    redis_server.client(1).flushdb()
    held = names(opened())
    assert len(held) >= KEPT and held == log[-len(held) :]
    assert names(frontier, PAGES - 7) == log[-7:]
    crawl([frontier], 2 * KEPT, first=PAGES)
    crawl([frontier], KEPT, first=PAGES + 2 * KEPT)
    assert redis_server.client().llen("topical:{党建}:outcomes:1") == 0


@pytest.mark.parametrize("opened", [3], indirect=True)
def test_a_worker_ends_whose_first_server_has_lost_what_it_had_said(opened: Open, redis_server: RedisServer) -> None:
    worker = opened()
    log = crawl([worker], EVERY + 3)
    redis_server.client().rpop("topical:{党建}:merged")  # as the crash of a machine may
    with pytest.raises(FrontierServerError, match=r"lost what came last\. Remedy: start this worker again"):
        crawl([worker], 1, first=PAGES)
    assert names(opened(), EVERY) == [*log[EVERY:], (EVERY + 4, f"{PAGES}")]


@pytest.mark.parametrize("opened", [3], indirect=True)
def test_who_asks_for_what_was_forgotten_reads_the_order_of_the_log_once(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl([opened()], PAGES)
    late, asked = opened(), list[int]()
    log = Shard._log

    def counting(shard: Shard, name: str, after: int, *more: int, **options: int) -> tuple[int, int, list[bytes]]:
        answer = log(shard, name, after, *more, **options)
        asked.extend([len(answer[2])] if name == "merged" else [])
        return answer

    monkeypatch.setattr(Shard, "_log", counting)
    for after in range(9):
        assert next(late.outcomes(after))[0] > PAGES / 2
    assert sum(asked) <= PAGES


@pytest.mark.parametrize("opened", [3], indirect=True)
def test_a_removal_that_was_broken_off_long_ago_goes_on(
    opened: Open, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, clients = crawl([opened()], 3 * KEPT - 5), [redis_server.client(number) for number in range(3)]
    place, keep = f"127.0.0.1:{redis_server.port}/1", Shard.keep_outcomes

    def killed(shard: Shard, number: int, after: int, outcomes: Sequence[bytes]) -> None:
        keep(shard, number, after, outcomes[:1])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Shard, "keep_outcomes", killed)
        change_shards(clients, "党建", remove=place)
    assert redis_server.client().llen("topical:{党建}:outcomes:1") == 1
    size = int(redis_server.client(1).llen("topical:{党建}:outcomes"))
    staying = [n for n in range(PAGES, 2 * PAGES) if shard_of(f"{n}.cn", range(3)) != 1][:EVERY]
    log += crawl([opened()], EVERY, 3 * KEPT - 5, staying)
    assert 0 < redis_server.client(1).llen("topical:{党建}:outcomes") < size
    change_shards(clients, "党建", remove=place)
    redis_server.client(1).flushdb()
    held = names(opened())
    assert len(held) >= KEPT and held == log[-len(held) :]
