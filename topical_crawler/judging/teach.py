"""Choose the texts of a corpus whose marks teach its crawl most: half of them the most uncertain, half the best."""

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
    """A page by its key, with its relevance, and whether it was kept rather than off topic."""

    key: str
    relevance: float
    keep: bool


def parting(judged: Iterable[Judged]) -> float:
    """The relevance that best parts kept pages from those off topic: half-way between the two neighbours that it parts. It is the
    threshold of the crawl, as far as that did not change.

    >>> parting([Judged("a", 0.9, True), Judged("b", 0.5, True), Judged("c", 0.3, False), Judged("d", 0.1, False)])
    0.4
    """
    ordered = sorted(judged, key=lambda page: page.relevance)
    errors = fewest = sum(not page.keep for page in ordered)  # where all are taken to be kept
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
    """Draw the pages about which to ask a person: half of ``size`` those with a relevance nearest to the threshold, kept or off
    topic, the others the kept ones of the highest relevance. The uncertain ones come first, for a person may stop early; within a
    half the order is random, always the same one.

    Args:
        store: the corpus; others may write to it meanwhile.
        size: pages to draw, at least 1; all if there are no more.
        known: addresses that are not drawn.
        aside: gives the source of an off-topic page by its key, where the crawl has it; only those with a text are drawn. None:
            off-topic pages are drawn by their titles.
        now: relevances by key of off-topic pages that the crawl has judged again since.
        topic, terms: shown to the judge.

    Raises:
        SampleError: there is no page.
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
        raise SampleError(f"{store.name} holds no page to ask about that was not asked about before. Remedy: crawl on")
    items = sorted(drawn.values(), key=lambda item: (item.stratum != UNCERTAIN, item.key))  # keys are digests
    return _sample(tuple(items), store.name, topic, terms)


def sample_of(record: Record, corpus: str, topic: str = "", terms: Sequence[str] = ()) -> Sample:
    """One page as a sample that teaches: a person wants to mark it, nobody had to ask. ``corpus`` is the name of its corpus."""
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
    """None for an off-topic page without a text that could have one."""
    row = dict(connection.execute(sa.select(*_SHOWN).where(pages.c.key == page.key)).mappings().one())
    final_url, text = row.pop("final_url"), row["text"] or ""
    if not row.pop("keep") and aside is not None:
        html = aside(bytes.fromhex(page.key))
        text = extract(html, final_url).text if html else ""
        if not text:
            return None
    return Item(**row | {"text": text}, reason="" if page.keep else OFF_TOPIC, stratum=half, weight=1.0)
