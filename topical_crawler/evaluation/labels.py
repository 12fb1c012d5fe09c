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
    """Label of a recorded URL."""

    url: str
    site: str  # site it counts for
    kind: str  # article, list, home, copy, video …
    grade: int  # 2 on topic, 1 mixed (ignored in every score), 0 off topic
    doc: str  # number of its text, shared by copies of one text, "" for a page without a text of its own

    @property
    def is_text(self) -> bool:
        """True for a page with a text for a corpus."""
        return self.kind in ("article", "copy")

    @property
    def is_relevant_text(self) -> bool:
        """True for a page with a text for a corpus, on topic."""
        return self.is_text and self.grade == RELEVANT


class LabelError(ValueError):
    """Unreadable label file. The message names the file, the line and the fix."""


def read_labels(path: Path, grade_column: str = "grade") -> dict[bytes, Label]:
    """Return the labels by URL fingerprint, from a TSV file with a header.

    Required columns: ``url``, ``kind`` and ``grade_column``. Optional: ``site`` (default: the host) and ``doc`` (default: every
    article is a text of its own). Without a grade column (""), all grades are 0. Of several URLs with one canonical form, the
    first counts.

    Raises:
        LabelError: a missing column, a truncated line, a missing URL, a grade other than 0, 1 or 2, or a file other than UTF-8.
    """
    labels: dict[bytes, Label] = {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabelError(f"{path}: {error}. Save the file as UTF-8") from None
    rows = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    columns = rows.fieldnames or []
    for needed in filter(None, ("url", "kind", grade_column)):
        if needed not in columns:
            raise LabelError(f"{path}, line 1: no column {needed!r}. Found: {', '.join(columns)}")
    for row in rows:
        if not row["url"] or row["kind"] is None:
            missing = "kind" if row["url"] else "URL"
            raise LabelError(f"{path}, line {rows.line_num}: no {missing}. Complete or delete the line")
        grade = row[grade_column] if grade_column else "0"
        if grade not in ("0", "1", "2"):
            raise LabelError(f"{path}, line {rows.line_num}: the grade is {grade!r}. Set it to 2, 1 or 0")
        url = row["url"]
        doc = row.get("doc") if "doc" in columns else url
        label = Label(url, row.get("site") or host(url), row["kind"], int(grade), doc or "")
        labels.setdefault(fingerprint(url), label)
    return labels
