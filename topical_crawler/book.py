"""Pages of bookshops and libraries: a book's title and introduction, and what is a list of books (Zhang et al., section 4).

>>> html = "<title>数据挖掘导论</title><h1>数据挖掘导论</h1><h3>内容简介</h3><p>本书讲聚类与分类。</p><h3>目录</h3>"
>>> read_book(Page.from_html("http://a.cn/book/1", html))
Book(title='数据挖掘导论', introduction='本书讲聚类与分类。')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode

from topical_crawler.book_lists import in_series, is_next_page, is_search
from topical_crawler.page import Page, bounded, full_text

MAX_INTRODUCTION = 3000
"""Longest introduction kept, in characters."""
LINK_SHARE = 0.5
"""A page is a list when its anchors have at least this many characters to one of its text: of 1,580 real pages, 75 % of the lists
and labels do, and 5 % of the articles."""
FEWEST_LINKS = 5
"""Links that a list has at least."""

Kind = Literal["book", "list", "page"]

_INTRODUCTIONS = ("内容简介", "内容提要", "内容介绍", "图书简介", "简介")
_SECTIONS = frozenset(
    (
        *_INTRODUCTIONS,
        *("目录", "图书目录", "作者简介", "作者介绍", "关于作者", "编辑推荐", "推荐语", "前言", "序言", "后记", "精彩书摘"),
        *("书摘", "在线试读", "试读", "媒体评论", "名人推荐", "读者评论", "商品评论", "商品评价", "书评", "短评", "评论"),
        *("评价", "商品介绍", "商品详情", "规格参数", "出版信息", "基本信息", "图书信息", "馆藏信息", "售后保障", "相关推荐"),
        *("相关图书", "猜你喜欢", "买了又买", "看了又看", "丛书信息", "原文摘录", "产品特色", "版权信息"),
    )
)
_MENTIONED = re.compile("简介|内容提要|内容介绍")
_DECORATION = re.compile(r"[\s【】\[\]()（）《》:：·•…|▼▸◆■—\-]+")
_INLINE = re.compile(r"\s*[【\[]?(?:内容简介|内容提要|内容介绍|图书简介|简介)[】\]]?\s*[:：】]\s*(?=\S)")
_SPACE = re.compile(r"\s+")
_SITE = re.compile(r"\s*[_|｜–—]\s*|\s+-\s+")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "legend"))
_UNSEEN = frozenset(("script", "style", "noscript", "template"))
_LEVELS = 5
_MOST_INTRODUCTIONS = 2
_MOST_LABELS = 20
_LONGEST_HEADING = 20


@dataclass(frozen=True, slots=True)
class Book:
    """What a detail page says of its book."""

    title: str
    introduction: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What is judged of a page.

    Attributes:
        kind: a ``book``'s page, a ``list`` that leads to others, or any other ``page``.
        title: of the book, else of the page.
        text: the book's introduction; of other pages the meta description and all visible text.
    """

    kind: Kind
    title: str
    text: str


def read_book(page: Page) -> Book | None:
    """The title and the introduction of a book; None for a page without an introduction, or with several (a list of books).

    The introduction is what follows one of the headings 内容简介, 内容提要, 内容介绍, 图书简介, 简介, up to the next heading: in
    the same paragraph, in the next block, in a list of definitions or a table, or in the panel of a tab.
    """
    if not _MENTIONED.search(page.html):
        return None
    body = LexborHTMLParser(bounded(page.html.replace("\0", ""))).body
    found: list[str] = []
    for node in islice(_labels(body), _MOST_LABELS) if body is not None else ():
        introduction = _introduction(node)
        if introduction and introduction not in found:
            found.append(introduction)
    if not 0 < len(found) <= _MOST_INTRODUCTIONS:
        return None
    return Book(_title(page), found[0][:MAX_INTRODUCTION])


def read(page: Page) -> Reading:
    """What a strategy for books reads of a page.

    >>> reading = read(Page("http://a.cn/search?keyword=x", title="数据挖掘 - 商品搜索", description="共三十本"))
    >>> reading.kind, reading.text
    ('list', '共三十本\\n数据挖掘 - 商品搜索\\n共三十本')
    """
    book = read_book(page)
    if book is not None:
        return Reading("book", book.title, book.introduction)
    text = full_text(page)
    kind: Kind = "list" if _is_list(page, text) else "page"
    return Reading(kind, page.title, f"{page.description}\n{text}".strip())


def _is_list(page: Page, text: str) -> bool:
    """Whether a page leads to others rather than says something itself: a search for a word, a list of more than one page, or a
    page whose links hold much of its text."""
    if is_search(page.url):
        return True
    if len(page.links) < FEWEST_LINKS:
        return False
    if any(is_next_page(link.anchor) and in_series(link.url, page.url) for link in page.links):
        return True
    return sum(len(link.anchor) for link in page.links) >= LINK_SHARE * len(text)


def _labels(body: LexborNode) -> Iterator[LexborNode]:
    """The text nodes that announce an introduction."""
    for node in _texts(body):
        text = node.text_content or ""
        if _plain(text) in _INTRODUCTIONS or _INLINE.match(text):
            yield node


def _introduction(label: LexborNode) -> str:
    """What ``label`` announces."""
    text = label.text_content or ""
    if start := _INLINE.match(text):
        return _SPACE.sub(" ", f"{text[start.end() :]} {_following(label)}").strip()
    heading = _whole(label)
    panel = _panel(heading)
    if panel is not None:
        return "" if panel is heading else _until_heading(_texts(panel))
    node: LexborNode | None = label
    for _ in range(_LEVELS):
        if node is None or node.tag == "body":
            break
        if text := _following(node):
            return text
        node = node.parent
    return ""


def _following(node: LexborNode) -> str:
    """The text after ``node`` within its parent, up to the next heading."""
    return _until_heading(text for sibling in _after(node) for text in _texts(sibling))


def _until_heading(nodes: Iterator[LexborNode]) -> str:
    said: list[str] = []
    for node in nodes:
        text = node.text_content or ""
        if _plain(text) in _SECTIONS or (said and _in_heading(node)):
            break
        if _plain(text):
            said.append(text.strip())
            if sum(map(len, said)) > MAX_INTRODUCTION:
                break
    return _SPACE.sub(" ", " ".join(said)).strip("：: ")


def _panel(heading: LexborNode) -> LexborNode | None:
    """The panel that belongs to ``heading`` where that is one of a row of tabs; the heading itself where no panel is found; None
    where it is no tab."""
    bar = heading.parent
    if bar is None:
        return None
    tabs = [node for node in bar.iter() if node.tag not in _UNSEEN]
    place = next(i for i, node in enumerate(tabs) if node.mem_id == heading.mem_id)
    if not any(node is not None and _said(node) in _SECTIONS for node in _beside(heading)):
        return None
    for node in (heading, *heading.css("[href], [data-target], [data-bs-target], [aria-controls]")):
        for name in ("href", "data-target", "data-bs-target", "aria-controls"):
            target = (node.attributes.get(name) or "").removeprefix("#")
            if re.fullmatch(r"[\w-]+", target) and (panel := _by_id(bar, target)) is not None:
                return panel
    level: LexborNode | None = bar
    for _ in range(2):
        if level is None:
            break
        panels = [node for node in _after(level) if node.is_element_node and node.tag not in _UNSEEN]
        for row in (panels, list(panels[0].iter()) if panels else []):
            if len(row) == len(tabs):
                return row[place]
        level = level.parent
    return heading


def _beside(node: LexborNode) -> tuple[LexborNode | None, LexborNode | None]:
    """The nodes before and after ``node``; blank text is none."""
    before, after = node.prev, node.next
    while before is not None and before.tag == "-text" and not (before.text_content or "").strip():
        before = before.prev
    while after is not None and after.tag == "-text" and not (after.text_content or "").strip():
        after = after.next
    return before, after


def _by_id(node: LexborNode, name: str) -> LexborNode | None:
    while node.parent is not None and node.tag != "body":
        node = node.parent
    return node.css_first(f'[id="{name}"]')


def _whole(label: LexborNode) -> LexborNode:
    """The highest element that says nothing but ``label``."""
    node = label.parent or label
    said = _plain(label.text_content or "")
    while node.parent is not None and node.parent.tag != "body" and _said(node.parent) == said:
        node = node.parent
    return node


def _said(node: LexborNode) -> str:
    """What a short element says; of a longer one only the beginning: it may hold half the page."""
    found = ""
    for text in _texts(node):
        found += _plain(text.text_content or "")
        if len(found) > _LONGEST_HEADING:
            break
    return found


def _in_heading(node: LexborNode) -> bool:
    parent = node.parent
    for _ in range(2):
        if parent is None:
            return False
        if parent.tag in _HEADINGS:
            return True
        parent = parent.parent
    return False


def _texts(node: LexborNode) -> Iterator[LexborNode]:
    """The text nodes that are seen of an element, in order; of a text node, itself."""
    if node.tag == "-text":
        yield node
        return
    for found in node.traverse(include_text=True):
        if found.tag == "-text" and (found.parent is None or found.parent.tag not in _UNSEEN):
            yield found


def _after(node: LexborNode) -> Iterator[LexborNode]:
    following = node.next
    while following is not None:
        yield following
        following = following.next


def _plain(text: str) -> str:
    return _DECORATION.sub("", text) if len(text) < 60 else text


def _title(page: Page) -> str:
    """The heading, where the page's title agrees with it, else the title without the name of the site."""
    if page.heading and (not page.title or page.heading in page.title):
        return page.heading
    return _SITE.split(page.title)[0] or page.heading
