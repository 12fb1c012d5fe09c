"""Readers of category trees: the Chinese Library Classification, and the Open Directory (ODP, DMOZ).

The tree itself is :class:`topical_crawler.semantics.category_tree.CategoryTree`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

from topical_crawler.semantics.category_tree import Category, CategoryError, CategoryTree
from topical_crawler.semantics.resource_files import open_packed, read_json

__all__ = ["Category", "CategoryError", "CategoryTree", "read_clc", "read_odp"]

ODP_ROOTS = ("Top/World/Chinese_Simplified_CN", "Top/World/Chinese_Simplified")
"""The Chinese directory in the dumps, which changed its name over the years."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BAD_REFERENCE = re.compile(r"&#(?:x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F])|0*(?:[0-8]|1[124-9]|2\d|3[01]));")
_BLOCK = 1 << 20
_MAX_LINE = 1 << 16


def read_clc(path: str | os.PathLike[str]) -> CategoryTree:
    """The Chinese Library Classification from JSON: ``{"TP316": {"name": "操作系统", "up_level": "TP31", …}, …}``.

    ``up_level`` alone decides where a class stands; of 45,785 classes, 28 have no name.

    Raises:
        CategoryError: the file is no such JSON; names the file and the class.
    """
    file = Path(path)
    data = read_json(file, CategoryError)
    if not isinstance(data, dict):
        raise CategoryError(f"{file}: expected a JSON object of classes, got {type(data).__name__}; get the file again")
    return CategoryTree({code: _clc_class(file, code, value) for code, value in data.items()}, str(file))


def _clc_class(file: Path, code: str, value: Any) -> tuple[str, str | None]:
    name, parent = (value.get("name"), value.get("up_level")) if isinstance(value, dict) else (None, None)
    if not isinstance(name, str) or not (parent is None or isinstance(parent, str)):
        raise CategoryError(
            f"{file}: class {code!r}: expected an object with 'name' and 'up_level' (a code or null), "
            f"got {json.dumps(value, ensure_ascii=False)[:60]}; correct the file, or get it again"
        )
    return name.strip(), parent


def read_odp(path: str | os.PathLike[str], root: str | None = None) -> CategoryTree:
    """A sub-tree of the Open Directory from its ``structure.rdf.u8``, gzipped or not, read once from front to back.

    A category is a ``<Topic r:id="Top/World/…/软件">`` with a ``<d:Title>``; it stands below the category whose id is the longest
    beginning of its own. The links ``narrow`` say the same once more and are not needed; ``symbolic`` ones are no children.
    Only the sub-tree is held in memory. The dumps hold bytes that are not UTF-8 and characters that XML forbids: these are taken
    out and counted, and a category with one of them in its id is left out and counted (``tree.skipped``).

    Args:
        path: the file.
        root: id of the category at the top; None: the Chinese directory (:data:`ODP_ROOTS`).

    Raises:
        CategoryError: no well-formed XML, a document type (the dumps have none; entities could be bombs), damaged gzip data, or
            no category of that id.
    """
    file, roots = Path(path), (root.rstrip("/"),) if root else ODP_ROOTS
    reader = _OdpReader(str(file), roots)
    try:
        with open_packed(file) as stream:
            for block in _clean_blocks(stream, reader.skipped):
                reader.feed(block)
        reader.feed("", last=True)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise CategoryError(f"{file}: damaged gzip data ({error}); get the file again") from None
    if not reader.titles:
        raise CategoryError(f"{file}: no category below {' or '.join(roots)}. Remedy: name the top category that you want")
    nodes: dict[str, tuple[str, str | None]] = {}
    for code, title in reader.titles.items():
        parent = code
        while "/" in parent:
            parent = parent.rpartition("/")[0]
            if parent in reader.titles:
                break
        nodes[code] = (title.replace("_", " ").strip(), parent if parent in reader.titles else None)
    return CategoryTree(nodes, str(file), reader.skipped)


def _clean_blocks(stream: IO[bytes], skipped: Counter[str]) -> Iterator[str]:
    """The text in blocks of whole lines (of whole pieces, where a line is endless), U+FFFD for whatever cannot be in XML."""
    while block := stream.read(_BLOCK) + stream.readline(_MAX_LINE):
        text = block.decode("utf-8", errors="replace")
        skipped["characters that are not UTF-8"] += text.count("\ufffd") - block.count("\ufffd".encode())
        for pattern in (_NOT_XML, _BAD_REFERENCE):
            text, times = pattern.subn("\ufffd", text)
            skipped["characters that XML forbids"] += times
        yield text


class _OdpReader:
    """Ids and titles of the topics of a sub-tree."""

    def __init__(self, source: str, roots: tuple[str, ...]) -> None:
        self.titles: dict[str, str] = {}
        self.skipped: Counter[str] = Counter()
        self._source = source
        self._roots = roots
        self._topic: str | None = None
        self._title: list[str] | None = None
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, text: str, last: bool = False) -> None:
        try:
            self._parser.Parse(text, last)
        except expat.ExpatError as error:
            raise CategoryError(
                f"{self._source}, line {error.lineno}: no well-formed XML ({expat.ErrorString(error.code)}); get the file again"
            ) from None

    def _doctype(self, *_: object) -> None:
        raise CategoryError(
            f"{self._source}, line {self._parser.CurrentLineNumber}: a document type, which dumps of the Open Directory do not "
            f"have; get the file again"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "Topic":
            code = attributes.get("r:id", "")
            self._topic = code if any(code == root or code.startswith(root + "/") for root in self._roots) else None
            if self._topic and "\ufffd" in code:
                self.skipped["categories with a broken id"] += 1
                self._topic = None
            elif self._topic:
                self.titles.setdefault(code, code.rpartition("/")[2])
        elif tag == "d:Title" and self._topic:
            self._title = []

    def _text(self, text: str) -> None:
        if self._title is not None:
            self._title.append(text)

    def _end(self, tag: str) -> None:
        if tag == "d:Title" and self._topic and self._title is not None:
            if title := "".join(self._title).replace("\ufffd", "").strip():
                self.titles[self._topic] = title
            self._title = None
        elif tag == "Topic":
            self._topic = None
