"""Drawing of a stratified sample of a corpus. The result depends on the pages and the seed, not on the order of pages."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import sqlalchemy as sa

from topical_crawler import __version__
from topical_crawler.corpus.record import pages
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.judging.sample import Header, Item, Sample, SampleError, Stratum

MINIMUM = 2  # least texts per stratum, if it has them, since a single text has no variance
BANDS = 5  # bands of relevance, with equal numbers of pages
OTHERS = "other hosts"  # stratum of hosts too small for one of their own

BY = ("host", "relevance", "none")

_ONE = 1 << 64


class Candidate(NamedTuple):
    """Page eligible for drawing."""

    key: str
    host: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Draw:
    """Sample: its strata by name, and the drawn keys with their strata, shuffled so any prefix is a sample, too."""

    strata: tuple[Stratum, ...]
    chosen: tuple[tuple[str, Stratum], ...]


def draw(
    candidates: Iterable[Candidate],
    size: int,
    by: str = "host",
    seed: int = 0,
    *,
    equal: bool = False,
    edges: Sequence[float] = (),
    reason: str = "",
) -> Draw:
    """Draw a stratified systematic sample (Cochran 1977, chapters 5 and 8).

    Each stratum is sorted (hosts by relevance, bands by host), then every k-th page is taken from a random start, with k as the
    stratum's weight. All its pages are equally likely, and the sample mirrors its mixture.

    Args:
        candidates: pages with distinct keys.
        size: number of pages to draw, at least 1. All if there are no more.
        by: strata: "host" (small hosts together), "relevance" (bands) or "none" (one stratum).
        seed: another seed gives another sample.
        equal: draw equal numbers from the strata, as far as they have them, instead of in proportion.
        edges: edges of the bands, see :func:`band_edges`.
        reason: rejection reason of the candidates, "" for kept ones.

    Raises:
        ValueError: ``size`` is less than the number of strata.

    >>> pages = [Candidate(f"{n:02d}", "党建.cn" if n < 90 else "门户.cn", n / 100) for n in range(100)]
    >>> [(s.name, s.population, s.sample) for s in draw(pages, 10).strata]
    [('党建.cn', 90, 8), ('门户.cn', 10, 2)]
    """
    parts: defaultdict[str, list[Candidate]] = defaultdict(list)
    for page in candidates:
        parts[page.host if by == "host" else band_name(page.relevance, edges) if by == "relevance" else "all"].append(page)
    if by == "host":
        parts = _with_others(parts, size)
    names = sorted(parts)
    if size < len(names):
        raise ValueError(f"{size} pages cannot represent {len(names)} strata. Draw {len(names)} or more")
    sizes = allocate([len(parts[n]) for n in names], size, equal=equal)
    strata, chosen = [], []
    for name, number in zip(names, sizes, strict=True):
        strata.append(stratum := Stratum(name, len(parts[name]), number, reason))
        ordered = sorted(parts[name], key=_order(by, seed))
        start = _random(seed, f"start {reason} {name}")  # offset of the first page, in units of step / 2^64
        places = ((i * _ONE + start) * len(ordered) // (number * _ONE) for i in range(number))
        chosen += [(ordered[place].key, stratum) for place in places]
    chosen.sort(key=lambda pair: _random(seed, f"turn {pair[0]}"))
    return Draw(tuple(strata), tuple(chosen))


def allocate(sizes: Sequence[int], total: int, *, equal: bool = False, minimum: int = MINIMUM) -> list[int]:
    """Return the number of pages to draw from each stratum, adding up to ``total``, or to all there are.

    In proportion to the sizes, rounded by the largest remainder, but at least ``minimum``, or the size of a smaller stratum.
    With ``equal``: equal numbers, as far as the strata have them.

    Args:
        sizes: sizes of the strata, at least 1 each.
        total: at least the number of strata.
        equal: draw equal numbers.
        minimum: least number per stratum.

    >>> allocate([900, 90, 10], 20), allocate([900, 90, 10], 60, equal=True)
    ([16, 2, 2], [25, 25, 10])
    """
    total = min(total, sum(sizes))
    numbers = [min(size, minimum) for size in sizes]
    if equal:
        numbers = [0] * len(sizes)
        by_size = sorted(range(len(sizes)), key=lambda i: sizes[i])
        for done, i in enumerate(by_size):  # larger strata make up for small ones
            numbers[i] = min(sizes[i], (total - sum(numbers)) // (len(sizes) - done))
        return numbers
    if sum(numbers) >= total:
        return _proportional(numbers, total)
    free = set(range(len(sizes)))
    while True:  # strata with a share below the minimum get the minimum, the others divide the rest
        rest = total - sum(numbers[i] for i in range(len(sizes)) if i not in free)
        pages = sum(sizes[i] for i in free)
        below = {i for i in free if rest * sizes[i] < numbers[i] * pages}
        if not below:
            break
        free -= below
    order = sorted(free)
    for i, number in zip(order, _proportional([sizes[i] for i in order], rest), strict=True):
        numbers[i] = number
    return numbers


def band_edges(relevance: Iterable[float], bands: int = BANDS) -> tuple[float, ...]:
    """Return the edges of bands of relevance with about equal numbers of pages. Fewer bands if many pages have the same
    relevance.

    A page on an edge belongs to the upper band.

    >>> band_edges([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 3)
    (0.3, 0.5)
    """
    ordered = sorted(relevance)
    cuts = {ordered[len(ordered) * i // bands] for i in range(1, bands)} if ordered else set()
    return tuple(sorted(cuts - set(ordered[:1])))


def band_name(relevance: float, edges: Sequence[float]) -> str:
    """Return the displayed name of a page's band.

    >>> band_name(0.4, (0.3, 0.5)), band_name(0.5, (0.3, 0.5)), band_name(0.1, (0.3, 0.5))
    ('0.3 to 0.5', '0.5 or more', 'less than 0.3')
    """
    if not edges:
        return "all"
    place = bisect_right(edges, relevance)
    if place == 0:
        return f"less than {edges[0]:.4g}"
    return f"{edges[-1]:.4g} or more" if place == len(edges) else f"{edges[place - 1]:.4g} to {edges[place]:.4g}"


def _order(by: str, seed: int) -> Callable[[Candidate], tuple[object, ...]]:
    if by == "host":
        return lambda candidate: (candidate.relevance, _random(seed, candidate.key))
    if by == "relevance":
        return lambda candidate: (candidate.host, _random(seed, candidate.key))
    return lambda candidate: (_random(seed, candidate.key),)


def _with_others(parts: defaultdict[str, list[Candidate]], size: int) -> defaultdict[str, list[Candidate]]:
    """Merge the smallest hosts, so the minima of all strata take at most half of the sample."""
    most = max(1, size // (2 * MINIMUM))
    if len(parts) <= most:
        return parts
    by_size = sorted(parts, key=lambda host: (-len(parts[host]), host))
    taken: defaultdict[str, list[Candidate]] = defaultdict(list, {host: parts[host] for host in by_size[: most - 1]})
    taken[OTHERS] = [candidate for host in by_size[most - 1 :] for candidate in parts[host]]
    return taken


def _proportional(sizes: Sequence[int], total: int) -> list[int]:
    """Divide ``total`` in proportion to the sizes by the largest remainder."""
    pages = sum(sizes) or 1
    numbers = [size * total // pages for size in sizes]
    by_remainder = sorted(range(len(sizes)), key=lambda i: -(sizes[i] * total % pages))
    for i in by_remainder[: total - sum(numbers)]:
        numbers[i] += 1
    return numbers


def _random(seed: int, text: str) -> int:
    """Return a pseudo-random number below 2^64, the same in every version of Python."""
    return int.from_bytes(blake2b(f"{seed} {text}".encode("utf-8", "replace"), digest_size=8).digest())


# -- A sample drawn from a corpus

SHOWN = (pages.c.key, pages.c.url, pages.c.title, pages.c.host, pages.c.date, pages.c.relevance, pages.c.text)  # item columns
_AT_ONCE = 500


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
    """Draw kept pages of a corpus with their texts, then pages rejected for each reason, without texts.

    Args:
        store: the corpus. Others may write to it meanwhile.
        size, by, seed, equal: see :func:`draw`.
        rejected: rejection reasons, with ``size`` pages drawn for each.
        topic, terms: shown to the judge.

    Raises:
        SampleError: there are no pages, or ``size`` is less than the number of strata.
        CorpusError: the corpus cannot be read.
    """
    strata: list[Stratum] = []
    items: list[Item] = []
    with store.reading() as connection:
        edges: tuple[float, ...] = ()
        for reason in ("", *dict.fromkeys(rejected)):
            group = sa.and_(sa.not_(pages.c.keep), pages.c.reason == reason) if reason else pages.c.keep.is_(True)
            query = sa.select(pages.c.key, pages.c.host, pages.c.relevance).where(group).order_by(pages.c.id)
            candidates = [Candidate(*row) for row in connection.execution_options(yield_per=1000).execute(query)]
            if not candidates:
                raise _no_page(connection, store.name, reason)
            if not reason:
                edges = band_edges(candidate.relevance for candidate in candidates)
            try:
                drawn = draw(candidates, size, by, seed, equal=equal, edges=edges, reason=reason)
            except ValueError as error:
                raise SampleError(f"{store.name}: {error}") from None
            strata += drawn.strata
            items += _items(connection, drawn.chosen)
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


def _items(connection: sa.Connection, chosen: Sequence[tuple[str, Stratum]]) -> Iterator[Item]:
    for start in range(0, len(chosen), _AT_ONCE):
        some = chosen[start : start + _AT_ONCE]
        query = sa.select(*SHOWN).where(pages.c.key.in_([key for key, _ in some]))
        rows = {row["key"]: row for row in connection.execute(query).mappings()}
        for key, stratum in some:
            fields = dict(rows[key]) | {"text": rows[key]["text"] or ""}
            yield Item(**fields, reason=stratum.reason, stratum=stratum.name, weight=stratum.weight)


def _no_page(connection: sa.Connection, name: str, reason: str) -> SampleError:
    if not reason:
        return SampleError(f"{name} holds no kept page. Continue the crawl, or choose another corpus")
    reasons = connection.scalars(sa.select(pages.c.reason).where(sa.not_(pages.c.keep)).distinct())
    known = ", ".join(map(repr, sorted(reasons))) or "none"
    return SampleError(f"{name} holds no page rejected as {reason!r}. Choose one of its reasons: {known}")
