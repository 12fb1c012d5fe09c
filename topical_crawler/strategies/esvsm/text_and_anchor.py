"""Pages judged by full text, links by parent pages and anchors (Sun et al. 2018, section 1.5, Eq. 9).

The paper's four methods have this in common and differ in the measure alone.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Protocol

from topical_crawler.strategies.base import Strategy
from topical_crawler.strategies.common import check_fields, shares
from topical_crawler.text.segment import Segmenter
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, full_text

_CACHED_ANCHORS = 50_000


class Measure(Protocol):
    """A measure of relevance to one topic."""

    def of(self, words: Sequence[str]) -> float:
        """Relevance of a text's content words with their repetitions, 0 to 1; 0 for none."""
        ...

    def parts(self, words: Sequence[str]) -> dict[str, float]:
        """What each distinct word adds (> 0), in any unit; words that add nothing are left out."""
        ...


@dataclass(frozen=True)
class TextAndAnchorParameters:
    """Constants of Eq. 9 and of the judgement of pages.

    Attributes:
        page_threshold: a page is relevant when Sim(full text, topic) is above this. Not printed; every method has a default of
            its own.
        page_weight: λ1 of Eq. 9, of the pages that hold a link.
        anchor_weight: λ2 of Eq. 9, of the anchors of the link.
        link_threshold: a link is queued when Eq. 9 is above this; 0, as in the paper: every link.
        text_threshold: a kept page stays in the corpus when Sim(main text, topic) is above this. Not in the paper; 0: all stay.
    """

    page_threshold: float = 0.05
    page_weight: float = 0.5
    anchor_weight: float = 0.5
    link_threshold: float = 0.0
    text_threshold: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.page_weight + self.anchor_weight == 0:
            raise ValueError("page_weight and anchor_weight are both 0: every link would be worth the same")


class TextAndAnchor(Strategy):
    """Judges pages and scores links by one measure: the part of a strategy that learns nothing.

    Eq. 9: priority(l) = λ1·(1/N)·Σ_p Sim(full text of p, t) + λ2·(1/N)·Σ_p Sim(anchor of l on p, t) over the N pages p on which
    the link was found so far. The paper writes one anchor; of several the mean is taken, as it is of the pages.

    Args:
        measure: Sim(text, topic).
        segmenter: must know the topic's terms.
        parameters: thresholds and weights.
    """

    parameters_type = TextAndAnchorParameters
    closed = "below threshold"
    parameters: TextAndAnchorParameters

    def __init__(self, measure: Measure, segmenter: Segmenter, parameters: TextAndAnchorParameters) -> None:
        self.parameters = parameters
        self._segmenter = segmenter
        self.use(measure)

    def use(self, measure: Measure) -> None:
        """Measure by ``measure`` from now on."""
        self._measure = measure
        self.anchor = functools.lru_cache(_CACHED_ANCHORS)(self.relevance)

    def relevance(self, text: str) -> float:
        """Sim(text, topic), 0 to 1."""
        return self._measure.of(self._segmenter.content(text))

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        """By the full text."""
        words = self._segmenter.content(full_text(page))
        relevance = self._measure.of(words)
        return Verdict(relevance, relevance > self.page_threshold, shares(self._measure.parts(words)))

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """Eq. 9; None where it is not above the threshold for links."""
        least = self.parameters.link_threshold
        return [p if least == 0 or p > least else None for p in map(self.priority, candidates)]

    def priority(self, candidate: Candidate) -> float:
        """Eq. 9; 0 for a link that was found nowhere."""
        parts = self.explain(candidate)
        return self.parameters.page_weight * parts["parent"] + self.parameters.anchor_weight * parts["anchor"]

    def confirm(self, text: str) -> tuple[float, bool]:
        """By the main text, where there is a threshold for it."""
        relevance = self.relevance(text)
        return relevance, self.parameters.text_threshold == 0 or relevance > self.parameters.text_threshold

    def explain(self, candidate: Candidate) -> dict[str, float]:
        """The two means of Eq. 9 before they are weighed."""
        places = candidate.evidence
        n = len(places) or 1
        return {
            "parent": fsum(e.relevance for e in places) / n,
            "anchor": fsum(self.anchor(e.anchor) for e in places) / n,
        }
