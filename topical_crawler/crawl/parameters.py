"""Parameters of addresses that change nothing on a site, whatever they are called: learned from the pages that were fetched.

A session's number in every link makes new addresses of the same pages without end. Names that are known (``PHPSESSID``) are left
out of every address (:mod:`topical_crawler.web.urls`); others show by what they lead to.
"""

from __future__ import annotations

from collections import Counter

from topical_crawler.web.urls import canonical

PROOFS = 5
"""Pages with a text that must have been fetched again as duplicates under another value of a parameter. One address behind which
everything is the same, such as that of an error, is one proof only."""
MOST = 8  # parameters of an address that is looked at; one with more is left alone


class Parameters:
    """What the parameters of each host's addresses do.

    >>> found, pages = Parameters(), [f"http://a.cn/show?id={n}&tok=" for n in range(PROOFS + 1)]
    >>> for page in pages[:PROOFS]:
    ...     found.count(f"{page}甲", "a.cn", True, False)
    ...     found.count(f"{page}乙", "a.cn", False, True)
    >>> found.idle("a.cn"), found.repeats(f"{pages[0]}丙", "a.cn"), found.repeats(f"{pages[-1]}丙", "a.cn")
    (frozenset({'tok'}), True, False)
    """

    def __init__(self) -> None:
        # By address without one parameter, and that parameter; or without the idle ones, and "". Hashes, for there are many.
        self._first: dict[int, int] = {}  # the address that was fetched first
        self._texts: Counter[int] = Counter()
        self._proofs: dict[tuple[str, str], set[int]] = {}  # by host and parameter
        self._chooses: set[tuple[str, str]] = set()  # parameters that lead to different texts
        self._idle: dict[str, frozenset[str]] = {}

    def idle(self, name: str) -> frozenset[str]:
        """The parameters that change nothing on the host ``name``."""
        return self._idle.get(name, frozenset())

    def count(self, url: str, name: str, gave_text: bool, duplicate: bool) -> None:
        """Take note of a page of the host ``name``: whether it gave a text for the corpus, or one that the corpus had."""
        if (parts := _parts(url)) is None:
            return
        whole, path, query = parts
        query = [(p, v) for p, v in query if p not in self.idle(name)]
        if self.idle(name):
            self._first.setdefault(hash((path, *query, "")), whole)
        if not gave_text and not duplicate:
            return
        for parameter in {p for p, _ in query}:
            place, key = (name, parameter), hash((path, *((p, v) for p, v in query if p != parameter), parameter))
            self._first.setdefault(key, whole)
            self._texts[key] += gave_text
            if self._texts[key] > 1:
                self._chooses.add(place)
            elif duplicate and self._texts[key] and self._first[key] != whole:
                self._proofs.setdefault(place, set()).add(key)
                if len(self._proofs[place]) >= PROOFS and place not in self._chooses:
                    self._idle[name] = self.idle(name) | {parameter}

    def repeats(self, url: str, name: str) -> bool:
        """Whether a page was fetched already under another address that differs in idle parameters alone."""
        idle = self.idle(name)
        if not idle or (parts := _parts(url)) is None:
            return False
        whole, path, query = parts
        kept = [(p, v) for p, v in query if p not in idle]
        if len(kept) == len(query):
            return False
        return any(self._first.get(hash((path, *kept, p)), whole) != whole for p in ("", *idle))


def _parts(url: str) -> tuple[int, str, list[tuple[str, str]]] | None:
    """The hash of an address, what stands before its query, and its parameters; None where it has none or too many."""
    if "?" not in url:
        return None
    path, _, query = (whole := canonical(url)).partition("?")
    found = [(name, value) for name, _, value in (pair.partition("=") for pair in query.split("&"))]
    return (hash(whole), path, found) if query and len(found) <= MOST else None
