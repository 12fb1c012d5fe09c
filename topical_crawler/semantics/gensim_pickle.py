"""Reads the pickles of gensim without running what they say.

A pickle is a program: it names functions and has them called. Here a name is looked up in a closed list of our own stand-ins,
which hold data and do nothing; any other name ends the reading. Nothing of gensim or numpy is called.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

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
