"""URLs added to a running crawl: start URLs fed through Redis, and searches for newly learned words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace

from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.crawl.options import CrawlOptions, search_urls
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.frontier.base import Entry, Pushed
from topical_crawler.frontier.redis_seeds import RedisFeed

logger = logging.getLogger(__name__)


class Feeding:
    """Adds further seeds to the frontier.

    Args:
        options: searches of the start URLs and the Redis feed.
        policy: decides on refusals.
        push: adds entries to the frontier.
    """

    def __init__(self, options: CrawlOptions, policy: LinkPolicy, push: Callable[[Iterable[Entry]], Pushed]) -> None:
        self._policy = policy
        self._push = push
        self._searches = options.searches
        self._searched: set[str] = set()
        self._feed = None
        if options.redis is not None:
            self._feed = RedisFeed(options.redis, options.start_urls_key, options.patience)

    def poll(self) -> bool:
        """Take the start URLs fed since the last call. Return True if there were any."""
        return self._feed is not None and bool(self._feed.poll(self.take))

    def search(self, words: Iterable[str]) -> None:
        """Push the searches of the start URLs for every word not searched yet."""
        if self._searches and (new := [word for word in words if word not in self._searched]):
            self._searched.update(new)
            self.take(search_urls(self._searches, new))

    def refusal(self, url: str, depth: int) -> str | None:
        """Return the reason not to fetch a URL requested by a person, or None. Private hosts become allowed by this request."""
        self._policy.name([url])
        return self._policy.refusal(url, depth)

    def take(self, urls: list[str]) -> None:
        """Push URLs requested by a person ahead of all links."""
        pushed = self._push([replace(seed_entry(url), dropped=self.refusal(url, 0)) for url in urls])
        logger.info("%d start URLs were fed, %d of them new", len(urls), pushed.new)
