"""The corpus: every fetched page is a row, kept with its text or rejected with its reason.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder, CorpusStore(f"{folder}/corpus.sqlite") as store:
...     first = store.put(Record(url="http://a.cn/1.html", host="a.cn", keep=True, text="主题教育", relevance=0.8))
...     again = store.put(Record(url="http://b.cn/2.html", host="b.cn", keep=True, text="主题教育。", relevance=0.8))
...     first.order, again.order, again.reason, again.duplicate_of, again.text
(1, 2, 'duplicate', 'http://a.cn/1.html', None)
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Engine

from topical_crawler.corpus.dedup import text_hash
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.schema import CorpusError, check, pages
from topical_crawler.corpus.stats import Stats, read_stats

DUPLICATE = "duplicate"

_FIELDS = tuple(f.name for f in dataclasses.fields(Record) if f.name != "order")
_STRINGS = ("url", "final_url", "host", "title", "author", "reason", "duplicate_of", "encoding")
_TWIN = (
    sa.select(pages.c.url)
    .where(pages.c.content_hash == sa.bindparam("hash"), pages.c.keep, pages.c.key != sa.bindparam("own"))
    .order_by(pages.c.id)
    .limit(1)
)


class CorpusStore:
    """A corpus in a database, by default an SQLite file.

    What :meth:`put` has returned survives the death of the process (write-ahead log; a power failure may take the last
    transactions, never more). Others may read while one writes. Several processes may write to one corpus, each its own pages;
    two that store the same new text in the same moment may both keep it.

    Args:
        target: path of an SQLite file, made with its folders where it does not exist; or an SQLAlchemy URL
            (``postgresql+psycopg://…``).
        read_only: open an existing corpus for reading; nothing is made or changed.

    Raises:
        CorpusError: there is none, or the file is something else, or its version is another.
    """

    def __init__(self, target: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.name = _shown(os.fspath(target))
        self._engine = _engine(os.fspath(target), read_only)
        dialect = self._engine.dialect.name
        if dialect not in ("sqlite", "postgresql"):
            raise CorpusError(f"{self.name}: a corpus is kept in SQLite or PostgreSQL, not in {dialect}")
        check(self._engine, self.name, create=not read_only)
        if dialect == "sqlite" and not read_only:
            # Only now that the file is known to be ours: the mode stays with the file.
            raw = self._engine.raw_connection()
            raw.cursor().execute("PRAGMA journal_mode=WAL")
            raw.close()
        self._put = _upsert(postgresql.insert(pages) if dialect == "postgresql" else sqlite.insert(pages))
        self._writer = self._engine.connect().execution_options(writes=True)

    def put(self, record: Record) -> Record:
        """Store a page; the row with the same key is replaced and keeps its place in the order.

        A kept page whose text is that of a kept page with another key (see :func:`~topical_crawler.corpus.dedup.text_hash`) is
        stored as rejected: reason "duplicate", ``duplicate_of`` set, no text. So putting a page twice changes nothing; and a text
        that is kept is never replaced by a rejection (a later fetch that failed, another topic's judgement).

        Returns:
            The record as it was stored, with ``content_hash`` and ``order``.
        """
        record = dataclasses.replace(record, content_hash=text_hash(record.text or ""), **_storable(record))
        with self._writer.begin():
            if record.keep and record.content_hash:
                twin = self._writer.scalar(_TWIN, {"hash": record.content_hash, "own": record.key})
                if twin is not None:
                    record = dataclasses.replace(record, keep=False, text=None, reason=DUPLICATE, duplicate_of=twin)
            if not record.keep:
                held = self._writer.scalar(sa.select(pages.c.id).where(pages.c.key == record.key, pages.c.keep))
                if held is not None:
                    return dataclasses.replace(record, order=held)
            values = {name: getattr(record, name) for name in _FIELDS}
            values["why"] = dict(record.why)
            values["characters"] = record.characters
            order = self._writer.scalar(self._put, values)
        return dataclasses.replace(record, order=order)

    def records(self, filters: Filters = Filters()) -> Iterator[Record]:  # noqa: B008 - immutable
        """Rows that meet ``filters``, in fetch order, read as they are needed."""
        query = sa.select(pages).where(*_conditions(filters)).order_by(pages.c.id).limit(filters.limit)
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=200).execute(query).mappings():
                yield Record(**{name: row[name] for name in _FIELDS}, order=row["id"])

    def fetched(self, *, kept: bool = False) -> Iterator[str]:
        """URLs in the order in which they were fetched; with ``kept`` only those of kept pages."""
        query = sa.select(pages.c.url).order_by(pages.c.id)
        with self._engine.connect() as connection:
            yield from connection.execution_options(yield_per=1000).scalars(query.where(pages.c.keep) if kept else query)

    def stats(self) -> Stats:
        """Counts over the whole corpus."""
        with self._engine.connect() as connection:
            return read_stats(connection)

    def close(self) -> None:
        """Let go of the database. Calling it twice is harmless."""
        self._writer.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _shown(name: str) -> str:
    """A path as it is, a URL without its password."""
    try:
        return sa.make_url(name).render_as_string(hide_password=True) if "://" in name else name
    except sa.exc.ArgumentError:
        return "the database URL"


def _engine(name: str, read_only: bool) -> Engine:
    if "://" in name:
        try:
            engine = sa.create_engine(name, json_serializer=_json)
        except (sa.exc.ArgumentError, ImportError) as error:
            raise CorpusError(f"{_shown(name)}: {error}; PostgreSQL is postgresql+psycopg://… and needs psycopg") from None
    else:
        path = Path(name).absolute()
        if read_only and not path.is_file():
            raise CorpusError(f"there is no corpus at {name}")
        if not read_only:
            path.parent.mkdir(parents=True, exist_ok=True)
        # A file that nobody can write to, on a read-only medium, is read without the log that SQLite would make beside it.
        mode = "rwc" if not read_only else "ro" if os.access(path.parent, os.W_OK) else "ro&immutable=1"
        engine = sa.create_engine(f"sqlite:///file:{quote(str(path))}?mode={mode}&uri=true", json_serializer=_json)
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _on_connect)
        sa.event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: Any, _: object) -> None:
    connection.isolation_level = None  # the driver begins no transaction of its own; _on_begin does
    for pragma in ("busy_timeout=30000", "synchronous=NORMAL", "cache_size=-20000"):
        connection.execute(f"PRAGMA {pragma}")


def _on_begin(connection: sa.Connection) -> None:
    # A writer takes the lock before it looks for duplicates, so that no other can store one in between.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def _upsert(insert: sqlite.Insert | postgresql.Insert) -> sa.Executable:
    changed = {column.name: insert.excluded[column.name] for column in pages.c if column.name not in ("id", "key")}
    return insert.on_conflict_do_update(index_elements=[pages.c.key], set_=changed).returning(pages.c.id)


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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode("utf-8")
