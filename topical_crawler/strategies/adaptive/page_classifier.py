"""Whether a page is on topic, as a probability: from the topic's terms first, then also from the words of the articles that
hold most of them (pseudo-relevance feedback after Rocchio 1971).

A topic that was made of one sentence knows few of its words, and some of them say little. The articles that hold most of them
know better: their words, against those of articles with hardly any of them, tell articles on topic which the terms would miss,
and articles off topic in which the terms are mere words. The same words tell what a link says.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.adaptive.link_model import sigmoid
from topical_crawler.strategies.adaptive.memory import SAYS, WORDS, Memory, Words
from topical_crawler.strategies.common import packed, unpacked
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import rarities
from topical_crawler.topic.marked import MarkedText
from topical_crawler.web.page import Page, description_of, full_text

BUCKETS = 1 << 16
"""Numbers of words."""
MAX_READ = 8_000
"""Characters of a page's text that are read."""
EXAMPLES = 60
"""Most pages that stand for the topic: those in which most of its terms are."""
LEAST = 1.0
"""How much of the topic an example holds at least (:meth:`PageJudge.read`); a heavy term in a title is worth some 2. A crawl that
has not found the topic must not take the best of what it has for it; with 1.5 a topic of few and common words had ten examples,
and nothing was like them."""
_HEAD = 2.0
_SATURATION = 3.0
_SHARE = 0.2
_HARDLY, _RATHER = 0.25, 0.5
_TERMS = 1.6  # weight of the terms beside that of the words
_FEWEST = 5
_ENOUGH = 30  # pages before words are learned at all: the first ones are home pages and their lists
_AGAINST = 1000
_LEAST_AGAINST = 10  # articles; with lists alone against them, all news would be on the topic of some news
_SPREAD = 2.0  # what examples are nearer to the topic than others must be more than this many standard deviations of the others
_TITLE, _LABEL = 3, 3
_WHOLE = 5  # a label as one word: 分布式系统 is not what 分布式 and 系统 are
_STEEPNESS, _MIDDLE = 6.0, 0.6
_FIRST = (1.5, 2.0)  # before anything is learned: steepness and middle on the scale of said()


class PageJudge:
    """See the module.

    Args:
        terms: the topic's terms with their weights, over 0. A term that is rare in the language in general says more: in a
            topic made of one sentence 应用 weighs as much as 神经网络.
        segmenter: must know them.
        marked: texts that a person has marked: they are examples for and against whatever terms they hold.
        labels: whether a page's own labels (tags, breadcrumbs) count like its title.
        feedback: whether words are learned; else terms alone are looked at.
    """

    def __init__(
        self,
        terms: Mapping[str, float],
        segmenter: Segmenter,
        marked: Sequence[MarkedText] = (),
        labels: bool = True,
        feedback: bool = True,
    ) -> None:
        rare = rarities(frozenset(terms))
        heaviest = max(terms.values(), default=1.0)
        weights = {term: weight * rare[term] ** 2 for term, weight in terms.items()}
        heavy = [weights[term] for term, weight in terms.items() if weight >= heaviest / 2]
        self._terms = {term: weight * len(heavy) / sum(heavy) for term, weight in weights.items()}
        self._segmenter = segmenter
        self._labels = labels
        self._feedback = feedback
        self._marked = [(_counted(self._content(f"{m.title}\n{m.text[:MAX_READ]}")), m.on_topic) for m in marked]
        self._heard = lru_cache(65_536)(self._content_number)
        self._pages = 0
        self._frequencies: NDArray[np.float32] = np.zeros(BUCKETS, dtype=np.float32)
        self._rarity: NDArray[np.float32] = np.ones(BUCKETS, dtype=np.float32)
        self._centre: NDArray[np.float32] | None = None
        self._heard_as: NDArray[np.float32] | None = None  # by word: its part of the likeness, and of the length squared
        self._gap = self._best = self._high = 1.0
        self._low = 0.0

    def terms_of(self, words: Iterable[str]) -> float:
        """Weight of the distinct topic terms among words, a heavy term of the topic weighing 1 in the mean."""
        return sum([self._terms[w] for w in dict.fromkeys(words) if w in self._terms])

    def read(self, page: Page, article: bool) -> tuple[Words, dict[str, float]]:
        """What a page says, and the topic terms in it with their part in that."""
        body = self._content(full_text(page, menus=not article)[:MAX_READ])
        head = self._content(description_of(page))
        labels = self._content("\n".join(page.labels)) if self._labels else Counter()
        said = {w: _HEAD * self._terms[w] for w in (*head, *labels) if w in self._terms}
        for word, count in body.items():
            if word in self._terms:
                said[word] = said.get(word, 0.0) + self._terms[word] * count / (count + _SATURATION)
        for word in self._content(page.title):
            body[word] += _TITLE
        for word, count in labels.items():
            body[word] += _LABEL * count
        for label in page.labels if self._labels else ():
            body[f"={label.strip().lower()}"] += _WHOLE
        numbers, counts = self._telling(_counted(body))
        return Words(numbers, counts, sum(said.values()), article), said

    def _content(self, text: str) -> Counter[str]:
        """The content words of a text. Each word is looked at once: a page says its words many times."""
        words = Counter(self._segmenter.cut(text))
        return Counter({w: n for w, n in words.items() if self._segmenter.is_content(w)})

    def _telling(self, counted: Counter[int]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
        """The words that tell most of a page."""
        numbers = np.fromiter(counted, dtype=np.int64, count=len(counted))
        counts = np.fromiter((min(255, c) for c in counted.values()), dtype=np.int64, count=len(counted))
        if len(numbers) > WORDS:
            weights = (1 + np.log(counts)) * np.log((self._pages + 1) / (self._frequencies[numbers] + 0.5)).clip(0)
            kept = np.sort(np.argsort(-weights, kind="stable")[:WORDS])
            numbers, counts = numbers[kept], counts[kept]
        return numbers.astype(np.uint16), counts.astype(np.uint8)

    def probability(self, words: Words) -> float:
        """The probability that a page is on topic."""
        return float(self.probabilities_of([words])[0])

    def probabilities_of(self, pages: Sequence[Words]) -> NDArray[np.float32]:
        """Those of pages."""
        numbers, counts = np.zeros((len(pages), WORDS), dtype=np.uint16), np.zeros((len(pages), WORDS), dtype=np.uint8)
        for row, words in enumerate(pages):
            numbers[row, : len(words.numbers)], counts[row, : len(words.counts)] = words.numbers, words.counts
        return self._probabilities(numbers, counts, np.array([words.said for words in pages], dtype=np.float32))

    def probabilities(self, memory: Memory) -> NDArray[np.float32]:
        """Those of all remembered pages."""
        n = len(memory)
        return self._probabilities(memory.words[:n], memory.counts[:n], memory.said[:n])

    def _probabilities(
        self, words: NDArray[np.uint16], counts: NDArray[np.uint8], said: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        if self._centre is None:
            steepness, middle = _FIRST
            found = sigmoid(steepness * (said - middle))
        else:
            z = self._together(self._likeness(words, counts), said)
            found = sigmoid(_STEEPNESS * ((z - self._low) / (self._high - self._low) - _MIDDLE))
        return np.where(counts.any(axis=1), found, np.float32(0))  # a page without words is on no topic

    def says(self, words: Iterable[str]) -> bytes:
        """The distinct content words among words, by number, 1 to 65,535, the first :data:`SAYS`, filled up with 0: two bytes for
        each, the lower first."""
        numbers = list(islice(filter(None, dict.fromkeys(map(self._heard, words))), SAYS))
        return struct.pack(f"<{len(numbers)}H", *numbers).ljust(2 * SAYS, b"\0")

    def _content_number(self, word: str) -> int:
        """The number of a content word; 0 for any other."""
        return (_number(word) or 1) if self._segmenter.is_content(word) else 0

    def likeness(self, says: NDArray[np.uint16]) -> NDArray[np.float32]:
        """How much short texts say what articles on topic say and others do not: 1 where it is neither, where there is no word
        and as long as nothing was learned; more where it is the topic; 0 to 1 where it is something else.

        Args:
            says: their words as :meth:`says` gives them, (n, :data:`SAYS`).
        """
        if self._centre is None:
            return np.ones(len(says), dtype=np.float32)
        if self._heard_as is None:
            rarity = self._rarity.copy()
            rarity[0] = 0  # no word
            self._heard_as = np.stack([self._centre * rarity, rarity * rarity], axis=1)
        products, squares = self._heard_as[says].sum(axis=1).T
        likeness = products / np.maximum(np.sqrt(squares), np.float32(1e-9)) / np.float32(self._gap)
        found: NDArray[np.float32] = np.maximum(np.float32(0), likeness + np.float32(1))
        return found

    def note(self, words: Words) -> None:
        """Take note of a page's words, for how rare words are."""
        self._pages += 1
        self._frequencies[words.numbers] += 1

    def refit(self, memory: Memory) -> None:
        """Learn from the remembered pages which words tell the topic. Those that show it best are not forgotten."""
        self._heard_as = None
        n = len(memory)
        answered = np.flatnonzero(memory.answered[:n])
        articles = answered[memory.article[answered]]
        if not self._feedback or len(articles) < _FEWEST or len(answered) < _ENOUGH:
            return
        self._rarity = np.log((self._pages + 1) / (self._frequencies + 0.5)).clip(0).astype(np.float32)
        order = articles[np.argsort(-memory.said[articles], kind="stable")]
        examples = order[: min(EXAMPLES, max(_FEWEST, int(len(articles) * _SHARE)))]
        examples = examples[memory.said[examples] >= LEAST]
        memory.set_examples(examples)
        if len(examples) < _FEWEST:
            self._centre = None
            return
        self._best = float(memory.said[examples].mean())
        against = articles[memory.said[articles] < _HARDLY * self._best]
        if len(against) < _LEAST_AGAINST:  # a crawl among articles that all hold a term would learn nothing for long
            against = articles[memory.said[articles] < _RATHER * self._best]
        if len(against) > _AGAINST:  # of the whole crawl: its end is another web than its beginning
            against = against[np.linspace(0, len(against) - 1, _AGAINST).astype(np.int64)]
        if len(against) < _LEAST_AGAINST:
            self._centre = None
            return
        words, units = self._units(memory.words[:n], memory.counts[:n])
        near, near_size = self._mean(words[examples], units[examples], True)
        far, far_size = self._mean(words[against], units[against], False)
        self._centre = near - far
        # A page's words are in the mean of its group because they are its own: of few pages each would look far more like them
        # than any other page can. So each is held against the means of the others.
        likely = _others(near, words[examples], units[examples], near_size) - _product(far, words[examples], units[examples])
        unlikely = _product(near, words[against], units[against]) - _others(far, words[against], units[against], far_size)
        self._gap = max(1e-6, float(likely.mean() - unlikely.mean()) / 2, _SPREAD * float(unlikely.std()))
        like = _product(self._centre, words, units) / np.float32(self._gap)
        like[examples] = likely / self._gap
        z = np.sort(self._together(like, memory.said[:n])[articles])
        self._high = float(z[-len(examples) :].mean())
        self._low = float(unlikely.mean()) / self._gap
        self._high = max(self._high, self._low + 1e-3)

    def _mean(self, words: NDArray[np.uint16], units: NDArray[np.float32], on_topic: bool) -> tuple[NDArray[np.float32], int]:
        """The mean of the vectors of pages and of the texts that a person marked so, and the number of both."""
        marked = [self._telling(counted) for counted, mark in self._marked if mark == on_topic]
        total = np.zeros(BUCKETS, dtype=np.float64)
        for of, vectors in [(words, units), *(self._units(w[None, :], c[None, :]) for w, c in marked)]:
            np.add.at(total, of.ravel(), vectors.ravel())
        size = len(words) + len(marked)
        return (total / size).astype(np.float32), size

    def _together(self, likeness: NDArray[np.float32], said: NDArray[np.float32]) -> NDArray[np.float32]:
        """What words and terms say together. Of terms the first ones say most: where a topic has thousands of them, the best
        articles hold many, and most of what is on topic few."""
        together: NDArray[np.float32] = likeness + np.float32(_TERMS) * np.sqrt(said / np.float32(self._best))
        return together

    def _units(self, words: NDArray[np.uint16], counts: NDArray[np.uint8]) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
        """Pages as vectors of length 1 (tf·idf); words that fill a row up weigh 0."""
        weights = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1, dtype=np.float32)), 0) * self._rarity[words]
        lengths = np.sqrt((weights * weights).sum(axis=1, keepdims=True))
        return words, (weights / np.maximum(lengths, 1e-9)).astype(np.float32)

    def _likeness(self, words: NDArray[np.uint16], counts: NDArray[np.uint8]) -> NDArray[np.float32]:
        assert self._centre is not None
        likeness: NDArray[np.float32] = _product(self._centre, *self._units(words, counts)) / np.float32(self._gap)
        return likeness

    def state_dict(self) -> dict[str, Any]:
        """What was learned, as JSON data."""
        used = np.flatnonzero(self._frequencies)
        state = {
            "pages": self._pages,
            "words": packed(used, "<u4"),
            "frequencies": packed(self._frequencies[used], "<f4"),
        }
        if self._centre is not None:
            state |= {
                "centre": packed(self._centre, "<f4"),
                "rarity": packed(self._rarity, "<f4"),
                "scale": [self._gap, self._best, self._high, self._low],
            }
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        self._pages = int(state["pages"])
        used = unpacked(state["words"], "<u4")
        self._frequencies = np.zeros(BUCKETS, dtype=np.float32)
        self._frequencies[used] = unpacked(state["frequencies"], "<f4")
        self._centre = self._heard_as = None
        if "centre" in state:
            self._centre = unpacked(state["centre"], "<f4").astype(np.float32)
            self._rarity = unpacked(state["rarity"], "<f4").astype(np.float32)
            self._gap, self._best, self._high, self._low = map(float, state["scale"])


def _product(vector: NDArray[np.float32], words: NDArray[np.uint16], units: NDArray[np.float32]) -> NDArray[np.float32]:
    """The inner products of a vector and pages, as :meth:`PageJudge._units` gives them."""
    products: NDArray[np.float32] = (vector[words] * units).sum(axis=1)
    return products


def _others(mean: NDArray[np.float32], words: NDArray[np.uint16], units: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """The likeness of the members of a group to the mean of its others; ``mean`` is that of all, and each has length 1."""
    others: NDArray[np.float32] = (_product(mean, words, units) * np.float32(size) - 1) / np.float32(max(1, size - 1))
    return others


def _counted(words: Counter[str]) -> Counter[int]:
    """Words by number."""
    found: Counter[int] = Counter()
    for word, count in words.items():
        found[_number(word)] += count
    return found


def _number(word: str) -> int:
    return crc32(word.encode("utf-8", "replace")) % BUCKETS
