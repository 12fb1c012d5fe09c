"""Titles, dates, authors, sources, sections, canonical addresses, licences: each witness, and what they disagree on."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from lxml.html import document_fromstring

from topical_crawler.extraction.details import ACCURACY, Details, Witnesses, elect, read_details
from topical_crawler.extraction.structure import normalise, read_blocks

FETCHED = "2024-03-05T02:00:00+00:00"
URL = "http://www.example.cn/dangjian/c1.html"


PERSON = {"@type": "Person", "@id": "#p", "name": "沈砚"}
PROSE = "<p>各支部开展主题党日活动，党员一起重温入党誓词，讨论下一步的工作。</p>" * 3


def details(body: str, head: str = "", url: str = URL, fetched: str = FETCHED, anchors: Sequence[str] = ()) -> Details:
    tree = document_fromstring(f"<html><head>{head}</head><body>{body}</body></html>")
    return read_details(tree, read_blocks(normalise(tree)), url, fetched, anchors)


def json_ld(data: object) -> str:
    return f"<script type='application/ld+json'>{json.dumps(data)}</script>"


def test_the_lines_around_a_headline() -> None:
    found = details(
        "<p><a href='/'>首页</a> &gt; <a href='/dj/'>党建</a> &gt; <a href='/yw/'>要闻</a> &gt; 正文</p>"
        "<h1>支部开展主题党日</h1>"
        "<div>2024年03月01日 08:30 来源：人民网 作者：张三 李四</div><p>二十日，支部开展活动。</p><p>责任编辑：王五</p>",
        "<title>支部开展主题党日--党建--人民网</title>",
    )
    assert found == Details("支部开展主题党日", "2024-03-01", "张三、李四", "人民网", "党建 > 要闻")


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


AUTHORS = [
    ("张三", "作者：张三", "文/张三", "作者 ： 张三 时间：2024-03-01"),
    ("沈秋禾", "撰文丨沈秋禾", "文｜沈秋禾　图｜罗川", "採訪撰文／沈秋禾　責任編輯／羅川",
      "策划：罗川｜文字：沈秋禾｜摄影：陈溪", "责任编辑：罗川　文字记者：沈秋禾", "〔記者沈秋禾／花蓮報導〕",
      "（中央社記者沈秋禾高雄12日電）", "By 沈秋禾", "作者：沈秋禾 2024-03-01", "作者：沈秋禾醫師"),
    ("沈秋禾、罗川", "采写丨沈秋禾 罗川"),
    ("Anna Lind", "by Anna Lind"),
    ("安娜·林德", "作者：[德]安娜·林德 译者：沈秋禾", "作者：（英）安娜·林德／譯者：沈秋禾",
      "作者：安娜·林德（Anna Lind） 翻译：沈秋禾"),
    ("县农技站编辑部", "作者：县农技站编辑部"),
    ("市疾控中心宣传科", "撰文：市疾控中心宣传科 2024-03-01"),
    ("《田园报》评论部", "作者：《田园报》评论部"),
    ("稻花_青蛙1987", "作者：稻花_青蛙1987"),
    ("2023的雪", "作者：2023的雪 发布时间：2024-03-01"),
    ("", "作者：本刊编辑", "作者：13800000000", "译者：沈秋禾", "摄影：沈秋禾", "责任编辑：张三", "（编辑：张三）",
      "责编：张三 审核：李四", "作者：责任编辑 张三"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "author"), [(line, author) for author, *lines in AUTHORS for line in lines])
def test_authors(line: str, author: str) -> None:
    assert details(f"<h1>标题标题</h1><p>{line}</p>").author == author


SOURCES = [
    ("新华社", "来源：新华社"),
    ("人民日报", "稿件来源： 《人民日报》"),
    ("党建网", "文章来源：党建网 作者：张三", "来源：党建网发布时间：2024-03-01"),
    ("求是", "（转自《求是》）"),
    ("", "来源：http://a.cn/", "人民群众是力量的来源"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "source"), [(line, source) for source, *lines in SOURCES for line in lines])
def test_sources(line: str, source: str) -> None:
    assert details(f"<h1>标题标题</h1><p>{line}</p>").source == source


def test_sections() -> None:
    trail = "<div>当前位置：<a href='/'>首页</a> &gt;&gt; <a href='/x'>理论</a> &gt;&gt; 正文</div>"
    assert details(f"{trail}<h1>标题</h1>").section == "理论"
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


# -- Witnesses and conflicts


def test_a_witness_outweighs_another_by_its_accuracy_and_two_outweigh_one() -> None:
    day = ACCURACY["day"]
    assert day["byline"] > day["moment in UTC"] > day["updated"]
    heard = [("day", "updated", "2024-03-03"), ("day", "moment in UTC", "2024-03-02"), ("title", "h1", "2024-03-04")]
    assert elect("day", heard) == "2024-03-02"
    assert elect("day", [*heard, ("day", "byline", "2024-03-01")]) == "2024-03-01"
    assert elect("author", heard) == ""


@pytest.mark.parametrize(
    ("witness", "head", "body"),
    [
        ("json-ld", json_ld({"@graph": [{"@type": "NewsArticle", "headline": "支部开展主题党日"}]}), ""),
        ("open graph", "<meta property='og:title' content='支部开展主题党日 - 党建网'>", ""),
        ("meta", "<meta name='ArticleTitle' content='支部开展主题党日'>", ""),
        ("microdata", "", "<p itemprop='headline'>支部开展主题党日</p>"),
        ("microdata", "", "<p property='headline'>支部开展主题党日</p>"),
        ("h1", "", "<h1>支部开展主题党日</h1>"),
        ("class", "", "<div class='con_tit'>支部开展主题党日</div>"),
        ("above byline", "", "<div>支部开展主题党日</div><div>2024-03-01 08:30 来源：党建网</div>"),
    ],
)
def test_who_names_the_title(witness: str, head: str, body: str) -> None:
    tree = document_fromstring(f"<html><head><title>青山在线</title>{head}</head><body>{body}{PROSE}</body></html>")
    assert ("title", witness, "支部开展主题党日") in Witnesses(tree, read_blocks(normalise(tree)), URL).hear()
    assert details(body + PROSE, f"<title>青山在线</title>{head}").title == "支部开展主题党日"


def test_the_anchor_of_a_link_names_a_line_of_the_page() -> None:
    body = f"<div>青山在线欢迎您</div><div>支部开展主题党日</div>{PROSE}"
    assert details(body, "<title>青山在线</title>").title == "青山在线欢迎您"
    assert details(body, "<title>青山在线</title>", anchors=["上一篇", "支部开展主题党日"]).title == "支部开展主题党日"
    assert details(body, "<title>青山在线</title>", anchors=["不在这一页的标题"]).title == "青山在线欢迎您"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("县卫生局", "<h1 class='logo'>县卫生局</h1><div class='title'>我县检查饮水安全</div><p>2024-03-01 08:30</p>"),
        ("我县检查饮水安全_公告_县政府网", "<h1><a href='/'>县政府网</a></h1><h3>我县检查饮水安全</h3>"),
        ("我县检查饮水安全", "<h2><span>原创</span>我县检查饮水安全</h2><h2>相关推荐</h2>"),
        ("我县检查饮水安全 县卫生局", "<h1>县卫生局</h1><div>我县检查饮水安全</div>"),
        ("河边的人: 我县检查饮水安全", "<h1><a href='http://www.example.cn/'>河边的人</a></h1><h3>我县检查饮水安全</h3>"),
        ("我县检查饮水安全", "<h1>第一章</h1><p>说明</p><h1>第二章</h1>"),
        ("我县检查饮水安全 | 深度驿站", "<div class='title'>你的赏识是我前进的动力</div><p>我县检查饮水安全</p>"),
        ("我县检查饮水安全 - 石头记 - 博客园", "<h1><a href='/stone'>石头记</a></h1><h1>我县检查饮水安全</h1>"),
        ("我县检查饮水安全 · Issue #214 · 饮水", "<h1>我县检查饮水安全 <span>#214</span></h1>"),
    ],
)
def test_a_headline_against_the_name_of_the_site(title: str, body: str) -> None:
    assert details(body + PROSE, f"<title>{title}</title>").title == "我县检查饮水安全"


@pytest.mark.parametrize(
    ("head", "body", "day"),
    [
        (json_ld({"@type": "Article", "datePublished": "2024-02-03T10:00:00+08:00"}), "", "2024-02-03"),
        (json_ld({"@context": "https://ziyuan.baidu.com/c/cambrian.jsonld", "pubDate": "2024-02-03T10:00:00"}), "", "2024-02-03"),
        ("<meta itemprop='datePublished' content='2024-02-03 10:00'>", "", "2024-02-03"),
        ("", "<time itemprop='datePublished' datetime='2024-02-03T20:00:00Z'>今天</time>", "2024-02-04"),
        ("", "<div>posted @ 2024-02-03 10:00 石头 阅读(3)</div>", "2024-02-03"),
        ("", "<div>发表于 2024-02-03 | 更新于 2024-03-01</div>", "2024-02-03"),
        ("", "<div>更新于 2024-03-01 | 发表于 2024-02-03</div>", "2024-02-03"),
        ("", f"{PROSE}<div>最后更新: 2024年2月3日</div>", "2024-02-03"),
        ("", f"{PROSE}<p>本页面最后修订于2024年2月3日 (星期六) 08:16。</p>", "2024-02-03"),
        ("", "<em id='publish_time'></em><script>var ct = '1706925600';</script>".replace("'", '"'), "2024-02-03"),
        ("", "<dl><dt>发布日期：</dt><dd>2024年02月03日</dd></dl>", "2024-02-03"),
        ("", "<p>2024年2月3日，支部开会。</p><p>Copyright © 2010-2024</p>", ""),
        ("", "<div>今日诗词</div><div>最近更新：昨天</div>", ""),
        (
            "<meta name='citation_date' content='2024/02/03'>",
            "<div>收稿日期：2023-09-01；修回：2023-12-01</div>",
            "2024-02-03",
        ),
        ("", "<div>发表于2024-02-03</div><div>请补充来源。 (2024年3月1日)</div>", "2024-02-03"),
        ("<meta name='publishdate' content='1706925600000'>", "", "2024-02-03"),
        ("<meta name='release_date' content='20240203101500'>", "", "2024-02-03"),
        ("<meta http-equiv='date' content='2024-02-03'>", "", "2024-02-03"),
        ("<meta name='pubdate' content='Fri, 02 Feb 2024 18:00:00 GMT'>", "", "2024-02-03"),
        ("<meta name='pubdate' content='Sat Feb 03 02:00:00 CST 2024'>", "", "2024-02-03"),
        (json_ld({"@type": "Article", "datePublished": 1706925600}), "", "2024-02-03"),
        ("", "<span itemprop='dateCreated'>2024-02-03</span>", "2024-02-03"),
        ("", "<div><time datetime='2024-02-03'>1年前</time></div>", "2024-02-03"),
        ("", "<div><relative-time datetime='2024-02-02T20:00:00Z'>1年前</relative-time></div>", "2024-02-03"),
        ("", "<div><span title='发表于 2024-02-03 10:00'>1年前</span></div>", "2024-02-03"),
        ("", "<div><i data-created='1706925600'></i></div>", "2024-02-03"),
        ("", "<input type='hidden' value='2024-02-03 10:00'>", "2024-02-03"),
        ("", f"{PROSE * 40}<div><time datetime='2024-02-03'>1年前</time></div>", ""),
        ("", "<script>var publishTime = 1706925600000;</script>", "2024-02-03"),
        ("", "<script>showDate('2024/02/03 10:00')</script>", "2024-02-03"),
        ("", "<script>render('/Date(1706925600000)/')</script>", "2024-02-03"),
        ("", "<script>var user = 1706925600;</script>", ""),
        ("", "<div>1706925600</div>", ""),
        ("", "<div>沈秋禾 · 读书 · 2024-02-03</div>", "2024-02-03"),
    ],
)
def test_who_names_the_day(head: str, body: str, day: str) -> None:
    assert details(f"<h1>支部开展主题党日</h1>{body}", head).date == day


def test_a_moment_in_utc_is_a_day_in_beijing_on_chinese_pages_without_a_day_to_read() -> None:
    head = "<meta property='article:published_time' content='2024-02-03T20:00:37.000Z'>"
    assert details("<h1>A quiet village</h1>", head).date == "2024-02-03"
    assert details("<h1>支部开展主题党日</h1>", head).date == "2024-02-04"
    assert details("<h1>支部开展主题党日</h1><div>发表于 2024-02-03 标签 党建</div>", head).date == "2024-02-03"


@pytest.mark.parametrize(
    ("head", "body", "author"),
    [
        (json_ld({"@graph": [{"@type": "Article", "author": {"@id": "#p"}}, PERSON]}), "", "沈砚"),
        (json_ld({"@type": "Article", "author": {"@type": "Organization", "name": "项目贡献者"}}), "", ""),
        ("<meta name='citation_author' content='陈 溪'><meta name='citation_author' content='罗川'>", "", "陈 溪、罗川"),
        ("<meta name='author' content='105123'>", "", ""),
        ("<meta name='author' content='admin'>", "", ""),
        ("<meta property='og:site_name' content='山中来信'><meta name='author' content='山中来信'>", "", ""),
        ("", "<span itemprop='author' itemscope><meta itemprop='name' content='Dr Kuma'></span>", "Dr Kuma"),
        ("", "<p>作者 <span property='author'>木头人</span></p>", "木头人"),
        ("", "<div>本文作者： 柏舟</div>", "柏舟"),
        ("", "<dl><dt>作者:</dt><dd>Greg Smith &lt;greg@example.org&gt;</dd></dl>", "Greg Smith"),
        ("", "<p>光明日报记者　周望山　陈　溪</p>", "周望山、陈溪"),
        ("", f"{PROSE}<p>（新京报记者 彭冲 山东冠县报道）</p>", "彭冲"),
        ("", "<p>江河社云水4月12日电（记者罗川、白露）入夏以来，老街热闹起来，石板路两旁换了新招牌。</p>", "罗川、白露"),
        ("", "<div>作者：文/王小明 图/李大力 审核：孙立</div>", "王小明"),
        ("", "<div>螺丝刀 发表于 2019-7-8 21:05</div>", "螺丝刀"),
        ("", "<div><a href='/member/nightowl'>nightowl</a> · 2023-05-06 12:13:14</div>", "nightowl"),
        ("", "<div><a class='follow-nickName' href='/x'>老周写代码</a></div><div>于 2021-03-04 发布</div>", "老周写代码"),
        ("", "<div>石佳/中国青年报</div><div>2019-09-24 09:10</div>", "石佳"),
        ("", "<div>posted @ 2020-11-12 08:30 石头记 阅读(12) 评论(4)</div>", "石头记"),
        ("", "<span class='article__author'>河岸報／ 記者<a href='/r/1'>林書寧</a>／台北報導</span>", "林書寧"),
        ("<meta name='author' content='李楠'>", f"{PROSE}<div>编辑:李楠</div>", ""),
        ("", f"{PROSE}<h2>作者最新文章</h2>", ""),
        ("", "<div>作者：佚名</div>", ""),
        ("", "<p>本刊记者 王立 摄</p>", ""),
        ("", "<p>记者调查 民意调查</p>", ""),
        ("", "<div>来源：晨报 作者：晨报</div>", ""),
    ],
)
def test_who_names_the_author(head: str, body: str, author: str) -> None:
    assert details(f"<h1>支部开展主题党日</h1>{body}", head).author == author


def test_the_byline_names_the_author_where_the_head_names_the_owner_of_the_site() -> None:
    head = "<meta name='author' content='Yafine'>"
    assert details("<h1>浏览器的历史</h1><div>作者：石头</div>", head).author == "石头"


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("<div>2005年03月21日 11:21 《理财周刊》</div>", "理财周刊"),
        ("<div>2019-09-26 10:56:28 证券时报网</div>", "证券时报网"),
        ("<div>2019-09-26 10:56:28 城南旧事</div>", ""),
        ("<div>2020-11-23 10:22:14 出处：快科技 作者：宪瑞</div>", "快科技"),
        ("<div>来源于：东区办事处</div>", "东区办事处"),
        ("<div>于 2021-03-04 12:13:14 发布</div>", ""),
        ("<p>图片来源：摄图网</p><p>数据来源：统计局</p>", ""),
        ("<span id='js_name'>小城手记</span>", "小城手记"),
        (f"{PROSE * 20}<p>来源：县交警</p><p>相关新闻</p>{'<p>又一条</p>' * 50}", "县交警"),
        ("<div>2004年7月16日08:19 来源：[ 国际金融报 ]</div>", "国际金融报"),
        ("<table><tr><td>信息来源：</td><td>县住建局</td></tr></table>", "县住建局"),
        ("<div>2020-07-08 21:14 来源: <a href='/m'>云水发布</a></div>", "云水发布"),
    ],
)
def test_who_names_the_outlet(body: str, source: str) -> None:
    assert details(f"<h1>支部开展主题党日</h1>{body}{PROSE}").source == source


def test_the_layouts_of_the_benchmark() -> None:
    from details import FIELDS, load, ours, score

    layouts = [page for page in load(Path("nowhere"), None, lambda _: None) if page.set == "layouts"]
    found = [ours(page) for page in layouts]
    right = {field: scored["accuracy"] for field in FIELDS if (scored := score(layouts, found, field))}
    assert len(layouts) >= 29
    assert min(right.values()) >= 0.93
