"""Which sitemaps and feeds a crawl asks for: those of hosts that have given texts, and what those name in turn."""

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
    """Makes entries of sitemaps and feeds. What was asked for before is known to the frontier: nothing else is remembered, so a
    resumed crawl and further workers do the same.

    Attributes:
        kinds: which kinds are read, each with the number of texts that a host must have given.
    """

    def __init__(self, options: CrawlOptions, policy: LinkPolicy, frontier: Frontier) -> None:
        wanted = {SITEMAP: options.sitemaps, FEED: options.feeds}
        self.kinds = {kind: least for kind, least in wanted.items() if least > 0}
        self._policy = policy
        self._frontier = frontier

    def entries(self, kind: str, urls: Iterable[str], found_on: Entry) -> list[Entry]:
        """Sitemaps or feeds that are not known yet, to be fetched before all links, those that are refused with the reason."""
        nested = LISTED in found_on.meta
        where = (Evidence(found_on.url, 0.0, not nested, distance=int(nested), path=kind),)
        new = ((key, url) for url in urls if not self._frontier.is_settled(key := fingerprint(url)))
        entries = [Entry(key, url, host(url), SEED_PRIORITY, found_on.depth, where, {LISTED: kind}) for key, url in new]
        for entry in entries:
            entry.dropped = self._policy.refusal_of_listing(entry)
        return entries

    def of_text(self, item: PageItem) -> list[Entry]:
        """Where the host of a text may have listings, once it has given as many texts as it takes to look for them."""
        if not self.kinds:
            return []
        announced = {SITEMAP: item.sitemaps, FEED: item.page.feeds if item.page is not None else ()}
        texts = self._policy.texts(item.entry.host) + 1
        kinds = (kind for kind, least in self.kinds.items() if texts >= least)
        return [e for kind in kinds for e in self.entries(kind, of_host(item.url, kind, announced[kind]), item.entry)]
