"""A recorded web with a part of its links gone: the same ones for every crawl of one seed, whatever the strategy.

A crawl of Scrapy is thinned by :class:`ThinnedRelevance`, which takes the place of the product's middleware (:func:`settings`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Response

from topical_crawler.components import crawl_of
from topical_crawler.config import random_seed
from topical_crawler.items import PageItem
from topical_crawler.middlewares import RelevanceMiddleware
from topical_crawler.settings import SPIDER_MIDDLEWARES
from topical_crawler.web.page import Page
from topical_crawler.web.urls import fingerprint

KEEP_LINKS = "EXPERIMENTS_KEEP_LINKS"
"""The setting of a crawl that is thinned: its share of the links."""


@dataclass(frozen=True, slots=True)
class Thinning:
    """Which links of a web stay, drawn from the addresses of page and link and a seed: with one seed all crawls see one web."""

    share: float = 1.0  # of the links in the mean, over 0 and up to 1 (all); what stays with one share stays with any greater one
    seed: int = 0  # another seed, another web

    def stays(self, page: bytes, link: bytes) -> bool:
        """Whether the page of one :func:`~topical_crawler.web.urls.fingerprint` still leads to the address of another.

        >>> page, links = fingerprint("http://a.cn/"), [fingerprint(f"http://a.cn/党课/{i}") for i in range(1000)]
        >>> sum(Thinning(0.5).stays(page, link) for link in links), sum(Thinning(0.1).stays(page, link) for link in links)
        (495, 101)
        """
        if self.share >= 1:
            return True
        digest = blake2b(page + link, digest_size=8, salt=blake2b(b"%d" % self.seed, digest_size=16).digest()).digest()
        return int.from_bytes(digest) < self.share * (1 << 64)

    def of(self, page: Page, most: int) -> Page:
        """``page`` with those of its first ``most`` links that stay; itself, with all of them, where the share is 1."""
        if self.share >= 1:
            return page
        key = fingerprint(page.url)
        return replace(page, links=tuple(link for link in page.links[:most] if self.stays(key, fingerprint(link.url))))

    @contextmanager
    def applied(self, item: PageItem, most: int) -> Iterator[None]:
        """Leave ``item`` with the links that stay while it is judged. Its text is cleaned by all of them, as in any crawl."""
        page, listing = item.page, item.listing
        if page is not None:
            item.page = self.of(page, most)
        if listing is not None:
            item.listing = replace(listing, links=self.of(Page(item.url, links=listing.links), len(listing.links)).links)
        yield
        item.page, item.listing = page, listing


class ThinnedRelevance(RelevanceMiddleware):
    """Judges pages by the links that stay (:data:`KEEP_LINKS`, drawn by ``TOPICAL_SEED``)."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._thinning = Thinning(crawler.settings.getfloat(KEEP_LINKS), random_seed(crawler.settings))

    async def judged(self, item: Any, response: Response | None) -> Any:
        crawl = crawl_of(self.crawler)
        if crawl is None or not isinstance(item, PageItem):
            return item
        with self._thinning.applied(item, crawl.options.max_links):
            return await super().judged(item, response)


def settings(share: float) -> dict[str, str]:
    """The settings of a crawl that sees this share of the links; none where it sees all of them."""
    if share >= 1:
        return {}
    name = f"{__name__}.{ThinnedRelevance.__name__}"
    (place,) = SPIDER_MIDDLEWARES.values()
    return {KEEP_LINKS: str(share), "SPIDER_MIDDLEWARES": json.dumps({name: place})}
