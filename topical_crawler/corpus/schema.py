"""Tables of a corpus, and opening a database that holds one, or is to hold one."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from topical_crawler.corpus.failures import CorpusError as CorpusError  # and for those who open a corpus

logger = logging.getLogger(__name__)

VERSION = 3
"""Of the tables below; :mod:`~topical_crawler.corpus.migrations` brings older ones up to it."""

UPGRADE_LOCK = 0x7063_636F_7270_7573
"""PostgreSQL's advisory lock on the tables themselves: one connection at a time makes or changes them."""

_EMPTY, _ZERO = sa.text("''"), sa.text("0")
TEXTS_OF_3 = ("source", "section", "canonical", "license", "kind", "method", "series", "language", "script")
"""The columns of text that version 3 brought."""
MEASURES = (
    *("han", "latin", "digits", "punctuation", "symbols", "sentences", "common"),
    *("line_length", "repeated_lines", "repeated_phrases"),
)
"""The columns of :class:`~topical_crawler.cleaning.quality.Measures`; null where the page has no text or was not measured."""

_IS_DUPLICATE = sa.text("duplicate_of <> ''")

tables = sa.MetaData()

meta = sa.Table(
    "corpus_meta",
    tables,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("value", sa.String(200), nullable=False),
)

pages = sa.Table(
    "pages",
    tables,
    # SQLite counts up by itself only in a column of the type INTEGER, which holds 64 bits there.
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("key", sa.String(64), nullable=False, unique=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("final_url", sa.Text, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("keep", sa.Boolean, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("duplicate_of", sa.Text, nullable=False),
    sa.Column("fetched", sa.Text, nullable=False),
    sa.Column("date", sa.Text, nullable=False),
    sa.Column("characters", sa.Integer, nullable=False),
    sa.Column("relevance", sa.Float, nullable=False),
    sa.Column("priority", sa.Float, nullable=False),
    sa.Column("depth", sa.Integer, nullable=False),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("encoding", sa.Text, nullable=False),
    sa.Column("content_hash", sa.String(32), nullable=False, index=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("why", sa.JSON, nullable=False),
    # With a default, so that a process of an older version that is still running can go on storing pages.
    sa.Column("worker", sa.Text, nullable=False, server_default=_EMPTY),
    sa.Column("similarity", sa.Float, nullable=False, server_default=_ZERO),
    *(sa.Column(name, sa.Text, nullable=False, server_default=_EMPTY) for name in TEXTS_OF_3),
    sa.Column("part", sa.Integer, nullable=False, server_default=_ZERO),
    *(sa.Column(name, sa.Float) for name in MEASURES),
    sa.Column("personal", sa.JSON),
    # Last: SQLite reads a row from the left, and statistics need nothing beyond this point.
    sa.Column("text", sa.Text),
)

# A corpus has few duplicates beside its other pages; and each has its own address in the index of keys.
_BY_HASH: dict[str, Any] = {"postgresql_using": "hash"}  # an address may be longer than a tree takes
sa.Index("ix_pages_duplicate_of", pages.c.duplicate_of, sqlite_where=_IS_DUPLICATE, postgresql_where=_IS_DUPLICATE, **_BY_HASH)
sa.Index("ix_pages_url", pages.c.url, **_BY_HASH)

bands = sa.Table(
    "bands",  # of the texts' signatures: where to look for near-duplicates
    tables,
    sa.Column("band", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("page", sa.BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

lines = sa.Table(
    "lines",  # of texts, by host: those that stand on many of its pages are none of them
    tables,
    sa.Column("host", sa.Text, primary_key=True),
    sa.Column("digest", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("line", sa.Text, nullable=False),
    sa.Column("pages", sa.Integer, nullable=False),
    sa.Column("removed", sa.Integer, nullable=False, server_default=_ZERO),
    sqlite_with_rowid=False,
)

parts = sa.Table(
    "parts",  # of articles on several pages
    tables,
    sa.Column("series", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("key", sa.String(64), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
)

hosts = sa.Table(
    "hosts",  # what their robots.txt said
    tables,
    sa.Column("host", sa.Text, primary_key=True),
    sa.Column("robots", sa.Text, nullable=False),
    sa.Column("crawl_delay", sa.Float, nullable=False),
    sa.Column("asked", sa.Text, nullable=False),
)


def open_for_reading(connection: sa.Connection, place: str) -> Collection[str]:
    """The names of the columns of ``pages`` that the corpus has: one of an older version has fewer.

    Args:
        connection: without a transaction.
        place: the corpus as it is shown to people.

    Raises:
        CorpusError: the database holds no corpus, or one of a newer version.
    """
    with connection.begin():
        if _version(connection, place) is None:
            raise _no_corpus(place)
        return {column["name"] for column in sa.inspect(connection).get_columns(pages.name)}


def open_for_writing(connection: sa.Connection, place: str) -> int:
    """See that the database holds a corpus of this version: make its tables where it is empty, bring older ones up to date.
    Either is one transaction, and of several processes that come together one does it.

    Args:
        connection: without a transaction; one that may write.
        place: the corpus as it is shown to people.

    Returns:
        The version that was found, :data:`VERSION` where there was none.

    Raises:
        CorpusError: the database holds something else, or a corpus of a newer version.
    """
    # Looked at before the lock is taken: opening does not wait for whoever is writing.
    with connection.begin():
        found = _version(connection, place)
    if found == VERSION:
        return found
    with connection.execution_options(transaction="writes").begin():
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(UPGRADE_LOCK)))
        found = _version(connection, place)  # again: meanwhile another may have done it
        if found is None:
            _check_encoding(connection, place)
            tables.create_all(connection)
            connection.execute(meta.insert().values(name="version", value=str(VERSION)))
            return VERSION
        if found < VERSION:
            from topical_crawler.corpus.migrations import upgrade  # alembic is imported when it is needed, which is seldom

            logger.info("%s: bringing the corpus from version %d to %d", place, found, VERSION)
            upgrade(connection, found)
            connection.execute(meta.update().where(meta.c.name == "version").values(value=str(VERSION)))
    logger.info("%s: the corpus has version %d", place, VERSION)
    return found


def _version(connection: sa.Connection, place: str) -> int | None:
    """Of the corpus behind ``connection``; None where there are no tables at all."""
    present = set(sa.inspect(connection).get_table_names())
    if not present:
        return None
    if not {meta.name, pages.name} <= present:
        raise _no_corpus(place)
    text = connection.scalar(sa.select(meta.c.value).where(meta.c.name == "version"))
    if text is None or not text.isdecimal() or int(text) not in range(1, VERSION + 1):
        raise CorpusError(f"{place} is a corpus of version {text}; this program knows versions 1 to {VERSION}. Remedy: update it")
    return int(text)


def _no_corpus(place: str) -> CorpusError:
    return CorpusError(f"{place} is a database but no corpus (it has no table 'pages'). Remedy: name another file or database")


def _check_encoding(connection: sa.Connection, place: str) -> None:
    if connection.dialect.name == "postgresql":
        encoding = connection.scalar(sa.text("SHOW server_encoding"))
        if encoding != "UTF8":
            raise CorpusError(
                f"{place} has the encoding {encoding}, which cannot hold every text. Remedy: make a database with "
                "createdb -E UTF8 -T template0 NAME"
            )
