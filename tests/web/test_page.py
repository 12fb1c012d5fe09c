"""Pages as a strategy sees them: links, head, lead, whatever the markup is like."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.web.dom import MAX_LABEL, MAX_LABELS, MAX_PATH
from topical_crawler.web.page import AROUND, MAX_ANCHOR, MAX_LEAD, MAX_TEXT, Evidence, Link, Page, description_of, full_text
from topical_crawler.web.urls import canonical

URL = "http://www.example.cn/dj/index.html"


def links(html: str, url: str = URL) -> list[tuple[str, str]]:
    return [(link.url, link.anchor) for link in Page.from_html(url, html).links]


def test_head_heading_and_lead() -> None:
    page = Page.from_html(
        URL,
        """<html><head><title> 支部\n 生活 </title><meta name="Keywords" content="党建,支部">
        <META NAME="DESCRIPTION" CONTENT="基层　党建 动态"><meta name="description" content="第二个不算"></head>
        <body><nav>首页 要闻 理论 支部 党员 学习 视频 图片 专题 关于我们 联系</nav><h1>组织<em>生活会</em></h1>
        <p>短句</p><p>各支部召开专题组织生活会，认真开展批评和自我批评，查摆问题。</p></body></html>""",
        "gb18030",
    )
    assert (page.title, page.keywords, page.description) == ("支部 生活", "党建,支部", "基层 党建 动态")
    assert page.heading == "组织生活会"
    assert page.lead == "各支部召开专题组织生活会，认真开展批评和自我批评，查摆问题。"
    assert (page.url, page.host, page.encoding) == (URL, "www.example.cn", "gb18030")
    assert page.html.startswith("<html>")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<meta property="og:description" content="分享用的摘要">', "分享用的摘要"),
        ('<meta property="og:description" content="分享"><meta name="description" content="本来的">', "本来的"),
        ('<meta name="description" content="  "><meta property="og:description" content="分享">', "分享"),
        ('<meta name="description">', ""),
    ],
)
def test_meta_description(html: str, expected: str) -> None:
    assert Page.from_html(URL, html).description == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (Page(URL, title="题", keywords="词", description="述", heading="头", lead="首"), "题\n词\n述"),
        (Page(URL, title="题", keywords="词", heading="头", lead="首"), "题\n词\n头\n首"),
        (Page(URL, description="述", heading="头", lead="首"), "述"),
        (Page(URL, heading="头", lead="首"), "头\n首"),
        (Page(URL, lead="首"), "首"),
        (Page(URL), ""),
    ],
)
def test_description_falls_back_on_heading_and_lead(page: Page, expected: str) -> None:
    assert description_of(page) == expected


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("1.html", "http://www.example.cn/dj/1.html"),
        ("/1.html", "http://www.example.cn/1.html"),
        ("../a/1.html", "http://www.example.cn/a/1.html"),
        ("?page=2", "http://www.example.cn/dj/index.html?page=2"),
        ("//b.cn/1", "http://b.cn/1"),
        ("https://b.cn/1", "https://b.cn/1"),
        ("  /1.html\n", "http://www.example.cn/1.html"),
        ("/a.html?x=1&amp;y=2", "http://www.example.cn/a.html?x=1&y=2"),
        ("/党建/1.html", "http://www.example.cn/党建/1.html"),
    ],
)
def test_addresses_are_made_absolute(href: str, expected: str) -> None:
    assert links(f'<a href="{href}">甲</a>') == [(expected, "甲")]


@pytest.mark.parametrize(
    "href",
    [
        "", "#top", "javascript:void(0)", "JavaScript:go(1)", "mailto:dj@example.cn", "MAILTO:dj@example.cn", "tel:010-1234",
        "data:text/html,x", "ftp://a.cn/x", "file:///etc/passwd", "http://[::1", "http://[broken]/", "//[",
    ],
)  # fmt: skip
def test_what_is_no_web_address_is_left_out(href: str) -> None:
    assert links(f'<a href="{href}">甲</a><a href="/b">乙</a>') == [("http://www.example.cn/b", "乙")]


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ('<base href="http://b.cn/x/">', "http://b.cn/x/1.html"),
        ('<base href="/y/">', "http://www.example.cn/y/1.html"),
        ('<base target="_blank"><base href="/y/">', "http://www.example.cn/y/1.html"),
        ('<base href="">', "http://www.example.cn/dj/1.html"),
        ('<base href="http://[">', "http://www.example.cn/dj/1.html"),
        ('<base href="javascript:x">', "http://www.example.cn/dj/1.html"),
    ],
)
def test_base_element(base: str, expected: str) -> None:
    assert links(f'{base}<a href="1.html">甲</a>') == [(expected, "甲")]


def test_frames_and_image_maps_are_links() -> None:
    assert links('<frameset><frame src="/menu.html" title="导航"><frame src="main.html"></frameset>') == [
        ("http://www.example.cn/menu.html", "导航"),
        ("http://www.example.cn/dj/main.html", ""),
    ]
    assert links('<map><area href="/a" alt="党建地图"></map><iframe src="/b"></iframe><iframe src="about:blank"></iframe>') == [
        ("http://www.example.cn/a", "党建地图"),
        ("http://www.example.cn/b", ""),
    ]


@pytest.mark.parametrize(
    ("inside", "anchor"),
    [
        ('<a href="/x">支部\n  <b>生活</b></a>', "支部 生活"),
        ('<a href="/x" title="提示">文字</a>', "文字"),
        ('<a href="/x" title=" 提示 "></a>', "提示"),
        ('<a href="/x"><img src="1.png" alt="图说"></a>', "图说"),
        ('<a href="/x" title="提示"><img src="1.png" alt="图说"></a>', "提示"),
        ('<a href="/x"><img src="1.png"></a>', ""),
        ('<a href="/x"><div><h3>主题教育</h3><p>摘要</p></div></a>', "主题教育摘要"),
        (f'<a href="/x">{"党" * 500}</a>', "党" * MAX_ANCHOR),
    ],
)
def test_anchor_text(inside: str, anchor: str) -> None:
    assert links(inside) == [("http://www.example.cn/x", anchor)]


def test_each_url_once_with_its_first_text_in_the_order_of_the_page() -> None:
    html = """<a href="/1"><img src="t.png"></a><a href="/2">乙</a><a href="/1">甲</a><a href="/1">更多</a>"""
    assert links(html) == [("http://www.example.cn/1", "甲"), ("http://www.example.cn/2", "乙")]


@pytest.mark.parametrize(
    "html",
    [
        "</html><body><a href='/x'>主题</a>",
        "<html><head></head></html><body><a href='/x'>主题</a></body></html>",
        "<title>未闭合<a href='/y'>不是链接</title><a href='/x'>主题",
        "<table><a href='/x'>主题<tr><td></table>",
        "<a href='/x'>主\0题</a>",
        "<A HREF=/x>主题</A>",
        "<p><b><a href='/x'>主题</p></b>",
        "<!-- <a href='/no'>注释</a> --><a href='/x'>主题</a>",
        "<script>document.write('<a href=/no>x</a>')</script><a href='/x'>主题</a>",
        "\ufeff<?xml version='1.0' encoding='gb2312'?><!DOCTYPE html><a href='/x'>主题</a>",
    ],
)
def test_broken_markup_is_read_as_a_browser_reads_it(html: str) -> None:
    assert links(html) == [("http://www.example.cn/x", "主题")]


def test_items_whose_ends_are_left_out_do_not_nest() -> None:
    assert len(links("<ul>" + "".join(f"<li><a href=/{n}.html>第{n}条</a>" for n in range(5_000)))) == 5_000
    terms = "".join(f"<dt><a href=/{n}.html>第{n}条</a><dd>释义" for n in range(5_000))
    assert len(links(f"<dl>{terms}</dl>")) == 5_000


def test_deeply_nested_markup() -> None:
    page = Page.from_html(URL, "<div>" * 2_000 + "<h1>主题</h1><a href='/x'>教育" + "</div>" * 2_000)
    assert (page.heading, page.links) == ("主题", (Link("http://www.example.cn/x", "教育"),))


@pytest.mark.parametrize("html", ["", " ", "\0", "<", "plain text", "<html>", "\ud800<a href=/x>\udfff"])
def test_hardly_a_page(html: str) -> None:
    page = Page.from_html(URL, html)
    assert (page.title, page.heading, page.html) == ("", "", html)


def test_lead_is_running_text_of_bounded_length() -> None:
    sentence = "广大党员干部要深入学习贯彻会议精神，扎实推进各项工作任务落地见效。"
    furniture = "".join(f"<{tag}>{sentence}</{tag}>" for tag in ("nav", "header", "footer", "aside", "script", "style"))
    page = Page.from_html(URL, f"{furniture}<ul><li>{sentence}</li></ul><div>{sentence * 9}</div>")
    assert page.lead == (sentence * 9)[:MAX_LEAD]
    assert Page.from_html(URL, furniture).lead == ""


def around(html: str) -> dict[str, str]:
    """The text around each link, by its anchor."""
    return {link.anchor: link.around for link in Page.from_html(URL, html, around=True).links}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("前文<a href=/1>甲</a>后文", {"甲": "前文 后文"}),
        ("<a href=/1>甲</a>", {"甲": ""}),
        ("前文<a href=/1>甲<b>乙</b> <i>丙</i><!-- 注 --></a>后文", {"甲乙 丙": "前文 后文"}),
        ("前文<a href=/1><img alt=图></a>后文", {"图": "前文 后文"}),
        ("前文<a href=/1>甲<script>var a</script></a>后文<script>var b</script><style>p {}</style>", {"甲var a": "前文 后文"}),
        ("<li><a href=/1>甲</a></li>\n\n  <li>\n <a href=/2>乙</a> 今日</li>", {"甲": "乙 今日", "乙": "甲 今日"}),
        ("<ul><li>词尾<li><a href=/1>甲</a><li>词头</ul>", {"甲": "词尾 词头"}),
        ("<p>前文<a href=/1>甲<p>后文", {"甲": "前文 后文"}),
        ("前\0文<a href=/1>甲</a>后\x1b[31m文", {"甲": "前文 后 [31m文"}),
        ("<nav>首页<a href=/1>甲</a></nav>", {"甲": "首页"}),
        ("前文<noscript><p>请启用<b>脚本</b></p></noscript><template>丁</template><a href=/1>甲</a>", {"甲": "前文"}),
        ("</html>前文<body><a href=/1>甲</a></body>后文", {"甲": "前文 后文"}),
        ("<table>前文<tr><td><a href=/1>甲</a><td>后文</table>", {"甲": "前文 后文"}),
        ("<a href=/1>甲<a href=/2>乙</a></a>后文", {"甲": "乙后文", "乙": "甲 后文"}),
        ("<a href=/1><img></a>旧处<p>前文<a href=/1>甲</a>", {"甲": "旧处 前文"}),
        ("<area href=/1 alt=图>", {"图": ""}),
    ],
)
def test_text_around_links(html: str, expected: dict[str, str]) -> None:
    assert around(html) == expected


def test_text_around_is_short_and_layout_does_not_use_it_up() -> None:
    layout = "\n" + " " * 40
    html = f"{'前' * 500}<p>{layout}<span>{layout}</span>{layout}<a href=/1>甲</a>{layout}<p>{layout}<p>{'后' * 500}"
    assert around(html) == {"甲": f"{'前' * (AROUND - 1)} {'后' * (AROUND - 1)}"}
    assert Page.from_html(URL, html).links[0].around == ""


def test_full_text_without_menus() -> None:
    article = "支部过好组织生活。" * 30
    menu = "<ul><li><a href=1>党建要闻</a><li>· <a href=2><b>廉政</b></a> 2024-05-01</ul>"
    menu += "<div><a href=3><h3>纪委</h3></a> | <a href=4>巡察</a></div>"
    page = Page.from_html(URL, f"<title>题</title>{menu}<p>{article}见<a href=5>主题教育</a>专栏。</p>{menu}<p>编后")
    assert full_text(page, menus=False) == f"题\n{article}见主题教育专栏。 编后"
    assert full_text(page).count("党建要闻 · 廉政 2024-05-01 纪委 | 巡察") == 2
    short = Page.from_html(URL, f"<title>题</title>{menu}<p>一行")  # a list: it says nothing but its links
    assert full_text(short, menus=False) == full_text(short) == "题\n党建要闻 · 廉政 2024-05-01 纪委 | 巡察 一行"


def test_full_text_is_what_a_reader_sees() -> None:
    page = Page.from_html(
        URL,
        """<title>题</title><nav>导航</nav><header>页眉</header><h1>主题<em>教育</em></h1><p>甲<script>var a</script>乙</p>
        <ul><li>一<li>二</ul><select><option>选项</select><button>按钮</button><footer>页脚</footer>""",
    )
    assert full_text(page) == "题\n主题教育 甲乙 一 二"
    assert full_text(Page.from_html(URL, "<title>题</title><p>" + "党建" * MAX_TEXT)) == ("题\n" + "党建" * MAX_TEXT)[:MAX_TEXT]
    assert full_text(Page(URL, title="题", lead="首")) == "题\n首"
    assert full_text(Page.from_html(URL, "<title>题</title>")) == "题"
    assert full_text(Page.from_html(URL, "<frameset><frame src=a.html></frameset>")) == ""


def test_a_form_may_hold_the_whole_page() -> None:
    """As on sites made with ASP.NET."""
    sentence = "党支部书记逐户走访听取群众对村里工作的意见建议。"
    inside = f"<input value=1><p>{sentence}<textarea>意见</textarea></p><select><option>{sentence}</select>"
    page = Page.from_html(URL, f"<title>题</title><body><form id=aspnetForm>{inside}</form>")
    assert (full_text(page), page.lead) == (f"题\n{sentence}", sentence)


def test_evidence_survives_json() -> None:
    evidence = Evidence("http://a.cn/", 0.1 + 0.2, False, '"党\\建"\n', 3)
    for more in ({}, {"around": "前 后"}, {"path": "p/a"}, {"around": "前", "path": "a"}):
        found = replace(evidence, **more)
        assert Evidence.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert Evidence.from_json(["http://a.cn/", 0.5, 1, "党建", 3]) == Evidence("http://a.cn/", 0.5, True, "党建", 3)
    assert Evidence.from_json(["http://a.cn/", 0.5, 1, "党建", 3, "前"]) == Evidence("http://a.cn/", 0.5, True, "党建", 3, "前")


_TAGS = [
    "<a href='", "'>", "</a>", "<base href=", "<meta name=description content=", "<title>", "</html>", "<body>", "<table>",
    "<!--", "-->", "<script>", "<frame src=", "http://", "//[", "&#0;", "\0", "<h1>", "<p>", "<p id='", " class=crumb>",
    " rel=tag href=", "/tag/", "党建", "<svg>", "<template>",
]  # fmt: skip
_MARKUP = st.lists(st.sampled_from(_TAGS) | st.text(max_size=8), max_size=30).map("".join)


@given(st.one_of(st.text(), st.text(st.characters(categories=None)), _MARKUP), st.one_of(st.just(URL), st.text(max_size=20)))
def test_nothing_raises(html: str, url: str) -> None:
    page = Page.from_html(url, html, around=True, paths=True)
    assert len(page.lead) <= MAX_LEAD
    assert len(full_text(page)) <= MAX_TEXT
    assert len({link.url for link in page.links}) == len(page.links)
    for link in page.links:
        assert link.url.lower().startswith(("http://", "https://"))
        assert len(link.anchor) <= MAX_ANCHOR
        assert len(link.around) <= 2 * AROUND + 1
        assert 0 < len(link.path) <= MAX_PATH
    assert len(page.labels) <= MAX_LABELS
    assert all(0 < len(label) <= MAX_LABEL for label in page.labels)
    said = (link.anchor + link.around + link.path for link in page.links)
    texts = (description_of(page), full_text(page), *page.labels, *said)
    "".join(texts).encode()  # without lone surrogates: it can be stored


def test_links_are_read_up_to_a_bound() -> None:
    html = "<p>前言" + "".join(f"<p>第{n}段<a href='/{n % 900}.html'>党建{n}</a>" for n in range(1000)) + "后记"
    read = Page.from_html("http://a.cn/", html, around=True, most_links=10)
    assert [link.url for link in read.links] == [f"http://a.cn/{n}.html" for n in range(10)]
    assert read.unread == 990 and read.links[9].around == Page.from_html("http://a.cn/", html, around=True).links[9].around
    whole = Page.from_html("http://a.cn/", html, most_links=950)
    assert (len(whole.links), whole.unread) == (900, 0)
    same = Page.from_html("http://a.cn/", "<a href='/党建.html'>党建</a>" * 1000, most_links=10)
    assert (len(same.links), same.unread) == (1, 960)


def test_a_page_of_endless_tags_is_read_up_to_a_bound() -> None:
    read = Page.from_html("http://a.cn/", "<title>党建</title>" + "<p>组织生活</p>" * 200_000, runs=True)
    assert read.title == "党建" and read.runs is not None and len(read.runs) == 5_000


BASE = "http://a.cn/dj/list.html"
HEADED = "<title>第一党支部的工作</title><p>我们在这里学习，大家都来了。"


@pytest.mark.parametrize(
    ("written", "encoding", "url"),
    [
        ("3.asp?name=洪17", "gb18030", "http://a.cn/dj/3.asp?name=%BA%E917"),
        ("//b.cn/党?a=洪&b=1#顶", "gb18030", "http://b.cn/%E5%85%9A?a=%BA%E9&b=1"),
        ("/s?kw=%BA%E9洪", "gb18030", "http://a.cn/s?kw=%BA%E9%BA%E9"),
        ("/s?kw=黨務", "big5", "http://a.cn/s?kw=%C4%D2%B0%C8"),
        ("/s?kw=☂洪", "big5", "http://a.cn/s?kw=%26%239730%3B%AC%78"),  # what an encoding lacks
        ("/s?kw=洪", "utf-8", "http://a.cn/s?kw=%E6%B4%AA"),
        ("/s?kw=洪", "utf-16-le", "http://a.cn/s?kw=%E6%B4%AA"),
    ],
)
def test_a_query_is_in_the_encoding_of_its_page(written: str, encoding: str, url: str) -> None:
    links = Page.from_html(BASE, f'{HEADED}<a href="{written}">', encoding).links
    assert [canonical(link.url) for link in links] == [canonical(url)]


@pytest.mark.parametrize(
    ("written", "url"),
    [
        (r"..\n\1.html", "http://a.cn/n/1.html"),
        (r"\n\1.html", "http://a.cn/n/1.html"),
        (r"http:\\b.cn\1.html", "http://b.cn/1.html"),
        (r"\\b.cn\1.html", "http://b.cn/1.html"),
        (r"/\b.cn/1.html", "http://b.cn/1.html"),
        (r"/s?p=a\b", "http://a.cn/s?p=a\\b"),
        ("/a\u202eb\x91.html", "http://a.cn/a%E2%80%AEb%C2%91.html"),
    ],
)
def test_backslashes_are_read_as_browsers_read_them(written: str, url: str) -> None:
    assert [link.url for link in Page.from_html(BASE, f'<a href="{written}">').links] == [url]


@pytest.mark.parametrize(
    ("html", "paths"),
    [
        ("""<div onclick="location.href='/n/1.html'">一</div>""", "/n/1.html"),
        ("""<a href="#" onclick="window.open('n/2.html', '_blank'); return false">二</a>""", "/dj/n/2.html"),
        ("""<a href="javascript:void(0)" onClick='self.location = "show?id=3"'>三</a>""", "/dj/show?id=3"),
        ("""<a href="javascript:top.location.replace('/n/4.jsp')">四</a>""", "/n/4.jsp"),
        ("""<li onclick="openNews('./n/5.shtml?x=1', 5)">五</li>""", "/dj/n/5.shtml?x=1"),
        ("""<a href="JavaScript:open(%27/n/6.html%27)">六</a><p onclick="location = `/n/7.html`">七""", "/n/6.html /n/7.html"),
        ("""<li onclick="tab('tab1');alert('确定吗？');play('1', '2.5')">""", ""),
        ("""<li onclick="location.href='/n/show.asp?id=' + this.id">""", ""),
        ("""<li onclick="s.replace('a', 'b')">""", ""),
        ("<select><option value='/links/6.html'>六<option value=page7.htm>七", "/links/6.html /dj/page7.htm"),
        ("<select><option value=8>8<option value=2024.5>5 月<option value='a/b'>北京<option>九.html", ""),
        ("<script>createPageHTML(3, 0, 'index', 'htm');</script>", "/dj/index_1.htm /dj/index_2.htm"),
        ("""<script>createPageHTML("box", 4, 2, "list", "html", 60)</script>""", "/dj/list_3.html /dj/list_4.html"),
        ("<script>createPageHTML('3','1','list','html');</script>", "/dj/list_2.html /dj/list_3.html"),
        ("<script>createPageHTML(1, 0, 'index', 'htm')</script>", ""),
        ("<script>function createPageHTML(total, present, name, suffix) {}</script>", ""),
    ],
)
def test_addresses_that_scripts_go_to_are_links(html: str, paths: str) -> None:
    links = Page.from_html(BASE, HEADED + html).links
    assert [link.url.removeprefix("http://a.cn") for link in links] == paths.split()


def test_pages_of_a_list_are_numbered_from_the_present_one_on() -> None:
    html = "<script>createPageHTML(900, 7, 'list', 'html')</script>"
    urls = [link.url for link in Page.from_html("http://a.cn/dj/list_7.html", html).links]
    assert urls[0] == "http://a.cn/dj/list_8.html" and 10 < len(urls) < 100
    last = Page.from_html("http://a.cn/dj/list_3.html", "<script>createPageHTML(4, 3, 'list', 'html')</script>")
    assert last.links == ()


def test_a_declarative_shadow_root_is_seen() -> None:
    html = (
        "<x-a><template shadowrootmode=open><p>支部</p><template><p>模板</p></template></template></x-a><template>无</template>"
    )
    assert full_text(Page.from_html("http://a.cn/", html)).split() == ["支部"]


def test_a_page_with_hardly_any_text_is_read_with_its_data() -> None:
    text = "渡口的船修好了，明天一早就可以下水。" * 4
    html = f"<title>渡口</title><div id=app></div><script>window.__STATE__ = {{body: '{text}'}}</script>"
    assert full_text(Page.from_html("http://a.cn/", html)) == f"渡口\n{text}"
    assert full_text(Page.from_html("http://a.cn/", html, runs=True)) == f"渡口\n{text}"
    own = "晚上在祠堂里有戏，演的是白蛇传，锣鼓已经借来了。" * 3
    assert full_text(Page.from_html("http://a.cn/", html.replace("<script", f"<p>{own}</p><script"))) == f"渡口\n{own}"
