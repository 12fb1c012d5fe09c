"""Every sentence of ``frontier.base``, over every backend."""

import itertools
import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from frontier_tools import entry, key, outcome

from topical_crawler.frontier.base import MAX_EVIDENCE, NO_ROOM, Entry, Frontier, Outcome, Pushed, State
from topical_crawler.web.page import Evidence
from topical_crawler.web.urls import fingerprint

Make = Callable[..., Frontier]
WHOLE = pytest.mark.parametrize("make", ["memory", "sqlite", "redis"], indirect=True)
"""Of several parts equals come from the fullest one first, and an entry belongs to the part of its own host."""


def name(popped: Entry | None) -> str | None:
    return None if popped is None else popped.url.rpartition("/")[2]


def drain(frontier: Frontier, now: float = 0.0) -> list[str | None]:
    names = []
    while (popped := frontier.pop(now)) is not None:
        names.append(name(popped))
    return names


def pop(frontier: Frontier, now: float = 0.0) -> Entry:
    popped = frontier.pop(now)
    assert popped is not None
    return popped


class TestOrder:
    def test_highest_priority_first_over_all_hosts(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.1), entry("乙", 0.9, host="b.cn"), entry("丙", -3.0), entry("丁", 0.5, host="c.cn")])
        assert drain(frontier) == ["乙", "丁", "甲", "丙"]

    @WHOLE
    def test_equal_priorities_in_order_of_first_push(self, frontier: Frontier) -> None:
        frontier.push([entry(str(n), 0.5, host=f"{n % 3}.cn") for n in range(20)])
        frontier.push([entry("7", 0.5, "http://a.cn/p")])
        assert drain(frontier) == [str(n) for n in range(20)]

    def test_find_tells_where_an_entry_stands(self, frontier: Frontier) -> None:
        waiting = entry("甲", 0.5, "http://a.cn/1", depth=3)
        frontier.push([waiting, entry("乙", 0.9, host="b.cn"), entry("丙", 0.8, host="c.cn"), entry("丁", dropped="trap")])
        frontier.done(pop(frontier).key, outcome("乙"))
        taken = pop(frontier)
        assert frontier.find(waiting.key) == (State.WAITING, waiting)
        assert frontier.find(taken.key) == (State.IN_FLIGHT, taken)
        assert frontier.find(key("戊")) is None
        done, dropped = frontier.find(key("乙")), frontier.find(key("丁"))
        assert done is not None and (done[0], done[1].dropped) == (State.DONE, None)
        assert dropped is not None and (dropped[0], dropped[1].dropped) == (State.DROPPED, "trap")
        assert dropped[1].url == entry("丁").url

    def test_pop_gives_back_all_that_was_pushed(self, frontier: Frontier) -> None:
        pushed = entry("甲", 0.5, "http://a.cn/1", "http://a.cn/2", depth=3, meta={"retries": 1}, rescored=2)
        frontier.push([pushed])
        assert frontier.pop(0.0) == pushed
        assert frontier.pop(0.0) is None


class TestPoliteness:
    def test_one_entry_of_a_host_in_flight(self, make: Make) -> None:
        frontier = make(in_flight_per_host=1)
        frontier.push([entry("甲", 0.9), entry("乙", 0.8), entry("丙", 0.1, host="b.cn")])
        assert drain(frontier) == ["甲", "丙"]
        frontier.done(key("甲"), outcome("甲"))
        assert drain(frontier) == ["乙"]

    def test_delay_counts_from_the_last_pop(self, make: Make) -> None:
        frontier = make(delay=2.0, in_flight_per_host=9)
        frontier.push([entry("甲", 0.9), entry("乙", 0.8), entry("丙", 0.1, host="b.cn")])
        assert name(frontier.pop(10.0)) == "甲"
        assert name(frontier.pop(10.5)) == "丙"
        frontier.done(key("甲"), outcome("甲"))
        assert frontier.pop(11.75) is None
        assert name(frontier.pop(12.0)) == "乙"

    def test_delay_counts_from_the_sending_where_that_is_later(self, make: Make) -> None:
        frontier = make(delay=2.0, in_flight_per_host=9)
        frontier.push([entry("甲", 0.9), entry("乙", 0.8)])
        assert name(frontier.pop(10.0)) == "甲"
        frontier.sent(key("甲"), 13.0)
        assert frontier.pop(14.75) is None and frontier.next(14.0).wait == 1.0
        frontier.done(key("甲"), outcome("甲"))
        assert frontier.pop(14.75) is None
        assert name(frontier.pop(15.0)) == "乙"
        with pytest.raises(LookupError):
            frontier.sent(key("甲"), 16.0)

    def test_of_a_host_with_a_delay_one_entry_is_on_its_way(self, make: Make) -> None:
        frontier = make(delay=2.0, in_flight_per_host=2)
        frontier.push([entry(n) for n in "甲乙丙丁"])
        assert name(frontier.pop(0.0)) == "甲"
        assert frontier.pop(9.0) is None and frontier.next(9.0).wait is None and frontier.next(9.0).best is None
        frontier.sent(key("甲"), 10.0)
        assert frontier.next(10.0).wait == 2.0
        assert name(frontier.pop(12.0)) == "乙"
        frontier.sent(key("乙"), 12.0)
        assert frontier.pop(20.0) is None  # two are in flight
        frontier.done(key("甲"), outcome("甲"))
        assert name(frontier.pop(20.0)) == "丙"
        frontier.done(key("乙"), outcome("乙"))
        assert frontier.pop(30.0) is None
        frontier.requeue(key("丙"))  # it ends without having arrived
        assert name(frontier.pop(30.0)) == "丙"
        frontier.set_delay("a.cn", 0.0)
        assert name(frontier.pop(30.0)) == "丁"

    def test_a_host_with_a_delay_of_its_own(self, make: Make) -> None:
        frontier = make(delay=1.0, in_flight_per_host=9)
        frontier.set_delay("b.cn", 30.0)
        frontier.push([entry(f"{host}{n}", host=host) for host in ("a.cn", "b.cn") for n in range(2)])
        assert drain(frontier, 0.0) == ["a.cn0", "b.cn0"]
        for popped in ("a.cn0", "b.cn0"):
            frontier.sent(key(popped), 0.0)
        assert drain(frontier, 1.0) == ["a.cn1"]
        assert drain(frontier, 29.0) == []
        assert drain(frontier, 30.0) == ["b.cn1"]

    def test_set_delay_holds_from_now_on_for_a_resting_host(self, make: Make) -> None:
        frontier = make(delay=50.0, in_flight_per_host=9)
        frontier.push([entry("甲"), entry("乙")])
        frontier.sent(pop(frontier, 0.0).key, 0.0)
        assert frontier.next(1.0).wait == 49.0
        frontier.set_delay("a.cn", 4.0)
        assert frontier.next(1.0).wait == 3.0
        frontier.set_delay("a.cn", 9.0)
        assert frontier.pop(8.0) is None
        assert name(frontier.pop(9.0)) == "乙"

    @pytest.mark.parametrize("options", [{"delay": -1.0}, {"delay": math.inf}, {"in_flight_per_host": 0}, {"max_waiting": -1}])
    def test_limits_that_make_no_sense(self, make: Make, options: dict[str, float]) -> None:
        with pytest.raises(ValueError, match=r"delay|in_flight_per_host|max_waiting"):
            make(**options)

    def test_strict_best_first_with_a_hundred_resting_hosts(self, make: Make) -> None:
        frontier = make(delay=100.0)
        frontier.push([entry(f"{n}-{i}", 0.5 + i / 8 - n / 1e5, host=f"{n}.cn") for n in range(100) for i in (0, 1)])
        for n in range(100):
            popped = pop(frontier, n / 100)
            assert popped.host == f"{n}.cn"
            frontier.done(popped.key, outcome("甲"))
        assert frontier.pop(99.0) is None
        frontier.push([entry("新", 0.1, host="new.cn")])
        assert [name(frontier.pop(99.0)), frontier.pop(99.0), name(frontier.pop(100.0))] == ["新", None, "0-0"]


class TestPutBack:
    def test_waits_again_with_the_new_priority(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.9, "http://a.cn/p", meta={"retries": 1}), entry("乙", 0.5)])
        frontier.put_back(pop(frontier), 0.25)
        assert name(frontier.pop(0.0)) == "乙"
        again = pop(frontier)
        assert (name(again), again.priority, again.rescored, again.meta) == ("甲", 0.25, 1, {"retries": 1})
        assert [e.parent for e in again.evidence] == ["http://a.cn/p"]
        frontier.put_back(again, 0.25)
        assert pop(frontier).rescored == 2


class TestRequeue:
    def test_at_another_url_with_other_meta(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", meta={"retries": 1})])
        frontier.pop(0.0)
        frontier.requeue(key("甲"), url="https://b.cn:8443/新", meta={"redirects": [301]})
        again = pop(frontier)
        assert (again.url, again.host, again.meta) == ("https://b.cn:8443/新", "b.cn:8443", {"redirects": [301]})
        frontier.requeue(key("甲"))
        assert pop(frontier).meta == {"redirects": [301]}

    def test_another_host_has_a_turn_of_its_own(self, make: Make) -> None:
        frontier = make(delay=5.0)
        frontier.push([entry("甲")])
        frontier.pop(0.0)
        frontier.requeue(key("甲"), url="http://b.cn/甲")
        assert (name(frontier.pop(0.0)), frontier.status().hosts) == ("甲", 0)


class TestDone:
    def test_outcomes_in_order_of_finishing(self, frontier: Frontier) -> None:
        frontier.push([entry("甲"), entry("乙"), entry("丙")])
        drain(frontier)
        for n in "丙甲乙":
            frontier.done(key(n), outcome(n, keep=n == "甲"))
        assert list(frontier.journal.outcomes()) == [(1, outcome("丙", False)), (2, outcome("甲")), (3, outcome("乙", False))]
        assert list(frontier.journal.outcomes(2)) == [(3, outcome("乙", False))]
        assert list(frontier.journal.outcomes(3)) == []

    def test_all_or_nothing(self, frontier: Frontier) -> None:
        """Links that break off, or hold an unsound entry, leave the page in flight and push nothing."""

        def broken() -> Iterator[Entry]:
            yield entry("乙")
            raise RuntimeError("half a page")

        frontier.push([entry("甲")])
        frontier.pop(0.0)
        with pytest.raises(RuntimeError, match="half a page"):
            frontier.done(key("甲"), outcome("甲"), broken())
        with pytest.raises(ValueError, match="finite"):
            frontier.done(key("甲"), outcome("甲"), [entry("乙"), entry("丙", math.nan)])
        assert frontier.status().counts == {State.WAITING: 0, State.IN_FLIGHT: 1, State.DONE: 0, State.DROPPED: 0}
        assert list(frontier.journal.outcomes()) == []
        assert frontier.done(key("甲"), outcome("甲"), [entry("乙")]) == Pushed(new=1)

    def test_a_done_page_is_never_given_out_again(self, frontier: Frontier) -> None:
        frontier.push([entry("甲")])
        frontier.done(pop(frontier).key, outcome("甲"))
        assert frontier.push([entry("甲", 9.0, "http://b.cn/")]) == Pushed(known=1)
        assert frontier.pop(0.0) is None


class TestFoundAgain:
    def test_waiting_gains_evidence_and_priority(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.2, "p1"), entry("乙", 0.3)])
        assert frontier.push([entry("甲", 0.4, "p2")]) == Pushed(raised=1)
        popped = pop(frontier)
        assert (name(popped), popped.priority) == ("甲", 0.4)
        assert popped.evidence == entry("甲", 0.4, "p1", "p2").evidence

    def test_the_path_of_a_link_is_kept(self, frontier: Frontier) -> None:
        path = "div#main.列表/ul.list/li/a"
        found = (
            Evidence("http://a.cn/1", 0.5, True, "支部", 0, "前文 后文", path),
            Evidence("http://a.cn/2", 0.25, False, "", 2, "", path),
            Evidence("http://a.cn/3", 0.25, False, "党课", 1),
        )
        frontier.push([entry("甲"), Entry(key("乙"), "http://b.cn/乙", "b.cn", 0.4, evidence=found[:1])])
        links = [Entry(key(n), f"http://b.cn/{n}", "b.cn", 0.3, evidence=found[1:]) for n in "乙丙"]
        frontier.done(pop(frontier).key, outcome("甲"), links)
        popped = [pop(frontier)]
        frontier.put_back(popped[0], 0.3)
        popped += [pop(frontier), frontier.waiting(1)[0]]
        assert [e.evidence for e in popped] == [found, found, found[1:]]

    def test_no_more_than_max_evidence(self, frontier: Frontier) -> None:
        parents = [f"http://a.cn/“{n}”" for n in range(MAX_EVIDENCE + 3)]
        results = [frontier.push([entry("甲", 0.5, parent)]) for parent in parents]
        assert sum(r.raised for r in results) == MAX_EVIDENCE - 1
        assert [e.parent for e in pop(frontier).evidence] == parents[:MAX_EVIDENCE]

    @pytest.mark.parametrize("make", ["memory", "sqlite"], indirect=True)
    def test_settled_once_it_has_as_many_parents(self, frontier: Frontier) -> None:
        for n in range(MAX_EVIDENCE):
            assert not frontier.is_settled(key("甲"), off_topic=True)
            frontier.push(
                [entry("甲", 0.5, f"p{n}"), entry("乙", 0.1, f"p{n}", host="b.cn"), entry("丙", 0.9, f"p{n}", dropped="太低")]
            )
        assert [frontier.is_settled(key(n), off_topic=True) for n in "甲乙丙"] == [True, True, False]
        assert not any(frontier.is_settled(key(n)) for n in "甲乙丙")  # a page on topic may raise them
        frontier.discard("主机", host="b.cn")
        frontier.drop(pop(frontier).key, "太深")
        assert not any(frontier.is_settled(key(n), off_topic=True) for n in "甲乙丙")  # a page may have them wait again

    def test_settled_once_it_is_done(self, frontier: Frontier) -> None:
        frontier.push([Entry(fingerprint("http://a.cn/甲"), "http://a.cn/甲", "a.cn", 0.5)])
        done = pop(frontier).key
        frontier.done(done, outcome("甲"))
        assert len(list(frontier.journal.outcomes())) == 1  # where it is shared, the log tells
        assert frontier.is_settled(done)
        frontier.revive({done: "http://a.cn/甲"})
        assert not frontier.is_settled(done)

    def test_one_entry_with_too_much_evidence(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.5, "p1", "p1", *(f"q{n}" for n in range(20)))])
        assert [e.parent for e in pop(frontier).evidence] == ["p1", *(f"q{n}" for n in range(MAX_EVIDENCE - 1))]

    @pytest.mark.parametrize(("old", "new"), [('a","b', "a"), ("a", 'a","b'), ("x\\", "x"), ('[1,"p"', "p"), ("1", "")])
    def test_parents_are_told_apart_whatever_their_text(self, frontier: Frontier, old: str, new: str) -> None:
        frontier.push([Entry(key("甲"), "http://a.cn/甲", "a.cn", 0.5, evidence=(Evidence(old, 0.1, False, f'["{new}",'),))])
        assert frontier.push([entry("甲", 0.5, new)]).raised == 1
        assert frontier.push([entry("甲", 0.5, old, new)]).known == 1
        assert [e.parent for e in pop(frontier).evidence] == [old, new]

    def test_dropped_is_revived(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.9, "p1", depth=7, dropped="太低"), entry("乙", 0.3), entry("丙", 0.3)])
        assert frontier.push([entry("甲", 0.3, "p2", depth=2, meta={"a": 1})]) == Pushed(raised=1)
        assert (frontier.status().dropped, len(frontier)) == ({}, 3)
        popped = pop(frontier)
        assert popped == entry("甲", 0.3, "p1", "p2", depth=2, meta={"a": 1})  # its place is that of its first push


class TestMisuse:
    def test_only_what_is_in_flight_can_be_finished(self, frontier: Frontier) -> None:
        frontier.push([entry("甲")])
        with pytest.raises(LookupError, match="not in flight"):
            frontier.done(key("甲"), outcome("甲"), [entry("乙")])
        popped = pop(frontier)
        frontier.done(key("甲"), outcome("甲"))
        for call in (
            lambda: frontier.done(key("甲"), outcome("甲")),
            lambda: frontier.requeue(key("甲")),
            lambda: frontier.drop(key("甲"), "x"),
            lambda: frontier.put_back(popped, 0.5),
        ):
            with pytest.raises(LookupError, match="not in flight"):
                call()
        assert frontier.status().counts == {State.WAITING: 0, State.IN_FLIGHT: 0, State.DONE: 1, State.DROPPED: 0}

    def test_unsound_entries_push_nothing(self, frontier: Frontier) -> None:
        for bad in (
            entry("乙", math.inf),
            Entry(b"short", "u", "h", 0.5),
            Entry(key("丙"), "u", "h", 0.5, evidence=(Evidence("p", math.nan, True),)),
        ):
            with pytest.raises(ValueError, match="must be"):
                frontier.push([entry("甲"), bad])
        assert len(frontier) == 0

    def test_an_unsound_priority_leaves_the_entry_in_flight(self, frontier: Frontier) -> None:
        frontier.push([entry("甲")])
        popped = pop(frontier)
        with pytest.raises(ValueError, match="finite"):
            frontier.put_back(popped, math.nan)
        frontier.put_back(popped, 0.5)
        assert len(frontier) == 1


class TestReprice:
    def test_waiting_gives_the_best_over_all_hosts_and_takes_nothing(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.1, "http://a.cn/p"), entry("乙", 0.95, host="b.cn"), entry("丙", 0.5), entry("丁", 0.9)])
        assert pop(frontier).priority == 0.95
        best = frontier.waiting(2)
        assert [(name(e), e.priority) for e in best] == [("丁", 0.9), ("丙", 0.5)]
        assert frontier.waiting(10)[-1].evidence == entry("甲", 0.1, "http://a.cn/p").evidence
        assert (len(frontier), frontier.waiting(0)) == (3, [])

    @WHOLE
    def test_waiting_among_equals_of_many_hosts(self, frontier: Frontier) -> None:
        frontier.push([entry(str(n), 0.5, host=f"{9 - n}.cn") for n in range(10)])
        assert [[name(e) for e in frontier.waiting(limit)] for limit in (1, 3)] == [["0"], ["0", "1", "2"]]

    def test_equals_stay_in_the_order_of_their_first_push(self, make: Make) -> None:
        frontier = make(delay=0.0, in_flight_per_host=9)
        frontier.push([entry(str(n), n / 10) for n in range(6)])
        frontier.reprice({key(str(n)): 0.5 for n in range(6)})
        assert drain(frontier) == [str(n) for n in range(6)]

    def test_an_unsound_priority_changes_nothing(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.9), entry("乙", 0.5, host="b.cn")])
        with pytest.raises(ValueError, match="must be a finite number"):
            frontier.reprice({key("甲"): 0.1, key("乙"): math.nan})
        assert drain(frontier) == ["甲", "乙"]


class TestDiscard:
    @pytest.mark.parametrize(
        ("which", "gone", "left"),
        [
            ({}, 4, []),
            ({"host": "a.cn"}, 3, ["丁"]),
            ({"below": 0.6}, 2, ["甲", "丁"]),
            ({"host": "a.cn", "below": 0.9}, 2, ["甲", "丁"]),
            ({"host": "b.cn", "below": 0.6}, 0, ["甲", "丁", "乙", "丙"]),
        ],
    )
    def test_which(self, frontier: Frontier, which: dict[str, Any], gone: int, left: list[str]) -> None:
        frontier.push([entry("甲", 0.9), entry("乙", 0.5), entry("丙", 0.2), entry("丁", 0.6, host="b.cn"), entry("戊", 2.0)])
        assert name(frontier.pop(0.0)) == "戊"
        assert frontier.discard("不要", **which) == gone
        assert frontier.status().dropped == ({"不要": gone} if gone else {})
        assert (frontier.status().counts[State.DROPPED], frontier.status().counts[State.IN_FLIGHT]) == (gone, 1)
        assert frontier.next(0.0).best == (frontier.waiting(1)[0].priority if left else None)
        assert drain(frontier) == left


class TestRevive:
    def test_a_page_that_was_done_is_fetched_once_more(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.9)])
        frontier.put_back(pop(frontier), 0.7)
        frontier.done(pop(frontier).key, outcome("甲"), [entry("乙", 0.5), entry("丙", 0.9)])
        assert frontier.revive({key("甲"): "http://a.cn/甲"}) == 1
        assert frontier.status().counts == {State.WAITING: 3, State.IN_FLIGHT: 0, State.DONE: 0, State.DROPPED: 0}
        assert list(frontier.journal.outcomes()) == [(1, outcome("甲"))]
        assert name(frontier.pop(0.0)) == "丙"
        again = pop(frontier)
        assert (again.url, again.host, again.priority, again.rescored) == ("http://a.cn/甲", "a.cn", 0.7, 0)
        frontier.done(again.key, outcome("甲", keep=False))
        assert list(frontier.journal.outcomes()) == [(1, outcome("甲")), (2, outcome("甲", keep=False))]
        assert frontier.status().counts == {State.WAITING: 1, State.IN_FLIGHT: 1, State.DONE: 1, State.DROPPED: 0}
        assert frontier.push([entry("甲", 9.0)]) == Pushed(known=1)

    def test_what_was_dropped_waits_again_in_its_place(self, frontier: Frontier) -> None:
        frontier.push([entry("甲", 0.7, "p1", depth=3, dropped="太低"), entry("乙", 0.5), entry("丙", 0.9)])
        frontier.drop(pop(frontier).key, "robots.txt")
        assert frontier.revive({key("甲"): "http://a.cn/甲", key("丙"): "http://a.cn/丙"}) == 2
        assert (frontier.status().dropped, len(frontier)) == ({}, 3)
        assert name(frontier.pop(0.0)) == "丙"
        assert pop(frontier) == entry("甲", 0.7, "p1", depth=3)

    @WHOLE
    def test_at_another_address(self, make: Make) -> None:
        """Its host's politeness holds, as it does for a requeued entry."""
        frontier = make(delay=5.0)
        frontier.push([entry("甲", 0.9), entry("乙", 0.5, host="b.cn:81")])
        first, second = pop(frontier), pop(frontier)
        frontier.done(first.key, outcome("甲"))
        frontier.done(second.key, outcome("乙"))
        assert frontier.revive({key("甲"): "http://b.cn:81/甲", key("乙"): "http://b.cn:81/乙"}) == 2
        assert (frontier.status().hosts, frontier.next(1.0).wait) == (1, 4.0)
        assert [(e.url, e.host) for e in frontier.waiting(1)] == [("http://b.cn:81/甲", "b.cn:81")]
        assert [name(frontier.pop(5.0)), frontier.pop(5.0)] == ["甲", None]


class TestRoom:
    @WHOLE
    def test_the_worst_are_dropped_among_equals_the_last(self, make: Make) -> None:
        frontier = make(in_flight_per_host=9, max_waiting=3)
        links = [entry("甲", 0.5), entry("乙", 0.9, host="b.cn"), entry("丙", 0.5, host="c.cn"), entry("丁", 0.5)]
        assert frontier.push([*links, entry("戊", 0.1, host="d.cn")]) == Pushed(new=5)
        assert frontier.status().dropped == {NO_ROOM: 2}
        assert frontier.status().counts == {State.WAITING: 3, State.IN_FLIGHT: 0, State.DONE: 0, State.DROPPED: 2}
        assert frontier.status().hosts == 3
        assert drain(frontier) == ["乙", "甲", "丙"]

    def test_what_was_dropped_may_be_found_again(self, make: Make) -> None:
        frontier = make(max_waiting=2)
        frontier.push([entry("甲", 0.9), entry("乙", 0.8), entry("丙", 0.7, "p1")])
        assert frontier.push([entry("丙", 0.85, "p2", depth=2)]) == Pushed(raised=1)
        assert [name(e) for e in frontier.waiting(9)] == ["甲", "丙"]
        assert (frontier.status().dropped, frontier.waiting(9)[1].depth) == ({NO_ROOM: 1}, 2)
        assert "p2" in [e.parent for e in frontier.waiting(9)[1].evidence]
        assert frontier.revive({key("乙"): "http://a.cn/乙"}) == 1
        assert [(name(e), e.priority, e.url) for e in frontier.waiting(9)][2] == ("乙", 0.8, "http://a.cn/乙")

    def test_what_is_requeued_is_among_the_worst_again(self, make: Make) -> None:
        frontier = make(in_flight_per_host=9, max_waiting=3)
        frontier.push([entry("甲", 0.1)])
        pop(frontier)
        frontier.push([entry("乙", 0.9), entry("丙", 0.8), entry("丁", 0.4), entry("戊", 0.5, host="b.cn")])
        frontier.push([entry("己", 0.6, host="b.cn")])
        assert [name(e) for e in frontier.waiting(9)] == ["乙", "丙", "己"]
        frontier.requeue(key("甲"), url="http://z.cn/甲")
        frontier.push([])
        assert [name(e) for e in frontier.waiting(9)] == ["乙", "丙", "己"]

    def test_the_best_of_thousands_are_left_whatever_happens_between(self, make: Make) -> None:
        """Entries come and go on fifty hosts; what waits is always the best of what would wait without a bound."""
        rng = random.Random(13)
        frontier = make(in_flight_per_host=10**6, max_waiting=100)
        equal = [0.5] * (frontier.status().details.get("parts", 1) == 1)  # of several parts, equals go in no certain order
        waiting: dict[bytes, tuple[float, int]] = {}
        number = 0
        for step in range(30):
            links = []
            for _ in range(rng.choice([1, 5, 200])):
                number += 1
                links.append(entry(str(number), rng.choice([rng.random(), *equal]), host=f"{rng.randrange(50)}.cn"))
                waiting[links[-1].key] = (-links[-1].priority, number)
            frontier.push(links)
            waiting = dict(sorted(waiting.items(), key=lambda item: item[1])[:100])
            assert {e.key for e in frontier.waiting(200)} == set(waiting)
            for _ in range(rng.randrange(30)):
                popped = pop(frontier)
                del waiting[popped.key]
                if rng.random() < 0.3:
                    frontier.put_back(popped, popped.priority / 2)
                    waiting[popped.key] = (-popped.priority / 2, int(name(popped) or 0))
                    break
            if step % 7 == 0:
                falls = {k: rng.random() for k in rng.sample(sorted(waiting), k=min(20, len(waiting)))}
                frontier.reprice(falls)
                waiting |= {k: (-p, waiting[k][1]) for k, p in falls.items()}
            if step % 11 == 0:
                frontier.discard("不要", host="7.cn")
                left = {e.key for e in frontier.waiting(200)}
                waiting = {k: place for k, place in waiting.items() if k in left}
        assert frontier.status().dropped[NO_ROOM] > 1_000


class TestClocks:
    """A caller's clock that is set anew. Times: of the world, and of the clock, which are ``offset`` apart."""

    DELAY = 2.0

    def visits(self, frontier: Frontier, steps: dict[int, float]) -> list[tuple[str, float, float]]:
        """The pops of a crawl of 200 half seconds, as host, time of the world, time of the clock; ``steps`` of the clock."""
        rng = random.Random(14)
        frontier.push([entry(str(n), rng.random(), host=f"{n % 5}.cn") for n in range(300)])
        visits, out, offset = [], [], 10_000.0
        for n in range(200):
            offset += steps.get(n, 0.0)
            time, clock = n / 2, n / 2 + offset
            while (popped := frontier.pop(clock)) is not None:
                visits.append((popped.host, time, clock))
                out.append(popped.key)
            wait = frontier.next(clock).wait
            assert wait is None or wait > 0
            assert frontier.next(clock).best is None
            while len(out) > rng.randrange(6):
                finished = out.pop(rng.randrange(len(out)))
                (frontier.done(finished, outcome("甲")) if rng.random() < 0.5 else frontier.requeue(finished))
        for finished in out:
            frontier.done(finished, outcome("甲"))
        return visits

    @staticmethod
    def gaps(visits: list[tuple[str, float, float]], which: int) -> list[float]:
        times: dict[str, list[float]] = {}
        for visit in visits:
            times.setdefault(visit[0], []).append(visit[which])
        return [after - before for of_host in times.values() for before, after in itertools.pairwise(of_host)]

    def test_steps_back_never_bring_a_host_early(self, make: Make) -> None:
        frontier = make(delay=self.DELAY, in_flight_per_host=2)
        visits = self.visits(frontier, {25: -3.5, 50: -0.5, 51: -0.5, 100: -40.0})
        assert min(self.gaps(visits, 1)) >= self.DELAY
        assert max(time for _, time, _ in visits) > 95  # and the crawl goes on when the clock is where it was

    def test_steps_forward_are_time_that_has_passed(self, make: Make) -> None:
        frontier = make(delay=self.DELAY, in_flight_per_host=2)
        visits = self.visits(frontier, {25: 3.5, 50: 0.5, 100: 1e6})
        assert min(self.gaps(visits, 2)) >= self.DELAY
        assert len(visits) > 200

    def test_sent_on_a_clock_that_stepped_back(self, make: Make) -> None:
        frontier = make(delay=self.DELAY, in_flight_per_host=9)
        frontier.push([entry("甲", 0.9), entry("乙", 0.8)])
        pop(frontier, 100.0)
        frontier.sent(key("甲"), 50.0)
        frontier.done(key("甲"), outcome("甲"))
        assert frontier.pop(51.75) is None
        assert name(frontier.pop(200.0)) == "乙"


def test_of_many_that_come_to_a_point_one_is_the_first(frontier: Frontier) -> None:
    assert [frontier.journal.first("重排", n) for n in (1, 1, 3, 2, 3, 4)] == [True, False, True, False, False, True]
    assert frontier.journal.first("别的", 1)
    assert frontier.journal.load("重排") is None
    frontier.journal.save("重排", 99)
    assert frontier.journal.first("重排", 5)
    assert frontier.journal.load("重排") == 99


def test_details_are_json_with_the_backend_and_its_place(frontier: Frontier) -> None:
    frontier.push([entry("甲")])
    details = json.loads(json.dumps(frontier.status().details))
    assert details["backend"] in ("memory", "sqlite", "redis")
    assert isinstance(details["place"], str) and details["place"]
    assert frontier.shared is (details["backend"] == "redis")


def test_the_lesson_of_a_page_and_who_led_to_it_are_kept(frontier: Frontier) -> None:
    frontier.push([entry("甲"), entry("乙", host="b.cn")])
    found = [
        Outcome("http://a.cn/甲", True, 0.5, lesson={"词": ["党建", "支部"], "数": 3}, led_by=("www.c.cn", "d.cn:8080")),
        Outcome("http://b.cn/乙", True),
    ]
    for each in found:
        frontier.done(pop(frontier).key, each)
    assert [o for _, o in frontier.journal.outcomes()] == found


def test_a_checkpoint_is_saved(frontier: Frontier) -> None:
    assert frontier.journal.checkpoint("策略", 1_000, {"党建": 1}) and frontier.journal.checkpoint("策略", 1_000, {"党建": 2})
    assert frontier.journal.load("策略") == {"党建": 2}


def test_save_and_load(frontier: Frontier) -> None:
    assert frontier.journal.load("策略") is None
    data = {"词": [1, 2.5, None, {"党建": True}]}
    frontier.journal.save("策略", data)
    data["词"].clear()
    assert frontier.journal.load("策略") == {"词": [1, 2.5, None, {"党建": True}]}
    frontier.journal.save("策略", [])
    assert frontier.journal.load("策略") == []


def test_close_twice(make: Make) -> None:
    frontier = make()
    frontier.push([entry("甲")])
    frontier.close()
    frontier.close()
