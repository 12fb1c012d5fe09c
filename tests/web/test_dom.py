"""Where a link stands on its page, and what a page says it is filed under."""

import time
from types import SimpleNamespace

import pytest
from scrapy.http import HtmlResponse, Request

from experiments.memory_frontier import MemoryFrontier
from topical_crawler.frontier.base import Entry
from topical_crawler.items import PageItem
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.web.dom import MAX_GROUP, MAX_LABEL, MAX_LABELS, MAX_PATH, names_a_label
from topical_crawler.web.page import Page
from topical_crawler.web.urls import fingerprint

URL = "http://www.example.cn/dj/1.html"


def labels(html: str) -> tuple[str, ...]:
    return Page.from_html(URL, html).labels


def paths(html: str) -> dict[str, str]:
    """The path of each link, by its anchor."""
    return {link.anchor: link.path for link in Page.from_html(URL, html, paths=True).links}


LABELLED = "tag/党建/ blog/Tags/1 category/1.html?page=2 categories/dj#top topics/1 channel/dj columns/dj LABEL/dj tags/index"
UNLABELLED = "tags tags/ tags/?x=1 tags/Index.html hashtags/1 tag-1/2 ?to=/tag/1 #/tag/1"


def test_addresses_that_name_a_label() -> None:
    assert [path for path in LABELLED.split() if not names_a_label(f"http://a.cn/{path}")] == []
    assert [path for path in UNLABELLED.split() if names_a_label(f"http://a.cn/{path}")] == []
    assert not names_a_label("http://tags/1") and not names_a_label("")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=/tag/1>支部</a><a href=/1.html>要闻</a>", ("支部",)),
        ("<a href=../category/2>支部</a>", ("支部",)),
        ("<base href=/tags/x/><a href=1>支部</a>", ("支部",)),
        ("<a rel='Nofollow TAG' href=/1>支部</a><a rel=category href=/2>党课</a><a rel=nofollow href=/3>", ("支部", "党课")),
        ("<div class='nav BreadCrumbs'><a href=/>首页</a><p><a href=/dj/>党建</a></div><a href=/3>无</a>", ("首页", "党建")),
        ("<div id=top-crumb><a href=/>首页</a></div>", ("首页",)),
        ("<a class=crumb__link href=/>首页</a>", ("首页",)),
        ("<body class=has-crumbs><a href=/>首页</a>", ()),
        ("<p class=crumb><a href='javascript:x'>首页</a><a href=/tag/1></a><a href=/tag/2> \n</a>", ()),
        ("<a href=/tag/1><img alt=图></a><iframe src=/tag/2 title=框></iframe>", ("图",)),
        ("<a href=/tag/1> # 党建 </a><a href=/tag/2>C#</a><a href=/tag/3>#</a>", ("党建", "C#")),
        ("<a href=/tag/1>党\x1b\n<b>课</b></a><a href=/tag/2 title='支\x07部'></a>", ("党 课", "支部")),
        ("<a href=/tag/1>党建</a><p><a href=/tag/2>支部</a><a href=/tag/3>党建</a>", ("党建", "支部")),
        ("<a href=/tag/1>标签一</a><p><a href=/tag/1>标签二</a>", ("标签一", "标签二")),
        (f"<a href=/tag/1>{'长' * MAX_LABEL}</a><a href=/tag/2>{'题' * (MAX_LABEL + 1)}</a>", ("长" * MAX_LABEL,)),
        ("<meta property=article:tag content='支部, 党课，'><meta name=Article:Section content=党建>", ("支部", "党课", "党建")),
        ("<meta property=article:tag content='党建'><a href=/tag/1>党建</a><meta property=article:tag>", ("党建",)),
        ("<p>正文", ()),
    ],
)
def test_labels(html: str, expected: tuple[str, ...]) -> None:
    assert labels(html) == expected


def tag_links(number: int, first: int = 0) -> str:
    return "".join(f"<li><a href=/tag/{n}>标签{n}</a>" for n in range(first, first + number))


def test_a_cloud_of_tags_is_left_out() -> None:
    own = "<p class=tags><a href=/tag/x>支部</a>"
    assert len(labels(f"{own}<ul>{tag_links(MAX_GROUP)}</ul>")) == 1 + MAX_GROUP
    assert labels(f"{own}<ul>{tag_links(MAX_GROUP + 1)}</ul>") == ("支部",)
    # The items of a list have other ids, but one template.
    items = "".join(f"<div id=post-{n} class=post><a href=/tag/{n}>标签{n}</a></div>" for n in range(MAX_GROUP + 1))
    assert labels(own + items) == ("支部",)


def test_so_many_labels_at_most() -> None:
    html = "".join(f"<div class={name}><ul>{tag_links(9, 9 * n)}</ul></div>" for n, name in enumerate("abc"))
    assert labels(html) == tuple(f"标签{n}" for n in range(MAX_LABELS))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=/1>甲</a>", "a"),
        ("<div id=content class='main wide big'><ul class=list><li><a href=/1>甲</a>", "div#content.main.wide/ul.list/li/a"),
        ("<div id=post-12x3 class='c4-5 \n\t col6'><a id=a7 class=t8 href=/1>甲</a>", "div#post-0x0.c0-0.col0/a#a0.t0"),
        ("<h2><a href=/1>甲</a></h2>", "h2/a"),
        ("<div id='a b' class='md:w-1/2 .x 列表'><a href=/1>甲</a>", "div#a_b.md_w-0_0._x/a"),
        ("<div id='' class=' '><a id class href=/1>甲</a>", "div/a"),
        ("<div class='\x1b[31m\ud800'><a href=/1>甲</a>", "div._0m/a"),
        ("</html><body id=b class=c><p><a href=/1>甲", "p/a"),
        ("<map><area href=/1 alt=甲>", "map/area"),
        ("<frameset rows=2><frame src=/1 title=甲>", "frameset/frame"),
    ],
)
def test_path_of_a_link(html: str, expected: str) -> None:
    assert paths(html) == {"甲": expected}


def test_paths_are_read_when_asked_for() -> None:
    assert Page.from_html(URL, "<p><a href=/1>甲").links[0].path == ""


def test_the_path_is_that_of_the_place_whose_anchor_is_kept() -> None:
    html = "<p><a href=/1><img></a><h3><a href=/1>甲</a></h3><i><a href=/1>乙</a></i><b><a href=/2></a></b>"
    assert paths(html) == {"甲": "h3/a", "": "b/a"}


def test_of_a_long_path_the_end_is_kept_in_whole_elements() -> None:
    html = "".join(f"<div class=block-{name}>" for name in "abcdefghijklm") + "<ul><li><a href=/1>甲</a><li><p><a href=/2>乙</a>"
    steps = [f"div.block-{name}" for name in "abcdefghijklm"] + ["ul", "li"]
    found = paths(html)
    assert found == {"甲": "/".join([*steps[4:], "a"]), "乙": "/".join([*steps[4:], "p", "a"])}
    assert MAX_PATH - len("div.block-e/") < len(found["甲"]) <= MAX_PATH
    wide = f"<div id={'i' * 99} class='{'j' * 99} {'k' * 99}'><a href=/1>甲</a>"
    assert paths(wide) == {"甲": "a"}
    named = wide.replace("<a ", f"<a class='{'l' * 99} {'m' * 99}' id={'n' * 99} ")
    assert paths(named)["甲"] == "n" * 38 + f".{'l' * 40}.{'m' * 40}"


def test_paths_of_a_deep_and_a_long_page_take_no_time() -> None:
    deep = "<i>" * 2_000 + "<a href=/tag/1>甲</a>"
    long = "".join(f"<li><a href=/tag/{n}>第{n}条</a>" for n in range(3_000))
    start = time.process_time()
    assert paths(deep) == {"甲": "/".join(["i"] * 59 + ["a"])}
    assert len(paths(long)) == 3_000
    assert labels(deep) == ("甲",)
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize("wanted", [False, True])
def test_the_spider_reads_what_the_strategy_wants(wanted: bool) -> None:
    strategy = SimpleNamespace(wants_around=not wanted, wants_paths=wanted, wants_text=wanted)
    crawl = SimpleNamespace(strategy=strategy, policy=SimpleNamespace(name=list), listings=SimpleNamespace(kinds=()))
    crawl.options, crawl.frontier = SimpleNamespace(max_links=100), MemoryFrontier()
    known = "http://www.example.cn/2"
    crawl.frontier.push([Entry(fingerprint(known), known, "www.example.cn", 0.5)])
    assert crawl.frontier.pop(0.0) is not None
    spider = TopicalSpider(crawl, [])  # type: ignore[arg-type]
    request = Request(URL, meta={"topical": Entry(b"k" * 16, URL, "www.example.cn", 0.5)})
    html = "<html><p>前文<a href=/1>甲</a><a href=/2>乙</a>"
    (item,) = spider.parse(HtmlResponse(URL, body=html.encode(), encoding="utf-8", request=request))
    assert isinstance(item, PageItem) and item.page is not None
    link, settled = item.page.links
    assert (link.around, link.path) == (("", "p/a") if wanted else ("前文 乙", ""))
    assert (settled.anchor, settled.path) == ("乙", "")  # no evidence is made of it
    assert item.page.runs == ((("前文甲乙", False),) if wanted else None)
