"""The strategies by name, and how one is made for a topic.

>>> from topical_crawler import Page, load_topic, strategies
>>> strategy = strategies.create(load_topic("partybuilding"), resources=None)
>>> strategy.judge(Page("http://a.cn/", title="学习贯彻党章 严肃党内政治生活")).keep
True
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from topical_crawler.semantics.resources import Resources
from topical_crawler.semantics.similarity import SimilarityParameters
from topical_crawler.semantics.table import Progress, ScoreTable
from topical_crawler.strategies.base import OFF_TOPIC, Strategy
from topical_crawler.strategies.baselines import BreadthFirst
from topical_crawler.strategies.semantic import SIMILARITY, Semantic, SemanticParameters
from topical_crawler.text import Backend, Segmenter
from topical_crawler.topic import Topic, TopicError, load_topic, topic_line
from topical_crawler.urls import StructureParameters

__all__ = ["NEEDS", "OFF_TOPIC", "STRATEGIES", "Strategy", "create"]

_T = TypeVar("_T")


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
    return STRATEGIES[chosen](topic, words, resources or Resources.none(), cache_dir, seed, progress)


def _semantic(
    topic: Topic, segmenter: Segmenter, resources: Resources, cache_dir: Path | None, seed: int, progress: Progress | None
) -> Strategy:
    table = dict(topic.parameters.get("semantic", {}))
    given = table.pop("similarity", {})
    similarity = read_parameters(SimilarityParameters, given, topic, "strategy.semantic.similarity", SIMILARITY)
    if "structure" in table:
        table["structure"] = read_parameters(StructureParameters, table["structure"], topic, "strategy.semantic.structure")
    parameters = read_parameters(SemanticParameters, table, topic, "strategy.semantic")
    scores = ScoreTable.load_or_build(topic.terms, resources, similarity, cache_dir, progress)
    try:
        return Semantic(topic, scores, segmenter, parameters, seed)
    except ValueError as error:
        raise TopicError(f"{topic_line(topic, 'comparisons')}: {error}") from None


STRATEGIES: Mapping[str, Callable[[Topic, Segmenter, Resources, Path | None, int, Progress | None], Strategy]] = {
    "semantic": _semantic,
    "breadth_first": lambda topic, segmenter, *_: BreadthFirst(topic, segmenter),
}


def _key(topic: Topic, strategy: str) -> str:
    """Where a topic names a strategy: its table, or the key of the default."""
    return strategy if strategy in topic.parameters else "default_strategy"


NEEDS: Mapping[str, tuple[str, ...]] = {"semantic": ("hownet", "hownet_tree", "vectors")}
"""The language resources that a strategy uses where they are there."""


def read_parameters(kind: type[_T], table: object, topic: Topic, section: str, defaults: _T | None = None) -> _T:
    """A parameter class filled from a table of ``topic.toml``; what it leaves out is as in ``defaults``, else as in the class.

    Raises:
        TopicError: no table, a key that the class does not have, or a value that it refuses; with the file and the line.
    """
    if not isinstance(table, Mapping):
        where = topic_line(topic, section.rsplit(".", 1)[-1])
        raise TopicError(f"{where}: write [{section}] and its parameters below it, not {table!r}")
    known = [f.name for f in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise TopicError(f"{topic_line(topic, key)}: [{section}] has no parameter {key!r}. Known: {', '.join(known)}")
    try:
        return kind(**table) if defaults is None else dataclasses.replace(defaults, **table)  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        named = next((k for k in table if k in str(error)), section.rsplit(".", 1)[-1])
        raise TopicError(f"{topic_line(topic, named)}: {error}") from None
