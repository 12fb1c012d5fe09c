"""Structural similarity of URLs (Zhou et al. 2019, §4.4: Eq. 4, Algorithm 2, Algorithm 3).

>>> struct("http://dj.a.cn/djyw/3.html", ["http://dj.a.cn/djyw/1.html", "http://dj.a.cn/zbsh/2.html", "http://tech.b.com/x"])
1
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

from topical_crawler.strategies.base import check_fields

if TYPE_CHECKING:
    from tldextract.tldextract import ExtractResult

_ASCII = "".join(map(chr, range(128)))
_BIT = {char: 1 << code for code, char in enumerate(_ASCII)}


@dataclass(frozen=True, slots=True)
class StructureParameters:
    """Constants of Algorithm 2. The paper prints only the threshold. The others are ours.

    They do not reproduce Table 6: on pairs of URLs of one section and of two sections they get .602 right at the paper's best
    threshold, 0.10, and most at 0.30, with ``within_host`` at 0.10. Crawls do not differ (experiments/notes/paper-figures.md).
    """

    alpha: float = 0.5  # share of the host's similarity
    beta: float = 0.5  # share of the path's similarity
    threshold: float = 0.1  # above it two URLs have the same structure (right for .98 of pairs in Table 6, .602 of real pairs)
    a_host: float = 0.6  # weight w_1 = a' of the first part of the host
    b: float = 0.6  # decrease of that weight with each further part (never below 0)
    a_path: float = 0.2  # weight w_1 = a' of the first part of the path, halved with each further part
    d: float = 10.0  # a pair of www parts counts 1/d of its similarity
    within_host: bool = False  # compare URLs of one host by their paths. Not in the paper, where they are always the same

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.d:
            raise ValueError("d must be above 0")


DEFAULT = StructureParameters()


class UrlParts(NamedTuple):
    """URL parsed for comparison."""

    host: str  # host name in lower case, without port, "" if there is none
    path: tuple[int, ...]  # character set of each nonempty part as bits (bit n: ASCII character n, others percent-encoded)

    @classmethod
    @lru_cache(maxsize=16_384)
    def of(cls, url: str) -> UrlParts:
        """Parse ``url``. Text that is no URL has neither host nor path."""
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return cls("", ())
        path = parts.path if parts.path.isascii() else quote(parts.path, safe=_ASCII, errors="replace")
        return cls(host, tuple([_characters(part) for part in path.split("/") if part]))


@lru_cache(maxsize=8_192)
def _characters(part: str) -> int:
    bits = 0
    for char in set(part):
        bits |= _BIT[char]
    return bits


def structure_similarity(
    url1: str | UrlParts, url2: str | UrlParts, parameters: StructureParameters = DEFAULT
) -> tuple[bool, float]:
    """Apply Algorithm 2: return True if two URLs are the same in structure, and α·hostSim + β·pathSim.

    If one host contains the other (``www.a.cn`` and ``a.cn``, or equal), they are the same at once, with the value 1.0 (but see
    ``within_host``). A text without a host is like nothing: (False, 0.0).

    >>> structure_similarity("http://www.a.cn/djyw/1.html", "http://a.cn/")
    (True, 1.0)
    >>> same, value = structure_similarity("http://dangjian.a.cn/djyw/1.html", "http://dangjian.b.cn/djyw/2.html")
    >>> same, round(value, 3)
    (True, 0.436)
    """
    one = url1 if isinstance(url1, UrlParts) else UrlParts.of(url1)  # (1)
    other = url2 if isinstance(url2, UrlParts) else UrlParts.of(url2)
    hosts = _host_similarity(one.host, other.host, parameters)
    if hosts is None:
        return False, 0.0
    contained, value = hosts
    if contained and not parameters.within_host:  # (2)
        return True, 1.0
    path = parameters.beta * _path_similarity(one.path, other.path, parameters.a_path)
    value = path if contained else parameters.alpha * value + path  # (7)
    return value > parameters.threshold, value


@lru_cache(maxsize=65_536)
def _host_similarity(one: str, other: str, parameters: StructureParameters) -> tuple[bool, float] | None:
    """Apply steps 2 to 4: return True if one host contains the other, and hostSim = Σ w_i·J_i. None without a host."""
    if not one or not other:
        return None
    if one in other or other in one:
        return True, 1.0
    similarity, weight = 0.0, parameters.a_host
    for part1, part2 in zip(one.split("."), other.split("."), strict=False):
        if part1 and part2:
            set1, set2 = set(part1), set(part2)
            jaccard = len(set1 & set2) / len(set1 | set2)  # Eq. 4
            similarity += weight * (jaccard / parameters.d if "www" in part1 and "www" in part2 else jaccard)
        weight = max(0.0, weight - parameters.b)
    return False, similarity


def _path_similarity(one: tuple[int, ...], other: tuple[int, ...], weight: float) -> float:
    """Apply steps 5 and 6: return pathSim = Σ w_j·Jp_j."""
    similarity = 0.0
    for part1, part2 in zip(one, other, strict=False):
        similarity += weight * (part1 & part2).bit_count() / (part1 | part2).bit_count()  # Eq. 4
        weight /= 2
    return similarity


def struct(url: str | UrlParts, sample: Sequence[str | UrlParts], parameters: StructureParameters = DEFAULT) -> int:
    """Apply Algorithm 3: return 1 if ``url`` is the same in structure as more than half of ``sample``, else 0. 0 for an empty
    sample.

    ``sample`` holds n history URLs, drawn at random (:meth:`History.sample`).
    """
    parts = url if isinstance(url, UrlParts) else UrlParts.of(url)
    needed = len(sample) // 2 + 1
    for compared, other in enumerate(sample):
        if len(sample) - compared < needed:
            return 0
        needed -= structure_similarity(parts, other, parameters)[0]
        if needed == 0:
            return 1
    return 0


def struct_of_host(
    name: str, sample: Sequence[UrlParts], parameters: StructureParameters = DEFAULT
) -> int | Callable[[str], int]:
    """Return the result of :func:`struct` for every URL of a host, or a function of the URL if it depends on the path.

    >>> sample = [UrlParts.of(f"http://dj.a.cn/djyw/{n}.html") for n in range(3)]
    >>> struct_of_host("dj.a.cn", sample), struct_of_host("www.a.cn", ())
    (1, 0)
    >>> of_path = struct_of_host("www.a.cn", sample)
    >>> of_path("http://www.a.cn/djyw/4.html"), of_path("http://www.a.cn/")
    (1, 0)
    """
    missing = len(sample) // 2 + 1
    undecided: list[tuple[float, tuple[int, ...]]] = []  # (host value, path) of those decided by the path
    for other in sample:
        contained, value = _host_similarity(name, other.host, parameters) or (False, 0.0)
        if contained and not parameters.within_host:
            value = math.inf
        elif name and other.host:
            value = 0.0 if contained else parameters.alpha * value
        else:
            continue
        if value > parameters.threshold:
            missing -= 1
        elif value + parameters.beta * 2 * parameters.a_path > parameters.threshold:  # upper bound of any path's part
            undecided.append((value, other.path))
    if missing <= 0 or len(undecided) < missing:
        return int(missing <= 0)
    return partial(_struct_of_path, missing, undecided, parameters)


def _struct_of_path(
    missing: int, undecided: Sequence[tuple[float, tuple[int, ...]]], parameters: StructureParameters, url: str
) -> int:
    """Return 1 if at least ``missing`` of the ``undecided`` are the same in structure, else 0."""
    path, left = UrlParts.of(url).path, len(undecided)
    for value, other in undecided:
        if left < missing:
            return 0
        left -= 1
        missing -= value + parameters.beta * _path_similarity(path, other, parameters.a_path) > parameters.threshold
        if not missing:
            return 1
    return 0


class History:
    """History URLs of Algorithm 3: a bounded uniform sample of the URLs of relevant pages.

    Keeps the URLs with the smallest keyed digests. Every URL is equally likely to stay, order of arrival and repetitions do not
    matter, and two samples merge by adding one to the other. A draw from the sample is a draw from all.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._seed = seed
        self._kept: dict[str, bytes] = {}
        self._worst: tuple[bytes, str] | None = None
        self._draw: list[UrlParts] | None = None

    def add(self, url: str) -> None:
        """Add a relevant page's URL."""
        if url in self._kept:
            return
        digest = blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8, key=str(self._seed).encode()).digest()
        if len(self._kept) >= self._size:
            assert self._worst is not None
            if (digest, url) >= self._worst:
                return
            del self._kept[self._worst[1]]
        self._kept[url] = digest
        if len(self._kept) >= self._size:
            self._worst = max((d, u) for u, d in self._kept.items())
        self._draw = None

    def sample(self, n: int) -> Sequence[UrlParts]:
        """Return ``n`` URLs drawn at random, or all if there are fewer. Redraws whenever the history has changed."""
        if self._draw is None:
            urls = self.urls()
            generator = random.Random(f"{self._seed}:{len(urls)}:{urls[-1] if urls else ''}")
            self._draw = [UrlParts.of(u) for u in generator.sample(urls, min(n, len(urls)))]
        return self._draw

    def urls(self) -> list[str]:
        """Return the URLs in the order of their digests."""
        return sorted(self._kept, key=lambda u: (self._kept[u], u))


def site(url: str) -> str:
    """Return the registered domain of a URL, shared by all channels of a portal, or its host without one. "" without a host.

    >>> site("http://dangjian.portal.com.cn/djyw/1.html"), site("http://127.0.0.1/"), site("党建")
    ('portal.com.cn', '127.0.0.1', '')
    """
    return _registered(UrlParts.of(url).host)


@lru_cache(maxsize=65_536)
def _registered(name: str) -> str:
    return _suffixes()(name).top_domain_under_public_suffix or name


@lru_cache(maxsize=1)
def _suffixes() -> Callable[[str], ExtractResult]:
    import tldextract  # reading its public suffix list takes a tenth of a second

    return tldextract.TLDExtract(cache_dir=None, suffix_list_urls=())
