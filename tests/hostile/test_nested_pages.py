"""Pages of a hundred thousand nested elements take no longer than others of their size."""

from __future__ import annotations

import asyncio
import time

import pytest

from topical_crawler.extraction.extract import CRASHED, TIMED_OUT
from topical_crawler.extraction.pool import ExtractPool
from topical_crawler.web.page import Page

DEPTH = 100_000
SECONDS = 5.0  # of processor time
TEXT = "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。" * 20


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["div", "b", "p", "ul", "blockquote", "table><tr><td", "a href=/1.html", "font", "svg"])
def test_a_nested_page_is_read_at_once(tag: str) -> None:
    html = f"<html><body><h1>党建</h1>{f'<{tag}>' * DEPTH}{TEXT}</body></html>"
    began = time.process_time()
    Page.from_html("http://a.cn/1.html", html, "utf-8", paths=True, around=True)
    assert time.process_time() - began < SECONDS
    pool = ExtractPool(1, timeout=SECONDS)
    try:
        assert asyncio.run(pool.extract(html, "http://a.cn/1.html")).reason not in (TIMED_OUT, CRASHED)
    finally:
        pool.close()
