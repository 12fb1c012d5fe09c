"""Checkpoints of a crawl's learned state and page counts, saved in the frontier and loaded on resume.

Each checkpoint records the number of finished pages it covers. Later pages are replayed from the log of finished pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import Control, Marks, control_state
from topical_crawler.frontier.base import KEPT, Frontier, FrontierServerError, Outcome
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.web.page import Verdict

CHECKPOINT_PAGES = 1000  # between two checkpoints
_CHECKPOINT, _COUNTED = "strategy", "counted"


def checkpoint_due(before: int, after: int) -> bool:
    """Return True if a checkpoint falls due between two numbers of finished pages."""
    return after // CHECKPOINT_PAGES > before // CHECKPOINT_PAGES


def save_checkpoint(strategy: Strategy, frontier: Frontier, pages: int, counts: Mapping[str, object] | None = None) -> None:
    """Save the state learned from the first ``pages`` finished pages, with the counts returned by
    :meth:`LinkPolicy.checkpoint`.
    """
    kept = {"name": strategy.name, "after": pages, "state": strategy.state_dict(), "counts": counts}
    if counts is not None:  # first, to warn workers that lag behind in the log
        frontier.journal.checkpoint(_COUNTED, pages, {"after": pages, "counts": counts})
    frontier.journal.checkpoint(_CHECKPOINT, pages, kept)


def load_checkpoint(strategy: Strategy, frontier: Frontier, policy: LinkPolicy | None = None) -> int:
    """Load the last checkpoint into ``strategy`` and ``policy``, and return the number of the last page it covers.

    Return 0 without a checkpoint.

    Raises:
        CrawlError: ``strategy`` cannot read the checkpoint.
    """
    saved = frontier.journal.load(_CHECKPOINT)
    if saved is None:
        return 0
    with _reading(frontier):
        strategy.load_state_dict(saved["state"])
    if policy is not None and saved["counts"] is not None:
        policy.begin(saved["after"], saved["counts"])
    return int(saved["after"])


def learn_again(strategy: Strategy, outcome: Outcome, frontier: Frontier) -> None:
    """Replay a page of the log into ``strategy``: learn what it learned when the page was judged or failed.

    Raises:
        CrawlError: ``strategy`` cannot read the lesson.
    """
    if outcome.keep or outcome.reason == OFF_TOPIC or outcome.lesson is not None:
        with _reading(frontier):
            strategy.learn(outcome.url, Verdict(outcome.relevance, outcome.keep, lesson=outcome.lesson))


@contextmanager
def _reading(frontier: Frontier) -> Iterator[None]:
    """Convert an unreadable learned state into a CrawlError. Versions of the program learn different things from a page."""
    try:
        yield
    except (LookupError, TypeError, ValueError) as error:
        raise CrawlError(
            f"{frontier.status().details['place']}: this version of the program cannot read what the crawl has learned "
            f"({type(error).__name__}: {error}). Continue with the version that began it, or start a new crawl with another "
            "TOPICAL_DATA_DIR (Redis: TOPICAL_CRAWL). The corpus stays readable"
        ) from error


def restore(strategy: Strategy, frontier: Frontier) -> None:
    """Bring a new strategy to the state of the frontier's crawl: checkpoint, pages finished since, marks, page threshold.

    Raises:
        CrawlError: the strategy cannot read the learned state.
    """
    marks, learned = Marks(frontier), load_checkpoint(strategy, frontier)
    marks.give(strategy, learned)
    for number, outcome in frontier.journal.outcomes(learned):
        learn_again(strategy, outcome, frontier)
        marks.give(strategy, number)
    if (threshold := control_state(frontier)["page_threshold"]) is not None:
        with suppress(ValueError):  # the running crawl ignores a refused threshold, too
            strategy.page_threshold = threshold


class PageLog:
    """Reader of the log of finished pages. The strategy learns from each page once, and the policy counts it.

    Attributes:
        finished: number of the last page read.
    """

    def __init__(self, strategy: Strategy, frontier: Frontier, policy: LinkPolicy, control: Control) -> None:
        self._strategy = strategy
        self._frontier = frontier
        self._policy = policy
        self._control = control
        self.finished = 0
        self._saved = 0  # pages covered by the last known checkpoint

    def resume(self) -> None:
        """Load the last checkpoint and read the pages after it. Raise CrawlError for an unreadable one."""
        self._control.learn_marks(learned := load_checkpoint(self._strategy, self._frontier, self._policy))
        self.finished = self._saved = self._policy.begun
        self.read(learned)

    def read(self, learned: int = 0) -> None:
        """Count the pages finished by any worker since the last call, and learn from those after number ``learned``.

        Learning is idempotent: reading back a page of this worker changes nothing.
        """
        for number, outcome in self._frontier.journal.outcomes(self.finished):
            if number > self.finished + 1:
                self._check_gap()
            self._policy.count(outcome, number)
            self.finished = number
            if number > learned:
                learn_again(self._strategy, outcome, self._frontier)
                self._control.learn_marks(number)

    def add(self, outcome: Outcome) -> None:
        """Count a page finished by the only worker. Its strategy has already learned from it."""
        self.finished += 1
        self._policy.count(outcome)
        self._control.learn_marks(self.finished)

    def save(self) -> None:
        """Write a checkpoint, unless another worker does."""
        if not self._frontier.shared:
            save_checkpoint(self._strategy, self._frontier, self.finished)
        elif self._frontier.journal.first("checkpoint", self.finished):
            save_checkpoint(self._strategy, self._frontier, self.finished, self._policy.checkpoint(self.finished))

    def follow(self) -> None:
        """Release the counts in memory already saved by another worker."""
        if checkpoint_due(self._saved, self.finished) and (known := self._frontier.journal.load(_COUNTED)):
            self._saved = known["after"]
            self._policy.written(self._saved, known["counts"])

    def _check_gap(self) -> None:
        """Raise FrontierServerError if the next part of the log has expired. A damaged entry is no error."""
        known = self._frontier.journal.load(_COUNTED)
        if known and known["after"] - self.finished > KEPT:
            raise FrontierServerError(
                f"this worker was away for more than {KEPT:,} pages, and their outcomes have expired. Start the worker again"
            )
