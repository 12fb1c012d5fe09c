"""Frequent sequences against a count by hand, and new words and phrases of small texts."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.authoring.candidates import (
    Sample,
    discover,
    find_candidates,
    find_phrases,
    frequent_sequences,
    has_good_edges,
)
from topical_crawler.text.segment import Segmenter

Figures = dict[tuple[int, ...], tuple[int, float, float]]


def by_hand(text: list[int], min_count: int, max_length: int) -> Figures:
    """Count, cohesion and entropy of every frequent sequence, straight from the definitions."""
    text = [0, *text, 0]
    counts: Counter[tuple[int, ...]] = Counter()
    sides: dict[tuple[int, ...], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for n in range(1, max_length + 1):
        for i in range(1, len(text) - n):
            sequence = tuple(text[i : i + n])
            if 0 not in sequence:
                counts[sequence] += 1
                for side, neighbour in zip(sides[sequence], (text[i - 1], text[i + n]), strict=True):
                    side.append(neighbour or -i)  # every boundary is another neighbour
    total = sum(n for s, n in counts.items() if len(s) == 1)

    def entropy(neighbours: list[int]) -> float:
        return -sum(n / len(neighbours) * math.log(n / len(neighbours)) for n in Counter(neighbours).values())

    return {
        s: (n, min(math.log(n * total / (counts[s[:k]] * counts[s[k:]])) for k in range(1, len(s))), min(map(entropy, sides[s])))
        for s, n in counts.items()
        if n >= min_count and len(s) > 1
    }


def found(text: list[int], min_count: int, max_length: int) -> Figures:
    return {
        tuple(text[place : place + s.length]): (count, cohesion, entropy)
        for s in frequent_sequences(np.array(text, dtype=np.int32), min_count, max_length)
        for place, count, cohesion, entropy in zip(
            s.places.tolist(), s.counts.tolist(), s.cohesion.tolist(), s.entropy.tolist(), strict=True
        )
    }


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(2, 4), st.integers(2, 6))
def test_sequences_are_counted_as_defined(text: list[int], min_count: int, max_length: int) -> None:
    expected, actual = by_hand(text, min_count, max_length), found(text, min_count, max_length)
    assert actual.keys() == expected.keys()
    for sequence, figures in expected.items():
        assert actual[sequence] == pytest.approx(figures, abs=1e-9)


VERBS, THINGS = ("落实", "抓好", "开展", "坚持", "用好"), ("制度", "活动", "学习", "记录", "")
TEXTS = [f"{v}三会一课{t}，今天第{i}次讨论天气。" for i, (v, t) in enumerate((v, t) for v in VERBS for t in THINGS)]
TEXTS += [f"{v}{t}。" for v in VERBS for t in THINGS] * 2


def test_a_new_word_is_found_and_its_pieces_are_not() -> None:
    words = {w.word: w for w in discover(TEXTS, min_count=10, min_cohesion=1.0)}
    assert words["三会一课"].count == 25
    assert words["三会一课"].entropy == pytest.approx(-(3 * 0.2 * math.log(0.2) + 0.4 * math.log(0.4)))  # 好 twice
    assert not {"三会", "会一课", "一课", "三会一"} & words.keys()


def test_words_end_at_punctuation_digits_letters_and_the_ends_of_texts() -> None:
    texts = ["甲乙，丙丁", "甲乙3丙丁", "甲乙a丙丁", "甲乙", "丙丁"] * 3
    assert {w.word for w in discover(texts, min_count=3, min_cohesion=0.0)} == {"甲乙", "丙丁"}


def test_nothing_comes_of_nothing() -> None:
    for texts in ([], [""], ["，。"], ["甲"]):
        assert discover(texts) == []
        assert find_phrases([[t] for t in texts]) == []


def test_phrases_need_a_noun_at_the_end_and_are_not_pieces() -> None:
    documents = [["因为", "基层", "组织生活", "制度", "因为"], ["天气", "，", "制度"], ["组织生活"], ["基层"]] * 6
    assert [(p.word, p.count) for p in find_phrases(documents, min_count=5)] == [("基层组织生活制度", 6)]
    assert find_phrases([["基层", "改善", "。"], ["天气", "。"]] * 6, min_count=5) == []  # ends in a verb
    assert find_phrases([["基层", "因为", "制度", "。"]] * 6, min_count=5) == []


def test_a_phrase_of_rare_neighbours_is_none() -> None:
    mixed = [["制度", "活动", "。"], ["活动", "制度", "。"], ["制度", "制度", "。"], ["活动", "活动", "。"]] * 5
    assert find_phrases(mixed, min_count=5) == []


def test_words_with_good_edges() -> None:
    words = ["三会一课", "全面从严治党", "不忘初心", "四个意识", "的决定性意义", "新征程上", "我们党", "都要", "坚持以"]
    assert [word for word in words if has_good_edges(word, Segmenter())] == words[:4]


def test_candidates_are_new_words_only() -> None:
    fillers = [f"{a}和{b}都变了，{b}比{a}多。" for a in "山水风花雪月日星云雨" for b in "春夏秋冬东西南北金木"]
    got = find_candidates([t.replace("天气", "我们党") for t in TEXTS] + fillers, 10, (), Segmenter)
    assert got["三会一课"].source == "discovery"
    assert not {"制度", "讨论", "我们党"} & got.keys()


def test_a_sample_is_bounded_and_even() -> None:
    texts = [f"第{n}篇" + "文" * 96 for n in range(1000)]
    sample = Sample.draw(texts, limit=10_000)
    assert sample.step in (16, 32)
    assert sum(map(len, sample.texts)) <= 10_000
    assert list(sample.texts) == texts[:: sample.step]
    assert Sample.draw(texts).step == 1


def test_repeated_lines_count_once() -> None:
    sample = Sample.draw(["正文一\n版权所有", "正文二\n版权所有", "版权所有\n\n"])
    assert (sample.texts, sample.repeated) == (["正文一\n版权所有", "正文二"], 2)
