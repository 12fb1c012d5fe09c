"""Overlap of texts with test sets: shared runs of :data:`RUN` words.

The measure is that of datatrove's ``NGramsDecontFilter``, with the 13 words of Brown et al. 2020 (appendix C) for its default
of 12. Case, width, punctuation and the values of numbers do not count. Words are those of jieba, like datatrove's for Chinese,
but of its dictionary alone, because guessed words depend on their context. Traditional characters count as simplified.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from topical_crawler.cleaning.characters import to_simplified
from topical_crawler.corpus.record import CorpusError

RUN = 13
"""Words in a row."""
SUFFIXES = (".txt", ".jsonl")
_NUMBER = re.compile(r"\d+")
_BLANK = re.compile(r"\n\s*\n")
Cut = Callable[[str], Sequence[str]]


TestFile = dict[str, Any]
"""File of a test set: ``name``, ``sha256``, number of ``items``, of ``short`` items (fewer than :data:`RUN` words, never found),
and of ``texts`` overlapping with it."""


class HeldOut:
    """Runs of words in test sets: texts (``.txt``), JSON Lines (``.jsonl``), or folders of them.

    Blank lines separate the items of a text. Every string in a JSON line is an item. ``cut`` splits a text into words in lower
    case.

    >>> import tempfile
    >>> question = "党员每年集中培训时间一般不少于多少学时以及由谁来组织实施这项培训工作"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "卷.jsonl").write_text(json.dumps({"题": question}))
    ...     sets = HeldOut([folder], lambda text: list(text))
    >>> sets.found("通知说，党员每年集中培训时间，一般不少于三十二学时。")
    ('卷.jsonl', '党 员 每 年 集 中 培 训 时 间 一 般 不 少 于')
    >>> sets.found("党员每年都要参加集中培训。") is None, [(s["name"], s["items"], s["texts"]) for s in sets.files]
    (True, [('卷.jsonl', 1, 1)])
    """

    def __init__(self, paths: Sequence[str | Path], cut: Cut) -> None:
        self._cut = cut
        self._runs: dict[int, int] = {}  # digest of a run: number of its file
        self.files: list[TestFile] = []
        for file in _files(paths):
            digest = sha256(file.read_bytes()).hexdigest()
            self.files.append({"name": file.name, "sha256": digest, "items": 0, "short": 0, "texts": 0})
            for item in _items(file):
                words = self._words(item)
                self.files[-1]["items"] += 1
                self.files[-1]["short"] += len(words) < RUN
                for run in _digests(words):
                    self._runs.setdefault(run, len(self.files) - 1)

    def found(self, text: str) -> tuple[str, str] | None:
        """Return file name and words of the longest overlap of a text, and count the text for that file. None without overlap."""
        words = self._words(text)
        best, start, last = (0, 0, 0), 0, None
        for place, run in enumerate(_digests(words)):
            number = self._runs.get(run)
            if number is not None:
                start = place if number != last else start
                best = max(best, (place + RUN - start, -start, -number))
            last = number
        length, start, number = best[0], -best[1], -best[2]
        if not length:
            return None
        self.files[number]["texts"] += 1
        return self.files[number]["name"], " ".join(words[start : start + length])

    def _words(self, text: str) -> list[str]:
        words = (_NUMBER.sub("0", word) for word in self._cut(to_simplified(text)))
        return [word for word in words if any(map(str.isalnum, word))]


def _digests(words: Sequence[str]) -> Iterator[int]:
    for start in range(len(words) - RUN + 1):
        run = " ".join(words[start : start + RUN]).encode("utf-8", "replace")
        yield int.from_bytes(blake2b(run, digest_size=8).digest(), "big")


def _files(paths: Sequence[str | Path]) -> Iterator[Path]:
    for name in paths:
        path = Path(name).expanduser()
        found = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES) if path.is_dir() else [path]
        if not found or not all(file.is_file() and file.suffix in SUFFIXES for file in found):
            raise CorpusError(f"{path} is no test set. Name a file {' or '.join(SUFFIXES)}, or a folder with some")
        yield from found


def _items(file: Path) -> Iterator[str]:
    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{file}: not UTF-8 ({error.reason}). Save it as UTF-8") from None
    if file.suffix == ".txt":
        yield from filter(str.strip, _BLANK.split(text))
        return
    for number, line in enumerate(text.split("\n"), 1):
        try:
            yield from _strings(json.loads(line) if line.strip() else "")
        except (ValueError, RecursionError):
            raise CorpusError(f"{file}:{number}: no JSON. Write one JSON value a line") from None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
