"""Fetching of single pages as in a crawl, by Scrapy's engine with the project's settings.

Nothing is written: no frontier, no corpus, no cache of pages.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.settings import Settings
from twisted.python.failure import Failure

from topical_crawler.config import check_replay, cleaning_options, extraction_limits, extractor, longest_crawl_delay, replay_file
from topical_crawler.corpus.make import Maker
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.extraction.pool import ExtractPool
from topical_crawler.items import PageItem, now_utc
from topical_crawler.project import AnySettings, scrapys
from topical_crawler.recordings.reader import RecordingError
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page
from topical_crawler.web.urls import host, is_url
from topical_crawler.workers import Worker, WorkerDied, WorkerLate

Kind = Literal["URL", "HTML file", "text file", "text"]

_MARKUP = re.compile(r"<(?:!doctype|html|head|body|title|meta)\b", re.IGNORECASE)
_PATH = re.compile(r"[./~\\]\S*[/\\]\S*|\S*\.(?:s?html?|txt)", re.IGNORECASE)
_HEAD = 4096
_EXTRA = 30.0
"""Seconds for start and end of the engine, beyond the time allowed for requests."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Result of fetching one address.

    Attributes:
        url: requested address. ``page.url`` is the address after redirects.
        page: the page, or None.
        text: main text without boilerplate, as in a corpus, or "".
        reason: reason for a missing page or text, as in a crawl's report ("robots.txt", "HTTP 404", "near-empty" …), else "".
        fields: fields of its record.
    """

    url: str
    page: Page | None
    text: str = field(default="", repr=False)
    reason: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False)


def kind_of(given: str) -> Kind:
    """Return the kind of source named by ``given``: a URL, an HTML or text file, or a text itself.

    Raises:
        FileNotFoundError: ``given`` looks like a path, but there is no such file.

    >>> kind_of("http://www.example.cn/"), kind_of("深入开展主题教育")
    ('URL', 'text')
    """
    if is_url(given):
        return "URL"
    try:
        is_file = Path(given).expanduser().is_file()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        is_file = False
    if is_file:
        return "HTML file" if _MARKUP.search(read_file(given)[0][:_HEAD]) else "text file"
    if _PATH.fullmatch(given):
        raise FileNotFoundError(f"{given}: there is no such file. Correct the path, or start a URL with http:// or https://")
    return "text"


def read_file(path: str) -> tuple[str, str]:
    """Return the text of a file in any Chinese encoding, and that encoding."""
    return decode(Path(path).expanduser().read_bytes())


def fetch_pages(urls: Sequence[str], settings: AnySettings) -> list[Fetched]:
    """Fetch pages with their main texts.

    Requests go through Scrapy's engine with the project's settings: robots.txt and its Crawl-delay are obeyed, sizes, times and
    redirects are bounded, and with ``TOPICAL_REPLAY`` the recording answers. The engine runs in a process of its own, because an
    event loop starts only once in a process, so this function can be called repeatedly.

    Args:
        urls: addresses, or paths of local HTML files.
        settings: the project's.

    Returns:
        One result for each of ``urls``, in their order. Failures have a reason and raise no exception.
    """
    addresses = [url for url in dict.fromkeys(urls) if is_url(url)]
    found = {path: _read_page(path) for path in urls if path not in addresses}
    if addresses:
        found |= dict(zip(addresses, _by_engine(addresses, settings), strict=True))
    texts = asyncio.run(_texts({u: p for u, (p, _) in found.items() if p is not None}, settings))
    return [Fetched(u, found[u][0], *texts.get(u, ("", found[u][1]))) for u in urls]


def _read_page(path: str) -> tuple[Page | None, str]:
    try:
        html, encoding = read_file(path)
    except (OSError, ValueError) as error:
        return None, f"no file that can be read: {getattr(error, 'strerror', '') or error}"
    return Page.from_html(Path(path).expanduser().resolve().as_uri(), html, encoding), ""


def _by_engine(addresses: Sequence[str], settings: AnySettings) -> list[tuple[Page | None, str]]:
    if replay_file(settings):
        try:
            check_replay(settings)
        except RecordingError as error:
            return [(None, f"nothing to replay: {error}")] * len(addresses)
    once = settings.getfloat("DOWNLOAD_TIMEOUT") + settings.getfloat("DOWNLOAD_DELAY") + longest_crawl_delay(settings)
    # Every page may need its robots.txt, and both their retries.
    patience = _EXTRA + 2 * len(addresses) * (1 + settings.getint("RETRY_TIMES")) * once
    with closing(Worker(run_engine, load_engine)) as worker:
        try:
            return worker.run(patience, list(addresses), scrapys(settings))
        except WorkerLate:
            reason = "timed out"
        except WorkerDied:
            reason = "the fetching process died"
    return [(None, reason)] * len(addresses)


async def _texts(pages: Mapping[str, Page], settings: AnySettings) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Return (text, reason, fields) by address, extracted and cleaned as in a crawl without any known lines of sites."""
    maker = Maker(None, cleaning_options(settings))
    texts = {}
    with closing(ExtractPool(*extraction_limits(settings), extractor=extractor(settings))) as pool:
        for url, page in pages.items():
            extracted = await pool.extract(page.html, page.url, now_utc())
            anchors = [link.anchor for link in page.links]
            made = maker.make(host(page.url), extracted, anchors=anchors, title=page.title)
            texts[url] = "" if made.reason else made.fields["text"], made.reason, made.fields
    return texts


class PageSpider(TopicalSpider):
    """Spider reading pages like the topical spider, without following links."""

    name = "pages"

    def __init__(self, addresses: Sequence[str], found: dict[str, tuple[Page | None, str]], **kwargs: Any) -> None:
        Spider.__init__(self, **kwargs)  # without a crawl for the topical spider
        self.addresses = addresses
        self.found = found

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> PageSpider:
        spider = cls(*args, **kwargs)
        spider._set_crawler(crawler)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        for url in self.addresses:
            yield Request(url, self.parse, errback=self.failed, meta={"topical": seed_entry(url)}, dont_filter=True)

    def parse(self, response: Response, **kwargs: Any) -> None:  # type: ignore[override]
        self._note(super().parse(response, **kwargs))

    def failed(self, failure: Failure) -> None:  # type: ignore[override]
        self._note(super().failed(failure))

    def _note(self, items: Iterable[PageItem]) -> None:
        for item in items:
            self.found[item.entry.url] = item.page, item.reason


class CrawlDelay:
    """Extension obeying the Crawl-delay of robots.txt, read but ignored by Scrapy."""

    def __init__(self, crawler: Crawler) -> None:
        if replay_file(crawler.settings):
            raise NotConfigured
        self._crawler = crawler
        crawler.signals.connect(self.robots, signals.robots_parsed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CrawlDelay:
        return cls(crawler)

    def robots(self, robotparser: RobotParser, request: Request) -> None:
        """Slow down the requests to one host."""
        settings = self._crawler.settings
        delay = robotparser.crawl_delay(settings.get("ROBOTSTXT_USER_AGENT") or settings["USER_AGENT"])
        engine = self._crawler.engine
        if delay is None or engine is None:
            return
        slot = engine.downloader.slots.get(engine.downloader.get_slot_key(request))
        if slot is not None:  # the slot of the request for robots.txt
            slot.delay = max(slot.delay, min(float(delay), longest_crawl_delay(settings)))


def run_engine(addresses: list[str], settings: Settings) -> list[tuple[Page | None, str]]:
    """Fetch ``addresses`` by an engine in this process. Only works once in a process."""
    for name, value in _ALONE.items():
        settings.set(name, value, priority="cmdline")
    found: dict[str, tuple[Page | None, str]] = {}
    process = AsyncCrawlerProcess(settings)
    process.crawl(PageSpider, addresses=addresses, found=found)
    process.start(install_signal_handlers=False)
    return [found.get(url, (None, "no answer")) for url in addresses]


def load_engine() -> None:
    """Import the needs of :func:`run_engine`, already done by importing this module."""


_ALONE: Mapping[str, Any] = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "JOBDIR": None,
    "SPIDER_MIDDLEWARES": {},
    "ITEM_PIPELINES": {},
    "EXTENSIONS": {"topical_crawler.cli.topic.fetch_pages.CrawlDelay": 500},
    "FEEDS": {},
    "HTTPCACHE_ENABLED": False,
    "LOG_ENABLED": False,
    "LOG_FILE": None,
}
"""Settings of an engine for fetching only, without the other parts of a crawl, writing nothing."""
