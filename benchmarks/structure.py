"""What of the structure of recorded pages survives extraction: formulas, code, tables.

    python benchmarks/structure.py --web RECORDING … [--pages N] [--misses N] [--json FILE]

Counted by raw patterns in the source of each page that the extraction gives a text for, within the element of the article where
the theme names it (else on the whole page), by site:

    display, inline   formulas in scripts, KaTeX annotations, MathML and between delimiters; kept if their TeX is in the text
    code              `<pre>` but columns of numbers and Chinese prose; kept if all its lines are there in their order
    indented          of the kept ones with indented lines, those with the same indentation in every line
    tables            tables of several rows and columns that are not mostly links; kept if each row is a line of the text

A formula that stands n times on a page must stand n times in the text. Formulas and code are compared without white space. At
most --pages pages of a site are read, spread evenly over it. --misses prints what is lost, and where.
"""

import argparse
import html as entities
import json
import logging
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table
from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from topical_crawler.extraction.extract import extract  # noqa: E402
from topical_crawler.recordings.reader import Recording  # noqa: E402
from topical_crawler.web.dom import decode  # noqa: E402

KINDS = ("display", "inline", "code", "indented", "tables")
ARTICLES = (
    "[itemprop=articleBody], .article-content, .article-entry, .post-content, .post-body, .entry-content, .markdown-body,"
    " #articleContent, #article-content, #post-content, [role=main] .body, .chapter, .section"
)
_PRE = re.compile(r"<pre\b[^>]*>(.*?)</pre>", re.S | re.I)
_NO_TEXT = re.compile(r"<(script|style|pre|textarea|noscript|code)\b.*?</\1\s*>", re.S | re.I)
_SOURCE = re.compile(r"<(script|style|noscript)\b(?![^>]*math/).*?</\1\s*>", re.S | re.I)
_SCRIPT = re.compile(r"<script[^>]*math/tex(;\s*mode=display)?[^>]*>(.*?)</script>", re.S | re.I)
_NOTE = re.compile(r"(<math[^>]*>)(?:(?!</math>).)*?<annotation[^>]*application/x-tex[^>]*>(.*?)</annotation>", re.S | re.I)
_DISPLAY = re.compile(
    r"\$\$(?!\$)([^$]{1,5000}?)\$\$|\\\[(.{1,5000}?)\\\]|(\\begin\{(?P<e>(?:equation|align|gather|eqnarray)\*?)\}.{1,5000}?\\end\{(?P=e)\})",
    re.S,
)
_INLINE = re.compile(r"(?<![\\$A-Za-z0-9])\$(?![\s$])([^$\n]{1,300}?)(?<![\s\\])\$(?![\d$])|\\\((.{1,300}?)\\\)")
_BREAK = re.compile(r"<br\s*/?>", re.I)
_LINE_END = re.compile(r"</(?:li|div|tr|p)>", re.I)
_TAG = re.compile(r"<[^>]*>")
_GUTTER = re.compile(
    r"<(td|span|ul|div)\b[^>]*class=\"?[^\">]*(?:gutter|lineno|line-numbers?-rows|ln-num|linenums?)\b[^>]*>(?:\s|\d|<(?!/\1)[^>]*>)*</\1>",
    re.I,
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_NUMBERS = re.compile(r"[\s\d]*")
_RENDERER = re.compile(r"mathjax|katex|renderMathInElement", re.I)
_DELIMITERS = re.compile(r"\$|\\[()\[\]]")
_DISPLAYSTYLE = re.compile(r"^\{\\displaystyle(.*)\}$", re.S)
_CDATA = re.compile(r"%?\s*<!\[CDATA\[|%?\s*\]\]>")


def squeezed(text: str) -> str:
    """``text`` without white space."""
    return "".join(text.split())


def bare(source: str) -> str:
    """Text of a piece of source."""
    return entities.unescape(_TAG.sub("", source)).replace("\xa0", " ").replace("\u200b", "").replace("\ufeff", "")


def article_of(html: str) -> str:
    """Source of the longest element that the theme names an article; of the whole page if it names none."""
    tree = LexborHTMLParser(html)
    return str(max(tree.css(ARTICLES)[:50], key=lambda node: len(node.text()), default=tree.body or tree.root).html)


def tex_of(text: str) -> str:
    """TeX without white space, and without _ and *, which Markdown may have taken for emphasis."""
    return _DISPLAYSTYLE.sub(r"\1", re.sub(r"[\s_*\u200b\ufeff]", "", text))


def formulas(source: str, rendered: bool) -> tuple[list[str], list[str]]:
    """The display and the inline formulas of a piece of source, as TeX without white space."""
    display, inline = [], []
    for mode, tex in _SCRIPT.findall(source):
        (display if mode else inline).append(tex_of(_CDATA.sub("", tex)))
    for opening, tex in _NOTE.findall(source):
        (display if "block" in opening else inline).append(tex_of(bare(tex)))
    if rendered:
        text = bare(_NO_TEXT.sub(" ", _BREAK.sub("\n", source)))
        display += [tex_of(match[1] or match[2] or match[3]) for match in _DISPLAY.finditer(text)]
        inline += [tex_of(a or b) for a, b in _INLINE.findall(_DISPLAY.sub(" ", text))]
    return [tex for tex in display if tex], [tex for tex in inline if tex]


def codes(source: str) -> list[list[str]]:
    """The lines of each piece of code, without empty ones."""
    found = []
    for match in _PRE.finditer(source):
        inner = _LINE_END.sub("\n", _BREAK.sub("\n", _GUTTER.sub("", match[1])))
        lines = [line.rstrip() for line in bare(inner).replace("\r", "").split("\n") if line.strip()]
        prose = "<span" not in match[1] and 2 * len(_HAN.findall(inner)) > len(re.findall(r"\w", bare(inner)))
        if lines and not prose and not _NUMBERS.fullmatch("".join(lines)):
            found.append(lines)
    return found


def tables(source: str) -> list[list[str]]:
    """The rows of each table of data, without white space."""
    found = []
    for table in LexborHTMLParser(source).css("table"):
        if len(table.css("table")) > 1 or table.css("pre, form, input, h1, h2, h3"):
            continue
        rows = [[squeezed(cell.text()) for cell in row.css("td, th")] for row in table.css("tr")]
        letters = sum(len(cell) for row in rows for cell in row)
        linked = sum(len(squeezed(link.text())) for link in table.css("a"))
        longest = max((len(cell) for row in rows for cell in row), default=0)
        if sum(len(row) > 1 for row in rows) > 1 and 2 * linked < letters and longest < 0.6 * letters:
            found.append(["".join(row) for row in rows if any(row)])
    return found


def lost(html: str, text: str) -> tuple[Counter[str], list[tuple[str, str]]]:
    """How many there are of each kind, and how many of these are lost (``kind lost``); and kind and text of each lost one."""
    counts: Counter[str] = Counter()
    misses = []
    source = _SOURCE.sub("", article_of(html))
    packed, packed_tex = squeezed(text), tex_of(text)
    display, inline = formulas(source, bool(_RENDERER.search(html)))
    for kind, found in (("display", Counter(display)), ("inline", Counter(inline))):
        for tex, times in found.items():
            counts[kind] += times
            missing = max(0, times - packed_tex.count(tex if kind == "display" else f"${tex}$"))
            counts[f"{kind} lost"] += missing
            misses += [(kind, tex)] * missing
    lines = {line.rstrip() for line in text.split("\n")}
    packed_lines = {_DELIMITERS.sub("", squeezed(line)) for line in lines}
    for code in codes(source):
        counts["code"] += 1
        if squeezed("".join(code)) not in packed:
            counts["code lost"] += 1
            misses.append(("code", "\n".join(code)))
        elif any(line[0] in " \t" for line in code[1:]):
            counts["indented"] += 1
            if not all(line in lines for line in code[1:]):
                counts["indented lost"] += 1
                misses.append(("indented", "\n".join(code)))
    for rows in tables(source):
        counts["tables"] += 1
        if not all(_DELIMITERS.sub("", row) in packed_lines for row in rows):
            counts["tables lost"] += 1
            misses.append(("tables", "\n".join(rows)))
    return counts, misses


def main(arguments: Sequence[str] | None = None) -> int:
    """Count and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, nargs="+", required=True, help="recordings")
    parser.add_argument("--pages", type=int, default=100, help="most pages of a site (default 100)")
    parser.add_argument("--site", help="only the sites whose names contain this")
    parser.add_argument("--misses", type=int, default=0, help="lost pieces to print for each site and kind")
    parser.add_argument("--json", type=Path, help="write the counts to this file as well")
    options = parser.parse_args(arguments)
    logging.disable(logging.ERROR)
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for path in options.web:
        with Recording(path) as recording:
            sites: dict[str, list[str]] = defaultdict(list)
            for url in recording.urls():
                if not options.site or options.site in urlsplit(url).netloc:
                    sites[urlsplit(url).netloc].append(url)
            for site, urls in sites.items():
                printed: Counter[str] = Counter()
                for url in _spread(urls, 12 * options.pages):
                    if total[site]["pages"] >= options.pages:
                        break
                    response = recording.get(url)
                    if response is None or response.status != 200 or "html" not in response.header("Content-Type"):
                        continue
                    html = decode(response.body, response.header("Content-Type"))[0]
                    text = extract(html, url).text
                    if not text:
                        continue
                    counts, misses = lost(html, text)
                    total[site].update(counts)
                    total[site]["pages"] += 1
                    for kind, piece in misses:
                        printed[kind] += 1
                        if printed[kind] <= options.misses:
                            print(f"{kind} lost: {url}\n    {piece[:300]!r}")
    show(Console(width=120), {site: counts for site, counts in total.items() if counts["pages"]})
    if options.json:
        options.json.write_text(json.dumps(total, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def _spread(urls: list[str], most: int) -> list[str]:
    """At most so many of ``urls``, in an order that has them from everywhere first."""
    return sorted(urls, key=lambda url: hash_of(url))[:most]


def hash_of(url: str) -> int:
    """A number that is the same in every run."""
    from zlib import crc32

    return crc32(url.encode())


def show(console: Console, sites: dict[str, Counter[str]]) -> None:
    """Kept and all of each kind by site."""
    table = Table(title="kept of those in the source", title_justify="left", box=None)
    for heading in ("", "pages", *KINDS):
        table.add_column(heading, justify="right" if heading else "left")
    everything = sum(sites.values(), Counter[str]())
    for site, counts in [*sites.items(), ("all", everything)]:
        figures = [f"{counts[kind] - counts[f'{kind} lost']}/{counts[kind]}" if counts[kind] else "" for kind in KINDS]
        table.add_row(site, str(counts["pages"]), *figures)
    shares = [f"{1 - everything[f'{kind} lost'] / everything[kind]:.3f}" if everything[kind] else "" for kind in KINDS]
    table.add_row("share", "", *shares)
    console.print(table)


if __name__ == "__main__":
    raise SystemExit(main())
