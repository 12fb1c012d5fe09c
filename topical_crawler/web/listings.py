"""Sitemaps and feeds: lists for programs, with address and often title and date of each page of a site.

>>> listing = read(b"<urlset><url><loc>http://a.cn/dj/1.html</loc><lastmod>2024-05-01</lastmod></url></urlset>", "http://a.cn/s.xml")
>>> listing.kind, listing.links[0].url, listing.links[0].around
('sitemap', 'http://a.cn/dj/1.html', '2024-05-01')
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from io import BytesIO
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from topical_crawler.web.dom import decode
from topical_crawler.web.page import MAX_ANCHOR, Link, address, single_line

SITEMAP, FEED = "sitemap", "feed"
"""Kinds of listings, and outcomes of their addresses."""
NO_LISTING = "no sitemap or feed"
"""Outcome of an address without a readable listing, followed by a colon and the cause."""
MOST_BYTES = 10 * 1024 * 1024  # read of an unpacked sitemap
MOST_FEED_BYTES = 1024 * 1024
MOST_ENTRIES = 5_000  # read from one listing
MOST_ITEMS = 500  # read from one feed: the parser takes a millisecond for each
MOST_NESTED = 20  # sitemaps fetched of an index, the latest changed
MOST_ANNOUNCED = 8  # listings read from a robots.txt or a page
USUAL = {SITEMAP: ("/sitemap.xml",), FEED: ("/feed", "/rss.xml", "/atom.xml")}
"""Usual addresses of listings without an announcement."""

_ROOTS = {"urlset": SITEMAP, "sitemapindex": SITEMAP, "rss": FEED, "feed": FEED, "rdf": FEED}
_PROLOGUE = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!doctype[^>\[]*(?:\[.*?\]\s*)?>)*+", re.IGNORECASE | re.DOTALL)
_ROOT = re.compile(r"<(?:[\w.-]+:)?(\w+)[\s>/]")
_BEGINNING = re.compile(rb"<(?:[\w.-]+:)?(?:urlset|sitemapindex|rss|feed|rdf)[\s>]", re.IGNORECASE)
_HEAD = 8192  # characters searched for the first element
_ENTRY = re.compile(r"<(?:[\w.-]+:)?(url|sitemap)(?=[\s>])")
_ITEM_END = re.compile(r"</(?:[\w.-]+:)?(?:item|entry)\s*>", re.IGNORECASE)
_FIELD = re.compile(  # title, date and keywords are of Google's extensions for news and videos
    r"<(?:(\w+):)?(loc|lastmod|title|publication_date|keywords)(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[)?([^<]*)"
)
_LONGEST_ENTRY = 20_000
_REFERENCE = re.compile(r"&#?\w{1,10};")  # anything else is part of an address
_IN_ROBOTS = re.compile(r"^[ \t]*site-?maps?[ \t]*[ \t:][ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"(?<!\S)#[^\r\n]*")  # in a list of addresses
_DATE = re.compile(r"\d{4}(-|$)")
_LISTS = re.compile(r"sitemap|xml|rss|feed|atom|rdf", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Listing:
    """Contents of a sitemap or a feed.

    Attributes:
        kind: :data:`SITEMAP` or :data:`FEED`.
        links: its entries, the latest first if they have dates. The anchor is the title, the text around is date, section and
            summary, the place is kind and section.
        nested: addresses of the sitemaps in an index, the latest changed first, at most :data:`MOST_NESTED`.
        left_out: entries and sitemaps beyond the bounds, in the part read.
    """

    kind: str
    links: tuple[Link, ...] = ()
    nested: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    url: str
    date: str = ""  # ISO 8601
    title: str = ""
    section: str = ""
    summary: str = ""


def is_listing(reason: str) -> bool:
    """Return True if an address was fetched as a sitemap or a feed, by its outcome.

    >>> is_listing("feed"), is_listing("no sitemap or feed: HTTP 404"), is_listing("HTTP 404")
    (True, True, False)
    """
    return reason in (SITEMAP, FEED) or reason.startswith(NO_LISTING)


def looks_like_one(body: bytes) -> bool:
    """Return True if the first bytes of an answer are those of an unpacked listing.

    >>> looks_like_one(b'<?xml version="1.0"?><rss version="2.0">'), looks_like_one(b"<!doctype html><html>")
    (True, False)
    """
    return bool(_BEGINNING.search(body[:2048]))


def may_list(url: str) -> bool:
    """Return True if an address looks like that of a listing. A redirect from one to a home page finds none.

    >>> may_list("http://a.cn/sitemap_index.xml"), may_list("http://a.cn/feed/"), may_list("http://a.cn/党建/")
    (True, True, False)
    """
    return bool(_LISTS.search(url.partition("://")[2].partition("/")[2]))


def of_robots(text: str) -> tuple[str, ...]:
    """Return the sitemaps named by a robots.txt, at most :data:`MOST_ANNOUNCED`.

    Relative addresses are left out, because the protocol requires full ones.

    >>> of_robots("User-agent: *\\nDisallow: /内部/\\nSitemap: http://a.cn/sitemap.xml")
    ('http://a.cn/sitemap.xml',)
    """
    matches = islice(_IN_ROBOTS.finditer(text), 10 * MOST_ANNOUNCED)
    found = (url for match in matches if (url := address(match[1], "")))
    return tuple(islice(dict.fromkeys(found), MOST_ANNOUNCED))


def of_host(page: str, kind: str, announced: Iterable[str]) -> tuple[str, ...]:
    """Return the addresses of listings on a page's host: those ``announced`` of a ``kind``, else the usual ones.

    >>> of_host("http://a.cn/dj/1.html", "feed", ())
    ('http://a.cn/feed', 'http://a.cn/rss.xml', 'http://a.cn/atom.xml')
    """
    return tuple(dict.fromkeys(announced)) or tuple(urljoin(page, path) for path in USUAL[kind])


def read(body: bytes, url: str, content_type: str = "") -> Listing | None:
    """Read a listing, gzipped or not. Malformed XML is read as far as possible, without expanding entities.

    Args:
        body: as received.
        url: its address, base of relative addresses.
        content_type: the header.

    Returns:
        None for anything else, such as the error page of a site.
    """
    if body[:2] == b"\x1f\x8b":
        body = _unpacked(body)
    # Apart from a byte order mark, XML names its encoding in its first line, also read by decode().
    text = decode(body[:MOST_BYTES], content_type)[0].lstrip("\ufeff")
    begin = _PROLOGUE.match(text[:_HEAD])
    root = _ROOT.match(text, begin.end() if begin else 0)
    kind = _ROOTS.get(root[1].lower()) if root else None
    if kind == SITEMAP:
        entries, nested, left_out = _sitemap(text)
        return Listing(
            SITEMAP, _links(SITEMAP, url, entries), tuple(filter(None, (address(entry.url, url) for entry in nested))), left_out
        )
    if root is not None and kind == FEED:
        items, left_out = _feed(text[root.start() :])
        return Listing(FEED, _links(FEED, url, items), left_out=left_out)
    addresses = _COMMENT.sub("", text).lstrip()
    lines = addresses.split() if addresses.startswith(("http://", "https://")) else []
    if lines and all(line.startswith(("http://", "https://")) for line in lines):
        return Listing(SITEMAP, _links(SITEMAP, url, map(_Entry, lines[:MOST_ENTRIES])), left_out=len(lines[MOST_ENTRIES:]))
    return None


def _unpacked(body: bytes) -> bytes:
    """Return at most :data:`MOST_BYTES` of gzipped data, of a broken file the part before the fault."""
    unpack, text = zlib.decompressobj(wbits=31), b""
    try:
        for start in range(0, len(body), 65_536):
            text += unpack.decompress(body[start : start + 65_536], MOST_BYTES - len(text))
            if len(text) >= MOST_BYTES or unpack.eof:
                break
    except zlib.error:
        pass
    return text


def _sitemap(text: str) -> tuple[list[_Entry], list[_Entry], int]:
    """Return entries, nested sitemaps, and the number of further ones.

    Cut by tags, since an XML parser continuing after an error loses what follows it. Each step reads a part of the text once.
    """
    _, *parts = _ENTRY.split(text, MOST_ENTRIES)
    found: dict[str, list[_Entry]] = {"url": [], "sitemap": []}
    for name, part in zip(parts[::2], parts[1::2], strict=True):
        fields: dict[str, str] = {}
        for prefix, field, value in _FIELD.findall(part[:_LONGEST_ENTRY]):
            if prefix != "image":
                value = _REFERENCE.sub(lambda match: unescape(match[0]), value.partition("]]>")[0])
                fields.setdefault(field, single_line(value))
        url, title, section = (fields.get(field, "") for field in ("loc", "title", "keywords"))
        date = fields.get("lastmod") or fields.get("publication_date", "")
        found[name].append(_Entry(url, date if _DATE.match(date) else "", title, section))
    nested = sorted(found["sitemap"], key=lambda entry: entry.date, reverse=True)
    unread = len(_ENTRY.findall(parts[-1])) if parts else 0
    return found["url"], nested[:MOST_NESTED], unread + len(nested[MOST_NESTED:])


def _feed(text: str) -> tuple[list[_Entry], int]:
    """Return entries, and the number of further ones, of a feed without its prologue, the place of entity definitions."""
    import feedparser  # takes 60 ms, not needed without feeds

    ends = [match.end() for match in _ITEM_END.finditer(text)]
    if len(ends) > MOST_ITEMS:  # closed in order, because a broken feed takes the parser twice as long
        root = text[1:].split(">", 1)[0].split(None, 1)[0]
        text = f"{text[: ends[MOST_ITEMS - 1]]}{'</channel>' * (root == 'rss')}</{root}>"
    source = BytesIO(text.encode("utf-8", "replace")[:MOST_FEED_BYTES])  # a string could be taken for a file name
    headers = {"content-type": "application/xml; charset=utf-8"}
    feed = feedparser.parse(source, response_headers=headers, sanitize_html=False, resolve_relative_uris=False)
    items = [_item(item) for item in feed.entries]
    return items[:MOST_ITEMS], len(items[MOST_ITEMS:]) + len(ends[MOST_ITEMS:])


def _item(item: Mapping[str, Any]) -> _Entry:
    """Return an entry of a feed. Without a link its identifier is its address."""
    when = item.get("published_parsed") or item.get("updated_parsed")
    date = "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}".format(*when[:6]) if when else ""
    tags = (single_line(str(tag.get("term") or tag.get("label") or "")) for tag in item.get("tags", ()))
    title, summary = (_plain(str(item.get(name) or "")) for name in ("title", "summary"))
    return _Entry(str(item.get("link") or item.get("id") or ""), date, title, " ".join(filter(None, tags)), summary)


def _plain(html: str) -> str:
    return single_line(re.sub(r"<[^<>]*>", " ", html[:4000]))


def _links(kind: str, base: str, entries: Iterable[_Entry]) -> tuple[Link, ...]:
    """Return entries as links, the latest first, undated ones last in their order, each address once."""
    links: dict[str, Link] = {}
    for entry in sorted(entries, key=lambda entry: entry.date, reverse=True):
        if (url := address(entry.url, base)) and url not in links and url != base:
            around = " ".join(filter(None, (entry.date[:10], entry.section, entry.summary)))[:MAX_ANCHOR]
            place = f"{kind} {entry.section[:40]}".rstrip()
            links[url] = Link(url, entry.title[:MAX_ANCHOR], around, place)
    return tuple(links.values())


def listing_kind(place: str) -> str:
    """Return the kind of the listing with a link by the link's place (:attr:`Evidence.path`), "" for a link on a page.

    >>> listing_kind("feed 党建"), listing_kind("html/body/div.list/a")
    ('feed', '')
    """
    kind = place.partition(" ")[0]
    return kind if kind in (SITEMAP, FEED) else ""
