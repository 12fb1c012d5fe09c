"""Baselines of the field: an order by chance, and best-first on anchor texts."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from topical_crawler.page import Candidate, Evidence, Page, Verdict
from topical_crawler.relevance.keywords import JudgedByKeywords, Keywords
from topical_crawler.strategies.base import Fixed, NoParameters, Setup
from topical_crawler.urls import fingerprint


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
