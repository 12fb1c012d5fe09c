"""A folder that Hugging Face's ``datasets`` loads: Parquet files by split, and the card that says what they are.

The layout is that of the Hub: ``data/train-00000-of-00001.parquet``, and a ``README.md`` whose head is YAML
(https://huggingface.co/docs/hub/datasets-cards).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from topical_crawler.corpus.schema import MEASURES
from topical_crawler.export.card_text import body
from topical_crawler.export.manifest import Facts, Tally
from topical_crawler.export.parquet import Parquet, arrow
from topical_crawler.export.rows import COLUMNS, Column, Row
from topical_crawler.export.split import NAMES, Split

SHARD_CHARACTERS = 100_000_000
"""Of the texts of one Parquet file, some 300 MB before packing: the Hub's viewer wants files below 500 MB."""

_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
_DTYPES = {"text": "string", "json": "string", "whole": "int64", "number": "float64", "yes": "bool", "date": "date32"}


class Shards:
    """The Parquet files of one split. How many there are is known at the end, and then they get their names."""

    def __init__(self, folder: Path, split: str, most: int = SHARD_CHARACTERS) -> None:
        self._folder = folder
        self._split = split
        self._most = most
        self._parts: list[Path] = []
        self._open()

    def _open(self) -> None:
        path = self._folder / f"{self._split}-{len(self._parts):05}.part"
        self._file: BinaryIO = path.open("wb")
        self._writer = Parquet(self._file)
        self._parts.append(path)
        self._characters = 0

    def write(self, row: Row) -> None:
        if self._characters >= self._most:
            self._finish()
            self._open()
        self._writer.write(row)
        self._characters += len(row["text"])

    def _finish(self) -> None:
        self._writer.close()
        self._file.close()

    def abandon(self) -> None:
        """Let go of the open file, finished or not."""
        self._file.close()

    def close(self) -> None:
        self._finish()
        for number, path in enumerate(self._parts):
            path.rename(path.with_name(f"{self._split}-{number:05}-of-{len(self._parts):05}.parquet"))


class HuggingFace:
    """Writes a data set.

    Args:
        folder: an empty one.
        splits: names of the splits; one without texts gets no file, as ``datasets`` cannot load it.
    """

    def __init__(self, folder: Path, splits: Sequence[str] = ("train",)) -> None:
        self._folder = folder
        (folder / "data").mkdir()
        self._first = splits[0]
        self._shards: dict[str, Shards] = {}
        arrow()

    def _of(self, split: str) -> Shards:
        if split not in self._shards:
            self._shards[split] = Shards(self._folder / "data", split)
        return self._shards[split]

    def write(self, row: Row, split: str = "") -> None:
        self._of(split or self._first).write(row)

    def close(self) -> None:
        if not self._shards:
            self._of(self._first)
        for shards in self._shards.values():
            shards.close()

    def __enter__(self) -> HuggingFace:
        return self

    def __exit__(self, *_: object) -> None:
        for shards in self._shards.values():
            shards.abandon()


def card(tally: Tally, facts: Facts, split: Split | None) -> str:
    """The ``README.md`` of a data set: a head for programs, a text for people."""
    title = str(facts.topic.get("title") or facts.topic.get("name") or "Corpus")
    names = [name for name in split.names if name in tally.splits] if split else ["train"]
    lines = ["---", f"pretty_name: {_yaml(title)}"]
    if languages := [code for code, _ in tally.languages.most_common()]:
        lines += ["language:", *(f"- {_yaml(code)}" for code in languages)]
    size = next((name for below, name in _SIZES if tally.whole.texts < below), "n>10M")
    lines += ["license: other", "license_name: per-page", "license_link: README.md", f"size_categories:\n- {size}"]
    lines += ["configs:", "- config_name: default", "  data_files:"]
    for name in names or [split.names[0] if split else NAMES[0]]:
        lines += [f"  - split: {name}", f"    path: data/{name}-*"]
    lines += ["dataset_info:", "  features:"]
    for column in COLUMNS:
        lines += _feature(column)
    return "\n".join([*lines, "---", "", body(title, tally, facts, split)])


def _feature(column: Column) -> list[str]:
    head = f"  - name: {column.name}"
    if column.kind == "texts":
        return [head, "    sequence: string"]
    if column.kind == "measures":
        return [head, "    struct:", *(f"    - name: {name}\n      dtype: float64" for name in MEASURES)]
    return [head, f"    dtype: {'timestamp[s, tz=UTC]' if column.kind == 'time' else _DTYPES[column.kind]}"]


def _yaml(text: str) -> str:
    """A string as YAML has it: JSON's strings are among those."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
