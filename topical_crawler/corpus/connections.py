"""Connections to the database of a corpus by path or URL, and advice on its errors."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from topical_crawler.corpus.record import VERSION, CorpusError, meta, pages, sqlite_rows, tables, to_json
from topical_crawler.files import may_write

PATIENCE = 60.0  # seconds to wait for an unreachable or locked database
POSTGRESQL_WRITES: dict[str, Any] = {"isolation_level": "READ COMMITTED", "postgresql_readonly": False}

_AWAY = {"57P01", "57P02", "57P03", "53300", "40001", "40P01"}
"""SQLSTATEs of transient errors, beside class 08: server stopping, starting or full, or a deadlock resolved."""

_REFUSED = re.compile(r"password|role .* does not exist|database .* does not exist|pg_hba\.conf")
"""Errors of a reachable server refusing the login, not worth a retry."""

_CODES = {  # advice by PostgreSQL's SQLSTATE
    "53100": "Make room on the server's disk. Acknowledged pages are safe, and the crawl can be resumed",
    "53200": "Give the server more memory, or let fewer workers write",
    "42501": "Let the user own the database (ALTER DATABASE … OWNER TO …) or GRANT CREATE, USAGE ON SCHEMA public to it",
    "25006": "It was opened for reading, or the server is a standby. Name the primary server to write",
    "55P03": "Another connection holds the corpus. Wait for it (a copy), or end it (see pg_stat_activity)",
}

_WORDS = (  # advice by a pattern of the message, for errors without SQLSTATE: failed connections, and SQLite
    (
        "password|role .* does not exist",
        "Correct user and password in the URL (write @ : / % in a password as %40 %3A %2F %25), or leave the password out and "
        "put it into ~/.pgpass",
    ),
    ("database .* does not exist", "Create it (createdb -E UTF8 NAME), or correct the name at the end of the URL"),
    (
        "resolve|translate host|name or service|nodename|no address|temporary failure in name",
        "Correct the host in the URL, or check the name resolution of this machine",
    ),
    (
        "refused|no such file|timeout|timed out|unreachable|no route",
        "Start the server, correct host and port in the URL, and check that it listens there (listen_addresses) without a "
        "firewall in between",
    ),
    ("pg_hba.conf", "Allow this machine and user in the server's pg_hba.conf"),
    ("starting up|shutting down|too many clients|connection slots", "Try again. With many workers raise max_connections"),
    ("is locked", "Another process writes to the file. Wait for it or stop it, and use PostgreSQL for many writers"),
    ("is full", "Make room on the disk. Acknowledged pages are safe, and the crawl can be resumed"),
    (
        "readonly database",
        "It was opened for reading, or the file is write-protected. Check its permissions and those of its folder",
    ),
    ("disk i/o error|unable to open", "Check that the disk has room and works, and that the folder is writable"),
    (
        "malformed|not a database",
        "Name another file. If this was a corpus, restore a copy or rescue it with `sqlite3 FILE .recover`",
    ),
)


def is_away(error: sa.exc.DBAPIError) -> bool:
    """Return True if a retry may succeed: the server restarts, or the connection broke."""
    state = getattr(error.orig, "sqlstate", None)
    if error.connection_invalidated or state in _AWAY or (state or "").startswith("08"):
        return True
    # psycopg gives a failed connection no SQLSTATE.
    made_none = isinstance(error, sa.exc.OperationalError) and hasattr(error.orig, "sqlstate") and state is None
    return made_none and _REFUSED.search(str(error.orig)) is None


def explained(error: sa.exc.DBAPIError, place: str, doing: str) -> CorpusError:
    """Return the error to raise for a database error: ``place`` (:func:`shown`) cannot be "opened", "read" or "written"."""
    message = " ".join(str(error.orig).split())
    remedy = _CODES.get(getattr(error.orig, "sqlstate", None) or "")
    if remedy is None:
        remedies = (remedy for pattern, remedy in _WORDS if re.search(pattern, message, re.IGNORECASE))
        remedy = next(remedies, "Check that the database works and that the URL or path is right, then start again")
    return CorpusError(f"{place} cannot be {doing} ({message}). {remedy}")


@contextlib.contextmanager
def explaining(place: str, doing: str) -> Iterator[None]:
    """Turn database errors inside into :func:`explained` ones."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise explained(error, place, doing) from None


_PAUSE = 0.05  # seconds
# A writer takes the lock before searching duplicates, so that no other can store one in between.
_BEGIN = {"reads": "BEGIN", "writes": "BEGIN IMMEDIATE", "none": ""}
_SECRETS = ("password", "sslpassword")
_DRIVER = "postgresql+psycopg"
_CONNECT_ARGS: dict[str, Any] = {  # libpq's parameters, unless the URL has them
    "fallback_application_name": "topical_crawler",
    "connect_timeout": 10,
    # Notice a server that vanishes (power, network) within a minute, not hours.
    "tcp_user_timeout": 30_000,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}


def shown(target: str) -> str:
    """Return a path unchanged, a URL without its password. Raise CorpusError for a malformed URL.

    >>> shown("postgresql+psycopg://me:secret@db/corpus?sslpassword=secret")
    'postgresql+psycopg://me:***@db/corpus'
    """
    return _without_password(_parse(target)) if "://" in target else target


def open_engine(target: str, *, read_only: bool, patience: float) -> Engine:
    """Return connections to the database, with the execution option ``transaction``: "reads" (default) or "writes" on SQLite.

    Args:
        target: path of an SQLite file, or URL. Unless ``read_only``, a missing folder is created, and the file when first used.
        read_only: open an existing database for reading.
        patience: seconds to wait in a statement for another connection's lock.

    Raises:
        CorpusError: malformed URL, another database system, missing driver, or no file to read.
    """
    if (file := sqlite_file(target)) is not None:
        return _sqlite(file, read_only, patience)
    url = _parse(target)
    name = _without_password(url)
    if url.drivername not in ("postgresql", "postgres", _DRIVER):
        raise CorpusError(f"{name}: a corpus is kept in SQLite or PostgreSQL. Use a path, or {_DRIVER}://USER@HOST/DATABASE")
    defaults = {parameter: value for parameter, value in _CONNECT_ARGS.items() if parameter not in url.query}
    url = url.set(drivername=_DRIVER)
    try:
        engine = sa.create_engine(url, json_serializer=to_json, hide_parameters=True, pool_pre_ping=True, connect_args=defaults)
    except ImportError:
        raise CorpusError(f"{name}: the driver is missing. Run pip install 'topical-crawler[postgresql]'") from None
    reading = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @sa.event.listens_for(engine, "connect")
    def limit(connection: Any, _: object) -> None:
        # For the session, outside a transaction, so that it is not rolled back.
        connection.autocommit = True
        connection.execute(f"SET lock_timeout = {max(1, int(patience * 1000))}")
        connection.autocommit = False

    return reading


def sqlite_file(target: str) -> Path | None:
    """Return the SQLite file named by a path or URL, None for another database. Raise CorpusError for a URL without a file."""
    if "://" not in target:
        return Path(target)
    url = _parse(target)
    if url.get_backend_name() != "sqlite":
        return None
    if not url.database:
        raise CorpusError(f"{_without_password(url)}: a corpus needs a file. Name its path")
    return Path(url.database)


def sqlite_uri(path: Path, *, read_only: bool) -> str:
    """Return the URI of a file for SQLite."""
    # On a read-only medium SQLite cannot make the log beside the file.
    mode = "rwc" if not read_only else "ro" if may_write(path.absolute().parent) else "ro&immutable=1"
    return f"file:{quote(str(path.absolute()))}?mode={mode}"


def _sqlite(path: Path, read_only: bool, patience: float) -> Engine:
    if read_only and not path.is_file():
        raise CorpusError(f"there is no corpus at {path}")
    if not read_only:
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
    url = f"sqlite:///{sqlite_uri(path, read_only=read_only)}&uri=true"
    engine = sa.create_engine(url, json_serializer=to_json, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, _: object) -> None:
        connection.isolation_level = None  # no implicit transactions; the listener below begins them
        for pragma in (f"busy_timeout={int(patience * 1000)}", "synchronous=NORMAL", "cache_size=-4000"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        if statement := _BEGIN[connection.get_execution_options().get("transaction", "reads")]:
            sqlite_rows(connection, statement)

    return engine


def write_ahead(engine: Engine, patience: float) -> None:
    """Switch an SQLite file to write-ahead logging, so that readers do not wait for a writer."""
    deadline = time.monotonic() + patience
    with engine.connect().execution_options(transaction="none") as connection:
        while connection.exec_driver_sql("PRAGMA journal_mode").scalar() != "wal":
            try:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
                return  # also if the file system does not support it
            except sa.exc.OperationalError:  # SQLite itself does not wait for this lock
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)


def _parse(text: str) -> sa.URL:
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):  # the message may hold a part of the password
        url = None
    # An unquoted sign in user or password moves a part of the password into another field.
    torn = url is not None and url.get_backend_name() != "sqlite" and re.search("[@:]", f"{url.host or ''}{url.database or ''}")
    if url is None or torn:
        raise CorpusError(
            f"the database URL of the corpus cannot be read. Write {_DRIVER}://USER:PASSWORD@HOST:PORT/DATABASE, and in "
            "user and password @ : / % as %40 %3A %2F %25"
        )
    return url


def _without_password(url: sa.URL) -> str:
    return url.difference_update_query(_SECRETS).render_as_string(hide_password=True)


_TABLES_LOCK = 0x7063_636F_7270_7573  # PostgreSQL's advisory lock for creating the tables


def open_corpus(connection: sa.Connection, place: str, *, read_only: bool) -> None:
    """Check that the database at ``place`` holds a corpus of this version, or create one.

    Unless ``read_only``, creates the tables in an empty database, once among processes opening it at the same time.

    Raises:
        CorpusError: no corpus, or one of another version.
    """
    with connection.begin():  # before the lock: opening does not wait for writers
        if _holds_corpus(connection, place):
            return
    if read_only:
        raise _no_corpus(place)
    with connection.execution_options(transaction="writes").begin():
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TABLES_LOCK)))
        if not _holds_corpus(connection, place):  # another process may have made them
            _check_encoding(connection, place)
            tables.create_all(connection)
            connection.execute(meta.insert().values(name="version", value=str(VERSION)))


def _holds_corpus(connection: sa.Connection, place: str) -> bool:
    """Return True for a corpus of this version, False for a database without tables. Raise CorpusError for anything else."""
    present = set(sa.inspect(connection).get_table_names())
    if not present:
        return False
    if not {meta.name, pages.name} <= present:
        raise _no_corpus(place)
    version = connection.scalar(sa.select(meta.c.value).where(meta.c.name == "version"))
    if version != str(VERSION):
        raise CorpusError(
            f"{place} is a corpus of version {version}, and this program reads version {VERSION}. Use the program of that "
            "version, or name another file or database and collect anew"
        )
    return True


def _no_corpus(place: str) -> CorpusError:
    return CorpusError(f"{place} is a database but no corpus (it has no table 'pages'). Name another file or database")


def _check_encoding(connection: sa.Connection, place: str) -> None:
    if connection.dialect.name == "postgresql":
        encoding = connection.scalar(sa.text("SHOW server_encoding"))
        if encoding != "UTF8":
            raise CorpusError(
                f"{place} has the encoding {encoding}, and some texts need UTF8. Create a database with "
                "createdb -E UTF8 -T template0 NAME"
            )
