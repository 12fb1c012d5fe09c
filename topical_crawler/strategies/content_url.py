"""Page text and URL strings (Chen & Zhu 2011): the paper's T&L, the strategy ``content_url``.

A page is judged by its whole text (Eq. 1), and only the links of relevant pages are followed (Eq. 2). T&L learns from the URLs of
the pages that it has judged: which links of a page are known not to be relevant, and with which strings relevant and irrelevant
URLs begin (§2.2.3). Such a string is a prefix that ends in a slash: the host alone, the host with a folder, with two, and so on.

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
    """The prefixes of a URL that end in a slash, shortest first; none for what is no web address.

    Read from its canonical form without the parameters, whose slashes part no folders, and no deeper than the
    :data:`~topical_crawler.web.urls.MAX_DEPTH` folders of a URL that is not taken for a trap.
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
    """The *maximal frequent prefixes* of a growing set of URLs: those that at least ``frequency`` of them begin with, while no
    longer one is frequent. ``frequency``, f of the paper, is 1 or more; every URL is to be added once.

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
        """Number of frequent prefixes, maximal or not. It grows whenever ``maximal`` changes."""
        self._counts: dict[str, int] = {}

    def add(self, url: str) -> None:
        """Count a URL."""
        shorter = ""
        for prefix in prefixes(url):
            count = self._counts[prefix] = self._counts.get(prefix, 0) + 1
            if count == self.frequency:  # the next shorter one became frequent before
                self._add_frequent(prefix, shorter)
            shorter = prefix

    def _add_frequent(self, prefix: str, shorter: str) -> None:
        self.frequent += 1
        self.maximal.discard(shorter)
        self.maximal.add(prefix)

    def to_json(self) -> dict[str, Any]:
        """The counts as a tree of JSON data, the common part of the prefixes written once; :meth:`load` reads them back.

        >>> strings = FrequentPrefixes(2)
        >>> strings.add("http://a.cn/dj/1"), strings.add("http://a.cn/ty/1")
        (None, None)
        >>> strings.to_json()
        {'http://a.cn/': [2, {'dj/': 1, 'ty/': 1}]}
        """
        tree: dict[str, Any] = {}
        nodes: dict[str, tuple[dict[str, Any], str]] = {}  # of each prefix: where it hangs, and under which name
        for prefix in sorted(self._counts):  # so that a shorter one comes before the longer ones
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
        """Put back what :meth:`to_json` gave, in place of what was counted."""
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
    """S and U of Chen & Zhu 2011: the maximal frequent prefixes S of the relevant URLs, and U = M − S, where M are those of the
    irrelevant ones.

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
        """Whether ``url`` begins with a prefix of S, and with one of U: one look at each of its own prefixes."""
        own, relevant = set(prefixes(url)), self.relevant.maximal
        return not own.isdisjoint(relevant), not (own - relevant).isdisjoint(self.irrelevant.maximal)

    @property
    def revision(self) -> int:
        """Another number whenever S has gained a prefix or U lost one (it may also change when neither did)."""
        return self.relevant.frequent + self.irrelevant.frequent


_BYTES = 8


class TopicVector:
    """sim(q, p) = Σ_{k∈q∩p} W_kq·W_kp / √(Σ_k W_kp² · Σ_k W_kq²) of a topic q and any text p.

    W_kp is the frequency of the word k in the text, times its IDF; W_kq has the weight of the topic term in place of a frequency.

    Args:
        terms: topic terms with their weights.
        segmenter: must know the terms.
        idf: of words in Chinese at large.

    >>> vector = TopicVector({"党建": 1.0, "支部": 1.0}, Segmenter(["党建", "支部"]), Idf.load())
    >>> vector.compare("支部要闻")[1], vector.compare("今日天气")
    ({'支部': 1.0}, (0.0, {}))
    """

    def __init__(self, terms: Mapping[str, float], segmenter: Segmenter, idf: Idf) -> None:
        self._segmenter = segmenter
        self._vsm = Vsm(keyword_vector(terms, idf), idf)

    @classmethod
    def of(cls, topic: Topic, segmenter: Segmenter) -> TopicVector:
        """The vector of a topic, with the IDF of general Chinese."""
        return cls(topic.terms, segmenter, Idf.load())

    def compare(self, text: str) -> tuple[float, dict[str, float]]:
        """The cosine, with the words that carry it and their shares of it, the most telling first, eight at most."""
        words = self._segmenter.content(text)
        return self._vsm.of(words), shares(self._vsm.parts(words))


@dataclass(frozen=True)
class ContentUrlParameters(Parameters):
    """Constants of T&L; the table ``[strategy.content_url]`` of a topic sets them."""

    page_threshold: float = 0.01  # a page is relevant when Eq. 1 over its text is above this. Not printed
    frequency: int = 3  # f, in how many addresses a string is frequent. Not printed; 3 in the paper's example
    raise_factor: float = 1.5  # a, for links that begin with a string of S
    lower_factor: float = 0.5  # b, for links that begin with a string of U

    def __post_init__(self) -> None:
        check_fields(self, least={"frequency": 1})
        if self.page_threshold == 0:
            raise ValueError("page_threshold must be above 0: it is also what a seed hands on that is not relevant itself")


class ContentUrl(Strategy):
    """Each link of a relevant page gets sim(q, p)/N_p (Eq. 2), adjusted by the strings S and U at the head of its URL (§2.2.3).
    N_p, the page's number of links, leaves out those that are known not to be relevant. Known relevant ones count.

    A link that is found on several pages has the highest of their values; the paper, which does not queue a link again, leaves it
    the first. The links of a page that is not relevant get 0, which closes them. But the paper takes its seeds from the training
    set: the links of a seed that is not relevant itself, such as a home page, get what those of a page at the threshold do.

    What was learned is kept as digests of addresses and as counts of their prefixes: about 12 and 20 bytes a page.

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
        """By Eq. 1 over the full text; its links inherit Eq. 2."""
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
        """Eq. 2 from the best of the places where each link was found, times what its address makes of it."""
        return [best * self._factor(c.url) if (best := _best(c)) else None for c in candidates]

    def _factor(self, url: str) -> float:
        """What the paper's *URL analyser* makes of an address: a, b, 1, or a·b. An address can begin with a string of S and with
        another of U (``http://a.cn/党建/`` and ``http://a.cn/党建/图片/``). The paper has a rule for each: both hold."""
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
