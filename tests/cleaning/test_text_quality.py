"""Measures of texts, and their limits."""

import dataclasses
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.cleaning.quality import (
    CHARACTERS,
    LANGUAGE,
    MOST_CHECKED,
    NO_SENTENCES,
    REASONS,
    REPETITION,
    SYMBOLS,
    Limits,
    Measures,
    measure,
)
from topical_crawler.corpus.record import MEASURES

WORDS = "党建 支部 学习 教育 基层 组织 改革 发展 经济 科技 创新 文化 旅游 体育 天气 教师 学生 医院 交通 能源".split()  # noqa: SIM905
ARTICLE = (
    "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。\n会议强调，要坚持问题导向，把学习成果转化为推动发展的实际行动。\n"
    "切实解决群众反映强烈的突出问题。与会人员结合各自实际，围绕如何发挥支部作用作了交流发言，并就下一步工作提出了意见和建议。\n"
    "在随后的座谈中，来自十二个社区的代表介绍了各自的做法，有的谈到网格管理，有的谈到志愿服务，也有人指出了经费和场地方面的困难。\n"
    "有关负责人表示，这些意见都会整理成清单，明确责任人和时限，年底以前逐项答复。"
)


def refusal(text: str, language: str = "zh") -> str:
    return Limits().refusal(measure(text), language, len(text))


def test_the_measures_are_the_columns_of_the_corpus() -> None:
    assert tuple(field.name for field in dataclasses.fields(Measures)) == MEASURES


def test_measures_by_hand() -> None:
    found = measure("党建网 2024\nabc，★★\n党建网 2024\n党建网 2024\n学习。")
    letters = 3 + 4 + 3 + 3 + 4 + 3 + 4 + 2
    assert found.han == pytest.approx(11 / letters)
    assert found.latin == 3 / letters
    assert found.digits == pytest.approx(12 / letters)
    assert found.punctuation == 2 / (letters + 4)
    assert found.symbols == 2 / (letters + 4)
    assert found.sentences == 2 / letters
    assert found.line_length == letters / 5
    assert found.repeated_lines == pytest.approx(7 / letters)  # the second follows a new line
    assert found.common == pytest.approx(10 / 11, abs=0.13)


def test_a_line_between_lines_that_are_new_is_no_repetition() -> None:
    refrain = "风从海上来，吹过我们的屋顶，吹过我们的田野，也吹过每一个人回家的路。"
    song = "\n".join(f"{n}年的春天，村里的人又在{place}种下一棵树。\n{refrain}" for n, place in enumerate("东西南北门桥山坡"))
    assert (measure(song).repeated_lines, refusal(song)) == (0, "")
    assert refusal("\n".join([refrain] * 8)) == REPETITION


def test_repeated_phrases_by_hand() -> None:
    phrase = "甲乙丙丁戊己庚辛壬癸"
    assert measure(phrase).repeated_phrases == 0
    assert measure(phrase + phrase).repeated_phrases == 0.5
    assert measure(f"{phrase}子{phrase}").repeated_phrases == 10 / 21
    assert measure(phrase[:9] * 2).repeated_phrases == 0  # "甲…壬甲", no phrase of ten twice
    assert measure("啊" * 20).repeated_phrases == pytest.approx(19 / 20)


def test_phrases_are_looked_for_in_the_beginning_of_a_very_long_text() -> None:
    text = "".join(random.Random(0).choices("党建学习教育组织生活支部书记工作会议主题活动开展", k=MOST_CHECKED))
    assert measure(text + "啊" * 20).repeated_phrases == measure(text).repeated_phrases
    assert measure(text[20:] + "啊" * 20).repeated_phrases > measure(text[20:]).repeated_phrases


@given(st.text(max_size=300))
def test_measures_are_within_their_bounds(text: str) -> None:
    found = dataclasses.asdict(measure(text))
    assert found.pop("line_length") >= 0
    assert all(0 <= value <= 1 and math.isfinite(value) for value in found.values())
    assert refusal(text) in ("", *REASONS)


FISH = "鰝，大虾。鲲，鱼子。鱀，是鱁。鱦，小鱼。鮥，鮛鲔。鯦，当魱。鮤，鱴刀。鱊鮬，鳜鯞。鱼有力者，徽。"  # 尔雅


@pytest.mark.parametrize("text", [ARTICLE, "一首短诗\n没有标点\n只有几行\n说完就完", FISH])
def test_articles_and_poems_are_taken(text: str) -> None:
    assert refusal(text) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("，".join(random.Random(1).choices(WORDS, k=300)), NO_SENTENCES),
        (" ".join(random.Random(2).choices(WORDS, k=300)), NO_SENTENCES),
        ("_".join(random.Random(3).choices(WORDS, k=300)), SYMBOLS),
        ("\n".join(random.Random(4).choices(WORDS, k=300)), REPETITION),
        ("\n".join(a + b for a in WORDS for b in WORDS), NO_SENTENCES),
        ("欢迎光临本店，全场五折，先到先得。\n" * 20, REPETITION),
        ("★☆党建◆◇" * 50, SYMBOLS),
        ("\n".join(f"{n * 7919} {n * 104729} 元" for n in range(60)), SYMBOLS),
        ("瓴甓翀甪" * 20, CHARACTERS),
    ],
)  # fmt: skip
def test_what_is_no_running_text_is_refused(text: str, reason: str) -> None:
    assert refusal(text) == reason


def test_languages() -> None:
    assert refusal(ARTICLE, "en") == refusal(ARTICLE, "") == LANGUAGE
    assert Limits(languages=("zh", "en")).refusal(measure(ARTICLE), "en") == ""
    assert Limits(languages=()).refusal(measure(ARTICLE), "") == ""
    spam = "★☆" * 100
    assert Limits.of_language(["zh"]).refusal(measure(spam), "zh") == ""
    assert Limits.of_language(["zh"]).refusal(measure(spam), "en") == LANGUAGE


@pytest.mark.slow
def test_hardly_any_real_text_is_refused(news: list[str]) -> None:
    refused = [text for text in news if refusal(text)]
    assert len(refused) < 0.002 * len(news)
