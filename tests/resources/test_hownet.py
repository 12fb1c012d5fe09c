"""Definitions, the tree of sememes, and word similarity: the array form against the formulas, pair by pair."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.hownet import (
    ALPHA,
    BETAS,
    DELTA,
    GAMMA,
    NO_PATH,
    Concept,
    ConceptIndex,
    Features,
    HowNet,
    SememeTree,
    parse_definition,
    value_similarities,
)

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


def write(folder: Path, text: str) -> Path:
    path = folder / "tree.txt"
    path.write_text(text, encoding="utf-8")
    return path


forests = st.lists(st.integers(0, 10**6), min_size=1, max_size=12).map(
    lambda draws: [draw % (i + 1) for i, draw in enumerate(draws)]  # a parent is an earlier node, or the node itself: a root
)


def walk(parents: list[int], a: int, b: int) -> int:
    def up(node: int) -> list[int]:
        chain = [node]
        while parents[chain[-1]] != chain[-1]:
            chain.append(parents[chain[-1]])
        return chain

    left, right = up(a), up(b)
    shared = [node for node in left if node in right]
    return left.index(shared[0]) + right.index(shared[0]) if shared else NO_PATH


@given(parents=forests, names=st.lists(st.integers(0, 8), min_size=12, max_size=12))
def test_similarity_follows_the_shortest_walk(
    tmp_path_factory: pytest.TempPathFactory, parents: list[int], names: list[int]
) -> None:
    lines = (f"{i} s{names[i]}|义{names[i]} {parent}\n" for i, parent in enumerate(parents))
    tree = SememeTree(write(tmp_path_factory.mktemp("tree"), "".join(lines)))
    known = sorted({f"s{n}|义{n}" for n in names[: len(parents)]})
    found = tree.similarities([*known, "unknown|生"])
    places = {name: [i for i in range(len(parents)) if f"s{names[i]}|义{names[i]}" == name] for name in known}
    for i, a in enumerate(known):
        for j, b in enumerate(known):
            nearest = min(walk(parents, x, y) for x in places[a] for y in places[b]) if a != b else 0
            assert found[i, j] == pytest.approx(ALPHA / (ALPHA + nearest))
    assert found[-1, -1] == 1.0
    assert np.allclose(found[-1, :-1], ALPHA / (ALPHA + NO_PATH))


def test_an_english_name_alone_is_found(tmp_path: Path) -> None:
    tree = SememeTree(write(tmp_path, "\ufeff0 root|根 0\n1 leaf|叶 0\n"))
    assert "leaf" in tree and "leaf|别名" in tree and "stone|石" not in tree
    assert tree.similarities(["leaf", "root|根"])[0, 1] == pytest.approx(1.6 / 2.6)


def test_concrete_words(tmp_path: Path) -> None:
    tree = SememeTree(write(tmp_path, "0 root|根 0\n"))
    found = value_similarities(["root|根", "(Asia|亚洲)", "(Europe|欧洲)"], tree)
    assert found[0, 1] == GAMMA and found[1, 2] == 0.0 and found[1, 1] == 1.0


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("0 a|甲 0\n1 b|乙\n", 2, "expected 'index sememe parent'"),
        ("0 a|甲 0\nx b|乙 0\n", 2, "expected 'index sememe parent'"),
        ("0 a|甲 0\n0 b|乙 0\n", 2, "is repeated"),
        ("0 a|甲 0\n1 b|乙 7\n", 2, "parent 7 is not in the file"),
        ("0 a|甲 1\n1 b|乙 0\n", 1, "its own ancestor"),
    ],
)
def test_a_malformed_line_of_the_tree_is_named(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(ValueError, match=rf"tree\.txt:{line}: .*{says}"):
        SememeTree(write(tmp_path, text))


def test_another_encoding_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "WHOLE.DAT").write_bytes("0 event|事件 0\n".encode("gb18030"))
    with pytest.raises(ValueError, match=r"WHOLE\.DAT: not UTF-8. Convert it, e.g. iconv -f GB18030"):
        SememeTree(tmp_path / "WHOLE.DAT")
