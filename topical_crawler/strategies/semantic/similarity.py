"""Similarity of words, from HowNet and word vectors together (Zhou et al. 2019, §4.1: Eq. 1 and Algorithm 1)."""

from __future__ import annotations

import copy
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.glosses import Glosses
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
    :data:`topical_crawler.strategies.semantic.parameters.SIMILARITY`.

    Not in the paper: ``synonyms`` joins Cilin to both, so that vectors of synonyms are drawn together (:func:`retrofit`) and
    words that HowNet lacks have the senses of their synonyms (:func:`lend_senses`); ``parts`` gives a word without a vector one
    made of its parts (:class:`~topical_crawler.resources.vectors.ComposingVectors`); ``rarity`` makes SimH the overlap of
    sememes, the rare ones counting more (:meth:`~topical_crawler.resources.hownet.HowNet.by_rarity`); ``centred`` takes from
    the vectors what all of them have in common (:func:`centre`); ``characters`` adds the characters that two words share,
    ``glosses`` how alike they are translated (:meth:`~topical_crawler.resources.glosses.Glosses.similarity`).
    """

    alpha: float = 0.9  # weight of SimD where SimH is 0
    beta: float = 0.7  # weight of SimH where it is not 0; SimD has the rest
    th1: float = 0.1  # a SimD, and a result, below this counts as 0
    th2: float = 0.1  # a SimH below this counts as 0
    synonyms: bool = False
    parts: bool = False
    rarity: bool = False
    centred: bool = False
    characters: float = 0.0  # weight of the characters that two words share (`shared_characters`)
    glosses: float = 0.0  # weight of their English glosses; Algorithm 1 has what these two leave
    cut: float = 0.0  # of it all, what is below this counts as 0

    def __post_init__(self) -> None:
        check_fields(self, shares=("alpha", "beta", "th1", "th2", "characters", "glosses", "cut"))
        if self.characters + self.glosses > 1:
            raise ValueError(f"characters and glosses together are {self.characters + self.glosses:g}; they may be 1 at most")


EXTENDED = SimilarityParameters(
    alpha=0.7, beta=0.2, th1=0.0, th2=0.6, synonyms=True, parts=True, rarity=True, centred=True, characters=0.1, glosses=0.2
)
"""All of it, as chosen on Multi-SimLex and half of PKU-500. On pairs that it was not chosen on Spearman's ρ is .57 to .69,
where the paper's form has .33 to .60 (docs/decisions/paper-figures.md, "Agreement with people")."""


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


def join(
    sim_h: ArrayLike, sim_d: ArrayLike, shared: ArrayLike, translated: ArrayLike, parameters: SimilarityParameters
) -> NDArray[np.float64]:
    """:func:`algorithm1`, the characters that the words share (:func:`shared_characters`) and how alike they are translated, all
    in [0, 1].

    >>> join([0.5, 0.0], [0.5, -0.2], [0.5, 0.5], 0.0, SimilarityParameters(characters=0.2)).round(6).tolist()
    [0.5, 0.1]
    """
    share, gloss, cut = parameters.characters, parameters.glosses, parameters.cut
    sim = algorithm1(sim_h, sim_d, parameters)
    if share or gloss:
        sim = (1 - share - gloss) * sim + share * np.asarray(shared, np.float64) + gloss * np.asarray(translated, np.float64)
    return np.where(sim < cut, 0.0, sim)


def shared_characters(a: str, b: str) -> float:
    """The share of characters that two normalised words have in common, in [0, 1]: twice those over all.

    >>> shared_characters("党支部", "支部"), shared_characters("党支部", "天气")
    (0.8, 0.0)
    """
    return float(CharacterIndex([b]).row(a)[0])


class CharacterIndex:
    """The characters of many normalised words, none empty, for :func:`shared_characters` of one with all."""

    def __init__(self, words: Sequence[str]) -> None:
        self._lengths = np.array([len(word) for word in words])
        holders: dict[str, list[tuple[int, int]]] = {}
        for place, word in enumerate(words):
            for character, times in Counter(word).items():
                holders.setdefault(character, []).append((place, times))
        self._holders = {character: np.array(pairs).T for character, pairs in holders.items()}

    def row(self, word: str) -> NDArray[np.float64]:
        """Of one word with all, in their order, shape ``(len(words),)``."""
        shared = np.zeros(len(self._lengths))
        for character, times in Counter(word).items():
            if character in self._holders:
                places, theirs = self._holders[character]
                shared[places] += np.minimum(theirs, times)
        return np.asarray(2 * shared / (self._lengths + len(word)))


class WordSimilarity:
    """Sim(d, t) of two words; with neither resource a word is similar to itself alone. The attributes ``hownet`` and ``vectors``
    are as they are used: joined with Cilin, composing, if the parameters say so.

    Args:
        hownet: gives SimH.
        vectors: give SimD.
        parameters: constants of Algorithm 1, and whether the resources are joined and words composed.
        cilin: the synonyms that ``parameters.synonyms`` joins to both.
        glosses: what ``parameters.glosses`` weighs.
    """

    def __init__(
        self,
        hownet: HowNet | None = None,
        vectors: WordVectors | None = None,
        parameters: SimilarityParameters | None = None,
        cilin: Cilin | None = None,
        glosses: Glosses | None = None,
    ) -> None:
        self.parameters = parameters or SimilarityParameters()
        if self.parameters.centred and vectors:
            vectors = centre(vectors)
        if self.parameters.rarity and hownet:
            hownet = hownet.by_rarity()
        if self.parameters.synonyms and cilin:
            hownet, vectors = hownet and lend_senses(hownet, cilin), vectors and retrofit(vectors, cilin)
        if self.parameters.parts and vectors:
            vectors = ComposingVectors(vectors.words, vectors.matrix)
        self.hownet = hownet
        self.vectors = vectors
        self.glosses = glosses

    @classmethod
    def from_resources(
        cls, resources: Resources, parameters: SimilarityParameters | None = None, cache_dir: Path | None = None
    ) -> WordSimilarity:
        """Read what there is of HowNet, its tree, the vectors and, if the parameters ask for them, Cilin and the glosses.
        ``cache_dir`` is where converted vectors are kept, see :meth:`WordVectors.open`."""
        parameters = parameters or SimilarityParameters()
        vectors = resources.path("vectors")
        thesaurus = resources.path("cilin") if parameters.synonyms else None
        if parameters.synonyms and not thesaurus:
            logger.warning("synonyms are asked for and Cilin is missing. Remedy: topical-crawler lexicon fetch cilin")
        dictionary = resources.path("cedict") if parameters.glosses else None
        if parameters.glosses and not dictionary:
            logger.warning("glosses are asked for and CC-CEDICT is missing. Remedy: topical-crawler lexicon fetch cedict")
        return cls(
            HowNet.installed(resources),
            WordVectors.open(vectors, cache_dir) if vectors else None,
            parameters,
            Cilin(thesaurus) if thesaurus else None,
            Glosses(dictionary) if dictionary else None,
        )

    def sim_h(self, a: str, b: str) -> float:
        """SimH (Liu & Li 2002) in [0, 1]; 0.0 where HowNet lacks a word."""
        return self.hownet.similarity(a, b) if self.hownet else 0.0

    def sim_d(self, a: str, b: str) -> float:
        """SimD (Eq. 1) in [-1, 1]; 0.0 where a word has no vector."""
        return self.vectors.similarity(a, b) if self.vectors else 0.0

    def translated(self, a: str, b: str) -> float:
        """How alike the English glosses of two words are, in [0, 1]; 0.0 where one has none."""
        return self.glosses.similarity(a, b) if self.glosses else 0.0

    def sim(self, a: str, b: str) -> float:
        """:func:`join`, in [0, 1]. A word and itself: 1.0, also where no resource has it.

        >>> WordSimilarity().sim("党支部", "党支部"), WordSimilarity().sim("党支部", "支部")
        (1.0, 0.0)
        """
        if normalise(a) == normalise(b):
            return 1.0
        shared = shared_characters(normalise(a), normalise(b))
        return float(join(self.sim_h(a, b), self.sim_d(a, b), shared, self.translated(a, b), self.parameters))


# -- What all vectors have in common (centred = true)

_FREQUENT = 20_000  # words, the most frequent, whose directions are taken for common; thousands more change nothing


def centre(vectors: WordVectors) -> WordVectors:
    """Vectors without the mean of all, and without the directions in which the frequent ones differ most, one for every hundred
    dimensions (Mu & Viswanath 2018): these tell how frequent a word is, not what it means. New ones, in memory, of length 1; a
    vector of which nothing is left stays as it was."""
    matrix = vectors.matrix - vectors.matrix.mean(axis=0, dtype=np.float64)
    frequent = matrix[:_FREQUENT]
    directions = np.linalg.eigh(frequent.T @ frequent)[1][:, vectors.dimensions - vectors.dimensions // 100 :]
    matrix -= matrix @ directions @ directions.T
    lengths = np.linalg.norm(matrix, axis=1)[:, None]
    return WordVectors(vectors.words, np.where(lengths > 1e-6, matrix / np.maximum(lengths, 1e-6), vectors.matrix).astype("f4"))


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
