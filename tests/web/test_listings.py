"""Sitemaps and feeds as sites have them, and as they should not be."""

import gzip
import zlib

import pytest

from topical_crawler.web import listings
from topical_crawler.web.page import Link, Page

BASE = "http://a.cn/map.xml"
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="/main.xsl"?><!-- made by a plugin -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc><![CDATA[ http://a.cn/old.html ]]></loc><lastmod>2023-01-02</lastmod></url>
<url><image:image><image:loc>http://a.cn/1.jpg</image:loc></image:image><loc>/dj/1.html?a=1&b=2</loc>
<news:news><news:publication_date>2024-05-01T08:00:00+08:00</news:publication_date><news:title>支部&amp;党员</news:title>
<news:keywords>党建</news:keywords></news:news></url>
<url><loc>http://a.cn/undated.html</loc><lastmod>yesterday</lastmod></url>
<url><loc>http://a.cn/old.html</loc></url><url><loc>javascript:alert(1)</loc></url><url></url>
</urlset>"""
RSS = """<?xml version="1.0" encoding="{}"?><rss version="2.0"><channel><title>要闻</title><link>http://a.cn/</link>
<item><title>支部&nbsp;学习 &amp; 讨论</title><link>/1.html?a=1&b=2</link><category>党建</category>
<pubDate>Wed, 01 May 2024 08:00:00 +0800</pubDate><description>&lt;p&gt;开展主题教育&lt;/p&gt;</description></item>
<item><title>只有标识</title><guid>http://a.cn/2.html</guid><pubDate>Thu, 02 May 2024 08:00:00 +0800</pubDate></item>
<item><title>没有地址</title></item></channel></rss>"""
RSS_LINKS = (
    Link("http://a.cn/2.html", "只有标识", "2024-05-02", "feed"),
    Link("http://a.cn/1.html?a=1&b=2", "支部 学习 & 讨论", "2024-05-01 党建 开展主题教育", "feed 党建"),
)
NEWEST_FIRST = (
    Link("http://a.cn/dj/1.html?a=1&b=2", "支部&党员", "2024-05-01 党建", "sitemap 党建"),
    Link("http://a.cn/old.html", "", "2023-01-02", "sitemap"),
    Link("http://a.cn/undated.html", "", "", "sitemap"),
)


@pytest.mark.parametrize("packed", [False, True])
def test_a_sitemap_is_read(packed: bool) -> None:
    body = SITEMAP.encode()
    listing = listings.read(gzip.compress(body) if packed else body, BASE)
    assert listing == listings.Listing("sitemap", NEWEST_FIRST)


@pytest.mark.parametrize(
    ("declared", "used"),
    [("UTF-8", "utf-8"), ("GB2312", "gb18030"), ("UTF-8", "gb18030"), ("gbk", "utf-8"), ("UTF-8", "utf-8-sig")],
)
def test_a_feed_is_read_whatever_encoding_it_names(declared: str, used: str) -> None:
    listing = listings.read(RSS.format(declared).encode(used), "http://a.cn/rss.xml", "text/xml")
    assert listing is not None and (listing.kind, listing.links) == ("feed", RSS_LINKS)


def test_an_atom_feed_is_read() -> None:
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title type='html'>&lt;b>主题教育&lt;/b></title><link href='/x.html'/>"
        "<updated>2024-01-01T00:00:00Z</updated><category term='NLP'/></entry></feed>"
    )
    listing = listings.read(atom.encode(), "http://a.cn/atom.xml")
    assert listing is not None and listing.links == (Link("http://a.cn/x.html", "主题教育", "2024-01-01 NLP", "feed NLP"),)


def test_anything_else_is_none() -> None:
    html = b"<!DOCTYPE html><html><body>404"
    for body in (b"", html, b"{}", b"\x1f\x8bno gzip", b"<?xml version='1.0'?>", "不存在".encode(), b"http://a.cn/\nno"):
        assert listings.read(body, BASE) is None, body


def test_broken_xml_is_read_as_far_as_it_can_be() -> None:
    whole = SITEMAP.encode()
    for body in (whole[: whole.index(b"<url></url>")], whole.replace(b"</loc>", b"\x03</b>"), whole + b"<x"):
        listing = listings.read(body, BASE)
        assert listing is not None and {link.url for link in NEWEST_FIRST} == {link.url for link in listing.links}
    packed = gzip.compress(SITEMAP.encode() * 100, mtime=0)
    listing = listings.read(packed[: len(packed) // 2], BASE)
    assert listing is not None and len(listing.links) == 3


def test_entities_are_not_expanded() -> None:
    lol = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol"><!ENTITY f SYSTEM "file:///etc/passwd">{lol}]>'
    sitemap = f"{bomb}<urlset><url><loc>http://a.cn/&l11;&f;1.html</loc></url><url><loc>http://a.cn/2.html</loc></url></urlset>"
    feed = f"{bomb}<rss version='2.0'><channel><item><title>&l11;&f;党建</title><link>http://a.cn/2.html</link></item></channel></rss>"
    for text in (sitemap, feed):
        listing = listings.read(text.encode(), BASE)
        assert listing is not None and "http://a.cn/2.html" in {link.url for link in listing.links}
        assert not any("root:" in link.url + link.anchor or "lollol" in link.url + link.anchor for link in listing.links)


def test_what_gzip_unpacks_to_is_bounded() -> None:
    packer = zlib.compressobj(9, wbits=31)
    blank = b" " * 1_000_000
    bomb = packer.compress(b"<urlset><url><loc>http://a.cn/1.html</loc></url>")
    bomb += b"".join(packer.compress(blank) for _ in range(30))
    bomb += packer.compress(b"<url><loc>http://a.cn/2.html</loc></url></urlset>") + packer.flush()
    assert len(listings._unpacked(bomb)) == listings.MOST_BYTES
    listing = listings.read(bomb, BASE)
    assert listing is not None and [link.url for link in listing.links] == ["http://a.cn/1.html"]


def test_entries_are_bounded() -> None:
    many = listings.MOST_ENTRIES + 5
    text = "<urlset>" + "".join(f"<url><loc>http://a.cn/{i}</loc></url>" for i in range(many)) + "</urlset>"
    listing = listings.read(text.encode(), BASE)
    assert listing is not None and (len(listing.links), listing.left_out) == (listings.MOST_ENTRIES, 5)
    plain = "".join(f"http://a.cn/{i}\r\n" for i in range(many))
    listing = listings.read(plain.encode(), "http://a.cn/map.txt", "text/plain")
    assert listing is not None and len(listing.links) == listings.MOST_ENTRIES
    index = "".join(f"<sitemap><loc>/{i}.xml</loc><lastmod>20{i}</lastmod></sitemap>" for i in range(10, 40))
    listing = listings.read(f"<sitemapindex>{index}</sitemapindex>".encode(), BASE)
    assert listing is not None and (listing.links, listing.left_out) == ((), 10)
    assert listing.nested == tuple(f"http://a.cn/{i}.xml" for i in range(39, 19, -1))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("# 网站地图\r\n\r\nhttp://a.cn/1.html\r\n#\r\nhttp://a.cn/2.html", "1.html 2.html"),
        ("\ufeff#\rhttp://a.cn/1.html # 首页\r  http://a.cn/2#top\t#二", "1.html 2#top"),
        ("# nothing else\n", None),
        ("# 说明\n见 http://a.cn/", None),
        ("http://a.cn/1.html # 一\n<p>", None),
    ],
)
def test_a_list_of_addresses_may_have_comments(text: str, paths: str | None) -> None:
    listing = listings.read(text.encode(), "http://a.cn/map.txt", "text/plain")
    assert (listing and [link.url for link in listing.links]) == (paths and [f"http://a.cn/{path}" for path in paths.split()])


@pytest.mark.parametrize(
    ("before", "after", "entry"),
    [
        ("<rss version='2.0'><channel>", "</channel></rss>", "item"),
        ("<rss version='2.0'><channel>", "", "item"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'>", "</feed>", "entry"),
        ("<a:feed xmlns:a='http://www.w3.org/2005/Atom'>", "</a:feed>", "a:entry"),
    ],
)
def test_a_feed_is_read_up_to_its_bound(before: str, after: str, entry: str) -> None:
    own = entry.removesuffix("entry").removesuffix("item")
    tag = (lambda n: f"<link>http://a.cn/{n}</link>") if entry == "item" else (lambda n: f"<{own}link href='http://a.cn/{n}'/>")
    entries = (f"<{entry}><{own}title>支部{n}</{own}title>{tag(n)}</{entry}>" for n in range(listings.MOST_ITEMS + 7))
    listing = listings.read(f"{before}{''.join(entries)}{after}".encode(), "http://a.cn/feed")
    assert listing is not None and (len(listing.links), listing.left_out) == (listings.MOST_ITEMS, 7)
    assert (listing.links[0].url, listing.links[-1].anchor) == ("http://a.cn/0", f"支部{listings.MOST_ITEMS - 1}")


def test_a_page_names_its_feeds() -> None:
    names = ['href="/feed/"', 'href="http://b.cn/atom.xml"', 'href="/comments/feed/"', 'href="/c.xml" title="评论"']
    names.append('href="/dj/1/feed/"')
    head = "".join(f'<link rel="alternate home" type="application/rss+xml" {name}>' for name in (*names, names[0]))
    head = f'<link rel="alternate" hreflang="en" href="/en/">{head}'
    assert Page.from_html("http://a.cn/dj/1", head, feeds=True).feeds == ("http://a.cn/feed/", "http://b.cn/atom.xml")
    assert Page.from_html("http://a.cn/", head, feeds=True).feeds[:1] == ("http://a.cn/feed/",)
    assert Page.from_html("http://a.cn/dj/1", head).feeds == ()


def test_a_robots_txt_names_its_sitemaps() -> None:
    text = "sitemap: http://a.cn/1.xml\nSitemap:http://b.cn/2.xml # two\nSitemap: /relative.xml\n#Sitemap: http://a.cn/3.xml\n"
    assert listings.of_robots(text) == ("http://a.cn/1.xml", "http://b.cn/2.xml")
    written = "site-map http://a.cn/1.xml\nSitemaps : http://a.cn/2.xml"
    assert listings.of_robots(written) == ("http://a.cn/1.xml", "http://a.cn/2.xml")
    many = "".join(f"Sitemap: http://a.cn/{i}.xml\n" for i in range(100))
    assert len(listings.of_robots(many)) == listings.MOST_ANNOUNCED
