"""The SQL of the SQLite frontier. What waits is reached by the index of hosts and places (``schema``)."""

from __future__ import annotations

from topical_crawler.frontier.base import NO_ROOM, State

KEYS = 64
"""Keys per look-up; shorter lists are filled up, so that one prepared statement serves all."""

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
