"""The strategy ``content``: the baseline T of Chen & Zhu 2011, which knows nothing of addresses."""

from __future__ import annotations

from dataclasses import dataclass

from topical_crawler.strategies.base import Parameters
from topical_crawler.strategies.content_url import ContentUrl, ContentUrlParameters, TopicVector
from topical_crawler.web.page import Candidate, Verdict


@dataclass(frozen=True)
class ContentParameters(Parameters):
    """The table ``[strategy.content]``."""

    page_threshold: float = 0.01  # as that of `content_url`

    def __post_init__(self) -> None:
        ContentUrlParameters(page_threshold=self.page_threshold)  # refuses what T&L refuses


class Content(ContentUrl):
    """T&L without the L: each link of a relevant page gets sim(q, p)/N_p (Eq. 2), N_p the page's number of links."""

    name = "content"
    parameters_type = ContentParameters  # type: ignore[assignment]  # it has fewer of them

    def __init__(self, topic: TopicVector, parameters: ContentParameters | None = None) -> None:
        super().__init__(topic, ContentUrlParameters(page_threshold=(parameters or ContentParameters()).page_threshold))

    def learn(self, url: str, verdict: Verdict) -> None:
        """Nothing."""

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {"parent": super().explain(candidate)["parent"]}
