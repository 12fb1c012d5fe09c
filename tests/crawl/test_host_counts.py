"""What is counted of hosts stays in a real Redis: a late worker and one that has seen all decide the same."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from option_tools import options
from redis_tools import RedisServer

from topical_crawler.crawl import host_counts
from topical_crawler.crawl.host_counts import HostCounts
from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.frontier.base import Outcome
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.frontier.redis_server import Server
from topical_crawler.strategies import OFF_TOPIC

SITES, EVERY = 40, 100
OPTIONS = options(frontier="redis", trap_pages=4, barren_pages=3, barren_leave=8, barren_end=50)


def finished(pages: int, seed: int = 0) -> list[Outcome]:
    """A log: hosts with calendars, sessions in addresses, and a few texts, to some of which other hosts have led."""
    chance, log, known = random.Random(seed), [], set[tuple[int, int]]()
    for _ in range(pages):
        site, show = int(SITES * chance.random() ** 2), chance.randrange(9)
        path = chance.choice([f"日历/{chance.randrange(99)}", "党建/"])
        gives, reason = chance.random() < 0.005 * (site % 5), chance.choice([OFF_TOPIC, "HTTP 404"])
        if site % 4 == 1:
            path, gives, reason = f"show?id={show}&tok={chance.randrange(9)}", (site, show) not in known, "duplicate"
            known.add((site, show))
        reason = "" if gives else reason
        led_by = (f"{chance.randrange(SITES)}.cn",) if gives and site % 4 != 1 else ()
        log.append(Outcome(f"http://{site}.cn/{path}", gives, 0.5, reason, {"词": 1}, led_by))
    return log


def decisions(policy: LinkPolicy) -> list[Any]:
    names = [f"{site}.cn" for site in range(SITES)]
    paths = ("日历/7", "日历/甲7", "show?id=3&tok=77", "党建/")
    links = [[policy.refusal(f"http://{name}/{path}", 2) for path in paths] for name in names]
    asked = (policy.standing, policy.share, policy.has_answered, policy.texts)
    hosts = [([ask(n) for ask in asked], policy.place(0.5, seed_entry(f"http://{n}/"))) for n in names]
    return [links, hosts, policy.revision, policy.fetched, policy.is_over(0)]


Worker = Callable[[], RedisFrontier]


@pytest.fixture
def worker(server: RedisServer) -> Iterator[Worker]:
    server.client().flushall()
    opened: list[RedisFrontier] = []

    def build() -> RedisFrontier:
        opened.append(RedisFrontier(server.client(), "党建", 0.0, 9, 0))
        return opened[-1]

    yield build
    for frontier in opened:
        frontier.close()


def read(policy: LinkPolicy, log: Sequence[Outcome], first: int, last: int) -> None:
    for number in range(first, last + 1):
        policy.count(log[number - 1], number)


def test_late_and_forgetful_workers_decide_as_one_that_has_all_in_memory(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_counts, "KNOWN", 60)
    log, alone = finished(750), LinkPolicy(OPTIONS)
    workers = [LinkPolicy(OPTIONS, store=worker().journal) for _ in range(2)]
    asked = random.Random(1)
    for number, outcome in enumerate(log, 1):
        alone.count(outcome)
        for policy in workers:
            policy.count(outcome, number)
        name = f"{asked.randrange(SITES)}.cn"
        assert {policy.standing(name) for policy in (alone, *workers)} == {alone.standing(name)}
        if number % EVERY == 0:
            kept = workers[number // EVERY % 2].checkpoint(number)
            workers[0].written(number, kept)
            if number < 500:  # the other one does not hear of the later ones
                workers[1].written(number, kept)
    late = LinkPolicy(OPTIONS, store=worker().journal)
    assert late.standing("党\ud800.cn") == ""
    late.begin(700, kept)
    read(late, log, 701, 750)
    known = decisions(alone)
    assert all(decisions(policy) == known for policy in (late, *workers))
    assert {None, "trap", "same page", "barren host"} == {refusal for host in known[0] for refusal in host}
    assert late.left < alone.left  # those in memory
    assert all(len(policy._ledger._hosts) < SITES for policy in (late, *workers))


def killed_at(call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, calls = Server.ask, count(1)

    def killing(server: Server, what: Callable[[], Any], *patience: float | None) -> Any:
        if next(calls) == call:
            raise KeyboardInterrupt
        return ask(server, what, *patience)

    monkeypatch.setattr(Server, "ask", killing)


def test_workers_that_are_killed_while_they_write_leave_counts_that_can_be_gone_on_from(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_counts, "_TOGETHER", 5)
    log, alone = finished(600), LinkPolicy(OPTIONS)
    through, kept, written = LinkPolicy(OPTIONS, store=worker().journal), None, 0
    for number, outcome in enumerate(log, 1):
        alone.count(outcome)
        through.count(outcome, number)
        if number % EVERY:
            continue
        dying, late = (LinkPolicy(OPTIONS, store=worker().journal) for _ in range(2))
        for policy in (dying, late):
            if kept:
                policy.begin(written, kept)
        read(dying, log, written + 1, number)
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            killed_at(number // EVERY * 2, patch)
            dying.checkpoint(number)
        read(late, log, written + 1, number)
        assert decisions(late) == decisions(through) == decisions(alone)
        if number % (3 * EVERY) == 0:
            kept, written = late.checkpoint(number), number
            through.written(written, kept)


def test_a_slow_worker_counts_once_what_a_faster_one_that_was_killed_had_counted(worker: Worker) -> None:
    log, alone = finished(300), LinkPolicy(OPTIONS)
    read(alone, log, 1, 300)
    fast, slow = (LinkPolicy(OPTIONS, store=worker().journal) for _ in range(2))
    read(fast, log, 1, 300)
    fast.checkpoint(300)  # which nobody hears of
    read(slow, log, 1, 100)
    kept = slow.checkpoint(100)
    slow.written(100, kept)
    late = LinkPolicy(OPTIONS, store=worker().journal)
    late.begin(100, kept)
    for policy in (slow, late):
        read(policy, log, 101, 300)
        assert decisions(policy) == decisions(alone)


@pytest.mark.skipif(not shutil.which("localedef"), reason="no localedef: apt-get install libc-bin locales")
def test_counts_of_more_pages_stay_whatever_the_language_of_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["localedef", "-i", "en_US", "-f", "ISO-8859-1", tmp_path / "en_US"], check=True)
    monkeypatch.setenv("LOCPATH", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US")
    with RedisServer(tmp_path) as foreign, closing(RedisFrontier(foreign.client(), "党建", 0.0, 9, 0)) as frontier:
        for number in (695_058, 692_678, 695_059, 692_679):
            frontier.journal.write_counted([("党建.cn", HostCounts(pages=number).pack(number))])
        found = frontier.journal.counted(["党建.cn"])["党建.cn"]
        assert found is not None and HostCounts.unpack(found).pages == 695_059


def test_a_summary_needs_no_server(tmp_path: Path) -> None:
    log = finished(300)
    with RedisServer(tmp_path) as only:
        frontier = RedisFrontier(only.client(), "党建", 0.0, 9, 0, patience=0.0)
        policy = LinkPolicy(OPTIONS, store=frontier.journal)
        policy.meet(f"{site}.cn" for site in range(SITES // 2))
        read(policy, log, 1, 300)
    assert 0 < len(policy.left) < len(policy.slowed)
