"""A second look at pages rejected as off topic before the strategy had learned the topic.

A learning strategy follows its best links first, so most pages on topic arrive when it knows least. Rejected pages are set
aside on disk as they came, and judged again with later knowledge: each time the number of finished pages has doubled, and at
the end of the crawl. Nothing is fetched again. Kept texts are judged again only at the end
(:meth:`~topical_crawler.crawl.crawl.Crawl.cleaning`).
"""

from __future__ import annotations

import dataclasses
import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from topical_crawler.corpus.dedup import PART
from topical_crawler.corpus.record import CorpusError
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.files import zstd
from topical_crawler.frontier.base import Entry
from topical_crawler.items import PART_OF, PageItem
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.web.page import Page, Verdict
from topical_crawler.web.urls import fingerprint

logger = logging.getLogger(__name__)

FIRST = 1024  # finished pages before the first look: a model learned from fewer changes too much
REJUDGED = 128  # finished pages before pages are judged again without keeping any, to show the most uncertain ones
_BATCH = 200
_LET_GO = 0.05  # share of the pages dropped at once to make room
_TABLES = """
CREATE TABLE IF NOT EXISTS pages (number INTEGER PRIMARY KEY, key BLOB UNIQUE, relevance REAL, lesson TEXT, html BLOB);
CREATE INDEX IF NOT EXISTS by_relevance ON pages (relevance);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER);
"""


class AsideError(CorpusError):
    """The pages set aside cannot be read or written. The message names the file and the fix."""


class SetAside:
    """Store of pages as they came, on disk, with the strategy's lessons. Every method may raise AsideError.

    Args:
        path: an SQLite file, created with the first page. None: a temporary one, deleted with the process.
        megabytes: compressed size limit in millions of bytes. Beyond it the least relevant pages are dropped.

    >>> aside = SetAside(None, megabytes=1)
    >>> aside.put(b"k", "<title>党支部</title>", ["lesson"], 0.1)
    >>> len(aside), aside.html(b"k"), list(aside.lessons())
    (1, '<title>党支部</title>', [(b'k', ['lesson'])])
    """

    def __init__(self, path: Path | None, megabytes: float) -> None:
        self._path = path
        self._most = int(megabytes * 1_000_000)
        self._opened: sqlite3.Connection | None = None
        self._bytes = self._looked = 0
        if path is not None and path.exists() and self._most:
            self._open()

    def _open(self) -> sqlite3.Connection:
        if self._opened is None:
            with self._explaining():
                if self._path is not None:
                    self._path.parent.mkdir(parents=True, exist_ok=True)
                self._opened = sqlite3.connect(self._path or "", isolation_level=None)
                self._opened.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; {_TABLES}")
                ((self._bytes,),) = self._opened.execute("SELECT coalesce(sum(length(html) + length(lesson)), 0) FROM pages")
                ((self._looked,),) = self._opened.execute("SELECT coalesce(max(value), 0) FROM meta WHERE name = 'looked'")
        return self._opened

    def __len__(self) -> int:
        if self._opened is None:
            return 0
        with self._explaining():
            ((number,),) = self._opened.execute("SELECT count(*) FROM pages")
        return int(number)

    def put(self, key: bytes, html: str, lesson: Any, relevance: float) -> None:
        """Set a page aside, replacing any with the same key."""
        if not self._most:
            return
        source = zstd.compress(html.encode("utf-8", "surrogatepass"), 1)
        note = json.dumps(lesson, separators=(",", ":"))
        if (size := len(source) + len(note)) > self._most:
            return
        with self._changing() as db:
            self._delete(db, "key = ?", (key,))
            while self._bytes + size > self._most:
                ((n,),) = db.execute("SELECT count(*) FROM pages")
                worst = "number IN (SELECT number FROM pages ORDER BY relevance, number LIMIT ?)"
                self._delete(db, worst, (max(1, int(_LET_GO * n)),))
            db.execute("INSERT INTO pages (key, relevance, lesson, html) VALUES (?, ?, ?, ?)", (key, relevance, note, source))
            self._bytes += size

    def _delete(self, db: sqlite3.Connection, which: str, values: tuple[Any, ...]) -> None:
        gone = db.execute(f"DELETE FROM pages WHERE {which} RETURNING length(html) + length(lesson)", values).fetchall()
        self._bytes -= sum(size for (size,) in gone)

    def drop(self, key: bytes) -> None:
        """Drop a page."""
        with self._changing() as db:
            self._delete(db, "key = ?", (key,))

    def html(self, key: bytes) -> str | None:
        """Return the HTML of a page, or None if it was dropped."""
        with self._explaining():
            row = self._open().execute("SELECT html FROM pages WHERE key = ?", (key,)).fetchone()
            return zstd.decompress(row[0]).decode("utf-8", "surrogatepass") if row else None

    def lessons(self) -> Iterator[tuple[bytes, Any]]:
        """Yield the key and lesson of each page, in order of arrival."""
        with self._explaining():
            for key, lesson in self._open().execute("SELECT key, lesson FROM pages ORDER BY number"):
                yield key, json.loads(lesson)

    def relevances(self) -> dict[bytes, float]:
        """Return the latest relevance of each page."""
        with self._explaining():
            return dict(self._open().execute("SELECT key, relevance FROM pages ORDER BY number"))

    def set_relevances(self, relevances: dict[bytes, float]) -> None:
        """Update the relevance of pages."""
        with self._changing() as db:
            db.executemany("UPDATE pages SET relevance = ? WHERE key = ?", [(r, k) for k, r in relevances.items()])

    @property
    def looked(self) -> int:
        """Number of finished pages at the last look, 0 before any."""
        return self._looked

    @looked.setter
    def looked(self, finished: int) -> None:
        with self._changing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES ('looked', ?)", (finished,))
        self._looked = finished

    def close(self) -> None:
        """Close the file. Idempotent."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        db, before = self._open(), self._bytes
        with self._explaining():
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                self._bytes = before
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, zstd.ZstdError, OSError) as error:
            raise AsideError(
                f"{self._path or 'a temporary file'}: pages cannot be set aside for a second look ({error}). Make room "
                "on the disk and check that the file is writable. If it is damaged, delete it: its pages stay rejected"
            ) from None


def look_is_due(finished: int, looked: int, first: int = FIRST) -> bool:
    """Return True if a look is due during the crawl: the pages have reached a power of two since the last look.

    The result depends only on state restored on resume, so a resumed crawl behaves the same.

    Args:
        finished: number of finished pages.
        looked: the same at the last look. 0: never.
        first: least power of two.

    >>> [n for n in range(1, 10_000) if look_is_due(n, looked=n - 1)]
    [1024, 2048, 4096, 8192]
    >>> look_is_due(5000, looked=4100), look_is_due(5000, looked=4000)
    (False, True)
    """
    return finished >= first and looked < 1 << (finished.bit_length() - 1)


class SecondLook:
    """Decides on pages to set aside, on the time to look at them again, and on those to keep after all."""

    def __init__(self, aside: SetAside, strategy: Strategy, store: CorpusStore) -> None:
        self._aside = aside
        self._strategy = strategy
        self._store = store
        self._fails = self._has_looked = False

    def set_aside(self, item: PageItem) -> None:
        """Set aside a rejected page with a chance of another verdict later. On an error the crawl continues without second
        looks.
        """
        verdict = item.verdict
        if self._fails or item.reason != OFF_TOPIC or verdict is None or verdict.keep or item.page is None or not item.page.html:
            return
        if not self._strategy.may_reconsider(verdict.lesson):
            return
        try:
            self._aside.put(item.entry.key, item.page.html, verdict.lesson, verdict.relevance)
        except AsideError as error:
            self.do_without(error)

    def do_without(self, error: Exception) -> None:
        """Disable second looks in this run, because of an error."""
        logger.warning("%s. The crawl continues without second looks", error)
        self._fails = True

    def is_due(self, finished: int) -> bool:
        """Return True if a look is due in a running crawl with ``finished`` pages."""
        return not self._fails and look_is_due(finished, self._aside.looked, FIRST) and len(self._aside) > 0

    def is_due_at_end(self, finished: int) -> bool:
        """Return True if a look is due after the last page. Every run looks once, as the threshold or the topic may have
        changed.
        """
        return not self._fails and (not self._has_looked or self._aside.looked < finished) and len(self._aside) > 0

    def relevances(self) -> dict[bytes, float]:
        """Return the latest relevance of each page set aside."""
        return self._aside.relevances()

    def judge_again(self, finished: int) -> None:
        """Before the first look, judge the pages again each time the finished ones have doubled, without keeping any."""
        if not self._fails and finished < FIRST and look_is_due(finished, self._aside.looked, REJUDGED) and len(self._aside):
            try:
                self._now()
                self._aside.looked = finished
            except AsideError as error:
                self.do_without(error)

    def _now(self) -> dict[bytes, Verdict]:
        now: dict[bytes, Verdict] = {}
        lessons = self._aside.lessons()
        while pages := list(islice(lessons, _BATCH)):
            verdicts = self._strategy.reconsider([lesson for _, lesson in pages])
            now |= {key: verdict for (key, _), verdict in zip(pages, verdicts, strict=True) if verdict is not None}
        self._aside.set_relevances({key: verdict.relevance for key, verdict in now.items()})
        return now

    def items(self) -> Iterator[PageItem]:
        """Yield the pages judged on topic now, in order of arrival, for the item pipelines and :meth:`done`."""
        now = self._now()
        for key in [key for key, verdict in now.items() if verdict.keep]:
            item = self._item(key, now[key])
            if item is None:
                continue
            yield item
            if item.reason in ("", PART):
                for further in map(fingerprint, item.parts):  # further parts belong to the article whatever their relevance
                    if (verdict := now.get(further)) and (part := self._item(further, verdict, item.found["series"])):
                        yield part

    def _item(self, key: bytes, verdict: Verdict, series: str = "") -> PageItem | None:
        """Build the item of a page, or return None if it is gone or has another row now. ``series`` is the article it
        continues, if any.
        """
        row, html = self._store.get(key.hex()), self._aside.html(key)
        if row is None or row.reason != OFF_TOPIC or html is None:
            self._aside.drop(key)
            return None
        verdict = dataclasses.replace(verdict, keep=True, why=row.why.get("terms", {}))
        entry = Entry(key, row.url, row.host, row.priority, row.depth, meta={PART_OF: series} if series else {})
        page = Page.from_html(row.final_url, html, row.encoding)
        return PageItem(
            entry, row.final_url, row.fetched, row.status, row.size, page=page, verdict=verdict, first=row, as_part=bool(series)
        )

    def done(self, item: PageItem) -> None:
        """Drop a page after a look, once its row is stored."""
        self._aside.drop(item.entry.key)

    def looked(self, finished: int) -> None:
        """Record that all pages were looked at, with ``finished`` pages of the crawl."""
        self._aside.looked = finished
        self._has_looked = True

    def close(self) -> None:
        """Close the file."""
        self._aside.close()
