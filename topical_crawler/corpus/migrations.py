"""From one version of a corpus' tables to the next.

The steps are alembic's operations in a list of our own. Its script directory is not used: the program also runs from a zipped
egg, as scrapyd starts it, and in there alembic cannot list a folder of scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations


def _to_2(operations: Operations) -> None:
    """Which worker stored a page; numbers of pages beyond 2,147,483,647."""
    operations.add_column("pages", sa.Column("worker", sa.Text, nullable=False, server_default=sa.text("''")))
    if operations.get_bind().dialect.name == "postgresql":
        operations.alter_column("pages", "id", type_=sa.BigInteger, existing_type=sa.Integer, existing_nullable=False)
        operations.execute("ALTER SEQUENCE pages_id_seq AS bigint")


STEPS: Mapping[int, Callable[[Operations], None]] = {2: _to_2}
"""What brings a corpus to a version from the one before. Steps only add: an older corpus can be read as it is."""


def upgrade(connection: sa.Connection, version: int) -> None:
    """Take the steps from ``version`` on, in the transaction that is under way; the caller notes the new version."""
    operations = Operations(MigrationContext.configure(connection))
    for target, step in STEPS.items():
        if target > version:
            step(operations)
