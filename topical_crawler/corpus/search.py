"""Reader's view of a corpus: its pages as a table, and full-text search.

The search index grows with the corpus: SQLite's FTS5 in a file of its own, PostgreSQL's full text search in a table beside the
pages. It finds every string of Chinese characters, regardless of width, case and script: simplified finds traditional.

>>> import tempfile
>>> from topical_crawler.corpus.record import Record
>>> from topical_crawler.corpus.store import CorpusStore
>>> with tempfile.TemporaryDirectory() as folder:
...     with CorpusStore(f"{folder}/corpus.sqlite") as store:
...         stored = store.put(Record(url="http://a.cn/1.html", host="a.cn", keep=True, text="社會主義市場經濟體制"))
...     with open_index(f"{folder}/corpus.sqlite", Path(folder)) as index:
...         updated = index.update()
...         index.search(parse_query("市场经济 -計劃"), Filters(), 10).hits[0].lines
(Line(left='社會主義', match='市場經濟', right='體制'),)
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from operator import add
from pathlib import Path
from typing import Any, Self

import sqlalchemy as sa

from topical_crawler.cleaning.characters import to_simplified
from topical_crawler.corpus.connections import (
    PATIENCE,
    POSTGRESQL_WRITES,
    explaining,
    open_engine,
    shown,
    sqlite_file,
    sqlite_uri,
)
from topical_crawler.corpus.record import CorpusError, Filters, conditions, pages, upserting
from topical_crawler.files import beside
from topical_crawler.text.segment import normalise

# -- Pages as a table

SORTS = {
    "number": pages.c.id,
    "date": pages.c.date.desc(),
    "relevance": pages.c.relevance.desc(),
    "characters": pages.c.characters.desc(),
    "host": pages.c.host,
}
"""Sort orders of pages by name. Numbers and hosts ascend, the others descend."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Page as a table row, with fields of a :class:`~topical_crawler.corpus.record.Record`. ``number`` is its order."""

    number: int
    url: str
    host: str
    date: str
    relevance: float
    characters: int
    title: str
    kind: str
    reason: str


_SUMMARY = [pages.c.id, *(pages.c[name] for name in Summary.__slots__[1:])]


def listed(
    connection: sa.Connection,
    filters: Filters,
    sort: str = "number",
    limit: int | None = None,
    *,
    offset: int = 0,
    counted: bool = True,
) -> tuple[list[Summary], int]:
    """Return ``limit`` pages after ``offset``, and the number of all pages meeting ``filters``.

    Args:
        connection: to the corpus.
        filters: conditions on the pages.
        sort: one of :data:`SORTS`.
        limit: most pages, None for all.
        offset: pages to skip.
        counted: False returns -1 for the number, and saves reading all pages.
    """
    chosen = list(conditions(filters))
    total = (connection.scalar(sa.select(sa.func.count()).select_from(pages).where(*chosen)) or 0) if counted else -1
    best = sa.select(*_SUMMARY).where(*chosen).order_by(SORTS[sort], pages.c.id)
    return [Summary(*row) for row in connection.execute(best.limit(limit).offset(offset))], total


# -- Text in the index

_CJK = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]").match
_LONGEST = 100  # characters of a token


class _Folding(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = folded = to_simplified(normalise(chr(code)))
        return folded


_folding = _Folding()  # character by character, so that a part of a text is folded like the whole


def fold(text: str) -> str:
    """Fold differences of width, case and script in ``text``.

    >>> fold("Ｌｉｎｕｘ內核")
    'linux内核'
    """
    return text.translate(_folding)


def _runs(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words of a folded text with their places. A run of Chinese characters is one word."""
    return ((match[0], match.start()) for match in _RUN.finditer(text))


def tokens_of(text: str) -> Iterator[tuple[str, int]]:
    """Yield the index tokens of a folded text with their places.

    Chinese runs become overlapping pairs of characters, so that any string of them is found anywhere. Latin letters and digits
    become words.

    >>> [token for token, place in tokens_of("linux内核态")]
    ['linux', '内核', '核态', '态']
    """
    for run, place in _runs(text):
        if _IS_CJK(run):
            yield from zip((*map(add, run, run[1:]), run[-1]), count(place), strict=False)
        else:
            yield run[:_LONGEST], place


def _line(text: str) -> str:
    """Return the tokens of a folded text, separated by blanks."""
    runs = _RUN.findall(text)  # without their places it takes half the time
    return " ".join([" ".join((*map(add, run, run[1:]), run[-1])) if _IS_CJK(run) else run[:_LONGEST] for run in runs])


# -- Queries


class SearchError(CorpusError):
    """Failed search of a corpus, or a malformed query. The message gives the reason and a fix."""


@dataclass(frozen=True, slots=True)
class Query:
    """Parsed query: a phrase of every group, and none of ``without``."""

    groups: tuple[tuple[str, ...], ...]
    without: tuple[str, ...] = ()


_TERM = re.compile(r'(-?)(?:"([^"]*)"|“([^”]*)”|(\S+))')


def parse_query(text: str) -> Query:
    """Parse a query. Raise SearchError for a malformed one.

    All words must occur. Quotation marks enclose a phrase, ``OR`` joins alternatives, ``-`` excludes a word.

    >>> parse_query('支部 OR 党委 “从严 治党” -换届')
    Query(groups=(('支部', '党委'), ('从严 治党',)), without=('换届',))
    """
    groups: list[tuple[str, ...]] = []
    without: list[str] = []
    joins = False  # after OR
    for minus, *forms in _TERM.findall(text):
        term = "".join(forms)
        if term == "OR" and not minus and forms[2]:
            if joins or not groups:
                break
            joins = True
        elif not _RUN.search(fold(term)):
            raise SearchError(f"there is nothing to search for in {term!r}. Give letters, digits or characters")
        elif minus and not joins:
            without.append(term)
        elif joins and not minus:
            groups[-1] += (term,)
            joins = False
        elif not joins:
            groups.append((term,))
        else:
            break
    else:
        if groups and not joins:
            return Query(tuple(groups), tuple(without))
    raise SearchError(f'{text!r} is no query. Write words, "phrases", A OR B, -word, with at least one word without -')


@dataclass(frozen=True)
class _Phrase:
    """Phrase of a query, in the tokens of an index."""

    tokens: tuple[str, ...]
    opens: bool  # the last token is a single character, possibly the beginning of a longer token
    pattern: str  # in the runs of a text, separated by blanks

    @classmethod
    def of(cls, text: str) -> Self:
        runs = [run for run, _ in _runs(fold(text))]
        own = [token for token, _ in tokens_of(fold(text))]
        goes_on = _IS_CJK(runs[-1]) is not None  # more may follow in a text
        opens = goes_on and len(runs[-1]) == 1
        if goes_on and not opens:
            own.pop()
        pattern = " ".join(runs)
        ends = ["" if _IS_CJK(run) else " " for run in (runs[0], runs[-1])]
        return cls(tuple(own), opens, f"{ends[0]}{pattern}{ends[1]}")

    def places(self, tokens: Sequence[tuple[str, int]]) -> Iterator[tuple[int, int]]:
        """Yield begin and end of each occurrence in a text of ``tokens``."""
        size, last = len(self.tokens), self.tokens[-1]
        for first in range(len(tokens) - size + 1):
            token, place = tokens[first + size - 1]
            if (token == last or (self.opens and token.startswith(last))) and all(
                tokens[first + i][0] == self.tokens[i] for i in range(size - 1)
            ):
                yield tokens[first][1], place + len(last)


# -- Results

CONTEXT = 60  # characters shown on either side of a match


@dataclass(frozen=True, slots=True)
class Line:
    """Keyword in context as in the text, without line ends."""

    left: str
    match: str
    right: str


@dataclass(frozen=True, slots=True)
class Hit:
    """Matching text."""

    page: Summary
    score: float  # by bm25 of FTS5, by ts_rank of PostgreSQL, higher is better
    lines: tuple[Line, ...]  # first matches in the text, else in the title


@dataclass(frozen=True, slots=True)
class Found:
    """Best hits, and the number of all matching texts."""

    hits: tuple[Hit, ...]
    total: int
    note: str = ""  # reason for possibly missing texts
    numbers: tuple[int, ...] = ()  # of the ranked pages, if not all were ranked
    more: bool = False  # `total` only counts the ranked texts, and more may match


def keywords_in_context(text: str, phrases: Sequence[_Phrase], most: int) -> tuple[Line, ...]:
    """Return the first ``most`` occurrences of ``phrases`` in the paragraphs of a text. Overlapping ones count once."""
    lines: list[Line] = []
    begin = 0
    for paragraph in text.split("\n"):
        folded, end = fold(paragraph), 0
        here = [phrase for phrase in phrases if phrase.tokens[0] in folded]
        found = list(tokens_of(folded)) if here else []
        for first, last in sorted(place for phrase in here for place in phrase.places(found)):
            if len(lines) == most:
                return tuple(lines)
            if len(folded) != len(paragraph):  # a sign folded to several letters
                origin = [i for i, character in enumerate(paragraph) for _ in fold(character)]
                first, last = origin[first], origin[last - 1] + 1
            if first >= end:
                end = last
                start, stop = begin + first, begin + last
                around = text[max(0, start - CONTEXT) : start], text[start:stop], text[stop : stop + CONTEXT]
                lines.append(Line(*(part.replace("\n", " ") for part in around)))
        begin += len(paragraph) + 1
    return tuple(lines)


# -- The index

BATCH = 1000  # texts in a transaction


def open_index(place: str, cache_dir: Path) -> SearchIndex:
    """Open the index of an existing corpus.

    Args:
        place: path or URL of the corpus.
        cache_dir: folder of the index if an SQLite corpus lies in a read-only one.
    """
    return (_Fts5 if sqlite_file(place) else _TextSearch)(place, cache_dir)


class SearchIndex(ABC):
    """Full-text index of a corpus. Any number of processes may search it during a crawl."""

    _known: sa.Table  # digest of the indexed text by page

    def __init__(self, place: str, cache_dir: Path) -> None:
        self.name = shown(place)
        self._engine = self._open(place, cache_dir)

    @abstractmethod
    def _open(self, place: str, cache_dir: Path) -> sa.Engine: ...

    def update(self, progress: Callable[[int, int], None] = lambda done, total: None) -> int:
        """Index new and changed texts. Return their number.

        Args:
            progress: called at first and after every :data:`BATCH` texts with the numbers of texts done and of all.

        An interrupted update keeps the finished batches.

        Raises:
            SearchError: no index can be created.
            CorpusError: the database cannot be read or written.
        """
        self._make()
        with self._connected("read") as connection:
            numbers = list(connection.scalars(self._unknown()))
        if numbers:
            progress(0, len(numbers))
        for start in range(0, len(numbers), BATCH):
            query = sa.select(pages.c.id, pages.c.content_hash, pages.c.title, pages.c.text)
            with self._connected("written") as connection:
                chosen = query.where(pages.c.id.in_(numbers[start : start + BATCH]), pages.c.keep)
                self._add(
                    connection, [(row.id, row.content_hash, f"{row.title}\n{row.text}") for row in connection.execute(chosen)]
                )
            progress(min(start + BATCH, len(numbers)), len(numbers))
        if numbers:
            self._finish()
        return len(numbers)

    def search(self, query: Query, filters: Filters, limit: int | None, most_lines: int = 1) -> Found:
        """Return the best ``limit`` texts meeting query and ``filters``, with the first ``most_lines`` occurrences in each.

        Only texts indexed by :meth:`update` are found.
        """
        found, phrases = self._meeting(query, filters)
        with self._connected("read") as connection:
            total = connection.scalar(found.with_only_columns(sa.func.count())) or 0
            score = found.selected_columns[0]
            best = found.with_only_columns(*_SUMMARY, pages.c.text, score)
            rows = connection.execute(best.order_by(sa.desc(score), pages.c.id).limit(limit)).all()
        return Found(tuple(self._hit(row, float(row[-1]), phrases, most_lines) for row in rows), total)

    def search_within(
        self, query: Query, filters: Filters, within: int, limit: int, offset: int = 0, most_lines: int = 1
    ) -> Found:
        """Search like :meth:`search`, but rank only ``within`` matching texts with the lowest numbers.

        Ranking all texts with a common word takes long. Returns ``limit`` of the ranked texts after ``offset``. A single
        character in more texts than that says nothing about them, so they stay in the order of their numbers.
        """
        found, phrases = self._meeting(query, filters)
        score = found.selected_columns[0]
        with self._connected("read") as connection:
            ranked: Sequence[Any] = ()
            if any(phrase.opens for phrase in phrases):  # FTS5 scans all pairs beginning with it, twice for the rank
                ranked = connection.execute(found.with_only_columns(pages.c.id, sa.literal(0.0)).limit(within)).all()
            if len(ranked) < within:
                ranked = connection.execute(found.with_only_columns(pages.c.id, score).limit(within)).all()
            best = sorted(ranked, key=lambda row: (-row[1], row[0]))[offset : offset + limit]
            scores = {row[0]: float(row[1]) for row in best}
            query_texts = sa.select(*_SUMMARY, pages.c.text).where(pages.c.id.in_(scores))
            rows = {row.id: row for row in connection.execute(query_texts)}
        hits = tuple(self._hit(rows[number], score, phrases, most_lines) for number, score in scores.items())
        return Found(hits, len(ranked), numbers=tuple(row[0] for row in ranked), more=len(ranked) == within)

    def count(self, query: Query, filters: Filters) -> int:
        """Count the texts meeting query and ``filters``."""
        found, _ = self._meeting(query, filters)
        with self._connected("read") as connection:
            return connection.scalar(found.with_only_columns(sa.func.count())) or 0

    def _meeting(self, query: Query, filters: Filters) -> tuple[sa.Select[Any], list[_Phrase]]:
        """Return the scores of the texts meeting query and ``filters``, and the phrases of the query."""
        groups = [[_Phrase.of(text) for text in group] for group in query.groups]
        found = self._found(groups, [_Phrase.of(text) for text in query.without])
        return found.where(*conditions(filters), pages.c.keep), [phrase for group in groups for phrase in group]

    def _hit(self, row: Any, score: float, phrases: Sequence[_Phrase], most_lines: int) -> Hit:
        page = Summary(*row[: len(_SUMMARY)])
        lines = (keywords_in_context(text, phrases, most_lines) for text in (row.text, page.title))
        return Hit(page, score, next(filter(None, lines), ()))

    @abstractmethod
    def _make(self) -> None:
        """Create missing tables."""

    def _unknown(self) -> sa.Select[Any]:
        """Return the numbers of kept pages with texts not indexed yet."""
        known = self._known
        # The subquery reads only the pages' index of digests.
        changed = (
            sa.select(pages.c.id)
            .outerjoin(known, known.c.page == pages.c.id)
            .where(sa.or_(known.c.digest.is_(None), known.c.digest != pages.c.content_hash))
        )
        return sa.select(pages.c.id).where(pages.c.id.in_(changed), pages.c.keep).order_by(pages.c.id)

    @abstractmethod
    def _add(self, connection: sa.Connection, texts: Sequence[tuple[int, str, str]]) -> None:
        """Index texts: number and digest of the page, and the text to find."""

    def _finish(self) -> None:  # noqa: B027 - most have nothing to do
        """Finish the index after all texts."""

    @abstractmethod
    def _found(self, groups: Sequence[Sequence[_Phrase]], without: Sequence[_Phrase]) -> sa.Select[Any]:
        """Return the scores of the pages with a phrase of each group, joined with the pages."""

    @contextmanager
    def _connected(self, doing: str) -> Iterator[sa.Connection]:
        options: dict[str, Any] = {}
        if doing == "written":
            options = {**(POSTGRESQL_WRITES if self._engine.dialect.name == "postgresql" else {}), "transaction": "writes"}
        with explaining(self.name, doing), self._engine.connect().execution_options(**options) as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Close the connections. Idempotent."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Fts5(SearchIndex):
    """Index in SQLite's FTS5, in a file with the corpus attached for reading.

    A changed text gets a new row, and its former row is no longer found.
    """

    module = "fts5"  # of SQLite

    def _open(self, place: str, cache_dir: Path) -> sa.Engine:
        file = sqlite_file(place)
        assert file is not None
        index = beside(file, ".search", cache_dir)
        self._words = sa.table("strings", sa.column("rowid"), sa.column("rank"))
        columns = sa.Column("page", sa.Integer, primary_key=True), sa.Column("row", sa.Integer), sa.Column("digest", sa.String)
        self._known = sa.Table("known_strings", sa.MetaData(), *columns)
        engine = open_engine(str(index), read_only=False, patience=PATIENCE)

        @sa.event.listens_for(engine, "connect")
        def attach(connection: Any, _: object) -> None:
            connection.execute("ATTACH ? AS corpus", (sqlite_uri(file, read_only=True),))

        return engine

    def _make(self) -> None:
        try:
            with self._connected("written") as connection:
                if sa.inspect(connection).has_table("strings"):
                    counts = sa.select(sa.func.count(), sa.func.max(self._known.c.row)).select_from(self._known)
                    number, last = connection.execute(counts).one()
                    if last and last > 2 * number:  # most of its rows are stale
                        connection.exec_driver_sql("INSERT INTO strings (strings) VALUES ('delete-all')")
                        connection.execute(self._known.delete())
                    return
                # The tokens come separated by blanks. Signs may be part of words (C++).
                cut = "unicode61 remove_diacritics 0 categories 'L* N* M* P* S* Co'"
                connection.exec_driver_sql(
                    f'CREATE VIRTUAL TABLE strings USING {self.module}(text, content="", tokenize="{cut}")'
                )
                connection.exec_driver_sql(
                    "CREATE TABLE known_strings (page INTEGER PRIMARY KEY, row INTEGER UNIQUE, digest TEXT)"
                )
        except CorpusError as error:
            if "fts5" not in str(error):
                raise
            raise SearchError(
                "the SQLite of this Python lacks FTS5, needed for the search. Use a Python with it (those of "
                "python.org, conda, Debian and Homebrew), or copy the corpus to PostgreSQL (topical-crawler corpus copy)"
            ) from None

    def _add(self, connection: sa.Connection, texts: Sequence[tuple[int, str, str]]) -> None:
        last = connection.scalar(sa.select(sa.func.max(self._known.c.row))) or 0
        cut = [_line(fold(text)) for _, _, text in texts]
        known = [(page, row, digest) for row, (page, digest, _) in enumerate(texts, last + 1)]
        if known:
            connection.exec_driver_sql("INSERT OR REPLACE INTO known_strings VALUES (?, ?, ?)", known)
            connection.exec_driver_sql("INSERT INTO strings (rowid, text) VALUES (?, ?)", list(enumerate(cut, last + 1)))

    def _found(self, groups: Sequence[Sequence[_Phrase]], without: Sequence[_Phrase]) -> sa.Select[Any]:
        def either(phrases: Sequence[_Phrase]) -> str:
            return f"({' OR '.join(map(_matching, phrases))})"

        wanted = " AND ".join(map(either, groups)) + (f" NOT {either(without)}" if without else "")
        joined = self._words.join(self._known, self._known.c.row == self._words.c.rowid).join(
            pages, pages.c.id == self._known.c.page
        )
        match = sa.literal_column("strings").op("MATCH")(wanted)
        return sa.select(-self._words.c.rank).select_from(joined).where(match)


def _matching(phrase: _Phrase) -> str:
    """Return a phrase in the query language of FTS5."""
    tokens = " ".join(phrase.tokens).replace('"', '""')
    return f'"{tokens}"{"*" * phrase.opens}'


class _TextSearch(SearchIndex):
    """Index in PostgreSQL's full text search, in a table beside the pages.

    The search finds the texts with all tokens of a phrase. A string comparison checks that they stand together, because
    PostgreSQL notes no places beyond the 16,383rd token.
    """

    _LAST = 16_383
    _MOST = 200_000  # characters searched in a text: the tokens of one may take a megabyte
    _LOCK = 0x7063_7365_6172_6368  # PostgreSQL's advisory lock for creating the table

    def _open(self, place: str, cache_dir: Path) -> sa.Engine:
        from sqlalchemy.dialects.postgresql import TSVECTOR  # here and below: not for a corpus in a file

        self._known = sa.Table(
            "search_strings",
            sa.MetaData(),
            sa.Column("page", sa.BigInteger, primary_key=True, autoincrement=False),
            sa.Column("digest", sa.String(32), nullable=False),
            sa.Column("runs", sa.Text, nullable=False),
            sa.Column("tokens", TSVECTOR, nullable=False),
        )
        self._by_token = sa.Index("ix_search_strings", self._known.c.tokens, postgresql_using="gin")
        self._known.indexes.clear()  # faster to create after the first texts
        return open_engine(place, read_only=False, patience=PATIENCE)

    def _make(self) -> None:
        with self._connected("read") as connection:
            if sa.inspect(connection).has_table(self._known.name):
                return
        with self._connected("written") as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(self._LOCK)))
            self._known.create(connection, checkfirst=True)

    def _add(self, connection: sa.Connection, texts: Sequence[tuple[int, str, str]]) -> None:
        if rows := [self._row(*text) for text in texts]:
            insert = upserting("postgresql", self._known)
            changes = {name: insert.excluded[name] for name in ("digest", "runs", "tokens")}
            connection.execute(insert.on_conflict_do_update(index_elements=["page"], set_=changes), rows)

    def _row(self, page: int, digest: str, text: str) -> dict[str, Any]:
        folded = fold(text[: self._MOST])
        places: dict[str, list[str]] = {}
        for number, (token, _) in enumerate(tokens_of(folded), 1):
            places.setdefault(token, []).append(str(min(number, self._LAST)))
        tokens = " ".join(f"{_quoted(token)}:{','.join(at[:255])}" for token, at in places.items())
        return {
            "page": page,
            "digest": digest,
            "runs": f" {' '.join(run for run, _ in _runs(folded))} ",
            "tokens": tokens,
        }

    def _finish(self) -> None:
        with self._connected("written") as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(self._LOCK)))
            self._by_token.create(connection, checkfirst=True)

    def _found(self, groups: Sequence[Sequence[_Phrase]], without: Sequence[_Phrase]) -> sa.Select[Any]:
        from sqlalchemy.dialects.postgresql import TSQUERY

        tokens, runs = self._known.c.tokens, self._known.c.runs

        def has(phrase: _Phrase) -> sa.ColumnElement[bool]:
            condition = tokens.bool_op("@@")(sa.cast(_all(phrase), TSQUERY))
            return sa.and_(condition, sa.func.strpos(runs, phrase.pattern) > 0) if len(phrase.tokens) > 1 else condition

        wanted = " | ".join(f"({_all(phrase)})" for group in groups for phrase in group)
        return (
            sa.select(sa.func.ts_rank(tokens, sa.cast(wanted, TSQUERY), 1))
            .select_from(self._known.join(pages, pages.c.id == self._known.c.page))
            .where(*(sa.or_(*map(has, group)) for group in groups), *(sa.not_(has(phrase)) for phrase in without))
        )


def _quoted(token: str) -> str:
    return "'" + token.replace("\\", "\\\\").replace("'", "''") + "'"


def _all(phrase: _Phrase) -> str:
    """Return all tokens of a phrase in the language of PostgreSQL's full text search."""
    return " & ".join(map(_quoted, phrase.tokens)) + ":*" * phrase.opens
