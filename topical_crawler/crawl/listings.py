"""Sitemaps and feeds of a crawl: those of hosts with kept texts, and the listings they refer to."""

from __future__ import annotations

from collections.abc import Iterable

from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.crawl.options import CrawlOptions
from topical_crawler.frontier.base import SEED_PRIORITY, Entry, Frontier
from topical_crawler.items import LISTED, PageItem
from topical_crawler.web.listings import FEED, SITEMAP, of_host
from topical_crawler.web.page import Evidence
from topical_crawler.web.urls import fingerprint, host


class Listings:
    """Factory of entries for sitemaps and feeds. The frontier alone remembers requested ones, so a resumed crawl and further
    workers behave the same.

    Attributes:
        kinds: enabled kinds, each with the number of texts required of a host.
    """

    def __init__(self, options: CrawlOptions, policy: LinkPolicy, frontier: Frontier) -> None:
        wanted = {SITEMAP: options.sitemaps, FEED: options.feeds}
        self.kinds = {kind: least for kind, least in wanted.items() if least > 0}
        self._policy = policy
        self._frontier = frontier

    def entries(self, kind: str, urls: Iterable[str], found_on: Entry) -> list[Entry]:
        """Return entries for new sitemaps or feeds, to be fetched before all links. Refused ones carry the reason."""
        nested = LISTED in found_on.meta
        where = (Evidence(found_on.url, 0.0, not nested, distance=int(nested), path=kind),)
        new = ((key, url) for url in urls if not self._frontier.is_settled(key := fingerprint(url)))
        entries = [Entry(key, url, host(url), SEED_PRIORITY, found_on.depth, where, {LISTED: kind}) for key, url in new]
        for entry in entries:
            entry.dropped = self._policy.refusal_of_listing(entry)
        return entries

    def for_text(self, item: PageItem) -> list[Entry]:
        """Return entries for possible listings on the host of a text, once the host has enough texts."""
        if not self.kinds:
            return []
        announced = {SITEMAP: item.sitemaps, FEED: item.page.feeds if item.page is not None else ()}
        texts = self._policy.texts(item.entry.host) + 1
        kinds = (kind for kind, least in self.kinds.items() if texts >= least)
        return [e for kind in kinds for e in self.entries(kind, of_host(item.url, kind, announced[kind]), item.entry)]
