"""Similarity of words, from HowNet and word vectors together (Zhou et al. 2019, §4.1: Eq. 1 and Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.base import check_fields
from topical_crawler.text.segment import normalise


@dataclass(frozen=True)
class SimilarityParameters:
    """Constants of Algorithm 1, all in [0, 1].

    The paper prints Th1 = Th2 = 0.1 (Table 5: best on 420 pairs of words) and neither α nor β. The defaults use its thresholds,
    with α = 0.9 and β = 0.7 for the best agreement with human judgements of 500 pairs (NLPCC-ICCPOL 2016, task 3). Crawls use
    other constants: :data:`topical_crawler.strategies.semantic.parameters.SIMILARITY`.
    """

    alpha: float = 0.9  # weight of SimD if SimH is 0
    beta: float = 0.7  # weight of SimH if it is not 0, the rest being SimD's
    th1: float = 0.1  # a SimD, and a result, below this counts as 0
    th2: float = 0.1  # a SimH below this counts as 0

    def __post_init__(self) -> None:
        check_fields(self, shares=("alpha", "beta", "th1", "th2"))


def algorithm1(sim_h: ArrayLike, sim_d: ArrayLike, parameters: SimilarityParameters) -> NDArray[np.float64]:
    """Apply Algorithm 1: combine two similarities of pairs of different words, step by step as printed. The results are in [0,
    1].

    Args:
        sim_h: SimH in [0, 1], one number or an array. 0 for a word missing in HowNet.
        sim_d: SimD in [-1, 1], of the same shape. 0 for a word without a vector.
        parameters: α, β, Th1, Th2.

    >>> p = SimilarityParameters(alpha=0.9, beta=0.6, th1=0.1, th2=0.1)
    >>> algorithm1([0.5, 0.05, 1.0], [0.4, 0.4, -0.1], p).round(6).tolist()
    [0.46, 0.36, 0.0]
    """
    alpha, beta, th1, th2 = parameters.alpha, parameters.beta, parameters.th1, parameters.th2
    sim_h, sim_d = np.asarray(sim_h, dtype=np.float64), np.asarray(sim_d, dtype=np.float64)
    opposed = sim_d < 0  # 1)
    sim_d = np.where(sim_d < th1, 0.0, sim_d)  # 2)
    sim_h = np.where(sim_h < th2, 0.0, sim_h)  # 3)
    sim = np.where(sim_h == 0, alpha * sim_d, beta * sim_h + (1 - beta) * sim_d)  # 4)
    sim = np.minimum(sim, 1.0)  # the cosine of rounded vectors can exceed 1 by a hair
    return np.where(opposed | (sim < th1), 0.0, sim)  # 1), 5), 6)


class WordSimilarity:
    """Sim(d, t) of two words. With neither resource a word is similar only to itself.

    Args:
        hownet: source of SimH.
        vectors: source of SimD.
        parameters: constants of Algorithm 1.
    """

    def __init__(
        self, hownet: HowNet | None = None, vectors: WordVectors | None = None, parameters: SimilarityParameters | None = None
    ) -> None:
        self.hownet = hownet
        self.vectors = vectors
        self.parameters = parameters or SimilarityParameters()

    @classmethod
    def from_resources(
        cls, resources: Resources, parameters: SimilarityParameters | None = None, cache_dir: Path | None = None
    ) -> WordSimilarity:
        """Read the installed ones of HowNet, its tree and the vectors. ``cache_dir`` keeps converted vectors, see
        :meth:`WordVectors.open`."""
        vectors = resources.path("vectors")
        return cls(HowNet.installed(resources), WordVectors.open(vectors, cache_dir) if vectors else None, parameters)

    def sim_h(self, a: str, b: str) -> float:
        """Return SimH (Liu & Li 2002) in [0, 1], 0.0 for words missing in HowNet."""
        return self.hownet.similarity(a, b) if self.hownet else 0.0

    def sim_d(self, a: str, b: str) -> float:
        """Return SimD (Eq. 1) in [-1, 1], 0.0 for words without a vector."""
        return self.vectors.similarity(a, b) if self.vectors else 0.0

    def sim(self, a: str, b: str) -> float:
        """Return :func:`algorithm1`, in [0, 1]. A word and itself: 1.0, even if unknown to all resources.

        >>> WordSimilarity().sim("党支部", "党支部"), WordSimilarity().sim("党支部", "支部")
        (1.0, 0.0)
        """
        if normalise(a) == normalise(b):
            return 1.0
        return float(algorithm1(self.sim_h(a, b), self.sim_d(a, b), self.parameters))
