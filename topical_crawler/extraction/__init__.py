"""What a page is, and of an article the text, the parts and all that is known of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from topical_crawler.extraction.details import Details, read_details
from topical_crawler.extraction.extractors import main_text, parse, read_blocks
from topical_crawler.extraction.kinds import ARTICLE, GALLERY, LIST, VIDEO, page_kind
from topical_crawler.extraction.pagination import find_series

MAX_HTML = 2_000_000
"""Longest source that is extracted, in characters: the longest article seen was under a tenth of it."""

NO_TEXT = "no text"
TOO_LARGE = "page too large"
FAILED = "extraction failed"
TIMED_OUT = "extraction timed out"
CRASHED = "extraction crashed"
LIST_PAGE = "list page"
VIDEO_PAGE = "video page"
GALLERY_PAGE = "gallery page"
_REASONS = {LIST: LIST_PAGE, VIDEO: VIDEO_PAGE, GALLERY: GALLERY_PAGE}


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was found on a page.

    Attributes:
        text: the main text, one paragraph a line; "" if there is none.
        title: headline of the article without the site's name; "" if unknown.
        date: of publication, ``YYYY-MM-DD``, never after the page was fetched; "" if unknown.
        author: as named by the page, no editors; "" if unknown.
        source: the outlet that the page names as its own (来源), "" if unknown.
        section: the way to the page on its site without its ends, ``党建 > 要闻``; "" if unknown.
        canonical: the address that the page calls its own, where that is another; "" otherwise.
        license: address or name of the licence that the page names, "" if it names none.
        kind: "article", "list", "video" or "gallery"; "" where the page could not be read.
        method: the extractor whose text this is; "" if there is none.
        series: of an article on several pages, the address of its first part without a number, the same for every part; "" for
            all others.
        part: number of this part, from 1; 0 where there is no series.
        parts: addresses of the other parts that the page links to, in their order, 100 at most.
        reason: why there is no text (one of the reasons of this module); "" where there is.
    """

    text: str = ""
    title: str = ""
    date: str = ""
    author: str = ""
    source: str = ""
    section: str = ""
    canonical: str = ""
    license: str = ""
    kind: str = ""
    method: str = ""
    series: str = ""
    part: int = 0
    parts: tuple[str, ...] = ()
    reason: str = ""


def extract(html: str, url: str, max_html: int = MAX_HTML, fetched: str = "") -> Extracted:
    """Find the kind of a page and, of an article, text and details. Nothing raises, whatever the page holds.

    Args:
        html: the decoded source.
        url: of the page: it tells of its kind, its date, its parts.
        max_html: most characters of source.
        fetched: when the page was fetched, ISO 8601 in UTC, ``2026-11-20T08:30:00+00:00``; now where it is not given.

    >>> page = "<html><body><h1>主题教育</h1><article><p>" + "各级党组织扎实开展主题教育。" * 20 + "</p></article></body></html>"
    >>> found = extract(page, "http://www.example.cn/2023/0412/c1.html")
    >>> found.text[:6], found.date, found.kind, found.method
    ('各级党组织扎', '2023-04-12', 'article', 'trafilatura')
    >>> extract("", "http://www.example.cn/").reason
    'no text'
    """
    if len(html) > max_html:
        return Extracted(reason=TOO_LARGE)
    try:
        return _extract(html, url, fetched)
    except Exception:  # parsers and a page from anywhere: whatever it is, it concerns this page alone
        return Extracted(reason=FAILED)


def _extract(html: str, url: str, fetched: str) -> Extracted:
    tree = parse(html)
    if tree is None:
        return Extracted(reason=NO_TEXT)
    blocks = read_blocks(tree)
    kind = page_kind(tree, blocks, url)
    if kind != ARTICLE:
        return _with(read_details(tree, blocks, url, fetched, search_date=False), kind=kind, reason=_REASONS[kind])
    text, method = main_text(html, tree, blocks)
    if not text:
        return _with(read_details(tree, blocks, url, fetched, search_date=False), kind=kind, reason=NO_TEXT)
    series = find_series(tree, url)
    found = _with(read_details(tree, blocks, url, fetched), text=text, kind=kind, method=method)
    return replace(found, series=series.series, part=series.part, parts=series.parts)


def _with(details: Details, *, text: str = "", kind: str = "", method: str = "", reason: str = "") -> Extracted:
    return Extracted(
        text,
        details.title,
        details.date,
        details.author,
        details.source,
        details.section,
        details.canonical,
        details.license,
        kind,
        method,
        reason=reason,
    )


def warm_up() -> None:
    """Have everything imported and compiled that :func:`extract` needs."""
    extract("<html><body><article><p>党建</p></article></body></html>", "http://www.example.cn/")
