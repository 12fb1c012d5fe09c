"""The commands that Scrapy has too: ``topical-crawler crawl``, also ``scrapy crawl``. Scrapy imports all at every start."""

import sys


def program() -> str:
    """The program whose command runs: ``topical-crawler`` or ``scrapy``."""
    return "topical-crawler" if sys.argv[0] == "topical-crawler" else "scrapy"
