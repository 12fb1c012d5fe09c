"""What a thesaurus adds to the other resources: vectors and senses for words that lack them, better vectors for the rest.

Vectors tell what stands in like places, antonyms and companions too; a thesaurus tells what means the same. Joining the two is
the greatest single gain in agreement with human judgements that was found (docs/decisions.md).
"""

from __future__ import annotations

import copy

import numpy as np

from topical_crawler.semantics.cilin import Cilin
from topical_crawler.semantics.hownet import HowNet
from topical_crawler.semantics.vectors import WordVectors

ROUNDS = 10
"""As published; the vectors hardly move after the fifth."""


def retrofit(vectors: WordVectors, cilin: Cilin, rounds: int = ROUNDS) -> WordVectors:
    """Draw the vectors of synonyms together, and give one to words of which only synonyms have one.

    Each round puts a word halfway between its own vector and the mean of its synonyms' vectors (Faruqui et al. 2015, Eq. 1 with
    α = 1 and β = 1/degree); a word without a vector of its own stands at that mean (Speer & Chin 2016).

    Args:
        vectors: left as they are.
        cilin: its ``=`` groups are the synonyms; a word in two groups counts twice where it meets another in both.
        rounds: number of passes over all words.

    Returns:
        New vectors, held in memory: all words of ``vectors`` in their order, then those that got one.
    """
    from scipy.sparse import csr_array

    groups = [group.words for group in cilin.groups.values() if group.relation == "="]
    words = list(dict.fromkeys(word for group in groups for word in group))
    if not words:
        return vectors
    place = {word: i for i, word in enumerate(words)}
    members = [place[word] for group in groups for word in group]
    bounds = np.cumsum([0, *map(len, groups)])
    held = csr_array((np.ones(len(members), dtype=np.float32), members, bounds), shape=(len(groups), len(words)))
    holding = held.T.tocsr()
    times = np.asarray(held.sum(axis=0), dtype=np.float32)[:, None]

    # The last column says whether there is a vector, so that its sum over the synonyms is the number of those that have one.
    own = np.zeros((len(words), vectors.dimensions + 1), dtype=np.float32)
    has_own = np.array([word in vectors.rows for word in words])
    own[has_own, :-1] = vectors.matrix[[vectors.rows[word] for word in words if word in vectors.rows]]
    own[has_own, -1] = 1
    current = own
    for _ in range(rounds):
        total = holding @ (held @ current) - times * current  # all in a word's groups, without itself
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
    """A HowNet in which a word of Cilin that it lacks has the senses of its synonyms.

    Args:
        hownet: left as it is; the new one shares its definitions.
        cilin: its ``=`` groups are the synonyms.
    """
    lent = {}
    for word in dict.fromkeys(word for group in cilin.groups.values() for word in group.words):
        if word not in hownet.senses:
            senses = sorted({sense for synonym in cilin.synonyms(word) for sense in hownet.senses.get(synonym, ())})
            if senses:
                lent[word] = senses
    richer = copy.copy(hownet)
    richer.senses = {**hownet.senses, **lent}
    return richer
