"""Where a crawl loses area against the oracle that knows the way, host by host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from topical_crawler.evaluation.labels import Label
from topical_crawler.web.urls import fingerprint, host

ELSEWHERE = ""
"""Stands for all hosts without a relevant text."""


@dataclass(frozen=True, slots=True)
class HostFigures:
    """A crawl at one host, or the mean of several crawls.

    Attributes:
        there: relevant texts that the host has; copies of one text are one.
        reached: those that the crawl has fetched there first.
        pages: pages fetched there, dead links too.
        area: what these texts add to the area under the recall curve. The hosts' areas sum up to that of the crawl.
    """

    there: float
    reached: float
    pages: float
    area: float


def by_host(urls: Iterable[str], labels: Mapping[bytes, Label], budget: int) -> dict[str, HostFigures]:
    """The figures of a crawl at every host with relevant texts, and :data:`ELSEWHERE`.

    Args:
        urls: what it has fetched, in its order, without redirects.
        labels: of the web for the topic.
        budget: pages that it could fetch; what comes after them is not looked at.
    """
    there: dict[str, set[str]] = {}
    for label in labels.values():
        if label.is_relevant_text:
            there.setdefault(label.site, set()).add(label.doc)
    best = len(set().union(*there.values()))
    pages, reached, area = Counter[str](), Counter[str](), Counter[str]()
    seen: set[str] = set()
    for place, url in zip(range(budget), urls, strict=False):
        found = labels.get(fingerprint(url))
        site = found.site if found is not None else host(url)
        pages[site if site in there else ELSEWHERE] += 1
        if found is not None and found.is_relevant_text and found.doc not in seen:
            seen.add(found.doc)
            reached[site] += 1
            area[site] += budget - place
    whole = sum(min(k, best) for k in range(1, budget + 1))
    return {
        site: HostFigures(len(there.get(site, ())), reached[site], pages[site], area[site] / whole if whole else 0.0)
        for site in [*there, ELSEWHERE]
    }


def mean_figures(crawls: Sequence[Mapping[str, HostFigures]]) -> dict[str, HostFigures]:
    """The mean of several crawls for one topic, host by host."""
    number = len(crawls)
    return {
        site: HostFigures(
            crawls[0][site].there,
            sum(crawl[site].reached for crawl in crawls) / number,
            sum(crawl[site].pages for crawl in crawls) / number,
            sum(crawl[site].area for crawl in crawls) / number,
        )
        for site in crawls[0]
    }
