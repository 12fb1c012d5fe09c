"""What the marks of a sample say about its corpus: precision per site as in Table 8 of Zhou et al. 2019, boilerplate, what was
missed."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from topical_crawler.judging.draw import band_name
from topical_crawler.judging.estimates import Cell, Estimate, estimate
from topical_crawler.judging.sample import BOILERPLATE, RELEVANT, Header, Item, Sample


@dataclass(frozen=True, slots=True)
class Row:
    """Judged texts that are looked at together: all, those of a site, of a band of relevance, those rejected for one reason.

    Attributes:
        name: of the site, band or reason.
        pages: of the corpus that they stand for, in part estimated where the strata are others.
        judged: texts that have a mark.
        relevant, boilerplate: those with these marks.
        precision: share of relevant pages; boilerplate is not relevant.
        share_of_boilerplate: among all pages.
    """

    name: str
    pages: float
    judged: int
    relevant: int
    boilerplate: int
    precision: Estimate
    share_of_boilerplate: Estimate

    @property
    def relevant_pages(self) -> tuple[float, float, float]:
        """How many of the pages are relevant: the estimate and the ends of its interval."""
        return (
            self.precision.share * self.pages,
            max(float(self.relevant), self.precision.low * self.pages),
            self.precision.high * self.pages,
        )


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a sample.

    Attributes:
        corpus, topic: of the sample.
        drawn, judged: texts, those of rejected pages included.
        pages: kept pages of the corpus.
        whole: over the kept pages of all strata of which a text was judged; None while none was.
        sites: by host, most pages first.
        bands: of relevance, the highest first.
        rejected: per reason for which rejected pages were drawn; what is relevant among them was missed.
    """

    corpus: str
    topic: str
    drawn: int
    judged: int
    pages: int
    whole: Row | None
    sites: tuple[Row, ...]
    bands: tuple[Row, ...]
    rejected: tuple[Row, ...]

    @property
    def mean_of_sites(self) -> float:
        """Mean precision of the sites, each counting alike, as the paper forms it; nan where there is none."""
        return sum(row.precision.share for row in self.sites) / len(self.sites) if self.sites else math.nan

    @property
    def covered(self) -> float:
        """Share of the kept pages that lie in strata of which a text was judged, 0 to 1."""
        return self.whole.pages / self.pages if self.whole else 0.0

    def as_dict(self) -> dict[str, Any]:
        """All figures, for JSON; None for those that are not defined."""
        fields = dataclasses.asdict(self) | {"mean_of_sites": self.mean_of_sites, "covered": self.covered}
        for name, row in zip([r["name"] for r in fields["rejected"]], self.rejected, strict=True):
            missed = dict(zip(("missed", "low", "high"), row.relevant_pages, strict=True))
            next(r for r in fields["rejected"] if r["name"] == name)["relevant_pages"] = missed
        return fields


def report(sample: Sample) -> Report:
    """The figures of a sample, however many of its texts are marked.

    A text without a mark counts as one that was not drawn: those that are marked stand for their stratum. That holds as long as
    they were not picked by what they are, so judge in the order shown, or judge all.
    """
    header, items = sample.header, sample.items
    judged = [item for item in items if item.mark is not None]
    kept = [item for item in judged if not item.reason]
    weights = _weights(header, judged)
    sites = [_row(name, some, weights) for name, some in _groups(kept, lambda i: i.host)]
    bands = [_row(name, some, weights) for name, some in _groups(kept, lambda i: band_name(i.relevance, header.edges))]
    highest = {row.name: max(i.relevance for i in kept if band_name(i.relevance, header.edges) == row.name) for row in bands}
    return Report(
        corpus=header.corpus,
        topic=header.topic,
        drawn=len(items),
        judged=len(judged),
        pages=sum(stratum.population for stratum in header.strata if not stratum.reason),
        whole=_row("all", kept, weights) if kept else None,
        sites=tuple(sorted(sites, key=lambda row: (-row.pages, row.name))),
        bands=tuple(sorted(bands, key=lambda row: -highest[row.name])),
        rejected=tuple(_row(name, some, weights) for name, some in _groups([i for i in judged if i.reason], lambda i: i.reason)),
    )


Place = tuple[str, str]
"""Name of a stratum, and the reason for which its pages were rejected."""


def _weights(header: Header, judged: Iterable[Item]) -> Mapping[Place, float]:
    """By stratum, the pages that one judged text stands for."""
    counts = Counter((item.stratum, item.reason) for item in judged)
    return {(s.name, s.reason): s.population / counts[s.name, s.reason] for s in header.strata if counts[s.name, s.reason]}


def _groups(items: Iterable[Item], name: Callable[[Item], str]) -> Iterable[tuple[str, Sequence[Item]]]:
    found: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        found[name(item)].append(item)
    return found.items()


def _row(name: str, items: Sequence[Item], weights: Mapping[Place, float]) -> Row:
    parts: defaultdict[Place, list[Item]] = defaultdict(list)
    for item in items:
        parts[item.stratum, item.reason].append(item)

    def share(mark: str) -> Estimate:
        return estimate(
            Cell(sum(item.mark == mark for item in some), len(some), len(some) * weights[place]) for place, some in parts.items()
        )

    return Row(
        name=name,
        pages=sum(weights[item.stratum, item.reason] for item in items),
        judged=len(items),
        relevant=sum(item.mark == RELEVANT for item in items),
        boilerplate=sum(item.mark == BOILERPLATE for item in items),
        precision=share(RELEVANT),
        share_of_boilerplate=share(BOILERPLATE),
    )
