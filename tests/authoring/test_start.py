"""What a topic begins with."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topical_crawler.authoring.folder import BuiltFolder
from topical_crawler.authoring.sentence import specificity
from topical_crawler.authoring.start import (
    GENERAL,
    THRESHOLDS,
    FirstTerm,
    Start,
    from_category,
    from_keywords,
    from_sentence,
    from_texts,
    known_words,
    other_names,
    write_start,
)
from topical_crawler.package_data import data_folder
from topical_crawler.resources.categories import CategoryError, CategoryTree
from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import Segmenter, lexicon_words, normalise
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import load_topic


@pytest.fixture
def resources(tmp_path: Path) -> Resources:
    """Vectors of two words, and a Cilin of one group."""
    np.save(tmp_path / "own.npy", np.eye(2, dtype=np.float32))
    (tmp_path / "own.vocab").write_text("机器学习\n足球\n", encoding="utf-8")
    (tmp_path / "cilin.txt").write_text("Ba01A01= 支持向量机 核机器\n", encoding="utf-8")
    return Resources(None, {"vectors": tmp_path / "own.npy", "cilin": tmp_path / "cilin.txt"})


def words(terms: list[FirstTerm]) -> list[str]:
    return [term.word for term in terms]


def weights(start: Start) -> dict[str, float | None]:
    return {term.word: None if math.isnan(term.weight) else term.weight for term in start.terms}


@pytest.mark.parametrize(
    ("sentence", "own"),
    [
        ("财经新闻：股市、基金与宏观经济", "财经新闻 股市 基金 宏观经济"),
        ("交通运输法规与道路安全管理", "交通运输 法规 道路 安全 管理"),
        ("微信、微博与版权", "微信 微博 版权"),  # stop words on a page
    ],
)
def test_no_word_of_a_sentence_is_lost(sentence: str, own: str) -> None:
    start = from_sentence(sentence)
    assert start.words == own.split()
    assert start.left_out == []
    assert all(term.yours for term in start.terms if term.word in start.words)


def test_words_of_general_use_weigh_less() -> None:
    start = from_sentence("教育政策与高考改革")
    assert weights(start) == {"教育": 0.5, "政策": 0.5, "高考": None, "改革": 0.5, "教育政策": None, "高考改革": None}
    assert weights(from_sentence("房价")) == {"房价": None}  # beside nothing heavier
    assert weights(from_sentence("中国的工作和方法")) == {"中国": None, "工作": None}


def test_words_that_any_field_has_weigh_less_though_newspapers_seldom_have_them() -> None:
    assert specificity("流程") > GENERAL
    assert weights(from_sentence("集群流程")) == {"集群": None, "流程": 0.5, "集群流程": None}
    assert from_sentence("管理与服务").is_general and not from_sentence("集群与服务").is_general


def test_of_traditional_characters_both_forms_are_terms() -> None:
    start = from_sentence("區塊鏈與資料庫軟體的原理")
    assert start.words == ["区块链", "数据库", "软件"] and start.left_out == ["原理"]
    forms = {term.word for term in start.terms if term.why.startswith("other name of")}
    assert forms == {"區塊鏈", "資料庫", "軟體", "資料庫軟體", "區塊"}


def test_words_about_the_request_are_no_terms() -> None:
    start = from_sentence("介绍操作系统原理与物联网技术的应用")
    assert (start.words, start.left_out) == (["操作系统", "物联网"], ["介绍", "原理", "技术", "应用"])
    assert from_sentence("基础教学").words == ["基础", "教学"]  # of which they are a part
    assert from_sentence("方法与应用").words == ["方法", "应用"]  # nothing else is there


def test_words_that_a_resource_knows_as_one_are_joined(resources: Resources) -> None:
    plain = from_sentence("机器学习方法和支持向量机")
    assert plain.words == ["机器", "学习", "支持向量机"] and "机器学习" in words(plain.terms)
    assert plain.left_out == ["方法"]
    knowing = from_sentence("机器学习方法和支持向量机", known_words(resources))
    assert knowing.words == ["机器学习", "支持向量机"]


def test_what_a_long_word_is_made_of_weighs_less_unless_it_is_specific() -> None:
    start = from_sentence("计算机硬件和操作系统")
    assert start.words == ["计算机硬件", "操作系统"]
    assert weights(start) == {"计算机硬件": None, "操作系统": None, "计算机": 0.25, "硬件": None}


def test_a_telling_word_is_kept_whatever_the_dictionary_calls_it() -> None:
    segmenter = Segmenter()
    assert not segmenter.is_content("虚拟机")
    assert from_sentence("虚拟机与随笔").words == ["虚拟机", "随笔"]
    for sentence in ("但是因为如果", "，的了！"):
        assert from_sentence(sentence).terms == []


def test_specificity() -> None:
    assert specificity("进行") < specificity("工作") < specificity("系统") < specificity("软件") < specificity("内核")
    assert specificity("线程") == 1.0 == specificity("从未见过的词")  # not in the table


SEGMENTER = Segmenter(stopwords=lexicon_words("stopwords.txt"))


@settings(max_examples=25)  # each looks its words up in the whole dictionary
@given(st.text(max_size=60))
def test_any_sentence_is_read(sentence: str) -> None:
    start = from_sentence(sentence)
    found = words(start.terms)
    assert len(set(found)) == len(found)
    assert all(SEGMENTER.is_content(word) or specificity(word) >= 0.9 for word in found)


def test_keywords_are_taken_as_they_are() -> None:
    assert words(from_keywords(["Ｌｉｎｕｘ内核", " 方法 ", "", "方法"]).terms) == ["linux内核", "方法"]


def test_texts_give_their_own_words_with_falling_weights() -> None:
    texts = ["信号量保护临界区，进程在信号量上等待。今天天气很好。", "两个进程互相等待信号量，就成死锁。大家的工作很好。"]
    terms = from_texts(texts, 4).terms
    assert {"信号量", "进程"} <= set(words(terms))
    assert not {"工作", "天气", "大家"} & set(words(terms))
    weights = [term.weight for term in terms]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 1
    assert from_texts(["，，，"]).terms == []
    assert words(from_texts([f"信号量 {'x1' * 30} {'x1' * 30}"]).terms) == ["信号量"]  # what terms.tsv cannot hold


def test_a_category_gives_the_names_below_it() -> None:
    nodes = {"TP": ("计算机技术", None), "TP316": ("操作系统", "TP"), "TP316.1": ("分时操作系统", "TP316")}
    tree = CategoryTree(nodes, "an example")
    terms = from_category(tree, "操作系统").terms
    assert [(t.word, math.isnan(t.weight)) for t in terms] == [("操作系统", True), ("分时操作系统", False)]
    with pytest.raises(CategoryError, match="TP9"):
        from_category(tree, "TP9")


def test_the_first_source_of_a_word_counts() -> None:
    start = Start([FirstTerm("内核", math.nan, "keyword")])
    start.add(Start([FirstTerm("内核", 0.5, "texts"), FirstTerm("进程", 0.4, "texts")], ["方法"]))
    start.add(Start([], ["方法", "内核"]))
    assert [(t.word, t.why) for t in start.terms] == [("内核", "keyword"), ("进程", "texts")]
    assert start.left_out == ["方法"]


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("网页前端框架", "前端"),  # to the dictionary a direction
        ("海外院校", "海外"),  # a place
        ("宋代的瓷器", "宋代"),  # a time
        ("民营的医院", "民营"),  # a kind
        ("湿地的鸟类", "湿地"),  # a state
    ],
)
def test_words_for_circumstances_are_terms(sentence: str, named: str) -> None:
    assert named in words(from_sentence(sentence).terms)
    assert "附近" not in words(from_sentence(f"附近的{sentence}").terms)


def test_other_words_for_the_same_are_terms() -> None:
    terms = from_sentence("环境保护与股市").terms
    found = {term.word: term for term in other_names(terms)}
    assert found["环保"].why == "other name of 环境保护" and math.isnan(found["环保"].weight)
    assert found["股票市场"].weight == 0.5  # as 股市 does
    start = from_sentence("日语和日本语")
    start.add(Start(other_names(start.terms)))
    assert words(start.terms) == ["日语", "日本语", "日文"] and start.words == ["日语", "日本语"]


def test_the_lists_of_words_for_the_same_have_each_word_once() -> None:
    lines = data_folder().joinpath("same_words.txt").read_text(encoding="utf-8").splitlines()
    listed = [word for line in lines if not line.startswith("#") for word in line.split()]
    assert len(listed) > 100
    assert sorted(listed) == sorted({normalise(word) for word in listed})
    assert all(len(line.split()) != 1 for line in lines)


def test_the_folder_is_a_topic_and_is_not_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "os"
    terms = [FirstTerm("内核", math.nan, "sentence"), FirstTerm("进程", 0.5, "texts: 3 times")]
    terms.append(FirstTerm("系统", 0.5, "sentence", yours=True))
    write_start(folder, '操作"系统"\n原理', "说明", terms, ["http://a.cn/"])
    topic = load_topic(folder)
    assert topic.title == '操作"系统" 原理'
    assert topic.terms == {"内核": 1.0, "进程": 0.5, "系统": 0.5}
    assert topic.seeds == ("http://a.cn/",)
    assert topic.parameters["semantic"] == THRESHOLDS
    present = BuiltFolder(folder).read("terms.tsv")  # what a build finds: a sentence's terms are yours, the others not
    assert (set(present.words), set(present.open)) == ({"内核", "系统"}, {"内核", "系统"})
    assert "进程" in present.built
    before = (folder / "terms.tsv").read_bytes()
    with pytest.raises(TopicError, match="already"):
        write_start(folder, "x", "", terms, [])
    with pytest.raises(TopicError, match="no term"):
        write_start(tmp_path / "empty", "x", "", [], [])
    assert (folder / "terms.tsv").read_bytes() == before
    assert not (tmp_path / "empty").exists()
