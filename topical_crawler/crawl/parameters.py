"""Parameters of addresses that change nothing on a site, whatever they are called: learned from the pages that were fetched.

A session's number in every link makes new addresses of the same pages without end. Names that are known (``PHPSESSID``) are left
out of every address (:mod:`topical_crawler.web.urls`); others show by what they lead to. A folder whose name looks drawn at
random (``/69f4c0de/``) is a parameter, too, named by its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from topical_crawler.web.urls import canonical

PROOFS = 5
"""Pages with a text that must have been fetched again as duplicates under another value of a parameter. One address behind which
everything is the same, such as that of an error, is one proof only."""
MOST = 8  # parameters of an address that is looked at; one with more is left alone
_RANDOM = re.compile(r"(?<=/)(?=[^/]*[0-9])(?=[^/]*[a-z])[\w()~-]{8,}(?=/)", re.IGNORECASE)
REMEMBERED = 2_000
"""Addresses without one of their parameters that are remembered of a host, the latest ones."""


class Parameters:
    """What the parameters of a host's addresses do.

    >>> found, pages = Parameters(), [f"http://a.cn/show?id={n}&tok=" for n in range(PROOFS + 1)]
    >>> for page in pages[:PROOFS]:
    ...     found.count(f"{page}甲", True, False)
    ...     found.count(f"{page}乙", False, True)
    >>> found.idle, found.repeats(f"{pages[0]}丙"), found.repeats(f"{pages[-1]}丙")
    (frozenset({'tok'}), True, False)

    Attributes:
        idle: the parameters that change nothing.
    """

    __slots__ = ("_chooses", "_pages", "_proofs", "idle")

    def __init__(self) -> None:
        self.idle: frozenset[str] = frozenset()
        # By address without one parameter, and that parameter; or without the idle ones, and "": the address that was fetched
        # first, and the texts. Digests, for there are many.
        self._pages: dict[int, list[int]] = {}
        self._proofs: dict[str, set[int]] = {}
        self._chooses: set[str] = set()  # parameters that lead to different texts

    def __len__(self) -> int:
        return len(self._pages)

    def count(self, url: str, gave_text: bool, duplicate: bool) -> None:
        """Take note of a page: whether it gave a text for the corpus, or one that the corpus had."""
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
        """Whether a page was fetched already under another address that differs in idle parameters alone."""
        if not self.idle or (parts := _parts(url)) is None:
            return False
        whole, path, query = parts
        kept = [(p, v) for p, v in query if p not in self.idle]
        if len(kept) == len(query):
            return False
        pages = (self._pages.get(_key(path, kept, p)) for p in ("", *self.idle))
        return any(page is not None and page[0] != whole for page in pages)

    def data(self) -> list[Any]:
        """All of it, as data to pack.

        >>> Parameters.read(Parameters().data()).data()
        [[], {}, {}, []]
        """
        proofs = {parameter: sorted(keys) for parameter, keys in self._proofs.items()}
        return [sorted(self.idle), self._pages, proofs, sorted(self._chooses)]

    @classmethod
    def read(cls, data: Sequence[Any]) -> Parameters:
        """What :meth:`data` gave."""
        found = cls()
        idle, found._pages, proofs, chooses = data
        found.idle, found._chooses = frozenset(idle), set(chooses)
        found._proofs = {parameter: set(keys) for parameter, keys in proofs.items()}
        return found


def has_some(url: str) -> bool:
    """Whether an address has parameters.

    >>> [has_some(f"http://a.cn/{path}") for path in ("党建.html", "党建?id=1", "69f4c0de/党建.html", "20240503/1.html")]
    [False, True, True, False]
    """
    return "?" in url or _RANDOM.search(url) is not None


def digest(text: str) -> int:
    """64 bits that stand for a text, the same for all workers."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _key(path: str, query: list[tuple[str, str]], parameter: str) -> int:
    return digest(f"{path}?{'&'.join(f'{p}={v}' for p, v in query)}\n{parameter}")


def _parts(url: str) -> tuple[int, str, list[tuple[str, str]]] | None:
    """The digest of an address, its path without random folders, and its parameters; None where it has none or too many."""
    if not has_some(url):
        return None
    path, _, query = (whole := canonical(url)).partition("?")
    found = [(name, value) for name, _, value in (pair.partition("=") for pair in query.split("&") if pair)]
    found += [(f"/{path.count('/', 0, match.start())}", match[0]) for match in _RANDOM.finditer(path)]
    return (digest(whole), _RANDOM.sub("", path), found) if found and len(found) <= MOST else None
