"""Corpus store, with a row for every fetched page, kept with its text or rejected with its reason.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder, CorpusStore(f"{folder}/corpus.sqlite") as store:
...     first = store.put(Record(url="http://a.cn/1.html", host="a.cn", keep=True, text="主题教育", relevance=0.8))
...     again = store.put(Record(url="http://b.cn/2.html", host="b.cn", keep=True, text="主题教育。", relevance=0.8))
...     first.order, again.order, again.reason, again.duplicate_of, again.text
(1, 2, 'duplicate', 'http://a.cn/1.html', None)
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import time
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, replace
from typing import Any, Self, TypeVar

import sqlalchemy as sa

from topical_crawler.cleaning.boilerplate import Learned
from topical_crawler.corpus import site_lines
from topical_crawler.corpus.connections import (
    PATIENCE,
    POSTGRESQL_WRITES,
    explained,
    explaining,
    is_away,
    open_corpus,
    open_engine,
    shown,
    write_ahead,
)
from topical_crawler.corpus.record import (
    CorpusError,
    Filters,
    Former,
    HostFacts,
    Record,
    conditions,
    hosts,
    pages,
    record_of,
    storable,
    upserting,
    versions,
)
from topical_crawler.corpus.stats import Stats, read_stats
from topical_crawler.web.urls import fingerprint

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

WARN_EVERY = 10.0  # seconds between two warnings about an unreachable server

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_GONE = (404, 410)
_LONGEST_CHAIN = 10  # redirects and copies followed back from a kept page


class CorpusStore:
    """Corpus in a database, by default an SQLite file. ``name`` is its path, or its URL without the password.

    Pages stored by :meth:`put` survive a kill of the process (on SQLite a power failure may lose the last transactions). Any
    number of processes may read and write, and a text is kept once even if several store it at the same time. On SQLite writers
    take turns. On PostgreSQL they wait only for writers of the same text or page.

    Args:
        target: path of an SQLite file, or URL (``postgresql+psycopg://…``) of a database. Missing folders and tables are created.
        read_only: open an existing corpus without creating or changing anything.
        patience: seconds to wait for another writer, or for an unreachable PostgreSQL server, with a warning every
            :data:`WARN_EVERY` seconds. Opening for reading does not wait for a server.

    Raises:
        CorpusError: no corpus, one of another version, or an unreachable database.
    """

    def __init__(self, target: str | os.PathLike[str], *, read_only: bool = False, patience: float = PATIENCE) -> None:
        self.name = shown(os.fspath(target))
        self.read_only = read_only
        self._patience = patience
        self._engine = open_engine(os.fspath(target), read_only=read_only, patience=patience)
        dialect = self._engine.dialect.name
        self._writes = POSTGRESQL_WRITES if dialect == "postgresql" and not read_only else {}
        self._writer: sa.Connection | None = None
        try:
            with explaining(self.name, "opened"):
                if read_only:
                    self._open()
                else:
                    self._patiently(self._open, "opened")
                if dialect == "sqlite" and not read_only:
                    write_ahead(self._engine, patience)  # only now is the file known to be ours
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        with self._engine.connect().execution_options(**self._writes, transaction="reads") as connection:
            open_corpus(connection, self.name, read_only=self.read_only)

    def put(self, record: Record, prose: str | None = None) -> Record:
        """Store a page in place of the row with its key, keeping the order of that row. Idempotent.

        A text held by a kept page with another key, literally (:func:`~topical_crawler.corpus.record.text_hash`) or nearly
        (:mod:`~topical_crawler.corpus.dedup`), is rejected: reason "duplicate", with ``duplicate_of`` and ``similarity``, without
        text. The parts of an article on several pages are joined in the row of the first, and the others are rejected as "part".
        A rejection never replaces a kept text.

        Args:
            record: the page.
            prose: prose as extracted, to learn lines repeated by the host from it.

        Returns:
            The record as stored, with ``content_hash`` and ``order``.

        Raises:
            CorpusError: not stored within ``patience`` seconds (the corpus is unchanged), or opened for reading.
        """
        return self._store(record, prose, replaces=False)

    def replace(self, record: Record) -> Record:
        """Store a changed page of this corpus. Raise like :meth:`put`.

        Unlike with :meth:`put`, a rejection may replace its text, and of two rows with one text the first is kept.
        """
        return self._store(record, None, replaces=True)

    def put_again(self, record: Record, prose: str | None = None) -> Record:
        """Store a revisited page like :meth:`put`, with its history.

        A changed text replaces the former one, which is kept (:meth:`former`). An unchanged text keeps the time of its first
        fetch in ``why["since"]``. A kept page gone meanwhile (404, 410) keeps its text, and ``why["gone"]`` notes when that was
        found.
        """
        held = self.get(record.key)
        if held is None or not held.keep:
            return self.put(record, prose)
        if not record.keep:
            if record.status in _GONE and "gone" not in held.why:
                why = {**held.why, "gone": record.fetched}
                self.change(lambda connection: connection.execute(pages.update().where(pages.c.key == held.key).values(why=why)))
            return self.put(record, prose)
        if storable(record).content_hash == held.content_hash:
            return self.put(replace(record, why={**record.why, "since": _lasting(held)["since"]}), prose)
        return self._store(record, prose, replaces=False, former=held)

    def gone(self, since: str = "") -> Iterator[Record]:
        """Yield the kept pages found gone at a time or later, in fetch order."""
        when = pages.c.why["gone"].as_string()
        with self.reading() as connection:
            for row in connection.execute(sa.select(pages).where(pages.c.keep, when >= since).order_by(pages.c.id)).mappings():
                yield record_of(row)

    def former(self, key: str = "", since: str = "") -> Iterator[Former]:
        """Yield former texts replaced at a time or later, in that order, of all pages or of the page with a ``key``."""
        with self.reading() as connection:
            query = sa.select(versions).where(versions.c.ended >= since).order_by(versions.c.ended, versions.c.key)
            for row in connection.execute(query.where(versions.c.key == key) if key else query):
                yield Former(row.key, row.ended, row.fetched, row.title, zlib.decompress(row.packed).decode())

    def _store(self, record: Record, prose: str | None, *, replaces: bool, former: Record | None = None) -> Record:
        from topical_crawler.corpus.dedup import keep_once  # imports numpy, not needed by readers

        record = storable(record)

        def write(connection: sa.Connection) -> Record:
            stored, is_new = keep_once(connection, record, replaces=replaces)
            if prose is not None and is_new and stored.keep:
                site_lines.learn(connection, record.host, prose)
            if former is not None and stored.keep:
                _put_version(connection, Former(former.key, record.fetched, former.fetched, former.title, former.text or ""))
            return stored

        return self.change(write)

    def change(self, step: Callable[[sa.Connection], _T]) -> _T:
        """Run ``step`` in a write transaction of its own, retrying while the server is unreachable. Raise like :meth:`put`."""
        if self.read_only:
            raise CorpusError(f"{self.name} was opened for reading. Open it without read_only")

        def write() -> _T:
            if self._writer is None:
                self._writer = self._connect_to_write()
            with self._writer.begin():
                return step(self._writer)

        return self._patiently(write, "written")

    def _patiently(self, step: Callable[[], _T], doing: str, *, drops: bool = True) -> _T:
        """Run ``step``, retrying for ``patience`` seconds while the server is unreachable.

        With ``drops``, closes the writing connection before a retry. Only the writing thread may do so.
        """
        deadline = time.monotonic() + self._patience
        pause, warned = 0.0, -math.inf
        while True:
            try:
                answer = step()
            except sa.exc.DBAPIError as error:
                if drops:
                    self._drop_writer()
                now = time.monotonic()
                if now >= deadline or not is_away(error):
                    raise explained(error, self.name, doing) from None
                if now >= warned + WARN_EVERY:
                    message = " ".join(str(error.orig).split())
                    logger.warning("%s is away (%s); trying again for %.0f s", self.name, message, deadline - now)
                    warned = now
                pause = min(2 * pause or _FIRST_PAUSE, _LONGEST_PAUSE, deadline - now)
                time.sleep(pause)
            else:
                if pause:
                    logger.warning("%s is back", self.name)
                return answer

    def get(self, key: str) -> Record | None:
        """Return the record of a key, or None. Waits for an unreachable server."""
        query = sa.select(pages).where(pages.c.key == key)
        row = self._read_patiently(lambda connection: connection.execute(query).mappings().one_or_none())
        return None if row is None else record_of(row)

    def kept_among(self, keys: Collection[str]) -> list[str]:
        """Return those of some keys (a few hundred at most) with kept pages, in fetch order."""
        query = sa.select(pages.c.key).where(pages.c.keep, pages.c.key.in_(keys)).order_by(pages.c.id)
        with self.reading() as connection:
            return list(connection.scalars(query))

    def page(self, name: str) -> Record | None:
        """Return the record of the page with this number or address, or None. Of several at the address, the first."""
        if name.isdecimal() and len(name) < 19:  # the range of a database's integer
            found: sa.ColumnElement[bool] = pages.c.id == int(name)
        elif record := self.get(fingerprint(name).hex()):
            return record
        else:
            found = sa.or_(pages.c.url == name, pages.c.final_url == name)
        with self.reading() as connection:
            row = connection.execute(sa.select(pages).where(found).order_by(pages.c.id).limit(1)).mappings().one_or_none()
        return None if row is None else record_of(row)

    def _read_patiently(self, read: Callable[[sa.Connection], _T]) -> _T:
        def step() -> _T:
            with self._engine.connect() as connection, connection.begin():
                return read(connection)

        return self._patiently(step, "read")

    def records(self, filters: Filters = Filters()) -> Iterator[Record]:  # noqa: B008 - immutable
        """Yield records meeting ``filters``, in fetch order, read as needed."""
        query = sa.select(pages).where(*conditions(filters)).order_by(pages.c.id).limit(filters.limit)
        with self.reading() as connection:
            for row in connection.execution_options(yield_per=200).execute(query).mappings():
                yield record_of(row)

    def keys(self, filters: Filters) -> Iterator[str]:
        """Yield keys of the rows meeting ``filters``, in fetch order."""
        query = sa.select(pages.c.key).where(*conditions(filters)).order_by(pages.c.id).limit(filters.limit)
        with self.reading() as connection:
            yield from connection.execution_options(yield_per=1000).scalars(query)

    def fetched(self, *, kept: bool = False) -> Iterator[str]:
        """Yield URLs in fetch order, with ``kept`` only those of kept pages."""
        query = sa.select(pages.c.url).order_by(pages.c.id)
        with self.reading() as connection:
            yield from connection.execution_options(yield_per=1000).scalars(query.where(pages.c.keep) if kept else query)

    def farther(self, near: float) -> float:
        """Return the share of the fetched pages farther in meaning from the topic's sentence than ``near``, 0 to 1."""
        known = pages.c.why["near"].as_float()
        query = sa.select(sa.func.count(sa.case((known < near, 1))), sa.func.count(known))
        below, all_pages = self._read_patiently(lambda connection: tuple(connection.execute(query).one()))
        return float(below / all_pages) if all_pages else 0.0

    def visits(self) -> Iterator[tuple[str, str, int, bool, str, str]]:
        """Yield every page in fetch order: address, last visit, links from a seed, True if kept and not gone, date, parent.

        Date of the text and first linking page are "" unless the page is kept.
        """
        columns = (pages.c.url, pages.c.fetched, pages.c.depth, pages.c.keep, pages.c.date, pages.c.why)
        with self.reading() as connection:
            for url, fetched, depth, keep, date, why in connection.execution_options(yield_per=1000).execute(
                sa.select(*columns).order_by(pages.c.id)
            ):
                found = (date, str(why.get("parent") or "")) if keep else ("", "")
                yield url, fetched, depth, keep and "gone" not in why, *found

    def visited(self, key: str, fetched: str) -> None:
        """Note a revisit of the page of a key without a change. Raise like :meth:`put`."""
        if (held := self.get(key)) is not None:
            why = _lasting(held) if held.keep else held.why
            row = pages.update().where(pages.c.key == key).values(fetched=fetched, why=dict(why))
            self.change(lambda connection: connection.execute(row))

    def places(self, urls: Collection[str]) -> dict[str, list[str]]:
        """Return the other addresses of each kept page's text: duplicates, further parts, redirects, in fetch order."""
        found = {url: dict.fromkeys(place for row in rows for place in row[:2]) for url, rows in self.leading_to(urls).items()}
        return {url: [place for place in places if place != url] for url, places in found.items()}

    def leading_to(self, urls: Collection[str]) -> dict[str, list[tuple[str, str, str]]]:
        """Return address, final address and reason of the rejected pages leading to each kept page, in fetch order."""
        found: dict[str, dict[str, tuple[str, str, str]]] = {url: {} for url in urls}
        origins = {url: {url} for url in urls}  # kept pages reached from an address
        with self.reading() as connection:
            for _ in range(_LONGEST_CHAIN):
                query = sa.select(pages.c.url, pages.c.final_url, pages.c.reason, pages.c.duplicate_of).where(
                    pages.c.duplicate_of.in_(origins), pages.c.duplicate_of != ""
                )
                further: dict[str, set[str]] = {}
                for url, final_url, reason, target in connection.execute(query.order_by(pages.c.id)):
                    for origin in origins[target]:
                        if url not in found[origin]:
                            found[origin][url] = url, final_url, reason
                            further.setdefault(url, set()).add(origin)
                if not further:
                    break
                origins = further
        return {url: list(rows.values()) for url, rows in found.items()}

    def note_host(self, facts: HostFacts) -> None:
        """Store the facts of a host in place of the former ones, from any thread.

        Raises:
            CorpusError: not stored within ``patience`` seconds.
        """

        def write() -> None:
            with self._connect_to_write() as connection, connection.begin():
                insert = upserting(connection.dialect.name, hosts).values(**asdict(facts))
                changes = {name: insert.excluded[name] for name in ("robots", "crawl_delay", "asked")}
                connection.execute(insert.on_conflict_do_update(index_elements=[hosts.c.host], set_=changes))

        self._patiently(write, "written", drops=False)

    def host_facts(self) -> dict[str, HostFacts]:
        """Return the facts of each host, by its name."""
        with self.reading() as connection:
            rows = connection.execute(sa.select(hosts).order_by(hosts.c.host)).mappings()
            return {row["host"]: HostFacts(**row) for row in rows}

    def learned(self, host: str, text: str) -> Learned:
        """Return the known lines, see :func:`~topical_crawler.corpus.site_lines.known`. Waits for an unreachable server."""
        return self._read_patiently(lambda connection: site_lines.known(connection, host, text))

    def stats(self) -> Stats:
        """Return counts over the whole corpus."""
        with self.reading() as connection:
            return read_stats(connection)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a read transaction, waiting for an unreachable server. Database errors become :class:`CorpusError`."""
        with explaining(self.name, "read"), self._patiently(self._engine.connect, "read") as connection, connection.begin():
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Open a write transaction, waiting for an unreachable server. Database errors become :class:`CorpusError`."""
        with (
            explaining(self.name, "written"),
            self._patiently(self._connect_to_write, "written") as connection,
            connection.begin(),
        ):
            yield connection

    def _connect_to_write(self) -> sa.Connection:
        return self._engine.connect().execution_options(**self._writes, transaction="writes")

    def _drop_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def close(self) -> None:
        """Close the connections. Idempotent."""
        self._drop_writer()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lasting(held: Record) -> dict[str, Any]:
    """Return the notes on an unchanged text, with the time of its first fetch."""
    return {**held.why, "since": held.why.get("since") or held.fetched}


def _put_version(connection: sa.Connection, former: Former) -> None:
    values = {**asdict(former), "packed": zlib.compress(former.text.encode())}
    del values["text"]
    connection.execute(upserting(connection.dialect.name, versions).values(**values).on_conflict_do_nothing())
