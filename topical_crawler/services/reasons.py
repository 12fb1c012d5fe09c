"""The strategy of a topic for inspection, and reasons for the order of a crawl's queue."""

from __future__ import annotations

from pathlib import Path

from topical_crawler import strategies
from topical_crawler.config import cache_dir, encoder, random_seed, resources, segmenter
from topical_crawler.crawl.checkpoints import restore
from topical_crawler.crawl.mailbox import Answer
from topical_crawler.crawl.opening import edition
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import Known, Request, perform
from topical_crawler.frontier.base import Frontier, FrontierServerError
from topical_crawler.frontier.sqlite import FrontierFileError
from topical_crawler.project import AnySettings
from topical_crawler.resources.registry import Resources
from topical_crawler.services import Progress
from topical_crawler.services.reach import Reached
from topical_crawler.strategies import Strategy
from topical_crawler.topic.topic import Topic, load_topic


def make_strategy(
    topic: Topic,
    name: str,
    language: Resources,
    settings: AnySettings,
    seed: int | None = None,
    progress: Progress = None,
) -> Strategy:
    """Create a topic's strategy as in a crawl with these settings.

    Args:
        topic, name: topic, and name of the strategy.
        language: resources available to it.
        settings: the project's.
        seed: seed of its random choices. None: the one in the settings.
        progress: callback while tables are built.

    Raises:
        TopicError: a parameter of the topic cannot be read.
        ValueError: there is no such strategy, or a resource cannot be read.
    """
    return strategies.create(
        topic,
        name,
        resources=language,
        cache_dir=cache_dir(settings),
        segmenter=segmenter(settings),
        encoder=encoder(settings),
        seed=random_seed(settings) if seed is None else seed,
        progress=progress,
    )


def ask_for_reasons(crawl: Reached, request: Request, settings: AnySettings, progress: Progress = None) -> Answer:
    """Return the answer to the ``request`` "top" with "reasons" for each entry, as in the crawl if the settings are the same.

    If no strategy can be created, a "note" gives the cause, and the queue comes without reasons. Raises SteeringError,
    CrawlError or FrontierFileError like :meth:`Reached.ask`.
    """
    request = {**request, "reasons": True}
    answer = crawl.ask(request)
    if crawl.runs or not answer["entries"]:
        return answer
    # Leave the crawl unlocked while the strategy is created, so that it can start.
    try:
        claim = crawl.claim()
        source, name = str(claim.get("source", "")), str(claim.get("topic", ""))
        if not name or not claim.get("strategy"):
            raise ValueError(f"{crawl.name}: its topic and strategy are unknown")
        topic = load_topic(source if source and Path(source).is_dir() else name)
        language = resources(settings) or Resources.none()
        strategy = make_strategy(topic, str(claim["strategy"]), language, settings, int(claim.get("seed", 0)), progress)

        def explained(frontier: Frontier) -> Answer:
            restore(strategy, frontier)
            return perform(frontier, request, Known(explain=strategy.explain))

        answer = crawl.look(explained)
    except (FrontierFileError, FrontierServerError):
        raise
    except Exception as error:  # such as a moved topic, or an unreadable resource or checkpoint
        message = str(error) if isinstance(error, ValueError | OSError | CrawlError) else f"{type(error).__name__}: {error}"
        return {**answer, "note": f"no reasons: {message}"}
    if claim.get("edition", here := edition(topic)) == here:
        return answer
    return {**answer, "note": "the topic's files here differ from the crawl's: its own reasons may differ"}
