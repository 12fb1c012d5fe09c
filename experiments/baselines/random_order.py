"""The strategy ``random``."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Self

from topical_crawler.strategies.base import KeywordJudge, Parameters, Setup
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate
from topical_crawler.web.urls import fingerprint


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
