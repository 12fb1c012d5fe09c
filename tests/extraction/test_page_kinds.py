"""What a page is: articles survive, lists, videos and galleries do not."""

from __future__ import annotations

import pytest

from topical_crawler.extraction import GALLERY_PAGE, LIST_PAGE, VIDEO_PAGE, Extracted, extract

SENTENCE = "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。"
NAV = " ".join(f"<a href='/c{n}/'>频道{n}</a>" for n in range(12))
HOT = "<ul>" + "".join(f"<li><a href='/x/{n}.html'>另一条新闻的长长的标题之{n}</a></li>" for n in range(12)) + "</ul>"


def page(body: str, url: str = "http://www.example.cn/a/c1.html", head: str = "") -> Extracted:
    return extract(f"<html><head>{head}</head><body><div>{NAV}</div>{body}</body></html>", url)


def excerpts(count: int, more: str = "") -> str:
    return "".join(
        f"<div><h2><a href='/post/{n}.html'>第{n}篇文章的标题</a></h2><p>{SENTENCE * 3}{n}</p>{more}</div>" for n in range(count)
    )


def test_a_page_of_headlines_is_a_list() -> None:
    found = page(f"<h1>要闻</h1>{HOT}")
    assert (found.kind, found.reason, found.text) == ("list", LIST_PAGE, "")


@pytest.mark.parametrize("more", ["", "<a href='/x'>阅读全文</a>"])
def test_a_blog_s_home_page_of_excerpts_is_a_list(more: str) -> None:
    assert page(excerpts(8, more), "http://blog.example.cn/").kind == "list"
    assert page(excerpts(8, more), "http://blog.example.cn/whatever").kind == "list"


@pytest.mark.parametrize(
    "path", ["/tags/party/", "/category/dangjian/page/3/", "/archives/2023/04/", "/page/2/", "/dangjian/index_2.shtml"]
)
def test_addresses_of_lists(path: str) -> None:
    body = f"<h1>党建</h1><ul><li><a href='/1.html'>{SENTENCE}</a> 04-12</li></ul>"
    assert page(body, f"http://www.example.cn{path}").kind == "list"
    assert page(f"<h1>党建</h1><p>{SENTENCE * 3}</p>", "http://www.example.cn/archives/1234.html").kind == "article"


def test_a_calendar_is_a_list() -> None:
    days = " ".join(f"<a href='/calendar?d=2024{m:02d}01'>2024年{m}月</a>" for m in range(1, 13))
    assert page(days, "http://www.example.cn/calendar?d=20240101").kind == "list"


def test_an_article_with_many_links_stays_one() -> None:
    references = (
        "<ol>"
        + "".join(f"<li>王某：<a href='http://b.cn/{n}'>基层党组织建设研究之{n}</a>，2020年。</li>" for n in range(60))
        + "</ol>"
    )
    contents = "<ul>" + "".join(f"<li><a href='#h{n}'>第{n}节的标题文字</a></li>" for n in range(20)) + "</ul>"
    text = "".join(f"<h2><a href='#h{n}'>第{n}节的标题文字</a></h2><p>{SENTENCE * 2}</p>" for n in range(20))
    found = page(f"<h1>综述</h1>{contents}<p>{SENTENCE * 20}</p>{text}{references}{HOT}")
    assert (found.kind, found.reason) == ("article", "")
    assert page(f"<h1>综述</h1><p>{SENTENCE * 12}</p>{references}").kind == "article"


def test_a_declared_article_of_excerpts_of_others_needs_more_to_be_a_list() -> None:
    head = "<meta property='og:type' content='article'>"
    assert page(excerpts(8), head=head).kind == "article"
    assert page(excerpts(8)).kind == "list"


def test_a_tutorial_that_names_other_sites_above_every_paragraph_is_an_article() -> None:
    body = "".join(
        f"<p><a href='http://other{n}.cn/'>http://other{n}.cn/paper/{n}</a></p><p>{SENTENCE * 3}</p>" for n in range(9)
    )
    assert page(f"<h1>推荐</h1>{body}").kind == "article"


@pytest.mark.parametrize(
    ("body", "url", "title"),
    [
        ("<h1>开幕会</h1><div class='player'></div>", "http://www.example.cn/a/c1.html", "开幕会"),
        ("<h1>视频：开幕会</h1>", "http://www.example.cn/a/c1.html", "视频：开幕会_某某网"),
        ("<h1>开幕会</h1><video src='/1.mp4'></video>", "http://www.example.cn/a/c1.html", ""),
        ("<h1>开幕会</h1>", "http://www.example.cn/v/12345678.html", ""),
    ],
)
def test_a_video_has_no_text(body: str, url: str, title: str) -> None:
    found = page(body + HOT, url, f"<title>{title}</title>")
    assert (found.kind, found.reason, found.text) == ("video", VIDEO_PAGE, "")
    assert page(f"{body}<p>{SENTENCE * 2}</p>{HOT}", url, f"<title>{title}</title>").text.count(SENTENCE) == 2


def test_a_gallery_has_no_text() -> None:
    images = "".join(f"<p><img src='/{n}.jpg'></p>" for n in range(6))
    assert page(f"<h1>党员风采</h1>{images}").reason == GALLERY_PAGE
    assert page(f"<h1>党员风采</h1>{images}<p>{SENTENCE}</p>").kind == "article"
