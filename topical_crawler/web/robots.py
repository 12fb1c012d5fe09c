"""Rules of a robots.txt for a crawler, and the meaning of an answer without one (RFC 9309). Plain values, no I/O."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Literal

Robots = Literal["none", "unreachable", "allows all", "restricts"]
"""Note on a host's robots.txt: missing, unreachable, allowing this crawler everything, or restricting it."""

MOST_BYTES = 512 * 1024
"""Bytes read of a robots.txt. RFC 9309 demands at least 500 KiB."""
MOST_ASKED = 16
"""Paths checked with the parser of a robots.txt for restrictions of a crawler."""
_DISALLOW = re.compile(r"[ \t]*disallow[ \t]*:([^#]*)", re.IGNORECASE)
_NAMED = re.compile(r"\s*user[- ]?agent[\s:]+([^#]*)", re.IGNORECASE)
_RULE = re.compile(r"\s*(?:allow|di|crawl|request|visit|content)", re.IGNORECASE)  # with the usual misspellings
_OF_SITE, _SIGNAL = re.compile(r"\s*(?:site|host|license)", re.IGNORECASE), re.compile(r"\s*content", re.IGNORECASE)
_OURS = " "  # stands for our names, never a name of another
_WORD = re.compile(r"[\w-]*[^\W\d_][\w-]*")


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of requesting a robots.txt.

    Attributes:
        text: its rules. "" forbids nothing.
        note: note on the host, None for the one by the text (:func:`classify`).
        lasts: True if it holds for the full time of a robots.txt.
    """

    text: str = ""
    note: Robots | None = "unreachable"
    lasts: bool = False


def read_answer(status: int, body: bytes) -> Answer | None:
    """Read an answer to a request for a robots.txt.

    Return None if it forbids everything for now, because the server fails or throttles. Of a large one, as many whole lines count
    as fit into :data:`MOST_BYTES`.

    >>> read_answer(200, b"User-agent: *"), read_answer(404, b"<html>"), read_answer(503, b"")
    (Answer(text='User-agent: *', note=None, lasts=True), Answer(text='', note='none', lasts=True), None)
    """
    if status >= 500 or status == 429:
        return None
    if 200 <= status < 300:
        if len(body) > MOST_BYTES:
            body = body[:MOST_BYTES].rpartition(b"\n")[0]
        return Answer(body.decode("utf-8-sig", errors="ignore").replace("\0", ""), None, lasts=True)
    return Answer("", "none" if 400 <= status < 500 else "unreachable", lasts=status in (404, 410))


def addressed(text: str, agent: str) -> str:
    """Return the rules of the robots.txt ``text`` for ``agent``, in one group read alike by any parser.

    These are the rules of the groups for it, else of those for all, after the lines for the whole site. A group is for the agent
    if it names one of its words, with any version or comment beside it (RFC 9309, 2.2.1). Lines other than rules end no group.

    >>> addressed("User-agent: Topical_Crawler/1.0 (党建)\\nDisallow: /a\\nUser-agent: *\\nDisallow: /", "topical_crawler")
    'User-agent: *\\nDisallow: /a'
    """
    words = "|".join(map(re.escape, _WORD.findall(agent))) or "(?!)"
    own = re.compile(rf"(?<![\w-])(?:{words})(?![-_]*[^\W\d_])", re.IGNORECASE)
    site: list[str] = []
    groups: dict[str, list[list[str]]] = {}
    rules: list[str] = []  # of the present group, under any name
    named = False  # the last rule was a name
    for line in text.splitlines():
        if not line or line.isspace():
            continue
        if name := _NAMED.match(line):
            rules = rules if named else []
            ours = own.search(name[1].replace("*", "")) is not None
            parts = groups.setdefault(_OURS if ours else (name[1].split() or [""])[0], [])
            if not parts or parts[-1] is not rules:
                parts.append(rules)
            named = True
        elif _OF_SITE.match(line) or (not groups and _SIGNAL.match(line)):
            site.append(line)
        elif _RULE.match(line):
            named = False
            rules.append(line)
    chosen = groups.get(_OURS, groups.get("*"))
    return "\n".join([*site, *(["User-agent: *", *chain.from_iterable(chosen)] if chosen is not None else ())])


def classify(text: str, allows: Callable[[str], bool]) -> Robots:
    """Classify the robots.txt ``text``, :func:`addressed` to a crawler: it restricts it if a Disallow names a forbidden path.

    Each call of ``allows`` takes as long as there are rules, so a text naming more than :data:`MOST_ASKED` paths counts as
    restricting.

    >>> classify("User-agent: *\\nDisallow: /内部/", lambda path: path != "/内部/")
    'restricts'
    >>> classify("User-agent: *\\nDisallow:", lambda path: False)
    'allows all'
    """
    named = (match[1].strip() for line in text.splitlines() if (match := _DISALLOW.match(line)))
    paths = {"/" + path.lstrip("/").rstrip("$") for path in named if path}
    return "restricts" if len(paths) > MOST_ASKED or not all(map(allows, paths)) else "allows all"
