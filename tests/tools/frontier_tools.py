"""Short ways to write entries and outcomes."""

from hashlib import blake2b
from typing import Any

from topical_crawler.frontier.base import Entry, Outcome
from topical_crawler.web.page import Evidence


def key(name: str) -> bytes:
    return blake2b(name.encode(), digest_size=16).digest()


def entry(name: str, priority: float = 0.5, *parents: str, host: str = "a.cn", **more: Any) -> Entry:
    """An entry ``name`` of ``host``, found on the pages ``parents``."""
    evidence = tuple(
        Evidence(parent, 0.25, True, f"“{name}”的\\锚[文]本,", 3, "前,“后]" if parent[-1:] in "13579" else "")
        for parent in parents
    )
    return Entry(key(name), f"http://{host}/{name}", host, priority, evidence=evidence, **more)


def outcome(name: str, keep: bool = True) -> Outcome:
    return Outcome(f"http://a.cn/{name}", keep, 0.75, "" if keep else "偏题")
