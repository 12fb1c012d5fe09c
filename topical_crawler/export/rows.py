"""Rows of an export: the fields of a page, what an export may change of it, splits and samples."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.schema import CorpusError

# -- Changes: personal data masked, Chinese characters converted. The cleaning is imported when it is needed

Change = Callable[[Record], Record | None]
"""Gives the page as it is exported; None to leave it out."""

_PROSE = ("title", "text", "author", "source", "section")
"""The fields in which a person's words stand."""


def without_personal(record: Record) -> Record | None:
    """Leaves out texts that hold or held personal data. A text without measures was never searched: it is searched now.

    >>> without_personal(Record(url="http://a.cn/", host="a.cn", keep=True, text="开会", personal={"phone": 1})) is None
    True
    """
    if record.personal:
        return None
    if record.text and not record.measures:
        from topical_crawler.cleaning import find

        return None if find(record.text) else record
    return record


def masked(record: Record) -> Record:
    """Covers personal data in what the page says and in the words of the link that led to it; addresses stay as they are."""
    from topical_crawler.cleaning import mask

    counts: Counter[str] = Counter()

    def cover(text: str) -> str:
        covered: tuple[str, dict[str, int]] = mask(text)
        counts.update(covered[1])
        return covered[0]

    changed = _changed(record, cover)
    return dataclasses.replace(changed, personal=dict(record.personal) or dict(counts))


def simplified(record: Record) -> Record:
    """Writes what the page says in simplified characters."""
    from topical_crawler.cleaning.characters import to_simplified

    return dataclasses.replace(_changed(record, to_simplified), script="simplified" if record.script else "")


def traditional(record: Record) -> Record:
    """Writes what the page says in traditional characters.

    >>> traditional(Record(url="http://a.cn/", host="a.cn", keep=True, text="组织")).text
    '組織'
    """
    from topical_crawler.cleaning.characters import to_traditional

    return dataclasses.replace(_changed(record, to_traditional), script="traditional" if record.script else "")


def _changed(record: Record, change: Callable[[str], str]) -> Record:
    new: dict[str, Any] = {name: change(value) for name in _PROSE if (value := getattr(record, name))}
    return dataclasses.replace(record, **new, why=_inside(record.why, change))


def _inside(value: Any, change: Callable[[str], str]) -> Any:
    """``value`` with every string in it changed, keys too: they are words of the text."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_inside(part, change) for part in value]
    if isinstance(value, dict):
        return {change(key): _inside(part, change) for key, part in value.items()}
    return value


class ExportError(CorpusError):
    """A corpus cannot be written out as asked; the message says why and what to do."""


# -- Rows: the fields of a page in the form that all formats share

ExportRow = dict[str, Any]
"""A page by the names of :data:`COLUMNS`, and of :data:`REJECTED` where it was rejected."""

Places = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Gives for URLs of kept pages the other addresses at which their texts stood."""

Kind = Literal["text", "texts", "whole", "number", "yes", "date", "time", "measures", "json"]

BATCH = 200
"""Rows whose places are asked for at once."""


@dataclass(frozen=True)
class Column:
    """A field of a row.

    Attributes:
        name: as it is written everywhere.
        kind: of its values: a string, strings, a whole number, a number, true or false, a day ``YYYY-MM-DD`` or "", a time
            ``2026-11-20T08:30:00+00:00`` or "", numbers by the names of the quality measures, other small JSON data.
        meaning: for people.
    """

    name: str
    kind: Kind
    meaning: str


COLUMNS = (
    Column("url", "text", "address that was asked for"),
    Column("title", "text", "title of the page"),
    Column("text", "text", "main text, one paragraph a line"),
    Column("host", "text", "host of the address"),
    Column("relevance", "number", "how much the text belongs to the topic, by the crawl's strategy; 0 or more"),
    Column("fetched", "time", "when it was fetched, UTC"),
    Column("date", "date", "day of publication as the page tells it"),
    Column("author", "text", "author as the page tells it"),
    Column("final_url", "text", "address that answered, after redirects"),
    Column("priority", "number", "with which the page was fetched"),
    Column("depth", "whole", "links followed from a seed"),
    Column("order", "whole", "number of the page in the order of fetching"),
    Column("characters", "whole", "length of the text"),
    Column("content_hash", "text", "digest of the text's letters and digits"),
    Column("encoding", "text", "encoding of the page"),
    Column("status", "whole", "HTTP status"),
    Column("size", "whole", "bytes of the response"),
    Column("worker", "text", "worker that stored the page"),
    Column("why", "json", "what the relevance was made of: matched terms with their share, the link that led here"),
    Column("keep", "yes", "whether the page belongs to the corpus"),
    Column("source", "text", "outlet that the page names as its own (来源)"),
    Column("section", "text", "where on its site the page stands"),
    Column("canonical", "text", "address that the page calls its own, where that is another"),
    Column("license", "text", "licence that the page names"),
    Column("kind", "text", "article, list, video or gallery"),
    Column("method", "text", "extractor whose text was taken"),
    Column("language", "text", "ISO 639-1 code"),
    Column("script", "text", "simplified, traditional or mixed"),
    Column("measures", "measures", "what the text looks like: shares of characters and repetitions; line_length in characters"),
    Column("personal", "json", "how many of each kind of personal data the text holds or held"),
    Column("places", "texts", "all addresses where the text was seen, its own first"),
)  # fmt: skip
"""The fields of kept pages, in their order."""

REJECTED = (
    Column("reason", "text", "why the page was rejected"),
    Column("duplicate_of", "text", "address of the kept page that holds its text"),
    Column("similarity", "number", "of the text to that page's, 0 to 1"),
)
"""Those that rejected pages have beside them."""


def columns(rejected: bool) -> tuple[Column, ...]:
    """The fields of an export, with rejected pages in it or without."""
    return COLUMNS + REJECTED if rejected else COLUMNS


def as_dict(record: Record, places: Iterable[str] = ()) -> ExportRow:
    """The fields of a record as exported; those that only rejected pages have are left out of kept ones.

    Args:
        record: a page.
        places: further addresses at which the text of a kept page stood.

    >>> row = as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="党建"), ["http://b.cn/"])
    >>> list(row)[:6], row["places"]
    (['url', 'title', 'text', 'host', 'relevance', 'fetched'], ['http://a.cn/', 'http://b.cn/'])
    """
    row = {column.name: getattr(record, column.name) for column in COLUMNS if column.name != "places"}
    row |= {
        "text": record.text or "",
        "why": dict(record.why),
        "personal": dict(record.personal),
        "measures": dict(record.measures),
    }
    row["places"] = list(dict.fromkeys((record.url, record.final_url, *places)))
    if not record.keep:
        row |= {column.name: getattr(record, column.name) for column in REJECTED}
    return row


def rows(records: Iterable[Record], places: Places | None = None) -> Iterator[ExportRow]:
    """Records as rows, in their order; ``places`` is asked for :data:`BATCH` of them at a time."""
    stream = iter(records)
    while batch := list(itertools.islice(stream, BATCH)):
        further = places([record.url for record in batch if record.keep]) if places else {}
        for record in batch:
            yield as_dict(record, further.get(record.url, ()) if record.keep else ())


class Writer(ABC):
    """Writes rows as they come, in one format."""

    @abstractmethod
    def write(self, row: ExportRow) -> None:
        """Write a row."""

    def close(self) -> None:  # noqa: B027 - most formats end with their last row
        """Write what belongs at the end. What it was written to is left open."""


# -- Splits: training, validation, test

NAMES = ("train", "validation", "test")


@dataclass(frozen=True)
class Split:
    """Divides texts by a digest of what they are, so that no text moves when the corpus grows.

    By host, all texts of a host are in one split: what a model learns of a site's manner helps it nowhere else. By document,
    texts are divided one by one, by their letters and digits alone. A text that stood at several addresses, a near-duplicate and
    the parts of an article are one row of the corpus, so none of them can be in two splits.

    Attributes:
        shares: of train, validation and test; 0 or more, together 1.
        by: "host" or "document".
        seed: another one divides otherwise.

    >>> split = Split.parse("0.8,0.1,0.1")
    >>> split.of({"host": "a.cn", "content_hash": "", "url": "http://a.cn/"})
    'train'
    >>> Split.parse("1,0,0").names
    ('train',)
    """

    shares: tuple[float, float, float]
    by: Literal["host", "document"] = "document"
    seed: int = 0

    @classmethod
    def parse(cls, text: str, by: Literal["host", "document"] = "document", seed: int = 0) -> Split:
        """From three shares with commas between them.

        Raises:
            ValueError: these are not three numbers of 0 or more that make 1 together.
        """
        try:
            shares = tuple(float(part) for part in text.split(","))
        except ValueError:
            shares = ()
        if len(shares) != 3 or not all(0 <= share <= 1 for share in shares) or not math.isclose(sum(shares), 1, abs_tol=1e-6):
            raise ValueError(f"{text!r} is no split; write the shares of train, validation and test, 1 together: 0.9,0.05,0.05")
        return cls((shares[0], shares[1], shares[2]), by, seed)

    @property
    def names(self) -> tuple[str, ...]:
        """The splits that can have a text, in their order."""
        return tuple(name for name, share in zip(NAMES, self.shares, strict=True) if share > 0)

    def of(self, row: ExportRow) -> str:
        """The name of the split of a row."""
        identity = row["host"] if self.by == "host" else row["content_hash"] or row["url"]
        place = digest(self.seed, self.by, identity) / 2**64
        reached = 0.0
        for name, share in zip(NAMES, self.shares, strict=True):
            reached += share
            if share > 0 and place < reached:
                return name
        return self.names[-1]  # the sum of the shares fell short of 1 by rounding


def digest(seed: int, *texts: str) -> int:
    """A number of 64 bits that looks drawn at random, always the same for the same arguments."""
    data = "\0".join((str(seed), *texts)).encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")


# -- Samples


def threshold(keys: Iterable[str], size: int, seed: int = 0) -> int:
    """The greatest digest of a sample's keys: of ``size`` pages drawn without replacement, or all where there are fewer.

    With the same seed a sample holds every smaller one, and stays nearly the same while the corpus grows. Memory is that of
    ``size`` numbers.

    Args:
        keys: of all pages that can be drawn.
        size: 1 or more.
        seed: another one draws otherwise.
    """
    smallest: list[int] = []  # negative, as the heap has its least on top
    for key in keys:
        drawn = -digest(seed, "sample", key)
        if len(smallest) < size:
            heapq.heappush(smallest, drawn)
        elif drawn > smallest[0]:
            heapq.heapreplace(smallest, drawn)
    return -smallest[0] if smallest else -1


def drawn(records: Iterable[Record], most: int, seed: int = 0) -> Iterator[Record]:
    """The records of the sample with the threshold ``most``, in their order.

    >>> pages = [Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text="党建") for n in range(9)]
    >>> [page.url for page in drawn(pages, threshold((page.key for page in pages), 2), 0)]
    ['http://a.cn/1', 'http://a.cn/8']
    """
    return (record for record in records if digest(seed, "sample", record.key) <= most)
