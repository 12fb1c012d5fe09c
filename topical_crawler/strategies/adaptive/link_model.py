"""The value of links: what is known of them before they are fetched, as hashed features, and logistic regression over these.

A feature is a kind and a value, ``("anchor", "党建")``. The model knows it by a number below :data:`SIZE`; collisions are rare.
Lasting features (of the address, the anchors and the places of a link) are read by :class:`LinkFeatures`; the changing ones
(:class:`ChangingFeatures`) depend on what has been learned of the pages that hold it.

p(link) = 1 / (1 + e^-(prior + Σ w_i)): ``prior`` is what the topic alone says of the link, the w_i are the weights of its
features, all 0 at first. At each refit they are improved by some steps of AdaGrad (Duchi, Hazan & Singer 2011) over all
remembered links, with their values as judged by then.
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
"""Numbers of features: 0 stands for none."""
PLACES = 3
"""Places of a link that features are taken from: the first ones. Its anchors are read wherever it was found."""
MAX_PARENTS = 8
"""Most pages that are remembered as holding a link: the first ones."""

Feature = tuple[str, str]
Numbers = NDArray[np.uint32]

_MAX_URL, _MAX_ANCHORS, _ANCHOR_WORDS = 24, 26, 12
MAX_FEATURES = _MAX_URL + _MAX_ANCHORS + 2 * PLACES
"""Most lasting features of a link."""
MAX_TERMS = 2.0
"""Most topic terms that count for a link."""
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
"""Of the changing features: steps to a unit, and the last step."""

KINDS = {
    "address": ("host", "path", "shape", "form", "name", "query", "depth"),
    "anchor": ("anchor", "terms"),
    "place": ("place", "foreign"),
    "standing": ("best", "mean", "distance"),
    "likeness": ("likeness",),
    "eq5": ("parent", "wording", "struct"),
    "meaning": ("near",),
}
"""Kinds of features by the part of the method that they belong to."""
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
    """A feature in words.

    >>> in_words(("anchor", "党建")), in_words(("distance", "0"))
    ('“党建” in the anchor', '0 steps from a page on topic')
    """
    return _IN_WORDS[feature[0]].format(feature[1])


_PREFIXES = {kind: crc32(f"{kind}:".encode()) for kind in _IN_WORDS}


def number(feature: Feature) -> int:
    """The number of a feature, 1 to :data:`SIZE` - 1."""
    kind, value = feature
    return crc32(value.encode("utf-8", "replace"), _PREFIXES[kind]) % (SIZE - 1) + 1


@lru_cache(maxsize=64)
def _path_and_query(url: str) -> tuple[str, str]:
    """Path, unescaped, and query of an address in the form of ``canonical``, as all are that wait."""
    address, _, query = url.partition("#")[0].partition("?")
    path = "".join(address.partition("://")[2].partition("/")[1:])
    return (unquote(path) if "%" in path else path)[:300], query


def of_address(url: str) -> tuple[Feature, ...]:
    """Features of an address, none twice: host, first segments, forms of the path with digits as 0, words.

    >>> [value for kind, value in of_address("http://a.cn/dangjian/2023/支部.html") if kind in ("path", "name")]
    ['a.cn/dangjian', 'a.cn/dangjian/2023', 'a.cn/dangjian/2023/支部.html', 'dangjian', '支部', 'html']
    """
    name = host(url)
    path, query = _path_and_query(url)
    path = path.lower()
    segments = [s for s in path.split("/") if s]
    features: dict[Feature, None] = {("host", name): None}  # in their order
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
    """What the path of an address says, as text.

    >>> text_of_address("http://a.cn/tags/%E5%85%9A%E5%BB%BA/linux-kernel.html")
    ' tags 党建 linux kernel html'
    """
    return _SEPARATORS.sub(" ", _path_and_query(url)[0])


@lru_cache(maxsize=65_536)
def digest(url: str) -> int:
    """A page as a number of 64 bits, never 0."""
    return int.from_bytes(fingerprint(url)[:8], "little", signed=True) or 1


class LinkText(NamedTuple):
    """What an address, or the anchors of a link, say.

    Attributes:
        features: by number, none twice.
        terms: weight of the topic terms; of several anchors, that of the best.
        words: the content words (:meth:`PageClassifier.word_ids`).
    """

    features: Numbers
    terms: float
    words: bytes


class LinkView(NamedTuple):
    """What is known of a link, whatever is learned.

    Attributes:
        host: of its address.
        features: the lasting ones of its address, its anchors and its places, in this order.
        of_address: how many of them are of its address.
        words: of its anchors, or of its address where these have none (:meth:`PageClassifier.word_ids`).
        terms: weight of the topic terms in its anchors or its address, whichever has more, at most :data:`MAX_TERMS`. A link to a
            list of tags often shows a picture, and says /tags/linux/ in its address only.
        parents: digests of the first :data:`MAX_PARENTS` pages that hold it; one 0 where there is none.
        relevances: what these pass on to it, 0 to 1 each.
        wordings: relevance of its anchor on each of them, by Eq. 3 as Eq. 5 takes it (Zhou et al. 2019), 0 to 1.
        distance: links since the last page on topic.
        near: by how much its nearest anchor is nearer in meaning to the topic's sentence than unrelated texts are, 0 to 1. What
            is below that is noise, where meaning says little.
        is_survey: whether it leads to a list of all that a site has (archive, categories, tags, map), which shows at once where
            on the site the topic is.
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
    """Reads links. Addresses, anchors and places are cached: most of them are seen on many pages.

    Args:
        cut: cuts a text into words.
        terms_of: weight of the topic terms among words.
        word_ids: words as they are stored (:meth:`PageClassifier.word_ids`).
        wording: relevance of an anchor by its words, 0 to 1.
        near: how near anchors are in meaning to the topic's sentence, -1 to 1 each.
    """

    def __init__(
        self,
        cut: Callable[[str], Sequence[str]],
        terms_of: Callable[[Iterable[str]], float],
        word_ids: Callable[[Iterable[str]], bytes],
        wording: Callable[[Iterable[str]], float],
        near: Callable[[Iterable[str]], list[float]],
    ) -> None:
        self._cut = lru_cache(4_096)(cut)  # an anchor is cut more than once, alone and beside others
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
        """A link that was found in these places. All anchors are read, and the first :data:`MAX_PARENTS` of everything else."""
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
            relevances = tuple([min(e.relevance, 1.0) for e in first]) or (0.0,)  # above 1 by another strategy
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
        """The lasting features of a link, which is seen as ``view``, by number."""
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
    """The features of links that change with what is learned, in steps: relevance of the best page that holds a link, and of all
    on average (tenths), topic terms (thirds), links since the last page on topic, likeness of its words (sixths), the
    parts of Eq. 5 (tenths), nearness of its anchors in meaning (twentieths).

    Attributes:
        kinds: of the features, in their order.
    """

    def __init__(self) -> None:
        self.kinds = tuple(_SCALES)
        numbers = [[number((kind, str(value))) for value in range(_STEPS)] for kind in self.kinds]
        self._table = np.array(numbers, dtype=np.uint32)
        scales = np.array(list(_SCALES.values()))[:, :, None]
        self._scale, self._most = scales[:, 0].astype(np.float32), scales[:, 1].astype(np.int64)
        self._kind = np.arange(len(self.kinds))[:, None]

    def numbers(self, state: NDArray[np.float32]) -> Numbers:
        """The features of n links, (n, kinds).

        Args:
            state: best relevance, mean relevance, topic terms, distance, likeness, the three parts of Eq. 5 and nearness of each,
                (9 or more, n); further rows are ignored.
        """
        steps = np.minimum(self._most, (self._scale * state[: len(self._kind)]).astype(np.int64))
        numbers: Numbers = self._table[self._kind, steps].T
        return numbers


# -- The model

Floats = NDArray[np.float32]

STEP, PASSES = 0.2, 10
"""Of AdaGrad: step size, and steps at a refit."""
DECAY = 1.0
"""Weight of Σ w² / 2, which holds weights of rare features near 0."""
EPSILON = 1e-8
"""So that nothing is divided by 0."""


def sigmoid(x: NDArray[Any]) -> Floats:
    """1 / (1 + e^-x), between 1e-13 and 1 - 1e-13 before rounding."""
    return (1 / (1 + np.exp(-np.minimum(30, np.maximum(-30, x.astype(np.float64)))))).astype(np.float32)


def added(rows: Floats) -> Floats:
    """The sum of rows, one after the other: numpy's own adds up a single column in another order than several, and a link would
    not score alone what it scores among others."""
    total: Floats = np.zeros(rows.shape[1:], dtype=np.float32)
    for row in rows:
        total += row
    return total


class LinkModel:
    """Logistic regression, see the module.

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
        """Σ w_i of several links, given their features."""
        if not links:
            return np.zeros(0, dtype=np.float32)
        lengths = [len(features) for features in links]
        sums = np.bincount(np.repeat(np.arange(len(links)), lengths), self._weights[np.concatenate(links)], len(links))
        return sums.astype(np.float32)

    def of_table(self, table: Numbers) -> Floats:
        """Σ w_i of the rows of an array of features; 0 stands for none."""
        return added(self._weights[table.T])

    def weight(self, feature: int) -> float:
        """w of a feature."""
        return self._weights.item(feature)

    def refit(self, table: Numbers, prior: Floats, values: Floats) -> None:
        """Improve the weights on remembered links.

        Args:
            table: their features, one row each, filled up with 0.
            prior, values: of the rows.
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
        """The weights that are not 0, as JSON data."""
        some = np.flatnonzero(self._weights)
        return {"features": packed(some, "<u4"), "weights": packed(self._weights[some], "<f4")}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        self._weights = np.zeros(SIZE, dtype=np.float32)
        some = unpacked(state["features"], "<u4")
        self._weights[some] = unpacked(state["weights"], "<f4")
