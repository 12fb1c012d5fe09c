"""How long hosts rest, and when the network is taken to be away."""

from __future__ import annotations

from itertools import pairwise

from topical_crawler.crawl.outages import LONGEST, MOST, MOST_UNKNOWN, SEVERAL, Outages


def test_every_rest_is_longer_than_the_last_up_to_a_bound_and_a_day_is_enough() -> None:
    outages = Outages(60, seed=1)
    seconds = [outages.next("a.cn", True) or 0 for _ in range(MOST)]
    assert all(seconds) and all(a < b or b == LONGEST for a, b in pairwise(seconds))
    assert 20 * 3600 < sum(seconds) < 30 * 3600
    assert sum(sum(seconds[:n]) < 3600 for n in range(MOST)) <= 7  # requests in an hour: one before each rest
    assert outages.next("a.cn", True) is None and outages.next("b.cn", True) is not None


def test_a_host_that_never_answered_is_given_up_sooner() -> None:
    outages = Outages(60, seed=1)
    assert [outages.next("a.cn", False) is None for _ in range(MOST_UNKNOWN + 1)] == [False] * MOST_UNKNOWN + [True]


def test_an_answer_begins_anew() -> None:
    outages = Outages(60, seed=1)
    first, *_ = (outages.next("a.cn", True) for _ in range(4))
    assert outages.answered("a.cn")
    again = outages.next("a.cn", True)
    assert first is not None and again is not None and abs(again - first) <= 6


def test_what_a_host_asks_for_is_granted() -> None:
    assert 3600 <= (Outages(60, seed=1).next("a.cn", True, asked=3600) or 0) <= 3960
    assert Outages(60, seed=1).next("a.cn", True, asked=10 * LONGEST) == LONGEST


def test_while_the_network_is_away_one_request_tries_and_no_rest_counts() -> None:
    now = 0.0
    outages = Outages(60, seed=1, clock=lambda: now)
    told = [outages.unreached(f"{n}.cn") for n in range(SEVERAL)]
    assert outages.away and not any(told)  # three hosts may be away by chance
    pauses = []
    for _ in range(5):
        assert outages.holds()
        began = now
        while outages.holds():
            now += 0.5
        pauses.append(now - began)
        outages.tries()
        assert outages.holds()
        told.append(outages.unreached("0.cn"))
        assert outages.next("0.cn", True) == 60
    assert told.count(True) == 1
    assert pauses == sorted(pauses) and pauses[-1] == 60
    outages.answered("0.cn")
    assert not outages.away and not outages.holds()


def test_one_host_that_is_away_is_not_the_network() -> None:
    outages = Outages(60, seed=1)
    for _ in range(10):
        outages.unreached("a.cn")
        outages.unreached("b.cn")
    assert not outages.away
