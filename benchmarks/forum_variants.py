# ruff: noqa: E501  (markup)
"""Harder made pages of forums: old boards without names of classes, mail boards, groups, nameless floors; and every layout with a
single post, with a first post far longer than its replies, and with replies of a few words.

As forum_layouts.py: each layout follows the structure of what such a site writes, in markup of our own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from forum_layouts import LAYOUTS, NAMES, Post, Thread, _brs, _hot, _nav, _page, _ps, make_thread
from gold_layouts import read_stories
from gold_pages import GoldPage

PAGES = 4  # made of each layout and variant
SHORT = ("顶一下", "谢谢楼主分享！", "同意", "收藏了，慢慢看", "楼上说得对", "请问后来怎么样了？", "mark", "路过，学习了。")


def nested_tables(thread: Thread, others: Sequence[str]) -> str:
    """As the ASP boards of the early 2000s: tables in tables, fonts, no class; a rule above the signature."""
    boxes = "".join(
        "<table cellpadding=0 cellspacing=0 border=0 width=97% bgcolor=#777777 align=center><tr><td><table cellpadding=6 cellspacing=1 border=0 width=100%><tr bgcolor=#f7f7f7><td width=20% valign=top>"
        f"<font color=#990000><b>{post.author}</b></font><br><img src=pic/level3.gif><br>等级：侠之大者<br>文章：{n * 37 + 12}<br>积分：{n * 91 + 60}<br>注册：2002-{n % 9 + 1}-11</td><td width=80% valign=top>"
        f'<a href=messanger.asp?touser=u{n}><img src=pic/message.gif alt="给{post.author}发送一个短消息"></a> <a href=dispuser.asp?name=u{n} target=_blank><img src=pic/profile.gif></a> <a href=reannounce.asp?id={n}>引用回复</a><hr size=1>'
        f"{('<font color=#999999>以下是引用' + thread.posts[0].author + '的发言：<br>' + escape(post.quote) + '</font><br>') if post.quote else ''}<font size=2>{_brs(post)}</font>"
        f"{('<br><br>----------------------------------------------<br>' + escape(post.signature)) if post.signature else ''}</td></tr>"
        f"<tr bgcolor=#ffffff><td><img src=pic/ip.gif> IP：已记录</td><td><table width=100%><tr><td align=left>{post.day} 8:{15 + n}:07</td><td align=right><a href=admin.asp?act=del&id={n}>删除</a></td></tr></table></td></tr></table></td></tr></table><br>"
        for n, post in enumerate(thread.posts)
    )
    body = (
        "<table width=97% align=center><tr><td><img src=logo.gif></td><td><a href=reg.asp>注册</a> | <a href=login.asp>登录</a> | <a href=search.asp>搜索</a></td></tr></table>"
        f"<table width=97% align=center><tr><td><a href=index.asp>老街论坛</a> → <a href=list.asp?boardid=3>谈天说地</a> → {escape(thread.title)}</td></tr></table>"
        f"<table width=97% align=center><tr><td>您是本帖的第 <b>231</b> 个阅读者</td></tr><tr><td bgcolor=#cccccc><b>* 贴子主题：</b>{escape(thread.title)}</td></tr></table>{boxes}"
        "<table width=97% align=center><tr><td>本主题贴数{len(thread.posts)}，分页： [<b>1</b>]</td></tr></table><center>版权所有 老街论坛 执行时间：78毫秒</center>"
    )
    return _page(thread, "老街论坛", body)


def mail_board(thread: Thread, others: Sequence[str]) -> str:
    """As boards that began on telnet: a head of lines in each post, quotes behind colons, a signature behind two hyphens."""
    first = thread.posts[0]
    boxes = []
    for n, post in enumerate(thread.posts):
        title = escape(thread.title) if not n else f"Re: {escape(thread.title)}"
        quote = (
            f"<br />【 在 {first.author} (某某) 的大作中提到: 】<br /><span class='f006'>: {escape(post.quote)}</span><br />"
            if post.quote
            else ""
        )
        sign = f"<br />--<br />{escape(post.signature)}<br />" if post.signature else "<br />--<br />"
        boxes.append(
            f'<div class="a-wrap corner"><table class="article"><tr class="a-head"><td class="a-left a-u-name"><span><a href="/user/query/u{n}">{post.author}</a></span></td><td><ul class="a-func"><li><a href="/article/x/post/{n}">回复</a></li><li><a href="/mail/{n}">发信</a></li><li class="a-pos">{"楼主" if not n else f"第{n}楼"}</li></ul></td></tr>'
            f'<tr class="a-body"><td class="a-left a-info"><dl><dt>身份:</dt><dd>用户</dd><dt>文章:</dt><dd>{n * 31}</dd></dl></td><td class="a-content"><p>发信人: u{n} ({post.author}), 信区: Life<br />标&nbsp;&nbsp;题: {title}<br />发信站: 某某社区 (Fri Apr {n % 28 + 1} 10:20:31 {post.day[:4]}), 站内<br /><br />'
            f"{_brs(post)}<br />{quote}{sign}<br />※ 来源:·某某社区 bbs.example.cn·[FROM: 10.0.{n}.*]</p></td></tr></table></div>"
        )
    body = f'<div id="top_head"><ul>{_nav("首页 版面 精华区")}</ul></div><div id="body"><div class="b-head corner"><span class="n-left">文章主题: {escape(thread.title)}</span></div><ul class="pagination"><li>贴数:{len(thread.posts)}</li></ul>{"".join(boxes)}</div>'
    return _page(thread, "某某社区", body)


def host_items(thread: Thread, others: Sequence[str]) -> str:
    """As Tianya: the first post without a head of its own, floors with a line above and one of tools below."""
    first, *rest = thread.posts
    boxes = "".join(
        f'<div class="atl-item" id="{n + 1}" _host="{post.author}"><div class="atl-head" id="alt_id_{n}"><div class="atl-head-reply"></div><div class="atl-info"><span>作者：<a href="http://www.example.cn/{n}77" target="_blank" uname="{post.author}" class="js-vip-check">{post.author}</a> </span><span>时间：{post.day} 10:20:0{n % 10}</span></div></div>'
        f'<div class="atl-content"><div class="atl-con-hd clearfix"></div><div class="atl-con-bd clearfix"><div class="bbs-content">{("　　@" + thread.posts[0].author + " 2013-04-01 10:20:00<br>　　" + escape(post.quote) + "<br>　　-----------------------------<br>") if post.quote else ""}{"<br>".join("　　" + escape(line) for line in post.lines)}</div>'
        f'<div class="atl-reply">来自 <a href="/app">客户端</a> | <a href="#" class="reportme">举报</a> | <span>{n + 1}楼</span> | <a href="#" class="a-link">打赏</a> | <a href="#" class="reply">回复</a> | <a href="#" class="a-link">评论</a></div></div></div></div>'
        for n, post in enumerate(rest)
    )
    body = (
        f'<div id="top_nav"><ul>{_nav("论坛 聚焦 部落 博客")}</ul></div><div id="doc"><div class="atl-crumbs"><a href="/">天涯</a> &gt; <a href="/list-free-1.shtml">杂谈</a></div><div id="post_head" class="atl-menu clearfix"><h1 class="atl-title"><span class="s_title"><span>{escape(thread.title)}</span></span></h1>'
        f'<div class="atl-info"><span>楼主：<a href="http://www.example.cn/1" uname="{first.author}">{first.author}</a></span> <span>时间：{first.day} 09:12:00 </span><span>点击：12345 </span><span>回复：{len(rest)}</span></div></div><div class="atl-main"><div class="atl-item host-item"><div class="atl-content"><div class="atl-con-hd clearfix"></div><div class="atl-con-bd clearfix">'
        f'<div class="bbs-content clearfix">{"<br>".join("　　" + escape(line) for line in first.lines)}</div><div class="host-ft"><a href="#">楼主发言</a> <a href="#">收藏</a> <a href="#">分享</a></div></div></div></div>{boxes}</div></div>'
    )
    return _page(thread, "杂谈_论坛", body)


def group_topic(thread: Thread, others: Sequence[str]) -> str:
    """As Douban's groups: the topic in a box of its own, replies as a list that calls them comments."""
    first, *rest = thread.posts
    replies = "".join(
        f'<li class="clearfix comment-item reply-item" id="33{n}" data-cid="33{n}"><div class="user-face"><a href="https://www.example.cn/people/p{n}/"><img class="pil" alt="{post.author}"></a></div><div class="reply-doc content"><div class="bg-img-green"><h4><a href="https://www.example.cn/people/p{n}/">{post.author}</a> <span class="pubtime">{post.day} 10:20:11 北京</span></h4></div>'
        f'{(f"<div class=reply-quote><div class=reply-quote-content><span class=all>{escape(post.quote)}</span></div><span class=pubdate><a href=/people/x/>{first.author}</a></span></div>") if post.quote else ""}<p class="reply-content">{_brs(post)}</p><div class="operation_div"><div class="operation-more"><a href="#">删除</a></div><a href="#" class="comment-vote lnk-fav">赞 ({n})</a><a href="#" class="lnk-reply">回复</a></div></div></li>'
        for n, post in enumerate(rest)
    )
    body = (
        f'<div id="db-nav-group"><ul>{_nav("精选 文化 行摄 娱乐 时尚 生活 科技")}</ul></div><div id="wrapper"><div id="content"><h1>{escape(thread.title)}</h1><div class="grid-16-8 clearfix"><div class="article"><div class="topic-content clearfix" id="topic-content"><div class="user-face"><a href="https://www.example.cn/people/first/"><img class="pil"></a></div><div class="topic-doc">'
        f'<h3><span class="from">来自: <a href="https://www.example.cn/people/first/">{first.author}</a>(天地一沙鸥)</span><span class="create-time color-green">{first.day} 09:12:00</span></h3><div id="link-report"><div class="rich-content topic-richtext">{_ps(first)}</div></div></div></div><div class="sns-bar"><a href="#">赞</a><a href="#">转发</a><a href="#">微信扫码</a></div>'
        f'<ul class="topic-reply" id="comments">{replies}</ul><div class="txd"><h3>你的回复</h3><p>回复请先 <a href="/login">登录</a> , 或 <a href="/register">注册</a></p></div></div><div class="aside"><div class="group-item"><a href="/group/x/">读书小组</a> 12034 人聚集在这个小组</div><h2>最新讨论</h2><ul>{_hot(others, "/group/topic/{}/")}</ul></div></div></div></div>'
    )
    return _page(thread, "豆腐小组", body)


def best_answer(thread: Thread, others: Sequence[str]) -> str:
    """As Zhidao: a question of a nameless person, the best answer in a box of its own, the others below."""
    first, *rest = thread.posts

    def box(n: int, post: Post) -> str:
        kind = "wgt-best" if not n else "wgt-answers"
        return (
            f'<div class="{kind}" id="{kind}-{n}"><div class="wgt-replyer-all"><a class="wgt-replyer-all-avatar" href="/usercenter?uid={n}"></a><div class="wgt-replyer-all-box"><span class="wgt-replyer-all-uname"><a href="/usercenter?uid={n}">{post.author}</a></span><span class="wgt-replyer-all-time">推荐于{post.day}</span><span>TA获得超过{n * 300 + 500}个赞</span></div></div>'
            f'<div class="{"best-text" if not n else "answer-text"} mb-10"><div class="wgt-best-mask"></div>{_ps(post)}</div><div class="wgt-eva"><span>已赞过</span><span>已踩过</span><div class="evaluate-title">你对这个回答的评价是？</div></div><div class="wgt-comment"><span>评论</span><span>收起</span></div></div>'
        )

    boxes = "".join(box(n, post) for n, post in enumerate(rest))
    body = (
        f'<header><ul>{_nav("网页 资讯 视频 图片 知道 文库")}</ul></header><section class="line qb-section"><article class="grid qb-content" id="qb-content"><div class="wgt-ask accuse-response"><h1 accuse="qTitle"><span class="ask-title">{escape(thread.title)}</span></h1><div class="wgt-ask-desc"><span class="con-all">{"<br>".join(map(escape, first.lines))}</span></div>'
        f'<div class="ask-info"><span>我来答</span><span>分享</span><span>举报</span></div></div><div>{len(rest)}个回答</div>{boxes}<div class="wgt-related"><h2>其他类似问题</h2><ul>{_hot(others, "/question/{}.html")}</ul></div></article><aside class="grid-r"><h2>为你推荐</h2><ul>{_hot(others, "/question/r{}.html")}</ul></aside></section>'
    )
    return _page(thread, "知了", body)


def read_floors(thread: Thread, others: Sequence[str]) -> str:
    """As PHPWind: a table for each floor, its title above the text."""
    boxes = "".join(
        f'<div class="read_t"><table width="100%" id="td_tpc{n}" class="floor"><tr><td rowspan="2" class="floor_left"><div class="readName b"><a href="u.php?uid=9{n}">{post.author}</a></div><div class="user_info"><ul><li>级别: 骑士</li><li>发帖 {n * 12}</li><li>注册时间:2008-0{n % 8 + 1}-03</li></ul></div></td><td class="floor_right"><div class="tipTop s6"><span class="fr"><a href="#">只看楼主</a><a href="#">倒序阅读</a></span>'
        f'<a class="s2 b cp">{("楼主", "沙发", "板凳")[n] if n < 3 else f"{n}楼"}</a> 发表于: {post.day}</div>{f"<h1 id=subject_tpc class=read_h1>{escape(thread.title)}</h1>" if not n else ""}<div class="tpc_content"><div class="f14" id="read_{n}">{(f"<blockquote class=blockquote3><div class=quote><span class=s3>引用第{n - 1}楼{thread.posts[0].author}于{thread.posts[0].day}发表的 &nbsp;:</span></div><div class=text>{escape(post.quote)}</div></blockquote>") if post.quote else ""}{_brs(post)}</div></div></td></tr>'
        f'<tr><td class="floor_bottom">{f"<div class=signature>{escape(post.signature)}</div>" if post.signature else ""}<div class="tipBottom"><a href="#">回复</a> <a href="#">引用</a> <a href="#">举报</a> <a href="#">顶端</a></div></td></tr></table></div>'
        for n, post in enumerate(thread.posts)
    )
    body = f'<div id="head"><ul>{_nav("社区 搜索 帮助")}</ul></div><div id="breadCrumb"><a href="index.php">本地社区</a> &raquo; <a href="thread.php?fid=8">闲聊</a> &raquo; {escape(thread.title)}</div><form>{boxes}</form><div class="readbot">Powered by PHPWind v8.7</div>'
    return _page(thread, "闲聊 - 本地社区", body)


def touch_board(thread: Thread, others: Sequence[str]) -> str:
    """As Discuz! for telephones."""
    boxes = "".join(
        f'<div class="plc cl" id="pid5{n}"><span class="avatar"><img src="a.jpg"></span><div class="display pi" href="#replybtn_5{n}"><ul class="authi"><li class="grey"><em>{"楼主" if not n else f"{n + 1}#"}</em><b><a href="home.php?mod=space&uid=6{n}&mobile=2" class="blue">{post.author}</a></b></li><li class="grey rela">{post.day} 08:1{n % 10}:00</li></ul>'
        f'<div class="message">{(f"<div class=grey quote><blockquote>{thread.posts[0].author} 发表于 {thread.posts[0].day}<br>{escape(post.quote)}</blockquote></div>") if post.quote else ""}{_brs(post)}</div></div></div>'
        for n, post in enumerate(thread.posts)
    )
    body = f'<header class="header"><div class="nav"><a href="forum.php?mobile=2">返回</a> <span class="category">闲话</span></div></header><div class="postlist"><h2>{escape(thread.title)}</h2>{boxes}<div id="post_new"></div><div class="plc cl"><form><input value="我也说一句"><p>登录后才可以回帖</p></form></div></div><div class="footer"><a href="#">标准版</a> <a href="#">触屏版</a> <a href="#">电脑版</a><p>&copy; Comsenz Inc.</p></div>'
    return _page(thread, "闲话 - 手机版", body)


def nameless_floors(thread: Thread, others: Sequence[str]) -> str:
    """A board of nameless people: a number and a time above each text, no link to a person, no name of a class."""
    boxes = "".join(
        f"<div><div>No.{50 + n} 匿名 {post.day} 21:0{n % 10}</div><div>{(f'<font color=green>&gt;&gt;No.50 {escape(post.quote)}</font><br>') if post.quote else ''}{_brs(post)}</div><div>[<a href='#'>回应</a>] [<a href='#'>举报</a>]</div></div><hr>"
        for n, post in enumerate(thread.posts)
    )
    return _page(
        thread,
        "匿名版",
        f"<div>{_nav('综合 欢乐 时事')}</div><h2>{escape(thread.title)}</h2><div>{boxes}</div><p>[<a href='/'>返回</a>]</p>",
    )


def hashed_names(thread: Thread, others: Sequence[str]) -> str:
    """As sites whose classes are made by a compiler: hashes for names, a place beside the time."""
    boxes = "".join(
        f'<div class="css-x1k{n % 2}"><div class="css-0a9f"><a class="css-77u" href="/user/{n}4"><img class="css-i"></a><div class="css-p2"><a class="css-1n" href="/user/{n}4">{post.author}</a><span class="css-9s">{post.day} · 北京</span></div></div><div class="css-q8z">{f"<div class=css-qq><span>{thread.posts[0].author}：</span>{escape(post.quote)}</div>" if post.quote else ""}{_ps(post)}</div>'
        f'<div class="css-b4"><span>{n * 3}</span><span>回复</span><span>分享</span></div></div>'
        for n, post in enumerate(thread.posts)
    )
    body = f'<div class="css-h"><a href="/">车友圈</a>{_nav("首页 圈子 登录")}</div><div class="css-m"><h1 class="css-t">{escape(thread.title)}</h1>{boxes}</div><div class="css-r"><h4>热帖</h4>{_hot(others, "/thread/{}")}</div>'
    return _page(thread, "车友圈", body)


HARD_LAYOUTS: dict[str, tuple[str, Callable[[Thread, Sequence[str]], str]]] = {
    "nested tables": ("http://bbs.p.example/dispbbs.asp?boardID=3&ID=91&page=1", nested_tables),
    "mail board": ("http://bbs.q.example/nForum/article/Life/1234", mail_board),
    "host items": ("http://bbs.r.example/post-free-3312-1.shtml", host_items),
    "group topic": ("http://www.s.example/group/topic/38211/", group_topic),
    "best answer": ("http://zhidao.t.example/question/5512.html", best_answer),
    "read floors": ("http://bbs.u.example/read.php?tid=771", read_floors),
    "touch board": ("http://bbs.v.example/forum.php?mod=viewthread&tid=5&mobile=2", touch_board),
    "nameless floors": ("http://w.example/t/50", nameless_floors),
    "hashed names": ("http://club.x.example/thread/8812", hashed_names),
}
"""As :data:`~forum_layouts.LAYOUTS`."""


def _as_made(thread: Thread, rng: random.Random) -> Thread:
    return thread


def _one_post(thread: Thread, rng: random.Random) -> Thread:
    return replace(thread, posts=thread.posts[:1])


def _one_reply(thread: Thread, rng: random.Random) -> Thread:
    return replace(thread, posts=[thread.posts[0], replace(thread.posts[1], quote="")])


def _long_first(thread: Thread, rng: random.Random) -> Thread:
    first = thread.posts[0]
    lines = [line for post in thread.posts for line in post.lines]
    replies = [Post(rng.choice(NAMES), first.day, [text]) for text in rng.sample(SHORT, rng.choice((2, 5)))]
    return replace(thread, posts=[replace(first, lines=lines), *replies])


VARIANTS: dict[str, Callable[[Thread, random.Random], Thread]] = {
    "": _as_made,
    "one post": _one_post,
    "one reply": _one_reply,
    "long first post": _long_first,
}


def make_hard_threads(path: Path) -> Iterator[GoldPage]:
    """:data:`PAGES` pages of each layout and variant but those of forum_layouts.py as they are there, of texts in JSON Lines."""
    texts = [(story.title, story.paragraphs) for story in read_stories(path) if len(story.paragraphs) > 2][:600]
    titles = [title for title, _ in texts]
    for name, (url, layout) in (LAYOUTS | HARD_LAYOUTS).items():
        for variant, change in VARIANTS.items():
            for seed in range(100, (100 + PAGES) if variant or name in HARD_LAYOUTS else 100):
                rng = random.Random(seed)
                thread = change(make_thread(seed, texts, replies=rng.choice((2, 5, 9))), rng)
                yield GoldPage(url, layout(thread, rng.sample(titles, 20)), thread.text, f"{name}, {variant}".removesuffix(", "))
