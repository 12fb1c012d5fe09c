"""What a page is: an article, a list of links or excerpts, a video, a gallery.

Only an article has a text of its own. A home page whose posts stand there with their first lines passes every test of the topic,
and its text is a patchwork that the articles themselves hold better.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast
from urllib.parse import SplitResult, unquote, urlsplit

from lxml.etree import XPath
from lxml.html import HtmlElement

from topical_crawler.extraction.extractors import COST, HEADINGS, LINKED, Block, densest, is_sentence, worth
from topical_crawler.web.dom import LIST_ADDRESS, OWN_PAGES

ARTICLE, LIST, VIDEO, GALLERY = "article", "list", "video", "gallery"
PROSE = 200
"""Letters of a text that is one beyond doubt, so that neither the page's address nor its links say anything against it."""
HARDLY = 20
"""Letters under which a page has hardly any text beside its headings: the shortest news items have 56."""
LINKS_SHARE = 0.3
"""Share of the letters in links over which a page with hardly any running text is a list: dates and names stand beside them."""
MANY_LINKS = 12
"""Links of a page that may be a list for nothing but its links: an article of two lines has a few as well."""
TEASERS = 3
"""Linked headlines, each with text below it, that make a list."""
TEASER_TEXT = 40
"""Letters of the text below a headline, at least; what a page has of dates and tags there is shorter."""
TEASERS_COVER = 0.6
"""Share of a page's running text that stands below such headlines, at least."""
TEASERS_LARGEST = 0.5
"""Share of a page's running text that stands below one headline, at most: an article may stand below a link, too."""
HEADLINE = 6
"""Letters of a linked headline, at least: tags and channels are shorter."""
IMAGES = 4
"""Images outside links that make a page with hardly any text a gallery."""

_VIDEO_ADDRESS = re.compile(r"/(?:v|videos?|shipin|sp|tv)/|^(?:v|tv|video)\.", re.IGNORECASE)
_VIDEO_TITLE = re.compile(r"^\W{0,3}(?:视频|視頻|视讯|直播回放)\W|[(（【\[]视频[)）】\]]\s*$")
_GALLERY_ADDRESS = re.compile(
    r"/(?:photos?|galler(?:y|ies)|tuji|tupian|pics?|pictures?|albums?|slides?)/|^(?:photos?|pic)\.", re.IGNORECASE
)
_OG_TYPE = XPath("string(//meta[@property='og:type' or @name='og:type']/@content)")
_PUBLISHED = XPath("boolean(//meta[@property='article:published_time' or @itemprop='datePublished'])")
_PLAYER = XPath(
    "boolean(//video | //embed | //object[@data or .//param] | //iframe[contains(@src, 'player') or contains(@src, 'video')]"
    " | //*[contains(concat(' ', @class, ' '), ' player ') or contains(@class, 'video-player') or @id='player' or @id='video'])"
)
_IMAGES = XPath("count(//img[not(ancestor::a or ancestor::header or ancestor::footer or ancestor::nav or ancestor::aside)])")
_TITLE = XPath("string(//title)")
_PAGE_LINKS = XPath("//a[contains(@href, '/page')]/@href")


def page_kind(tree: HtmlElement, blocks: Sequence[Block], url: str) -> str:
    """:data:`ARTICLE`, :data:`LIST`, :data:`VIDEO` or :data:`GALLERY`.

    A page with hardly any text is a video or a gallery where its address, its title or what it embeds says so. For a list speak,
    one point each: an address like ``/tag/…`` (two: ``/page/2`` with several linked headlines or links to more such pages);
    linked headlines with the beginnings of other texts; links beside hardly any running text. Against it, one point each: that
    the page declares itself an article; a text of :data:`PROSE` letters that is not below such headlines. From one point on it
    is a list.

    Args:
        tree: of the page.
        blocks: of the page.
        url: of the page.

    >>> from lxml.html import fromstring
    >>> from topical_crawler.extraction.extractors import read_blocks
    >>> page = fromstring("<title>视频：开幕会</title><h1>视频：开幕会</h1><div class='player'></div>")
    >>> page_kind(page, read_blocks(page), "http://www.example.cn/v/1.html")
    'video'
    """
    text = sum(block.letters - COST for block in densest(blocks) if block.tag not in HEADINGS)
    bare = text < HARDLY
    parts = _split(url)
    path = unquote(parts.path)[:500]
    if bare and not LIST_ADDRESS.search(path):
        og = str(_OG_TYPE(tree)).strip().lower()
        if (
            og.startswith("video")
            or _VIDEO_ADDRESS.search(path)
            or _VIDEO_TITLE.search(str(_TITLE(tree)).strip()[:200])
            or _PLAYER(tree)
        ):
            return VIDEO
        if _GALLERY_ADDRESS.search(path) or cast(float, _IMAGES(tree)) >= IMAGES:
            return GALLERY
    return LIST if _list_points(tree, blocks, parts, text) >= 1 else ARTICLE


def _list_points(tree: HtmlElement, blocks: Sequence[Block], parts: SplitResult, text: float) -> int:
    body = [block for block in blocks if not block.furniture]
    path = unquote(parts.path)[:500]
    teasers = _is_teasers(body, parts.netloc)
    linked = sum(block.linked for block in body)
    running = sum(block.letters for block in body if worth(block) > 0 and _is_running(block))
    links = sum(block.links for block in blocks)
    points = int(teasers)
    if links:  # an empty page is no list
        points += bool(LIST_ADDRESS.search(path))
        if OWN_PAGES.search(path):
            several = sum(_is_headline(block, parts.netloc) for block in body) > 1 or _has_pager(tree)
            points += 2 if several else 1
    points += (
        running < HARDLY
        and sum(block.links for block in body) >= MANY_LINKS
        and linked > LINKS_SHARE * sum(block.letters for block in body)
    )
    points -= str(_OG_TYPE(tree)).strip().lower() == "article" or bool(_PUBLISHED(tree))
    return points - (text >= PROSE and not teasers)


def _has_pager(tree: HtmlElement) -> bool:
    """Whether links lead to several pages of the home page."""
    paths = {_split(href).path for href in cast("list[str]", _PAGE_LINKS(tree))[:200]}
    return sum(bool(OWN_PAGES.search(path)) for path in paths) > 1


def _is_running(block: Block) -> bool:
    return block.tag not in HEADINGS and (block.letters >= TEASER_TEXT or (block.letters >= 10 and is_sentence(block.text)))


def _is_teasers(blocks: Sequence[Block], host: str) -> bool:
    """Whether most of the running text stands below headlines linked to pages of ``host``, and no half below a single one."""
    total, below = 0, [0]
    for block in blocks:
        if _is_headline(block, host):
            below.append(0)
        elif block.link_share <= LINKED and block.letters >= TEASER_TEXT:
            total += block.letters
            below[-1] += block.letters
    teasers = [letters for letters in below[1:] if letters >= TEASER_TEXT]
    return len(teasers) >= TEASERS and sum(teasers) >= TEASERS_COVER * total and max(teasers) <= TEASERS_LARGEST * total


def _is_headline(block: Block, host: str) -> bool:
    if block.link_share < 0.9 or block.letters < HEADLINE or block.links > 1 or block.href.startswith("#"):
        return False
    return _host(block.href) in ("", host)


def _host(href: str) -> str:
    """Host of an address as written in a link, "" for a relative or an unreadable one."""
    return _split(href).netloc


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
