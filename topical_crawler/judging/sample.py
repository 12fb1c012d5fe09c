"""A sample and its marks in one file of JSON lines, which a person can take along, leave half-done and give to another.

The first line says what the sample was drawn from, every further one is a text with its mark. While a person judges, marks are
added at the end as lines of their own, each on the disk before the next is asked for; the last one of a text counts. At the end
the file is written anew with every mark in its text's line.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from topical_crawler.corpus.failures import CorpusError
from topical_crawler.export.files import replacing
from topical_crawler.judging.draw import Stratum

RELEVANT, IRRELEVANT, BOILERPLATE = MARKS = ("relevant", "irrelevant", "boilerplate")
"""Marks of a text: on the topic; off it; nothing but menus, notices and the like, or no text at all."""

FORMAT = 1
"""Of the file; it stands in its first line."""

_Fields = TypeVar("_Fields", "Header", "Item", Stratum)


class SampleError(CorpusError):
    """A file of judgements cannot be used. The message names the file, the line and the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a sample was drawn from, and how.

    Attributes:
        corpus: where it was, without passwords.
        topic: its title, "" if unknown.
        terms: of the topic, shown in the texts.
        program: version that drew it.
        by, equal, seed: see :func:`~topical_crawler.judging.draw.draw`.
        edges: of the bands of relevance of the kept pages.
        strata: those of kept pages, then those of rejected ones.
    """

    corpus: str
    topic: str = ""
    terms: tuple[str, ...] = ()
    program: str
    by: str
    equal: bool
    seed: int
    edges: tuple[float, ...]
    strata: tuple[Stratum, ...]

    def stratum(self, item: Item) -> Stratum:
        """The stratum of a text."""
        return next(s for s in self.strata if (s.name, s.reason) == (item.stratum, item.reason))


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A text to be judged.

    Attributes:
        key, url, title, host, date, relevance: of the page, as in the corpus.
        reason: why the page was rejected; "" for a kept one.
        stratum: name of the stratum that it was drawn from.
        weight: pages that it stands for.
        text: "" for a rejected page, of which the corpus holds none.
        mark: one of :data:`MARKS`; None while it was not judged.
    """

    key: str
    url: str
    title: str
    host: str
    date: str
    relevance: float
    reason: str = ""
    stratum: str
    weight: float
    text: str = ""
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample with its marks; the items' keys differ."""

    header: Header
    items: tuple[Item, ...]

    def marked(self, marks: Mapping[str, str | None]) -> Sample:
        """The same sample with these marks by key; the others stay."""
        return Sample(self.header, tuple(dataclasses.replace(i, mark=marks.get(i.key, i.mark)) for i in self.items))


def write_sample(sample: Sample, path: Path) -> None:
    """Write a file, whole or not at all; one that was there is replaced."""
    with replacing(path) as out:
        header = dataclasses.asdict(sample.header)
        for fields in ({"judging": FORMAT} | header, *(dataclasses.asdict(item) for item in sample.items)):
            out.write(json.dumps(fields, ensure_ascii=False) + "\n")


def read_sample(path: Path) -> Sample:
    """Read a file, also one that someone is just judging.

    Raises:
        SampleError: it is none, or a line of it is damaged; a last line that was cut off in writing is left out.
        OSError: it cannot be read.
    """
    return read_marked(path)[0]


def merged(samples: Sequence[Sample]) -> Sample:
    """What several people found in one sample. A text has the mark that most gave it; of as many, that of the first sample.

    Raises:
        SampleError: they are not of one sample.
    """
    first = samples[0]
    keys = {item.key for item in first.items}
    for other in samples[1:]:
        if other.header != first.header or {item.key for item in other.items} != keys:
            raise SampleError(
                f"the files hold different samples ({first.header.corpus}, seed {first.header.seed}, {len(first.items)} texts; "
                f"{other.header.corpus}, seed {other.header.seed}, {len(other.items)} texts). Remedy: give copies of one file"
            )
    given: dict[str, list[str]] = {}
    for sample in samples:
        for item in sample.items:
            if item.mark is not None:
                given.setdefault(item.key, []).append(item.mark)
    return first.marked({key: max(marks, key=marks.count) for key, marks in given.items()})


def read_marked(path: Path) -> tuple[Sample, bool]:
    """As :func:`read_sample`, and whether the file is whole: every mark stands in its text's line."""
    *lines, rest = path.read_bytes().split(b"\n")
    torn = bool(rest)
    if torn and _object(rest) is not None:  # an editor may have left out the last line feed
        lines.append(rest)
    header = _header(path, lines[0] if lines else b"")
    strata = {(stratum.name, stratum.reason) for stratum in header.strata}
    items: dict[str, Item] = {}
    marks: dict[str, str | None] = {}
    for number, line in enumerate(lines[1:], 2):
        fields = _object(line)
        if fields is None:
            raise _damaged(path, number, "it is no JSON object")
        mark, key = fields.get("mark"), fields.get("key")
        if mark is not None and mark not in MARKS:
            raise _damaged(path, number, f"{mark!r} is no mark; there are {', '.join(MARKS)} and null")
        if fields.keys() == {"key", "mark"}:
            if key not in items:
                raise _damaged(path, number, f"no text above has the key {key!r}")
            marks[str(key)] = mark
            continue
        item = _checked(Item, fields, path, number)
        if item.key in items:
            raise _damaged(path, number, f"the key {item.key!r} stands above already")
        if (item.stratum, item.reason) not in strata:
            raise _damaged(path, number, f"the first line has no stratum {item.stratum!r}")
        items[item.key] = item
    if (drawn := sum(stratum.sample for stratum in header.strata)) != len(items):
        raise _damaged(path, len(lines) + 1, f"{drawn} texts were drawn, and the file ends after {len(items)}")
    return Sample(header, tuple(items.values())).marked(marks), not (marks or torn)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:  # also of bytes that are no UTF-8
        return None
    return found if isinstance(found, dict) else None


def _header(path: Path, line: bytes) -> Header:
    fields = _object(line) or {}
    if fields.pop("judging", None) != FORMAT:
        raise SampleError(
            f'{path}, line 1: {{"judging": {FORMAT}, …}} is expected. Remedy: name a file that scrapy corpus sample has written'
        )
    given = fields.get("strata")
    if not isinstance(given, list) or not all(isinstance(stratum, dict) for stratum in given):
        raise _damaged(path, 1, "strata is no list of objects")
    strata = tuple(_checked(Stratum, stratum, path, 1) for stratum in given)
    if any(not 1 <= stratum.sample <= stratum.population for stratum in strata):
        raise _damaged(path, 1, "a stratum has a sample of 1 to all of its pages")
    return _checked(Header, fields | {"strata": strata}, path, 1)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "str | None": (str, type(None)),
    "int": (int,),
    "bool": (bool,),
    "float": (int, float),
    "tuple[str, ...]": (list,),
    "tuple[float, ...]": (list,),
    "tuple[Stratum, ...]": (tuple,),
}


def _checked(kind: type[_Fields], given: Mapping[str, Any], path: Path, number: int) -> _Fields:
    """An object of a data class, with a look at the type of every field."""
    for field in dataclasses.fields(kind):
        if field.name in given and not isinstance(given[field.name], _TYPES[str(field.type)]):
            raise _damaged(path, number, f"{field.name} is {given[field.name]!r}")
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    try:
        return kind(**values)
    except TypeError as error:  # a field is missing or unknown
        raise _damaged(path, number, str(error)) from None


def _damaged(path: Path, number: int, what: str) -> SampleError:
    return SampleError(f"{path}, line {number}: {what}. Remedy: take a copy of the file that was not edited, or draw it anew")
