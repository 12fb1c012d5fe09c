"""CPU of trafilatura's focused_crawler on a recorded site: python benchmarks/focused_crawler.py WEB.warc.gz HOMEPAGE [--pages N]

It crawls within one site, and is answered out of the recording, in this process and without a network, which costs it less than
the download handler costs the crawls of `benchmarks/crawl.py`. It gives addresses only; as its documentation goes on, trafilatura
then extracts the pages, here those that it has visited and so has at hand. Both are in the figure.
"""

from __future__ import annotations

import argparse
import time
from configparser import ConfigParser
from copy import deepcopy
from typing import Any
from urllib.parse import urljoin

import trafilatura
from trafilatura import spider
from trafilatura.downloads import Response
from trafilatura.settings import DEFAULT_CONFIG

from topical_crawler.recordings.reader import Recording

MOST_REDIRECTS = 5


class Web:
    """Answers trafilatura's downloads, and keeps the pages that it has given.

    Attributes:
        pages: their sources by address.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.pages: dict[str, bytes] = {}

    def response(self, url: str, **_: Any) -> Response | None:
        """In place of ``fetch_response``."""
        for _ in range(MOST_REDIRECTS):
            found = self._recording.get(url)
            if found is None or found.status >= 400:
                return None
            if not (target := found.header("Location")):
                self.pages[url] = found.body
                return Response(found.body, found.status, url)
            url = urljoin(url, target)
        return None

    def source(self, url: str, **_: Any) -> str | None:
        """In place of ``fetch_url``."""
        found = self.response(url)
        return None if found is None else str(trafilatura.utils.decode_file(found.data))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web")
    parser.add_argument("homepage")
    parser.add_argument("--pages", type=int, default=500)
    options = parser.parse_args()
    config: ConfigParser = deepcopy(DEFAULT_CONFIG)
    config["DEFAULT"]["SLEEP_TIME"] = "0"
    with Recording(options.web) as recording:
        web = Web(recording)
        spider.fetch_response, spider.fetch_url = web.response, web.source
        start = time.process_time()
        spider.focused_crawler(options.homepage, max_seen_urls=options.pages, max_known_urls=1_000_000, config=config)
        crawled = time.process_time()
        texts = sum(bool(trafilatura.extract(source, url=url)) for url, source in web.pages.items())
        end = time.process_time()
    visited = max(1, len(web.pages))
    print(f"{len(web.pages)} pages, {texts} with a text: {1000 * (crawled - start) / visited:.1f} ms of CPU a page to crawl,")
    print(f"{1000 * (end - crawled) / visited:.1f} to extract, {1000 * (end - start) / visited:.1f} in all")


if __name__ == "__main__":
    main()
