"""What is remembered of fetched pages: what the judge and the model of links learn from, at a bounded size."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.adaptive.link_features import MAX_FEATURES
from topical_crawler.web.urls import fingerprint

CAPACITY = 4096
"""Pages that are remembered: the latest, and those that stand for the topic."""
WORDS = 100
"""Most words that are remembered of a page."""
SAYS = 12
"""Most words that are remembered of what a link says."""
PARENTS = 8
"""Most pages that are remembered as those that hold a link."""

_BYTES = 8


@lru_cache(maxsize=65_536)
def digest(url: str) -> int:
    """A page as a number of 64 bits, never 0."""
    return int.from_bytes(fingerprint(url)[:_BYTES], "little", signed=True) or 1


@dataclass(frozen=True, slots=True)
class Words:
    """What a page says.

    Attributes:
        numbers, counts: its telling words as numbers below 65,536, and how often they are there, 1 to 255.
        said: how much of the topic is in it, by its terms alone (:meth:`PageJudge.read`).
        article: whether it has a text of its own, by its looks.
    """

    numbers: NDArray[np.uint16]
    counts: NDArray[np.uint8]
    said: float
    article: bool


@dataclass(frozen=True, slots=True)
class Leading:
    """The link that led to a page.

    Attributes:
        features: the lasting ones.
        parents: digests of the pages that hold it, the first that was met at the front.
        given: what these handed on to it when it was met there.
        terms: topic terms in its best anchor.
        distance: links since the last page on topic.
        says: words of its anchors, or of its address where these have none (:meth:`PageJudge.says`).
    """

    features: Sequence[int] | NDArray[np.uint32]
    parents: Sequence[int]
    given: Sequence[float]
    terms: float
    distance: int
    says: Sequence[int] | NDArray[np.uint16] = ()


class Memory:
    """Pages, as arrays of which row ``i`` is one; a page that is one too many takes the place of the oldest that is no example.

    Attributes:
        pages: digests. 0: an empty row.
        words, counts: see :class:`Words`; rows are filled up with 0.
        said, article: likewise.
        answered: whether a page came at all.
        features, parents, given, terms, distance, says: see :class:`Leading`; 0 where no link led there.
        led: whether a link led there.
        relevance: by the judge's latest opinion.
        example: whether the page stands for the topic, and is not forgotten. A long crawl ends far from where the topic is; if
            the pages that showed what it is were forgotten, the best of the latest would be taken for it.
    """

    _FIELDS = (
        ("pages", "<i8", ()),
        ("words", "<u2", (WORDS,)),
        ("counts", "u1", (WORDS,)),
        ("said", "<f4", ()),
        ("article", "?", ()),
        ("answered", "?", ()),
        ("features", "<u4", (MAX_FEATURES,)),
        ("parents", "<i8", (PARENTS,)),
        ("given", "<f4", (PARENTS,)),
        ("terms", "<f4", ()),
        ("distance", "<i8", ()),
        ("says", "<u2", (SAYS,)),
        ("led", "?", ()),
        ("relevance", "<f4", ()),
        ("example", "?", ()),
    )

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.learned = 0
        self._next = 0
        self._rows: dict[int, int] = {}
        self._left: dict[int, float] = {}
        for name, kind, shape in self._FIELDS:
            setattr(self, name, np.zeros((CAPACITY, *shape), dtype=kind))

    pages: NDArray[np.int64]
    words: NDArray[np.uint16]
    counts: NDArray[np.uint8]
    said: NDArray[np.float32]
    article: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    features: NDArray[np.uint32]
    parents: NDArray[np.int64]
    given: NDArray[np.float32]
    terms: NDArray[np.float32]
    distance: NDArray[np.int64]
    says: NDArray[np.uint16]
    led: NDArray[np.bool_]
    relevance: NDArray[np.float32]
    example: NDArray[np.bool_]

    def __len__(self) -> int:
        return min(self.learned, CAPACITY)

    def __contains__(self, page: int) -> bool:
        return page in self._rows

    def row(self, page: int) -> int | None:
        """Where a page is; None where it is not remembered."""
        return self._rows.get(page)

    def add(self, page: int, words: Words | None, leading: Leading | None, relevance: float) -> None:
        """Remember a page.

        Args:
            page: its digest.
            words: None for a page that did not come.
            leading: None for a page that no link led to.
            relevance: as judged.
        """
        row = self._next
        while self.example[row]:
            row = (row + 1) % CAPACITY
        self._next = (row + 1) % CAPACITY
        if (oldest := self.pages.item(row)) in self._rows:
            del self._rows[oldest]
            self._left[oldest] = self.relevance.item(row)
        for name, _, _ in self._FIELDS:
            getattr(self, name)[row] = 0
        self.pages[row] = page
        self._rows[page] = row
        self._left.pop(page, None)
        self.learned += 1
        self.relevance[row] = relevance
        if words is not None:
            self.answered[row] = True
            self.words[row, : len(words.numbers)] = words.numbers
            self.counts[row, : len(words.counts)] = words.counts
            self.said[row], self.article[row] = words.said, words.article
        if leading is not None:
            self.led[row] = True
            self.features[row, : len(leading.features)] = leading.features
            self.parents[row, : len(leading.parents)] = leading.parents
            self.given[row, : len(leading.given)] = leading.given
            self.terms[row], self.distance[row] = leading.terms, leading.distance
            self.says[row, : len(leading.says)] = leading.says

    def set_examples(self, rows: NDArray[np.int64]) -> None:
        """Remember these pages (not all that there are) whatever comes, and those that were examples before no longer."""
        self.example[:] = False
        self.example[rows] = True

    def relevance_of(self, page: int) -> float | None:
        """How relevant a page is by the latest opinion; None where it is not remembered. What has made room for others since
        :meth:`settle` is: until then links stand as they did before, and so do their scores."""
        row = self._rows.get(page)
        return self._left.get(page) if row is None else self.relevance.item(row)

    def settle(self) -> None:
        """Forget for good what has made room."""
        self._left.clear()

    def standing(self, parents: NDArray[np.int64], given: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """How relevant the pages are that hold links, by the latest opinion where they are remembered, else by what they handed
        on: the best of each link, and the mean.

        Args:
            parents, given: of n links, (n, up to :data:`PARENTS`); 0: none.
        """
        there = parents != 0
        flat = [self._rows.get(p, -1) for p in parents.ravel().tolist()]
        rows = np.array(flat, dtype=np.int64).reshape(parents.shape)
        now = np.where(rows >= 0, self.relevance[rows], given)
        now = np.where(there, now, 0).astype(np.float32)
        return now.max(axis=1, initial=0), (now.sum(axis=1) / np.maximum(1, there.sum(axis=1))).astype(np.float32)

    def state_dict(self) -> dict[str, Any]:
        """All of it as JSON data, packed."""
        used = len(self)
        packed = {name: _packed(getattr(self, name)[:used]) for name, _, _ in self._FIELDS}
        return {"learned": self.learned, "next": self._next, "left": list(self._left.items()), **packed}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        self._forget()
        self.learned = int(state["learned"])
        self._next = int(state.get("next", self.learned)) % CAPACITY
        used = len(self)
        for name, kind, shape in self._FIELDS:
            if name in state:  # all but what an earlier version did not remember
                data = np.frombuffer(zlib.decompress(b64decode(state[name])), dtype=kind)
                getattr(self, name)[:used] = data.reshape(used, *shape)
        self._rows = {int(page): row for row, page in enumerate(self.pages[:used])}
        self._left = {int(page): float(relevance) for page, relevance in state.get("left", ())}


def _packed(rows: NDArray[Any]) -> str:
    return b64encode(zlib.compress(rows.tobytes(), 1)).decode()
