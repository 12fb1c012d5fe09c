"""Word vectors in a memory-mapped matrix, and their cosine (Zhou et al. 2019, Eq. 1: SimD).

Files of word2vec, text or binary, gzip or not, are converted once: a matrix of unit vectors (``.npy``) with its words beside it
(``.vocab``, one a line). The converted form opens in a tenth of a second and is shared between processes.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import os
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from topical_crawler.text import normalise

logger = logging.getLogger(__name__)

_VERSION = 1
"""Of the converted form: a change makes old files invalid."""
_BLOCK = 1 << 20


class WordVectors:
    """Unit vectors of words.

    Words stand in the form of :func:`topical_crawler.text.normalise`; of words that fall together in it, the first one (the most
    frequent, as word2vec orders them) gives its vector.

    Args:
        words: distinct normalised words.
        matrix: one row of length 1 for each word, float32, shape ``(len(words), dimensions)``.

    >>> vectors = WordVectors(["党员", "干部"], np.array([[1, 0], [0.6, 0.8]], dtype=np.float32))
    >>> round(vectors.similarity("党员", "干部"), 6), "书记" in vectors
    (0.6, False)
    """

    def __init__(self, words: Sequence[str], matrix: NDArray[np.float32]) -> None:
        if matrix.ndim != 2 or len(words) != len(matrix):
            raise ValueError(f"{len(words)} words do not fit a matrix of shape {matrix.shape}")
        self.words = list(words)
        self.matrix = matrix
        self.rows = {word: row for row, word in enumerate(self.words)}

    @classmethod
    def open(cls, path: str | os.PathLike[str], cache_dir: str | os.PathLike[str] | None = None) -> WordVectors:
        """Open a file of vectors.

        Args:
            path: word2vec text or binary with its header line ``words dimensions``, or a converted ``.npy`` with its ``.vocab``.
            cache_dir: where the converted form is kept; None: nowhere (converted again at every start, and held in memory).

        Raises:
            ValueError: the file is not in one of these forms, is truncated, or holds a number that is not finite.
        """
        source = Path(path)
        if source.suffix == ".npy":
            return cls._load(source, mapped=True)
        if cache_dir is None:
            with tempfile.TemporaryDirectory(prefix="topical-vectors-") as folder:
                return cls._load(_convert(source, Path(folder, "vectors.npy")), mapped=False)
        status = source.stat()
        identity = f"{_VERSION}|{source.resolve()}|{status.st_size}|{status.st_mtime_ns}"
        target = Path(cache_dir, f"{source.name}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.npy")
        if not target.exists():
            _convert(source, target)
        return cls._load(target, mapped=True)

    @classmethod
    def _load(cls, path: Path, mapped: bool) -> WordVectors:
        vocabulary = path.with_suffix(".vocab")
        if not vocabulary.exists():
            raise ValueError(
                f"{path}: the words should stand beside it in {vocabulary.name}, one a line; convert the vectors again"
            )
        matrix = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
        words = vocabulary.read_text(encoding="utf-8").split("\n")[:-1]
        if matrix.ndim != 2 or matrix.dtype != np.float32 or len(words) != len(matrix):
            raise ValueError(
                f"{path}: {matrix.dtype} {matrix.shape} does not fit {len(words)} words; delete it, it is made again"
            )
        return cls(words, matrix)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and normalise(word) in self.rows

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def similarity(self, a: str, b: str) -> float:
        """SimD of Eq. 1, the cosine of two words' vectors, in [-1, 1]; 0.0 where a word has none."""
        left, right = self.rows.get(normalise(a)), self.rows.get(normalise(b))
        if left is None or right is None:
            return 0.0
        return float(self.matrix[left].astype(np.float64) @ self.matrix[right].astype(np.float64))


def _convert(source: Path, target: Path) -> Path:
    """Write the converted form of ``source`` to ``target``."""
    try:
        return _write(source, target)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{source}: damaged gzip data ({error}); get the file again") from None


def _write(source: Path, target: Path) -> Path:
    """Words first, matrix last, so that a matrix is never without its words."""
    target.parent.mkdir(parents=True, exist_ok=True)
    words: dict[str, None] = {}
    with tempfile.TemporaryDirectory(prefix=".vectors-", dir=target.parent) as folder:
        matrix = Path(folder, "matrix")
        with _open(source) as stream, matrix.open("w+b") as out:
            count, dimensions = _header(source, stream)
            header = {"descr": "<f4", "fortran_order": False}
            npy.write_array_header_1_0(out, {**header, "shape": (count, dimensions)})
            start = out.tell()
            for word, vector in _records(source, stream, count, dimensions):
                length = float(np.linalg.norm(vector.astype(np.float64)))
                if not np.isfinite(length):
                    raise ValueError(f"{source}: the vector of {word!r} has a number that is not finite; get the file again")
                word = normalise(word).strip()
                if word and length and word not in words and "\n" not in word:
                    words[word] = None
                    out.write((vector / length).astype("<f4").tobytes())
            if not words:
                raise ValueError(f"{source}: no vector in it; get the file again")
            out.seek(0)  # the header leaves room for any number of rows
            npy.write_array_header_1_0(out, {**header, "shape": (len(words), dimensions)})
            if out.tell() != start:
                raise RuntimeError(f"numpy {np.__version__} wrote .npy headers of different lengths for one file")
        vocabulary = Path(folder, "words")
        vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
        vocabulary.replace(target.with_suffix(".vocab"))
        matrix.replace(target)
    logger.info("%s: %d of %d vectors kept, the others repeat a word or have no direction", source, len(words), count)
    return target


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def _header(path: Path, stream: BinaryIO) -> tuple[int, int]:
    line = stream.readline(100)
    try:
        count, dimensions = (int(number) for number in line.split())
    except ValueError:
        count = dimensions = 0
    if count < 1 or dimensions < 1:
        raise ValueError(f"{path}:1: expected 'words dimensions', as word2vec writes it, got {line[:60]!r}; give a word2vec file")
    return count, dimensions


def _records(path: Path, stream: BinaryIO, count: int, dimensions: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    with _open(path) as probe:
        probe.readline(100)
        line = probe.readline(1000 + 40 * dimensions)
    try:
        _, numbers = line.decode("utf-8").split(" ", 1)
        text = len([float(n) for n in numbers.split()]) == dimensions
    except ValueError:
        text = False
    yield from (_text if text else _binary)(path, stream, count, dimensions)


def _text(path: Path, stream: BinaryIO, count: int, dimensions: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for number in range(2, count + 2):
        line = stream.readline()
        fields = line.decode("utf-8", errors="replace").rstrip().rsplit(" ", dimensions)
        try:
            vector = np.array(fields[1:], dtype=np.float32)
        except ValueError:
            vector = np.empty(0, dtype=np.float32)
        if len(vector) != dimensions:
            what = f"got {line[:60]!r}" if line else f"the file ends, though line 1 announces {count} words"
            raise ValueError(f"{path}:{number}: expected a word and {dimensions} numbers, {what}; get the file again")
        yield fields[0], vector


def _binary(path: Path, stream: BinaryIO, count: int, dimensions: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    buffer, position = b"", 0
    for number in range(1, count + 1):
        while (end := buffer.find(b" ", position)) < 0 or len(buffer) - end - 1 < 4 * dimensions:
            more = stream.read(_BLOCK)
            if not more:
                raise ValueError(f"{path}: the file ends within vector {number} of {count}; get the file again")
            buffer, position = buffer[position:] + more, 0
        word = buffer[position:end].decode("utf-8", errors="replace")
        position = end + 1 + 4 * dimensions
        yield word, np.frombuffer(buffer, dtype="<f4", count=dimensions, offset=end + 1)
