"""Old-style pages brought into the form that text extraction expects.

Extractors look for paragraphs. Many Chinese news and government pages have none: they lay the page out with tables and end lines
with ``<br>``. trafilatura then returns whole table rows, or the text of the complete body, menus included. Here layout tables
become ``<div>`` and runs of text between ``<br>`` become ``<p>``; no text is taken away.
"""

from __future__ import annotations

from typing import cast

from lxml.etree import XPath
from lxml.html import Element, HtmlElement

_LAYOUT_TABLES = XPath("descendant-or-self::table[.//table or .//p or .//h1 or .//td[count(.//br) > 1]]")
"""A table with block content in its cells; a table of figures has none of it."""
_CELLS = ("tbody", "thead", "tfoot", "tr", "td", "th")
_BLOCKS = ("div", "td", "article", "section", "main", "body")
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
    for block in list(tree.iter(*_BLOCKS)):
        # One <br> alone breaks a heading or an address; a text set with <br> has more of them.
        if sum(child.tag == "br" for child in block) > 1:
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
