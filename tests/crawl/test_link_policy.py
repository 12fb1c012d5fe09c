"""Which links are refused and which give way, and that the log of pages alone decides it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from option_tools import options

from topical_crawler.crawl.link_policy import (
    BARREN_END,
    EXPLORED,
    FORESIGHT,
    LEAST_GAIN,
    MOST_CREDIT,
    LinkPolicy,
    follow_parts,
    is_link,
)
from topical_crawler.frontier.base import SEED_PRIORITY, Entry, Outcome
from topical_crawler.items import LISTED, PART_OF, PageItem
from topical_crawler.strategies import BELOW_THRESHOLD, OFF_TOPIC
from topical_crawler.web.listings import NO_LISTING
from topical_crawler.web.page import Evidence
from topical_crawler.web.urls import REDIRECTED, fingerprint, host, not_public

PAGES, LEAVE = 5, 12
VIDEO = "tv.news.cn"


def rules(pages: int = PAGES, leave: int = LEAVE, learns: bool = False, **bounds: Any) -> LinkPolicy:
    return LinkPolicy(options(barren_pages=pages, barren_leave=leave, **{"barren_end": None, **bounds}), learns)


def text(name: str, *led_by: str) -> Outcome:
    return Outcome(f"http://{name}/article", True, 0.5, led_by=led_by)


def nothing(name: str, reason: str = OFF_TOPIC) -> Outcome:
    return Outcome(f"http://{name}/list", reason not in (OFF_TOPIC, "HTTP 404"), 0.0, reason)


def told(found: LinkPolicy, outcomes: Iterable[Outcome]) -> LinkPolicy:
    for outcome in outcomes:
        found.count(outcome)
    return found


def link(name: str, depth: int = 2) -> Entry:
    url = f"http://{name}/video"
    return Entry(fingerprint(url), url, host(url), 0.5, depth)


def test_a_host_is_slowed_and_then_left() -> None:
    found = rules()
    standings = [told(found, [nothing(VIDEO)]).standing(VIDEO) for _ in range(LEAVE)]
    assert standings == [""] * (PAGES - 1) + ["slowed"] * (LEAVE - PAGES) + ["left"]
    assert found.refusal(f"http://{VIDEO}/video", 3) == found.late_refusal(link(VIDEO), 0) == "barren host"
    assert found.refusal("http://www.news.cn/video", 3) is None and found.late_refusal(link("www.news.cn"), 0) is None


def test_what_a_person_asks_for_is_fetched_all_the_same_and_a_text_makes_a_host_good_again() -> None:
    found = told(rules(), [nothing(VIDEO)] * LEAVE)
    assert found.refusal(f"http://{VIDEO}/video", 0) is None and found.late_refusal(link(VIDEO, depth=0), 0) is None
    found.count(text(VIDEO))
    assert found.standing(VIDEO) == "" and found.refusal(f"http://{VIDEO}/video", 3) is None
    assert not found.slowed and not found.left


def test_a_hub_is_not_barren() -> None:
    found = rules()
    for n in range(10 * LEAVE):
        found.count(nothing("hub.cn"))
        if n % PAGES == PAGES - 2:
            found.count(text("www.news.cn", "hub.cn", "other.cn"))
        assert found.standing("hub.cn") == ""
    assert found.standing("www.news.cn") == found.standing("other.cn") == ""


@pytest.mark.parametrize("texts", [0, 3, MOST_CREDIT - 1, MOST_CREDIT, 500])
def test_a_host_with_texts_may_have_longer_stretches_without_one(texts: int) -> None:
    found = told(rules(), [text(VIDEO)] * texts)
    credit = min(texts + 1, MOST_CREDIT)
    stretches = (PAGES * credit - 1, ""), (1, "slowed"), ((LEAVE - PAGES) * credit - 1, "slowed"), (1, "left")
    for pages, standing in stretches:
        assert told(found, [nothing(VIDEO)] * pages).standing(VIDEO) == standing


@pytest.mark.parametrize("reason", ["timed out", "unknown host", "HTTP 503", "HTTP 404", "robots.txt"])
def test_pages_that_failed_say_nothing_of_a_host(reason: str) -> None:
    failed = Outcome(f"http://{VIDEO}/video", False, reason=reason)
    assert told(rules(), [failed] * 10 * LEAVE).standing(VIDEO) == ""


@pytest.mark.parametrize(
    ("reason", "standing"),
    [("duplicate", "left"), ("no text", "left"), ("not a text page", "left"), ("too large", "left"), ("part", "")],
)
def test_what_arrives_and_is_no_text_counts_but_for_the_further_parts_of_an_article(reason: str, standing: str) -> None:
    keep = reason not in ("not a text page", "too large")
    assert told(rules(), [Outcome(f"http://{VIDEO}/video", keep, reason=reason)] * 3 * LEAVE).standing(VIDEO) == standing


@pytest.mark.parametrize(("pages", "leave", "standing"), [(0, 0, ""), (PAGES, 0, "slowed"), (0, LEAVE, "left")])
def test_either_number_may_be_off(pages: int, leave: int, standing: str) -> None:
    assert told(rules(pages, leave), [nothing(VIDEO)] * 100 * LEAVE).standing(VIDEO) == standing


def test_the_revision_counts_who_joins_and_who_quits() -> None:
    found = rules()
    revisions = [told(found, [outcome]).revision for outcome in [nothing(VIDEO)] * LEAVE + [text(VIDEO), nothing("a.cn")]]
    assert revisions == [0] * (PAGES - 1) + [1] * (LEAVE - PAGES + 1) + [2, 2]


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=20, unique_by=lambda p: round(p, 3)))
def test_links_of_a_slowed_host_wait_behind_all_others_in_their_own_order(priorities: list[float]) -> None:
    found = told(rules(), [nothing(VIDEO)] * PAGES)
    places = [found.place(p, link(VIDEO)) for p in sorted(priorities)]
    assert all(-1 <= place < 0 for place in places)
    assert places == sorted(places)
    assert len(set(places)) == len(places) or max(priorities) > 1e4
    assert [found.place_again(place, VIDEO) for place in places] == places
    assert [found.place(p, link("www.news.cn")) for p in priorities] == priorities


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 30), st.integers(1, 25))
def test_a_learner_spends_the_last_pages_of_a_bounded_host_late(scores: list[float], fetched: int, limit: int) -> None:
    found = told(rules(max_pages_per_host=limit, learns=True), [nothing("a.cn")] * fetched)
    left = min(1.0, 2 * max(0.0, 1 - fetched / limit))
    assert [found.place(score, link("a.cn")) for score in scores] == [score * left for score in scores]
    assert [found.place(score, link("b.cn")) for score in scores] == scores
    assert [found.place_again(score, "a.cn") for score in scores] == scores  # it was placed already
    for others in (rules(max_pages_per_host=limit), rules(learns=True)):
        assert [told(others, [text("a.cn")] * fetched).place(score, link("a.cn")) for score in scores] == scores


@pytest.mark.parametrize(
    ("learns", "end", "idle", "after"),
    [
        (True, None, 0.0, 1000),
        (True, None, -1.0, 0),  # a service waits for the seeds of others
        (True, 30, -1.0, 30),
        (True, 0, 0.0, 0),
        (False, None, 0.0, 0),
        (False, 30, 0.0, 30),
    ],
)
def test_a_crawl_ends_after_many_pages_in_a_row_without_a_text(learns: bool, end: int | None, idle: float, after: int) -> None:
    found = rules(learns=learns, barren_end=end, idle=idle)
    assert found.end == after and not found.barren
    told(found, [nothing(f"{n % 7}.cn") for n in range(max(0, after - 1))])
    told(found, [nothing("a.cn", "HTTP 404")] * 3)  # it says nothing of what the web holds
    assert not found.barren
    told(found, [text("b.cn"), *[nothing(f"{n % 7}.cn") for n in range(after or 2000)]])
    assert found.barren is found.is_over(0) is (after > 0)
    assert not told(found, [text("b.cn")]).barren


@pytest.mark.parametrize(("end", "idle", "ends"), [(None, 0.0, True), (None, -1.0, False), (0, 0.0, False), (5000, 0.0, False)])
def test_a_crawl_ends_when_little_is_expected(end: int | None, idle: float, ends: bool) -> None:
    found = rules(learns=True, barren_end=end, idle=idle)
    found.expected = 0.0, 0.5 * LEAST_GAIN
    told(found, [text("b.cn"), *[nothing(f"{n % 7}.cn") for n in range(FORESIGHT - 2)]])
    assert not found.is_over(0)  # too early to tell
    told(found, [nothing("b.cn")])
    assert found.spent is ends and found.is_over(0) is ends
    found.expected = 0.0, 2 * LEAST_GAIN
    told(found, [nothing(f"{n % 7}.cn") for n in range(BARREN_END)])
    assert not found.is_over(0)  # however many pages gave nothing


def test_a_crawl_without_a_text_does_not_end_by_what_it_expects() -> None:
    found = told(rules(learns=True), [nothing(f"{n % 7}.cn") for n in range(2 * FORESIGHT)])
    found.expected = 0.0, 0.0
    assert not found.is_over(0)
    assert told(found, [text("b.cn"), nothing("c.cn")]).is_over(0)


def asked_for(names: Iterable[str], pages: int, learns: bool = True, most: int = 6000) -> LinkPolicy:
    """After so many pages of the first host, none of which gave a text."""
    names = list(names)
    found = rules(pages=10**6, leave=10**6, learns=learns, max_pages=most)
    for name in names:
        assert found.late_refusal(link(name, depth=0), 0) is None
    return told(found, [nothing(names[0])] * pages)


def test_a_site_that_was_hardly_visited_may_be_better_than_its_links_promise() -> None:
    sites = ["a.cn", *[f"{n}.cn" for n in range(5)]]
    places = [asked_for(sites, pages).place(0.1, link("a.cn")) for pages in (0, 2, 10, 100, 900, 1100, 5000)]
    assert places == sorted(places, reverse=True) and places[0] == places[1] > 0.25
    assert places[-2:] == [0.1, 0.1]  # after a sixth of 6,000
    found = asked_for(sites, 100)
    assert found.place(0.1, link("0.cn")) > found.place(0.1, link("a.cn")) > 0.1
    assert found.place(0.1, link("other.cn")) == 0.1  # nobody asked for it
    assert found.place(0.0, link("0.cn")) == 0.0
    assert asked_for(sites, 0, learns=False).place(0.1, link("0.cn")) == 0.1


def test_a_section_that_was_hardly_visited_comes_before_the_others_of_its_site() -> None:
    found = asked_for(["a.cn", "b.cn"], 100)
    tags = [Entry(fingerprint(url), url, "a.cn", 0.5, 2) for url in ("http://a.cn/tags/党建/", "http://a.cn/tags/组织/")]
    before, other = found.place(0.1, tags[0]), found.place(0.1, link("a.cn"))
    assert before == found.place(0.1, tags[1]) > other > 0.1
    told(found, [dataclasses.replace(nothing("a.cn"), url=tags[0].url)] * 20)
    assert other < found.place(0.1, tags[1]) < before


def test_a_site_is_unexplored_until_some_pages_of_each_large_section_were_fetched() -> None:
    def of_section(name: str, links: int) -> list[Entry]:
        urls = [f"http://a.cn/{name}/{number}/" for number in range(links)]
        return [Entry(fingerprint(url), url, "a.cn", 0.5, 2) for url in urls]

    found = asked_for(["a.cn"], EXPLORED - 1)
    assert not found.is_unexplored([link("other.cn")])  # nobody asked for it
    assert found.is_unexplored([link("a.cn")])
    told(found, [nothing("a.cn")])
    assert not found.is_unexplored([link("a.cn")])
    small, large = of_section("tags", 1), of_section("notes", 99)
    assert found.is_unexplored([*small, *large])
    told(found, [dataclasses.replace(nothing("a.cn"), url=large[0].url)] * EXPLORED)
    assert not found.is_unexplored([*small, *large])
    assert found.is_unexplored([*small, *large[:40]])


def test_a_site_whose_start_leads_elsewhere_is_known_from_the_log() -> None:
    log = [
        Outcome("http://a.cn/", False, reason=REDIRECTED, led_by=("a.cn",)),
        Outcome("http://b.cn/", False, 0.0, OFF_TOPIC, None, ("b.cn",)),
    ]
    found = told(rules(learns=True, max_pages=6000), [*log, text("c.cn", "d.cn")])
    assert [found.place(0.1, link(f"{name}.cn")) > 0.1 for name in "abcd"] == [True, True, False, False]


def test_many_sites_share_the_pages_of_a_small_crawl() -> None:
    few, many = asked_for(["a.cn", "b.cn"], 40, most=300), asked_for([f"{n}.cn" for n in range(300)], 0, most=300)
    assert few.place(0.1, link("a.cn")) > 0.1 and many.place(0.1, link("7.cn")) == 0.1


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.integers(0, 50))
def test_what_is_not_known_of_a_site_leaves_its_links_in_their_order(scores: list[float], pages: int) -> None:
    found = asked_for(["a.cn", "b.cn"], pages)
    places = [found.place(score, link("a.cn")) for score in sorted(scores)]
    assert places == sorted(places)


HOSTS = st.sampled_from(["a.cn", "b.cn", "c.cn:8080"])
OUTCOMES = st.one_of(
    st.builds(nothing, HOSTS, st.sampled_from([OFF_TOPIC, OFF_TOPIC, OFF_TOPIC, "no text", "HTTP 404"])),
    st.builds(text, HOSTS, HOSTS),
)


@given(st.lists(OUTCOMES, max_size=120), st.integers(0, 120))
def test_the_log_alone_decides(log: list[Outcome], stopped: int) -> None:
    """What is told again on resume leads to what one that ran through knows."""
    through, resumed = told(rules(2, 4), log), told(told(rules(2, 4), log[:stopped]), log[stopped:])
    assert (resumed.slowed, resumed.left, resumed.revision) == (through.slowed, through.left, through.revision)
    assert through.left <= through.slowed


def test_a_crawl_is_over_at_its_limit_with_what_is_on_its_way() -> None:
    policy = rules(max_pages=3)
    assert not policy.is_over(in_flight=2) and policy.limit_reached(in_flight=3)
    told(policy, [text("a.cn"), Outcome("http://a.cn/old", False, reason=REDIRECTED), nothing("b.cn", "HTTP 404")])
    assert policy.fetched == 2
    assert not policy.is_over(in_flight=0) and policy.is_over(in_flight=1)
    assert not rules(max_pages=0).limit_reached(in_flight=10**9)


def test_further_parts_of_an_article_come_first_whatever_they_say() -> None:
    links = [link(name) for name in ("one.cn", "two.cn", "three.cn", "other.cn")]
    links[0].dropped, links[1].dropped = BELOW_THRESHOLD, "page off topic"
    links[2].dropped = "trap"
    item = PageItem(link("page.cn"), "http://page.cn/", "", links=links, parts=tuple(entry.url for entry in links[:3]))
    item.found["series"] = "长征路上"
    follow_parts(item, closed="page off topic")
    assert [(entry.dropped, entry.priority, entry.meta) for entry in links] == [
        (None, SEED_PRIORITY, {PART_OF: "长征路上"}),
        (None, SEED_PRIORITY, {PART_OF: "长征路上"}),
        ("trap", 0.5, {}),
        (None, 0.5, {}),
    ]


@pytest.mark.parametrize(
    ("allowed", "name", "permitted"),
    [
        ((), "10.0.0.5", False),
        (("10.0.0.5",), "10.0.0.5:22", True),
        (("10.0.0.5:8080",), "10.0.0.5:8080", True),
        (("10.0.0.5:8080",), "10.0.0.5:22", False),
        (("all",), "10.0.0.5:22", True),
    ],
)
def test_what_the_setting_permits(allowed: tuple[str, ...], name: str, permitted: bool) -> None:
    policy = rules(allow_private=allowed)
    assert not_public(name) and policy.permits(name) is permitted
    assert (policy.refusal(f"http://{name}/", 1) is None) is permitted


def test_a_seed_permits_its_own_port_alone() -> None:
    policy = rules()
    policy.name(["http://192.168.1.2:9200/start"])
    assert policy.refusal("http://192.168.1.2:9200/next", 1) is None
    assert policy.refusal("http://192.168.1.2:6379/", 1) == "private address"


def test_a_worker_follows_a_seed_that_another_was_given() -> None:
    seed, parent = "http://10.0.0.5:9200/start", Evidence("http://10.0.0.5:9200/start", 0.5, True, "党建")

    def entry(url: str, *evidence: Evidence, **meta: object) -> Entry:
        return Entry(fingerprint(url), url, host(url), 0.5, len(evidence), evidence, meta)

    policy = rules()
    assert policy.late_refusal(entry(seed, redirect_times=1), 0) == "private address"
    assert policy.late_refusal(entry("http://10.0.0.5:9200/next", parent), 0) is None  # its own page links to it
    assert rules().late_refusal(entry(seed), 0) is None
    assert rules().late_refusal(entry("http://10.0.0.6/", parent), 0) == "private address"


def found_link(name: str = "a.cn", priority: float = 0.5, rescored: int = 0) -> Entry:
    url = f"http://{name}/1"
    where = (Evidence("http://b.cn/", 0.5, True, "党建"),)
    return Entry(fingerprint(url), url, name, priority, 1, where, rescored=rescored)


def test_a_seed_and_a_part_of_an_article_are_no_links() -> None:
    entries = found_link(), found_link(priority=SEED_PRIORITY), link("a.cn")
    assert [is_link(entry) for entry in entries] == [True, False, False]


def test_a_link_whose_turn_has_come_is_scored_again_a_few_times() -> None:
    found = rules()
    assert found.place_now(found_link(), lambda candidates: [0.2]) == 0.2
    assert found.place_now(found_link(), lambda candidates: [None]) == 0.5
    assert found.place_now(found_link(rescored=3), lambda candidates: [0.2]) == 0.5
    assert found.place_now(found_link(priority=SEED_PRIORITY), lambda candidates: [0.2]) == SEED_PRIORITY
    told(found, [nothing(VIDEO)] * PAGES)  # a slowed host gives way all the same
    assert found.place_now(found_link(VIDEO, rescored=3), lambda candidates: [0.9]) == -1 / 1.5


def test_an_address_in_place_of_another_keeps_its_place_and_evidence() -> None:
    target = rules().instead("https://a.cn/1", found_link(), {"redirect_times": 1})
    assert (target.url, target.host, target.priority, target.dropped) == ("https://a.cn/1", "a.cn", 0.5, None)
    assert target.meta == {"redirect_times": 1} and target.evidence == found_link().evidence
    assert rules().instead("http://10.0.0.1/", found_link(), {}).dropped == "private address"
    # a home page in place of a feed is no listing
    feed = dataclasses.replace(found_link(), meta={LISTED: "feed"})
    assert rules().instead("http://a.cn/", feed, {}).dropped == NO_LISTING
    assert rules().instead("http://a.cn/rss.xml", feed, {}).dropped is None
