"""What sites ask of those who take texts, read from meta elements, headers and robots.txt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.web.page import Page
from topical_crawler.web.rights import LICENSED, MOST_SIGNALS, NAMES, RESERVED, UNRESERVED, FileRules, of_page, of_robots, parse
from topical_crawler.web.robots import addressed

AGENT = "topical_crawler"
words = st.text(st.sampled_from([*"abn0*$/:;,=#\n\r\t -", "党"]), max_size=30)
pieces = st.lists(
    st.sampled_from([*NAMES, "none", "all", ":", ",", "; ", "=", "\n", "*", AGENT, "Content-Signal:", "User-agent:"]) | words
)


def tagged(*values: str) -> str:
    return of_page((), [("X-Robots-Tag", value) for value in values], (), "/", AGENT)


def robots(text: str, path: str = "/a.html", agent: str = AGENT) -> str:
    return of_page((), (), of_robots(addressed(text, agent)), path, agent)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<meta name="Robots" content="NOAI, noimageai">', {"noai", "noimageai"}),
        ('<meta name=robots content="none"><meta name=robots content="index; noarchive">', {"noindex", "nofollow", "noarchive"}),
        ('<meta name="tdm-reservation" content=" 1 ">', {"tdm-reservation"}),
        ('<meta name="tdm-reservation" content="0"><meta name="baiduspider" content="noindex"><meta name="robots">', set()),
        ('<meta name="robots" content="tdm-reservation, ai-train=no">', set()),  # said in other ways only
        ("<!-- <meta name=robots content=noindex> --><title>noindex</title>", set()),
    ],
)
def test_meta_elements_are_read(head: str, expected: set[str]) -> None:
    assert Page.from_html("http://www.a.cn/", f"{head}<p>党建要闻</p>").wishes == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["noindex, nofollow"], "noindex; nofollow"),
        (["googlebot: noindex, nofollow"], ""),
        (["googlebot: noindex, topical_crawler: noai"], "noai"),
        (["googlebot: noindex", "noarchive"], "noarchive"),
        (["*: none"], "noindex; nofollow"),
        (["unavailable_after: Wed, 25 Jun 2031 15:00:00 GMT, noindex"], "noindex"),
        (["max-snippet: 20, noai"], "noai"),
    ],
)
def test_the_header_speaks_to_all_or_to_one_agent(values: list[str], expected: str) -> None:
    assert tagged(*values) == expected


RSL = """<?xml version="1.0"?><rsl xmlns="https://rslstandard.org/rsl"><content url="/新闻/*"><license>
<permits type="usage">search</permits><prohibits type="usage">ai-train, ai-index</prohibits><payment type="crawl"/>
</license></content><content url="https://a.cn/archiv/"><license><prohibits type="usage">ai-all</prohibits>
<prohibits type="user">commercial</prohibits></license></content></rsl>"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("%E6%96%B0%E9%97%BB/1.html", {"ai-train=no", "ai-index=no"}),
        ("archiv/1.html", {"ai-train=no", "ai-index=no", "ai-input=no"}),
        ("other/", set()),
    ],
)
def test_an_rsl_licence_is_read(path: str, expected: set[str]) -> None:
    assert FileRules(["", "", RSL]).of_url(f"http://a.cn/{path}", AGENT) == expected


@pytest.mark.parametrize("text", ["<rsl", "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><rsl>&e;</rsl>", "党建", ""])
def test_what_is_no_rsl_licence_says_nothing(text: str) -> None:
    assert FileRules(["", "", text]).of_url("http://a.cn/", AGENT) == set()


def test_an_rsl_licence_is_named_in_four_ways() -> None:
    assert robots("User-agent: gptbot\nDisallow: /\n\nLicense: https://a.cn/license.xml") == "rsl"
    link = '<link rel="license" type="application/rsl+xml" href="/l.xml">'
    assert Page.from_html("http://a.cn/", f"<head>{link}</head><p>党建</p>").wishes == {"rsl"}
    inline = '<script type="application/rsl+xml"><rsl/></script>'
    assert Page.from_html("http://a.cn/", f"<head>{inline}</head><p>党建</p>").wishes == {"rsl"}
    assert of_page((), [("Link", '</l.xml>; rel="license"; type="application/rsl+xml"')], (), "/", AGENT) == "rsl"
    other = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'
    assert Page.from_html("http://a.cn/", f"<head>{other}</head><p>党建</p>").wishes == set()
    assert "rsl" in parse("unreserved")


def test_the_draft_vocabulary_of_aipref_is_read() -> None:
    assert robots("User-agent: *\nContent-Usage: train-ai=n, ai-use=n, search=y") == "ai-input=no; ai-train=no"


def test_other_headers_are_read() -> None:
    headers = [("TDM-Reservation", "1"), ("content-signal", "ai-train=no, search=yes"), ("Content-Usage", "search=n")]
    assert of_page((), headers, (), "/", AGENT) == "tdm-reservation; search=no; ai-train=no"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n", "ai-train=no"),
        ("# Content-Signal: ai-train=no\nUser-agent: *\nDisallow:", ""),
        ("# as in Content-Signal: ai-train=no\nUser-agent: *\nDisallow:", ""),
        ("Content-Signal: ai-input=no\r\nUser-Agent: GPTBot\r\nContent-Signal: ai-train=no\r\n", "ai-input=no"),
        ("User-agent: *\nContent-Usage: train-ai=n\n\nUser-agent: Topical_Crawler\nDisallow: /x/\n", ""),
        ("User-agent: GPTBot\nUser-agent: topical_crawler\nContent-Usage: train-ai=n # why\nUser-agent: *", "ai-train=no"),
        ("User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a train-ai=y\nContent-Usage: /b search=n", ""),
        ("User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /a*.html$ train-ai=n", "ai-train=no"),
    ],
)
def test_robots_txt_speaks_to_a_group_and_below_a_path(text: str, expected: str) -> None:
    assert robots(text) == expected
    assert robots(text, agent="Topical_Crawler/1.0 (+http://www.a.cn/)") == expected


def test_a_robots_txt_of_many_signals_is_bounded() -> None:
    text = "User-agent: *\n" + "Content-Usage: /a train-ai=n\n" * 20_000
    assert len(of_robots(addressed(text, AGENT))) == MOST_SIGNALS


@given(pieces.map("".join), pieces.map("".join), pieces.map("".join))
def test_whatever_is_written_something_in_order_is_read(meta: str, header: str, text: str) -> None:
    wishes = Page.from_html("http://a.cn/", f'<meta name="robots" content="{meta}">').wishes
    headers = [(name, header) for name in ("X-Robots-Tag", "tdm-reservation", "Content-Signal")]
    found = of_page(wishes, headers, of_robots(addressed(text, AGENT)), "/党建?a=1", AGENT)
    names = found.split("; ") if found else []
    assert names == [name for name in NAMES if name in names]
    assert wishes <= set(names)


@given(st.sets(st.sampled_from(["noindex", "nofollow", "noarchive", "noai", "noimageai"])), st.sampled_from([", ", ",", " ,\t"]))
def test_a_directive_is_found_among_others_wherever_it_stands(names: set[str], between: str) -> None:
    value = between.join(["index", *sorted(names), "max-snippet:-1"])
    assert set(filter(None, tagged(value).split("; "))) == names
    assert Page.from_html("http://a.cn/", f'<meta content="{value}" name=robots>').wishes == names


@given(st.dictionaries(st.sampled_from(["search", "ai-input", "ai-train"]), st.booleans(), min_size=1))
def test_signals_are_the_same_in_robots_txt_and_header(use: dict[str, bool]) -> None:
    line = ", ".join(f"{name}={'no' if reserves else 'yes'}" for name, reserves in use.items())
    expected = {f"{name}=no" for name, reserves in use.items() if reserves}
    assert set(filter(None, robots(f"User-Agent: *\nContent-Signal: {line}\n").split("; "))) == expected
    assert set(filter(None, of_page((), [("Content-Signal", line)], (), "/", AGENT).split("; "))) == expected


def test_filters_are_parsed() -> None:
    assert parse(f"nofollow, {UNRESERVED},{LICENSED}") == ("nofollow", *RESERVED, LICENSED)
    with pytest.raises(ValueError, match="'noia' is no condition on rights; write some of unreserved, licensed, noindex"):
        parse("noia")
