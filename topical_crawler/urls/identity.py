"""One form for every page: the identity of a URL.

>>> canonical("HTTP://WWW.Dangjian.cn:80/zt/../djyw/index.shtml?utm_source=wx&from=timeline#top")
'http://www.dangjian.cn/djyw/'
>>> canonical("http://党建.中国/支部 生活?id=2&a=学习")
'http://xn--n5qz54a.xn--fiqs8s/%E6%94%AF%E9%83%A8%20%E7%94%9F%E6%B4%BB?a=%E5%AD%A6%E4%B9%A0&id=2'
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote, urlsplit

from topical_crawler.urls import noise

MAX_LENGTH = 2000
"""Longest URL, in characters, as given and in canonical form: longer ones are traps or data, and servers refuse them."""

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_PLAIN = re.compile(r"[\w\-.~!$&'()*+,;=:@/]*", re.ASCII)
_QUERY_PLAIN = re.compile(r"[\w\-.~!$&'()*+,;=:@/?]*", re.ASCII)
_PATH_ODD = re.compile(r"%[0-9A-Fa-f]{2}|[^\w\-.~!$&'()*+,;=:@/]", re.ASCII)
_QUERY_ODD = re.compile(r"%[0-9A-Fa-f]{2}|[^\w\-.~!$&'()*+,;=:@/?]", re.ASCII)
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
_OUTSIDE = "".join(map(chr, range(33)))
_DEFAULT_PORT = {"http": 80, "https": 443}
_NOISE_PREFIXES = (*noise.TRACKING_PREFIXES, *noise.SESSION_PREFIXES)


def canonical(url: str) -> str:
    """The canonical form of ``url``; "" for what is no http(s) URL or longer than :data:`MAX_LENGTH`. Never raises; idempotent.

    * scheme and host in lower case, the host in IDNA form, without user, default port and final dot;
    * dot segments resolved, a backslash read as a slash, an empty path is ``/``;
    * escapes in upper case, none where none is needed; other characters as escaped UTF-8. Escaped bytes stay as they are, so that
      addresses in GBK keep working;
    * no fragment; no tracking and no session parameters (tables and rules in :mod:`topical_crawler.urls.noise`);
    * parameters sorted by name, those of one name in their order;
    * no ``index.html`` or the like at the end, unless parameters follow (they are the script's).

    Links of navigation come again on every page of a site: the last 16,384 results are remembered.
    """
    if len(url) > MAX_LENGTH:
        return ""
    url = _browser_slashes(url.strip(_OUTSIDE))
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
        default = _DEFAULT_PORT.get(scheme)
        if default is None or not host or port == 0:
            return ""
        host = (host if host.isascii() else host.encode("idna").decode("ascii").lower()).removesuffix(".")
    except ValueError:  # brackets or port that are none, labels that IDNA does not know
        return ""
    if ":" in host:
        host = f"[{host}]"
    if not _HOST.fullmatch(host):
        return ""
    query = _query(parts.query) if parts.query else ""
    path = _path(parts.path)
    if not query:
        path = noise.INDEX_PAGE.sub("/", path)
    authority = host if port is None or port == default else f"{host}:{port}"
    result = f"{scheme}://{authority}{path}?{query}" if query else f"{scheme}://{authority}{path}"
    return result if len(result) <= MAX_LENGTH else ""


@lru_cache(maxsize=16_384)
def fingerprint(url: str) -> bytes:
    """The identity of a page: BLAKE2b with 128 bits (16 bytes) of its canonical URL.

    >>> fingerprint("http://www.dangjian.cn/index.html") == fingerprint("http://www.dangjian.cn#dj")
    True
    """
    return blake2b(canonical(url).encode("ascii"), digest_size=16).digest()


def _browser_slashes(url: str) -> str:
    """Backslashes before the query become slashes, as browsers read them."""
    if "\\" not in url:
        return url
    end = min((i for i in (url.find("?"), url.find("#")) if i >= 0), default=len(url))
    return url[:end].replace("\\", "/") + url[end:]


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 3:
        char = chr(int(found[1:], 16))
        return char if char in _UNRESERVED else found.upper()
    return quote(found, safe="", errors="replace")


def _path(path: str) -> str:
    if not _PATH_PLAIN.fullmatch(path):
        path = _PATH_ODD.sub(_escape, path)
    if ";" in path or "/(" in path:
        path = noise.SESSION_SEGMENT.sub("", noise.SESSION_IN_PATH.sub("", path))
    if "/." in path:
        path = _resolve_dots(path)
    return path or "/"


def _resolve_dots(path: str) -> str:
    """RFC 3986, section 5.2.4, for a path that begins with a slash."""
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


def _query(query: str) -> str:
    if not _QUERY_PLAIN.fullmatch(query):
        query = _QUERY_ODD.sub(_escape, query)
    pairs = [(name.lower(), name, equals, value) for name, equals, value in (p.partition("=") for p in query.split("&") if p)]
    has_to = any(name == "to" for name, *_ in pairs)
    kept = [pair for pair in pairs if not _is_noise(pair[0], pair[3], has_to)]
    kept.sort(key=lambda pair: pair[1])
    return "&".join(name + equals + value for _, name, equals, value in kept)


def _is_noise(name: str, value: str, has_to: bool) -> bool:
    if name in noise.TRACKING or name in noise.SESSION:
        return True
    if name in noise.ORIGIN:
        return not has_to and noise.ORIGIN_VALUE.fullmatch(value) is not None
    if name in noise.SESSION_BY_VALUE:
        return noise.SESSION_VALUE.fullmatch(value) is not None
    return name.startswith(_NOISE_PREFIXES)
