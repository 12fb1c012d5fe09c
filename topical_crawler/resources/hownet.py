"""Word similarity by the definitions of HowNet (Liu & Li 2002): SimH of Zhou et al. 2019, for one pair or one word with all
words.

HowNet describes each sense of a word by a definition (*DEF*) in sememes, e.g. 男人 = ``human|人,family|家,male|男``. The
similarity of two words is that of their two most similar senses (Eq. 2). Two senses are compared part by part: first sememe,
other sememes, relations (``content=fight|争斗``), symbol descriptors (``*teach|教``: one who teaches).

In bulk, each part is compared once with all different parts: the 66,181 entries of HowNet 2000 have 17,028 different
definitions, built of 5,385 different sets of sememes.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import normalise

ALPHA = 1.6  # distance of half similarity between two sememes (α of Liu & Li 2002, Eq. 3)
GAMMA = 0.2  # similarity of a sememe and a concrete word (γ of Liu & Li 2002, section 4.2)
NO_PATH = 20
"""Distance of sememes of different trees. Not printed. Follows from 思考-思想 = 0.074 = 1.6 / (20 + 1.6) in Table 4."""


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, stripped line), skipping blank lines.

    Raises:
        ValueError: the file is not UTF-8, like the original HowNet files.
    """
    with path.open(encoding="utf-8-sig") as file:
        try:
            for number, line in enumerate(file, 1):
                if line := line.strip():
                    yield number, line
        except UnicodeDecodeError:
            raise ValueError(
                f"{path}: not UTF-8. Convert it, e.g. iconv -f GB18030 -t UTF-8 {path.name} > {path.stem}.txt"
            ) from None


_NODE = re.compile(r"(\d+)\s+(\S+)\s+(\d+)")


class SememeTree:
    """Hypernym forest of the sememes, read from lines ``index sememe parent`` (a root is its own parent) in UTF-8.

    For a sememe in several places (``event|事件``) the nearest one counts.

    Raises:
        ValueError: a malformed line, a repeated index, a missing parent, or a cycle.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._parents: dict[int, int] = {}
        self._names: dict[int, str] = {}
        lines: dict[int, int] = {}
        for number, line in read_lines(self.path):
            if not (fields := _NODE.fullmatch(line)):
                raise ValueError(
                    f"{self.path}:{number}: expected 'index sememe parent', got {line!r}. Correct or delete the line"
                )
            index, name, parent = int(fields[1]), fields[2], int(fields[3])
            if index in self._parents:
                raise ValueError(f"{self.path}:{number}: index {index} is repeated. Assign each sememe its own number")
            self._names[index], self._parents[index], lines[index] = name, parent, number
        for index, parent in self._parents.items():
            if parent not in self._parents:
                raise ValueError(f"{self.path}:{lines[index]}: parent {parent} is not in the file. Get the complete file")
        self._places: dict[str, list[int]] = defaultdict(list)
        for index, name in self._names.items():
            self._places[name].append(index)
        self._english: dict[str, list[int]] = defaultdict(list)
        for name, places in self._places.items():
            self._english[name.partition("|")[0]].extend(places)
        self._chains = {index: self._chain(index, lines) for index in self._parents}

    def _chain(self, index: int, lines: dict[int, int]) -> list[int]:
        chain = [index]
        while (parent := self._parents[chain[-1]]) != chain[-1]:
            if len(chain) > len(self._parents):
                raise ValueError(f"{self.path}:{lines[index]}: {index} is its own ancestor. Break the cycle")
            chain.append(parent)
        return chain

    def places(self, sememe: str) -> list[int]:
        """Return the indices of a sememe, found by its full name or, failing that, by its English part, [] if unknown."""
        return self._places.get(sememe) or self._english.get(sememe.partition("|")[0], [])

    def __contains__(self, sememe: object) -> bool:
        return isinstance(sememe, str) and bool(self.places(sememe))

    def __len__(self) -> int:
        return len(self._places)

    def similarities(self, sememes: Sequence[str]) -> NDArray[np.float64]:
        """Return the similarity of every pair, shape ``(len(sememes), len(sememes))``, range (0, 1]: α / (α + distance).

        A sememe unknown to the tree is :data:`NO_PATH` apart from any other.
        """
        chosen = [self.places(s) for s in sememes]
        nodes = sorted({index for places in chosen for index in places})
        row = {index: i for i, index in enumerate(nodes)}
        column = {index: i for i, index in enumerate(sorted({a for n in nodes for a in self._chains[n]}))}
        ancestors = np.zeros((len(nodes), len(column)), dtype=np.float32)
        for index in nodes:
            ancestors[row[index], [column[a] for a in self._chains[index]]] = 1
        shared = ancestors @ ancestors.T  # number of ancestors shared by two places, including themselves
        depth = ancestors.sum(axis=1)
        distance = np.where(shared > 0, depth[:, None] + depth[None, :] - 2 * shared, NO_PATH)

        result = np.full((len(sememes), len(sememes)), NO_PATH, dtype=np.float64)
        known = [i for i, places in enumerate(chosen) if places]
        if known:
            flat = np.array([row[p] for i in known for p in chosen[i]])
            starts = np.cumsum([0] + [len(chosen[i]) for i in known[:-1]])
            nearest = np.minimum.reduceat(distance[flat][:, flat], starts, axis=0)
            result[np.ix_(known, known)] = np.minimum.reduceat(nearest, starts, axis=1)
        result = ALPHA / (ALPHA + result)
        np.fill_diagonal(result, 1.0)
        return result


def value_similarities(values: Sequence[str], tree: SememeTree) -> NDArray[np.float64]:
    """Return the similarity of values in definitions: sememes and concrete words (in brackets).

    Shape ``(len(values), len(values))``, range [0, 1]. A concrete word and a sememe: :data:`GAMMA`. Two concrete words: 1 if
    equal, else 0 (Liu & Li 2002, section 4.2).
    """
    concrete = np.array([v.startswith("(") for v in values], dtype=bool)
    result = tree.similarities(values)
    result[concrete[:, None] ^ concrete[None, :]] = GAMMA
    result[concrete[:, None] & concrete[None, :]] = 0.0
    np.fill_diagonal(result, 1.0)
    return result


# -- Definitions

BETAS = (0.5, 0.2, 0.17, 0.13)  # weights of the four parts (β1…β4 of Liu & Li 2002, section 5)
DELTA = 0.2  # similarity of a part missing in one definition (δ of Liu & Li 2002, section 4.4)

SYMBOLS = "#%$*+&@?!^~"
"""Signs of the description language: relation to the following sememe, negation (``^``), approximation (``~``)."""

_LINE = re.compile(r"(?P<word>\S.*?)\s+(?P<pos>[A-Z]+)\s+(?P<definition>\S.*)")
_ITEM = re.compile(r",(?![^(]*\))")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Features = tuple[tuple[str, tuple[str, ...]], ...]
"""Feature structure: (attribute, sorted values) pairs, sorted by attribute, no attribute twice."""


@dataclass(frozen=True, slots=True, order=True)
class Concept:
    """Parsed definition."""

    function: bool  # True for a function word (`{concession|让步}`), never similar to a content word
    first: str  # the first sememe, the main category
    others: tuple[str, ...] = ()  # the other independent sememes and concrete words (in brackets, as in the file), sorted
    relations: Features = ()  # values by relation, from `content=fight|争斗`
    symbols: Features = ()  # values by symbol, from `#occupation|职位,*teach|教`

    def values(self) -> Iterator[str]:
        """Yield all sememes and concrete words of the definition, with repetitions."""
        yield self.first
        yield from self.others
        for _, values in (*self.relations, *self.symbols):
            yield from values


def parse_definition(text: str) -> Concept:
    """Parse a DEF.

    Raises:
        ValueError: an empty item, or unbalanced brackets.

    >>> concept = parse_definition("human|人,#occupation|职位,*teach|教,education|教育")
    >>> concept.first, concept.others, concept.symbols
    ('human|人', ('education|教育',), (('#', ('occupation|职位',)), ('*', ('teach|教',))))
    >>> parse_definition("{concession|让步}")
    Concept(function=True, first='concession|让步', others=(), relations=(), symbols=())
    """
    if text.count("(") != text.count(")") or text.count("{") != text.count("}"):
        raise ValueError(f"brackets do not match in {text!r}")
    function = text.startswith("{")
    items = [item.strip() for item in _ITEM.split(text.strip("{}"))]
    if not all(item.lstrip(SYMBOLS) for item in items):
        raise ValueError(f"a sememe is missing in {text!r}")
    others: list[str] = []
    relations: dict[str, list[str]] = {}
    symbols: dict[str, list[str]] = {}
    for item in items[1:]:
        if item.startswith("(") and "=" in item:  # (institution|机构=UN|联合国) is a relation, not a concrete word
            item = item.strip("()")
        if "=" in item and not item.startswith("("):
            relation, _, value = item.partition("=")
            relations.setdefault(relation.strip(), []).append(value.strip().lstrip(SYMBOLS))
        else:
            value = item.lstrip(SYMBOLS)
            sign = item[: len(item) - len(value)]
            (symbols.setdefault(sign, []) if sign else others).append(value)
    return Concept(function, items[0].lstrip(SYMBOLS), tuple(sorted(others)), _features(relations), _features(symbols))


def _features(values: dict[str, list[str]]) -> Features:
    return tuple((attribute, tuple(sorted(values[attribute]))) for attribute in sorted(values))


class HowNet:
    """Glossary of normalised words, from lines ``word POS DEF`` in UTF-8, and the sememe tree.

    ``concepts`` are its distinct definitions, sorted. ``senses`` holds for each word the indices of its definitions, ascending.

    Without the tree, the similarity of two senses is the overlap (Dice coefficient) of their sememes. On human judgements this
    flat form does about as well as the full one.

    Raises:
        ValueError: a malformed line. The message names file and line.
    """

    def __init__(self, glossary: str | os.PathLike[str], tree: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(glossary)
        self.tree = SememeTree(tree) if tree is not None else None
        parsed: dict[str, Concept] = {}
        senses: dict[str, set[Concept]] = {}
        for number, line in read_lines(self.path):
            match = _LINE.fullmatch(line)
            if match is None:
                raise ValueError(f"{self.path}:{number}: expected 'word POS DEF', got {line[:80]!r}. Correct or delete the line")
            text = match["definition"]
            if text not in parsed:
                try:
                    parsed[text] = parse_definition(text)
                except ValueError as error:
                    raise ValueError(f"{self.path}:{number}: {error}. Correct or delete the line") from None
            senses.setdefault(normalise(match["word"]), set()).add(parsed[text])
        if not senses:
            raise ValueError(f"{self.path}: no entry in the file, expected lines 'word POS DEF'")
        self.concepts: list[Concept] = sorted({*parsed.values()})
        index = {concept: i for i, concept in enumerate(self.concepts)}
        self.senses: dict[str, list[int]] = {word: sorted(index[c] for c in concepts) for word, concepts in senses.items()}

    @classmethod
    def installed(cls, resources: Resources) -> HowNet | None:
        """Open the installed glossary, with the tree if installed. None without a glossary."""
        glossary = resources.path("hownet")
        return cls(glossary, resources.path("hownet_tree")) if glossary else None

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and normalise(word) in self.senses

    def __len__(self) -> int:
        return len(self.senses)

    def similarity(self, a: str, b: str) -> float:
        """Return SimH in [0, 1]: the similarity of the two most similar senses (Eq. 2), 0.0 for a word missing in HowNet."""
        left, right = (self.senses.get(normalise(word)) for word in (a, b))
        return max(float(self.of_sense(i)[right].max()) for i in left) if left and right else 0.0

    def of_sense(self, sense: int) -> Floats:
        """Return the similarity of a sense, by its index in ``concepts``, to every one of them, in [0, 1]."""
        values = self._parts.row(sense)
        values[self._function != self._function[sense]] = 0.0
        return values

    @cached_property
    def values(self) -> dict[str, int]:
        """Every sememe and concrete word of the definitions, with its row in ``value_matrix``."""
        return {v: i for i, v in enumerate(sorted({v for concept in self.concepts for v in concept.values()}))}

    @cached_property
    def value_matrix(self) -> NDArray[np.float64]:
        """Similarity of all pairs of ``values``. Requires the tree."""
        if self.tree is None:
            raise ValueError("sememes have no similarity without the sememe tree. Pass a tree to HowNet")
        return value_similarities(list(self.values), self.tree)

    @cached_property
    def _parts(self) -> _Parts | _Overlap:
        return _Overlap(self) if self.tree is None else _Parts(self)

    @cached_property
    def _function(self) -> NDArray[np.bool_]:
        return np.array([concept.function for concept in self.concepts])


class ConceptIndex:
    """Words of a HowNet, arranged for comparison in bulk. ``words`` are in the order of :meth:`row`."""

    def __init__(self, hownet: HowNet) -> None:
        self._hownet = hownet
        self.words = list(hownet.senses)
        self._senses = np.array([sense for word in self.words for sense in hownet.senses[word]], dtype=np.int64)
        self._starts = np.cumsum([0, *(len(hownet.senses[word]) for word in self.words)])[:-1]

    def row(self, word: str) -> Floats:
        """Return SimH of ``word`` (spelled as in ``words``) with every word, shape ``(len(words),)``, range [0, 1]."""
        best = np.maximum.reduce([self._hownet.of_sense(sense) for sense in self._hownet.senses[word]])
        return np.asarray(np.maximum.reduceat(best[self._senses], self._starts))


# -- One definition with all definitions


class _Overlap:
    """Dice coefficient of the sememes, 2·|A∩B| / (|A|+|B|), for a HowNet without the tree."""

    def __init__(self, hownet: HowNet) -> None:
        self._bags = [sorted({hownet.values[v] for v in concept.values()}) for concept in hownet.concepts]
        holders: dict[int, list[int]] = defaultdict(list)
        for concept, bag in enumerate(self._bags):
            for value in bag:
                holders[value].append(concept)
        self._holders = {value: np.array(concepts) for value, concepts in holders.items()}
        self._sizes = np.array([float(len(bag)) for bag in self._bags])

    def row(self, concept: int) -> Floats:
        shared = np.zeros(len(self._bags))
        for value in self._bags[concept]:
            shared[self._holders[value]] += 1
        return np.asarray(2 * shared / (self._sizes + self._sizes[concept]))


class _Parts:
    """Formula of Liu & Li part by part, comparing each distinct part once."""

    def __init__(self, hownet: HowNet) -> None:
        concepts = hownet.concepts
        self._similarity = hownet.value_matrix
        self._first = np.array([hownet.values[concept.first] for concept in concepts])
        self._sets = _Sets(hownet)
        self._others = np.array([self._sets.ids[concept.others] for concept in concepts])
        self._relations = _Structures([concept.relations for concept in concepts], self._sets)
        self._symbols = _Structures([concept.symbols for concept in concepts], self._sets)

    def row(self, concept: int) -> Floats:
        """Return the similarity of one concept to all, shape ``(concepts,)`` (section 4.4.3): Σ_i β_i · Π_{j≤i} Sim_j, so the
        main part bounds the rest."""
        first = self._similarity[self._first[concept], self._first]
        others = self._sets.row(int(self._others[concept]))[self._others]
        relations, symbols = self._relations.row(concept), self._symbols.row(concept)
        return np.asarray(first * (BETAS[0] + others * (BETAS[1] + relations * (BETAS[2] + symbols * BETAS[3]))))


class _Sets:
    """Distinct sets of values, numbered in sorted order."""

    def __init__(self, hownet: HowNet) -> None:
        distinct = {concept.others for concept in hownet.concepts}
        distinct.update(values for concept in hownet.concepts for _, values in (*concept.relations, *concept.symbols))
        self.ids = {values: i for i, values in enumerate(sorted(distinct))}
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
        """Return the similarity of one set to all, shape ``(sets,)`` (section 4.4.2).

        Pairs the most similar elements first. The rest counts δ. Cached, since topic terms share their sets.
        """
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
            # For symmetry, pair equal similarities in the order (smaller set, greater set): two groups, two orders.
            split = int(np.searchsorted(chosen, index))
            block = self._similarity[own[None, :, None], members[:, None, :]]
            result[chosen[:split]] = _paired(block[:split].transpose(0, 2, 1))
            result[chosen[split:]] = _paired(block[split:])
            result[chosen] += DELTA * abs(len(own) - size)
            result[chosen] /= max(len(own), size)
        return result


def _paired(block: Floats) -> Floats:
    """Return the sums of greedy one-to-one pairings in each matrix of ``block``, shape ``(n, rows, columns)``."""
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

    def __init__(self, structures: Sequence[Features], sets: _Sets) -> None:
        ids = {structure: i for i, structure in enumerate(sorted(set(structures)))}
        self._structures = list(ids)
        self._of_concept = np.array([ids[structure] for structure in structures])
        self._sets = sets
        holders: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for structure, i in ids.items():
            for attribute, values in structure:
                holders[attribute].append((i, sets.ids[values]))
        self._holders = {attribute: np.array(pairs).T for attribute, pairs in holders.items()}

    def row(self, concept: int) -> Floats:
        """Return the similarity of one concept's structure to those of all, shape ``(concepts,)`` (section 4.4.1).

        Takes the mean over the shared attributes. In the paper's text an attribute on one side only counts δ, but its printed
        values follow without it.
        """
        total, shared = np.zeros(len(self._structures)), np.zeros(len(self._structures))
        for attribute, values in self._structures[self._of_concept[concept]]:
            structures, sets = self._holders[attribute]
            total[structures] += self._sets.row(self._sets.ids[values])[sets]
            shared[structures] += 1
        result = np.ones(len(self._structures))
        np.divide(total, shared, out=result, where=shared > 0)
        return np.asarray(result[self._of_concept])
