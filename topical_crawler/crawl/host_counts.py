"""Counts per host for detecting traps and barren hosts, in memory or in the frontier shared by workers.

Workers read one log of finished pages. From time to time one of them writes the counts of all hosts with new pages, up to the
same page. Only then are the counts known to be complete. A worker holds in memory the pages since then and the counts of
recently met hosts. Its memory and its start-up time therefore stay small, however long the crawl. A worker killed while writing
leaves records with the page number they cover.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, ItemsView, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol, runtime_checkable
from zlib import crc32

import msgpack

from topical_crawler.crawl.parameters import Parameters
from topical_crawler.frontier.base import Outcome

SECTIONS = 16
"""Number of section buckets per site. They bound the exploration of a site with a folder for each of its thousand members."""
_DIGITS = re.compile(r"\d+")
SHAPES = 1_000
"""Most URL shapes remembered per host. The shapes fetched longest ago are dropped."""
KNOWN = 300_000
"""Most shapes and URLs in a worker's memory over all hosts, some 100 MB. The hosts met longest ago are dropped."""
_TOGETHER = 500  # hosts read or written at a time


def section(url: str) -> int:
    """Return the site section of a URL, from the first folder of its path, as a number below :data:`SECTIONS`.

    >>> section("http://a.cn/news/2024/7.html") == section("http://a.cn/news/") != section("http://a.cn/党建/7.html")
    True
    """
    return crc32(_DIGITS.sub("0", folder(url)[1:-1]).encode("utf-8", "replace")) % SECTIONS


def folder(url: str) -> str:
    """Return the first folder of a URL's path.

    >>> folder("http://a.cn/党建/2024/7.html"), folder("http://a.cn/7.html?page=2")
    ('/党建/', '/')
    """
    first, slash, _ = url.partition("://")[2].partition("?")[0].partition("/")[2].partition("/")
    return f"/{first}/" if slash else "/"


@dataclass(slots=True)
class HostCounts:
    """Counts of one host.

    Attributes:
        pages: pages fetched.
        texts: pages with a text.
        answered: True once a page has arrived or led to a text.
        fruitless: pages in a row without a text and without a link to one.
        given: texts, including texts on other hosts linked from its pages.
        shapes: pages and texts by digest of a URL shape, latest fetched last.
        sections: pages by :func:`section`.
        parameters: effects of its URL parameters, or None if no URL had any.
        turns: numbers of the pages that turned it barren or good again, since the counts of all hosts were written.
        number: number of the last page of the log counted for any host, at the last write.
    """

    pages: int = 0
    texts: int = 0
    answered: bool = False
    fruitless: int = 0
    given: int = 0
    shapes: dict[int, list[int]] = field(default_factory=dict)
    sections: dict[int, int] = field(default_factory=dict)
    parameters: Parameters | None = None
    turns: list[int] = field(default_factory=list)
    number: int = 0

    def __len__(self) -> int:
        return 1 + len(self.shapes) + (0 if self.parameters is None else len(self.parameters))

    def count_shape(self, shape: int, gave_text: bool) -> None:
        """Count a page by the shape of its URL."""
        pages, texts = self.shapes.pop(shape, (0, 0))
        self.shapes[shape] = [pages + 1, texts + gave_text]
        if len(self.shapes) > SHAPES:
            del self.shapes[next(iter(self.shapes))]

    def pack(self, number: int) -> bytes:
        """Serialize to bytes. Records of a higher page ``number`` sort as greater.

        >>> HostCounts.unpack(HostCounts(pages=3, sections={5: 3}).pack(7)) == HostCounts(pages=3, sections={5: 3}, number=7)
        True
        """
        parameters = None if self.parameters is None else self.parameters.data()
        numbers = (self.pages, self.texts, self.answered, self.fruitless, self.given, self.shapes, self.sections)
        fields = (*numbers, parameters, self.turns)
        return number.to_bytes(8, "big") + bytes(msgpack.packb(fields, unicode_errors="surrogatepass"))

    @classmethod
    def unpack(cls, packed: bytes) -> HostCounts:
        """Deserialize the bytes of :meth:`pack`."""
        *fields, parameters, turns = msgpack.unpackb(packed[8:], unicode_errors="surrogatepass", strict_map_key=False)
        fields += [None if parameters is None else Parameters.read(parameters), turns, int.from_bytes(packed[:8], "big")]
        return cls(*fields)


_NONE = HostCounts()


@runtime_checkable
class Store(Protocol):
    """Storage for host counts: the frontier shared by workers."""

    def counted(self, hosts: Sequence[str]) -> Mapping[str, bytes | None]:
        """Return the last record written for each host, or None for a host without one."""

    def write_counted(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Write records of hosts, and keep any greater record already stored."""


class Ledger:
    """The counts of all hosts.

    Args:
        count: counts a page for one of its hosts, and returns True if the host turned barren or good again.
        store: shared storage. None: all counts are in memory.
    """

    def __init__(self, count: Callable[[str, HostCounts, Outcome], bool], store: Store | None = None) -> None:
        self._count = count
        self._store = store
        self._hosts: dict[str, HostCounts] = {}  # with a store, latest met last
        self._size = 0
        self._after = 0  # last page covered by the counts in the store
        self._turns = 0  # up to that page
        self._recent: deque[tuple[int, tuple[str, ...]]] = deque()  # pages after it, with their hosts
        self._by_host: defaultdict[str, deque[tuple[int, Outcome]]] = defaultdict(deque)
        self._turned: set[tuple[int, str]] = set()  # after it

    def note(self, number: int, hosts: Iterable[str], outcome: Outcome) -> None:
        """Count page ``number`` of the log for the given hosts."""
        hosts = tuple(hosts)
        if self._store is None:
            for name in hosts:
                self._turns += self._count(name, self._hosts.setdefault(name, HostCounts()), outcome)
            return
        if number > self._after:  # else in the store already, perhaps from a faster worker
            self._recent.append((number, hosts))
            for name in hosts:
                self._by_host[name].append((number, outcome))
        for name in hosts:
            if (counts := self._hosts.get(name)) is not None:
                self._size -= len(counts)
                self._add(name, counts, number, outcome)
                self._size += len(counts)

    def _add(self, name: str, counts: HostCounts, number: int, outcome: Outcome) -> None:
        if number > counts.number and self._count(name, counts, outcome) and number > self._after:
            counts.turns.append(number)
            self._turned.add((number, name))

    def of(self, name: str) -> HostCounts:
        """Return the counts of a host. Read-only."""
        if (counts := self._hosts.get(name)) is not None:
            if self._store is not None:
                self._hosts[name] = self._hosts.pop(name)
            return counts
        return _NONE if self._store is None else self._read([name])[name]

    def meet(self, names: Iterable[str]) -> None:
        """Prefetch the counts of these hosts in batches."""
        if self._store is not None:
            unknown = iter([name for name in dict.fromkeys(names) if name not in self._hosts])
            while part := list(islice(unknown, _TOGETHER)):
                self._read(part)

    def _read(self, names: Sequence[str]) -> dict[str, HostCounts]:
        """Read the counts of hosts missing in memory."""
        assert self._store is not None
        found: dict[str, HostCounts] = {}
        for name, packed in self._store.counted(names).items():
            counts = found[name] = self._hosts[name] = HostCounts() if packed is None else HostCounts.unpack(packed)
            counts.turns = [number for number in counts.turns if number > self._after]
            self._turned.update((number, name) for number in counts.turns)
            for number, outcome in self._by_host.get(name, ()):
                self._add(name, counts, number, outcome)
            self._size += len(counts)
        while self._size > KNOWN and len(self._hosts) > 1:
            self._size -= len(self._hosts.pop(next(iter(self._hosts))))
        return found

    @property
    def turns(self) -> int:
        """Number of times any host has turned barren or good again."""
        self.meet(list(self._by_host))
        return self._turns + len(self._turned)

    def items(self) -> ItemsView[str, HostCounts]:
        """Return the counts of the hosts in memory."""
        return self._hosts.items()

    # -- With a store

    def begin(self, after: int, turns: int) -> None:
        """Start from counts in the store, complete up to page ``after`` and with ``turns`` turns until then."""
        if after <= self._after:
            return
        self._after, self._turns = after, turns
        while self._recent and self._recent[0][0] <= after:
            for name in self._recent.popleft()[1]:
                self._by_host[name].popleft()
                if not self._by_host[name]:
                    del self._by_host[name]
        self._turned = {(number, name) for number, name in self._turned if number > after}
        for counts in self._hosts.values():
            counts.turns = [number for number in counts.turns if number > after]

    def write(self, number: int) -> int:
        """Write the counts up to page ``number``, the last page noted. Return the number of turns until then."""
        assert self._store is not None
        names = iter(list(self._by_host))
        while part := list(islice(names, _TOGETHER)):
            counted = {name: self._hosts[name] for name in part if name in self._hosts}
            counted |= self._read([name for name in part if name not in counted])
            self._store.write_counted(
                [(name, counts.pack(number)) for name, counts in counted.items() if counts.number <= number]
            )
        return self._turns + sum(turn <= number for turn, _ in self._turned)
