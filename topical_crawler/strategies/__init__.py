"""The strategies by name, and how one is made for a topic.

>>> from topical_crawler import Page, load_topic, strategies
>>> strategy = strategies.create(load_topic("partybuilding"), resources=None)
>>> strategy.judge(Page("http://a.cn/", title="学习贯彻党章 严肃党内政治生活")).keep
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from topical_crawler.semantics.resources import Resources
from topical_crawler.semantics.table import Progress
from topical_crawler.strategies import (
    adaptive,
    baselines,
    content_url,
    esvsm,
    field,
    odp2evsm,
    pagerank,
    semantic,
    shark_search,
    vector,
)
from topical_crawler.strategies.base import NO_TOPIC_WORD, OFF_TOPIC, PAGE_OFF_TOPIC, Setup, Strategy, read_parameters
from topical_crawler.text import Backend, Segmenter
from topical_crawler.topic import Topic, TopicError, load_topic, topic_line

__all__ = ["NEEDS", "NO_TOPIC_WORD", "OFF_TOPIC", "PAGE_OFF_TOPIC", "STRATEGIES", "Strategy", "create", "read_parameters"]

STRATEGIES: Mapping[str, Callable[[Setup], Strategy]] = {
    "adaptive": adaptive.make,
    "semantic": semantic.make,
    "esvsm": esvsm.make,
    "svsm": vector.make_svsm,
    "ssrm": vector.make_ssrm,
    "vsm": vector.make_vsm,
    "odp2evsm": odp2evsm.make,
    "keyword_vsm": odp2evsm.make_keyword_vsm,
    "category_vsm": odp2evsm.make_category_vsm,
    "breadth_first": baselines.make_breadth_first,
    "shark_search": shark_search.make,
    "content_url": content_url.make_content_url,
    "content": content_url.make_content,
    "keyword": field.make_keyword,
    "random": field.make_random,
    "pagerank": pagerank.make,
}

NEEDS: Mapping[str, tuple[str, ...]] = {
    "semantic": ("hownet", "hownet_tree", "vectors"),
    "esvsm": ("hownet", "hownet_tree", "vectors", "cilin", "cilin_tree", "clc"),
    "svsm": ("hownet", "hownet_tree"),
    "ssrm": ("hownet", "hownet_tree"),
    "odp2evsm": ("clc", "vectors", "cilin"),
    "category_vsm": ("clc",),
}
"""The language resources that a strategy uses where they are there."""


def create(
    topic: Topic | str,
    name: str | None = None,
    *,
    resources: Resources | None,
    cache_dir: Path | None = None,
    segmenter: Backend = "auto",
    seed: int = 0,
    progress: Progress | None = None,
) -> Strategy:
    """Make a strategy for a topic.

    Args:
        topic: a topic, or the name or path of one.
        name: one of :data:`STRATEGIES`; None: the topic's own choice.
        resources: the language resources to use; None: none at all (words are then like themselves only).
        cache_dir: where tables that take long to make are kept; None: nowhere.
        segmenter: see :class:`~topical_crawler.text.Segmenter`.
        seed: of every random choice of the strategy.
        progress: called with the part done (0 to 1) and a word on what is going on, while a table is made.

    Raises:
        TopicError: the topic, or its parameters for this strategy, cannot be read.
        ValueError: there is no strategy of that name.
    """
    if isinstance(topic, str):
        topic = load_topic(topic)
    for said in (*topic.parameters, topic.default_strategy):
        if said not in STRATEGIES:
            raise TopicError(f"{topic_line(topic, _key(topic, said))}: no strategy {said!r}. Remedy: {', '.join(STRATEGIES)}")
    chosen = name or topic.default_strategy
    if chosen not in STRATEGIES:
        raise ValueError(f"no strategy {chosen!r}. Remedy: choose one of {', '.join(STRATEGIES)}")
    words = Segmenter(topic.terms, backend=segmenter, cache_dir=cache_dir)
    return STRATEGIES[chosen](Setup(chosen, topic, words, resources or Resources.none(), cache_dir, seed, progress))


def _key(topic: Topic, strategy: str) -> str:
    """Where a topic names a strategy: its table, or the key of the default."""
    return strategy if strategy in topic.parameters else "default_strategy"
