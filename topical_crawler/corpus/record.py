"""Rows of a corpus as records and database tables, and filters over them."""

from __future__ import annotations

import dataclasses
import json
import operator
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from topical_crawler.cleaning.quality import Measures
from topical_crawler.text.passages import Layout, passages
from topical_crawler.web.rights import LICENSED
from topical_crawler.web.robots import Robots

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql


class CorpusError(Exception):
    """Failure to open, read or write a corpus. The message names it and a fix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Fetched page, kept with its text or rejected with a reason.

    Title, author, date, source, section, canonical and license are those of :class:`~topical_crawler.extraction.details.Details`,
    kind, method, series and part of :class:`~topical_crawler.extraction.extract.Extracted`, language, script, measures and
    personal of :class:`~topical_crawler.cleaning.cleaner.CleanedText`.
    """

    url: str  # requested address
    host: str  # of `url`, in lower case, with its port if it has one
    keep: bool  # True if the page belongs to the corpus
    # hexadecimal digest of the canonical URL (the frontier's key), the identity of the row (default: of `url` unchanged)
    key: str = ""
    final_url: str = ""  # address after redirects (default: `url`)
    title: str = ""
    author: str = ""
    text: str | None = None  # cleaned main text of a kept page, None for a rejected one
    layout: Layout = field(default_factory=list)  # lines other than paragraphs, see `text.passages`
    reason: str = ""  # of the rejection, a short stable English string, "" for a kept page
    # URL of the page with this text, or the target of a redirect. "" unless `reason` is "duplicate", "part" or "redirected".
    duplicate_of: str = ""
    similarity: float = 0.0  # of the text to that of `duplicate_of`, 0 to 1
    fetched: str = ""  # time of fetching, UTC, `2026-11-20T08:30:00+00:00`
    date: str = ""
    source: str = ""
    section: str = ""
    canonical: str = ""
    license: str = ""
    kind: str = ""
    method: str = ""
    series: str = ""
    part: int = 0
    language: str = ""
    script: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)
    personal: Mapping[str, int] = field(default_factory=dict)
    encoding: str = ""  # used to decode the source
    status: int = 0  # HTTP status, 0 if unknown
    size: int = 0  # of the response body in bytes
    relevance: float = 0.0  # by the strategy, >= 0
    priority: float = 0.0  # of the link when the page was fetched
    depth: int = 0  # links followed from a seed
    # small JSON data: matched terms with their share, anchor, struct and parent of the link, `rights`
    why: Mapping[str, Any] = field(default_factory=dict)
    worker: str = ""  # name of the storing worker, "" for a single one
    content_hash: str = ""  # `text_hash` of the text, set by the store
    order: int = 0  # rank of first storage, from 1, set by the store (PostgreSQL skips some numbers)

    def __post_init__(self) -> None:
        if self.keep and not (self.text and not self.reason):
            raise ValueError(f"{self.url}: a kept page has a text and no reason. Reject it with a reason or give its text")
        if not self.keep and not self.reason:
            raise ValueError(f"{self.url}: a rejected page needs a reason")
        if not self.key:
            object.__setattr__(self, "key", blake2b(self.url.encode("utf-8", "replace"), digest_size=16).hexdigest())
        if self.text is None and self.layout:
            object.__setattr__(self, "layout", [])
        if not self.final_url:
            object.__setattr__(self, "final_url", self.url)

    @property
    def characters(self) -> int:
        """Length of the text in characters."""
        return len(self.text or "")

    @property
    def rights(self) -> str:
        """Reservations of page, answer and robots.txt (:func:`~topical_crawler.web.rights.of_page`), joined by "; "."""
        return "; ".join(self.why.get("rights", ()))


@dataclass(frozen=True, slots=True)
class HostFacts:
    """Robots.txt of a host."""

    host: str  # in lower case, with its port if it has one
    robots: Robots  # its rules for this crawler
    crawl_delay: float = 0.0  # requested seconds between two requests, 0 for none
    asked: str = ""  # time of fetching, UTC, `2026-11-20T08:30:00+00:00`


@dataclass(frozen=True, slots=True)
class Former:
    """Former text of a page in the corpus."""

    key: str  # of the page
    ended: str  # time of finding the next version, UTC, ISO 8601
    fetched: str  # time of fetching this one
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Bound:
    """Condition on one of :data:`NUMBERS`. ``operator`` is ">=", "<=", ">", "<" or "="."""

    name: str
    operator: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Filters on rows. All conditions must hold."""

    hosts: tuple[str, ...] = ()  # these and their subdomains (`people.cn` includes `dangjian.people.cn`), empty for all
    min_relevance: float | None = None
    since: str = ""  # publication dates `YYYY-MM-DD`, inclusive (either leaves out pages without a date)
    until: str = ""
    new_since: str = ""  # time, ISO 8601: texts first fetched, or found changed, at it or later
    min_characters: int = 0
    rejected: bool = False  # include rejected pages
    reasons: tuple[str, ...] = ()  # only pages rejected for one of these, empty: by `rejected`
    languages: tuple[str, ...] = ()  # one of these, like the next two, empty for all
    scripts: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()  # see `parse_bound`
    no_personal: bool = False  # only texts without personal data
    rights: tuple[str, ...] = ()  # see `web.rights.parse`, empty for all
    without: frozenset[str] = frozenset()  # keys of rows to leave out
    limit: int | None = None  # maximum number of rows, None for all


# -- Tables

VERSION = 5  # of the tables (a corpus of another version is refused)

ORIGIN = ("source", "section", "canonical", "license", "kind", "method", "series", "language", "script")
"""Text columns on the origin and kind of a page."""
MEASURES = tuple(f.name for f in dataclasses.fields(Measures))  # columns, null for a page without text or measures

_IS_DUPLICATE = sa.text("duplicate_of <> ''")

tables = sa.MetaData()


def _columns(kind: type[sa.types.TypeEngine[Any]] | sa.types.TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name in names]


def _key(name: str, kind: type[sa.types.TypeEngine[Any]]) -> sa.Column[Any]:
    return sa.Column(name, kind, primary_key=True, autoincrement=False)


meta = sa.Table("corpus_meta", tables, sa.Column("name", sa.String(40), primary_key=True), *_columns(sa.String(200), "value"))

pages = sa.Table(
    "pages",
    tables,
    # SQLite only auto-increments a column of the type INTEGER, with 64 bits there.
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("key", sa.String(64), nullable=False, unique=True),
    *_columns(sa.Text, "url", "final_url", "host"),
    *_columns(sa.Boolean, "keep"),
    *_columns(sa.Text, "reason", "duplicate_of", "fetched", "date"),
    *_columns(sa.Integer, "characters"),
    *_columns(sa.Float, "relevance", "priority"),
    *_columns(sa.Integer, "depth", "status", "size"),
    *_columns(sa.Text, "encoding"),
    sa.Column("content_hash", sa.String(32), nullable=False, index=True),
    *_columns(sa.Text, "title", "author"),
    *_columns(sa.JSON, "why"),
    *_columns(sa.Text, "worker"),
    *_columns(sa.Float, "similarity"),
    *_columns(sa.Text, *ORIGIN),
    *_columns(sa.Integer, "part"),
    *(sa.Column(name, sa.Float) for name in MEASURES),
    *_columns(sa.JSON, "personal", "layout"),
    sa.Column("text", sa.Text),  # last: SQLite reads a row from the left, and statistics do not need it
)

sa.Index("ix_pages_duplicate_of", pages.c.duplicate_of, sqlite_where=_IS_DUPLICATE).ddl_if(dialect="sqlite")
sa.Index("ix_pages_url", pages.c.url).ddl_if(dialect="sqlite")
for _statement in (  # an address may be too long for a B-tree. As index options, each would import PostgreSQL's dialect
    f"CREATE INDEX ix_pages_duplicate_of ON pages USING hash (duplicate_of) WHERE {_IS_DUPLICATE}",
    "CREATE INDEX ix_pages_url ON pages USING hash (url)",
):
    _ddl = sa.DDL(_statement)  # type: ignore[no-untyped-call]
    sa.event.listen(pages, "after_create", _ddl.execute_if(dialect="postgresql"))

bands = sa.Table(
    "bands",  # of the texts' signatures, to find near-duplicates
    tables,
    _key("band", sa.BigInteger),
    _key("page", sa.BigInteger),
    sqlite_with_rowid=False,
)

lines = sa.Table(
    "lines",  # of texts, by host, to find repeated ones
    tables,
    _key("host", sa.Text),
    _key("digest", sa.BigInteger),
    *_columns(sa.Text, "line"),
    *_columns(sa.Integer, "pages"),
    sqlite_with_rowid=False,
)

uncleaned = sa.Table(
    "uncleaned",  # original rows of texts cleaned at the end of a crawl, for resuming it
    tables,
    sa.Column("key", sa.String(64), primary_key=True),
    *_columns(sa.JSON, "row"),
)

parts = sa.Table(
    "parts",  # of articles on several pages
    tables,
    _key("series", sa.Text),
    _key("number", sa.Integer),
    *_columns(sa.String(64), "key"),
    *_columns(sa.Text, "text"),
    *_columns(sa.JSON, "layout"),
)

versions = sa.Table(
    "versions",  # former texts of changed pages
    tables,
    sa.Column("key", sa.String(64), primary_key=True),
    _key("ended", sa.Text),  # time of finding the next version, UTC, ISO 8601
    *_columns(sa.Text, "fetched", "title"),
    sa.Column("packed", sa.LargeBinary, nullable=False),  # UTF-8, zlib
)

hosts = sa.Table(
    "hosts",  # robots.txt of hosts
    tables,
    _key("host", sa.Text),
    *_columns(sa.Text, "robots"),
    *_columns(sa.Float, "crawl_delay"),
    *_columns(sa.Text, "asked"),
)


_encode: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def to_json(value: Any) -> str:
    """Encode ``value`` for a JSON column, without NaN, infinity and lone surrogates."""
    try:
        text = _encode(value)
    except ValueError:  # NaN and infinity, refused by PostgreSQL
        text = _encode(json.loads(json.dumps(value), parse_constant=lambda _: None))
    return text.encode("utf-8", "replace").decode("utf-8")


def upserting(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insert into ``table`` with ``on_conflict_…`` methods."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    return sqlite.insert(table)


def sqlite_rows(connection: sa.Connection, statement: str, values: Any = ()) -> list[Any]:
    """Return SQLite's rows for a statement, bypassing SQLAlchemy. For statements run on every page: SQLAlchemy takes longer to
    pass them on than SQLite to execute them."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    try:
        return driver.execute(statement, values).fetchall()
    except sqlite3.Error as error:
        raise sa.exc.DBAPIError.instance(statement, None, error, sqlite3.Error) from error


_WHY = sa.cast(pages.c.why, sa.Text)


def asked(name: str = "") -> sa.ColumnElement[bool]:
    """Return the condition that a page's rights hold ``name``, or anything.

    Rights lie in an older column, to keep earlier corpora readable. It is searched as text: PostgreSQL refuses to read JSON with
    a NUL, possible in an anchor, and no string holds a quotation mark without a backslash.
    """
    return _WHY.contains(f'"{name}":true' if name else '"rights":{')


# -- Filters as conditions of a query

NUMBERS = ("relevance", "characters", "depth", *MEASURES)  # allowed in a bound

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_BOUND = re.compile(r"\s*(\w+)\s*(>=|<=|>|<|=)\s*([-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?)\s*", re.ASCII)


def parse_day(text: str) -> str:
    """Parse a date, ``YYYY-MM-DD``. Raise ValueError for any other text."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"{text!r} is no date; write it as 2024-12-31") from None


def parse_bound(text: str) -> Bound:
    """Parse ``NAME>=NUMBER`` (also <=, >, <, =). Raise ValueError for another form or an unknown name.

    >>> parse_bound("han >= 0.5")
    Bound(name='han', operator='>=', value=0.5)
    >>> parse_bound("hans>=0.5")
    Traceback (most recent call last):
    ...
    ValueError: 'hans' cannot be bounded; there are relevance, characters, depth, han, latin, digits, punctuation, symbols, \
sentences, common, line_length, repeated_lines, repeated_phrases
    """
    match = _BOUND.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no condition; write it as 'han>=0.5' (or with <=, >, <, =)")
    name, sign, value = match.groups()
    if name not in NUMBERS:
        raise ValueError(f"{name!r} cannot be bounded; there are {', '.join(NUMBERS)}")
    return Bound(name, sign, float(value))


def conditions(filters: Filters) -> Iterator[sa.ColumnElement[bool]]:
    """Yield the conditions of a query, all to hold. A bound on a measure leaves out pages without measures."""
    if filters.reasons:
        yield pages.c.reason.in_(filters.reasons)
    elif not filters.rejected:
        yield pages.c.keep
    if filters.hosts:
        yield sa.or_(
            *(pages.c.host == h.lower() for h in filters.hosts),
            *(pages.c.host.endswith("." + h.lower(), autoescape=True) for h in filters.hosts),
        )
    if filters.min_relevance is not None:
        yield pages.c.relevance >= filters.min_relevance
    if filters.since or filters.until:
        yield pages.c.date != ""
    if filters.since:
        yield pages.c.date >= filters.since
    if filters.until:
        yield pages.c.date <= filters.until
    if filters.new_since:
        yield sa.func.coalesce(pages.c.why["since"].as_string(), pages.c.fetched) >= filters.new_since
    if filters.min_characters:
        yield pages.c.characters >= filters.min_characters
    for name, values in (("language", filters.languages), ("script", filters.scripts), ("kind", filters.kinds)):
        if values:
            yield pages.c[name].in_(values)
    for bound in filters.bounds:
        yield _OPERATORS[bound.operator](pages.c[bound.name], bound.value)
    if filters.no_personal:
        yield sa.cast(pages.c.personal, sa.Text) == "{}"
    for name in filters.rights:
        yield pages.c.license != "" if name == LICENSED else ~asked(name)
    if filters.without:
        yield pages.c.key.not_in(sorted(filters.without))


# -- Records as rows of the table ``pages``, and back

FIELDS = tuple(f.name for f in dataclasses.fields(Record) if f.name not in ("order", "measures", "personal"))
"""Fields of a record with a column of the same name."""
_STRINGS = ("url", "final_url", "host", "title", "author", "reason", "duplicate_of", "encoding", "worker", *ORIGIN)


def storable(record: Record) -> Record:
    """Return ``record`` with :func:`plain` strings, its digest, and no text if rejected. Raise ValueError for a wrong layout."""
    changes: dict[str, Any] = {name: new for name in _STRINGS if (new := plain(old := getattr(record, name))) is not old}
    if record.text is not None:
        text = changes["text"] = plain(record.text) if record.keep and record.text else None
        try:
            passages(text or "", record.layout if text else ())
        except ValueError as error:
            raise ValueError(f"{record.url}: {error}. Store a text with its own layout, or with none") from None
        if record.text:  # else keep the digest of another corpus' duplicate
            changes["content_hash"] = text_hash(text or record.text)
    return dataclasses.replace(record, **changes) if changes else record


def values_of(record: Record) -> dict[str, Any]:
    """Return the columns of a record's row, except ``id``."""
    values = {name: getattr(record, name) for name in FIELDS}
    measures = record.measures if record.keep else {}
    values |= {name: measures.get(name) for name in MEASURES}
    values["why"], values["personal"] = dict(record.why), dict(record.personal)
    values["characters"] = record.characters
    return values


def record_of(row: Mapping[Any, Any]) -> Record:
    measures = {name: row[name] for name in MEASURES if row[name] is not None}
    return Record(**{name: row[name] for name in FIELDS}, measures=measures, personal=row["personal"], order=row["id"])


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Remove control characters and lone surrogates from ``text``.

    Databases refuse NUL and lone surrogates, terminals obey other control characters, and bidirectional ones reverse letters.

    >>> plain("党建\\x1b]0;x\\x07\\u202e要闻\\0")
    '党建]0;x要闻'
    """
    return text if text.isprintable() else _CONTROL.sub("", text).encode("utf-8", "replace").decode("utf-8")


MEGABYTE = 1_000_000  # bytes


def density(characters: int, size: int) -> float:
    """Return the characters of kept text per downloaded megabyte, from all ``size`` bytes, kept or not. 0 for no bytes.

    >>> density(len("全面从严治党") * 1000, 1_500_000)
    4000.0
    """
    return characters * MEGABYTE / size if size else 0.0


@dataclass(slots=True)
class Yield:
    """Totals over fetched pages."""

    pages: int = 0  # fetched
    kept: int = 0  # of these
    size: int = 0  # bytes of all bodies, unpacked
    characters: int = 0  # of the clean texts of kept pages
    seconds: float = 0.0  # sum of the times from request to answer

    @property
    def harvest_rate(self) -> float:
        """Kept pages per fetched one, clipped to 0 to 1 because pages of an earlier run may be kept late or rejected."""
        return min(1.0, max(0.0, self.kept / self.pages)) if self.pages else 0.0

    @property
    def megabytes(self) -> float:
        """Downloaded megabytes."""
        return self.size / MEGABYTE

    @property
    def density(self) -> float:
        """Characters per megabyte, see :func:`density`."""
        return density(self.characters, self.size)

    def add(self, other: Yield) -> None:
        """Add the totals of further pages."""
        for name in ("pages", "kept", "size", "characters", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


NON_LETTERS = re.compile(r"[\W_]+")


def text_hash(text: str) -> str:
    """Return a digest of the letters and digits of ``text``, 32 hexadecimal digits, "" without any.

    Width (NFKC) and case are folded. White space, punctuation and symbols do not count. A reprint with other paragraphs,
    quotation marks or spaces is the same text, one with a single other word is not.

    >>> text_hash("“两学一做”，常态化！\\n制度化") == text_hash("「两学一做」常态化 制度化。")
    True
    >>> text_hash("……")
    ''
    """
    words = NON_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest() if words else ""
