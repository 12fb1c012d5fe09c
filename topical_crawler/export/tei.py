"""TEI P5, the XML of digital humanities, with the provenance of each text in its header.

TEI Consortium, TEI P5 Guidelines, https://tei-c.org/guidelines/p5/, chapters 2 (the header) and 15 (corpora).
"""

import contextlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any, BinaryIO

from lxml import etree

from topical_crawler.export.rows import ExportRow, Writer
from topical_crawler.export.vertical import legal
from topical_crawler.text.passages import Passage, passages
from topical_crawler.web.rights import RESERVED

NAMESPACE = "http://www.tei-c.org/ns/1.0"

_NAMESPACES: dict[Any, str] = {None: NAMESPACE}
_XML = "{http://www.w3.org/XML/1998/namespace}"
_PUBLISHER = "topical-crawler"


class TeiCorpus(Writer):
    """Writer of one file: a ``teiCorpus`` with a ``TEI`` for every text."""

    def __init__(self, out: BinaryIO, topic: str = "") -> None:
        self._topic = topic
        self._open = contextlib.ExitStack()
        self._file = self._open.enter_context(etree.xmlfile(out, encoding="utf-8"))
        self._file.write_declaration()
        self._open.enter_context(self._file.element(f"{{{NAMESPACE}}}teiCorpus", nsmap=_NAMESPACES))
        header = etree.Element(f"{{{NAMESPACE}}}teiHeader", nsmap=_NAMESPACES)
        file = _add(header, "fileDesc")
        _add(_add(file, "titleStmt"), "title", topic or "Corpus")
        _add(_add(file, "publicationStmt"), "p", f"Collected from the web with {_PUBLISHER}")
        _add(_add(file, "sourceDesc"), "p", "Web pages; every text names its own")
        self._file.write(header, pretty_print=True)

    def write(self, row: ExportRow) -> None:
        self._file.write(as_tei(row, self._topic), pretty_print=True)

    def close(self) -> None:
        self._open.close()


class TeiText(Writer):
    """Writer of one file: a ``TEI`` for one text."""

    def __init__(self, out: BinaryIO, topic: str = "") -> None:
        self._out = out
        self._topic = topic

    def write(self, row: ExportRow) -> None:
        self._out.write(etree.tostring(as_tei(row, self._topic), encoding="utf-8", xml_declaration=True, pretty_print=True))


def as_tei(row: ExportRow, topic: str = "") -> etree._Element:
    """Return a text as a ``TEI`` element, with a ``p`` for every paragraph, without empty lines and characters illegal in XML.

    >>> from topical_crawler.corpus.record import Record
    >>> from topical_crawler.export.rows import as_dict
    >>> tei = as_tei(as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="开会。\\n散会。")))
    >>> [p.text for p in tei.iterfind(".//{*}body//{*}p")]
    ['开会。', '散会。']
    """
    tei = etree.Element(f"{{{NAMESPACE}}}TEI", nsmap=_NAMESPACES)
    tei.set(f"{_XML}id", f"p{row['order']}")
    header = _add(tei, "teiHeader")
    file = _add(header, "fileDesc")
    title = _add(file, "titleStmt")
    _add(title, "title", row["title"] or row["url"])
    if row["author"]:
        _add(title, "author", row["author"])
    _add(file, "extent", f"{row['characters']} characters")
    publication = _add(file, "publicationStmt")
    _add(publication, "distributor", _PUBLISHER)
    available = _add(publication, "availability")
    asked = set(row["rights"].split("; "))
    available.set("status", "restricted" if asked & set(RESERVED) else "unknown")
    if row["license"]:
        _add(available, "licence", row["license"])
    else:
        also = f"; its site reserves: {row['rights']}" if row["rights"] else ""
        _add(available, "p", f"The page names no licence; the rights are those of its publisher{also}")
    bibl = _add(_add(file, "sourceDesc"), "bibl")
    _add(bibl, "title", row["title"] or row["url"])
    if row["source"]:
        _add(bibl, "publisher", row["source"])
    _add(bibl, "idno", row["host"]).set("type", "host")
    for place in row["places"]:
        _add(bibl, "idno", place).set("type", "URL")
    for kind, value in (("publication", row["date"]), ("fetched", row["fetched"])):
        if value:
            date = _add(bibl, "date", value)
            date.set("type", kind)
            with contextlib.suppress(ValueError):  # a page may give a day that does not exist
                datetime.fromisoformat(value)
                date.set("when", value)
    profile = _add(header, "profileDesc")
    if row["language"]:
        _add(_add(profile, "langUsage"), "language", row["language"]).set("ident", row["language"])
    if topic or row["section"]:
        words = _add(_add(profile, "textClass"), "keywords")
        for kind, value in (("topic", topic), ("section", row["section"])):
            if value:
                _add(words, "term", value).set("type", kind)
    _add_passages(_add(_add(_add(tei, "text"), "body"), "div"), passages(legal(row["text"]), row["layout"]))
    return tei


def _add_passages(division: etree._Element, text: Iterable[Passage]) -> None:
    """Fill a ``div``, with a nested ``div`` for the part below a heading."""
    divisions = [(0, division)]
    lists: list[etree._Element] = []  # around the preceding item
    before: etree._Element | None = None
    for passage in text:
        words = passage.text
        if not words.strip():
            continue
        if passage.kind != "item":
            lists.clear()
        here = divisions[-1][1]
        match passage.kind:
            case "heading":
                while divisions[-1][0] >= max(passage.level, 1):
                    divisions.pop()
                before = _add(divisions[-1][1], "div")
                divisions.append((max(passage.level, 1), before))
                _add(before, "head", words)
            case "item":
                rend = "numbered" if passage.note else "bulleted"
                del lists[max(passage.level, 1) :]
                if len(lists) == max(passage.level, 1) and lists[-1].get("rend") != rend:
                    lists.pop()
                if len(lists) < max(passage.level, 1):
                    lists.append(_add(lists[-1][-1] if lists else here, "list"))
                    lists[-1].set("rend", rend)
                before = _add(lists[-1], "item", words)
                if passage.note:
                    before.set("n", legal(passage.note))
            case "quote":
                if before is None or before.tag != f"{{{NAMESPACE}}}quote":
                    before = _add(here, "quote")
                _add(before, "p", words)
            case "code" | "formula":
                before = _add(here, "p")
                whole = _add(before, passage.kind, words)
                if passage.kind == "formula":
                    whole.set("notation", "TeX")
                elif passage.note:
                    whole.set("lang", legal(passage.note))
            case "table":
                before = _add(here, "table")
                for line in words.split("\n"):
                    cells = _add(before, "row")
                    for cell in line.split("\t"):
                        _add(cells, "cell", cell)
            case "caption":
                before = _add(here, "figure")
                _add(before, "head", words)
            case _:
                before = _add(here, "p", words)
    if not len(division):
        _add(division, "p")


def _add(parent: etree._Element, name: str, text: str = "") -> etree._Element:
    child = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}")
    if text:
        child.text = legal(text)
    return child
