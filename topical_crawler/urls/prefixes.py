"""Strings that many URLs begin with: the relevant and the irrelevant ones of a crawl (Chen & Zhu 2011, §2.2.3).

A prefix of a URL ends in a slash: the host alone, the host with a folder, with two, and so on.

>>> list(prefixes("http://news.sohu.com/20110225/n279530112.shtml"))
['http://news.sohu.com/', 'http://news.sohu.com/20110225/']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from topical_crawler.urls.identity import canonical
from topical_crawler.urls.looks import MAX_DEPTH


def prefixes(url: str) -> Iterator[str]:
    """The prefixes of a URL that end in a slash, shortest first; none for what is no web address.

    Read from its canonical form without the parameters, whose slashes part no folders, and no deeper than the
    :data:`~topical_crawler.urls.looks.MAX_DEPTH` folders of a URL that is not taken for a trap.
    """
    path = canonical(url).partition("?")[0]
    end = path.find("://") + 2
    for _ in range(MAX_DEPTH + 1):
        end = path.find("/", end + 1) + 1
        if not end:
            return
        yield path[:end]
        end -= 1


class FrequentPrefixes:
    """The *maximal frequent prefixes* of a growing set of URLs: those that at least ``frequency`` of the URLs begin with, while
    they begin with no longer one that does.

    Every URL is to be added once; adding one touches its own prefixes only.

    Args:
        frequency: f of the paper, >= 1.

    >>> found = FrequentPrefixes(frequency=3)
    >>> for url in ("http://a.cn/党建/1", "http://a.cn/党建/2", "http://a.cn/党建/3", "http://a.cn/体育/1"):
    ...     found.add(url)
    >>> found.maximal == {"http://a.cn/%E5%85%9A%E5%BB%BA/"}
    True
    """

    def __init__(self, frequency: int) -> None:
        self.frequency = frequency
        self.maximal: set[str] = set()
        self.frequent = 0
        """How many prefixes are frequent, maximal or not. It grows whenever ``maximal`` changes."""
        self._counts: dict[str, int] = {}

    def add(self, url: str) -> None:
        """Count a URL."""
        shorter = ""
        for prefix in prefixes(url):
            count = self._counts[prefix] = self._counts.get(prefix, 0) + 1
            if count == self.frequency:
                # The next shorter one is at least as frequent, and was found to be so before.
                self._found(prefix, shorter)
            shorter = prefix

    def _found(self, prefix: str, shorter: str) -> None:
        self.frequent += 1
        self.maximal.discard(shorter)
        self.maximal.add(prefix)

    def to_json(self) -> dict[str, Any]:
        """The counts as a tree of JSON data, the common part of the prefixes written once; :meth:`load` reads them back.

        >>> found = FrequentPrefixes(2)
        >>> found.add("http://a.cn/dj/1"), found.add("http://a.cn/ty/1")
        (None, None)
        >>> found.to_json()
        {'http://a.cn/': [2, {'dj/': 1, 'ty/': 1}]}
        """
        tree: dict[str, Any] = {}
        nodes: dict[str, tuple[dict[str, Any], str]] = {}  # of each prefix: where it hangs, and under which name
        for prefix in sorted(self._counts):  # so that a shorter one comes before the longer ones
            start = prefix.rfind("/", 0, len(prefix) - 1) + 1
            if (parent := nodes.get(prefix[:start])) is None:
                place, name = tree, prefix
            else:
                above, key = parent
                if not isinstance(above[key], list):
                    above[key] = [above[key], {}]
                place, name = above[key][1], prefix[start:]
            place[name] = self._counts[prefix]
            nodes[prefix] = place, name
        return tree

    def load(self, tree: Mapping[str, Any]) -> None:
        """Put back what :meth:`to_json` gave, in place of what was counted."""
        self.maximal, self.frequent, self._counts = set(), 0, {}
        waiting: list[tuple[str, Mapping[str, Any]]] = [("", tree)]
        while waiting:
            shorter, below = waiting.pop()
            for name, said in below.items():
                count, deeper = said if isinstance(said, list) else (said, {})
                prefix = shorter + name
                self._counts[prefix] = int(count)
                if count >= self.frequency:
                    self._found(prefix, shorter)
                if deeper:
                    waiting.append((prefix, deeper))


class PrefixSets:
    """S and U of Chen & Zhu 2011: the maximal frequent prefixes S of the relevant URLs, and U = M − S, where M are those of the
    irrelevant ones.

    >>> sets = PrefixSets(frequency=1)
    >>> sets.relevant.add("http://a.cn/党建/1"), sets.irrelevant.add("http://a.cn/体育/1")
    (None, None)
    >>> [sets.match(f"http://a.cn/{folder}/2") for folder in ("党建", "体育", "天气")]
    [(True, False), (False, True), (False, False)]
    """

    def __init__(self, frequency: int) -> None:
        self.relevant = FrequentPrefixes(frequency)
        self.irrelevant = FrequentPrefixes(frequency)

    def match(self, url: str) -> tuple[bool, bool]:
        """Whether ``url`` begins with a prefix of S, and with one of U: one look at each of its own prefixes."""
        in_s = in_u = False
        for prefix in prefixes(url):
            if prefix in self.relevant.maximal:
                in_s = True
            elif prefix in self.irrelevant.maximal:
                in_u = True
        return in_s, in_u

    @property
    def revision(self) -> int:
        """Another number whenever S has gained a prefix or U lost one (it may also change when neither did)."""
        return self.relevant.frequent + self.irrelevant.frequent
