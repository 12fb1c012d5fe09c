"""A sample and its marks in one file of JSON lines, which a person can take along, leave half-done and give to another.

The first line says what the sample was drawn from, every further one is a text with its mark. While a person judges, marks are
added at the end as lines of their own, each on the disk before the next is asked for; the last one of a text counts. At the end
the file is written anew with every mark in its text's line.
"""

from __future__ import annotations

import dataclasses
import json
import os
import threading
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self, TypeVar

import sqlalchemy as sa
from filelock import FileLock, Timeout

from topical_crawler import __version__
from topical_crawler.corpus.schema import CorpusError, pages
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.files import replacing

# -- Which texts of a corpus are judged: a stratified sample, the same for the same pages and seed, in whatever order they come


MINIMUM = 2
"""Texts of a stratum at least, where it has them: from a single one nothing is known of how the others differ."""

BANDS = 5
"""Bands of relevance, each with as many pages as the next."""

OTHERS = "other hosts"
"""The stratum of the hosts that are too small for one of their own."""

BY = ("host", "relevance", "none")

_ONE = 1 << 64


class Candidate(NamedTuple):
    """A page that may be drawn."""

    key: str
    host: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the pages from which is drawn by itself.

    Attributes:
        name: a host, :data:`OTHERS`, a band of relevance, or "all".
        population: pages that it has, at least 1.
        sample: pages drawn, 1 to ``population``.
        reason: for which its pages were rejected; "" for kept ones.
    """

    name: str
    population: int
    sample: int
    reason: str = ""

    @property
    def weight(self) -> float:
        """Pages that one drawn page stands for: the inverse of the probability to be drawn, the same for all pages in it."""
        return self.population / self.sample


@dataclass(frozen=True, slots=True)
class Draw:
    """A sample: its strata by name, and the drawn keys, each with its stratum, in an order that means nothing, so that who stops
    half-way has still judged pages of all kinds."""

    strata: tuple[Stratum, ...]
    chosen: tuple[tuple[str, Stratum], ...]


def draw(
    candidates: Iterable[Candidate],
    size: int,
    by: str = "host",
    seed: int = 0,
    *,
    equal: bool = False,
    edges: Sequence[float] = (),
    reason: str = "",
) -> Draw:
    """A stratified systematic sample (Cochran 1977, chapters 5 and 8).

    Every stratum is put in order (by relevance, where strata are hosts; by host, where they are bands of relevance) and every
    k-th page of it is taken from a random start, k the stratum's weight: so the sample has within every stratum the mixture that
    the stratum has, and all its pages are equally likely.

    Args:
        candidates: pages with different keys.
        size: pages to draw, at least 1; all, where there are no more.
        by: "host": strata are hosts, those that are too small for a corpus of so many hosts taken together; "relevance": bands
            of relevance; "none": one stratum.
        seed: another seed, another sample.
        equal: as many from every stratum, as far as it has them, instead of in proportion to its pages.
        edges: of the bands, see :func:`band_edges`.
        reason: for which the candidates were rejected, "" for kept ones.

    Raises:
        ValueError: fewer pages are to be drawn than there are strata.

    >>> pages = [Candidate(f"{n:02d}", "党建.cn" if n < 90 else "门户.cn", n / 100) for n in range(100)]
    >>> [(s.name, s.population, s.sample) for s in draw(pages, 10).strata]
    [('党建.cn', 90, 8), ('门户.cn', 10, 2)]
    """
    parts: defaultdict[str, list[Candidate]] = defaultdict(list)
    name = _namer(by, edges)
    for candidate in candidates:
        parts[name(candidate)].append(candidate)
    if by == "host":
        parts = _with_others(parts, size)
    names = sorted(parts)
    if size < len(names):
        raise ValueError(f"{size} pages cannot stand for {len(names)} strata. Remedy: draw {len(names)} or more")
    sizes = allocate([len(parts[n]) for n in names], size, equal=equal)
    strata, chosen = [], []
    for stratum_name, number in zip(names, sizes, strict=True):
        stratum = Stratum(stratum_name, len(parts[stratum_name]), number, reason)
        strata.append(stratum)
        ordered = sorted(parts[stratum_name], key=_order(by, seed))
        start = _random(seed, f"start {reason} {stratum_name}")
        chosen += [(candidate.key, stratum) for candidate in _every_kth(ordered, number, start)]
    chosen.sort(key=lambda found: _random(seed, f"turn {found[0]}"))
    return Draw(tuple(strata), tuple(chosen))


def allocate(sizes: Sequence[int], total: int, *, equal: bool = False, minimum: int = MINIMUM) -> list[int]:
    """How many to draw from strata of the given sizes.

    In proportion to the sizes, rounded by the largest remainder, but not less than ``minimum``, or the whole stratum where it
    is smaller; or equal numbers, as far as the strata have them. The numbers add up to ``total``, or to all there are.

    Args:
        sizes: at least 1 each.
        total: at least the number of strata.

    >>> allocate([900, 90, 10], 20), allocate([900, 90, 10], 60, equal=True)
    ([16, 2, 2], [25, 25, 10])
    """
    total = min(total, sum(sizes))
    found = [min(size, minimum) for size in sizes]
    if equal:
        found = [0] * len(sizes)
        by_size = sorted(range(len(sizes)), key=lambda i: sizes[i])
        for done, i in enumerate(by_size):  # what a small one cannot give, the larger ones give
            found[i] = min(sizes[i], (total - sum(found)) // (len(sizes) - done))
        return found
    if sum(found) >= total:
        return _proportional(found, total)
    free = set(range(len(sizes)))
    while True:  # those that their share would leave below the least are set to it, the others share what is left
        rest = total - sum(found[i] for i in range(len(sizes)) if i not in free)
        pages = sum(sizes[i] for i in free)
        below = {i for i in free if rest * sizes[i] < found[i] * pages}
        if not below:
            break
        free -= below
    order = sorted(free)
    for i, number in zip(order, _proportional([sizes[i] for i in order], rest), strict=True):
        found[i] = number
    return found


def band_edges(relevance: Iterable[float], bands: int = BANDS) -> tuple[float, ...]:
    """Where one band of relevance ends and the next begins, so that all hold about as many pages; fewer where many pages have the
    same relevance. A page that lies on an edge belongs to the upper band.

    >>> band_edges([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 3)
    (0.3, 0.5)
    """
    found = sorted(relevance)
    cuts = {found[len(found) * i // bands] for i in range(1, bands)} if found else set()
    return tuple(sorted(cuts - set(found[:1])))


def band_name(relevance: float, edges: Sequence[float]) -> str:
    """The band of a page for people.

    >>> band_name(0.4, (0.3, 0.5)), band_name(0.5, (0.3, 0.5)), band_name(0.1, (0.3, 0.5))
    ('0.3 to 0.5', '0.5 or more', 'less than 0.3')
    """
    if not edges:
        return "all"
    place = bisect_right(edges, relevance)
    if place == 0:
        return f"less than {edges[0]:.4g}"
    return f"{edges[-1]:.4g} or more" if place == len(edges) else f"{edges[place - 1]:.4g} to {edges[place]:.4g}"


def _namer(by: str, edges: Sequence[float]) -> Callable[[Candidate], str]:
    if by == "host":
        return lambda candidate: candidate.host
    if by == "relevance":
        return lambda candidate: band_name(candidate.relevance, edges)
    return lambda candidate: "all"


def _order(by: str, seed: int) -> Callable[[Candidate], tuple[object, ...]]:
    if by == "host":
        return lambda candidate: (candidate.relevance, _random(seed, candidate.key))
    if by == "relevance":
        return lambda candidate: (candidate.host, _random(seed, candidate.key))
    return lambda candidate: (_random(seed, candidate.key),)


def _with_others(parts: defaultdict[str, list[Candidate]], size: int) -> defaultdict[str, list[Candidate]]:
    """The hosts, the smallest in one stratum: the least numbers of all strata take at most half of the sample, the other half is
    there for proportion."""
    most = max(1, size // (2 * MINIMUM))
    if len(parts) <= most:
        return parts
    by_size = sorted(parts, key=lambda host: (-len(parts[host]), host))
    taken: defaultdict[str, list[Candidate]] = defaultdict(list, {host: parts[host] for host in by_size[: most - 1]})
    taken[OTHERS] = [candidate for host in by_size[most - 1 :] for candidate in parts[host]]
    return taken


def _every_kth(ordered: Sequence[Candidate], number: int, start: int) -> list[Candidate]:
    """``number`` of them at equal steps; ``start`` of 2^64 is how far into the first step the first lies."""
    return [ordered[(i * _ONE + start) * len(ordered) // (number * _ONE)] for i in range(number)]


def _proportional(sizes: Sequence[int], total: int) -> list[int]:
    """``total`` in proportion to the sizes by the largest remainder."""
    whole = sum(sizes) or 1
    found = [size * total // whole for size in sizes]
    by_remainder = sorted(range(len(sizes)), key=lambda i: -(sizes[i] * total % whole))
    for i in by_remainder[: total - sum(found)]:
        found[i] += 1
    return found


def _random(seed: int, text: str) -> int:
    """A number below 2^64, which no version of Python makes another."""
    return int.from_bytes(blake2b(f"{seed} {text}".encode("utf-8", "replace"), digest_size=8).digest())


# -- A sample and its marks in one file of JSON lines, which a person can take along, leave half-done and give to another


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
        by, equal, seed: see :func:`~topical_crawler.judging.sample.draw`.
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


# -- A sample drawn from a corpus


_AT_ONCE = 500
_SHOWN = (pages.c.key, pages.c.url, pages.c.title, pages.c.host, pages.c.date, pages.c.relevance, pages.c.text)


def draw_sample(
    store: CorpusStore,
    size: int,
    *,
    by: str = "host",
    seed: int = 0,
    equal: bool = False,
    rejected: Sequence[str] = (),
    topic: str = "",
    terms: Sequence[str] = (),
) -> Sample:
    """Draw kept pages of a corpus with their texts, and pages that were rejected, which have none.

    Args:
        store: may be opened for reading; others may write to it meanwhile.
        size, by, seed, equal: see :func:`~topical_crawler.judging.sample.draw`.
        rejected: reasons for which pages were rejected; as many are drawn for each as are drawn of the kept ones.
        topic, terms: shown to the person who judges.

    Returns:
        Kept pages first, in an order that means nothing, then those of every reason.

    Raises:
        SampleError: there are no pages, or fewer are to be drawn than there are strata.
        CorpusError: the corpus cannot be read.
    """
    strata: list[Stratum] = []
    items: list[Item] = []
    with store.reading() as connection:
        edges: tuple[float, ...] = ()
        for reason in ("", *dict.fromkeys(rejected)):
            candidates = list(_candidates(connection, reason))
            if not candidates:
                raise _none(connection, store.name, reason)
            if not reason:
                edges = band_edges(candidate.relevance for candidate in candidates)
            try:
                found = draw(candidates, size, by, seed, equal=equal, edges=edges, reason=reason)
            except ValueError as error:
                raise SampleError(f"{store.name}: {error}") from None
            strata += found.strata
            items += _items(connection, found.chosen)
    header = Header(
        corpus=store.name,
        topic=topic,
        terms=tuple(terms),
        program=__version__,
        by=by,
        equal=equal,
        seed=seed,
        edges=edges,
        strata=tuple(strata),
    )
    return Sample(header, tuple(items))


def _candidates(connection: sa.Connection, reason: str) -> Iterator[Candidate]:
    query = sa.select(pages.c.key, pages.c.host, pages.c.relevance).where(_are(reason)).order_by(pages.c.id)
    for row in connection.execution_options(yield_per=1000).execute(query):
        yield Candidate(*row)


def _are(reason: str) -> sa.ColumnElement[bool]:
    return sa.and_(sa.not_(pages.c.keep), pages.c.reason == reason) if reason else pages.c.keep.is_(True)


def _items(connection: sa.Connection, chosen: Sequence[tuple[str, Stratum]]) -> Iterator[Item]:
    for start in range(0, len(chosen), _AT_ONCE):
        some = chosen[start : start + _AT_ONCE]
        query = sa.select(*_SHOWN).where(pages.c.key.in_([key for key, _ in some]))
        rows = {row["key"]: row for row in connection.execute(query).mappings()}
        for key, stratum in some:
            fields = dict(rows[key]) | {"text": rows[key]["text"] or ""}
            yield Item(**fields, reason=stratum.reason, stratum=stratum.name, weight=stratum.weight)


def _none(connection: sa.Connection, name: str, reason: str) -> SampleError:
    if not reason:
        return SampleError(f"{name} holds no kept page. Remedy: crawl on, or name another corpus")
    there = connection.scalars(sa.select(pages.c.reason).where(sa.not_(pages.c.keep)).distinct())
    known = ", ".join(repr(other) for other in sorted(there)) or "none"
    return SampleError(f"{name} holds no page that was rejected as {reason!r}. Remedy: name one of its reasons: {known}")


# -- A file of judgements that is open for marking


class SampleFile:
    """A sample that is being judged. One process at a time has it; its threads may share it.

    Attributes:
        path: of the file.
        sample: with the marks of now.

    Raises:
        SampleError: see :func:`read_sample`; or another process has the file.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = threading.Lock()
        self._out: IO[str] | None = None
        self._process = FileLock(path.with_name(f".{path.name}.lock"))
        try:
            self._process.acquire(timeout=0)
        except Timeout:
            raise SampleError(f"{path} is being judged already. Remedy: end the other scrapy corpus judge first") from None
        try:
            self.sample, whole = read_marked(path)
            if not whole:  # whoever was judging it was killed
                write_sample(self.sample, path)
            self._places = {item.key: place for place, item in enumerate(self.sample.items)}
            self._marks: dict[str, str | None] = {}
            self._out = path.open("a", encoding="utf-8", newline="")
        except BaseException:
            self._process.release()
            raise

    def __len__(self) -> int:
        return len(self.sample.items)

    def item(self, place: int) -> Item:
        """A text with its mark of now, by its place from 0.

        Raises:
            IndexError: there is no such place.
        """
        found = self.sample.items[place]
        return dataclasses.replace(found, mark=self._marks.get(found.key, found.mark))

    def mark(self, place: int, mark: str | None) -> None:
        """Set or take away a mark. When this returns it is on the disk.

        Raises:
            SampleError: there is no such mark.
            IndexError: there is no such place.
            OSError: it could not be stored.
        """
        if mark is not None and mark not in MARKS:
            raise SampleError(f"{mark!r} is no mark; there are {', '.join(MARKS)}")
        key = self.sample.items[place].key
        with self._thread:
            if self._out is None:
                raise OSError(f"{self.path} is closed")
            self._out.write(json.dumps({"key": key, "mark": mark}) + "\n")
            self._out.flush()
            os.fsync(self._out.fileno())
            self._marks[key] = mark

    def now(self) -> Sample:
        """The sample with its marks of now."""
        with self._thread:
            return self.sample.marked(self._marks)

    def close(self) -> None:
        """Write every mark into its text's line and give the file free. Calling it twice is harmless."""
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
