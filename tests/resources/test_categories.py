"""Category trees: reading, finding, keywords."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.categories import CategoryError, CategoryTree, name_terms, read_clc, read_odp
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


# ---------------------------------------------------------------- the tree


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
        ("其他", "2 categories fit '其他': TP316.9 计算机软件 > 操作系统 > 其他; TP39 计算机技术 > 其他. Remedy: give the code"),
        ("计算机", "2 categories fit '计算机'"),
        ("网络系统", "no category fits '网络系统'. Remedy: give a code, or another name; the nearest are TP316.8"),
        ("  ", "no category without a name"),
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
    with pytest.raises(CategoryError, match="A stands below B, which is not there"):
        CategoryTree({"A": ("甲", "B")}, "x")
    with pytest.raises(CategoryError, match="its own ancestor"):
        CategoryTree({"R": ("根", None), "A": ("甲", "B"), "B": ("乙", "A")}, "x")
    with pytest.raises(CategoryError, match="no category in it"):
        CategoryTree({}, "x")


parents = st.lists(st.integers(0, 10**6), min_size=1, max_size=20).map(
    lambda draws: [None, *(draw % (i + 1) for i, draw in enumerate(draws))]  # a parent is an earlier node
)


@given(
    parents=parents, generations=st.integers(0, 6), names=st.lists(st.text("操作系统网络", max_size=4), min_size=21, max_size=21)
)
def test_any_tree(parents: list[int | None], generations: int, names: list[str]) -> None:
    nodes = {f"N{i}": (names[i], None if p is None else f"N{p}") for i, p in enumerate(parents)}
    tree = CategoryTree(nodes, "x")
    below = list(tree.descendants("N0", generations))
    assert {c.code for _, c in below} == {code for code in nodes if 1 < len(tree.path(code)) <= generations + 1}
    assert all(len(tree.path(c.code)) == generation + 1 for generation, c in below)
    assert [g for g, _ in below] == sorted(g for g, _ in below)
    assert all(tree.find(code).code == code for code in nodes)
    try:
        weights = list(tree.keywords("N0", generations).values())
    except CategoryError:
        assert not any(len(term) > 1 for name in names for term in name_terms(name)) or generations < 6
    else:
        assert weights[0] == 1.0 and weights == sorted(weights, reverse=True) and min(weights) > 0


# ---------------------------------------------------------------- names


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


# ---------------------------------------------------------------- the Chinese Library Classification


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
        ("{", "clc.json:1: no JSON"),
        ([], "expected a JSON object of classes, got list"),
        ({}, "no category in it"),
        ({"A": {"up_level": None}}, "class 'A': expected an object with 'name' and 'up_level'"),
        ({"A": "甲"}, "class 'A'"),
        ({"A": {"name": "甲", "up_level": "B"}}, "A stands below B"),
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


# ---------------------------------------------------------------- the Open Directory

CN = "Top/World/Chinese_Simplified_CN"
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf/">\n'
)


def topic(code: str, title: str, more: str = "") -> str:
    return f'<Topic r:id="{code}">\n  <catid>7</catid>\n  <d:Title>{title}</d:Title>\n{more}</Topic>\n'


DUMP = (
    HEAD
    + topic("", "Top")
    + topic("Top/Computers/Software", "Software")
    + topic("Top/World/Chinese_Simplified_CN_Old", "Old")
    + topic(
        CN,
        "Chinese_Simplified_CN",
        f'  <narrow r:resource="{CN}/计算机"/>\n  <symbolic r:resource="参考:{CN}/参考/计算机"/>\n'
        "  <d:Description>含 &lt;b&gt;简体&lt;/b&gt; &amp; 更多</d:Description>\n",
    )
    + topic(f"{CN}/计算机/软件/操作系统", "操作系统")
    + topic(f"{CN}/计算机", "计算机")
    + topic(f"{CN}/计算机/软件", "系统_&amp;_应用软件")
    + f'<Alias r:id="别名:{CN}/计算机"><d:Title>别名</d:Title></Alias>\n'
    + topic(f"{CN}/计算机/硬件/芯片", "芯片")
    + "</RDF>\n"
)


@pytest.mark.parametrize("packed", [False, True])
def test_odp(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "structure.rdf.u8"
    path.write_bytes(gzip.compress(DUMP.encode()) if packed else DUMP.encode())
    tree = read_odp(path)
    assert {c.code.removeprefix(CN): c.name for c in tree} == {
        "": "Chinese Simplified CN",
        "/计算机": "计算机",
        "/计算机/软件": "系统 & 应用软件",
        "/计算机/软件/操作系统": "操作系统",
        "/计算机/硬件/芯片": "芯片",
    }
    assert tree.find(CN).parent is None and tree.find("操作系统").parent == f"{CN}/计算机/软件"
    assert tree.find("芯片").parent == f"{CN}/计算机"  # 硬件 is missing in the file
    assert set(tree.keywords(f"{CN}/计算机")) == {"计算机", "系统", "应用软件", "操作系统", "芯片"}
    assert not +tree.skipped
    assert len(read_odp(path, root=f"{CN}/计算机/软件/")) == 2


def test_odp_broken_characters_are_counted(tmp_path: Path) -> None:
    bad = (
        DUMP.replace("芯片</d:Title>", "芯\x03片&#x1F;</d:Title>")
        .encode()
        .replace(b"<catid>7", b"<catid>\xff\xfe7", 1)
        .replace('/软件/操作系统"'.encode(), "/软件/操作系".encode() + b'\xe7\xbb"')
    )
    path = tmp_path / "structure.rdf.u8"
    path.write_bytes(bad)
    tree = read_odp(path)
    assert dict(+tree.skipped) == {
        "characters that are not UTF-8": 3,
        "characters that XML forbids": 2,
        "categories with a broken id": 1,
    }
    assert tree.find("芯片").code.endswith("芯片") and len(tree) == 4


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (DUMP.replace("</RDF>", "").encode(), "line 4[0-9]: no well-formed XML"),
        (DUMP.replace("<catid>", "<catid", 1).encode(), "line 4: no well-formed XML"),
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE RDF [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<RDF>&b;</RDF>',
            "line 2: a document type",
        ),
        (gzip.compress(DUMP.encode())[:-20], "damaged gzip data"),
        ((HEAD + topic("Top/Arts", "Arts") + "</RDF>").encode(), f"no category below {CN} or "),
        (b"", "no well-formed XML"),
    ],
)
def test_bad_odp(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "structure.rdf.u8"
    path.write_bytes(data)
    with pytest.raises(CategoryError, match=says):
        read_odp(path)


def test_odp_is_streamed(tmp_path: Path) -> None:
    """Several blocks, most of them of other languages: what is kept is the sub-tree."""
    path = tmp_path / "structure.rdf.u8.gz"
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as out:
        out.write(HEAD)
        for i in range(20_000):
            out.write(topic(f"Top/World/Français/Été_{i}", f"Été {i}", "  <d:Description>" + "é" * 60 + "</d:Description>\n"))
        for i in range(300):
            out.write(topic(f"{CN}/分类{i}", f"分类{i}"))
        out.write("</RDF>\n")
    tree = read_odp(path)
    assert len(tree) == 300 and not +tree.skipped and tree.find("分类299").parent is None


def test_nested_too_deep(tmp_path: Path) -> None:
    with pytest.raises(CategoryError, match="nested too deep; get the file again"):
        read_clc(write_clc(tmp_path, "[" * 100_000))
