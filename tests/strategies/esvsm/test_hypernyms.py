"""Hypernyms: each source in its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from relevance_tools import write_resources

from topical_crawler.resources.cilin import CilinTree
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.esvsm.topic_model import Hypernym, _by_cilin, direct_hypernym, head_word, related_words


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
        pytest.param("乐曲", "音乐", "cilin_tree", id="the classes of Cilin, without those that are called by their words"),
        pytest.param("机器学习", "人工智能理论", "clc", id="the category above"),
        pytest.param("ＤＢ程序员", "程序员", "head", id="full-width forms"),
    ],
)
def test_direct_hypernyms(tmp_path: Path, word: str, hypernym: str, source: str) -> None:
    assert direct_hypernym(word, write_resources(tmp_path)) == Hypernym(hypernym, source)


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


@pytest.mark.parametrize("word", ["酷睿", "但是", ""])
def test_words_without_a_hypernym(tmp_path: Path, word: str) -> None:
    assert direct_hypernym(word, write_resources(tmp_path)) is None


def test_without_the_tree_a_sememe_that_is_the_word_itself_says_nothing(tmp_path: Path) -> None:
    resources = write_resources(tmp_path, "hownet")
    assert direct_hypernym("操作系统", resources) == Hypernym("软件", "hownet")
    assert direct_hypernym("电脑", resources) is None


def test_without_resources_there_are_heads() -> None:
    assert direct_hypernym("智能手机", Resources.none()) == Hypernym("手机", "head")
    assert direct_hypernym("操作系统", Resources.none()) == Hypernym("系统", "head")
    assert direct_hypernym("文本挖掘", Resources.none()) == Hypernym("挖掘", "head")  # a verb, where there is nothing better
    assert direct_hypernym("手机", Resources.none()) is None


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("足球", "球"),  # of 体育用品 球 棋 the one that it ends with
        ("无人机", "飞机"),  # the last character of 船 筏子 飞机
        ("衬衫", "衣服"),  # the first
        ("大象", "动物"),  # the names of the class stand beside it
        ("医生", None),  # 职业 parts people and is none of them
        ("马拉松", None),  # only as an adjective
    ],
)
def test_classes_of_cilin(tmp_path: Path, word: str, name: str | None) -> None:
    places = {
        "足球": ("B", "物", "p", "用品", "体育用品 球 棋"),
        "无人机": ("B", "物", "o", "机具", "船 筏子 飞机"),
        "衬衫": ("B", "物", "q", "衣物", "衣服 上装 裤子"),
        "大象": ("B", "物", "i", "动物", "狮 虎 大象"),
        "医生": ("A", "人", "e", "职业", "医生 护士"),
        "马拉松": ("E", "特征", "a", "表象", "长久 永远"),
    }
    top, tag, second, above, near = places[word]
    groups = {"A": {"tag": word, "sub": {"01=": [word]}}}
    tree = {top: {"tag": tag, "sub": {second: {"tag": above, "sub": {"01": {"tag": near, "sub": groups}}}}}}
    (file := tmp_path / "tree.json").write_text(json.dumps(tree), encoding="utf-8")
    assert _by_cilin(word, CilinTree(file), {word}, None) == name


def test_related_words(tmp_path: Path) -> None:
    resources = write_resources(tmp_path)
    assert related_words("软件", resources, n=2) == ["软体", "程序", "驱动"]
    assert related_words("程序", resources, n=1) == ["数据库", "软件"]
    assert related_words("人工智能理论", resources) == ["机器学习", "自动推理"]
    assert related_words("酷睿", resources) == []
    assert related_words("软件", Resources.none()) == []
