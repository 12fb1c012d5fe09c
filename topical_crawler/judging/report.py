"""Estimates from a sample's marks: precision per site (Zhou et al. 2019, Table 8), boilerplate, relevant pages missed."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from topical_crawler.judging.draw import band_name
from topical_crawler.judging.sample import BOILERPLATE, RELEVANT, Item, Sample


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two judges over the texts judged by both."""

    first: int  # number of the first judge, from 0
    second: int  # number of the second judge
    texts: int  # number of texts judged by both
    same: float  # share of them with the same mark, nan without texts
    kappa: float  # Cohen's κ of the marks: 1 for full agreement, 0 for chance, nan if both used only one mark
    kappa_relevant: float  # the same for relevant against irrelevant or boilerplate
    disputed: tuple[str, ...]  # keys of the texts with different marks, in the order of the sample


def agreements(samples: Sequence[Sample]) -> list[PairAgreement]:
    """Return the agreement of every pair of copies of one sample (see :func:`~topical_crawler.judging.sample.merged`)."""
    return [_pair(i, j, samples[i], samples[j]) for i, j in combinations(range(len(samples)), 2)]


def cohen(pairs: Sequence[tuple[Hashable, Hashable]]) -> float:
    """Return κ of two judges' marks (Cohen 1960), nan if undefined.

    >>> pairs = [("党建", "党建")] * 20 + [("党建", "其他")] * 5 + [("其他", "党建")] * 10 + [("其他", "其他")] * 15
    >>> round(cohen(pairs), 3)
    0.4
    """
    if not pairs:
        return math.nan
    size = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    same = sum(a == b for a, b in pairs) / size
    chance = sum(first[mark] * second[mark] for mark in first) / size**2
    return (same - chance) / (1 - chance) if chance < 1 else math.nan


def krippendorff(texts: Sequence[Sequence[Hashable]]) -> float:
    """Return α of any number of judges (Krippendorff 2004, nominal): 1 - observed / expected disagreement, nan if undefined.

    ``texts`` holds the marks of each text, in any order. Texts with fewer than two marks do not count.

    >>> round(krippendorff([["党建", "党建"], ["党建", "其他"], ["其他", "其他"], ["其他"]]), 3)
    0.444
    """
    several = [Counter(marks) for marks in texts if len(marks) > 1]
    totals = sum(several, Counter())
    size = totals.total()
    expected = size**2 - sum(count**2 for count in totals.values())
    if not expected:
        return math.nan
    observed = sum((c.total() ** 2 - sum(n**2 for n in c.values())) / (c.total() - 1) for c in several)
    return 1 - (size - 1) * observed / expected


def _pair(i: int, j: int, first: Sample, second: Sample) -> PairAgreement:
    others = {item.key: item for item in second.items}
    pairs: list[tuple[Item, Item]] = [
        (item, others[item.key]) for item in first.items if item.mark is not None and others[item.key].mark is not None
    ]
    disputed = tuple(a.key for a, b in pairs if a.mark != b.mark)
    return PairAgreement(
        first=i,
        second=j,
        texts=len(pairs),
        same=1 - len(disputed) / len(pairs) if pairs else math.nan,
        kappa=cohen([(a.mark, b.mark) for a, b in pairs]),
        kappa_relevant=cohen([(a.mark == RELEVANT, b.mark == RELEVANT) for a, b in pairs]),
        disputed=disputed,
    )


# -- Shares estimated from strata

_Z = 1.959963984540054  # 95 % of the normal distribution lie between -z and z


def wilson(right: float, total: float) -> tuple[float, float]:
    """Return the 95 % confidence interval of the share ``right`` / ``total`` (Wilson 1927), 0 to 1 for a ``total`` of 0.

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


@dataclass(frozen=True, slots=True)
class Cell:
    """Judged texts of one stratum."""

    right: int  # number of texts with the property
    judged: int  # number of all texts, at least 1
    population: float  # number of pages they represent, at least `judged`, estimated for a part of a stratum


@dataclass(frozen=True, slots=True)
class Estimate:
    """Share, 0 to 1, with its 95 % confidence interval. nan and 0 to 1 if nothing is known."""

    share: float
    low: float
    high: float


def estimate(cells: Iterable[Cell]) -> Estimate:
    """Return the share over all cells, weighted by population.

    The interval is Wilson's for the effective size of the stratified sample, with finite population correction (Korn & Graubard
    1998). The effective size is computed with one text of either kind added to every cell, lest unanimous cells count as
    certain. In simulated corpora the interval contained the true share in 92 to 95 % of samples.

    >>> e = estimate([Cell(18, 20, 2000), Cell(2, 20, 500)])
    >>> [round(x, 3) for x in (e.share, e.low, e.high)]
    [0.74, 0.606, 0.84]
    """
    several = list(cells)
    pages = sum(cell.population for cell in several)
    if not pages:
        return Estimate(math.nan, 0.0, 1.0)
    share = likely = variance = 0.0
    for cell in several:
        weight = cell.population / pages
        smoothed = (cell.right + 1) / (cell.judged + 2)
        unseen = max(0.0, cell.population - cell.judged) / max(1.0, cell.population - 1)
        share += weight * cell.right / cell.judged
        likely += weight * smoothed
        variance += weight**2 * unseen * smoothed * (1 - smoothed) / cell.judged
    if not variance:
        return Estimate(share, share, share)
    size = likely * (1 - likely) / variance
    return Estimate(share, *wilson(share * size, size))


# -- The report

Place = tuple[str, str]  # name of a stratum, and rejection reason of its pages


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """Figures of a group of judged texts: all, a site, a band of relevance, or a rejection reason."""

    name: str  # of the site, band or reason
    pages: float  # number of corpus pages they represent, estimated unless the group is a union of strata
    judged: int  # texts with a mark
    relevant: int  # texts marked relevant
    boilerplate: int  # texts marked boilerplate
    precision: Estimate  # share of relevant pages, not counting boilerplate as relevant
    share_of_boilerplate: Estimate  # share of boilerplate pages

    @property
    def relevant_pages(self) -> tuple[float, float, float]:
        """Number of relevant pages: the estimate and both ends of its interval."""
        return (
            self.precision.share * self.pages,
            max(float(self.relevant), self.precision.low * self.pages),
            self.precision.high * self.pages,
        )


@dataclass(frozen=True, slots=True)
class SampleReport:
    """Figures of a sample."""

    corpus: str
    topic: str
    drawn: int  # number of texts, including rejected pages
    judged: int
    teaches: bool  # True for a teaching sample, with no figures besides the numbers of texts
    marks: Mapping[str, int]  # number of texts by mark
    pages: int  # kept pages of the corpus
    whole: GroupFigures | None  # all kept pages in strata with a judged text, None if there are none
    sites: tuple[GroupFigures, ...]  # by host, most pages first
    bands: tuple[GroupFigures, ...]  # of relevance, highest first
    rejected: tuple[GroupFigures, ...]  # by rejection reason, the relevant ones being missed pages

    @property
    def mean_of_sites(self) -> float:
        """Unweighted mean precision of the sites, as in the paper, nan without sites."""
        return sum(row.precision.share for row in self.sites) / len(self.sites) if self.sites else math.nan

    @property
    def covered(self) -> float:
        """Share of the kept pages in strata with a judged text, 0 to 1."""
        return self.whole.pages / self.pages if self.whole else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return all figures for JSON."""
        fields = dataclasses.asdict(self) | {"mean_of_sites": self.mean_of_sites, "covered": self.covered}
        for group, row in zip(fields["rejected"], self.rejected, strict=True):
            group["relevant_pages"] = dict(zip(("missed", "low", "high"), row.relevant_pages, strict=True))
        return fields


def report(sample: Sample) -> SampleReport:
    """Return the figures of a sample, with any number of marked texts.

    Texts without a mark count as not drawn. This is unbiased only if texts were judged in the order shown. A teaching sample
    yields only the numbers of texts.
    """
    header, items = sample.header, sample.items
    judged = [item for item in items if item.mark is not None]
    marks = dict(Counter(item.mark for item in judged if item.mark))
    if sample.teaches:
        return SampleReport(header.corpus, header.topic, len(items), len(judged), True, marks, 0, None, (), (), ())
    kept = [item for item in judged if not item.reason]
    counts = Counter((item.stratum, item.reason) for item in judged)
    # Pages represented by a judged text, by stratum.
    weights = {(s.name, s.reason): s.population / n for s in header.strata if (n := counts[s.name, s.reason])}
    sites = [_figures(name, some, weights) for name, some in _groups(kept, lambda i: i.host)]
    bands = [_figures(name, some, weights) for name, some in _groups(kept, lambda i: band_name(i.relevance, header.edges))]
    highest = {row.name: max(i.relevance for i in kept if band_name(i.relevance, header.edges) == row.name) for row in bands}
    return SampleReport(
        corpus=header.corpus,
        topic=header.topic,
        drawn=len(items),
        judged=len(judged),
        teaches=False,
        marks=marks,
        pages=sum(stratum.population for stratum in header.strata if not stratum.reason),
        whole=_figures("all", kept, weights) if kept else None,
        sites=tuple(sorted(sites, key=lambda row: (-row.pages, row.name))),
        bands=tuple(sorted(bands, key=lambda row: -highest[row.name])),
        rejected=tuple(
            _figures(name, some, weights) for name, some in _groups([i for i in judged if i.reason], lambda i: i.reason)
        ),
    )


def _groups(items: Iterable[Item], name: Callable[[Item], str]) -> Iterable[tuple[str, Sequence[Item]]]:
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[name(item)].append(item)
    return groups.items()


def _figures(name: str, items: Sequence[Item], weights: Mapping[Place, float]) -> GroupFigures:
    parts: defaultdict[Place, list[Item]] = defaultdict(list)
    for item in items:
        parts[item.stratum, item.reason].append(item)

    def share(mark: str) -> Estimate:
        return estimate(
            Cell(sum(item.mark == mark for item in some), len(some), len(some) * weights[place]) for place, some in parts.items()
        )

    return GroupFigures(
        name=name,
        pages=sum(weights[item.stratum, item.reason] for item in items),
        judged=len(items),
        relevant=sum(item.mark == RELEVANT for item in items),
        boilerplate=sum(item.mark == BOILERPLATE for item in items),
        precision=share(RELEVANT),
        share_of_boilerplate=share(BOILERPLATE),
    )
