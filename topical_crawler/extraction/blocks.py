"""A page as the blocks of text that a reader sees, in their order: what every question about its form is answered from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import iterwalk
from lxml.html import HtmlElement

MAX_BLOCKS = 20_000
"""Most blocks that are read of a page."""
SENTENCE_ENDS = "。！？；…”』」.!?;：:）)"
"""What a line of running text ends in."""

_SPACE = re.compile(r"\s+")
_NOT_LETTERS = re.compile(r"[\W_]+")
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
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


@dataclass(frozen=True, slots=True)
class Block:
    """A line of the page as it is seen: text between two ends of block elements or ``<br>``.

    Attributes:
        text: white space folded; never empty.
        letters: letters and digits of it.
        linked: how many of them stand in links.
        links: number of links in it.
        href: address of the first link as written, "" without one.
        tag: the innermost heading it stands in (``h1`` … ``h6``), else the innermost block element, e.g. ``p``, ``li``.
        furniture: whether it stands in an element that is no text by its name (``nav``, ``footer``, ``aside``).
    """

    text: str
    letters: int
    linked: int
    links: int
    href: str
    tag: str
    furniture: bool

    @property
    def link_share(self) -> float:
        """Share of the letters that stand in links, 0 to 1.

        >>> Block("首页", 2, 2, 1, "/", "li", False).link_share
        1.0
        """
        return self.linked / self.letters if self.letters else float(self.links > 0)


def read_blocks(tree: HtmlElement) -> list[Block]:
    """The blocks of ``tree`` in the order of the page, :data:`MAX_BLOCKS` at most. The tree is not changed.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><h1>党建</h1>第一段<br>第二<b>段</b><ul><li><a href='/'>首页</a></ul><script>x</script></div>")
    >>> [(block.tag, block.text, block.linked) for block in read_blocks(page)]
    [('h1', '党建', 0), ('div', '第一段', 0), ('div', '第二段', 0), ('li', '首页', 2)]
    """
    blocks: list[Block] = []
    for block in _walk(tree):
        blocks.append(block)
        if len(blocks) >= MAX_BLOCKS:
            break
    return blocks


def letters(text: str) -> int:
    """Number of letters and digits.

    >>> letters("党建，2024！")
    6
    """
    return len(_NOT_LETTERS.sub("", text))


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

    def flush() -> Block | None:
        nonlocal linked, links, href
        text = _SPACE.sub(" ", "".join(parts)).strip()
        found = None
        if text:
            heading = next((tag for tag in reversed(stack[-4:]) if tag in _HEADINGS), stack[-1])
            found = Block(text, letters(text), linked, links, href, heading, furniture > 0)
        parts.clear()
        if found or not in_link:  # a link around blocks belongs to the first of them that has text
            linked, links, href = 0, 0, ""
        return found

    walk = iterwalk(tree, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        tag = element.tag
        if event == "end":
            if tag in _BLOCKS:
                if (block := flush()) is not None:
                    yield block
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
                    if (block := flush()) is not None:
                        yield block
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
                        linked += letters(element.text)
        if event != "start" and element is not tree and element.tail:
            parts.append(element.tail)
            if in_link:
                linked += letters(element.tail)
    if (block := flush()) is not None:
        yield block
