"""URLs: canonical form, hosts, shapes, and signs of a page before it is fetched. Pure functions on strings.

>>> canonical("HTTP://WWW.Dangjian.cn:80/zt/../djyw/index.shtml?utm_source=wx&from=timeline#top")
'http://www.dangjian.cn/djyw/'
>>> canonical("http://党建.中国/支部 生活?id=2&a=学习")
'http://xn--n5qz54a.xn--fiqs8s/%E6%94%AF%E9%83%A8%20%E7%94%9F%E6%B4%BB?a=%E5%AD%A6%E4%B9%A0&id=2'
"""

from __future__ import annotations

import re
import socket
from collections.abc import Collection
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote, urlsplit


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


REDIRECTED = "redirected"  # outcome of an address with a redirect: the target counts in its place

# -- Parts without influence on the page, with names compared in lower case

_TABLES: dict[str, frozenset[str]] = {}
for _line in files("topical_crawler.web").joinpath("urls.tsv").read_text("utf-8").splitlines():
    _table, _, _names = _line.partition("\t")
    _TABLES[_table] = _TABLES.get(_table, frozenset()) | word_set(_names.partition("\t")[0])
TRACKING, ORIGINS, SESSION = _TABLES["tracking"], _TABLES["origin"], _TABLES["session"]
"""Parameters that never choose the content; values naming the origin of a visit; names only ever carrying a session."""
SESSION_BY_VALUE, BINARY = _TABLES["session or id"], _TABLES["file"]
"""Names carrying a session or a content id by the shape of the value (:data:`SESSION_VALUE`), so ``sid=12`` stays; file name
extensions other than those of pages: pictures, archives, sound, film, office files, programs, parts of pages."""

NOISE_PREFIXES = ("utm_", "sharer_", "mtm_", "wt_mc", "aspsessionid")
"""Families of such parameters: campaign tags, the shares of WeChat (``sharer_shareid`` …), and sessions of ASP. Names of families
with other uses, too (``pk_id``, ``share_id``), are in the table."""

ORIGIN = frozenset(("from", "fr", "frm"))
"""Origin of a visit, if the value is one of :data:`ORIGINS`, or any word on a path naming its page by a number
(``/t20190521_5123.shtml?from=hot``). Other values choose the content: a word (``show?from=beijing``), a number or date as offset
or start of a range (``from=20``), and one end of a pair beside a ``to`` (``from=CNY&to=USD``)."""
ORIGIN_VALUE = re.compile(r"[A-Za-z][\w.\-]*", re.ASCII)

SESSION_VALUE = re.compile(
    r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[0-9A-Za-z]{16,}"
    r"|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
)
"""Token of at least 16 letters and digits, some of each, or UUID. Numbers of any length and words with hyphens are content."""

SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|aspsessionid\w*|sessionid)=[^/;]*", re.IGNORECASE)
"""Session as a parameter of a path segment, written by Java servers (``a.do;jsessionid=1B2C``)."""

SESSION_SEGMENT = re.compile(r"/\([SAFX]\([0-9A-Z]{16,}\)\)(?=/)", re.IGNORECASE)
"""Session as a path segment of its own, written by ASP.NET (``/(S(lit3py55t21z5v55vlm25s55))/a.aspx``)."""

INDEX_PAGE = re.compile(r"/(?:index|default)\.(?:html?|shtml?|xhtml|php[345]?|aspx?|jspx?|jhtml|do|cgi|cfm)\Z", re.IGNORECASE)
"""Default page of a directory. ``index_2.shtml`` is the second page of a list and stays."""

# -- One form for every page

MAX_LENGTH = 2000  # longest URL, in characters, as given and canonical: longer ones are traps or data, and servers refuse them

UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_PLAIN = re.compile(r"[\w\-.~!$&'()*+,;=:@/]*", re.ASCII)
_QUERY_PLAIN = re.compile(r"[\w\-.~!$&'()*+,;=:@/?]*", re.ASCII)
_PATH_ODD = re.compile(r"%[0-9A-Fa-f]{2}|[^\w\-.~!$&'()*+,;=:@/]", re.ASCII)
_QUERY_ODD = re.compile(r"%[0-9A-Fa-f]{2}|[^\w\-.~!$&'()*+,;=:@/?]", re.ASCII)
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
_USER = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#\\]*@")
_NUMBERED = re.compile(r"/[^/]*[0-9][^/.]*(?:\.[sx]?html?)?\Z")  # not the name of a script
_OUTSIDE = "".join(map(chr, range(33)))
PORTS = {"http": 80, "https": 443}


def canonical(url: str) -> str:
    """Return the canonical form of ``url``, or "". Never raises. Idempotent.

    "" for anything but an http(s) URL, or beyond :data:`MAX_LENGTH`.

    * Scheme and host in lower case, the host in IDNA form, without user, default port and final dot.
    * Dot segments resolved, backslashes read as slashes, an empty path is ``/``.
    * Escapes in upper case, and only where needed. Other characters as escaped UTF-8. Escaped bytes stay, so that addresses in
    GBK
      keep working.
    * No fragment, no tracking and no session parameters (tables and rules above).
    * Parameters sorted by name, those of one name in their order.
    * No ``index.html`` or the like at the end, unless parameters follow (they are the script's).
    """
    if len(url) > MAX_LENGTH:
        return ""
    url = browser_slashes(url.strip(_OUTSIDE))
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
        default = PORTS.get(scheme)
        if default is None or not host or port == 0:
            return ""
        host = (host if host.isascii() else host.encode("idna").decode("ascii").lower()).removesuffix(".")
    except ValueError:  # invalid brackets or port, labels unknown to IDNA
        return ""
    if ":" in host:
        host = f"[{host}]"
    if not _HOST.fullmatch(host):
        return ""
    path = _path(parts.path)
    query = _query(parts.query, path) if parts.query else ""
    if not query:
        path = INDEX_PAGE.sub("/", path)
    authority = host if port is None or port == default else f"{host}:{port}"
    result = f"{scheme}://{authority}{path}?{query}" if query else f"{scheme}://{authority}{path}"
    return result if len(result) <= MAX_LENGTH else ""


@lru_cache(maxsize=8_192)
def fingerprint(url: str) -> bytes:
    """Return the identity of a page: BLAKE2b with 128 bits (16 bytes) of its canonical URL.

    >>> fingerprint("http://www.dangjian.cn/index.html") == fingerprint("http://www.dangjian.cn#dj")
    True
    """
    return blake2b(canonical(url).encode("ascii"), digest_size=16).digest()


def browser_slashes(url: str) -> str:
    """Turn backslashes before the query into slashes, as browsers do.

    >>> browser_slashes(r"\\党建\\1.html?p=a\\b")
    '/党建/1.html?p=a\\\\b'
    """
    if "\\" not in url:
        return url
    end = min((i for i in (url.find("?"), url.find("#")) if i >= 0), default=len(url))
    return url[:end].replace("\\", "/") + url[end:]


def _escape(match: re.Match[str]) -> str:
    text = match[0]
    if len(text) == 3:
        char = chr(int(text[1:], 16))
        return char if char in UNRESERVED else text.upper()
    return quote(text, safe="", errors="replace")


def _path(path: str) -> str:
    if not _PATH_PLAIN.fullmatch(path):
        path = _PATH_ODD.sub(_escape, path)
    if ";" in path or "/(" in path:
        path = SESSION_SEGMENT.sub("", SESSION_IN_PATH.sub("", path))
    if "/." in path:
        path = _resolve_dots(path)
    return path or "/"


def _resolve_dots(path: str) -> str:
    """Resolve dot segments by RFC 3986, section 5.2.4, in a path beginning with a slash."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _query(query: str, path: str) -> str:
    if not _QUERY_PLAIN.fullmatch(query):
        query = _QUERY_ODD.sub(_escape, query)
    pairs = [(name.lower(), name, equals, value) for name, equals, value in (p.partition("=") for p in query.split("&") if p)]
    has_to = any(name == "to" for name, *_ in pairs)
    numbered = _NUMBERED.search(path) is not None
    kept = [pair for pair in pairs if not _is_noise(pair[0], pair[3], has_to, numbered)]
    kept.sort(key=lambda pair: pair[1])
    return "&".join(name + equals + value for _, name, equals, value in kept)


def _is_noise(name: str, value: str, has_to: bool, numbered: bool) -> bool:
    if name in TRACKING or name in SESSION:
        return True
    if name in ORIGIN:
        return not has_to and (value.lower() in ORIGINS or (numbered and ORIGIN_VALUE.fullmatch(value) is not None))
    if name in SESSION_BY_VALUE:
        return SESSION_VALUE.fullmatch(value) is not None
    return name.startswith(NOISE_PREFIXES)


# -- Signs in a URL

MAX_DEPTH = 16  # most path segments of a URL not taken for a trap
MAX_REPEATS = 3  # equal path segments of a trap: relative links leading ever deeper (`/news/img/news/img/news/`)

MAX_SHAPE = 400  # characters of a path counted for its shape
_DIGITS = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])[0-9]+")  # except those of an escape
_SHORT_NUMBER = re.compile(r"[0-9]{1,2}")


@lru_cache(maxsize=8_192)
def is_url(text: str) -> bool:
    """Return True if a text names a page of the web."""
    return text.startswith(("http://", "https://"))


def host(url: str) -> str:
    """Return the host in lower case, with its port if not the scheme's own, or "".

    >>> host("http://WWW.dangjian.cn:80/a"), host("http://a.cn:8080/"), host("党建")
    ('www.dangjian.cn', 'a.cn:8080', '')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return parts.netloc.rpartition("@")[2].lower().removesuffix(f":{PORTS.get(parts.scheme, '')}")


def origin_of(url: str) -> str:
    """Return scheme and :func:`host`, the scope of a robots.txt.

    >>> origin_of("https://WWW.dangjian.cn:443/a/1.html")
    'https://www.dangjian.cn'
    """
    return f"{url.partition(':')[0].lower()}://{host(url)}"


def without_user(url: str) -> str:
    """Remove user and password from ``url``, found in some links and redirects.

    >>> without_user("http://user:pw@www.dangjian.cn/1.html?from=a@b"), without_user("http://a.cn/@党建")
    ('http://www.dangjian.cn/1.html?from=a@b', 'http://a.cn/@党建')
    """
    return _USER.sub(r"\1", url, count=1)


# -- The public web

PRIVATE = "private address"  # reason for not visiting a host outside the public web
ODD_PORT = "unusual port"
OPEN_PORTS = frozenset((80, 443, *range(8000, 9000)))  # ports of public web servers

_NAT64 = IPv6Network("64:ff9b::/96")
_PRIVATE_NAMES = ("localhost", ".localhost", ".local", ".internal", ".lan", ".home.arpa")


@lru_cache(maxsize=8_192)
def not_public(name: str) -> str:
    """Return the reason why a host (in the form of :func:`host`) is not public: :data:`PRIVATE`, :data:`ODD_PORT`, or "".

    Recognises addresses in every form accepted by resolvers: decimal, hexadecimal, short, IPv4 within IPv6. The address behind a
    name is only seen on resolution.

    >>> [not_public(name) for name in ("dangjian.cn", "2130706433", "0x7f.1", "[::ffff:10.0.0.1]", "localhost:8080", "a.cn:22")]
    ['', 'private address', 'private address', 'private address', 'private address', 'unusual port']
    """
    bare, colon, port = name.rpartition(":")
    if not colon or port.endswith("]"):
        bare, port = name, ""
    bare = bare.strip("[]").rstrip(".")
    if bare == "localhost" or bare.endswith(_PRIVATE_NAMES):
        return PRIVATE
    with suppress(ValueError, OSError):
        # inet_aton accepts the same forms as resolvers
        address = ip_address(bare) if ":" in bare else IPv4Address(socket.inet_aton(bare))
        if not is_public(address):
            return PRIVATE
    return ODD_PORT if port.isdecimal() and int(port[:9]) not in OPEN_PORTS else ""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return True if ``address`` is reachable from the whole internet, also as an IPv4 address within IPv6.

    >>> [is_public(ip_address(text)) for text in ("1.2.4.8", "169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False]
    """
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast


@lru_cache(maxsize=8_192)
def shape(url: str) -> str:
    """Return host, path with every run of digits as ``0``, and names of the parameters: equal for pages of one template.

    An endless site (a calendar, a search) shows as one shape growing without new text. "" without a host.

    >>> shape("http://www.dangjian.cn/djyw/201905/t20190521_5123.shtml?page=2")
    'www.dangjian.cn/djyw/0/t0_0.shtml?page'
    """
    name = host(url)
    if not name:
        return ""
    parts = urlsplit(url)
    path = _DIGITS.sub("0", parts.path[:MAX_SHAPE]) or "/"
    keys = sorted({pair.partition("=")[0] for pair in parts.query.split("&") if pair})
    return f"{name}{path}?{'&'.join(keys)}" if keys else name + path


def is_binary(url: str, documents: Collection[str] = ()) -> bool:
    """Return True if the path ends like a file other than a page: picture, archive, sound, film, office file, program.

    Nothing is fetched. Files with an ending in ``documents`` are read like pages.

    >>> is_binary("http://a.cn/党章.pdf?v=1"), is_binary("http://a.cn/党章.shtml"), is_binary("http://a.cn/get?f=党章.pdf")
    (True, False, False)
    """
    end = min((i for i in (url.find("?"), url.find("#")) if i >= 0), default=len(url))
    start = url.find("//")
    slash = url.rfind("/", start + 2 if start >= 0 else 0, end)
    name = url[slash + 1 : end] if slash >= 0 else ""
    _, dot, extension = name.rpartition(".")
    return bool(dot) and (extension := extension.lower()) in BINARY and extension not in documents


@lru_cache(maxsize=8_192)
def looks_like_trap(url: str) -> bool:
    """Return True if the path has :data:`MAX_REPEATS` equal segments, or more than :data:`MAX_DEPTH` segments.

    Days, months and hours may be equal: numbers of one or two digits do not count as repeats.

    >>> looks_like_trap("http://a.cn/djyw/img/djyw/img/djyw/1.html"), looks_like_trap("http://a.cn/2011/11/11/11/11.html")
    (True, False)
    """
    try:
        segments = [s for s in urlsplit(url).path.split("/") if s]
    except ValueError:
        return False
    if len(segments) > MAX_DEPTH:
        return True
    if len(segments) < MAX_REPEATS or len(set(segments)) > len(segments) - MAX_REPEATS + 1:
        return False
    return any(segments.count(s) >= MAX_REPEATS and not _SHORT_NUMBER.fullmatch(s) for s in set(segments))
