"""When a checkpoint is due."""

from __future__ import annotations

from topical_crawler.crawl.checkpoints import checkpoint_due


def test_a_checkpoint_is_due_at_every_thousandth_page() -> None:
    assert [n for n in range(3500) if checkpoint_due(n, n + 1)] == [999, 1999, 2999]


def test_a_worker_that_reads_many_pages_at_once_misses_none() -> None:
    assert checkpoint_due(990, 2010)
    assert not checkpoint_due(1000, 1999)
