"""The strategies by name, and how one is made for a topic.

>>> from topical_crawler import Page, load_topic, strategies
>>> strategy = strategies.create(load_topic("partybuilding"), resources=None)
>>> strategy.judge(Page("http://a.cn/", title="学习贯彻党章 严肃党内政治生活")).keep
True
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.base import NO_TOPIC_WORD, OFF_TOPIC, PAGE_OFF_TOPIC, Progress, Setup, Strategy, read_parameters
from topical_crawler.text.segment import Backend, Segmenter
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, load_topic, topic_line

__all__ = ["NEEDS", "NO_TOPIC_WORD", "OFF_TOPIC", "PAGE_OFF_TOPIC", "STRATEGIES", "Strategy", "create", "read_parameters"]


_S = "topical_crawler.strategies"
BUILT_IN: Mapping[str, str] = {
    "adaptive": f"{_S}.adaptive.strategy:make",
    "semantic": f"{_S}.semantic.strategy:make",
    "esvsm": f"{_S}.esvsm.strategy:make",
    "svsm": f"{_S}.esvsm.vector_space:make_svsm",
    "ssrm": f"{_S}.esvsm.vector_space:make_ssrm",
    "vsm": f"{_S}.esvsm.vector_space:make_vsm",
    "odp2evsm": f"{_S}.odp2evsm.strategy:make",
    "keyword_vsm": f"{_S}.odp2evsm.strategy:make_keyword_vsm",
    "category_vsm": f"{_S}.odp2evsm.strategy:make_category_vsm",
    "breadth_first": f"{_S}.baselines:make_breadth_first",
    "shark_search": f"{_S}.baselines:make_shark_search",
    "content_url": f"{_S}.content_url:make_content_url",
    "content": f"{_S}.content_url:make_content",
    "keyword": f"{_S}.baselines:make_keyword",
    "random": f"{_S}.baselines:make_random",
    "pagerank": f"{_S}.baselines:make_pagerank",
}
"""Where each strategy is made: a function of a :class:`Setup`, imported when its strategy is asked for."""
STRATEGIES: Sequence[str] = tuple(BUILT_IN)
"""The names of all strategies."""

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
        segmenter: see :class:`~topical_crawler.text.segment.Segmenter`.
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
    make: Callable[[Setup], Strategy] = pkgutil.resolve_name(BUILT_IN[chosen])
    return make(Setup(chosen, topic, words, resources or Resources.none(), cache_dir, seed, progress))


def _key(topic: Topic, strategy: str) -> str:
    """Where a topic names a strategy: its table, or the key of the default."""
    return strategy if strategy in topic.parameters else "default_strategy"
