"""What the backends decide alike: which entries are sound, which evidence is new, what to say of a misused key."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

from topical_crawler.frontier.base import MAX_EVIDENCE, Entry
from topical_crawler.page import Evidence

KEY_LENGTH = 16
"""Bytes of an entry's key."""


def check(entry: Entry) -> Entry:
    """``entry`` itself. Raises ValueError for a key that is no digest, and for a priority or relevance that is not finite."""
    if not isinstance(entry.key, bytes) or len(entry.key) != KEY_LENGTH:
        raise ValueError(f"the key of {entry.url!r} is {entry.key!r}: it must be the {KEY_LENGTH} bytes of urls.fingerprint")
    check_priority(entry.priority, entry.url)
    for evidence in entry.evidence:
        if not math.isfinite(evidence.relevance):
            raise ValueError(f"the relevance of {evidence.parent!r} is {evidence.relevance}: it must be a finite number")
    return entry


def check_priority(priority: float, url: str) -> None:
    """Raises ValueError for a priority that is not finite."""
    if not math.isfinite(priority):
        raise ValueError(f"the priority of {url!r} is {priority}: it must be a finite number")


def gained(parents: Collection[str], found: Iterable[Evidence]) -> list[Evidence]:
    """The evidence to add to an entry that knows ``parents``: no parent twice, at most MAX_EVIDENCE in all, the first found."""
    new: dict[str, Evidence] = {}
    for evidence in found:
        if len(parents) + len(new) >= MAX_EVIDENCE:
            break
        if evidence.parent not in parents:
            new.setdefault(evidence.parent, evidence)
    return list(new.values())


def host_of(url: str, known_url: str, known_host: str) -> str:
    """The host whose politeness holds for ``url``: the known one where both URLs have the same authority."""
    authority = urlsplit(url).netloc
    return known_host if authority == urlsplit(known_url).netloc else authority.rpartition("@")[2].lower()


def check_delay(seconds: float) -> None:
    """Raises ValueError for a delay that is negative or endless."""
    if not 0 <= seconds < math.inf:
        raise ValueError(f"a delay of {seconds} seconds: it must be a number of seconds, 0 or more")


def check_in_flight(number: int) -> None:
    """Raises ValueError for a limit that lets nothing through."""
    if number < 1:
        raise ValueError(f"in_flight_per_host is {number}: at least one entry of a host must be allowed in flight")


def check_max_waiting(number: int) -> None:
    """Raises ValueError for a bound that is less than none."""
    if number < 0:
        raise ValueError(f"max_waiting is {number}: it must be the most entries that may wait, or 0 for no bound")


def not_in_flight(key: bytes) -> LookupError:
    """The error for a key that was never popped, or is finished already."""
    return LookupError(
        f"entry {key.hex()} is not in flight: only an entry that was popped can be finished, dropped or put back, once"
    )
