"""Parquet files, and folders of them with a dataset card (https://huggingface.co/docs/hub/datasets-cards) for Hugging Face."""

import contextlib
import importlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Self

from topical_crawler import __version__
from topical_crawler.corpus.record import MEASURES
from topical_crawler.export.manifest import PROGRAM, Count, Facts, Tally
from topical_crawler.export.rows import COLUMNS, METADATA, NAMES, Column, ExportError, ExportRow, Split, Writer, columns, nested

SHOWN_HOSTS = SHOWN_SEEDS = 30

_LIMITS = """\
## Known limits

- Programs extract the main text from web pages and documents. Sometimes a line of navigation stays in, or a line of the text is
  missing. Pictures and footnotes are not kept. `text` and `markdown` are the same text: train on one of them.
- A program decided what is on topic, by the words and the meaning of a text (`why`). Neither it nor `relevance` can tell how
  many of the texts are on topic: mark a random sample (`topical-crawler corpus sample`).
- Exact and near duplicates are merged, and so are articles on several pages. Texts quoting each other at length remain.
- `date`, `author`, `source` and `license` are taken from the page, and empty if it has no readable ones.
- The hosts were reached by links from the seeds. They are no sample of the web, nor of the language.
"""

_RIGHTS = """\
## Licence

The texts belong to their publishers. `license` has the licence named by the page. If it is empty, the page names none, and the
law of the country of use decides about permitted uses. Nothing here grants a right beyond those granted by the publishers.

`rights` has the reservations of pages, HTTP headers and robots.txt: robots directives, TDMRep, Content-Signal and Content-Usage.
If it is empty, nothing was reserved in these ways. Texts by reservation: {rights}.
"""


def body(title: str, tally: Tally, facts: Facts, split: Split | None, labels: tuple[Column, ...] = ()) -> str:
    """Return the card below its head, in Markdown."""
    parts = [
        f"# {_line(title)}\n",
        f"{tally.whole.texts:,} texts from {len(tally.hosts):,} hosts, {tally.whole.characters:,} characters; collected from the "
        f"web with {PROGRAM} {__version__}.\n",
        _topic(facts),
        _collection(tally, facts),
        _filters(facts),
        _hosts(tally, facts),
        _splits(tally, split) if split else "",
        "\n".join(
            ["## Fields\n", "| field | meaning |", "|---|---|", *(f"| `{c.name}` | {c.meaning} |" for c in (*COLUMNS, *labels))]
        )
        + "\n",
        _LIMITS,
        _personal(tally, facts),
        _RIGHTS.format(rights=", ".join(f"{name} {n:,}" for name, n in sorted(tally.rights.items())) or "none"),
    ]
    return "\n".join(part for part in parts if part)


def _topic(facts: Facts) -> str:
    if not facts.topic:
        return ""
    return "## Topic\n\n" + "".join(f"- {name}: {_shown(value)}\n" for name, value in facts.topic.items() if value)


def _collection(tally: Tally, facts: Facts) -> str:
    lines = ["## Collection\n"]
    about = {name: value for name, value in facts.crawl.items() if value not in ("", None, [])}
    seeds = about.pop("seeds", [])
    lines += [f"- {name.replace('_', ' ')}: {_shown(value)}" for name, value in about.items()]
    if seeds:
        more = f" and {len(seeds) - SHOWN_SEEDS:,} more (see the manifest)" if len(seeds) > SHOWN_SEEDS else ""
        lines.append(f"- seeds: {', '.join(f'<{_line(url)}>' for url in seeds[:SHOWN_SEEDS])}{more}")
    lines.append(f"- pages fetched: {tally.first_fetched or 'unknown'} to {tally.last_fetched or 'unknown'} (UTC)")
    if tally.kinds:
        lines.append(f"- texts by kind of page: {', '.join(f'{_line(kind)} {n:,}' for kind, n in tally.kinds.most_common())}")
    asked = [facts.robots[host] for host in tally.hosts if host in facts.robots]
    answers = Counter(str(robots.get("robots", "")) or "unknown" for robots in asked)
    counts = f" ({', '.join(f'{_line(name)}: {count:,}' for name, count in answers.most_common(10))})" if answers else ""
    lines.append(f"- politeness: of {len(tally.hosts):,} hosts the answer to robots.txt is noted for {len(asked):,}{counts}")
    if delays := [delay for robots in asked if (delay := robots.get("crawl_delay"))]:
        lines.append(f"- {len(delays):,} of them ask for a delay between requests: {min(delays):g} to {max(delays):g} s")
    return "\n".join(lines) + "\n"


def _filters(facts: Facts) -> str:
    lines = [f"- {name}: {_shown(value)}" for name, value in facts.filters.items()]
    lines += [f"- changed: {change}" for change in facts.changes]
    return "## Filters\n\n" + ("\n".join(lines) if lines else "None: every kept text of the corpus is here.") + "\n"


def _hosts(tally: Tally, facts: Facts) -> str:
    lines = ["## Hosts\n", "| host | texts | characters | licences named | robots.txt |", "|---|---:|---:|---|---|"]
    ordered = sorted(tally.hosts.items(), key=lambda item: (-item[1].texts, item[0]))
    for host, count in ordered[:SHOWN_HOSTS]:
        named = ", ".join(f"{_line(name)} ({n:,})" for name, n in tally.licenses.get(host, Counter()).most_common(3))
        robots = _line(str(facts.robots.get(host, {}).get("robots", "")))
        lines.append(f"| {_line(host)} | {count.texts:,} | {count.characters:,} | {named} | {robots} |")
    if rest := [count for _, count in ordered[SHOWN_HOSTS:]]:
        texts, characters = sum(c.texts for c in rest), sum(c.characters for c in rest)
        lines.append(f"| {len(rest):,} more (see the manifest) | {texts:,} | {characters:,} | | |")
    return "\n".join(lines) + "\n"


def _splits(tally: Tally, split: Split) -> str:
    lines = ["## Splits\n", "| split | share | texts | characters |", "|---|---:|---:|---:|"]
    for name in split.names:
        count = tally.splits.get(name, Count())
        lines.append(f"| {name} | {split.by_name[name]:g} | {count.texts:,} | {count.characters:,} |")
    what = "All texts of a host are in one split." if split.by == "host" else "Texts were divided one by one."
    lines.append(f"\n{what} A digest decides (seed {split.seed}), so that no text moves when the corpus grows.")
    return "\n".join(lines) + "\n"


def _personal(tally: Tally, facts: Facts) -> str:
    kinds = ", ".join(f"{_line(kind)} {count:,}" for kind, count in sorted(tally.personal.items()))
    lines = [
        "## Personal data\n",
        "The texts were published on the open web and name persons. They were searched for telephone numbers, mail addresses,\n"
        "and numbers of identity and bank cards (`personal`), but not for names.",
        f"Found (texts): {kinds}." if kinds else "None were found.",
    ]
    if tally.unmeasured:
        lines.append(f"{tally.unmeasured:,} texts were stored without a search.")
    lines += [f"{change.capitalize()}." for change in facts.changes if "personal" in change]
    lines.append("Users of the texts are responsible for complying with the law on personal data where they use them.")
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    return _line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _line(text: str) -> str:
    """Escape ``text`` for a table of the card, because hosts and licences are untrusted."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


# -- Parquet files

GROUP_ROWS = 5_000
GROUP_CHARACTERS = 4_000_000  # a row group, held in memory, ends at whichever comes first

_FEW_VALUES = (
    *("host", "encoding", "worker", "language", "script", "kind", "method", "license", "rights", "source", "reason"),
    *("domain", "register"),
)
"""Columns worth a dictionary. One for texts would double the memory and save nothing."""


class Parquet(Writer):
    """Writer of one file compressed with zstd. Raise ExportError without pyarrow.

    With ``rejected``, it has the columns of rejected pages. With ``metadata`` apart, one column holds all but two.
    """

    def __init__(self, out: BinaryIO, rejected: bool = False, metadata: bool = False, labels: tuple[Column, ...] = ()) -> None:
        self._arrow = arrow()
        self._metadata = metadata
        self._columns = columns(rejected, metadata, labels)
        self._schema = self._arrow.schema([(column.name, _type(self._arrow, column)) for column in self._columns])
        few = [column.name for column in self._columns if column.name in _FEW_VALUES]
        few += [f"{METADATA}.{name}" for name in _FEW_VALUES if metadata]
        self._writer = importlib.import_module("pyarrow.parquet").ParquetWriter(
            _Sink(out), self._schema, compression="zstd", use_dictionary=few
        )
        self._rows: list[ExportRow] = []
        self._characters = 0

    def write(self, row: ExportRow) -> None:
        self._characters += len(row["text"]) + len(row["markdown"])
        row = nested(row) if self._metadata else row
        self._rows.append({column.name: _value(column, row) for column in self._columns})
        if len(self._rows) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows.clear()
        self._characters = 0

    def close(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()


class _Sink:
    """Output ignoring writes to a closed file: the writer of an aborted export writes its footer on garbage collection."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self.closed = False

    def write(self, data: bytes) -> int:
        return len(data) if self._out.closed else self._out.write(data)

    def flush(self) -> None:
        if not self._out.closed:
            self._out.flush()

    def close(self) -> None:
        self.closed = True


def arrow() -> ModuleType:
    """Import pyarrow, or raise ExportError with the command to install it."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise ExportError("for Parquet pyarrow is needed. Run pip install 'topical-crawler[parquet]'") from None


def _type(pa: ModuleType, column: Column) -> Any:
    makers: dict[str, Callable[[], Any]] = {
        "text": pa.string,
        "texts": lambda: pa.list_(pa.string()),
        "whole": pa.int64,
        "number": pa.float64,
        "yes": pa.bool_,
        "date": pa.date32,
        "time": lambda: pa.timestamp("s", tz="UTC"),
        "measures": lambda: pa.struct([(name, pa.float64()) for name in MEASURES]),
        "json": pa.string,
        "object": lambda: pa.struct([(inner.name, _type(pa, inner)) for inner in column.fields]),
    }
    return makers[column.kind]()


def _value(column: Column, row: ExportRow) -> Any:
    value = row.get(column.name)
    if column.kind == "object":
        return {inner.name: _value(inner, row[column.name]) for inner in column.fields}
    if column.kind == "json":
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if column.kind in ("date", "time"):
        with contextlib.suppress(ValueError):  # a page may give a day that does not exist
            return date.fromisoformat(value or "") if column.kind == "date" else datetime.fromisoformat(value or "")
        return None
    return value


# -- Folder

SHARD_CHARACTERS = 100_000_000  # per Parquet file, some 300 MB uncompressed: the Hub's viewer wants files below 500 MB

_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
_DTYPES = {"text": "string", "json": "string", "whole": "int64", "number": "float64", "yes": "bool", "date": "date32"}


class Shards:
    """Parquet files of one split, named at the end with their number."""

    def __init__(self, folder: Path, split: str, metadata: bool, labels: tuple[Column, ...] = ()) -> None:
        self._folder = folder
        self._split = split
        self._metadata, self._labels = metadata, labels
        self._parts: list[Path] = []
        self._open()

    def _open(self) -> None:
        path = self._folder / f"{self._split}-{len(self._parts):05}.part"
        self._file: BinaryIO = path.open("wb")
        self._writer = Parquet(self._file, metadata=self._metadata, labels=self._labels)
        self._parts.append(path)
        self._characters = 0

    def write(self, row: ExportRow) -> None:
        if self._characters >= SHARD_CHARACTERS:
            self._finish()
            self._open()
        self._writer.write(row)
        self._characters += len(row["text"]) + len(row["markdown"])

    def _finish(self) -> None:
        self._writer.close()
        self._file.close()

    def abandon(self) -> None:
        """Close the open file, finished or not."""
        self._file.close()

    def close(self) -> None:
        self._finish()
        for number, path in enumerate(self._parts):
            path.rename(path.with_name(f"{self._split}-{number:05}-of-{len(self._parts):05}.parquet"))


class HuggingFace:
    """Writer of a data set to an empty folder. A split without texts gets no file, because ``datasets`` cannot load it."""

    def __init__(
        self, folder: Path, splits: Sequence[str] = ("train",), metadata: bool = False, labels: tuple[Column, ...] = ()
    ) -> None:
        self._metadata, self._labels = metadata, labels
        self._data = folder / "data"
        self._data.mkdir()
        self._first = splits[0]
        self._shards: dict[str, Shards] = {}
        arrow()

    def write(self, row: ExportRow, split: str = "") -> None:
        split = split or self._first
        if split not in self._shards:
            self._shards[split] = Shards(self._data, split, self._metadata, self._labels)
        self._shards[split].write(row)

    def close(self) -> None:
        for shards in self._shards.values() or [Shards(self._data, self._first, self._metadata, self._labels)]:
            shards.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for shards in self._shards.values():
            shards.abandon()


def card(tally: Tally, facts: Facts, split: Split | None, metadata: bool = False, labels: tuple[Column, ...] = ()) -> str:
    """Return the ``README.md`` of a data set: YAML metadata and :func:`body`. With ``metadata``, one field holds most fields."""
    title = str(facts.topic.get("title") or facts.topic.get("name") or "Corpus")
    names = [name for name in split.names if name in tally.splits] if split else [NAMES[0]]
    lines = ["---", f"pretty_name: {_yaml(title)}"]
    if languages := [code for code, _ in tally.languages.most_common()]:
        lines += ["language:", *(f"- {_yaml(code)}" for code in languages)]
    size = next((name for below, name in _SIZES if tally.whole.texts < below), "n>10M")
    lines += ["license: other", "license_name: per-page", "license_link: README.md", f"size_categories:\n- {size}"]
    lines += ["configs:", "- config_name: default", "  data_files:"]
    for name in names or [split.names[0] if split else NAMES[0]]:
        lines += [f"  - split: {name}", f"    path: data/{name}-*"]
    lines += ["dataset_info:", "  features:"]
    for column in columns(False, metadata, labels):
        lines += _feature(column)
    return "\n".join([*lines, "---", "", body(title, tally, facts, split, labels)])


def _feature(column: Column, indent: str = "  ") -> list[str]:
    head, inner = f"{indent}- name: {column.name}", f"{indent}  "
    if column.kind == "texts":
        return [head, f"{inner}sequence: string"]
    if column.kind == "measures":
        return [head, f"{inner}struct:", *(f"{inner}- name: {name}\n{inner}  dtype: float64" for name in MEASURES)]
    if column.kind == "object":
        return [head, f"{inner}struct:", *(line for field in column.fields for line in _feature(field, inner))]
    return [head, f"{inner}dtype: {'timestamp[s, tz=UTC]' if column.kind == 'time' else _DTYPES[column.kind]}"]


def _yaml(text: str) -> str:
    """Return ``text`` on one line as a YAML string, a superset of JSON's."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
