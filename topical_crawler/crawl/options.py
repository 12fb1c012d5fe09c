"""The options of a crawl."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.meaning import BUNDLED
from topical_crawler.text.segment import Backend

if TYPE_CHECKING:
    import redis


SEARCH = "{keyword}"
"""Placeholder for a word in a search URL."""


def search_urls(searches: Iterable[str], words: Iterable[str]) -> list[str]:
    """Return the search URLs for the words.

    >>> search_urls(["http://a.cn/?q={keyword}"], ["手机"])
    ['http://a.cn/?q=%E6%89%8B%E6%9C%BA']
    """
    words = list(words)
    return [search.replace(SEARCH, quote(word)) for search in searches for word in words]


PAGES_A_SITE, SHARE = 10, 0.05
"""Least pages of a survey per site, and its share of the crawl's page limit."""


def survey_pages(sites: int, pages: int) -> int:
    """Return the number of pages in a survey of ``sites`` sites, for a crawl limited to ``pages`` (0: no limit).

    >>> survey_pages(3, 200), survey_pages(3, 10_000)
    (30, 500)
    """
    return max(PAGES_A_SITE * sites, int(SHARE * pages))


class CrawlError(Exception):
    """A crawl cannot be opened. The message gives the cause and the fix."""


@dataclass(frozen=True)
class CrawlOptions:
    """All options of a crawl, read once from the settings and the spider arguments (docs/settings.md)."""

    topic: str
    name: str
    data_dir: Path
    cache_dir: Path | None
    corpus: str
    strategy: str | None
    frontier: str
    segmenter: Backend
    seed: int
    hosts: tuple[str, ...]
    max_depth: int
    max_pages: int
    max_pages_per_host: int
    max_links: int
    trap_pages: int
    barren_pages: int
    barren_leave: int
    barren_end: int | None
    rescore: int
    delay: float
    in_flight: int
    in_flight_per_host: int
    searches: tuple[str, ...] = ()  # start URLs with the placeholder {keyword}
    model: str = ""
    encoder: str = BUNDLED
    second_look_megabytes: int = 0
    max_waiting: int = 0
    worker: str = ""
    lease: float = 120.0
    patience: float = 60.0
    idle: float = 0.0
    redis: redis.Redis | None = None  # for a frontier in Redis
    parts: int | None = None  # for a new crawl in Redis; None: chosen by the kind of server
    start_urls_key: str = ""
    cleaning: CleaningOptions = field(default_factory=CleaningOptions)
    rest: float = 60.0  # seconds of a host's first back-off
    obey_nofollow: bool = True
    survey: bool = False  # sample each site, then stop
    refresh: float | None = None  # seconds since the last visit before hubs are revisited; None: no refresh
    sitemaps: int = 0  # kept texts of a host before its sitemaps are read; 0: never
    feeds: int = 0  # likewise for its feeds
    documents: tuple[str, ...] = ()  # attachment formats to read
    allow_private: tuple[str, ...] = ()  # hosts outside the public web that may be visited, with or without a port; "all"
