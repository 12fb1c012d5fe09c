"""Sample file: a sample and its marks as JSON lines.

The first line describes the drawing of the sample, every other line is a text with its mark. During judging, marks are appended
as separate lines, each synced to disk. The last mark of a text counts. At the end the file is rewritten with the marks in the
texts.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

from filelock import FileLock, Timeout

from topical_crawler.corpus.record import CorpusError
from topical_crawler.files import replacing
from topical_crawler.topic.files import MOST, MarkedText, TopicError, read_marked_lines
from topical_crawler.topic.topic_folder import TopicFolder

RELEVANT, IRRELEVANT, BOILERPLATE = MARKS = ("relevant", "irrelevant", "boilerplate")
"""Marks of a text: on topic, off topic, or nothing but menus, notices and the like, including an empty text."""

TEACHING = "teaching"  # drawn to teach a crawl, not representative of the corpus
_ASKED = re.compile(r"asked-([0-9]{1,6})\.jsonl")
FORMAT = 1  # version of the file format, in its first line

_Fields = TypeVar("_Fields", "Header", "Item", "Stratum")


class SampleError(CorpusError):
    """Unusable file of judgements. The message names the file, the line and the fix."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Stratum of pages, sampled separately."""

    name: str  # a host, `OTHERS`, a band of relevance, "all", or a half of a teaching sample
    population: int  # its pages, at least 1
    sample: int  # pages drawn, 1 to `population`
    reason: str = ""  # rejection reason of its pages, "" for kept ones

    @property
    def weight(self) -> float:
        """Number of pages represented by one drawn page: the inverse of the probability of being drawn."""
        return self.population / self.sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Description of a sample's corpus and drawing."""

    corpus: str  # its path or URL, without passwords
    topic: str = ""  # its title, "" if unknown
    terms: tuple[str, ...] = ()  # of the topic, highlighted in the texts
    program: str  # version of the program drawing it
    by: str  # like the next two, see `draw`, or `TEACHING`
    equal: bool
    seed: int
    edges: tuple[float, ...]  # of the bands of relevance of the kept pages
    strata: tuple[Stratum, ...]  # of kept pages, then of rejected ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Text to judge. Key, URL, title, host, date and relevance are those of the corpus."""

    key: str
    url: str
    title: str
    host: str
    date: str
    relevance: float
    reason: str = ""  # rejection reason, "" for a kept page
    stratum: str  # name of its stratum
    weight: float  # number of pages it represents
    text: str = ""  # "" for a rejected page without a stored text
    mark: str | None = None  # one of `MARKS`, None before judging


@dataclass(frozen=True, slots=True)
class Sample:
    """Sample with its marks. Item keys are distinct."""

    header: Header
    items: tuple[Item, ...]

    @property
    def teaches(self) -> bool:
        """True if drawn to teach a crawl. No figure of the corpus can be estimated from it."""
        return self.header.by == TEACHING

    def marked(self, marks: Mapping[str, str | None]) -> Sample:
        """Return a copy with these marks by key, keeping the others."""
        return Sample(self.header, tuple(dataclasses.replace(i, mark=marks.get(i.key, i.mark)) for i in self.items))


def write_sample(sample: Sample, path: Path) -> None:
    """Write a file atomically."""
    with replacing(path) as out:
        header = dataclasses.asdict(sample.header)
        for fields in ({"judging": FORMAT} | header, *(dataclasses.asdict(item) for item in sample.items)):
            out.write(json.dumps(fields, ensure_ascii=False) + "\n")


_SQLITE = b"SQLite format 3"


def is_sample(name: str) -> bool:
    """Return True if a name on the command line denotes a sample rather than a corpus."""
    path = Path(name)
    if "://" in name or not path.is_file():
        return path.suffix == ".jsonl"
    with path.open("rb") as file:
        return not file.read(len(_SQLITE)).startswith(_SQLITE)


def read_sample(path: Path) -> Sample:
    """Read a file, even while someone is judging it. Ignores a truncated last line.

    Raises:
        SampleError: not a sample, or a damaged line.
        OSError: the file cannot be read.
    """
    return read_marked(path)[0]


def asked(folder: Path) -> list[Path]:
    """Return a folder's files of teaching questions, oldest first."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted((file for file in found if _ASKED.fullmatch(file.name)), key=_number)


def next_asked(folder: Path) -> Path:
    """Return the path of the next file of questions."""
    return folder / f"asked-{1 + max(map(_number, asked(folder)), default=0)}.jsonl"


def _number(file: Path) -> int:
    match = _ASKED.fullmatch(file.name)
    return int(match[1]) if match else 0


def merged(samples: Sequence[Sample]) -> Sample:
    """Merge copies of one sample by majority. A tie goes to the mark of the earlier copy.

    Raises:
        SampleError: the files are not copies of one sample.
    """
    first = samples[0]
    keys = {item.key for item in first.items}
    for other in samples[1:]:
        if other.header != first.header or {item.key for item in other.items} != keys:
            raise SampleError(
                f"the files hold different samples ({first.header.corpus}, seed {first.header.seed}, {len(first.items)} texts, "
                f"{other.header.corpus}, seed {other.header.seed}, {len(other.items)} texts). Pass copies of one file"
            )
    marks = zip(first.items, marks_by_text(samples), strict=True)
    return first.marked({item.key: max(votes, key=votes.count) for item, votes in marks if votes})


def together(samples: Sequence[Sample]) -> Sample:
    """Join the teaching samples of one crawl. Of a text in several, the last one counts."""
    items = {item.key: item for sample in samples for item in sample.items}
    return Sample(samples[-1].header, tuple(items.values()))


def marks_by_text(samples: Sequence[Sample]) -> list[list[str]]:
    """Return the marks of each text in copies of one sample, in the order of the first copy."""
    marks: dict[str, list[str]] = {item.key: [] for item in samples[0].items}
    for sample in samples:
        for item in sample.items:
            if item.mark is not None:
                marks[item.key].append(item.mark)
    return list(marks.values())


def read_marked(path: Path) -> tuple[Sample, bool]:
    """Read a file like :func:`read_sample`, and return True if it is whole, with every mark in its text's line."""
    *lines, rest = path.read_bytes().split(b"\n")
    torn = bool(rest)
    if torn and _object(rest) is not None:  # an editor may omit the last line feed
        lines.append(rest)
    header = _header(path, lines[0] if lines else b"")
    strata = {(stratum.name, stratum.reason) for stratum in header.strata}
    items: dict[str, Item] = {}
    marks: dict[str, str | None] = {}
    for number, line in enumerate(lines[1:], 2):
        fields = _object(line)
        if fields is None:
            raise _damaged(path, number, "not a JSON object")
        mark, key = fields.get("mark"), fields.get("key")
        if mark is not None and mark not in MARKS:
            raise _damaged(path, number, f"{mark!r} is not a mark ({', '.join(MARKS)} or null)")
        if fields.keys() == {"key", "mark"}:
            if key not in items:
                raise _damaged(path, number, f"no text above has the key {key!r}")
            marks[str(key)] = mark
            continue
        item = _checked(Item, fields, path, number)
        if item.key in items:
            raise _damaged(path, number, f"the key {item.key!r} is repeated")
        if (item.stratum, item.reason) not in strata:
            raise _damaged(path, number, f"the first line has no stratum {item.stratum!r}")
        items[item.key] = item
    if (drawn := sum(stratum.sample for stratum in header.strata)) != len(items):
        raise _damaged(path, len(lines) + 1, f"{drawn} texts were drawn, but the file ends after {len(items)}")
    return Sample(header, tuple(items.values())).marked(marks), not (marks or torn)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:  # including bytes other than UTF-8
        return None
    return value if isinstance(value, dict) else None


def _header(path: Path, line: bytes) -> Header:
    fields = _object(line) or {}
    if fields.pop("judging", None) != FORMAT:
        raise SampleError(
            f'{path}, line 1: expected {{"judging": {FORMAT}, …}}. Pass a file written by topical-crawler corpus sample'
        )
    listed = fields.get("strata")
    if not isinstance(listed, list) or not all(isinstance(stratum, dict) for stratum in listed):
        raise _damaged(path, 1, "strata is not a list of objects")
    strata = tuple(_checked(Stratum, stratum, path, 1) for stratum in listed)
    if any(not 1 <= stratum.sample <= stratum.population for stratum in strata):
        raise _damaged(path, 1, "the sample of a stratum must be 1 to all of its pages")
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


def _checked(kind: type[_Fields], fields: Mapping[str, Any], path: Path, number: int) -> _Fields:
    """Build a dataclass instance, checking the type of every field."""
    for field in dataclasses.fields(kind):
        if field.name in fields and not isinstance(fields[field.name], _TYPES[str(field.type)]):
            raise _damaged(path, number, f"{field.name} is {fields[field.name]!r}")
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    try:
        return kind(**values)
    except TypeError as error:  # a field is missing or unknown
        raise _damaged(path, number, str(error)) from None


def _damaged(path: Path, number: int, what: str) -> SampleError:
    return SampleError(f"{path}, line {number}: {what}. Restore an unedited copy of the file, or draw a new sample")


class SampleFile:
    """Sample open for judging, in one process at a time. Thread-safe.

    ``sample`` is the sample as read. :meth:`now` has the current marks.

    Raises:
        SampleError: as for :func:`read_sample`, or another process has the file open.
        OSError: the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = threading.Lock()
        self._out: IO[str] | None = None
        self._process = FileLock(path.with_name(f".{path.name}.lock"))
        try:
            self._process.acquire(timeout=0)
        except Timeout:
            raise SampleError(f"{path} is already being judged. Stop the other corpus judge first") from None
        try:
            self.sample, whole = read_marked(path)
            if not whole:  # a killed process left loose marks
                write_sample(self.sample, path)
            self._places = {item.key: place for place, item in enumerate(self.sample.items)}
            self._marks: dict[str, str | None] = {}
            self._out = path.open("a", encoding="utf-8", newline="")
        except BaseException:
            self._process.release()
            raise

    def __len__(self) -> int:
        return len(self.sample.items)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def place(self, key: str) -> int:
        """Return the place of the text with this key.

        Raises:
            KeyError: there is none.
        """
        return self._places[key]

    def item(self, place: int) -> Item:
        """Return the text at a place from 0, with its current mark.

        Raises:
            IndexError: there is no such place.
        """
        item = self.sample.items[place]
        return dataclasses.replace(item, mark=self._marks.get(item.key, item.mark))

    def mark(self, place: int, mark: str | None) -> None:
        """Set or remove a mark and sync it to disk.

        Raises:
            SampleError: unknown mark.
            IndexError: there is no such place.
            OSError: the mark could not be stored.
        """
        if mark is not None and mark not in MARKS:
            raise SampleError(f"{mark!r} is not a mark. Use one of {', '.join(MARKS)}")
        key = self.sample.items[place].key
        with self._thread:
            if self._out is None:
                raise OSError(f"{self.path} is closed")
            self._out.write(json.dumps({"key": key, "mark": mark}) + "\n")
            self._out.flush()
            os.fsync(self._out.fileno())
            self._marks[key] = mark

    def now(self) -> Sample:
        """Return the sample with its current marks."""
        with self._thread:
            return self.sample.marked(self._marks)

    def close(self) -> None:
        """Write every mark into its text's line and release the file. Idempotent."""
        with self._thread:
            if self._out is None:
                return
            self._out.close()
            self._out = None
            try:
                self.sample = self.sample.marked(self._marks)
                if self._marks:
                    write_sample(self.sample, self.path)
            finally:
                self._process.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


# -- Marks added to a topic


@dataclass(frozen=True, slots=True)
class Taken:
    """Result of :func:`take_over`."""

    file: Path  # the file written
    added: int  # new texts
    changed: int  # changed texts, usually in the mark
    same: int  # unchanged texts
    ties: int  # skipped for lack of a majority
    blank: int  # skipped for lack of title and text
    marks: Mapping[str, int]  # texts now in the file, by mark


def take_over(samples: Sequence[Sample], folder: Path) -> Taken:
    """Add the marked texts of a sample to the ``marked.jsonl`` of a topic's ``folder``, replacing entries of the same URL.

    Of copies of the sample, each judged by one person, the majority's mark counts. Writes the file atomically, and only if
    something is new.

    Raises:
        SampleError: not copies of one sample.
        TopicError: no such topic folder, or its file is unreadable or would have too many texts.
        OSError: the file cannot be written.
    """
    topic = TopicFolder(folder)
    topic.require_topic()
    agreed, ties, blank = _agreed(samples)
    file = topic.marked
    lines: list[str] = []
    marks: Counter[str] = Counter()
    changed = same = 0
    for line, old in read_marked_lines(file):
        new = agreed.pop(old.url, None) if old else None
        if old:
            marks[(new or old).mark] += 1
        if new:
            same += new == old
            changed += new != old
            line = line if new == old else new.as_json()
        lines.append(line)
    marks.update(new.mark for new in agreed.values())
    if marks.total() > MOST:
        raise TopicError(
            f"{file}: would hold {marks.total():,} texts, but the maximum is {MOST:,}. Delete the least informative lines"
        )
    lines += [new.as_json() for new in agreed.values()]
    if agreed or changed:
        with replacing(file) as out:
            out.writelines(f"{line}\n" for line in lines)
    return Taken(file, len(agreed), changed, same, ties, blank, marks)


def _agreed(samples: Sequence[Sample]) -> tuple[dict[str, MarkedText], int, int]:
    """Return the texts by URL with the majority's mark, the number of ties, and the number of blank texts."""
    agreed: dict[str, MarkedText] = {}
    ties = blank = 0
    for item, marks in zip(merged(samples).items, marks_by_text(samples), strict=True):
        best = Counter(marks).most_common(2)
        if not best:
            continue
        new = MarkedText.bounded(item.url, item.title, item.text, best[0][0])
        if len(best) == 2 and best[0][1] == best[1][1]:
            ties += 1
        elif new.blank:
            blank += 1
        else:
            agreed[new.url] = new
    return agreed, ties, blank
