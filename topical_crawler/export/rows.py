"""Rows of an export: the fields of a page, changes to them, splits and samples."""

import dataclasses
import heapq
import itertools
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal, Self

from topical_crawler.cleaning.characters import language_score
from topical_crawler.corpus.dedup import DUPLICATE
from topical_crawler.corpus.record import CorpusError, Record
from topical_crawler.text.passages import Kind as PassageKind
from topical_crawler.text.passages import judged, layout, mapped, markdown, passages, plain

Change = Callable[[Record], Record | None]  # returns the page to export, None to leave it out

_PROSE = ("title", "text", "author", "source", "section")


def without_personal(record: Record) -> Record | None:
    """Leave out a text with personal data, masked or not. A text without measures is searched for them now.

    >>> without_personal(Record(url="http://a.cn/", host="a.cn", keep=True, text="开会", personal={"phone": 1})) is None
    True
    """
    if record.personal:
        return None
    if record.text and not record.measures:
        from topical_crawler.cleaning.personal import find

        if find(record.text):
            return None
    return record


def masked(record: Record) -> Record:
    """Mask personal data in the page's texts and in the anchor of the link to it. Addresses stay."""
    from topical_crawler.cleaning.personal import mask

    counts: Counter[str] = Counter()

    def change(text: str) -> str:
        text, kinds = mask(text)
        counts.update(kinds)
        return text

    changed = _changed(record, change)
    return dataclasses.replace(changed, personal=dict(record.personal) or dict(counts))


def simplified(record: Record) -> Record:
    """Convert the page's texts to simplified characters."""
    from topical_crawler.cleaning.characters import to_simplified

    return dataclasses.replace(_converted(record, to_simplified), script="simplified" if record.script else "")


def traditional(record: Record) -> Record:
    """Convert the page's texts to traditional characters.

    >>> traditional(Record(url="http://a.cn/", host="a.cn", keep=True, text="组织")).text
    '組織'
    """
    from topical_crawler.cleaning.characters import to_traditional

    return dataclasses.replace(_converted(record, to_traditional), script="traditional" if record.script else "")


LEFT_OUT: dict[str, PassageKind] = {"code": "code", "formulas": "formula", "tables": "table"}
"""Kinds of passages to leave out of texts, by their names on the command line."""


def parse_without(text: str) -> tuple[str, ...]:
    """Parse comma-separated names of :data:`LEFT_OUT`. Raise ValueError for any other.

    >>> parse_without("tables,code")
    ('tables', 'code')
    """
    names = tuple(name.strip() for name in text.split(","))
    if not set(names) <= LEFT_OUT.keys():
        raise ValueError(f"{text!r} cannot be left out; write some of {', '.join(LEFT_OUT)}, separated by commas")
    return names


def without(*names: str) -> Change:
    """Return a change leaving passages out of texts, see :data:`LEFT_OUT`. A text of nothing else is left out.

    >>> record = Record(url="http://a.cn/", host="a.cn", keep=True, text="如下：\\nx = 1", layout=[[1, 1, "code", 0, ""]])
    >>> without("code")(record).text, without("tables")(record) == record
    ('如下：', True)
    """
    kinds = {LEFT_OUT[name] for name in names}

    def change(record: Record) -> Record | None:
        kept = [passage for passage in passages(record.text or "", record.layout) if passage.kind not in kinds]
        text = plain(kept) or None
        return None if record.text and not text else dataclasses.replace(record, text=text, layout=layout(kept))

    return change


def _converted(record: Record, change: Callable[[str], str]) -> Record:
    text = mapped(record.text, record.layout, change) if record.text else record.text
    return dataclasses.replace(_changed(record, change), text=text)


def _changed(record: Record, change: Callable[[str], str]) -> Record:
    new: dict[str, Any] = {name: change(value) for name in _PROSE if (value := getattr(record, name))}
    return dataclasses.replace(record, **new, why=_inside(record.why, change))


def _inside(value: Any, change: Callable[[str], str]) -> Any:
    """Return ``value`` with every string in it changed, including keys, since they are words of the text."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_inside(part, change) for part in value]
    if isinstance(value, dict):
        return {change(key): _inside(part, change) for key, part in value.items()}
    return value


class ExportError(CorpusError):
    """Failure to export a corpus as requested. The message gives the reason and a fix."""


# -- Rows: fields of a page in the form shared by all formats

ExportRow = dict[str, Any]  # a page by the names of `COLUMNS`, and of `REJECTED` if it was rejected

Leading = Callable[[Sequence[str]], Mapping[str, Sequence[tuple[str, str, str]]]]
"""Function returning address, final address and reason of the rejected pages leading to each of some kept pages."""

Kind = Literal["text", "texts", "whole", "number", "yes", "date", "time", "measures", "json", "object"]

BATCH = 200  # rows a query


@dataclass(frozen=True)
class Column:
    """Field of a row."""

    name: str  # in every format
    kind: Kind  # of its values: a date is `YYYY-MM-DD` or "", a time `2026-11-20T08:30:00+00:00` or ""
    meaning: str  # for documentation
    fields: tuple["Column", ...] = ()  # of an object


COLUMNS = (
    Column("url", "text", "requested address"),
    Column("title", "text", "title of the page"),
    Column("text", "text", "main text, one paragraph a line; code as written, formulas as TeX, tables with tabs between cells"),
    Column("markdown", "text", "the same as Markdown"),
    Column("id", "text", "digest of the address: the same for a page in every corpus"),
    Column("host", "text", "host of the address"),
    Column("relevance", "number", "relevance of the text to the topic, by the crawl's strategy; 0 or more"),
    Column("fetched", "time", "time of fetching, UTC"),
    Column("date", "date", "day of publication given by the page"),
    Column("author", "text", "authors named by the page, separated by 、"),
    Column("final_url", "text", "address that answered, after redirects"),
    Column("priority", "number", "priority of the link to the page"),
    Column("depth", "whole", "links followed from a seed"),
    Column("order", "whole", "number of the page in fetch order"),
    Column("characters", "whole", "length of the text"),
    Column("token_count", "whole", "words, numbers and signs of the text, by the crawl's segmenter"),
    Column("content_hash", "text", "digest of the text's letters and digits"),
    Column("encoding", "text", "encoding of the page"),
    Column("status", "whole", "HTTP status"),
    Column("size", "whole", "bytes of the response"),
    Column("worker", "text", "worker that stored the page"),
    Column("why", "json", "reasons for the relevance: matched terms with their share, the link to the page"),
    Column("keep", "yes", "true if the page belongs to the corpus"),
    Column("source", "text", "outlet named by the page (来源)"),
    Column("section", "text", "section of the page on its site"),
    Column("canonical", "text", "canonical address declared by the page, if another"),
    Column("license", "text", "licence named by the page"),
    Column("rights", "text", "reservations by page, HTTP headers and robots.txt"),
    Column("kind", "text", "kind of the page: article, documentation, forum, or document for a PDF, DOCX or OFD file"),
    Column("method", "text", "extractor of the text"),
    Column("language", "text", "ISO 639-1 code"),
    Column("language_score", "number", "share of the prose's words (each Chinese character is one) in that language's writing"),
    Column("script", "text", "simplified, traditional or mixed"),
    Column("measures", "measures", "measures of the text: shares of characters and repetitions; line_length in characters"),
    Column("personal", "json", "number of personal data in the text by kind, before masking"),
    Column("layout", "json", "lines of the text other than paragraphs: first line from 0, number, kind, level, note"),
    Column("places", "texts", "all addresses with the text, its own first"),
    Column("minhash_cluster_size", "whole", "fetched pages with this text: itself, its copies and near-copies"),
)  # fmt: skip

REJECTED = (
    Column("reason", "text", "reason of the rejection"),
    Column("duplicate_of", "text", "address of the kept page with its text"),
    Column("similarity", "number", "similarity to that page's text, 0 to 1"),
)
"""Further fields of rejected pages."""


METADATA = "metadata"
"""Field with all others but :data:`OUTSIDE`, in an export with metadata apart."""
OUTSIDE = ("id", "text")


def columns(rejected: bool, metadata: bool = False, labels: tuple[Column, ...] = ()) -> tuple[Column, ...]:
    """Return the fields of an export, with those of ``rejected`` pages, ``labels``, and with ``metadata`` apart in one field."""
    found = (*COLUMNS, *labels, *(REJECTED if rejected else ()))
    if not metadata:
        return found
    by_name = {column.name: column for column in found}
    outside = [by_name.pop(name) for name in OUTSIDE]
    inside = tuple(by_name.values())
    return *outside, Column(METADATA, "object", "all other fields", inside)


def nested(row: ExportRow) -> ExportRow:
    """Return the fields of a row with its metadata apart.

    >>> row = nested(as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="党建")))
    >>> list(row), row["text"], row["metadata"]["url"]
    (['id', 'text', 'metadata'], '党建', 'http://a.cn/')
    """
    inside = {name: value for name, value in row.items() if name not in OUTSIDE}
    return {name: row[name] for name in OUTSIDE} | {METADATA: inside}


def as_dict(record: Record, places: Iterable[str] = (), copies: int = 0, tokens: int | None = None) -> ExportRow:
    """Return the fields of a record for export.

    Args:
        record: the page.
        places: further addresses of a kept page's text.
        copies: number of its copies.
        tokens: number of words in its text, None if not counted.

    >>> row = as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="党建"), ["http://b.cn/"])
    >>> row["text"], row["places"]
    ('党建', ['http://a.cn/', 'http://b.cn/'])
    """
    text = record.text or ""
    made: dict[str, Any] = {
        "id": record.key,
        "text": text,
        "markdown": markdown(passages(text, record.layout)),
        "token_count": tokens,
        "language_score": round(language_score(judged(text, record.layout), record.language), 4) if record.language else 0.0,
        "places": list(dict.fromkeys((record.url, record.final_url, *places))),
        "minhash_cluster_size": 1 + copies,
    }
    row = {column.name: made[column.name] if column.name in made else getattr(record, column.name) for column in COLUMNS}
    row |= {name: dict(row[name]) for name in ("why", "personal", "measures")}
    for name in ("rights", "validators", "since"):
        row["why"].pop(name, None)
    if not record.keep:
        row |= {column.name: getattr(record, column.name) for column in REJECTED}
    return row


def rows(
    records: Iterable[Record],
    leading: Leading | None = None,
    count: Callable[[str], int] | None = None,
    label: Callable[[Sequence[ExportRow]], Sequence[ExportRow]] | None = None,
) -> Iterator[ExportRow]:
    """Yield records as rows, in order. ``count`` counts the words of a text, ``label`` returns further fields of some rows."""
    stream = iter(records)
    while batch := list(itertools.islice(stream, BATCH)):
        others = leading([record.url for record in batch if record.keep]) if leading else {}
        made: list[ExportRow] = []
        for record in batch:
            own = others.get(record.url, ())
            places = [place for url, final_url, _ in own for place in (url, final_url)]
            copies = sum(reason == DUPLICATE for *_, reason in own)
            made.append(as_dict(record, places, copies, count(record.text or "") if count else None))
        yield from (row | labels for row, labels in zip(made, label(made), strict=True)) if label else made


class Writer(ABC):
    """Writer of rows in one format."""

    @abstractmethod
    def write(self, row: ExportRow) -> None:
        """Write a row."""

    def close(self) -> None:  # noqa: B027 - most formats end with their last row
        """Write the end of the file, and leave the stream open."""


# -- Splits: training, validation, test

NAMES = ("train", "validation", "test")


@dataclass(frozen=True)
class Split:
    """Split of texts by a digest, so that no text changes its split as the corpus grows.

    By host, all texts of a host are in one split, to test a model on unseen sites. By document, the digest of a text's letters
    and digits decides. Duplicates and the parts of an article are one row of the corpus, so they are in one split.

    >>> split = Split.parse("0.8,0.1,0.1")
    >>> split.of({"host": "a.cn", "content_hash": "", "url": "http://a.cn/"})
    'train'
    >>> Split.parse("1,0,0").names
    ('train',)
    """

    shares: tuple[float, float, float]  # of train, validation and test: 0 or more, 1 in total
    by: Literal["host", "document"] = "document"  # "host" or "document"
    seed: int = 0  # another seed gives another division

    @classmethod
    def parse(cls, text: str, by: Literal["host", "document"] = "document", seed: int = 0) -> Self:
        """Parse three comma-separated shares. Raise ValueError unless they are numbers from 0 with the sum 1."""
        try:
            shares = tuple(float(part) for part in text.split(","))
        except ValueError:
            shares = ()
        if len(shares) != 3 or not all(0 <= share <= 1 for share in shares) or not math.isclose(sum(shares), 1, abs_tol=1e-6):
            raise ValueError(f"{text!r} is no split; write the shares of train, validation and test, 1 together: 0.9,0.05,0.05")
        return cls((shares[0], shares[1], shares[2]), by, seed)

    @property
    def by_name(self) -> dict[str, float]:
        """Shares by the names of the splits."""
        return dict(zip(NAMES, self.shares, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """Splits with a share above 0, in order."""
        return tuple(name for name, share in self.by_name.items() if share > 0)

    def of(self, row: ExportRow) -> str:
        """Return the name of the split of a row."""
        identity = row["host"] if self.by == "host" else row["content_hash"] or row["url"]
        place = digest(self.seed, self.by, identity) / 2**64
        reached = 0.0
        for name, share in self.by_name.items():
            reached += share
            if share > 0 and place < reached:
                return name
        return self.names[-1]  # the sum of the shares fell short of 1 by rounding


def digest(seed: int, *texts: str) -> int:
    """Return a pseudo-random number of 64 bits, the same for the same arguments."""
    data = "\0".join((str(seed), *texts)).encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")


# -- Samples


def threshold(keys: Iterable[str], size: int, seed: int = 0) -> int:
    """Return the greatest digest in a sample of ``size`` ≥ 1 pages drawn without replacement, -1 without pages.

    With the same seed a sample contains every smaller one, and changes little as the corpus grows.
    """
    return max(heapq.nsmallest(size, (digest(seed, "sample", key) for key in keys)), default=-1)


def drawn(records: Iterable[Record], most: int, seed: int = 0) -> Iterator[Record]:
    """Yield the records of the sample with the threshold ``most``, in order.

    >>> pages = [Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text="党建") for n in range(9)]
    >>> [page.url for page in drawn(pages, threshold((page.key for page in pages), 2), 0)]
    ['http://a.cn/1', 'http://a.cn/8']
    """
    return (record for record in records if digest(seed, "sample", record.key) <= most)
