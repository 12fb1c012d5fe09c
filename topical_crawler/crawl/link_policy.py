"""Which links a crawl follows, to where and in which order, and when it stops. Plain values in, decisions out; what outlives the
process is read and written by calls that are passed in.

A host is *barren* once many of its pages in a row gave no text for the corpus. First its links are *slowed*: they wait until
nothing else is left to fetch. If nothing changes, the host is *left*: its remaining links are dropped. A text makes the host good
again, and so does a text on another host that one of its pages linked to: a hub, of which nothing is kept, is not barren.

A strategy that learns goes where its links promise most, so it may give up a large site after the three pages that it has seen of
it. So on sites that a person asked for links gain by what is not known of their section: its score is an upper bound, as in MOSS
(Audibert & Bubeck 2009). The gain falls with the pages that were fetched of the section, and ends at its share of the crawl.

A crawl ends when its strategy expects too little of the links that wait, at most. Where nothing is known of that, or a person has
set a number of pages, it is barren, and ends, once so many pages in a row gave no text on whatever hosts.
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
"""A host is granted its allowance of pages without a text once more for each text that it gave, up to this many times."""
BARREN_END = 1000
"""Pages in a row without a text that end the crawl of a strategy that drops no links itself (rule of three, 95 %: 0.3 %)."""
FORESIGHT, LEAST_GAIN = 1000, 10.0
"""A crawl ends when so many further pages are expected to give fewer texts than this, at most. It has fetched as many before, and
some text."""
SURVEYED = 1e-3
"""Places of the links of a survey are below this twice, so that none comes before what is found when the crawl goes on."""
SPREAD = 0.2
"""Standard deviation of what a page is worth, where one in twenty is a text."""
FEW = 8
"""Pages of a section below which nothing is known of it, and its links keep their places."""
EXPLORED, MUCH = 10, 0.02
"""Pages that explore a site that a person asked for, or a section of it that holds more than this share of what waits."""
ANY = "all"  # in CrawlOptions.allow_private: every host may be visited
_ARRIVED = frozenset((OFF_TOPIC, "not a text page", "too large", *documents.REASONS))
_NO_ADDRESS = fingerprint("")


class LinkPolicy:
    """Refuses links with a reason, places the others, and says when the crawl is over.

    It knows what was fetched by :meth:`count` alone; a resumed crawl counts the log of its pages again and decides the same. With
    a ``store`` it counts the part of the log that follows the last checkpoint (:meth:`checkpoint`).

    Args:
        options: bounds that a person set.
        learns: whether the strategy learns from what links lead to and drops none of them. Then barren hosts are not slowed: the
            strategy puts their links in their place itself, and also follows nearly hopeless links, behind all of which such a
            host would never have its turn again. Instead a host's links give way once half of its page limit is spent, and the
            more the less is left. Unless a person gave a number of barren pages, or it waits for further seeds, such a crawl
            ends by :attr:`expected`; where that is not known, after :data:`BARREN_END` pages in a row without a text.
        store: where the counts of hosts are kept; None: in memory.

    Attributes:
        before: pages of them that the bound on pages does not count: those fetched before a refresh.
        begun: the page of the log after which it began to count.
        fetched: pages of the crawl, over all its runs; redirects and names without an address are none.
        end: pages in a row without a text after which the crawl ends; 0: never.
        expected: texts expected of the next :data:`FORESIGHT` pages, at least and at most; None where it is not known.
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
        self._asked: set[str] = set()  # hosts of pages that a person asked for, and that were fetched or are on their way
        self._ledger = Ledger(self._count, store)

    def count(self, outcome: Outcome, number: int = 0) -> None:
        """Take note of a finished page, by its number in the log."""
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
        """Count a page for a host. Returns whether its links begin or cease to give way to others by it."""
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
            if not outcome.url.endswith(form):  # an address without numbers and queries is a shape of its own
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
        """Hosts whose links give way to others, including those that have been left; with a ``store`` those that this process
        has met lately."""
        return {name for name, counts in self._ledger.items() if self._standing(counts)}

    @property
    def left(self) -> set[str]:
        """Those of them whose links are dropped."""
        return {name for name, counts in self._ledger.items() if self._standing(counts) == "left"}

    @property
    def revision(self) -> int:
        """How often a host has entered or quitted ``slowed``."""
        return self._ledger.turns

    def meet(self, names: Iterable[str]) -> None:
        """Links of these hosts are about to be judged: what was counted of them is asked for at once, not one by one."""
        self._ledger.meet(names)

    def checkpoint(self, number: int) -> dict[str, Any]:
        """Write all that was counted up to page ``number`` of the log to the store. Returns what :meth:`begin` needs."""
        counts = {"fetched": self.fetched, "fruitless": self._fruitless, "texts": self._texts}
        return counts | {"asked": sorted(self._asked), "turns": self._ledger.write(number)}

    def begin(self, number: int, counts: Mapping[str, Any]) -> None:
        """Go on from a checkpoint after page ``number``, instead of counting the pages until then."""
        self.begun, self.fetched = number, counts["fetched"]
        self._fruitless, self._texts = counts["fruitless"], counts["texts"]
        self._asked.update(counts["asked"])
        self.written(number, counts)

    def written(self, number: int, counts: Mapping[str, Any]) -> None:
        """There is a checkpoint after page ``number``: what was in memory of the pages until then is in the store by now."""
        self._ledger.begin(number, counts["turns"])

    @property
    def barren(self) -> bool:
        """Whether so many pages in a row gave no text that the crawl ends."""
        return 0 < self.end <= self._fruitless and not (self._by_gain and self.expected is not None)

    @property
    def spent(self) -> bool:
        """Whether so little is expected of further pages, at most, that the crawl ends. One without a text knows too little."""
        knows = self._by_gain and self.fetched >= FORESIGHT and self._texts > 0
        return knows and self.expected is not None and self.expected[1] < LEAST_GAIN

    def is_unexplored(self, waiting: Sequence[Entry]) -> bool:
        """Whether, of a site that a person asked for, too few pages were fetched to give it up, or of a section of it that holds
        much of what waits."""
        asked = [entry for entry in waiting if entry.host in self._asked]
        if any(self._ledger.of(name).pages < EXPLORED for name in {entry.host for entry in asked}):
            return True
        places = Counter((entry.host, section(entry.url)) for entry in asked)
        large = [place for place, links in places.items() if links > MUCH * len(waiting)]
        return any(self._ledger.of(name).sections.get(part, 0) < EXPLORED for name, part in large)

    def name(self, urls: Iterable[str]) -> None:
        """A person named these addresses: their hosts may be visited even if they are none of the public web."""
        self._named.update(map(host, urls))

    def permits(self, name: str) -> bool:
        """Whether a host that is none of the public web may be visited: a person named it, with this port or, in the options,
        with any."""
        allowed = self._options.allow_private
        return name in self._named or (bool(allowed) and not {ANY, name, name.rpartition(":")[0]}.isdisjoint(allowed))

    def has_answered(self, name: str) -> bool:
        """Whether a page of a host has arrived."""
        return self._ledger.of(name).answered

    def share(self, name: str) -> float:
        """The share of a host's pages that gave a text; 0 where none was fetched."""
        counts = self._ledger.of(name)
        return counts.texts / max(1, counts.pages)

    def texts(self, name: str) -> int:
        """How many pages of a host gave a text."""
        return self._ledger.of(name).texts

    def limit_reached(self, in_flight: int) -> bool:
        """Whether the crawl has as many pages as it may fetch, ``in_flight`` of them on their way."""
        return 0 < self._options.max_pages <= self.fetched - self.before + in_flight

    def is_over(self, in_flight: int) -> bool:
        """Whether nothing more is to be fetched, whatever waits."""
        return self.barren or self.spent or self.limit_reached(in_flight)

    def standing(self, name: str) -> str:
        """What becomes of a barren host: "slowed" or "left"; "" for any other."""
        return self._standing(self._ledger.of(name))

    def place(self, score: float, entry: Entry) -> float:
        """The priority of a link by its score, over 0. For a strategy that learns, the score gains what may be found out
        (:meth:`_hope`), and is multiplied by twice the share that is left of the host's page limit, if less than half is. In a
        survey hosts take turns, and promising links come first on each."""
        if self._options.survey:
            return SURVEYED * (1 + score) / (1 + self._ledger.of(entry.host).pages)
        if not self._learns or score <= 0:
            return self.place_again(score, entry.host)
        limit, counts = self._options.max_pages_per_host, self._ledger.of(entry.host)
        left = min(1.0, 2 * max(0.0, 1 - counts.pages / limit)) if limit else 1.0
        return left * (score + self._hope(entry, counts))

    def _hope(self, entry: Entry, counts: HostCounts) -> float:
        """What the section of a link on a site that a person asked for may be worth beyond what is known, by the pages that were
        fetched of it. 0 for one that had its share of the pages that the crawl may fetch, or has fetched. Pages count down
        to a power of 2, so that links seldom change places."""
        if entry.host not in self._asked:
            return 0.0
        pages = max(FEW, 1 << (counts.sections.get(section(entry.url), 0) + 1).bit_length() - 1)
        fair = (self._options.max_pages or max(FORESIGHT, self.fetched)) / len(self._asked) / max(1, len(counts.sections))
        return SPREAD * sqrt(log(fair / pages) / pages) if pages < fair else 0.0

    def place_again(self, priority: float, name: str) -> float:
        """The priority of a link that waited at ``priority``: below 0 for a slowed host, in the old order."""
        return -1 / (1 + priority) if not self._learns and priority >= 0 and self.standing(name) else priority

    def place_now(self, entry: Entry, score: Callable[[Sequence[Candidate]], Sequence[float | None]]) -> float:
        """The priority of an entry whose turn has come, by what is known now. Whether a link is worth a visit was decided when
        its page was judged: only its place can change."""
        if not is_link(entry):
            return entry.priority
        if entry.rescored >= self._options.rescore:
            return self.place_again(entry.priority, entry.host)
        worth = score([entry.candidate()])[0]
        return entry.priority if worth is None else self.place(worth, entry)

    def refusal(self, url: str, depth: int) -> str | None:
        """Why a link is not followed whatever it may lead to; None where nothing speaks against it. At ``depth`` 0, what a person
        asked for, barren hosts are fetched too."""
        if fingerprint(url) == _NO_ADDRESS:
            return "unusable address"
        if is_binary(url, self._options.documents):
            return "file type"
        name = host(url)
        if (outside := self._out_of_bounds(name, depth)) is not None:
            return outside
        return "trap" if looks_like_trap(url) else self._fruitless_place(url, name, depth)

    def instead(self, url: str, entry: Entry, meta: dict[str, Any]) -> Entry:
        """What waits at ``url`` in place of an entry that leads there."""
        target = Entry(fingerprint(url), url, host(url), entry.priority, entry.depth, entry.evidence, meta)
        if LISTED not in entry.meta:
            target.dropped = self.refusal(url, entry.depth)
        else:  # a home page in place of a feed that there is not stays what it is
            target.dropped = self.refusal_of_listing(target) if may_list(url) else NO_LISTING
        return target

    def refusal_of_listing(self, entry: Entry) -> str | None:
        """Why a sitemap or feed is not fetched; None where nothing speaks against it. It may be a packed file."""
        return "unusable address" if entry.key == _NO_ADDRESS else self.late_refusal(entry, 0)

    def late_refusal(self, entry: Entry, in_flight: int, again: bool = False) -> str | None:
        """Why a link is not followed any more, by what may have changed while it waited, with ``in_flight`` pages of its host. A
        page that is visited ``again`` need not give a text, nor is it one more of its host."""
        # Another worker may have been given the seed. A name that a page was fetched from is no proof: it may lead elsewhere now.
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
        if 0 < self._options.trap_pages <= pages and not texts:  # of many pages of this shape none gave a text
            return "trap"
        if depth and counts.parameters is not None and counts.parameters.repeats(url):
            return "same page"
        return "barren host" if depth and self._standing(counts) == "left" else None


def _gave_text(outcome: Outcome) -> bool:
    return outcome.reason in ("", PART)


def _says_something(outcome: Outcome) -> bool:
    """Of its host; nobody knows what a page that did not arrive holds."""
    return outcome.keep or outcome.reason in _ARRIVED


def evidence_of(link: Link, parent: str, verdict: Verdict, distance: int) -> Evidence:
    """What is remembered of a link on the page ``parent``; ``distance`` as in :class:`~topical_crawler.web.page.Evidence`."""
    return Evidence(parent, verdict.link_relevance, verdict.keep, link.anchor, distance, link.around, link.path)


def is_link(entry: Entry) -> bool:
    """Whether an entry was found on a page, and waits behind the seeds."""
    return bool(entry.evidence) and entry.priority < SEED_PRIORITY


def linking_hosts(entry: Entry) -> tuple[str, ...]:
    """The other hosts whose pages link to an entry.

    >>> parents = ("a.cn", "www.b.cn", "a.cn:8080", "www.b.cn")
    >>> evidence = tuple(Evidence(f"http://{name}/", 0.0, False, "党建") for name in parents)
    >>> linking_hosts(Entry(fingerprint("http://a.cn/1"), "http://a.cn/1", "a.cn", 0.5, 1, evidence))
    ('www.b.cn', 'a.cn:8080')
    """
    return tuple(dict.fromkeys(name for e in entry.evidence if (name := host(e.parent)) and name != entry.host))


def follow_parts(item: PageItem, closed: str) -> None:
    """Put the links to further parts of a kept article before all others, and mark them as its parts. ``closed`` is the reason
    under which the strategy drops links; like :data:`BELOW_THRESHOLD` it does not hold for parts."""
    wanted = {fingerprint(url) for url in item.parts}
    for link in item.links:
        if link.key in wanted and link.dropped in (None, BELOW_THRESHOLD, closed):
            link.dropped, link.priority = None, SEED_PRIORITY
            link.meta = {**link.meta, PART_OF: item.found["series"]}
