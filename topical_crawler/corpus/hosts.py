"""What each host's robots.txt said when it was asked: under which rules the pages of a corpus were collected."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa

from topical_crawler.corpus.schema import hosts, upserting

if TYPE_CHECKING:
    from topical_crawler.corpus.store import CorpusStore


Robots = Literal["none", "unreachable", "allows all", "restricts"]
_DISALLOW = re.compile(r"[ \t]*disallow[ \t]*:([^#]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What the corpus notes of a host.

    Attributes:
        host: in lower case, with its port if it has one.
        robots: what its robots.txt says to this crawler: "none" (there is none), "unreachable" (it could not be fetched then),
            "allows all" or "restricts".
        crawl_delay: seconds between two requests that the robots.txt asks for; 0 where it asks for none.
        asked: when it was asked for, UTC, ``2026-11-20T08:30:00+00:00``.
    """

    host: str
    robots: Robots
    crawl_delay: float = 0.0
    asked: str = ""


def note(connection: sa.Connection, facts: HostFacts) -> None:
    """Write down what is known of a host, in place of what was known before.

    Args:
        connection: in a transaction that may write.
    """
    new = {"robots": facts.robots, "crawl_delay": facts.crawl_delay, "asked": facts.asked}
    insert = upserting(connection.dialect.name, hosts).values(host=facts.host, **new)
    connection.execute(insert.on_conflict_do_update(index_elements=[hosts.c.host], set_=new))


def note_in(store: CorpusStore, facts: HostFacts) -> None:
    """The same in a transaction of its own; may be called from any thread.

    Raises:
        CorpusError: it could not be stored.
    """
    with store.writing() as connection:
        note(connection, facts)


def read(connection: sa.Connection) -> dict[str, HostFacts]:
    """All that is known, by host."""
    rows = connection.execute(sa.select(hosts).order_by(hosts.c.host))
    return {row.host: HostFacts(row.host, row.robots, row.crawl_delay, row.asked) for row in rows}


def what_it_says(text: str, allows: Callable[[str], bool]) -> Robots:
    """Whether a robots.txt restricts a crawler: it may not fetch one of the paths that a Disallow names.

    Args:
        text: of the robots.txt.
        allows: whether its parser, which knows the rules that hold for the crawler, allows a path ("/内部/").

    >>> what_it_says("User-agent: *\\nDisallow: /内部/", lambda path: path != "/内部/")
    'restricts'
    >>> what_it_says("User-agent: *\\nDisallow:", lambda path: False)
    'allows all'
    """
    named = (found[1].strip() for line in text.splitlines() if (found := _DISALLOW.match(line)))
    return "restricts" if any(path and not allows("/" + path.lstrip("/").rstrip("$")) for path in named) else "allows all"
