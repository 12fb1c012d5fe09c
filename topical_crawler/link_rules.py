"""Which links are not followed, whatever they may lead to: bounds that a person set, and traps."""

from __future__ import annotations

from collections import Counter

from topical_crawler.frontier import Entry, Outcome
from topical_crawler.options import CrawlOptions
from topical_crawler.urls import fingerprint, host, is_binary, looks_like_trap, shape

_NO_ADDRESS = fingerprint("")


class LinkRules:
    """Refuses links with a reason. It knows what was fetched so far by :meth:`count`; on resume it is told again."""

    def __init__(self, options: CrawlOptions) -> None:
        self._options = options
        self._hosts = tuple(h.lower().lstrip(".") for h in options.hosts)
        self._per_host: Counter[str] = Counter()
        self._shapes: dict[str, tuple[int, int]] = {}  # pages fetched, texts kept

    def count(self, outcome: Outcome) -> None:
        """Take note of a fetched page."""
        self._per_host[host(outcome.url)] += 1
        form = shape(outcome.url)
        if not outcome.url.endswith(form):  # an address without numbers and queries is a shape of its own: nothing to count
            pages, texts = self._shapes.get(form, (0, 0))
            self._shapes[form] = (pages + 1, texts + (not outcome.reason))

    def refusal(self, url: str, depth: int) -> str | None:
        """Why a link is not followed whatever it may lead to; None where nothing speaks against it."""
        if fingerprint(url) == _NO_ADDRESS:
            return "unusable address"
        if is_binary(url):
            return "file type"
        if self._hosts and not self.allowed(host(url)):
            return "other site"
        if self._options.max_depth and depth > self._options.max_depth:
            return "too deep"
        if looks_like_trap(url) or self.is_trap(url):
            return "trap"
        return None

    def allowed(self, name: str) -> bool:
        """Whether a host is one of the allowed ones or a subdomain of one."""
        bare = name.split(":")[0]
        return any(name == h or bare == h or bare.endswith("." + h) for h in self._hosts)

    def is_trap(self, url: str) -> bool:
        """Whether many pages of this URL shape were fetched and not one of them brought a text."""
        pages, texts = self._shapes.get(shape(url), (0, 0))
        return 0 < self._options.trap_pages <= pages and not texts

    def late_refusal(self, entry: Entry, in_flight: int) -> str | None:
        """What may have become true of a link while it waited; a bound may be narrower since the crawl was resumed.

        Args:
            entry: the link.
            in_flight: pages of its host that are being fetched.
        """
        if self._hosts and not self.allowed(entry.host):
            return "other site"
        if self._options.max_depth and entry.depth > self._options.max_depth:
            return "too deep"
        if self.is_trap(entry.url):
            return "trap"
        limit = self._options.max_pages_per_host
        if limit and self._per_host[entry.host] + in_flight >= limit:
            return "host limit"
        return None
