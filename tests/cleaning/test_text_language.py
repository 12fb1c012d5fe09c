"""Languages, scripts, conversion."""

import pytest

from topical_crawler.cleaning.characters import (
    HAN,
    _identifier,
    common_han,
    identify,
    in_one_script,
    scripts,
    to_simplified,
    to_traditional,
)

CHINESE = "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。"
CODE = "def main():\n    for name in os.listdir(path):\n        print(name.upper(), file=sys.stderr)\n    return result\n"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (CHINESE, "zh"),
        (to_traditional(CHINESE), "zh"),
        (f"先看下面这段代码，它列出一个目录里的所有文件：\n{CODE}运行以后得到的结果和预期是一样的。", "zh"),
        ("「の」是日语里最常见的假名，中文广告里也常见。", "zh"),
        ("支部の活動について、みんなで話し合いました。次回は金曜日です。", "ja"),
        ("北京で開催された会議について、国家主席が演説した。「为人民服务」と述べたという。会議は明日まで続く予定だ。", "ja"),
        ("日時、令和六年二月三日。議案第一号、定款変更の件。原案通り可決。耐震補強工事、総工費三億円。", "ja"),
        ("第三条　駅構内作業者、安全帽着用。転轍器操作後、確認呼称実施。第四条　気動車検査周期、走行距離三万粁。", "ja"),
        (f"{to_traditional(CHINESE)}從“池袋駅”到“気仙沼”，要四個小時，優の良品也在那裡。", "zh"),
        ("晉太元中，武陵人捕魚為業，緣溪行，忘路之遠近。忽逢桃花林，夾岸數百步，中無雜樹。", "zh"),
        ("部屋に机と椅子があります：房间里有桌子和椅子。“に”表示存在的场所，“が”表示存在的事物。", "zh"),
        ("한국어는 어렵지 않습니다：韩语不难。“지 않다”接在谓词词干后，表示对谓词的否定，相当于汉语的“不”。", "zh"),
        ("오늘 회의에서는 당 건설 사업에 대해 논의했습니다.", "ko"),
        ("The committee discussed how the branches could improve their work this year.", "en"),
        ("Le comité a discuté de la manière dont les sections pourraient améliorer leur travail.", "fr"),
        ("2024-12-31 08:30", ""),
        ("", ""),
    ],
)
def test_the_language_is_told(text: str, language: str) -> None:
    assert identify(text).language == language


@pytest.mark.parametrize(
    ("text", "script"),
    [
        (CHINESE, "simplified"),
        (to_traditional(CHINESE), "traditional"),
        (CHINESE + to_traditional(CHINESE), "mixed"),
        ("人民日月山水", ""),
        ("皇后在台上，一干人等了于里外", ""),  # all of them in both scripts
        (f"书名《國富論》，{CHINESE * 4}", "simplified"),
        ("Hello, world. This is a test of the system.", ""),
    ],
)
def test_the_script_is_told(text: str, script: str) -> None:
    assert identify(text).script == script


def test_characters_of_one_script_are_those_that_opencc_converts() -> None:
    han = [chr(code) for first, last in HAN for code in range(first, last + 1)]
    converted = {(to_traditional, "big5"): [], (to_simplified, "gb2312"): []}
    for (convert, other), changed in converted.items():
        pairs = zip(han, convert("\n".join(han)).split("\n"), strict=True)
        changed += [a for a, b in pairs if a != b and not a.encode(other, "ignore")]
    simplified, traditional = map(frozenset, converted.values())
    assert scripts() == (simplified - traditional, traditional - simplified), "OpenCC has changed: write lexicon/scripts.txt anew"
    assert common_han().issuperset(map(to_traditional, (c for c in common_han() if to_simplified(c) == c)))


def test_characters_in_one_script_are_those_that_opencc_gives() -> None:
    traditional = "".join(c for c in scripts()[1] if ord(c) < 0x10000)
    assert in_one_script(traditional) == to_simplified("\n".join(traditional)).replace("\n", "")
    assert in_one_script("走著，著名，裏裡，於，衞生") == "走着，着名，里里，于，卫生"
    assert in_one_script(CHINESE) == in_one_script(to_traditional(CHINESE)) == CHINESE


def test_english_is_told_without_the_model_and_as_by_it() -> None:
    long = (
        "The committee discussed how the branches could improve their work this year, and which of them were to be visited. " * 4
    )
    dutch = "De commissie besprak hoe de afdelingen hun werk dit jaar kunnen verbeteren, en wat er was en is. " * 4
    before = _identifier.cache_info()
    assert [identify(text).language for text in (long, long + CODE)] == ["en", "en"]
    assert _identifier.cache_info() == before
    assert [_identifier().classify(text)[0] for text in (long, long + CODE)] == ["en", "en"]
    assert identify(dutch).language == "nl"


def test_conversion_goes_by_words() -> None:
    assert to_traditional("头发和发展，皇后以后") == "頭髮和發展，皇后以後"
    assert to_simplified("頭髮和發展，皇后以後") == "头发和发展，皇后以后"


def test_news_is_chinese(news: list[str]) -> None:
    found = {identify(text) for text in news}
    assert {one.language for one in found} == {"zh"}
    assert {one.script for one in found} <= {"simplified", "traditional"}
