"""Cilin's groups and classes: what is read, what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from topical_crawler.resources.cilin import Cilin, CilinTree
from topical_crawler.resources.registry import Resources

GROUPS = """Bo01A27= 计算机 电脑 微机
Dk03B18# 考古 人工智能 代数
Dk20B01= 书籍 书本 图书　 书本
Hc05A01= 统筹 规划
Hc05A01= 停工 歇工
Hh02B03@ 电脑
"""
TREE = {
    "B": {
        "tag": "物",
        "sub": {"o": {"tag": "机具", "sub": {"01": {"tag": "机器 工具", "sub": {"A": {"tag": "机器 计算机", "sub": {}}}}}}},
    }
}


@pytest.fixture
def cilin(tmp_path: Path) -> Cilin:
    path = tmp_path / "cilin.txt"
    path.write_text(GROUPS, encoding="utf-8")
    return Cilin(path)


def tree(tmp_path: Path, groups: Any, text: str = "") -> CilinTree:
    data = json.loads(json.dumps(TREE))
    data["B"]["sub"]["o"]["sub"]["01"]["sub"]["A"]["sub"] = groups
    path = tmp_path / "tree.json"
    path.write_text(text or json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return CilinTree(path)


def test_groups_and_words(cilin: Cilin) -> None:
    assert len(cilin.groups) == 6 and len(cilin) == 13
    assert cilin.groups["Dk20B01"].words == ("书籍", "书本", "图书")
    assert (cilin.groups["Dk03B18"].relation, cilin.groups["Hh02B03"].relation) == ("#", "@")
    assert cilin.codes("电脑") == ("Bo01A27", "Hh02B03") and cilin.codes("天气") == ()
    assert "电脑" in cilin and "天气" not in cilin and 3 not in cilin


def test_synonyms_are_of_equal_groups_and_kin_of_others(cilin: Cilin) -> None:
    assert cilin.synonyms("电脑") == ["计算机", "微机"]
    assert cilin.synonyms("人工智能") == [] and cilin.kin("人工智能") == ["考古", "代数"]
    assert cilin.synonyms("天气") == [] == cilin.kin("天气")


def test_two_groups_of_one_code_stay_apart(cilin: Cilin) -> None:
    assert cilin.synonyms("统筹") == ["规划"]
    assert cilin.codes("停工") == ("Hc05A01/2",) and cilin.groups["Hc05A01/2"].code == "Hc05A01/2"


def test_words_are_normalised(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("\ufeffBo01A27= ＰＣ pc 电脑\n", encoding="utf-8")
    found = Cilin(path)
    assert found.groups["Bo01A27"].words == ("pc", "电脑") and "Pc" in found and found.synonyms("PC") == ["电脑"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("Aa01A02 人 士", "expected 'code word word"),
        ("Aa01A02=人 士", "expected 'code word word"),
        ("aa01A02= 人 士", "expected 'code word word"),
        ("Aa01A2= 人 士", "Correct or delete the line"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "own.txt"
    path.write_text(f"Aa01A01= 人 士\n\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{path}:3: ") + ".*" + says):
        Cilin(path)


def test_an_empty_file_and_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("\n")
    with pytest.raises(ValueError, match="no group in the file"):
        Cilin(path)
    path.write_bytes("Aa01A01= 人 士\n".encode("gb18030"))
    with pytest.raises(ValueError, match=r"not UTF-8\. Convert it"):
        Cilin(path)


def test_classes_of_a_word_upward(tmp_path: Path) -> None:
    found = tree(tmp_path, {"27=": ["计算机", "ＰＣ"], "28@": ["计算机"]})
    ((a, b, c, d),) = found.hypernyms("计算机")
    assert [x.code for x in (a, b, c, d)] == ["Bo01A", "Bo01", "Bo", "B"]
    assert a.names == ("机器", "计算机") and d.names == ("物",)
    assert list(found.hypernyms("pc")) == [(a, b, c, d)] and list(found.hypernyms("天气")) == []
    assert len(found) == 4


@pytest.mark.parametrize(
    ("groups", "text", "says"),
    [
        ({"27": ["计算机"]}, "", "at Bo01A27: expected a group of words"),
        ({"27=": ["计算机", 3]}, "", "at Bo01A27=: expected a group of words"),
        ([], "", "at Bo01A: expected a JSON object"),
        ({}, '{"A": {"tag": "人"}}', "at A: expected a class"),
        ({}, '{"Aa": {"tag": "人", "sub": {}}}', "at Aa: expected a class"),
        ({}, "[]", "at the top: expected a JSON object"),
        ({}, "{}", "got an empty one"),
        ({}, '{\n"A": ', ":2: not JSON"),
        ({}, "[" * 100_000, "nested too deep"),
    ],
)
def test_a_bad_tree_is_refused(tmp_path: Path, groups: Any, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        tree(tmp_path, groups, text)


def test_the_fetched_files(fetched_resources: dict[str, str]) -> None:
    resources = Resources.from_settings(fetched_resources)
    groups, classes = resources.path("cilin"), resources.path("cilin_tree")
    if groups is None or classes is None:
        pytest.skip("Cilin is not fetched: topical-crawler resources fetch cilin cilin_tree")
    cilin, found = Cilin(groups), CilinTree(classes)
    assert len(cilin.groups) == 17817 and len([code for code in cilin.groups if "/" in code]) == 10
    assert "电脑" in cilin.synonyms("计算机")
    assert all(code[:5] in found.classes for code in cilin.groups)
    assert [c.names[0] for c in next(found.hypernyms("党员"))] == ["成员", "成员", "关系", "人"]
