"""SimH of one word with all words of HowNet at once: the same values as :meth:`HowNet.similarity`, in array operations.

Definitions share their parts: the 66,181 entries of HowNet 2000 have 17,028 different definitions, built of 5,385 different sets
of sememes. So a part is compared once, with all different parts, and definitions look their parts up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from topical_crawler.semantics.hownet import BETAS, DELTA, Features, HowNet

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class ConceptIndex:
    """The definitions and words of a HowNet, arranged for comparison in bulk.

    Attributes:
        words: the words of HowNet, in the order of the values that :meth:`row` returns.
    """

    def __init__(self, hownet: HowNet) -> None:
        self._hownet = hownet
        self.words = list(hownet.senses)
        self._senses = np.array([sense for word in self.words for sense in hownet.senses[word]], dtype=np.int64)
        counts = np.array([len(hownet.senses[word]) for word in self.words])
        self._starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
        self._function = np.array([concept.function for concept in hownet.concepts])
        self._parts: _Parts | _Overlap = _Overlap(hownet) if hownet.tree is None else _Parts(hownet)

    def row(self, word: str) -> Floats:
        """SimH of ``word`` (as it stands in ``words``) with every word, shape ``(len(words),)``, range [0, 1]."""
        best = np.zeros(len(self._function))
        for sense in self._hownet.senses[word]:
            values = self._parts.row(sense)
            values[self._function != self._function[sense]] = 0.0
            np.maximum(best, values, out=best)
        return np.asarray(np.maximum.reduceat(best[self._senses], self._starts))


class _Overlap:
    """Dice coefficient of the sememes, for a HowNet without the tree."""

    def __init__(self, hownet: HowNet) -> None:
        self._bags = [sorted({hownet.values[v] for v in concept.values()}) for concept in hownet.concepts]
        holders: dict[int, list[int]] = defaultdict(list)
        for concept, bag in enumerate(self._bags):
            for value in bag:
                holders[value].append(concept)
        self._holders = {value: np.array(found) for value, found in holders.items()}
        self._sizes = np.array([len(bag) for bag in self._bags])

    def row(self, concept: int) -> Floats:
        """Overlap of one concept with all, shape ``(concepts,)``."""
        shared = np.zeros(len(self._bags))
        for value in self._bags[concept]:
            shared[self._holders[value]] += 1
        return np.asarray(2 * shared / (self._sizes + len(self._bags[concept])))


class _Parts:
    """The formula of Liu & Li part by part, each distinct part compared once."""

    def __init__(self, hownet: HowNet) -> None:
        concepts = hownet.concepts
        self._similarity = hownet.value_matrix
        self._first = np.array([hownet.values[concept.first] for concept in concepts])
        self._sets = _Sets(hownet)
        self._others = np.array([self._sets.ids[concept.others] for concept in concepts])
        self._relations = _Structures([concept.relations for concept in concepts], self._sets)
        self._symbols = _Structures([concept.symbols for concept in concepts], self._sets)

    def row(self, concept: int) -> Floats:
        """Similarity of one concept with all, shape ``(concepts,)``."""
        first = self._similarity[self._first[concept], self._first]
        others = self._sets.row(int(self._others[concept]))[self._others]
        relations, symbols = self._relations.row(concept), self._symbols.row(concept)
        return np.asarray(first * (BETAS[0] + others * (BETAS[1] + relations * (BETAS[2] + symbols * BETAS[3]))))


class _Sets:
    """Distinct sets of values, numbered in sorted order."""

    def __init__(self, hownet: HowNet) -> None:
        found: set[tuple[str, ...]] = set()
        for concept in hownet.concepts:
            found.add(concept.others)
            found.update(values for _, values in (*concept.relations, *concept.symbols))
        self.ids = {values: i for i, values in enumerate(sorted(found))}
        self._members = [np.array([hownet.values[v] for v in values], dtype=np.int64) for values in self.ids]
        sizes = np.array([len(members) for members in self._members])
        self._by_size: dict[int, tuple[Ints, Ints]] = {}
        for size in sorted({*sizes.tolist()} - {0}):
            chosen = np.flatnonzero(sizes == size)
            self._by_size[size] = chosen, np.stack([self._members[i] for i in chosen])
        self._empty = np.flatnonzero(sizes == 0)
        self._similarity = hownet.value_matrix
        self._rows: dict[int, Floats] = {}

    def row(self, index: int) -> Floats:
        """Similarity of one set with all (:meth:`HowNet._set`), shape ``(sets,)``; kept, since topic terms share their sets."""
        if index not in self._rows:
            self._rows[index] = self._compare(index)
        return self._rows[index]

    def _compare(self, index: int) -> Floats:
        own = self._members[index]
        result = np.full(len(self._members), DELTA)
        if not own.size:
            result[self._empty] = 1.0
            return result
        for size, (chosen, members) in self._by_size.items():
            # the scalar form pairs equal similarities in the order (smaller set, greater set): two groups, two orders
            split = int(np.searchsorted(chosen, index))
            block = self._similarity[own[None, :, None], members[:, None, :]]
            result[chosen[:split]] = _paired(block[:split].transpose(0, 2, 1))
            result[chosen[split:]] = _paired(block[split:])
            result[chosen] += DELTA * abs(len(own) - size)
            result[chosen] /= max(len(own), size)
        return result


def _paired(block: Floats) -> Floats:
    """Greedy one-to-one pairing in each matrix of ``block``, shape ``(n, rows, columns)``: the sums of the paired values."""
    block = np.ascontiguousarray(block)
    count, rows, columns = block.shape
    total, which = np.zeros(count), np.arange(count)
    for _ in range(min(rows, columns)):
        best = block.reshape(count, rows * columns).argmax(axis=1)
        i, j = np.divmod(best, columns)
        total += block[which, i, j]
        block[which, i, :] = -1.0
        block[which, :, j] = -1.0
    return total


class _Structures:
    """Distinct feature structures, by attribute."""

    def __init__(self, structures: Iterable[Features], sets: _Sets) -> None:
        given = list(structures)
        ids = {structure: i for i, structure in enumerate(sorted(set(given)))}
        self._structures = list(ids)
        self._of_concept = np.array([ids[structure] for structure in given])
        self._sets = sets
        holders: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for structure, i in ids.items():
            for attribute, values in structure:
                holders[attribute].append((i, sets.ids[values]))
        self._holders = {attribute: np.array(found).T for attribute, found in holders.items()}

    def row(self, concept: int) -> Floats:
        """Similarity of one concept's structure with those of all (:meth:`HowNet._structure`), shape ``(concepts,)``."""
        total, shared = np.zeros(len(self._structures)), np.zeros(len(self._structures))
        for attribute, values in self._structures[self._of_concept[concept]]:
            structures, sets = self._holders[attribute]
            total[structures] += self._sets.row(self._sets.ids[values])[sets]
            shared[structures] += 1
        result = np.ones(len(self._structures))
        np.divide(total, shared, out=result, where=shared > 0)
        return np.asarray(result[self._of_concept])
