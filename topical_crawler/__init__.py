"""A topical crawler for Chinese corpora.

The library part works without Scrapy::

    from topical_crawler import Page, load_topic, strategies
"""

from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, load_topic
from topical_crawler.version import __version__
from topical_crawler.web.page import Candidate, Evidence, Link, Page, Verdict

__all__ = ["Candidate", "Evidence", "Link", "Page", "Topic", "TopicError", "Verdict", "__version__", "load_topic"]
