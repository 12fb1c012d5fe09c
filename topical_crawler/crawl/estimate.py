"""What a crawl has kept of what its sites hold, and how much of what it kept is on topic, by its own relevances, without labels.

Relevances are taken for probabilities, so their sums are numbers of texts. A text on topic is kept, or was fetched and rejected,
or is behind a link that waits. Others stand behind pages that nobody has seen, and no measure of a crawl tells how many. So the
interval reaches up to all, and down as far as the error did in recorded crawls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import exp, log

from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.link_policy import LinkPolicy, is_link
from topical_crawler.frontier import Entry, Frontier, Outcome
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.web.dom import looks_like_list
from topical_crawler.web.urls import fingerprint

SAMPLE, STRETCHES = 4096, 8
"""Most finished pages that are judged again, and over how many equal parts of the crawl they are spread."""
MOST_WAITING = 20_000
"""Most waiting links that are read."""
LEAST_KEPT = 10
"""Kept texts below which nothing is estimated."""
ERROR = 2.25
"""The log-odds of recall are less too high than this in 95 % of recorded crawls."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Shares of 0 to 1.

    Attributes:
        precision: expected share of the kept texts that is on topic.
        recall: of the texts on topic that the sites of the crawl hold, the share that is kept.
        least: above which the recall lies.
    """

    precision: float
    recall: float
    least: float


def estimate(strategy: Strategy, frontier: Frontier, policy: LinkPolicy, store: CorpusStore, finished: int) -> Estimate | None:
    """Estimates after ``finished`` pages; None where relevances are no probabilities, or too little was kept.

    May raise what the frontier and the corpus raise.
    """
    if not strategy.relevance_is_probability:
        return None
    outcomes = list(_sample(frontier, finished))
    judged = [outcome for outcome in outcomes if outcome.reason in ("", OFF_TOPIC) and outcome.lesson is not None]
    verdicts = strategy.reconsider([outcome.lesson for outcome in judged])
    kept, rejected = [], 0.0
    for outcome, verdict in zip(judged, verdicts, strict=True):
        is_kept = not outcome.reason
        if verdict is not None and verdict.keep is not is_kept:  # it may have been kept at a second look, or taken back
            is_kept = (row := store.get(fingerprint(outcome.url).hex())) is not None and row.keep
        if is_kept:
            kept.append(outcome.relevance if verdict is None else verdict.relevance)
        elif verdict is not None:
            rejected += verdict.relevance
    if len(kept) < LEAST_KEPT:
        return None
    scale = finished / len(outcomes)
    links = frontier.waiting(MOST_WAITING)
    missed = scale * rejected + promise(links, len(frontier) - len(links), policy)
    return Estimate(sum(kept) / len(kept), *recall(scale * sum(kept), missed))


def recall(kept: float, missed: float) -> tuple[float, float]:
    """Share that is kept, and the least that it may be, by the expected numbers of texts that were kept and missed, as far as
    they are known. They say half of what they seem to: the odds are the root of theirs.

    >>> [round(share, 2) for share in recall(80, 20)], [round(share, 2) for share in recall(80, 0)]
    ([0.66, 0.17], [0.9, 0.49])
    """
    odds = log((kept + 1) / (missed + 1)) / 2
    return 1 / (1 + exp(-odds)), 1 / (1 + exp(ERROR - odds))


def promise(links: Iterable[Entry], more: int, policy: LinkPolicy) -> float:
    """Expected number of texts on topic behind waiting links of sites that have answered.

    Args:
        links: the best ones, best first.
        more: how many wait besides; each is taken for as good as the last of the links.
    """
    total = score = 0.0
    links = list(links)
    policy.meet(link.host for link in links)
    for link in links:
        if is_link(link) and policy.has_answered(link.host) and not looks_like_list(link.url):
            total += (score := min(1.0, max(0.0, link.priority)))
    return total + more * score


def _sample(frontier: Frontier, finished: int) -> Iterator[Outcome]:
    """All finished pages, or :data:`SAMPLE` of them, from :data:`STRETCHES` parts of the crawl."""
    for part in range(STRETCHES):
        start, end = part * finished // STRETCHES, (part + 1) * finished // STRETCHES
        end = min(end, start + SAMPLE // STRETCHES)
        if start < end:
            for number, outcome in frontier.journal.outcomes(start):
                if number > end:  # a shared frontier has forgotten that part
                    break
                yield outcome
                if number == end:
                    break
