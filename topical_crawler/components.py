"""Base class and helpers shared by Scrapy's components: access to the crawl they work for."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from typing import Any, NoReturn, Self

from scrapy import Request
from scrapy.crawler import Crawler

from topical_crawler.crawl.crawl import STORAGE_ERRORS, Crawl
from topical_crawler.failures import SentBack
from topical_crawler.frontier.base import HOST_AWAY, Entry, LeaseLost

logger = logging.getLogger(__name__)

ROBOTS_AWAY = "robots.txt cannot be had"  # reason of pages on a host given up for its robots.txt


def crawl_of(crawler: Crawler) -> Crawl | None:
    """Return the crawl of a topical spider or of a spider with the add-on.

    Return None for any other spider: its requests and items pass through unchanged.
    """
    crawl = getattr(crawler.spider, "crawl", None)
    return crawl if isinstance(crawl, Crawl) else getattr(crawler, "topical_crawl", None)


class CrawlComponent:
    """A Scrapy component built from its crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)


@contextlib.contextmanager
def storing(crawl: Crawl) -> Iterator[None]:
    """Fail the crawl on a storage error of the frontier, corpus or archive. The scheduler then ends the crawl."""
    try:
        yield
    except STORAGE_ERRORS as error:
        crawl.fail(error)


def in_flight(crawler: Crawler, request: Request) -> tuple[Crawl, Entry] | None:
    """Return the crawl and the entry of a request for a page in flight, or None for any other request, such as for robots.txt."""
    crawl, entry = crawl_of(crawler), request.meta.get("topical")
    return (crawl, entry) if crawl is not None and isinstance(entry, Entry) and entry.key in crawl.in_flight else None


def send_back(crawl: Crawl, entry: Entry, why: str, url: str = "", **meta: Any) -> NoReturn:
    """Requeue an entry in flight at its priority, with ``meta`` added.

    Raises:
        SentBack: always, to end the request.
    """
    crawl.retry(entry, url or entry.url, {**entry.meta, **meta})
    raise SentBack(why)


def give_back(crawler: Crawler, request: Request, **meta: Any) -> None:
    """Requeue the page of a request until its host's back-off ends. No-op for other requests and for hosts given up."""
    if (page := in_flight(crawler, request)) is not None and page[1].host not in page[0].outages.given_up:
        crawl, entry = page
        with contextlib.suppress(LeaseLost):
            crawl.frontier.sent(entry.key, time.monotonic())  # the host's back-off begins now
        send_back(crawl, entry, "waits until its host has rested", request.url, **meta)


def has_stalled(crawl: Crawl) -> bool:
    """Return True if the crawler itself was busy in the last 30 seconds, long enough to miss answers."""
    return crawl.progress.has_stalled(within=30.0)


def let_rest(crawl: Crawl, name: str, why: str, asked: float = 0.0, reached: bool = True) -> float | None:
    """Back off from a host, for all workers of the crawl, and return the seconds.

    Return None if the host is given up after too many back-offs, with its waiting links dropped.

    Args:
        crawl: the crawl.
        name: the host.
        why: cause, for the log.
        asked: least seconds, as requested by the host.
        reached: False for an unreachable host, a sign of a network outage.
    """
    if not reached and not has_stalled(crawl) and crawl.outages.unreached(name):
        logger.warning("The network seems to be down (%s). The crawl waits until a host answers, and loses nothing", why)
    seconds = crawl.outages.next(name, crawl.policy.has_answered(name), asked)
    if seconds is None:
        crawl.outages.give_up(name, ROBOTS_AWAY if reached else HOST_AWAY)
        links = crawl.frontier.discard(HOST_AWAY, host=name)
        crawl.progress.note_dropped(HOST_AWAY, links)
        logger.warning("%s; the host is given up after too many back-offs, with %d links", why, links)
        return None
    crawl.frontier.set_delay(name, max(seconds, crawl.options.delay))
    if not crawl.outages.away:
        logger.info("%s; backing off from %s for %.3g s", why, name, seconds)
    return seconds
