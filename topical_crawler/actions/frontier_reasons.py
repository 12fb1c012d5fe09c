"""Why the links of a queue have their places: told by the crawl that runs, else by its strategy, made again as it was."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from topical_crawler.actions.frontier_reach import Reached
from topical_crawler.actions.semantic_setup import make_strategy
from topical_crawler.checkpoint import restore
from topical_crawler.config import resources
from topical_crawler.frontier import Frontier, FrontierFileError, FrontierServerError
from topical_crawler.mailbox import Answer
from topical_crawler.opening import edition
from topical_crawler.options import CrawlError
from topical_crawler.semantics.resources import Resources
from topical_crawler.steering import Request, perform
from topical_crawler.topic import load_topic


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
