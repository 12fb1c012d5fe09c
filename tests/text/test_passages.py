"""Texts as passages: what is stored of them gives them back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.text.passages import KINDS, VERBATIM, Passage, layout, passages, plain

LINES = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), min_size=1, max_size=8)
PASSAGES = st.one_of(
    st.builds(Passage, LINES, st.sampled_from(sorted(set(KINDS) - VERBATIM)), st.integers(0, 6), st.sampled_from(("", "3"))),
    st.builds(
        Passage,
        st.lists(LINES | st.just(""), min_size=1, max_size=4).map(lambda lines: "\n".join((*lines, "x"))),
        st.sampled_from(sorted(VERBATIM)),
        note=st.sampled_from(("", "python")),
    ),
)


@given(st.lists(PASSAGES, max_size=8))
def test_plain_text_and_layout_give_the_passages_back(text: list[Passage]) -> None:
    kept = [p if p.kind != "paragraph" else Passage(p.text) for p in text]  # a paragraph has neither level nor note
    assert passages(plain(kept), json.loads(json.dumps(layout(kept)))) == kept


def test_paragraphs_need_no_layout() -> None:
    assert layout([Passage("各支部开展学习。"), Passage("大家谈了体会。")]) == []
    assert passages("", []) == []


def test_kinds_are_left_out_of_the_plain_text() -> None:
    text = [Passage("公式如下："), Passage("E = mc^2", "formula"), Passage("x = 1", "code")]
    assert plain(text, without={"formula", "code"}) == "公式如下："


@pytest.mark.parametrize(
    "wrong", [[[0, 3, "code", 0, ""]], [[1, 1, "code", 0, ""], [0, 1, "code", 0, ""]], [[0, 1, "poem", 0, ""]]]
)
def test_a_layout_of_another_text_is_refused(wrong: list[list[int | str]]) -> None:
    with pytest.raises(ValueError, match="the layout names"):
        passages("一\n二", wrong)
