"""Scores of extracted texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_scores import character_precision, character_recall, ngram_f1

texts = st.text(alphabet="党建工作\n ", max_size=30)


@given(texts, texts)
def test_scores_are_shares_and_f1_is_symmetric(a: str, b: str) -> None:
    assert 0 <= ngram_f1(a, b) == ngram_f1(b, a) <= 1
    assert 0 <= character_precision(a, b) <= 1
    assert character_recall(a, b) == character_precision(b, a)
    assert ngram_f1(a, a) == character_precision(a, a) == 1


def test_order_counts_for_n_grams_and_not_for_characters() -> None:
    assert ngram_f1("一二三四五六", "六五四三二一") == 0
    assert character_precision("一二三四五六", "六五四三二一") == 1


def test_repetition_counts() -> None:
    assert ngram_f1("党建工作" * 2, "党建工作") == pytest.approx(2 * 1 / 6)
    assert character_precision("党建党建", "党建") == 0.5
    assert character_recall("党建", "党建党建") == 0.5


@pytest.mark.parametrize(("found", "truth", "score"), [("", "", 1), ("党", "党", 1), ("党", "建", 0), ("", "党建工作", 0)])
def test_texts_shorter_than_an_n_gram(found: str, truth: str, score: float) -> None:
    assert ngram_f1(found, truth) == score
