"""Metrics of a crawl against labels unseen by it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from topical_crawler.corpus.dedup import DUPLICATE
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import MIXED, Label
from topical_crawler.web.urls import fingerprint


class Shares:
    """Precision and recall from the counts of a collection."""

    __slots__ = ()
    collected: int
    relevant: int
    held: int
    available: int

    @property
    def precision(self) -> float:
        """relevant / collected (Eq. 6 of Zhou et al. 2019), 0 if nothing is collected."""
        return self.relevant / self.collected if self.collected else 0.0

    @property
    def recall(self) -> float:
        """held / available, 0 if no text is relevant."""
        return self.held / self.available if self.available else 0.0


@dataclass(frozen=True, slots=True)
class SiteScore(Shares):
    """Row of Table 8 of Zhou et al. 2019."""

    site: str  # its name
    collected: int  # distinct texts and textless pages collected, ignoring grade 1
    relevant: int  # collected texts of grade 2
    held: int  # the site's texts of grade 2 in the corpus, from this site or, as a copy, from another
    available: int  # texts of grade 2 on the site


def site_scores(records: Iterable[Record], labels: Mapping[bytes, Label], threshold: float = 0.0) -> list[SiteScore]:
    """Return Table 8: precision per site, with recall beside it.

    Args:
        records: all pages of a corpus, including rejected ones (a copy of a kept text is a rejected page).
        labels: from :func:`~topical_crawler.evaluation.labels.read_labels`.
        threshold: minimum relevance of a kept page.
    """
    collections: defaultdict[str, TextCollection] = defaultdict(TextCollection)
    held = TextCollection()
    for record in records:
        label = labels.get(fingerprint(record.url))
        if label is not None and record.relevance >= threshold:
            collections[label.site].add(label, taken=record.keep, held=False)
            held.add(label, taken=False, held=record.keep or record.reason == DUPLICATE)
    available: defaultdict[str, set[str]] = defaultdict(set)
    for label in labels.values():
        if label.is_relevant_text:
            available[label.site].add(label.doc)
    scores = []
    for site in sorted({label.site for label in labels.values()}):
        of_site, texts = collections[site], available[site]
        scores.append(SiteScore(site, len(of_site.collected), len(of_site.relevant), len(texts & held.held), len(texts)))
    return scores


def group_score(name: str, scores: Sequence[SiteScore]) -> tuple[float, SiteScore]:
    """Return the mean precision over the sites with collected texts, and the sums over all sites. The paper reports means."""
    some = [s.precision for s in scores if s.collected]
    counts = [(0, 0, 0, 0), *((s.collected, s.relevant, s.held, s.available) for s in scores)]
    return sum(some) / len(some) if some else 0.0, SiteScore(name, *map(sum, zip(*counts, strict=True)))


_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def thresholds(records: Iterable[Record]) -> list[float]:
    """Return 0 and relevance thresholds excluding growing shares of the kept pages, lowest first."""
    kept = sorted(r.relevance for r in records if r.keep)
    return sorted({0.0} | {kept[int(len(kept) * share)] for share in _SHARES if kept})


def harvest_curve(fetched: Iterable[str], labels: Mapping[bytes, Label]) -> list[int]:
    """Return the number of relevant texts after each fetched page, with element k-1 for k pages. Each text counts once."""
    seen: set[str] = set()
    curve = []
    for url in fetched:
        label = labels.get(fingerprint(url))
        if label is not None and label.is_relevant_text:
            seen.add(label.doc)
        curve.append(len(seen))
    return curve


def relevant_texts(labels: Mapping[bytes, Label]) -> int:
    """Return the number of texts of grade 2."""
    return len({label.doc for label in labels.values() if label.is_relevant_text})


def area_under_recall(curve: Sequence[int], total: int, budget: int) -> float:
    """Return the mean recall over a budget of pages, relative to the best possible, 0 to 1. A crawl ending early keeps its last
    value.

    >>> area_under_recall([1, 2, 2, 2], total=2, budget=4)
    1.0
    >>> area_under_recall([0, 0, 1, 2], total=2, budget=4)
    0.42857142857142855
    """
    if not total or not budget:
        return 0.0
    padded = list(curve[:budget]) + [curve[-1] if curve else 0] * (budget - len(curve))
    best = sum(min(k, total) for k in range(1, budget + 1))
    return sum(padded) / best


class TextCollection:
    """Growing collection of texts, counted page by page as in :func:`site_scores`."""

    def __init__(self) -> None:
        self.collected: set[str] = set()  # distinct texts and textless pages, without grade 1
        self.relevant: set[str] = set()  # those of grade 2
        self.held: set[str] = set()  # document numbers of its texts of grade 2

    def add(self, label: Label, taken: bool, held: bool) -> None:
        """Count a page with this label.

        Args:
            label: label of the page.
            taken: True if the page itself is in the collection.
            held: True if its text is, from this page or, as a copy, from another.
        """
        if taken and label.grade != MIXED:
            text = label.doc if label.is_text and label.doc else f"page:{label.url}"
            self.collected.add(text)
            if label.is_relevant_text:
                self.relevant.add(text)
        if held and label.is_relevant_text:
            self.held.add(label.doc)
