"""From one version of a corpus' tables to the next.

The steps are alembic's operations in a list of our own. Its script directory is not used: the program also runs from a zipped
egg, as scrapyd starts it, and in there alembic cannot list a folder of scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations


def _to_2(operations: Operations) -> None:
    """Which worker stored a page; numbers of pages beyond 2,147,483,647."""
    operations.add_column("pages", sa.Column("worker", sa.Text, nullable=False, server_default=sa.text("''")))
    if operations.get_bind().dialect.name == "postgresql":
        operations.alter_column("pages", "id", type_=sa.BigInteger, existing_type=sa.Integer, existing_nullable=False)
        operations.execute("ALTER SEQUENCE pages_id_seq AS bigint")


def _to_3(operations: Operations) -> None:
    """What a text is like and where it comes from; near-duplicates, lines of a site, parts of an article, robots.txt of hosts."""
    empty, zero = sa.text("''"), sa.text("0")
    added = (
        sa.Column("similarity", sa.Float, nullable=False, server_default=zero),
        *(sa.Column(name, sa.Text, nullable=False, server_default=empty) for name in _TEXTS),
        sa.Column("part", sa.Integer, nullable=False, server_default=zero),
        *(sa.Column(name, sa.Float) for name in _MEASURES),
        sa.Column("personal", sa.JSON),
    )
    for column in added:
        operations.add_column("pages", column)
    is_duplicate = sa.text("duplicate_of <> ''")
    by_hash: dict[str, Any] = {"postgresql_using": "hash"}
    operations.create_index(
        "ix_pages_duplicate_of", "pages", ["duplicate_of"], sqlite_where=is_duplicate, postgresql_where=is_duplicate, **by_hash
    )
    operations.create_index("ix_pages_url", "pages", ["url"], **by_hash)
    operations.create_table(
        "bands",
        sa.Column("band", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("page", sa.BigInteger, primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    operations.create_table(
        "lines",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("digest", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("removed", sa.Integer, nullable=False, server_default=zero),
        sqlite_with_rowid=False,
    )
    operations.create_table(
        "parts",
        sa.Column("series", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    operations.create_table(
        "hosts",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("robots", sa.Text, nullable=False),
        sa.Column("crawl_delay", sa.Float, nullable=False),
        sa.Column("asked", sa.Text, nullable=False),
    )


# Written out: a step stays as it was when the tables change again.
_TEXTS = ("source", "section", "canonical", "license", "kind", "method", "series", "language", "script")
_MEASURES = (
    *("han", "latin", "digits", "punctuation", "symbols", "sentences", "common"),
    *("line_length", "repeated_lines", "repeated_phrases"),
)

STEPS: Mapping[int, Callable[[Operations], None]] = {2: _to_2, 3: _to_3}
"""What brings a corpus to a version from the one before. Steps only add: an older corpus can be read as it is."""


def upgrade(connection: sa.Connection, version: int) -> None:
    """Take the steps from ``version`` on, in the transaction that is under way; the caller notes the new version."""
    operations = Operations(MigrationContext.configure(connection))
    for target, step in STEPS.items():
        if target > version:
            step(operations)
