"""The robots.txt of each host: the rules under which the pages of a corpus were collected."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa

from topical_crawler.corpus.schema import hosts, upserting

if TYPE_CHECKING:
    from topical_crawler.corpus.store import CorpusStore

Robots = Literal["none", "unreachable", "allows all", "restricts"]
_DISALLOW = re.compile(r"[ \t]*disallow[ \t]*:([^#]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HostFacts:
    """A host's robots.txt.

    Attributes:
        host: in lower case, with its port if it has one.
        robots: what it says to this crawler: "none" (there is none), "unreachable", "allows all" or "restricts".
        crawl_delay: seconds between two requests that it asks for; 0: none.
        asked: when it was fetched, UTC, ``2026-11-20T08:30:00+00:00``.
    """

    host: str
    robots: Robots
    crawl_delay: float = 0.0
    asked: str = ""


def note(connection: sa.Connection, facts: HostFacts) -> None:
    """Store the facts of a host in place of the former ones."""
    insert = upserting(connection.dialect.name, hosts).values(**asdict(facts))
    changes = {name: insert.excluded[name] for name in ("robots", "crawl_delay", "asked")}
    connection.execute(insert.on_conflict_do_update(index_elements=[hosts.c.host], set_=changes))


def note_in(store: CorpusStore, facts: HostFacts) -> None:
    """:func:`note` in a transaction of its own, from any thread.

    Raises:
        CorpusError: it could not be stored.
    """
    with store.writing() as connection:
        note(connection, facts)


def read(connection: sa.Connection) -> dict[str, HostFacts]:
    """All facts, by host."""
    rows = connection.execute(sa.select(hosts).order_by(hosts.c.host))
    return {row.host: HostFacts(row.host, row.robots, row.crawl_delay, row.asked) for row in rows}


def classify_robots(text: str, allows: Callable[[str], bool]) -> Robots:
    """Whether the robots.txt ``text`` restricts a crawler: its parser ``allows`` not all paths that a Disallow names.

    >>> classify_robots("User-agent: *\\nDisallow: /内部/", lambda path: path != "/内部/")
    'restricts'
    >>> classify_robots("User-agent: *\\nDisallow:", lambda path: False)
    'allows all'
    """
    paths = (match[1].strip() for line in text.splitlines() if (match := _DISALLOW.match(line)))
    return "restricts" if any(path and not allows("/" + path.lstrip("/").rstrip("$")) for path in paths) else "allows all"
