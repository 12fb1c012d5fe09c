"""Files of word vectors as other programs write them, read one vector after the other.

========================  ============================================================================================
word2vec, text            a line ``words dimensions``, then a word and its numbers in each line; fastText's ``.vec`` is the same
word2vec, binary          the same first line, then each word, a blank and its numbers as 32-bit floats
text without first line   as GloVe writes it; the first line tells the dimensions
gensim                    ``KeyedVectors``, ``Word2Vec`` or ``FastText``, see :mod:`topical_crawler.semantics.gensim_files`
========================  ============================================================================================

Each may be packed with gzip. The form is told by content, never by name.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from topical_crawler.semantics.gensim_files import read_gensim
from topical_crawler.semantics.resource_files import open_packed

Record = tuple[str, NDArray[np.float32]]

MAX_DIMENSIONS = 10_000
"""Published vectors have 50 to 1,024; a first line that says more is not one."""
_LONGEST_WORD = 10_000
_LONGEST_NUMBER = 40
_BLOCK = 1 << 20
_REFUSED = (
    (b"\x93NUMPY", 0, "a matrix of numpy. If 'scrapy lexicon import' made it, it is ready for TOPICAL_VECTORS as it is"),
    (b"\xba\x16\x4f\x2f", 0, "a model in fastText's own binary form. Remedy: give the .vec file that fastText writes beside it"),
    (b"PK\x03\x04", 0, "a zip archive. Remedy: unpack it and give the file of vectors in it"),
    (b"BZh", 0, "packed with bzip2. Remedy: bunzip2 it first"),
    (b"\xfd7zXZ", 0, "packed with xz. Remedy: unxz it first"),
    (b"ustar", 257, "a tar archive. Remedy: unpack it (tar xf) and give the file of vectors in it"),
)


@dataclass(frozen=True, slots=True)
class VectorFile:
    """An open file of vectors; a context manager, which closes it.

    Attributes:
        path: the file.
        kind: its form, for people: ``word2vec text``, ``word2vec binary``, ``text without first line``, ``gensim``.
        count: how many vectors it announces; None where the form does not say.
        dimensions: length of a vector.
        rows: word and vector, in the order of the file, once. Raises ValueError, which names line or byte, where the file is
            damaged.
    """

    path: Path
    kind: str
    count: int | None
    dimensions: int
    rows: Iterator[Record]
    stream: BinaryIO | None = None

    def __enter__(self) -> VectorFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.stream:
            self.stream.close()


def open_vector_file(path: Path) -> VectorFile:
    """Find out the form of a file of vectors and begin to read it.

    Raises:
        ValueError: it has none of the forms above, or is damaged.
        OSError: it cannot be read.
    """
    try:
        return _open_file(path)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(path, error) from None


def _open_file(path: Path) -> VectorFile:
    with open_packed(path) as stream:
        start = stream.read(512)
        if not start:
            raise ValueError(f"{path}: the file is empty. Remedy: get or make the vectors again")
        for sign, place, what in _REFUSED:
            if start[place:].startswith(sign):
                raise ValueError(f"{path}: {what}")
        if start[0] == 0x80 and start[1:2] <= b"\x05":  # PROTO, the first opcode of a pickle since protocol 2
            stream.seek(0)
            model = read_gensim(path, stream)
            return VectorFile(path, "gensim", len(model.words), model.dimensions, model.records())
    stream = open_packed(path)
    try:
        kind, count, dimensions = _form(path, stream)
    except BaseException:
        stream.close()
        raise
    records = (
        _binary(path, stream, cast(int, count), dimensions)
        if kind == "word2vec binary"
        else _text(path, stream, count, dimensions)
    )
    return VectorFile(path, kind, count, dimensions, _careful(path, records), stream)


def _damaged(path: Path, error: Exception) -> ValueError:
    return ValueError(f"{path}: damaged gzip data ({error}). Remedy: get the file again")


def _careful(path: Path, records: Iterator[Record]) -> Iterator[Record]:
    try:
        yield from records
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(path, error) from None


def _form(path: Path, stream: BinaryIO) -> tuple[str, int | None, int]:
    """(kind, vectors announced, dimensions), the stream left at the first vector."""
    first = stream.readline(_LONGEST_WORD + _LONGEST_NUMBER * MAX_DIMENSIONS)
    fields = first.removeprefix(b"\xef\xbb\xbf").split()
    if len(fields) == 2 and all(field.isdigit() and len(field) < 20 for field in fields):
        count, dimensions = map(int, fields)
        if count < 1 or not 1 <= dimensions <= MAX_DIMENSIONS:
            raise ValueError(
                f"{path}, line 1: {count} words of {dimensions} dimensions; expected 1 word or more of 1 to {MAX_DIMENSIONS} "
                "dimensions. Remedy: get or make the vectors again"
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
        "Remedy: give vectors of word2vec, fastText (.vec), GloVe or gensim"
    )


def _is_text(line: bytes) -> bool:
    """Whether a number in digits follows the word, and the line holds none of the control characters that binary floats do."""
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
    number = 0 if count is None else 1
    end = None if count is None else count + 1
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
        raise ValueError(
            f"{path}, line {number + 1}: the file ends, though line 1 announces {count} words. Remedy: get the file again"
        )


def _binary(path: Path, stream: BinaryIO, count: int, dimensions: int) -> Iterator[Record]:
    buffer, position, before = b"", 0, stream.tell()
    for number in range(1, count + 1):
        while (end := buffer.find(b" ", position)) < 0 or len(buffer) - end - 1 < 4 * dimensions:
            more = stream.read(max(_BLOCK, 4 * dimensions))
            if not more or (end < 0 and len(buffer) - position > _LONGEST_WORD):
                what = "the file ends" if not more else f"no word within {_LONGEST_WORD} bytes"
                raise ValueError(
                    f"{path}, byte {before + position}: {what} in vector {number} of {count}. Remedy: get the file again"
                )
            before += position
            buffer, position = buffer[position:] + more, 0
        word = _decode(path, buffer[position:end].lstrip(b"\n"), f"byte {before + position}, vector {number}")
        position = end + 1 + 4 * dimensions
        yield word, np.frombuffer(buffer, dtype="<f4", count=dimensions, offset=end + 1)
    if (buffer[position:] + stream.read(_BLOCK)).strip():
        raise ValueError(
            f"{path}, byte {before + position}: line 1 announces {count} vectors of {dimensions} dimensions, but the file goes "
            "on. Remedy: get the file again, or correct line 1"
        )


def _decode(path: Path, word: bytes, where: str) -> str:
    """The word; empty for one that word2vec cut within a character, as it does after 100 bytes: the writer drops it."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return ""
        raise ValueError(
            f"{path}, {where}: the word {word[:40]!r} is not UTF-8. Remedy: convert a text file (iconv -f GB18030 -t UTF-8), or "
            "save the vectors again with UTF-8 words"
        ) from None
