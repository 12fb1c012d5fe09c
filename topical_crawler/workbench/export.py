"""Operations for exporting a corpus: the actions of ``topical-crawler corpus export``."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask

from topical_crawler.export.formats import FORMATS
from topical_crawler.export.presets import PRESETS
from topical_crawler.export.rows import Split
from topical_crawler.services.exporting import Export, check, export
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.corpus import FILTERS, filters_of
from topical_crawler.workbench.operations import Operation, Param, Values

SHOWN = 4000  # characters of a preview
_PREVIEWED = 3  # texts
_BINARY = ("parquet", "hf")


def _wanted(bench: Bench, values: Values, folder: Path) -> Export:
    """Return the requested export, to a file or folder in ``folder``."""
    crawl = values["crawl"]
    preset = PRESETS.get(values["format"], {"kind": values["format"]})
    suffixes = () if preset.get("per_text") else FORMATS[preset["kind"]].suffixes
    bench.corpus(crawl)
    return Export(
        **preset,
        corpus=bench.place(crawl).corpus,
        target=folder / (crawl + next(iter(suffixes), "")),
        filters=filters_of(values, no_personal=values["personal"] == "no-personal"),
        mask_personal=values["personal"] == "mask-personal",
        simplified=values["script"] == "simplified",
        traditional=values["script"] == "traditional",
        marked_off=values["marked_off"],
        sample=values["sample"],
        split=Split.parse(values["split"]) if values["split"] else None,
    )


def _export(bench: Bench, wanted: Export) -> None:
    """Write an export, in a separate process if words are tagged, as the tagger takes 200 MB."""
    if wanted.segmented or FORMATS[wanted.kind].words:
        bench.apart(export, wanted, bench.settings)
    else:
        export(wanted, bench.settings)


def preview(bench: Bench, values: Values) -> dict[str, Any]:
    """Return the first texts in the form of the export."""
    data = {"presets": list(PRESETS), "formats": list(FORMATS), "preview": "", "cut": False}
    with tempfile.TemporaryDirectory() as folder:
        wanted = _wanted(bench, values, Path(folder))
        check(wanted)  # with the split and the sample, left out of the preview
        if not data.setdefault("binary", wanted.kind in _BINARY):
            _export(bench, replace(wanted, split=None, sample=None, limit=_PREVIEWED))
            assert wanted.target is not None
            files = sorted(wanted.target.rglob("*.txt")) if wanted.alone else [wanted.target]
            text = "\n".join(file.read_text("utf-8-sig") for file in files)
            data |= {"preview": text[:SHOWN], "cut": len(text) > SHOWN}
    return data


def to_file(bench: Bench, values: Values) -> dict[str, Any]:
    """Write the whole export with its manifest to a temporary ZIP archive."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-"))
    try:
        inner = folder / values["crawl"]
        inner.mkdir()
        _export(bench, _wanted(bench, values, inner))
        archive = shutil.make_archive(str(folder / "export"), "zip", folder, values["crawl"])
    except BaseException:
        shutil.rmtree(folder)
        raise
    return {"file": archive, "name": f"{values['crawl']}-{values['format']}.zip"}


def forgetting(file: str) -> BackgroundTask:
    """Return a task that deletes the folder of a sent file."""
    return BackgroundTask(shutil.rmtree, str(Path(file).parent), ignore_errors=True)


_HOW = (
    *FILTERS,
    Param(name="format", about="format of the file", default="jsonl", choices=(*PRESETS, *FORMATS)),
    Param(name="script", about="script of the texts; none: unchanged", choices=("simplified", "traditional")),
    Param(name="personal", about="treatment of personal data; none: unchanged", choices=("no-personal", "mask-personal")),
    Param(name="marked_off", about="include texts marked irrelevant or boilerplate", kind="boolean", default=False),
    Param(name="sample", about="size of a random but fixed sample of texts", kind="integer", low=1, high=1_000_000_000),
    Param(name="split", about="shares of training, validation and test, such as 0.9,0.05,0.05", default="", longest=40),
)
OPERATIONS = (
    Operation("export", "/crawls/{crawl}/export",
              "The first texts in the form of the export. The whole, a ZIP archive with the manifest, is at "
              "/crawls/{crawl}/export/file with the same arguments.", preview, _HOW),
)  # fmt: skip
DOWNLOAD = Operation("export_file", "/crawls/{crawl}/export/file", "An export.", to_file, _HOW)
