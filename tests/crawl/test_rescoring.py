"""When waiting links are scored again, which of them, and what their scores promise."""

from __future__ import annotations

from itertools import pairwise

from topical_crawler.crawl.rescoring import rescoring_due


def test_links_are_scored_again_at_steps_that_grow_with_the_crawl() -> None:
    due = [n for n in range(100_000) if rescoring_due(n)]
    assert due[0] == 16
    assert all(after - before <= max(16, 0.07 * before) for before, after in pairwise(due))
