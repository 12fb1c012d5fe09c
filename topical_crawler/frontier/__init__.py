"""The frontier: what waits, in which order it is given out, and what became of it (contract in :mod:`base`)."""

from typing import TYPE_CHECKING, Any

from topical_crawler.frontier.base import (
    MAX_EVIDENCE,
    NO_ROOM,
    REDIRECTED,
    Entry,
    Frontier,
    FrontierServerError,
    LeaseLost,
    Outcome,
    Pushed,
    State,
)
from topical_crawler.frontier.memory import MemoryFrontier
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.frontier.sqlite_schema import FrontierFileError

if TYPE_CHECKING:
    from topical_crawler.frontier.redis import RedisFrontier

__all__ = [
    "MAX_EVIDENCE",
    "NO_ROOM",
    "REDIRECTED",
    "Entry",
    "Frontier",
    "FrontierFileError",
    "FrontierServerError",
    "LeaseLost",
    "MemoryFrontier",
    "Outcome",
    "Pushed",
    "RedisFrontier",
    "SqliteFrontier",
    "State",
]


def __getattr__(name: str) -> Any:
    if name != "RedisFrontier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from topical_crawler.frontier.redis import RedisFrontier  # 12 MB that a crawl with a file has no use for

    return RedisFrontier
