"""Search pages, lists and pages of books: their parsing, and the rules of following links (Zhang et al., section 4).

The paper's crawler stays in one shop's search and gives links no priority. The rules for links are ours.

>>> html = "<title>数据挖掘导论</title><h1>数据挖掘导论</h1><h3>内容简介</h3><p>本书讲聚类与分类。</p><h3>目录</h3>"
>>> read_book(Page.from_html("http://a.cn/book/1", html))
Book(title='数据挖掘导论', introduction='本书讲聚类与分类。', publisher='')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

from selectolax.lexbor import LexborNode

from topical_crawler.web.page import Evidence, Page, full_text, parsed

_NEXT = re.compile(
    r"[\s‹›«»<>\[\]]*(?:下一?页|后一?页|next(?: page)?|older(?: posts?)?|[›»>]+|\d{1,4}|第\d+页)[\s‹›«»<>\[\]→]*", re.I
)
_NUMBER = re.compile(r"(?:[?&/_-]?(?:page(?:no|num)?|pn|p|index|list)[=/_-]?|[=/_-])?\d+", re.IGNORECASE)
_TAIL = re.compile(r"(?:/?index)?(?:\.s?html?|\.php)?[/?&]*$", re.IGNORECASE)
_SEARCH_PATH = re.compile(r"/(?:search|so|list|category|tag|tags|categories|archives)(?:[/._-]|$)", re.IGNORECASE)
_QUERIES = frozenset(("keyword", "keywords", "key", "q", "wd", "word", "kw", "query", "search", "search_text", "searchword"))


def is_search(url: str) -> bool:
    """Return True if a URL searches for a word or names a list.

    >>> [is_search(url) for url in ("http://a.cn/Search?keyword=%E4%B9%A6", "http://a.cn/book/7.html")]
    [True, False]
    """
    try:
        parts = urlsplit(url)
        return bool(_SEARCH_PATH.search(parts.path)) or any(k.lower() in _QUERIES for k, _ in parse_qsl(parts.query))
    except ValueError:
        return False


def is_next_page(anchor: str) -> bool:
    """Return True if an anchor leads to another page of a list: 下一页, a page number.

    >>> [is_next_page(anchor) for anchor in ("下一页 »", "3", "下一篇", "1984：一部小说")]
    [True, True, False, False]
    """
    return len(anchor) < 20 and _NEXT.fullmatch(anchor) is not None


def in_series(url: str, other: str) -> bool:
    """Return True if two URLs differ only in numbers, like those of the pages of one list.

    >>> in_series("http://a.cn/search?keyword=x&page=2", "http://a.cn/search?keyword=x")
    True
    >>> in_series("http://a.cn/blog/page/2/", "http://a.cn/blog/"), in_series("http://a.cn/book/2", "http://a.cn/blog/")
    (True, False)
    """
    return _series(url) == _series(other)


@lru_cache(maxsize=16_384)
def _series(url: str) -> str:
    return _TAIL.sub("", _NUMBER.sub("", url.partition("#")[0]))


# -- Pages of bookshops and libraries: a book's title and introduction, and lists of books

MAX_INTRODUCTION = 3000  # longest introduction kept, in characters
LINK_SHARE = 0.5  # least number of anchor characters per character of text in a list (experiments/notes/papers.md)
FEWEST_LINKS = 5  # least number of links in a list

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
_PUBLISHER = re.compile(r"出版(?:社|者|单位) ?[:：]? ?([^\s:：]{1,20}?(?:出版社|出版公司|出版集团|书局|书店|印书馆))")
_SITE = re.compile(r"\s*[_|｜–—]\s*|\s+-\s+")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "legend"))
_UNSEEN = frozenset(("script", "style", "noscript", "template"))
_LEVELS = 5
_MOST_INTRODUCTIONS = 2
_MOST_LABELS = 20
_LONGEST_HEADING = 20


@dataclass(frozen=True, slots=True)
class Book:
    """Book described by a detail page."""

    title: str
    introduction: str
    publisher: str = ""  # "" if not on the page


@dataclass(frozen=True, slots=True)
class Reading:
    """Parts of a page to judge."""

    kind: Kind  # a `book`'s page, a `list` of links, or any other `page`
    title: str  # of the book, else of the page
    text: str  # the book's introduction, or the meta description and all visible text of other pages
    publisher: str = ""  # of the book, "" if not on the page


def read_book(page: Page) -> Book | None:
    """Return the title and the introduction of a book. None for a page with no introduction, or with several (a list of books).

    The introduction follows one of the headings 内容简介, 内容提要, 内容介绍, 图书简介, 简介, up to the next heading: in the
    same paragraph, in the next block, in a list of definitions or a table, or in the panel of a tab.
    """
    if not _MENTIONED.search(page.html):
        return None
    body = parsed(page.html).body
    introductions: list[str] = []
    for node in islice(_labels(body), _MOST_LABELS) if body is not None else ():
        if (introduction := _introduction(node)) and introduction not in introductions:
            introductions.append(introduction)
    if not 0 < len(introductions) <= _MOST_INTRODUCTIONS:
        return None
    publisher = _PUBLISHER.search(_SPACE.sub(" ", body.text(separator=" "))) if body is not None else None
    return Book(_title(page), introductions[0][:MAX_INTRODUCTION], publisher[1] if publisher else "")


def read(page: Page) -> Reading:
    """Read a page for a book strategy.

    >>> reading = read(Page("http://a.cn/search?keyword=x", title="数据挖掘 - 商品搜索", description="共三十本"))
    >>> reading.kind, reading.text
    ('list', '共三十本\\n数据挖掘 - 商品搜索\\n共三十本')
    """
    if book := read_book(page):
        return Reading("book", book.title, book.introduction, book.publisher)
    text = full_text(page)
    kind: Kind = "list" if _is_list(page, text) else "page"
    return Reading(kind, page.title, f"{page.description}\n{text}".strip())


def _is_list(page: Page, text: str) -> bool:
    """Return True if a page mainly leads to others: a search, one page of a longer list, or a page with much of its text in
    links."""
    if is_search(page.url):
        return True
    if len(page.links) < FEWEST_LINKS:
        return False
    if any(is_next_page(link.anchor) and in_series(link.url, page.url) for link in page.links):
        return True
    return sum(len(link.anchor) for link in page.links) >= LINK_SHARE * len(text)


def _labels(body: LexborNode) -> Iterator[LexborNode]:
    """Yield the text nodes announcing an introduction."""
    for node in _texts(body):
        text = node.text_content or ""
        if _plain(text) in _INTRODUCTIONS or _INLINE.match(text):
            yield node


def _introduction(label: LexborNode) -> str:
    """Return the introduction announced by ``label``, "" if not found."""
    text = label.text_content or ""
    if start := _INLINE.match(text):
        return _SPACE.sub(" ", f"{text[start.end() :]} {_following(label)}").strip()
    heading = _heading_of(label)
    if (panel := _panel(heading)) is not None:
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
    """Return the text after ``node`` within its parent, up to the next heading."""
    return _until_heading(text for sibling in _after(node) for text in _texts(sibling))


def _until_heading(nodes: Iterator[LexborNode]) -> str:
    lines: list[str] = []
    for node in nodes:
        text = node.text_content or ""
        if _plain(text) in _SECTIONS or (lines and _in_heading(node)):
            break
        if _plain(text):
            lines.append(text.strip())
            if sum(map(len, lines)) > MAX_INTRODUCTION:
                break
    return _SPACE.sub(" ", " ".join(lines)).strip("：: ")


def _panel(heading: LexborNode) -> LexborNode | None:
    """Return the panel of a ``heading`` that is a tab, the heading itself if no panel is found, None if it is not a tab."""
    bar = heading.parent
    if bar is None:
        return None
    tabs = [node for node in bar.iter() if node.tag not in _UNSEEN]
    place = next(i for i, node in enumerate(tabs) if node.mem_id == heading.mem_id)
    if not any(node is not None and _beginning_of(node) in _SECTIONS for node in _beside(heading)):
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
    """Return the nodes before and after ``node``, skipping blank text."""
    before, after = node.prev, node.next
    while before is not None and _is_blank(before):
        before = before.prev
    while after is not None and _is_blank(after):
        after = after.next
    return before, after


def _is_blank(node: LexborNode) -> bool:
    return node.tag == "-text" and not (node.text_content or "").strip()


def _by_id(node: LexborNode, name: str) -> LexborNode | None:
    while node.parent is not None and node.tag != "body":
        node = node.parent
    return node.css_first(f'[id="{name}"]')


def _heading_of(label: LexborNode) -> LexborNode:
    """Return the highest element with no text besides ``label``."""
    node = label.parent or label
    text = _plain(label.text_content or "")
    while node.parent is not None and node.parent.tag != "body" and _beginning_of(node.parent) == text:
        node = node.parent
    return node


def _beginning_of(node: LexborNode) -> str:
    """Return the text of a short element, or only the beginning of a longer one, which may hold half the page."""
    beginning = ""
    for text in _texts(node):
        beginning += _plain(text.text_content or "")
        if len(beginning) > _LONGEST_HEADING:
            break
    return beginning


def _in_heading(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and (parent.tag in _HEADINGS or (parent.parent is not None and parent.parent.tag in _HEADINGS))


def _texts(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the visible text nodes of an element, in order, or a text node itself."""
    if node.tag == "-text":
        yield node
        return
    for below in node.traverse(include_text=True):
        if below.tag == "-text" and (below.parent is None or below.parent.tag not in _UNSEEN):
            yield below


def _after(node: LexborNode) -> Iterator[LexborNode]:
    while (following := node.next) is not None:
        yield following
        node = following


def _plain(text: str) -> str:
    return _DECORATION.sub("", text) if len(text) < 60 else text


def _title(page: Page) -> str:
    """Return the heading if it agrees with the page's title, else the title without the site's name."""
    if page.heading and (not page.title or page.heading in page.title):
        return page.heading
    return _SITE.split(page.title)[0] or page.heading


# -- Following links in a crawl for books: search → lists → pages of books

NEXT_PAGE = 0.5  # value of the next page of a list, as a share of the list's relevance, so its own books go first
FOLLOWED = 1e-6  # least relevance inherited by links of a followed list. Links of other pages inherit 0


class BookLinks:
    """Choice and order of links, depending on the start of the crawl.

    * Links of a list: by the anchor, a book's title. The list's next page: by the list's relevance.
    * Links of a kept page: the mean of the page's relevance and the anchor's.
    * Links of any other page: none, unless it is a list at or below the address of a seed.

    >>> links = BookLinks()
    >>> links.learn(entrance("http://a.cn/Search?keyword=x"))
    >>> [links.link_relevance(url, "list", 0.0, 0.1) for url in ("http://a.cn/Search?keyword=x&page=9", "http://b.cn/")]
    [1e-06, 0.0]
    """

    def __init__(self, entrances: Iterable[str] = ()) -> None:
        self._entrances = tuple(entrances)

    def learn(self, entrance: str) -> None:
        """Add a start of the crawl, see :func:`entrance`."""
        if entrance not in self._entrances:
            self._entrances += (entrance,)

    def link_relevance(self, url: str, kind: Kind, relevance: float, threshold: float, seed: bool = False) -> float:
        """Return the relevance inherited by the links of the page ``url``: its own if they are followed, else 0. ``seed``: True
        for a seed."""
        if relevance > threshold:
            return relevance
        if kind == "list" and (seed or entrance(url).startswith(self._entrances)):
            return max(relevance, FOLLOWED)
        return 0.0

    def priority(self, url: str, evidence: Evidence, anchor: float) -> float | None:
        """Return the priority of a link at one place, from the relevance of its anchor. None: do not follow."""
        if evidence.on_topic:
            return (evidence.relevance + anchor) / 2
        if evidence.relevance <= 0:
            return None
        if is_next_page(evidence.anchor) and in_series(url, evidence.parent):
            return max(anchor, NEXT_PAGE * evidence.relevance)
        return anchor

    def entrances(self) -> list[str]:
        """Return the starts of the crawl, sorted."""
        return sorted(self._entrances)


def entrance(url: str) -> str:
    """Return host and path of a URL, without the parts varying between the pages of a list.

    >>> entrance("http://a.cn/Search?keyword=x"), entrance("http://a.cn/list/3.html"), entrance("http://a.cn/")
    ('a.cn/Search', 'a.cn/list/', 'a.cn/')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    folder, slash, name = parts.path.rpartition("/")
    return f"{parts.netloc.lower()}{folder}{slash or '/'}{name if '.' not in name else ''}"
