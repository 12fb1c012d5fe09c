"""Hypernyms: each source in its place."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from relevance_tools import write_resources

from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.esvsm.hypernyms import Hypernym, direct_hypernym, head_word
from topical_crawler.strategies.esvsm.topic_model import related_words


@pytest.mark.parametrize(
    ("word", "head"),
    [
        ("智能手机", "手机"),
        ("笔记本电脑", "电脑"),
        ("卷积神经网络", "神经网络"),  # the longest: 网络 is a noun, too
        ("文本挖掘", None),  # a verb
        ("计算机", None),  # 算机 is no word, and one character is no head
        ("酷睿", None),
        ("", None),
    ],
)
def test_the_head_of_a_phrase(word: str, head: str | None) -> None:
    assert head_word(word) == head


@pytest.mark.parametrize(
    ("word", "hypernym", "source"),
    [
        pytest.param("智能手机", "手机", "head", id="a phrase that no dictionary has"),
        pytest.param("操作系统", "软件", "hownet", id="a word of HowNet is no phrase: its main sememe, not its head"),
        pytest.param("交响乐", "音乐", "hownet", id="the paper's example"),
        pytest.param("电脑", "器具", "hownet", id="the word is the sememe's: the sememe above"),
        pytest.param("计算机", "器具", "hownet", id="a synonym is no hypernym: the sememe above"),
        pytest.param("鱼", "兽", "hownet", id="of several senses the plainest"),
        pytest.param("乐曲", "音乐", "cilin", id="what its class of Cilin is by our list"),
        pytest.param("机器学习", "人工智能理论", "clc", id="the category above"),
        pytest.param("ＤＢ程序员", "程序员", "head", id="full-width forms"),
        *((word, "", "") for word in ("酷睿", "但是", "")),
    ],
)
def test_direct_hypernyms(tmp_path: Path, word: str, hypernym: str, source: str) -> None:
    assert direct_hypernym(word, write_resources(tmp_path)) == (Hypernym(hypernym, source) if hypernym else None)


@pytest.mark.parametrize(
    ("sentence", "hypernym"),
    [
        ("酷睿是英特尔（Intel）面向个人电脑推出的处理器品牌，二〇〇六年问世。", "处理器"),
        ("酷睿俗称Core，是一种处理器。", "处理器"),
        ("人们常说，酷睿是处理器品牌。", None),  # no sentence of its own
        ("酷睿是提高速度的过程。", None),
        ("酷睿i5是处理器。", None),  # another word
    ],
)
def test_what_the_topics_own_texts_define_the_word_as(sentence: str, hypernym: str | None) -> None:
    found = direct_hypernym("酷睿", Resources.none(), ["天气晴朗。", sentence])
    assert found == (Hypernym(hypernym, "definition") if hypernym else None)


def test_without_resources_there_are_heads_and_without_the_tree_no_sememe_that_is_the_word_itself(tmp_path: Path) -> None:
    assert direct_hypernym("智能手机", Resources.none()) == Hypernym("手机", "head")
    assert direct_hypernym("操作系统", Resources.none()) == Hypernym("系统", "head")
    assert direct_hypernym("文本挖掘", Resources.none()) == Hypernym("挖掘", "head")  # a verb, where there is nothing better
    assert direct_hypernym("手机", Resources.none()) is None
    resources = write_resources(tmp_path, "hownet")
    assert direct_hypernym("操作系统", resources) == Hypernym("软件", "hownet")
    assert direct_hypernym("电脑", resources) is None


@pytest.mark.parametrize(("word", "kind"), [("银行", "金融机构"), ("书店", "商店"), ("狗熊", "哺乳动物")])
def test_the_longest_beginning_of_a_code_says_what_a_word_is(tmp_path: Path, word: str, kind: str) -> None:
    (tmp_path / "cilin.txt").write_text("Bi03A01= 熊 狗熊\nDm04A07= 书店 书局\nDm04A20= 银行 钱庄\n", encoding="utf-8")
    assert direct_hypernym(word, Resources(None, {"cilin": tmp_path / "cilin.txt"})) == Hypernym(kind, "cilin")


def test_the_list_of_kinds_names_each_code_once() -> None:
    lines = files("topical_crawler.strategies.esvsm").joinpath("kinds.txt").read_text(encoding="utf-8").splitlines()
    entries = [line.split() for line in lines if not line.startswith("#")]
    codes = [code for _, *several in entries for code in several]
    assert all(re.fullmatch(r"[A-Z][a-z](\d\d([A-Z](\d\d)?)?)?", code) for code in codes)
    assert len({name for name, *_ in entries}) == len(entries) and len(set(codes)) == len(codes) > 300


def write_tree(file: Path, large: str, class_: str, names: str, groups: dict[str, dict[str, str]]) -> Path:
    """A tree of Cilin with one class: its letters, what it is called, and words by their code below it."""
    parts = {letter: {"tag": "", "sub": {code: [word] for code, word in words.items()}} for letter, words in groups.items()}
    middle = {large[1]: {"tag": class_, "sub": {"01": {"tag": names, "sub": parts}}}}
    file.write_text(json.dumps({large[0]: {"tag": "", "sub": middle}}), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("word", "names", "parts", "name"),
    [
        ("足球", "体育用品 球 棋", {"A": {"01#": "足球"}}, "球"),  # it ends with it
        ("无人机", "船 筏子 飞机", {"A": {"01#": "无人机"}}, "飞机"),  # the last character
        ("潜望镜", "灯 风扇", {"A": {"01=": "灯"}, "B": {"01=": "风扇", "02#": "潜望镜"}}, "风扇"),  # of its own part
        ("衬衫", "衣服 上装 裤子", {"A": {"01#": "衬衫"}}, "衣服"),  # the first
        ("大象", "狮 虎 大象", {"A": {"01#": "大象"}}, "动物"),  # the names of the class stand beside it
    ],
)
def test_classes_of_cilin(tmp_path: Path, word: str, names: str, parts: dict[str, dict[str, str]], name: str) -> None:
    tree = write_tree(tmp_path / "tree.json", "Bc", "动物", names, parts)
    lines = [f"Bc01{letter}{code} {member}" for letter, words in parts.items() for code, member in words.items()]
    (tmp_path / "cilin.txt").write_text("\n".join(lines), encoding="utf-8")
    found = direct_hypernym(word, Resources(None, {"cilin_tree": tree, "cilin": tmp_path / "cilin.txt"}))
    assert found == Hypernym(name, "cilin_tree")
    abstract = write_tree(tmp_path / "tree.json", "Di", "政法", "政党", {"A": {"01=": "政党"}})
    assert direct_hypernym("政党", Resources(None, {"cilin_tree": abstract})) is None  # fields of abstract things are no kinds


def test_a_wide_name_gives_way_to_a_narrower_one(tmp_path: Path) -> None:
    (tmp_path / "hownet.txt").write_text("学校 N InstitutePlace|场所,teach|教\n", encoding="utf-8")
    rows = {"学校": "1 0", "教育机构": "0.9 0.3", "金融机构": "0.1 1", "课本": "1 0.1"}
    (tmp_path / "vectors").write_text("4 2\n" + "".join(f"{w} {row}\n" for w, row in rows.items()), encoding="utf-8")
    resources = Resources(None, {"hownet": tmp_path / "hownet.txt", "vectors": tmp_path / "vectors"})
    assert direct_hypernym("学校", resources) == Hypernym("教育机构", "vectors")
    assert direct_hypernym("学校", Resources(None, {"hownet": tmp_path / "hownet.txt"})) == Hypernym("场所", "hownet")


@pytest.mark.parametrize(
    ("of_the_name", "hypernym"),
    [
        ("InstitutePlace|场所,*sell|卖,commercial|商", "金融机构"),  # shops sell, banks do not: a bank is no shop
        ("InstitutePlace|场所,commercial|商", "商店"),  # were shops just places of business
        ("InstitutePlace|场所,generic|统称", "商店"),
    ],
)
def test_what_a_class_is_called_can_stand_beside_the_word(tmp_path: Path, of_the_name: str, hypernym: str) -> None:
    write_tree(tmp_path / "tree.json", "Dm", "", "商店", {"A": {"01=": "银行"}})
    glossary = f"银行 N InstitutePlace|场所,@lend|借出,commercial|商\n商店 N {of_the_name}\n"
    (tmp_path / "hownet.txt").write_text(glossary, encoding="utf-8")
    (tmp_path / "vectors").write_text("2 2\n银行 1 0\n金融机构 0.6 0.8\n", encoding="utf-8")
    files = {"cilin_tree": "tree.json", "hownet": "hownet.txt", "vectors": "vectors"}
    resources = Resources(None, {name: tmp_path / file for name, file in files.items()})
    found = direct_hypernym("银行", resources)
    assert found and found.word == hypernym


def test_related_words(tmp_path: Path) -> None:
    resources = write_resources(tmp_path)
    assert related_words("软件", resources, n=2) == ["软体", "程序", "驱动"]
    assert related_words("程序", resources, n=1) == ["数据库", "软件"]
    assert related_words("人工智能理论", resources) == ["机器学习", "自动推理"]
    assert related_words("酷睿", resources) == []
    assert related_words("软件", Resources.none()) == []
