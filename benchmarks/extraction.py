"""Quality and speed of main-text extraction, ours and others', on pages whose main text is known.

    python benchmarks/extraction.py [--data FOLDER] [--gold GOLD.tsv --web RECORDING …] [--layouts TEXTS.jsonl.gz]
        [--wcxb CHECKOUT] [--sites]

Five sets of pages: `html/NAME.html` and `text/NAME.txt` in a folder (35 Chinese pages of 2005-2022 in
../shared/data/extraction where nothing is given), pages of recordings whose text a person marked (gold_pages.py), and layouts
of well-known kinds of sites and of forums around given texts (gold_layouts.py, forum_layouts.py, forum_variants.py), and the
forum pages in a checkout of https://github.com/Murrough-Foley/web-content-extraction-benchmark (CC BY 4.0; not Chinese), its
part for development and the one for tests apart, each a second time without pages whose text is not in their source; only the
first part was looked at when threads were worked on. The score is the F1 of the character 4-grams; white space and the signs
around formulas are left out. Milliseconds are processor time, the best of --rounds rounds over all pages of a set, in one
process, source in memory; ours tell the kind of the page and read its details as well. Others run as their documentation shows;
jusText, which has no Chinese stop words, with our stop characters and thresholds. --sites prints the mean of each site of a
set as well.
"""

import argparse
import gzip
import importlib.util
import json
import logging
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lxml.html import HTMLParser, document_fromstring
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from forum_layouts import make_threads  # noqa: E402
from forum_variants import make_hard_threads  # noqa: E402
from gold_layouts import make_pages  # noqa: E402
from gold_pages import GoldPage, page_lines, read_gold, read_marks, read_pages  # noqa: E402
from text_scores import ngram_f1  # noqa: E402

from topical_crawler.extraction.extract import extract  # noqa: E402
from topical_crawler.extraction.main_text import STOP_CHARACTERS  # noqa: E402
from topical_crawler.web.dom import decode  # noqa: E402

ADDRESS = "http://www.example.cn/a.html"
LOW = 0.5
"""F1 under which a page is counted."""
_DELIMITERS = re.compile(r"\$|\\[()\[\]]")


def load(folder: Path) -> list[GoldPage]:
    """The pages of a data folder, by name, each a site of its own."""
    pages = []
    for source in sorted((folder / "html").glob("*.html")):
        text = folder / "text" / f"{source.stem}.txt"
        if text.is_file():
            html = decode(source.read_bytes())[0]
            pages.append(GoldPage(ADDRESS, html, text.read_text(encoding="utf-8"), source.stem))
    if not pages:
        raise SystemExit(f"{folder}: no pages; it must hold html/NAME.html and text/NAME.txt")
    return pages


def score(found: str, truth: str) -> float:
    """F1 of the 4-grams of two texts without the signs around formulas."""
    return ngram_f1(_DELIMITERS.sub("", found), _DELIMITERS.sub("", truth))


# -- The extractors: page and address to text


def ours(html: str, url: str) -> str:
    """This project: kind, text and details."""
    return extract(html, url).text


def trafilatura_default(html: str, url: str) -> str:
    """trafilatura as its documentation shows it."""
    import trafilatura

    return trafilatura.extract(html) or ""


def trafilatura_fast(html: str, url: str) -> str:
    """trafilatura without its fallbacks."""
    import trafilatura

    return trafilatura.extract(html, fast=True) or ""


def readability(html: str, url: str) -> str:
    """readability-lxml; the text of its summary."""
    from readability import Document

    return "\n".join(page_lines(Document(html).summary()))


def resiliparse(html: str, url: str) -> str:
    """resiliparse's main content."""
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True, alt_texts=False, links=False, form_fields=False, list_bullets=False))


def justext(html: str, url: str) -> str:
    """jusText with thresholds and stop characters for Chinese: its own count words between spaces."""
    from justext.core import ParagraphMaker, classify_paragraphs, html_to_dom, preprocessor, revise_paragraph_classification

    paragraphs = ParagraphMaker.make_paragraphs(preprocessor(html_to_dom(html)))
    for paragraph in paragraphs:
        paragraph.stopwords_density = _stop_share.__get__(paragraph)
    classify_paragraphs(paragraphs, STOP_CHARACTERS, 10, 40, 0.01, 0.03, 0.3)
    revise_paragraph_classification(paragraphs)
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def _stop_share(paragraph: Any, stopwords: Collection[str]) -> float:
    text: str = paragraph.text
    return sum(character in stopwords for character in text) / max(1, len(text))


def newspaper(html: str, url: str) -> str:
    """newspaper4k, told that the page is Chinese."""
    from newspaper import Article  # type: ignore[import-untyped]

    article = Article(url, language="zh", fetch_images=False)
    article.download(input_html=html)
    article.parse()
    return str(article.text)


def gne(html: str, url: str) -> str:
    """GeneralNewsExtractor."""
    from gne import GeneralNewsExtractor  # type: ignore[import-untyped]

    return str(GeneralNewsExtractor().extract(html)["content"])


def magic_html(html: str, url: str) -> str:
    """magic-html: the text of what it takes for the main part, of whatever kind the page is."""
    from magic_html import GeneralExtractor  # type: ignore[import-untyped]

    return "\n".join(page_lines(f"<div>{GeneralExtractor().extract(html, base_url=url)['html']}</div>"))


RIVALS: dict[str, tuple[str, Callable[[str, str], str]]] = {
    "ours": ("lxml", ours),
    "trafilatura, defaults": ("trafilatura", trafilatura_default),
    "trafilatura, fast": ("trafilatura", trafilatura_fast),
    "readability-lxml": ("readability", readability),
    "resiliparse": ("resiliparse", resiliparse),
    "jusText, Chinese": ("justext", justext),
    "magic-html": ("magic_html", magic_html),
    "newspaper4k": ("newspaper", newspaper),
    "gne": ("gne", gne),
}
"""Name in the table to the package that must be installed and the extractor."""


def read_wcxb(checkout: Path, part: str) -> list[GoldPage]:
    """The forum pages of a part, ``dev`` or ``test``, of a checkout of WCXB."""
    pages = []
    for file in sorted((checkout / part / "ground-truth").glob("*.json")):
        known = json.loads(file.read_bytes())
        text = known["ground_truth"].get("main_content")  # a few have none
        if text and known["_internal"]["page_type"]["primary"] == "forum":
            source = gzip.decompress((checkout / part / "html" / f"{file.stem}.html.gz").read_bytes())
            url = known.get("url") or ADDRESS
            pages.append(GoldPage(url, decode(source)[0], text, urlsplit(url).netloc))
    if not pages:
        raise SystemExit(f"{checkout}: no forum pages; it must hold {part}/ground-truth/*.json and {part}/html/*.html.gz")
    return pages


def measure(extractor: Callable[[str, str], str], pages: Sequence[GoldPage], rounds: int) -> dict[str, Any]:
    """Scores over all pages, and milliseconds per page."""
    scores, best = [], float("inf")
    _guarded(extractor, pages[0])  # imports
    for _ in range(rounds):
        began = time.process_time()
        texts = [_guarded(extractor, page) for page in pages]
        best = min(best, time.process_time() - began)
        scores = [score(text, page.text) for text, page in zip(texts, pages, strict=True)]
    by_site = defaultdict(list)
    for page, value in zip(pages, scores, strict=True):
        by_site[page.site].append(value)
    return {
        "mean": statistics.mean(scores),
        "median": statistics.median(scores),
        "min": min(scores),
        "low": sum(value < LOW for value in scores),
        "ms": best / len(pages) * 1000,
        "sites": {site: statistics.mean(values) for site, values in by_site.items()},
        "scores": [(page.url if page.url != ADDRESS else page.site, value) for page, value in zip(pages, scores, strict=True)],
    }


def _guarded(extractor: Callable[[str, str], str], page: GoldPage) -> str:
    try:
        return extractor(page.html, page.url)
    except Exception:  # a page that an extractor fails on is a page that it does not find
        return ""


def show(console: Console, name: str, results: dict[str, Any], pages: Sequence[GoldPage], sites: bool) -> None:
    """The table of a set."""
    title = f"{name}: character 4-gram F1 over {len(pages)} pages of {len({page.site for page in pages})} sites"
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("")
    for heading in ("mean", "median", "min", f"under {LOW}", "ms per page"):
        table.add_column(heading, justify="right")
    for rival, found in results.items():
        if found is None:
            table.add_row(rival, "not installed")
        else:
            figures = [f"{found[figure]:.3f}" for figure in ("mean", "median", "min")]
            table.add_row(rival, *figures, str(found["low"]), f"{found['ms']:.1f}")
    console.print(table)
    if sites:
        table = Table(title="mean by site", title_justify="left", box=None)
        installed = {rival: found for rival, found in results.items() if found is not None}
        for heading in ("", *installed):
            table.add_column(heading, justify="right" if heading else "left")
        for site in dict.fromkeys(page.site for page in pages):
            table.add_row(site[:28], *(f"{found['sites'][site]:.3f}" for found in installed.values()))
        console.print(table)


def sets(
    data: Path | None, gold: Path | None, webs: Sequence[Path], layouts: Path | None, wcxb: Path | None = None
) -> Iterator[tuple[str, list[GoldPage]]]:
    """The sets of pages that the options name."""
    if data:
        yield "old pages", load(data)
    if gold:
        pages = list(read_gold(gold, read_pages(webs, read_marks(gold))))
        if not pages:
            raise SystemExit(f"{gold}: none of its pages is in the recordings; name them with --web")
        yield gold.stem, pages
    if layouts:
        yield "layouts", list(make_pages(layouts))
        yield "forums", list(make_threads(layouts))
        yield "hard forums", list(make_hard_threads(layouts))
    if wcxb:
        for part in ("dev", "test"):
            pages = read_wcxb(wcxb, part)
            yield f"wcxb {part}", pages
            yield f"wcxb {part}, text in the source", [page for page in pages if _is_in_source(page)]


def _is_in_source(page: GoldPage) -> bool:
    """Whether the source holds half of the 4-grams of the text, taken from a browser: scripts write some pages."""
    tree = document_fromstring(page.html.encode(), parser=HTMLParser(encoding="utf-8"))
    seen, text = ("".join(part.split()) for part in (str(tree.text_content()), page.text))
    known = {seen[n : n + 4] for n in range(len(seen) - 3)}
    return sum(text[n : n + 4] in known for n in range(len(text) - 3)) >= (len(text) - 3) / 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with html/ and text/")
    parser.add_argument("--gold", type=Path, help="marked pages, such as benchmarks/gold/articles.tsv")
    parser.add_argument("--web", type=Path, nargs="+", default=[], help="recordings that hold the marked pages")
    parser.add_argument("--layouts", type=Path, help="JSON Lines of texts to put into layouts")
    parser.add_argument("--wcxb", type=Path, help="checkout of WCXB, for its forum pages")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of which the fastest counts (default 3)")
    parser.add_argument("--only", nargs="+", choices=list(RIVALS), help="extractors to measure (default all)")
    parser.add_argument("--sites", action="store_true", help="print the mean of each site")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    logging.disable(logging.ERROR)
    if not (options.data or options.gold or options.layouts or options.wcxb):
        options.data = ROOT.parent / "shared/data/extraction"
    figures: dict[str, Any] = {}
    for name, pages in sets(options.data, options.gold, options.web, options.layouts, options.wcxb):
        results: dict[str, Any] = {}
        for rival in options.only or RIVALS:
            package, extractor = RIVALS[rival]
            installed = importlib.util.find_spec(package) is not None
            results[rival] = measure(extractor, pages, max(1, options.rounds)) if installed else None
        show(Console(), name, results, pages, options.sites)
        figures[name] = results
    if options.json:
        options.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
