"""The end of a systemd unit reaches every process in it."""

import asyncio
import signal
import subprocess

import psutil
import pytest

from topical_crawler import workers
from topical_crawler.extraction.pool import ExtractPool

PAGE = "<html><body><article>" + "<p>各级党组织扎实开展主题教育，党员走进社区，与群众面对面商量办法，解决群众身边的问题。</p>" * 8
"""What has a main text."""


def test_a_signal_to_the_whole_unit_leaves_extraction_to_the_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which gets the signal as well, and still extracts what is in flight."""
    monkeypatch.setattr(workers, "subprocess", subprocess)  # started as a user's is
    pool = ExtractPool(workers=1)
    try:
        before = set(psutil.Process().children())
        assert asyncio.run(pool.extract(PAGE, "http://a.cn/1")).text
        (child,) = set(psutil.Process().children()) - before
        for whole_group in (signal.SIGTERM, signal.SIGINT):
            child.send_signal(whole_group)
            assert asyncio.run(pool.extract(PAGE, "http://a.cn/2")).text
        assert child.is_running() and set(psutil.Process().children()) - before == {child}
    finally:
        pool.close()
