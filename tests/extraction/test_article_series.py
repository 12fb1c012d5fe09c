"""Articles on several pages, and what only looks like one."""

import pytest
from lxml.html import document_fromstring

from topical_crawler.extraction.extract import extract
from topical_crawler.extraction.series import MAX_PARTS, Series, find_series

HOST = "http://www.example.cn"


def series(url: str, *links: tuple[str, str], head: str = "") -> Series:
    body = " ".join(f"<a href='{href}'>{name}</a>" for href, name in links)
    return find_series(
        document_fromstring(f"<html><head>{head}</head><body><p>正文</p><div>{body}</div></body></html>"), HOST + url
    )


@pytest.mark.parametrize(
    ("first", "numbered"),
    [
        ("/a/c1.html", "/a/c1_{}.html"),
        ("/a/c1.htm", "/a/c1-{}.htm"),
        ("/a/title", "/a/title/{}"),
        ("/a/c1.php?id=7", "/a/c1.php?id=7&page={}"),
        ("/a/c1.html", "/a/c1.html?p={}"),
    ],
)
def test_every_part_names_the_same_series(first: str, numbered: str) -> None:
    addresses = [first, *(numbered.format(n) for n in (2, 3, 4))]
    found = []
    for own, address in enumerate(addresses):
        links = [(href, str(n)) for n, href in enumerate(addresses, 1) if n != own + 1]
        found.append(series(address, *links, ("/a/c0.html", "上一篇"), ("/a/c2.html", "下一篇"), (addresses[-1], "下一页")))
    assert {one.series for one in found} == {HOST + first}
    assert [one.part for one in found] == [1, 2, 3, 4]
    assert [one.parts for one in found] == [tuple(HOST + a for a in addresses if a != own) for own in addresses]


def test_a_site_that_counts_from_the_second_page_on() -> None:
    links = [("/t1.html", "1"), ("/t1_1.html", "2"), ("/t1_2.html", "3")]
    assert series("/t1.html", *links[1:]) == Series(f"{HOST}/t1.html", 1, (f"{HOST}/t1_1.html", f"{HOST}/t1_2.html"))
    assert series("/t1_1.html", links[0], links[2]) == Series(f"{HOST}/t1.html", 2, (f"{HOST}/t1.html", f"{HOST}/t1_2.html"))


def test_links_of_the_head_count() -> None:
    found = series("/a.html", head="<link rel='next' href='/a_2.html'>")
    assert (found.series, found.part, found.parts) == (f"{HOST}/a.html", 1, (f"{HOST}/a_2.html",))


@pytest.mark.parametrize(
    "links",
    [
        [("/post/13", "下一篇")],
        [("/post/13", "下一页"), ("/post/11", "上一页")],
        [("/post/13", "党建工作")],
        [("/b_2.html", "2"), ("/b_3.html", "3")],
        [("http://[", "2"), ("javascript:void(0)", "下一页"), ("", "3")],
        [],
    ],
)
def test_other_articles_are_no_parts(links: list[tuple[str, str]]) -> None:
    assert series("/post/12", *links) == Series()


def test_the_parts_are_bounded() -> None:
    found = series("/a.html", *((f"/a_{n}.html", str(n)) for n in range(2, 300)))
    assert len(found.parts) <= MAX_PARTS
    assert found.parts[:2] == (f"{HOST}/a_2.html", f"{HOST}/a_3.html")


def test_a_list_is_no_series() -> None:
    items = "".join(f"<li><a href='/x/{n}.html'>另一条新闻的长长的标题之{n}</a></li>" for n in range(30))
    pager = "<a href='/dj/index_2.html'>2</a> <a href='/dj/index_3.html'>3</a> <a href='/dj/index_2.html'>下一页</a>"
    found = extract(f"<html><body><h1>党建</h1><ul>{items}</ul><div>{pager}</div></body></html>", f"{HOST}/dj/index.html")
    assert (found.kind, found.series, found.part, found.parts) == ("list", "", 0, ())


def test_the_extraction_tells_of_the_parts() -> None:
    text = "<p>各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。</p>" * 5
    pager = "<a href='/dj/a.html'>1</a> 2 <a href='/dj/a_3.html'>3</a>"
    found = extract(f"<html><body><h1>综述</h1>{text}<div>{pager}</div></body></html>", f"{HOST}/dj/a_2.html")
    assert (found.series, found.part, found.parts) == (f"{HOST}/dj/a.html", 2, (f"{HOST}/dj/a.html", f"{HOST}/dj/a_3.html"))
