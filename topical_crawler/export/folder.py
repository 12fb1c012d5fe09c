"""Folder with a file for every text, for AntConc and R, and an index of the files."""

import contextlib
import hashlib
import io
import re
import unicodedata
from pathlib import Path
from typing import Self

from topical_crawler.export.formats import FORMATS, Csv, Setup
from topical_crawler.export.rows import ExportRow

INDEX = "index.csv"  # a line for each file: its name and the fields of its text
SUMS = "SHA256SUMS"  # the digests of the files, for `sha256sum -c`
TEXTS = "texts"  # folder of the files without splits


class TextFolder:
    """Writer of files in the format ``kind`` to ``texts/``, or to ``train/`` and so on, beside :data:`INDEX` and :data:`SUMS`."""

    def __init__(self, folder: Path, kind: str, setup: Setup) -> None:
        self._folder = folder
        self._format = FORMATS[kind]
        self._setup = setup
        with contextlib.ExitStack() as opened:
            self._sums = opened.enter_context((folder / SUMS).open("w", encoding="utf-8", newline=""))
            self._index = Csv(opened.enter_context((folder / INDEX).open("wb")), bom=True, index=True)
            self._opened = opened.pop_all()

    def write(self, row: ExportRow, split: str = "") -> None:
        name = f"{split or TEXTS}/{file_name(row['order'], row['title'])}{self._format.alone}"
        out = io.BytesIO()
        assert self._format.open is not None
        writer = self._format.open(out, self._setup)
        writer.write(row)
        writer.close()
        file = self._folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(out.getvalue())
        self._sums.write(f"{hashlib.sha256(out.getvalue()).hexdigest()}  {name}\n")
        self._index.write(row | {"file": name})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()


def file_name(order: int, title: str) -> str:
    """Return a file name from the order and up to 40 letters and digits of the title (NFC).

    It is allowed in every file system, and sorts in fetch order.

    >>> file_name(12, "“两学一做”：教育/学习？"), file_name(3, "..")
    ('0000012-两学一做_教育_学习', '0000003')
    """
    words = "_".join(re.findall(r"\w+", unicodedata.normalize("NFC", title)))[:40].strip("_")
    return f"{order:07}-{words}" if words else f"{order:07}"
