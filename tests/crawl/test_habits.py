"""Scrapy's habits with ``scrapy crawl topical``: each works, or a line says what to use instead (-o, -O and JOBDIR:
test_seeds_and_arguments.py)."""

from __future__ import annotations

from pathlib import Path

from crawl_tools import Reply, Site, article, crawl, rows


def test_close_spider_http_cache_auto_throttle_and_log_file_work(topic: Path, tmp_path: Path) -> None:
    habits = {
        "DOWNLOAD_DELAY": 0,
        "CLOSESPIDER_ITEMCOUNT": 3,
        "HTTPCACHE_ENABLED": 1,
        "HTTPCACHE_DIR": tmp_path / "cache",
        "AUTOTHROTTLE_ENABLED": 1,
        "AUTOTHROTTLE_START_DELAY": 0.2,
        "AUTOTHROTTLE_DEBUG": 1,
        "LOG_FILE": tmp_path / "crawl.log",
        "TOPICAL_DISPLAY": "lines",
    }
    links = {f"/{number}": "党建" for number in range(6)}
    with Site({path: Reply(article(path)) for path in links}) as site:
        site.routes["/"] = Reply(article("首页", links))
        for run in ("first", "second"):
            crawled = crawl(topic, tmp_path / run, site.url + "/", **habits)
            assert crawled.code == 0
        asked = len(site.hits)
    log = (tmp_path / "crawl.log").read_text(encoding="utf-8")
    assert log.count("Closing spider (closespider_itemcount)") == 2
    assert "[scrapy.extensions.throttle] INFO: slot: 127.0.0.1" in log and "Traceback" not in log
    first, second = ([row.url for row in rows(tmp_path / run)] for run in ("first", "second"))
    assert first == second and 3 <= len(first) < 7
    assert asked <= len(first) + 2, "the second crawl had its pages from Scrapy's cache"
