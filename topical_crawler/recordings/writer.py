"""Requests and responses as received, in WARC files readable by any web archive tool.

>>> import tempfile
>>> from warcio.archiveiterator import ArchiveIterator
>>> with tempfile.TemporaryDirectory() as folder:
...     with Archive(folder, "party", {"description": "党建"}) as archive:
...         asked = Message("GET / HTTP/1.1", (("Host", b"www.a.cn"),))
...         archive.add("http://www.a.cn/", asked, Message("HTTP/1.1 200 OK", (), "首页".encode()))
...     with (Path(folder) / "party-00001.warc.gz").open("rb") as file:
...         [record.rec_type for record in ArchiveIterator(file)]
['warcinfo', 'request', 'response']
"""

from __future__ import annotations

import contextlib
import logging
import mmap
import os
import re
import uuid
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from itertools import takewhile
from pathlib import Path
from typing import IO, Any, Self

from filelock import FileLock, Timeout
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from topical_crawler.recordings.reader import OPEN, whole_records

logger = logging.getLogger(__name__)

SUFFIX = ".warc.gz"


def repair(folder: Path) -> list[Path]:
    """Close the files left open in ``folder`` by dead processes, cutting off the broken record at their end and renaming them.

    Deletes a file without any whole record.

    Returns:
        The new names.
    """
    done = []
    for path in sorted(folder.glob(f"*{SUFFIX}{OPEN}")):
        lock = lock_for(path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        try:
            if not path.is_file():  # another process was faster
                continue
            whole, size = whole_length(path), path.stat().st_size
            if not whole:
                path.unlink()
                continue
            if whole < size:
                os.truncate(path, whole)
            named = path.with_name(path.name.removesuffix(OPEN))
            path.rename(named)
            logger.info("%s: left open by a dead process, %d of its %d bytes are whole records", named, whole, size)
            done.append(named)
        finally:
            release(lock)
    return done


def whole_length(path: Path) -> int:
    """Return the length of the file up to the end of its last whole record before any broken one."""
    end, gaps = 0, list[tuple[int, str]]()
    if path.stat().st_size:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            records = whole_records(data, [(0, len(data))], gaps)
            end = max((record.end for _, record in takewhile(lambda _: not gaps, records)), default=0)
    return end


def lock_for(path: Path) -> FileLock:
    """Return the lock held by the process writing to ``path``, released at its death."""
    return FileLock(path.with_name(f".{path.name}.lock"), is_singleton=False)


def release(lock: FileLock | None) -> None:
    """Release a lock and delete its file."""
    if lock is not None:
        with contextlib.suppress(OSError):
            Path(lock.lock_file).unlink()  # before the release, since afterwards it may belong to another process
        lock.release()


# -- The archive

MEGABYTES = 1000  # size of a file before starting the next: a gigabyte, as usual for web archives

_LEVEL = 6  # compression: 0.6 ms for a Chinese page of 21 kB. warcio's 9 takes twice that and saves 0.4 % of the bytes
_FORMAT = {
    "format": "WARC File Format 1.1",
    "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
}
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_LINE_ENDS = re.compile(rb"[\r\n\0]+")


class ArchiveError(Exception):
    """Archive cannot be written. The message names the file and the fix."""


@dataclass(frozen=True, slots=True)
class Message:
    """HTTP request or response."""

    first_line: str  # request line or status line
    headers: tuple[tuple[str, bytes], ...]  # names and values, in order
    body: bytes = b""  # as sent over the wire, compressed according to `Content-Encoding`, without chunk sizes

    def head(self) -> bytes:
        """Return the bytes before the body. No value can end its line early."""
        lines = [self.first_line.encode("latin-1", "replace")]
        lines += [name.encode("latin-1", "replace") + b": " + value for name, value in self.headers]
        return b"".join(_LINE_ENDS.sub(b" ", line) + b"\r\n" for line in lines) + b"\r\n"


class Archive:
    """Writer of exchanges to WARC/1.1 files ``<name>-<worker>-00001.warc.gz``, ``…-00002…`` in one folder.

    Every record is a separate gzip member, handed to the operating system before :meth:`add` returns. A file has the suffix
    ``.open`` while being written, and keeps it if its process is killed. Its whole records remain readable, and the next
    archive in the folder repairs and renames it (:func:`repair`).

    Args:
        folder: created if missing.
        name: name of the crawl. Characters unfit for file names become ``_``.
        info: fields of the warcinfo record at the head of each file, besides ``format`` and ``conformsTo``.
        worker: distinguishes concurrent writers in one folder. "": a single writer.
        megabytes: file size before starting the next one, > 0.

    Raises:
        ArchiveError: the folder cannot be written.
    """

    def __init__(
        self, folder: str | os.PathLike[str], name: str, info: Mapping[str, str], worker: str = "", megabytes: float = MEGABYTES
    ) -> None:
        self.folder = Path(folder)
        self.exchanges = 0
        self._stem = "-".join(_NOT_IN_NAMES.sub("_", part) for part in (name, worker) if part)
        self._info = {**info, **_FORMAT}
        self._bytes = int(megabytes * 1_000_000)
        self._file: IO[bytes] | None = None
        self._path = self.folder
        self._lock: FileLock | None = None
        self._empty = 0
        with self._explaining():
            self.folder.mkdir(parents=True, exist_ok=True)
            repair(self.folder)
            self._begin()

    def add(self, url: str, request: Message, response: Message, date: datetime | None = None, address: str = "") -> None:
        """Write one exchange: a request and a response record referring to each other.

        Args:
            url: URL as requested.
            request: the request.
            response: its response.
            date: time of the response. None: now.
            address: the server's IP address, "" if unknown.

        Raises:
            ArchiveError: the exchange could not be written. The file ends with the exchange before.
        """
        when = (date or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        asked, answered = f"<urn:uuid:{uuid.uuid4()}>", f"<urn:uuid:{uuid.uuid4()}>"
        common = {"WARC-Date": when} | ({"WARC-IP-Address": address} if address else {})
        members = _record("request", url, request, {"WARC-Record-ID": asked, "WARC-Concurrent-To": answered, **common})
        members += _record("response", url, response, {"WARC-Record-ID": answered, "WARC-Concurrent-To": asked, **common})
        with self._explaining():
            if self._file is None:
                self._begin()
            self._write(members)
            self.exchanges += 1
            assert self._file is not None
            if self._file.tell() >= self._bytes:
                self._end()

    def close(self) -> None:
        """Give the last file its final name. Idempotent.

        Raises:
            ArchiveError: it could not be renamed. It remains readable under its current name.
        """
        with self._explaining():
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self) -> None:
        files = self.folder.glob(f"{self._stem}-*{SUFFIX}*")
        numbers = (path.name.removeprefix(f"{self._stem}-").partition(".")[0] for path in files)
        number = max((int(n) for n in numbers if n.isdecimal()), default=0)
        while self._file is None:  # another archive may take the same name at this moment
            number += 1
            name = f"{self._stem}-{number:05}{SUFFIX}"
            self._path = self.folder / f"{name}{OPEN}"
            self._lock = lock_for(self._path)
            with contextlib.suppress(Timeout):
                self._lock.acquire(timeout=0)
                try:
                    self._file = self._path.open("xb", buffering=0)
                except FileExistsError:
                    release(self._lock)
        head = BytesIO()
        writer = WARCWriter(head, gzip=False, warc_version="1.1")
        writer.write_record(writer.create_warcinfo_record(name, self._info))
        self._empty = head.tell()  # an upper bound of its compressed size
        try:
            self._write(_member(head.getvalue()))
        except OSError:
            self._end()
            raise
        self._empty = self._file.tell()

    def _write(self, members: bytes) -> None:
        """Write all of ``members`` or nothing."""
        assert self._file is not None
        start = self._file.tell()
        try:
            rest = memoryview(members)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            with contextlib.suppress(OSError):
                self._file.truncate(start)
                self._file.seek(start)
            raise

    def _end(self) -> None:
        if self._file is None:
            return
        empty = self._file.tell() <= self._empty
        self._file.close()
        self._file = None
        try:
            if empty:
                self._path.unlink()
            else:
                self._path.rename(self._path.with_name(self._path.name.removesuffix(OPEN)))
        finally:
            release(self._lock)
            self._lock = None

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ArchiveError(
                f"{self._path}: the archive cannot be written ({error.strerror or error}). Free disk space, make the folder "
                "writable, or choose another one. Everything already in the archive is whole"
            ) from None


class _Head(StatusAndHeaders):  # type: ignore[misc]
    """Headers as received. warcio would percent-encode anything but ASCII in them."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.first_line, [], protocol="")
        self.headers_buff = message.head()

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        """Do nothing, as the buffer is already filled."""


def _record(kind: str, url: str, message: Message, fields: Mapping[str, str]) -> bytes:
    out = BytesIO()
    writer = WARCWriter(out, gzip=False, warc_version="1.1")
    record = writer.create_warc_record(
        url,
        kind,
        payload=BytesIO(message.body),
        length=len(message.body),
        warc_headers_dict=dict(fields),
        http_headers=_Head(message),
    )
    writer.write_record(record)
    return _member(out.getvalue())


def _member(record: bytes) -> bytes:
    return zlib.compress(record, _LEVEL, 31)
