"""TF-IDF vectors, the cosine of the vector space model, Eq. 2 of Zhou et al. 2019, and which candidates become terms."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.package_data import jieba_file
from topical_crawler.text.segment import normalise
from topical_crawler.text.statistics import Idf, Vsm, WordStatistics, choose_terms, contrast, keyword_vector, norm, term_vector

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


def statistics(*documents: str) -> WordStatistics:
    found = WordStatistics()
    for document in documents:
        found.add(document.split())
    return found


DOMAIN = statistics("党建 党建 支部 学习", "党建 支部", "党建 学习 学习 学习 会议", "会议 学习")
BACKGROUND = statistics("会议 天气", "会议 足球", "学习 足球", "会议", "天气", "天气", "天气", "天气", "天气")


def test_an_empty_corpus() -> None:
    empty = WordStatistics()
    assert (empty.weight("党建"), empty.rate("党建")) == (0.0, 0.0)
    empty.add([])
    assert (empty.documents, empty.weight("党建"), empty.rate("党建")) == (1, 0.0, 0.0)


def test_asking_changes_nothing() -> None:
    before = (Counter(DOMAIN.occurrences), Counter(DOMAIN.spread), DOMAIN.documents)
    DOMAIN.weight("没有"), DOMAIN.rate("没有"), contrast(DOMAIN, BACKGROUND, "没有")
    assert (DOMAIN.occurrences, DOMAIN.spread, DOMAIN.documents) == before
    assert "没有" not in DOMAIN.spread


def test_contrast_counts_one_document_more_in_the_background() -> None:
    assert contrast(DOMAIN, BACKGROUND, "党建") == pytest.approx((3 / 4) / (1 / 10))
    assert contrast(DOMAIN, BACKGROUND, "会议") == pytest.approx((2 / 4) / (4 / 10))
    assert contrast(DOMAIN, BACKGROUND, "天气") == 0.0


def test_terms_are_the_candidates_that_the_corpora_bear_out() -> None:
    candidates = ["新词", "会议", "天气", "支部", "党建", "支部", "学习"]
    # 会议 has a contrast of 1.25, 学习 of 3.75; 天气 stands in the background only; 新词 in neither.
    assert choose_terms(candidates, DOMAIN, BACKGROUND, 3.0) == ["学习", "支部", "党建", "新词"]
    assert choose_terms(candidates, DOMAIN, BACKGROUND, 5.0) == ["支部", "党建", "新词"]
    assert choose_terms(candidates, DOMAIN, BACKGROUND, 1.0) == ["学习", "会议", "支部", "党建", "新词"]


def test_without_a_background_every_candidate_stays() -> None:
    assert choose_terms(["天气", "党建"], DOMAIN, WordStatistics(), 5.0) == ["党建", "天气"]


_DOCUMENTS = st.lists(st.lists(st.sampled_from("甲乙丙丁"), max_size=8), min_size=1, max_size=12)


@given(_DOCUMENTS)
def test_eq_2_over_any_corpus(documents: list[list[str]]) -> None:
    statistics, again = WordStatistics(), WordStatistics()
    for document in documents:
        statistics.add(document)
    for document in reversed(documents):
        again.add(reversed(document))
    for word in "甲乙丙丁":
        holding = sum(word in d for d in documents)
        expected = sum(d.count(word) for d in documents) / len(documents) * math.log(len(documents) / holding) if holding else 0
        assert statistics.weight(word) == again.weight(word) == pytest.approx(expected)
        assert statistics.weight(word) >= 0
