"""Labels of a recorded web: kind and relevance of each URL, judged independently of the crawler."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.web.urls import fingerprint, host

RELEVANT, MIXED, OFF = 2, 1, 0


@dataclass(frozen=True, slots=True)
class Label:
    """The label of one recorded URL."""

    url: str
    site: str  # that it counts for
    kind: str  # article, list, home, copy, video …
    grade: int  # 2 on topic, 1 mixed (left out of every score), 0 not
    doc: str  # number of its text; pages with one number hold one text; "" for a page without a text of its own

    @property
    def is_text(self) -> bool:
        """Whether the page is one of the texts that a corpus is made of."""
        return self.kind in ("article", "copy")

    @property
    def is_relevant_text(self) -> bool:
        """Whether it is one of these, and on topic."""
        return self.is_text and self.grade == RELEVANT


class LabelError(ValueError):
    """A label file cannot be read; the message names the file, the line and the remedy."""


def read_labels(path: Path, grade_column: str = "grade") -> dict[bytes, Label]:
    """Labels by URL fingerprint, from a TSV file with a header; without a column of grades (""), all are 0.

    The file has the columns ``url``, ``kind`` and ``grade_column``; ``site`` (else the host) and ``doc`` (else every article is a
    text of its own) where they are known. Of several URLs with one canonical form, the first counts. Raises LabelError where a
    column is missing, a line is shorter than that or has no URL, a grade is not 0, 1 or 2, or the file is not UTF-8.
    """
    labels: dict[bytes, Label] = {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabelError(f"{path}: {error}. Remedy: save the file as UTF-8") from None
    rows = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    columns = rows.fieldnames or []
    for needed in filter(None, ("url", "kind", grade_column)):
        if needed not in columns:
            raise LabelError(f"{path}, line 1: there is no column {needed!r}; there are {', '.join(columns)}")
    for row in rows:
        if not row["url"] or row["kind"] is None:
            missing = "kind" if row["url"] else "URL"
            raise LabelError(f"{path}, line {rows.line_num}: there is no {missing}. Remedy: fill in or delete the line")
        grade = row[grade_column] if grade_column else "0"
        if grade not in ("0", "1", "2"):
            raise LabelError(f"{path}, line {rows.line_num}: the grade is {grade!r}. Remedy: 2, 1 or 0")
        url = row["url"]
        doc = row.get("doc") if "doc" in columns else url
        label = Label(url, row.get("site") or host(url), row["kind"], int(grade), doc or "")
        labels.setdefault(fingerprint(url), label)
    return labels
