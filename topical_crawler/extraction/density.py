"""The main text by the density of prose: the stretch of a page's blocks that holds most running text and least of anything else.

After the idea of text density in Sun, Song, Liao: DOM Based Content Extraction via Text Density, SIGIR 2011, and of the maximal
subsequence in Pasternack, Roth: Extracting Article Text from the Web with Maximum Subsequence Segmentation, WWW 2009: every block
has a worth, and the stretch of neighbouring blocks whose worths add up to most is the text. It needs no paragraphs and no class
names, so tables, ``<br>`` and bare text are all one to it, and two lines are as good as a hundred.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from topical_crawler.cleaning.boilerplate import Cleaner
from topical_crawler.extraction.blocks import Block, is_sentence, letters

COST = 6
"""Letters that a block must have before it is worth anything: menus are many short blocks. By 35 pages whose texts were marked by
hand anything from 3 to 10 does the same, and from 20 on texts with a ``<br>`` at the end of every line are lost."""
LINKED = 0.5
"""Share of a block's letters in links from which on it is a link and not text."""
EDGE = 3
"""Short lines that are taken in before the stretch, at most: a dateline, a form of address."""
LONG = 100
"""Letters over which a block is text whatever it says."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def worth(block: Block) -> float:
    """What a block adds to a text: its letters, half of them where it does not end as a sentence does, and a loss for links,
    boilerplate and the page's furniture. At least minus :data:`COST` and its letters.

    >>> line = "各支部开展主题党日活动，学习党章党规。"
    >>> worth(Block(line, 17, 0, 0, "", "p", False)), worth(Block("首页", 2, 2, 1, "/", "li", False))
    (11, -8)
    """
    if block.furniture or block.link_share > LINKED:
        return -COST - block.letters
    return line_worth(block.text, block.letters) - 2 * block.linked


def line_worth(line: str, count: int | None = None) -> float:
    """:func:`worth` of a line without links, of which ``count`` letters are known."""
    count = letters(line) if count is None else count
    if count > LONG:
        return count - COST
    if _is_boilerplate(line):
        return -COST - count
    return (count if is_sentence(line) else count / 2) - COST


def text_worth(text: str, linked: Iterable[str] = ()) -> float:
    """Sum of the worths of the lines of ``text``; those in ``linked`` are links.

    >>> text_worth("首页\\n各支部开展主题党日活动，学习党章党规。", ["首页"])
    3.0
    """
    links = set(linked)
    total = 0.0
    for line in map(" ".join, map(str.split, text.splitlines())):
        if line:
            total += -COST - letters(line) if line in links else line_worth(line)
    return total


def densest(blocks: Sequence[Block]) -> list[Block]:
    """The stretch of ``blocks`` that is worth most, with at most :data:`EDGE` lines before it that may be text, without
    what in it is links or furniture; empty where none is worth anything.

    >>> from lxml.html import fromstring
    >>> from topical_crawler.extraction.blocks import read_blocks
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
    return block.link_share <= LINKED and not (block.furniture or block.tag in _HEADINGS or _is_boilerplate(block.text))


@lru_cache(maxsize=10_000)  # the pages of a site share their menus and footers
def _is_boilerplate(line: str) -> bool:
    return _cleaner().kind(line) is not None


@cache
def _cleaner() -> Cleaner:
    return Cleaner()
