"""Records as rows of the table ``pages``, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from topical_crawler.corpus.dedup import text_hash
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.schema import MEASURES, TEXTS_OF_3, pages

FIELDS = tuple(f.name for f in dataclasses.fields(Record) if f.name not in ("order", "measures", "personal"))
"""The fields of a record that are columns of their own name and are always there."""
_STRINGS = ("url", "final_url", "host", "title", "author", "reason", "duplicate_of", "encoding", "worker", *TEXTS_OF_3)


def storable(record: Record) -> Record:
    """``record`` as a database takes it: strings from the web without NUL and lone surrogates, no text for a rejected page, and
    the digest of its text."""
    found: dict[str, Any] = {name: plain(getattr(record, name)) for name in _STRINGS}
    text = found["text"] = plain(record.text) if record.keep and record.text else None
    if text:
        found["content_hash"] = text_hash(text)
    elif record.text:
        found["content_hash"] = text_hash(record.text)  # that of another corpus' duplicate stays
    return dataclasses.replace(record, **found)


def values_of(record: Record) -> dict[str, Any]:
    """The columns of a record's row but for its number."""
    values = {name: getattr(record, name) for name in FIELDS}
    measures = record.measures if record.keep else {}
    values |= {name: measures.get(name) for name in MEASURES}
    values["why"], values["personal"] = dict(record.why), dict(record.personal)
    values["characters"] = record.characters
    return values


def record_of(row: Mapping[Any, Any], columns: Collection[str] = pages.c.keys()) -> Record:
    """The record of a row that has ``columns``: those of an older corpus are fewer."""
    measures = {name: row[name] for name in MEASURES if name in columns and row[name] is not None}
    fields = {name: row[name] for name in FIELDS if name in columns}
    personal = (row["personal"] if "personal" in columns else None) or {}
    return Record(**fields, measures=measures, personal=personal, order=row["id"])


def plain(text: str) -> str:
    """``text`` without NUL and lone surrogates, which databases refuse."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
