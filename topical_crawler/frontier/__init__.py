"""The frontier: queue, order, and outcomes of a crawl's URLs (contract in :mod:`base`).

Import its parts from their own modules. :class:`~topical_crawler.frontier.redis.RedisFrontier` would take 12 MB in every crawl
with a file.
"""
