"""Which links are not followed, whatever they may lead to, and which give way: bounds that a person set, traps, barren hosts.

A host is barren of which many pages were fetched in a row without a text for the corpus. First its links are *slowed*: they wait
until nothing else is to be fetched. If that does not change it, the host is *left*: the rest of its links is dropped. A text
makes it good again. So does a text on another host to which one of its pages led: of a hub nothing is kept, but it is not barren.

A crawl is barren of which many pages in a row, on whatever hosts, gave no text: it ends.
"""

from __future__ import annotations

from collections import Counter

from topical_crawler.corpus.dedup import PART
from topical_crawler.crawl.options import CrawlOptions
from topical_crawler.frontier import Entry, Outcome
from topical_crawler.strategies import OFF_TOPIC
from topical_crawler.web.urls import fingerprint, host, is_binary, looks_like_trap, shape

MOST_CREDIT = 10
"""How many times as many pages without a text a host may have that has given texts: once more for each, up to this. Hosts that
bring hundreds of texts have stretches of 200 and 300 pages between two of them."""
BARREN_END = 1000
"""Pages in a row without a text after which a crawl ends whose strategy drops no link by itself: at most 3 in 1,000 of the next
ones give one (rule of three, confidence 95 %)."""
_ARRIVED = frozenset((OFF_TOPIC, "not a text page", "too large"))
_NO_ADDRESS = fingerprint("")


class LinkRules:
    """Refuses links with a reason. It knows what was fetched so far by :meth:`count`; on resume it is told again.

    Args:
        options: bounds that a person set.
        learns: whether the strategy learns from what links lead to. Barren hosts are not slowed then: it puts their links in
            their place itself, and follows links with hardly a hope, too: behind all of those a host would never have its turn
            again. Instead links give way when half of what may be fetched of their host is used up, and the more the less is
            left: it is spent when more is known of the host, and of the topic. And since it drops no link, the crawl ends after
            :data:`BARREN_END` pages in a row without a text, where a person has not said after how many; but not one that waits
            for further seeds as long as it is let.

    Attributes:
        slowed: hosts whose links give way to others; those that have been left are among them.
        left: hosts whose links are dropped.
        revision: how often a host has joined or quitted ``slowed``.
        end: pages in a row without a text after which the crawl ends; 0: it does not.
    """

    def __init__(self, options: CrawlOptions, learns: bool = False) -> None:
        self._options = options
        self._learns = learns
        ends = learns and options.idle >= 0
        self.end = options.barren_end if options.barren_end is not None else BARREN_END if ends else 0
        self._fruitless = 0
        self._hosts = tuple(h.lower().lstrip(".") for h in options.hosts)
        self._per_host: Counter[str] = Counter()
        self._shapes: dict[str, tuple[int, int]] = {}  # pages fetched, texts kept
        self._given: dict[str, tuple[int, int]] = {}  # by host: pages since the last text, texts
        self.slowed: set[str] = set()
        self.left: set[str] = set()
        self.revision = 0

    def count(self, outcome: Outcome) -> None:
        """Take note of a fetched page."""
        name, gave_text = host(outcome.url), outcome.reason in ("", PART)
        self._per_host[name] += 1
        form = shape(outcome.url)
        if not outcome.url.endswith(form):  # an address without numbers and queries is a shape of its own: nothing to count
            pages, texts = self._shapes.get(form, (0, 0))
            self._shapes[form] = (pages + 1, texts + gave_text)
        if gave_text:
            self._fruitless = 0
            for giver in {name, *outcome.led_by}:
                self._give(giver, 0, self._given.get(giver, (0, 0))[1] + 1)
        elif outcome.keep or outcome.reason in _ARRIVED:  # of what did not arrive nobody knows what it holds
            self._fruitless += 1
            pages, texts = self._given.get(name, (0, 0))
            self._give(name, pages + 1, texts)

    @property
    def barren(self) -> bool:
        """Whether so many pages in a row gave no text that the crawl ends."""
        return 0 < self.end <= self._fruitless

    def _give(self, name: str, pages: int, texts: int) -> None:
        self._given[name] = (pages, texts)
        credit = min(1 + texts, MOST_CREDIT)
        left = 0 < self._options.barren_leave * credit <= pages
        slowed = left or (not self._learns and 0 < self._options.barren_pages * credit <= pages)
        self.revision += slowed is not (name in self.slowed)
        for hosts, belongs in ((self.slowed, slowed), (self.left, left)):
            (hosts.add if belongs else hosts.discard)(name)

    def standing(self, name: str) -> str:
        """What is done with a barren host: "slowed" or "left"; "" for any other."""
        return "left" if name in self.left else "slowed" if name in self.slowed else ""

    def place(self, score: float, name: str) -> float:
        """Where a link of a host waits by its score, over 0. For a strategy that learns it is multiplied by twice the share that
        is left of what may be fetched of the host, where that is less than half."""
        limit = self._options.max_pages_per_host
        if self._learns and limit and score > 0:
            return score * min(1.0, 2 * max(0.0, 1 - self._per_host[name] / limit))
        return self.place_again(score, name)

    def place_again(self, priority: float, name: str) -> float:
        """Where a link waits that waited at ``priority`` before: of a slowed host below 0, which is behind the links of all
        others, in their own order."""
        return -1 / (1 + priority) if not self._learns and priority >= 0 and name in self.slowed else priority

    def refusal(self, url: str, depth: int) -> str | None:
        """Why a link is not followed whatever it may lead to; None where nothing speaks against it.

        Args:
            depth: links followed from a seed. What a person asked for himself, of depth 0, is fetched of a barren host too.
        """
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
        if depth and host(url) in self.left:
            return "barren host"
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
        if entry.depth and entry.host in self.left:
            return "barren host"
        limit = self._options.max_pages_per_host
        if limit and self._per_host[entry.host] + in_flight >= limit:
            return "host limit"
        return None


def led_by_others(entry: Entry) -> tuple[str, ...]:
    """The other hosts on whose pages a link was found.

    >>> from topical_crawler.web.page import Evidence
    >>> found = [Evidence(f"http://{name}/", 0.0, False, "党建") for name in ("a.cn", "www.b.cn", "a.cn:8080", "www.b.cn")]
    >>> led_by_others(Entry(fingerprint("http://a.cn/1"), "http://a.cn/1", "a.cn", 0.5, 1, tuple(found)))
    ('www.b.cn', 'a.cn:8080')
    """
    return tuple(dict.fromkeys(name for e in entry.evidence if (name := host(e.parent)) and name != entry.host))
