"""Opening a crawl: which topic and strategy it belongs to, and which frontier it has."""

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
    """The frontier that the options name.

    Raises:
        CrawlError: there is no such kind, or the crawl in Redis is another one.
        FrontierFileError, FrontierServerError: it cannot be used.
    """
    bounds = (options.delay, options.in_flight_per_host, options.max_waiting)
    if options.frontier == "sqlite":
        return SqliteFrontier(CrawlFolder(options.data_dir).frontier, *bounds)
    if options.frontier == "redis":
        from topical_crawler.frontier.redis import RedisFrontier

        assert options.redis is not None  # it comes with the kind of frontier
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
    raise CrawlError(f"TOPICAL_FRONTIER={options.frontier!r}: there is no such frontier. Remedy: sqlite or redis")


def claim_folder(folder: CrawlFolder, topic: Topic, options: CrawlOptions) -> None:
    """Note the crawl's topic and strategy in its folder; refuse a folder with the crawl of another one."""
    file, mine = folder.claim_file, _claim(topic, options)
    if file.is_file():
        try:
            known = dict(json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise CrawlError(f"{file}: damaged. Remedy: delete it; the crawl beside it goes on all the same") from None
        _compare(known, mine, str(folder.path), "choose another directory (-s TOPICAL_DATA_DIR=DIR)")
        return
    with replacing(file) as out:
        out.write(json.dumps(mine, ensure_ascii=False, indent=1) + "\n")


def _claim_shared(frontier: Frontier, topic: Topic, options: CrawlOptions) -> None:
    """The same for a crawl in Redis. Its workers must also have the same edition of the topic, by which each judges."""
    mine = {**_claim(topic, options), "edition": edition(topic)}
    known = frontier.journal.agree("claim", mine)
    _compare(known, mine, f"Redis, under the name {options.name!r},", "name another crawl (-s TOPICAL_CRAWL=NAME)")
    if known["edition"] != mine["edition"]:
        if frontier.status().details["workers"] > 1:
            raise CrawlError(
                f"the other workers of the crawl {options.name!r} have another edition of the topic {topic.name!r}. Remedy: give "
                f"all of them the same files; to change the topic, stop them first (topical-crawler frontier stop)"
            )
        logger.warning("The topic %r has changed since the crawl began; it goes on with the new edition", topic.name)
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
        raise CrawlError(f"{place} holds a crawl of the topic {known.get('topic')!r}, not {mine['topic']!r}. Remedy: {remedy}")
    if known.get("strategy") != mine["strategy"]:
        raise CrawlError(
            f"{place} holds a crawl by the strategy {known.get('strategy')!r}, not {mine['strategy']!r}: what one has learned "
            f"says nothing to the other. Remedy: {remedy}"
        )


def edition(topic: Topic) -> str:
    """Digest of everything in a topic that a verdict or a priority depends on."""
    marked = [(text.url, text.title, text.text, text.on_topic) for text in topic.marked]
    content = [sorted(topic.terms.items()), sorted(topic.weights.items()), topic.parameters, topic.model, topic.documents, marked]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True, default=str).encode()).hexdigest()[:16]


def warn_missing(strategy: Strategy, resources: Resources) -> None:
    """Log which resources of a strategy are not installed, what that costs, and how to get them. The crawl goes on without."""
    for resource in resources.missing():
        if resource.name in strategy.needs:
            level = logging.WARNING if resource.archive else logging.INFO  # no command fetches the others
            logger.log(level, "Going on without %s (%s). %s", resource.name, resource.title, resource.cost)


def log_progress() -> Callable[[float, str], None]:
    """A progress callback that logs a line at most every 5 seconds."""
    last = time.monotonic()

    def log(part: float, what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= 5.0:
            last = time.monotonic()
            logger.info("%s: %.0f %%", what, 100 * part)

    return log
