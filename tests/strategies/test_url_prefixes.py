"""Maximal frequent prefixes: against their definition, kept up URL by URL, and back from JSON."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.strategies.content_url import FrequentPrefixes, PrefixSets, prefixes
from topical_crawler.web.urls import MAX_DEPTH


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.cn", ["http://a.cn/"]),
        ("http://a.cn/", ["http://a.cn/"]),
        ("http://a.cn/x", ["http://a.cn/"]),
        ("http://a.cn/x/", ["http://a.cn/", "http://a.cn/x/"]),
        ("https://a.cn:8080/x/y.html", ["https://a.cn:8080/", "https://a.cn:8080/x/"]),
        ("http://a.cn/x?back=http://b.cn/y/", ["http://a.cn/"]),
        ("http://A.cn/x/../y/#z/", ["http://a.cn/", "http://a.cn/y/"]),
        ("http://a.cn//x", ["http://a.cn/", "http://a.cn//"]),
        ("mailto:dj@a.cn", []),
        ("党建", []),
        ("", []),
        ("http://[broken/", []),
    ],
)
def test_prefixes_end_in_a_slash(url: str, expected: list[str]) -> None:
    assert list(prefixes(url)) == expected


def test_prefixes_do_not_go_deeper_than_addresses_of_pages_do() -> None:
    assert len(list(prefixes("http://a.cn/" + "x/" * 200))) == MAX_DEPTH + 1


def by_definition(urls: list[str], frequency: int) -> set[str]:
    counts = Counter(prefix for url in urls for prefix in prefixes(url))
    frequent = {prefix for prefix, count in counts.items() if count >= frequency}
    return {p for p in frequent if not any(other != p and other.startswith(p) for other in frequent)}


_URLS = st.lists(
    st.builds(
        lambda host, folders, name: f"http://{host}/{''.join(f + '/' for f in folders)}{name}",
        st.sampled_from(["a.cn", "b.cn"]),
        st.lists(st.sampled_from(["dj", "d", "党建", ""]), max_size=4),
        st.sampled_from(["", "1.html", "2.html?x=/y/"]),
    ),
    max_size=25,
)


@given(_URLS, st.integers(1, 4))
def test_growing_url_by_url_is_the_definition(urls: list[str], frequency: int) -> None:
    found = FrequentPrefixes(frequency)
    for i, url in enumerate(urls, 1):
        before = set(found.maximal), found.frequent
        found.add(url)
        assert found.maximal == by_definition(urls[:i], frequency)
        assert (before[0] == found.maximal) or before[1] != found.frequent


@given(_URLS, _URLS, st.integers(1, 4))
def test_what_json_brings_back_grows_on(first: list[str], later: list[str], frequency: int) -> None:
    found, restored = FrequentPrefixes(frequency), FrequentPrefixes(frequency)
    for url in first:
        found.add(url)
    restored.add("http://elsewhere.cn/x/y")
    restored.load(json.loads(json.dumps(found.to_json())))
    assert (restored.maximal, restored.frequent) == (found.maximal, found.frequent)
    for url in later:
        found.add(url)
        restored.add(url)
    assert (restored.maximal, restored.frequent, restored.to_json()) == (found.maximal, found.frequent, found.to_json())


@given(_URLS, _URLS, _URLS)
def test_matching_is_beginning_with_one_of_the_set(relevant: list[str], irrelevant: list[str], waiting: list[str]) -> None:
    sets = PrefixSets(2)
    for url in relevant:
        sets.relevant.add(url)
    for url in irrelevant:
        sets.irrelevant.add(url)
    s, m = by_definition(relevant, 2), by_definition(irrelevant, 2)
    for url in waiting:
        own = set(prefixes(url))
        assert sets.match(url) == (bool(own & s), bool(own & (m - s)))


def test_the_revision_changes_with_every_rise() -> None:
    """Links can rise when S gains a prefix, and when a longer one takes the place of one of U."""
    sets = PrefixSets(2)
    seen = [sets.revision]
    for url in ("http://a.cn/x/1", "http://a.cn/2", "http://a.cn/x/3"):
        sets.irrelevant.add(url)
        seen.append(sets.revision)
    assert (seen, sets.match("http://a.cn/4")) == ([0, 0, 1, 2], (False, False))
    sets.relevant.add("http://a.cn/x/5")
    sets.relevant.add("http://a.cn/x/6")
    assert sets.revision > seen[-1]
    assert sets.match("http://a.cn/x/7") == (True, False)
