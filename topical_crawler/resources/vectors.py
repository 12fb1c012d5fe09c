"""Word vectors: reading other programs' files, the memory-mapped form, and the cosine (Zhou et al. 2019, Eq. 1: SimD).

Files of other programs are converted once to a matrix of unit vectors (``.npy``) with its words beside it (``.vocab``, one a
line), which opens in 0.1 s and is shared between processes. The form of a file is detected by its content:

========================  ============================================================================================
word2vec, text            a line ``words dimensions``, then a word and its numbers in each line; fastText's ``.vec`` is the same
word2vec, binary          the same first line, then each word, a blank and its numbers as 32-bit floats
text without first line   as GloVe writes it; the first vector gives the dimensions
========================  ============================================================================================

Each may be packed with gzip.
"""

import contextlib
import gzip
import hashlib
import itertools
import logging
import os
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tokenize import TokenError
from typing import BinaryIO, Self, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from topical_crawler.resources.registry import open_packed
from topical_crawler.text.segment import normalise

logger = logging.getLogger(__name__)

Row = NDArray[np.float32]
Record = tuple[str, Row]
_ROWS_AT_ONCE = 8192
_GET_AGAIN = "Remedy: get the file again"
_MAKE_AGAIN = "Remedy: get or make the vectors again"

# -- The form that is mapped into memory: writing and converting


@dataclass(frozen=True, slots=True)
class WriteReport:
    """Counts of :func:`write_vectors` and :func:`convert`."""

    path: Path  # the matrix, `.npy`, with the words beside it
    words: int  # vectors written
    dimensions: int  # length of a vector
    read: int  # vectors given
    dropped: Mapping[str, int] = field(default_factory=dict)  # vectors left out, by reason


def write_vectors(path: Path, words: Iterable[str], rows: Iterable[Row], dimensions: int) -> WriteReport:
    """Write vectors in the form that :meth:`WordVectors.open` memory-maps, completely or not at all: the matrix ``path``,
    ``.npy``, and its words beside it, ``.vocab``, in place of files of these names. ``words``, most frequent first, are written
    normalised; their ``rows``, of shape ``(dimensions,)``, with length 1. Raises ValueError for a row of another shape, more
    words than rows or rows than words, or nothing to write."""
    return _write(path, zip(words, rows, strict=True), dimensions, f"{path}")


def convert(
    source: str | os.PathLike[str],
    target: Path,
    limit: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> WriteReport:
    """Convert a file of vectors. Raises ValueError where the file is in none of these forms, damaged, or without vectors, or
    ``limit`` is less than 1.

    Args:
        source: in any form of this module.
        target: the matrix, ``.npy``, see :func:`write_vectors`.
        limit: number of words to take from the beginning, where the most frequent usually are; None: all.
        progress: called with the number of vectors read and the total (None: unknown).
    """
    if limit is not None and limit < 1:
        raise ValueError(f"a limit of {limit} words leaves none. Remedy: give a number of 1 or more")
    with open_vector_file(Path(source)) as file:
        total = min(filter(None, (file.count, limit)), default=None)

        def counted() -> Iterator[Record]:
            for number, record in enumerate(itertools.islice(file.rows, limit), 1):
                yield record
                if progress and number % _ROWS_AT_ONCE == 0:
                    progress(number, total)

        report = _write(target, counted(), file.dimensions, f"{source}")
    if progress:
        progress(report.read, report.read)
    return report


def _write(path: Path, records: Iterable[Record], dimensions: int, source: str) -> WriteReport:
    if path.suffix != ".npy":
        raise ValueError(f"{path}: vectors are written to a file that ends in .npy. Remedy: name it {path.name}.npy")
    path.parent.mkdir(parents=True, exist_ok=True)
    words: dict[str, None] = {}
    dropped: Counter[str] = Counter()
    read = 0
    with tempfile.TemporaryDirectory(prefix=".vectors-", dir=path.parent) as folder:
        matrix, vocabulary = Path(folder, "matrix"), Path(folder, "words")
        with matrix.open("w+b") as out:
            header = {"descr": "<f4", "fortran_order": False}
            npy.write_array_header_1_0(out, {**header, "shape": (0, dimensions)})
            start = out.tell()
            for block in _blocks(records, dimensions):
                numbers = np.array([row for _, row in block], dtype=np.float64)
                lengths = np.linalg.norm(numbers, axis=1)
                kept = []
                for i, ((raw, _), length) in enumerate(zip(block, lengths.tolist(), strict=True)):
                    word = normalise(raw).strip()
                    if reason := _reason(word, length, words):
                        dropped[reason] += 1
                    else:
                        words[word] = None
                        kept.append(i)
                out.write((numbers[kept] / lengths[kept, None]).astype("<f4").tobytes())
                read += len(block)
            if not words:
                why = ", ".join(f"{number} {reason}" for reason, number in dropped.items())
                raise ValueError(f"{source}: no usable vector in it ({why or 'it is empty'}). {_MAKE_AGAIN}")
            out.seek(0)  # the header leaves room for any number of rows
            npy.write_array_header_1_0(out, {**header, "shape": (len(words), dimensions)})
            if out.tell() != start:
                raise RuntimeError(f"numpy {np.__version__} wrote .npy headers of different lengths for one file")
        vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
        path.unlink(missing_ok=True)  # an old matrix is never seen with new words, nor a matrix without any
        vocabulary.replace(path.with_suffix(".vocab"))
        matrix.replace(path)
    return WriteReport(path, len(words), dimensions, read, dropped)


def _reason(word: str, length: float, words: dict[str, None]) -> str:
    """Why a vector is left out; "" if it is not."""
    if not word or "\n" in word or "\r" in word or any("\ud800" <= char <= "\udfff" for char in word):
        return "with a word that is empty or no valid text"  # half of a surrogate pair cannot be written and matches no text
    if not np.isfinite(length):
        return "with a number that is not finite"
    if length == 0:
        return "without direction (all numbers 0)"
    return "repeated after normalisation" if word in words else ""


def _blocks(records: Iterable[Record], dimensions: int) -> Iterator[list[Record]]:
    several = iter(records)
    while block := list(itertools.islice(several, _ROWS_AT_ONCE)):
        for word, row in block:
            if row.shape != (dimensions,):
                raise ValueError(f"the vector of {word!r} has the shape {row.shape} instead of ({dimensions},)")
        yield block


# -- Files of other programs, read one vector after the other

MAX_DIMENSIONS = 10_000  # published vectors have 50 to 1,024; a first line that says more is not one
_LONGEST_WORD = 10_000
_LONGEST_NUMBER = 40
_BLOCK = 1 << 20
_REFUSED = (
    (
        b"\x93NUMPY",
        0,
        "a matrix of numpy. If 'topical-crawler resources import' made it, it is ready for TOPICAL_VECTORS as it is",
    ),
    (b"\xba\x16\x4f\x2f", 0, "a model in fastText's own binary form. Remedy: give the .vec file that fastText writes beside it"),
    (b"PK\x03\x04", 0, "a zip archive. Remedy: unpack it and give the file of vectors in it"),
    (b"BZh", 0, "packed with bzip2. Remedy: bunzip2 it first"),
    (b"\xfd7zXZ", 0, "packed with xz. Remedy: unxz it first"),
    (
        b"\x80",
        0,
        "a pickle, as gensim saves models, which can run code when it is read; nothing of it was run. Remedy: if you trust who "
        "made it, gensim.models.KeyedVectors.load('FILE').save_word2vec_format('FILE.vec') (for a whole model "
        "KeyedVectors.load('FILE').wv), and give FILE.vec",
    ),
    (b"ustar", 257, "a tar archive. Remedy: unpack it (tar xf) and give the file of vectors in it"),
)


@dataclass(frozen=True, slots=True)
class VectorFile:
    """An open file of vectors."""

    kind: str  # `word2vec text`, `word2vec binary` or `text without first line`
    count: int | None  # number of vectors announced; None if the form has none
    dimensions: int  # length of a vector
    rows: Iterator[Record]  # in the order of the file; raises ValueError, naming line or byte, where the file is damaged


@contextlib.contextmanager
def open_vector_file(path: Path) -> Iterator[VectorFile]:
    """Detect the form of a file of vectors and open it. Raises ValueError where it has none of the forms above or is damaged,
    OSError where it cannot be read."""
    try:
        with open_packed(path) as stream:
            start = stream.read(512)
            if not start:
                raise ValueError(f"{path}: the file is empty. {_MAKE_AGAIN}")
            for sign, place, what in _REFUSED:
                if start[place:].startswith(sign):
                    raise ValueError(f"{path}: {what}")
            stream.seek(0)
            kind, count, dimensions = _form(path, stream)
            binary = kind == "word2vec binary"
            rows = _binary(path, stream, cast(int, count), dimensions) if binary else _text(path, stream, count, dimensions)
            yield VectorFile(kind, count, dimensions, rows)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: damaged gzip data ({error}). {_GET_AGAIN}") from None


def _form(path: Path, stream: BinaryIO) -> tuple[str, int | None, int]:
    """(kind, vectors announced, dimensions), the stream left at the first vector."""
    first = stream.readline(_LONGEST_WORD + _LONGEST_NUMBER * MAX_DIMENSIONS)
    fields = first.removeprefix(b"\xef\xbb\xbf").split()
    if len(fields) == 2 and all(field.isdigit() and len(field) < 20 for field in fields):
        count, dimensions = map(int, fields)
        if count < 1 or not 1 <= dimensions <= MAX_DIMENSIONS:
            raise ValueError(
                f"{path}, line 1: {count} words of {dimensions} dimensions; expected 1 word or more of 1 to {MAX_DIMENSIONS} "
                f"dimensions. {_MAKE_AGAIN}"
            )
        place = stream.tell()
        line = stream.readline(_LONGEST_WORD + _LONGEST_NUMBER * dimensions)
        stream.seek(place)
        return ("word2vec text" if _is_text(line) else "word2vec binary"), count, dimensions
    if len(fields) >= 3 and all(map(_is_number, fields[1:])):
        stream.seek(0)
        return "text without first line", None, len(fields) - 1
    raise ValueError(
        f"{path}, line 1: expected 'words dimensions' or a word and its numbers, got {first[:60]!r}. "
        "Remedy: give vectors of word2vec, fastText (.vec) or GloVe"
    )


def _is_text(line: bytes) -> bool:
    """Whether a number follows the word, and the line has no control characters, as binary floats have."""
    fields = line.split()
    return len(fields) >= 2 and _is_number(fields[1]) and not any(byte < 32 for byte in line.rstrip().replace(b"\t", b" "))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _text(path: Path, stream: BinaryIO, count: int | None, dimensions: int) -> Iterator[Record]:
    longest = _LONGEST_WORD + _LONGEST_NUMBER * dimensions
    number, end = (0, None) if count is None else (1, count + 1)
    while line := stream.readline(longest):
        number += 1
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.strip():
            if stream.read(_BLOCK).strip():
                raise ValueError(f"{path}, line {number}: blank. Remedy: delete the line")
            number -= 1
            break
        if end is not None and number > end:
            raise ValueError(f"{path}, line {number}: line 1 announces {count} words, but there are more. Remedy: correct line 1")
        fields = line.rstrip().rsplit(None, dimensions)
        try:
            vector = np.array(fields[1:], dtype=np.float32)
        except ValueError:
            vector = np.empty(0, dtype=np.float32)
        # one number more than there should be would pass for a part of the word: words of vectors hold no ' 0.123'
        if len(vector) != dimensions or (len(fields[0].split()) > 1 and _is_number(fields[0].split()[-1])):
            raise ValueError(
                f"{path}, line {number}: expected a word and {dimensions} numbers, got {line[:60]!r}… with "
                f"{len(line.split()) - 1}. Remedy: correct or delete the line, or get the file again"
            )
        yield _decode(path, fields[0], f"line {number}"), vector
    if end is not None and number < end:
        raise ValueError(f"{path}, line {number + 1}: the file ends, though line 1 announces {count} words. {_GET_AGAIN}")


def _binary(path: Path, stream: BinaryIO, count: int, dimensions: int) -> Iterator[Record]:
    buffer, position, before = b"", 0, stream.tell()
    for number in range(1, count + 1):
        while (end := buffer.find(b" ", position)) < 0 or len(buffer) - end - 1 < 4 * dimensions:
            more = stream.read(max(_BLOCK, 4 * dimensions))
            if not more or (end < 0 and len(buffer) - position > _LONGEST_WORD):
                what = "the file ends" if not more else f"no word within {_LONGEST_WORD} bytes"
                raise ValueError(f"{path}, byte {before + position}: {what} in vector {number} of {count}. {_GET_AGAIN}")
            before += position
            buffer, position = buffer[position:] + more, 0
        word = _decode(path, buffer[position:end].lstrip(b"\n"), f"byte {before + position}, vector {number}")
        position = end + 1 + 4 * dimensions
        yield word, np.frombuffer(buffer, dtype="<f4", count=dimensions, offset=end + 1)
    if (buffer[position:] + stream.read(_BLOCK)).strip():
        raise ValueError(
            f"{path}, byte {before + position}: line 1 announces {count} vectors of {dimensions} dimensions, but the file goes "
            f"on. {_GET_AGAIN}, or correct line 1"
        )


def _decode(path: Path, word: bytes, where: str) -> str:
    """The word; "", which the writer drops, if word2vec cut it within a character, as it does after 100 bytes."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return ""
        raise ValueError(
            f"{path}, {where}: the word {word[:40]!r} is not UTF-8. Remedy: convert a text file (iconv -f GB18030 -t UTF-8), or "
            "save the vectors again with UTF-8 words"
        ) from None


# -- Vectors by word

_VERSION = 1  # version of the converted form


class WordVectors:
    """Unit vectors of distinct normalised words, the rows of a float32 matrix of shape ``(len(words), dimensions)``. Of several
    words with one normalised form the first, most frequent one counts.

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
    def open(cls, path: str | os.PathLike[str], cache_dir: str | os.PathLike[str] | None = None) -> Self:
        """Open a converted ``.npy`` with its ``.vocab``, or any other form of this module, whose converted form
        stays in ``cache_dir``; without one it is made at every start and held in memory. Raises ValueError where the file has
        another form, is damaged, or holds no vector."""
        source = Path(path)
        if source.suffix == ".npy":
            return cls._load(source, mapped=True)
        if cache_dir is None:
            with tempfile.TemporaryDirectory(prefix="topical-vectors-") as folder:
                return cls._load(convert(source, Path(folder, "vectors.npy")).path, mapped=False)
        status = source.stat()
        identity = f"{_VERSION}|{source.resolve()}|{status.st_size}|{status.st_mtime_ns}"
        target = Path(cache_dir, f"{source.name}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.npy")
        if not target.exists():
            report = convert(source, target)
            logger.info("%s: %d of %d vectors kept; left out: %s", source, report.words, report.read, report.dropped)
        return cls._load(target, mapped=True)

    @classmethod
    def _load(cls, path: Path, mapped: bool) -> Self:
        vocabulary = path.with_suffix(".vocab")
        if not vocabulary.exists():
            remedy = "Remedy: topical-crawler resources import, which writes both"
            raise ValueError(f"{path}: the words should stand beside it in {vocabulary.name}, one a line. {remedy}")
        try:
            matrix = npy.open_memmap(path, mode="r")  # np.load would take a zip archive for several matrices
        except (ValueError, EOFError, TokenError) as error:
            raise ValueError(f"{path}: no matrix of vectors ({error}). Remedy: delete it and make it again") from None
        try:
            words = vocabulary.read_text(encoding="utf-8").split("\n")[:-1]
        except UnicodeDecodeError as error:
            remedy = f"Remedy: delete it and {path.name}, import again"
            raise ValueError(f"{vocabulary}, byte {error.start}: not UTF-8. {remedy}") from None
        if matrix.ndim != 2 or matrix.dtype != np.float32 or len(words) != len(matrix):
            remedy = "Remedy: delete it and make it again"
            raise ValueError(f"{path}: {matrix.dtype} {matrix.shape} does not fit {len(words)} words. {remedy}")
        return cls(words, matrix if mapped else np.array(matrix))

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and normalise(word) in self.rows

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def check(self, name: str) -> None:
        """Check all words and rows, which :meth:`open` does not; ``name`` is for the message. Raises ValueError for a word that
        comes twice or is not normalised, or a row that is not of length 1.

        >>> WordVectors(["党员"], np.array([[3, 4]], dtype=np.float32)).check("own.npy")
        Traceback (most recent call last):
        ValueError: own.npy: the vector of '党员' has the length 5, expected 1. Remedy: topical-crawler resources import
        """
        remedy = "Remedy: topical-crawler resources import"
        for row, word in enumerate(self.words):
            if not word or self.rows[word] != row or normalise(word).strip() != word:
                what = "comes twice" if word and self.rows[word] != row else "is not in normalised form"
                raise ValueError(f"{name}: word {row + 1}, {word!r}, {what}. {remedy}")
        for start in range(0, len(self), _ROWS_AT_ONCE):
            lengths = np.linalg.norm(self.matrix[start : start + _ROWS_AT_ONCE].astype(np.float64), axis=1)
            wrong = np.flatnonzero(~(np.abs(lengths - 1) < 1e-3))
            if len(wrong):
                word, length = self.words[start + wrong[0]], lengths[wrong[0]]
                raise ValueError(f"{name}: the vector of {word!r} has the length {length:g}, expected 1. {remedy}")

    def vector(self, word: str) -> NDArray[np.float64] | None:
        """The vector of a word, length 1, shape ``(dimensions,)``; None if there is none."""
        row = self.rows.get(normalise(word))
        return None if row is None else self.matrix[row].astype(np.float64)

    def similarity(self, a: str, b: str) -> float:
        """SimD of Eq. 1, the cosine of two words' vectors, in [-1, 1]; 0.0 if a word has none."""
        left, right = self.vector(a), self.vector(b)
        return 0.0 if left is None or right is None else float(left @ right)

    def nearest(self, word: str, n: int) -> list[tuple[str, float]]:
        """The ``n`` words with the greatest cosine to ``word``, itself left out, and that cosine, in [-1, 1]; most similar first,
        equal ones in the order of ``words``. [] for a word that has no vector.

        >>> rows = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
        >>> vectors = WordVectors(["党员", "干部", "足球"], rows)
        >>> [(word, round(cosine, 2)) for word, cosine in vectors.nearest("党员", 2)]
        [('干部', 0.6), ('足球', 0.0)]
        """
        if (vector := self.vector(word)) is None:
            return []
        cosines = self.matrix @ (vector / np.linalg.norm(vector)).astype(np.float32)
        order = np.argsort(-cosines, kind="stable")
        others = order[order != self.rows.get(normalise(word), -1)]
        return [(self.words[i], float(np.clip(cosines[i], -1, 1))) for i in others[: max(n, 0)]]


# -- Vectors of words that have none, from the words and characters that they are made of


def parts(word: str, known: Container[str]) -> list[str]:
    """Cut a word into the fewest known parts, at ties with the longest last one (the head of a compound); [] if it cannot be cut.

    Runs of letters and digits are not cut, and the word itself is not a part.

    >>> parts("基层党组织", {"基层", "党", "组织", "党组", "织"}), parts("abc", {"a", "b", "c"}), parts("党课", {"党"})
    (['基层', '党', '组织'], [], [])
    """
    best: list[list[str] | None] = [[], *([None] * len(word))]
    for end in range(1, len(word) + 1):
        for start in range(end):
            before, part, shortest = best[start], word[start:end], best[end]
            if before is None or part == word or part not in known or _within_latin(word, start):
                continue
            if shortest is None or len(before) + 1 < len(shortest):
                best[end] = [*before, part]
    return best[len(word)] or []


def _within_latin(word: str, place: int) -> bool:
    return place > 0 and all(c.isascii() and c.isalnum() for c in word[place - 1 : place + 1])


class ComposingVectors(WordVectors):
    """Composes a vector for a word that has none: the direction of the sum over its :func:`parts` (Mitchell & Lapata 2010).

    ``in`` also holds for such words; ``words``, ``rows``, ``matrix`` and ``len`` are of those that have their own.

    >>> vectors = ComposingVectors(["支部", "书记"], np.array([[1, 0], [0, 1]], dtype=np.float32))
    >>> round(vectors.similarity("支部书记", "书记"), 4), "支部书记" in vectors
    (0.7071, True)
    """

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.vector(word) is not None

    def vector(self, word: str) -> NDArray[np.float64] | None:
        if (own := super().vector(word)) is not None:
            return own
        if not (known := parts(normalise(word), self.rows)):
            return None
        total = self.matrix[[self.rows[part] for part in known]].sum(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(total))
        return total / length if length > 1e-6 else None
