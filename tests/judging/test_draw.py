"""Samples: as large as asked, of every stratum, the same for the same seed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.judging.draw import OTHERS, Candidate, allocate, band_edges, band_name, draw

HOSTS = st.lists(st.integers(1, 60), min_size=1, max_size=30)


def pages(sizes: list[int]) -> list[Candidate]:
    """As many pages of each host, of relevance that differs within hosts and between them."""
    return [Candidate(f"{h}-{n}", f"h{h}.cn", (n * 37 % 101 + h) / 100) for h, size in enumerate(sizes) for n in range(size)]


@given(HOSTS, st.integers(30, 300), st.booleans())
def test_numbers_add_up_and_no_stratum_is_left_out(sizes: list[int], total: int, equal: bool) -> None:
    found = allocate(sizes, total, equal=equal)
    assert sum(found) == min(total, sum(sizes))
    assert all(1 <= number <= size for number, size in zip(found, sizes, strict=True))


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=20), st.integers(40, 400))
def test_every_stratum_has_its_least_and_those_above_it_are_in_proportion(sizes: list[int], total: int) -> None:
    found = allocate(sizes, total)
    if sum(sizes) <= total:
        return
    assert all(number >= min(size, 2) for number, size in zip(found, sizes, strict=True))
    free = [(number, size) for number, size in zip(found, sizes, strict=True) if number > 2]
    rate = sum(number for number, _ in free) / max(1, sum(size for _, size in free))
    assert all(abs(number - rate * size) < 2 for number, size in free)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=20), st.integers(20, 400))
def test_equal_numbers_differ_by_one_unless_a_stratum_has_no_more(sizes: list[int], total: int) -> None:
    found = allocate(sizes, total, equal=True)
    most = max(found)
    assert all(number == size or number >= most - 1 for number, size in zip(found, sizes, strict=True))


@given(HOSTS, st.integers(5, 100), st.sampled_from(["host", "relevance", "none"]), st.booleans(), st.integers(0, 99))
def test_a_sample_stands_for_all_pages(sizes: list[int], size: int, by: str, equal: bool, seed: int) -> None:
    there = pages(sizes)
    edges = band_edges(c.relevance for c in there)
    found = draw(there, size, by, seed, equal=equal, edges=edges)
    keys = [key for key, _ in found.chosen]
    assert len(keys) == len(set(keys)) == min(size, len(there))
    assert set(keys) <= {c.key for c in there}
    assert sum(stratum.weight for _, stratum in found.chosen) == pytest.approx(len(there))
    assert sum(stratum.population for stratum in found.strata) == len(there)
    drawn = [stratum.name for _, stratum in found.chosen]
    assert all(drawn.count(stratum.name) == stratum.sample for stratum in found.strata)


def test_the_order_of_the_pages_changes_nothing() -> None:
    there = pages([40, 30, 7])
    mixed = random.Random(1).sample(there, len(there))
    assert draw(mixed, 20, seed=3) == draw(there, 20, seed=3)


def test_a_known_draw_stays_what_it_was() -> None:
    """Marks are worth nothing where another version of the program or of Python draws other texts."""
    assert [key for key, _ in draw(pages([6, 3]), 4, seed=7).chosen] == ["0-0", "1-1", "1-2", "0-3"]


def test_within_a_host_the_sample_has_the_hosts_mixture_of_relevance() -> None:
    there = [Candidate(str(n), "a.cn", n / 1000) for n in range(1000)]
    drawn = sorted(int(key) for key, _ in draw(there, 10, seed=5).chosen)
    assert [n // 100 for n in drawn] == list(range(10))


def test_every_page_is_as_likely_as_the_others() -> None:
    there = [Candidate(str(n), "a.cn", n / 7) for n in range(7)]
    counts = dict.fromkeys((c.key for c in there), 0)
    for seed in range(2100):
        for key, _ in draw(there, 2, seed=seed).chosen:
            counts[key] += 1
    assert all(abs(count - 600) < 100 for count in counts.values()), counts  # 600 expected; 100 are 4.8 standard deviations


def test_of_many_hosts_the_small_ones_are_one_stratum() -> None:
    found = draw(pages([100, 90, *[1] * 200]), 40)
    assert [s.name for s in found.strata if s.population > 80] == ["h0.cn", "h1.cn", OTHERS]
    assert len(found.strata) == 10


def test_the_order_shown_mixes_the_hosts() -> None:
    shown = [stratum.name for _, stratum in draw(pages([50, 50]), 40).chosen]
    assert shown != sorted(shown) and shown != sorted(shown, reverse=True)


def test_too_few_for_the_strata_are_refused() -> None:
    there = pages([50])
    with pytest.raises(ValueError, match="3 pages cannot represent 5 strata"):
        draw(there, 3, "relevance", edges=band_edges(c.relevance for c in there))


@given(st.lists(st.floats(0, 10), max_size=60))
def test_bands_hold_all_pages(relevance: list[float]) -> None:
    edges = band_edges(relevance)
    assert list(edges) == sorted(set(edges))
    assert len({band_name(r, edges) for r in relevance}) == (len(edges) + 1 if relevance else 0)
