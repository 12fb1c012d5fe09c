"""What a robots.txt says to a crawler, and what an answer without one means (RFC 9309). Plain values, no I/O."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Robots = Literal["none", "unreachable", "allows all", "restricts"]
"""What is noted of a host: there is no robots.txt, it cannot be had, it allows this crawler everything, it restricts it."""

MOST_BYTES = 512 * 1024
"""Size up to which a robots.txt is read; RFC 9309 demands at least 500 KiB."""
_DISALLOW = re.compile(r"[ \t]*disallow[ \t]*:([^#]*)", re.IGNORECASE)


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


def classify(text: str, allows: Callable[[str], bool]) -> Robots:
    """Whether the robots.txt ``text`` restricts a crawler: its parser ``allows`` not all paths that a Disallow names.

    >>> classify("User-agent: *\\nDisallow: /内部/", lambda path: path != "/内部/")
    'restricts'
    >>> classify("User-agent: *\\nDisallow:", lambda path: False)
    'allows all'
    """
    paths = (match[1].strip() for line in text.splitlines() if (match := _DISALLOW.match(line)))
    return "restricts" if any(path and not allows("/" + path.lstrip("/").rstrip("$")) for path in paths) else "allows all"
