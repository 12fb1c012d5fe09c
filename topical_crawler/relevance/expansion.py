"""Keywords that a topic gains during a crawl (Zhang et al., section 3.2 and steps 5 to 7 of section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from topical_crawler.urls import fingerprint

EXPANDED = 0.25
"""What a learned keyword weighs at most, as a part of the lightest initial one. Ours: at 0.5 the words of a field's textbooks
(模型, 方法, 面试) soon let in whatever is written like one."""

WeighedWords = Sequence[tuple[str, float] | list[Any]]


class Expansion:
    """The topic's keywords Q and the buffer of those that are to join them.

    Every relevant page gives its first keywords to the buffer. After a batch of pages, the words of the buffer that are new join
    Q, words of more pages first, until Q has χ words. The paper does not say what they weigh: here the mean of their weights on
    the pages that brought them, scaled below the lightest initial keyword, so that pages widen a topic and do not replace it.

    Args:
        initial: the initial keywords, weights above 0.
        batch: relevant pages after which the buffer is emptied.
        most: χ.

    >>> expansion = Expansion({"数据挖掘": 1.0}, batch=2, most=3)
    >>> expansion.learn("http://a.cn/1", [("数据挖掘", 1.0), ("聚类", 0.8)])
    False
    >>> expansion.learn("http://a.cn/2", [("聚类", 0.6), ("分类", 0.9), ("图书", 0.5)])
    True
    >>> expansion.keywords
    {'数据挖掘': 1.0, '聚类': 0.175, '分类': 0.225}
    """

    def __init__(self, initial: Mapping[str, float], batch: int, most: int) -> None:
        self.added: dict[str, float] = {}
        self._initial = dict(initial)
        self._batch = batch
        self._most = most
        self._buffer: list[WeighedWords] = []
        self._learned: set[str] = set()

    @property
    def keywords(self) -> dict[str, float]:
        """Q as it is now, the initial keywords first."""
        return {**self._initial, **self.added}

    def learn(self, url: str, words: WeighedWords) -> bool:
        """Take note of a relevant page, once.

        Args:
            url: of the page.
            words: its keywords with their weights, in [0, 1].

        Returns:
            Whether Q has grown.
        """
        key = fingerprint(url).hex()[:16]
        if key in self._learned or len(self._initial) + len(self.added) >= self._most:
            return False
        self._learned.add(key)
        self._buffer.append(words)
        if len(self._buffer) < self._batch:
            return False
        before = len(self.added)
        self._empty()
        return len(self.added) > before

    def state_dict(self) -> dict[str, Any]:
        """What was learned, as JSON data."""
        buffer = [[list(pair) for pair in words] for words in self._buffer]
        return {"added": dict(self.added), "buffer": buffer, "learned": sorted(self._learned)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        self.added, self._buffer, self._learned = dict(state["added"]), list(state["buffer"]), set(state["learned"])

    def _empty(self) -> None:
        found: dict[str, list[float]] = {}
        for words in self._buffer:
            for word, weight in words:
                if word not in self._initial and word not in self.added:
                    found.setdefault(word, []).append(weight)
        self._buffer = []
        room = self._most - len(self._initial) - len(self.added)
        chosen = sorted(found, key=lambda word: (-len(found[word]), -sum(found[word]), word))[:room]
        lightest = EXPANDED * min(self._initial.values())
        self.added |= {word: lightest * sum(found[word]) / len(found[word]) for word in chosen}
