"""Oracles: crawls that know labels, as bounds for real ones. They follow links from the start URLs as any crawl does.

``path`` knows every page of the web and every label. It is not optimal: with a tight bound on the pages of a host, or where a
detour would pay off much later, a better way may exist. ``greedy`` knows only whether the pages are on topic to which the links
lead that it has found: what is between its figures and those of ``path`` is won by knowing the way.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from itertools import chain

from experiments.web_graph import WebGraph
from topical_crawler.evaluation.labels import RELEVANT, Label


def path(graph: WebGraph, starts: Iterable[str], labels: Mapping[bytes, Label], budget: int, cap: int = 0) -> list[str]:
    """The addresses of the pages that the oracle fetches which knows the way, in order.

    The next page is, of the links found so far: a relevant text that was not read yet; else the page with the most links to
    such texts; else one from which the fewest clicks lead to such a text. Of equal ones the first that was found is taken. The
    crawl ends when nothing relevant can be reached any more.

    Args:
        graph: the recorded web.
        starts: start URLs; those that do not answer are passed over.
        labels: of the web for the topic.
        budget: most pages.
        cap: most pages of a host; 0: no bound.
    """
    return _Path(graph, labels, cap).run(starts, budget)


def greedy(graph: WebGraph, starts: Iterable[str], labels: Mapping[bytes, Label], budget: int, cap: int = 0) -> list[str]:
    """As :func:`path`; the next page is one on topic, a relevant text that was not read yet or a list, else the first that was
    found (breadth-first). The crawl ends when no link is left."""
    return _Oracle(graph, labels, cap).run(starts, budget)


ORACLES = {"path": path, "greedy": greedy}
"""By name, the better one first."""


class _Oracle:
    """Pages on topic first, then in the order of finding.

    A page is *wanted* while it is a relevant text that was not read yet, on a host that may still be visited.
    """

    def __init__(self, graph: WebGraph, labels: Mapping[bytes, Label], cap: int) -> None:
        self._graph = graph
        self._cap = cap
        self._hosts = graph.hosts
        self._pages_of = Counter[str]()
        self._fetched: set[int] = set()
        self._found: dict[int, int] = {}  # pages that are known: which one was found first
        self._lists: set[int] = set()  # other pages on topic
        self._texts: dict[int, str] = {}
        self._copies: dict[str, list[int]] = {}
        self._wanted_at: dict[str, list[int]] = {}
        for page, key in enumerate(graph.keys):
            label = labels.get(key)
            if label is not None and label.grade == RELEVANT and not label.is_text:
                self._lists.add(page)
            if label is not None and label.is_relevant_text:
                self._texts[page] = label.doc
                self._copies.setdefault(label.doc, []).append(page)
                self._wanted_at.setdefault(self._hosts[page], []).append(page)
        self._wanted = set(self._texts)
        self._linking = graph.linking
        self._relevant: deque[int] = deque()
        self._others: deque[int] = deque()

    def run(self, starts: Iterable[str], budget: int) -> list[str]:
        for start in starts:
            page = self._graph.page(start)
            if page is not None:
                self._find(page)
        way: list[int] = []
        while len(way) < budget and (page := self._next()) is not None:
            way.append(page)
            self._fetch(page)
        return [self._graph.urls[page] for page in way]

    def _find(self, page: int) -> None:
        if page in self._found:
            return
        self._found[page] = len(self._found)
        (self._relevant if page in self._wanted or page in self._lists else self._others).append(page)

    def _next(self) -> int | None:
        while self._relevant:
            page = self._relevant.popleft()
            if page in self._wanted or (page in self._lists and self._is_open(page)):
                return page
            self._others.append(page)  # a copy of what was read, or its host is full
        return self._other()

    def _other(self) -> int | None:
        while self._others:
            page = self._others.popleft()
            if self._is_open(page):
                return page
        return None

    def _is_open(self, page: int) -> bool:
        return page not in self._fetched and not (self._cap and self._pages_of[self._hosts[page]] >= self._cap)

    def _fetch(self, page: int) -> None:
        self._fetched.add(page)
        name = self._hosts[page]
        self._pages_of[name] += 1
        for copy in self._copies.get(self._texts.get(page, ""), ()):
            self._forget(copy)
        if self._cap and self._pages_of[name] >= self._cap:
            for text in self._wanted_at.get(name, ()):
                self._forget(text)
        for target in self._graph.links[page]:
            self._find(target)

    def _forget(self, text: int) -> None:
        """A text is wanted no longer."""
        self._wanted.discard(text)


class _Path(_Oracle):
    """Relevant texts first, then the page with the most links to such texts, then the one nearest to one."""

    def __init__(self, graph: WebGraph, labels: Mapping[bytes, Label], cap: int) -> None:
        super().__init__(graph, labels, cap)
        self._lists.clear()  # what they lead to is known
        self._gain = [sum(target in self._wanted for target in targets) for targets in graph.links]
        self._by_gain: list[tuple[int, int, int]] = []
        self._near: list[tuple[int, int, int]] = []
        self._distance: dict[int, int] = {}

    def _find(self, page: int) -> None:
        if page in self._found:
            return
        super()._find(page)
        order = self._found[page]
        if self._gain[page]:
            heapq.heappush(self._by_gain, (-self._gain[page], order, page))
        if page in self._distance:
            heapq.heappush(self._near, (self._distance[page], order, page))

    def _forget(self, text: int) -> None:
        if text in self._wanted:
            super()._forget(text)
            for page in self._linking[text]:
                self._gain[page] -= 1

    def _other(self) -> int | None:
        while self._by_gain:
            known, order, page = heapq.heappop(self._by_gain)
            gain = self._gain[page]
            if not self._is_open(page) or not gain:
                continue
            if gain == -known:
                return page
            heapq.heappush(self._by_gain, (-gain, order, page))  # it fell since
        return self._nearest()

    def _nearest(self) -> int | None:
        """Distances only grow while texts are read: the least one known is right if a way of that length is still there."""
        for _ in range(2):
            while self._near:
                distance, _, page = self._near[0]
                if self._is_open(page):
                    if self._leads(page, distance):
                        return page
                    break
                heapq.heappop(self._near)
            self._measure()
        return None

    def _leads(self, page: int, distance: int) -> bool:
        """Whether a way of so many clicks through open pages leads from ``page`` to a wanted text."""
        level = {page}
        for _ in range(distance):
            level = {t for t in chain.from_iterable(self._graph.links[p] for p in level) if self._is_open(t)}
        return not level.isdisjoint(self._wanted)

    def _measure(self) -> None:
        """Distances to the nearest wanted text of all pages, backwards from those texts."""
        self._distance = dict.fromkeys(self._wanted, 0)
        level = list(self._wanted)
        clicks = 0
        while level:
            clicks += 1
            following = []
            for page in chain.from_iterable(self._linking[target] for target in level):
                if page not in self._distance and self._is_open(page):
                    self._distance[page] = clicks
                    following.append(page)
            level = following
        self._near = [
            (self._distance[p], order, p) for p, order in self._found.items() if p in self._distance and self._is_open(p)
        ]
        heapq.heapify(self._near)
