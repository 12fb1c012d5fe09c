"""What is seen of a link before it is fetched, as hashed features.

A feature is a kind and a value, ``("word", "党建")``. The model of links (:mod:`topical_crawler.learning.link_model`) knows it by
a number below :data:`SIZE`; two features seldom share one. Some features of a link stay as they are (its address, the anchors
it was found under), others change with what is learned of the pages that hold it (:func:`standing`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any
from urllib.parse import unquote, urlsplit
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from topical_crawler.page import Evidence
from topical_crawler.urls import host

SIZE = 1 << 17
"""Numbers of features: 0 stands for none."""
MAX_FEATURES = 56
"""Most lasting features of a link; the address comes first."""
PLACES = 3
"""Places of a link that features are taken from: the first ones."""

Feature = tuple[str, str]

_MAX_URL = 24
_WORDS = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]+")
_DIGITS = re.compile(r"[0-9]+")
_DIGIT = re.compile(r"[0-9]")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_BETWEEN = re.compile(r"[-_/.+]+")
_LAST = re.compile(r"[^/0-9]+(?=[^/]*$)")
_ANCHOR_WORDS = 12
_BINS = 24
_STEPS = {"best": (10, _BINS - 1), "mean": (10, _BINS - 1), "terms": (3, 7), "distance": (1, 7)}
"""Of the changing features: steps to a whole, and the last step."""

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
    "distance": "{} steps from a page on topic",
}


def said(feature: Feature) -> str:
    """A feature in words.

    >>> said(("anchor", "党建")), said(("distance", "0"))
    ('“党建” in the anchor', '0 steps from a page on topic')
    """
    return _SAID[feature[0]].format(feature[1])


@lru_cache(maxsize=65_536)
def number(feature: Feature) -> int:
    """The number of a feature, 1 to :data:`SIZE` - 1."""
    return crc32(f"{feature[0]}:{feature[1]}".encode("utf-8", "replace")) % (SIZE - 1) + 1


@lru_cache(maxsize=32_768)
def of_address(url: str) -> tuple[Feature, ...]:
    """Features of an address: host, first segments, forms of the path with digits as 0, the words in it.

    >>> [value for kind, value in of_address("http://a.cn/dangjian/2023/支部.html") if kind in ("path", "name")]
    ['a.cn/dangjian', 'a.cn/dangjian/2023', 'a.cn/dangjian/2023/支部.html', 'dangjian', '支部', 'html']
    """
    name = host(url)
    try:
        parts = urlsplit(url)
        path, query = unquote(parts.path).lower()[:300], parts.query
    except ValueError:
        return (("host", name),)
    segments = [s for s in path.split("/") if s]
    found: list[Feature] = [("host", name)]
    before = name
    for segment in segments[:3]:
        before = f"{before}/{segment}"
        found.append(("path", before))
    form = _DIGIT.sub("0", _LAST.sub("w", path))
    found += [("shape", name + form), ("form", form), ("shape", name + _DIGITS.sub("0", _HAN.sub("汉", path))[:60])]
    found.append(("depth", str(len(segments))))
    if query:
        found.append(("query", ""))
    for word in dict.fromkeys(_WORDS.findall(path)):
        found.append(("name", word))
        if len(word) > 2 and not word.isascii():
            found += [("name", a + b) for a, b in pairwise(word)]
    return tuple(dict.fromkeys(found))[:_MAX_URL]


def text_of_address(url: str) -> str:
    """What the path of an address says, as text.

    >>> text_of_address("http://a.cn/tags/%E5%85%9A%E5%BB%BA/linux-kernel.html")
    ' tags 党建 linux kernel html'
    """
    try:
        return _BETWEEN.sub(" ", unquote(urlsplit(url).path)[:300])
    except ValueError:
        return ""


class LinkFeatures:
    """Features of links.

    Args:
        cut: cuts an anchor into words.
        without: kinds of features that are left out.
    """

    def __init__(self, cut: Callable[[str], Sequence[str]], without: Iterable[str] = ()) -> None:
        self._without = frozenset(without)
        self._cut = cut
        self._address = lru_cache(32_768)(self._address_numbers)
        self._anchor = lru_cache(32_768)(self._anchor_numbers)
        self._place = lru_cache(16_384)(self._place_number)

    def numbers(self, url: str, found: Sequence[Evidence]) -> list[int]:
        """The lasting features of a link, without repetitions, by number."""
        return self.joined(url, self.of_places(url, found))

    def of_places(self, url: str, found: Sequence[Evidence]) -> list[int]:
        """Those that come from the places where it was found; of its address only the host is looked at."""
        numbers: list[int] = []
        own = host(url)
        for place, evidence in enumerate(found):
            if evidence.anchor:
                numbers += self._anchor(evidence.anchor)
            if place < PLACES:
                numbers += self._place(host(evidence.parent), own, evidence.path)
        return list(dict.fromkeys(numbers)) if len(found) > 1 else numbers

    def joined(self, url: str, of_places: Iterable[int]) -> list[int]:
        """Those of the address, and others."""
        return list(dict.fromkeys((*self._address(url), *of_places)))[:MAX_FEATURES]

    def words(self, url: str, found: Sequence[Evidence]) -> dict[int, Feature]:
        """The same features, each with what it means."""
        features = [*of_address(url)]
        own = host(url)
        for place, evidence in enumerate(found):
            features += self._of_anchor(evidence.anchor) if evidence.anchor else ()
            if place < PLACES:
                features += self._of_place(host(evidence.parent), own, evidence.path)
        kept = {number(f): f for f in reversed(features) if f[0] not in self._without}
        return {n: kept[n] for n in self.numbers(url, found) if n in kept}

    def _kept(self, features: Iterable[Feature]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(number(f) for f in features if f[0] not in self._without))

    def _address_numbers(self, url: str) -> tuple[int, ...]:
        return self._kept(of_address(url))

    def _anchor_numbers(self, anchor: str) -> tuple[int, ...]:
        return self._kept(self._of_anchor(anchor))

    def _place_number(self, parent: str, own: str, path: str) -> tuple[int, ...]:
        return self._kept(self._of_place(parent, own, path))

    def _of_anchor(self, anchor: str) -> list[Feature]:
        words = (w for w in dict.fromkeys(self._cut(anchor)) if any(c.isalnum() for c in w))
        return [("anchor", w) for w in islice(words, _ANCHOR_WORDS)]

    def _of_place(self, parent: str, own: str, path: str) -> list[Feature]:
        found = [("place", f"{parent} {path}")] if path else []
        return found if parent == own or not parent else [*found, ("foreign", "")]


def standing_features(without: Iterable[str] = ()) -> tuple[tuple[str, NDArray[np.uint32]], ...]:
    """The changing features by kind, as tables of numbers that :func:`standing` looks up."""
    return tuple(
        (kind, np.array([number((kind, str(value))) for value in range(_BINS)], dtype=np.uint32))
        for kind in _STEPS
        if kind not in frozenset(without)
    )


def bins(best: float, mean: float, terms: float, distance: int) -> dict[str, int]:
    """Where the changing features of a link lie in their tables: relevance of the best page that holds it and of all in the mean
    (0 to 1, in tenths), topic terms in the anchor (in thirds), links since the last page on topic."""
    seen = {"best": best, "mean": mean, "terms": terms, "distance": distance}
    return {kind: min(most, int(scale * seen[kind])) for kind, (scale, most) in _STEPS.items()}


def standing(
    tables: Sequence[tuple[str, NDArray[np.uint32]]],
    best: NDArray[np.float32],
    mean: NDArray[np.float32],
    terms: NDArray[np.float32],
    distance: NDArray[np.int64],
) -> NDArray[np.uint32]:
    """The changing features of n links as an array (n, kinds), by the same steps as :func:`bins`."""
    seen: dict[str, NDArray[Any]] = {"best": best, "mean": mean, "terms": terms, "distance": distance}
    if not tables:
        return np.zeros((len(best), 0), dtype=np.uint32)
    return np.stack([table[_places(kind, seen[kind])] for kind, table in tables], axis=1)


def _places(kind: str, seen: NDArray[Any]) -> NDArray[np.int64]:
    scale, most = _STEPS[kind]
    return np.minimum(most, (scale * seen).astype(np.int64))
