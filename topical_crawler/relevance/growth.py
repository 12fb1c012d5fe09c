"""Whether a crawl still finds relevant pages: when a topic word is to be replaced (Sun et al. 2018, section 1.4)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any


class Growth:
    """Counts pages and relevant pages, each address once, and how long there has been no new relevant one.

    Attributes:
        pages, relevant: that were counted.

    >>> growth = Growth()
    >>> for i in range(3):
    ...     growth.count(f"http://a.cn/{i}", relevant=i == 0)
    >>> growth.pages, growth.relevant, growth.stalled(pages=2, seconds=0), growth.stalled(pages=3, seconds=0)
    (3, 1, True, False)
    """

    def __init__(self) -> None:
        self.pages = 0
        self.relevant = 0
        self._since = 0
        self._seen: set[str] = set()
        self._last = time.monotonic()

    def count(self, url: str, relevant: bool) -> None:
        """Take note of a page, unless it was counted before."""
        digest = blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        if digest in self._seen:
            return
        self._seen.add(digest)
        self.pages += 1
        self._since += 1
        if relevant:
            self.relevant += 1
            self.start()

    def start(self) -> None:
        """Wait for the next relevant page from now on."""
        self._since = 0
        self._last = time.monotonic()

    def stalled(self, pages: int, seconds: float) -> bool:
        """Whether there has been no new relevant page for so many pages, or for so many seconds; 0: not asked."""
        if pages and self._since >= pages:
            return True
        return bool(seconds) and time.monotonic() - self._last >= seconds

    def forget(self) -> None:
        """Let go of the addresses: nothing more is to be counted."""
        self._seen.clear()

    def state_dict(self) -> dict[str, Any]:
        """What was counted, as JSON data. Time begins anew with :meth:`from_state`."""
        return {"pages": self.pages, "relevant": self.relevant, "since": self._since, "seen": sorted(self._seen)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Growth:
        """Restore what :meth:`state_dict` gave."""
        growth = cls()
        growth.pages, growth.relevant, growth._since = state["pages"], state["relevant"], state["since"]
        growth._seen = set(state["seen"])
        return growth
