"""Means over random seeds with their intervals, and the ranking of strategies under each setting."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from experiments.comparison import RunFigures, Setting, steps

FEWEST_SEEDS = 3
"""With fewer random seeds, the least and the greatest value are given instead of a confidence interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure over several random seeds.

    Attributes:
        mean, low, high: of the figure; ``low`` to ``high`` is the interval of 95 % by Student's t, or, with fewer than
            :data:`FEWEST_SEEDS` seeds, from the least to the greatest value.
        seeds: how many.
    """

    mean: float
    low: float
    high: float
    seeds: int

    @property
    def is_interval(self) -> bool:
        """Whether low and high are an interval of confidence, not the extremes."""
        return self.seeds >= FEWEST_SEEDS


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and interval of a figure that is never negative, one value for each random seed, at least one.

    >>> estimate([0.5, 0.7])
    Estimate(mean=0.6, low=0.5, high=0.7, seeds=2)
    >>> e = estimate([0.5, 0.6, 0.7])
    >>> round(e.low, 3), round(e.high, 3)
    (0.352, 0.848)
    """
    n = len(values)
    mean = math.fsum(values) / n
    if n < FEWEST_SEEDS:
        return Estimate(mean, min(values), max(values), n)
    from scipy.special import stdtrit

    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    spread = float(stdtrit(n - 1, 0.975)) * deviation / math.sqrt(n)
    return Estimate(mean, max(0.0, mean - spread), mean + spread, n)


def mean_recall(runs: Sequence[RunFigures]) -> list[tuple[int, float]]:
    """(pages, mean share of the relevant texts reached) over runs that differ in their seed, from (0, 0) to the end of the
    longest."""
    ends = steps(max(r.pages for r in runs), runs[0].budget)
    return [(0, 0.0), *((k, math.fsum(r.recall_at(k) for r in runs) / len(runs)) for k in ends if k)]


def mean_kept(runs: Sequence[RunFigures]) -> list[tuple[float, float]]:
    """(recall, precision) of what is kept, means over runs that differ in their seed, in the order of fetching; from the page on
    at which each of them has kept something."""
    points = []
    pages = [[q.pages for q in r.kept] for r in runs]
    for k in steps(max(r.pages for r in runs), runs[0].budget):
        then = [r.kept[max(0, bisect_right(ends, k) - 1)] for r, ends in zip(runs, pages, strict=True)]
        if all(q.collected for q in then):
            sums = (math.fsum(q.recall for q in then), math.fsum(q.precision for q in then))
            points.append((sums[0] / len(runs), sums[1] / len(runs)))
    return points


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """How far strategies have the same order under two bounds on the pages of a host.

    Attributes:
        topic, start, keep_links: where.
        caps: the two bounds.
        tau: Kendall's tau-b of the two orders: 1 the same, -1 the reverse; nan where there is nothing to order.
        swapped: pairs of strategies in opposite order, the better one under the first bound first.
    """

    topic: str
    start: str
    caps: tuple[int, int]
    tau: float
    swapped: tuple[tuple[str, str], ...]
    keep_links: float = 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Crawls to compare.

    Attributes:
        title: of the report.
        runs: figures of every crawl, all with one budget; strategies stand in the order in which they come here.
        oracles: the crawl that knows labels and graph, for every setting; not ranked.
        about: what was compared, for the head of the report: names and values.

    Raises:
        ValueError: no runs, two budgets, a run twice, or a setting without its oracle.
    """

    title: str
    runs: Sequence[RunFigures]
    oracles: Mapping[Setting, RunFigures]
    about: Mapping[str, str] = field(default_factory=dict)
    _estimates: dict[Setting, dict[str, dict[str, Estimate]]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.runs:
            raise ValueError("there is nothing to compare. Remedy: give at least one run")
        if len(budgets := sorted({r.budget for r in self.runs})) > 1:
            raise ValueError(f"runs with budgets of {budgets} pages cannot be compared. Remedy: measure all with one budget")
        if len({r.key for r in self.runs}) < len(self.runs):
            raise ValueError("a run is there twice. Remedy: give every run once")
        if missing := [s for s in self.settings if s not in self.oracles]:
            raise ValueError(f"there is no oracle for {missing[0]}. Remedy: give one for every setting")

    @property
    def budget(self) -> int:
        """Pages that every crawl could fetch."""
        return self.runs[0].budget

    @property
    def settings(self) -> list[Setting]:
        """All settings, sorted by topic and start, ever fewer links after all links, ever tighter bounds after no bound."""
        return sorted({r.key.setting for r in self.runs}, key=lambda s: (s.topic, s.start, -s.keep_links, tightness(s.cap)))

    @property
    def strategies(self) -> list[str]:
        """Names in the order of the runs."""
        return list(dict.fromkeys(r.key.strategy for r in self.runs))

    def under(self, setting: Setting) -> dict[str, list[RunFigures]]:
        """The runs of a setting by strategy, in order of their seeds."""
        found: dict[str, list[RunFigures]] = {}
        for name in self.strategies:
            runs = [r for r in self.runs if r.key.strategy == name and r.key.setting == setting]
            if runs:
                found[name] = sorted(runs, key=lambda r: r.key)
        return found

    def estimates(self, setting: Setting) -> dict[str, dict[str, Estimate]]:
        """Every scalar figure (:meth:`~experiments.comparison.RunFigures.scalars`) of every strategy."""
        if setting not in self._estimates:
            rows = {name: [r.scalars() for r in runs] for name, runs in self.under(setting).items()}
            self._estimates[setting] = {
                name: {figure: estimate([one[figure] for one in several]) for figure in several[0]}
                for name, several in rows.items()
            }
        return self._estimates[setting]

    def ranking(self, setting: Setting, figure: str = "area") -> list[tuple[str, Estimate]]:
        """Strategies, the greatest mean of ``figure`` first; equal ones in their own order."""
        rows = [(name, row[figure]) for name, row in self.estimates(setting).items()]
        return sorted(rows, key=lambda row: -row[1].mean)

    def agreements(self, figure: str = "area") -> list[OrderAgreement]:
        """Whether the order of the strategies changes between bounds on the pages of a host."""
        return list(self._agreements(figure))

    def _agreements(self, figure: str) -> Iterator[OrderAgreement]:
        for one, other in combinations(self.settings, 2):
            if replace(one, cap=0) != replace(other, cap=0):
                continue
            first, second = ({n: e.mean for n, e in self.ranking(s, figure)} for s in (one, other))
            both = [name for name in first if name in second]
            swapped = tuple((a, b) for a, b in combinations(both, 2) if first[a] > first[b] and second[a] < second[b])
            tau = kendall_tau([first[n] for n in both], [second[n] for n in both])
            yield OrderAgreement(one.topic, one.start, (one.cap, other.cap), tau, swapped, one.keep_links)


def tightness(cap: int) -> float:
    """Sort key of bounds on the pages of a host: no bound first, then the widest.

    >>> sorted([0, 50, 200], key=tightness)
    [0, 200, 50]
    """
    return -cap if cap else -math.inf


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's tau-b (1945) of two rows of values for the same things: 1 the same order, -1 the reverse; nan where one row has
    no order.

    >>> kendall_tau([1, 2, 3, 4], [1, 2, 4, 3])
    0.6666666666666666
    """
    signs = [(_sign(a1 - b1), _sign(a2 - b2)) for (a1, a2), (b1, b2) in combinations(zip(first, second, strict=True), 2)]
    untied = sum(s != 0 for s, _ in signs) * sum(s != 0 for _, s in signs)
    return sum(a * b for a, b in signs) / math.sqrt(untied) if untied else math.nan


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)
