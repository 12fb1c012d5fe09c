"""All steps of the cleaning together, and the settings that choose among them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from topical_crawler import settings as project
from topical_crawler.cleaning.boilerplate import Learned, LineCounts, digest
from topical_crawler.cleaning.cleaner import CleaningOptions, TextCleaner
from topical_crawler.cleaning.quality import Limits
from topical_crawler.config import cleaning_options
from topical_crawler.crawl.options import CrawlError
from topical_crawler.text.passages import Kind, Passage, layout, passages, plain

BODY = (
    "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。\n会议强调，要坚持问题导向，把学习成果转化为实际行动，"
    "切实解决群众反映强烈的突出问题。\n来自十二个社区的代表介绍了做法，咨询请拨打010-62345678。"
)


def options(**given: Any) -> CleaningOptions:
    values = {name: getattr(project, name) for name in dir(project) if name.startswith("TOPICAL_")}
    return cleaning_options(Settings(values | given))


def test_a_text_goes_through_all_of_it() -> None:
    found = TextCleaner().clean(f"首页\n主题教育（２０２４）\n{BODY}\n责任编辑：王某", ["首页"], "主题教育（2024）")
    assert found.text == BODY
    assert (found.reason, found.language, found.script, found.personal) == ("", "zh", "simplified", {"phone": 1})
    assert found.measures["han"] > 0.8
    assert "责任编辑：王某" in found.removed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BODY.encode().decode("gb18030", "replace"), "garbled text"),
        ("版权所有 某某网 未经授权禁止转载\n京ICP备12345678号", "copyright only"),
        ("支部开会。", "near-empty"),
        ("The committee discussed how its branches could improve their work this year. " * 3, "language"),
        ("党建\n支部\n学习\n" * 60, "low quality: repetition"),
    ],
)
def test_reasons(text: str, reason: str) -> None:
    found = TextCleaner().clean(text)
    assert (found.text, found.reason) == ("", reason)


def test_personal_data_and_script() -> None:
    masked = TextCleaner(options(TOPICAL_PERSONAL="mask")).clean(BODY)
    assert masked.text.endswith("拨打[电话]。")
    assert masked.personal == {"phone": 1}
    assert TextCleaner(options(TOPICAL_PERSONAL="off")).clean(BODY).personal == {}
    converted = TextCleaner(options(TOPICAL_CONVERT="traditional")).clean(BODY)
    assert (converted.text[:4], converted.script) == ("各級黨組", "traditional")
    assert TextCleaner(options(TOPICAL_CONVERT="simplified")).clean(converted.text).text == BODY


KNOWN = LineCounts()
for n in range(20):
    KNOWN.add(f"本站公告\n第{n}次学习，各有不同。\n栏目导航\n大家谈了{n}点体会。\n关注公众号")
WORDS = st.text(alphabet="各级党组织开展主题教育。，\n\u3000\u2028ＡＢ１&amp; $", max_size=30) | st.sampled_from(
    ("本站公告", "栏目导航", "关注公众号", "版权所有", "各支部开展主题党日活动。", "小结", "")
)
SOURCE = st.text(alphabet="x =\t\n\r\u00a0\u200b\u2028e\u0301ｘ&lt;版权所有&\ue000", max_size=20)
PASSAGES = st.one_of(
    st.builds(Passage, WORDS, st.sampled_from(("paragraph", "heading", "item", "quote", "caption")), st.integers(1, 3)),
    st.builds(Passage, SOURCE, st.sampled_from(("code", "formula", "table")), note=st.sampled_from(("", "c"))),
)


@given(st.lists(PASSAGES, max_size=12), st.sampled_from(["flag", "mask"]), st.sampled_from(["", "traditional"]))
def test_cleaning_passages_twice_changes_nothing(text: list[Passage], personal: str, convert: str) -> None:
    chosen = options(
        TOPICAL_PERSONAL=personal, TOPICAL_CONVERT=convert, TOPICAL_MIN_CHARACTERS=5, TOPICAL_QUALITY=False, TOPICAL_LANGUAGES=""
    )
    cleaner = TextCleaner(chosen)
    once = cleaner.clean(plain(text), layout=layout(text), learned=KNOWN.learned())
    if once.reason:
        assert (once.text, once.layout) == ("", ())
        return
    kept = passages(once.text, once.layout)
    assert all(passage.text.strip() for passage in kept if passage.kind != "paragraph")
    again = cleaner.clean(once.text, layout=once.layout, learned=KNOWN.learned())
    assert (again.text, again.layout, again.measures) == (once.text, once.layout, once.measures)


def test_code_formulas_and_tables_stay_as_they_are() -> None:
    code = Passage("\tif a&amp;&amp;b:\n\n        分享到('ｘ')", "code", note="python")
    notices = Passage("版权所有\t首页\n010-62345678\t", "table")
    text = [Passage("首页"), code, Passage("首页"), *map(Passage, BODY.split("\n")), Passage("x  <  y", "formula"), notices]
    found = TextCleaner(options(TOPICAL_PERSONAL="mask")).clean(plain(text), ["首页"], layout=layout(text))
    masked = [Passage(p.text.replace("010-62345678", "[电话]"), p.kind, p.level, p.note) for p in text]
    assert passages(found.text, found.layout) == masked[1:]
    assert found.personal == {"phone": 2}


def test_no_article_is_refused_for_its_code_nor_kept_for_it() -> None:
    code = Passage("x = [0, 1]  # 0 1\n" * 400, "code")
    words = TextCleaner().clean(BODY)
    text = [*map(Passage, BODY.split("\n")), code]
    found = TextCleaner().clean(plain(text), layout=layout(text))
    assert (found.reason, found.measures, found.language) == ("", words.measures, "zh")
    labels = [Passage("示例代码如下所示"), Passage("x", "code"), Passage("运行的结果")] * 20
    assert TextCleaner().clean(plain(labels), layout=layout(labels)).reason == "low quality: repetition"
    labels = [Passage("示例代码如下所示"), code, Passage("运行的结果")] * 20
    assert TextCleaner().clean(plain(labels), layout=layout(labels)).reason == ""
    links = [Passage("参考资料：北京大学编译原理课程主页" * 2), code, Passage("习题内容与解答" * 4)]
    assert TextCleaner().clean(plain(links), [f"{link.text}更多" for link in links], layout=layout(links)).reason == ""
    text = [Passage("代码如下："), code]
    assert TextCleaner().clean(plain(text), layout=layout(text)).reason == "near-empty"
    text = [Passage("原信如下："), Passage("  大家好！\n" * 20, "code")]
    assert TextCleaner().clean(plain(text), layout=layout(text)).reason == ""


@pytest.mark.parametrize("kind", ["code", "formula"])
def test_code_and_formulas_keep_their_script(kind: Kind) -> None:
    text = [*map(Passage, BODY.split("\n")), Passage("组织\t延伸", "table"), Passage("组织 = 延伸", kind)]
    found = TextCleaner(options(TOPICAL_CONVERT="traditional")).clean(plain(text), layout=layout(text))
    assert found.text.startswith("各級黨組織") and found.text.endswith("組織\t延伸\n组织 = 延伸")


def test_a_heading_goes_with_what_is_below_it() -> None:
    def kept(*lines: str) -> list[str]:
        """``# `` before a heading."""
        text = [Passage(line.removeprefix("# "), "heading", 2) if line.startswith("#") else Passage(line) for line in lines]
        learned = Learned(20, {digest(line): 19 for line in ("栏目导航", "实现步骤", "核心代码", "小节")})
        found = TextCleaner().clean(plain(text), ["实现步骤"], "主题教育", learned, layout(text))
        return [
            f"# {passage.text}" if passage.kind == "heading" else passage.text for passage in passages(found.text, found.layout)
        ]

    body = BODY.split("\n")
    assert kept("# 实现步骤", *body) == ["# 实现步骤", *body], "although it is on every page and the text of a link"
    assert kept(body[0], "# 核心代码", *body[1:]) == [body[0], "# 核心代码", *body[1:]]
    assert kept("# 网站", "栏目导航", "# 主题教育", "# 上篇", "# 甲", *body) == ["# 上篇", "# 甲", *body]
    assert kept(*body, "# 参考", "# 甲", "栏目导航", "# 小节") == body


def test_the_settings_as_they_are() -> None:
    assert options() == CleaningOptions()
    assert options(TOPICAL_LANGUAGES="zh, EN").limits.languages == ("zh", "en")
    assert options(TOPICAL_LANGUAGES="").limits.languages == ()
    assert options(TOPICAL_QUALITY='{"min_han": 0.3}').limits == Limits(min_han=0.3)
    assert options(TOPICAL_QUALITY={"max_symbols": 1}).limits == Limits(max_symbols=1.0)
    assert options(TOPICAL_QUALITY="0").limits == Limits.of_language(("zh",))
    assert options(TOPICAL_SITE_LINES="0").site_lines is False


@pytest.mark.parametrize(
    ("setting", "value", "part"),
    [
        ("TOPICAL_LANGUAGES", "chinese", "two letters"),
        ("TOPICAL_PERSONAL", "yes", "off, flag, mask"),
        ("TOPICAL_CONVERT", "hant", "simplified, traditional"),
        ("TOPICAL_MIN_CHARACTERS", "many", "whole number"),
        ("TOPICAL_MIN_CHARACTERS", "-1", "whole number"),
        ("TOPICAL_QUALITY", "{min_han: 0.3}", "property name"),
        ("TOPICAL_QUALITY", '{"min_hand": 0.3}', "min_hand"),
        ("TOPICAL_QUALITY", '{"min_han": "much"}', "min_han='much': no number"),
        ("TOPICAL_QUALITY", '{"min_han": -1}', "min_han=-1: no number"),
        ("TOPICAL_QUALITY", "high", "expected is"),
    ],
)
def test_a_value_that_cannot_be_used(setting: str, value: str, part: str) -> None:
    with pytest.raises(CrawlError, match=setting) as error:
        options(**{setting: value})
    assert part in str(error.value)
