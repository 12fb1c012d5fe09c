"""Pairs of URLs of one section and of different sections of a site, and how well Algorithm 2 tells them apart (Zhou et al. 2019,
Table 6)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from topical_crawler.evaluation.intervals import Interval, wilson
from topical_crawler.evaluation.url_sections import SectionedUrl
from topical_crawler.urls import StructureParameters, UrlParts, structure_similarity

THRESHOLDS = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40)
PRINTED = dict(zip(THRESHOLDS, (0.98, 0.98, 0.97, 0.94, 0.93, 0.93, 0.93, 0.92), strict=True))
"""Table 6: accuracy by threshold."""

A_HOST = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
FALL = (0.25, 0.5, 1.0)
A_PATH = (0.02, 0.05, 0.1, 0.12, 0.15, 0.17, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 1.0)
D = (2.0, 10.0)
"""Constants that :func:`candidates` tries; ``FALL`` is b as a share of a'."""

_MISSES = 2000
"""Couples drawn in vain, one after the other, before there are taken to be no more."""


@dataclass(frozen=True, slots=True)
class UrlPair:
    """Two URLs, whether they are of one section, and the site (of the first)."""

    first: str
    second: str
    same: bool
    site: str


def draw_pairs(urls: Iterable[SectionedUrl], count: int, seed: int = 1, across: bool = False) -> list[UrlPair]:
    """Draw ``count`` different pairs, of one section and of two in turn.

    For each couple a site is drawn, with a chance in proportion to its URLs, among those with two sections or more; for each pair
    then a section (or two), every one with the same chance; then its URLs. So every site gives as many pairs of either kind.

    Args:
        urls: with sections and sites.
        count: of pairs, even.
        seed: of the draws.
        across: both URLs of a pair from different sites, sections of one name being the same; else both from one site.

    Raises:
        ValueError: ``count`` is odd or below 2, or the URLs do not give so many pairs.
    """
    if count < 2 or count % 2:
        raise ValueError(f"{count} pairs cannot be halves of one section and of two. Remedy: an even number from 2")
    rng = random.Random(seed)
    sites: dict[str, dict[str, list[SectionedUrl]]] = {}
    for one in urls:
        sites.setdefault("" if across else one.site, {}).setdefault(one.section, []).append(one)
    sites = {site: sections for site, sections in sorted(sites.items()) if len(sections) > 1}
    chances = [sum(map(len, sections.values())) for sections in sites.values()]
    listed = [(sections, sorted(sections)) for sections in sites.values()]
    drawn: set[frozenset[str]] = set()
    pairs: list[UrlPair] = []
    misses = 0
    while listed and misses < _MISSES:
        sections, names = rng.choices(listed, chances)[0]
        name, (one_of, other) = rng.choice(names), rng.sample(names, 2)
        couple = [(rng.choice(sections[a]), rng.choice(sections[b]), a == b) for a, b in ((name, name), (one_of, other))]
        keys = {frozenset((first.url, second.url)) for first, second, _ in couple}
        if not keys & drawn and all(a.url != b.url and (a.site != b.site) == across for a, b, _ in couple):
            drawn |= keys
            pairs += [UrlPair(first.url, second.url, same, first.site) for first, second, same in couple]
            misses = 0
            if len(pairs) == count:
                return pairs
        else:
            misses += 1
    raise ValueError(
        f"{count} pairs of URLs are wanted, and only {len(pairs)} were found in {sum(chances)} URLs of {len(sites)} "
        f"{'collections' if across else 'sites'} with two sections or more. Remedy: fewer pairs, or more URLs with sections"
    )


def values(pairs: Sequence[UrlPair], parameters: StructureParameters) -> NDArray[np.float64]:
    """α·hostSim + β·pathSim of every pair by Algorithm 2; 1 where one host contains the other, by the paper's rule."""
    parts = {url: UrlParts.of(url) for pair in pairs for url in (pair.first, pair.second)}
    return np.array([structure_similarity(parts[p.first], parts[p.second], parameters)[1] for p in pairs])


@dataclass(frozen=True, slots=True)
class UrlAccuracy:
    """A cell of Table 6: share of pairs judged rightly with its 95 % interval, and the shares of either kind."""

    threshold: float
    accuracy: float
    interval: Interval
    same: float
    different: float


def accuracy_curve(
    pairs: Sequence[UrlPair], parameters: StructureParameters, thresholds: Sequence[float] = THRESHOLDS
) -> list[UrlAccuracy]:
    """Table 6: a pair is judged of one section when its value is above the threshold."""
    value, same = values(pairs, parameters), np.array([p.same for p in pairs])
    curve = []
    for threshold in thresholds:
        right = (value > threshold) == same
        shares = [float(right[kind].mean()) if kind.any() else float("nan") for kind in (same, ~same)]
        curve.append(UrlAccuracy(threshold, float(right.mean()), wilson(int(right.sum()), len(right)), *shares))
    return curve


def distance(curve: Sequence[UrlAccuracy]) -> float:
    """Mean difference, without sign, between a curve and the printed table."""
    return float(np.mean([abs(cell.accuracy - PRINTED[cell.threshold]) for cell in curve if cell.threshold in PRINTED]))


def candidates(parameters: StructureParameters) -> Iterator[StructureParameters]:
    """Other constants than those of ``parameters`` to choose from. α, β and threshold stay: only α·a', α·b and β·a' count, and
    all of them doubled are the threshold halved."""
    for a_host, fall, a_path, d in itertools.product(A_HOST, FALL, A_PATH, D):
        if a_host or (fall, d) == (FALL[0], D[0]):
            yield replace(parameters, a_host=a_host, b=a_host * fall, a_path=a_path, d=d)


def by_site(pairs: Sequence[UrlPair], parameters: StructureParameters) -> Mapping[str, tuple[int, UrlAccuracy]]:
    """Number of pairs and accuracy at the threshold of ``parameters``, for each site."""
    sites: dict[str, list[UrlPair]] = {}
    for pair in pairs:
        sites.setdefault(pair.site, []).append(pair)
    return {s: (len(ps), accuracy_curve(ps, parameters, [parameters.threshold])[0]) for s, ps in sorted(sites.items())}
