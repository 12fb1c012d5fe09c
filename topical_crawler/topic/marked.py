"""Texts that people have marked as on or off a topic: the file ``marked.jsonl`` of a topic folder.

A line is a JSON object with ``url``, ``title``, ``text`` and ``mark`` (a key of :data:`ON_TOPIC`); other keys are ignored.
``scrapy corpus judge FILE --to-topic FOLDER`` writes it, and a person may.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from topical_crawler.topic.files import TopicError

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
