"""Files of other programs: every form gives the same vectors, damage is named, and no file is run."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from topical_crawler.resources.vectors import WordVectors, convert, open_vector_file

WORDS = ["党员", "干部", "CPU", "ｃｐｕ", "零"]
ROWS = np.array([[3, 4, 0], [0, 0, 2], [1, 1, 1], [9, 9, 0], [0, 0, 0]], dtype=np.float32)
SENTENCES = [["党员", "干部", "支部"], ["书记", "党员"], ["干部", "书记", "支部"]] * 20


def binary(words: list[str], rows: np.ndarray, newline: bytes = b"") -> bytes:
    body = b"".join(w.encode() + b" " + row.astype("<f4").tobytes() + newline for w, row in zip(words, rows, strict=True))
    return f"{len(words)} {rows.shape[1]}\n".encode() + body


def text(words: list[str], rows: np.ndarray, first: bool = True, end: str = "\n") -> bytes:
    lines = (f"{w} {' '.join(map(repr, row))}" for w, row in zip(words, rows.tolist(), strict=True))
    return end.join([f"{len(words)} {rows.shape[1]}", *lines][0 if first else 1 :]).encode() + end.encode()


FORMS = {
    "binary": binary(WORDS, ROWS),
    "lines": binary(WORDS, ROWS, b"\n"),
    "text": text(WORDS, ROWS),
    "windows": b"\xef\xbb\xbf" + text(WORDS, ROWS, end="\r\n"),
    "glove": text(WORDS, ROWS, first=False),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(tmp_path: Path, form: str, packed: bool) -> None:
    path = tmp_path / "words.vector"
    path.write_bytes(gzip.compress(FORMS[form], mtime=0) if packed else FORMS[form])
    vectors = WordVectors.open(path, tmp_path / "cache" if packed else None)
    assert vectors.words == ["党员", "干部", "cpu"]  # the second cpu repeats the first, 零 has no direction
    assert np.allclose(vectors.matrix, [[0.6, 0.8, 0], [0, 0, 1], np.full(3, 3**-0.5)])
    assert vectors.similarity("党员", "ＣＰＵ") == pytest.approx(1.4 / 3**0.5, rel=1e-6)
    assert vectors.similarity("党员", "零") == 0.0 and "零" not in vectors and vectors.dimensions == 3


@pytest.mark.parametrize("form", FORMS)
def test_a_limit_and_progress(tmp_path: Path, form: str) -> None:
    (tmp_path / "v").write_bytes(FORMS[form])
    seen: list[tuple[int, int | None]] = []
    report = convert(tmp_path / "v", tmp_path / "out.npy", 2, lambda done, total: seen.append((done, total)))
    assert (report.words, report.read, seen) == (2, 2, [(2, 2)])
    assert WordVectors.open(tmp_path / "out.npy").words == ["党员", "干部"]
    with pytest.raises(ValueError, match="1 or more"):
        convert(tmp_path / "v", tmp_path / "out.npy", 0)


def test_words_with_blanks_and_words_cut_by_word2vec(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"New York 1 2\n. . 3 4\n")
    with pytest.raises(ValueError, match="line 1: expected"), open_vector_file(tmp_path / "v"):
        pass
    (tmp_path / "v").write_bytes("党 1 2\nNew York 1 2\n. . 3 4\n\u3000 1 1\n".encode())
    with open_vector_file(tmp_path / "v") as file:
        assert [word for word, _ in file.rows] == ["党", "New York", ". .", "\u3000"]
    (tmp_path / "v").write_bytes(b"2 1\n\xe5\x85\x9a 1\n\xe5\x85\x9a\xe5\x85 1\n")
    report = convert(tmp_path / "v", tmp_path / "out.npy")
    assert (report.words, *report.dropped.items()) == (1, ("with a word that is empty or no valid text", 1))


BROKEN = [
    (b"", "the file is empty"),
    (b"\x00\x01 junk\n", r"line 1: expected 'words dimensions'"),
    (b"<!DOCTYPE html>\n<html>", r"line 1: expected 'words dimensions'"),
    (b"0 100\n", r"line 1: 0 words"),
    (b"9" * 5000 + b" 2\n", r"line 1: expected .* Pass vectors"),
    (b"5 100000000000\n", r"line 1: 5 words of 100000000000 dimensions"),
    (FORMS["binary"][:-3], r"byte 80: the file ends in vector 5 of 5"),
    (binary(WORDS, ROWS).replace(b"5 3\n", b"4 3\n"), "line 1 announces 4 vectors of 3 dimensions, but there is more"),
    (binary(WORDS, ROWS).replace(b"5 3\n", b"5 2\n"), "Convert"),
    (b"9 3\n" + b"\xff\x00" * 600_000, "no word within 10000 bytes"),
    (FORMS["text"].rsplit(b"\n", 2)[0] + b"\n", r"line 6: the file ends, but line 1 announces 5 words"),
    (FORMS["text"] + b"\xe5\x85\x9a 1 2 3\n", r"line 7: line 1 announces 5 words, but there are more"),
    (FORMS["text"] + b"\n\n", ""),
    (FORMS["glove"] + b"\n\xe5\x85\x9a 1 2 3\n", r"line 6: blank"),
    (b"2 2\n\xe5\x85\x9a 1 2\n\xe5\x91\x98 1 x\n", r"line 3: expected a word and 2 numbers"),
    (b"2 3\n\xe5\x85\x9a 1 2\n\xe5\x91\x98 1 1\n", r"line 2: expected a word and 3 numbers.* with 2\."),
    (b"2 2\n\xe5\x85\x9a 1 2 3\n\xe5\x91\x98 1 1\n", r"line 2: expected a word and 2 numbers.* with 3\."),
    (text(["党"], np.array([[np.nan, 1.0]])), "no usable vector in it .1 with a number that is not finite"),
    (binary(["党"], np.zeros((1, 2))), "no usable vector in it"),
    ("2 2\n党员 1 2\n干部 1 1\n".encode("gb18030"), r"line 2: the word b'.*' is not UTF-8. Convert"),
    (b"2 1\n\xe5\x85\x9a \x00\x00\x80?\xb5\xb3 \x00\x00\x80?", r"byte 12, vector 2: the word b'.*' is not UTF-8"),
    (gzip.compress(FORMS["text"], mtime=0)[:-12], "damaged gzip data"),
    (b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", "fastText's own binary form.*Pass the .vec"),
    (b"PK\x03\x04" + bytes(30), "zip archive. Unpack it"),
    (bytes(257) + b"ustar" + bytes(250), "tar archive"),
    (gzip.compress(b"a" * 257 + b"ustar" + bytes(250)), "tar archive"),
]


@pytest.mark.parametrize(("data", "says"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_named_and_leaves_nothing(tmp_path: Path, data: bytes, says: str) -> None:
    path, cache = tmp_path / "words.vector", tmp_path / "cache"
    path.write_bytes(data)
    if not says:
        assert len(WordVectors.open(path, cache)) == 3
        return
    with pytest.raises(ValueError, match=says) as caught:
        WordVectors.open(path, cache)
    assert str(path) in str(caught.value)
    assert not cache.exists() or list(cache.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True], ids=["vectors", "model"])
def test_what_gensim_saves_is_refused_with_a_remedy_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    import gensim

    model = gensim.models.Word2Vec(SENTENCES, vector_size=6, min_count=1, seed=1, workers=1, epochs=2)
    (model if whole else model.wv).save(str(tmp_path / "FILE"))
    with pytest.raises(ValueError, match=r"a pickle.* so it was not read\. If you trust") as refused:
        convert(tmp_path / "FILE", tmp_path / "v.npy")
    assert not (tmp_path / "v.npy").exists()
    (saving,) = re.findall(r"gensim\.models\.KeyedVectors.*?\.vec'\)", str(refused.value))
    monkeypatch.chdir(tmp_path)
    exec(saving.replace(".save_word2vec", ".wv.save_word2vec") if whole else saving, {"gensim": gensim})  # noqa: S102
    vectors = WordVectors.open(convert(tmp_path / "FILE.vec", tmp_path / "v.npy").path)
    assert vectors.words == model.wv.index_to_key
    assert np.allclose(vectors.matrix, model.wv.get_normed_vectors(), atol=1e-5)
