"""Decoding of pages, and reading of their elements: places of links, labels of a page, addresses of lists.

>>> decode("<title>党建工作</title>".encode("gb18030"))
('<title>党建工作</title>', 'gb18030')
>>> decode("主题教育".encode("gb18030"), "text/html; charset=utf-8")  # the declaration is wrong
('主题教育', 'gb18030')
>>> from selectolax.lexbor import LexborHTMLParser
>>> tree = LexborHTMLParser('<div id=post-7 class="art  main wide"><p><a class=tag href=/tags/1>支部</a></div>')
>>> link = tree.css_first("a")
>>> Paths().of(link, link.attributes)
'div#post-0.art.main/p/a.tag'
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

_COMMON = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
)
"""The most frequent characters of running Chinese text, rare in garbled text."""
_NO_CHARSETS = frozenset(("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"))
"""Names known to Python but not to browsers: they raise, or give text impossible to store. Scripts write "undefined"."""
_HAN = re.compile(r"[\u4e00-\u9fff]")
_PROBE = 20_000
_TOLERATED, _PLAUSIBLE = 0.01, 0.15
"""Share of non-ASCII characters unreadable by accident, and least share of common characters in Chinese text."""
# Share of them over which a page is not UTF-8, despite any foreign parts. Other encodings hardly ever read as UTF-8.
_MOST = 0.5
# Beginnings of elements in UTF-16, because a page in another encoding may hold a NUL.
_WIDE = (("utf-16-le", re.compile(rb"<\0[!/a-zA-Z]\0")), ("utf-16-be", re.compile(rb"\0<\0[!/a-zA-Z]")))
_PARTS = re.compile(rb"[\x80-\xff][^<>]*")
_SURE = 12  # non-ASCII bytes over which a part is hardly UTF-8 by accident
_HALVES = re.compile(rb"(?:\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf])+")  # emoji in CESU-8, written by some databases


def decode(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Decode ``body``, as received and decompressed. Return the text and the name of the encoding. Never raises.

    A byte order mark decides, then the HTTP header ``content_type``, then the page's head, then UTF-8. UTF-8 is right if it reads
    most of the non-ASCII characters: a footer may come from elsewhere. Another encoding must read all and give plausible Chinese.
    If none does, the best of them, GB18030, Big5 and UTF-16 is taken, by the share of common characters.
    """
    encoding, mark = read_bom(body)
    if encoding is not None and mark is not None:
        return body[len(mark) :].decode(encoding, "replace"), codecs.lookup(encoding).name
    declared = [_usual(name) for name in (http_content_type_encoding(content_type), html_body_declared_encoding(body)) if name]
    wide = [name for name, begins in _WIDE if b"\0" in body and begins.search(body, 0, _PROBE)]
    best, most = "utf-8", -1.0
    for name in dict.fromkeys([*declared, *wide, "utf-8", "gb18030", "big5"]):
        text = ""  # a long one takes as much memory as all else
        text, unreadable = _read(body, name)
        if name == "utf-8" and unreadable <= _MOST:
            return text, name
        common = _common_share(text)
        if name in (*declared, *wide) and unreadable <= _TOLERATED and common >= _PLAUSIBLE:
            return text, codecs.lookup(name).name
        if (readable := common * (1 - unreadable)) > most:
            best, most = name, readable
    return _read(body, best)[0], codecs.lookup(best).name


def _usual(name: str) -> str:
    """Return the encoding to read for a declared ``name``."""
    known = resolve_encoding(name) or "utf-8"
    if known in ("gb2312", "gbk"):
        return "gb18030"  # the superset, as browsers do
    # The latter are the default of some servers: they read any bytes, but no Chinese.
    return "utf-8" if known in _NO_CHARSETS or known in ("cp1252", "iso8859-1", "latin-1", "ascii") else known


def _read(body: bytes, encoding: str) -> tuple[str, float]:
    """Return the text, and the share of its non-ASCII characters that could not be read."""
    try:
        return body.decode(encoding), 0.0
    except UnicodeDecodeError:
        if encoding == "utf-8":
            body = _HALVES.sub(_whole, body)
        text = body.decode(encoding, "replace")
        if (unreadable := _unreadable(text)) <= _MOST:
            text = ""  # a long one takes as much memory as all else
            text = _PARTS.sub(lambda part: _foreign(part[0], encoding), body).decode("utf-8", "replace")
        return text, unreadable
    except LookupError:
        return body.decode("utf-8", "replace"), 1.0


def _unreadable(text: str) -> float:
    return text.count("\ufffd") / max(1, len(text) - len(text.encode("ascii", "ignore")))


def _foreign(part: bytes, encoding: str) -> bytes:
    """Return a part of a page in UTF-8, from the page's encoding, or from another able to read it if that fails."""
    own = part.decode(encoding, "replace")
    other = "gb18030" if encoding == "utf-8" else "utf-8"
    if sum(byte > 0x7F for byte in part) >= _SURE and (encoding != "utf-8" or _unreadable(own) > _MOST):
        with suppress(UnicodeDecodeError):
            return part.decode(other).encode()
    return own.encode()


def _whole(halves: re.Match[bytes]) -> bytes:
    return halves[0].decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16").encode()


def _common_share(text: str) -> float:
    """Return the share of common characters among the Chinese ones, 0.5 if there are too few."""
    han = _HAN.findall(text[:_PROBE])
    return sum(c in _COMMON for c in han) / len(han) if len(han) >= 4 else 0.5


# -- Elements of a page

MAX_PATH = 120  # longest path of a link, in characters, cut at the front to whole elements
MAX_LABELS = 20  # most labels of a page
MAX_LABEL = 40  # longest of them, in characters: longer ones are titles
MAX_GROUP = 10  # most links of one path taken for a page's own labels: more are a tag cloud or labels of a list of articles

_MAX_NAME = 40
_ROOTS = frozenset(("body", "html", "-document"))
_ODD = re.compile(r"[^\w-]+")
_DIGITS = re.compile(r"[0-9]+")
_ADDRESS = re.compile(
    r"[^?#]*(?<!/)/(?:tags?|categor(?:y|ies)|topics?|channels?|columns?|labels?)/(?!index\.)[^/?#]", re.IGNORECASE
)
LIST_ADDRESS = re.compile(  # paths of lists of links
    r"/(?:tags?|categor(?:y|ies)|topics?|channels?|columns?|labels?|authors?)(?:/[^/.]{0,80}){0,4}/?$"
    r"|/archives?(?:/(?:19|20)\d\d(?:/\d{1,2}){0,2})?(?:/page/\d{1,5})?/?$"
    r"|^/?(?:(?:index|default|home|main)\.\w{2,5})?$"
    r"|/(?:index|list|node|channel|more)(?:_\d{1,6}){0,2}\.\w{2,5}$",
    re.IGNORECASE,
)
OWN_PAGES = re.compile(r"^/page[/_-]?\d{1,5}/?$", re.IGNORECASE)
"""Paths of the pages of a home page, with whole texts on some sites."""
INDEX_ADDRESS = re.compile(  # paths of lists of everything on a site: its archive, its categories, its map
    r"^/(?:[^/.]{1,40}/)?(?:archives?|categor(?:y|ies)|tags?|topics?|columns?|all|list|map|site-?map)"
    r"(?:\.[sx]?html?|/(?:index\.[sx]?html?)?)?$",
    re.IGNORECASE,
)
_REL = frozenset(("tag", "category"))
_CRUMBS = "body [class*='crumb' i] a[href], body [id*='crumb' i] a[href], a[href][class*='crumb' i]"


def looks_like_list(url: str) -> bool:
    """Return True if an address is that of a home page, a channel, a tag or another list of links.

    >>> [looks_like_list(f"http://a.cn/{path}") for path in ("", "tags/党建/", "page/2", "2023/05/支部.html")]
    [True, True, True, False]
    """
    try:
        path = unquote(urlsplit(url).path)[:500]
    except ValueError:
        return False
    return bool(LIST_ADDRESS.search(path) or OWN_PAGES.search(path))


@lru_cache(maxsize=8_192)
def looks_like_index(url: str) -> bool:
    """Return True if an address is that of a list of everything on a site: its archive, its categories, its tags, its map.

    >>> paths = ("archives/", "blog/tags", "sitemap.html", "tags/index.html", "tags/党建/", "index.html")
    >>> [looks_like_index(f"http://a.cn/{path}") for path in paths]
    [True, True, True, True, False, False]
    """
    try:
        return bool(INDEX_ADDRESS.match(urlsplit(url).path))
    except ValueError:
        return False


class Paths:
    """Paths of the elements of one tree. The tree must not change meanwhile."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}  # of links and their ancestors, by their mem_id

    def of(self, node: LexborNode, attributes: Mapping[str, str | None]) -> str:
        """Return the path from below ``<body>`` to ``node``: tag, id and the first two classes of each element.

        At most :data:`MAX_PATH` characters. Numbers in ids and classes become ``0``, signs other than letters, ``-`` and ``_``
        become ``_``. ``attributes`` are those of ``node``, because reading them a second time would double the cost.
        """
        if (path := self._known.get(number := node.mem_id)) is None:
            parent = node.parent
            above = "" if parent is None else self._known.get(parent.mem_id) or self._above(parent)
            path = self._known[number] = _joined(above, node.tag or "", attributes)
        return path

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


@lru_cache(maxsize=8_192)
def _step(tag: str, ident: str, classes: str) -> str:
    names = [f".{_ODD.sub('_', name[:_MAX_NAME])}" for name in classes.split()[:2]]
    if ident.strip():
        names.insert(0, f"#{_ODD.sub('_', ident.strip())}")
    return _ODD.sub("_", tag) + _DIGITS.sub("0", "".join(names))


@lru_cache(maxsize=8_192)
def names_a_label(url: str) -> bool:
    """Return True if the path names a tag, category, topic, channel, column or label.

    >>> names_a_label("http://a.cn/Tags/党建/"), names_a_label("http://a.cn/tags/index.html"), names_a_label("http://a.cn/?/tag/1")
    (True, False, False)
    """
    return _ADDRESS.match(url) is not None


def crumbs(tree: LexborHTMLParser, html: str) -> frozenset[int]:
    """Return the ``mem_id`` of each link in a breadcrumb, by class or id (``crumb``, ``BreadCrumbs``)."""
    if "rumb" not in html:  # most pages, in a third of the time of the search
        return frozenset()
    return frozenset([node.mem_id for node in tree.css(_CRUMBS)])


def is_label(url: str, rel: str | None) -> bool:
    """Return True if a link is a label by its address or by its ``rel`` attribute.

    >>> is_label("http://a.cn/dj/", "Category  tag"), is_label("http://a.cn/dj/", "tagged"), is_label("http://a.cn/tag/1", None)
    (True, False, True)
    """
    return names_a_label(url) or (rel is not None and not _REL.isdisjoint(rel.lower().split()))


def own_labels(head: Iterable[str], links: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the labels of a page: distinct, at most :data:`MAX_LABELS`, each of at most :data:`MAX_LABEL` characters.

    Args:
        head: labels in its head.
        links: (path, text) of candidates among its links, in page order. Paths with more than :data:`MAX_GROUP` links are left
            out. The sign of a tag (``#``) is stripped.

    >>> own_labels(["党建"], [("p.crumb/a", "首页"), ("p/a", "# 党建"), *[("ul/li/a", f"标签{n}") for n in range(11)]])
    ('党建', '首页')
    """
    sizes = Counter([path for path, _ in links]) if links else {}
    own = [text.lstrip("#＃ ") for path, text in links if sizes[path] <= MAX_GROUP]
    labels = dict.fromkeys([*head, *own])
    return tuple([label for label in labels if 0 < len(label) <= MAX_LABEL][:MAX_LABELS])
