"""What a crawler meets besides articles: copies, redirects, traps, pages without text, robots.txt.

:class:`Nuisances` decides what exists; the ordinary pages link to it through ``hot``, ``tools`` and ``corners``.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape

from layout import FRAMED, Layout, Placement, draw
from looks import LinkItem, Parts, box
from pages import Pages, label_of, printed, record
from recording import Label, Recorded
from sites import QINGHEDJ, QINGHEONLINE, YUNLING, Site

PORTAL = QINGHEONLINE.home
MONTHS = [f"{year}-{month:02}" for year in (2025, 2026) for month in range(1, 13)]
"""The months of the calendar that are recorded; its pages link to earlier and later ones without end."""
VIDEOS = {"一盏亮到深夜的灯": 1, "队长领导进攻 猎鹰主场三比一逆转": 2, "七十年党龄的他，捐出了最后一笔积蓄": 3}
GONE = f"{PORTAL}news/2024-07/01/content_9012.html"
SPORTS_HOME = "http://sports.qingheonline.example/"
FRAMESET = f"{QINGHEDJ.home}zt/2026/zzshh.htm"
EMPTY = f"{YUNLING.home}zbsh/202603/t20260301_4999.html"
ROBOTS = {
    PORTAL: "User-agent: *\nDisallow: /private/\n",
    SPORTS_HOME: "User-agent: *\nDisallow: /private/\nCrawl-delay: 1\n",
    YUNLING.home: "# 云岭先锋\nUser-agent: *\nDisallow: /private/\nDisallow: /search\nCrawl-delay: 0.2\n",
}
"""robots.txt by home page; the third site has none and answers 404."""


class Nuisances:
    """Everything that is neither home, list nor article, and the links that lead there."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        everything = layout.listed(QINGHEONLINE)
        self.tracked = _draw(everything, 8, "hot")
        self.shared = _draw(layout.listed(YUNLING), 4, "share")
        self.sessions = _draw(layout.listed(QINGHEDJ), 4, "session")
        self.prints = _draw(everything, 4, "print")
        self.moved = _draw(everything, 2, "moved")
        self.hot: dict[str, list[LinkItem]] = {
            QINGHEONLINE.key: [(tracked(p), p.article.title) for p in self.tracked],
            YUNLING.key: [(shared(p), p.article.title) for p in self.shared],
            QINGHEDJ.key: [(session(p), p.article.title) for p in self.sessions],
        }
        self.tools = self._tools()
        self.corners = self._corners()

    def _tools(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for p in self.prints:
            found[p.url] = f'<p><a href="{print_url(p)}">打印本页</a></p>'
        for title, number in VIDEOS.items():
            p = self.layout.titled(title)
            found[p.url] = found.get(p.url, "") + f'<p><a href="{video_url(number)}">视频：{escape(title)}</a></p>'
        for p in self.layout.placements:
            doc = p.article.doc
            if p.site is QINGHEDJ and doc % 4 == 0:
                found[p.url] = f'附件：<A HREF="/attach/{doc}.doc">登记表.doc</A> <A HREF="/attach/{doc}.pdf">全文下载.pdf</A>'
            elif p.site is QINGHEONLINE and doc % 6 == 0:
                found[p.url] = (
                    found.get(p.url, "")
                    + f'<p><a href="{PORTAL}img/{doc}.jpg"><img src="/img/{doc}s.jpg" alt="现场图片"></a></p>'
                )
            elif p.site is YUNLING and doc % 6 == 0:
                found[p.url] = f'<p><a href="#top">返回顶部</a> <a href="/search?q={doc}">站内搜索</a></p>'
        return found

    def _corners(self) -> dict[str, str]:
        corner = [(f"{PORTAL}go?id={p.article.doc}", p.article.title) for p in self.moved] + [
            (f"{PORTAL}go?id=old1", "旧版回顾"),
            (GONE, "两年前的今天"),
            (gallery_url(PORTAL), "图集：东湖日出"),
            (f"{PORTAL}calendar?m=2026-06", "新闻日历"),
            ("http://[qingheonline/", "手机版"),
        ]
        return {
            QINGHEONLINE.key: box("更多", corner, "more"),
            QINGHEDJ.key: box(
                "专题", [(FRAMESET, "专题组织生活会"), (gallery_url(QINGHEDJ.home), "图说党建：老渡口的石阶")], "zt"
            ),
            YUNLING.key: box("活动", [(EMPTY, "三月支部活动安排"), ("http://qingheonline.example/", "青河在线")], "more"),
        }

    def records(self, pages: Pages) -> list[Recorded]:
        """All nuisances, recorded."""
        return [*self._copies(pages), *self._textless(), *self._traps(), *self._answers(), *self._frameset()]

    def _copies(self, pages: Pages) -> list[Recorded]:
        """The same text at another address."""
        same = [(tracked(p), p) for p in self.tracked] + [(shared(p), p) for p in self.shared]
        same += [(session(p), p) for p in self.sessions]
        found = [replace(pages.article(p), url=url, label=label_of(p, "copy")) for url, p in same]
        for p in self.prints:
            found.append(Recorded(print_url(p), printed(p).encode(), QINGHEONLINE.content_type, label=label_of(p, "copy")))
        return found

    def _textless(self) -> list[Recorded]:
        """Videos, galleries and an empty page: titles without a text to go with them."""
        found = []
        for title, number in VIDEOS.items():
            main = (
                f'<h1>视频：{escape(title)}</h1>\n<div class="player"></div>\n<p>本视频版权归青河在线所有，未经授权不得转载。</p>'
            )
            found.append(_video(QINGHEONLINE, video_url(number), f"视频：{title}", main))
        for site, title, captions in (
            (QINGHEONLINE, "图集：东湖日出", ("湖面", "芦苇", "晨跑的人")),
            (QINGHEDJ, "图说党建：老渡口的石阶", ("石阶", "渡船", "党旗")),
        ):
            shots = "\n".join(
                f'<a href="/img/g{n}.jpg"><img src="/img/g{n}s.jpg" alt="{c}"></a> {c}' for n, c in enumerate(captions)
            )
            found.append(_video(site, gallery_url(site.home), title, f"<h1>{title}</h1>\n{shots}"))
        found.append(Recorded(EMPTY, b"", YUNLING.content_type, label=Label(YUNLING.name, "trap", 0, "三月支部活动安排")))
        return found

    def _traps(self) -> list[Recorded]:
        """The calendar, and a page that robots.txt forbids."""
        found = []
        for month in MONTHS:
            year, number = map(int, month.split("-"))
            near = [(year - 1, number), *((year, n) for n in range(1, 13)), (year + 1, number)]
            cells = " ".join(f'<a href="{PORTAL}calendar?m={y}-{n:02}">{y}年{n}月</a>' for y, n in near)
            parts = Parts(f"新闻日历{year}年{number}月", f"<h1>{year}年{number}月</h1>\n<p>{cells}</p>", charset="utf-8")
            label = Label(QINGHEONLINE.name, "trap", 0, parts.title)
            found.append(record(QINGHEONLINE, f"{PORTAL}calendar?m={month}", parts, label))
        login = Parts("用户登录", '<form><input name="u" placeholder="用户名"><button>登录</button></form>', charset="utf-8")
        found.append(record(QINGHEONLINE, f"{PORTAL}private/login.html", login, Label(QINGHEONLINE.name, "trap", 0, "用户登录")))
        return found

    def _answers(self) -> list[Recorded]:
        """Redirects, a redirect loop, dead links and robots.txt: none of them a page."""
        found = [Recorded(f"{PORTAL}go?id={p.article.doc}", status=301, location=p.url) for p in self.moved]
        found.append(Recorded("http://qingheonline.example/", status=301, location=PORTAL))
        for here, there in (("old1", "old2"), ("old2", "old1")):
            found.append(Recorded(f"{PORTAL}go?id={here}", status=302, location=f"/go?id={there}"))
        gone = "<html><head><title>404</title></head><body><h1>您访问的页面不存在</h1><p>该页面可能已被删除。</p></body></html>"
        found.append(Recorded(GONE, gone.encode(), QINGHEONLINE.content_type, status=404))
        found.append(Recorded(f"{QINGHEDJ.home}robots.txt", b"Not Found", "text/plain", status=404))
        found += [Recorded(f"{home}robots.txt", text.encode(), "text/plain; charset=utf-8") for home, text in ROBOTS.items()]
        return found

    def _frameset(self) -> list[Recorded]:
        """A page that is nothing but two frames, one of which holds a text."""
        title = "专题组织生活会"
        html = (
            f'<HTML>\n<HEAD><TITLE>{title}</TITLE></HEAD>\n<FRAMESET COLS="300,*">\n'
            f'<FRAME SRC="/col/col1022/index.html" NAME="left">\n'
            f'<FRAME SRC="{self.layout.titled(FRAMED).url}" NAME="main">\n'
            f"<NOFRAMES>您的浏览器不支持框架</NOFRAMES>\n</FRAMESET>\n</HTML>\n"
        )
        label = Label(QINGHEDJ.name, "list", 2, title)
        return [Recorded(FRAMESET, html.encode(QINGHEDJ.encoding), QINGHEDJ.content_type, label=label)]


def tracked(placement: Placement) -> str:
    """The address that the portal's hot list links to."""
    return f"{placement.url}?from=hot"


def shared(placement: Placement) -> str:
    """The address that a shared link carries."""
    return f"{placement.url}?utm_source=weixin&utm_medium=share"


def session(placement: Placement) -> str:
    """The address with a session id, as the old site writes it."""
    return f"{placement.url};jsessionid={0xA0B1C2D3E4F5 * placement.article.doc:016X}"


def print_url(placement: Placement) -> str:
    """The address of the printer copy."""
    return placement.url.replace(".html", "_print.html")


def video_url(number: int) -> str:
    """The address of a video page."""
    return f"{PORTAL}video/v{number:04}.html"


def gallery_url(home: str) -> str:
    """The address of a site's picture gallery."""
    return f"{home}photo/p0001.html"


def _video(site: Site, url: str, title: str, main: str) -> Recorded:
    charset = "utf-8" if site is QINGHEONLINE else ""
    return record(site, url, Parts(title, main, charset=charset), Label(site.name, "video", 0, title))


def _draw(pool: list[Placement], count: int, key: str) -> list[Placement]:
    return draw(pool, count, key, lambda placement: placement.url)
