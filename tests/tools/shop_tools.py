"""Pages of books: of a small shop made on the spot, and of the recorded one of the demo."""

from __future__ import annotations

import csv
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from topical_crawler import Evidence, Page
from topical_crawler.web.dom import decode

DEMO = Path(__file__).resolve().parents[2] / "demo"
TERMS = {"数据挖掘": 1.0, "聚类": 0.6, "关联规则": 0.6, "决策树": 0.4}
SEARCH = "http://s.shop.cn/Search?keyword=%E6%95%B0"
FOUND = (Evidence(SEARCH, 0.5, False, "一本书"),)


def book(number: int, title: str, introduction: str) -> Page:
    html = f"<title>{title} - 书店</title><h1>{title}</h1><h3>内容简介</h3><p>{introduction}</p><h3>目录</h3><p>第一章 数据挖掘"
    return Page.from_html(f"http://item.shop.cn/{number}.html", html)


GOOD = book(1, "数据挖掘七讲", "讲解聚类与关联规则，附决策树的例子。")
BAD = book(2, "挖掘机操作", "讲解液压系统的检修与保养。")
"""Off topic: what its contents say is not read."""


def recorded_books() -> list[tuple[Page, bool]]:
    """Pages of the recorded bookshop's books, and whether they are relevant."""
    with (DEMO / "bookshop-labels.tsv").open(encoding="utf-8") as file:
        grades = {row["url"]: row["grade"] for row in csv.DictReader(file, delimiter="\t") if row["kind"] == "article"}
    found = []
    with (DEMO / "bookshop.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file):
            url = record.rec_headers.get_header("WARC-Target-URI")
            if record.rec_type == "response" and grades.get(url, "1") != "1":
                html, encoding = decode(record.content_stream().read(), record.http_headers.get_header("Content-Type") or "")
                found.append((Page.from_html(url, html, encoding), grades[url] == "2"))
    return found
