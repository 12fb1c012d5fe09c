"""A corpus written out: JSON lines, plain text, or a table for spreadsheets. Rows stand in fetch order, so the same corpus and
filters always give the same bytes."""

from __future__ import annotations

import contextlib
import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from topical_crawler.corpus.record import Record

_UNSAFE = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins with one of these for a formula, and titles come from strangers."""


def as_dict(record: Record) -> dict[str, Any]:
    """The fields of a record as exported; those that only rejected pages have are left out of kept ones.

    >>> list(as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="党建")))[:6]
    ['url', 'title', 'text', 'host', 'relevance', 'fetched']
    """
    fields: dict[str, Any] = {
        "url": record.url,
        "title": record.title,
        "text": record.text or "",
        "host": record.host,
        "relevance": record.relevance,
        "fetched": record.fetched,
        "date": record.date,
        "author": record.author,
        "final_url": record.final_url,
        "priority": record.priority,
        "depth": record.depth,
        "order": record.order,
        "characters": record.characters,
        "content_hash": record.content_hash,
        "encoding": record.encoding,
        "status": record.status,
        "size": record.size,
        "worker": record.worker,
        "why": dict(record.why),
        "keep": record.keep,
    }
    if not record.keep:
        fields |= {"reason": record.reason, "duplicate_of": record.duplicate_of}
    return fields


def write_jsonl(records: Iterable[Record], out: IO[str]) -> int:
    """One JSON object a line, Chinese as it is. Returns the number of records, as all writers do."""
    count = 0
    for record in records:
        out.write(json.dumps(as_dict(record), ensure_ascii=False) + "\n")
        count += 1
    return count


def write_txt(records: Iterable[Record], out: IO[str], *, headers: bool = True) -> int:
    """One text after another, an empty line between them, each under its title, address, date and relevance unless ``headers`` is
    off."""
    count = 0
    for record in records:
        if headers:
            out.write(f"# {' '.join(record.title.split()) or record.url}\n")
            out.write(f"# {record.url}\n")
            out.write(f"# {record.date or record.fetched[:10]}  {record.host}  relevance {record.relevance:.4g}")
            out.write("\n" if record.keep else f"  rejected: {record.reason}\n")
        out.write(f"{record.text or ''}\n\n")
        count += 1
    return count


def write_csv(records: Iterable[Record], out: IO[str]) -> int:
    """A table with a line of names above, cells quoted as RFC 4180 has it. Cells that a spreadsheet would run as a formula begin
    with an apostrophe. Excel shows the first 32,767 characters of a text; nothing is cut here."""
    names = [*as_dict(Record(url="", host="", keep=False, reason="-"))]
    writer = csv.DictWriter(out, names, restval="", lineterminator="\r\n")
    writer.writeheader()
    count = 0
    for record in records:
        row = as_dict(record) | {"why": json.dumps(dict(record.why), ensure_ascii=False), "keep": int(record.keep)}
        writer.writerow({k: f"'{v}" if isinstance(v, str) and v.startswith(_UNSAFE) else v for k, v in row.items()})
        count += 1
    return count


WRITERS: dict[str, Callable[[Iterable[Record], IO[str]], int]] = {"jsonl": write_jsonl, "txt": write_txt, "csv": write_csv}
"""Writers by the name of their format."""


@contextlib.contextmanager
def replacing(path: Path, encoding: str = "utf-8") -> Iterator[IO[str]]:
    """A text file that appears under ``path`` only when it is complete: written beside it and renamed at the end.

    Use encoding ``utf-8-sig`` for a CSV file: without its byte order mark Excel reads Chinese as the local code page.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding=encoding, newline="") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
