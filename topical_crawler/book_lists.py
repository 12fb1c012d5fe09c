"""What addresses and anchors show of lists: searches, and the pages that a list goes on with."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit

_NEXT = re.compile(
    r"[\s‹›«»<>\[\]]*(?:下一?页|后一?页|next(?: page)?|older(?: posts?)?|[›»>]+|\d{1,4}|第\d+页)[\s‹›«»<>\[\]→]*", re.I
)
_NUMBER = re.compile(r"(?:[?&/_-]?(?:page(?:no|num)?|pn|p|index|list)[=/_-]?|[=/_-])?\d+", re.IGNORECASE)
_TAIL = re.compile(r"(?:/?index)?(?:\.s?html?|\.php)?[/?&]*$", re.IGNORECASE)
_SEARCH_PATH = re.compile(r"/(?:search|so|list|category|tag|tags|categories|archives)(?:[/._-]|$)", re.IGNORECASE)
_QUERIES = frozenset(("keyword", "keywords", "key", "q", "wd", "word", "kw", "query", "search", "search_text", "searchword"))


def is_search(url: str) -> bool:
    """Whether an address asks for a word or names a list.

    >>> [is_search(url) for url in ("http://a.cn/Search?keyword=%E4%B9%A6", "http://a.cn/book/7.html")]
    [True, False]
    """
    try:
        parts = urlsplit(url)
        return bool(_SEARCH_PATH.search(parts.path)) or any(k.lower() in _QUERIES for k, _ in parse_qsl(parts.query))
    except ValueError:
        return False


def is_next_page(anchor: str) -> bool:
    """Whether an anchor leads on in a list: 下一页, a page number.

    >>> [is_next_page(anchor) for anchor in ("下一页 »", "3", "下一篇", "1984：一部小说")]
    [True, True, False, False]
    """
    return len(anchor) < 20 and _NEXT.fullmatch(anchor) is not None


def in_series(url: str, other: str) -> bool:
    """Whether two addresses are the same but for numbers, as those of the pages of one list are.

    >>> in_series("http://a.cn/search?keyword=x&page=2", "http://a.cn/search?keyword=x")
    True
    >>> in_series("http://a.cn/blog/page/2/", "http://a.cn/blog/"), in_series("http://a.cn/book/2", "http://a.cn/blog/")
    (True, False)
    """
    return _series(url) == _series(other)


@lru_cache(maxsize=16_384)
def _series(url: str) -> str:
    return _TAIL.sub("", _NUMBER.sub("", url.partition("#")[0]))
