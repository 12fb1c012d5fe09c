"""Likeness of structure of two URLs, and of a URL with the pages that were on topic (Zhou et al. 2019, Alg. 2 and 3).

>>> struct("http://dj.a.cn/djyw/3.html", ["http://dj.a.cn/djyw/1.html", "http://dj.a.cn/zbsh/2.html", "http://tech.b.com/x"])
1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, urlsplit

_ASCII = "".join(map(chr, range(128)))
_BIT = {char: 1 << code for code, char in enumerate(_ASCII)}


@dataclass(frozen=True, slots=True)
class StructureParameters:
    """The constants of Algorithm 2. The paper prints the threshold only. The rest is ours, chosen on pairs of URLs of a portal's
    channels so that 0.10 is a good threshold and higher ones lose slowly, as in Table 6: the first part of the host and the first
    parts of the path decide, and the domain that all channels of one portal share adds nothing.

    Attributes:
        alpha, beta: shares of the host's and the path's likeness.
        threshold: two URLs are the same in structure when their value is above it (Table 6: 0.10).
        a_host, b: weight of the first part of the host (a'), and by how much it falls with each further part (never below 0).
        a_path: weight of the first part of the path (a'); it halves with each further part.
        d: a pair of www parts counts 1/d of its likeness.
        within_host: the refinement for sites on one host. The paper takes any two URLs of one host for the same; with True their
            value is that of the path alone.
    """

    alpha: float = 0.5
    beta: float = 0.5
    threshold: float = 0.1
    a_host: float = 0.6
    b: float = 0.6
    a_path: float = 0.2
    d: float = 10.0
    within_host: bool = False

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "threshold", "a_host", "b", "a_path", "d"):
            value = getattr(self, name)
            if (
                not isinstance(value, int | float)
                or isinstance(value, bool)
                or not 0 <= value < float("inf")
                or (name == "d" and not value)
            ):
                raise ValueError(f"{name} must be a number of 0 or more (d: above 0), not {value!r}")
        if not isinstance(self.within_host, bool):
            raise ValueError(f"within_host must be true or false, not {self.within_host!r}")


DEFAULT = StructureParameters()


class UrlParts(NamedTuple):
    """A URL read for comparison. Make it once for a URL that is compared often.

    Attributes:
        host: host name in lower case, without port; "" where there is none.
        path: for each part of the path that is not empty, its set of characters as bits (bit n = ASCII character n). Characters
            beyond ASCII count in their escaped form.
    """

    host: str
    path: tuple[int, ...]

    @classmethod
    @lru_cache(maxsize=16_384)
    def of(cls, url: str) -> UrlParts:
        """Read ``url``. Text that is no URL has neither host nor path."""
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return cls("", ())
        path = parts.path if parts.path.isascii() else quote(parts.path, safe=_ASCII, errors="replace")
        return cls(host, tuple([_characters(part) for part in path.split("/") if part]))


def structure_similarity(
    url1: str | UrlParts, url2: str | UrlParts, parameters: StructureParameters = DEFAULT
) -> tuple[bool, float]:
    """Algorithm 2: whether two URLs are the same in structure, and α·hostSim + β·pathSim.

    One host that contains the other (``www.a.cn`` and ``a.cn``, or equal) is the same at once, with value 1.0, as in the paper
    (but see ``within_host``). Otherwise hosts are compared part by part from the left, paths part by part, as sets of
    characters (Jaccard, Eq. 4). A text without host is like nothing: (False, 0.0).

    >>> structure_similarity("http://www.a.cn/djyw/1.html", "http://a.cn/")
    (True, 1.0)
    >>> same, value = structure_similarity("http://dangjian.a.cn/djyw/1.html", "http://dangjian.b.cn/djyw/2.html")
    >>> same, round(value, 3)
    (True, 0.436)
    """
    one = url1 if isinstance(url1, UrlParts) else UrlParts.of(url1)
    other = url2 if isinstance(url2, UrlParts) else UrlParts.of(url2)
    hosts = _hosts(one.host, other.host, parameters)
    if hosts is None:
        return False, 0.0
    contained, value = hosts
    if not contained:
        value += parameters.beta * _path_similarity(one.path, other.path, parameters.a_path)
    elif parameters.within_host:
        value = parameters.beta * _path_similarity(one.path, other.path, parameters.a_path)
    else:
        return True, 1.0
    return value > parameters.threshold, value


def struct(url: str | UrlParts, sample: Sequence[str | UrlParts], parameters: StructureParameters = DEFAULT) -> int:
    """Algorithm 3: 1 when more than half of ``sample`` (drawn from the history URLs by the caller) is the same in structure as
    ``url``, else 0; 0 for an empty sample. Stops as soon as the answer is certain."""
    parts = url if isinstance(url, UrlParts) else UrlParts.of(url)
    needed = len(sample) // 2 + 1
    may_differ = len(sample) - needed
    for other in sample:
        if structure_similarity(parts, other, parameters)[0]:
            needed -= 1
            if needed == 0:
                return 1
        else:
            may_differ -= 1
            if may_differ < 0:
                return 0
    return 0


@lru_cache(maxsize=65_536)
def _characters(part: str) -> int:
    bits = 0
    for char in set(part):
        bits |= _BIT[char]
    return bits


@lru_cache(maxsize=65_536)
def _hosts(one: str, other: str, parameters: StructureParameters) -> tuple[bool, float] | None:
    """Whether one host contains the other, and α·hostSim; None where there is no host."""
    if not one or not other:
        return None
    if one in other or other in one:
        return True, 1.0
    similarity, weight = 0.0, parameters.a_host
    for part1, part2 in zip(one.split("."), other.split("."), strict=False):
        if part1 and part2:
            likeness = _host_jaccard(part1, part2)
            similarity += weight * (likeness / parameters.d if "www" in part1 and "www" in part2 else likeness)
        weight = max(0.0, weight - parameters.b)
    return False, parameters.alpha * similarity


def _host_jaccard(one: str, other: str) -> float:
    set1, set2 = set(one), set(other)
    return len(set1 & set2) / len(set1 | set2)


def _path_similarity(one: tuple[int, ...], other: tuple[int, ...], weight: float) -> float:
    similarity = 0.0
    for part1, part2 in zip(one, other, strict=False):
        similarity += weight * (part1 & part2).bit_count() / (part1 | part2).bit_count()
        weight /= 2
    return similarity
