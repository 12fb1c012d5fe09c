"""Characters as they should be, and what was read with a wrong encoding."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.cleaning.characters import is_garbled, repair, to_traditional

TEXT = (
    "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。会议强调，要坚持问题导向，把学习成果转化为推动高质量发展的实际行动，"
    "切实解决群众反映强烈的突出问题。与会人员结合各自实际，围绕如何发挥支部作用作了交流发言，并就下一步工作提出了意见和建议。"
)


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("ＡＢＣａｂｃ１２３，：。；！？（）", "ABCabc123，：。；！？（）"),
        ("主题\u200b教\ufeff育\u00ad", "主题教育"),
        ("一\u3000\u3000二\u00a0 三\t四", "一 二 三 四"),
        ("a&nbsp;b &amp;amp; c &lt;d&gt; &#x4e2d;&#25991; &unknown; A&B", "a b & c <d> 中文 &unknown; A&B"),
        ("ﾃﾞｰﾀ｡", "データ。"),
        ("⼈⼯ \ufa19 \U0002f800", "人工 神 丽"),
        ("甲\ufffd乙\ue5e5丙", "甲乙丙"),
        ("一\r\n二\r三\u2028四\x0b五", "一\n二\n三\n四\n五"),
        ("e\u0301", "é"),
        ("版本３．１４", "版本3.14"),
        ("\x00\x07坏\x1b", "坏"),
        ("𠮷野家", "𠮷野家"),
    ],
)
def test_characters_are_repaired(text: str, repaired: str) -> None:
    assert repair(text) == repaired


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("&amp;#x20 ＆ａ；\u200b\u3000ｶﾞ\ufffd\r\n")), max_size=60))
def test_repairing_twice_changes_nothing(text: str) -> None:
    once = repair(text)
    assert repair(once) == once
    assert unicodedata.is_normalized("NFC", once)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("utf-8", "gbk"), ("utf-8", "gb18030"), ("utf-8", "latin-1"), ("utf-8", "cp1252"), ("utf-8", "big5"),
        ("gb18030", "latin-1"), ("gb18030", "cp1252"), ("gb18030", "utf-8"), ("gb18030", "big5"),
        ("big5", "gb18030"), ("big5", "utf-8"), ("big5", "latin-1"),
    ],
)  # fmt: skip
class TestWrongEncodings:
    def test_a_text_read_wrongly_is_garbled(self, written: str, read: str) -> None:
        text = to_traditional(TEXT) if written == "big5" else TEXT
        assert is_garbled(text.encode(written, "ignore").decode(read, "replace"))
        assert not is_garbled(text)

    def test_one_paragraph_read_wrongly_is_enough(self, written: str, read: str) -> None:
        text = to_traditional(TEXT) if written == "big5" else TEXT
        assert is_garbled(f"{TEXT}\n{TEXT}\n{text.encode(written, 'ignore').decode(read, 'replace')}\n{TEXT}")


def test_what_was_replaced_and_read_again() -> None:
    replaced = TEXT.encode("gb18030").decode("utf-8", "replace")
    assert is_garbled(replaced)
    assert is_garbled(replaced.encode().decode("gbk", "replace"))
    assert is_garbled("锟斤拷锟斤拷烫烫烫")


def test_letters_that_were_lost_are_told_from_emoji() -> None:
    assert is_garbled("".join("\ufffd" if n % 10 == 0 else letter for n, letter in enumerate(TEXT)))
    assert is_garbled("".join("\ufffd" if n % 3 else letter for n, letter in enumerate(TEXT)))
    assert is_garbled("\ufffd\ufffd\ufffd\ufffd，\ufffd\ufffd。")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "print('hello, world')  # a comment",
        "Le café était fermé, où êtes-vous allé à Noël? Ça va très bien.",
        "Größe, Übermaß, naïve Ångström – señor José Núñez",
        "鸟类包括鸬鹚、鸊鷉、鹈鹕、鹡鸰、鹪鹩等，常见于湖泊与湿地，专家提醒不要投喂。",
        "支部の活動について、みんなで話し合いました。次回は来週の金曜日です。",
        f"乱码示例：{'锟斤拷'}。{TEXT * 2}",
        "α + β = γ，其中 ∑x² ≥ 0，温度 20 ℃ ± 2 ℃，见 §3·2 …… —— 完",
        "\ue001 首页 \ue002 党建要闻：各级党组织扎实开展主题教育，推动全面从严治党。" + TEXT * 3,
        "包括甘氨酸、丙氨酸、缬氨酸、亮氨酸、脯氨酸、酪氨酸、组氨酸；烯烃、炔烃、苯、萘、蒽、菲、吡啶、呋喃、噻吩、嘧啶、嘌呤、吲哚、喹啉。",
        "呢啲嘢係邊個擺喺度㗎？佢哋話嚟緊會揀返啲啱嘅，我哋唔使咁驚。嗰陣時佢啱啱瞓醒，仲未食嘢。",
        "爨宝子碑与爨龙颜碑并称二爨，是研究书法的重要碑刻，今存云南曲靖与陆良。",
        "螾衍，入耳。蜩，蜋蜩，螗蜩。蚻，蜻蜻。蠽，茅蜩。蝒，马蜩。蜺，寒蜩。蜓蚞，螇螰。蛣蜣，蜣蜋。",  # 尔雅
        "主疝瘕、癃闭、痔瘘、痿躄、瘘疮，取楝实、蒺藜、蘼芜、藁本、薏苡、萆薢、䕡茹，蜜丸如梧子。",
        "今天起风了\ufffd\ufffd\ufffd我们去放风筝\ufffd\ufffd\ufffd\ufffd很高兴！\ufffd",  # where emoji were
        f"{TEXT}\n\ufffd\ufffd\ufffd\ufffd \ufffd\ufffd\ufffd\ufffd\n\ufffd {TEXT}\ufffd。",
    ],
)
def test_what_only_looks_strange_is_not_garbled(text: str) -> None:
    assert not is_garbled(text)


def test_no_real_text_is_garbled(news: list[str]) -> None:
    assert not [text for text in news if is_garbled(text)]
