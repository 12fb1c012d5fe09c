"""Metrics of a crawl by labels that it never saw, and confidence intervals of such figures."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topical_crawler.corpus.dedup import DUPLICATE
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import MIXED, RELEVANT, Label
from topical_crawler.web.urls import fingerprint


class _Shares:
    """Precision and recall from the counts of a collection."""

    __slots__ = ()
    collected: int
    relevant: int
    found: int
    there: int

    @property
    def precision(self) -> float:
        """relevant / collected (Eq. 6 of Zhou et al. 2019); 0 for nothing collected."""
        return self.relevant / self.collected if self.collected else 0.0

    @property
    def recall(self) -> float:
        """found / there; 0 where no relevant text is."""
        return self.found / self.there if self.there else 0.0


@dataclass(frozen=True, slots=True)
class SiteScore(_Shares):
    """A row of Table 8 of Zhou et al. 2019.

    Attributes:
        site: its name.
        collected: texts collected; copies of one text count once, texts of grade 1 not at all, pages without a text each.
        relevant: those of grade 2.
        found, there: texts of grade 2 of this site that the corpus holds (from this site or, as a copy, from another), and that
            the site has.
    """

    site: str
    collected: int
    relevant: int
    found: int
    there: int


def site_scores(records: Iterable[Record], labels: Mapping[bytes, Label], threshold: float = 0.0) -> list[SiteScore]:
    """Table 8: precision per site, with recall beside it.

    Args:
        records: of a corpus, rejected pages too (a copy of a kept text is a rejected page).
        labels: as read by :func:`~topical_crawler.evaluation.labels.read_labels`.
        threshold: minimum relevance of a kept page.
    """
    collections: defaultdict[str, TextCollection] = defaultdict(TextCollection)
    held = TextCollection()
    for record in records:
        label = labels.get(fingerprint(record.url))
        if label is not None and record.relevance >= threshold:
            collections[label.site].add(label, taken=record.keep, held=False)
            held.add(label, taken=False, held=record.keep or record.reason == DUPLICATE)
    there: defaultdict[str, set[str]] = defaultdict(set)
    for label in labels.values():
        if label.is_text and label.grade == RELEVANT:
            there[label.site].add(label.doc)
    scores = []
    for site in sorted({label.site for label in labels.values()}):
        of_site = collections[site].quality(pages=0, there=0)
        scores.append(SiteScore(site, of_site.collected, of_site.relevant, len(there[site] & held.found), len(there[site])))
    return scores


def group_score(name: str, scores: Sequence[SiteScore]) -> tuple[float, SiteScore]:
    """Mean precision over the sites that collected anything, as in the paper, and the sums over all sites."""
    some = [s for s in scores if s.collected]
    mean = sum(s.precision for s in some) / len(some) if some else 0.0
    columns = [(s.collected, s.relevant, s.found, s.there) for s in scores]
    return mean, SiteScore(name, *(sum(c) for c in zip(*columns, strict=True))) if columns else SiteScore(name, 0, 0, 0, 0)


def harvest_curve(fetched: Iterable[str], labels: Mapping[bytes, Label]) -> list[int]:
    """Relevant texts reached after each fetched page: element k-1 belongs to k pages. A text counts when it is first reached."""
    seen: set[str] = set()
    curve = []
    for url in fetched:
        label = labels.get(fingerprint(url))
        if label is not None and label.is_text and label.grade == RELEVANT:
            seen.add(label.doc)
        curve.append(len(seen))
    return curve


def relevant_texts(labels: Mapping[bytes, Label]) -> int:
    """Number of texts of grade 2."""
    return len({label.doc for label in labels.values() if label.is_text and label.grade == RELEVANT})


def area_under_recall(curve: Sequence[int], total: int, budget: int) -> float:
    """Mean recall over the pages of a budget, over the best possible, 0 to 1; a crawl that ended early keeps its last value.

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


@dataclass(frozen=True, slots=True)
class Quality(_Shares):
    """Quality of a collection of texts after so many pages.

    Attributes:
        pages: pages fetched so far.
        collected: texts in it, copies of one text once, those of grade 1 not at all.
        relevant: those of grade 2.
        found, there: relevant texts that it holds, and that the web has.
    """

    pages: int
    collected: int
    relevant: int
    found: int
    there: int

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall.

        >>> Quality(100, collected=8, relevant=4, found=4, there=16).f
        0.3333333333333333
        """
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


class TextCollection:
    """A growing collection of texts, counted page by page as in :func:`site_scores`."""

    def __init__(self) -> None:
        self._collected: set[str] = set()
        self._relevant: set[str] = set()
        self._found: set[str] = set()

    @property
    def found(self) -> Set[str]:
        """Document numbers of its relevant texts."""
        return self._found

    def add(self, label: Label, taken: bool, held: bool) -> None:
        """Count a page.

        Args:
            label: its label.
            taken: whether the page itself is in the collection.
            held: whether its text is in the collection, from this page or, as a copy, from another.
        """
        is_relevant = label.is_text and label.grade == RELEVANT
        if taken and label.grade != MIXED:
            text = label.doc if label.is_text and label.doc else f"page:{label.url}"
            self._collected.add(text)
            if is_relevant:
                self._relevant.add(text)
        if held and is_relevant:
            self._found.add(label.doc)

    def quality(self, pages: int, there: int) -> Quality:
        """Its quality after ``pages`` pages of a web with ``there`` relevant texts."""
        return Quality(pages, len(self._collected), len(self._relevant), len(self._found), there)


# -- Confidence intervals, and halves of a sample: one to choose on, one to report on


Interval = tuple[float, float]

_Z = 1.959963984540054
"""The normal distribution holds 95 % between -z and z."""


def wilson(right: float, total: float) -> Interval:
    """95 % confidence interval of a share when ``right`` of ``total`` were right (Wilson 1927).

    >>> tuple(round(x, 3) for x in wilson(98, 100))
    (0.93, 0.994)
    """
    if not total:
        return 0.0, 1.0
    share, z2 = right / total, _Z * _Z
    middle = share + z2 / (2 * total)
    spread = _Z * math.sqrt((share * (1 - share) + z2 / (4 * total)) / total)
    scale = 1 + z2 / total
    # rounding must not put the share itself outside
    return max(0.0, min(share, (middle - spread) / scale)), min(1.0, max(share, (middle + spread) / scale))


def bootstrap(measure: Callable[[NDArray[np.int64]], float], size: int, seed: int, rounds: int = 1000) -> Interval:
    """The middle 95 % of a figure over samples drawn with replacement (Efron 1979).

    Args:
        measure: the figure of a sample, given as the places of its members; nan where it is not defined (left out).
        size: members of the sample, at least 1.
        seed: of the draws.
        rounds: samples drawn.

    Returns:
        (nan, nan) where the figure is defined for no sample.
    """
    rng = np.random.default_rng(seed)
    found = np.array([measure(rng.integers(0, size, size)) for _ in range(rounds)])
    found = found[~np.isnan(found)]
    if not found.size:
        return math.nan, math.nan
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def halves(size: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places 0…size-1 in two halves drawn at random, each ascending; the first is the smaller where they differ.

    >>> [half.tolist() for half in halves(5, seed=1)]
    [[0, 4], [1, 2, 3]]
    """
    order = np.random.default_rng(seed).permutation(size)
    return np.sort(order[: size // 2]), np.sort(order[size // 2 :])
