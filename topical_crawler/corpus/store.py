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
import os
import time
from collections.abc import Callable, Collection, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

import sqlalchemy as sa

from topical_crawler.cleaning.boilerplate import Learned
from topical_crawler.corpus import make
from topical_crawler.corpus.dedup import keep_once
from topical_crawler.corpus.record import Filters, PageLines, Record, conditions, record_of, storable
from topical_crawler.corpus.schema import (
    CorpusError,
    explained,
    explaining,
    is_away,
    open_engine,
    open_for_reading,
    open_for_writing,
    pages,
    shown,
    write_ahead,
)
from topical_crawler.corpus.stats import Stats, read_stats

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

PATIENCE = 60.0  # seconds to wait for a database that is away or locked

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_POSTGRESQL_WRITES: dict[str, Any] = {"isolation_level": "READ COMMITTED", "postgresql_readonly": False}
_LONGEST_CHAIN = 10  # redirects and copies that are followed back from a kept page


class CorpusStore:
    """A corpus in a database, by default an SQLite file.

    What :meth:`put` has stored survives a kill of the process (on SQLite a power failure may take the last transactions). Any
    number of processes may read and write; a text is kept once, even if several store it at once. On SQLite writers take turns;
    on PostgreSQL they wait only for writers of the same text or page.

    Args:
        target: path of an SQLite file, or URL (``postgresql+psycopg://…``) of a database; folders and tables are made if missing.
        read_only: open an existing corpus; nothing is made or changed.
        patience: seconds that :meth:`put` waits for another writer, or for a PostgreSQL server that has gone away.

    Attributes:
        name: the path, or the URL without its password.

    Raises:
        CorpusError: no corpus, another version of it, or a database that cannot be reached.
    """

    def __init__(self, target: str | os.PathLike[str], *, read_only: bool = False, patience: float = PATIENCE) -> None:
        self.name = shown(os.fspath(target))
        self.read_only = read_only
        self._patience = patience
        self._engine = open_engine(os.fspath(target), read_only=read_only, patience=patience)
        dialect = self._engine.dialect.name
        self._writes = _POSTGRESQL_WRITES if dialect == "postgresql" and not read_only else {}
        self._writer: sa.Connection | None = None
        try:
            with explaining(self.name, "opened"):
                if read_only:
                    with self._engine.connect() as connection:
                        open_for_reading(connection, self.name)
                else:
                    with self._engine.connect().execution_options(**self._writes, transaction="reads") as connection:
                        open_for_writing(connection, self.name)
                    if dialect == "sqlite":
                        write_ahead(self._engine, patience)  # only now that the file is known to be ours
        except BaseException:
            self.close()
            raise

    def put(self, record: Record, lines: PageLines | None = None) -> Record:
        """Store a page in place of the row with its key, which keeps its order; learn the ``lines`` that its host repeats.

        A page whose text a kept page with another key has, literally (:func:`~topical_crawler.corpus.record.text_hash`) or nearly
        (:mod:`~topical_crawler.corpus.dedup`), is stored as rejected: reason "duplicate", ``duplicate_of`` and ``similarity``
        set, no text. The parts of an article on several pages are joined in the row of the first; the others are rejected as
        "part". Putting a page twice changes nothing, and a rejection never replaces a kept text.

        Returns:
            The record as stored, with ``content_hash`` and ``order``.

        Raises:
            CorpusError: not stored within ``patience`` seconds, the corpus is unchanged; or it was opened for reading.
        """
        return self._store(record, lines, replaces=False)

    def replace(self, record: Record) -> Record:
        """Store a changed page of this corpus. Unlike with :meth:`put` a rejection may replace its text, and of two rows with one
        text the first is kept.

        Raises:
            CorpusError: as :meth:`put`.
        """
        return self._store(record, None, replaces=True)

    def _store(self, record: Record, lines: PageLines | None, *, replaces: bool) -> Record:
        record = storable(record)
        if self.read_only:
            raise CorpusError(f"{self.name} was opened for reading. Remedy: open it without read_only")

        def write() -> Record:
            if self._writer is None:
                self._writer = self._engine.connect().execution_options(**self._writes, transaction="writes")
            with self._writer.begin():
                stored, is_new = keep_once(self._writer, record, replaces=replaces)
                if lines is not None and is_new and stored.keep:
                    make.learn(self._writer, record.host, lines.text, lines.removed)
            return stored

        return self._patiently(write, "written")

    def _patiently(self, step: Callable[[], _T], doing: str) -> _T:
        """Run ``step``, again for ``patience`` seconds while the server is away."""
        deadline = time.monotonic() + self._patience
        pause = 0.0
        while True:
            try:
                answer = step()
            except sa.exc.DBAPIError as error:
                self._drop_writer()
                remaining = deadline - time.monotonic()
                if remaining <= 0 or not is_away(error):
                    raise explained(error, self.name, doing) from None
                if not pause:
                    message = " ".join(str(error.orig).split())
                    logger.warning("%s has gone away (%s); trying again for %.0f s", self.name, message, self._patience)
                pause = min(2 * pause or _FIRST_PAUSE, _LONGEST_PAUSE, remaining)
                time.sleep(pause)
            else:
                if pause:
                    logger.warning("%s is back", self.name)
                return answer

    def get(self, key: str) -> Record | None:
        """The record of a key, None if there is none; waits for a server that is away."""

        def read() -> Any:
            with self._engine.connect() as connection, connection.begin():
                return connection.execute(sa.select(pages).where(pages.c.key == key)).mappings().one_or_none()

        row = self._patiently(read, "read")
        return None if row is None else record_of(row)

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

    def places(self, urls: Collection[str]) -> dict[str, list[str]]:
        """The other addresses of each kept page's text: duplicates, further parts, redirects; in fetch order."""
        further_urls: dict[str, dict[str, None]] = {url: {} for url in urls}
        origins = {url: {url} for url in urls}  # by address, the kept pages that it leads to
        with self.reading() as connection:
            for _ in range(_LONGEST_CHAIN):
                query = sa.select(pages.c.url, pages.c.final_url, pages.c.duplicate_of).where(
                    pages.c.duplicate_of.in_(origins), pages.c.duplicate_of != ""
                )
                further: dict[str, set[str]] = {}
                for url, final_url, target in connection.execute(query.order_by(pages.c.id)):
                    for origin in origins[target]:
                        if url not in further_urls[origin]:
                            further_urls[origin] |= {url: None, final_url: None}
                            further.setdefault(url, set()).add(origin)
                if not further:
                    break
                origins = further
        return {url: [place for place in seen if place != url] for url, seen in further_urls.items()}

    def learned(self, host: str, text: str) -> Learned:
        """See :func:`~topical_crawler.corpus.make.known`."""
        with self.reading() as connection:
            return make.known(connection, host, text)

    def stats(self) -> Stats:
        """Counts over the whole corpus."""
        with self.reading() as connection:
            return read_stats(connection)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A read transaction; errors of the database inside become :class:`CorpusError`."""
        with explaining(self.name, "read"), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A write transaction; errors of the database inside become :class:`CorpusError`."""
        with (
            explaining(self.name, "written"),
            self._engine.connect().execution_options(**self._writes, transaction="writes") as connection,
            connection.begin(),
        ):
            yield connection

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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
