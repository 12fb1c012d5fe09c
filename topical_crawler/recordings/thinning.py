"""A web of which a part of the links is gone. Which links of a page stay is drawn from the two addresses and a seed alone: every
crawl of one seed and the oracle see the same web, in whatever order they come by its pages.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from hashlib import blake2b

from topical_crawler.web.page import Page
from topical_crawler.web.urls import fingerprint

_BYTES = 8


@dataclass(frozen=True, slots=True)
class Thinning:
    """Which links stay.

    Attributes:
        share: of the links, in the mean; over 0 and up to 1, with which all stay. What stays with one stays with any greater one.
        seed: another seed, another web.
    """

    share: float = 1.0
    seed: int = 0

    def stays(self, page: bytes, link: bytes) -> bool:
        """Whether the page of one :func:`~topical_crawler.web.urls.fingerprint` still leads to the address of another.

        >>> page, links = fingerprint("http://a.cn/"), [fingerprint(f"http://a.cn/党课/{i}") for i in range(1000)]
        >>> sum(Thinning(0.5).stays(page, link) for link in links), sum(Thinning(0.1).stays(page, link) for link in links)
        (495, 101)
        """
        if self.share >= 1:
            return True
        digest = blake2b(page + link, digest_size=_BYTES, salt=blake2b(b"%d" % self.seed, digest_size=16).digest()).digest()
        return int.from_bytes(digest) < self.share * (1 << 8 * _BYTES)

    def of(self, page: Page, most: int) -> Page:
        """``page`` with those of its first ``most`` links that stay; itself, with all of them, where the share is 1."""
        if self.share >= 1:
            return page
        key = fingerprint(page.url)
        return dataclasses.replace(
            page, links=tuple(link for link in page.links[:most] if self.stays(key, fingerprint(link.url)))
        )
