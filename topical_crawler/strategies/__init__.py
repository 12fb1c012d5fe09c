"""Registry of strategies by name, and the factory building one for a topic.

>>> from topical_crawler import Page, load_topic, strategies
>>> strategy = strategies.create(load_topic("partybuilding"), resources=None)
>>> strategy.judge(Page("http://a.cn/", title="学习贯彻党章 严肃党内政治生活")).keep
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from topical_crawler import plugins
from topical_crawler.meaning import BUNDLED
from topical_crawler.meaning.encoder import open_encoder
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.base import BELOW_THRESHOLD, NO_TOPIC_WORD, OFF_TOPIC, PAGE_OFF_TOPIC, Progress, Setup, Strategy
from topical_crawler.text.segment import Backend, Segmenter
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, load_topic, topic_line

__all__ = [
    "BELOW_THRESHOLD", "NO_TOPIC_WORD", "OFF_TOPIC", "PAGE_OFF_TOPIC", "STRATEGIES",
    "Strategy", "create", "load", "names",
]  # fmt: skip

GROUP = "topical_crawler.strategies"  # entry point group for strategies of other distributions: name → "module:Class"
BUILT_IN: Mapping[str, str] = {
    "adaptive": f"{GROUP}.adaptive.strategy:Adaptive",
    "semantic": f"{GROUP}.semantic.strategy:Semantic",
    "esvsm": f"{GROUP}.esvsm.strategy:Esvsm",
    "odp2evsm": f"{GROUP}.odp2evsm.strategy:Odp2evsm",
    "breadth_first": f"{GROUP}.breadth_first:BreadthFirst",
    "anchor": f"{GROUP}.anchor:Anchor",
    "content_url": f"{GROUP}.content_url:ContentUrl",
}
"""Strategies of this package, imported on demand. They are not entry points: an egg may lack its metadata."""
STRATEGIES: Sequence[str] = tuple(BUILT_IN)  # `names` adds those of other distributions


def names() -> list[str]:
    """Return the names of all strategies, built-in ones first, then those of other distributions."""
    return plugins.names(GROUP, BUILT_IN)


def load(name: str) -> type[Strategy]:
    """Return the class of a strategy.

    Raises:
        ValueError: the name is unknown, several distributions claim it, or the import fails.
    """

    def check(kind: Any) -> None:
        if not (isinstance(kind, type) and issubclass(kind, Strategy)):
            raise TypeError("not a subclass of topical_crawler.strategies.Strategy")
        if getattr(kind, "name", None) != name:
            raise TypeError(f"the class attribute name is {getattr(kind, 'name', None)!r}, expected {name!r}")

    loaded: type[Strategy] = plugins.load("strategy", name, GROUP, BUILT_IN, check)
    return loaded


def create(
    topic: Topic | str,
    name: str | type[Strategy] | None = None,
    *,
    resources: Resources | None,
    cache_dir: Path | None = None,
    segmenter: Backend = "auto",
    seed: int = 0,
    progress: Progress | None = None,
    encoder: str = BUNDLED,
) -> Strategy:
    """Build a strategy for a topic.

    Args:
        topic: a topic, or the name or path of one.
        name: one of :func:`names`, or a class without an entry point. None: the topic's own choice.
        resources: language resources to use. None: no resources, so a word is similar only to itself.
        segmenter: see :class:`~topical_crawler.text.segment.Segmenter`.
        encoder: see :func:`~topical_crawler.meaning.encoder.open_encoder`. Opened only for a strategy with ``wants_meaning``.
        cache_dir, seed, progress: see :class:`~topical_crawler.strategies.base.Setup`.

    Raises:
        TopicError: the topic, or its parameters for this strategy, cannot be read.
        ValueError: the strategy cannot be loaded (:func:`load`).
    """
    if isinstance(topic, str):
        topic = load_topic(topic)
    known = names()
    for mentioned in (*topic.parameters, topic.default_strategy):
        if mentioned not in known:
            key = mentioned if mentioned in topic.parameters else "default_strategy"
            raise TopicError(f"{topic_line(topic, key)}: unknown strategy {mentioned!r}. Choose one of {', '.join(known)}")
    chosen = name or topic.default_strategy
    kind = load(chosen) if isinstance(chosen, str) else chosen
    words = Segmenter(topic.terms, backend=segmenter, cache_dir=cache_dir)
    meaning = open_encoder(encoder, cache_dir) if kind.wants_meaning else None
    return kind.make(Setup(kind.name, topic, words, resources or Resources.none(), cache_dir, seed, progress, meaning))
