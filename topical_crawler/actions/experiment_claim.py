"""What the crawls of an experiment are made of, written down beside them: crawls that were made otherwise are not held against
each other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from topical_crawler import __version__
from topical_crawler.export.files import replacing
from topical_crawler.topic import Topic, TopicError


def claim(folder: Path, web: Path, settings: Sequence[str], made_of: Mapping[str, Any]) -> None:
    """Write ``folder/experiment.json``; ``folder`` is made where it does not exist.

    Args:
        folder: holds the crawls, ``<name>/data`` each.
        web: the WARC file that answers.
        settings: of every crawl.
        made_of: JSON data by name: what else crawls are made of. A name that is new is added to those known.

    Raises:
        ValueError: there are crawls already for which one of these was something else.
    """
    status = web.stat()
    wanted = {
        **made_of,
        "web": {"name": web.name, "bytes": status.st_size, "changed": status.st_mtime_ns},
        "settings": list(settings),
        "version": __version__,
    }
    file = folder / "experiment.json"
    known: dict[str, Any] = {}
    if any(folder.glob("*/data/corpus.sqlite")):
        known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else dict.fromkeys(wanted)
    if changed := [name for name in wanted if name in known and known[name] != wanted[name]]:
        raise ValueError(
            f"{folder} holds crawls that differ in {', '.join(changed)}, which cannot be held against new ones. "
            f"Remedy: choose another --out, or delete {folder}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(file) as out:
        json.dump({**known, **wanted}, out, ensure_ascii=False, indent=1)


def topic_digest(topic: Topic) -> dict[str, str]:
    """What a topic's folder holds: the SHA-256 of every file by its name.

    Raises:
        TopicError: the topic lies inside an archive.
    """
    folder = Path(topic.source)
    if not folder.is_dir():
        raise TopicError(f"{folder} is inside an archive. Remedy: give the path of a topic folder")
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(folder.iterdir()) if f.is_file()}
