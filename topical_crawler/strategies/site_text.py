"""What a site says of itself on every page: its name in titles, its description in heads. The site's home page tells it.

The same words on another page of the site tell nothing about where its links lead: the description of a blog on everything, with
机器学习 in it, would make the links of each of its lists promising.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from urllib.parse import urlsplit

from topical_crawler.web.page import Page

MAX_SITES = 50_000
"""Most sites remembered: the first ones met, about 150 bytes each."""

_SEPARATORS = re.compile(r"\s*[|｜_–—·•»]\s*|\s+-\s+")  # 支部动态 | 青河党建网
_KEYWORDS = re.compile(r"[,，、;；|\s]+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_NAME_WORDS = 3
"""Words at either end of a title that may be the site's name (青河党建网 支部动态), where they have Chinese characters."""


class SiteWords:
    """Digests of what the home pages of sites say.

    >>> words = SiteWords()
    >>> home = Page("http://a.cn/", title="小林的博客", description="机器学习与生活")
    >>> words.learn(home.url, words.lesson(home))
    >>> words.own(Page("http://a.cn/7", title="春游 | 小林的博客", description="机器学习与生活")).title
    '春游'
    """

    def __init__(self) -> None:
        self._sites: dict[str, frozenset[str]] = {}

    def lesson(self, page: Page) -> list[str] | None:
        """The lesson of a page: digests of its texts if it is a home page, else None."""
        if not _is_home(page.url):
            return None
        parts, words = _SEPARATORS.split(page.title), page.title.split()
        texts = {page.description, page.heading, page.lead, page.title, *parts, *_KEYWORDS.split(page.keywords)}
        candidates = {*words[:_NAME_WORDS], *words[-_NAME_WORDS:], *parts}
        names = {_digest_of_name(word) for word in candidates if _HAN.search(word)}
        return sorted(names.union(_digest(text) for text in texts if text))

    def learn(self, url: str, lesson: Iterable[str] | None) -> None:
        """Learn the lesson of a page; only the first home page of a site counts."""
        if lesson is not None and len(self._sites) < MAX_SITES:
            self._sites.setdefault(_site(url), frozenset(lesson))

    def own(self, page: Page) -> Page:
        """The page without what its site's home page says in the same words: parts of the title, single keywords, whole heading,
        description and first lines, and the site's name among its labels (党建研究 > 要闻 > 正文). The page itself where there
        is nothing of the kind, and for home pages."""
        known = self._sites.get(_site(page.url))
        if not known or _is_home(page.url):
            return page

        def of_its_own(text: str) -> str:
            return "" if text and _digest(text) in known else text

        parts = _SEPARATORS.split(page.title)
        kept = [_without_name(part, known) for part in parts if of_its_own(part) == part]
        title = page.title if kept == parts else " ".join(part for part in kept if part)
        words = _KEYWORDS.split(page.keywords)
        own_words = [of_its_own(word) for word in words]
        keywords = page.keywords if own_words == words else ",".join(filter(None, own_words))
        before = [page.description, page.heading, page.lead]
        heads = [of_its_own(text) for text in before]
        labels = tuple(label for label in page.labels if _digest_of_name(label) not in known)
        if title == page.title and keywords == page.keywords and heads == before and labels == page.labels:
            return page
        description, heading, lead = heads
        return dataclasses.replace(
            page, title=title, keywords=keywords, description=description, heading=heading, lead=lead, labels=labels
        )

    def state_dict(self) -> dict[str, list[str]]:
        """What was learned, as JSON data."""
        return {site: sorted(known) for site, known in self._sites.items()}

    def load_state_dict(self, state: Mapping[str, Iterable[str]]) -> None:
        """Restore what :meth:`state_dict` gave."""
        self._sites = {site: frozenset(known) for site, known in state.items()}


def _site(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:  # brackets that are no IPv6 address
        return ""


def _is_home(url: str) -> bool:
    site = _site(url)
    return bool(site) and url.partition("://")[2].lower() in (site, f"{site}/")


def _without_name(part: str, known: frozenset[str]) -> str:
    """A part of a title without the site's name at its beginning and its end."""
    words = part.split()
    first, last = 0, len(words)
    while first < last and _digest_of_name(words[first]) in known:
        first += 1
    while first < last and _digest_of_name(words[last - 1]) in known:
        last -= 1
    return part if last - first == len(words) else " ".join(words[first:last])


def _digest_of_name(word: str) -> str:
    return _digest(f"name {word}")


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
