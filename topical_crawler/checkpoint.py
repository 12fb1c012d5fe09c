"""What a strategy has learned, as its crawl's frontier keeps it: a checkpoint now and then, and the log of finished pages."""

from __future__ import annotations

from contextlib import suppress

from topical_crawler.frontier import Frontier, Outcome
from topical_crawler.page import Verdict
from topical_crawler.steering import control_state
from topical_crawler.strategies import OFF_TOPIC, Strategy

_CHECKPOINT = "strategy"


def save_checkpoint(strategy: Strategy, frontier: Frontier, pages: int) -> None:
    """Keep what ``strategy`` has learned from the first ``pages`` finished pages."""
    frontier.save(_CHECKPOINT, {"name": strategy.name, "after": pages, "state": strategy.state_dict()})


def load_checkpoint(strategy: Strategy, frontier: Frontier) -> int:
    """Give ``strategy`` what was kept last. Returns the number of the finished page up to which it has learned then; 0 where
    nothing was kept."""
    saved = frontier.load(_CHECKPOINT)
    if saved is None:
        return 0
    strategy.load_state_dict(saved["state"])
    return int(saved["after"])


def learn_again(strategy: Strategy, outcome: Outcome) -> None:
    """Have ``strategy`` learn from a page of the log what it learned when the page was judged, or did not come; of others
    there is nothing to learn."""
    if outcome.keep or outcome.reason == OFF_TOPIC or outcome.lesson is not None:
        strategy.learn(outcome.url, Verdict(outcome.relevance, outcome.keep, lesson=outcome.lesson))


def restore(strategy: Strategy, frontier: Frontier) -> None:
    """Bring a new strategy to where that of the frontier's crawl stands: its checkpoint, the pages finished since, and the page
    threshold that was set by a person."""
    for _, outcome in frontier.outcomes(load_checkpoint(strategy, frontier)):
        learn_again(strategy, outcome)
    threshold = control_state(frontier)["page_threshold"]
    if threshold is not None:
        with suppress(ValueError):  # one that it refuses holds for the crawl neither
            strategy.page_threshold = threshold
