"""Webs of which a part of the links is gone: how many stay, which, and that the oracle goes by no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.oracle import path
from experiments.thinning import Thinning
from experiments.web_graph import WebGraph
from topical_crawler.evaluation.labels import Label
from topical_crawler.web.page import Link, Page
from topical_crawler.web.urls import fingerprint

KEYS = [fingerprint(f"http://a.cn/党课/{i}") for i in range(100)]


def staying(share: float, seed: int = 0) -> set[tuple[bytes, bytes]]:
    thinning = Thinning(share, seed)
    return {(page, link) for page, link in product(KEYS, KEYS) if thinning.stays(page, link)}


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.9])
def test_so_many_stay(share: float) -> None:
    found = staying(share)
    assert len(found) == pytest.approx(10_000 * share, abs=5 * (10_000 * share * (1 - share)) ** 0.5)
    of_page = [sum(page == one for page, _ in found) for one in KEYS]
    assert max(of_page) - 100 * share < 5 * (100 * share * (1 - share)) ** 0.5  # of every page, not of some all


def test_what_stays_with_a_share_stays_with_a_greater_one() -> None:
    assert staying(0.1) < staying(0.5) < staying(1) == set(product(KEYS, KEYS))


def test_each_seed_draws_anew_and_both_addresses_count() -> None:
    first, second = staying(0.5), staying(0.5, seed=1)
    assert len(first & second) == pytest.approx(2500, abs=220)
    assert len({(b, a) for a, b in first} & first) == pytest.approx(2500, abs=220)
    assert staying(0.5, seed=-1) not in (first, second)


def test_the_draw_is_the_same_on_every_machine() -> None:
    page = Page("http://a.cn/", links=tuple(Link(f"http://a.cn/{i}") for i in range(12)))
    assert [link.url[12:] for link in Thinning(0.5).of(page, 99).links] == ["2", "3", "4", "5", "7", "8", "11"]


def test_the_first_links_of_a_page_are_those_of_the_whole_page() -> None:
    page = Page("http://a.cn/", links=tuple(Link(f"http://a.cn/{i}", "党课") for i in range(100)))
    half, begin = Thinning(0.5).of(page, 100), Thinning(0.5).of(page, 40)
    assert half.links[: len(begin.links)] == begin.links and 0 < len(begin.links) < len(half.links) < 100
    assert set(half.links) < set(page.links)
    assert Thinning(0.5).of(Page("http://a.cn/index.html", links=page.links), 100).links == half.links
    assert Thinning(1).of(page, 40) is page
    whole = web({0: [1, 2], 1: [2]}, 3)
    assert whole.thinned(Thinning(1.0, seed=7)) is whole


def web(links: Mapping[int, Sequence[int]], pages: int) -> WebGraph:
    urls = [f"http://a.cn/{i}" for i in range(pages)]
    return WebGraph(urls, [list(dict.fromkeys(links.get(i, ()))) for i in range(pages)], {u: i for i, u in enumerate(urls)})


@given(st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=9)), st.integers(0, 5), st.floats(0.1, 1))
def test_the_oracle_goes_where_links_stay(links: Mapping[int, Sequence[int]], seed: int, share: float) -> None:
    whole, thinning = web(links, 10), Thinning(share, seed)
    thin = whole.thinned(thinning)
    keys = [fingerprint(u) for u in whole.urls]
    assert thin.links == [[t for t in to if thinning.stays(keys[i], keys[t])] for i, to in enumerate(whole.links)]
    labels = {key: Label(url, "a.cn", "article", 2, url) for key, url in zip(keys, whole.urls, strict=True)}
    reached = [0]
    for page in reached:
        reached += [t for t in thin.links[page] if t not in reached]
    assert sorted(path(thin, [whole.urls[0]], labels, 99)) == sorted(whole.urls[i] for i in reached)


def test_a_page_that_is_named_twice_is_gone_where_both_links_are() -> None:
    alias = fingerprint("http://a.cn/old")
    base = web({0: [1]}, 2)
    both = WebGraph(base.urls, base.links, base.answers, [(alias.hex(), 1)], [[1, 2], []])
    moved = WebGraph(base.urls, base.links, base.answers, [(alias.hex(), 1)], [[2], []])
    page, target = map(fingerprint, base.urls)
    seen = set()
    for seed in range(40):
        thinning = Thinning(0.5, seed)
        direct, by_alias = thinning.stays(page, target), thinning.stays(page, alias)
        seen.add((direct, by_alias))
        assert base.thinned(thinning).links == [[1] if direct else [], []]
        assert both.thinned(thinning).links == [[1] if direct or by_alias else [], []]
        assert moved.thinned(thinning).links == [[1] if by_alias else [], []]
    assert len(seen) == 4
