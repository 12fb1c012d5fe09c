"""Word vectors: their form on disk, cosines and neighbours, and words made of known parts."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import ComposingVectors, WordVectors, WriteReport, parts, write_vectors
from topical_crawler.strategies.semantic.similarity import WordSimilarity

UNIT = np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 1, 0], [0.6, 0.8, 0], [-1, 0, 0]], dtype=np.float32)
FIVE = WordVectors(["甲", "乙", "丙", "丁", "戊"], UNIT)


def binary(words: list[str], rows: np.ndarray) -> bytes:
    body = b"".join(w.encode() + b" " + row.astype("<f4").tobytes() for w, row in zip(words, rows, strict=True))
    return f"{len(words)} {rows.shape[1]}\n".encode() + body


def test_what_is_written_is_normalised_and_counted(tmp_path: Path) -> None:
    rows = [[3, 4], [0, 0], [9, 9], [1, np.nan], [np.inf, 1], [1, 1], [1, 2], [2, 0]]
    words = ["ＣＰＵ", "零", "cpu", "非数", "无穷", "", "半\ud800", "党员"]
    path = tmp_path / "new" / "v.npy"
    report = write_vectors(path, words, (np.array(row, dtype=np.float32) for row in rows), 2)
    dropped = {
        "without direction (all numbers 0)": 1, "repeated after normalisation": 1, "with a number that is not finite": 2,
        "with a word that is empty or no valid text": 2,
    }  # fmt: skip
    assert report == WriteReport(path, 2, 2, 8, dropped)
    assert sorted(p.name for p in path.parent.iterdir()) == ["v.npy", "v.vocab"]
    vectors = WordVectors.open(path)
    assert vectors.words == ["cpu", "党员"] and np.allclose(vectors.matrix, [[0.6, 0.8], [1, 0]])


def test_more_rows_than_are_held_at_once(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).normal(size=(20_000, 3)).astype(np.float32)
    write_vectors(tmp_path / "v.npy", map(str, range(20_000)), rows, 3)
    vectors = WordVectors.open(tmp_path / "v.npy")
    assert vectors.words[19_999] == "19999" and isinstance(vectors.matrix, np.memmap)
    assert np.allclose(vectors.matrix, rows / np.linalg.norm(rows, axis=1, keepdims=True), atol=1e-6)
    exact = np.argsort(-(vectors.matrix @ vectors.matrix[5]), kind="stable")[1:4]
    assert [word for word, _ in vectors.nearest("5", 3)] == [str(i) for i in exact]


@pytest.mark.parametrize(
    ("words", "rows", "says"),
    [
        (["甲"], [np.ones(3)], "'甲' has the shape \\(3,\\) instead of \\(2,\\)"),
        (["甲", "乙"], [np.ones(2)], "shorter"),
        ([], [], "no usable vector in it \\(it is empty\\)"),
        (["甲"], [np.zeros(2)], "no usable vector in it \\(1 without direction"),
    ],
)
def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path, words: list[str], rows: list[np.ndarray], says: str) -> None:
    path = tmp_path / "v.npy"
    write_vectors(path, ["旧"], [np.ones(2, dtype=np.float32)], 2)
    with pytest.raises(ValueError, match=says):
        write_vectors(path, words, [row.astype(np.float32) for row in rows], 2)
    assert WordVectors.open(path).words == ["旧"] and len(list(tmp_path.iterdir())) == 2
    with pytest.raises(ValueError, match=r"Name it v\.bin\.npy"):
        write_vectors(tmp_path / "v.bin", words, [], 2)


def test_neighbours() -> None:
    assert FIVE.nearest("甲", 3) == [("乙", pytest.approx(0.6)), ("丁", pytest.approx(0.6)), ("丙", 0.0)]
    assert FIVE.nearest("乙", 1) == [("丁", pytest.approx(1.0))]
    assert FIVE.nearest("甲", 9)[2:] == [("丙", 0.0), ("戊", -1.0)]
    assert FIVE.nearest("无", 3) == [] == FIVE.nearest("甲", 0)


def test_converted_vectors_serve_as_the_resource(tmp_path: Path) -> None:
    write_vectors(tmp_path / "v.npy", FIVE.words, UNIT, 3)
    resources = Resources.from_settings({"TOPICAL_VECTORS": str(tmp_path / "v.npy")}, {})
    assert resources.path("vectors") == tmp_path / "v.npy"
    similarity = WordSimilarity.from_resources(resources, cache_dir=tmp_path / "cache")
    assert similarity.sim_d("甲", "乙") == pytest.approx(0.6) and not (tmp_path / "cache").exists()


def test_the_converted_form_is_used_again_and_follows_the_source(tmp_path: Path) -> None:
    path, cache = tmp_path / "words.vector", tmp_path / "cache"
    path.write_bytes(binary(["党员", "干部"], UNIT[:2]))
    WordVectors.open(path, cache)
    made = {file: file.stat().st_mtime_ns for file in cache.iterdir()}
    assert sorted(file.suffix for file in made) == [".npy", ".vocab"]
    again = WordVectors.open(path, cache)
    assert {file: file.stat().st_mtime_ns for file in cache.iterdir()} == made and isinstance(again.matrix, np.memmap)
    converted = next(file for file in made if file.suffix == ".npy")
    assert WordVectors.open(converted).words == again.words
    path.write_bytes(binary(["书记"], np.ones((1, 3))))
    assert WordVectors.open(path, cache).words == ["书记"]


def test_a_matrix_without_its_words(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 2), dtype=np.float32))
    with pytest.raises(ValueError, match=r"a\.vocab"):
        WordVectors.open(tmp_path / "a.npy")
    (tmp_path / "a.vocab").write_text("一\n", encoding="utf-8")
    with pytest.raises(ValueError, match="does not fit 1 words"):
        WordVectors.open(tmp_path / "a.npy")
    (tmp_path / "a.vocab").write_bytes("一\n二\n".encode("gbk"))
    with pytest.raises(ValueError, match=r"a\.vocab, byte 3: not UTF-8"):
        WordVectors.open(tmp_path / "a.npy")
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-4])
    with pytest.raises(ValueError, match=r"a\.npy: no matrix of vectors"):
        WordVectors.open(tmp_path / "a.npy")


@pytest.mark.parametrize(
    ("words", "rows", "says"),
    [
        (["党员", "党员"], [[1, 0], [0, 1]], "word 1, '党员', is repeated"),
        (["ＣＰＵ"], [[1, 0]], "word 1, 'ＣＰＵ', is not in normalised form"),
        (["党员", "零"], [[1, 0], [0, 0]], "the vector of '零' has length 0, expected 1"),
        (["非数"], [[np.nan, 0]], "the vector of '非数' has length nan"),
    ],
)
def test_rows_and_words_are_checked(words: list[str], rows: list[list[float]], says: str) -> None:
    with pytest.raises(ValueError, match=rf"own\.npy: {says}.* Run topical-crawler resources import"):
        WordVectors(words, np.array(rows, dtype=np.float32)).check("own.npy")
    FIVE.check("five")


@pytest.mark.parametrize("content", [b"PK\x05\x06" + b"\0" * 18, b"\x93NUMPY\x01\x00\x10\x00{'descr': ((((((\n", b""])
def test_a_matrix_that_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.npy").write_bytes(content)
    (tmp_path / "v.vocab").write_text("党员\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"v\.npy: no matrix of vectors .* Delete it"):
        WordVectors.open(tmp_path / "v.npy")


def test_a_word_with_a_line_break_is_left_out(tmp_path: Path) -> None:
    report = write_vectors(tmp_path / "v.npy", ["党\r员", "干\n部", "支部"], UNIT[:3], 3)
    assert sum(report.dropped.values()) == 2 and WordVectors.open(tmp_path / "v.npy").words == ["支部"]


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
