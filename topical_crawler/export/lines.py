"""Text formats of which every program can read a line: JSON lines, CSV, plain text."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, BinaryIO

from topical_crawler.corpus.schema import MEASURES
from topical_crawler.export.rows import Row, columns

BOM = b"\xef\xbb\xbf"

_UNSAFE = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins with one of these for a formula, and titles come from strangers."""


class JsonLines:
    """One JSON object a line, Chinese as it is."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, row: Row) -> None:
        self._out.write((json.dumps(row, ensure_ascii=False) + "\n").encode())

    def close(self) -> None:
        pass


class PlainText:
    """One text after another, an empty line between them.

    Args:
        out: where it goes.
        headers: put above each text its title, address, date and relevance.
    """

    def __init__(self, out: BinaryIO, headers: bool = True) -> None:
        self._out = out
        self._headers = headers

    def write(self, row: Row) -> None:
        if self._headers:
            day = row["date"] or row["fetched"][:10]
            said = "" if row["keep"] else f"  rejected: {row['reason']}"
            lines = (
                " ".join(row["title"].split()) or row["url"],
                row["url"],
                f"{day}  {row['host']}  relevance {row['relevance']:.4g}{said}",
            )
            self._out.write("".join(f"# {line}\n" for line in lines).encode())
        self._out.write(f"{row['text']}\n\n".encode())

    def close(self) -> None:
        pass


class Csv:
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

    def write(self, row: Row) -> None:
        self._writer.writerow({name: _cell(value) for name, value in (row | row["measures"]).items()})
        self._flush()

    def _flush(self) -> None:
        self._out.write(self._line.getvalue().encode())
        self._line.seek(0)
        self._line.truncate()

    def close(self) -> None:
        pass


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_UNSAFE) else value
    if isinstance(value, bool):
        return int(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
