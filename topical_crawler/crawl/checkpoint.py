"""What a strategy has learned, as the crawl's frontier keeps it: checkpoints, and the log of the pages finished since."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from topical_crawler.crawl.steering import control_state
from topical_crawler.frontier import Frontier, Outcome
from topical_crawler.items import SEED_PRIORITY
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.web.page import Verdict

if TYPE_CHECKING:
    from topical_crawler.crawl.link_policy import LinkPolicy

MOST_RESCORED = 20_000
"""At most so many waiting links, the best ones, are scored again when the strategy has learned what may raise them."""
_CHECKPOINT = "strategy"
_RESCORED = "rescored"


def save_checkpoint(strategy: Strategy, frontier: Frontier, pages: int) -> None:
    """Keep what ``strategy`` has learned from the first ``pages`` finished pages."""
    frontier.save(_CHECKPOINT, {"name": strategy.name, "after": pages, "state": strategy.state_dict()})


def load_checkpoint(strategy: Strategy, frontier: Frontier) -> int:
    """Load the last checkpoint into ``strategy``. Returns the number of the last page that it covers; 0 without a checkpoint."""
    saved = frontier.load(_CHECKPOINT)
    if saved is None:
        return 0
    strategy.load_state_dict(saved["state"])
    return int(saved["after"])


def learn_again(strategy: Strategy, outcome: Outcome) -> None:
    """Have ``strategy`` learn from a page of the log what it learned when the page was judged or failed; from others there is
    nothing to learn."""
    if outcome.keep or outcome.reason == OFF_TOPIC or outcome.lesson is not None:
        strategy.learn(outcome.url, Verdict(outcome.relevance, outcome.keep, lesson=outcome.lesson))


def restore(strategy: Strategy, frontier: Frontier) -> None:
    """Bring a new strategy to where that of the frontier's crawl stands: its checkpoint, the pages finished since, and the page
    threshold that a person set."""
    for _, outcome in frontier.outcomes(load_checkpoint(strategy, frontier)):
        learn_again(strategy, outcome)
    threshold = control_state(frontier)["page_threshold"]
    if threshold is not None:
        with suppress(ValueError):  # the crawl does not obey a threshold that its strategy refuses either
            strategy.page_threshold = threshold


def rescore_waiting(strategy: Strategy, policy: LinkPolicy, frontier: Frontier) -> None:
    """Score the best waiting links again if what was learned since the last time may have raised some of them."""
    revision = strategy.revision + policy.revision
    if revision == (frontier.load(_RESCORED) or 0):
        return
    entries = [e for e in frontier.waiting(MOST_RESCORED) if e.evidence and e.priority < SEED_PRIORITY]
    scores = strategy.score([e.candidate() for e in entries])
    places = {e.key: policy.place(s, e.host) for e, s in zip(entries, scores, strict=True) if s is not None}
    frontier.reprice({e.key: places[e.key] for e in entries if places.get(e.key, e.priority) != e.priority})
    frontier.save(_RESCORED, revision)
