"""Words made of known parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.vectors import ComposingVectors, parts

KNOWN = {"中", "国", "中国", "共产", "产党", "党", "linux", "内核", "a", "b", "2019", "年"}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("中国共产党", ["中国", "共产", "党"]),
        ("中国", ["中", "国"]),  # the word itself is no part of it
        ("linux内核", ["linux", "内核"]),
        ("ab", []),
        ("a内核b", ["a", "内核", "b"]),
        ("2019年", ["2019", "年"]),
        ("中外", []),
        ("中", []),
        ("", []),
    ],
)
def test_the_fewest_parts(word: str, expected: list[str]) -> None:
    assert parts(word, KNOWN) == expected


def test_of_equally_few_the_longest_last_one() -> None:
    assert parts("甲乙丙", {"甲乙", "丙", "甲", "乙丙"}) == ["甲", "乙丙"]


@given(st.text("甲乙丙丁", max_size=9), st.sets(st.text("甲乙丙丁", min_size=1, max_size=3)))
def test_parts_make_up_the_word(word: str, known: set[str]) -> None:
    found = parts(word, known)
    assert not found or ("".join(found) == word and known.issuperset(found) and len(found) > 1)


def test_composed_vectors() -> None:
    rows = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float32)
    vectors = ComposingVectors(["支部", "书记", "反"], rows)
    assert vectors.vector("支部书记") == pytest.approx([0.5**0.5] * 2)
    assert vectors.similarity("支部书记", "书记支部") == pytest.approx(1.0)
    assert vectors.vector("支部反") is None and "支部反" not in vectors  # the sum has no direction
    assert vectors.similarity("支部书记", "查无") == 0.0 and "支部书记" in vectors and len(vectors) == 3
    assert vectors.nearest("支部书记", 1) == [("支部", pytest.approx(0.5**0.5))]
