"""Titles, authors, days and outlets of pages labelled by hand: python benchmarks/details.py [--data FOLDER] [--portals FOLDER]

``gold/details.tsv`` names a page per line and what a person reads on it: headline, authors (separated by 、), day of publication
and outlet; empty where the page has none, ``?`` where it cannot be known. ``|`` separates answers that are equally right (``¦``
is a bar in a title). The pages are those of the recorded webs and the old pages in --data, the layouts of news portals, blogs,
forums, documentation and government sites in ``gold/layouts``, and, where --portals is given, the test pages of
GeneralNewsExtractor (the folder that holds its ``tests`` and ``visiable_test``). What is not there is left out, and said.

Exact match, white space and width folded. Half of the hosts, by a hash of their names, are for development: weights and rules
were chosen on them alone. The other half is held out. "invented": given though there is none; "missed": not given though there is
one. What a rival does not read is empty; the outlet of trafilatura and newspaper4k is their name of the site.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import importlib.util
import json
import re
import time
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table

from topical_crawler.extraction.details import ACCURACY, Witnesses, read_details
from topical_crawler.extraction.main_text import parse
from topical_crawler.extraction.structure import normalise, read_blocks
from topical_crawler.recordings.reader import Recording, equal_form
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page

ROOT = Path(__file__).resolve().parents[1]
GOLD = ROOT / "benchmarks/gold/details.tsv"
FIELDS = ("title", "author", "day", "outlet")
RECORDED = {"web": "web/dev-web.warc.gz", "web2": "web2/dev2-web.warc.gz", "web3": "web3/laws.warc.gz"}
_SEPARATORS = re.compile(r"[\s、，,;；&]+")


class Found(NamedTuple):
    """What an extractor says of a page; None for what it does not look for."""

    title: str | None = None
    author: str | None = None
    day: str | None = None
    outlet: str | None = None


@dataclass(frozen=True)
class Gold:
    """A labelled page."""

    set: str
    host: str
    page: str
    answers: Mapping[str, frozenset[str]]  # by field: all that is right, folded; empty where it cannot be known
    html: str
    anchors: frozenset[str] = frozenset()  # texts of the links to it, where they were looked for

    @property
    def url(self) -> str:
        """The address it was recorded at, else one that says nothing."""
        return self.page if "://" in self.page else "http://www.example.cn/a.html"

    @property
    def held_out(self) -> bool:
        """Whether its host is in the held-out half."""
        return hashlib.md5(self.host.encode()).digest()[0] % 2 == 1


def fold(field: str, value: str) -> str:
    """A value as it is compared.

    >>> fold("author", "张三， 李四"), fold("title", "党课：第１讲 | 支部")
    ('张三李四', '党课:第1讲¦支部')
    """
    value = unicodedata.normalize("NFKC", value).replace("|", "¦")
    return (_SEPARATORS if field == "author" else re.compile(r"\s+")).sub("", value)


def load(data: Path, portals: Path | None, say: Callable[[str], None] = print) -> list[Gold]:
    """The labelled pages that are there."""
    recordings = {name: Recording(data / path) for name, path in RECORDED.items() if (data / path).is_file()}
    pages, missing = [], defaultdict(int)
    with GOLD.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            html = _source(row["set"], row["page"], data, portals, recordings)
            if html is None:
                missing[row["set"]] += 1
                continue
            answers = {f: frozenset(fold(f, v) for v in row[f].split("|")) if row[f] != "?" else frozenset() for f in FIELDS}
            pages.append(Gold(row["set"], row["host"], row["page"], answers, html))
    for name, count in missing.items():
        say(f"{count} pages of {name} are not there and left out")
    return pages


def with_anchors(pages: Sequence[Gold], data: Path) -> list[Gold]:
    """The pages with the texts of the recorded links to them."""
    wanted = {equal_form(page.url).partition("://")[2]: page.page for page in pages if page.set in RECORDED}
    names = {page.host: [] for page in pages}
    for page in pages:
        names[page.host].append(urlsplit(page.url).path.rstrip("/").rpartition("/")[2].encode())
    anchors: dict[str, set[str]] = defaultdict(set)
    for path in RECORDED.values():
        recording = Recording(data / path)
        for url in recording.urls():
            answer = recording.get(url) if urlsplit(url).netloc in names else None
            if answer is None or not any(name in answer.body for name in names[urlsplit(url).netloc]):
                continue
            for link in Page.from_html(url, decode(answer.body, answer.header("Content-Type"))[0]).links:
                target = wanted.get(equal_form(link.url).partition("://")[2])
                if target not in (None, url):
                    anchors[target].add(link.anchor)
    return [replace(page, anchors=frozenset(anchors[page.page])) for page in pages]


def _source(name: str, page: str, data: Path, portals: Path | None, recordings: Mapping[str, Recording]) -> str | None:
    if name in recordings:
        answer = recordings[name].get(page)
        return None if answer is None else decode(answer.body, answer.header("Content-Type"))[0]
    files = {"old": data / f"extraction/html/{page}.html", "layouts": GOLD.parent / f"layouts/{page}.html"}
    if portals is not None:
        files["portals"] = portals / page
    return decode(files[name].read_bytes())[0] if name in files and files[name].is_file() else None


def ours(page: Gold) -> Found:
    """This project."""
    tree = parse(page.html)
    if tree is None:
        return Found("", "", "", "")
    found = read_details(tree, read_blocks(normalise(tree)), page.url, anchors=page.anchors)
    return Found(found.title, found.author, found.date, found.source)


def trafilatura(page: Gold) -> Found:
    """trafilatura's metadata."""
    from trafilatura import extract_metadata

    found = extract_metadata(page.html, default_url=page.url)
    return Found(found.title or "", (found.author or "").replace(";", "、"), found.date or "", found.sitename or "")


def newspaper(page: Gold) -> Found:
    """newspaper4k, told that the page is Chinese."""
    from newspaper import Article  # type: ignore[import-untyped]

    article = Article(page.url, language="zh", fetch_images=False)
    article.download(input_html=page.html)
    article.parse()
    day = article.publish_date
    return Found(
        article.title or "", "、".join(article.authors or []), str(day)[:10] if day else "", article.meta_site_name or ""
    )


def gne(page: Gold) -> Found:
    """GeneralNewsExtractor."""
    from gne import GeneralNewsExtractor  # type: ignore[import-untyped]

    found = GeneralNewsExtractor().extract(page.html)
    day = re.search(r"(\d{4})[-年/.](\d{1,2})[-月/.](\d{1,2})", found["publish_time"] or "")
    written = f"{day[1]}-{int(day[2]):02}-{int(day[3]):02}" if day else found["publish_time"] or ""
    return Found(found["title"] or "", found["author"] or "", written)


def htmldate(page: Gold) -> Found:
    """htmldate, extensive search as by default."""
    from htmldate import find_date

    return Found(day=find_date(page.html, url=page.url) or "")


def readability(page: Gold) -> Found:
    """readability-lxml's short title."""
    from readability import Document

    return Found(Document(page.html).short_title() or "")


RIVALS: dict[str, tuple[str, Callable[[Gold], Found]]] = {
    "ours": ("lxml", ours),
    "trafilatura": ("trafilatura", trafilatura),
    "newspaper4k": ("newspaper", newspaper),
    "gne": ("gne", gne),
    "htmldate": ("htmldate", htmldate),
    "readability-lxml": ("readability", readability),
}
"""Name in the table to the package that must be installed and the extractor."""


def score(pages: Sequence[Gold], found: Sequence[Found], field: str) -> dict[str, float | int] | None:
    """Accuracy over the pages where the answer is known, and the counts of inventions, misses and wrong values; None where the
    extractor does not read this detail."""
    right = invented = missed = wrong = 0
    for page, values in zip(pages, found, strict=True):
        value = getattr(values, field)
        if value is None:
            return None
        answers = page.answers[field]
        if not answers:
            continue
        if fold(field, value) in answers:
            right += 1
        elif not value:
            missed += 1
        elif answers == {""}:
            invented += 1
        else:
            wrong += 1
    known = right + invented + missed + wrong
    return {
        "accuracy": right / max(1, known),
        "right": right,
        "pages": known,
        "invented": invented,
        "missed": missed,
        "wrong": wrong,
    }


def measure(extractor: Callable[[Gold], Found], pages: Sequence[Gold]) -> tuple[list[Found], float]:
    """What an extractor finds, and the milliseconds a page."""
    began = time.perf_counter()
    found = []
    for page in pages:
        try:
            found.append(extractor(page))
        except Exception:  # a page that an extractor fails on is a page that it says nothing of
            found.append(Found("", "", "", ""))
    return found, (time.perf_counter() - began) / max(1, len(pages)) * 1000


def heard(pages: Iterable[Gold]) -> Iterator[tuple[str, str, str, bool]]:
    """Field, witness and value of every testimony of the pages, and whether it is right."""
    for page in pages:
        tree = parse(page.html)
        if tree is None:
            continue
        for field, witness, value in Witnesses(tree, read_blocks(normalise(tree)), page.url, anchors=page.anchors).hear():
            if page.answers[field]:
                yield field, witness, value, fold(field, value) in page.answers[field]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data", help="folder of the recordings and old pages")
    parser.add_argument("--portals", type=Path, help="folder with tests/ and visiable_test/ of GeneralNewsExtractor")
    parser.add_argument(
        "--anchors", action="store_true", help="give ours the texts of the recorded links to each page (a minute)"
    )
    parser.add_argument("--only", help="extractors, separated by commas")
    parser.add_argument("--wrong", action="store_true", help="list what ours has wrong on the development half")
    parser.add_argument("--hosts", action="store_true", help="show ours by host")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    console = Console(width=160)
    pages = load(options.data, options.portals, console.print)
    if options.anchors:
        pages = with_anchors(pages, options.data)
    halves = {"development": [p for p in pages if not p.held_out], "held out": [p for p in pages if p.held_out]}
    figures: dict[str, Any] = {}
    names = options.only.split(",") if options.only else list(RIVALS)
    results = {}
    for name in names:
        package, extractor = RIVALS[name]
        if importlib.util.find_spec(package) is None:
            console.print(f"{name} is not installed")
            continue
        found, ms = measure(extractor, pages)
        results[name] = dict(zip((id(p) for p in pages), found, strict=True)), ms
    for half, chosen in halves.items():
        table = Table(
            title=f"{half}: {len(chosen)} pages of {len({p.host for p in chosen})} hosts", title_justify="left", box=None
        )
        table.add_column("")
        for field in FIELDS:
            table.add_column(f"{field}: right (invented, missed, wrong)", justify="right")
        table.add_column("ms a page", justify="right")
        for name, (by_page, ms) in results.items():
            cells = []
            for field in FIELDS:
                scored = score(chosen, [by_page[id(p)] for p in chosen], field)
                figures.setdefault(half, {}).setdefault(name, {})[field] = scored
                cells.append(
                    f"{scored['accuracy']:.1%} ({scored['invented']}, {scored['missed']}, {scored['wrong']})" if scored else ""
                )
            table.add_row(name, *cells, f"{ms:.1f}")
        console.print(table)
    if "ours" in results:
        _show_witnesses(console, halves)
        if options.hosts:
            _show_hosts(console, pages, results["ours"][0])
        if options.wrong:
            _show_wrong(console, halves["development"], results["ours"][0])
    if options.json:
        options.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def _show_witnesses(console: Console, halves: Mapping[str, Sequence[Gold]]) -> None:
    counts: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: {half: [0, 0] for half in halves})
    for half, pages in halves.items():
        for field, witness, _, right in heard(pages):
            counts[field, witness][half][0] += right
            counts[field, witness][half][1] += 1
    table = Table(title="witnesses: right of heard", title_justify="left", box=None)
    for heading in ("", "witness", *halves, "development, (right + 1) / (heard + 2)", "weighs as"):
        table.add_column(heading)
    for (field, witness), by_half in sorted(counts.items()):
        cells = [f"{right} of {said} ({right / said:.0%})" if said else "" for right, said in by_half.values()]
        right, said = by_half["development"]
        table.add_row(field, witness, *cells, f"{(right + 1) / (said + 2):.2f}", f"{ACCURACY[field][witness]:.2f}")
    console.print(table)


def _show_hosts(console: Console, pages: Sequence[Gold], found: Mapping[int, Found]) -> None:
    table = Table(title="ours by host, right of known", title_justify="left", box=None)
    for heading in ("host", "half", *FIELDS):
        table.add_column(heading)
    for host in sorted({page.host for page in pages}):
        own = [page for page in pages if page.host == host]
        scores = [score(own, [found[id(p)] for p in own], field) for field in FIELDS]
        cells = [f"{s['right']} of {s['pages']}" for s in scores if s]
        table.add_row(host, "held out" if own[0].held_out else "development", *cells)
    console.print(table)


def _show_wrong(console: Console, pages: Sequence[Gold], found: Mapping[int, Found]) -> None:
    for page in pages:
        for field in FIELDS:
            value, answers = getattr(found[id(page)], field), page.answers[field]
            if answers and fold(field, value) not in answers:
                console.print(f"{page.set} {page.page[-60:]} {field}: {value!r}, not {sorted(answers)}", markup=False)


if __name__ == "__main__":
    raise SystemExit(main())
