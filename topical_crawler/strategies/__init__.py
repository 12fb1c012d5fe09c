"""The strategies by name, and how one is made for a topic.

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

GROUP = "topical_crawler.strategies"  # entry points of this group are strategies of other distributions: name → "module:Class"
BUILT_IN: Mapping[str, str] = {
    "adaptive": f"{GROUP}.adaptive.strategy:Adaptive",
    "semantic": f"{GROUP}.semantic.strategy:Semantic",
    "esvsm": f"{GROUP}.esvsm.strategy:Esvsm",
    "odp2evsm": f"{GROUP}.odp2evsm.strategy:Odp2evsm",
    "breadth_first": f"{GROUP}.breadth_first:BreadthFirst",
    "anchor": f"{GROUP}.anchor:Anchor",
    "content_url": f"{GROUP}.content_url:ContentUrl",
}
"""The strategies of this package, imported on demand. They are no entry points: an egg may lack its metadata."""
STRATEGIES: Sequence[str] = tuple(BUILT_IN)  # their names; `names` also knows those of other distributions


def names() -> list[str]:
    """The names of all strategies: those of this package, then those of other distributions."""
    return plugins.names(GROUP, BUILT_IN)


def load(name: str) -> type[Strategy]:
    """The class of a strategy. Raises ValueError where there is none of that name, several distributions have one, or it cannot
    be imported."""

    def check(kind: Any) -> None:
        if not (isinstance(kind, type) and issubclass(kind, Strategy)):
            raise TypeError("it is no class derived from topical_crawler.strategies.Strategy")
        if getattr(kind, "name", None) != name:
            raise TypeError(f"its attribute name is {getattr(kind, 'name', None)!r}, not {name!r}")

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
    """Make a strategy for a topic. Raises TopicError where the topic, or its parameters for this strategy, cannot be read, and
    ValueError where the strategy cannot be loaded (:func:`load`).

    Args:
        topic: a topic, or the name or path of one.
        name: one of :func:`names`, or a class that has no entry point; None: the topic's own choice.
        resources: the language resources to use; None: none, so that a word is similar to itself only.
        segmenter: see :class:`~topical_crawler.text.segment.Segmenter`.
        encoder: see :func:`~topical_crawler.meaning.encoder.open_encoder`. It is opened for a strategy that wants one.
        cache_dir, seed, progress: see :class:`~topical_crawler.strategies.base.Setup`.
    """
    if isinstance(topic, str):
        topic = load_topic(topic)
    known = names()
    for mentioned in (*topic.parameters, topic.default_strategy):
        if mentioned not in known:
            key = mentioned if mentioned in topic.parameters else "default_strategy"
            raise TopicError(f"{topic_line(topic, key)}: no strategy {mentioned!r}. Remedy: {', '.join(known)}")
    chosen = name or topic.default_strategy
    kind = load(chosen) if isinstance(chosen, str) else chosen
    words = Segmenter(topic.terms, backend=segmenter, cache_dir=cache_dir)
    meaning = open_encoder(encoder, cache_dir) if kind.wants_meaning else None
    return kind.make(Setup(kind.name, topic, words, resources or Resources.none(), cache_dir, seed, progress, meaning))
