"""Files of other programs: every form gives the same vectors, damage is named, and no file is run that is not trusted."""

import gzip
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from topical_crawler.resources import vectors as tested
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
    (b"5 100000000000\n", r"line 1: 5 words of 100000000000 dimensions"),
    (FORMS["binary"][:-3], r"byte 80: the file ends in vector 5 of 5"),
    (binary(WORDS, ROWS).replace(b"5 3\n", b"4 3\n"), "line 1 announces 4 vectors of 3 dimensions, but the file goes on"),
    (binary(WORDS, ROWS).replace(b"5 3\n", b"5 2\n"), "Remedy"),
    (b"9 3\n" + b"\xff\x00" * 600_000, "no word within 10000 bytes"),
    (FORMS["text"].rsplit(b"\n", 2)[0] + b"\n", r"line 6: the file ends, though line 1 announces 5 words"),
    (FORMS["text"] + b"\xe5\x85\x9a 1 2 3\n", r"line 7: line 1 announces 5 words, but there are more"),
    (FORMS["text"] + b"\n\n", ""),
    (FORMS["glove"] + b"\n\xe5\x85\x9a 1 2 3\n", r"line 6: blank"),
    (b"2 2\n\xe5\x85\x9a 1 2\n\xe5\x91\x98 1 x\n", r"line 3: expected a word and 2 numbers"),
    (b"2 2\n\xe5\x85\x9a 1 x\n\xe5\x91\x98 1 1\n", r"line 2: expected a word and 2 numbers"),
    (b"2 3\n\xe5\x85\x9a 1 2\n\xe5\x91\x98 1 1\n", r"line 2: expected a word and 3 numbers.* with 2\."),
    (b"2 2\n\xe5\x85\x9a 1 2 3\n\xe5\x91\x98 1 1\n", r"line 2: expected a word and 2 numbers.* with 3\."),
    (text(["党"], np.array([[np.nan, 1.0]])), "no usable vector in it .1 with a number that is not finite"),
    (binary(["党"], np.zeros((1, 2))), "no usable vector in it"),
    ("2 2\n党员 1 2\n干部 1 1\n".encode("gb18030"), r"line 2: the word b'.*' is not UTF-8. Remedy: convert"),
    (b"2 1\n\xe5\x85\x9a \x00\x00\x80?\xb5\xb3 \x00\x00\x80?", r"byte 12, vector 2: the word b'.*' is not UTF-8"),
    (gzip.compress(FORMS["text"], mtime=0)[:-12], "damaged gzip data"),
    (gzip.compress(FORMS["binary"], mtime=0)[:30], "damaged gzip data"),
    (b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", "fastText's own binary form.*give the .vec"),
    (b"PK\x03\x04" + bytes(30), "zip archive. Remedy: unpack it"),
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


@given(
    npst.arrays(np.float32, (3, 4), elements=st.floats(-100, 100, width=32)),
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1), min_size=3, max_size=3),
    st.booleans(),
)
def test_text_and_binary_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: np.ndarray, words: list[str], as_text: bool
) -> None:
    path = tmp_path_factory.mktemp("form") / "v"
    path.write_bytes(text(words, rows) if as_text else binary(words, rows))
    with open_vector_file(path) as file:
        found = list(file.rows)
    assert [word for word, _ in found] == words
    assert np.array_equal(np.array([row for _, row in found]), rows)


# gensim: its files are pickles


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What gensim writes: with arrays inside and beside, packed, as vectors alone and as whole models."""
    from gensim.models import FastText, Word2Vec

    folder = tmp_path_factory.mktemp("gensim")
    common = {"vector_size": 6, "min_count": 1, "seed": 1, "workers": 1, "epochs": 2}
    model, fast = Word2Vec(SENTENCES, **common), FastText(SENTENCES, bucket=40, min_n=1, max_n=3, **common)
    names = ("w.kv", "w-apart.kv", "w.kv.gz", "w.model", "w-apart.model", "f.kv", "f.model", "f-apart.model")
    for name in names:
        saved = fast if name.startswith("f") else model
        limit = 0 if "apart" in name or name.endswith(".gz") else 1 << 30
        (saved.wv if ".kv" in name else saved).save(str(folder / name), sep_limit=limit)
    for kind, vectors in (("w", model.wv), ("f", fast.wv)):
        np.savez(folder / f"{kind}-expected.npz", words=vectors.index_to_key, rows=vectors.vectors)
        vectors.save_word2vec_format(str(folder / f"{kind}.vec"))
        vectors.save_word2vec_format(str(folder / f"{kind}.bin"), binary=True)
        names = (*names, f"{kind}.vec", f"{kind}.bin")
    return {name: folder / name for name in names}


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child is forked from this process, where gensim is imported already; a second of processor time a child."""
    import gensim.models  # noqa: F401

    def run(line: list[str], *, env: dict[str, str], cwd: str, **_: Any) -> subprocess.CompletedProcess[bytes]:
        said = Path(cwd, "said")

        def child() -> None:
            os.environ.clear()
            os.environ.update(env)
            os.chdir(cwd)
            sys.stderr, sys.argv = said.open("w", encoding="utf-8"), line[2:3] + line[4:]
            exec(line[3], {})  # noqa: S102 - as `python -c` does

        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join()
        return subprocess.CompletedProcess(line, process.exitcode or 0, b"", said.read_bytes())

    monkeypatch.setattr(tested, "subprocess", SimpleNamespace(run=run, DEVNULL=subprocess.DEVNULL))


PICKLES = ["w.kv", "w-apart.kv", "w.kv.gz", "w.model", "w-apart.model", "f.kv", "f.model", "f-apart.model"]
IN_FORKS = pytest.mark.usefixtures("forked")


@pytest.mark.parametrize("name", [*PICKLES, "w.vec", "w.bin", "f.vec", "f.bin"])
def test_files_of_gensim_give_its_vectors(
    models: dict[str, Path], tmp_path: Path, name: str, request: pytest.FixtureRequest
) -> None:
    if name != "w.kv":  # which is read as a user's is
        request.getfixturevalue("forked")
    expected = np.load(models[name].with_name(f"{name[0]}-expected.npz"))
    vectors = WordVectors.open(convert(models[name], tmp_path / "v.npy", trust_pickle=name in PICKLES).path)
    rows = expected["rows"] / np.linalg.norm(expected["rows"], axis=1, keepdims=True)
    assert vectors.words == expected["words"].tolist() and np.allclose(vectors.matrix, rows, atol=1e-5)


@pytest.mark.parametrize("name", PICKLES)
def test_a_pickle_is_refused_unless_it_is_trusted(models: dict[str, Path], tmp_path: Path, name: str) -> None:
    refusal = r"a pickle.* nothing of it was run\. Remedy: .*save_word2vec_format.* topical-crawler lexicon import --trust-pickle"
    with pytest.raises(ValueError, match=refusal):
        convert(models[name], tmp_path / "v.npy")
    with pytest.raises(ValueError, match=refusal):
        WordVectors.open(models[name], tmp_path / "cache")
    assert not (tmp_path / "v.npy").exists() and not list(tmp_path.glob("cache/*"))


class Call:
    """Pickles as the call of a function."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.call


@IN_FORKS
@pytest.mark.parametrize(("protocol", "names"), [(2, ("system", "getattr")), (5, ("eval", "load"))])
def test_nothing_but_vectors_is_run_of_a_pickle_that_is_trusted(tmp_path: Path, protocol: int, names: tuple[str, ...]) -> None:
    trace, path = tmp_path / "was-run", tmp_path / "v.kv"
    attacks = {
        "system": Call(os.system, f"touch {trace}"),
        "eval": Call(eval, f"open({str(trace)!r}, 'w')"),
        "getattr": Call(getattr, "党", "join"),
        "load": Call(np.load, str(trace)),
    }
    for name in names:
        path.write_bytes(pickle.dumps({"index_to_key": ["党"], "deep": [attacks[name]]}, protocol))
        with pytest.raises(ValueError, match=rf"asks for '[\w.]*{name}', which vectors do not need; nothing of it was run"):
            convert(path, tmp_path / "out.npy", trust_pickle=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["v.kv"]


ATTEMPTS = {
    "os.system('true')": "calls os.system",
    "__import__('subprocess').run(['true'])": "calls subprocess.Popen",
    "__import__('socket').socket().connect(('127.0.0.1', 9))": r"calls socket\.\S+",
    "open('../was-run', 'w')": r"writes to '\.\./was-run'",
    "open(os.getcwd() + '/../was-run', 'w')": r"writes to '.*/\.\./was-run'",
    "open(os.getcwd() + '-was-run', 'w')": r"writes to '.*-was-run'",
    "os.remove('own')": "calls os.remove",
}


def test_the_child_has_few_rights(models: dict[str, Path], tmp_path: Path) -> None:
    """Beyond the list of names: what gensim itself is made to do while it loads a file. What is refused ends the child."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/own").touch()
    child = f"""
import os
from gensim.models import KeyedVectors
from topical_crawler.resources.vectors import _unpickle
def load(path):
    for attempt in {list(ATTEMPTS)}:
        try:
            exec(attempt)
            print("done")
        except PermissionError as error:
            print(last := error)
    raise last
KeyedVectors.load = load
_unpickle({str(models["w.kv"])!r}, os.getcwd())
"""
    done = subprocess.run([sys.executable, "-c", child], cwd=tmp_path / "folder", capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "PermissionError: the file calls os.remove" in done.stderr
    for said, refused in zip(done.stdout.splitlines(), ATTEMPTS.values(), strict=True):
        assert re.fullmatch(f"the file {refused}", said)
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "own"]


@IN_FORKS
@pytest.mark.parametrize("content", [b"\x80\x04}.", b"\x80\x04", b"\x80\x040000.", b"\x80\x04K\x01Q."])
def test_a_pickle_that_is_damaged_or_holds_no_vectors(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.kv").write_bytes(content)
    with pytest.raises(ValueError, match=r"v\.kv: gensim could not load it \(\w+: .*\)\. Remedy: copy all files of the model"):
        convert(tmp_path / "v.kv", tmp_path / "out.npy", trust_pickle=True)


@IN_FORKS
def test_a_model_without_what_lies_beside_it(models: dict[str, Path], tmp_path: Path) -> None:
    alone = tmp_path / "w.kv"
    alone.write_bytes(models["w-apart.kv"].read_bytes())
    with pytest.raises(ValueError, match=r"could not load it .*w\.kv\.vectors\.npy.* Remedy: copy all files of the model"):
        convert(alone, tmp_path / "out.npy", trust_pickle=True)
    for beside in models["w-apart.kv"].parent.glob("w-apart.kv.*"):
        (tmp_path / beside.name.replace("-apart", "")).write_bytes(beside.read_bytes())
    np.save(tmp_path / "w.kv.vectors.npy", np.ones((2, 6), dtype=np.float32))
    with pytest.raises(ValueError, match=r"vectors of shape \(2, 6\) do not fit 4 words"):
        convert(alone, tmp_path / "out.npy", trust_pickle=True)
    (tmp_path / "w.kv.vectors.npy").write_bytes(pickle.dumps([1]))
    with pytest.raises(ValueError, match="could not load it"):
        convert(alone, tmp_path / "out.npy", trust_pickle=True)


def test_a_first_line_of_many_digits(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"9" * 5000 + b" 2\n")
    with pytest.raises(ValueError, match=r"v, line 1: expected .* Remedy"), open_vector_file(tmp_path / "v"):
        pass
