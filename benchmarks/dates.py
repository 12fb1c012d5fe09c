"""Days of publication beside htmldate, on its pages: python benchmarks/dates.py --data CHECKOUT [--wrong]

CHECKOUT is one of https://github.com/adbar/htmldate (Apache-2.0): ``tests/eval_*.json`` names 1,000 pages, few of them Chinese,
and the day of each. Half of the pages, by a hash of their hosts, are for development: rules were chosen on them alone. Ours and
htmldate get the source and the address of a page. "wrong": another day than the page's, or one for a page without; "wrong year":
those among them in another year; "none": no day for a page that has one. "right, no address" is what is right where the address
of a page is not known.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table

from topical_crawler.extraction.details import read_details
from topical_crawler.extraction.main_text import parse
from topical_crawler.extraction.structure import normalise, read_blocks
from topical_crawler.web.dom import decode

FOLDERS = ("test_set", "cache", "eval")
NO_ADDRESS = "http://www.example.cn/a.html"


@dataclass(frozen=True)
class Dated:
    """A page and its day, ``YYYY-MM-DD``, "" if it has none."""

    url: str
    html: str
    day: str

    @property
    def held_out(self) -> bool:
        """Whether its host is in the held-out half."""
        return hashlib.md5(urlsplit(self.url).netloc.encode()).digest()[0] % 2 == 1


def load(checkout: Path) -> Iterator[Dated]:
    """The pages of a checkout of htmldate."""
    for index in sorted((checkout / "tests").glob("eval_*.json")):
        for url, known in json.loads(index.read_bytes()).items():
            file = next((f for name in FOLDERS if (f := checkout / "tests" / name / known["file"]).is_file()), None)
            if file is not None:
                yield Dated(url, decode(file.read_bytes())[0], known["date"] if isinstance(known["date"], str) else "")


def ours(html: str, url: str) -> str:
    """This project."""
    tree = parse(html)
    return "" if tree is None else read_details(tree, read_blocks(normalise(tree, html)), url, source=html).date


def htmldate(html: str, url: str) -> str:
    """htmldate, asked for the first day."""
    from htmldate import find_date

    return find_date(html, url=url, original_date=True) or ""


RIVALS: dict[str, Callable[[str, str], str]] = {"ours": ours, "htmldate": htmldate}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="checkout of htmldate")
    parser.add_argument("--only", choices=list(RIVALS), nargs="+", default=list(RIVALS), help="whose days (default all)")
    parser.add_argument("--wrong", action="store_true", help="list what ours has wrong on the development half")
    options = parser.parse_args(arguments)
    logging.disable(logging.ERROR)
    console = Console(width=160)
    pages = list(load(options.data))
    if not pages:
        raise SystemExit(f"{options.data}: no pages; it must hold tests/eval_*.json and the pages that they name")
    halves = {"all": pages, "development": [p for p in pages if not p.held_out], "held out": [p for p in pages if p.held_out]}
    table = Table(title=f"days of {len(pages)} pages", title_justify="left", box=None)
    for heading in ("", "", "pages", "right", "wrong", "wrong year", "none", "right, no address", "ms a page"):
        table.add_column(heading, justify="right" if heading else "left")
    for name in options.only:
        if importlib.util.find_spec("lxml" if name == "ours" else name) is None:
            console.print(f"{name} is not installed")
            continue
        began = time.process_time()
        found = {page.url: RIVALS[name](page.html, page.url) for page in pages}
        ms = (time.process_time() - began) / len(pages) * 1000
        bare = {page.url: RIVALS[name](page.html, NO_ADDRESS) for page in pages}
        for half, chosen in halves.items():
            wrong = [page for page in chosen if found[page.url] not in ("", page.day)]
            counts = (
                len(chosen),
                sum(found[page.url] == page.day for page in chosen),
                len(wrong),
                sum(found[page.url][:4] != page.day[:4] for page in wrong),
                sum(not found[page.url] and bool(page.day) for page in chosen),
                sum(bare[page.url] == page.day for page in chosen),
            )
            table.add_row(name, half, *map(str, counts), f"{ms:.1f}" if half == "all" else "")
        if options.wrong and name == "ours":
            for page in halves["development"]:
                if found[page.url] != page.day:
                    console.print(f"{page.url[:100]}: {found[page.url] or 'none'}, not {page.day or 'any'}", markup=False)
    console.print(table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
