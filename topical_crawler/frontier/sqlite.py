"""A frontier in one SQLite file: survives its process at any moment, and holds what memory does not."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from topical_crawler.frontier.base import Entry, Outcome, Pushed, State
from topical_crawler.frontier.hosts import Hosts, Place
from topical_crawler.frontier.rows import Row, unpack
from topical_crawler.frontier.rules import check, check_priority, host_of, not_in_flight
from topical_crawler.frontier.schema import FrontierFileError, broken, connect

_COMMIT_EVERY = 512  # pushes outside `done`
_KEYS = 64  # keys per look-up; shorter lists are filled up, so that one prepared statement serves all
_OUTCOMES = 1_000

_FIND = f"""SELECT key, number, state, host, priority, parents, evidence, dropped FROM entries
    WHERE key IN ({", ".join("?" * _KEYS)})"""
_INSERT = """INSERT INTO entries (number, key, state, host, priority, dropped, parents, evidence, url, depth, rescored, meta)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_REVIVE = f"""UPDATE entries SET state = {State.WAITING}, dropped = NULL, host = ?, priority = ?, parents = ?, evidence = ?,
    url = ?, depth = ?, rescored = ?, meta = ? WHERE number = ?"""
_RAISE = "UPDATE entries SET priority = ?, parents = ?, evidence = ? WHERE number = ?"
_ADD_EVIDENCE = "UPDATE entries SET parents = ?, evidence = ? WHERE number = ?"
_ENTRY = "SELECT key, url, host, priority, depth, evidence, meta, rescored FROM entries WHERE number = ?"
_GIVE_OUT = f"UPDATE entries SET state = {State.IN_FLIGHT} WHERE number = ?"
_PUT_BACK = f"UPDATE entries SET state = {State.WAITING}, priority = ?, rescored = rescored + 1 WHERE number = ?"
_REQUEUE = f"UPDATE entries SET state = {State.WAITING}, host = ?, url = ?, meta = coalesce(?, meta) WHERE number = ?"
_FINISH = f"UPDATE entries SET state = {State.DONE} WHERE number = ?"
_DROP = f"UPDATE entries SET state = {State.DROPPED}, dropped = ? WHERE number = ?"
_REPRICE = f"UPDATE entries SET priority = ?, rescored = 0 WHERE key = ? AND state = {State.WAITING}"
_BEST = f"""SELECT key, url, host, priority, depth, evidence, meta, rescored FROM entries WHERE state = {State.WAITING}
    ORDER BY priority DESC, number LIMIT ?"""
_OUTCOME = "INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?)"
_RECOVER = f"UPDATE entries SET state = {State.WAITING} WHERE state = {State.IN_FLIGHT}"
_HEAD = f"SELECT -priority, number FROM entries WHERE state = {State.WAITING} AND host = ? ORDER BY priority DESC, number LIMIT 1"
_NEXT_HOST = f"""SELECT host, -priority, number FROM entries WHERE state = {State.WAITING} AND host > ?
    ORDER BY host, priority DESC, number LIMIT 1"""


def _entry(row: Sequence[Any]) -> Entry:
    key, url, host, priority, depth, evidence, meta, rescored = row
    return Entry(key, url, host, priority, depth, unpack(evidence), json.loads(meta) if meta else {}, None, rescored)


class _Flight(NamedTuple):
    number: int
    host: str
    priority: float
    given: float


class SqliteFrontier:
    """The contract of :class:`~topical_crawler.frontier.base.Frontier`, in a file.

    Changes gather in one open transaction, which :meth:`done`, :meth:`save` and :meth:`close` commit, and every few hundred
    pushes. A process that dies loses what came after: the entry that was out waits again, and no page that was done is given
    out again. Other processes may read the file meanwhile (WAL); a second frontier on it is refused.

    Args:
        path: the file; made where there is none. ``path.lock`` beside it shows who uses it.
        delay: seconds between two fetches of a host.
        in_flight_per_host: most entries of a host in flight.

    Raises:
        FrontierFileError: the file is in use, damaged, of another version or of something else. Also raised by every method when
            the file cannot be read or written any more; the frontier is of no use then, the file holds the last commit.
    """

    def __init__(self, path: str | os.PathLike[str], delay: float = 0.0, in_flight_per_host: int = 1) -> None:
        self._hosts = Hosts(delay, in_flight_per_host)
        self._file = Path(path)
        self._lock = FileLock(f"{self._file}.lock", timeout=0)
        self._in_flight: dict[bytes, _Flight] = {}
        self._uncommitted = 0
        if self._file.parent.is_dir():
            try:
                self._lock.acquire()
            except Timeout:
                raise FrontierFileError(
                    f"{self._file}: another crawl uses this frontier; wait for its end, or name another path"
                ) from None
        try:
            self._db = connect(self._file)
            self._read()
        except BaseException:
            self._lock.release()
            raise

    def _read(self) -> None:
        """What is kept in memory: counts and the best waiting entry of each host."""
        self._begin()
        try:
            self.recovered = self._db.execute(_RECOVER).rowcount
        except sqlite3.DatabaseError as error:
            raise broken(self._file, error) from error
        self._commit()
        self._number: int = self._rows("SELECT coalesce(max(number), 0) FROM entries")[0][0]
        self._done: int = self._rows("SELECT coalesce(max(number), 0) FROM outcomes")[0][0]
        self._waiting: int = self._rows(f"SELECT count(*) FROM entries WHERE state = {State.WAITING}")[0][0]
        reasons = self._rows(f"SELECT dropped, count(*) FROM entries WHERE state = {State.DROPPED} GROUP BY dropped")
        self._reasons: Counter[str] = Counter(dict(reasons))
        self._read_heads()

    def _read_heads(self) -> None:
        host = ""
        while found := self._rows(_NEXT_HOST, (host,)):
            host, negative, number = found[0]
            self._hosts.set_head(host, (negative, number))

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """See :meth:`Frontier.push`. All or nothing."""
        links = [check(entry) for entry in entries]
        with self._all_or_nothing():
            rows, result = self._write(links)
        self._note(rows)
        self._uncommitted += len(links)
        if self._uncommitted >= _COMMIT_EVERY:
            self._commit()
        return result

    def pop(self, now: float) -> Entry | None:
        """See :meth:`Frontier.pop`."""
        best = self._hosts.best(now)
        if best is None:
            return None
        host, (_, number) = best
        entry = _entry(self._rows(_ENTRY, (number,))[0])
        self._run(_GIVE_OUT, (number,))
        self._hosts.take(host, now, self._head(host))
        self._in_flight[entry.key] = _Flight(number, host, entry.priority, now)
        self._waiting -= 1
        return entry

    def best(self, now: float) -> float | None:
        """See :meth:`Frontier.best`."""
        best = self._hosts.best(now)
        return -best[1][0] if best is not None else None

    def wait(self, now: float) -> float | None:
        """See :meth:`Frontier.wait`."""
        return self._hosts.wait(now)

    def sent(self, key: bytes, now: float) -> None:
        """See :meth:`Frontier.sent`."""
        flight = self._flight(key)
        self._hosts.restart(flight.host, flight.given, now)
        self._in_flight[key] = flight._replace(given=now)

    def put_back(self, entry: Entry, priority: float) -> None:
        """See :meth:`Frontier.put_back`."""
        check_priority(priority, entry.url)
        flight = self._flight(entry.key)
        self._run(_PUT_BACK, (priority, flight.number))
        self._land(entry.key, give_back=True)
        self._hosts.offer(flight.host, (-priority, flight.number))
        self._waiting += 1

    def waiting(self, limit: int) -> list[Entry]:
        """See :meth:`Frontier.waiting`. Sorts all that waits: about a second for each million."""
        return [_entry(row) for row in self._rows(_BEST, (limit,))]

    def reprice(self, priorities: Mapping[bytes, float]) -> None:
        """See :meth:`Frontier.reprice`."""
        for key, priority in priorities.items():
            check_priority(priority, key.hex())
        with self._all_or_nothing():
            self._run_each(_REPRICE, [(priority, key) for key, priority in priorities.items()])
        self._read_heads()
        self._commit()

    def requeue(self, key: bytes, *, url: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        """See :meth:`Frontier.requeue`."""
        flight = self._flight(key)
        old_url = self._rows(_ENTRY, (flight.number,))[0][1]
        host = host_of(url, old_url, flight.host) if url is not None else flight.host
        self._run(_REQUEUE, (host, url or old_url, json.dumps(meta) if meta is not None else None, flight.number))
        self._land(key)
        self._hosts.offer(host, (-flight.priority, flight.number))
        self._waiting += 1

    def done(self, key: bytes, outcome: Outcome, links: Iterable[Entry] = ()) -> Pushed:
        """See :meth:`Frontier.done`. When it returns, the death of the process costs nothing of it; a loss of power may cost the
        last moments (``synchronous = NORMAL``), never the file."""
        entries = [check(entry) for entry in links]
        flight = self._flight(key)
        with self._all_or_nothing():
            self._run(_FINISH, (flight.number,))
            lesson = None if outcome.lesson is None else json.dumps(outcome.lesson, ensure_ascii=False)
            self._run(_OUTCOME, (self._done + 1, outcome.url, outcome.keep, outcome.relevance, outcome.reason, lesson))
            rows, result = self._write(entries)
        self._land(key)
        self._note(rows)
        self._done += 1
        self._commit()
        return result

    def drop(self, key: bytes, reason: str) -> None:
        """See :meth:`Frontier.drop`."""
        flight = self._flight(key)
        self._run(_DROP, (reason, flight.number))
        self._land(key, give_back=True)
        self._reasons[reason] += 1

    def set_delay(self, host: str, seconds: float) -> None:
        """See :meth:`Frontier.set_delay`. Not stored: robots.txt is read again by the next process."""
        self._hosts.set_delay(host, seconds)

    def outcomes(self, after: int = 0) -> Iterator[tuple[int, Outcome]]:
        """See :meth:`Frontier.outcomes`."""
        while rows := self._rows("SELECT * FROM outcomes WHERE number > ? ORDER BY number LIMIT ?", (after, _OUTCOMES)):
            for number, url, keep, relevance, reason, lesson in rows:
                yield number, Outcome(url, bool(keep), relevance, reason, json.loads(lesson) if lesson else None)
            after = rows[-1][0]

    def counts(self) -> dict[State, int]:
        """See :meth:`Frontier.counts`."""
        return {
            State.WAITING: self._waiting,
            State.IN_FLIGHT: len(self._in_flight),
            State.DONE: self._done,
            State.DROPPED: self._reasons.total(),
        }

    def dropped(self) -> dict[str, int]:
        """See :meth:`Frontier.dropped`."""
        return dict(+self._reasons)

    def hosts(self) -> int:
        """See :meth:`Frontier.hosts`."""
        return len(self._hosts)

    def save(self, name: str, data: Any) -> None:
        """See :meth:`Frontier.save`."""
        self._run("INSERT OR REPLACE INTO saved VALUES (?, ?)", (name, json.dumps(data)))
        self._commit()

    def load(self, name: str) -> Any:
        """See :meth:`Frontier.load`."""
        found = self._rows("SELECT data FROM saved WHERE name = ?", (name,))
        return json.loads(found[0][0]) if found else None

    def __len__(self) -> int:
        """See :meth:`Frontier.__len__`."""
        return self._waiting

    def close(self) -> None:
        """See :meth:`Frontier.close`. Entries in flight stay marked so in the file, and wait again when it is opened."""
        if self._lock.is_locked:
            self._commit()
            self._db.close()
            self._lock.release()

    def _write(self, entries: Sequence[Entry]) -> tuple[list[tuple[Row, int | None, str | None]], Pushed]:
        """Push within a transaction. Returns the rows with the state and reason they had in the file (None: not known yet)."""
        known = self._find([entry.key for entry in entries])
        before = {key: (row.state, row.dropped) for key, row in known.items()}
        result = Pushed()
        for entry in entries:
            if (row := known.get(entry.key)) is not None:
                row.meet(entry, result)
            else:
                self._number += 1
                known[entry.key] = Row.of(entry, self._number, result)
        inserts, revivals, raises, additions = [], [], [], []
        for key, row in known.items():
            evidence = (row.parents, row.evidence)
            if row.is_new:
                inserts.append((row.number, key, row.state, row.host, row.priority, row.dropped, *evidence, *row.address()))
            elif row.entry is not None:
                revivals.append((row.host, row.priority, *evidence, *row.address(), row.number))
            elif row.moved:
                raises.append((row.priority, *evidence, row.number))
            elif row.touched:
                additions.append((*evidence, row.number))
        for statement, values in ((_INSERT, inserts), (_REVIVE, revivals), (_RAISE, raises), (_ADD_EVIDENCE, additions)):
            if values:
                self._run_each(statement, values)
        return [(row, *before.get(key, (None, None))) for key, row in known.items()], result

    def _find(self, keys: list[bytes]) -> dict[bytes, Row]:
        known: dict[bytes, Row] = {}
        for start in range(0, len(keys), _KEYS):
            chunk = keys[start : start + _KEYS]
            chunk += chunk[-1:] * (_KEYS - len(chunk))
            for key, *columns in self._rows(_FIND, chunk):
                known[key] = Row(*columns)
        return known

    def _note(self, rows: Iterable[tuple[Row, int | None, str | None]]) -> None:
        """Bring counts and heads up to what was written."""
        for row, state, reason in rows:
            if row.moved:
                self._waiting += state != State.WAITING
                self._hosts.offer(row.host, (-row.priority, row.number))
                if reason is not None:
                    self._reasons[reason] -= 1
            elif state is None and row.dropped is not None:
                self._reasons[row.dropped] += 1

    def _head(self, host: str) -> Place | None:
        found = self._rows(_HEAD, (host,))
        return found[0] if found else None

    def _flight(self, key: bytes) -> _Flight:
        try:
            return self._in_flight[key]
        except KeyError:
            raise not_in_flight(key) from None

    def _land(self, key: bytes, *, give_back: bool = False) -> None:
        flight = self._in_flight.pop(key)
        (self._hosts.give_back if give_back else self._hosts.finish)(flight.host, flight.given)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        self._run("SAVEPOINT step")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK TO step")
                self._db.execute("RELEASE step")
            raise
        self._run("RELEASE step")

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._rows("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        if self._db.in_transaction:
            self._rows("COMMIT")
        self._uncommitted = 0

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise broken(self._file, error) from error

    def _run(self, sql: str, values: Sequence[Any] = ()) -> None:
        self._begin()
        self._rows(sql, values)

    def _run_each(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        try:
            self._db.executemany(sql, values)
        except sqlite3.DatabaseError as error:
            raise broken(self._file, error) from error
