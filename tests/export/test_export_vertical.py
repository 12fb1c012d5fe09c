"""Vertical text, read by a strict reader: every tag where it may stand, every line of two columns."""

import functools
import io
import re
from dataclasses import dataclass, field
from html import unescape

from export_tools import PAGE, PASSAGES, STRUCTURED, row, texts
from hypothesis import given
from scrapy.settings import Settings

from topical_crawler.export.rows import ExportRow, as_dict
from topical_crawler.export.tagging import Tagger
from topical_crawler.export.vertical import ATTRIBUTES, STRUCTURES, Vertical, encoder, legal, registry
from topical_crawler.services.exporting import tagger
from topical_crawler.topic.topic import Topic

_ATTRIBUTE = re.compile(r' (\w+)="([^"<>\t\n]*)"')


@dataclass
class Doc:
    attributes: dict[str, str]
    paragraphs: list[list[list[tuple[str, str]]]] = field(default_factory=list)


def read(said: bytes) -> list[Doc]:
    docs: list[Doc] = []
    open_: list[str] = []
    lines = said.decode().split("\n")
    assert lines.pop() == ""
    for line in lines:
        if line.startswith("</"):
            assert line == f"</{open_.pop()}>"
        elif line.startswith("<doc "):
            assert open_ == []
            inside = line.removeprefix("<doc").removesuffix(">")
            assert _ATTRIBUTE.sub("", inside) == ""
            docs.append(Doc({name: unescape(value) for name, value in _ATTRIBUTE.findall(inside)}))
            open_ = ["doc"]
        elif line.startswith("<"):
            kind = line[1:-1].split()[0]
            assert tuple(name for name, _ in _ATTRIBUTE.findall(line)) == STRUCTURES[kind]
            assert open_ == (["doc"] if kind != "s" else ["doc", open_[-1]])
            open_.append(kind)
            if kind != "s":
                docs[-1].paragraphs.append([])
            else:
                docs[-1].paragraphs[-1].append([])
        else:
            word, tag, lemma = line.split("\t")
            assert word and tag and lemma == word.lower() and not re.search(r"[<>\t]|&(?!amp;|lt;|gt;)", word)
            assert open_ == ["doc", open_[1], "s"] and open_[1] != "gap"
            docs[-1].paragraphs[-1][-1].append((unescape(word), tag))
    assert open_ == []
    return docs


def written(found: ExportRow, tag: Tagger) -> list[Doc]:
    out = io.BytesIO()
    Vertical(out, tag).write(found)
    return read(out.getvalue())


@functools.cache
def project() -> Tagger:
    return tagger("jieba", Topic("t", "党建", {"三会一课": 1.0, "引文": 1.0}), Settings({"TOPICAL_SEGMENTER": "jieba"}))


def test_a_text_is_words_in_sentences_in_paragraphs() -> None:
    (doc,) = written(as_dict(PAGE), project())
    assert tuple(doc.attributes) == ATTRIBUTES
    assert (doc.attributes["id"], doc.attributes["title"], doc.attributes["author"]) == ("1", "主题 教育", "张&三")
    assert doc.attributes["section"] == "首页 > 党建"
    first, second = doc.paragraphs
    assert ["".join(word for word, _ in sentence) for sentence in first] == ["第一段，“引文”。", "还有！"]
    assert "".join(word for word, _ in second[0]) == "第二段<b>&amp;</b>"


def test_the_structure_of_a_text() -> None:
    out = io.BytesIO()
    Vertical(out, lambda sentence: [(sentence, "x", "X")]).write(as_dict(STRUCTURED))
    said = [re.sub(r"\t.*", "", line) for line in out.getvalue().decode().splitlines()[1:] if line not in ("<s>", "</s>")]
    assert "".join(said) == (
        '<p>开场白。</p><head level="2">排序</head><head level="3">快速排序</head><item level="1" n="1">先分。</item>'
        '<item level="2" n="">左边</item><item level="1" n="2">再合。</item><quote>代码如下：</quote><quote>再说一遍。</quote>'
        '<gap type="code" lang="python"></gap><gap type="formula" lang=""></gap><table>名称次数快排3</table>'
        '<caption>图一</caption><head level="2">结语</head><p>完。</p></doc>'
    )
    assert {"名称", "次数", "快排", "3"} <= set(said), "cells are sentences"
    assert len(read(out.getvalue())[0].paragraphs) == len(PASSAGES)


@given(texts)
def test_the_characters_of_every_text_survive(text: str) -> None:
    (doc,) = written(row(text), project())
    found = "".join(word for paragraph in doc.paragraphs for sentence in paragraph for word, _ in sentence)
    assert found.replace(" ", "") == "".join(legal(text).split())
    assert all(sentence for paragraph in doc.paragraphs for sentence in paragraph)


def test_the_registry_names_every_attribute() -> None:
    said = registry("dangjian.vert", '党建"一"')
    assert said.count("{") == said.count("}") == sum(map(bool, STRUCTURES.values()))
    assert re.findall(r"^    ATTRIBUTE (\w+)$", said, re.MULTILINE) == [name for names in STRUCTURES.values() for name in names]
    assert re.findall(r"^ATTRIBUTE (\w+)$", said, re.MULTILINE) == ["word", "tag", "lemma"]
    assert re.findall(r"^STRUCTURE (\w+)", said, re.MULTILINE) == list(STRUCTURES)
    assert "NAME \"党建'一'\"" in said and 'VERTICAL "dangjian.vert"' in said


def test_the_script_for_cwb_declares_every_attribute() -> None:
    said = encoder("Dang jian-1.v2.vert.gz")
    assert 'gzip -dc "$(dirname "$0")"/\'Dang jian-1.v2.vert.gz\' |' in said
    assert f"-P tag -P lemma -S doc:0+{'+'.join(ATTRIBUTES)} -S p:0 -S head:0+level " in said and " -S s:0\n" in said
    assert 'cwb-makeall -r "$2" -V DANG_JIAN-1\n' in said and 'cwb-makeall -r "$2" -V C\n' in encoder("党建.vert")
