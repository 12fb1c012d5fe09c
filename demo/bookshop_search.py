"""The bookshop's search: the books for a keyword, in order.

As shops do, it shows the books that hold the keyword, then those that hold a part of it; what sells well goes further up than it
should, and every page has a place that somebody paid for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bookshop_books import Book
from layout import draw

PER_PAGE = 20
"""Books on a list page."""
MAX_PAGES = 15
"""The shop shows no more result pages than this."""
TEMPLATE = "http://search.banshuzhai.example/Search?keyword={keyword}&enc=utf-8"
"""Address of a search, as ``bookshop-seeds.txt`` has it."""
PAID_PLACE = 6
"""Where on each result page the advertised book stands, counted from 0."""
_IN_TITLE, _IN_INTRO, _PART_IN_TITLE, _PART_IN_INTRO, _SALES = 2.0, 1.5, 1.0, 0.6, 1.6


@dataclass(frozen=True, slots=True)
class Result:
    """A book on a result page, and whether its place was paid for."""

    book: Book
    paid: bool = False


def read_searches(path: Path) -> Mapping[str, Sequence[str]]:
    """The keywords that are recorded, each with the parts that count as loose matches."""
    found: dict[str, list[str]] = tomllib.loads(path.read_text(encoding="utf-8"))["search"]
    return found


def search_url(keyword: str, page: int = 1) -> str:
    """Address of a result page, pages counted from 1."""
    url = TEMPLATE.replace("{keyword}", quote(keyword))
    return url if page == 1 else f"{url}&page={page}"


def search(keyword: str, parts: Sequence[str], books: Sequence[Book]) -> list[list[Result]]:
    """The result pages; none where no book fits."""
    fits = {book: fit for book in books if (fit := _fit(keyword, parts, book))}
    found = sorted(fits, key=lambda book: (-fits[book] - _SALES * book.popularity, book.doc))
    size = PER_PAGE - 1
    chunks = [found[i : i + size] for i in range(0, len(found), size)][:MAX_PAGES]
    others = [b for b in books if b not in fits]
    advertised = draw(others, len(chunks), f"paid {keyword}", lambda b: b.title)
    pages = []
    for chunk, paid in zip(chunks, advertised, strict=True):
        page = [Result(book) for book in chunk]
        page.insert(PAID_PLACE, Result(paid, paid=True))
        pages.append(page)
    return pages


def _fit(keyword: str, parts: Sequence[str], book: Book) -> float:
    """How well a book fits: 0 for not at all."""
    if keyword in book.title:
        return _IN_TITLE
    if keyword in book.intro:
        return _IN_INTRO
    if any(part in book.title for part in parts):
        return _PART_IN_TITLE
    return _PART_IN_INTRO if any(part in book.intro for part in parts) else 0.0
