"""Read the files of a topic folder; errors name file, line and remedy.

``marked.jsonl`` holds texts that people have marked as on or off the topic. A line is a JSON object with ``url``, ``title``,
``text`` and ``mark`` (a key of :data:`ON_TOPIC`); other keys are ignored. ``scrapy corpus judge FILE --to-topic FOLDER`` writes
it, and a person may.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

from topical_crawler.text.segment import normalise

# -- The topic's own files


MEAN = "!mean"
"""The line of ``weights.tsv`` with the weight of unlisted words."""
MAX_WORD = 50
"""Longest word, in characters."""
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "title": str,
    "description": str,
    "default_strategy": str,
    "weight_floor": (int, float),
    "seeds": list,
    "allowed_hosts": list,
    "strategy": dict,
}


class TopicError(ValueError):
    """A topic cannot be read. The message names the file, the line and the remedy."""


def read_lines(file: Traversable) -> Iterator[tuple[int, str]]:
    """(number, line) of the lines that are neither empty nor comments; none of a missing file.

    Raises:
        TopicError: the file is not UTF-8.
    """
    if file.is_file():
        for number, line in enumerate(_read(file).splitlines(), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield number, line


def read_documents(file: Traversable) -> list[str]:
    """The texts of a file, separated by empty lines; none of a missing file.

    Raises:
        TopicError: the file is not UTF-8.
    """
    if not file.is_file():
        return []
    lines = [line.strip() for line in _read(file).splitlines() if not line.lstrip().startswith("#")]
    return [document.strip() for document in re.split(r"\n{2,}", "\n".join(lines)) if document.strip()]


def read_weights(file: Traversable, needs_weight: bool = True) -> dict[str, float]:
    """Words of a TSV file with their weights; NaN for a word without one, where that is allowed.

    Raises:
        TopicError: a line has no word, no weight or a bad one, or a word that stands already above.
    """
    first: dict[str, int] = {}
    weights: dict[str, float] = {}
    for number, line in read_lines(file):
        where = f"{file}, line {number}"
        cells = [c.strip() for c in line.split("\t")]
        word = normalise(cells[0])
        if not 0 < len(word) <= MAX_WORD:
            raise TopicError(f"{where}: a word of 1 to {MAX_WORD} characters is expected before the first tab, not {cells[0]!r}")
        if word in first:
            raise TopicError(f"{where}: {word!r} stands already in line {first[word]}. Remedy: keep one of the two")
        first[word] = number
        if len(cells) > 1 and cells[1]:
            weights[word] = _weight(cells[1], word, where)
        elif needs_weight:
            raise TopicError(f"{where}: {word!r} has no weight. Remedy: word <TAB> weight, e.g. {word}\t0.5")
        else:
            weights[word] = math.nan
    return weights


def read_terms(file: Traversable) -> dict[str, float]:
    """Topic terms with their weights, NaN where none is given.

    Raises:
        TopicError: as :func:`read_weights`; or there is no file, or no term in it.
    """
    terms = read_weights(file, needs_weight=False)
    if not terms:
        missing = "holds no term" if file.is_file() else "missing"
        raise TopicError(f"{file}: {missing}. Remedy: write the topic's terms into it, one a line: term <TAB> weight")
    return terms


def read_seed_lines(file: Traversable) -> list[str]:
    """URLs of a file of seeds, see :func:`topical_crawler.topic.topic.read_seeds`."""
    return [check_seed(line.split()[0], f"{file}, line {number}") for number, line in read_lines(file)]


def check_seed(url: str, where: str) -> str:
    """``url`` as it is.

    Raises:
        TopicError: it is no http(s) URL.
    """
    if not re.match(r"https?://[^/]", url):
        raise TopicError(f"{where}: {url!r} is no URL. Remedy: start it with http:// or https://")
    return url


def read_config(file: Traversable) -> dict[str, Any]:
    """``topic.toml``, its keys and their kinds checked (the strategies check their own tables).

    Raises:
        TopicError: no TOML, an unknown key, or a value of the wrong kind.
    """
    text = _read(file)
    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TopicError(f"{file}: {error}. Remedy: see https://toml.io for the form of the file") from None
    for key, value in config.items():
        where = f"{file}, line {line_of(text, key)}"
        if key not in _KEYS:
            raise TopicError(f"{where}: unknown key {key!r}. Known: {', '.join(_KEYS)}")
        good = isinstance(value, _KEYS[key]) and not isinstance(value, bool)
        if isinstance(value, list):
            good = good and all(isinstance(one, str) for one in value)
        if isinstance(value, int | float):
            good = good and math.isfinite(value) and value >= 0
        if not good:
            raise TopicError(f"{where}: {key} cannot be {value!r}. Remedy: see docs/topics.md")
    for url in config.get("seeds", ()):
        check_seed(url, f"{file}, line {line_of(text, 'seeds')}")
    for name, table in config.get("strategy", {}).items():
        if not isinstance(table, dict):
            where = f"{file}, line {line_of(text, name)}"
            raise TopicError(f"{where}: write [strategy.{name}] and its parameters below it")
    return config


def line_of(toml: str, key: str) -> int:
    """Number of the first line of ``toml`` that sets ``key`` or opens a table of that name; 1 where none is found."""
    pattern = re.compile(rf"^\s*(\[.*\b{re.escape(key)}\b.*\]|\"?{re.escape(key)}\"?\s*=)")
    return next((n for n, line in enumerate(toml.splitlines(), 1) if pattern.match(line)), 1)


def _weight(text: str, word: str, where: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise TopicError(f"{where}: the weight of {word!r} is {text!r}. Remedy: a number of 0 or more, after a tab")
    return weight


def _read(file: Traversable) -> str:
    data = file.read_bytes()
    try:
        return data.decode("utf-8-sig")  # with the mark that Windows editors put in front
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TopicError(f"{file}, line {line}: not UTF-8 ({error.reason}). Remedy: save the file as UTF-8") from None


# -- Texts that people have marked


MARKED = "marked.jsonl"
MOST = 2_000
"""Most texts in the file."""
TEXT_LENGTH, TITLE_LENGTH = 20_000, 1_000
"""Characters of a text and of a title that are used."""
LINE_BYTES = 1 << 20
"""Longest line, its end included."""
ON_TOPIC: Mapping[str, bool | None] = {"relevant": True, "irrelevant": False, "boilerplate": None}
"""Meaning of each mark; None: the text is no example for anything."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_REMEDY = 'Remedy: delete the line, or write it like {"url": "http://…", "title": "…", "text": "…", "mark": "relevant"}'


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text of which a person has said whether it belongs to the topic.

    Attributes:
        url: where it came from, never empty.
        title: at most :data:`TITLE_LENGTH` characters; "" where there is none.
        text: main text, at most :data:`TEXT_LENGTH` characters; "" where only the title is known. Not both are blank.
        on_topic: what the person said.
    """

    url: str
    title: str
    text: str
    on_topic: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the file.

    Attributes:
        url, title, text: as of a :class:`MarkedText`.
        mark: one of :data:`ON_TOPIC`.
    """

    url: str
    title: str
    text: str
    mark: str

    @property
    def blank(self) -> bool:
        """Whether there is neither a title nor a text."""
        return not (self.title.strip() or self.text.strip())

    def as_json(self) -> str:
        """The line, without its end.

        >>> Entry("http://www.wutong.cn/1.html", "露天党课", "社区党支部上了一堂党课。", "relevant").as_json()
        '{"url": "http://www.wutong.cn/1.html", "title": "露天党课", "text": "社区党支部上了一堂党课。", "mark": "relevant"}'
        """
        fields = {"url": self.url, "title": self.title, "text": self.text, "mark": self.mark}
        return json.dumps(fields, ensure_ascii=False)


def entry(url: str, title: str, text: str, mark: str) -> Entry:
    """An entry with title and text cut to their lengths, and without what UTF-8 cannot hold."""
    return Entry(_writable(url), _writable(title[:TITLE_LENGTH]), _writable(text[:TEXT_LENGTH]), mark)


def read_marked(file: Traversable) -> tuple[MarkedText, ...]:
    """The texts of a file that are marked as on or off the topic, in its order; none of a file that is not there.

    Raises:
        TopicError: see :func:`read_entries`.
    """
    return tuple(
        MarkedText(one.url, one.title, one.text, said)
        for _, one in read_entries(file)
        if one is not None and (said := ON_TOPIC[one.mark]) is not None
    )


def read_entries(file: Traversable) -> Iterator[tuple[str, Entry | None]]:
    """Every line as it stands, without its end, with what it says: None for empty lines and comments, which begin with ``#``.

    Raises:
        TopicError: a line is not UTF-8, too long, no JSON object or lacks something, its URL stands above already, or there are
            more than :data:`MOST` texts.
    """
    first: dict[str, int] = {}
    for number, line in _lines(file):
        if not line.strip() or line.lstrip().startswith("#"):
            yield line, None
            continue
        where = f"{file}, line {number}"
        one = _entry(line, where)
        if one.url in first:
            raise TopicError(f"{where}: {one.url!r} stands already in line {first[one.url]}. Remedy: keep one of the two")
        first[one.url] = number
        if len(first) > MOST:
            raise TopicError(f"{where}: more than {MOST:,} texts. Remedy: delete lines that tell least")
        yield line, one


def _lines(file: Traversable) -> Iterator[tuple[int, str]]:
    if not file.is_file():
        return
    with file.open("rb") as stream:
        number = 0
        while line := stream.readline(LINE_BYTES + 1):
            number += 1
            where = f"{file}, line {number}"
            if len(line) > LINE_BYTES:
                raise TopicError(f"{where}: longer than {LINE_BYTES:,} bytes. Remedy: shorten its text")
            try:
                decoded = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise TopicError(f"{where}: not UTF-8 ({error.reason}). Remedy: save the file as UTF-8") from None
            yield number, decoded.rstrip("\r\n")


def _entry(line: str, where: str) -> Entry:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise TopicError(f"{where}: no JSON object. {_REMEDY}")
    given = {"title": "", "text": "", **fields}
    for name in ("url", "title", "text", "mark"):
        if name not in given:
            raise TopicError(f"{where}: {name} is missing. {_REMEDY}")
        if not isinstance(given[name], str):
            raise TopicError(f"{where}: {name} cannot be {given[name]!r:.60}. {_REMEDY}")
    if given["mark"] not in ON_TOPIC:
        raise TopicError(f"{where}: {given['mark']!r:.60} is no mark. Remedy: one of {', '.join(ON_TOPIC)}")
    one = entry(given["url"], given["title"], given["text"], given["mark"])
    if not one.url.strip():
        raise TopicError(f"{where}: url is empty. {_REMEDY}")
    if one.blank:
        raise TopicError(f"{where}: neither title nor text. Remedy: give one of them, or delete the line")
    return one


def _writable(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)
