"""What is remembered of fetched pages, at a bounded size: the page classifier and the link model learn from it."""

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
"""Pages that are remembered: the latest, and the examples of the topic."""
PAGE_WORDS = 100
"""Most words that are remembered of a page."""
PAGE_TERMS = 32
"""Most topic terms that are remembered of a page."""
PART_UNIT = 80
"""Parts of a page's term score are remembered in so many parts of 1."""
PAGE_LABELS = 12
"""Most labels (tags, breadcrumbs) that are remembered of a page."""
LINK_WORDS = 12
"""Most words that are remembered of a link."""


@dataclass(frozen=True, slots=True)
class PageWords:
    """What a page says.

    Attributes:
        numbers, counts: its most telling words as numbers below 65,536, and how often they occur, 1 to 255.
        terms, parts: its strongest topic terms as numbers above 0, and how much each stands out in it, in :data:`PART_UNIT` parts
            of 1 (:meth:`PageClassifier.read`). What a term weighs changes with the crawl.
        labels: its labels as numbers above 0.
        odds: log-odds that it is on topic by Eq. 3 (:meth:`PageClassifier.read`).
        described: relevance of its description, by Eq. 3 as Eq. 5 takes it, 0 to 1.
        near: how near its text and its title are to the topic's sentence (:class:`Nearness`), -1 to 1 each.
        is_article: whether it looks like a page with a text of its own, not like a list.
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
    """The link that led to a page; see :class:`LinkView`.

    Attributes:
        features: the lasting ones.
        parents: digests of the pages that hold it, in the order in which they were met.
        relevances: what these passed on to it when it was met there.
        terms: weight of its topic terms.
        distance: links since the last page on topic.
        words: its words by number.
        eq5: the three parts of Eq. 5 when it was followed, 0 to 1 each.
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
    """Pages as rows of arrays. When it is full, a new page takes the place of the oldest that is no example.

    Attributes:
        pages: digests. 0: an empty row.
        sites: the hosts of the pages as numbers.
        words, counts, page_terms, parts, labels, odds, described, near, is_article: see :class:`PageWords`; rows are filled up
            with 0.
        fetched: whether the page could be fetched.
        features, parents, link_relevances, terms, distance, link_words, eq5, link_near: see :class:`IncomingLink`; 0 without a
            link.
        has_link: whether a link led there.
        relevance: by the classifier's latest opinion.
        example: whether the page is an example of the topic, and not forgotten. A long crawl ends far from the topic; if the
            pages that showed what it is were forgotten, the best of the latest would be taken for it.
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
        self._forgotten: dict[int, tuple[float, float]] = {}  # relevance, and that of the description
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
        """Where a page is; None where it is not remembered."""
        return self._rows.get(page)

    def page_words(self, row: int) -> PageWords:
        """What the page in a row says, filled up with 0."""
        arrays = (self.words[row], self.counts[row], self.page_terms[row], self.parts[row], self.labels[row])
        own = (self.odds.item(row), self.described.item(row), self.near[row], bool(self.is_article[row]))
        return PageWords(*arrays, *own)

    def add(self, page: int, words: PageWords | None, link: IncomingLink | None, relevance: float, site: int = 0) -> None:
        """Remember a page.

        Args:
            page: its digest.
            words: None for a page that could not be fetched.
            link: None for a page that no link led to.
            relevance: as judged.
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
        """Make these pages (fewer than there are) the examples, in place of those before."""
        self.example[:] = False
        self.example[rows] = True

    def relevances_of(self, page: int) -> tuple[float, float] | None:
        """Relevance of a page by the latest opinion, and relevance of its description; None where it is not remembered. Pages
        forgotten since :meth:`settle` still count, so that scores change at a refit only."""
        row = self._rows.get(page)
        return self._forgotten.get(page) if row is None else (self.relevance.item(row), self.described.item(row))

    def settle(self) -> None:
        """Drop the relevance of forgotten pages."""
        self._forgotten.clear()

    def parent_relevances(
        self, parents: NDArray[np.int64], link_relevances: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Best and mean relevance of the pages that hold each link, by the latest opinion; of those not remembered, what they
        passed on.

        Args:
            parents, link_relevances: of n links, (n, up to :data:`MAX_PARENTS`); 0: none.
        """
        present = parents != 0
        flat = [self._rows.get(p, -1) for p in parents.ravel().tolist()]
        rows = np.array(flat, dtype=np.int64).reshape(parents.shape)
        now = np.where(rows >= 0, self.relevance[rows], link_relevances)
        now = np.where(present, now, 0).astype(np.float32)
        return now.max(axis=1, initial=0), (now.sum(axis=1) / np.maximum(1, present.sum(axis=1))).astype(np.float32)

    def state_dict(self) -> dict[str, Any]:
        """All of it as JSON data, packed."""
        used = len(self)
        packed = {name: b64encode(zlib.compress(getattr(self, name)[:used].tobytes(), 1)).decode() for name in self._FIELDS}
        forgotten = [[page, *both] for page, both in self._forgotten.items()]
        return {"learned": self.learned, "next": self._next, "forgotten": forgotten, **packed}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        self._clear()
        self.learned, self._next = int(state["learned"]), int(state["next"])
        for name in self._FIELDS:
            rows = getattr(self, name)[: len(self)]
            rows[:] = np.frombuffer(zlib.decompress(b64decode(state[name])), dtype=rows.dtype).reshape(rows.shape)
        self._rows = {int(page): row for row, page in enumerate(self.pages[: len(self)])}
        self._forgotten = {int(page): (float(relevance), float(described)) for page, relevance, described in state["forgotten"]}
