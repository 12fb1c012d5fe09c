"""What a page's own metadata says: meta elements, links of its head, JSON-LD."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

MAX_SCRIPTS = 10
MAX_SCRIPT = 200_000
"""Most JSON-LD scripts that are read, and most characters of one."""
MAX_ITEMS = 1_000
"""Most objects that are looked at in them."""
MAX_VALUE = 300
"""Longest value that is taken, in characters."""
_TAG = re.compile(r"<[^<>]{0,100}>")
_ARTICLES = ("Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "TechArticle", "WebPage", "CreativeWork")


class Head:
    """Reads the metadata of one page.

    Args:
        tree: of the page.
        url: of the page, for links.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><meta name='ContentSource' content='人民网'><link rel='canonical' href='/a'></div>")
    >>> head = Head(page, "http://www.example.cn/b")
    >>> head.meta("contentsource"), head.canonical()
    ('人民网', 'http://www.example.cn/a')
    """

    def __init__(self, tree: HtmlElement, url: str) -> None:
        self._url = url
        self._metas: dict[str, str] = {}
        self._links: list[tuple[set[str], str]] = []
        for element in islice(tree.iter("meta", "link", "a"), 20_000):
            if element.tag == "meta":
                name = element.get("property") or element.get("name") or element.get("itemprop") or ""
                if value := _folded(element.get("content")):
                    self._metas.setdefault(name.lower(), value)
            elif (rel := element.get("rel")) or "creativecommons.org/" in (element.get("href") or ""):
                self._links.append((set((rel or "").lower().split()), element.get("href") or ""))
        self._items = list(islice(_items(tree), MAX_ITEMS))

    def meta(self, *names: str) -> str:
        """Content of the first of the meta elements so named (lower case) that is there, "" if none is."""
        return next((self._metas[name] for name in names if name in self._metas), "")

    def data(self, *names: str) -> str:
        """The first value by one of these names in the JSON-LD of an article, as text; "" if there is none."""
        for item in self._items:
            if any(kind in _ARTICLES for kind in _list(item.get("@type"))):
                for name in names:
                    if value := _text(item.get(name)):
                        return value
        return ""

    def crumbs(self) -> list[str]:
        """Names of the JSON-LD breadcrumb, from the home page on; empty if there is none."""
        for item in self._items:
            if "BreadcrumbList" in _list(item.get("@type")):
                steps = [step for step in _list(item.get("itemListElement")) if isinstance(step, dict)]
                return [name for step in steps[:20] if (name := _text(step.get("name")) or _text(step.get("item")))]
        return []

    def canonical(self) -> str:
        """The address that the page calls its own; "" where it names none or the one it has."""
        found = next((self._absolute(href) for rel, href in self._links if "canonical" in rel), "")
        return "" if found == self._url.partition("#")[0] else found

    def license(self) -> str:
        """Address (or name) of the licence that the page names, "" without one."""
        for rel, href in self._links:
            address = self._absolute(href)
            where = urlsplit(address)
            creative = where.netloc.endswith("creativecommons.org") and where.path.startswith(("/licenses/", "/publicdomain/"))
            if address and ("license" in rel or creative):
                return address
        return self.data("license")

    def _absolute(self, href: str) -> str:
        try:
            address = urljoin(self._url, href.strip()).partition("#")[0]
            parts = urlsplit(address)
        except ValueError:
            return ""
        return address if parts.scheme in ("http", "https") and parts.netloc and len(address) <= 2000 else ""


def _items(tree: HtmlElement) -> Iterator[dict[str, Any]]:
    scripts = (script for script in tree.iter("script") if (script.get("type") or "").strip().lower() == "application/ld+json")
    for script in islice(scripts, MAX_SCRIPTS):
        source = script.text or ""
        if len(source) > MAX_SCRIPT:
            continue
        try:
            data = json.loads(source, strict=False)
        except (ValueError, RecursionError):
            continue
        for item in _list(data):
            if isinstance(item, dict):
                yield item
                yield from (inner for inner in _list(item.get("@graph")) if isinstance(inner, dict))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    """A value of JSON-LD as text: names of persons and things, joined where there are several."""
    found: list[str] = []
    for one in _list(value)[:10]:
        if isinstance(one, dict):
            one = next((one[key] for key in ("name", "@id", "url") if isinstance(one.get(key), str)), "")
        if isinstance(one, str) and (text := _folded(one)):
            found.append(text)
    return _folded("、".join(found))


def _folded(text: str | None) -> str:
    return " ".join(_TAG.sub(" ", (text or "")[: 4 * MAX_VALUE]).split())[:MAX_VALUE]


def first(values: Iterable[str]) -> str:
    """The first that is not empty, "" if all are.

    >>> first(["", "党建网"])
    '党建网'
    """
    return next((value for value in values if value), "")
