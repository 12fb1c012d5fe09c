"""Documents, sources that give them one after the other, and files decompressed on the way."""

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
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_UNREADABLE = re.compile("[\0-\x08\x0e-\x1f\x7f\ufffd]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOLERATED = 0.01


class SourceError(ValueError):
    """Texts cannot be read. The message names the file, the place and the remedy."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text.

    Attributes:
        text: as it stands in the source, paragraphs on lines of their own; never empty. Traditional characters stay.
        title: "" where the source has none.
        url: address of the original; "" where the source has none.
        fields: whatever else the source says of it: all further fields of a JSONL record, ``file`` of a text file (its path
            below the folder), ``id`` of a Wikipedia page, ``date``, ``host``, ``relevance`` … of a collected page.
    """

    text: str
    title: str = ""
    url: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


class Source(ABC):
    """Documents in a fixed order, read as they are asked for; every ``iter()`` starts anew.

    A document that cannot be used (empty, a redirect, undecodable, …) is left out and counted in ``skipped``. Structural damage
    (a file cut off, XML or a JSONL line that cannot be parsed) is a :class:`SourceError`, raised after everything before it has
    been given; a tolerant source counts it too and goes on, or ends where nothing further can be read.

    Attributes:
        kind: ``wikipedia``, ``jsonl``, ``text`` or ``corpus``.
        path: as it was given.
        tolerant: whether structural damage is only counted.
        skipped: what was left out, by reason; of the iteration that began last, as far as it has come.
        done: part that has been read, 0 to 1; of the same.
    """

    kind: ClassVar[str]

    def __init__(self, path: Path, *, tolerant: bool = False) -> None:
        self.path = path
        self.tolerant = tolerant
        self.skipped: Counter[str] = Counter()
        self.done = 0.0

    def __iter__(self) -> Iterator[Document]:
        self.skipped = Counter()
        self.done = 0.0
        return self._read()

    def _read(self) -> Iterator[Document]:
        try:
            yield from self._documents()
        except OSError as error:
            what = f"{error.filename or self.path}: {error.strerror}"
            raise SourceError(f"{what}. Remedy: see that it is there, may be read, and that its disk is sound") from None
        self.done = 1.0

    @abstractmethod
    def _documents(self) -> Iterator[Document]:
        """The documents; keeps ``skipped`` and ``done``, and reports structural damage with :meth:`_damage`."""

    def _damage(self, reason: str, message: str) -> None:
        """Structural damage: counted under ``reason`` where the source is tolerant.

        Raises:
            SourceError: with ``message``, where the source is not tolerant.
        """
        if not self.tolerant:
            raise SourceError(message)
        self.skipped[reason] += 1


def flaw(text: str) -> str:
    """Why ``text`` is no use: ``empty``, ``undecodable`` (more than one character in a hundred is a control or replacement
    character, or one is half of a surrogate pair); "" where it is good.

    >>> flaw("党建"), flaw(" "), flaw("\ufffd\ufffd党建")
    ('', 'empty', 'undecodable')
    """
    if not text or text.isspace():
        return "empty"
    if _SURROGATE.search(text) or len(_UNREADABLE.findall(text)) > _TOLERATED * len(text):
        return "undecodable"
    return ""


# -- Conditions on documents


@dataclass(frozen=True, slots=True)
class Condition:
    """A field and the value that it is to have; values are compared as text, in the form of JSON (``true``).

    >>> Condition.parse("party=2").holds({"party": 2, "title": "通知"}), Condition.parse("party=true").holds({"party": True})
    (True, True)
    """

    field: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Condition:
        """``FIELD=VALUE``.

        Raises:
            ValueError: it does not have this form.
        """
        field, sign, value = text.partition("=")
        if not (sign and field):
            raise ValueError(f"{text!r}: FIELD=VALUE is expected. Remedy: e.g. party=2")
        return cls(field, value)

    def holds(self, fields: Mapping[str, Any]) -> bool:
        """Whether the field is there with this value; a list must hold it."""
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
    """The file is cut off or its compression is broken.

    Attributes:
        reason: ``truncated`` or ``damaged``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class ByteStream:
    """The content of a file, read once from start to end in constant memory. Its first bytes tell the compression, not its name.

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
        """The next bytes, at least one and at most ``size``; none at the end.

        Raises:
            StreamDamage: all before the damage has been returned already.
        """
        with _damage_named():
            # Not read(): it collects several pieces, and loses them when damage comes after them.
            return self._file.read1(size)

    def read_line(self, limit: int) -> bytes:
        """The next line with its end, or its first ``limit`` bytes where it is longer; nothing at the end of the file.

        Raises:
            StreamDamage: as :meth:`read`; what was read of the line is lost.
        """
        with _damage_named():
            return self._file.readline(limit)

    @property
    def position(self) -> int:
        """Bytes read from the file as it lies on the disk; up to 64 KB ahead of what was returned."""
        return self._raw.tell()

    @property
    def done(self) -> float:
        """Part of the file that has been read, 0 to 1."""
        return self.position / self.size if self.size else 1.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        self._raw.close()


class _Bzip2(io.RawIOBase):
    """One bzip2 stream after the other; one that is broken is not taken for the end, as :class:`bz2.BZ2File` takes it."""

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
