# ruff: noqa: E501  (markup)
"""Layouts of Chinese sites for the open gold set: 56 of them, as well-known software and sites of seven kinds write their pages.

The markup is our own, after the structure of what such software sends. A layout takes a text and what stands around it, and gives
the source of a page in which the right text is marked: elements with :data:`GOLD` hold it, elements within them with :data:`NO` do
not. `open_gold.py` takes the marks out before the page is saved.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from forum_layouts import NAMES

GOLD, NO = ' data-gold="yes"', ' data-gold="no"'

SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛"
GIVEN = [
    "明远",
    "素芬",
    "国梁",
    "桂兰",
    "海生",
    "春妮",
    "志成",
    "秀英",
    "建平",
    "小禾",
    "立新",
    "文静",
    "大勇",
    "玉珍",
    "长河",
    "晓燕",
    "守业",
    "若琳",
    "德全",
    "思齐",
    "宝山",
    "月娥",
    "向东",
    "雨桐",
]
PLACES = [
    "青溪",
    "临渡",
    "沙洲",
    "云石",
    "南坪",
    "白荡",
    "柳桥",
    "清河",
    "石埠",
    "东陵",
    "梅岭",
    "望川",
    "双塔",
    "沅口",
    "平江",
    "固镇",
    "安陵",
    "大汀",
    "桃坞",
    "金滩",
    "芦浦",
    "凤池",
]
NICKS = [
    *NAMES,
    "不吃香菜",
    "七里香",
    "kk1988",
    "半夏微凉",
    "修车佬",
    "木木",
    "wind_rider",
    "三十而立",
    "胡同口",
    "橘子汽水",
    "T-800",
    "打酱油的",
    "一只懒猫",
    "青山不改",
    "xiaobai",
    "豆豆妈",
    "老船长",
    "今天也要早睡",
]
TALK = (
    "写得真好，看到最后一段眼睛有点湿。",
    "我家就在附近，说的都是真事。",
    "沙发！",
    "小编辛苦了，能不能多写写这样的题材？",
    "有一个数字好像不对，麻烦核实一下。",
    "转给我爸看了，他说他年轻的时候也是这样过来的。",
    "不敢苟同，事情没有那么简单。",
    "已收藏，慢慢看。",
    "支持，希望能坚持下去。",
    "去年去过一次，变化确实很大，今年还想再去看看。",
    "评论区终于没有吵起来。",
    "请问有没有联系方式？想去看一看。",
    "说得轻巧，钱从哪里来？",
    "图片能不能放大一点，手机上看不清楚。",
)
ADVERTS = (
    "限时特惠：全场图书五折起",
    "扫码下载客户端，新人立减20元",
    "点击领取本月会员，首月仅需1元",
    "专业搬家，三十年老店，全城服务",
    "0基础学编程，现在报名送课程",
    "本地装修报价，10秒快速获取",
    "秋季新款外套，买一送一",
    "同城二手车，个人一手车源",
)
NAVS = {
    "news": "首页 要闻 国内 国际 财经 体育 文化 科技 教育 健康 汽车 视频 图片 专题",
    "gov": "首页 机构概况 政务公开 政策文件 办事服务 互动交流 数据开放 专题专栏 无障碍",
    "blog": "首页 归档 分类 标签 友链 关于",
    "forum": "首页 版块 新帖 精华 搜索 帮助 登录 注册",
    "shop": "首页 商品分类 今日特价 购物车 我的订单 收藏夹 客服中心",
    "docs": "文档 教程 接口 博客 社区 下载 GitHub",
}
FOOTS = (
    "Copyright © 2010-2026 版权所有 未经授权禁止转载",
    "京ICP备12345678号-1 京公网安备11010502000000号",
    "关于我们 | 广告服务 | 联系我们 | 招聘信息 | 网站地图 | 法律声明",
    "违法和不良信息举报电话：010-00000000 举报邮箱：jubao@example.cn",
    "主办：办公室 承办：信息中心 技术支持：某某科技有限公司",
)


@dataclass
class Text:
    """Hold a text of one of the seven kinds. A row, a paragraph or a reply is a string. ``|`` parts cells."""

    kind: str
    name: str
    title: str
    paragraphs: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    after: list[str] = field(default_factory=list)  # paragraphs behind the rows; tips of a recipe
    replies: list[list[str]] = field(default_factory=list)  # of a thread; answers; steps of a recipe
    sections: list[tuple[str, list[str]]] = field(default_factory=list)  # heading and paragraphs, code and rows


class Around:
    """What stands around a text: names, days, menus, links to others, advertisements. All of it is drawn by ``rng``."""

    def __init__(self, rng: random.Random, others: Sequence[str]) -> None:
        self.rng, self.others = rng, others
        self.author = self.person()
        self.day = f"{rng.randrange(2012, 2027)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
        self.number = rng.randrange(10_000, 9_999_999)

    def person(self) -> str:
        return self.rng.choice(SURNAMES) + self.rng.choice(GIVEN)

    def nick(self) -> str:
        return self.rng.choice(NICKS)

    def count(self, most: int = 900) -> int:
        return self.rng.randrange(most)

    def hour(self) -> str:
        return f"{self.rng.randrange(24):02d}:{self.rng.randrange(60):02d}"

    def later(self) -> str:
        return f"{self.day[:8]}{min(28, int(self.day[8:]) + self.rng.randrange(4)):02d} {self.hour()}"

    def menu(self, kind: str, item: str = "<li><a href='/{n}/'>{t}</a></li>") -> str:
        words = NAVS[kind].split()
        return "".join(item.format(n=n, t=word) for n, word in enumerate(words[: self.rng.randrange(5, len(words) + 1)]))

    def links(self, count: int = 6, item: str = "<li><a href='/{n}.html'>{t}</a></li>") -> str:
        chosen = self.rng.sample(self.others, min(count, len(self.others)))
        return "".join(item.format(n=self.count(9999), t=escape(title), d=self.day[5:], c=self.count()) for title in chosen)

    def advert(self) -> str:
        return f'<a href="http://ad.example.com/{self.count()}" target="_blank">{self.rng.choice(ADVERTS)}</a>'

    def foot(self, end: str = "<br>") -> str:
        return end.join(self.rng.sample(FOOTS, self.rng.randrange(1, 4)))

    def talk(self, item: str, most: int = 6) -> str:
        lines = self.rng.sample(TALK, self.rng.randrange(0, most + 1))
        return "".join(item.format(u=self.nick(), t=line, d=self.later(), c=self.count(60)) for line in lines)

    def often(self, share: float, part: str) -> str:
        return part if self.rng.random() < share else ""


def page(title: str, body: str, head: str = "", lang: str = "zh-CN") -> str:
    return f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n{head}</head>\n<body>\n{body}\n</body>\n</html>\n'


def each(lines: Sequence[str], item: str = "<p>{}</p>\n") -> str:
    return "".join(item.format(marked(line)) for line in lines)


def marked(line: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(line, quote=False))


def rows(text: Sequence[Sequence[str]], head: bool = True, cell: str = "{}", table: str = "<table>") -> str:
    lines = []
    for n, row in enumerate(text):
        tag = "th" if head and n == 0 else "td"
        lines.append("<tr>" + "".join(f"<{tag}>{cell.format(marked(one))}</{tag}>" for one in row) + "</tr>")
    return table + "<tbody>\n" + "\n".join(lines) + "\n</tbody></table>\n"


# -- Articles


def portal(t: Text, a: Around) -> str:
    middle = len(t.paragraphs) // 2
    body = each(t.paragraphs[:middle], "<p>\u3000\u3000{}</p>\n") + a.often(
        0.5, f'<div class="ad_in" style="float:left"{NO}><span>广告</span>{a.advert()}</div>'
    )
    return page(
        f"{t.title}--文化--{a.rng.choice(PLACES)}网",
        f"""<div class="top_bar"><span>登录</span> <span>注册</span><form><input value="请输入关键词"></form></div>
<ul class="channel clearfix">{a.menu("news")}</ul>
<div class="path"><a href="/">首页</a> &gt;&gt; <a href="/c/">文化</a> &gt;&gt; 正文</div>
<div class="layout rm_txt cf"><div class="col col-1 fl"><h1>{t.title}</h1>
<div class="author cf">{a.author}</div><div class="channel"><div class="col-1-1 fl">{a.day} {a.hour()} | 来源：<a href="/">{a.rng.choice(PLACES)}日报</a></div><div class="fr share">分享到：<a>微信</a><a>微博</a></div></div>
<div class="rm_txt_con cf"{GOLD}>{body}{each(t.paragraphs[middle:], "<p>　　{}</p>" + chr(10))}<p class="paper_num"{NO}>《{a.rng.choice(PLACES)}日报》（{a.day} 第{a.count(16) + 1:02d}版）</p></div>
<div class="edit cf">(责编：{a.person()}、{a.person()})</div><p class="sm">分享让更多人看到</p></div>
<div class="col col-2 fr"><h2>热门排行</h2><ol>{a.links(8)}</ol>{a.advert()}</div></div>
<div class="rel"><h3>相关新闻</h3><ul>{a.links(5, "<li><a href='/{n}.html'>{t}</a><em>{d}</em></li>")}</ul></div><div class="footer">{a.foot()}</div>""",
        f'<meta name="publishdate" content="{a.day}"><meta name="source" content="来源：日报">\n',
    )


def trs(t: Text, a: Around) -> str:
    lines = each(
        t.paragraphs,
        '<p style="text-indent: 2em; line-height: 2"><span style="font-family: 宋体; font-size: 12pt">{}</span></p>\n',
    )
    return page(
        f"{t.title}_{a.rng.choice(PLACES)}市人民政府",
        f"""<div class="header"><img src="/images/logo.png" alt="人民政府"><div class="menu"><ul>{a.menu("gov")}</ul></div></div>
<div class="position">您现在的位置：<a href="/">首页</a> &gt; <a href="/xw/">新闻动态</a> &gt; 工作动态</div>
<div class="contentbox"><h2 class="title">{t.title}</h2><div class="sub">发布时间：{a.day} {a.hour()}　信息来源：{a.rng.choice(("宣传部", "办公室", "融媒体中心"))}　浏览次数：<span id="hits">{a.count(5000)}</span>次　字号：[<a href="javascript:doZoom(16)">大</a> <a href="javascript:doZoom(14)">中</a> <a href="javascript:doZoom(12)">小</a>]</div>
<div id="zoom"><div class="TRS_Editor"{GOLD}><style type="text/css">.TRS_Editor P{{margin-top:0;line-height:2}}</style>{lines}</div></div>
<div class="bottom"><a href="javascript:window.print()">【打印本页】</a><a href="javascript:window.close()">【关闭窗口】</a></div>
<p>上一篇：{a.links(1, "<a href='{n}.shtml'>{t}</a>")}</p><p>下一篇：{a.links(1, "<a href='{n}.shtml'>{t}</a>")}</p></div>
<div class="foot"><select><option>各县区网站</option><option>市直部门网站</option></select><p>{a.foot("</p><p>")}</p></div>""",
    )


def messenger(t: Text, a: Around) -> str:
    lines = "".join(
        f'<section style="margin: 0 8px 1.5em; line-height: 1.75"><span style="font-size: 15px; letter-spacing: 1px" leaf="">{marked(p)}</span></section>'
        + a.often(
            0.2,
            '<section><br></section><section style="text-align:center"><img data-src="https://img.example.cn/0.jpg" data-type="jpeg"></section>',
        )
        for p in t.paragraphs
    )
    return page(
        t.title,
        f"""<div id="js_article" class="rich_media"><div id="js_top_ad_area"></div><div class="rich_media_inner"><div id="page-content" class="rich_media_area_primary"><div id="img-content">
<h1 class="rich_media_title" id="activity-name">{t.title}</h1>
<div id="meta_content" class="rich_media_meta_list"><span class="rich_media_meta_text">{a.author}</span> <a id="js_name">{a.rng.choice(PLACES)}往事</a> <em id="publish_time">{a.day} {a.hour()}</em></div>
<div class="rich_media_content js_underline_content" id="js_content"{GOLD}><section{NO}><p style="color:#888">点击上方蓝字，关注我们</p></section>{lines}<section{NO}><p>- END -</p><p>作者：{a.author}　编辑：{a.person()}</p><p>长按识别二维码关注</p></section></div>
<div class="rich_media_tool"><a id="js_view_source">阅读原文</a><span>阅读 {a.count()}</span><span>在看 {a.count(90)}</span></div></div></div>
<div class="rich_media_area_extra"><h3>精选留言</h3><ul class="discuss_list">{a.talk("<li><strong>{u}</strong><p>{t}</p><span>赞 {c}</span></li>")}</ul></div></div></div>
<div class="weui-dialog" style="display:none"><p>当前内容可能存在未经审核的第三方商业营销信息，请确认是否继续访问。</p><a>继续访问</a></div>""",
        f'<meta property="og:title" content="{t.title}"><meta name="author" content="{a.author}">\n',
    )


def wordpress(t: Text, a: Around) -> str:
    return page(
        f"{t.title} – {a.rng.choice(PLACES)}杂记",
        f"""<div id="page" class="site"><header id="masthead"><p class="site-title"><a href="/">杂记</a></p><nav class="main-navigation"><ul id="primary-menu">{a.menu("blog", '<li class="menu-item"><a href="/{n}">{t}</a></li>')}</ul></nav></header>
<div id="primary" class="content-area"><main id="main"><article id="post-{a.number}" class="post type-post hentry category-life">
<header class="entry-header"><h1 class="entry-title">{t.title}</h1><div class="entry-meta"><span class="posted-on">发布于 <time class="entry-date" datetime="{a.day}T08:00:00+08:00">{a.day}</time></span> <span class="byline">由 <a href="/author/">{a.author}</a></span></div></header>
<div class="entry-content"{GOLD}>{each(t.paragraphs)}<div class="sharedaddy"{NO}><h3>分享此文：</h3><ul><li>Twitter</li><li>微博</li></ul></div></div>
<footer class="entry-footer">分类：<a href="/c/">生活</a> 标签：<a href="/t/">随笔</a>、<a href="/t/">见闻</a></footer></article>
<nav class="post-navigation"><div class="nav-links">{a.links(2, "<div><span>文章导航</span><a href='/{n}'>{t}</a></div>")}</div></nav>
<div id="comments"><h2>《{t.title}》有{a.count(8)}个想法</h2><ol class="comment-list">{a.talk("<li class='comment'><article><footer><b>{u}</b>说道：<time>{d}</time></footer><div class='comment-content'><p>{t}</p></div><a>回复</a></article></li>", 8)}</ol><form><p>您的邮箱地址不会被公开。必填项已用 * 标注</p><textarea></textarea><input type="submit" value="发表评论"></form></div></main></div>
<aside id="secondary" class="widget-area"><section class="widget"><h2>近期文章</h2><ul>{a.links(6)}</ul></section><section class="widget"><h2>归档</h2><ul><li>2024年5月</li><li>2024年4月</li></ul></section></aside>
<footer id="colophon">自豪地采用 WordPress</footer></div>""",
    )


def hexo(t: Text, a: Around) -> str:
    heads = ("缘起", "经过", "余话")
    cut = max(1, len(t.paragraphs) // 3)
    body = "".join(
        f'<h2 id="{h}"><a href="#{h}" class="headerlink" title="{h}"></a>{h}</h2>{each(t.paragraphs[n * cut : (n + 1) * cut if n < 2 else None])}'
        for n, h in enumerate(heads)
    )
    toc = "".join(
        f'<li class="nav-item"><a href="#{h}"><span class="nav-number">{n}.</span><span class="nav-text">{h}</span></a></li>'
        for n, h in enumerate(heads, 1)
    )
    return page(
        f"{t.title} | {a.author}的笔记",
        f"""<div class="container use-motion"><header class="header"><a class="brand" href="/">{a.author}的笔记</a><ul class="menu">{a.menu("blog")}</ul></header>
<aside class="sidebar"><div class="post-toc"><ol class="nav">{toc}</ol></div><div class="site-overview"><p>{a.author}</p><p>写字的人</p><span>{a.count(200)} 日志</span> <span>{a.count(20)} 分类</span></div></aside>
<main class="main"><div class="post-block"><header class="post-header"><h1 class="post-title">{t.title}</h1><div class="post-meta">发表于 <time>{a.day}</time> 本文字数： 2.1k 阅读时长 ≈ 4 分钟</div></header>
<div class="post-body" itemprop="articleBody"{GOLD}>{body}</div>
<div class="reward-container"><div>坚持原创技术分享，您的支持将鼓励我继续创作！</div><button>打赏</button></div>
<ul class="post-copyright"><li><strong>本文作者：</strong>{a.author}</li><li><strong>本文链接：</strong>https://blog.example.cn/{a.number}/</li><li><strong>版权声明：</strong>本博客所有文章除特别声明外，均采用 BY-NC-SA 许可协议。转载请注明出处！</li></ul>
<footer class="post-footer"><div class="post-tags"><a># 随笔</a></div><div class="post-nav">{a.links(2, "<a href='/{n}/'>{t}</a>")}</div></footer></div></main>
<footer class="footer">© 2026 {a.author} 由 Hexo & NexT.Pisces 强力驱动 <span>总访客数 {a.count(9999)}</span></footer></div>""",
    )


def aggregator(t: Text, a: Around) -> str:
    n = a.rng.randrange(1, len(t.paragraphs))
    return page(
        f"{t.title}_{a.rng.choice(PLACES)}号",
        f"""<div id="article-container"><div class="left sidebar"><div class="user-info"><h4><a>{a.nick()}</a></h4><dl><dd>文章</dd><em>{a.count()}</em></dl></div><div class="user-post">{a.links(3)}</div></div>
<div class="main"><div class="text"><div class="text-title"><h1>{t.title}<span class="article-tag"></span></h1><div class="article-info"><span class="time">{a.day} {a.hour()}</span> 来源: <span><a>{a.nick()}</a></span> 发布于：{a.rng.choice(PLACES)}</div></div>
<article class="article" id="mp-editor"{GOLD}><p{NO}>原标题：{t.title}</p>{each(t.paragraphs[:n])}<div class="swiper"{NO}><p>大家都在看</p>{a.links(3, "<div><a href='/a/{n}'>{t}</a></div>")}</div>{each(t.paragraphs[n:])}<p><a href="/" class="backsword"{NO}>返回首页，查看更多</a></p></article>
<div class="statement">平台声明：该文观点仅代表作者本人，本平台系信息发布平台，仅提供信息存储空间服务。</div><div class="bottom-relate-wrap"><span>阅读 ({a.count()})</span></div></div>
<div class="groom-read"><p>推荐阅读</p>{a.links(6, "<div class='feed'><h4><a href='/a/{n}'>{t}</a></h4><span>{d}</span><span>{c}评论</span></div>")}</div></div>
<div class="right sidebar"><h3>今日推荐</h3><ul>{a.links(6)}</ul>{a.advert()}</div></div><div class="footer">{a.foot(" ")}</div>""",
    )


def column(t: Text, a: Around) -> str:
    return page(
        f"{t.title} - 知识专栏",
        f"""<div id="root"><div class="App"><header class="ColumnPageHeader"><a>写文章</a><a>登录/注册</a></header><main class="Post-content"><div class="TitleImage"></div><article class="Post-Main Post-NormalMain"><header class="Post-Header"><h1 class="Post-Title">{t.title}</h1><div class="Post-Author"><div class="AuthorInfo"><a class="UserLink-link">{a.author}</a><div class="AuthorInfo-badgeText">在{a.rng.choice(PLACES)}写作，慢慢走</div></div><button class="Button FollowButton">关注他</button></div><div class="LabelContainer">{a.count(90)} 人赞同了该文章</div></header>
<div class="Post-RichTextContainer"><div class="RichText ztext Post-RichText"{GOLD}>{each(t.paragraphs, '<p data-first-child="" data-pid="x">{}</p>')}</div></div>
<div class="ContentItem-time">编辑于 {a.day} {a.hour()}・IP 属地{a.rng.choice(PLACES)}</div><div class="Post-topicsAndReviewer"><div class="TopicList"><a>生活</a><a>观察</a></div></div></article>
<div class="Comments-container"><h2>{a.count(30)} 条评论</h2>{a.talk("<div class='CommentItem'><a>{u}</a><div class='CommentContent'>{t}</div><span>{d}</span><button>回复</button><button>{c}</button></div>", 9)}</div>
<div class="Recommendations"><h3>推荐阅读</h3><ul>{a.links(4, "<li class='PostItem'><a href='/p/{n}'><h1 class='PostItem-Title'>{t}</h1></a><div class='PostItem-Footer'>{c} 赞同</div></li>")}</ul></div></main></div></div>""",
    )


def newspaper(t: Text, a: Around) -> str:
    lines = "".join(f"<P>　　{marked(p)}</P>" for p in t.paragraphs)
    return page(
        f"{a.rng.choice(PLACES)}晚报电子版",
        f"""<table width="1000" border="0" align="center"><tr><td width="300" valign="top"><table><tr><td>第A{a.count(20) + 1:02d}版：副刊</td></tr><tr><td><a href="#">上一版</a> <a href="#">下一版</a></td></tr>{a.links(7, "<tr><td>·<a href='content_{n}.htm'>{t}</a></td></tr>")}</table></td>
<td valign="top"><table width="700"><tr><td align="center"><font color="red">{a.day[:4]}年{a.day[5:7]}月{a.day[8:]}日　星期{a.rng.choice("一二三四五六日")}</font></td></tr><tr><td><a>放大</a> <a>缩小</a> <a>默认</a></td></tr>
<tr><td class="font01" align="center"><founder-title><strong style="font-size:23px">{t.title}</strong></founder-title></td></tr><tr><td class="font02" align="center"><founder-author>□ {a.author}</founder-author></td></tr>
<tr><td><div id="ozoom" style="zoom:100%"{GOLD}><founder-content>{lines}</founder-content></div></td></tr><tr><td>上一篇 {a.links(1, "<a>{t}</a>")}</td></tr></table></td></tr></table>
<table width="1000" align="center"><tr><td align="center">{a.foot()}</td></tr></table>""",
    )


def hashed(t: Text, a: Around) -> str:
    return page(
        f"{t.title} - 简写",
        f"""<div id="__next"><header class="_1CSgtu"><nav class="_3kbg6I"><a class="_2p7I">首页</a><a class="_2p7I">下载APP</a><a class="_2p7I">会员</a><button>登录</button></nav></header>
<div class="_21bLU4 _3kbg6I"><div class="_gp-ck" role="main"><section class="ouvJEz"><h1 class="_1RuRku">{t.title}</h1><div class="rEsl9f"><div class="_3U4Smb"><span class="_1_GFkE">{a.nick()}</span><button class="_3kba3h">关注</button></div><div class="s-dsoj"><time>{a.day} {a.hour()}</time><span>字数 {a.count(3000)}</span><span>阅读 {a.count(9000)}</span></div></div>
<article class="_2rhmJa"{GOLD}>{each(t.paragraphs)}</article><div class="_1kCBjS">© 著作权归作者所有，转载或内容合作请联系作者</div><div class="_13lIbp">更多精彩内容，就在App</div></section>
<section class="ouvJEz"><h3 class="QxT4hD">全部评论 <span>{a.count(20)}</span></h3>{a.talk("<div class='_2IUqvs'><div class='_23G05g'>{u}</div><div class='_1Jdfvb'>{t}</div><div class='_2ti14z'>{d} 回复</div></div>", 5)}</section>
<section class="ouvJEz"><h3 class="QxT4hD">推荐阅读</h3>{a.links(4, "<li class='_3gM93'><a href='/p/{n}'>{t}</a><div>阅读 {c} 评论 2 赞 9</div></li>")}</section></div>
<aside class="_2OwGUo"><section class="_3Z3nHf"><h3>热门故事</h3>{a.links(5)}</section></aside></div><footer>{a.foot(" ")}</footer></div>""",
    )


def note(t: Text, a: Around) -> str:
    lines = "<br><br>\n".join(map(marked, t.paragraphs))
    return page(
        t.title,
        f"""<div id="db-global-nav"><div class="bd"><div class="top-nav-info"><a>登录/注册</a></div><ul>{a.menu("blog")}</ul></div></div>
<div id="wrapper"><div id="content"><div class="grid-16-8 clearfix"><div class="article"><div class="note-container" id="note-{a.number}"><div class="note-header"><h1>{t.title}</h1><div><a class="note-author">{a.nick()}</a> <span class="pub-date">{a.day} {a.hour()}</span> <span>{a.rng.choice(PLACES)}</span></div></div>
<div class="note" id="link-report"{GOLD}>{lines}</div><div class="copyright">© 本文版权归该作者所有，任何形式转载请联系作者。</div><div class="LikeButton"><a>赞 {a.count(60)}</a><a>转发</a></div></div>
<div id="comments" class="comment-list"><h2>回应</h2>{a.talk("<div class='comment-item'><div class='author'>{d} {u}</div><p>{t}</p><div class='op-lnks'><a>赞</a></div></div>", 7)}</div></div>
<div class="aside"><div class="mod"><h2>{a.nick()}的其他日记</h2><ul>{a.links(6)}</ul></div><div class="mod"><a>作者的主页</a></div></div></div></div><div id="footer">{a.foot(" ")}</div></div>""",
    )


def island(t: Text, a: Around) -> str:
    return page(
        f"{t.title} | 生活 | 聯合網",
        f"""<header class="header"><a class="logo" href="/">聯合網</a><nav><ul>{a.menu("news")}</ul></nav></header>
<nav class="breadcrumb-items"><a href="/">聯合網</a> / <a href="/life">生活</a> / 焦点</nav>
<main><section class="article-content__wrapper"><h1 class="article-content__title">{t.title}</h1><section class="authors"><time class="article-content__time">{a.day} {a.hour()}</time><span class="article-content__author">{a.rng.choice(PLACES)}报 记者<a>{a.author}</a>／{a.rng.choice(PLACES)}报导</span></section>
<section class="article-content__editor"{GOLD}>{"".join(f"<p>{marked(p)}</p>" + a.often(0.2, f"<div class='inline-ads'{NO}>{a.advert()}</div>") for p in t.paragraphs)}</section>
<section class="keywords"><a>在地</a><a>人物</a></section><div class="discuss-board"><h3>留言</h3>{a.talk("<div><b>{u}</b><p>{t}</p></div>", 4)}</div></section>
<section class="more-news"><h2>延伸阅读</h2><div class="story-list">{a.links(5, "<div class='story-list__news'><a href='/news/story/{n}'>{t}</a><time>{d}</time></div>")}</div></section></main>
<aside><h3>热门新闻</h3><ol>{a.links(7)}</ol></aside><footer>{a.foot()}</footer>""",
        lang="zh-Hant",
    )


def utility(t: Text, a: Around) -> str:
    return page(
        f"{t.title} | 野笔",
        f"""<div class="min-h-screen flex flex-col"><div class="sticky top-0 z-50 backdrop-blur"><div class="max-w-5xl mx-auto flex justify-between"><a class="font-bold" href="/">野笔</a><div class="flex gap-4">{a.menu("blog", "<a class='text-sm' href='/{n}'>{t}</a>")}</div></div></div>
<div class="flex-1 max-w-3xl mx-auto px-4"><div class="mt-10 text-xs text-gray-500"><span>{a.day}</span><span class="mx-2">·</span><span>{a.count(20)} 分钟阅读</span></div><h1 class="text-3xl font-bold">{t.title}</h1>
<div class="mt-4 flex items-center"><img class="rounded-full w-8" src="/a.webp" alt=""><span class="ml-2">{a.author}</span></div><div class="mt-8 leading-8 space-y-6"{GOLD}>{each(t.paragraphs, '<div class="text-gray-800">{}</div>')}</div>
<div class="mt-16 rounded-xl bg-gray-100 p-6"><div class="font-bold">订阅电子报</div><div>每周五早晨，把新文章寄到你的邮箱，不喜欢随时可以退订。</div><input placeholder="邮箱"><button>订阅</button></div>
<div class="mt-12 grid grid-cols-2 gap-4">{a.links(4, "<a class='block border p-4' href='/{n}'><div class='font-medium'>{t}</div><div class='text-xs'>{d}</div></a>")}</div></div><div class="border-t py-8 text-center text-xs">{a.foot(" ")}</div></div>
<div class="hidden"><div>登录以后可以收藏文章，并且在不同的设备上同步阅读的进度。</div></div>""",
        "<style>.hidden{display:none}.flex{display:flex}</style>\n",
    )


# -- Forums: the text of a thread is that of its posts, without quotes, signatures and names


def posts(t: Text, a: Around) -> list[tuple[str, str, list[str], str]]:
    """Name, time, lines and quote of each post."""
    starter, found = a.nick(), []
    for n, lines in enumerate([t.paragraphs, *t.replies]):
        quote = a.rng.choice(t.replies[: n - 1])[0][:40] if n > 2 and a.rng.random() < 0.2 else ""
        name = starter if n == 0 or lines[0].startswith(("回来", "更新", "谢谢", "结果", "楼主", "今天去")) else a.nick()
        found.append((name, a.later(), lines, quote))
    return found


def discuz(t: Text, a: Around) -> str:
    boxes = "".join(
        f"""<div id="post_{n}"><table id="pid{n}" class="plhin" cellspacing="0"><tr><td class="pls" rowspan="2"><div class="pi"><div class="authi"><a class="xw1">{u}</a></div></div><div class="tns xg2"><table><tr><th><p><a>{a.count(200)}</a></p>主题</th><td><p><a>{a.count(2000)}</a></p>积分</td></tr></table></div><p><em><a>{a.rng.choice(("新手上路", "注册会员", "高级会员", "论坛元老"))}</a></em></p></td>
<td class="plc"><div class="pi"><strong><a>{"楼主" if n == 0 else f"{n + 1}#"}</a></strong><div class="pti"><em>发表于 {d}</em> <span class="pipe">|</span><a>只看该作者</a></div></div><div class="pct"><div class="pcb"><div class="t_fsz"><table><tr><td class="t_f" id="postmessage_{n}"{GOLD}>{f'<div class="quote"{NO}><blockquote><font color="#999999">{a.nick()} 发表于 {a.later()}</font><br>{q}</blockquote></div><br>' if q else ""}{"<br>".join(map(marked, lines))}{a.often(0.15, f'<i class="pstatus"{NO}> 本帖最后由 {u} 于 {d} 编辑 </i>')}</td></tr></table></div></div></div></td></tr>
<tr><td class="plc plm">{a.often(0.3, '<div class="sign">人生得意须尽欢，莫使金樽空对月。</div>')}</td></tr><tr><td class="pls"></td><td class="plc"><div class="po"><a>回复</a> <a>支持</a> <a>反对</a> <a>举报</a></div></td></tr></table></div>"""
        for n, (u, d, lines, q) in enumerate(posts(t, a))
    )
    return page(
        f"{t.title} - {a.rng.choice(PLACES)}论坛 - Powered by Discuz!",
        f"""<div id="hd"><div class="wp"><div id="nv"><ul>{a.menu("forum")}</ul></div></div></div><div id="wp" class="wp"><div id="pt" class="bm cl"><div class="z"><a>论坛</a> › <a>综合讨论</a> › <a>{t.title}</a></div></div>
<div id="ct" class="wp cl"><div class="pgs"><a>发帖</a><a>回复</a><a>返回列表</a></div><div id="postlist" class="pl bm"><table><tr><td class="pls"><span class="xg1">查看:</span> <span class="xi1">{a.count(9000)}</span><span class="pipe">|</span><span class="xg1">回复:</span> <span class="xi1">{len(t.replies)}</span></td><td class="plc"><h1 class="ts"><a>[求助]</a><span id="thread_subject">{t.title}</span></h1></td></tr></table>{boxes}</div>
<div id="f_pst" class="pl bm"><form><p>您需要登录后才可以回帖 <a>登录</a> | <a>立即注册</a></p></form></div></div></div><div id="ft" class="wp"><p>Powered by <strong>Discuz!</strong> X3.4</p><p>GMT+8, {a.day}, Processed in 0.02 second(s)</p></div>""",
    )


def phpbb(t: Text, a: Around) -> str:
    boxes = "".join(
        f"""<div id="p{n}" class="post has-profile bg{n % 2 + 1}"><div class="inner"><dl class="postprofile"><dt><a class="username">{u}</a></dt><dd class="profile-posts"><strong>帖子：</strong> <a>{a.count(300)}</a></dd><dd><strong>注册时间：</strong> {a.day}</dd></dl>
<div class="postbody"><div id="post_content{n}"><h3><a href="#p{n}">{"" if n == 0 else "回复： "}{t.title}</a></h3><ul class="post-buttons"><li><a>引用</a></li></ul><p class="author"><span class="responsive-hide">由 <strong>{u}</strong> » </span><time>{d}</time></p><div class="content"{GOLD}>{f"<blockquote{NO}><div><cite>{a.nick()} 写道：</cite>{q}</div></blockquote>" if q else ""}{"<br><br>".join(map(marked, lines))}</div>{a.often(0.2, '<div class="signature">知之为知之，不知为不知</div>')}</div></div><div class="back2top"><a href="#top">页首</a></div></div></div>"""
        for n, (u, d, lines, q) in enumerate(posts(t, a))
    )
    return page(
        f"{t.title} - {a.rng.choice(PLACES)}社区",
        f"""<div id="wrap"><div id="page-header"><h1>{a.rng.choice(PLACES)}社区</h1><p>爱好者的家园</p><ul class="navlinks">{a.menu("forum")}</ul></div><div id="page-body"><h2 class="topic-title"><a>{t.title}</a></h2><div class="action-bar"><a>回复</a><div class="pagination">{len(t.replies) + 1} 篇帖子 • 第 1 页，共 1 页</div></div>{boxes}
<div class="action-bar"><a>返回“交流区”</a></div><div class="stat-block"><h3>在线用户</h3><p>正在浏览此版面的用户：没有注册用户 和 {a.count(9)} 位游客</p></div></div><div id="page-footer">由 phpBB® Forum Software © phpBB Limited 驱动</div></div>""",
    )


def discourse(t: Text, a: Around) -> str:
    boxes = "".join(
        f"""<div itemprop="comment" id="post_{n + 1}" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator"><a href="/u/{u}"><span itemprop="name">{u}</span></a></span><span class="crawler-post-infos"><time datetime="{d}" class="post-time">{d}</time><span itemprop="position">{n + 1}</span></span></div>
<div class="post" itemprop="text"{GOLD}>{f'<aside class="quote no-group"{NO}><div class="title">{a.nick()}:</div><blockquote><p>{q}</p></blockquote></aside>' if q else ""}{each(lines)}</div><div><span class="post-likes">{a.often(0.4, f"{a.count(9) + 1} 个赞")}</span></div></div>"""
        for n, (u, d, lines, q) in enumerate(posts(t, a))
    )
    return page(
        f"{t.title} - 综合 - {a.rng.choice(PLACES)}用户社区",
        f"""<header><a href="/">{a.rng.choice(PLACES)}用户社区</a></header><div id="main-outlet" class="wrap"><div id="topic-title"><h1><a href="/t/{a.number}">{t.title}</a></h1><div class="topic-category"><span><a href="/c/general">综合</a></span></div></div><div itemscope itemtype="http://schema.org/DiscussionForumPosting">{boxes}</div>
<div id="related-topics"><h3>相关话题</h3><table class="topic-list"><thead><tr><th>话题</th><th>回复</th><th>活动</th></tr></thead><tbody>{a.links(5, "<tr><td><a href='/t/{n}'>{t}</a></td><td>{c}</td><td>{d}</td></tr>")}</tbody></table></div></div>
<footer class="container wrap"><nav class="crawler-nav"><ul><li><a>首页</a></li><li><a>类别</a></li><li><a>行为准则</a></li><li><a>服务条款</a></li></ul></nav><p>由 <a>Discourse</a> 提供技术支持，启用 JavaScript 以获得最佳体验</p></footer>""",
        '<meta name="generator" content="Discourse 3.2.0">\n',
    )


def nga(t: Text, a: Around) -> str:
    boxes = "".join(
        f"""<table class="forumbox postbox" cellspacing="1"><tbody><tr id="post1strow{n}" class="postrow row{n % 2 + 1}"><td class="c1"><span class="posterinfo"><a class="author b">{u}</a><div class="stat">级别: 学徒 威望: {a.count(9)} 发帖: {a.count(800)}</div></span></td>
<td class="c2" id="postcontainer{n}"><div class="postInfo"><a>[{n}楼]</a> <span>{d}</span></div><span id="postcontentandsubject{n}">{f'<h3 id="postsubject0">{t.title}</h3><br>' if n == 0 else ""}<{"p" if n == 0 else "span"} id="postcontent{n}" class="postcontent ubbcode"{GOLD}>{f'<div class="quote"{NO}>[{a.nick()}]({a.later()}): {q}</div><br>' if q else ""}{"<br><br>".join(map(marked, lines))}</{"p" if n == 0 else "span"}></span><div class="postsigncontent"></div></td></tr></tbody></table>"""
        for n, (u, d, lines, q) in enumerate(posts(t, a))
    )
    return page(
        f"{t.title} 艾泽拉斯国家",
        f"""<div id="mmc"><div id="mainmenu"><div class="stdbtn">{a.menu("forum", "<a href='/{n}'>{t}</a>")}</div></div><div id="m_nav" class="module_wrap"><span class="nav_link">论坛 » 大漩涡 » 生活区</span></div>
<div id="m_posts" class="module_wrap"><div id="m_posts_c">{boxes}</div></div><div id="m_pbtnbtm"><a>回复</a><a>收藏</a><a>1</a></div><div id="footer">{a.foot(" ")}</div></div>""",
    )


def tieba(t: Text, a: Around) -> str:
    def nested(n: int) -> str:
        if n == 0 or a.rng.random() > 0.25:
            return ""
        answer = a.rng.choice(("+1", "谢谢，试试看", "求地址", "这个真的有用吗？", "我也是这样"))
        return f'<div class="j_lzl_r lzl_single_post"><a class="at">{a.nick()}</a>：<span class="lzl_content_main">{answer}</span><span>{a.later()}</span> <a>回复</a></div>'

    boxes = "".join(
        f"""<div class="l_post l_post_bright j_l_post clearfix"><div class="d_author"><ul class="p_author"><li class="d_name"><a class="p_author_name">{u}</a></li><li class="l_badge"><div class="d_badge_title">{a.rng.choice(("初来乍到", "小有名气", "铁杆吧友"))}</div><div class="d_badge_lv">{a.count(14) + 1}</div></li></ul></div>
<div class="d_post_content_main"><div class="p_content"><cc><div id="post_content_{n}" class="d_post_content j_d_post_content"{GOLD}>            {"<br>".join(map(marked, lines))}</div></cc></div><div class="core_reply j_lzl_wrapper"><div class="post-tail-wrap"><span class="tail-info">来自Android客户端</span><span class="tail-info">{n + 1}楼</span><span class="tail-info">{d}</span><a class="lzl_link_unfold">回复</a></div>{nested(n)}</div></div></div>"""
        for n, (u, d, lines, _) in enumerate(posts(t, a))
    )
    place = a.rng.choice(PLACES)
    return page(
        f"{t.title}【{place}吧】_贴吧",
        f"""<div id="com_userbar"><ul><li><a>登录</a></li></ul></div><div class="nav_wrap"><ul class="nav_list"><li><a>看贴</a></li><li><a>图片</a></li><li><a>精品</a></li></ul></div><div class="card_top"><a class="card_title_fname">{place}吧</a><span>关注：<b>{a.count(9999)}</b> 贴子：<b>{a.count(99999)}</b></span></div>
<div id="pb_content" class="pb_content clearfix"><div class="left_section"><div class="core_title core_title_theme_bright"><h3 class="core_title_txt pull-left">{t.title}</h3><ul class="core_title_btns"><li><a>只看楼主</a></li><li><a>收藏</a></li><li><a>回复</a></li></ul></div><div class="p_postlist" id="j_p_postlist">{boxes}</div><div class="pb_footer"><ul><li>{len(t.replies)}回复贴，共<span>1</span>页</li></ul></div></div>
<div class="right_section"><h4>贴吧热议榜</h4><ul class="topic_list">{a.links(6)}</ul></div></div><div class="footer">{a.foot(" ")}</div>""",
    )


def v2ex(t: Text, a: Around) -> str:
    first, *rest = posts(t, a)
    boxes = "".join(
        f"""<div id="r_{n}" class="cell"><table cellpadding="0" width="100%"><tr><td width="48"><img class="avatar"></td><td width="auto"><div class="fr"><span class="no">{n}</span></div><strong><a class="dark">{u}</a></strong> &nbsp; <span class="ago">{d}</span><div class="sep5"></div><div class="reply_content"{GOLD}>{"<br>".join(map(marked, lines))}</div></td></tr></table></div>"""
        for n, (u, d, lines, _) in enumerate(rest, 1)
    )
    return page(
        f"{t.title} - V2站",
        f"""<div id="Top"><div class="content"><div class="tools"><a class="top">首页</a><a class="top">注册</a><a class="top">登录</a></div></div></div><div id="Wrapper"><div class="content"><div id="Rightbar"><div class="box"><div class="cell"><strong>这是一个关于分享和探索的地方</strong></div><div class="inner"><a>现在注册</a> 已注册用户请 <a>登录</a></div></div><div class="box"><div class="cell">推荐学习书目</div>{a.links(4, "<div class='cell'><a href='/{n}'>{t}</a></div>")}</div></div>
<div id="Main"><div class="box"><div class="header"><div class="fr"><a><img class="avatar"></a></div><a href="/">V2站</a> <span class="chevron">›</span> <a>问与答</a><div class="sep10"></div><h1>{t.title}</h1><small class="gray"><a>{first[0]}</a> · {first[1]} · {a.count(4000)} 次点击</small></div><div class="cell"><div class="topic_content"{GOLD}><div class="markdown_body">{each(first[2])}</div></div></div></div>
<div class="box"><div class="cell"><span class="gray">{len(rest)} 条回复 &nbsp;<strong class="snow">•</strong> &nbsp;{a.later()}</span></div>{boxes}</div></div></div></div><div id="Bottom"><div class="inner"><strong><a>关于</a> · <a>帮助文档</a> · <a>API</a></strong> {a.count(5000)} 人在线</div></div>""",
    )


def xiuno(t: Text, a: Around) -> str:
    first, *rest = posts(t, a)
    boxes = "".join(
        f"""<li class="media post" data-pid="{n}"><a class="mr-3"><img class="avatar-3"></a><div class="media-body"><div class="d-flex justify-content-between small text-muted"><div><span class="username"><a>{u}</a></span> <span class="date">{d}</span></div><div><a>引用</a> <span class="floor-parent"><span class="floor">{n + 1}</span>楼</span></div></div><div class="message mt-1 break-all"{GOLD}>{f'<blockquote class="blockquote"{NO}><a>{a.nick()}</a> {q}</blockquote>' if q else ""}{each(lines)}</div></div></li>"""
        for n, (u, d, lines, q) in enumerate(rest, 1)
    )
    return page(
        f"{t.title}-交流-{a.rng.choice(PLACES)}",
        f"""<header class="navbar navbar-expand-lg navbar-dark bg-dark" id="header"><div class="container"><ul class="navbar-nav">{a.menu("forum", "<li class='nav-item'><a class='nav-link' href='/{n}'>{t}</a></li>")}</ul></div></header><main id="body"><div class="container"><div class="row"><div class="col-lg-9 main"><ol class="breadcrumb"><li>首页</li><li>交流</li></ol>
<div class="card card-thread"><div class="card-body"><div class="media"><div class="media-body"><h4 class="break-all">{t.title}</h4><div class="small"><span class="username">{first[0]}</span> <span class="date">{first[1]}</span> <span>{a.count(900)} 浏览</span></div></div></div><hr><div class="message break-all" isfirst="1"{GOLD}>{each(first[2])}</div></div></div>
<div class="card card-postlist"><div class="card-body"><div class="card-title"><b>最新回复</b> (<span class="posts">{len(rest)}</span>)</div><ul class="list-unstyled postlist">{boxes}</ul><form id="quick_reply_form"><textarea placeholder="内容"></textarea><button>回帖</button></form></div></div></div>
<div class="col-lg-3 aside"><div class="card"><div class="card-header">推荐主题</div><ul>{a.links(5)}</ul></div></div></div></div></main><footer class="text-muted small">Powered by Xiuno BBS 4.0.4 Processed: 0.021, SQL: 9</footer>""",
    )


def flarum(t: Text, a: Around) -> str:
    boxes = "".join(
        f"""<div class="PostStream-item" data-index="{n}" data-number="{n + 1}"><article class="CommentPost Post"><div><header class="Post-header"><ul><li class="item-user"><div class="PostUser"><h3><a href="/u/{u}"><span class="username">{u}</span></a></h3></div></li><li class="item-meta"><time>{d}</time></li></ul></header><div class="Post-body"{GOLD}>{f'<p><a class="PostMention"{NO}>{a.nick()}</a> {marked(lines[0])}</p>{each(lines[1:])}' if q else each(lines)}</div><aside class="Post-actions"><ul><li><button>回复</button></li><li><button>赞</button></li></ul></aside><footer class="Post-footer">{a.often(0.3, f"<a>{a.nick()}</a> 觉得很赞")}</footer></div></article></div>"""
        for n, (u, d, lines, q) in enumerate(posts(t, a))
    )
    return page(
        f"{t.title} - {a.rng.choice(PLACES)}社群",
        f"""<div id="app" class="App"><header id="header" class="App-header"><div class="container"><h2 class="Header-title"><a>{a.rng.choice(PLACES)}社群</a></h2><ul class="Header-controls"><li>搜索</li><li>注册</li><li>登录</li></ul></div></header><main class="App-content"><div id="content"><div class="DiscussionPage"><header class="Hero DiscussionHero"><ul><li class="item-tags"><span class="TagLabel">闲聊</span></li><li class="item-title"><h1 class="DiscussionHero-title">{t.title}</h1></li></ul></header>
<div class="container"><div class="sideNavContainer"><nav class="DiscussionPage-nav"><ul><li><button>回复</button></li><li><button>关注</button></li><li><div class="PostStreamScrubber"><a>最早内容</a><b>1</b> / {len(t.replies) + 1} 条回复<a>最新回复</a></div></li></ul></nav><div class="DiscussionPage-stream"><div class="PostStream">{boxes}<div class="PostStream-item" data-type="reply"><article class="ReplyPlaceholder"><span>说点什么吧……</span></article></div></div></div></div></div></div></div></main></div>""",
    )


def tianya(t: Text, a: Around) -> str:
    first, *rest = posts(t, a)
    boxes = "".join(
        f"""<div class="atl-item" id="{n}" js_username="{u}"><div class="atl-head"><div class="atl-info"><span>作者：<a class="js-vip-check">{u}</a> </span> <span>时间：{d}</span></div></div><div class="atl-content"><div class="atl-con-hd"></div><div class="atl-con-bd clearfix"><div class="bbs-content"{GOLD}>　　{"<br>　　".join(map(marked, lines))}</div><div class="atl-reply"><span>来自 社区客户端</span> | <a>举报</a> | <span>{n}楼</span> | <a>打赏</a> | <a>回复</a> | <a>评论</a></div></div></div></div>"""
        for n, (u, d, lines, _) in enumerate(rest, 1)
    )
    return page(
        f"{t.title}_天涯杂谈",
        f"""<div id="top_nav_wrap"><ul>{a.menu("forum")}</ul></div><div id="doc"><div id="hd"><p class="crumbs"><a>社区</a> &gt; <a>杂谈</a> [我要发帖]</p><div id="post_head"><h1 class="atl-title"><span class="s_title"><span>{t.title}</span></span></h1><div class="atl-menu clearfix"><div class="atl-info"><span>楼主：<a>{first[0]}</a></span> <span>时间：{first[1]}</span> <span>点击：{a.count(9999)}</span> <span>回复：{len(rest)}</span></div><div><a>脱水模式</a> <a>给他打赏</a> <a>只看楼主</a></div></div></div></div>
<div id="bd"><div class="atl-main"><div class="atl-item host-item"><div class="atl-content"><div class="atl-con-bd"><div class="bbs-content clearfix"{GOLD}>　　{"<br>　　".join(map(marked, first[2]))}</div></div></div></div>{boxes}</div><div class="atl-pages"><a>1</a><a>返回顶部</a></div><div class="mb-related"><h3>相关推荐</h3><ul>{a.links(6)}</ul></div></div><div id="footer">{a.foot(" | ")}</div></div>""",
    )


def hupu(t: Text, a: Around) -> str:
    first, *rest = posts(t, a)
    bright = "".join(
        f"""<div class="post-reply_post-reply__D1M4P"><div class="post-reply-list_post-reply-list-user-info"><a class="post-reply-list-user-info-top-name">{u}</a><span class="post-reply-list-user-info-top-time">{d}</span><span>发布于{a.rng.choice(PLACES)}</span></div><div class="post-reply-list-content">{f'<div class="index_quote-wrapper__JMCNh"{NO}><span>引用 @{a.nick()} 发表的:</span><span>{q}</span></div>' if q else ""}<div class="thread-content-detail"{GOLD}>{each(lines)}</div></div><div class="todo-list light"><span>亮了({a.count(99)})</span><span>回复</span></div></div>"""
        for u, d, lines, q in rest
    )
    return page(
        f"{t.title}-步行街主干道",
        f"""<div id="__next"><div class="hp-pc-rc-TopMenu"><a>首页</a><a>步行街</a><a>登录</a></div><div class="index_bbs-post-web__2_mT1"><div class="index_bbs-post-web-body"><div class="index_bbs-post-web-body-left-wrapper"><div class="index_bbs-post-web-main"><div class="bbs-post-web-main-title index_title"><h1 class="index_name__F6n6k">{t.title}</h1><span>{len(rest)}回复/ {a.count(99)}亮 {a.count(9999)}浏览</span></div>
<div class="post-user_post-user"><a>{first[0]}</a><span class="post-user_post-user-comp-info-bottom-level">楼主</span><span>{first[1]}</span></div><div class="post-content_main-post-info"><div class="thread-content-detail"{GOLD}>{each(first[2])}</div></div></div><div class="post-operate">推荐 ({a.count(9)}) 评论 ({len(rest)}) 收藏 分享 举报 只看楼主</div>
<div class="post-wrapper_bbs-post-wrapper gray"><h2 class="post-wrapper_title">全部回帖</h2>{bright}</div></div><div class="right"><h3>热帖推荐</h3>{a.links(6, "<a href='/{n}.html'><span>{t}</span><span>{c}</span></a>")}</div></div></div><footer>{a.foot(" ")}</footer></div>""",
    )


def ptt(t: Text, a: Around) -> str:
    pushes = "".join(
        f"""<div class="push"><span class="hl push-tag">{a.rng.choice(("推", "→", "嘘"))} </span><span class="f3 hl push-userid">{a.nick()}</span><span class="f3 push-content"{GOLD}>: {marked(lines[0])}</span><span class="push-ipdatetime"> {a.day[5:].replace("-", "/")} {a.hour()}\n</span></div>"""
        for lines in t.replies
    )
    body = "\n\n".join(map(marked, t.paragraphs))
    return page(
        f"[问题] {t.title} - 看板 Life - 批踢踢实业坊",
        f"""<div id="topbar-container"><div id="topbar" class="bbs-content"><a id="logo" href="/bbs/">批踢踢实业坊</a><span>›</span><a class="board" href="/bbs/Life/">看板 Life</a><a class="right small">关于我们</a><a class="right small">联络资讯</a></div></div><div id="main-container"><div id="main-content" class="bbs-screen bbs-content"><div class="article-metaline"><span class="article-meta-tag">作者</span><span class="article-meta-value">{a.nick()} ({a.nick()})</span></div><div class="article-metaline"><span class="article-meta-tag">标题</span><span class="article-meta-value">[问题] {t.title}</span></div><div class="article-metaline"><span class="article-meta-tag">时间</span><span class="article-meta-value">{a.day} {a.hour()}</span></div>
<span{GOLD}>{body}</span>

--
<span class="f2">※ 发信站: 批踢踢实业坊(ptt.cc), 来自: 10.0.{a.count(99)}.{a.count(99)} (台湾)
</span><span class="f2">※ 文章网址: <a href="#">https://www.example.tw/bbs/Life/M.{a.number}.html</a>
</span>{pushes}</div></div>""",
        "<style>#main-content{white-space:pre-wrap}</style>\n",
        "zh-TW",
    )


def group(t: Text, a: Around) -> str:
    first, *rest = posts(t, a)
    boxes = "".join(
        f"""<li class="clearfix comment-item reply-item" id="{n}"><div class="user-face"><a><img class="pil"></a></div><div class="reply-doc content"><div class="bg-img-green"><h4><a>{u}</a> <span class="pubtime">{d} {a.rng.choice(PLACES)}</span></h4></div>{f'<div class="reply-quote"><div class="reply-quote-content"><span class="all">{q}</span></div><a class="pubdate">{a.nick()}</a></div>' if q else ""}<div class="markdown"><p class="reply-content"{GOLD}>{"<br>".join(map(marked, lines))}</p></div><div class="operation_div"><a class="comment-vote lnk-fav">赞 ({a.count(9)})</a> <a class="lnk-reply">回应</a></div></div></li>"""
        for n, (u, d, lines, q) in enumerate(rest, 1)
    )
    return page(
        t.title,
        f"""<div class="top-nav"><ul>{a.menu("forum")}</ul></div><div id="wrapper"><div id="content"><h1>{t.title}</h1><div class="grid-16-8 clearfix"><div class="article"><div class="topic-content clearfix" id="topic-content"><div class="topic-doc"><h3><span class="from">来自: <a>{first[0]}</a>({a.rng.choice(PLACES)})</span> <span class="create-time">{first[1]}</span></h3><div id="link-report"><div class="topic-content"><div class="rich-content topic-richtext"{GOLD}>{each(first[2])}</div></div></div></div></div><div class="sns-bar"><a>喜欢 {a.count(99)}</a><a>转发</a><a>收藏</a></div><ul class="topic-reply" id="comments">{boxes}</ul><div class="txd"><h2>你的回应</h2><a>登录</a>后才能回应</div></div>
<div class="aside"><div class="side-info"><a>闲谈小组</a><p>{a.count(99999)} 人聚集在这个小组</p></div><div class="mod"><h2>最新讨论</h2><ul>{a.links(6)}</ul></div></div></div></div><div id="footer">{a.foot(" ")}</div></div>""",
    )


# -- Questions and answers: the text is the question and the answers, without comments below them


def zhihu(t: Text, a: Around) -> str:
    answers = "".join(
        f"""<div class="List-item"><div class="ContentItem AnswerItem"><div class="ContentItem-meta"><div class="AuthorInfo"><a class="UserLink-link">{a.nick()}</a><div class="AuthorInfo-badgeText">{a.rng.choice(("", "略懂一点", "退休教师", "话题的优秀答主"))}</div></div><div class="LabelContainer"><button>{a.count(999)} 人赞同了该回答</button></div></div><div class="RichContent"><div class="RichContent-inner"><span class="RichText ztext CopyrightRichText-richText"{GOLD}>{each(one)}</span></div><div class="ContentItem-time">发布于 {a.later()}</div><div class="ContentItem-actions"><button>赞同 {a.count(999)}</button><button>添加评论</button><button>分享</button><button>收藏</button><button>收起</button></div></div></div></div>"""
        for one in t.replies
    )
    return page(
        f"{t.title} - 知问",
        f"""<div id="root"><header class="AppHeader"><ul class="AppHeader-Tabs"><li>首页</li><li>会员</li><li>发现</li><li>等你来答</li></ul><button>登录</button><button>加入</button></header><main><div class="QuestionPage"><div class="QuestionHeader"><div class="QuestionHeader-topics"><a>生活</a><a>常识</a></div><h1 class="QuestionHeader-title">{t.title}</h1><div class="QuestionHeader-detail"><div class="QuestionRichText"><span class="RichText ztext"{GOLD}>{each(t.paragraphs)}</span></div></div><div class="NumberBoard"><div>关注者<strong>{a.count()}</strong></div><div>被浏览<strong>{a.count(99999)}</strong></div></div><button>关注问题</button><button>写回答</button></div>
<div class="Question-main"><div class="ListShortcut"><div class="List"><h4 class="List-headerText">{len(t.replies)} 个回答</h4><div>默认排序</div>{answers}</div></div><div class="Question-sideColumn"><div class="Card"><div class="Card-header">相关问题</div>{a.links(6, "<div class='SimilarQuestions-item'><a href='/question/{n}'>{t}</a> {c} 个回答</div>")}</div><footer>{a.foot(" ")}</footer></div></div></div></main></div>""",
    )


def segment(t: Text, a: Around) -> str:
    answers = "".join(
        f"""<div class="answer-item d-flex" id="a{n}"><div class="vote"><button></button><span>{a.count(30)}</span><button></button></div><div class="flex-fill"><article class="article fmt article-content"{GOLD}>{each(one)}</article><div class="d-flex justify-content-between"><a>{a.nick()}</a><span>{a.count(9999)} 声望</span><time>回答于 {a.later()}</time></div>{a.often(0.4, f"<div class='comments'><div class='comment'><b>{a.nick()}</b>：<span>{a.rng.choice(TALK)}</span></div><a>添加评论</a></div>")}</div></div>"""
        for n, one in enumerate(t.replies)
    )
    return page(
        f"{t.title} - 思问",
        f"""<nav class="navbar"><ul>{a.menu("docs")}</ul></nav><div class="container"><div class="row"><div class="col-9"><div class="card"><h1 class="h2"><a>{t.title}</a></h1><div class="tags"><a class="badge-tag">入门</a><a class="badge-tag">求助</a></div><div class="d-flex"><div class="vote"><span>{a.count(9)}</span></div><article class="article fmt article-content"{GOLD}>{each(t.paragraphs)}</article></div><div><a>{a.nick()}</a> 提问于 {a.day} 阅读 {a.count(9999)}</div></div><div class="card"><div class="card-header">{len(t.replies)} 个回答 <a>得票</a> <a>最新</a></div>{answers}</div><div class="card"><h3>撰写回答</h3><p>你尚未登录，登录后可以</p><ul><li>和开发者交流问题的细节</li><li>关注并接收问题和回答的更新提醒</li></ul></div></div>
<div class="col-3"><h4>相似问题</h4><ul>{a.links(6)}</ul><p>找不到问题？创建新问题</p></div></div></div><footer>{a.foot(" ")}</footer>""",
    )


def zhidao(t: Text, a: Around) -> str:
    best, *others = t.replies
    more = "".join(
        f'<div class="wgt-answers answer"><div class="hd"><span class="wgt-replyer-all-uname">{a.nick()}</span><span>{a.later()}</span></div><div id="answer-content-{n}" class="answer-text"{GOLD}>{"<br>".join(map(marked, one))}</div><div class="evaluate">已赞过 已踩过 你对这个回答的评价是？<span>评论 收起</span></div></div>'
        for n, one in enumerate(others)
    )
    return page(
        f"{t.title}_知道",
        f"""<div id="userbar"><a>商城</a><a>注册</a><a>登录</a></div><ul class="nav">{a.menu("forum")}</ul><section id="qb-content"><article id="qbleft"><div id="wgt-ask"><h1><span class="ask-title">{t.title}</span></h1><div class="line mt-5"><span class="con-all"{GOLD}>{"<br>".join(map(marked, t.paragraphs))}</span></div><ul class="cate"><li>我来答</li><li>分享</li><li>举报</li></ul></div>
<div class="wgt-best"><div class="hd"><span class="best-logo">推荐于{a.day}</span><h2>最佳答案</h2></div><div class="best-text mb-10"{GOLD}><div class="wgt-best-mask"{NO}>展开全部</div>{"<br>".join(map(marked, best))}</div><div class="quality-info"><span>本回答由提问者推荐</span><a>{a.count(90)}</a></div><div class="replyer">{a.nick()} | 采纳率：{a.count(99)}% 擅长：生活 家居</div></div>
<div id="wgt-other"><h2>其他{len(others)}条回答</h2>{more}</div><div class="wgt-related"><h2>类似问题</h2><ul>{a.links(7, "<li><a href='/question/{n}.html'>{t}</a><span>{c} {d}</span></li>")}</ul></div></article><aside id="qbaside"><h2>等待您来回答</h2><ul>{a.links(5)}</ul></aside></section><footer>{a.foot(" ")}</footer>""",
    )


def wecenter(t: Text, a: Around) -> str:
    answers = "".join(
        f"""<div class="aw-item" uninterested_count="0" id="answer_list_{n}"><div class="mod-head"><p><a class="aw-user-name">{a.nick()}</a> - <span class="text-color-999">{a.rng.choice(("热心网友", "工程师", "学生"))}</span></p><p class="text-color-999 aw-agree-by">赞同来自: {a.nick()}</p></div><div class="mod-body clearfix"><div class="markitup-box"{GOLD}>{"<br />".join(map(marked, one))}</div></div><div class="mod-footer"><div class="meta"><span class="pull-right">{a.later()}</span><a>{a.count(9)}</a><a>添加评论</a><a>感谢</a></div></div></div>"""
        for n, one in enumerate(t.replies)
    )
    return page(
        f"{t.title} - {a.rng.choice(PLACES)}问答社区",
        f"""<div class="aw-top-menu-wrap"><ul>{a.menu("forum")}</ul></div><div class="aw-container-wrap"><div class="container"><div class="row"><div class="aw-main-content"><div class="aw-mod aw-question-detail aw-item"><div class="mod-head"><h1>{t.title}</h1></div><div class="mod-body"><div class="content markitup-box"{GOLD}>{"<br />".join(map(marked, t.paragraphs))}</div></div><div class="mod-footer">{a.day} <a>添加评论</a> <a>分享</a></div></div><div class="aw-mod"><div class="mod-head common-head"><h2>{len(t.replies)} 个回复</h2></div><div class="mod-body aw-feed-list">{answers}</div></div><div class="aw-mod aw-replay-box"><p>要回复问题请先<a>登录</a>或<a>注册</a></p></div></div><div class="aw-side-bar"><div class="aw-mod"><h3>发起人</h3><a>{a.nick()}</a></div><div class="aw-mod"><h3>相关问题</h3><ul>{a.links(5)}</ul></div><div class="aw-mod"><h3>问题状态</h3><ul><li>最新活动: {a.later()}</li><li>浏览: {a.count(999)}</li><li>关注: {a.count(9)} 人</li></ul></div></div></div></div></div>""",
    )


def overflow(t: Text, a: Around) -> str:
    answers = "".join(
        f"""<div class="qa-a-list-item" id="a{n}"><div class="qa-voting"><span class="qa-netvote-count">{a.count(20)} 投票</span></div><div class="qa-a-item-main"><div class="qa-a-item-content"{GOLD}>{each(one)}</div><span class="qa-a-item-meta">{a.later()} 回答 用户: <a>{a.nick()}</a> ({a.count(900)} 分)</span><div class="qa-a-item-buttons"><input type="submit" value="提问相关问题"><input type="submit" value="注释"></div></div></div>"""
        for n, one in enumerate(t.replies)
    )
    return page(
        f"{t.title} - {a.rng.choice(PLACES)}问答",
        f"""<div class="qa-body-wrapper"><div class="qa-header"><div class="qa-logo">问答</div><ul class="qa-nav-main-list">{a.menu("forum", "<li class='qa-nav-main-item'><a href='/{n}'>{t}</a></li>")}</ul></div><div class="qa-sidepanel"><div class="qa-sidebar">欢迎来到问答社区，在这里您可以提问并得到其他成员的解答。</div><h2>最近的问题</h2><ul>{a.links(4)}</ul></div><div class="qa-main"><h1><a>{t.title}</a></h1><div class="qa-part-q-view"><div class="qa-q-view-main"><div class="qa-q-view-content"{GOLD}>{each(t.paragraphs)}</div><div class="qa-q-view-tags"><a>求助</a></div><span>{a.day} 提问 用户: <a>{a.nick()}</a></span></div></div><div class="qa-part-a-form"><p>请 <a>登录</a> 或者 <a>注册</a> 后再回答这个问题。</p></div><h2>{len(t.replies)} 个回答</h2>{answers}<h2>相关问题</h2><ul>{a.links(5, "<li><span>{c} 投票</span> <a href='/{n}'>{t}</a></li>")}</ul></div><div class="qa-footer">Powered by Question2Answer</div></div>""",
    )


def experts(t: Text, a: Around) -> str:
    answers = "".join(
        f"""<dl class="ans-dl"><dt><img src="/l.jpg"><p><a>{a.person()}</a><em>{a.rng.choice(PLACES)}</em></p><p>已服务 {a.count(9000)} 人</p><a>立即咨询</a></dt><dd><div class="ans-c"{GOLD}>{each(one)}</div><p class="ans-t">{a.later()} 回复 <span>有用 {a.count(9)}</span></p></dd></dl>"""
        for one in t.replies
    )
    return page(
        f"{t.title}-在线咨询",
        f"""<div class="topnav">{a.menu("gov", "<a href='/{n}'>{t}</a> ")}</div><div class="wrap"><div class="crumb">当前位置：首页 &gt; 咨询 &gt; 问题详情</div><div class="w690"><div class="ask"><h1>{t.title}</h1><p class="info"><span>{a.rng.choice(PLACES)}网友</span> 提问时间：{a.day} 悬赏：0</p><div class="ask-c"{GOLD}>{each(t.paragraphs)}</div><div class="tip">3分钟内获得解答，<a>我也要提问</a></div></div><div class="ans"><h2>共{len(t.replies)}条解答</h2>{answers}</div><div class="more"><h2>其他人都在问</h2><ul>{a.links(8)}</ul></div></div><div class="w290"><h3>推荐专家</h3><ul><li>{a.person()} <a>在线咨询</a></li><li>{a.person()} <a>在线咨询</a></li></ul>{a.advert()}</div></div><div class="foot">{a.foot()}</div>""",
    )


# -- Encyclopaedias: the text is the introduction and the sections, without boxes, contents and references


def mediawiki(t: Text, a: Around) -> str:
    toc = "".join(
        f'<li class="toclevel-1"><a href="#{h}"><span class="tocnumber">{n}</span> <span class="toctext">{h}</span></a></li>'
        for n, (h, _) in enumerate(t.sections, 1)
    )
    body = "".join(
        f'<h2><span class="mw-headline" id="{h}">{h}</span><span class="mw-editsection"{NO}><span>[</span><a>编辑</a><span>]</span></span></h2>{"".join(f"<p>{marked(p)}<sup class=reference{NO}><a>[{n}]</a></sup></p>" for p in lines)}'
        for n, (h, lines) in enumerate(t.sections, 1)
    )
    return page(
        f"{t.title} - {a.rng.choice(PLACES)}百科，自由的百科全书",
        f"""<div id="mw-page-base"></div><div id="content" class="mw-body"><a id="top"></a><div id="siteNotice"><p>编辑马拉松正在进行，欢迎参加！</p></div><h1 id="firstHeading" class="firstHeading">{t.title}</h1><div id="bodyContent"><div id="siteSub">自由的百科全书</div><div id="mw-content-text"><div class="mw-parser-output"><table class="infobox vcard" style="float:right"><tbody><tr><th colspan="2">{t.title}</th></tr><tr><th>位置</th><td>{a.rng.choice(PLACES)}</td></tr><tr><th>编号</th><td>{a.number}</td></tr></tbody></table>
<div{GOLD}>{each(t.paragraphs, "<p>{}</p>")}</div><div id="toc" class="toc"><h2>目录</h2><ul>{toc}</ul></div><div{GOLD}>{body}</div><h2><span class="mw-headline">参考资料</span></h2><ol class="references"><li>{a.person()}. {a.rng.choice(PLACES)}志. {a.day[:4]}.</li><li>{a.person()}. 旧闻辑录[M]. 第三版.</li></ol><div class="navbox"><table><tr><th>相关条目</th><td>{a.links(5, "<a href='/wiki/{n}'>{t}</a> · ")}</td></tr></table></div></div></div><div class="catlinks">分类：<ul><li><a>条目</a></li><li><a>{a.rng.choice(PLACES)}</a></li></ul></div></div></div>
<div id="mw-navigation"><div id="mw-head"><ul><li>条目</li><li>讨论</li><li>阅读</li><li>编辑</li><li>查看历史</li></ul></div><div id="mw-panel"><ul><li>首页</li><li>随机条目</li><li>最近更改</li></ul></div></div><div id="footer"><ul><li>本页面最后修订于{a.day} {a.hour()}。</li><li>本站的全部文字在相同方式共享许可协议之条款下提供，附加条款亦可能应用。</li></ul></div>""",
        '<meta name="generator" content="MediaWiki 1.39.6">\n',
    )


def baike(t: Text, a: Around) -> str:
    body = "".join(
        f'<div class="para-title level-2"><h2 class="title-text"><span class="title-prefix"{NO}>{t.title}</span>{h}</h2><a class="edit-icon"{NO}>编辑</a><a class="edit-icon"{NO}>播报</a></div>{"".join(f"<div class=para label-module=para>{marked(p)}<sup class=sup--normal{NO}>[{n}]</sup></div>" for p in lines)}'
        for n, (h, lines) in enumerate(t.sections, 1)
    )
    return page(
        f"{t.title}_百科",
        f"""<div class="header-wrapper"><div class="userbar"><ul><li>网页</li><li>新闻</li><li>贴吧</li><li>图片</li></ul></div><div class="navbar-wrapper"><dl><dt>首页</dt></dl><dl><dt>分类</dt></dl><dl><dt>特色百科</dt></dl></div></div><div class="body-wrapper"><div class="content-wrapper"><div class="content"><div class="main-content"><div class="top-tool"><a>收藏</a><span>{a.count()}</span><a>{a.count(90)}</a></div><dl class="lemmaWgt-lemmaTitle"><dd><h1>{t.title}</h1><a>锁定</a> <a>讨论</a> <a>上传视频</a></dd></dl>
<div class="lemma-summary"{GOLD}>{each(t.paragraphs, '<div class="para">{}</div>')}</div><div class="basic-info cmn-clearfix"><dl class="basicInfo-block"><dt class="basicInfo-item name">中文名</dt><dd class="basicInfo-item value">{t.title}</dd><dt class="basicInfo-item name">地区</dt><dd class="basicInfo-item value">{a.rng.choice(PLACES)}</dd></dl></div><div class="lemmaWgt-lemmaCatalog"><h2>目录</h2><ol>{"".join(f"<li>{n} <a>{h}</a></li>" for n, (h, _) in enumerate(t.sections, 1))}</ol></div>
<div{GOLD}>{body}</div><dl class="lemma-reference"><dt>参考资料</dt><dd><ul><li>1. {t.title}简介 ．地方志[引用日期{a.day}]</li></ul></dd></dl><div id="open-tag"><dt>词条标签：</dt><dd>地点 ，文化</dd></div></div><div class="side-content"><dl class="side-box"><dt>词条统计</dt><dd><ul><li>浏览次数：{a.count(99999)}次</li><li>编辑次数：{a.count(90)}次历史版本</li><li>创建者：<a>{a.nick()}</a></li></ul></dd></dl><ul>{a.links(4)}</ul></div></div></div></div><div class="footer-wrapper">{a.foot(" ")}</div>""",
    )


PARA = '<div class="para_YYuCh content_cFweI MARK_MODULE"><span class="text_QMzzf">{}</span></div>'


def baike_new(t: Text, a: Around) -> str:
    body = "".join(
        f'<div class="paraTitle_zVNQ_ level-1_Jx4"><h2 name="{n}">{h}</h2><div class="editBtn_u"{NO}><span>播报</span><span>编辑</span></div></div>{each(lines, PARA)}'
        for n, (h, lines) in enumerate(t.sections, 1)
    )
    return page(
        f"{t.title}（条目）_百科",
        f"""<div id="J-lemma-page"><div class="index-module_pageHeader__jSG5w"><a>进入词条</a><a>全站搜索</a><a>帮助</a></div><div class="mainContent_ELr87"><div class="lemmaTitle_qmNnR J-lemma-title"><h1>{t.title}</h1></div><div class="lemmaTools"><span>播报</span><span>编辑</span><span>讨论</span><span>上传视频</span></div><div class="lemmaSummary_M04mg J-summary"{GOLD}>{each(t.paragraphs, '<div class="para_YYuCh summary_AgKmm"><span class="text_QMzzf">{}</span></div>')}</div>
<div class="basicInfo_spa4J J-basic-info"><dl><div class="itemWrapper"><dt class="basicInfoItem_vbiBk itemName_fYs8r">名称</dt><dd class="basicInfoItem_vbiBk itemValue_AYbkR"><span>{t.title}</span></dd></div><div class="itemWrapper"><dt>别名</dt><dd><span>暂无</span></dd></div></dl></div><div class="catalogWrapper"><h2>目录</h2>{"".join(f"<a>{n} {h}</a>" for n, (h, _) in enumerate(t.sections, 1))}</div><div class="J-lemma-content"{GOLD}>{body}</div><div class="lemmaReference"><h3>参考资料</h3><ul><li>1 {a.rng.choice(PLACES)}地名录．{a.day}</li></ul><a>展开全部</a></div></div>
<div class="sideContent_"><div class="rankWrapper"><h3>词条贡献排行</h3><ol><li>{a.nick()}</li><li>{a.nick()}</li></ol></div><div class="relation"><h3>大家还在搜</h3>{a.links(6, "<a href='/item/{n}'>{t}</a>")}</div></div></div>""",
    )


def wikidot(t: Text, a: Around) -> str:
    body = "".join(
        f'<h2 class="sectionedit{n}" id="s{n}">{h}</h2><div class="level2">{each(lines)}</div><div class="secedit"{NO}><button title="{h}">编辑</button></div>'
        for n, (h, lines) in enumerate(t.sections, 1)
    )
    return page(
        f"{t.title} [{a.rng.choice(PLACES)}知识库]",
        f"""<div id="dokuwiki__site"><div id="dokuwiki__top" class="site dokuwiki mode_show"><div id="dokuwiki__header"><h1><a>知识库</a></h1><ul class="a11y skip"><li><a>跳至内容</a></li></ul><div class="tools"><ul><li>登录</li><li>最近更改</li><li>媒体管理器</li><li>网站地图</li></ul></div><div class="breadcrumbs"><span>您在这里:</span> start » {t.title}</div></div><div class="wrapper group"><div id="dokuwiki__aside"><h3>侧边栏</h3><ul>{a.links(6)}</ul></div><div id="dokuwiki__content"><div class="pageId"><span>{t.title}</span></div><div class="page group"><div id="dw__toc"><h3 class="toggle">目录表</h3><ul>{"".join(f"<li><a>{h}</a></li>" for h, _ in t.sections)}</ul></div><h1>{t.title}</h1><div class="level1"{GOLD}>{each(t.paragraphs)}</div><div{GOLD}>{body}</div></div><div class="docInfo">{a.number}.txt · 最后更改: {a.day} 由 {a.nick()}</div></div><div id="dokuwiki__pagetools"><ul><li>显示源文件</li><li>修订记录</li><li>反向链接</li><li>回到顶部</li></ul></div></div></div></div>""",
    )


def moegirl(t: Text, a: Around) -> str:
    body = "".join(f'<h2><span id="{h}"></span><span class="mw-headline">{h}</span></h2>{each(lines)}' for h, lines in t.sections)
    return page(
        f"{t.title} - {a.rng.choice(PLACES)}娘百科",
        f"""<div id="app"><header id="moe-full-container"><div class="moe-siderail"><a>首页</a><a>讨论版</a><a>最近更改</a></div></header><div id="mw-body"><div id="moe-article-header-top"><span>页面</span><span>讨论</span><span>编辑</span></div><h1 id="firstHeading">{t.title}</h1><div id="mw-content-text"><div class="mw-parser-output"><div class="common-box" style="background:#fee"><div>欢迎协助完善本条目，编辑前请阅读条目编辑规范，并查找相关资料。</div></div><table class="moe-infobox infobox2" align="right"><tbody><tr><th colspan="2">基本资料</th></tr><tr><td>名称</td><td>{t.title}</td></tr><tr><td>相关</td><td>{a.links(1, "{t}")}</td></tr></tbody></table><div{GOLD}>{each(t.paragraphs)}</div><div id="toc"><div class="toctitle"><h2>目录</h2></div><ul>{"".join(f"<li><a>{n} {h}</a></li>" for n, (h, _) in enumerate(t.sections, 1))}</ul></div><div{GOLD}>{body}</div><h2><span class="mw-headline">外部链接</span></h2><ul><li><a>官方的介绍</a></li></ul></div></div></div>
<div id="moe-open-in-app"><p>打开App，阅读体验更佳</p></div><footer>{a.foot(" ")}<p>除另有声明外，内容采用署名-非商业性使用许可</p></footer></div>""",
    )


def booklike(t: Text, a: Around) -> str:
    body = "".join(f'<p class="h2"><b>{h}</b></p>{each(lines, "<p>　　{}</p>")}' for h, lines in t.sections)
    return page(
        f"{t.title}是什么意思_{a.rng.choice(PLACES)}智库",
        f"""<div id="globalWrapper"><div id="column-one"><div class="portlet"><h5>导航</h5><ul>{a.menu("news")}</ul></div></div><div id="column-content"><div id="content"><h1 class="firstHeading">{t.title}</h1><div id="contentSub">出自 智库·文档</div><div id="bodyContent"><div id="ad_728">{a.advert()}</div><div{GOLD}>{each(t.paragraphs, "<p>　　{}</p>")}{body}</div><div id="SocialLinks">来自"https://wiki.example.cn/{a.number}"</div><p class="likeico">打开APP <span>{a.count(60)}</span></p><div class="contrib">本条目由以下用户参与贡献 <p><a>{a.nick()}</a>,<a>{a.nick()}</a>.</p></div><p>评论(共{a.count(9)}条) 提示:评论内容为网友针对条目"{t.title}"展开的讨论，与本站观点立场无关。</p>{a.talk("<div class='cmt'><b>{u}</b> 在 {d} 发表 <p>{t}</p></div>", 3)}</div></div></div><div id="footer">{a.foot("<br>")}</div></div>""",
    )


# -- Government: introduction, table and remarks


def guide(t: Text, a: Around) -> str:
    return page(
        f"{t.title}-政务服务网",
        f"""<div class="zw-top"><a>政务服务网</a><a>用户登录</a><a>长者助手</a></div><div class="zw-nav"><ul>{a.menu("gov")}</ul></div><div class="zw-main"><div class="zw-h"><h1>{t.title}</h1><div class="btns"><a>在线办理</a><a>收藏</a><a>我要咨询</a><a>二维码</a></div><div>星级评价 ★★★★★ 好评率 {a.count(100)}%</div></div><ul class="tabs"><li class="on">基本信息</li><li>办理流程</li><li>常见问题</li></ul><div class="tab-c"{GOLD}>{each(t.paragraphs)}{rows(t.rows, False, "{}", '<table class="tb-info" width="100%">')}{each(t.after)}</div></div><div class="zw-right"><h3>关联事项</h3><ul>{a.links(5)}</ul></div><div class="zw-foot"><p>{a.foot("</p><p>")}</p></div>""",
    )


def word(t: Text, a: Around) -> str:
    table = rows(
        t.rows,
        False,
        '<p class="MsoNormal" align="center" style="text-align:center"><span style="font-family:仿宋_GB2312;mso-hansi-font-family:仿宋">{}<o:p></o:p></span></p>',
        '<table class="MsoNormalTable" border="1" cellspacing="0" cellpadding="0">',
    )
    line = '<p class="MsoNormal" style="text-indent:32.0pt;line-height:150%"><span style="font-size:16.0pt;font-family:仿宋_GB2312">{}<span lang="EN-US"><o:p></o:p></span></span></p>\n'
    return page(
        t.title,
        f"""<table width="980" align="center"><tr><td><img src="/top.jpg"></td></tr><tr><td class="nav">{a.menu("gov", "<a href='/{n}'>{t}</a> | ")}</td></tr></table><table width="980" align="center"><tr><td class="place">当前位置：<a>首页</a> → <a>通知公告</a></td></tr><tr><td align="center" class="bt">{t.title}</td></tr><tr><td align="center">发布日期：{a.day}　来源：{a.rng.choice(PLACES)}市　点击：{a.count(999)}</td></tr><tr><td><div id="vsb_content"><div class="v_news_content"{GOLD}>{each(t.paragraphs, line)}{table}{each(t.after, line)}<p align="right"{NO}>{a.day[:4]}年{int(a.day[5:7])}月{int(a.day[8:])}日</p></div></div></td></tr><tr><td>附件【<a href="/f.doc">{t.title}.doc</a>】已下载{a.count(99)}次</td></tr><tr><td>上一条：{a.links(1, "<a>{t}</a>")}　下一条：{a.links(1, "<a>{t}</a>")}　【<a>关闭</a>】</td></tr></table><table width="980" align="center"><tr><td align="center">{a.foot()}</td></tr></table>""",
    )


def mailbox(t: Text, a: Around) -> str:
    return page(
        f"{t.title}_互动交流_{a.rng.choice(PLACES)}市人民政府",
        f"""<div class="header"><ul class="nav">{a.menu("gov")}</ul></div><div class="w1200"><div class="crumbs">首页&gt;互动交流&gt;信箱&gt;内容</div><div class="hd-left"><h3>互动交流</h3><ul><li><a>写信</a></li><li><a>查信</a></li><li><a>意见征集</a></li><li><a>在线访谈</a></li></ul></div><div class="hd-right"><div class="xx-title">{t.title}</div><div{GOLD}><div class="xx-con">{each(t.paragraphs)}</div>{rows(t.rows, False, "{}", '<table class="xjxx">')}<div class="hf-con">{each(t.after)}</div></div><div class="myd"><span>您对本次答复是否满意：</span><label>满意</label><label>基本满意</label><label>不满意</label><button>提交</button></div></div></div><div class="footer">{a.foot()}</div>""",
    )


def state(t: Text, a: Around) -> str:
    return page(
        f"{t.title}_政策文件_中国政府网",
        f"""<div class="header"><ul>{a.menu("gov")}</ul></div><div class="crumbs">首页 &gt; 政策 &gt; 正文</div><div class="wrap"><table class="bd1"><tbody><tr><td><b>索 引 号：</b></td><td>{a.number}-{a.day[:4]}-000</td><td><b>主题分类：</b></td><td>综合政务</td></tr><tr><td><b>发文机关：</b></td><td>办公室</td><td><b>成文日期：</b></td><td>{a.day[:4]}年{int(a.day[5:7])}月{int(a.day[8:])}日</td></tr></tbody></table><div class="share"><a>字体：大 中 小</a><a>打印</a></div><h1 id="ti">{t.title}</h1><div class="pages_content" id="UCAP-CONTENT"{GOLD}>{each(t.paragraphs, '<p style="text-indent: 2em; font-family: 宋体; font-size: 12pt;">{}</p>')}{rows(t.rows, True, "<p>{}</p>", '<table style="width: 100%; border-collapse: collapse">')}{each(t.after, '<p style="text-indent: 2em;">{}</p>')}</div><div class="editor"><span>责任编辑：{a.person()}</span></div></div><div class="related"><h4>相关稿件</h4><ul>{a.links(4)}</ul></div><div class="footer">链接：<a>国务院部门网站</a><a>地方政府网站</a><p>{a.foot("</p><p>")}</p></div>""",
    )


def oldjsp(t: Text, a: Around) -> str:
    line = '<div style="margin:6px 0">&nbsp;&nbsp;&nbsp;&nbsp;{}</div>'
    return page(
        f"信息公开--{t.title}",
        f"""<table width="100%" bgcolor="#d8e8f8"><tr><td>{a.menu("gov", "[<a href='/{n}'>{t}</a>] ")}</td></tr></table><table width="960" align="center"><tr><td width="200" valign="top" bgcolor="#f4f4f4"><b>公开目录</b><br>{a.links(6, "<img src='/dot.gif'> <a href='info.jsp?id={n}'>{t}</a><br>")}</td><td valign="top"><table width="100%"><tr><td align="center"><font size="5"><b>{t.title}</b></font></td></tr><tr><td align="center"><font color="#888888">日期：{a.day} 阅读：{a.count(999)} 作者：办公室</font></td></tr><tr><td{GOLD}><div>{each(t.paragraphs, line)}</div><center>{rows(t.rows, False, '<font size="2">{}</font>', '<table border="1" bordercolor="#999999" width="92%">')}</center><div>{each(t.after, line)}</div></td></tr><tr><td align="right"><a href="javascript:history.back()">返回</a> <a>打印</a></td></tr></table></td></tr></table><hr><center><font size="2">{a.foot()}</font></center>""",
    )


def responsive(t: Text, a: Around) -> str:
    return page(
        f"{t.title} - 数据公开",
        f"""<nav class="navbar navbar-default"><div class="container-fluid"><ul class="nav navbar-nav">{a.menu("gov")}</ul></div></nav><div class="container"><ol class="breadcrumb"><li>首页</li><li class="active">公开详情</li></ol><div class="panel panel-default"><div class="panel-heading"><h3 class="panel-title">{t.title}</h3></div><div class="panel-body"><p class="text-muted">公开时间 {a.day} | 公开方式 主动公开 | 公开时限 长期</p><div class="detail"{GOLD}>{each(t.paragraphs)}<div class="table-responsive">{rows(t.rows, True, "{}", '<table class="table table-bordered table-striped">')}</div>{each(t.after)}</div><div class="alert alert-info">本页信息仅供参考，以正式文本为准。</div><div class="btn-group"><button>导出</button><button>纠错</button></div></div></div><div class="row"><div class="col-md-12"><h4>同类公开</h4><ul class="list-inline">{a.links(5)}</ul></div></div></div><footer class="footer">{a.foot("<br>")}</footer>""",
    )


# -- Documentation


def parts(t: Text, pre: str, table: str = "<table>", heading: str = "<h2>{h}</h2>") -> str:
    """The introduction and the sections of a page of documentation; ``pre`` holds code."""
    found = [each(t.paragraphs)]
    for n, (h, items) in enumerate(t.sections):
        found.append(heading.format(h=h, n=n) if h else "")
        for item in items:
            if item.startswith("```"):
                found.append(pre.format(escape(item[3:].strip("\n"), quote=False)))
            elif "|" in item:
                found.append(rows([line.split("|") for line in item.split("\n")], True, "{}", table))
            else:
                found.append(f"<p>{marked(item)}</p>\n")
    return "".join(found)


def tree(t: Text, item: str) -> str:
    return "".join(item.format(h=h, n=n) for n, (h, _) in enumerate(t.sections) if h)


def sphinx(t: Text, a: Around) -> str:
    return page(
        f"{t.title} — {a.rng.choice(PLACES)} 4.{a.count(9)} 文档",
        f"""<div class="wy-grid-for-nav"><nav class="wy-nav-side"><div class="wy-side-scroll"><a class="icon icon-home">首页</a><div class="version">4.2</div><div role="search"><form><input placeholder="在文档中搜索"></form></div><div class="wy-menu"><p class="caption"><span>目录</span></p><ul class="current">{a.links(6, '<li class="toctree-l1"><a href="{n}.html">{t}</a></li>')}<li class="toctree-l1 current"><a>{t.title}</a><ul>{tree(t, '<li class="toctree-l2"><a href="#id{n}">{h}</a></li>')}</ul></li></ul></div></div></nav><section class="wy-nav-content-wrap"><div class="wy-nav-content"><div class="rst-content"><div role="navigation"><ul class="wy-breadcrumbs"><li><a>首页</a></li><li>{t.title}</li><li><a>查看页面源码</a></li></ul></div><div role="main" class="document" itemscope><div itemprop="articleBody"><section><h1>{t.title}<a class="headerlink" title="永久链接至标题">¶</a></h1><div{GOLD}>{parts(t, '<div class="highlight-bash notranslate"><div class="highlight"><pre><span></span>{}</pre></div></div>', '<table class="docutils align-default">', f'<h2>{{h}}<a class="headerlink" href="#id{{n}}"{NO}>¶</a></h2>')}</div></section></div></div><footer><div class="rst-footer-buttons"><a>上一页</a><a>下一页</a></div><hr><div role="contentinfo"><p>© 版权所有 2026。</p></div>利用 <a>Sphinx</a> 构建，使用的 <a>主题</a> 由 <a>Read the Docs</a> 开发.</footer></div></div></section></div>""",
    )


def vitepress(t: Text, a: Around) -> str:
    return page(
        f"{t.title} | 手册",
        f"""<div class="Layout" id="app"><header class="VPNav"><div class="VPNavBar"><a class="title">手册</a><nav class="VPNavBarMenu">{a.menu("docs", "<a href='/{n}'>{t}</a>")}</nav></div></header><aside class="VPSidebar"><nav><div class="group"><section class="VPSidebarItem level-0"><div class="item"><h2 class="text">指南</h2></div><div class="items">{a.links(6, "<div class='VPSidebarItem level-1 is-link'><a href='/{n}'><p class='text'>{t}</p></a></div>")}</div></section></div></nav></aside><div class="VPContent has-sidebar"><div class="VPDoc"><div class="container"><div class="aside"><div class="VPDocAsideOutline"><div class="outline-title">本页目录</div><ul class="root">{tree(t, '<li><a class="outline-link" href="#{h}">{h}</a></li>')}</ul></div></div><div class="content"><main class="main"><div class="vp-doc"><div><h1 id="t" tabindex="-1">{t.title} <a class="header-anchor" href="#t">&ZeroWidthSpace;</a></h1><div{GOLD}>{parts(t, f'<div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"{NO}></button><span class="lang"{NO}>sh</span><pre class="shiki"><code>{{}}</code></pre></div>', '<table tabindex="0">', '<h2 id="{h}" tabindex="-1">{h}</h2>')}</div></div></div></main><footer class="VPDocFooter"><div class="edit-info"><a>在 GitHub 上编辑此页面</a><p>最后更新于 {a.day}</p></div><nav class="prev-next"><a><span>上一页</span><span>快速开始</span></a><a><span>下一页</span><span>进阶</span></a></nav></footer></div></div></div></div></div>""",
    )


def docusaurus(t: Text, a: Around) -> str:
    return page(
        f"{t.title} | 开放平台",
        f"""<div id="__docusaurus"><div role="region"><a class="skipToContent">跳到主要内容</a></div><nav class="navbar navbar--fixed-top"><div class="navbar__items">{a.menu("docs", "<a class='navbar__item' href='/{n}'>{t}</a>")}</div></nav><div class="main-wrapper docs-wrapper"><aside class="theme-doc-sidebar-container"><ul class="menu__list">{a.links(6, "<li class='menu__list-item'><a class='menu__link' href='/{n}'>{t}</a></li>")}</ul></aside><main class="docMainContainer"><div class="container"><div class="row"><div class="col docItemCol"><article><nav class="theme-doc-breadcrumbs"><ul class="breadcrumbs"><li>接口</li><li>{t.title}</li></ul></nav><span class="badge">版本：2.x</span><div class="tocCollapsible"><button>本页总览</button></div><div class="theme-doc-markdown markdown"><header><h1>{t.title}</h1></header><div{GOLD}>{parts(t, f'<div class="codeBlockContainer language-json"><div class="codeBlockContent"><pre tabindex="0" class="prism-code thin-scrollbar"><code class="codeBlockLines">{{}}</code></pre><div class="buttonGroup"{NO}><button>复制</button></div></div></div>', "<table>", f'<h2 class="anchor" id="{{h}}">{{h}}<a class="hash-link" href="#{{h}}"{NO}>​</a></h2>')}</div></div><footer class="theme-doc-footer"><a>编辑此页</a><span>最后由 {a.nick()} 于 {a.day} 更新</span></footer></article><nav class="pagination-nav"><a><div>上一页</div><div>概述</div></a></nav></div><div class="col col--3"><div class="tableOfContents"><ul>{tree(t, "<li><a>{h}</a></li>")}</ul></div></div></div></div></main></div><footer class="footer">{a.foot(" ")}</footer></div>""",
    )


def gitbook(t: Text, a: Around) -> str:
    return page(
        f"{t.title} · 手册",
        f"""<div class="book"><div class="book-summary"><div id="book-search-input"><input placeholder="输入并搜索"></div><nav role="navigation"><ul class="summary"><li class="chapter"><a>前言</a></li>{a.links(7, '<li class="chapter"><a href="{n}.html">{t}</a></li>')}<li class="divider"></li><li><a class="gitbook-link">本书使用 GitBook 发布</a></li></ul></nav></div><div class="book-body"><div class="body-inner"><div class="book-header"><h1><a>{t.title}</a></h1></div><div class="page-wrapper"><div class="page-inner"><div id="book-search-results"><div class="search-noresults"><section class="normal markdown-section"><h1>{t.title}</h1><div{GOLD}>{parts(t, '<pre><code class="lang-bash">{}</code></pre>', "<table>", '<h2 id="{h}">{h}</h2>')}</div><footer class="page-footer"><span class="copyright">Copyright © 2026 all right reserved，powered by Gitbook</span><span class="footer-modification">该文件修订时间： {a.day} {a.hour()}</span></footer></section></div><div class="search-results" style="display:none"><div class="has-results"><h1 class="search-results-title"><span>0</span> results matching ""</h1></div></div></div></div></div></div><a class="navigation navigation-prev"></a></div></div>""",
    )


def material(t: Text, a: Around) -> str:
    return page(
        f"{t.title} - 手册",
        f"""<div class="md-container"><header class="md-header"><div class="md-header__title">手册</div></header><nav class="md-tabs"><ul class="md-tabs__list">{a.menu("docs", "<li class='md-tabs__item'><a href='/{n}'>{t}</a></li>")}</ul></nav><main class="md-main"><div class="md-main__inner md-grid"><div class="md-sidebar md-sidebar--primary"><nav class="md-nav md-nav--primary"><ul class="md-nav__list">{a.links(6, "<li class='md-nav__item'><a class='md-nav__link' href='/{n}'>{t}</a></li>")}</ul></nav></div><div class="md-sidebar md-sidebar--secondary"><nav class="md-nav md-nav--secondary"><label class="md-nav__title">目录</label><ul>{tree(t, "<li><a>{h}</a></li>")}</ul></nav></div><div class="md-content"><article class="md-content__inner md-typeset"><a class="md-content__button" title="编辑此页"></a><h1 id="_1">{t.title}<a class="headerlink" title="Permanent link">&para;</a></h1><div{GOLD}>{parts(t, '<div class="highlight"><pre id="__code_0"><span></span><code>{}</code></pre></div>', '<div class="md-typeset__table"></div><table>', f'<h2 id="_{{n}}">{{h}}<a class="headerlink"{NO}>&para;</a></h2>')}</div><aside class="md-source-file"><span>最后更新：{a.day}</span></aside><form class="md-feedback"><p>这个页面对你有帮助吗？</p></form></article></div></div></main><footer class="md-footer"><nav><a>上一页</a><a>下一页</a></nav><div class="md-copyright">Made with Material for MkDocs</div></footer></div>""",
    )


def helpcenter(t: Text, a: Around) -> str:
    return page(
        f"{t.title}_产品文档_帮助中心",
        f"""<div class="aliyun-docs"><div class="top-menu"><a>文档</a><a>控制台</a><a>备案</a><a>登录</a></div><div class="docs-layout"><div class="left-menu"><div class="product-title">云服务</div><ul>{a.links(8)}</ul></div><div class="docs-content"><div class="bread-crumb">帮助中心 / 云服务 / {t.title}</div><h1>{t.title}</h1><div class="meta"><span>更新时间：{a.day} {a.hour()}</span> <a>我的收藏</a> <a>产品详情</a></div><div class="markdown-body icms-help-docs-content" id="pc-markdown-container"{GOLD}>{parts(t, '<pre class="pre codeblock"><code>{}</code></pre>', '<table class="table"><colgroup></colgroup>', '<section class="section"><h2>{h}</h2></section>')}</div><div class="feedback"><div>文档内容是否对您有帮助？</div><button>有帮助</button><button>没帮助</button></div><div class="prev-next">上一篇：概述 下一篇：计费</div></div><div class="right-toc"><div>本页导读（{len(t.sections)}）</div><ul>{tree(t, "<li>{h}</li>")}</ul></div></div><footer>{a.foot(" ")}</footer></div>""",
    )


# -- Products: description, parameters and remarks; recipes: introduction, ingredients, steps and tips


def market(t: Text, a: Around) -> str:
    spec = "".join(f'<li title="{v}">{k}: {v}</li>' for k, v in t.rows)
    return page(
        f"{t.title}-市集",
        f"""<div class="site-nav"><a>亲，请登录</a><a>免费注册</a><ul>{a.menu("shop")}</ul></div><div id="detail"><div class="tb-property"><h1>{t.title}</h1><dl class="tm-price-panel"><dt>价格</dt><dd>¥{a.count(900)}.00</dd></dl><dl><dt>运费</dt><dd>{a.rng.choice(PLACES)} 至 全国 快递 0.00</dd></dl><ul class="tm-ind-panel"><li>月销量 {a.count(999)}</li><li>累计评价 {a.count(999)}</li></ul><div><a>立即购买</a><a>加入购物车</a></div><ul><li>7天无理由退换</li><li>极速退款</li></ul></div></div><div class="grid-m"><div class="col-sub"><h3>看了又看</h3><ul>{a.links(4, "<li><a href='/i/{n}'>{t}</a><em>¥{c}.00</em></li>")}</ul></div><div class="col-main"><ul id="J_TabBar"><li>商品详情</li><li>累计评价 {a.count(999)}</li><li>专享服务</li></ul><div id="attributes"><ul id="J_AttrUL"{GOLD}>{spec}</ul></div><div id="description"><div class="content ke-post"{GOLD}>{each(t.paragraphs)}{each(t.after)}</div></div><div id="J_Reviews"><h4>买家评价</h4>{a.talk("<div class='rate'><p>{t}</p><span>{u}</span> {d}</div>")}</div></div></div><div id="footer">{a.foot(" ")}</div>""",
    )


def tabs(t: Text, a: Around) -> str:
    spec = "".join(f'<dl class="clearfix"><dt>{k}</dt><dd>{v}</dd></dl>' for k, v in t.rows)
    return page(
        f"【{t.title}】价格 图片 品牌 怎么样",
        f"""<div id="shortcut"><ul><li>你好，请登录</li><li>我的订单</li></ul></div><div id="nav">{a.menu("shop", "<a href='/{n}'>{t}</a>")}</div><div class="crumb">家居 &gt; 日用 &gt; {t.title}</div><div class="product-intro"><div class="itemInfo-wrap"><div class="sku-name">{t.title}</div><div class="summary"><span>￥{a.count(900)}.00</span><a>降价通知</a><span>累计评价 {a.count(5000)}+</span></div><div class="choose"><dt>选择颜色</dt><dd>白色</dd><dd>灰色</dd></div><a>加入购物车</a></div></div><div class="detail"><ul class="tab-main"><li>商品介绍</li><li>规格与包装</li><li>售后保障</li><li>商品评价</li></ul><div class="tab-con"><div id="J-detail-content"{GOLD}>{each(t.paragraphs, '<div class="ssd-module"><span>{}</span></div>')}</div><div class="Ptable"{GOLD}><h3>主体</h3>{spec}</div><div class="package"{GOLD}>{each(t.after)}</div><div class="serve-agree"><h3>售后服务</h3><p>本产品全国联保，享受三包服务，质保期为一年。如因质量问题或故障，凭厂商维修中心的质量检测证明，享受7日内退货。</p><strong>权利声明：</strong><p>网站上的所有商品信息、客户评价、商品咨询、网友讨论等内容，是重要的经营资源，未经许可，禁止非法转载使用。</p></div></div></div><div class="footer">{a.foot(" ")}</div>""",
    )


def storefront(t: Text, a: Around) -> str:
    return page(
        f"{t.title} – 山野杂货",
        f"""<div class="announcement-bar"><p>满 199 元包邮</p></div><header class="section-header"><nav><ul class="list-menu">{a.menu("shop")}</ul></nav></header><main id="MainContent"><section class="product-section"><div class="product grid"><div class="product__media-wrapper"><ul><li><img src="/1.jpg" alt=""></li></ul></div><div class="product__info-wrapper"><p class="product__text">山野杂货</p><h1 class="product__title">{t.title}</h1><div class="price"><span class="price-item">¥ {a.count(900)}.00</span></div><label>数量</label><button>加入购物车</button><div class="product__description rte quick-add-hidden"{GOLD}>{each(t.paragraphs)}<ul>{"".join(f"<li><strong>{k}：</strong>{v}</li>" for k, v in t.rows)}</ul>{each(t.after)}</div><details><summary>运输与退货</summary><p>付款之后四十八小时内发出，签收七日内可以退货。</p></details></div></div></section><section class="related-products"><h2>您可能还喜欢</h2><ul>{a.links(4, "<li><h3><a href='/products/{n}'>{t}</a></h3><span>¥ {c}.00</span></li>")}</ul></section></main><footer class="footer"><p>订阅我们的邮件</p>{a.foot(" ")}</footer>""",
    )


def company(t: Text, a: Around) -> str:
    return page(
        f"{t.title}_{a.rng.choice(PLACES)}实业有限公司",
        f"""<div class="top"><div class="logo"><img src="/logo.gif"></div><div class="tel">全国服务热线：400-000-0000</div></div><div class="nav"><ul>{a.menu("shop")}</ul></div><div class="banner"></div><div class="main"><div class="left"><h3>产品中心</h3><ul>{a.links(6)}</ul><h3>联系我们</h3><p>电话：010-00000000</p><p>地址：{a.rng.choice(PLACES)}工业园区</p></div><div class="right"><div class="place">当前位置: <a>主页</a> &gt; <a>产品中心</a> &gt;</div><div class="viewbox"><div class="title"><h2>{t.title}</h2></div><div class="info"><small>时间:</small>{a.day}<small>点击:</small>{a.count(999)} 次</div><div class="content"><table width="100%"><tr><td{GOLD}>{rows(t.rows, False, "{}", '<table border="1" class="canshu">')}{each(t.paragraphs, "<div>　　{}</div>")}{each(t.after, "<div>　　{}</div>")}</td></tr></table></div></div><div class="handle"><p>上一篇：{a.links(1, "<a>{t}</a>")}</p><p>下一篇：没有了</p></div><div class="msg"><h4>在线留言</h4><form>姓名 <input> 电话 <input> <button>提交</button></form></div></div></div><div class="foot">{a.foot()}</div>""",
    )


def kitchen(t: Text, a: Around) -> str:
    steps = "".join(
        f'<li class="container"><p class="text">{marked(one[0])}</p><img src="/{n}.jpg" alt=""></li>'
        for n, one in enumerate(t.replies)
    )
    return page(
        f"【{t.title}的做法步骤图】_下厨",
        f"""<div class="page-top-bar"><a>下厨</a><ul>{a.menu("shop")}</ul></div><div class="page-container"><div class="main-panel"><div class="recipe-show"><h1 class="page-title">{t.title}</h1><div class="cover"><img src="/c.jpg"></div><div class="stats"><div class="score">综合评分 8.{a.count(9)}</div><div class="cooked">{a.count(999)} 人做过这道菜</div></div><div class="author">{a.nick()}</div><div class="desc"{GOLD}>{each(t.paragraphs)}</div><h2>用料</h2><div class="ings"{GOLD}><table>{"".join(f'<tr itemprop="recipeIngredient"><td class="name">{k}</td><td class="unit">{v}</td></tr>' for k, v in t.rows)}</table></div><h2>{t.title}的做法</h2><div class="steps"{GOLD}><ol>{steps}</ol></div><h2>小贴士</h2><div class="tip-container"{GOLD}><div class="tip">{"<br>".join(map(marked, t.after))}</div></div><div class="recipe-cats">所属分类：<a>家常菜</a><a>下饭菜</a></div><div class="copyright">菜谱创建时间：{a.day} 未经作者授权不得转载</div></div><div class="dishes"><h2>大家做的{t.title}</h2>{a.talk("<div><p>{t}</p><span>{u} {c}赞</span></div>", 4)}</div></div><div class="right-panel"><h3>相关菜谱</h3><ul>{a.links(6)}</ul></div></div>""",
    )


def cookbook(t: Text, a: Around) -> str:
    steps = "".join(
        f'<li><div class="recipeStep_img"></div><div class="recipeStep_word"><div class="recipeStep_num">{n}</div>{marked(one[0])}</div></li>'
        for n, one in enumerate(t.replies, 1)
    )
    return page(
        f"{t.title}的做法_家常{t.title}的做法_美食",
        f"""<div class="userTop"><a>登录</a><a>注册</a></div><div class="nav"><ul>{a.menu("shop")}</ul></div><div class="wrap"><div class="space_left"><div class="userTop clear"><h1 class="recipe_De_title"><a>{t.title}</a></h1></div><div class="recipeArction"><span>浏览 {a.count(9999)}</span><span>收藏 {a.count(99)}</span></div><div class="block_txt1"{GOLD}>{each(t.paragraphs)}</div><div class="recDetail"><div class="particulars"{GOLD}><fieldset><ul>{"".join(f'<li><span class="category_s1"><a>{k}</a></span><span class="category_s2">{v}</span></li>' for k, v in t.rows)}</ul></fieldset></div><div class="recipeCategory_sub_R mt30 clear"><ul><li><span>咸鲜</span><span>口味</span></li><li><span>炒</span><span>工艺</span></li></ul></div><div class="mo"><h3>{t.title}的做法步骤</h3></div><div class="recipeStep"{GOLD}><ul>{steps}</ul></div><div class="mo"><h3>小窍门</h3></div><div class="recipeTip"{GOLD}>{"<br>".join(map(marked, t.after))}</div><div class="recipeTip mt16">来自 {a.nick()} 的原创菜谱 禁止任何形式的转载</div></div><div class="otherTips"><h3>网友评论</h3>{a.talk("<p>{u}：{t}</p>", 5)}</div></div><div class="space_right"><h3>本周热门</h3><ul>{a.links(6)}</ul></div></div><div class="footer">{a.foot(" ")}</div>""",
    )


def card(t: Text, a: Around) -> str:
    steps = "".join(
        f"<li class='wprm-recipe-instruction'><div class='wprm-recipe-instruction-text'>{marked(one[0])}</div></li>"
        for one in t.replies
    )
    return page(
        f"{t.title} - 小厨房日记",
        f"""<header class="site-header"><a class="site-title">小厨房日记</a><nav><ul>{a.menu("blog")}</ul></nav></header><div class="site-inner"><main class="content"><article class="post entry"><header class="entry-header"><h1 class="entry-title">{t.title}</h1><p class="entry-meta"><time>{a.day}</time> 作者 <a>{a.author}</a> <a>{a.count(20)} 条评论</a></p></header><div class="entry-content"><div class="wprm-jump"><a>跳到食谱</a> <a>打印食谱</a></div><div{GOLD}>{each(t.paragraphs)}</div><div class="wprm-recipe-container"><div class="wprm-recipe"><h2>{t.title}</h2><div class="wprm-recipe-rating">★★★★★ 5 分，来自 {a.count(20)} 人</div><div{GOLD}><h3>材料</h3><ul>{"".join(f"<li><span>{v}</span> <span>{k}</span></li>" for k, v in t.rows)}</ul><h3>做法</h3><ol>{steps}</ol><h3>备注</h3><div class="wprm-recipe-notes">{each(t.after)}</div></div></div></div></div></article><div class="entry-comments">{a.talk("<article><b>{u}</b><p>{t}</p></article>", 5)}</div></main><aside class="sidebar"><section class="widget"><h4>关于我</h4><p>喜欢做饭，也喜欢看别人吃。</p></section><section class="widget"><h4>最近的文章</h4><ul>{a.links(5)}</ul></section></aside></div><footer class="site-footer">{a.foot(" ")}</footer>""",
    )


def plain_recipe(t: Text, a: Around) -> str:
    steps = "<br><br>".join(f"{n}、{marked(one[0])}" for n, one in enumerate(t.replies, 1))
    return page(
        f"{t.title}的家常做法大全",
        f"""<div class="head">{a.menu("shop", "<a href='/{n}'>{t}</a> ")}</div><div class="box"><div class="l"><h1>{t.title}</h1><p class="sx">更新：{a.day}　人气：{a.count(9999)}　口味：家常　难度：普通</p><div class="con"{GOLD}>{each(t.paragraphs)}<p><strong>原料：</strong>{"、".join(f"{k}{v}" for k, v in t.rows)}</p><p><strong>步骤：</strong></p><p>{steps}</p><div class="gg"{NO}>{a.advert()}</div><p><strong>提示：</strong></p>{each(t.after)}</div><div class="fx">分享到：<a>微信</a><a>微博</a></div><div class="pre">{a.links(2, "<p><a href='{n}.html'>{t}</a></p>")}</div></div><div class="r"><h3>最新菜谱</h3><ul>{a.links(8)}</ul></div></div><div class="b">{a.foot()}</div>""",
    )


Layout = Callable[[Text, Around], str]
LAYOUTS: dict[str, tuple[int, tuple[tuple[Layout, str], ...]]] = {
    "article": (
        4,
        (
            (portal, "http://culture.example.cn/n1/{y}/{m}{d}/c87423-{n}.html"),
            (trs, "http://www.example.gov.cn/xwzx/gzdt/{y}{m}/t{y}{m}{d}_{n}.shtml"),
            (messenger, "https://mp.example.com/s/Ab{n}"),
            (wordpress, "https://zaji.example.org/{y}/{m}/{d}/{n}/"),
            (hexo, "https://blog.example.cn/{y}/{m}/{d}/post-{n}/"),
            (aggregator, "https://www.example.com/a/{n}_121119"),
            (column, "https://zhuanlan.example.com/p/{n}"),
            (newspaper, "http://epaper.example.com.cn/html/{y}-{m}/{d}/content_{n}.htm"),
            (hashed, "https://www.example.com/p/{n}c1"),
            (note, "https://www.example.com/note/{n}/"),
            (island, "https://www.example.tw/news/story/7266/{n}"),
            (utility, "https://yebi.example.io/posts/{n}"),
        ),
    ),
    "forum": (
        3,
        (
            (discuz, "http://bbs.example.cn/thread-{n}-1-1.html"),
            (phpbb, "http://forum.example.org/viewtopic.php?f=5&t={n}"),
            (discourse, "https://meta.example.com/t/topic/{n}"),
            (nga, "https://bbs.example.cn/read.php?tid={n}"),
            (tieba, "https://tieba.example.com/p/{n}"),
            (v2ex, "https://www.example.com/t/{n}"),
            (xiuno, "https://bbs.example.net/thread-{n}.htm"),
            (flarum, "https://discuss.example.org/d/{n}"),
            (tianya, "http://bbs.example.cn/post-free-{n}-1.shtml"),
            (hupu, "https://bbs.example.com/{n}.html"),
            (ptt, "https://www.example.tw/bbs/Life/M.{n}.A.1B2.html"),
            (group, "https://www.example.com/group/topic/{n}/"),
        ),
    ),
    "qa": (
        4,
        (
            (zhihu, "https://www.example.com/question/{n}"),
            (segment, "https://ask.example.com/q/10100{n}"),
            (zhidao, "https://zhidao.example.com/question/{n}.html"),
            (wecenter, "http://wenda.example.cn/?/question/{n}"),
            (overflow, "http://qa.example.org/{n}/question"),
            (experts, "http://ask.example.com/{n}.html"),
        ),
    ),
    "encyclopaedia": (
        4,
        (
            (mediawiki, "https://zh.example.org/wiki/{n}"),
            (baike, "https://baike.example.com/item/{n}"),
            (baike_new, "https://baike.example.com/item/x/{n}"),
            (wikidot, "https://wiki.example.net/doku.php?id={n}"),
            (moegirl, "https://zh.example.org.cn/{n}"),
            (booklike, "https://wiki.example.com/wiki/{n}"),
        ),
    ),
    "government": (
        4,
        (
            (guide, "https://zwfw.example.gov.cn/guide/{n}.html"),
            (word, "http://www.example.gov.cn/info/1042/{n}.htm"),
            (mailbox, "http://www.example.gov.cn/hdjl/xx/{n}.html"),
            (state, "http://www.example.gov.cn/zhengce/content/{y}-{m}/{d}/content_{n}.htm"),
            (oldjsp, "http://xxgk.example.gov.cn/info.jsp?id={n}"),
            (responsive, "http://data.example.gov.cn/detail/{n}"),
        ),
    ),
    "documentation": (
        4,
        (
            (sphinx, "https://moor.example.io/zh-cn/latest/{n}.html"),
            (vitepress, "https://docs.example.dev/guide/{n}"),
            (docusaurus, "https://open.example.com/docs/api/{n}"),
            (gitbook, "https://book.example.org/{n}.html"),
            (material, "https://example.github.io/docs/{n}/"),
            (helpcenter, "https://help.example.com/document_detail/{n}.html"),
        ),
    ),
    "product": (
        2,
        (
            (market, "https://item.example.com/item.htm?id={n}"),
            (tabs, "https://item.example.com/{n}.html"),
            (storefront, "https://shop.example.com/products/{n}"),
            (company, "http://www.example.com.cn/product/{n}.html"),
        ),
    ),
    "recipe": (
        3,
        (
            (kitchen, "https://www.example.com/recipe/{n}/"),
            (cookbook, "https://home.example.com/recipe-{n}.html"),
            (card, "https://kitchen.example.org/{n}/"),
            (plain_recipe, "http://www.example.net/caipu/{n}.html"),
        ),
    ),
}
"""By kind: how many pages of each layout there are, and the layouts with their addresses. Odd places are the part for development,
even ones that for tests."""

TRADITIONAL = (island, ptt)
"""Layouts of Taiwan: their pages are written in traditional characters."""
