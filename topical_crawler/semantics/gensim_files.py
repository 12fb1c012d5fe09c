"""Vectors that gensim 3 or 4 saved (``KeyedVectors``, ``Word2Vec``, ``FastText``), without running what the file says.

Large arrays lie beside the file (``FILE.vectors.npy``, ``FILE.wv.vectors.npy``; ``.npz`` where FILE is packed).
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from topical_crawler.semantics.gensim_pickle import Held, HeldArray, read_pickle

Record = tuple[str, NDArray[np.float32]]

MAX_UNPACKED = 16 << 30
"""Bytes of a packed array (``.npz``), which is unpacked into memory; unpacked ones are only mapped."""
_ROWS_AT_ONCE = 8192
_BROKEN = (
    *(ValueError, EOFError, KeyError, TokenError, MemoryError),  # of numpy, for headers that are no headers or claim too much
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError),  # of zipfile: other methods, encryption
)


@dataclass(frozen=True, slots=True)
class GensimModel:
    """What is needed of a saved model.

    Attributes:
        words: as gensim orders them, the most frequent first.
        matrix: a row for each of them; of fastText the vectors of whole words.
        subwords: of fastText, what the vectors of whole words must be completed with.
    """

    words: list[str]
    matrix: NDArray[np.floating]
    subwords: _Subwords | None = None

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def records(self) -> Iterator[Record]:
        """Word and vector, shape ``(dimensions,)``."""
        for start in range(0, len(self.words), _ROWS_AT_ONCE):
            block = np.asarray(self.matrix[start : start + _ROWS_AT_ONCE], dtype=np.float32)
            for word, row in zip(self.words[start : start + _ROWS_AT_ONCE], block, strict=True):
                yield word, self.subwords.complete(word, row) if self.subwords else row


@dataclass(frozen=True, slots=True)
class _Subwords:
    """The vectors of character n-grams: a word's vector is the mean of its own and theirs (Bojanowski et al. 2017), which gensim
    computes anew when it loads a model, and so does not save."""

    matrix: NDArray[np.floating]
    shortest: int
    longest: int

    def complete(self, word: str, row: NDArray[np.float32]) -> NDArray[np.float32]:
        from gensim.models.fasttext import ft_ngram_hashes

        buckets = ft_ngram_hashes(word, self.shortest, self.longest, len(self.matrix))
        return np.asarray((row + self.matrix[buckets].sum(axis=0)) / (len(buckets) + 1), dtype=np.float32)


def read_gensim(path: Path, stream: BinaryIO) -> GensimModel:
    """Read a file of gensim, and the arrays beside it.

    Args:
        path: the file, for messages and for what lies beside it.
        stream: its content, unpacked.

    Raises:
        ValueError: it names something that vectors do not need, is damaged, or holds no vectors; or an array is missing.
    """
    model = read_pickle(path, stream)
    if not isinstance(model, Held):
        raise ValueError(f"{path}: a pickle, but no vectors of gensim. Remedy: save them with KeyedVectors.save or Word2Vec.save")
    inside = model.state.get("wv")
    attributes, prefix = (inside.state, "wv.") if isinstance(inside, Held) else (model.state, "")

    words = attributes.get("index_to_key") or attributes.get("index2word") or attributes.get("index2entity")
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise ValueError(
            f"{path}: no words in it (index_to_key). Remedy: save the vectors with gensim 3 or 4, with words as keys"
        )

    def array(name: str, rows: int | None) -> NDArray[np.floating] | None:
        value = attributes.get(name)
        if isinstance(value, HeldArray):
            matrix = value.read(path, name)
        elif value is None and name in _aside(attributes):
            matrix = _beside(path, prefix + name)
        else:
            return None
        if matrix.ndim != 2 or not matrix.shape[1] or matrix.dtype.kind != "f" or (rows is not None and len(matrix) != rows):
            expected = "words" if rows is None else f"{rows} words"
            raise ValueError(
                f"{path}: the array {prefix}{name} is {matrix.dtype} {matrix.shape}, which does not fit {expected}. "
                "Remedy: copy the file again together with what lies beside it"
            )
        return matrix

    matrix = array("vectors", len(words))
    if matrix is None:
        matrix = array("syn0", len(words))
    if matrix is not None:
        return GensimModel(words, matrix)
    whole, ngrams = array("vectors_vocab", len(words)), array("vectors_ngrams", None)
    if whole is None or ngrams is None:
        raise ValueError(f"{path}: no vectors in it. Remedy: save them with KeyedVectors.save or Word2Vec.save")
    shortest, longest = attributes.get("min_n"), attributes.get("max_n")
    if ngrams.shape[1] != whole.shape[1] or not isinstance(shortest, int) or not isinstance(longest, int):
        raise ValueError(f"{path}: the parts of a fastText model do not fit each other. Remedy: copy its files again")
    if not attributes.get("compatible_hash", True):
        raise ValueError(f"{path}: a fastText model with the hashes of gensim before 3.7. Remedy: save its vectors as .vec")
    return GensimModel(words, whole, _Subwords(ngrams, shortest, longest) if len(ngrams) else None)


def _aside(attributes: Mapping[str, Any]) -> set[str]:
    """Names of the arrays that gensim says it wrote beside the file."""
    names = attributes.get("__numpys")
    return {name for name in names if isinstance(name, str)} if isinstance(names, list | set | frozenset) else set()


def _beside(path: Path, name: str) -> NDArray[np.floating]:
    stems = [path.name, path.name.removesuffix(".gz")]
    candidates = [path.with_name(f"{stem}.{name}{end}") for stem in stems for end in (".npy", ".npz")]
    found = next((file for file in candidates if file.is_file()), None)
    if found is None:
        raise ValueError(
            f"{path}: its array lies beside it in {candidates[0].name}, which is not there. Remedy: copy all files of the model"
        )
    try:
        if found.suffix == ".npz":
            with zipfile.ZipFile(found) as packed:
                size = sum(entry.file_size for entry in packed.infolist())
            if size > MAX_UNPACKED:
                raise ValueError(f"{size:,} bytes unpacked, more than {MAX_UNPACKED:,}")
            with np.load(found, allow_pickle=False) as archive:
                matrix = archive["val"]
        else:
            matrix = np.load(found, mmap_mode="r", allow_pickle=False)
    except _BROKEN as error:
        raise ValueError(f"{found}: no whole array of numbers ({error}). Remedy: copy the file again") from None
    return np.asanyarray(matrix)
