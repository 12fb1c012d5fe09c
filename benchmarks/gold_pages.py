"""Pages whose main text a person has marked: python benchmarks/gold_pages.py GOLD.tsv --web RECORDING … [--url URL]

The rights of recorded pages are unclear, so a gold file holds no text. It names lines of a page, the text is read from the
recording. It has the columns `url`, `mark`, `from` and `to`, and a row for each mark:

    keep   the lines from `from` to `to` are main text; several such rows of a page in the order of the page
    drop   the lines from `from` to `to`, within what is kept, are not
    each   every kept line that is `from` is not: the name of a button, for instance

An anchor is `HEAD…TAIL`: the first and the last characters of a line, at most ten each, either of which may be empty; or without
`…` the whole line. A second line with the same anchor is `HEAD…TAIL #2`; lines are counted from the beginning of the page, for
`to` from the line of `from` on. An empty `to` is the line of `from`.

The lines are those of the source in its order, whatever any extractor thinks of them: text between block elements, line by line
in `<pre>`, cells of a row parted by tabs, formulas as their TeX. Left out are scripts, styles, controls, line numbers of code and
the signs that link to a heading. Without --url the command checks every anchor; with --url it prints the lines of a page, `+`
before the main text: this is how gold is made and checked.
"""

import argparse
import csv
import logging
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml.html import HtmlElement, HTMLParser, document_fromstring
from warcio.archiveiterator import ArchiveIterator

sys.path.append(str(Path(__file__).resolve().parents[1]))

from topical_crawler.web.dom import decode

MARKS = ("keep", "drop", "each")
LONGEST = 10  # characters of a page that an anchor may quote at each end

_UNSEEN = frozenset(
    ("script", "style", "noscript", "template", "select", "textarea", "button", "head", "svg", "iframe", "object")
)
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img"),
        *("input", "ins", "kbd", "label", "mark", "math", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "script", "small"),
        *("span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)
_GUTTER = re.compile(r"(?:^|\s)(?:gutter|linenos?|linenodiv|line-numbers-rows|hljs-ln-numbers)(?:\s|$)")
_HEADER_LINK = re.compile(r"(?:^|\s)(?:headerlink|header-anchor|anchorjs-link)(?:\s|$)")
_TEX = re.compile(r"^math/tex(.*)", re.S)
_ANCHOR = re.compile(r"(?P<text>.*?)(?: #(?P<number>[1-9]\d*))?")
_MARKED_END = re.compile(r"</(?:html|body)\s*>", re.IGNORECASE)


class GoldError(ValueError):
    """A gold file that does not fit its pages."""


@dataclass(frozen=True)
class Mark:
    """A row of a gold file."""

    mark: str
    start: str
    end: str
    where: str  # file and line


@dataclass(frozen=True)
class GoldPage:
    """A page and its main text."""

    url: str
    html: str
    text: str
    site: str  # what is left out together: the host


# -- The lines of a page


def page_lines(html: str) -> list[str]:
    """The lines of a page as a reader of its source sees them, white space folded but in code.

    >>> page_lines("<h1>排序<a class='headerlink'>¶</a></h1><p>代码<b>如下</b><pre>def f():\\n    pass</pre><tr><td>甲<td>乙")
    ['排序', '代码如下', 'def f():', '    pass', '甲', '乙']
    """
    tree = document_fromstring(_MARKED_END.sub("", html.replace("\0", "")).encode("utf-8", "replace"), parser=_parser())
    lines: list[str] = []
    parts: list[str] = []

    def flush(verbatim: bool = False) -> None:
        text = "".join(parts)
        parts.clear()
        if verbatim:
            lines.extend(line.rstrip() for line in text.replace("\r", "").split("\n") if line.strip())
        elif folded := " ".join(text.split()):
            lines.append(folded)

    def walk(element: HtmlElement, verbatim: bool) -> None:
        tag = element.tag
        if not isinstance(tag, str):
            return
        kind = element.get("class") or ""
        if tag == "script":
            tex = _TEX.match(element.get("type") or "")
            if tex:
                parts.append(f"\n${element.text or ''}$\n" if "display" in tex[1] else f"${element.text or ''}$")
            return
        if (
            tag in _UNSEEN
            or element.get("hidden") is not None
            or _GUTTER.search(kind)
            or (tag == "a" and _HEADER_LINK.search(kind))
        ):
            return
        if "katex" in kind.split():
            parts.extend(f"${note.text}$" for note in element.iter("annotation") if note.text)
            return
        if tag == "br":
            parts.append("\n")
            if not verbatim:
                flush()
            return
        block = tag not in _INLINE
        if block and not (verbatim and tag in ("div", "ol", "li")):
            flush(verbatim)
        elif block:
            parts.append("\n")
        inside = verbatim or tag == "pre"
        if element.text:
            parts.append(element.text)
        for child in element:
            walk(child, inside)
            if child.tail:
                parts.append(child.tail)
        if block:
            flush(inside)

    body = tree.find("body")
    walk(tree if body is None else body, False)
    flush()
    return lines


def _parser() -> HTMLParser:
    return HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)


# -- The marks


def read_marks(path: Path) -> dict[str, list[Mark]]:
    """The marks of a gold file by address. Raises GoldError, naming file and line."""
    found: dict[str, list[Mark]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        if rows.fieldnames != ["url", "mark", "from", "to"]:
            raise GoldError(f"{path}:1: the columns must be url, mark, from, to; there are {rows.fieldnames}")
        for number, row in enumerate(rows, 2):
            where = f"{path}:{number}"
            if row["mark"] not in MARKS or not row["from"]:
                raise GoldError(f"{where}: a mark is one of {', '.join(MARKS)} and needs a `from`")
            for anchor in (row["from"], row["to"] or ""):
                if any(len(end) > LONGEST for end in _split(anchor)[0]):
                    raise GoldError(f"{where}: {anchor!r} quotes more than {LONGEST} characters")
            found.setdefault(row["url"], []).append(Mark(row["mark"], row["from"], row["to"] or "", where))
    return found


def gold_lines(lines: Sequence[str], marks: Iterable[Mark]) -> list[bool]:
    """Which lines of a page are its main text. Raises GoldError where an anchor is not found, or its line is not the only one.

    >>> page = ["首页", "第一段。", "分享", "第二段。", "相关阅读"]
    >>> gold_lines(page, [Mark("keep", "第一段…", "…二段。", "a:2"), Mark("each", "分享", "", "a:3")])
    [False, True, False, True, False]
    """
    kept = [False] * len(lines)
    marks = list(marks)
    last = -1
    for mark in marks:
        if mark.mark == "keep":
            first, end = _span(lines, range(len(lines)), mark)
            if first <= last:
                raise GoldError(f"{mark.where}: the span begins before the end of the one above it")
            kept[first : end + 1] = [True] * (end + 1 - first)
            last = end
    inside = [place for place, keep in enumerate(kept) if keep]
    for mark in marks:
        if mark.mark == "drop":
            first, end = _span(lines, inside, mark)
            kept[first : end + 1] = [False] * (end + 1 - first)
        elif mark.mark == "each":
            for place in _places(lines, inside, mark.start, mark.where):
                kept[place] = False
    return kept


def anchor_of(lines: Sequence[str], places: Sequence[int], place: int) -> str:
    """The anchor of the line ``place`` among ``places``, as a gold file has it."""
    line = lines[place].strip()
    text = line if len(line) <= LONGEST and "…" not in line else f"{line[:LONGEST]}…{line[-LONGEST:]}"
    same = [other for other in places if _fits(lines[other], _split(text)[0])]
    return text if len(same) == 1 else f"{text} #{same.index(place) + 1}"


def _span(lines: Sequence[str], places: Sequence[int], mark: Mark) -> tuple[int, int]:
    first = _place(lines, places, mark.start, mark.where)
    if not mark.end:
        return first, first
    return first, _place(lines, [place for place in places if place >= first], mark.end, mark.where)


def _place(lines: Sequence[str], places: Sequence[int], anchor: str, where: str) -> int:
    found = _places(lines, places, anchor, where)
    number = _split(anchor)[1]
    if number > len(found) or (not number and len(found) > 1):
        raise GoldError(f"{where}: {len(found)} lines are {anchor!r}; write which, as in {_split(anchor)[2]!r} #1")
    return found[max(0, number - 1)]


def _places(lines: Sequence[str], places: Sequence[int], anchor: str, where: str) -> list[int]:
    ends = _split(anchor)[0]
    found = [place for place in places if _fits(lines[place], ends)]
    if not found:
        raise GoldError(f"{where}: no line is {anchor!r}; look at the page with --url")
    return found


def _fits(line: str, ends: tuple[str, ...]) -> bool:
    line = line.strip()
    return line == ends[0] if len(ends) == 1 else line.startswith(ends[0]) and line.endswith(ends[1])


def _split(anchor: str) -> tuple[tuple[str, ...], int, str]:
    match = _ANCHOR.fullmatch(anchor)
    text, number = (match["text"], int(match["number"] or 0)) if match else (anchor, 0)
    return tuple(text.split("…", 1)), number, text


# -- The recordings


def read_pages(webs: Iterable[Path], urls: Iterable[str]) -> dict[str, str]:
    """The decoded pages ``urls`` of recordings, those that are there."""
    wanted = set(urls)
    pages: dict[str, str] = {}
    logging.getLogger("warcio").setLevel(logging.ERROR)  # it complains of every blank in an address
    for web in webs:
        with web.open("rb") as stream:
            for record in ArchiveIterator(stream):
                url = record.rec_headers.get_header("WARC-Target-URI")
                if record.rec_type == "response" and url in wanted and record.http_headers.get_statuscode() == "200":
                    kind = record.http_headers.get_header("Content-Type") or ""
                    pages[url] = decode(record.content_stream().read(), kind)[0]
                    if len(pages) == len(wanted):
                        return pages
    return pages


def read_gold(path: Path, pages: Mapping[str, str]) -> Iterator[GoldPage]:
    """The marked pages of a gold file that are among ``pages``, source by address."""
    for url, marks in read_marks(path).items():
        if url in pages:
            lines = page_lines(pages[url])
            kept = gold_lines(lines, marks)
            text = "\n".join(line for line, keep in zip(lines, kept, strict=True) if keep)
            yield GoldPage(url, pages[url], text, url.split("/")[2])


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the anchors of a gold file, or print the lines of one page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--web", type=Path, nargs="+", required=True, help="recordings, WARC")
    parser.add_argument("--url", help="print the lines of this page")
    options = parser.parse_args(arguments)
    marks = read_marks(options.gold) if options.gold.is_file() else {}
    pages = read_pages(options.web, [options.url] if options.url else marks)
    if options.url and options.url not in pages:
        raise SystemExit(f"{options.url} is in none of the recordings")
    faults = 0
    for url, html in pages.items():
        lines = page_lines(html)
        try:
            kept = gold_lines(lines, marks.get(url, []))
        except GoldError as error:
            print(error)
            faults, kept = faults + 1, [False] * len(lines)
        for number, (line, keep) in enumerate(zip(lines, kept, strict=True)) if options.url else ():
            print(f"{'+' if keep else ' '} {number:4} {line}")
    missing = [url for url in marks if url not in pages] if not options.url else []
    for url in missing:
        print(f"{url} is in none of the recordings")
    if not options.url:
        print(f"{len(pages) - faults} of {len(marks)} pages have the lines that the gold names")
    return int(bool(faults or missing))


if __name__ == "__main__":
    sys.exit(main())
