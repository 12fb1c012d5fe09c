"""Where a link stands in the elements of its page, what a page says it is filed under, and addresses of lists.

>>> from selectolax.lexbor import LexborHTMLParser
>>> tree = LexborHTMLParser('<div id=post-7 class="art  main wide"><p><a class=tag href=/tags/1>支部</a></div>')
>>> link = tree.css_first("a")
>>> Paths().of(link, link.attributes)
'div#post-0.art.main/p/a.tag'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_PATH = 120
"""Longest path of a link, in characters: the end is kept, in whole elements."""
MAX_LABELS = 20
MAX_LABEL = 40
"""Most labels of a page, and the longest one, in characters: what is longer is a title."""
MAX_GROUP = 10
"""Most links of one path that are a page's own labels: more are a cloud of tags, or the labels of a list of articles."""

_MAX_NAME = 40
_ROOTS = frozenset(("body", "html", "-document"))
_ODD = re.compile(r"[^\w-]+")
_DIGITS = re.compile(r"[0-9]+")
_ADDRESS = re.compile(
    r"[^?#]*(?<!/)/(?:tags?|categor(?:y|ies)|topics?|channels?|columns?|labels?)/(?!index\.)[^/?#]", re.IGNORECASE
)
LIST_ADDRESS = re.compile(
    r"/(?:tags?|categor(?:y|ies)|topics?|channels?|columns?|labels?|authors?)(?:/[^/.]{0,80}){0,4}/?$"
    r"|/archives?(?:/(?:19|20)\d\d(?:/\d{1,2}){0,2})?(?:/page/\d{1,5})?/?$"
    r"|^/?(?:(?:index|default|home|main)\.\w{2,5})?$"
    r"|/(?:index|list|node|channel|more)(?:_\d{1,6}){0,2}\.\w{2,5}$",
    re.IGNORECASE,
)
"""Paths of lists of links."""
OWN_PAGES = re.compile(r"^/page[/_-]?\d{1,5}/?$", re.IGNORECASE)
"""Paths of the pages of a home page, which show whole texts on some sites."""
INDEX_ADDRESS = re.compile(
    r"^/(?:[^/.]{1,40}/)?(?:archives?|categor(?:y|ies)|tags?|topics?|columns?|all|list|map|site-?map)"
    r"(?:\.[sx]?html?|/(?:index\.[sx]?html?)?)?$",
    re.IGNORECASE,
)
"""Paths of the lists of all that a site has: its archive, its categories, its map."""
_REL = frozenset(("tag", "category"))
_CRUMBS = "body [class*='crumb' i] a[href], body [id*='crumb' i] a[href], a[href][class*='crumb' i]"


@lru_cache(maxsize=16_384)
def looks_like_list(url: str) -> bool:
    """Whether an address is that of a home page, a channel, a tag or another list of links.

    >>> [looks_like_list(f"http://a.cn/{path}") for path in ("", "tags/党建/", "page/2", "2023/05/支部.html")]
    [True, True, True, False]
    """
    try:
        path = unquote(urlsplit(url).path)[:500]
    except ValueError:
        return False
    return bool(LIST_ADDRESS.search(path) or OWN_PAGES.search(path))


@lru_cache(maxsize=16_384)
def looks_like_index(url: str) -> bool:
    """Whether an address is that of a list of all that a site has: its archive, its categories, its tags, its map.

    >>> paths = ("archives/", "blog/tags", "sitemap.html", "tags/index.html", "tags/党建/", "index.html")
    >>> [looks_like_index(f"http://a.cn/{path}") for path in paths]
    [True, True, True, True, False, False]
    """
    try:
        return bool(INDEX_ADDRESS.match(urlsplit(url).path))
    except ValueError:
        return False


class Paths:
    """The paths of the elements of one tree, which must not change meanwhile."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}  # of elements that hold links, by their mem_id

    def of(self, node: LexborNode, attributes: Mapping[str, str | None]) -> str:
        """The elements from below ``<body>`` to ``node``: tag, id and the first two classes of each, at most :data:`MAX_PATH`
        characters. Numbers in ids and classes are ``0``, other signs than letters, ``-`` and ``_`` are ``_``.

        Args:
            node: the element.
            attributes: of ``node``; the caller has read them already, and reading them again would double the cost.
        """
        parent = node.parent
        return _joined("" if parent is None else self._above(parent), node.tag or "", attributes)

    def _above(self, node: LexborNode) -> str:
        unknown: list[tuple[int, str, LexborNode]] = []
        path, place = "", node
        while (known := self._known.get(number := place.mem_id)) is None and (tag := place.tag or "") not in _ROOTS:
            unknown.append((number, tag, place))
            if (parent := place.parent) is None:
                break
            place = parent
        else:
            path = known or ""
        for number, tag, element in reversed(unknown):
            path = self._known[number] = _joined(path, tag, element.attributes)
        return path


def _joined(above: str, tag: str, attributes: Mapping[str, str | None]) -> str:
    step = _step(tag[:_MAX_NAME], (attributes.get("id") or "")[:_MAX_NAME], (attributes.get("class") or "")[: 4 * _MAX_NAME])
    path = f"{above}/{step}" if above else step
    if len(path) <= MAX_PATH:
        return path
    cut = path.find("/", len(path) - MAX_PATH - 1)
    return path[cut + 1 :] if cut >= 0 else path[-MAX_PATH:]


@lru_cache(maxsize=16_384)
def _step(tag: str, ident: str, classes: str) -> str:
    names = [f".{_ODD.sub('_', name[:_MAX_NAME])}" for name in classes.split()[:2]]
    if ident.strip():
        names.insert(0, f"#{_ODD.sub('_', ident.strip())}")
    return _ODD.sub("_", tag) + _DIGITS.sub("0", "".join(names))


@lru_cache(maxsize=16_384)
def names_a_label(url: str) -> bool:
    """Whether the path says that the page lists what is filed under something (a tag, category, topic, channel, column, label).

    >>> names_a_label("http://a.cn/Tags/党建/"), names_a_label("http://a.cn/tags/index.html"), names_a_label("http://a.cn/?/tag/1")
    (True, False, False)
    """
    return _ADDRESS.match(url) is not None


def crumbs(tree: LexborHTMLParser, html: str) -> frozenset[int]:
    """The ``mem_id`` of each link in an element that is a breadcrumb by class or id (``crumb``, ``BreadCrumbs``)."""
    if "rumb" not in html:  # most pages; this takes a third of the time of the search
        return frozenset()
    return frozenset([node.mem_id for node in tree.css(_CRUMBS)])


def is_label(url: str, rel: str | None) -> bool:
    """Whether a link is a label by its address or by its ``rel`` attribute.

    >>> is_label("http://a.cn/dj/", "Category  tag"), is_label("http://a.cn/dj/", "tagged"), is_label("http://a.cn/tag/1", None)
    (True, False, True)
    """
    return names_a_label(url) or (rel is not None and not _REL.isdisjoint(rel.lower().split()))


def own_labels(head: Iterable[str], links: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """What a page is filed under: distinct, at most :data:`MAX_LABELS`, each of at most :data:`MAX_LABEL` characters.

    Args:
        head: labels in its head.
        links: (path, text) of its links that may be labels, in the order of the page. Those of a path that more than
            :data:`MAX_GROUP` of them have are left out. The sign of a tag (``#``) is stripped.

    >>> own_labels(["党建"], [("p.crumb/a", "首页"), ("p/a", "# 党建"), *[("ul/li/a", f"标签{n}") for n in range(11)]])
    ('党建', '首页')
    """
    sizes = Counter([path for path, _ in links]) if links else {}
    own = [text.lstrip("#＃ ") for path, text in links if sizes[path] <= MAX_GROUP]
    labels = dict.fromkeys([*head, *own])
    return tuple([label for label in labels if 0 < len(label) <= MAX_LABEL][:MAX_LABELS])
