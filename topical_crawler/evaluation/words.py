"""How well a word similarity agrees with people: Spearman's ρ over a file of judged pairs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two words and how similar people find them (any scale, higher is more similar)."""

    first: str
    second: str
    judgement: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """What :func:`evaluate` found.

    Attributes:
        pairs: pairs in the file.
        covered: pairs of which the similarity knows both words.
        rho: Spearman's ρ over all pairs, 0 standing for a similarity that is not known.
        rho_covered: Spearman's ρ over the covered pairs.
    """

    pairs: int
    covered: int
    rho: float
    rho_covered: float


def read_pairs(path: str | os.PathLike[str]) -> list[JudgedPair]:
    """Read lines ``word <TAB> word <TAB> judgement``; a line that starts with ``#`` is a comment.

    Raises:
        ValueError: a line that does not have this form; names file and line.
    """
    pairs = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8-sig").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                first, second, judgement = line.split("\t")
                pairs.append(JudgedPair(first.strip(), second.strip(), float(judgement)))
            except ValueError:
                raise ValueError(f"{path}:{number}: expected 'word<TAB>word<TAB>number', got {line!r}; correct it") from None
    return pairs


def evaluate(
    similarity: Callable[[str, str], float], pairs: Sequence[JudgedPair], covers: Callable[[str, str], bool] = lambda a, b: True
) -> Agreement:
    """Hold a similarity against people's judgements.

    Args:
        similarity: of two words, e.g. ``WordSimilarity.sim``.
        pairs: at least two judged pairs.
        covers: whether the similarity knows both words; it is not asked about other pairs.

    >>> pairs = [JudgedPair("党员", "干部", 6.0), JudgedPair("党员", "足球", 1.0), JudgedPair("党员", "同志", 5.0)]
    >>> evaluate(lambda a, b: {"干部": 0.8, "足球": 0.1, "同志": 0.3}[b], pairs)
    Agreement(pairs=3, covered=3, rho=1.0, rho_covered=1.0)
    """
    known = np.array([covers(p.first, p.second) for p in pairs], dtype=bool)
    found = np.array([similarity(p.first, p.second) if k else 0.0 for p, k in zip(pairs, known, strict=True)])
    judged = np.array([p.judgement for p in pairs])
    return Agreement(len(pairs), int(known.sum()), spearman(found, judged), spearman(found[known], judged[known]))


def spearman(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Spearman's rank correlation of two equally long samples, in [-1, 1]; equal values share their mean rank.

    nan where it is not defined: fewer than two values, or all values equal.

    >>> round(spearman(np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])), 4)
    0.9487
    """
    x, y = _ranks(a), _ranks(b)
    x, y = x - x.mean() if x.size else x, y - y.mean() if y.size else y
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(np.clip(x @ y / spread, -1.0, 1.0)) if spread > 0 else float("nan")


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((last - (sizes - 1) / 2)[group], dtype=np.float64)
