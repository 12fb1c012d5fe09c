"""Parquet files: typed columns, packed with zstd, read by pandas, DuckDB, Spark and Hugging Face's ``datasets``."""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Callable
from datetime import date, datetime
from types import ModuleType
from typing import Any, BinaryIO

from topical_crawler.corpus.schema import MEASURES
from topical_crawler.export.failures import ExportError
from topical_crawler.export.rows import Column, Row, columns

GROUP_ROWS = 5_000
GROUP_CHARACTERS = 4_000_000
"""A row group ends at whichever of the two comes first: it is what is held in memory."""

_FEW_VALUES = ("host", "encoding", "worker", "language", "script", "kind", "method", "license", "source", "reason")
"""Columns worth a dictionary: with one for texts the memory of a writer doubles, and nothing is saved."""


class Parquet:
    """Writes one file.

    Args:
        out: where it goes.
        rejected: with the columns of rejected pages.

    Raises:
        ExportError: pyarrow is not installed.
    """

    def __init__(self, out: BinaryIO, rejected: bool = False) -> None:
        self._arrow = arrow()
        self._columns = columns(rejected)
        self._schema = self._arrow.schema([(column.name, _type(self._arrow, column)) for column in self._columns])
        few = [column.name for column in self._columns if column.name in _FEW_VALUES]
        self._writer = importlib.import_module("pyarrow.parquet").ParquetWriter(
            _Sink(out), self._schema, compression="zstd", use_dictionary=few
        )
        self._rows: list[Row] = []
        self._characters = 0

    def write(self, row: Row) -> None:
        self._rows.append({column.name: _value(column, row) for column in self._columns})
        self._characters += len(row["text"])
        if len(self._rows) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows.clear()
        self._characters = 0

    def close(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()


class _Sink:
    """A file that takes writing after its end in silence: of an export that broke off, Python closes the writer some time later,
    and it wants to put its footer into a file that is gone."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self.closed = False

    def write(self, data: bytes) -> int:
        return len(data) if self._out.closed else self._out.write(data)

    def flush(self) -> None:
        if not self._out.closed:
            self._out.flush()

    def close(self) -> None:
        self.closed = True


def arrow() -> ModuleType:
    """The library pyarrow.

    Raises:
        ExportError: it is not installed.
    """
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise ExportError("for Parquet pyarrow is needed. Remedy: pip install 'topical-crawler[parquet]'") from None


def _type(pa: ModuleType, column: Column) -> Any:
    makers: dict[str, Callable[[], Any]] = {
        "text": pa.string,
        "texts": lambda: pa.list_(pa.string()),
        "whole": pa.int64,
        "number": pa.float64,
        "yes": pa.bool_,
        "date": pa.date32,
        "time": lambda: pa.timestamp("s", tz="UTC"),
        "measures": lambda: pa.struct([(name, pa.float64()) for name in MEASURES]),
        "json": pa.string,
    }
    return makers[column.kind]()


def _value(column: Column, row: Row) -> Any:
    value = row.get(column.name)
    if column.kind == "json":
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if column.kind in ("date", "time"):
        # A day that the calendar does not have (a page wrote it) is none.
        with contextlib.suppress(ValueError):
            return date.fromisoformat(value or "") if column.kind == "date" else datetime.fromisoformat(value or "")
        return None
    return value
