"""Pages of books in the layouts of bookshops and libraries, and what is none."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler import Page
from topical_crawler.strategies.odp2evsm.books import MAX_INTRODUCTION, Book, in_series, is_next_page, is_search, read, read_book

TEXT = "本书讲解聚类、分类与关联规则。"


def book(body: str, title: str = "数据挖掘导论") -> Book | None:
    return read_book(Page.from_html("http://a.cn/1.html", f"<title>{title}</title><h1>数据挖掘导论</h1>{body}"))


@pytest.mark.parametrize(
    "body",
    [
        f"<h3>内容简介</h3><p>{TEXT}</p><h3>目录</h3><p>第一章</p>",
        f"<div><div class=t><h3>【内容简介】</h3></div><div class=c><div>{TEXT}</div></div></div><div><h3>目录</h3>第一章</div>",
        f"<div id=c><div class=title><span>内容简介</span></div><div class=d><span>{TEXT}</span></div></div><p>客服</p>",
        f"<h2><span>内容简介</span> · · · · · ·</h2><div><span><p>{TEXT}</p></span></div><h2><span>作者简介</span> · ·</h2>某",
        f"<dl><dt>作者</dt><dd>某人</dd><dt>内容提要：</dt><dd>{TEXT}</dd><dt>丛书</dt><dd>某书</dd></dl>",
        f"<table><tr><th>书号</th><td>1</td></tr><tr><th>内容介绍</th><td>{TEXT}</td></tr><tr><th>页数</th><td>9</td></tr></table>",
        f"<p><b>图书简介：</b>{TEXT}</p><p>定价：9元</p>",
        f"<p>内容简介：{TEXT}</p><p>定价：9元</p>",
        f"<div>简介<br>{TEXT}<br>目录<br>第一章</div>",
        f"<p><b>内容简介</b></p><p>{TEXT}</p><p><b>目录</b></p><p>第一章</p>",
        f"<ul><li>内容简介</li><li>目录</li></ul><div>{TEXT}</div><div>第一章</div>",
        f"<div><ul><li>目录</li><li>内容简介</li></ul></div><div><div>第一章</div><div>{TEXT}</div></div>",
        f"<ul><li><a href='#m'>目录</a></li><li><a href='#j'>内容简介</a></li></ul><p id=m>第一章</p><hr><p id=j>{TEXT}</p>",
        f"<p><a>内容简介</a> <a>目录</a></p><h3>内容简介</h3><p>{TEXT}</p><h3>目录</h3>第一章",
        f"<h3>内容简介</h3><script>var a = 1</script><p>{TEXT}</p><h4>读者怎么说</h4><p>好</p>",
    ],
)
def test_layouts(body: str) -> None:
    assert book(body) == Book("数据挖掘导论", TEXT)


@pytest.mark.parametrize(
    ("head", "publisher"),
    [
        ("<ul><li>作者：某人</li><li>出版社：亮瓦科技出版社</li><li>定价：9元</li></ul>", "亮瓦科技出版社"),
        ("<dl><dt>出版社</dt><dd>中华书局</dd><dt>书号</dt><dd>1</dd></dl>", "中华书局"),
        ("<table><tr><th>出版者：</th><td>商务印书馆</td></tr></table>", "商务印书馆"),
        ("<p>作者：某人</p>", ""),
        ("<p>各大出版社 最新书目</p>", ""),
    ],
)
def test_the_publisher_of_a_book(head: str, publisher: str) -> None:
    assert book(f"{head}<h3>内容简介</h3><p>{TEXT}</p><h3>目录</h3>") == Book("数据挖掘导论", TEXT, publisher)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<p>内容简介与目录见封底。</p>",
        "<h3>内容简介</h3>",
        "<h3>内容简介</h3><h3>目录</h3><p>第一章</p>",
        "<ul><li>内容简介</li><li>目录</li></ul>",
        "".join(f"<h2>书{n}</h2><p>内容简介：讲{n}件事。</p>" for n in range(4)),
        "<script>x = '<h3>内容简介</h3><p>有</p>'</script>",
    ],
)
def test_pages_without_one_introduction(body: str) -> None:
    assert book(body) is None


def test_titles() -> None:
    body = f"<h3>内容简介</h3><p>{'聚类' * MAX_INTRODUCTION}</p>"
    own = dict.fromkeys(("《数据挖掘导论》（某人）- 半书斋", "数据挖掘导论", ""), "数据挖掘导论")
    # The heading is another's, a shop's name say.
    others = dict.fromkeys(("机器学习 - 半书斋", "机器学习_某人_半书斋", "机器学习 | 半书斋"), "机器学习")
    for title, name in (own | others).items():
        found = book(body, title)
        assert found is not None and found.title == name
        assert len(found.introduction) == MAX_INTRODUCTION  # long introductions are cut


MARKUP = ("<ul>", "<li>", "</li>", "</ul>", "<dl>", "<dt>", "<dd>", "<p>", "<a href=#x>", "内容简介", "目录", "：", "讲聚类")


@given(st.lists(st.sampled_from(MARKUP)))
def test_any_markup_can_be_read(parts: list[str]) -> None:
    found = book("".join(parts))
    assert found is None or found.introduction.strip()


def test_hostile_pages_are_read_in_time() -> None:
    start = time.process_time()
    assert book("<div>" * 20_000 + "内容简介" + "</div>" * 20_000) is None
    book("<li>简介</li>" * 10_000)
    book("<p>简介：书</p>" * 10_000)
    book(f"<h3>简介</h3><div>{'<i>聚类</i>' * 10_000}</div>" * 2)
    assert time.process_time() - start < 4


def links(n: int, anchor: str = "一本很长的书名") -> str:
    return "".join(f"<a href=/book/{i}>{anchor}</a>" for i in range(n))


def kind(body: str, url: str = "http://a.cn/") -> str:
    return read(Page.from_html(url, f"<title>书</title>{body}")).kind


def test_lists() -> None:
    assert kind("没有找到", "http://a.cn/Search?keyword=%E4%B9%A6") == "list"
    assert kind(links(8)) == "list"
    assert kind(f"<p>{TEXT * 30}</p>{links(8)}") == "page"
    assert kind(f"<p>{TEXT * 30}</p>{links(8)}<a href=/page/2/>下一页</a>") == "list"
    assert kind(f"<p>{TEXT * 30}</p>{links(8)}<a href=/other>2</a>") == "page"
    assert kind(links(2)) == "page"
    assert kind(f"<h3>内容简介</h3>{TEXT}<h3>相关推荐</h3>{links(30)}", "http://a.cn/list/1.html") == "book"


def test_what_is_read() -> None:
    reading = read(Page.from_html("http://a.cn/1", f"<title>书</title><meta name=description content=说明><p>{TEXT}"))
    assert (reading.kind, reading.title, reading.text) == ("page", "书", f"说明\n书\n{TEXT}")
    assert read(Page("http://a.cn/1", title="书", lead="开头")).text == "书\n开头"


def test_anchors_that_lead_on() -> None:
    leading = ["下一页", "下页", "后一页", "下一页 >", "»", "2", "[3]", "第4页", "Next", "Older posts"]
    others = ["", "下一篇", "上一页", "12345", "2023年", "三体2", "next generation"]
    assert [anchor for anchor in leading + others if is_next_page(anchor)] == leading


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a.cn/Search?keyword=x&page=2", "http://a.cn/Search?keyword=x", True),
        ("http://a.cn/Search?keyword=x&page=2", "http://a.cn/Search?keyword=y", False),
        ("http://a.cn/list/3-2.html", "http://a.cn/list/3.html", True),
        ("http://a.cn/index_2.html", "http://a.cn/", True),
        ("http://a.cn/page/2/", "http://a.cn/page/3/", True),
        ("http://a.cn/page/2/", "http://b.cn/page/2/", False),
        ("http://a.cn/book/2", "http://a.cn/author/2", False),
    ],
)
def test_pages_of_one_list(one: str, other: str, same: bool) -> None:
    assert in_series(one, other) is same


def test_searches() -> None:
    assert is_search("http://a.cn/so/?wd=书") and is_search("http://a.cn/category/it/") and is_search("http://a.cn/?q=1")
    assert not is_search("http://a.cn/book?id=3") and not is_search("http://[broken/") and not is_search("")
