"""What a crawl counts of each host, so that it knows traps and barren hosts: in memory, or in the frontier that workers share.

Workers read one log of finished pages. Every now and then one of them writes the counts of all hosts that had pages since the
last time, up to the same page; only then is it known that all are there. A worker has in memory the pages since then, and the
counts of hosts that it met lately. So it needs the same little memory, and a new one as little time, however long the crawl is;
and whoever is killed while writing leaves counts that say how far they go.
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
"""Numbers of the sections of a site: one with a folder for each of its thousand members is visited as one with few."""
_DIGITS = re.compile(r"\d+")
SHAPES = 1_000
"""Shapes of addresses that are remembered of a host, those whose pages were fetched last."""
KNOWN = 300_000
"""Shapes and addresses that a worker has in memory, over all hosts, in some 100 MB; the hosts that it met last."""
_TOGETHER = 500  # hosts that are read or written at a time


def section(url: str) -> int:
    """The section of its site that an address is in, by the first folder of its path, as a number below :data:`SECTIONS`.

    >>> section("http://a.cn/news/2024/7.html") == section("http://a.cn/news/") != section("http://a.cn/党建/7.html")
    True
    """
    return crc32(_DIGITS.sub("0", folder(url)[1:-1]).encode("utf-8", "replace")) % SECTIONS


def folder(url: str) -> str:
    """The first folder of an address.

    >>> folder("http://a.cn/党建/2024/7.html"), folder("http://a.cn/7.html?page=2")
    ('/党建/', '/')
    """
    first, slash, _ = url.partition("://")[2].partition("?")[0].partition("/")[2].partition("/")
    return f"/{first}/" if slash else "/"


@dataclass(slots=True)
class HostCounts:
    """What was counted of one host.

    Attributes:
        pages: that were fetched.
        texts: pages that gave a text.
        answered: whether one has arrived, or led to a text.
        fruitless: pages in a row without a text, to which none led either.
        given: texts, with those on other hosts that its pages led to.
        shapes: pages and texts by the digest of a shape of addresses, the one that was fetched last at the end.
        sections: pages by the number of a :func:`section`.
        parameters: what those of its addresses do; None where no address had any.
        turns: numbers of the pages at which it became barren, or good again, since the counts of all hosts were written.
        number: of the last page of the log that is counted, whatever its host, as far as it was written.
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
        """Take note of a page whose address has a shape."""
        pages, texts = self.shapes.pop(shape, (0, 0))
        self.shapes[shape] = [pages + 1, texts + gave_text]
        if len(self.shapes) > SHAPES:
            del self.shapes[next(iter(self.shapes))]

    def pack(self, number: int) -> bytes:
        """As bytes, of which those of a higher ``number`` of pages are the greater ones.

        >>> HostCounts.unpack(HostCounts(pages=3, sections={5: 3}).pack(7)) == HostCounts(pages=3, sections={5: 3}, number=7)
        True
        """
        parameters = None if self.parameters is None else self.parameters.data()
        numbers = (self.pages, self.texts, self.answered, self.fruitless, self.given, self.shapes, self.sections)
        fields = (*numbers, parameters, self.turns)
        return number.to_bytes(8, "big") + bytes(msgpack.packb(fields, unicode_errors="surrogatepass"))

    @classmethod
    def unpack(cls, packed: bytes) -> HostCounts:
        """What :meth:`pack` gave."""
        *fields, parameters, turns = msgpack.unpackb(packed[8:], unicode_errors="surrogatepass", strict_map_key=False)
        fields += [None if parameters is None else Parameters.read(parameters), turns, int.from_bytes(packed[:8], "big")]
        return cls(*fields)


_NONE = HostCounts()


@runtime_checkable
class Store(Protocol):
    """Where workers keep counts of hosts: a frontier that they share."""

    def counted(self, hosts: Sequence[str]) -> Mapping[str, bytes | None]:
        """What was written last of each host, None where nothing was."""

    def write_counted(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Write counts of hosts, but where there are greater ones."""


class Ledger:
    """The counts of all hosts.

    Args:
        count: counts a page for one of the hosts that it says something of, and returns whether the host became barren by it, or
            good again.
        store: None: all are in memory.
    """

    def __init__(self, count: Callable[[str, HostCounts, Outcome], bool], store: Store | None = None) -> None:
        self._count = count
        self._store = store
        self._hosts: dict[str, HostCounts] = {}  # with a store the one that was met last at the end
        self._size = 0
        self._after = 0  # the last page that the counts of all hosts in the store have
        self._turns = 0  # until then
        self._recent: deque[tuple[int, tuple[str, ...]]] = deque()  # pages since then, with their hosts
        self._by_host: defaultdict[str, deque[tuple[int, Outcome]]] = defaultdict(deque)
        self._turned: set[tuple[int, str]] = set()  # since then

    def note(self, number: int, hosts: Iterable[str], outcome: Outcome) -> None:
        """The page ``number`` of the log says something of these hosts."""
        hosts = tuple(hosts)
        if self._store is None:
            for name in hosts:
                self._turns += self._count(name, self._hosts.setdefault(name, HostCounts()), outcome)
            return
        if number > self._after:  # else it is in the store, also where another worker was quicker to read and to write
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
        """The counts of a host, not to be changed."""
        if (counts := self._hosts.get(name)) is not None:
            if self._store is not None:
                self._hosts[name] = self._hosts.pop(name)
            return counts
        return _NONE if self._store is None else self._read([name])[name]

    def meet(self, names: Iterable[str]) -> None:
        """The counts of these hosts will be asked for: get them together."""
        if self._store is not None:
            unknown = iter([name for name in dict.fromkeys(names) if name not in self._hosts])
            while part := list(islice(unknown, _TOGETHER)):
                self._read(part)

    def _read(self, names: Sequence[str]) -> dict[str, HostCounts]:
        """The counts of hosts that are not in memory."""
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
        """How often a host has become barren, or good again."""
        self.meet(list(self._by_host))
        return self._turns + len(self._turned)

    def items(self) -> ItemsView[str, HostCounts]:
        """The counts of the hosts in memory."""
        return self._hosts.items()

    # -- With a store

    def begin(self, after: int, turns: int) -> None:
        """In the store all hosts are counted up to the page ``after``, and had so many turns until then."""
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
        """Write what was counted up to the page ``number`` of the log, the last one that was noted. Returns the turns until
        then."""
        assert self._store is not None
        names = iter(list(self._by_host))
        while part := list(islice(names, _TOGETHER)):
            counted = {name: self._hosts[name] for name in part if name in self._hosts}
            counted |= self._read([name for name in part if name not in counted])
            self._store.write_counted(
                [(name, counts.pack(number)) for name, counts in counted.items() if counts.number <= number]
            )
        return self._turns + sum(turn <= number for turn, _ in self._turned)
