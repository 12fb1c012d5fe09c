"""The corpus: every fetched page is a row, kept with its text or rejected with its reason.

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

SAID_EVERY = 10.0  # seconds between two messages that it is waited for

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_GONE = (404, 410)
_LONGEST_CHAIN = 10  # redirects and copies that are followed back from a kept page


class CorpusStore:
    """A corpus in a database, by default an SQLite file. ``name`` is its path, or its URL without the password.

    What :meth:`put` has stored survives a kill of the process (on SQLite a power failure may take the last transactions). Any
    number of processes may read and write; a text is kept once, even if several store it at once. On SQLite writers take turns;
    on PostgreSQL they wait only for writers of the same text or page. Raises CorpusError for no corpus, another version of it, or
    a database that cannot be reached.

    Args:
        target: path of an SQLite file, or URL (``postgresql+psycopg://…``) of a database; folders and tables are made if missing.
        read_only: open an existing corpus; nothing is made or changed.
        patience: seconds to wait for another writer, or for a PostgreSQL server that is away; every :data:`SAID_EVERY` seconds it
            is said. Opening for reading does not wait for a server.
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
                    write_ahead(self._engine, patience)  # only now that the file is known to be ours
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        with self._engine.connect().execution_options(**self._writes, transaction="reads") as connection:
            open_corpus(connection, self.name, read_only=self.read_only)

    def put(self, record: Record, prose: str | None = None) -> Record:
        """Store a page in place of the row with its key, which keeps its order; learn from its ``prose`` which lines
        its host repeats. Returns the record as stored, with ``content_hash`` and ``order``.

        A page whose text a kept page with another key has, literally (:func:`~topical_crawler.corpus.record.text_hash`) or nearly
        (:mod:`~topical_crawler.corpus.dedup`), is stored as rejected: reason "duplicate", ``duplicate_of`` and ``similarity``
        set, no text. The parts of an article on several pages are joined in the row of the first; the others are rejected as
        "part". Putting a page twice changes nothing, and a rejection never replaces a kept text. Raises CorpusError where it was
        not stored within ``patience`` seconds, the corpus being unchanged, or was opened for reading.
        """
        return self._store(record, prose, replaces=False)

    def replace(self, record: Record) -> Record:
        """Store a changed page of this corpus. Unlike with :meth:`put` a rejection may replace its text, and of two rows with one
        text the first is kept. Raises as :meth:`put`."""
        return self._store(record, None, replaces=True)

    def put_again(self, record: Record, prose: str | None = None) -> Record:
        """As :meth:`put`, for a page that is visited again. A text that has changed replaces the former one, which is kept
        (:meth:`former`); of one that has not, since when it is so stays known (``why["since"]``). A kept page that does not exist
        any more (404, 410) keeps its text and is marked: ``why["gone"]`` says when that was found."""
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
        """Kept pages that were found not to exist any more at a time or later, in fetch order."""
        when = pages.c.why["gone"].as_string()
        with self.reading() as connection:
            for row in connection.execute(sa.select(pages).where(pages.c.keep, when >= since).order_by(pages.c.id)).mappings():
                yield record_of(row)

    def former(self, key: str = "", since: str = "") -> Iterator[Former]:
        """The former texts of pages, or of the page of a ``key``, that were replaced at a time or later, in that order."""
        with self.reading() as connection:
            query = sa.select(versions).where(versions.c.ended >= since).order_by(versions.c.ended, versions.c.key)
            for row in connection.execute(query.where(versions.c.key == key) if key else query):
                yield Former(row.key, row.ended, row.fetched, row.title, zlib.decompress(row.packed).decode())

    def _store(self, record: Record, prose: str | None, *, replaces: bool, former: Record | None = None) -> Record:
        from topical_crawler.corpus.dedup import keep_once  # with numpy, which readers need not wait for

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
        """Run ``step`` in a write transaction of its own, again while the server is away. Raises as :meth:`put`."""
        if self.read_only:
            raise CorpusError(f"{self.name} was opened for reading. Remedy: open it without read_only")

        def write() -> _T:
            if self._writer is None:
                self._writer = self._connect_to_write()
            with self._writer.begin():
                return step(self._writer)

        return self._patiently(write, "written")

    def _patiently(self, step: Callable[[], _T], doing: str, *, drops: bool = True) -> _T:
        """Run ``step``, again for ``patience`` seconds while the server is away. It ``drops`` the writing connection then, which
        only the thread that writes may do."""
        deadline = time.monotonic() + self._patience
        pause, said = 0.0, -math.inf
        while True:
            try:
                answer = step()
            except sa.exc.DBAPIError as error:
                if drops:
                    self._drop_writer()
                now = time.monotonic()
                if now >= deadline or not is_away(error):
                    raise explained(error, self.name, doing) from None
                if now >= said + SAID_EVERY:
                    message = " ".join(str(error.orig).split())
                    logger.warning("%s is away (%s); trying again for %.0f s", self.name, message, deadline - now)
                    said = now
                pause = min(2 * pause or _FIRST_PAUSE, _LONGEST_PAUSE, deadline - now)
                time.sleep(pause)
            else:
                if pause:
                    logger.warning("%s is back", self.name)
                return answer

    def get(self, key: str) -> Record | None:
        """The record of a key, None if there is none; waits for a server that is away."""
        query = sa.select(pages).where(pages.c.key == key)
        row = self._read_patiently(lambda connection: connection.execute(query).mappings().one_or_none())
        return None if row is None else record_of(row)

    def kept_among(self, keys: Collection[str]) -> list[str]:
        """Those of some keys, a few hundred at most, whose pages are kept, in fetch order."""
        query = sa.select(pages.c.key).where(pages.c.keep, pages.c.key.in_(keys)).order_by(pages.c.id)
        with self.reading() as connection:
            return list(connection.scalars(query))

    def page(self, name: str) -> Record | None:
        """The record of the page with this number or address, of several at the address the first; None if there is none."""
        if name.isdecimal() and len(name) < 19:  # what a database takes for a number
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
        """Records that meet ``filters``, in fetch order, read as needed."""
        query = sa.select(pages).where(*conditions(filters)).order_by(pages.c.id).limit(filters.limit)
        with self.reading() as connection:
            for row in connection.execution_options(yield_per=200).execute(query).mappings():
                yield record_of(row)

    def keys(self, filters: Filters) -> Iterator[str]:
        """Keys of the rows that meet ``filters``, in fetch order."""
        query = sa.select(pages.c.key).where(*conditions(filters)).order_by(pages.c.id).limit(filters.limit)
        with self.reading() as connection:
            yield from connection.execution_options(yield_per=1000).scalars(query)

    def fetched(self, *, kept: bool = False) -> Iterator[str]:
        """URLs in the order in which they were fetched; with ``kept`` only those of kept pages."""
        query = sa.select(pages.c.url).order_by(pages.c.id)
        with self.reading() as connection:
            yield from connection.execution_options(yield_per=1000).scalars(query.where(pages.c.keep) if kept else query)

    def farther(self, near: float) -> float:
        """The share of the fetched pages that are farther in meaning from the topic's sentence than ``near``, 0 to 1."""
        known = pages.c.why["near"].as_float()
        query = sa.select(sa.func.count(sa.case((known < near, 1))), sa.func.count(known))
        below, all_pages = self._read_patiently(lambda connection: tuple(connection.execute(query).one()))
        return float(below / all_pages) if all_pages else 0.0

    def visits(self) -> Iterator[tuple[str, str, int, bool, str, str]]:
        """Of every page in fetch order: address, when it was visited last, links from a seed, whether it is kept and not gone; of
        a kept one the date of its text and the page that linked to it first, else ""."""
        columns = (pages.c.url, pages.c.fetched, pages.c.depth, pages.c.keep, pages.c.date, pages.c.why)
        with self.reading() as connection:
            for url, fetched, depth, keep, date, why in connection.execution_options(yield_per=1000).execute(
                sa.select(*columns).order_by(pages.c.id)
            ):
                found = (date, str(why.get("parent") or "")) if keep else ("", "")
                yield url, fetched, depth, keep and "gone" not in why, *found

    def visited(self, key: str, fetched: str) -> None:
        """Note that the page of a key was visited again, and has not changed. Raises as :meth:`put`."""
        if (held := self.get(key)) is not None:
            why = _lasting(held) if held.keep else held.why
            row = pages.update().where(pages.c.key == key).values(fetched=fetched, why=dict(why))
            self.change(lambda connection: connection.execute(row))

    def places(self, urls: Collection[str]) -> dict[str, list[str]]:
        """The other addresses of each kept page's text: duplicates, further parts, redirects; in fetch order."""
        found = {url: dict.fromkeys(place for row in rows for place in row[:2]) for url, rows in self.leading_to(urls).items()}
        return {url: [place for place in places if place != url] for url, places in found.items()}

    def leading_to(self, urls: Collection[str]) -> dict[str, list[tuple[str, str, str]]]:
        """For each kept page, address, final address and reason of the rejected pages that lead to it, in fetch order."""
        found: dict[str, dict[str, tuple[str, str, str]]] = {url: {} for url in urls}
        origins = {url: {url} for url in urls}  # by address, the kept pages that it leads to
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
        """Store the facts of a host in place of the former ones; from any thread. Raises CorpusError where they could not be
        stored within ``patience`` seconds."""

        def write() -> None:
            with self._connect_to_write() as connection, connection.begin():
                insert = upserting(connection.dialect.name, hosts).values(**asdict(facts))
                changes = {name: insert.excluded[name] for name in ("robots", "crawl_delay", "asked")}
                connection.execute(insert.on_conflict_do_update(index_elements=[hosts.c.host], set_=changes))

        self._patiently(write, "written", drops=False)

    def host_facts(self) -> dict[str, HostFacts]:
        """What is known of each host, by its name."""
        with self.reading() as connection:
            rows = connection.execute(sa.select(hosts).order_by(hosts.c.host)).mappings()
            return {row["host"]: HostFacts(**row) for row in rows}

    def learned(self, host: str, text: str) -> Learned:
        """See :func:`~topical_crawler.corpus.site_lines.known`; waits for a server that is away."""
        return self._read_patiently(lambda connection: site_lines.known(connection, host, text))

    def stats(self) -> Stats:
        """Counts over the whole corpus."""
        with self.reading() as connection:
            return read_stats(connection)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A read transaction, which waits for a server that is away; the database's errors become :class:`CorpusError`."""
        with explaining(self.name, "read"), self._patiently(self._engine.connect, "read") as connection, connection.begin():
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A write transaction, which waits for a server that is away; the database's errors become :class:`CorpusError`."""
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
        """Close the connections. Calling it twice is harmless."""
        self._drop_writer()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lasting(held: Record) -> dict[str, Any]:
    """What is noted of a text that is as it was: since when."""
    return {**held.why, "since": held.why.get("since") or held.fetched}


def _put_version(connection: sa.Connection, former: Former) -> None:
    values = {**asdict(former), "packed": zlib.compress(former.text.encode())}
    del values["text"]
    connection.execute(upserting(connection.dialect.name, versions).values(**values).on_conflict_do_nothing())
