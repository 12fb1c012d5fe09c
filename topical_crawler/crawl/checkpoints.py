"""What a crawl's strategy has learned and what was counted, saved in the frontier now and then, and brought back on resume.

A checkpoint says how many finished pages it covers. What was learned since is learned again from the log of finished pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import Marks, control_state
from topical_crawler.frontier import Frontier, Outcome
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.web.page import Verdict

CHECKPOINT_PAGES = 1000  # between two checkpoints
COUNTED = "counted"  # under which the frontier keeps what was counted up to the last checkpoint
_CHECKPOINT = "strategy"


def checkpoint_due(before: int, after: int) -> bool:
    """Whether a checkpoint falls due between two numbers of finished pages."""
    return after // CHECKPOINT_PAGES > before // CHECKPOINT_PAGES


def save_checkpoint(strategy: Strategy, frontier: Frontier, pages: int, counts: Mapping[str, int] | None = None) -> None:
    """Keep what ``strategy`` has learned from the first ``pages`` finished pages, and what :meth:`LinkPolicy.checkpoint` gave."""
    kept = {"name": strategy.name, "after": pages, "state": strategy.state_dict(), "counts": counts}
    if counts is not None:  # first, for it shows others that they read the log too late
        frontier.journal.checkpoint(COUNTED, pages, {"after": pages, "counts": counts})
    frontier.journal.checkpoint(_CHECKPOINT, pages, kept)


def load_checkpoint(strategy: Strategy, frontier: Frontier, policy: LinkPolicy | None = None) -> int:
    """Load the last checkpoint into ``strategy`` and ``policy``. Returns the number of the last page that it covers; 0 without a
    checkpoint. Raises CrawlError for one that ``strategy`` cannot read."""
    saved = frontier.journal.load(_CHECKPOINT)
    if saved is None:
        return 0
    with _reading(frontier):
        strategy.load_state_dict(saved["state"])
    if policy is not None and saved.get("counts") is not None:
        policy.begin(saved["after"], saved["counts"])
    return int(saved["after"])


def learn_again(strategy: Strategy, outcome: Outcome, frontier: Frontier) -> None:
    """Have ``strategy`` learn from a page of the log what it learned when the page was judged or failed. Raises CrawlError for a
    lesson that it cannot read."""
    if outcome.keep or outcome.reason == OFF_TOPIC or outcome.lesson is not None:
        with _reading(frontier):
            strategy.learn(outcome.url, Verdict(outcome.relevance, outcome.keep, lesson=outcome.lesson))


@contextmanager
def _reading(frontier: Frontier) -> Iterator[None]:
    """Say what to do where a strategy cannot read what was learned: versions of the program learn different things of a page."""
    try:
        yield
    except (LookupError, TypeError, ValueError) as error:
        raise CrawlError(
            f"{frontier.details()['place']}: this version of the program cannot read what the crawl has learned "
            f"({type(error).__name__}: {error}). Remedy: go on with the version that began it, or begin anew with another "
            "TOPICAL_DATA_DIR (Redis: TOPICAL_CRAWL); its corpus can be read as before"
        ) from error


def restore(strategy: Strategy, frontier: Frontier) -> None:
    """Bring a new strategy to the state of the frontier's crawl: checkpoint, pages finished since, marks, page threshold.
    Raises CrawlError where it cannot read what was learned."""
    marks, learned = Marks(frontier), load_checkpoint(strategy, frontier)
    marks.give(strategy, learned)
    for number, outcome in frontier.journal.outcomes(learned):
        learn_again(strategy, outcome, frontier)
        marks.give(strategy, number)
    if (threshold := control_state(frontier)["page_threshold"]) is not None:
        with suppress(ValueError):  # the crawl does not obey a threshold that its strategy refuses either
            strategy.page_threshold = threshold
