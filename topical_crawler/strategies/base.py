"""Base class of all strategies, its inputs, and helpers shared by several strategies.

A strategy needs a :attr:`~Strategy.name`, :meth:`~Strategy.judge` and :meth:`~Strategy.score`. Most also define parameters
(:attr:`~Strategy.parameters_type`), use language resources (:attr:`~Strategy.needs`) and explain their scores
(:meth:`~Strategy.explain`). A strategy learning during the crawl overrides :meth:`~Strategy.learn`,
:meth:`~Strategy.state_dict` and :meth:`~Strategy.load_state_dict`. Everything else has a default.

>>> class ShortAddresses(Strategy):
...     name = "short"
...     def judge(self, page, found=()):
...         words = self.segmenter.words(page.title)
...         relevance = sum(word in self.topic.terms for word in words) / max(1, len(words))
...         return Verdict(relevance, relevance > self.page_threshold)
...     def score(self, candidates):
...         return [1 / (1 + len(candidate.url)) for candidate in candidates]
>>> short = ShortAddresses(Topic("t", "党建", {"党建": 1.0}), Segmenter(["党建"]))
>>> short.judge(Page("http://a.cn/", title="党建要闻")), short.state_dict()
(Verdict(relevance=0.5, keep=True, why={}, inherited=None, lesson=None, read={}, near=None), {})
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from math import fsum, isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from topical_crawler.meaning.encoder import Encoder
from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import MarkedText, TopicError
from topical_crawler.topic.topic import Topic, topic_line
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, description_of

_T = TypeVar("_T")
Progress = Callable[[float, str], None]

OFF_TOPIC = "off topic"
"""Rejection reason of a page judged irrelevant."""
BELOW_THRESHOLD = "below threshold"
"""Drop reason of a link on an on-topic page: its score does not exceed the link threshold."""
NO_TOPIC_WORD = "no topic word in anchor"
"""Drop reason of a link on an off-topic page, for strategies following such links by their anchors."""
PAGE_OFF_TOPIC = "its page is off topic"
"""Drop reason of a link on an off-topic page, for strategies following none of its links."""


@dataclass(frozen=True)
class Parameters:
    """Constants of a method, read from the table ``[strategy.NAME]`` of a topic. Methods with more constants subclass it.

    Attributes:
        page_threshold: keep a page if its relevance exceeds this, >= 0.
    """

    page_threshold: float = 0.0

    def __post_init__(self) -> None:
        check_number("page_threshold", self.page_threshold)


@dataclass(frozen=True)
class Setup:
    """Inputs to the construction of a strategy.

    Attributes:
        strategy: name of the strategy.
        topic: topic of the crawl.
        segmenter: knows the topic's terms.
        resources: installed language resources.
        cache_dir: folder for slow-to-compute tables. None: no cache.
        seed: seed of every random choice.
        encoder: measures semantic similarity between texts. None: no encoder.
        progress: called with the finished share (0 to 1) and a description while a table is computed.
    """

    strategy: str
    topic: Topic
    segmenter: Segmenter
    resources: Resources
    cache_dir: Path | None = None
    seed: int = 0
    progress: Progress | None = None
    encoder: Encoder | None = None

    def parameters(self, kind: type[_T]) -> _T:
        """Return the topic's table ``[strategy.NAME]`` as a ``kind``, see :func:`read_parameters`."""
        table = self.topic.parameters.get(self.strategy, {})
        return read_parameters(kind, table, self.topic, f"strategy.{self.strategy}")


class Strategy(ABC):
    """Judge of pages and scorer of links: a published method or one of our own.

    Page relevance and link priority are separate questions (:meth:`judge`, :meth:`score`). Answering them never changes the
    strategy. Only :meth:`learn` does. The crawl calls it once for each judged page, before scoring the page's links.

    Attributes:
        name: identifier used in ``-a strategy=NAME`` and in the topic's table ``[strategy.NAME]``.
        parameters_type: frozen dataclass with a ``page_threshold``. Its fields are the keys of that table.
        needs: language resources improving the verdicts. A crawl reports the missing ones.
        wants_around: True to read the text around links (:attr:`Evidence.around`).
        wants_paths: True to read the position of links among the elements of their page (:attr:`Evidence.path`).
        wants_meaning: True to open an encoder (:attr:`Setup.encoder`).
        wants_text: True if :meth:`judge` reads the text of every page (:func:`~topical_crawler.web.page.full_text`). The text
            is then read together with the links.
        drop_reason: reason recorded for a link on an off-topic page if :meth:`score` returns None.
        learns_links: True if the strategy learns the value of links and drops none. Barren hosts then fall back by themselves,
            and the crawl ends once the waiting links promise too little (:class:`LinkPolicy`).
        relevance_is_probability: True if relevances and link scores are probabilities. Kept texts are then judged again at the
            end, and off-topic ones withdrawn.
        search_words: search words besides the topic's terms, substituted for ``{keyword}`` in start URLs. May grow during the
            crawl.
        has_enough: True once the crawl has found all that the method asks for and should end.
        revision: changes whenever learning may have *raised* the scores of waiting links. The crawl then rescores the best of
            them. A fall needs no notice: each link is rescored on its turn and requeued if it has fallen.
        asks_server: True if the strategy depends on a server. The crawl then awaits :meth:`prepare` before each :meth:`judge`.

    Args:
        topic: topic of the crawl.
        segmenter: must know the topic's terms.
        parameters: instance of ``parameters_type``. None: its defaults.
    """

    name: str
    parameters_type: ClassVar[type[Any]] = Parameters
    needs: ClassVar[tuple[str, ...]] = ()
    wants_around: bool = False
    wants_paths: bool = False
    wants_meaning: bool = False
    wants_text: bool = False
    drop_reason: str = PAGE_OFF_TOPIC
    learns_links: bool = False
    relevance_is_probability: bool = False
    search_words: Sequence[str] = ()
    has_enough: bool = False
    revision: int = 0
    asks_server: bool = False
    parameters: Any

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: Any = None) -> None:
        self.topic = topic
        self.segmenter = segmenter
        self.parameters = parameters or self.parameters_type()

    @classmethod
    def make(cls, setup: Setup) -> Self:
        """Build the strategy for a topic. Override it for a constructor with other arguments.

        Raises:
            TopicError: a parameter, or another part of the topic, cannot be used.
        """
        return cls(setup.topic, setup.segmenter, setup.parameters(cls.parameters_type))

    async def prepare(self, page: Page, anchors: Sequence[str]) -> None:  # noqa: B027
        """Fetch the data for :meth:`judge` of a page and :meth:`score` of links with these anchors. Must not block the crawl."""

    @abstractmethod
    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        """Return the relevance of ``page`` and the decision to keep it. Deterministic. Never raises on odd pages.

        Args:
            page: page as fetched.
            found: places of the link to the page. (): a seed.
        """

    @property
    def kept_per_score(self) -> tuple[float, float] | None:
        """Lower and upper bound of pages kept per unit of link score, over the latest pages.

        None if scores promise nothing of the kind. The crawl uses the bounds to estimate the yield of the waiting links.
        """
        return None

    @abstractmethod
    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """Return a priority for each candidate, in order. None: not worth a visit.

        Called for new links, and again when a waiting link comes up, to use everything learned in between.
        """

    def explain(self, candidate: Candidate) -> Mapping[str, float]:
        """Return the named parts of a candidate's priority for display (``anchor``, ``parent``, ``struct`` …)."""
        return {}

    @property
    def page_threshold(self) -> float:
        """Relevance above which a page is kept. May be set at any time, effective for the next page.

        Raises:
            ValueError: the parameters reject the value.
        """
        return float(self.parameters.page_threshold)

    @page_threshold.setter
    def page_threshold(self, value: float) -> None:
        check_number("page_threshold", value)
        self.parameters = dataclasses.replace(self.parameters, page_threshold=value)

    def learn(self, url: str, verdict: Verdict) -> None:
        """Learn from a judged page. Idempotent per page. On resuming a crawl, the verdict holds only relevance, keep and
        lesson."""
        return

    def mark(self, texts: Sequence[MarkedText]) -> None:
        """Add texts marked by a person during the crawl to those of the topic.

        A text replaces an earlier one with the same URL, and a boilerplate mark removes it. Marks take effect at the next
        learned page.

        Marks are not part of :meth:`state_dict`. Their owner passes them again to a restored strategy, in any portions, before
        it goes on. Repeating the same marks changes nothing, so the crawl continues as if never interrupted.
        """
        return

    def state_dict(self) -> dict[str, Any]:
        """Return the learned state as JSON data."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the result of :meth:`state_dict`."""
        return

    def missed(self, url: str, found: Sequence[Evidence]) -> Any:
        """Return the lesson of an unreachable page as JSON data. None: nothing to learn.

        The crawl passes the lesson to :meth:`learn` with a relevance of 0.
        """
        return None

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        """Judge pages again with current knowledge, from the lessons of their first verdicts. None: the first verdict is final.

        An off-topic page without a final verdict is set aside for a second look.
        """
        return [None] * len(lessons)

    def may_reconsider(self, lesson: Any) -> bool:
        """Return True if :meth:`reconsider` gives a verdict for a lesson. Override it with a cheaper check."""
        return self.reconsider([lesson])[0] is not None

    def confirm(self, text: str) -> tuple[float, bool]:
        """Return the relevance of a kept page's extracted main text, and True if the page stays in the corpus."""
        return 1.0, True


def read_parameters(kind: type[_T], table: object, topic: Topic, section: str, defaults: _T | None = None) -> _T:
    """Build a parameter class from a table of ``topic.toml``. Missing keys come from ``defaults``, else from the class.

    Raises:
        TopicError: not a table, an unknown key, or a rejected value. The message names the file and the line.
    """
    if not isinstance(table, Mapping):
        where = topic_line(topic, section.rsplit(".", 1)[-1])
        raise TopicError(f"{where}: {table!r} is not a table. Write [{section}] with its parameters below it")
    known = [f.name for f in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise TopicError(f"{topic_line(topic, key)}: [{section}] has no parameter {key!r}. Known: {', '.join(known)}")
    try:
        return kind(**table) if defaults is None else dataclasses.replace(defaults, **table)  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        named = next((k for k in table if k in str(error)), section.rsplit(".", 1)[-1])
        raise TopicError(f"{topic_line(topic, named)}: {error}") from None


def check_number(name: str, value: object) -> None:
    """Raise ValueError, naming the parameter, unless the value is a finite number >= 0."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not (isfinite(value) and value >= 0):
        raise ValueError(f"{name} must be a number of 0 or more, not {value!r}")


def check_fields(parameters: Any, shares: Collection[str] = (), least: Mapping[str, int] = MappingProxyType({})) -> None:
    """Validate the fields of a parameter class by the type of their defaults.

    Checks bool, int (>= its minimum), float (>= 0) and str fields. Ignores fields of other types.

    Args:
        parameters: instance of a dataclass.
        shares: names of fields restricted to 0 to 1.
        least: minimum of int fields by name, 0 if absent.

    Raises:
        ValueError: a value does not fit. The message names the field.
    """
    for field in fields(parameters):
        name, value, kind = field.name, getattr(parameters, field.name), type(field.default)
        if name in shares:
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
                raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}")
        elif kind is bool and not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false, not {value!r}")
        elif kind is str and not isinstance(value, str):
            raise ValueError(f"{name} must be a text, not {value!r}")
        elif kind is int:
            minimum = least.get(name, 0)
            if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
                raise ValueError(f"{name} must be a whole number of {minimum} or more, not {value!r}")
        elif kind is float:
            check_number(name, value)


# -- Shared by several methods

MOST_REASONS = 8
"""Maximum number of words in an explanation."""


def shares(parts: Mapping[str, float]) -> dict[str, float]:
    """Return the words behind a relevance with their shares of it, heaviest first, at most :data:`MOST_REASONS`.

    Args:
        parts: contribution of each word (> 0), in any unit.

    >>> shares({"支部": 1.0, "党建": 3.0})
    {'党建': 0.75, '支部': 0.25}
    """
    total = fsum(parts.values())
    heaviest = sorted(parts.items(), key=lambda item: (-item[1], item[0]))[:MOST_REASONS]
    return {word: round(part / total, 4) for word, part in heaviest}


def packed(numbers: NDArray[Any], kind: str) -> str:
    """Encode numbers in base64 as a numpy ``kind`` with explicit byte order (``<i4``)."""
    return b64encode(numbers.astype(kind).tobytes()).decode()


def unpacked(text: str, kind: str) -> NDArray[Any]:
    """Decode the result of :func:`packed` to a read-only array.

    >>> unpacked(packed(np.array([3, 1, 2]), "<i4"), "<i4").tolist()
    [3, 1, 2]
    """
    return np.frombuffer(b64decode(text), dtype=kind)


class KeywordJudge(Strategy):
    """Page judge shared by several baselines.

    Relevance is the share of topic terms among the words of a page's description information. With the default threshold of 0,
    one term is enough.
    """

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        words = self.segmenter.words(description_of(page))
        matching = [w for w in words if w in self.topic.terms]
        relevance = len(matching) / len(words) if words else 0.0
        return Verdict(relevance, relevance > self.page_threshold, {w: round(1 / len(matching), 4) for w in matching})


# -- Words of a site


MAX_SITES = 50_000
"""Maximum number of sites remembered, first come first served, about 150 bytes each."""

_SEPARATORS = re.compile(r"\s*[|｜_–—·•»]\s*|\s+-\s+")  # 支部动态 | 青河党建网
_KEYWORDS = re.compile(r"[,，、;；|\s]+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_NAME_WORDS = 3
"""Words at either end of a title considered as site name (青河党建网 支部动态), if they contain Chinese characters."""


class SiteWords:
    """Digests of the texts on the home pages of sites.

    A site repeats its name in titles and its description in page heads. Its home page identifies these words. On any other page
    they say nothing about the targets of links: with 机器学习 in the description of a general blog, all its lists would look
    promising.

    >>> words = SiteWords()
    >>> home = Page("http://a.cn/", title="小林的博客", description="机器学习与生活")
    >>> words.learn(home.url, words.lesson(home))
    >>> words.own(Page("http://a.cn/7", title="春游 | 小林的博客", description="机器学习与生活")).title
    '春游'
    """

    def __init__(self) -> None:
        self._sites: dict[str, frozenset[str]] = {}

    def lesson(self, page: Page) -> list[str] | None:
        """Return the digests of a home page's texts, or None for any other page."""
        if not _is_home(page.url):
            return None
        parts, words = _SEPARATORS.split(page.title), page.title.split()
        texts = {page.description, page.heading, page.lead, page.title, *parts, *_KEYWORDS.split(page.keywords)}
        candidates = {*words[:_NAME_WORDS], *words[-_NAME_WORDS:], *parts}
        names = {_digest_of_name(word) for word in candidates if _HAN.search(word)}
        return sorted(names.union(_digest(text) for text in texts if text))

    def learn(self, url: str, lesson: Iterable[str] | None) -> None:
        """Learn the lesson of a page. Only the first home page of a site counts."""
        if lesson is not None and len(self._sites) < MAX_SITES:
            self._sites.setdefault(_site(url), frozenset(lesson))

    def own(self, page: Page) -> Page:
        """Return the page without the words of its site's home page.

        Removes matching title parts, single keywords, the whole heading, description and first lines, and the site's name among
        the labels (党建研究 > 要闻 > 正文). Returns the page itself if nothing matches, and for home pages.
        """
        known = self._sites.get(_site(page.url))
        if not known or _is_home(page.url):
            return page
        parts = _SEPARATORS.split(page.title)
        kept = [_without_name(part, known) for part in parts if not part or _digest(part) not in known]
        words = _KEYWORDS.split(page.keywords)
        own_words = [word for word in words if _digest(word) not in known]
        heads: dict[str, Any] = {n: "" for n in ("description", "heading", "lead") if _digest(getattr(page, n)) in known}
        own = dataclasses.replace(
            page,
            title=page.title if kept == parts else " ".join(filter(None, kept)),
            keywords=page.keywords if own_words == words else ",".join(filter(None, own_words)),
            labels=tuple(label for label in page.labels if _digest_of_name(label) not in known),
            **heads,
        )
        return page if own == page else own

    def state_dict(self) -> dict[str, list[str]]:
        """Return the learned state as JSON data."""
        return {site: sorted(known) for site, known in self._sites.items()}

    def load_state_dict(self, state: Mapping[str, Iterable[str]]) -> None:
        """Restore the result of :meth:`state_dict`."""
        self._sites = {site: frozenset(known) for site, known in state.items()}


def _site(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:  # brackets without an IPv6 address
        return ""


def _is_home(url: str) -> bool:
    site = _site(url)
    return bool(site) and url.partition("://")[2].lower() in (site, f"{site}/")


def _without_name(part: str, known: frozenset[str]) -> str:
    """Strip the site's name from both ends of a title part."""
    words = part.split()
    first, last = 0, len(words)
    while first < last and _digest_of_name(words[first]) in known:
        first += 1
    while first < last and _digest_of_name(words[last - 1]) in known:
        last -= 1
    return part if last - first == len(words) else " ".join(words[first:last])


def _digest_of_name(word: str) -> str:
    return _digest(f"name {word}")


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
