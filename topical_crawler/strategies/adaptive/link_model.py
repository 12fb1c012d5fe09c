"""Value of links before fetching them: hashed features and logistic regression over these.

A feature is a kind and a value, ``("anchor", "党建")``. The model knows it by a number below :data:`SIZE`. Collisions are rare.
:class:`LinkFeatures` reads the lasting features, from the address, the anchors and the places of a link. The changing ones
(:class:`ChangingFeatures`) depend on everything learned of the pages holding the link.

p(link) = 1 / (1 + e^-(prior + Σ w_i)), with ``prior`` as the judgement of the link by the topic alone, and w_i as the weights
of its features, all 0 at first. Each refit improves the weights by some steps of AdaGrad (Duchi, Hazan & Singer 2011) over all
remembered links, with their current values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple
from urllib.parse import unquote
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from topical_crawler.meaning import UNRELATED
from topical_crawler.strategies.base import packed, unpacked
from topical_crawler.web.dom import looks_like_index
from topical_crawler.web.page import Evidence
from topical_crawler.web.urls import fingerprint, host

SIZE = 1 << 17
"""Range of feature numbers. 0: none."""
PLACES = 3
"""Number of places of a link used for features (the first ones). Anchors are read at all places."""
MAX_PARENTS = 8
"""Maximum number of pages remembered as holding a link (the first ones)."""

Feature = tuple[str, str]
Numbers = NDArray[np.uint32]

_MAX_URL, _MAX_ANCHORS, _ANCHOR_WORDS = 24, 26, 12
MAX_FEATURES = _MAX_URL + _MAX_ANCHORS + 2 * PLACES
"""Maximum number of lasting features of a link."""
MAX_TERMS = 2.0
"""Maximum weight of topic terms counted for a link."""
_WORDS = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]+")
_DIGITS, _DIGIT = re.compile(r"[0-9]+"), re.compile(r"[0-9]")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_SEPARATORS = re.compile(r"[-_/.+]+")
_NO_DIGITS = re.compile(r"[^0-9]+")
_STEPS = 24
_SCALES = {
    "best": (10, _STEPS - 1), "mean": (10, _STEPS - 1), "terms": (3, 7), "distance": (1, 7), "likeness": (6, _STEPS - 1),
    "parent": (10, 10), "wording": (10, 10), "struct": (1, 1), "near": (20, _STEPS - 1),
}  # fmt: skip
"""Changing features: steps per unit, and the last step."""

KINDS = {
    "address": ("host", "path", "shape", "form", "name", "query", "depth"),
    "anchor": ("anchor", "terms"),
    "place": ("place", "foreign"),
    "standing": ("best", "mean", "distance"),
    "likeness": ("likeness",),
    "eq5": ("parent", "wording", "struct"),
    "meaning": ("near",),
}
"""Feature kinds by part of the method."""
_IN_WORDS = {
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
    "parent": "parent: relevance of the page's description, by Eq. 3 ({})",
    "wording": "anchor: relevance of the anchor, by Eq. 3 ({})",
    "struct": "struct: like most addresses of its site that are on topic ({})",
    "near": "anchor nearer to the topic's sentence than unrelated texts: {}",
}


def in_words(feature: Feature) -> str:
    """Return a feature in words.

    >>> in_words(("anchor", "党建")), in_words(("distance", "0"))
    ('“党建” in the anchor', '0 steps from a page on topic')
    """
    return _IN_WORDS[feature[0]].format(feature[1])


_PREFIXES = {kind: crc32(f"{kind}:".encode()) for kind in _IN_WORDS}


def number(feature: Feature) -> int:
    """Return the number of a feature, 1 to :data:`SIZE` - 1."""
    kind, value = feature
    return crc32(value.encode("utf-8", "replace"), _PREFIXES[kind]) % (SIZE - 1) + 1


@lru_cache(maxsize=64)
def _path_and_query(url: str) -> tuple[str, str]:
    """Return the unescaped path and the query of a URL in the form of ``canonical``, like all waiting ones."""
    address, _, query = url.partition("#")[0].partition("?")
    path = "".join(address.partition("://")[2].partition("/")[1:])
    return (unquote(path) if "%" in path else path)[:300], query


def of_address(url: str) -> tuple[Feature, ...]:
    """Return the distinct features of a URL: host, first segments, forms of the path with digits as 0, words.

    >>> [value for kind, value in of_address("http://a.cn/dangjian/2023/支部.html") if kind in ("path", "name")]
    ['a.cn/dangjian', 'a.cn/dangjian/2023', 'a.cn/dangjian/2023/支部.html', 'dangjian', '支部', 'html']
    """
    name = host(url)
    path, query = _path_and_query(url)
    path = path.lower()
    segments = [s for s in path.split("/") if s]
    features: dict[Feature, None] = {("host", name): None}  # an ordered set
    before = name
    for segment in segments[:3]:
        before = f"{before}/{segment}"
        features["path", before] = None
    folder, slash, last = path.rpartition("/")
    form = _DIGIT.sub("0", folder + slash + _NO_DIGITS.sub("w", last))
    features["shape", name + form] = features["form", form] = None
    features["shape", name + _DIGITS.sub("0", _HAN.sub("汉", path))[:60]] = None
    features["depth", str(len(segments))] = None
    if query:
        features["query", ""] = None
    for word in _WORDS.findall(path):
        features["name", word] = None
        if len(word) > 2 and not word.isascii():
            features |= {("name", a + b): None for a, b in pairwise(word)}
        if len(features) >= _MAX_URL:
            break
    return tuple(features)[:_MAX_URL]


def text_of_address(url: str) -> str:
    """Return the words in the path of a URL as text.

    >>> text_of_address("http://a.cn/tags/%E5%85%9A%E5%BB%BA/linux-kernel.html")
    ' tags 党建 linux kernel html'
    """
    return _SEPARATORS.sub(" ", _path_and_query(url)[0])


@lru_cache(maxsize=65_536)
def digest(url: str) -> int:
    """Return a page's URL as a 64-bit number, never 0."""
    return int.from_bytes(fingerprint(url)[:8], "little", signed=True) or 1


class LinkText(NamedTuple):
    """Features read from the address, or from the anchors, of a link.

    Attributes:
        features: distinct feature numbers.
        terms: weight of the topic terms, the maximum over several anchors.
        words: content words (:meth:`PageClassifier.word_ids`).
    """

    features: Numbers
    terms: float
    words: bytes


class LinkView(NamedTuple):
    """Permanent data of a link, independent of learning.

    Attributes:
        host: host of its URL.
        features: lasting features of its URL, its anchors and its places, in this order.
        of_address: number of features from its URL.
        words: words of its anchors, or of its URL if these have none (:meth:`PageClassifier.word_ids`).
        terms: weight of the topic terms in its anchors or its URL, the larger one, at most :data:`MAX_TERMS`. A link to a list
            of tags often shows a picture, and says /tags/linux/ only in its URL.
        parents: digests of the first :data:`MAX_PARENTS` pages holding it, a single 0 if there is none.
        relevances: relevance passed on to it by each of them, 0 to 1.
        wordings: relevance of its anchor on each of them, by Eq. 3 as used in Eq. 5 (Zhou et al. 2019), 0 to 1.
        distance: number of links since the last on-topic page.
        near: similarity of its nearest anchor to the topic's sentence, above that of unrelated texts, 0 to 1. Anything below is
            noise.
        is_survey: True if it leads to an overview of the site (archive, categories, tags, map), showing at once the place of
            the topic on the site.
    """

    host: str
    features: Numbers
    of_address: int
    words: bytes
    terms: float
    parents: tuple[int, ...]
    relevances: tuple[float, ...]
    wordings: tuple[float, ...]
    distance: int
    near: float
    is_survey: bool


class LinkFeatures:
    """Reader of links. Caches addresses, anchors and places, since most occur on many pages.

    Args:
        cut: cuts a text into words.
        terms_of: weight of the topic terms among words.
        word_ids: encodes words for storage (:meth:`PageClassifier.word_ids`).
        wording: relevance of an anchor by its words, 0 to 1.
        near: similarity of anchors to the topic's sentence, -1 to 1 each.
    """

    def __init__(
        self,
        cut: Callable[[str], Sequence[str]],
        terms_of: Callable[[Iterable[str]], float],
        word_ids: Callable[[Iterable[str]], bytes],
        wording: Callable[[Iterable[str]], float],
        near: Callable[[Iterable[str]], list[float]],
    ) -> None:
        self._cut = lru_cache(1_024)(cut)  # an anchor is cut repeatedly, alone and beside others. A long one takes 10 KB
        self._cut_address = cut
        self._no_words = word_ids(())
        self._word_ids = word_ids
        self._terms_of = terms_of
        self.address = lru_cache(8_192)(self._read_address)
        self.anchors = lru_cache(8_192)(self._read_anchors)
        self._places = lru_cache(4_096)(self._read_places)
        self.wording = lru_cache(8_192)(lambda anchor: wording(self._cut(anchor)))
        self._near = near

    def view(self, url: str, evidence: Sequence[Evidence]) -> LinkView:
        """Return the view of a link found in these places. Reads all anchors, and the first :data:`MAX_PARENTS` places for the
        rest."""
        own, address = host(url), self.address(url)
        parents: tuple[int, ...]
        relevances: tuple[float, ...]
        if len(evidence) == 1:  # most of them
            (place,) = evidence
            anchors = self.anchors((place.anchor,))
            places = self._places(own, ((host(place.parent), place.path),))
            parents, relevances, distance = (digest(place.parent),), (min(place.relevance, 1.0),), place.distance
            wordings: tuple[float, ...] = (self.wording(place.anchor),)
        else:
            anchors = self.anchors(tuple(sorted({e.anchor for e in evidence})))
            places = self._places(own, tuple(dict.fromkeys([(host(e.parent), e.path) for e in evidence[:PLACES]])))
            first = evidence[:MAX_PARENTS]
            parents = tuple([digest(e.parent) for e in first]) or (0,)
            relevances = tuple([min(e.relevance, 1.0) for e in first]) or (0.0,)  # other strategies may exceed 1
            wordings = tuple([self.wording(e.anchor) for e in first]) or (0.0,)
            distance = min([e.distance for e in first], default=0)
        return LinkView(
            own,
            np.concatenate((address.features, anchors.features, places)),
            len(address.features),
            address.words if anchors.words == self._no_words else anchors.words,
            min(MAX_TERMS, max(address.terms, anchors.terms)) if address.terms or anchors.terms else 0.0,
            parents,
            relevances,
            wordings,
            distance,
            max(0.0, *(near - UNRELATED for near in self._near(e.anchor for e in evidence))) if evidence else 0.0,
            looks_like_index(url),
        )

    def meanings(self, url: str, evidence: Sequence[Evidence], view: LinkView) -> dict[int, Feature]:
        """Return the lasting features of a link, seen as ``view``, by number."""
        features = [*of_address(url), *(f for place in evidence for f in self._of_anchor(place.anchor))]
        for place in evidence[:PLACES]:
            features += _of_place(host(url), host(place.parent), place.path)
        kept = {number(f): f for f in reversed(features)}
        return {n: kept[n] for n in view.features.tolist() if n in kept}

    def _numbers(self, features: Iterable[Feature], most: int) -> Numbers:
        return np.array(list(dict.fromkeys(map(number, features)))[:most], dtype=np.uint32)

    def _read_address(self, url: str) -> LinkText:
        words = self._cut_address(text_of_address(url))
        return LinkText(self._numbers(of_address(url), _MAX_URL), self._terms_of(words), self._word_ids(words))

    def _read_anchors(self, anchors: Sequence[str]) -> LinkText:
        features = self._numbers([f for anchor in anchors for f in self._of_anchor(anchor)], _MAX_ANCHORS)
        words = [self._cut(anchor) for anchor in anchors]
        return LinkText(features, max(map(self._terms_of, words), default=0.0), self._word_ids(chain.from_iterable(words)))

    def _read_places(self, own: str, places: Iterable[tuple[str, str]]) -> Numbers:
        return self._numbers((f for parent, path in places for f in _of_place(own, parent, path)), 2 * PLACES)

    def _of_anchor(self, anchor: str) -> list[Feature]:
        words = [w for w in dict.fromkeys(self._cut(anchor)) if w.isalnum() or any(c.isalnum() for c in w)]
        return [("anchor", w) for w in words[:_ANCHOR_WORDS]]


def _of_place(own: str, parent: str, path: str) -> list[Feature]:
    features = [("place", f"{parent} {path}")] if path else []
    return features if parent == own or not parent else [*features, ("foreign", "")]


class ChangingFeatures:
    """Features of links changing with learning, in steps.

    Relevance of the best page holding a link, and the mean over all (tenths), topic terms (thirds), links since the last
    on-topic page, likeness of its words (sixths), the parts of Eq. 5 (tenths), similarity of its anchors to the topic's
    sentence (twentieths).

    Attributes:
        kinds: feature kinds, in order.
    """

    def __init__(self) -> None:
        self.kinds = tuple(_SCALES)
        numbers = [[number((kind, str(value))) for value in range(_STEPS)] for kind in self.kinds]
        self._table = np.array(numbers, dtype=np.uint32)
        scales = np.array(list(_SCALES.values()))[:, :, None]
        self._scale, self._most = scales[:, 0].astype(np.float32), scales[:, 1].astype(np.int64)
        self._kind = np.arange(len(self.kinds))[:, None]

    def numbers(self, state: NDArray[np.float32]) -> Numbers:
        """Return the features of n links, (n, kinds).

        Args:
            state: best relevance, mean relevance, topic terms, distance, likeness, the three parts of Eq. 5 and similarity in
                meaning of each link, (9 or more, n). Further rows are ignored.
        """
        steps = np.minimum(self._most, (self._scale * state[: len(self._kind)]).astype(np.int64))
        numbers: Numbers = self._table[self._kind, steps].T
        return numbers


# -- The model

Floats = NDArray[np.float32]

STEP, PASSES = 0.2, 10
"""AdaGrad step size, and number of steps at a refit."""
DECAY = 1.0
"""Weight of Σ w² / 2, keeping the weights of rare features near 0."""
EPSILON = 1e-8
"""Guard against division by 0."""


def sigmoid(x: NDArray[Any]) -> Floats:
    """Return 1 / (1 + e^-x), between 1e-13 and 1 - 1e-13 before rounding."""
    return (1 / (1 + np.exp(-np.minimum(30, np.maximum(-30, x.astype(np.float64)))))).astype(np.float32)


def added(rows: Floats) -> Floats:
    """Return the sum of rows, added one by one. numpy's own sum adds a single column in another order than several, so a link
    would score differently alone and among others."""
    total: Floats = np.zeros(rows.shape[1:], dtype=np.float32)
    for row in rows:
        total += row
    return total


class LinkModel:
    """Logistic regression described in the module docstring.

    >>> model = LinkModel()
    >>> links = np.array([[3, 8], [4, 0]], dtype=np.uint32)
    >>> for _ in range(5):
    ...     model.refit(links, prior=np.full(2, -2, dtype=np.float32), values=np.array([1, 0], dtype=np.float32))
    >>> bool(model.of_table(links)[0] > 1), model.weight(5)
    (True, 0.0)
    """

    def __init__(self) -> None:
        self._weights: Floats = np.zeros(SIZE, dtype=np.float32)

    def evidence(self, links: Sequence[Numbers]) -> Floats:
        """Return Σ w_i of several links from their features."""
        if not links:
            return np.zeros(0, dtype=np.float32)
        lengths = [len(features) for features in links]
        sums = np.bincount(np.repeat(np.arange(len(links)), lengths), self._weights[np.concatenate(links)], len(links))
        return sums.astype(np.float32)

    def of_table(self, table: Numbers) -> Floats:
        """Return Σ w_i of each row of an array of features. 0: none."""
        return added(self._weights[table.T])

    def weight(self, feature: int) -> float:
        """Return the weight of a feature."""
        return self._weights.item(feature)

    def refit(self, table: Numbers, prior: Floats, values: Floats) -> None:
        """Improve the weights on remembered links.

        Args:
            table: features of the links, one row each, padded with 0.
            prior, values: log-odds by the topic alone, and the observed value (0 to 1), of each row.
        """
        if not len(table):
            return
        features, inverse = np.unique(table, return_inverse=True)
        inverse, flat = inverse.reshape(table.shape), inverse.ravel()
        weights, squares = self._weights[features].astype(np.float64), np.full(len(features), EPSILON)
        for _ in range(PASSES):
            errors = sigmoid(prior + weights[inverse].sum(axis=1)) - values
            slope = np.bincount(flat, np.repeat(errors, table.shape[1]), len(features)) + DECAY * weights
            if features[0] == 0:
                slope[0] = 0.0
            squares += slope * slope
            weights -= STEP * slope / np.sqrt(squares)
        self._weights[features] = weights.astype(np.float32)

    def state_dict(self) -> dict[str, Any]:
        """Return the nonzero weights as JSON data."""
        some = np.flatnonzero(self._weights)
        return {"features": packed(some, "<u4"), "weights": packed(self._weights[some], "<f4")}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the result of :meth:`state_dict`."""
        self._weights = np.zeros(SIZE, dtype=np.float32)
        some = unpacked(state["features"], "<u4")
        self._weights[some] = unpacked(state["weights"], "<f4")
