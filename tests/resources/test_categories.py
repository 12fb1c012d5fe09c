"""Category trees: reading, finding, keywords."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from topical_crawler.resources.categories import CategoryError, CategoryTree, name_terms, read_clc
from topical_crawler.resources.registry import Resources

NODES: dict[str, tuple[str, str | None]] = {
    "TP": ("计算机技术", None),
    "TP18": ("人工智能理论", "TP"),
    "TP181": ("自动推理、机器学习", "TP18"),
    "TP31": ("计算机软件", "TP"),
    "TP316": ("操作系统", "TP31"),
    "TP316.1": ("分时操作系统", "TP316"),
    "TP316.8": ("网络操作系统（NOS）", "TP316"),
    "TP316.9": ("其他", "TP316"),
    "TP39": ("其他", "TP"),
}
TREE = CategoryTree(NODES, "clc.json")


def write_clc(tmp_path: Path, data: Any) -> Path:
    path = tmp_path / "clc.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_descendants_by_generation() -> None:
    found = [(generation, category.code) for generation, category in TREE.descendants("TP")]
    assert found[:3] == [(1, "TP18"), (1, "TP31"), (1, "TP39")]
    assert found[3:] == [(2, "TP181"), (2, "TP316"), (3, "TP316.1"), (3, "TP316.8"), (3, "TP316.9")]
    assert [c.code for _, c in TREE.descendants("TP", 1)] == ["TP18", "TP31", "TP39"]
    assert list(TREE.descendants("TP", 0)) == [] == list(TREE.descendants("TP181"))
    assert [c.code for c in TREE.path("TP316.1")] == ["TP", "TP31", "TP316", "TP316.1"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("TP316", "TP316"),
        (" tp316.1 ", "TP316.1"),
        ("操作系统", "TP316"),  # exact, though others contain it
        ("机器学习", "TP181"),  # a term of the name
        ("分时", "TP316.1"),  # a part of one name alone
        ("ｎｏｓ", "TP316.8"),
    ],
)
def test_find(text: str, code: str) -> None:
    assert TREE.find(text).code == code


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("其他", "2 categories match '其他': TP316.9 计算机软件 > 操作系统 > 其他, TP39 计算机技术 > 其他. Choose one"),
        ("计算机", "2 categories match '计算机'"),
        ("网络系统", "no category matches '网络系统'. Pass a code, or another name, such as TP316.8"),
        ("  ", "the category is empty"),
    ],
)
def test_find_explains_itself(text: str, says: str) -> None:
    with pytest.raises(CategoryError, match=re.escape(says)):
        TREE.find(text)


def test_search_ranks_by_name_rarity_and_height() -> None:
    def codes(*words: str) -> list[str]:
        return [category.code for category in TREE.search(words)]

    assert codes("操作系统", "内核")[:2] == ["TP316", "TP316.1"]
    assert codes("操作系统内核")[0] == "TP316"
    assert codes("机器学习", "人工智能")[:2] == ["TP181", "TP18"]
    assert codes("烹饪") == [] == codes("的", "")
    assert len(TREE.search(["计算机", "操作系统"], n=2)) == 2


def test_keywords_count_the_terms_that_hold_them() -> None:
    found = TREE.keywords("TP31")
    assert next(iter(found)) == "操作系统" and found["操作系统"] == 1.0
    assert found == {"操作系统": 1.0, "分时操作系统": 1 / 3, "网络操作系统": 1 / 3, "计算机软件": 1 / 3}
    assert TREE.keywords("TP31", generations=1) == {"操作系统": 1.0, "计算机软件": 1.0}
    with pytest.raises(CategoryError, match="hold no word"):
        TREE.keywords("TP39")
    with pytest.raises(CategoryError, match="no category 'XX'"):
        TREE.keywords("XX")


def test_names_that_stand_everywhere_are_no_keywords() -> None:
    nodes: dict[str, tuple[str, str | None]] = {"T": ("工业技术", None), "TP": ("计算机", "T"), "TP0": ("设计", "TP")}
    for i in range(9):
        nodes[f"T{i}"] = (f"工业{'甲乙丙丁戊己庚辛壬'[i]}", "T")
        nodes[f"T{i}0"] = ("设计", f"T{i}")
    tree = CategoryTree(nodes, "clc.json")
    assert tree.keywords("TP") == {"计算机": 1.0}
    assert tree.keywords("TP0") == {"设计": 1.0}  # the node's own name stays


def test_no_tree() -> None:
    with pytest.raises(CategoryError, match="A has an unknown parent B"):
        CategoryTree({"A": ("甲", "B")}, "x")
    with pytest.raises(CategoryError, match="its own ancestor"):
        CategoryTree({"R": ("根", None), "A": ("甲", "B"), "B": ("乙", "A")}, "x")
    with pytest.raises(CategoryError, match="no category in it"):
        CategoryTree({}, "x")


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("分布式操作系统、并行式操作系统", ["分布式操作系统", "并行式操作系统"]),
        ("信息处理（信息加工）", ["信息处理"]),
        ("哲学家（孔鲋（公元前264～前208年））", ["哲学家"]),
        ("独立（1960年~）", ["独立"]),
        ("1979年以后历史", []),
        ("二十世纪哲学", []),
        ("其他", []),
        ("其他炼铁炉", ["炼铁炉"]),
        ("桥梁：按桥面系位置分", ["桥梁"]),
        ("按能源分", []),
        ("酯及其衍生物", ["衍生物"]),
        ("空调与照明", ["空调", "照明"]),
        ("普及读物和参考书", ["普及读物", "参考书"]),
        ("共和国、不饱和脂肪、埃及", ["共和国", "不饱和脂肪", "埃及"]),
        ("DOS操作系统", ["dos操作系统"]),
        ("", []),
    ],
)
def test_terms_of_names(name: str, terms: list[str]) -> None:
    assert name_terms(name) == terms


def test_clc_is_read_by_up_level(tmp_path: Path) -> None:
    data = {
        "T": {"name": "工业技术", "level": 1, "up_level": None, "next_level": ["TP", "TP316"]},
        "TP": {"name": " 计算机 ", "level": 2, "up_level": "T", "next_level": ["TP316"]},
        "TP316": {"name": "操作系统", "level": 3, "up_level": "TP", "next_level": []},
    }
    tree = read_clc(write_clc(tmp_path, data))
    assert len(tree) == 3 and tree.find("TP").name == "计算机"
    assert tree.find("T").children == ("TP",) and tree.find("TP").children == ("TP316",)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("{", "clc.json:1: not JSON"),
        ([], "expected a JSON object of classes, got list"),
        ({}, "no category in it"),
        ({"A": {"up_level": None}}, "class 'A': expected an object with 'name' and 'up_level'"),
        ({"A": "甲"}, "class 'A'"),
        ({"A": {"name": "甲", "up_level": "B"}}, "A has an unknown parent B"),
        ("[" * 100_000, r"nested too deeply\. Get the file again"),
    ],
)
def test_bad_clc(tmp_path: Path, data: Any, says: str) -> None:
    with pytest.raises(CategoryError, match=says):
        read_clc(write_clc(tmp_path, data))


def test_the_fetched_classification(fetched_resources: dict[str, str]) -> None:
    path = Resources.from_settings(fetched_resources).path("clc")
    if path is None:
        pytest.skip("the classification is not fetched: topical-crawler resources fetch clc")
    tree = read_clc(path)
    assert len(tree) == 45785 and len([c for c in tree if c.parent is None]) == 22
    assert tree.find("操作系统").code == "TP316" and tree.find("机器学习").code == "TP181"
    assert tree.search(["操作系统", "内核"])[0].code == "TP316"
    keywords = tree.keywords("TP316")
    assert keywords["操作系统"] == 1.0 and "分时操作系统" in keywords and len(keywords) == 11
