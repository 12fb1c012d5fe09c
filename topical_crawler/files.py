"""Atomic writing of files and folders, and compression."""

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
    errno.ENOENT: "Check the spelling of the path, or create the missing file or folder",
    errno.EACCES: "Let this user read and write it, or name another path",
    errno.EPERM: "Let this user change it, or name another path",
    errno.EROFS: "Copy the folder to a writable place, or name another path",
    errno.ENOSPC: "Make room on the disk, then repeat the command",
    errno.EDQUOT: "Make room within this user's quota, then repeat the command",
    errno.EFBIG: "Raise the limit on file size (ulimit -f), then repeat the command",
    errno.EIO: "Check the disk: it cannot be read or written there",
    errno.EISDIR: "Name a file, not a folder",
    errno.ENOTDIR: "Name a path through folders only",
    errno.EEXIST: "Name another path, or move the existing one away",
    errno.ENAMETOOLONG: "Name a shorter path",
    errno.EMFILE: "Raise the limit on open files (ulimit -n)",
    errno.EADDRINUSE: "Choose another port, or end the program listening on this one",
}


def explained(error: OSError) -> str:
    """Return the message of an operating system error, with its file and a fix. The project's own errors already have them.

    >>> explained(OSError(errno.EROFS, "Read-only file system", "data/党建/crawl.lock"))
    'data/党建/crawl.lock: Read-only file system. Copy the folder to a writable place, or name another path'
    """
    if error.errno is None:
        return str(error)
    place = "".join(f"{os.fsdecode(name)}: " for name in (error.filename,) if isinstance(name, str | bytes))
    remedy = f". {_REMEDIES[error.errno]}" if error.errno in _REMEDIES else ""
    return f"{place}{error.strerror}{remedy}"


@contextlib.contextmanager
def replacing(path: Path, encoding: str = "utf-8") -> Iterator[IO[str]]:
    """Open a text file for atomic writing: it is written beside ``path`` and renamed on success.

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
    """Open a binary file for atomic writing, like :func:`replacing`."""
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
        with contextlib.suppress(OSError):  # never created, or already renamed
            part.unlink()


def remove_leftovers(path: Path) -> None:
    """Remove unfinished files or folders for ``path`` left by killed processes. Restore an old folder moved away and not yet
    replaced.
    """
    for left in path.parent.glob(f".{glob.escape(path.name)}.*"):
        process, _, kind = left.name.removeprefix(f".{path.name}.").partition(".")
        if kind not in ("part", "old") or not process.isdecimal() or _runs(int(process)):
            continue
        if kind == "old" and not path.exists():
            left.rename(path)
        elif left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):  # Windows keeps open files
                left.unlink()


def _runs(process: int) -> bool:
    if process == os.getpid() or os.name == "nt":  # on Windows a signal would end the process
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def may_write(folder: Path) -> bool:
    """Return True if files may be created in a folder."""
    # The mode counts too: the superuser may write everywhere, but a folder marked read-only is meant to stay unchanged.
    return os.access(folder, os.W_OK) and bool(folder.stat().st_mode & 0o222)


def beside(path: Path, suffix: str, cache_dir: Path) -> Path:
    """Return the path for an index of the file at ``path``: beside it, or in ``cache_dir`` if its folder is read-only.

    ``cache_dir`` is created when needed.
    """
    if may_write(path.absolute().parent):
        return path.with_name(f"{path.name}{suffix}")
    cache_dir.mkdir(parents=True, exist_ok=True)
    digest = blake2b(str(path.absolute()).encode(), digest_size=8).hexdigest()
    return cache_dir / f"{path.name}.{digest}{suffix}"


@contextlib.contextmanager
def replacing_folder(path: Path, mark: str, content: bytes) -> Iterator[Path]:
    """Create a folder atomically, like :func:`replacing`. Replace an existing one only if it is empty or its ``mark`` file has
    ``content``.

    Raises:
        FileExistsError: any other ``path`` exists.
    """
    path = path.resolve()
    remove_leftovers(path)
    if path.exists() and not _is_ours(path, mark, content):
        raise FileExistsError(f"{path} exists and is not an earlier export. Name a folder that does not exist, or delete it")
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
    """Compress output by the suffix of ``name``: ``.gz``, ``.zst`` or none. The output is deterministic."""
    if name.endswith(".gz"):
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=out, mtime=0) as packing:
            yield cast(BinaryIO, packing)
    elif name.endswith(".zst"):
        how: dict[int, int] = {zstd.CompressionParameter.compression_level: 9, zstd.CompressionParameter.checksum_flag: 1}
        with zstd.ZstdFile(out, "w", options=how) as packing:
            yield cast(BinaryIO, packing)
    else:
        yield out
