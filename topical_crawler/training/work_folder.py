"""Work folder of a training: its lock, its manifest, and atomically replaced JSON files."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from topical_crawler.files import replacing

Report = Callable[[str, float, str], None]  # called with progress: the stage, its finished share (0 to 1), a note


class TrainingError(ValueError):
    """Vectors cannot be trained. The message names the cause and the fix."""


@dataclass
class Shard:
    """File of sentences, with counts."""

    file: str  # its name in the folder
    position: int = 0  # number of documents read from the source at its end
    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    characters: int = 0  # of the documents' texts
    size: int = 0  # of the documents' texts, in bytes of UTF-8
    empty: int = 0  # documents without a word
    bytes: int = 0  # of the file
    seconds: float = 0.0


@dataclass
class SourceState:
    """Progress in a source. ``skipped`` (number by reason) is set on completion."""

    path: str
    fingerprint: str
    kind: str = ""
    complete: bool = False
    skipped: dict[str, int] = field(default_factory=dict)
    shards: list[Shard] = field(default_factory=list)

    @property
    def position(self) -> int:
        """Number of documents already segmented."""
        return self.shards[-1].position if self.shards else 0

    def total(self, count: str) -> float:
        """Return the sum of one of the shards' counts."""
        return float(sum(getattr(shard, count) for shard in self.shards))


@dataclass
class Manifest:
    """Prepared text: the ``options`` determining it (JSON values) and the state of its sources, in order."""

    options: dict[str, Any]
    sources: list[SourceState]

    @property
    def shards(self) -> list[Shard]:
        """All finished shards in order."""
        return [shard for source in self.sources for shard in source.shards]

    def save(self, path: Path) -> None:
        """Replace the file at ``path``."""
        write_json(path, asdict(self))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the result of :meth:`save`.

        Raises:
            TrainingError: the file has another format.
        """
        data = read_json(path)
        try:
            sources = [SourceState(**{**s, "shards": [Shard(**shard) for shard in s["shards"]]}) for s in data["sources"]]
            return cls(data["options"], sources)
        except (KeyError, TypeError) as error:
            raise TrainingError(f"{path}: written by another version ({error}). Start over with --restart") from None


def write_json(path: Path, data: object) -> None:
    """Write JSON atomically: a crash leaves the old file or the new one."""
    with replacing(path) as out:
        json.dump(data, out, ensure_ascii=False, indent=1)


def read_json(path: Path) -> Any:
    """Read JSON.

    Raises:
        TrainingError: the file is damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TrainingError(f"{path}: damaged ({error}). Start over with --restart") from None


def fingerprint(path: str | Path) -> str:
    """Return a digest of the names, sizes and times of the files at ``path``, to detect a changed source without reading it.

    Raises:
        TrainingError: nothing at ``path``.
    """
    root = Path(path)
    if not root.exists():
        raise TrainingError(f"{root}: no such file or folder. Pass an existing source")
    files = sorted(f for f in root.rglob("*") if f.is_file()) if root.is_dir() else [root]
    digest = hashlib.sha256()
    for file in files:
        if file.name.endswith(("-shm", "-wal")):  # SQLite creates them even for readers of a corpus
            continue
        status = file.stat()
        digest.update(f"{file.relative_to(root)}|{status.st_size}|{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]


def refuse_changes(path: Path, made: Mapping[str, Any], wanted: Mapping[str, Any], remedy: str) -> None:
    """Raise a :class:`TrainingError` naming the first option differing between the file and the request."""
    for name in dict.fromkeys([*made, *wanted]):
        if made.get(name) != wanted.get(name):
            was, now = (_brief(options.get(name)) for options in (made, wanted))
            now += ", but different ones" * (was == now)
            raise TrainingError(
                f"{path}: begun with {name.replace('_', ' ')} {was}, now it is {now}. Use the same as before, or {remedy}"
            )


def _brief(value: object) -> str:
    text = f"{len(value)} words" if isinstance(value, list) and len(value) > 3 else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


_LOCK = ".lock"
_MARKS = (_LOCK, "manifest.json", "training.json")  # every work folder has one of these


@contextmanager
def work_folder(out: Path) -> Iterator[Path]:
    """Create and lock ``OUT/work``.

    Raises:
        TrainingError: ``work`` holds files from elsewhere, cannot be written, or is in use by another process.
    """
    work = out / "work"
    try:
        work.mkdir(parents=True, exist_ok=True)
        held = [file.name for file in work.iterdir()]
        if held and not any(mark in held for mark in _MARKS):
            raise TrainingError(f"{work}: holds files from elsewhere ({min(held)}). Choose another folder than {out}")
        lock = FileLock(work / _LOCK)
        lock.acquire(timeout=0)
    except Timeout:
        raise TrainingError(f"{out}: another process trains there. Wait for it, or choose another folder") from None
    except OSError as error:
        raise TrainingError(f"{out}: cannot be created or written ({error.strerror}). Choose a writable folder") from None
    try:
        yield work
    finally:
        lock.release()


def start_anew(out: Path, keep_text: bool) -> None:
    """Remove the state in ``out``, except the segmented text if ``keep_text``.

    Raises:
        TrainingError: as for :func:`work_folder`.
    """
    with work_folder(out) as work:
        for path in work.iterdir():
            if path.is_dir() and not (keep_text and path.name == "text"):
                shutil.rmtree(path)
            elif path.is_file() and path.name != _LOCK and not (keep_text and path.name == "manifest.json"):
                path.unlink()
