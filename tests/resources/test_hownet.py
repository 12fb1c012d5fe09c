"""Definitions and word similarity on small invented glossaries; the array form against the formulas, pair by pair."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.hownet import BETAS, DELTA, Concept, ConceptIndex, Features, HowNet, parse_definition

TREE = "0 root|根 0\n1 a|甲 0\n2 b|乙 1\n3 c|丙 1\n4 d|丁 3\n5 other|外 5\n6 e|戊 5\n"
SEMEMES = ["root|根", "a|甲", "b|乙", "c|丙", "d|丁", "other|外", "e|戊", "unknown|生"]

values = st.sampled_from(SEMEMES)
concrete = st.sampled_from(["(Asia|亚洲)", "(Europe|欧洲)"])
features = st.dictionaries(st.sampled_from(["agent", "content", "manner"]), values | concrete, max_size=2)
symbols = st.dictionaries(st.sampled_from(["#", "*", "%", "^$"]), st.lists(values | concrete, min_size=1, max_size=3), max_size=2)


@st.composite
def definitions(draw: st.DrawFn) -> tuple[str, Concept]:
    """A DEF as text, and what should be read from it."""
    first, others = draw(values), draw(st.lists(values | concrete, max_size=3))
    relations, signs = draw(features), draw(symbols)
    items = [*others, *(f"{k}={v}" for k, v in relations.items()), *(f"{k}{v}" for k, found in signs.items() for v in found)]
    function = draw(st.booleans())
    text = ",".join([first, *draw(st.permutations(items))])
    concept = Concept(
        function,
        first,
        tuple(sorted(others)),
        tuple((k, (relations[k],)) for k in sorted(relations)),
        tuple((k, tuple(sorted(signs[k]))) for k in sorted(signs)),
    )
    return ("{" + text + "}" if function else text), concept


@given(definitions())
def test_a_definition_is_read_back(drawn: tuple[str, Concept]) -> None:
    text, concept = drawn
    assert parse_definition(text) == concept


@pytest.mark.parametrize("text", ["a|甲,", ",a|甲", "a|甲,,b|乙", "{}", "#", "a|甲,(Asia|亚洲", "{a|甲"])
def test_a_broken_definition_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_definition(text)


def test_brackets_with_a_relation_are_a_relation() -> None:
    concept = parse_definition("part|部件,(institution|机构=UN|联合国),(the United States|美国)")
    assert concept.relations == (("institution|机构", ("UN|联合国",)),)
    assert concept.others == ("(the United States|美国)",)


def glossary(folder: Path, lines: list[str], tree: str | None = TREE) -> HowNet:
    (folder / "glossary.txt").write_text("\n".join(lines), encoding="utf-8")
    if tree is None:
        return HowNet(folder / "glossary.txt")
    (folder / "tree.txt").write_text(tree, encoding="utf-8")
    return HowNet(folder / "glossary.txt", folder / "tree.txt")


class Formulas:
    """Liu & Li 2002, section 4.4, for one pair of senses; without the tree the Dice coefficient of their sememes."""

    def __init__(self, hownet: HowNet) -> None:
        self.hownet = hownet

    def similarity(self, a: str, b: str) -> float:
        senses = [[self.hownet.concepts[i] for i in self.hownet.senses[word]] for word in (a, b)]
        return max(self.concepts(left, right) for left in senses[0] for right in senses[1])

    def concepts(self, a: Concept, b: Concept) -> float:
        if a.function != b.function:
            return 0.0
        if self.hownet.tree is None:
            left, right = set(a.values()), set(b.values())
            return 2 * len(left & right) / (len(left) + len(right))
        parts = [self.value(a.first, b.first), self.set(a.others, b.others)]
        parts += [self.structure(a.relations, b.relations), self.structure(a.symbols, b.symbols)]
        return sum(beta * float(np.prod(parts[: i + 1])) for i, beta in enumerate(BETAS))

    def value(self, a: str, b: str) -> float:
        return float(self.hownet.value_matrix[self.hownet.values[a], self.hownet.values[b]])

    def set(self, a: Sequence[str], b: Sequence[str]) -> float:
        if not a or not b:
            return 1.0 if not a and not b else DELTA
        left, right = map(list, sorted((tuple(a), tuple(b))))  # equal similarities are paired in this order
        total, longer = 0.0, max(len(a), len(b))
        while left and right:
            best, i, j = max((self.value(x, y), -i, -j) for i, x in enumerate(left) for j, y in enumerate(right))
            total += best
            del left[-i], right[-j]
        return (total + DELTA * (len(left) + len(right))) / longer

    def structure(self, a: Features, b: Features) -> float:
        shared = [self.set(values, dict(b)[attribute]) for attribute, values in a if attribute in dict(b)]
        return sum(shared) / len(shared) if shared else 1.0


@given(
    senses=st.lists(st.lists(definitions(), min_size=1, max_size=3), min_size=2, max_size=6), tree=st.sampled_from([TREE, None])
)
def test_similarity_laws_and_the_formulas(
    tmp_path_factory: pytest.TempPathFactory, senses: list[list[tuple[str, Concept]]], tree: str | None
) -> None:
    lines = [f"词{i}\tN   \t{text}" for i, found in enumerate(senses) for text, _ in found]
    hownet = glossary(tmp_path_factory.mktemp("hownet"), lines, tree)
    index, formulas = ConceptIndex(hownet), Formulas(hownet)
    for a in index.words:
        row = index.row(a)
        for b, found in zip(index.words, row, strict=True):
            assert found == hownet.similarity(a, b) == pytest.approx(formulas.similarity(a, b), abs=1e-12)
            assert 0.0 <= found <= 1.0 + 1e-12
            assert found == pytest.approx(hownet.similarity(b, a), abs=1e-12)
        assert row[index.words.index(a)] == pytest.approx(1.0)


def test_the_parts_weigh_as_printed(tmp_path: Path) -> None:
    """By hand: same first sememe; one of two other sememes alike (1), the rest 1.6/(1.6+2); no relation or symbol in common."""
    hownet = glossary(tmp_path, ["男 N root|根,a|甲,b|乙", "女 N root|根,a|甲,c|丙,#e|戊", "连 CONJ {root|根}", "空 N root|根"])
    others = (1 + 1.6 / 3.6) / 2
    assert hownet.similarity("男", "女") == pytest.approx(BETAS[0] + (1 - BETAS[0]) * others)
    assert hownet.similarity("男", "空") == pytest.approx(BETAS[0] + (1 - BETAS[0]) * DELTA)
    assert hownet.similarity("连", "空") == 0.0  # a function word and a content word
    assert hownet.similarity("男", "没有") == 0.0


def test_words_are_compared_normalised_and_senses_are_joined(tmp_path: Path) -> None:
    hownet = glossary(tmp_path, ["ＣＰＵ N a|甲", "cpu N e|戊", "戊 N e|戊", "比 起 N b|乙"])
    assert "CPU" in hownet and len(hownet) == 3 and "比 起" in hownet
    assert hownet.similarity("Cpu", "戊") == 1.0


@pytest.mark.parametrize(
    ("line", "says"),
    [("只有词", "expected 'word POS DEF'"), ("词 N", "expected 'word POS DEF'"), ("词 N a|甲,", "a sememe is missing")],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    with pytest.raises(ValueError, match=rf"glossary\.txt:2: {says}.*Correct or delete the line"):
        glossary(tmp_path, ["好 N a|甲", line])


def test_an_empty_glossary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no entry"):
        glossary(tmp_path, [""])


def test_without_the_tree_no_value_has_a_similarity(tmp_path: Path) -> None:
    hownet = glossary(tmp_path, ["好 N a|甲,b|乙", "坏 N a|甲,c|丙"], tree=None)
    assert hownet.similarity("好", "坏") == 0.5
    with pytest.raises(ValueError, match="Pass a tree to HowNet"):
        _ = hownet.value_matrix
