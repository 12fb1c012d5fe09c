"""Baselines: what a crawl is held against.

Links in the order of their PageRank in the part of the web that has been fetched (Cho, Garcia-Molina & Page 1998).

The topic has no say in the order. A page is kept when its description holds a topic term.

Shark-Search (Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim & Ur 1998, The Shark-Search algorithm).

A link is worth what its page hands on, and what its anchor and the text around it say. No link is dropped. A page is kept when
its description holds a topic term.
"""

from __future__ import annotations

import math
from array import array
from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.base import Fixed, NoParameters, Setup
from topical_crawler.strategies.common import TopicVector, check_number, packed, unpacked
from topical_crawler.text.segment import Segmenter
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, description_of, full_text
from topical_crawler.web.urls import fingerprint

# -- Plain keywords: which words of a text are topic terms, and what share of the text they are


_CACHED_TEXTS = 50_000


class Keywords:
    """The judgement that strategies share which bring an order of visits, but no measure of relevance of their own.

    Args:
        terms: the topic terms.
        segmenter: must know them.

    Attributes:
        threshold: a page is kept when the share of topic terms is above this; 0: when there is one at all.

    >>> keywords = Keywords(["党建", "支部"], Segmenter(["党建", "支部"]))
    >>> keywords.verdict(Page("http://a.cn/", title="支部生活")).keep, keywords.share("农村党建要闻")
    (True, 0.3333333333333333)
    """

    def __init__(self, terms: Collection[str], segmenter: Segmenter) -> None:
        self._terms = terms
        self._segmenter = segmenter
        self.threshold = 0.0
        self.share = lru_cache(_CACHED_TEXTS)(self._share)

    def verdict(self, page: Page) -> Verdict:
        """A page is kept when its description information holds a topic term; its relevance is the :meth:`share` of them, which
        may be asked to be above a threshold."""
        words = self._segmenter.words(description_of(page))
        matching = [w for w in words if w in self._terms]
        relevance = len(matching) / len(words) if words else 0.0
        return Verdict(relevance, relevance > self.threshold, {w: round(1 / len(matching), 4) for w in matching})

    def _share(self, text: str) -> float:
        """The share of topic terms among the distinct content words of a short text, 0 to 1; 0 for no words."""
        words = self._segmenter.words(text)
        return sum(w in self._terms for w in words) / len(words) if words else 0.0


class JudgedByKeywords:
    """For a strategy whose pages are judged by ``_keywords``: its threshold is 0 unless it is set."""

    _keywords: Keywords

    @property
    def page_threshold(self) -> float:
        """A page is kept when the share of topic terms in its description is above this.

        Raises:
            ValueError: set to what is no number of 0 or more.
        """
        return self._keywords.threshold

    @page_threshold.setter
    def page_threshold(self, value: float) -> None:
        check_number("page_threshold", value)
        self._keywords.threshold = float(value)


# -- Baselines: what a crawl is held against


class BreadthFirst(JudgedByKeywords, Fixed):
    """Every link in the order in which it was found; a page is kept when its description holds a topic term.

    >>> from topical_crawler import Candidate, Page, strategies
    >>> breadth_first = strategies.create("partybuilding", "breadth_first", resources=None)
    >>> breadth_first.judge(Page("http://a.cn/", title="新党员入党宣誓仪式")).keep
    True
    >>> breadth_first.score([Candidate("http://a.cn/1", ()), Candidate("http://a.cn/2", ())])
    [0.0, 0.0]
    """

    name = "breadth_first"

    def __init__(self, keywords: Keywords) -> None:
        self._keywords = keywords

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        return self._keywords.verdict(page)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [0.0] * len(candidates)


def make_breadth_first(setup: Setup) -> BreadthFirst:
    """The strategy for a topic; it has no parameters."""
    setup.parameters(NoParameters)
    return BreadthFirst(Keywords(setup.topic.terms, setup.segmenter))


# -- Baselines of the field: an order by chance, and best-first on anchor texts


class RandomOrder(JudgedByKeywords, Fixed):
    """Links in random order: each has a lot of its own, drawn from its address and the seed of the crawl.

    The order is therefore the same in every run under one seed, whatever else waits and however often a link is found; another
    seed gives another order. A page is kept when its description holds a topic term.

    Args:
        keywords: judge the pages.
        seed: of the draw.

    >>> from topical_crawler import Candidate, strategies
    >>> one, same, other = (strategies.create("partybuilding", "random", resources=None, seed=n) for n in (1, 1, 2))
    >>> link = Candidate("http://a.cn/党建/1", ())
    >>> one.score([link]) == same.score([link]), one.score([link]) == other.score([link])
    (True, False)
    """

    name = "random"

    def __init__(self, keywords: Keywords, seed: int = 0) -> None:
        self._keywords = keywords
        self._key = str(seed).encode()

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        return self._keywords.verdict(page)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [self._lot(c.url) for c in candidates]

    def _lot(self, url: str) -> float:
        """A number from 0 to below 1, all equally likely."""
        digest = blake2b(fingerprint(url), digest_size=8, key=self._key).digest()
        return (int.from_bytes(digest) >> 11) / (1 << 53)


class KeywordAnchors(JudgedByKeywords, Fixed):
    """Best-first on anchor texts: a link's priority is the share of topic terms among the words of its anchor, the best of the
    places where it was found. No link is dropped. A page is kept when its description holds a topic term.

    >>> from topical_crawler import Candidate, Evidence, strategies
    >>> keyword = strategies.create("partybuilding", "keyword", resources=None)
    >>> anchors = ("基层党建", "今日天气")
    >>> keyword.score([Candidate("http://a.cn/1", (Evidence("http://a.cn/", 0.0, False, anchor),)) for anchor in anchors])
    [1.0, 0.0]
    """

    name = "keyword"

    def __init__(self, keywords: Keywords) -> None:
        self._keywords = keywords

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        return self._keywords.verdict(page)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [max((self._keywords.share(e.anchor) for e in c.evidence), default=0.0) for c in candidates]

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {"anchor": max((self._keywords.share(e.anchor) for e in candidate.evidence), default=0.0)}


def make_random(setup: Setup) -> RandomOrder:
    """The strategy for a topic and a seed; it has no parameters."""
    setup.parameters(NoParameters)
    return RandomOrder(Keywords(setup.topic.terms, setup.segmenter), setup.seed)


def make_keyword(setup: Setup) -> KeywordAnchors:
    """The strategy for a topic; it has no parameters."""
    setup.parameters(NoParameters)
    return KeywordAnchors(Keywords(setup.topic.terms, setup.segmenter))


# -- Links in the order of their PageRank in the part of the web that has been fetched (Cho, Garcia-Molina & Page 1998)


MAX_LINKS = 1000
"""Links of a page that count at most: the first ones."""
FIRST_RANKING = 16
"""Pages fetched when the ranks are computed for the first time; from then on at every fourth part more."""
PRECISION = 1e-6
"""The iteration ends when no rank changes by more than this part of the mean rank."""

_BYTES = 8


@dataclass(frozen=True)
class PageRankParameters:
    """Constants of the method; the table ``[strategy.pagerank]`` of a topic sets them.

    Attributes:
        damping: d of PageRank, from 0 to below 1: the part of a page's rank that its links hand on.
    """

    damping: float = 0.85

    def __post_init__(self) -> None:
        if not isinstance(self.damping, int | float) or isinstance(self.damping, bool) or not 0 <= self.damping < 1:
            raise ValueError(f"damping must be a number from 0 to below 1, not {self.damping!r}")


class PageRank(JudgedByKeywords, Fixed):
    """The strategy ``pagerank``.

    A link's priority is IR(p) = (1 − d) + d·Σ IR(t)/c(t) over the fetched pages t that hold it, c(t) their numbers of links. The
    ranks of all fetched pages are computed anew whenever there are a quarter more of them; in between, a page takes the rank that
    it had as a link and hands its share on to its own links, so that every link has the ranks of all its parents. An address that
    no fetched page holds itself, such as the target of a redirect, has the share of the pages where its link was found.

    Args:
        keywords: judge the pages.
        parameters: constants of the method.

    >>> from topical_crawler import Candidate, Link, Page, strategies
    >>> pagerank = strategies.create("partybuilding", "pagerank", resources=None)
    >>> for name, targets in {"甲": "乙丙", "丁": "乙"}.items():
    ...     page = Page(f"http://a.cn/{name}", links=tuple(Link(f"http://a.cn/{target}") for target in targets))
    ...     pagerank.learn(page.url, pagerank.judge(page))
    >>> [round(score, 4) for score in pagerank.score([Candidate(f"http://a.cn/{name}", ()) for name in "乙丙戊"])]
    [0.3413, 0.2138, 0.15]
    """

    name = "pagerank"

    def __init__(self, keywords: Keywords, parameters: PageRankParameters | None = None) -> None:
        self.parameters = parameters or PageRankParameters()
        self._keywords = keywords
        self._graph = LinkGraph(self.parameters.damping)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        verdict = self._keywords.verdict(page)
        digests = dict.fromkeys(_digest(link.url) for link in page.links[:MAX_LINKS])
        digests.pop(_digest(page.url), None)
        return Verdict(verdict.relevance, verdict.keep, verdict.why, lesson=b64encode(b"".join(digests)).decode())

    def learn(self, url: str, verdict: Verdict) -> None:
        digests = b64decode(verdict.lesson)
        self._graph.add(_digest(url), [digests[i : i + _BYTES] for i in range(0, len(digests), _BYTES)])
        self.revision = self._graph.ranked

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [self._rank(c) for c in candidates]

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {"rank": self._rank(candidate)}

    def _rank(self, candidate: Candidate) -> float:
        rank = self._graph.rank(_digest(candidate.url))
        if rank is None:
            shares = sorted(self._graph.share(_digest(parent)) for parent in {e.parent for e in candidate.evidence})
            rank = 1 - self.parameters.damping + self.parameters.damping * sum(shares)
        return rank

    def state_dict(self) -> dict[str, Any]:
        return self._graph.to_json()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._graph = LinkGraph.from_json(state, self.parameters.damping)
        self.revision = self._graph.ranked


class LinkGraph:
    """Pages, their links, and the ranks of both; addresses are digests.

    The ranks are those of the formula in :class:`PageRank`: their sum is not fixed, and what a page without links or a link that
    was not followed has of rank goes nowhere.
    """

    def __init__(self, damping: float) -> None:
        self.ranked = 0
        self._damping = damping
        self._numbers: dict[bytes, int] = {}  # of every address, in the order of their appearance
        self._inflow = array("d")  # Σ IR(t)/c(t) of every address
        self._pages: dict[int, float] = {}  # addresses that were fetched, in that order, with what each of their links gets
        self._ends = array("q")  # where the links of each of them end
        self._targets = array("i")

    def add(self, page: bytes, links: Sequence[bytes]) -> None:
        """A page was fetched. A page that is known already changes nothing."""
        number = self._number(page)
        if number in self._pages:
            return
        self._connect(number, [self._number(link) for link in links])
        if len(self._pages) >= max(FIRST_RANKING, self.ranked + self.ranked // 4):
            self._compute_ranks()

    def rank(self, address: bytes) -> float | None:
        """IR of an address; None for one that no page holds and that was not fetched."""
        number = self._numbers.get(address)
        return None if number is None else 1 - self._damping + self._damping * self._inflow[number]

    def share(self, page: bytes) -> float:
        """What each link of a page gets of its rank, IR(t)/c(t); 0 where it was not fetched."""
        number = self._numbers.get(page)
        return 0.0 if number is None else self._pages.get(number, 0.0)

    def _number(self, address: bytes) -> int:
        number = self._numbers.setdefault(address, len(self._numbers))
        if number == len(self._inflow):
            self._inflow.append(0.0)
        return number

    def _connect(self, number: int, targets: Sequence[int]) -> None:
        rank = 1 - self._damping + self._damping * self._inflow[number]
        share = self._pages[number] = rank / max(1, len(targets))
        for target in targets:
            self._inflow[target] += share
        self._targets.extend(targets)
        self._ends.append(len(self._targets))

    def _compute_ranks(self) -> None:
        """All ranks from the graph alone: power iteration from equal ranks."""
        self.ranked = len(self._pages)
        pages = np.fromiter(self._pages, dtype=np.int64, count=self.ranked)
        lengths = np.diff(np.asarray(self._ends), prepend=0)
        targets = np.asarray(self._targets)
        holders = np.repeat(np.arange(self.ranked), lengths)
        place = np.full(len(self._numbers), -1)
        place[pages] = np.arange(self.ranked)
        inside = place[targets] >= 0  # only links to fetched pages lead back to where rank comes from
        inner_targets, inner_holders = place[targets[inside]], holders[inside]
        ranks: NDArray[Any] = np.ones(self.ranked)
        change = math.inf
        while change > PRECISION * ranks.mean():
            before, shares = ranks, ranks / np.maximum(lengths, 1)
            ranks = 1 - self._damping + self._damping * np.bincount(inner_targets, shares[inner_holders], self.ranked)
            change = float(np.abs(ranks - before).max())
        shares = ranks / np.maximum(lengths, 1)
        self._inflow = array("d", np.bincount(targets, shares[holders], len(self._numbers)).tobytes())
        self._pages = dict(zip(pages.tolist(), shares.tolist(), strict=True))

    def to_json(self) -> dict[str, Any]:
        """The graph as JSON data: 8 bytes an address and 4 a link, in base64 (a third more)."""
        return {
            "addresses": b64encode(b"".join(self._numbers)).decode(),
            "pages": packed(np.fromiter(self._pages, dtype=np.int64, count=len(self._pages)), "<i4"),
            "ends": packed(np.asarray(self._ends), "<i8"),
            "targets": packed(np.asarray(self._targets), "<i4"),
            "ranked": self.ranked,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], damping: float) -> LinkGraph:
        """Read what :meth:`to_json` wrote; the ranks are computed again, to the last digit, by the same steps."""
        graph = cls(damping)
        addresses = b64decode(data["addresses"])
        for start in range(0, len(addresses), _BYTES):
            graph._number(addresses[start : start + _BYTES])
        targets = unpacked(data["targets"], "<i4").tolist()
        start = 0
        pages, ends = unpacked(data["pages"], "<i4").tolist(), unpacked(data["ends"], "<i8").tolist()
        for place, (page, end) in enumerate(zip(pages, ends, strict=True), 1):
            graph._connect(page, targets[start:end])
            start = end
            if place == data["ranked"]:
                graph._compute_ranks()
        return graph


def _digest(url: str) -> bytes:
    return fingerprint(url)[:_BYTES]


def make_pagerank(setup: Setup) -> PageRank:
    """The strategy for a topic.

    Raises:
        TopicError: a parameter cannot be used.
    """
    return PageRank(Keywords(setup.topic.terms, setup.segmenter), setup.parameters(PageRankParameters))


# -- Shark-Search (Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim & Ur 1998, The Shark-Search algorithm)


@dataclass(frozen=True)
class SharkSearchParameters:
    """Constants of the method, with the paper's values; the table ``[strategy.shark_search]`` of a topic sets them.

    Attributes:
        decay: δ, what is left of relevance from a page to its links, 0 to 1.
        anchor: β, how much the anchor counts against the text around it, 0 to 1.
        inherited: γ, how much what a link inherits counts against its anchor and the text around it, 0 to 1.
    """

    decay: float = 0.5
    anchor: float = 0.8
    inherited: float = 0.8

    def __post_init__(self) -> None:
        for name in ("decay", "anchor", "inherited"):
            value = getattr(self, name)
            check_number(name, value)
            if value > 1:
                raise ValueError(f"{name} must be 1 at most, not {value!r}")


class SharkSearch(JudgedByKeywords, Fixed):
    """The strategy ``shark_search``: potential = γ·inherited + (1 − γ)·neighbourhood.

    * inherited: δ·sim(page) of the page that holds the link, or δ times what that page had inherited itself, where its own
      similarity is 0. A page found in several places has inherited the most that any of them handed on.
    * neighbourhood: β·sim(anchor) + (1 − β)·context, where the context is 1 for an anchor that has anything of the topic, else
      the similarity of the text around the link.

    sim is the cosine of TF-IDF vectors. A link found in several places has the highest of its potentials.

    Args:
        keywords: judge the pages.
        topic: measures a text against the topic.
        parameters: constants of the method.

    >>> from topical_crawler import Candidate, Evidence, strategies
    >>> shark = strategies.create("partybuilding", "shark_search", resources=None)
    >>> said = {"党建": "", "更多": "党建 要闻", "首页": "天气"}
    >>> places = [Evidence("http://a.cn/", 0.1, True, anchor, around=around) for anchor, around in said.items()]
    >>> one, other, none = shark.score([Candidate("http://a.cn/1", (place,)) for place in places])
    >>> one > other > none == 0.8 * 0.1
    True
    """

    name = "shark_search"
    wants_around = True

    def __init__(self, keywords: Keywords, topic: TopicVector, parameters: SharkSearchParameters | None = None) -> None:
        self.parameters = parameters or SharkSearchParameters()
        self._keywords = keywords
        self._topic = topic
        self._similarity = lru_cache(_CACHED_TEXTS)(topic.similarity)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        verdict = self._keywords.verdict(page)
        relevant = self._topic.similarity(full_text(page)) or max((e.relevance for e in found), default=0.0)
        return Verdict(verdict.relevance, verdict.keep, verdict.why, inherited=self.parameters.decay * relevant)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [max(map(self.potential, c.evidence), default=0.0) for c in candidates]

    def potential(self, place: Evidence) -> float:
        """The potential score of a link found in one place."""
        gamma = self.parameters.inherited
        return gamma * place.relevance + (1 - gamma) * self.neighbourhood(place)

    def neighbourhood(self, place: Evidence) -> float:
        """The neighbourhood score of a link found in one place, 0 to 1."""
        beta = self.parameters.anchor
        anchor = self._similarity(place.anchor)
        context = 1.0 if anchor > 0 else self._similarity(place.around)
        return beta * anchor + (1 - beta) * context

    def explain(self, candidate: Candidate) -> dict[str, float]:
        if not candidate.evidence:
            return {}
        best = max(candidate.evidence, key=self.potential)
        return {"inherited": best.relevance, "neighbourhood": self.neighbourhood(best)}


def make_shark_search(setup: Setup) -> SharkSearch:
    """The strategy for a topic.

    Raises:
        TopicError: a parameter cannot be used.
    """
    keywords = Keywords(setup.topic.terms, setup.segmenter)
    topic = TopicVector.of(setup.topic, setup.segmenter)
    return SharkSearch(keywords, topic, setup.parameters(SharkSearchParameters))
