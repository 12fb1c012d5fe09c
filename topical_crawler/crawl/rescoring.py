"""Rescoring of waiting links with later knowledge, and forecasts from the scores."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from topical_crawler.crawl.link_policy import FORESIGHT, LEAST_GAIN, LinkPolicy, is_link
from topical_crawler.crawl.refresh import SUNK
from topical_crawler.frontier.base import STEP, Entry, Frontier
from topical_crawler.strategies import Strategy

MOST_RESCORED = 20_000  # most waiting links of one rescoring
SCORED = 50  # links scored before yielding to other tasks: a path of 300 characters takes jieba 3 ms
_RESCORED, _EXPECTED = "rescorings", "expected"

Scored = tuple[float, float, Entry]  # an entry with its priority and its score
Steps = Generator[None, None, list[Scored] | None]


def rescoring_due(pages: int) -> bool:
    """Return True if waiting links are to be rescored after ``pages`` finished pages.

    It is due every 16 pages at first, then at steps of 3 to 6 % of the pages. It depends on their number alone, so a resumed
    crawl does the same.

    >>> [n for n in range(1, 700) if rescoring_due(n)][-4:]
    [576, 608, 640, 672]
    """
    return pages > 0 and pages % max(16, (1 << pages.bit_length()) >> 5) == 0


def look_ahead(strategy: Strategy, policy: LinkPolicy, frontier: Frontier) -> Generator[None]:
    """Rescore the best waiting links, step by step, and save a forecast of their texts for all workers."""
    best = yield from rescore_waiting(strategy, policy, frontier)
    if strategy.kept_per_score is not None:
        policy.expected = expected_texts(strategy, policy, frontier, best)
        frontier.journal.save(_EXPECTED, policy.expected)


def last_expected(frontier: Frontier) -> tuple[float, float] | None:
    """Return the last forecast of :func:`look_ahead` in any worker, or None."""
    expected = frontier.journal.load(_EXPECTED)
    return None if expected is None else (expected[0], expected[1])


def rescore_waiting(strategy: Strategy, policy: LinkPolicy, frontier: Frontier) -> Steps:
    """Rescore waiting links if the strategy has learned since the last time: read and store :data:`STEP`, score :data:`SCORED` at
    a step.

    It covers the :data:`FORESIGHT` best links, every second time twice as many, every fourth time four times as many, and so
    on. Their priorities change after all are scored. Return the links, the highest priority first, or None if nothing was
    learned.
    """
    revision = strategy.revision + policy.revision
    last, times = frontier.journal.load(_RESCORED) or (0, 0)
    if revision == last:
        return None
    times += 1
    entries: list[Entry] = []
    scores: list[float | None] = []
    for some in frontier.read_waiting(min(MOST_RESCORED, FORESIGHT * (times & -times))):
        yield
        entries += (links := _links(some))
        for start in range(0, len(links), SCORED):
            scores += strategy.score([e.candidate() for e in links[start : start + SCORED]])
            yield
    best = _ranked(policy, entries, scores)
    yield
    changed = [(e.key, place) for place, _, e in best if place != e.priority]
    for start in range(0, len(changed), STEP):
        frontier.reprice(dict(changed[start : start + STEP]))
        yield
    frontier.journal.save(_RESCORED, [revision, times])
    return best


def expected_texts(
    strategy: Strategy, policy: LinkPolicy, frontier: Frontier, best: list[Scored] | None = None
) -> tuple[float, float] | None:
    """Return the lower and upper estimate of texts in :data:`FORESIGHT` further pages, or None without waiting links or an
    estimate.

    The estimate is based on the recent worth of scores. In the upper one each link gives as much as on the best possible site
    (:meth:`LinkPolicy.place`). While a site is unexplored, the upper estimate is at least enough to continue.

    Args:
        strategy, policy, frontier: those of the crawl.
        best: result of :func:`rescore_waiting`, if it returned any.
    """
    if strategy.kept_per_score is None:
        return None
    if best is None:
        best = _ranked(policy, *scored(strategy, frontier, FORESIGHT))
    if not (best := best[:FORESIGHT]):
        return None
    (low, high), number = strategy.kept_per_score, len(best)
    places, known, entries = zip(*best, strict=True)
    least, most = sum(known) * FORESIGHT / number, sum(places) * FORESIGHT / number
    return round(low * least, 3), round(max(high * most, LEAST_GAIN * policy.is_unexplored(entries)), 3)


def _ranked(policy: LinkPolicy, entries: Sequence[Entry], scores: Sequence[float | None]) -> list[Scored]:
    """Return entries with their priorities and scores, the highest priority first."""
    policy.meet(e.host for e in entries)
    ranked = [(e.priority if s is None else policy.place(s, e), s or 0.0, e) for e, s in zip(entries, scores, strict=True)]
    return sorted(ranked, key=lambda link: (-link[0], -link[1]))


def scored(strategy: Strategy, frontier: Frontier, most: int) -> tuple[list[Entry], Sequence[float | None]]:
    """Return the best waiting links except seeds, with their current scores."""
    entries = _links(frontier.waiting(most))
    return entries, strategy.score([e.candidate() for e in entries])


def _links(waiting: list[Entry]) -> list[Entry]:
    return [e for e in waiting if is_link(e) and e.priority > -SUNK / 2]
