"""What the components of Scrapy have in common: the crawl that they work for."""

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

ROBOTS_AWAY = "robots.txt cannot be had"  # the reason of a page whose host is given up


def crawl_of(crawler: Crawler) -> Crawl | None:
    """The crawl of a topical spider, or of another one that has the add-on; None for any other spider, whose requests and items
    pass through untouched."""
    crawl = getattr(crawler.spider, "crawl", None)
    return crawl if isinstance(crawl, Crawl) else getattr(crawler, "topical_crawl", None)


class CrawlComponent:
    """A component of Scrapy that is made of the crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)


@contextlib.contextmanager
def storing(crawl: Crawl) -> Iterator[None]:
    """Have the crawl fail where the frontier or the corpus cannot be asked or written. Its scheduler ends it then."""
    try:
        yield
    except STORAGE_ERRORS as error:
        crawl.fail(error)


def in_flight(crawler: Crawler, request: Request) -> tuple[Crawl, Entry] | None:
    """The crawl and the entry of a request whose page is in flight; None for any other request, such as for a robots.txt."""
    crawl, entry = crawl_of(crawler), request.meta.get("topical")
    return (crawl, entry) if crawl is not None and isinstance(entry, Entry) and entry.key in crawl.in_flight else None


def send_back(crawl: Crawl, entry: Entry, why: str, url: str = "", **meta: Any) -> NoReturn:
    """Have the page of an entry in flight wait in the frontier again, in its place, with what it is to remember. Raises
    SentBack."""
    crawl.retry(entry, url or entry.url, {**entry.meta, **meta})
    raise SentBack(why)


def give_back(crawler: Crawler, request: Request, **meta: Any) -> None:
    """Send the page of a request back until its host has rested. Where the request is none of a page in flight, or its host was
    given up, nothing happens."""
    if (page := in_flight(crawler, request)) is not None and page[1].host not in page[0].outages.given_up:
        crawl, entry = page
        with contextlib.suppress(LeaseLost):
            crawl.frontier.sent(entry.key, time.monotonic())  # the host's rest begins now
        send_back(crawl, entry, "waits until its host has rested", request.url, **meta)


def has_stalled(crawl: Crawl) -> bool:
    """Whether the crawl itself was busy so lately that answers did not come in time for that."""
    return crawl.progress.has_stalled(within=30.0)


def let_rest(crawl: Crawl, name: str, why: str, asked: float = 0.0, reached: bool = True) -> float | None:
    """Have a host rest, for every worker of the crawl; returns for how many seconds. None where it has rested so often that it is
    given up: its waiting links are dropped."""
    if not reached and not has_stalled(crawl) and crawl.outages.unreached(name):
        logger.warning("The network seems to be away (%s). The crawl waits until a host answers, and loses nothing", why)
    seconds = crawl.outages.next(name, crawl.policy.has_answered(name), asked)
    if seconds is None:
        crawl.outages.give_up(name, ROBOTS_AWAY if reached else HOST_AWAY)
        links = crawl.frontier.discard(HOST_AWAY, host=name)
        crawl.progress.note_dropped(HOST_AWAY, links)
        logger.warning("%s; it has rested too often and is given up, with %d links", why, links)
        return None
    crawl.frontier.set_delay(name, max(seconds, crawl.options.delay))
    if not crawl.outages.away:
        logger.info("%s; %s rests for %.3g s", why, name, seconds)
    return seconds
