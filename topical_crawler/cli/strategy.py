"""The strategy of a topic, made for an action that looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rich.progress import BarColumn, TaskProgressColumn, TextColumn
from scrapy.settings import BaseSettings

from topical_crawler import strategies
from topical_crawler.cli.frontier.reach import Reached
from topical_crawler.cli.terminal import progress
from topical_crawler.config import cache_dir, resources
from topical_crawler.crawl.mailbox import Answer
from topical_crawler.crawl.opening import edition
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.session import restore
from topical_crawler.crawl.steering import Request, perform
from topical_crawler.frontier import Frontier, FrontierFileError, FrontierServerError
from topical_crawler.resources.registry import Resource, Resources
from topical_crawler.strategies import Strategy
from topical_crawler.strategies.semantic.similarity import WordSimilarity
from topical_crawler.strategies.semantic.strategy import Semantic, read_semantic_parameters
from topical_crawler.topic.topic import Topic, load_topic

# -- The strategy of a topic, made for an action that looks at it


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
    _, constants = read_semantic_parameters(topic)
    similarity = WordSimilarity.from_resources(found, constants, cache_dir(settings))
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
    with progress(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()) as display:
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
    needed = strategies.load(name).needs
    return tuple(resource for resource in found.missing() if resource.name in needed)


# -- Why the links of a queue have their places: told by the crawl that runs, else by its strategy, made again as it was


def ask_for_reasons(crawl: Reached, request: Request, settings: BaseSettings) -> Answer:
    """The answer to the action "top", each entry with its "reasons". A "note" says why there are none, or what is wrong with
    them: the queue is shown whether or not a strategy can be made.

    Args:
        crawl: whose queue it is.
        request: for "top".
        settings: the project's: those of the crawl, if the reasons are to be the same as in it.

    Raises:
        SteeringError, CrawlError, FrontierFileError: as by :meth:`Reached.ask`.
    """
    request = {**request, "reasons": True}
    answer = crawl.ask(request)
    if crawl.runs or not answer["entries"]:
        return answer
    # The crawl is left free to start while a strategy is made, which may take a while.
    try:
        claim = crawl.claim()
        source, name = str(claim.get("source", "")), str(claim.get("topic", ""))
        if not name or not claim.get("strategy"):
            raise ValueError(f"{crawl.name}: it does not say of which topic and strategy it is")
        topic = load_topic(source if source and Path(source).is_dir() else name)
        found = resources(settings) or Resources.none()
        strategy = make_strategy(topic, str(claim["strategy"]), found, settings, int(claim.get("seed", 0)))

        def explained(frontier: Frontier) -> Answer:
            restore(strategy, frontier)
            return perform(frontier, request, explain=strategy.explain)

        answer = crawl.look(explained)
    except (FrontierFileError, FrontierServerError):
        raise
    except Exception as error:  # a topic that was moved, a resource or a checkpoint that cannot be read, in whatever way
        said = str(error) if isinstance(error, ValueError | OSError | CrawlError) else f"{type(error).__name__}: {error}"
        return {**answer, "note": f"no reasons: {said}"}
    return {**answer, **_edition_note(claim, edition(topic))}


def _edition_note(claim: Mapping[str, Any], here: str) -> dict[str, str]:
    if claim.get("edition", here) == here:
        return {}
    return {"note": "the files of the topic here are not those of the crawl: its own reasons may be others"}
