"""Keywords of a topic: initial ones from a category tree (Zhang et al., section 3.1, Eq. 1), later ones from pages (3.2)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from topical_crawler.resources.categories import CategoryError, CategoryTree, read_clc
from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import normalise
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, topic_line
from topical_crawler.web.urls import fingerprint

logger = logging.getLogger(__name__)


def open_tree(topic: Topic, resources: Resources, path: str = "") -> CategoryTree | None:
    """Open the category tree for a topic, None if there is none.

    Args:
        topic: topic of the crawl.
        resources: source of the Chinese Library Classification.
        path: file relative to the topic's folder (see :func:`~topical_crawler.resources.categories.read_clc`). "": the Chinese
            Library Classification.

    Raises:
        TopicError: the file is missing or unreadable.
        ValueError: the Classification is unreadable.
    """
    if path:
        file = Path(topic.source, Path(path).expanduser())
        if not file.is_file():
            raise TopicError(f"{topic_line(topic, 'tree')}: no file {file}. Set tree to the path of a category tree in JSON")
        try:
            return read_clc(file)
        except CategoryError as error:
            raise TopicError(f"{topic_line(topic, 'tree')}: {error}") from None
    clc = resources.path("clc")
    return read_clc(clc) if clc else None


def topic_word(topic: Topic) -> str:
    """Return the word standing for a topic: its title if that is one of its terms, else the heaviest term.

    >>> topic_word(Topic("dm", "数据挖掘图书", {"数据挖掘": 2.0, "聚类": 1.0}))
    '数据挖掘'
    """
    title = normalise(topic.title)
    return title if title in topic.terms else topic.keywords(1)[0]


def own_keywords(topic: Topic, most: int) -> dict[str, float]:
    """Return the topic word and the heaviest terms, at most ``most`` in all, with weights relative to the heaviest.

    >>> own_keywords(Topic("dm", "数据挖掘", {"数据挖掘": 2.0, "聚类": 1.0, "分类": 0.5}), 2)
    {'数据挖掘': 1.0, '聚类': 0.5}
    """
    heaviest = max(topic.terms.values())
    weighed = {topic_word(topic): 1.0}
    for term in topic.keywords(most):
        weighed.setdefault(term, topic.terms[term] / heaviest)
    return dict(list(weighed.items())[:most])


def initial_keywords(
    topic: Topic, tree: CategoryTree | None, category: str = "", threshold: float = 0.0, most: int = 100, own_terms: bool = True
) -> dict[str, float]:
    """Return Q: the topic word with weight 1, and the keywords of its category with q_i = N_i / N_max (Eq. 1), heaviest first.

    The topic's own terms, weighed relative to the heaviest, join those of the category. They replace them, with a log message,
    if the tree is missing or has no category for the topic. The paper uses only the category.

    Args:
        topic: topic of the crawl.
        tree: category tree.
        category: code or name of the category. "": the topic's title.
        threshold: least weight of a keyword.
        most: maximum number of keywords.
        own_terms: False: only the topic word and the keywords of the category, if there is one.

    Raises:
        TopicError: ``category`` is set and matches no category, or several.
    """
    of_category: dict[str, float] = {}
    if tree is None:
        logger.info("No tree of categories: the initial keywords of %r are its own terms", topic.name)
    else:
        try:
            of_category = tree.keywords(tree.find(category or topic.title).code)
        except CategoryError as error:
            if category:
                raise TopicError(f"{topic_line(topic, 'category')}: {error}") from None
            logger.info(
                "The initial keywords of %r are its own terms, since no category has its name. To choose one, set category = "
                "\"CODE\" in topic.toml (%s)", topic.name, error,
            )  # fmt: skip
    joined = own_keywords(topic, most) if own_terms or not of_category else {}
    joined |= {word: max(weight, joined.get(word, 0.0)) for word, weight in of_category.items()}
    joined[topic_word(topic)] = 1.0
    heaviest = sorted(joined, key=lambda word: (word != topic_word(topic), -joined[word], word))
    return {word: joined[word] for word in heaviest[:most] if joined[word] >= threshold}


EXPANDED = 0.25  # maximum weight of a learned keyword, as a share of the lightest initial one. Ours. 0.5 lets in general words

WeighedWords = Sequence[tuple[str, float] | list[Any]]


class Expansion:
    """The topic's keywords Q and the buffer of candidates.

    Every relevant page adds its first keywords to the buffer. After ``batch`` pages, the new words of the buffer join Q, words
    of more pages first, until Q has χ words (``most``). The paper does not print their weights. Here a word gets the mean of
    its weights on these pages, scaled below the lightest initial keyword, so pages widen a topic without replacing it.

    >>> expansion = Expansion({"数据挖掘": 1.0}, batch=2, most=3)
    >>> expansion.learn("http://a.cn/1", [("数据挖掘", 1.0), ("聚类", 0.8)])
    False
    >>> expansion.learn("http://a.cn/2", [("聚类", 0.6), ("分类", 0.9), ("图书", 0.5)])
    True
    >>> expansion.keywords
    {'数据挖掘': 1.0, '聚类': 0.175, '分类': 0.225}
    """

    def __init__(self, initial: Mapping[str, float], batch: int, most: int) -> None:
        self.added: dict[str, float] = {}
        self._initial = dict(initial)
        self._batch = batch
        self._most = most
        self._buffer: list[WeighedWords] = []
        self._learned: set[str] = set()

    @property
    def keywords(self) -> dict[str, float]:
        """Current Q, initial keywords first."""
        return {**self._initial, **self.added}

    def learn(self, url: str, words: WeighedWords) -> bool:
        """Count a relevant page, once, by its keywords with their weights, in [0, 1]. Return True if Q has grown."""
        key = fingerprint(url).hex()[:16]
        if key in self._learned or len(self._initial) + len(self.added) >= self._most:
            return False
        self._learned.add(key)
        self._buffer.append(words)
        before = len(self.added)
        if len(self._buffer) >= self._batch:
            self._empty()
        return len(self.added) > before

    def state_dict(self) -> dict[str, Any]:
        buffer = [[list(pair) for pair in words] for words in self._buffer]
        return {"added": dict(self.added), "buffer": buffer, "learned": sorted(self._learned)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.added, self._buffer, self._learned = dict(state["added"]), list(state["buffer"]), set(state["learned"])

    def _empty(self) -> None:
        weights: dict[str, list[float]] = {}
        for words in self._buffer:
            for word, weight in words:
                if word not in self._initial and word not in self.added:
                    weights.setdefault(word, []).append(weight)
        self._buffer = []
        room = self._most - len(self._initial) - len(self.added)
        chosen = sorted(weights, key=lambda word: (-len(weights[word]), -sum(weights[word]), word))[:room]
        lightest = EXPANDED * min(self._initial.values())
        self.added |= {word: lightest * sum(weights[word]) / len(weights[word]) for word in chosen}
