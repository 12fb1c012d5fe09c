"""How much more a domain uses a word than a background does.

Documents are counted, not occurrences: one report of a hundred pages that says a word five hundred times is one witness.

>>> round(log_likelihood(20, 1000, 10, 10000), 1)  # in 20 of 1,000 documents against 10 of 10,000
59.6
>>> log_likelihood(10, 10000, 20, 1000) < 0
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from topical_crawler.language import Language
from topical_crawler.weights import DomainStatistics, contrast

SIGNIFICANT = 10.83
"""G² that chance exceeds once in a thousand words (χ² with one degree of freedom)."""


def log_likelihood(in_domain: float, domain_size: float, in_background: float, background_size: float) -> float:
    """Dunning's G² = 2·Σ observed·ln(observed / expected) over the two counts of a word (Dunning 1993, as Rayson & Garside 2000
    use it to compare corpora); negative where the domain has less of the word than the background.

    Args:
        in_domain: documents (or words) of the domain that hold the word (are it).
        domain_size: all of them, above 0.
        in_background: the same of the background.
        background_size: all of them, above 0.
    """
    rate = (in_domain + in_background) / (domain_size + background_size)
    g = sum(2 * n * math.log(n / (size * rate)) for n, size in ((in_domain, domain_size), (in_background, background_size)) if n)
    more = in_domain / domain_size >= in_background / background_size
    return max(0.0, g) if more else min(0.0, -g)


def termhood(domain: DomainStatistics, background: DomainStatistics, word: str) -> tuple[float, float]:
    """(score, G²) of a word: score = G²·ln(contrast), both over documents.

    G² alone prefers what is frequent in the domain, though common elsewhere (工作, 问题); contrast alone what is rare everywhere.
    Their product had as many topic terms among its first 100 and 200 as contrast alone, with frequent ones among them
    (docs/decisions.md). Not above 0 for a word that the background has more of.
    """
    g = log_likelihood(domain.spread[word], domain.documents, background.spread[word], background.documents)
    times = contrast(domain, background, word)
    return (g * math.log(times) if times > 1 else min(0.0, g)), g


def general_background(domain: DomainStatistics, language: Language, cut: Callable[[str], Sequence[str]]) -> DomainStatistics:
    """The words of the domain as they stand in the language in general, where there is no background corpus.

    A word that the language does not know is as much a word of the domain as the most telling of its parts, and not more: it
    gets the part's document rate in general, times the share of the part's domain documents that hold the word.

    Args:
        domain: counts over the domain.
        language: document rates.
        cut: segmentation that does not know the topic's terms.
    """
    background = DomainStatistics(documents=language.documents)
    for word, held in domain.spread.items():
        rate = language.rate(word)
        if not rate and held:
            parts = [p for p in cut(word) if language.rate(p)]
            rate = min((language.rate(p) * held / max(held, domain.spread[p]) for p in parts), default=0.0)
        background.spread[word] = round(rate * language.documents)
    return background
