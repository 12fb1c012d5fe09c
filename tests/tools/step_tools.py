"""Crawls in this process, page by page, without a server."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import Settings

from topical_crawler.crawl.crawl import Crawl
from topical_crawler.frontier.base import Entry
from topical_crawler.items import PageItem, now_utc
from topical_crawler.middlewares import judge
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.web.page import Page


def open_crawl(topic: Path, data: Path, **options: object) -> Crawl:
    """As a worker opens it; upper-case ``options`` are settings, others spider arguments. No seed is pushed."""
    given = Settings()
    given.setmodule("topical_crawler.settings", priority="project")
    settings: dict[str, object] = {"TOPICAL_DATA_DIR": data, "TOPICAL_RESOURCES": 0, "TOPICAL_CACHE_DIR": data / "cache"}
    settings |= {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": 1}
    arguments: dict[str, object] = {"topic": str(topic), "seeds": "http://a.example/"}
    for name, value in options.items():
        (settings if name.isupper() else arguments)[name] = value
    given.update(settings)
    return TopicalSpider.open_crawl(given, arguments)[0]


def next_entry(crawl: Crawl) -> Entry:
    entry = crawl.next(0.0)
    assert entry is not None
    return entry


def finish(crawl: Crawl, entry: Entry, page: Page | None, size: int = 0) -> PageItem:
    """Judge and store a page that came, with its address as its text; or note that none did."""
    item = PageItem(entry, entry.url, now_utc(), 200, size, page=page)
    if page is None:
        item.reason = "HTTP 404"
    else:
        list(judge(crawl, item))
        item.text = f"{entry.url} 的正文"
    crawl.store_row(item)
    crawl.finish(item)
    return item
