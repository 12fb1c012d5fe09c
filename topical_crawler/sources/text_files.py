"""Plain text files, each one document, whatever encoding each of them is in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from topical_crawler.decode import decode
from topical_crawler.sources.base import Document, Source, SourceError, flaw

MAX_FILE = 64 << 20
"""Longest file in bytes."""


class TextFiles(Source):
    """One ``.txt`` file, or all below a folder in the order of their paths; links to folders are not followed.

    UTF-8, GB18030, Big5 and UTF-16 are told apart file by file (:func:`topical_crawler.decode.decode`). ``fields["file"]`` is the
    path below the folder; there is no title, for a file's name is often but a number.

    Skipped: ``empty``, ``undecodable``, ``too long``, ``unreadable`` (the system does not let us).
    """

    kind: ClassVar[str] = "text"

    def _documents(self) -> Iterator[Document]:
        if self.path.is_file():
            if self.path.stat().st_size > MAX_FILE:
                raise SourceError(
                    f"{self.path}: longer than {MAX_FILE >> 20} MB, too long for one text. Remedy: a folder with a file for each "
                    f"text, or JSONL with a line for each"
                )
            yield from self._document(self.path.name, self.path.read_bytes())
            return
        files = list(text_files(self.path))
        if not files:
            raise SourceError(f"{self.path}: the folder holds no .txt file. Remedy: name a folder with texts, or one file")
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
    """The ``.txt`` files below ``folder``, hidden ones left out, in an order that depends on their names only."""
    for path in sorted(folder.iterdir(), key=lambda p: p.name):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():
                yield from text_files(path)
        elif path.suffix.lower() == ".txt":
            yield path
