"""The strategy of a topic, made for an action that looks at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from scrapy.settings import BaseSettings

from topical_crawler import strategies
from topical_crawler.config import cache_dir, resources
from topical_crawler.semantics.resources import Resource, Resources
from topical_crawler.semantics.similarity import SimilarityParameters, WordSimilarity
from topical_crawler.strategies import Strategy
from topical_crawler.strategies.semantic import SIMILARITY, Semantic
from topical_crawler.topic import Topic

WIDTH = 100
"""Widest output, in columns."""


@dataclass(frozen=True)
class Opened:
    """A strategy with what it was made from.

    Attributes:
        strategy: of the topic.
        similarity: Algorithm 1 with the topic's constants, over the resources that there are.
        resources: where they are; those of ``Resources.none()`` where the settings say to use none.
        missing: those that the strategy would use and that are not there.
    """

    strategy: Semantic
    similarity: WordSimilarity
    resources: Resources
    missing: tuple[Resource, ...]


def open_semantic(topic: Topic, settings: BaseSettings, seed: int | None = None) -> Opened:
    """Make the strategy ``semantic`` for a topic as by :func:`make_strategy`, with what its sums are taken apart by.

    Raises:
        TopicError: the topic, or a parameter of it, cannot be read.
        ValueError: a resource cannot be read.
    """
    found = resources(settings) or Resources.none()
    strategy = make_strategy(topic, "semantic", found, settings, seed)
    constants = topic.parameters.get("semantic", {}).get("similarity", {})
    parameters = strategies.read_parameters(SimilarityParameters, constants, topic, "strategy.semantic.similarity", SIMILARITY)
    similarity = WordSimilarity.from_resources(found, parameters, cache_dir(settings))
    return Opened(cast(Semantic, strategy), similarity, found, missing_for("semantic", found))


def make_strategy(topic: Topic, name: str, found: Resources, settings: BaseSettings, seed: int | None = None) -> Strategy:
    """Make a strategy for a topic as a crawl would; a table that has to be made first shows its progress.

    Args:
        topic: what it judges by.
        name: of the strategy.
        found: the language resources.
        settings: the project's.
        seed: of the strategy's random choices; None: that of the settings.

    Raises:
        TopicError: a parameter of the topic cannot be read.
        ValueError: there is no such strategy, or a resource cannot be read.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    err = Console(stderr=True)
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as display:
        task = display.add_task("", total=1.0, visible=False)
        return strategies.create(
            topic,
            name,
            resources=found,
            cache_dir=cache_dir(settings),
            segmenter=settings.get("TOPICAL_SEGMENTER", "auto"),
            seed=settings.getint("TOPICAL_SEED") if seed is None else seed,
            progress=lambda part, what: display.update(task, completed=part, description=what, visible=True),
        )


def missing_for(name: str, found: Resources) -> tuple[Resource, ...]:
    """The resources that the strategy of this name would use and that are not there."""
    needed = strategies.NEEDS.get(name, ())
    return tuple(resource for resource in found.missing() if resource.name in needed)


def console() -> Console:
    """Standard output, no wider than :data:`WIDTH`."""
    out = Console()
    out.width = min(out.width, WIDTH)
    return out
