"""Category trees, above all the Chinese Library Classification, and the keywords of a topic.

>>> name_terms("马尔可夫过程（随机过程）、其他概率论与数理统计")
['马尔可夫过程', '概率论', '数理统计']
"""

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from topical_crawler.resources.registry import read_json
from topical_crawler.text.segment import normalise

_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_BY = re.compile(r"[::]?按[^、]*分$")
_LIST = re.compile(
    r"[、,;:/&·\s]+|及其|以及"
    r"|(?<=..)与(?!会)|(?<=..)(?<![普涉埃危波])及(?![格时])"
    # 和 is part of 共和国, 饱和, 和平, …, but joins words of two characters or more, like 与 and 及
    r"|(?<=..)(?<![共饱总缓调中亲混柔温祥附])和(?=..)(?![平谐弦声睦约])"
)
_OTHER = re.compile(r"^[与及和的]?(其他|其它|各种|各类|一般|某些|有关|专用)*")
_YEAR = re.compile(r"\d+年|\d{3,}|世纪|\d~")
_EMPTY = frozenset({"其他", "其它", "一般", "概论", "总论", "应用", "制品", "其制品", "注"})
_MAX_LENGTH = 20


def name_terms(name: str) -> list[str]:
    """Return the distinct terms in a category's name, normalised, in order.

    Skips notes in brackets, "by … divided" (桥梁：按材料分 is 桥梁), 其他 before a word, terms with years, single characters.
    """
    text = normalise(name)
    while (shorter := _NOTE.sub("", text)) != text:
        text = shorter
    parts = (_OTHER.sub("", part.strip("\"'“”■…-~。 ")) for part in _LIST.split(_BY.sub("", text)))
    terms = (part for part in parts if 1 < len(part) <= _MAX_LENGTH and part not in _EMPTY and not _YEAR.search(part))
    return list(dict.fromkeys(terms))


GENERATIONS = 4  # generations below a node with names used as keywords (Zhang et al., section 3.1)
GENERAL = 8  # most names outside a sub-tree with one of its keywords. Others (基础理论, 设计, 材料) are too general
_INHERITED = 0.2
_SHOWN = 8


class CategoryError(ValueError):
    """Unreadable tree, or no such category. The message says how to fix it."""


@dataclass(frozen=True, slots=True)
class Category:
    """Node of a tree."""

    code: str  # e.g. `TP316` or `Top/World/Chinese_Simplified_CN/计算机`
    name: str  # may be empty
    parent: str | None  # code of the parent node, None for a root
    children: tuple[str, ...]  # codes of the child nodes, in the order of the file


class CategoryTree:
    """Categories by code.

    Args:
        nodes: (name, code of the parent or None) by code, in the order of the file.
        source: origin of the tree, for messages.

    Raises:
        CategoryError: no nodes, an unknown parent, or a cycle.

    >>> tree = CategoryTree({"TP": ("计算机技术", None), "TP316": ("操作系统", "TP")}, "an example")
    >>> tree.find("操作系统").code, tree.find("tp316").parent, tree.keywords("TP")
    ('TP316', 'TP', {'操作系统': 1.0, '计算机技术': 1.0})
    """

    def __init__(self, nodes: Mapping[str, tuple[str, str | None]], source: str) -> None:
        self.source = source
        children: dict[str, list[str]] = {code: [] for code in nodes}
        for code, (_, parent) in nodes.items():
            if parent is not None:
                if parent not in children:
                    raise CategoryError(f"{source}: {code} has an unknown parent {parent}. Get the file again")
                children[parent].append(code)
        self.categories: dict[str, Category] = {
            code: Category(code, name, parent, tuple(children[code])) for code, (name, parent) in nodes.items()
        }
        roots = [code for code, (_, parent) in nodes.items() if parent is None]
        reached = sum(1 for root in roots for _ in self.descendants(root, len(nodes))) + len(roots)
        if not nodes or reached < len(nodes):
            what = "a category is its own ancestor" if nodes else "no category in it"
            raise CategoryError(f"{source}: {what}. Get the file again")

    def __len__(self) -> int:
        return len(self.categories)

    def __iter__(self) -> Iterator[Category]:
        return iter(self.categories.values())

    def descendants(self, code: str, generations: int = GENERATIONS) -> Iterator[tuple[int, Category]]:
        """Yield (generation from 1, node) for the nodes below ``code``, nearest first.

        Raises:
            CategoryError: unknown code.
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
        """Return the node and its ancestors, from the root down."""
        chain = [self._get(code)]
        while (parent := chain[-1].parent) is not None:
            chain.append(self.categories[parent])
        return chain[::-1]

    def find(self, name_or_code: str) -> Category:
        """Return a node by its code, its name, a term of its name (机器学习 in 自动推理、机器学习) or a part of it, tried in
        this order.

        Raises:
            CategoryError: no node fits, or several do equally well. The message lists these, or the nearest names.
        """
        text = normalise(name_or_code).strip()
        if code := self._codes.get(text):
            return self.categories[code]
        if not text:
            raise CategoryError(f"{self.source}: the category is empty. Pass a code or a name")
        fits: list[list[str]] = [
            [code for code, name in self._names.items() if name == text],
            [code for code, terms in self._terms.items() if text in terms],
            [code for code, name in self._names.items() if text in name],
        ]
        for codes in filter(None, fits):
            if len(codes) == 1:
                return self.categories[codes[0]]
            listed = ", ".join(map(self._shown, codes[:_SHOWN]))
            more = f", and {len(codes) - _SHOWN} more" if len(codes) > _SHOWN else ""
            raise CategoryError(
                f"{self.source}: {len(codes)} categories match {name_or_code!r}: {listed}{more}. Choose one by its code"
            )
        near = sorted(self._names, key=lambda code: (-_overlap(self._names[code], text), len(self._names[code]), code))[:5]
        raise CategoryError(
            f"{self.source}: no category matches {name_or_code!r}. "
            f"Pass a code, or another name, such as {', '.join(map(self._shown, near))}"
        )

    def search(self, words: Iterable[str], n: int = 10) -> list[Category]:
        """Return the ``n`` nodes with names matching the words best, best first.

        A word counts fully for a node of that name, less if one contains the other (:func:`_match`), a fifth if an ancestor
        matches, and more if rare in the tree. Of equal nodes the higher comes first.

        >>> nodes = {"TP": ("计算机技术", None), "TP316": ("操作系统", "TP"), "TP316.1": ("分时操作系统", "TP316")}
        >>> [category.code for category in CategoryTree(nodes, "an example").search(["操作系统", "内核"])]
        ['TP316', 'TP316.1']
        """
        wanted = list(dict.fromkeys(w for word in words if len(w := normalise(word).strip()) > 1))
        scores = dict.fromkeys(self.categories, 0.0)
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
        """Return the keywords of a node's topic, heaviest first: q_i = N_i / N_max (Zhang et al., Eq. 1).

        The keywords are the terms (:func:`name_terms`) of the node and of ``generations`` below it. N_i counts the terms
        containing keyword i. Skips terms in more than :data:`GENERAL` names elsewhere, except the node's own.

        Raises:
            CategoryError: unknown code, or no word in the names.
        """
        code = self._get(code).code
        members = [code, *(category.code for _, category in self.descendants(code, generations))]
        inside = Counter(term for member in members for term in self._terms[member])
        kept = {t for t, count in inside.items() if self._term_counts[t] - count <= GENERAL or t in self._terms[code]}
        if not kept:
            raise CategoryError(f"{self.source}: the names of {self._shown(code)} hold no word. Choose another category")
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
            raise CategoryError(f"{self.source}: no category {code!r}. Find one by its name")
        return self.categories[code]

    def _shown(self, code: str) -> str:
        return f"{code} {' > '.join(category.name for category in self.path(code)[-3:])}"


def _match(word: str, term: str) -> float:
    """Return the squared share of the longer text covered by the shorter if one contains the other, else 0. 0 to 1."""
    short, long = sorted((word, term), key=len)
    return (len(short) / len(long)) ** 2 if short in long else 0.0


def _overlap(a: str, b: str) -> float:
    """Return the Jaccard coefficient of the characters of two names."""
    left, right = set(a), set(b)
    return len(left & right) / len(left | right)


# -- Readers


def read_clc(path: str | os.PathLike[str]) -> CategoryTree:
    """Read the Chinese Library Classification from JSON: ``{"TP316": {"name": "操作系统", "up_level": "TP31", …}, …}``.

    Only ``up_level`` gives the parent of a class. 28 of 45,785 classes have no name.

    Raises:
        CategoryError: the file is no such JSON. The message names the file and the class.
    """
    file = Path(path)
    data = read_json(file, CategoryError)
    if not isinstance(data, dict):
        raise CategoryError(f"{file}: expected a JSON object of classes, got {type(data).__name__}. Get the file again")
    return CategoryTree({code: _clc_class(file, code, value) for code, value in data.items()}, str(file))


def _clc_class(file: Path, code: str, value: Any) -> tuple[str, str | None]:
    name, parent = (value.get("name"), value.get("up_level")) if isinstance(value, dict) else (None, None)
    if not isinstance(name, str) or not (parent is None or isinstance(parent, str)):
        raise CategoryError(
            f"{file}: class {code!r}: expected an object with 'name' and 'up_level' (a code or null), "
            f"got {json.dumps(value, ensure_ascii=False)[:60]}. Correct the file, or get it again"
        )
    return name.strip(), parent
