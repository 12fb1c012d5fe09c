"""Link policy of a crawl: targets, order, and end. Plain values in, decisions out. Persistence comes in through callables.

A host is *barren* after many pages in a row without a text for the corpus. First its links are *slowed*: they wait until
nothing else is left to fetch. If nothing changes, the host is *left*: its remaining links are dropped. A text makes the host
good again. So does a text on another host linked from one of its pages: a hub is not barren, even if nothing of it is kept.

A learning strategy follows the most promising links, and may give up a large site after only three pages. On sites requested by
a person, links therefore gain an exploration bonus for their section: an upper confidence bound as in MOSS (Audibert & Bubeck
2009). The bonus falls with the pages fetched from the section, and ends at the section's share of the crawl.

A crawl ends when its strategy expects too few texts from the waiting links, by the upper estimate. Without an estimate, or with
a limit set by a person, the crawl ends as barren after that many pages in a row without a text on any host.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import log, sqrt
from typing import Any

from topical_crawler.corpus.dedup import DUPLICATE, PART
from topical_crawler.crawl.host_counts import HostCounts, Ledger, Store, section
from topical_crawler.crawl.options import CrawlOptions
from topical_crawler.crawl.parameters import Parameters, digest, has_some
from topical_crawler.extraction import documents
from topical_crawler.frontier.base import NO_PAGES, SEED_PRIORITY, Entry, Outcome
from topical_crawler.items import LISTED, PART_OF, PageItem
from topical_crawler.strategies import BELOW_THRESHOLD, OFF_TOPIC
from topical_crawler.web.listings import NO_LISTING, may_list
from topical_crawler.web.page import Candidate, Evidence, Link, Verdict
from topical_crawler.web.urls import fingerprint, host, is_binary, looks_like_trap, not_public, shape

MOST_CREDIT = 10
"""Most multiples of a host's allowance of pages without a text. Each text of the host adds one."""
BARREN_END = 1000
"""Pages in a row without a text that end a crawl whose strategy drops no links itself (rule of three, 95 %: 0.3 %)."""
FORESIGHT, LEAST_GAIN = 1000, 10.0
"""A crawl ends when ``FORESIGHT`` further pages promise fewer than ``LEAST_GAIN`` texts, by the upper estimate. This takes a text
and ``FORESIGHT`` fetched pages first."""
SURVEYED = 1e-3
"""Scale of link priorities in a survey: below twice this value, and so below all links found when the crawl continues."""
SPREAD = 0.2
"""Standard deviation of a page's worth if one page in twenty is a text."""
FEW = 8
"""Least page count of a section in the exploration bonus. Links of a section with fewer pages keep their order."""
EXPLORED, MUCH = 10, 0.02
"""Pages that explore a requested site, and each section with more than the share ``MUCH`` of the waiting links."""
ANY = "all"  # in CrawlOptions.allow_private: allows every host
_ARRIVED = frozenset((OFF_TOPIC, "not a text page", "too large", *documents.REASONS))
_NO_ADDRESS = fingerprint("")


class LinkPolicy:
    """Refuses links with a reason, places the others, and decides when the crawl is over.

    Its only knowledge of fetched pages comes from :meth:`count`. A resumed crawl replays its log and decides the same. With a
    ``store`` it counts only the part of the log after the last checkpoint (:meth:`checkpoint`).

    Args:
        options: bounds set by a person.
        learns: True if the strategy learns from followed links and drops none. Barren hosts are then not slowed: the strategy
            ranks their links itself, and also follows nearly hopeless links, so a slowed host would never get another turn.
            Instead a host's links lose priority once half of its page limit is spent, in proportion to the pages left. Unless a
            person set a number of barren pages, or the crawl waits for further seeds, it ends by :attr:`expected`. Without an
            estimate it ends after :data:`BARREN_END` pages in a row without a text.
        store: storage for the counts of hosts. None: in memory.

    Attributes:
        before: fetched pages exempt from the page limit, from the time before a refresh.
        begun: number of the log's page after which counting began.
        fetched: pages of the crawl over all its runs, without redirects and unresolved host names.
        end: pages in a row without a text that end the crawl. 0: never.
        expected: lower and upper estimate of texts in the next :data:`FORESIGHT` pages, or None if unknown.
    """

    def __init__(self, options: CrawlOptions, learns: bool = False, store: Store | None = None) -> None:
        self._options = options
        self._learns = learns
        ends = learns and options.idle >= 0
        self.end = options.barren_end if options.barren_end is not None else BARREN_END if ends else 0
        self._by_gain = ends and options.barren_end is None
        self.expected: tuple[float, float] | None = None
        self.fetched = self.before = self.begun = 0
        self._fruitless = self._texts = 0
        self._hosts = tuple(h.lower().lstrip(".") for h in options.hosts)
        self._named: set[str] = set()
        self._asked: set[str] = set()  # hosts of pages requested by a person, fetched or in flight
        self._ledger = Ledger(self._count, store)

    def count(self, outcome: Outcome, number: int = 0) -> None:
        """Count a finished page by its number in the log."""
        if (own := host(outcome.url)) in outcome.led_by:
            self._asked.add(own)
        if outcome.reason in NO_PAGES:
            return
        self.fetched += 1
        gave_text = _gave_text(outcome)
        if gave_text:
            self._fruitless, self._texts = 0, self._texts + 1
        elif _says_something(outcome):
            self._fruitless += 1
        hosts = dict.fromkeys((own, *(outcome.led_by if gave_text else ())))
        self._ledger.note(number, hosts, replace(outcome, lesson=None) if outcome.lesson is not None else outcome)

    def _count(self, name: str, counts: HostCounts, outcome: Outcome) -> bool:
        """Count a page for a host. Return True if this begins or ends the host's deprioritization."""
        before, gave_text = self._standing(counts), _gave_text(outcome)
        if name == host(outcome.url):
            counts.pages += 1
            counts.texts += gave_text
            part = section(outcome.url)
            counts.sections[part] = counts.sections.get(part, 0) + 1
            if has_some(outcome.url):
                counts.parameters = counts.parameters or Parameters()
                counts.parameters.count(outcome.url, gave_text, outcome.reason == DUPLICATE)
            form = shape(outcome.url)
            if not outcome.url.endswith(form):  # a URL without digits and query is a shape of its own
                counts.count_shape(digest(form), gave_text)
        if gave_text:
            counts.answered, counts.fruitless, counts.given = True, 0, counts.given + 1
        elif _says_something(outcome):
            counts.answered, counts.fruitless = True, counts.fruitless + 1
        return bool(before) is not bool(self._standing(counts))

    def _standing(self, counts: HostCounts) -> str:
        credit = min(1 + counts.given, MOST_CREDIT)
        if 0 < self._options.barren_leave * credit <= counts.fruitless:
            return "left"
        return "slowed" if not self._learns and 0 < self._options.barren_pages * credit <= counts.fruitless else ""

    @property
    def slowed(self) -> set[str]:
        """Deprioritized hosts, including abandoned ones. With a ``store``, only hosts met recently by this process."""
        return {name for name, counts in self._ledger.items() if self._standing(counts)}

    @property
    def left(self) -> set[str]:
        """Abandoned hosts: all their links are dropped. A subset of ``slowed``."""
        return {name for name, counts in self._ledger.items() if self._standing(counts) == "left"}

    @property
    def revision(self) -> int:
        """Number of times a host has entered or left ``slowed``."""
        return self._ledger.turns

    def meet(self, names: Iterable[str]) -> None:
        """Prefetch the counts of these hosts before judging their links."""
        self._ledger.meet(names)

    def checkpoint(self, number: int) -> dict[str, Any]:
        """Write all counts up to page ``number`` of the log to the store. Return the arguments of :meth:`begin`."""
        counts = {"fetched": self.fetched, "fruitless": self._fruitless, "texts": self._texts}
        return counts | {"asked": sorted(self._asked), "turns": self._ledger.write(number)}

    def begin(self, number: int, counts: Mapping[str, Any]) -> None:
        """Continue from a checkpoint after page ``number`` instead of counting the pages up to it."""
        self.begun, self.fetched = number, counts["fetched"]
        self._fruitless, self._texts = counts["fruitless"], counts["texts"]
        self._asked.update(counts["asked"])
        self.written(number, counts)

    def written(self, number: int, counts: Mapping[str, Any]) -> None:
        """Release the pages in memory covered by a checkpoint after page ``number``."""
        self._ledger.begin(number, counts["turns"])

    @property
    def barren(self) -> bool:
        """True if the crawl ends after too many pages in a row without a text."""
        return 0 < self.end <= self._fruitless and not (self._by_gain and self.expected is not None)

    @property
    def spent(self) -> bool:
        """True if the crawl ends because further pages promise too little. A crawl without a text never does."""
        knows = self._by_gain and self.fetched >= FORESIGHT and self._texts > 0
        return knows and self.expected is not None and self.expected[1] < LEAST_GAIN

    def is_unexplored(self, waiting: Sequence[Entry]) -> bool:
        """Return True if too few pages were fetched from a requested site, or from a section with many of its waiting links."""
        asked = [entry for entry in waiting if entry.host in self._asked]
        if any(self._ledger.of(name).pages < EXPLORED for name in {entry.host for entry in asked}):
            return True
        places = Counter((entry.host, section(entry.url)) for entry in asked)
        large = [place for place, links in places.items() if links > MUCH * len(waiting)]
        return any(self._ledger.of(name).sections.get(part, 0) < EXPLORED for name, part in large)

    def name(self, urls: Iterable[str]) -> None:
        """Allow the hosts of URLs named by a person, even outside the public web."""
        self._named.update(map(host, urls))

    def permits(self, name: str) -> bool:
        """Return True if a private host may be visited. A person named it with this port, or in the options with any port."""
        allowed = self._options.allow_private
        return name in self._named or (bool(allowed) and not {ANY, name, name.rpartition(":")[0]}.isdisjoint(allowed))

    def has_answered(self, name: str) -> bool:
        """Return True if a page of the host has arrived."""
        return self._ledger.of(name).answered

    def share(self, name: str) -> float:
        """Return the share of a host's pages with a text, 0 for a host without pages."""
        counts = self._ledger.of(name)
        return counts.texts / max(1, counts.pages)

    def texts(self, name: str) -> int:
        """Return the number of a host's pages with a text."""
        return self._ledger.of(name).texts

    def limit_reached(self, in_flight: int) -> bool:
        """Return True if the page limit is reached, counting ``in_flight`` pages."""
        return 0 < self._options.max_pages <= self.fetched - self.before + in_flight

    def is_over(self, in_flight: int) -> bool:
        """Return True if nothing more is to be fetched, even with links waiting."""
        return self.barren or self.spent or self.limit_reached(in_flight)

    def standing(self, name: str) -> str:
        """Return "slowed" or "left" for a barren host, "" for any other."""
        return self._standing(self._ledger.of(name))

    def place(self, score: float, entry: Entry) -> float:
        """Return the priority of a link for its score.

        For a learning strategy the score gains the exploration bonus (:meth:`_hope`). Below half of the host's page limit, it
        is multiplied by twice the share left. In a survey hosts take turns, each with its most promising links first.
        """
        if self._options.survey:
            return SURVEYED * (1 + score) / (1 + self._ledger.of(entry.host).pages)
        if not self._learns or score <= 0:
            return self.place_again(score, entry.host)
        limit, counts = self._options.max_pages_per_host, self._ledger.of(entry.host)
        left = min(1.0, 2 * max(0.0, 1 - counts.pages / limit)) if limit else 1.0
        return left * (score + self._hope(entry, counts))

    def _hope(self, entry: Entry, counts: HostCounts) -> float:
        """Return the exploration bonus of a link on a requested site, by the pages fetched from its section.

        Return 0 for a section past its fair share of the page limit, or of the pages fetched. The page count is rounded down to
        a power of 2, so that links seldom change places.
        """
        if entry.host not in self._asked:
            return 0.0
        pages = max(FEW, 1 << (counts.sections.get(section(entry.url), 0) + 1).bit_length() - 1)
        fair = (self._options.max_pages or max(FORESIGHT, self.fetched)) / len(self._asked) / max(1, len(counts.sections))
        return SPREAD * sqrt(log(fair / pages) / pages) if pages < fair else 0.0

    def place_again(self, priority: float, name: str) -> float:
        """Return the priority of a link waiting at ``priority``: below 0 and in the old order for a slowed host."""
        return -1 / (1 + priority) if not self._learns and priority >= 0 and self.standing(name) else priority

    def place_now(self, entry: Entry, score: Callable[[Sequence[Candidate]], Sequence[float | None]]) -> float:
        """Return the up-to-date priority of an entry about to be fetched. The decision to follow it was made when its page was
        judged, so only its place can change.
        """
        if not is_link(entry):
            return entry.priority
        if entry.rescored >= self._options.rescore:
            return self.place_again(entry.priority, entry.host)
        worth = score([entry.candidate()])[0]
        return entry.priority if worth is None else self.place(worth, entry)

    def refusal(self, url: str, depth: int) -> str | None:
        """Return the reason not to follow a link, independent of its page's worth, or None.

        At ``depth`` 0, for requests of a person, barren hosts are allowed.
        """
        if fingerprint(url) == _NO_ADDRESS:
            return "unusable address"
        if is_binary(url, self._options.documents):
            return "file type"
        name = host(url)
        if (outside := self._out_of_bounds(name, depth)) is not None:
            return outside
        return "trap" if looks_like_trap(url) else self._fruitless_place(url, name, depth)

    def instead(self, url: str, entry: Entry, meta: dict[str, Any]) -> Entry:
        """Return the entry for ``url`` to replace ``entry``, for instance after a redirect."""
        target = Entry(fingerprint(url), url, host(url), entry.priority, entry.depth, entry.evidence, meta)
        if LISTED not in entry.meta:
            target.dropped = self.refusal(url, entry.depth)
        else:  # a home page in place of a missing feed is not read as one
            target.dropped = self.refusal_of_listing(target) if may_list(url) else NO_LISTING
        return target

    def refusal_of_listing(self, entry: Entry) -> str | None:
        """Return the reason not to fetch a sitemap or feed, or None. Compressed files are allowed."""
        return "unusable address" if entry.key == _NO_ADDRESS else self.late_refusal(entry, 0)

    def late_refusal(self, entry: Entry, in_flight: int, again: bool = False) -> str | None:
        """Return the reason not to follow a link any more, considering changes while it waited, or None.

        Args:
            entry: the link.
            in_flight: pages of its host in flight.
            again: True for a repeated visit: the page need not give a text, and does not count towards its host's limit.
        """
        # Another worker may have got the seed. A host name that gave a page once is no proof: it may resolve elsewhere now.
        is_seed = not entry.evidence and "redirect_times" not in entry.meta
        if is_seed or (not_public(entry.host) and any(host(e.parent) == entry.host for e in entry.evidence)):
            self._named.add(entry.host)
        reason = self._out_of_bounds(entry.host, entry.depth)
        if again:
            return reason
        reason = reason or self._fruitless_place(entry.url, entry.host, entry.depth)
        limit = self._options.max_pages_per_host
        if reason is None and limit and self._ledger.of(entry.host).pages + in_flight >= limit:
            return "host limit"
        if reason is None and not entry.evidence:
            self._asked.add(entry.host)
        return reason

    def _out_of_bounds(self, name: str, depth: int) -> str | None:
        bare = name.split(":")[0]
        if self._hosts and not any(name == h or bare == h or bare.endswith("." + h) for h in self._hosts):
            return "other site"
        if (reason := not_public(name)) and not self.permits(name):
            return reason
        return "too deep" if 0 < self._options.max_depth < depth else None

    def _fruitless_place(self, url: str, name: str, depth: int) -> str | None:
        counts = self._ledger.of(name)
        pages, texts = counts.shapes.get(digest(shape(url)), (0, 0)) if counts.shapes else (0, 0)
        if 0 < self._options.trap_pages <= pages and not texts:  # many pages of this shape, none with a text
            return "trap"
        if depth and counts.parameters is not None and counts.parameters.repeats(url):
            return "same page"
        return "barren host" if depth and self._standing(counts) == "left" else None


def _gave_text(outcome: Outcome) -> bool:
    return outcome.reason in ("", PART)


def _says_something(outcome: Outcome) -> bool:
    """Return True if the outcome says something about its host. The content of a page that never arrived is unknown."""
    return outcome.keep or outcome.reason in _ARRIVED


def evidence_of(link: Link, parent: str, verdict: Verdict, distance: int) -> Evidence:
    """Return the evidence for a link on page ``parent``, with ``distance`` as in :class:`~topical_crawler.web.page.Evidence`."""
    return Evidence(parent, verdict.link_relevance, verdict.keep, link.anchor, distance, link.around, link.path)


def is_link(entry: Entry) -> bool:
    """Return True if an entry was found on a page and waits behind the seeds."""
    return bool(entry.evidence) and entry.priority < SEED_PRIORITY


def linking_hosts(entry: Entry) -> tuple[str, ...]:
    """Return the other hosts with pages linking to an entry.

    >>> parents = ("a.cn", "www.b.cn", "a.cn:8080", "www.b.cn")
    >>> evidence = tuple(Evidence(f"http://{name}/", 0.0, False, "党建") for name in parents)
    >>> linking_hosts(Entry(fingerprint("http://a.cn/1"), "http://a.cn/1", "a.cn", 0.5, 1, evidence))
    ('www.b.cn', 'a.cn:8080')
    """
    return tuple(dict.fromkeys(name for e in entry.evidence if (name := host(e.parent)) and name != entry.host))


def follow_parts(item: PageItem, closed: str) -> None:
    """Move the links to further parts of a kept article ahead of all others, and mark them as its parts.

    ``closed`` is the reason used by the strategy for dropped links. Like :data:`BELOW_THRESHOLD` it does not apply to parts.
    """
    wanted = {fingerprint(url) for url in item.parts}
    for link in item.links:
        if link.key in wanted and link.dropped in (None, BELOW_THRESHOLD, closed):
            link.dropped, link.priority = None, SEED_PRIORITY
            link.meta = {**link.meta, PART_OF: item.found["series"]}
