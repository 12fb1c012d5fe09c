"""The frontier: what waits, in which order it is given out, and what became of it (contract in :mod:`base`)."""

from topical_crawler.frontier.base import MAX_EVIDENCE, NO_ROOM, REDIRECTED, Entry, Frontier, LeaseLost, Outcome, Pushed, State
from topical_crawler.frontier.memory import MemoryFrontier
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.frontier.redis_scripts import FrontierServerError
from topical_crawler.frontier.schema import FrontierFileError
from topical_crawler.frontier.sqlite import SqliteFrontier

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
