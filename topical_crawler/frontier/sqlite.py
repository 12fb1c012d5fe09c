"""A frontier in one SQLite file. It survives the death of its process at any moment, and is not limited by memory."""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import chain
from json.encoder import encode_basestring as _quote
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from filelock import FileLock, Timeout

from topical_crawler.frontier.base import (
    MAX_EVIDENCE,
    NO_ROOM,
    STEP,
    Entry,
    Journal,
    Outcome,
    Pushed,
    State,
    Status,
    check,
    check_priority,
    gained,
    host_of,
    not_in_flight,
)
from topical_crawler.frontier.hosts import LocalFrontier, Place, Turn, Worst
from topical_crawler.web.page import Evidence

_T = TypeVar("_T")

VERSION = 3  # of the tables; a file of another version is refused
BUSY_SECONDS = 30.0  # time-out of a statement for another writing connection
_CACHE_KIB = 4_096  # four or twelve times as much is no faster, even at a million links: the system caches the pages
_CHECKPOINT_PAGES = 4_096  # 16 MiB: a checkpoint costs fsyncs, and a page with 60 new links changes 90 pages of the file

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
CREATE INDEX with_most_parents ON entries (key) WHERE state = {State.WAITING} AND parents = {MAX_EVIDENCE};
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
    """A frontier file is unusable. The message names the file and the fix."""


def unfetched(file: Path) -> list[tuple[str, str, str, int]]:
    """Count the unfetched links in a frontier's file by host, ``not_followed`` or ``waiting``, and reason.

    Return [] without such a file. A crawl may be writing to it.
    """
    if not file.is_file():
        return []
    states = f"CASE state WHEN {State.DROPPED} THEN 'not_followed' ELSE 'waiting' END, coalesce(dropped, 'not fetched yet')"
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)) as db:
        return db.execute(f"SELECT host, {states}, count(*) FROM entries WHERE state <> {State.DONE} GROUP BY 1, 2, 3").fetchall()


def connect(file: Path) -> sqlite3.Connection:
    """Open or create the file, with manual transactions. Raise :class:`FrontierFileError`."""
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
            db.execute(f"PRAGMA journal_size_limit = {4096 * _CHECKPOINT_PAGES}")  # after discarding millions
            if not tables:
                db.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
            return db
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise broken(file, error) from error


def broken(file: Path, error: sqlite3.Error) -> FrontierFileError:
    """Return the error for a file unreadable or unwritable by SQLite."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        return FrontierFileError(
            f"{file}: {error}: another program has been writing to it for more than {BUSY_SECONDS:g} seconds. End that "
            "program (an sqlite3 shell, a backup), then start the crawl again. It resumes after the last finished page"
        )
    if code == sqlite3.SQLITE_FULL:
        remedy = "Make room on the disk, then start the crawl again. It resumes after the last finished page"
        return FrontierFileError(f"{file}: {error}. {remedy}")
    if isinstance(error, sqlite3.OperationalError):
        return FrontierFileError(f"{file}: {error}. Check that the disk has room and nothing else writes to the file")
    return FrontierFileError(
        f"{file}: {error}: not an SQLite file, or a damaged one. Restore a copy, rescue it with `sqlite3 FILE .recover`, or "
        "move it away (with its -wal and -shm files) to start anew"
    )


def _check_ours(file: Path, db: sqlite3.Connection, tables: set[str]) -> None:
    meta = dict(db.execute("SELECT name, value FROM meta")) if "meta" in tables else {}
    if meta.get("format") != "topical_crawler frontier":
        raise FrontierFileError(
            f"{file}: an SQLite file of something else (tables {', '.join(sorted(tables))}). Name another path for the frontier"
        )
    if meta.get("version") != str(VERSION):
        raise FrontierFileError(
            f"{file}: a frontier of version {meta.get('version')}, this program reads version {VERSION}. Continue with the "
            "program that wrote it, or move the file away to start anew"
        )


# -- The open file


class Database:
    """A frontier's file, locked against a second frontier.

    Changes gather in one open transaction until :meth:`commit`. If an error loses that transaction, such as a full disk, memory
    and file disagree, and every later call raises the error again. Every method except :meth:`bytes` may raise
    FrontierFileError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file = Path(path)
        self._lock = FileLock(f"{self.file}.lock", timeout=0)
        self._changed = False
        self._lost: str | None = None
        if not (folder := self.file.parent).is_dir():
            raise FrontierFileError(f"{self.file}: the directory {folder} does not exist. Create it, or name another path")
        try:
            self._lock.acquire()
        except Timeout:
            message = f"{self.file}: another crawl uses this frontier. Wait for its end, or name another path"
            raise FrontierFileError(message) from None
        try:
            self._connection = connect(self.file)
        except BaseException:
            self._lock.release()
            raise

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a read-only statement."""
        if self._lost is not None:
            raise FrontierFileError(self._lost)
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    def first(self, sql: str, *values: Any) -> Any:
        """Return the first row of the result, or None."""
        return next(iter(self.rows(sql, values)), None)

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement with changes. Return the number of rows. Raise an error before any change if another program writes
        to the file.
        """
        if not self._connection.in_transaction:
            self.rows("BEGIN IMMEDIATE")
            self._changed = True
        try:
            return self._connection.execute(sql, values).rowcount
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    def run_each(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each of the values, within :meth:`all_or_nothing`."""
        try:
            self._connection.executemany(sql, values)
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Roll back the changes inside on an error. Earlier changes in the same transaction stay."""
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
        """Make the changes durable."""
        if self._connection.in_transaction:
            self.rows("COMMIT")
        self._changed = False

    def bytes(self) -> int:
        """Return the size of the file, including its WAL."""
        return sum(file.stat().st_size for file in (self.file, Path(f"{self.file}-wal")) if file.exists())

    def close(self, *, commit: bool = True) -> None:
        """Close the file. Idempotent."""
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


# -- The SQL. Waiting entries are found by the index ``waiting`` of hosts and places

KEYS = 64  # per look-up; shorter lists are padded to reuse one prepared statement

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
STANDING = f"SELECT state, dropped, {_COLUMNS} FROM entries WHERE key = ?"
SEVERAL = f"SELECT number, {_COLUMNS} FROM entries WHERE number IN ({', '.join('?' * KEYS)})"
BEST = f"SELECT number, priority FROM entries WHERE {_WAITS} ORDER BY priority DESC, number LIMIT ?"

GIVE_OUT = f"UPDATE entries SET state = {State.IN_FLIGHT} WHERE number = ?"
PUT_BACK = f"UPDATE entries SET {_WAITS}, priority = ?, rescored = rescored + 1 WHERE number = ?"
REQUEUE = f"UPDATE entries SET {_WAITS}, host = ?, url = ?, meta = coalesce(?, meta) WHERE number = ?"
FINISH = f"UPDATE entries SET state = {State.DONE} WHERE number = ?"
OUTCOME = "INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?)"
DROP = f"UPDATE entries SET state = {State.DROPPED}, dropped = ? WHERE number = ?"
EVICT = f"UPDATE entries SET state = {State.DROPPED}, dropped = '{NO_ROOM}', parents = 0, evidence = '' WHERE number = ?"
REPRICE = f"UPDATE entries SET priority = ?, rescored = 0 WHERE key = ? AND {_WAITS}"
REPRICE_READ = f"UPDATE entries SET priority = ?, rescored = 0 WHERE number = ? AND {_WAITS}"
FALL = f"UPDATE entries SET priority = priority + ? WHERE {_WAITS} AND priority > ?"
RISE = f"UPDATE entries SET priority = priority + ? WHERE {_WAITS} AND priority < ?"
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
FULL = f"SELECT key FROM entries WHERE {_WAITS} AND parents = {MAX_EVIDENCE}"
WAITING = f"SELECT count(*) FROM entries WHERE {_WAITS}"
REASONS = f"SELECT dropped, count(*) FROM entries WHERE state = {State.DROPPED} GROUP BY dropped"
READ_OUTCOMES = """SELECT number, url, keep, relevance, reason, lesson, led_by FROM outcomes
    WHERE number > ? ORDER BY number LIMIT ?"""

SAVE = "INSERT OR REPLACE INTO saved VALUES (?, ?)"
LOAD = "SELECT data FROM saved WHERE name = ?"
NOTE = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
READ_NOTE = "SELECT value FROM meta WHERE name = ?"


def discard_statement(*, host: bool, below: bool) -> str:
    """Return the statement for dropping waiting entries of one host, of a lower priority than one, of both, or all."""
    conditions = [_WAITS] + ["host = ?"] * host + ["priority < ?"] * below
    return f"UPDATE entries SET state = {State.DROPPED}, dropped = ? WHERE {' AND '.join(conditions)}"


# -- Entries as rows, and the frontier


class KnownEntry:
    """A row of the entries table during the push of a batch of links: its stored data, and the changes by the batch.

    Evidence stays JSON text: ``evidence`` is its pieces, joined by commas, and ``parents`` their number. A known parent is
    recognised without parsing: a piece begins with ``["parent",``, and quotation marks within a string are escaped.
    """

    __slots__ = ("dropped", "entry", "evidence", "host", "is_new", "moved", "number", "parents", "priority", "state", "touched")

    def __init__(
        self, number: int, state: int, host: str, priority: float, parents: int, evidence: str, dropped: str | None
    ) -> None:
        self.number, self.state, self.host, self.priority = number, state, host, priority
        self.parents, self.evidence, self.dropped = parents, evidence, dropped
        self.entry: Entry | None = None  # push with the valid URL, depth and meta, for a new or revived entry
        self.is_new = False
        self.moved = False  # new place among the waiting entries
        self.touched = False  # evidence differs from `entry`, or from before

    @classmethod
    def of(cls, entry: Entry, number: int, result: Pushed) -> KnownEntry:
        """Return the row of an entry seen for the first time."""
        evidence = gained((), entry.evidence)
        state = State.WAITING if entry.dropped is None else State.DROPPED
        row = cls(number, state, entry.host, entry.priority, len(evidence), pack(evidence), entry.dropped)
        row.entry, row.is_new, row.moved = entry, True, entry.dropped is None
        if entry.dropped is None:
            result.new += 1
        else:
            result.dropped[entry.dropped] = result.dropped.get(entry.dropped, 0) + 1
        return row

    def meet(self, entry: Entry, result: Pushed) -> None:
        """Merge another push of the entry (see ``Frontier.push``)."""
        changed = False
        if self.state in (State.WAITING, State.DROPPED):
            changed = self._gain(entry.evidence)
            if self.state == State.WAITING:
                if entry.priority > self.priority:
                    self.priority, self.moved = entry.priority, True
            elif entry.dropped is None:
                self.state, self.dropped, self.entry = State.WAITING, None, entry
                self.host, self.priority = entry.host, entry.priority
                self.moved = self.touched = changed = True
        result.raised += changed
        result.known += not changed

    def _gain(self, candidates: Iterable[Evidence]) -> bool:
        before = self.parents
        for evidence in candidates:
            if self.parents >= MAX_EVIDENCE:
                break
            if f"[{_quote(evidence.parent)}," not in self.evidence:
                piece = pack((evidence,))
                self.evidence = f"{self.evidence},{piece}" if self.evidence else piece
                self.parents += 1
        self.touched |= self.parents > before
        return self.parents > before

    @property
    def as_pushed(self) -> Entry | None:
        """The entry if it waits exactly as first pushed, else None."""
        entry = self.entry
        if entry is None or not self.is_new or self.touched or entry.dropped is not None or self.parents != len(entry.evidence):
            return None
        return entry

    def address(self) -> tuple[str, int, int, str | None]:
        """Return URL, depth, times put back and meta of a new or revived entry."""
        assert self.entry is not None
        return self.entry.url, self.entry.depth, self.entry.rescored, pack_meta(self.entry.meta)


def pack(evidence: Iterable[Evidence]) -> str:
    """Serialize evidence as in ``Evidence.to_json``, by hand, since the encoder takes five times as long."""
    return ",".join(
        [
            f"[{_quote(e.parent)},{float(e.relevance)!r},{int(e.on_topic)},{_quote(e.anchor)},{e.distance}"
            f"{',' + _quote(e.around) if e.around or e.path else ''}{',' + _quote(e.path) if e.path else ''}]"
            for e in evidence
        ]
    )


def unpack(text: str) -> tuple[Evidence, ...]:
    """Parse the text of :func:`pack`, pieces joined by commas."""
    return tuple([Evidence.from_json(piece) for piece in json.loads(f"[{text}]")])


def pack_meta(meta: dict[str, Any]) -> str | None:
    """Serialize an entry's meta. Most have none."""
    return json.dumps(meta, ensure_ascii=False) if meta else None


# -- The frontier

_COMMIT_EVERY = 512  # pushes outside `done`
_OUTCOMES = 200
_MOST_READ = 32_768  # waiting entries kept in memory
_SOMEWHERE: Place = (math.inf, 0)  # bound for the worst entry of a host not examined yet
_REVIVED = "revived"  # number of revived pages: the surplus of the log over the entries done


def _entry(row: Sequence[Any]) -> Entry:
    key, url, host, priority, depth, evidence, meta, rescored = row
    return Entry(key, url, host, priority, depth, unpack(evidence), json.loads(meta) if meta else {}, None, rescored)


def _chunks(keys: Sequence[_T]) -> Iterator[Sequence[_T]]:
    for start in range(0, len(keys), KEYS):
        chunk = list(keys[start : start + KEYS])
        yield chunk + chunk[-1:] * (KEYS - len(chunk))


class _Flight(NamedTuple):
    number: int
    host: str
    priority: float
    turn: Turn


class SqliteJournal(Journal):
    """The journal of a frontier in a file."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, number: int, outcome: Outcome) -> None:
        """Write a finished page into the log, in the open transaction."""
        lesson = None if outcome.lesson is None else json.dumps(outcome.lesson, ensure_ascii=False)
        led_by = " ".join(outcome.led_by) or None
        self._db.run(OUTCOME, (number, outcome.url, outcome.keep, outcome.relevance, outcome.reason, lesson, led_by))

    def outcomes(self, after: int = 0) -> Iterator[tuple[int, Outcome]]:
        while rows := self._db.rows(READ_OUTCOMES, (after, _OUTCOMES)):
            for number, url, keep, relevance, reason, lesson, led_by in rows:
                learned = json.loads(lesson) if lesson else None
                yield number, Outcome(url, bool(keep), relevance, reason, learned, tuple((led_by or "").split()))
            after = rows[-1][0]

    def save(self, name: str, data: Any) -> None:
        self._db.run(SAVE, (name, json.dumps(data)))
        self._db.commit()

    def load(self, name: str) -> Any:
        row = self._db.first(LOAD, name)
        return json.loads(row[0]) if row else None

    def first(self, name: str, number: int) -> bool:
        known = self._db.first(READ_NOTE, f"first {name}")
        if known is not None and int(known[0]) >= number:
            return False
        self._db.run(NOTE, (f"first {name}", str(number)))
        self._db.commit()
        return True


class SqliteFrontier(LocalFrontier):
    """:class:`~topical_crawler.frontier.base.Frontier` in the file ``path``, created if missing. Its lock is ``path.lock``. The
    other arguments are those of :class:`LocalFrontier`.

    Changes gather in one open transaction. :meth:`done`, :meth:`close`, the journal and every few hundred pushes commit it. A
    process that dies loses the changes since: entries in flight are requeued, and no finished page is popped again. Other
    processes may read the file meanwhile (WAL). A second frontier on it is refused.

    Raises FrontierFileError if the file is in use, damaged, of another version or of something else. Every method does if the
    file is no longer readable or writable: it then holds the last commit. If another program writes to it for too long, nothing
    has changed, and the call may be repeated.
    """

    def __init__(
        self, path: str | os.PathLike[str], delay: float = 0.0, in_flight_per_host: int = 1, max_waiting: int = 0
    ) -> None:
        super().__init__(delay, in_flight_per_host, max_waiting)
        self._worst = Worst() if max_waiting else None
        self._in_flight: dict[bytes, _Flight] = {}
        self._done: set[bytes] = set()  # done entries finished or met by this process
        self._full: set[bytes] = set()  # all waiting entries with the most parents, and some former ones
        self._read: dict[int, Entry] = {}  # waiting entries by number, as the best are read again and again
        self._uncommitted = 0
        self._db = Database(path)
        self.journal = SqliteJournal(self._db)
        try:
            self._recovered = self._db.run(RECOVER)
            self._db.commit()
            self._number: int = self._db.first(ENTRIES)[0]
            self._finished: int = self._db.first(OUTCOMES)[0]
            self._revived = int((self._db.first(READ_NOTE, _REVIVED) or (0,))[0])
            self._waiting: int = self._db.first(WAITING)[0]
            self._reasons.update(dict(self._db.rows(REASONS)))
            self._read_full()
            self._read_heads()
        except BaseException:
            self._db.close(commit=False)
            raise

    def _read_full(self) -> None:
        self._full = {key for (key,) in self._db.rows(FULL)}

    def _read_heads(self) -> None:
        host = ""
        while row := self._db.first(NEXT_HOST, host):
            host, negative, number = row
            self._set_head(host, (negative, number))

    def _set_head(self, host: str, head: tuple[float, int] | None) -> None:
        self._hosts.set_head(host, head)
        if self._worst is not None:
            self._worst.offer(host, _SOMEWHERE)

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """See :meth:`Frontier.push`. All or nothing."""
        links = [check(entry) for entry in entries]
        with self._db.all_or_nothing():
            rows, result = self._write(links)
        self._count(rows)
        self._make_room()
        self._uncommitted += len(links)
        if self._uncommitted >= _COMMIT_EVERY:
            self._commit()
        return result

    def pop(self, now: float, ahead: int = 1) -> Entry | None:
        best = self._hosts.best(now)
        if best is None:
            return None
        host, (negative, number) = best
        entry = self._read.pop(number, None) or _entry(self._db.first(ENTRY, number))
        entry.priority = -negative
        self._db.run(GIVE_OUT, (number,))
        turn = self._hosts.take(host, now, self._db.first(HEAD, host))
        self._in_flight[entry.key] = _Flight(number, host, entry.priority, turn)
        self._waiting -= 1
        return entry

    def sent(self, key: bytes, now: float) -> None:
        flight = self._flight(key)
        self._in_flight[key] = flight._replace(turn=self._hosts.restart(flight.host, flight.turn, now))

    def put_back(self, entry: Entry, priority: float) -> None:
        check_priority(priority, entry.url)
        flight = self._flight(entry.key)
        self._db.run(PUT_BACK, (priority, flight.number))
        self._land(entry.key, give_back=True)
        self._wait(flight.host, (-priority, flight.number))
        self._waiting += 1

    def read_waiting(self, limit: int) -> Iterator[list[Entry]]:
        """See :meth:`Frontier.read_waiting`. Sorting takes a quarter of a second for each million waiting entries."""
        best = self._db.rows(BEST, (limit,))
        for start in range(0, len(best), STEP):
            some = best[start : start + STEP]
            for numbers in _chunks([number for number, _ in some if number not in self._read]):
                self._read.update((number, _entry(columns)) for number, *columns in self._db.rows(SEVERAL, numbers))
            for number, priority in some:
                self._read[number].priority = priority
            yield [self._read[number] for number, _ in some]
        if len(self._read) > _MOST_READ:
            self._read = {number: self._read[number] for number, _ in best[:_MOST_READ] if number in self._read}

    def is_settled(self, key: bytes, off_topic: bool = False) -> bool:
        return key in self._done or key in self._in_flight or (off_topic and key in self._full)

    def find(self, key: bytes) -> tuple[State, Entry] | None:
        if (row := self._db.first(STANDING, key)) is None:
            return None
        state, dropped, *columns = row
        return State(state), replace(_entry(columns), dropped=dropped)

    def reprice(self, priorities: Mapping[bytes, float]) -> None:
        for key, priority in priorities.items():
            check_priority(priority, key.hex())
        read = {entry.key: number for number, entry in self._read.items() if entry.key in priorities}
        with self._db.all_or_nothing():
            self._db.run_each(REPRICE_READ, [(priorities[key], number) for key, number in read.items()])
            self._db.run_each(REPRICE, [(priority, key) for key, priority in priorities.items() if key not in read])
        hosts = {row[3] for keys in _chunks([key for key in priorities if key not in read]) for row in self._db.rows(FIND, keys)}
        for number in read.values():
            self._read[number].rescored = 0
            hosts.add(self._read[number].host)
        for host in hosts:
            self._set_head(host, self._db.first(HEAD, host))
        self._commit()

    def shift(self, by: float, border: float) -> None:
        """Change the priorities of waiting entries by ``by``: down for those above ``border``, or up for those below it.

        Entries moved across the border are left alone by a second call.
        """
        self._db.run(FALL if by < 0 else RISE, (by, border))
        self._read_heads()
        self._commit()

    def requeue(self, key: bytes, *, url: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        flight = self._flight(key)
        old_url = self._db.first(ENTRY, flight.number)[1]
        host = host_of(url, old_url, flight.host) if url is not None else flight.host
        self._db.run(REQUEUE, (host, url or old_url, json.dumps(meta) if meta is not None else None, flight.number))
        self._land(key)
        self._wait(host, (-flight.priority, flight.number))
        self._waiting += 1

    def done(self, key: bytes, outcome: Outcome, links: Iterable[Entry] = ()) -> Pushed:
        """See :meth:`Frontier.done`. It survives the death of the process. A power failure may cost the last pages."""
        entries = [check(entry) for entry in links]
        flight = self._flight(key)
        with self._db.all_or_nothing():
            self._db.run(FINISH, (flight.number,))
            self.journal.add(self._finished + 1, outcome)
            rows, result = self._write(entries)
        self._land(key)
        self._done.add(key)
        self._finished += 1
        self._count(rows)
        self._make_room()
        self._commit()
        return result

    def drop(self, key: bytes, reason: str) -> None:
        flight = self._flight(key)
        self._db.run(DROP, (reason, flight.number))
        self._land(key, give_back=True)
        self._full.discard(key)
        self._reasons[reason] += 1

    def discard(self, reason: str, *, host: str | None = None, below: float | None = None) -> int:
        statement = discard_statement(host=host is not None, below=below is not None)
        number = self._db.run(statement, (reason, *(value for value in (host, below) if value is not None)))
        self._hosts.discard(host, below)
        if self._full:
            self._read_full()
        self._waiting -= number
        self._reasons[reason] += number
        self._commit()
        return number

    def revive(self, urls: Mapping[bytes, str]) -> int:
        """See :meth:`Frontier.revive`. Entries return to their old places, with their evidence."""
        reasons: Counter[str] = Counter()
        done = 0
        first: dict[str, Place] = {}
        last: dict[str, Place] = {}
        with self._db.all_or_nothing():
            for keys in _chunks(list(urls)):
                changes = []
                for key, number, host, priority, url, reason in self._db.rows(FINISHED, keys):
                    host, place = host_of(urls[key], url, host), (-priority, number)
                    changes.append((host, urls[key], number))
                    self._read.pop(number, None)
                    first[host], last[host] = min(place, first.get(host, place)), max(place, last.get(host, place))
                    if reason is None:
                        done += 1
                    else:
                        reasons[reason] += 1
                self._db.run_each(REVIVE, changes)
                self._done.difference_update(keys)
            self._db.run(NOTE, (_REVIVED, str(self._revived + done)))
        revived = done + reasons.total()
        self._waiting += revived
        self._revived += done
        self._reasons -= reasons
        for host, place in chain(first.items(), last.items()):
            self._wait(host, place)
        self._commit()
        return revived

    def status(self) -> Status:
        counts = {
            State.WAITING: self._waiting,
            State.IN_FLIGHT: len(self._in_flight),
            State.DONE: self._finished - self._revived,
            State.DROPPED: self._reasons.total(),
        }
        details = {"backend": "sqlite", "place": str(self._db.file), "bytes": self._db.bytes()}
        return Status(counts, dict(+self._reasons), len(self._hosts), self._recovered, details)

    def __len__(self) -> int:
        return self._waiting

    def close(self) -> None:
        """See :meth:`Frontier.close`. Entries in flight stay marked in the file, and are requeued on opening it."""
        self._db.close()

    def _write(self, entries: Sequence[Entry]) -> tuple[list[tuple[bytes, KnownEntry, int | None, str | None]], Pushed]:
        """Push within a transaction. Return keys and rows, with the state and reason before (None: new)."""
        chunks = _chunks([entry.key for entry in entries])
        known = {key: KnownEntry(*columns) for chunk in chunks for key, *columns in self._db.rows(FIND, chunk)}
        self._done.update(key for key, row in known.items() if row.state == State.DONE)
        before = {key: (row.state, row.dropped) for key, row in known.items()}
        result = Pushed()
        for entry in entries:
            if (row := known.get(entry.key)) is not None:
                row.meet(entry, result)
            else:
                self._number += 1
                known[entry.key] = KnownEntry.of(entry, self._number, result)
        changes: dict[str, list[tuple[Any, ...]]] = {statement: [] for statement in (INSERT, FOUND_AGAIN, RAISE, ADD_EVIDENCE)}
        for key, row in known.items():
            evidence = (row.parents, row.evidence)
            if row.touched or row.entry is not None:
                self._read.pop(row.number, None)
            if row.is_new:
                columns = (row.number, key, row.state, row.host, row.priority, row.dropped, *evidence, *row.address())
                changes[INSERT].append(columns)
            elif row.entry is not None:
                changes[FOUND_AGAIN].append((row.host, row.priority, *evidence, *row.address(), row.number))
            elif row.moved:
                changes[RAISE].append((row.priority, *evidence, row.number))
            elif row.touched:
                changes[ADD_EVIDENCE].append((*evidence, row.number))
        for statement, values in changes.items():
            if values:
                self._db.run_each(statement, values)
        return [(key, row, *before.get(key, (None, None))) for key, row in known.items()], result

    def _count(self, rows: Iterable[tuple[bytes, KnownEntry, int | None, str | None]]) -> None:
        """Update counts and heads after a write."""
        for key, row, state, reason in rows:
            if row.state == State.WAITING and row.parents == MAX_EVIDENCE:
                self._full.add(key)
            if row.moved:
                self._waiting += state != State.WAITING
                self._wait(row.host, (-row.priority, row.number))
                if (entry := row.as_pushed) is not None and len(self._read) < _MOST_READ:
                    self._read[row.number] = entry  # with its strategy's cached results
                if reason is not None:
                    self._reasons[reason] -= 1
            elif state is None and row.dropped is not None:
                self._reasons[row.dropped] += 1

    def _wait(self, host: str, place: Place) -> None:
        """Add a waiting entry of the host at ``place``."""
        self._hosts.offer(host, place)
        if self._worst is not None:
            self._worst.offer(host, place)

    def _make_room(self) -> None:
        """Drop waiting entries beyond ``max_waiting``."""
        while self._worst is not None and self._waiting > self._max_waiting:
            worst = self._worst.find(lambda host: self._db.first(TAIL, host))
            assert worst is not None
            host, place = worst
            self._full.discard(self._db.first(ENTRY, place[1])[0])
            self._db.run(EVICT, (place[1],))
            self._read.pop(place[1], None)
            if self._hosts.head(host) == place:  # the worst of a host is also its best: its only one
                self._hosts.set_head(host, None)
            self._waiting -= 1
            self._reasons[NO_ROOM] += 1

    def _flight(self, key: bytes) -> _Flight:
        try:
            return self._in_flight[key]
        except KeyError:
            raise not_in_flight(key) from None

    def _land(self, key: bytes, *, give_back: bool = False) -> None:
        flight = self._in_flight.pop(key)
        self._hosts.finish(flight.host, flight.turn, give_back=give_back)

    def _commit(self) -> None:
        self._db.commit()
        self._uncommitted = 0
