"""Strategy ``content_url``: page text and URL strings, the T&L method of Chen & Zhu 2011.

Pages are judged by their whole text (Eq. 1), and only links of relevant pages are followed (Eq. 2). T&L learns from the URLs of
judged pages: known irrelevant links, and common leading strings of relevant and irrelevant URLs (§2.2.3). Such a string is a
prefix ending in a slash: the host alone, the host with one folder, with two, and so on.

>>> list(prefixes("http://news.sohu.com/20110225/n279530112.shtml"))
['http://news.sohu.com/', 'http://news.sohu.com/20110225/']
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from topical_crawler.strategies.base import Parameters, Setup, Strategy, check_fields, shares
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf, Vsm, keyword_vector
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, full_text
from topical_crawler.web.urls import MAX_DEPTH, canonical, fingerprint


def prefixes(url: str) -> Iterator[str]:
    """Yield the prefixes of a URL ending in a slash, shortest first. Yield none for anything but a web address.

    Reads the canonical form without the query string, and at most :data:`~topical_crawler.web.urls.MAX_DEPTH` folders. Deeper
    URLs count as traps.
    """
    path = canonical(url).partition("?")[0]
    end = path.find("://") + 2
    for _ in range(MAX_DEPTH + 1):
        end = path.find("/", end + 1) + 1
        if not end:
            return
        yield path[:end]
        end -= 1


class FrequentPrefixes:
    """The *maximal frequent prefixes* of a growing set of URLs.

    A prefix is frequent if at least ``frequency`` URLs begin with it, and maximal if no longer prefix is frequent.
    ``frequency``, the paper's f, is 1 or more. Add each URL once.

    >>> strings = FrequentPrefixes(frequency=3)
    >>> for url in ("http://a.cn/党建/1", "http://a.cn/党建/2", "http://a.cn/党建/3", "http://a.cn/体育/1"):
    ...     strings.add(url)
    >>> strings.maximal == {"http://a.cn/%E5%85%9A%E5%BB%BA/"}
    True
    """

    def __init__(self, frequency: int) -> None:
        self.frequency = frequency
        self.maximal: set[str] = set()
        self.frequent = 0
        """Number of frequent prefixes, maximal or not. Grows whenever ``maximal`` changes."""
        self._counts: dict[str, int] = {}

    def add(self, url: str) -> None:
        """Count a URL."""
        shorter = ""
        for prefix in prefixes(url):
            count = self._counts[prefix] = self._counts.get(prefix, 0) + 1
            if count == self.frequency:  # the next shorter prefix is already frequent
                self._add_frequent(prefix, shorter)
            shorter = prefix

    def _add_frequent(self, prefix: str, shorter: str) -> None:
        self.frequent += 1
        self.maximal.discard(shorter)
        self.maximal.add(prefix)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as a tree of JSON data, with shared parts of prefixes stored once. Inverse of :meth:`load`.

        >>> strings = FrequentPrefixes(2)
        >>> strings.add("http://a.cn/dj/1"), strings.add("http://a.cn/ty/1")
        (None, None)
        >>> strings.to_json()
        {'http://a.cn/': [2, {'dj/': 1, 'ty/': 1}]}
        """
        tree: dict[str, Any] = {}
        nodes: dict[str, tuple[dict[str, Any], str]] = {}  # prefix → (parent node, key in it)
        for prefix in sorted(self._counts):  # shorter prefixes first
            start = prefix.rfind("/", 0, len(prefix) - 1) + 1
            if (parent := nodes.get(prefix[:start])) is None:
                place, name = tree, prefix
            else:
                above, key = parent
                if not isinstance(above[key], list):
                    above[key] = [above[key], {}]
                place, name = above[key][1], prefix[start:]
            place[name] = self._counts[prefix]
            nodes[prefix] = place, name
        return tree

    def load(self, tree: Mapping[str, Any]) -> None:
        """Replace the counts by the result of :meth:`to_json`."""
        self.maximal, self.frequent, self._counts = set(), 0, {}
        waiting: list[tuple[str, Mapping[str, Any]]] = [("", tree)]
        while waiting:
            shorter, below = waiting.pop()
            for name, node in below.items():
                count, deeper = node if isinstance(node, list) else (node, {})
                prefix = shorter + name
                self._counts[prefix] = int(count)
                if count >= self.frequency:
                    self._add_frequent(prefix, shorter)
                if deeper:
                    waiting.append((prefix, deeper))


class PrefixSets:
    """S and U of Chen & Zhu 2011.

    S is the set of maximal frequent prefixes of the relevant URLs. With M as that of the irrelevant URLs, U = M − S.

    >>> sets = PrefixSets(frequency=1)
    >>> sets.relevant.add("http://a.cn/党建/1"), sets.irrelevant.add("http://a.cn/体育/1")
    (None, None)
    >>> [sets.match(f"http://a.cn/{folder}/2") for folder in ("党建", "体育", "天气")]
    [(True, False), (False, True), (False, False)]
    """

    def __init__(self, frequency: int) -> None:
        self.relevant = FrequentPrefixes(frequency)
        self.irrelevant = FrequentPrefixes(frequency)

    def match(self, url: str) -> tuple[bool, bool]:
        """Return True if ``url`` begins with a prefix of S, and True if with one of U, by one look-up per prefix of the URL."""
        own, relevant = set(prefixes(url)), self.relevant.maximal
        return not own.isdisjoint(relevant), not (own - relevant).isdisjoint(self.irrelevant.maximal)

    @property
    def revision(self) -> int:
        """Number changing whenever S gains or U loses a prefix. May also change otherwise."""
        return self.relevant.frequent + self.irrelevant.frequent


_BYTES = 8


class TopicVector:
    """Cosine between a topic q and any text p: sim(q, p) = Σ_{k∈q∩p} W_kq·W_kp / √(Σ_k W_kp² · Σ_k W_kq²).

    W_kp is the frequency of the word k in the text, times its IDF. In W_kq the weight of the topic term replaces the frequency.

    Args:
        terms: topic terms with their weights.
        segmenter: must know the terms.
        idf: IDF of words in general Chinese.

    >>> vector = TopicVector({"党建": 1.0, "支部": 1.0}, Segmenter(["党建", "支部"]), Idf.load())
    >>> vector.compare("支部要闻")[1], vector.compare("今日天气")
    ({'支部': 1.0}, (0.0, {}))
    """

    def __init__(self, terms: Mapping[str, float], segmenter: Segmenter, idf: Idf) -> None:
        self._segmenter = segmenter
        self._vsm = Vsm(keyword_vector(terms, idf), idf)

    @classmethod
    def of(cls, topic: Topic, segmenter: Segmenter) -> TopicVector:
        """Build the vector of a topic, with the IDF of general Chinese."""
        return cls(topic.terms, segmenter, Idf.load())

    def compare(self, text: str) -> tuple[float, dict[str, float]]:
        """Return the cosine, and at most eight words behind it with their shares of it, heaviest first."""
        words = self._segmenter.content(text)
        return self._vsm.of(words), shares(self._vsm.parts(words))


@dataclass(frozen=True)
class ContentUrlParameters(Parameters):
    """Constants of T&L, read from the table ``[strategy.content_url]`` of a topic."""

    page_threshold: float = 0.01  # a page is relevant if Eq. 1 over its text exceeds this. Not printed
    frequency: int = 3  # f, least number of URLs sharing a frequent string. Not printed, 3 in the paper's example
    raise_factor: float = 1.5  # a, for links beginning with a string of S
    lower_factor: float = 0.5  # b, for links beginning with a string of U

    def __post_init__(self) -> None:
        check_fields(self, least={"frequency": 1})
        if self.page_threshold == 0:
            raise ValueError("page_threshold must be above 0, since links of irrelevant seeds inherit it")


class ContentUrl(Strategy):
    """Strategy ``content_url``: sim(q, p)/N_p for each link of a relevant page (Eq. 2), adjusted by the strings S and U at the
    head of its URL (§2.2.3).

    N_p is the page's number of links, not counting known irrelevant ones. Known relevant links count.

    A link found on several pages gets the highest of their values. The paper never requeues a link and keeps the first value.
    Links of an irrelevant page get 0, closing them. Since the paper takes its seeds from the training set, links of an
    irrelevant seed, such as a home page, get the value of a page at the threshold.

    The learned state consists of URL digests and prefix counts: about 12 and 20 bytes a page.

    >>> from topical_crawler import Candidate, Evidence, Page, strategies
    >>> strategy = strategies.create("partybuilding", "content_url", resources=None)
    >>> for n in range(5):
    ...     page = Page(f"http://a.cn/党建/{n}", title="全面从严治党 落实三会一课制度")
    ...     strategy.learn(page.url, strategy.judge(page))
    >>> on_topic = Evidence("http://a.cn/", 0.01, True)
    >>> strategy.score([Candidate(f"http://a.cn/{folder}/9", (on_topic,)) for folder in ("党建", "天气")])
    [0.015, 0.01]
    """

    name = "content_url"
    wants_text = True
    parameters_type = ContentUrlParameters
    parameters: ContentUrlParameters

    def __init__(self, topic: TopicVector, parameters: ContentUrlParameters | None = None) -> None:
        self.parameters = parameters or ContentUrlParameters()
        self._topic = topic
        self._relevant: set[bytes] = set()
        self._irrelevant: set[bytes] = set()
        self._strings = PrefixSets(self.parameters.frequency)

    @classmethod
    def make(cls, setup: Setup) -> Self:
        return cls(TopicVector.of(setup.topic, setup.segmenter), setup.parameters(cls.parameters_type))

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        """Judge the full text by Eq. 1. Links inherit Eq. 2."""
        relevance, why = self._topic.compare(full_text(page))
        keep = relevance > self.page_threshold
        shared = relevance if keep else 0.0 if found else self.page_threshold
        links = {digest for link in page.links if (digest := _digest(link.url)) not in self._irrelevant}
        return Verdict(relevance, keep, why, inherited=shared / max(1, len(links)))

    def learn(self, url: str, verdict: Verdict) -> None:
        digest = _digest(url)
        if digest in self._relevant or digest in self._irrelevant:
            return
        (self._relevant if verdict.keep else self._irrelevant).add(digest)
        (self._strings.relevant if verdict.keep else self._strings.irrelevant).add(url)
        self.revision = self._strings.revision

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """Return Eq. 2 from the best place of each link, times the factor of its URL."""
        return [best * self._factor(c.url) if (best := _best(c)) else None for c in candidates]

    def _factor(self, url: str) -> float:
        """Return the factor of the paper's *URL analyser*: a, b, 1, or a·b.

        A URL can begin with a string of S and with another of U (``http://a.cn/党建/`` and ``http://a.cn/党建/图片/``). The
        paper has a rule for each. Both apply.
        """
        in_s, in_u = self._strings.match(url)
        return (self.parameters.raise_factor if in_s else 1.0) * (self.parameters.lower_factor if in_u else 1.0)

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {"parent": _best(candidate), "url": self._factor(candidate.url)}

    def state_dict(self) -> dict[str, Any]:
        return {
            "relevant": _packed(self._relevant),
            "irrelevant": _packed(self._irrelevant),
            "relevant_strings": self._strings.relevant.to_json(),
            "irrelevant_strings": self._strings.irrelevant.to_json(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._relevant = _unpacked(state["relevant"])
        self._irrelevant = _unpacked(state["irrelevant"])
        self._strings.relevant.load(state["relevant_strings"])
        self._strings.irrelevant.load(state["irrelevant_strings"])
        self.revision = self._strings.revision


def _best(candidate: Candidate) -> float:
    return max((e.relevance for e in candidate.evidence), default=0.0)


def _digest(url: str) -> bytes:
    return fingerprint(url)[:_BYTES]


def _packed(digests: set[bytes]) -> str:
    return b64encode(b"".join(sorted(digests))).decode()


def _unpacked(text: str) -> set[bytes]:
    digests = b64decode(text)
    return {digests[i : i + _BYTES] for i in range(0, len(digests), _BYTES)}
