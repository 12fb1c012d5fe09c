"""Copy of a corpus to another database: row by row into an empty one, or merged page by page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import sqlalchemy as sa

from topical_crawler.corpus.connections import explaining
from topical_crawler.corpus.record import (
    CorpusError,
    Filters,
    bands,
    hosts,
    lines,
    pages,
    parts,
    uncleaned,
    upserting,
    versions,
)
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.text import counted

BATCH = 200  # rows in memory at a time: about a megabyte with texts of 5 kB

Progress = Callable[[str, int, int], None]  # called after every batch: current step, rows done, all rows


@dataclass(frozen=True, slots=True)
class Copied:
    """Numbers of copied and kept pages, and the digest of all values, equal to that of the target."""

    pages: int
    kept: int
    digest: str


@dataclass(frozen=True, slots=True)
class Merged:
    """Numbers of pages read, kept, duplicate in the target, and new to the target."""

    pages: int
    kept: int
    duplicates: int
    new: int


def copy(source: CorpusStore, target: CorpusStore, progress: Progress) -> Copied:
    """Copy every row, with its order number and all columns, into an empty corpus.

    Runs in one transaction of the target. Rows are read back and compared before it commits, so that the target stays empty on
    any failure. Rows added to the source meanwhile are left out.

    Raises:
        CorpusError: the target has pages or returns other rows than were stored, or either corpus fails.
    """
    with source.reading() as reader, target.writing() as writer:
        total = _count(reader)
        postgresql = writer.dialect.name == "postgresql"
        if postgresql:
            # Workers wait, readers do not; on SQLite the transaction itself has that effect.
            writer.execute(sa.text("LOCK TABLE pages IN SHARE ROW EXCLUSIVE MODE"))
        if present := _count(writer):
            raise CorpusError(
                f"{target.name} has {counted(present, 'page')} already. Name an empty database or a new file, or add to "
                "them with --into-existing"
            )
        source_digest, kept, done = blake2b(digest_size=16), 0, 0
        for rows in _batches(reader, list(pages.c), source.name):
            writer.execute(pages.insert(), [dict(row) for row in rows])
            _add(source_digest, rows)
            kept += sum(row["keep"] for row in rows)
            done += len(rows)
            progress("copying", done, total)
        if postgresql and done:
            last = sa.select(sa.func.max(pages.c.id)).scalar_subquery()
            writer.execute(sa.select(sa.func.setval(sa.func.pg_get_serial_sequence("pages", "id"), last)))
        target_digest, again = blake2b(digest_size=16), 0
        for rows in _batches(writer, list(pages.c), target.name):
            _add(target_digest, rows)
            again += len(rows)
            progress("verifying", again, total)
        for table in (bands, lines, parts, hosts, uncleaned, versions):
            for rows in _batches(reader, list(table.c), source.name, *table.primary_key.columns):
                writer.execute(table.insert(), [dict(row) for row in rows])
        if (again, target_digest.digest()) != (done, source_digest.digest()):
            raise CorpusError(
                f"{target.name} gave back other rows than stored ({again:,} of {done:,}), and nothing was kept. Check the "
                "database, then copy again"
            )
        return Copied(done, kept, source_digest.hexdigest())


def merge(source: CorpusStore, target: CorpusStore, progress: Progress) -> Merged:
    """Merge every page of ``source`` into ``target``, checking for duplicates (:meth:`CorpusStore.put`).

    Of a page in both, the source's row wins unless only the target has its text. New pages go last. Can be resumed by another
    call.

    Raises:
        CorpusError: either corpus fails.
    """
    with source.reading() as reader:
        total = _count(reader)
    with target.reading() as reader:
        before = _count(reader)
    done = kept = duplicates = 0
    for record in source.records(Filters(rejected=True)):
        stored = target.put(record)
        kept += stored.keep
        duplicates += record.keep and not stored.keep
        done += 1
        if done % BATCH == 0 or done == total:
            progress("copying", done, total)
    _merge_beside(source, target)
    with target.reading() as reader:
        new = _count(reader) - before
    return Merged(done, kept, duplicates, new)


def _merge_beside(source: CorpusStore, target: CorpusStore) -> None:
    """Copy missing rows of the other tables. Bands come with the pages."""
    with source.reading() as reader, target.writing() as writer:
        for table in (lines, parts, hosts):
            insert = upserting(writer.dialect.name, table).on_conflict_do_nothing()
            for rows in _batches(reader, list(table.c), source.name, *table.primary_key.columns):
                writer.execute(insert, [dict(row) for row in rows])


def _add(digest: blake2b, rows: Sequence[sa.RowMapping]) -> None:
    """Digest all values of all columns of the rows, in order."""
    for row in rows:
        digest.update(json.dumps(list(row.items()), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")


def _batches(
    connection: sa.Connection, columns: Sequence[sa.Column[Any]], place: str, *order: sa.Column[Any]
) -> Iterator[Sequence[sa.RowMapping]]:
    """Yield rows in batches, ordered by the columns ``order`` (default: ``id``). Errors in reading them name ``place``."""
    query = sa.select(*columns).order_by(*(order or (pages.c.id,)))
    with explaining(place, "read"), connection.execute(query, execution_options={"yield_per": BATCH}) as result:
        yield from result.mappings().partitions()


def _count(connection: sa.Connection) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(pages)) or 0
