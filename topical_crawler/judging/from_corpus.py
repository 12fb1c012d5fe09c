"""A sample drawn from a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from topical_crawler.corpus.schema import pages
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.judging.draw import Candidate, Stratum, band_edges, draw
from topical_crawler.judging.sample import Header, Item, Sample, SampleError
from topical_crawler.version import __version__

_AT_ONCE = 500
_SHOWN = (pages.c.key, pages.c.url, pages.c.title, pages.c.host, pages.c.date, pages.c.relevance, pages.c.text)


def draw_sample(
    store: CorpusStore,
    size: int,
    *,
    by: str = "host",
    seed: int = 0,
    equal: bool = False,
    rejected: Sequence[str] = (),
    topic: str = "",
    terms: Sequence[str] = (),
) -> Sample:
    """Draw kept pages of a corpus with their texts, and pages that were rejected, which have none.

    Args:
        store: may be opened for reading; others may write to it meanwhile.
        size, by, seed, equal: see :func:`~topical_crawler.judging.draw.draw`.
        rejected: reasons for which pages were rejected; as many are drawn for each as are drawn of the kept ones.
        topic, terms: shown to the person who judges.

    Returns:
        Kept pages first, in an order that means nothing, then those of every reason.

    Raises:
        SampleError: there are no pages, or fewer are to be drawn than there are strata.
        CorpusError: the corpus cannot be read.
    """
    strata: list[Stratum] = []
    items: list[Item] = []
    with store.reading() as connection:
        edges: tuple[float, ...] = ()
        for reason in ("", *dict.fromkeys(rejected)):
            candidates = list(_candidates(connection, reason))
            if not candidates:
                raise _none(connection, store.name, reason)
            if not reason:
                edges = band_edges(candidate.relevance for candidate in candidates)
            try:
                found = draw(candidates, size, by, seed, equal=equal, edges=edges, reason=reason)
            except ValueError as error:
                raise SampleError(f"{store.name}: {error}") from None
            strata += found.strata
            items += _items(connection, found.chosen)
    header = Header(
        corpus=store.name,
        topic=topic,
        terms=tuple(terms),
        program=__version__,
        by=by,
        equal=equal,
        seed=seed,
        edges=edges,
        strata=tuple(strata),
    )
    return Sample(header, tuple(items))


def _candidates(connection: sa.Connection, reason: str) -> Iterator[Candidate]:
    query = sa.select(pages.c.key, pages.c.host, pages.c.relevance).where(_are(reason)).order_by(pages.c.id)
    for row in connection.execution_options(yield_per=1000).execute(query):
        yield Candidate(*row)


def _are(reason: str) -> sa.ColumnElement[bool]:
    return sa.and_(sa.not_(pages.c.keep), pages.c.reason == reason) if reason else pages.c.keep.is_(True)


def _items(connection: sa.Connection, chosen: Sequence[tuple[str, Stratum]]) -> Iterator[Item]:
    for start in range(0, len(chosen), _AT_ONCE):
        some = chosen[start : start + _AT_ONCE]
        query = sa.select(*_SHOWN).where(pages.c.key.in_([key for key, _ in some]))
        rows = {row["key"]: row for row in connection.execute(query).mappings()}
        for key, stratum in some:
            fields = dict(rows[key]) | {"text": rows[key]["text"] or ""}
            yield Item(**fields, reason=stratum.reason, stratum=stratum.name, weight=stratum.weight)


def _none(connection: sa.Connection, name: str, reason: str) -> SampleError:
    if not reason:
        return SampleError(f"{name} holds no kept page. Remedy: crawl on, or name another corpus")
    there = connection.scalars(sa.select(pages.c.reason).where(sa.not_(pages.c.keep)).distinct())
    known = ", ".join(repr(other) for other in sorted(there)) or "none"
    return SampleError(f"{name} holds no page that was rejected as {reason!r}. Remedy: name one of its reasons: {known}")
