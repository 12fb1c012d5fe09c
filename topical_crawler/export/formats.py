"""The formats of an export by their names, and the writers of JSON lines, CSV and plain text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from topical_crawler.corpus.schema import MEASURES
from topical_crawler.export.parquet import Parquet
from topical_crawler.export.rows import ExportError, ExportRow, Writer, columns
from topical_crawler.export.vertical import Tagger, Vertical
from topical_crawler.files import PACKINGS

BOM = b"\xef\xbb\xbf"

_UNSAFE = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins with one of these for a formula, and titles come from strangers."""


class JsonLinesWriter(Writer):
    """One JSON object a line, Chinese as it is."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, row: ExportRow) -> None:
        self._out.write((json.dumps(row, ensure_ascii=False) + "\n").encode())


class PlainText(Writer):
    """One text after another, an empty line between them.

    Args:
        out: where it goes.
        headers: put above each text its title, address, date and relevance.
    """

    def __init__(self, out: BinaryIO, headers: bool = True) -> None:
        self._out = out
        self._headers = headers

    def write(self, row: ExportRow) -> None:
        if self._headers:
            day = row["date"] or row["fetched"][:10]
            note = "" if row["keep"] else f"  rejected: {row['reason']}"
            lines = (
                " ".join(row["title"].split()) or row["url"],
                row["url"],
                f"{day}  {row['host']}  relevance {row['relevance']:.4g}{note}",
            )
            self._out.write("".join(f"# {line}\n" for line in lines).encode())
        self._out.write(f"{row['text']}\n\n".encode())


class Csv(Writer):
    """A table with a line of names above, cells quoted as RFC 4180 has it, a column for each measure, lists as JSON. Cells that a
    spreadsheet would run as a formula begin with an apostrophe. Excel shows the first 32,767 characters of a text; nothing is
    cut here.

    Args:
        out: where it goes.
        rejected: with the columns of rejected pages.
        bom: begin with a byte order mark: without it Excel reads Chinese as the local code page.
    """

    def __init__(self, out: BinaryIO, rejected: bool = True, bom: bool = False) -> None:
        self._out = out
        self._names = [
            name for c in columns(rejected) for name in (MEASURES if c.kind == "measures" else (c.name,))
        ]  # fmt: skip
        self._line = io.StringIO(newline="")
        self._writer = csv.DictWriter(self._line, self._names, restval="", extrasaction="ignore", lineterminator="\r\n")
        if bom:
            out.write(BOM)
        self._writer.writeheader()
        self._flush()

    def write(self, row: ExportRow) -> None:
        self._writer.writerow({name: _cell(value) for name, value in (row | row["measures"]).items()})
        self._flush()

    def _flush(self) -> None:
        self._out.write(self._line.getvalue().encode())
        self._line.seek(0)
        self._line.truncate()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_UNSAFE) else value
    if isinstance(value, bool):
        return int(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


# -- The formats


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What writers want to know.

    Attributes:
        topic: title of the topic; "" if unknown.
        rejected: rejected pages come too.
        headers: plain text has lines above each text.
        bom: CSV begins with a byte order mark.
        tagger: cuts sentences into tagged words; the vertical format needs it.
    """

    topic: str = ""
    rejected: bool = False
    headers: bool = True
    bom: bool = False
    tagger: Tagger | None = None


@dataclass(frozen=True, kw_only=True)
class Format:
    """A form of writing rows.

    Attributes:
        suffixes: endings of the names of its files; the first is the usual one.
        open: makes a writer for one file; None where the format is a folder only.
        packs: such a file may be packed further, by the ending ``.gz`` or ``.zst``.
        rejected: it can hold rejected pages, which have no text.
        libraries: packages on which the bytes of a file depend.
    """

    suffixes: tuple[str, ...]
    open: Callable[[BinaryIO, Setup], Writer] | None
    packs: bool = True
    rejected: bool = True
    libraries: tuple[str, ...] = ()


def libraries(kind: str, name: str) -> tuple[str, ...]:
    """Packages on which the bytes of a file of that format and name depend."""
    return FORMATS[kind].libraries + (("zstandard",) if name.endswith(".zst") else ())


def _tei(out: BinaryIO, setup: Setup) -> Writer:
    from topical_crawler.export.tei import TeiCorpus

    return TeiCorpus(out, setup.topic)


def _vertical(out: BinaryIO, setup: Setup) -> Writer:
    assert setup.tagger is not None
    return Vertical(out, setup.tagger)


FORMATS = {
    "jsonl": Format(suffixes=(".jsonl", ".ndjson"), open=lambda out, setup: JsonLinesWriter(out)),
    "csv": Format(suffixes=(".csv",), open=lambda out, setup: Csv(out, setup.rejected, setup.bom)),
    "txt": Format(suffixes=(".txt",), open=lambda out, setup: PlainText(out, setup.headers)),
    "parquet": Format(
        suffixes=(".parquet",),
        open=lambda out, setup: Parquet(out, setup.rejected),
        packs=False,
        libraries=("pyarrow",),
    ),
    "hf": Format(suffixes=(), open=None, packs=False, rejected=False, libraries=("pyarrow",)),
    "tei": Format(suffixes=(".xml", ".tei"), open=_tei, rejected=False, libraries=("lxml",)),
    "vertical": Format(suffixes=(".vert", ".vertical"), open=_vertical, rejected=False, libraries=("jieba", "rjieba")),
}
"""Formats by their names."""


def of_name(name: str) -> str | None:
    """The format that the name of a file means; None where it means none.

    >>> of_name("corpus.jsonl.gz"), of_name("corpus")
    ('jsonl', None)
    """
    plain = _unpacked(name.lower())
    return next((kind for kind, form in FORMATS.items() if plain.endswith(form.suffixes)), None)


def check(kind: str, path: Path) -> None:
    """See that a file of that name can be of this format.

    Raises:
        ExportError: it is packed in itself, and its name says that it be packed.
    """
    if path.name.endswith(PACKINGS) and not FORMATS[kind].packs:
        raise ExportError(f"{path}: {kind} is packed in itself. Remedy: leave {path.suffix} away")


def of_split(path: Path, split: str) -> Path:
    """The file of a split: ``corpus.jsonl.gz`` is ``corpus.train.jsonl.gz`` for "train"."""
    plain = _unpacked(path.name)
    ending = Path(plain).suffix + path.name[len(plain) :]
    return path.with_name(f"{path.name.removesuffix(ending)}.{split}{ending}")


def _unpacked(name: str) -> str:
    return name[: -len(Path(name).suffix)] if name.endswith(PACKINGS) else name
