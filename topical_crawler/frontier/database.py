"""The SQLite frontier's file while it is open: one user at a time, one transaction after the other, errors that help."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from topical_crawler.frontier.schema import FrontierFileError, broken, connect


class Database:
    """A frontier's file, locked against a second frontier.

    Changes gather in one open transaction until :meth:`commit`. Where an error costs that transaction (a full disk can), memory
    and file no longer agree: every later call raises the error again.

    Raises:
        FrontierFileError: see :class:`~topical_crawler.frontier.sqlite.SqliteFrontier`; by every method but :meth:`bytes`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file = Path(path)
        self._lock = FileLock(f"{self.file}.lock", timeout=0)
        self._changed = False
        self._lost: str | None = None
        if self.file.parent.is_dir():
            try:
                self._lock.acquire()
            except Timeout:
                raise FrontierFileError(
                    f"{self.file}: another crawl uses this frontier; wait for its end, or name another path"
                ) from None
        try:
            self._connection = connect(self.file)
        except BaseException:
            self._lock.release()
            raise

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """What a statement that changes nothing answers."""
        if self._lost is not None:
            raise FrontierFileError(self._lost)
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """A statement that changes something; how many rows."""
        self.begin()
        try:
            return self._connection.execute(sql, values).rowcount
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    def run_each(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """A statement for each of the values, within :meth:`all_or_nothing`."""
        try:
            self._connection.executemany(sql, values)
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """An error takes back what was changed within; what was changed before in the same transaction stays."""
        self.run("SAVEPOINT step")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self.rows("ROLLBACK TO step")
                self.rows("RELEASE step")
            raise
        self.run("RELEASE step")

    def begin(self) -> None:
        """Have a transaction open. Raises before anything is changed where another program writes to the file."""
        if not self._connection.in_transaction:
            self.rows("BEGIN IMMEDIATE")
            self._changed = True

    def commit(self) -> None:
        """Make what was changed durable."""
        if self._connection.in_transaction:
            self.rows("COMMIT")
        self._changed = False

    def bytes(self) -> int:
        """Size of the file, with what is not yet merged into it (its WAL)."""
        return sum(file.stat().st_size for file in (self.file, Path(f"{self.file}-wal")) if file.exists())

    def close(self, *, commit: bool = True) -> None:
        """Let go of the file. Calling it twice is harmless."""
        if not self._lock.is_locked:
            return
        try:
            if commit and self._lost is None:
                self.commit()
        finally:
            self._connection.close()
            self._lock.release()

    def _failed(self, error: sqlite3.DatabaseError) -> FrontierFileError:
        told = broken(self.file, error)
        if self._changed and not self._connection.in_transaction:
            self._lost = str(told)
        return told
