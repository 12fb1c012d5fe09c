"""Opening a crawl: its claim of topic and strategy, and its frontier."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable
from typing import Any

from topical_crawler import __version__
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.options import CrawlError, CrawlOptions
from topical_crawler.files import replacing
from topical_crawler.frontier.base import Frontier
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.items import now_utc
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import Strategy
from topical_crawler.topic.topic import Topic

logger = logging.getLogger(__name__)


def open_frontier(options: CrawlOptions, topic: Topic) -> Frontier:
    """Open the frontier named in the options.

    Raises:
        CrawlError: unknown kind of frontier, or a different crawl in Redis under this name.
        FrontierFileError, FrontierServerError: the frontier cannot be used.
    """
    bounds = (options.delay, options.in_flight_per_host, options.max_waiting)
    if options.frontier == "sqlite":
        return SqliteFrontier(CrawlFolder(options.data_dir).frontier, *bounds)
    if options.frontier == "redis":
        from topical_crawler.frontier.redis import RedisFrontier

        assert options.redis is not None  # set for this kind of frontier
        frontier = RedisFrontier(
            options.redis,
            options.name,
            *bounds,
            max_pages=options.max_pages,
            lease=options.lease,
            worker=options.worker,
            patience=options.patience,
            parts=options.parts,
        )
        try:
            _claim_shared(frontier, topic, options)
        except BaseException:
            frontier.close()
            raise
        return frontier
    raise CrawlError(f"TOPICAL_FRONTIER={options.frontier!r}: there is no such frontier. Set it to sqlite or redis")


def claim_folder(folder: CrawlFolder, topic: Topic, options: CrawlOptions) -> None:
    """Write the crawl's topic and strategy to its folder, or refuse a folder claimed by another topic or strategy.

    Raises:
        CrawlError: the claim differs or is damaged.
    """
    file, mine = folder.claim_file, _claim(topic, options)
    if file.is_file():
        try:
            known = dict(json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise CrawlError(f"{file}: damaged. Delete it: the crawl beside it continues without it") from None
        _compare(known, mine, str(folder.path), "Choose another directory (-s TOPICAL_DATA_DIR=DIR)")
        return
    with replacing(file) as out:
        out.write(json.dumps(mine, ensure_ascii=False, indent=1) + "\n")


def _claim_shared(frontier: Frontier, topic: Topic, options: CrawlOptions) -> None:
    """Claim a crawl in Redis likewise. All workers must also have the same edition of the topic, the basis of their verdicts."""
    mine = {**_claim(topic, options), "edition": edition(topic)}
    known = frontier.journal.agree("claim", mine)
    _compare(known, mine, f"Redis, under the name {options.name!r},", "Name another crawl (-s TOPICAL_CRAWL=NAME)")
    if known["edition"] != mine["edition"]:
        if frontier.status().details["workers"] > 1:
            raise CrawlError(
                f"the other workers of the crawl {options.name!r} have another edition of the topic {topic.name!r}. Give "
                f"all of them the same files. To change the topic, stop them first (topical-crawler frontier stop)"
            )
        logger.warning("The topic %r has changed since the crawl began; continuing with the new edition", topic.name)
        frontier.journal.save("claim", mine)
    if (version := known["version"]) != __version__:
        logger.warning("The crawl was begun by version %s of the program; this worker is version %s", version, __version__)


def _claim(topic: Topic, options: CrawlOptions) -> dict[str, Any]:
    return {
        "topic": topic.name,
        "source": topic.source,
        "strategy": options.strategy or topic.default_strategy,
        "seed": options.seed,
        "version": __version__,
        "started": now_utc(),
    }


def _compare(known: dict[str, Any], mine: dict[str, Any], place: str, remedy: str) -> None:
    if known.get("topic") != mine["topic"]:
        raise CrawlError(f"{place} holds a crawl of the topic {known.get('topic')!r}, not {mine['topic']!r}. {remedy}")
    if known.get("strategy") != mine["strategy"]:
        raise CrawlError(
            f"{place} holds a crawl by the strategy {known.get('strategy')!r}, not {mine['strategy']!r}: strategies cannot "
            f"use each other's learned state. {remedy}"
        )


def edition(topic: Topic) -> str:
    """Return a digest of everything in a topic that affects a verdict or a priority."""
    marked = [(text.url, text.title, text.text, text.on_topic) for text in topic.marked]
    content = [sorted(topic.terms.items()), sorted(topic.weights.items()), topic.parameters, topic.model, topic.documents, marked]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True, default=str).encode()).hexdigest()[:16]


def log_missing(strategy: Strategy, resources: Resources) -> None:
    """Log the missing resources of a strategy, their cost in quality, and the commands to install them. The crawl runs without
    them.
    """
    for resource in resources.missing():
        if resource.name in strategy.needs:
            level = logging.WARNING if resource.archive else logging.INFO  # no command installs the others
            logger.log(level, "Going on without %s (%s). %s", resource.name, resource.title, resource.cost)


def log_progress() -> Callable[[float, str], None]:
    """Return a progress callback for at most one log line every 5 seconds."""
    last = time.monotonic()

    def log(part: float, what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= 5.0:
            last = time.monotonic()
            logger.info("%s: %.0f %%", what, 100 * part)

    return log
