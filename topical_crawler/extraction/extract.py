"""Extraction of a page: its kind, and the text, details and series of an article, documentation page or thread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.days import in_beijing, in_text
from topical_crawler.extraction.details import Details, read_details
from topical_crawler.extraction.documents import DOCUMENT, MARK, day_of, is_document, name_of, passages_of
from topical_crawler.extraction.forum import ADDRESS, CODE_WORDS, DECLARED, MIN_WORDS, REPLY, WORDS, read_thread
from topical_crawler.extraction.kinds import (
    ARTICLE,
    DOCUMENTATION,
    ERROR,
    FORUM,
    GALLERY,
    HOME,
    LIST,
    MIN_TEXT,
    PROSE,
    TAG,
    TITLE,
    VIDEO,
    end_of_own_text,
    page_kind,
)
from topical_crawler.extraction.main_text import main_blocks, parse
from topical_crawler.extraction.second import BOTH, OURS, SECOND, second_opinion
from topical_crawler.extraction.series import Series, find_series
from topical_crawler.extraction.shown import show
from topical_crawler.extraction.structure import Block, normalise, read_blocks
from topical_crawler.text.passages import Passage, layout, plain
from topical_crawler.web.data import text_in_data

MAX_HTML = 2_000_000  # longest source, in characters: ten times the longest article seen
_BULK = re.compile(
    r"<(svg|style|script(?![^>]{0,200}(?:math|json)))\b.*?(?:</(?:svg|style|script)\s*>|\Z)|data:[\w/+.;-]{1,80},[\w+/=%]+",
    re.S | re.I,
)
"""Parts of a source without text: drawings, styles, data URLs, and scripts except formulas and JSON-LD."""

MAX_BLOCKS = 5_000  # most blocks of a page searched for the words of a thread

_MAY_HAVE_DATA = (ARTICLE, DOCUMENTATION, GALLERY, LIST)  # kinds of pages with text possibly only in data

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
ERROR_PAGE = "error page"
REASONS = {LIST: LIST_PAGE, TAG: TAG_PAGE, HOME: HOME_PAGE, VIDEO: VIDEO_PAGE, GALLERY: GALLERY_PAGE, ERROR: ERROR_PAGE}
"""Reason for rejecting a page of a kind without text of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted(Details, Series):
    """Extracted page, with the details of an article and its place in a series."""

    text: str = ""  # main text, one paragraph a line, or ""
    layout: list[list[int | str]] = field(default_factory=list)  # of the text, see `text.passages`
    kind: str = ""  # one of KINDS, "" for an unreadable page
    # Origin of the text: "model", "forum", the name of an extractor, a format, or the kind of data in the page
    method: str = ""
    reason: str = ""  # for having no text, one of the constants of this module


def shortened(html: str, most: int = MAX_HTML) -> str:
    """Return a source longer than ``most`` characters without drawings, scripts, styles and data URLs, cut one character later.

    >>> shortened("<style>p {}</style><p>主题教育", 8), shortened("<p>主题教育开展", 7)
    ('<p>主题教育', '<p>主题教育开')
    """
    return html if len(html) <= most else _BULK.sub("", html)[: most + 1]


def extract(
    html: str, url: str, max_html: int = MAX_HTML, fetched: str = "", anchors: Sequence[str] = (), extractor: str = BOTH
) -> Extracted:
    """Extract a page. Never raises.

    Args:
        html: the decoded source.
        url: address of the page, a sign of its kind, date and parts.
        max_html: longest source, in characters, without drawings, scripts, styles and data URLs.
        fetched: time of fetching, ISO 8601 in UTC, ``2026-11-20T08:30:00+00:00`` (default: now).
        anchors: texts of links to the page, a sign of its title.
        extractor: see :func:`~topical_crawler.extraction.second.second_opinion`.

    >>> page = "<html><body><h1>主题教育</h1><article><p>" + "各级党组织扎实开展主题教育。" * 20 + "</p></article></body></html>"
    >>> extracted = extract(page, "http://www.example.cn/2023/0412/c1.html")
    >>> extracted.text[:6], extracted.date, extracted.kind, extracted.method
    ('各级党组织扎', '2023-04-12', 'article', 'model')
    >>> extract("", "http://www.example.cn/").reason
    'no text'
    """
    if len(html := shortened(html, max_html)) > max_html:
        return Extracted(reason=TOO_LARGE)
    try:
        if html.startswith(MARK) and (kind := is_document(html)):
            return _extract_document(html, kind, url, fetched, anchors)
        return _extract(html, url, fetched, anchors, extractor)
    except Exception:  # third-party parsers on pages from anywhere
        return Extracted(reason=FAILED)


def _extract(html: str, url: str, fetched: str, anchors: Sequence[str], extractor: str) -> Extracted:
    tree = parse(html)
    if tree is None:
        return Extracted(reason=NO_TEXT)
    blocks = read_blocks(normalise(show(tree, html), html))
    if unseen := list(tree.iter("noscript")):
        letters = sum(count_letters("".join(element.itertext())) for element in unseen)
        if letters > sum(block.letters for block in blocks):  # a page written by scripts, with a fallback text
            for element in unseen:
                element.tag = "div"
            blocks = read_blocks(normalise(tree, html))
    thread = read_thread(html, tree, url) if _may_be_thread(html, blocks, url) else None
    kind = FORUM if thread is not None else page_kind(tree, blocks, url, html)
    end = 0  # of the page's own text, if excerpts of others follow
    if thread is not None:
        main, method = thread.blocks, FORUM
    else:
        main = main_blocks(tree, blocks) if kind in (ARTICLE, DOCUMENTATION) else []
        if main and (end := end_of_own_text(tree, blocks, url)):
            main = main_blocks(tree, blocks[:end])  # the excerpts may outweigh a short text
        method = "model" if main else ""
        place, data, letters = text_in_data(html, sum(block.letters for block in main)) if kind in _MAY_HAVE_DATA else ("", "", 0)
        # The data of a list are excerpts.
        if letters >= (PROSE if kind == LIST else MIN_TEXT) and (text_tree := parse(data)) is not None:
            main, method, kind = read_blocks(normalise(text_tree)), place, ARTICLE
    passages = [Passage(block.text, block.kind, block.level, block.note) for block in main]
    settled = end > 0 or method not in ("", "model", FORUM)  # excerpts follow the text, or it comes from data of the page
    if not (settled and extractor == BOTH) and (
        other := second_opinion(html, url, str(TITLE(tree)), blocks, passages, kind, extractor)
    ):
        passages, thread, method = other, None, SECOND if extractor == BOTH else extractor
        kind = DOCUMENTATION if kind == DOCUMENTATION else ARTICLE
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
    title = str(TITLE(tree)) or name_of(anchors)
    day = day_of(text, url, fetched)
    return Extracted(title=title, date=day, text=plain(text), layout=layout(text), kind=DOCUMENT, method=kind)


def _may_be_thread(html: str, blocks: Sequence[Block], url: str) -> bool:
    """Return True if metadata, address, headlines or words suggest a thread. Reading one takes as long as an extraction."""
    if ADDRESS.search(url.partition("://")[2][:500]) or any(word in html for word in DECLARED):
        return True
    if sum(block.kind == "heading" and REPLY.match(block.text) is not None for block in blocks) > 1:
        return True
    seen = "\n".join(block.text for block in blocks[:MAX_BLOCKS])
    return sum(word in seen for word in WORDS) + sum(word in html for word in CODE_WORDS) >= MIN_WORDS


def warm_up() -> None:
    """Import and compile everything used by :func:`extract`."""
    extract("<html><body><article><p>党建</p></article></body></html>", "http://www.example.cn/", extractor=OURS)
