"""What is remembered of pages: the latest ones, by their latest relevance, through a stop."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from topical_crawler.strategies.adaptive import link_model as module
from topical_crawler.strategies.adaptive.link_model import MAX_FEATURES, MAX_PARENTS, digest
from topical_crawler.strategies.adaptive.memory import CAPACITY, LINK_WORDS, PAGE_WORDS, IncomingLink, Memory, PageWords

OVER = 10


def words(n: int, many: int = 3) -> PageWords:
    numbers = np.arange(n, n + many, dtype=np.uint16)
    counts = np.full(many, 1 + n % 255, dtype=np.uint8)
    own = (n / 8, n % 7 / 8, (n % 5 / 8, n % 3 / 8), n % 2 == 0)
    return PageWords(numbers, counts, numbers[:2] + 1, counts[:2], numbers[:1] + 2, *own)


def leading(n: int, many: int = 3) -> IncomingLink:
    says = range(n + 1, n + 1 + LINK_WORDS)
    parents = min(many, MAX_PARENTS)
    eq5 = (0.5, 0.25, 1.0)
    return IncomingLink(list(range(n + 1, n + 1 + many)), [n + 7] * parents, [0.25] * parents, 0.5, n % 5, says, eq5, n % 9 / 8)


def same(one: Memory, other: Memory) -> None:
    assert (one.learned, len(one)) == (other.learned, len(other))
    for name in Memory._FIELDS:
        np.testing.assert_array_equal(getattr(one, name)[: len(one)], getattr(other, name)[: len(one)], err_msg=name)
    assert [one.row(page) for page in one.pages.tolist() if page] == [other.row(page) for page in one.pages.tolist() if page]


def reloaded(memory: Memory) -> Memory:
    restored = Memory()
    restored.load_state_dict(json.loads(json.dumps(memory.state_dict())))
    return restored


@pytest.fixture(scope="module")
def full() -> Memory:
    """Page n has the digest n + 1; the first ones hold as much as can be held, the pages that take their rows hold nothing."""
    memory = Memory()
    for n in range(CAPACITY):
        memory.add(n + 1, words(n, PAGE_WORDS), leading(n, MAX_FEATURES), 1.0)
    for n in range(CAPACITY, CAPACITY + OVER):
        memory.add(n + 1, None, None, 0.0)
    return memory


def test_the_oldest_pages_are_forgotten_and_can_be_learned_again(full: Memory) -> None:
    assert (full.learned, len(full)) == (CAPACITY + OVER, CAPACITY)
    remembered = [n for n in range(CAPACITY + OVER) if n + 1 in full]
    assert remembered == list(range(OVER, CAPACITY + OVER))
    assert full.row(1) is None
    assert all(full.pages[full.row(n + 1)] == n + 1 for n in remembered)
    again = copy.deepcopy(full)
    again.add(1, words(1), None, 0.7)
    assert 1 in again and OVER + 1 not in again
    assert again.relevances_of(1) == (np.float32(0.7), np.float32(1 / 8))


def test_a_page_leaves_nothing_to_the_one_that_takes_its_place(full: Memory) -> None:
    for name in set(Memory._FIELDS) - {"pages"}:
        assert not getattr(full, name)[:OVER].any(), name
    assert full.words[OVER].tolist() == words(OVER, PAGE_WORDS).numbers.tolist()
    assert full.features[OVER].tolist() == leading(OVER, MAX_FEATURES).features


def test_a_page_that_makes_room_counts_until_all_is_learned_again() -> None:
    memory = Memory()
    for n in range(CAPACITY + 1):
        memory.add(n + 1, words(n + 1), None, 0.9)
    for one in (memory, reloaded(memory)):
        assert [one.relevances_of(page) for page in (1, 2)] == [pytest.approx((0.9, 1 / 8)), pytest.approx((0.9, 2 / 8))]
        one.settle()
        assert one.relevances_of(1) is None and one.relevances_of(2) == pytest.approx((0.9, 2 / 8))


def test_examples_outlive_the_oldest() -> None:
    memory = Memory()
    for n in range(CAPACITY):
        memory.add(n + 1, None, None, 0.1)
    memory.set_examples(np.array([0, 2, 3]))
    restored = reloaded(memory)
    for one in (memory, restored):
        for n in range(CAPACITY, CAPACITY + 3):
            one.add(n + 1, None, None, 0.1)
        assert [page for page in range(1, 9) if page in one] == [1, 3, 4, 7, 8]
    same(restored, memory)
    memory.set_examples(np.array([3]))
    for n in range(CAPACITY + 3, 2 * CAPACITY + 3):
        memory.add(n + 1, None, None, 0.1)
    assert [page for page in range(1, CAPACITY + 3) if page in memory] == [4]
    assert len(memory) == CAPACITY and memory.learned == 2 * CAPACITY + 3


def test_what_is_remembered_of_a_page() -> None:
    memory = Memory()
    memory.add(5, words(4), leading(9, 2), 0.75)
    memory.add(6, None, leading(9, 2), 0.0)
    memory.add(7, words(4), None, 0.5)
    assert memory.fetched[:3].tolist() == [True, False, True]
    assert memory.has_link[:3].tolist() == [True, True, False]
    assert memory.relevance[:3].tolist() == [0.75, 0.0, 0.5]
    assert (memory.words[0, :4].tolist(), memory.counts[0, :4].tolist()) == ([4, 5, 6, 0], [5, 5, 5, 0])
    assert (memory.page_terms[0, :3].tolist(), memory.parts[0, :3].tolist()) == ([5, 6, 0], [5, 5, 0])
    assert (memory.labels[0, :2].tolist(), memory.is_article[:3].tolist()) == ([6, 0], [True, False, True])
    assert (memory.features[0, :3].tolist(), memory.parents[0, :3].tolist()) == ([10, 11, 0], [16, 16, 0])
    assert (memory.link_relevances[0, 0], memory.terms[0], memory.distance[0]) == (0.25, 0.5, 4)
    assert memory.link_words[:3, :2].tolist() == [[10, 11], [10, 11], [0, 0]]
    assert memory.eq5[0].tolist() == [0.5, 0.25, 1] and memory.described[:2].tolist() == [0.5, 0]


def test_pages_that_are_remembered_count_by_the_latest_opinion_others_by_what_they_gave() -> None:
    memory = Memory()
    memory.add(11, None, None, 0.9)
    memory.add(12, None, None, 0.2)
    memory.relevance[memory.row(12)] = 0.6
    parents = np.array([[11, 12, 0], [99, 12, 0], [99, 0, 0], [0, 0, 0]], dtype=np.int64)
    given = np.array([[0.1, 0.1, 0.0], [0.3, 0.1, 0.0], [0.3, 0.8, 0.0], [0.8, 0.8, 0.8]], dtype=np.float32)
    best, mean = memory.parent_relevances(parents, given)
    assert best.tolist() == pytest.approx([0.9, 0.6, 0.3, 0.0])
    assert mean.tolist() == pytest.approx([0.75, 0.45, 0.3, 0.0])  # what fills a row up is no page
    assert [memory.relevances_of(page) for page in (11, 12)] == [pytest.approx((0.9, 0)), pytest.approx((0.6, 0))]
    assert memory.relevances_of(99) is None
    assert [found.shape for found in memory.parent_relevances(parents[:0], given[:0])] == [(0,), (0,)]


@pytest.mark.parametrize("pages", [0, 1, 30])
def test_the_state_survives_json(pages: int) -> None:
    memory, restored = Memory(), Memory()
    for n in range(pages):
        memory.add(digest(f"http://a.cn/{n}"), words(n), leading(n) if n % 3 else None, n / 30)
    restored.add(3, words(3), leading(3), 1.0)  # forgotten
    restored.load_state_dict(json.loads(json.dumps(memory.state_dict())))
    same(restored, memory)
    assert 3 not in restored
    restored.add(4, words(4), leading(4), 1.0)
    memory.add(4, words(4), leading(4), 1.0)
    same(restored, memory)


def test_a_full_memory_goes_on_where_it_stopped(full: Memory) -> None:
    restored, going_on = reloaded(full), reloaded(full)
    same(restored, full)
    restored.add(-5, words(1), leading(1), 0.5)
    assert restored.row(-5) == OVER and OVER + 1 not in restored and OVER + 2 in restored
    same(going_on, full)  # what was restored is its own


def test_a_page_is_never_the_number_that_stands_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    digest.cache_clear()
    monkeypatch.setattr(module, "fingerprint", lambda _: b"\0" * 16)
    assert digest("http://a.cn/") != 0
    digest.cache_clear()


def test_addresses_of_one_page_are_one_number() -> None:
    assert digest("http://a.cn/index.html#top") == digest("http://A.cn/index.html")
    assert len({digest(f"http://a.cn/{n}") for n in range(500)}) == 500
    assert all(-(2**63) <= digest(f"http://a.cn/{n}") < 2**63 for n in range(500))
    assert digest("") != 0 != digest("http://[broken/")
