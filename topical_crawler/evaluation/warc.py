"""WARC files read record by record: where each response is, and what it says.

warcio reads more kinds of files, but it takes twice as long for one record at a known place, does not say where a file is
broken, and prints a line for every URL with a space in it.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

OPEN = ".open"
"""Ends the name of a file that is not finished."""
_TARGET = re.compile(rb"^WARC-Target-URI:[ \t]*<?(.*?)>?[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_TYPE = re.compile(rb"^WARC-Type:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_LENGTH = re.compile(rb"^Content-Length:[ \t]*(\d+)", re.IGNORECASE | re.MULTILINE)
_BLANK = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(r"HTTP/\d(?:\.\d)?\s+(\d{3})")
_GOOD = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+2\d\d\b")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")
_READ = 1 << 16
_HEAD = 1 << 16
"""Longest WARC header block, in bytes."""


class RecordingError(Exception):
    """A WARC file that cannot be read; the message names file, offset and remedy."""


@dataclass(frozen=True, slots=True)
class Response:
    """A recorded answer.

    Attributes:
        status: HTTP status.
        headers: names and values in their order, as recorded; ``Transfer-Encoding`` is gone, for ``body`` is whole, and so is
            ``Content-Encoding`` where the recorder had undone it.
        body: as sent; compressed where ``Content-Encoding`` says so.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """Value of the first header of that name, "" if there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    def uncompressed(self) -> bytes:
        """The body without gzip or deflate; b"" where it is broken."""
        if not any(name in self.header("content-encoding").lower() for name in ("gzip", "deflate")):
            return self.body
        try:
            return zlib.decompressobj(47).decompress(self.body)  # 47: gzip or zlib, by its head
        except zlib.error:
            return b""


def scan(path: Path) -> Iterator[tuple[str, int, int, bool]]:
    """URL, offset and length of every response record of the file at ``path``, in its order, and whether its status is 2xx.

    A file named ``….open`` is one that is being written, or was when its process died: its whole records are taken.

    Raises:
        RecordingError: the file is no WARC file, is cut off, or has several records in one gzip member.
    """
    unfinished = path.suffix == OPEN
    if path.stat().st_size == 0:
        if unfinished:
            return
        raise RecordingError(f"{path}: the file is empty; record again")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        offset = 0
        while offset < len(data):
            try:
                record = (_gzip_member if data[offset : offset + 2] == b"\x1f\x8b" else _plain_record)(data, offset)
            except (ValueError, zlib.error) as error:
                if unfinished:
                    return
                raise RecordingError(
                    f"{path}, offset {offset}: {error}; fetch the file again, or try `warcio recompress` on it"
                ) from None
            kind, target = _TYPE.search(record.head), _TARGET.search(record.head)
            if kind and kind[1].lower() == b"response" and target and target[1].lower().startswith((b"http:", b"https:")):
                good = _GOOD.match(record.block) is not None
                yield target[1].decode("utf-8", "replace"), offset, record.end - offset, good
            offset = record.end
            while data[offset : offset + 1] in (b"\r", b"\n"):  # between uncompressed records
                offset += 1


class _Record(NamedTuple):
    """The header block of a record, the beginning of what follows it, and where in the file the record ends."""

    head: bytes
    block: bytes
    end: int


def _gzip_member(data: mmap.mmap, offset: int) -> _Record:
    """The record at ``offset``, which is a gzip member of its own."""
    inflate = zlib.decompressobj(31)
    start, size, position = b"", 0, offset
    while not inflate.eof:
        piece = inflate.unconsumed_tail
        if not piece:
            piece = data[position : position + _READ]
            position += len(piece)
        out = inflate.decompress(piece, 1 << 20)
        if not piece and not out:
            raise ValueError("the file ends within a record")
        size += len(out)
        start += out[: max(0, _HEAD - len(start))]
    head, length = _head(start)
    if size < len(head) + 4 + length:
        raise ValueError(f"the record is shorter than its Content-Length of {length}")
    if size > len(head) + 4 + length + 4:
        raise ValueError("more than one record in a gzip member, where single ones cannot be found")
    return _Record(head, _beginning(start, len(head)), position - len(inflate.unused_data))


def _plain_record(data: mmap.mmap, offset: int) -> _Record:
    """The uncompressed record at ``offset``."""
    start = data[offset : offset + _HEAD]
    head, length = _head(start)
    end = offset + len(head) + 4 + length
    if end > len(data):
        raise ValueError("the file ends within a record")
    return _Record(head, _beginning(start, len(head)), end)


def _beginning(start: bytes, head: int) -> bytes:
    return start[head + 4 : head + 24]


def _head(record: bytes) -> tuple[bytes, int]:
    """Header block of a WARC record without the empty line after it, and the length of what follows that."""
    end = record.find(b"\r\n\r\n")
    length = _LENGTH.search(record, 0, max(end, 0))
    if not record.startswith(b"WARC/") or length is None:
        raise ValueError("no WARC record begins here")
    return record[:end], int(length[1])


def parse(record: bytes) -> Response:
    """Read one whole, uncompressed WARC record of a response.

    Raises:
        ValueError: it is none, or cut off.
    """
    head, length = _head(record)
    block = record[len(head) + 4 : len(head) + 4 + length]
    if len(block) < length:
        raise ValueError("the record is shorter than its Content-Length")
    end = _BLANK.search(block)
    lines = (block[: end.start()] if end else block).decode("latin-1").splitlines()
    status = _STATUS.match(lines[0]) if lines else None
    if status is None:
        raise ValueError("a response without an HTTP status line")
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and headers:
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
        elif (name := line.partition(":"))[1]:
            headers.append((name[0].strip(), name[2].strip()))
    body = block[end.end() :] if end else b""
    coding = {name.lower(): value.lower() for name, value in headers}
    if "chunked" in coding.get("transfer-encoding", ""):
        body = _unchunk(body)
    gone = {"transfer-encoding"}
    if "gzip" in coding.get("content-encoding", "") and not body.startswith(b"\x1f\x8b"):
        gone.add("content-encoding")
    return Response(int(status[1]), tuple(pair for pair in headers if pair[0].lower() not in gone), body)


def _unchunk(body: bytes) -> bytes:
    """The body without chunk sizes. Some recorders keep the header and store the body whole: then it is left as it is."""
    parts: list[bytes] = []
    position = 0
    while size := _CHUNK_SIZE.match(body, position):
        length = int(size[1], 16)
        if length == 0:
            return b"".join(parts)
        parts.append(body[size.end() : size.end() + length])
        position = size.end() + length + 2
    return b"".join(parts) if parts else body
