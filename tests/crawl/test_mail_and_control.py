"""What can be asked of a frontier, on every backend, and how a crawl obeys."""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis_tools import RedisServer

from experiments.memory_frontier import MemoryFrontier
from topical_crawler import Evidence, Page, strategies
from topical_crawler.crawl import steering
from topical_crawler.crawl.checkpoints import restore
from topical_crawler.crawl.mailbox import Mailbox
from topical_crawler.crawl.steering import MOST_MARKS, PURGED, Control, Known, Marks, SteeringError, control_state, perform
from topical_crawler.frontier import redis_journal
from topical_crawler.frontier.base import SEED_PRIORITY, Entry, Frontier, Outcome, State
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.strategies.breadth_first import BreadthFirst
from topical_crawler.topic.files import MOST, TEXT_LENGTH, MarkedText, TopicError
from topical_crawler.web.page import Verdict
from topical_crawler.web.urls import fingerprint, host

Open = Callable[[], Frontier]


@pytest.fixture(params=["memory", "sqlite", "redis"])
def open_frontier(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the frontier of one crawl; a second time (not in memory) as another process would."""
    opened: list[Frontier] = []

    def build() -> Frontier:
        kinds: dict[str, Open] = {
            "memory": MemoryFrontier,
            "sqlite": lambda: SqliteFrontier(tmp_path / "frontier.sqlite"),
            "redis": lambda: RedisFrontier(request.getfixturevalue("server").client(), tmp_path.name, clock="caller"),
        }
        opened.append(kinds[request.param]())
        return opened[-1]

    yield build
    for frontier in opened:
        frontier.close()


@pytest.fixture
def frontier(open_frontier: Open) -> Frontier:
    return open_frontier()


_clock = itertools.count(1)


def link(url: str, priority: float, anchor: str = "党建") -> Entry:
    return Entry(fingerprint(url), url, host(url), priority, 1, (Evidence("http://p.cn/", 0.5, True, anchor),))


def urls(*numbers: int, site: str = "http://a.cn") -> list[str]:
    return [f"{site}/{n}" for n in numbers]


def ask(frontier: Frontier, action: str, **values: Any) -> dict[str, Any]:
    request = json.loads(json.dumps({"action": action, **values}))
    return dict(json.loads(json.dumps(perform(frontier, request))))


def fetch(frontier: Frontier, *reasons: str) -> list[str]:
    """Finish the best entries, one for each reason; their addresses."""
    fetched = []
    for reason in reasons:
        entry = frontier.pop(float(next(_clock)))
        assert entry is not None
        frontier.done(entry.key, Outcome(entry.url, not reason, 0.5, reason))
        fetched.append(entry.url)
    return fetched


def waiting(frontier: Frontier) -> list[str]:
    return [entry.url for entry in frontier.waiting(100)]


def test_stats_count_what_there_is(frontier: Frontier) -> None:
    frontier.push([link(url, 0.5) for url in urls(1, 2, 3, 4, 5, 6)] + [link(url, 0.1) for url in urls(7, site="http://b.cn")])
    bad = link("http://a.cn/x.zip", 0.5)
    bad.dropped = "file type"
    frontier.push([bad])
    fetch(frontier, "HTTP 503", "", "off topic", "redirected", "")
    in_flight = frontier.pop(float(next(_clock)))
    assert in_flight is not None
    found = ask(frontier, "stats")
    expected = {"waiting": 1, "in_flight": 1, "done": 5, "dropped": 1, "hosts": 1, "dropped_because": {"file type": 1}}
    expected |= {"last_pages": 4, "last_kept": 2, "last_rejected_because": {"HTTP 503": 1, "off topic": 1}}
    assert expected.items() <= found.items() and (found["paused"], found["page_threshold"]) == (False, None)
    assert found["details"]["backend"] in type(frontier).__name__.lower()
    last = ask(frontier, "stats", pages=1)
    assert (last["last_pages"], last["last_kept"], last["last_rejected_because"]) == (1, 1, {})
    assert ask(frontier, "stats", pages=0)["last_pages"] == 4


def test_top_shows_the_best_first_whatever_their_turn(frontier: Frontier) -> None:
    frontier.push([link(url, n / 10, f"第{n}支部") for n, url in enumerate(urls(*range(1, 10)))])
    frontier.push([link(url, 0.05) for url in urls(1, 2, site="http://b.cn:8080")])
    frontier.push([Entry(fingerprint("http://党建.cn/"), "http://党建.cn/", "xn--n5qz54a.cn", SEED_PRIORITY)])
    seed, best = ask(frontier, "top", n=2)["entries"]
    assert (seed["url"], seed["anchor"], seed["parents"]) == ("http://党建.cn/", "", 0)
    shown = {"url": "http://a.cn/9", "host": "a.cn", "priority": 0.8, "depth": 1, "anchor": "第8支部", "rescored": 0}
    assert best == shown | {"parent": "http://p.cn/", "parents": 1}
    assert [e["url"] for e in ask(frontier, "top", n=1, host="B.cn:8080")["entries"]] == ["http://b.cn:8080/1"]
    assert ask(frontier, "top", host="c.cn") == {"looked_at": 12, "entries": []}
    assert len(ask(frontier, "top")["entries"]) == len(frontier) == 12
    hosts = ask(frontier, "hosts")
    assert hosts["looked_at"] == 12 and hosts["hosts"][0] == {"host": "a.cn", "waiting": 9, "priority": 0.8}
    assert {row["host"]: row["waiting"] for row in hosts["hosts"]} == {"a.cn": 9, "b.cn:8080": 2, "xn--n5qz54a.cn": 1}


def test_find_tells_where_addresses_stand(frontier: Frontier) -> None:
    waiting, done, gone, dropped, unknown = urls(1, 2, 3, 4, 5)
    frontier.push([link(done, 0.9), link(gone, 0.2), link(waiting, 0.5, "主题党日")])
    frontier.push([replace(link(dropped, 0.1), dropped="trap")])
    assert fetch(frontier, "") == [done]
    ask(frontier, "purge", below=0.3)
    answer = ask(frontier, "find", urls=[waiting, done, gone, dropped, unknown])
    states = [(entry["url"], entry["state"], entry["dropped"]) for entry in answer["entries"]]
    known = [(waiting, "waiting", ""), (done, "done", ""), (gone, "dropped", PURGED), (dropped, "dropped", "trap")]
    assert states == [*known, (unknown, "unknown", "")]
    first = answer["entries"][0]
    assert (first["priority"], first["anchor"], first["parent"], first["depth"]) == (0.5, "主题党日", "http://p.cn/", 1)
    assert answer["page_threshold"] is None
    refused = perform(frontier, {"action": "find", "urls": [unknown, waiting]}, Known(lambda url, depth: "other site"))
    assert [entry["dropped"] for entry in refused["entries"]] == ["other site", ""]


def test_a_host_is_looked_for_among_the_best_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steering, "MOST_LOOKED_AT", 30)
    frontier = MemoryFrontier()
    frontier.push([link(url, 0.5) for url in urls(*range(40))])
    frontier.push([link(url, 0.1) for url in urls(1, site="http://far.cn")])
    frontier.push([link(url, 0.9) for url in urls(1, site="http://near.cn")])
    assert len(ask(frontier, "top", n=2, host="near.cn")["entries"]) == 1
    assert ask(frontier, "top", n=2, host="far.cn") == {"looked_at": 30, "entries": []}


def test_seeds_are_pushed_before_everything_else_or_to_a_place_among_the_links(frontier: Frontier) -> None:
    frontier.push([link(url, 0.5) for url in urls(1, 2)])
    assert ask(frontier, "push", urls=urls(2, 3)) == {"new": 1, "again": 0, "known": 1, "dropped": {}}
    assert waiting(frontier) == urls(2, 3, 1)
    ask(frontier, "push", urls=urls(4), priority=0.7)
    assert waiting(frontier) == urls(2, 3, 4, 1)
    fetch(frontier, "")
    assert ask(frontier, "push", urls=urls(2))["known"] == 1  # done: left alone
    assert waiting(frontier) == urls(3, 4, 1)


def test_what_the_crawl_refuses_is_dropped_and_counted(frontier: Frontier) -> None:
    request = {"action": "push", "urls": [*urls(1), *urls(1, site="http://other.cn")]}
    answer = perform(frontier, request, Known(lambda url, depth: "other site" if "other" in url else None))
    assert (answer["new"], answer["dropped"]) == (1, {"other site": 1})
    assert waiting(frontier) == urls(1)


def test_pages_are_fetched_again_by_url_or_by_the_reason_of_their_latest_outcome(frontier: Frontier) -> None:
    frontier.push([link(url, 1 - n / 10) for n, url in enumerate(urls(1, 2, 3, 4, 5))])
    assert fetch(frontier, "HTTP 503", "HTTP 503", "timed out", "") == urls(1, 2, 3, 4)
    assert ask(frontier, "requeue", urls=urls(1, 5, 99)) == {"asked": 3, "requeued": 1}
    assert sorted(waiting(frontier)) == urls(1, 5)
    assert fetch(frontier, "off topic", "") == urls(1, 5)  # no longer a 503
    assert ask(frontier, "requeue", reason="HTTP 503") == {"asked": 1, "requeued": 1}
    assert waiting(frontier) == urls(2)
    fetch(frontier, "HTTP 503")
    assert ask(frontier, "requeue", reason="HTTP 503")["requeued"] == 1  # again, and not twice
    assert ask(frontier, "requeue", reason="HTTP 404") == {"asked": 0, "requeued": 0}


@pytest.mark.parametrize(
    ("what", "left"),
    [
        ({"host": "a.cn"}, [*urls(1, 2, site="http://b.cn")]),
        ({"below": 0.5}, [*urls(1), *urls(1, site="http://b.cn")]),
        ({"host": "A.CN", "below": 0.5}, [*urls(1), *urls(1, 2, site="http://b.cn")]),
        ({"all": True}, []),
    ],
    ids=["host", "below", "both", "all"],
)
def test_a_purge_drops_what_waits(frontier: Frontier, what: dict[str, object], left: list[str]) -> None:
    frontier.push([link("http://c.cn/", 0.9)])
    in_flight = frontier.pop(float(next(_clock)))  # it is not purged
    assert in_flight is not None
    for site in ("http://a.cn", "http://b.cn"):
        frontier.push([link(urls(1, site=site)[0], 0.5), link(urls(2, site=site)[0], 0.1)])
    assert ask(frontier, "purge", **what) == {"purged": 4 - len(left), "waiting": len(left)}
    assert sorted(waiting(frontier)) == sorted(left)
    assert ask(frontier, "stats")["dropped_because"] == {PURGED: 4 - len(left)}
    frontier.done(in_flight.key, Outcome(in_flight.url, True, 0.5))
    gone = sorted({*urls(1, 2), *urls(1, 2, site="http://b.cn")} - set(left))
    assert ask(frontier, "requeue", urls=gone)["requeued"] == len(gone)  # a person changes their mind
    assert len(frontier) == 4 and frontier.status().counts[State.DONE] == 1


WRONG: list[tuple[dict[str, object], str]] = [
    ({"action": "destroy"}, "no action 'destroy'"),
    ({}, "no action None"),
    ({"action": "push", "urls": []}, "no URLs"),
    ({"action": "push", "urls": "http://a.cn/"}, "no URLs"),
    ({"action": "push", "urls": ["http://a.cn/", "ftp://a.cn/"]}, "'ftp://a.cn/' is not a URL to fetch"),
    ({"action": "push", "urls": [7]}, "7 is not a URL"),
    ({"action": "push", "urls": ["http://a.cn/"], "priority": "high"}, "priority must be a number, not 'high'"),
    ({"action": "push", "urls": ["http://a.cn/"], "priority": float("inf")}, "priority must be a number"),
    ({"action": "requeue"}, "no URLs"),
    ({"action": "top", "n": 0}, "n must be a whole number of 1 to 10,000, not 0"),
    ({"action": "top", "n": 1e6}, "n must be a whole number"),
    ({"action": "stats", "pages": -1}, "pages must be a whole number of 0 or more"),
    ({"action": "threshold", "value": -1}, "page_threshold must be a number of 0 or more, not -1"),
    ({"action": "threshold", "value": "0.3"}, "page_threshold must be a number"),
    ({"action": "threshold", "value": float("nan")}, "page_threshold must be a number"),
    ({"action": "purge"}, "say what to purge"),
    ({"action": "purge", "all": True, "host": "a.cn"}, "say what to purge"),
    ({"action": "purge", "all": "yes"}, "say what to purge"),
    ({"action": "purge", "below": True}, "below must be a number"),
]


@pytest.mark.parametrize(("request_", "said"), WRONG, ids=[str(request) for request, _ in WRONG])
def test_what_cannot_be_done_is_refused_and_changes_nothing(request_: dict[str, object], said: str) -> None:
    frontier = MemoryFrontier()
    frontier.push([link("http://a.cn/1", 0.5)])
    with pytest.raises(SteeringError, match=said.replace("(", r"\(")):
        perform(frontier, request_)
    assert waiting(frontier) == ["http://a.cn/1"]
    assert frontier.journal.load("control") is None


def test_control_is_kept_with_the_frontier(open_frontier: Open) -> None:
    frontier = open_frontier()
    assert control_state(frontier) == {"paused": False, "stop": "", "page_threshold": None}
    frontier.push([link(url, 0.5) for url in urls(1, 2)])
    assert ask(frontier, "pause") == {"paused": True, "waiting": 2, "in_flight": 0}
    assert ask(frontier, "threshold", value=0.25) == {"page_threshold": 0.25, "before": None}
    assert ask(frontier, "threshold", value=0.3) == {"page_threshold": 0.3, "before": 0.25}
    assert ask(frontier, "stop") == {"stopping": True, "waiting": 2, "in_flight": 0}
    first = control_state(frontier)["stop"]
    if not isinstance(frontier, MemoryFrontier):
        frontier.close()
        frontier = open_frontier()
    assert control_state(frontier) == {"paused": True, "stop": first, "page_threshold": 0.3}
    ask(frontier, "stop")
    assert control_state(frontier)["stop"] not in ("", first)
    assert ask(frontier, "resume") == {"paused": False, "was_paused": True, "waiting": 2}
    assert ask(frontier, "resume")["was_paused"] is False
    assert ask(frontier, "threshold", value=None) == {"page_threshold": None, "before": 0.3}


def strategy(name: str = "breadth_first") -> strategies.Strategy:
    return strategies.create("partybuilding", name, resources=None, segmenter="rjieba")


class Asked:
    def __init__(self, frontier: Frontier, folder: Path, name: str = "breadth_first") -> None:
        self.strategy = strategy(name)
        self.mailbox = Mailbox(folder)
        self.control = Control(frontier, self.strategy, self.mailbox)

    def __call__(self, action: str, **values: Any) -> dict[str, Any]:
        number = self.mailbox.post({"action": action, **values}, 60)
        self.control.poll()
        answer = self.mailbox.answer(number)
        assert answer is not None
        return answer


PAGE = Page("http://a.cn/", title="支部开展主题教育 党员重温入党誓词")


def test_a_crawl_obeys_its_mailbox(tmp_path: Path) -> None:
    asked = Asked(MemoryFrontier(), tmp_path / "mailbox")
    control = asked.control
    assert (control.paused, control.stopping, control.page_threshold) == (False, False, None)
    assert asked("push", urls=["http://a.cn/1"])["new"] == 1
    assert asked("pause")["paused"] and control.paused
    assert not asked("resume")["paused"] and not control.paused
    own = asked.strategy.page_threshold
    kept = asked.strategy.judge(PAGE)
    assert asked("threshold", value=kept.relevance) == {"page_threshold": kept.relevance, "before": own}
    assert kept.keep and not asked.strategy.judge(PAGE).keep
    assert asked("stats")["page_threshold"] == kept.relevance
    assert asked("threshold", value=None) == {"page_threshold": own, "before": kept.relevance}
    assert asked("stats")["page_threshold"] == own and asked.strategy.judge(PAGE) == kept


def test_an_order_to_stop_is_for_those_that_run(tmp_path: Path) -> None:
    with closing(SqliteFrontier(tmp_path / "f.sqlite")) as frontier:
        asked = Asked(frontier, tmp_path / "mailbox")
        assert not asked.control.stopping and asked("stop")["stopping"] and asked.control.stopping
        asked("pause"), asked("threshold", value=0.9)
        later = Asked(frontier, tmp_path / "mailbox")  # the crawl is started again, what is paused stays so
        assert (later.control.stopping, later.control.paused, later.strategy.page_threshold) == (False, True, 0.9)
        assert later("threshold", value=None)["page_threshold"] == strategy().page_threshold


def test_a_threshold_that_the_strategy_refuses_changes_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    frontier = MemoryFrontier()
    asked = Asked(frontier, tmp_path / "mailbox", "content")
    own = asked.strategy.page_threshold
    for value, said in ((0, "page_threshold must be above 0"), ("x", "must be a number of 0 or more, not 'x'"), ([], "not []")):
        assert said in asked("threshold", value=value)["error"]
        assert (asked.strategy.page_threshold, control_state(frontier)["page_threshold"]) == (own, None)
    perform(frontier, {"action": "threshold", "value": 0})  # by a command that does not know the strategy, while no crawl ran
    with caplog.at_level(logging.ERROR):
        assert Asked(frontier, tmp_path / "mailbox", "content").strategy.page_threshold == own
    assert "The page threshold stays 0.01: page_threshold must be above 0" in caplog.text


def test_workers_of_a_shared_crawl_obey_what_is_said_in_redis(server: RedisServer) -> None:
    workers = [RedisFrontier(server.client(), "obey") for _ in range(2)]
    controls = [Control(frontier, strategy()) for frontier in workers]
    commands = RedisFrontier(server.client(), "obey", attach=True)

    def said(action: str, **values: Any) -> list[tuple[bool, bool, float | None]]:
        perform(commands, {"action": action, **values})
        for control in controls:
            control.poll()
        return [(control.paused, control.stopping, control.page_threshold) for control in controls]

    assert said("pause") == [(True, False, None)] * 2
    assert said("threshold", value=0.4) == [(True, False, 0.4)] * 2
    assert said("resume") == [(False, False, 0.4)] * 2
    perform(commands, {"action": "push", "urls": ["http://a.cn/1"]})
    assert [worker.status().counts[State.WAITING] for worker in workers] == [1, 1]
    assert said("stop") == [(False, True, 0.4)] * 2
    assert not Control(workers[0], strategy()).stopping
    for frontier in (*workers, commands):
        frontier.close()


def a_mark(number: int, mark: str = "relevant", text: str = "社区党支部上了一堂党课。") -> dict[str, str]:
    return {"url": f"http://a.cn/{number}", "title": f"第{number}篇", "text": text, "mark": mark}


class Learner(BreadthFirst):
    """Notes what it is told in order: pages by their address, marks by theirs."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.told: list[str] = []

    def learn(self, url: str, verdict: Verdict) -> None:
        self.told.append(url)

    def mark(self, texts: Sequence[MarkedText]) -> None:
        self.told += [f"{text.mark} {text.url}" for text in texts]


def learner() -> Learner:
    made = strategy()
    return Learner(made.topic, made.segmenter)


def test_marks_are_learned_after_the_pages_that_were_finished_when_they_came(open_frontier: Open) -> None:
    frontier = open_frontier()
    frontier.push([link(url, 0.5) for url in urls(1, 2, 3, 4, 5)])
    first = fetch(frontier, "", "off topic")
    assert ask(frontier, "mark", texts=[a_mark(1), a_mark(2, "irrelevant")]) == {"texts": 2}
    second = fetch(frontier, "")
    assert ask(frontier, "mark", texts=[a_mark(1, "boilerplate")]) == {"texts": 2}
    assert ask(frontier, "stats")["marked"] == 2
    if not isinstance(frontier, MemoryFrontier):
        frontier.close()
        frontier = open_frontier()  # as the next run does
    marks = [["relevant http://a.cn/1", "irrelevant http://a.cn/2"], ["boilerplate http://a.cn/1"]]
    whole = learner()
    restore(whole, frontier)
    assert whole.told == [*first, *marks[0], *second, *marks[1]]
    frontier.journal.save("strategy", {"name": "x", "after": 2, "state": {}})
    rest = learner()
    restore(rest, frontier)
    assert rest.told == [*marks[0], *second, *marks[1]]


def test_marks_come_after_the_last_page_of_a_log_whose_beginning_was_forgotten(
    open_frontier: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_journal, "KEPT", 2)
    frontier = open_frontier()
    frontier.push([link(url, 0.5) for url in urls(1, 2, 3, 4, 5)])
    fetch(frontier, *["off topic"] * 5)
    frontier.journal.checkpoint("strategy", 5, {})
    frontier.revive({fingerprint(url): url for url in urls(1, 2, 3, 4)})  # so few pages are finished now
    ask(frontier, "mark", texts=[a_mark(1)])
    marks, told = Marks(frontier), learner()
    assert marks.give(told, 4) == 0 and marks.give(told, 5) == 1


def test_marks_that_come_while_a_page_is_in_flight_are_for_the_pages_after_it() -> None:
    frontier = MemoryFrontier()
    frontier.push([link(url, 0.5) for url in urls(1, 2)])
    entry = frontier.pop(float(next(_clock)))
    assert entry is not None
    ask(frontier, "mark", texts=[a_mark(1)])
    marks, told = Marks(frontier), learner()
    assert marks.give(told, 0) == 0 and told.told == []
    assert marks.give(told, 1) == 1 and not marks.due


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], "a list of 1 to 100 marked texts"),
        ([a_mark(n) for n in range(101)], "a list of 1 to 100 marked texts"),
        (["党建"], "text 1: not a JSON object"),
        ([a_mark(1), {"url": "http://a.cn/2", "title": "党课"}], "text 2: mark is missing"),
        ([a_mark(1, "good")], "'good' is not a mark"),
        ([a_mark(1) | {"title": " ", "text": ""}], "text 1: neither title nor text"),
        ([a_mark(1) | {"url": 7}], "text 1: url cannot be 7"),
    ],
)
def test_marks_that_cannot_be_used_are_refused(texts: object, said: str) -> None:
    frontier = MemoryFrontier()
    with pytest.raises((SteeringError, TopicError), match=re.escape(said)):
        ask(frontier, "mark", texts=texts)
    assert not Marks(frontier).urls


def test_a_crawl_takes_only_so_many_marks_and_so_much_of_a_text(caplog: pytest.LogCaptureFixture) -> None:
    frontier = MemoryFrontier()
    ask(frontier, "mark", texts=[a_mark(0, text="党" * 30_000)])
    assert [len(text.text) for _, texts in Marks(frontier).due for text in texts] == [TEXT_LENGTH]
    for start in range(1, MOST, MOST_MARKS):
        ask(frontier, "mark", texts=[a_mark(n) for n in range(start, min(start + MOST_MARKS, MOST))])
    with pytest.raises(SteeringError, match="more than 2,000 marked texts"):
        ask(frontier, "mark", texts=[a_mark(MOST)])
    assert ask(frontier, "mark", texts=[a_mark(7, "irrelevant")]) == {"texts": MOST}  # a mark that was changed
    control = Control(frontier, learner())
    control.mark([MarkedText(**a_mark(MOST))])  # by a model, whose page stays
    assert len(control.marks.urls) == MOST
    assert "more than 2,000 marked texts" in caplog.text


def test_every_worker_of_a_shared_crawl_learns_the_marks_of_two_judges(server: RedisServer) -> None:
    frontiers = [RedisFrontier(server.client(), "marks") for _ in range(2)]
    learners = [learner() for _ in frontiers]
    controls = [Control(frontier, told) for frontier, told in zip(frontiers, learners, strict=True)]
    commands = [RedisFrontier(server.client(), "marks", attach=True) for _ in range(2)]
    with ThreadPoolExecutor(2) as judges:
        for n in range(5):
            marks = [{"action": "mark", "texts": [a_mark(10 * i + n)]} for i in range(2)]
            list(judges.map(perform, commands, marks))
    for control in controls:
        control.poll()
        control.learn_marks(0)
    assert learners[0].told == learners[1].told
    assert sorted(learners[0].told) == sorted(f"relevant http://a.cn/{10 * i + n}" for n in range(5) for i in range(2))
    for frontier in (*frontiers, *commands):
        frontier.close()
