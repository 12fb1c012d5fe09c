"""All steps of the cleaning together, and the settings that choose among them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from topical_crawler import settings as project
from topical_crawler.cleaning import CleaningOptions, TextCleaner
from topical_crawler.cleaning.quality import Limits
from topical_crawler.config import cleaning_options
from topical_crawler.crawl.options import CrawlError

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


@given(
    st.text(alphabet="各级党组织开展主题教育。，\n\u3000ＡＢ１&amp; 版权所有", max_size=200),
    st.sampled_from(["flag", "mask", "off"]),
)
def test_cleaning_twice_changes_nothing(text: str, personal: str) -> None:
    cleaner = TextCleaner(options(TOPICAL_PERSONAL=personal, TOPICAL_MIN_CHARACTERS=5, TOPICAL_QUALITY=False))
    once = cleaner.clean(text)
    if not once.reason:
        again = cleaner.clean(once.text)
        assert (again.text, again.reason, again.measures) == (once.text, "", once.measures)


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
        ("TOPICAL_QUALITY", "{min_han: 0.3}", "no JSON"),
        ("TOPICAL_QUALITY", '{"min_hand": 0.3}', "min_hand"),
        ("TOPICAL_QUALITY", '{"min_han": "much"}', "number of 0 or more"),
        ("TOPICAL_QUALITY", "high", "expected is"),
    ],
)
def test_a_value_that_cannot_be_used(setting: str, value: str, part: str) -> None:
    with pytest.raises(CrawlError, match=setting) as error:
        options(**{setting: value})
    assert part in str(error.value)
