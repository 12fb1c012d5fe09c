"""Dates, authors, sources, sections, canonical addresses, licences."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring

from topical_crawler.extraction.details import EARLIEST, Details, in_address, in_text, read_details
from topical_crawler.extraction.structure import read_blocks

FETCHED = "2024-03-05T02:00:00+00:00"
URL = "http://www.example.cn/dangjian/c1.html"


def details(body: str, head: str = "", url: str = URL, fetched: str = FETCHED) -> Details:
    tree = document_fromstring(f"<html><head>{head}</head><body>{body}</body></html>")
    return read_details(tree, read_blocks(tree), url, fetched)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2024年3月1日", "2024-03-01"),
        ("2024-03-01 08:30 来源：党建网", "2024-03-01"),
        ("发布时间：2024/3/1", "2024-03-01"),
        ("2024.03.01", "2024-03-01"),
        ("二〇二四年三月一日", "2024-03-01"),
        ("二○二三年十二月三十一日", "2023-12-31"),
        ("3月1日 08:30", "2024-03-01"),
        ("12月31日 08:30", "2023-12-31"),
        ("昨天 08:30", "2024-03-04"),
        ("今天 08:30", "2024-03-05"),
        ("3小时前", "2024-03-05"),
        ("11小时前", "2024-03-04"),
        ("5天前", "2024-02-29"),
        ("2024年13月1日", ""),
        ("2024年2月30日", ""),
        ("2025年1月1日", ""),
        ("1949年10月1日", ""),
        ("今天是2024年3月5日", ""),
        ("没有日期", ""),
        ("发布于昨天", "2024-03-04"),
        ("最新推荐文章于 2024-03-01 08:30 发布", ""),
        ("来源：今日头条", ""),
        ("今日要闻", ""),
        ("分享到今日头条", ""),
        ("昨天的会议", ""),
    ],
)
def test_dates_as_chinese_pages_write_them(line: str, expected: str) -> None:
    assert in_text(line, "http://a.cn/x.html", FETCHED) == expected


@given(st.dates(date(EARLIEST, 1, 1), date(2099, 12, 31)), st.dates(date(2000, 1, 1), date(2060, 1, 1)))
def test_no_date_is_after_the_page_was_fetched(day: date, fetched: date) -> None:
    moment = f"{fetched.isoformat()}T03:00:00+00:00"
    for written in (f"{day.year}年{day.month}月{day.day}日", day.isoformat()):
        assert in_text(written, "", moment) == (day.isoformat() if day <= fetched else "")
    assert in_address(f"http://a.cn/t{day:%Y%m%d}_1.html", moment) == (day.isoformat() if day <= fetched else "")


@given(st.text(max_size=80), st.text(max_size=30))
def test_no_line_raises(line: str, fetched: str) -> None:
    found = in_text(line, line, fetched)
    assert not found or date.fromisoformat(found)


def test_the_lines_around_a_headline() -> None:
    found = details(
        "<p><a href='/'>首页</a> &gt; <a href='/dj/'>党建</a> &gt; <a href='/yw/'>要闻</a> &gt; 正文</p>"
        "<h1>支部开展主题党日</h1>"
        "<div>2024年03月01日 08:30 来源：人民网 作者：张三 李四</div><p>二十日，支部开展活动。</p><p>责任编辑：王五</p>",
        "<title>支部开展主题党日--党建--人民网</title>",
    )
    assert found == Details("支部开展主题党日", "2024-03-01", "张三 李四", "人民网", "党建 > 要闻")


def test_a_moment_in_utc_is_a_day_in_beijing() -> None:
    assert (
        details("<h1>标题标题</h1>", "<meta property='article:published_time' content='2024-03-01T16:30:00Z'>").date
        == "2024-03-02"
    )


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("河南省法规库 | 洛阳市城市公共交通条例", "<h2>洛阳市城市公共交通条例</h2>", "洛阳市城市公共交通条例"),
        ("众搜网", "<h1>支部开展主题党日</h1>", "支部开展主题党日"),
        ("家常菜谱", "<div><a href='/'>家常菜谱</a></div><h1>烤茄子的做法</h1>", "烤茄子的做法"),
        ("家常菜谱 | 烤茄子", "<h1><a href='/'>家常菜谱</a></h1>", "烤茄子"),
        ("青河党建网 把监督的探头架起来", "<h2>把监督的探头架起来</h2>", "把监督的探头架起来"),
        ("训练BERT，我只花了一半的时间 - 小林", "<h2>训练BERT</h2>", "训练BERT，我只花了一半的时间"),
        ("irq_domain 中断号映射库", "<h2>irq_domain</h2>", "irq_domain 中断号映射库"),
        ("内核维护者手册 — The Kernel", "<h1>内核维护者手册<a href='#x'>¶</a></h1>", "内核维护者手册"),
    ],
)
def test_headlines_without_the_name_of_the_site(title: str, body: str, expected: str) -> None:
    assert details(f"{body}<p>正文。</p>", f"<title>{title}</title>").title == expected


@pytest.mark.parametrize("line", ["责任编辑：张三", "（编辑：张三）", "责编：张三 审核：李四", "作者：责任编辑 张三"])
def test_editors_are_no_authors(line: str) -> None:
    assert details(f"<h1>标题标题</h1><p>{line}</p>").author == ""


@pytest.mark.parametrize(
    ("line", "author"), [("作者：张三", "张三"), ("文/张三", "张三"), ("作者 ： 张三 时间：2024-03-01", "张三")]
)
def test_authors(line: str, author: str) -> None:
    assert details(f"<h1>标题标题</h1><p>{line}</p>").author == author


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("来源：新华社", "新华社"),
        ("稿件来源： 《人民日报》", "人民日报"),
        ("文章来源：党建网 作者：张三", "党建网"),
        ("（转自《求是》）", "求是"),
        ("来源：党建网发布时间：2024-03-01", "党建网"),
        ("来源：http://a.cn/", ""),
        ("人民群众是力量的来源", ""),
    ],
)
def test_sources(line: str, source: str) -> None:
    assert details(f"<h1>标题标题</h1><p>{line}</p>").source == source


def test_sections() -> None:
    assert (
        details("<div>当前位置：<a href='/'>首页</a> &gt;&gt; <a href='/x'>理论</a> &gt;&gt; 正文</div><h1>标题</h1>").section
        == "理论"
    )
    data = '{"@type":"BreadcrumbList","itemListElement":[{"name":"首页"},{"name":"党建"},{"item":{"name":"要闻"}}]}'
    assert details("<h1>标题</h1>", f"<script type='application/ld+json'>{data}</script>").section == "党建 > 要闻"
    list_of_links = "<ul class='breadcrumb'><li><a href='/'>首页</a><li><a href='/d'>党建</a><li>标题</ul><h1>标题</h1>"
    assert details(list_of_links).section == "党建"


def test_metadata() -> None:
    found = details(
        "<h1>标题标题</h1><a rel='license' href='https://creativecommons.org/licenses/by/4.0/'>CC</a>",
        "<link rel='canonical' href='/other.html#a'><meta name='ContentSource' content='新华网'>"
        "<meta name='PubDate' content='2024-03-01 10:00'>"
        '<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","author":{"name":"张三"}}]}</script>',
    )
    assert found.canonical == "http://www.example.cn/other.html"
    assert found.license == "https://creativecommons.org/licenses/by/4.0/"
    assert (found.source, found.date, found.author) == ("新华网", "2024-03-01", "张三")


@pytest.mark.parametrize("href", [URL, URL + "#a", "javascript:void(0)", "http://[", ""])
def test_a_canonical_address_that_says_nothing(href: str) -> None:
    assert details("<p>正文</p>", f"<link rel='canonical' href='{href}'>").canonical == ""


@pytest.mark.parametrize(
    "data", ["{", "[" * 5000, "[1, null, {}]", '{"@type": ["Article", 1], "author": [1, {"name": 2}]}', '{"@type": {}}']
)
def test_broken_json_ld_costs_nothing(data: str) -> None:
    found = details("<h1>标题标题</h1><p>来源：党建网</p>", f"<script type='application/ld+json'>{data}</script>")
    assert (found.title, found.source, found.author) == ("标题标题", "党建网", "")


def test_the_date_in_the_address_counts_where_the_page_has_none() -> None:
    assert details("<h1>标题</h1>", url="http://a.cn/2024/0301/c1.html").date == "2024-03-01"
    assert details("<h1>标题</h1>").date == ""
