"""Files of word vectors as other programs write them, read one vector after the other.

========================  ============================================================================================
word2vec, text            a line ``words dimensions``, then a word and its numbers in each line; fastText's ``.vec`` is the same
word2vec, binary          the same first line, then each word, a blank and its numbers as 32-bit floats
text without first line   as GloVe writes it; the first line tells the dimensions
gensim                    ``KeyedVectors``, ``Word2Vec`` or ``FastText``, see :mod:`topical_crawler.resources.vector_files`
========================  ============================================================================================

Each may be packed with gzip. The form is told by content, never by name.

Vectors that gensim 3 or 4 saved (``KeyedVectors``, ``Word2Vec``, ``FastText``), without running what the file says.

Large arrays lie beside the file (``FILE.vectors.npy``, ``FILE.wv.vectors.npy``; ``.npz`` where FILE is packed).

Reads the pickles of gensim without running what they say.

A pickle is a program: it names functions and has them called. Here a name is looked up in a closed list of our own stand-ins,
which hold data and do nothing; any other name ends the reading. Nothing of gensim or numpy is called.
"""

from __future__ import annotations

import gzip
import math
import pickle
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from types import TracebackType
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from topical_crawler.resources.registry import open_packed

# -- Reads the pickles of gensim without running what they say


MAX_PICKLE = 2 << 30
"""Bytes of a pickle, unpacked. Ten million words need about half of it; large arrays are not in it."""


def read_pickle(path: Path, stream: BinaryIO) -> Any:
    """The object of a pickle, made of stand-ins.

    Args:
        path: the file, for messages.
        stream: its content, unpacked.

    Raises:
        ValueError: it names something that is not in the list, is damaged or too large.
    """
    try:
        return _Reader(path, stream).load()
    except _Refused:
        raise
    except Exception as error:  # a broken program can fail in any way
        raise ValueError(
            f"{path}: the pickle is damaged ({type(error).__name__}: {error}). Remedy: get or save the file again"
        ) from None


class Held:
    """Stands for an object: keeps what was to become its attributes."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.state: dict[str, Any] = {}

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.state = state


class HeldArray(Held):
    """Stands for a numpy array: shape, type and bytes, looked at when they are asked for."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__()
        self.content: Any = arguments

    def __setstate__(self, state: Any) -> None:
        self.content = state

    def read(self, path: Path, name: str) -> NDArray[Any]:
        """The array; only numbers, and only as many as there are bytes for."""
        try:
            _, shape, dtype, fortran, data = self.content
            (kind, *_), order = dtype.arguments, dtype.order
            if not isinstance(kind, str) or kind not in ("f2", "f4", "f8") or not isinstance(data, bytes):
                raise ValueError(f"it is no array of floats but {kind!r}")
            element = np.dtype(f"{'>' if order == '>' else '<'}{kind}")
            if not isinstance(shape, tuple) or not all(isinstance(n, int) and n >= 0 for n in shape):
                raise ValueError(f"the shape {shape!r}")
            if math.prod(shape) * element.itemsize != len(data):
                raise ValueError(f"{len(data)} bytes for the shape {shape}")
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}: the array {name} is damaged ({error}). Remedy: get or save the file again") from None
        return np.frombuffer(data, dtype=element).reshape(shape, order="F" if fortran else "C")


class _Type(Held):
    """Stands for a numpy.dtype: its name, and its byte order, which is told afterwards."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__()
        self.arguments = arguments
        self.order: Any = "<"

    def __setstate__(self, state: Any) -> None:
        self.order = state[1] if isinstance(state, tuple) and len(state) > 1 else None


class _Mapping(dict[Any, Any]):
    """Stands for a defaultdict or an OrderedDict: a dictionary that makes nothing up."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__()


def _reconstructed(*arguments: Any) -> Held:
    """Stands for copyreg._reconstructor, which pickles of protocol 0 and 1 use."""
    return Held()


def _encoded(text: Any, encoding: Any) -> bytes:
    """Stands for _codecs.encode, by which old protocols write bytes."""
    if not isinstance(text, str) or encoding != "latin1":
        raise pickle.UnpicklingError("bytes in an encoding other than latin1")
    return text.encode("latin1")


_NAMES: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(
        (
            "gensim.models.keyedvectors.KeyedVectors",
            "gensim.models.keyedvectors.Word2VecKeyedVectors",
            "gensim.models.keyedvectors.EuclideanKeyedVectors",
            "gensim.models.keyedvectors.FastTextKeyedVectors",
            "gensim.models.keyedvectors.CompatVocab",
            "gensim.models.keyedvectors.SimpleVocab",
            "gensim.models.keyedvectors.Vocab",
            "gensim.models.word2vec.Word2Vec",
            "gensim.models.word2vec.Word2VecVocab",
            "gensim.models.word2vec.Word2VecTrainables",
            "gensim.models.word2vec.Vocab",
            "gensim.models.fasttext.FastText",
            "gensim.models.fasttext.FastTextKeyedVectors",
            "gensim.models.fasttext.FastTextVocab",
            "gensim.models.fasttext.FastTextTrainables",
            "gensim.utils.call_on_class_only",
            "numpy.random._pickle.__randomstate_ctor",
            "numpy.random._pickle.__bit_generator_ctor",
            "numpy.random._mt19937.MT19937",
            "numpy.random.__RandomState_ctor",
            "numpy.core.multiarray.scalar",
            "numpy._core.multiarray.scalar",
            "numpy.ndarray",
            "builtins.hash",
            "builtins.int",
            "builtins.float",
            "builtins.object",
            "__builtin__.hash",
            "__builtin__.int",
            "__builtin__.float",
            "__builtin__.object",
        ),
        Held,
    ),
    **dict.fromkeys(("numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct"), HeldArray),
    "numpy.dtype": _Type,
    "collections.defaultdict": _Mapping,
    "collections.OrderedDict": _Mapping,
    "builtins.set": set,
    "__builtin__.set": set,
    "_codecs.encode": _encoded,
    "copyreg._reconstructor": _reconstructed,
    "copy_reg._reconstructor": _reconstructed,
}
"""All that a file may name. hash, call_on_class_only and the random generators are named by models and not used here."""


class _Refused(ValueError):
    """The file names something that is not in the list."""


class _Reader(pickle._Unpickler):
    """Python's own unpickler in Python: unlike the one in C it allots memory only for what was read."""

    stack: list[Any]
    dispatch = dict(pickle._Unpickler.dispatch)  # noqa: RUF012  # as pickle declares it

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        super().__init__(_Bounded(path, stream), encoding="latin1")
        self._path = path

    def find_class(self, module: str, name: str) -> Any:
        full = f"{module}.{name}"
        if full not in _NAMES:
            raise _Refused(
                f"{self._path}: the file asks for {full[:200]!r}, which vectors do not need; nothing of it was run. "
                "Remedy: do not trust the file; if it is your own, load it with gensim and save KeyedVectors or text (.vec)"
            )
        return _NAMES[full]

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to an object outside the file")

    def _build(self) -> None:
        state = self.stack.pop()
        if not isinstance(self.stack[-1], Held):
            raise pickle.UnpicklingError(f"attributes for a {type(self.stack[-1]).__name__}")
        self.stack[-1].__setstate__(state)

    def _refuse_bytearray(self) -> None:
        raise pickle.UnpicklingError("a bytearray, for which Python allots memory before it reads; gensim writes none")

    dispatch[pickle.BUILD[0]] = _build  # type: ignore[assignment]
    dispatch[pickle.BYTEARRAY8[0]] = _refuse_bytearray  # type: ignore[assignment]


class _Bounded:
    """A stream that ends with an error after :data:`MAX_PICKLE` bytes, before memory is allotted for more."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self._path, self._stream, self._left = path, stream, MAX_PICKLE

    def read(self, size: int) -> bytes:
        self._take(size)
        parts = []
        while size > 0 and (
            part := self._stream.read(min(size, 1 << 24))
        ):  # a size is a claim: read on only while there is something
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def readline(self) -> bytes:
        line = self._stream.readline(1 << 20)
        self._take(len(line))
        return line

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _Refused(
                f"{self._path}: more than {MAX_PICKLE >> 30} GiB besides the arrays. Remedy: save the vectors as text (.vec)"
            )


# -- Vectors that gensim 3 or 4 saved (``KeyedVectors``, ``Word2Vec``, ``FastText``), without running what the file says


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


# -- Files of word vectors as other programs write them, read one vector after the other


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
