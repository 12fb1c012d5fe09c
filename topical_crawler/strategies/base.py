"""What every strategy is: a judge of pages and a scorer of waiting links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from topical_crawler.page import Candidate, Page, Verdict

OFF_TOPIC = "off topic"
"""Why a page is rejected whose description the strategy does not find relevant."""


@runtime_checkable
class Strategy(Protocol):
    """One published method, or one of ours.

    Page relevance and link priority are separate questions (:meth:`judge`, :meth:`score`); neither changes the strategy.
    :meth:`learn` is the only method that does, and it is called once for each judged page, before the page's links are scored.
    """

    name: str

    def judge(self, page: Page) -> Verdict:
        """How relevant ``page`` is, and whether it belongs to the corpus. Deterministic; never raises on odd pages."""
        ...

    def learn(self, url: str, relevance: float, keep: bool) -> None:
        """Take note of a judged page. Learning the same page twice is the same as learning it once."""
        ...

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """A priority for each candidate, in their order; None: not worth a visit. The same function serves at discovery and
        when a waiting link comes up: what has been learned in between counts."""
        ...

    def confirm(self, text: str) -> tuple[float, bool]:
        """After the extraction of a kept page's main text: its relevance, and whether it belongs to the corpus after all."""
        ...

    def explain(self, candidate: Candidate) -> Mapping[str, float]:
        """The parts of a candidate's priority by name, for people (``anchor``, ``parent``, ``struct`` …)."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """What was learned, as JSON data."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        ...
