"""The main text of a page: five extractors, the choice between them, and the blocks of the chosen text.

trafilatura's text is taken unless it is in doubt: there is none, or it is worth little beside all running text of the page
(:func:`text_worth`). Then, of all texts that are worth enough, the one that agrees most with the others is taken: extractors fail
on different pages and in different ways. Libraries are imported where they are called: only the workers need them.

Extractors return bare text, mostly without code, formulas and tables. So every block of the page is marked by two invisible
characters: those that come out with a text say which blocks it holds, and what stands between them is kept with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from configparser import ConfigParser
from copy import deepcopy
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, cast

from lxml.etree import XPath
from lxml.html import Element, HtmlElement, document_fromstring, tostring

from topical_crawler.cleaning.boilerplate import Cleaner
from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.structure import HEADINGS, Block, read_blocks
from topical_crawler.text.passages import VERBATIM

SENTENCE_ENDS = "。！？；…”』」.!?;：:）)"  # what a line of running text ends in


def is_sentence(text: str) -> bool:
    """Whether a line ends as running text does.

    >>> is_sentence("各支部开展学习。"), is_sentence("关于我们")
    (True, False)
    """
    return text.rstrip("　 \"'’").endswith(tuple(SENTENCE_ENDS))


# -- Density: the stretch of neighbouring blocks that is worth most
#
# After text density in Sun, Song, Liao: DOM Based Content Extraction via Text Density, SIGIR 2011, and maximal subsequences in
# Pasternack, Roth: Extracting Article Text from the Web with Maximum Subsequence Segmentation, WWW 2009. It needs no paragraphs
# and no class names: tables, <br> and bare text are equal to it.

COST = 6
"""Letters that a block must have before it is worth anything: menus are many short blocks. On 35 pages marked by hand 3 to 10 do
the same; from 20 on, texts with a ``<br>`` at the end of every line are lost."""
LINKED = 0.5  # share of a block's letters in links over which it is not text
EDGE = 3  # most lines that are added before the stretch: a dateline, a form of address
LONG = 100  # letters over which a block is text whatever it says


def worth(block: Block) -> float:
    """What a block adds to a text: its letters minus :data:`COST`; half of them if it does not end like a sentence; a loss for
    links, boilerplate and furniture, at most :data:`COST` and its letters. Code is worth at most :data:`LONG`, formulas and
    tables, which stand beside texts as well, nothing.

    >>> line = "各支部开展主题党日活动，学习党章党规。"
    >>> worth(Block(line, 17, 0, 0, "", "p", False)), worth(Block("首页", 2, 2, 1, "/", "li", False))
    (11, -8)
    """
    if block.furniture or block.link_share > LINKED:
        return -COST - block.letters
    if block.kind in VERBATIM:
        return max(0.0, min(block.letters / 2, LONG) - COST) if block.kind == "code" else 0.0
    return line_worth(block.text, block.letters) - 2 * block.linked


def line_worth(line: str, letters: int) -> float:
    """:func:`worth` of a line of so many letters without links."""
    if letters > LONG:
        return letters - COST
    if _is_boilerplate(line):
        return -COST - letters
    return (letters if is_sentence(line) else letters / 2) - COST


def text_worth(text: str, linked: Iterable[str] = ()) -> float:
    """Sum of the worths of the lines of ``text``; those in ``linked`` are links.

    >>> text_worth("首页\\n各支部开展主题党日活动，学习党章党规。", ["首页"])
    3.0
    """
    links = set(linked)
    total = 0.0
    for line in _lines(unmarked(text).splitlines()).splitlines():
        letters = count_letters(line)
        total += -COST - letters if line in links else line_worth(line, letters)
    return total


def densest(blocks: Sequence[Block]) -> list[Block]:
    """The stretch of ``blocks`` that is worth most, and at most :data:`EDGE` lines before it that may be text, without links and
    furniture; empty if none is worth anything.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><a href='/'>首页</a><div>各支部开展主题党日活动。</div><p><a href='/b'>另一条新闻</a></p></div>")
    >>> [block.text for block in densest(read_blocks(page))]
    ['各支部开展主题党日活动。']
    """
    best = total = 0.0
    start = first = last = 0
    for place, block in enumerate(blocks):
        if total <= 0:
            total, start = 0.0, place
        total += worth(block)
        if total > best:
            best, first, last = total, start, place + 1
    if not best:
        return []
    begin = first
    while first > 0 and begin - first < EDGE and _may_be_text(blocks[first - 1]):
        first -= 1
    return [block for block in blocks[first:last] if block.link_share <= LINKED and not block.furniture]


def _may_be_text(block: Block) -> bool:
    return block.link_share <= LINKED and not (block.furniture or block.tag in HEADINGS or _is_boilerplate(block.text))


@lru_cache(maxsize=10_000)  # the pages of a site share their menus and footers
def _is_boilerplate(line: str) -> bool:
    return _cleaner().kind(line) is not None


@cache
def _cleaner() -> Cleaner:
    return Cleaner()


# -- Old-style pages
#
# Extractors look for paragraphs, but many Chinese news and government pages are laid out with tables and end lines with <br>;
# trafilatura then returns table rows, or the body with its menus. So layout tables become <div>, and text between <br> <p>.

_LAYOUT_TABLES = XPath("descendant-or-self::table[not(@data-kind)][.//table or .//p or .//h1 or .//td[count(.//br) > 1]]")
"""Tables with block content in their cells; a table of figures has none."""
_CELLS = ("tbody", "thead", "tfoot", "tr", "td", "th")
_CONTENT_BLOCKS = ("div", "td", "article", "section", "main", "body")
_INLINE = frozenset(
    {"a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "img", "label", "mark", "q", "s", "small", "span", "strong"}
    | {"sub", "sup", "time", "u"}
)
_HAS_BLOCK = XPath("boolean(.//p | .//div | .//table)")


def to_paragraphs(tree: HtmlElement) -> HtmlElement:
    """Turn layout tables and ``<br>``-separated text of ``tree`` into divisions and paragraphs, in place.

    >>> from lxml.html import fromstring, tostring
    >>> page = fromstring("<table><tr><td>第一段<br><br>第二段<b>重点</b></td></tr></table>")
    >>> tostring(to_paragraphs(page), encoding="unicode")
    '<div><div><div><p>第一段</p><p>第二段<b>重点</b></p></div></div></div>'
    """
    layout = set(cast("list[HtmlElement]", _LAYOUT_TABLES(tree)))
    for cell in list(tree.iter(*_CELLS)):
        if next(cell.iterancestors("table"), None) in layout:
            cell.tag = "div"
    for table in layout:
        table.tag = "div"
    for block in list(tree.iter(*_CONTENT_BLOCKS)):
        if sum(child.tag == "br" for child in block) > 1:  # one alone breaks a heading or an address
            _split_at_breaks(block)
    return tree


def _split_at_breaks(block: HtmlElement) -> None:
    parts: list[HtmlElement] = []
    paragraph: HtmlElement | None = None

    def open_paragraph() -> HtmlElement:
        nonlocal paragraph
        if paragraph is None:
            paragraph = Element("p")
            parts.append(paragraph)
        return paragraph

    def add_text(text: str | None) -> None:
        if text and text.strip():
            target = open_paragraph()
            if len(target):
                target[-1].tail = (target[-1].tail or "") + text
            else:
                target.text = (target.text or "") + text

    add_text(block.text)
    block.text = None
    for child in list(block):
        tail, child.tail = child.tail, None
        if child.tag == "br":
            paragraph = None
        elif child.tag in _INLINE and not _HAS_BLOCK(child):
            open_paragraph().append(child)
        elif isinstance(child.tag, str):  # not a comment
            paragraph = None
            parts.append(child)
        add_text(tail)
    block[:] = parts


# -- The extractors: from a normalised page to a text, one paragraph a line

JUSTEXT_SHORT, JUSTEXT_LONG = 10, 40
"""Characters under which jusText judges a paragraph by its neighbours, and over which it may be text by itself: a Chinese
character says as much as two or three letters."""
JUSTEXT_SOME, JUSTEXT_MANY = 0.01, 0.03  # shares of STOP_CHARACTERS that make a paragraph nearly text, and text
JUSTEXT_LINKS = 0.3  # share of a paragraph's characters in links over which jusText drops it
STOP_CHARACTERS = frozenset(  # frequent in running Chinese text, rare in menus
    "的一是不了在人有我他这個个這们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過后後用所然"
)

_NO_XML = re.compile(  # the end of a page in mid-page, and control characters written as numbers, which no XML may hold
    r"</(?:html|body)\s*>|&#0*(?:[0-8]|1[124-9]|2[0-9]|3[01])\b;?|&#x0*(?:1?[0-8bcef]|19|1[ad])\b;?", re.IGNORECASE
)


def parse(html: str) -> HtmlElement | None:
    """The tree of a page, however broken; None for an empty one.

    >>> parse("<text id='a'><p>党建</p></html><p>支部").findtext(".//p[2]")
    '支部'
    """
    from trafilatura import load_html

    # XML has neither lone surrogates nor NUL. The parser ignores a body after </html>, as some themes have it.
    clean = unmarked(_NO_XML.sub("", html.encode("utf-8", "replace").decode().replace("\0", "")))
    tree: HtmlElement | None = load_html(clean)
    if tree is None and "<" in clean:  # trafilatura refuses pages in an unknown envelope
        tree = document_fromstring(clean)
    return tree


def trafilatura(tree: HtmlElement) -> str:
    """By trafilatura, with options measured by character 4-gram F1 on 35 real Chinese pages of 2005-2022 (mean .84 with its
    defaults, .91 so) and on news pages laid out with a table and ``<br>`` (.86 and .98):

    * layout tables and ``<br>`` become paragraphs (:func:`to_paragraphs`); other tables (link lists, figures) are left out;
    * ``fast``: without its own fallback extractors, which added .003;
    * a text of 100 characters is enough (``MIN_EXTRACTED_SIZE``; the default of 250 is meant for alphabetic scripts);
    * not ``favor_precision``: it loses .09, most of it complete articles.
    """
    from trafilatura import bare_extraction

    document = bare_extraction(
        to_paragraphs(deepcopy(tree)),
        fast=True,
        include_comments=False,
        include_tables=False,
        with_metadata=False,
        config=_config(),
    )
    # The type allows a dict for a deprecated option that is not used here.
    return "" if document is None or isinstance(document, dict) else (document.text or "").strip()


def density(tree: HtmlElement) -> str:
    """By :func:`densest`."""
    return _lines(block.text for block in densest(read_blocks(tree)))


def readability(tree: HtmlElement) -> str:
    """By readability-lxml."""
    from readability import Document

    return _lines(block.text for block in read_blocks(document_fromstring(Document(_source(tree)).summary())))


def resiliparse(tree: HtmlElement) -> str:
    """By resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(
        _source(tree), main_content=True, alt_texts=False, links=False, form_fields=False, list_bullets=False
    )
    return _lines(text.splitlines())


def justext(tree: HtmlElement) -> str:
    """By jusText with thresholds and stop characters for Chinese: its own count words between spaces."""
    from justext.core import classify_paragraphs, preprocessor, revise_paragraph_classification

    paragraphs = _chinese_maker().make_paragraphs(preprocessor(deepcopy(tree)))
    classify_paragraphs(paragraphs, STOP_CHARACTERS, JUSTEXT_SHORT, JUSTEXT_LONG, JUSTEXT_SOME, JUSTEXT_MANY, JUSTEXT_LINKS)
    revise_paragraph_classification(paragraphs)
    return _lines(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def _source(tree: HtmlElement) -> str:
    return str(tostring(tree, encoding="unicode"))


FALLBACKS: Mapping[str, Callable[[HtmlElement], str]] = {
    "density": density,
    "readability": readability,
    "resiliparse": resiliparse,
    "justext": justext,
}
"""Extractors for pages where trafilatura's text is in doubt, by their names."""


@cache
def _config() -> ConfigParser:
    from trafilatura.settings import use_config

    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "100")
    return config


@cache
def _chinese_maker() -> Any:
    from justext.core import Paragraph, ParagraphMaker

    class ChineseParagraph(Paragraph):  # type: ignore[misc]
        def stopwords_density(self, stopwords: Iterable[str]) -> float:
            text: str = self.text
            return sum(character in stopwords for character in text) / len(text) if text else 0.0

    class Maker(ParagraphMaker):  # type: ignore[misc]
        paragraph: Any

        def _start_new_pragraph(self) -> None:  # the library's spelling
            if self.paragraph and self.paragraph.contains_text():
                self.paragraphs.append(self.paragraph)
            self.paragraph = ChineseParagraph(self.path)

    return Maker


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(folded for line in lines if (folded := " ".join(line.split())))


# -- The choice

MIN_SHARE = 0.25  # share of the page's prose that trafilatura's text must be worth not to be in doubt
MIN_WORTH = 0.5  # share of the best candidate's worth that a candidate must have to be chosen
MAX_COMPARED = 50_000  # characters of a candidate that are compared with the others


def main_text(tree: HtmlElement, blocks: Sequence[Block]) -> tuple[list[Block], str]:
    """The blocks of the main text of a normalised page, whose ``blocks`` are given, and the name of its extractor; [] and "" if
    there is none. The tree is not changed. Raises ValueError where an extractor failed and no other found a text."""
    failed: list[Exception] = []
    page = marked(tree, blocks)

    def ask(extractor: Callable[[HtmlElement], str]) -> str:
        try:
            return extractor(page)
        except Exception as error:  # third-party parsers on pages from anywhere
            failed.append(error)
            return ""

    linked = links_of(blocks)
    first, name = ask(trafilatura), "trafilatura"
    candidates = {name: first}
    if not first or is_doubtful(text_worth(first, linked), prose_of(blocks)):
        candidates |= {name: ask(extractor) for name, extractor in FALLBACKS.items()}
        name = choose(candidates, {name: text_worth(text, linked) for name, text in candidates.items()})
    if not name and failed:
        raise ValueError(f"no text, and {len(failed)} extractors failed") from failed[0]
    return (whole(blocks, candidates[name]), name) if name else ([], "")


def links_of(blocks: Sequence[Block]) -> set[str]:
    """The lines of a page that are links."""
    return {block.text for block in blocks if block.link_share > LINKED}


def prose_of(blocks: Sequence[Block]) -> float:
    """Worth of all running text of a page."""
    return sum(max(0.0, worth(block)) for block in blocks)


def is_doubtful(value: float, prose: float, min_share: float = MIN_SHARE) -> bool:
    """Whether a text worth ``value`` is too little for a page with running text worth ``prose``.

    >>> is_doubtful(300, 400), is_doubtful(0, 0)
    (False, True)
    """
    return value <= 0 or value < min_share * prose


def choose(candidates: Mapping[str, str], worths: Mapping[str, float], min_worth: float = MIN_WORTH) -> str:
    """Name of the candidate that agrees most with the others, of equals the first; "" if none is worth anything. ``candidates``
    are texts and ``worths`` what they are worth, by extractor; one must have the share ``min_worth`` of the greatest worth.

    >>> a, b, c = "各支部开展主题党日活动。", "首页 各支部开展主题党日活动。", "热点排行"
    >>> choose({"a": c, "b": a, "c": b}, {"a": 3.0, "b": 9.0, "c": 8.0})
    'b'
    """
    best = max(worths.values(), default=0.0)
    able = [name for name, value in worths.items() if value > 0 and value >= min_worth * best]
    grams = {name: _pairs(candidates[name]) for name in able}
    return max(able, key=lambda name: sum(_f1(grams[name], grams[other]) for other in able), default="")


def _pairs(text: str) -> Counter[str]:
    return Counter(map("".join, pairwise("".join(unmarked(text[:MAX_COMPARED]).split()))))


def _f1(a: Counter[str], b: Counter[str]) -> float:
    return 2 * (a & b).total() / max(1, a.total() + b.total())


# -- From a text back to the blocks of its page

_FIRST_MARK, _MARK_COUNT = 0xE0100, 240  # variation selectors: printable, no letters, in no text of the web
_MARKS = re.compile("[\U000e0100-\U000e01ef]+")
_MARK = re.compile("([\U000e0100-\U000e01ef])([\U000e0100-\U000e01ef])")


def marked(tree: HtmlElement, blocks: Sequence[Block]) -> HtmlElement:
    """A copy of ``tree`` in which the text of each of its ``blocks`` begins with two invisible characters, its number.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><h1>党建</h1>各支部</div>")
    >>> text = marked(page, read_blocks(page)).text_content()
    >>> blocks_in(text), unmarked(text), len(text), page.text_content()
    ([0, 1], '党建各支部', 9, '党建各支部')
    """
    before = []
    for number, block in enumerate(blocks):
        if (element := block.element) is None:
            continue
        text = (element.tail if block.in_tail else element.text) or ""
        before.append((element, block.in_tail, text))
        place = len(text) - len(text.lstrip())
        mark = chr(_FIRST_MARK + number // _MARK_COUNT) + chr(_FIRST_MARK + number % _MARK_COUNT)
        _set_text(element, block.in_tail, text[:place] + mark + text[place:])
    try:
        return deepcopy(tree)
    finally:
        for element, in_tail, text in before:
            _set_text(element, in_tail, text)


def _set_text(element: HtmlElement, in_tail: bool, text: str) -> None:
    if in_tail:
        element.tail = text
    else:
        element.text = text


def blocks_in(text: str) -> list[int]:
    """The numbers of the blocks whose beginnings a text of a marked page holds, in its order."""
    return [(ord(high) - _FIRST_MARK) * _MARK_COUNT + ord(low) - _FIRST_MARK for high, low in _MARK.findall(text)]


def unmarked(text: str) -> str:
    """``text`` without marks."""
    return _MARKS.sub("", text)


LEADS_IN = (":", "：")  # ends of a line that speaks of the code, the formula or the table behind it


def whole(blocks: Sequence[Block], text: str) -> list[Block]:
    """The blocks that a ``text`` of the marked page holds, and what belongs to them: code, formulas, tables, items and captions
    between the first and the last of them; code, formulas and tables right behind; the headings of all these. Lines that are in
    no block are kept as paragraphs."""
    chosen: set[int] = set()
    others: dict[int, list[Block]] = {}  # lines that are in no block, by the block before them
    here, rest = -1, ""  # the last block, and what it says, of which a line may be a part
    for line in text.splitlines():
        if found := [number for number in blocks_in(line) if number < len(blocks)]:
            chosen.update(found)
            here, rest = found[-1], _bare(blocks[found[-1]].text)
        elif (bare := unmarked(line).strip()) and (here < 0 or blocks[here].kind not in VERBATIM) and _bare(bare) not in rest:
            others.setdefault(here, []).append(Block(bare, count_letters(bare), 0, 0, "", "p", False))
    texts = [number for number in chosen if blocks[number].link_share <= LINKED]
    if texts:  # no text begins or ends with links
        chosen &= set(range(min(texts), max(texts) + 1))
    if not chosen:
        return others.get(-1, [])
    last = max(chosen)
    for number in range(last + 1, len(blocks)):
        block = blocks[number]
        if block.kind in VERBATIM and _belongs(block):
            last = number
        elif block.furniture or not (block.kind == "heading" or block.text.endswith(LEADS_IN)) or block.link_share > LINKED:
            break
        elif block.kind != "heading":
            chosen.add(number)
    kept: list[Block] = []
    heads = False  # whether the block behind, headings left out, is kept
    for number in range(last, min(chosen) - 1, -1):
        block = blocks[number]
        kept += reversed(others.get(number, []))
        keep = (number in chosen) or (heads if block.kind == "heading" else _belongs(block))
        if keep:
            kept.append(block)
        heads = keep if block.kind != "heading" else heads
    return others.get(-1, []) + kept[::-1]


def _belongs(block: Block) -> bool:
    if block.furniture or block.link_share > LINKED:
        return False
    return block.kind in VERBATIM or (block.kind in ("item", "caption") and worth(block) > 0)


def _bare(text: str) -> str:
    return "".join(text.split())
