"""TextRank over weighted nodes: which words of a text stand for it (Zhang et al., Eq. 2).

The words are nodes; two are joined by an edge as heavy as the number of times that they stand within one window of each other. A
word ranks high when it weighs much itself and stands beside words that rank high.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

DAMPING = 0.85
"""d of Eq. 2."""
WINDOW = 5
"""Words that stand within one window, the word itself included. Not printed; 5 is usual for Chinese."""
TOLERANCE = 1e-6
"""The iteration ends when no rank changes by more than this. Not printed."""


def textrank(
    words: Sequence[str],
    weights: Mapping[str, float] | None = None,
    damping: float = DAMPING,
    window: int = WINDOW,
    tolerance: float = TOLERANCE,
) -> dict[str, float]:
    """S of Eq. 2 for each distinct word, heaviest first; equal ones in the order of the text.

    S(v_i) = (1 − d)·w(v_i) + d·w(v_i)·Σ_{v_j ∈ In(v_i)} w_ji / Σ_{v_k ∈ In(v_j)} w_jk · S(v_j)

    Node weights of at most 1 make the step a contraction by d, so that the iteration always ends at the one solution. An edge has
    no direction: a word's neighbours are its In.

    Args:
        words: the words of a text in their order, with repetitions.
        weights: w(v) of every word, in [0, 1]; None: all 1, plain TextRank.
        damping: d, from 0 to below 1.
        window: 2 or more.
        tolerance: above 0.

    Raises:
        ValueError: a constant or a weight is out of its range; names it.
        KeyError: a word has no weight.

    >>> ranks = textrank(["数据", "挖掘", "算法", "数据", "聚类", "算法", "数据", "分类"], window=2)
    >>> [(word, round(rank, 3)) for word, rank in ranks.items()][:3]
    [('数据', 1.729), ('算法', 1.361), ('挖掘', 0.733)]
    """
    if not 0 <= damping < 1:
        raise ValueError(f"damping must be from 0 to below 1, not {damping!r}")
    if window < 2:
        raise ValueError(f"window must be 2 or more, not {window!r}")
    if not tolerance > 0:
        raise ValueError(f"tolerance must be above 0, not {tolerance!r}")
    places: dict[str, int] = {}
    text = np.array([places.setdefault(word, len(places)) for word in words], dtype=np.int64)
    if not places:
        return {}
    own = np.ones(len(places)) if weights is None else np.array([weights[word] for word in places], dtype=np.float64)
    if not ((own >= 0) & (own <= 1)).all():
        bad = next(word for word, weight in zip(places, own, strict=True) if not 0 <= weight <= 1)
        raise ValueError(f"the weight of {bad!r} must be from 0 to 1, not {dict(zip(places, own.tolist(), strict=True))[bad]!r}")
    pairs = [(text[:-step], text[step:]) for step in range(1, min(window, len(text)))]
    left = np.concatenate([text[:0], *(p[0] for p in pairs)])
    right = np.concatenate([text[:0], *(p[1] for p in pairs)])
    apart = left != right
    sources, targets = (np.concatenate(ends) for ends in ((left[apart], right[apart]), (right[apart], left[apart])))
    degrees = np.bincount(sources, minlength=len(places))
    shares = 1.0 / degrees[sources]  # one edge for each time that two words stand together: their sum is w_ji / Σ w_jk
    ranks, change = own, np.inf
    while change > tolerance:
        before = ranks
        ranks = own * (1 - damping + damping * np.bincount(targets, shares * before[sources], len(places)))
        change = np.abs(ranks - before).max()
    order = np.argsort(-np.round(ranks, 9), kind="stable").tolist()
    names = list(places)
    return {names[i]: float(ranks[i]) for i in order}
