"""The topic as a vector: the cosine with its reasons."""

from __future__ import annotations

import pytest

from topical_crawler import Topic
from topical_crawler.strategies.base import TopicVector
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf

TERMS = {"党建": 3.0, "支部": 4.0}
SEGMENTER = Segmenter(TERMS)
VECTOR = TopicVector(TERMS, SEGMENTER, Idf({"党建": 1.0, "支部": 1.0, "天气": 1.0}))


def test_the_cosine_and_the_shares_of_the_words() -> None:
    relevance, why = VECTOR.compare("党建 支部 支部 天气")
    assert relevance == pytest.approx((3 + 8) / (5 * 6**0.5))
    assert list(why.items()) == [("支部", 0.7273), ("党建", 0.2727)]
    assert VECTOR.similarity("党建 支部 支部 天气") == relevance


@pytest.mark.parametrize("text", ["", "天气", "，。", "\ufffd\0"])
def test_nothing_in_common(text: str) -> None:
    assert VECTOR.compare(text) == (0.0, {})
    assert VECTOR.similarity(text) == 0.0


def test_the_topic_itself_is_1_and_eight_words_are_told() -> None:
    many = {f"词{chr(0x4E00 + n)}": 1.0 for n in range(20)}
    relevance, why = TopicVector(many, Segmenter(many), Idf.load()).compare(" ".join(many))
    assert relevance == pytest.approx(1.0)
    assert relevance <= 1.0
    assert len(why) == 8


def test_of_a_topic_is_with_general_idf() -> None:
    made = TopicVector.of(Topic("t", "试验", TERMS), SEGMENTER)
    assert made.compare("支部 天气") == TopicVector(TERMS, SEGMENTER, Idf.load()).compare("支部 天气")
