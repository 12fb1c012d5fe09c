"""Documents, their sources, and reading of compressed files."""

from __future__ import annotations

import bz2
import gzip
import io
import re
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_UNREADABLE = re.compile("[\0-\x08\x0e-\x1f\x7f\ufffd]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOLERATED = 0.01
_Item = TypeVar("_Item")


class SourceError(ValueError):
    """Texts cannot be read. The message names the file, the place and the remedy."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text."""

    text: str  # as in the source, a paragraph a line; never empty. Characters are not converted
    title: str = ""  # "" if unknown
    url: str = ""  # address of the original; "" if unknown
    # further fields: of a JSONL record, `file` of a text file (its path below the folder), `id` of a Wikipedia page, `date`,
    # `host`, `relevance` … of a collected page
    fields: Mapping[str, Any] = field(default_factory=dict)


class Source(ABC):
    """Documents in a fixed order, read lazily; every ``iter()`` starts again.

    Unusable documents (empty, a redirect, undecodable, …) are counted in ``skipped``. Structural damage (a file cut off, XML or a
    JSONL line that cannot be parsed) raises :class:`SourceError` after everything before it was yielded; a tolerant source counts
    it and goes on, or ends if nothing further can be read.
    """

    kind: ClassVar[str]  # `wikipedia`, `jsonl`, `text` or `corpus`

    def __init__(self, path: Path, *, tolerant: bool = False) -> None:
        self.path = path
        self.tolerant = tolerant  # whether structural damage is only counted
        self.skipped: Counter[str] = Counter()  # documents left out so far by the latest iteration, by reason
        self.done = 0.0  # part read so far by the latest iteration, 0 to 1

    def __iter__(self) -> Iterator[Document]:
        return self._begin(self._documents())

    def _begin(self, items: Iterator[_Item]) -> Iterator[_Item]:
        """Read from the start what a generator gives, with the state of a new iteration."""
        self.skipped = Counter()
        self.done = 0.0
        return self._read(items)

    def _read(self, items: Iterator[_Item]) -> Iterator[_Item]:
        try:
            yield from items
        except OSError as error:
            what = f"{error.filename or self.path}: {error.strerror}"
            raise SourceError(f"{what}. Remedy: see that it is there, may be read, and that its disk is sound") from None
        self.done = 1.0

    @abstractmethod
    def _documents(self) -> Iterator[Document]:
        """Yield documents, update ``skipped`` and ``done``, and report structural damage with :meth:`_damage`."""

    def _damage(self, reason: str, message: str) -> None:
        """Count structural damage under ``reason``, or raise SourceError if the source is not tolerant."""
        if not self.tolerant:
            raise SourceError(message)
        self.skipped[reason] += 1


def flaw(text: str) -> str:
    """Why ``text`` is unusable: ``empty`` or ``undecodable`` (over 1 % control or replacement characters, or a surrogate); else
    "".

    >>> flaw("党建"), flaw(" "), flaw("\ufffd\ufffd党建")
    ('', 'empty', 'undecodable')
    """
    if not text or text.isspace():
        return "empty"
    if _SURROGATE.search(text) or len(_UNREADABLE.findall(text)) > _TOLERATED * len(text):
        return "undecodable"
    return ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A field with a required value; values are compared as text, booleans as in JSON (``true``).

    >>> Condition.parse("party=2").holds({"party": 2, "title": "通知"}), Condition.parse("party=true").holds({"party": True})
    (True, True)
    """

    field: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse ``FIELD=VALUE``, or raise ValueError."""
        field, sign, value = text.partition("=")
        if not (sign and field):
            raise ValueError(f"{text!r}: FIELD=VALUE is expected. Remedy: e.g. party=2")
        return cls(field, value)

    def holds(self, fields: Mapping[str, Any]) -> bool:
        """Whether the field has this value; a list must contain it."""
        value = fields.get(self.field)
        if isinstance(value, list | tuple):
            return self.value in map(_as_text, value)
        return value is not None and _as_text(value) == self.value

    def __str__(self) -> str:
        return f"{self.field}={self.value}"


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# -- Files as streams of bytes: plain, gzip, bzip2 (also of several streams, as Wikipedia's dumps are)

_BLOCK = 1 << 16


class StreamDamage(Exception):
    """The file is cut off (``reason`` is ``truncated``) or its compression is broken (``damaged``)."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class ByteStream:
    """The content of a file, decompressed by its first bytes, read once in constant memory. Raises OSError where it cannot be."""

    def __init__(self, path: Path) -> None:
        self.size = path.stat().st_size
        self._raw = path.open("rb")
        start = self._raw.peek(3)
        self._file: io.BufferedReader | gzip.GzipFile = self._raw
        if start.startswith(b"BZh"):
            self._file = io.BufferedReader(_Bzip2(self._raw), _BLOCK)
        elif start.startswith(b"\x1f\x8b"):
            self._file = gzip.GzipFile(fileobj=self._raw)

    def read(self, size: int) -> bytes:
        """The next 1 to ``size`` bytes; none at the end. Raises StreamDamage, after everything before the damage was returned."""
        with _damage_named():
            # Not read(): it collects several pieces, and loses them when damage comes after them.
            return self._file.read1(size)

    def read_line(self, limit: int) -> bytes:
        """The next line with its end, or the first ``limit`` bytes of a longer one; nothing at the end of the file. Raises
        StreamDamage as :meth:`read`; a partial line is lost."""
        with _damage_named():
            return self._file.readline(limit)

    @property
    def position(self) -> int:
        """Compressed bytes read so far, up to 64 KB ahead of what was returned."""
        return self._raw.tell()

    @property
    def done(self) -> float:
        """Part of the file read so far, 0 to 1."""
        return self.position / self.size if self.size else 1.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._raw.close()


class _Bzip2(io.RawIOBase):
    """Concatenated bzip2 streams; unlike :class:`bz2.BZ2File` it does not take a broken one for the end."""

    def __init__(self, raw: io.BufferedReader) -> None:
        self._raw = raw
        self._stream = bz2.BZ2Decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        with memoryview(buffer) as view:
            while True:
                packed = b""
                if self._stream.eof:
                    packed = self._stream.unused_data or self._raw.read(_BLOCK)
                    if not packed:
                        return 0
                    self._stream = bz2.BZ2Decompressor()
                elif self._stream.needs_input and not (packed := self._raw.read(_BLOCK)):
                    raise EOFError
                data = self._stream.decompress(packed, len(view))
                if data:
                    view[: len(data)] = data
                    return len(data)


@contextmanager
def _damage_named() -> Iterator[None]:
    try:
        yield
    except EOFError:
        raise StreamDamage("truncated", "the compressed data end in the middle: the file is cut off") from None
    except (OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk, not the data
        raise StreamDamage("damaged", f"the compressed data are broken ({error})") from None
