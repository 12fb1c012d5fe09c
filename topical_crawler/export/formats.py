"""The formats of an export by their names, and which of them a file's name means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from topical_crawler.export.failures import ExportError
from topical_crawler.export.files import PACKINGS
from topical_crawler.export.lines import Csv, JsonLines, PlainText
from topical_crawler.export.parquet import Parquet
from topical_crawler.export.rows import Row
from topical_crawler.export.vertical import Tagger, Vertical


class Writer(Protocol):
    """Writes rows as they come."""

    def write(self, row: Row) -> None:
        """Write a row."""

    def close(self) -> None:
        """Write what belongs at the end. What it was written to is left open."""


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
    "jsonl": Format(suffixes=(".jsonl", ".ndjson"), open=lambda out, setup: JsonLines(out)),
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
    return next((kind for kind, found in FORMATS.items() if plain.endswith(found.suffixes)), None)


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
