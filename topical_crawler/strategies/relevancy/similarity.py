"""Similarity of words, from HowNet and word vectors together (Zhou et al. 2019, §4.1: Eq. 1 and Algorithm 1)."""

from __future__ import annotations

import copy
import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import ComposingVectors, WordVectors
from topical_crawler.strategies.base import check_fields
from topical_crawler.text.segment import normalise

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SimilarityParameters:
    """Constants of Algorithm 1, all in [0, 1], and what SimH and SimD are made of.

    The paper prints Th1 = Th2 = 0.1 (Table 5: best on 420 pairs of words) and neither α nor β. The defaults have its thresholds,
    and α = 0.9 and β = 0.7, which agree best with human judgements of 500 pairs (NLPCC-ICCPOL 2016, task 3). A crawl has others:
    :data:`topical_crawler.strategies.semantic.strategy.SIMILARITY`.

    Not in the paper: ``synonyms`` joins Cilin to both, so that vectors of synonyms are drawn together (:func:`retrofit`) and
    words that HowNet lacks have the senses of their synonyms (:func:`lend_senses`); ``parts`` gives a word without a vector one
    made of its parts (:class:`~topical_crawler.resources.vectors.ComposingVectors`).
    """

    alpha: float = 0.9  # weight of SimD where SimH is 0
    beta: float = 0.7  # weight of SimH where it is not 0; SimD has the rest
    th1: float = 0.1  # a SimD, and a result, below this counts as 0
    th2: float = 0.1  # a SimH below this counts as 0
    synonyms: bool = False
    parts: bool = False

    def __post_init__(self) -> None:
        check_fields(self, shares=("alpha", "beta", "th1", "th2"))


EXTENDED = SimilarityParameters(alpha=1.0, beta=0.3, th1=0.2, th2=0.1, synonyms=True, parts=True)
"""Algorithm 1 over SimH and SimD that Cilin and the parts of words make better. Chosen on a half of PKU-500, it has Spearman's
ρ = 0.59 on the other half, every pair counted, where the paper's form has 0.40 (docs/decisions.md)."""


def algorithm1(sim_h: ArrayLike, sim_d: ArrayLike, parameters: SimilarityParameters) -> NDArray[np.float64]:
    """Algorithm 1: join two similarities of pairs of different words, step by step as printed; the results are in [0, 1].

    Args:
        sim_h: SimH in [0, 1], one number or an array; 0 where HowNet lacks a word.
        sim_d: SimD in [-1, 1], of the same shape; 0 where a word has no vector.
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
    """Sim(d, t) of two words; with neither resource a word is similar to itself alone. The attributes ``hownet`` and ``vectors``
    are as they are used: joined with Cilin, composing, if the parameters say so.

    Args:
        hownet: gives SimH.
        vectors: give SimD.
        parameters: constants of Algorithm 1, and whether the resources are joined and words composed.
        cilin: the synonyms that ``parameters.synonyms`` joins to both.
    """

    def __init__(
        self,
        hownet: HowNet | None = None,
        vectors: WordVectors | None = None,
        parameters: SimilarityParameters | None = None,
        cilin: Cilin | None = None,
    ) -> None:
        self.parameters = parameters or SimilarityParameters()
        if self.parameters.synonyms and cilin:
            hownet, vectors = hownet and lend_senses(hownet, cilin), vectors and retrofit(vectors, cilin)
        if self.parameters.parts and vectors:
            vectors = ComposingVectors(vectors.words, vectors.matrix)
        self.hownet = hownet
        self.vectors = vectors

    @classmethod
    def from_resources(
        cls, resources: Resources, parameters: SimilarityParameters | None = None, cache_dir: Path | None = None
    ) -> WordSimilarity:
        """Read what there is of HowNet, its tree, the vectors and, if ``parameters.synonyms``, Cilin. ``cache_dir`` is where
        converted vectors are kept, see :meth:`WordVectors.open`."""
        parameters = parameters or SimilarityParameters()
        vectors = resources.path("vectors")
        thesaurus = resources.path("cilin") if parameters.synonyms else None
        if parameters.synonyms and not thesaurus:
            logger.warning("synonyms are asked for and Cilin is missing. Remedy: topical-crawler lexicon fetch cilin")
        return cls(
            HowNet.installed(resources),
            WordVectors.open(vectors, cache_dir) if vectors else None,
            parameters,
            Cilin(thesaurus) if thesaurus else None,
        )

    def sim_h(self, a: str, b: str) -> float:
        """SimH (Liu & Li 2002) in [0, 1]; 0.0 where HowNet lacks a word."""
        return self.hownet.similarity(a, b) if self.hownet else 0.0

    def sim_d(self, a: str, b: str) -> float:
        """SimD (Eq. 1) in [-1, 1]; 0.0 where a word has no vector."""
        return self.vectors.similarity(a, b) if self.vectors else 0.0

    def sim(self, a: str, b: str) -> float:
        """Algorithm 1, in [0, 1]. A word and itself: 1.0, also where no resource has it.

        >>> WordSimilarity().sim("党支部", "党支部"), WordSimilarity().sim("党支部", "支部")
        (1.0, 0.0)
        """
        if normalise(a) == normalise(b):
            return 1.0
        return float(algorithm1(self.sim_h(a, b), self.sim_d(a, b), self.parameters))


# -- What a thesaurus adds to both resources (synonyms = true)


def retrofit(vectors: WordVectors, cilin: Cilin, rounds: int = 10) -> WordVectors:
    """Draw the vectors of synonyms (``=`` groups of Cilin) together, and give one to words of which only synonyms have one.

    Each of the ``rounds`` (as many as published) puts a word halfway between its own vector and the mean of its synonyms' vectors
    (Faruqui et al. 2015, Eq. 1 with α = 1 and β = 1/degree); a word without a vector of its own stands at that mean (Speer & Chin
    2016). A word in two groups counts twice where it meets another in both. Returns new vectors, held in memory: all words of
    ``vectors`` in their order, then those that got one.
    """
    groups = [group.words for group in cilin.groups.values() if group.relation == "=" and group.words]
    words = list(dict.fromkeys(word for group in groups for word in group))
    if not words:
        return vectors
    place = {word: i for i, word in enumerate(words)}
    members = np.array([place[word] for group in groups for word in group])
    sizes = np.array(list(map(len, groups)))
    times = np.bincount(members)  # in how many groups a word is
    first_member, first_group = np.cumsum(sizes) - sizes, np.cumsum(times) - times
    groups_by_word = np.repeat(np.arange(len(groups)), sizes)[np.argsort(members, kind="stable")]

    # The last column says whether there is a vector, so that its sum over the synonyms is the number of those that have one.
    own = np.zeros((len(words), vectors.dimensions + 1), dtype=np.float32)
    has_own = np.array([word in vectors.rows for word in words])
    own[has_own, :-1] = vectors.matrix[[vectors.rows[word] for word in words if word in vectors.rows]]
    own[has_own, -1] = 1
    current = own
    for _ in range(rounds):
        by_group = np.add.reduceat(current[members], first_member)
        total = np.add.reduceat(by_group[groups_by_word], first_group)  # all in a word's groups
        total -= times[:, None].astype(np.float32) * current  # without itself
        degree = total[:, -1:]
        mean = np.divide(total, degree, out=np.zeros_like(total), where=degree > 0)
        weight = own[:, -1:] + (degree > 0)
        current = np.divide(own + mean, weight, out=np.zeros_like(own), where=weight > 0)

    lengths = np.linalg.norm(current[:, :-1], axis=1)
    usable = lengths > 1e-6  # words whose synonyms have no vector either, or vectors that cancel out, stay as they were
    unit = current[:, :-1] / np.where(usable, lengths, 1)[:, None]
    matrix = np.concatenate([vectors.matrix, unit[usable & ~has_own]])
    matrix[[vectors.rows[words[i]] for i in np.flatnonzero(usable & has_own)]] = unit[usable & has_own]
    return WordVectors([*vectors.words, *(words[i] for i in np.flatnonzero(usable & ~has_own))], matrix)


def lend_senses(hownet: HowNet, cilin: Cilin) -> HowNet:
    """A new HowNet, with the same definitions, in which a word of Cilin that it lacks has the senses of its synonyms."""
    richer = copy.copy(hownet)
    richer.senses = dict(hownet.senses)
    for word in (word for group in cilin.groups.values() for word in group.words):
        if word not in richer.senses:
            senses = {sense for synonym in cilin.synonyms(word) for sense in hownet.senses.get(synonym, ())}
            if senses:
                richer.senses[word] = sorted(senses)
    return richer
