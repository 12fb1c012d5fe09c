"""Options of a crawl that bounds nothing, for tests of a part of it."""

from pathlib import Path
from typing import Any

from topical_crawler.crawl.options import CrawlOptions

_UNBOUNDED: dict[str, Any] = {
    "topic": "party", "name": "party", "data_dir": Path("data"), "cache_dir": None, "corpus": "", "strategy": None,
    "frontier": "sqlite", "segmenter": "jieba", "seed": 0, "hosts": (), "max_depth": 0, "max_pages": 0, "max_links": 100,
    "max_pages_per_host": 0, "trap_pages": 0, "barren_pages": 0, "barren_leave": 0, "barren_end": 0, "rescore": 3, "delay": 0.0,
    "in_flight": 1, "in_flight_per_host": 1,
}  # fmt: skip


def options(**values: Any) -> CrawlOptions:
    """The options, with ``values`` in place of some."""
    return CrawlOptions(**{**_UNBOUNDED, **values})
