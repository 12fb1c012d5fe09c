"""Word vectors: reading other programs' files, the memory-mapped form, and the cosine (Zhou et al. 2019, Eq. 1: SimD).

Files of other programs are converted once to a matrix of unit vectors (``.npy``) with its words beside it (``.vocab``, one a
line). The result opens in 0.1 s and is shared between processes. The format of a file is detected by its content:

========================  ============================================================================================
word2vec, text            a line ``words dimensions``, then a word and its numbers in each line, like fastText's ``.vec``
word2vec, binary          the same first line, then each word, a blank and its numbers as 32-bit floats
text without first line   GloVe's format, with the dimensions given by the first vector
========================  ============================================================================================

Each may be compressed with gzip.
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
_GET_AGAIN = "Get the file again"
_MAKE_AGAIN = "Get or make the vectors again"

# -- The memory-mapped form: writing and converting


@dataclass(frozen=True, slots=True)
class WriteReport:
    """Counts of :func:`write_vectors` and :func:`convert`."""

    path: Path  # the matrix, `.npy`, with the words beside it
    words: int  # number of vectors written
    dimensions: int  # length of a vector
    read: int  # number of input vectors
    dropped: Mapping[str, int] = field(default_factory=dict)  # number of vectors dropped, by reason


def write_vectors(path: Path, words: Iterable[str], rows: Iterable[Row], dimensions: int) -> WriteReport:
    """Write vectors in the form memory-mapped by :meth:`WordVectors.open`, completely or not at all.

    Writes the matrix ``path``, ``.npy``, and its words beside it, ``.vocab``, replacing files of these names.

    Args:
        path: path of the matrix.
        words: most frequent first. Normalised on writing.
        rows: their vectors, of shape ``(dimensions,)``. Scaled to length 1 on writing.
        dimensions: length of a vector.

    Raises:
        ValueError: a row of another shape, different numbers of words and rows, or nothing to write.
    """
    return _write(path, zip(words, rows, strict=True), dimensions, f"{path}")


def convert(
    source: str | os.PathLike[str],
    target: Path,
    limit: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> WriteReport:
    """Convert a file of vectors.

    Args:
        source: in any format of this module.
        target: the matrix, ``.npy``, see :func:`write_vectors`.
        limit: number of words to take from the beginning, usually the most frequent ones. None: all.
        progress: called with the number of vectors read and the total (None: unknown).

    Raises:
        ValueError: an unknown format, damage, no vectors, or a ``limit`` of less than 1.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"a limit of {limit} words leaves none. Set 1 or more")
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
        raise ValueError(f"{path}: the name of a vector file must end in .npy. Name it {path.name}.npy")
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
        path.unlink(missing_ok=True)  # never show an old matrix with new words, or a matrix without words
        vocabulary.replace(path.with_suffix(".vocab"))
        matrix.replace(path)
    return WriteReport(path, len(words), dimensions, read, dropped)


def _reason(word: str, length: float, words: dict[str, None]) -> str:
    """Return the reason for dropping a vector, "" to keep it."""
    if not word or "\n" in word or "\r" in word or any("\ud800" <= char <= "\udfff" for char in word):
        return "with a word that is empty or no valid text"  # a lone surrogate cannot be written and matches no text
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

MAX_DIMENSIONS = 10_000  # published vectors have 50 to 1,024, so a larger number means another format
_LONGEST_WORD = 10_000
_LONGEST_NUMBER = 40
_BLOCK = 1 << 20
_REFUSED = (
    (
        b"\x93NUMPY",
        0,
        "a matrix of numpy. If 'topical-crawler resources import' made it, set TOPICAL_VECTORS to it directly",
    ),
    (b"\xba\x16\x4f\x2f", 0, "a model in fastText's own binary form. Pass the .vec file beside it"),
    (b"PK\x03\x04", 0, "a zip archive. Unpack it and pass the file of vectors in it"),
    (b"BZh", 0, "compressed with bzip2. Run bunzip2 on it first"),
    (b"\xfd7zXZ", 0, "compressed with xz. Run unxz on it first"),
    (
        b"\x80",
        0,
        "a pickle, as saved by gensim. Reading it could run code, so it was not read. If you trust its author, run "
        "gensim.models.KeyedVectors.load('FILE').save_word2vec_format('FILE.vec') (for a whole model "
        "KeyedVectors.load('FILE').wv), and pass FILE.vec",
    ),
    (b"ustar", 257, "a tar archive. Unpack it (tar xf) and pass the file of vectors in it"),
)


@dataclass(frozen=True, slots=True)
class VectorFile:
    """Open file of vectors."""

    kind: str  # `word2vec text`, `word2vec binary` or `text without first line`
    count: int | None  # number of vectors announced, None if the format has none
    dimensions: int  # length of a vector
    rows: Iterator[Record]  # in the order of the file. Raises ValueError with line or byte if the file is damaged


@contextlib.contextmanager
def open_vector_file(path: Path) -> Iterator[VectorFile]:
    """Detect the format of a file of vectors and open it.

    Raises:
        ValueError: an unknown format, or damage.
        OSError: the file cannot be read.
    """
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
    """Return (kind, vectors announced, dimensions), leaving the stream at the first vector."""
    first = stream.readline(_LONGEST_WORD + _LONGEST_NUMBER * MAX_DIMENSIONS)
    fields = first.removeprefix(b"\xef\xbb\xbf").split()
    if len(fields) == 2 and all(field.isdigit() and len(field) < 20 for field in fields):
        count, dimensions = map(int, fields)
        if count < 1 or not 1 <= dimensions <= MAX_DIMENSIONS:
            raise ValueError(
                f"{path}, line 1: {count} words of {dimensions} dimensions, expected 1 word or more of 1 to {MAX_DIMENSIONS} "
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
        "Pass vectors of word2vec, fastText (.vec) or GloVe"
    )


def _is_text(line: bytes) -> bool:
    """Return True if a number follows the word and the line has no control characters, unlike binary floats."""
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
                raise ValueError(f"{path}, line {number}: blank. Delete the line")
            number -= 1
            break
        if end is not None and number > end:
            raise ValueError(f"{path}, line {number}: line 1 announces {count} words, but there are more. Correct line 1")
        fields = line.rstrip().rsplit(None, dimensions)
        try:
            vector = np.array(fields[1:], dtype=np.float32)
        except ValueError:
            vector = np.empty(0, dtype=np.float32)
        # Refuse one number too many, lest it pass for a part of the word. No word contains ' 0.123'.
        if len(vector) != dimensions or (len(fields[0].split()) > 1 and _is_number(fields[0].split()[-1])):
            raise ValueError(
                f"{path}, line {number}: expected a word and {dimensions} numbers, got {line[:60]!r}… with "
                f"{len(line.split()) - 1}. Correct or delete the line, or get the file again"
            )
        yield _decode(path, fields[0], f"line {number}"), vector
    if end is not None and number < end:
        raise ValueError(f"{path}, line {number + 1}: the file ends, but line 1 announces {count} words. {_GET_AGAIN}")


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
            f"{path}, byte {before + position}: line 1 announces {count} vectors of {dimensions} dimensions, but there is more. "
            f"{_GET_AGAIN}, or correct line 1"
        )


def _decode(path: Path, word: bytes, where: str) -> str:
    """Decode the word, "" (dropped by the writer) if word2vec cut it within a character, as it does after 100 bytes."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return ""
        raise ValueError(
            f"{path}, {where}: the word {word[:40]!r} is not UTF-8. Convert a text file (iconv -f GB18030 -t UTF-8), or "
            "save the vectors again with UTF-8 words"
        ) from None


# -- Vectors by word

_VERSION = 1  # version of the converted form


class WordVectors:
    """Unit vectors of distinct normalised words, the rows of a float32 matrix of shape ``(len(words), dimensions)``.

    Of several words with one normalised form the first, most frequent one counts.

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
        """Open a converted ``.npy`` with its ``.vocab``, or any other format of this module.

        Caches the converted form in ``cache_dir``. Without a cache, converts at every start and holds it in memory.

        Raises:
            ValueError: an unknown format, damage, or no vectors.
        """
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
            logger.info("%s: kept %d of %d vectors, dropped: %s", source, report.words, report.read, report.dropped)
        return cls._load(target, mapped=True)

    @classmethod
    def _load(cls, path: Path, mapped: bool) -> Self:
        vocabulary = path.with_suffix(".vocab")
        if not vocabulary.exists():
            remedy = "Run topical-crawler resources import to write both"
            raise ValueError(f"{path}: the words should be beside it in {vocabulary.name}, one per line. {remedy}")
        try:
            matrix = npy.open_memmap(path, mode="r")  # np.load would accept a zip archive as several matrices
        except (ValueError, EOFError, TokenError) as error:
            raise ValueError(f"{path}: no matrix of vectors ({error}). Delete it and make it again") from None
        try:
            words = vocabulary.read_text(encoding="utf-8").split("\n")[:-1]
        except UnicodeDecodeError as error:
            remedy = f"Delete it and {path.name}, and import again"
            raise ValueError(f"{vocabulary}, byte {error.start}: not UTF-8. {remedy}") from None
        if matrix.ndim != 2 or matrix.dtype != np.float32 or len(words) != len(matrix):
            remedy = "Delete it and make it again"
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
        """Check all words and rows, a check skipped by :meth:`open`. ``name`` is for the message.

        Raises:
            ValueError: a repeated or unnormalised word, or a row of another length than 1.

        >>> WordVectors(["党员"], np.array([[3, 4]], dtype=np.float32)).check("own.npy")
        Traceback (most recent call last):
        ValueError: own.npy: the vector of '党员' has length 5, expected 1. Run topical-crawler resources import
        """
        remedy = "Run topical-crawler resources import"
        for row, word in enumerate(self.words):
            if not word or self.rows[word] != row or normalise(word).strip() != word:
                what = "is repeated" if word and self.rows[word] != row else "is not in normalised form"
                raise ValueError(f"{name}: word {row + 1}, {word!r}, {what}. {remedy}")
        for start in range(0, len(self), _ROWS_AT_ONCE):
            lengths = np.linalg.norm(self.matrix[start : start + _ROWS_AT_ONCE].astype(np.float64), axis=1)
            wrong = np.flatnonzero(~(np.abs(lengths - 1) < 1e-3))
            if len(wrong):
                word, length = self.words[start + wrong[0]], lengths[wrong[0]]
                raise ValueError(f"{name}: the vector of {word!r} has length {length:g}, expected 1. {remedy}")

    def vector(self, word: str) -> NDArray[np.float64] | None:
        """Return the vector of a word, length 1, shape ``(dimensions,)``, None if there is none."""
        row = self.rows.get(normalise(word))
        return None if row is None else self.matrix[row].astype(np.float64)

    def similarity(self, a: str, b: str) -> float:
        """Return SimD of Eq. 1, the cosine of two words' vectors, in [-1, 1], 0.0 for a word without one."""
        left, right = self.vector(a), self.vector(b)
        return 0.0 if left is None or right is None else float(left @ right)

    def nearest(self, word: str, n: int) -> list[tuple[str, float]]:
        """Return the ``n`` other words with the greatest cosine to ``word``, with that cosine, in [-1, 1].

        Most similar first, equal ones in the order of ``words``. [] for a word without a vector.

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


# -- Vectors composed from those of a word's parts


def parts(word: str, known: Container[str]) -> list[str]:
    """Cut a word into the fewest known parts, preferring the longest last one (the head of a compound). [] if impossible.

    Never cuts runs of letters and digits. The word itself is not a part.

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
    """Word vectors composing a missing vector: the direction of the sum over its :func:`parts` (Mitchell & Lapata 2010).

    ``in`` is also True for such words. ``words``, ``rows``, ``matrix`` and ``len`` cover only words with their own vector.

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
