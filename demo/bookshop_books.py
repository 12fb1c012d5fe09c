"""The bookshop's books: written by hand (``bookshop/books/*.toml``) or put together of hand-written parts (``composed.toml``)."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from articles import GRADES, TextError
from layout import draw

FIELDS = {"title": str, "grade": int, "category": str, "intro": str, "contents": str}
SHORTEST, LONGEST = 60, 200
"""Characters of an introduction."""


@dataclass(frozen=True, slots=True)
class Category:
    """A shelf of the shop: its name, the publishers whose books stand there, and what is said of their authors."""

    name: str
    publishers: tuple[str, ...]
    authors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """A book.

    Attributes:
        doc: its number, from 1: the hand-written ones in the order of the files, then the composed ones.
        title: unique among all books.
        grade: 2 data mining, 1 borderline, 0 anything else.
        category: the shelf, which is the shop's choice and says nothing certain about the grade.
        intro: the introduction, 60 to 200 characters.
        contents: headings of its chapters.
        author, about, publisher: who wrote it, what is said of them, who published it.
    """

    doc: int
    title: str
    grade: int
    category: str
    intro: str
    contents: tuple[str, ...]
    author: str
    about: str
    publisher: str

    @property
    def popularity(self) -> float:
        """How well it sells, 0 to 1."""
        return number(self.title, "sales", 1000) / 1000

    @property
    def price(self) -> str:
        """In yuan."""
        return f"{19 + number(self.title, 'price', 80)}.{number(self.title, 'cents', 2) * 8}0"

    @property
    def code(self) -> str:
        """A number like an ISBN; the prefix 999 is nobody's."""
        return f"999-7-{number(self.title, 'code', 90_000) + 10_000}-{self.doc:03}-{self.doc * 7 % 10}"


@dataclass(frozen=True, slots=True)
class Stock:
    """All that the shop has.

    Attributes:
        categories: by name, in the order of the navigation.
        books: in the order of their numbers.
        reviews: what readers write, whatever the book.
    """

    categories: Mapping[str, Category]
    books: tuple[Book, ...]
    reviews: tuple[str, ...]


def number(text: str, purpose: str, below: int) -> int:
    """A number from 0 to ``below`` - 1 that depends on ``text`` and ``purpose`` alone."""
    return int.from_bytes(hashlib.sha256(f"{purpose}|{text}".encode()).digest()[:8]) % below


def read_stock(folder: Path) -> Stock:
    """Read all books below ``folder``.

    Raises:
        TextError: a field is missing, of the wrong kind or of the wrong length, a title occurs twice, or a family is too small.
    """
    shop = _load(folder / "shop.toml")
    categories = {c["name"]: Category(c["name"], tuple(c["publishers"]), tuple(c["authors"])) for c in shop["category"]}
    books: list[Book] = []
    where: dict[str, Path] = {}
    for path, entry in _entries(folder):
        _check(path, entry, categories)
        title = entry["title"]
        if title in where:
            raise TextError(f"{path}: the title {title!r} is taken by {where[title]}: titles are unique")
        where[title] = path
        category = categories[entry["category"]]
        books.append(
            Book(
                doc=len(books) + 1,
                title=title,
                grade=entry["grade"],
                category=category.name,
                intro=entry["intro"],
                contents=tuple(entry["contents"].split("；")),
                author=_pick(shop["surnames"], title, "surname") + _pick(shop["given"], title, "given"),
                about=_pick(category.authors, title, "about"),
                publisher=_pick(category.publishers, title, "publisher"),
            )
        )
    return Stock(categories, tuple(books), tuple(shop["reviews"]))


def composed(family: Mapping[str, Any], path: Path) -> Iterator[dict[str, Any]]:
    """Books of a family: every pair of a part ``a`` and a part ``b`` makes at most one, those of ``without`` none.

    Raises:
        TextError: the family has fewer pairs than it shall give books.
    """
    without = {(a, b) for a, b in family.get("without", ())}
    pairs = [pair for pair in product(family["a"], family["b"]) if pair not in without]
    if len(pairs) < family["count"]:
        raise TextError(f"{path}: {family['name']}: {len(pairs)} pairs of parts for {family['count']} books; write more parts")
    for place, (a, b) in enumerate(draw(pairs, family["count"], family["name"])):
        (first, *more_a), (second, *more_b) = family["a"][a], family["b"][b]
        last, *further = draw(family["closings"], len(family["closings"]), a + b)
        intro = first + second + last
        while len(intro) < SHORTEST and further:
            intro += further.pop(0)
        title = family["titles"][place % len(family["titles"])].format(a=a, b=b)
        yield {
            "title": title,
            "grade": family["grade"],
            "category": family["category"],
            "intro": intro,
            "contents": "；".join([*more_a, *more_b]),
        }


def _entries(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted((folder / "books").glob("*.toml")):
        for entry in _load(path)["book"]:
            yield path, entry
    path = folder / "composed.toml"
    for family in _load(path)["family"]:
        for entry in composed(family, path):
            yield path, entry


def _check(path: Path, entry: Mapping[str, Any], categories: Mapping[str, Category]) -> None:
    name = entry.get("title", "a book without a title")
    for field, kind in FIELDS.items():
        if not isinstance(entry.get(field), kind):
            raise TextError(f"{path}: {name}: field {field!r} is missing or not of type {kind.__name__}")
    if unknown := entry.keys() - FIELDS.keys():
        raise TextError(f"{path}: {name}: unknown fields {sorted(unknown)}; known are {sorted(FIELDS)}")
    if entry["grade"] not in GRADES:
        raise TextError(f"{path}: {name}: grade {entry['grade']} is none of {GRADES}")
    if entry["category"] not in categories:
        raise TextError(f"{path}: {name}: there is no category {entry['category']!r}; there are {', '.join(categories)}")
    if not SHORTEST <= len(entry["intro"]) <= LONGEST:
        raise TextError(f"{path}: {name}: the introduction has {len(entry['intro'])} characters, not {SHORTEST} to {LONGEST}")


def _load(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise TextError(f"{path}: there is no such file; the bookshop is built of it")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _pick(pool: list[str] | tuple[str, ...], title: str, purpose: str) -> str:
    return pool[number(title, purpose, len(pool))]
