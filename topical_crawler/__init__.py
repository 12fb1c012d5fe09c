"""A topical crawler for Chinese corpora.

The library part works without Scrapy::

    from topical_crawler import Page, load_topic, strategies
"""

__version__ = "0.1.0"  # first: packaging reads it without importing, and modules below import it

from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, load_topic
from topical_crawler.web.page import Candidate, Evidence, Link, Page, Verdict

__all__ = ["Candidate", "Evidence", "Link", "Page", "Topic", "TopicError", "Verdict", "__version__", "load_topic"]
