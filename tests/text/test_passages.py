"""Texts as passages: what is stored of them gives them back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from topical_crawler.text.passages import KINDS, VERBATIM, Kind, Passage, layout, markdown, passages, plain

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
    with pytest.raises(ValueError, match="the layout has"):
        passages("一\n二", wrong)


# -- Markdown


def read_back(source: str) -> list[Passage]:
    """The passages that a parser of Markdown finds in ``source``."""
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    found: list[Passage] = []
    lists: list[str] = []  # the numbers of the items around
    quoted = in_table = 0
    rows: list[list[str]] = []
    kind: Kind
    for n, token in enumerate(tokens):
        quoted += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        in_table += (token.type == "table_open") - (token.type == "table_close")
        if token.type == "list_item_open":
            lists.append(token.info)
        elif token.type == "list_item_close":
            lists.pop()
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            found.append(Passage("\n".join("\t".join(row) for row in rows), "table"))
            rows.clear()
        elif token.type == "fence":
            found.append(Passage(token.content.removesuffix("\n"), "code", note=token.info))
        elif token.type == "inline":
            children = token.children or []
            words = "".join("\n" if child.type == "softbreak" else child.content for child in children)
            assert {child.type for child in children} <= {"text", "softbreak", "em_open", "em_close"}, source
            if in_table:
                rows[-1].append(words)
            elif words.startswith("$$\n"):
                found.append(Passage(words[3:-3], "formula"))
            elif tokens[n - 1].type == "heading_open":
                found.append(Passage(words, "heading", int(tokens[n - 1].tag[1])))
            elif lists:
                found.append(Passage(words, "item", len(lists), lists[-1]))
            else:
                kind = "quote" if quoted else "caption" if children[0].type == "em_open" else "paragraph"
                found.append(Passage(words, kind))
    return found


MARKS = st.text("甲a1 *_`[]()<>&;!#|~\\-+=.:>\"'", min_size=1, max_size=12).map(lambda text: " ".join(text.split())).filter(bool)
SOURCE = st.text("a `~\t\n$*", max_size=12).filter(lambda text: text.strip("\n") == text and text.strip() != "")
STRUCTURED = st.lists(
    st.one_of(
        st.builds(Passage, MARKS, st.sampled_from(("paragraph", "quote", "caption"))),
        st.builds(Passage, MARKS, st.just("heading"), st.integers(1, 6)),
        st.builds(Passage, MARKS, st.just("item"), st.integers(1, 3), st.sampled_from(("", "1", "2", "10"))),
        st.builds(Passage, SOURCE, st.just("code"), note=st.sampled_from(("", "c++", "python"))),
        st.builds(Passage, st.text("x^2+", min_size=1, max_size=5).map(lambda tex: f"y{tex}"), st.just("formula")),
        st.builds(Passage, st.lists(MARKS, min_size=2, max_size=2).map("\t".join), st.just("table")),
    ),
    max_size=6,
)


@given(STRUCTURED)
def test_markdown_is_read_back_as_the_same_passages(text: list[Passage]) -> None:
    expected: list[Passage] = []
    for passage in text:
        level = passage.level
        if passage.kind == "item":  # nothing is more than one level below the item before
            above = expected[-1].level if expected and expected[-1].kind == "item" else 0
            level = min(level, above + 1)
        expected.append(Passage(passage.text, passage.kind, level, passage.note))
    assert read_back(markdown(text)) == expected


def test_markdown_of_every_kind() -> None:
    text = [
        Passage("C# 与 F#", "heading", 1),
        Passage("设 $a_1*b_1$ 与 $b_2|c$，共 $5，$6；snake_case *p <b> 1. [x](y)"),
        Passage("1986. 那一年", "paragraph"),
        Passage("先", "item", 1, "1"),
        Passage("后", "item", 2),
        Passage("```\n  x", "code", note="c++ {1}"),
        Passage("\\frac{a}{b}\n\n= c", "formula"),
        Passage("a $$ b", "formula"),
        Passage("名|称\t$|x|$\n值", "table"),
        Passage("引", "quote"),
        Passage("文", "quote"),
        Passage("图 1", "caption"),
    ]
    assert markdown(text) == "\n\n".join(
        (
            "# C# 与 F\\#",
            "设 $a_1*b_1$ 与 $b_2|c$，共 \\$5，\\$6；snake_case \\*p \\<b> 1. \\[x](y)",
            "1986\\. 那一年",
            "1. 先\n   - 后",
            "````c++1\n```\n  x\n````",
            "$$\n\\frac{a}{b}\n= c\n$$",
            "```math\na $$ b\n```",
            "| 名\\|称 | $\\vert x\\vert $ |\n| --- | --- |\n| 值 |  |",
            "> 引\n>\n> 文",
            "*图 1*",
        )
    )
    assert markdown(text, without=VERBATIM - {"formula"}).count("\n\n") == 7
    assert markdown([]) == ""
