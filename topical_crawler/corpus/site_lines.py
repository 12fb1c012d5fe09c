"""Lines repeated by sites, counted by host in the corpus.

All writers and every later crawl share them. The functions work in the caller's transaction. The row of a host with the digest 0
counts its pages, and its ``line`` is the host's state at its last cleaning.
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
_AT_ONCE = 500  # rows in a statement: SQLite limits the number of parameters


def known(connection: sa.Connection, host: str, text: str) -> Learned:
    """Return the counts for the lines of a page's ``text`` as extracted."""
    counts = _counts(connection, host, [_SEEN, *_candidates(text)])
    return Learned(counts.pop(_SEEN, 0), counts)


def learn(connection: sa.Connection, host: str, text: str) -> None:
    """Count the lines of a page's ``text`` as extracted.

    Call it only for pages kept for the first time: refetched pages and copies would make an article's own lines look like the
    site's. Adds at most :data:`~topical_crawler.cleaning.boilerplate.NEW_LINES` rows. Every
    :data:`~topical_crawler.cleaning.boilerplate.PERIOD` pages of the host, rare lines are deleted.
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
    """Replace all counts of a host's lines by ``counts``."""
    connection.execute(lines.delete().where(lines.c.host == host))
    rows = [_row(host, n, counts.lines[n], count) for n, count in sorted(counts.pages.items())]
    _add(connection, [_row(host, _SEEN, "", counts.seen), *rows])


def state(seen: int, kept: int, characters: int) -> str:
    """Return the state of a host with so many counted pages, kept texts and characters of these."""
    return f"{seen} {kept} {characters}"


def note_clean(connection: sa.Connection, states: Mapping[str, str]) -> None:
    """Note the :func:`state` of each of these hosts after cleaning."""
    for host, text in sorted(states.items()):
        connection.execute(lines.update().where(lines.c.host == host, lines.c.digest == _SEEN).values(line=text))


def due(connection: sa.Connection) -> dict[str, Learned]:
    """Return the possible site lines by host, for hosts in another state than at their last cleaning."""
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
    """Return the hosts with more kept than counted pages, after collecting without line counts, or a merge."""
    kept = sa.select(pages.c.host, sa.func.count().label("kept")).where(pages.c.keep).group_by(pages.c.host).subquery()
    counted = sa.and_(lines.c.host == kept.c.host, lines.c.digest == _SEEN)
    query = sa.select(kept.c.host).outerjoin(lines, counted).where(kept.c.kept > sa.func.coalesce(lines.c.pages, 0))
    return set(connection.scalars(query))


@lru_cache(maxsize=2)
def _candidates(text: str) -> Mapping[int, str]:
    """Return the candidates of a page, cached because :func:`known` and :func:`learn` follow each other."""
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
