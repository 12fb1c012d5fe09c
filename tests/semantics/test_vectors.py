"""Word vectors: every form gives the same vectors; broken files are named."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from topical_crawler.semantics.vectors import WordVectors

WORDS = ["党员", "干部", "CPU", "ｃｐｕ", "零"]
ROWS = np.array([[3, 4, 0], [0, 0, 2], [1, 1, 1], [9, 9, 0], [0, 0, 0]], dtype=np.float32)


def binary(words: list[str], rows: np.ndarray, newline: bytes = b"") -> bytes:
    body = b"".join(w.encode() + b" " + row.astype("<f4").tobytes() + newline for w, row in zip(words, rows, strict=True))
    return f"{len(words)} {rows.shape[1]}\n".encode() + body


def text(words: list[str], rows: np.ndarray) -> bytes:
    lines = [
        f"{len(words)} {rows.shape[1]}",
        *(f"{w} {' '.join(map(str, row))}" for w, row in zip(words, rows.tolist(), strict=True)),
    ]
    return "\n".join(lines).encode()


FORMS = {"binary": binary(WORDS, ROWS), "lines": binary(WORDS, ROWS, b"\n"), "text": text(WORDS, ROWS)}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(tmp_path: Path, form: str, cached: bool, packed: bool) -> None:
    path = tmp_path / "words.vector"
    path.write_bytes(gzip.compress(FORMS[form], mtime=0) if packed else FORMS[form])
    vectors = WordVectors.open(path, tmp_path / "cache" if cached else None)
    assert vectors.words == ["党员", "干部", "cpu"]  # the second cpu repeats the first, 零 has no direction
    assert np.allclose(vectors.matrix, [[0.6, 0.8, 0], [0, 0, 1], np.full(3, 3**-0.5)])
    assert vectors.similarity("党员", "ＣＰＵ") == pytest.approx(1.4 / 3**0.5, rel=1e-6)
    assert vectors.similarity("党员", "零") == 0.0 and "零" not in vectors and vectors.dimensions == 3


def test_the_converted_form_is_used_again_and_follows_the_source(tmp_path: Path) -> None:
    path, cache = tmp_path / "words.vector", tmp_path / "cache"
    path.write_bytes(FORMS["binary"])
    WordVectors.open(path, cache)
    made = {file: file.stat().st_mtime_ns for file in cache.iterdir()}
    assert sorted(file.suffix for file in made) == [".npy", ".vocab"]
    again = WordVectors.open(path, cache)
    assert {file: file.stat().st_mtime_ns for file in cache.iterdir()} == made and isinstance(again.matrix, np.memmap)
    converted = next(file for file in made if file.suffix == ".npy")
    assert WordVectors.open(converted).words == again.words
    path.write_bytes(binary(["书记"], np.ones((1, 3))))
    assert WordVectors.open(path, cache).words == ["书记"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", r":1: expected 'words dimensions'"),
        (b"\x00\x01 junk\n", r":1: expected 'words dimensions'"),
        (FORMS["binary"][:-3], "the file ends within vector 5 of 5"),
        (FORMS["text"].rsplit(b"\n", 1)[0], r":6: .*the file ends, though line 1 announces 5 words"),
        (b"2 2\n\xe5\x85\x9a 1 2\n\xe5\x91\x98 1 x\n", r":3: expected a word and 2 numbers"),
        (text(["党"], np.array([[np.nan, 1.0]])), "'党' has a number that is not finite"),
        (binary(["党"], np.zeros((1, 2))), "no vector in it"),
        (gzip.compress(FORMS["text"], mtime=0)[:-12], "damaged gzip data"),
    ],
)
def test_a_broken_file_is_named_and_leaves_nothing(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "words.vector"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=says) as caught:
        WordVectors.open(path, tmp_path / "cache")
    assert str(path) in str(caught.value)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_matrix_without_its_words(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 2), dtype=np.float32))
    with pytest.raises(ValueError, match=r"a\.vocab"):
        WordVectors.open(tmp_path / "a.npy")
    (tmp_path / "a.vocab").write_text("一\n", encoding="utf-8")
    with pytest.raises(ValueError, match="does not fit 1 words"):
        WordVectors.open(tmp_path / "a.npy")


@given(
    npst.arrays(np.float32, (4, 5), elements=st.floats(-100, 100, width=32)).filter(
        lambda m: (np.abs(m).max(axis=1) > 1e-3).all()
    )
)
def test_similarity_is_the_cosine(tmp_path_factory: pytest.TempPathFactory, rows: np.ndarray) -> None:
    path = tmp_path_factory.mktemp("vectors") / "v"
    path.write_bytes(binary(["甲", "乙", "丙", "丁"], rows))
    vectors = WordVectors.open(path)
    exact = rows.astype(np.float64)
    for i, a in enumerate("甲乙丙丁"):
        for j, b in enumerate("甲乙丙丁"):
            cosine = exact[i] @ exact[j] / (np.linalg.norm(exact[i]) * np.linalg.norm(exact[j]))
            assert vectors.similarity(a, b) == pytest.approx(cosine, abs=1e-6)
