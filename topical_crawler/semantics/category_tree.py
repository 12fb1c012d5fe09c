"""A tree of categories: finding a node, its descendants, and the keywords of a topic (Zhang et al., section 3.1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from topical_crawler.semantics.category_names import name_terms
from topical_crawler.text import normalise

GENERATIONS = 4
"""Generations below a node whose names become keywords (Zhang et al., section 3.1)."""
GENERAL = 8
"""A term that stands in more names than this outside a sub-tree (基础理论, 设计, 材料) says nothing about its topic."""
_INHERITED = 0.2
_SHOWN = 8


class CategoryError(ValueError):
    """A tree cannot be read, or a category is not to be found in it. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Category:
    """A node of a tree.

    Attributes:
        code: its key, e.g. ``TP316`` or ``Top/World/Chinese_Simplified_CN/计算机``.
        name: what a person calls it; may be empty.
        parent: code of the node above; None for a root.
        children: codes of the nodes below, in the order of the file.
    """

    code: str
    name: str
    parent: str | None
    children: tuple[str, ...]


class CategoryTree:
    """Categories by code.

    Args:
        nodes: (name, code of the parent or None) by code, in the order of the file.
        source: where it was read from, for messages.
        skipped: what the reader left out, by reason.

    Attributes:
        categories: by code.

    Raises:
        CategoryError: no node, a parent that is no node, or a node that is its own ancestor.

    >>> tree = CategoryTree({"TP": ("计算机技术", None), "TP316": ("操作系统", "TP")}, "an example")
    >>> tree.find("操作系统").code, tree.find("tp316").parent, tree.keywords("TP")
    ('TP316', 'TP', {'操作系统': 1.0, '计算机技术': 1.0})
    """

    def __init__(
        self, nodes: Mapping[str, tuple[str, str | None]], source: str, skipped: Mapping[str, int] | None = None
    ) -> None:
        self.source = source
        self.skipped: Counter[str] = Counter(skipped or {})
        children: dict[str, list[str]] = {code: [] for code in nodes}
        for code, (_, parent) in nodes.items():
            if parent is not None:
                if parent not in children:
                    raise CategoryError(f"{source}: {code} stands below {parent}, which is not there; get the file again")
                children[parent].append(code)
        self.categories: dict[str, Category] = {
            code: Category(code, name, parent, tuple(children[code])) for code, (name, parent) in nodes.items()
        }
        roots = [code for code, (_, parent) in nodes.items() if parent is None]
        reached = sum(1 for root in roots for _ in self.descendants(root, len(nodes))) + len(roots)
        if not nodes or reached < len(nodes):
            what = "a category is its own ancestor" if nodes else "no category in it"
            raise CategoryError(f"{source}: {what}; get the file again")

    def __len__(self) -> int:
        return len(self.categories)

    def __iter__(self) -> Iterator[Category]:
        return iter(self.categories.values())

    def descendants(self, code: str, generations: int = GENERATIONS) -> Iterator[tuple[int, Category]]:
        """(generation from 1, node) of what stands below ``code``, generation by generation; the node itself is not among them.

        Raises:
            CategoryError: there is no such code.
        """
        level = self._get(code).children
        for generation in range(1, generations + 1):
            below: list[str] = []
            for child in level:
                yield generation, self.categories[child]
                below.extend(self.categories[child].children)
            if not below:
                return
            level = tuple(below)

    def path(self, code: str) -> list[Category]:
        """The node and its ancestors, from the root down to the node."""
        found = [self._get(code)]
        while (parent := found[-1].parent) is not None:
            found.append(self.categories[parent])
        return found[::-1]

    def find(self, name_or_code: str) -> Category:
        """A node by its code, its name, a term of its name (机器学习 in 自动推理、机器学习) or a part of it, in this order.

        Raises:
            CategoryError: nothing fits, or several nodes do equally well; the message lists them, or the nearest names.
        """
        text = normalise(name_or_code).strip()
        if code := self._codes.get(text):
            return self.categories[code]
        if not text:
            raise CategoryError(f"{self.source}: no category without a name. Remedy: give a code or a name")
        fits: list[list[str]] = [
            [code for code, name in self._names.items() if name == text],
            [code for code, terms in self._terms.items() if text in terms],
            [code for code, name in self._names.items() if text in name],
        ]
        for found in fits:
            if len(found) == 1:
                return self.categories[found[0]]
            if found:
                listed = "; ".join(map(self._shown, found[:_SHOWN]))
                more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
                raise CategoryError(
                    f"{self.source}: {len(found)} categories fit {name_or_code!r}: {listed}{more}. Remedy: give the code of one"
                )
        near = sorted(self._names, key=lambda code: (-_overlap(self._names[code], text), len(self._names[code]), code))[:5]
        raise CategoryError(
            f"{self.source}: no category fits {name_or_code!r}. "
            f"Remedy: give a code, or another name; the nearest are {'; '.join(map(self._shown, near))}"
        )

    def search(self, words: Iterable[str], n: int = 10) -> list[Category]:
        """The ``n`` nodes whose names match the words best, best first.

        A word counts fully for a node of that name, in proportion to the length in common where one contains the other, and for
        a fifth where it is an ancestor's that matches; the rarer it is in the tree, the more. Of equal nodes the higher comes
        first.

        >>> nodes = {"TP": ("计算机技术", None), "TP316": ("操作系统", "TP"), "TP316.1": ("分时操作系统", "TP316")}
        >>> [found.code for found in CategoryTree(nodes, "an example").search(["操作系统", "内核"])]
        ['TP316', 'TP316.1']
        """
        wanted = list(dict.fromkeys(w for word in words if len(w := normalise(word).strip()) > 1))
        scores: dict[str, float] = dict.fromkeys(self.categories, 0.0)
        for word in wanted:
            own = {code: max((_match(word, term) for term in terms), default=0.0) for code, terms in self._terms.items()}
            matching = sum(1 for value in own.values() if value)
            if not matching:
                continue
            rarity = math.log(1 + len(own) / matching)
            for category in self:
                best = own[category.code]
                if category.parent is not None:
                    best = max(best, _INHERITED * max(own[above.code] for above in self.path(category.parent)))
                scores[category.code] += rarity * best
        direct = [code for code in scores if any(_match(word, term) for word in wanted for term in self._terms[code])]
        direct.sort(key=lambda code: (-round(scores[code], 9), len(self.path(code)), len(code), code))
        return [self.categories[code] for code in direct[:n]]

    def keywords(self, code: str, generations: int = GENERATIONS) -> dict[str, float]:
        """Keywords of the topic that a node stands for, heaviest first: q_i = N_i / N_max (Zhang et al., Eq. 1).

        The keywords are the terms of the names of the node and of ``generations`` below it, see
        :func:`~topical_crawler.semantics.category_names.name_terms`; N_i counts the terms that contain keyword i. Terms that
        stand in more than :data:`GENERAL` names elsewhere are left out, but for the node's own.

        Raises:
            CategoryError: there is no such code, or no word in the names.
        """
        code = self._get(code).code
        members = [code, *(category.code for _, category in self.descendants(code, generations))]
        inside = Counter(term for member in members for term in self._terms[member])
        kept = {t for t, count in inside.items() if self._term_counts[t] - count <= GENERAL or t in self._terms[code]}
        if not kept:
            raise CategoryError(f"{self.source}: the names of {self._shown(code)} hold no word. Remedy: choose another category")
        counts: Counter[str] = Counter()
        for term, times in inside.items():
            parts = {term[i:j] for i in range(len(term)) for j in range(i + 2, len(term) + 1)}
            for part in parts & kept:
                counts[part] += times
        most = max(counts.values())
        return {term: count / most for term, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))}

    @cached_property
    def _codes(self) -> dict[str, str]:
        return {normalise(code): code for code in self.categories}

    @cached_property
    def _names(self) -> dict[str, str]:
        return {category.code: normalise(category.name) for category in self if category.name}

    @cached_property
    def _terms(self) -> dict[str, list[str]]:
        return {category.code: name_terms(category.name) for category in self}

    @cached_property
    def _term_counts(self) -> Counter[str]:
        return Counter(term for terms in self._terms.values() for term in terms)

    def _get(self, code: str) -> Category:
        if code not in self.categories:
            raise CategoryError(f"{self.source}: there is no category {code!r}. Remedy: find one by its name")
        return self.categories[code]

    def _shown(self, code: str) -> str:
        return f"{code} {' > '.join(category.name for category in self.path(code)[-3:])}"


def _match(word: str, term: str) -> float:
    """Squared share of the longer one's characters that two words have in common, where one contains the other; 0 to 1."""
    short, long = sorted((word, term), key=len)
    return (len(short) / len(long)) ** 2 if short in long else 0.0


def _overlap(a: str, b: str) -> float:
    """Jaccard coefficient of the characters of two names."""
    left, right = set(a), set(b)
    return len(left & right) / len(left | right)
