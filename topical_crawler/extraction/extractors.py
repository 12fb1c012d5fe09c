"""The main text of a page: its blocks, five extractors, and the choice between them.

trafilatura's text is taken unless it is in doubt: there is none, or it is worth little beside all running text of the page
(:func:`text_worth`). Then, of all texts that are worth enough, the one that agrees most with the others is taken: extractors fail
on different pages and in different ways. Libraries are imported where they are called: only the workers need them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from configparser import ConfigParser
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import Any, cast

from lxml.etree import XPath, iterwalk
from lxml.html import Element, HtmlElement, document_fromstring

from topical_crawler.cleaning.boilerplate import Cleaner
from topical_crawler.cleaning.characters import count_letters

MAX_BLOCKS = 20_000  # most blocks that are read of a page
SENTENCE_ENDS = "。！？；…”』」.!?;：:）)"  # what a line of running text ends in

_SPACE = re.compile(r"\s+")
_UNSEEN = frozenset(
    ("script", "style", "noscript", "template", "select", "textarea", "button", "head", "svg", "iframe", "object")
)
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "figcaption", "figure"),
        *("footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section"),
        *("table", "tbody", "td", "th", "tr", "ul"),
    )
)
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


@dataclass(frozen=True, slots=True)
class Block:
    """A line of the page as it is seen: text between two ends of block elements or ``<br>``."""

    text: str  # white space folded; never empty
    letters: int  # number of letters and digits
    linked: int  # number of those in links
    links: int  # number of links
    href: str  # address of the first link as written, "" without one
    tag: str  # the innermost heading around it (`h1` … `h6`), else the innermost block element, e.g. `p`, `li`
    furniture: bool  # whether it is inside `nav`, `footer` or `aside`

    @property
    def link_share(self) -> float:
        """Share of the letters in links, 0 to 1.

        >>> Block("首页", 2, 2, 1, "/", "li", False).link_share
        1.0
        """
        return self.linked / self.letters if self.letters else float(self.links > 0)


def read_blocks(tree: HtmlElement) -> list[Block]:
    """The blocks of ``tree`` in order, at most :data:`MAX_BLOCKS`. The tree is not changed.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><h1>党建</h1>第一段<br>第二<b>段</b><ul><li><a href='/'>首页</a></ul><script>x</script></div>")
    >>> [(block.tag, block.text, block.linked) for block in read_blocks(page)]
    [('h1', '党建', 0), ('div', '第一段', 0), ('div', '第二段', 0), ('li', '首页', 2)]
    """
    return list(islice(_walk(tree), MAX_BLOCKS))


def is_sentence(text: str) -> bool:
    """Whether a line ends as running text does.

    >>> is_sentence("各支部开展学习。"), is_sentence("关于我们")
    (True, False)
    """
    return text.rstrip("　 \"'’").endswith(tuple(SENTENCE_ENDS))


def _walk(tree: HtmlElement) -> Iterator[Block]:
    parts: list[str] = []
    stack: list[str] = ["body"]
    linked = links = in_link = furniture = 0
    href = ""

    def flush() -> Iterator[Block]:
        nonlocal linked, links, href
        text = _SPACE.sub(" ", "".join(parts)).strip()
        if text:
            heading = next((tag for tag in reversed(stack[-4:]) if tag in HEADINGS), stack[-1])
            yield Block(text, count_letters(text), linked, links, href, heading, furniture > 0)
        parts.clear()
        if text or not in_link:  # a link around blocks belongs to the first of them that has text
            linked, links, href = 0, 0, ""

    walk = iterwalk(tree, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        tag = element.tag
        if event == "end":
            if tag in _BLOCKS:
                yield from flush()
                if tag != "br":
                    stack.pop()
            if tag == "a":
                in_link -= 1
            elif tag in ("nav", "footer", "aside"):
                furniture -= 1
        elif event == "start":
            if tag in _UNSEEN:
                walk.skip_subtree()
            else:
                if tag in _BLOCKS:
                    yield from flush()
                    if tag != "br":
                        stack.append(tag)
                if tag == "a":
                    in_link += 1
                    if element.get("href"):
                        links += 1
                        href = href or element.get("href", "")
                elif tag in ("nav", "footer", "aside"):
                    furniture += 1
                if element.text:
                    parts.append(element.text)
                    if in_link:
                        linked += count_letters(element.text)
        if event != "start" and element is not tree and element.tail:
            parts.append(element.tail)
            if in_link:
                linked += count_letters(element.tail)
    yield from flush()


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
    links, boilerplate and furniture, at most :data:`COST` and its letters.

    >>> line = "各支部开展主题党日活动，学习党章党规。"
    >>> worth(Block(line, 17, 0, 0, "", "p", False)), worth(Block("首页", 2, 2, 1, "/", "li", False))
    (11, -8)
    """
    if block.furniture or block.link_share > LINKED:
        return -COST - block.letters
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
    for line in _lines(text.splitlines()).splitlines():
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

_LAYOUT_TABLES = XPath("descendant-or-self::table[.//table or .//p or .//h1 or .//td[count(.//br) > 1]]")
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


# -- The extractors: from a page to a text, one paragraph a line

JUSTEXT_SHORT, JUSTEXT_LONG = 10, 40
"""Characters under which jusText judges a paragraph by its neighbours, and over which it may be text by itself: a Chinese
character says as much as two or three letters."""
JUSTEXT_SOME, JUSTEXT_MANY = 0.01, 0.03  # shares of STOP_CHARACTERS that make a paragraph nearly text, and text
JUSTEXT_LINKS = 0.3  # share of a paragraph's characters in links over which jusText drops it
STOP_CHARACTERS = frozenset(  # frequent in running Chinese text, rare in menus
    "的一是不了在人有我他这個个這们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過后後用所然"
)

_END_TAGS = re.compile(r"</(?:html|body)\s*>", re.IGNORECASE)


def parse(html: str) -> HtmlElement | None:
    """The tree of a page, however broken; None for an empty one.

    >>> parse("<text id='a'><p>党建</p></html><p>支部").findtext(".//p[2]")
    '支部'
    """
    from trafilatura import load_html

    # XML has neither lone surrogates nor NUL. The parser ignores a body after </html>, as some themes have it.
    clean = _END_TAGS.sub("", html.encode("utf-8", "replace").decode().replace("\0", ""))
    tree: HtmlElement | None = load_html(clean)
    if tree is None and "<" in clean:  # trafilatura refuses pages in an unknown envelope
        tree = document_fromstring(clean)
    return tree


def trafilatura(html: str, tree: HtmlElement) -> str:
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


def density(html: str, tree: HtmlElement) -> str:
    """By :func:`densest`."""
    return _lines(block.text for block in densest(read_blocks(tree)))


def readability(html: str, tree: HtmlElement) -> str:
    """By readability-lxml."""
    from readability import Document

    return _lines(block.text for block in read_blocks(document_fromstring(Document(html).summary())))


def resiliparse(html: str, tree: HtmlElement) -> str:
    """By resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(html, main_content=True, alt_texts=False, links=False, form_fields=False, list_bullets=False)
    return _lines(text.splitlines())


def justext(html: str, tree: HtmlElement) -> str:
    """By jusText with thresholds and stop characters for Chinese: its own count words between spaces."""
    from justext.core import classify_paragraphs, preprocessor, revise_paragraph_classification

    paragraphs = _chinese_maker().make_paragraphs(preprocessor(deepcopy(tree)))
    classify_paragraphs(paragraphs, STOP_CHARACTERS, JUSTEXT_SHORT, JUSTEXT_LONG, JUSTEXT_SOME, JUSTEXT_MANY, JUSTEXT_LINKS)
    revise_paragraph_classification(paragraphs)
    return _lines(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


FALLBACKS: Mapping[str, Callable[[str, HtmlElement], str]] = {
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


def main_text(html: str, tree: HtmlElement, blocks: Sequence[Block]) -> tuple[str, str]:
    """The main text of a page and the name of its extractor; "" and "" if there is none. The tree is not changed. Raises
    ValueError where an extractor failed and no other found a text."""
    failed: list[Exception] = []

    def ask(extractor: Callable[[str, HtmlElement], str]) -> str:
        try:
            return extractor(html, tree)
        except Exception as error:  # third-party parsers on pages from anywhere
            failed.append(error)
            return ""

    linked = links_of(blocks)
    first = ask(trafilatura)
    if first and not is_doubtful(text_worth(first, linked), prose_of(blocks)):
        return first, "trafilatura"
    candidates = {"trafilatura": first} | {name: ask(extractor) for name, extractor in FALLBACKS.items()}
    name = choose(candidates, {name: text_worth(text, linked) for name, text in candidates.items()})
    if not name and failed:
        raise ValueError(f"no text, and {len(failed)} extractors failed") from failed[0]
    return candidates.get(name, ""), name


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
    return Counter(map("".join, pairwise("".join(text[:MAX_COMPARED].split()))))


def _f1(a: Counter[str], b: Counter[str]) -> float:
    return 2 * (a & b).total() / max(1, a.total() + b.total())
