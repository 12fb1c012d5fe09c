"""Extract a page: its kind, and of an article, a page of documentation or a thread text, details and other parts.

Other pages have no text of their own: a home page with the first lines of its posts passes every topic test, but is a patchwork.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice, pairwise
from statistics import median
from typing import cast
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urljoin, urlsplit, urlunsplit

from lxml.etree import XPath
from lxml.html import HtmlElement

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.details import Details, in_beijing, in_text, read_details
from topical_crawler.extraction.documents import DOCUMENT, MARK, day_of, is_document, name_of, passages_of
from topical_crawler.extraction.forum import ADDRESS, CODE_WORDS, DECLARED, MIN_WORDS, REPLY, WORDS, read_thread
from topical_crawler.extraction.main_text import COST, LINKED, densest, find_headline, is_sentence, main_blocks, parse, worth
from topical_crawler.extraction.structure import HEADINGS, Block, normalise, read_blocks
from topical_crawler.text.passages import Passage, layout, plain
from topical_crawler.web.dom import LIST_ADDRESS, OWN_PAGES, names_a_label

ARTICLE, DOCUMENTATION, FORUM = "article", "documentation", "forum"
LIST, TAG, HOME, VIDEO, GALLERY = "list", "tag", "home", "video", "gallery"
KINDS = (ARTICLE, DOCUMENTATION, FORUM, DOCUMENT, LIST, TAG, HOME, VIDEO, GALLERY)
"""Kinds of pages; only the first four have a text of their own."""
PROSE = 200  # letters of a text beyond doubt, whatever the page's address and links
MIN_TEXT = 20  # letters below which a page has hardly any text beside its headings: the shortest news items have 56
LINKS_SHARE = 0.3  # share of the letters in links over which a page with hardly any running text is a list
MANY_LINKS = 12  # fewest links of a page that is a list by its links alone: an article of two lines has some as well
TEASERS = 3  # linked headlines, each with text below it, that make a list
TEASER_TEXT = 40  # fewest letters of the text below a headline: dates and tags are shorter
TEASERS_COVER = 0.6  # smallest share of a page's running text below such headlines
TEASERS_LARGEST = 0.5  # greatest share below a single one: an article may stand below a link, too
OWN_TEXT = 100  # letters of a text below the title over which what follows may be related articles
HEADLINE = 6  # fewest letters of a linked headline: tags and channels are shorter
HEADLINE_SHARE = 0.5  # least share of its letters in the link: the rest is a day and a section
IMAGES = 4  # images outside links that make a page with hardly any text a gallery

_VIDEO_ADDRESS = re.compile(r"/(?:v|videos?|shipin|sp|tv)/|^(?:v|tv|video)\.", re.IGNORECASE)
_VIDEO_TITLE = re.compile(r"^\W{0,3}(?:视频|視頻|视讯|直播回放)\W|[(（【\[]视频[)）】\]]\s*$")
_GALLERY_ADDRESS = re.compile(
    r"/(?:photos?|galler(?:y|ies)|tuji|tupian|pics?|pictures?|albums?|slides?)/|^(?:photos?|pic)\.", re.IGNORECASE
)
_PAGER_ADDRESS = re.compile(
    r"/page[/_-]\d{1,5}/?$|/(?:lists?|zt|special|series)(?:/\d{1,6}(?:_\d{1,6})?\.\w{2,5}|/?)$|/(?:tags?|categor(?:y|ies))/.{1,300}/$",
    re.IGNORECASE,
)
_NO_LIST = re.compile(
    r"^(?:/[^/]+){3,}/index\.\w{2,5}$|/[^/]*\d{4,}[^/]*/index\.\w{2,5}$|/topics?/\d+/?$"
)  # an article in a folder of its own, a thread
_LIST_TITLE = re.compile(
    r"^\W{0,2}(?:(?:标签|分类|归档|存档|栏目|專題|专题|标签云)(?:\s*[:：|\-–—]|$)|(?:tags?|categor(?:y|ies)|archives?)(?:\s*[:：|\-–—]|$))"
    r"|(?:的文章|文章列表|(?<=\s)(?:分类|归档|标签))(?:\s*[|\-–—_].{0,40})?$",
    re.IGNORECASE,
)
_TAG_TITLE = re.compile(r"标签|分类|栏目|专题|\btags?\b|\bcategor(?:y|ies)\b", re.IGNORECASE)
_HOME_PATH = re.compile(r"^/?(?:(?:index|default|home|main)\.\w{2,5})?$", re.IGNORECASE)
_DOCS_ADDRESS = re.compile(
    r"^docs?\.|\.readthedocs\.|/(?:docs?|documentation|manuals?|handbook|guides?|reference|wiki|userguide)/", re.IGNORECASE
)
_DOCS_GENERATOR = re.compile(
    r"sphinx|docusaurus|vuepress|vitepress|gitbook|mkdocs|mdbook|docsify|antora|doxygen|docbook|publican|docutils", re.IGNORECASE
)
_OG_TYPE = XPath("string(//meta[@property='og:type' or @name='og:type']/@content)")
_ARTICLE_TYPES = frozenset(("article", "news", "newsarticle", "blog"))  # of OpenGraph, as Chinese portals write it
_GENERATORS = XPath("//meta[@name='generator' or @name='Generator']/@content")
_DOCS_NAMES = ("toctree", "theme-doc", "vp-doc", "md-nav", "book-summary", "sphinxsidebar", "docnav")
_DOCS_CLASS = XPath("boolean(//*[" + " or ".join(f"contains(@class, '{name}')" for name in _DOCS_NAMES) + "])")
_STEPS = XPath("boolean(//link[@rel='next' or @rel='prev']) or boolean(//a[@rel='next' or @rel='prev'])")
_PUBLISHED = XPath(
    "boolean(//meta[@property='article:published_time' or @itemprop='datePublished']) or count(//*[@itemprop='articleBody']) = 1"
)
_PLAYER = XPath(
    "boolean(//video | //embed | //object[@data or .//param] | //iframe[contains(@src, 'player') or contains(@src, 'video')]"
    " | //*[contains(concat(' ', @class, ' '), ' player ') or contains(@class, 'video-player') or @id='player' or @id='video'])"
)
_IMAGES = XPath("count(//img[not(ancestor::a or ancestor::header or ancestor::footer or ancestor::nav or ancestor::aside)])")
_TITLE = XPath("string(//title)")
_PAGE_LINKS = XPath("//a[contains(@href, '/page')]/@href")


def page_kind(tree: HtmlElement, blocks: Sequence[Block], url: str, source: str = "") -> str:
    """One of :data:`KINDS` but :data:`FORUM`, see :func:`~topical_crawler.extraction.forum.read_thread`, and :data:`DOCUMENT`.

    A page with hardly any text is a video or a gallery if its address, title or embedded elements say so. With a point it
    is a list. Points for: an address like ``/tag/…`` (two for ``/page/2`` with several linked headlines or links to more such
    pages); a title like 标签：党建; linked headlines with the beginnings of other texts; links beside hardly any running text.
    Points against: metadata of an article; a text of :data:`PROSE` letters that is not below such headlines. A list is a home
    page or the page of a tag by its address and title; an article is documentation by its generator, address and navigation.
    The ``source`` of the page saves looking for what it has not.

    >>> from lxml.html import fromstring
    >>> from topical_crawler.extraction.structure import read_blocks
    >>> page = fromstring("<title>视频：开幕会</title><h1>视频：开幕会</h1><div class='player'></div>")
    >>> page_kind(page, read_blocks(page), "http://www.example.cn/v/1.html")
    'video'
    """
    text = sum(block.letters - COST for block in densest(blocks) if block.tag not in HEADINGS)
    parts = _split(url)
    path = unquote(parts.path)[:500]
    title = " ".join(str(_TITLE(tree)).split())[:200]
    if text < MIN_TEXT and not LIST_ADDRESS.search(path):
        og = str(_OG_TYPE(tree)).strip().lower()
        if og.startswith("video") or _VIDEO_ADDRESS.search(path) or _VIDEO_TITLE.search(title) or _PLAYER(tree):
            return VIDEO
        if _GALLERY_ADDRESS.search(path) or cast(float, _IMAGES(tree)) >= IMAGES:
            return GALLERY
    if _list_points(tree, blocks, parts, title, text) < 1:
        return DOCUMENTATION if _is_documentation(tree, parts, source) else ARTICLE
    if _HOME_PATH.match(path) and not parts.query:
        return HOME
    return TAG if names_a_label(url) or (_LIST_TITLE.search(title) and _TAG_TITLE.search(title)) else LIST


def _list_points(tree: HtmlElement, blocks: Sequence[Block], parts: SplitResult, title: str, text: float) -> int:
    body = [block for block in blocks if not block.furniture]
    path = unquote(parts.path)[:500]
    is_address = bool((LIST_ADDRESS.search(path) or _PAGER_ADDRESS.search(path)) and not _NO_LIST.search(path))
    is_address = is_address and not (parts.query and _HOME_PATH.match(path))  # /?p=12 may be an article
    teasers = _is_teasers(body, parts.netloc, title) or (is_address and _is_cut(body))
    linked = sum(block.linked for block in body)
    running = sum(block.letters for block in body if worth(block) > 0 and _is_running(block))
    headlines = sum(_is_headline(block, parts.netloc) for block in body)
    links = sum(block.links for block in blocks)
    points = int(teasers)
    if links:  # an empty page is no list
        points += is_address + (_LIST_TITLE.search(title) is not None)
        points += _HOME_PATH.match(path) is not None and not parts.query and headlines >= TEASERS
        if OWN_PAGES.search(path):
            points += 2 if headlines > 1 or _has_pager(tree) else 1
    points += (
        running < MIN_TEXT
        and (sum(block.links for block in body) >= MANY_LINKS or headlines >= TEASERS)
        and linked > LINKS_SHARE * sum(block.letters for block in body)
    )
    points -= str(_OG_TYPE(tree)).strip().lower() in _ARTICLE_TYPES or bool(_PUBLISHED(tree))
    return points - (text >= PROSE and not teasers)


def _is_documentation(tree: HtmlElement, parts: SplitResult, source: str) -> bool:
    made = any(_DOCS_GENERATOR.search(name[:100]) for name in cast("list[str]", _GENERATORS(tree)))
    address = _DOCS_ADDRESS.search(parts.netloc) or _DOCS_ADDRESS.search(parts.path[:500])
    if made or (address and _STEPS(tree)):
        return True
    return (not source or any(name in source for name in _DOCS_NAMES)) and bool(_DOCS_CLASS(tree))


def _has_pager(tree: HtmlElement) -> bool:
    """Whether links lead to several pages of a home page."""
    paths = {_split(href).path for href in cast("list[str]", _PAGE_LINKS(tree))[:200]}
    return sum(bool(OWN_PAGES.search(path)) for path in paths) > 1


def _is_running(block: Block) -> bool:
    return block.tag not in HEADINGS and (block.letters >= TEASER_TEXT or (block.letters >= 10 and is_sentence(block.text)))


def _is_teasers(blocks: Sequence[Block], host: str, title: str) -> bool:
    """Whether most running text is below headlines linked to pages of ``host``, all in the same element, and not half of it below
    one. Related articles are none: a text of the page's own, below its title, is much longer than what is below them."""
    below: list[tuple[str, int]] = [("", 0)]  # element of a headline, and letters of the text below it
    own = last = 0  # letters of the text below the title, at most one headline after it
    for block in blocks:
        if _is_headline(block, host):
            below.append((block.tag, 0))
        elif block.tag in HEADINGS and not block.links and block.letters >= 4 and block.text in title:
            last = len(below) + 1
        elif block.link_share <= LINKED and block.letters >= TEASER_TEXT:
            below[-1] = below[-1][0], below[-1][1] + block.letters
            own = max(own, below[-1][1]) if len(below) <= last else own
    total = sum(letters for _, letters in below)
    for tag in {tag for tag, _ in below[1:]}:
        teasers = [letters for other, letters in below if other == tag and letters >= TEASER_TEXT]
        if (
            len(teasers) >= TEASERS
            and sum(teasers) >= TEASERS_COVER * total
            and max(teasers) <= TEASERS_LARGEST * total
            and own < max(OWN_TEXT, 2 * median(teasers))
            and not _own_end(blocks, host, title)
        ):
            return True
    return False


_DAY = re.compile(r"(?:19|20)\d\d\s?[-年/.]\s?\d{1,2}\s?[-月/.]\s?\d")


def _own_end(blocks: Sequence[Block], host: str, title: str) -> int:
    """The place behind the page's own text, where that stands below its headline and a line with a day, and the first headline
    linked to ``host`` below it; else 0. A list has such links, and no text, before its first day."""
    first = find_headline("".join(title.split()), blocks) + 1
    if not first or count_letters(blocks[first - 1].text) < HEADLINE:
        return 0
    dated = running = False
    for place in range(first, len(blocks)):
        block = blocks[place]
        if block.href and not block.furniture and _is_headline(block, host):
            return place if running else 0
        dated = dated or (not running and _DAY.search(block.text[:200]) is not None)
        running = running or (dated and block.link_share <= LINKED and _is_running(block) and worth(block) > 0)
    return 0


_CUT = ("…", "...", "。。。")


def _is_cut(blocks: Sequence[Block]) -> bool:
    """Whether headings stand above a paragraph each, most of them cut off: excerpts whose links hold no text."""
    below = [after for block, after in pairwise(blocks) if block.tag in ("h2", "h3") and after.tag not in HEADINGS]
    cut = [
        block for block in below if block.letters >= TEASER_TEXT and (block.text.endswith(_CUT) or not is_sentence(block.text))
    ]
    return len(cut) >= 2 and len(cut) >= TEASERS_COVER * len(below)


def _is_headline(block: Block, host: str) -> bool:
    if (
        block.linked < HEADLINE
        or block.link_share < HEADLINE_SHARE
        or block.href.startswith("#")
        or block.letters > 2 * TEASER_TEXT
    ):
        return False
    return block.links <= (1 if block.link_share >= 0.9 else 2) and _split(block.href).netloc in ("", host)


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


# -- Articles on several pages: parts differ by a number at the end (a_2.html, a-2.htm, a/2, a.html?page=2)

MAX_PARTS = 100  # greatest number of a part
MAX_LINKS = 5_000  # most links of a page that are looked at

_NUMBER = re.compile(r"^\W{0,2}第?\s?(\d{1,3})\s?页?\W{0,2}$")
_STEP = re.compile(
    r"^\W{0,3}(?:下一?页|上一?页|下一頁|上一頁|首页|尾页|末页|第一页|最后一页|next(?: page)?|prev(?:ious)?(?: page)?)\W{0,3}$",
    re.IGNORECASE,
)
_FILE = re.compile(r"^(.{1,500}[^/_-])[_-](\d{1,3})(\.[A-Za-z]{2,5})$")
_FOLDER = re.compile(r"^(.{2,500}?)/(?:page/)?(\d{1,3})/?$")
_PARAMETERS = ("page", "p", "pn", "pageno", "pageindex", "currentpage", "paged")


@dataclass(frozen=True)  # no slots: Extracted inherits from two classes
class Series:
    """The place of a page in an article on several pages; empty for an article on one."""

    series: str = ""  # address of the first part without a number, the same for every part
    part: int = 0  # number of this page, from 1
    parts: tuple[str, ...] = ()  # addresses of the other parts that the page links to, in order, at most 100


def find_series(tree: HtmlElement, url: str) -> Series:
    """The series of the page at ``url``, by links named with a number or as the next page; 下一篇 is another article.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><a href='a.html'>1</a> 2 <a href='a_3.html'>3</a> <a href='b.html'>下一篇</a></div>")
    >>> find_series(page, "http://www.example.cn/a_2.html")
    Series(series='http://www.example.cn/a.html', part=2, parts=('http://www.example.cn/a.html', 'http://www.example.cn/a_3.html'))
    """
    own_stem, own_number = _split_pages(url)
    own = _plain(url)
    named: dict[str, tuple[int, int]] = {}  # address: number in it (0 without one), number that names it (0: by a word)
    stem = ""
    for address, name in islice(_links(tree, url), MAX_LINKS):
        if address == own:
            continue
        link_stem, number = _split_pages(address)
        if number and link_stem in (own, own_stem):
            base = link_stem
        elif own_number and address == own_stem:
            base, number = own_stem, 0
        else:
            continue
        if stem and base != stem:
            continue
        stem = base
        named[address] = number, max(name, named.get(address, (0, 0))[1])
    if not named:
        return Series()
    place = own_number if stem == own_stem and stem != own else 0
    by_number = [name - number for number, name in named.values() if name and number and name - number in (0, 1)]
    reaches_first = any(not number or (number == 1 and name == 1) for number, name in named.values())
    if place and not by_number and not reaches_first:
        return Series()  # /post/12 beside /post/13: two articles, whatever the link is called
    # Some sites count from the second page on: a.html, a_1.html, a_2.html.
    offset = Counter(by_number).most_common(1)[0][0] if by_number else int(not place and min(n for n, _ in named.values()) == 1)
    part = place + offset if place else 1
    others: dict[int, str] = {}
    for address, (number, _) in named.items():
        others.setdefault(number + offset if number else 1, address)
    others.pop(part, None)
    if not others:
        return Series()
    return Series(stem, part, tuple(others[n] for n in sorted(others))[:MAX_PARTS])


def _links(tree: HtmlElement, url: str) -> Iterable[tuple[str, int]]:
    """Address of every link that may lead to another part, and the number that names it (0: a word)."""
    for link in tree.iter("a", "link"):
        href = link.get("href")
        if not href or len(href) > 2000:
            continue
        rel = (link.get("rel") or "").lower().split()
        name = "" if link.tag == "link" else " ".join("".join(islice(link.itertext(), 10)).split())
        number = _NUMBER.match(name) if len(name) < 10 else None
        if (
            number is None
            and not (set(rel) & {"next", "prev"} and (link.tag == "link" or not name.endswith("篇")))
            and not _STEP.match(name[:30])
        ):
            continue
        try:
            address = _plain(urljoin(url, href.strip()))
        except ValueError:
            continue
        yield address, int(number[1]) if number else 0


def _plain(url: str) -> str:
    """``url`` without fragment, host in lower case."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path, parts.query, ""))


def _split_pages(url: str) -> tuple[str, int]:
    """The address without the number of its part, and that number (0: none).

    >>> [_split_pages(f"http://a.cn/x{end}") for end in ("_2.html", "/3/", "?id=7&page=4", "")]
    [('http://a.cn/x.html', 2), ('http://a.cn/x/', 3), ('http://a.cn/x?id=7', 4), ('http://a.cn/x', 0)]
    """
    url = _plain(url)
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True) if len(parts.query) < 1000 else []
    for name, value in query:
        if name.lower() in _PARAMETERS and value.isascii() and value.isdigit() and 0 < int(value[:9]) <= MAX_PARTS:
            rest = urlencode([pair for pair in query if pair != (name, value)])
            return urlunsplit(parts._replace(query=rest)), int(value)
    if (file := _FILE.match(parts.path)) is not None and 0 < int(file[2]) <= MAX_PARTS:
        return urlunsplit(parts._replace(path=file[1] + file[3])), int(file[2])
    if (folder := _FOLDER.match(parts.path)) is not None and 0 < int(folder[2]) <= MAX_PARTS:
        return urlunsplit(parts._replace(path=folder[1] + ("/" if parts.path.endswith("/") else ""))), int(folder[2])
    return url, 0


# -- Extraction of a page

MAX_HTML = 2_000_000  # longest source that is extracted, in characters: ten times the longest article seen
_BULK = re.compile(
    r"<(svg|style|script(?![^>]{0,200}(?:math|json)))\b.*?(?:</(?:svg|style|script)\s*>|\Z)|data:[\w/+.;-]{1,80},[\w+/=%]+",
    re.S | re.I,
)
"""What makes a source long and holds no text: drawings, styles, scripts but formulas and JSON-LD, and data URLs."""

NO_TEXT = "no text"
TOO_LARGE = "page too large"
FAILED = "extraction failed"
TIMED_OUT = "extraction timed out"
CRASHED = "extraction crashed"
LIST_PAGE = "list page"
TAG_PAGE = "tag page"
HOME_PAGE = "home page"
VIDEO_PAGE = "video page"
GALLERY_PAGE = "gallery page"
REASONS = {LIST: LIST_PAGE, TAG: TAG_PAGE, HOME: HOME_PAGE, VIDEO: VIDEO_PAGE, GALLERY: GALLERY_PAGE}
"""Why a page of a kind that has no text of its own is rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted(Details, Series):
    """An extracted page, with the details of an article and its place in a series."""

    text: str = ""  # the main text, one paragraph a line; "" if there is none
    layout: list[list[int | str]] = field(default_factory=list)  # of the text, see `text.passages`
    kind: str = ""  # one of KINDS; "" if the page could not be read
    method: str = ""  # how the text was found: "model", "forum" or the format of a document
    reason: str = ""  # why there is no text, one of the constants of this module


def extract(html: str, url: str, max_html: int = MAX_HTML, fetched: str = "", anchors: Sequence[str] = ()) -> Extracted:
    """Extract a page; never raises, whatever the page holds.

    Args:
        html: the decoded source.
        url: of the page: a sign of its kind, its date and its parts.
        max_html: longest source, in characters, without drawings, scripts, styles and data URLs.
        fetched: when the page was fetched, ISO 8601 in UTC, ``2026-11-20T08:30:00+00:00``; default: now.
        anchors: texts of links that led to the page, which may name its title.

    >>> page = "<html><body><h1>主题教育</h1><article><p>" + "各级党组织扎实开展主题教育。" * 20 + "</p></article></body></html>"
    >>> extracted = extract(page, "http://www.example.cn/2023/0412/c1.html")
    >>> extracted.text[:6], extracted.date, extracted.kind, extracted.method
    ('各级党组织扎', '2023-04-12', 'article', 'model')
    >>> extract("", "http://www.example.cn/").reason
    'no text'
    """
    if len(html) > max_html and len(html := _BULK.sub("", html)) > max_html:
        return Extracted(reason=TOO_LARGE)
    try:
        if html.startswith(MARK) and (kind := is_document(html)):
            return _extract_document(html, kind, url, fetched, anchors)
        return _extract(html, url, fetched, anchors)
    except Exception:  # third-party parsers on pages from anywhere
        return Extracted(reason=FAILED)


def _extract(html: str, url: str, fetched: str, anchors: Sequence[str]) -> Extracted:
    tree = parse(html)
    if tree is None:
        return Extracted(reason=NO_TEXT)
    blocks = read_blocks(normalise(tree, html))
    if unseen := list(tree.iter("noscript")):
        letters = sum(count_letters("".join(element.itertext())) for element in unseen)
        if letters > sum(block.letters for block in blocks):  # scripts write the page; this is its text for those without them
            for element in unseen:
                element.tag = "div"
            blocks = read_blocks(normalise(tree, html))
    thread = read_thread(html, tree, url) if _may_be_thread(html, blocks, url) else None
    kind = FORUM if thread is not None else page_kind(tree, blocks, url, html)
    if thread is not None:
        main, method = thread.blocks, FORUM
    else:
        main = main_blocks(tree, blocks) if kind in (ARTICLE, DOCUMENTATION) else []
        host, title = _split(url).netloc, str(_TITLE(tree))
        if main and (end := _own_end(blocks, host, title)) and _is_teasers(blocks[end:], host, title):
            main = main_blocks(tree, blocks[:end])  # excerpts of others may outweigh a short text
        method = "model" if main else ""
    passages = [Passage(block.text, block.kind, block.level, block.note) for block in main]
    text = plain(passages)
    details = read_details(tree, blocks, url, fetched, anchors, html)
    if thread is not None:
        date = in_text(in_beijing(thread.stamp), url, fetched) or details.date
        title = thread.title if details.title not in thread.title or not details.title else details.title
        details = replace(details, title=title or details.title, author=thread.author or details.author, date=date)
    if not text:
        return Extracted(**asdict(details), kind=kind, reason=REASONS.get(kind, NO_TEXT))
    series = asdict(find_series(tree, url))
    return Extracted(**asdict(details), **series, text=text, layout=layout(passages), kind=kind, method=method)


def _extract_document(html: str, kind: str, url: str, fetched: str, anchors: Sequence[str]) -> Extracted:
    tree = parse(html)
    text = passages_of(tree) if tree is not None else []
    if tree is None or not text:
        return Extracted(reason=NO_TEXT)
    title = str(_TITLE(tree)) or name_of(anchors)
    day = day_of(text, url, fetched)
    return Extracted(title=title, date=day, text=plain(text), layout=layout(text), kind=DOCUMENT, method=kind)


def _may_be_thread(html: str, blocks: Sequence[Block], url: str) -> bool:
    """Whether metadata, address, headlines or words of a page are of a thread: to read one takes as long as an extraction."""
    if ADDRESS.search(url.partition("://")[2][:500]) or any(word in html for word in DECLARED):
        return True
    if sum(block.kind == "heading" and REPLY.match(block.text) is not None for block in blocks) > 1:
        return True
    seen = "\n".join(block.text for block in blocks[:MAX_LINKS])
    return sum(word in seen for word in WORDS) + sum(word in html for word in CODE_WORDS) >= MIN_WORDS


def warm_up() -> None:
    """Import and compile everything that :func:`extract` needs."""
    extract("<html><body><article><p>党建</p></article></body></html>", "http://www.example.cn/")
