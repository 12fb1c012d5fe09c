"""Figure 2 of Zhou et al. 2019: precision and volume over the threshold of Eq. 5, in a given time.

The time is reckoned, not measured: every page costs the same to fetch and, where it came, to judge. So an experiment gives the
same figures on every machine, and the pages that a budget pays for are the first ones of any longer crawl.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import Label
from topical_crawler.evaluation.metrics import group_score, site_scores
from topical_crawler.evaluation.report import new_figure, save_figure

THRESHOLDS = (0.01, 0.025, 0.063, 0.16, 0.4, 1.0, 2.5, 6.3, 16.0)
"""A geometric grid. The paper's 0.01 to 0.3 is on the scale of its own weights; ours are relative to the mean word's."""
PAPER = (
    "(Figure 2, 0.01 to 0.3 on a scale of its own) precision rises with the threshold and is flat from 0.2; the volume in a "
    "given time rises, too, while pages off topic are left out, and falls again when pages on topic are left out as well"
)
MARGIN = 0.01
"""Precisions that are no further apart than this count as equal."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a page costs, in seconds: ``fetch`` (> 0) each page that is asked for, ``judge`` (>= 0) each that came.

    >>> Cost(fetch=0.5, judge=0.1).most_pages(60)
    120
    """

    fetch: float = 1.0
    judge: float = 0.0

    def most_pages(self, seconds: float) -> int:
        """Pages that can be fetched in that time if none of them needs to be judged."""
        return math.floor(seconds / self.fetch + 1e-9)

    def affordable(self, records: Iterable[Record], seconds: float, is_page: Callable[[Record], bool]) -> list[Record]:
        """The first ``records`` of a crawl, as many as the time pays for; those that are no page of their own (redirects) cost
        nothing."""
        found, spent = [], 0.0
        for record in records:
            if is_page(record):
                spent += self.fetch + (self.judge if record.encoding else 0.0)  # what was decoded was judged
                if spent > seconds * (1 + 1e-9):
                    break
            found.append(record)
        return found


@dataclass(frozen=True, slots=True)
class Point:
    """One crawl of the figure.

    Attributes:
        threshold: of Eq. 5.
        pages: pages fetched.
        texts, relevant: texts kept (the paper's volume), and those of them that are relevant by label.
        precision: relevant / texts (Eq. 6); nan where no text was kept.
        recall: share of the web's relevant texts that the corpus holds.
        groups: mean precision over the sites of each group, as in Table 8.
    """

    threshold: float
    pages: int
    texts: int
    relevant: int
    precision: float
    recall: float
    groups: Mapping[str, float]


def measure(
    threshold: float,
    records: Sequence[Record],
    labels: Mapping[bytes, Label],
    groups: Mapping[str, Sequence[str]],
    is_page: Callable[[Record], bool],
) -> Point:
    """Score the rows of one crawl, in the manner of :func:`~topical_crawler.evaluation.metrics.site_scores`."""
    scores = site_scores(records, labels)
    _, total = group_score("all", scores)
    means = {name: group_score(name, [s for s in scores if s.site in members])[0] for name, members in groups.items()}
    precision = total.precision if total.collected else math.nan
    return Point(threshold, sum(map(is_page, records)), total.collected, total.relevant, precision, total.recall, means)


def best_point(points: Iterable[Point]) -> Point | None:
    """The point with the most relevant texts among those whose precision is within :data:`MARGIN` of the best; of several, the
    one that fetched the fewest pages. None where no text was kept.

    >>> def point(threshold, pages, texts, relevant):
    ...     return Point(threshold, pages, texts, relevant, relevant / texts, 0.5, {})
    >>> best_point([point(0.1, 900, 100, 80), point(0.4, 900, 80, 76), point(1.6, 500, 40, 38)]).threshold
    0.4
    """
    some = [p for p in points if p.texts]
    if not some:
        return None
    enough = max(p.precision for p in some) - MARGIN - 1e-9
    return max((p for p in some if p.precision >= enough), key=lambda p: (p.relevant, -p.pages, p.threshold))


def shape(points: Sequence[Point]) -> str:
    """The curve in words, to be held against :data:`PAPER`; ``points`` in the order of their thresholds."""
    some = [p for p in points if p.texts]
    if not some:
        return "no text was kept"
    first, last = some[0], some[-1]
    flat = next(p for n, p in enumerate(some) if all(abs(q.precision - last.precision) <= MARGIN for q in some[n:]))
    most = max(p.texts for p in some)
    peak = [f"{p.threshold:g}" for p in some if p.texts == most]
    where = peak[0] if len(peak) == 1 else f"{peak[0]} to {peak[-1]}"
    return (
        f"precision {100 * first.precision:.1f} % at {first.threshold:g}, {100 * last.precision:.1f} % at {last.threshold:g}, "
        f"flat (within {100 * MARGIN:g} point) from {flat.threshold:g}; volume {first.texts} texts at {first.threshold:g}, "
        f"most at {where} ({most}), {last.texts} at {last.threshold:g}"
    )


def draw(budgets: Mapping[float, Sequence[Point]], path: Path) -> None:
    """The figure: precision to the left, texts kept to the right, over the threshold; ``budgets`` are points by seconds.

    Raises:
        ImportError: matplotlib is not installed; the message says how to get it.
    """
    figure, precision = new_figure("Threshold of Eq. 5 (Zhou et al. 2019, Figure 2)", "threshold", "precision, % (solid)")
    volume = precision.twinx()
    volume.set_ylabel("texts kept (dashed)")
    for number, (seconds, points) in enumerate(budgets.items()):
        thresholds, colour = [p.threshold for p in points], f"C{number}"
        precision.plot(thresholds, [100 * p.precision for p in points], "-", color=colour, marker="o", label=f"{seconds:g} s")
        volume.plot(thresholds, [p.texts for p in points], "--", color=colour, marker="s", markerfacecolor="none")
    if min(p.threshold for points in budgets.values() for p in points) > 0:
        precision.set_xscale("log")
        precision.xaxis.set_major_formatter("{x:g}")
    least = min((p.precision for points in budgets.values() for p in points if p.texts), default=0.0)
    precision.set_ylim(10 * math.floor(10 * least), 102)
    volume.set_ylim(bottom=0)
    figure.legend(loc="outside lower center", ncols=len(budgets), frameon=False, title="budget")
    save_figure(figure, path)
