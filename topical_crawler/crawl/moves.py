"""Sites that have moved: their links are followed where they lead, without asking for the old address."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from topical_crawler.items import PageItem
from topical_crawler.web.urls import REDIRECTED, canonical, origin_of

MOVED = "moved"  # why a waiting address is dropped whose origin has moved: the new address waits in its place
MOVED_AFTER = 3
"""Redirects in a row to one other origin after which an origin has moved."""
_FOR_GOOD = (HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT)
_MOST_NOTES = 8_192  # in memory


class Moves:
    """Origins (scheme and host) that have moved: their addresses redirect for good to the same path and query of another origin,
    as http does to https, and www.a.cn to a.cn. A link to such an address is followed where it leads, without asking for it.

    An origin that gave a page itself, or is led back to, has not moved, and none moves to where no page came from.

    Args:
        load, save: notes by their names, which outlive the process. Where workers share them, one knows what others have seen.

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
        self._known: dict[str, Any] = {}  # the notes that were asked for lately, by their names

    def note(self, url: str, target: str = "", for_good: bool = True) -> None:
        """Take note that ``url`` gave a page, or a redirect to ``target``, for good or not."""
        own, to = origin_of(url), origin_of(target)
        if not target:
            if not self._known.get(_stays(own)):
                self._put(_stays(own), True)
        elif to != own and canonical(url).removeprefix(own) == canonical(target).removeprefix(to):
            before, back = self._load(_moved(own)), self._load(_moved(to))  # not from memory: other workers count, too
            if back and back[0] == own:
                self._put(_stays(to), True)
            if for_good:
                self._put(_moved(own), [to, before[1] + 1 if before and before[0] == to else 1])

    def learn(self, item: PageItem) -> None:
        """Take note of what came of a page."""
        if item.reason == REDIRECTED:
            self.note(item.entry.url, item.duplicate_of, item.status in _FOR_GOOD)
        elif item.status == HTTPStatus.OK:
            self.note(item.entry.url)

    def of(self, url: str, ask: bool = False) -> str:
        """The address to fetch for ``url``: itself, unless its origin has moved. Without ``ask`` only what is in memory counts;
        with it the notes are read, too, which from a server takes too long for every link."""
        known = self._ask if ask else self._known.get
        moved = known(_moved(own := origin_of(url)))
        if not moved or moved[1] < MOVED_AFTER or known(_stays(own)) or not known(_stays(moved[0])):
            return url
        scheme, _, name = moved[0].partition("://")
        return urlsplit(url)._replace(scheme=scheme, netloc=name).geturl()

    def ask_again(self) -> None:
        """Ask anew for all but the pages that came: other workers may know more by now."""
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
    """The name of the note that says where the addresses of an origin lead, and how often in a row that was seen."""
    return f"moved {origin}"


def _stays(origin: str) -> str:
    """The name of the note that says that an origin gives pages itself."""
    return f"stays {origin}"
