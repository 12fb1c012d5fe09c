"""Eq. 2 of Zhou et al. 2019 by hand, and which candidates become terms."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.text.statistics import WordStatistics, choose_terms, contrast


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
