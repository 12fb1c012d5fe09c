"""Documents, their sources, and the reading of compressed files."""

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
    """Unreadable texts. The message names the file, the place and the fix."""


@dataclass(frozen=True, slots=True)
class Document:
    """Text of a source."""

    text: str  # as in the source, one line per paragraph, never empty, without character conversion
    title: str = ""  # "" if unknown
    url: str = ""  # URL of the original, "" if unknown
    # Further fields: those of a JSONL record, `file` of a text file (its path below the folder), `id` of a Wikipedia page,
    # `date`, `host`, `relevance` … of a collected page.
    fields: Mapping[str, Any] = field(default_factory=dict)


class Source(ABC):
    """Documents in a fixed order, read lazily. Every ``iter()`` starts again.

    Unusable documents (empty, a redirect, undecodable, …) are counted in ``skipped``. Structural damage (a truncated file,
    malformed XML, a malformed JSONL line) raises :class:`SourceError` after yielding everything before it. A tolerant source
    counts it and goes on, or ends if it cannot.
    """

    kind: ClassVar[str]  # `wikipedia`, `jsonl`, `text` or `corpus`

    def __init__(self, path: Path, *, tolerant: bool = False) -> None:
        self.path = path
        self.tolerant = tolerant  # True to count structural damage instead of raising
        self.skipped: Counter[str] = Counter()  # documents skipped so far by the latest iteration, by reason
        self.done = 0.0  # share read so far by the latest iteration, 0 to 1

    def __iter__(self) -> Iterator[Document]:
        return self._begin(self._documents())

    def _begin(self, items: Iterator[_Item]) -> Iterator[_Item]:
        """Read a generator from the start, resetting the state of the iteration."""
        self.skipped = Counter()
        self.done = 0.0
        return self._read(items)

    def _read(self, items: Iterator[_Item]) -> Iterator[_Item]:
        try:
            yield from items
        except OSError as error:
            what = f"{error.filename or self.path}: {error.strerror}"
            raise SourceError(f"{what}. Check the file, its permissions and its disk") from None
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
    """Return the flaw of an unusable text, else "": ``empty`` or ``undecodable`` (over 1 % control or replacement characters,
    or a surrogate).

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
    """Field with a required value. Values are compared as text, booleans as in JSON (``true``).

    >>> Condition.parse("party=2").holds({"party": 2, "title": "通知"}), Condition.parse("party=true").holds({"party": True})
    (True, True)
    """

    field: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse ``FIELD=VALUE``.

        Raises:
            ValueError: another form.
        """
        field, sign, value = text.partition("=")
        if not (sign and field):
            raise ValueError(f"{text!r}: expected FIELD=VALUE, such as party=2")
        return cls(field, value)

    def holds(self, fields: Mapping[str, Any]) -> bool:
        """Return True if the field has this value, or is a list with it."""
        value = fields.get(self.field)
        if isinstance(value, list | tuple):
            return self.value in map(_as_text, value)
        return value is not None and _as_text(value) == self.value

    def __str__(self) -> str:
        return f"{self.field}={self.value}"


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# -- Files as streams of bytes: plain, gzip, bzip2 (including several streams, as in Wikipedia's dumps)

_BLOCK = 1 << 16


class StreamDamage(Exception):
    """Truncated file (``reason`` is ``truncated``) or broken compression (``damaged``)."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class ByteStream:
    """Content of a file, decompressed according to its first bytes, read once in constant memory.

    Raises:
        OSError: the file cannot be opened.
    """

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
        """Return the next 1 to ``size`` bytes, none at the end.

        Raises:
            StreamDamage: after returning everything before the damage.
        """
        with _damage_named():
            # read() would collect several pieces and lose them on damage after them.
            return self._file.read1(size)

    def read_line(self, limit: int) -> bytes:
        """Return the next line with its end, or the first ``limit`` bytes of a longer one, nothing at the end of the file.

        Raises:
            StreamDamage: as for :meth:`read`, except that a partial line is lost.
        """
        with _damage_named():
            return self._file.readline(limit)

    @property
    def position(self) -> int:
        """Number of compressed bytes read so far, up to 64 KB ahead of the data returned."""
        return self._raw.tell()

    @property
    def done(self) -> float:
        """Share of the file read so far, 0 to 1."""
        return self.position / self.size if self.size else 1.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._raw.close()


class _Bzip2(io.RawIOBase):
    """Concatenated bzip2 streams. Unlike :class:`bz2.BZ2File`, does not mistake a broken stream for the end."""

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
        raise StreamDamage("truncated", "the compressed data end in the middle, so the file is cut off") from None
    except (OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # a fault of the disk, not of the data
        raise StreamDamage("damaged", f"the compressed data are broken ({error})") from None
