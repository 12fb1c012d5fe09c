"""The corpus: every fetched page is a row, kept with its text or rejected with its reason.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder, CorpusStore(f"{folder}/corpus.sqlite") as store:
...     first = store.put(Record(url="http://a.cn/1.html", host="a.cn", keep=True, text="主题教育", relevance=0.8))
...     again = store.put(Record(url="http://b.cn/2.html", host="b.cn", keep=True, text="主题教育。", relevance=0.8))
...     first.order, again.order, again.reason, again.duplicate_of, again.text
(1, 2, 'duplicate', 'http://a.cn/1.html', None)
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from topical_crawler.corpus.database import open_engine, shown, write_ahead
from topical_crawler.corpus.dedup import text_hash
from topical_crawler.corpus.failures import CorpusError, explained, explaining, is_away
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.schema import open_for_reading, open_for_writing, pages
from topical_crawler.corpus.stats import Stats, read_stats

logger = logging.getLogger(__name__)

DUPLICATE = "duplicate"
PATIENCE = 60.0
"""Seconds to wait for a database that is away or locked."""

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_WRITING: dict[str, dict[str, Any]] = {
    "sqlite": {},
    "postgresql": {"isolation_level": "READ COMMITTED", "postgresql_readonly": False},
}
_FIELDS = tuple(f.name for f in dataclasses.fields(Record) if f.name != "order")
_STRINGS = ("url", "final_url", "host", "title", "author", "reason", "duplicate_of", "encoding", "worker")
_LOCK_TEXT = sa.select(sa.func.pg_advisory_xact_lock(sa.bindparam("number", type_=sa.BigInteger)))
_TWIN = (
    sa.select(pages.c.url)
    .where(pages.c.content_hash == sa.bindparam("hash"), pages.c.keep, pages.c.key != sa.bindparam("own"))
    .order_by(pages.c.id)
    .limit(1)
)
_HELD = sa.select(pages.c.id).where(pages.c.key == sa.bindparam("own"))


class CorpusStore:
    """A corpus in a database, by default an SQLite file.

    What :meth:`put` has returned survives the death of the process (write-ahead log; on SQLite a power failure may take the last
    transactions, never more). Others may read while one writes. Any number of processes may write to one corpus: a text is kept
    once, also when several store it in the same moment, and a text that is kept is never replaced by a rejection. On SQLite one
    writes after the other; on PostgreSQL they wait only for who stores the same text or the same page.

    Args:
        target: path of an SQLite file, made with its folders where it does not exist; or a URL (``postgresql+psycopg://…``) of
            a database, in which the tables are made where it is empty. A corpus of an older version is brought up to date.
        read_only: open an existing corpus for reading; nothing is made or changed.
        patience: seconds that :meth:`put` waits for another writer, and for a PostgreSQL server that has gone away to come back.

    Attributes:
        name: the path, or the URL without its password.
        columns: those of the table ``pages`` that the corpus has; fewer where an older one was opened for reading.
        found_version: of the corpus before it was opened for writing; the present one where it was made.

    Raises:
        CorpusError: there is none, or the database is something else, cannot be reached, or holds a corpus of a newer version.
    """

    def __init__(self, target: str | os.PathLike[str], *, read_only: bool = False, patience: float = PATIENCE) -> None:
        self.name = shown(os.fspath(target))
        self.read_only = read_only
        self._patience = patience
        self._engine = open_engine(os.fspath(target), read_only=read_only, patience=patience)
        dialect = self._engine.dialect.name
        self._writes = {} if read_only else _WRITING[dialect]
        self._put = _upsert(postgresql.insert(pages) if dialect == "postgresql" else sqlite.insert(pages))
        self._writer: sa.Connection | None = None
        self.columns = list(pages.c)
        try:
            with explaining(self.name, "opened"):
                if read_only:
                    with self._engine.connect() as connection:
                        present = open_for_reading(connection, self.name)
                    self.columns = [column for column in pages.c if column.name in present]
                else:
                    with self._engine.connect().execution_options(**self._writes, transaction="reads") as connection:
                        self.found_version = open_for_writing(connection, self.name)
                    if dialect == "sqlite":
                        write_ahead(self._engine, patience)  # only now that the file is known to be ours
        except BaseException:
            self.close()
            raise

    def put(self, record: Record) -> Record:
        """Store a page; the row with the same key is replaced and keeps its place in the order.

        A kept page whose text is that of a kept page with another key (see :func:`~topical_crawler.corpus.dedup.text_hash`) is
        stored as rejected: reason "duplicate", ``duplicate_of`` set, no text. So putting a page twice changes nothing; and a text
        that is kept is never replaced by a rejection (a later fetch that failed, another topic's judgement).

        Returns:
            The record as it was stored, with ``content_hash`` and ``order``.

        Raises:
            CorpusError: it could not be stored within ``patience`` seconds, and the corpus is as it was before; or it was opened
                for reading.
        """
        if self.read_only:
            raise CorpusError(f"{self.name} was opened for reading. Remedy: open it without read_only")
        digest = text_hash(record.text) if record.text else record.content_hash  # that of another corpus' duplicate stays
        record = dataclasses.replace(record, content_hash=digest, **_storable(record))
        deadline = time.monotonic() + self._patience
        pause = 0.0
        while True:
            try:
                stored = self._store(record)
            except sa.exc.DBAPIError as error:
                self._drop_writer()
                remaining = deadline - time.monotonic()
                if remaining <= 0 or not is_away(error):
                    raise explained(error, self.name, "written") from None
                if not pause:
                    said = " ".join(str(error.orig).split())
                    logger.warning("%s has gone away (%s); trying again for %.0f s", self.name, said, self._patience)
                pause = min(2 * pause or _FIRST_PAUSE, _LONGEST_PAUSE, remaining)
                time.sleep(pause)
            else:
                if pause:
                    logger.warning("%s is back", self.name)
                return stored

    def _store(self, record: Record) -> Record:
        if self._writer is None:
            self._writer = self._engine.connect().execution_options(**self._writes, transaction="writes")
        writer = self._writer
        with writer.begin():
            if record.keep and record.content_hash:
                if writer.dialect.name == "postgresql":
                    # Until the end of the transaction, who else stores this text waits here, and then finds it.
                    writer.execute(_LOCK_TEXT, {"number": int(record.content_hash[:16], 16) - 2**63})
                twin = writer.scalar(_TWIN, {"hash": record.content_hash, "own": record.key})
                if twin is not None:
                    record = dataclasses.replace(record, keep=False, text=None, reason=DUPLICATE, duplicate_of=twin)
            values = {name: getattr(record, name) for name in _FIELDS}
            values["why"] = dict(record.why)
            values["characters"] = record.characters
            order = writer.scalar(self._put, values)
            if order is None:  # the row keeps its text
                order = writer.scalar(_HELD, {"own": record.key})
        return dataclasses.replace(record, order=order)

    def records(self, filters: Filters = Filters()) -> Iterator[Record]:  # noqa: B008 - immutable
        """Rows that meet ``filters``, in fetch order, read as they are needed."""
        query = sa.select(*self.columns).where(*_conditions(filters)).order_by(pages.c.id).limit(filters.limit)
        names = [column.name for column in self.columns if column.name in _FIELDS]
        with self.reading() as connection:
            for row in connection.execution_options(yield_per=200).execute(query).mappings():
                yield Record(**{name: row[name] for name in names}, order=row["id"])

    def fetched(self, *, kept: bool = False) -> Iterator[str]:
        """URLs in the order in which they were fetched; with ``kept`` only those of kept pages."""
        query = sa.select(pages.c.url).order_by(pages.c.id)
        with self.reading() as connection:
            yield from connection.execution_options(yield_per=1000).scalars(query.where(pages.c.keep) if kept else query)

    def stats(self) -> Stats:
        """Counts over the whole corpus."""
        with self.reading() as connection:
            return read_stats(connection)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that sees the corpus as it is now, whatever others write meanwhile.

        Raises:
            CorpusError: for every error of the database inside.
        """
        with explaining(self.name, "read"), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction of one's own: all that is done inside is stored, or nothing.

        Raises:
            CorpusError: for every error of the database inside.
        """
        with (
            explaining(self.name, "written"),
            self._engine.connect().execution_options(**self._writes, transaction="writes") as connection,
            connection.begin(),
        ):
            yield connection

    def _drop_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def close(self) -> None:
        """Let go of the database. Calling it twice is harmless."""
        self._drop_writer()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _upsert(insert: sqlite.Insert | postgresql.Insert) -> sa.Executable:
    """Insert a page, or replace the row of its key unless that has a text and the page has none; gives the row's id, None where
    nothing was replaced."""
    new = insert.excluded
    changed = {column.name: new[column.name] for column in pages.c if column.name not in ("id", "key")}
    where = sa.or_(new.keep, sa.not_(pages.c.keep))
    return insert.on_conflict_do_update(index_elements=[pages.c.key], set_=changed, where=where).returning(pages.c.id)


def _conditions(filters: Filters) -> Iterator[sa.ColumnElement[bool]]:
    if not filters.rejected:
        yield pages.c.keep
    if filters.hosts:
        yield sa.or_(
            *(pages.c.host == h.lower() for h in filters.hosts),
            *(pages.c.host.endswith("." + h.lower(), autoescape=True) for h in filters.hosts),
        )
    if filters.min_relevance is not None:
        yield pages.c.relevance >= filters.min_relevance
    if filters.since or filters.until:
        yield pages.c.date != ""
    if filters.since:
        yield pages.c.date >= filters.since
    if filters.until:
        yield pages.c.date <= filters.until
    if filters.min_characters:
        yield pages.c.characters >= filters.min_characters


def _storable(record: Record) -> dict[str, Any]:
    """The strings that came from the web, without NUL and lone surrogates, which databases refuse; no text for a rejected
    page."""
    found: dict[str, Any] = {name: _plain(getattr(record, name)) for name in _STRINGS}
    found["text"] = _plain(record.text) if record.keep and record.text else None
    return found


def _plain(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
