"""The ordinary pages of the demo web: home, list and article pages, in each site's encoding."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from layout import Layout, Placement, draw
from looks import LOOKS, LinkItem, Parts, article_body, box, links
from recording import Label, Recorded
from sites import QINGHEDJ, QINGHEONLINE, SITES, YUNLING, Channel, Site

WRONG_HEADER_RIGHT = "青河大学：导师与学生编在同一个小组"
"""This page of a UTF-8 site declares gb2312 in its head; the HTTP header has it right."""
WRONG = "从三张欠条说起"
"""This page of the GB18030 site declares utf-8 and nothing contradicts it but the bytes (the reprint can be read)."""
UTF16 = "她把名单抄了三遍"
"""This page is UTF-16 with a byte order mark."""


class Pages:
    """Renders pages. ``hot`` gives each site's hot list, ``tools`` HTML to put below a text, by the page's URL; ``corners``
    further blocks for the home page, by the site's key."""

    def __init__(self, layout: Layout, hot: dict[str, list[LinkItem]], tools: dict[str, str], corners: dict[str, str]) -> None:
        self.layout, self.hot, self.tools, self.corners = layout, hot, tools, corners

    def home(self, site: Site) -> Recorded:
        """The home page: the newest of every channel, the hot list, links to friends."""
        blocks = []
        for channel in site.channels:
            newest = [p.link for p in self.layout.listed(site, channel)[: site.per_page]]
            blocks.append(f'<h2><a href="{site.list_url(channel)}">{channel.name}</a></h2>\n{links(newest, "newest")}')
        friends = [(other.home, other.title) for other in SITES if other is not site]
        friends += [("http://www.qinghe-gone.example/", "青河论坛"), ("http://dangshi.qinghe-gone.example/", "青河党史馆")]
        side = box("热点排行", self.hot[site.key], "hot") + self.corners.get(site.key, "") + box("友情链接", friends, "friends")
        parts = Parts(
            title="首页",
            main="\n".join(blocks),
            side=side,
            description=f"{site.title}，{site.slogan}" if site is not QINGHEDJ else "",
            keywords=site.title if site is not QINGHEDJ else "",
            charset=_charset(site, 0),
        )
        return record(site, site.home, parts, Label(site.name, "home", 0, site.title))

    def lists(self, site: Site, channel: Channel) -> list[Recorded]:
        """All list pages of a channel, with page numbers and 下一页."""
        shown = self.layout.listed(site, channel)
        count = max(1, -(-len(shown) // site.per_page))
        pages = []
        for number in range(1, count + 1):
            rows = [p.link for p in shown[(number - 1) * site.per_page : number * site.per_page]]
            pager = " ".join(f'<a href="{site.list_url(channel, n)}">{n}</a>' for n in range(1, count + 1))
            if number < count:
                pager += f' <a href="{site.list_url(channel, number + 1)}">下一页</a>'
            parts = Parts(
                title=channel.name,
                main=f'<h1>{channel.name}</h1>\n{links(rows, "list")}\n<div class="page">{pager}</div>',
                side=box("热点排行", self.hot[site.key], "hot"),
                keywords=f"{channel.name},{site.title}" if site is QINGHEONLINE else "",
                charset=_charset(site, number),
            )
            label = Label(site.name, "list", 2 if channel.party else 0, channel.name)
            pages.append(record(site, site.list_url(channel, number), parts, label))
        return pages

    def article(self, placement: Placement) -> Recorded:
        """The page of a text, with its links and its site's way of describing pages."""
        site, article = placement.site, placement.article
        others = [p for p in self.layout.listed(site) if p is not placement]
        side = box("热点排行", self.hot[site.key], "hot")
        side += box(
            "猜你喜欢" if site is QINGHEONLINE else "推荐阅读",
            [p.link for p in draw(others, 4, f"side {placement.url}", _url)],
            "more",
        )
        tools = f"<h3>相关新闻</h3>\n{links(self.layout.related(placement), 'related')}\n{self.tools.get(placement.url, '')}"
        # the old site hardly ever describes its pages, the others mostly do
        described = article.doc % 6 == 0 if site is QINGHEDJ else article.doc % 7 != 0
        parts = Parts(
            title=article.title,
            main=article_body(site, article, placement.channel.name, tools),
            side=side,
            description=article.summary if described else "",
            keywords=f"{placement.channel.name},{article.title}" if described else "",
            charset=_charset(site, article.doc, article.title),
            early_end=site is YUNLING and article.doc % 5 == 0,
        )
        page = record(site, placement.url, parts, label_of(placement))
        if article.title == UTF16:
            return replace(page, body=b"\xff\xfe" + page.body.decode(site.encoding).encode("utf-16-le"))
        return page


def label_of(placement: Placement, kind: str = "article") -> Label:
    """The label of a page that holds a text."""
    return Label(placement.site.name, kind, placement.article.grade, placement.article.title, placement.article.doc)


def record(site: Site, url: str, parts: Parts, label: Label) -> Recorded:
    """A page of ``site``, in its look and its encoding."""
    return Recorded(url, LOOKS[site.key](site, parts).encode(site.encoding), site.content_type, label=label)


def printed(placement: Placement) -> str:
    """The bare HTML of a text, for printing."""
    article = placement.article
    text = "\n".join(f"<p>{escape(p)}</p>" for p in article.paragraphs)
    return (
        f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{escape(article.title)}（打印版）</title></head>\n'
        f'<body onload="window.print()">\n<h1>{escape(article.title)}</h1>\n{text}\n<p>{placement.url}</p>\n</body></html>\n'
    )


def _charset(site: Site, number: int, title: str = "") -> str:
    if title == UTF16:
        return ""
    if site is QINGHEDJ:
        return "utf-8" if title == WRONG else "gb2312" if number % 3 == 0 else ""
    return "gb2312" if title == WRONG_HEADER_RIGHT else "utf-8"


def _url(placement: Placement) -> str:
    return placement.url
