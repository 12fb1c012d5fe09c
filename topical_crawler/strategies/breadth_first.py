"""Strategy ``breadth_first``, the baseline for comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from topical_crawler.strategies.base import KeywordJudge
from topical_crawler.web.page import Candidate


class BreadthFirst(KeywordJudge):
    """Strategy ``breadth_first``: every link in order of discovery.

    >>> from topical_crawler import Candidate, Page, strategies
    >>> breadth_first = strategies.create("partybuilding", "breadth_first", resources=None)
    >>> breadth_first.judge(Page("http://a.cn/", title="新党员入党宣誓仪式")).keep
    True
    >>> breadth_first.score([Candidate("http://a.cn/1", ()), Candidate("http://a.cn/2", ())])
    [0.0, 0.0]
    """

    name = "breadth_first"

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [0.0] * len(candidates)
