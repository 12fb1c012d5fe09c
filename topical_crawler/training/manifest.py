"""What a work folder holds and was made of: small JSON files, replaced as a whole, so that no crash leaves half of one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from topical_crawler.export.files import replacing
from topical_crawler.training import TrainingError


@dataclass
class Shard:
    """A finished file of sentences. ``position``: documents that its source had given when it was finished."""

    file: str
    position: int
    documents: int
    sentences: int
    tokens: int
    characters: int
    size: int
    empty: int
    bytes: int
    seconds: float


@dataclass
class SourceState:
    """How far a source is prepared; ``skipped`` is complete when the source is."""

    path: str
    fingerprint: str
    kind: str = ""
    complete: bool = False
    skipped: dict[str, int] = field(default_factory=dict)
    shards: list[Shard] = field(default_factory=list)

    @property
    def position(self) -> int:
        """Documents of the source that need not be segmented again."""
        return self.shards[-1].position if self.shards else 0

    def total(self, count: str) -> float:
        """Sum of one of the shards' counts."""
        return float(sum(getattr(shard, count) for shard in self.shards))


@dataclass
class Manifest:
    """Everything about the prepared text.

    Attributes:
        options: what decides the text; JSON values.
        sources: in their order.
    """

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
    def load(cls, path: Path) -> Manifest:
        """Read what :meth:`save` wrote.

        Raises:
            TrainingError: the file is not of this form.
        """
        data = read_json(path)
        try:
            sources = [SourceState(**{**s, "shards": [Shard(**shard) for shard in s["shards"]]}) for s in data["sources"]]
            return cls(data["options"], sources)
        except (KeyError, TypeError) as error:
            raise TrainingError(f"{path}: not what this version writes ({error}). Remedy: begin anew with --restart") from None


def write_json(path: Path, data: object) -> None:
    """Write JSON so that after a crash either the old file or the new one is there."""
    with replacing(path) as out:
        json.dump(data, out, ensure_ascii=False, indent=1)


def read_json(path: Path) -> Any:
    """Read JSON; a :class:`TrainingError` names the file and the remedy."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TrainingError(f"{path}: damaged ({error}). Remedy: begin anew with --restart") from None


def fingerprint(path: str | Path) -> str:
    """Names, sizes and times of the files at ``path``, as a digest: a changed source is told by it without being read.

    Raises:
        TrainingError: there is nothing at ``path``.
    """
    root = Path(path)
    if not root.exists():
        raise TrainingError(f"{root}: there is no such file or folder. Remedy: name a source that exists")
    files = sorted(f for f in root.rglob("*") if f.is_file()) if root.is_dir() else [root]
    digest = hashlib.sha256()
    for file in files:
        if file.name.endswith(("-shm", "-wal")):  # SQLite makes them when a collected corpus is only read
            continue
        status = file.stat()
        digest.update(f"{file.relative_to(root)}|{status.st_size}|{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]


def refuse_changes(path: Path, made: Mapping[str, Any], wanted: Mapping[str, Any], remedy: str) -> None:
    """Raise a :class:`TrainingError` that names the first option in which a file's content and the wish differ."""
    for name in dict.fromkeys([*made, *wanted]):
        if made.get(name) != wanted.get(name):
            was, now = (_brief(options.get(name)) for options in (made, wanted))
            if was == now:
                now = f"{now}, but other ones"
            raise TrainingError(
                f"{path}: begun with {name.replace('_', ' ')} {was}, now it is {now}. Remedy: the same as before, or {remedy}"
            )


def _brief(value: object) -> str:
    text = f"{len(value)} words" if isinstance(value, list) and len(value) > 3 else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
