"""What is seen of a link before it is fetched, as hashed features.

A feature is a kind and a value, ``("word", "党建")``. The model of links (:mod:`topical_crawler.strategies.adaptive.link_model`)
knows it by a number below :data:`SIZE`; two features seldom share one. Some features of a link stay as they are (its address, the
anchors it was found under), others change with what is learned of the pages that hold it (:func:`standing`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from urllib.parse import unquote
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from topical_crawler.web.page import Evidence
from topical_crawler.web.urls import host

SIZE = 1 << 17
"""Numbers of features: 0 stands for none."""
PLACES = 3
"""Places of a link that features are taken from: the first ones. Its anchors are read wherever it was found."""

Feature = tuple[str, str]
Numbers = NDArray[np.uint32]

_MAX_URL, _MAX_ANCHORS = 24, 26
_WORDS = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]+")
_DIGITS = re.compile(r"[0-9]+")
_DIGIT = re.compile(r"[0-9]")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_BETWEEN = re.compile(r"[-_/.+]+")
_NO_DIGITS = re.compile(r"[^0-9]+")
_ANCHOR_WORDS = 12
MAX_FEATURES = _MAX_URL + _MAX_ANCHORS + 2 * PLACES
"""Most lasting features of a link."""
_BINS = 24
_STEPS = {"best": (10, _BINS - 1), "mean": (10, _BINS - 1), "terms": (3, 7), "distance": (1, 7), "likeness": (6, _BINS - 1)}
"""Of the changing features: steps to a whole, and the last step."""

KINDS = {
    "address": ("host", "path", "shape", "form", "name", "query", "depth"),
    "anchor": ("anchor", "terms"),
    "place": ("place", "foreign"),
    "standing": ("best", "mean", "distance"),
    "likeness": ("likeness",),
}
"""Kinds of features by the part of the method that they belong to."""

_SAID = {
    "host": "host {}",
    "path": "address below {}",
    "shape": "addresses like {}",
    "form": "addresses of the form {}",
    "name": "“{}” in the address",
    "query": "address with a query",
    "depth": "address of {} steps",
    "foreign": "leads to another host",
    "anchor": "“{}” in the anchor",
    "place": "place on the page {}",
    "best": "best page it is on: {}",
    "mean": "pages it is on: {}",
    "terms": "topic terms in the anchor: {}",
    "likeness": "anchor like articles on topic, against others: {}",
    "distance": "{} steps from a page on topic",
}


def said(feature: Feature) -> str:
    """A feature in words.

    >>> said(("anchor", "党建")), said(("distance", "0"))
    ('“党建” in the anchor', '0 steps from a page on topic')
    """
    return _SAID[feature[0]].format(feature[1])


_BEGUN = {kind: crc32(f"{kind}:".encode()) for kind in _SAID}


@lru_cache(maxsize=65_536)
def number(feature: Feature) -> int:
    """The number of a feature, 1 to :data:`SIZE` - 1."""
    kind, value = feature
    return crc32(value.encode("utf-8", "replace"), _BEGUN[kind]) % (SIZE - 1) + 1


@lru_cache(maxsize=64)
def _path_and_query(url: str) -> tuple[str, str]:
    """Both as they are read, the path without its escapes; features and words are taken from it, one after the other. What is
    queued is an address as ``canonical`` has it: the time to look out for every other form would be lost with each new link."""
    address, _, query = url.partition("#")[0].partition("?")
    _, slash, path = address.partition("://")[2].partition("/")
    path = slash + path
    return (unquote(path) if "%" in path else path)[:300], query


def of_address(url: str) -> tuple[Feature, ...]:
    """Features of an address, none twice: host, first segments, forms of the path with digits as 0, the words in it.

    >>> [value for kind, value in of_address("http://a.cn/dangjian/2023/支部.html") if kind in ("path", "name")]
    ['a.cn/dangjian', 'a.cn/dangjian/2023', 'a.cn/dangjian/2023/支部.html', 'dangjian', '支部', 'html']
    """
    name = host(url)
    path, query = _path_and_query(url)
    path = path.lower()
    segments = [s for s in path.split("/") if s]
    found: dict[Feature, None] = {("host", name): None}  # in their order
    before = name
    for segment in segments[:3]:
        before = f"{before}/{segment}"
        found["path", before] = None
    folder, slash, last = path.rpartition("/")
    form = _DIGIT.sub("0", folder + slash + _NO_DIGITS.sub("w", last))
    found["shape", name + form] = found["form", form] = None
    found["shape", name + _DIGITS.sub("0", _HAN.sub("汉", path))[:60]] = None
    found["depth", str(len(segments))] = None
    if query:
        found["query", ""] = None
    for word in _WORDS.findall(path):
        found["name", word] = None
        if len(word) > 2 and not word.isascii():
            found |= {("name", a + b): None for a, b in pairwise(word)}
        if len(found) >= _MAX_URL:
            break
    return tuple(found)[:_MAX_URL]


def text_of_address(url: str) -> str:
    """What the path of an address says, as text.

    >>> text_of_address("http://a.cn/tags/%E5%85%9A%E5%BB%BA/linux-kernel.html")
    ' tags 党建 linux kernel html'
    """
    return _BETWEEN.sub(" ", _path_and_query(url)[0])


@dataclass(frozen=True, slots=True)
class Read:
    """What is read in an address, or in the anchors of a link.

    Attributes:
        features: by number, none of them twice.
        terms: weight of the topic terms in it; of several anchors, that of the best.
        says: its words (:meth:`PageJudge.says`).
    """

    features: Numbers
    terms: float
    says: bytes


class LinkFeatures:
    """What is seen of links that does not change with what is learned. It is worked out once as long as it is remembered: most
    links are seen on many pages.

    Args:
        cut: cuts a text into words.
        terms_of: weight of the topic terms among words.
        says: words as they are kept (:meth:`PageJudge.says`).
        without: parts that are left out, of :data:`KINDS`.
    """

    def __init__(
        self,
        cut: Callable[[str], Sequence[str]],
        terms_of: Callable[[Iterable[str]], float],
        says: Callable[[Iterable[str]], bytes],
        without: Iterable[str] = (),
    ) -> None:
        parts = frozenset(without)
        self._without = _kinds_of(parts)
        self._cut = cut
        self._cut_anchor = lru_cache(4096)(cut)  # one anchor is looked at more than once, and again beside others
        self._says = (lambda words: says(())) if "likeness" in parts else says
        self._terms_of_address = _no_terms if "address" in parts else terms_of
        self._terms_of_anchor = _no_terms if "anchor" in parts else terms_of
        self.address = lru_cache(32_768)(self._read_address)
        """What an address says."""
        self._anchors = lru_cache(32_768)(self._read_anchors)
        self._places = lru_cache(16_384)(self._of_places)

    def read(self, url: str, found: Sequence[Evidence]) -> tuple[Read, Read, Numbers]:
        """What a link's address says, what its anchors say, and the features of its first :data:`PLACES` places; of these only
        the address' host hangs on the address."""
        anchors: tuple[str, ...]
        places: tuple[tuple[str, str], ...]
        if len(found) == 1:  # most of them
            (evidence,) = found
            anchors, places = (evidence.anchor,), ((host(evidence.parent), evidence.path),)
        else:
            anchors = tuple(sorted({e.anchor for e in found}))  # whichever worker found which
            places = tuple(dict.fromkeys([(host(e.parent), e.path) for e in found[:PLACES]]))
        return self.address(url), self._anchors(anchors), self._places(host(url), places)

    def words(self, url: str, found: Sequence[Evidence]) -> dict[int, Feature]:
        """The features of a link, each with what it means."""
        features = [*of_address(url)]
        for evidence in found:
            features += self._of_anchor(evidence.anchor)
        for evidence in found[:PLACES]:
            features += _of_place(host(url), host(evidence.parent), evidence.path)
        kept = {number(f): f for f in reversed(features) if f[0] not in self._without}
        address, anchors, places = self.read(url, found)
        numbers = np.concatenate([address.features, anchors.features, places]).tolist()
        return {n: kept[n] for n in numbers if n in kept}

    def _numbers(self, features: Iterable[Feature], most: int) -> Numbers:
        found = dict.fromkeys([number(f) for f in features if f[0] not in self._without])
        return np.array(list(found)[:most], dtype=np.uint32)

    def _read_address(self, url: str) -> Read:
        words = self._cut(text_of_address(url))
        return Read(self._numbers(of_address(url), _MAX_URL), self._terms_of_address(words), self._says(words))

    def _read_anchors(self, anchors: Sequence[str]) -> Read:
        features = self._numbers([f for anchor in anchors for f in self._of_anchor(anchor)], _MAX_ANCHORS)
        words = [self._cut_anchor(anchor) for anchor in anchors]
        return Read(features, max(map(self._terms_of_anchor, words), default=0.0), self._says(chain.from_iterable(words)))

    def _of_places(self, own: str, places: Iterable[tuple[str, str]]) -> Numbers:
        return self._numbers((f for parent, path in places for f in _of_place(own, parent, path)), 2 * PLACES)

    def _of_anchor(self, anchor: str) -> list[Feature]:
        words = [w for w in dict.fromkeys(self._cut_anchor(anchor)) if w.isalnum() or any(c.isalnum() for c in w)]
        return [("anchor", w) for w in words[:_ANCHOR_WORDS]]


def _kinds_of(parts: Iterable[str]) -> frozenset[str]:
    return frozenset(kind for part in parts for kind in KINDS.get(part, ()))


def _no_terms(_: Iterable[str]) -> float:
    return 0.0


def _of_place(own: str, parent: str, path: str) -> list[Feature]:
    found = [("place", f"{parent} {path}")] if path else []
    return found if parent == own or not parent else [*found, ("foreign", "")]


class Standing:
    """The features of links that change with what is learned: relevance of the best page that holds a link and of all in the mean
    (0 to 1, in tenths), topic terms in the anchor (in thirds), links since the last page on topic, what it says (in sixths).

    Args:
        without: parts that are left out, of :data:`KINDS`.

    Attributes:
        kinds: those of the features that are there.
    """

    def __init__(self, without: Iterable[str] = ()) -> None:
        left_out = _kinds_of(without)
        self.kinds = tuple(kind for kind in _STEPS if kind not in left_out)
        numbers = [[number((kind, str(value))) for value in range(_BINS)] for kind in self.kinds]
        self._table = np.array(numbers, dtype=np.uint32).reshape(-1, _BINS)
        self._rows = np.array([list(_STEPS).index(kind) for kind in self.kinds], dtype=np.int64)
        steps = np.array([_STEPS[kind] for kind in self.kinds]).reshape(-1, 2, 1)
        self._scale, self._most = steps[:, 0].astype(np.float32), steps[:, 1].astype(np.int64)
        self._kind = np.arange(len(self.kinds))[:, None]

    def numbers(self, seen: NDArray[np.float32]) -> Numbers:
        """The features of n links, (n, kinds).

        Args:
            seen: relevance of the best page, and in the mean, topic terms, distance, and likeness, (5 or more, n): what else is
                there is not looked at.
        """
        places = np.minimum(self._most, (self._scale * seen[self._rows]).astype(np.int64))
        found: Numbers = self._table[self._kind, places].T
        return found
