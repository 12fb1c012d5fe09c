"""Quality and speed of main-text extraction: python benchmarks/extraction.py [--data FOLDER] [--json FILE]

Every extractor is given the same pages, whose main texts are known: `html/NAME.html` and `text/NAME.txt` in the data folder (the
35 Chinese pages of 2005-2022 in ../shared/data/extraction where it is not given). The score is the F1 of the character 4-grams,
white space left out. Milliseconds are the best of --rounds rounds over all pages, in one process, source in memory; ours tell the
kind of the page and read its details as well. Rivals run as their documentation shows; jusText, which has no list of Chinese stop
words, with our stop characters and thresholds.

The leave-one-out figure is what the thresholds of our choice are worth on a page that they were not chosen by: for each page they
are chosen on all the others, by their mean F1, and the page is scored with them.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from text_scores import ngram_f1  # noqa: E402

from topical_crawler.extraction import extract, extractors  # noqa: E402
from topical_crawler.extraction.extractors import read_blocks, text_worth  # noqa: E402
from topical_crawler.web.dom import decode  # noqa: E402

ADDRESS = "http://www.example.cn/a.html"
LOST = 0.3
"""F1 under which a page counts as lost."""
SHARES = (0.05, 0.1, 0.25, 0.4, 0.6)
WORTHS = (0.25, 0.5, 0.75)
"""Thresholds that the leave-one-out figure chooses from."""


@dataclass(frozen=True)
class Gold:
    """A page and its main text."""

    name: str
    html: str
    text: str


def load(folder: Path) -> list[Gold]:
    """The pages of a data folder, by name."""
    pages = []
    for source in sorted((folder / "html").glob("*.html")):
        text = folder / "text" / f"{source.stem}.txt"
        if text.is_file():
            pages.append(Gold(source.stem, decode(source.read_bytes())[0], text.read_text(encoding="utf-8")))
    if not pages:
        raise SystemExit(f"{folder}: no pages; it must hold html/NAME.html and text/NAME.txt")
    return pages


def ours(html: str) -> str:
    """This project: kind, text and details."""
    return extract(html, ADDRESS).text


def trafilatura_default(html: str) -> str:
    """trafilatura as its documentation shows it."""
    import trafilatura

    return trafilatura.extract(html) or ""


def readability(html: str) -> str:
    """readability-lxml; the text of its summary."""
    return extractors.readability(html, extractors.parse("<html></html>"))


def resiliparse(html: str) -> str:
    """resiliparse's main content."""
    return extractors.resiliparse(html, extractors.parse("<html></html>"))


def justext(html: str) -> str:
    """jusText with Chinese stop characters."""
    tree = extractors.parse(html)
    return "" if tree is None else extractors.justext(html, tree)


def newspaper(html: str) -> str:
    """newspaper4k, told that the page is Chinese."""
    from newspaper import Article  # type: ignore[import-untyped]

    article = Article(ADDRESS, language="zh", fetch_images=False)
    article.download(input_html=html)
    article.parse()
    return str(article.text)


RIVALS: dict[str, tuple[str, Callable[[str], str]]] = {
    "ours": ("trafilatura", ours),
    "trafilatura, defaults": ("trafilatura", trafilatura_default),
    "readability-lxml": ("readability", readability),
    "resiliparse": ("resiliparse", resiliparse),
    "jusText, Chinese": ("justext", justext),
    "newspaper4k": ("newspaper", newspaper),
}
"""Name in the table to the package that must be installed and the extractor."""


def measure(extractor: Callable[[str], str], pages: Sequence[Gold], rounds: int) -> dict[str, Any]:
    """Scores over all pages, and milliseconds per page."""
    scores, best = [], float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        texts = [_guarded(extractor, page.html) for page in pages]
        best = min(best, time.perf_counter() - began)
        scores = [ngram_f1(text, page.text) for text, page in zip(texts, pages, strict=True)]
    return {
        "mean": statistics.mean(scores),
        "median": statistics.median(scores),
        "min": min(scores),
        "lost": sum(score < LOST for score in scores),
        "ms": best / len(pages) * 1000,
        "scores": dict(zip((page.name for page in pages), scores, strict=True)),
    }


def _guarded(extractor: Callable[[str], str], html: str) -> str:
    try:
        return extractor(html)
    except Exception:  # a page that an extractor fails on is a page that it does not find
        return ""


def leave_one_out(pages: Sequence[Gold]) -> dict[str, Any]:
    """Mean and least F1 where the thresholds are chosen without the page that is scored, and how often each was chosen."""
    grid = list(itertools.product(SHARES, WORTHS))
    scores = [_scores(page, grid) for page in pages]
    left, chosen = [], []
    for out, own in enumerate(scores):
        others = [row for n, row in enumerate(scores) if n != out]
        best = max(range(len(grid)), key=lambda g: sum(row[g] for row in others))
        left.append(own[best])
        chosen.append(grid[best])
    return {
        "mean": statistics.mean(left),
        "median": statistics.median(left),
        "min": min(left),
        "lost": sum(score < LOST for score in left),
        "chosen": {f"share {s}, worth {w}": chosen.count((s, w)) for s, w in sorted(set(chosen))},
    }


def _scores(page: Gold, grid: Sequence[tuple[float, float]]) -> list[float]:
    tree = extractors.parse(page.html)
    if tree is None:
        return [0.0] * len(grid)
    blocks = read_blocks(tree)
    every = {"trafilatura": extractors.trafilatura, **extractors.FALLBACKS}
    texts = {name: _guarded(lambda html, e=extractor: e(html, tree), page.html) for name, extractor in every.items()}  # type: ignore[misc]
    linked, prose = extractors.links_of(blocks), extractors.prose_of(blocks)
    worths = {name: text_worth(text, linked) for name, text in texts.items()}
    f1 = {name: ngram_f1(text, page.text) for name, text in texts.items()} | {"": 0.0}
    return [
        f1[
            extractors.choose(texts, worths, worth)
            if extractors.is_doubtful(worths["trafilatura"], prose, share)
            else "trafilatura"
        ]
        for share, worth in grid
    ]


def show(console: Console, results: dict[str, Any], count: int) -> None:
    """The table."""
    table = Table(title=f"character 4-gram F1 over {count} pages", title_justify="left", box=None)
    table.add_column("")
    for heading in ("mean", "median", "min", f"under {LOST}", "ms per page"):
        table.add_column(heading, justify="right")
    for name, found in results.items():
        if found is None:
            table.add_row(name, "not installed")
        else:
            figures = [f"{found[figure]:.3f}" for figure in ("mean", "median", "min")]
            table.add_row(name, *figures, str(found["lost"]), f"{found['ms']:.1f}" if "ms" in found else "")
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data/extraction", help="folder with html/ and text/")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of which the fastest counts (default 3)")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    pages = load(options.data)
    results: dict[str, Any] = {}
    for name, (package, extractor) in RIVALS.items():
        installed = importlib.util.find_spec(package) is not None
        results[name] = measure(extractor, pages, max(1, options.rounds)) if installed else None
        if name == "ours":
            results["ours, leaving one out"] = leave_one_out(pages)
    show(Console(), results, len(pages))
    if options.json:
        options.json.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
