"""The lines that sites repeat, counted by host.

They are stored in the corpus, so that all its writers and every later crawl know them. The functions work in the caller's
transaction. The row of a host with the digest 0 counts its pages; its ``line`` is the state in which it was cleaned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import sqlalchemy as sa

from topical_crawler.cleaning.boilerplate import (
    EDGE_SHARE,
    MIN_PAGES,
    PERIOD,
    Learned,
    LineCounts,
    candidates,
    new_lines,
)
from topical_crawler.cleaning.characters import repair
from topical_crawler.corpus.record import lines, pages, plain, sqlite_rows, upserting

_SEEN = 0
_AT_ONCE = 500  # rows of a statement: SQLite takes a limited number of parameters


def known(connection: sa.Connection, host: str, text: str) -> Learned:
    """What is known of the lines of a page's ``text`` as extracted."""
    counts = _counts(connection, host, [_SEEN, *_candidates(text)])
    return Learned(counts.pop(_SEEN, 0), counts)


def learn(connection: sa.Connection, host: str, text: str) -> None:
    """Count the lines of a page's ``text`` as extracted.

    Only for a page that is kept and was not kept before: pages fetched again and copies would make an article's own lines look
    like the site's. At most :data:`~topical_crawler.cleaning.boilerplate.NEW_LINES` rows are added; every
    :data:`~topical_crawler.cleaning.boilerplate.PERIOD` pages of the host the rare ones are deleted.
    """
    page_lines = {_SEEN: "", **_candidates(text)}
    present = _counts(connection, host, page_lines)
    counted = {*new_lines(page_lines, {_SEEN, *present}), _SEEN, *present}
    # Sorted, so that two writers of the same lines cannot deadlock.
    _add(connection, [_row(host, n, page_lines[n], 1) for n in sorted(counted)])
    seen = present.get(_SEEN, 0) + 1
    if seen % PERIOD == 0:
        connection.execute(lines.delete().where(lines.c.host == host, lines.c.digest != _SEEN, lines.c.pages * PERIOD <= seen))


def replace(connection: sa.Connection, host: str, counts: LineCounts) -> None:
    """Replace all that is known of a host's lines by ``counts``."""
    connection.execute(lines.delete().where(lines.c.host == host))
    rows = [_row(host, n, counts.lines[n], count) for n, count in sorted(counts.pages.items())]
    _add(connection, [_row(host, _SEEN, "", counts.seen), *rows])


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


def _row(host: str, number: int, line: str, count: int) -> dict[str, object]:
    return {"host": host, "digest": number, "line": plain(line), "pages": count}


def _add(connection: sa.Connection, rows: list[dict[str, object]]) -> None:
    insert = upserting(connection.dialect.name, lines)
    statement = insert.on_conflict_do_update(
        index_elements=[lines.c.host, lines.c.digest],
        set_={"pages": lines.c.pages + insert.excluded.pages},
    )
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(statement, rows[start : start + _AT_ONCE])
