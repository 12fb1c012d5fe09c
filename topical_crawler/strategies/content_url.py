"""Content and URLs (Chen & Zhu 2011): the paper's T&L as ``content_url``, its baseline T as ``content``.

Both judge a page by its whole text, and follow the links of relevant pages only. T&L learns from the addresses of the pages that
it has judged: which links of a page are known not to be relevant, and with which strings relevant and irrelevant addresses begin.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from topical_crawler.page import Candidate, Evidence, Page, Verdict, full_text
from topical_crawler.relevance.page_threshold import PageThreshold
from topical_crawler.relevance.text_and_anchor import check_count, check_number
from topical_crawler.relevance.topic_vector import TopicVector
from topical_crawler.strategies.base import Fixed, Setup
from topical_crawler.urls import fingerprint
from topical_crawler.urls.prefixes import PrefixSets

_BYTES = 8


@dataclass(frozen=True)
class ContentParameters:
    """Constants of T; the table ``[strategy.content]`` of a topic sets them.

    Attributes:
        page_threshold: a page is relevant when Eq. 1 over its text is above this. Not printed.
    """

    page_threshold: float = 0.01

    def __post_init__(self) -> None:
        check_number("page_threshold", self.page_threshold)
        if self.page_threshold == 0:
            raise ValueError("page_threshold must be above 0: it is also what a seed hands on that is not relevant itself")


@dataclass(frozen=True)
class ContentUrlParameters(ContentParameters):
    """Constants of T&L; the table ``[strategy.content_url]`` of a topic sets them.

    Attributes:
        frequency: f, in how many addresses a string is frequent. Not printed; 3 in the paper's example.
        raise_factor: a, for links that begin with a string of S.
        lower_factor: b, for links that begin with a string of U.
    """

    frequency: int = 3
    raise_factor: float = 1.5
    lower_factor: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("frequency", self.frequency, 1)
        check_number("raise_factor", self.raise_factor)
        check_number("lower_factor", self.lower_factor)


class Content(PageThreshold, Fixed):
    """The strategy ``content``: each link of a relevant page gets sim(q, p)/N_p (Eq. 2), N_p the page's number of links.

    A link that is found on several pages has the highest of their values; the paper, which does not queue a link again, leaves it
    the first. A page that is not relevant hands on 0, which closes its links. But the paper takes its seeds from the training
    set, so a seed is never closed: one that is not relevant itself, such as a home page, hands on what a page at the threshold
    does.

    Args:
        topic: measures a text against the topic (Eq. 1).
        parameters: constants of the method.
    """

    name = "content"
    parameters: ContentParameters

    def __init__(self, topic: TopicVector, parameters: ContentParameters | None = None) -> None:
        self.parameters = parameters or ContentParameters()
        self._topic = topic

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        """By Eq. 1 over the full text; what the page hands on is Eq. 2."""
        relevance, why = self._topic.compare(full_text(page))
        threshold = self.page_threshold
        keep = relevance > threshold
        shared = relevance if keep else 0.0 if found else threshold
        return Verdict(relevance, keep, why, inherited=shared / max(1, self._links_of(page)))

    def _links_of(self, page: Page) -> int:
        """N_p of Eq. 2."""
        return len({fingerprint(link.url) for link in page.links})

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [self._priority(c) for c in candidates]

    def _priority(self, candidate: Candidate) -> float | None:
        """Eq. 2 from the best of the places where the link was found."""
        return max((e.relevance for e in candidate.evidence), default=0.0) or None

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {"parent": max((e.relevance for e in candidate.evidence), default=0.0)}


class ContentUrl(Content):
    """The strategy ``content_url``: N_p of Eq. 2 leaves out links that are known not to be relevant (known relevant ones count),
    and priorities are adjusted by the strings S and U with which addresses begin (§2.2.3).

    What was learned is kept as digests of addresses and as counts of their prefixes: about 12 and 20 bytes a page.

    Args:
        topic: measures a text against the topic (Eq. 1).
        parameters: constants of the method.

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
    parameters: ContentUrlParameters

    def __init__(self, topic: TopicVector, parameters: ContentUrlParameters | None = None) -> None:
        super().__init__(topic, parameters or ContentUrlParameters())
        self._relevant: set[bytes] = set()
        self._irrelevant: set[bytes] = set()
        self._strings = PrefixSets(self.parameters.frequency)

    def learn(self, url: str, verdict: Verdict) -> None:
        digest = _digest(url)
        if digest in self._relevant or digest in self._irrelevant:
            return
        known, strings = (
            (self._relevant, self._strings.relevant) if verdict.keep else (self._irrelevant, self._strings.irrelevant)
        )
        known.add(digest)
        strings.add(url)
        self.revision = self._strings.revision

    def _links_of(self, page: Page) -> int:
        return len({digest for link in page.links if (digest := _digest(link.url)) not in self._irrelevant})

    def _priority(self, candidate: Candidate) -> float | None:
        priority = super()._priority(candidate)
        return priority and priority * self._factor(candidate.url)

    def _factor(self, url: str) -> float:
        """What the paper's *URL analyser* makes of an address: a, b, or 1."""
        in_s, in_u = self._strings.match(url)
        return (self.parameters.raise_factor if in_s else 1.0) * (self.parameters.lower_factor if in_u else 1.0)

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return {**super().explain(candidate), "url": self._factor(candidate.url)}

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


def _digest(url: str) -> bytes:
    return fingerprint(url)[:_BYTES]


def _packed(digests: set[bytes]) -> str:
    return b64encode(b"".join(sorted(digests))).decode()


def _unpacked(text: str) -> set[bytes]:
    digests = b64decode(text)
    return {digests[i : i + _BYTES] for i in range(0, len(digests), _BYTES)}


def make_content(setup: Setup) -> Content:
    """The strategy ``content`` for a topic.

    Raises:
        TopicError: a parameter cannot be used.
    """
    return Content(TopicVector.of(setup.topic, setup.segmenter), setup.parameters(ContentParameters))


def make_content_url(setup: Setup) -> ContentUrl:
    """The strategy ``content_url`` for a topic.

    Raises:
        TopicError: a parameter cannot be used.
    """
    return ContentUrl(TopicVector.of(setup.topic, setup.segmenter), setup.parameters(ContentUrlParameters))
