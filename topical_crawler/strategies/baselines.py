"""Baselines that other methods are compared with: breadth-first, random, keywords, PageRank and Shark-Search.

All of them keep a page whose description holds a topic term, and drop no link.
"""

from __future__ import annotations

import math
from array import array
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.base import Parameters, Setup, Strategy, TopicVector, check_number, packed, unpacked
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, description_of, full_text
from topical_crawler.web.urls import fingerprint

_CACHED_TEXTS = 50_000
_BYTES = 8


class KeywordJudge(Strategy):
    """The judge of pages that the baselines share: relevance is the share of topic terms among the words of a page's description
    information. The default threshold is 0: one term is enough."""

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: Any = None) -> None:
        super().__init__(topic, segmenter, parameters)
        self.share = lru_cache(_CACHED_TEXTS)(self._share)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        words = self.segmenter.words(description_of(page))
        matching = [w for w in words if w in self.topic.terms]
        relevance = len(matching) / len(words) if words else 0.0
        return Verdict(relevance, relevance > self.page_threshold, {w: round(1 / len(matching), 4) for w in matching})

    def _share(self, text: str) -> float:
        """The share of topic terms among the distinct content words of a short text, 0 to 1; 0 for no words."""
        words = self.segmenter.words(text)
        return sum(w in self.topic.terms for w in words) / len(words) if words else 0.0


class BreadthFirst(KeywordJudge):
    """The strategy ``breadth_first``: every link in the order in which it was found.

    >>> from topical_crawler import Candidate, Page, strategies
    >>> breadth_first = strategies.create("partybuilding", "breadth_first", resources=None)
    >>> breadth_first.judge(Page("http://a.cn/", title="新党员入党宣誓仪式")).keep
    True
    >>> breadth_first.score([Candidate("http://a.cn/1", ()), Candidate("http://a.cn/2", ())])
    [0.0, 0.0]
    """

    name = "breadth_first"

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [0.0] * len(candidates)


class RandomOrder(KeywordJudge):
    """The strategy ``random``: each link has a fixed random priority, a hash of its address under the seed of the crawl.

    The order is therefore the same in every run with one seed, whatever else waits and however often a link is found.

    >>> from topical_crawler import Candidate, strategies
    >>> one, same, other = (strategies.create("partybuilding", "random", resources=None, seed=n) for n in (1, 1, 2))
    >>> link = Candidate("http://a.cn/党建/1", ())
    >>> one.score([link]) == same.score([link]), one.score([link]) == other.score([link])
    (True, False)
    """

    name = "random"

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: Parameters | None = None, seed: int = 0) -> None:
        super().__init__(topic, segmenter, parameters)
        self._key = str(seed).encode()

    @classmethod
    def make(cls, setup: Setup) -> Self:
        return cls(setup.topic, setup.segmenter, setup.parameters(Parameters), setup.seed)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        digests = (blake2b(fingerprint(c.url), digest_size=8, key=self._key).digest() for c in candidates)
        return [(int.from_bytes(digest) >> 11) / (1 << 53) for digest in digests]  # uniform, 0 to below 1


class KeywordAnchors(KeywordJudge):
    """The strategy ``keyword``, best-first on anchor texts: a link's priority is the share of topic terms among the words of its
    anchor, the best of the places where it was found.

    >>> from topical_crawler import Candidate, Evidence, strategies
    >>> keyword = strategies.create("partybuilding", "keyword", resources=None)
    >>> anchors = ("基层党建", "今日天气")
    >>> keyword.score([Candidate("http://a.cn/1", (Evidence("http://a.cn/", 0.0, False, anchor),)) for anchor in anchors])
    [1.0, 0.0]
    """

    name = "keyword"

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [self.explain(c)["anchor"] for c in candidates]

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {"anchor": max((self.share(e.anchor) for e in candidate.evidence), default=0.0)}


# -- PageRank over the pages fetched so far (Cho, Garcia-Molina & Page 1998)

MAX_LINKS = 1000  # links of a page that count at most: the first ones
FIRST_RANKING = 16  # pages fetched when the ranks are computed for the first time; from then on at every fourth part more
PRECISION = 1e-6  # the iteration ends when no rank changes by more than this part of the mean rank


@dataclass(frozen=True)
class PageRankParameters(Parameters):
    """Constants of the method; the table ``[strategy.pagerank]`` of a topic sets them."""

    damping: float = 0.85  # d of PageRank, 0 to below 1: the share of a page's rank that it passes to its links

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.damping, int | float) or isinstance(self.damping, bool) or not 0 <= self.damping < 1:
            raise ValueError(f"damping must be a number from 0 to below 1, not {self.damping!r}")


class PageRank(KeywordJudge):
    """The strategy ``pagerank``.

    A link's priority is IR(p) = (1 − d) + d·Σ IR(t)/c(t) over the fetched pages t that hold it, c(t) their numbers of links,
    whatever the topic. All ranks are computed anew whenever a quarter more pages were fetched; in between, a page takes the rank
    that it had as a link and passes its share to its own links. An address that no fetched page holds itself, such as the target
    of a redirect, gets the share of the pages where its link was found.

    >>> from topical_crawler import Candidate, Link, Page, strategies
    >>> pagerank = strategies.create("partybuilding", "pagerank", resources=None)
    >>> for name, targets in {"甲": "乙丙", "丁": "乙"}.items():
    ...     page = Page(f"http://a.cn/{name}", links=tuple(Link(f"http://a.cn/{target}") for target in targets))
    ...     pagerank.learn(page.url, pagerank.judge(page))
    >>> [round(score, 4) for score in pagerank.score([Candidate(f"http://a.cn/{name}", ()) for name in "乙丙戊"])]
    [0.3413, 0.2138, 0.15]
    """

    name = "pagerank"
    parameters_type = PageRankParameters

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: PageRankParameters | None = None) -> None:
        super().__init__(topic, segmenter, parameters)
        self._graph = LinkGraph(self.parameters.damping)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        verdict = super().judge(page)
        digests = dict.fromkeys(_digest(link.url) for link in page.links[:MAX_LINKS])
        digests.pop(_digest(page.url), None)
        return replace(verdict, lesson=b64encode(b"".join(digests)).decode())

    def learn(self, url: str, verdict: Verdict) -> None:
        digests = b64decode(verdict.lesson)
        self._graph.add(_digest(url), [digests[i : i + _BYTES] for i in range(0, len(digests), _BYTES)])
        self.revision = self._graph.ranked

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [self.explain(c)["rank"] for c in candidates]

    def explain(self, candidate: Candidate) -> dict[str, float]:
        rank = self._graph.rank(_digest(candidate.url))
        if rank is None:
            shares = sorted(self._graph.share(_digest(parent)) for parent in {e.parent for e in candidate.evidence})
            rank = 1 - self.parameters.damping + self.parameters.damping * sum(shares)
        return {"rank": rank}

    def state_dict(self) -> dict[str, Any]:
        return self._graph.to_json()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._graph = LinkGraph.from_json(state, self.parameters.damping)
        self.revision = self._graph.ranked


class LinkGraph:
    """Pages, their links, and the ranks of both by the formula in :class:`PageRank`; addresses are digests. The sum of the ranks
    is not fixed: the rank of a page without links or of a link that was not followed goes nowhere."""

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


# -- Shark-Search (Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim & Ur 1998, The Shark-Search algorithm)


@dataclass(frozen=True)
class SharkSearchParameters(Parameters):
    """Constants of the method, with the paper's values; the table ``[strategy.shark_search]`` of a topic sets them."""

    decay: float = 0.5  # δ, what is left of relevance from a page to its links, 0 to 1
    anchor: float = 0.8  # β, how much the anchor counts against the text around it, 0 to 1
    inherited: float = 0.8  # γ, how much what a link inherits counts against its anchor and the text around it, 0 to 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("decay", "anchor", "inherited"):
            value = getattr(self, name)
            check_number(name, value)
            if value > 1:
                raise ValueError(f"{name} must be 1 at most, not {value!r}")


class SharkSearch(KeywordJudge):
    """The strategy ``shark_search``: potential = γ·inherited + (1 − γ)·neighbourhood.

    * inherited: δ·sim(page) of the page that holds the link, or δ times what that page had inherited itself, where its own
      similarity is 0. A page found in several places has inherited the most that any of them gave.
    * neighbourhood: β·sim(anchor) + (1 − β)·context, where the context is 1 for an anchor that has anything of the topic, else
      the similarity of the text around the link.

    sim is the cosine of TF-IDF vectors. A link found in several places has the highest of its potentials.

    >>> from topical_crawler import Candidate, Evidence, strategies
    >>> shark = strategies.create("partybuilding", "shark_search", resources=None)
    >>> links = {"党建": "", "更多": "党建 要闻", "首页": "天气"}
    >>> places = [Evidence("http://a.cn/", 0.1, True, anchor, around=around) for anchor, around in links.items()]
    >>> by_anchor, by_context, neither = shark.score([Candidate("http://a.cn/1", (place,)) for place in places])
    >>> by_anchor > by_context > neither == 0.8 * 0.1
    True
    """

    name = "shark_search"
    parameters_type = SharkSearchParameters
    wants_around = True
    wants_text = True

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: SharkSearchParameters | None = None) -> None:
        super().__init__(topic, segmenter, parameters)
        self._topic = TopicVector.of(topic, segmenter)
        self._similarity = lru_cache(_CACHED_TEXTS)(self._topic.similarity)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        verdict = super().judge(page)
        relevant = self._topic.similarity(full_text(page)) or max((e.relevance for e in found), default=0.0)
        return replace(verdict, inherited=self.parameters.decay * relevant)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [max(map(self.potential, c.evidence), default=0.0) for c in candidates]

    def potential(self, place: Evidence) -> float:
        """The score of a link found in one place."""
        gamma: float = self.parameters.inherited
        return gamma * place.relevance + (1 - gamma) * self.neighbourhood(place)

    def neighbourhood(self, place: Evidence) -> float:
        """The neighbourhood score of a link found in one place, 0 to 1."""
        beta: float = self.parameters.anchor
        anchor = self._similarity(place.anchor)
        context = 1.0 if anchor > 0 else self._similarity(place.around)
        return beta * anchor + (1 - beta) * context

    def explain(self, candidate: Candidate) -> dict[str, float]:
        if not candidate.evidence:
            return {}
        best = max(candidate.evidence, key=self.potential)
        return {"inherited": best.relevance, "neighbourhood": self.neighbourhood(best)}
