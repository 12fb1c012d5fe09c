"""Extract a page: its kind, and of an article text, details and other parts."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from topical_crawler.extraction.details import Details, read_details
from topical_crawler.extraction.extractors import main_text, parse, read_blocks
from topical_crawler.extraction.kinds import ARTICLE, GALLERY, LIST, VIDEO, Series, find_series, page_kind

MAX_HTML = 2_000_000  # longest source that is extracted, in characters: ten times the longest article seen

NO_TEXT = "no text"
TOO_LARGE = "page too large"
FAILED = "extraction failed"
TIMED_OUT = "extraction timed out"
CRASHED = "extraction crashed"
LIST_PAGE = "list page"
VIDEO_PAGE = "video page"
GALLERY_PAGE = "gallery page"
_REASONS = {LIST: LIST_PAGE, VIDEO: VIDEO_PAGE, GALLERY: GALLERY_PAGE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted(Details, Series):
    """An extracted page, with the details of an article and its place in a series.

    Attributes:
        text: the main text, one paragraph a line; "" if there is none.
        kind: "article", "list", "video" or "gallery"; "" if the page could not be read.
        method: the extractor of the text.
        reason: why there is no text, one of the constants of this module.
    """

    text: str = ""
    kind: str = ""
    method: str = ""
    reason: str = ""


def extract(html: str, url: str, max_html: int = MAX_HTML, fetched: str = "") -> Extracted:
    """Extract a page; never raises, whatever the page holds.

    Args:
        html: the decoded source.
        url: of the page: a sign of its kind, its date and its parts.
        max_html: longest source, in characters.
        fetched: when the page was fetched, ISO 8601 in UTC, ``2026-11-20T08:30:00+00:00``; default: now.

    >>> page = "<html><body><h1>主题教育</h1><article><p>" + "各级党组织扎实开展主题教育。" * 20 + "</p></article></body></html>"
    >>> extracted = extract(page, "http://www.example.cn/2023/0412/c1.html")
    >>> extracted.text[:6], extracted.date, extracted.kind, extracted.method
    ('各级党组织扎', '2023-04-12', 'article', 'trafilatura')
    >>> extract("", "http://www.example.cn/").reason
    'no text'
    """
    if len(html) > max_html:
        return Extracted(reason=TOO_LARGE)
    try:
        return _extract(html, url, fetched)
    except Exception:  # third-party parsers on pages from anywhere
        return Extracted(reason=FAILED)


def _extract(html: str, url: str, fetched: str) -> Extracted:
    tree = parse(html)
    if tree is None:
        return Extracted(reason=NO_TEXT)
    blocks = read_blocks(tree)
    kind = page_kind(tree, blocks, url)
    text, method = main_text(html, tree, blocks) if kind == ARTICLE else ("", "")
    details = asdict(read_details(tree, blocks, url, fetched, search_date=bool(text)))
    if not text:
        return Extracted(**details, kind=kind, reason=_REASONS.get(kind, NO_TEXT))
    return Extracted(**details, **asdict(find_series(tree, url)), text=text, kind=kind, method=method)


def warm_up() -> None:
    """Import and compile everything that :func:`extract` needs."""
    extract("<html><body><article><p>党建</p></article></body></html>", "http://www.example.cn/")
