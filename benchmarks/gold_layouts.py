"""Layouts of well-known kinds of sites around texts from a file, with what a reader leaves out: their main texts are known.

The markup is our own, after what such sites send: news portals, government sites, accounts of a messenger, columns and blogs of large
platforms, an encyclopaedia, WordPress, GitBook. Each page has a menu, a headline with a date line, and some of: an advertisement
within the text, a related list with the beginnings of other texts, a ranking, long comments, an author's card, a licence, dialogs
that ask to follow, log in or pay. The texts (JSON Lines with `title`, `date` and `text`, as in the data's news) are read when the
pages are made.
"""

# ruff: noqa: E501

import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from gold_pages import GoldPage

STORIES = 3  # pages of each layout
OTHERS = 12  # other texts of which a page shows headlines, beginnings and comments
SHORTEST, LONGEST = 300, 1500  # characters of a text
FLASH = 190  # most characters of a short news item
_SPEAKER = re.compile(r"^央视网消息\s*|^（新闻联播）[：:]?\s*")

CODE = """import re
from collections import Counter

def count(text: str) -> Counter[str]:
    # 只数汉字
    words = re.findall(r"[一-鿿]+", text)
    return Counter(words)

print(count("各支部开展主题党日活动"))"""
FORMULA = r"P(w) = \frac{c(w)}{\sum_{v} c(v)}"
ROWS = (("年份", "件数", "比重"), ("2021", "1204", "31.5%"), ("2022", "1390", "33.2%"), ("2023", "1467", "35.0%"))
HEADS = ("背景介绍", "主要内容", "具体做法", "几点体会")
MENU = (
    "首页",
    "要闻",
    "国内",
    "国际",
    "财经",
    "体育",
    "娱乐",
    "科技",
    "教育",
    "健康",
    "汽车",
    "房产",
    "视频",
    "图片",
    "直播",
    "专题",
)
NAMES = (
    "清风徐来",
    "山里人",
    "北方的狼",
    "小小鱼",
    "老张头",
    "用户8213467",
    "雨后",
    "阿明",
    "Tony_L",
    "梧桐",
    "海边的鹿",
    "匿名网友",
)


@dataclass(frozen=True)
class Story:
    """A text, and others that the page shows something of."""

    title: str
    date: str  # 2024-05-01
    paragraphs: tuple[str, ...]
    others: tuple["Story", ...] = ()


@dataclass(frozen=True)
class Made:
    """A page and the lines of its main text."""

    html: str
    lines: Sequence[str]


def read_stories(path: Path, longest: int = LONGEST) -> list[Story]:
    """The texts of a JSON Lines file that have a day and are not over ``longest`` characters."""
    found = []
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            record = json.loads(line)
            text = _SPEAKER.sub("", _SPEAKER.sub("", record["text"].strip()))
            day = record.get("date") or ""
            if len(day) == 8 and text and len(text) <= longest:
                paragraphs = tuple(" ".join(part.split()) for part in text.splitlines() if part.strip())
                found.append(Story(record["title"], f"{day[:4]}-{day[4:6]}-{day[6:]}", paragraphs))
    return found


def make_pages(path: Path) -> Iterator[GoldPage]:
    """:data:`STORIES` pages of each layout; the same file makes the same pages."""
    stories = read_stories(path)
    long = [story for story in stories if sum(map(len, story.paragraphs)) >= SHORTEST]
    short = [story for story in stories if 60 <= sum(map(len, story.paragraphs)) <= FLASH]
    for place, (name, layout) in enumerate(LAYOUTS.items()):
        pool = short if name in SHORT else long
        for number in range(STORIES):
            own = (place * STORIES + number) * (len(pool) // (len(LAYOUTS) * STORIES + OTHERS))
            story = pool[own]
            others = tuple(stories[(own * 7 + 131 * step) % len(stories)] for step in range(1, OTHERS + 1))
            made = layout(Story(story.title, story.date, story.paragraphs, others))
            yield GoldPage(
                f"http://{name}.example/{story.date}/{number}.html", made.html, "\n".join(made.lines), f"{name}.example"
            )


# -- Parts of pages


def _page(story: Story, site: str, body: str, head: str = "") -> str:
    title = escape(f"{story.title}_{site}")
    return f'<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>{body}</body></html>'


def _paragraphs(lines: Sequence[str], attributes: str = "") -> str:
    return "\n".join(f"<p{attributes}>{escape(line)}</p>" for line in lines)


def _links(titles: Sequence[str], item: str = "li", start: int = 1) -> str:
    return "\n".join(f'<{item}><a href="/a/{n}.html">{escape(title)}</a></{item}>' for n, title in enumerate(titles, start))


def _menu(item: str = "li") -> str:
    return f'<ul class="nav">{_links(MENU, item)}</ul>' if item == "li" else _links(MENU, item)


def _titles(story: Story) -> list[str]:
    return [other.title for other in story.others]


def _comments(story: Story, count: int, form: str) -> str:
    """Comments in ``form``, which names {who}, {when} and {what}."""
    said = [other.paragraphs[-1][:90] for other in story.others]
    return "\n".join(
        form.format(who=NAMES[n % len(NAMES)], when=f"{n + 1}小时前", what=escape(said[n % len(said)])) for n in range(count)
    )


def _teasers(story: Story, count: int, form: str) -> str:
    """Headlines with the beginnings of their texts, in ``form``, which names {title}, {start} and {date}."""
    return "\n".join(
        form.format(title=escape(other.title), start=escape(other.paragraphs[0][:80]), date=other.date)
        for other in story.others[:count]
    )


def _middle(story: Story) -> int:
    return max(1, len(story.paragraphs) // 2)


# -- The layouts


def portal(story: Story) -> Made:
    """A news portal: a caption, an advertisement in the text, related news, a ranking, comments."""
    half = _middle(story)
    caption = "图为活动现场。本网记者 摄"
    body = f"""<div class="top"><a href="/">网站首页</a><a href="/fav">收藏本站</a><a href="/set">设为首页</a></div>{_menu()}
<div class="wrap"><div class="post_main"><h1 class="post_title">{escape(story.title)}</h1>
<div class="post_info">{story.date} 08:15:00　来源: <a href="/s">本网综合</a> 北京 <a href="/jubao">举报</a></div>
<div class="post_share"><a>分享到：</a><a>微信</a><a>微博</a><a>QQ空间</a></div>
<div class="post_body">{_paragraphs(story.paragraphs[:half])}
<p class="f_center"><img src="1.jpg"><br>{caption}</p>
<div class="gg200x300"><a href="http://ad.example">广告</a><div>领取新人大礼包，点击下载客户端</div></div>
{_paragraphs(story.paragraphs[half:])}</div>
<div class="post_author">本文来源：本网综合 责任编辑：王晓明_B1234</div>
<div class="post_statement"><p>特别声明：以上内容(如有图片或视频亦包括在内)为自媒体平台用户上传并发布，本平台仅提供信息存储服务。</p></div>
<div class="post_recommends"><h3>相关推荐</h3>
{_teasers(story, 8, '<div class="item"><h4><a href="/r">{title}</a></h4><p>{start}…</p><span>{date} 跟贴 12</span></div>')}</div>
<div class="tie"><h3>网友跟贴 1532人参与</h3>
{_comments(story, 6, '<div class="c"><b>{who}</b><span>{when}</span><p>{what}</p><a>回复</a><a>赞</a></div>')}</div></div>
<div class="side"><h3>热点排行</h3><ol>{_links(_titles(story))}</ol></div></div>
<div class="foot"><a>关于我们</a>|<a>联系方法</a>|<a>招聘信息</a>|© 版权所有 京ICP备00000000号</div>"""
    return Made(_page(story, "本网新闻", body), (*story.paragraphs[:half], caption, *story.paragraphs[half:]))


def government(story: Story) -> Made:
    """A government site: tables for the layout, a table of document data, inline styles, a table of figures, closing links."""
    table = "".join("<tr>" + "".join(f"<td><p>{cell}</p></td>" for cell in row) + "</tr>" for row in ROWS)
    body = f"""<table width="1000"><tr><td>{_menu("span")}</td></tr></table>
<table width="1000"><tr><td>您现在的位置：<a href="/">首页</a> &gt; <a href="/zw">政务公开</a> &gt; 工作动态</td></tr></table>
<table class="xxgk"><tr><td>索 引 号：</td><td>00014349/2024-00123</td><td>发布机构：</td><td>办公厅</td></tr>
<tr><td>名　　称：</td><td colspan="3">{escape(story.title)}</td></tr><tr><td>发文日期：</td><td>{story.date}</td>
<td>主题分类：</td><td>综合政务</td></tr></table>
<table width="1000"><tr><td align="center"><b>{escape(story.title)}</b></td></tr>
<tr><td align="center">发布时间：{story.date}　来源：办公厅　字体：[<a>大</a> <a>中</a> <a>小</a>]　<a>打印</a></td></tr>
<tr><td><div class="TRS_Editor">{_paragraphs(story.paragraphs, ' style="text-indent:2em;line-height:2"')}
<table border="1">{table}</table></div></td></tr>
<tr><td>附件：<a href="1.pdf">附件1.pdf</a></td></tr><tr><td align="right">【<a>打印本页</a>】【<a>关闭窗口</a>】</td></tr>
<tr><td>扫一扫在手机打开当前页</td></tr><tr><td><b>相关文档</b>{_links(_titles(story)[:6], "p")}</td></tr></table>
<table width="1000"><tr><td>主办：办公厅　承办：信息中心　网站标识码：0000000001<br>京ICP备00000000号　京公网安备 00000000000000号</td></tr></table>"""
    return Made(_page(story, "政府门户网站", body), (*story.paragraphs, *("\t".join(row) for row in ROWS)))


def messenger(story: Story) -> Made:
    """An account of a messenger: sections and spans within each other, requests to follow, a reading list, dialogs."""
    text = "".join(
        f'<section style="margin:8px"><section><p><span style="font-size:15px"><span>{escape(line)}</span></span></p></section></section>'
        for line in story.paragraphs
    )
    body = f"""<div id="js_article"><div id="img-content"><h1 id="activity-name">{escape(story.title)}</h1>
<div id="meta_content"><span>原创</span><span>编辑部</span><a id="js_name">身边的新闻</a><em>{story.date}</em><em>北京</em></div>
<div id="js_content" style="visibility:hidden"><section><p><strong>点击上方蓝字关注我们</strong></p></section>{text}
<section><p>— END —</p></section><section><p><span>往期推荐</span></p></section>
{"".join(f'<section><p><a href="/s/{n}"><span>{escape(t)}</span></a></p></section>' for n, t in enumerate(_titles(story)[:5]))}
<section><p><span>觉得不错，请点赞、在看、转发三连</span></p></section></div>
<div id="js_tags"><a>#要闻 32个</a></div></div>
<div class="rich_media_tool"><span>阅读 10万+</span><span>赞 356</span><span>在看 128</span></div>
<div id="js_cmt"><h3>精选留言</h3>{_comments(story, 8, '<div class="d"><span>{who}</span><div>{what}</div><span>赞 3</span></div>')}</div></div>
<div class="weui-dialog"><p>微信扫一扫</p><p>关注该公众号</p></div><div class="weui-dialog"><p>预览时标签不可点</p><a>知道了</a></div>
<div class="pay"><p>微信扫一扫可打开此内容，使用完整服务</p></div>"""
    return Made(_page(story, "身边的新闻", body), story.paragraphs)


def column(story: Story) -> Made:
    """A column of a question-and-answer platform: headings and a quote, long comments, cards of other columns, a log-in dialog."""
    half = _middle(story)
    quote = "写在前面：本文整理自公开报道，仅供参考。"
    text = f"""<blockquote>{quote}</blockquote><h2>{HEADS[0]}</h2>{_paragraphs(story.paragraphs[:half], ' data-pid="x"')}
<h2>{HEADS[1]}</h2>{_paragraphs(story.paragraphs[half:], ' data-pid="y"')}"""
    body = f"""<header><nav>{_links(("首页", "会员", "发现", "等你来答"), "span")}</nav><button>登录</button></header>
<main><article><h1 class="Post-Title">{escape(story.title)}</h1><div class="Post-Author"><a>城市观察</a><div>公众号：城市观察，十年媒体人</div></div>
<div>1,204 人赞同了该文章</div><div class="RichText ztext Post-RichText">{text}</div>
<div class="ContentItem-time">编辑于 {story.date} 08:15・IP 属地北京</div>
<div class="Post-topics"><a>社会</a><a>新闻</a></div><div class="actions"><button>赞同 1204</button>86 条评论<button>分享</button></div></article>
<section class="cols"><h2>文章被以下专栏收录</h2><a>城市观察</a><div>记录城市与人</div></section>
<section><h2>推荐阅读</h2>{_teasers(story, 6, '<a href="/p/1"><div class="t">{title}</div><div class="e">{start}</div><div>城市观察 发表于其他专栏</div></a>')}</section>
<section class="Comments"><h2>86 条评论</h2>{_comments(story, 12, '<div><a>{who}</a><div class="c">{what}</div><div>{when}</div></div>')}</section>
</main><div class="Modal"><div>登录即可查看 超5亿 专业优质内容</div><div>超 5 千万创作者的优质提问、专业回答、深度文章和精彩视频尽在这里。</div><button>立即登录/注册</button></div>"""
    return Made(_page(story, "专栏", body), (quote, HEADS[0], *story.paragraphs[:half], HEADS[1], *story.paragraphs[half:]))


def developer(story: Story) -> Made:
    """A platform of developers' blogs: a licence above the text, a table of contents, numbered code, teasers, comments, a pay dialog."""
    half = _middle(story)
    code = "".join(
        f'<li><div class="hljs-ln-numbers">{n}</div><div class="hljs-ln-code">{escape(line)}\n</div></li>'
        for n, line in enumerate(CODE.splitlines(), 1)
        if line
    )
    body = f"""<div class="toolbar">{_links(("博客", "下载", "学习", "社区", "GitCode", "InsCode"), "span")}<input value="搜索">会员中心 消息 历史 创作</div>
<div class="blog-content-box"><h1 class="title-article">{escape(story.title)}</h1>
<div class="bar">最新推荐文章于 2024-11-02 10:11:12 发布</div><div class="bar"><a>码农小李</a> 原创 于 {story.date} 08:15:00 发布 · 2.3w 阅读 · 18 · 97 · CC 4.0 BY-SA版权</div>
<div class="slide">版权声明：本文为博主原创文章，遵循 CC 4.0 BY-SA 版权协议，转载请附上原文出处链接和本声明。</div>
<div class="tags">文章标签：<a>python</a><a>自然语言处理</a></div>
<div id="article_content"><div id="content_views"><div class="toc"><h4>文章目录</h4><ul><li><a href="#1">{HEADS[0]}</a></li><li><a href="#2">{HEADS[2]}</a></li></ul></div>
<h2><a id="1"></a>{HEADS[0]}</h2>{_paragraphs(story.paragraphs[:half])}<h2><a id="2"></a>{HEADS[2]}</h2><p>代码如下：</p>
<pre><code class="prism language-python"><ol class="hljs-ln">{code}</ol></code></pre>{_paragraphs(story.paragraphs[half:])}</div></div>
<div class="more">文章知识点与官方知识档案匹配，可进一步学习相关知识</div><div><a>Python入门技能树</a>首页概览 450213 人正在系统学习中</div></div>
<div class="vip"><p>确定要放弃本次机会？</p><p>福利倒计时 : :</p><p>立减 ¥</p><p>普通VIP年卡可用</p><a>立即使用</a></div>
<div class="recommend-box">{_teasers(story, 9, '<div class="r"><a href="/b">{title}</a><span>码农 {date} 1万+</span><div class="desc">{start}</div></div>')}</div>
<div class="comment-box">{_comments(story, 8, '<ul><li><a>{who}</a><span>{when}</span><span class="c">{what}</span><a>回复</a></li></ul>')}</div>
<div class="pay"><p>您需要支付 ¥9.90 解锁文章</p><p>红包 添加红包 祝福语 请填写红包祝福语或标题 红包数量 个 红包总金额 元 余额支付 当前余额3.43元 前往充值</p>
<p>抵扣说明：1.余额是钱包充值的虚拟货币，按照1:1的比例进行支付金额的抵扣。2.余额无法直接购买下载，可以购买VIP、付费专栏及课程。</p></div>
<footer>关于我们 招贤纳士 商务合作 寻求报道 400-000-0000 工作时间 8:30-22:00</footer>"""
    lines = (
        HEADS[0],
        *story.paragraphs[:half],
        HEADS[2],
        "代码如下：",
        *filter(None, CODE.splitlines()),
        *story.paragraphs[half:],
    )
    return Made(_page(story, "码农小李的博客", body), lines)


def encyclopaedia(story: Story) -> Made:
    """A wiki: edit links, a table of contents, a formula, a table of figures, navigation boxes, categories."""
    half = _middle(story)
    table = "".join("<tr>" + "".join(f"<td>{cell}\n</td>" for cell in row) + "</tr>" for row in ROWS)
    edit = '<span class="mw-editsection">[<a href="/e" title="编辑">编辑</a>]</span>'
    math = (
        f'<span class="mwe-math-element"><span style="display:none"><math xmlns="http://www.w3.org/1998/Math/MathML">'
        f'<semantics><mrow><mi>P</mi></mrow><annotation encoding="application/x-tex">{FORMULA}</annotation></semantics></math></span>'
        f'<img alt="{FORMULA}"></span>'
    )
    body = f"""<div id="mw-navigation">{_menu()}<ul>{_links(("条目", "讨论", "阅读", "编辑", "查看历史"))}</ul></div>
<div id="content"><h1 id="firstHeading">{escape(story.title)}</h1><div id="siteSub">维基百科，自由的百科全书</div>
<div id="mw-content-text"><div class="mw-parser-output">{_paragraphs(story.paragraphs[:half])}
<div id="toc" class="toc"><h2>目录</h2><ul><li><a href="#a"><span>1</span> <span>{HEADS[0]}</span></a></li><li><a href="#b"><span>2</span> <span>{HEADS[1]}</span></a></li></ul></div>
<h2><span class="mw-headline" id="a">{HEADS[0]}</span>{edit}</h2>{_paragraphs(story.paragraphs[half:])}
<h2><span class="mw-headline" id="b">{HEADS[1]}</span>{edit}</h2><p>估计如下：</p><dl><dd>{math}</dd></dl>
<table class="wikitable"><tbody>{table}</tbody></table>
<div class="navbox"><table><tr><th>相关条目</th></tr><tr><td>{_links(_titles(story), "span")}</td></tr></table></div></div></div>
<div id="catlinks">分类：<ul>{_links(("新闻", "社会", "中国"))}</ul></div></div>
<div id="footer"><ul><li>本页面最后修订于{story.date} (星期五) 08:15。</li><li>本站的全部文字在知识共享 署名-相同方式共享 4.0协议之条款下提供，附加条款亦可能应用。</li></ul></div>"""
    lines = (*story.paragraphs[:half], HEADS[0], *story.paragraphs[half:], HEADS[1], "估计如下：", f"${FORMULA}$")
    return Made(_page(story, "维基百科", body), (*lines, *("\t".join(row) for row in ROWS)))


def feed(story: Story) -> Made:
    """A feed of a news app: images with captions in figures, a statement, a stream of other headlines and comments."""
    half = _middle(story)
    body = f"""<div class="header"><a href="/">下载客户端</a><a>登录</a></div><div class="article-detail"><div class="left"><button>评论 35</button><button>收藏</button></div>
<div class="article-content"><h1>{escape(story.title)}</h1><div class="article-meta"><span>{story.date} 08:15</span><span> · </span><a>时事观察员</a></div>
<article class="syl-article-base">{_paragraphs(story.paragraphs[:half], ' data-track="1"')}
<figure><img src="2.jpg"><figcaption>资料图</figcaption></figure>{_paragraphs(story.paragraphs[half:], ' data-track="2"')}</article>
<div class="tag">举报 评论 35</div><div class="comment"><div class="title">评论 35</div><div>发表评论</div>
{_comments(story, 10, '<div class="item"><a>{who}</a><p>{what}</p><div>{when} · 回复</div></div>')}<button>查看全部 35 条评论</button></div></div>
<div class="right"><div class="user">时事观察员 关注 粉丝 3.4万</div><div class="hot">热榜 换一换</div><ol>{_links(_titles(story))}</ol></div></div>
<div class="feed">{_teasers(story, 10, '<div class="card"><a href="/f">{title}</a><p>{start}…</p><div>时事观察员 {date} 评论</div></div>')}</div>"""
    return Made(_page(story, "头条", body), (*story.paragraphs[:half], "资料图", *story.paragraphs[half:]))


def wordpress(story: Story) -> Made:
    """A blog: share links and an author's box below the text, related posts, long comments, widgets."""
    body = f"""<div id="page"><header id="masthead"><p class="site-title"><a href="/">山下人家</a></p><p class="site-description">读书、写字、过日子</p><nav>{_menu()}</nav></header>
<div id="content"><div id="primary"><main><article class="post hentry"><header class="entry-header"><h1 class="entry-title">{escape(story.title)}</h1>
<div class="entry-meta">Posted on <a><time datetime="{story.date}">{story.date}</time></a> by <a>山下人</a></div></header>
<div class="entry-content">{_paragraphs(story.paragraphs)}<div class="sharedaddy"><h3>分享此文：</h3><ul><li><a>微博</a></li><li><a>X</a></li></ul></div>
<p class="copyright">未经允许不得转载：<a href="/">山下人家</a> » <a href="/x">{escape(story.title)}</a></p></div>
<footer class="entry-footer">分类：<a>随笔</a> 标签：<a>生活</a><a>社会</a></footer></article>
<div class="author-info"><h3>关于作者</h3><p>山下人，写过几年代码，如今在家种菜。欢迎来信交流，也欢迎请我喝咖啡。</p></div>
<div class="related"><h3>你可能也喜欢</h3>{_teasers(story, 4, '<div><h4><a href="/w">{title}</a></h4><p>{start} […]</p></div>')}</div>
<nav class="post-navigation"><a rel="prev">上一篇：{escape(story.others[0].title)}</a><a rel="next">下一篇：{escape(story.others[1].title)}</a></nav>
<div id="comments"><h2>{len(story.others)} 条评论</h2><ol class="comment-list">
{_comments(story, 12, '<li class="comment"><div><cite>{who}</cite>说道：</div><div>{when}</div><p>{what}</p><a>回复</a></li>')}</ol>
<div id="respond"><h3>发表回复</h3><p>您的邮箱地址不会被公开。 必填项已用 * 标注</p><form><textarea></textarea></form></div></div></main></div>
<aside class="widget-area"><section><h2>近期文章</h2><ul>{_links(_titles(story)[:6])}</ul></section><section><h2>近期评论</h2><ul>{_links(_titles(story)[6:])}</ul></section></aside></div>
<footer>© 2024 山下人家 自豪地采用 WordPress</footer></div>"""
    return Made(_page(story, "山下人家", body), story.paragraphs)


def breaks(story: Story) -> Made:
    """A portal of the 2000s: tables, fonts, `<br>` between paragraphs, related news in the cell of the text."""
    text = "<br><br>\n".join(f"　　{escape(line)}" for line in story.paragraphs)
    body = f"""<table><tr><td>{_menu("td")}</td></tr></table><table width="760"><tr><td width="560"><center><h1>{escape(story.title)}</h1></center>
<center>http://www.example.cn　{story.date}　来源：本报</center><font size="3" id="zoom">{text}<br><br>
<b>相关新闻</b><br>{"<br>".join(f'<a href="/{n}.htm">{escape(t)}</a>' for n, t in enumerate(_titles(story)[:6]))}<br><br>
<font color="#999">【<a>我来说两句</a>】【<a>推荐</a>】【<a>大 中 小</a>】【<a>打印</a>】【<a>关闭</a>】</font></font></td>
<td width="200"><table><tr><td>热点新闻</td></tr>{"".join(f'<tr><td>·<a href="/h">{escape(t)}</a></td></tr>' for t in _titles(story))}</table></td></tr></table>
<center>本站所刊登的各种新闻﹑信息和各种专题专栏资料，均为版权所有，未经协议授权禁止下载使用。</center>"""
    return Made(_page(story, "新闻中心", body), story.paragraphs)


def gitbook(story: Story) -> Made:
    """A book of documentation: a long summary, code, a warning, links to the chapters before and after."""
    half = _middle(story)
    warning = "注意：以下步骤需要管理员权限。"
    body = f"""<div class="book"><div class="book-summary"><nav><ul class="summary"><li>Introduction</li>{_links([f"{n}.{m} {h}" for n in range(1, 9) for m, h in enumerate(HEADS, 1)])}
<li>本书使用 GitBook 发布</li></ul></nav></div><div class="book-body"><div class="book-header"><h1><a href="..">{escape(story.title)}</a></h1></div>
<div class="page-wrapper"><div class="page-inner"><section class="normal markdown-section"><h1 id="t">{escape(story.title)}</h1>{_paragraphs(story.paragraphs[:half])}
<h2 id="a">{HEADS[2]}</h2><pre><code class="lang-python">{escape(CODE)}</code></pre><blockquote><p>{warning}</p></blockquote>
<ul>{"".join(f"<li>{escape(line)}</li>" for line in story.paragraphs[half:])}</ul>
<footer class="page-footer"><span>Copyright © example.cn 2024 all right reserved，powered by Gitbook</span><span>该文件修订时间： {story.date}</span></footer></section>
<div class="search-results"><h1>results matching ""</h1><h1>No results matching ""</h1></div></div></div>
<a class="navigation-prev">上一章</a><a class="navigation-next">下一章</a></div></div>"""
    lines = (*story.paragraphs[:half], HEADS[2], *filter(None, CODE.splitlines()), warning, *story.paragraphs[half:])
    return Made(_page(story, "手册", body), lines)


def flash(story: Story) -> Made:
    """A short item: far less text than its related news and comments hold."""
    body = f"""<div class="nav">{_menu()}</div><div class="crumb"><a>首页</a> / <a>快讯</a> / 正文</div><div class="detail"><div class="tit">{escape(story.title)}</div>
<div class="info">本报讯 记者 李一 {story.date} 08:15</div><div class="txt">{_paragraphs(story.paragraphs)}</div><div class="edit">（责任编辑：张二）</div></div>
<div class="rel"><div class="t">相关阅读</div>{_teasers(story, 10, '<dl><dt><a href="/k">{title}</a></dt><dd>{start}……</dd></dl>')}</div>
<div class="cmt"><div class="t">全部评论</div>{_comments(story, 12, "<dl><dt>{who} {when}</dt><dd>{what}</dd></dl>")}</div>
<div class="hot"><div class="t">一周热点</div><ul>{_links(_titles(story))}</ul></div><div class="foot">版权所有 未经授权不得转载</div>"""
    return Made(_page(story, "快讯", body), story.paragraphs)


LAYOUTS: dict[str, Callable[[Story], Made]] = {
    layout.__name__: layout
    for layout in (portal, government, messenger, column, developer, encyclopaedia, feed, wordpress, breaks, gitbook, flash)
}
SHORT = frozenset(("flash",))  # layouts of short texts
