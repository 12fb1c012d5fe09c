"""A topical crawler for Chinese corpora.

The library part works without Scrapy::

    from topical_crawler import Page, load_topic, strategies
"""

from topical_crawler.page import Candidate, Evidence, Link, Page, Verdict
from topical_crawler.topic import Topic, TopicError, load_topic
from topical_crawler.version import __version__

__all__ = ["Candidate", "Evidence", "Link", "Page", "Topic", "TopicError", "Verdict", "__version__", "load_topic"]
