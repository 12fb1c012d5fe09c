"""Writing of rows to a stream, a file for each split, or a folder, with the manifest beside them.

An export to files or a folder appears once it is complete. Rows are in fetch order: the same corpus and options give the same
bytes.
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from topical_crawler.export.formats import FORMATS, Setup, of_splits
from topical_crawler.export.manifest import PROGRAM, SUFFIX, Facts, Tally, described, manifest
from topical_crawler.export.rows import ExportError, ExportRow, Split
from topical_crawler.files import PACKINGS, packed, remove_leftovers, replacing, replacing_bytes, replacing_folder

MANIFEST = "manifest.json"  # name of the manifest in a folder
REGISTRY = ".registry"  # suffix of the file configuring a vertical corpus for Manatee
ENCODER = ".cwb.sh"  # suffix of the script encoding it for CWB


@dataclass(frozen=True, kw_only=True)
class Job:
    """Options of an export."""

    kind: str  # name of the format
    setup: Setup  # for its writers
    facts: Facts = Facts()  # for the manifest  # noqa: RUF009 - immutable
    split: Split | None = None  # division of the texts, None for none
    manifest: bool = True  # write a manifest


def to_stream(rows: Iterable[ExportRow], out: BinaryIO, job: Job) -> Tally:
    """Write all rows to ``out``, and leave it open."""
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
    """Write rows to ``path``, or to a file per split beside it (:func:`of_splits`), and the manifest to ``path.manifest.json``.

    Raises:
        ExportError: the name asks to compress a format with compression of its own.
        OSError: a file cannot be written. No file has changed then.
    """
    if path.name.endswith(PACKINGS) and not FORMATS[job.kind].packs:
        raise ExportError(f"{path}: {job.kind} is compressed already. Leave out {path.suffix}")
    opener = FORMATS[job.kind].open
    assert opener is not None
    tally = Tally()
    paths = of_splits(path, job.split)
    manifest_path = path.with_name(path.name + SUFFIX)
    for file in paths.values():
        for suffix in ("", REGISTRY, ENCODER):
            remove_leftovers(file.with_name(file.name + suffix))
    remove_leftovers(manifest_path)
    with contextlib.ExitStack() as stack:
        files = {name: stack.enter_context(replacing_bytes(file)) for name, file in paths.items()}
        with contextlib.ExitStack() as packing:
            writers = {
                name: opener(packing.enter_context(packed(files[name], file.name)), job.setup) for name, file in paths.items()
            }
            for row, name in _divided(rows, job.split, tally):
                writers[name].write(row)
            for writer in writers.values():
                writer.close()
    written = list(paths.values())
    if job.kind in ("vertical", "vrt"):
        written += [beside for file in paths.values() for beside in _write_beside(file, job)]
    if job.manifest:
        _write_manifest(manifest_path, tally, job, [described(file, file.name) for file in written])
    else:
        manifest_path.unlink(missing_ok=True)  # the one of an earlier export would be wrong now
    return tally


def to_folder(rows: Iterable[ExportRow], path: Path, job: Job) -> Tally:
    """Write rows to a folder: a data set for Hugging Face, or a file per text.

    Raises:
        FileExistsError: ``path`` is anything but an earlier export.
        OSError: the folder cannot be written. An earlier one is unchanged then.
    """
    tally = Tally()
    with replacing_folder(path, MANIFEST, f'"program": "{PROGRAM}"'.encode()) as folder:
        if job.kind == "hf":
            from topical_crawler.export.croissant import CROISSANT, croissant
            from topical_crawler.export.parquet import HuggingFace, card

            splits, shape = job.split.names if job.split else ("train",), (job.setup.metadata, job.setup.labels)
            with HuggingFace(folder, splits, *shape) as writer:
                for row, split in _divided(rows, job.split, tally):
                    writer.write(row, split)
                writer.close()
            (folder / "README.md").write_text(card(tally, job.facts, job.split, *shape), "utf-8", newline="")
            parquet = [described(file, f"data/{file.name}") for file in sorted((folder / "data").iterdir())]
            about = json.dumps(croissant(tally, job.facts, parquet, *shape), ensure_ascii=False, indent=1)
            (folder / CROISSANT).write_text(about + "\n", "utf-8", newline="")
            files = [*sorted((folder / "data").iterdir()), folder / "README.md", folder / CROISSANT]
        else:
            from topical_crawler.export.folder import INDEX, SUMS, TextFolder

            with TextFolder(folder, job.kind, job.setup) as texts:
                for row, split in _divided(rows, job.split, tally):
                    texts.write(row, split)
            files = [folder / INDEX, folder / SUMS]
        if job.manifest:
            named = [described(file, file.relative_to(folder).as_posix()) for file in files]
            _write_manifest(folder / MANIFEST, tally, job, named)
    return tally


def _divided(rows: Iterable[ExportRow], split: Split | None, tally: Tally) -> Iterator[tuple[ExportRow, str]]:
    for row in rows:
        name = split.of(row) if split else ""
        tally.add(row, name)
        yield row, name


def _write_beside(path: Path, job: Job) -> Iterator[Path]:
    from topical_crawler.export.vertical import encoder, registry

    texts = {ENCODER: encoder(path.name, "text" if job.kind == "vrt" else "doc")}
    if job.kind == "vertical":
        texts[REGISTRY] = registry(path.name, job.setup.topic or path.stem)
    for suffix, text in texts.items():
        file = path.with_name(path.name + suffix)
        with replacing(file) as out:
            out.write(text)
        yield file


def _write_manifest(path: Path, tally: Tally, job: Job, files: Iterable[Mapping[str, Any]]) -> None:
    libraries = FORMATS[job.kind].libraries + (("backports.zstd",) if path.name.removesuffix(SUFFIX).endswith(".zst") else ())
    if {"simplified", "traditional"} & set(job.facts.changes):
        libraries += ("opencc",)
    data = manifest(tally, job.facts, job.kind, files, job.split, libraries)
    with replacing(path) as out:
        out.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
