"""What travels between a worker and the Redis frontier: entries, links and outcomes as bytes. Nothing is ever unpickled."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from json.encoder import encode_basestring as _quote
from typing import Any

import msgpack

from topical_crawler.frontier.base import Entry, Outcome, gained
from topical_crawler.frontier.sqlite import pack, pack_meta, unpack

VERSION = 1
"""Of the records, the scripts and the keys. A worker refuses a crawl of another one."""
MAX_URL = 8_000
"""Bytes of a URL, or of an entry's meta. Addresses as long as this are refused long before (``urls.fingerprint``)."""
MAX_OUTCOME = 1 << 20
"""Bytes of an outcome with its lesson."""

HEADER = struct.Struct(">BB6sdHHBBHHB")
"""What a record begins with: version, state, number, priority, depth, times put back, pieces of evidence, and the bytes of
host, URL, meta and reason (``lua/common.lua``)."""


class RecordError(ValueError):
    """Bytes from Redis that are no record of this version, or an entry that is too large for one."""


def read_entry(key: bytes, record: bytes) -> Entry:
    """An entry as the scripts keep it (``lua/common.lua``).

    Raises:
        RecordError: the bytes are damaged.
    """
    try:
        version, _, _, priority, depth, rescored, _, *sizes = HEADER.unpack_from(record)
        if version != VERSION:
            raise RecordError(f"entry {key.hex()}: a record of version {version}, this worker reads version {VERSION}")
        at, parts = HEADER.size, []
        for size in sizes:
            parts.append(record[at : at + size].decode())
            at += size
        host, url, meta, _ = parts
        evidence = unpack(record[at:].decode())
        return Entry(key, url, host, priority, depth, evidence, dict(json.loads(meta)) if meta else {}, None, rescored)
    except RecordError:
        raise
    except (struct.error, ValueError, TypeError, LookupError) as error:
        raise RecordError(f"entry {key.hex()}: its record is damaged ({type(error).__name__}: {error})") from None


def pack_links(entries: Sequence[Entry]) -> bytes:
    """Entries as the scripts take them.

    Raises:
        RecordError: a URL or a meta is too long.
    """
    return bytes(msgpack.packb([_link(entry) for entry in entries], use_bin_type=False))


def _link(entry: Entry) -> tuple[Any, ...]:
    url, meta = entry.url.encode(), (pack_meta(entry.meta) or "").encode()
    if len(url) > MAX_URL or len(meta) > MAX_URL or len(entry.host) > 255:
        raise RecordError(f"{entry.url[:100]}…: an entry of {len(url) + len(meta)} bytes is too large for the frontier")
    pieces = [(_bytes(f"[{_quote(e.parent)},"), _bytes(pack((e,)))) for e in gained((), entry.evidence)]
    depth, rescored = min(entry.depth, 65_535), min(entry.rescored, 65_535)
    return entry.key, entry.host, url, float(entry.priority), depth, rescored, meta, (entry.dropped or "")[:80], pieces


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")  # the web sends lone surrogates


def pack_outcome(outcome: Outcome) -> bytes:
    """An outcome as it stands in the log. Raises RecordError for one that is too large."""
    lesson = None if outcome.lesson is None else json.dumps(outcome.lesson, ensure_ascii=False)
    fields = (VERSION, outcome.url, outcome.keep, float(outcome.relevance), outcome.reason, lesson, outcome.led_by)
    packed = bytes(msgpack.packb(fields, unicode_errors="replace"))
    if len(packed) > MAX_OUTCOME:
        raise RecordError(f"{outcome.url}: what is learned from it takes {len(packed)} bytes, more than {MAX_OUTCOME}")
    return packed


def read_outcome(packed: bytes) -> Outcome:
    """What :func:`pack_outcome` packed. Raises RecordError for damaged bytes."""
    try:
        version, url, keep, relevance, reason, lesson, led_by = msgpack.unpackb(packed)
        if version != VERSION:
            raise RecordError(f"an outcome of version {version}, this worker reads version {VERSION}")
        learned = None if lesson is None else json.loads(lesson)
        return Outcome(str(url), bool(keep), float(relevance), str(reason), learned, tuple(map(str, led_by)))
    except RecordError:
        raise
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise RecordError(f"an outcome is damaged ({type(error).__name__}: {error})") from None
