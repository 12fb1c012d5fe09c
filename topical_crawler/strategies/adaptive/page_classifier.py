"""Probability of a page being on topic: first from the topic's terms, then also from the words of the articles with most of
them (pseudo-relevance feedback after Rocchio 1971).

A topic made of one sentence knows few of its words, some of them uninformative. The articles with most of them, and nearest in
meaning, know better. Their words, contrasted with those of articles with hardly any terms, identify on-topic articles without
the terms, and off-topic articles merely using them. All articles sure by then are the examples of a second round, so a large
class teaches by hundreds and a small one by a dozen. The same words score the text of a link.

Marks of a person take precedence: marked pages leave or join the examples, and the log-odds of similar pages follow.
"""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import log
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from topical_crawler.meaning import UNRELATED
from topical_crawler.strategies.adaptive.link_model import Floats, digest, sigmoid
from topical_crawler.strategies.adaptive.memory import (
    LINK_WORDS,
    PAGE_LABELS,
    PAGE_TERMS,
    PAGE_WORDS,
    PART_UNIT,
    Memory,
    PageWords,
)
from topical_crawler.strategies.base import packed, unpacked
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import rarities
from topical_crawler.topic.files import MarkedText
from topical_crawler.web.page import Page, description_of, full_text

Numbers = NDArray[np.uint16]
Counts = NDArray[np.uint8]
Rows = NDArray[np.int64]

BUCKETS = 1 << 16
"""Range of word numbers."""
MAX_READ = 8_000
"""Characters read of a page's text."""
FIRST_EXAMPLES = (10, 20, 60)
"""Maximum numbers of first examples in three fits: the articles with most topic terms and nearest in meaning. Fewer are purer,
more are richer."""
SURE, MAX_SURE = log(0.8 / 0.2), 400
"""Articles with mean log-odds of the three fits above this replace the first examples, at most this many.

Their number follows the apparent size of the class, from a dozen to hundreds. Each refit chooses the first examples anew by
terms and meaning, so learning cannot drift away from them.
"""
EXAMPLE_SCORES = (1.0, 0.5)
"""Least term score of an example (:meth:`PageClassifier.read`), and the fallback if too few texts reach it.

A heavy term in a title is worth about 2, and three mentions of one in a text 0.5. A crawl without on-topic pages must not
mistake its best pages for the topic.
"""
CLASS_SCORE = 1.5
"""Least term score of an article counted towards the size of the class. Its words must also lie more than a quarter of the way
from counterexamples to examples: two views in agreement."""
MIN_EXAMPLES, EXAMPLE_SHARE = 5, 0.2
SITE_SHARE = 0.5
"""Maximum share of one site in the total weight of the examples: one author's favourite subject is not the topic."""
MIN_PAGES = 30
"""Number of pages before learning any words: the first pages are home pages and their lists."""
MIN_COUNTEREXAMPLES, MAX_COUNTEREXAMPLES = 10, 1000
"""Bounds on the number of counterexamples, which are articles with few terms. With lists alone, all news would look like the
topic of some news."""
COUNTEREXAMPLE_SCORES = (0.1, 0.5)
"""Upper bound on the term score of a counterexample, as a share of the examples' mean, and the fallback if the first yields too
few."""
HEAD_WEIGHT, SATURATION = 2.0, 3.0
"""Worth of a term in a title or label, and number of mentions in a text giving half of the maximum of 1."""
_HEAD_PARTS = round(HEAD_WEIGHT * PART_UNIT)
ONE_MENTION = 1 / (1 + SATURATION)
"""Term score of a text mentioning a heavy term once. Counterexamples score less, even if the best articles contain so many
terms that a tenth of their score is still much."""
TITLE_COUNT, LABEL_COUNT = 3, 3
WHOLE_LABEL_COUNT = 5
"""Count of a label as one word: 分布式系统 differs from 分布式 and 系统."""
MEANING_WEIGHT = 10.0
"""Term score per unit of cosine above that of unrelated texts: a text with a cosine of .4 is worth as much as one with a heavy
term in its title."""
TERM_WEIGHT = 1.6
"""Weight of the terms relative to that of the words."""
MIN_SPREAD = 2.0
"""Least distance between examples and counterexamples, in standard deviations of the latter."""
STEEPNESS, MIDDLE = 6.0, 0.6
LABEL_PAGES, MAX_LABEL_ODDS = 5.0, 4.0
"""Smoothing of a label's probability, in pages of average probability, and maximum contribution of a label in log-odds."""
MARK_VARIANCE = 40.0
"""Influence of marks on the log-odds of a page: prior variance around the log-odds without marks."""
MAX_MARKS = 300
"""Maximum number of marked texts for learning a page's log-odds, sampled by their digests: the work grows with their square."""
UNTAUGHT_STEEPNESS, UNTAUGHT_MIDDLE = 1.5, 2.0
"""Steepness and midpoint of the probability before anything is learned, on the scale of term scores."""
NO_RELEVANCE = 0.1
"""Pseudo-relevance of a text without any, as a share of the even relevance."""

Counted = tuple[dict[int, int], dict[str, float], float, float]
"""Weighted counts of a page's words by number, prominence of each topic term, log-odds by Eq. 3, relevance of the description."""


class PageClassifier:
    """Page classifier described in the module docstring.

    Args:
        terms: the topic's terms with their weights (> 0). Each weight is multiplied by the square of the term's rarity in
            general Chinese: in a topic made of one sentence 应用 weighs as much as 神经网络 and says less. It is also
            multiplied by the term's rarity in the texts, or the titles and labels, of the crawl: on a web of laws 财政 is in
            every text and few titles.
        segmenter: must know the terms.
        marked: texts marked by a person: examples and counterexamples, regardless of their terms.
        even: Eq. 3 of a neutral description or text, see :func:`evidence`.
        describe: relevance of a description by its distinct content words, 0 to 1. Stored with the page
            (:attr:`PageWords.described`) without affecting its own probability.
        near: similarity of a text and of its title to the topic's sentence. Called with the title, the text, and the anchors of
            its links, to be asked about next.

    Attributes:
        marks: digest of the current marked texts.
    """

    def __init__(
        self,
        terms: Mapping[str, float],
        segmenter: Segmenter,
        marked: Sequence[MarkedText] = (),
        even: float = 0.0,
        describe: Callable[[Sequence[str]], float] = lambda _: 0.0,
        near: Callable[[str, str, Iterable[str]], tuple[float, float]] = lambda *_: (0.0, 0.0),
    ) -> None:
        rare, heaviest = rarities(frozenset(terms)), max(terms.values(), default=1.0)
        weights = {term: weight * rare[term] ** 2 for term, weight in terms.items()}
        heavy = [weights[term] for term, weight in terms.items() if weight >= heaviest / 2]
        self._terms = {term: weight * len(heavy) / sum(heavy) for term, weight in weights.items()}
        self._numbers = {term: _number(term) or 1 for term in terms}
        self._general: Floats = np.zeros(BUCKETS, dtype=np.float32)
        self._is_heavy = np.zeros(BUCKETS, dtype=np.bool_)
        for term, weight in self._terms.items():
            self._general[self._numbers[term]] = weight
            self._is_heavy[self._numbers[term]] = terms[term] >= heaviest / 2
        self._text_weights = self._head_weights = self._general
        self._first_letters = frozenset(term[:1] for term in terms)
        self._longest = max(map(len, terms), default=0)  # some "words" of a page have a hundred thousand letters
        self._articles = 0  # at the last refit
        self._in_texts = self._in_heads = np.zeros(BUCKETS, dtype=np.float32)  # articles with each term there
        self._squares = {term: weight * weight for term, weight in terms.items()}
        self._even = even
        self._describe = describe
        self._near = near
        self._segmenter = segmenter
        self._known = lru_cache(32_768)(self._read_word)
        self._terms_in = lru_cache(16_384)(self._find_terms)
        self._marked: dict[int, tuple[Counted, bool]] = {}
        self.mark(marked)
        self._pages = 0
        self._frequencies: Floats = np.zeros(BUCKETS, dtype=np.float32)
        self._rarity: Floats = np.ones(BUCKETS, dtype=np.float32)
        self._label_odds: Floats = np.zeros(BUCKETS, dtype=np.float32)
        self._centre: Floats | None = None
        self._word_parts: Floats | None = None  # (product, squared length) contributed by each word to likeness
        self._gap = self._best = self._high = 1.0
        self._low = 0.0

    def mark(self, texts: Iterable[MarkedText]) -> None:
        """Take marked texts, see :meth:`Strategy.mark`. The next :meth:`refit` applies them to other pages."""
        for text in texts:
            self._marked.pop(page := digest(text.url), None)
            if text.on_topic is not None:
                self._marked[page] = self._count(text.text[:MAX_READ], text.title, text.title, ()), text.on_topic
        self._has_examples_by_hand = any(on_topic for _, on_topic in self._marked.values())
        known = [(page, sorted(words.items()), on_topic) for page, ((words, *_), on_topic) in sorted(self._marked.items())]
        self.marks = blake2b(repr(known).encode(), digest_size=8).hexdigest()

    def mark_of(self, page: int) -> float | None:
        """Return the mark of a page (its digest) as a probability, 0 or 1, None if unmarked."""
        return float(self._marked[page][1]) if page in self._marked else None

    def terms_of(self, words: Iterable[str]) -> float:
        """Return the weight of the distinct topic terms among words, and in longer words. The topic's heavy terms weigh 1 on
        average."""
        found = dict.fromkeys([term for word in dict.fromkeys(words) for term in self._terms_in(word)])
        return sum([self._terms[term] for term in found])

    def read(self, page: Page, article: bool) -> tuple[PageWords, dict[str, float]]:
        """Return the words of a page, and its strongest topic terms with their contributions to its term score."""
        text = full_text(page, menus=not article)[:MAX_READ]
        near = self._near(page.title, text if article else "", (link.anchor for link in page.links))
        return self._packed(self._count(text, description_of(page), page.title, page.labels), page.labels, article, near)

    def _count(self, text: str, description: str, title: str, own_labels: Sequence[str]) -> Counted:
        body, head, of_title, labels = map(self._content, (text, description, title, "\n".join(own_labels)))
        numbers: defaultdict[int, int] = defaultdict(int)
        occurrences: defaultdict[str, int] = defaultdict(int)
        for _, count, (number, terms) in body:
            numbers[number] += count
            for term in terms:
                occurrences[term] += count
        parts = {term: HEAD_WEIGHT for _, _, (_, terms) in (*head, *labels) for term in terms}
        for term, count in occurrences.items():
            parts[term] = parts.get(term, 0.0) + count / (count + SATURATION)
        described = [word for word, *_ in head]
        odds = 0.0
        if self._even:
            odds = evidence(self._eq3(described), self._even) + evidence(self._eq3([word for word, *_ in body]), self._even)
        for _, _, (number, _) in of_title:
            numbers[number] += TITLE_COUNT
        for _, count, (number, _) in labels:
            numbers[number] += LABEL_COUNT * count
        for label in own_labels:
            numbers[_number(_whole(label))] += WHOLE_LABEL_COUNT
        return numbers, parts, odds, self._describe(described)

    def _eq3(self, words: Collection[str]) -> float:
        """Return Eq. 3 of Zhou et al. 2019 over distinct words, each similar only to itself. 0 for no words."""
        return sum([self._squares.get(word, 0.0) for word in words]) / max(1, len(words))

    def _packed(
        self, counted: Counted, labels: Sequence[str], article: bool, near: Sequence[float] = (0.0, 0.0)
    ) -> tuple[PageWords, dict[str, float]]:
        body, parts, odds, described = counted
        numbers, counts = self._most_telling(body)
        scores = {}
        for term, part in parts.items():
            head, number = HEAD_WEIGHT * (part >= HEAD_WEIGHT), self._numbers[term]
            scores[term] = head * float(self._head_weights[number]) + (part - head) * float(self._text_weights[number])
        strongest = sorted(parts, key=lambda term: (-scores[term], term))[:PAGE_TERMS]
        terms = np.array([self._numbers[term] for term in strongest], dtype=np.uint16)
        sizes = np.array([round(parts[term] * PART_UNIT) for term in strongest], dtype=np.uint8)
        filed = np.array([_number(label) or 1 for label in dict.fromkeys(map(_whole, labels))][:PAGE_LABELS], dtype=np.uint16)
        words = PageWords(numbers, counts, terms, sizes, filed, odds, described, near, article)
        return words, {term: scores[term] for term in strongest}

    def _find_terms(self, word: str) -> tuple[str, ...]:
        """Return the topic terms in a word, which may be longer: 公路 in 高速公路. Latin terms match only whole words."""
        if self._first_letters.isdisjoint(word):  # true for most words
            return ()
        end = len(word) + 1
        most = 0 if word.isascii() else self._longest
        parts = (word[i:j] for i in range(end - 2) for j in range(i + 2, min(end, i + most + 1)))
        return tuple(t for t in dict.fromkeys((word, *parts)) if t in self._terms and (t == word or not t.isascii()))

    def _content(self, text: str) -> list[tuple[str, int, tuple[int, tuple[str, ...]]]]:
        """Return the distinct content words of a text, each with its count, its number, and its topic terms."""
        words = Counter(self._segmenter.cut(text)).items()
        return [(word, count, known) for word, count in words if (known := self._known(word)) is not None]

    def _read_word(self, word: str) -> tuple[int, tuple[str, ...]] | None:
        """Return the number of a content word and its topic terms, None for any other word."""
        return (_number(word), self._find_terms(word)) if self._segmenter.is_content(word) else None

    def _most_telling(self, counted: Mapping[int, int]) -> tuple[Numbers, Counts]:
        """Return the most telling words of a page (tf·idf), with their counts."""
        numbers = np.fromiter(counted, dtype=np.int64, count=len(counted))
        counts = np.minimum(255, np.fromiter(counted.values(), dtype=np.int64, count=len(counted)))
        if len(numbers) > PAGE_WORDS:
            weights = (1 + np.log(counts)) * np.log((self._pages + 1) / (self._frequencies[numbers] + 0.5)).clip(0)
            kept = np.sort(np.argsort(-weights, kind="stable")[:PAGE_WORDS])
            numbers, counts = numbers[kept], counts[kept]
        return numbers.astype(np.uint16), counts.astype(np.uint8)

    def speaks(self, words: PageWords) -> bool:
        """Return True if a page contains a topic term, or is nearer in meaning to the topic's sentence than unrelated texts.

        Always True once a person has marked texts as on topic. They define the topic, too, and any page may resemble them.
        """
        return len(words.terms) > 0 or bool(sum(words.near) / 2 > UNRELATED) or self._has_examples_by_hand

    def probability(self, words: PageWords) -> float:
        """Return the probability of a page being on topic."""
        return float(self.probabilities_of([words])[0])

    def probabilities_of(self, pages: Sequence[PageWords]) -> Floats:
        """Return the probability of each page."""
        return self._probabilities(*self._rows(pages))

    def _rows(self, pages: Sequence[PageWords]) -> tuple[Numbers, Counts, Floats, Numbers, Floats]:
        """Return words, their counts, term scores, labels and log-odds by Eq. 3 of pages."""
        numbers, counts = np.zeros((len(pages), PAGE_WORDS), dtype=np.uint16), np.zeros((len(pages), PAGE_WORDS), dtype=np.uint8)
        terms, parts = np.zeros((len(pages), PAGE_TERMS), dtype=np.uint16), np.zeros((len(pages), PAGE_TERMS), dtype=np.uint8)
        labels = np.zeros((len(pages), PAGE_LABELS), dtype=np.uint16)
        for row, words in enumerate(pages):
            numbers[row, : len(words.numbers)], counts[row, : len(words.counts)] = words.numbers, words.counts
            terms[row, : len(words.terms)], parts[row, : len(words.parts)] = words.terms, words.parts
            labels[row, : len(words.labels)] = words.labels
        odds = np.array([words.odds for words in pages], dtype=np.float32)
        near = np.array([words.near for words in pages], dtype=np.float32).reshape(len(pages), 2)
        return numbers, counts, self._topic_scores(terms, parts, near), labels, odds

    def _topic_scores(self, terms: Numbers, parts: Counts, near: Floats) -> Floats:
        """Score pages by topic terms and meaning. A term of weight 1 in the title is worth 2 or more."""
        heads, texts = _head_and_text(parts)
        by_terms = (self._head_weights[terms] * heads + self._text_weights[terms] * texts).sum(axis=1) / np.float32(PART_UNIT)
        meaning = np.maximum(np.float32(0), near.mean(axis=1) - np.float32(UNRELATED))
        scores: Floats = by_terms + np.float32(MEANING_WEIGHT) * meaning
        return scores

    def probabilities(self, memory: Memory) -> Floats:
        """Return the probability of each remembered page. A mark replaces it."""
        probabilities = self._probabilities(*self._remembered(memory, slice(len(memory))))
        for row, on_topic in self._marked_rows(memory):
            probabilities[row] = on_topic
        return probabilities

    def _remembered(self, memory: Memory, rows: slice | Rows) -> tuple[Numbers, Counts, Floats, Numbers, Floats]:
        """Return the arrays of :meth:`_rows` for remembered pages."""
        topic_scores = self._topic_scores(memory.page_terms[rows], memory.parts[rows], memory.near[rows])
        return memory.words[rows], memory.counts[rows], topic_scores, memory.labels[rows], memory.odds[rows]

    def _marked_rows(self, memory: Memory) -> list[tuple[int, bool]]:
        """Return the rows of the marked pages in memory, with their marks."""
        rows = [(memory.row(page), on_topic) for page, (_, on_topic) in sorted(self._marked.items())]
        return [(row, on_topic) for row, on_topic in rows if row is not None and memory.fetched[row]]

    def _probabilities(self, words: Numbers, counts: Counts, topic_scores: Floats, labels: Numbers, odds: Floats) -> Floats:
        probabilities = sigmoid(self._log_odds(words, counts, topic_scores, labels, odds))
        return np.where(counts.any(axis=1), probabilities, np.float32(0))  # a page without words has no topic

    def _log_odds(self, words: Numbers, counts: Counts, topic_scores: Floats, labels: Numbers, odds: Floats) -> Floats:
        if self._centre is None:
            untaught: Floats = np.float32(UNTAUGHT_STEEPNESS) * (topic_scores - np.float32(UNTAUGHT_MIDDLE)) + odds
            return untaught
        likeness = _product(self._centre, *self._units(words, counts)) / np.float32(self._gap)
        z = self._add_topic(likeness, topic_scores)
        by_label = self._label_odds[labels]
        strongest = np.take_along_axis(by_label, np.abs(by_label).argmax(axis=1)[:, None], axis=1)[:, 0]
        log_odds: Floats = STEEPNESS * ((z - self._low) / (self._high - self._low) - MIDDLE) + strongest + odds
        return log_odds

    def word_ids(self, words: Iterable[str]) -> bytes:
        """Return the first :data:`LINK_WORDS` distinct content words as numbers, 1 to 65,535. Two bytes each, little-endian,
        padded with 0."""
        content = [known[0] or 1 for known in map(self._known, words) if known is not None]
        numbers = list(dict.fromkeys(content))[:LINK_WORDS]
        return struct.pack(f"<{len(numbers)}H", *numbers).ljust(2 * LINK_WORDS, b"\0")

    def likeness(self, word_ids: Numbers) -> Floats:
        """Return the similarity of short texts to examples as opposed to counterexamples.

        Above 1: on topic. Below 1, down to 0: something else. 1: neither, no words, or nothing learned yet.

        Args:
            word_ids: words as numbers, see :meth:`word_ids`, (n, :data:`LINK_WORDS`).
        """
        if self._centre is None:
            return np.ones(len(word_ids), dtype=np.float32)
        if self._word_parts is None:
            rarity = self._rarity.copy()
            rarity[0] = 0  # no word
            self._word_parts = np.stack([self._centre * rarity, rarity * rarity], axis=1)
        products, squares = self._word_parts[word_ids].sum(axis=1).T
        cosine = products / np.maximum(np.sqrt(squares), np.float32(1e-9)) / np.float32(self._gap)
        likeness: Floats = np.maximum(np.float32(0), cosine + np.float32(1))
        return likeness

    def note(self, words: PageWords) -> None:
        """Count the words of a page: rare ones tell more."""
        self._pages += 1
        self._frequencies[words.numbers] += 1

    def refit(self, memory: Memory) -> None:
        """Learn from the remembered pages the words of the topic, and mark the examples."""
        self._word_parts = None
        n = len(memory)
        fetched = np.flatnonzero(memory.fetched[:n])
        articles = fetched[memory.is_article[fetched]]
        if len(articles) < MIN_EXAMPLES or len(fetched) < MIN_PAGES:
            return
        self._rarity = np.log((self._pages + 1) / (self._frequencies + 0.5)).clip(0).astype(np.float32)
        self._articles = len(articles)
        terms, fields = memory.page_terms[articles], _head_and_text(memory.parts[articles])
        self._in_heads, self._in_texts = (np.bincount(terms[part > 0], minlength=BUCKETS).astype(np.float32) for part in fields)
        self._weigh_terms()
        topic_scores = self._topic_scores(memory.page_terms[:n], memory.parts[:n], memory.near[:n])
        vectors = self._units(memory.words[:n], memory.counts[:n])
        order = articles[np.argsort(-topic_scores[articles], kind="stable")]
        first_odds = []
        for most in FIRST_EXAMPLES:
            examples = order[: min(most, max(MIN_EXAMPLES, int(len(articles) * EXAMPLE_SHARE)))]
            standing = [examples[topic_scores[examples] >= least] for least in EXAMPLE_SCORES]
            chosen = standing[0] if len(standing[0]) >= MIN_EXAMPLES else standing[1]
            self._fit(memory, articles, topic_scores, vectors, chosen)
            if self._centre is not None:
                first_odds.append(self._log_odds(*self._remembered(memory, articles)))
        if not first_odds:
            return
        odds = np.mean(first_odds, axis=0)
        best = np.argsort(-odds, kind="stable")[:MAX_SURE]
        sure = articles[best[odds[best] > SURE]]
        if len(sure) >= MIN_EXAMPLES:
            self._fit(memory, articles, topic_scores, vectors, sure)

    def _fit(self, memory: Memory, articles: Rows, topic_scores: Floats, vectors: tuple[Numbers, Floats], examples: Rows) -> None:
        """Learn to separate these examples, and those marked by hand, from counterexamples.

        ``vectors`` are those of all remembered pages (:meth:`_units`).
        """
        on, off = ([row for row, mark in self._marked_rows(memory) if mark is kind] for kind in (True, False))
        examples = examples[~np.isin(examples, [*on, *off])]
        # If marks contradict the terms, sure texts contain none of the terms.
        few = EXAMPLE_SCORES[1]
        self._best = max(few, float(topic_scores[examples].mean())) if len(examples) else EXAMPLE_SCORES[0]
        examples = np.append(examples, on).astype(np.int64)
        memory.set_examples(examples)
        if len(examples) < MIN_EXAMPLES:
            self._centre = None
            return
        few, some = COUNTEREXAMPLE_SCORES
        others = articles[topic_scores[articles] < min(few * self._best, ONE_MENTION)]
        if len(others) < MIN_COUNTEREXAMPLES:  # else a crawl among articles all containing a term would not learn for long
            others = articles[topic_scores[articles] < some * self._best]
        if len(others) > MAX_COUNTEREXAMPLES:  # sample the whole crawl, since its end is another web than its beginning
            others = others[np.linspace(0, len(others) - 1, MAX_COUNTEREXAMPLES).astype(np.int64)]
        others = np.append(others[~np.isin(others, on + off)], off).astype(np.int64)
        if len(others) < MIN_COUNTEREXAMPLES:
            self._centre = None
            return
        words, units = vectors
        weights = self._weights(memory, examples, on)
        near, near_size = self._mean(words[examples], units[examples], weights, self._elsewhere(memory, True))
        far, far_size = self._mean(words[others], units[others], even := np.ones(len(others)), self._elsewhere(memory, False))
        self._centre = near - far
        # The mean of a group includes each member's own words. In a small group, a member would be far more like it than any
        # other page can be. So compare each member with the mean of the others.
        likely = _others(near, words[examples], units[examples], weights, near_size)
        likely -= _product(far, words[examples], units[examples])
        unlikely = _product(near, words[others], units[others]) - _others(far, words[others], units[others], even, far_size)
        mean = np.average(likely, weights=weights)
        self._gap = max(1e-6, float(mean - unlikely.mean()) / 2, MIN_SPREAD * float(unlikely.std()))
        like = _product(self._centre, words, units) / np.float32(self._gap)
        like[examples] = likely / self._gap
        z = np.sort(self._add_topic(like, topic_scores)[articles])
        by_words = like[articles] * self._gap > (mean + 3 * unlikely.mean()) / 4
        many = int((by_words & (topic_scores[articles] >= CLASS_SCORE)).sum())
        self._high = float(z[-min(len(articles) // 2, max(MIN_EXAMPLES, many)) :].mean())
        self._low = float(unlikely.mean()) / self._gap
        self._high = max(self._high, self._low + 1e-3)
        self._learn_labels(memory, articles)
        self._learn_marks(memory)

    def _elsewhere(self, memory: Memory, on_topic: bool) -> list[PageWords]:
        """Return the texts with this mark outside the memory."""
        there = sorted(page for page, (_, mark) in self._marked.items() if mark == on_topic and memory.row(page) is None)
        return [self._packed(self._marked[page][0], (), True)[0] for page in there]

    def _learn_marks(self, memory: Memory) -> None:
        """Move the log-odds of pages towards those of similar marked pages.

        A Gaussian process with the log-odds without marks as mean and the cosine as covariance (Rasmussen & Williams 2006,
        chapter 3). Its prediction is the product with one more vector, so that vector is added to the centre.
        """
        marked = dict(sorted(self._marked.items())[:MAX_MARKS])
        if not marked or self._centre is None:
            return
        rows = [memory.row(page) for page in marked]
        texts = [
            self._packed(counted, (), True)[0] if row is None else memory.page_words(row)
            for row, (counted, _) in zip(rows, marked.values(), strict=True)
        ]
        words, counts, topic_scores, labels, odds = self._rows(texts)
        known, places = np.unique(words, return_inverse=True)
        vectors = np.zeros((len(texts), len(known)), dtype=np.float32)
        np.add.at(vectors, (np.arange(len(texts))[:, None], places.reshape(words.shape)), self._units(words, counts)[1])
        on_topic = np.array([mark for _, mark in marked.values()], dtype=np.float64)
        prior = self._log_odds(words, counts, topic_scores, labels, odds).astype(np.float64)
        pulls = _most_probable(MARK_VARIANCE * (vectors @ vectors.T).astype(np.float64), prior, on_topic)
        unit = self._gap * (self._high - self._low) / STEEPNESS  # product with the centre per unit of log-odds
        self._centre[known] += (unit * MARK_VARIANCE * pulls @ vectors).astype(np.float32)

    def _learn_labels(self, memory: Memory, articles: Rows) -> None:
        """Learn the log-odds of each label from the probability of its articles by their words, against all articles.

        A site files related pages under one label. A single page says nothing about its own label.
        """
        self._label_odds = np.zeros(BUCKETS, dtype=np.float32)
        likely = self.probabilities(memory)[articles]
        labels = memory.labels[articles]
        pages = np.bincount(labels.ravel(), minlength=BUCKETS)
        likely_pages = np.bincount(labels.ravel(), np.repeat(likely, PAGE_LABELS), BUCKETS)
        others = np.maximum(0, pages - 1) / np.maximum(1, pages)
        prior = min(0.9, max(1e-3, float(likely.mean())))
        share = (likely_pages * others + LABEL_PAGES * prior) / (pages * others + LABEL_PAGES)
        odds = np.log(share / (1 - share)) - np.log(prior / (1 - prior))
        odds[0] = 0
        self._label_odds = np.clip(odds, -MAX_LABEL_ODDS, MAX_LABEL_ODDS).astype(np.float32)

    def _weigh_terms(self) -> None:
        """Weigh the topic's terms by their rarity in the texts of the crawl's articles, ln(1 + articles / articles with the
        term), and in titles and labels by their rarity there (fields as in BM25F, Robertson, Zaragoza & Taylor 2004).

        A term on every page keeps part of its weight, since a whole crawl may be on topic. In texts the heavy terms weigh 1 on
        average. In this average each term counts by the logarithm of its number of articles: a term in no article says nothing
        of the others.
        """
        texts, heads = (self._general * np.log1p((self._articles + 1) / (n + 1)) for n in (self._in_texts, self._in_heads))
        held: Floats = np.log1p(self._in_texts) * self._is_heavy
        if not held.any():
            held = self._is_heavy.astype(np.float32)
        average = max(1e-9, float((texts * held).sum() / held.sum()))
        self._text_weights, self._head_weights = ((w / average).astype(np.float32) for w in (texts, heads))

    @staticmethod
    def _weights(memory: Memory, examples: Rows, marked: list[int]) -> NDArray[np.float64]:
        """Return the weight of each example: 1, or less on a site with more than :data:`SITE_SHARE` of them. Marked examples
        keep 1."""
        sites = memory.sites[examples]
        weights = np.minimum(1, SITE_SHARE * len(examples) / np.bincount(sites)[sites])
        return np.where(np.isin(examples, marked), 1, weights)

    def _mean(
        self, words: Numbers, units: Floats, weights: NDArray[np.float64], texts: Sequence[PageWords]
    ) -> tuple[Floats, float]:
        """Return the weighted mean vector of pages and further texts, and the sum of their weights. A further text weighs 1."""
        total = np.zeros(BUCKETS, dtype=np.float64)
        np.add.at(total, words.ravel(), (units * weights[:, None]).ravel())
        for numbers, vectors in (self._units(text.numbers[None, :], text.counts[None, :]) for text in texts):
            np.add.at(total, numbers.ravel(), vectors.ravel())
        size = float(weights.sum()) + len(texts)
        return (total / size).astype(np.float32), size

    def _add_topic(self, likeness: Floats, topic_scores: Floats) -> Floats:
        """Combine words and terms.

        Takes the square root of the term score, since the first terms tell most. With thousands of terms, the best articles
        contain many, but most on-topic articles only a few.
        """
        z: Floats = likeness + np.float32(TERM_WEIGHT) * np.sqrt(topic_scores / np.float32(self._best))
        return z

    def _units(self, words: Numbers, counts: Counts) -> tuple[Numbers, Floats]:
        """Return pages as tf·idf vectors of length 1. Padding zeros weigh 0."""
        weights = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1, dtype=np.float32)), 0) * self._rarity[words]
        lengths = np.sqrt((weights * weights).sum(axis=1, keepdims=True))
        return words, (weights / np.maximum(lengths, 1e-9)).astype(np.float32)

    def state_dict(self) -> dict[str, Any]:
        """Return the learned state as JSON data."""
        used = np.flatnonzero(self._frequencies)
        state = {"pages": self._pages, "words": packed(used, "<u4"), "frequencies": packed(self._frequencies[used], "<f4")}
        if self._articles:
            numbers = np.flatnonzero(self._general)
            state |= {"articles": self._articles, "terms": packed(numbers, "<u4")}
            state |= {"texts": packed(self._in_texts[numbers], "<f4"), "heads": packed(self._in_heads[numbers], "<f4")}
        if self._centre is not None:
            state |= {
                "centre": packed(self._centre, "<f4"),
                "rarity": packed(self._rarity, "<f4"),
                "scale": [self._gap, self._best, self._high, self._low],
                "labels": packed(np.flatnonzero(self._label_odds), "<u4"),
                "label_odds": packed(self._label_odds[self._label_odds != 0], "<f4"),
            }
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the result of :meth:`state_dict`."""
        self._pages = int(state["pages"])
        used = unpacked(state["words"], "<u4")
        self._frequencies = np.zeros(BUCKETS, dtype=np.float32)
        self._frequencies[used] = unpacked(state["frequencies"], "<f4")
        self._articles = int(state.get("articles", 0))
        self._text_weights = self._head_weights = self._general
        if self._articles:
            self._in_texts, self._in_heads = (np.zeros(BUCKETS, dtype=np.float32) for _ in range(2))
            for numbers, name in ((self._in_texts, "texts"), (self._in_heads, "heads")):
                numbers[unpacked(state["terms"], "<u4")] = unpacked(state[name], "<f4")
            self._weigh_terms()
        self._centre = self._word_parts = None
        self._label_odds = np.zeros(BUCKETS, dtype=np.float32)
        if "centre" in state:
            self._centre = unpacked(state["centre"], "<f4").astype(np.float32)
            self._rarity = unpacked(state["rarity"], "<f4").astype(np.float32)
            self._gap, self._best, self._high, self._low = map(float, state["scale"])
            self._label_odds[unpacked(state["labels"], "<u4")] = unpacked(state["label_odds"], "<f4")


def evidence(relevance: float, even: float) -> float:
    """Return the log-odds of a text by its relevance: 0 at ``even``, never below those of relevance 0.

    Returns 0 if ``even`` is 0.

    >>> [round(evidence(relevance, 0.2), 2) for relevance in (0, 0.05, 0.2, 2)]
    [-2.4, -1.15, 0.0, 2.22]
    """
    return log((relevance / even + NO_RELEVANCE) / (1 + NO_RELEVANCE)) if even else 0.0


def _head_and_text(parts: Counts) -> tuple[Counts, Counts]:
    """Split the prominence of each term into the parts of title and labels, and of the text."""
    heads = np.where(parts >= _HEAD_PARTS, np.uint8(_HEAD_PARTS), np.uint8(0))
    return heads, parts - heads


def _product(vector: Floats, words: Numbers, units: Floats) -> Floats:
    """Return the inner products of a vector and pages in the form of :meth:`PageClassifier._units`."""
    products: Floats = (vector[words] * units).sum(axis=1)
    return products


def _others(mean: Floats, words: Numbers, units: Floats, weights: NDArray[np.float64], size: float) -> Floats:
    """Return the similarity of each group member to the mean of the others.

    ``mean`` is the weighted mean of the whole group, ``size`` the sum of its weights. Each member has length 1.
    """
    others: Floats = ((_product(mean, words, units) * size - weights) / np.maximum(1e-6, size - weights)).astype(np.float32)
    return others


def _most_probable(covariance: NDArray[np.float64], prior: NDArray[np.float64], on: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pull of each of n observations (0 or 1), for the most probable log-odds ``prior + covariance @ pulls``.

    Uses Newton's method, halving each step until it climbs.
    """

    def loss(pulls: NDArray[np.float64]) -> float:
        moved = covariance @ pulls
        return float((np.logaddexp(0, prior + moved) - on * (prior + moved)).sum() + pulls @ moved / 2)

    pulls = np.zeros(len(on))
    for _ in range(50):
        moved = covariance @ pulls
        likely = np.exp(-np.logaddexp(0, -prior - moved))
        weights = np.maximum(likely * (1 - likely), 1e-9)
        step = np.linalg.solve(np.eye(len(on)) + weights[:, None] * covariance, weights * moved + on - likely) - pulls
        while np.abs(step).max() > 1e-6 and loss(pulls + step) > loss(pulls):
            step /= 2
        pulls += step
        if np.abs(step).max() <= 1e-6:
            break
    return pulls


def _whole(label: str) -> str:
    return f"={label.strip().lower()}"


def _number(word: str) -> int:
    return crc32(word.encode("utf-8", "replace")) % BUCKETS
