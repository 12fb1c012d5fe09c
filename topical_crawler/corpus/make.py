"""From extracted pages to the fields of records; and the lines that sites repeat.

Repeated lines are stored in the corpus, so that all its writers and every later crawl know them. Their functions work in the
caller's transaction. The row of a host with the digest 0 counts its pages; its ``line`` is the state in which it was cleaned.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from topical_crawler.cleaning import CleaningOptions, TextCleaner, mask
from topical_crawler.cleaning.boilerplate import (
    EDGE_SHARE,
    MIN_PAGES,
    NOTHING,
    PERIOD,
    Learned,
    LineCounts,
    candidates,
    digest,
    new_lines,
)
from topical_crawler.cleaning.characters import repair, visible
from topical_crawler.corpus.record import PageLines, lines, pages, plain, sqlite_rows, upserting
from topical_crawler.text.passages import prose
from topical_crawler.web.urls import fingerprint

if TYPE_CHECKING:  # who reads a corpus extracts nothing
    from topical_crawler.corpus.store import CorpusStore
    from topical_crawler.extraction import Extracted

_ANNOUNCED = ("title", "date", "source", "section")
_TAKEN_OVER = ("date", "author", "source", "section", "canonical", "license", "kind", "method", "series", "part")


def announcement(store: CorpusStore, pages: Iterable[str]) -> dict[str, str]:
    """Title, date, source and section of the first of these pages that the corpus has a row for, as far as they are known: what
    is said of a document by the page that links to it."""
    for url in pages:
        row = store.get(fingerprint(url).hex())
        if row is not None:
            return {name: value for name in _ANNOUNCED if (value := getattr(row, name))}
    return {}


@dataclass(frozen=True, slots=True)
class Made:
    """An extracted page, cleaned."""

    fields: dict[str, Any] = field(default_factory=dict)  # of its `Record`: title, text, details and measures
    reason: str = ""  # why it has no text
    lines: PageLines | None = None  # its prose as extracted, for `put` to learn from; None if none was extracted


class Maker:
    """Cleans extracted pages for a corpus by ``options``. ``store`` knows the lines of hosts; without one no lines are known."""

    def __init__(self, store: CorpusStore | None, options: CleaningOptions) -> None:
        self._lines_of = store if options.site_lines else None
        self._options = options
        self._cleaner = TextCleaner(options)
        # The last part of an article may be one sentence.
        self._cleaner_of_parts = TextCleaner(dataclasses.replace(options, min_characters=1))

    def make(
        self,
        host: str,
        extracted: Extracted,
        *,
        anchors: Collection[str] = (),
        title: str = "",
        announced: Mapping[str, str] | None = None,
    ) -> Made:
        """Clean and measure the text of a page with these ``anchors`` of links; its ``<title>`` replaces a missing headline, and
        what the page that announced a document is (:func:`announcement`) the details that the document lacks."""
        fields: dict[str, Any] = {name: getattr(extracted, name) for name in _TAKEN_OVER}
        fields["title"] = extracted.title or title
        fields |= {name: value for name, value in (announced or {}).items() if not fields[name]}
        fields |= {name: visible(value) for name, value in fields.items() if isinstance(value, str)}
        if extracted.reason:
            return Made(fields, extracted.reason)
        words = prose(extracted.text, extracted.layout)
        learned = self._lines_of.learned(host, words) if self._lines_of else NOTHING
        cleaner = self._cleaner_of_parts if extracted.part > 1 else self._cleaner
        cleaned = cleaner.clean(extracted.text, anchors, fields["title"], learned, extracted.layout)
        values = {name: getattr(cleaned, name) for name in ("text", "layout", "language", "script", "measures", "personal")}
        if self._options.keep_raw:
            values["raw"] = mask(extracted.text)[0] if self._options.personal == "mask" else extracted.text
        lines = PageLines(words, cleaned.removed) if self._lines_of else None
        return Made(fields | values, cleaned.reason, lines)


# -- Lines that sites repeat

_SEEN = 0
_AT_ONCE = 500  # rows of a statement: SQLite takes a limited number of parameters


@dataclass(frozen=True, slots=True)
class SiteLine:
    """A line of a host: it is on ``pages`` of ``seen`` pages and was ``removed`` from so many."""

    host: str
    line: str
    pages: int
    seen: int
    removed: int


def known(connection: sa.Connection, host: str, text: str) -> Learned:
    """What is known of the lines of a page's ``text`` as extracted."""
    counts = _counts(connection, host, [_SEEN, *_candidates(text)])
    return Learned(counts.pop(_SEEN, 0), counts)


def learn(connection: sa.Connection, host: str, text: str, removed: Iterable[str] = ()) -> None:
    """Count the lines of a page's ``text`` as extracted, and those that were ``removed`` from it.

    Only for a page that is kept and was not kept before: pages fetched again and copies would make an article's own lines look
    like the site's. At most :data:`~topical_crawler.cleaning.boilerplate.NEW_LINES` rows are added; every
    :data:`~topical_crawler.cleaning.boilerplate.PERIOD` pages of the host the rare ones are deleted.
    """
    page_lines = {_SEEN: "", **_candidates(text)}
    present = _counts(connection, host, page_lines)
    removed_digests = set(map(digest, removed))
    counted = {*new_lines(page_lines, {_SEEN, *present}), _SEEN, *present}
    # Sorted, so that two writers of the same lines cannot deadlock.
    _add(connection, [_row(host, n, page_lines[n], 1, int(n in removed_digests)) for n in sorted(counted)])
    seen = present.get(_SEEN, 0) + 1
    if seen % PERIOD == 0:
        connection.execute(lines.delete().where(lines.c.host == host, lines.c.digest != _SEEN, lines.c.pages * PERIOD <= seen))


def replace(connection: sa.Connection, host: str, counts: LineCounts) -> None:
    """Replace all that is known of a host's lines by ``counts``."""
    connection.execute(lines.delete().where(lines.c.host == host))
    rows = [_row(host, n, counts.lines[n], count) for n, count in sorted(counts.pages.items())]
    _add(connection, [_row(host, _SEEN, "", counts.seen), *rows])


def note_removed(connection: sa.Connection, host: str, removed: Counter[str], times: int = 1) -> None:
    """Add to the counts of removals, each line ``times`` as often."""
    for line, count in sorted(removed.items()):
        where = lines.c.host == host, lines.c.digest == digest(line)
        connection.execute(lines.update().where(*where).values(removed=lines.c.removed + count * times))


def state(seen: int, kept: int, characters: int) -> str:
    """The state of a host with so many counted pages, kept texts and characters of these."""
    return f"{seen} {kept} {characters}"


def note_clean(connection: sa.Connection, states: Mapping[str, str]) -> None:
    """Note in which :func:`state` each of these hosts was cleaned."""
    for host, text in sorted(states.items()):
        connection.execute(lines.update().where(lines.c.host == host, lines.c.digest == _SEEN).values(line=text))


def due(connection: sa.Connection) -> dict[str, Learned]:
    """By host, the lines that may be the site's, of hosts that are in another state than when they were cleaned."""
    seen = lines.alias()
    often = sa.and_(lines.c.digest != _SEEN, lines.c.pages >= MIN_PAGES, lines.c.pages >= EDGE_SHARE * seen.c.pages)
    query = sa.select(lines.c.host, lines.c.digest, lines.c.pages, seen.c.pages.label("seen"), seen.c.line.label("state"))
    query = query.join(seen, sa.and_(seen.c.host == lines.c.host, seen.c.digest == _SEEN)).where(often)
    found: dict[str, tuple[int, str, dict[int, int]]] = {}
    for row in connection.execute(query):
        found.setdefault(row.host, (row.seen, row.state, {}))[2][row.digest] = row.pages
    if not found:
        return {}
    texts = sa.select(pages.c.host, sa.func.count().label("kept"), sa.func.sum(pages.c.characters).label("characters"))
    now = {row.host: (row.kept, row.characters) for row in connection.execute(texts.where(pages.c.keep).group_by(pages.c.host))}
    return {
        host: Learned(seen, counts)
        for host, (seen, cleaned, counts) in found.items()
        if host in now and cleaned != state(seen, *now[host])
    }


def unlearned(connection: sa.Connection) -> set[str]:
    """Hosts with more kept than counted pages: the corpus was collected without learning lines, or merged."""
    kept = sa.select(pages.c.host, sa.func.count().label("kept")).where(pages.c.keep).group_by(pages.c.host).subquery()
    counted = sa.and_(lines.c.host == kept.c.host, lines.c.digest == _SEEN)
    query = sa.select(kept.c.host).outerjoin(lines, counted).where(kept.c.kept > sa.func.coalesce(lines.c.pages, 0))
    return set(connection.scalars(query))


def report(connection: sa.Connection) -> Iterator[SiteLine]:
    """The lines that are or were removed from texts, by host, the most frequent first."""
    all_pages = lines.alias()
    query = (
        sa.select(lines.c.host, lines.c.line, lines.c.pages, all_pages.c.pages.label("seen"), lines.c.removed)
        .join(all_pages, sa.and_(all_pages.c.host == lines.c.host, all_pages.c.digest == _SEEN))
        .where(lines.c.digest != _SEEN, lines.c.pages > 1)
        .order_by(lines.c.host, lines.c.pages.desc(), lines.c.digest)
    )
    for row in connection.execute(query):
        site_line = SiteLine(row.host, row.line, row.pages, row.seen, row.removed)
        if site_line.removed or Learned(site_line.seen, {digest(site_line.line): site_line.pages}).at_edge(site_line.line):
            yield site_line


@lru_cache(maxsize=2)
def _candidates(text: str) -> Mapping[int, str]:
    """Cached: what is known of a page's lines is asked for right before they are learned."""
    return candidates(repair(text))


def _counts(connection: sa.Connection, host: str, digests: Iterable[int]) -> dict[int, int]:
    some = list(digests)
    if connection.dialect.name == "sqlite":
        places = ",".join("?" * len(some))
        return dict(
            sqlite_rows(connection, f"SELECT digest, pages FROM lines WHERE host = ? AND digest IN ({places})", (host, *some))
        )
    asked = sa.select(lines.c.digest, lines.c.pages).where(lines.c.host == host, lines.c.digest.in_(some))
    return {row.digest: row.pages for row in connection.execute(asked)}


def _row(host: str, number: int, line: str, count: int, removed: int = 0) -> dict[str, object]:
    return {"host": host, "digest": number, "line": plain(line), "pages": count, "removed": removed}


def _add(connection: sa.Connection, rows: list[dict[str, object]]) -> None:
    insert = upserting(connection.dialect.name, lines)
    statement = insert.on_conflict_do_update(
        index_elements=[lines.c.host, lines.c.digest],
        set_={"pages": lines.c.pages + insert.excluded.pages, "removed": lines.c.removed + insert.excluded.removed},
    )
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(statement, rows[start : start + _AT_ONCE])
