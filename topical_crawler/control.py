"""A crawl's side of steering: it serves its mailbox, reads what its frontier says, and knows what it is to do."""

from __future__ import annotations

import logging

from topical_crawler.frontier import Frontier
from topical_crawler.mailbox import Answer, Mailbox
from topical_crawler.steering import Refusal, Request, control_state, perform
from topical_crawler.strategies import Strategy

logger = logging.getLogger(__name__)


class Control:
    """What a crawl has been told to do.

    Args:
        frontier: the crawl's.
        strategy: gets the page threshold, and says why a link waits at its place.
        mailbox: where requests to this process arrive; None for a frontier that is shared, which commands reach themselves.
        refusal: why a pushed URL is not fetched.

    Attributes:
        paused: nothing is to be given out.
        stopping: the crawl is to end in good order.
        page_threshold: that was set; None: the topic's own holds.
    """

    def __init__(
        self, frontier: Frontier, strategy: Strategy, mailbox: Mailbox | None = None, refusal: Refusal | None = None
    ) -> None:
        self._frontier = frontier
        self._strategy = strategy
        self._mailbox = mailbox
        self._refusal = refusal
        self._own = strategy.page_threshold
        self._at_start = control_state(frontier)["stop"]
        self.paused = False
        self.stopping = False
        self.page_threshold: float | None = None
        self._read()

    def poll(self) -> None:
        """Perform what the mailbox asks for, and read what the frontier says. To be called about once a second."""
        if self._mailbox is not None:
            self._mailbox.serve(self._perform)
        if self._frontier.shared:
            self._read()

    def _perform(self, request: Request) -> Answer:
        before = self._strategy.page_threshold
        if request.get("action") == "threshold":
            self._set(request.get("value"))  # raises where the strategy refuses the value
            self._strategy.page_threshold = before
        answer = perform(self._frontier, request, self._refusal, self._strategy.explain)
        self._read()
        if "page_threshold" in answer:
            answer["page_threshold"] = self._strategy.page_threshold
        if "before" in answer:
            answer["before"] = before
        return answer

    def _read(self) -> None:
        state = control_state(self._frontier)
        if state["paused"] != self.paused:
            self.paused = state["paused"]
            logger.warning("Paused. Remedy: scrapy frontier resume lets the crawl go on" if self.paused else "No longer paused")
        if not self.stopping and state["stop"] != self._at_start:
            self.stopping = True
            logger.warning("Stopping, as asked by scrapy frontier stop")
        if state["page_threshold"] != self.page_threshold:
            self.page_threshold = state["page_threshold"]
            try:
                self._set(self.page_threshold)
                logger.warning("The page threshold is %g", self._strategy.page_threshold)
            except ValueError as error:
                logger.error("The page threshold stays %g: %s", self._strategy.page_threshold, error)

    def _set(self, value: float | None) -> None:
        """Give the strategy a threshold. Raises ValueError for one that it refuses."""
        self._strategy.page_threshold = self._own if value is None else value
