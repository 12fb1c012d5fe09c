"""What a URL looks like, before anything is fetched."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from topical_crawler.urls import noise

MAX_DEPTH = 16
"""Most path segments of a URL that is not taken for a trap."""
MAX_REPEATS = 3
"""So many equal path segments make a trap: relative links that lead ever deeper (``/news/img/news/img/news/``)."""

_DIGITS = re.compile(r"%[0-9A-Fa-f]{2}|[0-9]+")
_SHORT_NUMBER = re.compile(r"[0-9]{1,2}")
_DEFAULT_PORT = {"http": ":80", "https": ":443"}


@lru_cache(maxsize=16_384)
def host(url: str) -> str:
    """Host in lower case, with its port where that is not the scheme's own; "" where there is none.

    >>> host("http://WWW.dangjian.cn:80/a"), host("http://a.cn:8080/"), host("党建")
    ('www.dangjian.cn', 'a.cn:8080', '')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    name = parts.netloc.rpartition("@")[2].lower()
    return name.removesuffix(_DEFAULT_PORT.get(parts.scheme, ":"))


@lru_cache(maxsize=16_384)
def shape(url: str) -> str:
    """Host, path with every run of digits as ``0``, names of the parameters: equal for the pages of one template.

    A site that has no end (a calendar, a search) shows as one shape that grows without new text. "" where there is no host.

    >>> shape("http://www.dangjian.cn/djyw/201905/t20190521_5123.shtml?page=2")
    'www.dangjian.cn/djyw/0/t0_0.shtml?page'
    """
    name = host(url)
    if not name:
        return ""
    parts = urlsplit(url)
    path = _DIGITS.sub(lambda m: m[0] if m[0][0] == "%" else "0", parts.path) or "/"
    keys = sorted({pair.partition("=")[0] for pair in parts.query.split("&") if pair})
    return f"{name}{path}?{'&'.join(keys)}" if keys else name + path


def is_binary(url: str) -> bool:
    """Whether the path ends like a file that is no page: picture, archive, sound, film, office file, program. Nothing is fetched.

    >>> is_binary("http://a.cn/党章.pdf?v=1"), is_binary("http://a.cn/党章.shtml"), is_binary("http://a.cn/get?f=党章.pdf")
    (True, False, False)
    """
    end = min((i for i in (url.find("?"), url.find("#")) if i >= 0), default=len(url))
    start = url.find("//")
    slash = url.rfind("/", start + 2 if start >= 0 else 0, end)
    name = url[slash + 1 : end] if slash >= 0 else ""
    _, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in noise.BINARY


@lru_cache(maxsize=16_384)
def looks_like_trap(url: str) -> bool:
    """Whether the path repeats itself (:data:`MAX_REPEATS` equal segments) or is deeper than :data:`MAX_DEPTH` segments.

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
