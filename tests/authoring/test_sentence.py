"""A sentence as words. What 152 sentences lose is measured by benchmarks/sentence_reading.py."""

import pytest

from topical_crawler.authoring.sentence import read


def unknown(word: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("sentence", "words", "compounds"),
    [
        ("维生素C和维生素D缺乏症", "维生素 缺乏症", "维生素c 维生素d d缺乏症"),  # to which a letter belongs is not known
        ("C语言与A股", "c语言 a股", ""),
        ("B站UP主", "b站 up主", "b站up主"),
        ("歼-20与东风-41导弹", "歼-20 东风-41 导弹", ""),
        ("C++、C#和.NET", "c++ c# .net", ""),
        ("党支部“三会一课”", "党支部 三会一课", ""),
        ("《红楼梦》与“双减”", "红楼梦 双减", ""),
        ("长难句、多肉、台钓", "难句 多肉 台钓", "长难句"),
        ("和声、对位", "和声 对位", ""),
        ("编译原理：词法", "编译 词法", "编译原理"),
        ("石墨烯、王阳明心学、儿童绘本阅读", "石墨烯 王阳明 心学 儿童 绘本 阅读", "王阳明心学 儿童绘本 绘本阅读"),
        ("基金定投", "基金 定投", "基金定投"),
        ("管理师考试", "管理师 考试", "管理师考试"),
        ("持续集成", "集成", "持续集成"),
        ("早餐吃什么", "早餐", ""),
        ("如何用Go语言写服务", "go 语言 服务", "go语言"),
        ("知识图谱", "知识 图谱", "知识图谱"),
        ("2023年空气、055型驱逐舰", "空气 055型 驱逐舰", ""),
        ("比亚迪、蔚来", "比亚迪 蔚来", ""),
        ("双十一快递", "双十一 快递", "双十一快递"),
        ("数据库相关索引", "数据库 索引", ""),
        ("家常菜谱与烹饪方法", "家常菜谱 烹饪", "烹饪方法"),
        ("大数据处理与物联网技术", "大数据 处理 物联网", "大数据处理 物联网技术"),
        ("红茶的烘焙和冲煮", "红茶 烘焙 冲煮", ""),
        ("introduction to Rust and WebAssembly", "rust webassembly", ""),
    ],
)
def test_words_and_what_belongs_to_them(sentence: str, words: str, compounds: str) -> None:
    reading = read(sentence, unknown)
    assert (reading.words, list(reading.compounds)) == (words.split(), compounds.split())


@pytest.mark.parametrize(
    "sentence",
    [
        "我想找一些讲区块链的文章", "请收集区块链资料汇编", "区块链公开课", "区块链入门到精通", "区块链的新闻报道，谢谢",
        "区块链，包括其应用",
    ],
)  # fmt: skip
def test_what_is_asked_for_is_no_word(sentence: str) -> None:
    assert read(sentence, unknown).words == ["区块链"]


def test_parts_are_no_words_of_the_request() -> None:
    assert read("计算方法", unknown).parts == {"计算": "计算 + 方法"}
    assert "糖尿病" in read("糖尿病人", unknown).parts


def test_every_word_is_shown_with_how_it_was_parted_or_why_it_is_not_used() -> None:
    reading = read("主要是茶和酒的文献，附近的旅馆", unknown)
    assert reading.left_out == ["主要", "茶", "酒", "文献", "附近"] and reading.function_words == ["是", "和", "的"]
    locks = read("MySQL 数据库的索引、事务与锁", unknown)
    assert [*locks.words, *locks.left_out, *locks.function_words] == ["mysql", "数据库", "索引", "事务", "锁", "的", "与"]
    assert read("医学知识", unknown).parts == {"医学": "医学 + 知识"}
    assert read("2023年的新能源汽车", unknown).left_out == ["2023年"]
    assert read("新能源汽车", unknown).compounds == {"新能源汽车": "新能源 + 汽车"}
    assert read("主要城市", unknown).left_out == []


def test_a_resource_joins_neither_numbers_nor_the_request_to_a_word() -> None:
    reading = read("前端三大框架与操作系统原理", {"三大", "操作系统原理", "前端框架"}.__contains__)
    assert reading.words == ["前端", "框架", "操作系统"]
