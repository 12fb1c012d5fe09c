"""Labels of several recorded webs that are crawled as one."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from topical_crawler.evaluation.labels import Label, LabelError, read_labels


def merged_labels(files: Sequence[Path], column: str) -> dict[bytes, Label]:
    """The labels of all ``files`` for the grades in ``column``, by URL fingerprint.

    A file without that column counts as 0 throughout: its web has nothing on the topic. Of several labels of one address the
    first counts, those of files with the column before all others. Numbers of texts hold within a file.

    Raises:
        LabelError: no file has the column, or one cannot be read; the message names it.
        OSError: there is no such file; the message names it.
    """
    known = {file: columns(file) for file in files}
    if not any(column in names for names in known.values()):
        there = dict.fromkeys(name for names in known.values() for name in names)
        raise LabelError(f"{', '.join(map(str, files))}: there is no column {column!r}; there are {', '.join(there)}")
    labels: dict[bytes, Label] = {}
    for number, file in sorted(enumerate(files), key=lambda one: column not in known[one[1]]):
        for key, label in read_labels(file, column if column in known[file] else "").items():
            if label.doc and label.doc != label.url:
                label = dataclasses.replace(label, doc=f"{number} {label.doc}")
            labels.setdefault(key, label)
    return labels


def columns(file: Path) -> list[str]:
    """The names in the first line of a file of labels."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        try:
            return next(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), [])
        except UnicodeDecodeError as error:
            raise LabelError(f"{file}: {error}. Remedy: save the file as UTF-8") from None
