"""Idle URL parameters: parameters without effect on the page, learned from fetched pages whatever their names.

A session id in every link makes endless new URLs of the same pages. Known names (``PHPSESSID``) are removed from every URL
(:mod:`topical_crawler.web.urls`). Others show by the pages behind them. A folder with a random-looking name (``/69f4c0de/``) is
a parameter, too, named by its position.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from topical_crawler.web.urls import canonical

PROOFS = 5
"""Duplicates of pages with a text, fetched under another value of a parameter, that prove it idle. Duplicates at one and the same
URL, such as an error page, count once."""
MOST = 8  # parameters of an examined URL; URLs with more are left alone
_RANDOM = re.compile(r"(?<=/)(?=[^/]*[0-9])(?=[^/]*[a-z])[\w()~-]{8,}(?=/)", re.IGNORECASE)
REMEMBERED = 2_000
"""Most URLs without one of their parameters remembered per host, the latest ones."""


class Parameters:
    """The effects of a host's URL parameters.

    >>> found, pages = Parameters(), [f"http://a.cn/show?id={n}&tok=" for n in range(PROOFS + 1)]
    >>> for page in pages[:PROOFS]:
    ...     found.count(f"{page}甲", True, False)
    ...     found.count(f"{page}乙", False, True)
    >>> found.idle, found.repeats(f"{pages[0]}丙"), found.repeats(f"{pages[-1]}丙")
    (frozenset({'tok'}), True, False)

    Attributes:
        idle: parameters without effect.
    """

    __slots__ = ("_chooses", "_pages", "_proofs", "idle")

    def __init__(self) -> None:
        self.idle: frozenset[str] = frozenset()
        # First URL fetched, and number of texts, by URL without one parameter, and its name; or without the idle ones, and "".
        # Stored as digests to save memory.
        self._pages: dict[int, list[int]] = {}
        self._proofs: dict[str, set[int]] = {}
        self._chooses: set[str] = set()  # parameters that select different texts

    def __len__(self) -> int:
        return len(self._pages)

    def count(self, url: str, gave_text: bool, duplicate: bool) -> None:
        """Record a page. ``gave_text``: it gave a text for the corpus. ``duplicate``: it gave a text already in the corpus."""
        if (parts := _parts(url)) is None:
            return
        whole, path, query = parts
        query = [(p, v) for p, v in query if p not in self.idle]
        if self.idle:
            self._remember(_key(path, query, ""), whole)
        if not gave_text and not duplicate:
            return
        for parameter in sorted({p for p, _ in query}):
            key = _key(path, [(p, v) for p, v in query if p != parameter], parameter)
            page = self._remember(key, whole)
            page[1] += gave_text
            if page[1] > 1:
                self._chooses.add(parameter)
                self._proofs.pop(parameter, None)
            elif duplicate and page[1] and page[0] != whole and parameter not in self._chooses:
                proofs = self._proofs.setdefault(parameter, set())
                proofs.add(key)
                if len(proofs) >= PROOFS:
                    self.idle |= {parameter}

    def _remember(self, key: int, whole: int) -> list[int]:
        page = self._pages.setdefault(key, [whole, 0])
        if len(self._pages) > REMEMBERED:
            del self._pages[next(iter(self._pages))]
        return page

    def repeats(self, url: str) -> bool:
        """Return True if the page was already fetched under a URL that differs only in idle parameters."""
        if not self.idle or (parts := _parts(url)) is None:
            return False
        whole, path, query = parts
        kept = [(p, v) for p, v in query if p not in self.idle]
        if len(kept) == len(query):
            return False
        pages = (self._pages.get(_key(path, kept, p)) for p in ("", *self.idle))
        return any(page is not None and page[0] != whole for page in pages)

    def data(self) -> list[Any]:
        """Return the state as data for packing.

        >>> Parameters.read(Parameters().data()).data()
        [[], {}, {}, []]
        """
        proofs = {parameter: sorted(keys) for parameter, keys in self._proofs.items()}
        return [sorted(self.idle), self._pages, proofs, sorted(self._chooses)]

    @classmethod
    def read(cls, data: Sequence[Any]) -> Parameters:
        """Restore the state from :meth:`data`."""
        found = cls()
        idle, found._pages, proofs, chooses = data
        found.idle, found._chooses = frozenset(idle), set(chooses)
        found._proofs = {parameter: set(keys) for parameter, keys in proofs.items()}
        return found


def has_some(url: str) -> bool:
    """Return True if a URL has parameters.

    >>> [has_some(f"http://a.cn/{path}") for path in ("党建.html", "党建?id=1", "69f4c0de/党建.html", "20240503/1.html")]
    [False, True, True, False]
    """
    return "?" in url or _RANDOM.search(url) is not None


def digest(text: str) -> int:
    """Return a 64-bit digest of a text, the same for all workers."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _key(path: str, query: list[tuple[str, str]], parameter: str) -> int:
    return digest(f"{path}?{'&'.join(f'{p}={v}' for p, v in query)}\n{parameter}")


def _parts(url: str) -> tuple[int, str, list[tuple[str, str]]] | None:
    """Return the digest of a URL, its path without random folders, and its parameters, or None for no or too many parameters."""
    if not has_some(url):
        return None
    path, _, query = (whole := canonical(url)).partition("?")
    found = [(name, value) for name, _, value in (pair.partition("=") for pair in query.split("&") if pair)]
    found += [(f"/{path.count('/', 0, match.start())}", match[0]) for match in _RANDOM.finditer(path)]
    return (digest(whole), _RANDOM.sub("", path), found) if found and len(found) <= MOST else None
