"""The strategy ``semantic`` of a topic, made for an action that looks at it."""

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


def open_semantic(topic: Topic, settings: BaseSettings) -> Opened:
    """Make the strategy ``semantic`` for a topic as a crawl would; a table that has to be made first shows its progress.

    Raises:
        TopicError: the topic, or a parameter of it, cannot be read.
        ValueError: a resource cannot be read.
    """
    found = resources(settings) or Resources.none()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        task = display.add_task("", total=1.0, visible=False)
        strategy = strategies.create(
            topic,
            "semantic",
            resources=found,
            cache_dir=cache_dir(settings),
            segmenter=settings.get("TOPICAL_SEGMENTER"),
            seed=settings.getint("TOPICAL_SEED"),
            progress=lambda part, what: display.update(task, completed=part, description=what, visible=True),
        )
    constants = topic.parameters.get("semantic", {}).get("similarity", {})
    parameters = strategies.read_parameters(SimilarityParameters, constants, topic, "strategy.semantic.similarity", SIMILARITY)
    similarity = WordSimilarity.from_resources(found, parameters, cache_dir(settings))
    needed = strategies.NEEDS["semantic"]
    missing = tuple(r for r in found.missing() if r.name in needed)
    return Opened(cast(Semantic, strategy), similarity, found, missing)


def console() -> Console:
    """Standard output, no wider than :data:`WIDTH`."""
    out = Console()
    out.width = min(out.width, WIDTH)
    return out
