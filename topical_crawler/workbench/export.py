"""Operations that write a corpus out: the actions of ``topical-crawler corpus export``."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from starlette.background import BackgroundTask

from topical_crawler.cli.corpus.export import FORMATS, add_arguments
from topical_crawler.cli.corpus.exporting import check
from topical_crawler.cli.corpus.exporting import export as write
from topical_crawler.services import MistakeError
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.corpus import FILTERS
from topical_crawler.workbench.operations import Operation, Param, Values

SHOWN = 4000  # characters of a preview
_SUFFIXES = {"jsonl": "jsonl", "csv": "csv", "txt": "txt", "md": "md", "parquet": "parquet", "hf": "", "tei": "xml",
             "vertical": "vert", "conllu": "conllu"}  # fmt: skip
_BINARY = ("parquet", "hf")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise MistakeError(message)


def _write(bench: Bench, values: Values, folder: Path, limit: int | None) -> Path:
    """Run the command's action; the file or folder that it wrote. Where there is a ``limit`` it is not split."""
    crawl, kind = values["crawl"], values["format"]
    bench.corpus(crawl)
    target = folder / f"{crawl}{'.' if _SUFFIXES[kind] else ''}{_SUFFIXES[kind]}"
    given = ["--format", kind, "--output", str(target)]
    for name in ("since", "until", "min_relevance", "min_characters", "rights", "split"):
        if values[name]:
            given.append(f"--{name.replace('_', '-')}={values[name]}")
    given += [f"--{name}={value}" for name in ("host", "kind", "reason") for value in values[name]]
    if values["below_relevance"] is not None:
        given.append(f"--where=relevance<{values['below_relevance']}")
    given += [f"--{value}" for value in (values["script"], values["personal"]) if value]
    given += ["--marked-off"] * values["marked_off"] + ["--rejected"] * values["rejected"]
    given += ["--sample", str(values["sample"])] if values["sample"] and limit is None else []
    given += ["--limit", str(limit)] if limit is not None else []
    parser = _Parser(add_help=False)
    add_arguments(parser)
    opts = parser.parse_args([*given, bench.place(crawl).corpus])
    if limit is not None:
        check(opts, kind)  # as with the split that it does not get
        opts.split = None
    write(opts, bench.settings)
    return target


def preview(bench: Bench, values: Values) -> dict[str, Any]:
    """The first texts as they would be written."""
    kind = values["format"]
    data = {"formats": FORMATS, "preview": "", "binary": kind in _BINARY, "cut": False}
    if not data["binary"]:
        with tempfile.TemporaryDirectory() as folder:
            target = _write(bench, values, Path(folder), 3)
            text = target.read_text("utf-8-sig")
        data |= {"preview": text[:SHOWN], "cut": len(text) > SHOWN}
    return data


def to_file(bench: Bench, values: Values) -> dict[str, Any]:
    """The whole export in a temporary file: with its manifest, as a ZIP archive."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-"))
    try:
        inner = folder / values["crawl"]
        inner.mkdir()
        _write(bench, values, inner, None)
        archive = shutil.make_archive(str(folder / "export"), "zip", folder, values["crawl"])
    except BaseException:
        shutil.rmtree(folder)
        raise
    return {"file": archive, "name": f"{values['crawl']}-{values['format']}.zip"}


def forgetting(file: str) -> BackgroundTask:
    """Deletes the folder of a file that was sent."""
    return BackgroundTask(shutil.rmtree, str(Path(file).parent), ignore_errors=True)


_HOW = (
    *FILTERS,
    Param(name="format", about="of the file", default="jsonl", choices=FORMATS),
    Param(name="script", about="characters of the texts; none: as they are", choices=("simplified", "traditional")),
    Param(name="personal", about="what becomes of personal data; none: it stays", choices=("no-personal", "mask-personal")),
    Param(name="marked_off", about="texts too that are marked irrelevant or boilerplate", kind="boolean", default=False),
    Param(name="sample", about="so many texts, drawn at random, always the same", kind="integer", low=1, high=1_000_000_000),
    Param(name="split", about="shares of training, validation and test, such as 0.9,0.05,0.05", default="", longest=40),
)
OPERATIONS = (
    Operation("export", "/crawls/{crawl}/export",
              "The first texts as an export would write them. The whole, a ZIP archive with the manifest, is at "
              "/crawls/{crawl}/export/file with the same arguments.", preview, _HOW),
)  # fmt: skip
DOWNLOAD = Operation("export_file", "/crawls/{crawl}/export/file", "An export.", to_file, _HOW)
