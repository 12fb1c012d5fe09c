"""Threads: their posts in order, without what stands around them."""

import random
import re

import pytest
from forum_layouts import LAYOUTS, NO_THREADS, Post, Thread, make_thread
from forum_variants import HARD_LAYOUTS, VARIANTS
from text_scores import ngram_f1

from topical_crawler.extraction.extract import Extracted, extract

SUBJECTS = ("支部", "社区", "合作社", "图书馆", "列车", "车间", "渡口", "医院", "果园", "剧团", "学校", "码头")
TEXTS = [
    (
        f"{subject}里的一天是怎样过的",
        [
            f"{subject}的人{when}就开始忙了，{what}，谁也不肯先走。"
            for when, what in (("清早", "有人扫雪，有人生火"), ("午后", "来信念了一遍又一遍"), ("傍晚", "账目对到最后一行"))
        ],
    )
    for subject in SUBJECTS
]
TITLES = [title for title, _ in TEXTS] + [f"{subject}的老照片谁还留着" for subject in SUBJECTS]


def read(layout: str, thread: Thread) -> Extracted:
    url, make = (LAYOUTS | HARD_LAYOUTS)[layout]
    return extract(make(thread, TITLES), url, fetched="2024-01-01T00:00:00+00:00")


def board(body: str, title: str = "支部里的一天", url: str = "http://bbs.example.cn/threads/1/") -> Extracted:
    return extract(f"<html><head><title>{title}</title></head><body>{body}</body></html>", url)


def lines_of(*numbers: int) -> list[str]:
    """The lines of some of the texts."""
    return [line for n in numbers for line in TEXTS[n][1]]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", [0, 3])
def test_a_thread_is_its_posts_in_order(layout: str, seed: int) -> None:
    thread = make_thread(seed, TEXTS, replies=5)
    found = read(layout, thread)
    assert (found.kind, found.method, found.reason) == ("forum", "forum", "")
    assert ngram_f1(found.text, thread.text) > 0.9
    assert found.text.startswith(thread.posts[0].lines[0])
    assert found.text.endswith(thread.posts[-1].lines[-1])
    assert not any(word in found.text for word in ("举报", "积分", "注册", "赞同", "出售二手书", "发表于", "楼\n"))


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "question cards"])
def test_author_and_day_are_those_of_the_first_post(layout: str) -> None:
    names = ("山野清风", "Echo", "老王说事")
    posts = [Post(name, f"2023-02-1{n}", TEXTS[n][1]) for n, name in enumerate(names)]
    found = read(layout, Thread("支部里的一天是怎样过的", posts))
    assert (found.title, found.author, found.date) == ("支部里的一天是怎样过的", "山野清风", "2023-02-10")


def test_a_day_given_in_utc_is_that_in_beijing() -> None:
    url, make = LAYOUTS["crawler thread"]
    posts = [Post("Echo", f"2023-02-1{n}", text) for n, (_, text) in enumerate(TEXTS[:3])]
    html = make(Thread("支部里的一天是怎样过的", posts), TITLES).replace("T09:00:00Z", "T20:00:00Z")
    assert extract(html, url).date == "2023-02-11"


@pytest.mark.parametrize("layout", ["table board", "profile board", "answers", "crawler thread", "list board"])
def test_what_is_quoted_of_an_earlier_post_is_there_once(layout: str) -> None:
    posts = [Post(f"老王{n}", "2023-02-11", text) for n, (_, text) in enumerate(TEXTS[:4])]
    from_elsewhere = "古人说得好：欲穷千里目，更上一层楼。"
    posts[2] = Post("Echo", "2023-02-12", posts[2].lines, quote=posts[0].lines[0])
    posts[3] = Post("Momo", "2023-02-12", posts[3].lines, quote=from_elsewhere)
    found = read(layout, Thread("支部里的一天是怎样过的", posts))
    assert found.text.count(posts[0].lines[0]) == 1
    quotes = [found.text.split("\n")[int(line)] for line, _, kind, *_ in found.layout if kind == "quote"]
    assert quotes == [from_elsewhere]


@pytest.mark.parametrize("layout", ["answers", "accepted", "question cards", "cells"])
def test_a_question_with_one_answer(layout: str) -> None:
    thread = make_thread(3, TEXTS, replies=1)
    found = read(layout, thread)
    assert found.kind == "forum"
    assert ngram_f1(found.text, thread.text) > 0.9


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_thread_with_one_post_is_kept(layout: str) -> None:
    thread = Thread("支部里的一天是怎样过的", [Post("Echo", "2023-02-11", [line for _, text in TEXTS[:3] for line in text])])
    found = read(layout, thread)
    assert found.reason == ""
    assert ngram_f1(found.text, thread.text) > 0.85


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("layout", HARD_LAYOUTS)
def test_old_and_odd_boards(layout: str, variant: str) -> None:
    names = ("山野清风", "Echo", "老王说事", "北方的狼")
    posts = [Post(name, f"2023-02-1{n}", TEXTS[n][1], signature="海阔凭鱼跃。") for n, name in enumerate(names)]
    thread = VARIANTS[variant](Thread("支部里的一天是怎样过的", posts), random.Random(2))
    found = read(layout, thread)
    assert found.reason == ""
    assert ngram_f1(found.text, thread.text) > 0.5  # so little text is hard to tell from what stands around it
    if not variant and layout != "nameless floors":
        assert (found.kind, found.text.split("\n")[-1]) == ("forum", thread.posts[-1].lines[-1])
        assert ngram_f1(found.text, thread.text) > 0.9


def test_posts_of_which_only_those_of_one_person_have_a_class() -> None:
    notice = "<div class='alert'>请注意：本主题已经很久没有人回复，内容可能早已过时。</div>"
    posts = "".join(
        f"<li {'class=owner-post' * (n % 2 == 0)}><a href='/user/{n}'>老王{n}</a><time>2024-03-0{n + 1}</time>"
        f"<div class='content'>{'<br>'.join(TEXTS[n][1])}</div></li>"
        for n in range(4)
    )
    found = board(f"<h1>支部里的一天</h1>{notice}<ul class='replies'>{posts}</ul>")
    assert found.text.split("\n") == lines_of(0, 1, 2, 3)


def test_a_post_of_one_line_that_was_edited() -> None:
    found = read("table board", Thread("支部里的一天是怎样过的", [Post("Echo", "2023-02-11", TEXTS[0][1][:1])]))
    assert (found.kind, found.text) == ("forum", TEXTS[0][1][0])


@pytest.mark.parametrize("layout", NO_THREADS)
def test_what_only_looks_like_a_thread_is_none(layout: str) -> None:
    url, kind, make = NO_THREADS[layout]
    for seed in range(4):
        thread = make_thread(seed, TEXTS, replies=7)
        found = extract(make(thread, random.Random(seed).sample(TITLES, 20)), url)
        assert found.kind == kind
        assert bool(found.text) == (kind == "article")


@pytest.mark.parametrize(
    "body",
    [
        "<div class=post><a href='/user/1'>x</a><i>2024-03-01</i><p>请问怎样入党呢？" * 300,
        "<h2>怎样入党</h2>" * 2_000,
        "<div class=post><a href='/user/1'>小林</a> <i>2024-03-01</i></div>" * 700,
        f"<div class=post><a href='/user/1'>小林</a><i>2024-03-01</i>{'党' * 100_000}</div>" * 2,
        "<a href='/2024/'>2024-03-01</a>",
        "<table><tr>" + "<td><a href='/user/1'>小林</a> 2024-03-01<td>党员" * 1_000,
    ],
    ids=["nested", "headings", "empty posts", "long posts", "no text", "cells"],
)
def test_odd_pages_do_no_harm(body: str) -> None:
    found = board(f"<h1>怎样入党</h1>{body}", "怎样入党", LAYOUTS["table board"][0])
    assert found.reason in ("", "no text", "list page", "tag page")


def marked_posts(count: int) -> str:
    """Posts of which the first has a class more, each with the person who wrote it, a day and a long signature."""
    return "".join(
        f"<article class='message message--post {'message--starter' * (not n)}'><h4><a href='/members/{n}/'>老王{n}</a></h4>"
        f"<time datetime='2024-03-0{n + 1}'>2024-03-0{n + 1}</time><div class='message-body'>{'<br>'.join(TEXTS[n][1])}</div>"
        f"<aside class='message-signature'>{'长期出售二手书，价格面议，有意私聊。' * 12}</aside></article>"
        for n in range(count)
    )


@pytest.mark.parametrize("count", [2, 4])
def test_a_frame_with_the_name_of_its_column_and_a_first_post_of_its_own_kind(count: int) -> None:
    side = "<div class='p-sidebar'><h3>最新主题</h3><ul><li><a href='/threads/9/'>春天里的一次义务劳动</a> 刚刚</li></ul></div>"
    main = f"<div class='p-main p-main--withSidebar'><div class='posts'>{marked_posts(count)}</div>{side}</div>"
    found = board(f"<h1>支部里的一天是怎样过的</h1>{main}", "支部里的一天是怎样过的 | 某论坛")
    assert (found.kind, found.text.split("\n")) == ("forum", lines_of(*range(count)))


def test_a_thread_for_those_without_scripts() -> None:
    url, make = LAYOUTS["crawler thread"]
    thread = make_thread(5, TEXTS, replies=4)
    body = make(thread, TITLES).partition("<body>")[2].partition("</body>")[0].replace("noscript", "div")
    found = board(f"<div id='app'>正在加载</div><noscript>{body}</noscript>", thread.title, url)
    assert (found.kind, found.text) == ("forum", read("crawler thread", thread).text)


def test_comments_on_one_of_few_posts_are_not_the_thread() -> None:
    """A question with long comments, and two answers, of which one is accepted."""
    comments = "".join(
        f"<div class='comment-body'><span>{line}</span><a class='user' href='/users/{n}'>小李</a> 2024-03-02 10:0{n}</div>"
        for n, line in enumerate(TEXTS[3][1][:3])
    )
    kinds = ("question", "answer js-answer accepted", "answer js-answer")
    boxes = [
        f"<div class='{kind}'><div class='post-layout--right'><div class='js-post-body'>{'<br>'.join(text)}</div>"
        f"<a class='user' href='/users/{n}'>老王{n}</a><time>2024-03-0{n + 1}</time></div>{comments if not n else ''}</div>"
        for n, (kind, (_, text)) in enumerate(zip(kinds, TEXTS, strict=False))
    ]
    body = f"<h1>支部里的一天是怎样过的？</h1><div class='question-page'>{''.join(boxes)}</div>"
    found = board(body, "支部里的一天是怎样过的？", "http://ask.example.cn/questions/1")
    assert (found.kind, found.text.split("\n")) == ("forum", lines_of(0, 1, 2))


def test_a_question_and_its_only_answer_are_found_around_comments() -> None:
    """Comments are boxes of one kind with persons and days, but metadata say which box is the answer."""
    comments = "".join(
        f"<li class=comment><a href='/users/{n}' class=user>老王{n}</a> <span class=date>2024-03-0{n}</span>"
        f"<div class=text>第{n}条评论：这要看支部大会怎么讨论，也要看本人的情况，先把情况说清楚再问。</div></li>"
        for n in (1, 2, 3)
    )
    html = (
        "<html><body itemscope itemtype='https://schema.org/QAPage'><h1>预备期可以延长吗</h1>"
        "<div class=question itemtype='https://schema.org/Question'>"
        "<a class=user href='/users/8'>小林</a> <i class=date>2024-03-01</i>"
        "<div class=body>预备党员的预备期为一年，如果表现不好，可以延长预备期吗？最长能延长多久？</div>"
        f"<div class=comments><ul>{comments}</ul></div></div>"
        "<h2>1 个回答</h2><div class=answer itemprop=acceptedAnswer itemscope itemtype='https://schema.org/Answer'>"
        "<div class=body>可以延长一次，延长时间不能少于半年，最长不超过一年，由支部大会讨论决定。</div>"
        "<a class=user href='/users/9'>老李</a> <i class=date>2024-03-05</i></div></body></html>"
    )
    text = extract(html, "https://wenda.example.cn/questions/17").text
    assert "可以延长一次，延长时间不能少于半年" in text and "最长能延长多久" in text


def test_links_to_the_posts_that_are_quoted_are_no_headlines_of_other_pages() -> None:
    posts = "".join(
        f"<article class='post'><a href='/members/{n}' class='user'>老王{n}</a> <time>2024-03-0{n + 1}</time>"
        + (
            "<div class='code--quote'><div class='code-title'><a href='/goto/post?id=8'>老王同志此前说过的话：</a></div>"
            f"<div>{TEXTS[0][1][0]}</div></div>"
            if n
            else ""
        )
        + f"<div class='text'>{'<br>'.join(text)}</div></article>"
        for n, (_, text) in enumerate(TEXTS[:3])
    )
    found = board(f"<h1>支部里的一天</h1><div>{posts}</div>")
    assert (found.kind, found.text.split("\n")) == ("forum", lines_of(0, 1, 2))


def test_replies_within_the_first_post() -> None:
    def post(n: int, kind: str, inner: str = "") -> str:
        body = "".join(f"<p>{line}</p>" for line in TEXTS[n][1])
        head = f"<a href='/members/{n}' class='author'>老王{n}</a> <time>2024-03-0{n + 1}</time>"
        return f"<article class='message {kind}'><header>{head}</header><div class='message-body'>{body}</div>{inner}</article>"

    thread = post(0, "topic-with-replies", f"<ul><li>{post(1, 'solved')}</li></ul>")
    found = board(thread, "一天", "http://club.example.cn/discussions/questions/4498848")
    assert (found.kind, found.text.split("\n")) == ("forum", lines_of(0, 1))


def test_comments_headed_as_replies_are_posts() -> None:
    """Nothing but the headlines tells that these are not comments on an article."""
    replies = "".join(
        f"<div class='comment'><h3>Re: 支部里的一天</h3><a href='/user/{n}' class='username'>老王{n}</a> 2024-03-0{n + 1} 10:00"
        f"<div class='content'><p>{'甲乙丙'[n - 1]}书记, 2024-03-01 09:0{n} :</p><blockquote>{TEXTS[0][1][0]}</blockquote>"
        f"{'<br>'.join(text)}</div></div>"
        for n, (_, text) in enumerate(TEXTS[1:4])
    )
    content = f"<div class='content'>{'<br>'.join(TEXTS[0][1])}</div>"
    first = f"<div class='node'><h3>支部里的一天</h3>小林 2024-03-01 08:00{content}</div>"
    found = board(f"{first}<div id='comments'>{replies}</div>", url="http://www.example.cn/node/11275")
    assert (found.kind, found.text.split("\n")) == ("forum", lines_of(0, 1, 2, 3))


def test_a_text_right_around_short_replies_is_kept() -> None:
    """As on boards of Taiwan: the text is in no box, and those who reply have longer names than replies."""
    body = "\n".join(TEXTS[0][1])
    said = [line[:6] for _, text in TEXTS[1:] for line in text][:12]
    replies = "".join(
        f"<div class='push'><span class='tag'>推</span> <span class='push-userid'>somebody_{line[:2]}_{n}</span>"
        f"<span class='push-content'>: {line}</span><span class='push-ipdatetime'> 07/12 14:{n}</span></div>"
        for n, line in enumerate(said, start=10)
    )
    main, url = "<div id='main-content' class='bbs-content'>{}</div>", "https://forum.ptt.example/M.14.html"
    assert TEXTS[0][1][0] in board(main.format(body + replies), "生活", url).text
    only = board(main.format(replies), "生活", url)
    assert (only.kind, only.text.split("\n")) == ("forum", [f": {line}" for line in said])
    named = re.sub(r"somebody_.._(\d+)", lambda name: f"somebody_{chr(87 + int(name[1])) * 6}", replies)
    assert all(line in board(main.format(named), "生活", url).text for line in said)


@pytest.mark.parametrize(("text", "other"), [("message", "message mt-1"), ("post-text", "post-text reply"), ("con", "con")])
def test_a_first_post_above_boxes_called_posts_is_told_by_the_class_of_its_text(text: str, other: str) -> None:
    first = "渡口的船修好以后一直没有人敢坐，昨天我带着两个孩子去试了一趟，顺利得很。"
    lines = ("水位高的时候也能开吗？", "我上星期坐过，稳当。", "船钱还是两块，没有涨。", "下回叫上我，一起去看看。")
    head = "<a href='/user-{0}.htm' class=username>{1}</a> <span>2024-05-0{0}</span>"
    box = f"<li class='media post'>{head}<div class='{{2}}'><p>{{3}}</p></div></li>"
    posts = "".join(box.format(n, name, other, line) for n, (name, line) in enumerate(zip("林周陈许", lines, strict=True), 1))
    opening = f"<h4>新船坐得吗</h4><div><span class=username>阿树</span> 2024-05-01</div><div class='{text}'><p>{first}</p></div>"
    body = f"<div class=card>{opening}</div><ul class=postlist>{posts}</ul>"
    assert board(body, "新船坐得吗", "https://bbs.example.cn/thread-7.htm").text.split("\n") == [first, *lines]
