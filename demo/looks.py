"""HTML of the pages: one look per site, which puts a page's parts into the site's frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

from articles import Article
from sites import QINGHEDJ, QINGHEONLINE, SITES, YUNLING, Site

LinkItem = tuple[str, str]
"""A link: URL and anchor text."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a page.

    Attributes:
        title: the page's own title, without the site's name.
        main, side: HTML of the two columns.
        description, keywords: for the meta elements; both "" leaves them out.
        charset: what the page declares; "" for nothing.
        early_end: write ``</html>`` before ``<body>``, as some templates do.
    """

    title: str
    main: str
    side: str = ""
    description: str = ""
    keywords: str = ""
    charset: str = ""
    early_end: bool = False


def links(items: Iterable[LinkItem], style: str) -> str:
    """A list of links."""
    rows = "\n".join(f'<li><a href="{escape(url)}" title="{escape(text)}">{escape(text)}</a></li>' for url, text in items)
    return f'<ul class="{style}">\n{rows}\n</ul>'


def box(heading: str, items: Iterable[LinkItem], style: str) -> str:
    """A headed list of links for the side column."""
    return f'<div class="box"><h3>{escape(heading)}</h3>\n{links(items, style)}</div>'


def meta(parts: Parts) -> str:
    """The meta elements of the head."""
    charset = f'<meta http-equiv="Content-Type" content="text/html; charset={parts.charset}">\n' if parts.charset else ""
    if not (parts.description or parts.keywords):
        return charset
    return (
        f'{charset}<meta name="keywords" content="{escape(parts.keywords)}">\n'
        f'<meta name="description" content="{escape(parts.description)}">\n'
    )


def portal(site: Site, parts: Parts) -> str:
    """青河在线: a wide news portal, absolute links."""
    nav = " ".join(f'<a href="{site.list_url(c)}">{c.name}</a>' for c in site.channels)
    return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head>
{meta(parts)}<title>{escape(parts.title)}_{site.title}</title>
<style>
body{{margin:0;font:16px/1.8 "Microsoft YaHei",sans-serif;color:#222}} a{{color:#1a4f8b;text-decoration:none}}
.top{{background:#1a4f8b;color:#fff;padding:10px 40px}} .top a{{color:#fff;margin-right:14px}}
.wrap{{width:1100px;margin:16px auto;display:flex;gap:30px}} .l{{flex:1}} .r{{width:300px;font-size:14px}}
.info{{color:#888;font-size:13px;border-bottom:1px solid #ddd}}
.footer{{background:#f3f3f3;text-align:center;font-size:12px;padding:14px}}
</style>
<script>var channel="{site.key}";function share(){{window.print();}}</script>
</head>
<body>
<div class="top"><a href="{site.home}"><b>{site.title}</b></a> {nav} <a href="javascript:share();">分享</a></div>
<div class="wrap"><div class="l">
{parts.main}
</div><div class="r">
{parts.side}
</div></div>
<div class="footer"><p><a href="{site.home}about.doc">关于我们</a> | <a href="mailto:news@qingheonline.example">投稿信箱</a> | \
<a href="javascript:void(0)">设为首页</a> | <a href="{site.home}private/login.html">登录</a></p>
<p>版权所有 {site.title} 未经书面授权禁止转载 | 违法和不良信息举报电话：0000-12345</p></div>
</body>
</html>
"""


def tables(site: Site, parts: Parts) -> str:
    """青河党建网: tables, fonts and upper-case tags of the early two-thousands, links from the root."""
    nav = " | ".join(
        f'<A HREF="{_from_root(site, site.list_url(c))}"><FONT COLOR="#FFFF99">{c.name}</FONT></A>' for c in site.channels
    )
    return f"""<HTML>
<HEAD>
{meta(parts)}<TITLE>{site.title} {escape(parts.title)}</TITLE>
<STYLE TYPE="text/css">TD {{font-size:14px; line-height:24px}} A {{color:#990000}}
H1 {{font-size:22px; text-align:center}}</STYLE>
</HEAD>
<BODY BGCOLOR="#FFF8F0" TOPMARGIN="0">
<TABLE WIDTH="960" ALIGN="center" BORDER="0" CELLSPACING="0" CELLPADDING="8">
<TR><TD BGCOLOR="#C00000"><FONT COLOR="#FFFFFF" SIZE="6"><B>{site.title}</B></FONT>
<FONT COLOR="#FFFFFF">{site.slogan}</FONT></TD></TR>
<TR><TD BGCOLOR="#990000"><A HREF="/"><FONT COLOR="#FFFF99">首页</FONT></A> | {nav}</TD></TR>
</TABLE>
<TABLE WIDTH="960" ALIGN="center" BORDER="0" CELLSPACING="0" CELLPADDING="8">
<TR><TD WIDTH="660" VALIGN="top">
{parts.main}
</TD><TD WIDTH="300" VALIGN="top" BGCOLOR="#FFEFE0">
{parts.side}
</TD></TR>
</TABLE>
<TABLE WIDTH="960" ALIGN="center" BORDER="0" CELLSPACING="0" CELLPADDING="8">
<TR><TD ALIGN="center" BGCOLOR="#EEEEEE">{site.slogan}<BR>地址：青河市东湖路1号
<A HREF="mailto:dj@qinghedj.example">联系我们</A> \
<A HREF="javascript:window.external.AddFavorite('/','{site.title}')">加入收藏</A></TD></TR>
</TABLE>
</BODY>
</HTML>
"""


def cards(site: Site, parts: Parts) -> str:
    """云岭先锋: HTML5 sectioning and cards, links without a scheme."""
    nav = "".join(f'<a href="{site.list_url(c).removeprefix("http:")}">{c.name}</a>' for c in site.channels)
    end = "" if parts.early_end else "\n</html>"
    return f"""<!doctype html>
<html lang="zh">
<head>
{meta(parts)}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(parts.title)} - {site.title}</title>
<style>
body{{margin:0;background:#faf6f2;font:17px/1.9 "PingFang SC","Noto Sans CJK SC",sans-serif}} a{{color:#a3201a}}
header{{background:#b3241c;padding:18px 5%}} header a{{color:#fff;margin-right:20px;text-decoration:none}}
.grid{{display:grid;grid-template-columns:2fr 1fr;gap:24px;padding:24px 5%}}
main,aside{{background:#fff;border-radius:8px;padding:20px}}
footer{{text-align:center;color:#777;font-size:13px;padding:20px}}
</style>
</head>{"</html>" if parts.early_end else ""}
<body>
<header><a href="/"><strong>{site.title}</strong></a><nav>{nav}</nav></header>
<div class="grid"><main>
{parts.main}
</main><aside>
{parts.side}
</aside></div>
<footer>{site.slogan} · <a href="mailto:xf@yunling.example">意见建议</a> · <a href="tel:00012371">党员热线</a></footer>
</body>{end}
"""


LOOKS: dict[str, Callable[[Site, Parts], str]] = {QINGHEONLINE.key: portal, QINGHEDJ.key: tables, YUNLING.key: cards}


def article_body(site: Site, article: Article, channel: str, tools: str = "") -> str:
    """The main column of an article page: crumbs, heading, source line, text. ``tools`` is HTML put below the text."""
    home, day = site.home, f"{article.date:%Y年%m月%d日}"
    source = next(s.title for s in SITES if s.key == article.site)
    title = escape(article.title)
    paragraphs = [escape(p) for p in article.paragraphs]
    if site is QINGHEDJ:
        text = "<BR><BR>\n　　".join(paragraphs)
        return (
            f'当前位置：<A HREF="/">首页</A> &gt;&gt; {channel}\n<H1>{title}</H1>\n'
            f'<P ALIGN="center"><FONT COLOR="#888888">{day}　来源：{source}</FONT></P><HR>\n'
            f'<DIV CLASS="bt_content">　　{text}</DIV>\n{tools}'
        )
    if site is YUNLING:
        text = "\n".join(f"<p>{p}</p>" for p in paragraphs)
        return (
            f"<article>\n<h1>{title}</h1>\n"
            f'<p><small><time datetime="{article.date}">{day}</time> 来源：{source} 栏目：{channel}</small></p>\n'
            f"{text}\n</article>\n{tools}"
        )
    text = "\n".join(f"<p>　　{p}</p>" for p in paragraphs)
    return (
        f'<p class="crumb"><a href="{home}">{site.title}</a> &gt; {channel} &gt; 正文</p>\n<h1>{title}</h1>\n'
        f'<div class="info">{day} 08:30　来源：{source}</div>\n<div class="article">\n'
        f"{text}\n</div>\n<p>（责任编辑：青编）</p>\n{tools}"
    )


def _from_root(site: Site, url: str) -> str:
    return url.removeprefix(site.home.rstrip("/"))
