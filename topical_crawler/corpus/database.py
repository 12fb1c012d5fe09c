"""The database behind a corpus: from a path or URL to connections, and how it is named to people."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Engine

from topical_crawler.corpus.failures import CorpusError

_PAUSE = 0.05  # seconds
# A writer takes the lock before it looks for duplicates, so that no other can store one in between.
_BEGIN = {"reads": "BEGIN", "writes": "BEGIN IMMEDIATE", "none": ""}
_SECRETS = ("password", "sslpassword")
_DRIVER = "postgresql+psycopg"
_CONNECT_ARGS: dict[str, Any] = {
    "fallback_application_name": "topical_crawler",
    "connect_timeout": 10,
    # A server that vanishes without a word (power, network) is noticed within a minute, not within hours.
    "tcp_user_timeout": 30_000,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
"""libpq's parameters, where the URL does not give them."""


def shown(target: str) -> str:
    """A path as it is, a URL without its password.

    >>> shown("postgresql+psycopg://me:secret@db/corpus?sslpassword=secret")
    'postgresql+psycopg://me:***@db/corpus'

    Raises:
        CorpusError: the URL cannot be taken apart, so that nobody knows what in it is the password.
    """
    return _without_password(_parse(target)) if "://" in target else target


def open_engine(target: str, *, read_only: bool, patience: float) -> Engine:
    """Connections to the database, none of them made yet. Their execution option ``transaction`` says what a transaction does
    on SQLite: "reads", which it does where nothing is said, or "writes".

    Args:
        target: path of an SQLite file, made with its folders unless ``read_only``; or a URL.
        patience: seconds that a statement waits for another connection's lock.

    Raises:
        CorpusError: the URL is none, or of another database system; there is no such file to read.
    """
    if "://" not in target:
        return _sqlite(target, read_only, patience)
    url = _parse(target)
    name = _without_password(url)
    if url.get_backend_name() == "sqlite":
        if not url.database:
            raise CorpusError(f"{name}: a corpus needs a file. Remedy: name its path")
        return _sqlite(url.database, read_only, patience)
    if url.drivername not in ("postgresql", "postgres", _DRIVER):
        raise CorpusError(f"{name}: a corpus is kept in SQLite or PostgreSQL. Remedy: a path, or {_DRIVER}://USER@HOST/DATABASE")
    given = {parameter: value for parameter, value in _CONNECT_ARGS.items() if parameter not in url.query}
    try:
        engine = sa.create_engine(
            url.set(drivername=_DRIVER), json_serializer=_json, hide_parameters=True, pool_pre_ping=True, connect_args=given
        )
    except ImportError:
        raise CorpusError(f"{name}: the driver is missing. Remedy: pip install 'topical-crawler[postgresql]'") from None
    reading = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @sa.event.listens_for(engine, "connect")
    def limit(connection: Any, _: object) -> None:
        # For the whole session, so that no transaction asks for it anew; outside a transaction, so that it is not rolled back.
        connection.autocommit = True
        connection.execute(f"SET lock_timeout = {max(1, int(patience * 1000))}")
        connection.autocommit = False

    return reading


def _sqlite(name: str, read_only: bool, patience: float) -> Engine:
    path = Path(name).absolute()
    if read_only and not path.is_file():
        raise CorpusError(f"there is no corpus at {name}")
    if not read_only:
        path.parent.mkdir(parents=True, exist_ok=True)
    # A file that nobody can write to, on a read-only medium, is read without the log that SQLite would make beside it.
    mode = "rwc" if not read_only else "ro" if os.access(path.parent, os.W_OK) else "ro&immutable=1"
    url = f"sqlite:///file:{quote(str(path))}?mode={mode}&uri=true"
    engine = sa.create_engine(url, json_serializer=_json, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, _: object) -> None:
        connection.isolation_level = None  # the driver begins no transaction of its own; the listener below does
        for pragma in (f"busy_timeout={int(patience * 1000)}", "synchronous=NORMAL", "cache_size=-20000"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        if statement := _BEGIN[connection.get_execution_options().get("transaction", "reads")]:
            connection.exec_driver_sql(statement)

    return engine


def write_ahead(engine: Engine, patience: float) -> None:
    """Let an SQLite file have a write-ahead log, with which others read while one writes. The mode stays with the file."""
    deadline = time.monotonic() + patience
    with engine.connect().execution_options(transaction="none") as connection:
        while connection.exec_driver_sql("PRAGMA journal_mode").scalar() != "wal":
            try:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
                return  # also where the file's system has no such log
            except sa.exc.OperationalError:  # another reads or writes just now; SQLite itself does not wait for this lock
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)


def upserting(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An insert into ``table`` that can say what happens where the row is there already."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def _parse(text: str) -> sa.URL:
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):  # the text of ValueError holds what stands where the port is looked for
        url = None
    # An unquoted sign in user or password moves a part of the password into another field, where it would be shown.
    torn = url is not None and url.get_backend_name() != "sqlite" and re.search("[@:]", f"{url.host or ''}{url.database or ''}")
    if url is None or torn:
        raise CorpusError(
            f"the database URL of the corpus cannot be read. Remedy: write {_DRIVER}://USER:PASSWORD@HOST:PORT/DATABASE, and in "
            "user and password @ : / % as %40 %3A %2F %25"
        )
    return url


def _without_password(url: sa.URL) -> str:
    # Not by hide_password alone, which leaves the parameters after the question mark as they are.
    return url.difference_update_query(_SECRETS).render_as_string(hide_password=True)


def _json(value: Any) -> str:
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    try:
        text = write(value)
    except ValueError:  # NaN and infinity are no JSON, and PostgreSQL refuses them
        text = write(json.loads(json.dumps(value), parse_constant=lambda _: None))
    return text.encode("utf-8", "replace").decode("utf-8")
