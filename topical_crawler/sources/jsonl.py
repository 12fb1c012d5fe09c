"""JSON lines: a JSON object a line, with a field ``text``."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any, ClassVar

from topical_crawler.sources.base import Document, Source, flaw
from topical_crawler.sources.streams import ByteStream, StreamDamage

MAX_LINE = 64 << 20
"""Longest line in bytes."""
_REMEDY = 'Remedy: UTF-8, one JSON object a line, such as {"text": "支部召开组织生活会", "title": "通知"}'


class JsonLines(Source):
    """``.jsonl`` or ``.jsonl.gz``: ``text`` is the text (null: there is none), ``title`` and ``url`` are taken where they are
    given, all other fields become ``fields``. Blank lines are passed over.

    Skipped: ``empty``, ``undecodable``; where the source is tolerant also ``bad line``, ``truncated``, ``damaged``.
    """

    kind: ClassVar[str] = "jsonl"

    def _documents(self) -> Iterator[Document]:
        number = 0
        with ByteStream(self.path) as stream:
            try:
                while line := stream.read_line(MAX_LINE):
                    number += 1
                    if number == 1:
                        line = line.removeprefix(codecs.BOM_UTF8)
                    if len(line) == MAX_LINE and not line.endswith(b"\n"):
                        self._bad_line(number, f"the line is longer than {MAX_LINE >> 20} MB")
                        while (rest := stream.read_line(MAX_LINE)) and not rest.endswith(b"\n"):
                            pass
                    elif line := line.strip():
                        yield from self._document(line, number)
                    self.done = stream.done
            except StreamDamage as damage:
                self._damage(
                    damage.reason, f"{self.path}, after line {number}: {damage}. Remedy: fetch or make the file again, whole"
                )

    def _document(self, line: bytes, number: int) -> Iterator[Document]:
        try:
            record: Any = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            self._bad_line(number, f"no JSON in UTF-8: {error}")
            return
        if not isinstance(record, dict) or "text" not in record:
            self._bad_line(number, "a JSON object with a field 'text' is expected")
            return
        text = record.pop("text")
        if not isinstance(text, str | None):
            self._bad_line(number, f"the text is no string but {type(text).__name__}")
            return
        if reason := flaw(text or ""):
            self.skipped[reason] += 1
            return
        title, url = (str(record.pop(name, None) or "") for name in ("title", "url"))
        yield Document(text or "", title, url, record)

    def _bad_line(self, number: int, what: str) -> None:
        self._damage("bad line", f"{self.path}, line {number}: {what}. {_REMEDY}")
