"""Rows of an export: the fields of a page in the form that all formats share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from topical_crawler.corpus.record import Record

Row = dict[str, Any]
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


def as_dict(record: Record, places: Iterable[str] = ()) -> Row:
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


def rows(records: Iterable[Record], places: Places | None = None) -> Iterator[Row]:
    """Records as rows, in their order; ``places`` is asked for :data:`BATCH` of them at a time."""
    stream = iter(records)
    while batch := list(itertools.islice(stream, BATCH)):
        found = places([record.url for record in batch if record.keep]) if places else {}
        for record in batch:
            yield as_dict(record, found.get(record.url, ()) if record.keep else ())
