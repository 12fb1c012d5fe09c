"""Files as streams of bytes, decompressed on the way: plain, gzip, bzip2 (also of several streams, as Wikipedia's dumps are)."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

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
        with _told():
            # Not read(): it collects several pieces, and loses them when damage comes after them.
            return self._file.read1(size)

    def read_line(self, limit: int) -> bytes:
        """The next line with its end, or its first ``limit`` bytes where it is longer; nothing at the end of the file.

        Raises:
            StreamDamage: as :meth:`read`; what was read of the line is lost.
        """
        with _told():
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
def _told() -> Iterator[None]:
    try:
        yield
    except EOFError:
        raise StreamDamage("truncated", "the compressed data end in the middle: the file is cut off") from None
    except (OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk, not the data
        raise StreamDamage("damaged", f"the compressed data are broken ({error})") from None
