"""Commands shared with Scrapy: ``topical-crawler crawl`` is also ``scrapy crawl``. Scrapy imports all of them at every start."""

import sys


def program() -> str:
    """Return the running program, ``topical-crawler`` or ``scrapy``."""
    return "topical-crawler" if sys.argv[0] == "topical-crawler" else "scrapy"
