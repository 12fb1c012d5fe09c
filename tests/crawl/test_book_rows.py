"""The row of a book is its publisher, title and introduction (Zhang et al., Figure 2); what its readers say stays out."""

from __future__ import annotations

from pathlib import Path

import pytest
import warc_tools
from crawl_tools import HTML, crawl, make_topic, rows

INTRODUCTION = (
    "本书讲解数据挖掘的主要方法：聚类、分类与关联规则，并以图书馆的借阅记录为例，"
    "说明怎样准备数据、怎样评价模型、怎样把结果讲给不懂技术的人听。"
)
PAGE = (
    f"""<title>《数据挖掘导论》 - 半书斋</title><h1>数据挖掘导论</h1><ul><li>出版社：亮瓦科技出版社</li></ul>
<h3>内容简介</h3><p>{INTRODUCTION}</p><h3>读者评论</h3>"""
    + "<p>孩子抢着看，大人也看得津津有味，这本数据挖掘的书排版清楚，值得推荐给每一位同事。</p>" * 5
)


@pytest.mark.slow
def test_the_row_of_a_book(tmp_path: Path) -> None:
    topic = make_topic(tmp_path / "books")
    (topic / "terms.tsv").write_text("数据挖掘\n", encoding="utf-8")
    url = "http://item.shop.example/1.html"
    web = warc_tools.write_warc(tmp_path / "web.warc.gz", [(url, 200, {"Content-Type": HTML}, PAGE.encode())])
    crawled = crawl(topic, tmp_path / "data", url, strategy="odp2evsm", TOPICAL_REPLAY=web)
    assert crawled.code == 0
    (row,) = rows(tmp_path / "data")
    assert (row.keep, row.title, row.text, row.source) == (True, "数据挖掘导论", INTRODUCTION, "亮瓦科技出版社")
