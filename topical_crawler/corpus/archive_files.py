"""Files of an archive while they are written, and what becomes of them when their process dies."""

from __future__ import annotations

import contextlib
import logging
import os
import zlib
from pathlib import Path

from filelock import FileLock, Timeout

logger = logging.getLogger(__name__)

SUFFIX = ".warc.gz"
OPEN = ".open"
"""Ends the name of a file that is being written, or was when its process died."""
_READ = 1 << 20


def repair(folder: Path) -> list[Path]:
    """Give the files of dead processes in ``folder`` their names, without what is broken at their ends; those of living ones are
    left alone.

    Returns:
        The new names. A file without a whole record is deleted.
    """
    done = []
    for path in sorted(folder.glob(f"*{SUFFIX}{OPEN}")):
        lock = lock_for(path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        try:
            if not path.is_file():  # another was faster
                continue
            whole, size = whole_length(path), path.stat().st_size
            if not whole:
                path.unlink()
                continue
            if whole < size:
                os.truncate(path, whole)
            named = path.with_name(path.name.removesuffix(OPEN))
            path.rename(named)
            logger.info("%s: left open by a process that died; %d of its %d bytes are whole records", named, whole, size)
            done.append(named)
        finally:
            release(lock)
    return done


def whole_length(path: Path) -> int:
    """Bytes of the file up to the end of its last whole gzip member."""
    whole = position = 0
    inflate = zlib.decompressobj(31)
    with path.open("rb") as file:
        while piece := file.read(_READ):
            position += len(piece)
            while piece:
                try:
                    inflate.decompress(piece, _READ)
                except zlib.error:
                    return whole
                piece = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
                if inflate.eof:
                    whole = position - len(piece)
                    inflate = zlib.decompressobj(31)
    return whole


def lock_for(path: Path) -> FileLock:
    """Held by the process that writes to ``path``; nobody else's lock outlives its process."""
    return FileLock(path.with_name(f".{path.name}.lock"), is_singleton=False)


def release(lock: FileLock | None) -> None:
    """Give up a lock, and take its file away."""
    if lock is not None:
        with contextlib.suppress(OSError):
            Path(lock.lock_file).unlink()  # before it is released: afterwards it may be another's
        lock.release()
