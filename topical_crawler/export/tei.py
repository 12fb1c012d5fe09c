"""TEI P5: the XML of digital humanities, with a header that says where each text comes from.

TEI Consortium, TEI P5 Guidelines, https://tei-c.org/guidelines/p5/, chapters 2 (the header) and 15 (corpora).
"""

import contextlib
from datetime import datetime
from typing import Any, BinaryIO

from lxml import etree

from topical_crawler.export.rows import ExportRow, Writer
from topical_crawler.export.vertical import legal

NAMESPACE = "http://www.tei-c.org/ns/1.0"

_NAMESPACES: dict[Any, str] = {None: NAMESPACE}
_XML = "{http://www.w3.org/XML/1998/namespace}"
_PUBLISHER = "topical-crawler"


class TeiCorpus(Writer):
    """Writes one file: a ``teiCorpus`` with a ``TEI`` for every text."""

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
    """Writes one file: a ``TEI`` for one text."""

    def __init__(self, out: BinaryIO, topic: str = "") -> None:
        self._out = out
        self._topic = topic

    def write(self, row: ExportRow) -> None:
        self._out.write(etree.tostring(as_tei(row, self._topic), encoding="utf-8", xml_declaration=True, pretty_print=True))


def as_tei(row: ExportRow, topic: str = "") -> etree._Element:
    """A text as a ``TEI`` element, a ``p`` for every non-empty line, without characters that XML forbids.

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
    if row["license"]:
        _add(available, "licence", row["license"])
    else:
        _add(available, "p", "The page names no licence; the rights are those of its publisher")
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
    part = _add(_add(_add(tei, "text"), "body"), "div")
    lines = [line for line in legal(row["text"]).split("\n") if line.strip()]
    for line in lines or [""]:
        _add(part, "p", line)
    return tei


def _add(parent: etree._Element, name: str, text: str = "") -> etree._Element:
    child = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}")
    if text:
        child.text = legal(text)
    return child
