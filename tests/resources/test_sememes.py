"""The sememe tree: distances against a plain walk, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.hownet import ALPHA, GAMMA, NO_PATH, SememeTree, value_similarities


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
def test_a_malformed_line_is_named(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(ValueError, match=rf"tree\.txt:{line}: .*{says}"):
        SememeTree(write(tmp_path, text))


def test_another_encoding_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "WHOLE.DAT").write_bytes("0 event|事件 0\n".encode("gb18030"))
    with pytest.raises(ValueError, match=r"WHOLE\.DAT: not UTF-8. Convert it, e.g. iconv -f GB18030"):
        SememeTree(tmp_path / "WHOLE.DAT")
