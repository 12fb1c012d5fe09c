"""Links of an article to the outside of the wiki: its subject's own site, its references, and further links in its text."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

_LINK = re.compile(r"https?://[^\s\[\]{}|<>\"'，。；、（）]+", re.IGNORECASE)
_LABEL = re.compile(r"[^\S\n]+([^\[\]\n]{1,200})\]")
_TITLE = re.compile(r"\|\s*(?:script-)?(?:title|标题|標題)\s*=\s*([^|{}\n]{1,200})", re.IGNORECASE)
_OWN_FIELD = re.compile(
    r"(?:\|\s*(?:website|homepage|url|[官网網主][方网網站址页頁]{1,3})\s*=\s*"
    r"|\{\{\s*(?:official(?:[ _](?:website|url))?|官方[网網]站|官[网網])\s*\|[^{}|]*)"
    r"(?:\{\{\s*url\s*\||\[)?\s*\Z",
    re.IGNORECASE,
)
_OWN_LABEL = re.compile(r"官方|官[网網]|主[页頁]|official", re.IGNORECASE)
_CITATION = re.compile(r"\{\{\s*(?:cit|引)", re.IGNORECASE)
_WINDOW = 1500  # characters around a link searched for its enclosing template or reference


class Link(NamedTuple):
    """Link to the outside of the wiki."""

    url: str
    label: str  # its text, or the title of the cited work, "" if there is none
    kind: str  # `site` of the article's subject, `reference`, or `link` for any other


def external_links(wikitext: str) -> list[Link]:
    """Return the links of an article to http and https URLs, in order, each URL once.

    >>> external_links("{{Infobox|website={{url|http://zb.cn/}}}}党。<ref>{{cite web|url=http://b.cn/1|title=党课}}</ref>")
    [Link(url='http://zb.cn/', label='', kind='site'), Link(url='http://b.cn/1', label='党课', kind='reference')]
    >>> external_links("* [http://c.cn/?a=1&amp;b=2 支部官方网站]")
    [Link(url='http://c.cn/?a=1&b=2', label='支部官方网站', kind='site')]
    >>> [link.url for link in external_links("(http://d.cn/) [http://d.cn/a_(b) 党课]")]
    ['http://d.cn/', 'http://d.cn/a_(b)']
    """
    found: dict[str, Link] = {}
    for match in _LINK.finditer(wikitext):
        start, end = match.span()
        low = max(0, start - _WINDOW)
        before = wikitext[low:start]
        opened = before.rfind("{{")
        cited = bool(_CITATION.match(before, opened)) if opened > before.rfind("}}") else False
        label = ""
        if before.endswith("[") and (named := _LABEL.match(wikitext, end)):
            label = named[1]
        elif cited:
            close = wikitext.find("}}", end, end + _WINDOW)
            label = titled[1] if (titled := _TITLE.search(wikitext, low + opened, close if close >= 0 else end)) else ""
        if cited or before.rfind("<ref") > max(before.rfind("</ref"), before.rfind("/>")):
            kind = "reference"
        else:
            kind = "site" if _OWN_LABEL.search(label) or _OWN_FIELD.search(before[-100:]) else "link"
        url = html.unescape(match[0])
        url = url.rstrip(".,;:!?" if "(" in url else ".,;:!?)")  # as in MediaWiki
        found.setdefault(url, Link(url, html.unescape(label).strip("'\" \t"), kind))
    return list(found.values())
