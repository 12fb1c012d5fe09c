"""What a page is: articles survive, lists, videos and galleries do not."""

import pytest

from topical_crawler.extraction.extract import (
    ERROR_PAGE,
    GALLERY_PAGE,
    LIST_PAGE,
    MAX_HTML,
    TAG_PAGE,
    VIDEO_PAGE,
    Extracted,
    extract,
)

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
    assert page(excerpts(8, more), "http://blog.example.cn/").kind == "home"
    assert page(excerpts(8, more), "http://blog.example.cn/whatever").kind == "list"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        *(("/tags/party/", "tag"), ("/category/dangjian/page/3/", "tag"), ("/categories/a/b/c/d/e/f/page/2/", "tag")),
        *(("/archives/2023/04/", "list"), ("/page/2/", "list"), ("/posts/page/2/", "list"), ("/dangjian/index_2.shtml", "list")),
        *(("/list/8_5.html", "list"), ("/zt/3.htm", "list"), ("/", "home"), ("/index.html", "home")),
    ],
)
def test_addresses_of_lists(path: str, kind: str) -> None:
    body = f"<h1>党建</h1><ul><li><a href='/1.html'>{SENTENCE}</a> 04-12</li></ul>"
    assert page(body, f"http://www.example.cn{path}").kind == kind
    assert page(f"<h1>党建</h1><p>{SENTENCE * 3}</p>", "http://www.example.cn/archives/1234.html").kind == "article"


@pytest.mark.parametrize(
    "path", ["/2024/05/09/opinions/party-work/index.html", "/a/b/20240509/index.htm", "/?id=20537", "/topics/43661"]
)
def test_an_article_may_have_the_address_of_an_index(path: str) -> None:
    body = f"<h1>支部开展主题党日</h1><p>{SENTENCE * 4}</p>{HOT}"
    assert page(body, f"http://www.example.cn{path}").kind == "article"


def test_related_articles_with_excerpts_do_not_make_a_list() -> None:
    related = "".join(f"<div><a href='/p/{n}.html'>{n}号支部的学习心得体会</a></div><div>{SENTENCE * 2}</div>" for n in range(2))
    links = "".join(f"<li><a href='/x/{n}.html'>另一条新闻的长长的标题之{n}</a></li>" for n in range(3))
    text = "".join(f"<p>{SENTENCE}</p>" for _ in range(3)) + f"<ul>{links}</ul><p>{SENTENCE * 2}</p>"
    assert page(f"<h1>支部开展主题党日</h1>{text}{related}").kind == "article"


@pytest.mark.parametrize("day", ["2024-05-01 08:15 来源：本报讯", "2024年5月1日"])
@pytest.mark.parametrize("heading", ["h1", "div"])
@pytest.mark.parametrize("title", ["国家主席将对三国进行国事访问", "国家主席 将对三国进行国事访问"])
def test_a_text_of_two_lines_outweighs_excerpts_of_others(heading: str, day: str, title: str) -> None:
    text = "国家主席五月五日至十日将对三国进行国事访问，外交部发言人今天宣布了这一消息。"
    head = f"<title>{title}_某某网</title>"
    own = f"<{heading}>{title}</{heading}><div>{day}</div><div>{text}</div>"
    others = "".join(f"<dl><dt><a href='/k/{n}'>另一条新闻的标题之{n}</a></dt><dd>{SENTENCE * 2}……</dd></dl>" for n in range(9))
    found = page(f"{own}<div class='rel'><div>相关阅读</div>{others}</div>", head=head)
    assert (found.kind, found.text.removeprefix(day).strip()) == ("article", text)
    assert page(f"<{heading}>{title}</{heading}>{others}", head=head).reason == LIST_PAGE  # no text of its own


def test_a_title_tells_the_page_of_a_tag() -> None:
    found = page(f"<h1>党建</h1>{excerpts(3)}", "http://www.example.cn/x/12", "<title>标签：党建 - 小林的博客</title>")
    assert (found.kind, found.reason) == ("tag", TAG_PAGE)


def test_short_lists_of_headlines_are_lists() -> None:
    rows = "".join(f"<div>06-0{n}</div><div><a href='/posts/{n}.html'>第{n}单元的学习笔记</a></div>" for n in range(1, 5))
    assert page(f"<h1>学习</h1>{rows}", "http://www.example.cn/x").kind == "list"


def test_excerpts_whose_links_hold_no_text_are_lists() -> None:
    box = "<article><h2>第{0}篇</h2><p>{1}各支部要…</p><a href='/{0}.html'></a></article>"
    boxes = "".join(box.format(n, SENTENCE * 2) for n in range(5))
    assert page(boxes, "http://www.example.cn/posts/page/2/").kind == "list"
    assert page(boxes, "http://www.example.cn/posts/5.html").kind == "article"


@pytest.mark.parametrize(
    "head",
    [
        "<meta name='generator' content='Docusaurus v3.1'>",
        "<link rel='next' href='b.html'><link rel='canonical' href='http://www.example.cn/docs/a.html'>",
    ],
)
def test_documentation_is_kept_as_such(head: str) -> None:
    found = page(f"<h1>安装</h1><p>{SENTENCE * 6}</p>", "http://www.example.cn/docs/a.html", head)
    assert (found.kind, found.reason) == ("documentation", "")
    assert SENTENCE in found.text


def test_a_calendar_is_a_list() -> None:
    days = " ".join(f"<a href='/calendar?d=2024{m:02d}01'>2024年{m}月</a>" for m in range(1, 13))
    assert page(days, "http://www.example.cn/calendar?d=20240101").kind == "list"


def test_an_article_with_many_links_stays_one() -> None:
    cited = (f"<li>王某：<a href='http://b.cn/{n}'>基层党组织建设研究之{n}</a>，2020年。</li>" for n in range(60))
    references = f"<ol>{''.join(cited)}</ol>"
    contents = "<ul>" + "".join(f"<li><a href='#h{n}'>第{n}节的标题文字</a></li>" for n in range(20)) + "</ul>"
    text = "".join(f"<h2><a href='#h{n}'>第{n}节的标题文字</a></h2><p>{SENTENCE * 2}</p>" for n in range(20))
    found = page(f"<h1>综述</h1>{contents}<p>{SENTENCE * 20}</p>{text}{references}{HOT}")
    assert (found.kind, found.reason) == ("article", "")
    assert page(f"<h1>综述</h1><p>{SENTENCE * 12}</p>{references}").kind == "article"


def test_a_declared_article_of_excerpts_of_others_needs_more_to_be_a_list() -> None:
    for kind in ("article", "news"):
        assert page(excerpts(8), head=f"<meta property='og:type' content='{kind}'>").kind == "article"
    assert page(excerpts(8)).kind == "list"


def test_a_tutorial_that_names_other_sites_above_every_paragraph_is_an_article() -> None:
    named = "<p><a href='http://other{0}.cn/'>http://other{0}.cn/paper/{0}</a></p><p>{1}</p>"
    body = "".join(named.format(n, SENTENCE * 3) for n in range(9))
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


GONE = "您要找的页面不存在，可能已经改名，请检查地址是否正确，或者回到首页重新查找。"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("404", f"<h1>404</h1><p>{GONE}</p>"),
        ("页面不存在 - 某某网", f"<h1>页面不存在</h1><p>{GONE}</p><p>{SENTENCE * 9}</p>"),
        ("404 - Page not found", "<h2>Oops!</h2><p>抱歉，该页面无法找到。You may go back to the home page and search again.</p>"),
        ("找不到網頁 | 某某日報", "<p>對不起，您要查詢的網頁已經下架，或是網址輸入錯誤，請回到首頁重新查詢。</p>"),
        ("提示信息 - 某某论坛", "<p>抱歉，指定的主题不存在或已被删除或正在被审核，请返回上一页。</p>"),
        ("某某区人民政府", f"<p>很抱歉，{GONE}</p><p>十秒以后自动返回首页，谢谢您的配合。</p>"),
        ("", "<h2>该内容已被发布者删除</h2><p>如有疑问，请联系公众号的运营者，或者继续浏览其他的文章。</p>"),
        ("500 - 内部服务器错误。", "<h1>服务器错误</h1><p>您查找的资源存在问题，因而无法显示，请联系网站的管理员。</p>"),
    ],
)
def test_a_page_that_says_that_it_is_gone_has_no_text(title: str, body: str) -> None:
    found = page(body + HOT, head=f"<title>{title}</title>")
    assert (found.kind, found.reason, found.text) == ("error", ERROR_PAGE, "")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("网站的404页面怎么做", f"<p>看到页面不存在几个字，读者多半会离开。{SENTENCE * 8}</p>"),
        ("旧帖已被删除之后", f"<p>{SENTENCE * 8}</p>"),
        ("旧码头拆除", "<p>镇上的旧码头昨天拆除，施工队用了三天。镇志办公室说，有关的信息和老照片已经找不到了。</p>"),
        ("页面不存在", f"<p>{SENTENCE * 8}</p><p>小说的最后一章，写一个程序员在屏幕上看到的五个字。</p>"),
    ],
)
def test_an_article_may_speak_of_pages_that_are_gone(title: str, body: str) -> None:
    assert page(f"<h1>{title}</h1>{body}", head=f"<title>{title}</title>").kind == "article"


def test_a_gallery_has_no_text() -> None:
    images = "".join(f"<p><img src='/{n}.jpg'></p>" for n in range(6))
    assert page(f"<h1>党员风采</h1>{images}").reason == GALLERY_PAGE
    assert page(f"<h1>党员风采</h1>{images}<p>{SENTENCE}</p>").kind == "article"


@pytest.mark.parametrize(
    "bulk",
    [
        "<svg viewBox='0 0 9 9'>" + "<path d='M0 0 L9 9'/>" * 150_000 + "</svg>",
        f"<p><img src='data:image/png;base64,{'iVBORw0KGgo' * 250_000}'></p>",
        f"<style>{'.a{color:red}' * 200_000}</style>",
        f"<script>window.data={{a:'{'x' * 2_500_000}'}}</script>",
        f"<div style='background:url(data:image/svg+xml,{'%3Csvg%3E' * 300_000})'></div>",
    ],
    ids=["drawing", "image", "style", "script", "background"],
)
def test_what_holds_no_text_does_not_make_a_page_too_large(bulk: str) -> None:
    assert len(bulk) > MAX_HTML
    found = page(f"<h1>支部开展主题党日</h1>{bulk}<p>{SENTENCE * 6}</p>")
    assert (found.reason, found.text) == ("", SENTENCE * 6)
