"""Files and folders that appear only when they are complete; packing."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

import zstandard

PACKINGS = (".gz", ".zst")
"""Endings of the names of packed files."""

_ZSTD_LEVEL = 9


@contextlib.contextmanager
def replacing(path: Path, encoding: str = "utf-8") -> Iterator[IO[str]]:
    """A text file that appears under ``path`` only when it is complete: written beside it and renamed at the end.

    Use encoding ``utf-8-sig`` for a CSV file: without its byte order mark Excel reads Chinese as the local code page.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "words.txt")) as out:
    ...         _ = out.write("党建")
    ...     Path(folder, "words.txt").read_text("utf-8")
    '党建'
    """
    with replacing_bytes(path) as raw:
        out = io.TextIOWrapper(raw, encoding=encoding, newline="", write_through=True)
        try:
            yield out
            out.flush()
        finally:
            out.detach()


@contextlib.contextmanager
def replacing_bytes(path: Path) -> Iterator[BinaryIO]:
    """The same for a binary file."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing_folder(path: Path, mark: str, content: bytes) -> Iterator[Path]:
    """The same for a folder. One that is there is replaced only where it is empty or an earlier result.

    Args:
        path: of the folder.
        mark: name of the file in it by which an earlier result is known.
        content: what that file holds.

    Raises:
        FileExistsError: there is something else under ``path``.
    """
    path = path.resolve()
    if path.exists() and not _is_ours(path, mark, content):
        raise FileExistsError(f"{path} is there and is no earlier export. Remedy: name a folder that is not there, or delete it")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    old = path.with_name(f".{path.name}.{os.getpid()}.old")
    part.mkdir()
    try:
        yield part
        if path.exists():
            path.rename(old)
        part.rename(path)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _is_ours(path: Path, mark: str, content: bytes) -> bool:
    if not path.is_dir():
        return False
    file = path / mark
    return not any(path.iterdir()) or (file.is_file() and content in file.read_bytes())


@contextlib.contextmanager
def packed(out: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Packs what is written, by the ending of ``name``: ``.gz``, ``.zst``, or not at all. The same input gives the same bytes: no
    time and no name are noted."""
    if name.endswith(".gz"):
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=out, mtime=0) as packing:
            yield cast(BinaryIO, packing)
    elif name.endswith(".zst"):
        compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True)
        with compressor.stream_writer(out, closefd=False) as packing:
            yield cast(BinaryIO, packing)
    else:
        yield out
