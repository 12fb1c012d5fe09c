"""Start URLs for a topic without a search engine: known sites, and links of Wikipedia articles.

>>> near = Nearness({"党建": 1.0, "支部": 1.0})
>>> [seed.url for seed in rank([from_sites(near, "http://dj.cn/\\t党建网\\tD\\t党建 支部\\nhttp://qx.cn/\\t气象网\\tP\\t天气\\n")])]
['http://dj.cn/']
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from topical_crawler.cleaning.characters import traditional_forms
from topical_crawler.package_data import cells, data_folder
from topical_crawler.sources.wikilinks import external_links
from topical_crawler.sources.wikipedia import Wikipedia
from topical_crawler.text.segment import lexicon_words, normalise
from topical_crawler.text.statistics import rarities
from topical_crawler.web.urls import canonical, host, is_binary, not_public

TERMS = 20  # heaviest terms of a topic, for comparison with texts
ARTICLES = 200  # nearest articles of a dump to take links from
NEAR = 0.3  # least nearness of such an article, relative to the nearest
_VALUES = {"site": 1.0, "link": 0.7, "reference": 0.4}  # value of a link by its kind, relative to its article's nearness
_REASONS = 2  # reasons shown
_TITLE = 8  # weight of a term in a title, in occurrences in the text
_SATURATED, _LENGTH, _EVEN = 1.2, 3000, 0.25  # of Okapi BM25: k1, mean length of a text in characters, 1 − b
_HOSTS = re.compile(r"https?://([\w.-]+)", re.IGNORECASE)
_CHINESE = re.compile("[\u4e00-\u9fff]")
_CHINESE_HOST = re.compile(r"\.(?:cn|tw|hk|mo|xn--fiqs8s|xn--fiqz9s|xn--kpry57d|xn--j6w193g)(?::\d+)?\Z")


class Nearness:
    """Nearness of a text to a topic, 0 to 1: its words' share of the topic's weight, by Okapi BM25.

    A word counts by its weight and its rarity in general Chinese, in simplified and traditional characters.

    >>> near = Nearness({"党建": 1.0, "支部": 1.0})
    >>> near.of("党建工作", "党建") > near.of("新闻", "村支部的一天") > near.of("新闻", "天气") == 0
    True
    """

    def __init__(self, terms: Mapping[str, float]) -> None:
        heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:TERMS]
        rarity = rarities(frozenset(heaviest))
        self._terms = [(_forms(term), terms[term] * rarity[term]) for term in heaviest]
        self._whole = math.fsum(weight for _, weight in self._terms)

    def of(self, title: str, text: str) -> float:
        """Return the nearness of a text and its title, both unnormalised."""
        title, text = title.lower(), text.lower()
        length = _EVEN + (1 - _EVEN) * len(text) / _LENGTH
        near = 0.0
        for forms, weight in self._terms:
            times = _TITLE * any(_times(form, title) for form in forms) + sum(_times(form, text) for form in forms) / length
            near += weight * times / (times + _SATURATED)
        return near / self._whole


def _forms(term: str) -> set[str]:
    """Return a normalised term in simplified characters, in traditional ones, and in words of Taiwan (软件: 軟件, 軟體)."""
    return {term, *map(normalise, traditional_forms(term))}


def _times(word: str, text: str) -> int:
    """Count a word in a text. A word in Latin letters does not count within another."""
    times = text.count(word)
    return len(re.findall(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", text)) if times and word.isascii() else times


@dataclass(frozen=True, slots=True)
class Hint:
    """A piece of evidence for a site.

    Attributes:
        url: a page of it.
        value: its strength, 0 to 1.
        why: reason for people. Hints of a host with the same reason are merged.
        home: True to replace several such pages of a site by its home page.
    """

    url: str
    value: float
    why: str
    home: bool = False


@dataclass(frozen=True, slots=True)
class Seed:
    """A start URL with the sum of the evidence for its host, and the reasons, best first."""

    url: str
    score: float
    why: str


def from_sites(near: Nearness, lines: str | None = None) -> list[Hint]:
    """Return hints for listed sites of the topic's field: those with words at least half as near as the nearest.

    ``lines`` have the columns URL, name, class of the Chinese Library Classification, words. The default is
    ``lexicon/sites.tsv``, a list from general knowledge. Its URLs were not visited.
    """
    text = data_folder().joinpath("sites.tsv").read_text("utf-8") if lines is None else lines
    valued = [(url, name, near.of(words, words)) for url, name, _, words in cells(text)]
    least = max((value for *_, value in valued), default=0.0) / 2
    return [Hint(url, value, f"known site: {name}") for url, name, value in valued if value and value >= least]


def from_wikipedia(near: Nearness, dump: Wikipedia, progress: Callable[[], object] = lambda: None) -> tuple[list[Hint], int]:
    """Return hints for the links of the articles nearest to the topic, and the number of these articles.

    The whole dump is read: hosts cited by articles on any subject say little, and only the whole shows them. ``progress`` is
    called from time to time.

    Raises:
        SourceError: the dump cannot be read.
    """
    cited: Counter[str] = Counter()
    best: list[tuple[float, int, str, str]] = []
    number = 0
    for page in dump.articles():
        text = page.text or ""
        number += 1
        if number % 500 == 0:
            progress()
        cited.update({name.lower() for name in _HOSTS.findall(text)})
        value = near.of(page.title, text)
        if value and (len(best) < ARTICLES or value > best[0][0]):
            heapq.heappush(best, (value, -number, page.title, text))
            if len(best) > ARTICLES:
                heapq.heappop(best)
    hints = []
    best.sort(reverse=True)
    best = [article for article in best if article[0] >= NEAR * best[0][0]]
    for value, _, title, text in best:
        for link in external_links(text):
            name = host(link.url)
            if _CHINESE.search(link.label) or _CHINESE_HOST.search(name):
                rare = 1 - math.log(cited[name.partition(":")[0]] or 1) / math.log(number + 1)
                why = {"site": f"own site of {title}", "reference": f"cited in {title}"}.get(link.kind, f"linked from {title}")
                hints.append(Hint(link.url, _VALUES[link.kind] * value * rare, f"Wikipedia: {why}", link.kind == "reference"))
    return hints, len(best)


def rank(sources: Iterable[Iterable[Hint]]) -> list[Seed]:
    """Return one seed for each public host, best first, except dead ends (``lexicon/dead_ends.txt``).

    Hints of a host with the same reason count once, by the best. The URL is the best hint's, or the home page for several
    merely cited pages.
    """
    hosts: dict[str, list[Hint]] = defaultdict(list)
    for hint in itertools.chain.from_iterable(sources):
        name = host(url := canonical(hint.url))
        if url and hint.value > 0 and not not_public(name) and not is_dead_end(name) and not is_binary(url):
            hosts[name.removeprefix("www.")].append(replace(hint, url=url))
    seeds = []
    for hints in hosts.values():
        hints.sort(key=lambda hint: (-hint.value, hint.url))
        reasons: dict[str, float] = {}
        for hint in hints:
            reasons.setdefault(hint.why, hint.value)
        url = hints[0].url
        if len({hint.url for hint in hints}) > 1 and all(hint.home for hint in hints):
            url = urljoin(url, "/")
        more = f" and {len(reasons) - _REASONS} more" * (len(reasons) > _REASONS)
        seeds.append(Seed(url, math.fsum(reasons.values()), "; ".join(list(reasons)[:_REASONS]) + more))
    return sorted(seeds, key=lambda seed: (-seed.score, seed.url))


def is_dead_end(name: str) -> bool:
    """Return True if a host or its domain has no texts of its own on a topic: an archive, a social network, a wiki.

    >>> is_dead_end("web.archive.org"), is_dead_end("www.dangjian.cn")
    (True, False)
    """
    labels = name.partition(":")[0].split(".")
    return any(".".join(labels[place:]) in _dead_ends() for place in range(len(labels)))


@functools.cache
def _dead_ends() -> frozenset[str]:
    return lexicon_words("dead_ends.txt")
