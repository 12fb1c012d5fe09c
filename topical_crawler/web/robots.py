"""What a robots.txt says to a crawler, and what an answer without one means (RFC 9309). Plain values, no I/O."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Literal

Robots = Literal["none", "unreachable", "allows all", "restricts"]
"""What is noted of a host: there is no robots.txt, it cannot be had, it allows this crawler everything, it restricts it."""

MOST_BYTES = 512 * 1024
"""Size up to which a robots.txt is read; RFC 9309 demands at least 500 KiB."""
MOST_ASKED = 16
"""Paths about which the parser of a robots.txt is asked to tell whether it restricts a crawler."""
_DISALLOW = re.compile(r"[ \t]*disallow[ \t]*:([^#]*)", re.IGNORECASE)
_NAMED = re.compile(r"(\s*user[- ]?agent[\s:]+)([^#]*)", re.IGNORECASE)
_KNOWN = re.compile(r"\s*(?:user|allow|di|crawl|request|visit|site|host|content)", re.IGNORECASE)  # with the usual misspellings
_WORD = re.compile(r"[\w-]*[^\W\d_][\w-]*")
_NOBODY = "?"  # no name of a crawler


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a robots.txt that was asked for.

    Attributes:
        text: its rules; "" forbids nothing.
        said: what is to be noted of the host; None: what the text says (:func:`classify`).
        lasts: whether it holds for as long as a robots.txt may.
    """

    text: str = ""
    said: Robots | None = "unreachable"
    lasts: bool = False


def read_answer(status: int, body: bytes) -> Answer | None:
    """Read an answer to a request for a robots.txt. None where it forbids everything for now: the server fails or asks for
    patience. Of a large one as many whole lines count as fit into :data:`MOST_BYTES`.

    >>> read_answer(200, b"User-agent: *"), read_answer(404, b"<html>"), read_answer(503, b"")
    (Answer(text='User-agent: *', said=None, lasts=True), Answer(text='', said='none', lasts=True), None)
    """
    if status >= 500 or status == 429:
        return None
    if 200 <= status < 300:
        if len(body) > MOST_BYTES:
            body = body[:MOST_BYTES].rpartition(b"\n")[0]
        return Answer(body.decode("utf-8-sig", errors="ignore").replace("\0", ""), None, lasts=True)
    return Answer("", "none" if 400 <= status < 500 else "unreachable", lasts=status in (404, 410))


def addressed(text: str, agent: str) -> str:
    """The robots.txt ``text`` as ``agent`` is to read it, for any parser. A group is for the agent that has one of its words as a
    name, whatever version or comment stands beside it (RFC 9309, 2.2.1). The names of other agents are struck out: some parsers
    take the beginning of a name for the name. Lines that are no rules end no group.

    >>> addressed("User-agent: Topical_Crawler/1.0 (党建)\\nDisallow: /\\nUser-agent: topical\\nUser-agent: *", "topical_crawler")
    'User-agent: Topical_Crawler\\nDisallow: /\\nUser-agent: ?\\nUser-agent: *'
    """
    words = "|".join(map(re.escape, _WORD.findall(agent))) or re.escape(_NOBODY)
    own = re.compile(rf"(?<![\w-])(?:{words})(?![-_]*[^\W\d_])", re.IGNORECASE)

    def named(line: re.Match[str]) -> str:
        name = own.search(line[2].replace("*", ""))
        return line[1] + (name[0] if name else "*" if line[2].split()[:1] == ["*"] else _NOBODY)

    return "\n".join(_NAMED.sub(named, line) for line in text.splitlines() if _KNOWN.match(line))


def classify(text: str, allows: Callable[[str], bool]) -> Robots:
    """Whether the robots.txt ``text``, :func:`addressed` to a crawler, restricts it: its parser ``allows`` not all paths that a
    Disallow of its group names. Each answer takes as long as the group has rules, so a group that allows the first
    :data:`MOST_ASKED` of them and names more is taken to restrict.

    >>> classify("User-agent: *\\nDisallow: /内部/", lambda path: path != "/内部/")
    'restricts'
    >>> classify("User-agent: ?\\nDisallow: /\\nUser-agent: *\\nDisallow:", lambda path: False)
    'allows all'
    """
    groups: dict[str, list[str]] = {}
    names: list[str] = []
    ended = True
    for line in text.splitlines():
        if name := _NAMED.match(line):
            names = [*(() if ended else names), name[2].strip()]
            groups.setdefault(names[-1], [])
            ended = False
        elif match := _DISALLOW.match(line):
            ended = True
            if path := match[1].strip():
                for of in names:
                    groups[of].append("/" + path.lstrip("/").rstrip("$"))
        else:
            ended = True
    groups.pop(_NOBODY, None)
    everybody = groups.pop("*", [])
    paths = list(dict.fromkeys(chain(*groups.values()) if groups else everybody))
    restricts = len(paths) > MOST_ASKED or any(not allows(path) for path in paths)
    return "restricts" if restricts else "allows all"
