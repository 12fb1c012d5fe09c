"""Boilerplate, and texts that are none."""

import math
import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.cleaning.boilerplate import BOILERPLATE_ONLY, COPYRIGHT_ONLY, NEAR_EMPTY, NO_TEXT, Cleaner, LineCounts
from topical_crawler.package_data import data_folder

SENTENCE = "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。"


@pytest.fixture(scope="module")
def cleaner() -> Cleaner:
    return Cleaner()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", NO_TEXT),
        (" \n\u200b\n\u3000", NO_TEXT),
        ("首页 | 关于我们 | 联系我们 | 网站地图", BOILERPLATE_ONLY),
        ("分享到：\n微信扫一扫\n新浪微博", BOILERPLATE_ONLY),
        ("版权所有 新网 未经书面授权禁止使用\n互联网新闻信息许可证 1012006 京ICP证000001号", COPYRIGHT_ONLY),
        ("关于我们 | 版权声明\nCopyright © 2001-2024 新网 All Rights Reserved 版权所有\n京ICP备12345678号-1", COPYRIGHT_ONLY),
        ("违法和不良信息举报电话：010-12345678  举报邮箱：jubao@example.cn", COPYRIGHT_ONLY),
        ("视频：各级党组织开展主题教育\n首页 | 联系我们", NEAR_EMPTY),
        ("支部召开大会。", NEAR_EMPTY),
    ],
)
def test_what_is_no_text_is_rejected_with_its_reason(cleaner: Cleaner, text: str, reason: str) -> None:
    found = cleaner.clean(text)
    assert (found.text, found.reason) == ("", reason)


def test_head_and_tail_are_taken_off_and_the_middle_stays(cleaner: Cleaner) -> None:
    body = f"{SENTENCE * 2}\n\n分享到：微信\n{SENTENCE}"
    head = "您当前的位置：首页 > 党建 > 正文\n2024年12月28日 08:30 来源：党建网\n"
    tail = "（责任编辑：王某）\n【打印】【关闭】\n京ICP证000001号"
    assert cleaner.clean(f"{head}\n{body}\n{tail}").text == body


def test_an_address_alone_is_no_text(cleaner: Cleaner) -> None:
    """A print view ends with its page's address; without it the two are the same text."""
    text = "支部召开组织生活会，党员逐一发言。\n文件见 http://dj.example/1.pdf\nhttp://dj.example/介绍了支部的做法。"
    assert cleaner.clean(f"{text}\nhttps://dj.example/art/2026/3/31/art_1.html?from=print").text == text


def test_lines_that_are_links_of_the_page_are_navigation(cleaner: Cleaner) -> None:
    titles = [f"第{n}支部开展主题党日活动并召开组织生活会" for n in range(20)]
    text = "\n".join(titles)
    assert cleaner.clean(text).text == text
    assert cleaner.clean(text, titles).reason == BOILERPLATE_ONLY
    assert cleaner.clean(f"{SENTENCE * 3}\n{text}", titles).text == SENTENCE * 3


def test_sentences_about_such_things_are_text(cleaner: Cleaner) -> None:
    for line in (
        "法院认定该软件的版权所有者为原告，被告未经授权使用构成侵权，应当承担赔偿责任。",
        "记者在首页看到，平台新增了无障碍浏览功能，方便老年人登录和注册。",
        "2022年10月24日",
        "党支部",
        "央视网消息",
        "会议由支部书记主持，编辑部全体党员参加了学习。",
    ):
        assert cleaner.kind(line) is None, line


def test_text_is_normalised(cleaner: Cleaner) -> None:
    decomposed = unicodedata.normalize("NFD", "é") + SENTENCE * 2
    found = cleaner.clean(f"\ufeff\u3000\u3000{decomposed}\r\n\r\n\r\n\r\n{SENTENCE}\u200b\u00ad ")
    assert found.text == f"é{SENTENCE * 2}\n\n{SENTENCE}"


@given(st.text(alphabet=st.sampled_from("党建。 \n\u3000\u200b|首页分享到版权所有:：0123é\u0301"), max_size=400))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    cleaner = Cleaner(min_characters=10)
    once = cleaner.clean(text)
    assert bool(once.text) != bool(once.reason)
    if once.text:
        assert cleaner.clean(once.text) == once


@pytest.mark.parametrize(
    "line", ["a" * 300, ">" * 300, "1" * 300, "请关注下载客户端" * 37, "许可证 " * 75, "来源:" * 100, "责任编辑:" * 60]
)
def test_no_line_takes_long(cleaner: Cleaner, line: str) -> None:
    started = time.process_time()  # of this process: what the machine does besides does not count
    cleaner.kind(line)
    assert time.process_time() - started < 0.1


ESCAPED = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
COUNT = re.compile(r"(\)?)\{(?:\d*,)?(\d*)\}")
MAX_STEPS = 30_000  # product of an expression's counts: keeps the slowest match of a line near a tenth of a second


def test_the_expressions_of_the_lexicon_are_bounded() -> None:
    for line in data_folder().joinpath("boilerplate.txt").read_text("utf-8").splitlines():
        assert line == line.strip()
        if not line.startswith("/"):
            continue
        assert line.endswith("/") and len(line) > 2
        bare = ESCAPED.sub("x", line[1:-1])
        counts = COUNT.findall(bare)
        assert not {"*", "+"} & set(bare) and not any(group for group, _ in counts), line
        assert math.prod(max(1, int(most)) for _, most in counts) <= MAX_STEPS, line
        expression = re.compile(line[1:-1], re.IGNORECASE)
        assert not expression.groups and not expression.match(""), line


def test_a_page_of_titles_is_a_list_of_links() -> None:
    titles = [f"第{n}支部开展主题党日活动，学习党章党规" for n in range(12)]
    lines = [f"{title}\n2024-03-{n + 1:02d}" for n, title in enumerate(titles)]
    page = "本栏目刊登各支部来稿\n" + "\n".join(lines) + "\n更多文章请看以上各篇"
    assert Cleaner().clean(page, [*titles, "首页"]).reason == "list of links"
    assert Cleaner().clean(page, titles[:3]).reason == ""


def test_an_article_that_names_its_links_is_no_list() -> None:
    text = "各支部围绕主题教育开展学习，党员结合实际谈体会、找差距、定措施，推动工作落到实处。\n" * 3
    assert Cleaner().clean(f"{text}主题教育\n{text}", ["主题教育", "支部", "党员"]).reason == ""


def test_a_line_that_the_next_one_goes_on_from_is_text() -> None:
    counts = LineCounts()
    for n in range(20):
        counts.add(f"某某社消息\n（记者第{n}号）：各支部开展第{n}次学习。\n关注我们")
    body = "（记者某某）：" + "各支部开展主题党日活动，党员们谈了体会。" * 5
    learned = counts.learned()
    assert learned.at_edge("某某社消息")
    assert Cleaner().clean(f"某某社消息\n{body}\n关注我们", learned=learned).text == f"某某社消息\n{body}"
    assert Cleaner().clean(f"某某社消息\n{body[7:]}\n关注我们", learned=learned).text == body[7:]
