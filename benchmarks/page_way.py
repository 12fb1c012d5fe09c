"""The way of a fetched page: which modules of the package run code for each page of a crawl.

    python benchmarks/page_way.py

The crawl replays 20 pages of the demo web with the default strategy. What runs once a page is finished counts, until the last
page is done; start-up, lazy imports and shutdown do not. The extraction, which has a process of its own, is run in this one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from topical_crawler import scheduler
from topical_crawler.cleaning.boilerplate import default_patterns
from topical_crawler.extraction import Extracted, extract
from topical_crawler.extraction.pool import ExtractPool
from topical_crawler.spiders.topical import TopicalSpider

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "topical_crawler"


async def extract_here(pool: ExtractPool, html: str, url: str, fetched: str = "", anchors: Sequence[str] = ()) -> Extracted:
    """Extract in this process, where the profile sees it."""
    return extract(html, url, pool.max_html, fetched, anchors)


def files_of_pages(pages: int, strategy: str) -> Counter[str]:
    """Files of the package that run code from the end of the first page to that of page number ``pages``, and for how many of
    the pages each does."""
    counts: Counter[str] = Counter()
    codes: set[tuple[str, str]] = set()
    finished = 0

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add((frame.f_code.co_filename, frame.f_code.co_name))

    def item_scraped(item: object) -> None:
        nonlocal finished
        finished += 1
        calls = codes.copy()  # at once: the profile goes on
        ours = {file for file, name in calls if file.startswith(f"{PACKAGE}/") and name != "<module>"}
        if 1 < finished <= pages:
            counts.update(str(Path(file).relative_to(ROOT)) for file in ours)
        codes.clear()

    default_patterns()  # else read when the first text is cleaned, which may be on any page
    settings = Settings()
    settings.setmodule("topical_crawler.settings")
    with tempfile.TemporaryDirectory() as folder:
        given = {
            "TOPICAL_REPLAY": str(ROOT / "demo/demo-web.warc.gz"), "TOPICAL_DATA_DIR": folder, "TOPICAL_CACHE_DIR": folder,
            "TOPICAL_RESOURCES": False, "TOPICAL_DISPLAY": "off", "LOG_ENABLED": False, "CONCURRENT_REQUESTS": 1,
        }  # fmt: skip
        for name, value in given.items():
            settings.set(name, value, priority="cmdline")
        process = AsyncCrawlerProcess(settings)
        crawler = process.create_crawler(TopicalSpider)
        crawler.signals.connect(item_scraped, signals.item_scraped)
        arguments = {"topic": "partybuilding", "seeds": str(ROOT / "demo/seeds.txt"), "pages": pages}
        process.crawl(crawler, **arguments, **({"strategy": strategy} if strategy else {}))
        threading.setprofile(profile)
        sys.setprofile(profile)
        process.start(install_signal_handlers=False)
        sys.setprofile(None)
    if finished < pages:
        raise SystemExit(f"page_way: only {finished} of {pages} pages came")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20, help="pages of the crawl (default: %(default)s)")
    parser.add_argument("--strategy", default="", help="default: the one that a crawl has by default")
    options = parser.parse_args()
    ExtractPool.extract = extract_here  # type: ignore[method-assign]
    scheduler.TICK = 3600.0  # what happens once a second happens for no page
    files = files_of_pages(options.pages, options.strategy)
    print("pages  file", *(f"{n:5}  {file}" for file, n in sorted(files.items())), sep="\n")
    usual = sum(2 * n >= options.pages - 1 for n in files.values())
    print(f"\n{len(files)} files run code for any page, {usual} for half of the pages or more")


if __name__ == "__main__":
    main()
