"""Moved sites: links to them are followed at the new origin, without a request to the old one."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from topical_crawler.items import PageItem
from topical_crawler.web.urls import REDIRECTED, canonical, origin_of

MOVED = "moved"  # reason for dropping a waiting URL of a moved origin; its new URL waits instead
MOVED_AFTER = 3
"""Redirects in a row to one other origin before an origin counts as moved."""
_FOR_GOOD = (HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT)
_MOST_NOTES = 8_192  # in memory


class Moves:
    """Origins (scheme and host) that permanently redirect to the same path and query of another origin, such as http to https,
    or www.a.cn to a.cn. Links to them are rewritten without a request to the old origin.

    An origin that served a page itself, or is the target of a redirect back, has not moved. A target must have served a page.

    Args:
        load, save: read and write persistent notes by name. Workers of a shared crawl share them.

    >>> notes: dict[str, Any] = {}
    >>> moves = Moves(notes.get, notes.__setitem__)
    >>> moves.note("https://a.cn/1")
    >>> for n in range(MOVED_AFTER):
    ...     moves.note(f"http://a.cn/{n}", f"https://a.cn/{n}")
    >>> moves.of("http://a.cn/党建?id=3"), moves.of("http://b.cn/")
    ('https://a.cn/党建?id=3', 'http://b.cn/')
    """

    def __init__(self, load: Callable[[str], Any], save: Callable[[str, Any], None]) -> None:
        self._load, self._save = load, save
        self._known: dict[str, Any] = {}  # cache of notes by name

    def note(self, url: str, target: str = "", for_good: bool = True) -> None:
        """Record a page at ``url``, or a redirect to ``target``, permanent if ``for_good``."""
        own, to = origin_of(url), origin_of(target)
        if not target:
            if not self._known.get(_stays(own)):
                self._put(_stays(own), True)
        elif to != own and canonical(url).removeprefix(own) == canonical(target).removeprefix(to):
            before, back = self._load(_moved(own)), self._load(_moved(to))  # uncached: other workers count, too
            if back and back[0] == own:
                self._put(_stays(to), True)
            if for_good:
                self._put(_moved(own), [to, before[1] + 1 if before and before[0] == to else 1])

    def learn(self, item: PageItem) -> None:
        """Record the outcome of a page."""
        if item.reason == REDIRECTED:
            self.note(item.entry.url, item.duplicate_of, item.status in _FOR_GOOD)
        elif item.status == HTTPStatus.OK:
            self.note(item.entry.url)

    def of(self, url: str, ask: bool = False) -> str:
        """Return the URL to fetch for ``url``, changed if its origin has moved.

        By default only cached notes count. With ``ask`` missing notes are read, too slow for every link with a remote server.
        """
        known = self._ask if ask else self._known.get
        moved = known(_moved(own := origin_of(url)))
        if not moved or moved[1] < MOVED_AFTER or known(_stays(own)) or not known(_stays(moved[0])):
            return url
        scheme, _, name = moved[0].partition("://")
        return urlsplit(url)._replace(scheme=scheme, netloc=name).geturl()

    def ask_again(self) -> None:
        """Forget all cached notes except pages served: other workers may know more by now."""
        self._known = {name: True for name, known in self._known.items() if known is True}

    def _ask(self, name: str) -> Any:
        if name not in self._known:
            self._keep(name, self._load(name))
        return self._known[name]

    def _put(self, name: str, note: Any) -> None:
        self._save(name, note)
        self._keep(name, note)

    def _keep(self, name: str, note: Any) -> None:
        if len(self._known) >= _MOST_NOTES:
            self._known.clear()
        self._known[name] = note


def _moved(origin: str) -> str:
    """Return the name of the note with an origin's redirect target and the number of redirects in a row."""
    return f"moved {origin}"


def _stays(origin: str) -> str:
    """Return the name of the note on an origin that serves pages itself."""
    return f"stays {origin}"
