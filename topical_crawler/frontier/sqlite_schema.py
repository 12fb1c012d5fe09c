"""The SQLite frontier's file: its tables, opening it, transactions, and the SQL."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from topical_crawler.frontier.base import NO_ROOM, State

VERSION = 3  # of the tables; a file of another version is refused
BUSY_SECONDS = 30.0  # how long a statement waits for another connection that is writing
_CACHE_KIB = 49_152
_CHECKPOINT_PAGES = 16_384  # 64 MiB: a checkpoint costs fsyncs, and a page with 60 new links changes 90 pages of the file

_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    state INTEGER NOT NULL,
    host TEXT NOT NULL,
    priority REAL NOT NULL,
    url TEXT NOT NULL,
    depth INTEGER NOT NULL,
    rescored INTEGER NOT NULL,
    dropped TEXT,
    meta TEXT,
    parents INTEGER NOT NULL,
    evidence TEXT NOT NULL
);
CREATE INDEX waiting ON entries (host, priority DESC, number) WHERE state = {State.WAITING};
CREATE INDEX in_flight ON entries (number) WHERE state = {State.IN_FLIGHT};
CREATE INDEX dropped ON entries (dropped) WHERE state = {State.DROPPED};
CREATE TABLE outcomes (
    number INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    keep INTEGER NOT NULL,
    relevance REAL NOT NULL,
    reason TEXT NOT NULL,
    lesson TEXT,
    led_by TEXT
);
CREATE TABLE saved (name TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('format', 'topical_crawler frontier'), ('version', '{VERSION}');
"""


class FrontierFileError(RuntimeError):
    """A frontier file that cannot be used; the message names the file and the remedy."""


def connect(file: Path) -> sqlite3.Connection:
    """Open the file, or make it. Transactions are begun by hand. Raises :class:`FrontierFileError`."""
    try:
        db = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, cached_statements=64)
        try:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables:
                _check_ours(file, db, tables)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
            db.execute(f"PRAGMA journal_size_limit = {4096 * _CHECKPOINT_PAGES}")  # after a discard of millions
            if not tables:
                db.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
            return db
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise broken(file, error) from error


def broken(file: Path, error: sqlite3.Error) -> FrontierFileError:
    """The error for a file that SQLite cannot read or write."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        return FrontierFileError(
            f"{file}: {error}: another program has been writing to it for more than {BUSY_SECONDS:g} seconds. Remedy: end that "
            "program (an sqlite3 shell, a backup), then start the crawl again; it goes on from the last page that was done"
        )
    if code == sqlite3.SQLITE_FULL:
        remedy = "make room on the disk, then start the crawl again; it goes on from the last page that was done"
        return FrontierFileError(f"{file}: {error}. Remedy: {remedy}")
    if isinstance(error, sqlite3.OperationalError):
        return FrontierFileError(f"{file}: {error}; see that the disk has room and nothing else writes to the file")
    return FrontierFileError(
        f"{file}: {error}; the file is no SQLite file or is damaged. Restore a copy, rescue it with `sqlite3 FILE .recover`, or "
        "move it away (with its -wal and -shm files) to start anew"
    )


def _check_ours(file: Path, db: sqlite3.Connection, tables: set[str]) -> None:
    meta = dict(db.execute("SELECT name, value FROM meta")) if "meta" in tables else {}
    if meta.get("format") != "topical_crawler frontier":
        raise FrontierFileError(
            f"{file}: an SQLite file of something else (tables {', '.join(sorted(tables))}); name another path for the frontier"
        )
    if meta.get("version") != str(VERSION):
        raise FrontierFileError(
            f"{file}: a frontier of version {meta.get('version')}, this program reads version {VERSION}; go on with the program "
            "that wrote it, or move the file away to start anew"
        )


# -- The open file


class Database:
    """A frontier's file, locked against a second frontier.

    Changes gather in one open transaction until :meth:`commit`. Where an error costs that transaction (a full disk can), memory
    and file no longer agree: every later call raises the error again. Every method but :meth:`bytes` may raise FrontierFileError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file = Path(path)
        self._lock = FileLock(f"{self.file}.lock", timeout=0)
        self._changed = False
        self._lost: str | None = None
        if not (folder := self.file.parent).is_dir():
            raise FrontierFileError(f"{self.file}: the directory {folder} does not exist; make it, or name another path")
        try:
            self._lock.acquire()
        except Timeout:
            message = f"{self.file}: another crawl uses this frontier; wait for its end, or name another path"
            raise FrontierFileError(message) from None
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
        """A statement that changes something; how many rows. Raises before it where another program writes to the file."""
        if not self._connection.in_transaction:
            self.rows("BEGIN IMMEDIATE")
            self._changed = True
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
        failure = broken(self.file, error)
        if self._changed and not self._connection.in_transaction:
            self._lost = str(failure)
        return failure


# -- The SQL. What waits is reached by the index ``waiting`` of hosts and places

KEYS = 64  # per look-up; shorter lists are filled up, so that one prepared statement serves all

_KEY_IN = f"key IN ({', '.join('?' * KEYS)})"
_WAITS = f"state = {State.WAITING}"

FIND = f"SELECT key, number, state, host, priority, parents, evidence, dropped FROM entries WHERE {_KEY_IN}"
INSERT = """INSERT INTO entries (number, key, state, host, priority, dropped, parents, evidence, url, depth, rescored, meta)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
FOUND_AGAIN = f"""UPDATE entries SET {_WAITS}, dropped = NULL, host = ?, priority = ?, parents = ?, evidence = ?,
    url = ?, depth = ?, rescored = ?, meta = ? WHERE number = ?"""
RAISE = "UPDATE entries SET priority = ?, parents = ?, evidence = ? WHERE number = ?"
ADD_EVIDENCE = "UPDATE entries SET parents = ?, evidence = ? WHERE number = ?"

_COLUMNS = "key, url, host, priority, depth, evidence, meta, rescored"
ENTRY = f"SELECT {_COLUMNS} FROM entries WHERE number = ?"
BEST = f"SELECT {_COLUMNS} FROM entries WHERE {_WAITS} ORDER BY priority DESC, number LIMIT ?"

GIVE_OUT = f"UPDATE entries SET state = {State.IN_FLIGHT} WHERE number = ?"
PUT_BACK = f"UPDATE entries SET {_WAITS}, priority = ?, rescored = rescored + 1 WHERE number = ?"
REQUEUE = f"UPDATE entries SET {_WAITS}, host = ?, url = ?, meta = coalesce(?, meta) WHERE number = ?"
FINISH = f"UPDATE entries SET state = {State.DONE} WHERE number = ?"
OUTCOME = "INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?)"
DROP = f"UPDATE entries SET state = {State.DROPPED}, dropped = ? WHERE number = ?"
EVICT = f"UPDATE entries SET state = {State.DROPPED}, dropped = '{NO_ROOM}', parents = 0, evidence = '' WHERE number = ?"
REPRICE = f"UPDATE entries SET priority = ?, rescored = 0 WHERE key = ? AND {_WAITS}"
FINISHED = f"""SELECT key, number, host, priority, url, dropped FROM entries
    WHERE {_KEY_IN} AND state IN ({State.DONE}, {State.DROPPED})"""
REVIVE = f"UPDATE entries SET {_WAITS}, dropped = NULL, host = ?, url = ?, rescored = 0 WHERE number = ?"
RECOVER = f"UPDATE entries SET {_WAITS} WHERE state = {State.IN_FLIGHT}"

HEAD = f"SELECT -priority, number FROM entries WHERE {_WAITS} AND host = ? ORDER BY priority DESC, number LIMIT 1"
TAIL = f"SELECT -priority, number FROM entries WHERE {_WAITS} AND host = ? ORDER BY priority, number DESC LIMIT 1"
NEXT_HOST = f"""SELECT host, -priority, number FROM entries WHERE {_WAITS} AND host > ?
    ORDER BY host, priority DESC, number LIMIT 1"""

ENTRIES = "SELECT coalesce(max(number), 0) FROM entries"
OUTCOMES = "SELECT coalesce(max(number), 0) FROM outcomes"
WAITING = f"SELECT count(*) FROM entries WHERE {_WAITS}"
REASONS = f"SELECT dropped, count(*) FROM entries WHERE state = {State.DROPPED} GROUP BY dropped"
READ_OUTCOMES = """SELECT number, url, keep, relevance, reason, lesson, led_by FROM outcomes
    WHERE number > ? ORDER BY number LIMIT ?"""

SAVE = "INSERT OR REPLACE INTO saved VALUES (?, ?)"
LOAD = "SELECT data FROM saved WHERE name = ?"
NOTE = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
READ_NOTE = "SELECT value FROM meta WHERE name = ?"


def discard(*, host: bool, below: bool) -> str:
    """Waiting entries are dropped: of one host, of a lower priority than one, of both, or all."""
    conditions = [_WAITS] + ["host = ?"] * host + ["priority < ?"] * below
    return f"UPDATE entries SET state = {State.DROPPED}, dropped = ? WHERE {' AND '.join(conditions)}"
