"""How a page gets its row: a text is kept once, and an article on several pages is one text.

All of it happens in the transaction of the caller, so that two writers do not keep one text twice.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import sqlalchemy as sa

from topical_crawler.cleaning.quality import measure
from topical_crawler.corpus import near
from topical_crawler.corpus.database import upserting
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.rows import record_of, storable, values_of
from topical_crawler.corpus.schema import pages, parts

DUPLICATE = "duplicate"
PART = "part"

_LOCK = sa.select(sa.func.pg_advisory_xact_lock(sa.bindparam("number", type_=sa.BigInteger)))
_TWIN = (
    sa.select(pages.c.url)
    .where(
        pages.c.content_hash == sa.bindparam("hash"),
        pages.c.keep,
        pages.c.key != sa.bindparam("own"),
        pages.c.id < sa.bindparam("before"),
    )
    .order_by(pages.c.id)
    .limit(1)
)
_HELD = sa.select(pages.c.id, pages.c.keep, pages.c.content_hash).where(pages.c.key == sa.bindparam("own"))
_ANY = 2**63 - 1


def keep_once(connection: sa.Connection, record: Record, *, replaces: bool = False) -> tuple[Record, bool]:
    """Store a page as :meth:`~topical_crawler.corpus.store.CorpusStore.put` says, or as ``replace`` does.

    Returns:
        The page as it was stored, and whether it had no text before.

    Args:
        connection: in a transaction that may write.
        record: as :func:`~topical_crawler.corpus.rows.storable` gives it.
        replaces: whether a text may become a rejection.
    """
    found = _held(connection, record.key)
    is_new = found is None or not found.keep
    if record.keep and record.series and not replaces:
        return _keep_part(connection, record, found), is_new
    return _keep(connection, record, found, replaces=replaces), is_new


def _held(connection: sa.Connection, key: str) -> Any:
    """What is known of the row of a key: its number, whether it is kept, the digest of its text; None if there is none."""
    return connection.execute(_HELD, {"own": key}).one_or_none()


def _keep(connection: sa.Connection, record: Record, found: Any, *, replaces: bool) -> Record:
    """Find out whether the text is there already, and write the row; ``found`` is what :func:`_held` says of it."""
    bands: tuple[int, ...] = ()
    if record.keep:
        assert record.text
        bands = near.bands(record.text)
        if connection.dialect.name == "postgresql":
            # Until the end of the transaction, who else stores this text waits here, and then finds it.
            if record.content_hash:
                connection.execute(_LOCK, {"number": int(record.content_hash[:16], 16) - 2**63})
            near.lock(connection, bands)
        record = _rejected_twin(connection, record, bands, found.id if replaces and found is not None else _ANY)
    changed = found is None or not found.keep or not record.keep or found.content_hash != record.content_hash
    if changed and found is not None and found.keep and (record.keep or replaces):
        near.forget(connection, found.id)  # before its text is gone
    order = connection.scalar(_upsert(connection.dialect.name, replaces), values_of(record))
    if order is None:  # the row keeps its text, or that which another writer gave it just now
        return dataclasses.replace(record, order=_held(connection, record.key).id)
    if record.keep and (changed or replaces):
        near.remember(connection, order, bands)
    return dataclasses.replace(record, order=order)


def _rejected_twin(connection: sa.Connection, record: Record, bands: tuple[int, ...], before: int) -> Record:
    """``record``, rejected where a kept page has its text."""
    if not record.content_hash:
        return record
    url = connection.scalar(_TWIN, {"hash": record.content_hash, "own": record.key, "before": before})
    similarity = 1.0
    if url is None:
        assert record.text
        claimed = (record.canonical,) if record.canonical else ()
        twin = near.find(connection, record.text, bands, record.key, claimed=claimed, before=before)
        if twin is None:
            return record
        url, similarity = twin.url, twin.similarity
    return dataclasses.replace(record, keep=False, text=None, reason=DUPLICATE, duplicate_of=url, similarity=similarity)


def _keep_part(connection: sa.Connection, record: Record, found: Any) -> Record:
    """Store one part of an article: its text goes to those of the others, into the row of the first part that is there."""
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, {"number": near.digest(record.series)})
    own = {"series": record.series, "number": record.part, "key": record.key, "text": record.text}
    changed = {"key": record.key, "text": record.text}
    elements = [parts.c.series, parts.c.number]
    connection.execute(
        upserting(connection.dialect.name, parts).on_conflict_do_update(index_elements=elements, set_=changed), own
    )
    query = sa.select(parts.c.key, parts.c.text).where(parts.c.series == record.series).order_by(parts.c.number)
    texts: dict[str, str] = {row.key: row.text for row in connection.execute(query)}
    whole = "\n".join(texts.values())
    head, *others = texts
    if head == record.key:
        stored = first = _keep(connection, _with_text(record, whole), found, replaces=False)
        for row in connection.execute(sa.select(pages).where(pages.c.key.in_(others), pages.c.keep)).mappings().all():
            part = _part_of(record_of(row), first)  # stored before the first part was known
            _keep(connection, part, _held(connection, part.key), replaces=True)
    else:
        first = record_of(connection.execute(sa.select(pages).where(pages.c.key == head)).mappings().one())
        if first.keep:
            first = _keep(connection, _with_text(first, whole), _held(connection, head), replaces=True)
        stored = _keep(connection, _part_of(record, first), found, replaces=True)
    # Meanwhile another part may have become the first one, or the whole a duplicate.
    moved = sa.update(pages).where(pages.c.key.in_(others), pages.c.reason == PART, pages.c.duplicate_of != _place(first))
    connection.execute(moved.values(duplicate_of=_place(first)))
    return stored


def _part_of(record: Record, first: Record) -> Record:
    return dataclasses.replace(
        record, keep=False, text=None, reason=PART, duplicate_of=_place(first), content_hash="", similarity=0.0
    )


def _place(first: Record) -> str:
    """Where the whole of an article is whose first part is this."""
    return first.url if first.keep else first.duplicate_of


def _with_text(record: Record, text: str) -> Record:
    if text == record.text:
        return record
    return storable(dataclasses.replace(record, text=text, measures=dataclasses.asdict(measure(text))))


@cache
def _upsert(dialect: str, replaces: bool) -> sa.Executable:
    """Insert a page, or replace the row of its key unless (and not ``replaces``) that has a text and the page has none; gives the
    row's id, None where nothing was replaced."""
    insert = upserting(dialect, pages)
    new = insert.excluded
    changed = {column.name: new[column.name] for column in pages.c if column.name not in ("id", "key")}
    where: Any = None if replaces else sa.or_(new.keep, sa.not_(pages.c.keep))
    return insert.on_conflict_do_update(index_elements=[pages.c.key], set_=changed, where=where).returning(pages.c.id)
