"""Parts of an article on several pages, with addresses differing by a number at the end (a_2.html, a/2, a.html?page=2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from lxml.html import HtmlElement

MAX_PARTS = 100  # greatest number of a part
MAX_LINKS = 5_000  # most links of a page read

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
    """Place of a page in an article on several pages, empty for an article on one."""

    series: str = ""  # address of the first part without a number, the same for every part
    part: int = 0  # number of this page, from 1
    parts: tuple[str, ...] = ()  # addresses of the other parts linked by the page, in order, at most 100


def find_series(tree: HtmlElement, url: str) -> Series:
    """Find the series of the page at ``url``, by links named with a number or as the next page. 下一篇 is another article.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><a href='a.html'>1</a> 2 <a href='a_3.html'>3</a> <a href='b.html'>下一篇</a></div>")
    >>> find_series(page, "http://www.example.cn/a_2.html")
    Series(series='http://www.example.cn/a.html', part=2, parts=('http://www.example.cn/a.html', 'http://www.example.cn/a_3.html'))
    """
    own_stem, own_number = _split_pages(url)
    own = _plain(url)
    named: dict[str, tuple[int, int]] = {}  # address: number in it (0 without one), number in the link's text (0: a word)
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
        return Series()  # /post/12 beside /post/13: two articles, despite the names of the links
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
    """Yield the address of every link with the name of a part, and the number in that name (0: a word)."""
    for link in tree.iter("a", "link"):
        href = link.get("href")
        if not href or len(href) > 2000:
            continue
        rel = (link.get("rel") or "").lower().split()
        text = "".join(islice(link.itertext(), 10)) if len(link) else link.text
        name = " ".join(text.split()) if text and link.tag != "link" else ""
        number = _NUMBER.match(name) if len(name) < 10 else None
        steps = not {"next", "prev"}.isdisjoint(rel) and (link.tag == "link" or not name.endswith("篇"))
        if number or steps or _STEP.match(name[:30]):
            with suppress(ValueError):
                yield _plain(urljoin(url, href.strip())), int(number[1]) if number else 0


def _plain(url: str) -> str:
    """Return ``url`` without its fragment, scheme and host in lower case."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path, parts.query, ""))


def _split_pages(url: str) -> tuple[str, int]:
    """Split an address into the address without the number of its part, and that number (0: none).

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
