"""Sections of URLs, pairs of them, and how Algorithm 2 judges them."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import warc_tools

from experiments.url_pairs import (
    PRINTED,
    THRESHOLDS,
    SectionedUrl,
    accuracy_curve,
    breadcrumb_section,
    by_site,
    distance,
    draw_pairs,
    read_sections,
    sections_of_web,
)
from topical_crawler.recordings.reader import Recording
from topical_crawler.strategies.semantic.url_structure import StructureParameters

DEFAULT = StructureParameters()


def portal(hosts: bool = True, sections: Iterable[str] = ("财经", "体育", "国际"), pages: int = 20) -> list[SectionedUrl]:
    """A portal whose sections lie on hosts of their own, or in paths of one host."""
    slugs = {"财经": "money", "体育": "sports", "国际": "world"}
    form = "http://{}.portal.cn/2024/{}.html" if hosts else "http://www.portal.cn/{}/{}.html"
    return [SectionedUrl(form.format(slugs[s], 100 + n), s, "portal.cn") for s in sections for n in range(pages)]


# Sections


def test_a_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "urls.tsv"
    path.write_text(
        "url\tkind\tlabels\nhttp://news.a.com.cn/1\tarticle\t后端;Java\nHTTP://news.a.com.cn/1#top\tarticle\t前端\n"
        "http://b.cn/2\tarticle\t\nhttp://www.b.cn/3\tlist\t前端\n",
        encoding="utf-8",
    )
    first = SectionedUrl("http://news.a.com.cn/1", "后端", "a.com.cn")
    assert read_sections(path, "labels") == [first, SectionedUrl("http://www.b.cn/3", "前端", "b.cn")]
    assert read_sections(path, "labels", ["article"]) == [first]
    path.write_text("url\tsection\tsite\nhttp://a.cn/1\tx\t甲站\n", encoding="utf-8")
    assert read_sections(path) == [SectionedUrl("http://a.cn/1", "x", "甲站")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"url\tkind\nhttp://a.cn/\tx\n", r"line 1: there is no column 'section'; there are url, kind\. Remedy"),
        ("url\tsection\n党建\tx\n".encode(), "line 2: '党建' is no URL"),
        (b"section\turl\nx\n", "line 2: '' is no URL"),
        ("url\tsection\nhttp://a.cn/\t财经\n".encode("gbk"), "save the file as UTF-8"),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "urls.tsv").write_bytes(content)
    with pytest.raises(ValueError, match=said):
        read_sections(tmp_path / "urls.tsv")


@pytest.mark.parametrize(
    ("html", "section"),
    [
        ('<div class="BreadCrumbs"><a href="/">新网</a>»<a href="/f/">财经</a>»<a href="/f/gu/"> 股 票 </a>»正文</div>', "股 票"),
        ('<ol itemtype="https://schema.org/BreadcrumbList"><li><a href="/">A</a><li><a href="/x">Ｔech</a></ol>', "tech"),
        ('<p id="crumb"><a href="/">新网</a> > <a href="/index.html">首页</a></p>', ""),
        ('<p class="crumb">正文</p><div id="crumb2"><a href="/">新网</a><a href="/t/">体育</a></div>', "体育"),
        ('<p class="path"><a href="/">新网</a><a href="/t/">体育</a></p>', ""),
        ("", ""),
    ],
)
def test_breadcrumbs(html: str, section: str) -> None:
    assert breadcrumb_section(html) == section


def test_a_recorded_web(tmp_path: Path) -> None:
    page = '<p class="crumb"><a href="/">新网</a><a href="/f/">财经</a></p>'
    html = {"Content-Type": "text/html"}
    answers = [
        ("http://f.a.cn/1", 200, html, page.encode("gb18030")),
        ("http://f.a.cn/1?utm_source=wx", 200, html, page.encode()),
        ("http://f.a.cn/2", 200, {**html, "Content-Encoding": "gzip"}, gzip.compress(page.encode())),
        ("http://f.a.cn/3", 200, html, b"<p>no crumb here"),
        ("http://f.a.cn/4", 301, {"Location": "/1"}, b""),
        ("http://f.a.cn/5", 200, {"Content-Type": "image/png"}, b"crumb"),
    ]
    skipped: Counter[str] = Counter()
    with Recording(warc_tools.write_warc(tmp_path / "web.warc.gz", answers), tmp_path) as recording:
        found = list(sections_of_web(recording, skipped))
    assert [one.url for one in found if one] == ["http://f.a.cn/1", "http://f.a.cn/2"]
    assert {(one.section, one.site) for one in found if one} == {("财经", "a.cn")}
    assert len(found) == len(answers)
    assert skipped == {"the same URL again": 1, "no breadcrumb": 1, "not a page": 2}


# Pairs


def test_pairs_of_one_site() -> None:
    urls = [*portal(), *(replace(u, url=u.url.replace("portal", "other"), site="other.cn") for u in portal())]
    section = {u.url: (u.section, u.site) for u in urls}
    pairs = draw_pairs(urls, 200, seed=3)
    assert [p.same for p in pairs] == [True, False] * 100
    for pair in pairs:
        (one, site1), (two, site2) = section[pair.first], section[pair.second]
        assert pair.site == site1 == site2
        assert (one == two) == pair.same
    assert len({frozenset((p.first, p.second)) for p in pairs}) == 200
    assert all(p.first != p.second for p in pairs)
    assert Counter(p.site for p in pairs if p.same) == Counter(p.site for p in pairs if not p.same)
    assert pairs == draw_pairs(urls, 200, seed=3) != draw_pairs(urls, 200, seed=4)
    assert pairs[:20] == draw_pairs(urls, 20, seed=3), "the paper's 100 pairs are the first ones of any sample"


def test_what_gives_no_pairs() -> None:
    with pytest.raises(ValueError, match=r"2 pairs of URLs are wanted, and only 0 were found in 0 URLs of 0 sites .*Remedy"):
        draw_pairs(portal(sections=["财经"]), 2)
    with pytest.raises(ValueError, match="only 2 were found"):
        draw_pairs(portal(pages=2, sections=["财经", "体育"])[:3], 50)
    with pytest.raises(ValueError, match="collections with two sections"):
        draw_pairs(portal(), 10, across=True)
    with pytest.raises(ValueError, match="even number"):
        draw_pairs(portal(), 3)


# Table 6


def test_sections_on_hosts_of_their_own() -> None:
    """By the paper's rule URLs of one section are the same at any threshold: accuracy can only rise with it."""
    pairs = draw_pairs(portal(), 200)
    curve = accuracy_curve(pairs, DEFAULT)
    assert [cell.threshold for cell in curve] == list(THRESHOLDS)
    assert {cell.same for cell in curve} == {1.0}
    assert [cell.different for cell in curve] == sorted(cell.different for cell in curve)
    assert all(cell.accuracy == pytest.approx((1 + cell.different) / 2) for cell in curve)
    assert all(cell.interval[0] <= cell.accuracy <= cell.interval[1] for cell in curve)
    assert distance(curve) == pytest.approx(sum(abs(c.accuracy - PRINTED[c.threshold]) for c in curve) / 8)


def test_sections_in_paths_of_one_host() -> None:
    """By the paper's rule every pair is the same; the refinement tells the sections apart."""
    pairs = draw_pairs(portal(hosts=False), 200)
    assert {cell.accuracy for cell in accuracy_curve(pairs, DEFAULT)} == {0.5}
    inside = replace(DEFAULT, within_host=True)
    assert accuracy_curve(pairs, inside, [0.1])[0].accuracy > 0.9
    assert list(by_site(pairs, inside)) == ["portal.cn"]
    count, cell = by_site(pairs, inside)["portal.cn"]
    assert (count, cell) == (200, accuracy_curve(pairs, inside, [inside.threshold])[0])
