"""The strategy of a topic, made for what looks at it, and why the links of a crawl's queue have their places."""

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
    """Make a strategy for a topic as a crawl with these settings would.

    Args:
        topic, name: of the strategy.
        language: what it may use.
        settings: the project's.
        seed: of its random choices; None: the one in the settings.
        progress: told of tables that have to be made first.

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
    """The answer to the ``request`` "top", each entry with its "reasons": the same as in the crawl if the settings are. A "note"
    says why there are none, or what is wrong with them: the queue is shown whether or not a strategy can be made. Raises
    SteeringError, CrawlError or FrontierFileError as :meth:`Reached.ask`."""
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
        language = resources(settings) or Resources.none()
        strategy = make_strategy(topic, str(claim["strategy"]), language, settings, int(claim.get("seed", 0)), progress)

        def explained(frontier: Frontier) -> Answer:
            restore(strategy, frontier)
            return perform(frontier, request, Known(explain=strategy.explain))

        answer = crawl.look(explained)
    except (FrontierFileError, FrontierServerError):
        raise
    except Exception as error:  # a topic that was moved, a resource or a checkpoint that cannot be read, in whatever way
        message = str(error) if isinstance(error, ValueError | OSError | CrawlError) else f"{type(error).__name__}: {error}"
        return {**answer, "note": f"no reasons: {message}"}
    if claim.get("edition", here := edition(topic)) == here:
        return answer
    return {**answer, "note": "the files of the topic here are not those of the crawl: its own reasons may be others"}
