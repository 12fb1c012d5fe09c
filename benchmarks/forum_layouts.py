# ruff: noqa: E501  (markup)
"""Made pages of forums: the same threads in the layouts of twelve engines, and pages that only look like threads.

Each layout follows the structure of what such an engine writes (boxes, classes, what stands around a post), in markup of our own.
The text of a thread is known by construction.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from gold_layouts import read_stories
from gold_pages import GoldPage

THREADS = 20  # made in each layout
NAMES = (
    "山野清风",
    "lihua_92",
    "老王说事",
    "Echo",
    "北方的狼",
    "小鱼儿",
    "dev_zhang",
    "云淡风轻",
    "考研党2024",
    "阿Q",
    "南城旧事",
    "Momo酱",
)
SIGNATURES = (
    "海阔凭鱼跃，天高任鸟飞。",
    "本人长期出售二手书，有意私聊！",
    "Talk is cheap, show me the code.",
    "认真生活，努力工作。",
)


@dataclass(frozen=True)
class Post:
    """A post of a thread."""

    author: str
    day: str  # YYYY-MM-DD
    lines: Sequence[str]
    quote: str = ""  # what it quotes of an earlier post
    signature: str = ""


@dataclass(frozen=True)
class Thread:
    """A thread; ``text`` is what a corpus should have of it."""

    title: str
    posts: Sequence[Post]

    @property
    def text(self) -> str:
        """The posts in order, a line each paragraph, without what they quote of earlier ones."""
        return "\n".join(line for post in self.posts for line in post.lines)


def make_thread(seed: int, texts: Sequence[tuple[str, Sequence[str]]], replies: int | None = None) -> Thread:
    """A thread of paragraphs of ``texts``, each a title and paragraphs: some posts are long, some a sentence, some quote."""
    rng = random.Random(seed)
    title, first = rng.choice(texts)
    posts: list[Post] = []
    day = rng.randrange(1, 25)
    for number in range(1 + (rng.choice((1, 2, 4, 7, 12)) if replies is None else replies)):
        lines = list(first[: rng.choice((1, 3, 6))]) if not number else _reply(rng, texts)
        quote = rng.choice(posts).lines[0][:60] if number > 1 and rng.random() < 0.25 else ""
        name = rng.choice(NAMES)
        signature = SIGNATURES[NAMES.index(name) % 4] if NAMES.index(name) % 2 else ""
        posts.append(Post(name, f"2023-0{1 + number // 4}-{day + number % 4:02d}", lines, quote, signature))
    return Thread(title, posts)


def _reply(rng: random.Random, texts: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    paragraphs = rng.choice(texts)[1]
    start = rng.randrange(len(paragraphs))
    if rng.random() < 0.4:
        return [paragraphs[start].partition("。")[0] + rng.choice(("。", "？", ""))]
    return list(paragraphs[start : start + rng.choice((1, 2, 3))])


def _nav(words: str) -> str:
    return "".join(f"<li><a href='/nav/{n}'>{word}</a></li>" for n, word in enumerate(words.split()))


def _hot(others: Sequence[str], address: str = "/hot/{}.html") -> str:
    return "".join(f"<li><a href='{address.format(n)}'>{escape(title)}</a></li>" for n, title in enumerate(others[:8]))


def _page(thread: Thread, site: str, body: str, head: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{escape(thread.title)} - {site}</title>{head}</head>"
        f"<body>{body}</body></html>"
    )


def _ps(post: Post, tag: str = "p") -> str:
    return "".join(f"<{tag}>{escape(line)}</{tag}>" for line in post.lines)


def _brs(post: Post) -> str:
    return "<br />\n<br />\n".join(map(escape, post.lines))


def table_board(thread: Thread, others: Sequence[str]) -> str:
    """As Discuz! X: a table for each post, the person in the left cell, the text in a cell of its own."""
    boxes = []
    for n, post in enumerate(thread.posts):
        quote = (
            f'<div class="quote"><blockquote><font size="2"><a href="forum.php?mod=redirect&goto=findpost&pid=7{n}"><font color="#999999">'
            f"{thread.posts[0].author} 发表于 {thread.posts[0].day} 08:15</font></a></font><br />{escape(post.quote)}</blockquote></div><br />"
            if post.quote
            else ""
        )
        edited = f'<i class="pstatus"> 本帖最后由 {post.author} 于 {post.day} 12:30 编辑 </i><br />' if n % 3 == 0 else ""
        noise = '<font class="jammer">2 e9 W: k7 |</font>' if n % 2 else ""
        sign = f'<div class="sign" style="max-height:100px;">{escape(post.signature)}</div>' if post.signature else ""
        boxes.append(
            f'<div id="post_8{n}"><table id="pid8{n}" class="plhin" summary="pid8{n}"><tr><td class="pls" rowspan="2"><div class="pls favatar">'
            f'<div class="pi"><div class="authi"><a href="home.php?mod=space&uid=3{n}" class="xw1">{post.author}</a></div></div>'
            f'<div class="avatar"><a href="home.php?mod=space&uid=3{n}"><img src="a.gif"></a></div><div class="tns xg2"><table><tr><th><p>'
            f"<a href='home.php?mod=space&uid=3{n}&do=thread'>{n * 3}</a></p>主题</th><th><p>{n * 41}</p>帖子</th><td><p>{n * 97 + 5}</p>积分</td></tr></table></div>"
            f'<p><em><a href="home.php?mod=spacecp&ac=usergroup&gid=1{n}">{("新手上路", "注册会员", "金牌会员")[n % 3]}</a></em></p><ul class="xl xl2 o cl">'
            f'<li class="pm2"><a href="home.php?mod=spacecp&ac=pm&touid=3{n}">发消息</a></li></ul></div></td><td class="plc"><div class="pi"><strong>'
            f'<a href="forum.php?mod=redirect&goto=findpost&ptid=5&pid=8{n}">{("楼主", "沙发", "板凳")[n] if n < 3 else f"<em>{n + 1}</em><sup>#</sup>"}</a></strong>'
            f'<div class="pti"><div class="authi"><em id="authorposton8{n}">发表于 {post.day} 08:{15 + n}:00</em><span class="pipe">|</span>'
            f'<a href="forum.php?mod=viewthread&tid=5&authorid=3{n}" rel="nofollow">只看该作者</a></div></div></div><div class="pct"><div class="pcb">'
            f'<div class="t_fsz"><table><tr><td class="t_f" id="postmessage_8{n}">{edited}{quote}{noise}{_brs(post)}</td></tr></table></div>'
            f'<div id="comment_8{n}" class="cm"></div></div></div></td></tr><tr><td class="plc plm">{sign}</td></tr><tr><td class="plc"><div class="po hin">'
            f'<div class="pob cl"><em><a class="fastre" href="forum.php?mod=post&action=reply&repquote=8{n}">回复</a></em><p>'
            '<a href="javascript:;">使用道具</a><a href="javascript:;">举报</a></p></div></div></td></tr></table></div>'
        )
    body = (
        f'<div id="hd"><ul>{_nav("门户 论坛 导读 家园 排行榜")}</ul></div><div id="pt" class="bm cl"><div class="z"><a href="./">论坛</a> <em>›</em>'
        f'<a href="forum.php?gid=1">综合讨论</a> <em>›</em> <a href="forum.php?mod=viewthread&tid=5">{escape(thread.title)}</a></div></div>'
        '<div id="wp"><div id="ct"><div id="pgt"><a href="forum.php?mod=post&action=newthread">发帖</a> <a href="#">返回列表</a></div>'
        f'<div id="postlist" class="pl bm"><table><tr><td class="pls"><div class="hm"><span class="xg1">查看:</span> <span class="xi1">1523</span>|<span class="xg1">回复:</span> '
        f'<span class="xi1">{len(thread.posts) - 1}</span></div></td><td class="plc"><h1 class="ts"><a href="forum.php?fid=2&typeid=7">[杂谈]</a>'
        f'<span id="thread_subject">{escape(thread.title)}</span></h1></td></tr></table>{"".join(boxes)}</div>'
        '<div id="f_pst" class="pl bm"><form><textarea></textarea><p>您需要登录后才可以回帖 <a href="member.php?mod=logging">登录</a> | <a href="member.php?mod=register">立即注册</a></p>'
        '<p>本版积分规则</p></form></div></div></div><div id="ft"><p>Powered by <strong>Discuz!</strong> X3.4</p><p>GMT+8, 2023-5-1 10:20, Processed in 0.06 second(s)</p></div>'
    )
    return _page(thread, "综合讨论 - 某某论坛 - Powered by Discuz!", body)


def profile_board(thread: Thread, others: Sequence[str]) -> str:
    """As phpBB's prosilver: a profile list beside each post, its subject as a heading."""
    boxes = []
    for n, post in enumerate(thread.posts):
        quote = (
            f"<blockquote><div><cite>{thread.posts[0].author} 写道：</cite>{escape(post.quote)}</div></blockquote>"
            if post.quote
            else ""
        )
        sign = f'<div id="sig{n}" class="signature">{escape(post.signature)}</div>' if post.signature else ""
        boxes.append(
            f'<div id="p{n}1" class="post has-profile bg{1 + n % 2}"><div class="inner"><dl class="postprofile" id="profile{n}1"><dt><div class="avatar-container">'
            f'<a href="./memberlist.php?mode=viewprofile&u=4{n}" class="avatar"><img></a></div><a href="./memberlist.php?mode=viewprofile&u=4{n}" class="username">{post.author}</a></dt>'
            f'<dd class="profile-rank">论坛新手</dd><dd class="profile-posts"><strong>帖子:</strong> <a href="./search.php?author_id=4{n}">{n * 17 + 3}</a></dd>'
            f'<dd class="profile-joined"><strong>注册时间:</strong> 2019-0{1 + n % 8}-11 18:32</dd></dl><div class="postbody"><div id="post_content{n}1"><h3><a href="#p{n}1">{"" if not n else "Re: "}{escape(thread.title)}</a></h3>'
            f'<ul class="post-buttons"><li><a href="./posting.php?mode=quote&p={n}1" title="引用回复"><span>引用</span></a></li></ul><p class="author"><a class="unread" href="./viewtopic.php?p={n}1#p{n}1">帖子</a>'
            f'<span class="responsive-hide">由 <strong><a href="./memberlist.php?mode=viewprofile&u=4{n}" class="username">{post.author}</a></strong> » </span><time datetime="{post.day}T09:1{n % 10}:00+00:00">{post.day} 17:1{n % 10}</time></p>'
            f'<div class="content">{quote}{_brs(post)}</div>{sign}</div></div><div class="back2top"><a href="#top" class="top">页首</a></div></div></div><hr class="divider" />'
        )
    body = (
        f'<div id="wrap"><div id="page-header"><h1>社区</h1><p>交流的地方</p><ul>{_nav("快速链接 FAQ 登录 注册")}</ul></div><div id="page-body"><h2 class="topic-title"><a href="./viewtopic.php?f=2&t=11">{escape(thread.title)}</a></h2>'
        f'<div class="action-bar"><a href="./posting.php?mode=reply">发表回复</a><div class="pagination">{len(thread.posts)} 篇帖子 • 分页: <strong>1</strong> / <strong>1</strong></div></div>{"".join(boxes)}'
        '<div class="action-bar"><p><a href="./viewforum.php?f=2">返回 “综合”</a></p></div><div class="stat-block"><h3>在线用户</h3><p>正浏览此版面之用户: 没有注册用户 和 3 访客</p></div></div></div>'
    )
    return _page(thread, "社区", body)


def noscript_thread(thread: Thread, others: Sequence[str]) -> str:
    """As Flarum: the page is made in the browser, and what a crawler sees stands in ``noscript``."""
    boxes = "".join(
        f'<div><div class="PostUser"><h3 class="PostUser-name">{post.author}</h3></div><time datetime="{post.day}T03:10:00+00:00">{post.day}</time><div class="Post-body">'
        + (f'<blockquote class="uncited"><div><p>{escape(post.quote)}</p></div></blockquote>' if post.quote else "")
        + f"{_ps(post)}</div></div><hr>"
        for post in thread.posts
    )
    body = (
        f'<div id="app" class="App"><div id="header" class="App-header"><a href="/">某某社区</a></div><main class="App-content"><div id="content"></div></main></div>'
        f'<noscript id="flarum-content"><div class="container"><h1>{escape(thread.title)}</h1><div>{boxes}</div><a href="/d/12?page=2">下一页 »</a></div></noscript><script>var app=1</script>'
    )
    return _page(thread, "某某社区", body)


def cells(thread: Thread, others: Sequence[str]) -> str:
    """As V2EX: the topic in a box of its own, replies in the cells of another."""
    first, *rest = thread.posts
    replies = "".join(
        f'<div id="r_9{n}" class="cell"><table><tr><td width="48"><img class="avatar"></td><td width="10"></td><td><div class="fr"><div class="thank_area"><a href="#;" class="thank">感谢回复者</a></div>'
        f'<span class="no">{n + 1}</span></div><strong><a href="/member/{n}x" class="dark">{post.author}</a></strong> <span class="ago" title="{post.day} 10:00:00 +08:00">{post.day} 10:00:00 +08:00</span>'
        f'<div class="reply_content">{(escape("@" + thread.posts[0].author + " ") + escape(post.quote) + "<br>") if post.quote else ""}{_brs(post)}</div></td></tr></table></div>'
        for n, post in enumerate(rest)
    )
    body = (
        f'<div id="Top"><a href="/">首页</a>{_nav("登录 注册")}</div><div id="Wrapper"><div class="content"><div id="Rightbar"><div class="box"><div class="cell">这是一个关于分享和探索的地方</div><div class="inner"><a href="/signup">现在注册</a></div></div></div>'
        f'<div id="Main"><div class="box"><div class="header"><div class="fr"><a href="/member/zz"><img class="avatar"></a></div><a href="/">首页</a> <span class="chevron">›</span> <a href="/go/qna">问与答</a><div class="sep10"></div>'
        f'<h1>{escape(thread.title)}</h1><small class="gray"><a href="/member/zz">{first.author}</a> · <span title="{first.day} 09:12:31 +08:00">{first.day} 09:12:31</span> · 1250 次点击</small></div>'
        f'<div class="cell"><div class="topic_content"><div class="markdown_body">{_ps(first)}</div></div></div></div><div class="box"><div class="cell"><span class="gray">{len(rest)} 条回复 &nbsp;•&nbsp; 2023-03-01 18:22:12 +08:00</span></div>{replies}</div></div></div></div>'
        '<div id="Bottom"><div class="content">关于 · 帮助文档 · API · 我们的愿景</div></div>'
    )
    return _page(thread, "问与答", body)


def answers(thread: Thread, others: Sequence[str]) -> str:
    """As Stack Overflow: a question and answers with votes, the person's card below, comments below that."""

    def box(n: int, post: Post) -> str:
        kind = "answer" if n else "question"
        quote = f"<blockquote><p>{escape(post.quote)}</p></blockquote>" if post.quote else ""
        return (
            f'<div id="{kind}-6{n}" class="{kind}"><div class="post-layout"><div class="votecell post-layout--left"><div class="js-voting-container"><button>▲</button><div class="js-vote-count">{n * 7 % 30}</div><button>▼</button></div></div>'
            f'<div class="{kind}cell post-layout--right"><div class="s-prose js-post-body" itemprop="text">{quote}{_ps(post)}</div><div class="mt24"><div class="js-post-menu"><a href="/{kind[0]}/6{n}">分享</a><a href="/posts/6{n}/edit">改进这个{"回答" if n else "问题"}</a>'
            f'<button>关注</button></div><div class="post-signature"><div class="user-info"><div class="user-action-time">{"回答于" if n else "提问于"} <span title="{post.day} 11:12:00Z" class="relativetime">{post.day} 11:12</span></div>'
            f'<div class="user-details" itemprop="author"><a href="/users/77{n}/x">{post.author}</a><div class="-flair"><span class="reputation-score">{n * 121 + 11}</span><span>{n}枚铜牌</span></div></div></div></div></div></div></div></div>'
        )

    first, *rest = (box(n, post) for n, post in enumerate(thread.posts))
    body = (
        f'<header><ul>{_nav("问题 标签 用户 登录")}</ul></header><div class="container"><div id="left-sidebar"><ul>{_nav("首页 问题 标签 用户 公司")}</ul></div><div id="content"><div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question">'
        f'<div id="question-header"><h1 itemprop="name"><a href="/questions/60/x" class="question-hyperlink">{escape(thread.title)}</a></h1><a href="/questions/ask">提问</a></div><div class="d-flex"><div>提问于 <time datetime="2023-01-02">1 年前</time></div><div>浏览 3千次</div></div>'
        f'<div id="mainbar">{first}<div id="answers"><div id="answers-header"><h2>{len(rest)} 个回答</h2></div>{"".join(rest)}</div><h2>你的回答</h2><form><textarea></textarea></form></div>'
        f'<div id="sidebar"><h4>相关问题</h4><ul>{_hot(others, "/questions/{}/y")}</ul></div></div></div></div><footer>关于我们 联系我们</footer>'
    )
    return _page(thread, "问答社区", body)


def question_cards(thread: Thread, others: Sequence[str]) -> str:
    """As Zhihu: the question above, answers as cards with the person's line of fame, likes and comments as buttons."""
    first, *rest = thread.posts
    cards = "".join(
        f'<div class="List-item"><div class="ContentItem AnswerItem" itemprop="suggestedAnswer" itemscope itemtype="http://schema.org/Answer"><div class="ContentItem-meta"><div class="AuthorInfo" itemprop="author"><meta itemprop="name" content="{post.author}">'
        f'<span class="UserLink AuthorInfo-name"><a class="UserLink-link" href="//www.example.cn/people/u{n}">{post.author}</a></span><div class="AuthorInfo-badgeText">{("程序员", "历史爱好者", "在读博士")[n % 3]}</div></div><div class="LabelContainer"><span>{n * 33} 人赞同了该回答</span></div></div>'
        f'<meta itemprop="dateCreated" content="{post.day}T10:00:00.000Z"><div class="RichContent"><div class="RichContent-inner"><span class="RichText ztext" itemprop="text">{(f"<blockquote>{escape(post.quote)}</blockquote>") if post.quote else ""}{_ps(post)}</span></div>'
        f'<div class="ContentItem-time"><a href="/question/1/answer/{n}"><span>发布于 {post.day} 10:00</span></a></div><div class="ContentItem-actions"><button>赞同 {n * 33}</button><button>{n} 条评论</button><button>分享</button><button>收藏</button></div></div></div></div>'
        for n, post in enumerate(rest)
    )
    body = (
        f'<header class="AppHeader"><ul>{_nav("首页 发现 等你来答 登录")}</ul></header><main class="App-main"><div class="QuestionPage" itemscope itemtype="http://schema.org/Question"><div class="QuestionHeader"><div class="QuestionHeader-topics"><a href="/topic/1">社会</a><a href="/topic/2">生活</a></div>'
        f'<h1 class="QuestionHeader-title">{escape(thread.title)}</h1><div class="QuestionHeader-detail"><div class="QuestionRichText"><div><span class="RichText ztext">{_ps(first)}</span></div></div></div><div class="QuestionHeader-footer"><div class="NumberBoard"><strong>2,301</strong>关注者<strong>120,331</strong>被浏览</div>'
        f'<button>关注问题</button><button>写回答</button></div></div><div class="Question-main"><div class="List"><div class="List-header"><h4><span>{len(rest)} 个回答</span></h4><button>默认排序</button></div>{cards}</div>'
        f'<div class="Question-sideColumn"><div class="Card"><h3>相关问题</h3><ul>{_hot(others, "/question/{}")}</ul></div></div></div></div></main>'
    )
    return _page(thread, "知道社区", body)


def crawler_thread(thread: Thread, others: Sequence[str]) -> str:
    """As Discourse for crawlers: posts with microdata, replies as comments of the first."""

    def box(n: int, post: Post) -> str:
        quote = (
            f'<aside class="quote no-group"><div class="title">{thread.posts[0].author}:</div><blockquote><p>{escape(post.quote)}</p></blockquote></aside>'
            if post.quote
            else ""
        )
        return (
            f'<div {"" if not n else "itemprop=comment itemscope itemtype=http://schema.org/Comment "}id="post_{n + 1}" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator" itemprop="author" itemscope itemtype="http://schema.org/Person">'
            f'<a rel="nofollow" itemprop="url" href="https://example.cn/u/u{n}"><span itemprop="name">{post.author}</span></a></span><span class="crawler-post-infos"><time itemprop="datePublished" datetime="{post.day}T09:00:00Z" class="post-time">{post.day[5:7]} 月 {post.day[8:]}, 2023, 9:00 上午</time>'
            f'<span itemprop="position">{n + 1}</span></span></div><div class="post" itemprop="text">{quote}{_ps(post)}</div><div itemprop="interactionStatistic"><span class="post-likes">{n} 个赞</span></div></div>'
        )

    boxes = "".join(box(n, post) for n, post in enumerate(thread.posts))
    related = "".join(
        f'<tr class="topic-list-item"><td class="main-link"><a href="/t/x/{n}" class="title raw-link">{escape(title)}</a></td><td class="replies"><span>{n}</span></td><td>{n} 2023 年 3 月 {n + 1} 日</td></tr>'
        for n, title in enumerate(others[:5])
    )
    body = (
        f'<header><a href="/">技术论坛</a></header><div id="main-outlet" class="wrap"><div id="topic-title"><h1><a href="/t/topic/881">{escape(thread.title)}</a></h1><div class="topic-category"><a href="/c/1" class="badge-wrapper"><span class="category-name">使用问题</span></a></div></div>'
        f'<div itemscope itemtype="http://schema.org/DiscussionForumPosting"><meta itemprop="headline" content="{escape(thread.title)}">{boxes}</div><div id="related-topics"><h3>相关话题</h3><table class="topic-list"><tr><th>话题</th><th>回复</th><th>活动</th></tr>{related}</table></div></div>'
        '<footer class="container wrap"><ul><li><a href="/">首页</a></li><li><a href="/categories">类别</a></li></ul><p>Powered by Discourse</p></footer>'
    )
    return _page(thread, "使用问题 - 技术论坛", body)


def list_board(thread: Thread, others: Sequence[str]) -> str:
    """As vBulletin 4: posts are list items with a head, the person's details on the left, a signature and a foot."""
    boxes = []
    for n, post in enumerate(thread.posts):
        quote = (
            f'<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div class="bbcode_postedby">引用 <strong>{thread.posts[0].author}</strong> 的帖子</div><div class="message">{escape(post.quote)}</div></div></div></div>'
            if post.quote
            else ""
        )
        sign = (
            f'<blockquote class="signature restore"><div class="signaturecontainer">{escape(post.signature)}</div></blockquote>'
            if post.signature
            else ""
        )
        boxes.append(
            f'<li class="postbitlegacy postbitim postcontainer" id="post_66{n}"><div class="posthead"><span class="postdate old"><span class="date">{post.day}, <span class="time">1{n % 10}:05</span></span></span><span class="nodecontrols"><a href="showthread.php?t=9&p=66{n}" class="postcounter">#{n + 1}</a></span></div>'
            f'<div class="postdetails"><div class="userinfo"><div class="username_container"><a class="username offline" href="member.php?{n}-x"><strong>{post.author}</strong></a></div><span class="usertitle">中级会员</span><dl class="userinfo_extra"><dt>注册日期</dt><dd>2018年0{1 + n % 8}月</dd><dt>帖子</dt><dd>{n * 19 + 2}</dd></dl></div>'
            f'<div class="postbody"><div class="postrow"><h2 class="title icon">{"回复: " if n else ""}{escape(thread.title)}</h2><div class="content"><div id="post_message_66{n}"><blockquote class="postcontent restore">{quote}{_brs(post)}</blockquote></div></div></div>{sign}</div></div>'
            f'<div class="postfoot"><div class="textcontrols"><span class="postcontrols"><a href="newreply.php?do=newreply&p=66{n}" class="quickreply">回复</a><a href="newreply.php?p=66{n}" class="newreply">引用回复</a></span></div></div></li>'
        )
    body = (
        f'<div class="above_body"><ul>{_nav("论坛首页 新帖 常见问题 日历 社区")}</ul></div><div class="body_wrapper"><div class="breadcrumb"><ul class="floatcontainer"><li><a href="forum.php">论坛</a></li><li><a href="forumdisplay.php?f=3">车友交流</a></li><li class="lastnavbit">{escape(thread.title)}</li></ul></div>'
        f'<div id="pagetitle"><h1>主题: <span class="threadtitle"><a href="showthread.php?t=9">{escape(thread.title)}</a></span></h1></div><div id="postlist"><ol id="posts" class="posts">{"".join(boxes)}</ol></div>'
        f'<div id="similar_threads"><h4>相似主题</h4><ul>{_hot(others, "showthread.php?t={}")}</ul></div><div class="thread_info"><h4>发帖规则</h4><ul><li>您<strong>不能</strong>发新主题</li><li>您<strong>不能</strong>回复主题</li></ul></div></div>'
    )
    return _page(thread, "车友论坛", body)


def component_topic(thread: Thread, others: Sequence[str]) -> str:
    """As NodeBB: posts are list items of components, with the tools below."""
    boxes = "".join(
        f'<li component="post" class="pt-4" data-index="{n}" data-pid="5{n}" itemprop="comment" itemtype="http://schema.org/Comment" itemscope><a component="post/anchor" id="{n}"></a><meta itemprop="datePublished" content="{post.day}T02:00:00.000Z"><div class="d-flex post-container-parent"><div class="bg-body"><a href="/user/u{n}"><span class="avatar">{post.author[0]}</span></a></div>'
        f'<div class="post-container"><div class="post-header" itemprop="author"><a class="fw-bold" href="/user/u{n}" data-username="{post.author}">{post.author}</a> <span class="text-muted">写于 <a href="/post/5{n}"><span class="timeago" title="{post.day}T02:00:00.000Z">{post.day}</span></a></span><a href="/post/5{n}" class="post-index">#{n + 1}</a></div>'
        f'<div class="content text-break" component="post/content" itemprop="text">{(f"<blockquote><p>{escape(post.quote)}</p></blockquote>") if post.quote else ""}{_ps(post)}</div><div component="post/footer" class="post-footer">{(f"<div component=post/signature data-uid={n} class=text-muted>{escape(post.signature)}</div>") if post.signature else ""}'
        f'<div component="post/actions" class="post-tools"><a component="post/reply" href="#">回复</a><a component="post/quote" href="#">引用</a><span class="votes"><a>赞</a> {n}</span></div></div></div></div></li>'
        for n, post in enumerate(thread.posts)
    )
    body = (
        f'<nav>{_nav("版块 最新 标签 热门 用户")}</nav><main id="panel"><ol class="breadcrumb"><li><a href="/">主页</a></li><li><a href="/category/2">灌水区</a></li><li>{escape(thread.title)}</li></ol><div itemid="/topic/3" itemscope itemtype="https://schema.org/DiscussionForumPosting"><meta itemprop="headline" content="{escape(thread.title)}"><h1 component="post/header"><span component="topic/title">{escape(thread.title)}</span></h1>'
        f'<div class="topic-info"><a href="/category/2">灌水区</a><span>{len(thread.posts)} 帖子 3 发布者 502 浏览</span></div><ul component="topic" class="posts timeline list-unstyled">{boxes}</ul></div></main>'
    )
    return _page(thread, "灌水区 - 某某", body)


def floors(thread: Thread, others: Sequence[str]) -> str:
    """As Tieba: floors with the person on the left, and the client, the floor and the time in the tail."""
    boxes = "".join(
        f'<div class="l_post l_post_bright j_l_post clearfix"><div class="d_author"><ul class="p_author"><li class="icon"><div class="icon_relative"><a href="/home/main?id=t{n}" class="p_author_face"><img></a></div></li><li class="d_name"><a class="p_author_name j_user_card" href="/home/main?id=t{n}">{post.author}</a></li>'
        f'<li class="l_badge"><div class="p_badge"><a href="/f/like/level"><div class="d_badge_title">初级粉丝</div><div class="d_badge_lv">{n % 9 + 1}</div></a></div></li></ul></div><div class="d_post_content_main"><div class="p_content"><cc><div class="j_d_post_content_bubble"></div><div id="post_content_14{n}" class="d_post_content j_d_post_content">{_brs(post) if not post.quote else escape(post.quote) + "<br>" + _brs(post)}</div></cc>'
        f'{(f"<div class=user-sign>{escape(post.signature)}</div>") if post.signature else ""}</div><div class="core_reply j_lzl_wrapper"><div class="core_reply_tail"><div class="post-tail-wrap"><span class="tail-info">来自<a href="/c/s">Android客户端</a></span><span class="tail-info">{n + 1}楼</span><span class="tail-info">{post.day} 14:0{n % 10}</span><a href="#" class="lzl_link_unfold">回复</a></div></div></div></div></div>'
        for n, post in enumerate(thread.posts)
    )
    body = (
        f'<div id="head"><ul>{_nav("新闻 网页 贴吧 知道 音乐")}</ul></div><div class="wrap2"><div class="card_top"><a class="card_title_fname" href="/f?kw=x">读书吧</a><span class="card_menNum">312,221</span></div><div id="pb_content"><div class="left_section"><div class="core_title_wrap_bright"><h3 class="core_title_txt" title="{escape(thread.title)}">{escape(thread.title)}</h3>'
        f'<ul class="core_title_btns"><li><a href="#">只看楼主</a></li><li><a href="#">收藏</a></li><li><a href="#">回复</a></li></ul></div><div class="p_postlist" id="j_p_postlist">{boxes}</div><div class="l_thread_info"><ul><li>{len(thread.posts) - 1}回复贴，共1页</li></ul></div></div><div class="right_section"><div class="topic_list"><h4>贴吧热议榜</h4><ul>{_hot(others, "/p/{}")}</ul></div></div></div></div>'
        '<div class="editor"><p>发表回复</p><p>发贴请遵守贴吧协议及“七条底线”</p></div>'
    )
    return _page(thread, "读书吧 - 贴吧", body)


def accepted(thread: Thread, others: Sequence[str]) -> str:
    """As SegmentFault: the question as an article, answers below it, JSON-LD of a page of questions."""
    first, *rest = thread.posts
    cards = "".join(
        f'<div class="answer-item card" id="a-10{n}"><div class="card-body"><div class="d-flex"><a class="avatar" href="/u/u{n}"><img></a><strong><a href="/u/u{n}">{post.author}</a></strong> <span class="text-secondary">{n * 13}</span></div>'
        f'<div class="article fmt article-content">{(f"<blockquote><p>{escape(post.quote)}</p></blockquote>") if post.quote else ""}{_ps(post)}</div><div class="functional-area"><span>有用 {n}</span><a href="#">回复</a><time datetime="{post.day}">{post.day}</time></div></div></div>'
        for n, post in enumerate(rest)
    )
    body = (
        f'<nav>{_nav("首页 问答 专栏 讲堂 活动")}</nav><div class="container"><div class="row"><div class="col-left"><div class="question-detail card"><h1 class="h3"><a href="/q/101">{escape(thread.title)}</a></h1><div class="author-line"><a href="/u/first"><img class="avatar"></a><a href="/u/first"><strong>{first.author}</strong></a><span>发布于 <time datetime="{first.day}">{first.day}</time></span></div>'
        f'<article class="article fmt article-content">{_ps(first)}</article><div class="tags"><a href="/t/python">python</a><a href="/t/linux">linux</a></div><div class="functional-area"><span>阅读 1.2k</span><a href="#">关注</a><a href="#">收藏</a></div></div><div class="answers"><h2>{len(rest)} 个回答</h2>{cards}</div></div>'
        f'<div class="col-right"><h4>相似问题</h4><ul>{_hot(others, "/q/{}")}</ul></div></div></div>'
    )
    head = '<script type="application/ld+json">{"@context":"https://schema.org","@type":"QAPage","mainEntity":{"@type":"Question","name":"x"}}</script>'
    return _page(thread, "问答", body, head)


def timeline(thread: Thread, others: Sequence[str]) -> str:
    """As issues on GitHub: comments on a timeline, among events."""
    boxes = []
    for n, post in enumerate(thread.posts):
        quote = f"<blockquote><p>{escape(post.quote)}</p></blockquote>" if post.quote else ""
        boxes.append(
            f'<div class="TimelineItem js-comment-container"><div class="avatar-parent-child"><a href="/user{n}"><img class="avatar"></a></div><div class="timeline-comment-group" id="issuecomment-{n}"><div class="timeline-comment"><div class="timeline-comment-header"><h3 class="f5"><strong><a class="author" href="/user{n}">{post.author}</a></strong> commented '
            f'<a href="#issuecomment-{n}" class="js-timestamp"><relative-time datetime="{post.day}T05:00:00Z">{post.day}</relative-time></a></h3><span class="Label">{"Author" if not n else "Contributor"}</span></div><div class="edit-comment-hide"><div class="comment-body markdown-body">{quote}{_ps(post)}</div>'
            '<div class="comment-reactions"><button>👍 3</button></div></div></div></div></div>'
        )
        if n % 2:
            boxes.append(
                f'<div class="TimelineItem"><div class="TimelineItem-badge"></div><div class="TimelineItem-body"><a class="author" href="/user{n}">{post.author}</a> added the <a href="/labels/bug" class="IssueLabel">bug</a> label <relative-time datetime="{post.day}">{post.day}</relative-time></div></div>'
            )
    body = (
        f'<header>{_nav("Product Solutions Pricing Search")}</header><main><nav><a href="/x/y">Code</a><a href="/x/y/issues">Issues</a><a href="/x/y/pulls">Pull requests</a></nav><div class="gh-header"><h1 class="gh-header-title"><bdi class="js-issue-title markdown-title">{escape(thread.title)}</bdi> <span class="f1-light">#214</span></h1>'
        f'<div class="gh-header-meta"><span class="State">Open</span><a class="author" href="/user0">{thread.posts[0].author}</a> opened this issue <relative-time datetime="{thread.posts[0].day}">{thread.posts[0].day}</relative-time> · {len(thread.posts) - 1} comments</div></div><div class="js-discussion js-quote-selection-container">{"".join(boxes)}</div>'
        '<div class="Layout-sidebar"><div>Assignees</div><p>No one assigned</p><div>Labels</div><div>Projects</div><p>None yet</p></div></main><footer>© 2023 Terms Privacy Security</footer>'
    )
    return _page(thread, "Issue #214 · x/y", body)


LAYOUTS: dict[str, tuple[str, Callable[[Thread, Sequence[str]], str]]] = {
    "table board": ("http://bbs.a.example/forum.php?mod=viewthread&tid=5", table_board),
    "profile board": ("http://www.b.example/phpbb/viewtopic.php?f=2&t=11", profile_board),
    "noscript thread": ("http://discuss.c.example/d/12-x", noscript_thread),
    "cells": ("http://www.d.example/t/98123", cells),
    "answers": ("http://www.e.example/questions/60/x", answers),
    "question cards": ("http://www.f.example/question/1", question_cards),
    "crawler thread": ("http://forum.g.example/t/topic/881", crawler_thread),
    "list board": ("http://www.h.example/showthread.php?t=9", list_board),
    "component topic": ("http://www.i.example/topic/3/x", component_topic),
    "floors": ("http://tieba.j.example/p/80575", floors),
    "accepted": ("http://www.k.example/q/101", accepted),
    "timeline": ("http://www.l.example/x/y/issues/214", timeline),
}
"""Name of a layout to the address of its pages and what makes one."""


# -- Pages that are no threads


def commented_article(thread: Thread, others: Sequence[str]) -> str:
    """A post of a blog with comments below it, each with a person and a day."""
    first, *rest = thread.posts
    comments = "".join(
        f'<li id="comment-{n}" class="comment even depth-1"><article class="comment-body"><footer class="comment-meta"><div class="comment-author vcard"><b class="fn"><a href="http://blog{n}.example">{post.author}</a></b><span class="says">说道：</span></div><div class="comment-metadata"><time datetime="{post.day}">{post.day} 在 10:0{n % 10}</time></div></footer>'
        f'<div class="comment-content">{_ps(post)}</div><div class="reply"><a href="#respond">回复</a></div></article></li>'
        for n, post in enumerate(rest)
    )
    body = (
        f'<header><h2><a href="/">小林的博客</a></h2><ul>{_nav("首页 归档 关于")}</ul></header><main><article class="post"><h1 class="entry-title">{escape(thread.title)}</h1><div class="entry-meta"><time datetime="{first.day}">{first.day}</time> <span class="author">{first.author}</span></div><div class="entry-content">{_ps(first)}</div></article>'
        f'<div id="comments"><h2>{len(rest)} 条评论</h2><ol class="comment-list">{comments}</ol><h3>发表评论</h3></div></main><footer>© 2023 小林</footer>'
    )
    return _page(thread, "小林的博客", body)


def excerpts(thread: Thread, others: Sequence[str]) -> str:
    """A home page of a blog: the first lines of each post under its headline, with a person and a day."""
    boxes = "".join(
        f'<article class="post"><h2 class="post-title"><a href="/post/{n}.html">{escape(title)}</a></h2><div class="post-meta"><span class="author">{post.author}</span> <time datetime="{post.day}">{post.day}</time></div><div class="post-content">{_ps(post)}<p><a href="/post/{n}.html">阅读全文 »</a></p></div></article>'
        for n, (post, title) in enumerate(zip(thread.posts, others, strict=False))
    )
    return f"<html><head><title>小林的博客</title></head><body><header><h1><a href='/'>小林的博客</a></h1><ul>{_nav('首页 归档 关于')}</ul></header><main>{boxes}<a href='/page/2'>下一页</a></main></body></html>"


def board(thread: Thread, others: Sequence[str]) -> str:
    """The threads of a forum's board, each with a person and a day."""
    rows = "".join(
        f'<tbody id="normalthread_{n}"><tr><td class="icn"><a href="thread-{n}-1-1.html"></a></td><th class="common"><a href="thread-{n}-1-1.html" class="s xst">{escape(title)}</a></th><td class="by"><cite><a href="space-uid-{n}.html">{NAMES[n % 12]}</a></cite><em><span>2023-3-{n + 1}</span></em></td><td class="num"><a href="thread-{n}-1-1.html">{n * 3}</a><em>{n * 211}</em></td>'
        f'<td class="by"><cite><a href="space-uid-1.html">Echo</a></cite><em><a href="#">2023-4-{n + 1} 10:20</a></em></td></tr></tbody>'
        for n, title in enumerate(others[:20])
    )
    return f"<html><head><title>综合讨论 - 某某论坛</title></head><body><ul>{_nav('门户 论坛 导读')}</ul><h1><a href='forum-2-1.html'>综合讨论</a></h1><p>版主: 老王</p><table id='threadlisttableid'>{rows}</table></body></html>"


NO_THREADS: dict[str, tuple[str, str, Callable[[Thread, Sequence[str]], str]]] = {
    "commented article": ("http://www.m.example/archives/1234.html", "article", commented_article),
    "excerpts": ("http://www.n.example/", "home", excerpts),
    "board": ("http://bbs.o.example/forum-2-1.html", "list", board),
}
"""Name of a layout to its address, the kind of its pages, and what makes one."""


def make_threads(path: Path) -> Iterator[GoldPage]:
    """:data:`THREADS` pages of each layout of texts in JSON Lines, each with a title and a text."""
    texts = [(story.title, story.paragraphs) for story in read_stories(path) if len(story.paragraphs) > 2][:600]
    titles = [title for title, _ in texts]
    for name, (url, layout) in LAYOUTS.items():
        for seed in range(THREADS):
            thread = make_thread(seed, texts)
            yield GoldPage(url, layout(thread, random.Random(seed).sample(titles, 20)), thread.text, name)


def make_no_threads(path: Path) -> Iterator[GoldPage]:
    """:data:`THREADS` pages of each of :data:`NO_THREADS`, which is their site; their text is unknown."""
    texts = [(story.title, story.paragraphs) for story in read_stories(path) if len(story.paragraphs) > 2][:600]
    titles = [title for title, _ in texts]
    for name, (url, _, layout) in NO_THREADS.items():
        for seed in range(THREADS):
            html = layout(make_thread(seed, texts, replies=7), random.Random(seed).sample(titles, 20))
            yield GoldPage(url, html, "", name)
