"""A corpus written out: JSON lines, tables, plain text, a data set for Hugging Face, TEI, vertical text for concordancers.

An export goes to a stream, to files or to a folder, and is complete or not there at all. Rows stand in fetch order, so the same
corpus and the same choices always give the same bytes.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from topical_crawler.export.formats import FORMATS, Setup, check, libraries, of_split
from topical_crawler.export.manifest import PROGRAM, SUFFIX, Facts, Tally, described, manifest
from topical_crawler.export.rows import ExportRow, Split, Writer
from topical_crawler.files import packed, replacing, replacing_bytes, replacing_folder

MANIFEST = "manifest.json"
"""Name of the manifest in a folder."""
REGISTRY = ".registry"
"""Ends the name of the file that configures a corpus in the vertical format."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """An export.

    Attributes:
        kind: name of the format.
        setup: for its writers.
        facts: for the manifest.
        split: how to divide the texts; None: not at all.
        manifest: write one.
    """

    kind: str
    setup: Setup
    facts: Facts = Facts()  # noqa: RUF009 - immutable
    split: Split | None = None
    manifest: bool = True


def to_stream(rows: Iterable[ExportRow], out: BinaryIO, job: Job) -> Tally:
    """Write all rows to ``out``, which is left open."""
    opener = FORMATS[job.kind].open
    assert opener is not None
    tally = Tally()
    writer = opener(out, job.setup)
    for row in rows:
        tally.add(row)
        writer.write(row)
    writer.close()
    return tally


def to_files(rows: Iterable[ExportRow], path: Path, job: Job) -> Tally:
    """Write the rows to the file ``path``, with splits to one beside it for each
    (:func:`~topical_crawler.export.formats.of_split`), and the manifest to ``path`` with ``.manifest.json`` behind it.

    Raises:
        ExportError: what is asked for cannot be.
        OSError: a file cannot be written; none has changed.
    """
    check(job.kind, path)
    opener = FORMATS[job.kind].open
    assert opener is not None
    tally = Tally()
    paths = {name: of_split(path, name) for name in job.split.names} if job.split else {"": path}
    with contextlib.ExitStack() as stack:
        files = {name: stack.enter_context(replacing_bytes(file)) for name, file in paths.items()}
        with contextlib.ExitStack() as packing:
            writers: dict[str, Writer] = {}
            for name, file in paths.items():
                writers[name] = opener(packing.enter_context(packed(files[name], file.name)), job.setup)
            for row, name in _divided(rows, job.split, tally):
                writers[name].write(row)
            for writer in writers.values():
                writer.close()
    written = list(paths.values())
    if job.kind == "vertical":
        written += [_write_registry(file, job.setup.topic) for file in paths.values()]
    beside = path.with_name(path.name + SUFFIX)
    if job.manifest:
        _write_manifest(beside, tally, job, [described(file, file.name) for file in written])
    else:
        beside.unlink(missing_ok=True)  # that of an earlier export would be wrong now
    return tally


def to_folder(rows: Iterable[ExportRow], path: Path, job: Job) -> Tally:
    """Write the rows to a folder: a data set for Hugging Face, or a file of TEI per text.

    Raises:
        FileExistsError: there is something else under ``path``.
        OSError: the folder cannot be written; what was there is as it was.
    """
    tally = Tally()
    with replacing_folder(path, MANIFEST, f'"program": "{PROGRAM}"'.encode()) as folder:
        if job.kind == "hf":
            from topical_crawler.export.parquet import HuggingFace, card

            with HuggingFace(folder, job.split.names if job.split else ("train",)) as writer:
                for row, split in _divided(rows, job.split, tally):
                    writer.write(row, split)
                writer.close()
            (folder / "README.md").write_text(card(tally, job.facts, job.split), "utf-8", newline="")
            files = [*sorted((folder / "data").iterdir()), folder / "README.md"]
        else:
            from topical_crawler.export.tei import SUMS, TeiFolder

            texts = TeiFolder(folder, job.setup.topic)
            try:
                for row, split in _divided(rows, job.split, tally):
                    texts.write(row, split)
            finally:
                texts.close()
            files = [folder / SUMS]
        if job.manifest:
            named = [described(file, file.relative_to(folder).as_posix()) for file in files]
            _write_manifest(folder / MANIFEST, tally, job, named)
    return tally


def _divided(rows: Iterable[ExportRow], split: Split | None, tally: Tally) -> Iterator[tuple[ExportRow, str]]:
    for row in rows:
        name = split.of(row) if split else ""
        tally.add(row, name)
        yield row, name


def _write_registry(path: Path, title: str) -> Path:
    from topical_crawler.export.vertical import registry

    file = path.with_name(path.name + REGISTRY)
    with replacing(file) as out:
        out.write(registry(path.name, title or path.stem))
    return file


def _write_manifest(path: Path, tally: Tally, job: Job, files: Iterable[Mapping[str, Any]]) -> None:
    used = libraries(job.kind, path.name.removesuffix(SUFFIX))
    if {"simplified", "traditional"} & set(job.facts.changes):
        used += ("opencc",)
    data = manifest(tally, job.facts, job.kind, files, job.split, used)
    with replacing(path) as out:
        out.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
