"""Forms of pages that extractors are known to lose text of: what a reader takes for the text is the text."""

import pytest

from topical_crawler.cleaning.cleaner import TextCleaner
from topical_crawler.extraction.extract import Extracted, extract

LINES = (
    "院子里的石榴树是祖父种下的，每年中秋前后果子裂开，全家人围着树吃。",
    "县志里说，这条渠挖了十一年，参加的人有三千多，没有一个人留下名字。",
    "她在渡口卖了三十年的茶，客人从挑担的货郎换成了骑车的学生。",
    "钟楼每天敲十二下，住在附近的人早已听不见，出门在外时却总会想起。",
    "夏天的傍晚，男人们把竹床搬到巷口，女人们坐在门槛上剥毛豆。",
    "老電影院拆掉以後，那塊地種了一排苦楝樹，春天開紫色的小花。",
)
URL = "http://www.example.cn/a/c1.html"
MENU = "<div class='nav'>" + " ".join(f"<a href='/c{n}/'>频道{n}</a>" for n in range(9)) + "</div>"
FOOT = "<div class='footer'><a href='/about'>关于我们</a> <a href='/map'>网站地图</a><br>版权所有 某某网</div>"


def read(body: str, title: str = "旧城的六个片段", url: str = URL) -> Extracted:
    return extract(f"<html><head><title>{title}</title></head><body>{MENU}<h1>{title}</h1>{body}{FOOT}</body></html>", url)


def cut(lines: str) -> list[str]:
    return lines.split()


def lost(found: Extracted, lines: tuple[str, ...] = LINES) -> list[str]:
    text = "".join(found.text.split())
    return [line for line in lines if "".join(line.split()) not in text]


# -- Targets that are no links


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"<h2><a name='s{n}'>第{n}节石榴与钟楼</a></h2><p>{line}</p>" for n, line in enumerate(LINES)),
        "".join(f"<h2><a href='#s{n}'>第{n}节石榴与钟楼</a></h2><p>{line}</p>" for n, line in enumerate(LINES)),
        "".join(
            f"<p class=MsoNormal><a name='_Toc{n}'></a><a name='O{n}'><span>{line}</span></a></p>" for n, line in enumerate(LINES)
        ),
        "".join(f"<ol><li><a id='t{n}'>{line}</a></li></ol>" for n, line in enumerate(LINES)),
        "<a name='top'>" + "".join(f"<p>{line}</p>" for line in LINES),
        "<table><tr><td><a id=content><font>" + "<br><br>".join(LINES) + "</font></a></td></tr></table>",
    ],
    ids=["names of headings", "headings that name themselves", "word processor", "items", "never closed", "around all"],
)
def test_an_anchor_that_leads_nowhere_is_no_link(body: str) -> None:
    found = read(body)
    assert (found.kind, found.reason, lost(found)) == ("article", "", [])


def test_an_anchor_that_leads_elsewhere_is_a_link() -> None:
    found = read("".join(f"<p><a href='/{n}.html'>{line}</a></p>" for n, line in enumerate(LINES)))
    assert (found.kind, found.text) == ("list", "")


def test_a_button_of_a_script_is_a_link() -> None:
    found = read("".join(f"<p>{line}</p>" for line in LINES) + "<p><a>打印</a> <a onclick='c()'>关闭窗口</a></p>")
    assert (lost(found), found.text.splitlines()[-1]) == ([], LINES[-1])


# -- Labels behind sections


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("<div class='op'><a href='javascript:;'>编辑</a></div>", "编辑"),
        ("<p class='edit'>[編輯]</p>", "編輯"),
        ("<div><span>收藏</span></div><div><span>分享</span></div>", "分享"),
        ("<div>点赞 12</div>", "点赞"),
        ("<p>评论(3)</p>", "评论"),
        ("<p><a href='#top'>返回顶部</a></p>", "返回"),
        ("<div>展开</div>", "展开"),
    ],
)
def test_a_label_behind_each_section_neither_ends_the_text_nor_is_of_it(label: str, said: str) -> None:
    sections = (f"<div class='t'><h2>片段之{n}</h2></div><div class='para'>{line}</div>{label}" for n, line in enumerate(LINES))
    found = read("".join(sections))
    assert (lost(found), said in found.text) == ([], False)


def test_what_follows_the_text_is_ended_by_its_tail() -> None:
    comments = "".join(f"<li class='comment'><b>读者{n}</b><span>{line}</span></li>" for n, line in enumerate(LINES[4:]))
    found = read(f"<div>{''.join(f'<p>{line}</p>' for line in LINES[:4])}</div><h3>评论 2</h3><ul>{comments}</ul>")
    assert lost(found) == [*LINES[4:]]


# -- Repetition that is meant

REFRAIN = "风从海上来，吹过我们的屋顶，吹过我们的田野，也吹过每一个人回家的路，直到天亮。"


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"<p>{line}</p><p>{REFRAIN}</p>" for line in LINES),
        "<div>" + "<br>".join(f"{line}<br>{REFRAIN}" for line in LINES) + "</div>",
        "<ol>" + "".join(f"<li><p>第{n}条</p><p>{REFRAIN}</p></li>" for n in range(6)) + "</ol>",
        "".join(f"<p>{line}</p><p>甲：{line[::-1]}</p><p>乙：{REFRAIN}</p>" for line in LINES),
        "".join(f"<p>{line}</p><p>{REFRAIN}</p>" for line in LINES[:3]) + f"<p>{REFRAIN}</p>" * 3,
    ],
    ids=["refrain", "lines", "clauses", "dialogue", "at the end"],
)
def test_lines_that_come_again_between_others_stay(body: str) -> None:
    assert "".join(read(body).text.split()).count(REFRAIN) == 6


@pytest.mark.parametrize("label", ["", "<p>以下为打印版</p>"])
def test_a_second_copy_of_the_page_goes(label: str) -> None:
    text = "".join(f"<p>{line}</p>" for line in LINES)
    found = read(f"<div>{text}</div>{label}<div class='print'>{text}</div>")
    assert (lost(found), found.text.count(LINES[2])) == ([], 1)


# -- Texts in tables


def rows(*cells: tuple[str, ...]) -> str:
    return "<table>" + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells) + "</table>"


STEPS = rows(*((f"第{n}步", line) for n, line in enumerate(LINES, 1)))
SPECS = (("机身颜色", "曜石黑、雪山白、湖水蓝"), ("电池容量", "五千毫安时，支持快速充电"), ("网络类型", "支持第五代移动通信网络"))


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (STEPS, LINES),
        (rows(("来信人", "某女士", "来信时间", "2024-05-01"), ("来信", LINES[0]), ("答复", LINES[1])), LINES[:2]),
        (STEPS + "<aside><video src='a.mp4'></video></aside>", LINES),
        (STEPS + "<iframe src='http://v.example.cn/player?id=1'></iframe>", LINES),
        ("<img src=1><img src=2><img src=3><img src=4>" + rows(("石榴", "两个"), ("糖", "一勺")) + STEPS, ("石榴", *LINES)),
        ("<img src=1><img src=2><img src=3><img src=4>" + rows(*SPECS * 4), (SPECS[0][1], SPECS[2][1])),
    ],
    ids=["guide", "letter", "video beside", "player", "recipe", "specification"],
)
def test_a_text_in_a_table_is_kept(body: str, lines: tuple[str, ...]) -> None:
    found = read(body)
    cleaned = TextCleaner().clean(found.text, layout=found.layout)
    assert (found.kind, lost(found, lines), cleaned.reason, cleaned.language) == ("article", [], "", "zh")


def test_tables_of_figures_are_no_text() -> None:
    clips = read(rows(("时长", "3:20"), ("格式", "MP4"), ("大小", "20 MB")) + "<video src='a.mp4'></video>")
    figures = read(rows(*((f"{year}", f"{year * 7}", f"{year * 11}") for year in range(2000, 2020))))
    assert (clips.kind, clips.text) == ("video", "")
    assert TextCleaner().clean(figures.text, layout=figures.layout).reason != ""


# -- Verse and lists of short lines

MODERN = cut(
    "我把名字写在沙上 海水把它带走 我把名字写在风里 风吹过许多山头 没有人念出它 "
    "也没有人把它遗忘 直到一个春天的早晨 草叶上都是露水"
)
CLASSICAL = cut(
    "月落乌啼霜满天 江枫渔火对愁眠 姑苏城外寒山寺 夜半钟声到客船 故人西辞黄鹤楼 烟花三月下扬州 孤帆远影碧空尽 唯见长江天际流"
)
PAPERS = cut(
    "身份证原件及复印件 户口簿首页 近期免冠照片三张 体检合格证明 学历证书复印件 无犯罪记录证明 申请表一式两份 房屋租赁合同"
)
SONG = [f"{line}{end}" for end in ("", "啊", "呀", "在你那里") for line in MODERN]


@pytest.mark.parametrize(
    ("lines", "layout"),
    [
        (MODERN, "<div class='poem'>{}</div>|<br>"),
        (MODERN, "<p>{}</p>|</p><p>"),
        (CLASSICAL, "<ul><li>{}</li></ul>|</li><li>"),
        (CLASSICAL, "<table><tr><td>{}</td></tr></table>|<br>"),
        (PAPERS, "<div class='row'><span>{}</span></div>|</span></div><div class='row'><span>"),
        (SONG, "<article>{}</article>|<br/>"),
    ],
    ids=["breaks", "paragraphs", "items", "cell", "list", "song"],
)
def test_short_lines_are_a_text_where_there_is_no_other(lines: list[str], layout: str) -> None:
    around, between = layout.split("|")
    found = read(around.format(between.join(lines)), "名字")
    cleaned = TextCleaner().clean(found.text, layout=found.layout)
    assert (lost(found, tuple(lines)), found.text.split("\n")[-1], cleaned.reason) == ([], lines[-1], "")


@pytest.mark.parametrize("wrap", ["<br>{}", "<a href='/{}.html'>{}</a> "])
def test_a_menu_is_no_verse(wrap: str) -> None:
    menu = cut(
        "产品展示中心 行业新闻动态 企业文化建设 人力资源招聘 客户服务热线 售后服务网点 招标采购信息 合作伙伴名录 技术研发中心"
    )
    found = extract(f"<title>某某公司</title><div>{''.join(wrap.format(word, word) for word in menu)}</div>{FOOT}", URL)
    assert found.text == ""


def test_a_list_beside_an_article_is_not_its_text() -> None:
    side = "<div class='side'>" + "<br>".join(MODERN) + "</div>"
    assert lost(read("".join(f"<p>{line}</p>" for line in LINES) + side), (*LINES, *MODERN)) == MODERN


# -- Articles with comments, and texts in boxes

MORE = "他把这些都记在一本蓝皮的账簿里，一页也没有撕过。"
ARTICLE = "".join(f"<p>{line}{MORE}</p>" for line in LINES)
SAID = ("写得真好，让我想起外婆家的院子。", "钟楼现在还敲吗？我离开十年了。", "石榴酿酒也好喝。", "盼望下一篇。")


def comments(form: str) -> str:
    return "".join(form.format(n=n, said=said) for n, said in enumerate(SAID, 1))


@pytest.mark.parametrize(
    ("form", "url"),
    [
        (
            "<li class='member reply' id='bb_message_{n}'><a href='/user/{n}'>读者{n}</a><time>2024-05-0{n} 10:20</time>"
            "<div><p>{said}</p></div><a href='#'>回复</a></li>",
            URL,
        ),
        (
            "<dl class='thread'><dt class='member'><a href='/space/{n}'>楼层{n}</a> 发表于 2024-02-0{n} 08:00</dt>"
            "<dd class='thread-msg'>{said}</dd><dd>回复</dd></dl>",
            URL,
        ),
        (
            "<div class='post-reply'><a href='/user/{n}'>网友{n}</a><span>05-0{n} 12:30</span><p>{said}</p><a>回复</a></div>",
            "http://www.example.cn/p/20.html",
        ),
    ],
    ids=["list", "definitions", "boxes"],
)
@pytest.mark.parametrize("around", ["<article>{}</article>", "<div class='part'>{}</div>", "{}"])
def test_an_article_with_comments_is_the_article(form: str, url: str, around: str) -> None:
    found = read(around.format(ARTICLE) + f"<div class='topics replies'>{comments(form)}</div>", url=url)
    assert (found.kind, lost(found), lost(found, SAID)) == ("article", [], [*SAID])


def test_a_question_that_is_longer_than_its_answers_is_a_thread() -> None:
    person = "<a class='author' href='/people/{n}'>邻居{n}</a>"
    form = f"<div class='answer'>{person}<div class='content'>{{said}}</div>发布于 2024-05-0{{n}}</div>"
    found = read(f"<div class='question-detail'>{ARTICLE}</div>{comments(form)}", url="http://www.example.cn/question/12")
    assert (found.kind, lost(found, (*LINES, *SAID))) == ("forum", [])


def test_a_long_text_in_boxes_is_whole_though_some_name_a_person_and_a_day() -> None:
    signed = "<time>2022-08-1{n} 20:00</time><a href='/user/lin'>林一</a> 主题 回复 论坛"
    boxes = (
        f"<section class='box'><h2>第{n}天</h2><p>{line}{MORE}</p>{signed.format(n=n) if n > 3 else ''}</section>"
        for n, line in enumerate(LINES)
    )
    assert lost(read("".join(boxes), url="http://www.example.cn/community/12.html")) == []
