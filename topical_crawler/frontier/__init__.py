"""The frontier: what waits, in which order it is given out, and what became of it (contract in :mod:`base`).

:class:`~topical_crawler.frontier.redis.RedisFrontier` is imported from its module: 12 MB that a crawl with a file does not need.
"""

from topical_crawler.frontier.base import (
    CONNECTION_FAILED,
    HOST_AWAY,
    KEPT,
    MAX_EVIDENCE,
    NO_PAGES,
    NO_ROOM,
    SEED_PRIORITY,
    TIMED_OUT,
    UNKNOWN_HOST,
    UNREACHED,
    Entry,
    Frontier,
    FrontierServerError,
    Journal,
    LeaseLost,
    Next,
    Outcome,
    Pushed,
    State,
    Status,
)
from topical_crawler.frontier.sqlite import FrontierFileError, SqliteFrontier
from topical_crawler.web.urls import REDIRECTED

__all__ = [
    "CONNECTION_FAILED",
    "HOST_AWAY",
    "KEPT",
    "MAX_EVIDENCE",
    "NO_PAGES",
    "NO_ROOM",
    "REDIRECTED",
    "SEED_PRIORITY",
    "TIMED_OUT",
    "UNKNOWN_HOST",
    "UNREACHED",
    "Entry",
    "Frontier",
    "FrontierFileError",
    "FrontierServerError",
    "Journal",
    "LeaseLost",
    "Next",
    "Outcome",
    "Pushed",
    "SqliteFrontier",
    "State",
    "Status",
]
