"""Vertical text, read by a strict reader: every tag where it may stand, every line of two columns."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from html import unescape

from export_tools import PAGE, row, texts
from hypothesis import given, settings
from scrapy.settings import Settings

from topical_crawler.cli.corpus.exporting import tagger
from topical_crawler.export.rows import ExportRow, as_dict
from topical_crawler.export.tagging import Tagger
from topical_crawler.export.vertical import ATTRIBUTES, Vertical, encoder, legal, registry
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
            kind = line[1:-1]
            assert (kind, open_) in [("p", ["doc"]), ("s", ["doc", "p"])]
            open_.append(kind)
            if kind == "p":
                docs[-1].paragraphs.append([])
            else:
                docs[-1].paragraphs[-1].append([])
        else:
            word, tag, lemma = line.split("\t")
            assert (
                word
                and tag
                and lemma == word.lower()
                and open_ == ["doc", "p", "s"]
                and not re.search(r"[<>\t]|&(?!amp;|lt;|gt;)", word)
            )
            docs[-1].paragraphs[-1][-1].append((unescape(word), tag))
    assert open_ == []
    return docs


def written(found: ExportRow, tag: Tagger) -> list[Doc]:
    out = io.BytesIO()
    Vertical(out, tag).write(found)
    return read(out.getvalue())


def project() -> Tagger:
    return tagger("jieba", Topic("t", "党建", {"三会一课": 1.0, "引文": 1.0}), Settings({"TOPICAL_SEGMENTER": "jieba"}))


PROJECT = project()


def test_a_text_is_words_in_sentences_in_paragraphs() -> None:
    (doc,) = written(as_dict(PAGE), PROJECT)
    assert tuple(doc.attributes) == ATTRIBUTES
    assert (doc.attributes["id"], doc.attributes["title"], doc.attributes["author"]) == ("1", "主题 教育", "张&三")
    assert doc.attributes["section"] == "首页 > 党建"
    first, second = doc.paragraphs
    assert ["".join(word for word, _ in sentence) for sentence in first] == ["第一段，“引文”。", "还有！"]
    assert "".join(word for word, _ in second[0]) == "第二段<b>&amp;</b>"


@settings(max_examples=60, deadline=None)
@given(texts)
def test_the_characters_of_every_text_survive(text: str) -> None:
    (doc,) = written(row(text), PROJECT)
    found = "".join(word for paragraph in doc.paragraphs for sentence in paragraph for word, _ in sentence)
    assert found.replace(" ", "") == "".join(legal(text).split())
    assert all(sentence for paragraph in doc.paragraphs for sentence in paragraph)


def test_the_registry_names_every_attribute() -> None:
    said = registry("dangjian.vert", '党建"一"')
    assert said.count("{") == said.count("}") == 1
    assert re.findall(r"^    ATTRIBUTE (\w+)$", said, re.MULTILINE) == list(ATTRIBUTES)
    assert re.findall(r"^ATTRIBUTE (\w+)$", said, re.MULTILINE) == ["word", "tag", "lemma"]
    assert re.findall(r"^STRUCTURE (\w+)", said, re.MULTILINE) == ["doc", "p", "s"]
    assert "NAME \"党建'一'\"" in said and 'VERTICAL "dangjian.vert"' in said


def test_the_script_for_cwb_declares_every_attribute() -> None:
    said = encoder("Dang jian-1.v2.vert.gz")
    assert 'gzip -dc "$(dirname "$0")"/\'Dang jian-1.v2.vert.gz\' |' in said
    assert f"-P tag -P lemma -S doc:0+{'+'.join(ATTRIBUTES)} -S p:0 -S s:0\n" in said
    assert 'cwb-makeall -r "$2" -V DANG_JIAN-1\n' in said and 'cwb-makeall -r "$2" -V C\n' in encoder("党建.vert")
