"""Sentences, words and their tags."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from topical_crawler.export.rows import ExportError
from topical_crawler.export.tagging import JiebaTagger, Token, load_tagger, sentences, tokens, universal
from topical_crawler.text.segment import Segmenter

jieba_tagger = functools.cache(lambda: JiebaTagger(Segmenter(["三会一课", "引文"], backend="jieba"), ["三会一课", "引文"]))


def by_jieba(sentence: str) -> Iterator[tuple[str, str, str]]:
    return jieba_tagger()(sentence)


def characters(sentence: str) -> list[tuple[str, str, str]]:
    return [(character, "x", "X") for character in sentence]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("今天开会。散会！", ["今天开会。", "散会！"]),
        ("“好！”他说。走了。", ["“好！”他说。", "走了。"]),
        ("他说：“来了。坐吧！”我们去。", ["他说：“来了。", "坐吧！”", "我们去。"]),
        ("“一。二。”“三！”", ["“一。", "二。”", "“三！”"]),
        ("高喊“加油！加油！”冲过去。", ["高喊“加油！加油！”冲过去。"]),
        ("看了《你好！李焕英》，好。《为什么？》一书。", ["看了《你好！李焕英》，好。", "《为什么？》一书。"]),
        ("他来了（真的！）然后走了。", ["他来了（真的！）然后走了。"]),
        ("（全文完。）下一篇", ["（全文完。）", "下一篇"]),
        ("结束了。”他说。走。", ["结束了。”他说。", "走。"]),
        ("真的吗？！……“走。”，他说。", ["真的吗？！……", "“走。”，他说。"]),
        ("见http://a.cn/?a=1&b=2。写a!=b和$n!$。", ["见http://a.cn/?a=1&b=2。", "写a!=b和$n!$。"]),
        ("「來了。」他說。『坐！』", ["「來了。」他說。", "『坐！』"]),
        ("（“（没有关上。说完了。", ["（“（没有关上。", "说完了。"]),
    ],
)
def test_sentences(line: str, expected: list[str]) -> None:
    assert list(sentences(line)) == expected


@pytest.mark.parametrize("tagger", [by_jieba, characters, lambda sentence: [(sentence, "n", "NOUN")]])
def test_addresses_formulas_and_numbers_stay_whole(tagger: object) -> None:
    line = "写信a.b@mail.cn，见https://a.cn/1?x=y#z。约1,234.5%，$x_i + y$为2024-01-02的C++。"
    words = [token.word for token in tokens(line, tagger)]  # type: ignore[arg-type]
    wanted = ["a.b@mail.cn", "https://a.cn/1?x=y#z", "1,234.5%", "$x_i + y$", "2024-01-02"]
    if tagger in (by_jieba, characters):
        assert [word for word in words if word in wanted] == wanted
    assert "".join(words).replace(" ", "") == line.replace(" ", "")


def test_a_word_with_a_number_in_it_is_one() -> None:
    found = tokens("在2019年", lambda _: [("在", "p", "ADP"), ("2019年", "t", "NOUN")])
    assert [token.word for token in found] == ["在", "2019年"]
    found = tokens("价 $5 ", characters)
    assert found == [Token("价", "x", "X", True), Token("$", "x", "X", False), Token("5", "x", "NUM", True)]


def test_words_are_tagged_as_jieba_does_and_terms_stay_whole() -> None:
    found = {token.word: token for token in tokens("李小福落实三会一课制度，学习Linux和2019年规定。", by_jieba)}
    tags = {word: (token.tag, token.upos) for word, token in found.items()}
    assert (tags["李小福"], tags["三会一课"]) == (("nr", "PROPN"), ("n", "NOUN")), "a name that no dictionary has, and a term"
    assert (tags["学习"], tags["Linux"], tags["2019"]) == (("v", "VERB"), ("eng", "X"), ("m", "NUM"))
    assert (tags["，"], tags["和"]) == (("x", "PUNCT"), ("c", "CCONJ"))
    assert found["Linux"].lemma == "linux" and found["学习"].lemma == "学习"


@pytest.mark.slow
def test_both_segmenters_give_the_same_tags() -> None:
    line = "全国党建工作会议在京召开，张国强说：“基层党组织要发挥战斗堡垒作用。”"
    assert tokens(line, JiebaTagger(Segmenter(backend="rjieba"))) == tokens(line, JiebaTagger(Segmenter(backend="jieba")))


def test_universal_tags() -> None:
    assert [universal(*pair) for pair in (("会", "v"), ("会", "n"), ("这", "r"), ("我", "r"), ("年", "m"), ("三", "m"))] == [
        "AUX", "NOUN", "DET", "PRON", "NOUN", "NUM",
    ]  # fmt: skip


def test_a_tagger_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_tagger.py").write_text("def tag(sentence):\n    return [(sentence, 'NN', 'NOUN')]\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert tokens("开会", load_tagger("own_tagger:tag")) == [Token("开会", "NN", "NOUN", False)]
    for name in ("own_tagger:cut", "no_tagger:tag", "own_tagger", ":tag"):
        with pytest.raises(ExportError, match="Name it MODULE:FUNCTION"):
            load_tagger(name)
