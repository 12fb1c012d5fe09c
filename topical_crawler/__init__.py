"""A topical crawler for Chinese corpora.

The library part works without Scrapy::

    from topical_crawler import Page, load_topic, strategies
"""

__version__ = "0.1.0"  # first: packaging parses it without importing, and modules below import it

import pkgutil as _pkgutil
from typing import Any as _Any

from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, load_topic
from topical_crawler.web.page import Candidate, Evidence, Link, Page, Verdict

__all__ = ["Candidate", "Evidence", "Link", "Page", "Topic", "TopicError", "Verdict", "__version__", "load_topic"]


def __getattr__(name: str) -> _Any:
    """Import Scrapy's add-on on demand. Nothing else here imports Scrapy."""
    if name == "TopicalAddon":
        return _pkgutil.resolve_name("topical_crawler.addon:TopicalAddon")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
