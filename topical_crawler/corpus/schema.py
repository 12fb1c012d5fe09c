"""Tables of a corpus, and the check that a database holds one."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Engine

VERSION = 1
"""Of the tables below; a later version that cannot read older ones says so."""

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
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
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
    # Last: SQLite reads a row from the left, and statistics need nothing beyond this point.
    sa.Column("text", sa.Text),
)


class CorpusError(Exception):
    """A corpus that cannot be opened; the message says what to do."""


def check(engine: Engine, name: str, create: bool) -> None:
    """See that the database holds a corpus of this version; make its tables where it is empty and ``create`` is set.

    Raises:
        CorpusError: it is no corpus, or one of another version.
    """
    try:
        with engine.begin() as connection:
            present = set(sa.inspect(connection).get_table_names())
            if not present and create:
                tables.create_all(connection)
                connection.execute(meta.insert().values(name="version", value=str(VERSION)))
                return
            if not {"corpus_meta", "pages"} <= present:
                raise CorpusError(f"{name} is a database but no corpus (it has no table 'pages'); name another file")
            version = connection.scalar(sa.select(meta.c.value).where(meta.c.name == "version"))
    except sa.exc.DatabaseError as error:
        raise CorpusError(f"{name} cannot be read as a corpus ({error.orig}); name another file, or move this one away") from None
    if version != str(VERSION):
        raise CorpusError(f"{name} is a corpus of version {version}; this program reads version {VERSION}: update it")
