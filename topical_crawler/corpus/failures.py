"""What went wrong with a corpus, in words that help: the place, the cause as the database tells it, and the remedy."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import sqlalchemy as sa


class CorpusError(Exception):
    """A corpus that cannot be opened, read or written; the message names it and says what to do."""


_AWAY = {"57P01", "57P02", "57P03", "53300", "40001", "40P01"}
"""SQLSTATEs, beside class 08, of what passes by itself: the server stops or starts, has no connection free, or chose this
transaction to end a deadlock."""

_CODES = {
    "53100": "make room on the server's disk; what was acknowledged is safe, and the crawl can be resumed",
    "53200": "give the server more memory, or let fewer workers write",
    "42501": "let the user own the database (ALTER DATABASE … OWNER TO …) or GRANT CREATE, USAGE ON SCHEMA public to it",
    "25006": "it was opened for reading, or the server is a standby; name the primary server to write",
    "55P03": "another connection holds the corpus; wait for it (a copy, an upgrade), or end it (see pg_stat_activity)",
}
"""Remedies by PostgreSQL's SQLSTATE."""

# Of a connection that fails the client library knows nothing but the server's words.
_WORDS = (
    (
        "password|role .* does not exist",
        "correct user and password in the URL (in a password @ : / % are written %40 %3A %2F %25), or leave the password out and "
        "put it into ~/.pgpass",
    ),
    ("database .* does not exist", "make it (createdb -E UTF8 NAME), or correct the name at the end of the URL"),
    (
        "resolve|translate host|name or service|nodename|no address|temporary failure in name",
        "correct the host in the URL, or see that this machine can look names up",
    ),
    (
        "refused|no such file|timeout|timed out|unreachable|no route",
        "start the server, correct host and port in the URL, and see that it listens there (listen_addresses) and no firewall "
        "stands between",
    ),
    ("pg_hba.conf", "allow this machine and user in the server's pg_hba.conf"),
    ("starting up|shutting down|too many clients|connection slots", "try again; with many workers raise max_connections"),
    ("is locked", "another process writes to the file; wait for it or stop it, and use PostgreSQL for many writers"),
    ("is full", "make room on the disk; what was acknowledged is safe, and the crawl can be resumed"),
    (
        "readonly database",
        "it was opened for reading, or the file may not be written; see its permissions and those of its folder",
    ),
    ("disk i/o error|unable to open", "see that the disk has room and works, and that the folder may be written"),
    (
        "malformed|not a database",
        "name another file; or, if this was a corpus, restore a copy or rescue it with `sqlite3 FILE .recover`",
    ),
)
"""Remedies by a pattern of the message."""


def is_away(error: sa.exc.DBAPIError) -> bool:
    """Whether the same may succeed a little later, because the server restarts or the connection to it broke."""
    state = getattr(error.orig, "sqlstate", None)
    if error.connection_invalidated or state in _AWAY or (state or "").startswith("08"):
        return True
    # psycopg gives a connection that could not be made no SQLSTATE.
    return isinstance(error, sa.exc.OperationalError) and hasattr(error.orig, "sqlstate") and state is None


def explained(error: sa.exc.DBAPIError, place: str, doing: str) -> CorpusError:
    """The error to raise for one of the database.

    Args:
        place: the corpus as it is shown to people (:func:`~topical_crawler.corpus.database.shown`).
        doing: what cannot be done: "opened", "read", "written".
    """
    said = " ".join(str(error.orig).split())
    remedy = _CODES.get(getattr(error.orig, "sqlstate", None) or "")
    if remedy is None:
        found = (remedy for pattern, remedy in _WORDS if re.search(pattern, said, re.IGNORECASE))
        remedy = next(found, "see that the database works and that the URL or path is right, then start again")
    return CorpusError(f"{place} cannot be {doing} ({said}). Remedy: {remedy}")


@contextlib.contextmanager
def explaining(place: str, doing: str) -> Iterator[None]:
    """Errors of the database inside become :class:`CorpusError`; the arguments are those of :func:`explained`."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise explained(error, place, doing) from None
