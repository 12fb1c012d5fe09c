"""The demo web's texts: one TOML file per site and channel under ``texts/<site>/``, read and checked."""

from __future__ import annotations

import datetime
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIELDS = {"title": str, "grade": int, "channel": str, "date": datetime.date, "text": str}
GRADES = (0, 1, 2)


class TextError(ValueError):
    """A text file that cannot be used; the message names file, text and remedy."""


@dataclass(frozen=True, slots=True)
class Article:
    """One text.

    Attributes:
        doc: its number, from 1, in the order of the files: the ``doc`` column of ``labels.tsv``.
        site: key of the site that publishes it (the folder's name).
        title: unique among all texts.
        grade: 2 party building, 1 borderline, 0 anything else.
        channel: the site's channel that files it.
        date: day of publication.
        paragraphs: the text, at least one.
        reprint: key of a second site that carries the same text; "" for none.
    """

    doc: int
    site: str
    title: str
    grade: int
    channel: str
    date: datetime.date
    paragraphs: tuple[str, ...]
    reprint: str = ""

    @property
    def summary(self) -> str:
        """What the site puts into its meta description: the first paragraph, at most 80 characters."""
        return self.paragraphs[0][:80]


def read_articles(folder: Path) -> list[Article]:
    """All texts below ``folder``, numbered in the order of folder and file names.

    Raises:
        TextError: a field is missing or of the wrong kind, or a title occurs twice.
    """
    articles: list[Article] = []
    where: dict[str, Path] = {}
    for path in sorted(folder.glob("*/*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("text", []):
            article = _article(path, entry, len(articles) + 1)
            if article.title in where:
                raise TextError(f"{path}: the title {article.title!r} is taken by {where[article.title]}: titles are unique")
            where[article.title] = path
            articles.append(article)
    if not articles:
        raise TextError(f"{folder}: no texts found; expected files <site>/<name>.toml with [[text]] entries")
    return articles


def _article(path: Path, entry: dict[str, Any], doc: int) -> Article:
    name = entry.get("title", f"text number {doc}")
    for field, kind in FIELDS.items():
        if not isinstance(entry.get(field), kind):
            raise TextError(f"{path}: {name}: field {field!r} is missing or not of type {kind.__name__}")
    if unknown := entry.keys() - FIELDS.keys() - {"reprint"}:
        raise TextError(f"{path}: {name}: unknown fields {sorted(unknown)}; known are {sorted(FIELDS)} and reprint")
    if entry["grade"] not in GRADES:
        raise TextError(f"{path}: {name}: grade {entry['grade']} is none of {GRADES}")
    paragraphs = tuple(line.strip() for line in entry["text"].splitlines() if line.strip())
    if not paragraphs:
        raise TextError(f"{path}: {name}: the text is empty")
    return Article(
        doc=doc,
        site=path.parent.name,
        title=entry["title"],
        grade=entry["grade"],
        channel=entry["channel"],
        date=entry["date"],
        paragraphs=paragraphs,
        reprint=entry.get("reprint", ""),
    )
