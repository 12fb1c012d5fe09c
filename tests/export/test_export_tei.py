"""TEI as lxml reads it, valid by the document type definition that comes with trafilatura."""

import dataclasses
import io
import re
from importlib.resources import files
from pathlib import Path

import pytest
from export_tools import PAGE, PLAIN, STRUCTURED, row, texts
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from topical_crawler.export.formats import Setup
from topical_crawler.export.job import Job, to_folder
from topical_crawler.export.rows import ExportRow, as_dict
from topical_crawler.export.tei import NAMESPACE, TeiCorpus, as_tei
from topical_crawler.text.passages import KINDS, Passage, layout, plain

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
    reserved = dataclasses.replace(PLAIN, why={"rights": {"noai": True, "nofollow": True}})
    closed = as_tei(as_dict(reserved))
    assert definition.validate(closed), definition.error_log
    assert (said(closed, head + "publicationStmt/availability/p")[0] or "").endswith("; its site reserves: noai; nofollow")
    states = [node.get("status") for tei in (first, closed) for node in tei.iter(f"{{{NAMESPACE}}}availability")]
    assert states == ["unknown", "restricted"]
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


BLOCKS = {"p", "list", "quote", "table", "figure"}
CHILDREN = {
    "body": {"div"},
    "div": {"head", "div", *BLOCKS},
    "p": {"code", "formula"},
    "list": {"item"},
    "item": {"list"},
    "quote": {"p"},
    "table": {"row"},
    "row": {"cell"},
    "figure": {"head"},
}
"""What may be in an element by the Guidelines, of what is written."""


def check_structure(body: etree._Element) -> None:
    """The content models of the Guidelines: a head comes first in its div, and after a div there are only divs."""
    for node in body.iter():
        names = [etree.QName(child).localname for child in node]
        assert set(names) <= CHILDREN.get(etree.QName(node).localname, set())
        if etree.QName(node).localname == "div":
            assert sorted(names, key=lambda name: (name != "head", name == "div")) == names and names.count("head") <= 1


def test_the_structure_of_a_text() -> None:
    root = corpus(as_dict(STRUCTURED))
    (division,) = root.iter(f"{{{NAMESPACE}}}body")
    for node in division.iter():
        node.text, node.tail = (node.text or "").strip(), None
    shown = etree.tostring(division, encoding="unicode").replace(f' xmlns="{NAMESPACE}"', "")
    assert shown == (
        "<body><div><p>开场白。</p><div><head>排序</head><div><head>快速排序</head>"
        '<list rend="numbered"><item n="1">先分。<list rend="bulleted"><item>左边</item></list></item>'
        '<item n="2">再合。</item></list>'
        '<quote><p>代码如下：</p><p>再说一遍。</p></quote><p><code lang="python">def f(x):\n    return x &lt; 1</code></p>'
        '<p><formula notation="TeX">E = mc^2</formula></p>'
        "<table><row><cell>名称</cell><cell>次数</cell></row><row><cell>快排</cell><cell>3</cell></row></table>"
        "<figure><head>图一</head></figure></div></div><div><head>结语</head><p>完。</p></div></div></body>"
    )


ANY = st.builds(
    Passage, st.text("党a<&\n\t ", min_size=1, max_size=6), st.sampled_from(KINDS), st.integers(0, 4), st.sampled_from(["", "1"])
)


@given(st.lists(ANY, min_size=1, max_size=10))
def test_every_structure_is_valid(text: list[Passage]) -> None:
    root = corpus(row(plain(text), layout=layout(text)))
    (body,) = root.iter(f"{{{NAMESPACE}}}body")
    check_structure(body)
    assert "".join("".join(body.itertext()).split()) == "".join(plain(text).split())


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
