"""How a crawl for books follows links: search → lists → pages of books (Zhang et al., section 4).

The paper gives links no priority, since its crawler stays in one shop's search. The rules here are ours and serve other sites,
too.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from topical_crawler.book import Kind
from topical_crawler.book_lists import in_series, is_next_page
from topical_crawler.page import Evidence

NEXT_PAGE = 0.5
"""What the next page of a list is worth, as a part of the list's relevance: the list's own books go first."""
FOLLOWED = 1e-6
"""What a list that is followed hands on at least; a page that is not followed hands on 0."""


class BookLinks:
    """Remembers where the crawl started, and says which links are followed and how soon.

    * Links of a list: by their anchor, which is a book's title; the list's next page by the list's relevance.
    * Links of a kept page: the mean of the page's relevance and the anchor's.
    * Links of any other page: none, unless it is a list at the address of a seed or below it.

    >>> links = BookLinks()
    >>> links.learn(entrance("http://a.cn/Search?keyword=x"))
    >>> [links.handed_on(url, "list", 0.0, 0.1) for url in ("http://a.cn/Search?keyword=x&page=9", "http://b.cn/")]
    [1e-06, 0.0]
    """

    def __init__(self, entrances: Iterable[str] = ()) -> None:
        self._entrances = set(entrances)
        self._known = tuple(self._entrances)

    def learn(self, entrance: str) -> None:
        """A crawl started here; see :func:`entrance`."""
        self._entrances.add(entrance)
        self._known = tuple(self._entrances)

    def handed_on(self, url: str, kind: Kind, relevance: float, threshold: float, seed: bool = False) -> float:
        """What a page hands on to its links: its relevance where they are followed, else 0.

        Args:
            url: of the page.
            kind: what it is.
            relevance: of the page.
            threshold: above which it is relevant.
            seed: whether the crawl started with it.
        """
        if relevance > threshold:
            return relevance
        if kind == "list" and (seed or entrance(url).startswith(self._known)):
            return max(relevance, FOLLOWED)
        return 0.0

    def priority(self, url: str, evidence: Evidence, anchor: float) -> float | None:
        """The priority of a link for one place where it was found; None: not followed from there.

        Args:
            url: of the link.
            evidence: the place.
            anchor: relevance of its anchor.
        """
        if evidence.on_topic:
            return (evidence.relevance + anchor) / 2
        if evidence.relevance <= 0:
            return None
        if is_next_page(evidence.anchor) and in_series(url, evidence.parent):
            return max(anchor, NEXT_PAGE * evidence.relevance)
        return anchor

    def entrances(self) -> list[str]:
        """Where the crawl started, sorted."""
        return sorted(self._entrances)


def entrance(url: str) -> str:
    """Host and path of an address, without what may change from page to page of a list.

    >>> entrance("http://a.cn/Search?keyword=x"), entrance("http://a.cn/list/3.html"), entrance("http://a.cn/")
    ('a.cn/Search', 'a.cn/list/', 'a.cn/')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    folder, slash, name = parts.path.rpartition("/")
    return f"{parts.netloc.lower()}{folder}{slash or '/'}{name if '.' not in name else ''}"
