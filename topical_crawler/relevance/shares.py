"""Which words carry a relevance: the reasons that a verdict gives."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

MOST_REASONS = 8
"""Words named at most."""


def shares(parts: Mapping[str, float]) -> dict[str, float]:
    """The words that carry a relevance, with their shares of it, the heaviest first.

    Args:
        parts: what each word adds (> 0), in any unit.

    >>> shares({"支部": 1.0, "党建": 3.0})
    {'党建': 0.75, '支部': 0.25}
    """
    total = fsum(parts.values())
    heaviest = sorted(parts.items(), key=lambda item: (-item[1], item[0]))[:MOST_REASONS]
    return {word: round(part / total, 4) for word, part in heaviest}
