"""Documents of a collected corpus, of JSON lines and of text files."""

from __future__ import annotations

import codecs
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from topical_crawler.crawl.crawl_folder import CORPUS, corpus_at
from topical_crawler.sources.base import ByteStream, Document, Source, SourceError, StreamDamage, flaw
from topical_crawler.web.dom import decode

_NOT_FIELDS = ("text", "title", "url", "keep", "key", "reason", "duplicate_of", "content_hash", "layout")


class Collected(Source):
    """A ``corpus.sqlite`` or its folder, in order of storage, even during a crawl.

    ``fields`` are those of a kept :class:`topical_crawler.corpus.record.Record`: host, date, relevance, …

    Skipped: ``empty``, ``undecodable``. If tolerant, also ``damaged``.
    """

    kind: ClassVar[str] = "corpus"

    def _documents(self) -> Iterator[Document]:
        # Imported late: SQLAlchemy takes a quarter of a second, and only this kind needs it.
        from topical_crawler.corpus.record import CorpusError
        from topical_crawler.corpus.store import CorpusStore

        file = corpus_at(self.path)
        try:
            store = CorpusStore(file, read_only=True)
        except CorpusError as error:
            raise SourceError(f"{error}. Pass the data folder of a crawl, or its {CORPUS}") from None
        with store:
            try:
                kept = store.stats().kept
                for number, record in enumerate(store.records(), 1):
                    self.done = min(1.0, number / max(1, kept))
                    text = record.text or ""
                    if reason := flaw(text):
                        self.skipped[reason] += 1
                        continue
                    values = {f.name: getattr(record, f.name) for f in dataclasses.fields(record) if f.name not in _NOT_FIELDS}
                    yield Document(text, record.title, record.url, values)
            except CorpusError as error:
                self._damage("damaged", str(error))


MAX_LINE = 64 << 20  # longest line in bytes
_REMEDY = 'Write UTF-8 with one JSON object per line, such as {"text": "支部召开组织生活会", "title": "通知"}'


class JsonLinesSource(Source):
    """A ``.jsonl`` or ``.jsonl.gz`` file with ``text`` (null: empty) and optional ``title`` and ``url``. Other keys become
    ``fields``.

    Skipped: ``empty``, ``undecodable``. If tolerant, also ``bad line``, ``truncated``, ``damaged``. Blank lines are ignored.
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
                self._damage(damage.reason, f"{self.path}, after line {number}: {damage}. Fetch or make the complete file again")

    def _document(self, line: bytes, number: int) -> Iterator[Document]:
        try:
            record: Any = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            self._bad_line(number, f"not JSON in UTF-8: {error}")
            return
        if not isinstance(record, dict) or "text" not in record:
            self._bad_line(number, "expected a JSON object with a field 'text'")
            return
        text = record.pop("text")
        if not isinstance(text, str | None):
            self._bad_line(number, f"the text is not a string but {type(text).__name__}")
            return
        if reason := flaw(text or ""):
            self.skipped[reason] += 1
            return
        title, url = (str(record.pop(name, None) or "") for name in ("title", "url"))
        yield Document(text or "", title, url, record)

    def _bad_line(self, number: int, what: str) -> None:
        self._damage("bad line", f"{self.path}, line {number}: {what}. {_REMEDY}")


MAX_FILE = 64 << 20  # longest file in bytes


class TextFiles(Source):
    """A single ``.txt`` file, or all below a folder, sorted by path. Symbolic links to folders are not followed.

    The encoding is detected per file (:func:`topical_crawler.web.dom.decode`). ``fields["file"]`` is the path below the folder.
    There is no title.

    Skipped: ``empty``, ``undecodable``, ``too long``, ``unreadable`` (no permission).
    """

    kind: ClassVar[str] = "text"

    def _documents(self) -> Iterator[Document]:
        if self.path.is_file():
            if self.path.stat().st_size > MAX_FILE:
                raise SourceError(
                    f"{self.path}: longer than {MAX_FILE >> 20} MB, too long for one text. Pass a folder with a file per text, "
                    f"or JSONL with a line per text"
                )
            yield from self._document(self.path.name, self.path.read_bytes())
            return
        files = list(text_files(self.path))
        if not files:
            raise SourceError(f"{self.path}: the folder holds no .txt file. Pass a folder with texts, or a single file")
        for number, file in enumerate(files, 1):
            self.done = number / len(files)
            try:
                body = file.read_bytes() if file.stat().st_size <= MAX_FILE else None
            except OSError:
                self.skipped["unreadable"] += 1
                continue
            if body is None:
                self.skipped["too long"] += 1
            else:
                yield from self._document(file.relative_to(self.path).as_posix(), body)

    def _document(self, name: str, body: bytes) -> Iterator[Document]:
        text = decode(body)[0].replace("\r\n", "\n").strip()
        if reason := flaw(text):
            self.skipped[reason] += 1
        else:
            yield Document(text, fields={"file": name})


def text_files(folder: Path) -> Iterator[Path]:
    """Yield the ``.txt`` files below ``folder``, except hidden ones, sorted by name."""
    for path in sorted(folder.iterdir(), key=lambda p: p.name):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():
                yield from text_files(path)
        elif path.suffix.lower() == ".txt":
            yield path
