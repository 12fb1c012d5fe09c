#!/usr/bin/env python3
"""Build the recorded bookshop: ``bookshop.warc.gz``, ``bookshop-labels.tsv`` and ``bookshop-seeds.txt`` from ``bookshop/``.

    python demo/bookshop.py [--out FOLDER]

The same texts give the same bytes, as with ``build.py``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bookshop_books import Book, Stock, read_stock
from bookshop_pages import (
    CART,
    HOME,
    LOGIN,
    SHOP,
    SITE,
    book_url,
    category_url,
    detail,
    frame,
    home,
    is_undeclared,
    links,
    list_page,
    nothing_found,
    shelf,
    tracked_url,
)
from bookshop_search import TEMPLATE, Result, read_searches, search, search_url
from layout import draw
from recording import Label, Recorded, write_labels, write_warc

HERE = Path(__file__).resolve().parent
UTF8 = "text/html; charset=utf-8"
SELLERS = 14
"""Books that the home page links to by a tracking address."""
HOT = 4
"""Every so many books' pages propose a search."""
NEAR = 6
"""Searches that a result page proposes."""
ROBOTS = "User-agent: *\nDisallow: /cart\nDisallow: /login\n"


class Bookshop:
    """The shop with all its pages.

    Args:
        stock: what it sells.
        searches: the recorded keywords, each with its loose matches.
    """

    def __init__(self, stock: Stock, searches: Mapping[str, Sequence[str]]) -> None:
        self.stock = stock
        self.searches = {keyword: search(keyword, parts, stock.books) for keyword, parts in searches.items()}
        self.sellers = sorted(stock.books, key=lambda book: (-book.popularity, book.doc))[:SELLERS]

    def records(self) -> Iterator[Recorded]:
        """Every response, in the order of the WARC file."""
        page = home(self.stock, self.sellers, list(self.searches)[::4])
        yield _page(HOME, page, Label(SITE, "home", 0, f"{SHOP}网上书店"))
        yield from self._categories()
        yield from self._results()
        for book in self.stock.books:
            yield self._detail(book, book_url(book), "article")
        for book in self.sellers:
            yield self._detail(book, tracked_url(book), "copy")
        for url, title in ((CART, "购物车"), (LOGIN, "登录")):
            yield _page(url, frame(f"{title} - {SHOP}", f"<h1>{title}</h1><form></form>"), Label(SITE, "trap", 0, title))
        for host in ("www", "item"):
            yield Recorded(f"http://{host}.{SITE}/robots.txt", ROBOTS.encode(), "text/plain")
        yield Recorded(f"http://search.{SITE}/robots.txt", b"Not Found", "text/plain", status=404)

    def _categories(self) -> Iterator[Recorded]:
        for place, name in enumerate(self.stock.categories, 1):
            pages = shelf([book for book in self.stock.books if book.category == name])
            addresses = [category_url(place, n) for n in range(1, len(pages) + 1)]
            for n, results in enumerate(pages, 1):
                html = list_page(name, results, addresses, n, links([(HOME, "全部分类")]))
                yield _page(addresses[n - 1], html, Label(SITE, "list", _grade(results), name))

    def _results(self) -> Iterator[Recorded]:
        for keyword, pages in self.searches.items():
            others = draw([k for k in self.searches if k != keyword], NEAR, f"near {keyword}")
            further = f'<div class="near">相关搜索：{links((search_url(k), k) for k in others)}</div>'
            addresses = [search_url(keyword, n) for n in range(1, len(pages) + 1)]
            for n, results in enumerate(pages, 1):
                html = list_page(f"{keyword} - 商品搜索", results, addresses, n, further)
                yield _page(addresses[n - 1], html, Label(SITE, "list", _grade(results), f"{keyword} - 商品搜索"))
            if not pages:
                yield _page(search_url(keyword), nothing_found(keyword, further), Label(SITE, "list", 0, keyword))

    def _detail(self, book: Book, url: str, kind: str) -> Recorded:
        hot = list(self.searches)[book.doc // HOT % len(self.searches)] if book.doc % HOT == 0 else ""
        html = detail(book, self.stock, hot)
        label = Label(SITE, kind, book.grade, book.title, book.doc)
        if is_undeclared(book):
            return Recorded(url, html.encode("gbk"), "text/html", label=label)
        return _page(url, html, label)


def read_bookshop(folder: Path) -> Bookshop:
    """The shop of the texts in ``folder``."""
    return Bookshop(read_stock(folder), read_searches(folder / "searches.toml"))


def main() -> None:
    """Build the files and say what was built."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the three files (default: beside this script)")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    shop = read_bookshop(HERE / "bookshop")
    records = list(shop.records())
    write_warc(records, out / "bookshop.warc.gz")
    write_labels(records, out / "bookshop-labels.tsv")
    (out / "bookshop-seeds.txt").write_text(f"{TEMPLATE}\n", encoding="utf-8", newline="\n")
    size = (out / "bookshop.warc.gz").stat().st_size
    kinds = Counter(record.label.kind for record in records if record.label is not None)
    grades = Counter(book.grade for book in shop.stock.books)
    print(f"{len(records)} records, {size:,} bytes; pages by kind {dict(sorted(kinds.items()))}")
    print(f"{len(shop.stock.books)} books by grade {dict(sorted(grades.items()))}")


def _page(url: str, html: str, label: Label) -> Recorded:
    return Recorded(url, html.encode(), UTF8, label=label)


def _grade(results: Sequence[Result]) -> int:
    """A list is on topic where more than half of its books are."""
    return 2 if sum(r.book.grade == 2 for r in results) * 2 > len(results) else 0


if __name__ == "__main__":
    main()
