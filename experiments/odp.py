"""A category tree of the Open Directory (ODP, DMOZ), as Zhang et al. use it, in the form that the product reads.

The Open Directory ended in 2017; what is left are archived dumps.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.parsers import expat

from scrapy.settings import BaseSettings

from experiments.figures import write_json
from topical_crawler.resources.categories import CategoryError, CategoryTree
from topical_crawler.resources.registry import open_packed

ODP_ROOTS = ("Top/World/Chinese_Simplified_CN", "Top/World/Chinese_Simplified")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BAD_REFERENCE = re.compile(r"&#(?:x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F])|0*(?:[0-8]|1[124-9]|2\d|3[01]));")
_BLOCK = 1 << 20
_MAX_LINE = 1 << 16

DESCRIPTION = (
    "Convert a sub-tree of a structure.rdf.u8 of the Open Directory, gzipped or not, to JSON: for `tree` of [strategy.odp2evsm] "
    "and --tree of topical-crawler topic new."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dump", type=Path, help="structure.rdf.u8")
    parser.add_argument("out", type=Path, help="JSON file")
    parser.add_argument("--root", metavar="ID", help="the category at the top (default: the Chinese directory)")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    tree, skipped = read_odp(opts.dump, opts.root)
    write_json(opts.out, {category.code: {"name": category.name, "up_level": category.parent} for category in tree})
    left_out = "".join(f", {number} {what} left out" for what, number in skipped.items())
    print(f"{opts.out}: {len(tree)} categories{left_out}")
    return 0


def read_odp(path: str | os.PathLike[str], root: str | None = None) -> tuple[CategoryTree, Counter[str]]:
    """A sub-tree of the Open Directory from its ``structure.rdf.u8``, gzipped or not, read once from front to back. ``root`` is
    the id of the category at the top, by default that of the Chinese directory (:data:`ODP_ROOTS`).

    A category is a ``<Topic r:id="Top/World/…/软件">`` with a ``<d:Title>``; it stands below the category whose id is the longest
    prefix of its own. Only the sub-tree is held in memory. The dumps contain bytes that are not UTF-8 and characters that XML
    forbids: these are removed and counted, and a category with one of them in its id is left out and counted (the second value).
    Raises CategoryError for no well-formed XML, a document type (the dumps have none; entities could be bombs), damaged gzip
    data, or no category of that id.
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
    return CategoryTree(nodes, str(file)), +reader.skipped


def _clean_blocks(stream: IO[bytes], skipped: Counter[str]) -> Iterator[str]:
    """The text in blocks of complete lines (very long ones in pieces), with U+FFFD for what XML forbids."""
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
