"""The SQLite frontier's file: its tables, and opening it with an error that helps."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from topical_crawler.frontier.base import State

VERSION = 3
"""Version of the tables. A file of version 1, which has no lessons, or 2, which does not say who led to a page, is brought up to
it; of any other version, refused."""

BUSY_SECONDS = 30.0
"""How long a statement waits for another connection that is writing."""

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

_ADDED = {"1": ("lesson", "led_by"), "2": ("led_by",)}
"""The columns of outcomes that a file of an older version has not."""


class FrontierFileError(RuntimeError):
    """A frontier file that cannot be used; the message names the file and the remedy."""


def connect(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Open the file, or make it. Transactions are begun by hand. Raises :class:`FrontierFileError`."""
    file = Path(path)
    if not file.parent.is_dir():
        raise FrontierFileError(f"{file}: the directory {file.parent} does not exist; make it, or name another path")
    try:
        db = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, cached_statements=64)
    except sqlite3.Error as error:
        raise broken(file, error) from error
    try:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables:
            _check_ours(file, db, tables)
            _upgrade(db)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        db.execute(f"PRAGMA journal_size_limit = {4096 * _CHECKPOINT_PAGES}")  # after a discard of millions
        if not tables:
            db.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
    except sqlite3.Error as error:
        db.close()
        raise broken(file, error) from error
    except FrontierFileError:
        db.close()
        raise
    return db


def _upgrade(db: sqlite3.Connection) -> None:
    (version,) = db.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
    if missing := _ADDED.get(version):
        columns = "".join(f"ALTER TABLE outcomes ADD COLUMN {name} TEXT; " for name in missing)
        db.executescript(f"BEGIN IMMEDIATE; {columns}UPDATE meta SET value = '{VERSION}' WHERE name = 'version'; COMMIT;")


def broken(file: Path, error: sqlite3.Error) -> FrontierFileError:
    """The error for a file that SQLite cannot read or write."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        return FrontierFileError(
            f"{file}: {error}: another program has been writing to it for more than {BUSY_SECONDS:g} seconds. Remedy: end that "
            "program (an sqlite3 shell, a backup), then start the crawl again; it goes on from the last page that was done"
        )
    if code == sqlite3.SQLITE_FULL:
        return FrontierFileError(
            f"{file}: {error}. Remedy: make room on the disk, then start the crawl again; it goes on from the last page that was "
            "done"
        )
    if isinstance(error, sqlite3.OperationalError):
        return FrontierFileError(f"{file}: {error}; see that the disk has room and nothing else writes to the file")
    return FrontierFileError(
        f"{file}: {error}; the file is no SQLite file or is damaged. Restore a copy, rescue it with `sqlite3 FILE .recover`, or "
        "move it away (with its -wal and -shm files) to start anew"
    )


def _check_ours(file: Path, db: sqlite3.Connection, tables: set[str]) -> None:
    found = dict(db.execute("SELECT name, value FROM meta")) if "meta" in tables else {}
    if found.get("format") != "topical_crawler frontier":
        raise FrontierFileError(
            f"{file}: an SQLite file of something else (tables {', '.join(sorted(tables))}); name another path for the frontier"
        )
    if found.get("version") not in (*_ADDED, str(VERSION)):
        raise FrontierFileError(
            f"{file}: a frontier of version {found.get('version')}, this program reads version {VERSION}; go on with the program "
            "that wrote it, or move the file away to start anew"
        )
