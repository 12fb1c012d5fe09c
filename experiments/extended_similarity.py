"""Similarity of words as people see it: Algorithm 1 of Zhou et al. 2019 with what else is known of two words.

A crawl has none of this: what people find similar need not be on one topic (experiments/notes/papers.md).
"""

from __future__ import annotations

import copy
import logging
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.glosses import Glosses
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import ComposingVectors, WordVectors
from topical_crawler.strategies.base import check_fields
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity, algorithm1
from topical_crawler.text.segment import normalise

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ExtendedParameters(SimilarityParameters):
    """Constants of Algorithm 1, and what else SimH, SimD and the result are made of."""

    synonyms: bool = False  # join Cilin to both: `retrofit` the vectors, `lend_senses` to words that HowNet lacks
    parts: bool = False  # give a word without a vector one made of its parts (`ComposingVectors`)
    rarity: bool = False  # SimH is the overlap of sememes, the rare ones counting more (`RareSememes`)
    centred: bool = False  # take from the vectors what all of them have in common (`centre`)
    characters: float = 0.0  # weight of the characters that two words share (`shared_characters`)
    glosses: float = 0.0  # weight of their English glosses; Algorithm 1 has what these two leave
    cut: float = 0.0  # of it all, what is below this counts as 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, shares=("characters", "glosses", "cut"))
        if self.characters + self.glosses > 1:
            raise ValueError(f"characters and glosses together are {self.characters + self.glosses:g}; they may be 1 at most")


EXTENDED = ExtendedParameters(
    alpha=0.7, beta=0.2, th1=0.0, th2=0.6, synonyms=True, parts=True, rarity=True, centred=True, characters=0.1, glosses=0.2
)
"""All of it, as chosen on Multi-SimLex and half of PKU-500. On pairs that it was not chosen on Spearman's ρ is .57 to .69,
where the paper's form has .33 to .60 (experiments/notes/paper-figures.md, "Agreement with people")."""


def join(
    sim_h: ArrayLike, sim_d: ArrayLike, shared: ArrayLike, translated: ArrayLike, parameters: SimilarityParameters
) -> NDArray[np.float64]:
    """Join Algorithm 1, the characters that the words share and how alike they are translated, all in [0, 1]. Plain parameters
    have Algorithm 1 alone.

    >>> join([0.5, 0.0], [0.5, -0.2], [0.5, 0.5], 0.0, ExtendedParameters(characters=0.2)).round(6).tolist()
    [0.5, 0.1]
    """
    sim = algorithm1(sim_h, sim_d, parameters)
    if not isinstance(parameters, ExtendedParameters):
        return sim
    share, gloss = parameters.characters, parameters.glosses
    sim = (1 - share - gloss) * sim + share * np.asarray(shared, np.float64) + gloss * np.asarray(translated, np.float64)
    return np.where(sim < parameters.cut, 0.0, sim)


def shared_characters(a: str, b: str) -> float:
    """The share of characters that two normalised words, none empty, have in common, in [0, 1]: twice those over all.

    >>> shared_characters("党支部", "支部"), shared_characters("党支部", "天气")
    (0.8, 0.0)
    """
    return 2 * (Counter(a) & Counter(b)).total() / (len(a) + len(b))


class ExtendedSimilarity(WordSimilarity):
    """Sim(d, t) of two words with the extensions that the parameters ask for. The attributes ``hownet`` and ``vectors`` are as
    they are used: joined with Cilin, composing.

    Args:
        hownet: gives SimH.
        vectors: give SimD.
        parameters: constants of Algorithm 1, and which extensions there are.
        cilin: the synonyms that ``parameters.synonyms`` joins to both.
        glosses: what ``parameters.glosses`` weighs.
    """

    parameters: ExtendedParameters

    def __init__(
        self,
        hownet: HowNet | None = None,
        vectors: WordVectors | None = None,
        parameters: ExtendedParameters | None = None,
        cilin: Cilin | None = None,
        glosses: Glosses | None = None,
    ) -> None:
        parameters = parameters or ExtendedParameters()
        if parameters.centred and vectors:
            vectors = centre(vectors)
        if parameters.rarity and hownet:
            hownet = RareSememes(hownet)
        if parameters.synonyms and cilin:
            hownet, vectors = hownet and lend_senses(hownet, cilin), vectors and retrofit(vectors, cilin)
        if parameters.parts and vectors:
            vectors = ComposingVectors(vectors.words, vectors.matrix)
        super().__init__(hownet, vectors, parameters)
        self.glosses = glosses

    @classmethod
    def read(
        cls, resources: Resources, parameters: ExtendedParameters, cache_dir: Path | None = None, glosses: Path | None = None
    ) -> ExtendedSimilarity:
        """Read what there is of HowNet, its tree, the vectors and, if the parameters ask for them, Cilin and the file of
        ``glosses``. ``cache_dir`` is where converted vectors are kept, see :meth:`WordVectors.open`."""
        vectors = resources.path("vectors")
        thesaurus = resources.path("cilin") if parameters.synonyms else None
        if parameters.synonyms and not thesaurus:
            logger.warning("synonyms are asked for and Cilin is missing. Remedy: topical-crawler resources fetch cilin")
        if parameters.glosses and not glosses:
            logger.warning("glosses are asked for and CC-CEDICT is missing. Remedy: --glosses FILE")
        return cls(
            HowNet.installed(resources),
            WordVectors.open(vectors, cache_dir) if vectors else None,
            parameters,
            Cilin(thesaurus) if thesaurus else None,
            Glosses(glosses) if glosses and parameters.glosses else None,
        )

    def translated(self, a: str, b: str) -> float:
        """How alike the English glosses of two words are, in [0, 1]; 0.0 where one has none."""
        return self.glosses.similarity(a, b) if self.glosses else 0.0

    def sim(self, a: str, b: str) -> float:
        """:func:`join`, in [0, 1]. A word and itself: 1.0, also where no resource has it."""
        if normalise(a) == normalise(b):
            return 1.0
        shared = shared_characters(normalise(a), normalise(b))
        return float(join(self.sim_h(a, b), self.sim_d(a, b), shared, self.translated(a, b), self.parameters))


# -- Sememes by their rarity (rarity = true)


class RareSememes(HowNet):
    """The same glossary, compared by the overlap of sememes alone, without the tree, in which a sememe counts as its rarity among
    the definitions, ln(definitions / those with it): that two words are both ``human|人`` says little."""

    def __init__(self, hownet: HowNet) -> None:
        self.path, self.tree = hownet.path, None
        self.concepts, self.senses = hownet.concepts, hownet.senses

    def of_sense(self, sense: int) -> NDArray[np.float64]:
        bags, holders, weights, sizes = self._overlap
        shared = np.zeros(len(bags))
        for value in bags[sense]:
            shared[holders[value]] += weights[value]
        both = sizes + sizes[sense]
        values = np.divide(2 * shared, both, out=np.zeros_like(shared), where=both > 0)
        values[self._function != self._function[sense]] = 0.0
        return np.asarray(values)

    @cached_property
    def _overlap(self) -> tuple[list[list[int]], dict[int, NDArray[np.int64]], NDArray[np.float64], NDArray[np.float64]]:
        """The sememes of each definition, the definitions with each sememe, and the weights of both, sememes first."""
        bags = [sorted({self.values[v] for v in concept.values()}) for concept in self.concepts]
        holders: dict[int, list[int]] = defaultdict(list)
        for concept, bag in enumerate(bags):
            for value in bag:
                holders[value].append(concept)
        weights = np.zeros(len(self.values))
        for value, concepts in holders.items():
            weights[value] = np.log(len(bags) / len(concepts))
        sizes = np.array([weights[bag].sum() for bag in bags])
        return bags, {value: np.array(concepts) for value, concepts in holders.items()}, weights, sizes


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
