"""The folder in which a training keeps what it needs to go on: one process at a time, and never anybody else's files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from topical_crawler.training import TrainingError

_LOCK = ".lock"
_MARKS = (_LOCK, "manifest.json", "training.json")
"""One of these is in every work folder of ours."""


@contextmanager
def work_folder(out: Path) -> Iterator[Path]:
    """``OUT/work``, made where it is not there, held against other processes.

    Raises:
        TrainingError: ``out`` holds a folder ``work`` that no training made, cannot be written, or another process trains there.
    """
    work = out / "work"
    try:
        work.mkdir(parents=True, exist_ok=True)
        held = [file.name for file in work.iterdir()]
        if held and not any(mark in held for mark in _MARKS):
            raise TrainingError(
                f"{work}: holds files that no training made ({min(held)}). Remedy: name another folder than {out}"
            )
        lock = FileLock(work / _LOCK)
        lock.acquire(timeout=0)
    except Timeout:
        raise TrainingError(f"{out}: another process trains there. Remedy: wait for it, or name another folder") from None
    except OSError as error:
        raise TrainingError(
            f"{out}: cannot be made or written ({error.strerror}). Remedy: name a folder where you may write"
        ) from None
    try:
        yield work
    finally:
        lock.release()


def start_anew(out: Path, keep_text: bool) -> None:
    """Remove the state in ``out``: all of it, or all but the segmented text.

    Raises:
        TrainingError: ``out`` holds a folder ``work`` that no training made, or cannot be written.
    """
    with work_folder(out) as work:
        for path in work.iterdir():
            if path.is_dir() and not (keep_text and path.name == "text"):
                shutil.rmtree(path)
            elif path.is_file() and path.name != _LOCK and not (keep_text and path.name == "manifest.json"):
                path.unlink()
