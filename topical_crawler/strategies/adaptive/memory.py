"""Bounded memory of fetched pages, the training data of page classifier and link model."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.adaptive.link_model import MAX_FEATURES, MAX_PARENTS

CAPACITY = 4096
"""Number of pages remembered: the latest ones and the examples of the topic."""
PAGE_WORDS = 100
"""Maximum number of words remembered of a page."""
PAGE_TERMS = 32
"""Maximum number of topic terms remembered of a page."""
PART_UNIT = 80
"""Resolution of the stored parts of a page's term score: steps per unit."""
PAGE_LABELS = 12
"""Maximum number of labels (tags, breadcrumbs) remembered of a page."""
LINK_WORDS = 12
"""Maximum number of words remembered of a link."""


@dataclass(frozen=True, slots=True)
class PageWords:
    """Words of a page and the measures computed from them.

    Attributes:
        numbers, counts: most telling words as numbers below 65,536, and their counts, 1 to 255.
        terms, parts: strongest topic terms as numbers above 0, and their prominence in units of 1 / :data:`PART_UNIT`
            (:meth:`PageClassifier.read`). The weight of a term changes with the crawl.
        labels: labels of the page as numbers above 0.
        odds: log-odds of being on topic by Eq. 3 (:meth:`PageClassifier.read`).
        described: relevance of the description, by Eq. 3 as used in Eq. 5, 0 to 1.
        near: similarity of its text and of its title to the topic's sentence (:class:`Nearness`), -1 to 1 each.
        is_article: True if it looks like a page with a text of its own, not like a list.
    """

    numbers: NDArray[np.uint16]
    counts: NDArray[np.uint8]
    terms: NDArray[np.uint16]
    parts: NDArray[np.uint8]
    labels: NDArray[np.uint16]
    odds: float
    described: float
    near: Sequence[float] | NDArray[np.float32]
    is_article: bool


@dataclass(frozen=True, slots=True)
class IncomingLink:
    """Link leading to a page, see :class:`LinkView`.

    Attributes:
        features: lasting features.
        parents: digests of the pages holding the link, in order of discovery.
        relevances: relevance passed on by each of them at that time.
        terms: weight of its topic terms.
        distance: number of links since the last on-topic page.
        words: its words by number.
        eq5: the three parts of Eq. 5 at the time of following it, 0 to 1 each.
        near: see :class:`LinkView`.
    """

    features: Sequence[int] | NDArray[np.uint32]
    parents: Sequence[int]
    relevances: Sequence[float]
    terms: float
    distance: int
    words: Sequence[int] | NDArray[np.uint16] = ()
    eq5: Sequence[float] = (0.0, 0.0, 0.0)
    near: float = 0.0


class Memory:
    """Pages as rows of arrays. Once full, a new page replaces the oldest one except examples.

    Attributes:
        pages: digests. 0: an empty row.
        sites: hosts of the pages as numbers.
        words, counts, page_terms, parts, labels, odds, described, near, is_article: see :class:`PageWords`. Rows are padded
            with 0.
        fetched: True if the page was fetched successfully.
        features, parents, link_relevances, terms, distance, link_words, eq5, link_near: see :class:`IncomingLink`. All 0
            without a link.
        has_link: True if a link led there.
        relevance: the classifier's latest opinion.
        example: True if the page is an example of the topic, protected from eviction. A long crawl ends far from the topic.
            Without its first examples, it would mistake the best of the latest pages for the topic.
    """

    _FIELDS = (
        *("pages", "sites", "words", "counts", "page_terms", "parts", "labels", "odds", "described", "near"),
        *("is_article", "fetched", "features", "parents", "link_relevances", "terms", "distance", "link_words", "eq5"),
        *("link_near", "has_link", "relevance", "example"),
    )

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.learned = 0
        self._next = 0
        self._rows: dict[int, int] = {}
        self._forgotten: dict[int, tuple[float, float]] = {}  # page → relevance of the page and of its description
        self.pages = np.zeros(CAPACITY, dtype=np.int64)
        self.sites = np.zeros(CAPACITY, dtype=np.uint16)
        self.words = np.zeros((CAPACITY, PAGE_WORDS), dtype=np.uint16)
        self.counts = np.zeros((CAPACITY, PAGE_WORDS), dtype=np.uint8)
        self.page_terms = np.zeros((CAPACITY, PAGE_TERMS), dtype=np.uint16)
        self.parts = np.zeros((CAPACITY, PAGE_TERMS), dtype=np.uint8)
        self.labels = np.zeros((CAPACITY, PAGE_LABELS), dtype=np.uint16)
        self.odds = np.zeros(CAPACITY, dtype=np.float32)
        self.described = np.zeros(CAPACITY, dtype=np.float32)
        self.near = np.zeros((CAPACITY, 2), dtype=np.float32)
        self.is_article = np.zeros(CAPACITY, dtype=np.bool_)
        self.fetched = np.zeros(CAPACITY, dtype=np.bool_)
        self.features = np.zeros((CAPACITY, MAX_FEATURES), dtype=np.uint32)
        self.parents = np.zeros((CAPACITY, MAX_PARENTS), dtype=np.int64)
        self.link_relevances = np.zeros((CAPACITY, MAX_PARENTS), dtype=np.float32)
        self.terms = np.zeros(CAPACITY, dtype=np.float32)
        self.distance = np.zeros(CAPACITY, dtype=np.int64)
        self.link_words = np.zeros((CAPACITY, LINK_WORDS), dtype=np.uint16)
        self.eq5 = np.zeros((CAPACITY, 3), dtype=np.float32)
        self.link_near = np.zeros(CAPACITY, dtype=np.float32)
        self.has_link = np.zeros(CAPACITY, dtype=np.bool_)
        self.relevance = np.zeros(CAPACITY, dtype=np.float32)
        self.example = np.zeros(CAPACITY, dtype=np.bool_)

    def __len__(self) -> int:
        return min(self.learned, CAPACITY)

    def __contains__(self, page: int) -> bool:
        return page in self._rows

    def row(self, page: int) -> int | None:
        """Return the row of a page, None if not remembered."""
        return self._rows.get(page)

    def page_words(self, row: int) -> PageWords:
        """Return the words of the page in a row, padded with 0."""
        arrays = (self.words[row], self.counts[row], self.page_terms[row], self.parts[row], self.labels[row])
        own = (self.odds.item(row), self.described.item(row), self.near[row], bool(self.is_article[row]))
        return PageWords(*arrays, *own)

    def add(self, page: int, words: PageWords | None, link: IncomingLink | None, relevance: float, site: int = 0) -> None:
        """Remember a page.

        Args:
            page: its digest.
            words: None for an unreachable page.
            link: None for a page reached without a link.
            relevance: relevance as judged.
            site: its host as a number below 65,536.
        """
        row = self._next
        while self.example[row]:
            row = (row + 1) % CAPACITY
        self._next = (row + 1) % CAPACITY
        if (oldest := self.pages.item(row)) in self._rows:
            del self._rows[oldest]
            self._forgotten[oldest] = self.relevance.item(row), self.described.item(row)
        for name in self._FIELDS:
            getattr(self, name)[row] = 0
        self.pages[row], self.sites[row] = page, site
        self._rows[page] = row
        self._forgotten.pop(page, None)
        self.learned += 1
        self.relevance[row] = relevance
        if words is not None:
            self.fetched[row] = True
            self.words[row, : len(words.numbers)] = words.numbers
            self.counts[row, : len(words.counts)] = words.counts
            self.page_terms[row, : len(words.terms)] = words.terms
            self.parts[row, : len(words.parts)] = words.parts
            self.labels[row, : len(words.labels)] = words.labels
            self.odds[row], self.described[row], self.is_article[row] = words.odds, words.described, words.is_article
            self.near[row] = words.near
        if link is not None:
            self.has_link[row] = True
            self.features[row, : len(link.features)] = link.features
            self.parents[row, : len(link.parents)] = link.parents
            self.link_relevances[row, : len(link.relevances)] = link.relevances
            self.terms[row], self.distance[row] = link.terms, link.distance
            self.link_words[row, : len(link.words)] = link.words
            self.eq5[row], self.link_near[row] = link.eq5, link.near

    def set_examples(self, rows: NDArray[np.int64]) -> None:
        """Replace the examples by these pages, fewer than :data:`CAPACITY`."""
        self.example[:] = False
        self.example[rows] = True

    def relevances_of(self, page: int) -> tuple[float, float] | None:
        """Return the latest relevance of a page and of its description, None if not remembered.

        Pages forgotten since the last :meth:`settle` still count, so scores change only at a refit.
        """
        row = self._rows.get(page)
        return self._forgotten.get(page) if row is None else (self.relevance.item(row), self.described.item(row))

    def settle(self) -> None:
        """Drop the relevance of forgotten pages."""
        self._forgotten.clear()

    def parent_relevances(
        self, parents: NDArray[np.int64], link_relevances: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the best and the mean of the latest relevances of the pages holding each link. Forgotten pages count with the
        relevance they passed on.

        Args:
            parents, link_relevances: arrays of n links, (n, up to :data:`MAX_PARENTS`). 0: none.
        """
        present = parents != 0
        flat = [self._rows.get(p, -1) for p in parents.ravel().tolist()]
        rows = np.array(flat, dtype=np.int64).reshape(parents.shape)
        now = np.where(rows >= 0, self.relevance[rows], link_relevances)
        now = np.where(present, now, 0).astype(np.float32)
        return now.max(axis=1, initial=0), (now.sum(axis=1) / np.maximum(1, present.sum(axis=1))).astype(np.float32)

    def state_dict(self) -> dict[str, Any]:
        """Return the whole memory as compressed JSON data."""
        used = len(self)
        packed = {name: b64encode(zlib.compress(getattr(self, name)[:used].tobytes(), 1)).decode() for name in self._FIELDS}
        forgotten = [[page, *both] for page, both in self._forgotten.items()]
        return {"learned": self.learned, "next": self._next, "forgotten": forgotten, **packed}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the result of :meth:`state_dict`."""
        self._clear()
        self.learned, self._next = int(state["learned"]), int(state["next"])
        for name in self._FIELDS:
            rows = getattr(self, name)[: len(self)]
            rows[:] = np.frombuffer(zlib.decompress(b64decode(state[name])), dtype=rows.dtype).reshape(rows.shape)
        self._rows = {int(page): row for row, page in enumerate(self.pages[: len(self)])}
        self._forgotten = {int(page): (float(relevance), float(described)) for page, relevance, described in state["forgotten"]}
