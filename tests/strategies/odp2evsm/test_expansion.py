from __future__ import annotations

import json

import pytest

from topical_crawler.strategies.odp2evsm.topic_keywords import EXPANDED, Expansion

PAGES = [
    ("http://a.cn/1", [("数据挖掘", 1.0), ("聚类", 0.8), ("图书", 0.2)]),
    ("http://a.cn/2", [("聚类", 0.6), ("分类", 0.9)]),
    ("http://a.cn/3", [("分类", 1.0), ("回归", 0.5)]),
    ("http://a.cn/4", [("决策树", 1.0), ("回归", 0.7)]),
]


def expansion(batch: int = 2, most: int = 20) -> Expansion:
    return Expansion({"数据挖掘": 1.0, "知识发现": 0.4}, batch, most)


def test_words_join_after_a_batch_below_the_lightest_initial_one() -> None:
    found = expansion()
    assert [found.learn(url, words) for url, words in PAGES] == [False, True, False, True]
    assert list(found.keywords) == ["数据挖掘", "知识发现", "聚类", "分类", "图书", "回归", "决策树"]
    assert found.added["聚类"] == pytest.approx(EXPANDED * 0.4 * 0.7)  # the mean of 0.8 and 0.6
    assert found.added["分类"] == pytest.approx(EXPANDED * 0.4 * 0.9)  # of its first batch alone
    assert max(found.added.values()) < 0.4


def test_words_of_more_pages_come_first_until_there_are_enough() -> None:
    found = expansion(most=3)
    for url, words in PAGES:
        found.learn(url, words)
    assert list(found.added) == ["聚类"]
    full = found.state_dict()
    assert not found.learn("http://a.cn/5", [("新词", 1.0)])
    assert found.state_dict() == full


def test_a_batch_without_a_new_word_changes_nothing() -> None:
    found = expansion(batch=1)
    assert not found.learn("http://a.cn/1", [("数据挖掘", 1.0)])
    assert found.keywords == {"数据挖掘": 1.0, "知识发现": 0.4}


def test_a_page_is_learned_once() -> None:
    once, twice = expansion(), expansion()
    for url, words in PAGES[:3]:
        once.learn(url, words)
        twice.learn(url, words)
        twice.learn(url, words)
    assert once.state_dict() == twice.state_dict()


@pytest.mark.parametrize("cut", range(len(PAGES) + 1))
def test_a_restored_one_learns_on(cut: int) -> None:
    through, restored = expansion(), expansion()
    for number, (url, words) in enumerate(PAGES):
        if number == cut:
            restored.load_state_dict(json.loads(json.dumps(through.state_dict())))
        through.learn(url, words)
        if number >= cut:
            restored.learn(url, words)
    if cut < len(PAGES):
        assert json.dumps(restored.state_dict()) == json.dumps(through.state_dict())
