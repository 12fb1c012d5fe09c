"""Kind of a page: article, documentation, list, tag, home page, video, gallery, error.

Only articles, documentation and threads have a text of their own. A home page with the first lines of its posts would pass every
topic test, but its text is a patchwork.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import cast
from urllib.parse import SplitResult, unquote, urlsplit

from lxml.etree import XPath
from lxml.html import HtmlElement

from topical_crawler.cleaning.characters import count_letters, in_one_script
from topical_crawler.extraction.documents import DOCUMENT
from topical_crawler.extraction.main_text import COST, LINKED, densest, find_headline, in_tables, is_sentence, short_lines, worth
from topical_crawler.extraction.structure import HEADINGS, Block
from topical_crawler.web.dom import LIST_ADDRESS, OWN_PAGES, names_a_label

ARTICLE, DOCUMENTATION, FORUM = "article", "documentation", "forum"
LIST, TAG, HOME, VIDEO, GALLERY, ERROR = "list", "tag", "home", "video", "gallery", "error"
KINDS = (ARTICLE, DOCUMENTATION, FORUM, DOCUMENT, LIST, TAG, HOME, VIDEO, GALLERY, ERROR)
"""Kinds of pages. Only the first four have a text of their own."""
PROSE = 200  # letters of a text beyond doubt, with any address and links
MIN_TEXT = 20  # letters below which a page has hardly any text beside its headings: the shortest news items have 56
LINKS_SHARE = 0.3  # share of the letters in links over which a page with hardly any running text is a list
MANY_LINKS = 12  # fewest links of a list recognised by its links alone: a two-line article has some as well
TEASERS = 3  # fewest linked headlines of a list, each with text below it
TEASER_TEXT = 40  # fewest letters of the text below a headline: dates and tags are shorter
TEASERS_COVER = 0.6  # smallest share of a page's running text below such headlines
TEASERS_LARGEST = 0.5  # greatest share below a single one: an article may stand below a link, too
OWN_TEXT = 100  # letters of a text below the title over which the rest may be related articles
HEADLINE = 6  # fewest letters of a linked headline: tags and channels are shorter
HEADLINE_SHARE = 0.5  # least share of its letters in the link: the rest is a day and a section
IMAGES = 4  # fewest images outside links of a gallery with hardly any text

# Of error pages, in simplified characters.
_PART = "(?:页面?|内容|文章|帖子?|主题|链接|网址|信息|资源|文件)"
_GONE = (
    r"(?:不存在|找不到|[未没有]找到|无法(?:找到|显示|访问|打开|查看)|已[^，。！]{0,6}(?:[删移]除|下[架线])|丢[了失]|过期|失效)"
)
_FAULT = (
    rf"(?:{_PART}.{{0,12}}{_GONE}|{_GONE}.{{0,10}}{_PART}|(?:服务器|系统)(?:错误|出错)|阅读权限|(?:page )?not found|was moved)"
)
_ERROR_TEXT = re.compile(_FAULT, re.IGNORECASE)
_ERROR_TITLE = re.compile(
    r"\W*(?:(?:http|error|错误)?\W*[45]0\d|(?:系统|错误)?提示(?:信息)?|出错|error|oops)?\W*(?:很?抱歉|对不起|sorry)?"
    rf"\W*(?:[^\W\d]{{0,8}}?{_FAULT}|error|错误|页面?)?[了啦]?\W*",
    re.IGNORECASE,
)
_SORRY = re.compile(r"\W*[很非常]{0,2}(?:抱歉|对不起|遗憾|sorry)", re.IGNORECASE)
_VIDEO_ADDRESS = re.compile(r"/(?:v|videos?|shipin|sp|tv)/|^(?:v|tv|video)\.", re.IGNORECASE)
_VIDEO_TITLE = re.compile(r"^\W{0,3}(?:视频|視頻|视讯|直播回放)\W|[(（【\[]视频[)）】\]]\s*$")
_GALLERY_ADDRESS = re.compile(
    r"/(?:photos?|galler(?:y|ies)|tuji|tupian|pics?|pictures?|albums?|slides?)/|^(?:photos?|pic)\.", re.IGNORECASE
)
_PAGER_ADDRESS = re.compile(
    r"/page[/_-]\d{1,5}/?$|/(?:lists?|zt|special|series)(?:/\d{1,6}(?:_\d{1,6})?\.\w{2,5}|/?)$|/(?:tags?|categor(?:y|ies))/.{1,300}/$",
    re.IGNORECASE,
)
# An article in a folder of its own, a thread.
_NO_LIST = re.compile(r"^(?:/[^/]+){3,}/index\.\w{2,5}$|/[^/]*\d{4,}[^/]*/index\.\w{2,5}$|/topics?/\d+/?$")
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
_IMAGES = XPath(
    "count(//img[not(ancestor::a[@href] or ancestor::header or ancestor::footer or ancestor::nav or ancestor::aside)])"
)
_TITLE_PARTS = re.compile(r"\s[-–—|_]|[|_]")
TITLE = XPath("string(//title)")
_PAGE_LINKS = XPath("//a[contains(@href, '/page')]/@href")


def page_kind(tree: HtmlElement, blocks: Sequence[Block], url: str, source: str = "") -> str:
    """Return one of :data:`KINDS`, except :data:`FORUM` and :data:`DOCUMENT`.

    For threads see :func:`~topical_crawler.extraction.forum.read_thread`. Error pages report a missing page in their headline and
    below it, or in a few words. A page with hardly any text is a video or a gallery by its address, title or embedded elements.
    A page with at least one point is a list. Points for: an address like ``/tag/…`` (two for ``/page/2`` with several linked
    headlines or links to more such pages); a title like 标签：党建; linked headlines with the beginnings of other texts; links
    beside hardly any running text. Points against: metadata of an article; a text of :data:`PROSE` letters not below such
    headlines. A list becomes a home or tag page by its address and title, an article becomes documentation by its generator,
    address and navigation.

    Args:
        tree: the parsed page.
        blocks: its blocks, normalised.
        url: its address.
        source: HTML of the page, only to skip searches without a chance ("": search for everything).

    >>> from lxml.html import fromstring
    >>> from topical_crawler.extraction.structure import read_blocks
    >>> page = fromstring("<title>视频：开幕会</title><h1>视频：开幕会</h1><div class='player'></div>")
    >>> page_kind(page, read_blocks(page), "http://www.example.cn/v/1.html")
    'video'
    """
    title = " ".join(str(TITLE(tree)).split())[:200]
    found = [block for block in densest(blocks) if block.tag not in HEADINGS]
    text = float(sum(block.letters - COST for block in found))
    if text < PROSE:  # beyond doubt otherwise
        text = max(text + in_tables(blocks), sum(blocks[place].letters for place in short_lines(blocks, title)))
    parts = _split(url)
    path = unquote(parts.path)[:500]
    if _is_error(title, blocks, [block.text for block in found[:2]], text):
        return ERROR
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


def _is_error(title: str, blocks: Sequence[Block], begins: Sequence[str], text: float) -> bool:
    """Return True if a page reports a missing page, by its title, headings and the first lines (``begins``) of its ``text``."""
    heads = [_TITLE_PARTS.split(title)[0], *(block.text for block in blocks if block.tag in ("h1", "h2"))]
    named = any(len(head) < TEASER_TEXT and head and _ERROR_TITLE.fullmatch(in_one_script(head)) for head in heads[:3])
    lines = [in_one_script(line[:200]) for line in begins]
    reported = any(map(_ERROR_TEXT.search, lines))
    return (named and (reported or text < PROSE)) or (reported and text < PROSE and _SORRY.match(lines[0]) is not None)


def _list_points(tree: HtmlElement, blocks: Sequence[Block], parts: SplitResult, title: str, text: float) -> int:
    body = [block for block in blocks if not block.furniture]
    path = unquote(parts.path)[:500]
    is_address = bool((LIST_ADDRESS.search(path) or _PAGER_ADDRESS.search(path)) and not _NO_LIST.search(path))
    is_address = is_address and not (parts.query and _HOME_PATH.match(path))  # /?p=12 may be an article
    teasers = _is_teasers(body, parts.netloc, title) or (is_address and _is_cut(body))
    linked = sum(block.linked for block in body)
    running = sum(block.letters for block in body if _is_running(block) and worth(block) > 0)
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
    """Return True if the page links to several pages of a home page."""
    paths = {_split(href).path for href in cast("list[str]", _PAGE_LINKS(tree))[:200]}
    return sum(bool(OWN_PAGES.search(path)) for path in paths) > 1


def _is_running(block: Block) -> bool:
    return block.tag not in HEADINGS and (block.letters >= TEASER_TEXT or (block.letters >= 10 and is_sentence(block.text)))


def _is_teasers(blocks: Sequence[Block], host: str, title: str) -> bool:
    """Return True if most running text stands below headlines linked to ``host``, all in one kind of element.

    No headline may have more than half of it. Related articles do not count: they are much shorter than the page's own text
    below its title.
    """
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


def end_of_own_text(tree: HtmlElement, blocks: Sequence[Block], url: str) -> int:
    """Return the place behind the page's own text if excerpts of other texts follow, else 0."""
    host, title = _split(url).netloc, str(TITLE(tree))
    end = _own_end(blocks, host, title)
    return end if end and _is_teasers(blocks[end:], host, title) else 0


_DAY = re.compile(r"(?:19|20)\d\d\s?[-年/.]\s?\d{1,2}\s?[-月/.]\s?\d")


def _own_end(blocks: Sequence[Block], host: str, title: str) -> int:
    """Return the place of the first headline linked to ``host`` behind the page's own text, else 0.

    The own text stands below the headline and a line with a date. A list has linked headlines before its first text.
    """
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
    """Return True if most paragraphs right below headings are cut off: excerpts with links outside of the headings."""
    below = [after for block, after in pairwise(blocks) if block.tag in ("h2", "h3") and after.tag not in HEADINGS]
    long = (block.text for block in below if block.letters >= TEASER_TEXT)
    return sum(text.endswith(_CUT) or not is_sentence(text) for text in long) >= max(2, TEASERS_COVER * len(below))


def _is_headline(block: Block, host: str) -> bool:
    if block.linked < HEADLINE or block.link_share < HEADLINE_SHARE or block.letters > 2 * TEASER_TEXT:
        return False
    names_page = not block.href.startswith("#") and _split(block.href).netloc in ("", host)
    return names_page and block.links <= (1 if block.link_share >= 0.9 else 2)


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
