"""Export formats by name, and the writers of JSON lines, CSV and plain text."""

import codecs
import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from topical_crawler.corpus.record import MEASURES
from topical_crawler.export.conllu import ConllU
from topical_crawler.export.parquet import Parquet
from topical_crawler.export.rows import Column, ExportRow, Split, Writer, columns, nested
from topical_crawler.export.tagging import Tagger
from topical_crawler.export.vertical import Vertical, words
from topical_crawler.files import PACKINGS
from topical_crawler.text.passages import Passage, markdown

_FORMULA = (*"=+-@＝＋－＠", "\t", "\r")  # beginnings of cells run as formulas by a spreadsheet (titles are untrusted)


class JsonLinesWriter(Writer):
    """Writer of one JSON object a line, with Chinese unescaped. With ``metadata`` apart, of three fields."""

    def __init__(self, out: BinaryIO, metadata: bool = False) -> None:
        self._out = out
        self._metadata = metadata

    def write(self, row: ExportRow) -> None:
        row = nested(row) if self._metadata else row
        self._out.write((json.dumps(row, ensure_ascii=False) + "\n").encode())


class PlainText(Writer):
    """Writer of texts separated by empty lines.

    With ``headers``, each stands below its title, address, day (if known) and relevance. A text ``alone`` in its file has
    neither. With a ``tagger``, words are separated by blanks, and code and formulas are left out.
    """

    def __init__(self, out: BinaryIO, headers: bool = True, alone: bool = False, tagger: Tagger | None = None) -> None:
        self._out = out
        self._headers = headers and not alone
        self._alone = alone
        self._tagger = tagger

    def write(self, row: ExportRow) -> None:
        if self._headers:
            note = "" if row["keep"] else f"  rejected: {row['reason']}"
            lines = (
                " ".join(row["title"].split()) or row["url"],
                row["url"],
                f"{row['date']}  {row['host']}  relevance {row['relevance']:.4g}{note}".strip(),
            )
            self._out.write("".join(f"# {line}\n" for line in lines).encode())
        text = "\n".join(words(row, self._tagger)) if self._tagger else row["text"]
        self._out.write(f"{text}\n{'' if self._alone else chr(10)}".encode())


class Markdown(Writer):
    """Writer of texts as Markdown.

    With ``headers``, each stands below its title, a heading of level 1, with address, day and host. A text ``alone`` in its file
    has none.
    """

    def __init__(self, out: BinaryIO, headers: bool = True, alone: bool = False) -> None:
        self._out = out
        self._headers = headers and not alone
        self._end = "\n" if alone else "\n\n"

    def write(self, row: ExportRow) -> None:
        title = [Passage(row["title"].strip() or row["url"], "heading", 1)]
        about = ", ".join(filter(None, (f"<{row['url']}>", row["date"], row["host"])))
        parts = [markdown(title), about] if self._headers else []
        self._out.write(("\n\n".join([*parts, row["markdown"]]) + self._end).encode())


class Csv(Writer):
    """Writer of a table with a header line, quoted as in RFC 4180.

    Measures have a column each, lists are JSON, and formulas get an apostrophe. With ``rejected``, it has the columns of rejected
    pages. Without the byte order mark (``bom``) Excel reads Chinese in the local code page. As an ``index`` it has the name of a
    ``file`` instead of the text.

    Texts are not cut, though Excel shows only their first 32,767 characters.
    """

    def __init__(self, out: BinaryIO, rejected: bool = True, bom: bool = False, index: bool = False) -> None:
        names = [name for c in columns(rejected) for name in (MEASURES if c.kind == "measures" else (c.name,))]
        if index:
            names = ["file", *(name for name in names if name not in ("text", "markdown", "layout"))]
        text = codecs.getwriter("utf-8-sig" if bom else "utf-8")(out)
        self._writer = csv.DictWriter(text, names, restval="", extrasaction="ignore", lineterminator="\r\n")
        self._writer.writeheader()

    def write(self, row: ExportRow) -> None:
        self._writer.writerow({name: _cell(value) for name, value in (row | row["measures"]).items()})


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, bool):
        return int(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


# -- Formats


@dataclass(frozen=True, kw_only=True)
class Setup:
    """Options of the writers."""

    topic: str = ""  # title of the topic, "" if unknown
    rejected: bool = False  # export rejected pages, too
    headers: bool = True  # see `PlainText`
    alone: bool = False  # every text has a file of its own
    bom: bool = False  # see `Csv`
    metadata: bool = False  # put all fields but id and text into one, see `rows.nested`
    labels: tuple[Column, ...] = ()  # further fields
    tagger: Tagger | None = None  # required by formats with words, segments others


@dataclass(frozen=True, kw_only=True)
class Format:
    """Export format."""

    suffixes: tuple[str, ...]  # of its files, the usual one first
    open: Callable[[BinaryIO, Setup], Writer] | None  # returns a writer for one file, None for a folder
    alone: str = ""  # suffix of a file with one text, "" if there are none
    packs: bool = True  # can be compressed (`.gz`, `.zst`)
    rejected: bool = True  # can hold rejected pages, without text
    headers: bool = False  # has lines above each text
    words: bool = False  # has tagged words
    segmented: bool = False  # can have blanks between words
    metadata: bool = False  # can have metadata apart
    libraries: tuple[str, ...] = ()  # packages with influence on the bytes of a file


def _tei(out: BinaryIO, setup: Setup) -> Writer:
    from topical_crawler.export.tei import TeiCorpus, TeiText

    return TeiText(out, setup.topic) if setup.alone else TeiCorpus(out, setup.topic)


def _words(make: Callable[[BinaryIO, Tagger], Writer]) -> Callable[[BinaryIO, Setup], Writer]:
    def opened(out: BinaryIO, setup: Setup) -> Writer:
        assert setup.tagger is not None
        return make(out, setup.tagger)

    return opened


_JIEBA = ("jieba", "rjieba")

FORMATS = {
    "jsonl": Format(
        suffixes=(".jsonl", ".ndjson"),
        open=lambda out, setup: JsonLinesWriter(out, setup.metadata),
        alone=".json",
        metadata=True,
        libraries=_JIEBA,
    ),
    "csv": Format(suffixes=(".csv",), open=lambda out, setup: Csv(out, setup.rejected, setup.bom), libraries=_JIEBA),
    "txt": Format(
        suffixes=(".txt",),
        open=lambda out, setup: PlainText(out, setup.headers, setup.alone, setup.tagger),
        alone=".txt",
        headers=True,
        segmented=True,
        libraries=_JIEBA,
    ),
    "md": Format(
        suffixes=(".md", ".markdown"),
        open=lambda out, setup: Markdown(out, setup.headers, setup.alone),
        alone=".md",
        headers=True,
        rejected=False,
    ),
    "parquet": Format(
        suffixes=(".parquet",),
        open=lambda out, setup: Parquet(out, setup.rejected, setup.metadata, setup.labels),
        packs=False,
        metadata=True,
        libraries=("pyarrow", *_JIEBA),
    ),
    "hf": Format(suffixes=(), open=None, packs=False, rejected=False, metadata=True, libraries=("pyarrow", *_JIEBA)),
    "tei": Format(suffixes=(".xml", ".tei"), open=_tei, alone=".xml", rejected=False, libraries=("lxml",)),
    "vertical": Format(
        suffixes=(".vert", ".vertical"), open=_words(Vertical), alone=".vert", rejected=False, words=True, libraries=_JIEBA
    ),
    "vrt": Format(
        suffixes=(".vrt",),
        open=_words(lambda out, tagger: Vertical(out, tagger, "text")),
        alone=".vrt",
        rejected=False,
        words=True,
        libraries=_JIEBA,
    ),
    "conllu": Format(suffixes=(".conllu",), open=_words(ConllU), alone=".conllu", rejected=False, words=True, libraries=_JIEBA),
}


def of_name(name: str) -> str | None:
    """Return the format of a file by its name, None for an unknown suffix.

    >>> of_name("corpus.jsonl.gz"), of_name("corpus")
    ('jsonl', None)
    """
    plain = _unpacked(name.lower())
    return next((kind for kind, form in FORMATS.items() if plain.endswith(form.suffixes)), None)


def of_splits(path: Path, split: Split | None) -> dict[str, Path]:
    """Return the files of an export to ``path`` by split: ``corpus.train.jsonl.gz`` for ``corpus.jsonl.gz`` and "train".

    Without splits, "" has ``path``.
    """
    if split is None:
        return {"": path}
    plain = _unpacked(path.name)
    ending = Path(plain).suffix + path.name[len(plain) :]
    return {name: path.with_name(f"{path.name.removesuffix(ending)}.{name}{ending}") for name in split.names}


def _unpacked(name: str) -> str:
    return name[: -len(Path(name).suffix)] if name.endswith(PACKINGS) else name
