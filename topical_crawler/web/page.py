"""Pages, links and evidence on unvisited links, as input of strategies.

A :class:`Page` is made from HTML by :meth:`Page.from_html`, or by hand in a notebook.

>>> page = Page.from_html("http://www.example.cn/", '<title>党建要闻</title><a href="/a.html">支部生活</a>')
>>> page.title, page.links[0].url, page.links[0].anchor
('党建要闻', 'http://www.example.cn/a.html', '支部生活')
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from topical_crawler.web import rights
from topical_crawler.web.data import text_in_data
from topical_crawler.web.dom import MAX_GROUP, Paths, crumbs, is_label, own_labels
from topical_crawler.web.urls import browser_slashes, without_user, word_set

MAX_ANCHOR = 200  # longest anchor text kept, in characters: longer ones are teasers wrapped in a link
MAX_LEAD = 90  # longest `lead` kept, in characters: about the length of a Chinese meta description
AROUND = 60  # characters kept of the text on either side of a link
MAX_TEXT = 20_000  # longest `full_text`, in characters
MIN_OWN = 200  # fewest characters of a page's own text, otherwise it is a list of links
MAX_HEAD = 1000  # longest title, heading, description and keywords kept, in characters each
MAX_NESTING = 500
MAX_ATTRIBUTES = 2000
"""Deepest nesting of elements and most attributes of one tag read. Pages for people stay far below. Parsing takes the square of
either, and the text of nested links the square again: minutes for a page of half a megabyte."""

_SPACE = re.compile(r"\s+")
# Terminals obey some of them, the last reverse the order of letters.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_OTHER = re.compile(r"[^\x00-\x7f]+")
_COMMA = re.compile(r"[,，、;；]")
_MANY_TAGS = 5_000
_MOST_TAGS = 45_000  # of a page to judge: more block the event loop. Its text is extracted in another process
_ANY_TAG = re.compile("<")
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)", re.IGNORECASE)
_TEMPLATE = re.compile(r"<(/?)template\b[^<>]*+>", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_BETWEEN_ATTRIBUTES = re.compile(r"[\s/]+")
_LONG = 8000
_LONG_TAG = re.compile(rf"<[a-z][^>]{{{_LONG},}}", re.IGNORECASE)
# Elements without an end tag, or with an implied one before the next: they nest no deeper.
_FLAT = word_set(
    "a area base br col embed hr img input link meta param source track wbr p li dt dd td th tr tbody thead tfoot colgroup "
    "option optgroup rp rt html head body"
)
_SLOW_TAG = re.compile(r"</?(?:option|optgroup|r[tp])(?=[\s/>])[^<>]*+>?", re.IGNORECASE)
_ITEMS = {"li": "list", "dt": "definitions", "dd": "definitions"}  # the same value may nest in each other
_MOST_SLOW_TAGS = 10_000
_BLOCKS = word_set(
    "address article blockquote br dd div dl dt figcaption h1 h2 h3 h4 h5 h6 hr li main ol p pre section table td th tr ul"
)
_FEED_TYPES = ("application/rss+xml", "application/atom+xml")
_MOST_FEEDS = 3
_LINK_LEVELS = 4  # elements between a text and its link
_NO_WORDS = " \t\r\n\f\v\u00a0\u3000|·•»›>/-—,，、()（）[]0123456789"  # allowed between links: dates, numbers, bars
_UNSEEN = ("script", "style", "noscript", "template")
_FURNITURE = ", ".join((*_UNSEEN, "nav", "header", "footer", "aside", "select", "button", "textarea"))

# Anchors within the page lead nowhere, and articles have hundreds: the parser leaves them out.
_PLACES = "a[href]:not([href^='#']), area[href], frame[src], iframe[src]"
_SCRIPT_PLACES = f"{_PLACES}, [onclick], option[value*='.'], option[value*='/']"  # few pages have them, and the search takes time
_SCRIPT_MARKS = ("onclick", "onClick", "ONCLICK", "<option", "<OPTION")
_PLACES_PER_LINK = 4  # most places read for each link, since several may lead to the same page
_ADDRESS = (
    r"((?:https?:/|\.{0,2}/)[^'\"<>\s]*|[^'\"<>\s/.][^'\"<>\s]*\.(?:[sx]?html?|aspx?|jspx?|php|do|cgi)(?:[?#][^'\"<>\s]*)?)"
)
_OPTION = re.compile(_ADDRESS)
_SCRIPTED = re.compile(  # addresses as targets of a script or arguments of a function, unless something is added to them
    r"(?:(?:location(?:\.href)?\s*=|location\.(?:replace|assign)\s*\(|\bopen\s*\()\s*['\"`]([^'\"`<>\s]+)"
    rf"|['\"`]{_ADDRESS})['\"`](?!\s*\+)"
)
_NUMBERED = re.compile(  # pages of a list: total, present one and name, as announced by TRS and the like
    r"\bcreatePage\w*\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"]?(\d{1,6})['\"]?\s*,\s*['\"]?(\d{1,6})['\"]?\s*,\s*['\"]([\w./-]+)['\"]\s*,\s*['\"](\w+)['\"]"
)
_MOST_NUMBERED = 50  # next pages of a list

_Target = tuple[str, str, LexborNode, dict[str, str | None]]  # address as written, text, element and its attributes


class Link(NamedTuple):
    """Unvisited URL as found on a page.

    It has the absolute ``url``, the ``anchor`` text (may be empty) and, on request (:meth:`Page.from_html`), the text ``around``
    it and the ``path`` of its element (:class:`~topical_crawler.web.dom.Paths`).
    """

    url: str
    anchor: str = ""
    around: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One place with a link, in the form remembered while the link waits.

    Attributes:
        parent: URL of the page with the link, empty for a seed.
        relevance: relevance passed on by that page to each of its links (:attr:`Verdict.link_relevance`), on the strategy's
        scale,
            ≥ 0.
        on_topic: True if the strategy kept that page.
        anchor: anchor text of the link on that page.
        distance: links followed since the last page on topic, or since the seed: 0 on a page on topic.
        around: text around the link on that page, for strategies with a need for it, else "".
        path: place of the link in that page's elements (:attr:`Link.path`), for strategies with a need for it, else "". Of a link
            in a sitemap or feed "sitemap" or "feed", a blank, and the section.
    """

    parent: str
    relevance: float
    on_topic: bool
    anchor: str = ""
    distance: int = 0
    around: str = ""
    path: str = ""

    def to_json(self) -> list[Any]:
        """Return the evidence as a JSON array for :meth:`from_json`."""
        head = [self.parent, self.relevance, int(self.on_topic), self.anchor, self.distance]
        if self.path:
            return [*head, self.around, self.path]
        return [*head, self.around] if self.around else head

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Evidence:
        """Read the output of :meth:`to_json`.

        >>> Evidence.from_json(Evidence("http://a.cn/", 0.5, True, "党建").to_json()).anchor
        '党建'
        """
        parent, relevance, on_topic, anchor, distance, *more = data
        return cls(str(parent), float(relevance), bool(on_topic), str(anchor), int(distance), *map(str, more[:2]))


@dataclass(frozen=True, slots=True)
class Candidate:
    """Unvisited URL with all evidence for it, to be scored by a strategy.

    Attributes:
        url: its address.
        evidence: the places with links to it.
        memo: intermediate results of strategies, each under its own key. A waiting link is scored again and again, and the
            frontier reuses the candidate until new evidence comes.
    """

    url: str
    evidence: tuple[Evidence, ...]
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Judgement of a strategy on one page.

    Attributes:
        relevance: on the strategy's own scale, ≥ 0.
        keep: True if the page belongs to the corpus (its text is then extracted).
        why: reasons as plain numbers, e.g. matched terms with their shares: ``{"党建": 0.61, "支部": 0.2}``.
        inherited: relevance passed on to each of the page's links, if not the page's own.
        read: fields of the row read by the strategy itself, in place of the extraction's: a book's ``title``, ``text`` (its
            introduction) and ``source`` (its publisher).
        near: nearness of the page in meaning to the topic's sentence, -1 to 1, None if not computed.
        lesson: lesson for the strategy from the page, as JSON data, stored with the page for a resumed crawl.
    """

    relevance: float
    keep: bool
    why: Mapping[str, float] = field(default_factory=dict)
    inherited: float | None = None
    lesson: Any = None
    read: Mapping[str, str] = field(default_factory=dict)
    near: float | None = None

    @property
    def link_relevance(self) -> float:
        """Relevance passed on to each link (:attr:`Evidence.relevance`).

        >>> Verdict(0.5, True).link_relevance, Verdict(0.5, True, inherited=0.5 / 10).link_relevance
        (0.5, 0.05)
        """
        return self.relevance if self.inherited is None else self.inherited


@dataclass(frozen=True, slots=True)
class Page:
    """Fetched page, read once.

    Attributes:
        url: absolute URL after redirects.
        title, description, keywords: the page's head (``<title>``, meta description, meta keywords), "" if absent.
        heading: the first ``<h1>``.
        lead: the first lines of the body outside navigation, at most :data:`MAX_LEAD` characters.
        links: in page order, each URL once (with its first anchor text that is not empty).
        labels: labels of the page: sections and tags in its head, texts of its own tags, categories and breadcrumbs
            (:func:`~topical_crawler.web.dom.own_labels`).
        html: the decoded source, for the extraction of the main text.
        encoding: the encoding of the source.
        runs: on request, the text of the body without :data:`_FURNITURE`, in runs between block elements, each with True if it is
            only link text. A page with hardly any text includes text in data. Else None, and :func:`full_text` reads the source
            again.
        wishes: reservations in its meta elements, names of :data:`topical_crawler.web.rights.NAMES`.
        feeds: on request, addresses of the feeds in its head (:mod:`topical_crawler.web.listings`).
        unread: places of links beyond the bound.
    """

    url: str
    title: str = ""
    description: str = ""
    keywords: str = ""
    heading: str = ""
    lead: str = ""
    links: tuple[Link, ...] = ()
    html: str = field(default="", repr=False)
    encoding: str = "utf-8"
    labels: tuple[str, ...] = ()
    runs: tuple[tuple[str, bool], ...] | None = field(default=None, repr=False)
    wishes: frozenset[str] = frozenset()
    feeds: tuple[str, ...] = ()
    unread: int = 0

    @property
    def host(self) -> str:
        """Lower-case host name of ``url``, with a port if present."""
        return urlsplit(self.url).netloc.lower()

    @classmethod
    def from_html(
        cls,
        url: str,
        html: str,
        encoding: str = "utf-8",
        around: bool = False,
        paths: bool | Callable[[str], bool] = False,
        runs: bool = False,
        feeds: bool = False,
        most_links: int = sys.maxsize,
    ) -> Page:
        """Read ``html`` like a browser (HTML5 rules), also broken markup. Never raises.

        Args:
            url: absolute address of the page.
            html: its source, decoded with ``encoding``.
            encoding: the encoding of the source.
            around: also read the text around each link (about twice the work).
            paths: also read the path of each link's element, or only for addresses accepted by a function.
            runs: also read the text of the body.
            feeds: also read the addresses of feeds.
            most_links: number of links to read, the first ones.

        >>> Page.from_html("http://a.cn/x/", "</html><body><h1>主题<b>教育").heading
        '主题教育'
        >>> Page.from_html("http://a.cn/x/", "<p class=crumb><a href=/>首页</a> > <a href=/dj/>党建</a>").labels
        ('首页', '党建')
        """
        tree = parsed(html)
        meta, filed, wishes = _meta(tree)
        links, places, unread = _links(tree, html, url, encoding, around, paths, most_links)
        title, heading, body = tree.css_first("title"), tree.css_first("h1"), tree.body
        title_text, heading_text = _text(title)[:MAX_HEAD], _text(heading)[:MAX_HEAD]
        if body is not None:
            _strip_furniture(body)  # elements read above may lie in it
        return cls(
            url=url,
            title=title_text,
            description=meta.get("description") or meta.get("og:description", ""),
            keywords=meta.get("keywords", ""),
            heading=heading_text,
            links=links,
            lead=_lead(body) if body is not None else "",
            html=html,
            encoding=encoding,
            labels=own_labels(filed, places),
            runs=tuple(_all_runs(body, html)) if runs and body is not None else None,
            wishes=wishes,
            feeds=tuple(_feeds(tree, url)) if feeds else (),
            unread=unread,
        )


def description_of(page: Page) -> str:
    """Return the description of a page: title, meta keywords, meta description.

    Without a meta description, the first heading and the first lines replace it.

    >>> description_of(Page("http://a.cn/", title="支部动态", heading="过好组织生活"))
    '支部动态\\n过好组织生活'
    """
    about = (page.description,) if page.description else (page.heading, page.lead)
    return "\n".join(filter(None, (page.title, page.keywords, *about)))


def full_text(page: Page, menus: bool = True) -> str:
    """Return the title and the visible text of a page, at most :data:`MAX_TEXT` characters.

    Leaves out navigation, form fields and scripts. (Forms are read: one may hold the whole page.) A page with hardly any text
    includes text in its data. Without HTML, returns the description.

    Without ``menus``, blocks with only links (menus, further reading, tag clouds) are left out, unless fewer than :data:`MIN_OWN`
    characters would remain: then the page is a list.

    >>> full_text(Page.from_html("http://a.cn/", "<title>支部</title><nav>首页</nav><p>过好<b>组织</b>生活<p>党课"))
    '支部\\n过好组织生活 党课'
    """
    runs: Iterable[tuple[str, bool]] | None = page.runs
    if runs is None:
        body = parsed(page.html).body if page.html else None
        if body is None:
            return description_of(page)
        _strip_furniture(body)
        runs = _all_runs(body, page.html)
    parts = [(part, linked) for text, linked in runs if (part := _spaced(text))]
    own = [part for part, linked in parts if menus or not linked]
    if sum(map(len, own)) < MIN_OWN:
        own = [part for part, _ in parts]
    return f"{page.title}\n{_CONTROL.sub('', ' '.join(own))}".strip()[:MAX_TEXT]


def _strip_furniture(body: LexborNode) -> None:
    for node in reversed(body.css(_FURNITURE)):  # nested elements come later, and are freed first
        node.decompose()


def _all_runs(body: LexborNode, html: str) -> Iterator[tuple[str, bool]]:
    """Yield :func:`_runs`, and for a page with hardly any text those of :func:`~topical_crawler.web.data.text_in_data`.

    The latter count as link text, so that they do not cause menus to be left out.
    """
    seen = own = 0
    for run, linked in _runs(body):
        text = _spaced(run[: 10 * MAX_TEXT])
        seen, own = seen + len(text), own + (0 if linked else len(text))
        yield text, linked
        if own >= MAX_TEXT:  # no more is read
            return
    if (data := text_in_data(html, seen)[1]) and (tree := parsed(data).body) is not None:
        yield from ((text, True) for text, _ in _runs(tree))


def _runs(body: LexborNode) -> Iterator[tuple[str, bool]]:
    """Yield the text of ``body`` in runs between block elements, each with True if it is only link text."""
    run: list[str] = []
    linked = True
    for node in body.traverse(include_text=True):
        tag = node.tag
        if tag == "-text":
            text = node.text_content or ""
            run.append(text)
            linked = linked and (not text.strip(_NO_WORDS) or _in_link(node))
        elif run and tag in _BLOCKS:
            yield "".join(run), linked
            run.clear()
            linked = True
    yield "".join(run), linked


def _in_link(text: LexborNode) -> bool:
    node = text.parent
    for _ in range(_LINK_LEVELS):
        if node is not None and node.tag != "a":
            node = node.parent
    return node is not None and node.tag == "a"


def parsed(html: str) -> LexborHTMLParser:
    """Parse ``html`` without NUL, up to its :data:`_MOST_TAGS`th tag, and as far as :func:`bounded`."""
    if html.count("<") > _MOST_TAGS:
        html = html[: next(islice(_ANY_TAG.finditer(html), _MOST_TAGS, None)).start()]
    source = html.encode("utf-8", "ignore")
    if b"\0" in source:  # found faster in bytes
        html, source = html.replace("\0", ""), source.replace(b"\0", b"")
    safe = bounded(html)
    return LexborHTMLParser(source if safe is html else safe.encode("utf-8", "ignore"))


def bounded(html: str) -> str:
    """Cut ``html`` before too deep nesting or too many attributes of a tag.

    Very many options and ruby readings are dropped: the parser takes 13 s for 60,000. Declarative shadow roots, shown by
    browsers, become elements.
    """
    if "shadowroot" in html:
        is_root: list[bool] = []
        html = _TEMPLATE.sub(lambda tag: _root_as_element(tag, is_root), html)
    for tag in _LONG_TAG.finditer(html) if _may_have_long_tags(html) else ():
        if len(_BETWEEN_ATTRIBUTES.findall(_QUOTED.sub(" ", tag[0]))) > MAX_ATTRIBUTES:
            html = html[: tag.start()]
            break
    if html.count("<") <= _MANY_TAGS:
        return html
    if sum(1 for _ in _SLOW_TAG.finditer(html)) > _MOST_SLOW_TAGS:
        html = _SLOW_TAG.sub("", html)
    depth = items = 0
    last = ""
    for tag in _TAG.finditer(html):
        if (name := tag[2].lower()) not in _FLAT:
            depth += -1 if tag[1] else 1
        elif name in _ITEMS and tag[1]:
            items, last = max(0, items - 1), ""
        elif name in _ITEMS:
            items += _ITEMS[name] != last  # an item ends the one before in the same list
            last = _ITEMS[name]
        if depth > MAX_NESTING or items > _MOST_SLOW_TAGS:
            return html[: tag.start()]
    return html


def _root_as_element(tag: re.Match[str], is_root: list[bool]) -> str:
    """Return the tag of a template as read. ``is_root`` is a stack of the open ones, True for shadow roots."""
    if not tag[1]:
        is_root.append("shadowroot" in tag[0].lower())
    return f"<{tag[1]}div>" if (is_root.pop() if tag[1] and is_root else is_root and is_root[-1]) else tag[0]


def _may_have_long_tags(html: str) -> bool:
    """Return True if a stretch of :data:`_LONG` characters may lack a ``>``, by samples of half its length."""
    half = _LONG // 2
    return any(html.find(">", start, start + half) < 0 for start in range(0, len(html) - half, half))


def _text(node: LexborNode | None) -> str:
    return single_line(node.text(deep=True)[: 100 * MAX_HEAD]) if node is not None else ""


def single_line(text: str) -> str:
    """Return ``text`` in one line, without characters steering a terminal."""
    text = _spaced(text)
    return text if text.isprintable() else _CONTROL.sub("", text).strip()


def _spaced(text: str) -> str:
    """Return ``text`` with single blanks for white space, and none around it."""
    return " ".join(text.split())


def _meta(tree: LexborHTMLParser) -> tuple[dict[str, str], list[str], frozenset[str]]:
    """Return meta contents by name, sections and tags named in the head, and reservations."""
    contents: dict[str, str] = {}
    filed: list[str] = []
    wishes: set[str] = set()
    for node in tree.css("meta"):
        attrs = node.attributes
        name = (attrs.get("name") or attrs.get("property") or "").strip().lower()
        if name in ("description", "og:description", "keywords"):
            content = single_line(attrs.get("content") or "")[:MAX_HEAD]
            if content and name not in contents:
                contents[name] = content
        elif name in ("article:section", "article:tag"):
            filed += [part.strip() for part in _COMMA.split(single_line(attrs.get("content") or "")[:MAX_HEAD])]
        else:
            wishes.update(rights.of_meta(name, attrs.get("content") or ""))
    wishes |= {"rsl"} if tree.css_first(rights.RSL_LINK) else set()
    return contents, filed, frozenset(wishes)


def _feeds(tree: LexborHTMLParser, url: str) -> Iterator[str]:
    """Yield the first :data:`_MOST_FEEDS` feeds of a head, except those of comments or of this page alone."""
    found = []
    for node in tree.css("link[rel~=alternate][href]"):
        attrs = node.attributes
        named = f"{attrs.get('href')} {attrs.get('title')}".lower()
        if (attrs.get("type") or "").strip().lower() in _FEED_TYPES and "comment" not in named and "评论" not in named:
            found.append(address(attrs.get("href") or "", url))
    own = url.rstrip("/") + "/" if urlsplit(url).path.strip("/") else "-"
    yield from [feed for feed in dict.fromkeys(found) if feed and not feed.startswith(own)][:_MOST_FEEDS]


def _surroundings(tree: LexborHTMLParser, wanted: Collection[int]) -> dict[int, str]:
    """Map each ``wanted`` element ``a`` (by ``mem_id``) to the text within :data:`AROUND` characters on either side.

    The link's own text is left out.
    """
    if tree.body is None or not wanted:
        return {}
    pieces: list[str] = []
    length = 0
    in_word = False
    hidden_to: int | None = None  # last node of a hidden element
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    closing: dict[int, list[int]] = {}  # links by their last node
    for node in tree.body.traverse(include_text=True):
        tag, piece = node.tag, ""
        if tag == "-text":
            if hidden_to is None:
                piece = _SPACE.sub(" ", node.text_content or "")
        elif tag in _BLOCKS:
            piece = " "
        elif tag in _UNSEEN:
            hidden_to = hidden_to or _last_within(node).mem_id
        elif tag == "a" and node.mem_id in wanted:
            starts[node.mem_id] = length
            closing.setdefault(_last_within(node).mem_id, []).append(node.mem_id)
        if piece := piece if in_word else piece.lstrip():  # layout must not use up the characters
            pieces.append(piece)
            length += len(piece)
            in_word = piece[-1] != " "
        for link in closing.pop(node.mem_id, ()):
            ends[link] = length
        if len(ends) == len(wanted) and length >= ends[next(reversed(ends))] + AROUND:
            break  # the rest of a page may be long
        if hidden_to == node.mem_id:
            hidden_to = None
    text = _CONTROL.sub(" ", "".join(pieces))
    return {
        i: f"{text[max(0, a - AROUND) : a].rstrip()} {text[ends[i] : ends[i] + AROUND].lstrip()}".strip()
        for i, a in starts.items()
    }


def _last_within(node: LexborNode) -> LexborNode:
    while (child := node.last_child) is not None:
        node = child
    return node


def _links(
    tree: LexborHTMLParser, html: str, url: str, encoding: str, around: bool, paths: bool | Callable[[str], bool], most: int
) -> tuple[tuple[Link, ...], list[tuple[str, str]], int]:
    """Return the first ``most`` links, (path, text) of candidates for labels, and the number of unread places.

    Paths of candidates are left out while these are too few to matter.
    """
    base_node = tree.css_first("base[href]")
    base = _join(url, (base_node.attributes.get("href") or "") if base_node is not None else "") or url
    origin = _join(base, "/")
    targets: dict[str, _Target] = {}
    filed: list[_Target] = []
    of_crumbs, layout = crumbs(tree, html), Paths()
    nodes = tree.css(_SCRIPT_PLACES if any(mark in html for mark in _SCRIPT_MARKS) else _PLACES)
    read = 0
    for node in nodes:
        if len(targets) >= most or read >= _PLACES_PER_LINK * most:
            break
        read += 1
        for place in _places(node):
            target, _, _, attrs = place
            # Most links recur on many pages: make them independent of the page where possible, for the cache.
            whole, of_host = target.startswith(("http://", "https://")), target[:1] == "/" != target[1:2]
            absolute = _join("" if whole else origin if of_host else base, target, encoding)
            if not absolute:
                continue
            if absolute not in targets or not targets[absolute][1]:
                targets[absolute] = place
            if (is_label(absolute, attrs.get("rel")) or (of_crumbs and node.mem_id in of_crumbs)) and "href" in attrs:
                filed.append(place)
    if (body := tree.body) is not None:
        for target in _numbered(html, url):
            targets.setdefault(_join(base, target), (target, "", body, {}))
    texts = _surroundings(tree, {node.mem_id for _, _, node, _ in targets.values() if node.tag == "a"}) if around else {}
    wants_path = paths if callable(paths) else lambda _: paths
    links = [
        Link(u, text[:MAX_ANCHOR], texts.get(node.mem_id, "") if around else "", layout.of(node, attrs) if wants_path(u) else "")
        for u, (_, text, node, attrs) in targets.items()
    ]
    many = len(filed) > MAX_GROUP
    own = [(layout.of(node, attrs) if many else "", single_line(text)) for _, text, node, attrs in filed]
    return tuple(links), own, len(nodes) - read


def _places(node: LexborNode) -> Iterator[_Target]:
    """Yield the addresses of an element: its own, and those of its scripts."""
    attrs = node.attributes
    target = (attrs.get("href") or attrs.get("src") or "").strip()
    if node.tag == "option":
        target = option[0] if (option := _OPTION.fullmatch((attrs.get("value") or "").strip())) else ""
    script = f"{attrs.get('onclick') or ''} {unquote(target) if target[:11].lower() == 'javascript:' else ''}"
    found = [target, *(one or other for one, other in _SCRIPTED.findall(script))] if script != " " else [target]
    if not any(found):
        return
    text = _text(node) or (attrs.get("title") or attrs.get("alt") or "").strip()
    if not text and (image := node.css_first("img[alt]")) is not None:
        text = (image.attributes.get("alt") or "").strip()
    yield from [(address, text, node, attrs) for address in found if address]


def _numbered(html: str, url: str) -> Iterator[str]:
    """Yield the next pages of a list, as written, by the number in a script."""
    for total, present, name, suffix in _NUMBERED.findall(html) if "createPage" in html else ():
        number = int(present)
        end = int(total) + (number > 0 and f"_{number}." not in url)  # some count from one
        yield from [f"{name}_{n}.{suffix}" for n in range(number + 1, min(end, number + _MOST_NUMBERED))]


def address(target: str, base: str) -> str:
    """Return an address, written at ``base``, in absolute form, or "" unless it is one of the web.

    >>> address("../支部.html", "http://a.cn/dj/"), address("mailto:a@a.cn", "http://a.cn/")
    ('http://a.cn/支部.html', '')
    """
    target = target.strip()
    return _join("" if target.startswith(("http://", "https://")) else base, target)


@lru_cache(maxsize=8_192)
def _join(base: str, target: str, encoding: str = "utf-8") -> str:
    """Return ``target`` in absolute form, with its query in the ``encoding`` of its page, as browsers do.

    "" unless it is a web address (javascript:, mailto:, broken brackets).
    """
    if not target or target.startswith(("#", "javascript:", "mailto:", "tel:", "data:")):
        return ""
    try:
        absolute = _CONTROL.sub(lambda match: quote(match[0]), urljoin(base, browser_slashes(target)))
        parts = urlsplit(absolute)
    except ValueError:
        return ""
    if not parts.query.isascii() and not encoding.startswith("utf"):
        path, mark, query = absolute.partition("?")
        absolute = path + mark + _OTHER.sub(lambda match: quote(match[0].encode(encoding, "xmlcharrefreplace"), safe=""), query)
    return without_user(absolute) if parts.scheme in ("http", "https") and parts.hostname else ""


def _lead(body: LexborNode) -> str:
    """Return the first lines of running text."""
    text = ""
    for node in body.css("p, td, div, article, section, body"):
        own = _spaced(node.text(deep=False)[: 100 * MAX_LEAD])
        if len(own) >= 20:
            text = f"{text} {own}".strip()
            if len(text) >= MAX_LEAD:
                break
    return text[:MAX_LEAD]
