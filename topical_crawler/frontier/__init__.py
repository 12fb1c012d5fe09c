"""The frontier: what waits, in which order it is given out, and what became of it (contract in :mod:`base`).

What it offers is imported from the modules that define it: :class:`~topical_crawler.frontier.redis.RedisFrontier` takes 12 MB
that a crawl with a file does not need.
"""
