"""CPU of a page with other crawlers on a recorded site: python benchmarks/other_crawlers.py CRAWLER WEB HOMEPAGE [--pages N]

    focused_crawler     trafilatura's. It gives addresses only; as its documentation goes on, trafilatura then extracts the pages,
                        here those that it has visited and so has at hand. Both are in the figure.
    crawl4ai            its breadth-first deep crawl with its defaults, which makes Markdown of every page, without a browser. It
                        is no dependency of this project: install it beside it, in an environment of its own.

Each crawls within one site, and is answered out of the recording, in this process and without a network, which costs it less than
the download handler costs the crawls of `benchmarks/crawl.py`. Importing is not in the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from configparser import ConfigParser
from copy import deepcopy
from importlib import import_module
from typing import Any
from urllib.parse import urljoin

from topical_crawler.recordings.reader import Recording

MOST_REDIRECTS = 5
MOST_LEVELS = 1000


class Web:
    """Answers downloads out of a recording, and keeps the pages that it has given.

    Attributes:
        pages: their sources by address.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.pages: dict[str, bytes] = {}

    def get(self, url: str) -> tuple[str, bytes] | None:
        """Address after redirects, and source; None where nothing is recorded."""
        for _ in range(MOST_REDIRECTS):
            found = self._recording.get(url)
            if found is None or found.status >= 400:
                return None
            if not (target := found.header("Location")):
                self.pages[url] = found.body
                return url, found.body
            url = urljoin(url, target)
        return None


def focused_crawler(web: Web, homepage: str, pages: int) -> int:
    """Crawl and extract with trafilatura; how many pages have a text."""
    import trafilatura
    from trafilatura import spider
    from trafilatura.downloads import Response
    from trafilatura.settings import DEFAULT_CONFIG

    def response(url: str, **_: Any) -> Response | None:
        return Response(found[1], 200, found[0]) if (found := web.get(url)) else None

    def source(url: str, **_: Any) -> str | None:
        return str(trafilatura.utils.decode_file(found[1])) if (found := web.get(url)) else None

    config: ConfigParser = deepcopy(DEFAULT_CONFIG)
    config["DEFAULT"]["SLEEP_TIME"] = "0"
    spider.fetch_response, spider.fetch_url = response, source
    spider.focused_crawler(homepage, max_seen_urls=pages, max_known_urls=1_000_000, config=config)
    return sum(bool(trafilatura.extract(source, url=url)) for url, source in web.pages.items())


def crawl4ai(web: Web, homepage: str, pages: int) -> int:
    """Crawl with crawl4ai; how many pages have a text."""
    from crawl4ai import AsyncWebCrawler, BFSDeepCrawlStrategy, CrawlerRunConfig
    from crawl4ai.async_crawler_strategy import AsyncCrawlerStrategy
    from crawl4ai.models import AsyncCrawlResponse

    class Recorded(AsyncCrawlerStrategy):
        async def __aenter__(self) -> Recorded:
            return self

        async def __aexit__(self, *_: object) -> None:
            pass

        async def crawl(self, url: str, **_: Any) -> AsyncCrawlResponse:
            if (found := web.get(url)) is None:
                raise OSError(f"{url} is not recorded")
            source = found[1].decode("utf-8", "replace")
            headers = {"content-type": "text/html"}
            return AsyncCrawlResponse(html=source, response_headers=headers, status_code=200, redirected_url=found[0])

    async def run() -> int:
        deep = BFSDeepCrawlStrategy(max_depth=MOST_LEVELS, max_pages=pages)
        config = CrawlerRunConfig(deep_crawl_strategy=deep, stream=True, verbose=False, mean_delay=0, max_range=0)
        texts = 0
        async with AsyncWebCrawler(crawler_strategy=Recorded(), verbose=False) as crawler:
            async for result in await crawler.arun(homepage, config=config):
                texts += bool(result.success and result.markdown and result.markdown.raw_markdown.strip())
        return texts

    return asyncio.run(run())


CRAWLERS = {"focused_crawler": (focused_crawler, "trafilatura.spider"), "crawl4ai": (crawl4ai, "crawl4ai")}
"""By name, what crawls, and the module that is imported before the time runs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crawler", choices=CRAWLERS)
    parser.add_argument("web", help="recording, .warc.gz")
    parser.add_argument("homepage", help="the address to begin at")
    parser.add_argument("--pages", type=int, default=500, help="most pages (500)")
    options = parser.parse_args()
    crawl, module = CRAWLERS[options.crawler]
    import_module(module)
    with Recording(options.web) as recording:
        web = Web(recording)
        start = time.process_time()
        texts = crawl(web, options.homepage, options.pages)
        spent = time.process_time() - start
    visited = max(1, len(web.pages))
    print(f"{len(web.pages)} pages, {texts} with a text: {1000 * spent / visited:.1f} ms of CPU a page")


if __name__ == "__main__":
    main()
