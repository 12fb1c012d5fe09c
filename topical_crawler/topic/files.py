"""Readers of the files in a topic folder. Errors name file, line and fix.

``marked.jsonl`` holds texts marked by people as on or off topic. A line is a JSON object with ``url``, ``title``, ``text`` and
``mark`` (a key of :data:`ON_TOPIC`). Other keys are ignored. ``corpus report FILE --to-topic FOLDER`` writes it. It may also be
written by hand.
"""

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.resources.abc import Traversable
from typing import Any, Self

from topical_crawler.text.segment import normalise

MEAN = "!mean"  # word in `weights.tsv` for the weight of unlisted words
MAX_WORD = 50  # longest word, in characters
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "title": str,
    "description": str,
    "default_strategy": str,
    "weight_floor": (int, float),
    "seeds": list,
    "allowed_hosts": list,
    "strategy": dict,
    "model": dict,
}


class TopicError(ValueError):
    """Unreadable topic. The message names the file, the line and the fix."""


def read_lines(file: Traversable) -> Iterator[tuple[int, str]]:
    """Yield (number, line), skipping empty lines and comments. Yield none for a missing file.

    Raises:
        TopicError: the file is not UTF-8.
    """
    if file.is_file():
        for number, line in enumerate(_read(file).splitlines(), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield number, line


def read_documents(file: Traversable) -> list[str]:
    """Return the texts of a file, separated by empty lines, none for a missing file.

    Raises:
        TopicError: the file is not UTF-8.
    """
    if not file.is_file():
        return []
    lines = [line.strip() for line in _read(file).splitlines() if not line.lstrip().startswith("#")]
    return [document.strip() for document in re.split(r"\n{2,}", "\n".join(lines)) if document.strip()]


def read_weights(file: Traversable, needs_weight: bool = True) -> dict[str, float]:
    """Return the words of a TSV file with their weights, NaN for a word without one if ``needs_weight`` is False.

    Raises:
        TopicError: a line has no word, no weight, a bad weight, or a repeated word.
    """
    first: dict[str, int] = {}
    weights: dict[str, float] = {}
    for number, line in read_lines(file):
        where = f"{file}, line {number}"
        cells = [c.strip() for c in line.split("\t")]
        word = normalise(cells[0])
        if not 0 < len(word) <= MAX_WORD:
            raise TopicError(f"{where}: expected a word of 1 to {MAX_WORD} characters before the first tab, got {cells[0]!r}")
        if word in first:
            raise TopicError(f"{where}: {word!r} is already in line {first[word]}. Keep one of the two")
        first[word] = number
        if len(cells) > 1 and cells[1]:
            try:
                weights[word] = float(cells[1])
            except ValueError:
                weights[word] = math.nan
            if not (math.isfinite(weights[word]) and weights[word] >= 0):
                raise TopicError(f"{where}: the weight of {word!r} is {cells[1]!r}. Write a number of 0 or more, after a tab")
        elif needs_weight:
            raise TopicError(f"{where}: {word!r} has no weight. Write word <TAB> weight, e.g. {word}\t0.5")
        else:
            weights[word] = math.nan
    return weights


def read_terms(file: Traversable) -> dict[str, float]:
    """Return the topic terms with their weights, NaN if missing.

    Raises:
        TopicError: as for :func:`read_weights`, or the file is missing or has no term.
    """
    terms = read_weights(file, needs_weight=False)
    if not terms:
        problem = "no term found" if file.is_file() else "missing"
        raise TopicError(f"{file}: {problem}. Write the topic's terms into it, one per line: term <TAB> weight")
    return terms


def read_seed_lines(file: Traversable) -> list[str]:
    """Return the URLs of a seed file, see :func:`topical_crawler.topic.topic.read_seeds`."""
    return [check_seed(line.split()[0], f"{file}, line {number}") for number, line in read_lines(file)]


def check_seed(url: str, where: str) -> str:
    """Return ``url`` unchanged.

    Raises:
        TopicError: not an http(s) URL.
    """
    if not re.match(r"https?://[^/]", url):
        raise TopicError(f"{where}: {url!r} is not a URL. Start it with http:// or https://")
    return url


def read_config(file: Traversable) -> dict[str, Any]:
    """Return ``topic.toml`` with validated keys and types. Strategies validate their own tables.

    Raises:
        TopicError: invalid TOML, an unknown key, or a value of the wrong type.
    """
    text = _read(file)
    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TopicError(f"{file}: {error}. See https://toml.io for the format") from None
    for key, value in config.items():
        where = f"{file}, line {line_of(text, key)}"
        if key not in _KEYS:
            raise TopicError(f"{where}: unknown key {key!r}. Known: {', '.join(_KEYS)}")
        good = isinstance(value, _KEYS[key]) and not isinstance(value, bool)
        if isinstance(value, list):
            good = good and all(isinstance(item, str) for item in value)
        if isinstance(value, int | float):
            good = good and math.isfinite(value) and value >= 0
        if not good:
            raise TopicError(f"{where}: {key} cannot be {value!r}. See docs/topics.md")
    for url in config.get("seeds", ()):
        check_seed(url, f"{file}, line {line_of(text, 'seeds')}")
    for name, table in config.get("strategy", {}).items():
        if not isinstance(table, dict):
            raise TopicError(f"{file}, line {line_of(text, name)}: not a table. Write [strategy.{name}] and its parameters below")
    return config


def line_of(toml: str, key: str) -> int:
    """Return the number of the first line of ``toml`` setting ``key`` or opening a table of that name, 1 if not found."""
    pattern = re.compile(rf"^\s*(\[.*\b{re.escape(key)}\b.*\]|\"?{re.escape(key)}\"?\s*=)")
    return next((n for n, line in enumerate(toml.splitlines(), 1) if pattern.match(line)), 1)


def _read(file: Traversable) -> str:
    return _decoded(file.read_bytes(), file, 1, "utf-8-sig")  # Windows editors add a byte order mark


def _decoded(data: bytes, file: Traversable, line: int, encoding: str) -> str:
    """Decode ``data``, starting in this line of the file."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise TopicError(f"{file}, line {line}: not UTF-8 ({error.reason}). Save the file as UTF-8") from None


# -- Texts marked by people


MOST = 2_000  # most texts in the file
TEXT_LENGTH, TITLE_LENGTH = 20_000, 1_000  # characters used of a text and of a title
LINE_BYTES = 1 << 20  # longest line, including its end
ON_TOPIC: Mapping[str, bool | None] = {"relevant": True, "irrelevant": False, "boilerplate": None}
"""Meaning of each mark. None: no example of anything."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_REMEDY = 'Delete the line, or write it like {"url": "http://…", "title": "…", "text": "…", "mark": "relevant"}'


@dataclass(frozen=True, slots=True)
class MarkedText:
    """Text marked by a person."""

    url: str  # its source, never empty
    title: str  # at most `TITLE_LENGTH` characters, "" if there is none
    text: str  # main text, at most `TEXT_LENGTH` characters, "" if only the title is known. Never both blank
    mark: str  # one of `ON_TOPIC`

    @classmethod
    def bounded(cls, url: str, title: str, text: str, mark: str) -> Self:
        """Build a marked text with title and text cut to their maximum lengths, replacing characters unsupported by UTF-8."""
        return cls(*(_SURROGATE.sub("\ufffd", part) for part in (url, title[:TITLE_LENGTH], text[:TEXT_LENGTH], mark)))

    @property
    def on_topic(self) -> bool | None:
        """Meaning of the mark."""
        return ON_TOPIC[self.mark]

    @property
    def blank(self) -> bool:
        """True if both title and text are blank."""
        return not (self.title.strip() or self.text.strip())

    def as_json(self) -> str:
        """Return its line in the file, without the line break.

        >>> MarkedText("http://www.wutong.cn/1.html", "露天党课", "社区党支部上了一堂党课。", "relevant").as_json()
        '{"url": "http://www.wutong.cn/1.html", "title": "露天党课", "text": "社区党支部上了一堂党课。", "mark": "relevant"}'
        """
        return json.dumps(asdict(self), ensure_ascii=False)


def read_marked(file: Traversable) -> tuple[MarkedText, ...]:
    """Return the texts of a file marked as on or off topic, in order, none for a missing file.

    Raises:
        TopicError: as for :func:`read_marked_lines`.
    """
    return tuple(text for _, text in read_marked_lines(file) if text is not None and text.on_topic is not None)


def read_marked_lines(file: Traversable) -> Iterator[tuple[str, MarkedText | None]]:
    """Yield every line without its end, with its text, None for empty lines and comments (``#``).

    Raises:
        TopicError: a line is not UTF-8, too long, not a JSON object, incomplete, or repeats a URL, or there are more than
            :data:`MOST` texts.
    """
    first: dict[str, int] = {}
    for number, line in _lines(file):
        if not line.strip() or line.lstrip().startswith("#"):
            yield line, None
            continue
        where = f"{file}, line {number}"
        text = marked_text(_object(line), where)
        if text.url in first:
            raise TopicError(f"{where}: {text.url!r} is already in line {first[text.url]}. Keep one of the two")
        first[text.url] = number
        if len(first) > MOST:
            raise TopicError(f"{where}: more than {MOST:,} texts. Delete the least informative lines")
        yield line, text


def _lines(file: Traversable) -> Iterator[tuple[int, str]]:
    if not file.is_file():
        return
    with file.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LINE_BYTES + 1), b""), 1):
            if len(line) > LINE_BYTES:
                raise TopicError(f"{file}, line {number}: longer than {LINE_BYTES:,} bytes. Shorten its text")
            yield number, _decoded(line, file, number, "utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")


def _object(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def marked_text(fields: object, where: str) -> MarkedText:
    """Build a text from the fields of a JSON object, cut to its bounds.

    Raises:
        TopicError: not an object, or an incomplete one. The message begins with ``where``.
    """
    if not isinstance(fields, dict):
        raise TopicError(f"{where}: not a JSON object. {_REMEDY}")
    fields = {"title": "", "text": "", **fields}
    for name in ("url", "title", "text", "mark"):
        if name not in fields:
            raise TopicError(f"{where}: {name} is missing. {_REMEDY}")
        if not isinstance(fields[name], str):
            raise TopicError(f"{where}: {name} cannot be {fields[name]!r:.60}. {_REMEDY}")
    if fields["mark"] not in ON_TOPIC:
        raise TopicError(f"{where}: {fields['mark']!r:.60} is not a mark. Use one of {', '.join(ON_TOPIC)}")
    text = MarkedText.bounded(fields["url"], fields["title"], fields["text"], fields["mark"])
    if not text.url.strip():
        raise TopicError(f"{where}: url is empty. {_REMEDY}")
    if text.blank:
        raise TopicError(f"{where}: neither title nor text. Fill in one of them, or delete the line")
    return text
