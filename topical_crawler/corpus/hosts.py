"""What each host's robots.txt said when it was asked: under which rules the pages of a corpus were collected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa

from topical_crawler.corpus.schema import hosts, upserting

if TYPE_CHECKING:
    from topical_crawler.corpus.store import CorpusStore


Robots = Literal["none", "unreachable", "allows all", "restricts"]
_LINE = re.compile(r"[ \t]*(user-agent|disallow|allow|crawl-delay)[ \t]*:[ \t]*([^#\r\n]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What is known of a host.

    Attributes:
        host: in lower case, with a port where one is given.
        robots: what its robots.txt said to this crawler: "none" (there is none), "unreachable" (it could not be had, though that
            may have passed since), "allows all", "restricts".
        crawl_delay: seconds between two requests, as the robots.txt names them; 0 where it names none.
        asked: when, UTC, ``2026-11-20T08:30:00+00:00``.
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


def what_it_says(text: str, agent: str) -> Robots:
    """Whether a robots.txt restricts a crawler: it has a Disallow with a path in the groups for it, or, where none names it, in
    those for all (RFC 9309, section 2.2).

    Args:
        text: of the robots.txt.
        agent: the crawler's product token, in any case.

    >>> what_it_says("User-agent: *\\nDisallow: /内部/", "topical_crawler"), what_it_says("User-agent: *\\nDisallow:", "x")
    ('restricts', 'allows all')
    """
    restricted: dict[str, bool] = {}
    for agents, closed in _groups(text):
        for name in agents:
            restricted[name] = restricted.get(name, False) or closed
    ours = agent.lower()
    named = [name for name in restricted if name != "*" and name in ours]
    chosen = max(named, key=len) if named else "*"
    return "restricts" if restricted.get(chosen, False) else "allows all"


def _groups(text: str) -> Iterator[tuple[list[str], bool]]:
    """The agents of each group, in lower case, and whether it closes any path."""
    agents: list[str] = []
    closed = in_rules = False
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        field, value = found[1].lower(), found[2].strip()
        if field != "user-agent":
            in_rules = True
            closed = closed or (field == "disallow" and bool(value))
            continue
        if in_rules:
            yield agents, closed
            agents, closed, in_rules = [], False, False
        if value:
            agents.append(value.lower())
    yield agents, closed
