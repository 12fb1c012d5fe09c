"""Files and folders that appear only when they are complete; compression."""

from __future__ import annotations

import contextlib
import errno
import glob
import gzip
import io
import os
import shutil
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import IO, BinaryIO, cast

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

PACKINGS = (".gz", ".zst")  # suffixes of compressed files


_REMEDIES = {
    errno.ENOENT: "see to the spelling of the path, or make what is missing",
    errno.EACCES: "let this user read and write it, or name another path",
    errno.EPERM: "let this user change it, or name another path",
    errno.EROFS: "copy the folder to where it may be written, or name another path",
    errno.ENOSPC: "make room on the disk, then give the command again",
    errno.EDQUOT: "make room within this user's quota, then give the command again",
    errno.EFBIG: "raise the largest size of a file (ulimit -f), then give the command again",
    errno.EIO: "see to the disk: it cannot be read or written there",
    errno.EISDIR: "name a file, not a folder",
    errno.ENOTDIR: "name a path that leads through folders only",
    errno.EEXIST: "name another path, or move away what is there",
    errno.ENAMETOOLONG: "name a shorter path",
    errno.EMFILE: "raise the number of open files (ulimit -n)",
    errno.EADDRINUSE: "choose another port, or end the program that listens on this one",
}


def explained(error: OSError) -> str:
    """What an error of the operating system says, with its file and what to do; an error of the project's own says that itself.

    >>> explained(OSError(errno.EROFS, "Read-only file system", "data/党建/crawl.lock"))
    'data/党建/crawl.lock: Read-only file system. Remedy: copy the folder to where it may be written, or name another path'
    """
    if error.errno is None:
        return str(error)
    place = "".join(f"{os.fsdecode(name)}: " for name in (error.filename,) if isinstance(name, str | bytes))
    remedy = f". Remedy: {_REMEDIES[error.errno]}" if error.errno in _REMEDIES else ""
    return f"{place}{error.strerror}{remedy}"


@contextlib.contextmanager
def replacing(path: Path, encoding: str = "utf-8") -> Iterator[IO[str]]:
    """Open a text file that is written beside ``path`` and renamed when it is complete.

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
    """As :func:`replacing`, for a binary file."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        if error.filename == str(part):
            error.filename = str(path)
        raise
    finally:
        with contextlib.suppress(OSError):  # it was never made, or has its place
            part.unlink()


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left of unfinished files or folders for ``path``; an old folder that had been moved away and
    not replaced yet comes back."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*"):
        process, _, kind = left.name.removeprefix(f".{path.name}.").partition(".")
        if kind not in ("part", "old") or not process.isdecimal() or _runs(int(process)):
            continue
        if kind == "old" and not path.exists():
            left.rename(path)
        elif left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):  # Windows keeps files that are open
                left.unlink()


def _runs(process: int) -> bool:
    if process == os.getpid() or os.name == "nt":  # there a signal would end the process
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def may_write(folder: Path) -> bool:
    """Whether files may be made in a folder."""
    # The mode counts too: the superuser may write everywhere, and a folder marked read-only is meant to stay as it is.
    return os.access(folder, os.W_OK) and bool(folder.stat().st_mode & 0o222)


def beside(path: Path, suffix: str, cache_dir: Path) -> Path:
    """The place of an index of the file at ``path``: beside it, or in ``cache_dir``, which is made, if its folder may not be
    written."""
    if may_write(path.absolute().parent):
        return path.with_name(f"{path.name}{suffix}")
    cache_dir.mkdir(parents=True, exist_ok=True)
    digest = blake2b(str(path.absolute()).encode(), digest_size=8).hexdigest()
    return cache_dir / f"{path.name}.{digest}{suffix}"


@contextlib.contextmanager
def replacing_folder(path: Path, mark: str, content: bytes) -> Iterator[Path]:
    """As :func:`replacing`, for a folder. An existing one is only replaced if it is empty or its file ``mark`` has ``content``.
    Raises FileExistsError for any other ``path``."""
    path = path.resolve()
    remove_leftovers(path)
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
    """Compress what is written by the suffix of ``name``: ``.gz``, ``.zst`` or none. The same input gives the same bytes."""
    if name.endswith(".gz"):
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=out, mtime=0) as packing:
            yield cast(BinaryIO, packing)
    elif name.endswith(".zst"):
        how: dict[int, int] = {zstd.CompressionParameter.compression_level: 9, zstd.CompressionParameter.checksum_flag: 1}
        with zstd.ZstdFile(out, "w", options=how) as packing:
            yield cast(BinaryIO, packing)
    else:
        yield out
