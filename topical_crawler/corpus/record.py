"""Rows of the corpus and filters over them, and their form in the database."""

from __future__ import annotations

import dataclasses
import operator
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import sqlalchemy as sa

from topical_crawler.corpus.schema import MEASURES, ORIGIN, pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A fetched page: kept with its text, or rejected with a reason.

    Attributes:
        url: the requested address.
        host: of ``url``, in lower case, with its port if it has one.
        keep: whether the page belongs to the corpus.
        key: hexadecimal digest of the canonical URL (the frontier's key), the identity of the row; default: of ``url`` as it is.
        final_url: the address after redirects; default: ``url``.
        title, author, date, source, section, canonical, license: see :class:`~topical_crawler.extraction.details.Details`.
        text: the cleaned main text of a kept page; None for a rejected one.
        reason: why the page was rejected, a short stable English string; "" for a kept one.
        duplicate_of: URL of the page with this one's text, or the target of a redirect; "" unless ``reason`` is "duplicate",
            "part" or "redirected".
        similarity: of the text to that of ``duplicate_of``, 0 to 1.
        fetched: when it was fetched, UTC, ``2026-11-20T08:30:00+00:00``.
        kind, method: see :class:`~topical_crawler.extraction.Extracted`.
        series, part: see :class:`~topical_crawler.extraction.kinds.Series`.
        language, script, measures, personal: see :class:`~topical_crawler.cleaning.CleanedText`.
        encoding: that the source was decoded with.
        status: HTTP status; 0 if unknown.
        size: of the response body in bytes.
        relevance: by the strategy, >= 0.
        priority: of the link when the page was fetched.
        depth: links followed from a seed.
        why: small JSON data: matched terms with their share; anchor, struct, parent of the link.
        worker: that stored the page; "" for the only one.
        content_hash: :func:`text_hash` of the text, set by the store.
        order: rank in which pages were first stored, from 1, set by the store; PostgreSQL leaves out some numbers.
    """

    url: str
    host: str
    keep: bool
    key: str = ""
    final_url: str = ""
    title: str = ""
    author: str = ""
    text: str | None = None
    reason: str = ""
    duplicate_of: str = ""
    similarity: float = 0.0
    fetched: str = ""
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
    encoding: str = ""
    status: int = 0
    size: int = 0
    relevance: float = 0.0
    priority: float = 0.0
    depth: int = 0
    why: Mapping[str, Any] = field(default_factory=dict)
    worker: str = ""
    content_hash: str = ""
    order: int = 0

    def __post_init__(self) -> None:
        if self.keep and not (self.text and not self.reason):
            raise ValueError(f"{self.url}: a kept page has a text and no reason; reject it with a reason or give its text")
        if not self.keep and not self.reason:
            raise ValueError(f"{self.url}: a rejected page needs a reason")
        if not self.key:
            object.__setattr__(self, "key", blake2b(self.url.encode("utf-8", "replace"), digest_size=16).hexdigest())
        if not self.final_url:
            object.__setattr__(self, "final_url", self.url)

    @property
    def characters(self) -> int:
        """Length of the text in characters."""
        return len(self.text or "")


@dataclass(frozen=True, slots=True)
class PageLines:
    """The text of a page as extracted, and the lines ``removed`` from it."""

    text: str
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """A condition on one of :data:`NUMBERS`; ``operator`` is ">=", "<=", ">", "<" or "="."""

    name: str
    operator: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Rows to take: those that meet every condition.

    Attributes:
        hosts: these and their subdomains (``people.cn`` takes ``dangjian.people.cn``); empty: all.
        min_relevance, min_characters: lower bounds.
        since, until: publication dates ``YYYY-MM-DD``, inclusive; either leaves out pages without a date.
        rejected: take rejected pages too.
        languages, scripts, kinds: one of these; empty: all.
        bounds: see :func:`parse_bound`.
        no_personal: only texts without personal data.
        limit: maximum number of rows; None: all.
    """

    hosts: tuple[str, ...] = ()
    min_relevance: float | None = None
    since: str = ""
    until: str = ""
    min_characters: int = 0
    rejected: bool = False
    languages: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()
    no_personal: bool = False
    limit: int | None = None


# -- Filters as conditions of a query

NUMBERS = ("relevance", "characters", "depth", *MEASURES)  # what a bound can be on

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_BOUND = re.compile(r"\s*(\w+)\s*(>=|<=|>|<|=)\s*([-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?)\s*", re.ASCII)


def parse_bound(text: str) -> Bound:
    """Parse ``NAME>=NUMBER``; also <=, >, < and =.

    Raises:
        ValueError: another form, or an unknown name.

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
    """The conditions of a query, all to hold. A bound on a measure leaves out pages that were not measured."""
    if not filters.rejected:
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
    if filters.min_characters:
        yield pages.c.characters >= filters.min_characters
    for name, values in (("language", filters.languages), ("script", filters.scripts), ("kind", filters.kinds)):
        if values:
            yield pages.c[name].in_(values)
    for bound in filters.bounds:
        yield _OPERATORS[bound.operator](pages.c[bound.name], bound.value)
    if filters.no_personal:
        yield sa.cast(pages.c.personal, sa.Text) == "{}"


# -- Records as rows of the table ``pages``, and back

FIELDS = tuple(f.name for f in dataclasses.fields(Record) if f.name not in ("order", "measures", "personal"))
"""The fields of a record that are columns of the same name."""
_STRINGS = ("url", "final_url", "host", "title", "author", "reason", "duplicate_of", "encoding", "worker", *ORIGIN)


def storable(record: Record) -> Record:
    """``record`` with :func:`plain` strings, no text if rejected, and the digest of its text."""
    changes: dict[str, Any] = {name: plain(getattr(record, name)) for name in _STRINGS}
    text = changes["text"] = plain(record.text) if record.keep and record.text else None
    if record.text:  # otherwise that of another corpus' duplicate stays
        changes["content_hash"] = text_hash(text or record.text)
    return dataclasses.replace(record, **changes)


def values_of(record: Record) -> dict[str, Any]:
    """The columns of a record's row except ``id``."""
    values = {name: getattr(record, name) for name in FIELDS}
    measures = record.measures if record.keep else {}
    values |= {name: measures.get(name) for name in MEASURES}
    values["why"], values["personal"] = dict(record.why), dict(record.personal)
    values["characters"] = record.characters
    return values


def record_of(row: Mapping[Any, Any]) -> Record:
    measures = {name: row[name] for name in MEASURES if row[name] is not None}
    return Record(**{name: row[name] for name in FIELDS}, measures=measures, personal=row["personal"], order=row["id"])


def plain(text: str) -> str:
    """``text`` without NUL and lone surrogates, which databases refuse."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


MEGABYTE = 1_000_000  # bytes


def density(characters: int, size: int) -> float:
    """Characters of kept text per megabyte of the ``size`` bytes downloaded, kept or not; 0 if nothing was.

    >>> density(len("全面从严治党") * 1000, 1_500_000)
    4000.0
    """
    return characters * MEGABYTE / size if size else 0.0


@dataclass(slots=True)
class Yield:
    """Totals over fetched pages.

    Attributes:
        pages, kept: numbers of fetched and of kept pages.
        size: bytes of all bodies, unpacked.
        characters: of the clean texts of kept pages.
        seconds: from requests to answers, added up.
    """

    pages: int = 0
    kept: int = 0
    size: int = 0
    characters: int = 0
    seconds: float = 0.0

    @property
    def harvest_rate(self) -> float:
        """Kept pages per fetched one, 0 to 1, also if a second look keeps pages of an earlier run."""
        return min(1.0, self.kept / self.pages) if self.pages else 0.0

    @property
    def megabytes(self) -> float:
        """Downloaded megabytes."""
        return self.size / MEGABYTE

    @property
    def density(self) -> float:
        """See :func:`density`."""
        return density(self.characters, self.size)

    def add(self, other: Yield) -> None:
        """Add the totals of further pages."""
        for name in ("pages", "kept", "size", "characters", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


NON_LETTERS = re.compile(r"[\W_]+")


def text_hash(text: str) -> str:
    """Digest of the letters and digits of ``text``, 32 hexadecimal digits; "" if it has none.

    Width (NFKC) and case are folded; white space, punctuation and symbols do not count. So a reprint with other paragraphs,
    quotation marks or spaces is the same text; one with a single other word is not.

    >>> text_hash("“两学一做”，常态化！\\n制度化") == text_hash("「两学一做」常态化 制度化。")
    True
    >>> text_hash("……")
    ''
    """
    words = NON_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest() if words else ""
