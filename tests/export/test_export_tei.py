"""TEI as lxml reads it, valid by the document type definition that comes with trafilatura."""

from __future__ import annotations

import io
import re
from importlib.resources import files
from pathlib import Path

import pytest
from export_tools import PAGE, PLAIN, row, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from topical_crawler.export import Job, to_folder
from topical_crawler.export.formats import Setup
from topical_crawler.export.rows import ExportRow, as_dict
from topical_crawler.export.tei import NAMESPACE, TeiCorpus, as_tei

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@pytest.fixture(scope="module")
def definition() -> etree.DTD:
    found = files("trafilatura").joinpath("data/tei_corpus.dtd")
    return etree.DTD(io.BytesIO(found.read_bytes()))


def corpus(*found: ExportRow, topic: str = "党建") -> etree._Element:
    out = io.BytesIO()
    writer = TeiCorpus(out, topic)
    for one in found:
        writer.write(one)
    writer.close()
    return etree.fromstring(out.getvalue())


def said(node: etree._Element, path: str) -> list[str | None]:
    return [found.text for found in node.iterfind("/".join(f"{{{NAMESPACE}}}{name}" for name in path.split("/")))]


def test_a_corpus_is_valid_and_says_where_its_texts_come_from(definition: etree.DTD) -> None:
    page = as_dict(PAGE, ["http://c.cn/转载"])
    root = corpus(page, as_dict(PLAIN))
    assert definition.validate(root), definition.error_log
    first, second = root.iterfind(f"{{{NAMESPACE}}}TEI")
    assert definition.validate(as_tei(page)), definition.error_log
    assert [node.get("{http://www.w3.org/XML/1998/namespace}id") for node in (first, second)] == ["p1", "p2"]
    assert said(first, "text/body/div/p") == ["第一段，“引文”。还有！", "第二段 <b>&amp;</b>"]
    head = "teiHeader/fileDesc/"
    assert said(first, head + "titleStmt/title") == ["主题\n教育"]
    assert said(second, head + "titleStmt/title") == ["http://b.cn/2.html"]
    assert said(first, head + "titleStmt/author") == ["张&三"]
    assert said(first, head + "publicationStmt/availability/licence") == ["CC BY 4.0"]
    assert said(second, head + "publicationStmt/availability/licence") == []
    places = ["a.cn", "http://a.cn/1.html", "http://a.cn/1", "http://c.cn/转载"]
    assert said(first, head + "sourceDesc/bibl/idno") == places
    dates = [(date.get("type"), date.get("when")) for date in root.iter(f"{{{NAMESPACE}}}date")]
    assert dates == [
        ("publication", "2024-01-02"), ("fetched", "2026-11-20T08:00:00+00:00"),
        ("publication", None), ("fetched", "2026-11-20T09:00:00+00:00"),
    ]  # fmt: skip
    assert said(first, "teiHeader/profileDesc/langUsage/language") == ["zh"]
    assert said(first, "teiHeader/profileDesc/textClass/keywords/term") == ["党建", "首页 > 党建"]
    assert definition.validate(corpus(as_dict(PLAIN), topic=""))


@settings(max_examples=60)
@given(texts, st.text(st.characters(exclude_categories=["Cs"])))
def test_the_lines_of_every_text_survive(definition: etree.DTD, text: str, title: str) -> None:
    root = corpus(row(text, title=title))
    assert definition.validate(root), definition.error_log
    lines = [line for line in _FORBIDDEN.sub("", text).split("\n") if line.strip()]
    assert [found or "" for found in said(root, "TEI/text/body/div/p")] == (lines or [""])


def test_a_file_per_text(tmp_path: Path, definition: etree.DTD) -> None:
    to_folder([row("一"), row("二", 2)], tmp_path / "tei", Job(kind="tei", setup=Setup(topic="党建", alone=True)))
    found = [etree.parse(file).getroot() for file in sorted((tmp_path / "tei/texts").iterdir())]
    assert all(definition.validate(root) for root in found)
    assert [said(root, "text/body/div/p") for root in found] == [["一"], ["二"]]
