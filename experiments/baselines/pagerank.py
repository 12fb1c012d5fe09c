"""The strategy ``pagerank``: PageRank over the pages fetched so far (Cho, Garcia-Molina & Page 1998)."""

from __future__ import annotations

import math
from array import array
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.base import KeywordJudge, Parameters, packed, unpacked
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict
from topical_crawler.web.urls import fingerprint

_BYTES = 8
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
