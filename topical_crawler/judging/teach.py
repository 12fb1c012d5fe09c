"""Choice of the most instructive texts of a corpus to mark: half of them the most uncertain, half the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import sqlalchemy as sa

from topical_crawler import __version__
from topical_crawler.corpus.record import Record, pages
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.extraction.extract import extract
from topical_crawler.judging.draw import SHOWN
from topical_crawler.judging.sample import TEACHING, Header, Item, Sample, SampleError, Stratum
from topical_crawler.strategies import OFF_TOPIC

UNCERTAIN, BEST = "uncertain", "best"
"""Names of the halves."""


class Judged(NamedTuple):
    """Page by its key, with its relevance, and True if kept, False if off topic."""

    key: str
    relevance: float
    keep: bool


def parting(judged: Iterable[Judged]) -> float:
    """Return the relevance separating kept from off-topic pages with the fewest errors, half-way between its two neighbours.

    Equals the threshold of the crawl, if that did not change.

    >>> parting([Judged("a", 0.9, True), Judged("b", 0.5, True), Judged("c", 0.3, False), Judged("d", 0.1, False)])
    0.4
    """
    ordered = sorted(judged, key=lambda page: page.relevance)
    errors = fewest = sum(not page.keep for page in ordered)  # taking all as kept
    place = 0
    for number, page in enumerate(ordered, 1):
        errors += 1 if page.keep else -1
        if errors < fewest:
            fewest, place = errors, number
    low, high = ordered[max(0, place - 1)], ordered[min(place, len(ordered) - 1)]
    return (low.relevance + high.relevance) / 2


def draw_to_teach(
    store: CorpusStore,
    size: int,
    *,
    known: Collection[str] = (),
    aside: Callable[[bytes], str | None] | None = None,
    now: Mapping[bytes, float] = MappingProxyType({}),
    topic: str = "",
    terms: Sequence[str] = (),
) -> Sample:
    """Draw the pages to ask a person about.

    Half of ``size`` are the pages nearest to the threshold, kept or off topic, the others the kept ones of the highest
    relevance. The uncertain ones come first, since a person may stop early. Within a half the order is random but reproducible.

    Args:
        store: the corpus. Others may write to it meanwhile.
        size: number of pages to draw, at least 1. All if there are no more.
        known: URLs to skip.
        aside: returns the source of an off-topic page by its key, if stored by the crawl. Off-topic pages without a text are
            skipped. None: draw off-topic pages by their titles.
        now: relevances of off-topic pages by key, from a later judgement of the crawl.
        topic, terms: shown to the judge.

    Raises:
        SampleError: no page to ask about.
        CorpusError: the corpus or the file of pages set aside cannot be read.
    """
    with store.reading() as connection:
        query = sa.select(pages.c.key, pages.c.relevance, pages.c.keep, pages.c.url).where(
            sa.or_(pages.c.keep, sa.and_(pages.c.reason == OFF_TOPIC, pages.c.title != ""))
        )
        found = connection.execution_options(yield_per=1000).execute(query)
        rows = [(Judged(row.key, row.relevance, row.keep), row.url in known) for row in found]
        threshold = parting(page for page, _ in rows) if rows else 0.0
        judged = [
            p if p.keep else p._replace(relevance=now.get(bytes.fromhex(p.key), p.relevance)) for p, asked in rows if not asked
        ]
        drawn: dict[str, Item] = {}
        by_doubt = sorted(judged, key=lambda page: (abs(page.relevance - threshold), page.key))
        by_merit = sorted((page for page in judged if page.keep), key=lambda page: (-page.relevance, page.key))
        for name, most, ordered in ((BEST, size // 2, by_merit), (UNCERTAIN, size, by_doubt)):
            for page in ordered:
                if len(drawn) >= most:
                    break
                if page.key not in drawn and (item := _item(connection, page, name, aside)):
                    drawn[page.key] = item
    if not drawn:
        raise SampleError(f"{store.name} has no page left to ask about. Continue the crawl first")
    items = sorted(drawn.values(), key=lambda item: (item.stratum != UNCERTAIN, item.key))  # keys are digests
    return _sample(tuple(items), store.name, topic, terms)


def sample_of(record: Record, corpus: str, topic: str = "", terms: Sequence[str] = ()) -> Sample:
    """Return a sample of one page marked on a person's own initiative. ``corpus`` is the name of its corpus."""
    item = Item(
        key=record.key, url=record.url, title=record.title, host=record.host, date=record.date, relevance=record.relevance,
        stratum=UNCERTAIN, weight=1.0, text=record.text or "", reason="" if record.keep else record.reason,
    )  # fmt: skip
    return _sample((item,), corpus, topic, terms)


def _sample(items: tuple[Item, ...], corpus: str, topic: str, terms: Sequence[str]) -> Sample:
    groups = Counter((item.stratum, item.reason) for item in items)
    strata = tuple(Stratum(half, number, number, reason) for (half, reason), number in groups.items())
    header = Header(
        corpus=corpus, topic=topic, terms=tuple(terms), program=__version__, by=TEACHING, equal=True, seed=0, edges=(),
        strata=strata,
    )  # fmt: skip
    return Sample(header, items)


_SHOWN = (*SHOWN, pages.c.final_url, pages.c.keep)


def _item(connection: sa.Connection, page: Judged, half: str, aside: Callable[[bytes], str | None] | None) -> Item | None:
    """Return the item for a page, None for an off-topic page if its stored source yields no text."""
    row = dict(connection.execute(sa.select(*_SHOWN).where(pages.c.key == page.key)).mappings().one())
    final_url, text = row.pop("final_url"), row["text"] or ""
    if not row.pop("keep") and aside is not None:
        html = aside(bytes.fromhex(page.key))
        text = extract(html, final_url).text if html else ""
        if not text:
            return None
    return Item(**row | {"text": text}, reason="" if page.keep else OFF_TOPIC, stratum=half, weight=1.0)
