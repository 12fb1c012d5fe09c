"""Canonical form, and what URLs look like."""

import csv
import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topical_crawler.web.urls import MAX_LENGTH, canonical, fingerprint, host, is_binary, looks_like_trap, shape

DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        # scheme, host, port, user, fragment
        ("HTTP://WWW.Dangjian.CN", "http://www.dangjian.cn/"),
        (" \n http://a.cn/x \t", "http://a.cn/x"),
        ("http://a.cn:80/", "http://a.cn/"),
        ("https://a.cn:443/x", "https://a.cn/x"),
        ("http://a.cn:443/x", "http://a.cn:443/x"),
        ("http://a.cn:/x", "http://a.cn/x"),
        ("http://a.cn./x", "http://a.cn/x"),
        ("http://user:secret@a.cn/x", "http://a.cn/x"),
        ("http://党建网.中国/", "http://xn--n5qz54awjz.xn--fiqs8s/"),
        ("http://党建网。中国/", "http://xn--n5qz54awjz.xn--fiqs8s/"),
        ("http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://a.cn/x#top", "http://a.cn/x"),
        ("http:\\\\a.cn\\x?a\\b", "http://a.cn/x?a%5Cb"),
        # path
        ("http://a.cn/b/../c/./d.html", "http://a.cn/c/d.html"),
        ("http://a.cn/../../x/..", "http://a.cn/"),
        ("http://a.cn/%2e%2e/x", "http://a.cn/x"),
        ("http://a.cn/a//b", "http://a.cn/a//b"),
        # escapes
        ("http://a.cn/%7Ezhang/%e5%85%9a", "http://a.cn/~zhang/%E5%85%9A"),
        ("http://a.cn/党建 要闻", "http://a.cn/%E5%85%9A%E5%BB%BA%20%E8%A6%81%E9%97%BB"),
        ("http://a.cn/s?q=%b5%b3%bd%a8", "http://a.cn/s?q=%B5%B3%BD%A8"),  # 党建 in GBK
        ("http://a.cn/100%/x", "http://a.cn/100%25/x"),
        ("http://a.cn/%zz%%41", "http://a.cn/%25zz%25A"),
        # query
        ("http://a.cn/?b=2&a=1&&", "http://a.cn/?a=1&b=2"),
        ("http://a.cn/?a=2&b=1&a=1", "http://a.cn/?a=2&a=1&b=1"),
        ("http://a.cn/x?", "http://a.cn/x"),
        ("http://a.cn/x?a", "http://a.cn/x?a"),
        ("http://a.cn/x?a=", "http://a.cn/x?a="),
        # index pages
        ("http://a.cn/index.html", "http://a.cn/"),
        ("http://a.cn/dj/INDEX.SHTML", "http://a.cn/dj/"),
        ("http://a.cn/dj/default.aspx", "http://a.cn/dj/"),
        ("http://a.cn/index.jsp?utm_source=wx", "http://a.cn/"),
        ("http://a.cn/dj/index_2.shtml", "http://a.cn/dj/index_2.shtml"),
        ("http://a.cn/index.php?id=3", "http://a.cn/index.php?id=3"),
        ("http://a.cn/myindex.html", "http://a.cn/myindex.html"),
        ("http://a.cn/index.html/x", "http://a.cn/index.html/x"),
    ],
)
def test_canonical(url: str, expected: str) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    "noise",
    [
        *("from=hot", "from=wap", "from=timeline", "from=singlemessage", "from=groupmessage", "fr=aladdin", "from=search"),
        *("utm_source=weixin", "UTM_Campaign=x", "spm=a1z09.2.0.0.407d2e8dYvmoAa", "spm_id_from=333.337", "fromid=1673264"),
        *("isappinstalled=0", "share_token=abc", "gclid=x", "fbclid=x", "bd_vid=1", "nsukey=x", "chksm=6b66", "%75tm_source=x"),
        *("PHPSESSID=a1", "ASPSESSIONIDQQBTTRCB=LLKJ", "jsessionid=1B2C", "sid=896fdfef3883114171de384cf10702ce"),
        *("share_source=weixin", "sharer_shareid=1", "pk_campaign=x", "pk_kwd=y", "mtm_cid=1", "from=weibo", "fr=app"),
        *("s=0123456789abcdef0123456789abcdef", "sessionid=7151C7DE-CD7B-42F5-809B-16AEFC491FAC"),
    ],
)
def test_noise_goes(noise: str) -> None:
    assert canonical(f"http://a.cn/t1.html?{noise}") == "http://a.cn/t1.html"
    assert canonical(f"http://a.cn/t1.html?z=1&{noise}&id=2") == "http://a.cn/t1.html?id=2&z=1"


@pytest.mark.parametrize(
    "content",
    [
        "from=20", "from=2019-01-01", "from=CNY&to=USD", "from=", "sid=12", "sid=20190305", "sid=6907712345678901234",
        "sid=dang-shi-xue-xi-jiao-yu-2021", "s=党建", "sessionid=3", "id=1", "page=2", "ref=master", "formid=1", "spmx=1",
        "token=MzsxNjExODMy", "source=hp", "pk_id=77", "pk=1", "share_id=5", "share_type=fund", "share_code=AbC",
        "share_no=600001",
    ],
)  # fmt: skip
def test_content_stays(content: str) -> None:
    assert len(urlsplit(canonical(f"http://a.cn/show?{content}")).query) >= len(content)
    assert len(urlsplit(canonical(f"http://a.cn/t1.html?{content}")).query) >= len(content)


@pytest.mark.parametrize("path", ["show", "list.php", "list2.php", "translate", "2024/"])
def test_a_word_of_origin_chooses_where_the_path_names_no_page(path: str) -> None:
    assert canonical(f"http://a.cn/{path}?from=beijing").endswith("?from=beijing")
    assert canonical(f"http://a.cn/{path}?fr=zh&p=1").endswith("?fr=zh&p=1")
    assert canonical(f"http://a.cn/{path}?from=groupmessage&fr=aladdin") == f"http://a.cn/{path}"
    assert canonical("http://a.cn/2024/t20240501_77.shtml?from=hot") == "http://a.cn/2024/t20240501_77.shtml"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.cn/x.do;jsessionid=B2EBD814B4E0?doi=1", "http://a.cn/x.do?doi=1"),
        ("http://a.cn/x;JSESSIONID=1!2/y;v=1", "http://a.cn/x/y;v=1"),
        ("http://a.cn/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "http://a.cn/x.aspx"),
        ("http://a.cn/(S(lit3py55t21z5v55vlm25s55));jsessionid=1/default.aspx", "http://a.cn/"),
    ],
)
def test_sessions_in_the_path(url: str, expected: str) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        *(
            "", "党建", "ftp://a.cn/", "mailto:a@a.cn", "javascript:void(0)", "http://", "http:///x", "//a.cn/x", "/x",
            "http://a b.cn/",
        ),
        *(
            "http://a.cn:99999/", "http://a.cn:x/", "http://a.cn:0/", "http://[::1/", "http://[x]/", "http://a..cn/",
            "http://.cn/",
        ),
        *(
            "http://www.om19.cn报告)，",
            "http://a.cn%20/",
            "http://℀.cn/",
            "http://" + "党" * 70 + ".cn/",
            "http://a.cn/" + "x" * MAX_LENGTH,
        ),
        "http://a.cn/" + "党" * 300,
    ],
)  # fmt: skip
def test_what_is_no_address_is_empty(url: str) -> None:
    assert canonical(url) == ""


PIECES = st.sampled_from(
    [
        *"/?&=#;:@%.\\ ()[]",
        *(
            "..", "//", "%2e", "%2F", "%25", "%e5", "%3D", "党", "。", "\ud800", "\x00", "a.cn", "index.html", "default.asp",
            "A", "xn--",
        ),
        *("utm_a=1", "from=hot", "to=1", ";jsessionid=1", "/(S(abcdefghijklmnop1))", "sid=", "0123456789abcdef"),
    ]
)  # fmt: skip


@given(
    st.one_of(
        st.text(),
        st.lists(PIECES, max_size=12).map(lambda p: "http://a.cn" + "".join(p)),
        st.lists(PIECES, max_size=12).map(lambda p: "https://" + "".join(p)),
        st.text(max_size=30).map(lambda t: f"http://a.cn/{t}"),
        st.text(max_size=15).map(lambda t: f"http://{t}/"),
    )
)
@example("http://a.cn/" + "%61" * 660)
@example("http://a.cn/(S(abcdefghijklmnop1))/(S(abcdefghijklmnop1))/..")
def test_canonical_never_raises_and_is_idempotent(url: str) -> None:
    once = canonical(url)
    assert canonical(once) == once
    assert once.isascii()
    assert len(once) <= MAX_LENGTH
    assert once == "" or urlsplit(once).scheme in ("http", "https")
    for function in (host, shape, is_binary, looks_like_trap, fingerprint):
        function(url)


def test_fingerprint() -> None:
    assert len(fingerprint("http://a.cn/")) == 16
    assert fingerprint("http://A.cn/index.htm?from=wap#x") == fingerprint("http://a.cn/")
    assert fingerprint("http://a.cn/x") != fingerprint("https://a.cn/x")


def test_real_pages_keep_their_identity() -> None:
    """No two labelled pages of the recorded web fall together, but for the slash and index variants of one page."""
    table = DATA / "web" / "dev-web.tsv"
    if not table.is_file():
        pytest.skip(f"no recorded web at {os.path.relpath(table)}")
    with table.open(encoding="utf-8", newline="") as stream:
        urls = [row["url"] for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)]
    by_form: dict[str, set[str]] = {}
    for url in urls:
        by_form.setdefault(canonical(url), set()).add(url)
    assert "" not in by_form
    assert [sorted(u) for u in by_form.values() if len(u) > 1] == []
    assert not any(is_binary(url) or looks_like_trap(url) for url in urls)


def test_shape() -> None:
    assert shape("http://www.a.cn/djyw/201905/t20190521_5123.shtml") == "www.a.cn/djyw/0/t0_0.shtml"
    assert shape("http://a.cn/calendar?d=20240101&v=2#x") == "a.cn/calendar?d&v"
    assert (shape("http://a.cn"), shape("http://a.cn/%E5%85%9A1"), shape("党建")) == ("a.cn/", "a.cn/%E5%85%9A0", "")


def test_is_binary() -> None:
    assert all(map(is_binary, ("http://a.cn/1.JPG", "http://a.cn/附件.docx?download=1", "http://a.cn/x.tar.gz#a")))
    others = ("http://a.cn/1.shtml", "http://a.cn/?f=1.jpg", "http://a.cn/1.jpg/", "http://a.rm", "http://a.cn/pdf")
    assert not any(map(is_binary, others))


def test_looks_like_trap() -> None:
    for path in ("a/b/a/b/a/b/", "news/img/news/img/news/1.html", "a/a/a", "/".join(map(str, range(17)))):
        assert looks_like_trap(f"http://a.cn/{path}"), path
    for path in ("a/b/a/b/", "2011/11/11/11/11.html", "/".join(map(str, range(16))), ""):
        assert not looks_like_trap(f"http://a.cn/{path}"), path
