"""Dumps of the Open Directory."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from experiments.__main__ import main
from experiments.odp import read_odp
from topical_crawler.resources.categories import CategoryError, read_clc

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
    tree, skipped = read_odp(path)
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
    assert not skipped
    assert len(read_odp(path, root=f"{CN}/计算机/软件/")[0]) == 2


def test_odp_broken_characters_are_counted(tmp_path: Path) -> None:
    bad = (
        DUMP.replace("芯片</d:Title>", "芯\x03片&#x1F;</d:Title>")
        .encode()
        .replace(b"<catid>7", b"<catid>\xff\xfe7", 1)
        .replace('/软件/操作系统"'.encode(), "/软件/操作系".encode() + b'\xe7\xbb"')
    )
    path = tmp_path / "structure.rdf.u8"
    path.write_bytes(bad)
    tree, skipped = read_odp(path)
    assert dict(skipped) == {
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


def test_the_product_reads_what_is_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "topical_crawler.settings")
    (tmp_path / "structure.rdf.u8").write_text(DUMP, encoding="utf-8")
    assert main(["odp", str(tmp_path / "structure.rdf.u8"), str(tmp_path / "odp.json")]) == 0
    tree, _ = read_odp(tmp_path / "structure.rdf.u8")
    converted = read_clc(tmp_path / "odp.json")
    assert list(converted) == list(tree)
    assert converted.keywords(f"{CN}/计算机") == tree.keywords(f"{CN}/计算机")
