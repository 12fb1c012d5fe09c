"""Word similarity by the definitions of HowNet (Liu & Li 2002, the paper's SimH).

HowNet describes each sense of a word by a definition (*DEF*) in sememes, e.g. 男人 = ``human|人,family|家,male|男``. Two words
are as similar as their two most similar senses (Eq. 2); two senses are compared part by part: first sememe, other sememes,
relations (``content=fight|争斗``), symbol descriptors (``*teach|教``: one who teaches).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from topical_crawler.semantics.sememes import SememeTree, read_lines, value_similarities
from topical_crawler.text import normalise

BETAS = (0.5, 0.2, 0.17, 0.13)
"""Weights of the four parts (β1…β4 of Liu & Li 2002, section 5)."""
DELTA = 0.2
"""Similarity of something and nothing (δ of Liu & Li 2002, section 4.4)."""

SYMBOLS = "#%$*+&@?!^~"
"""Signs of the description language: relation to what follows, negation (``^``), approximation (``~``)."""

_LINE = re.compile(r"(?P<word>\S.*?)\s+(?P<pos>[A-Z]+)\s+(?P<definition>\S.*)")
_ITEM = re.compile(r",(?![^(]*\))")

Features = tuple[tuple[str, tuple[str, ...]], ...]
"""A feature structure: (attribute, sorted values) pairs, sorted by attribute, no attribute twice."""


@dataclass(frozen=True, slots=True, order=True)
class Concept:
    """A parsed definition.

    Attributes:
        function: whether the sense is a function word (``{concession|让步}``): never similar to a content word.
        first: the first sememe, the main category.
        others: the other independent sememes and concrete words (in brackets, as in the file), sorted.
        relations: values by relation, from ``content=fight|争斗``.
        symbols: values by symbol, from ``#occupation|职位,*teach|教``.
    """

    function: bool
    first: str
    others: tuple[str, ...] = ()
    relations: Features = ()
    symbols: Features = ()

    def values(self) -> Iterator[str]:
        """All sememes and concrete words of the definition, with repetitions."""
        yield self.first
        yield from self.others
        for _, values in (*self.relations, *self.symbols):
            yield from values


def parse_definition(text: str) -> Concept:
    """Read a DEF.

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
    """The glossary and, where given, the sememe tree.

    Words are compared in the form of :func:`topical_crawler.text.normalise`. Without the tree sememes are only equal or not, and
    a pair of senses gets the overlap (Dice coefficient) of their sememes instead; on human judgements this flat form does
    about as well as the full one.

    Args:
        glossary: lines ``word POS DEF``, UTF-8 with or without byte order mark.
        tree: lines ``index sememe parent``, see :class:`topical_crawler.semantics.sememes.SememeTree`.

    Attributes:
        senses: for each word the indices of its senses in ``concepts``, ascending.
        concepts: the distinct definitions, sorted.

    Raises:
        ValueError: a line that does not have this form; names file and line.
    """

    def __init__(self, glossary: str | os.PathLike[str], tree: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(glossary)
        self.tree = SememeTree(tree) if tree is not None else None
        parsed: dict[str, Concept] = {}
        senses: dict[str, set[Concept]] = {}
        for number, line in read_lines(self.path):
            match = _LINE.fullmatch(line)
            if match is None:
                raise ValueError(f"{self.path}:{number}: expected 'word POS DEF', got {line[:80]!r}; correct or delete the line")
            text = match["definition"]
            if text not in parsed:
                try:
                    parsed[text] = parse_definition(text)
                except ValueError as error:
                    raise ValueError(f"{self.path}:{number}: {error}; correct or delete the line") from None
            senses.setdefault(normalise(match["word"]), set()).add(parsed[text])
        if not senses:
            raise ValueError(f"{self.path}: no entry in the file; expected lines 'word POS DEF'")
        self.concepts: list[Concept] = sorted({concept for found in senses.values() for concept in found})
        index = {concept: i for i, concept in enumerate(self.concepts)}
        self.senses: dict[str, list[int]] = {word: sorted(index[c] for c in found) for word, found in senses.items()}

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and normalise(word) in self.senses

    def __len__(self) -> int:
        return len(self.senses)

    def similarity(self, a: str, b: str) -> float:
        """SimH in [0, 1]: the similarity of the two most similar senses (Eq. 2); 0.0 where a word is not in HowNet."""
        left, right = self.senses.get(normalise(a), ()), self.senses.get(normalise(b), ())
        return max((self.concept_similarity(self.concepts[i], self.concepts[j]) for i in left for j in right), default=0.0)

    def concept_similarity(self, a: Concept, b: Concept) -> float:
        """Similarity of two senses in [0, 1] (section 4.4.3): Σ_i β_i · Π_{j≤i} Sim_j, so that the main part bounds the rest."""
        if a.function != b.function:
            return 0.0
        if self.tree is None:
            return dice(a, b)
        first = self._value(a.first, b.first)
        others = self._set(a.others, b.others)
        relations = self._structure(a.relations, b.relations)
        symbols = self._structure(a.symbols, b.symbols)
        return first * (BETAS[0] + others * (BETAS[1] + relations * (BETAS[2] + symbols * BETAS[3])))

    @cached_property
    def values(self) -> dict[str, int]:
        """Every sememe and concrete word of the definitions, with its row in ``value_matrix``."""
        return {v: i for i, v in enumerate(sorted({v for concept in self.concepts for v in concept.values()}))}

    @cached_property
    def value_matrix(self) -> NDArray[np.float64]:
        """Similarity of all pairs of ``values``; the tree is needed for it."""
        if self.tree is None:
            raise ValueError("without the sememe tree two sememes have no similarity; give HowNet a tree")
        return value_similarities(list(self.values), self.tree)

    def _value(self, a: str, b: str) -> float:
        return float(self.value_matrix[self.values[a], self.values[b]])

    def _set(self, a: Sequence[str], b: Sequence[str]) -> float:
        """Similarity of two sets (section 4.4.2): the most similar elements are paired first, what remains counts δ."""
        if not a or not b:
            return 1.0 if not a and not b else DELTA
        a, b = sorted((tuple(a), tuple(b)))  # equal similarities are paired in this order: the result is symmetric
        left, right = list(a), list(b)
        total = 0.0
        while left and right:
            best, i, j = max(
                ((self._value(x, y), -i, -j) for i, x in enumerate(left) for j, y in enumerate(right)),
            )
            total += best
            del left[-i], right[-j]
        return (total + DELTA * (len(left) + len(right))) / max(len(a), len(b))

    def _structure(self, a: Features, b: Features) -> float:
        """Similarity of two feature structures (section 4.4.1): the mean over the attributes that both have.

        The text gives an attribute on one side only the similarity δ; the printed values follow when it is left out.
        """
        other = dict(b)
        found = [self._set(values, other[attribute]) for attribute, values in a if attribute in other]
        return sum(found) / len(found) if found else 1.0


def dice(a: Concept, b: Concept) -> float:
    """Share of common sememes of two definitions in [0, 1]: 2·|A∩B| / (|A|+|B|). Stands in for the tree where there is none.

    >>> round(dice(parse_definition("human|人,family|家,male|男"), parse_definition("human|人,family|家,female|女")), 3)
    0.667
    """
    left, right = set(a.values()), set(b.values())
    return 2 * len(left & right) / (len(left) + len(right))
