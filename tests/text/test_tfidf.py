"""TF-IDF vectors and the cosine of the vector space model."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.package_data import jieba_file
from topical_crawler.text.segment import normalise
from topical_crawler.text.statistics import Idf, Vsm, keyword_vector, norm, term_vector

WORDS = ("内核", "进程", "线程", "天气", "足球", "没有的词")
IDF = Idf({"内核": 5.0, "进程": 4.0, "线程": 3.0, "天气": 2.0, "足球": 1.0})
TOPIC = {"内核": 2.0, "进程": 1.0}
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12)


def test_general_chinese_is_read_once_and_whole() -> None:
    idf = Idf.load()
    assert idf is Idf.load()
    assert idf.of("的话") < idf.of("的话术语内核") == idf.median == pytest.approx(11.95, abs=0.01)
    assert idf.of("玩花样") == pytest.approx(13.2075304714)  # the last line, which has no end


def test_words_of_general_chinese_need_no_normalising() -> None:
    words = jieba_file("analyse/idf.txt").split()[::2]
    assert [*map(normalise, words)] == words == [*dict.fromkeys(words)]


def test_unknown_words_have_the_median() -> None:
    assert IDF.of("没有的词") == IDF.median == 3.0
    with pytest.raises(ValueError, match="no word has an inverse document frequency"):
        Idf({})


def test_term_frequencies_are_shares() -> None:
    words = ["内核", "天气", "内核", "足球"]
    assert term_vector(words, IDF) == pytest.approx({"内核": 2.5, "天气": 0.5, "足球": 0.25})
    assert term_vector(words * 7, IDF) == pytest.approx(term_vector(words, IDF))
    assert term_vector([], IDF) == {}


def test_a_topic_is_its_heaviest_terms() -> None:
    terms = {"足球": 0.1, "内核": 1.0, "线程": 1.0, "进程": 2.0}
    assert keyword_vector(terms, IDF) == {"进程": 8.0, "内核": 5.0, "线程": 3.0, "足球": 0.1}
    assert list(keyword_vector(terms, IDF, most=2)) == ["进程", "内核"]


def test_the_cosine_by_hand() -> None:
    vsm = Vsm(TOPIC, IDF)
    document = {"内核": 5 / 3, "进程": 4 / 3, "天气": 2 / 3}
    product = document["内核"] * 2 + document["进程"] * 1
    assert vsm.of(["内核", "进程", "天气"]) == pytest.approx(product / (norm(list(document.values())) * math.sqrt(5)))
    assert vsm.parts(["内核", "进程", "天气"]) == pytest.approx({"内核": 10 / 3, "进程": 4 / 3})


@given(TEXTS)
def test_the_cosine_is_in_its_range_and_does_not_know_the_order(words: list[str]) -> None:
    vsm = Vsm(TOPIC, IDF)
    found = vsm.of(words)
    assert 0 <= found <= 1
    assert (found > 0) == bool({"内核", "进程"} & set(words))
    assert vsm.of(words[::-1]) == pytest.approx(found)
    assert vsm.of(words * 3) == pytest.approx(found)


def test_a_text_in_the_topics_own_proportions_is_wholly_relevant() -> None:
    """tf·idf of 内核 to 进程 as 2 to 1: eight times 内核 (5) against five times 进程 (4)."""
    assert Vsm(TOPIC, IDF).of(["内核"] * 8 + ["进程"] * 5) == pytest.approx(1.0)
