"""Scrapy's habits with ``scrapy crawl topical``: each works, or a line says what to use instead (-o, -O and JOBDIR:
test_seeds_and_arguments.py)."""

from __future__ import annotations

import re
from pathlib import Path

from crawl_tools import ROOT, Reply, Site, article, crawl, rows

METRICS = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")


def documented() -> re.Pattern[str]:
    section = METRICS.split("## Scrapy's stats")[1].split("## ")[0]
    keys = re.findall("`([^`]+)`", "".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `")))
    return re.compile("|".join(re.sub("[A-Z]{2,}", ".+", key) for key in keys))


def test_close_spider_http_cache_auto_throttle_and_log_file_work(topic: Path, tmp_path: Path) -> None:
    habits = {"CLOSESPIDER_ITEMCOUNT": 3, "HTTPCACHE_ENABLED": 1, "HTTPCACHE_DIR": tmp_path / "cache", "DOWNLOAD_DELAY": 0}
    habits |= {"AUTOTHROTTLE_ENABLED": 1, "AUTOTHROTTLE_START_DELAY": 0.2, "AUTOTHROTTLE_DEBUG": 1}
    habits |= {"LOG_FILE": tmp_path / "crawl.log", "STATS_DUMP": 1}
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
    keys = set(re.findall(r"^[ {]'([a-z_]+(?:/[\w.]+)*)': ", log.split("Dumping Scrapy stats:")[-1], re.MULTILINE))
    assert len(keys) > 15 and {key for key in keys if not documented().fullmatch(key)} == set()
    first, second = ([row.url for row in rows(tmp_path / run)] for run in ("first", "second"))
    assert first == second and 3 <= len(first) < 7
    assert asked <= len(first) + 2, "the second crawl had its pages from Scrapy's cache"


def test_stats_and_signals_of_the_code_are_documented() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "topical_crawler").rglob("*.py"))
    keys = {re.sub(r"\{.*?\}+", "X", key) for key in re.findall(r"(?:inc|set)_value\(f?\"([^\"]+)\"", code)}
    assert len(keys) == 4 and {key for key in keys if not documented().fullmatch(key)} == set()
    signals = set(re.findall(r"\bsignals\.([a-z_]+)", code)) - {"connect", "send_catch_log_async"}
    assert len(signals) > 8 and signals <= set(re.findall("`([a-z_]+)`", METRICS.split("## Signals")[1]))
